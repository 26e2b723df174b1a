//! Time of impact of sphere trees: Algorithm 5.5, compared with conservative advancement.

use impinge::Pose;
use impinge::math::{Motion, Rng};
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, SolidBall};

use super::thread_ns;
use crate::{Bar, Bars};

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let motions: u64 = if is_full { 10_000 } else { 300 };
    let mut rng = Rng::new(55);
    let tree = |rng: &mut Rng| {
        let ball = |rng: &mut Rng| SolidBall {
            center: rng.cube(),
            radius: rng.range(0.01, 0.06),
        };
        let balls: Vec<SolidBall> = (0..1000).map(|_| ball(rng)).collect();
        InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
    };
    let (a, b) = (tree(&mut rng)?, tree(&mut rng)?);
    let mut cache = InnerSphereTreeCache::default();
    let (mut outside, mut contacts, mut swept_ns, mut advanced_ns) = (0, 0, 0, 0);
    for _ in 0..motions {
        let mut place = |angle: f64| Pose::from_axis_angle(rng.cube(), angle, rng.cube() * 4.0);
        let motion_a = Motion::between(&place(0.2)?, &place(0.9)?);
        let motion_b = Motion::between(&place(1.7)?, &place(0.6)?);
        let start = thread_ns();
        let swept = a.swept_impact(&b, &motion_a, &motion_b, Limits::default(), &mut cache);
        let middle = thread_ns();
        let advanced = a.impact(&b, &motion_a, &motion_b, Limits::default(), &mut cache);
        swept_ns += middle - start;
        advanced_ns += thread_ns() - middle;
        let (Some(swept), Some(advanced)) = (swept, advanced) else {
            continue;
        };
        let upper = advanced.contact.map_or(1.0, |c| c.0);
        let is_within = match swept.contact {
            Some((t, _)) => {
                contacts += 1;
                advanced.balls_apart_until <= t + 1e-9 && t <= upper + 1e-6
            }
            None => swept.lower <= upper + 1e-9,
        };
        outside += u64::from(!is_within);
    }
    println!(
        "inner-sphere time of impact: {motions} turning motions of 1000 balls each, {contacts} contacts; swept balls {:.0} µs, conservative advancement {:.0} µs a motion",
        swept_ns as f64 * 1e-3 / motions as f64,
        advanced_ns as f64 * 1e-3 / motions as f64
    );
    bars.say(
        Bar::none_wrong(outside, motions),
        format_args!("first contact of Algorithm 5.5 within the bracket of conservative advancement ({outside} outside)"),
    );
    Ok(())
}
