//! Clashes that belong together.

use std::collections::BTreeMap;

use glam::DVec3;

use super::part::Clash;

/// Clashes that share a part, or that are near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClashGroup {
    /// The part that all share; none for a group by distance.
    pub part: Option<u32>,
    /// Places in the list of clashes, ascending; never empty.
    pub members: Vec<usize>,
}

/// Groups clashes by part: the part with the most clashes takes all of its own, then the part with
/// the most of the remaining ones, and so on.
///
/// Groups are in that order; on a tie the part with the smaller number is first. A wall that was
/// moved by mistake is then one group and not a hundred clashes.
///
/// ```
/// use impinge::clash::{Clash, ClashKind, group_by_part};
/// use impinge::DVec3;
/// let clash = |a, b| Clash { a, b, kind: ClashKind::Crossing, depth: None, distance: 0.0, points: [DVec3::ZERO; 2], inner: None,
///     is_within_precision: false };
/// let groups = group_by_part(&[clash(0, 1), clash(2, 7), clash(3, 7), clash(1, 7)]);
/// assert_eq!((groups[0].part, groups[0].members.as_slice()), (Some(7), &[1, 2, 3][..]));
/// assert_eq!((groups[1].part, groups[1].members.as_slice()), (Some(0), &[0][..]));
/// ```
#[must_use]
pub fn group_by_part(clashes: &[Clash]) -> Vec<ClashGroup> {
    let mut of_part: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, clash) in clashes.iter().enumerate() {
        for part in [clash.a, clash.b] {
            of_part.entry(part).or_default().push(i);
        }
    }
    let mut is_free = vec![true; clashes.len()];
    let mut count: BTreeMap<u32, usize> = of_part.iter().map(|(p, c)| (*p, c.len())).collect();
    // The parts by how many clashes they have left, the first number last among equals.
    let mut queue: std::collections::BTreeSet<(usize, std::cmp::Reverse<u32>)> = count
        .iter()
        .map(|(&part, &count)| (count, std::cmp::Reverse(part)))
        .collect();
    let mut groups = Vec::new();
    while let Some((left, std::cmp::Reverse(part))) = queue.pop_last() {
        if left == 0 {
            break;
        }
        let members: Vec<usize> = of_part[&part]
            .iter()
            .copied()
            .filter(|&i| is_free[i])
            .collect();
        for &i in &members {
            is_free[i] = false;
            let clash = &clashes[i];
            let other = if clash.a == part { clash.b } else { clash.a };
            if let Some(count) = count.get_mut(&other)
                && queue.remove(&(*count, std::cmp::Reverse(other)))
            {
                *count -= 1;
                queue.insert((*count, std::cmp::Reverse(other)));
            }
        }
        groups.push(ClashGroup {
            part: Some(part),
            members,
        });
    }
    groups
}

/// Groups clashes by distance: clashes whose middles are at most `distance` apart are linked. The
/// largest groups come first, on a tie the one with the first clash. With a distance that is not
/// above 0 each clash is its own group.
///
/// ```
/// use impinge::clash::{Clash, ClashKind, group_by_place};
/// use impinge::DVec3;
/// let clash = |x| Clash { a: 0, b: 1, kind: ClashKind::Crossing, depth: None, distance: 0.0, points: [DVec3::new(x, 0.0, 0.0); 2], inner: None,
///     is_within_precision: false };
/// let groups = group_by_place(&[clash(9.0), clash(0.0), clash(1.0), clash(2.0)], 1.0);
/// assert_eq!(groups[0].members, [1, 2, 3]);
/// assert_eq!(groups[1].members, [0]);
/// ```
#[must_use]
pub fn group_by_place(clashes: &[Clash], distance: f64) -> Vec<ClashGroup> {
    let mut parent: Vec<usize> = (0..clashes.len()).collect();
    if distance > 0.0 {
        let middles: Vec<DVec3> = clashes.iter().map(Clash::middle).collect();
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        let cell_of = |p: DVec3| (p / distance).floor().to_array().map(|x| x as i64);
        for (i, &p) in middles.iter().enumerate() {
            let [x, y, z] = cell_of(p);
            for side in 0..27 {
                let near = |c: i64, d: i64| c.saturating_add(d - 1);
                let cell = [near(x, side % 3), near(y, side / 3 % 3), near(z, side / 9)];
                for &j in cells.get(&cell).into_iter().flatten() {
                    if (middles[j] - p).length() <= distance {
                        let (p, q) = (root(&mut parent, i), root(&mut parent, j));
                        parent[p.max(q)] = p.min(q);
                    }
                }
            }
            cells.entry([x, y, z]).or_default().push(i);
        }
    }
    let mut of_root: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..clashes.len() {
        of_root.entry(root(&mut parent, i)).or_default().push(i);
    }
    let mut groups: Vec<ClashGroup> = of_root
        .into_values()
        .map(|members| ClashGroup {
            part: None,
            members,
        })
        .collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.members.len()), group.members[0]));
    groups
}

/// The representative of a set, with the way to it shortened.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
