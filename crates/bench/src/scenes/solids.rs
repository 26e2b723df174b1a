//! Scenes of solids: balls that grow, and a block that breaks.

use std::time::Instant;

use impinge::math::Rng;
use impinge::{DVec3, generate};

use super::Making;
use super::sequence::{RecordingNotes, Sequence, SequenceFaces, meeting, rounded};

/// Attempts to free a frame before everything stands still.
const MOST_ATTEMPTS: usize = 24;

/// Balls whose vertices fly outwards; where two balls meet, their vertices turn back: 40,960 faces.
///
/// Without that they pass through each other.
pub(super) fn expanding_balls(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let clock = Instant::now();
    let frequency = if making.is_small { 6 } else { 16 };
    let unit = generate::icosphere(1.0, frequency)?;
    let mut rng = Rng::new(making.seed);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let mut topology = SequenceFaces::default();
    for ball in 0..8_u32 {
        let corner = [0, 1, 2].map(|axis| if ball >> axis & 1 == 0 { -1.0 } else { 1.0 });
        let middle = DVec3::from_array(corner) + rng.cube() * 0.15;
        let first = positions.len() as u32;
        positions.extend(unit.positions().iter().map(|&p| rounded(middle + p * 0.35)));
        velocities.extend(unit.positions().iter().map(|&p| p * making.seconds(0.016)));
        topology
            .faces
            .extend(unit.faces().iter().map(|f| f.map(|v| v + first)));
        topology.object_of_face.resize(topology.faces.len(), ball);
    }
    let count = making.frames(90);
    let mut notes = RecordingNotes {
        is_free: making.is_free,
        ..RecordingNotes::default()
    };
    let mut frames = vec![positions];
    while frames.len() < count {
        let before = &frames[frames.len() - 1];
        let mut after: Vec<DVec3> = before
            .iter()
            .zip(&velocities)
            .map(|(&p, &v)| rounded(p + v))
            .collect();
        let mut attempt = 0;
        loop {
            let pairs = meeting(&after, &topology.faces)?;
            if !making.is_free || pairs.is_empty() {
                notes.most_pairs = notes.most_pairs.max(pairs.len());
                break;
            }
            if attempt == MOST_ATTEMPTS {
                notes.stalled += 1;
                after.clone_from(before);
                velocities.iter_mut().for_each(|v| *v = -*v);
                break;
            }
            let mut met = vec![false; after.len()];
            for face in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
                let corners = topology.faces[face.index()];
                corners.iter().for_each(|&v| met[v as usize] = true);
            }
            // Neighbours too, more with every attempt.
            for _ in 0..attempt / 3 {
                let old = met.clone();
                for face in &topology.faces {
                    if face.iter().any(|&v| old[v as usize]) {
                        face.iter().for_each(|&v| met[v as usize] = true);
                    }
                }
            }
            for (v, _) in met.iter().enumerate().filter(|(_, met)| **met) {
                if after[v] != before[v] {
                    notes.held_back += 1;
                    after[v] = before[v];
                    velocities[v] = -velocities[v];
                }
            }
            attempt += 1;
        }
        frames.push(after);
        told(frames.len(), count);
    }
    Ok(Sequence::unbroken(topology, frames, notes, clock))
}

/// A block breaks into 8 pieces and then into 64, which fly apart: faces and objects change twice.
pub(super) fn breaking_solid(
    making: &Making,
    told: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Sequence> {
    let clock = Instant::now();
    let count = making.frames(90);
    let breaks = [0, count / 3, 2 * count / 3];
    let cells = if making.is_small { 16 } else { 48 };
    let mut topologies = Vec::new();
    let mut stages = Vec::new();
    for (stage, &first_frame) in breaks.iter().enumerate() {
        let pieces = 1_u32 << stage;
        let size = 1.0 / f64::from(pieces);
        let piece = generate::cuboid(DVec3::splat(size), [cells / pieces; 3])?;
        let middle = piece.bounds().center();
        let mut topology = SequenceFaces {
            first_frame,
            ..SequenceFaces::default()
        };
        let mut points = Vec::new();
        for number in 0..pieces.pow(3) {
            let place = [number, number / pieces, number / pieces / pieces]
                .map(|k| (f64::from(k % pieces) + 0.5) * size - 0.5);
            let home = DVec3::from_array(place);
            let first = points.len() as u32;
            points.extend(
                piece
                    .positions()
                    .iter()
                    .map(|&p| (home, p - middle, number)),
            );
            topology
                .faces
                .extend(piece.faces().iter().map(|f| f.map(|v| v + first)));
            topology.object_of_face.resize(topology.faces.len(), number);
        }
        topologies.push(topology);
        stages.push(points);
    }
    let mut notes = RecordingNotes {
        is_free: making.is_free,
        ..RecordingNotes::default()
    };
    let mut frames: Vec<Vec<DVec3>> = Vec::new();
    for frame in 0..count {
        let stage = breaks.partition_point(|&b| b <= frame) - 1;
        let since = (frame - breaks[stage]) as f64 / count as f64;
        let spread: f64 = (0..=stage)
            .map(|s| {
                let until = breaks.get(s + 1).map_or(frame, |&b| b.min(frame));
                if s == 0 {
                    0.0
                } else {
                    (until - breaks[s]) as f64 / count as f64
                }
            })
            .sum();
        let mut rng = Rng::new(making.seed);
        let axes: Vec<DVec3> = (0..64).map(|_| rng.direction()).collect();
        let positions: Vec<DVec3> = stages[stage]
            .iter()
            .map(|&(home, local, number)| {
                // A piece is a little smaller than its place, and turns only once there is room for that.
                let (shrink, turn) = if making.is_free {
                    (if stage == 0 { 1.0 } else { 0.97 }, 0.0)
                } else {
                    (1.0, 3.0 * since)
                };
                let axis = axes[number as usize];
                let (sine, cosine) = turn.sin_cos();
                let local = local * shrink;
                let turned = local * cosine
                    + axis.cross(local) * sine
                    + axis * (axis.dot(local) * (1.0 - cosine));
                let fall = DVec3::new(0.0, 0.0, -spread * spread);
                rounded(home * (1.0 + 2.0 * spread) + turned + fall)
            })
            .collect();
        let pairs = meeting(&positions, &topologies[stage].faces)?;
        if making.is_free && !pairs.is_empty() {
            anyhow::bail!(
                "frame {frame} has {} pairs, but is meant to have none",
                pairs.len()
            );
        }
        notes.most_pairs = notes.most_pairs.max(pairs.len());
        frames.push(positions);
        told(frames.len(), count);
    }
    notes.seconds = clock.elapsed().as_secs_f64();
    Ok(Sequence {
        topologies,
        frames,
        notes,
    })
}
