// Spheres that fill a solid, and the tree over them.

import { fitted, frame } from '../lib/frame.js';
import { COLOURS, solid, spheres } from '../lib/draw.js';

const MODELS = ['torus-knot', 'blob', 'gear', 'mushroom', 'vase'];
const MOST = 600;

const f = await frame({
  name: 'spheres',
  eye: [2.3, -3.6, 1.7], target: [0.5, 0, 0],
  state: { model: 'blob', count: 400, level: 1, budget: 4000, apart: 1.1 },
  structure: (on) => { structure = on; update(); },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, SphereTree, pack } = await load();
const mesh = Mesh.generate('${s.model}', 4000);
const { centers, radii } = pack(mesh, ${s.count});        // disjoint, the largest first
const tree = SphereTree.ofMesh(mesh, ${s.count});         // the inner sphere tree over them
tree.level(${s.level});                                   // its spheres by level
tree.volume(tree, [${s.apart}, 0, 0], ${s.budget});             // bounds of the shared volume within ${s.budget} steps`,
  check: ({ Mesh, SphereTree, pack }) => {
    const mesh = Mesh.generate('blob', 1000);
    const packing = pack(mesh, 60);
    const tree = SphereTree.ofMesh(mesh, 60);
    const all = tree.volume(tree, [0.5, 0.25, 0.125]);
    const few = tree.volume(tree, [0.5, 0.25, 0.125], 200);
    return [packing.centers, packing.radii, tree.level(0).radii, all.volume, all.lower, all.upper, few.lower, few.upper];
  },
});

const { Mesh, SphereTree } = f.impinge;
const group = f.group();
let structure = false;
let mesh;
let tree;
let all;
let copy;
let growing = 0;

f.ui.legend('#4d8fd1', 'the solid');
f.ui.legend('#e0a040', 'its second copy: how much do they share?');
f.ui.legend('linear-gradient(90deg, #c66, #6a6, #66c)', 'spheres, a colour each');
const choice = f.control('choice', 'model', { label: 'Solid', options: MODELS }, () => rebuild());
const slider = f.control('slider', 'count', { label: 'Spheres', min: 1, max: MOST, step: 1 }, () => { growing = 0; update(); });
f.ui.button({ label: 'Grow', press: () => { growing = 1; } });
const levels = f.control('slider', 'level', { label: 'Level of the tree (Structure)', min: 0, max: 3, step: 1 }, () => update());
f.control('slider', 'budget', { label: 'Steps for the shared volume', min: 100, max: 20000, step: 100 }, () => measure());
f.control('slider', 'apart', { label: 'Second copy moved by', min: 0, max: 2.5, step: 0.01 }, () => measure());
f.acceptMesh((own) => rebuild(own), 2);
f.animate(() => {
  if (!growing) return false;
  growing = Math.min(growing * 1.06 + 0.5, MOST);
  f.state.count = Math.round(growing);
  slider.set(f.state.count);
  if (growing >= MOST) growing = 0;
  update();
  return true;
});

function rebuild(own) {
  choice.set(f.state.model);
  mesh = own ?? fitted(f.impinge, Mesh.generate(f.state.model, 3000), 2);
  tree = f.time(`pack ${MOST} spheres`, () => SphereTree.ofMesh(mesh, MOST));
  all = largestFirst(tree.spheres);
  levels.range(0, tree.levels - 1);
  update();
  measure();
}

/** A packing has the largest spheres first; a tree has them in its own order. */
function largestFirst({ centers, radii }) {
  const order = [...radii.keys()].sort((i, j) => radii[j] - radii[i] || i - j);
  return {
    centers: Float64Array.from(order.flatMap((i) => [...centers.subarray(3 * i, 3 * i + 3)])),
    radii: Float64Array.from(order, (i) => radii[i]),
  };
}

function update() {
  f.clear(group);
  copy = solid(mesh, COLOURS.b, { opacity: 0.16 });
  copy.position.x = f.state.apart;
  group.add(solid(mesh, COLOURS.a, { opacity: 0.14 }), copy);
  if (structure) {
    const level = tree.level(Math.min(f.state.level, tree.levels - 1));
    const last = f.state.level >= tree.levels - 1;
    group.add(spheres(level, 'each', { opacity: last ? 1 : 0.35, detail: last ? 3 : 8 }));
    f.count('spheres of the level', level.radii.length);
    f.answer(`Level ${Math.min(f.state.level, tree.levels - 1)} of the tree: ${level.radii.length} spheres`);
  } else {
    const n = Math.min(f.state.count, all.radii.length);
    group.add(spheres({ centers: all.centers.subarray(0, 3 * n), radii: all.radii.subarray(0, n) }, 'each', { detail: 5 }));
    const filled = all.radii.subarray(0, n).reduce((sum, r) => sum + (4 / 3) * Math.PI * r ** 3, 0);
    f.count('spheres', n);
    f.count('part filled, %', (100 * filled) / mesh.mass().volume);
    f.answer(`${n} spheres fill ${((100 * filled) / mesh.mass().volume).toFixed(1)} %`);
  }
  f.invalidate();
}

function measure() {
  copy.position.x = f.state.apart;
  const shared = f.time('shared volume', () => tree.volume(tree, [f.state.apart, 0, 0], f.state.budget));
  f.count('steps done', shared.tests);
  f.count('shared volume, at least', shared.lower);
  f.count('at most', shared.upper);
}

rebuild();
f.done();
