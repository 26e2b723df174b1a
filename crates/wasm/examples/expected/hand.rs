use std::error::Error;

use impinge_dynamics::sphere_spring::{Hand, HandConfig, HandPose};

use crate::Numbers;

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let config = HandConfig {
        sphere_radius: 0.004,
        ..HandConfig::default()
    };
    let mut hand = Hand::new(&config)?;
    let mut numbers = Numbers::default();
    for frame in 1..=6 {
        let mut pose = HandPose::flat();
        pose.flexion = HandPose::fist()
            .flexion
            .map(|angle| angle * (0.03125 * f64::from(frame)));
        hand.move_to(&pose, 20, 1.0 / 60.0)?;
        numbers.add(hand.tissue().volume()).add(hand.anchor_error());
    }
    for frame in hand.frames(hand.pose()) {
        numbers.matrix(&frame);
    }
    for sphere in hand.tissue().spheres() {
        numbers.point(sphere.position).add(sphere.radius());
    }
    let skin = hand.skin()?;
    for &position in skin.positions() {
        numbers.point(position);
    }
    Ok(numbers)
}
