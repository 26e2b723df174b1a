//! Groups the contacts of surfaces into patches that a solver can use.
//!
//! **Question.** Two surfaces touch with a hundred faces. Which few points and normals keep them
//! apart as well as all of them?
//! **Idea.** Touching faces that share corners form a region. In a region the contacts along a
//! normal of both surfaces bound the depth of the shapes; deeper ones that were turned to the
//! normal of a face are dropped, and so is a gap behind a surface that has been crossed. The
//! deepest remaining contact begins a patch. The patch takes contacts with nearly the same normal,
//! and contacts that a translation along its normal would resolve as well. A patch keeps its
//! deepest point and those that span the largest area.
//! **Promise.** A pair has at most [`MAX_PATCHES`] patches, each with one normal and at most
//! `max_contacts` points. Every region has a patch, up to that number. The depth of a point is
//! measured along the normal of its patch.
//! **Cost.** Sorting the contacts; each is compared with the patches.

use glam::DVec3;

use super::composite::Composite;
use super::contacts::NamedTouch;
use super::internal_edges::{numbered, point, welded};
use super::manifold_clipping::{ManifoldPoint, reduce_points};
use super::surface_contacts::{ContactCandidate, ContactGrade};
use crate::convex::SupportMap;
use crate::math::Pose;

/// The most patches of two surfaces.
pub(super) const MAX_PATCHES: usize = 8;

/// Cosine from which on normals of a region are those of one patch: 10 degrees.
const SAME_PATCH: f64 = 0.984_807_753_012_208;

/// Cosine from which on normals anywhere are those of one patch; wider than what a manifold groups.
const SAME_NORMAL: f64 = 1.0 - 1e-5;

/// Cosine from which on a contact may be left to a deeper one: 45 degrees.
const LEANING: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Cosine from which on a turned normal agrees with a proper one: 15 degrees.
const AGREEING: f64 = 0.965_925_826_289_068_3;

/// How much deeper than the proper contacts of its region a turned one may be.
const DEEPER: f64 = 1.02;

/// Normals of a region that are tried as its way out, and between every two of them.
const LEADING: usize = 6;

/// Cosine below which normals of a region are tried apart: 5 degrees.
const DISTINCT: f64 = 0.996_194_698_091_745_5;

/// Cosine from which on a direction between two normals is tried: 72 degrees.
const BETWEEN: f64 = 0.309_016_994_374_947_45;

/// How much longer than the deepest contact the way out of a region that bulges may be.
const BULGING: f64 = 1.1;

/// Radians by which the way out is turned first, and how often it is turned.
const REFINED_FROM: f64 = 0.125;
const REFINEMENTS: u32 = 10;

/// How much longer than the deepest contact a move that resolves all contacts may be.
const RESOLVING: f64 = 1.03;

/// Memory of the gathering, kept so that repeated queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct PatchScratch {
    /// A face of one shape and a corner of a face of the other, and the candidate that they belong to.
    keys: Vec<([u32; 3], u32)>,
    parents: Vec<u32>,
    order: Vec<u32>,
    /// By region, and by candidate.
    is_seeded: Vec<bool>,
    is_first: Vec<bool>,
    is_dropped: Vec<bool>,
    normals: Vec<(DVec3, f64)>,
    lead: LeadScratch,
    patches: Vec<PatchSeed>,
    /// Patch and candidate.
    members: Vec<(u32, u32)>,
    own: Vec<ManifoldPoint>,
    chosen: Vec<usize>,
}

/// Memory of [`lead_region`].
#[derive(Debug, Default)]
struct LeadScratch {
    directions: Vec<DVec3>,
    numbers: Vec<u32>,
    corners: [Vec<DVec3>; 2],
}

/// The contact that a patch begins with.
#[derive(Clone, Copy, Debug)]
struct PatchSeed {
    region: u32,
    normal: DVec3,
    depth: f64,
}

/// Leaves out candidates that others of their region refute. Candidates come sorted by parts; `room` is the rounding of depths,
/// `is_meeting` is whether any two parts overlap.
pub(super) fn filter(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    room: f64,
    is_meeting: bool,
    candidates: &mut Vec<ContactCandidate>,
    scratch: &mut PatchScratch,
) {
    find_regions(shapes, candidates, scratch);
    let PatchScratch {
        parents,
        order,
        normals,
        lead,
        is_dropped,
        ..
    } = scratch;
    number_all(candidates, order);
    order.sort_unstable_by_key(|&i| (parents[i as usize], i));
    is_dropped.clear();
    is_dropped.resize(candidates.len(), false);
    if is_meeting {
        // Surfaces that cross somewhere have no gap behind them anywhere.
        for (c, is_dropped) in candidates.iter().zip(is_dropped.iter_mut()) {
            *is_dropped = !c.is_overlap && c.grade == ContactGrade::Inner;
        }
    }
    for region in order.chunk_by(|&i, &j| parents[i as usize] == parents[j as usize]) {
        lead_region(shapes, a_from_b, room, candidates, region, lead, is_dropped);
        filter_region(candidates, region, room, is_meeting, normals, is_dropped);
    }
    let mut dropped = is_dropped.iter();
    candidates.retain(|_| dropped.next() != Some(&true));
    let mut dropped = is_dropped.iter();
    parents.retain(|_| dropped.next() != Some(&true));
}

/// The region of a candidate that was added after regions were found.
const NO_REGION: u32 = u32::MAX;

/// Drops the refuted candidates of a region, and turns faces that have passed each other.
fn filter_region(
    candidates: &mut [ContactCandidate],
    region: &[u32],
    room: f64,
    is_meeting: bool,
    normals: &mut Vec<(DVec3, f64)>,
    is_dropped: &mut [bool],
) {
    let of = |i: &u32| candidates[*i as usize];
    if !region.iter().any(|i| of(i).is_overlap) {
        for &i in region.iter().filter(|_| is_meeting) {
            is_dropped[i as usize] |= of(&i).grade == ContactGrade::Passed;
        }
        return;
    }
    let is_left = |i: &&u32| !is_dropped[**i as usize];
    let deepest_of = |grade: ContactGrade| {
        let own = region.iter().filter(is_left).map(of);
        let own = own.filter(|c| c.grade == grade);
        own.map(|c| c.named.touch.depth)
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let proper = deepest_of(ContactGrade::Proper);
    let facing = deepest_of(ContactGrade::Facing);
    normals.clear();
    let reach = if proper >= 0.0 {
        for c in region.iter().filter(is_left).map(of) {
            let is_known = |(n, _): &(DVec3, f64)| n.dot(c.named.touch.normal) >= SAME_PATCH;
            let is_proper = c.grade == ContactGrade::Proper && c.named.touch.depth >= 0.0;
            if is_proper && normals.len() < 4 * MAX_PATCHES && !normals.iter().any(is_known) {
                normals.push((c.named.touch.normal, 0.0));
            }
        }
        DEEPER * proper + room
    } else if facing >= 0.0 {
        DEEPER * facing + room
    } else {
        DEEPER * least_of_turned(region.iter().filter(is_left).map(of), normals) + room
    };
    let has_proper = proper >= 0.0;
    for &i in region {
        let c = &mut candidates[i as usize];
        let touch = &mut c.named.touch;
        let is_kept = match c.grade {
            ContactGrade::Proper => true,
            ContactGrade::Facing => touch.depth <= reach,
            ContactGrade::Turned => {
                let agrees = |(n, _): &(DVec3, f64)| n.dot(touch.normal) >= AGREEING;
                touch.depth <= reach && (!has_proper || normals.iter().any(agrees))
            }
            ContactGrade::Passed => {
                (touch.normal, touch.depth) = (-touch.normal, -touch.depth);
                c.grade = ContactGrade::Facing;
                touch.depth <= reach
            }
            ContactGrade::Inner => false,
        };
        is_dropped[i as usize] |= !is_kept;
    }
    // Shapes that meet keep a contact: the most trusted, and among those the one that claims least.
    let mut last: Option<u32> = None;
    for &i in region {
        let c = &candidates[i as usize];
        if c.is_overlap && !is_dropped[i as usize] {
            return;
        }
        let rank = |i: u32| {
            (
                candidates[i as usize].grade,
                candidates[i as usize].named.touch.depth,
            )
        };
        if c.is_overlap && last.is_none_or(|last| rank(i) < rank(last)) {
            last = Some(i);
        }
    }
    if let Some(last) = last {
        is_dropped[last as usize] = false;
    }
}

/// Turns the contacts of a region to its way out, where one normal serves all.
///
/// A move along a direction by how far the touching faces reach past each other along it parts them. Where the shortest such move, among the
/// normals of the region and those between two of them, is as short as the contacts are deep, the faces bulge towards each
/// other. In a groove it is far longer, and each side keeps its own normal, unless moving out along one resolves the other as
/// well.
fn lead_region(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    room: f64,
    candidates: &mut [ContactCandidate],
    region: &[u32],
    with: &mut LeadScratch,
    is_dropped: &mut [bool],
) {
    let LeadScratch {
        directions,
        numbers,
        corners,
    } = with;
    find_directions(candidates, region, room, directions);
    let own = directions.len();
    if own < 2 {
        return;
    }
    for i in 0..own {
        for j in i + 1..own {
            let (p, q) = (directions[i], directions[j]);
            if p.dot(q) > BETWEEN {
                directions.extend((p + q).try_normalize());
            }
        }
    }
    let trusted = region.iter().map(|&i| &candidates[i as usize]);
    let trusted = trusted.filter(|c| c.is_overlap);
    let best_grade = trusted.clone().map(|c| c.grade).min();
    let deepest = trusted
        .filter(|c| Some(c.grade) == best_grade)
        .map(|c| c.named.touch.depth)
        .fold(0.0, f64::max);
    find_corners(shapes, candidates, region, numbers, corners);
    let faces = RegionFaces {
        shapes,
        a_from_b,
        corners,
    };
    let reach_of = |normal| faces.reach_along(normal);
    let mut best = (DVec3::ZERO, f64::INFINITY);
    for &normal in directions.iter() {
        let reach = reach_of(normal);
        if reach < best.1 {
            best = (normal, reach);
        }
    }
    refine(&mut best, &reach_of);
    best.1 /= BULGING;
    for &normal in &directions[..own] {
        let contacts = region.iter().map(|&i| &candidates[i as usize]);
        let contacts = contacts.filter(|c| Some(c.grade) == best_grade);
        let step = resolving_step(contacts, normal) / RESOLVING;
        if step < best.1 {
            best = (normal, step);
        }
    }
    let (lead, reach) = best;
    if reach <= room || reach > deepest {
        return;
    }
    for &i in region {
        let c = &mut candidates[i as usize];
        let touch = &mut c.named.touch;
        if !c.is_overlap || touch.depth <= 0.0 {
            continue;
        }
        if touch.normal.dot(lead) >= LEANING {
            *touch = along_normal(touch, lead);
        } else {
            // Its faces are parted as well.
            is_dropped[i as usize] = true;
        }
    }
}

/// Turns a direction to where the faces reach past each other least, nearby.
fn refine(best: &mut (DVec3, f64), reach_of: &dyn Fn(DVec3) -> f64) {
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let mut angle = REFINED_FROM;
    for _ in 0..REFINEMENTS {
        let side = best.0.any_orthonormal_vector();
        let other = best.0.cross(side);
        let before = best.1;
        for (u, v) in [(1.0, 0.0), (HALF, HALF), (0.0, 1.0), (-HALF, HALF)] {
            for sign in [1.0, -1.0] {
                let turned = best.0 + (side * u + other * v) * (sign * angle);
                let turned = turned.normalize_or_zero();
                let reach = reach_of(turned);
                if reach < best.1 {
                    *best = (turned, reach);
                }
            }
        }
        if best.1 >= before {
            angle *= 0.5;
        }
    }
}

/// The move along a direction after which none of the contacts is left, each taken as a plane.
fn resolving_step<'c>(contacts: impl Iterator<Item = &'c ContactCandidate>, normal: DVec3) -> f64 {
    let mut step = 0.0_f64;
    for c in contacts.filter(|c| c.named.touch.depth > 0.0) {
        let cosine = normal.dot(c.named.touch.normal);
        if cosine < LEANING {
            return f64::INFINITY;
        }
        step = step.max(c.named.touch.depth / cosine);
    }
    step
}

/// Makes `directions` the normals of a region that may be its way out: those of the most trusted and deepest contacts.
fn find_directions(
    candidates: &[ContactCandidate],
    region: &[u32],
    room: f64,
    directions: &mut Vec<DVec3>,
) {
    directions.clear();
    while directions.len() < LEADING {
        let mut best: Option<&ContactCandidate> = None;
        for c in region.iter().map(|&i| &candidates[i as usize]) {
            let touch = &c.named.touch;
            let is_new = directions.iter().all(|n| n.dot(touch.normal) < DISTINCT);
            let is_better = best
                .is_none_or(|best| (c.grade, -touch.depth) < (best.grade, -best.named.touch.depth));
            if c.is_overlap && touch.depth > room && is_new && is_better {
                best = Some(c);
            }
        }
        let Some(best) = best else { break };
        directions.push(best.named.touch.normal);
    }
}

/// The faces of two shapes that touch in a region.
struct RegionFaces<'r> {
    shapes: [&'r Composite; 2],
    a_from_b: &'r Pose,
    /// Corners of the faces, each in the frame of its shape; none for a convex shape.
    corners: &'r [Vec<DVec3>; 2],
}

impl RegionFaces<'_> {
    /// How far the faces reach past each other along a direction.
    fn reach_along(&self, normal: DVec3) -> f64 {
        let turned = self.a_from_b.rotation().transpose() * normal;
        let mut sum = normal.dot(-self.a_from_b.translation());
        for (k, direction) in [(0, normal), (1, -turned)] {
            sum += if let Composite::One(part) = self.shapes[k] {
                part.support_certain(direction).point.dot(direction) + part.radius()
            } else {
                let along = self.corners[k].iter().map(|p| p.dot(direction));
                along.fold(f64::NEG_INFINITY, f64::max)
            };
        }
        sum
    }
}

/// Makes `corners` those of the faces of a region, each once.
fn find_corners(
    shapes: [&Composite; 2],
    candidates: &[ContactCandidate],
    region: &[u32],
    numbers: &mut Vec<u32>,
    corners: &mut [Vec<DVec3>; 2],
) {
    for (k, corners) in corners.iter_mut().enumerate() {
        corners.clear();
        if matches!(shapes[k], Composite::One(_)) {
            continue;
        }
        numbers.clear();
        numbers.extend(
            region
                .iter()
                .map(|&i| candidates[i as usize].named.parts[k]),
        );
        numbers.sort_unstable();
        numbers.dedup();
        let faces = numbers.len();
        for place in 0..faces {
            numbers.extend(
                numbered(shapes[k], numbers[place])
                    .into_iter()
                    .flat_map(|(v, _)| v),
            );
        }
        numbers.drain(..faces);
        numbers.sort_unstable();
        numbers.dedup();
        corners.extend(numbers.iter().map(|&v| point(shapes[k], v)));
    }
}

/// The depth along the normal along which the turned contacts of a region reach least deep.
fn least_of_turned(
    region: impl Iterator<Item = ContactCandidate>,
    normals: &mut Vec<(DVec3, f64)>,
) -> f64 {
    for c in region {
        if c.grade != ContactGrade::Turned {
            continue;
        }
        let touch = &c.named.touch;
        let known = normals
            .iter()
            .position(|(n, _)| n.dot(touch.normal) >= SAME_PATCH);
        if let Some(known) = known {
            normals[known].1 = normals[known].1.max(touch.depth);
        } else if normals.len() < 4 * MAX_PATCHES {
            normals.push((touch.normal, touch.depth));
        }
    }
    let depths = normals.iter().map(|&(_, depth)| depth);
    depths.fold(f64::INFINITY, f64::min)
}

/// Makes `parents` the regions of the candidates: two are of one region if a face of the one shape touches neighbouring faces of
/// the other.
fn find_regions(
    shapes: [&Composite; 2],
    candidates: &[ContactCandidate],
    scratch: &mut PatchScratch,
) {
    let PatchScratch { keys, parents, .. } = scratch;
    keys.clear();
    parents.clear();
    parents.extend(0..candidates.len() as u32);
    let mut first = 0;
    for (i, candidate) in candidates.iter().enumerate() {
        let parts = candidate.named.parts;
        if i > 0 && candidates[i - 1].named.parts == parts {
            parents[i] = first;
            continue;
        }
        first = i as u32;
        for k in 0..2 {
            for corner in welded(shapes[k], parts[k]).into_iter().flatten() {
                keys.push(([k as u32, parts[1 - k], corner], first));
            }
        }
    }
    keys.sort_unstable();
    for pair in keys.windows(2) {
        if let [(key, p), (next, q)] = pair
            && key == next
        {
            let [p, q] = [root(parents, *p), root(parents, *q)];
            // The lower number is the root, so that no order of unions shows.
            parents[p.max(q) as usize] = p.min(q);
        }
    }
    for i in 0..parents.len() as u32 {
        parents[i as usize] = root(parents, i);
    }
}

fn root(parents: &mut [u32], of: u32) -> u32 {
    let mut at = of;
    while parents[at as usize] != at {
        // Path halving.
        let above = parents[parents[at as usize] as usize];
        parents[at as usize] = above;
        at = above;
    }
    at
}

/// Puts the candidates that [`filter`] left into patches and adds their points, patch by patch.
pub(super) fn gather(
    candidates: &[ContactCandidate],
    max_contacts: usize,
    scratch: &mut PatchScratch,
    out: &mut Vec<NamedTouch>,
) {
    sort_candidates(candidates, scratch);
    let PatchScratch {
        parents,
        order,
        patches,
        members,
        own,
        chosen,
        ..
    } = scratch;
    patches.clear();
    members.clear();
    for &i in order.iter() {
        let touch = &candidates[i as usize].named.touch;
        let region = region_of(parents, i);
        if let Some(patch) = patch_of(touch, region, patches) {
            members.push((patch as u32, i));
        } else if patches.len() < MAX_PATCHES {
            members.push((patches.len() as u32, i));
            patches.push(PatchSeed {
                region,
                normal: touch.normal,
                depth: touch.depth,
            });
        }
    }
    members.sort_unstable();
    for patch in members.chunk_by(|p, q| p.0 == q.0) {
        own.clear();
        own.extend(patch.iter().map(|&(number, i)| {
            let touch = &candidates[i as usize].named.touch;
            along_normal(touch, patches[number as usize].normal)
        }));
        chosen.clear();
        chosen.extend(0..own.len());
        reduce_points(own, 0, max_contacts, chosen);
        let first = out.len();
        for (touch, &place) in own.iter().zip(chosen.iter()) {
            let is_told = |other: &NamedTouch| is_same(&other.touch, touch);
            if !out[first..].iter().any(is_told) {
                let named = candidates[patch[place].1 as usize].named;
                out.push(NamedTouch {
                    touch: *touch,
                    ..named
                });
            }
        }
    }
}

/// Makes `order` the numbers of all candidates.
fn number_all(candidates: &[ContactCandidate], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..candidates.len() as u32);
}

/// The region of a candidate; one that was added later is of none.
fn region_of(parents: &[u32], candidate: u32) -> u32 {
    parents
        .get(candidate as usize)
        .copied()
        .unwrap_or(NO_REGION)
}

/// Makes `order` the candidates from the most to the least trusted and deep, after the first of each region.
fn sort_candidates(candidates: &[ContactCandidate], scratch: &mut PatchScratch) {
    let PatchScratch {
        parents,
        order,
        is_seeded,
        is_first,
        ..
    } = scratch;
    number_all(candidates, order);
    let compare = |i: u32, j: u32| {
        let [p, q] = [i, j].map(|i| &candidates[i as usize]);
        let deeper = q.named.touch.depth.total_cmp(&p.named.touch.depth);
        p.grade.cmp(&q.grade).then(deeper).then(i.cmp(&j))
    };
    order.sort_unstable_by(|&i, &j| compare(i, j));
    is_seeded.clear();
    is_seeded.resize(
        parents.iter().max().map_or(0, |&most| most as usize + 1),
        false,
    );
    is_first.clear();
    is_first.resize(candidates.len(), false);
    for &i in order.iter() {
        if let Some(seeded) = is_seeded.get_mut(region_of(parents, i) as usize) {
            is_first[i as usize] = !*seeded;
            *seeded = true;
        }
    }
    order.sort_unstable_by(|&i, &j| {
        let is_later = |i: u32| !is_first[i as usize];
        is_later(i).cmp(&is_later(j)).then(compare(i, j))
    });
}

/// The patch whose normal is nearest among those that a contact may belong to.
fn patch_of(touch: &ManifoldPoint, region: u32, patches: &[PatchSeed]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (number, patch) in patches.iter().enumerate() {
        let cosine = patch.normal.dot(touch.normal);
        let is_resolved =
            cosine >= LEANING && touch.depth > 0.0 && touch.depth <= patch.depth * cosine;
        let is_member = cosine >= SAME_NORMAL
            || (patch.region == region && (cosine >= SAME_PATCH || is_resolved));
        if is_member && best.is_none_or(|(_, other)| cosine > other) {
            best = Some((number, cosine));
        }
    }
    best.map(|(number, _)| number)
}

/// The same points, their depth along the normal of a patch.
fn along_normal(touch: &ManifoldPoint, normal: DVec3) -> ManifoldPoint {
    if touch.normal == normal {
        return *touch;
    }
    ManifoldPoint {
        normal,
        depth: (touch.point_a - touch.point_b).dot(normal),
        ..*touch
    }
}

/// Whether two faces report the same point.
fn is_same(p: &ManifoldPoint, q: &ManifoldPoint) -> bool {
    let size = p.point_b.abs().max_element();
    let off = (p.point_b - q.point_b)
        .abs()
        .max((p.point_a - q.point_a).abs());
    off.max_element() <= 1e-9 * size
}
