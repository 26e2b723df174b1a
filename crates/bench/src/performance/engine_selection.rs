//! The engines that take part in a run.

use super::preset::Sizes;
use crate::engines::{Engine, FoundEngine, JUDGE, OURS, find};
use crate::manifold::MANIFOLD;
use crate::own_runners::{DEFAULT, Fill};
use crate::pair::engine_names;
use crate::result_sheet::Failure;

/// More balls take longer to pack than a runner is waited for.
const MOST_BALLS_OF_RUNNERS: usize = 10_000;

/// Whether an engine needs solids: what is open cannot be filled, and shares no volume.
pub(super) fn is_for_solids(engine: &Engine) -> bool {
    engine.name == MANIFOLD || Fill::from_name(&engine.name).is_some()
}

/// The engines that are there; those that are not are reported as failures, none of them ours.
pub(super) fn engines(
    names: &[String],
    sizes: Sizes,
    failures: &mut Vec<Failure>,
) -> anyhow::Result<Vec<Engine>> {
    let mut engines: Vec<Engine> = Vec::new();
    let is_all_ours = names.iter().any(|name| name == "ours");
    let mut names = engine_names(names);
    if is_all_ours {
        let balls = sizes.balls.iter().filter(|n| **n <= MOST_BALLS_OF_RUNNERS);
        names.extend(balls.map(|count| format!("balls-{count}")));
        let voxels = sizes.voxels.iter();
        names.extend(voxels.map(|along| format!("voxmap-{along}")));
    }
    let has_default = names.iter().any(|name| name == OURS);
    for name in &names {
        // The judge is no competitor, and the default engine has a name of its own.
        if name == JUDGE || (name == DEFAULT && has_default) {
            continue;
        }
        match find(name)? {
            FoundEngine::Present(engine) if engines.contains(&engine) => {}
            FoundEngine::Present(engine) => engines.push(engine),
            FoundEngine::Absent => {
                eprintln!("absent: {name} (`cargo xtask peers` installs and builds it)");
                failures.push(Failure {
                    subject: name.clone(),
                    reason: "its runner is not there (`cargo xtask peers` installs and builds it)"
                        .to_owned(),
                    is_ours: false,
                });
            }
        }
    }
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performance::preset::Preset;

    #[test]
    fn all_of_ours_take_part_with_balls_and_voxels_too() {
        let names = |asked: &str, preset: Preset| -> Vec<String> {
            let found = engines(&[asked.to_owned()], preset.sizes(), &mut Vec::new()).unwrap();
            found.into_iter().map(|engine| engine.name).collect()
        };
        let has = |names: &[String], name: &str| names.iter().any(|n| n == name);
        let quick = names("ours", Preset::Quick);
        assert!(has(&quick, "balls-1000") && has(&quick, "voxmap-50") && has(&quick, "average"));
        let full = names("ours", Preset::Full);
        assert!(has(&full, "balls-10000") && has(&full, "voxmap-200"));
        assert!(!has(&full, "balls-100000"));
        assert_eq!(names("balls-20", Preset::Quick), ["balls-20"]);
        assert_eq!(names("impinge", Preset::Quick), ["impinge"]);
    }
}
