//! Coordinates over time: one row of key values for each vertex and axis.
//!
//! Rows are contiguous in time, because the most frequent query is *at which key does this vertex
//! first fall behind that one*.
//! Between keys a coordinate is linear. A vertex whose plan changed within a segment has a *break*: its motion in that
//! segment begins at the break.

/// Keys compared at once before a decision is taken.
const BLOCK: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Trajectories {
    times: Vec<f64>,
    vertices: usize,
    /// Keys that a row has room for.
    stride: usize,
    /// By axis; row after row.
    axes: Vec<Vec<f64>>,
    breaks: Option<TrajectoryBreaks>,
}

#[derive(Clone, Debug)]
struct TrajectoryBreaks {
    /// When the last plan of each vertex began; minus infinity if with the first key.
    times: Vec<f64>,
    /// Where, by axis.
    places: Vec<Vec<f64>>,
}

/// Two coordinates in a segment, from when both are linear to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearStretch {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Of the first at the start, of the second at the start.
    pub(super) at_start: [f64; 2],
    pub(super) at_end: [f64; 2],
}

impl Trajectories {
    /// Rows filled by `value(axis, vertex, key)`.
    pub(super) fn new(
        times: Vec<f64>,
        vertices: usize,
        axes: usize,
        value: impl Fn(usize, usize, usize) -> f64,
    ) -> Self {
        let stride = times.len();
        let axes = (0..axes)
            .map(|axis| {
                let mut rows = Vec::with_capacity(vertices * stride);
                for vertex in 0..vertices {
                    rows.extend((0..stride).map(|key| value(axis, vertex, key)));
                }
                rows
            })
            .collect();
        Self {
            times,
            vertices,
            stride,
            axes,
            breaks: None,
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.vertices
    }

    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    /// The number of the last segment; the first is 1, and segment `k` ends with key `k`.
    #[inline]
    pub(super) fn segments(&self) -> u32 {
        (self.times.len() - 1) as u32
    }

    #[inline]
    pub(super) fn segment_start(&self, segment: u32) -> f64 {
        self.times[segment as usize - 1]
    }

    #[inline]
    pub(super) fn segment_end(&self, segment: u32) -> f64 {
        self.times[segment as usize]
    }

    /// The segment of a time; a key belongs to the segment that it ends.
    pub(super) fn segment_of(&self, time: f64) -> u32 {
        let key = self.times.partition_point(|&t| t < time);
        key.clamp(1, self.times.len() - 1) as u32
    }

    /// Whether a vertex changes its way between two keys.
    pub(super) fn has_breaks(&self) -> bool {
        self.breaks.is_some()
    }

    /// The key values of a vertex.
    #[inline]
    pub(super) fn row(&self, axis: usize, vertex: u32) -> &[f64] {
        let from = vertex as usize * self.stride;
        &self.axes[axis][from..from + self.times.len()]
    }

    /// When the motion of a vertex in a segment begins, and where.
    #[inline]
    fn beginning(&self, axis: usize, vertex: u32, segment: u32) -> (f64, f64) {
        let start = self.segment_start(segment);
        if let Some(breaks) = &self.breaks {
            let broken = breaks.times[vertex as usize];
            if broken > start && broken < self.segment_end(segment) {
                return (broken, breaks.places[axis][vertex as usize]);
            }
        }
        (start, self.row(axis, vertex)[segment as usize - 1])
    }

    /// When the motion of a vertex in a segment begins.
    #[inline]
    pub(super) fn beginning_of(&self, vertex: u32, segment: u32) -> f64 {
        self.beginning(0, vertex, segment).0
    }

    /// The coordinate at a time of the segment: exact at its ends, rounded between.
    #[inline]
    pub(super) fn at(&self, axis: usize, vertex: u32, segment: u32, time: f64) -> f64 {
        let (start, from) = self.beginning(axis, vertex, segment);
        let (end, to) = (
            self.segment_end(segment),
            self.row(axis, vertex)[segment as usize],
        );
        if time >= end {
            to
        } else if time <= start {
            from
        } else {
            let x = from + (to - from) * ((time - start) / (end - start));
            // Never beyond its ends, so that a valid plan has valid places.
            x.clamp(from.min(to), from.max(to))
        }
    }

    /// Two coordinates side by side.
    #[inline]
    pub(super) fn stretch(
        &self,
        axis: usize,
        first: u32,
        second: u32,
        segment: u32,
    ) -> LinearStretch {
        let end = self.segment_end(segment);
        let (a, b) = (self.row(axis, first), self.row(axis, second));
        let key = segment as usize;
        let at_end = [a[key], b[key]];
        if self.breaks.is_none() {
            return LinearStretch {
                start: self.segment_start(segment),
                end,
                at_start: [a[key - 1], b[key - 1]],
                at_end,
            };
        }
        let start = self
            .beginning_of(first, segment)
            .max(self.beginning_of(second, segment));
        LinearStretch {
            start,
            end,
            at_start: [first, second].map(|v| self.at(axis, v, segment, start)),
            at_end,
        }
    }

    /// The first segment, from this one on, at whose end the two coordinates are so.
    #[inline]
    pub(super) fn first_segment(
        &self,
        axis: usize,
        first: u32,
        second: u32,
        from: u32,
        is_so: impl Fn(f64, f64) -> bool,
    ) -> Option<u32> {
        self.first_segment_until(axis, [first, second], from, self.segments(), is_so)
    }

    /// As [`Trajectories::first_segment`], but none after `until`.
    #[inline]
    pub(super) fn first_segment_until(
        &self,
        axis: usize,
        [first, second]: [u32; 2],
        from: u32,
        until: u32,
        is_so: impl Fn(f64, f64) -> bool,
    ) -> Option<u32> {
        let range = from as usize..=until as usize;
        let (a, b) = (self.row(axis, first), self.row(axis, second));
        let key = first_key(&a[range.clone()], &b[range], is_so)?;
        Some(from + key as u32)
    }

    /// Appends a key. The caller checked the values.
    pub(super) fn push(&mut self, time: f64, value: impl Fn(usize, usize) -> f64) {
        let keys = self.times.len();
        if keys == self.stride {
            let wider = 2 * self.stride;
            for rows in &mut self.axes {
                let mut moved = Vec::with_capacity(self.vertices * wider);
                for row in rows.chunks_exact(self.stride) {
                    moved.extend_from_slice(row);
                    moved.resize(moved.len() + self.stride, 0.0);
                }
                *rows = moved;
            }
            self.stride = wider;
        }
        for (axis, rows) in self.axes.iter_mut().enumerate() {
            for vertex in 0..self.vertices {
                rows[vertex * self.stride + keys] = value(axis, vertex);
            }
        }
        self.times.push(time);
    }

    /// Gives a vertex new key values after a time of the segment, which it reaches where it was going.
    pub(super) fn bend(
        &mut self,
        vertex: u32,
        segment: u32,
        now: f64,
        value: impl Fn(usize, usize) -> f64,
    ) {
        let here: Vec<f64> = (0..self.axes.len())
            .map(|axis| self.at(axis, vertex, segment, now))
            .collect();
        let first = self.times.partition_point(|&t| t <= now);
        let keys = self.times.len();
        for (axis, rows) in self.axes.iter_mut().enumerate() {
            for key in first..keys {
                rows[vertex as usize * self.stride + key] = value(axis, key);
            }
        }
        let (vertices, axes) = (self.vertices, self.axes.len());
        let breaks = self.breaks.get_or_insert_with(|| TrajectoryBreaks {
            times: vec![f64::NEG_INFINITY; vertices],
            places: vec![vec![0.0; vertices]; axes],
        });
        breaks.times[vertex as usize] = now;
        for (places, x) in breaks.places.iter_mut().zip(here) {
            places[vertex as usize] = x;
        }
    }
}

/// The first place at which both are so. Whole blocks are examined without a branch for each.
#[inline]
fn first_key(a: &[f64], b: &[f64], is_so: impl Fn(f64, f64) -> bool) -> Option<usize> {
    let mut blocks_a = a.chunks_exact(BLOCK);
    let mut blocks_b = b.chunks_exact(BLOCK);
    let mut passed = 0;
    for (x, y) in blocks_a.by_ref().zip(blocks_b.by_ref()) {
        let mut any = false;
        for k in 0..BLOCK {
            any |= is_so(x[k], y[k]);
        }
        if any {
            let k = x.iter().zip(y).position(|(&x, &y)| is_so(x, y))?;
            return Some(passed + k);
        }
        passed += BLOCK;
    }
    let mut rest = blocks_a.remainder().iter().zip(blocks_b.remainder());
    rest.position(|(&x, &y)| is_so(x, y)).map(|k| passed + k)
}

impl LinearStretch {
    /// When the difference of the two, less `shift`, is zero; between start and end. Only called when it changes sign.
    #[inline]
    pub(super) fn crossing(&self, shift: f64) -> f64 {
        let before = (self.at_start[1] - self.at_start[0]) - shift;
        let after = (self.at_end[1] - self.at_end[0]) - shift;
        if (before > 0.0) == (after > 0.0) {
            // Rounding at a break: it happened already.
            return self.start;
        }
        let share = before / (before - after);
        let time = self.start + (self.end - self.start) * share;
        time.clamp(self.start, self.end)
    }
}
