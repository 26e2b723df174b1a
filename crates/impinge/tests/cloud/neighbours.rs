//! Nearest neighbours, graphs and paths against looking at all pairs; edits against a rebuild.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge_testkit::generate::clouds::ragged;

/// Clouds of every kind that is awkward: random, lattice, clustered, noisy, ragged, collinear, planar, coincident, tiny.
fn clouds(seed: u64) -> Vec<(&'static str, Vec<DVec3>)> {
    let mut rng = Rng::new(seed);
    let mut clouds = Vec::new();
    let mut add = |name, n: usize, make: &mut dyn FnMut(usize) -> DVec3| {
        clouds.push((name, (0..n).map(make).collect::<Vec<_>>()));
    };
    add("random", 300, &mut |_| rng.cube());
    add("ball", 400, &mut |_| rng.direction());
    add("lattice", 343, &mut |i| {
        DVec3::new((i % 7) as f64, (i / 7 % 7) as f64, (i / 49) as f64)
    });
    add("sheet", 225, &mut |i| {
        DVec3::new((i % 15) as f64 * 0.1, (i / 15) as f64 * 0.1, 0.0)
    });
    add("small grid", 200, &mut |_| {
        DVec3::new(rng.grid(0, 4), rng.grid(0, 4), rng.grid(0, 4))
    });
    add("clusters", 300, &mut |i| {
        let centre = DVec3::new((i % 3) as f64 * 50.0, 0.0, (i % 3) as f64);
        centre + rng.cube() * [1.0, 0.01, 1e-6][i % 3]
    });
    add("noisy ball", 300, &mut |_| {
        rng.direction() * rng.range(0.8, 1.2)
    });
    let torn = ragged(300, seed);
    add("ragged", 300, &mut |i| torn[i]);
    add("collinear", 100, &mut |_| {
        DVec3::new(1.0, 2.0, 3.0) * rng.unit()
    });
    add("planar", 200, &mut |_| {
        DVec3::new(rng.unit(), rng.unit(), 0.0)
    });
    add("coincident", 60, &mut |i| DVec3::splat((i % 3) as f64));
    add("centre of a ball", 301, &mut |i| {
        if i == 0 { DVec3::ZERO } else { rng.direction() }
    });
    add("far away", 100, &mut |_| DVec3::splat(1e6) + rng.cube());
    add("huge", 60, &mut |_| rng.cube() * 1e44);
    for n in 0..=10 {
        add("tiny", n, &mut |_| rng.cube());
        add("tiny grid", n, &mut |_| {
            DVec3::new(rng.grid(0, 1), rng.grid(0, 1), 0.0)
        });
    }
    clouds
}

fn distance(p: DVec3, q: DVec3) -> f64 {
    let d = p - q;
    (d.x * d.x + d.y * d.y + d.z * d.z).sqrt()
}

/// The distance to the r-th nearest other point, or the farthest.
fn reach(points: &[DVec3], i: usize, r: usize) -> f64 {
    let others = (0..points.len()).filter(|&j| j != i);
    let mut all: Vec<f64> = others.map(|j| distance(points[i], points[j])).collect();
    all.sort_by(f64::total_cmp);
    let at = r.min(all.len());
    if at == 0 { 0.0 } else { all[at - 1] }
}

/// All neighbours by the definition, ascending.
fn by_definition(points: &[DVec3], influence: Influence) -> Vec<Vec<u32>> {
    let n = points.len();
    let r = match influence {
        Influence::Spheres { order } => order,
        Influence::Nearest { count } => count,
        _ => 0,
    };
    let reaches: Vec<f64> = (0..n).map(|i| reach(points, i, r)).collect();
    let meets = |i: usize, j: usize| {
        let d = distance(points[i], points[j]);
        match influence {
            Influence::Spheres { .. } => d <= reaches[i] + reaches[j],
            _ => d <= reaches[i] || d <= reaches[j],
        }
    };
    (0..n)
        .map(|i| {
            (0..n)
                .filter(|&j| j != i && meets(i, j))
                .map(|j| j as u32)
                .collect()
        })
        .collect()
}

/// Quartiles by linear interpolation, as a second opinion on what is too long.
fn far_by_definition(points: &[DVec3], all: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let limit = |i: usize| {
        let mut lengths: Vec<f64> = all[i]
            .iter()
            .map(|&j| distance(points[i], points[j as usize]))
            .collect();
        if lengths.len() < 4 {
            return f64::INFINITY;
        }
        lengths.sort_by(f64::total_cmp);
        let q = |part: f64| {
            let at = part * (lengths.len() - 1) as f64;
            let (lo, hi) = (at.floor() as usize, at.ceil() as usize);
            lengths[lo] + (at - at.floor()) * (lengths[hi] - lengths[lo])
        };
        (q(0.75) + (q(0.75) - q(0.25))) * (1.0 + 1e-9)
    };
    let limits: Vec<f64> = (0..points.len()).map(limit).collect();
    let is_far = |i: usize, j: usize| distance(points[i], points[j]) > limits[i].min(limits[j]);
    all.iter()
        .enumerate()
        .map(|(i, list)| {
            list.iter()
                .copied()
                .filter(|&j| is_far(i, j as usize))
                .collect()
        })
        .collect()
}

fn raw(list: &[PointId]) -> Vec<u32> {
    list.iter().map(|id| id.raw()).collect()
}

#[test]
fn nearest_points_are_those_of_a_look_at_all() {
    for (name, points) in clouds(1) {
        let tree = KdTree::new(&points);
        let mut rng = Rng::new(2);
        let mut found = Vec::new();
        let mut places: Vec<DVec3> = points.iter().copied().take(40).collect();
        places.extend((0..40).map(|_| rng.cube() * 2.0));
        places.extend(
            (0..20).map(|_| DVec3::new(rng.grid(-1, 8), rng.grid(-1, 8), rng.grid(-1, 8)) * 0.5),
        );
        for x in places {
            let mut all: Vec<(f64, u32)> = points
                .iter()
                .zip(0..)
                .map(|(&p, i)| ((p - x).length_squared(), i))
                .collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            assert_eq!(
                tree.nearest(x).map(|n| n.point.raw()),
                all.first().map(|a| a.1),
                "{name}"
            );
            for k in [1, 2, 5, 13, 40] {
                tree.k_nearest(x, k, &mut found);
                let ids: Vec<u32> = found.iter().map(|n| n.point.raw()).collect();
                let wanted: Vec<u32> = all.iter().take(k).map(|a| a.1).collect();
                assert_eq!(ids, wanted, "{name} k {k}");
            }
            let radius = all.get(7).map_or(1.0, |a| a.0.sqrt());
            tree.within(x, radius, &mut found);
            let wanted = all.iter().filter(|a| a.0 <= radius * radius).count();
            assert_eq!(found.len(), wanted, "{name}");
            assert!(found.is_sorted_by(|a, b| (a.distance_sq, a.point) < (b.distance_sq, b.point)));
        }
    }
}

#[test]
fn graphs_are_those_of_the_definition() {
    for (name, points) in clouds(3) {
        let cloud = PointCloud::new(points.clone(), None).unwrap();
        for influence in [
            Influence::Spheres { order: 1 },
            Influence::Spheres { order: 3 },
            Influence::Spheres { order: 4 },
            Influence::Spheres { order: 6 },
            Influence::Nearest { count: 1 },
            Influence::Nearest { count: 5 },
        ] {
            let all = by_definition(&points, influence);
            for prune in [EdgePruning::Nothing, EdgePruning::Outliers { factor: 1.0 }] {
                let graph =
                    ProximityGraph::new(&cloud, &GraphOptions { influence, prune }).unwrap();
                let far = match prune {
                    EdgePruning::Nothing => vec![Vec::new(); points.len()],
                    _ => far_by_definition(&points, &all),
                };
                for (i, list) in all.iter().enumerate() {
                    let id = PointId::new(i as u32);
                    let mut near = list.clone();
                    near.retain(|j| !far[i].contains(j));
                    assert_eq!(raw(graph.neighbours(id)), near, "{name} {influence:?}");
                    assert_eq!(
                        raw(graph.far_neighbours(id)),
                        far[i],
                        "{name} {influence:?}"
                    );
                }
                let edges: usize = all.iter().map(Vec::len).sum();
                let (near, far) = graph.edge_count();
                assert_eq!(2 * (near + far), edges);
            }
        }
    }
}

#[test]
fn every_point_is_next_to_its_nearest() {
    let mut rng = Rng::new(4);
    let points: Vec<DVec3> = (0..3000).map(|_| rng.direction()).collect();
    let options = GraphOptions {
        influence: Influence::Spheres { order: 1 },
        prune: EdgePruning::Nothing,
    };
    let cloud = PointCloud::new(points.clone(), None).unwrap();
    let graph = ProximityGraph::new(&cloud, &options).unwrap();
    let mut found = Vec::new();
    for (i, &p) in points.iter().enumerate() {
        graph.tree().k_nearest(p, 2, &mut found);
        assert!(
            graph
                .neighbours(PointId::new(i as u32))
                .contains(&found[1].point)
        );
    }
}

#[test]
fn the_size_is_as_published_for_random_balls() {
    // Edges per point for orders 1 to 6, and pieces: counted once for 4000 random points.
    let wanted = [1.76, 3.87, 5.87, 7.84, 9.79, 11.78];
    let mut rng = Rng::new(5);
    let cloud = PointCloud::from_points((0..4000).map(|_| rng.direction())).unwrap();
    for (order, wanted) in (1..).zip(wanted) {
        let options = GraphOptions {
            influence: Influence::Spheres { order },
            prune: EdgePruning::Nothing,
        };
        let graph = ProximityGraph::new(&cloud, &options).unwrap();
        let per_point = graph.edge_count().0 as f64 / 4000.0;
        assert!(
            (per_point / wanted - 1.0).abs() < 0.05,
            "order {order}: {per_point}"
        );
        assert_eq!(graph.components() == 1, order > 1);
    }
}

#[test]
fn scaling_a_cloud_changes_no_edge() {
    let mut rng = Rng::new(6);
    let points: Vec<DVec3> = (0..500).map(|_| rng.cube()).collect();
    let graph = |scale: f64| {
        let cloud = PointCloud::from_points(points.iter().map(|&p| p * scale)).unwrap();
        ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap()
    };
    let (small, large) = (graph(1.0), graph(1024.0));
    for id in small.ids() {
        assert_eq!(small.neighbours(id), large.neighbours(id));
        assert_eq!(small.far_neighbours(id), large.far_neighbours(id));
    }
}

#[test]
fn thousands_of_points_in_one_place_are_refused_by_name() {
    let cloud = PointCloud::new(vec![DVec3::ONE; 5000], None).unwrap();
    let error = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap_err();
    assert!(matches!(error, CloudError::Coincident { .. }), "{error}");
    let distinct = cloud.distinct().cloud;
    assert!(ProximityGraph::new(&distinct, &GraphOptions::default()).is_ok());
}

/// All-pairs path lengths along near edges, by relaxing until nothing changes.
fn all_paths(graph: &ProximityGraph, n: usize) -> Vec<Vec<f64>> {
    let place = |i: usize| graph.place(PointId::new(i as u32)).unwrap();
    let mut lengths = vec![vec![f64::INFINITY; n]; n];
    for (i, row) in lengths.iter_mut().enumerate() {
        row[i] = 0.0;
        for q in graph.neighbours(PointId::new(i as u32)) {
            row[q.index()] = distance(place(i), place(q.index()));
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = lengths[i][k] + lengths[k][j];
                if through < lengths[i][j] {
                    lengths[i][j] = through;
                }
            }
        }
    }
    lengths
}

#[test]
fn path_lengths_are_those_of_all_pairs_up_to_the_horizon() {
    for (name, points) in clouds(7) {
        if points.len() > 310 {
            continue;
        }
        let cloud = PointCloud::new(points.clone(), None).unwrap();
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
        let size = cloud.bounds().diagonal().length();
        let limit = 0.3 * size + 1e-3;
        let map = PathMap::new(&graph, PathHorizon::Length(limit), PathLength::Polyline).unwrap();
        let all = all_paths(&graph, points.len());
        let mut path = Vec::new();
        for (i, row) in all.iter().enumerate() {
            let from = PointId::new(i as u32);
            let list = map.from(from);
            assert_eq!((list[0].point, list[0].length), (from, 0.0), "{name}");
            assert!(list.is_sorted_by(|a, b| a.length <= b.length));
            let expected = row.iter().filter(|&&l| l <= limit * (1.0 - 1e-12)).count();
            assert!(list.len() >= expected, "{name}");
            for reached in list {
                let wanted = row[reached.point.index()];
                assert!((reached.length - wanted).abs() <= 1e-12 * size, "{name}");
            }
            for reached in list.iter().step_by(7) {
                assert!(map.path(&graph, from, reached.point, &mut path), "{name}");
                let length: f64 = path
                    .windows(2)
                    .map(|w| distance(points[w[0].index()], points[w[1].index()]))
                    .sum();
                assert!((length - reached.length).abs() <= 1e-12 * size, "{name}");
                assert!(
                    path.windows(2)
                        .all(|w| graph.neighbours(w[0]).contains(&w[1]))
                );
            }
        }
    }
}

#[test]
fn crossing_triangles_gives_lengths_nearer_to_the_truth() {
    let mut rng = Rng::new(8);
    // On a plane the truth is the straight distance, on a ball the great circle.
    let plane: Vec<DVec3> = (0..2000)
        .map(|_| DVec3::new(rng.unit(), rng.unit(), 0.0))
        .collect();
    let ball: Vec<DVec3> = (0..2000).map(|_| rng.direction()).collect();
    type Truth = fn(DVec3, DVec3) -> f64;
    let straight: Truth = |p, q| (p - q).length();
    let round: Truth = |p, q| 2.0 * (0.5 * (p - q).length()).asin();
    for (points, truth, limit) in [(plane, straight, 0.2), (ball, round, 0.5)] {
        let cloud = PointCloud::new(points.clone(), None).unwrap();
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
        let error = |measure: PathLength| {
            let map = PathMap::new(&graph, PathHorizon::Length(limit), measure).unwrap();
            let (mut sum, mut count) = (0.0, 0);
            for (i, &p) in points.iter().enumerate().step_by(5) {
                for reached in map.from(PointId::new(i as u32)) {
                    let wanted = truth(p, points[reached.point.index()]);
                    if wanted > 0.3 * limit {
                        sum += (reached.length / wanted - 1.0).abs();
                        count += 1;
                    }
                }
            }
            sum / f64::from(count)
        };
        let edges = error(PathLength::Polyline);
        let across = error(PathLength::Triangles);
        let splines = error(PathLength::Spline);
        assert!(across < 0.5 * edges, "{across} beside {edges}");
        assert!(splines < edges, "{splines} beside {edges}");
    }
}

#[test]
fn triangles_are_those_whose_balls_share_a_point() {
    let mut rng = Rng::new(9);
    let points: Vec<DVec3> = (0..60).map(|_| rng.cube()).collect();
    let options = GraphOptions {
        influence: Influence::Spheres { order: 2 },
        prune: EdgePruning::Nothing,
    };
    let cloud = PointCloud::new(points.clone(), None).unwrap();
    let graph = ProximityGraph::new(&cloud, &options).unwrap();
    let found = graph.triangles();
    let id = |i: usize| PointId::new(i as u32);
    let (mut yes, mut no) = (0, 0);
    for i in 0..60 {
        for j in i + 1..60 {
            for k in j + 1..60 {
                let near = |a: usize, b: usize| graph.neighbours(id(a)).contains(&id(b));
                if !(near(i, j) && near(i, k) && near(j, k)) {
                    continue;
                }
                // The smallest excess over all places: convex, so a descent with shrinking steps comes near it.
                let excess = |x: DVec3| {
                    [i, j, k]
                        .map(|c| (x - points[c]).length() - graph.reach(id(c)))
                        .into_iter()
                        .fold(f64::NEG_INFINITY, f64::max)
                };
                let mut x = (points[i] + points[j] + points[k]) / 3.0;
                let mut step = 1.0;
                while step > 1e-6 {
                    let better = (0..24)
                        .map(|_| x + rng.direction() * step)
                        .find(|&y| excess(y) < excess(x));
                    match better {
                        Some(y) => x = y,
                        None => step *= 0.7,
                    }
                }
                let listed = found.contains(&[id(i), id(j), id(k)]);
                let least = excess(x);
                // A place inside all three proves that they meet; that none was found is no proof.
                assert!(listed || least >= -1e-9, "{i} {j} {k}: {least}");
                assert!(!listed || least < 0.01, "{i} {j} {k}: {least}");
                if listed { yes += 1 } else { no += 1 }
            }
        }
    }
    assert!(yes > 50 && no > 5, "{yes} {no}");
}

#[test]
fn ellipsoids_join_near_sheets_less_often_than_spheres() {
    let mut rng = Rng::new(10);
    // Two sheets at 1.2 mean spacings.
    let spacing = 1.0 / 40.0;
    let points: Vec<DVec3> = (0..3200)
        .map(|i| {
            DVec3::new(
                rng.unit(),
                rng.unit(),
                if i % 2 == 0 { 0.0 } else { 1.2 * spacing },
            )
        })
        .collect();
    let cloud = PointCloud::new(points.clone(), None).unwrap();
    let across = |influence: Influence| {
        let options = GraphOptions {
            influence,
            prune: EdgePruning::Nothing,
        };
        let graph = ProximityGraph::new(&cloud, &options).unwrap();
        let crossing: usize = graph
            .ids()
            .map(|p| {
                graph
                    .neighbours(p)
                    .iter()
                    .filter(|q| (q.index() + p.index()) % 2 == 1)
                    .count()
            })
            .sum();
        crossing as f64 / (graph.edge_count().0 * 2) as f64
    };
    let spheres = across(Influence::Spheres { order: 4 });
    let ellipsoids = across(Influence::Ellipsoids(EllipsoidOptions::default()));
    assert!(ellipsoids < 0.8 * spheres, "{ellipsoids} beside {spheres}");
}

#[test]
fn ellipsoid_graphs_are_symmetric() {
    for (name, points) in clouds(11) {
        let options = GraphOptions {
            influence: Influence::Ellipsoids(EllipsoidOptions::default()),
            prune: EdgePruning::Outliers { factor: 1.0 },
        };
        let cloud = PointCloud::new(points, None).unwrap();
        let graph = ProximityGraph::new(&cloud, &options).unwrap();
        for p in graph.ids() {
            for q in graph.neighbours(p) {
                assert!(graph.neighbours(*q).contains(&p), "{name}");
            }
        }
    }
}

#[test]
fn the_sampling_radius_of_lattices_is_known() {
    let hexagonal = (0..900).map(|i| {
        let (x, y) = ((i % 30) as f64, (i / 30) as f64);
        DVec3::new(x + 0.5 * (y % 2.0), y * 0.75_f64.sqrt(), 0.0)
    });
    let cloud = PointCloud::new(hexagonal.collect(), None).unwrap();
    let radius = SamplingRadius::of(&cloud);
    assert!((radius.quantile(0.5).unwrap() - 1.0 / 3.0_f64.sqrt()).abs() < 1e-9);
    // The ragged sides have cells that are closed, but larger.
    assert!(radius.covering().unwrap() < 1.5 && radius.at_border() > 50);
    for (_, points) in clouds(16) {
        let cloud = PointCloud::new(points, None).unwrap();
        let found = SamplingRadius::of(&cloud);
        assert!(found.at_border() <= cloud.len());
        assert!(found.covering().is_none_or(|r| r > 0.0));
    }
}

#[test]
fn memory_of_paths_grows_like_the_points() {
    let mut rng = Rng::new(17);
    let mut per_point = |n: usize| {
        let cloud = PointCloud::from_points((0..n).map(|_| rng.direction())).unwrap();
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
        let map = PathMap::new(&graph, PathHorizon::Edges(1.5), PathLength::Polyline).unwrap();
        map.entries() as f64 / n as f64
    };
    let (few, many) = (per_point(2000), per_point(16_000));
    assert!((many / few - 1.0).abs() < 0.1, "{few} {many}");
}
