// A peg of six degrees of freedom on the springs of a virtual coupling, and the hole it fits.

import { frame } from '../lib/frame.js';
import { COLOURS, segments, solid, thickArrow } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const LAWS = ['guard', 'shared volume'];
const HOLE = 0.25;
const HEIGHT = 0.35;
const LENGTH = 0.5;
/** N per unit (ten centimetres) and N·unit per radian. */
const SPRINGS = [100, 10];
const PRESSURE = 4000;
const START = [-0.75, -0.15, 1.05, 0.06, 0.1, 0.12, 0.985];
/** Of an arrow, in units for a newton; none is longer than the second number. */
const [SCALE, LONGEST] = [0.03, 0.7];

const f = await frame({
  name: 'peg',
  eye: [1.7, -3, 2.1], target: [0, 0, 0.25],
  state: { law: LAWS[0], clearance: 0.01, device: START },
  structure: (on) => { springs.visible = on; f.invalidate(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { ToolGuard, VirtualCoupling } = await load();
${s.law === LAWS[0] ? `const tool = new ToolGuard(peg, block, ${SPRINGS.join(', ')}, start);`
    : `const tool = new VirtualCoupling(peg, block, ${SPRINGS.join(', ')}, ${PRESSURE}, start);`}
const step = tool.update(device);                // the pose of a hand, 6 degrees of freedom
step.tool;                                       // where the peg is
step.force; step.torque;                         // what the hand feels`,
  check: ({ Mesh, ToolGuard, VirtualCoupling }) => {
    const [block, peg] = [plate(Mesh, 0.8, 0.25, 0.35), plate(Mesh, 0.24, 0, 0.5)];
    const guard = new ToolGuard(peg, block, 100, 10, [0, 0, 1]);
    const coupling = new VirtualCoupling(peg, block, 100, 10, 4000, [0, 0, 1]);
    return Array.from({ length: 24 }, (_, tick) => {
      const device = [0.03125, 0, 1 - 0.03125 * tick, 0.02, 0.01, 0.03, 1];
      const [a, b] = [guard.update(device), coupling.update(device)];
      return [a.tool, a.force, a.torque, a.constraints, a.evaluations, b.tool, b.force, b.torque, b.evaluations];
    });
  },
});

/** A square plate with a square hole; the half width 0 leaves the hole out. */
function plate(Mesh, outer, inner, height) {
  const rings = inner ? [outer, inner] : [outer];
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  const vertices = [-height, height].flatMap((z) => rings.flatMap((r) => corners.flatMap(([x, y]) => [x * r, y * r, z])));
  const top = 4 * rings.length;
  const faces = [];
  for (let k = 0; k < 4; k++) {
    const n = (k + 1) % 4;
    faces.push(k, n, top + n, k, top + n, top + k);
    if (!inner) continue;
    const [i, j, o, p] = [k + 4, n + 4, top + k, top + n];
    faces.push(o, p, top + j, o, top + j, top + i, k, j, n, k, i, j, i, top + j, j, i, top + i, top + j);
  }
  if (!inner) faces.push(0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7);
  return new Mesh(vertices, faces);
}

const { Mesh, ToolGuard, VirtualCoupling } = f.impinge;
const { THREE } = f;
const group = { block: f.group(), device: f.group(), peg: f.group(), felt: f.group() };
const springs = f.group();
springs.visible = false;
let tool;
let way = null;
let quiet = 0;

f.ui.legend('#4d8fd1', 'block with a hole');
f.ui.legend('#e0a040', 'peg');
f.ui.legend('#7b61c9', 'device: drag it');
f.ui.legend('#d8343c', 'force that the hand feels');
f.ui.legend('#22a06b', 'torque');
f.ui.legend('#5c6b7a', 'springs (Structure)');
const choice = f.control('choice', 'law', { label: 'Contact', options: LAWS }, () => rebuild());
f.control('slider', 'clearance', { label: 'Clearance', min: 0.002, max: 0.05, step: 0.001 }, () => rebuild());
f.ui.button({ label: 'Lead it in', press: () => { f.state.device = START; rebuild(); way = 0; } });
f.ui.button({ label: 'Begin again', press: () => { f.state.device = START; way = null; rebuild(); } });
draggable(f, group.device, () => moved());

function rebuild() {
  choice.set(f.state.law);
  const block = plate(Mesh, 0.8, HOLE, HEIGHT);
  const peg = plate(Mesh, HOLE - f.state.clearance, 0, LENGTH);
  f.clear(group.block);
  f.clear(group.peg);
  f.clear(group.device);
  group.block.add(solid(block, COLOURS.a, { smooth: false, opacity: 0.55 }));
  group.peg.add(solid(peg, COLOURS.b, { smooth: false }));
  const ghost = solid(peg, COLOURS.box, { smooth: false, opacity: 0.25 });
  const edges = new THREE.EdgesGeometry(ghost.geometry).attributes.position.array;
  const outline = segments(edges, COLOURS.box, 2);
  // The hand takes hold of the faces.
  outline.raycast = () => {};
  group.device.add(ghost, outline);
  group.peg.matrixAutoUpdate = false;
  // The peg begins in the open and is led to where the device is.
  const arguments_ = [peg, block, ...SPRINGS];
  tool = f.state.law === LAWS[0] ? new ToolGuard(...arguments_, START) : new VirtualCoupling(...arguments_, PRESSURE, START);
  put(f.state.device);
}

function put(pose) {
  setPose(group.device, pose);
  group.device.quaternion.normalize();
  group.device.updateMatrixWorld();
  moved();
}

function moved() {
  f.state.device = poseOf(group.device);
  f.save();
  quiet = 0;
  tick();
}

/** One tick: the peg follows the device as far as the block lets it. */
function tick() {
  const step = f.time('one tick', () => tool.update(f.state.device));
  const before = group.peg.matrix.elements.slice();
  group.peg.matrix.fromArray(step.tool);
  group.peg.matrixWorldNeedsUpdate = true;
  const change = Math.max(...before.map((x, i) => Math.abs(x - step.tool[i])));
  quiet = change < 1e-5 ? quiet + 1 : 0;
  const [force, torque] = [step.force, step.torque].map((v) => Math.hypot(...v));
  f.clear(group.felt);
  const tip = [0, 1, 2].map((i) => step.tool[12 + i]);
  // From the upper end of the peg, over everything: in its middle nobody sees them.
  const top = tip.map((x, i) => x + LENGTH * step.tool[8 + i]);
  const pull = (vector, size, scale, colour) => {
    const part = Math.min(scale, LONGEST / size);
    if (size > 0.05) group.felt.add(thickArrow(top, [...vector].map((x) => x * part), colour, { radius: 0.018, onTop: true }));
  };
  pull(step.force, force, SCALE, COLOURS.hit);
  pull(step.torque, torque, SCALE * 15, COLOURS.witness);
  stretch(step.tool);
  // How far the lower end of the peg is below the upper face.
  const depth = Math.max(0, HEIGHT - (tip[2] - LENGTH * step.tool[10]));
  const inside = Math.abs(tip[0]) < 0.1 && Math.abs(tip[1]) < 0.1 ? depth : 0;
  f.count('force, N', force);
  f.count('torque, N·cm', torque * 10);
  f.count('constraints', step.constraints);
  f.count('contacts computed', step.evaluations);
  f.count('depth in the hole', inside);
  f.answer(inside > 0.5 ? 'It is in' : inside > 0.01 ? 'It goes in' : force > 0.5 ? 'The block holds it back' : 'In the open');
  f.invalidate();
}

/** The springs between corners of the device and of the peg. */
function stretch(matrix) {
  f.clear(springs);
  const pose = new THREE.Matrix4().fromArray(matrix);
  const points = [];
  for (let i = 0; i < 8; i++) {
    const corner = [i & 1, i & 2, i & 4].map((bit, k) => (bit ? 1 : -1) * (k < 2 ? HOLE : LENGTH));
    const [a, b] = [pose, group.device.matrixWorld].map((m) => new THREE.Vector3(...corner).applyMatrix4(m));
    points.push(...a.toArray(), ...b.toArray());
  }
  springs.add(segments(points, 0x5c6b7a, 3, true));
}

/** A hand that is not exact: above the hole, into it, askew, and down. */
const STATIONS = [
  START, [0, 0, 0.95, 0, 0, 0, 1], [0, 0, 0.6, 0, 0, 0, 1], [0.12, 0.05, 0.42, 0.02, 0.05, 0.03, 1], [0, 0, -0.1, 0, 0, 0, 1],
];

function station(at) {
  const from = Math.min(STATIONS.length - 2, Math.floor(at));
  return STATIONS[from].map((x, i) => x + (STATIONS[from + 1][i] - x) * (at - from));
}

f.animate((seconds) => {
  if (way !== null) {
    way = Math.min(STATIONS.length - 1, way + Math.min(seconds, 0.05) * 1.2);
    const mixed = station(way);
    if (way === STATIONS.length - 1) way = null;
    put(mixed);
    return true;
  }
  if (quiet > 2) return false;
  tick();
  return true;
});
const isNew = !location.hash;
rebuild();
// The first picture: half in, pushed to one side.
for (let at = 0; isNew && at <= 2.8; at += 0.1) put(station(at));
f.done();
