// Point clouds: the implicit surface behind the points, by geodesic or straight distances, and the curve in which two of them cross.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, dots, solid } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const MODELS = ['roll', 'blob', 'vase', 'torus-knot'];
/** Cells of the slice along either side, and half its side. */
const CELLS = 96;
const HALF = 1.2;

const f = await frame({
  name: 'clouds',
  eye: [0.5, -2.6, 2.9],
  state: { model: 'roll', points: 1200, distance: 'geodesic', slice: 0, surface: false, pose: [0.85, 0.3, 0.15, 0.2, 0.1, 0, 0.97] },
  structure: (on) => { graph.visible = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Cloud } = await load();
const cloud = new Cloud(points);                 // nothing but points
cloud.fitSurface('${s.distance}');               // f(x) = n(x) · (a(x) − x), weighted by ${s.distance} distances
cloud.evaluate(places);                          // about the signed distance; NaN where the points say nothing
const { points: curve } = cloud.crossings(other, pose);     // where the two surfaces cross
cloud.graphEdges();                              // the proximity graph
cloud.preview(0.05);                             // a mesh of the surface, to look at`,
  check: ({ Cloud, Mesh }) => {
    const cloud = new Cloud(Mesh.generate('blob', 800).vertices);
    const places = [];
    for (let i = 0; i < 48; i++) {
      places.push(0.25 * (i % 4) - 0.375, 0.25 * (Math.floor(i / 4) % 4) - 0.375, 0.75 + 0.125 * Math.floor(i / 16));
    }
    cloud.fitSurface('euclidean');
    const straight = cloud.evaluate(places);
    cloud.fitSurface();
    const met = cloud.crossings(cloud, [0.5, 0.25, 0.125], 100);
    return [straight, cloud.evaluate(places), met.answer, met.brackets, met.evaluations, met.points];
  },
});

const { THREE } = f;
const { Cloud, Mesh } = f.impinge;
const group = { a: f.group(), b: f.group(), met: f.group() };
const graph = f.group();
graph.visible = false;
let cloud;
let timer;

const choice = f.control('choice', 'model', { label: 'Points of', options: MODELS }, () => rebuild());
f.control('slider', 'points', { label: 'Points', min: 300, max: 4000, step: 100 }, () => rebuild());
const distance = f.control('choice', 'distance', { label: 'Distance', options: ['geodesic', 'euclidean'] }, () => rebuild());
f.control('slider', 'slice', { label: 'Height of the slice', min: -1, max: 1, step: 0.02 }, () => slice());
f.control('check', 'surface', { label: 'show the surfaces as meshes' }, () => rebuild());
f.ui.legend('#4d8fd1', 'points; in the slice: one side of the surface');
f.ui.legend('#e0a040', 'second cloud: drag it; in the slice: the other side');
f.ui.legend('#ffffff', 'in the slice: the surface');
f.ui.legend('#d8343c', 'where the surfaces cross');
draggable(f, group.b, () => {
  f.state.pose = poseOf(group.b);
  f.save();
  cross();
});

function random(seed) {
  let x = seed;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 4294967296;
  };
}

/** Points of a rolled sheet: its layers are close, but far from each other along it. */
function roll(count) {
  const [next, places] = [random(5), []];
  // Rows that are as far apart as the points in them, each point moved a little.
  const [length, width] = [7.4, 1.3];
  const step = Math.sqrt((length * width) / count);
  for (let along = 0; along < length; along += step) {
    for (let across = 0; across < width; across += step) {
      const s = along + step * 0.6 * next();
      // The length of a spiral of pitch p grows as its angle squared.
      const turn = Math.sqrt(2 * (s + 0.35) / 0.05);
      places.push(0.05 * turn * Math.cos(turn), 0.05 * turn * Math.sin(turn), across + step * 0.6 * next() - width / 2);
    }
  }
  return places;
}

function pointsOf(model, count) {
  if (model === 'roll') return roll(count);
  return fitted(f.impinge, Mesh.generate(model, 2 * count), 2).vertices;
}

function rebuild() {
  choice.set(f.state.model);
  distance.set(f.state.distance);
  const places = pointsOf(f.state.model, f.state.points);
  cloud = new Cloud(places);
  f.time('fit', () => cloud.fitSurface(f.state.distance));
  const surface = f.state.surface && f.time('mesh', () => cloud.preview(0.06));
  for (const key of ['a', 'b']) {
    f.clear(group[key]);
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(places), 3));
    const drawn = new THREE.Points(g, new THREE.PointsMaterial({ color: COLOURS[key], size: 0.034 }));
    // The hand takes hold of the box: points would be hit from far away.
    drawn.raycast = () => {};
    group[key].add(drawn, grip(places));
    if (surface) group[key].add(solid(surface, COLOURS[key], { opacity: 0.45 }));
  }
  setPose(group.b, f.state.pose);
  const off = cloud.evaluate(places).filter((v) => !Number.isNaN(v));
  f.count('points', places.length / 3);
  f.count('mean distance of points and surface', off.reduce((sum, v) => sum + Math.abs(v), 0) / off.length);
  drawGraph(places);
  slice();
  cross();
}

/** A box around the points that is not drawn. */
function grip(places) {
  const box = new THREE.Box3().setFromArray(places);
  const hull = new THREE.BoxGeometry(...box.getSize(new THREE.Vector3()).toArray());
  hull.translate(...box.getCenter(new THREE.Vector3()).toArray());
  return new THREE.Mesh(hull, new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false }));
}

function drawGraph(places) {
  f.clear(graph);
  const edges = cloud.graphEdges();
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(places), 3));
  g.setIndex(new THREE.BufferAttribute(edges, 1));
  graph.add(new THREE.LineSegments(g, new THREE.LineBasicMaterial({ color: COLOURS.box })));
  f.count('edges of the graph', edges.length / 2);
}

let sheet;
/** The function in a plane: blue and orange by sign, white where it changes its sign, nothing where it is undefined. */
function slice() {
  const places = [];
  for (let j = 0; j < CELLS; j++) {
    for (let i = 0; i < CELLS; i++) {
      places.push(((i + 0.5) / CELLS * 2 - 1) * HALF, ((j + 0.5) / CELLS * 2 - 1) * HALF, f.state.slice);
    }
  }
  const values = f.time(`${CELLS * CELLS} evaluations`, () => cloud.evaluate(places));
  const pixels = new Uint8Array(4 * values.length);
  const cell = (2 * HALF) / CELLS;
  // Between two neighbours the function passes zero; where it leaps from far to far there is no surface.
  const parts = (v, next) => v < 0 !== next < 0 && Math.abs(v - next) < 3 * cell;
  values.forEach((v, i) => {
    const fade = Math.min(1, Math.abs(v) / 0.25);
    const [r, g, b] = v < 0 ? [77, 143, 209] : [224, 160, 64];
    const isSurface = ((i + 1) % CELLS && parts(v, values[i + 1])) || parts(v, values[i + CELLS]);
    if (!Number.isNaN(v)) pixels.set(isSurface ? [255, 255, 255, 255] : [r, g, b, 215 - 205 * fade], 4 * i);
  });
  const texture = new THREE.DataTexture(pixels, CELLS, CELLS);
  texture.magFilter = THREE.LinearFilter;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.needsUpdate = true;
  sheet?.material.map.dispose();
  sheet?.material.dispose();
  sheet ??= f.scene.add(new THREE.Mesh(new THREE.PlaneGeometry(2 * HALF, 2 * HALF))).children.at(-1);
  sheet.material = new THREE.MeshBasicMaterial({ map: texture, transparent: true, side: THREE.DoubleSide, depthWrite: false });
  sheet.position.z = f.state.slice;
  f.count('places with a value in the slice', values.filter((v) => !Number.isNaN(v)).length);
  f.invalidate();
}

function cross() {
  const search = (candidates) => {
    const met = f.time(`crossings from ${candidates} candidates`, () => cloud.crossings(cloud, f.state.pose, candidates));
    f.clear(group.met);
    if (met.points.length) group.met.add(dots(met.points, COLOURS.hit, 0.022));
    f.count('points of the curve', met.points.length / 3);
    f.count('evaluations', met.evaluations);
    f.answer(met.answer ? `The surfaces cross: ${met.points.length / 3} points of the curve` : 'The surfaces do not cross');
    f.invalidate();
  };
  search(80);
  clearTimeout(timer);
  // More of the curve when the hand rests.
  timer = setTimeout(() => search(1500), 250);
}

rebuild();
f.done();
