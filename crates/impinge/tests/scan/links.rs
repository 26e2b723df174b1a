//! Links against all points: trees of balls, meshes, convex shapes, half-spaces.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::Solid;
use impinge::bvh::wide::WideTree;
use impinge::convex::{Ball, Capsule, Cuboid, HalfSpace, Polyhedron};
use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use impinge::query::{First, Outcome};
use impinge::scan::{
    Link, LinkCache, LinkError, LinkSet, NearestPoint, PointGrid, PointHit, PointTree, ScanFrame,
    nearest_by_range,
};
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, SolidBall, SphereSplit, pack,
};
use impinge::{DVec3, Pose, TriMesh, generate};
use rayon::ThreadPoolBuilder;

fn cloud(kind: usize, count: usize, size: f64, at: DVec3, rng: &mut Rng) -> Vec<DVec3> {
    (0..count)
        .map(|_| {
            let p = match kind % 4 {
                0 => rng.cube(),
                1 => rng.direction(),
                2 => DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.3),
                _ => DVec3::new(rng.grid(-3, 3), rng.grid(-3, 3), rng.grid(-3, 3)) / 3.0,
            };
            at + p * size
        })
        .collect()
}

fn tree_of(points: &[DVec3]) -> PointTree {
    let mut tree = PointTree::default();
    tree.rebuild(&ScanFrame::new(points).unwrap());
    tree
}

fn pose(rng: &mut Rng, shift: f64) -> Pose {
    let angle = rng.range(-3.0, 3.0);
    Pose::from_axis_angle(rng.direction(), angle, rng.cube() * shift).unwrap()
}

/// Balls at random, and a tree over them.
fn balls(count: usize, size: f64, rng: &mut Rng) -> InnerSphereTree {
    let balls: Vec<SolidBall> = (0..count)
        .map(|_| SolidBall {
            center: rng.cube() * size,
            radius: rng.range(0.0, 0.1) * size,
        })
        .collect();
    let width = 2 + rng.below(7) as usize;
    let split = [
        SphereSplit::Median,
        SphereSplit::Largest,
        SphereSplit::default(),
    ][rng.below(3) as usize];
    InnerSphereTree::new(&balls, &InnerSphereTreeOptions { split, width }).unwrap()
}

/// The gap of every ball and point: the least, then the first point, then the first ball.
fn brute(tree: &InnerSphereTree, pose: &Pose, points: &[DVec3]) -> Option<(f64, u32, u32)> {
    let placed: Vec<(DVec3, f64)> = tree
        .balls()
        .iter()
        .map(|ball| (pose.transform_point(ball.center), ball.radius))
        .collect();
    let mut best: Option<(f64, u32, u32)> = None;
    for (i, &p) in points.iter().enumerate() {
        for (k, &(center, radius)) in placed.iter().enumerate() {
            let d = p - center;
            let gap = ((d.x * d.x + d.y * d.y) + d.z * d.z).sqrt() - radius;
            let own = (gap, i as u32, k as u32);
            if best.is_none_or(|best| own < best) {
                best = Some(own);
            }
        }
    }
    best
}

fn key(found: &NearestPoint) -> (f64, u32, u32) {
    (found.distance, found.point, found.ball.unwrap_or(u32::MAX))
}

#[test]
fn trees_of_balls_answer_as_all_pairs_do() {
    let mut rng = Rng::new(1);
    for round in 0..120 {
        let size = [1.0, 1e-3, 1e3][round % 3];
        let at = [
            DVec3::ZERO,
            DVec3::splat(1e6),
            DVec3::new(2.0, 0.0, 0.0) * size,
        ][round / 3 % 3];
        let count = [1, 2, 9, 300, 2500][round % 5];
        let points = cloud(round, count, size, at, &mut rng);
        let trees: Vec<InnerSphereTree> = (0..4)
            .map(|k| balls([1, 8, 60, 150][k], size, &mut rng))
            .collect();
        let links = LinkSet::new(trees.iter().map(|t| Link::spheres(t).unwrap()).collect());
        let poses: Vec<Pose> = (0..4)
            .map(|_| {
                let near = pose(&mut rng, 2.0 * size);
                Pose::new(*near.rotation(), near.translation() + at).unwrap()
            })
            .collect();
        let tree = tree_of(&points);
        let mut grid = PointGrid::default();
        grid.rebuild(&ScanFrame::new(&points).unwrap(), 0.2 * size)
            .unwrap();
        let (mut cache, mut answers) = (LinkCache::default(), Vec::new());
        links
            .nearest(&tree, &poses, &mut cache, &mut answers)
            .unwrap();
        let mut overall: Option<NearestPoint> = None;
        for (k, answer) in answers.iter().enumerate() {
            let expected = brute(&trees[k], &poses[k], &points).unwrap();
            let found = answer.unwrap();
            assert_eq!(key(&found), expected, "round {round}, link {k}");
            assert_eq!(
                (found.link, found.position),
                (k, points[found.point as usize])
            );
            let way = (found.witness - found.position).length();
            let rounding = 1e-14 * (found.position.length() + size);
            assert!(
                (way - found.distance.abs()).abs() <= rounding,
                "round {round}: witness"
            );
            for index in [&tree as &dyn impinge::scan::PointIndex, &grid] {
                let ranged = nearest_by_range(index, &links.links()[k], &poses[k]).unwrap();
                assert_eq!(key(&ranged), expected, "round {round}, link {k} by range");
            }
            if overall.is_none_or(|best| found.distance < best.distance) {
                overall = Some(found);
            }
        }
        for warm in [false, true] {
            if !warm {
                cache.forget();
            }
            assert_eq!(links.overall(&tree, &poses, &mut cache).unwrap(), overall);
            let least = overall.unwrap().distance;
            for (distance, expected) in [
                (least, true),
                (least.next_down(), false),
                (least + size, true),
                (least - size, false),
            ] {
                assert_eq!(
                    links.is_within(&tree, &poses, distance, &mut cache),
                    Ok(expected)
                );
            }
            let meets = links.intersects(&tree, &poses, &mut cache);
            assert_eq!(meets, Ok(least <= 0.0));
        }
    }
}

#[test]
fn packed_links_answer_as_all_pairs_do_on_a_path() {
    let mesh = generate::capsule(0.1, 0.4, 16, 6).unwrap();
    let index = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&index).unwrap();
    let options = PackOptions {
        count: Some(400),
        ..PackOptions::default()
    };
    let packing = pack(&solid, &options).unwrap();
    let tree = InnerSphereTree::new(&packing.balls, &InnerSphereTreeOptions::default()).unwrap();
    let links = LinkSet::new((0..3).map(|_| Link::spheres(&tree).unwrap()).collect());
    let mut rng = Rng::new(2);
    let (mut warm, mut answers, mut again) = (LinkCache::default(), Vec::new(), Vec::new());
    let mut points_tree = PointTree::default();
    for step in 0..40 {
        let t = f64::from(step) / 40.0;
        // A wall that comes nearer, with noise.
        let points: Vec<DVec3> = (0..3000)
            .map(|_| {
                DVec3::new(
                    rng.range(-1.0, 1.0),
                    rng.range(-1.0, 1.0),
                    0.8 - t + 0.01 * rng.unit(),
                )
            })
            .collect();
        points_tree.rebuild(&ScanFrame::new(&points).unwrap());
        let poses: Vec<Pose> = (0..3)
            .map(|k| {
                Pose::from_axis_angle(
                    [1.0, 0.3, 0.1],
                    2.0 * t,
                    [0.5 * f64::from(k) - 0.5, 0.3 * t, 0.0],
                )
                .unwrap()
            })
            .collect();
        links
            .nearest(&points_tree, &poses, &mut warm, &mut answers)
            .unwrap();
        links
            .nearest(&points_tree, &poses, &mut LinkCache::default(), &mut again)
            .unwrap();
        assert_eq!(answers, again, "step {step}: warm and cold");
        for (k, answer) in answers.iter().enumerate() {
            assert_eq!(
                key(&answer.unwrap()),
                brute(&tree, &poses[k], &points).unwrap(),
                "step {step}, link {k}"
            );
        }
    }
}

#[test]
fn points_near_a_link_are_those_of_all_points() {
    let mut rng = Rng::new(3);
    for round in 0..30 {
        let points = cloud(round, 1500, 1.0, DVec3::ZERO, &mut rng);
        let tree = tree_of(&points);
        let spheres = balls(100, 0.4, &mut rng);
        let links = LinkSet::new(vec![Link::spheres(&spheres).unwrap()]);
        let place = pose(&mut rng, 1.0);
        let mut cache = LinkCache::default();
        let gap = |p: DVec3| {
            let placed = spheres.balls().iter().map(|ball| {
                let d = p - place.transform_point(ball.center);
                ((d.x * d.x + d.y * d.y) + d.z * d.z).sqrt() - ball.radius
            });
            placed.fold(f64::INFINITY, f64::min)
        };
        for distance in [-0.02, 0.0, 0.1, 0.5, 9.0] {
            let mut found: Vec<PointHit> = Vec::new();
            let outcome = links.points_within(&tree, 0, &place, distance, &mut cache, &mut found);
            assert_eq!(outcome, Ok(Outcome::Complete));
            found.sort_by_key(|hit| hit.point);
            let expected: Vec<(u32, f64)> = (0..points.len() as u32)
                .map(|i| (i, gap(points[i as usize])))
                .filter(|&(_, gap)| gap <= distance)
                .collect();
            let found: Vec<(u32, f64)> =
                found.iter().map(|hit| (hit.point, hit.distance)).collect();
            assert_eq!(found, expected, "round {round}, {distance}");
        }
        let mut first = First::default();
        let outcome = links.points_within(&tree, 0, &place, 9.0, &mut cache, &mut first);
        assert_eq!(outcome, Ok(Outcome::StoppedBySink));
    }
}

#[test]
fn what_a_robot_sees_of_itself_can_be_taken_out() {
    let mut rng = Rng::new(4);
    for round in 0..20 {
        let points = cloud(round, 2000, 1.0, DVec3::ZERO, &mut rng);
        let mut tree = tree_of(&points);
        let links = LinkSet::new(vec![
            Link::spheres(&balls(50, 0.3, &mut rng)).unwrap(),
            Link::convex(Cuboid::new([0.3, 0.2, 0.1]).unwrap()),
        ]);
        let poses = [pose(&mut rng, 0.5), pose(&mut rng, 0.5)];
        let mut cache = LinkCache::default();
        let mut own = vec![false; points.len()];
        for (k, place) in poses.iter().enumerate() {
            let mut near: Vec<PointHit> = Vec::new();
            let _ = links
                .points_within(&tree, k, place, 0.1, &mut cache, &mut near)
                .unwrap();
            near.iter().for_each(|hit| own[hit.point as usize] = true);
        }
        let count = own.iter().filter(|&&own| own).count();
        let removed = links.remove_own(&mut tree, &[0, 1], &poses, 0.1, &mut cache);
        assert_eq!(removed, Ok(count));
        // The tree is now that of the others.
        let kept: Vec<u32> = (0..points.len() as u32)
            .filter(|&i| !own[i as usize])
            .collect();
        let others: Vec<DVec3> = kept.iter().map(|&i| points[i as usize]).collect();
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        links
            .nearest(&tree, &poses, &mut cache, &mut found)
            .unwrap();
        links
            .nearest(
                &tree_of(&others),
                &poses,
                &mut LinkCache::default(),
                &mut expected,
            )
            .unwrap();
        assert_eq!(tree.len(), others.len());
        assert_eq!(tree.bounds(), tree_of(&others).bounds());
        for (found, expected) in found.iter().zip(&expected) {
            let renamed = expected.map(|n| NearestPoint {
                point: kept[n.point as usize],
                ..n
            });
            assert_eq!(*found, renamed, "round {round}");
        }
        assert_eq!(
            links.remove_own(&mut tree, &[0, 1], &poses, 9.0, &mut cache),
            Ok(others.len())
        );
        assert!(tree.is_empty());
        links
            .nearest(&tree, &poses, &mut cache, &mut found)
            .unwrap();
        assert_eq!(found, [None, None]);
    }
}

/// The distance of a point from a mesh, negative inside, face by face.
fn signed(mesh: &TriMesh, inside: Option<&InsideTest<'_>>, p: DVec3) -> f64 {
    let distance = mesh
        .face_ids()
        .map(|face| closest_point_on_triangle(p, &mesh.face(face).unwrap()).distance)
        .fold(f64::INFINITY, f64::min);
    match inside.map(|test| test.locate(p).unwrap()) {
        Some(Location::Inside) => -distance,
        Some(Location::OnBoundary) => 0.0,
        _ => distance,
    }
}

#[test]
fn meshes_answer_as_all_points_and_faces_do() {
    let mut rng = Rng::new(5);
    let models = [
        generate::icosphere(0.5, 6).unwrap(),
        generate::torus(0.5, 0.2, 24, 12).unwrap(),
        generate::cuboid(DVec3::ONE, [1, 1, 1]).unwrap(),
    ];
    for (m, mesh) in models.into_iter().enumerate() {
        let mesh = Arc::new(mesh);
        let index = WideTree::new(mesh.clone());
        let solid = Solid::closed(&index).unwrap();
        let test = InsideTest::new(&mesh).unwrap();
        let links = LinkSet::new(vec![Link::solid(&solid), Link::surface(&index)]);
        for round in 0..8 {
            let at = DVec3::X * [0.0, 1.2, 3.0, 0.5][round % 4];
            let points = cloud(round, [1, 400][round / 4], 0.6, at, &mut rng);
            let tree = tree_of(&points);
            let place = if round == 3 {
                Pose::IDENTITY
            } else {
                pose(&mut rng, 0.3)
            };
            let (mut cache, mut answers) = (LinkCache::default(), Vec::new());
            for _ in 0..2 {
                links
                    .nearest(&tree, &[place, place], &mut cache, &mut answers)
                    .unwrap();
                for (k, inside) in [Some(&test), None].into_iter().enumerate() {
                    let expected = points
                        .iter()
                        .enumerate()
                        .map(|(i, &p)| (signed(&mesh, inside, place.inverse() * p), i as u32))
                        .min_by(|a, b| a.partial_cmp(b).unwrap())
                        .unwrap();
                    let found = answers[k].unwrap();
                    assert_eq!(
                        (found.distance, found.point),
                        expected,
                        "model {m}, round {round}, link {k}"
                    );
                    let way = (found.witness - found.position).length();
                    assert!((way - found.distance.abs()).abs() < 1e-12);
                    assert!(found.face.is_some() && found.ball.is_none());
                }
            }
            let mut near: Vec<PointHit> = Vec::new();
            let _ = links
                .points_within(&tree, 0, &place, 0.1, &mut cache, &mut near)
                .unwrap();
            let expected = points
                .iter()
                .filter(|&&p| signed(&mesh, Some(&test), place.inverse() * p) <= 0.1);
            assert_eq!(near.len(), expected.count(), "model {m}, round {round}");
        }
    }
}

#[test]
fn convex_shapes_and_half_spaces_answer_as_their_formulas_do() {
    let mut rng = Rng::new(6);
    let half = DVec3::new(0.3, 0.2, 0.4);
    let cuboid = |p: DVec3| {
        let q = p.abs() - half;
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
    };
    let capsule = |p: DVec3| {
        let t = p.x.clamp(-0.5, 0.5);
        (p - DVec3::X * t).length() - 0.25
    };
    let corners: Vec<DVec3> = (0..8)
        .map(|i| {
            half * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0
                - half
        })
        .collect();
    let links = LinkSet::new(vec![
        Link::convex(Ball::new(0.4).unwrap()),
        Link::convex(Cuboid::new(half).unwrap()),
        Link::convex(Polyhedron::new(&corners).unwrap()),
        Link::convex(Capsule::new([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 0.25).unwrap()),
        Link::half_space(HalfSpace::new([0.0, 2.0, 0.0], [5.0, 0.1, 0.0]).unwrap()),
    ]);
    let truths: [&dyn Fn(DVec3) -> f64; 5] =
        [&|p| p.length() - 0.4, &cuboid, &cuboid, &capsule, &|p| {
            p.y - 0.1
        }];
    for round in 0..60 {
        let at = rng.direction() * [0.0, 0.5, 2.0][round % 3];
        let points = cloud(round, [1, 30, 600][round / 20], 0.7, at, &mut rng);
        let tree = tree_of(&points);
        let poses: Vec<Pose> = (0..5).map(|_| pose(&mut rng, 0.5)).collect();
        let (mut cache, mut answers) = (LinkCache::default(), Vec::new());
        links
            .nearest(&tree, &poses, &mut cache, &mut answers)
            .unwrap();
        for (k, answer) in answers.iter().enumerate() {
            let found = answer.unwrap();
            let signed = |p: DVec3| truths[k](poses[k].inverse() * p);
            let expected = points
                .iter()
                .map(|&p| signed(p))
                .fold(f64::INFINITY, f64::min);
            // Depths in round shapes are approached.
            let error = if expected < 0.0 { 1e-6 } else { 1e-9 };
            assert!(
                (found.distance - expected).abs() < error,
                "round {round}, link {k}: {} for {expected}",
                found.distance
            );
            assert!((signed(found.position) - expected).abs() < error);
            assert!(
                signed(found.witness).abs() < 1e-5,
                "round {round}, link {k}: witness"
            );
            let mut near: Vec<PointHit> = Vec::new();
            let _ = links
                .points_within(&tree, k, &poses[k], 0.15, &mut cache, &mut near)
                .unwrap();
            let count = points.iter().filter(|&&p| signed(p) <= 0.15).count();
            assert_eq!(near.len(), count, "round {round}, link {k}");
        }
        let meets = links.intersects(&tree, &poses, &mut cache).unwrap();
        let expected = (0..5).any(|k| {
            points
                .iter()
                .any(|&p| truths[k](poses[k].inverse() * p) <= 0.0)
        });
        assert_eq!(meets, expected, "round {round}");
    }
}

#[test]
fn wrong_questions_are_refused() {
    let ball = SolidBall {
        center: DVec3::ZERO,
        radius: 1.0,
    };
    let options = InnerSphereTreeOptions::default();
    let links = LinkSet::new(vec![
        Link::spheres(&InnerSphereTree::new(&[ball], &options).unwrap()).unwrap(),
    ]);
    let mut tree = tree_of(&[DVec3::X]);
    let (mut cache, mut answers, mut hits) =
        (LinkCache::default(), Vec::new(), Vec::<PointHit>::new());
    let two = [Pose::IDENTITY; 2];
    let count = Err(LinkError::PoseCount { poses: 2, links: 1 });
    assert_eq!(links.nearest(&tree, &two, &mut cache, &mut answers), count);
    assert_eq!(links.intersects(&tree, &two, &mut cache).map(|_| ()), count);
    assert_eq!(links.overall(&tree, &two, &mut cache).map(|_| ()), count);
    let one = [Pose::IDENTITY];
    assert_eq!(
        links.is_within(&tree, &one, f64::NAN, &mut cache),
        Err(LinkError::BadDistance)
    );
    let missing = LinkError::NoLink { link: 1, links: 1 };
    assert_eq!(
        links.points_within(&tree, 1, &one[0], 1.0, &mut cache, &mut hits),
        Err(missing)
    );
    assert_eq!(
        links.remove_own(&mut tree, &[0, 1], &one, 1.0, &mut cache),
        Err(missing)
    );
    assert_eq!(tree.len(), 1);
    // Links without anything, and frames without points.
    let nothing = InnerSphereTree::new(&[], &options).unwrap();
    let empty = WideTree::new(Arc::default());
    let links = LinkSet::new(vec![
        Link::spheres(&nothing).unwrap(),
        Link::surface(&empty),
    ]);
    links
        .nearest(&tree, &two, &mut cache, &mut answers)
        .unwrap();
    assert_eq!(answers, [None, None]);
    assert_eq!(links.intersects(&tree, &two, &mut cache), Ok(false));
    assert_eq!(nearest_by_range(&tree, &links.links()[0], &one[0]), None);
    assert_eq!(nearest_by_range(&tree, &links.links()[1], &one[0]), None);
    assert_eq!(
        nearest_by_range(&PointTree::default(), &links.links()[0], &one[0]),
        None
    );
}

#[test]
fn answers_are_the_same_on_any_number_of_threads() {
    let mut rng = Rng::new(8);
    let points = cloud(0, 40_000, 2.0, DVec3::ZERO, &mut rng);
    let trees: Vec<InnerSphereTree> = (0..8).map(|_| balls(300, 0.1, &mut rng)).collect();
    let poses: Vec<Pose> = (0..8).map(|_| pose(&mut rng, 1.5)).collect();
    let ask = || {
        let tree = tree_of(&points);
        let links = LinkSet::new(trees.iter().map(|t| Link::spheres(t).unwrap()).collect());
        let (mut cache, mut answers) = (LinkCache::default(), Vec::new());
        links
            .nearest(&tree, &poses, &mut cache, &mut answers)
            .unwrap();
        let cold = (format!("{answers:?}"), cache.tests());
        links
            .nearest(&tree, &poses, &mut cache, &mut answers)
            .unwrap();
        (cold, format!("{answers:?}"), cache.tests())
    };
    let pool = |threads| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let [one, two, eight] = [1, 2, 8].map(|n| pool(n).install(ask));
    assert!(one == two && two == eight);
    assert_eq!(one.0.0, one.1);
}
