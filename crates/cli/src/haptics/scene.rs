//! Haptic scenes: files and built-in ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use impinge::geom::Ray;
use impinge::{DVec3, Mesh, Pose, TriMesh, generate};
use impinge_dynamics::device::{DeviceSpecification, Keyframe};
use impinge_dynamics::session::ControllerKind;
use serde_json::Value;

use super::fields::{Fields, numbers};
use crate::built_in::{self, BuiltIn};
use crate::model_source::ModelSource;

/// How wrenches are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Law {
    /// Gradient of the exact common volume
    Exact,
    /// Inner sphere trees, cones of normals
    Spheres,
    /// Voxels and points
    Voxmap,
    /// The deepest point
    Depth,
    /// Point penalty in the boxes around the bodies: the baseline
    Penalty,
    /// A point or ball that never passes a face
    GodObject,
    /// A rigid tool that never passes a face
    Guard,
}

impl Law {
    /// As it is written.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Spheres => "spheres",
            Self::Voxmap => "voxmap",
            Self::Depth => "depth",
            Self::Penalty => "penalty",
            Self::GodObject => "god-object",
            Self::Guard => "guard",
        }
    }

    const ALL: [Self; 7] = [
        Self::Exact,
        Self::Spheres,
        Self::Voxmap,
        Self::Depth,
        Self::Penalty,
        Self::GodObject,
        Self::Guard,
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|law| law.name() == name)
    }
}

/// A body that is felt.
#[derive(Clone, Debug)]
pub(super) struct FeltBody {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) pose: Pose,
    /// Metres per second.
    pub(super) velocity: DVec3,
    /// Axis times radians per second, about the body's origin.
    pub(super) spin: DVec3,
    pub(super) friction: Option<[f64; 2]>,
    pub(super) shaded: bool,
    /// By which part of its size the surface rises and falls, once a second.
    pub(super) breath: f64,
}

impl FeltBody {
    /// Whether it swings or turns.
    pub(super) fn is_moving(&self) -> bool {
        self.velocity != DVec3::ZERO || self.spin != DVec3::ZERO
    }

    /// Where it is at a time; it swings to and fro once in two seconds, so that it stays within reach.
    pub(super) fn at(&self, seconds: f64) -> Pose {
        if !self.is_moving() {
            return self.pose;
        }
        let swing = (std::f64::consts::PI * seconds).sin() / std::f64::consts::PI;
        let angle = self.spin.length() * swing;
        let axis = self.spin.try_normalize().unwrap_or(DVec3::Z);
        let turn = Pose::from_axis_angle(axis, angle, DVec3::ZERO).unwrap_or(Pose::IDENTITY);
        let moved = self.pose.translation() + self.velocity * swing;
        let turned = turn * self.pose;
        Pose::new(*turned.rotation(), moved).unwrap_or(self.pose)
    }
}

/// A haptic scene.
#[derive(Clone, Debug)]
pub(super) struct HapticScene {
    pub(super) name: String,
    pub(super) law: Law,
    pub(super) seconds: f64,
    pub(super) stiffness: f64,
    pub(super) radius: f64,
    pub(super) start: DVec3,
    pub(super) device: DeviceSpecification,
    pub(super) controller: ControllerKind,
    /// Mass, damping and stiffness of the hand.
    pub(super) hand: [f64; 3],
    pub(super) script: Vec<Keyframe>,
    pub(super) bodies: Vec<FeltBody>,
    pub(super) tool: Arc<TriMesh>,
    /// The document, for recordings.
    pub(super) text: String,
}

const SCENE_FIELDS: [&str; 12] = [
    "law",
    "seconds",
    "stiffness",
    "radius",
    "start",
    "device",
    "controller",
    "hand",
    "script",
    "bodies",
    "tool",
    "about",
];

/// The built-in scenes: name, what it shows, document.
pub(super) const SCENES: [BuiltIn; 12] = [
    (
        "plane",
        "a floor, pressed and stroked",
        r#"{"bodies": [{"vertices": [[-0.1,-0.1,0],[0.1,-0.1,0],[0.1,0.1,0],[-0.1,0.1,0]], "faces": [[0,1,2],[0,2,3]]}],
 "start": [0,0,0.03],
 "script": [{"t":0,"position":[0,0,0.03]},{"t":2.5,"position":[0,0,0.03]},{"t":3,"position":[0,0,-0.004]},{"t":4,"position":[0.04,0,-0.006]},{"t":4.5,"position":[0.04,0,0.03]}], "seconds": 5}"#,
    ),
    (
        "edge",
        "two planes that meet in a ridge",
        r#"{"bodies": [{"vertices": [[-0.1,-0.1,-0.05],[0,-0.1,0],[0.1,-0.1,-0.05],[-0.1,0.1,-0.05],[0,0.1,0],[0.1,0.1,-0.05]], "faces": [[0,1,4],[0,4,3],[1,2,5],[1,5,4]]}],
 "start": [-0.05,0,0.03],
 "script": [{"t":0,"position":[-0.05,0,0.03]},{"t":2.5,"position":[-0.05,0,0.03]},{"t":3,"position":[-0.05,0,-0.03]},{"t":4.5,"position":[0.05,0,-0.03]},{"t":5,"position":[0.05,0,0.03]}], "seconds": 5.5}"#,
    ),
    (
        "corner",
        "three walls that meet in a corner",
        r#"{"bodies": [{"vertices": [[0,0,0],[0.1,0,0],[0,0.1,0],[0,0,0.1],[0.1,0.1,0],[0,0.1,0.1],[0.1,0,0.1]], "faces": [[0,1,4],[0,4,2],[0,2,5],[0,5,3],[0,3,6],[0,6,1]]}],
 "start": [0.04,0.04,0.04],
 "script": [{"t":0,"position":[0.04,0.04,0.04]},{"t":2.5,"position":[0.04,0.04,0.04]},{"t":3.2,"position":[-0.005,-0.004,-0.003]},{"t":4,"position":[-0.005,0.02,-0.003]},{"t":4.5,"position":[0.04,0.04,0.04]}], "seconds": 5}"#,
    ),
    (
        "groove",
        "a groove of 30 degrees",
        r#"{"bodies": [{"vertices": [[-0.02679,-0.1,0.1],[0,-0.1,0],[0.02679,-0.1,0.1],[-0.02679,0.1,0.1],[0,0.1,0],[0.02679,0.1,0.1]], "faces": [[0,1,4],[0,4,3],[1,2,5],[1,5,4]]}],
 "start": [0,0,0.05],
 "script": [{"t":0,"position":[0,0,0.05]},{"t":2.5,"position":[0,0,0.05]},{"t":3.5,"position":[0.004,0,-0.004]},{"t":4.5,"position":[-0.004,0.05,-0.004]},{"t":5,"position":[0,0.05,0.05]}], "seconds": 5.5}"#,
    ),
    (
        "room",
        "a closed room, felt from inside",
        r#"{"bodies": [{"box": [0.08,0.08,0.08]}], "start": [0,0,0],
 "script": [{"t":0,"position":[0,0,0]},{"t":2.5,"position":[0,0,0]},{"t":3,"position":[0.043,0.01,0]},{"t":3.6,"position":[0.043,0.043,0.02]},{"t":4.2,"position":[-0.02,0.043,0.043]},{"t":5,"position":[0,0,0]}], "seconds": 5.5}"#,
    ),
    (
        "terrain",
        "hills, stroked by a ball",
        r#"{"bodies": [{"mesh": "model:terrain?faces=20000", "size": 0.2, "friction": [0.4, 0.3]}], "radius": 0.004}"#,
    ),
    (
        "dragon",
        "the Stanford dragon of 871 414 faces, after `cargo xtask models`",
        r#"{"bodies": [{"mesh": "installed:dragon.ply.gz", "size": 0.15, "shaded": true}]}"#,
    ),
    (
        "teeth",
        "the teeth of a gear",
        r#"{"bodies": [{"mesh": "model:gear?faces=20000", "size": 0.12, "turn": [90,0,0]}]}"#,
    ),
    (
        "moving-ball",
        "a ball that swings at up to 0.1 m/s",
        r#"{"bodies": [{"mesh": "model:icosphere?faces=5000", "size": 0.1, "velocity": [0.1, 0, 0]}]}"#,
    ),
    (
        "skinned",
        "a skin that breathes and waves, updated at 60 Hz",
        r#"{"bodies": [{"mesh": "model:icosphere?faces=5000", "size": 0.1, "breath": 0.08}]}"#,
    ),
    (
        "peg-in-hole",
        "a peg that is led into a hole, by the guard",
        r#"{"law": "guard", "device": "virtuose", "stiffness": 800,
 "bodies": [{"box": [0.02,0.1,0.02], "position": [-0.0205,0,0]}, {"box": [0.02,0.1,0.02], "position": [0.0205,0,0]},
            {"box": [0.021,0.04,0.02], "position": [0,0.0305,0]}, {"box": [0.021,0.04,0.02], "position": [0,-0.0305,0]}],
 "tool": {"box": [0.02,0.02,0.04]}, "start": [0.002,0.001,0.05],
 "script": [{"t":0,"position":[0.002,0.001,0.05]},{"t":2.5,"position":[0.002,0.001,0.05]},{"t":4,"position":[0.001,0.0005,0.028],"turn":[0,2,0]},{"t":6,"position":[0,0,-0.005]}], "seconds": 6.5}"#,
    ),
    (
        "two-solids",
        "a knot pressed into a blob by sphere trees",
        r#"{"law": "spheres", "device": "virtuose", "stiffness": 800,
 "bodies": [{"mesh": "model:blob?faces=5000", "size": 0.12}], "tool": {"mesh": "model:torus-knot?faces=5000", "size": 0.06}}"#,
    ),
];

impl HapticScene {
    /// A built-in scene, or one of a file.
    pub(super) fn open(name: &Path) -> anyhow::Result<Self> {
        built_in::open("scene", name, &SCENES, Self::parse)
    }

    /// A scene of one mesh, stroked from above.
    pub(super) fn of_mesh(source: &str) -> anyhow::Result<Self> {
        let document = serde_json::json!({"bodies": [{"mesh": source, "size": 0.1}]});
        Self::parse(source, &document.to_string(), Path::new("."))
    }

    /// Reads a document; files are beside it.
    pub(super) fn parse(name: &str, text: &str, folder: &Path) -> anyhow::Result<Self> {
        let document: Value = serde_json::from_str(text)?;
        let fields = Fields::new(text, &document, "")?;
        fields.allow(&SCENE_FIELDS)?;
        let law = match fields.word("law")? {
            None => Law::GodObject,
            Some(name) => Law::named(name).ok_or_else(|| {
                let names = Law::ALL.map(Law::name).join(", ");
                fields.wrong(
                    "law",
                    format_args!("'{name}' is not known; there are {names}"),
                )
            })?,
        };
        let device = match fields.word("device")? {
            None | Some("falcon") => DeviceSpecification::falcon(),
            Some("virtuose") => DeviceSpecification::virtuose(),
            Some(other) => {
                let what = format!("'{other}' is not known; there are falcon and virtuose");
                return Err(fields.wrong("device", what));
            }
        };
        let controller = match fields.word("controller")? {
            None | Some("damper") => ControllerKind::Damper,
            Some("tank") => ControllerKind::Tank,
            Some("off") => ControllerKind::Off,
            Some(other) => {
                let what = format!("'{other}' is not known; there are damper, tank and off");
                return Err(fields.wrong("controller", what));
            }
        };
        let mut bodies = Vec::new();
        for (index, body) in fields.list("bodies")?.iter().enumerate() {
            let path = fields.item("bodies", index);
            bodies.push(felt_body(&Fields::new(text, body, &path)?, folder)?);
        }
        if bodies.is_empty() {
            return Err(fields.wrong("bodies", "must list at least one body"));
        }
        let tool = match fields.get("tool") {
            None => Arc::new(generate::icosphere(0.005, 6)?),
            Some(tool) => mesh_of(&Fields::new(text, tool, "tool.")?, folder)?,
        };
        let top = bodies.iter().map(|body| {
            let bounds = body.mesh.bounds();
            (body.pose * bounds.center()).z + bounds.diagonal().length() / 2.0
        });
        let top = top.fold(f64::NEG_INFINITY, f64::max);
        let reach = tool.bounds().diagonal().length();
        let center = bodies[0].pose * bodies[0].mesh.bounds().center();
        let above = DVec3::new(center.x, center.y, top + 0.01 + reach);
        let start = fields.point("start", above)?;
        let script = keyframes(&fields, text, start, &bodies[0])?;
        let last = script.last().map_or(0, |frame| frame.time_ns);
        let seconds = fields.positive("seconds", last as f64 * 1e-9 + 0.5)?;
        let hand = match fields.get("hand").map(numbers) {
            None => [0.2, 6.0, 400.0],
            Some(numbers) => match numbers.as_deref() {
                Some(&[mass, damping, stiffness]) => [mass, damping, stiffness],
                _ => {
                    let what =
                        "must be three numbers: mass in kg, damping in N·s/m, stiffness in N/m";
                    return Err(fields.wrong("hand", what));
                }
            },
        };
        Ok(Self {
            name: name.to_owned(),
            law,
            seconds,
            stiffness: fields.positive("stiffness", 1000.0)?,
            radius: {
                let radius = fields.number("radius", 0.0)?;
                if radius < 0.0 {
                    return Err(fields.wrong("radius", "must not be negative"));
                }
                radius
            },
            start,
            device,
            controller,
            hand,
            script,
            bodies,
            tool,
            text: text.to_owned(),
        })
    }
}

fn felt_body(fields: &Fields<'_>, folder: &Path) -> anyhow::Result<FeltBody> {
    let mesh = mesh_of(fields, folder)?;
    let friction = match fields.get("friction").map(numbers) {
        None => None,
        Some(numbers) => match numbers.as_deref() {
            Some(&[resting, sliding]) if resting >= sliding && sliding >= 0.0 => {
                Some([resting, sliding])
            }
            _ => {
                let what = "must be two numbers, resting and sliding, the first not smaller";
                return Err(fields.wrong("friction", what));
            }
        },
    };
    Ok(FeltBody {
        mesh,
        pose: pose_of(fields)?,
        velocity: fields.point("velocity", DVec3::ZERO)?,
        spin: fields.point("spin", DVec3::ZERO)? * std::f64::consts::PI / 180.0,
        friction,
        shaded: fields.flag("shaded")?,
        breath: {
            let breath = fields.number("breath", 0.0)?;
            if !(0.0..=0.5).contains(&breath) {
                return Err(fields.wrong("breath", "must lie between 0 and 0.5"));
            }
            breath
        },
    })
}

/// Position, and a turn as an axis that is as long as its angle in degrees.
fn pose_of(fields: &Fields<'_>) -> anyhow::Result<Pose> {
    let position = fields.point("position", DVec3::ZERO)?;
    let turn = fields.point("turn", DVec3::ZERO)?;
    let pose = match turn.try_normalize() {
        None => Pose::from_translation(position),
        Some(axis) => Pose::from_axis_angle(axis, turn.length().to_radians(), position),
    };
    pose.map_err(|error| fields.wrong("position", error))
}

fn mesh_of(fields: &Fields<'_>, folder: &Path) -> anyhow::Result<Arc<TriMesh>> {
    fields.allow(&[
        "mesh", "box", "vertices", "faces", "size", "position", "turn", "velocity", "spin",
        "friction", "shaded", "breath",
    ])?;
    let mesh = if let Some(name) = fields.word("mesh")? {
        let loaded = if let Some(file) = name.strip_prefix("installed:") {
            installed(file)
                .map_err(|error| fields.wrong("mesh", error))?
                .load_as_is()
        } else {
            ModelSource::load_beside(name, folder)
        };
        let loaded = loaded.map_err(|error| fields.wrong("mesh", format_args!("{error:#}")))?;
        (*loaded.mesh).clone()
    } else if fields.get("box").is_some() {
        let sides = fields.point("box", DVec3::ONE)?;
        let mesh = generate::cuboid(sides, [1; 3]);
        let mesh = mesh.map_err(|error| fields.wrong("box", error))?;
        let center = mesh.bounds().center();
        mesh.placed(&Pose::from_translation(-center)?)?
    } else if fields.get("vertices").is_some() {
        let mut points = Vec::new();
        for (index, point) in fields.list("vertices")?.iter().enumerate() {
            match numbers(point).as_deref() {
                Some(&[x, y, z]) => points.push([x, y, z]),
                _ => {
                    let field = format!("vertices[{index}]");
                    return Err(fields.wrong(&field, "must be three numbers"));
                }
            }
        }
        let mut faces = Vec::new();
        for (index, face) in fields.list("faces")?.iter().enumerate() {
            let corner = |k: usize| face.get(k)?.as_u64().and_then(|n| u32::try_from(n).ok());
            match (
                face.as_array().map(Vec::len),
                corner(0),
                corner(1),
                corner(2),
            ) {
                (Some(3), Some(a), Some(b), Some(c)) => faces.push([a, b, c]),
                _ => {
                    let field = format!("faces[{index}]");
                    return Err(fields.wrong(&field, "must be three numbers of vertices"));
                }
            }
        }
        let mesh = TriMesh::from_points(points, faces);
        mesh.map_err(|error| fields.wrong("faces", error))?
    } else {
        return Err(fields.wrong(
            "mesh",
            "is missing: a body has mesh, box, or vertices and faces",
        ));
    };
    let Some(_) = fields.get("size") else {
        return Ok(Arc::new(mesh));
    };
    // The largest side of its box becomes this long, about the middle of the box.
    let size = fields.positive("size", 1.0)?;
    let sized = mesh.resized(size);
    Ok(Arc::new(
        sized.map_err(|error| fields.wrong("size", error))?,
    ))
}

/// A model that `cargo xtask models` fetched.
fn installed(file: &str) -> anyhow::Result<ModelSource> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let path = target.join("models").join(file);
    if path.exists() {
        Ok(ModelSource::File(path))
    } else {
        Err(anyhow!(
            "{file} is not there: `cargo xtask models` fetches it"
        ))
    }
}

fn keyframes(
    fields: &Fields<'_>,
    text: &str,
    start: DVec3,
    body: &FeltBody,
) -> anyhow::Result<Vec<Keyframe>> {
    let mut frames = Vec::new();
    for (index, frame) in fields.list("script")?.iter().enumerate() {
        let path = fields.item("script", index);
        let frame = Fields::new(text, frame, &path)?;
        frame.allow(&["t", "position", "turn"])?;
        let seconds = frame.number("t", 0.0)?;
        if !(0.0..1e6).contains(&seconds) {
            return Err(frame.wrong("t", "must lie between 0 and a million seconds"));
        }
        frames.push(Keyframe {
            time_ns: (seconds * 1e9).round() as u64,
            pose: pose_of(&frame)?,
        });
    }
    if frames.is_empty() {
        frames = stroke(start, body)?;
    }
    if let Some(index) = frames
        .windows(2)
        .position(|pair| pair[1].time_ns <= pair[0].time_ns)
    {
        let field = format!("script[{}].t", index + 1);
        return Err(fields.wrong(&field, "must be later than the keyframe before"));
    }
    Ok(frames)
}

/// Down into the body and round about it, after the two seconds in which the force fades in.
fn stroke(start: DVec3, body: &FeltBody) -> anyhow::Result<Vec<Keyframe>> {
    let size = body.mesh.bounds().diagonal().length();
    let center = body.pose * body.mesh.bounds().center();
    let mesh = Mesh::from(body.mesh.clone());
    let body_from_world = body.pose.inverse();
    // The height of the surface under a point that is above everything.
    let surface = |p: DVec3| -> anyhow::Result<Option<f64>> {
        let down = body_from_world.transform_vector(-DVec3::Z);
        let ray = Ray::new(body_from_world * p, down)?;
        Ok(mesh.cast_ray(&ray).map(|hit| p.z - hit.t))
    };
    let at = |seconds: f64, p: DVec3| -> anyhow::Result<Keyframe> {
        Ok(Keyframe {
            time_ns: (seconds * 1e9).round() as u64,
            pose: Pose::from_translation(p)?,
        })
    };
    let mut frames = vec![at(0.0, start)?, at(2.2, start)?];
    for k in 0..=40 {
        let angle = f64::from(k) * 0.3;
        let around =
            DVec3::new(angle.cos(), angle.sin(), 0.0) * (0.15 * size * f64::from(k) / 40.0);
        let mut down = DVec3::new(center.x, center.y, center.z + 0.1 * size) + around;
        if let Some(height) = surface(DVec3::new(down.x, down.y, center.z + size))? {
            // In a valley the middle of the box is in the air.
            down.z = down.z.min(height - 0.03 * size);
        }
        frames.push(at(2.7 + 0.1 * f64::from(k), down)?);
    }
    frames.push(at(7.2, start)?);
    Ok(frames)
}
