//! Scripts of `impinge sculpt`: files and built-in ones.

use std::path::Path;

use impinge::glam::DQuat;
use impinge::{DMat3, DVec3, Pose, TriMesh};
use impinge_dynamics::sculpt::{
    Mode, Operator, Pot, Repair, SculptOptions, Split, Stroke, Tool, ToolKind,
};
use serde_json::Value;

use crate::built_in::{self, BuiltIn};
use crate::did_you_mean::did_you_mean;
use crate::haptics::fields::Fields;
use crate::model_source::ModelSource;

/// Strokes that one line may repeat.
const MOST_COPIES: f64 = 1000.0;

/// The built-in scripts: name, what it shows, document.
pub(super) const SCRIPTS: [BuiltIn; 2] = [
    (
        "vase",
        "a cylinder on the wheel: waist, foot and lip by a finger, then dents around",
        r#"{"pot": "cylinder", "polygons": 10000, "tool": "fingertip", "size": 1.6, "vicinity": 1.6,
 "strokes": [
  {"from": [1.1, 0, 0.42], "to": [0.56, 0, 0.42], "turns": 8, "frames": 400},
  {"from": [1.1, 0, -0.72], "to": [0.66, 0, -0.72], "turns": 6, "frames": 300},
  {"from": [0, 0, 1.2], "to": [0, 0, 0.5], "frames": 70, "size": 3},
  {"from": [1.2, 0, -0.15], "to": [0.74, 0, -0.15], "frames": 40, "around": 10, "size": 1.4, "vicinity": 2.2}
 ]}"#,
    ),
    (
        "torus",
        "a ring that a whole hand has pressed, by the published operator with repair",
        r#"{"pot": "torus", "polygons": 10000, "tool": "whole-hand", "size": 0.6, "operator": "plain", "step": 0.008, "repair": 10,
 "keep_volume": false, "no_crumpling": false, "guard": false,
 "strokes": [
  {"from": [0.5, -0.5, 0.6], "to": [0.5, -0.5, 0.15], "frames": 60},
  {"from": [-0.3, -1.4, 0.3], "to": [-0.3, -0.9, 0.05], "frames": 60},
  {"from": [-0.6, -0.3, 0.7], "to": [-0.6, -0.3, 0.1], "frames": 60, "tool": "five-fingertips", "size": 0.8}
 ]}"#,
    ),
];

const OPTION_FIELDS: [&str; 11] = [
    "operator",
    "vicinity",
    "step",
    "mode",
    "keep_volume",
    "no_crumpling",
    "guard",
    "repair",
    "split",
    "tool",
    "size",
];

const SCRIPT_FIELDS: [&str; 5] = ["pot", "polygons", "mesh", "strokes", "about"];
const STROKE_FIELDS: [&str; 6] = ["from", "to", "aim", "frames", "turns", "around"];

/// The tool and the options of a stroke.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) kind: ToolKind,
    pub(super) size: f64,
    pub(super) options: SculptOptions,
}

/// A stroke of a script.
#[derive(Clone, Debug)]
pub(super) struct ScriptStroke {
    pub(super) setting: Setting,
    pub(super) stroke: Stroke,
    /// Whether tool and options differ from those of the stroke before.
    pub(super) is_new_setting: bool,
}

/// A pot and what is done to it.
#[derive(Clone, Debug)]
pub(super) struct SculptScript {
    pub(super) name: String,
    pub(super) pot: String,
    pub(super) mesh: TriMesh,
    pub(super) strokes: Vec<ScriptStroke>,
}

impl SculptScript {
    /// A built-in script, or one of a file.
    pub(super) fn open(name: &Path) -> anyhow::Result<Self> {
        built_in::open("script", name, &SCRIPTS, Self::parse)
    }

    /// Reads a document; files are beside it.
    pub(super) fn parse(name: &str, text: &str, folder: &Path) -> anyhow::Result<Self> {
        let document: Value = serde_json::from_str(text)?;
        let fields = Fields::new(text, &document, "")?;
        fields.allow(&[&SCRIPT_FIELDS[..], &OPTION_FIELDS].concat())?;
        let (pot, mesh) = pot(&fields, folder)?;
        let base = Setting {
            kind: ToolKind::Fingertip,
            size: 1.0,
            options: SculptOptions::default(),
        };
        let base = setting(&fields, base)?;
        let mut strokes = Vec::new();
        for (index, value) in fields.list("strokes")?.iter().enumerate() {
            let path = fields.item("strokes", index);
            let fields = Fields::new(text, value, &path)?;
            fields.allow(&[&STROKE_FIELDS[..], &OPTION_FIELDS].concat())?;
            let setting = setting(&fields, base)?;
            let paths = paths(&fields, &setting)?;
            strokes.extend(
                paths
                    .into_iter()
                    .enumerate()
                    .map(|(copy, stroke)| ScriptStroke {
                        setting,
                        stroke,
                        is_new_setting: copy == 0,
                    }),
            );
        }
        if strokes.is_empty() {
            return Err(fields.wrong("strokes", "must list at least one stroke"));
        }
        Ok(Self {
            name: name.to_owned(),
            pot,
            mesh,
            strokes,
        })
    }
}

fn pot(fields: &Fields<'_>, folder: &Path) -> anyhow::Result<(String, TriMesh)> {
    if let Some(name) = fields.word("mesh")? {
        if fields.get("pot").is_some() {
            return Err(fields.wrong("mesh", "cannot stand beside pot: there is one clay"));
        }
        let loaded = ModelSource::load_beside(name, folder)
            .map_err(|error| fields.wrong("mesh", format_args!("{error:#}")))?;
        let (mesh, _) = loaded.connected();
        return Ok((name.to_owned(), (*mesh).clone()));
    }
    let name = fields.word("pot")?.unwrap_or("ball");
    let pot = Pot::named(name).ok_or_else(|| {
        let all = Pot::ALL.map(Pot::name);
        fields.wrong("pot", not_known(name, &all))
    })?;
    let polygons = fields.positive("polygons", 5000.0)?;
    let mesh = pot.mesh(polygons.min(1e9) as usize);
    let mesh =
        mesh.map_err(|error| fields.wrong("polygons", format_args!("is refused: {error}")))?;
    Ok((name.to_owned(), mesh))
}

fn not_known(name: &str, all: &[&'static str]) -> String {
    let near = did_you_mean(name, all.iter().copied());
    near.map_or_else(
        || format!("'{name}' is not known; there are {}", all.join(", ")),
        |near| format!("'{name}' is not known; did you mean '{near}'?"),
    )
}

/// What fields say, and what was before where they say nothing.
fn setting(fields: &Fields<'_>, before: Setting) -> anyhow::Result<Setting> {
    let mut setting = before;
    if let Some(name) = fields.word("tool")? {
        setting.kind = ToolKind::named(name).ok_or_else(|| {
            fields.wrong("tool", not_known(name, &ToolKind::ALL.map(ToolKind::name)))
        })?;
    }
    setting.size = fields.positive("size", before.size)?;
    let options = &mut setting.options;
    let (old_step, old_vicinity) = match before.options.operator {
        Operator::Plain { step } => (step, 1.5),
        Operator::Press { vicinity } | Operator::Drag { vicinity } => (0.01, vicinity),
    };
    let step = fields.positive("step", old_step)?;
    let vicinity = fields.positive("vicinity", old_vicinity)?;
    let name = fields
        .word("operator")?
        .unwrap_or_else(|| before.options.operator.name());
    options.operator = match name {
        "plain" => Operator::Plain { step },
        "press" => Operator::Press { vicinity },
        "drag" => Operator::Drag { vicinity },
        other => {
            return Err(fields.wrong("operator", not_known(other, &["plain", "press", "drag"])));
        }
    };
    if let Some(name) = fields.word("mode")? {
        let mode = Mode::ALL.into_iter().find(|mode| mode.name() == name);
        options.mode =
            mode.ok_or_else(|| fields.wrong("mode", not_known(name, &Mode::ALL.map(Mode::name))))?;
    }
    for (field, flag) in [
        ("keep_volume", &mut options.keep_volume),
        ("no_crumpling", &mut options.no_crumpling),
        ("guard", &mut options.guard),
    ] {
        if fields.get(field).is_some() {
            *flag = fields.flag(field)?;
        }
    }
    if fields.get("repair").is_some() {
        let passes = fields.number("repair", 0.0)?;
        if !(0.0..=1000.0).contains(&passes) {
            let what = format!("must be a number of passes from 0 to 1000, found {passes}");
            return Err(fields.wrong("repair", what));
        }
        options.repair = (passes >= 1.0).then_some(Repair {
            passes: passes as u32,
            ..Repair::default()
        });
    }
    if fields.get("split").is_some() {
        let edge = fields.positive("split", 1.0)?;
        options.split = Some(Split {
            edge,
            ..Split::default()
        });
    }
    Ok(setting)
}

/// The path of a stroke, and its copies around the z axis.
fn paths(fields: &Fields<'_>, setting: &Setting) -> anyhow::Result<Vec<Stroke>> {
    for field in ["from", "to"] {
        if fields.get(field).is_none() {
            return Err(fields.wrong(field, "is missing: a stroke needs where it begins and ends"));
        }
    }
    let from = fields.point("from", DVec3::ZERO)?;
    let to = fields.point("to", DVec3::ZERO)?;
    let ahead = if to == from { -from } else { to - from };
    let aim = fields
        .point("aim", ahead)?
        .try_normalize()
        .unwrap_or(DVec3::NEG_Z);
    // A step of a quarter of the smallest part leaves no gap.
    let tool =
        Tool::new(setting.kind, setting.size).map_err(|error| fields.wrong("size", error))?;
    let steps = (from.distance(to) / (0.25 * tool.least_radius())).clamp(10.0, 10_000.0);
    let frames = fields.positive("frames", steps.ceil())?.min(1e9) as usize;
    let turns = fields.number("turns", 0.0)?;
    let around = fields.positive("around", 1.0)?;
    if !(1.0..=MOST_COPIES).contains(&around) {
        let what = format!("must be a number of copies from 1 to {MOST_COPIES}, found {around}");
        return Err(fields.wrong("around", what));
    }
    // Tools point along −z.
    let turn = DMat3::from_quat(DQuat::from_rotation_arc(DVec3::NEG_Z, aim));
    let mut strokes = Vec::new();
    for copy in 0..around as u32 {
        let angle = std::f64::consts::TAU * f64::from(copy) / around.floor();
        let about = Pose::from_axis_angle(DVec3::Z, angle, DVec3::ZERO)?;
        let pose = |field: &str, p: DVec3| {
            let pose = Pose::nearest(turn, p).map_err(|error| fields.wrong(field, error));
            pose.map(|pose| about * pose)
        };
        let stroke = Stroke::new(&pose("from", from)?, &pose("to", to)?, frames, turns);
        strokes.push(stroke.map_err(|error| fields.wrong("frames", error))?);
    }
    Ok(strokes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_scripts_can_be_read() {
        for (name, _, text) in SCRIPTS {
            let script = SculptScript::parse(name, text, Path::new("."));
            assert!(script.is_ok(), "{name}: {script:?}");
        }
    }
}
