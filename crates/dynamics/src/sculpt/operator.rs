//! Operators: how hit faces, and what is around them, move.

use impinge::DVec3;

use super::SculptError;
use super::clay::Clay;
use super::hits::PartHits;
use crate::quantity;

/// How far clay is pressed in one frame, at most, in radii of the tool's part.
const MAX_PRESS: f64 = 0.25;

/// How clay moves where it is hit.
///
/// ```
/// use impinge_dynamics::sculpt::Operator;
/// assert_eq!(Operator::default(), Operator::Press { vicinity: 1.5 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    /// The published one: the vertices of each hit face move by a fixed length against its normal.
    Plain {
        /// The length, in units of the clay.
        step: f64,
    },
    /// Clay gives way against its normal to where the tool touches it: fully at the contact, less and
    /// less farther away. The tool slides along the clay.
    Press {
        /// How far, in radii of the tool's part.
        vicinity: f64,
    },
    /// Clay moves as the tool's contact point does, in any direction: hit faces fully, what is around
    /// them less and less. It sticks to the tool.
    Drag {
        /// How far, in radii of the tool's part.
        vicinity: f64,
    },
}

impl Default for Operator {
    fn default() -> Self {
        Self::Press { vicinity: 1.5 }
    }
}

impl Operator {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plain { .. } => "plain",
            Self::Press { .. } => "press",
            Self::Drag { .. } => "drag",
        }
    }

    pub(super) fn check(&self) -> Result<(), SculptError> {
        match *self {
            Self::Plain { step } => quantity::positive("step of the operator", step)?,
            Self::Press { vicinity } | Self::Drag { vicinity } => {
                quantity::positive("vicinity of the operator", vicinity)?
            }
        };
        Ok(())
    }
}

/// The offsets of vertices, ascending, each once.
pub(super) fn field(clay: &Clay, operator: &Operator, hits: &[PartHits]) -> Vec<(u32, DVec3)> {
    match *operator {
        Operator::Plain { step } => plain(clay, step, hits),
        Operator::Press { vicinity } => carried(clay, vicinity, hits, pressed),
        Operator::Drag { vicinity } => carried(clay, vicinity, hits, |hit| dragged(clay, hit)),
    }
}

/// The faces that are hit, each once, in order.
pub(super) fn hit_faces(hits: &[PartHits]) -> Vec<u32> {
    let mut faces: Vec<u32> = hits
        .iter()
        .flat_map(|hit| hit.faces.iter().copied())
        .collect();
    faces.sort_unstable();
    faces.dedup();
    faces
}

/// Every hit face moves its three vertices; a vertex of several hit faces moves with each.
fn plain(clay: &Clay, step: f64, hits: &[PartHits]) -> Vec<(u32, DVec3)> {
    let faces = hit_faces(hits);
    let mut moves: Vec<(u32, DVec3)> = Vec::with_capacity(3 * faces.len());
    for face in faces {
        let offset = clay.face_normals()[face as usize] * -step;
        moves.extend(clay.faces()[face as usize].map(|v| (v, offset)));
    }
    // Stable, so that the sums have one order.
    moves.sort_by_key(|&(vertex, _)| vertex);
    let mut sums: Vec<(u32, DVec3)> = Vec::with_capacity(moves.len());
    for (vertex, offset) in moves {
        match sums.last_mut() {
            Some((last, sum)) if *last == vertex => *sum += offset,
            _ => sums.push((vertex, offset)),
        }
    }
    sums
}

/// Where clay moves, and by how much; fully up to a distance from the centre, less beyond.
struct Displacement {
    centre: DVec3,
    offset: DVec3,
    plateau: f64,
}

/// Offsets of what is near contacts.
fn carried(
    clay: &Clay,
    vicinity: f64,
    hits: &[PartHits],
    displacements: impl Fn(&PartHits) -> Vec<Displacement>,
) -> Vec<(u32, DVec3)> {
    // Weight and weighted offset of each vertex.
    let mut moves: Vec<(u32, f64, DVec3)> = Vec::new();
    for hit in hits {
        let all = displacements(hit);
        let reach = reach(clay, vicinity, hit);
        let centres: Vec<_> = all
            .iter()
            .map(|one| (one.centre, one.plateau + reach))
            .collect();
        for vertex in vicinity_of(clay, hit, &centres) {
            let place = clay.positions()[vertex as usize];
            // The offset that moves the vertex farthest.
            let mut most = (0.0, DVec3::ZERO);
            for one in &all {
                let beyond = (place.distance(one.centre) - one.plateau).max(0.0);
                let weight = falloff(beyond / reach);
                let moved = one.offset * weight;
                if moved.length_squared() > most.1.length_squared() {
                    most = (weight, moved);
                }
            }
            if most.1 != DVec3::ZERO {
                moves.push((vertex, most.0, most.1));
            }
        }
    }
    moves.sort_by_key(|&(vertex, ..)| vertex);
    let mut sums: Vec<(u32, f64, DVec3)> = Vec::with_capacity(moves.len());
    for (vertex, weight, offset) in moves {
        match sums.last_mut() {
            Some((last, weights, sum)) if *last == vertex => {
                *weights += weight;
                *sum += offset;
            }
            _ => sums.push((vertex, weight, offset)),
        }
    }
    // Where vicinities overlap, no vertex goes farther than the tool.
    sums.into_iter()
        .map(|(vertex, weight, sum)| (vertex, sum / weight.max(1.0)))
        .collect()
}

/// Every dent goes down by its depth; without dents the contact does by a little, until the surfaces
/// do not meet.
fn pressed(hit: &PartHits) -> Vec<Displacement> {
    let most = MAX_PRESS * hit.radius;
    let at = |centre: DVec3, depth: f64| Displacement {
        centre,
        offset: hit.normal * -depth,
        plateau: 0.0,
    };
    if hit.dents.is_empty() {
        return vec![at(hit.contact, 0.1 * most)];
    }
    hit.dents
        .iter()
        .map(|&(place, depth)| at(place, depth.min(most)))
        .collect()
}

/// Hit faces go wholly with the tool, so that it does not lose them.
fn dragged(clay: &Clay, hit: &PartHits) -> Vec<Displacement> {
    let vertices = hit
        .faces
        .iter()
        .flat_map(|&face| clay.faces()[face as usize]);
    let distances = vertices.map(|v| clay.positions()[v as usize].distance(hit.contact));
    vec![Displacement {
        centre: hit.contact,
        offset: hit.travel,
        plateau: distances.fold(0.0, f64::max),
    }]
}

/// How far an operator reaches from a contact: a multiple of the part's radius, but at least the
/// faces that are hit, which may be larger than the tool.
fn reach(clay: &Clay, vicinity: f64, hit: &PartHits) -> f64 {
    let longest = hit.faces.iter().flat_map(|&face| {
        let [a, b, c] = clay.faces()[face as usize].map(|v| clay.positions()[v as usize]);
        [a.distance(b), b.distance(c), c.distance(a)]
    });
    longest.fold(vicinity * hit.radius, f64::max)
}

/// The vertices within reach of a centre that are connected to the hit faces within reach: the other
/// side of a wall is not.
fn vicinity_of(clay: &Clay, hit: &PartHits, centres: &[(DVec3, f64)]) -> Vec<u32> {
    let is_near = |v: u32| {
        let place = clay.positions()[v as usize];
        let mut each = centres.iter();
        each.any(|&(centre, reach)| place.distance_squared(centre) < reach * reach)
    };
    let mut is_seen = vec![false; clay.positions().len()];
    let mut found: Vec<u32> = Vec::new();
    let mut add = |v: u32, found: &mut Vec<u32>| {
        if !is_seen[v as usize] && is_near(v) {
            is_seen[v as usize] = true;
            found.push(v);
        }
    };
    for &face in &hit.faces {
        clay.faces()[face as usize]
            .into_iter()
            .for_each(|v| add(v, &mut found));
    }
    let mut next = 0;
    while let Some(&vertex) = found.get(next) {
        next += 1;
        for &face in clay.faces_around(vertex) {
            clay.faces()[face as usize]
                .into_iter()
                .for_each(|v| add(v, &mut found));
        }
    }
    found
}

/// 1 at the contact, 0 from 1 on, smooth at both ends.
fn falloff(t: f64) -> f64 {
    let rest = (1.0 - t * t).max(0.0);
    rest * rest
}

/// Where displaced clay goes: outwards in a ring around each contact, beside what was moved.
pub(super) fn swelling(
    clay: &Clay,
    vicinity: f64,
    hits: &[PartHits],
    moved: &[u32],
) -> Vec<(u32, DVec3)> {
    let mut weights = vec![0.0_f64; clay.positions().len()];
    for hit in hits {
        let reach = reach(clay, vicinity, hit);
        // A ring between 0.7 and 2.7 times the reach.
        for vertex in vicinity_of(clay, hit, &[(hit.contact, 2.7 * reach)]) {
            let t = clay.positions()[vertex as usize].distance(hit.contact) / reach;
            let weight = falloff(t - 1.7);
            weights[vertex as usize] = weights[vertex as usize].max(weight);
        }
    }
    let ring = weights.iter().filter(|&&weight| weight > 0.0).count();
    if ring < 3 {
        // The tool is as large as the pot: all that was not moved swells, or everything.
        weights.fill(1.0);
        if moved.len() < weights.len() {
            moved.iter().for_each(|&v| weights[v as usize] = 0.0);
        }
    }
    let each = weights
        .into_iter()
        .enumerate()
        .filter(|(_, weight)| *weight > 0.0);
    each.map(|(v, weight)| (v as u32, clay.vertex_normals()[v] * weight))
        .collect()
}
