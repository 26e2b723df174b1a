//! One frame from positions to sorted entries: pieces, clusters or a curve, axes, sweep.

use glam::DVec3;
use impinge::deform::clustering::{CentreSeeding, PrincipalCurve, seed_centers};
use impinge::deform::{Scene, SceneRequest};

use super::answer::Found;
use super::boxes::{ARRANGE, FIND_BOXES, FIND_CENTROIDS, MAX_SLACK, RECORD};
use super::c_means::{FUZZY_CENTERS, FUZZY_SUMS, LIST_ENTRIES, MAP_FACES, SUMS};
use super::engine::GpuScene;
use super::pieces::{COUNT_PIECES, PIECE_SLACK, WRITE_PIECES};
use super::principal_axes::{FIXED, SPREAD, SUM_SPREADS, direction_words, directions_beside};
use super::range::{Step, two_words};
use super::sweep::{CLUSTER_TOTALS, COUNT_OVERLAPS};
use crate::primitives::{ScanOf, gather, iota, scan, sort_u32};
use crate::{Buffer, Dispatch, GpuError, Grid, POSITION_BITS};

/// Rounds of fuzzy c-means in the first frame, and in those that start from the last.
const FIRST_ROUNDS: u32 = 32;
const WARM_ROUNDS: u32 = 3;
/// Frames from one choice of the sweep axis to the next.
const CHOICE_INTERVAL: u32 = 31;
/// Faces that the first centres are chosen from, and a curve is fitted to.
const START_FACES: usize = 2048;

/// Where the vertices go in a step, and the distance that is to be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'e> {
    pub(super) positions: &'e [DVec3],
    pub(super) reach: f64,
}

/// What is swept: the faces, or pieces of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    pub(super) positions: Buffer,
    pub(super) faces: Buffer,
    pub(super) count: u32,
    pub(super) has_pieces: bool,
    /// The face of each piece.
    pub(super) parents: Buffer,
    /// The clusters of each.
    pub(super) masks: Buffer,
    /// Wider by so much, see `boxes`.
    pub(super) slack: u32,
    /// Vertices before those of the end of a step; 0 for none.
    pub(super) ends: u32,
}

/// The input of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    swept: Swept,
    centroids: Buffer,
    rounds: u32,
}

impl GpuScene {
    /// Uploads the positions, cuts large faces, and moves the centres. Gives nothing where there is nothing to sweep.
    pub(super) fn prepare(
        &mut self,
        scene: &Scene,
        ends: Option<Ends<'_>>,
    ) -> Result<Option<Prepared>, GpuError> {
        let faces = scene.faces().len();
        if faces < 2 {
            return Ok(None);
        }
        // The top bit of a face tells unsure pairs.
        if faces >= 1 << 31 {
            return Err(GpuError::TooLarge {
                words: faces as u64,
                limit: (1 << 31) - 1,
            });
        }
        let (grid, words) = match ends {
            None => {
                let grid = Grid::around(scene.positions());
                (grid, grid.words(scene.positions()))
            }
            Some(ends) => {
                let both = [scene.positions(), ends.positions].concat();
                let grid = Grid::around(&both);
                (grid, grid.words(&both))
            }
        };
        self.settle(scene, &grid, ends.is_some())?;
        let Some(held) = &self.resident else {
            return Ok(None);
        };
        let (positions, face_words, clusters) = (held.positions, held.face_words, held.clusters);
        let is_warm = held.is_warm;
        self.backend.write(positions, &words)?;
        let mut swept = Swept {
            positions,
            faces: face_words,
            count: faces as u32,
            has_pieces: false,
            parents: face_words,
            masks: face_words,
            slack: slack_for(&grid, ends.map_or(0.0, |ends| ends.reach))?,
            ends: ends.map_or(0, |ends| ends.positions.len() as u32),
        };
        if let Some(above) = self.subdivide_above
            && ends.is_none()
        {
            self.cut(scene, &grid, above, &mut swept)?;
        }
        let masks = if clusters > 1 || swept.has_pieces {
            2 * swept.count as usize
        } else {
            1
        };
        swept.masks = self.buffer(masks)?;
        if !swept.has_pieces {
            swept.parents = self.buffer(1)?;
        }
        let rounds = if clusters == 1 || self.centers_given || self.has_curve {
            0
        } else if is_warm {
            WARM_ROUNDS
        } else {
            FIRST_ROUNDS
        };
        if self.has_curve && clusters > 1 {
            self.follow_curve(scene, &grid)?;
        }
        let centroids = self.move_centers(&swept, rounds)?;
        Ok(Some(Prepared {
            swept,
            centroids,
            rounds,
        }))
    }

    pub(super) fn frame(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        ends: Option<Ends<'_>>,
    ) -> Result<Found, GpuError> {
        let mut found = Found::default();
        found.counters.faces = scene.faces().len() as u64;
        let prepared = match self.prepared.take() {
            Some(prepared) => Some(prepared),
            None => self.prepare(scene, ends)?,
        };
        let Some(Prepared {
            swept,
            centroids,
            rounds,
        }) = prepared
        else {
            return Ok(found);
        };
        let clusters = self.resident.as_ref().map_or(1, |held| held.clusters);
        found.counters.rounds = u64::from(rounds);
        self.choose_axis(&swept)?;
        found.counters.clusters = u64::from(clusters);
        // Entries are counted before they are listed, so that one repetition is enough.
        for _ in 0..2 {
            let mark = self.scratch.len();
            let sweep = self.sweep(&swept)?;
            self.sum_spreads(&swept, centroids, &sweep)?;
            let [mut first, end] = self.part(&sweep)?;
            loop {
                match self.range(scene, request, &swept, &sweep, [first, end], &mut found)? {
                    Step::TooManyEntries(needed) => {
                        self.entry_capacity = needed + needed / 16;
                        self.report.growths += 1;
                        break;
                    }
                    Step::Done {
                        entries,
                        total,
                        length,
                    } => {
                        found.counters.entries = entries;
                        found.counters.boxes = entries;
                        found.counters.sort_moves = entries;
                        self.report.ranges += 1;
                        first += length;
                        if first >= total.min(end) {
                            return Ok(found);
                        }
                    }
                }
            }
            self.drop_scratch(mark);
        }
        Err(GpuError::TooLarge {
            words: 2 * self.entry_capacity,
            limit: self.backend.max_words(),
        })
    }

    /// Cuts faces that are this many times larger than the median.
    fn cut(
        &mut self,
        scene: &Scene,
        grid: &Grid,
        above: u32,
        swept: &mut Swept,
    ) -> Result<(), GpuError> {
        let limit = size_limit(scene, grid, above);
        let (positions, faces, count) = (swept.positions, swept.faces, swept.count);
        let counts = self.buffer(count as usize)?;
        let sums = self.buffer(2 * (count as usize + 1))?;
        let dispatch = Dispatch::new(COUNT_PIECES.groups(count), &[count, limit]);
        let bound = [positions, faces, counts];
        self.backend.run(&COUNT_PIECES, &dispatch, &bound)?;
        scan(&mut self.backend, ScanOf::Items, counts, sums, count)?;
        let last = 2 * count as usize;
        let total = two_words(&self.backend.read(sums, last..last + 2)?);
        if total == u64::from(count) {
            return Ok(());
        }
        let pieces = total as usize;
        let cut = Swept {
            positions: self.buffer(9 * pieces)?,
            faces: self.buffer(4 * pieces)?,
            parents: self.buffer(pieces)?,
            count: total as u32,
            has_pieces: true,
            slack: swept.slack + PIECE_SLACK,
            ..*swept
        };
        let dispatch = Dispatch::new(WRITE_PIECES.groups(count), &[count, limit]);
        let bound = [
            positions,
            faces,
            sums,
            cut.positions,
            cut.faces,
            cut.parents,
        ];
        self.backend.run(&WRITE_PIECES, &dispatch, &bound)?;
        self.report.pieces = total;
        *swept = cut;
        Ok(())
    }

    /// Fits a curve to the faces, or moves the last on, and makes its segments the clusters, each with its own directions.
    fn follow_curve(&mut self, scene: &Scene, grid: &Grid) -> Result<(), GpuError> {
        let points = sample(scene, grid);
        let Some(held) = &mut self.resident else {
            return Ok(());
        };
        let curve = match held.curve.take() {
            Some(mut curve) => {
                curve.settle(&points);
                curve
            }
            None => {
                let axis = longest_axis(&points);
                PrincipalCurve::fit(&points, axis, held.clusters as usize)
            }
        };
        let words: Vec<u32> = curve.middles().into_iter().flat_map(center_words).collect();
        held.axes = curve
            .directions()
            .into_iter()
            .map(directions_beside)
            .collect();
        held.curve = Some(curve);
        let centers = held.centers;
        self.backend.write(centers, &words)
    }

    /// Counts the pairs along each of the axes of the last frame and along x, and keeps the best of each cluster, now and
    /// then: it takes a sort and a readback each.
    fn choose_axis(&mut self, swept: &Swept) -> Result<(), GpuError> {
        let Some(held) = &mut self.resident else {
            return Ok(());
        };
        if held.axes.is_empty() {
            return Ok(());
        }
        if held.until_choice > 0 {
            held.until_choice -= 1;
            return Ok(());
        }
        held.until_choice = CHOICE_INTERVAL;
        let (directions, clusters) = (held.directions, held.clusters);
        let fixed = vec![FIXED; clusters as usize];
        let mut choices = vec![direction_words(&fixed, 0)];
        choices.extend((0..3).map(|first| direction_words(&held.axes, first)));
        // All clusters, so that devices that share them choose alike.
        let own = std::mem::replace(&mut self.own_clusters, u64::MAX);
        let mut best: Vec<Option<(u64, usize)>> = vec![None; clusters as usize];
        for (i, words) in choices.iter().enumerate() {
            let mark = self.scratch.len();
            self.backend.write(directions, words)?;
            let sweep = self.sweep(swept)?;
            let counted = self.pairs_by_cluster(&sweep, clusters)?;
            self.drop_scratch(mark);
            for (best, total) in best.iter_mut().zip(counted) {
                if best.is_none_or(|(least, _)| total < least) {
                    *best = Some((total, i));
                }
            }
        }
        self.own_clusters = own;
        let chosen = best.iter().enumerate().flat_map(|(cluster, best)| {
            let choice = best.and_then(|(_, i)| choices.get(i));
            let words = choice.and_then(|words| words.get(9 * cluster..9 * cluster + 9));
            words.unwrap_or_default().to_vec()
        });
        let words: Vec<u32> = chosen.collect();
        self.backend.write(directions, &words)
    }

    /// The pairs along the axis of each cluster.
    fn pairs_by_cluster(&mut self, sweep: &Sweep, clusters: u32) -> Result<Vec<u64>, GpuError> {
        let totals = self.buffer(2 * clusters as usize)?;
        let dispatch = Dispatch::new(1, &[sweep.entries, clusters, 0]);
        let bound = [sweep.records, sweep.sums, totals];
        self.backend.run(&CLUSTER_TOTALS, &dispatch, &bound)?;
        let read = self.backend.read(totals, 0..2 * clusters as usize)?;
        Ok(read.chunks_exact(2).map(two_words).collect())
    }

    /// Sums what the axes of the next frame are found from, into the place behind the totals.
    fn sum_spreads(
        &mut self,
        swept: &Swept,
        centroids: Buffer,
        sweep: &Sweep,
    ) -> Result<(), GpuError> {
        let Some(held) = &self.resident else {
            return Ok(());
        };
        let clusters = held.clusters;
        let dispatch = Dispatch::new(clusters, &[swept.count, clusters]);
        let bound = [centroids, swept.masks, sweep.spreads];
        self.backend.run(&SUM_SPREADS, &dispatch, &bound)
    }

    /// Finds centroids, and moves the centres by fuzzy c-means.
    fn move_centers(&mut self, swept: &Swept, rounds: u32) -> Result<Buffer, GpuError> {
        let Some(held) = &mut self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        held.is_warm = true;
        let (positions, face_words, faces) = (swept.positions, swept.faces, swept.count);
        let (centers, clusters) = (held.centers, held.clusters);
        let centroids = self.buffer(4 * faces as usize)?;
        let groups = FUZZY_SUMS.groups(faces);
        let sums = self.buffer(SUMS * (groups * clusters) as usize)?;
        let dispatch = Dispatch::new(FIND_CENTROIDS.groups(faces), &[faces]);
        let bound = [positions, face_words, centroids];
        self.backend.run(&FIND_CENTROIDS, &dispatch, &bound)?;
        for _ in 0..rounds {
            let dispatch = Dispatch::new(groups, &[faces, clusters, groups]);
            let bound = [centroids, centers, sums];
            self.backend.run(&FUZZY_SUMS, &dispatch, &bound)?;
            let dispatch = Dispatch::new(1, &[clusters, groups]);
            self.backend
                .run(&FUZZY_CENTERS, &dispatch, &[sums, centers])?;
        }
        Ok(centroids)
    }

    /// Maps faces to clusters, sorts their entries and counts the pairs along the axis.
    fn sweep(&mut self, swept: &Swept) -> Result<Sweep, GpuError> {
        let Some(held) = &self.resident else {
            return Err(crate::backend::UNKNOWN);
        };
        let (positions, face_words, faces) = (swept.positions, swept.faces, swept.count);
        let (directions, clusters) = (held.directions, held.clusters);
        let (masks, centers) = (swept.masks, held.centers);
        let (mut list, mut entry_sums) = (held.entries, held.entry_sums);
        let mut entries = faces;
        let mut entry_total = 0;
        if clusters > 1 || swept.has_pieces {
            let listed = [self.own_clusters as u32, (self.own_clusters >> 32) as u32];
            entries = u32::try_from(self.entry_capacity).unwrap_or(u32::MAX);
            let counts = self.buffer(faces as usize)?;
            entry_sums = self.buffer(2 * (faces as usize + 1))?;
            entry_total = 2 * faces;
            list = self.buffer(2 * entries as usize)?;
            let dispatch = Dispatch::new(
                MAP_FACES.groups(faces),
                &[faces, clusters, listed[0], listed[1]],
            );
            let bound = [positions, face_words, centers, masks, counts];
            self.backend.run(&MAP_FACES, &dispatch, &bound)?;
            scan(&mut self.backend, ScanOf::Items, counts, entry_sums, faces)?;
            let groups = LIST_ENTRIES.groups(entries.max(faces));
            let dispatch = Dispatch::new(groups, &[faces, entries, listed[0], listed[1]]);
            self.backend
                .run(&LIST_ENTRIES, &dispatch, &[masks, entry_sums, list])?;
        }
        let count = entries as usize;
        let keys = self.buffer(count)?;
        let names = self.buffer(count)?;
        let records = self.buffer(RECORD * count)?;
        let asked = [entries, swept.slack, swept.ends];
        let dispatch = Dispatch::new(FIND_BOXES.groups(entries), &asked);
        let bound = [
            positions, face_words, list, directions, keys, names, records,
        ];
        self.backend.run(&FIND_BOXES, &dispatch, &bound)?;

        let order = self.buffer(count)?;
        iota(&mut self.backend, order, entries)?;
        let sorted = if clusters == 1 {
            sort_u32(&mut self.backend, keys, order, entries, 32)?
        } else {
            // Sorting overwrites the keys: they are copied before and put in order behind.
            let kept = self.buffer(count)?;
            gather(&mut self.backend, keys, order, kept, entries)?;
            let by_low = sort_u32(&mut self.backend, keys, order, entries, 32)?;
            self.scratch.extend([by_low.keys, by_low.values]);
            let moved = self.buffer(count)?;
            gather(&mut self.backend, names, by_low.values, moved, entries)?;
            let by_cluster = sort_u32(&mut self.backend, moved, by_low.values, entries, 8)?;
            let lows = self.buffer(count)?;
            gather(&mut self.backend, kept, by_cluster.values, lows, entries)?;
            self.scratch.push(by_cluster.keys);
            by_cluster.with_keys(lows)
        };
        self.scratch.extend([sorted.keys, sorted.values]);
        let arranged = self.buffer(RECORD * count)?;
        let dispatch = Dispatch::new(ARRANGE.groups(entries), &[entries]);
        let bound = [records, sorted.values, arranged];
        self.backend.run(&ARRANGE, &dispatch, &bound)?;

        let counts = self.buffer(count)?;
        let sums = self.buffer(2 * (count + 1))?;
        let dispatch = Dispatch::new(COUNT_OVERLAPS.groups(entries), &[entries]);
        let bound = [sorted.keys, arranged, counts];
        self.backend.run(&COUNT_OVERLAPS, &dispatch, &bound)?;
        scan(&mut self.backend, ScanOf::Items, counts, sums, entries)?;
        let spreads = self.buffer(SPREAD * clusters as usize)?;
        Ok(Sweep {
            spreads,
            entries,
            sums,
            records: arranged,
            entry_sums,
            entry_total,
        })
    }
}

/// The sorted entries of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    pub(super) entries: u32,
    pub(super) sums: Buffer,
    pub(super) records: Buffer,
    /// Where the number of entries that are needed is.
    pub(super) entry_sums: Buffer,
    pub(super) entry_total: u32,
    pub(super) spreads: Buffer,
}

/// Centroids in the cube from -1 to 1, of at most [`START_FACES`] faces.
fn sample(scene: &Scene, grid: &Grid) -> Vec<DVec3> {
    let unit = 1.0 / f64::from(3_u32 << POSITION_BITS);
    let stride = scene.faces().len().div_ceil(START_FACES).max(1);
    let middle = |face: &[u32; 3]| {
        let corners = face.map(|v| scene.positions().get(v as usize).copied());
        let corners = corners.into_iter().flatten().map(|p| grid.point(p));
        corners.fold(DVec3::ZERO, |sum, q| sum + DVec3::from(q.map(f64::from))) * unit
    };
    scene.faces().iter().step_by(stride).map(middle).collect()
}

fn center_words(p: DVec3) -> [u32; 4] {
    [p.x, p.y, p.z, 0.0].map(|x| (x as f32).to_bits())
}

/// Centres to start from: centroids far from each other.
pub(super) fn first_centers(scene: &Scene, grid: &Grid, clusters: usize) -> Vec<u32> {
    seed_centers(&sample(scene, grid), clusters, CentreSeeding::Spread)
        .into_iter()
        .flat_map(center_words)
        .collect()
}

/// The axis of the room along which points are farthest apart.
fn longest_axis(points: &[DVec3]) -> DVec3 {
    let low = points.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
    let size = high - low;
    if size.x >= size.y && size.x >= size.z {
        DVec3::X
    } else if size.y >= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    }
}

/// This many times the median extent of a face, in units of the grid.
fn size_limit(scene: &Scene, grid: &Grid, above: u32) -> u32 {
    let extent = |face: &[u32; 3]| {
        let corners = face.map(|v| {
            let p = scene.positions().get(v as usize).copied();
            grid.point(p.unwrap_or_default())
        });
        let along = |k: usize| {
            let values = corners.map(|q| q[k]);
            let [a, b, c] = values;
            a.max(b).max(c).abs_diff(a.min(b).min(c))
        };
        along(0).max(along(1)).max(along(2))
    };
    let mut extents: Vec<u32> = scene.faces().iter().map(extent).collect();
    let at = extents.len() / 2;
    if extents.is_empty() {
        return u32::MAX;
    }
    let (_, median, _) = extents.select_nth_unstable(at);
    median.saturating_mul(above.max(1)).max(1)
}

/// The slack for half of a distance that is to be kept.
fn slack_for(grid: &Grid, reach: f64) -> Result<u32, GpuError> {
    if reach <= 0.0 {
        return Ok(0);
    }
    // Rounded up, and one more for the rounding of the scale.
    let slack = grid.scaled(0.5 * reach) / 1024.0 + 2.0;
    if slack < f64::from(MAX_SLACK) {
        return Ok(slack as u32);
    }
    Err(GpuError::Option {
        name: "separation",
        value: slack as u64,
        range: "at most the size of the scene",
    })
}
