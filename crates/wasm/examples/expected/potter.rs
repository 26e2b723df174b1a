use std::error::Error;

use impinge::Pose;
use impinge_dynamics::sculpt::{Clay, Operator, Pot, SculptOptions, Sculptor, Tool, ToolKind};

use crate::{Numbers, placement};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let clay = Clay::new(&Pot::Ball.mesh(500)?)?;
    let tool = Tool::new(ToolKind::FiveFingertips, 1.0)?;
    let mut sculptor = Sculptor::new(clay, tool, SculptOptions::default())?;
    let mut numbers = Numbers::default();
    let turns = [[0.0, 1.0], [0.6, 0.8], [1.0, 0.0], [0.8, -0.6]];
    for stroke in 0..2 {
        sculptor.begin_stroke();
        for frame in 0..16 {
            let [z, w] = turns[frame % 4];
            sculptor.set_pose(&placement([0.0, 0.0, 0.0, 0.0, 0.0, z, w])?);
            let down = 1.125 - 0.03125 * frame as f64;
            let at = Pose::from_translation([0.125 * f64::from(stroke), 0.0, down])?;
            let report = sculptor.frame(&at);
            numbers.count(report.parts).count(report.hit_faces);
            numbers.count(report.moved).add(report.allowed);
        }
        sculptor.set_options(SculptOptions {
            operator: Operator::Drag { vicinity: 1.5 },
            ..SculptOptions::default()
        })?;
        sculptor.set_tool(Tool::new(ToolKind::WholeHand, 0.5)?);
        numbers.add(sculptor.clay().volume());
        numbers.add(sculptor.clay().euler_number() as f64);
        numbers.truth(sculptor.intersects_itself());
        for &position in sculptor.clay().positions() {
            numbers.point(position);
        }
    }
    numbers.truth(sculptor.undo());
    numbers.add(sculptor.clay().volume());
    Ok(numbers)
}
