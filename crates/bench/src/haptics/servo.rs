//! The servo loop, compared with an empty one.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::{Pose, generate};
use impinge_dynamics::device::{
    DeviceSpecification, Hand, HandDevice, HapticDevice, Keyframe, Script,
};
use impinge_dynamics::proxy::{GodObject, ProxyScene};
use impinge_dynamics::rate::{DurationHistogram, MonotonicClock, ServoLoop, ServoReport};
use impinge_dynamics::session::{HapticSession, Renderer, SessionConfig};

use super::{micros, thread_ns};
use crate::{Bar, Bars};

fn told(name: &str, report: &ServoReport) {
    println!(
        "  {name}: {} ticks, {} missed; late {}; busy {}",
        report.ticks,
        report.missed,
        micros(&report.lateness),
        micros(&report.busy)
    );
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let ticks = if is_full { 60_000 } else { 2000 };
    println!("servo loop at 1 kHz, {ticks} ticks, no priority asked for");
    let clock = MonotonicClock::new();
    let until = |index: u64| {
        if index + 1 >= ticks {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut empty = ServoLoop::new(1_000_000)?;
    empty.run(&clock, |tick| until(tick.index));
    told("empty", &empty.report());
    let mesh = Arc::new(generate::icosphere(0.03, 60)?);
    let mut scene = ProxyScene::new();
    scene.add(Arc::new(WideTree::new(mesh)), Pose::IDENTITY)?;
    let proxy = GodObject::new(&mut scene, 1000.0, [0.0, 0.0, 0.05])?;
    let renderer = Renderer::GodObject { scene, proxy };
    let config = SessionConfig::new(DeviceSpecification::falcon())?;
    let mut session = HapticSession::new(renderer, &config)?;
    let frame = |time_ns: u64, z: f64| -> anyhow::Result<Keyframe> {
        Ok(Keyframe {
            time_ns,
            pose: Pose::from_translation([0.0, 0.0, z])?,
        })
    };
    let script = Script::new(vec![frame(0, 0.05)?, frame(500_000_000, 0.025)?])?;
    let mut device = HandDevice::new(
        DeviceSpecification::falcon(),
        Hand::new(0.2, 6.0, 300.0)?,
        script,
    );
    let mut cost = DurationHistogram::new();
    let mut servo = ServoLoop::new(1_000_000)?;
    let clock = MonotonicClock::new();
    servo.run(&clock, |tick| {
        let before = thread_ns();
        if let Ok(state) = device.read(tick.now_ns) {
            let done = session.tick(&state, tick.now_ns, tick.due_ns);
            let _ = device.write(done.wrench);
        }
        cost.add(thread_ns() - before);
        until(tick.index)
    });
    told("god-object with controller and limits", &servo.report());
    let spent = cost.summary();
    let p999 = spent.p999_ns as f64 * 1e-6;
    bars.say(
        Bar::at_most(p999, 1.0),
        format_args!("thread time of a tick p99.9 at most 1 ms ({p999:.3} ms)"),
    );
    let late = |report: &ServoReport| report.lateness.p999_ns as f64 * 1e-3;
    let (own, idle) = (late(&servo.report()), late(&empty.report()));
    bars.say(
        Bar::at_most(own - idle, 50.0),
        format_args!("lateness p99.9 at most that of the empty loop and 50 µs ({own:.0} µs, empty {idle:.0} µs)"),
    );
    Ok(())
}
