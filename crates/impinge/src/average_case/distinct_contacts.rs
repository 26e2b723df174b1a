//! Contacts that are not the same one: likely pairs of nodes, grouped by place.
//!
//! **Why.** A traversal counts pairs of nodes. Pairs side by side, and a node beside the nodes
//! below it, are one contact; a second one somewhere else is what a response needs to know.
//! **Idea.** A pair that contains another one says less than it and is dropped. Pairs whose boxes
//! touch in both trees belong together.
//! **Source.** Ours; the thesis counts pairs.

use super::query::ContactRegion;
use crate::bound::Aabb;

/// The contacts of some regions: each with the boxes around its regions, and the probability that any of them is one. In order of their first regions.
///
/// Quadratic in the number of regions, which [`AverageOptions::max_regions`](super::AverageOptions::max_regions) bounds.
///
/// ```
/// use impinge::average_case::{ContactRegion, distinct_contacts};
/// use impinge::{DVec3, bound::Aabb};
/// let cube = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let region = |x: f64| ContactRegion { a: cube(x), b: cube(x), probability: 0.5 };
/// // Two cubes side by side, and one elsewhere.
/// let contacts = distinct_contacts(&[region(0.0), region(5.0), region(1.0)]);
/// assert_eq!(contacts.len(), 2);
/// assert_eq!((contacts[0].a.max.x, contacts[0].probability), (2.0, 0.75));
/// assert_eq!(contacts[1], region(5.0));
/// ```
#[must_use]
pub fn distinct_contacts(regions: &[ContactRegion]) -> Vec<ContactRegion> {
    let holds = |outer: &Aabb, inner: &Aabb| {
        outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
    };
    let is_finest = |&(i, region): &(usize, &ContactRegion)| {
        !regions.iter().enumerate().any(|(j, other)| {
            let is_within = holds(&region.a, &other.a) && holds(&region.b, &other.b);
            // Of equal ones the first stays.
            let is_same = region.a == other.a && region.b == other.b;
            is_within && i != j && (!is_same || j < i)
        })
    };
    let mut left: Vec<ContactRegion> = regions
        .iter()
        .enumerate()
        .filter(is_finest)
        .map(|(_, region)| *region)
        .collect();
    let mut contacts = Vec::new();
    while !left.is_empty() {
        let mut group = vec![left.remove(0)];
        let mut at = 0;
        while let Some(region) = group.get(at).copied() {
            let touches =
                |other: &ContactRegion| region.a.overlaps(&other.a) && region.b.overlaps(&other.b);
            group.extend(left.extract_if(.., |other| touches(other)));
            at += 1;
        }
        contacts.push(joined(&group));
    }
    contacts
}

/// All regions of a contact as one.
fn joined(group: &[ContactRegion]) -> ContactRegion {
    let around = |boxes: &mut dyn Iterator<Item = Aabb>| {
        boxes.fold(Aabb::EMPTY, |all, of| Aabb {
            min: all.min.min(of.min),
            max: all.max.max(of.max),
        })
    };
    let none: f64 = group
        .iter()
        .map(|region| 1.0 - region.probability)
        .product();
    ContactRegion {
        a: around(&mut group.iter().map(|region| region.a)),
        b: around(&mut group.iter().map(|region| region.b)),
        probability: 1.0 - none,
    }
}
