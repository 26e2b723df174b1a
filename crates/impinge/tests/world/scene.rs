//! Random shapes and placements, and what brute force says of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::broad::{
    BroadPhase, BruteForce, DynamicAabbTree, HashGrid, HierarchicalGrid, ObjectId, ObjectPair,
    Octree, RegionPartition, SlabOctree, SweepAndPrune, UniformGrid,
};
use impinge::convex::{Ball, Capsule, Cuboid, Cylinder, HalfSpace};
use impinge::generate;
use impinge::math::Rng;
use impinge::pair::{DistanceQuery, IntersectionQuery, MeshShape, PairConfig, Shape};
use impinge::query::Limits;
use impinge::world::{EventKind, World};
use impinge::{DVec3, Pose};

/// Shapes of many kinds, to be shared.
pub(crate) fn shapes() -> Vec<Shape> {
    let mesh = |mesh| Shape::from(MeshShape::new(Arc::new(mesh)));
    vec![
        Shape::from(Ball::new(0.5).unwrap()),
        Shape::from(Ball::new(1.0).unwrap()),
        Shape::from(Cuboid::new([0.5, 1.0, 0.25]).unwrap()),
        Shape::from(Cuboid::new([1.0; 3]).unwrap()),
        Shape::from(Capsule::new([0.0; 3], [1.0, 0.0, 0.0], 0.5).unwrap()),
        Shape::from(Cylinder::new(0.5, 0.5).unwrap()),
        mesh(generate::tetrahedron(1.0).unwrap()),
        mesh(generate::icosphere(0.75, 2).unwrap()),
    ]
}

/// The half-space below z = 0.
pub(crate) fn ground() -> Shape {
    Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3]).unwrap())
}

/// A placement on a small grid as often as anywhere in the cube of that size.
pub(crate) fn pose(rng: &mut Rng, size: f64) -> Pose {
    if rng.below(2) == 0 {
        let at = |rng: &mut Rng| 0.5 * rng.grid(-(2.0 * size) as i64, (2.0 * size) as i64);
        Pose::from_translation([at(rng), at(rng), at(rng)]).unwrap()
    } else {
        let angle = rng.range(-3.0, 3.0);
        Pose::from_axis_angle(rng.direction(), angle, rng.cube() * size).unwrap()
    }
}

/// One of each kind of broad phase, empty.
pub(crate) fn broad(kind: u64) -> Box<dyn BroadPhase> {
    let west = Aabb {
        min: DVec3::splat(-9.0),
        max: DVec3::new(0.0, 9.0, 9.0),
    };
    match kind % 9 {
        0 => Box::new(DynamicAabbTree::default()),
        1 => Box::new(BruteForce::default()),
        2 => Box::new(SweepAndPrune::default()),
        3 => Box::new(UniformGrid::default()),
        4 => Box::new(HashGrid::default()),
        5 => Box::new(HierarchicalGrid::default()),
        6 => Box::new(Octree::default()),
        7 => Box::new(SlabOctree::default()),
        _ => Box::new(RegionPartition::new(vec![(west, broad(2))], broad(4))),
    }
}

/// Pairs whose boxes meet, of which at least one moves.
pub(crate) fn meeting(world: &World) -> BTreeSet<ObjectPair> {
    let bodies: Vec<_> = world.bodies().collect();
    let mut found = BTreeSet::new();
    for (i, (x, body_x)) in bodies.iter().enumerate() {
        for (y, body_y) in &bodies[..i] {
            let both = (world.bounds(*x), world.bounds(*y));
            let (Some(box_x), Some(box_y)) = both else {
                continue;
            };
            if !(body_x.is_static && body_y.is_static) && box_x.overlaps(&box_y) {
                found.insert(ObjectPair::new(*x, *y));
            }
        }
    }
    found
}

/// Whether the shapes of a pair touch, asked anew.
pub(crate) fn touches(world: &World, pair: ObjectPair) -> bool {
    let (a, b) = (world.body(pair.a).unwrap(), world.body(pair.b).unwrap());
    let a_from_b = a.world_from_body.inverse() * b.world_from_body;
    let query = IntersectionQuery::new(&a.shape, &b.shape, &PairConfig::default());
    query.unwrap().any(&a_from_b)
}

/// Pairs whose shapes touch.
pub(crate) fn touching(world: &World) -> BTreeSet<ObjectPair> {
    let near = meeting(world);
    near.into_iter()
        .filter(|&pair| touches(world, pair))
        .collect()
}

/// The pairs of the events with this name.
pub(crate) fn told(world: &World, name: &str) -> BTreeSet<ObjectPair> {
    let events = world.frame().named(name);
    let pairs: Vec<ObjectPair> = events.map(|event| event.pair).collect();
    let set: BTreeSet<ObjectPair> = pairs.iter().copied().collect();
    assert_eq!(
        set.len(),
        pairs.len(),
        "{name} of a pair is told once a step"
    );
    set
}

/// Any object, chosen by a random number.
pub(crate) fn any(rng: &mut Rng, ids: &[ObjectId]) -> Option<ObjectId> {
    (!ids.is_empty()).then(|| ids[rng.below(ids.len() as u64) as usize])
}

/// The order in which events of one pair come.
pub(crate) fn rank(what: &EventKind) -> u8 {
    let order = [
        "overlap-begin",
        "contact-begin",
        "touching",
        "contacts",
        "closer",
        "contact-end",
        "overlap-end",
    ];
    order.iter().position(|name| *name == what.name()).unwrap() as u8
}

/// Any two of the bodies, and how far apart they are.
pub(crate) fn distances(world: &World, ids: &[ObjectId]) -> Vec<([ObjectId; 2], f64)> {
    let mut found = Vec::new();
    for (i, &x) in ids.iter().enumerate() {
        for &y in &ids[i + 1..] {
            let [a, b] = [x, y].map(|id| world.body(id).unwrap());
            let a_from_b = a.world_from_body.inverse() * b.world_from_body;
            let config = PairConfig::default();
            let mut query = DistanceQuery::new(&a.shape, &b.shape, &config).unwrap();
            let nearest = query.at(&a_from_b, Limits::default()).value.unwrap();
            found.push(([x, y], nearest.distance));
        }
    }
    found
}
