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
  levels = Array.from({ length: mesh.depth + 1 }, (_, depth) => mesh.boxes(depth));
  f.count('faces', mesh.faceCount);
  f.count('bytes of the tree', bytes);
  slider.range(0, mesh.depth);
  hull?.removeFromParent();
  hull = solid(mesh, COLOURS.a, { opacity: 0.8 });
  hull.visible = f.ui.structureButton.getAttribute('aria-pressed') !== 'true';
  f.scene.add(hull);
  update();
}

/** Whether a box, given by the number of its first corner's first coordinate, comes as near to a point as the ball. */
function meets(corners, first, at) {
  let squared = 0;
  for (const corner of [1, 2, 4]) {
    // Along each edge of the box: how far the point is outside of it.
    const edge = [0, 1, 2].map((k) => corners[first + 3 * corner + k] - corners[first + k]);
    const length = Math.hypot(...edge) || 1;
    const along = [0, 1, 2].reduce((sum, k) => sum + (at[k] - corners[first + k]) * edge[k], 0) / length;
    squared += Math.max(0, -along, along - length) ** 2;
  }
  return squared <= RADIUS * RADIUS;
}

/** The corners of the boxes that meet the ball, and of those that do not. */
function parted(corners) {
  const parts = [[], []];
  for (let first = 0; first < corners.length; first += 24) {
    parts[meets(corners, first, f.state.at) ? 0 : 1].push(...corners.subarray(first, first + 24));
  }
  return parts;
}

function update() {
  f.clear(group);
  const depth = Math.min(f.state.depth, mesh.depth);
  const corners = levels[depth];
  const count = corners.length / 24;
  const [opened, left] = parted(corners);
  const edges = (of, colour, width) => {
    const thin = boxes(of, colour);
    return of.length > 24 * THICK ? thin : segments(thin.geometry.attributes.position.array, colour, width);
  };
  if (left.length) group.add(edges(left, 0xb3a6dd, 1.5));
  if (opened.length) group.add(edges(opened, COLOURS.hit, 3.5));
  f.count('depth', depth);
  f.count('boxes', count);
  f.count('faces a box', mesh.faceCount / count);
  f.count('boxes that meet the ball', opened.length / 24);
  // A query looks at all children of a box that it opens, and at nothing below the others.
  let tested = 0;
  let all = 0;
  let above = 1 / 8;
  for (const level of levels) {
    const inLevel = level.length / 24;
    all += inLevel;
    tested += Math.min(inLevel, 8 * above);
    above = parted(level)[0].length / 24;
  }
  f.count('boxes of the whole tree', all);
  f.count('boxes tested by the query, at most', tested);
  f.answer(`${opened.length / 24} of ${count.toLocaleString('en')} ${count === 1 ? 'box' : 'boxes'} opened at depth ${depth}`);
  f.invalidate();
}

rebuild();
f.done();
