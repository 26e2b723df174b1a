//! The pairs of models.

use std::sync::Arc;

use anyhow::{Context, ensure};
use impinge::bvh::wide::WideTree;
use impinge::io::{self, ReadOptions};
use impinge::math::Rng;
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};

use super::pair_list::{LIST_FILE, List, ListedModel, ListedPair, Placements, Set, check_file};
use super::{LEVELS, SEED, SetChoice};
use crate::folders::installed;
use crate::pose_sampling::{LevelPose, SphereMethod};

/// Where a mesh comes from.
#[derive(Clone, Debug)]
enum MeshSource {
    /// A generated model with about this many faces.
    Made(&'static str, usize),
    /// A file of `target/models`, if it is the one that was listed.
    Listed(ListedModel),
}

#[derive(Clone, Debug)]
enum Meshes {
    /// Each scaled and centred by itself, B to a longest side of this.
    Apart(MeshSource, MeshSource, f64),
    /// The two parts of a generated model, as they fit.
    Fitting(&'static str, usize),
}

/// Where B is placed.
#[derive(Clone, Debug)]
enum Places {
    /// As the seed says.
    Found,
    /// As they were listed, line by line.
    Listed(Vec<LevelPose>),
}

/// Two meshes that are measured against each other.
#[derive(Clone, Debug)]
pub(super) struct MeshPair {
    pub(super) name: String,
    pub(super) set: Set,
    pub(super) class: String,
    /// About how many faces each has.
    pub(super) faces: [usize; 2],
    /// Checksum of the path that is walked; none where it is not listed.
    pub(super) path: Option<String>,
    meshes: Meshes,
    places: Places,
}

/// A mesh of so many faces makes its pair a large one.
const LARGE_FACES: usize = 250_000;
/// Pairs of so many faces together are small enough for a quick look.
const QUICK_FACES: usize = 20_000;

/// The pairs of a choice, in the order of the list. Those of files are left out, with a word, when the files are not there.
///
/// # Errors
/// A list that contradicts itself.
pub(super) fn pairs(choice: SetChoice, quick: bool) -> anyhow::Result<Vec<MeshPair>> {
    let mut all = Vec::new();
    let list = List::read()?;
    ensure!(
        list.levels == LEVELS && list.seed == SEED,
        "{LIST_FILE} has another seed or other levels than this program"
    );
    let placements = Placements::read()?;
    for listed in list.pairs.iter().filter(|pair| choice.holds(pair.set)) {
        let poses = placements.of(&list, listed)?;
        all.push(MeshPair::listed(&list, listed, Places::Listed(poses))?);
    }
    if quick {
        all.retain(|pair| pair.faces.iter().sum::<usize>() <= QUICK_FACES);
    }
    if choice.holds(Set::Generated) {
        all.extend(generated(quick));
    }
    all.retain(|pair| {
        let missing = pair.missing();
        if let Some(file) = &missing {
            eprintln!(
                "absent: model {file} of {} (`cargo xtask models` fetches it)",
                pair.name
            );
        }
        missing.is_none()
    });
    Ok(all)
}

/// Pairs made by formulas.
fn generated(quick: bool) -> Vec<MeshPair> {
    use MeshSource::Made;
    let pair = |name: String, class: &str, faces, meshes| MeshPair {
        name,
        set: Set::Generated,
        class: class.to_owned(),
        faces,
        path: None,
        meshes,
        places: Places::Found,
    };
    let apart = |class, a: (&'static str, usize), b: (&'static str, usize)| {
        let (made_a, made_b) = (Made(a.0, a.1), Made(b.0, b.1));
        let name = format!("{}-{}", name_of(&made_a), name_of(&made_b));
        pair(name, class, [a.1, b.1], Meshes::Apart(made_a, made_b, SIZE))
    };
    let fitting = pair(
        "screw-nut".to_owned(),
        "cad",
        [5_000; 2],
        Meshes::Fitting("screw-and-nut", 10_000),
    );
    if quick {
        return vec![
            apart("smooth", ("blob", 5_000), ("blob", 5_000)),
            apart("spiky", ("tetra-flake", 8_000), ("tetra-flake", 8_000)),
            apart("cad", ("gear", 5_000), ("gear", 5_000)),
            fitting,
            apart("sparse", ("lattice", 5_000), ("net", 5_000)),
            apart("mixed", ("castle", 5_000), ("castle", 5_000)),
            apart("knot", ("torus-knot", 10_000), ("torus-knot", 10_000)),
        ];
    }
    vec![
        apart("smooth", ("blob", 20_000), ("blob", 20_000)),
        apart("smooth", ("blob", 82_000), ("blob", 82_000)),
        apart("spiky", ("tetra-flake", 32_000), ("tetra-flake", 32_000)),
        apart("cad", ("gear", 20_000), ("gear", 20_000)),
        fitting,
        apart("sparse", ("lattice", 20_000), ("net", 20_000)),
        apart("sparse", ("pipes", 50_000), ("pipes", 50_000)),
        apart("mixed", ("castle", 20_000), ("castle", 20_000)),
        apart("knot", ("torus-knot", 100_000), ("torus-knot", 100_000)),
        apart("large", ("torus-knot", 1_000_000), ("spring", 100_000)),
    ]
}

/// Finds all listed placements and paths anew from the seed, whatever the repository has.
///
/// # Errors
/// A model that is not there or not the listed one.
pub(super) fn place(
    path_of: impl Fn(&MeshPair) -> anyhow::Result<String>,
) -> anyhow::Result<(List, Placements)> {
    let mut list = List::read()?;
    let mut placements = Placements::default();
    let whole = list.clone();
    for listed in &mut list.pairs {
        let pair = MeshPair::listed(&whole, listed, Places::Found)?;
        eprintln!("{}", pair.name);
        let (a, b) = pair.load()?;
        let [tree_a, tree_b] = [a, b].map(|mesh| WideTree::new(Arc::new(mesh)));
        let poses =
            SphereMethod::new(&tree_a, &tree_b).poses(&whole.levels, whole.lines, whole.seed)?;
        listed.placements = placements.put(&pair.name, &poses);
        listed.path = if pair.is_large() {
            String::new()
        } else {
            path_of(&pair)?
        };
    }
    Ok((list, placements))
}

fn name_of(source: &MeshSource) -> String {
    match source {
        MeshSource::Listed(model) => model.name.clone(),
        MeshSource::Made(name, faces) if *faces >= 1_000_000 => {
            format!("{name}{}m", faces / 1_000_000)
        }
        MeshSource::Made(name, faces) => format!("{name}{}k", faces / 1_000),
    }
}

impl MeshPair {
    fn listed(list: &List, listed: &ListedPair, places: Places) -> anyhow::Result<Self> {
        let [a, b] = [list.model(&listed.a)?, list.model(&listed.b)?];
        Ok(Self {
            name: listed.name(),
            set: listed.set,
            class: listed.class.clone(),
            faces: [a.faces, b.faces],
            path: Some(listed.path.clone()),
            meshes: Meshes::Apart(
                MeshSource::Listed(a.clone()),
                MeshSource::Listed(b.clone()),
                listed.size_b,
            ),
            places,
        })
    }

    /// Whether one of the meshes is large.
    pub(super) fn is_large(&self) -> bool {
        self.faces.iter().any(|faces| *faces >= LARGE_FACES)
    }

    fn missing(&self) -> Option<String> {
        let Meshes::Apart(a, b, _) = &self.meshes else {
            return None;
        };
        [a, b].into_iter().find_map(|source| {
            let is_absent = match source {
                MeshSource::Made(..) => false,
                MeshSource::Listed(model) => file(&model.name).is_none(),
            };
            is_absent.then(|| name_of(source))
        })
    }

    /// Both meshes around the origin, with longest sides of 2 unless B is a small one.
    pub(super) fn load(&self) -> anyhow::Result<(TriMesh, TriMesh)> {
        match &self.meshes {
            Meshes::Apart(a, b, size_b) => {
                let load = |source: &MeshSource, size: f64| {
                    let mesh = source.load()?;
                    let frame = UnitFrame::of(&mesh, size);
                    frame.apply(mesh)
                };
                Ok((load(a, SIZE)?, load(b, *size_b)?))
            }
            Meshes::Fitting(model, faces) => {
                let kind = generate::model(model).with_context(|| format!("no model {model}"))?;
                let mut parts = kind.parts(Some(*faces), SHAPE_SEED)?.into_iter();
                let (Some(a), Some(b)) = (parts.next(), parts.next()) else {
                    anyhow::bail!("{model} has no two parts");
                };
                let frame = UnitFrame::of(&a.mesh, SIZE);
                Ok((frame.apply(a.mesh)?, frame.apply(b.mesh)?))
            }
        }
    }

    /// Where B is placed, line by line with a pose for each level; `sphere` finds what is not listed.
    ///
    /// # Errors
    /// Fewer lines are listed than wanted.
    pub(super) fn poses(
        &self,
        mut sphere: SphereMethod<'_>,
        lines: usize,
    ) -> anyhow::Result<Vec<LevelPose>> {
        match &self.places {
            Places::Found => sphere.poses(&LEVELS, lines, SEED),
            Places::Listed(poses) => {
                let wanted = poses.get(..lines * LEVELS.len());
                let wanted = wanted
                    .with_context(|| format!("{} has no {lines} lines of placements", self.name))?;
                Ok(wanted.to_vec())
            }
        }
    }

    /// Poses in which fitting parts engage, shifted a little: the sphere method finds none of them.
    pub(super) fn engaged_poses(
        &self,
        diagonal: f64,
        count: usize,
        seed: u64,
    ) -> anyhow::Result<Vec<LevelPose>> {
        if !matches!(self.meshes, Meshes::Fitting(..)) {
            return Ok(Vec::new());
        }
        let mut rng = Rng::new(seed);
        let pose = |k: usize| {
            let shift = if k == 0 {
                DVec3::ZERO
            } else {
                rng.direction() * rng.range(0.0, 2e-3 * diagonal)
            };
            let pose = Pose::new(DMat3::IDENTITY, shift)?;
            Ok(LevelPose { level: 0.0, pose })
        };
        (0..count).map(pose).collect()
    }
}

/// The longest side of a mesh.
const SIZE: f64 = 2.0;
/// Of generated models that are random.
const SHAPE_SEED: u64 = 1;

impl MeshSource {
    fn load(&self) -> anyhow::Result<TriMesh> {
        match self {
            Self::Made(name, faces) => {
                let kind = generate::model(name).with_context(|| format!("no model {name}"))?;
                Ok(kind.make(Some(*faces), SHAPE_SEED)?)
            }
            Self::Listed(model) => {
                let path = file(&model.name).with_context(|| format!("no file {}", model.name))?;
                check_file(model, &path)?;
                read(&model.name)
            }
        }
    }
}

fn read(name: &str) -> anyhow::Result<TriMesh> {
    let path = file(name).with_context(|| format!("no file {name}"))?;
    Ok(io::read(&path, &ReadOptions::default())?.merged().0)
}

/// A fetched model, brought to a longest side of 2; none when it is not there.
pub(crate) fn fetched(name: &str) -> anyhow::Result<Option<TriMesh>> {
    if file(name).is_none() {
        return Ok(None);
    }
    let mesh = read(name)?;
    let frame = UnitFrame::of(&mesh, SIZE);
    Ok(Some(frame.apply(mesh)?))
}

/// The file of a fetched model, by its name without extension.
fn file(name: &str) -> Option<std::path::PathBuf> {
    #[derive(serde::Deserialize)]
    struct Entry {
        name: String,
        file: String,
    }
    let folder = installed().join("models");
    let index = std::fs::read_to_string(folder.join("index.json")).ok()?;
    let entries: Vec<Entry> = serde_json::from_str(&index).ok()?;
    let entry = entries.into_iter().find(|entry| entry.name == name)?;
    Some(folder.join(entry.file))
}

/// What brings a mesh to a longest side around the origin.
struct UnitFrame {
    center: DVec3,
    scale: f64,
}

impl UnitFrame {
    fn of(mesh: &TriMesh, size: f64) -> Self {
        let bounds = mesh.bounds();
        let side = bounds.diagonal().max_element();
        Self {
            center: bounds.center(),
            scale: if side > 0.0 { size / side } else { 1.0 },
        }
    }

    fn apply(&self, mesh: TriMesh) -> anyhow::Result<TriMesh> {
        let (mut positions, faces) = mesh.into_parts();
        for p in &mut positions {
            *p = (*p - self.center) * self.scale;
        }
        Ok(TriMesh::new(positions, faces)?)
    }
}
