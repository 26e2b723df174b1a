//! One thread for each hand and one for the pair lists.
//!
//! The thread of a hand owns the body that it holds: each tick it reads its device, evaluates the newest lists at the newest poses, moves its body and
//! writes the wrench. The list thread owns all other bodies and builds lists as fast as it can.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::Pose;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, PairList};

use super::pose_cell::PoseCell;
use super::world::{Workspace, WorkspaceError};
use crate::Wrench;
use crate::coupling::DynamicCoupling;
use crate::device::HapticDevice;
use crate::law::{ContactLaw, ContactResponse};
use crate::rate::{
    Clock, DurationHistogram, DurationSummary, MonotonicClock, ServoError, ServoLoop, ServoReader,
    ServoReport, WorldWriter, exchange,
};

/// Statistics of the thread of one hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandReport {
    /// Its loop, in wall time.
    pub servo: ServoReport,
    /// What a tick cost, by the clock given.
    pub cost: DurationSummary,
    /// How old lists were when they were evaluated.
    pub list_age: DurationSummary,
    /// The largest change of force from one tick to the next, in newtons.
    pub largest_step: f64,
    /// The largest force, in newtons.
    pub largest_force: f64,
}

/// Statistics of all threads.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadsReport {
    /// One for each hand.
    pub hands: Vec<HandReport>,
    /// How often lists were made.
    pub refreshes: u64,
}

/// The lists of one held body against all others.
struct HandLists {
    made_ns: u64,
    lists: Vec<PairList>,
}

/// The body of a hand, pushed by lists.
struct ListLaw<'w> {
    own: usize,
    trees: &'w [Arc<InnerSphereTree>],
    cells: &'w [PoseCell],
    poses: Vec<Pose>,
    pressure: f64,
    lists: ServoReader<HandLists>,
    made_ns: u64,
}

impl ContactLaw for ListLaw<'_> {
    fn at(&mut self, world_from_tool: &Pose, _: Limits<'_>) -> ContactResponse {
        for (pose, cell) in self.poses.iter_mut().zip(self.cells) {
            if let Some(newest) = cell.read() {
                *pose = newest;
            }
        }
        let mut wrench = Wrench::ZERO;
        let (own, trees, poses, pressure) = (self.own, self.trees, &self.poses, self.pressure);
        let made = self.lists.read(|state| {
            for (index, list) in state.lists.iter_mut().enumerate() {
                let (Some(other), Some(pose)) = (trees.get(index), poses.get(index)) else {
                    continue;
                };
                let Some(tool) = trees.get(own) else {
                    continue;
                };
                if index == own || list.is_empty() {
                    continue;
                }
                let other_from_tool = pose.inverse() * *world_from_tool;
                let gradient = list.forces(other, tool, &other_from_tool).gradient;
                let force = pose.transform_vector(gradient.translation * -pressure);
                let torque = pose.transform_vector(gradient.rotation * -pressure);
                let arm = world_from_tool.translation() - pose.translation();
                wrench = wrench
                    + Wrench {
                        force,
                        torque: torque - arm.cross(force),
                    };
            }
            state.made_ns
        });
        self.made_ns = made.unwrap_or(self.made_ns);
        ContactResponse {
            wrench,
            ..ContactResponse::NONE
        }
    }
}

/// Runs a workspace for this many ticks with one thread per hand. `cost_ns` returns the CPU time of the calling thread, or any clock.
///
/// The hands hold bodies as they do in the workspace; hands that hold nothing only read their device.
///
/// # Errors
/// [`ThreadsError`] for a period that is too short, or a body that is not there.
///
/// ```
/// use impinge::{DVec3, Pose, spheres::*};
/// use impinge_dynamics::device::{DeviceSpecification, Keyframe, Script, ScriptedDevice};
/// use impinge_dynamics::workspace::{Workspace, WorkspaceBody, WorkspaceConfig, run_threads};
/// use std::sync::Arc;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 0.05 };
/// let tree = Arc::new(InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?);
/// let body = WorkspaceBody { tree, mass: 0.2, inertia: 2e-4, world_from_body: Pose::IDENTITY };
/// let mut workspace = Workspace::new(vec![body], 1, WorkspaceConfig::table()?)?;
/// workspace.grab(0, 0, &Pose::IDENTITY)?;
/// let rest = Script::new(vec![Keyframe { time_ns: 0, pose: Pose::IDENTITY }])?;
/// let device = Box::new(ScriptedDevice::new(DeviceSpecification::falcon(), rest));
/// let report = run_threads(workspace, vec![device], 1_000_000, 20, || 0)?;
/// assert_eq!(report.hands.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_threads(
    mut workspace: Workspace,
    mut devices: Vec<Box<dyn HapticDevice + Send>>,
    period_ns: u64,
    ticks: u64,
    cost_ns: fn() -> u64,
) -> Result<ThreadsReport, ThreadsError> {
    ServoLoop::new(period_ns)?;
    let count = workspace.body_count();
    let mut trees = Vec::with_capacity(count);
    let mut cells = Vec::with_capacity(count);
    for index in 0..count {
        let found = workspace.body(index).zip(workspace.pose(index));
        let (body, pose) = found.ok_or(WorkspaceError::NoBody { body: index })?;
        trees.push(Arc::clone(&body.tree));
        cells.push(PoseCell::new(&pose));
    }
    let held: Vec<Option<usize>> = (0..devices.len())
        .map(|hand| workspace.held(hand))
        .collect();
    let clock = MonotonicClock::new();
    let config = *workspace.config();
    let mut writers: Vec<Option<WorldWriter<HandLists>>> = Vec::new();
    let mut hands = Vec::new();
    for (hand, device) in devices.drain(..).enumerate() {
        let Some(&Some(own)) = held.get(hand) else {
            writers.push(None);
            continue;
        };
        let slot = || HandLists {
            made_ns: 0,
            lists: (0..count).map(|_| PairList::with_capacity(1024)).collect(),
        };
        let (writer, reader) = exchange([slot(), slot(), slot()]);
        writers.push(Some(writer));
        let body = workspace
            .body(own)
            .ok_or(WorkspaceError::NoBody { body: own })?;
        let start = workspace.pose(own).unwrap_or_default();
        let tool = DynamicCoupling::new(
            config.coupling,
            body.mass,
            body.inertia,
            config.damping_ratio,
            start,
        )
        .map_err(WorkspaceError::from)?;
        hands.push((own, device, reader, tool));
    }
    let done = AtomicBool::new(false);
    let (trees, cells, done) = (&trees, &cells, &done);
    std::thread::scope(|scope| {
        let threads: Vec<_> = hands
            .into_iter()
            .map(|(own, device, reader, tool)| {
                scope.spawn(move || {
                    let law = ListLaw {
                        own,
                        trees,
                        cells,
                        poses: cells.iter().filter_map(PoseCell::read).collect(),
                        pressure: config.pressure,
                        lists: reader,
                        made_ns: 0,
                    };
                    hand_loop(law, device, tool, clock, period_ns, ticks, cost_ns)
                })
            })
            .collect();
        let lists = scope.spawn(move || {
            let mut cache = InnerSphereTreeCache::default();
            let is_held = |body: usize| held.contains(&Some(body));
            while !done.load(Ordering::Acquire) {
                for (body, cell) in cells.iter().enumerate() {
                    if is_held(body)
                        && let Some(pose) = cell.read()
                    {
                        workspace.place(body, pose);
                    }
                }
                let _ = workspace.tick(&[]);
                for (body, cell) in cells.iter().enumerate() {
                    if let Some(pose) = workspace.pose(body).filter(|_| !is_held(body)) {
                        cell.write(&pose);
                    }
                }
                let margin = workspace.margin();
                for (writer, own) in writers.iter_mut().zip(&held) {
                    let (Some(writer), Some(own)) = (writer, own) else {
                        continue;
                    };
                    let made_ns = clock.now_ns();
                    let made: Result<(), ()> = writer.publish(|state| {
                        state.made_ns = made_ns;
                        let tool = workspace.pose(*own).unwrap_or_default();
                        for (index, list) in state.lists.iter_mut().enumerate() {
                            let (Some(a), Some(b)) = (trees.get(index), trees.get(*own)) else {
                                continue;
                            };
                            let other = workspace.pose(index).unwrap_or_default();
                            let a_from_b = other.inverse() * tool;
                            if index != *own {
                                let limits = Limits::default();
                                let _ =
                                    a.overlap_pairs(b, &a_from_b, margin, limits, &mut cache, list);
                            }
                        }
                        Ok(())
                    });
                    debug_assert!(made.is_ok(), "making lists does not fail");
                }
                std::thread::yield_now();
            }
            workspace.refreshes()
        });
        let mut reports = Vec::new();
        for thread in threads {
            if let Ok(report) = thread.join() {
                reports.push(report?);
            }
        }
        done.store(true, Ordering::Release);
        Ok(ThreadsReport {
            hands: reports,
            refreshes: lists.join().unwrap_or(0),
        })
    })
}

/// Why threads did not run.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadsError {
    /// The period is too short.
    #[error(transparent)]
    Servo(#[from] ServoError),
    /// A body or hand is missing.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

fn hand_loop(
    mut law: ListLaw<'_>,
    mut device: Box<dyn HapticDevice + Send>,
    mut tool: DynamicCoupling,
    clock: MonotonicClock,
    period_ns: u64,
    ticks: u64,
    cost_ns: fn() -> u64,
) -> Result<HandReport, ThreadsError> {
    let mut servo = ServoLoop::new(period_ns)?;
    let (mut cost, mut age) = (DurationHistogram::new(), DurationHistogram::new());
    let (mut before, mut step, mut most) = (None, 0.0_f64, 0.0_f64);
    let start_ns = clock.now_ns();
    servo.run(&clock, |tick| {
        let began = cost_ns();
        let now_ns = tick.now_ns.saturating_sub(start_ns);
        if let Ok(state) = device.read(now_ns) {
            let dt = period_ns as f64 * 1e-9;
            let found = tool.update(&mut law, &state.pose, dt, Limits::default());
            if let Some(cell) = law.cells.get(law.own) {
                cell.write(&found.world_from_tool);
            }
            let force = found.wrench.force;
            if let Some(before) = before.replace(force) {
                step = step.max((force - before).length());
            }
            most = most.max(force.length());
            // A device that does not take the wrench puts out none; its own report says why.
            let _ = device.write(found.wrench);
            if law.made_ns > 0 {
                age.add(tick.now_ns.saturating_sub(law.made_ns));
            }
        }
        cost.add(cost_ns().saturating_sub(began));
        if tick.index + 1 >= ticks {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    device.stop();
    Ok(HandReport {
        servo: servo.report(),
        cost: cost.summary(),
        list_age: age.summary(),
        largest_step: step,
        largest_force: most,
    })
}
