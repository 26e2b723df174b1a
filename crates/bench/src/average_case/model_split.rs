//! Which models and poses may tune, and which only judge.
//!
//! Constants and defaults may be chosen by tuning models and poses. Bars for models that nothing
//! was tuned on are met or missed by judging ones alone.

use impinge::generate::MODELS;

use super::calibration::is_fitted;
use super::thesis_models::Model;
use crate::rigid::fetched;

/// Poses by which a model is calibrated, and by which it is judged.
pub(super) const TUNING_POSES: u64 = 1;
pub(super) const JUDGING_POSES: u64 = 2;
/// Of generated models that judge: constants were fitted to shapes of seed 1.
const JUDGING_SHAPES: u64 = 29;
/// How the registry is split.
const SPLIT: u64 = 2026;
/// Faces that are aimed at.
const FACES: usize = 8000;

/// Generated models of which the stand-ins are made that defaults were chosen by.
const STAND_INS: [&str; 6] = ["car-shell", "cage", "cloth", "cube-array", "lock", "pipes"];
/// Real models; those that were not fetched are left out.
const REAL: [&str; 5] = ["bunny-small", "spot", "fandisk", "coupling", "dragon"];

/// Whether a generated model only judges: none that constants were fitted to, and half of the others, by the seed of the split.
pub(super) fn is_judging(name: &str) -> bool {
    let mixed = name.bytes().fold(SPLIT, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    !is_fitted(name) && !STAND_INS.contains(&name) && (mixed ^ mixed >> 17) & 1 == 1
}

/// The models that judge, generated ones and real ones.
pub(super) fn judging_models(is_small: bool) -> anyhow::Result<Vec<Model>> {
    let faces = if is_small { FACES / 8 } else { FACES };
    let mut models = Vec::new();
    for kind in MODELS.iter().filter(|kind| is_judging(kind.name)) {
        let mesh = kind.make(Some(faces), JUDGING_SHAPES)?;
        models.push(Model::new(kind.name, &mesh, None)?);
    }
    for name in REAL {
        match fetched(name)? {
            Some(mesh) => models.push(Model::new(name, &mesh, None)?),
            None => eprintln!("absent: model {name} (`cargo xtask models` fetches it)"),
        }
    }
    Ok(models)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judging_models_were_never_tuned_on_and_are_enough() {
        let judging: Vec<&str> = MODELS
            .iter()
            .map(|kind| kind.name)
            .filter(|name| is_judging(name))
            .collect();
        assert!(judging.len() >= 8, "{judging:?}");
        assert!(judging.iter().all(|name| !is_fitted(name)));
        assert!(
            MODELS
                .iter()
                .any(|kind| !is_judging(kind.name) && !is_fitted(kind.name))
        );
        assert_ne!(TUNING_POSES, JUDGING_POSES);
    }
}
