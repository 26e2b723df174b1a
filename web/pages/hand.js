// A hand of bones, springs and spheres: a fist, and a grip of two fingers.

import { frame } from '../lib/frame.js';
import { clickable } from '../lib/drag.js';
import { COLOURS, geometry, segments, spheres } from '../lib/draw.js';

const SHAPES = ['flat', 'fist', 'grip'];
const FINGERS = ['thumb', 'forefinger', 'middle finger', 'ring finger', 'little finger'];
/** The most that a finger closes in a picture, as a part of the way from flat. */
const SPEED = 0.02;
const SKIN = 0xe8b48f;

const f = await frame({
  name: 'hand',
  eye: [-1.3, -1.5, -2.3], target: [0, 0.85, 0],
  state: { shape: 'grip', close: 0.85, radius: 3, iterations: 30 },
  structure: (on) => { isOpen = on; show(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { SoftHand } = await load();
const hand = new SoftHand(${s.radius / 1000});              // radius of its spheres in metres
const joints = SoftHand.joints('${s.shape}').map((angle) => angle * ${s.close.toFixed(2)});
hand.moveTo(joints, ${s.iterations}, 1 / 60);              // a frame: the tissue follows the bones
hand.skin();                                     // a closed mesh
hand.volume;                                     // it stays
hand.spheres; hand.springs; hand.bones;`,
  check: ({ SoftHand }) => {
    const hand = new SoftHand(0.004);
    const fist = SoftHand.joints('fist');
    const told = [];
    for (let step = 1; step <= 6; step++) {
      hand.moveTo(fist.map((angle) => angle * (0.03125 * step)), 20, 1 / 60);
      told.push(hand.volume, hand.anchorError);
    }
    const { centers, radii } = hand.spheres;
    const balls = [...radii].flatMap((r, i) => [...centers.subarray(3 * i, 3 * i + 3), r]);
    return [told, hand.bones, balls, hand.skin().vertices];
  },
});

const { SoftHand } = f.impinge;
const { THREE } = f;
const group = f.group();
// The hand is 20 cm long.
group.scale.setScalar(10);
// The hand is seen from below its palm, where the sun does not shine.
const lamp = new THREE.DirectionalLight(0xffffff, 2);
lamp.position.set(-3, -3, -5);
f.scene.add(lamp, new THREE.AmbientLight(0xffffff, 0.2));
const inside = new THREE.Group();
let isOpen = false;
let hand;
let skin;
let lengths;
let first = 0;
let frames = 0;
/** How far each finger is closed, and how far it shall be; a click opens or closes one. */
let now;
let goal;
let calm = 0;

f.ui.legend('#e8b48f', 'skin: click on a finger to open or close it');
f.ui.legend('#7b61c9', 'bones (Structure)');
const choice = f.control('choice', 'shape', { label: 'Shape', options: SHAPES }, () => aim());
const slider = f.control('slider', 'close', { label: 'Closed', min: 0, max: 1, step: 0.01 }, () => aim());
f.control('slider', 'radius', { label: 'Radius of the spheres, mm', min: 2, max: 4, step: 0.25 }, () => rebuild());
f.control('slider', 'iterations', { label: 'Iterations in a frame', min: 10, max: 100, step: 5 });
f.ui.button({ label: 'Open', press: () => closed(0) });
f.ui.button({ label: 'Close', press: () => closed(1) });

function closed(part) {
  f.state.close = part;
  slider.set(part);
  f.save();
  aim();
}

function aim() {
  goal = new Array(5).fill(f.state.close);
  calm = 0;
}

function rebuild() {
  choice.set(f.state.shape);
  slider.set(f.state.close);
  hand = f.time('build', () => new SoftHand(f.state.radius / 1000));
  lengths = hand.boneLengths;
  first = hand.volume;
  skin = null;
  now = new Float64Array(16);
  aim();
  f.count('spheres', hand.spheres.radii.length);
  f.count('springs', hand.springs.length / 2);
  show();
}

/** A frame: every joint goes on towards its goal. */
function step() {
  const shape = SoftHand.joints(f.state.shape);
  let change = 0;
  now = now.map((angle, k) => {
    const to = k ? shape[k] * goal[Math.floor((k - 1) / 3)] : 0;
    // A joint that bends far goes faster, so that all arrive together.
    const most = SPEED * Math.max(0.5, Math.abs(shape[k]));
    const by = Math.max(-most, Math.min(most, to - angle));
    change = Math.max(change, Math.abs(by));
    return angle + by;
  });
  f.time('tissue', () => hand.moveTo(now, f.state.iterations, 1 / 60));
  frames += 1;
  calm = change > 1e-9 ? 0 : calm + 1;
}

function show() {
  const mesh = f.time('skin', () => hand.skin());
  const [vertices, faces] = [mesh.vertices, mesh.faces];
  if (!skin || skin.geometry.attributes.position.array.length !== vertices.length) {
    f.clear(group);
    const material = new THREE.MeshStandardMaterial({ color: SKIN, roughness: 0.6, side: THREE.DoubleSide });
    skin = new THREE.Mesh(geometry(vertices, faces), material);
    skin.frustumCulled = false;
    group.add(skin, inside);
  } else {
    skin.geometry.attributes.position.array.set(vertices);
    skin.geometry.attributes.position.needsUpdate = true;
    skin.geometry.computeVertexNormals();
  }
  Object.assign(skin.material, { transparent: isOpen, opacity: isOpen ? 0.18 : 1, depthWrite: !isOpen });
  f.clear(inside);
  if (isOpen) inside.add(spheres(hand.spheres, 'each', { detail: 1 }), bones());
  f.count('volume, cm³', hand.volume * 1e6);
  f.count('mean error of the anchors, mm', hand.anchorError * 1e3);
  f.count('faces of the skin', faces.length / 3);
  f.count('frames', frames);
  f.answer(`Volume ${((hand.volume / first) * 100).toFixed(4)} % of the flat hand's`);
  f.invalidate();
}

function bones() {
  const poses = hand.bones;
  const points = [];
  for (let k = 0; k < 16; k++) {
    const m = new THREE.Matrix4().fromArray(poses, 16 * k);
    const [a, b] = [0, lengths[k]].map((y) => new THREE.Vector3(0, y, 0).applyMatrix4(m));
    points.push(...a.toArray(), ...b.toArray());
  }
  return segments(points, COLOURS.box, 6, true);
}

clickable(f, (ray) => {
  const hit = ray.intersectObject(skin)[0];
  if (!hit) return;
  // The bone whose middle is nearest; the palm has no joint.
  const poses = hand.bones;
  const at = hit.point.divideScalar(10);
  let nearest = [Infinity, 0];
  for (let k = 0; k < 16; k++) {
    const middle = new THREE.Vector3(0, lengths[k] / 2, 0).applyMatrix4(new THREE.Matrix4().fromArray(poses, 16 * k));
    nearest = [nearest, [middle.distanceTo(at), k]].sort((a, b) => a[0] - b[0])[0];
  }
  if (nearest[1] > 0) toggle(Math.floor((nearest[1] - 1) / 3));
});
function toggle(finger) {
  goal[finger] = goal[finger] > 0.1 ? 0 : Math.max(0.5, f.state.close);
  calm = 0;
  f.ui.hint(`The ${FINGERS[finger]} ${goal[finger] ? 'closes' : 'opens'}. Keys 1 to 5 do the same; arrow keys close and open the hand.`);
}
addEventListener('keydown', (event) => {
  if (event.target.matches?.('input, select, button')) return;
  const by = { ArrowRight: 0.05, ArrowUp: 0.05, ArrowLeft: -0.05, ArrowDown: -0.05 }[event.key];
  if (by) closed(Math.max(0, Math.min(1, f.state.close + by)));
  else if (/^[1-5]$/.test(event.key)) toggle(Number(event.key) - 1);
  else return;
  event.preventDefault();
});

f.animate(() => {
  // A little longer than the bones move: tissue comes to rest.
  if (calm > 20) return false;
  step();
  show();
  return true;
});
rebuild();
for (let i = 0; i < 20; i++) step();
show();
f.done();
