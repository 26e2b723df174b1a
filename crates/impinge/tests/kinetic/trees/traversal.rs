//! Collision checks on every tree against all pairs of faces.

use std::collections::BTreeSet;

use impinge::DVec3;
use impinge::geom::triangles_intersect;
use impinge::kinetic::{
    IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticBoxTree, KineticDopTree, KineticNode,
    RefitTree, ScalarRefitTree,
};
use impinge::math::Rng;
use impinge::query::FaceId;

use super::{faces, frames, ripple, times};

type Pairs = BTreeSet<(usize, usize)>;

/// Directions of a bounding volume: the axes, then sums and differences of two.
const DIRECTIONS: [[f64; 3]; 9] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
];

/// The widest gap between two faces along the first directions; not positive when their volumes overlap.
fn widest_gap(a: &[DVec3; 3], b: &[DVec3; 3], directions: usize) -> f64 {
    let gaps = DIRECTIONS[..directions].iter().map(|&direction| {
        let along = |p: &DVec3| p.dot(DVec3::from_array(direction));
        let limits = |face: &[DVec3; 3]| {
            let values = face.iter().map(along);
            let least = values.clone().fold(f64::INFINITY, f64::min);
            (least, values.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((low_a, high_a), (low_b, high_b)) = (limits(a), limits(b));
        (low_b - high_a).max(low_a - high_b)
    });
    gaps.fold(f64::NEG_INFINITY, f64::max)
}

/// A sink of unordered pairs that sees to it that each comes once.
struct Found {
    pairs: Pairs,
    is_own: bool,
}

impl Found {
    fn take(is_own: bool, search: impl FnOnce(&mut dyn FnMut(FaceId, FaceId))) -> Pairs {
        let mut found = Self {
            pairs: Pairs::new(),
            is_own,
        };
        search(&mut |f, g| {
            let (f, g) = (f.index(), g.index());
            let pair = if found.is_own {
                assert_ne!(f, g, "a face meets itself");
                (f.min(g), f.max(g))
            } else {
                (f, g)
            };
            assert!(found.pairs.insert(pair), "{pair:?} is reported twice");
        });
        found.pairs
    }
}

/// What every tree reports of two objects, or of one when the second is empty.
struct Checked {
    flight: Keyframes,
    objects: [Vec<[u32; 3]>; 2],
    aabb: [KineticAabbTree; 2],
    cut: [KineticBoxTree; 2],
    dop: [KineticDopTree; 2],
    interval: [IntervalTree; 2],
    refit: [RefitTree; 2],
    scalar: [ScalarRefitTree; 2],
}

impl Checked {
    fn new(flight: Keyframes, objects: [Vec<[u32; 3]>; 2], radius: f64) -> Self {
        let of = |k: usize| &objects[k];
        Self {
            aabb: [0, 1].map(|k| KineticAabbTree::new(&flight, of(k)).unwrap()),
            cut: [0, 1].map(|k| KineticBoxTree::new(&flight, of(k)).unwrap()),
            dop: [0, 1].map(|k| KineticDopTree::new(&flight, of(k)).unwrap()),
            interval: [0, 1].map(|k| IntervalTree::new(&flight, of(k), radius).unwrap()),
            refit: [0, 1].map(|k| RefitTree::new(&flight, of(k)).unwrap()),
            scalar: [0, 1].map(|k| ScalarRefitTree::new(&flight, of(k)).unwrap()),
            objects,
            flight,
        }
    }

    fn advance(&mut self, time: f64) -> Vec<DVec3> {
        let mut places = Vec::new();
        self.flight.positions(time, &mut places);
        for k in 0..2 {
            let trees: [&mut dyn Kinetic; 4] = [
                &mut self.aabb[k],
                &mut self.cut[k],
                &mut self.dop[k],
                &mut self.interval[k],
            ];
            for tree in trees {
                tree.advance(&self.flight, time).unwrap();
            }
            self.refit[k].refit(&places).unwrap();
            self.scalar[k].refit(&places).unwrap();
        }
        places
    }

    /// By tree: its name, how many directions its volumes have, and what it reports.
    fn reported(&self, is_own: bool) -> Vec<(&'static str, usize, Pairs)> {
        let flight = &self.flight;
        macro_rules! by {
            ($trees:expr) => {{
                let [a, b] = &$trees;
                Found::take(is_own, |pair| {
                    let tests = if is_own {
                        a.meeting_itself(flight, pair)
                    } else {
                        a.meeting(b, flight, pair)
                    };
                    assert!(tests.is_some());
                })
            }};
        }
        macro_rules! refitted {
            ($trees:expr) => {{
                let [a, b] = &$trees;
                Found::take(is_own, |pair| {
                    let _ = if is_own {
                        a.meeting_itself(pair)
                    } else {
                        a.meeting(b, pair)
                    };
                })
            }};
        }
        vec![
            ("AABB tree", 3, by!(self.aabb)),
            ("box tree", 3, by!(self.cut)),
            ("DOP tree", 9, by!(self.dop)),
            ("interval tree", 3, by!(self.interval)),
            ("refit tree", 3, refitted!(self.refit)),
            ("scalar refit tree", 3, refitted!(self.scalar)),
        ]
    }

    /// Compares all trees with all pairs; returns how many pairs of faces intersect.
    fn check(&self, places: &[DVec3], tolerance: f64) -> [usize; 2] {
        let corners = |object: usize, face: usize| {
            self.objects[object][face].map(|v: u32| places[v as usize])
        };
        [false, true].map(|is_own| {
            let second = usize::from(!is_own);
            let mut all = Vec::new();
            for f in 0..self.objects[0].len() {
                let from = if is_own { f + 1 } else { 0 };
                for g in from..self.objects[second].len() {
                    all.push((f, g));
                }
            }
            let intersecting: Pairs = all
                .iter()
                .copied()
                .filter(|&(f, g)| triangles_intersect(&corners(0, f), &corners(second, g)))
                .collect();
            for (name, directions, found) in self.reported(is_own) {
                for &(f, g) in &all {
                    let gap = widest_gap(&corners(0, f), &corners(second, g), directions);
                    let is_found = found.contains(&(f, g));
                    if gap <= 0.0 {
                        assert!(is_found, "{name}: faces {f} and {g} are missed");
                    }
                    // A refit in single precision rounds outwards.
                    let slack = if name == "refit tree" {
                        tolerance.max(1e-5)
                    } else {
                        tolerance
                    };
                    if gap > slack {
                        assert!(!is_found, "{name}: faces {f} and {g} are {gap} apart");
                    }
                }
                let confirmed: Pairs = found
                    .into_iter()
                    .filter(|&(f, g)| triangles_intersect(&corners(0, f), &corners(second, g)))
                    .collect();
                assert_eq!(confirmed, intersecting, "{name}");
            }
            intersecting.len()
        })
    }
}

#[test]
fn collision_checks_on_every_tree_are_those_of_brute_force() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let first = faces(&mut rng, 30, 24);
        let second = faces(&mut rng, 60, 20)
            .into_iter()
            .map(|f| f.map(|v| v / 2 + 30))
            .collect();
        // Ties and touching faces on the small grid, hardly any on the large one.
        let range = if seed % 2 == 0 { 3 } else { 1 << 12 };
        let frames = frames(&mut rng, 60, 4, range);
        let flight = Keyframes::new(&times(4), &frames).unwrap();
        let mut checked = Checked::new(flight, [first, second], range as f64 / 8.0);
        let mut met = [0; 2];
        for step in 0..=12 {
            let places = checked.advance(0.25 * f64::from(step));
            let found = checked.check(&places, 1e-9 * range as f64);
            met = [0, 1].map(|k| met[k] + found[k]);
        }
        assert!(met.iter().all(|&count| count > 0), "{met:?}");
    }
}

#[test]
fn a_rippling_sheet_meets_itself_where_brute_force_says() {
    let (sheet, frames) = ripple(6, 4);
    let flight = Keyframes::new(&times(4), &frames).unwrap();
    let mut checked = Checked::new(flight, [sheet.faces().to_vec(), Vec::new()], 0.02);
    for step in 0..=15 {
        let places = checked.advance(0.2 * f64::from(step));
        let [between, own] = checked.check(&places, 1e-9);
        // Neighbours have common points.
        assert!(between == 0 && own > 0);
    }
}

#[test]
fn a_check_at_another_time_or_in_another_plan_has_no_answer() {
    let mut rng = Rng::new(5);
    let faces = faces(&mut rng, 12, 9);
    let flight = Keyframes::new(&times(3), &frames(&mut rng, 12, 3, 8)).unwrap();
    let still = KineticBoxTree::new(&flight, &faces).unwrap();
    let mut late = still.clone();
    late.advance(&flight, 1.0).unwrap();
    assert_eq!(still.meeting(&late, &flight, |_, _| ()), None);
    assert!(late.meeting_itself(&flight, |_, _| ()).is_some());
    let other = Keyframes::new(&times(3), &frames(&mut rng, 13, 3, 8)).unwrap();
    assert_eq!(late.meeting_itself(&other, |_, _| ()), None);
}

/// The faces below the root, in order.
macro_rules! faces_below {
    ($tree:expr) => {{
        let tree = $tree;
        let mut found = Vec::new();
        let mut open = vec![KineticNode::ROOT];
        while let Some(node) = open.pop() {
            open.extend(tree.children(node).into_iter().flatten());
            assert_ne!(tree.children(node).is_some(), tree.face(node).is_some());
            found.extend(tree.face(node).map(FaceId::index));
        }
        found.sort_unstable();
        found
    }};
}

#[test]
fn every_tree_has_each_face_in_one_leaf() {
    let mut rng = Rng::new(8);
    let faces = faces(&mut rng, 40, 33);
    let flight = Keyframes::new(&times(2), &frames(&mut rng, 40, 2, 50)).unwrap();
    let all: Vec<usize> = (0..33).collect();
    let cut = faces_below!(KineticBoxTree::new(&flight, &faces).unwrap());
    let dop = faces_below!(KineticDopTree::new(&flight, &faces).unwrap());
    let interval = faces_below!(IntervalTree::new(&flight, &faces, 1.0).unwrap());
    assert_eq!((&cut, &dop, &interval), (&all, &all, &all));
}
