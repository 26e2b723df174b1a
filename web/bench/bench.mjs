// Two knots of 65 536 faces in Node: this package beside three-mesh-bvh.
// `node web/bench/bench.mjs [NATIVE.json]` after `cargo xtask gallery --no-serve`. NATIVE.json is what
// `cargo run --release -p impinge-wasm --example native_speed` prints: the same queries in the native library.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gallery, packages, required } from './places.mjs';

// As modules: both then share one three.js.
const from = (name) => {
  const { exports } = required(`./node_modules/${name}/package.json`);
  return import(pathToFileURL(join(packages, 'node_modules', name, exports['.'].import)));
};
const { load } = await import(pathToFileURL(join(gallery, 'impinge', 'impinge.js')));
const { BufferAttribute, BufferGeometry, Matrix4 } = await from('three');
const { MeshBVH } = await from('three-mesh-bvh');
const FACES = 65536;
const ROUNDS = 15;
/** Frames of clay and steps of cloth. */
const FRAMES = 90;

/** Milliseconds of a round at least: what is quicker is called many times, by then compiled as well as the engine can. */
const ROUND_MS = 5;

/** The median of the times of a call in milliseconds. */
function median(run, rounds = ROUNDS) {
  const times = [];
  for (let k = 0; k < rounds; k++) {
    const begin = performance.now();
    let calls = 0;
    let passed;
    do {
      run(k);
      calls += 1;
      passed = performance.now() - begin;
    } while (passed < ROUND_MS);
    times.push(passed / calls);
  }
  return times.toSorted((a, b) => a - b)[rounds >> 1];
}

/** The median of what happens once a round: frames, each after the one before. */
function medianFrame(run) {
  const times = [];
  for (let k = 0; k < FRAMES; k++) {
    const begin = performance.now();
    run(k);
    times.push(performance.now() - begin);
  }
  return times.toSorted((a, b) => a - b)[FRAMES >> 1];
}

const native = process.argv[2] ? JSON.parse(readFileSync(process.argv[2], 'utf8')) : {};
/** Bars: times faster than three-mesh-bvh by query, and times slower than native at most. */
const FASTER = { 'all pairs': 3, distance: 3 };
const SLOWER = 3;

/** Numbers from 0 to 1, the same as in the native program. */
function random(seed) {
  let x = seed >>> 0;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 4294967296;
  };
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

theirs['build, fast'] = theirs.build;
// A pair that is kept, as pages keep it, beside what keeps nothing.
theirs['apart, kept'] = theirs['any, apart'];

const next = random(1);
const point = (side) => [0, 0, 0].map(() => (next() - 0.5) * side);
const rays = Array.from({ length: 10000 }, () => {
  const from = point(12);
  return { from, way: point(4).map((x, k) => x - from[k]) };
});
const [origins, directions] = [rays.flatMap((ray) => ray.from), rays.flatMap((ray) => ray.way)].map((list) => new Float64Array(list));

/** Ten thousand faces of clay under the whole hand. */
function clay({ Sculptor }) {
  const sculptor = new Sculptor(Sculptor.pot('ball', 10000), { tool: 'whole-hand' });
  sculptor.beginStroke();
  return medianFrame((frame) => sculptor.frame([0, 0, 1.25 - 0.005 * frame]));
}

/** A cloth of 9800 faces that falls on a ball. */
function cloth({ Mesh, SoftBody }) {
  const falling = SoftBody.cloth({ cells: [70, 70], size: [1.3, 1.3], height: 0.6, thickness: 0.008, substeps: 2 });
  const ball = Mesh.generate('icosphere', 2000);
  falling.addObstacle(new Mesh(ball.vertices.map((x) => x * 0.4), ball.faces));
  return medianFrame(() => falling.step(1 / 60));
}

const rows = {};
for (const [name, package_] of Object.entries(builds)) {
  const { Mesh, Pair } = package_;
  const [vertices, faces] = [mesh.vertices, mesh.faces];
  const indexed = (kind) => { const made = new Mesh(vertices, faces); made.buildIndex(kind); return made; };
  const [own, other] = [indexed(), indexed()];
  const [p, q] = [own.shape(), other.shape()];
  // A new pair for every query: nothing is learned from the one before.
  const fresh = (ask) => median(() => { const pair = new Pair(p, q); ask(pair); pair.free(); });
  const kept = new Pair(p, q);
  rows[name] = {
    // Freed as a garbage collector would free it: memory that was never used before is slow.
    build: median(() => indexed().free()),
    'build, fast': median(() => indexed('fast').free()),
    'any, hit': fresh((pair) => pair.intersects(PLACES.hit)),
    'any, apart': fresh((pair) => pair.intersects(PLACES.apart)),
    'apart, kept': median(() => kept.intersects(PLACES.apart)),
    'all pairs': fresh((pair) => pair.intersections(PLACES.hit)),
    distance: fresh((pair) => pair.distance(PLACES.apart)),
    '10 000 rays': median(() => own.castRays(origins, directions)),
    'clay frame': clay(package_),
    'cloth step': cloth(package_),
  };
}

console.log(`${mesh.faceCount} faces each, median of ${ROUNDS}, milliseconds; `
  + 'in brackets times faster than three-mesh-bvh, and times slower than native');
console.log(`${'query'.padEnd(12)} ${'three-mesh-bvh'.padStart(15)} ${'native'.padStart(10)} `
  + `${'plain'.padStart(24)} ${'simd'.padStart(24)}`);
const missed = [];
for (const query of Object.keys(rows.simd)) {
  const [there, home] = [theirs[query], native[query]];
  const cell = (ms) => {
    const parts = [there && `${(there / ms).toFixed(1)}×`, home && `${(ms / home).toFixed(2)}×`];
    return `${ms.toFixed(3)} (${parts.map((part) => part ?? '-').join(', ')})`.padStart(24);
  };
  const plainly = (ms, width) => (ms === undefined ? '-' : ms.toFixed(3)).padStart(width);
  console.log(`${query.padEnd(12)} ${plainly(there, 15)} ${plainly(home, 10)} ${cell(rows.plain[query])} ${cell(rows.simd[query])}`);
  const least = FASTER[query] ?? 1;
  const [faster, slower] = [there / rows.simd[query], rows.simd[query] / home];
  if (there && faster < least) missed.push(`${query}: ${faster.toFixed(2)} times as fast as three-mesh-bvh, at least ${least}`);
  if (home && slower > SLOWER) missed.push(`${query}: ${slower.toFixed(2)} times slower than native, at most ${SLOWER}`);
}
console.log(missed.length ? `MISSED:\n${missed.join('\n')}` : 'every bar is met');
