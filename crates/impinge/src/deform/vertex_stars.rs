//! Vertex stars: proves that the faces around a vertex do not intersect beyond what they share.
//!
//! **Question.** Most candidate pairs share a vertex. Can all pairs around a vertex be excluded at
//! once?
//! **Idea.** Project the faces around a vertex along an axis. If all have the same orientation,
//! each is a sector of less than half a turn. If each edge at the vertex ends one sector and begins
//! another, the sectors follow each other around. If exactly one of them crosses a given ray, they
//! go around once. Then no two overlap: faces that share an edge there touch in that edge only,
//! others in the vertex only. The vertex is *calm*.
//! **Promise.** Exact: orientations are signs of components of the faces' normals beyond their
//! rounding, crossings are comparisons of coordinates. For a vertex that is not calm nothing
//! follows; its pairs are decided one by one.
//! **Cost.** One normal per face, and a few comparisons per corner.
//!
//! *Proof.* Project along the axis, the vertex at the origin. All sectors have angles in `(0, π)`, counter-clockwise after mirroring if need be. Sectors joined end to begin form
//! closed chains, and each chain winds around the origin some number of times, at least once; any ray is crossed by as many sectors in all as the chains wind together. A sector from `P` to `Q`
//! crosses the ray along the first axis, its end counted, exactly when `P` lies below that axis and `Q` not below it. Around a closed chain that happens as often as the
//! contrary, so that the sense in which a star is followed does not matter. If one crosses, there is one chain that winds once, its sectors tile
//! the turn, and two of them have only the origin in common, or the ray between them if one follows the other. A triangle in a sector meets that border ray in its edge only. Points of two faces that coincide have the same projection. ∎

use glam::DVec3;

use super::narrow_phase::in_parts;
use super::separation_filters::{certain_turns, certain_turns_during};

/// Faces or vertices that one part of the work takes.
const PER_PART: usize = 1024;

/// The faces around each vertex, for vertices whose edges each belong to two of them.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexStars {
    /// Where the sectors of each vertex begin, with one more at the end; none for a vertex that is no such star.
    starts: Vec<u32>,
    sectors: Vec<StarSector>,
    has_duplicates: bool,
}

/// A face around a vertex, and its next corner; the one after that is the next corner of the sector that follows.
#[derive(Clone, Copy, Debug)]
struct StarSector {
    face: u32,
    next: u32,
}

impl VertexStars {
    pub(super) fn new(faces: &[[u32; 3]], vertices: usize) -> Self {
        let mut counts = vec![0_u32; vertices + 1];
        for &v in faces.iter().flatten() {
            counts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            counts[v + 1] += counts[v];
        }
        // By vertex: the next corner, the one after that, and the face.
        let mut all = vec![[0_u32; 3]; 3 * faces.len()];
        let mut at = counts.clone();
        for (f, face) in faces.iter().enumerate() {
            for k in 0..3 {
                let slot = &mut at[face[k] as usize];
                all[*slot as usize] = [face[(k + 1) % 3], face[(k + 2) % 3], f as u32];
                *slot += 1;
            }
        }
        let mut stars = Self {
            starts: vec![0],
            sectors: Vec::with_capacity(all.len()),
            has_duplicates: have_duplicates(faces),
        };
        for v in 0..vertices {
            let own = &mut all[counts[v] as usize..counts[v + 1] as usize];
            own.sort_unstable();
            stars.follow(v as u32, own);
            stars.starts.push(stars.sectors.len() as u32);
        }
        stars
    }

    /// Appends the sectors of a vertex, one after the other around it, if they close to one chain. `own` is sorted.
    fn follow(&mut self, vertex: u32, own: &[[u32; 3]]) {
        let from = self.sectors.len();
        let is_each_once = own.windows(2).all(|w| w[0][0] < w[1][0]);
        let Some(&first) = own.first().filter(|_| is_each_once) else {
            return;
        };
        let mut sector = first;
        for count in 1..=own.len() {
            let [next, last, face] = sector;
            if next == vertex || last == vertex {
                break;
            }
            self.sectors.push(StarSector { face, next });
            if last == first[0] {
                if count == own.len() {
                    return;
                }
                // Two chains wind twice, at least.
                break;
            }
            let Ok(following) = own.binary_search_by_key(&last, |s| s[0]) else {
                break;
            };
            sector = own[following];
        }
        self.sectors.truncate(from);
    }

    /// Whether two faces have the same three vertices.
    pub(super) fn has_duplicates(&self) -> bool {
        self.has_duplicates
    }

    /// Which vertices are calm where they are now.
    pub(super) fn calm(
        &self,
        faces: &[[u32; 3]],
        positions: &[DVec3],
        parallel: bool,
    ) -> Vec<bool> {
        let turns = |f: usize| certain_turns(&faces[f].map(|v| positions[v as usize]));
        let turns = each(faces.len(), parallel, turns);
        self.winding_once(&turns, positions, parallel)
    }

    /// Which vertices are calm during a whole step.
    ///
    /// While all sectors of a vertex turn one way, none of its edges vanishes and the chains cannot change how often they wind: it is enough to count
    /// crossings at the start.
    pub(super) fn calm_during(
        &self,
        faces: &[[u32; 3]],
        [start, end]: [&[DVec3]; 2],
        parallel: bool,
    ) -> Vec<bool> {
        let turns = |f: usize| {
            let corners = |frame: &[DVec3]| faces[f].map(|v| frame[v as usize]);
            certain_turns_during(&corners(start), &corners(end))
        };
        let turns = each(faces.len(), parallel, turns);
        self.winding_once(&turns, start, parallel)
    }

    fn winding_once(&self, turns: &[u8], positions: &[DVec3], parallel: bool) -> Vec<bool> {
        each(self.starts.len() - 1, parallel, |v| {
            let own = &self.sectors[self.starts[v] as usize..self.starts[v + 1] as usize];
            is_calm(positions[v], own, turns, positions)
        })
    }
}

fn have_duplicates(faces: &[[u32; 3]]) -> bool {
    let mut sorted = faces.to_vec();
    sorted.iter_mut().for_each(|face| face.sort_unstable());
    sorted.sort_unstable();
    sorted.windows(2).any(|w| w[0] == w[1])
}

/// `value` of each number below `count`.
fn each<T: Send + Clone>(
    count: usize,
    parallel: bool,
    value: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    if !parallel || count <= 4 * PER_PART {
        return (0..count).map(value).collect();
    }
    let part = |i: usize| {
        let to = ((i + 1) * PER_PART).min(count);
        (i * PER_PART..to).map(&value).collect::<Vec<T>>()
    };
    in_parts(parallel, count.div_ceil(PER_PART), part).concat()
}

fn is_calm(center: DVec3, own: &[StarSector], turns: &[u8], positions: &[DVec3]) -> bool {
    let common = own
        .iter()
        .fold(0x3F_u8, |bits, s| bits & turns[s.face as usize]);
    if own.is_empty() || common == 0 {
        return false;
    }
    // Seen along `axis`, the next two axes turn counter-clockwise; the second of them is up.
    let axis = common.trailing_zeros() as usize % 3;
    let up = (axis + 2) % 3;
    let height = center[up];
    // Going around either way, one comes up as often as one goes down: a mirrored star crosses as often.
    let mut crossings = 0;
    let mut was_below = own
        .last()
        .is_some_and(|s| positions[s.next as usize][up] < height);
    for sector in own {
        let is_below = positions[sector.next as usize][up] < height;
        crossings += u32::from(was_below & !is_below);
        was_below = is_below;
    }
    crossings == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn umbrella(heights: [f64; 6], turns: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let mut points = vec![DVec3::ZERO];
        for (k, z) in heights.into_iter().enumerate() {
            let angle = std::f64::consts::TAU * turns * k as f64 / 6.0;
            points.push(DVec3::new(libm::cos(angle), libm::sin(angle), z));
        }
        let faces = (0..6).map(|k| [0, k + 1, (k + 1) % 6 + 1]);
        (points, faces.collect())
    }

    #[test]
    fn flat_and_wavy_umbrellas_are_calm_and_those_wound_twice_are_not() {
        for (heights, turns, expected) in [
            ([0.0; 6], 1.0, true),
            ([0.5, -0.5, 0.5, -0.5, 0.5, -0.5], 1.0, true),
            ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 2.0, false),
        ] {
            let (points, faces) = umbrella(heights, turns);
            let calm = VertexStars::new(&faces, points.len()).calm(&faces, &points, true);
            assert_eq!(calm, [expected, false, false, false, false, false, false]);
        }
    }
}
