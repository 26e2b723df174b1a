// Drag one shape into another: where they meet.

import { frame } from '../lib/frame.js';
import { COLOURS, arrow, boxes, curve, dots, faces, segments, solid } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const KINDS = ['torus knot', 'bunny blob', 'gear', 'ball', 'box', 'cone', 'cylinder', 'capsule', 'mesh ball'];

function make({ Mesh, Shape }, kind, detail) {
  switch (kind) {
    case 'ball': return Shape.ball(0.8);
    case 'box': return Shape.cuboid(0.8, 0.6, 0.5);
    case 'cone': return Shape.cone(0.8, 0.7);
    case 'cylinder': return Shape.cylinder(0.8, 0.5);
    case 'capsule': return Shape.capsule([-0.6, 0, 0], [0.6, 0, 0], 0.4);
    case 'bunny blob': return Mesh.generate('blob', detail).shape();
    case 'gear': return scaled(Mesh, Mesh.generate('gear', detail), 1.5).shape();
    case 'mesh ball': return Mesh.generate('icosphere', detail).shape();
    default: return scaled(Mesh, Mesh.generate('torus-knot', detail)).shape();
  }
}

/** The mesh with a longest side of so many metres. */
function scaled(Mesh, mesh, side = 2.5) {
  const [x, y, z, X, Y, Z] = mesh.bounds;
  const factor = side / Math.max(X - x, Y - y, Z - z);
  return new Mesh(mesh.vertices.map((v) => v * factor), mesh.faces);
}

let pair;
let shown = {};
let timer;

const f = await frame({
  name: 'touch',
  eye: [1.9, -3.4, 1.9],
  state: {
    a: 'torus knot', b: 'gear', pose: [1, -0.35, 0.15, 0.3826834323650898, 0, 0, 0.9238795325112867],
    faces: 4000, depth: true, volume: true,
  },
  structure: (on) => { shown.structure = on; update(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, Shape, Pair } = await load();
const pair = new Pair(a, b);                     // two shapes of any kinds: ${s.a}, ${s.b}
const pose = [${s.pose.map((x) => x.toFixed(3)).join(', ')}];
pair.intersects(pose);                           // exact for meshes
pair.intersections(pose);                        // all pairs of faces that share a point
pair.curves(pose);                               // the polylines in which surfaces meet
pair.contacts(pose);                             // { depth, pointA, pointB, normal, patch }
pair.penetration(pose);                          // the shortest way out
pair.volume(pose);                               // the shared volume, its centroid and derivative`,
  check: ({ Mesh, Shape, Pair }) => {
    const knot = Mesh.generate('torus-knot', 2000);
    const gear = Mesh.generate('gear', 2000);
    const meshes = new Pair(knot.shape(), gear.shape());
    const at = [1.5, 0.25, 0.125];
    const pairs = meshes.intersections(at);
    const round = new Pair(Shape.cone(0.75, 0.5), Shape.capsule([-0.5, 0, 0], [0.5, 0, 0], 0.25));
    const deep = round.penetration([0.25, 0.125, 0.25]);
    const gap = round.distance([2, 1, 0.5]);
    return [
      meshes.intersects(at), pairs.length, pairs, meshes.curves(at).map((c) => [c.closed, c.points]),
      deep.depth, deep.normal, gap.distance, gap.pointA, gap.pointB,
    ];
  },
});

const group = { a: f.group(), b: f.group(), found: f.group(), boxesB: new f.THREE.Group() };
f.ui.legend('#4d8fd1', 'first shape');
f.ui.legend('#e0a040', 'second shape: drag it');
f.ui.legend('#d8343c', 'faces that intersect');
f.ui.legend('#22a06b', 'contact points, shortest way out');

const choose = (key) => f.control('choice', key, { label: key === 'a' ? 'First' : 'Second', options: KINDS }, () => rebuild());
const choices = { a: choose('a'), b: choose('b') };
f.control('slider', 'faces', { label: 'Faces of each mesh', min: 500, max: 80000, step: 500 }, () => rebuild());
f.control('check', 'depth', { label: 'penetration depth' }, () => update());
f.control('check', 'volume', { label: 'shared volume' }, () => update());
f.acceptMesh((mesh) => rebuild(mesh), 2.5);
draggable(f, group.b, () => {
  f.state.pose = poseOf(group.b);
  f.save();
  update();
});

function rebuild(own) {
  const { Pair } = f.impinge;
  for (const key of ['a', 'b']) choices[key].set(f.state[key]);
  const a = own ? own.shape() : make(f.impinge, f.state.a, f.state.faces);
  const b = make(f.impinge, f.state.b, f.state.faces);
  shown = { ...shown, a: a.toMesh(), b: b.toMesh() };
  shown.isMesh = [a.kind === 'mesh', b.kind === 'mesh'];
  for (const key of ['a', 'b']) {
    f.clear(group[key]);
    group[key].add(solid(shown[key], COLOURS[key], { opacity: 0.82, smooth: shown[key].faceCount > 100 }));
    shown[`${key}Vertices`] = shown[key].vertices;
    shown[`${key}Faces`] = shown[key].faces;
  }
  group.b.add(group.boxesB);
  setPose(group.b, f.state.pose);
  pair = f.time('build', () => new Pair(a, b));
  update();
}

/** Open meshes and some kinds of shapes have no depth or volume: the package says why. */
function attempt(run) {
  try {
    return run();
  } catch (why) {
    f.ui.error(why.message);
    return undefined;
  }
}

function update() {
  const pose = f.state.pose;
  f.clear(group.found);
  f.clear(group.boxesB);
  f.ui.error('');
  const hit = f.time('intersects', () => pair.intersects(pose));
  const meshes = shown.isMesh[0] && shown.isMesh[1];
  if (meshes) {
    const pairs = f.time('all pairs of faces', () => pair.intersections(pose));
    f.count('pairs of faces', pairs.length / 2);
    const [inA, inB] = [0, 1].map((side) => [...new Set(pairs.filter((_, i) => i % 2 === side))]);
    group.found.add(faces(shown.aVertices, shown.aFaces, inA, COLOURS.hit));
    group.boxesB.add(faces(shown.bVertices, shown.bFaces, inB, COLOURS.hit));
    const curves = f.time('curve', () => pair.curves(pose));
    if (curves.length) group.found.add(segments(curves.flatMap(curve), COLOURS.curve, 3, true));
  } else {
    f.count('pairs of faces', 0);
  }
  f.answer(hit ? 'They intersect.' : 'They are apart.');
  if (!hit) for (const name of ['shared volume', 'depth']) f.count(name, 0);
  if (hit && f.state.volume) {
    const shared = attempt(() => f.time('volume', () => pair.volume(pose)));
    if (shared) f.count('shared volume', shared.volume);
  }
  if (shown.structure && meshes) {
    const [a, b] = f.time('overlapping boxes', () => pair.overlappingBoxes(pose));
    group.found.add(boxes(a, COLOURS.box));
    group.boxesB.add(boxes(b, COLOURS.box));
    f.count('overlapping boxes', (a.length + b.length) / 24);
    f.count('box tests', pair.work(pose).boxTests);
  }
  f.invalidate();
  clearTimeout(timer);
  timer = setTimeout(() => atRest(pose, hit), 90);
}

/** What takes longer waits until the hand rests. */
function atRest(pose, hit) {
  const contacts = f.time('contacts', () => pair.contacts(pose, 0));
  f.count('contact points', contacts.count);
  if (contacts.count) group.found.add(dots(contacts.pointA, COLOURS.witness, 0.015));
  if (hit && f.state.depth) {
    const deep = attempt(() => f.time('depth', () => pair.penetration(pose)));
    if (deep) {
      f.count('depth', deep.depth);
      group.found.add(arrow(deep.pointB, deep.normal.map((x) => x * Math.max(deep.depth, 1e-3)), COLOURS.witness));
      f.answer(`They intersect, ${deep.depth.toPrecision(3)} deep`);
    }
  }
  f.invalidate();
}

rebuild();
f.done();
