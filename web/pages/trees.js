// The boxes of a BVH by depth, and which of them a query with a ball opens.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, boxes, segments, solid, spheres } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const MODELS = ['torus-knot', 'spring', 'blob', 'castle', 'hand', 'gear', 'vase', 'terrain'];
const RADIUS = 0.22;
/** Boxes that are drawn with thick lines at most: more of them are dense enough. */
const THICK = 1000;

const f = await frame({
  name: 'trees',
  eye: [1.8, -3.05, 1.8],
  state: { model: 'torus-knot', faces: 6000, depth: 2, at: [0.75, -0.35, 0.1] },
  structure: (on) => { if (hull) hull.visible = !on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh } = await load();
const mesh = Mesh.generate('${s.model}', ${s.faces});
mesh.buildIndex();                               // eight oriented boxes a node
const corners = mesh.boxes(${s.depth});                   // the boxes of depth ${s.depth}: 24 numbers each
mesh.depth;                                      // how deep it is`,
  check: ({ Mesh }) => {
    const mesh = Mesh.generate('torus-knot', 1500);
    return [mesh.depth, mesh.boxes(0), mesh.boxes(1), mesh.boxes(2), mesh.boxes(9).length];
  },
});

const group = f.group();
const ball = f.group();
ball.add(spheres({ centers: [0, 0, 0], radii: [RADIUS] }, COLOURS.b, { detail: 5 }));
let mesh;
let hull;
let byHand;
let levels;

const choice = f.control('choice', 'model', { label: 'Mesh', options: MODELS }, () => rebuild());
f.control('slider', 'faces', { label: 'Faces', min: 200, max: 40000, step: 200 }, () => rebuild());
const slider = f.control('slider', 'depth', { label: 'Depth', min: 0, max: 5, step: 1 }, () => update());
f.acceptMesh((own) => { byHand = own; rebuild(); }, 2.4);
f.ui.legend('#4d8fd1', 'the mesh');
f.ui.legend('#e0a040', 'ball: which faces does it meet? Drag it');
f.ui.legend('#d8343c', 'boxes that meet the ball: they are opened');
f.ui.legend('#b3a6dd', 'all others of this depth: left out with all inside');
draggable(f, ball, () => {
  f.state.at = ball.position.toArray();
  f.save();
  update();
});

function rebuild() {
  choice.set(f.state.model);
  ball.position.fromArray(f.state.at);
  mesh = byHand ?? fitted(f.impinge, f.impinge.Mesh.generate(f.state.model, f.state.faces), 2.4);
  byHand = undefined;
  const bytes = f.time('build', () => mesh.buildIndex());
  levels = Array.from({ length: mesh.depth + 1 }, (_, depth) => {
    const corners = mesh.boxes(depth);
    return { corners, sizes: measured(corners) };
  });
  f.count('faces', mesh.faceCount);
  f.count('bytes of the tree', bytes);
  slider.range(0, mesh.depth);
  hull?.removeFromParent();
  hull = solid(mesh, COLOURS.a, { opacity: 0.8 });
  hull.visible = f.ui.structureButton.getAttribute('aria-pressed') !== 'true';
  f.scene.add(hull);
  update();
}

/** Of each box a corner, three edges of length one and how long they are: fifteen numbers. */
function measured(corners) {
  const out = new Float64Array((corners.length / 24) * 15);
  for (let box = 0; box < corners.length / 24; box++) {
    const low = corners.subarray(24 * box, 24 * box + 3);
    out.set(low, 15 * box);
    [1, 2, 4].forEach((corner, axis) => {
      const edge = low.map((x, k) => corners[24 * box + 3 * corner + k] - x);
      const length = Math.hypot(...edge) || 1;
      out.set(edge.map((x) => x / length), 15 * box + 3 + 3 * axis);
      out[15 * box + 12 + axis] = length;
    });
  }
  return out;
}

/** The numbers of the boxes of a level that come as near to the middle of the ball as it is large. */
function opened({ sizes }) {
  const [x, y, z] = f.state.at;
  const found = [];
  for (let o = 0; o < sizes.length; o += 15) {
    let squared = 0;
    for (let axis = 0; axis < 3; axis++) {
      const e = o + 3 + 3 * axis;
      // How far along this edge, and how far beyond its ends.
      const along = (x - sizes[o]) * sizes[e] + (y - sizes[o + 1]) * sizes[e + 1] + (z - sizes[o + 2]) * sizes[e + 2];
      squared += Math.max(0, -along, along - sizes[o + 12 + axis]) ** 2;
    }
    if (squared <= RADIUS * RADIUS) found.push(o / 15);
  }
  return found;
}

/** The edges of some boxes: thick lines, or thin ones where there are many. */
function edges(corners, numbers, colour, width) {
  const some = new Float64Array(24 * numbers.length);
  numbers.forEach((box, i) => some.set(corners.subarray(24 * box, 24 * box + 24), 24 * i));
  const thin = boxes(some, colour);
  return numbers.length > THICK ? thin : segments(thin.geometry.attributes.position.array, colour, width);
}

function update() {
  f.clear(group);
  const depth = Math.min(f.state.depth, mesh.depth);
  const { corners } = levels[depth];
  const count = corners.length / 24;
  const found = levels.map(opened);
  const isOpened = new Set(found[depth]);
  const left = [...Array(count).keys()].filter((box) => !isOpened.has(box));
  if (left.length) group.add(edges(corners, left, 0xb3a6dd, 1.5));
  if (isOpened.size) group.add(edges(corners, found[depth], COLOURS.hit, 3.5));
  f.count('depth', depth);
  f.count('boxes', count);
  f.count('faces a box', mesh.faceCount / count);
  f.count('boxes that meet the ball', isOpened.size);
  // A query looks at all children of a box that it opens, and at nothing below the others.
  const counts = levels.map((level) => level.corners.length / 24);
  const tested = counts.reduce((sum, boxesHere, level) => sum + Math.min(boxesHere, level ? 8 * found[level - 1].length : 1), 0);
  f.count('boxes of the whole tree', counts.reduce((sum, boxesHere) => sum + boxesHere));
  f.count('boxes tested by the query, at most', tested);
  f.answer(`${isOpened.size} of ${count.toLocaleString('en')} ${count === 1 ? 'box' : 'boxes'} opened at depth ${depth}`);
  f.invalidate();
}

rebuild();
f.done();
