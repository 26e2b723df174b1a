//! The Potter: frames a second for pots and tools, beside the published ones, and many strokes with the
//! guard.
//!
//! `cargo run --release -p impinge-dynamics --example potter [STROKES]`
//!
//! A frame is detection and response, without drawing. The published frames are with drawing, on a
//! machine of 1994.

use std::error::Error;
use std::time::Instant;

use impinge::glam::DQuat;
use impinge::math::Rng;
use impinge::prelude::Mesh;
use impinge::{DVec3, Pose};
use impinge_dynamics::sculpt::{Clay, Mode, Pot, SculptOptions, Sculptor, Stroke, Tool, ToolKind};

/// Polygons of a pot, tool, and published frames a second: plain, and improved for a still pot.
const PUBLISHED: [(usize, ToolKind, &str); 4] = [
    (
        9944,
        ToolKind::WholeHand,
        "3-4, 5-7 improved, 13-15 concurrent",
    ),
    (9944, ToolKind::Forefinger, "8-10, 10-12 improved"),
    (4220, ToolKind::WholeHand, "10-13, 15-20 improved"),
    (4220, ToolKind::Forefinger, "20, 23-28 improved"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let strokes: usize = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 10_000,
    };
    frame_rates()?;
    many_strokes(strokes)
}

/// A tool in front of the pot, and as deep in it as its operator needs to have work in every frame.
fn hand_stroke(rng: &mut Rng, frames: usize) -> Result<Stroke, Box<dyn Error>> {
    let from = rng.direction();
    let turn = DQuat::from_rotation_arc(DVec3::Z, from);
    let pose = |r: f64| Pose::from_quaternion(turn, from * r);
    Ok(Stroke::new(&pose(1.0)?, &pose(0.6)?, frames, 0.0)?)
}

fn frame_rates() -> Result<(), Box<dyn Error>> {
    println!("frames a second: median, and that of the slowest in a hundred");
    for (polygons, tool, published) in PUBLISHED {
        println!(
            "  {polygons} polygons, {}, published {published}",
            tool.name()
        );
        for pot in Pot::ALL {
            print!("    {:<12}", pot.name());
            let mesh = pot.mesh(polygons)?;
            print!("{:>6} faces", mesh.face_count());
            for (name, options) in [
                ("plain", SculptOptions::published(0.002)),
                ("press, all kept", SculptOptions::default()),
            ] {
                for mode in [Mode::Serial, Mode::Parallel, Mode::Concurrent] {
                    let options = SculptOptions { mode, ..options };
                    let tool = Tool::new(tool, 0.5)?;
                    let mut sculptor = Sculptor::new(Clay::new(&mesh)?, tool, options)?;
                    let mut rng = Rng::new(1);
                    let mut seconds = Vec::new();
                    for _ in 0..3 {
                        let stroke = hand_stroke(&mut rng, 30)?;
                        sculptor.begin_stroke();
                        for frame in 0..stroke.frames() {
                            let (tool, _) = stroke.at(frame);
                            let start = Instant::now();
                            let report = sculptor.frame(&tool);
                            let time = start.elapsed().as_secs_f64();
                            if report.hit_faces > 0 {
                                seconds.push(time);
                            }
                        }
                    }
                    seconds.sort_by(f64::total_cmp);
                    let at = |part: f64| {
                        let index = (part * seconds.len() as f64) as usize;
                        seconds.get(index).map_or(f64::NAN, |s| 1.0 / s)
                    };
                    print!("  {name} {}: {:.0} {:.0}", mode.name(), at(0.5), at(0.99));
                }
            }
            println!();
        }
    }
    Ok(())
}

/// Strokes of all pots with everything kept, verified in the end.
fn many_strokes(strokes: usize) -> Result<(), Box<dyn Error>> {
    println!("{strokes} strokes of 6 frames with the guard");
    for pot in Pot::ALL {
        let clay = Clay::new(&pot.mesh(1000)?)?;
        let (volume, euler) = (clay.volume(), clay.euler_number());
        let tool = Tool::new(ToolKind::Fingertip, 0.8)?;
        let mut sculptor = Sculptor::new(clay, tool, SculptOptions::default())?;
        sculptor.clay_mut().keep_strokes(10);
        let mut rng = Rng::new(7);
        let (mut moved, mut refused, mut frames) = (0, 0, 0);
        let start = Instant::now();
        for _ in 0..strokes {
            let stroke = hand_stroke(&mut rng, 6)?;
            let report = stroke.run(&mut sculptor);
            moved += report.moved;
            refused += report.refused;
            frames += report.frames;
        }
        let seconds = start.elapsed().as_secs_f64();
        let clay = sculptor.clay();
        let pairs = Mesh::from(clay.mesh()).self_intersections();
        println!(
            "  {:<12} {:>4} faces: {moved} vertices moved, {refused} of {frames} frames refused, \
             volume off by {:.1e}, Euler number {} of {euler}, {} self-intersections, {:.0} frames a second",
            pot.name(),
            clay.faces().len(),
            (clay.volume() / volume - 1.0).abs(),
            clay.euler_number(),
            pairs.len(),
            frames as f64 / seconds,
        );
    }
    Ok(())
}
