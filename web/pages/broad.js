// Nine broad phases find the same overlapping boxes among ten thousand.

import { frame } from '../lib/frame.js';
import { COLOURS } from '../lib/draw.js';

const SIDE = 20;

/** Numbers from 0 to 1 that are the same everywhere. */
function random(seed) {
  let x = seed >>> 0;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 4294967296;
  };
}

/** Boxes in a cube: positions, half sides and velocities. */
function bodies(count) {
  const next = random(7);
  const fill = (n, of) => Float64Array.from({ length: n }, of);
  return {
    at: fill(3 * count, () => (next() - 0.5) * SIDE),
    half: fill(3 * count, () => 0.06 + 0.12 * next()),
    speed: fill(3 * count, () => (next() - 0.5) * 4),
  };
}

function move({ at, speed }, seconds) {
  for (let i = 0; i < at.length; i++) {
    at[i] += speed[i] * seconds;
    if (Math.abs(at[i]) > SIDE / 2) speed[i] = -Math.sign(at[i]) * Math.abs(speed[i]);
  }
}

function bounds({ at, half }, boxes) {
  for (let i = 0; i < at.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      boxes[2 * i + k] = at[i + k] - half[i + k];
      boxes[2 * i + 3 + k] = at[i + k] + half[i + k];
    }
  }
  return boxes;
}

const f = await frame({
  name: 'broad',
  eye: [25, -33, 19], target: [0, 0, -1],
  state: { kind: 'aabb-tree', count: 10000, all: false, solids: false, run: true },
  update: () => rebuild(),
  code: (s) => s.solids ? `import { load } from 'impinge';
const { World, Shape } = await load();
const world = new World();                       // reports where contact begins and ends
world.setBroadPhase('${s.kind}');
const body = world.add(Shape.cuboid(a, b, c));   // or balls, cylinders, meshes…
world.setPoses(bodies, poses);                   // sixteen numbers each
world.step();                                    // [{ kind: 'contact-begin', a, b }, …]` : `import { load } from 'impinge';
const { BroadPhase } = await load();
const broad = new BroadPhase('${s.kind}');      // ${'BroadPhase.names()'} lists all nine
broad.update(boxes);                             // six numbers a body: smallest corner, largest corner
broad.pairs();                                   // every two that overlap: the same for each kind
broad.tests;                                     // box tests so far`,
  check: ({ BroadPhase }) => {
    const world = bodies(1500);
    const boxes = new Float64Array(6 * 1500);
    const all = BroadPhase.names().map((name) => new BroadPhase(name));
    const answers = [];
    for (let frame = 0; frame < 3; frame++) {
      bounds(world, boxes);
      for (const broad of all) {
        broad.update(boxes);
        const pairs = broad.pairs();
        answers.push(pairs.length, pairs.reduce((sum, x, i) => (sum * 31 + x + i) % 4294967296, 0));
      }
      move(world, 0.125);
    }
    return answers;
  },
});

const { THREE } = f;
const { World, Shape } = f.impinge;
const names = f.impinge.BroadPhase.names();
let world;
let boxes;
let phases = new Map();
let cloud;
let tumbling;

const choice = f.control('choice', 'kind', { label: 'Broad phase', options: names }, () => {
  tumbling?.world.setBroadPhase(f.state.kind);
  step(0);
});
f.control('slider', 'count', { label: 'Bodies', min: 100, max: 20000, step: 100 }, () => rebuild());
f.control('check', 'all', { label: 'time all nine, side by side' });
f.control('check', 'solids', { label: 'tumble: turn them, and test the solids' }, () => rebuild());
f.control('check', 'run', { label: 'move' });
f.ui.legend('#8fa3b8', 'alone');
f.ui.legend('#d8343c', 'box overlaps another');

function rebuild() {
  choice.set(f.state.kind);
  for (const phase of phases.values()) phase.free();
  phases = new Map();
  world = bodies(f.state.count);
  tumbling?.world.free();
  tumbling = f.state.solids ? tumble() : null;
  boxes = new Float64Array(6 * f.state.count);
  cloud?.removeFromParent();
  cloud?.dispose();
  const material = new THREE.MeshLambertMaterial();
  cloud = new THREE.InstancedMesh(new THREE.BoxGeometry(2, 2, 2), material, f.state.count);
  cloud.setColorAt(0, new THREE.Color());
  f.scene.add(cloud);
  step(0);
}

/** The same bodies as solid boxes that turn about axes of their own. */
function tumble() {
  const next = random(11);
  const made = new World();
  made.setBroadPhase(f.state.kind);
  // So that as many meet as among ten thousand.
  const larger = Math.cbrt(10000 / f.state.count);
  for (let i = 0; i < world.half.length; i++) world.half[i] *= larger;
  const ids = Float64Array.from({ length: f.state.count }, (_, i) => made.add(Shape.cuboid(...world.half.subarray(3 * i, 3 * i + 3))));
  const axes = Array.from(ids, () => new THREE.Vector3(next() - 0.5, next() - 0.5, next() - 0.5).normalize());
  return { world: made, ids, axes, rates: axes.map(() => 3 * next()), poses: new Float64Array(16 * ids.length), time: 0, met: new Map() };
}

/** Places all bodies; events keep the number of others that each touches. */
function stepSolids(seconds) {
  tumbling.time += seconds;
  const { ids, axes, rates, poses, met, time } = tumbling;
  const matrix = new THREE.Matrix4();
  for (let i = 0; i < ids.length; i++) {
    matrix.makeRotationAxis(axes[i], rates[i] * time).setPosition(...world.at.subarray(3 * i, 3 * i + 3));
    poses.set(matrix.elements, 16 * i);
  }
  const events = f.time('exact contacts', () => { tumbling.world.setPoses(ids, poses); return tumbling.world.step(); });
  for (const { kind, a, b } of events) {
    const change = kind === 'contact-begin' ? 1 : -1;
    for (const id of [a, b]) met.set(id, (met.get(id) ?? 0) + change);
    tumbling.pairs = (tumbling.pairs ?? 0) + change;
  }
  f.count('pairs that touch', tumbling.pairs ?? 0);
  f.answer(`${(tumbling.pairs ?? 0).toLocaleString('en')} pairs of ${f.state.count.toLocaleString('en')} solids touch`);
  draw({ has: (i) => met.get(ids[i]) > 0 });
}

function ask(name) {
  if (!phases.has(name)) phases.set(name, new f.impinge.BroadPhase(name));
  const phase = phases.get(name);
  return f.time(name, () => {
    phase.update(boxes);
    return phase.pairs();
  });
}

function step(seconds) {
  move(world, seconds);
  if (tumbling) return stepSolids(seconds);
  bounds(world, boxes);
  const pairs = ask(f.state.kind);
  if (f.state.all) for (const name of names) if (name !== f.state.kind) ask(name);
  f.count('pairs', pairs.length / 2);
  f.count('box tests so far', phases.get(f.state.kind).tests);
  f.count('bytes', phases.get(f.state.kind).bytes);
  f.answer(`${(pairs.length / 2).toLocaleString('en')} pairs among ${f.state.count.toLocaleString('en')} bodies`);
  draw(new Set(pairs));
}

function draw(touching) {
  const matrices = cloud.instanceMatrix.array;
  const colours = cloud.instanceColor.array;
  const hit = new THREE.Color(COLOURS.hit);
  const calm = new THREE.Color(0x8fa3b8);
  for (let i = 0; i < f.state.count; i++) {
    const m = 16 * i;
    for (let k = 0; k < 3; k++) {
      const size = world.half[3 * i + k];
      if (tumbling) for (let j = 0; j < 3; j++) matrices[m + 4 * k + j] = tumbling.poses[m + 4 * k + j] * size;
      else matrices[m + 5 * k] = size;
      matrices[m + 12 + k] = world.at[3 * i + k];
    }
    matrices[m + 15] = 1;
    const { r, g, b } = touching.has(i) ? hit : calm;
    colours[3 * i] = r; colours[3 * i + 1] = g; colours[3 * i + 2] = b;
  }
  cloud.instanceMatrix.needsUpdate = true;
  cloud.instanceColor.needsUpdate = true;
  f.invalidate();
}

f.animate((seconds) => {
  if (!f.state.run) return false;
  step(seconds);
  return true;
});
rebuild();
f.done();
