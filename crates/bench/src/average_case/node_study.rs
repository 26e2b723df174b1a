//! What other nodes give: two boundaries, other volumes, other numbers of cells.

use std::sync::Arc;

use impinge::average_case::{
    AverageConfig, AverageOptions, AverageTree, AverageVolume, TwoBoundary,
};
use impinge::bound::{Aabb, Kdop, Obb};
use impinge::query::Limits;

use super::Preset;
use super::parameter_study::compare;
use super::thesis_models::Model;
use super::tumble::{TumbleEngine, TumblePoses, answers, average, play, thinned};
use crate::result_sheet::ResultSheet;

/// Models with hollows and without.
const MODELS: [&str; 3] = ["car", "hall", "pipes-9814"];
/// Cells along each side of a node; 8 as published.
const CELLS: [u32; 4] = [4, 6, 12, 16];

/// An engine over one kind of node, named with the pairs that it compares.
fn engine<V: AverageVolume>(
    name: &str,
    model: &Model,
    config: &AverageConfig,
    options: &AverageOptions,
    rounds: &[TumblePoses],
) -> anyhow::Result<TumbleEngine> {
    let tree = Arc::new(AverageTree::<V>::new(&model.mesh, config));
    let asked = answers(rounds, &tree, options, Limits::default())?;
    let tests: u64 = asked
        .iter()
        .map(|(answer, _)| answer.work.volume_tests)
        .sum();
    let mean = tests as f64 / asked.len().max(1) as f64;
    let bytes = tree.bytes_per_node();
    average(
        &format!("{name}, {mean:.1} pairs, {bytes:.0} bytes"),
        &tree,
        options,
    )
}

pub(super) fn run(
    played: &[(Model, Vec<TumblePoses>)],
    preset: Preset,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let (config, options) = (AverageConfig::default(), AverageOptions::default());
    for (model, rounds) in played {
        if !MODELS.contains(&model.name.as_str()) {
            continue;
        }
        let some = thinned(rounds, preset.pick(1, 4, 20));
        let mut engines = vec![
            engine::<Aabb>("boxes", model, &config, &options, &some)?,
            engine::<TwoBoundary<Aabb>>("2-AABB", model, &config, &options, &some)?,
            engine::<TwoBoundary<Obb>>("2-OBB", model, &config, &options, &some)?,
            engine::<Kdop<18>>("18-DOPs", model, &config, &options, &some)?,
            engine::<TwoBoundary<Kdop<18>>>("2-DOP of 18", model, &config, &options, &some)?,
        ];
        for cells_per_side in CELLS {
            let config = AverageConfig {
                cells_per_side,
                ..config
            };
            // As many parts along an edge as with eight cells.
            let options = AverageOptions {
                refinement: options.refinement * 8.0 / f64::from(cells_per_side),
                ..options.clone()
            };
            let name = format!("{cells_per_side} cells along a side");
            engines.push(engine::<Aabb>(&name, model, &config, &options, &some)?);
        }
        let scores = play(&some, &mut engines, 3);
        compare(&format!("{}: other nodes", model.name), &scores, sheet);
    }
    Ok(())
}
