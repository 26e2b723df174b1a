//! How many configurations each preset has, without any query.

use super::sampling::{Kind, Preset};
use crate::Bar;

/// Prints the numbers, and whether they are the published ones.
pub(super) fn count() -> Bar {
    let mut all_met = true;
    for preset in Preset::ALL {
        for kind in Kind::ALL {
            let sampling = preset.sampling(kind);
            let levels = kind.levels().len() as u64;
            let (what, note) = match preset {
                Preset::Grid => ("cells", " tried"),
                _ => ("directions", ""),
            };
            println!(
                "{:<9} {:<9} {:>5} {what} × {:>5} orientations = {:>9} per target{note}, {levels} targets: {}",
                preset.name(),
                kind.name(),
                sampling.places(),
                sampling.orientations(),
                sampling.per_level(),
                sampling.per_level() * levels
            );
            let published = match (preset, kind) {
                (Preset::Sphere, Kind::Distance) => 1_991_808,
                (Preset::Sphere, Kind::Volume) => 268_128,
                (Preset::Everyday, _) => 8_320,
                (Preset::Grid, _) => continue,
            };
            let is_met = sampling.per_level() == published;
            all_met &= is_met;
            println!(
                "bar: {} of preset {} has {published} configurations per target: {}",
                kind.name(),
                preset.name(),
                Bar::of(is_met).word()
            );
        }
    }
    Bar::of(all_met)
}
