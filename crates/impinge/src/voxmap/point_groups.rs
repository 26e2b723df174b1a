//! Bounding spheres of groups of points, in traversal order with skip links.

use glam::DVec3;

use crate::bound::Aabb;

/// Points of a group that is not divided.
const GROUP: usize = 16;
/// What rounding may do to a radius, relatively.
const ROUNDING: f64 = 1e-12;
/// Squares of what is shorter may vanish.
const SHORT: f64 = 1e-140;

/// A ball around the points `first..last`. Its parts follow it, up to `next`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GroupBall {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    pub(super) first: u32,
    pub(super) last: u32,
    /// The ball that follows all parts of this one.
    pub(super) next: u32,
    pub(super) is_divided: bool,
}

/// A permutation of the points, and bounding spheres of runs of points in that order.
pub(super) fn grouped(points: &[DVec3]) -> (Vec<u32>, Vec<GroupBall>) {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut balls: Vec<GroupBall> = Vec::new();
    let mut open = vec![(0, points.len())];
    while let Some((first, last)) = open.pop() {
        if first == last {
            continue;
        }
        let group = &mut order[first..last];
        let bounds = Aabb::enclosing(group.iter().map(|&i| points[i as usize]));
        let center = bounds.center();
        let farthest = group.iter().fold(0.0_f64, |far, &i| {
            far.max((points[i as usize] - center).length())
        });
        let farthest = if farthest < SHORT {
            // Half a diagonal is shorter than the longest side.
            bounds.diagonal().max_element()
        } else {
            farthest
        };
        let reach = center.abs().max_element();
        let is_divided = group.len() > GROUP;
        balls.push(GroupBall {
            center,
            radius: farthest + ROUNDING * (farthest + reach),
            first: first as u32,
            last: last as u32,
            next: 0,
            is_divided,
        });
        if is_divided {
            let size = bounds.diagonal();
            let axis = if size.x >= size.y && size.x >= size.z {
                0
            } else if size.y >= size.z {
                1
            } else {
                2
            };
            let half = group.len() / 2;
            group.select_nth_unstable_by(half, |&i, &j| {
                let (p, q) = (points[i as usize][axis], points[j as usize][axis]);
                p.total_cmp(&q).then(i.cmp(&j))
            });
            open.push((first + half, last));
            open.push((first, first + half));
        }
    }
    // Parts come later than the whole, so that theirs are known first.
    for i in (0..balls.len()).rev() {
        balls[i].next = if balls[i].is_divided {
            let second = balls[i + 1].next as usize;
            balls[second].next
        } else {
            i as u32 + 1
        };
    }
    (order, balls)
}
