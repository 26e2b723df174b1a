//! Walls of buildings: boxes of twelve faces that cross, are flush, stand on each other.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::clash::{
    Clash, ClashKind, ClashOptions, InnerPart, Part, find_clashes, rank, refine_depths,
};
use impinge::generate::cuboid;
use impinge::{DVec3, Pose, TriMesh};

/// A box of twelve faces between two corners.
fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let (min, max) = (DVec3::from(min), DVec3::from(max));
    let unit = cuboid(DVec3::ONE, [1; 3]).unwrap();
    // Each corner is one of two numbers on each axis, without any rounding.
    let corner = |p: &DVec3| DVec3::select(p.cmplt(DVec3::ZERO), min, max);
    TriMesh::new(
        unit.positions().iter().map(corner).collect(),
        unit.faces().to_vec(),
    )
    .unwrap()
}

fn part(mesh: TriMesh, world_from_part: Pose) -> Part {
    Part {
        name: String::new(),
        mesh: Arc::new(mesh),
        world_from_part,
    }
}

fn clashes(parts: &[Part], options: &ClashOptions) -> Vec<Clash> {
    let mut found = Vec::new();
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let _ = find_clashes(parts, &|_, _| true, options, &mut go_on, &mut found).unwrap();
    found
}

/// The first wall: 5 m long, 0.2 m thick, 3 m high.
const WALL: [[f64; 3]; 2] = [[0.0, 0.0, 0.0], [5.0, 0.2, 3.0]];

/// A name, a box, the kind of clash, its depth.
type Placement = (&'static str, [[f64; 3]; 2], Option<ClashKind>, Option<f64>);

/// Placements of a second wall, the kind of clash, and how deep it is.
fn placements() -> Vec<Placement> {
    use ClashKind::{Contained, Crossing, Duplicate, Touching};
    let along = |x: f64| [[x, 0.0, 0.0], [x + 5.0, 0.2, 3.0]];
    vec![
        ("aligned 50 mm", along(4.95), Some(Crossing), Some(0.05)),
        (
            "nudged 2 mm",
            [[0.0, 0.198, 0.0], [5.0, 0.398, 3.0]],
            Some(Crossing),
            Some(0.002),
        ),
        // No point is deeper in a wall than half its thickness.
        ("aligned 2.5 m", along(2.5), Some(Crossing), Some(0.1)),
        ("duplicate", WALL, Some(Duplicate), None),
        ("touching", along(5.0), Some(Touching), None),
        (
            "crossing",
            [[2.0, -2.0, 0.0], [2.2, 2.0, 3.0]],
            Some(Crossing),
            Some(0.1),
        ),
        // The way out is through the nearer side.
        (
            "contained",
            [[1.0, 0.05, 1.0], [2.0, 0.125, 2.0]],
            Some(Contained),
            Some(0.125),
        ),
        ("clear", [[0.0, 0.3, 0.0], [5.0, 0.5, 3.0]], None, None),
    ]
}

#[test]
fn eight_placements_of_two_walls_are_right_to_the_last_digits() {
    // Also far away, turned by a right angle, and turned so that every coordinate is rounded.
    let quarter =
        Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2, DVec3::ZERO).unwrap();
    let slanted = Pose::from_axis_angle(DVec3::new(1.0, 2.0, -0.5), 0.6, DVec3::ZERO).unwrap();
    for (world, is_exact) in [
        (Pose::IDENTITY, true),
        (quarter, false),
        (Pose::from_translation([16.0, -32.0, 8.0]).unwrap(), true),
        (slanted, false),
    ] {
        for (name, [min, max], kind, depth) in placements() {
            let parts = [
                part(block(WALL[0], WALL[1]), world),
                part(block(min, max), world),
            ];
            let found = clashes(&parts, &ClashOptions::default());
            // Turned walls that touched are apart or overlap by a rounding.
            if !is_exact && kind == Some(ClashKind::Touching) {
                let precise = ClashOptions {
                    precision: 1e-12,
                    ..ClashOptions::default()
                };
                assert_eq!(clashes(&parts, &precise)[0].kind, ClashKind::Touching);
                continue;
            }
            assert_eq!(found.first().map(|c| c.kind), kind, "{name}");
            if let Some(depth) = depth {
                let span = found[0].depth.unwrap();
                assert!((span.middle() - depth).abs() <= 1e-12, "{name}: {span:?}");
                assert!(span.half_width() <= 1e-12, "{name}: {span:?}");
            }
            if kind == Some(ClashKind::Contained) {
                assert_eq!(found[0].inner, Some(InnerPart::B));
            }
        }
    }
}

#[test]
fn the_placements_have_the_precision_of_a_file_that_rounds_to_single_numbers() {
    // Each wall rounded in its own frame, and placed by a translation that rounds once more.
    let single = |x: f64| f64::from(x as f32);
    for (name, [min, max], kind, depth) in placements() {
        let mut parts = Vec::new();
        for [min, max] in [WALL, [min, max]] {
            let origin = DVec3::from(min) + DVec3::new(0.1, 0.7, 0.3);
            let local = |p: [f64; 3]| (DVec3::from(p) - origin).to_array().map(single);
            let at = origin.to_array().map(single);
            let pose = Pose::from_translation(at).unwrap();
            parts.push(part(block(local(min), local(max)), pose));
        }
        // Half a unit in the last place of 8, for the corner and for the translation.
        let precision = 2.0 * 8.0 * 2.0_f64.powi(-24);
        let options = ClashOptions {
            precision,
            ..ClashOptions::default()
        };
        let found = clashes(&parts, &options);
        assert_eq!(found.first().map(|c| c.kind), kind, "{name}");
        if let Some(depth) = depth {
            let span = found[0].depth.unwrap();
            assert!((span.middle() - depth).abs() <= 2.0 * precision, "{name}");
        }
    }
}

#[test]
fn what_only_rounding_parts_or_joins_is_touching_within_precision() {
    let slab = block([0.0, 0.0, -0.3], [10.0, 10.0, 0.0]);
    for gap in [-2.4e-8, 2.4e-8] {
        let wall = block([1.0, 1.0, gap], [1.2, 5.0, 3.0]);
        let parts = [
            part(slab.clone(), Pose::IDENTITY),
            part(wall, Pose::IDENTITY),
        ];
        let exact = clashes(&parts, &ClashOptions::default());
        let expected = (gap < 0.0).then_some(ClashKind::Crossing);
        assert_eq!(exact.first().map(|c| c.kind), expected);
        let options = ClashOptions {
            precision: 3e-8,
            ..ClashOptions::default()
        };
        let found = clashes(&parts, &options);
        assert_eq!(found[0].kind, ClashKind::Touching);
        assert!(found[0].is_within_precision);
        // Touching is not told where a tolerance asks for silence.
        let silent = ClashOptions {
            tolerance: 1e-6,
            ..options
        };
        assert!(clashes(&parts, &silent).is_empty());
        // An overlap that rounding cannot make stays a crossing.
        let fine = ClashOptions {
            precision: 1e-9,
            ..options
        };
        let found = clashes(&parts, &fine);
        assert_eq!(found.first().map(|c| c.kind), expected);
    }
}

/// A wall with an L as its plan: not convex.
fn corner_wall(thickness: f64, cells: usize) -> TriMesh {
    // Prism over an L, its rim cut into cells along the height.
    let t = thickness;
    let plan = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, t],
        [t, t],
        [t, 4.0],
        [0.0, 4.0],
    ];
    let mut points = Vec::new();
    for level in 0..=cells {
        let z = 3.0 * level as f64 / cells as f64;
        points.extend(plan.map(|[x, y]| DVec3::new(x, y, z)));
    }
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for level in 0..cells as u32 {
        for i in 0..6 {
            let j = (i + 1) % 6;
            let (p, q) = (level * 6 + i, level * 6 + j);
            faces.push([p, q, q + 6]);
            faces.push([p, q + 6, p + 6]);
        }
    }
    let top = cells as u32 * 6;
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        faces.push([a, c, b]);
        faces.push([top + a, top + b, top + c]);
    }
    TriMesh::new(points, faces).unwrap()
}

#[test]
fn thin_crossing_walls_that_are_not_convex_have_their_depth_after_few_tests() {
    let thickness = 0.2;
    let wall = corner_wall(thickness, 1);
    let parts = [
        part(wall.clone(), Pose::IDENTITY),
        part(
            wall.clone(),
            Pose::from_translation([2.0, -1.5, 0.25]).unwrap(),
        ),
    ];
    // Every point of a line across both walls is equally deep.
    let options = ClashOptions {
        depth_tests: 100_000,
        ..ClashOptions::default()
    };
    let found = clashes(&parts, &options);
    assert_eq!(found[0].kind, ClashKind::Crossing);
    let span = found[0].depth.unwrap();
    let half = 0.5 * thickness;
    assert!(
        span.lower <= half + 1e-12 && half <= span.upper + 1e-12,
        "{span:?}"
    );
    // Half of a ten-thousandth of the size, which is the diagonal of the box.
    let size = wall.bounds().diagonal().length();
    assert!(span.half_width() <= 0.5e-4 * size, "{span:?}");
}

#[test]
fn depths_are_ranked_by_what_is_shown_and_never_above_what_is_possible() {
    let wall = corner_wall(0.2, 3);
    let parts: Vec<Part> = (0..4)
        .map(|i| {
            let turn = Pose::from_axis_angle(DVec3::Z, 0.3 * f64::from(i), DVec3::ZERO).unwrap();
            part(wall.clone(), turn)
        })
        .collect();
    for depth_tests in [0, 300, 1_000_000] {
        let options = ClashOptions {
            depth_tests,
            ..ClashOptions::default()
        };
        let mut found = clashes(&parts, &options);
        rank(&mut found);
        let depths = |found: &[Clash]| -> Vec<f64> {
            found.iter().map(|c| c.depth.unwrap().middle()).collect()
        };
        assert!(depths(&found).is_sorted_by(|x, y| x >= y));
        let before = found.clone();
        refine_depths(&parts, &options, &mut found);
        for (clash, before) in found.iter().zip(&before) {
            let (now, then) = (clash.depth.unwrap(), before.depth.unwrap());
            assert!(now.lower >= then.lower && now.upper <= then.upper);
            // The corner of an L is the only place as deep as a wall is thick.
            assert!(now.upper <= 0.2 + 1e-9, "{now:?}");
        }
    }
}
