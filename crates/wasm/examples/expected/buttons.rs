use std::error::Error;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::{DVec3, Pose};
use impinge_dynamics::device::logical::{
    ButtonPlace, ControlPanel, LogicalDevices, LogicalId, LogicalValue,
};
use impinge_dynamics::sculpt::{Tool, ToolKind};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let hand = Tool::new(ToolKind::WholeHand, 1.0)?;
    let fingers = hand.parts().iter();
    let fingers: Vec<_> = fingers
        .map(|part| Arc::new(WideTree::new(Arc::new(part.mesh().clone()))))
        .collect();
    let count = fingers.len();
    let mut panel = ControlPanel::new(fingers);
    let mut devices = LogicalDevices::new(1024);
    let key = model("icosphere", 80)?;
    let mut buttons: Vec<LogicalId> = Vec::new();
    for x in [-0.25, 0.0, 3.0] {
        let place = ButtonPlace {
            mesh: Arc::clone(key.index()),
            world_from_button: Pose::from_translation([x, 0.0, -1.5])?,
            axis: DVec3::Z,
            press_depth: 0.125,
            release_gap: 0.0625,
        };
        buttons.push(panel.add(&mut devices, &place)?);
    }
    let mut numbers = Numbers::default();
    for tick in 0..24_u32 {
        let down = 0.0625 * f64::from(if tick < 12 { tick } else { 24 - tick });
        let pose = Pose::from_translation([0.0, 0.0, 0.125 - down])?;
        panel.update(
            &mut devices,
            &vec![pose; count],
            u64::from(tick) * 1_000_000_000,
        )?;
        for &button in &buttons {
            numbers.truth(devices.poll(button) == Some(LogicalValue::Button(true)));
        }
        for event in devices.events() {
            let button = buttons.iter().position(|&id| id == event.device);
            numbers.count(button.ok_or("an event of no button")?);
            numbers.truth(event.value == LogicalValue::Button(true));
        }
    }
    Ok(numbers)
}
