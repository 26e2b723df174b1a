//! Clashes are those that brute force finds, of the same kind, whatever the memory and the threads.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::clash::{
    Clash, ClashKind, ClashOptions, ClashProgress, InnerPart, Part, find_clashes,
};
use impinge::generate::{cuboid, icosphere, torus};
use impinge::math::Rng;
use impinge::query::Outcome;
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};
use impinge_testkit::oracle::{PartRelation, part_relation, surface_reaches_inside};

fn part(name: &str, mesh: &Arc<TriMesh>, world_from_part: Pose) -> Part {
    Part {
        name: name.to_owned(),
        mesh: Arc::clone(mesh),
        world_from_part,
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation([x, y, z]).unwrap()
}

fn clashes_and_work(parts: &[Part], options: &ClashOptions) -> (Vec<Clash>, ClashProgress) {
    let (mut found, mut last) = (Vec::new(), ClashProgress::default());
    let mut progress = |told: &ClashProgress| {
        last = *told;
        ControlFlow::Continue(())
    };
    let outcome = find_clashes(parts, &|_, _| true, options, &mut progress, &mut found).unwrap();
    assert_eq!(outcome, Outcome::Complete);
    assert!(found.is_sorted_by_key(|c| (c.a, c.b)));
    (found, last)
}

fn clashes(parts: &[Part], options: &ClashOptions) -> Vec<Clash> {
    clashes_and_work(parts, options).0
}

fn with_clearance(clearance: f64) -> ClashOptions {
    ClashOptions {
        clearance: Some(clearance),
        ..ClashOptions::default()
    }
}

/// What brute force says of each pair, and whether the clash agrees with it.
fn check(parts: &[Part], found: &[Clash], clearance: Option<f64>) -> [usize; 5] {
    let mut count = [0; 5];
    for (i, p) in (0..).zip(parts) {
        for (j, q) in (0..).zip(parts).skip(i as usize + 1) {
            let a_from_b = p.world_from_part.inverse() * q.world_from_part;
            let truth = part_relation(&p.mesh, &q.mesh, &a_from_b, clearance);
            let clash = found.iter().find(|c| (c.a, c.b) == (i, j));
            if let Some(clash) = clash {
                count[ClashKind::ALL
                    .iter()
                    .position(|k| *k == clash.kind)
                    .unwrap()] += 1;
            }
            let overlap = || surface_reaches_inside(&p.mesh, &q.mesh, &a_from_b);
            assert!(
                agrees(&truth, clash, overlap),
                "{} and {}: {truth:?} but {clash:?}",
                p.name,
                q.name
            );
        }
    }
    count
}

fn agrees(truth: &PartRelation, clash: Option<&Clash>, overlap: impl Fn() -> bool) -> bool {
    let Some(clash) = clash else {
        return !truth.meets && !truth.a_inside && !truth.b_inside && truth.distance.is_none();
    };
    match clash.kind {
        ClashKind::Duplicate => truth.meets,
        ClashKind::Crossing => truth.meets && (truth.passes_through || overlap()),
        ClashKind::Touching => truth.meets && !truth.passes_through,
        ClashKind::Contained => {
            !truth.meets
                && match clash.inner.unwrap() {
                    InnerPart::A => truth.a_inside && !truth.b_inside,
                    InnerPart::B => truth.b_inside && !truth.a_inside,
                    InnerPart::Pieces => truth.a_inside || truth.b_inside,
                }
        }
        ClashKind::Clearance => truth.distance.is_some_and(|d| {
            let allowed = 1e-12 * (1.0 + clash.points[0].length());
            !truth.meets
                && !truth.a_inside
                && !truth.b_inside
                && d.lower - allowed <= clash.distance
                && clash.distance <= d.upper + allowed
        }),
    }
}

#[test]
fn each_kind_is_called_by_its_name() {
    let cube = Arc::new(cuboid(DVec3::splat(2.0), [2; 3]).unwrap());
    let small = Arc::new(cuboid(DVec3::ONE, [1; 3]).unwrap());
    let parts = [
        part("cube", &cube, Pose::IDENTITY),
        part("same", &cube, Pose::IDENTITY),
        part("inside", &small, at(0.0, 0.0, 0.25)),
        part("crossing", &cube, at(1.5, 0.5, 0.25)),
        part("touching", &cube, at(-2.0, 0.0, 0.0)),
        part("near", &small, at(0.0, 1.75, 0.0)),
        part("far", &small, at(0.0, -9.0, 0.0)),
    ];
    let found = clashes(&parts, &with_clearance(0.25));
    let kind = |b: u32| found.iter().find(|c| (c.a, c.b) == (0, b)).map(|c| c.kind);
    assert_eq!(kind(1), Some(ClashKind::Duplicate));
    assert_eq!(kind(2), Some(ClashKind::Contained));
    assert_eq!(kind(3), Some(ClashKind::Crossing));
    assert_eq!(kind(4), Some(ClashKind::Touching));
    assert_eq!(kind(5), Some(ClashKind::Clearance));
    assert_eq!(kind(6), None);
    check(&parts, &found, Some(0.25));
    let crossing = found.iter().find(|c| (c.a, c.b) == (0, 3)).unwrap();
    // The corner of each lies half a unit inside the other.
    let depth = crossing.depth.unwrap();
    assert!(depth.lower <= 0.5 && 0.5 <= depth.upper && depth.upper < 0.502);
    // Without a clearance, what is apart is no clash.
    let found = clashes(&parts, &ClashOptions::default());
    assert!(found.iter().all(|c| c.kind != ClashKind::Clearance));
}

#[test]
fn blocks_on_a_grid_clash_as_brute_force_says() {
    let mut rng = Rng::new(4);
    let mut counts = [0; 5];
    for round in 0..6 {
        let shapes: Vec<Arc<TriMesh>> = (0..5)
            .map(|i| {
                // One is large enough to hold others.
                let most = if i == 0 { 9 } else { 3 };
                let mut side = || rng.grid(most - 2, most);
                let size = DVec3::new(side(), side(), side());
                let min = -(size * 0.5).floor();
                Arc::new(meshes::cuboid(min, min + size))
            })
            .collect();
        let parts: Vec<Part> = (0..16)
            .map(|i| {
                let shape = &shapes[rng.below(5) as usize];
                part(&format!("{round}.{i}"), shape, poses::exact(&mut rng, 5))
            })
            .collect();
        let found = clashes(&parts, &with_clearance(1.0));
        let more = check(&parts, &found, Some(1.0));
        (0..5).for_each(|k| counts[k] += more[k]);
    }
    for (kind, count) in ClashKind::ALL.iter().zip(counts) {
        let enough = if *kind == ClashKind::Duplicate { 0 } else { 5 };
        assert!(count >= enough, "{kind}: {counts:?}");
    }
}

#[test]
fn turned_solids_clash_as_brute_force_says() {
    let mut rng = Rng::new(41);
    let shapes: Vec<Arc<TriMesh>> = [
        icosphere(0.7, 3).unwrap(),
        torus(1.0, 0.3, 12, 8).unwrap(),
        cuboid(DVec3::new(2.0, 0.4, 0.4), [2, 1, 1]).unwrap(),
        icosphere(0.2, 2).unwrap(),
    ]
    .map(Arc::new)
    .to_vec();
    for round in 0..2 {
        let parts: Vec<Part> = (0..14)
            .map(|i| {
                let shape = &shapes[rng.below(4) as usize];
                part(&format!("{round}.{i}"), shape, poses::random(&mut rng, 2.0))
            })
            .collect();
        let found = clashes(&parts, &with_clearance(0.1));
        check(&parts, &found, Some(0.1));
    }
}

#[test]
fn open_surfaces_cross_and_lie_inside_but_contain_nothing() {
    let sheet = Arc::new(meshes::sheet(4, |_, _| 0.0));
    let ball = Arc::new(icosphere(9.0, 4).unwrap());
    let small = Arc::new(icosphere(0.5, 3).unwrap());
    let parts = [
        part("sheet", &sheet, Pose::IDENTITY),
        part("ball", &ball, Pose::IDENTITY),
        part("small", &small, at(1.0, 1.0, 0.0)),
        part("upright", &sheet, poses::exact(&mut Rng::new(2), 0)),
    ];
    let found = clashes(&parts, &ClashOptions::default());
    check(&parts, &found, None);
    let between = |a: u32, b: u32| *found.iter().find(|c| (c.a, c.b) == (a, b)).unwrap();
    assert_eq!(between(0, 1).inner, Some(InnerPart::A));
    let pierced = between(0, 2);
    assert_eq!(pierced.kind, ClashKind::Crossing);
    // A closed part tells how deep; the middle of the ball is all of it.
    assert!(pierced.depth.unwrap().upper > 0.3);
}

#[test]
fn shallow_overlaps_are_ignored_or_called_touching() {
    let cube = Arc::new(cuboid(DVec3::ONE, [2; 3]).unwrap());
    let deep = |d: f64| {
        [
            part("a", &cube, Pose::IDENTITY),
            part("b", &cube, at(1.0 - d, 0.1, 0.2)),
        ]
    };
    let kind = |d: f64, tolerance, clearance| {
        let options = ClashOptions {
            tolerance,
            clearance,
            ..ClashOptions::default()
        };
        clashes(&deep(d), &options).first().map(|c| c.kind)
    };
    assert_eq!(kind(0.01, 0.0, None), Some(ClashKind::Crossing));
    assert_eq!(kind(0.01, 0.02, None), None);
    assert_eq!(kind(0.01, 0.005, None), Some(ClashKind::Crossing));
    assert_eq!(kind(0.01, 0.02, Some(0.0)), Some(ClashKind::Touching));
    assert_eq!(kind(0.0, 0.02, None), None);
    assert_eq!(kind(0.0, 0.0, None), Some(ClashKind::Touching));
    assert_eq!(kind(-0.01, 0.02, Some(0.02)), Some(ClashKind::Clearance));
}

#[test]
fn contained_parts_that_are_nearly_out_are_ignored_or_called_touching() {
    // A small cube under the lid of a large one.
    let large = Arc::new(cuboid(DVec3::splat(2.0), [2; 3]).unwrap());
    let small = Arc::new(cuboid(DVec3::splat(0.02), [1; 3]).unwrap());
    let parts = |gap: f64| {
        [
            part("large", &large, Pose::IDENTITY),
            part("small", &small, at(0.1, 0.2, 1.0 - gap - 0.01)),
        ]
    };
    let found = |gap: f64, tolerance, clearance| {
        let options = ClashOptions {
            tolerance,
            clearance,
            ..ClashOptions::default()
        };
        clashes(&parts(gap), &options).first().copied()
    };
    let kind = |gap, tolerance, clearance| found(gap, tolerance, clearance).map(|c| c.kind);
    // The way out is the gap and the cube's own height.
    for gap in [0.01, 0.3] {
        let clash = found(gap, 0.0, None).unwrap();
        let depth = clash.depth.unwrap();
        assert_eq!(clash.kind, ClashKind::Contained);
        assert!(depth.lower <= gap + 0.02 + 1e-9 && gap + 0.02 - 1e-9 <= depth.upper);
        assert!(depth.upper - depth.lower < 1e-3, "{depth:?}");
    }
    assert_eq!(kind(0.01, 0.02, None), Some(ClashKind::Contained));
    assert_eq!(kind(0.01, 0.04, None), None);
    assert_eq!(kind(0.01, 0.04, Some(0.0)), Some(ClashKind::Touching));
    assert_eq!(
        found(0.01, 0.04, Some(0.0)).unwrap().inner,
        Some(InnerPart::B)
    );
    assert_eq!(kind(0.3, 0.04, None), Some(ClashKind::Contained));
    // The middle of a thin plate is not deep, but its way out is long enough.
    let plate = Arc::new(cuboid(DVec3::new(2.0, 2.0, 0.1), [1; 3]).unwrap());
    let inner = Arc::new(cuboid(DVec3::new(1.0, 1.0, 0.08), [1; 3]).unwrap());
    let sheets = [
        part("plate", &plate, Pose::IDENTITY),
        part("inner", &inner, Pose::IDENTITY),
    ];
    let options = ClashOptions {
        tolerance: 0.07,
        ..ClashOptions::default()
    };
    let found = clashes(&sheets, &options);
    assert_eq!(found[0].kind, ClashKind::Contained);
    assert!(
        found[0].depth.unwrap().upper > 0.089,
        "{:?}",
        found[0].depth
    );
    // An open part inside has its box to tell how far it is from being out.
    let sheet = Arc::new(
        TriMesh::new(
            vec![DVec3::ZERO, DVec3::X * 0.01, DVec3::Y * 0.01],
            vec![[0, 1, 2]],
        )
        .unwrap(),
    );
    let parts = [
        part("large", &large, Pose::IDENTITY),
        part("sheet", &sheet, at(0.0, 0.0, 0.99)),
    ];
    for (tolerance, expected) in [(0.0, 1), (0.005, 1), (0.02, 0)] {
        let options = ClashOptions {
            tolerance,
            ..ClashOptions::default()
        };
        assert_eq!(clashes(&parts, &options).len(), expected, "{tolerance}");
    }
}

#[test]
fn overlaps_without_crossing_faces_are_crossings() {
    // Sides in common planes: no face passes through another, though half of each is in the other.
    let cube = Arc::new(cuboid(DVec3::ONE, [1; 3]).unwrap());
    let parts = [
        part("a", &cube, Pose::IDENTITY),
        part("b", &cube, at(0.5, 0.0, 0.0)),
    ];
    let found = clashes(&parts, &ClashOptions::default());
    assert_eq!(found[0].kind, ClashKind::Crossing);
}

#[test]
fn duplicates_are_found_whatever_their_faces_and_frames() {
    let coarse = Arc::new(cuboid(DVec3::ONE, [1; 3]).unwrap());
    let fine = Arc::new(cuboid(DVec3::ONE, [3; 3]).unwrap());
    let turn = poses::exact(&mut Rng::new(7), 0);
    let moved = Arc::new(coarse.placed(&at(5.0, 6.0, 7.0)).unwrap());
    let parts = [
        part("coarse", &coarse, at(5.0, 6.0, 7.0)),
        part("fine", &fine, at(5.0, 6.0, 7.0)),
        part("turned", &coarse, at(5.0, 6.0, 7.0) * turn),
        part("moved", &moved, Pose::IDENTITY),
        part(
            "larger",
            &Arc::new(cuboid(DVec3::splat(1.001), [1; 3]).unwrap()),
            at(5.0, 6.0, 7.0),
        ),
    ];
    let found = clashes(&parts, &ClashOptions::default());
    for clash in &found {
        let is_duplicate = clash.kind == ClashKind::Duplicate;
        assert_eq!(is_duplicate, clash.b != 4, "{clash:?}");
    }
    assert_eq!(found.len(), 10);
}

#[test]
fn neither_memory_nor_threads_change_anything() {
    let mut rng = Rng::new(99);
    let shapes: Vec<Arc<TriMesh>> = (0..12)
        .map(|i| Arc::new(icosphere(0.5 + 0.05 * f64::from(i), 3).unwrap()))
        .collect();
    let parts: Vec<Part> = (0..48)
        .map(|i| {
            part(
                &i.to_string(),
                &shapes[i % 12],
                poses::random(&mut rng, 2.4),
            )
        })
        .collect();
    let all = with_clearance(0.05);
    let tight = ClashOptions {
        index_bytes: 1,
        ..all
    };
    let (expected, work) = clashes_and_work(&parts, &all);
    assert!(expected.len() > 40 && work.trees_made == 12, "{work:?}");
    assert_eq!(work.pairs_done, work.pairs);
    let (found, thrifty) = clashes_and_work(&parts, &tight);
    assert_eq!(found, expected);
    assert!(thrifty.trees_made > 12 && thrifty.most_index_bytes < work.most_index_bytes);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(pool.install(|| clashes(&parts, &all)), expected);
    }
}

#[test]
fn the_search_stops_when_asked_and_skips_what_is_refused() {
    let ball = Arc::new(icosphere(1.0, 2).unwrap());
    let parts: Vec<Part> = (0..40)
        .map(|i| part("ball", &ball, at(0.01 * f64::from(i), 0.0, 0.0)))
        .collect();
    let mut found = Vec::new();
    let options = ClashOptions::default();
    let mut go_on = |_: &ClashProgress| ControlFlow::Continue(());
    let neighbours = |a: u32, b: u32| b == a + 1;
    let outcome = find_clashes(&parts, &neighbours, &options, &mut go_on, &mut found).unwrap();
    assert_eq!((outcome, found.len()), (Outcome::Complete, 39));
    let mut count = 0;
    let mut three = |_: Clash| {
        count += 1;
        if count == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let outcome = find_clashes(&parts, &|_, _| true, &options, &mut go_on, &mut three).unwrap();
    assert_eq!((outcome, count), (Outcome::StoppedBySink, 3));
    let mut stop = |_: &ClashProgress| ControlFlow::Break(());
    let outcome = find_clashes(&parts, &|_, _| true, &options, &mut stop, &mut found).unwrap();
    assert_eq!(outcome, Outcome::OutOfBudget);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let options = with_clearance(bad);
        let refused = find_clashes(&parts, &|_, _| true, &options, &mut go_on, &mut found);
        assert!(refused.unwrap_err().to_string().contains("clearance"));
    }
}
