// Two knots of 65 536 faces in Node: this package beside three-mesh-bvh.
// `node bench.mjs FOLDER_OF_THE_PACKAGE`, run where `three` and `three-mesh-bvh` are installed.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const here = createRequire(join(process.cwd(), 'package.json'));
const from = (name) => import(pathToFileURL(here.resolve(name)));
const { load } = await import(pathToFileURL(join(process.argv[2], 'impinge.js')));
const { BufferAttribute, BufferGeometry, Matrix4 } = await from('three');
const { MeshBVH } = await from('three-mesh-bvh');
const FACES = 65536;
const ROUNDS = 15;

/** The median of the times in milliseconds. */
function median(run) {
  const times = [];
  for (let k = 0; k < ROUNDS; k++) {
    const begin = performance.now();
    run();
    times.push(performance.now() - begin);
  }
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1];
}

const builds = { plain: await load('plain'), simd: await load('simd') };
const mesh = builds.plain.Mesh.generate('torus-knot', FACES);
const geometry = () => {
  const g = new BufferGeometry();
  g.setAttribute('position', new BufferAttribute(new Float64Array(mesh.vertices), 3));
  g.setIndex(new BufferAttribute(mesh.faces, 1));
  return g;
};
const [a, b] = [geometry(), geometry()];
a.boundsTree = new MeshBVH(a);
b.boundsTree = new MeshBVH(b);
const PLACES = { hit: [0.9, 0.4, 0.3], apart: [7.5, 0.4, 0.3] };
const matrix = (at) => new Matrix4().makeTranslation(...at);

const theirs = {
  build: median(() => new MeshBVH(geometry())),
  'any, hit': median(() => a.boundsTree.intersectsGeometry(b, matrix(PLACES.hit))),
  'any, apart': median(() => a.boundsTree.intersectsGeometry(b, matrix(PLACES.apart))),
  'all pairs': median(() => {
    let pairs = 0;
    a.boundsTree.bvhcast(b.boundsTree, matrix(PLACES.hit), {
      intersectsTriangles: (s, t) => {
        if (s.intersectsTriangle(t)) pairs += 1;
        return false;
      },
    });
    return pairs;
  }),
  distance: median(() => a.boundsTree.closestPointToGeometry(b, matrix(PLACES.apart), {}, {})),
};

console.log(`${mesh.faceCount} faces each, median of ${ROUNDS}, milliseconds; in brackets times faster than three-mesh-bvh`);
console.log(`${'query'.padEnd(12)} ${'three-mesh-bvh'.padStart(15)} ${'plain'.padStart(20)} ${'simd'.padStart(20)}`);
const rows = {};
for (const [name, { Mesh, Pair }] of Object.entries(builds)) {
  const [vertices, faces] = [mesh.vertices, mesh.faces];
  const shape = () => { const made = new Mesh(vertices, faces); made.buildIndex(); return made.shape(); };
  const [p, q] = [shape(), shape()];
  // A new pair for every question: nothing is learned from the one before.
  const fresh = (ask) => median(() => { const pair = new Pair(p, q); ask(pair); pair.free(); });
  rows[name] = {
    build: median(shape),
    'any, hit': fresh((pair) => pair.intersects(PLACES.hit)),
    'any, apart': fresh((pair) => pair.intersects(PLACES.apart)),
    'all pairs': fresh((pair) => pair.intersections(PLACES.hit)),
    distance: fresh((pair) => pair.distance(PLACES.apart)),
  };
}
let slower = 0;
for (const [query, time] of Object.entries(theirs)) {
  const cell = (ms) => `${ms.toFixed(3)} (${(time / ms).toFixed(1)}×)`.padStart(20);
  console.log(`${query.padEnd(12)} ${time.toFixed(3).padStart(15)} ${cell(rows.plain[query])} ${cell(rows.simd[query])}`);
  if (rows.simd[query] > time) slower += 1;
}
console.log(slower ? `slower in ${slower} of ${Object.keys(theirs).length}` : 'never slower');
