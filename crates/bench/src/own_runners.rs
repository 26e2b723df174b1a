//! Our own engines as runners: they are started, fed and timed exactly as the peers are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use impinge::average_case::{AverageConfig, AverageOptions, AverageQuery, AverageTree};
use impinge::bvh::MeshIndex;
use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::bvh::wide::{WideCache, WideConfig, WideTree};
use impinge::ccd::{ImpactCache, ImpactOptions, impact};
use impinge::math::Motion as RigidMotion;
use impinge::query::{Count, FacePair, First, Limits, Separation};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::engines::{MESH_ENGINES, mesh_engine};

use crate::serve::{self, Engine, Mesh, Motion, Pairs, Placement};

mod filled;

pub(crate) use filled::{Fill, ball_tree};

/// The boundary integral, which returns the shared volume of solids and its slope, and nothing else.
pub(crate) const EXACT: &str = "exact-volume";

/// The engine that `impinge` alone stands for.
pub(crate) const DEFAULT: &str = WideTree::NAME;
/// The builder of boxes that is quickest: it answers no question, only its build is measured.
pub(crate) const FAST_BUILD: &str = "fast-build";

/// Engines that tell whether meshes probably meet, with the number of likely pairs that is enough.
const LIKELY: [(&str, u32); 2] = [("average", 10), ("average-k5", 5)];

/// The names of all engines but those for solids alone: [`EXACT`], and what fills them, whose names say how finely ([`Fill`]).
pub(crate) fn names() -> Vec<&'static str> {
    let engines = MESH_ENGINES.iter().map(|engine| engine.name());
    let likely = LIKELY.iter().map(|(name, _)| *name);
    engines.chain(likely).chain([FAST_BUILD]).collect()
}

pub(crate) fn is_engine(name: &str) -> bool {
    name == EXACT || names().contains(&name) || Fill::from_name(name).is_some()
}

/// Answer lines as one of our engines (see engines/PROTOCOL.md)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The engine's name, without `impinge:`
    engine: String,
    /// The mesh files
    a: PathBuf,
    b: PathBuf,
}

/// Serves until the input ends.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let meshes = [read(&args.a)?, read(&args.b)?];
    match Fill::from_name(&args.engine) {
        Some(Fill::Balls(count)) => {
            let mut balls = filled::InnerSphereEngine::new(&args.engine, count, meshes);
            return Ok(serve::serve(&mut balls));
        }
        Some(Fill::Voxels(resolution)) => {
            let mut voxels = filled::VoxmapEngine::new(&args.engine, resolution, meshes);
            return Ok(serve::serve(&mut voxels));
        }
        None => {}
    }
    Ok(match args.engine.as_str() {
        DEFAULT => serve::serve(&mut WideEngine::new(meshes)),
        EXACT => serve::serve(&mut filled::ExactVolumeEngine::new(meshes)),
        FAST_BUILD => serve::serve(&mut FastBuildEngine {
            meshes,
            built: None,
        }),
        name if LIKELY.iter().any(|(likely, _)| *likely == name) => {
            serve::serve(&mut ProbabilisticEngine::new(name, meshes))
        }
        name => {
            let engine =
                mesh_engine(name).with_context(|| format!("no engine is called {name}"))?;
            serve::serve(&mut ListedEngine {
                engine,
                meshes,
                pair: None,
            })
        }
    })
}

fn read(path: &Path) -> anyhow::Result<Arc<TriMesh>> {
    let mesh = Mesh::read(path)?;
    let positions = mesh.positions.into_iter().map(DVec3::from).collect();
    Ok(Arc::new(TriMesh::new(positions, mesh.faces)?))
}

/// Writes a mesh as runners read it.
pub(crate) fn write(path: &Path, mesh: &TriMesh) -> anyhow::Result<()> {
    let mut bytes = Vec::with_capacity(16 + 24 * mesh.vertex_count() + 12 * mesh.face_count());
    bytes.extend((mesh.vertex_count() as u64).to_le_bytes());
    bytes.extend((mesh.face_count() as u64).to_le_bytes());
    for p in mesh.positions() {
        bytes.extend(p.to_array().into_iter().flat_map(f64::to_le_bytes));
    }
    for f in mesh.faces() {
        bytes.extend(f.iter().flat_map(|i| i.to_le_bytes()));
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn pose(place: &Placement) -> Option<Pose> {
    let [x, y, z] = place.rows;
    let mut rows = [0.0; 16];
    rows[0..4].copy_from_slice(&x);
    rows[4..8].copy_from_slice(&y);
    rows[8..12].copy_from_slice(&z);
    rows[15] = 1.0;
    Pose::from_row_major(&rows).ok()
}

fn hello(name: &str, precision: &str) -> String {
    format!("{name} {} {precision}", env!("CARGO_PKG_VERSION"))
}

fn yes(answer: bool) -> f64 {
    f64::from(u8::from(answer))
}

fn far(found: Option<Separation>) -> f64 {
    found.map_or(f64::INFINITY, |s| s.distance)
}

fn pairs_of(found: &[FacePair]) -> Pairs {
    found.iter().map(|p| (p.a.raw(), p.b.raw())).collect()
}

/// Any engine of the library's list.
struct ListedEngine {
    engine: MeshEngine,
    meshes: [Arc<TriMesh>; 2],
    pair: Option<Box<dyn PreparedPair>>,
}

impl Engine for ListedEngine {
    fn hello(&self) -> String {
        let precision = if self.engine.is_exact() {
            "f64"
        } else {
            "approximate"
        };
        hello(self.engine.name(), precision)
    }
    fn build_a(&mut self) {
        let [a, b] = self.meshes.clone();
        self.pair = Some(self.engine.prepare(a, b));
    }
    fn build_b(&mut self) {
        // Both were built together.
    }
    fn forget(&mut self, question: &str) {
        if let Some(pair) = self.pair.as_mut().filter(|_| question != "warm") {
            pair.forget();
        }
    }
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let (pair, pose) = (self.pair.as_mut()?, pose(place)?);
        let limits = Limits::default();
        match question {
            "intersects" => {
                let mut first = First::default();
                let _ = pair.intersections(&pose, limits, &mut first);
                Some(yes(first.0.is_some()))
            }
            "pairs" => {
                let mut count = Count::default();
                let _ = pair.intersections(&pose, limits, &mut count);
                Some(count.0 as f64)
            }
            "distance" | "warm" => Some(far(pair.distance(&pose, limits)?.value)),
            "tolerance" => {
                let limits = Limits {
                    max_distance: Some(parameter),
                    ..limits
                };
                Some(yes(pair.distance(&pose, limits)?.value.is_some()))
            }
            _ => None,
        }
    }
    fn pairs(&mut self, place: &Placement) -> Option<Pairs> {
        let mut found: Vec<FacePair> = Vec::new();
        let limits = Limits::default();
        let _ = self
            .pair
            .as_mut()?
            .intersections(&pose(place)?, limits, &mut found);
        Some(pairs_of(&found))
    }
}

/// The default engine with all of its questions.
struct WideEngine {
    meshes: [Arc<TriMesh>; 2],
    built: [Option<WideTree>; 2],
    cache: WideCache,
    moving: ImpactCache,
}

impl WideEngine {
    fn new(meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            meshes,
            built: [None, None],
            cache: WideCache::default(),
            moving: ImpactCache::default(),
        }
    }
}

impl Engine for WideEngine {
    fn hello(&self) -> String {
        hello(DEFAULT, "f64")
    }
    fn build_a(&mut self) {
        self.built[0] = Some(WideTree::new(self.meshes[0].clone()));
    }
    fn build_b(&mut self) {
        self.built[1] = Some(WideTree::new(self.meshes[1].clone()));
    }
    fn bytes(&self) -> usize {
        self.built[0].as_ref().map_or(0, WideTree::bytes)
    }
    fn quality(&self) -> Option<f64> {
        Some(self.built[0].as_ref()?.quality().sah_cost)
    }
    fn forget(&mut self, question: &str) {
        // Poses are independent: nothing of the last answer may help.
        if question != "warm" {
            self.cache.forget();
        }
    }
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let pose = pose(place)?;
        let cache = &mut self.cache;
        match question {
            "intersects" => Some(yes(a.intersects(b, &pose, cache))),
            "pairs" => {
                let mut count = Count::default();
                let _ = a.intersections(b, &pose, Limits::default(), cache, &mut count);
                Some(count.0 as f64)
            }
            "distance" | "warm" => Some(far(a.distance(b, &pose, Limits::default(), cache).value)),
            "tolerance" => Some(yes(a.is_within(b, &pose, parameter, cache))),
            _ => None,
        }
    }
    fn impact(&mut self, place: &Placement, motion: &Motion) -> Option<f64> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let start = pose(place)?;
        // What moves is told by a point of B; the motion wants it in B's own frame.
        let center = start.inverse().transform_point(DVec3::from(motion.center));
        let moving =
            RigidMotion::from_velocity(&start, motion.velocity, motion.turn, center).ok()?;
        let still = RigidMotion::still(&Pose::IDENTITY);
        let found = impact(
            a,
            b,
            &still,
            &moving,
            &ImpactOptions::default(),
            Limits::default(),
            &mut self.moving,
        );
        Some(match found.value {
            Some(hit) => hit.time,
            None if found.lower >= 1.0 => f64::INFINITY,
            // Too near to be told from contact: nobody may move beyond this.
            None => found.lower,
        })
    }
    fn pairs(&mut self, place: &Placement) -> Option<Pairs> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let mut found: Vec<FacePair> = Vec::new();
        self.cache.forget();
        let limits = Limits::default();
        let _ = a.intersections(b, &pose(place)?, limits, &mut self.cache, &mut found);
        Some(pairs_of(&found))
    }
}

/// Trees that know how full their boxes are: they may be wrong, and say so beforehand.
struct ProbabilisticEngine {
    name: String,
    options: AverageOptions,
    meshes: [Arc<TriMesh>; 2],
    built: [Option<Arc<AverageTree>>; 2],
    query: Option<AverageQuery>,
}

impl ProbabilisticEngine {
    fn new(name: &str, meshes: [Arc<TriMesh>; 2]) -> Self {
        let usual = AverageOptions::default();
        let known = LIKELY.iter().find(|(likely, _)| *likely == name);
        Self {
            name: name.to_owned(),
            options: AverageOptions {
                k_min: known.map_or(usual.k_min, |(_, k_min)| *k_min),
                ..usual
            },
            meshes,
            built: [None, None],
            query: None,
        }
    }

    fn build(&mut self, side: usize) {
        let tree = AverageTree::new(&self.meshes[side], &AverageConfig::default());
        self.built[side] = Some(Arc::new(tree));
        if let [Some(a), Some(b)] = &self.built {
            self.query = AverageQuery::new(a.clone(), b.clone(), self.options.clone()).ok();
        }
    }
}

impl Engine for ProbabilisticEngine {
    fn hello(&self) -> String {
        hello(&self.name, "approximate")
    }
    fn build_a(&mut self) {
        self.build(0);
    }
    fn build_b(&mut self) {
        self.build(1);
    }
    fn bytes(&self) -> usize {
        let bytes = |tree: &Arc<AverageTree>| tree.bytes_per_node() * tree.len() as f64;
        self.built[0]
            .as_ref()
            .map_or(0, |tree| bytes(tree) as usize)
    }
    fn ask(&mut self, question: &str, _: f64, place: &Placement) -> Option<f64> {
        let query = self.query.as_mut().filter(|_| question == "intersects")?;
        let found = query.at(&pose(place)?, Limits::default());
        Some(yes(found.verdict.answer))
    }
}

/// A tree of boxes along the axes, built as soon as we can.
struct FastBuildEngine {
    meshes: [Arc<TriMesh>; 2],
    built: Option<WideTree>,
}

impl Engine for FastBuildEngine {
    fn hello(&self) -> String {
        hello(FAST_BUILD, "f64")
    }
    fn build_a(&mut self) {
        self.built = Some(WideTree::build(self.meshes[0].clone(), &WideConfig::fast()));
    }
    fn build_b(&mut self) {
        // Only the build of A is looked at.
    }
    fn bytes(&self) -> usize {
        self.built.as_ref().map_or(0, WideTree::bytes)
    }
    fn quality(&self) -> Option<f64> {
        Some(self.built.as_ref()?.quality().sah_cost)
    }
}
