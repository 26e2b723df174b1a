use std::error::Error;

use impinge::Pose;
use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let cloth = ClothDesc {
        cells: [10, 10],
        size: [1.0, 1.0],
        height: 0.5,
        ..ClothDesc::default()
    };
    let mut cloth = SoftBody::cloth(&cloth, SoftConfig::default())?;
    let ball = model("icosphere", 80)?;
    let below = Pose::from_translation([0.0, 0.0, -0.75])?;
    cloth.add_obstacle(&ball.tri_mesh().placed(&below)?)?;
    let mut contacts = 0;
    for _ in 0..30 {
        contacts += cloth.step(1.0 / 60.0)?.contacts;
    }
    let mut numbers = Numbers::default();
    numbers.add(contacts as f64);
    for &position in cloth.positions() {
        numbers.point(position);
    }
    numbers.add(cloth.strain());
    Ok(numbers)
}
