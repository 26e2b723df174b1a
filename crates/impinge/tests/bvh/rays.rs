//! Rays and segments cast at a tree hit what they hit face by face.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::{FaceHit, RayOrSegment, SingleTreeCache, WideTree};
use impinge::geom::{Ray, ray_triangle};
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{FaceId, Limits, Outcome};
use impinge::{DVec3, TriMesh, generate};
use impinge_testkit::generate::{grid, meshes};
use impinge_testkit::oracle;

/// Every hit of a line by asking each face, sorted by place, then face.
fn every_hit(mesh: &TriMesh, line: &RayOrSegment) -> Vec<FaceHit> {
    let mut hits: Vec<FaceHit> = Vec::new();
    for face in mesh.face_ids() {
        let one = TriMesh::new(mesh.face(face).unwrap().to_vec(), vec![[0, 1, 2]]).unwrap();
        let tree = WideTree::new(Arc::new(one));
        let first = hits.len();
        let _ = tree.hits(
            line,
            Limits::default(),
            &mut SingleTreeCache::default(),
            &mut hits,
        );
        for hit in &mut hits[first..] {
            hit.face = face;
        }
    }
    sort(&mut hits);
    hits
}

fn sort(hits: &mut [FaceHit]) {
    hits.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.face.cmp(&y.face)));
}

/// What the primitives say about each face, without any tree.
fn expected(mesh: &TriMesh, origin: DVec3, direction: DVec3) -> Vec<(f64, FaceId)> {
    let ray = Ray::new(origin, direction).unwrap();
    let faces = mesh.face_ids();
    let hits = faces.filter_map(|f| ray_triangle(&ray, &mesh.face(f).unwrap()).map(|h| (h.t, f)));
    let mut hits: Vec<_> = hits.collect();
    hits.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    hits
}

/// All ways of asking agree with the sorted list of hits.
fn check(tree: &WideTree, line: &RayOrSegment, truth: &[(f64, FaceId)]) {
    for level in Level::available() {
        let mut cache = SingleTreeCache::with_level(level);
        let mut found = Vec::new();
        let outcome = tree.hits(line, Limits::default(), &mut cache, &mut found);
        assert_eq!(outcome, Outcome::Complete);
        sort(&mut found);
        let places: Vec<_> = found.iter().map(|h| (h.t, h.face)).collect();
        assert_eq!(places, truth, "{line:?}");
        assert_eq!(tree.is_hit(line, &mut cache), !truth.is_empty());
        let first = tree.first_hit(line, Limits::default(), &mut cache);
        assert_eq!(first.value.as_ref(), found.first(), "{line:?}");
        let cast = tree.cast_ray(line, None, &mut cache);
        assert_eq!(cast.as_ref(), found.first(), "{line:?}");
        check_reach(tree, line, &found, &mut cache);
        if let Some(&(t, _)) = truth.first() {
            assert_eq!((first.lower, first.upper), (t, t));
        }
        for hit in &found {
            let size = line.at(0.0).length() + hit.point.length();
            let sum: f64 = hit.barycentric.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12 && hit.point.is_finite() && size.is_finite());
        }
    }
    let truth = truth.first().map_or(f64::INFINITY, |&(t, _)| t);
    for max_tests in [0, 1, 9, 20, 40] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let mut cache = SingleTreeCache::default();
        let cut = tree.first_hit(line, limits, &mut cache);
        assert!(cache.work().tests() <= max_tests);
        assert!(
            cut.lower <= truth && truth <= cut.upper || cut.outcome == Outcome::Complete,
            "{cut:?} {truth}"
        );
    }
}

/// What is hit within a distance is the first hit of all if it is near enough, and nothing else.
fn check_reach(
    tree: &WideTree,
    line: &RayOrSegment,
    hits: &[FaceHit],
    cache: &mut SingleTreeCache,
) {
    let length = line.at(1.0).distance(line.at(0.0));
    let Some(first) = hits.first().filter(|_| length.is_normal()) else {
        return;
    };
    for (factor, is_far) in [(0.5, true), (1.0 - 1e-9, true), (1.0 + 1e-9, false)] {
        let reach = first.t * length * factor;
        let limits = Limits {
            max_distance: Some(reach),
            ..Limits::default()
        };
        let cast = tree.cast_ray(line, Some(reach), cache);
        assert_eq!(cast, tree.first_hit(line, limits, cache).value, "{line:?}");
        // The length is that of rounded ends, and a hit near the start says too little.
        let size = line.at(0.0).length();
        let is_sure = length > 1e-5 * size && first.t > 1e-3 && first.t * length > 1e-6 * size;
        if is_sure && reach.is_normal() {
            assert_eq!(cast.is_none(), is_far, "{line:?} {reach} {first:?}");
        }
    }
}

fn check_ray(mesh: &TriMesh, tree: &WideTree, origin: DVec3, direction: DVec3) {
    let truth = expected(mesh, origin, direction);
    check(tree, &RayOrSegment::ray(origin, direction).unwrap(), &truth);
}

#[test]
fn rays_on_the_grid_hit_what_each_face_says() {
    let mut rng = Rng::new(11);
    for i in 0..120 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let n = rng.below(60) as usize;
        let mesh = meshes::grid_soup(&mut rng, n, range);
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for _ in 0..20 {
            let origin = grid::point(&mut rng, (range.0 - 2, range.1 + 2));
            let direction = grid::point(&mut rng, (-2, 2));
            if direction != DVec3::ZERO {
                check_ray(&mesh, &tree, origin, direction);
            }
        }
    }
}

#[test]
fn random_rays_hit_what_each_face_says() {
    let mut rng = Rng::new(12);
    let models = [
        generate::gear(12, 4, 1.0, 0.3).unwrap(),
        generate::torus_knot(2, 3, 0.3, 60, 8).unwrap(),
        meshes::random_soup(&mut rng, 300, 0.3),
        meshes::random_soup(&mut rng, 300, 0.01),
    ];
    for mesh in models {
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for i in 0..150 {
            let far = [0.5, 3.0, 100.0, 1e9][i % 4];
            let origin = rng.cube() * far;
            let aim = rng.cube() * 2.0 - origin;
            let speed = [1.0, 1e-8, 1e8][i % 3];
            check_ray(&mesh, &tree, origin, aim * speed);
            check_ray(&mesh, &tree, origin, rng.direction());
        }
    }
}

#[test]
fn scale_and_place_do_not_matter() {
    let mut rng = Rng::new(13);
    for (scale, offset) in [
        (1e-30, 0.0),
        (1e30, 0.0),
        (1.0, 1e7),
        (1e-6, 1e3),
        (1e-300, 0.0),
        (0.0, 2.0),
        (1e40, 1e44),
    ] {
        let (points, faces) = meshes::random_soup(&mut rng, 80, 0.4).into_parts();
        let points = points.iter().map(|&p| p * scale + DVec3::splat(offset));
        let mesh = TriMesh::new(points.collect(), faces).unwrap();
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for _ in 0..40 {
            let origin = rng.cube() * 3.0 * scale + DVec3::splat(offset);
            let target = rng.cube() * scale + DVec3::splat(offset);
            if target != origin {
                check_ray(&mesh, &tree, origin, target - origin);
            }
            check_ray(&mesh, &tree, rng.cube() * 1e40, rng.direction());
        }
    }
}

#[test]
fn rays_along_axes_edges_and_faces_hit_what_each_face_says() {
    let mut rng = Rng::new(15);
    let solid = generate::cuboid(DVec3::new(2.0, 3.0, 1.0), [2, 3, 1]).unwrap();
    let steps = meshes::sheet(6, |x, y| f64::from((x + 2 * y) % 3));
    // Faces of one point, of one line, and twice the same.
    let flat = [[0.0; 3], [1.0, 2.0, 0.0], [2.0, 4.0, 0.0]].map(DVec3::from);
    let odd = meshes::soup([flat, [flat[0]; 3], flat, [flat[2], flat[1], flat[2]]]);
    let mixed = meshes::merged(&meshes::merged(&steps, &odd), &solid);
    for mesh in [solid, steps, mixed] {
        for scale in [1.0, 0.1, 1e-12, 1e12] {
            let (points, faces) = mesh.clone().into_parts();
            let points: Vec<DVec3> = points.iter().map(|&p| p * scale).collect();
            let mesh = TriMesh::new(points, faces).unwrap();
            let tree = WideTree::new(Arc::new(mesh.clone()));
            for _ in 0..60 {
                let near = |rng: &mut Rng| {
                    let face = FaceId::new(rng.below(mesh.face_count() as u64) as u32);
                    let [a, b, c] = mesh.face(face).unwrap();
                    [a, (a + b) * 0.5, a + (b - a) * 0.25 + (c - a) * 0.5][rng.below(3) as usize]
                };
                let (on, other) = (near(&mut rng), near(&mut rng));
                let axis = DVec3::AXES[rng.below(3) as usize];
                let tiny = DVec3::new(1e-300, -1e-30, -0.0);
                for direction in [axis, -axis, axis + tiny, other - on, axis * scale * 1e-9] {
                    if direction != DVec3::ZERO {
                        check_ray(&mesh, &tree, on, direction);
                        check_ray(&mesh, &tree, on - direction, direction);
                        check_ray(&mesh, &tree, on - axis * (4.0 * scale), direction);
                    }
                }
            }
        }
    }
}

#[test]
fn faces_seen_almost_edge_on_are_hit_in_the_same_order() {
    let mut rng = Rng::new(16);
    for i in 0..60 {
        // Long faces beside the line, whose hits are rounded to anywhere along them.
        let slant = [1e-16, 1e-12, 1e-8][i % 3];
        let mut at = |x: f64| DVec3::new(x, rng.range(-slant, slant), rng.range(-slant, slant));
        let triangles: Vec<_> = (0..40)
            .map(|k| {
                let x = f64::from(k % 8);
                [at(x), at(x + 1.5), at(x + 3.0)]
            })
            .collect();
        let mesh = meshes::soup(triangles);
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for _ in 0..20 {
            let origin = DVec3::new(-1.0, rng.range(-slant, slant), 0.0);
            let direction = DVec3::new(1.0, 0.1 * rng.range(-slant, slant), 0.0);
            check_ray(&mesh, &tree, origin, direction);
        }
    }
}

#[test]
fn a_batch_gives_what_one_ray_at_a_time_gives() {
    let mut rng = Rng::new(17);
    let tree = WideTree::new(Arc::new(generate::torus_knot(2, 3, 0.3, 60, 8).unwrap()));
    for count in [1, 63, 65, 5000] {
        let lines: Vec<_> = (0..count)
            .map(|k| {
                let start = rng.cube() * [0.5, 10.0, 1e200][k % 3];
                match k % 5 {
                    0 => RayOrSegment::segment(start, rng.cube() * 5.0),
                    1 => RayOrSegment::ray(start, DVec3::AXES[k % 3]),
                    _ => RayOrSegment::ray(start, rng.cube() * 2.0 - start),
                }
            })
            .filter_map(Result::ok)
            .collect();
        let mut order = tree.coherent_order(&lines);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..lines.len() as u32));
        for reach in [None, Some(3.0)] {
            let limits = Limits {
                max_distance: reach,
                ..Limits::default()
            };
            let mut cache = SingleTreeCache::default();
            let single = lines
                .iter()
                .map(|line| tree.first_hit(line, limits, &mut cache).value);
            assert_eq!(tree.first_hits(&lines, reach), single.collect::<Vec<_>>());
        }
    }
}

#[test]
fn no_ray_slips_between_the_faces_of_a_ball() {
    let ball = generate::icosphere(1.0, 9).unwrap();
    let tree = WideTree::new(Arc::new(ball.clone()));
    // Through every vertex and every edge's middle, from the inside.
    let origin = DVec3::new(0.1, 0.05, -0.02);
    let mut lines = Vec::new();
    for corners in ball.triangles() {
        for i in 0..3 {
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            lines.push(RayOrSegment::ray(origin, p - origin).unwrap());
            lines.push(RayOrSegment::ray(origin, (p + q) * 0.5 - origin).unwrap());
        }
    }
    let hits = tree.first_hits(&lines, None);
    assert!(hits.iter().all(Option::is_some));
    let near = tree.first_hits(&lines, Some(0.5));
    assert!(near.iter().all(Option::is_none));
    let mut cache = SingleTreeCache::default();
    for (line, hit) in lines.iter().zip(&hits) {
        let one = tree.first_hit(line, Limits::default(), &mut cache).value;
        assert_eq!(*hit, one);
    }
}

#[test]
fn segments_hit_exactly_the_faces_that_they_share_a_point_with() {
    let mut rng = Rng::new(14);
    for i in 0..100 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let n = rng.below(50) as usize;
        let mesh = if i % 3 == 0 {
            meshes::random_soup(&mut rng, n, 1.0)
        } else {
            meshes::grid_soup(&mut rng, n, range)
        };
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for j in 0..12 {
            let mut p = grid::point(&mut rng, (range.0 - 1, range.1 + 1));
            let mut q = grid::point(&mut rng, (range.0 - 1, range.1 + 1));
            if i % 3 == 0 {
                (p, q) = (rng.cube() * 2.0, rng.cube() * [2.0, 1e6][j % 2]);
            }
            let line = RayOrSegment::segment(p, q).unwrap();
            let truth: Vec<_> = every_hit(&mesh, &line)
                .iter()
                .map(|h| (h.t, h.face))
                .collect();
            let mut faces: Vec<_> = truth.iter().map(|&(_, f)| f).collect();
            faces.sort_unstable();
            let by_oracle: Vec<_> = mesh
                .face_ids()
                .filter(|&f| oracle::intersects(&[p, q, q], &mesh.face(f).unwrap()))
                .collect();
            assert_eq!(faces, by_oracle, "{p} {q}");
            check(&tree, &line, &truth);
        }
    }
}

#[test]
fn a_sink_stops_and_a_distance_cuts() {
    let stack = meshes::soup((0..20).map(|i| {
        let z = f64::from(i);
        [[0.0, 0.0, z], [3.0, 0.0, z], [0.0, 3.0, z]].map(DVec3::from)
    }));
    let tree = WideTree::new(Arc::new(stack));
    let line = RayOrSegment::ray([1.0, 1.0, -1.0], [0.0, 0.0, 2.0]).unwrap();
    let mut cache = SingleTreeCache::default();
    let mut count = 0;
    let mut sink = |_: FaceHit| {
        count += 1;
        if count < 5 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let outcome = tree.hits(&line, Limits::default(), &mut cache, &mut sink);
    assert_eq!((outcome, count), (Outcome::StoppedBySink, 5));
    let limits = Limits {
        max_distance: Some(4.0),
        ..Limits::default()
    };
    let mut hits = Vec::new();
    let _ = tree.hits(&line, limits, &mut cache, &mut hits);
    assert_eq!(hits.len(), 4);
    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let stopped = tree.first_hit(&line, limits, &mut cache);
    assert_eq!(
        (stopped.outcome, stopped.lower),
        (Outcome::OutOfBudget, 0.0)
    );
    assert!(RayOrSegment::segment([f64::NAN, 0.0, 0.0], [0.0; 3]).is_err());
}
