// The distance of two meshes and the two points that have it.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, boxes, dots, segments, solid } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const MODELS = ['torus-knot', 'gear', 'blob', 'spring', 'mushroom', 'vase'];

const f = await frame({
  name: 'distance',
  eye: [1.5, -5.7, 2.2],
  target: [0.9, 0, 0],
  state: { a: 'torus-knot', b: 'gear', pose: [2.4, 0, 0.2, 0.3826834323650898, 0, 0, 0.9238795325112867], faces: 8000 },
  structure: (on) => { structure = on; update(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, Pair } = await load();
const a = Mesh.generate('${s.a}', ${s.faces}), b = Mesh.generate('${s.b}', ${s.faces});
const pair = new Pair(a.shape(), b.shape());     // keeps what the last answer taught it
const gap = pair.distance([${s.pose.map((x) => x.toFixed(3)).join(', ')}]);
gap.distance;                                    // 0 exactly when they intersect
gap.lower <= gap.distance;                       // proven bounds
gap.pointA; gap.pointB;                          // the two nearest points`,
  check: ({ Mesh, Pair }) => {
    const pair = new Pair(Mesh.generate('torus-knot', 4000).shape(), Mesh.generate('blob', 4000).shape());
    return [[5, 0, 0], [4.75, 0.5, 0.25], [4.5, 1, 0.5], [0.25, 0.125, 0]].map((at) => {
      const gap = pair.distance(at);
      return [gap.distance, gap.lower, gap.upper, gap.pointA, gap.pointB];
    });
  },
});

const group = { a: f.group(), b: f.group(), found: f.group() };
let pair;
let meshes = {};
let structure = false;

f.ui.legend('#4d8fd1', 'first mesh');
f.ui.legend('#e0a040', 'second mesh: drag it');
f.ui.legend('#22a06b', 'nearest points');
const choices = {};
for (const [key, label] of [['a', 'First'], ['b', 'Second']]) {
  choices[key] = f.control('choice', key, { label, options: MODELS }, () => rebuild());
}
f.control('slider', 'faces', { label: 'Faces of each mesh', min: 500, max: 80000, step: 500 }, () => rebuild());
f.acceptMesh((mesh) => rebuild(mesh), 2.4);
draggable(f, group.b, () => {
  f.state.pose = poseOf(group.b);
  f.save();
  update();
});

function rebuild(own) {
  const { Mesh, Pair } = f.impinge;
  for (const key of ['a', 'b']) {
    choices[key].set(f.state[key]);
    meshes[key] = key === 'a' && own ? own : fitted(f.impinge, Mesh.generate(f.state[key], f.state.faces), key === 'a' ? 2.4 : 1.8);
    f.clear(group[key]);
    group[key].add(solid(meshes[key], COLOURS[key]));
  }
  setPose(group.b, f.state.pose);
  pair = f.time('build', () => {
    const made = new Pair(meshes.a.shape(), meshes.b.shape());
    for (const mesh of Object.values(meshes)) mesh.buildIndex();
    return made;
  });
  update();
}

function update() {
  f.clear(group.found);
  const gap = f.time('distance', () => pair.distance(f.state.pose));
  f.count('distance', gap.distance);
  f.count('lower bound', gap.lower);
  f.count('upper bound', gap.upper);
  f.answer(gap.distance === 0 ? 'They intersect: distance 0' : `Distance ${gap.distance.toPrecision(5)}`);
  group.found.add(segments([...gap.pointA, ...gap.pointB], COLOURS.witness, 4, true));
  group.found.add(dots([...gap.pointA, ...gap.pointB], COLOURS.witness, 0.04));
  if (structure) {
    group.found.add(boxes(meshes.a.boxes(2), COLOURS.box));
    const placed = boxes(meshes.b.boxes(2), COLOURS.box);
    placed.applyMatrix4(group.b.matrixWorld);
    group.found.add(placed);
    f.count('boxes shown', (meshes.a.boxes(2).length + meshes.b.boxes(2).length) / 24);
  }
  f.invalidate();
}

rebuild();
f.done();
