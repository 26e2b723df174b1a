//! Our own engines as runners: they are started, fed and timed exactly as the peers are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::query::{Count, FacePair, First, Limits};
use impinge::{DVec3, Pose, TriMesh};

use crate::serve::{self, Engine, Mesh, Motion, Pairs, Placement};

/// The engine that `impinge` alone stands for.
pub(crate) const DEFAULT: &str = WideTree::NAME;

type Make = fn([Arc<TriMesh>; 2]) -> Box<dyn Engine>;

/// One line per engine.
const ENGINES: &[(&str, Make)] = &[
    (WideTree::NAME, |meshes| Box::new(Wide::new(meshes))),
    (FaceSweep::NAME, |meshes| {
        Box::new(Indexed::<FaceSweep>::new(meshes))
    }),
];

/// The names of all engines.
pub(crate) fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|(name, _)| *name).collect()
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
    let (_, make) = ENGINES
        .iter()
        .find(|(name, _)| *name == args.engine)
        .with_context(|| format!("no engine is called {}", args.engine))?;
    let mut engine = make([read(&args.a)?, read(&args.b)?]);
    Ok(serve::serve(engine.as_mut()))
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

fn hello(name: &str) -> String {
    format!("{name} {} f64", env!("CARGO_PKG_VERSION"))
}

fn yes(answer: bool) -> f64 {
    f64::from(u8::from(answer))
}

fn pairs_of(found: &[FacePair]) -> Pairs {
    found.iter().map(|p| (p.a.raw(), p.b.raw())).collect()
}

/// Any index, through the trait: intersections alone.
struct Indexed<I: MeshIndex> {
    meshes: [Arc<TriMesh>; 2],
    built: [Option<I>; 2],
    cache: I::Cache,
}

impl<I: MeshIndex> Indexed<I> {
    fn new(meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            meshes,
            built: [None, None],
            cache: I::Cache::default(),
        }
    }
}

impl<I: MeshIndex> Engine for Indexed<I> {
    fn hello(&self) -> String {
        hello(I::NAME)
    }
    fn build_a(&mut self) {
        self.built[0] = Some(I::build(self.meshes[0].clone(), &I::Config::default()));
    }
    fn build_b(&mut self) {
        self.built[1] = Some(I::build(self.meshes[1].clone(), &I::Config::default()));
    }
    fn ask(&mut self, question: &str, _parameter: f64, place: &Placement) -> Option<f64> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let pose = pose(place)?;
        match question {
            "intersects" => {
                let mut first = First::default();
                let _ = a.intersections(b, &pose, Limits::default(), &mut self.cache, &mut first);
                Some(yes(first.0.is_some()))
            }
            "pairs" => {
                let mut count = Count::default();
                let _ = a.intersections(b, &pose, Limits::default(), &mut self.cache, &mut count);
                Some(count.0 as f64)
            }
            _ => None,
        }
    }
    fn impact(&mut self, _: &Placement, _: &Motion) -> Option<f64> {
        None
    }
    fn pairs(&mut self, place: &Placement) -> Option<Pairs> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let mut found: Vec<FacePair> = Vec::new();
        let limits = Limits::default();
        let _ = a.intersections(b, &pose(place)?, limits, &mut self.cache, &mut found);
        Some(pairs_of(&found))
    }
}

/// The default engine with all of its questions.
struct Wide {
    meshes: [Arc<TriMesh>; 2],
    built: [Option<WideTree>; 2],
    cache: WideCache,
    /// Not shared with the other questions, which start from nothing each time.
    path: WideCache,
}

impl Wide {
    fn new(meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            meshes,
            built: [None, None],
            cache: WideCache::default(),
            path: WideCache::default(),
        }
    }
}

impl Engine for Wide {
    fn hello(&self) -> String {
        hello(WideTree::NAME)
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
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let pose = pose(place)?;
        let cache = &mut self.cache;
        // Poses are independent: nothing of the last answer may help.
        cache.forget();
        let distance = |cache| {
            let found = a.distance(b, &pose, Limits::default(), cache);
            Some(found.value.map_or(f64::INFINITY, |s| s.distance))
        };
        match question {
            "intersects" => Some(yes(a.intersects(b, &pose, cache))),
            "pairs" => {
                let mut count = Count::default();
                let _ = a.intersections(b, &pose, Limits::default(), cache, &mut count);
                Some(count.0 as f64)
            }
            "distance" => distance(cache),
            "warm" => distance(&mut self.path),
            "tolerance" => Some(yes(a.is_within(b, &pose, parameter, cache))),
            _ => None,
        }
    }
    fn impact(&mut self, _: &Placement, _: &Motion) -> Option<f64> {
        None
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
