// Virtual buttons on a panel, worked by a hand of sixteen parts.

import { frame } from '../lib/frame.js';
import { COLOURS, boxes, segments, solid } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const PITCH = 0.36;
const HALF = [0.15, 0.15, 0.05];
const PRESS = 0.04;
const HANDS = ['forefinger stretched', 'all fingers stretched'];
/** Over the keys, where the tip waits. */
const HOVER = 0.22;
const TILT = 0.6;
const SIZE = 0.55;

const f = await frame({
  name: 'buttons',
  eye: [1.5, -2.2, 2.1], target: [0, -0.15, 0.2],
  state: { hand: HANDS[0], at: [-0.36, 0, HOVER + HALF[2]] },
  structure: (on) => { frames.visible = on; outline(); f.invalidate(); },
  update: () => rebuild(),
  code: () => `import { load } from 'impinge';
const { ButtonPanel, handParts } = await load();
const panel = new ButtonPanel();
for (const part of handParts('whole-hand', 1)) panel.addFinger(part);
panel.addButton(key, pose, [0, 0, 1], ${PRESS}, 0.01);   // axis, depth that presses, gap that lets go
panel.update(posesOfAllParts, seconds);          // which buttons are pressed
panel.events();                                  // [button, 1 or 0, ...]: no tap is missed, however fast`,
  check: ({ Mesh, ButtonPanel, handParts }) => {
    const panel = new ButtonPanel();
    const parts = handParts('whole-hand', 1);
    for (const part of parts) panel.addFinger(part);
    const key = Mesh.generate('icosphere', 80);
    for (const x of [-0.25, 0, 3]) panel.addButton(key, [x, 0, -1.5], [0, 0, 1], 0.125, 0.0625);
    return Array.from({ length: 24 }, (_, tick) => {
      const z = 0.125 - 0.0625 * (tick < 12 ? tick : 24 - tick);
      const poses = parts.flatMap(() => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, z, 1]);
      return [panel.update(poses, tick), panel.events()];
    });
  },
});

const { Shape, ButtonPanel, handParts } = f.impinge;
const { THREE } = f;
const hand = f.group();
const frames = f.group();
frames.visible = false;
const parts = handParts('whole-hand', SIZE).map((mesh) => ({ mesh, bounds: mesh.bounds }));
const key = Shape.cuboid(...HALF).toMesh();
const panel = new ButtonPanel();
for (const { mesh } of parts) panel.addFinger(mesh);
const keys = KEYS.map((name, i) => {
  const at = [(i % 3 - 1) * PITCH, (1.5 - Math.floor(i / 3)) * PITCH, 0];
  panel.addButton(key, at, [0, 0, 1], PRESS, 0.01);
  const drawn = solid(key, 0xd9dee5, { smooth: false });
  drawn.position.fromArray(at);
  drawn.add(label(name));
  f.scene.add(drawn);
  return { name, at, drawn };
});
const plate = solid(Shape.cuboid(0.62, 0.8, 0.03).toMesh(), 0x53606e, { smooth: false });
plate.position.z = -0.1;
f.scene.add(plate);
f.scene.add(frames);

let typed = '';
let events = 0;
let taps = 0;
/** Whether the hand was above all keys, and where it was then if the panel does not know. */
let wasHigh = false;
let passed = null;
/** Places that the hand goes to, one after the other. */
let way = [];
const began = performance.now();

f.ui.legend('#4d8fd1', 'hand: drag it, or click on a key');
f.ui.legend('#22a06b', 'pressed');
const choice = f.control('choice', 'hand', { label: 'Hand', options: HANDS }, () => rebuild());
f.ui.button({ label: 'Tap (space)', press: () => tap() });
f.ui.button({ label: 'Clear', press: () => { typed = ''; move(); } });

function label(name) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
  const c = canvas.getContext('2d');
  Object.assign(c, { font: '600 44px system-ui, sans-serif', textAlign: 'center', textBaseline: 'middle', fillStyle: '#1c2733' });
  c.fillText(name, 32, 34);
  const texture = new THREE.CanvasTexture(canvas);
  const face = new THREE.Mesh(new THREE.PlaneGeometry(0.22, 0.22), new THREE.MeshBasicMaterial({ map: texture, transparent: true }));
  face.position.z = HALF[2] + 0.002;
  return face;
}

/** Where each part is in the frame of the stretched finger's tip: joints of the other fingers bend towards the palm. */
function bent() {
  const tip = parts[6].bounds;
  const origin = new THREE.Matrix4().makeTranslation(-(tip[0] + tip[3]) / 2, -(tip[1] + tip[4]) / 2, -tip[2]);
  let before = new THREE.Matrix4();
  return parts.map(({ bounds }, k) => {
    const own = new THREE.Matrix4();
    if (k > 0 && f.state.hand === HANDS[0] && Math.ceil(k / 3) !== 2) {
      if (k % 3 === 1) before = new THREE.Matrix4();
      const joint = [(bounds[0] + bounds[3]) / 2, (bounds[1] + bounds[4]) / 2, bounds[5]];
      const bend = k < 4 ? 0.35 : [1.35, 1.5, 0.9][(k - 1) % 3];
      const back = new THREE.Matrix4().makeTranslation(...joint.map((x) => -x));
      own.makeTranslation(...joint).multiply(new THREE.Matrix4().makeRotationX(-bend)).multiply(back);
      own.premultiply(before);
      before = own;
    }
    return own.clone().premultiply(origin);
  });
}

function rebuild() {
  choice.set(f.state.hand);
  f.clear(hand);
  hand.rotation.set(TILT, 0, 0);
  hand.position.fromArray(f.state.at);
  bent().forEach((matrix, k) => {
    const drawn = solid(parts[k].mesh, COLOURS.a);
    drawn.matrixAutoUpdate = false;
    drawn.matrix.copy(matrix);
    hand.add(drawn);
  });
  move(true);
}

/** The height of the lowest box of a part. */
const lowest = () => Math.min(...hand.children.map((part, k) => {
  const [x, y, z, X, Y, Z] = parts[k].bounds;
  return new THREE.Box3(new THREE.Vector3(x, y, z), new THREE.Vector3(X, Y, Z)).applyMatrix4(part.matrixWorld).min.z;
}));

/** Tells the panel where the sixteen parts are now. A hand that stays above all keys need not be told until it comes down. */
function move(isNew = false) {
  hand.updateMatrixWorld(true);
  const poses = hand.children.flatMap((part) => part.matrixWorld.elements.slice());
  const isHigh = lowest() > HALF[2] + 0.02;
  const feed = (all) => f.time('panel, all parts', () => panel.update(rigid(all), (performance.now() - began) / 1000));
  let pressed = new Uint8Array(keys.length);
  if (isHigh && wasHigh && !isNew) {
    passed = poses;
  } else {
    if (passed) feed(passed);
    passed = null;
    pressed = feed(poses);
  }
  wasHigh = isHigh;
  const found = panel.events();
  for (let i = 0; i < found.length; i += 2) {
    events += 1;
    if (found[i + 1]) typed = (typed + KEYS[found[i]]).slice(-12);
  }
  keys.forEach(({ drawn }, i) => {
    drawn.position.z = pressed[i] ? -PRESS : 0;
    drawn.material.color.set(pressed[i] ? COLOURS.witness : 0xd9dee5);
  });
  f.count('parts of the hand', parts.length);
  f.count('pairs of part and key', parts.length * keys.length);
  f.count('pressed now', pressed.reduce((sum, x) => sum + x, 0));
  f.count('events', events);
  f.count('taps', taps);
  f.answer(typed ? `Typed ${typed}` : 'Press a key');
  outline();
  f.invalidate();
}

/** Last rows without rounding: what three.js multiplies stays affine. */
const rigid = (poses) => poses.map((x, i) => (i % 4 === 3 ? (i % 16 === 15 ? 1 : 0) : x));

/** The boxes of the parts, and the axes of the keys. */
function outline() {
  if (!frames.visible) return;
  f.clear(frames);
  hand.children.forEach((part, k) => {
    const b = parts[k].bounds;
    const corners = Array.from({ length: 8 }, (_, c) => [0, 1, 2].map((i) => b[i + (c & (1 << i) ? 3 : 0)])).flat();
    const drawn = boxes(corners, COLOURS.box);
    drawn.applyMatrix4(part.matrixWorld);
    frames.add(drawn);
  });
  frames.add(segments(keys.flatMap(({ at }) => [...at, at[0], at[1], 0.2]), COLOURS.curve, 2));
}

function moved() {
  // A hand of this weight does not go through the panel.
  hand.position.z = Math.max(hand.position.z, HALF[2] - 0.08);
  f.state.at = hand.position.toArray();
  f.save();
  move();
}
draggable(f, hand, () => { way = []; hand.rotation.set(TILT, 0, 0); moved(); });

/** Down and up again between two pictures: too fast to be seen, yet both events come. */
function tap() {
  taps += 1;
  const z = hand.position.z;
  hand.position.z = HALF[2] - PRESS - 0.015;
  move();
  hand.position.z = z;
  move();
}
addEventListener('keydown', (event) => {
  if (event.key !== ' ' || event.target.matches?.('input, select, button')) return;
  event.preventDefault();
  tap();
});
const ray = new THREE.Raycaster();
f.canvas.addEventListener('click', (event) => {
  const box = f.canvas.getBoundingClientRect();
  const [across, down] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  ray.setFromCamera(new THREE.Vector2(2 * across - 1, 1 - 2 * down), f.camera);
  if (ray.intersectObject(hand, true).length) return;
  const hit = keys.find(({ drawn }) => ray.intersectObject(drawn, true).length);
  if (!hit) return;
  const [x, y] = hit.at;
  way = [[x, y, HALF[2] + HOVER], [x, y, HALF[2] - PRESS - 0.015], [x, y, HALF[2] + HOVER]];
});

f.animate((seconds) => {
  if (!way.length) return false;
  const to = new THREE.Vector3(...way[0]).sub(hand.position);
  const step = 3 * Math.min(seconds, 0.05);
  if (to.length() <= step) way.shift();
  hand.position.add(to.clampLength(0, step));
  moved();
  return true;
});
rebuild();
f.done();
