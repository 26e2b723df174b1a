//! Patches of faces, and how much the distances between them can shrink.
//!
//! **Idea.** A patch moves nearly as a rigid body: the shift of each of its particles is the same shift, a small turn, and a rest `e`.
//! Seen from a rigid motion `s + w × x`, two points at `r` from each other are at `r + t (w × r + e)` at time `t`, and `w × r` is
//! perpendicular to `r`; so they come closer by `|e|` at most. This holds for any `s` and `w`, which may therefore be estimates.

use std::ops::Range;

use impinge::DVec3;
use impinge::glam::DMat3;

use super::springs::Particle;

/// The most faces of a patch.
const FACES: usize = 32;

/// Faces that lie together, with the vertices and edges that no patch before has.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub(super) faces: Range<usize>,
    pub(super) edges: Range<usize>,
    pub(super) vertices: Range<usize>,
    /// All particles of its faces.
    pub(super) particles: Range<usize>,
    pub(super) is_obstacle: bool,
}

/// All faces, in patches.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    pub(super) patches: Vec<Patch>,
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) vertices: Vec<u32>,
    pub(super) particles: Vec<u32>,
    /// The smallest particle that a particle is joined with by edges.
    pub(super) component: Vec<u32>,
}

impl Patches {
    /// Patches of the faces, of which the first `own` are the body's.
    pub(super) fn new(positions: &[DVec3], faces: &[[u32; 3]], own: usize) -> Self {
        let component = components(faces, positions.len());
        let centers: Vec<DVec3> = faces
            .iter()
            .map(|face| face.map(|i| positions[i as usize]).iter().sum())
            .collect();
        let mut order: Vec<usize> = (0..faces.len()).collect();
        let group = |f: usize| (f >= own, component[faces[f][0] as usize]);
        order.sort_unstable_by_key(|&f| (group(f), f));
        let mut all = Self { ..Self::default() };
        let edges = edges_of(faces);
        let mut taken = Taken {
            are_edges: vec![false; edges.len()],
            edges,
            are_vertices: vec![false; positions.len()],
        };
        for same in order.chunk_by_mut(|&f, &g| group(f) == group(g)) {
            // Halves of halves, depth first.
            let whole = 0..same.len();
            let mut open = vec![whole];
            while let Some(range) = open.pop() {
                let part = &mut same[range.clone()];
                if part.len() > FACES {
                    let middle = range.start + halve(part, &centers);
                    open.extend([middle..range.end, range.start..middle]);
                } else {
                    all.push(part, faces, own, &mut taken);
                }
            }
        }
        all.component = component;
        all
    }

    fn push(&mut self, numbers: &[usize], faces: &[[u32; 3]], own: usize, taken: &mut Taken) {
        let from = [
            self.faces.len(),
            self.edges.len(),
            self.vertices.len(),
            self.particles.len(),
        ];
        for &f in numbers {
            let face = faces[f];
            self.faces.push(face);
            for k in 0..3 {
                let v = face[k];
                self.particles.push(v);
                let is_new = !std::mem::replace(&mut taken.are_vertices[v as usize], true);
                if is_new {
                    self.vertices.push(v);
                }
                let edge = sorted([v, face[(k + 1) % 3]]);
                if let Ok(at) = taken.edges.binary_search(&edge)
                    && !std::mem::replace(&mut taken.are_edges[at], true)
                {
                    self.edges.push(edge);
                }
            }
        }
        let mut particles = self.particles.split_off(from[3]);
        particles.sort_unstable();
        particles.dedup();
        self.particles.extend(particles);
        self.patches.push(Patch {
            faces: from[0]..self.faces.len(),
            edges: from[1]..self.edges.len(),
            vertices: from[2]..self.vertices.len(),
            particles: from[3]..self.particles.len(),
            is_obstacle: numbers.first().is_some_and(|&f| f >= own),
        });
    }
}

/// Whose vertices and edges stand in a patch already.
struct Taken {
    edges: Vec<[u32; 2]>,
    are_edges: Vec<bool>,
    are_vertices: Vec<bool>,
}

fn sorted([p, q]: [u32; 2]) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

/// The edges of faces, each once, in order. An edge without length is its vertex.
fn edges_of(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let each = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = each.filter(|[p, q]| p != q).map(sorted).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Puts the lower half along the longest axis first, and returns how many it has.
fn halve(faces: &mut [usize], centers: &[DVec3]) -> usize {
    let at = |f: usize| centers[f];
    let low = faces.iter().map(|&f| at(f)).reduce(DVec3::min);
    let high = faces.iter().map(|&f| at(f)).reduce(DVec3::max);
    let size = high.unwrap_or_default() - low.unwrap_or_default();
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let middle = faces.len() / 2;
    faces.select_nth_unstable_by(middle, |&f, &g| {
        at(f)[axis].total_cmp(&at(g)[axis]).then(f.cmp(&g))
    });
    middle
}

/// The smallest particle that each is joined with.
fn components(faces: &[[u32; 3]], particles: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..particles as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            let up = parent[parent[i as usize] as usize];
            parent[i as usize] = up;
            i = up;
        }
        i
    }
    for &[a, b, c] in faces {
        for other in [b, c] {
            let [i, j] = sorted([root(&mut parent, a), root(&mut parent, other)]);
            parent[j as usize] = i;
        }
    }
    (0..particles as u32)
        .map(|i| root(&mut parent, i))
        .collect()
}

/// How a patch moves in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PatchMotion {
    /// The box of its particles over the substep.
    pub(super) min: DVec3,
    pub(super) max: DVec3,
    pub(super) center: DVec3,
    /// The shift of the rigid motion at the centre.
    pub(super) shift: DVec3,
    /// Its turn, as a vector to multiply with.
    turn: DVec3,
    /// The largest rest of a particle.
    rest: f64,
    /// The largest distance of a particle from the centre.
    reach: f64,
}

impl PatchMotion {
    pub(super) fn new(numbers: &[u32], particles: &[Particle]) -> Self {
        let at = |i: &u32| &particles[*i as usize];
        let first = numbers.first().map_or(DVec3::ZERO, |i| at(i).start);
        let (mut min, mut max) = (first, first);
        let (mut center, mut shift) = (DVec3::ZERO, DVec3::ZERO);
        for i in numbers {
            let (start, end) = (at(i).start, at(i).end());
            (min, max) = (min.min(start).min(end), max.max(start).max(end));
            center += start;
            shift += at(i).shift;
        }
        let share = 1.0 / numbers.len().max(1) as f64;
        (center, shift) = (center * share, shift * share);
        // The turn that fits best: the inertia of the places times it is the momentum of the shifts.
        let mut momentum = DVec3::ZERO;
        let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
        for i in numbers {
            let (r, d) = (at(i).start - center, at(i).shift - shift);
            momentum += r.cross(d);
            squares += r * r;
            products += DVec3::new(r.y * r.z, r.z * r.x, r.x * r.y);
        }
        let turn = solved(squares, products, momentum);
        let (mut rest, mut reach) = (0.0_f64, 0.0_f64);
        for i in numbers {
            let r = at(i).start - center;
            let e = at(i).shift - shift - turn.cross(r);
            rest = rest.max(e.length_squared());
            reach = reach.max(r.length_squared());
        }
        Self {
            min,
            max,
            center,
            shift,
            turn,
            rest: rest.sqrt(),
            reach: reach.sqrt(),
        }
    }

    /// Whether it is of a patch with some extent.
    pub(super) fn is_measured(&self) -> bool {
        self.reach > 0.0
    }

    /// By how much the distance of a point of this patch and one of another can shrink, up to rounding.
    pub(super) fn approach(&self, other: &Self) -> f64 {
        let spread = (self.turn - other.turn).length();
        let apart = other.center - self.center;
        let from = |turn: DVec3, reach: f64| {
            (other.shift - self.shift - turn.cross(apart)).length() + spread * reach
        };
        let seen = from(self.turn, other.reach).min(from(other.turn, self.reach));
        self.rest + other.rest + seen
    }

    /// Whether the boxes come nearer than `margin` along each axis.
    pub(super) fn is_near(&self, other: &Self, margin: f64) -> bool {
        let gap = (other.min - self.max).max(self.min - other.max);
        gap.max_element() <= margin
    }
}

/// The turn of a momentum by an inertia; none where the places lie on a line.
fn solved(squares: DVec3, products: DVec3, momentum: DVec3) -> DVec3 {
    let sum = squares.element_sum();
    let inertia = DMat3::from_cols(
        DVec3::new(sum - squares.x, -products.z, -products.y),
        DVec3::new(-products.z, sum - squares.y, -products.x),
        DVec3::new(-products.y, -products.x, sum - squares.z),
    );
    let turn = inertia.inverse() * momentum;
    let is_sound = inertia.determinant() > 1e-9 * sum * sum * sum && turn.is_finite();
    if is_sound { turn } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::*;

    #[test]
    fn points_come_closer_by_no_more_than_the_bound() {
        let mut rng = Rng::new(9);
        let mut tightest = f64::INFINITY;
        for case in 0..400 {
            let mut particles = Vec::new();
            for patch in 0..2 {
                let (turn, shift) = (rng.cube() * 0.3, rng.cube());
                let (place, noise) = (rng.cube() * 2.0, 0.1 * rng.unit());
                for _ in 0..8 + patch {
                    // Flat ones too, and ones on a line.
                    let scale = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X][case % 3];
                    let start = place + rng.cube() * scale;
                    particles.push(Particle {
                        start,
                        inverse_mass: 1.0,
                        shift: turn.cross(start) + shift + rng.cube() * noise,
                    });
                }
            }
            let (one, two): (Vec<u32>, Vec<u32>) = ((0..8).collect(), (8..17).collect());
            let motions = [&one, &two].map(|own| PatchMotion::new(own, &particles));
            let bounds = [
                (motions[0].approach(&motions[1]), &one, &two),
                (motions[0].approach(&motions[0]), &one, &one),
            ];
            for (bound, ours, others) in bounds {
                for i in ours {
                    for j in others {
                        let [a, b] = [i, j].map(|i| particles[*i as usize]);
                        let before = a.start.distance(b.start);
                        for t in [0.25, 0.5, 1.0] {
                            let now = (a.start + a.shift * t).distance(b.start + b.shift * t);
                            assert!(now > before - t * bound - 1e-12, "case {case}");
                            tightest = tightest.min((now - before + t * bound) / bound);
                        }
                    }
                }
            }
        }
        // The bound is no idle one.
        assert!(tightest < 0.2, "{tightest}");
    }

    #[test]
    fn each_feature_stands_in_one_patch() {
        let (n, mut faces) = (9, Vec::new());
        for y in 0..n {
            for x in 0..n {
                let a = y * (n + 1) + x;
                faces.extend([[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
            }
        }
        let places: Vec<DVec3> = (0..(n + 1) * (n + 1))
            .map(|i| DVec3::new(f64::from(i % (n + 1)), f64::from(i / (n + 1)), 0.0))
            .collect();
        let all = Patches::new(&places, &faces, 100);
        let count = |of: fn(&Patch) -> &Range<usize>| -> usize {
            all.patches.iter().map(|patch| of(patch).len()).sum()
        };
        let edges = edges_of(&faces).len();
        assert_eq!(count(|p| &p.faces), faces.len());
        assert_eq!(count(|p| &p.edges), edges);
        assert_eq!(count(|p| &p.vertices), places.len());
        // Faces of the body and of obstacles are never mixed.
        let own = all.patches.iter().filter(|patch| !patch.is_obstacle);
        assert_eq!(own.map(|patch| patch.faces.len()).sum::<usize>(), 100);
    }
}
