//! Real assemblies: those that are there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use impinge::clash::Part;
use impinge::generate;
use impinge::io::{self, ReadOptions};
use impinge::mesh::repair::weld;
use impinge::{DMat3, DVec3, Pose, TriMesh};

use crate::folders::installed;

/// An assembly and the clearance of its check.
#[derive(Debug)]
pub(super) struct RealAssembly {
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
    pub(super) clearance: f64,
}

/// The links of the differential of the PyPI package pybullet, as its `diff_ring.urdf` places them: mesh, turns about x and z
/// in quarter turns.
const DIFFERENTIAL: [(&str, &str, i32, i32); 6] = [
    ("ring", "ring", 1, 0),
    ("carrier", "carrier", 1, 0),
    ("spider a", "spider", 1, 1),
    ("spider b", "spider", 1, -1),
    ("side a", "side", 1, 0),
    ("side b", "side", -1, 0),
];

/// Scenes of rigid-ipc, beside the workspace when they are there.
const SCENES: [&str; 6] = [
    "mechanisms/bolt.json",
    "mechanisms/gears/single.json",
    "mechanisms/gears/chain.json",
    "mechanisms/507-movements/092-piston.json",
    "mechanisms/507-movements/140-punching-press.json",
    "mechanisms/507-movements/398-intermitten-motion.json",
];

/// All assemblies there are, and the names of those there are not.
pub(super) fn assemblies() -> anyhow::Result<(Vec<RealAssembly>, Vec<String>)> {
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for name in ["lock", "castle", "hand"] {
        found.push(generated(name)?);
    }
    match differential()? {
        Some(assembly) => found.push(assembly),
        None => absent.push("differential of pybullet (cargo xtask models)".to_owned()),
    }
    match engine()? {
        Some(assembly) => found.push(assembly),
        None => absent.push("engine of assimp-testmodels (cargo xtask models)".to_owned()),
    }
    for scene in SCENES {
        match rigid_ipc(scene)? {
            Some(assembly) => found.push(assembly),
            None => absent.push(format!("rigid-ipc {scene}")),
        }
    }
    Ok((found, absent))
}

fn generated(name: &str) -> anyhow::Result<RealAssembly> {
    let kind = generate::model(name).with_context(|| format!("there is no model {name}"))?;
    let parts = kind.parts(Some(4000), 1)?.into_iter().map(|part| Part {
        name: part.name,
        mesh: Arc::new(part.mesh),
        world_from_part: Pose::IDENTITY,
    });
    Ok(RealAssembly {
        name: format!("model:{name}"),
        parts: parts.collect(),
        clearance: 0.01,
    })
}

fn fetched(file: &str) -> Option<PathBuf> {
    Some(installed().join("models").join(file)).filter(|path| path.is_file())
}

/// A mesh whose vertices in the same place are one.
fn mesh_of(path: &Path, scale: f64) -> anyhow::Result<Arc<TriMesh>> {
    let options = ReadOptions {
        scale,
        ..ReadOptions::default()
    };
    let (mesh, _) = io::read(path, &options)?.merged();
    Ok(Arc::new(weld(&mesh, 0.0)?.mesh))
}

/// A turn by quarters about x, then one about z: exact.
fn quarters(x: i32, z: i32) -> anyhow::Result<Pose> {
    let turn = |n: i32| match n.rem_euclid(4) {
        0 => (1.0, 0.0),
        1 => (0.0, 1.0),
        2 => (-1.0, 0.0),
        _ => (0.0, -1.0),
    };
    let ((cx, sx), (cz, sz)) = (turn(x), turn(z));
    let about_x = DMat3::from_cols(DVec3::X, DVec3::new(0.0, cx, sx), DVec3::new(0.0, -sx, cx));
    let about_z = DMat3::from_cols(DVec3::new(cz, sz, 0.0), DVec3::new(-sz, cz, 0.0), DVec3::Z);
    Ok(Pose::new(about_z * about_x, DVec3::ZERO)?)
}

fn differential() -> anyhow::Result<Option<RealAssembly>> {
    let mut meshes = BTreeMap::new();
    let mut parts = Vec::new();
    for (name, mesh, x, z) in DIFFERENTIAL {
        let Some(path) = fetched(&format!("differential-{mesh}.stl")) else {
            return Ok(None);
        };
        if !meshes.contains_key(mesh) {
            meshes.insert(mesh, mesh_of(&path, 1.0)?);
        }
        parts.push(Part {
            name: name.to_owned(),
            mesh: Arc::clone(&meshes[mesh]),
            world_from_part: quarters(x, z)?,
        });
    }
    Ok(Some(RealAssembly {
        name: "differential of pybullet".to_owned(),
        parts,
        clearance: 0.1,
    }))
}

fn engine() -> anyhow::Result<Option<RealAssembly>> {
    let Some(path) = fetched("engine.glb") else {
        return Ok(None);
    };
    let assembly = io::read_assembly(&path, &ReadOptions::default())?;
    let mut welded: Vec<(Arc<TriMesh>, Arc<TriMesh>)> = Vec::new();
    let mut parts = Vec::new();
    for part in assembly.parts {
        let known = welded.iter().find(|(old, _)| Arc::ptr_eq(old, &part.mesh));
        let mesh = match known {
            Some((_, new)) => Arc::clone(new),
            None => {
                let new = Arc::new(weld(&part.mesh, 0.0)?.mesh);
                welded.push((part.mesh, Arc::clone(&new)));
                new
            }
        };
        parts.push(Part {
            name: part.name,
            mesh,
            world_from_part: part.world_from_part,
        });
    }
    Ok(Some(RealAssembly {
        name: "engine of assimp-testmodels".to_owned(),
        parts,
        clearance: 0.1,
    }))
}

#[derive(serde::Deserialize)]
struct RigidIpcScene {
    rigid_body_problem: RigidIpcProblem,
}

#[derive(serde::Deserialize)]
struct RigidIpcProblem {
    rigid_bodies: Vec<RigidIpcBody>,
}

#[derive(serde::Deserialize)]
struct RigidIpcBody {
    mesh: String,
    #[serde(default)]
    position: [f64; 3],
    /// Degrees about x, then y, then z.
    #[serde(default)]
    rotation: [f64; 3],
    scale: Option<f64>,
}

fn rigid_ipc(scene: &str) -> anyhow::Result<Option<RealAssembly>> {
    let folder = impinge_testkit::recorded::folder(Path::new(env!("CARGO_MANIFEST_DIR")))
        .map(|shared| shared.join("rigid-ipc-meshes"))
        .filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        return Ok(None);
    };
    let Ok(text) = std::fs::read_to_string(folder.join("fixtures/3D").join(scene)) else {
        return Ok(None);
    };
    let scene_file: RigidIpcScene =
        serde_json::from_str(&text).with_context(|| scene.to_owned())?;
    let mut meshes: BTreeMap<String, Arc<TriMesh>> = BTreeMap::new();
    let mut parts = Vec::new();
    for body in scene_file.rigid_body_problem.rigid_bodies {
        let scale = body.scale.unwrap_or(1.0);
        let key = format!("{} {scale}", body.mesh);
        let path = folder.join(&body.mesh);
        if !path.is_file() {
            return Ok(None);
        }
        if !meshes.contains_key(&key) {
            meshes.insert(key.clone(), mesh_of(&path, scale)?);
        }
        let mut pose = Pose::from_translation(body.position)?;
        for (axis, degrees) in [DVec3::Z, DVec3::Y, DVec3::X].into_iter().zip([
            body.rotation[2],
            body.rotation[1],
            body.rotation[0],
        ]) {
            pose = pose * Pose::from_axis_angle(axis, degrees.to_radians(), [0.0; 3])?;
        }
        parts.push(Part {
            name: body.mesh,
            mesh: Arc::clone(&meshes[&key]),
            world_from_part: pose,
        });
    }
    let size = parts
        .iter()
        .map(|part| part.mesh.bounds().diagonal().length())
        .fold(f64::INFINITY, f64::min);
    Ok(Some(RealAssembly {
        name: format!("rigid-ipc {}", scene.trim_end_matches(".json")),
        parts,
        clearance: 0.001 * size,
    }))
}
