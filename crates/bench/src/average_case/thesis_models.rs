//! Stand-ins for the models of the theses, with as many faces.

use std::sync::Arc;

use anyhow::Context;
use impinge::generate::{cage, car_shell, cloth, cube_array, lock, merged, pipes, torus};
use impinge::{DVec3, TriMesh};

/// A model with its class, of which a publication gives an error rate.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) mesh: Arc<TriMesh>,
    /// The error rate to stay below, in percent: the published one of its class, for rooms the largest.
    pub(super) published_error: Option<f64>,
    /// Whether one copy is only shifted, so that all sides stay parallel.
    pub(super) stays_parallel: bool,
}

impl Model {
    pub(super) fn new(
        name: &str,
        mesh: &TriMesh,
        published_error: Option<f64>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            mesh: Arc::new(normalised(mesh)?),
            published_error,
            stays_parallel: false,
        })
    }
}

/// The mesh about the origin, as large as fits into a cube of edge 2.
pub(super) fn normalised(mesh: &TriMesh) -> anyhow::Result<TriMesh> {
    let bounds = mesh.bounds();
    let scale = 1.0 / bounds.half_extent().max_element();
    let place = |p: &DVec3| (*p - bounds.center()) * scale;
    let positions = mesh.positions().iter().map(place).collect();
    Ok(TriMesh::new(positions, mesh.faces().to_vec())?)
}

fn placed(mesh: &TriMesh, place: impl Fn(DVec3) -> DVec3) -> anyhow::Result<TriMesh> {
    let positions = mesh.positions().iter().map(|&p| place(p)).collect();
    Ok(TriMesh::new(positions, mesh.faces().to_vec())?)
}

/// All meshes as one.
fn together(meshes: &[TriMesh]) -> anyhow::Result<TriMesh> {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = positions.len() as u32;
        positions.extend_from_slice(mesh.positions());
        faces.extend(mesh.faces().iter().map(|f| f.map(|v| v + first)));
    }
    Ok(TriMesh::new(positions, faces)?)
}

/// A car: shell, four wheels, a floor. `detail` 1 has 20 026 faces.
pub(super) fn car(detail: f64) -> anyhow::Result<TriMesh> {
    let n = |count: f64| (count * detail).round().max(3.0) as u32;
    let mut parts = vec![car_shell(n(100.0), n(80.0))?];
    let wheel = torus(0.22, 0.1, n(24.0), n(16.0))?;
    for (x, y) in [(-1.25, -0.75), (-1.25, 0.75), (1.25, -0.75), (1.25, 0.75)] {
        // The torus lies; wheels stand.
        parts.push(placed(&wheel, |p| DVec3::new(x + p.x, y + p.z, 0.2 + p.y))?);
    }
    let floor = cloth(n(53.0), n(9.0))?;
    parts.push(placed(&floor, |p| DVec3::new(3.8 * p.x, 1.4 * p.y, 0.25))?);
    together(&parts)
}

/// A door lock: pins, springs, cam, plates along the axes, a cover. `detail` 1 has 207 290 faces.
pub(super) fn door_lock(detail: f64) -> anyhow::Result<TriMesh> {
    let n = |count: f64| (count * detail).round().max(3.0) as u32;
    let works = merged(&lock(n(64.0), n(56.0))?)?;
    let cover = cloth(n(115.0), n(107.0))?;
    let cover = placed(&cover, |p| DVec3::new(6.4 * p.x, 3.6 * p.y + 0.6, 4.2))?;
    together(&[works, cover])
}

/// Six walls along the axes, and blocks of furniture between them.
pub(super) fn room() -> anyhow::Result<TriMesh> {
    let walls = merged(&cage(10.0, 0.4, 1)?)?;
    let blocks = cube_array([3, 3, 1], 1.2)?;
    let middle = blocks.bounds().center();
    let blocks = placed(&blocks, |p| (p - middle) * 1.2 + DVec3::new(0.0, 0.0, -3.5))?;
    together(&[walls, blocks])
}

/// A hall of 19 776 faces: six walls of many faces along the axes, and blocks in four layers, as shelves have them.
pub(super) fn hall() -> anyhow::Result<TriMesh> {
    let walls = merged(&cage(10.0, 0.4, 24)?)?;
    let blocks = cube_array([10, 10, 4], 1.0)?;
    let middle = blocks.bounds().center();
    let blocks = placed(&blocks, |p| {
        (p - middle) * 0.45 + DVec3::new(0.0, 0.0, -3.2)
    })?;
    together(&[walls, blocks])
}

/// All models of the error table. Small ones have a sixteenth of the faces, or a few.
pub(super) fn all(is_small: bool) -> anyhow::Result<Vec<Model>> {
    let detail = if is_small { 0.25 } else { 1.0 };
    // Coarse models err more often; their errors are a truth to keep, not a result.
    let limit = |published: f64| Some(if is_small { 5.0 } else { published });
    let fewer_pipes = pipes(11, 7, 36, 19, 1)?;
    let mut models = vec![
        Model::new("car", &car(detail)?, limit(1.89))?,
        Model::new("lock", &door_lock(detail)?, limit(1.54))?,
        Model::new("pipes-9814", &fewer_pipes, limit(2.10))?,
    ];
    if !is_small {
        models.push(Model::new(
            "pipes-124736",
            &pipes(22, 16, 149, 26, 1)?,
            limit(2.10),
        )?);
    }
    let mut along_the_axes = vec![("room", room()?), ("blocks", cube_array([3, 3, 3], 2.0)?)];
    if !is_small {
        along_the_axes.push(("hall", hall()?));
    }
    for (name, mesh) in along_the_axes {
        let model = Model::new(name, &mesh, limit(2.10))?;
        models.push(Model {
            name: format!("{name}-parallel"),
            stays_parallel: true,
            ..model.clone()
        });
        models.push(model);
    }
    if !is_small {
        for (name, faces) in [
            ("car", 20_026),
            ("lock", 207_290),
            ("pipes-9814", 9_814),
            ("pipes-124736", 124_736),
            ("hall", 19_776),
        ] {
            let model = models.iter().find(|model| model.name == name);
            let model = model.context("a model is missing")?;
            anyhow::ensure!(
                model.mesh.face_count() == faces,
                "{name} has {} faces, not {faces}",
                model.mesh.face_count()
            );
        }
    }
    Ok(models)
}

/// Models that no default of the trees was chosen by, of all kinds that are generated: smooth and
/// closed, cluttered, open, with thin walls.
const OTHERS: [&str; 18] = [
    "gear",
    "blob",
    "castle",
    "hand",
    "torus-knot",
    "vase",
    "torus",
    "lattice",
    "screw",
    "mushroom",
    "menger-sponge",
    "spring",
    "chazelle",
    "nut",
    "capsule",
    "net",
    "tetra-flake",
    "terrain",
];

/// Whether a model is one of these.
pub(super) fn is_other(name: &str) -> bool {
    OTHERS.contains(&name)
}

/// These models.
pub(super) fn others() -> anyhow::Result<Vec<Model>> {
    let make = |name: &&str| {
        let kind = impinge::generate::model(name).with_context(|| format!("no model {name}"))?;
        Model::new(name, &kind.make(Some(8000), 1)?, None)
    };
    OTHERS.iter().map(make).collect()
}
