//! The queries of `web/bench/bench.mjs` in the native library, on one thread: a JSON object of milliseconds by query.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use impinge::geom::Ray;
use impinge::pair::Shape;
use impinge::query::FacePair;
use impinge::{DVec3, Mesh, Pair, Pose, TriMesh};
use impinge_dynamics::sculpt::{Clay, Pot, SculptOptions, Sculptor, Tool, ToolKind};
use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};

const FACES: usize = 65_536;
const ROUNDS: usize = 15;
/// Frames of clay and steps of cloth.
const FRAMES: usize = 90;

type Outcome = Result<(), Box<dyn Error>>;

/// A round takes at least so long: what is quicker is called many times.
const ROUND: Duration = Duration::from_millis(5);

/// The median of the times of a call in milliseconds.
fn median(mut run: impl FnMut() -> Outcome) -> Result<f64, Box<dyn Error>> {
    of_rounds(ROUNDS, |_| {
        let begin = Instant::now();
        let mut calls = 0_u32;
        loop {
            run()?;
            calls += 1;
            let passed = begin.elapsed();
            if passed >= ROUND {
                return Ok(passed / calls);
            }
        }
    })
}

/// The median of what happens once a round: frames, each after the one before.
fn median_frame(mut run: impl FnMut(usize) -> Outcome) -> Result<f64, Box<dyn Error>> {
    of_rounds(FRAMES, |frame| {
        let begin = Instant::now();
        run(frame)?;
        Ok(begin.elapsed())
    })
}

fn of_rounds(
    rounds: usize,
    mut round: impl FnMut(usize) -> Result<Duration, Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let times = (0..rounds).map(|k| Ok(round(k)?.as_secs_f64() * 1e3));
    let mut times = times.collect::<Result<Vec<f64>, Box<dyn Error>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times.get(rounds / 2).copied().unwrap_or(f64::NAN))
}

fn model(name: &str, faces: usize) -> Result<TriMesh, Box<dyn Error>> {
    let kind = impinge::generate::model(name).ok_or("there is no such model")?;
    Ok(kind.make(Some(faces), 0)?)
}

/// Numbers from 0 to 1, the same as in the script.
fn random(seed: u32) -> impl FnMut() -> f64 {
    let mut x = seed;
    move || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(x) / 4_294_967_296.0
    }
}

fn pairs() -> Result<Vec<(&'static str, f64)>, Box<dyn Error>> {
    let knot = model("torus-knot", FACES)?;
    let indexed = || -> Result<Mesh, Box<dyn Error>> {
        let mesh: Mesh = TriMesh::new(knot.positions().to_vec(), knot.faces().to_vec())?.into();
        black_box(mesh.index().bytes());
        Ok(mesh)
    };
    let build = median(|| {
        black_box(indexed()?);
        Ok(())
    })?;
    let (a, b) = (Shape::from(indexed()?), Shape::from(indexed()?));
    let hit = Pose::from_translation([0.9, 0.4, 0.3])?;
    let apart = Pose::from_translation([7.5, 0.4, 0.3])?;
    // A new pair for every query: nothing is learned from the one before.
    let fresh = || Pair::new(&a, &b);
    let any = |at: &Pose| {
        median(|| {
            black_box(fresh()?.intersects(at));
            Ok(())
        })
    };
    let all = median(|| {
        let mut found: Vec<FacePair> = Vec::new();
        let _ = fresh()?.intersections(&hit, &mut found);
        black_box(found);
        Ok(())
    })?;
    let distance = median(|| {
        black_box(fresh()?.distance(&apart));
        Ok(())
    })?;
    let mesh = indexed()?;
    let mut next = random(1);
    let mut point = |side: f64| DVec3::new(next() - 0.5, next() - 0.5, next() - 0.5) * side;
    let rays: Vec<_> = (0..10_000)
        .map(|_| {
            let from = point(12.0);
            Ray::new(from, point(4.0) - from)
        })
        .collect::<Result<_, _>>()?;
    let cast = median(|| {
        for ray in &rays {
            black_box(mesh.cast_ray(ray));
        }
        Ok(())
    })?;
    Ok(vec![
        ("build", build),
        ("any, hit", any(&hit)?),
        ("any, apart", any(&apart)?),
        ("all pairs", all),
        ("distance", distance),
        ("10 000 rays", cast),
    ])
}

/// Ten thousand faces of clay under the whole hand.
fn clay() -> Result<f64, Box<dyn Error>> {
    let clay = Clay::new(&Pot::Ball.mesh(10_000)?)?;
    let tool = Tool::new(ToolKind::WholeHand, 1.0)?;
    let mut sculptor = Sculptor::new(clay, tool, SculptOptions::default())?;
    sculptor.begin_stroke();
    median_frame(|frame| {
        let at = Pose::from_translation([0.0, 0.0, 1.25 - 0.005 * frame as f64])?;
        black_box(sculptor.frame(&at));
        Ok(())
    })
}

/// A cloth of 9800 faces that falls on a ball.
fn cloth() -> Result<f64, Box<dyn Error>> {
    let cloth = ClothDesc {
        cells: [70, 70],
        size: [1.3, 1.3],
        height: 0.6,
        ..ClothDesc::default()
    };
    let config = SoftConfig {
        thickness: 0.008,
        substeps: 2,
        ..SoftConfig::default()
    };
    let mut cloth = SoftBody::cloth(&cloth, config)?;
    let ball = model("icosphere", 2000)?;
    let small = ball.positions().iter().map(|&p: &DVec3| p * 0.4);
    cloth.add_obstacle(&TriMesh::new(small.collect(), ball.faces().to_vec())?)?;
    median_frame(|_| {
        black_box(cloth.step(1.0 / 60.0)?);
        Ok(())
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut rows = pairs()?;
    rows.push(("clay frame", clay()?));
    rows.push(("cloth step", cloth()?));
    let cells: Vec<String> = rows
        .iter()
        .map(|(name, ms)| format!("{name:?}:{ms}"))
        .collect();
    println!("{{{}}}", cells.join(","));
    Ok(())
}
