//! A cloth that folds onto itself: every step is checked for self-collision, exactly, and the cloth stops at the first impact.

use impinge::deform::Scene;
use impinge::deform::step::{StepOptions, StepQuery};
use impinge::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cloth = impinge::generate::model("cloth").ok_or("model")?;
    let mut scene = Scene::new(&[cloth.make(Some(2000), 1)?])?;
    let (mut query, options) = (StepQuery::default(), StepOptions::default());
    let rest = scene.positions().to_vec();
    for frame in 1..=70 {
        // One half turns over the other one.
        let (sin, cos) = (f64::from(frame) * 0.05).sin_cos();
        let fold =
            |p: &DVec3| DVec3::new(p.x.min(0.0) + p.x.max(0.0) * cos, p.y, p.x.max(0.0) * sin);
        let end: Vec<DVec3> = rest.iter().map(fold).collect();
        let answer = query.step(&scene, &end, &options)?;
        if let Some(first) = answer.first {
            println!(
                "frame {frame}: {} impacts, the first after {:.3} of the step",
                answer.impacts.len(),
                first.lower
            );
            return Ok(());
        }
        scene.advance(&end)?;
    }
    Err("the halves never met".into())
}
