// A cloth on a mushroom: every engine finds the same intersecting faces and contacts in a falling cloth, at different speeds.

import { frame } from '../lib/frame.js';
import { COLOURS, dots, faces, geometry, solid } from '../lib/draw.js';

/** Seconds between two frames, and how many are recorded. */
const STEP = 1 / 30;
const FRAMES = 40;

/** A mushroom of width 1 and a cloth above it. */
function cast({ Mesh, SoftBody }, count, cells) {
  const raw = Mesh.generate('mushroom', count);
  const [x, , , X] = raw.bounds;
  const mushroom = new Mesh(raw.vertices.map((v) => v / (X - x)), raw.faces);
  const height = mushroom.bounds[5] + 0.0625;
  const body = SoftBody.cloth({ cells: [cells, cells], size: [1.75, 1.75], height, thickness: 0.01, substeps: 2 });
  body.addObstacle(mushroom);
  return { mushroom, body };
}

const f = await frame({
  name: 'mushroom',
  eye: [2.1, -2.5, 1.5],
  target: [0, 0, 0.35],
  state: { engine: 'auto', cells: 22, frame: 0, run: true, all: false, squeeze: 0.1 },
  structure: (on) => { if (cloth) cloth.material.wireframe = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Scene } = await load();
const scene = new Scene([cloth, mushroom], '${s.engine}');       // Scene.engines() lists all
scene.advance(positions);                        // all vertices of this frame
scene.pairs();                                   // faces that intersect, { faces, within, boxTests, exactTests }
scene.step(next);                                // all contacts on the way to the next frame, in order of time`,
  check: (impinge) => {
    const { mushroom, body } = cast(impinge, 500, 10);
    const answers = [];
    const still = mushroom.vertices;
    const scene = new impinge.Scene([new impinge.Mesh(body.positions, body.faces), mushroom], 'active-sweep');
    for (let n = 0; n < 6; n++) {
      for (let k = 0; k < 3; k++) body.step(STEP);
      // Pressed down through the cap, so that there is something to find.
      const next = Float64Array.from([...body.positions.map((v, i) => (i % 3 === 2 ? v - 0.125 : v)), ...still]);
      const hits = scene.step(next);
      scene.advance(next);
      const met = scene.pairs();
      answers.push(hits.lower, hits.vertices, met.faces, met.exactTests);
    }
    return answers;
  },
});

const { Mesh, Scene } = f.impinge;
const group = f.group();
const found = f.group();
const names = Scene.engines().filter((name) => name !== 'brute-force');
let cloth;
let recording;
let falling;
let still;
let scenes;
let all;

const choice = f.control('choice', 'engine', { label: 'Engine', options: names }, () => show());
f.control('slider', 'cells', { label: 'Threads each way', min: 10, max: 60, step: 2 }, () => rebuild());
const slider = f.control('slider', 'frame', { label: 'Frame', min: 0, max: FRAMES - 2, step: 1 }, () => show());
f.control('slider', 'squeeze', { label: 'Pressed through by', min: 0, max: 0.6, step: 0.01 }, () => show());
f.control('check', 'all', { label: 'time all engines, side by side' }, () => show());
f.control('check', 'run', { label: 'play' });
f.ui.legend('#d8343c', 'faces that intersect');
f.ui.legend('#22a06b', 'contacts on the way to the next frame');

function rebuild() {
  const { mushroom, body } = cast(f.impinge, 1200, f.state.cells);
  recording = [body.positions];
  falling = body;
  still = mushroom.vertices;
  // A list of meshes is consumed, so that each scene has its own.
  const both = () => [[recording[0], body.faces], [still, mushroom.faces]].map(([vertices, all]) => new Mesh(vertices, all));
  scenes = new Map(names.map((name) => [name, new Scene(both(), name)]));
  all = scenes.get(names[0]).faces;
  f.clear(group);
  const material = new f.THREE.MeshStandardMaterial({ color: COLOURS.b, roughness: 0.85, side: f.THREE.DoubleSide });
  cloth = new f.THREE.Mesh(geometry(recording[0], body.faces), material);
  cloth.frustumCulled = false;
  group.add(solid(mushroom, COLOURS.a), cloth);
  f.count('faces', all.length / 3);
  show();
}

/** The vertices of a frame; the cloth is pressed down, so that it passes through the cap. */
function placesOf(frame) {
  while (recording.length <= frame) {
    f.time('fall for a frame', () => falling.step(STEP));
    recording.push(falling.positions);
  }
  const places = recording[frame].slice();
  const depth = f.state.squeeze * (frame / FRAMES);
  for (let i = 2; i < places.length; i += 3) places[i] -= depth;
  return places;
}

function show() {
  choice.set(f.state.engine);
  const now = placesOf(f.state.frame);
  const [here, next] = [now, placesOf(f.state.frame + 1)].map((places) => Float64Array.from([...places, ...still]));
  const ask = (name) => f.time(name, () => { const scene = scenes.get(name); scene.advance(here); return scene.pairs(); });
  const met = ask(f.state.engine);
  if (f.state.all) for (const name of names) if (name !== f.state.engine) ask(name);
  const hits = f.time('contacts to the next frame', () => scenes.get(f.state.engine).step(next));
  cloth.geometry.attributes.position.array.set(now);
  cloth.geometry.attributes.position.needsUpdate = true;
  cloth.geometry.computeVertexNormals();
  f.clear(found);
  const numbers = [...new Set(met.faces)];
  if (numbers.length) found.add(faces(here, all, numbers, COLOURS.hit));
  const touched = [];
  for (let i = 0; i < hits.lower.length; i++) {
    const [v, t] = [hits.vertices[4 * i], hits.lower[i]];
    for (let k = 0; k < 3; k++) touched.push(here[3 * v + k] * (1 - t) + next[3 * v + k] * t);
  }
  if (touched.length) found.add(dots(touched, COLOURS.witness, 0.012));
  f.count('frame', f.state.frame);
  f.count('pairs of faces', met.faces.length / 2);
  f.count('of these within the cloth', met.within.reduce((sum, x) => sum + x, 0));
  f.count('box tests', met.boxTests);
  f.count('exact tests', met.exactTests);
  f.count('contacts to the next frame', hits.lower.length);
  f.answer(`${met.faces.length / 2} pairs of faces intersect, ${hits.lower.length} contacts follow`);
  f.invalidate();
}

let clock = 0;
f.animate((seconds) => {
  if (!f.state.run) return false;
  clock += seconds;
  if (clock < 0.1) return false;
  clock = 0;
  f.state.frame = (f.state.frame + 1) % (FRAMES - 1);
  slider.set(f.state.frame);
  show();
  return true;
});
rebuild();
f.done();
