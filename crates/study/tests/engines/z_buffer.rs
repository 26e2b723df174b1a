//! Depth images: bounds that hold the truth and close in with the pixel, verdicts that are right when certain.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::generate;
use impinge::math::Rng;
use impinge::mesh::mass;
use impinge::query::{Bounded, First, Limits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::z_buffer::{Layers, ZBuffer, ZBufferAnswer, ZBufferConfig};
use impinge_testkit::generate::{meshes, poses};
use impinge_testkit::oracle;

/// What each refinement of the pixel is compared at.
const RESOLUTIONS: [u32; 4] = [16, 32, 64, 128];

fn compare(a: &TriMesh, b: &TriMesh, pose: &Pose, config: &ZBufferConfig) -> ZBufferAnswer {
    ZBuffer::new(Arc::new(a.clone()), Arc::new(b.clone()), config).at(pose)
}

fn holds(bounded: &Bounded<f64>, truth: f64) -> bool {
    let rounding = 1e-12 * truth.abs();
    bounded.lower <= truth + rounding && truth <= bounded.upper + rounding
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

/// Checks that the truth is within the bounds at every resolution, that these are at most `slope` pixels wide and at
/// least nearly halve with the pixel, and that over all refinements the error shrinks by at least half of what the pixel does.
fn closes_in(what: &str, truth: f64, slope: f64, mut ask: impl FnMut(u32) -> (Bounded<f64>, f64)) {
    let mut errors = Vec::new();
    let mut last_width = f64::INFINITY;
    for resolution in RESOLUTIONS {
        let (found, pixel) = ask(resolution);
        assert!(
            holds(&found, truth),
            "{what} at {resolution}: {truth} not in {found:?}"
        );
        let width = found.upper - found.lower;
        assert!(
            width <= slope * pixel,
            "{what}: {width} wide at pixel {pixel}"
        );
        assert!(
            width <= 0.55 * last_width || width < 1e-9,
            "{what}: bounds {width} apart after {last_width}"
        );
        last_width = width;
        let error = (found.value - truth).abs();
        assert!(error <= width + 1e-12 * truth, "{what}: {found:?}");
        errors.push((error, pixel));
    }
    let (first, last) = (errors[0], errors[RESOLUTIONS.len() - 1]);
    // Linear would be 8 times for pixels of an eighth; samples of a curved edge scatter, so half of that is asked for.
    assert!(
        last.0 <= first.0 / (first.1 / last.1) * 2.0 + 1e-9 * truth,
        "{what}: errors {errors:?}"
    );
}

#[test]
fn volume_of_balls_and_boxes_closes_in_with_the_pixel() {
    let ball = generate::ball(1.0, 48, 24).unwrap();
    let whole = mass(&ball).unwrap().volume;
    let block = generate::cuboid(DVec3::new(4.0, 4.0, 2.0), [2, 2, 2]).unwrap();
    let turned = DVec3::new(0.3, 0.5, 0.8);
    for layers in [Layers::Two, Layers::Every] {
        for direction in [DVec3::Z, turned] {
            let config = |resolution: u32| ZBufferConfig {
                resolution,
                layers,
                direction,
            };
            // The block's lower face halves the ball, which is symmetric about that plane.
            closes_in("half a ball", 0.5 * whole, 40.0, |resolution| {
                let found = compare(&block, &ball, &shift(0.0, 0.0, -1.0), &config(resolution));
                (found.volume, found.pixel)
            });
            closes_in("a ball in a block", whole, 60.0, |resolution| {
                let small = generate::cuboid(DVec3::splat(5.0), [1, 1, 1]).unwrap();
                let found = compare(&small, &ball, &Pose::IDENTITY, &config(resolution));
                (found.volume, found.pixel)
            });
            closes_in("two boxes", 3.0 * 2.5 * 0.75, 120.0, |resolution| {
                let pose = shift(1.0, 1.5, 1.25);
                let found = compare(&block, &block, &pose, &config(resolution));
                (found.volume, found.pixel)
            });
        }
    }
}

#[test]
fn depth_of_balls_and_boxes_closes_in_with_the_pixel() {
    let ball = generate::ball(1.0, 48, 24).unwrap();
    let block = generate::cuboid(DVec3::splat(2.0), [2, 2, 2]).unwrap();
    for layers in [Layers::Two, Layers::Every] {
        let config = |resolution: u32| ZBufferConfig {
            resolution,
            layers,
            ..ZBufferConfig::default()
        };
        // Poles on the axis: moving along it, the balls part when the poles do.
        closes_in("two balls", 0.5, 8.0, |resolution| {
            let found = compare(&ball, &ball, &shift(0.0, 0.0, 1.5), &config(resolution));
            (found.depth, found.pixel)
        });
        closes_in("two balls, longest shared piece", 0.5, 8.0, |resolution| {
            let found = compare(&ball, &ball, &shift(0.0, 0.0, 1.5), &config(resolution));
            (found.span, found.pixel)
        });
        closes_in("two boxes", 0.7, 8.0, |resolution| {
            let found = compare(&block, &block, &shift(0.3, -0.4, -1.3), &config(resolution));
            (found.depth, found.pixel)
        });
    }
}

#[test]
fn tilted_boxes_have_the_depth_along_the_direction() {
    // Along (0, 3, 4)/5 the common line of two shifted cubes is cut by their z faces: 0.5 of height is 0.625 of way.
    let block = generate::cuboid(DVec3::splat(2.0), [1, 1, 1]).unwrap();
    closes_in("tilted", 0.625, 40.0, |resolution| {
        let config = ZBufferConfig {
            resolution,
            layers: Layers::Every,
            direction: DVec3::new(0.0, 0.6, 0.8),
        };
        let found = compare(&block, &block, &shift(0.0, 0.0, 1.5), &config);
        (found.depth, found.pixel)
    });
}

/// Whether the solids share a point: faces meet, or one has a vertex of the other inside.
fn solids_meet(a: &TriMesh, b: &TriMesh, pose: &Pose) -> bool {
    let [x, y] = [a, b].map(|m| FaceSweep::build(Arc::new(m.clone()), &Default::default()));
    let mut first = First::default();
    let _ = x.intersections(
        &y,
        pose,
        Limits::default(),
        &mut Default::default(),
        &mut first,
    );
    let placed = b.placed(pose).unwrap();
    let inside = |mesh: &TriMesh, p: DVec3| {
        oracle::locate(mesh, p).is_some_and(|place| place != oracle::Place::Outside)
    };
    first.0.is_some() || inside(a, placed.positions()[0]) || inside(&placed, a.positions()[0])
}

#[test]
fn certain_verdicts_are_right_and_bounds_hold_at_any_resolution() {
    let mut rng = Rng::new(1);
    let solids = [
        generate::ball(1.0, 12, 6).unwrap(),
        generate::cuboid(DVec3::new(1.0, 2.0, 0.5), [1, 1, 1]).unwrap(),
        generate::torus(1.0, 0.35, 16, 8).unwrap(),
    ];
    let (mut yes, mut no, mut unsure) = (0, 0, 0);
    for i in 0..240 {
        let a = &solids[rng.below(3) as usize];
        let b = &solids[rng.below(3) as usize];
        let pose = poses::random(&mut rng, 2.0);
        let truth = solids_meet(a, b, &pose);
        let direction = if i % 2 == 0 {
            DVec3::Z
        } else {
            rng.direction()
        };
        let mut deepest = 0.0f64;
        let mut least = f64::INFINITY;
        for resolution in [3, 12, 48] {
            for layers in [Layers::Two, Layers::Every] {
                let config = ZBufferConfig {
                    resolution,
                    layers,
                    direction,
                };
                let found = compare(a, b, &pose, &config);
                let verdict = found.overlap;
                assert!((0.5..=1.0).contains(&verdict.confidence));
                if verdict.certain {
                    assert_eq!(verdict.answer, truth);
                    yes += usize::from(truth);
                    no += usize::from(!truth);
                } else {
                    unsure += 1;
                }
                if layers == Layers::Every {
                    // All resolutions speak of one volume.
                    deepest = deepest.max(found.volume.lower);
                    least = least.min(found.volume.upper);
                }
                if verdict.certain && verdict.answer {
                    let at = found.witness.unwrap();
                    let in_b = pose.inverse().transform_point(at);
                    let is_in = |mesh: &TriMesh, p: DVec3| {
                        oracle::locate(mesh, p) == Some(oracle::Place::Inside)
                    };
                    assert!(layers == Layers::Two || (is_in(a, at) && is_in(b, in_b)));
                }
            }
        }
        assert!(deepest <= least * (1.0 + 1e-9), "{deepest} above {least}");
    }
    assert!(yes > 50 && no > 50 && unsure > 10, "{yes} {no} {unsure}");
}

#[test]
fn one_layer_marks_exactly_the_pixels_whose_intervals_overlap() {
    // The six orders of two intervals' ends along the look, and four that touch.
    let slab = |low: f64, high: f64| {
        meshes::cuboid(DVec3::new(-1.0, -1.0, low), DVec3::new(1.0, 1.0, high))
    };
    let config = |layers| ZBufferConfig {
        resolution: 8,
        layers,
        ..ZBufferConfig::default()
    };
    let intervals = [
        ((0.0, 1.0), (2.0, 3.0)),
        ((0.0, 2.0), (1.0, 3.0)),
        ((0.0, 3.0), (1.0, 2.0)),
        ((2.0, 3.0), (0.0, 1.0)),
        ((1.0, 3.0), (0.0, 2.0)),
        ((1.0, 2.0), (0.0, 3.0)),
        ((0.0, 1.0), (1.0, 2.0)),
        ((1.0, 2.0), (0.0, 1.0)),
        ((0.0, 1.0), (0.0, 1.0)),
        ((0.0, 2.0), (0.0, 1.0)),
    ];
    for (a, b) in intervals {
        let expected = a.0 <= b.1 && b.0 <= a.1;
        let (a, b) = (slab(a.0, a.1), slab(b.0, b.1));
        let found = compare(&a, &b, &Pose::IDENTITY, &config(Layers::One));
        assert!(!found.overlap.certain || !found.overlap.answer);
        assert_eq!(found.overlap.answer, expected);
        let two = compare(&a, &b, &Pose::IDENTITY, &config(Layers::Two));
        assert_eq!(two.overlap.answer, expected);
        assert_eq!(two.hits, found.hits);
    }
    // Where only b is, nothing is marked.
    let beside = compare(
        &slab(0.0, 1.0),
        &slab(0.0, 1.0),
        &shift(1.5, 0.0, 0.0),
        &config(Layers::One),
    );
    assert!(beside.overlap.answer && beside.hits <= beside.common_pixels);
}

#[test]
fn one_layer_sees_the_hits_of_two_layers_on_convex_solids() {
    let mut rng = Rng::new(2);
    let ball = generate::ball(1.0, 12, 6).unwrap();
    let block = generate::cuboid(DVec3::new(1.0, 2.0, 0.5), [1, 1, 1]).unwrap();
    let mut hits = 0;
    for _ in 0..100 {
        let pose = poses::random(&mut rng, 1.5);
        let config = |layers| ZBufferConfig {
            resolution: 32,
            layers,
            ..ZBufferConfig::default()
        };
        let one = compare(&ball, &block, &pose, &config(Layers::One));
        let two = compare(&ball, &block, &pose, &config(Layers::Two));
        assert_eq!(one.hits, two.hits);
        hits += one.hits;
    }
    assert!(hits > 100);
}

#[test]
fn all_layers_see_through_a_hole_that_two_layers_fill() {
    // A rod lies across the hole of a ring seen edge-on; it touches nothing.
    let ring = generate::torus(2.0, 0.4, 32, 12).unwrap();
    let rod = meshes::cuboid(DVec3::new(-0.5, -0.5, -0.2), DVec3::new(0.5, 0.5, 0.2));
    let config = |layers| ZBufferConfig {
        resolution: 64,
        layers,
        direction: DVec3::X,
    };
    let every = compare(&ring, &rod, &Pose::IDENTITY, &config(Layers::Every));
    assert!(every.overlap.certain && !every.overlap.answer);
    assert_eq!(every.volume.upper, 0.0);
    let two = compare(&ring, &rod, &Pose::IDENTITY, &config(Layers::Two));
    assert!(two.overlap.answer && !two.overlap.certain);
}

#[test]
fn degenerate_and_open_meshes_are_never_certain_to_overlap() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let (points, faces) = cube.clone().into_parts();
    let open = TriMesh::new(points, faces[1..].to_vec()).unwrap();
    let all = [
        TriMesh::default(),
        TriMesh::from_points([[0.5; 3]], [[0, 0, 0]]).unwrap(),
        TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]).unwrap(),
        TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-300, 0.0]], [[0, 1, 2]]).unwrap(),
        meshes::sheet(3, |_, _| 0.25),
        open,
    ];
    let far = Pose::from_translation([1e40, -1e40, 1e44]).unwrap();
    for layers in [Layers::One, Layers::Two, Layers::Every] {
        for resolution in [0, 1, 7] {
            let config = ZBufferConfig {
                resolution,
                layers,
                direction: DVec3::ZERO,
            };
            for a in &all {
                for b in all.iter().chain([&cube]) {
                    for pose in [Pose::IDENTITY, far] {
                        let found = compare(a, b, &pose, &config);
                        assert!(!(found.overlap.certain && found.overlap.answer));
                    }
                }
            }
        }
    }
    // A copy in the same place is as certain as can be.
    let found = compare(&cube, &cube, &Pose::IDENTITY, &ZBufferConfig::default());
    assert!(found.overlap.certain && found.overlap.answer);
    // Faces that do not share vertices bound a solid all the same.
    let soup = meshes::soup(cube.triangles());
    let pair = ZBuffer::new(Arc::new(soup), Arc::new(cube), &ZBufferConfig::default());
    assert_eq!(pair.are_closed(), [true, true]);
}

#[test]
fn touching_is_not_certain_and_a_gap_of_a_pixel_is() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let config = ZBufferConfig::default();
    let touching = compare(&cube, &cube, &shift(0.0, 0.0, 1.0), &config);
    assert!(!touching.overlap.certain && touching.overlap.answer);
    let apart = compare(&cube, &cube, &shift(0.0, 0.0, 1.01), &config);
    assert!(apart.overlap.certain && !apart.overlap.answer);
}
