//! How long building takes, and how much memory the result.

use anyhow::Context;
use impinge::{TriMesh, generate};

use super::{Record, Scale};
use crate::engines::{Engine, JUDGE, OURS};
use crate::measure::quantile;
use crate::ours;
use crate::runner::Runner;

const MODEL: &str = "torus-knot";

pub(super) fn measure(
    engines: &[Engine],
    scale: &Scale,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    let model = generate::model(MODEL).with_context(|| format!("no model {MODEL}"))?;
    let mesh = model.make(Some(scale.build_faces), 1)?;
    let faces = mesh.face_count();
    eprintln!("{MODEL}: build of {faces} faces");
    let folder = std::env::temp_dir().join(format!("impinge-bench-build-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let files = [folder.join("a.mesh"), folder.join("b.mesh")];
    ours::write(&files[0], &mesh)?;
    // Only A is timed; B is there because runners take two.
    ours::write(
        &files[1],
        &TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?,
    )?;
    let mut runners = Vec::new();
    for engine in engines.iter().filter(|engine| engine.name != JUDGE) {
        if engine.name == OURS {
            runners.push((
                engine.name.clone(),
                Runner::start_on(engine, &files[0], &files[1], 2)?,
            ));
            runners.push((
                format!("{OURS} (one thread)"),
                Runner::start(engine, &files[0], &files[1])?,
            ));
        } else {
            match Runner::start(engine, &files[0], &files[1]) {
                Ok(runner) => runners.push((engine.name.clone(), runner)),
                Err(error) => eprintln!("  left out: {error:#}"),
            }
        }
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); runners.len()];
    for _ in 0..scale.builds {
        for ((_, runner), times) in runners.iter_mut().zip(&mut times) {
            times.push(runner.build()?.nanoseconds_a);
        }
    }
    for ((name, runner), times) in runners.iter_mut().zip(&times) {
        records.push(Record {
            pair: MODEL.to_owned(),
            class: "build".to_owned(),
            faces: [faces, 0],
            gap: runner.quality()?.unwrap_or(f64::NAN),
            question: "build".to_owned(),
            engine: name.clone(),
            version: runner.version.clone(),
            answer: Some(runner.built.bytes_a),
            verdict: "right".to_owned(),
            hot_ns: quantile(times, 0.5),
            spread_ns: quantile(times, 0.75)
                .zip(quantile(times, 0.25))
                .map(|(hi, lo)| hi - lo),
            ..Record::default()
        });
    }
    // What cannot be removed is left to the system.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
