//! Walls of rooms, boxes of twelve faces that cross at the corners: what a clash of the smallest parts costs.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use impinge::clash::{Clash, ClashKind, ClashOptions, Part, find_clashes};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::meshes::cuboid;

use crate::sample_statistics::median;
use crate::thread_cpu_time::process_time;
use crate::{Bar, Bars};

/// Walls of the small scene, which is compared with brute force, and of the large one.
pub(super) const FEW: usize = 60;
const MANY: usize = 2000;
/// The processor time that the large scene may take, all threads together.
const MOST_SECONDS: f64 = 0.5;
/// The processor time that a crossing may take.
const MOST_MS: f64 = 0.1;
/// Processor time comes in steps of a hundredth of a second, so that a scene is repeated until that is little.
const LEAST_SECONDS: f64 = 1.0;
const MOST_ROUNDS: usize = 2000;

/// Walls of a room: two along x and two along y, each 0.2 m thick and 3 m high. They reach beyond the corners, so that each
/// of the first crosses each of the others.
const ROOM: [[[f64; 3]; 2]; 4] = [
    [[0.0, 0.5, 0.0], [5.0, 0.7, 3.0]],
    [[0.0, 3.3, 0.0], [5.0, 3.5, 3.0]],
    [[0.5, 0.0, 0.0], [0.7, 4.0, 3.0]],
    [[4.3, 0.0, 0.0], [4.5, 4.0, 3.0]],
];
/// From one room to the next; a room is 6.4 m across.
const SPACING: f64 = 7.0;
/// By how much every second room is turned.
const TURN: f64 = 0.5;

/// So many walls, four to a room, each a mesh of its own.
pub(super) fn walls(count: usize) -> anyhow::Result<Vec<Part>> {
    let side = (count as f64 / 4.0).sqrt().ceil().max(1.0) as usize;
    let place = |i: usize| {
        let room = i / 4;
        let [min, max] = ROOM[i % 4].map(DVec3::from);
        let at = [room % side, room / side].map(|k| k as f64 * SPACING);
        let turn = if room.is_multiple_of(2) { 0.0 } else { TURN };
        Ok(Part {
            name: format!("wall {i}"),
            mesh: Arc::new(cuboid(min, max)),
            world_from_part: Pose::from_axis_angle([0.0, 0.0, 1.0], turn, [at[0], at[1], 0.0])?,
        })
    };
    (0..count).map(place).collect()
}

fn clashes(parts: &[Part]) -> anyhow::Result<Vec<Clash>> {
    let mut found = Vec::new();
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let options = ClashOptions::default();
    let _ = find_clashes(parts, &|_, _| true, &options, &mut go_on, &mut found)?;
    Ok(found)
}

/// How many crossings are found, and what both scenes cost.
pub(super) fn measure(bars: &mut Bars) -> anyhow::Result<()> {
    for count in [FEW, MANY] {
        let parts = walls(count)?;
        let (mut found, mut times) = (clashes(&parts)?, Vec::new());
        let before = process_time();
        while times.is_empty()
            || (times.iter().sum::<f64>() < LEAST_SECONDS && times.len() < MOST_ROUNDS)
        {
            let start = Instant::now();
            found = clashes(&parts)?;
            times.push(start.elapsed().as_secs_f64());
        }
        let rounds = times.len() as f64;
        let spent = before.zip(process_time());
        let seconds = spent.map(|(from, to)| to.saturating_sub(from).as_secs_f64() / rounds);
        let is_crossing = |clash: &&Clash| clash.kind == ClashKind::Crossing;
        let crossings = found.iter().filter(is_crossing).count();
        let each = seconds.map(|seconds| 1e3 * seconds / crossings.max(1) as f64);
        let shown = |figure: Option<f64>| figure.map_or("-".to_owned(), |x| format!("{x:.4}"));
        println!(
            "walls: {count} walls of 12 faces, {crossings} crossings in {:.4} s; {} s of processor time, {} ms for a crossing",
            median(&mut times),
            shown(seconds),
            shown(each),
        );
        // A room of four walls has four corners.
        bars.say(
            Bar::of(crossings == count && found.len() == count),
            format_args!("{count} walls: {crossings} crossings and no other clash, asked {count}"),
        );
        if count == MANY {
            bars.say(
                Bar::at_most(seconds, MOST_SECONDS),
                format_args!(
                    "{count} walls: {} s of processor time, asked at most {MOST_SECONDS} s",
                    shown(seconds)
                ),
            );
        }
        bars.say(
            Bar::at_most(each, MOST_MS),
            format_args!(
                "{count} walls: {} ms of processor time for a crossing, asked at most {MOST_MS} ms",
                shown(each)
            ),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{FEW, clashes, walls};
    use impinge::clash::ClashKind;

    #[test]
    fn each_wall_crosses_the_two_at_its_ends_and_no_other() {
        let parts = walls(FEW).unwrap();
        let mut found: Vec<[u32; 2]> = Vec::new();
        for clash in clashes(&parts).unwrap() {
            assert_eq!(clash.kind, ClashKind::Crossing);
            found.push([clash.a, clash.b]);
        }
        let corners = |room: u32| {
            let first = 4 * room;
            [[0, 2], [0, 3], [1, 2], [1, 3]].map(|pair: [u32; 2]| pair.map(|wall| first + wall))
        };
        let expected: Vec<[u32; 2]> = (0..FEW as u32 / 4).flat_map(corners).collect();
        assert_eq!(found, expected);
    }
}
