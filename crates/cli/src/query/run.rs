//! Loads, queries, prints.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use impinge::Pose;
use impinge::io::Unit;
use impinge::query::FacePair;

use super::answers::Answers;
use super::args::QueryArgs;
use super::engine::{EngineArg, QueryMix, choose_engine};
use super::indexes::{
    EngineOptions, Indexes, SolidIndexes, SolidTrees, meshes_of, milliseconds_since,
};
use super::picture_content::PictureContent;
use super::query_kind::QueryKind;
use super::query_runner::QueryRunner;
use super::record::{Explanation, Operand, Record};
use super::settings::Settings;
use super::text::{LengthText, explanation};
use super::{batch, drawing, probabilistic, scene};
use crate::containment::PieceInside;
use crate::model_source::{Loaded, ModelSource};
use crate::output::Output;
use crate::pose_file::{self, ReadPose};
use crate::{ExitAnswer, atomic_file, cloud, number, picture};

/// Answers the questions.
pub(crate) fn run(args: &QueryArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    if cloud::is_cloud(&args.a) || cloud::is_cloud(&args.b) {
        return cloud::ask(args, out);
    }
    if args.drop_invalid {
        bail!(
            "--drop-invalid is about clouds, and {} and {} are meshes",
            args.a,
            args.b
        );
    }
    let read = |path: &Path| pose_file::read(path, args.repair_pose);
    let pose = args.pose.as_deref().map(read).transpose()?;
    let end = args.to.as_deref().map(read).transpose()?;
    let poses = match &args.poses {
        Some(path) => Some(pose_file::read_many(path, args.repair_pose)?),
        None => None,
    };
    let given = pose.iter().chain(&end).chain(poses.iter().flatten());
    if given.filter(|pose| pose.repaired).count() > 0 {
        out.remark("a pose was not a rotation; the nearest one is used");
    }
    let settings = Settings::new(args, end.map(|end| end.a_from_b))?;

    let started = Instant::now();
    let a = load(&args.a, args, out)?;
    let b = load(&args.b, args, out)?;
    let load_ms = milliseconds_since(started);
    let unit = unit_of(args, [&a, &b], out);
    for pose in pose.iter().chain(&end).chain(poses.iter().flatten()) {
        check_range(&b, &pose.a_from_b)
            .with_context(|| format!("{} as placed by the pose", args.b))?;
    }

    if args.engine == EngineArg::Average {
        let given = probabilistic::QueryInput {
            args,
            settings: &settings,
            loaded: [&a, &b],
            pose,
            poses: poses.as_deref(),
            load_ms,
        };
        return probabilistic::run(&given, out);
    }
    let questions = QueryMix {
        // What needs the default engine's trees is best answered from them altogether, and trees are best shown of it.
        distances: settings.needs_wide_tree()
            || args.show.is_some()
            || settings.asked.iter().any(|q| q.needs_distance()),
        many: poses.as_ref().is_some_and(|poses| poses.len() > 1),
    };
    let choice = choose_engine(args.engine, [&a.mesh, &b.mesh], questions);
    if !choice.engine.is_exact() {
        out.remark(format!(
            "the engine {} does not find exactly the pairs that meet; it is there to be compared",
            choice.engine
        ));
    }
    let options = EngineOptions {
        pixels: args.pixels,
        polygons: [a.polygons.as_deref(), b.polygons.as_deref()],
    };
    let meshes = meshes_of([&a.mesh, &b.mesh]);
    let with_wide = settings.needs_wide_tree();
    let indexes = Indexes::with_options(choice, meshes, with_wide, &options);
    if args.show.is_some() {
        indexes.check_boxes()?;
    }
    let solid_trees = settings
        .needs_solids()
        .then(|| SolidTrees::new([&a, &b], &indexes.meshes));
    let names = [args.a.to_string(), args.b.to_string()];
    let solids = match &solid_trees {
        Some(trees) => Some(SolidIndexes::new(trees, &settings, [&names[0], &names[1]])?),
        None => None,
    };
    let mut inquiry = QueryRunner::new(&settings, indexes, solids, out.is_quiet());
    if let Some(poses) = &poses {
        return batch::run(&mut inquiry, poses, unit, out);
    }

    let pose = pose.unwrap_or(ReadPose {
        a_from_b: Pose::IDENTITY,
        repaired: false,
    });
    let mut answers = inquiry.ask(&pose.a_from_b)?;
    if settings.is_default || settings.asks(QueryKind::Intersects) {
        look_inside(&mut answers, [&a, &b])?;
    }
    let mut written = Vec::new();
    if let Some(path) = &args.pairs {
        let pairs = answers.kept_pairs().unwrap_or_default();
        save(path, pair_table(pairs, &a, &b).as_bytes())?;
        written.push(path);
    }
    if args.png.is_some() || args.glb.is_some() {
        let exhibit = PictureContent::new(&mut inquiry, &answers, args.show)?;
        if let Some(path) = &args.png {
            picture::save(&scene::scene(&exhibit, args.up), path)?;
            written.push(path);
        }
        if let Some(path) = &args.glb {
            save(path, &drawing::glb(&exhibit)?)?;
            written.push(path);
        }
    }

    if let (Some(path), Some(trees)) = (&args.overlap, &solid_trees) {
        let [a, b] = trees.trees();
        save(path, &drawing::overlap(a, b, &pose.a_from_b)?)?;
        written.push(path);
    }

    let pairs = answers.contact.as_ref().and_then(|c| c.pairs.as_ref());
    let operand = |source: &ModelSource, loaded: &Loaded, side: usize| Operand {
        source: source.to_string(),
        vertices: loaded.mesh.vertex_count(),
        faces: loaded.mesh.face_count(),
        intersecting_faces: pairs.map(|pairs| pairs.faces_hit[side]),
    };
    let mut record = Record::new(&inquiry, &answers);
    record.a = Some(operand(&args.a, &a, 0));
    record.b = Some(operand(&args.b, &b, 1));
    record.pose_repaired = pose.repaired;
    record.unit = unit;
    record.milliseconds.load = Some(load_ms);
    record.milliseconds.index = Some(inquiry.indexes().milliseconds);
    record.explain = args.explain.then(|| Explanation::new(&inquiry, &answers));
    out.record(&record)?;

    let words = LengthText { unit };
    if settings.is_default {
        out.line(words.sentence(&answers))?;
        out.facts(&default_facts(args, [&a, &b], &answers, &inquiry))?;
    } else {
        let mut facts = Vec::new();
        for &question in &settings.asked {
            let lines = words.answer(question, &answers, settings.solid);
            for (k, line) in lines.into_iter().enumerate() {
                facts.push((if k == 0 { question.name() } else { "" }, line));
            }
        }
        out.line(format_args!("{} (a) and {} (b)", args.a, args.b))?;
        out.facts(&facts)?;
    }
    if args.explain {
        out.line("explained")?;
        out.facts(&explanation(&inquiry, &answers))?;
    }
    out.wrote(written)?;
    Ok(match answers.exit_verdict(&settings.asked) {
        Some(true) => ExitAnswer::Yes,
        Some(false) => ExitAnswer::No,
        None => ExitAnswer::Failed,
    })
}

fn load(source: &ModelSource, args: &QueryArgs, out: &Output) -> anyhow::Result<Loaded> {
    let loaded = source.load(&args.reading)?;
    for note in &loaded.model.notes {
        out.remark(format_args!("{source}: {note}"));
    }
    Ok(loaded)
}

/// The unit of lengths, where both files or the caller say it.
fn unit_of(args: &QueryArgs, loaded: [&Loaded; 2], out: &Output) -> Option<&'static str> {
    if args.reading.units.is_some() {
        return Some(Unit::Metre.symbol());
    }
    match loaded.map(|one| one.model.unit) {
        [Some(a), Some(b)] if a == b && args.reading.scale == 1.0 => Some(a.symbol()),
        [Some(a), Some(b)] if a != b => {
            out.remark(format_args!(
                "{} is in {a} and {} in {b}: their numbers are compared as they are; convert one of them first",
                args.a, args.b
            ));
            None
        }
        _ => None,
    }
}

/// Refuses a placement that takes the mesh beyond the largest coordinate.
fn check_range(loaded: &Loaded, pose: &Pose) -> anyhow::Result<()> {
    let bounds = loaded.mesh.bounds();
    let largest = impinge::math::MAX_COORDINATE;
    for k in 0..8 {
        let side = |bit: u32, axis: usize| {
            if k & bit == 0 {
                bounds.min[axis]
            } else {
                bounds.max[axis]
            }
        };
        let corner = pose.transform_point([side(1, 0), side(2, 1), side(4, 2)].into());
        if !impinge::math::is_valid_point(corner) {
            bail!("a coordinate exceeds the largest allowed, {largest:e}");
        }
    }
    Ok(())
}

/// Where surfaces share no point, one body may still be inside the other.
fn look_inside(answers: &mut Answers, [a, b]: [&Loaded; 2]) -> anyhow::Result<()> {
    let pose = answers.a_from_b;
    let Some(contact) = &mut answers.contact else {
        return Ok(());
    };
    let may_be_inside = contact.intersects == Some(false)
        && answers.relation.is_none()
        // Loose triangles are joined and a mesh is placed only where the boxes leave room for it.
        && a.mesh.bounds().overlaps(&b.mesh.bounds().transformed(&pose));
    contact.contained = Some(if may_be_inside {
        let placed = b.connected().0.placed(&pose)?;
        PieceInside::of(&a.connected().0, &placed)
    } else {
        None
    });
    Ok(())
}

fn default_facts(
    args: &QueryArgs,
    [a, b]: [&Loaded; 2],
    answers: &Answers,
    inquiry: &QueryRunner<'_>,
) -> Vec<(&'static str, String)> {
    let pairs = answers.contact.as_ref().and_then(|c| c.pairs.as_ref());
    let [hit_a, hit_b] = pairs.map_or([0; 2], |pairs| pairs.faces_hit);
    let side = |source: &ModelSource, loaded: &Loaded, hit| {
        format!(
            "{source}, {} of {} intersect",
            number::count(hit),
            number::count_of(loaded.mesh.face_count(), "face", "faces")
        )
    };
    let mut facts = vec![
        ("a", side(&args.a, a, hit_a)),
        ("b", side(&args.b, b, hit_b)),
    ];
    if let Some(found) = &answers.distance
        && let (Some([p, q]), Some([face_a, face_b])) = (found.points, found.faces)
    {
        facts.push((
            "nearest",
            format!(
                "{} on {face_a} of a, {} on {face_b} of b",
                number::point(p),
                number::point(q)
            ),
        ));
    }
    let work = answers.work();
    facts.push((
        "work",
        format!(
            "{} box tests, {} exact face tests in {}",
            number::count(work.volume_tests as usize),
            number::count(work.face_tests as usize),
            number::duration(inquiry.indexes().milliseconds + answers.milliseconds())
        ),
    ));
    facts
}

fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    atomic_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The pairs as comma-separated values; where a file has polygons with more than three
/// corners, their numbers stand beside those of the triangles cut from them.
fn pair_table(pairs: &[FacePair], a: &Loaded, b: &Loaded) -> String {
    let with_polygons = a.polygons.is_some() || b.polygons.is_some();
    let mut text = String::from("face_a,face_b");
    text += if with_polygons {
        ",polygon_a,polygon_b\n"
    } else {
        "\n"
    };
    let polygon = |loaded: &Loaded, face: u32| match &loaded.polygons {
        Some(polygons) => polygons.get(face as usize).copied().unwrap_or(face),
        None => face,
    };
    for pair in pairs {
        let (face_a, face_b) = (pair.a.raw(), pair.b.raw());
        // Writing into a string cannot fail.
        let _ = write!(text, "{face_a},{face_b}");
        if with_polygons {
            let _ = write!(text, ",{},{}", polygon(a, face_a), polygon(b, face_b));
        }
        text.push('\n');
    }
    text
}
