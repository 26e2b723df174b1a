//! How long building takes, and how much memory the result.

use anyhow::Context;
use impinge::{TriMesh, generate};

use super::{BUILD_WEIGHT, Record, RecordWriter, Scale};
use crate::engines::{Engine, JUDGE};
use crate::own_runners;
use crate::pair_measurement::{quantile, scratch};
use crate::runner::{QUERY_LIMIT, Runner};

const MODEL: &str = "torus-knot";
/// Those that can use several threads have this many.
const THREADS: usize = 2;

pub(super) fn measure(
    engines: &[Engine],
    scale: &Scale,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let part = journal.part(BUILD_WEIGHT);
    let model = generate::model(MODEL).with_context(|| format!("no model {MODEL}"))?;
    let mesh = model.make(Some(scale.build_faces), 1)?;
    let faces = mesh.face_count();
    let place = format!("build of {faces} faces");
    let folder = scratch()?;
    let files = [folder.join("a.mesh"), folder.join("b.mesh")];
    own_runners::write(&files[0], &mesh)?;
    // Only A is timed; B is there because runners take two.
    own_runners::write(
        &files[1],
        &TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?,
    )?;
    let mut runners: Vec<(String, Runner, Vec<f64>)> = Vec::new();
    for engine in engines.iter().filter(|engine| engine.name != JUDGE) {
        // obvhs uses threads as ours do; the others have none.
        let is_threaded = engine.is_ours() || engine.name == "obvhs";
        let one = (format!("{} (one thread)", engine.name), 1);
        let both = [(engine.name.clone(), THREADS)].into_iter();
        for (name, threads) in both.chain(is_threaded.then_some(one)) {
            let paths = [files[0].as_path(), files[1].as_path()];
            match Runner::start(engine, paths, threads, QUERY_LIMIT) {
                Ok(runner) => runners.push((name, runner, Vec::new())),
                Err(error) if engine.is_ours() => return Err(error),
                Err(error) => eprintln!("left out: {error:#}"),
            }
        }
    }
    for round in 0..scale.builds {
        if part.is_over() && round > 0 {
            break;
        }
        journal.progress(&place, round, scale.builds);
        for (_, runner, times) in &mut runners {
            // One that fails has a shorter list, or none.
            if let Ok(built) = runner.build() {
                times.push(built.nanoseconds_a);
            }
        }
    }
    journal.progress(&place, scale.builds, scale.builds);
    for (name, runner, times) in &mut runners {
        journal.push(Record {
            pair: MODEL.to_owned(),
            class: "build".to_owned(),
            faces: [faces, 0],
            gap: runner.quality()?.unwrap_or(f64::NAN),
            question: "build".to_owned(),
            engine: name.clone(),
            version: runner.version.clone(),
            answer: Some(runner.built.bytes_a),
            verdict: if times.is_empty() { "died" } else { "right" }.to_owned(),
            hot_ns: quantile(times, 0.5),
            spread_ns: quantile(times, 0.75)
                .zip(quantile(times, 0.25))
                .map(|(hi, lo)| hi - lo),
            ..Record::default()
        })?;
    }
    // What cannot be removed is left to the system.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
