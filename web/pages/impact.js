// The time of impact of a mesh that moves and turns.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, dots, solid, thickArrow } from '../lib/draw.js';

const f = await frame({
  name: 'impact',
  eye: [1.1, -6.2, 2.1],
  target: [1, 0, 0.1],
  state: { time: 0.35, turn: 150, drop: 3.2, kind: 'straight' },
  structure: (on) => { ghosts.visible = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, Pair } = await load();
const pair = new Pair(knot.shape(), gear.shape());
const hit = pair.impact(start, end, '${s.kind}');    // it turns by ${s.turn}° on its way
hit.lower;                                       // apart before this time: proven
hit.upper;                                       // they meet here
hit.point; hit.normal;`,
  check: ({ Mesh, Pair, motionAt }) => {
    const pair = new Pair(Mesh.generate('torus-knot', 2000).shape(), Mesh.generate('gear', 1000).shape());
    const start = [-6, 0.5, 1, 0, 0, 0, 1];
    const end = [6, -0.25, 0, 0, 0, 0.8, 0.6];
    return ['straight', 'screw'].map((kind) => {
      const hit = pair.impact(start, end, kind);
      return [hit.time, hit.lower, hit.upper, hit.point, hit.normal, motionAt(start, end, 0.25, kind)];
    });
  },
});

const { Mesh, Pair, motionAt } = f.impinge;
const still = fitted(f.impinge, Mesh.generate('torus-knot', 12000), 2.6);
const moving = fitted(f.impinge, Mesh.generate('gear', 3000), 1.5);
const pair = new Pair(still.shape(), moving.shape());
const group = { moving: f.group(), found: f.group() };
const ghosts = f.group();
ghosts.visible = false;
let hit;

f.scene.add(solid(still, COLOURS.a));
f.ui.legend('#4d8fd1', 'at rest');
f.ui.legend('#e0a040', 'moving, at the time of the slider');
f.ui.legend('#d8343c', 'moving, when it touches');
f.ui.legend('#22a06b', 'first contact and its normal');
const slider = f.control('slider', 'time', { label: 'Time', min: 0, max: 1, text: (t) => t.toFixed(3) }, () => place());
f.control('slider', 'turn', { label: 'Turn on the way', min: 0, max: 175, step: 5, text: (t) => `${t}°` }, () => rebuild());
f.control('slider', 'drop', { label: 'Distance covered', min: 1, max: 6, step: 0.1 }, () => rebuild());
f.control('choice', 'kind', { label: 'Motion', options: ['straight', 'screw'] }, () => rebuild());
f.ui.button({
  label: 'Go to the impact',
  press: () => {
    if (!hit) return;
    f.state.time = hit.upper;
    slider.set(hit.upper);
    f.save();
    place();
  },
});
group.moving.matrixAutoUpdate = false;
group.moving.add(solid(moving, COLOURS.b, { smooth: false }));

function ends() {
  const half = (f.state.turn * Math.PI) / 360;
  return [
    [2.9, -0.1, 0.5, 0, 0, 0, 1],
    [2.9 - f.state.drop, 0.1, -0.2, Math.sin(half) * 0.6, Math.sin(half) * 0.8, 0, Math.cos(half)],
  ];
}

function rebuild() {
  const [start, end] = ends();
  f.clear(group.found);
  hit = f.time('impact', () => pair.impact(start, end, f.state.kind));
  f.answer(hit ? `First contact at ${hit.time.toFixed(6)}` : 'They pass each other');
  f.count('lower bound', hit ? hit.lower : 1);
  f.count('upper bound', hit ? hit.upper : Infinity);
  if (hit) {
    group.found.add(dots(hit.point, COLOURS.witness, 0.05));
    group.found.add(thickArrow(hit.point, [...hit.normal].map((x) => x * 0.6), COLOURS.witness, { onTop: true }));
  }
  f.clear(ghosts);
  for (let k = 0; k <= 8; k++) {
    const ghost = solid(moving, COLOURS.b, { opacity: 0.16 });
    ghost.matrixAutoUpdate = false;
    ghost.matrix.fromArray(motionAt(start, end, k / 8, f.state.kind));
    ghosts.add(ghost);
  }
  place();
}

function place() {
  const [start, end] = ends();
  group.moving.matrix.fromArray(motionAt(start, end, f.state.time, f.state.kind));
  group.moving.matrixWorldNeedsUpdate = true;
  const gap = f.time('distance', () => pair.distance(group.moving.matrix.elements));
  f.count('distance now', gap.distance);
  const colour = gap.distance === 0 ? COLOURS.hit : COLOURS.b;
  group.moving.children[0].material.color.set(colour);
  f.invalidate();
}

rebuild();
f.done();
