// The boxes of a BVH by depth, and which of them a query opens.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, boxes, solid } from '../lib/draw.js';

const MODELS = ['torus-knot', 'spring', 'blob', 'castle', 'hand', 'gear', 'vase', 'terrain'];

const f = await frame({
  name: 'trees',
  eye: [1.7, -2.9, 1.7],
  state: { model: 'torus-knot', faces: 6000, depth: 2 },
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
let mesh;
let hull;
let byHand;

const choice = f.control('choice', 'model', { label: 'Mesh', options: MODELS }, () => rebuild());
f.control('slider', 'faces', { label: 'Faces', min: 200, max: 40000, step: 200 }, () => rebuild());
const slider = f.control('slider', 'depth', { label: 'Depth', min: 0, max: 5, step: 1 }, () => update());
f.acceptMesh((own) => { byHand = own; rebuild(); }, 2.4);
f.ui.legend('#4d8fd1', 'the mesh');
f.ui.legend('#7b61c9', 'boxes of one depth');

function rebuild() {
  choice.set(f.state.model);
  mesh = byHand ?? fitted(f.impinge, f.impinge.Mesh.generate(f.state.model, f.state.faces), 2.4);
  byHand = undefined;
  const bytes = f.time('build', () => mesh.buildIndex());
  f.count('faces', mesh.faceCount);
  f.count('bytes of the tree', bytes);
  slider.range(0, mesh.depth);
  hull?.removeFromParent();
  hull = solid(mesh, COLOURS.a, { opacity: 0.55 });
  f.scene.add(hull);
  update();
}

function update() {
  f.clear(group);
  const depth = Math.min(f.state.depth, mesh.depth);
  const corners = mesh.boxes(depth);
  const count = corners.length / 24;
  group.add(boxes(corners, COLOURS.box));
  f.count('depth', depth);
  f.count('boxes', count);
  f.count('faces a box', mesh.faceCount / count);
  f.answer(`${count.toLocaleString('en')} ${count === 1 ? 'box' : 'boxes'} at depth ${depth}`);
  f.invalidate();
}

rebuild();
f.done();
