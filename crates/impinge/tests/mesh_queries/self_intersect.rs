//! A mesh meets itself exactly where its faces do, beyond what neighbours share.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{SelfIntersectOptions, SharedCornerRule, WideCache, WideTree};
use impinge::geom::{SharedCorners, adjacent_triangles_intersect};
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{FacePair, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh, generate};
use impinge_testkit::generate::{grid, meshes};
use impinge_testkit::oracle;

fn is_proper([a, b, c]: &[DVec3; 3]) -> bool {
    // Exact for small integers.
    (*b - *a).cross(*c - *a) != DVec3::ZERO
}

/// Whether two proper faces on the grid meet beyond what they share, from other facts than the library uses.
fn meet_by_oracle(a: &[DVec3; 3], b: &[DVec3; 3], shared: &SharedCorners) -> bool {
    match *shared.pairs() {
        [] => oracle::intersects(a, b),
        // Any other common point continues to where the ray from the corner leaves the first of the two faces:
        // through the edge opposite to the corner.
        [(i, j)] => {
            let far_a = [a[(i + 1) % 3], a[(i + 2) % 3], a[(i + 2) % 3]];
            let far_b = [b[(j + 1) % 3], b[(j + 2) % 3], b[(j + 2) % 3]];
            oracle::intersects(&far_a, b) || oracle::intersects(&far_b, a)
        }
        // Folded: in one plane, with the other corners on the same side of the edge.
        [(i, j), (k, l)] => {
            let (p, q) = (a[i], a[k]);
            let (apex_a, apex_b) = (a[3 - i - k] - p, b[3 - j - l] - p);
            let (up_a, up_b) = ((q - p).cross(apex_a), (q - p).cross(apex_b));
            up_a.cross(up_b) == DVec3::ZERO && up_a.dot(up_b) > 0.0
        }
        _ => false,
    }
}

#[test]
fn neighbours_on_the_grid_meet_beyond_what_they_share_exactly_when_the_oracle_says_so() {
    let mut rng = Rng::new(41);
    let mut yes = [0; 4];
    let mut no = [0; 4];
    for _ in 0..40_000 {
        let range = grid::RANGES[rng.below(4) as usize];
        let mut a = grid::triangle(&mut rng, range);
        let mut b = grid::triangle(&mut rng, range);
        if rng.below(3) == 0 {
            for p in a.iter_mut().chain(&mut b) {
                p.z = 0.0;
            }
        }
        for k in 0..rng.below(3) as usize {
            b[(k + 1) % 3] = a[k];
        }
        let b = grid::shuffled(&mut rng, &b);
        if !is_proper(&a) || !is_proper(&b) {
            continue;
        }
        let shared = SharedCorners::by_position(&a, &b);
        let expected = meet_by_oracle(&a, &b, &shared);
        assert_eq!(
            adjacent_triangles_intersect(&a, &b, &shared),
            expected,
            "{a:?} {b:?}"
        );
        let back = SharedCorners::by_position(&b, &a);
        assert_eq!(
            adjacent_triangles_intersect(&b, &a, &back),
            expected,
            "{a:?} {b:?}"
        );
        let count = shared.pairs().len();
        if expected {
            yes[count] += 1;
        } else {
            no[count] += 1;
        }
    }
    assert!(
        yes[..3].iter().chain(&no).all(|&n| n > 50),
        "{yes:?} {no:?}"
    );
    assert_eq!(yes[3], 0);
}

#[test]
fn flat_faces_meet_beyond_an_edge_only_where_they_are_longer() {
    let at = |x: f64| DVec3::new(x, x, x);
    // Both lie in one line and share the edge from 0 to 2.
    let long = [at(0.0), at(2.0), at(3.0)];
    let longer = [at(0.0), at(2.0), at(4.0)];
    let short = [at(0.0), at(2.0), at(1.0)];
    let backward = [at(0.0), at(2.0), at(-1.0)];
    let proper = [at(0.0), at(2.0), DVec3::X];
    let meet = |a, b| adjacent_triangles_intersect(a, b, &SharedCorners::by_position(a, b));
    assert!(meet(&long, &longer));
    assert!(!meet(&long, &short));
    assert!(!meet(&long, &backward));
    assert!(!meet(&long, &proper) && !meet(&proper, &short));
}

fn by_all_pairs(mesh: &TriMesh, options: &SelfIntersectOptions) -> Vec<FacePair> {
    let mut pairs = Vec::new();
    for a in mesh.face_ids() {
        for b in mesh.face_ids().filter(|&b| a < b) {
            let (ta, tb) = (mesh.face(a).unwrap(), mesh.face(b).unwrap());
            if !(options.flat_faces || is_proper(&ta) && is_proper(&tb)) {
                continue;
            }
            let shared = match options.sharing {
                SharedCornerRule::ByVertex => {
                    SharedCorners::by_index(mesh.faces()[a.index()], mesh.faces()[b.index()])
                }
                SharedCornerRule::ByPosition => SharedCorners::by_position(&ta, &tb),
            };
            let is_duplicate = shared.pairs().len() == 3;
            if (is_duplicate && options.duplicates)
                || adjacent_triangles_intersect(&ta, &tb, &shared)
            {
                pairs.push(FacePair { a, b });
            }
        }
    }
    pairs
}

fn every_option() -> impl Iterator<Item = SelfIntersectOptions> {
    (0..8).map(|bits| SelfIntersectOptions {
        sharing: if bits & 1 == 0 {
            SharedCornerRule::ByVertex
        } else {
            SharedCornerRule::ByPosition
        },
        duplicates: bits & 2 == 0,
        flat_faces: bits & 4 == 0,
        max_pair_tests: None,
    })
}

fn check(mesh: &TriMesh) -> usize {
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let mut most = 0;
    for options in every_option() {
        let expected = by_all_pairs(mesh, &options);
        for level in Level::available() {
            let mut cache = WideCache::with_level(level);
            let mut found = Vec::new();
            let outcome =
                tree.self_intersections(&options, Limits::default(), &mut cache, &mut found);
            assert_eq!(outcome, Outcome::Complete);
            found.sort_unstable();
            assert_eq!(found, expected, "{options:?}");
        }
        most = most.max(expected.len());
    }
    most
}

/// A mesh whose faces share vertices at random on a small grid.
fn tangle(rng: &mut Rng, vertices: u64, faces: usize, range: (i64, i64)) -> TriMesh {
    let points = (0..vertices).map(|_| grid::point(rng, range)).collect();
    let faces = (0..faces).map(|_| [(); 3].map(|()| rng.below(vertices) as u32));
    TriMesh::new(points, faces.collect()).unwrap()
}

#[test]
fn tangles_on_the_grid_meet_themselves_as_all_pairs_do() {
    let mut rng = Rng::new(42);
    let mut found = 0;
    for i in 0..60 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let vertices = 4 + rng.below(20);
        let faces = rng.below(60) as usize;
        found += check(&tangle(&mut rng, vertices, faces, range));
    }
    assert!(found > 1000);
}

#[test]
fn soups_and_models_meet_themselves_as_all_pairs_do() {
    let mut rng = Rng::new(43);
    assert!(check(&meshes::random_soup(&mut rng, 200, 0.5)) > 0);
    assert_eq!(check(&generate::icosphere(1.0, 4).unwrap()), 0);
    assert_eq!(check(&generate::gear(8, 2, 1.0, 0.3).unwrap()), 0);
    let ball = generate::icosphere(1.0, 3).unwrap();
    let beside = ball
        .placed(&Pose::from_translation([1.2, 0.1, 0.2]).unwrap())
        .unwrap();
    assert!(check(&meshes::merged(&ball, &beside)) > 10);
    assert_eq!(
        check(&meshes::merged(&ball, &ball)),
        by_all_pairs(
            &meshes::merged(&ball, &ball),
            &SelfIntersectOptions::default()
        )
        .len()
    );
    check(&TriMesh::default());
}

#[test]
fn limits_cut_to_a_beginning_of_the_full_list() {
    let mut rng = Rng::new(44);
    let tree = WideTree::new(Arc::new(meshes::random_soup(&mut rng, 300, 0.5)));
    let options = SelfIntersectOptions::default();
    let mut cache = WideCache::default();
    let mut all = Vec::new();
    let _ = tree.self_intersections(&options, Limits::default(), &mut cache, &mut all);
    let needed = WideTree::work(&cache).tests();
    for max_tests in [0, 1, needed / 3, needed / 2, needed - 1] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let mut some = Vec::new();
        let outcome = tree.self_intersections(&options, limits, &mut cache, &mut some);
        assert_eq!(outcome, Outcome::OutOfBudget);
        assert!(all.starts_with(&some));
    }
    let mut count = 0;
    let mut three = |_: FacePair| {
        count += 1;
        if count < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let outcome = tree.self_intersections(&options, Limits::default(), &mut cache, &mut three);
    assert_eq!((outcome, count), (Outcome::StoppedBySink, 3));
    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let mut none = Vec::new();
    let outcome = tree.self_intersections(&options, limits, &mut cache, &mut none);
    assert_eq!((outcome, none.len()), (Outcome::OutOfBudget, 0));
}
