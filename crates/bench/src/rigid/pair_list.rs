//! Which pairs judge, which tune, and where their second mesh is placed.
//!
//! All of it is data in the repository: `rigid-pairs.json` names the models with the checksum of their files, and
//! `rigid-placements.csv` holds every placement. A model judges if the last bit of its file's SHA-256 is 1 and tunes if it is 0;
//! a pair judges only if both models do. A run that finds anything else than what is listed is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use impinge::Pose;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::pose_sampling::LevelPose;

/// The files, from the folder of this package.
pub(super) const LIST_FILE: &str = "rigid-pairs.json";
pub(super) const PLACEMENTS_FILE: &str = "rigid-placements.csv";
const LIST: &str = include_str!("../../rigid-pairs.json");
const PLACEMENTS: &str = include_str!("../../rigid-placements.csv");
const HEADER: &str = "pair,level,r00,r01,r02,t0,r10,r11,r12,t1,r20,r21,r22,t2";

/// What a pair is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Set {
    /// Enters the bars, and nothing is tuned on it.
    Judging,
    /// May be looked at while tuning; enters no bar.
    Tuning,
    /// Made by formulas; enters no bar.
    Generated,
}

impl Set {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Judging => "judging",
            Self::Tuning => "tuning",
            Self::Generated => "generated",
        }
    }

    /// What a file with this SHA-256 is for.
    fn of_checksum(sha256: &str) -> Option<Self> {
        let last = sha256.chars().last()?.to_digit(16)?;
        Some(if last % 2 == 1 {
            Self::Judging
        } else {
            Self::Tuning
        })
    }
}

/// A model of `target/models`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedModel {
    pub(super) name: String,
    pub(super) faces: usize,
    pub(super) sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedPair {
    pub(super) set: Set,
    pub(super) class: String,
    pub(super) a: String,
    pub(super) b: String,
    /// The longest side of B; that of A is 2.
    pub(super) size_b: f64,
    /// Checksum of its lines of placements.
    pub(super) placements: String,
    /// Checksum of the path that B walks around A; empty where none is walked.
    pub(super) path: String,
}

impl ListedPair {
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.a, self.b)
    }
}

/// Everything that is fixed before a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) seed: u64,
    /// Random lines per pair, with a pose per level on each.
    pub(super) lines: usize,
    pub(super) levels: Vec<f64>,
    pub(super) models: Vec<ListedModel>,
    pub(super) pairs: Vec<ListedPair>,
}

impl List {
    /// The list of the repository.
    pub(super) fn read() -> anyhow::Result<Self> {
        let list: Self =
            serde_json::from_str(LIST).with_context(|| format!("{LIST_FILE} makes no sense"))?;
        list.check_sets()?;
        Ok(list)
    }

    pub(super) fn model(&self, name: &str) -> anyhow::Result<&ListedModel> {
        let model = self.models.iter().find(|model| model.name == name);
        model.with_context(|| format!("{LIST_FILE} has no model {name}"))
    }

    /// Every pair is in the set that the checksums of its models put it in.
    fn check_sets(&self) -> anyhow::Result<()> {
        for pair in &self.pairs {
            for name in [&pair.a, &pair.b] {
                let model = self.model(name)?;
                ensure!(
                    Set::of_checksum(&model.sha256) == Some(pair.set),
                    "{LIST_FILE}: {} cannot be a {} pair: the SHA-256 of {name} ends in {}",
                    pair.name(),
                    pair.set.name(),
                    &model.sha256[model.sha256.len().saturating_sub(1)..],
                );
            }
        }
        Ok(())
    }

    /// As the file has it: a line for each model and each pair.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let lines = |entries: Vec<String>| format!("[\n    {}\n  ]", entries.join(",\n    "));
        let models: Result<Vec<_>, _> = self.models.iter().map(serde_json::to_string).collect();
        let pairs: Result<Vec<_>, _> = self.pairs.iter().map(serde_json::to_string).collect();
        Ok(format!(
            "{{\n  \"seed\": {},\n  \"lines\": {},\n  \"levels\": {},\n  \"models\": {},\n  \"pairs\": {}\n}}\n",
            self.seed,
            self.lines,
            serde_json::to_string(&self.levels)?,
            lines(models?),
            lines(pairs?),
        ))
    }
}

/// The placements of all pairs, as lines of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Placements(BTreeMap<String, Vec<String>>);

impl Placements {
    /// Those of the repository.
    pub(super) fn read() -> anyhow::Result<Self> {
        Self::parse(PLACEMENTS)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut lines = text.lines();
        ensure!(
            lines.next() == Some(HEADER),
            "{PLACEMENTS_FILE} does not begin with its header"
        );
        let mut found = Self::default();
        for line in lines {
            let pair = line.split(',').next().unwrap_or_default();
            found
                .0
                .entry(pair.to_owned())
                .or_default()
                .push(line.to_owned());
        }
        Ok(found)
    }

    /// Whether both are the same but for rounding: numbers differ by 1e-12 at most, meshes having a length of 2.
    pub(super) fn agree_with(&self, other: &Self) -> bool {
        let field = |(a, b): (&str, &str)| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 1e-12,
            _ => a == b,
        };
        let line = |(a, b): (&String, &String)| {
            a.split(',').count() == b.split(',').count()
                && a.split(',').zip(b.split(',')).all(field)
        };
        self.0.keys().eq(other.0.keys())
            && self
                .0
                .values()
                .zip(other.0.values())
                .all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(line))
    }

    /// Remembers the placements of a pair; the result is their checksum.
    pub(super) fn put(&mut self, pair: &str, poses: &[LevelPose]) -> String {
        let lines: Vec<String> = poses.iter().map(|pose| line(pair, pose)).collect();
        let checksum = checksum_of(&lines);
        self.0.insert(pair.to_owned(), lines);
        checksum
    }

    /// The placements of a listed pair.
    ///
    /// # Errors
    /// Other placements than those that were listed.
    pub(super) fn of(&self, list: &List, pair: &ListedPair) -> anyhow::Result<Vec<LevelPose>> {
        let name = pair.name();
        let lines = self.0.get(&name).map_or(&[][..], Vec::as_slice);
        let wanted = list.lines * list.levels.len();
        ensure!(
            lines.len() == wanted,
            "{PLACEMENTS_FILE} has {} placements of {name}, and {LIST_FILE} asks for {wanted}",
            lines.len()
        );
        let found = checksum_of(lines);
        ensure!(
            found == pair.placements,
            "the placements of {name} in {PLACEMENTS_FILE} are not those that {LIST_FILE} lists: \
             checksum {found} found, {} listed",
            pair.placements
        );
        lines.iter().map(|line| parse_line(line)).collect()
    }

    /// As the file has it, pairs in the order of the list.
    pub(super) fn text(&self, list: &List) -> String {
        let mut text = format!("{HEADER}\n");
        for pair in &list.pairs {
            for line in self.0.get(&pair.name()).into_iter().flatten() {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

fn line(pair: &str, placed: &LevelPose) -> String {
    let mut line = format!("{pair},{}", placed.level);
    for x in &placed.pose.to_row_major()[..12] {
        // The shortest text that reads back to the same bits. Writing to a string cannot fail.
        let _ = write!(line, ",{x:?}");
    }
    line
}

fn parse_line(line: &str) -> anyhow::Result<LevelPose> {
    let numbers: Result<Vec<f64>, _> = line.split(',').skip(1).map(str::parse).collect();
    let numbers = numbers.with_context(|| format!("`{line}` is no placement"))?;
    let [level, rows @ ..] = numbers.as_slice() else {
        bail!("`{line}` is no placement");
    };
    let mut matrix = [0.0; 16];
    ensure!(
        rows.len() == 12,
        "`{line}` has not 12 numbers after its level"
    );
    matrix[..12].copy_from_slice(rows);
    matrix[15] = 1.0;
    let pose =
        Pose::from_row_major(&matrix).with_context(|| format!("`{line}` is no placement"))?;
    Ok(LevelPose {
        level: *level,
        pose,
    })
}

fn checksum_of(lines: &[String]) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
        hash.update("\n");
    }
    hexadecimal(&hash.finalize())
}

/// Checksum of a path, bit by bit.
pub(super) fn path_checksum(poses: &[Pose]) -> String {
    let mut hash = Sha256::new();
    for pose in poses {
        for x in &pose.to_row_major()[..12] {
            hash.update(x.to_le_bytes());
        }
    }
    hexadecimal(&hash.finalize())
}

/// Fails unless the file is the one that was listed.
pub(super) fn check_file(model: &ListedModel, file: &Path) -> anyhow::Result<()> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let found = hexadecimal(&Sha256::digest(&bytes));
    ensure!(
        found == model.sha256,
        "{} is not the file that {LIST_FILE} lists as {}: SHA-256 {found} found, {} listed; \
         `cargo xtask models` fetches it anew",
        file.display(),
        model.name,
        model.sha256
    );
    Ok(())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid::{LEVELS, SEED};
    use impinge::{DMat3, DVec3};

    fn listed() -> (List, Placements) {
        (List::read().unwrap(), Placements::read().unwrap())
    }

    fn faces_of(list: &List, pair: &ListedPair) -> [usize; 2] {
        [&pair.a, &pair.b].map(|name| list.model(name).unwrap().faces)
    }

    #[test]
    fn judging_pairs_are_many_and_of_all_sizes_and_kinds() {
        let (list, placements) = listed();
        assert_eq!((list.seed, list.levels.as_slice()), (SEED, &LEVELS[..]));
        let of = |set: Set| list.pairs.iter().filter(move |pair| pair.set == set);
        assert!(of(Set::Judging).count() >= 20 && of(Set::Tuning).count() >= 8);
        let judging: Vec<[usize; 2]> = of(Set::Judging).map(|p| faces_of(&list, p)).collect();
        let is_small = |faces: &[usize; 2]| faces.iter().all(|n| (1_000..2_000).contains(n));
        assert!(judging.iter().any(is_small));
        assert!(judging.iter().flatten().all(|faces| *faces >= 1_000));
        let mut large: Vec<&str> = of(Set::Judging)
            .flat_map(|pair| [pair.a.as_str(), pair.b.as_str()])
            .filter(|name| list.model(name).unwrap().faces >= 250_000)
            .collect();
        large.sort_unstable();
        large.dedup();
        assert!(large.len() >= 2, "{large:?}");
        for class in ["scan", "cad", "sparse", "large", "large-small"] {
            for set in [Set::Judging, Set::Tuning] {
                assert!(of(set).any(|pair| pair.class == class), "{class}");
            }
        }
        let mut names: Vec<String> = list.pairs.iter().map(ListedPair::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), list.pairs.len());
        for pair in &list.pairs {
            let poses = placements.of(&list, pair).unwrap();
            let levels = poses.iter().map(|pose| pose.level);
            assert!(levels.eq(list.levels.iter().copied().cycle().take(poses.len())));
            let is_large = faces_of(&list, pair).iter().any(|n| *n >= 250_000);
            assert_eq!(pair.path.is_empty(), is_large, "{}", pair.name());
        }
        assert_eq!(list.text().unwrap(), LIST);
        assert_eq!(placements.text(&list), PLACEMENTS);
    }

    /// The catalogue of models is in another program; both must say the same.
    #[test]
    fn listed_models_are_those_of_the_catalogue() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xtask/src");
        let files = ["catalogue.rs", "wheel_models.rs"];
        let texts = files.map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
        let catalogue = texts.concat();
        for model in &listed().0.models {
            let (_, entry) = catalogue
                .split_once(&format!("name: \"{}\",", model.name))
                .unwrap();
            let value = |key: &str| {
                let (_, rest) = entry.split_once(&format!("{key}: ")).unwrap();
                rest.split_once(",\n").unwrap().0
            };
            assert_eq!(value("sha256"), format!("\"{}\"", model.sha256));
            assert_eq!(value("faces").replace('_', ""), model.faces.to_string());
        }
    }

    #[test]
    fn a_pair_in_the_wrong_set_is_refused() {
        let mut list = listed().0;
        list.pairs[0].set = Set::Tuning;
        let error = list.check_sets().unwrap_err().to_string();
        assert!(error.contains("cannot be a tuning pair"), "{error}");
        let even = list.pairs.pop().unwrap();
        list.pairs = vec![ListedPair {
            set: Set::Judging,
            b: even.b,
            ..list.pairs[1].clone()
        }];
        assert!(list.check_sets().is_err());
    }

    #[test]
    fn other_placements_than_the_listed_ones_are_refused() {
        let (list, placements) = listed();
        let pair = &list.pairs[0];
        let lines = placements.0[&pair.name()].clone();
        let refused = |lines: Vec<String>, word: &str| {
            let changed = Placements([(pair.name(), lines)].into());
            let error = changed.of(&list, pair).unwrap_err().to_string();
            assert!(
                error.contains(word) && error.contains(&pair.name()),
                "{error}"
            );
        };
        refused(lines[1..].to_vec(), "71 placements");
        let mut moved = lines.clone();
        moved.swap(0, 1);
        refused(moved, "checksum");
    }

    #[test]
    fn a_model_of_other_bytes_is_refused() {
        let file = std::env::temp_dir().join(format!("impinge-listed-{}", std::process::id()));
        std::fs::write(&file, "no model").unwrap();
        let model = &listed().0.models[0];
        let error = check_file(model, &file).unwrap_err().to_string();
        let own = ListedModel {
            sha256: hexadecimal(&Sha256::digest(b"no model")),
            ..model.clone()
        };
        assert!(check_file(&own, &file).is_ok());
        std::fs::remove_file(&file).unwrap();
        assert!(
            error.contains(&model.name) && error.contains("SHA-256"),
            "{error}"
        );
    }

    #[test]
    fn placements_read_back_to_the_same_bits() {
        let turn = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.1);
        let pose = Pose::nearest(turn, DVec3::new(0.1, -1e-17, 1.0 / 3.0)).unwrap();
        let placed = LevelPose { level: 0.01, pose };
        let read = parse_line(&line("a-b", &placed)).unwrap();
        let bits = |pose: &Pose| pose.to_row_major().map(f64::to_bits);
        assert_eq!((read.level, bits(&read.pose)), (0.01, bits(&pose)));
        for bad in [
            "a-b",
            "a-b,0.1",
            "a-b,0.1,x",
            "a-b,0.1,1,0,0,0,0,1,0,0,0,0,9,0",
        ] {
            assert!(parse_line(bad).is_err(), "{bad}");
        }
    }
}
