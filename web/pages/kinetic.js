// A kinetic separation list: boxes that name vertices, and the events at which the list changes.

import { frame } from '../lib/frame.js';
import { COLOURS, boxes, faces, geometry } from '../lib/draw.js';

/** Key frames of the motion, and bins of the timeline. */
const KEYS = 7;
const BINS = 180;
const KINDS = [
  ['boxes begin to meet', '#e0a040', (w) => w.overlaps],
  ['boxes part', '#22a06b', (w) => w.fathersApart + w.leavesApart],
  ['a box gets a new vertex', '#7b61c9', (w) => w.boxChanges],
  ['features touch', '#d8343c', (w) => w.contacts],
];

/** The curtain and its ball: both plans, and the faces of either. */
function motion({ MovingScene }, count, keys) {
  const moving = new MovingScene('curtain', count);
  const scene = moving.scene();
  const [all, objects] = [scene.faces, scene.objects];
  const times = Array.from({ length: keys }, (_, k) => k / (keys - 1));
  const frames = Float64Array.from(times.flatMap((t) => [...moving.positions(t)]));
  const of = (object) => all.filter((_, i) => objects[Math.floor(i / 3)] === object);
  return { times, frames, faces: [of(0), of(1)] };
}

const f = await frame({
  name: 'kinetic',
  eye: [1.05, 1.68, 0.42],
  target: [0, 0, -0.14],
  state: { time: 0.47, faces: 900, run: false },
  structure: (on) => { structure = on; show(); },
  update: () => rebuild(),
  code: () => `import { load } from 'impinge';
const { KineticPair } = await load();
// Vertices at some keys, straight in between; the faces of both meshes.
const pair = new KineticPair(times, frames, curtainFaces, ballFaces);
pair.nextEvent();                                // when the list changes next
const touched = pair.advance(time);              // contacts on the way, in order; no step is too long to see them
pair.candidates;                                 // pairs of faces whose boxes overlap now
pair.work;                                       // { events, overlaps, leavesApart, contacts, … }`,
  check: (impinge) => {
    const { times, frames, faces: [a, b] } = motion(impinge, 300, 3);
    const pair = new impinge.KineticPair(times, frames, a, b);
    return [0.25, 0.5, 0.75, 1].map((time) => {
      const touched = pair.advance(time);
      const { events, overlaps, fathersApart, leavesApart, contacts } = pair.work;
      return [touched, pair.length, pair.candidates, events, overlaps, fathersApart, leavesApart, contacts];
    });
  },
});

const { THREE } = f;
const group = f.group();
const found = f.group();
let structure = true;
let pair;
let parts;
let shown;

const slider = f.control('slider', 'time', { label: 'Time', min: 0, max: 1, step: 0.001 }, () => {
  f.state.run = false;
  running.set(false);
  show();
});
f.control('slider', 'faces', { label: 'Faces', min: 200, max: 4000, step: 100 }, () => rebuild());
const running = f.control('check', 'run', { label: 'let time run' });
f.ui.structureButton.setAttribute('aria-pressed', 'true');
for (const [text, colour] of KINDS) f.ui.legend(colour, text);

const strip = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
strip.setAttribute('viewBox', `0 0 ${BINS} 40`);
strip.setAttribute('preserveAspectRatio', 'none');
strip.setAttribute('role', 'img');
strip.setAttribute('aria-label', 'Events in the order of time; click to go there');
strip.id = 'timeline';
strip.style.cssText = 'position:absolute;left:12px;bottom:50px;width:calc(100% - 24px);height:96px;cursor:pointer;'
  + 'background:var(--card);border:1px solid var(--line);border-radius:8px';
f.ui.view.append(strip);
strip.addEventListener('pointerdown', (event) => {
  const box = strip.getBoundingClientRect();
  f.state.time = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  f.state.run = false;
  running.set(false);
  slider.set(f.state.time);
  f.save();
  show();
});

/** Goes through the whole motion, bin by bin, and counts what happened. */
function log() {
  const bins = KINDS.map(() => new Float64Array(BINS));
  pair.restart();
  let before = pair.work;
  for (let bin = 0; bin < BINS; bin++) {
    pair.advance((bin + 1) / BINS);
    const work = pair.work;
    KINDS.forEach(([, , of], kind) => { bins[kind][bin] = of(work) - of(before); });
    before = work;
  }
  return bins;
}

function drawTimeline(bins) {
  const most = Math.max(...Array.from({ length: BINS }, (_, i) => bins.reduce((sum, bin) => sum + bin[i], 0)), 1);
  // Roots, so that single events are seen beside many.
  const height = (n) => 36 * Math.sqrt(n / most);
  const bars = [];
  for (let i = 0; i < BINS; i++) {
    let sum = 0;
    KINDS.forEach(([, colour], kind) => {
      const [low, high] = [height(sum), height(sum + bins[kind][i])];
      sum += bins[kind][i];
      if (high > low) bars.push(`<rect x="${i}" y="${40 - high}" width="0.9" height="${high - low}" fill="${colour}"/>`);
    });
  }
  strip.innerHTML = `${bars.join('')}<rect class="now" y="0" width="0.6" height="40" fill="var(--ink)"/>`;
}

function rebuild() {
  const made = motion(f.impinge, f.state.faces, KEYS);
  pair = f.time('build', () => new f.impinge.KineticPair(made.times, made.frames, ...made.faces));
  parts = made.faces;
  drawTimeline(f.time('all events', log));
  f.count('events of the whole motion', pair.work.events);
  f.clear(group);
  pair.restart();
  const positions = pair.positions;
  const [curtain, ball] = parts.map((of, i) => {
    const material = new THREE.MeshStandardMaterial({
      color: i ? COLOURS.b : COLOURS.a, roughness: 0.8, side: THREE.DoubleSide, transparent: !i, opacity: i ? 1 : 0.6, depthWrite: i === 1,
    });
    const mesh = new THREE.Mesh(geometry(positions, of), material);
    mesh.frustumCulled = false;
    return mesh;
  });
  shown = [curtain, ball];
  group.add(...shown);
  show();
}

function show() {
  const touched = f.time('advance', () => pair.advance(f.state.time));
  const positions = pair.positions;
  for (const mesh of shown) {
    mesh.geometry.attributes.position.array.set(positions);
    mesh.geometry.attributes.position.needsUpdate = true;
    mesh.geometry.computeVertexNormals();
  }
  const candidates = pair.candidates;
  f.clear(found);
  const all = [...parts[0], ...parts[1]];
  const numbers = new Set();
  candidates.forEach((face, i) => numbers.add(i % 2 ? face + parts[0].length / 3 : face));
  if (numbers.size) found.add(faces(positions, all, [...numbers], COLOURS.hit));
  if (structure) {
    found.add(boxes(pair.boxes(false), COLOURS.box));
    found.add(boxes(pair.boxes(true), COLOURS.hit));
  }
  const { events, boxTests, contacts } = pair.work;
  f.count('events so far', events);
  f.count('pairs of the list', pair.length);
  f.count('pairs of faces whose boxes overlap', candidates.length / 2);
  f.count('contacts so far', contacts);
  f.count('box tests so far', boxTests);
  f.answer(candidates.length ? `${candidates.length / 2} pairs of faces could touch` : 'Apart: nothing to do until the next event');
  if (touched.length) f.count('last contact at', touched.at(-1));
  strip.querySelector('.now')?.setAttribute('x', f.state.time * BINS - 0.3);
  f.invalidate();
}

f.animate((seconds) => {
  if (!f.state.run) return false;
  f.state.time = (f.state.time + seconds * 0.12) % 1;
  slider.set(f.state.time);
  show();
  return true;
});
rebuild();
f.done();
