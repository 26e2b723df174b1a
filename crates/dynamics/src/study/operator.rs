//! Simulated operators: how a person with a device would move a hand.
//!
//! **Limits.** They exercise the study from end to end. Their skill is a setting, so any difference
//! between conditions that they show was put in by the settings.

use std::f64::consts::PI;

use impinge::math::Rng;
use impinge::{DVec3, Pose};

/// The device that a player works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Force feedback only, 10 N; the user rotates the virtual hand in steps, with buttons.
    ThreeDof,
    /// Force and torque feedback, 15 N and 0.5 N·m; the virtual hand rotates with the device.
    SixDof,
}

impl Condition {
    /// Both conditions.
    pub const ALL: [Self; 2] = [Self::ThreeDof, Self::SixDof];

    /// The name in files.
    ///
    /// ```
    /// use impinge_dynamics::study::Condition;
    /// assert_eq!(Condition::from_name(Condition::SixDof.name()), Some(Condition::SixDof));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ThreeDof => "3dof",
            Self::SixDof => "6dof",
        }
    }

    /// The condition with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The other condition.
    ///
    /// ```
    /// use impinge_dynamics::study::Condition;
    /// assert_eq!(Condition::ThreeDof.other(), Condition::SixDof);
    /// ```
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::ThreeDof => Self::SixDof,
            Self::SixDof => Self::ThreeDof,
        }
    }

    /// The largest force of the device, in N.
    #[must_use]
    pub const fn max_force(self) -> f64 {
        match self {
            Self::ThreeDof => 10.0,
            Self::SixDof => 15.0,
        }
    }

    /// The largest torque that the hand is turned with, in N·m. A hand that buttons turn is held by
    /// the simulation, not by the device.
    #[must_use]
    pub const fn max_torque(self) -> f64 {
        0.5
    }
}

/// How well an operator works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatorSkill {
    /// Speed of the hand, in m/s.
    pub speed: f64,
    /// Standard deviation of the aim, in m.
    pub tremor: f64,
    /// Time between decisions, in s.
    pub reaction: f64,
}

impl Default for OperatorSkill {
    fn default() -> Self {
        Self {
            speed: 0.25,
            tremor: 0.006,
            reaction: 0.25,
        }
    }
}

/// One hand of a simulated player.
#[derive(Clone, Debug)]
pub struct Operator {
    condition: Condition,
    skill: OperatorSkill,
    rng: Rng,
    /// Where the device is held now.
    position: DVec3,
    yaw: f64,
    goal: DVec3,
    goal_yaw: f64,
    next_decision: f64,
    /// Until when a button is being pressed, during which the hand stands.
    busy: f64,
}

/// Buttons turn a hand by this, in rad.
const BUTTON_STEP: f64 = PI / 12.0;

/// A press of a button takes this long, in s.
const BUTTON_TIME: f64 = 0.2;

/// A hand that follows a device turns at most at this rate, in rad/s.
const TURN_RATE: f64 = 4.0;

/// How far behind a body the hand goes before it pushes, in m.
const BEHIND: f64 = 0.07;

impl Operator {
    /// An operator whose hand starts somewhere.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::study::{Condition, Operator, OperatorSkill};
    /// let mut operator = Operator::new(Condition::SixDof, OperatorSkill::default(), 7, DVec3::ZERO);
    /// let held = operator.act(0.0, 0.01, Some(DVec3::new(0.3, 0.0, 0.0)), DVec3::new(-0.3, 0.0, 0.0));
    /// assert!(held.translation().length() < 0.01);
    /// ```
    #[must_use]
    pub fn new(condition: Condition, skill: OperatorSkill, seed: u64, start: DVec3) -> Self {
        Self {
            condition,
            skill,
            rng: Rng::new(seed),
            position: start,
            yaw: 0.0,
            goal: start,
            goal_yaw: 0.0,
            next_decision: 0.0,
            busy: 0.0,
        }
    }

    /// The device under the hand.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.condition
    }

    /// The pose of the device after `dt`: on the way behind the body `target`, then through it to the well.
    /// Without a target the hand stays.
    pub fn act(&mut self, time: f64, dt: f64, target: Option<DVec3>, well: DVec3) -> Pose {
        if time >= self.next_decision {
            self.next_decision = time + self.skill.reaction * self.rng.range(0.7, 1.3);
            if let Some(target) = target {
                self.decide(target, well);
            }
        }
        self.turn(time, dt);
        if time >= self.busy {
            let way = self.goal - self.position;
            let most = self.skill.speed * dt;
            let length = way.length();
            self.position += if length > most {
                way * (most / length)
            } else {
                way
            };
        }
        Pose::from_axis_angle(DVec3::Z, self.yaw, self.position).unwrap_or(Pose::IDENTITY)
    }

    fn decide(&mut self, target: DVec3, well: DVec3) {
        let flat = DVec3::new(1.0, 1.0, 0.0);
        let to_well = ((well - target) * flat).normalize_or(DVec3::X);
        let from_target = (self.position - target) * flat;
        let along = from_target.dot(to_well);
        let aside = from_target - to_well * along;
        let noise = self.rng.cube() * flat * (self.skill.tremor * 3.0_f64.sqrt());
        let height = DVec3::Z * self.position.z;
        let goal = if along < 0.0 && aside.length() < 0.03 {
            // Behind the body: push it on.
            target + to_well * 0.04
        } else if along < 0.0 {
            target - to_well * BEHIND
        } else {
            // In front of it: go around.
            let side = aside.normalize_or(DVec3::new(-to_well.y, to_well.x, 0.0));
            target + side * (1.5 * BEHIND) - to_well * BEHIND
        };
        self.goal = (goal + noise) * flat + height;
        self.goal_yaw = libm::atan2(to_well.y, to_well.x);
    }

    /// Turns the hand: at once with a device of six degrees of freedom, by buttons with one of three.
    fn turn(&mut self, time: f64, dt: f64) {
        let mut off = self.goal_yaw - self.yaw;
        // A blade is the same after half a turn.
        off -= PI * libm::round(off / PI);
        match self.condition {
            Condition::SixDof => self.yaw += off.clamp(-TURN_RATE * dt, TURN_RATE * dt),
            Condition::ThreeDof => {
                if off.abs() > 0.5 * BUTTON_STEP && time >= self.busy {
                    self.yaw += BUTTON_STEP.copysign(off);
                    self.busy = time + BUTTON_TIME;
                }
            }
        }
    }
}
