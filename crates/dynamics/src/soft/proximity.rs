//! Which features of a soft body are near each other, kept from substep to substep, and the proof that nothing crosses.
//!
//! **Idea.** For each pair of [patches](super::patch) whose boxes are near, the features that lie near each other are listed, and all
//! others are further apart than a known `headroom`. Each substep uses up as much of that as the patches can have come closer; a pair of patches is
//! searched again when too little is left. The same bound, of the motion as it was solved, proves that most features do not meet; what it
//! does not cover is decided exactly.

use impinge::DVec3;

use super::body::SoftConfig;
use super::contact::SoftContact;
use super::feature_boxes::{BoxFrame, FeatureBoxes};
use super::near::Features;
use super::patch::{Patch, PatchMotion, Patches};
use super::springs::Particle;

/// Two patches that are near each other.
#[derive(Clone, Copy, Debug)]
struct PatchPair {
    /// The numbers of the patches, the smaller one above.
    key: u64,
    /// Features that are not listed were further apart than their floor by this, when the pair was searched.
    headroom: f64,
    /// By how much the patches can have come closer since.
    spent: f64,
    /// By how much they can in this substep.
    approach: f64,
    /// Where its candidates end.
    to: usize,
}

/// Features that are near each other.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    features: Features,
    /// The distance that they are to keep.
    floor: f64,
    /// By how much they were further apart when what is spent was 0.
    spare: f64,
}

/// What is known about nearness.
#[derive(Clone, Debug, Default)]
pub(super) struct Proximity {
    patches: Patches,
    /// Where the particles are at rest.
    rest: Vec<DVec3>,
    motions: Vec<PatchMotion>,
    /// The boxes for which pairs were sought.
    searched: Vec<[DVec3; 2]>,
    known: Known,
    last: Known,
    sweep: Vec<(PatchMotion, u32)>,
    keys: Vec<u64>,
    boxes: [FeatureBoxes; 2],
}

#[derive(Clone, Debug, Default)]
struct Known {
    pairs: Vec<PatchPair>,
    candidates: Vec<Candidate>,
}

/// Rounding of places and shifts, relative to the largest coordinate, with room to spare.
const ROUNDING: f64 = 256.0 * f64::EPSILON;
/// Which part of their distance at rest neighbours keep, where that is less than the thickness.
const KEPT_AT_REST: f64 = 0.5;

/// Patches that are worth waking threads.
#[cfg(feature = "parallel")]
const PARALLEL_FROM: usize = 256;

/// Lengths of a substep.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    thickness: f64,
    /// How much further apart than they should be features are listed.
    slack: f64,
    rounding: f64,
}

impl Lengths {
    fn new(config: &SoftConfig, particles: &[Particle]) -> Self {
        let far = particles.iter().fold(DVec3::ZERO, |far, p| {
            far.max(p.start.abs()).max(p.shift.abs())
        });
        Self {
            thickness: config.thickness,
            slack: 0.5 * config.thickness,
            rounding: ROUNDING * far.max_element(),
        }
    }
}

impl Proximity {
    /// Nothing is known yet about these faces, of which the first `own` are the body's; with the places of all particles at rest.
    pub(super) fn new(rest: &[DVec3], faces: &[[u32; 3]], own: usize) -> Self {
        let patches = Patches::new(rest, faces, own);
        Self {
            motions: vec![PatchMotion::default(); patches.patches.len()],
            searched: vec![[DVec3::ZERO; 2]; patches.patches.len()],
            patches,
            rest: rest.to_vec(),
            ..Self::default()
        }
    }

    /// Finds what may come too close in the substep as it is predicted.
    pub(super) fn gather(
        &mut self,
        config: &SoftConfig,
        particles: &[Particle],
        contacts: &mut Vec<SoftContact>,
    ) {
        let lengths = Lengths::new(config, particles);
        self.measure(particles, config.parallel);
        for (searched, motion) in self.searched.iter_mut().zip(&self.motions) {
            *searched = [motion.min, motion.max];
        }
        self.sweep(lengths.thickness, config.self_contact);
        std::mem::swap(&mut self.known, &mut self.last);
        self.known.pairs.clear();
        self.known.candidates.clear();
        let (mut next, mut from) = (0, 0);
        for at in 0..self.keys.len() {
            let key = self.keys[at];
            // Both lists ascend.
            while self.last.pairs.get(next).is_some_and(|pair| pair.key < key) {
                from = self.last.pairs[next].to;
                next += 1;
            }
            let [a, b] = numbers(key).map(|i| &self.motions[i]);
            let approach = a.approach(b) * (1.0 + ROUNDING) + lengths.rounding;
            let first = self.known.candidates.len();
            let kept = self
                .last
                .pairs
                .get(next)
                .filter(|pair| pair.key == key && pair.headroom - pair.spent > approach);
            let pair = if let Some(pair) = kept {
                let own = self.last.candidates[from..pair.to].iter();
                self.known.candidates.extend(own);
                PatchPair { approach, ..*pair }
            } else {
                let is_fast = approach > lengths.slack;
                self.list(key, is_fast, &lengths, particles);
                PatchPair {
                    key,
                    headroom: if is_fast { 0.0 } else { lengths.slack },
                    spent: 0.0,
                    approach,
                    to: 0,
                }
            };
            self.touch(&pair, first, &lengths, particles, contacts);
            let to = self.known.candidates.len();
            self.known.pairs.push(PatchPair { to, ..pair });
        }
    }

    /// Makes contacts of the candidates of a pair that may come too close.
    fn touch(
        &mut self,
        pair: &PatchPair,
        first: usize,
        lengths: &Lengths,
        particles: &[Particle],
        contacts: &mut Vec<SoftContact>,
    ) {
        // Constraints may push further than what was predicted.
        let soon = pair.spent + 2.0 * pair.approach;
        for candidate in &mut self.known.candidates[first..] {
            if candidate.spare > soon {
                continue;
            }
            let features = &candidate.features;
            let Some(near) = features.nearest(features.starts(particles)) else {
                continue;
            };
            candidate.spare = near.distance - lengths.rounding - candidate.floor + pair.spent;
            let left = features.lead_at_end(particles, near.normal) - candidate.floor;
            if candidate.spare <= soon && left < lengths.slack {
                contacts.extend(SoftContact::new(
                    features,
                    &near,
                    candidate.floor,
                    particles,
                ));
            }
        }
    }

    /// Lists what is near in a pair of patches; if they are fast, what is on the way.
    fn list(&mut self, key: u64, is_fast: bool, lengths: &Lengths, particles: &[Particle]) {
        let reach = lengths.thickness + if is_fast { 0.0 } else { lengths.slack };
        let mut boxes = std::mem::take(&mut self.boxes);
        let mut found = std::mem::take(&mut self.known.candidates);
        self.each_near(key, is_fast, reach, particles, &mut boxes, |features| {
            let near = features.nearest(features.starts(particles));
            let distance = near.map_or(0.0, |near| near.distance) - lengths.rounding;
            if !is_fast && distance >= reach {
                return;
            }
            let floor = self.floor(&features, lengths.thickness);
            let spare = distance - floor;
            if is_fast || spare < lengths.slack {
                found.push(Candidate {
                    features,
                    floor,
                    spare,
                });
            }
        });
        self.known.candidates = found;
        self.boxes = boxes;
    }

    /// The distance that features are to keep.
    pub(super) fn floor(&self, features: &Features, thickness: f64) -> f64 {
        let [a, b, c, _] = features.particles.map(|i| i as usize);
        let component = &self.patches.component;
        if component[a] != component[if features.is_edges { c } else { b }] {
            return thickness;
        }
        let rest = features.particles.map(|i| self.rest[i as usize]);
        let near = features.nearest(rest);
        let kept = KEPT_AT_REST * near.map_or(0.0, |near| near.distance);
        kept.clamp(0.0, thickness)
    }

    /// Finds the features that meet while all particles move to their ends.
    pub(super) fn meeting(
        &mut self,
        config: &SoftConfig,
        particles: &[Particle],
        hits: &mut Vec<Features>,
    ) {
        let lengths = Lengths::new(config, particles);
        self.measure(particles, config.parallel);
        hits.clear();
        let mut boxes = std::mem::take(&mut self.boxes);
        let mut from = 0;
        let mut pairs = std::mem::take(&mut self.known.pairs);
        for pair in &mut pairs {
            let candidates = &self.known.candidates[from..pair.to];
            from = pair.to;
            let [a, b] = numbers(pair.key).map(|i| &self.motions[i]);
            pair.approach = a.approach(b) * (1.0 + ROUNDING) + lengths.rounding;
            let used = pair.spent + pair.approach;
            if pair.headroom <= used {
                self.test_all(pair.key, &lengths, particles, &mut boxes, hits);
                continue;
            }
            for candidate in candidates {
                let is_safe = candidate.spare + candidate.floor > used;
                if !is_safe && candidate.features.meet(particles) {
                    hits.push(candidate.features);
                }
            }
        }
        // Patches that left the boxes for which pairs were sought may be near others now.
        let room = 0.5 * lengths.thickness - lengths.rounding;
        let is_left = |(motion, [min, max]): (&PatchMotion, &[DVec3; 2])| {
            let beyond = (motion.max - *max).max(*min - motion.min);
            // What is not a number has left, too.
            let stays = beyond.max_element() < room;
            !stays
        };
        if self.motions.iter().zip(&self.searched).any(is_left) {
            self.sweep(lengths.rounding, config.self_contact);
            let mut known = pairs.iter().map(|pair| pair.key).peekable();
            for at in 0..self.keys.len() {
                let key = self.keys[at];
                while known.next_if(|own| *own < key).is_some() {}
                if known.peek() != Some(&key) {
                    self.test_all(key, &lengths, particles, &mut boxes, hits);
                }
            }
        }
        self.known.pairs = pairs;
        self.boxes = boxes;
    }

    /// The substep has been done as it was last tested.
    pub(super) fn commit(&mut self) {
        for pair in &mut self.known.pairs {
            pair.spent += pair.approach;
        }
    }

    fn test_all(
        &self,
        key: u64,
        lengths: &Lengths,
        particles: &[Particle],
        boxes: &mut [FeatureBoxes; 2],
        hits: &mut Vec<Features>,
    ) {
        self.each_near(
            key,
            true,
            4.0 * lengths.rounding,
            particles,
            boxes,
            |features| {
                if features.meet(particles) {
                    hits.push(features);
                }
            },
        );
    }

    fn measure(&mut self, particles: &[Particle], parallel: bool) {
        let numbers = &self.patches.particles;
        let one = |(motion, patch): (&mut PatchMotion, &Patch)| {
            // Obstacles stay where they were measured.
            if !(patch.is_obstacle && motion.is_measured()) {
                *motion = PatchMotion::new(&numbers[patch.particles.clone()], particles);
            }
        };
        let patches = &self.patches.patches;
        #[cfg(feature = "parallel")]
        if parallel && patches.len() >= PARALLEL_FROM {
            use rayon::prelude::*;
            self.motions.par_iter_mut().zip(patches).for_each(one);
            return;
        }
        let _ = parallel;
        self.motions.iter_mut().zip(patches).for_each(one);
    }

    /// Finds all pairs of patches whose boxes are nearer than `margin`, in order.
    fn sweep(&mut self, margin: f64, self_contact: bool) {
        self.sweep.clear();
        let each = self.motions.iter().copied();
        self.sweep.extend(each.zip(0..));
        self.sweep
            .sort_unstable_by(|(a, i), (b, j)| a.min.x.total_cmp(&b.min.x).then(i.cmp(j)));
        self.keys.clear();
        let is_obstacle = |i: u32| self.patches.patches[i as usize].is_obstacle;
        for (at, (motion, i)) in self.sweep.iter().enumerate() {
            let is_own = !is_obstacle(*i);
            if is_own && self_contact {
                self.keys.push(key_of(*i, *i));
            }
            for (other, j) in &self.sweep[at + 1..] {
                if other.min.x > motion.max.x + margin {
                    break;
                }
                let is_wanted = match (is_own, !is_obstacle(*j)) {
                    (true, true) => self_contact,
                    (false, false) => false,
                    _ => true,
                };
                if is_wanted && motion.is_near(other, margin) {
                    self.keys.push(key_of(*i, *j));
                }
            }
        }
        self.keys.sort_unstable();
    }

    /// Visits all features of two patches that come nearer than `margin`, before the substep or during it.
    fn each_near(
        &self,
        key: u64,
        is_swept: bool,
        margin: f64,
        particles: &[Particle],
        boxes: &mut [FeatureBoxes; 2],
        visit: impl FnMut(Features),
    ) {
        let numbers = numbers(key);
        let [a, b] = numbers.map(|i| self.motions[i].shift);
        let frame = BoxFrame {
            particles,
            common: (a + b) * 0.5,
            is_swept,
            margin: 0.5 * margin,
        };
        FeatureBoxes::each_pair(boxes, &self.patches, numbers, &frame, visit);
    }
}

fn key_of(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

fn numbers(key: u64) -> [usize; 2] {
    [(key >> 32) as usize, (key & u64::from(u32::MAX)) as usize]
}

#[cfg(test)]
mod tests {
    use impinge::math::Rng;

    use super::*;

    /// A sheet of `n` by `n` cells, rolled up so that its layers lie 0.6 cells from each other.
    fn rolled(n: u32) -> (Vec<DVec3>, Vec<DVec3>, Vec<[u32; 3]>) {
        let (mut flat, mut rolled, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for y in 0..=n {
            for x in 0..=n {
                let (u, v) = (f64::from(x), f64::from(y));
                flat.push(DVec3::new(u, v, 0.0));
                // A spiral: the length along it is half the square of the angle times the rise of the radius.
                let rise = 0.6 / std::f64::consts::TAU;
                let angle = (2.0 * (u + 4.0) / rise).sqrt();
                let (sin, cos) = angle.sin_cos();
                rolled.push(DVec3::new(rise * angle * cos, v, rise * angle * sin));
            }
        }
        let number = |x: u32, y: u32| y * (n + 1) + x;
        for y in 0..n {
            for x in 0..n {
                let [a, b] = [number(x, y), number(x + 1, y)];
                let [c, d] = [number(x, y + 1), number(x + 1, y + 1)];
                faces.extend([[a, b, d], [a, d, c]]);
            }
        }
        (flat, rolled, faces)
    }

    fn all_features(faces: &[[u32; 3]], particles: u32) -> Vec<Features> {
        let mut edges = Vec::new();
        for &[a, b, c] in faces {
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.sort_unstable();
        edges.dedup();
        let mut all = Vec::new();
        for v in 0..particles {
            for &[a, b, c] in faces.iter().filter(|face| !face.contains(&v)) {
                all.push(Features {
                    particles: [v, a, b, c],
                    is_edges: false,
                });
            }
        }
        for (at, &[a, b]) in edges.iter().enumerate() {
            for &[c, d] in edges[at + 1..]
                .iter()
                .filter(|e| !e.contains(&a) && !e.contains(&b))
            {
                all.push(Features {
                    particles: [a, b, c, d],
                    is_edges: true,
                });
            }
        }
        all
    }

    /// Features by their particles, whichever stands first.
    fn sorted(features: &Features) -> (bool, [u32; 4]) {
        let [a, b, c, d] = features.particles;
        if features.is_edges {
            let (mut one, mut two) = ([a, b], [c, d]);
            one.sort_unstable();
            two.sort_unstable();
            let [[a, b], [c, d]] = if one < two { [one, two] } else { [two, one] };
            (true, [a, b, c, d])
        } else {
            let mut face = [b, c, d];
            face.sort_unstable();
            (false, [a, face[0], face[1], face[2]])
        }
    }

    /// What may touch at the start of a substep or come closer than its floor during it is a candidate.
    #[test]
    fn what_is_not_listed_keeps_its_floor_during_the_substep() {
        let (flat, rolled, faces) = rolled(12);
        let config = SoftConfig {
            thickness: 0.4,
            ..SoftConfig::default()
        };
        let all = all_features(&faces, flat.len() as u32);
        let mut proximity = Proximity::new(&flat, &faces, faces.len());
        let mut rng = Rng::new(5);
        let mut places = rolled;
        let (mut listed, mut relisted) = (0, 0);
        for substep in 0..8 {
            // A turn and a shift of all, and a little of each particle's own; now and then a fast one.
            let (turn, shift) = (rng.cube() * 0.05, rng.cube() * 0.3);
            let own = if substep == 5 { 0.2 } else { 0.01 };
            let particles: Vec<Particle> = places
                .iter()
                .map(|p| Particle {
                    start: *p,
                    inverse_mass: 1.0,
                    shift: turn.cross(*p) + shift + rng.cube() * own,
                })
                .collect();
            proximity.gather(&config, &particles, &mut Vec::new());
            let candidates = proximity.known.candidates.iter();
            let mut known: Vec<_> = candidates.map(|c| sorted(&c.features)).collect();
            known.sort_unstable();
            assert!(known.windows(2).all(|two| two[0] != two[1]), "each once");
            let fresh = proximity
                .known
                .pairs
                .iter()
                .filter(|pair| pair.spent == 0.0);
            relisted += fresh.count();
            listed += known.len();
            for features in &all {
                if known.binary_search(&sorted(features)).is_ok() {
                    continue;
                }
                let floor = proximity.floor(features, config.thickness);
                for t in [0.0, 0.3, 0.7, 1.0] {
                    let points = features.particles.map(|i| {
                        let own = &particles[i as usize];
                        own.start + own.shift * t
                    });
                    let near = features.nearest(points).map_or(0.0, |near| near.distance);
                    assert!(
                        near > floor - 1e-9,
                        "{substep} {features:?}: {near} {floor}"
                    );
                }
            }
            let mut hits = Vec::new();
            proximity.meeting(&config, &particles, &mut hits);
            hits.sort_unstable_by_key(sorted);
            hits.dedup_by_key(|hit| sorted(hit));
            let exact = all
                .iter()
                .filter(|features| features.meet(&particles))
                .count();
            assert_eq!(hits.len(), exact, "substep {substep}");
            if exact > 0 {
                // Not to be done: the next one starts here again.
                continue;
            }
            proximity.commit();
            places = particles.iter().map(Particle::end).collect();
        }
        assert!(listed > 1000, "{listed}");
        // Lists are kept: eight substeps search less than each anew would.
        let pairs = proximity.known.pairs.len();
        assert!(relisted < 6 * pairs, "{relisted} {pairs}");
    }
}
