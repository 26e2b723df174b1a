//! What is inside a solid touches it, and its contacts are told.

use std::sync::Arc;

use impinge::convex::{Ball, Cuboid};
use impinge::math::Rng;
use impinge::pair::{Compound, IntersectionQuery, MeshShape, PairConfig, Particles, Shape};
use impinge::world::{Body, Enclosure, EventKind, EventMask, World, WorldConfig};
use impinge::{DVec3, Pose, broad::DynamicAabbTree, generate};

use super::scene::told;

fn mesh(radius: f64) -> Shape {
    let mesh = generate::icosphere(radius, 6).unwrap();
    Shape::from(MeshShape::new(Arc::new(mesh)))
}

fn solids() -> World {
    let mut config = WorldConfig::default();
    config.pair.solid = true;
    World::new(DynamicAabbTree::default(), config)
}

/// Its place among the shapes inside.
const COMPOUND: usize = 3;

#[test]
fn contacts_of_what_is_inside_a_solid_lead_out_of_it() {
    let ball = Shape::from(Ball::new(0.2).unwrap());
    let pair = [-0.3, 0.3].map(|x| (Pose::from_translation([x, 0.0, 0.0]).unwrap(), ball.clone()));
    let inner = [
        ball.clone(),
        Shape::from(Cuboid::new([0.1, 0.2, 0.3]).unwrap()),
        mesh(0.4),
        Shape::from(Compound::new(pair).unwrap()),
        Shape::from(Particles::new(vec![DVec3::ZERO, DVec3::X * 0.25], 0.1).unwrap()),
    ];
    let mut rng = Rng::new(3);
    for (kind, small) in inner.into_iter().enumerate() {
        for is_swapped in [false, true] {
            let mut world = solids();
            let mask = EventMask::CONTACT | EventMask::TOUCHING | EventMask::CONTACTS;
            world.interest_mut().set_general(move |_, _| mask);
            let (first, second) = match is_swapped {
                true => (small.clone(), mesh(2.0)),
                false => (mesh(2.0), small.clone()),
            };
            world.insert(Body::new(first.clone())).unwrap();
            let b = world.insert(Body::new(second.clone())).unwrap();
            for _ in 0..5 {
                let mut at = 0.5 * rng.cube();
                // Each part of a compound has its own way out: moved by the longest, others may still be inside.
                let mut is_out = false;
                for push in 0..5 {
                    world
                        .set_pose(b, Pose::from_translation(at).unwrap())
                        .unwrap();
                    world.step();
                    let frame = world.frame();
                    let Some(event) = frame.named("contacts").next() else {
                        is_out = push > 0;
                        break;
                    };
                    assert_eq!(told(&world, "touching").len(), 1, "{kind} {is_swapped}");
                    let points = frame.points(event);
                    assert!(matches!(event.what, EventKind::Contacts(_)) && !points.is_empty());
                    let deepest = points.iter().max_by(|p, q| p.depth.total_cmp(&q.depth));
                    let deepest = deepest.unwrap();
                    assert!((deepest.normal.length() - 1.0).abs() < 1e-9, "{deepest:?}");
                    assert!(push > 0 || deepest.depth > 0.5, "{deepest:?}");
                    let past = deepest.point_a - deepest.point_b;
                    assert!((past.dot(deepest.normal) - deepest.depth).abs() < 1e-6);
                    at += deepest.normal * (1.01 * deepest.depth + 1e-6);
                    if kind != COMPOUND {
                        assert_eq!(push, 0, "{kind}: one contact leads out");
                    }
                }
                assert!(is_out, "{kind}");
                let config = PairConfig {
                    solid: true,
                    ..PairConfig::default()
                };
                let mut query = IntersectionQuery::new(&first, &second, &config).unwrap();
                assert!(!query.any(&Pose::from_translation(at).unwrap()), "{kind}");
            }
        }
    }
}

#[test]
fn an_enclosed_object_inside_its_encloser_has_contacts() {
    let mut world = solids();
    world
        .interest_mut()
        .set_general(|_, _| EventMask::TOUCHING | EventMask::CONTACTS);
    let tank = world.insert(Body::new(mesh(2.0))).unwrap();
    let drop = Shape::from(Ball::new(0.1).unwrap());
    let drop = world.insert(Body::new(drop)).unwrap();
    world.enclose(drop, tank, Enclosure::ParentOnly).unwrap();
    for _ in 0..2 {
        world.step();
        assert_eq!(told(&world, "touching").len(), 1);
        assert_eq!(told(&world, "contacts").len(), 1);
    }
    // Surfaces do not touch.
    let mut surfaces = World::default();
    surfaces
        .interest_mut()
        .set_general(|_, _| EventMask::CONTACTS);
    surfaces.insert(Body::new(mesh(2.0))).unwrap();
    surfaces.insert(Body::new(mesh(0.5))).unwrap();
    assert!(surfaces.step().events.is_empty());
}
