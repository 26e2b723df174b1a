// A clash viewer: all pairs of parts that collide, the worst first.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, boxes, dots, solid } from '../lib/draw.js';

const KINDS = ['duplicate', 'crossing', 'contained', 'touching', 'clearance'];

/** A small gear train with mistakes in it. */
function sample(impinge) {
  const { Assembly, Mesh, Shape } = impinge;
  const sized = (name, faces, size) => fitted(impinge, Mesh.generate(name, faces), size);
  const box = (x, y, z) => Shape.cuboid(x / 2, y / 2, z / 2).toMesh();
  const [gear, pinion, shaft] = [sized('gear', 3000, 2), sized('gear', 1500, 1.1), Shape.cylinder(0.9, 0.12).toMesh(32)];
  const [screw, spring] = [sized('screw', 3000, 0.9), sized('spring', 2000, 1)];
  const parts = [
    ['base plate', box(5, 2.6, 0.2), 0, 0, -0.6],
    ['left wheel', gear, -1.25, 0, 0],
    ['middle wheel', gear, 0.72, 0, 0],
    ['pinion', pinion, 2.15, 0, 0],
    ['left shaft', shaft, -1.25, 0, 0],
    ['middle shaft', shaft, 0.72, 0.06, 0],
    ['pinion shaft', shaft, 2.15, 0, 0],
    ['bracket', box(0.3, 1.6, 0.5), -0.25, 0.95, 0.1],
    ['screw 1', screw, -2.2, -1, -0.5],
    ['screw 2', screw, 2.2, -1, -0.5],
    ['screw 2, once more', screw, 2.2, -1, -0.5],
    ['spring', spring, -2.1, 0.95, 0],
    ['casing', sized('icosphere', 1280, 0.7), 1.5, 1, 0.1],
    ['bearing ball', sized('icosphere', 320, 0.25), 1.5, 1, 0.15],
    ['cover', box(1.4, 0.2, 0.9), 1.5, -1.25, -0.05],
  ];
  const assembly = new Assembly();
  for (const [name, mesh, ...place] of parts) assembly.add(name, mesh, place);
  return assembly;
}

const f = await frame({
  name: 'clash',
  eye: [3.2, -5.6, 3.8],
  state: { clearance: 0.02, chosen: 0 },
  structure: (on) => { frames.visible = on; },
  update: () => { find(); },
  code: (s) => `import { load } from 'impinge';
const { Assembly } = await load();
const parts = Assembly.fromBytes(bytes, 'plant.glb');
for (const clash of parts.clashes(${s.clearance})) {         // the most severe first
  console.log(parts.names[clash.a], parts.names[clash.b], clash.kind, clash.depth ?? clash.distance);
}`,
  check: ({ Assembly, Mesh }) => {
    const [gear, ball] = [Mesh.generate('gear', 800), Mesh.generate('icosphere', 320)];
    const parts = new Assembly();
    parts.add('a', gear);
    parts.add('b', gear, [1.5, 0.25, 0.0625]);
    for (const [name, x, z] of [['c', 0, 4], ['d', 0, 4], ['e', 9, 0], ['f', 11.0625, 0]]) parts.add(name, ball, [x, 0, z]);
    return parts.clashes(0.125).map((c) => [c.a, c.b, KINDS.indexOf(c.kind), c.depth ?? [], c.distance, c.pointA, c.pointB]);
  },
});

const { THREE } = f;
const { Assembly } = f.impinge;
const group = f.group();
const marks = f.group();
const frames = f.group();
frames.visible = false;
let assembly;
let names;
let clashes = [];
let solids = [];

f.control('slider', 'clearance', { label: 'Clearance', min: 0, max: 0.3, step: 0.005 }, () => find());
f.ui.button({ label: 'Next clash', press: () => choose(f.state.chosen + 1) });
f.ui.button({ label: 'Look at everything', press: () => overview() });
const list = document.createElement('ol');
list.style.cssText = 'margin:0;padding-left:2em;display:flex;flex-direction:column;gap:2px;max-height:46vh;overflow:auto';
document.querySelector('aside .answer').after(list);
f.ui.legend('#4d8fd1', 'first part');
f.ui.legend('#e0a040', 'second part');
f.ui.legend('#d8343c', 'where they clash');
f.acceptFile((bytes, name) => open(Assembly.fromBytes(bytes, name)));
addEventListener('keydown', (event) => {
  if (event.target.matches?.('input, select')) return;
  const step = { n: 1, p: -1 }[event.key];
  if (step) choose(f.state.chosen + step);
});

function open(given) {
  assembly = given;
  names = assembly.names;
  const poses = assembly.poses;
  f.clear(group);
  f.clear(frames);
  solids = names.map((_, i) => {
    const mesh = assembly.mesh(i);
    const drawn = solid(mesh, 0x9aa7b4, { smooth: false });
    drawn.matrixAutoUpdate = false;
    drawn.matrix.fromArray(poses, 16 * i);
    const edges = boxes(mesh.boxes(0), COLOURS.box);
    edges.matrixAutoUpdate = false;
    edges.matrix.copy(drawn.matrix);
    frames.add(edges);
    group.add(drawn);
    return drawn;
  });
  f.count('parts', names.length);
  f.ui.error(assembly.notes.join(' '));
  find();
  overview();
}

function find() {
  clashes = f.time('all clashes', () => assembly.clashes(f.state.clearance || undefined));
  f.count('clashes', clashes.length);
  list.replaceChildren(...clashes.slice(0, 100).map((clash, i) => {
    const row = document.createElement('li');
    const button = Object.assign(document.createElement('button'), { type: 'button', onclick: () => choose(i) });
    button.style.cssText = 'width:100%;text-align:left;font-size:13.5px';
    const size = clash.depth ? `${clash.depth[0].toPrecision(2)} deep` : `${clash.distance.toPrecision(2)} apart`;
    button.textContent = `${names[clash.a]} × ${names[clash.b]}: ${clash.kind}, ${size}`;
    row.append(button);
    return row;
  }));
  f.answer(clashes.length ? `${clashes.length} clashes, the worst first` : 'Nothing clashes');
  f.state.chosen = Math.min(f.state.chosen, Math.max(0, clashes.length - 1));
  mark();
}

/** Shows the chosen clash; others fade. */
function mark() {
  f.clear(marks);
  const clash = clashes[f.state.chosen];
  [...list.children].forEach((row, i) => row.firstChild.setAttribute('aria-pressed', String(i === f.state.chosen)));
  solids.forEach(({ material }, i) => {
    const part = clash && [clash.a, clash.b].indexOf(i);
    material.color.set(part === 0 ? COLOURS.a : part === 1 ? COLOURS.b : 0x9aa7b4);
    material.opacity = part >= 0 ? 0.72 : 0.22;
    material.transparent = true;
    material.depthWrite = part >= 0;
  });
  if (clash) {
    const size = new THREE.Box3().setFromObject(group).getSize(new THREE.Vector3()).length();
    const balls = dots([...clash.pointA, ...clash.pointB], COLOURS.hit, size * 0.008);
    balls.material.depthTest = false;
    balls.renderOrder = 3;
    marks.add(balls);
  }
  f.count('chosen', clash ? f.state.chosen + 1 : 0);
  f.invalidate();
}

let flight = null;
function overview() {
  const box = new THREE.Box3().setFromObject(group);
  if (box.isEmpty()) return;
  flight = null;
  f.look(box.min.toArray(), box.max.toArray());
}

/** Flies to a clash. */
function choose(number) {
  if (!clashes.length) return;
  f.state.chosen = (number + clashes.length) % clashes.length;
  f.save();
  mark();
  const { pointA, pointB, a, b } = clashes[f.state.chosen];
  const sizes = [a, b].map((i) => new THREE.Box3().setFromObject(solids[i]).getSize(new THREE.Vector3()).length());
  const middle = new THREE.Vector3().fromArray(pointA).add(new THREE.Vector3().fromArray(pointB)).multiplyScalar(0.5);
  const away = f.camera.position.clone().sub(f.controls.target).setLength(Math.max(1, Math.min(...sizes)) * 1.9);
  flight = { target: middle, eye: middle.clone().add(away) };
}

f.animate((seconds) => {
  if (!flight) return false;
  const part = 1 - Math.exp(-6 * seconds);
  f.controls.target.lerp(flight.target, part);
  f.camera.position.lerp(flight.eye, part);
  f.controls.update();
  if (f.camera.position.distanceTo(flight.eye) < 1e-3) flight = null;
  return true;
});
open(sample(f.impinge));
f.done();
