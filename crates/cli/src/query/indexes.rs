//! The indexes behind the answers, each built at most once.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use impinge::bvh::MeshIndex;
use impinge::bvh::engines::{MeshEngine, Prepared, PreparedPair};
use impinge::bvh::wide::WideTree;
use impinge::mesh::point_in_mesh::InsideError;
use impinge::penetration::{
    BodyError, BodyOptions, PenetrationBody, PenetrationMethod, PenetrationQuery,
};
use impinge::{Mesh, TriMesh, bvh, depth};
use impinge_study::engines::Z_BUFFER;
use impinge_study::volume::{TETRAHEDRA, TetMesh, TetPair};
use impinge_study::z_buffer::{ZBufferConfig, ZBufferFaces};

use super::engine::EngineChoice;
use super::polygon_pair::PolygonPair;
use super::query_kind::{QueryKind, SolidRule};
use super::settings::Settings;
use crate::model_source::Loaded;
use crate::{progress, repair_report};

/// Both meshes as the questions need them. A [`Mesh`] builds its own indexes when they are first needed, and shares them: what answers,
/// what draws and what counts as a solid use the same trees.
pub(crate) struct Indexes {
    /// The meshes, each in its own frame.
    pub(crate) meshes: [Mesh; 2],
    /// The engine and why it.
    pub(crate) choice: EngineChoice,
    /// What it searches.
    pub(crate) built: Built,
    /// Time for building.
    pub(crate) milliseconds: f64,
}

/// The indexes of an engine.
pub(crate) enum Built {
    /// The default engine's trees, which the meshes hold.
    Wide,
    /// Those of another engine; whether some question needs the default engine's beside them.
    Named(Box<dyn PreparedPair>, bool),
}

impl Indexes {
    /// The indexes of two meshes; `with_wide` builds the default engine's trees in any case.
    pub(crate) fn new(choice: EngineChoice, meshes: [Mesh; 2], with_wide: bool) -> Self {
        Self::with_options(choice, meshes, with_wide, &EngineOptions::default())
    }

    /// The same, with the settings of some engines.
    pub(crate) fn with_options(
        mut choice: EngineChoice,
        meshes: [Mesh; 2],
        with_wide: bool,
        options: &EngineOptions<'_>,
    ) -> Self {
        let started = Instant::now();
        let built = if choice.engine == MeshEngine::WideTree {
            Built::Wide
        } else {
            let meshes = meshes.each_ref().map(Mesh::tri_mesh);
            Built::Named(options.prepare(&mut choice, meshes), with_wide)
        };
        if !matches!(built, Built::Named(_, false)) {
            // Now, so that building counts as building.
            for mesh in &meshes {
                let _ = mesh.index();
            }
        }
        Self {
            meshes,
            choice,
            built,
            milliseconds: milliseconds_since(started),
        }
    }

    /// Trees of the default engine, where they are used.
    pub(crate) fn wide(&self) -> Option<[&Arc<WideTree>; 2]> {
        let is_built = !matches!(self.built, Built::Named(_, false));
        is_built.then(|| self.meshes.each_ref().map(Mesh::index))
    }

    /// The same for a question that only they answer.
    pub(crate) fn wide_for(&self, question: QueryKind) -> anyhow::Result<[&Arc<WideTree>; 2]> {
        self.wide().with_context(|| {
            format!(
                "{} is answered by the engine {}, whose trees were not built",
                question.name(),
                MeshEngine::WideTree
            )
        })
    }

    /// Refuses to show the boxes of an engine that has none.
    pub(crate) fn check_boxes(&self) -> anyhow::Result<()> {
        if let Built::Named(pair, _) = &self.built
            && pair.leaf_boxes().is_none()
        {
            bail!(
                "--show tree shows boxes, and the engine {} has none; try --engine wide, obb, aabb or box-tree",
                self.choice.engine
            );
        }
        Ok(())
    }

    /// Bytes that all indexes take.
    pub(crate) fn bytes(&self) -> usize {
        let named = match &self.built {
            Built::Named(pair, _) => pair.bytes(),
            Built::Wide => 0,
        };
        let wide = self.wide().map_or(0, |[a, b]| {
            let second = if Arc::ptr_eq(a, b) { 0 } else { b.bytes() };
            a.bytes() + second
        });
        named + wide
    }
}

/// The settings of some engines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EngineOptions<'l> {
    /// Pixels along the longer side of the z-buffer's window.
    pub(crate) pixels: Option<u32>,
    /// The polygon of each face as the files have it, for the edge-polygon engine.
    pub(crate) polygons: [Option<&'l [u32]>; 2],
}

impl EngineOptions<'_> {
    /// Both meshes in the engine's indexes; the reason of the choice says what is special about them.
    fn prepare(
        &self,
        choice: &mut EngineChoice,
        meshes: [&Arc<TriMesh>; 2],
    ) -> Box<dyn PreparedPair> {
        if let Some(pair) = PolygonPair::new(choice.engine, meshes, self.polygons) {
            let [a, b] = pair.counts();
            choice.reason += &format!(", on the {a} and {b} polygons as they were read");
            return Box::new(pair);
        }
        let [a, b] = meshes.map(Arc::clone);
        match self.pixels {
            Some(resolution) if choice.engine == Z_BUFFER => {
                choice.reason += &format!(", with {resolution} pixels along its window");
                let config = ZBufferConfig {
                    resolution,
                    ..ZBufferConfig::default()
                };
                let bytes = ZBufferFaces::bytes;
                Box::new(Prepared::<ZBufferFaces>::with_config(a, b, &config, bytes))
            }
            _ => choice.engine.prepare(a, b),
        }
    }
}

/// Two meshes that share their indexes when they are the same.
pub(crate) fn meshes_of([a, b]: [&Arc<TriMesh>; 2]) -> [Mesh; 2] {
    let first = Mesh::from(Arc::clone(a));
    let second = if Arc::ptr_eq(a, b) {
        first.clone()
    } else {
        Mesh::from(Arc::clone(b))
    };
    [first, second]
}

/// Trees of the surfaces as solids: those of the indexes, unless a format of loose triangles had to be joined first.
pub(crate) struct SolidTrees {
    meshes: [Mesh; 2],
    /// Whether faces are numbered as in the meshes.
    pub(crate) same_faces: [bool; 2],
    /// The solids as the method for shared volumes needs them, once they were requested.
    bodies: OnceCell<[PenetrationBody; 2]>,
}

impl SolidTrees {
    /// The trees of two loaded meshes.
    pub(crate) fn new(loaded: [&Loaded; 2], known: &[Mesh; 2]) -> Self {
        let joined = loaded.map(|one| one.connected());
        let same_faces = [0, 1].map(|k| joined[k].0.face_count() == loaded[k].mesh.face_count());
        let mesh = |k: usize| {
            if joined[k].1 {
                Mesh::from(Arc::clone(&joined[k].0))
            } else {
                known[k].clone()
            }
        };
        Self {
            meshes: [mesh(0), mesh(1)],
            same_faces,
            bodies: OnceCell::new(),
        }
    }

    /// The trees.
    pub(crate) fn trees(&self) -> [&WideTree; 2] {
        self.meshes.each_ref().map(|mesh| mesh.index().as_ref())
    }

    /// Meshes that are solids as they are.
    pub(crate) fn of(meshes: [Mesh; 2]) -> Self {
        Self {
            meshes,
            same_faces: [true; 2],
            bodies: OnceCell::new(),
        }
    }

    /// The queries that need shared volumes.
    fn penetration(
        &self,
        settings: &Settings,
        [name_a, name_b]: [&str; 2],
    ) -> anyhow::Result<PenetrationQuery<'_>> {
        let [a, b] = self.meshes.each_ref().map(Mesh::index);
        if settings.method == PenetrationMethod::External(TETRAHEDRA) {
            let (a, b) = (tetrahedra(a, name_a)?, tetrahedra(b, name_b)?);
            return Ok(PenetrationQuery::external(Box::new(TetPair { a, b })));
        }
        let bodies = match self.bodies.get() {
            Some(bodies) => bodies,
            None => {
                let first = body(a, settings, name_a)?;
                let second = if Arc::ptr_eq(a, b) {
                    first.clone()
                } else {
                    body(b, settings, name_b)?
                };
                self.bodies.get_or_init(|| [first, second])
            }
        };
        let [first, second] = bodies;
        Ok(PenetrationQuery::by(settings.method, first, second)?)
    }
}

/// A solid as the method needs it.
fn body(tree: &Arc<WideTree>, settings: &Settings, name: &str) -> anyhow::Result<PenetrationBody> {
    let method = settings.method;
    let is_of = |methods: &[PenetrationMethod]| methods.contains(&method);
    let either = |is_wanted: bool, count: usize| if is_wanted { count } else { 0 };
    let (exact, spheres) = (PenetrationMethod::Exact, PenetrationMethod::Spheres);
    let options = BodyOptions {
        is_exact: is_of(&[exact, PenetrationMethod::ByCost]),
        balls: either(is_of(&[spheres, PenetrationMethod::ByCost]), settings.balls),
        voxels: either(
            is_of(&[PenetrationMethod::Voxmap]),
            settings.voxels as usize,
        ) as u32,
    };
    let what = match method {
        PenetrationMethod::Voxmap => "dividing into voxels",
        _ => "packing balls",
    };
    let prepared = || PenetrationBody::prepared(tree, &options);
    let made = if method == exact {
        prepared()
    } else {
        progress::during(what, prepared)
    };
    made.map_err(|error| {
        let hint = repair_report::hint(name);
        match error {
            BodyError::Volume(error) => {
                anyhow!("volume needs closed surfaces, but {name} is none: {error}; {hint}")
            }
            BodyError::Solid(error) => {
                anyhow!("balls need a solid to lie in, and {name} is none: {error}; {hint}")
            }
            BodyError::Voxels(error) => {
                anyhow!("{name} cannot be divided into voxels: {error}; {hint}")
            }
            error => anyhow!(error).context(format!("{name} cannot be filled with balls")),
        }
    })
}

/// A solid in cones over its faces.
fn tetrahedra(tree: &Arc<WideTree>, name: &str) -> anyhow::Result<TetMesh> {
    let cells = TetMesh::cones(tree.mesh()).map_err(|error| {
        anyhow!(
            "volume needs closed surfaces, but {name} is none: {error}; {}",
            repair_report::hint(name)
        )
    })?;
    let volume = cells.volume();
    if volume < 0.0 {
        bail!(
            "{name} is inside out: its volume is {volume}; `impinge convert` turns faces round with --reorient"
        );
    }
    Ok(cells)
}

/// What the meshes enclose, for the questions that ask about it.
#[derive(Debug)]
pub(crate) struct SolidIndexes<'t> {
    /// For whether they overlap.
    pub(crate) relation: Option<[bvh::Solid<'t>; 2]>,
    /// For how deep.
    pub(crate) depth: Option<[depth::Solid<'t>; 2]>,
    /// For how much volume.
    pub(crate) volume: Option<PenetrationQuery<'t>>,
    /// Whether faces are numbered as in the meshes.
    pub(crate) same_faces: [bool; 2],
}

impl<'t> SolidIndexes<'t> {
    /// The solids, or why one of them is none.
    pub(crate) fn new(
        trees: &'t SolidTrees,
        settings: &Settings,
        names: [&str; 2],
    ) -> anyhow::Result<Self> {
        let [a, b] = &trees.meshes;
        let [name_a, name_b] = names;
        let relation = match settings.solid {
            None => None,
            Some(SolidRule::Winding) => {
                Some([a, b].map(|mesh| bvh::Solid::by_winding(mesh.index())))
            }
            Some(SolidRule::Closed) => {
                let solid =
                    |mesh: &'t Mesh, name| mesh.solid().map_err(|error| open(&error, name, true));
                Some([solid(a, name_a)?, solid(b, name_b)?])
            }
        };
        let depth = if settings.asks(super::QueryKind::Depth) {
            let solid = |mesh: &'t Mesh, name| {
                depth::Solid::closed(mesh.index()).map_err(|error| open(&error, name, false))
            };
            Some([solid(a, name_a)?, solid(b, name_b)?])
        } else {
            None
        };
        let volume = if settings.needs_volume() {
            Some(trees.penetration(settings, names)?)
        } else {
            None
        };
        Ok(Self {
            relation,
            depth,
            volume,
            same_faces: trees.same_faces,
        })
    }
}

/// Why a mesh is no solid, and what to do about it.
fn open(error: &InsideError, name: &str, winding_helps: bool) -> anyhow::Error {
    let InsideError::NotClosed { a, b, faces } = error else {
        return anyhow!("{name}: {error}");
    };
    let faces = crate::number::count_of(*faces, "face", "faces");
    let wanted = if winding_helps {
        "--solid needs closed surfaces"
    } else {
        "depth needs closed surfaces"
    };
    let other = if winding_helps {
        ", or --solid=winding decides by winding number"
    } else {
        ""
    };
    anyhow!(
        "{wanted}, but {name} is open: its edge from {a} to {b} has {faces}. `impinge info {name}` lists every border; \
         {}{other}",
        repair_report::hint(name)
    )
}

/// The time since then.
pub(crate) fn milliseconds_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
