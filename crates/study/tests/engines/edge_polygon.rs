//! The edge–polygon algorithm: exact with any pre-checks, bounded by its laws when relaxed, and the same on polygons as on
//! their triangles.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::math::Rng;
use impinge::poly::{PolyMesh, triangulate};
use impinge::query::{FaceId, FacePair, First, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::edge_polygon::{
    EdgePolygon, EdgePolygonCache, EdgePolygonConfig, PolygonIndex, PreChecks,
};
use impinge_testkit::conformance::{mesh_index, pairs_of};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

/// All pre-checks, none, and each alone switched off.
fn check_sets() -> [PreChecks; 7] {
    let all = PreChecks::ALL;
    [
        all,
        PreChecks::NONE,
        PreChecks {
            bodies: false,
            ..all
        },
        PreChecks {
            face_collect: false,
            ..all
        },
        PreChecks {
            edge_body: false,
            ..all
        },
        PreChecks {
            edge_face: false,
            ..all
        },
        PreChecks {
            plane_side: false,
            ..all
        },
    ]
}

fn exact_with(pre_checks: PreChecks) -> EdgePolygonConfig {
    EdgePolygonConfig {
        pre_checks,
        ..EdgePolygonConfig::default()
    }
}

fn conforms(a: &TriMesh, b: &TriMesh, pose: &Pose, warm: &mut EdgePolygonCache) {
    for checks in check_sets() {
        mesh_index::<EdgePolygon>(a, b, pose, &exact_with(checks), warm).unwrap();
    }
}

fn found(a: &TriMesh, b: &TriMesh, pose: &Pose, config: &EdgePolygonConfig) -> BTreeSet<FacePair> {
    let pairs = pairs_of::<EdgePolygon>(a, b, pose, config, &mut Default::default()).unwrap();
    let set: BTreeSet<FacePair> = pairs.iter().copied().collect();
    assert_eq!(set.len(), pairs.len(), "a pair was reported twice");
    set
}

/// Random and grid inputs of many kinds, with their poses.
fn inputs(seed: u64) -> Vec<(TriMesh, TriMesh, Pose)> {
    let mut rng = Rng::new(seed);
    let mut all = Vec::new();
    for i in 0..60 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let (n, m) = (rng.below(30) as usize, rng.below(30) as usize);
        let a = meshes::grid_soup(&mut rng, n, range);
        let b = meshes::grid_soup(&mut rng, m, range);
        all.push((a, b, poses::exact(&mut rng, (i % 4) as i64)));
        let (a, b) = (
            meshes::grid_solid(&mut rng, 3),
            meshes::grid_solid(&mut rng, 3),
        );
        all.push((a, b, poses::exact(&mut rng, 3)));
    }
    for _ in 0..20 {
        let size = rng.range(0.05, 1.0);
        let a = meshes::random_soup(&mut rng, 40, size);
        let b = meshes::random_soup(&mut rng, 30, size);
        all.push((a, b, poses::random(&mut rng, 0.5)));
        let (a, b) = (meshes::ball(1, 1.0), meshes::ball(2, 0.7));
        all.push((a, b, poses::random(&mut rng, 1.2)));
    }
    all
}

#[test]
fn whichever_pre_checks_are_on_the_pairs_are_the_oracles() {
    let mut warm = EdgePolygonCache::default();
    for (a, b, pose) in inputs(1) {
        conforms(&a, &b, &pose, &mut warm);
    }
}

#[test]
fn degenerate_meshes_have_the_oracles_pairs() {
    let mut warm = EdgePolygonCache::default();
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let flat = meshes::sheet(3, |_, _| 0.0);
    let sliver = TriMesh::from_points(
        [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-300, 0.0], [0.5; 3]],
        [[0, 1, 2], [0, 3, 1], [0, 1, 1]],
    )
    .unwrap();
    let twice = meshes::merged(&cube, &cube);
    let all = [
        TriMesh::default(),
        TriMesh::from_points([[0.0; 3]; 4], []).unwrap(),
        TriMesh::from_points([[1.0; 3]], [[0, 0, 0]]).unwrap(),
        TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]).unwrap(),
        cube,
        meshes::merged(&flat, &flat),
        sliver,
        twice,
    ];
    let far = Pose::from_translation([1e40, -1e40, 1e44]).unwrap();
    for a in &all {
        for b in &all {
            conforms(a, b, &Pose::IDENTITY, &mut warm);
            conforms(a, b, &far, &mut warm);
        }
    }
}

#[test]
fn tiny_and_huge_meshes_have_the_oracles_pairs() {
    let mut rng = Rng::new(5);
    let mut warm = EdgePolygonCache::default();
    for scale in [1e-150, 1e-90, 1e-6, 1e6, 1e40] {
        for _ in 0..5 {
            let a = meshes::random_soup(&mut rng, 20, 0.5);
            let b = meshes::grid_soup(&mut rng, 20, (0, 2));
            let [a, b] = [a, b].map(|mesh| {
                let (points, faces) = mesh.into_parts();
                TriMesh::new(points.into_iter().map(|p| p * scale).collect(), faces).unwrap()
            });
            conforms(&a, &b, &Pose::IDENTITY, &mut warm);
        }
    }
}

#[test]
fn relaxed_pairs_are_exact_pairs_and_those_pass_the_pre_checks() {
    let (mut fewer, mut more) = (0, 0);
    for (a, b, pose) in inputs(2) {
        let exact = found(&a, &b, &pose, &EdgePolygonConfig::default());
        for pre_checks in check_sets() {
            let with = |config: EdgePolygonConfig| EdgePolygonConfig {
                pre_checks,
                ..config
            };
            let relaxed = found(&a, &b, &pose, &with(EdgePolygonConfig::relaxed()));
            let passing = found(&a, &b, &pose, &with(EdgePolygonConfig::pre_checks_only()));
            assert!(relaxed.is_subset(&exact) && exact.is_subset(&passing));
            fewer += usize::from(relaxed.len() < exact.len());
            more += usize::from(exact.len() < passing.len());
        }
    }
    assert!(fewer > 0 && more > 0, "the laws were never strict");
}

#[test]
fn relaxed_pairs_are_all_whose_faces_have_a_vertex_in_the_other_box() {
    for (a, b, pose) in inputs(3) {
        let placed = b.placed(&pose).unwrap();
        let (bounds_a, bounds_b) = (a.bounds(), placed.bounds());
        let sure: BTreeSet<FacePair> = found(&a, &b, &pose, &EdgePolygonConfig::default())
            .into_iter()
            .filter(|pair| {
                let (of_a, of_b) = (a.face(pair.a).unwrap(), placed.face(pair.b).unwrap());
                of_a.iter().any(|&p| bounds_b.contains(p))
                    && of_b.iter().any(|&p| bounds_a.contains(p))
            })
            .collect();
        assert!(sure.is_subset(&found(&a, &b, &pose, &EdgePolygonConfig::relaxed())));
    }
}

#[test]
fn relaxed_collect_is_blind_to_large_faces() {
    // Two crossing bars: no vertex of one is in the other's box.
    let a = meshes::cuboid(DVec3::new(-5.0, -1.0, -1.0), DVec3::new(5.0, 1.0, 1.0));
    let b = meshes::cuboid(DVec3::new(-0.5, -5.0, -0.5), DVec3::new(0.5, 5.0, 0.5));
    assert!(!found(&a, &b, &Pose::IDENTITY, &EdgePolygonConfig::default()).is_empty());
    assert!(found(&a, &b, &Pose::IDENTITY, &EdgePolygonConfig::relaxed()).is_empty());
}

#[test]
fn without_the_coplanar_test_faces_in_one_plane_are_missed_and_nothing_is_invented() {
    let printed = EdgePolygonConfig {
        coplanar: false,
        ..EdgePolygonConfig::default()
    };
    assert!(!printed.is_exact());
    let face = TriMesh::from_points([[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], [[0, 1, 2]]);
    let face = face.unwrap();
    let shifted = Pose::from_translation([0.5, 0.5, 0.0]).unwrap();
    assert_eq!(
        found(&face, &face, &shifted, &EdgePolygonConfig::default()).len(),
        1
    );
    assert!(found(&face, &face, &shifted, &printed).is_empty());
    for (a, b, pose) in inputs(4) {
        let exact = found(&a, &b, &pose, &EdgePolygonConfig::default());
        assert!(found(&a, &b, &pose, &printed).is_subset(&exact));
    }
}

#[test]
fn a_pre_check_more_is_never_an_exact_test_more() {
    for (a, b, pose) in inputs(6) {
        let tests = |checks: PreChecks| {
            let mut cache = EdgePolygonCache::default();
            let config = exact_with(checks);
            pairs_of::<EdgePolygon>(&a, &b, &pose, &config, &mut cache).unwrap();
            cache.counts().exact_tests
        };
        let all = tests(PreChecks::ALL);
        let none = tests(PreChecks::NONE);
        for checks in check_sets() {
            let some = tests(checks);
            assert!(all <= some && some <= none, "{checks:?}");
        }
    }
}

#[test]
fn two_threads_give_the_answer_of_one() {
    let mut cache = EdgePolygonCache::default();
    for (a, b, pose) in inputs(7) {
        for config in [
            EdgePolygonConfig::default(),
            EdgePolygonConfig::relaxed(),
            EdgePolygonConfig::pre_checks_only(),
        ] {
            let [a, b] = [&a, &b].map(|m| EdgePolygon::build(Arc::new(m.clone()), &config));
            let mut first = First::default();
            let mut alone = EdgePolygonCache::default();
            let _ = a.intersections(&b, &pose, Limits::default(), &mut alone, &mut first);
            assert_eq!(a.meets_by_two(&b, &pose, &mut cache), first.0.is_some());
        }
    }
}

/// An edge of the large face goes through the small body, and the large face has no vertex near it.
/// The small body has: so the edges of the large one decide, whichever direction is asked first and
/// however many threads ask.
#[test]
fn a_direction_without_faces_does_not_call_off_the_other() {
    let large = TriMesh::from_points(
        [[-50.0, 0.25, 0.25], [50.0, 0.25, 0.25], [0.0, 90.0, 40.0]],
        [[0, 1, 2]],
    )
    .unwrap();
    let small = meshes::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
    let config = EdgePolygonConfig::relaxed();
    let exact = found(
        &small,
        &large,
        &Pose::IDENTITY,
        &EdgePolygonConfig::default(),
    );
    // The two sides of the cuboid that the edge goes through, each one or two triangles.
    let pierced = found(&large, &small, &Pose::IDENTITY, &config);
    assert!(!pierced.is_empty());
    let swapped = found(&small, &large, &Pose::IDENTITY, &config);
    assert!(swapped.is_subset(&exact));
    let turned: BTreeSet<FacePair> = pierced
        .iter()
        .map(|pair| FacePair {
            a: pair.b,
            b: pair.a,
        })
        .collect();
    assert_eq!(turned, swapped);
    let [large, small] = [large, small].map(|m| EdgePolygon::build(Arc::new(m), &config));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        // One thread asks the first direction first: with the small body first it finds no face
        // there.
        for [a, b] in [[&large, &small], [&small, &large]] {
            let mut cache = EdgePolygonCache::default();
            let is_met = pool.install(|| a.meets_by_two(b, &Pose::IDENTITY, &mut cache));
            assert!(is_met, "{threads} threads");
        }
    }
}

/// A polygon mesh of flat faces with integer corners in integer planes: plates, some with holes, some notched.
fn plates(rng: &mut Rng, count: usize) -> PolyMesh {
    let mut points = Vec::new();
    let mut faces: Vec<Vec<Vec<u32>>> = Vec::new();
    for _ in 0..count {
        let origin = grid::point(rng, (-3, 3));
        let (along, across) = loop {
            let (along, across) = (grid::point(rng, (-1, 1)), grid::point(rng, (-1, 1)));
            if along.cross(across) != DVec3::ZERO {
                break (along, across);
            }
        };
        let outline: Vec<[i32; 2]> = match rng.below(4) {
            0 => vec![[0, 0], [6, 0], [6, 6], [0, 6]],
            // With corners in the middle of straight sides.
            1 => vec![[0, 0], [3, 0], [6, 0], [6, 6], [3, 6], [0, 6]],
            2 => vec![[0, 0], [6, 0], [6, 3], [3, 3], [3, 6], [0, 6]],
            _ => vec![
                [0, 0],
                [2, 1],
                [6, 0],
                [5, 3],
                [6, 6],
                [3, 5],
                [0, 6],
                [1, 3],
            ],
        };
        let is_square = outline.len() == 4;
        let mut loops = vec![outline];
        if is_square && rng.below(3) > 0 {
            loops.push(vec![[1, 1], [1, 3], [3, 3], [3, 1]]);
            if rng.below(2) == 0 {
                loops.push(vec![[4, 4], [5, 4], [4, 5]]);
            }
        }
        let face = loops.into_iter().map(|corners| {
            let first = points.len() as u32;
            points.extend(
                corners
                    .iter()
                    .map(|&[u, v]| origin + f64::from(u) * along + f64::from(v) * across),
            );
            (first..points.len() as u32).collect()
        });
        faces.push(face.collect());
    }
    PolyMesh::new(points, faces).unwrap()
}

/// The oracle's pairs of triangles, named by their polygons.
fn pairs_of_triangles(a: &PolyMesh, b: &PolyMesh, pose: &Pose) -> Vec<FacePair> {
    let (a, b) = (triangulate(a), triangulate(b));
    let pairs = oracle::face_pairs(&a.mesh, &b.mesh, pose);
    let named: BTreeSet<FacePair> = pairs
        .into_iter()
        .map(|pair| FacePair {
            a: FaceId::new(a.polygon_of_face[pair.a.index()]),
            b: FaceId::new(b.polygon_of_face[pair.b.index()]),
        })
        .collect();
    named.into_iter().collect()
}

fn polygon_pairs(
    a: &PolyMesh,
    b: &PolyMesh,
    pose: &Pose,
    config: &EdgePolygonConfig,
    cache: &mut EdgePolygonCache,
) -> Vec<FacePair> {
    let [a, b] = [a, b].map(|mesh| PolygonIndex::build(Arc::new(mesh.clone()), config));
    let mut pairs = Vec::new();
    let outcome = a.intersections(&b, pose, Limits::default(), cache, &mut pairs);
    assert_eq!(outcome, Outcome::Complete);
    pairs.sort_unstable();
    pairs
}

#[test]
fn polygons_with_holes_meet_exactly_where_their_triangles_do() {
    let mut rng = Rng::new(8);
    let mut cache = EdgePolygonCache::default();
    let mut met = 0;
    for i in 0..300 {
        let (a, b) = (plates(&mut rng, 3), plates(&mut rng, 3));
        let pose = match i % 3 {
            0 => poses::exact(&mut rng, 4),
            1 => poses::random(&mut rng, 3.0),
            _ => Pose::IDENTITY,
        };
        let truth = pairs_of_triangles(&a, &b, &pose);
        met += truth.len();
        for checks in check_sets() {
            let pairs = polygon_pairs(&a, &b, &pose, &exact_with(checks), &mut cache);
            assert_eq!(pairs, truth, "{checks:?}");
        }
        let truth: BTreeSet<FacePair> = truth.into_iter().collect();
        let set = |config: EdgePolygonConfig, cache: &mut EdgePolygonCache| {
            let pairs = polygon_pairs(&a, &b, &pose, &config, cache);
            pairs.into_iter().collect::<BTreeSet<FacePair>>()
        };
        assert!(set(EdgePolygonConfig::relaxed(), &mut cache).is_subset(&truth));
        assert!(truth.is_subset(&set(EdgePolygonConfig::pre_checks_only(), &mut cache)));
    }
    assert!(met > 300, "{met} pairs only");
}

#[test]
fn crossed_bent_and_collapsed_polygons_meet_exactly_where_their_triangles_do() {
    let mut rng = Rng::new(9);
    let mut cache = EdgePolygonCache::default();
    for i in 0..300 {
        let [a, b] = [0; 2].map(|_| {
            let points: Vec<DVec3> = (0..8).map(|_| grid::point(&mut rng, (0, 3))).collect();
            let faces = (0..3).map(|_| {
                let corners = 3 + rng.below(4);
                (0..corners)
                    .map(|_| rng.below(8) as u32)
                    .collect::<Vec<u32>>()
            });
            let faces: Vec<Vec<u32>> = faces.collect();
            PolyMesh::from_outlines(points, faces).unwrap()
        });
        let pose = if i % 2 == 0 {
            Pose::IDENTITY
        } else {
            poses::random(&mut rng, 2.0)
        };
        let truth = pairs_of_triangles(&a, &b, &pose);
        let config = EdgePolygonConfig::default();
        assert_eq!(polygon_pairs(&a, &b, &pose, &config, &mut cache), truth);
    }
}

#[test]
fn triangles_as_polygons_have_the_pairs_of_the_triangle_mesh() {
    let mut cache = EdgePolygonCache::default();
    for (a, b, pose) in inputs(10) {
        let polygons = |mesh: &TriMesh| {
            PolyMesh::from_outlines(mesh.positions().to_vec(), mesh.faces()).unwrap()
        };
        // A face that repeats a vertex is a triangle here and nothing as a polygon.
        let is_proper = |mesh: &TriMesh| {
            let mut faces = mesh.faces().iter();
            faces.all(|&[p, q, r]| p != q && q != r && r != p)
        };
        if is_proper(&a) && is_proper(&b) {
            let config = EdgePolygonConfig::default();
            let pairs = polygon_pairs(&polygons(&a), &polygons(&b), &pose, &config, &mut cache);
            assert_eq!(pairs, oracle::face_pairs(&a, &b, &pose));
        }
    }
}

#[test]
fn an_edge_clear_of_the_outline_needs_no_triangle() {
    // A wall of 40 corners with a window, and a bar through it, turned so that no corner stays in a plane.
    let ring: Vec<DVec3> = (0..40)
        .map(|i| {
            let angle = f64::from(i) * std::f64::consts::TAU / 40.0;
            DVec3::new(5.0 * angle.cos(), 5.0 * angle.sin(), 0.0)
        })
        .collect();
    let window = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut points = ring;
    points.extend(window.map(|[x, y]| DVec3::new(x, y, 0.0)));
    let loops = [(0..40).collect::<Vec<u32>>(), (40..44).collect()];
    let wall = PolyMesh::new(points, [loops]).unwrap();
    let bar = |x: f64| {
        let points = vec![
            DVec3::new(x, 0.0, -2.0),
            DVec3::new(x + 0.3, 0.1, -2.0),
            DVec3::new(x, 0.2, 2.0),
        ];
        PolyMesh::from_outlines(points, [[0, 1, 2]]).unwrap()
    };
    let turned = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::ZERO).unwrap();
    let config = EdgePolygonConfig::default();
    for (x, expected) in [(0.2, 0), (2.5, 1), (7.0, 0)] {
        let a = PolygonIndex::build(Arc::new(bar(x)), &config);
        let b = PolygonIndex::build(Arc::new(wall.clone()), &config);
        for (pose, name) in [(Pose::IDENTITY, "flat"), (turned, "turned")] {
            // Both are turned: the bar by hand, so that they keep their places.
            let points = bar(x).positions().to_vec();
            let points = points
                .into_iter()
                .map(|p| pose.transform_point(p))
                .collect();
            let turned_bar = PolyMesh::from_outlines(points, [[0, 1, 2]]).unwrap();
            let a = if name == "flat" {
                a.clone()
            } else {
                PolygonIndex::build(Arc::new(turned_bar), &config)
            };
            let mut cache = EdgePolygonCache::default();
            let mut pairs = Vec::new();
            let _ = a.intersections(&b, &pose, Limits::default(), &mut cache, &mut pairs);
            assert_eq!(pairs.len(), expected, "{name} at {x}");
            assert_eq!(cache.counts().triangle_tests, 0, "{name} at {x}");
        }
    }
}
