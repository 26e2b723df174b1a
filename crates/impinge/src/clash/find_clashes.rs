//! Finds all clashes of an assembly.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

#[cfg(feature = "parallel")]
use rayon::prelude::*;
use thiserror::Error;

use super::Part;
use super::candidates::{candidates, world_boxes};
use super::index_pool::IndexPool;
use super::mesh_facts::shapes_of;
use super::narrow_phase::PartPair;
use super::part::Clash;
use crate::bound::Aabb;
use crate::broad::{BroadError, ObjectId};
use crate::bvh::wide::WideCache;
use crate::query::{Outcome, Sink};

/// Pairs between two reports of progress.
const PAIRS_PER_BATCH: usize = 256;

/// Bounds of a depth so near each other, as a share of it, are not narrowed.
const REFINED: f64 = 1e-3;

/// What counts as a clash, and how much memory finding it may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClashOptions {
    /// Parts no farther apart than this clash too. With none, no distances are computed.
    pub clearance: Option<f64>,
    /// Overlaps no deeper than this count as touching, and so do contained parts that a translation
    /// of at most this moves out; unless it is 0, touching parts clash only if a clearance is
    /// requested. Duplicates always clash.
    pub tolerance: f64,
    /// The rounding error of coordinates in files. Overlaps no deeper than twice this, and gaps no
    /// wider, count as touching. 0 unless set.
    pub precision: f64,
    /// Maximum number of tests for one depth, unless the kind of a clash depends on it. Bounds
    /// always hold; [`refine_depths`] narrows them where needed. Convex parts with few faces need
    /// none.
    pub depth_tests: u64,
    /// Maximum total size of the trees in bytes. Two trees are always held, whatever their size.
    /// One GiB unless set.
    pub index_bytes: usize,
}

impl Default for ClashOptions {
    fn default() -> Self {
        Self {
            clearance: None,
            tolerance: 0.0,
            precision: 0.0,
            depth_tests: 50_000,
            index_bytes: 1 << 30,
        }
    }
}

/// Progress of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClashProgress {
    /// Pairs decided.
    pub pairs_done: usize,
    /// Pairs to decide: those whose boxes come near.
    pub pairs: usize,
    /// Clashes found.
    pub clashes: usize,
    /// Trees made so far; more than there are meshes when memory was short.
    pub trees_made: u64,
    /// The most bytes that trees took at one time.
    pub most_index_bytes: usize,
}

/// Why clashes cannot be searched.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ClashError {
    /// A length is negative or not finite.
    #[error("the {what} must be finite and not negative, found {value}")]
    BadLength {
        /// Which.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// There are more parts than can be numbered.
    #[error(
        "{count} parts are too many: at most {} are compared",
        ObjectId::MAX_SLOT
    )]
    TooManyParts {
        /// How many there are.
        count: usize,
    },
    /// The broad phase refused a box.
    #[error(transparent)]
    Box(#[from] BroadError),
}

/// Reports every clash among the parts, in the order of their numbers.
///
/// Only pairs that `accepts` takes are examined. `progress` is called at intervals, on the caller's thread; `Break` ends the search.
/// Parts without faces clash with nothing.
///
/// # Errors
/// [`ClashError`] for a negative length or too many parts.
///
/// ```
/// use impinge::clash::{ClashOptions, Part, find_clashes};
/// use impinge::{Pose, generate::tetrahedron};
/// use std::ops::ControlFlow::Continue;
/// use std::sync::Arc;
/// let mesh = Arc::new(tetrahedron(1.0)?);
/// let part = |name: &str| Part { name: name.to_owned(), mesh: Arc::clone(&mesh), world_from_part: Pose::IDENTITY };
/// let mut found = Vec::new();
/// let options = ClashOptions::default();
/// let _ = find_clashes(&[part("x"), part("y")], &|_, _| true, &options, &mut |_| Continue(()), &mut found)?;
/// assert_eq!(found[0].kind.name(), "duplicate");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "clash detection")]
#[doc(alias = "BCF")]
pub fn find_clashes(
    parts: &[Part],
    accepts: &(dyn Fn(u32, u32) -> bool + Sync),
    options: &ClashOptions,
    progress: &mut dyn FnMut(&ClashProgress) -> ControlFlow<()>,
    sink: &mut dyn Sink<Clash>,
) -> Result<Outcome, ClashError> {
    check(options)?;
    if parts.len() > ObjectId::MAX_SLOT as usize {
        return Err(ClashError::TooManyParts { count: parts.len() });
    }
    let boxes = world_boxes(parts);
    let pairs = candidates(
        &boxes,
        options
            .clearance
            .unwrap_or(0.0)
            .max(2.0 * options.precision),
        accepts,
    )?;
    let (shapes, shape_of_part) = shapes_of(parts);
    let mut pool = IndexPool::new(shapes, options.index_bytes);
    let mut told = ClashProgress {
        pairs: pairs.len(),
        ..ClashProgress::default()
    };
    let mut rest = pairs.as_slice();
    while !rest.is_empty() {
        let (batch, shapes) = next_batch(&pool, &shape_of_part, rest);
        rest = &rest[batch.len()..];
        pool.prepare(&shapes);
        let decide = |&(a, b): &(u32, u32)| {
            // What a cache remembers of one pair could choose among equally near points of the next.
            part_pair(&pool, parts, &boxes, &shape_of_part, [a, b], options)?
                .decide(&mut WideCache::default())
        };
        #[cfg(feature = "parallel")]
        let found: Vec<Option<Clash>> = batch.par_iter().map(decide).collect();
        #[cfg(not(feature = "parallel"))]
        let found: Vec<Option<Clash>> = batch.iter().map(decide).collect();
        for clash in found.into_iter().flatten() {
            told.clashes += 1;
            if sink.accept(clash).is_break() {
                return Ok(Outcome::StoppedBySink);
            }
        }
        told.pairs_done += batch.len();
        (told.trees_made, told.most_index_bytes) = (pool.made, pool.most_bytes);
        if progress(&told).is_break() && !rest.is_empty() {
            return Ok(Outcome::OutOfBudget);
        }
    }
    Ok(Outcome::Complete)
}

fn check(options: &ClashOptions) -> Result<(), ClashError> {
    for (what, value) in [
        ("clearance", options.clearance.unwrap_or(0.0)),
        ("tolerance", options.tolerance),
        ("precision", options.precision),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(ClashError::BadLength { what, value });
        }
    }
    Ok(())
}

/// Narrows the bounds of the depths of these clashes as far as possible.
///
/// Kinds and points stay. [`find_clashes`] spends little on a depth that does not decide the kind;
/// this is for the clashes that are shown.
///
/// ```
/// use impinge::clash::{ClashOptions, Part, find_clashes, refine_depths};
/// use impinge::{Pose, generate::torus};
/// use std::ops::ControlFlow::Continue;
/// use std::sync::Arc;
/// let mesh = Arc::new(torus(1.0, 0.3, 24, 12)?);
/// let at = |x: f64| Pose::from_translation([x, 0.0, 0.1]);
/// let part = |x: f64| Ok::<_, impinge::PoseError>(Part { name: String::new(), mesh: Arc::clone(&mesh), world_from_part: at(x)? });
/// let parts = [part(0.0)?, part(1.9)?];
/// let (options, mut found) = (ClashOptions { depth_tests: 100, ..Default::default() }, Vec::new());
/// let _ = find_clashes(&parts, &|_, _| true, &options, &mut |_| Continue(()), &mut found)?;
/// let coarse = found[0].depth.ok_or("closed")?;
/// refine_depths(&parts, &options, &mut found);
/// assert!(found[0].depth.ok_or("closed")?.half_width() < coarse.half_width());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refine_depths(parts: &[Part], options: &ClashOptions, clashes: &mut [Clash]) {
    let boxes = world_boxes(parts);
    let (shapes, shape_of_part) = shapes_of(parts);
    let mut pool = IndexPool::new(shapes, options.index_bytes);
    let is_coarse = |clash: &Clash| {
        clash
            .depth
            .is_some_and(|span| span.half_width() > 0.5 * REFINED * span.upper)
    };
    for clash in clashes.iter_mut().filter(|clash| is_coarse(clash)) {
        let pair = [clash.a, clash.b];
        if pair.iter().any(|&part| part as usize >= parts.len()) {
            continue;
        }
        let mut shapes = pair.map(|part| shape_of_part[part as usize]).to_vec();
        shapes.dedup();
        pool.prepare(&shapes);
        let couple = part_pair(&pool, parts, &boxes, &shape_of_part, pair, options);
        let refined = couple.and_then(|couple| couple.refined(clash, &mut WideCache::default()));
        if refined.is_some() {
            clash.depth = refined;
        }
    }
}

/// The next pairs whose trees fit into the allowance, at least one, and their shapes.
fn next_batch<'p>(
    pool: &IndexPool,
    shape_of_part: &[u32],
    pairs: &'p [(u32, u32)],
) -> (&'p [(u32, u32)], Vec<u32>) {
    let mut shapes = BTreeSet::new();
    let (mut cost, mut count) = (0, 0);
    for &(a, b) in pairs.iter().take(PAIRS_PER_BATCH) {
        let mut new: Vec<u32> = [a, b].map(|part| shape_of_part[part as usize]).to_vec();
        new.dedup();
        new.retain(|shape| !shapes.contains(shape));
        let more: usize = new.iter().map(|&shape| pool.cost(shape)).sum();
        if count > 0 && !new.is_empty() && cost + more > pool.allowance() {
            break;
        }
        cost += more;
        count += 1;
        shapes.extend(new);
    }
    (&pairs[..count], shapes.into_iter().collect())
}

fn part_pair<'p>(
    pool: &'p IndexPool,
    parts: &'p [Part],
    boxes: &'p [Option<Aabb>],
    shape_of_part: &[u32],
    [a, b]: [u32; 2],
    options: &'p ClashOptions,
) -> Option<PartPair<'p>> {
    let (p, q) = (&parts[a as usize], &parts[b as usize]);
    let (tree_a, facts_a) = pool.get(shape_of_part[a as usize])?;
    let (tree_b, facts_b) = pool.get(shape_of_part[b as usize])?;
    Some(PartPair {
        numbers: [a, b],
        trees: [tree_a, tree_b],
        facts: [facts_a, facts_b],
        boxes: [boxes[a as usize].as_ref()?, boxes[b as usize].as_ref()?],
        world_from_a: &p.world_from_part,
        a_from_b: p.world_from_part.inverse() * q.world_from_part,
        options,
    })
}
