// Two users at one table: you, and a simulated partner.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, segments, solid, spheres, thickArrow } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const KINDS = ['blob', 'torus-knot', 'gear'];
const PARTNERS = ['goes about', 'follows you', 'rests'];
/** A unit of the picture is ten centimetres. */
const SCALE = 10;
const SIZE = 0.09;
const HEIGHT = 0.06;
const PITCH = 0.105;
/** Of an arrow, in units for a newton. */
const FORCE = 0.2;
/** The longest arrow. */
const LONGEST = 1;
/** Ticks of a millisecond in a picture, at most. */
const MOST = 24;

const f = await frame({
  name: 'workspace',
  eye: [0.4, -3.9, 3.4], target: [0, 0, 0.3],
  state: { partner: PARTNERS[0], bodies: 6, balls: 80, budget: 20000 },
  structure: (on) => { isFilled = on; show(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Workspace, SphereTree } = await load();
const table = new Workspace(2, ${s.budget});              // two hands; tests in a tick for all pairs together
table.add(SphereTree.ofMesh(mesh, ${s.balls}), mass, inertia, pose);
table.grab(0, body, device);                     // you
table.grab(1, other, partner);                   // the other user
const forces = table.advance(16, before, now);   // 16 ms at 1000 Hz: what each hand feels
table.poses; table.contacts;`,
  check: ({ Workspace, SphereTree }) => {
    const at = [-2, -1, 0, 1, 2].flatMap((k) => [0.015625 * k, 0, 0]);
    const tree = new SphereTree(at, new Array(5).fill(0.0078125));
    const table = new Workspace(2, 500);
    for (const x of [0, 0.0875, 0.175]) table.add(tree, 0.25, 0.00025, [x, 0, 0.0625]);
    const matrix = (x, y, [a, b] = [1, 0]) => [a, b, 0, 0, 0 - b, a, 0, 0, 0, 0, 1, 0, x, y, 0.0625, 1];
    const from = [...matrix(0, 0), ...matrix(0.175, 0)];
    table.grab(0, 0, [0, 0, 0.0625]);
    table.grab(1, 2, [0.175, 0, 0.0625]);
    return [table.advance(160, from, [...matrix(0.0625, 0, [0.96, 0.28]), ...matrix(0.125, 0.015625)]), table.poses, table.contacts];
  },
});

const { Mesh, SphereTree, Workspace } = f.impinge;
const { THREE } = f;
const group = f.group();
const forces = f.group();
const hands = [f.group(), f.group()];
// The table, just below the floor that carries the bodies.
const top = new THREE.Mesh(new THREE.BoxGeometry(6, 4.6, 0.08), new THREE.MeshStandardMaterial({ color: 0x8d99a6, roughness: 0.9 }));
top.position.z = -0.04;
f.scene.add(top);
hands.forEach((hand, k) => {
  const material = new THREE.MeshStandardMaterial({ color: k ? COLOURS.witness : COLOURS.b, roughness: 0.5 });
  const drawn = new THREE.Mesh(new THREE.SphereGeometry(0.13, 32, 20), material);
  // A stick, so that its turn is seen.
  drawn.add(segments([0, 0, 0, 0.3, 0, 0], k ? COLOURS.witness : COLOURS.b, 6));
  hand.add(drawn);
});
let isFilled = false;
let table;
let bodies = [];
let held = [0, 1];
let before;
let ticks = 0;
let clock = 0;
const kinds = new Map();

f.ui.legend('#e0a040', 'your hand: drag it; click on a body to hold it');
f.ui.legend('#22a06b', "your partner's hand");
f.ui.legend('#4d8fd1', 'bodies that nobody holds');
f.ui.legend('#d8343c', 'contact forces');
const choice = f.control('choice', 'partner', { label: 'The partner', options: PARTNERS });
f.control('slider', 'bodies', { label: 'Bodies', min: 2, max: 12, step: 1 }, () => rebuild());
f.control('slider', 'balls', { label: 'Spheres of a body', min: 20, max: 400, step: 10 }, () => { kinds.clear(); rebuild(); });
f.control('slider', 'budget', { label: 'Tests in a tick', min: 500, max: 200000, step: 500 }, () => rebuild());
f.ui.button({ label: 'Begin again', press: () => rebuild() });
draggable(f, hands[0], () => {
  const p = hands[0].position;
  p.set(Math.max(-2.8, Math.min(2.8, p.x)), Math.max(-2.1, Math.min(2.1, p.y)), Math.max(0.3, p.z));
});

/** A mesh of nine centimetres and the spheres in it, made once. */
function kind(name) {
  if (!kinds.has(name)) {
    const mesh = fitted(f.impinge, Mesh.generate(name, 800), SIZE);
    kinds.set(name, { mesh, tree: f.time('filling', () => SphereTree.ofMesh(mesh, f.state.balls)) });
  }
  return kinds.get(name);
}

function rebuild() {
  choice.set(f.state.partner);
  table = new Workspace(2, f.state.budget);
  f.clear(group);
  const columns = Math.ceil(Math.sqrt(f.state.bodies));
  bodies = Array.from({ length: f.state.bodies }, (_, i) => {
    const { mesh, tree } = kind(KINDS[i % KINDS.length]);
    const at = [((i % columns) - (columns - 1) / 2) * PITCH, (Math.floor(i / columns) - 0.5) * PITCH, HEIGHT];
    table.add(tree, 0.2, 2e-4, at);
    const drawn = solid(mesh, COLOURS.a);
    drawn.add(spheres(tree.spheres, 'each', { detail: 1 }));
    const holder = new THREE.Group();
    holder.scale.setScalar(SCALE);
    holder.add(drawn);
    drawn.matrixAutoUpdate = false;
    group.add(holder);
    return { drawn, at };
  });
  held = [0, 1];
  held.forEach((body, k) => {
    hands[k].position.fromArray(bodies[body].at).multiplyScalar(SCALE);
    hands[k].quaternion.identity();
    table.grab(k, body, pose(hands[k]));
  });
  before = hands.flatMap(pose);
  ticks = 0;
  show();
}

/** A hand in metres. */
function pose(hand) {
  const m = new THREE.Matrix4().makeRotationFromQuaternion(hand.quaternion);
  m.setPosition(hand.position.clone().divideScalar(SCALE));
  return m.elements.slice();
}

/** The other user: a way of its own around the table, or after you. */
function lead(seconds) {
  const hand = hands[1];
  if (f.state.partner === 'rests') return;
  clock += seconds;
  const goal = f.state.partner === 'goes about'
    ? new THREE.Vector3(1.5 * Math.cos(0.8 * clock), 1.1 * Math.sin(1.3 * clock + 0.4), HEIGHT * SCALE)
    : hands[0].position.clone().setZ(HEIGHT * SCALE);
  hand.position.add(goal.sub(hand.position).clampLength(0, 2 * seconds));
  hand.rotateZ(0.5 * seconds);
}

function show(felt = new Float64Array(6)) {
  const poses = table.poses;
  bodies.forEach(({ drawn }, i) => {
    drawn.matrix.fromArray(poses, 16 * i);
    drawn.matrixWorldNeedsUpdate = true;
    const [skin] = [drawn.material];
    skin.color.set(held[0] === i ? COLOURS.b : held[1] === i ? COLOURS.witness : COLOURS.a);
    Object.assign(skin, { transparent: isFilled, opacity: isFilled ? 0.2 : 1, depthWrite: !isFilled });
    drawn.children[0].visible = isFilled;
  });
  f.clear(forces);
  const contacts = table.contacts;
  const pushes = bodies.map((_, i) => [...contacts.subarray(3 * i, 3 * i + 3)]);
  pushes.forEach((push, i) => {
    const size = Math.hypot(...push);
    if (size < 0.3) return;
    const part = Math.min(FORCE, LONGEST / size);
    const at = [0, 1, 2].map((k) => poses[16 * i + 12 + k] * SCALE);
    forces.add(thickArrow(at, push.map((x) => x * part), COLOURS.hit, { onTop: true }));
  });
  const sizes = [0, 1].map((k) => Math.hypot(...felt.subarray(3 * k, 3 * k + 3)));
  f.count('your hand feels, N', sizes[0]);
  f.count("the partner's feels, N", sizes[1]);
  f.count('bodies in contact', pushes.filter((push) => Math.hypot(...push) > 1e-6).length);
  f.count('ticks', ticks);
  const touching = held.every((body) => Math.hypot(...pushes[body]) > 1e-6);
  const some = pushes.some((push) => Math.hypot(...push) > 1e-6);
  f.answer(touching ? 'Both of you push' : some ? 'Bodies push each other' : 'Nothing touches');
  f.invalidate();
}

const ray = new THREE.Raycaster();
f.canvas.addEventListener('click', (event) => {
  const box = f.canvas.getBoundingClientRect();
  const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  ray.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), f.camera);
  if (ray.intersectObject(hands[0], true).length) return;
  const body = bodies.findIndex(({ drawn }, i) => i !== held[1] && ray.intersectObject(drawn, false).length);
  if (body < 0 || body === held[0]) return;
  held[0] = body;
  hands[0].position.setFromMatrixPosition(bodies[body].drawn.matrix).multiplyScalar(SCALE);
  table.grab(0, body, pose(hands[0]));
  before.splice(0, 16, ...pose(hands[0]));
});

f.animate((seconds) => {
  const count = Math.max(1, Math.min(MOST, Math.round(seconds * 1000)));
  lead(count / 1000);
  const now = hands.flatMap(pose);
  const felt = f.time('ticks of one picture', () => table.advance(count, before, now));
  before = now;
  ticks += count;
  show(felt);
  return true;
});
rebuild();
f.done();
