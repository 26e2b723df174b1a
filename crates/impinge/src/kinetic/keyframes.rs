//! Keyframes: the planned motion of all vertices.
//!
//! Every plan is linear between keys, and all vertices share the times of the keys. A linear motion
//! has two keys, an animation one for each key frame, and a curved motion is sampled, with a bound
//! on its deviation from the chords. Key values are stored twice, 48 bytes for each vertex and key:
//! by vertex, to follow two vertices through time, and by key, to read all vertices at one time.

use glam::DVec3;

use super::KineticError;
use super::trajectories::Trajectories;
use crate::math::{MAX_COORDINATE, is_valid_point};
use crate::query::VertexId;

/// How far from its vertex a new plan may begin, relative to the vertex's coordinates. Rounding, not a jump.
const START_TOLERANCE: f64 = 1.0 / (1_u64 << 40) as f64;
/// By what part keys appended to a sampled plan may be farther apart than those it has: times are rounded. What the deviation has to spare is
/// eight times as much.
const GAP_TOLERANCE: f64 = 1.0 / (1_u64 << 24) as f64;

/// The planned motion of all vertices: positions at keys, linear between.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::Keyframes;
/// use impinge::query::VertexId;
/// let frames = [vec![DVec3::ZERO], vec![DVec3::X], vec![DVec3::ZERO]];
/// let flight = Keyframes::new(&[0.0, 1.0, 3.0], &frames)?;
/// assert_eq!(flight.position(VertexId::new(0), 2.0), Some(DVec3::new(0.5, 0.0, 0.0)));
/// assert_eq!((flight.start(), flight.end(), flight.vertex_count()), (0.0, 3.0, 1));
/// assert_eq!(flight.key_times().len(), 3);
/// assert!(Keyframes::new(&[0.0, 0.0], &frames[..2]).is_err()); // time must run on
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "flight plan")]
#[doc(alias = "trajectory")]
pub struct Keyframes {
    tracks: Trajectories,
    /// The same values key by key, to read all vertices at one time.
    keys: Vec<Vec<DVec3>>,
    deviation: f64,
    /// The largest magnitude of a coordinate, and the least time between keys.
    reach: f64,
    shortest: f64,
    /// The most time between the keys that it was made with: what the deviation was computed for.
    longest: f64,
    /// Counts changes, so that a structure that was not notified of one detects it.
    version: u64,
}

impl Keyframes {
    /// An animation: where the vertices are at each time.
    ///
    /// # Errors
    /// Fewer than two keys, times that do not grow, frames of different size, or a coordinate that is not finite.
    pub fn new<F: AsRef<[DVec3]>>(times: &[f64], frames: &[F]) -> Result<Self, KineticError> {
        check_times(times)?;
        if frames.len() != times.len() {
            return Err(KineticError::FrameCount {
                frames: frames.len(),
                times: times.len(),
            });
        }
        let vertices = frames.first().map_or(0, |f| f.as_ref().len());
        for (key, frame) in frames.iter().enumerate() {
            check_frame(key, frame.as_ref(), vertices)?;
        }
        let tracks = Trajectories::new(times.to_vec(), vertices, 3, |axis, vertex, key| {
            frames[key].as_ref()[vertex][axis]
        });
        let gaps = times.windows(2).map(|w| w[1] - w[0]);
        Ok(Self {
            tracks,
            keys: frames.iter().map(|f| f.as_ref().to_vec()).collect(),
            deviation: 0.0,
            reach: frames.iter().map(|f| reach(f.as_ref())).fold(0.0, f64::max),
            shortest: gaps.clone().fold(f64::INFINITY, f64::min),
            longest: gaps.fold(0.0, f64::max),
            version: 0,
        })
    }

    /// Straight lines at constant speed: from `positions` at time `from`, until `until`.
    ///
    /// # Errors
    /// As [`Keyframes::new`]; also when a place at the end is out of range.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::Keyframes;
    /// use impinge::query::VertexId;
    /// let flight = Keyframes::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 10.0)?;
    /// assert_eq!(flight.position(VertexId::new(0), 4.0), Some(DVec3::new(4.0, 0.0, 0.0)));
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn linear(
        positions: &[DVec3],
        velocities: &[DVec3],
        from: f64,
        until: f64,
    ) -> Result<Self, KineticError> {
        check_times(&[from, until])?;
        if velocities.len() != positions.len() {
            return Err(KineticError::VertexCount {
                key: 1,
                found: velocities.len(),
                expected: positions.len(),
            });
        }
        let ends: Vec<DVec3> = positions
            .iter()
            .zip(velocities)
            .map(|(&p, &v)| p + v * (until - from))
            .collect();
        Self::new(&[from, until], &[positions, &ends])
    }

    /// Any motion, by its places at the keys and a bound on every vertex's acceleration.
    ///
    /// Between keys that are `h` apart, the motion stays within `acceleration · h² / 8` of the chord. Structures on this plan are valid
    /// for the motion itself: boxes are widened by that [`deviation`](Keyframes::deviation), and separation lists report as soon as
    /// faces may touch. The promise is the caller's: a bound that does not hold makes answers that do not hold. For the same reason keys that are
    /// [appended](super::Scheduler::extend) may not be farther apart than these, and new plans of vertices are to keep to the deviation.
    ///
    /// # Errors
    /// As [`Keyframes::new`]; also when the bound is no number or negative.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::Keyframes;
    /// let times: Vec<f64> = (0..=10).map(|k| 0.1 * k as f64).collect();
    /// let thrown = |_: usize, t: f64| DVec3::new(t, 0.0, 5.0 * t - 4.905 * t * t);
    /// let flight = Keyframes::sampled(&times, 1, 9.81, thrown)?;
    /// assert!(flight.deviation() < 0.0123);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn sampled(
        times: &[f64],
        vertices: usize,
        acceleration: f64,
        place: impl Fn(usize, f64) -> DVec3,
    ) -> Result<Self, KineticError> {
        if !(0.0..=MAX_COORDINATE).contains(&acceleration) {
            return Err(KineticError::NotABound {
                value: acceleration,
            });
        }
        check_times(times)?;
        let frames: Vec<Vec<DVec3>> = times
            .iter()
            .map(|&t| (0..vertices).map(|v| place(v, t)).collect())
            .collect();
        let mut flight = Self::new(times, &frames)?;
        let longest = flight.longest;
        // A millionth more than the bound covers the rounding of the chord and of this product.
        flight.deviation = acceleration * longest * longest * 0.125 * (1.0 + 1e-6);
        Ok(flight)
    }

    /// The vertices of several plans in one, one plan after the other.
    ///
    /// # Errors
    /// No plan, or keys at different times.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::Keyframes;
    /// let still = Keyframes::linear(&[DVec3::ZERO], &[DVec3::ZERO], 0.0, 1.0)?;
    /// let moving = Keyframes::linear(&[DVec3::X], &[DVec3::Y], 0.0, 1.0)?;
    /// assert_eq!(Keyframes::joined(&[&still, &moving])?.vertex_count(), 2);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn joined(plans: &[&Self]) -> Result<Self, KineticError> {
        let Some(first) = plans.first() else {
            return Err(KineticError::TooFewKeys { keys: 0 });
        };
        let times = first.tracks.times();
        for plan in plans {
            if plan.tracks.times().len() != times.len() {
                return Err(KineticError::FrameCount {
                    frames: plan.tracks.times().len(),
                    times: times.len(),
                });
            }
            let differing = plan.tracks.times().iter().zip(times).enumerate();
            for (key, (&time, &before)) in differing {
                if time != before {
                    return Err(KineticError::KeyOrder { key, time, before });
                }
            }
        }
        let frames: Vec<Vec<DVec3>> = (0..times.len())
            .map(|key| {
                let places = plans.iter().flat_map(|plan| &plan.keys[key]);
                places.copied().collect()
            })
            .collect();
        let mut joined = Self::new(times, &frames)?;
        joined.deviation = plans.iter().map(|p| p.deviation).fold(0.0, f64::max);
        Ok(joined)
    }

    /// Where all vertices are at a key that the plan has.
    pub(super) fn key(&self, key: usize) -> &[DVec3] {
        &self.keys[key]
    }

    pub(super) fn tracks(&self) -> &Trajectories {
        &self.tracks
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// How many vertices there are.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.tracks.vertices()
    }

    /// The times of the keys.
    #[must_use]
    pub fn key_times(&self) -> &[f64] {
        self.tracks.times()
    }

    /// The time of the first key.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.tracks.segment_start(1)
    }

    /// The time of the last key.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.tracks.segment_end(self.tracks.segments())
    }

    /// How far a coordinate that is read off between keys may be from the true one, and a winner behind the true extreme: a few roundings
    /// of the coordinate, and of the time at the greatest speed there can be.
    pub(super) fn rounding(&self) -> f64 {
        let late = self.start().abs().max(self.end().abs()) / self.shortest;
        16.0 * f64::EPSILON * self.reach * (1.0 + 2.0 * late)
    }

    /// How far from these plans the motion may be; 0 unless it was [sampled](Keyframes::sampled).
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Where a vertex is at a time: exact at keys, rounded between; before the first key at the first, after the last at the last.
    /// None when there is no such vertex or the time is no number.
    #[must_use]
    pub fn position(&self, vertex: VertexId, time: f64) -> Option<DVec3> {
        if vertex.index() >= self.vertex_count() || time.is_nan() {
            return None;
        }
        let segment = self.tracks.segment_of(time);
        Some(self.place(vertex.raw(), segment, time))
    }

    /// Where all vertices are at a time.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::Keyframes;
    /// let flight = Keyframes::linear(&[DVec3::ZERO], &[DVec3::X], 0.0, 1.0)?;
    /// let mut places = Vec::new();
    /// flight.positions(0.5, &mut places);
    /// assert_eq!(places, [DVec3::new(0.5, 0.0, 0.0)]);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn positions(&self, time: f64, places: &mut Vec<DVec3>) {
        places.clear();
        if time.is_nan() {
            return;
        }
        let segment = self.tracks.segment_of(time);
        if self.tracks.has_breaks() {
            places.extend((0..self.vertex_count() as u32).map(|v| self.place(v, segment, time)));
            return;
        }
        let (start, end) = (
            self.tracks.segment_start(segment),
            self.tracks.segment_end(segment),
        );
        let [before, after] = [segment - 1, segment].map(|key| self.key(key as usize));
        if time >= end {
            places.extend_from_slice(after);
        } else if time <= start {
            places.extend_from_slice(before);
        } else {
            // The same as vertex by vertex.
            let part = (time - start) / (end - start);
            let ends = before.iter().zip(after);
            places.extend(ends.map(|(&p, &q)| (p + (q - p) * part).clamp(p.min(q), p.max(q))));
        }
    }

    /// The places of all vertices at the start.
    pub(super) fn start_positions(&self) -> Vec<DVec3> {
        let mut places = Vec::new();
        self.positions(self.start(), &mut places);
        places
    }

    #[inline]
    pub(super) fn place(&self, vertex: u32, segment: u32, time: f64) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|axis| self.tracks.at(axis, vertex, segment, time)))
    }

    /// Appends a key.
    pub(super) fn extend(&mut self, time: f64, frame: &[DVec3]) -> Result<(), KineticError> {
        let keys = self.key_times().len();
        check_next(keys, self.end(), time)?;
        check_frame(keys, frame, self.vertex_count())?;
        if keys >= MAX_KEYS {
            return Err(KineticError::TooMany {
                what: "keys",
                count: keys,
            });
        }
        let gap = time - self.end();
        if self.deviation > 0.0 && gap > self.longest * (1.0 + GAP_TOLERANCE) {
            return Err(KineticError::LongGap {
                key: keys,
                gap,
                longest: self.longest,
            });
        }
        self.reach = self.reach.max(reach(frame));
        self.shortest = self.shortest.min(gap);
        self.tracks.push(time, |axis, vertex| frame[vertex][axis]);
        self.keys.push(frame.to_vec());
        self.version += 1;
        Ok(())
    }

    /// Gives a vertex a new plan from `now` on: a start, and the places at all keys after `now`.
    pub(super) fn reroute(
        &mut self,
        vertex: VertexId,
        now: f64,
        start: DVec3,
        later: &[DVec3],
    ) -> Result<(), KineticError> {
        let Some(here) = self.position(vertex, now) else {
            return Err(KineticError::NoSuchVertex {
                vertex: vertex.index(),
                vertices: self.vertex_count(),
            });
        };
        check_point(0, vertex.index(), start)?;
        let apart = (start - here).abs().max_element();
        let size = start.abs().max(here.abs()).max_element();
        if apart > size * START_TOLERANCE {
            return Err(KineticError::Teleport {
                vertex: vertex.index(),
                distance: apart,
            });
        }
        let times = self.tracks.times();
        let first = times.partition_point(|&t| t <= now);
        if later.len() != times.len() - first {
            return Err(KineticError::PlaceCount {
                vertex: vertex.index(),
                found: later.len(),
                expected: times.len() - first,
            });
        }
        for (k, &place) in later.iter().enumerate() {
            check_point(first + k, vertex.index(), place)?;
        }
        let segment = self.tracks.segment_of(now);
        self.reach = self.reach.max(reach(later));
        let place = |axis: usize, key: usize| later[key - first][axis];
        self.tracks.bend(vertex.raw(), segment, now, place);
        for (key, &place) in self.keys[first..].iter_mut().zip(later) {
            key[vertex.index()] = place;
        }
        self.version += 1;
        Ok(())
    }
}

fn reach(frame: &[DVec3]) -> f64 {
    frame
        .iter()
        .map(|p| p.abs().max_element())
        .fold(0.0, f64::max)
}

/// Segments are counted in 32 bits, of which two numbers are taken.
const MAX_KEYS: usize = u32::MAX as usize - 2;

fn check_next(key: usize, before: f64, time: f64) -> Result<(), KineticError> {
    if time.is_nan() || time.abs() > MAX_COORDINATE {
        return Err(KineticError::NotATime { time });
    }
    if time <= before {
        return Err(KineticError::KeyOrder { key, time, before });
    }
    Ok(())
}

fn check_times(times: &[f64]) -> Result<(), KineticError> {
    if times.len() < 2 {
        return Err(KineticError::TooFewKeys { keys: times.len() });
    }
    if times.len() > MAX_KEYS {
        return Err(KineticError::TooMany {
            what: "keys",
            count: times.len(),
        });
    }
    let mut before = f64::NEG_INFINITY;
    for (key, &time) in times.iter().enumerate() {
        check_next(key, before, time)?;
        before = time;
    }
    Ok(())
}

fn check_point(key: usize, vertex: usize, p: DVec3) -> Result<(), KineticError> {
    if is_valid_point(p) {
        return Ok(());
    }
    let is_bad = |&x: &f64| !is_valid_point(DVec3::splat(x));
    let value = p.to_array().into_iter().find(is_bad).unwrap_or(p.x);
    Err(KineticError::Coordinate { key, vertex, value })
}

fn check_frame(key: usize, frame: &[DVec3], vertices: usize) -> Result<(), KineticError> {
    if frame.len() != vertices {
        return Err(KineticError::VertexCount {
            key,
            found: frame.len(),
            expected: vertices,
        });
    }
    frame
        .iter()
        .enumerate()
        .try_for_each(|(vertex, &p)| check_point(key, vertex, p))
}
