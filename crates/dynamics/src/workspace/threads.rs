//! One thread for each hand and one for the pair lists.
//!
//! The thread of a hand owns the body that it holds: each tick it reads its device, evaluates the newest lists at the newest poses, moves its body and
//! writes the wrench. A list that is longer than its share of the budget is replaced by the budgeted force, which stays continuous. The list thread owns all other bodies and builds lists as fast as it can.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::Pose;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{BudgetedForces, InnerSphereTree, InnerSphereTreeCache, PairList};

use super::pose_cell::PoseCell;
use super::world::{Workspace, WorkspaceError, listing_limits};
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

/// Ticks that the free bodies make at once at most.
const MOST_TICKS: u64 = 4;

/// The lists of one held body against all others.
struct HandLists {
    made_ns: u64,
    lists: Vec<PairList>,
    /// Lists that were given up as too long, and are not complete.
    is_cut: Vec<bool>,
}

impl HandLists {
    /// How the body of a list may be evaluated; none when it is too far to touch.
    fn nearness(&self, index: usize) -> Option<Nearness> {
        let list = self.lists.get(index)?;
        match self.is_cut.get(index) {
            Some(true) => Some(Nearness::Cut),
            _ if list.is_empty() => None,
            _ => Some(Nearness::Listed(list.len() as u64)),
        }
    }
}

/// What there is for a body that is near.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Nearness {
    /// A list of so many pairs.
    Listed(u64),
    /// No whole list.
    Cut,
}

/// The body of a hand, pushed by lists.
struct ListLaw<'w> {
    own: usize,
    trees: &'w [Arc<InnerSphereTree>],
    cells: &'w [PoseCell],
    poses: Vec<Pose>,
    pressure: f64,
    /// Tests of a tick, for all bodies that are near.
    budget: u64,
    /// For each body, in place of a list that is too long for its share.
    forces: Vec<BudgetedForces>,
    /// Tests that each of these forces spent last times the uncertainty that was left; 0 where a list serves.
    weights: Vec<f64>,
    /// Tests that each may spend.
    shares: Vec<u64>,
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
        let (budget, forces) = (self.budget, &mut self.forces);
        let (weights, shares) = (&mut self.weights, &mut self.shares);
        let made = self.lists.read(|state| {
            share_out(state, own, budget, weights, shares);
            for (index, share) in shares.iter().enumerate() {
                let near = state.nearness(index);
                let (Some(other), Some(pose)) = (trees.get(index), poses.get(index)) else {
                    continue;
                };
                let (Some(tool), Some(list)) = (trees.get(own), state.lists.get_mut(index)) else {
                    continue;
                };
                let (Some(near), false) = (near, index == own) else {
                    continue;
                };
                let other_from_tool = pose.inverse() * *world_from_tool;
                let is_listed = matches!(near, Nearness::Listed(pairs) if pairs <= *share);
                let gradient = match forces.get_mut(index) {
                    Some(forces) if !is_listed => {
                        forces.set_budget(*share);
                        let found = forces.at(other, tool, &other_from_tool);
                        let unknown =
                            (found.upper - found.lower) / found.upper.max(f64::MIN_POSITIVE);
                        if let Some(weight) = weights.get_mut(index) {
                            *weight = found.tests as f64 * (1.0 + unknown);
                        }
                        found.gradient
                    }
                    _ => list.forces(other, tool, &other_from_tool).gradient,
                };
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

/// Divides the budget of a hand: lists that fit into an equal share get what they need, and the others divide
/// the rest by what they spent last and how much that left open.
fn share_out(state: &HandLists, own: usize, budget: u64, weights: &mut [f64], shares: &mut [u64]) {
    let near = |index: usize| state.nearness(index).filter(|_| index != own);
    let count = (0..shares.len())
        .filter(|&index| near(index).is_some())
        .count() as u64;
    let equal = budget / count.max(1);
    let (mut rest, mut long) = (budget, 0_u64);
    for (index, share) in shares.iter_mut().enumerate() {
        *share = 0;
        match near(index) {
            Some(Nearness::Listed(pairs)) if pairs <= equal => {
                *share = pairs;
                rest = rest.saturating_sub(pairs);
            }
            Some(_) => long += 1,
            None => {}
        }
    }
    if long == 0 {
        weights.fill(0.0);
        return;
    }
    // A quarter is divided equally, so that none starves.
    let least = rest / (4 * long);
    let is_long = |index: usize, share: u64| share == 0 && near(index).is_some();
    let mut sum = 0.0;
    for (index, (weight, share)) in weights.iter_mut().zip(&*shares).enumerate() {
        if is_long(index, *share) {
            sum += *weight;
        } else {
            *weight = 0.0;
        }
    }
    let free = (rest - least * long) as f64;
    for (index, (weight, share)) in weights.iter().zip(shares).enumerate() {
        if is_long(index, *share) {
            let part = if sum > 0.0 {
                weight / sum
            } else {
                1.0 / long as f64
            };
            *share = (least + (free * part) as u64).max(1);
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
            is_cut: vec![false; count],
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
                        budget: config.budget,
                        forces: vec![BudgetedForces::new(config.budget, 0.0); count],
                        weights: vec![0.0; count],
                        shares: vec![0; count],
                        lists: reader,
                        made_ns: 0,
                    };
                    hand_loop(law, device, tool, clock, period_ns, ticks, cost_ns)
                })
            })
            .collect();
        let lists = scope.spawn(move || {
            let mut cache = InnerSphereTreeCache::default();
            workspace.leave_pairs_of(&held);
            let start_ns = clock.now_ns();
            let (mut ticked, mut placed_ns) = (0, start_ns);
            let is_held = |body: usize| held.contains(&Some(body));
            while !done.load(Ordering::Acquire) {
                let now_ns = clock.now_ns();
                let elapsed = now_ns.saturating_sub(placed_ns) as f64 * 1e-9;
                placed_ns = now_ns;
                for (body, cell) in cells.iter().enumerate() {
                    if is_held(body)
                        && let Some(pose) = cell.read()
                    {
                        workspace.place(body, pose, elapsed);
                    }
                }
                // Free bodies keep up with the clock, but do not catch up with a long pause.
                let due = now_ns.saturating_sub(start_ns) / period_ns;
                ticked = due.saturating_sub(MOST_TICKS).max(ticked);
                while ticked < due {
                    let _ = workspace.tick(&[]);
                    ticked += 1;
                }
                for (body, cell) in cells.iter().enumerate() {
                    if let Some(pose) = workspace.pose(body).filter(|_| !is_held(body)) {
                        cell.write(&pose);
                    }
                }
                let margin = workspace.margin();
                let limits = listing_limits(config.budget);
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
                                let outcome =
                                    a.overlap_pairs(b, &a_from_b, margin, limits, &mut cache, list);
                                if let Some(is_cut) = state.is_cut.get_mut(index) {
                                    *is_cut = outcome != Outcome::Complete;
                                }
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
