//! `impinge query`: the faces in which two meshes meet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use impinge::Pose;
use impinge::query::{FacePair, Outcome, Separation};
use serde::Serialize;

use crate::args::QueryArgs;
use crate::containment::Containment;
use crate::intersection::{self, Intersection};
use crate::model_source::{Loaded, Source};
use crate::output::Output;
use crate::pose_file::ReadPose;
use crate::progress::Progress;
use crate::{Answer, number, picture, pose_file};

#[derive(Serialize)]
struct Record {
    /// Null when the tests ran out before one was found.
    intersects: Option<bool>,
    face_pairs: usize,
    /// Whether `face_pairs` counts all of them.
    complete: bool,
    /// Surfaces that share no point: whether one body is inside the other.
    contained: Option<Containment>,
    a: Operand,
    b: Operand,
    a_from_b: [f64; 16],
    pose_repaired: bool,
    engine: &'static str,
    /// Between surfaces that share no point, from an engine that tells it.
    distance: Option<Distance>,
    work: WorkRecord,
    milliseconds: Milliseconds,
}

#[derive(Serialize)]
struct Operand {
    source: String,
    vertices: usize,
    faces: usize,
    /// Faces that take part in a pair.
    intersecting_faces: usize,
}

/// A smallest distance, and a point of each mesh at that distance, in A's frame.
#[derive(Serialize)]
struct Distance {
    value: f64,
    point_a: [f64; 3],
    point_b: [f64; 3],
}

impl From<Separation> for Distance {
    fn from(separation: Separation) -> Self {
        Self {
            value: separation.distance,
            point_a: separation.point_a.to_array(),
            point_b: separation.point_b.to_array(),
        }
    }
}

#[derive(Serialize)]
struct WorkRecord {
    volume_tests: u64,
    face_tests: u64,
}

#[derive(Serialize)]
struct Milliseconds {
    load: f64,
    index: f64,
    search: f64,
}

/// Answers the question.
pub(crate) fn run(args: &QueryArgs, out: &mut Output) -> anyhow::Result<Answer> {
    let pose = match &args.pose {
        Some(path) => pose_file::read(path, args.repair_pose)?,
        None => ReadPose {
            a_from_b: Pose::IDENTITY,
            repaired: false,
        },
    };
    if pose.repaired {
        out.remark("the pose was not a rotation; the nearest one is used");
    }
    let started = Instant::now();
    let a = load(&args.a, args, out)?;
    let b = load(&args.b, args, out)?;
    let load_ms = intersection::milliseconds_since(started);
    let placed_b = b
        .mesh
        .placed(&pose.a_from_b)
        .with_context(|| format!("{} as placed by the pose", args.b))?;

    let progress = Progress::new("intersecting", out.is_quiet());
    let found = intersection::intersect(
        args.engine,
        &a.mesh,
        &b.mesh,
        &pose.a_from_b,
        args.limit_tests,
        args.pairs.is_some() || args.png.is_some(),
        &progress,
    );
    drop(progress);

    if let Some(path) = &args.pairs {
        write_pairs(path, &found.pairs, &a, &b)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.png {
        let mut scene = picture::pair_scene(&a.mesh, &placed_b, &found.pairs);
        scene.up = args.up;
        picture::save(&scene, path)?;
    }
    let settled = found.count == 0 && found.outcome == Outcome::Complete;
    let contained = settled
        .then(|| Containment::of(&a.mesh, &placed_b))
        .flatten();
    let question = Question {
        args,
        pose,
        a,
        b,
        load_ms,
    };
    report(&question, &found, contained, out)
}

fn load(source: &Source, args: &QueryArgs, out: &Output) -> anyhow::Result<Loaded> {
    let loaded = source.load(&args.reading)?;
    for note in &loaded.model.notes {
        out.remark(format_args!("{source}: {note}"));
    }
    Ok(loaded)
}

/// What was asked.
struct Question<'a> {
    args: &'a QueryArgs,
    pose: ReadPose,
    a: Loaded,
    b: Loaded,
    load_ms: f64,
}

fn report(
    question: &Question<'_>,
    found: &Intersection,
    contained: Option<Containment>,
    out: &mut Output,
) -> anyhow::Result<Answer> {
    let Question {
        args,
        pose,
        a,
        b,
        load_ms,
    } = question;
    let complete = found.outcome == Outcome::Complete;
    let pairs = found.count;
    let intersects = match (pairs, complete) {
        (0, true) => Some(false),
        (0, false) => None,
        _ => Some(true),
    };
    let [faces_a, faces_b] = found.faces_hit;
    let operand = |source: &Source, loaded: &Loaded, intersecting_faces| Operand {
        source: source.to_string(),
        vertices: loaded.mesh.vertex_count(),
        faces: loaded.mesh.face_count(),
        intersecting_faces,
    };
    out.record(&Record {
        intersects,
        face_pairs: pairs,
        complete,
        contained,
        a: operand(&args.a, a, faces_a),
        b: operand(&args.b, b, faces_b),
        a_from_b: pose.a_from_b.to_row_major(),
        pose_repaired: pose.repaired,
        engine: args.engine.name(),
        distance: found.separation.map(Distance::from),
        work: WorkRecord {
            volume_tests: found.work.volume_tests,
            face_tests: found.work.face_tests,
        },
        milliseconds: Milliseconds {
            load: *load_ms,
            index: found.index_ms,
            search: found.search_ms,
        },
    })?;

    out.line(match intersects {
        Some(true) if complete => format!(
            "yes: {} intersect",
            number::count_of(pairs, "face pair", "face pairs")
        ),
        Some(true) => format!(
            "yes: at least {} intersect (--limit-tests was reached)",
            number::count_of(pairs, "face pair", "face pairs")
        ),
        Some(false) => match contained {
            Some(contained) => {
                format!("no: the surfaces share no point, but {}", contained.words())
            }
            None => match found.separation {
                Some(s) => format!("no: the surfaces are {} apart", s.distance),
                None => "no: the surfaces share no point".to_owned(),
            },
        },
        None => "undecided: --limit-tests was reached before a pair was found".to_owned(),
    })?;
    let side = |source: &Source, loaded: &Loaded, hit| {
        format!(
            "{source}, {} of {} intersect",
            number::count(hit),
            number::count_of(loaded.mesh.face_count(), "face", "faces")
        )
    };
    out.facts(&[
        ("a", side(&args.a, a, faces_a)),
        ("b", side(&args.b, b, faces_b)),
        (
            "work",
            format!(
                "{} box tests, {} exact face tests in {}",
                number::count(found.work.volume_tests as usize),
                number::count(found.work.face_tests as usize),
                number::duration(found.index_ms + found.search_ms)
            ),
        ),
    ])?;
    for path in [&args.pairs, &args.png].into_iter().flatten() {
        out.line(format_args!("  wrote {}", path.display()))?;
    }
    Ok(match intersects {
        Some(true) => Answer::Yes,
        Some(false) => Answer::No,
        None => Answer::Failed,
    })
}

/// Writes the pairs as comma-separated values; where a file has polygons with more than three
/// corners, their numbers stand beside those of the triangles cut from them.
fn write_pairs(path: &Path, pairs: &[FacePair], a: &Loaded, b: &Loaded) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let with_polygons = a.polygons.is_some() || b.polygons.is_some();
    writeln!(
        file,
        "face_a,face_b{}",
        if with_polygons {
            ",polygon_a,polygon_b"
        } else {
            ""
        }
    )?;
    let polygon = |loaded: &Loaded, face: u32| match &loaded.polygons {
        Some(polygons) => polygons.get(face as usize).copied().unwrap_or(face),
        None => face,
    };
    for pair in pairs {
        let (face_a, face_b) = (pair.a.raw(), pair.b.raw());
        write!(file, "{face_a},{face_b}")?;
        if with_polygons {
            write!(file, ",{},{}", polygon(a, face_a), polygon(b, face_b))?;
        }
        writeln!(file)?;
    }
    file.flush()
}
