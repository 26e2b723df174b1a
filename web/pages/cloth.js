// A cloth falls on a ball and never passes through it, or through itself.

import { frame } from '../lib/frame.js';
import { COLOURS, geometry, solid } from '../lib/draw.js';

const OBSTACLES = ['ball', 'mushroom', 'torus', 'funnel'];

const f = await frame({
  name: 'cloth',
  eye: [1.05, -1.6, 0.95],
  target: [0, 0, 0.1],
  state: { obstacle: 'ball', cells: 30, run: true, own: true },
  structure: (on) => { if (cloth) cloth.material.wireframe = on; },
  update: () => rebuild(),
  code: (s) => `import { load } from 'impinge';
const { Mesh, SoftBody } = await load();
const cloth = SoftBody.cloth({ cells: [${s.cells}, ${s.cells}], size: [1.3, 1.3], height: 0.62 });
cloth.addObstacle(ball);                         // any mesh
cloth.step(1 / 60);                              // exact checks between frames: nothing ever crosses
cloth.positions;                                 // draw them`,
  check: ({ Mesh, SoftBody }) => {
    const cloth = SoftBody.cloth({ cells: [10, 10], size: [1, 1], height: 0.5 });
    cloth.addObstacle(Mesh.generate('icosphere', 80).placed([0, 0, -0.75]));
    let contacts = 0;
    for (let frame = 0; frame < 30; frame++) contacts += cloth.step(1 / 60).contacts;
    return [contacts, cloth.positions, cloth.strain];
  },
});

const { Mesh, SoftBody, Scene } = f.impinge;
const group = f.group();
let body;
let cloth;
let scene;
let still;
let frameNumber = 0;

const choice = f.control('choice', 'obstacle', { label: 'On a', options: OBSTACLES }, () => rebuild());
f.control('slider', 'cells', { label: 'Threads each way', min: 10, max: 70, step: 2 }, () => rebuild());
f.control('check', 'run', { label: 'let it fall' });
f.control('check', 'own', { label: 'look for intersecting faces' });
f.ui.button({ label: 'Drop it again', press: () => rebuild() });
f.acceptMesh((own) => rebuild(own), 0.9);

function obstacle() {
  const sized = (mesh, size, z) => {
    const [x, y, , X, Y] = mesh.bounds;
    const factor = size / Math.max(X - x, Y - y);
    return new Mesh(mesh.vertices.map((v) => v * factor), mesh.faces).placed([0, 0, z]);
  };
  switch (f.state.obstacle) {
    case 'mushroom': return sized(Mesh.generate('mushroom', 2500), 0.8, 0);
    case 'torus': return sized(Mesh.generate('torus', 2500), 0.95, 0.15);
    case 'funnel': return sized(Mesh.generate('vase', 3000), 0.9, 0);
    default: return sized(Mesh.generate('icosphere', 2000), 0.8, 0.1);
  }
}

function rebuild(own) {
  choice.set(f.state.obstacle);
  f.clear(group);
  const rest = own ?? obstacle();
  body = SoftBody.cloth({
    cells: [f.state.cells, f.state.cells], size: [1.3, 1.3], height: rest.bounds[5] + 0.1, thickness: 0.008, substeps: 2,
  });
  body.addObstacle(rest);
  const [positions, faces] = [body.positions, body.faces];
  const material = new f.THREE.MeshStandardMaterial({ color: COLOURS.b, roughness: 0.8, side: f.THREE.DoubleSide });
  cloth = new f.THREE.Mesh(geometry(positions, faces), material);
  cloth.frustumCulled = false;
  group.add(solid(rest, COLOURS.a), cloth);
  still = rest.vertices;
  scene = new Scene([new Mesh(positions, faces), rest]);
  frameNumber = 0;
  f.count('faces of the cloth', faces.length / 3);
  advance(false);
}

function advance(move) {
  if (move) {
    const report = f.time('step', () => body.step(1 / 60));
    frameNumber += 1;
    f.count('contacts of the step', report.contacts);
    f.count('particles held', report.held);
  }
  const positions = body.positions;
  cloth.geometry.attributes.position.array.set(positions);
  cloth.geometry.attributes.position.needsUpdate = true;
  cloth.geometry.computeVertexNormals();
  f.count('frame', frameNumber);
  f.count('largest strain, %', body.strain * 100);
  if (f.state.own) {
    const all = new Float64Array([...positions, ...still]);
    const met = f.time('intersecting faces', () => { scene.advance(all); return scene.pairs(); });
    f.count('faces that intersect', met.faces.length / 2);
    f.answer(met.faces.length ? `${met.faces.length / 2} pairs of faces intersect` : 'No face crosses another');
  }
  f.invalidate();
}

f.animate(() => {
  if (!f.state.run || frameNumber > 600) return false;
  advance(true);
  return true;
});
rebuild();
f.done();
