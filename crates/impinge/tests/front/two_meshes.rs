//! What a mesh answers is what the layers below answer.

use std::sync::Arc;

use impinge::bvh::Solid;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideCache, WideTree};
use impinge::depth::{DepthOptions, penetration_depth};
use impinge::generate;
use impinge::math::Rng;
use impinge::pair::{ContactQuery, PairConfig};
use impinge::prelude::*;
use impinge::query::VertexId;
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{SolidError, mesh::point_in_mesh::InsideError};
use impinge_testkit::corpus::scenarios;
use impinge_testkit::generate::{meshes, poses};

fn is_shared<T: Send + Sync + Clone>(_: &T) {}

#[test]
fn the_corpus_is_answered_as_by_the_index() {
    let mut met = 0;
    for scenario in scenarios().unwrap() {
        let (a, b, pose) = scenario.build().unwrap();
        let (a, b) = (Arc::new(a), Arc::new(b));
        let (tree_a, tree_b) = (WideTree::new(a.clone()), WideTree::new(b.clone()));
        let (a, b) = (Mesh::from(a), Mesh::from(b));
        is_shared(&a);
        let (limits, mut cache) = (Limits::default(), WideCache::default());
        let mut pairs = a.intersections(&b, &pose);
        pairs.sort_unstable();
        scenario.check(&pairs).unwrap();
        assert_eq!(a.intersects(&b, &pose), !pairs.is_empty());
        let expected = tree_a.distance(&tree_b, &pose, limits, &mut cache);
        assert_eq!(a.distance(&b, &pose), expected, "{}", scenario.name);
        met += u32::from(!pairs.is_empty());
    }
    assert!(met > 10);
}

#[test]
fn solids_are_answered_as_by_depth_and_volume() {
    let mut rng = Rng::new(31);
    let (a, b) = (meshes::ball(2, 1.0), crate::shapes::angle());
    let trees = [&a, &b].map(|mesh| WideTree::new(Arc::new(mesh.clone())));
    let solids = [
        Solid::closed(&trees[0]).unwrap(),
        Solid::closed(&trees[1]).unwrap(),
    ];
    let volumes = [&a, &b].map(|mesh| VolumeIndex::new(Arc::new(mesh.clone())).unwrap());
    let (a, b) = (Mesh::from(a), Mesh::from(b));
    let (limits, options) = (Limits::default(), DepthOptions::default());
    let mut deep = 0;
    for _ in 0..12 {
        let pose = poses::random(&mut rng, 1.5);
        let found = a.penetration(&b, &pose).unwrap();
        let mut cache = WideCache::default();
        let expected =
            penetration_depth(&solids[0], &solids[1], &pose, &options, limits, &mut cache);
        // A convex mesh is asked as the polyhedron that it is, whose faces have another order.
        assert!((found.upper - expected.upper).abs() < 1e-9);
        // Where the budget ends both searches, their lower bounds are those of another order.
        assert_eq!(found.outcome, expected.outcome);
        let is_whole = found.outcome == Outcome::Complete;
        assert!(!is_whole || (found.lower - expected.lower).abs() < 1e-9);
        assert!(found.lower <= expected.upper && expected.lower <= found.upper);
        assert_eq!(found.value.is_some(), expected.value.is_some());
        deep += u32::from(found.value.is_some());
        let mut cache = OverlapCache::default();
        let expected = volumes[0]
            .overlap(&volumes[1], &pose, limits, &mut cache)
            .unwrap();
        assert_eq!(a.volume(&b, &pose).unwrap(), expected);
    }
    assert!(deep > 3);
}

#[test]
fn one_mesh_is_answered_as_by_the_index() {
    let mut rng = Rng::new(32);
    let mesh = Arc::new(meshes::ball(3, 1.0));
    let tree = WideTree::new(mesh.clone());
    let solid = Solid::closed(&tree).unwrap();
    let mesh = Mesh::from(mesh);
    let (limits, mut cache) = (Limits::default(), SingleTreeCache::default());
    for _ in 0..100 {
        let (from, to) = (rng.cube() * 2.0, rng.cube() * 2.0);
        let ray = Ray::new(from, to - from).unwrap();
        let expected = tree.first_hit(&ray.into(), limits, &mut cache).value;
        let found = mesh.cast_ray(&ray);
        let told = |hit: impinge::pair::RayHit| (hit.t, hit.point, hit.face);
        assert_eq!(
            found.map(told),
            expected.map(|hit| (hit.t, hit.point, hit.face))
        );
        assert!(found.is_none_or(|hit| hit.normal.dot(ray.direction()) <= 0.0));
        let line = RayOrSegment::segment(from, to).unwrap();
        let expected = tree.first_hit(&line, limits, &mut cache).value;
        let found = mesh.cast_segment(from, to).unwrap();
        assert_eq!(
            found.map(told),
            expected.map(|hit| (hit.t, hit.point, hit.face))
        );
        let expected = tree.closest_face(from, limits, &mut cache).unwrap();
        assert_eq!(mesh.closest_point(from).unwrap(), expected);
        let is_in = solid.locate(from).unwrap() != impinge::mesh::point_in_mesh::Location::Outside;
        assert_eq!(mesh.contains(from).unwrap(), is_in);
    }
}

#[test]
fn a_manifold_holds_the_points_of_the_query_in_patches() {
    let mut rng = Rng::new(33);
    let (a, b) = (
        Mesh::from(meshes::ball(2, 1.0)),
        Mesh::from(crate::shapes::angle()),
    );
    let mut query = ContactQuery::new(&(&a).into(), &(&b).into(), &PairConfig::default()).unwrap();
    let (mut seen, mut patches) = (0, 0);
    for _ in 0..20 {
        let pose = poses::random(&mut rng, 1.5);
        let manifold = a.contacts(&b, &pose, 0.05);
        let mut expected = Vec::new();
        query.at(&pose, 0.05, &mut expected);
        let sorted = |points: &[impinge::pair::ContactPoint]| {
            let mut ids: Vec<u64> = points.iter().map(|point| point.id).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(sorted(manifold.points()), sorted(&expected));
        let mut count = 0;
        for patch in manifold.patches() {
            assert!(!patch.points.is_empty());
            for point in patch.points {
                assert!(point.normal.dot(patch.normal) > 1.0 - 1e-5);
                assert!(point.depth <= patch.depth);
            }
            count += patch.points.len();
        }
        assert_eq!(count, manifold.len());
        let deepest = expected.iter().map(|p| p.depth).reduce(f64::max);
        assert_eq!(manifold.deepest().map(|p| p.depth), deepest);
        assert_eq!(manifold.is_empty(), expected.is_empty());
        assert!(a.all_contacts(&b, &pose, 0.05).len() >= manifold.len());
        seen += manifold.len();
        patches += manifold.patches().len();
    }
    assert!(seen > patches && patches > 10);
}

#[test]
fn a_box_on_a_box_has_four_points_of_one_patch() {
    let cube = Mesh::from(generate::cuboid(DVec3::splat(2.0), [1; 3]).unwrap());
    let on_top = Pose::from_translation([0.5, 0.25, 2.0]).unwrap();
    let manifold = cube.contacts(&cube, &on_top, 0.0);
    let top: Vec<_> = manifold
        .patches()
        .filter(|patch| patch.normal.z > 0.999)
        .collect();
    assert_eq!((top.len(), top[0].points.len()), (1, 4));
    assert!(top[0].depth.abs() < 1e-12);
    let corners = [[-0.5, -0.75], [-0.5, 1.0], [1.0, -0.75], [1.0, 1.0]];
    for [x, y] in corners {
        let corner = DVec3::new(x, y, 1.0);
        assert!(
            top[0]
                .points
                .iter()
                .any(|p| p.point_a.distance(corner) < 1e-12),
            "{corner}"
        );
    }
}

#[test]
fn an_open_mesh_is_refused_by_name() {
    let closed = Mesh::from(generate::tetrahedron(1.0).unwrap());
    let mut faces = closed.tri_mesh().faces().to_vec();
    faces.pop();
    let open = Mesh::new(closed.tri_mesh().positions().iter().copied(), faces).unwrap();
    assert!(!open.is_closed() && closed.is_closed());
    let refused = closed.penetration(&open, &Pose::IDENTITY).unwrap_err();
    assert!(matches!(
        refused,
        SolidError::Open {
            which: "second",
            faces: 1,
            ..
        }
    ));
    let text = refused.to_string();
    assert!(
        text.starts_with("the second mesh is open: the edge between"),
        "{text}"
    );
    assert!(text.contains("weld it"), "{text}");
    let refused = open.penetration(&closed, &Pose::IDENTITY).unwrap_err();
    assert!(matches!(refused, SolidError::Open { which: "first", .. }));
    let text = open
        .volume(&closed, &Pose::IDENTITY)
        .unwrap_err()
        .to_string();
    assert!(
        text.starts_with("the first mesh: the surface is not closed"),
        "{text}"
    );
    assert!(matches!(
        open.contains([0.0; 3]),
        Err(InsideError::NotClosed { .. })
    ));
    assert!(open.solid().is_err() && closed.solid().is_ok());
    // The surfaces are asked all the same.
    assert!(open.intersects(&closed, &Pose::IDENTITY));
    let _: VertexId = match refused {
        SolidError::Open { a, .. } => a,
        _ => VertexId::new(0),
    };
}

#[test]
fn welding_closes_a_soup_and_keeps_its_faces() {
    let ball = meshes::ball(2, 1.0);
    let soup = Mesh::from(meshes::soup(ball.triangles()));
    assert!(!soup.is_closed());
    let welded = soup.welded();
    assert!(welded.is_closed());
    assert_eq!(welded.tri_mesh().vertex_count(), ball.vertex_count());
    for (face, corners) in welded.tri_mesh().face_ids().zip(ball.triangles()) {
        assert_eq!(welded.tri_mesh().face(face), Some(corners));
    }
    assert!(soup.welded_within(f64::NAN).is_err());
}

#[test]
fn a_clone_shares_the_index() {
    let mesh = Mesh::from(meshes::ball(2, 1.0));
    let clone = mesh.clone();
    assert!(Arc::ptr_eq(mesh.index(), clone.index()));
    let shape = Shape::from(&mesh);
    assert!(matches!(shape, Shape::Mesh(shape) if Arc::ptr_eq(shape.wide(), mesh.index())));
}

#[test]
fn impacts_bracket_the_closed_form() {
    let cube = Mesh::from(generate::cuboid(DVec3::splat(2.0), [2; 3]).unwrap());
    let place = |x: f64| Pose::from_translation([x, 0.3, 0.1]).unwrap();
    let hit = cube.impact(&cube, &Motion::between(&place(7.0), &place(-3.0)));
    assert!(
        hit.lower <= 0.5 && 0.5 <= hit.upper && hit.upper - hit.lower < 1e-6,
        "{hit:?}"
    );
    assert!(
        hit.value
            .is_some_and(|hit| (hit.normal - DVec3::X).length() < 1e-6)
    );
    let past = cube.impact(&cube, &Motion::between(&place(7.0), &place(2.5)));
    assert!(past.value.is_none() && past.lower >= 1.0);
}
