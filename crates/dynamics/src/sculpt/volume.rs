//! Volume, and the swelling that restores it.

use impinge::DVec3;

use super::clay::Clay;

/// Rounds of solving and measuring.
const ROUNDS: usize = 6;
/// Newton steps of a round.
const NEWTON_STEPS: usize = 20;
/// By which part of itself the volume may differ in the end.
pub(super) const VOLUME_TOLERANCE: f64 = 1e-12;

/// The volume inside closed faces that look outwards, about the middle of the first and last vertex.
pub(super) fn signed_volume(positions: &[DVec3], faces: &[[u32; 3]]) -> f64 {
    let origin = match (positions.first(), positions.last()) {
        (Some(&p), Some(&q)) => (p + q) * 0.5,
        _ => return 0.0,
    };
    let mut sum = 0.0;
    for corners in faces {
        let [a, b, c] = corners.map(|v| positions[v as usize] - origin);
        sum += a.dot(b.cross(c));
    }
    sum / 6.0
}

/// Moves vertices along a field until the volume is `target`: each to `p + λ·d` with one λ for all.
/// Returns whether it was reached with `|λ|` at most `most`.
///
/// The volume is a cubic polynomial of λ; a round takes its root by Newton's method and measures
/// again, because places are rounded.
pub(super) fn restore_volume(
    clay: &mut Clay,
    field: &[(u32, DVec3)],
    target: f64,
    most: f64,
) -> bool {
    let mut offset = vec![DVec3::ZERO; clay.positions().len()];
    for &(vertex, direction) in field {
        offset[vertex as usize] = direction;
    }
    let vertices: Vec<u32> = field.iter().map(|&(vertex, _)| vertex).collect();
    let faces = clay.faces_around_all(&vertices);
    let mut reached = 0.0;
    for _ in 0..ROUNDS {
        let missing = target - clay.volume();
        if missing.abs() <= VOLUME_TOLERANCE * target {
            return true;
        }
        let [b, c, d] = coefficients(clay, &faces, &offset);
        let Some(lambda) = root(missing, b, c, d) else {
            return false;
        };
        reached += lambda;
        if reached.abs() > most {
            return false;
        }
        let positions = clay.positions();
        let moves: Vec<(u32, DVec3)> = field
            .iter()
            .map(|&(vertex, direction)| (vertex, positions[vertex as usize] + direction * lambda))
            .collect();
        clay.place(&moves);
    }
    (target - clay.volume()).abs() <= 1e-10 * target
}

/// The coefficients of λ, λ² and λ³ of the volume.
fn coefficients(clay: &Clay, faces: &[u32], offset: &[DVec3]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let Some(&first) = faces.first() else {
        return sums;
    };
    let origin = clay.positions()[clay.faces()[first as usize][0] as usize];
    for &face in faces {
        let corners = clay.faces()[face as usize];
        let [a, b, c] = corners.map(|v| clay.positions()[v as usize] - origin);
        let [p, q, r] = corners.map(|v| offset[v as usize]);
        sums[0] += p.dot(b.cross(c)) + a.dot(q.cross(c)) + a.dot(b.cross(r));
        sums[1] += a.dot(q.cross(r)) + p.dot(b.cross(r)) + p.dot(q.cross(c));
        sums[2] += p.dot(q.cross(r));
    }
    sums.map(|sum| sum / 6.0)
}

/// The root of `b·x + c·x² + d·x³ = missing` that Newton's method finds from 0.
fn root(missing: f64, b: f64, c: f64, d: f64) -> Option<f64> {
    let mut x = 0.0;
    for _ in 0..NEWTON_STEPS {
        let slope = b + x * (2.0 * c + x * 3.0 * d);
        if slope <= 0.0 {
            return None;
        }
        let step = (missing - x * (b + x * (c + x * d))) / slope;
        x += step;
        if step.abs() <= 1e-15 * x.abs() {
            break;
        }
    }
    x.is_finite().then_some(x)
}
