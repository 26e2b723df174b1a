//! Engines of ours that compute the overlap volume or the separating direction.
//!
//! The exact integral and trees of inner balls give volume and force by one call, so both questions have its time. The deepest point and a shell of points in
//! voxels give a force alone, and none that claims to be the volume's slope.

use std::sync::Arc;
use std::time::Instant;

use impinge::bvh::wide::WideTree;
use impinge::query::Limits;
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
use impinge::{DVec3, Pose, TriMesh};

use crate::configurations::Meshes;
use crate::own_runners::{EXACT, ball_tree};
use crate::penalty::Penalty;

/// Tests for one depth: fewer than it takes to find any point inside would be no answer.
const DEPTH_TESTS: u64 = 100_000;

/// What an engine says.
pub(super) struct VolumeAnswer {
    /// None from engines that know forces only.
    pub(super) volume: Option<f64>,
    /// On B, out of A; any length.
    pub(super) force: Option<DVec3>,
    pub(super) nanoseconds: f64,
    pub(super) tests: Option<[u64; 2]>,
}

pub(super) trait OverlapEngine {
    /// The answer, and how long it took.
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<VolumeAnswer>;
}

pub(super) struct VolumeEngine<'t> {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) is_ours: bool,
    pub(super) is_exact: bool,
    /// Which questions it answers: volume, force.
    pub(super) tells: [bool; 2],
    pub(super) engine: Box<dyn OverlapEngine + 't>,
    pub(super) bytes: Option<f64>,
    pub(super) build_ns: Option<f64>,
    pub(super) is_dead: bool,
}

impl<'t> VolumeEngine<'t> {
    fn ours(name: String, engine: impl OverlapEngine + 't, bytes: usize, build_ns: f64) -> Self {
        Self {
            name,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            is_ours: true,
            is_exact: false,
            tells: [true; 2],
            engine: Box::new(engine),
            bytes: Some(bytes as f64),
            build_ns: Some(build_ns),
            is_dead: false,
        }
    }

    /// The boundary integral.
    pub(super) fn exact(meshes: &Meshes) -> anyhow::Result<Self> {
        let both = BuiltPair::new(meshes, |mesh| Ok(VolumeIndex::new(mesh.clone())?))?;
        let bytes = both.sum(VolumeIndex::bytes);
        let build_ns = both.build_ns;
        let engine = ExactEngine {
            both,
            cache: OverlapCache::default(),
        };
        Ok(Self {
            is_exact: true,
            ..Self::ours(EXACT.to_owned(), engine, bytes, build_ns)
        })
    }

    /// Trees of so many inner balls.
    pub(super) fn packed(meshes: &Meshes, count: usize) -> anyhow::Result<Self> {
        let both = BuiltPair::new(meshes, |mesh| ball_tree(mesh, count))?;
        let bytes = both.sum(InnerSphereTree::bytes);
        let build_ns = both.build_ns;
        let engine = InnerSphereEngine {
            both,
            cache: InnerSphereTreeCache::default(),
        };
        Ok(Self::ours(
            format!("balls-{count}"),
            engine,
            bytes,
            build_ns,
        ))
    }

    /// A in voxels and B as points, so many of each along the longest side.
    pub(super) fn voxels(meshes: &Meshes, resolution: u32) -> anyhow::Result<Self> {
        let start = Instant::now();
        let map = Voxmap::new(&meshes.a, resolution)?;
        let build_ns = start.elapsed().as_nanos() as f64;
        let shell = Pointshell::new(&meshes.b, resolution)?;
        let bytes = map.bytes() + shell.bytes();
        let engine = VoxmapEngine { map, shell };
        Ok(Self {
            tells: [false, true],
            ..Self::ours(format!("voxmap-{resolution}"), engine, bytes, build_ns)
        })
    }

    /// The deepest point.
    pub(super) fn depth(trees: &'t FaceTrees) -> anyhow::Result<Self> {
        let [a, b] = trees.0.both();
        let penalty = Penalty::new(a, b, DEPTH_TESTS)?;
        let bytes = trees.0.sum(WideTree::bytes);
        Ok(Self {
            tells: [false, true],
            ..Self::ours("mesh-depth".to_owned(), penalty, bytes, trees.0.build_ns)
        })
    }
}

/// What engines build of A and of B; once where the two are the same.
struct BuiltPair<T> {
    a: T,
    b: Option<T>,
    /// Of A's.
    build_ns: f64,
}

impl<T> BuiltPair<T> {
    fn new(
        meshes: &Meshes,
        make: impl Fn(&Arc<TriMesh>) -> anyhow::Result<T>,
    ) -> anyhow::Result<Self> {
        let start = Instant::now();
        let a = make(&meshes.a)?;
        let build_ns = start.elapsed().as_nanos() as f64;
        let is_same = Arc::ptr_eq(&meshes.a, &meshes.b);
        let b = (!is_same).then(|| make(&meshes.b)).transpose()?;
        Ok(Self { a, b, build_ns })
    }

    fn both(&self) -> [&T; 2] {
        [&self.a, self.b.as_ref().unwrap_or(&self.a)]
    }

    fn sum(&self, of: impl Fn(&T) -> usize) -> usize {
        of(&self.a) + self.b.as_ref().map_or(0, of)
    }
}

/// Trees of faces that contestants borrow.
pub(super) struct FaceTrees(BuiltPair<WideTree>);

impl FaceTrees {
    pub(super) fn new(meshes: &Meshes) -> anyhow::Result<Self> {
        BuiltPair::new(meshes, |mesh| Ok(WideTree::new(mesh.clone()))).map(Self)
    }
}

struct ExactEngine {
    both: BuiltPair<VolumeIndex>,
    cache: OverlapCache,
}

impl OverlapEngine for ExactEngine {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<VolumeAnswer> {
        let [a, b] = self.both.both();
        let start = Instant::now();
        let found = a.overlap(b, pose, Limits::default(), &mut self.cache)?;
        let nanoseconds = start.elapsed().as_nanos() as f64;
        Ok(VolumeAnswer {
            volume: Some(found.value.volume),
            force: Some(-found.value.gradient.translation),
            nanoseconds,
            tests: Some([0, found.value.crossings as u64]),
        })
    }
}

struct InnerSphereEngine {
    both: BuiltPair<InnerSphereTree>,
    cache: InnerSphereTreeCache,
}

impl OverlapEngine for InnerSphereEngine {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<VolumeAnswer> {
        let [a, b] = self.both.both();
        let start = Instant::now();
        let found = a.overlap(b, pose, Limits::default(), &mut self.cache);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        Ok(VolumeAnswer {
            volume: Some(found.value),
            force: pushing(-found.gradient.translation),
            nanoseconds,
            tests: Some([self.cache.tests(), 0]),
        })
    }
}

struct VoxmapEngine {
    map: Voxmap,
    shell: Pointshell,
}

impl OverlapEngine for VoxmapEngine {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<VolumeAnswer> {
        let query = VoxmapQuery::new(&self.map, &self.shell);
        // Only points that press are looked for.
        let limits = Limits {
            max_distance: Some(0.0),
            ..Limits::default()
        };
        let start = Instant::now();
        let found = query.at(pose, limits);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        Ok(VolumeAnswer {
            volume: None,
            force: pushing(-found.force_on_a),
            nanoseconds,
            tests: Some([found.tests, 0]),
        })
    }
}

impl OverlapEngine for Penalty<'_> {
    fn ask(&mut self, pose: &Pose) -> anyhow::Result<VolumeAnswer> {
        let start = Instant::now();
        let found = self.at(pose);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        Ok(VolumeAnswer {
            volume: None,
            force: found.value.and_then(|deepest| deepest.normal()),
            nanoseconds,
            tests: None,
        })
    }
}

/// What does not meet yet pushes nowhere.
fn pushing(force: DVec3) -> Option<DVec3> {
    Some(force).filter(|force| *force != DVec3::ZERO)
}
