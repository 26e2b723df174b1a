// Voxmap-PointShell beside inner spheres: two penalty forces of the same two solids.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, arrow, solid, spheres } from '../lib/draw.js';
import { draggable, poseOf, setPose } from '../lib/drag.js';

const MODELS = ['gear', 'blob', 'torus-knot', 'mushroom', 'screw'];
/** How far either method stands from the middle. */
const BESIDE = 1.4;
const LAYERS = [0x4d8fd1, 0x22a06b, 0xc9b23c, 0xe0703c, 0xd8343c, 0x9b3fb5];

const f = await frame({
  name: 'voxmap',
  eye: [0.4, -5.1, 2.6],
  target: [0.4, 0, 0.1],
  state: { model: 'gear', resolution: 36, count: 300, pose: [0.85, -0.05, 0.3, 0.23, 0.12, 0, 0.966] },
  structure: (on) => { cut = on; rebuild(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Voxmap, Pointshell, SphereTree } = await load();
const voxels = new Voxmap(a, ${s.resolution});               // layers of voxels: 0 at the surface, 1, 2, … inside
const points = new Pointshell(b, ${s.resolution});           // points with normals
voxels.force(points, pose);                    // { force, torque, penetrating, lower, upper }

const inner = [a, b].map((mesh) => SphereTree.ofMesh(mesh, ${s.count}));
inner[0].volume(inner[1], pose).gradient;      // of the shared volume: the force of inner spheres`,
  check: ({ Mesh, Voxmap, Pointshell }) => {
    const mesh = Mesh.generate('gear', 800);
    const [map, shell] = [new Voxmap(mesh, 24), new Pointshell(mesh, 24)];
    const pressed = [0, 1, 2, 3].map((step) => {
      const p = map.force(shell, [1.75 + 0.125 * step, 0.25, 0.0625]);
      return [p.force, p.torque, p.penetrating, p.lower, p.upper, p.tests];
    });
    return [map.side, map.bytes, shell.points.length / 3, pressed, map.layer(1)];
  },
});

const { THREE } = f;
const { Mesh, Voxmap, Pointshell, SphereTree } = f.impinge;
const side = (x) => { const g = f.group(); g.position.x = x; g.updateMatrixWorld(); return g; };
const [left, right] = [side(-BESIDE), side(BESIDE)];
const inside = (parent) => { const g = new THREE.Group(); parent.add(g); return g; };
const still = [inside(left), inside(right)];
const moving = [inside(left), inside(right)];
const forces = [inside(left), inside(right)];
let cut = false;
let map;
let shell;
let shellPoints;
let trees;
let drawnPoints;

const choice = f.control('choice', 'model', { label: 'Solids', options: MODELS }, () => rebuild());
f.control('slider', 'resolution', { label: 'Voxels along the longest side', min: 10, max: 80, step: 2 }, () => rebuild());
f.control('slider', 'count', { label: 'Inner spheres', min: 20, max: 800, step: 20 }, () => rebuild());
f.ui.legend('#4d8fd1', 'left: voxels of the surface; right: inner spheres');
f.ui.legend('#e0a040', 'second solid: drag the left one');
f.ui.legend('#d8343c', 'points inside, and the force on the second solid');
draggable(f, moving[0], () => {
  f.state.pose = poseOf(moving[0]);
  f.save();
  update();
});

/** The voxels of some layers; those towards the reader are left out when the solid is cut. */
function voxels() {
  const [layers, out] = [cut ? [0, 1, 2, 3, 4, 5] : [0], new THREE.Group()];
  for (const layer of layers) {
    const all = map.layer(layer);
    const kept = [];
    for (let i = 0; i < all.length; i += 3) if (!cut || all[i + 1] > 0) kept.push(i);
    const material = new THREE.MeshLambertMaterial({ color: LAYERS[layer], transparent: !cut, opacity: cut ? 1 : 0.14, depthWrite: cut });
    const size = map.side * 0.92;
    const boxes = new THREE.InstancedMesh(new THREE.BoxGeometry(size, size, size), material, kept.length);
    const at = new THREE.Matrix4();
    kept.forEach((i, k) => boxes.setMatrixAt(k, at.setPosition(all[i], all[i + 1], all[i + 2])));
    out.add(boxes);
    if (layer === 0) f.count('voxels of the surface', all.length / 3);
  }
  return out;
}

function rebuild() {
  choice.set(f.state.model);
  const mesh = fitted(f.impinge, Mesh.generate(f.state.model, 3000), 1.7);
  map = f.time('voxels', () => new Voxmap(mesh, f.state.resolution));
  shell = f.time('points', () => new Pointshell(mesh, f.state.resolution));
  const tree = f.time('inner spheres', () => SphereTree.ofMesh(mesh, f.state.count));
  trees = [tree, tree];
  for (const group of [...still, ...moving]) f.clear(group);
  still[0].add(voxels());
  still[1].add(solid(mesh, COLOURS.a, { opacity: 0.16 }), spheres(tree.spheres, COLOURS.a, { detail: 2 }));

  shellPoints = shell.points;
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(shellPoints), 3));
  g.setAttribute('color', new THREE.BufferAttribute(new Float32Array(shellPoints.length), 3));
  drawnPoints = new THREE.Points(g, new THREE.PointsMaterial({ size: 0.03, vertexColors: true }));
  // The hand takes hold of the mesh: points would be hit from far away.
  drawnPoints.raycast = () => {};
  moving[0].add(drawnPoints, solid(mesh, COLOURS.b, { opacity: 0.1 }));
  moving[1].add(solid(mesh, COLOURS.b, { opacity: 0.16 }), spheres(tree.spheres, COLOURS.b, { detail: 2 }));
  f.count('points', shellPoints.length / 3);
  f.count('bytes of voxels and points', map.bytes + shell.bytes);
  update();
}

/** An arrow of one length, where the force acts. */
function drawForce(group, at, force) {
  f.clear(group);
  const size = Math.hypot(...force);
  if (size > 0) group.add(arrow(at, [...force].map((x) => (x / size) * 0.9), COLOURS.hit));
}

function update() {
  const { pose } = f.state;
  for (const group of moving) setPose(group, pose);
  const pressed = f.time('force of points and voxels', () => map.force(shell, pose));
  const shared = f.time('force of inner spheres', () => trees[0].volume(trees[1], pose));
  // Both are forces on the second solid.
  const pair = [[...pressed.force].map((x) => -x), [...shared.gradient].map((x) => -x)];
  const layers = map.layersAt(shellPoints, pose);
  const colours = drawnPoints.geometry.attributes.color;
  const [hit, calm] = [new THREE.Color(COLOURS.hit), new THREE.Color(COLOURS.b)];
  const middle = new THREE.Vector3();
  let counted = 0;
  layers.forEach((layer, i) => {
    const { r, g, b } = layer >= 0 ? hit : calm;
    colours.array.set([r, g, b], 3 * i);
    if (layer < 0) return;
    counted += 1;
    middle.add(new THREE.Vector3().fromArray(shellPoints, 3 * i));
  });
  colours.needsUpdate = true;
  if (counted) middle.divideScalar(counted).applyMatrix4(moving[0].matrix);
  drawForce(forces[0], counted ? middle.toArray() : [0, 0, 0], counted ? pair[0] : [0, 0, 0]);
  drawForce(forces[1], [...shared.centroid], pair[1]);
  const sizes = pair.map((force) => Math.hypot(...force));
  const cosine = pair[0].reduce((sum, x, k) => sum + x * pair[1][k], 0) / (sizes[0] * sizes[1]);
  f.count('points inside', pressed.penetrating);
  f.count('depth, at least', pressed.lower);
  f.count('depth, at most', pressed.upper);
  f.count('shared volume of the spheres', shared.volume);
  f.count('angle between the forces, °', sizes[0] && sizes[1] ? (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI : 0);
  f.answer(pressed.penetrating ? `${pressed.penetrating} of ${layers.length} points are inside` : 'They are apart');
  f.invalidate();
}

rebuild();
f.done();
