// A deforming scene cut into clusters: each is sorted along its own axis and swept, and few pairs are left.

import { frame } from '../lib/frame.js';
import { COLOURS, dots, faces as drawFaces, segments } from '../lib/draw.js';

const SCENES = ['curtain', 'expanding-balls', 'vase', 'half-torus'];
const STEPS = [
  ['all pairs', (p) => p.all],
  ['overlap along the axis', (p) => p.axisPairs],
  ['along the second too', (p) => p.secondAxisPairs],
  ['boxes overlap', (p) => p.candidates],
  ['decided exactly', (p) => p.exactTests],
  ['intersect', (p) => p.faces.length / 2],
];

/** All parts of a moving scene as one mesh. */
function whole({ Mesh, MovingScene }, name, count) {
  const moving = new MovingScene(name, count);
  return { moving, mesh: new Mesh(moving.positions(0), moving.scene().faces) };
}

const f = await frame({
  name: 'clusters',
  eye: [0.7, -1.9, 0.7],
  state: { scene: 'curtain', faces: 3000, clusters: 8, time: 0.3, run: false },
  structure: (on) => { axes.visible = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { ClusterScene } = await load();
const scene = new ClusterScene(mesh, ${s.clusters});        // without a number: as many as promise the least work
scene.advance(positions);                        // the vertices of the next frame
const found = scene.pairs();                     // { faces, all, axisPairs, secondAxisPairs, candidates, exactTests }
scene.centers; scene.axes; scene.clusterOfFace;  // what to draw`,
  check: (impinge) => {
    const { moving, mesh } = whole(impinge, 'vase', 800);
    const scene = new impinge.ClusterScene(mesh, 5);
    return [0.5, 0.75, 1].map((time) => {
      scene.advance(moving.positions(time));
      const found = scene.pairs();
      const { all, entries, rounds, axisPairs, secondAxisPairs, candidates, exactTests } = found;
      const counts = [all, entries, rounds, axisPairs, secondAxisPairs, candidates, exactTests];
      return [found.faces, ...counts, scene.centers, scene.axes, scene.clusterOfFace];
    });
  },
});

const { THREE } = f;
const group = f.group();
const met = f.group();
const axes = f.group();
axes.visible = true;
let moving;
let scene;
let triangles;
let surface;

const choice = f.control('choice', 'scene', { label: 'Scene', options: SCENES }, () => rebuild(true));
f.control('slider', 'faces', { label: 'Faces', min: 500, max: 12000, step: 500 }, () => rebuild());
f.control('slider', 'clusters', { label: 'Clusters', min: 1, max: 32, step: 1 }, () => rebuild());
const slider = f.control('slider', 'time', { label: 'Time', min: 0, max: 1, step: 0.005 }, () => show());
f.control('check', 'run', { label: 'let time run' });
f.ui.structureButton.setAttribute('aria-pressed', 'true');
f.ui.legend('#d8343c', 'faces that intersect');
f.ui.legend('#1c2733', 'axes of the sweeps, through the centres');

const funnel = document.createElement('div');
funnel.style.cssText = 'display:grid;grid-template-columns:1fr;gap:4px;font-size:13px';
document.querySelector('aside .answer').after(funnel);
const note = document.createElement('div');
note.textContent = '* A face at a border counts in each cluster that it reaches into.';
note.style.cssText = 'font-size:13px;color:var(--soft);order:1';
document.querySelector('aside').append(note);

function drawFunnel(found) {
  const most = Math.log10(STEPS[0][1](found) + 1);
  funnel.replaceChildren(...STEPS.map(([text, of], i) => {
    const bar = document.createElement('div');
    const part = Math.log10(of(found) + 1) / most;
    bar.style.cssText = `justify-self:center;width:${Math.max(1, 100 * part)}%;height:9px;border-radius:3px;`
      + `background:hsl(${210 - i * 34} 55% 50%)`;
    const words = document.createElement('div');
    words.style.cssText = 'text-align:center;margin-top:2px;color:var(--soft)';
    words.textContent = `${text}: ${of(found).toLocaleString('en')}`;
    const row = document.createElement('div');
    row.style.cssText = 'display:grid';
    row.append(words, bar);
    return row;
  }));
}

const colourOf = (cluster) => new THREE.Color().setHSL((cluster * 0.61803 + 0.55) % 1, 0.5, 0.55);

function rebuild(look) {
  choice.set(f.state.scene);
  const made = whole(f.impinge, f.state.scene, f.state.faces);
  moving = made.moving;
  triangles = made.mesh.faces;
  scene = f.time('build', () => new f.impinge.ClusterScene(made.mesh, f.state.clusters));
  f.clear(group);
  const g = new THREE.BufferGeometry();
  for (const name of ['position', 'color']) g.setAttribute(name, new THREE.BufferAttribute(new Float32Array(triangles.length * 3), 3));
  const matt = { vertexColors: true, flatShading: true, roughness: 0.8, side: THREE.DoubleSide };
  surface = new THREE.Mesh(g, new THREE.MeshStandardMaterial(matt));
  surface.frustumCulled = false;
  group.add(surface);
  show();
  if (look) {
    g.computeBoundingBox();
    f.look(g.boundingBox.min.toArray(), g.boundingBox.max.toArray());
  }
}

function show() {
  const positions = moving.positions(f.state.time);
  const found = f.time('all pairs that intersect', () => { scene.advance(positions); return scene.pairs(); });
  const [centers, directions, clusters] = [scene.centers, scene.axes, scene.clusterOfFace];
  const { position, color } = surface.geometry.attributes;
  triangles.forEach((vertex, i) => { for (let k = 0; k < 3; k++) position.array[3 * i + k] = positions[3 * vertex + k]; });
  const palette = Array.from({ length: centers.length / 3 }, (_, i) => colourOf(i).toArray());
  const [low, high] = [Infinity, -Infinity].map((none) => palette.map(() => none));
  clusters.forEach((cluster, face) => {
    for (let k = 0; k < 3; k++) color.array.set(palette[cluster], 9 * face + 3 * k);
    // How far the cluster reaches along its axis.
    let along = 0;
    for (let k = 0; k < 3; k++) along += (position.array[9 * face + k] - centers[3 * cluster + k]) * directions[3 * cluster + k];
    low[cluster] = Math.min(low[cluster], along);
    high[cluster] = Math.max(high[cluster], along);
  });
  position.needsUpdate = true;
  color.needsUpdate = true;
  f.clear(axes);
  const along = (i, s) => [0, 1, 2].map((k) => centers[3 * i + k] + s * directions[3 * i + k]);
  const lines = palette.flatMap((_, i) => (low[i] > high[i] ? [] : [...along(i, low[i]), ...along(i, high[i])]));
  surface.geometry.computeBoundingSphere();
  const ink = new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue('--ink').trim());
  axes.add(segments(lines, ink, 3, true), dots(centers, ink, surface.geometry.boundingSphere.radius * 0.014));
  f.clear(met);
  const numbers = [...new Set(found.faces)];
  if (numbers.length) met.add(drawFaces(positions, triangles, numbers, COLOURS.hit));
  drawFunnel(found);
  f.count('faces', triangles.length / 3);
  f.count('clusters', centers.length / 3);
  f.count('faces over all clusters*', found.entries);
  f.count('pairs along the axes', found.axisPairs);
  f.answer(`${(found.faces.length / 2).toLocaleString('en')} of ${found.all.toLocaleString('en')} pairs intersect`);
  f.invalidate();
}

f.animate((seconds) => {
  if (!f.state.run) return false;
  f.state.time = (f.state.time + seconds * 0.15) % 1;
  slider.set(f.state.time);
  show();
  return true;
});
rebuild(true);
f.done();
