// A pyramid of rigid bricks, bombarded by balls.

import { frame } from '../lib/frame.js';
import { clickable } from '../lib/drag.js';
import { COLOURS, dots, segments } from '../lib/draw.js';

const BRICK = [0.25, 0.15, 0.125];
const BALL = 0.16;
/** Balls that fly at most: later ones are not shot. */
const BALLS = 40;
const STEP = 1 / 60;

const f = await frame({
  name: 'pyramid',
  eye: [2.6, -6.2, 2.6], target: [0, 0, 0.7],
  state: { rows: 8, kind: 'wall', density: 8000, speed: 9, friction: 0.6, run: true },
  structure: (on) => { found.visible = on; show(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { RigidWorld, Shape } = await load();
const world = new RigidWorld();                  // z is up
world.add(floor, 0, [0, 0, -0.5]);               // density 0: at rest for ever
world.add(Shape.cuboid(${BRICK.join(', ')}), 1000, pose, ${s.friction});
const ball = world.add(Shape.ball(${BALL}), ${s.density}, eye);
world.setVelocities(ball, [0, ${s.speed}, 0], [0, 0, 0]);
world.step(1 / 60);                              // the same calls give the same bytes
world.poses; world.contacts;`,
  check: ({ RigidWorld, Shape }) => {
    const world = new RigidWorld();
    world.add(Shape.cuboid(4, 4, 0.5), 0, [0, 0, -0.5]);
    const brick = Shape.cuboid(0.25, 0.25, 0.25);
    for (const [x, z] of [[-0.275, 0.25], [0.275, 0.25], [0, 0.75]]) world.add(brick, 500, [x, 0, z]);
    const ball = world.add(Shape.ball(0.25), 2000, [-2, 0, 0.75], undefined, 0.25);
    world.setVelocities(ball, [8, 0, 0], [0, 0, 0]);
    const contacts = [];
    for (let step = 0; step < 40; step++) {
      world.step(1 / 60);
      contacts.push(world.contacts.length / 3);
    }
    return [contacts, world.poses.subarray(16)];
  },
});

const { RigidWorld, Shape } = f.impinge;
const { THREE } = f;
const group = f.group();
const found = f.group();
found.visible = false;
const floor = new THREE.Mesh(new THREE.BoxGeometry(9, 9, 0.1), new THREE.MeshStandardMaterial({ color: 0x8d99a6, roughness: 0.9 }));
floor.position.z = -0.05;
f.scene.add(floor);
let world;
let bricks;
let balls;
let rest;
let shots = 0;
let steps = 0;
/** Where the next ball of the keyboard goes. */
const target = new THREE.Vector3(0, 0, 0.8);
const mark = segments([-0.12, 0, 0, 0.12, 0, 0, 0, 0, -0.12, 0, 0, 0.12], COLOURS.hit, 3, true);
f.scene.add(mark);

const choice = f.control('choice', 'kind', { label: 'Pyramid', options: ['wall', 'four sides', 'rain'] }, () => rebuild());
f.control('slider', 'rows', { label: 'Rows', min: 2, max: 14, step: 1 }, () => rebuild());
f.control('slider', 'speed', { label: 'Speed of a ball, m/s', min: 2, max: 25, step: 1 });
f.control('slider', 'density', { label: 'Density of a ball, kg/m³', min: 200, max: 20000, step: 200 });
f.control('slider', 'friction', { label: 'Friction', min: 0, max: 1, step: 0.05 }, () => rebuild());
f.control('check', 'run', { label: 'let time go on' });
f.ui.button({ label: 'Shoot (space)', press: () => shoot(target) });
f.ui.button({ label: 'Build it again', press: () => rebuild() });
f.ui.legend('#e0a040', 'brick');
f.ui.legend('#4d8fd1', 'ball: click to shoot one');
f.ui.legend('#d8343c', 'contact points (Structure)');

/** Where the bricks are: a wall, rows that are narrower on all sides, or fifty times as many as rows above each other in the air. */
function places() {
  const out = [];
  const [x, y, z] = BRICK.map((h) => 2 * h);
  if (f.state.kind === 'rain') {
    for (let i = 0; i < 50 * f.state.rows; i++) {
      out.push([(i % 10 - 4.5) * 0.7, (Math.floor(i / 10) % 10 - 4.5) * 0.7, 0.6 + Math.floor(i / 100) * 0.6]);
    }
    return out;
  }
  for (let row = 0; row < f.state.rows; row++) {
    const across = f.state.rows - row;
    // Square layers grow fast: half as many rows are as many bricks.
    const deep = f.state.kind === 'wall' ? 1 : across;
    for (let i = 0; i < across; i++) {
      for (let j = 0; j < deep; j++) {
        out.push([(i - (across - 1) / 2) * x * 1.04, (j - (deep - 1) / 2) * y * 1.04, (row + 0.5) * z]);
      }
    }
    if (out.length > 240) break;
  }
  return out;
}

function rebuild() {
  choice.set(f.state.kind);
  world = new RigidWorld();
  world.add(Shape.cuboid(20, 20, 0.5), 0, [0, 0, -0.5], f.state.friction);
  const brick = Shape.cuboid(...BRICK);
  rest = places();
  for (const [i, at] of rest.entries()) {
    const body = world.add(brick, 1000, at, f.state.friction);
    if (f.state.kind === 'rain') world.setVelocities(body, [0, 0, 0], [i % 7 - 3, i % 5 - 2, i % 3 - 1]);
  }
  f.clear(group);
  const look = (colour) => new THREE.MeshStandardMaterial({ color: colour, roughness: 0.7 });
  bricks = new THREE.InstancedMesh(new THREE.BoxGeometry(...BRICK.map((h) => 2 * h)), look(0xffffff), rest.length);
  rest.forEach((_, i) => bricks.setColorAt(i, new THREE.Color(COLOURS.b).offsetHSL(0, 0, ((i * 7) % 5 - 2) * 0.025)));
  balls = new THREE.InstancedMesh(new THREE.SphereGeometry(BALL, 24, 16), look(COLOURS.a), BALLS);
  bricks.frustumCulled = balls.frustumCulled = false;
  balls.count = 0;
  group.add(bricks, balls);
  steps = 0;
  show();
}

/** A ball from the camera towards a point, aimed a little higher so that it gets there in spite of its weight. */
function shoot(point) {
  if (balls.count === BALLS) return;
  const from = f.camera.position.clone().add(point.clone().sub(f.camera.position).clampLength(0, 1.5));
  from.z = Math.max(from.z, BALL + 0.01);
  const away = point.clone().sub(from);
  const seconds = away.length() / f.state.speed;
  const velocity = away.divideScalar(seconds);
  velocity.z += 0.5 * 9.81 * seconds;
  const ball = world.add(Shape.ball(BALL), f.state.density, from.toArray(), f.state.friction, 0.2);
  world.setVelocities(ball, velocity.toArray(), [0, 0, 0]);
  balls.count += 1;
  shots += 1;
  show();
}

function show() {
  const poses = world.poses;
  const m = new THREE.Matrix4();
  let standing = 0;
  // The floor is body 0, then come the bricks, then balls.
  for (let i = 0; i < rest.length; i++) {
    bricks.setMatrixAt(i, m.fromArray(poses, 16 * (i + 1)));
    const moved = [0, 1, 2].map((k) => m.elements[12 + k] - rest[i][k]);
    if (Math.hypot(...moved) < 0.1) standing += 1;
  }
  for (let i = 0; i < balls.count; i++) balls.setMatrixAt(i, m.fromArray(poses, 16 * (i + 1 + rest.length)));
  bricks.instanceMatrix.needsUpdate = balls.instanceMatrix.needsUpdate = true;
  const contacts = world.contacts;
  f.clear(found);
  if (found.visible && contacts.length) found.add(dots(contacts, COLOURS.hit, 0.02));
  mark.position.copy(target);
  f.count('bricks', rest.length);
  f.count('balls shot', shots);
  f.count('contact points', contacts.length / 3);
  f.count('steps', steps);
  f.answer(standing === rest.length ? 'It stands' : `${rest.length - standing} of ${rest.length} bricks moved`);
  f.invalidate();
}

clickable(f, (ray) => {
  const hit = ray.intersectObjects([bricks, floor])[0];
  if (hit) shoot(hit.point);
});
addEventListener('keydown', (event) => {
  if (event.target.matches?.('input, select, button')) return;
  const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
  if (step) target.set(target.x + step[0], 0, Math.max(0, target.z + step[1]));
  else if (event.key === ' ') shoot(target);
  else return;
  event.preventDefault();
  show();
});

let behind = 0;
f.animate((seconds) => {
  if (!f.state.run) return false;
  behind = Math.min(behind + seconds, 2 * STEP);
  if (behind < STEP) return false;
  while (behind >= STEP) {
    behind -= STEP;
    f.time('step', () => world.step(STEP));
    steps += 1;
  }
  show();
  return true;
});
rebuild();
// The first picture shows what happens: a ball has hit already.
shoot(new THREE.Vector3(0.2, 0, 0.9));
for (let i = 0; i < 70; i++) world.step(STEP);
show();
f.done();
