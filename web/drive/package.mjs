// The package in Node: `node package.mjs FOLDER_OF_THE_PACKAGE`. Both builds load, answer alike, and refuse bad input with words.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { hasSimd, load } = await import(pathToFileURL(join(process.argv[2], 'impinge.js')));
assert.equal(hasSimd(), true, 'Node has vector instructions');

for (const build of ['plain', 'simd']) {
  const {
    Assembly, BroadPhase, Cloud, DepthCamera, GodObject, Mesh, MovingScene, Pair, ProxyScene, RigidWorld, Scene, Shape, SoftBody,
    SphereTree, World, models, pack,
  } = await load(build);
  assert.ok('torus-knot' in models());
  const tip = new Mesh([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
  const pair = new Pair(tip.shape(), tip.shape());
  // A corner on a face, then the next number above.
  assert.equal(pair.intersects([0.25, 0.25, 0.5]), true);
  assert.equal(pair.intersects([0.25, 0.25, 0.5000000000000001]), false);
  assert.ok(pair.penetration([0.25, 0.25, 0.25]).depth > 0.1);
  assert.ok(pair.volume([0.25, 0.25, 0.25]).volume > 0.002);
  assert.equal(new Pair(Shape.ball(1), Shape.ball(1)).distance([5, 0, 0]).distance, 3);
  const turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9, 1];
  assert.equal(tip.placed(turned).bounds[2], 9);
  assert.equal(Mesh.fromBytes(tip.toBytes('obj'), 'tip.obj').faceCount, 4);
  assert.equal(Mesh.fromBytes(tip.toBytes('stl'), 'tip.stl').vertexCount, 4);
  assert.ok(Math.abs(tip.castRay([0.2, 0.2, 5], [0, 0, -1]).t - 4.4) < 1e-12);
  assert.equal(tip.contains([0.1, 0.1, 0.1]), true);
  assert.equal(tip.boxes(0).length, 24);
  const quick = new Mesh(tip.vertices, tip.faces);
  assert.ok(quick.buildIndex('fast') > 0);
  assert.equal(new Pair(quick.shape(), tip.shape()).intersects([0.25, 0.25, 0.5]), true);
  assert.throws(() => quick.buildIndex('slow'), /best or fast/);

  const ball = Mesh.generate('icosphere', 500);
  assert.equal(pack(ball, 10).radii.length, 10);
  const tree = SphereTree.ofMesh(ball, 30);
  assert.equal(tree.level(tree.levels - 1).radii.length, 30);
  assert.ok(tree.volume(tree, [0.5, 0, 0]).lower > 0);

  const world = new World();
  const above = world.add(Shape.ball(1), [0, 0, 5]);
  world.add(Shape.halfSpace([0, 0, 1], [0, 0, 0]), undefined, true);
  assert.equal(world.step().length, 0);
  world.setPose(above, [0, 0, 0.5]);
  assert.equal(world.step()[0].kind, 'contact-begin');
  for (const name of BroadPhase.names()) {
    const broad = new BroadPhase(name);
    broad.update([0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 5, 5, 5, 6, 6, 6]);
    assert.deepEqual([...broad.pairs()], [0, 1], name);
  }

  const moving = new MovingScene('curtain', 500);
  const scene = moving.scene();
  scene.advance(moving.positions(1));
  assert.ok(scene.pairs().faces.length >= 0);
  assert.ok(Scene.engines().includes('auto'));
  const cloth = SoftBody.cloth({ cells: [4, 4], height: 1 });
  cloth.step(1 / 60);
  assert.ok(cloth.positions[2] < 1);
  const bodies = new RigidWorld();
  bodies.add(Shape.cuboid(1, 1, 1), 1000, [0, 0, 5]);
  bodies.step(0.1);
  assert.ok(bodies.poses[14] < 5);
  const touched = new ProxyScene();
  touched.add(ball);
  const proxy = new GodObject(touched, [0, 0, 3], 100);
  const { force } = proxy.update(touched, [0, 0, 0.5]);
  assert.ok(force[2] > 0);
  assert.equal(new Cloud([0, 0, 0, 5, 0, 0]).nearest([4, 0, 0], 1)[1][0], 1);

  const parts = new Assembly();
  parts.add('one', ball);
  parts.add('one', ball, [1, 0, 0]);
  assert.deepEqual([parts.names.length, parts.clashes()[0].kind], [2, 'crossing']);
  assert.deepEqual([...parts.mesh(1).vertices.slice(0, 3)], [...ball.vertices.slice(0, 3)]);
  assert.equal(Assembly.fromBytes(tip.toBytes('glb'), 'tip.glb').names.length, 1);
  const open = new Mesh(ball.vertices, ball.faces.slice(9));
  assert.deepEqual([open.isClosed, open.wrapped(0.2).isClosed], [false, true]);

  assert.throws(() => parts.mesh(2), /no part 2/);
  assert.throws(() => open.wrapped(-1), /offset/);
  assert.throws(() => new DepthCamera(0, 9, 1, 1), /pixels/);
  assert.throws(() => new Cloud([0, 0, 0]).fitSurface('curved'), /geodesic or euclidean/);
  assert.throws(() => new Mesh([0, 0], [0]), /in threes/);
  assert.throws(() => new Mesh([0, 0, 0], [0, 1, 2]), /./);
  assert.throws(() => Shape.ball(-1), /./);
  assert.throws(() => pair.distance([1, 2]), /3, 7 or 16 numbers/);
  assert.throws(() => Mesh.generate('dragon'), /models\(\)/);
  assert.throws(() => new BroadPhase('magic'), /aabb-tree/);
}
console.log('the package answers in Node, both builds');
