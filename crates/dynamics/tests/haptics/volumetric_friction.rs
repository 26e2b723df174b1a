//! Friction of a contact volume: Coulomb's law in closed form, and the energy that the hand puts in.

use std::f64::consts::PI;
use std::sync::Arc;

use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose};
use impinge_dynamics::Wrench;
use impinge_dynamics::law::{ContactLaw, FrictionDesc, FrictionLaw};

const PRESSURE: f64 = 1e5;
const SLACK: f64 = 1e-4;
const BALL: f64 = 0.01;
/// So large that it is as good as a plane.
const GROUND: f64 = 1e5;
/// How far balls are from the middle of the tool.
const ARM: f64 = 0.05;

fn tree(balls: &[SolidBall]) -> Arc<InnerSphereTree> {
    Arc::new(InnerSphereTree::new(balls, &InnerSphereTreeOptions::default()).unwrap())
}

/// A ring of six balls above a ball so large that it is as good as the plane z = 0.
fn law(coefficient: f64) -> FrictionLaw {
    let radius = GROUND;
    let ground = tree(&[SolidBall {
        center: DVec3::NEG_Z * radius,
        radius,
    }]);
    let ring: Vec<SolidBall> = (0..6)
        .map(|k| {
            let angle = f64::from(k) * PI / 3.0;
            SolidBall {
                center: DVec3::new(angle.cos(), angle.sin(), 0.0) * ARM,
                radius: BALL,
            }
        })
        .collect();
    let desc = FrictionDesc {
        pressure: PRESSURE,
        coefficient,
        slack: SLACK,
    };
    FrictionLaw::new(ground, Pose::IDENTITY, tree(&ring), &desc).unwrap()
}

/// The force of the six discs in which balls at a height meet the plane.
fn normal_force(height: f64) -> f64 {
    let above = height + ARM * ARM / (2.0 * GROUND);
    6.0 * PRESSURE * PI * (BALL * BALL - above * above)
}

/// A hand that moves the tool and adds up the work it does on it.
struct HandWork {
    law: FrictionLaw,
    pose: Pose,
    felt: Wrench,
    work: f64,
    /// Sum of the lengths of force times those of the way.
    scale: f64,
}

impl HandWork {
    fn new(mut law: FrictionLaw, pose: Pose) -> Self {
        law.commit(&pose, Limits::default());
        let felt = law.at(&pose, Limits::default()).wrench;
        Self {
            law,
            pose,
            felt,
            work: 0.0,
            scale: 0.0,
        }
    }

    /// Moves evenly by an offset and a turn about the tool's origin, in steps.
    fn go(&mut self, by: DVec3, turn: DVec3, steps: u32) {
        for _ in 0..steps {
            let (step, angle) = (by / f64::from(steps), turn / f64::from(steps));
            let origin = self.pose.translation();
            let about = |p: DVec3| Pose::from_translation(p).unwrap();
            let axis = angle.normalize_or(DVec3::Z);
            let turned = Pose::from_axis_angle(axis, angle.length(), DVec3::ZERO).unwrap();
            self.pose = about(origin + step) * turned * about(-origin) * self.pose;
            let felt = self.law.at(&self.pose, Limits::default()).wrench;
            let force = (felt.force + self.felt.force) * 0.5;
            let torque = (felt.torque + self.felt.torque) * 0.5;
            self.work -= force.dot(step) + torque.dot(angle);
            self.scale += force.length() * step.length() + torque.length() * angle.length();
            self.felt = felt;
            self.law.commit(&self.pose, Limits::default());
        }
    }
}

fn at_height(height: f64) -> Pose {
    Pose::from_translation([0.0, 0.0, height]).unwrap()
}

#[test]
fn sliding_feels_the_coefficient_times_the_normal_force() {
    let (mu, height) = (0.4, 0.006);
    let mut hand = HandWork::new(law(mu), at_height(height));
    let normal = normal_force(height);
    assert!((hand.felt.force.z / normal - 1.0).abs() < 1e-6);
    assert!(hand.felt.force.x.abs() < 1e-6 * normal);
    // Half of the slack sticks, and its work is stored.
    hand.go(DVec3::X * (0.5 * SLACK), DVec3::ZERO, 10);
    let stored = 0.5 * mu * normal * 0.25 * SLACK;
    assert!((hand.work / stored - 1.0).abs() < 1e-3, "{}", hand.work);
    assert!((hand.law.stored() / stored - 1.0).abs() < 1e-3);
    assert!((hand.felt.force.x / normal + 0.5 * mu).abs() < 1e-5);
    // Back again all of it is returned.
    hand.go(DVec3::X * (-0.5 * SLACK), DVec3::ZERO, 10);
    assert!(hand.work.abs() < 1e-3 * stored, "{}", hand.work);
    // A way of 1000 slacks dissipates μ·N on all but the first.
    let way = 1000.0 * SLACK;
    hand.go(DVec3::Y * way, DVec3::ZERO, 2000);
    let slid = mu * normal * (way - 0.5 * SLACK);
    assert!((hand.felt.force.y / normal + mu).abs() < 1e-3);
    assert!(
        (hand.work / slid - 1.0).abs() < 1e-3,
        "{}",
        hand.work / slid
    );
}

#[test]
fn spinning_feels_the_arm_of_every_ball() {
    let (mu, height) = (0.3, 0.005);
    let mut hand = HandWork::new(law(mu), at_height(height));
    hand.go(DVec3::ZERO, DVec3::Z * 0.2, 400);
    let expected = -mu * normal_force(height) * ARM;
    assert!((hand.felt.torque.z / expected - 1.0).abs() < 1e-3);
    assert!(hand.felt.force.truncate().length() < 1e-3 * normal_force(height));
    let work = -expected * (0.2 - 0.5 * SLACK / ARM);
    assert!(
        (hand.work / work - 1.0).abs() < 1e-3,
        "{}",
        hand.work / work
    );
}

#[test]
fn pressing_on_a_bent_contact_gives_no_energy() {
    // Lightly bent, pressed, let back, lifted: bristles of constant length would give three times what they took.
    let mut hand = HandWork::new(law(0.8), at_height(0.009));
    for _ in 0..20 {
        hand.go(DVec3::X * SLACK, DVec3::ZERO, 50);
        hand.go(DVec3::NEG_Z * 0.007, DVec3::ZERO, 400);
        hand.go(DVec3::X * -SLACK, DVec3::ZERO, 50);
        hand.go(DVec3::Z * 0.007, DVec3::ZERO, 400);
        assert!(hand.work >= -1e-6 * hand.scale, "{}", hand.work);
    }
    assert!(hand.work > 0.0);
}

#[test]
fn no_closed_way_gives_energy() {
    let mut rng = Rng::new(12);
    let mut lost = 0;
    for _ in 0..60 {
        let mu = rng.range(0.0, 1.2);
        let start = at_height(rng.range(0.0, 0.009));
        let mut hand = HandWork::new(law(mu), start);
        let way = SLACK * 10_f64.powf(rng.range(-0.5, 1.5));
        for _ in 0..6 {
            let height = rng.range(0.0, 0.009) - hand.pose.translation().z;
            let side = rng.cube() * way;
            let by = DVec3::new(side.x, side.y, height);
            hand.go(by, DVec3::Z * rng.range(-1.0, 1.0) * way / ARM, 150);
        }
        // Back to the height of the start: the pressure gives back what it took.
        let up = start.translation().z - hand.pose.translation().z;
        hand.go(DVec3::Z * up, DVec3::ZERO, 150);
        let free = hand.work;
        assert!(free >= -2e-5 * hand.scale, "{free} of {}", hand.scale);
        lost += u32::from(free > 1e-3 * hand.scale);
    }
    assert!(lost > 30, "{lost}");
}

#[test]
fn bad_input_is_refused() {
    let ball = tree(&[SolidBall {
        center: DVec3::ZERO,
        radius: 1.0,
    }]);
    let good = FrictionDesc {
        pressure: 1.0,
        coefficient: 0.5,
        slack: 1e-3,
    };
    let made = |desc: FrictionDesc| {
        FrictionLaw::new(ball.clone(), Pose::IDENTITY, ball.clone(), &desc).is_ok()
    };
    assert!(made(good));
    assert!(!made(FrictionDesc {
        pressure: 0.0,
        ..good
    }));
    assert!(!made(FrictionDesc {
        coefficient: -0.1,
        ..good
    }));
    assert!(!made(FrictionDesc {
        slack: f64::NAN,
        ..good
    }));
}
