//! The sphere method: B comes from outside on a straight line to A's centre, until a target is met.
//!
//! The nearest points tell how the distance changes along the line, so that each step is one of Newton's; where the distance is
//! that of a vertex and a plane, the first one meets its target. A step that would leave what is known to hold the target is
//! replaced by bisection. On a line that passes A without coming near enough, the search goes on from the nearest place
//! straight towards A: by the distance it still lacks, since the nearest points then are exactly that far apart, and a
//! movement changes no distance by more than its length. Every line gives exactly one configuration per target that way.

use impinge::DVec3;

use super::file::{Configuration, FoundBy};
use super::scene::{DistanceAt, OrientationQuery, TOLERANCE, VolumeAt};

/// Steps to one target.
const MAX_STEPS: usize = 60;
/// A step may be this many times the distance that is lacking; more could pass through a thin part.
const LONGEST_STEP: f64 = 4.0;
/// The first step into A, as a part of A's diagonal.
const FIRST_PUSH: f64 = 0.01;
/// The longest, likewise.
const LONGEST_PUSH: f64 = 0.06;
/// Steps along the gradient of the volume.
const MAX_CLIMB: usize = 80;
/// Their length, as a part of A's diagonal.
const CLIMB: f64 = 0.02;
/// Searches aim at this part of the tolerance, so that what other arithmetic finds is within it too.
const AIM: f64 = 0.9;

/// The wanted distance of a target. Touching is to be nearly so: at a gap of nothing, engines that round would have no right answer.
fn wanted(level: f64, diagonal: f64) -> f64 {
    diagonal * level.max(0.5 * TOLERANCE)
}

/// How far the distance may be from [`wanted`].
fn room(level: f64, diagonal: f64) -> f64 {
    let part = if level == 0.0 { 0.5 } else { 1.0 };
    AIM * part * TOLERANCE * diagonal
}

/// Configurations at all distances along one line, the nearest first.
pub(super) fn distances(
    probe: &mut OrientationQuery<'_>,
    direction: DVec3,
    levels: &[f64],
) -> anyhow::Result<Vec<Configuration>> {
    let diagonal = probe.scene.diagonal;
    let mut found = Vec::with_capacity(levels.len());
    let (mut at, mut way) = (outside(probe, direction, levels)?, FoundBy::Line);
    for (number, level) in levels.iter().enumerate().rev() {
        (at, way) = approach(probe, direction, (at, way), *level)?;
        found.push(Configuration::new(
            number,
            way,
            at.offset,
            at.distance / diagonal,
        ));
    }
    found.reverse();
    Ok(found)
}

/// Where a line begins: farther than every target.
fn outside(
    probe: &mut OrientationQuery<'_>,
    direction: DVec3,
    levels: &[f64],
) -> anyhow::Result<DistanceAt> {
    let farthest = levels.iter().copied().fold(0.0, f64::max);
    let scene = probe.scene;
    probe.gap(direction * (scene.reach + (farthest + 2.0 * TOLERANCE) * scene.diagonal))
}

/// From a place that is farther than the target to one that meets it.
fn approach(
    probe: &mut OrientationQuery<'_>,
    direction: DVec3,
    (at, way): (DistanceAt, FoundBy),
    level: f64,
) -> anyhow::Result<(DistanceAt, FoundBy)> {
    let diagonal = probe.scene.diagonal;
    let (wanted, room) = (wanted(level, diagonal), room(level, diagonal));
    let mut nearest = at;
    if way == FoundBy::Line {
        match along(probe, direction, at, wanted, room)? {
            Ok(there) => return Ok((there, FoundBy::Line)),
            Err(passed) => nearest = passed,
        }
    }
    for _ in 0..MAX_STEPS {
        let lack = nearest.distance - wanted;
        if lack.abs() <= room {
            return Ok((nearest, FoundBy::Shortest));
        }
        nearest = probe.gap(nearest.offset - nearest.gradient * lack)?;
        if nearest.distance == 0.0 {
            break;
        }
    }
    Ok((nearest, FoundBy::Unreached))
}

/// A place on the line with the wanted distance, or the nearest farther one that was seen.
fn along(
    probe: &mut OrientationQuery<'_>,
    direction: DVec3,
    from: DistanceAt,
    wanted: f64,
    room: f64,
) -> anyhow::Result<Result<DistanceAt, DistanceAt>> {
    let mut at = from;
    let mut t = from.offset.dot(direction);
    let (mut outside, mut inside) = (t, None);
    let mut nearest = from;
    for _ in 0..MAX_STEPS {
        let lack = at.distance - wanted;
        if lack.abs() <= room {
            return Ok(Ok(at));
        }
        if lack > 0.0 {
            outside = t;
            if at.distance < nearest.distance {
                nearest = at;
            }
        } else {
            inside = Some(t);
        }
        let slope = at.gradient.dot(direction);
        let newton =
            t - (lack / slope).clamp(-LONGEST_STEP * lack.abs(), LONGEST_STEP * lack.abs());
        t = match inside {
            Some(inside) if inside < newton && newton < outside && slope > 0.0 => newton,
            Some(inside) => 0.5 * (inside + outside),
            None if slope > 0.0 => newton,
            // Moving on makes it farther: by no more than it lacks, lest something is passed.
            None => t - lack,
        };
        if t < -probe.scene.reach {
            break;
        }
        at = probe.gap(direction * t)?;
    }
    Ok(Err(nearest))
}

/// Configurations at all volumes along one line, the least first. Nothing is shared at the target of 0, where they touch.
pub(super) fn volumes(
    probe: &mut OrientationQuery<'_>,
    direction: DVec3,
    levels: &[f64],
    unit: f64,
) -> anyhow::Result<Vec<Configuration>> {
    let start = (outside(probe, direction, &[0.0])?, FoundBy::Line);
    let (touching, mut way) = approach(probe, direction, start, 0.0)?;
    // Whoever had to be led to A is pushed on the same way.
    let inwards = match way {
        FoundBy::Line => -direction,
        _ => -touching.gradient,
    };
    let mut found = Vec::with_capacity(levels.len());
    let mut at = VolumeAt {
        offset: touching.offset,
        volume: 0.0,
        gradient: DVec3::ZERO,
    };
    let mut seen = vec![at];
    for (number, level) in levels.iter().enumerate() {
        if *level > 0.0 && way != FoundBy::Unreached {
            let wanted = level * unit;
            let mut next = None;
            if way != FoundBy::Ascent {
                next = push(probe, inwards, at, wanted, unit, &mut seen)?;
            }
            if next.is_none() {
                way = FoundBy::Ascent;
                let most = seen.iter().max_by(|x, y| x.volume.total_cmp(&y.volume));
                let from = if at.volume > 0.0 {
                    at
                } else {
                    *most.unwrap_or(&at)
                };
                next = climb(probe, from, wanted, unit)?;
            }
            match next {
                Some(next) => at = next,
                None => way = FoundBy::Unreached,
            }
        }
        found.push(Configuration::new(number, way, at.offset, at.volume / unit));
    }
    Ok(found)
}

/// A place farther along `inwards` that shares the wanted volume; none if the line leaves A before.
fn push(
    probe: &mut OrientationQuery<'_>,
    inwards: DVec3,
    from: VolumeAt,
    wanted: f64,
    unit: f64,
    seen: &mut Vec<VolumeAt>,
) -> anyhow::Result<Option<VolumeAt>> {
    let diagonal = probe.scene.diagonal;
    let depth = |at: &VolumeAt| (at.offset - from.offset).dot(inwards);
    // Earlier steps that went too far are a bound for this target.
    let beyond = seen
        .iter()
        .filter(|at| depth(at) > 0.0 && at.volume > wanted)
        .min_by(|x, y| depth(x).total_cmp(&depth(y)))
        .copied();
    let mut at = from;
    let (mut before, mut after) = (0.0, beyond.as_ref().map(depth));
    if let Some(beyond) = beyond.filter(|b| b.volume - wanted < wanted - from.volume) {
        at = beyond;
    }
    let end = 2.0 * probe.scene.reach;
    for _ in 0..MAX_STEPS {
        let lack = wanted - at.volume;
        let here = depth(&at);
        if lack.abs() <= AIM * TOLERANCE * unit {
            return Ok(Some(at));
        }
        if lack > 0.0 {
            before = here;
        } else {
            after = Some(here);
        }
        let slope = at.gradient.dot(inwards);
        let next = match after {
            Some(after) => {
                let next = here + newton(&at, wanted, slope);
                if slope > 0.0 && before < next && next < after {
                    next
                } else {
                    0.5 * (before + after)
                }
            }
            None if slope > 0.0 && at.volume > 0.0 => {
                let step = newton(&at, wanted, slope);
                here + step.clamp(0.1 * FIRST_PUSH * diagonal, LONGEST_PUSH * diagonal)
            }
            None => here + FIRST_PUSH * diagonal,
        };
        if next > end {
            break;
        }
        at = probe.shared(from.offset + inwards * next)?;
        seen.push(at);
    }
    Ok(None)
}

/// Newton's step for the root of the volume: volumes of shallow overlaps grow at least with the square of the depth.
fn newton(at: &VolumeAt, wanted: f64, slope: f64) -> f64 {
    let (root, goal) = (at.volume.max(0.0).sqrt(), wanted.sqrt());
    2.0 * root * (goal - root) / slope
}

/// Along the gradient of the volume until the wanted one is shared, then back to where it is met.
fn climb(
    probe: &mut OrientationQuery<'_>,
    from: VolumeAt,
    wanted: f64,
    unit: f64,
) -> anyhow::Result<Option<VolumeAt>> {
    let mut at = from;
    for _ in 0..MAX_CLIMB {
        let Some(up) = at.gradient.try_normalize() else {
            return Ok(None);
        };
        let next = probe.shared(at.offset + up * (CLIMB * probe.scene.diagonal))?;
        if next.volume >= wanted {
            return between(probe, at, next, wanted, unit);
        }
        at = next;
    }
    Ok(None)
}

/// A place between two with the wanted volume, of which the first shares less and the second at least so much.
pub(super) fn between(
    probe: &mut OrientationQuery<'_>,
    less: VolumeAt,
    more: VolumeAt,
    wanted: f64,
    unit: f64,
) -> anyhow::Result<Option<VolumeAt>> {
    let span = more.offset - less.offset;
    let (mut low, mut high) = ((0.0, less.volume), (1.0, more.volume));
    for step in 0..MAX_STEPS {
        // False position, and every third time bisection, which alone is sure to end.
        let part = (wanted - low.1) / (high.1 - low.1);
        let part = if step % 3 == 2 || !(0.01..0.99).contains(&part) {
            0.5
        } else {
            part
        };
        let s = low.0 + part * (high.0 - low.0);
        let at = probe.shared(less.offset + span * s)?;
        if (at.volume - wanted).abs() <= AIM * TOLERANCE * unit {
            return Ok(Some(at));
        }
        if at.volume < wanted {
            low = (s, at.volume);
        } else {
            high = (s, at.volume);
        }
    }
    Ok(None)
}
