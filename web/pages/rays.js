// Rays and nearest points: what the pointer sees, and what is nearest to a probe.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, dots, faces, segments, solid } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

const MODELS = ['torus-knot', 'hand', 'castle', 'gear', 'blob', 'mushroom'];

const f = await frame({
  name: 'rays',
  eye: [1.8, -3.1, 1.8],
  state: { model: 'torus-knot', faces: 12000, probe: [1.5, -0.6, 0.5], fan: 400 },
  structure: (on) => { rays.visible = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh } = await load();
const mesh = Mesh.generate('${s.model}', ${s.faces});
mesh.castRay(origin, direction);                 // { t, face, point, normal }: no ray slips between two faces
mesh.castRays(origins, directions);              // ${s.fan} at once
mesh.closestPoint([${s.probe.map((x) => x.toFixed(2)).join(', ')}]);       // { distance, point, face }
mesh.contains(point);                            // exact`,
  check: ({ Mesh }) => {
    const mesh = Mesh.generate('torus-knot', 3000);
    const origins = [];
    const directions = [];
    const points = [];
    for (let i = 0; i < 64; i++) {
      origins.push((i % 8) * 0.875 - 3, Math.floor(i / 8) * 0.875 - 3, 6);
      directions.push(0.0625 * (i % 3), 0.03125 * (i % 5), -1);
      points.push([(i % 8) * 0.75 - 2.75, Math.floor(i / 8) * 0.75 - 2.75, 0.25 * (i % 4)]);
    }
    const hits = mesh.castRays(origins, directions);
    const near = points.map((p) => { const n = mesh.closestPoint(p); return [n.distance, n.point, n.face, mesh.contains(p)]; });
    return [hits.t, hits.face, hits.point, hits.normal, near];
  },
});

const { THREE } = f;
const group = { mesh: f.group(), found: f.group(), probe: f.group() };
const rays = f.group();
rays.visible = true;
let mesh;
let arrays;

const choice = f.control('choice', 'model', { label: 'Mesh', options: MODELS }, () => rebuild());
f.control('slider', 'faces', { label: 'Faces', min: 500, max: 80000, step: 500 }, () => rebuild());
f.control('slider', 'fan', { label: 'Rays of the fan (Structure)', min: 10, max: 4000, step: 10 }, () => update());
f.acceptMesh((own) => rebuild(own), 2.6);
f.ui.structureButton.setAttribute('aria-pressed', 'true');
f.ui.legend('#e0a040', 'probe: drag it');
f.ui.legend('#7b61c9', 'rays from the probe, and what they hit first');
f.ui.legend('#22a06b', 'nearest point of the mesh');
f.ui.legend('#d8343c', 'face under the pointer');
group.probe.add(dots([0, 0, 0], COLOURS.b, 0.09));
group.probe.position.fromArray(f.state.probe);
draggable(f, group.probe, () => {
  f.state.probe = group.probe.position.toArray();
  f.save();
  update();
});

let under = null;
f.canvas.addEventListener('pointermove', (event) => {
  const box = f.canvas.getBoundingClientRect();
  const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  const caster = new THREE.Raycaster();
  caster.setFromCamera(at, f.camera);
  const { origin, direction } = caster.ray;
  const hit = f.time('one ray', () => mesh.castRay(origin.toArray(), direction.toArray()));
  f.count('face under the pointer', hit ? hit.face : -1);
  under?.removeFromParent();
  under = hit ? faces(arrays.vertices, arrays.faces, [hit.face], COLOURS.hit) : null;
  if (under) f.scene.add(under);
  f.invalidate();
});

function rebuild(own) {
  choice.set(f.state.model);
  mesh = own ?? fitted(f.impinge, f.impinge.Mesh.generate(f.state.model, f.state.faces), 2.6);
  arrays = { vertices: mesh.vertices, faces: mesh.faces };
  f.clear(group.mesh);
  group.mesh.add(solid(mesh, COLOURS.a));
  f.time('build', () => mesh.buildIndex());
  update();
}

function update() {
  f.clear(group.found);
  f.clear(rays);
  const p = f.state.probe;
  const near = f.time('closest point', () => mesh.closestPoint(p));
  group.found.add(segments([...p, ...near.point], COLOURS.witness, 4, true), dots(near.point, COLOURS.witness, 0.045));
  group.found.add(faces(arrays.vertices, arrays.faces, [near.face], COLOURS.witness));
  const inside = mesh.isClosed && f.time('contains', () => mesh.contains(p));
  f.count('distance', near.distance);
  f.answer(`${inside ? 'Inside' : 'Outside'}, ${near.distance.toPrecision(4)} from the surface`);
  const origins = new Float64Array(3 * f.state.fan);
  const directions = new Float64Array(3 * f.state.fan);
  for (let i = 0; i < f.state.fan; i++) {
    const z = 1 - (2 * (i + 0.5)) / f.state.fan;
    const r = Math.sqrt(1 - z * z);
    origins.set(p, 3 * i);
    directions.set([r * Math.cos(i * 2.399963), r * Math.sin(i * 2.399963), z], 3 * i);
  }
  const hits = f.time('fan of rays', () => mesh.castRays(origins, directions));
  const seen = [...hits.t.keys()].filter((i) => hits.t[i] < Infinity);
  f.count('rays that hit', seen.length);
  rays.add(segments(seen.flatMap((i) => [...p, ...hits.point.subarray(3 * i, 3 * i + 3)]), COLOURS.box, 1.5));
  rays.add(dots(seen.flatMap((i) => [...hits.point.subarray(3 * i, 3 * i + 3)]), COLOURS.box, 0.02));
  f.invalidate();
}

rebuild();
f.done();
