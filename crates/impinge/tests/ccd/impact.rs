//! No contact is ever before the time of impact's lower bound, and there is one at its upper.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::f64::consts::TAU;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::ccd::{ImpactCache, ImpactOptions, contacts_at, impact, relative_pose};
use impinge::geom::triangles_intersect;
use impinge::math::{Motion, Rng};
use impinge::query::{Bounded, Impact, Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};

/// Two meshes, their trees, and one cache for all questions.
struct Bodies {
    a: TriMesh,
    b: TriMesh,
    tree_a: WideTree,
    tree_b: WideTree,
    cache: ImpactCache,
}

impl Bodies {
    fn new(a: TriMesh, b: TriMesh) -> Self {
        Self {
            tree_a: WideTree::new(Arc::new(a.clone())),
            tree_b: WideTree::new(Arc::new(b.clone())),
            a,
            b,
            cache: ImpactCache::default(),
        }
    }

    fn ask(&mut self, a: &Motion, b: &Motion) -> Bounded<Option<Impact>> {
        let options = ImpactOptions::default();
        self.ask_within(a, b, &options, Limits::default())
    }

    fn ask_within(
        &mut self,
        a: &Motion,
        b: &Motion,
        options: &ImpactOptions,
        limits: Limits<'_>,
    ) -> Bounded<Option<Impact>> {
        impact(
            &self.tree_a,
            &self.tree_b,
            a,
            b,
            options,
            limits,
            &mut self.cache,
        )
    }

    /// Whether any two faces touch at time `t`, all pairs tried.
    fn touch(&self, a: &Motion, b: &Motion, t: f64) -> bool {
        let pose = relative_pose(a, b, t);
        let placed = self.b.placed(&pose).unwrap();
        self.a.face_ids().any(|fa| {
            let face_a = self.a.face(fa).unwrap();
            let low = face_a[0].min(face_a[1]).min(face_a[2]);
            let high = face_a[0].max(face_a[1]).max(face_a[2]);
            placed.face_ids().any(|fb| {
                let face_b = placed.face(fb).unwrap();
                let low_b = face_b[0].min(face_b[1]).min(face_b[2]);
                let high_b = face_b[0].max(face_b[1]).max(face_b[2]);
                low.cmple(high_b).all()
                    && low_b.cmple(high).all()
                    && triangles_intersect(&face_a, &face_b)
            })
        })
    }

    /// The bracket's promises, sampled: evenly and around its ends.
    fn check(&mut self, a: &Motion, b: &Motion, samples: u32) -> Bounded<Option<Impact>> {
        let answer = self.ask(a, b);
        assert!((0.0..=1.0).contains(&answer.lower) && answer.lower <= answer.upper);
        let even = (0..=samples).map(|i| f64::from(i) / f64::from(samples));
        let near = (0..24).map(|i| answer.lower - 0.5_f64.powi(i * 2));
        for t in even.chain(near) {
            if (0.0..answer.lower).contains(&t) {
                assert!(!self.touch(a, b, t), "touch at {t} before {answer:?}");
            } else if answer.value.is_none() && t == 1.0 && answer.outcome == Outcome::Complete {
                assert!(!self.touch(a, b, t), "touch at the end, {answer:?}");
            }
        }
        if let Some(hit) = answer.value {
            assert_eq!(hit.time, answer.upper);
            assert!(self.touch(a, b, hit.time), "no touch at {hit:?}");
            assert!((hit.normal.length() - 1.0).abs() < 1e-9);
            let pose = relative_pose(a, b, hit.time);
            let face_a = self.a.face(hit.faces.a).unwrap();
            let face_b = self.b.face(hit.faces.b).unwrap().map(|p| pose * p);
            assert!(triangles_intersect(&face_a, &face_b));
            if answer.outcome == Outcome::Complete {
                assert!(answer.upper - answer.lower <= 4e-9, "{answer:?}");
            }
        } else if answer.outcome == Outcome::Complete {
            assert_eq!((answer.lower, answer.upper), (1.0, f64::INFINITY));
        }
        answer
    }
}

fn cuboid(size: [f64; 3]) -> TriMesh {
    let half = DVec3::from(size) / 2.0;
    meshes::cuboid(-half, half)
}

fn still() -> Motion {
    Motion::still(&Pose::IDENTITY)
}

fn slide(from: [f64; 3], to: [f64; 3]) -> Motion {
    Motion::between(
        &Pose::from_translation(from).unwrap(),
        &Pose::from_translation(to).unwrap(),
    )
}

fn small_mesh(rng: &mut Rng) -> TriMesh {
    match rng.below(6) {
        0 => meshes::ball(1, 0.6),
        1 => meshes::tetrahedron(std::array::from_fn(|_| rng.cube())),
        2 => cuboid([1.0, 0.8, 0.5]),
        3 => cuboid([2.0, 0.02, 0.03]),
        4 => cuboid([1.5, 1.5, 1e-4]),
        _ => meshes::random_soup(rng, 12, 0.6),
    }
}

fn motion(rng: &mut Rng, reach: f64) -> Motion {
    let start = poses::random(rng, reach);
    let turns = [0.0, 0.1, 1.0, 8.0][rng.below(4) as usize];
    match rng.below(4) {
        0 => Motion::between(&start, &poses::random(rng, reach)),
        1 => Motion::screw(&start, &poses::random(rng, reach)).unwrap(),
        2 => Motion::from_velocity(
            &start,
            rng.cube() * 3.0 * reach,
            rng.direction() * (turns * TAU * rng.unit()),
            rng.cube(),
        )
        .unwrap(),
        _ => Motion::still(&start),
    }
}

#[test]
fn random_motions_have_no_contact_before_the_bracket_and_one_at_its_end() {
    let mut rng = Rng::new(11);
    let (mut hits, mut free, mut open) = (0, 0, 0);
    for i in 0..500 {
        let mut bodies = Bodies::new(small_mesh(&mut rng), small_mesh(&mut rng));
        let reach = [1.0, 2.0, 4.0][i % 3];
        let (a, b) = (motion(&mut rng, reach), motion(&mut rng, reach));
        let answer = bodies.check(&a, &b, 150);
        match (answer.value, answer.outcome) {
            (_, Outcome::OutOfBudget) => open += 1,
            (Some(_), _) => hits += 1,
            (None, _) => free += 1,
        }
    }
    assert!(hits > 50 && free > 50, "{hits} {free}");
    assert!(open <= 2, "{open} brackets stayed open");
}

#[test]
fn grid_motions_that_graze_have_valid_brackets() {
    let mut rng = Rng::new(12);
    for _ in 0..300 {
        let mut bodies = Bodies::new(
            meshes::grid_solid(&mut rng, 2),
            meshes::grid_solid(&mut rng, 2),
        );
        let start = poses::exact(&mut rng, 5);
        let end = Pose::new(*start.rotation(), poses::exact(&mut rng, 5).translation()).unwrap();
        let answer = bodies.check(&still(), &Motion::between(&start, &end), 64);
        assert_eq!(answer.lower.min(1.0), answer.lower);
    }
}

#[test]
fn a_rod_spun_through_a_wall_is_caught_at_any_speed() {
    let wall = cuboid([0.001, 4.0, 4.0]);
    let rod = cuboid([1.0, 0.01, 0.01]);
    let mut bodies = Bodies::new(wall, rod);
    for turns in [0.01, 0.1, 0.25, 0.5, 1.0, 3.3, 10.0, 50.0] {
        // The rod stands upright beside the wall and begins to turn into it.
        for gap in [0.4, 0.1, 0.01] {
            let start = Pose::from_axis_angle([0.0, 0.0, 1.0], TAU / 4.0, [gap, 0.0, 0.0]).unwrap();
            let spin = DVec3::new(0.0, 0.0, TAU * turns);
            let motion = Motion::from_velocity(&start, [0.0; 3], spin, [0.0; 3]).unwrap();
            let answer = bodies.check(&still(), &motion, 2000);
            // The tip's corner touches when its reach along −x is the gap: 0.5·sin φ + 0.005·cos φ.
            let reach = gap - 0.0005;
            let (long, thin) = (0.5_f64, 0.005_f64);
            let needed = (reach / (long * long + thin * thin).sqrt()).asin() - (thin / long).atan();
            let time = needed / (TAU * turns);
            if time < 1.0 {
                assert_eq!(
                    answer.outcome,
                    Outcome::Complete,
                    "{turns} {gap} {answer:?}"
                );
                let close = 1e-9 / turns.min(1.0) + 4e-9;
                assert!(
                    (answer.upper - time).abs() < close,
                    "{turns} {gap} {time} {answer:?}"
                );
            } else {
                assert_eq!(answer.value, None);
                assert_eq!(answer.lower, 1.0);
            }
        }
    }
}

#[test]
fn a_spinning_rod_that_stays_clear_is_free_at_once() {
    let mut bodies = Bodies::new(cuboid([0.001, 4.0, 4.0]), cuboid([1.0, 0.01, 0.01]));
    let start = Pose::from_translation([0.51, 0.0, 0.0]).unwrap();
    let spin = DVec3::new(0.0, 0.0, TAU * 50.0);
    let motion = Motion::from_velocity(&start, [0.0, 1.0, 0.0], spin, [0.0; 3]).unwrap();
    let answer = bodies.check(&still(), &motion, 5000);
    assert_eq!((answer.value, answer.lower), (None, 1.0));
    assert!(bodies.cache.steps() < 20, "{} steps", bodies.cache.steps());
}

#[test]
fn bullets_do_not_pass_through_paper() {
    let paper = meshes::sheet(8, |_, _| 0.0);
    let bullet = meshes::ball(1, 1e-3);
    let mut bodies = Bodies::new(paper, bullet);
    let mut rng = Rng::new(13);
    for _ in 0..100 {
        let through = DVec3::new(rng.range(0.1, 7.9), rng.range(0.1, 7.9), 0.0);
        let way = rng.direction() * 1e4;
        if way.z.abs() < 1e3 {
            continue;
        }
        let (from, to) = (through - way, through + way);
        let answer = bodies.check(&still(), &slide(from.into(), to.into()), 100);
        assert!(
            answer.value.is_some() && (answer.upper - 0.5).abs() < 1e-5,
            "{answer:?}"
        );
    }
}

#[test]
fn what_touches_at_the_start_touches_at_time_zero() {
    let mut bodies = Bodies::new(cuboid([1.0; 3]), cuboid([1.0; 3]));
    for x in [1.0, 0.5] {
        let answer = bodies.check(&still(), &slide([x, 0.0, 0.0], [5.0, 0.0, 0.0]), 10);
        assert_eq!((answer.lower, answer.upper), (0.0, 0.0));
        assert_eq!(answer.outcome, Outcome::Complete);
    }
    // Coincident copies too.
    let answer = bodies.check(&still(), &still(), 1);
    assert_eq!(answer.upper, 0.0);
}

#[test]
fn what_stands_still_apart_never_touches() {
    let mut bodies = Bodies::new(cuboid([1.0; 3]), cuboid([1.0; 3]));
    for gap in [1.0, 1e-3, 1e-9, 1e-12] {
        let apart = slide([1.0 + gap, 0.0, 0.0], [1.0 + gap, 0.0, 0.0]);
        let answer = bodies.check(&still(), &apart, 4);
        assert_eq!((answer.value, answer.lower), (None, 1.0), "{gap}");
        assert_eq!(answer.outcome, Outcome::Complete);
    }
}

#[test]
fn sliding_past_at_a_small_gap_takes_few_steps() {
    let flat = meshes::sheet(20, |_, _| 0.0);
    let mut bodies = Bodies::new(flat, cuboid([1.0; 3]));
    for gap in [1e-3, 1e-6, 1e-9, 1e-11] {
        let z = 0.5 + gap;
        let motion = slide([1.0, 3.0, z], [19.0, 7.0, z]);
        let answer = bodies.check(&still(), &motion, 20);
        assert_eq!((answer.value, answer.lower), (None, 1.0), "{gap}");
        assert!(bodies.cache.steps() <= 2, "{} steps", bodies.cache.steps());
    }
    // A gap below rounding ends with a valid bracket, not in a long loop.
    let z = 0.5_f64.next_up();
    let answer = bodies.check(&still(), &slide([1.0, 3.0, z], [19.0, 7.0, z]), 20);
    assert!(answer.lower <= answer.upper);
}

#[test]
fn both_bodies_may_move_and_a_common_motion_changes_nothing() {
    let mut rng = Rng::new(14);
    let mut bodies = Bodies::new(meshes::ball(1, 0.7), cuboid([1.0, 0.5, 0.3]));
    for _ in 0..60 {
        let b = motion(&mut rng, 3.0);
        let alone = bodies.check(&still(), &b, 50);
        // The same line for both: only the difference of the motions counts.
        let line = rng.cube() * 2.0;
        let moved_b = Motion::from_velocity(b.start(), line, [0.0; 3], [0.0; 3]).unwrap();
        let moved_a = Motion::from_velocity(&Pose::IDENTITY, line, [0.0; 3], [0.0; 3]).unwrap();
        let together = bodies.check(&moved_a, &moved_b, 50);
        if alone.upper == 0.0 {
            assert_eq!(together.upper, 0.0);
        } else {
            assert_eq!(together.value, None);
            assert!(bodies.cache.steps() <= 2, "{} steps", bodies.cache.steps());
        }
    }
}

#[test]
fn a_flat_landing_reports_every_touching_pair() {
    let mut bodies = Bodies::new(cuboid([4.0, 4.0, 1.0]), cuboid([1.0; 3]));
    let motion = slide([0.25, 0.125, 3.0], [0.25, 0.125, 0.5]);
    let answer = bodies.check(&still(), &motion, 64);
    assert!((answer.upper - 0.8).abs() < 1e-8);
    assert!((answer.value.unwrap().normal - DVec3::Z).length() < 1e-6);
    let mut pairs = Vec::new();
    let Bodies {
        tree_a,
        tree_b,
        cache,
        ..
    } = &mut bodies;
    let limits = Limits::default();
    let _ = contacts_at(
        tree_a,
        tree_b,
        &still(),
        &motion,
        answer.upper,
        limits,
        cache,
        &mut pairs,
    );
    assert!(pairs.len() >= 4, "{pairs:?}");
    assert!(pairs.contains(&answer.value.unwrap().faces));
}

#[test]
fn flat_sheets_that_pass_through_each_other_are_not_missed() {
    let mut bodies = Bodies::new(meshes::sheet(3, |_, _| 0.0), meshes::sheet(2, |_, _| 0.0));
    // A contact that a time can name is found; for any other the lower bound stays before it.
    for (from, to, time) in [
        (3.0, -1.0, 0.75),
        (1.0, -2.0, 1.0 / 3.0),
        (0.7, -0.4, 7.0 / 11.0),
    ] {
        let motion = slide([0.25, 0.25, from], [0.25, 0.25, to]);
        let answer = bodies.check(&still(), &motion, 100);
        assert!(
            answer.lower <= time && time <= answer.lower + 1e-8,
            "{answer:?}"
        );
        match answer.value {
            Some(hit) => assert!((hit.time - time).abs() < 1e-8),
            None => assert_eq!(answer.outcome, Outcome::OutOfBudget),
        }
    }
    let answer = bodies.ask(&still(), &slide([0.25, 0.25, 3.0], [0.25, 0.25, -1.0]));
    assert_eq!(answer.value.map(|hit| hit.time), Some(0.75));
}

#[test]
fn a_budget_leaves_a_valid_bracket() {
    let mut rng = Rng::new(15);
    for i in 0..40 {
        let mut bodies = Bodies::new(meshes::ball(2, 1.0), meshes::ball(2, 0.8));
        let b = motion(&mut rng, 4.0);
        let whole = bodies.check(&still(), &b, 60);
        for max_tests in [0, 10, 100, 1000, 5000] {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let cut = bodies.ask_within(&still(), &b, &ImpactOptions::default(), limits);
            assert!(
                cut.lower <= whole.upper && cut.upper >= whole.lower,
                "{i} {cut:?}"
            );
        }
        for max_steps in [0, 1, 3] {
            let options = ImpactOptions {
                max_steps,
                ..ImpactOptions::default()
            };
            let cut = bodies.ask_within(&still(), &b, &options, Limits::default());
            assert!(
                cut.lower <= whole.upper && cut.upper >= whole.lower,
                "{i} {cut:?}"
            );
        }
    }
}

#[test]
fn empty_meshes_never_touch() {
    let empty = TriMesh::default();
    let mut bodies = Bodies::new(empty, cuboid([1.0; 3]));
    let answer = bodies.ask(&still(), &slide([3.0, 0.0, 0.0], [0.0; 3]));
    assert_eq!((answer.value, answer.lower), (None, 1.0));
}

#[test]
fn scale_and_place_do_not_matter() {
    let mut rng = Rng::new(16);
    for scale in [1e-6, 1e6, 1e-20, 1e20] {
        for _ in 0..10 {
            let grown = |mesh: TriMesh| {
                let (points, faces) = mesh.into_parts();
                TriMesh::new(points.iter().map(|p| *p * scale).collect(), faces).unwrap()
            };
            let mut bodies =
                Bodies::new(grown(meshes::ball(1, 0.5)), grown(cuboid([1.0, 0.2, 0.2])));
            let start = poses::random(&mut rng, 2.0 * scale);
            let line = -start.translation() * 1.5;
            let spin = rng.direction() * 4.0;
            let motion = Motion::from_velocity(&start, line, spin, [0.0; 3]).unwrap();
            let answer = bodies.check(&still(), &motion, 60);
            assert_eq!(answer.outcome, Outcome::Complete, "{scale} {answer:?}");
            assert!(answer.value.is_some());
        }
    }
}
