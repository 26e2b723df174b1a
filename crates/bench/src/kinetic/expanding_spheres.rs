//! Spheres that expand into each other; vertices of faces that meet turn back.
//!
//! Nothing is known in advance but that vertices go straight until they get other plans, so that
//! plans change at each contact. Every frame, all pairs of spheres are checked for faces that meet:
//! on kinetic trees, and on trees that are refitted. Both decide from the same positions.

use std::time::Instant;

use impinge::geom::triangles_intersect;
use impinge::kinetic::{
    Keyframes, Kinetic, KineticAabbTree, RefitTree, ScalarRefitTree, Scheduler,
};
use impinge::math::Rng;
use impinge::query::{FaceId, VertexId};
use impinge::{DVec3, generate};

/// Frames from the beginning to the end.
const FRAMES: usize = 100;
/// Radii at the beginning, and at the end if nothing were in the way.
const RADII: [f64; 2] = [0.3, 1.6];
const SPHERES: usize = 8;
const SEED: u64 = 7;

/// All spheres in one plan, and each alone.
struct Spheres {
    places: Vec<DVec3>,
    speeds: Vec<DVec3>,
    /// The faces of one sphere, by its own vertices.
    faces: Vec<[u32; 3]>,
    /// Vertices of one sphere.
    count: usize,
}

impl Spheres {
    fn new(faces: usize) -> anyhow::Result<Self> {
        let frequency = ((faces as f64 / (20.0 * SPHERES as f64)).sqrt().round() as u32).max(1);
        let unit = generate::icosphere(1.0, frequency)?;
        let mut rng = Rng::new(SEED);
        let (mut places, mut speeds) = (Vec::new(), Vec::new());
        for k in 0..SPHERES {
            let corner = [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -1.0 } else { 1.0 });
            let middle = DVec3::from_array(corner) + rng.cube() * 0.1;
            places.extend(unit.positions().iter().map(|&p| middle + p * RADII[0]));
            speeds.extend(unit.positions().iter().map(|&p| p * (RADII[1] - RADII[0])));
        }
        Ok(Self {
            places,
            speeds,
            faces: unit.faces().to_vec(),
            count: unit.vertex_count(),
        })
    }

    /// The corners of a face of a sphere, by the vertices of all.
    fn corners(&self, sphere: usize, face: FaceId) -> [usize; 3] {
        self.faces[face.index()].map(|v| v as usize + sphere * self.count)
    }
}

/// Microseconds of a frame.
#[derive(Clone, Copy, Debug, Default)]
struct FrameTime {
    update: f64,
    check: f64,
}

impl FrameTime {
    fn total(self) -> f64 {
        self.update + self.check
    }

    fn text(self) -> String {
        format!("update {:.1} µs, check {:.1}", self.update, self.check)
    }
}

/// What a number of faces costs for each frame.
pub(super) struct SpheresResult {
    pub(super) faces: usize,
    contacts: usize,
    redirected: usize,
    events: f64,
    kinetic: FrameTime,
    refit: FrameTime,
    scalar: FrameTime,
    /// Whether all trees found the same pairs at every frame.
    pub(super) agree: bool,
}

impl SpheresResult {
    /// How many times faster update and check are by events than by refits: with vector instructions, and without.
    pub(super) fn faster(&self) -> [f64; 2] {
        [self.refit, self.scalar].map(|other| other.total() / self.kinetic.total())
    }

    /// As [`SpheresResult::faster`], of the update alone.
    pub(super) fn faster_update(&self) -> f64 {
        self.refit.update / self.kinetic.update
    }

    pub(super) fn print(&self, json: bool) {
        if json {
            println!(
                "{}",
                serde_json::json!({
                    "scene": "expanding spheres", "faces": self.faces, "frames": FRAMES, "contacts": self.contacts,
                    "redirected": self.redirected, "events": self.events,
                    "kinetic_update_us": self.kinetic.update, "kinetic_check_us": self.kinetic.check,
                    "refit_update_us": self.refit.update, "refit_check_us": self.refit.check,
                    "scalar_refit_update_us": self.scalar.update, "scalar_refit_check_us": self.scalar.check,
                })
            );
            return;
        }
        println!(
            "  {} faces: {} pairs met and {} vertices turned back in {FRAMES} frames, {:.1} events a frame | kinetic {} | refit {} | scalar refit {}",
            self.faces,
            self.contacts,
            self.redirected,
            self.events,
            self.kinetic.text(),
            self.refit.text(),
            self.scalar.text()
        );
    }
}

/// Pairs of spheres, the lower number first.
fn sphere_pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..SPHERES).flat_map(|a| (a + 1..SPHERES).map(move |b| (a, b)))
}

/// Two spheres, and a face of each.
type MetFaces = (usize, usize, FaceId, FaceId);

/// The pairs of faces that meet, of candidates that `search` reports.
fn check(
    spheres: &Spheres,
    place: impl Fn(usize) -> DVec3,
    mut search: impl FnMut(usize, usize, &mut dyn FnMut(FaceId, FaceId)),
) -> Vec<MetFaces> {
    let mut met = Vec::new();
    for (a, b) in sphere_pairs() {
        search(a, b, &mut |f, g| {
            let [first, second] =
                [(a, f), (b, g)].map(|(sphere, face)| spheres.corners(sphere, face).map(&place));
            if triangles_intersect(&first, &second) {
                met.push((a, b, f, g));
            }
        });
    }
    met
}

fn micros(since: Instant) -> f64 {
    1e6 * since.elapsed().as_secs_f64() / FRAMES as f64
}

pub(super) fn measure(faces: usize) -> anyhow::Result<SpheresResult> {
    let mut spheres = Spheres::new(faces)?;
    let flight = Keyframes::linear(&spheres.places, &spheres.speeds, 0.0, 1.0)?;
    let shifted = |k: usize| -> Vec<[u32; 3]> {
        let first = (k * spheres.count) as u32;
        let faces = spheres.faces.iter();
        faces.map(|f| f.map(|v| v + first)).collect()
    };
    let mut trees = Vec::new();
    let (mut refits, mut scalars) = (Vec::new(), Vec::new());
    for k in 0..SPHERES {
        trees.push(KineticAabbTree::new(&flight, &shifted(k))?);
        // Alone, so that a refit looks at the vertices of its sphere and no others.
        let own = k * spheres.count..(k + 1) * spheres.count;
        let still = vec![DVec3::ZERO; spheres.count];
        let alone = Keyframes::linear(&spheres.places[own], &still, 0.0, 1.0)?;
        refits.push(RefitTree::new(&alone, &spheres.faces)?);
        scalars.push(ScalarRefitTree::new(&alone, &spheres.faces)?);
    }
    let mut schedule = Scheduler::new(flight);
    let mut result = SpheresResult {
        faces: SPHERES * spheres.faces.len(),
        contacts: 0,
        redirected: 0,
        events: 0.0,
        kinetic: FrameTime::default(),
        refit: FrameTime::default(),
        scalar: FrameTime::default(),
        agree: true,
    };
    let mut is_back = vec![false; spheres.places.len()];
    let (mut places, mut moved) = (Vec::new(), spheres.places.clone());
    for frame in 1..=FRAMES {
        let time = frame as f64 / FRAMES as f64;
        // By events. Only vertices of candidates are looked up.
        let start = Instant::now();
        let mut all: Vec<&mut dyn Kinetic> = trees.iter_mut().map(|t| t as _).collect();
        schedule.run_to(time, &mut all, |_, _| Ok(()))?;
        result.kinetic.update += micros(start);
        let start = Instant::now();
        let flight = schedule.flight();
        let place = |v: usize| {
            let vertex = VertexId::new(v as u32);
            flight.position(vertex, time).unwrap_or_default()
        };
        let met = check(&spheres, place, |a, b, pair| {
            trees[a].meeting(&trees[b], flight, pair);
        });
        result.kinetic.check += micros(start);

        // By refits. The positions are those of the plan, so that both decide the same; that they have to be computed is counted.
        let start = Instant::now();
        for (p, v) in moved.iter_mut().zip(&spheres.speeds) {
            *p += *v * (1.0 / FRAMES as f64);
        }
        let moving = micros(start);
        flight.positions(time, &mut places);
        moved.copy_from_slice(&places);
        let by_sphere = || places.chunks_exact(spheres.count);
        let start = Instant::now();
        for (tree, own) in refits.iter_mut().zip(by_sphere()) {
            tree.refit(own)?;
        }
        result.refit.update += moving + micros(start);
        let start = Instant::now();
        let by_refit = check(
            &spheres,
            |v| places[v],
            |a, b, pair| {
                refits[a].meeting(&refits[b], pair);
            },
        );
        result.refit.check += micros(start);
        let start = Instant::now();
        for (tree, own) in scalars.iter_mut().zip(by_sphere()) {
            tree.refit(own)?;
        }
        result.scalar.update += moving + micros(start);
        let start = Instant::now();
        let by_scalar = check(
            &spheres,
            |v| places[v],
            |a, b, pair| {
                scalars[a].meeting(&scalars[b], pair);
            },
        );
        result.scalar.check += micros(start);
        result.agree &= [by_refit, by_scalar].iter().all(|other| same(other, &met));

        // The response: what still goes outwards goes back.
        let mut back = Vec::new();
        for &(a, b, f, g) in &met {
            for v in [spheres.corners(a, f), spheres.corners(b, g)].concat() {
                if !std::mem::replace(&mut is_back[v], true) {
                    back.push(v);
                }
            }
        }
        result.contacts += met.len();
        result.redirected += back.len();
        for &v in &back {
            spheres.speeds[v] = -spheres.speeds[v];
        }
        // With the last frame the plan ends.
        if back.is_empty() || frame == FRAMES {
            continue;
        }
        let start = Instant::now();
        let mut all: Vec<&mut dyn Kinetic> = trees.iter_mut().map(|t| t as _).collect();
        schedule.respond(&mut all, |response| {
            for &v in &back {
                response.redirect(VertexId::new(v as u32), spheres.speeds[v])?;
            }
            Ok(())
        })?;
        result.kinetic.update += micros(start);
    }
    let events: u64 = trees.iter().map(|tree| tree.counts().events).sum();
    result.events = events as f64 / FRAMES as f64;
    Ok(result)
}

/// Whether these are the same pairs, in whatever order.
fn same(a: &[MetFaces], b: &[MetFaces]) -> bool {
    let sorted = |pairs: &[MetFaces]| {
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable();
        pairs
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    #[test]
    fn spheres_meet_and_turn_back_on_all_trees_alike() {
        let found = super::measure(600).unwrap();
        assert!(found.agree);
        assert!(found.contacts > 0 && found.redirected > 0);
    }
}
