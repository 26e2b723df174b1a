// Inside or outside of a dirty mesh: winding numbers, and a wrap that has a true inside.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, solid } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const CELLS = 56;
const HALF = 1.15;
const BESIDE = 1.25;

/** A mesh with holes: faces are left out by a fixed draw. */
function holed({ Mesh }, mesh, part) {
  let x = 7;
  const drawn = () => { x = (Math.imul(x, 1664525) + 1013904223) >>> 0; return x / 4294967296; };
  const all = mesh.faces;
  const kept = [];
  for (let i = 0; i < all.length; i += 3) if (drawn() >= part) kept.push(all[i], all[i + 1], all[i + 2]);
  return new Mesh(mesh.vertices, kept);
}

const f = await frame({
  name: 'contains',
  eye: [0, -4.4, 2.2],
  state: { model: 'blob', holes: 12, offset: 0.06, gap: 0.12, slice: 0, probe: [0.25, -0.1, 0.1] },
  structure: (on) => { structure = on; rebuild(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, Pair } = await load();
const dirty = Mesh.fromBytes(bytes, 'scan.ply');
dirty.isClosed;                                  // false: it has no inside
dirty.findings();                                // what is wrong with it
dirty.windingNumbers(points);                    // about 1 inside, 0 outside, also with holes
const wrap = dirty.wrapped(${s.offset}, ${s.gap});            // closed, within ${s.offset} of the mesh
new Pair(wrap.shape(), ball, true).intersects(pose);    // true also when the ball is wholly inside`,
  check: (impinge) => {
    const { Mesh, Pair, Shape } = impinge;
    const dirty = holed(impinge, Mesh.generate('blob', 800), 0.25);
    const places = [];
    for (let i = 0; i < 64; i++) {
      places.push(0.75 * (i % 4) - 1.125, 0.75 * (Math.floor(i / 4) % 4) - 1.125, 0.75 * Math.floor(i / 16) - 1.125);
    }
    const wrap = dirty.wrapped(0.125, 0.25);
    const pairs = [false, true].map((isSolid) => new Pair(wrap.shape(), Shape.ball(0.125), isSolid));
    const met = pairs.map((pair) => [pair.intersects([0.125, 0, 0]), pair.intersects([4, 0, 0])]);
    return [dirty.isClosed, dirty.faceCount, dirty.windingNumbers(places), wrap.isClosed, wrap.faces, wrap.vertices, met];
  },
});

const { THREE } = f;
const { Mesh, Pair, Shape } = f.impinge;
const side = (x) => { const g = f.group(); g.position.x = x; g.updateMatrixWorld(); return g; };
const sides = [side(-BESIDE), side(BESIDE)];
const inside = (parent) => { const g = new THREE.Group(); parent.add(g); return g; };
const meshes = sides.map(inside);
const probes = sides.map(inside);
const RADIUS = 0.09;
const ball = Shape.ball(RADIUS);
let structure = false;
let dirty;
let pairs;
let sheet;

const MODELS = ['blob', 'torus-knot', 'hand', 'castle', 'car-shell'];
const choice = f.control('choice', 'model', { label: 'Mesh', options: MODELS }, () => rebuild());
f.control('slider', 'holes', { label: 'Faces left out, %', min: 0, max: 60, step: 1 }, () => rebuild());
f.control('slider', 'offset', { label: 'Offset of the wrap', min: 0.03, max: 0.25, step: 0.005 }, () => rebuild());
f.control('slider', 'gap', { label: 'Gaps closed up to', min: 0, max: 0.5, step: 0.01 }, () => rebuild());
f.control('slider', 'slice', { label: 'Height of the slice', min: -1, max: 1, step: 0.02 }, () => slice());
f.ui.legend('#4d8fd1', 'left: the mesh, and winding numbers in a slice');
f.ui.legend('#22a06b', 'right: its wrap');
f.ui.legend('#e0a040', 'ball: drag the left one');
f.acceptMesh((own) => rebuild(own), 2);
for (const group of probes) {
  const material = new THREE.MeshStandardMaterial({ color: COLOURS.b, depthTest: false, transparent: true });
  const drawn = new THREE.Mesh(new THREE.SphereGeometry(RADIUS, 24, 16), material);
  drawn.renderOrder = 4;
  group.add(drawn);
}
draggable(f, probes[0], () => {
  f.state.probe = probes[0].position.toArray();
  f.save();
  ask();
});

function rebuild(own) {
  choice.set(f.state.model);
  const whole = own ?? fitted(f.impinge, Mesh.generate(f.state.model, 2500), 2);
  dirty = holed(f.impinge, whole, f.state.holes / 100);
  for (const group of meshes) f.clear(group);
  meshes[0].add(solid(dirty, COLOURS.a, { smooth: false, opacity: structure ? 0.25 : 0.55 }));
  f.count('faces', dirty.faceCount);
  f.count('closed', dirty.isClosed ? 'yes' : 'no');
  try {
    f.ui.error('');
    const wrap = f.time('wrap', () => dirty.wrapped(f.state.offset, f.state.gap));
    meshes[1].add(solid(wrap, COLOURS.witness, { opacity: 0.5, wire: structure }));
    pairs = [false, true].map((isSolid) => new Pair(wrap.shape(), ball, isSolid));
    f.count('faces of the wrap', wrap.faceCount);
    f.count('volume of the wrap', wrap.mass().volume);
  } catch (why) {
    pairs = null;
    f.ui.error(why.message);
  }
  slice();
  ask();
}

/** Winding numbers in a plane: white at 0, blue at 1, darker above. */
function slice() {
  const places = [];
  const middle = (cell) => ((cell + 0.5) / CELLS * 2 - 1) * HALF;
  for (let j = 0; j < CELLS; j++) for (let i = 0; i < CELLS; i++) places.push(middle(i), middle(j), f.state.slice);
  const turns = f.time(`${CELLS * CELLS} winding numbers`, () => dirty.windingNumbers(places));
  const pixels = new Uint8Array(4 * turns.length);
  turns.forEach((w, i) => {
    const is = Math.min(1, Math.abs(w));
    const [r, g, b] = w >= 0.5 ? [216, 52, 60] : [123, 97, 201];
    pixels.set([r, g, b, 230 * is], 4 * i);
  });
  const texture = new THREE.DataTexture(pixels, CELLS, CELLS);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.needsUpdate = true;
  if (!sheet) {
    sheet = new THREE.Mesh(new THREE.PlaneGeometry(2 * HALF, 2 * HALF));
    sides[0].add(sheet);
  }
  sheet.material.map?.dispose();
  sheet.material.dispose();
  sheet.material = new THREE.MeshBasicMaterial({ map: texture, transparent: true, side: THREE.DoubleSide, depthWrite: false });
  sheet.position.z = f.state.slice;
  f.count('places of the slice inside', turns.filter((w) => w >= 0.5).length);
  f.invalidate();
}

function ask() {
  const p = f.state.probe;
  for (const group of probes) group.position.fromArray(p);
  const [turns] = f.time('one winding number', () => dirty.windingNumbers(p));
  f.count('winding number at the ball', turns);
  if (!pairs) return;
  const [surface, whole] = f.time('both questions to the wrap', () => pairs.map((pair) => pair.intersects(p)));
  f.count('the ball meets the surface of the wrap', surface ? 'yes' : 'no');
  f.count('it meets the solid', whole ? 'yes' : 'no');
  f.answer(!whole ? 'The ball is outside' : surface ? 'The ball meets the surface' : 'Contained: a collision although no faces meet');
  f.invalidate();
}

rebuild();
f.done();
