//! Forces by one door: gradients and cones, with and without a budget.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::penetration::{PenetrationBody, PenetrationMethod, PenetrationQuery};
use impinge::query::{Limits, Outcome};
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, PackOptions, pack,
};
use impinge::{DVec3, Pose, generate};

fn body() -> (PenetrationBody, InnerSphereTree) {
    let mesh = Arc::new(generate::blob(6).unwrap());
    let index = WideTree::new(Arc::clone(&mesh));
    let solid = MeshSolid::new(&index).unwrap();
    let options = PackOptions {
        count: Some(2000),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options).unwrap().balls;
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid)
        .with_gaps(&solid, 16);
    let body = PenetrationBody::exact(Arc::clone(&mesh))
        .unwrap()
        .with_spheres(tree.clone());
    (body, tree)
}

fn within(max_tests: u64) -> Limits<'static> {
    Limits {
        max_tests: Some(max_tests),
        ..Limits::default()
    }
}

#[test]
fn balls_give_cones_and_gradients_also_under_a_budget() {
    let (body, tree) = body();
    let mut query = PenetrationQuery::by(PenetrationMethod::Spheres, &body, &body).unwrap();
    let mut exact = PenetrationQuery::by(PenetrationMethod::Exact, &body, &body).unwrap();
    let (mut cut, mut off) = (0, [0.0; 2]);
    for step in 0..20 {
        let to = DVec3::new(0.6 + 0.05 * f64::from(step), 0.1, 0.0);
        let pose = Pose::from_axis_angle(DVec3::Z, 0.1 * f64::from(step), to).unwrap();
        let truth = exact.ask(&pose, Limits::default()).unwrap();
        let full = query.ask(&pose, Limits::default()).unwrap();
        let direct = tree.overlap(
            &tree,
            &pose,
            Limits::default(),
            &mut InnerSphereTreeCache::default(),
        );
        assert_eq!(full.value.cones, Some(direct.cones));
        assert_eq!(full.value.gradient, Some(direct.value_gradient));
        assert!(full.lower <= truth.upper && truth.lower <= full.upper);
        let cones = full.value.cones.unwrap();
        if truth.lower > 0.0 {
            // All rules drive b away from a.
            let force = full.value.force_on_b().unwrap().force;
            let is_outwards = |force: DVec3| force.x > 0.0;
            assert!(
                is_outwards(force) && is_outwards(cones.push.force),
                "{step}"
            );
            assert!(is_outwards(cones.published_on_b.force));
            assert!(!is_outwards(cones.published_on_a.force));
            let by_surface = truth.value.force_on_b().unwrap().force;
            assert!(force.angle_between(by_surface) < 0.3, "step {step}");
        }
        for (budget, off) in [3_000, 30_000].into_iter().zip(&mut off) {
            let part = query.ask(&pose, within(budget)).unwrap();
            assert!(part.lower <= truth.upper && truth.lower <= part.upper);
            let push = part.value.cones.unwrap().push.force;
            assert!(part.value.gradient.is_some() && push.is_finite());
            if part.outcome == Outcome::Complete {
                // The order of sums differs where pairs were ranked.
                let other = part.value.cones.unwrap().published_on_a.force;
                let expected = cones.published_on_a.force;
                assert!((other - expected).length() <= 1e-12 * expected.length());
            } else {
                cut += 1;
            }
            *off += (push - cones.push.force).length();
        }
    }
    assert!(cut > 10, "{cut}");
    // What a budget leaves out is missing from the force.
    assert!(off[1] < off[0], "{off:?}");
}

#[test]
fn a_method_without_cones_says_so() {
    let (body, _) = body();
    let pose = Pose::from_translation([0.8, 0.0, 0.0]).unwrap();
    let mut query = PenetrationQuery::by(PenetrationMethod::Exact, &body, &body).unwrap();
    let found = query.ask(&pose, Limits::default()).unwrap();
    assert_eq!(found.value.cones, None);
    assert!(found.value.force_on_b().is_some());
    let cut = query.ask(&pose, within(1)).unwrap();
    assert_eq!(cut.outcome, Outcome::OutOfBudget);
    assert_eq!(cut.value.force_on_b(), None);
}
