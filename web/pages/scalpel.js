// A scalpel in a brain: exact contact of a long thin tool with 30 000 folded faces.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, boxes, curve, faces, segments, solid } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const f = await frame({
  name: 'scalpel',
  eye: [2.1, -2.8, 2.2],
  target: [0.15, -0.1, 0.3],
  state: { faces: 30000, seed: 1, volume: true, pose: [0.72, -0.58, 1.15, 0, -0.3984, -0.2561, 0.8808] },
  structure: (on) => { structure = on; update(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, Pair } = await load();
const brain = Mesh.generate('brain', ${s.faces}, ${s.seed});        // the seed draws the folds
const scalpel = Mesh.generate('scalpel', 1000);
const pair = new Pair(brain.shape(), scalpel.shape());
pair.intersects(pose);                           // exact
pair.curves(pose);                               // where the blade goes in
pair.distance(pose);                             // when it does not
pair.volume(pose);                               // how much of it is inside`,
  check: ({ Mesh, Pair }) => {
    const [brain, scalpel] = [Mesh.generate('brain', 3000, 1), Mesh.generate('scalpel', 1000)];
    const pair = new Pair(brain.shape(), scalpel.shape());
    return [[0.25, 0.25, 0.25], [0.125, 0, 0.5], [3, 0.5, 0.25]].map((at) => {
      const gap = pair.distance(at);
      return [pair.intersects(at), pair.intersections(at), pair.volume(at).volume, gap.distance, gap.pointA, gap.pointB];
    });
  },
});

const { Mesh, Pair } = f.impinge;
const group = { brain: f.group(), scalpel: f.group(), found: f.group() };
let structure = false;
let brain;
let pair;

f.control('slider', 'faces', { label: 'Faces of the brain', min: 1000, max: 80000, step: 1000 }, () => rebuild());
f.control('slider', 'seed', { label: 'Seed of the folds', min: 1, max: 40, step: 1 }, () => rebuild());
f.control('check', 'volume', { label: 'volume of the blade inside' }, () => update());
f.ui.legend('#d98c8c', 'brain');
f.ui.legend('#5c6b7a', 'scalpel: drag it');
f.ui.legend('#d8343c', 'faces and curve of the cut');
f.ui.legend('#22a06b', 'shortest way, when they are apart');

const scalpel = fitted(f.impinge, Mesh.generate('scalpel', 1000), 1.7);
const blade = { vertices: scalpel.vertices, faces: scalpel.faces };
group.scalpel.add(solid(scalpel, 0x5c6b7a, { smooth: false }));
const inBlade = new f.THREE.Group();
group.scalpel.add(inBlade);
setPose(group.scalpel, f.state.pose);
draggable(f, group.scalpel, () => {
  f.state.pose = poseOf(group.scalpel);
  f.save();
  update();
});

function rebuild() {
  const mesh = f.time('generate', () => fitted(f.impinge, Mesh.generate('brain', f.state.faces, f.state.seed), 2));
  brain = { vertices: mesh.vertices, faces: mesh.faces };
  f.clear(group.brain);
  group.brain.add(solid(mesh, 0xd98c8c, { opacity: 0.93 }));
  f.time('build the index', () => mesh.buildIndex());
  pair = new Pair(mesh.shape(), scalpel.shape());
  f.count('faces', mesh.faceCount + scalpel.faceCount);
  setPose(group.scalpel, f.state.pose);
  update();
}

function update() {
  const { pose } = f.state;
  f.clear(group.found);
  f.clear(inBlade);
  const hit = f.time('intersects', () => pair.intersects(pose));
  const pairs = f.time('all pairs of faces', () => pair.intersections(pose));
  const [inBrain, ofBlade] = [0, 1].map((side) => [...new Set(pairs.filter((_, i) => i % 2 === side))]);
  f.count('pairs of faces', pairs.length / 2);
  if (!hit) for (const name of ['closed curves', 'volume inside']) f.count(name, 0);
  group.found.add(faces(brain.vertices, brain.faces, inBrain, COLOURS.hit));
  inBlade.add(faces(blade.vertices, blade.faces, ofBlade, COLOURS.hit));
  if (hit) {
    const cuts = f.time('curve of the cut', () => pair.curves(pose));
    if (cuts.length) group.found.add(segments(cuts.flatMap(curve), COLOURS.curve, 3, true));
    f.count('closed curves', cuts.filter((cut) => cut.closed).length);
    f.answer(`The blade is in: ${pairs.length / 2} pairs of faces`);
    if (f.state.volume) f.count('volume inside', f.time('volume', () => pair.volume(pose)).volume);
    f.count('distance', 0);
  } else {
    const gap = f.time('distance', () => pair.distance(pose));
    group.found.add(segments([...gap.pointA, ...gap.pointB], COLOURS.witness, 4, true));
    f.count('distance', gap.distance);
    f.answer(`Apart by ${gap.distance.toPrecision(3)}`);
  }
  if (structure) {
    const [a, b] = f.time('overlapping boxes', () => pair.overlappingBoxes(pose));
    group.found.add(boxes(a, COLOURS.box));
    inBlade.add(boxes(b, COLOURS.box));
    f.count('box tests', pair.work(pose).boxTests);
  }
  f.invalidate();
}

rebuild();
f.done();
