//! What a tree of cut boxes gains over the flat algorithm of its time, and what each of its parts gains.
//!
//! Published in 1994 for two equal objects that bounce in a cage, as time of the flat algorithm over time of the tree:
//! break-even at 300 (ball), 60 (torus) and 300 (tetra-flake) faces; empty-interval flags 1.14 times
//! faster in the worst case; collecting faces at leaves 1.5 times.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::box_tree::{
    BoxTest, BoxTree, BoxTreeCache, BoxTreeConfig, BoxTreeCounts, CutStrategy, CutTree,
    CutTreeConfig, InnerConfig, LeafRule, RestrictedTree, RestrictedTreeConfig,
};
use impinge::geom::segment_meets_triangle;
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose, TriMesh};

use crate::Bar;

/// Faces per object at which the tree must have overtaken the flat algorithm, for each model.
const MAX_BREAK_EVEN: usize = 60;
pub(crate) const COUNTS: [usize; 5] = [50, 100, 200, 500, 1000];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Frames of the bouncing objects
    #[arg(long, default_value_t = 1000)]
    frames: usize,
    /// Faces per object for the ablation
    #[arg(long, default_value_t = 2000)]
    faces: usize,
}

/// A model and the published ratios at 50, 100, 500 and 1000 faces.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) make: fn(usize) -> anyhow::Result<TriMesh>,
    pub(crate) published: [Option<f64>; 5],
    /// The published ratio at 1000 faces, to be reached.
    at_thousand: f64,
}

pub(crate) const SUBJECTS: [Subject; 3] = [
    Subject {
        name: "ball",
        make: ball,
        published: [Some(0.47), Some(0.36), None, Some(1.18), Some(2.25)],
        at_thousand: 2.25,
    },
    Subject {
        name: "torus",
        make: torus,
        published: [Some(0.9), Some(1.58), None, Some(4.6), Some(20.0)],
        at_thousand: 20.0,
    },
    Subject {
        name: "tetra-flake",
        make: tetra_flake,
        published: [Some(0.4), Some(0.5), None, Some(1.6), Some(2.1)],
        at_thousand: 2.1,
    },
];

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut met = break_even(args)?;
    println!();
    met &= ablation(args)?;
    Ok(if met { Bar::Met } else { Bar::Missed })
}

/// The ratio of the flat algorithm's time to the tree's, by model and size.
fn break_even(args: &Args) -> anyhow::Result<bool> {
    println!(
        "two equal objects bouncing in a cage, {} frames, first witness; time of the flat algorithm over time of the tree",
        args.frames
    );
    println!(
        "{:>12} {:>6} {:>5} {:>10} {:>10} {:>10} {:>10} {:>6} {:>6} {:>6} {:>9}",
        "model",
        "faces",
        "hits",
        "flat",
        "1994",
        "cut",
        "restricted",
        "1994 ×",
        "cut ×",
        "restr ×",
        "published"
    );
    let mut met = true;
    for subject in &SUBJECTS {
        let mut overtaken = None;
        let mut last = 0.0;
        for (i, &wanted) in COUNTS.iter().enumerate() {
            let mesh = Arc::new((subject.make)(wanted)?);
            let poses = bouncing(&mesh, args.frames)?;
            let flat = Flat::new(&mesh);
            let mut placed = Vec::new();
            let (flat_seconds, flat_hits, _) = measure(&poses, 50, |few| {
                let met = few
                    .iter()
                    .filter(|pose| flat.meets(&mesh, pose, &mut placed));
                (met.count(), BoxTreeCounts::default())
            });
            let published = CutTree::build(mesh.clone(), &CutTreeConfig::published());
            let cut = CutTree::build(mesh.clone(), &CutTreeConfig::default());
            let restricted = RestrictedTree::build(mesh.clone(), &RestrictedTreeConfig::default());
            let mut cache = BoxTreeCache::default();
            let results = [
                measure(&poses, 50, |few| hits(&published, &mut cache, few)),
                measure(&poses, 50, |few| hits(&cut, &mut cache, few)),
                measure(&poses, 50, |few| hits(&restricted, &mut cache, few)),
            ];
            for (_, hits, _) in &results {
                anyhow::ensure!(
                    *hits == flat_hits,
                    "{hits} frames with a witness, flat {flat_hits}"
                );
            }
            let frame = |seconds: f64| format!("{:.2} µs", seconds * 1e6 / poses.len() as f64);
            let ratios = results.map(|(seconds, _, _)| flat_seconds / seconds);
            println!(
                "{:>12} {:>6} {:>5} {:>10} {:>10} {:>10} {:>10} {:>6.2} {:>6.2} {:>6.2} {:>9}",
                subject.name,
                mesh.face_count(),
                flat_hits,
                frame(flat_seconds),
                frame(results[0].0),
                frame(results[1].0),
                frame(results[2].0),
                ratios[0],
                ratios[1],
                ratios[2],
                subject.published[i].map_or_else(|| "-".to_owned(), |x| x.to_string())
            );
            last = ratios.into_iter().fold(0.0, f64::max);
            if last > 1.0 && overtaken.is_none() {
                overtaken = Some(wanted);
            }
        }
        met &= bar(
            overtaken.is_some_and(|n| n <= MAX_BREAK_EVEN),
            &format!(
                "{}: the tree is faster from {} faces on, at most {MAX_BREAK_EVEN}",
                subject.name,
                overtaken.map_or_else(|| "no number of".to_owned(), |n| n.to_string())
            ),
        );
        met &= bar(
            last >= subject.at_thousand,
            &format!(
                "{}: {last:.1} times faster at 1000 faces, at least {}",
                subject.name, subject.at_thousand
            ),
        );
    }
    Ok(met)
}

/// Each part of the trees switched off and on.
fn ablation(args: &Args) -> anyhow::Result<bool> {
    let mut met = true;
    for subject in &SUBJECTS {
        let mesh = Arc::new((subject.make)(args.faces)?);
        // Only frames in which the boxes meet tell the variants apart.
        let poses = close_poses(&mesh, 100)?;
        println!(
            "{} of {} faces, {} poses near contact, first witness; per pose",
            subject.name,
            mesh.face_count(),
            poses.len()
        );
        println!(
            "{:<34} {:>9} {:>7} {:>8} {:>7} {:>7} {:>6} {:>7}",
            "variant", "time", "boxes", "updates", "exact", "leaves", "dup", "bytes/f"
        );
        let mut cache = BoxTreeCache::default();
        let base = CutTreeConfig::default();
        let clipping = CutTreeConfig {
            test: BoxTest::Clipping,
            ..base
        };
        let published = CutTreeConfig::published();
        let (mut times, mut updates) = (Vec::new(), Vec::new());
        for (name, config) in [
            ("cut tree", base),
            ("  clipped edges instead", clipping),
            (
                "  clipped edges without flags",
                CutTreeConfig {
                    test: BoxTest::ClippingWithoutFlags,
                    ..base
                },
            ),
            (
                "  boxes along the axes instead",
                CutTreeConfig {
                    test: BoxTest::Aligned,
                    ..base
                },
            ),
            (
                "  without collecting at leaves",
                CutTreeConfig {
                    collect: false,
                    ..base
                },
            ),
            (
                "  edges against faces",
                CutTreeConfig {
                    leaf: LeafRule::Edges,
                    ..base
                },
            ),
            (
                "  no empty leaves",
                CutTreeConfig {
                    empty_leaves: false,
                    ..base
                },
            ),
            (
                "  least penalty, however elongated",
                CutTreeConfig {
                    similar: 0.0,
                    ..base
                },
            ),
            (
                "  weighted bisection",
                CutTreeConfig {
                    strategy: CutStrategy::Weighted,
                    ..base
                },
            ),
            (
                "  plain bisection",
                CutTreeConfig {
                    strategy: CutStrategy::Bisect,
                    ..base
                },
            ),
            (
                "  middle of the longest edge",
                CutTreeConfig {
                    strategy: CutStrategy::Middle,
                    ..base
                },
            ),
            (
                "  thin planes",
                CutTreeConfig {
                    thickness: 0.0,
                    ..base
                },
            ),
            ("1994 tree", published),
            (
                "  without flags",
                CutTreeConfig {
                    test: BoxTest::ClippingWithoutFlags,
                    ..published
                },
            ),
            (
                "  without collecting at leaves",
                CutTreeConfig {
                    collect: false,
                    ..published
                },
            ),
            (
                "  separating directions instead",
                CutTreeConfig {
                    test: BoxTest::Separating,
                    ..published
                },
            ),
        ] {
            let tree = CutTree::build(mesh.clone(), &config);
            let (seconds, _, counts) = measure(&poses, 1, |few| hits(&tree, &mut cache, few));
            let shape = tree.shape();
            row(
                name,
                seconds,
                &counts,
                &poses,
                shape.duplication,
                shape.bytes,
                &mesh,
            );
            times.push(seconds);
            updates.push(counts.work.updates);
        }
        let base = BoxTreeConfig::default();
        for (name, config) in [
            ("box tree, two planes", base),
            (
                "  clipped edges instead",
                BoxTreeConfig {
                    test: BoxTest::Clipping,
                    ..base
                },
            ),
            (
                "  boxes along the axes instead",
                BoxTreeConfig {
                    test: BoxTest::Aligned,
                    ..base
                },
            ),
            (
                "  inner boxes",
                BoxTreeConfig {
                    inner: Some(InnerConfig::default()),
                    ..base
                },
            ),
        ] {
            let tree = BoxTree::build(mesh.clone(), &config);
            let (seconds, _, counts) = measure(&poses, 1, |few| hits(&tree, &mut cache, few));
            row(
                name,
                seconds,
                &counts,
                &poses,
                1.0,
                tree.shape().bytes,
                &mesh,
            );
        }
        let base = RestrictedTreeConfig::default();
        for (name, config) in [
            (
                "restricted tree, one side",
                RestrictedTreeConfig {
                    max_sides: 1,
                    ..base
                },
            ),
            ("restricted tree, three sides", base),
            (
                "restricted tree, six sides",
                RestrictedTreeConfig {
                    max_sides: 6,
                    min_gain: 0.0,
                    ..base
                },
            ),
        ] {
            let tree = RestrictedTree::build(mesh.clone(), &config);
            let (seconds, _, counts) = measure(&poses, 1, |few| hits(&tree, &mut cache, few));
            row(
                name,
                seconds,
                &counts,
                &poses,
                1.0,
                tree.shape().bytes,
                &mesh,
            );
        }
        println!(
            "flags {:.2}× on the 1994 tree, {:.2}× on ours (published 1.14×); collecting {:.2}× and {:.2}× (published 1.5×)",
            times[13] / times[12],
            times[2] / times[1],
            times[14] / times[12],
            times[4] / times[0]
        );
        met &= bar(
            2 * updates[12] <= updates[13],
            &format!("{}: flags save half of the interval updates", subject.name),
        );
        println!();
    }
    Ok(met)
}

fn row(
    name: &str,
    seconds: f64,
    counts: &BoxTreeCounts,
    poses: &[Pose],
    duplication: f64,
    bytes: usize,
    mesh: &TriMesh,
) {
    let n = poses.len() as f64;
    println!(
        "{name:<34} {:>6.2} µs {:>7.1} {:>8.0} {:>7.1} {:>7.1} {duplication:>6.2} {:>7.0}",
        seconds * 1e6 / n,
        counts.work.volume_tests as f64 / n,
        counts.work.updates as f64 / n,
        counts.work.face_tests as f64 / n,
        counts.leaf_pairs as f64 / n,
        bytes as f64 / mesh.face_count() as f64
    );
}

/// In how many poses an index finds a witness, and its work.
pub(crate) fn hits<I: MeshIndex<Cache = BoxTreeCache>>(
    index: &I,
    cache: &mut BoxTreeCache,
    poses: &[Pose],
) -> (usize, BoxTreeCounts) {
    let mut total = BoxTreeCounts::default();
    let mut found = 0;
    for pose in poses {
        let mut first = First::default();
        let _ = index.intersections(index, pose, Limits::default(), cache, &mut first);
        found += usize::from(first.0.is_some());
        let counts = cache.counts();
        total.work += counts.work;
        total.leaf_pairs += counts.leaf_pairs;
        total.candidates += counts.candidates;
    }
    (found, total)
}

/// The flat algorithm: edges of each against faces of the other, after both were reduced to what
/// lies in the other's box.
struct Flat {
    edges: Vec<[u32; 2]>,
    bounds: Aabb,
}

impl Flat {
    fn new(mesh: &TriMesh) -> Self {
        let mut edges: Vec<[u32; 2]> = mesh
            .faces()
            .iter()
            .flat_map(|&[p, q, r]| [[p, q], [q, r], [r, p]])
            .map(|[p, q]| [p.min(q), p.max(q)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        Self {
            edges,
            bounds: mesh.bounds(),
        }
    }

    fn meets(&self, mesh: &TriMesh, pose: &Pose, placed: &mut Vec<DVec3>) -> bool {
        if !self.bounds.transformed(pose).overlaps(&self.bounds) {
            return false;
        }
        placed.clear();
        placed.extend(mesh.positions().iter().map(|&p| pose.transform_point(p)));
        let bounds = Aabb::enclosing(placed.iter().copied());
        let Some(common) = Some(self.bounds.intersection(&bounds)).filter(|b| !b.is_empty()) else {
            return false;
        };
        let at_home = mesh.positions();
        self.crosses(mesh, at_home, placed, &common) || self.crosses(mesh, placed, at_home, &common)
    }

    /// Whether an edge over `points` meets a face over `others`.
    fn crosses(&self, mesh: &TriMesh, points: &[DVec3], others: &[DVec3], common: &Aabb) -> bool {
        let faces: Vec<([DVec3; 3], Aabb)> = mesh
            .faces()
            .iter()
            .map(|face| {
                let corners = face.map(|v| others[v as usize]);
                (corners, Aabb::enclosing(corners))
            })
            .filter(|(_, bounds)| bounds.overlaps(common))
            .collect();
        self.edges.iter().any(|edge| {
            let [p, q] = edge.map(|v| points[v as usize]);
            let bounds = Aabb::enclosing([p, q]);
            bounds.overlaps(common)
                && faces.iter().any(|(corners, of)| {
                    bounds.overlaps(of) && segment_meets_triangle(p, q, corners)
                })
        })
    }
}

/// Relative poses of two objects that move and turn in a cage and bounce off each other and its walls.
pub(crate) fn bouncing(mesh: &TriMesh, frames: usize) -> anyhow::Result<Vec<Pose>> {
    let size = mesh.bounds().diagonal().max_element();
    let tree = CutTree::build(Arc::new(mesh.clone()), &CutTreeConfig::default());
    let mut cache = BoxTreeCache::default();
    let mut rng = Rng::new(1994);
    let mut at = [-0.6, 0.6].map(|x| DVec3::new(x * size, 0.0, 0.0));
    let mut speed = [0; 2].map(|_| 0.02 * size * rng.direction());
    let axis = [rng.direction(), rng.direction()];
    let mut angle = [0.0, 0.0];
    let mut turn = [0.03, -0.02];
    let mut poses = Vec::new();
    for _ in 0..frames {
        for i in 0..2 {
            at[i] += speed[i];
            angle[i] += turn[i];
            for k in 0..3 {
                if at[i][k].abs() > 1.1 * size {
                    speed[i][k] = -speed[i][k].abs() * at[i][k].signum();
                }
            }
        }
        let world_from = [
            Pose::from_axis_angle(axis[0], angle[0], at[0])?,
            Pose::from_axis_angle(axis[1], angle[1], at[1])?,
        ];
        let pose = world_from[0].inverse() * world_from[1];
        poses.push(pose);
        let mut first = First::default();
        let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut first);
        if first.0.is_some() {
            let away = (at[1] - at[0]).normalize_or(DVec3::X);
            let fast = 0.02 * size;
            speed = [
                fast * (-away + 0.5 * rng.direction()),
                fast * (away + 0.5 * rng.direction()),
            ];
            turn = turn.map(|t| -t);
        }
    }
    Ok(poses)
}

/// Poses in random orientations, pushed together along a random direction until just before contact, or just after.
pub(crate) fn close_poses(mesh: &TriMesh, count: usize) -> anyhow::Result<Vec<Pose>> {
    let size = mesh.bounds().diagonal().length();
    let tree = BoxTree::build(Arc::new(mesh.clone()), &BoxTreeConfig::default());
    let mut cache = BoxTreeCache::default();
    let mut rng = Rng::new(42);
    let mut poses = Vec::new();
    while poses.len() < count {
        let (axis, angle, direction) = (
            rng.direction(),
            rng.range(0.0, std::f64::consts::TAU),
            rng.direction(),
        );
        let (mut apart, mut inside) = (1.2 * size, 0.0);
        for _ in 0..12 {
            let middle = 0.5 * (apart + inside);
            let pose = Pose::from_axis_angle(axis, angle, direction * middle)?;
            let mut first = First::default();
            let _ = tree.intersections(&tree, &pose, Limits::default(), &mut cache, &mut first);
            if first.0.is_some() {
                inside = middle;
            } else {
                apart = middle;
            }
        }
        let shift = if poses.len() % 2 == 0 { apart } else { inside };
        poses.push(Pose::from_axis_angle(axis, angle, direction * shift)?);
    }
    Ok(poses)
}

/// The least time of several runs over each few poses, summed, and the sums of what the runs returned:
/// hits and work. A disturbance costs one run of a few poses, not all.
fn measure(
    poses: &[Pose],
    poses_per_run: usize,
    mut run: impl FnMut(&[Pose]) -> (usize, BoxTreeCounts),
) -> (f64, usize, BoxTreeCounts) {
    let (mut seconds, mut hits, mut counts) = (0.0, 0, BoxTreeCounts::default());
    for few in poses.chunks(poses_per_run) {
        let mut least = f64::INFINITY;
        let mut answer = (0, BoxTreeCounts::default());
        for _ in 0..5 {
            let start = Instant::now();
            answer = black_box(run(black_box(few)));
            least = least.min(start.elapsed().as_secs_f64());
        }
        seconds += least;
        hits += answer.0;
        counts.work += answer.1.work;
        counts.leaf_pairs += answer.1.leaf_pairs;
    }
    (seconds, hits, counts)
}

fn bar(is_met: bool, what: &str) -> bool {
    println!("bar: {what}: {}", if is_met { "met" } else { "missed" });
    is_met
}

/// About `faces` faces around a ball: rings between two poles.
fn ball(faces: usize) -> anyhow::Result<TriMesh> {
    // 2·u·(v − 1) faces with u = 2·v.
    let v = ((1.0 + (1.0 + faces as f64).sqrt()) / 2.0).round().max(2.0) as u32;
    let u = (faces as u32).div_ceil(2 * (v - 1)).max(3);
    let mut points = vec![DVec3::Z];
    for j in 1..v {
        let theta = std::f64::consts::PI * f64::from(j) / f64::from(v);
        for i in 0..u {
            let phi = std::f64::consts::TAU * f64::from(i) / f64::from(u);
            let (s, c) = (theta.sin(), theta.cos());
            points.push(DVec3::new(s * phi.cos(), s * phi.sin(), c));
        }
    }
    let south = points.len() as u32;
    points.push(DVec3::NEG_Z);
    let at = |i: u32, j: u32| 1 + (j - 1) * u + i % u;
    let mut all = Vec::new();
    for i in 0..u {
        all.push([0, at(i, 1), at(i + 1, 1)]);
        for j in 1..v - 1 {
            all.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            all.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
        all.push([south, at(i + 1, v - 1), at(i, v - 1)]);
    }
    Ok(TriMesh::new(points, all)?)
}

/// About `faces` faces around a torus of radii 1 and 0.4.
fn torus(faces: usize) -> anyhow::Result<TriMesh> {
    let v = (faces as f64 / 4.0).sqrt().round().max(3.0) as u32;
    let u = (faces as u32).div_ceil(2 * v).max(3);
    let mut points = Vec::new();
    for i in 0..u {
        let phi = std::f64::consts::TAU * f64::from(i) / f64::from(u);
        for j in 0..v {
            let theta = std::f64::consts::TAU * f64::from(j) / f64::from(v);
            let r = 1.0 + 0.4 * theta.cos();
            points.push(DVec3::new(r * phi.cos(), r * phi.sin(), 0.4 * theta.sin()));
        }
    }
    let at = |i: u32, j: u32| i % u * v + j % v;
    let mut all = Vec::new();
    for i in 0..u {
        for j in 0..v {
            all.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            all.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Ok(TriMesh::new(points, all)?)
}

/// At least `faces` faces: tetrahedra at the corners of a tetrahedron, again and again; the last level as
/// far as needed.
fn tetra_flake(faces: usize) -> anyhow::Result<TriMesh> {
    let corners = [
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(1.0, -1.0, -1.0),
        DVec3::new(-1.0, 1.0, -1.0),
        DVec3::new(-1.0, -1.0, 1.0),
    ];
    // Each replacement of a tetrahedron by four makes twelve faces more.
    let mut solids = std::collections::VecDeque::from([(DVec3::ZERO, 1.0)]);
    while 4 * solids.len() < faces {
        let Some((center, size)) = solids.pop_front() else {
            break;
        };
        solids.extend(corners.map(|c| (center + 0.5 * size * c, 0.5 * size)));
    }
    let mut points = Vec::new();
    let mut all = Vec::new();
    for (center, size) in solids {
        let first = points.len() as u32;
        points.extend(corners.map(|c| center + size * c));
        all.extend([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map(|f| f.map(|v| first + v)));
    }
    Ok(TriMesh::new(points, all)?)
}
