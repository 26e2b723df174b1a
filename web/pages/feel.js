// Haptic rendering by mouse: the penalty method against the god-object.

import { frame } from '../lib/frame.js';
import { COLOURS, faces, label, segments, solid, spheres, thickArrow } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const SOLIDS = ['two balls', 'slab', 'block', 'coarse ball'];
/** A unit is ten centimetres: 1000 N/m. */
const STIFFNESS = 100;
/** Of an arrow, in units for a newton; none is longer than the second number. */
const [SCALE, LONGEST] = [0.02, 0.9];
const RADIUS = 0.075;
const HISTORY = 240;

const f = await frame({
  name: 'feel',
  eye: [0.35, -2.35, 1.3], target: [0, 0, 0.25],
  state: { solid: 'two balls', friction: 0.3, shading: false, texture: false, at: [0.1, 0, 0.9] },
  structure: (on) => { contacts.visible = on; f.invalidate(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { ProxyScene, GodObject, PenaltyField, Texture, EnergyMeter } = await load();
const scene = new ProxyScene();
scene.add(mesh, undefined, ${s.friction}, ${s.friction * 0.7}, ${s.shading});     // friction at rest and in motion, shading
const god = new GodObject(scene, start, ${STIFFNESS});
const { proxy, force, contacts } = god.update(scene, device);   // 1000 times a second
new Texture(heights, columns, spacing, origin, u, v).apply(proxy, force);
const field = new PenaltyField(${STIFFNESS});                        // the older method
field.addBox(low, high);
field.force(device);`,
  check: ({ Mesh, ProxyScene, GodObject, PenaltyField, Texture, EnergyMeter }) => {
    const scene = new ProxyScene();
    scene.add(Mesh.generate('icosphere', 320), undefined, 0.5, 0.25, true);
    const god = new GodObject(scene, [0, 0, 1.5], 100);
    const field = new PenaltyField(100);
    field.addBall([0, 0, 0], 1);
    field.addBox([-0.5, -0.5, -2], [0.5, 0.5, 0.5]);
    const texture = new Texture([0, 0.125, 0, 0.125], 2, 0.25, [-1, -1, 0], [1, 0, 0], [0, 1, 0]);
    const meter = new EnergyMeter();
    return Array.from({ length: 40 }, (_, tick) => {
      const at = [0.25 + 0.015625 * tick, 0.125, 1.25 - 0.03125 * tick];
      const felt = god.update(scene, at);
      const leaning = texture.apply(felt.proxy, felt.force);
      const energy = meter.observe(tick ? [0.015625, 0, -0.03125] : [0, 0, 0]);
      meter.hold(leaning);
      return [felt.proxy, felt.force, felt.held, felt.crossed, felt.sliding, field.force(at), leaning, energy];
    });
  },
});

const { Mesh, Shape, ProxyScene, GodObject, PenaltyField, Texture, EnergyMeter } = f.impinge;
const { THREE } = f;
const group = { solid: f.group(), device: f.group(), felt: f.group() };
const contacts = f.group();
contacts.visible = false;
// Ridges a tenth of a unit apart, half as steep as a staircase.
const ridges = Float64Array.from({ length: 64 * 64 }, (_, i) => (i % 2) * 0.025);
const texture = new Texture(ridges, 64, 0.05, [-1.6, -1.6, 0], [1, 0, 0], [0, 1, 0]);
let model;
let penalty;
let god;
let meters;
let energies;
let before;
let ticks = 0;
let playing = false;
let clock = 0;
let largest;

f.ui.legend('#e0a040', 'device: where your hand is; drag it into the solid');
f.ui.legend('#22a06b', 'god-object: stays on the surface, and its force');
f.ui.legend('#d8343c', 'force of the penalty method');
f.ui.legend('#7b61c9', 'faces that hold the god-object, and their normals (Structure)');
const choice = f.control('choice', 'solid', { label: 'Solid', options: SOLIDS }, () => rebuild());
f.control('slider', 'friction', { label: 'Friction', min: 0, max: 1, step: 0.05 }, () => rebuild());
f.control('check', 'shading', { label: 'shading: smooth normals' }, () => rebuild());
f.control('check', 'texture', { label: 'texture: ridges along x' }, () => rebuild());
f.ui.button({ label: 'Stroke it', press: () => { playing = !playing; } });
f.ui.button({ label: 'Energy to zero', press: () => rebuild() });
const graph = Object.assign(document.createElement('canvas'), { width: 2 * 230, height: 2 * 90 });
graph.style.cssText = 'position:absolute;right:12px;top:10px;width:230px;height:90px;pointer-events:none';
graph.setAttribute('aria-label', 'Energy over time');
f.ui.view.append(graph);
const ball = (at, colour) => spheres({ centers: at, radii: [RADIUS] }, colour, { detail: 4 });
group.device.add(ball([0, 0, 0], COLOURS.b));
const names = { device: label('device', '#9a6410'), god: label('god-object', '#13734a') };
f.scene.add(names.device, names.god);
draggable(f, group.device, () => follow());

function bodies() {
  const block = (x, y, z) => [{ mesh: Shape.cuboid(x, y, z).toMesh(), box: [[-x, -y, -z], [x, y, z]] }];
  const round = (count, x, r) => {
    const unit = Mesh.generate('icosphere', count);
    return { mesh: new Mesh(unit.vertices.map((v, i) => v * r + (i % 3 ? 0 : x)), unit.faces), ball: [[x, 0, 0], r] };
  };
  switch (f.state.solid) {
    case 'block': return block(0.6, 0.6, 0.4);
    case 'two balls': return [round(720, -0.38, 0.55), round(720, 0.38, 0.55)];
    case 'coarse ball': return [round(80, 0, 0.7)];
    default: return block(0.9, 0.6, 0.07);
  }
}

function rebuild() {
  choice.set(f.state.solid);
  group.device.position.fromArray(f.state.at);
  f.clear(group.solid);
  model = { scene: new ProxyScene(), bodies: bodies() };
  penalty = new PenaltyField(STIFFNESS);
  for (const body of model.bodies) {
    const { friction, shading } = f.state;
    model.scene.add(body.mesh, undefined, friction, friction * 0.7, shading);
    body.vertices = body.mesh.vertices;
    body.faces = body.mesh.faces;
    if (body.box) penalty.addBox(...body.box);
    else penalty.addBall(...body.ball);
    group.solid.add(solid(body.mesh, COLOURS.a, { opacity: 0.5, smooth: f.state.shading }));
  }
  // The proxy begins in the open, above everything.
  god = new GodObject(model.scene, [f.state.at[0], f.state.at[1], 1.2], STIFFNESS);
  meters = { penalty: new EnergyMeter(), god: new EnergyMeter() };
  energies = [];
  largest = { penalty: 0, god: 0 };
  before = [f.state.at[0], f.state.at[1], 1.2];
  follow();
}

/** Moves the device to where the hand is, a millimetre a tick, and draws what is felt. */
function follow() {
  const to = group.device.position.toArray();
  const count = Math.max(1, Math.ceil(Math.hypot(...to.map((x, i) => x - before[i])) / 0.01));
  let felt;
  let forces;
  const step = to.map((x, i) => (x - before[i]) / count);
  f.time('ticks of one move', () => {
    for (let k = 1; k <= count; k++) {
      const at = before.map((x, i) => x + step[i] * k);
      felt = god.update(model.scene, at);
      forces = { penalty: penalty.force(at), god: felt.force };
      if (f.state.texture && felt.contacts.length) forces.god = texture.apply(felt.proxy, felt.force);
      for (const key of ['penalty', 'god']) {
        // A newton times a unit is a tenth of a joule.
        meters[key].now = meters[key].observe(step) * 100;
        meters[key].hold(forces[key]);
        largest[key] = Math.max(largest[key], Math.hypot(...forces[key]));
      }
      ticks += 1;
    }
  });
  before = to;
  f.state.at = to;
  f.save();
  energies.push([meters.penalty.now, meters.god.now]);
  if (energies.length > HISTORY) energies.shift();
  draw(to, felt, forces);
}

function draw(at, felt, forces) {
  f.clear(group.felt);
  f.clear(contacts);
  const proxy = [...felt.proxy];
  const size = { penalty: Math.hypot(...forces.penalty), god: Math.hypot(...forces.god) };
  const inside = Math.hypot(...proxy.map((x, i) => x - at[i])) > 1e-9;
  // In the open both are at one place.
  if (inside) group.felt.add(ball(proxy, COLOURS.witness), segments([...at, ...proxy], COLOURS.witness, 3, true));
  const pull = (from, force, newtons, colour) => {
    const scale = Math.min(SCALE, LONGEST / newtons);
    if (newtons > 0.1) group.felt.add(thickArrow(from, [...force].map((x) => x * scale), colour));
  };
  pull(proxy, forces.god, size.god, COLOURS.witness);
  pull(at, forces.penalty, size.penalty, COLOURS.hit);
  for (const part of [group.felt, group.device, contacts]) part.traverse(above);
  names.device.position.set(at[0] + 0.3, at[1], at[2] - 0.05);
  names.god.position.set(proxy[0] - 0.38, proxy[1], proxy[2] + 0.06);
  names.god.visible = inside;
  for (const contact of felt.contacts) {
    const body = model.bodies[contact.body];
    contacts.add(faces(body.vertices, body.faces, [contact.face], COLOURS.box));
    contacts.add(segments([...proxy, ...contact.normal.map((x, i) => proxy[i] + 0.3 * x)], COLOURS.box, 3, true));
  }
  f.count('force of the penalty, N', size.penalty);
  f.count('force of the god-object, N', size.god);
  f.count('energy by the penalty, mJ', meters.penalty.now);
  f.count('energy by the god-object, mJ', meters.god.now);
  f.count('faces that hold it', felt.contacts.length);
  f.count('ticks', ticks);
  const pierced = inside && size.penalty < 1e-9;
  f.answer(!inside ? 'In the open' : pierced ? 'Penalty lost it; the god-object holds' : felt.sliding ? 'It slides' : 'It sticks');
  paint();
  f.invalidate();
}

/** Draws a thing after the solid, so that it keeps its colour inside. */
function above(thing) {
  if (!thing.material) return;
  thing.material.transparent = true;
  thing.renderOrder = Math.max(1, thing.renderOrder);
}

/** The energies over time; below the line something generates energy. */
function paint() {
  const c = graph.getContext('2d');
  const ink = getComputedStyle(document.documentElement);
  c.clearRect(0, 0, graph.width, graph.height);
  const most = Math.max(20, ...energies.flat().map(Math.abs));
  const y = (e) => graph.height / 2 - (e / most) * (graph.height / 2 - 26);
  c.strokeStyle = c.fillStyle = ink.getPropertyValue('--soft');
  c.font = '22px system-ui, sans-serif';
  c.fillText(`energy put in, ±${most.toFixed(0)} mJ`, 4, 20);
  c.fillRect(0, graph.height / 2, graph.width, 1);
  ['#d8343c', '#22a06b'].forEach((colour, k) => {
    c.strokeStyle = colour;
    c.lineWidth = 4;
    c.beginPath();
    energies.forEach((e, i) => c.lineTo((i / (HISTORY - 1)) * graph.width, y(e[k])));
    c.stroke();
  });
}

f.animate((seconds) => {
  if (!playing) return false;
  clock += Math.min(seconds, 0.033);
  group.device.position.set(0.55 * Math.sin(1.1 * clock), 0.2 * Math.sin(0.7 * clock), 0.32 * Math.cos(2.3 * clock) + 0.15);
  follow();
  return true;
});
rebuild();
// Pressed in, so that the first picture shows a force.
group.device.position.fromArray(f.state.at[2] === 0.9 ? [0.1, -0.05, 0.08] : f.state.at);
follow();
f.done();
