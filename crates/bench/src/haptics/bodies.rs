//! The workspace of several hands, and sphere-spring bodies.

use std::sync::Arc;

use impinge::math::Rng;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions};
use impinge::{DVec3, Pose};
use impinge_dynamics::device::{
    DeviceSpecification, Hand, HandDevice, HapticDevice, Keyframe, Script,
};
use impinge_dynamics::sphere_spring::{Sphere, SphereSpring, SphereSpringConfig, Spring};
use impinge_dynamics::workspace::{Workspace, WorkspaceBody, WorkspaceConfig, run_threads};

use impinge_testkit::generate::balls::ball_grid;

use super::{micros, thread_ns};
use crate::{Bar, Bars};

/// A ball of radius 0.04 m of small balls.
fn tree(n: i32) -> anyhow::Result<Arc<InnerSphereTree>> {
    let mut balls = ball_grid(n);
    balls.retain(|ball| ball.center.length() < 0.04);
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
    Ok(Arc::new(tree))
}

pub(super) fn workspace(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    println!("workspace: a thread a hand, lists by another; bodies of balls");
    let ticks = if is_full { 60_000 } else { 2000 };
    for (users, hands, bodies) in [(2, 2, 6), (8, 1, 12)] {
        let count = users * hands;
        let tree = tree(if is_full { 16 } else { 10 })?;
        let mut made = Vec::new();
        for index in 0..bodies {
            let place = DVec3::new((index % 4) as f64, (index / 4) as f64, 0.0) * 0.1;
            made.push(WorkspaceBody {
                tree: Arc::clone(&tree),
                mass: 0.2,
                inertia: 2e-4,
                world_from_body: Pose::from_translation(place)?,
            });
        }
        let config = WorkspaceConfig {
            gravity: DVec3::ZERO,
            budget: 10_000,
            ..WorkspaceConfig::table()?
        };
        let starts: Vec<Pose> = made.iter().map(|body| body.world_from_body).collect();
        let mut workspace = Workspace::new(made, count, config)?;
        let mut rng = Rng::new(5);
        let mut devices: Vec<Box<dyn HapticDevice + Send>> = Vec::new();
        for (hand, start) in starts.iter().enumerate().take(count) {
            workspace.grab(hand, hand, start)?;
            let mut frames = vec![Keyframe {
                time_ns: 0,
                pose: *start,
            }];
            for k in 1..=(ticks / 500 + 1) {
                let goal = DVec3::new(rng.range(0.0, 0.3), rng.range(0.0, 0.2), 0.0);
                frames.push(Keyframe {
                    time_ns: k * 1_000_000_000,
                    pose: Pose::from_translation(goal)?,
                });
            }
            let script = Script::new(frames)?;
            // A hand of 0.2 kg that gives way: no user pushes one body through another.
            devices.push(Box::new(HandDevice::new(
                DeviceSpecification::virtuose(),
                Hand::new(0.2, 6.0, 300.0)?,
                script,
            )));
        }
        let report = run_threads(workspace, devices, 1_000_000, ticks, thread_ns)?;
        println!(
            "  {users} users with {hands} hands, {bodies} bodies of {} balls, {ticks} ticks; lists made {} times",
            tree.balls().len(),
            report.refreshes
        );
        let (mut worst, mut age) = (0.0_f64, 0.0_f64);
        for (index, hand) in report.hands.iter().enumerate() {
            println!(
                "    hand {}: {} missed; thread {}; list age p99.9 {:.1} ms; force up to {:.2} N, steps up to {:.3} N",
                index + 1,
                hand.servo.missed,
                micros(&hand.cost),
                hand.list_age.p999_ns as f64 * 1e-6,
                hand.largest_force,
                hand.largest_step
            );
            worst = worst.max(hand.cost.p999_ns as f64 * 1e-6);
            age = age.max(hand.list_age.p999_ns as f64 * 1e-6);
        }
        if users == 2 {
            bars.say(
                Bar::at_most(worst, 1.0),
                format_args!(
                    "2 users with 2 hands: thread time p99.9 at most 1 ms ({worst:.3} ms)"
                ),
            );
            bars.say(
                Bar::at_most(age, 5.0),
                format_args!("2 users with 2 hands: list age p99.9 at most 5 ms ({age:.1} ms)"),
            );
        }
    }
    Ok(())
}

pub(super) fn sphere_spring(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let (nx, ny, nz) = (20, 25, 10);
    let at = |x: i32, y: i32, z: i32| ((x * ny + y) * nz + z) as u32;
    let (mut spheres, mut springs) = (Vec::new(), Vec::new());
    let mut rng = Rng::new(3);
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.01;
                spheres.push(Sphere::new(p + rng.cube() * 5e-4, 0.0055, 1000.0));
            }
        }
    }
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                for (dx, dy, dz) in [
                    (1, 0, 0),
                    (0, 1, 0),
                    (0, 0, 1),
                    (1, 1, 0),
                    (0, 1, 1),
                    (1, 0, 1),
                    (1, 1, 1),
                ] {
                    let (u, v, w) = (x + dx, y + dy, z + dz);
                    if u < nx && v < ny && w < nz {
                        let ends = [at(x, y, z), at(u, v, w)];
                        let place =
                            |end: u32| spheres.get(end as usize).map(|s: &Sphere| s.position);
                        let rest = match (place(ends[0]), place(ends[1])) {
                            (Some(p), Some(q)) => p.distance(q),
                            _ => continue,
                        };
                        springs.push(Spring {
                            ends,
                            rest,
                            stiffness: 50.0,
                            damping: 0.05,
                        });
                    }
                }
            }
        }
    }
    let count = (spheres.len(), springs.len());
    let mut body = SphereSpring::new(spheres, springs, SphereSpringConfig::default())?;
    let volume = body.volume();
    let frames = if is_full { 100 } else { 10 };
    let mut times = Vec::new();
    for _ in 0..frames {
        let start = std::time::Instant::now();
        body.frame(&[], 50, 1e-4)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
    let lost = ((body.volume() - volume) / volume).abs();
    println!(
        "sphere-spring: {} spheres, {} springs, 50 iterations: median {median:.1} ms on the wall",
        count.0, count.1
    );
    println!("  published (Weller 2012, chapter 7): about 50 iterations a frame, without a time");
    bars.say(
        Bar::at_most(median, 16.0),
        format_args!("5000 spheres by 50 iterations within 16 ms ({median:.1} ms)"),
    );
    bars.say(
        Bar::at_most(lost, 1e-12),
        format_args!("volume kept to 1e-12 ({lost:.1e})"),
    );
    Ok(())
}
