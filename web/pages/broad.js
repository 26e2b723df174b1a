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
  eye: [22, -29, 18],
  state: { kind: 'aabb-tree', count: 10000, all: false, run: true },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
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
const names = f.impinge.BroadPhase.names();
let world;
let boxes;
let phases = new Map();
let cloud;

const choice = f.control('choice', 'kind', { label: 'Broad phase', options: names }, () => step(0));
f.control('slider', 'count', { label: 'Bodies', min: 100, max: 20000, step: 100 }, () => rebuild());
f.control('check', 'all', { label: 'time all nine, side by side' });
f.control('check', 'run', { label: 'move' });
f.ui.legend('#8fa3b8', 'alone');
f.ui.legend('#d8343c', 'box overlaps another');

function rebuild() {
  choice.set(f.state.kind);
  for (const phase of phases.values()) phase.free();
  phases = new Map();
  world = bodies(f.state.count);
  boxes = new Float64Array(6 * f.state.count);
  cloud?.removeFromParent();
  cloud?.dispose();
  const material = new THREE.MeshLambertMaterial();
  cloud = new THREE.InstancedMesh(new THREE.BoxGeometry(2, 2, 2), material, f.state.count);
  cloud.setColorAt(0, new THREE.Color());
  f.scene.add(cloud);
  step(0);
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
      matrices[m + 5 * k] = world.half[3 * i + k];
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
