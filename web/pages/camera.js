// A depth camera watches a robot arm: which part of the arm is nearest to anything that the camera sees?

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, dots, segments, solid, spheres } from '../lib/draw.js';
import { draggable } from '../lib/drag.js';

/** Where the joints are, from the base on, and what they turn about. */
const HEIGHTS = [0.16, 0.18, 0.2, 0.2, 0.2, 0.19, 0.1];
const AXES = [0, 0, 1, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1];
const LAST = 0.08;
/** The camera looks along y; its picture's down is the floor's. */
const EYE = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -2, 1, 1];
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** The arm stands so high above the floor. */
const FOOT = 0.35;
/** Nearer to the arm than this, a point is taken for the arm itself. */
const OWN = 0.04;

const f = await frame({
  name: 'camera',
  eye: [2.2, -2.5, 2],
  target: [0, -0.3, 0.85],
  state: { time: 0.1, run: true, width: 72, noise: 1, obstacle: [-0.42, -0.1, 1.05] },
  structure: (on) => { structure = on; for (const link of links) link.inner.visible = on; },
  update: () => { thing.position.fromArray(f.state.obstacle); see(); },
  code: (s) => `import { load } from 'impinge';
const { Chain, DepthCamera, Links, SphereTree } = await load();
const camera = new DepthCamera(${s.width}, ${Math.round(s.width * 0.75)}, 1.1, 4);
for (const mesh of scene) camera.add(mesh);
const seen = camera.capture(eye, placements, ${s.noise / 1000});   // points in the world
const places = new Chain(offsets, axes).poses(base, angles);
for (const link of arm) links.add(SphereTree.ofMesh(link, 120));
links.setPoints(seen);
links.removeOwn(places, ${OWN});                 // the arm sees itself
links.nearest(places);                         // { link, distance, point, witness }`,
  check: ({ Chain, DepthCamera, Links, Mesh, SphereTree }) => {
    const camera = new DepthCamera(40, 30, 1, 20);
    const eye = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -8, 1, 1];
    const places = new Chain([0, 0, 2], [0, 1, 0]).poses([0, 0, 0], [0.5]);
    const capsule = Mesh.generate('capsule', 400);
    const ball = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2.5, 0, 1, 1];
    for (const mesh of [Mesh.generate('icosphere', 320), capsule, capsule]) camera.add(mesh);
    const seen = camera.capture(eye, [...ball, ...places], 0.001, 3);
    const links = new Links();
    const tree = SphereTree.ofMesh(capsule, 40);
    links.add(tree);
    links.add(tree);
    links.setPoints(seen);
    const removed = links.removeOwn(places, 0.25);
    const near = links.nearest(places);
    return [seen.length / 3, seen, places, removed, links.pointCount, links.distances(places), near.link, near.distance, near.point];
  },
});

const { THREE } = f;
const { Chain, DepthCamera, Links, Mesh, Shape, SphereTree } = f.impinge;
const offsets = HEIGHTS.flatMap((h) => [0, 0, h]);
const chain = new Chain(offsets, AXES);
const robot = new Links();
let structure = false;
let frames = 0;
let camera;

const links = f.time('fill eight links with spheres', () => [...HEIGHTS, LAST].map((length) => {
  const mesh = Shape.capsule([0, 0, 0], [0, 0, length], 0.055).toMesh(20);
  const tree = SphereTree.ofMesh(mesh, 120);
  robot.add(tree);
  const group = f.group();
  const skin = solid(mesh, COLOURS.a, { opacity: 0.9 });
  const inner = spheres(tree.spheres, COLOURS.box, { detail: 1 });
  inner.visible = false;
  group.add(skin, inner);
  group.matrixAutoUpdate = false;
  return { mesh, group, skin, inner };
}));
const still = [Shape.cuboid(1.8, 1.4, 0.02).toMesh(), Shape.cuboid(1.8, 0.02, 0.9).toMesh()];
const placedAt = (x, y, z) => [...IDENTITY.slice(0, 12), x, y, z, 1];
const stillPlaces = [placedAt(0, 0, -0.02), placedAt(0, 1.2, 0.9)];
const body = fitted(f.impinge, Mesh.generate('blob', 600), 0.42);
const thing = f.group();
thing.add(solid(body, COLOURS.b));
thing.position.fromArray(f.state.obstacle);
f.scene.add(new THREE.GridHelper(3.2, 16, 0x8899aa, 0x8899aa).rotateX(Math.PI / 2));
f.scene.add(segments(pyramid(0.55), COLOURS.box, 2));
const post = solid(Shape.cuboid(0.1, 0.1, FOOT / 2 - 0.03).toMesh(), 0x8899aa, { smooth: false });
post.position.z = FOOT / 2 - 0.03;
f.scene.add(post);
const found = f.group();
const dust = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ size: 0.022, color: COLOURS.witness }));
dust.frustumCulled = false;
// The hand takes hold of the obstacle alone.
dust.raycast = () => {};
f.scene.add(dust);

const slider = f.control('slider', 'time', { label: 'Time', min: 0, max: 1, step: 0.005 }, () => {
  f.state.run = false;
  running.set(false);
  see();
});
f.control('slider', 'width', { label: 'Pixels across', min: 24, max: 160, step: 8 }, () => see());
f.control('slider', 'noise', { label: 'Noise at one metre, mm', min: 0, max: 20, step: 0.5 }, () => see());
const running = f.control('check', 'run', { label: 'let the arm move' });
f.ui.legend('#7b61c9', 'depth camera');
f.ui.legend('#22a06b', 'what it sees');
f.ui.legend('#e0a040', 'somebody: drag it');
f.ui.legend('#d8343c', 'shortest distance, and the link that has it');
draggable(f, thing, () => {
  f.state.obstacle = thing.position.toArray();
  f.save();
  see();
});

/** The edges of what the camera sees up to a depth. */
function pyramid(depth) {
  const [right, up] = [depth * Math.tan(0.55), 0.75 * depth * Math.tan(0.55)];
  const corner = (i) => [(i === 0 || i === 3 ? 1 : -1) * right, EYE[13] + depth, EYE[14] + (i < 2 ? 1 : -1) * up];
  const eye = EYE.slice(12, 15);
  return [0, 1, 2, 3].flatMap((i) => [...eye, ...corner(i), ...corner(i), ...corner((i + 1) % 4)]);
}

function see() {
  const { width, time } = f.state;
  const angles = HEIGHTS.map((_, k) => 0.62 * Math.sin(2 * Math.PI * time + 0.55 * k));
  const places = chain.poses([0, 0, FOOT], angles);
  links.forEach(({ group }, i) => { group.matrix.fromArray(places, 16 * i); group.matrixWorldNeedsUpdate = true; });
  if (camera?.width !== width) {
    camera = { width, made: new DepthCamera(width, Math.round(width * 0.75), 1.1, 4) };
    for (const mesh of [...still, body, ...links.map((link) => link.mesh)]) camera.made.add(mesh);
  }
  const [x, y, z] = f.state.obstacle;
  const scene = [...stillPlaces[0], ...stillPlaces[1], ...placedAt(x, y, z), ...places];
  const seen = f.time('take the picture', () => camera.made.capture(EYE, scene, f.state.noise / 1000, frames++));
  const near = f.time('index, remove the arm, nearest point', () => {
    robot.setPoints(seen);
    f.count('points of the arm itself', robot.removeOwn(places, OWN));
    return robot.nearest(places);
  });
  dust.geometry.dispose();
  dust.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(seen), 3));
  f.clear(found);
  links.forEach(({ skin }, i) => {
    skin.material.color.set(near && i === near.link ? COLOURS.hit : COLOURS.a);
    skin.material.opacity = structure ? 0.25 : 0.9;
  });
  f.count('points seen', seen.length / 3);
  f.count('points left', robot.pointCount);
  f.count('comparisons', robot.tests);
  f.count('distance, cm', near ? near.distance * 100 : NaN);
  if (near) found.add(segments([...near.witness, ...near.point], COLOURS.hit, 4, true), dots(near.point, COLOURS.hit, 0.022));
  f.answer(near ? `Link ${near.link + 1} is ${(near.distance * 100).toFixed(1)} cm from what is seen` : 'Nothing is seen');
  f.invalidate();
}

f.animate((seconds) => {
  if (!f.state.run) return false;
  f.state.time = (f.state.time + seconds * 0.1) % 1;
  slider.set(f.state.time);
  see();
  return true;
});
see();
f.done();
