//! Lists of pairs and forces under a budget against the whole sum.

use impinge::geom::lens;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    BudgetedForces, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, PairList,
    SolidBall,
};
use impinge::{DVec3, Pose};

/// Disjoint balls on a jittered grid.
fn packing(rng: &mut Rng, side: i32) -> Vec<SolidBall> {
    let mut balls = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let center = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                let radius = rng.range(0.2, 0.45);
                balls.push(SolidBall {
                    center: (center + rng.cube() * (0.45 - radius)) / f64::from(side),
                    radius: radius / f64::from(side),
                });
            }
        }
    }
    balls
}

fn tree(rng: &mut Rng, side: i32) -> InnerSphereTree {
    InnerSphereTree::new(&packing(rng, side), &InnerSphereTreeOptions::default()).unwrap()
}

fn pose(rng: &mut Rng) -> Pose {
    let axis = rng.cube();
    Pose::from_axis_angle(axis, rng.range(0.0, 3.0), rng.cube() * 0.8).unwrap()
}

#[test]
fn a_list_holds_every_pair_within_the_margin() {
    let mut rng = Rng::new(21);
    let (a, b) = (tree(&mut rng, 6), tree(&mut rng, 5));
    let (mut list, mut cache) = (PairList::default(), InnerSphereTreeCache::default());
    for _ in 0..30 {
        let a_from_b = pose(&mut rng);
        let margin = rng.range(0.0, 0.1);
        let _ = a.overlap_pairs(
            &b,
            &a_from_b,
            margin,
            Limits::default(),
            &mut cache,
            &mut list,
        );
        let mut wanted = Vec::new();
        for (i, x) in a.balls().iter().enumerate() {
            for (j, y) in b.balls().iter().enumerate() {
                let center = a_from_b * y.center;
                if (center - x.center).length() - x.radius - y.radius <= margin {
                    wanted.push((i as u32, j as u32));
                }
            }
        }
        let mut found = list.pairs().to_vec();
        found.sort_unstable();
        assert!(wanted.iter().all(|pair| found.binary_search(pair).is_ok()));
        // Lanes keep a little more than the margin.
        assert!(found.len() <= wanted.len() + wanted.len() / 50 + 4);
    }
}

#[test]
fn forces_of_an_old_list_are_those_of_a_new_search() {
    let mut rng = Rng::new(22);
    let (a, b) = (tree(&mut rng, 6), tree(&mut rng, 6));
    let (mut list, mut cache) = (PairList::default(), InnerSphereTreeCache::default());
    let margin = 0.05;
    let mut overlaps = 0;
    for _ in 0..40 {
        let listed = pose(&mut rng);
        let _ = a.overlap_pairs(
            &b,
            &listed,
            margin,
            Limits::default(),
            &mut cache,
            &mut list,
        );
        // No point of b's balls moves farther than the margin: 0.03 by shift, less by turning.
        let turn = Pose::from_axis_angle(rng.cube(), 0.008, [0.0; 3]).unwrap();
        let shift = Pose::from_translation(rng.cube() * 0.015).unwrap();
        let now = shift * listed * turn;
        let from_list = list.forces(&a, &b, &now);
        let searched = a.overlap(&b, &now, Limits::default(), &mut cache);
        assert_eq!(from_list.pairs, searched.pairs);
        let size = searched.gradient.translation.length() + 1e-12;
        let force = from_list.gradient.translation - searched.gradient.translation;
        let torque = from_list.gradient.rotation - searched.gradient.rotation;
        assert!(force.length() < 1e-9 * size && torque.length() < 1e-9 * size);
        assert!((from_list.volume - searched.lower).abs() <= 1e-9 * searched.lower);
        let push = from_list.cones.push.force - searched.cones.push.force;
        assert!(push.length() < 1e-9 * (1e-12 + searched.lower));
        overlaps += usize::from(searched.pairs > 0);
    }
    assert!(overlaps > 10);
    // A list of other trees says nothing.
    let other = tree(&mut rng, 3);
    assert_eq!(list.forces(&a, &other, &Pose::IDENTITY).pairs, 0);
}

/// All pairs, one by one.
fn whole(a: &InnerSphereTree, b: &InnerSphereTree, a_from_b: &Pose) -> (f64, DVec3, DVec3) {
    let (mut volume, mut force, mut torque) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for x in a.balls() {
        for y in b.balls() {
            let center = *a_from_b * y.center;
            let shared = lens(x.center, x.radius, center, y.radius);
            volume += shared.volume;
            force += shared.gradient;
            torque += center.cross(shared.gradient);
        }
    }
    (volume, force, torque)
}

#[test]
fn without_a_threshold_the_budgeted_force_is_the_whole_sum() {
    let mut rng = Rng::new(23);
    let (a, b) = (tree(&mut rng, 5), tree(&mut rng, 5));
    let mut forces = BudgetedForces::new(u64::MAX, 0.0);
    for _ in 0..20 {
        let a_from_b = pose(&mut rng);
        let found = forces.at(&a, &b, &a_from_b);
        let (volume, force, torque) = whole(&a, &b, &a_from_b);
        assert!((found.volume - volume).abs() <= 1e-12 + 1e-10 * volume);
        assert!((found.gradient.translation - force).length() <= 1e-10);
        assert!((found.gradient.rotation - torque).length() <= 1e-10);
        assert!(found.lower <= volume + 1e-15 && volume <= found.upper + 1e-15);
    }
}

#[test]
fn a_budget_bounds_the_work_and_the_volume_and_keeps_steps_small() {
    let mut rng = Rng::new(24);
    let (a, b) = (tree(&mut rng, 16), tree(&mut rng, 16));
    let budget = 4000;
    let mut forces = BudgetedForces::new(budget, 0.0);
    let mut exact = BudgetedForces::new(u64::MAX, 0.0);
    let axis = DVec3::new(0.3, 1.0, -0.2);
    let (mut largest, mut worst) = (0.0_f64, 0.0_f64);
    let mut before: Option<(DVec3, DVec3)> = None;
    let (mut jumps, mut cut) = (0, 0);
    // A second of motion at 1 kHz: in and out at about 0.5 of the size a second, turning.
    for tick in 0..1000 {
        let t = f64::from(tick) / 1000.0;
        let depth = 0.35 * (std::f64::consts::PI * t).sin();
        let shift = DVec3::new(1.02 - depth, 0.1 * t, 0.05);
        let a_from_b = Pose::from_axis_angle(axis, 0.4 * t, shift).unwrap();
        let found = forces.at(&a, &b, &a_from_b);
        let truth = exact.at(&a, &b, &a_from_b);
        jumps += u32::from(found.jumped);
        assert!(found.jumped || found.tests <= budget);
        cut += u32::from(truth.tests > budget);
        assert!(found.lower <= truth.volume * (1.0 + 1e-9) + 1e-15);
        assert!(truth.volume <= found.upper * (1.0 + 1e-9) + 1e-15);
        let now = (found.gradient.translation, truth.gradient.translation);
        if let Some(before) = before {
            let differs = (now.0 - before.0) - (now.1 - before.1);
            worst = worst.max(differs.length());
        }
        largest = largest.max(now.1.length());
        before = Some(now);
    }
    assert!(cut > 50, "the budget mattered in {cut} ticks");
    assert_eq!(jumps, 0);
    assert!(
        worst <= 0.05 * largest,
        "{} of the largest force",
        worst / largest
    );
}

#[test]
fn the_threshold_moves_the_force_by_less_than_a_hundredth_of_its_peak() {
    let mut rng = Rng::new(25);
    let (a, b) = (tree(&mut rng, 12), tree(&mut rng, 12));
    let mut forces = BudgetedForces::new(2000, 0.0);
    let (mut peak, mut moved) = (0.0_f64, 0);
    for tick in 0..1000 {
        let t = f64::from(tick) / 1000.0;
        let depth = 0.35 * (std::f64::consts::PI * t).sin();
        let shift = DVec3::new(1.02 - depth, 0.1 * t, 0.05);
        let a_from_b = Pose::from_axis_angle(DVec3::Y, 0.4 * t, shift).unwrap();
        let before = forces.threshold();
        let found = forces.at(&a, &b, &a_from_b);
        let after = forces.threshold();
        peak = peak.max(found.gradient.translation.length());
        if found.jumped || before == 0.0 || tick % 5 != 0 {
            continue;
        }
        // The same pose with either threshold, without a budget.
        let [old, new] = [before, after].map(|threshold| {
            let mut fixed = BudgetedForces::new(u64::MAX, threshold);
            fixed.at(&a, &b, &a_from_b).gradient
        });
        assert_eq!(old, found.gradient);
        let step = (new.translation - old.translation).length();
        assert!(step <= 0.01 * peak, "tick {tick}: {step} of {peak}");
        // To first order it is what was said, of the larger of force and torque.
        let said = found.threshold_step * peak;
        assert!(
            step <= 1.5 * said + 1e-3 * peak,
            "tick {tick}: {step} {said}"
        );
        moved += u32::from(after != before);
    }
    assert!(moved > 50, "{moved}");
}
