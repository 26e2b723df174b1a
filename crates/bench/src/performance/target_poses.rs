//! The configurations of every target of a pair, from files that are made where they are missing.

use std::path::Path;

use impinge::Pose;
use impinge::math::Rng;

use super::preset::Preset;
use super::record::Record;
use super::run_notes::RunNotes;
use super::scenario_run::ScenarioRun;
use crate::configurations::{
    Checked, FoundBy, Job, JudgeKind, Kind, Meshes, ModelPair, ModelPairScene, Preset as Sampled,
    Reader, check, cores, folder_of, make,
};
use crate::result_sheet::Failure;

/// How the quick preset thins out the everyday sampling: shares no factor with the number of directions, so that all of them occur.
const QUICK_STRIDE: usize = 257;

/// A placement and the figure that is held fixed, in the models' own units.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetPose {
    pub(super) pose: Pose,
    pub(super) value: f64,
}

/// The configurations of one target of one pair.
#[derive(Clone, Debug)]
pub(super) struct TargetPoses {
    pub(super) preset: &'static str,
    pub(super) pair: &'static str,
    pub(super) class: &'static str,
    pub(super) faces: [usize; 2],
    pub(super) kind: Kind,
    pub(super) level: f64,
    /// A's diagonal or volume.
    pub(super) unit: f64,
    pub(super) placed: Vec<TargetPose>,
}

impl TargetPoses {
    /// A record that says only where it belongs.
    pub(super) fn record(&self) -> Record {
        Record {
            preset: self.preset.to_owned(),
            pair: self.pair.to_owned(),
            class: self.class.to_owned(),
            faces: self.faces,
            kind: self.kind.name().to_owned(),
            level: self.level,
            ..Record::default()
        }
    }
}

/// The configurations of a pair, from its file. The file is made when it is not there; one of our own that is damaged is set aside and made anew, one that was given is left
/// as it is, and left out.
pub(super) fn targets(
    place: &ScenarioRun<'_>,
    meshes: &Meshes,
    levels: &[f64],
    findings: &mut RunNotes,
) -> anyhow::Result<Vec<TargetPoses>> {
    let (pair, kind, preset) = (place.pair, place.kind, place.args.preset);
    let scene = ModelPairScene::new(meshes.clone(), kind)?;
    let folder = match &place.args.configurations {
        Some(folder) => folder.clone(),
        None if preset == Preset::Quick => folder_of("quick"),
        None => folder_of("everyday"),
    };
    let stride = if preset == Preset::Quick {
        QUICK_STRIDE
    } else {
        1
    };
    let job = Job {
        pair: pair.name.to_owned(),
        class: pair.class.to_owned(),
        preset: Sampled::Everyday.name().to_owned(),
        kind,
        sampling: Sampled::Everyday.sampling(kind).thinned(stride),
        levels: kind.levels(),
        threads: cores(),
        resume: true,
    };
    let path = job.path(&folder);
    let is_given = place.args.configurations.is_some();
    if !is_given || !path.is_file() {
        let damage = make(&job, &scene, &folder)?.damage;
        findings.failures.extend(damage.map(|reason| Failure {
            subject: path.display().to_string(),
            reason,
            is_ours: false,
        }));
    }
    let is_same =
        |checked: &(ModelPair, Kind, Checked)| checked.0.name == pair.name && checked.1 == kind;
    if findings.checked.iter().any(is_same) {
        // A further pass.
        return read(&path, place, &scene, levels);
    }
    let part = place.args.preset.checked_part(kind);
    match check(&path, &scene, cores(), part, JudgeKind::Ours) {
        Ok(found) => findings.checked.push((*pair, kind, found)),
        Err(error) if is_given => {
            eprintln!("{error:#}");
            findings.failures.push(Failure {
                subject: path.display().to_string(),
                reason: format!("{error:#}; it was left out"),
                is_ours: false,
            });
            findings.files_left_out.insert(path);
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    }
    read(&path, place, &scene, levels)
}

/// Those of these targets that a file has.
fn read(
    path: &Path,
    place: &ScenarioRun<'_>,
    scene: &ModelPairScene,
    levels: &[f64],
) -> anyhow::Result<Vec<TargetPoses>> {
    let preset = place.args.preset;
    let most = place.args.most.unwrap_or(preset.most());
    let mut reader = Reader::open(path)?;
    let header = reader.header.clone();
    let sampling = header.sampling();
    let unit = scene.unit(place.kind);
    let mut targets: Vec<TargetPoses> = levels
        .iter()
        .map(|level| TargetPoses {
            preset: preset.name(),
            pair: place.pair.name,
            class: place.pair.class,
            faces: [scene.meshes.a.face_count(), scene.meshes.b.face_count()],
            kind: place.kind,
            level: *level,
            unit,
            placed: Vec::new(),
        })
        .collect();
    // Evenly over the file, so that every part of it has a share.
    let all = sampling.per_level();
    let mut seen = vec![0_u64; header.levels.len()];
    let mut number = 0;
    while let Some(block) = reader.next_block()? {
        let turn = sampling.orientation(number);
        for c in block.iter().filter(|c| c.way != FoundBy::Unreached) {
            let k = usize::from(c.level);
            let target = targets.iter_mut().find(|t| t.level == header.levels[k]);
            if let Some(target) = target
                && is_taken(seen[k], all, most)
            {
                target.placed.push(TargetPose {
                    pose: scene.placed(&turn, c)?,
                    value: f64::from(c.achieved) * unit,
                });
            }
            seen[k] += 1;
        }
        number += 1;
    }
    targets.retain(|target| !target.placed.is_empty());
    for target in &mut targets {
        let seed = seed(target.pair, target.kind, target.level);
        shuffle(&mut target.placed, seed);
    }
    Ok(targets)
}

/// Whether a number is one of `most` that lie evenly among `0..all`; all of them where there are no more.
fn is_taken(number: u64, all: u64, most: usize) -> bool {
    let before = |number: u64| u128::from(number) * most as u128 / u128::from(all.max(1));
    most as u128 >= u128::from(all) || before(number + 1) > before(number)
}

/// The same for a target in every run.
fn seed(pair: &str, kind: Kind, level: f64) -> u64 {
    let bytes = pair.bytes().chain(kind.name().bytes());
    let bytes = bytes.chain(level.to_bits().to_le_bytes());
    // FNV-1a.
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// A file goes from orientation to orientation. In a shuffled order the first few are a fair sample of all, for engines that are run on no more.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed);
    for k in (1..items.len()).rev() {
        items.swap(k, rng.below(k as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_taken_as_were_asked_for_from_everywhere() {
        for (all, most, expected) in [
            (33, 17, 17),
            (33, 24, 24),
            (8_320, 200, 200),
            (8_320, 1, 1),
            (5, 17, 5),
            (5, usize::MAX, 5),
            (0, 17, 0),
        ] {
            let taken: Vec<u64> = (0..all).filter(|k| is_taken(*k, all, most)).collect();
            assert_eq!(taken.len(), expected, "{most} of {all}");
            let gaps = taken.windows(2).map(|pair| pair[1] - pair[0]);
            let widest = gaps.max().unwrap_or(0);
            assert!(
                widest <= all.div_ceil(most as u64),
                "{most} of {all}: {widest}"
            );
        }
        // What the help promises of a quick run is what its files have.
        for kind in Kind::ALL {
            let sampling = Sampled::Everyday.sampling(kind).thinned(QUICK_STRIDE);
            assert!(sampling.per_level() as usize >= Preset::Quick.most());
            let sampling = Sampled::Everyday.sampling(kind);
            assert!(sampling.per_level() as usize >= Preset::Everyday.most());
        }
    }

    #[test]
    fn a_shuffled_order_is_fair_and_the_same_in_every_run() {
        let order = |pair: &str, level: f64| {
            let mut order: Vec<usize> = (0..200).collect();
            shuffle(&mut order, seed(pair, Kind::Distance, level));
            order
        };
        let one = order("blob", 0.01);
        assert_eq!(one, order("blob", 0.01));
        assert_ne!(one, order("blob", 0.02));
        assert_ne!(one, order("gear", 0.01));
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..200).collect::<Vec<_>>());
        // The first tenth of many targets comes from all parts of their files.
        let mut parts = [0_usize; 4];
        for k in 0..100 {
            for number in &order("blob", f64::from(k))[..20] {
                parts[number / 50] += 1;
            }
        }
        assert!(parts.iter().all(|n| (400..600).contains(n)), "{parts:?}");
    }
}
