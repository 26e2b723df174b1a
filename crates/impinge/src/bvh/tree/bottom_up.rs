//! Bottom-up BVH construction.
//!
//! **Question.** Which nodes should be siblings?
//! **Idea.** Faces that are close in Morton order are close in space. Each node looks for the
//! partner, within a few places to both sides, whose union with it has the smallest area. Partners
//! that choose each other become one node, and the list shrinks until one is left.
//! **Source.** Meister and Bittner, *Parallel locally-ordered clustering*, 2018; Gu et al.,
//! *Efficient BVH construction via approximate agglomerative clustering*, 2013.
//! **Cost.** About n · search unions per round, the list shrinking by about a third each round.
//! **Promise.** Every round merges at least one pair: both ends of the best pair of all choose each
//! other, see [`tie`].

use std::num::NonZeroU8;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::build_item::{BuildItem, LaneBox};
use super::topology::{BinaryTopology, LinkedNode, linked};

/// A node without a parent yet.
#[derive(Clone, Copy, Debug)]
struct RootCluster {
    extent: LaneBox,
    link: u32,
}

/// The tree of nearest partners.
pub(super) fn build(mut items: Vec<BuildItem>, search: NonZeroU8) -> BinaryTopology {
    if items.is_empty() {
        return BinaryTopology::default();
    }
    items.sort_by_cached_key(|item| (morton(item), item.face()));
    let mut links: Vec<LinkedNode> = Vec::with_capacity(2 * items.len());
    let mut list: Vec<RootCluster> = Vec::with_capacity(items.len());
    for item in items {
        list.push(RootCluster {
            extent: item.extent(),
            link: links.len() as u32,
        });
        links.push(LinkedNode::Leaf(item));
    }
    let mut next = Vec::with_capacity(list.len());
    while list.len() > 1 {
        let partners = partners(&list, usize::from(search.get()));
        next.clear();
        for (i, cluster) in list.iter().enumerate() {
            let partner = partners[i] as usize;
            if partners[partner] as usize != i {
                next.push(*cluster);
            } else if i < partner {
                next.push(RootCluster {
                    extent: cluster.extent.union(&list[partner].extent),
                    link: links.len() as u32,
                });
                links.push(LinkedNode::Inner([cluster.link, list[partner].link]));
            }
        }
        std::mem::swap(&mut list, &mut next);
    }
    linked(&links, list[0].link)
}

/// What decides between pairs of equal area, the same from both sides.
type TieBreak = (usize, usize, usize);

/// Worse than every pair.
const TIE: TieBreak = (usize::MAX, 0, 0);

/// Neighbours come first, and of these the pairs that begin at even places: coincident faces pair off all at once.
fn tie(i: usize, j: usize) -> TieBreak {
    (i.abs_diff(j), i.min(j) & 1, i.min(j))
}

/// The best partner of each cluster.
fn partners(list: &[RootCluster], search: usize) -> Vec<u32> {
    let best = |i: usize| {
        let mut best = (f32::INFINITY, TIE, u32::MAX);
        let near = i.saturating_sub(search)..(i + search + 1).min(list.len());
        for j in near {
            if j != i {
                let area = list[i].extent.union(&list[j].extent).area();
                if area < best.0 || (area == best.0 && tie(i, j) < best.1) {
                    best = (area, tie(i, j), j as u32);
                }
            }
        }
        best.2
    };
    #[cfg(feature = "parallel")]
    return (0..list.len()).into_par_iter().map(best).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..list.len()).map(best).collect();
}

/// The item's place on a curve that fills space, from 20 bits of each coordinate.
fn morton(item: &BuildItem) -> u64 {
    let spread = |x: f32| {
        // The key is twice a coordinate of at most 1.
        let mut bits = ((f64::from(x) + 2.0) * f64::from(1 << 18)) as u64 & 0xf_ffff;
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    let key = item.key();
    spread(key.x) | spread(key.y) << 1 | spread(key.z) << 2
}
