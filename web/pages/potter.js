// Virtual clay on a potter's wheel.

import { frame } from '../lib/frame.js';
import { COLOURS, geometry, segments, solid } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const POTS = ['ball', 'torus', 'cylinder', 'tetra-flake', 'hyperboloid'];
const TOOLS = ['fingertip', 'five-fingertips', 'forefinger', 'whole-hand'];
const OPERATORS = ['press', 'drag', 'plain'];
const CLAY = 0xb9714a;
/** The most steps of the tool between two pictures. */
const STEPS = 6;

const f = await frame({
  name: 'potter',
  eye: [1.2, -3.6, 1.7],
  state: {
    pot: 'cylinder', faces: 4000, tool: 'fingertip', size: 1.2, operator: 'press', vicinity: 1.5, turns: 0.4,
    keepVolume: true, noCrumpling: true, guard: true, repair: false, split: false, at: [1.25, 0, 0.35], turn: 0,
  },
  structure: (on) => { lines.visible = on; update(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Sculptor } = await load();
const sculptor = new Sculptor(Sculptor.pot('${s.pot}', ${s.faces}), {    // or any closed mesh
  tool: '${s.tool}', size: ${s.size}, operator: '${s.operator}', keepVolume: ${s.keepVolume}, guard: ${s.guard},
});
sculptor.beginStroke();
sculptor.setPose(wheel);                         // the pot turns
sculptor.frame(tool);                            // { parts, hitFaces, moved, splits, allowed, refused }
sculptor.positions; sculptor.normals;            // draw them
sculptor.undo();                                 // the whole stroke, to the last bit
sculptor.toMesh().toBytes('glb');                // or stl, obj, ply, off`,
  check: ({ Sculptor }) => {
    const sculptor = new Sculptor(Sculptor.pot('ball', 500), { tool: 'five-fingertips' });
    const answers = [];
    const turns = [[0, 1], [0.6, 0.8], [1, 0], [0.8, -0.6]];
    for (let stroke = 0; stroke < 2; stroke++) {
      sculptor.beginStroke();
      for (let step = 0; step < 16; step++) {
        sculptor.setPose([0, 0, 0, 0, 0, ...turns[step % 4]]);
        const r = sculptor.frame([0.125 * stroke, 0, 1.125 - 0.03125 * step]);
        answers.push(r.parts, r.hitFaces, r.moved, r.allowed);
      }
      sculptor.setOptions({ tool: 'whole-hand', size: 0.5, operator: 'drag' });
      answers.push(sculptor.volume, sculptor.eulerNumber, sculptor.intersectsItself(), sculptor.positions);
    }
    return [answers, sculptor.undo(), sculptor.volume];
  },
});

const { Sculptor } = f.impinge;
const { THREE } = f;
const pot = f.group();
const hand = f.group();
const lines = new THREE.Group();
let sculptor;
let clay;
let wires;
let wheel = 0;
let reached = new THREE.Vector3();
let volume = 0;
let moved = 0;
let rest = 1;

f.ui.legend('#b9714a', 'clay');
f.ui.legend('#4d8fd1', 'tool: drag it');
const choices = {
  pot: f.control('choice', 'pot', { label: 'Pot', options: POTS }, () => rebuild()),
  tool: f.control('choice', 'tool', { label: 'Tool', options: TOOLS }, () => setTool()),
  operator: f.control('choice', 'operator', { label: 'Operator', options: OPERATORS }, () => setTool()),
};
f.control('slider', 'faces', { label: 'Faces', min: 10, max: 10000, step: 10 }, () => rebuild());
f.control('slider', 'size', { label: 'Size of the hand', min: 0.3, max: 2, step: 0.1 }, () => setTool());
f.control('slider', 'turns', { label: 'Turns of the wheel in a second', min: 0, max: 2, step: 0.1 });
f.control('check', 'keepVolume', { label: 'keep the volume' }, () => setTool());
f.control('check', 'noCrumpling', { label: 'no crumpling' }, () => setTool());
f.control('check', 'guard', { label: 'never cross itself' }, () => setTool());
f.control('check', 'split', { label: 'split faces where they are hit' }, () => setTool());
f.control('check', 'repair', { label: 'repair dihedral angles' }, () => setTool());
f.ui.button({ label: 'Undo', press: () => { sculptor.undo(); redraw(); } });
f.ui.button({ label: 'New clay', press: () => rebuild() });
for (const format of ['glb', 'stl']) f.ui.button({ label: `Save as ${format.toUpperCase()}`, press: () => save(format) });
f.acceptMesh((own) => rebuild(own), 2);

/** Changed options are those of the library's SculptOptions by name; the plain operator has a step of its own. */
const options = () => ({ ...f.state, step: 0.01 });

function attempt(run) {
  f.ui.error('');
  try {
    return run();
  } catch (why) {
    f.ui.error(why.message);
    return undefined;
  }
}

function rebuild(own) {
  for (const [key, choice] of Object.entries(choices)) choice.set(f.state[key]);
  sculptor = attempt(() => new Sculptor(own ?? Sculptor.pot(f.state.pot, f.state.faces), options())) ?? sculptor;
  volume = sculptor.volume;
  moved = 0;
  f.clear(pot);
  clay = null;
  setTool();
  place();
  reached.copy(hand.position);
  // A groove to begin with: the picture shows what the tool does.
  if (!own) for (let i = 0; i < 70; i++) press(new THREE.Vector3(1.25 - Math.min(0.5, i * 0.02), 0, 0.35), 0.09);
  reached.copy(hand.position);
  sculptor.beginStroke();
  redraw();
}

function setTool() {
  attempt(() => sculptor.setOptions(options()));
  f.clear(hand);
  hand.add(solid(sculptor.toolMesh(), COLOURS.a));
  sculptor.beginStroke();
  f.count('parts of the tool', sculptor.toolParts);
  rest = sculptor.leastRadius;
}

/** The hand points at the axis of the wheel; `turn` is about its own axis. */
function aim(position) {
  const to = new THREE.Vector3(0, 0, THREE.MathUtils.clamp(position.z, -0.6, 0.6)).sub(position);
  if (to.length() < 1e-3) to.set(0, 0, -1);
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, -1), to.normalize());
  return turn.multiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), f.state.turn));
}

function place() {
  hand.position.fromArray(f.state.at);
  hand.quaternion.copy(aim(hand.position));
}

draggable(f, hand, () => {
  f.state.at = hand.position.toArray();
  hand.quaternion.copy(aim(hand.position));
  f.save();
});
addEventListener('keydown', (event) => {
  if (event.target.matches?.('input, select')) return;
  if (event.key === 'q' || event.key === 'e') {
    f.state.turn += event.key === 'q' ? 0.1 : -0.1;
    hand.quaternion.copy(aim(hand.position));
  }
  if (event.key === 'z' && (event.ctrlKey || event.metaKey)) { sculptor.undo(); redraw(); }
});
for (const kind of ['pointerup', 'keyup']) addEventListener(kind, () => sculptor.beginStroke());

/** One frame: the wheel by an angle, the tool at a place. */
function press(position, angle) {
  wheel = (wheel + angle) % (2 * Math.PI);
  sculptor.setPose([0, 0, 0, 0, 0, Math.sin(wheel / 2), Math.cos(wheel / 2)]);
  const report = f.time('one frame of clay', () => sculptor.frame([...position.toArray(), ...aim(position).toArray()]));
  moved += report.moved;
  return report;
}

f.animate((seconds) => {
  const turn = 2 * Math.PI * f.state.turns * Math.min(seconds, 0.033);
  const way = hand.position.clone().sub(reached);
  const length = way.length();
  if (turn === 0 && length === 0) return false;
  // No step is longer than a part of the tool, so that no wall is jumped over; a far goal is reached in a few pictures.
  const steps = Math.min(STEPS, Math.max(1, Math.ceil(length / (0.4 * rest))));
  const step = way.clampLength(0, 0.4 * rest * steps).divideScalar(steps);
  let report;
  for (let i = 0; i < steps; i++) {
    reached.add(step);
    report = press(reached, turn / steps);
  }
  if (length < 0.4 * rest * steps) reached.copy(hand.position);
  f.count('faces hit', report.hitFaces);
  f.count('parts that hit', report.parts);
  if (report.moved || report.splits) redraw();
  else pot.rotation.z = wheel;
  update();
  return true;
});

/** New positions into the picture; new buffers where faces were split. */
function redraw() {
  const positions = sculptor.positions;
  const fresh = !clay || clay.geometry.attributes.position.array.length !== positions.length;
  if (fresh) {
    f.clear(pot);
    const material = new THREE.MeshStandardMaterial({ color: CLAY, roughness: 0.75, side: THREE.DoubleSide });
    clay = new THREE.Mesh(geometry(positions, sculptor.faces), material);
    wires = new THREE.Mesh(clay.geometry, new THREE.MeshBasicMaterial({ color: 0x2b1a10, wireframe: true }));
    clay.frustumCulled = wires.frustumCulled = false;
    lines.clear();
    lines.add(wires);
    pot.add(clay, lines);
  }
  const { position, normal } = clay.geometry.attributes;
  position.array.set(positions);
  normal.array.set(sculptor.normals);
  position.needsUpdate = normal.needsUpdate = true;
  pot.rotation.z = wheel;
  update();
}

function update() {
  f.count('vertices moved', moved);
  f.count('faces', sculptor.faces.length / 3);
  f.count('strokes to undo', sculptor.strokes);
  const change = (sculptor.volume / volume - 1) * 100;
  f.answer(Math.abs(change) < 1e-6 ? 'The volume is kept' : `Volume ${change > 0 ? '+' : '−'}${Math.abs(change).toPrecision(2)} %`);
  f.invalidate();
}

function save(format) {
  const bytes = sculptor.toMesh().toBytes(format);
  const link = Object.assign(document.createElement('a'), { download: `pot.${format}`, href: URL.createObjectURL(new Blob([bytes])) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A wheel to stand on.
const disc = [];
for (let i = 0; i < 48; i++) {
  const [a, b] = [i, i + 1].map((k) => (k * Math.PI) / 24);
  disc.push(1.3 * Math.cos(a), 1.3 * Math.sin(a), -1.02, 1.3 * Math.cos(b), 1.3 * Math.sin(b), -1.02);
}
f.scene.add(segments(disc, COLOURS.box, 2));
lines.visible = false;
rebuild();
f.done();
