//! The Delaunay graph against empty balls in whole numbers, on random, gridded and flat clouds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeSet;

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;

type Whole = [i128; 3];
type Edges = BTreeSet<(usize, usize)>;

fn graph_of(points: Vec<DVec3>) -> ProximityGraph {
    let options = GraphOptions {
        influence: Influence::Delaunay,
        ..GraphOptions::default()
    };
    ProximityGraph::new(&PointCloud::new(points, None).unwrap(), &options).unwrap()
}

fn places(points: &[Whole]) -> Vec<DVec3> {
    let place = |p: &Whole| DVec3::from_array(p.map(|x| x as f64));
    points.iter().map(place).collect()
}

/// All edges, near and far, the smaller number first.
fn edges_of(graph: &ProximityGraph) -> Edges {
    let mut edges = Edges::new();
    for id in graph.ids() {
        let both = graph.neighbours(id).iter().chain(graph.far_neighbours(id));
        for &q in both {
            let (i, j) = (id.index(), q.index());
            assert_ne!(i, j);
            edges.insert((i.min(j), i.max(j)));
            let back = graph.neighbours(q).contains(&id) || graph.far_neighbours(q).contains(&id);
            assert!(back, "edges have two ends");
        }
    }
    edges
}

fn minus(p: Whole, q: Whole) -> Whole {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn square(p: Whole) -> i128 {
    p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
}

fn determinant(p: Whole, q: Whole, r: Whole) -> i128 {
    p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0])
        + p[2] * (q[0] * r[1] - q[1] * r[0])
}

/// Positive inside the ball through four points, zero on it; zero for flat ones.
fn inside_ball(corners: [Whole; 4], e: Whole) -> i128 {
    let [a, b, c, d] = corners.map(|p| minus(p, e));
    let lifted = square(a) * determinant(b, c, d) - square(b) * determinant(a, c, d)
        + square(c) * determinant(a, b, d)
        - square(d) * determinant(a, b, c);
    let volume = determinant(
        minus(corners[0], corners[3]),
        minus(corners[1], corners[3]),
        minus(corners[2], corners[3]),
    );
    // The sign for four points in one order, known from the unit corner and its middle.
    -lifted.signum() * volume.signum()
}

/// The edges of all tetrahedra with an empty ball.
fn empty_ball_edges(points: &[Whole]) -> Edges {
    let n = points.len();
    let mut edges = Edges::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                for l in k + 1..n {
                    let corners = [i, j, k, l].map(|m| points[m]);
                    let flat = determinant(
                        minus(corners[0], corners[3]),
                        minus(corners[1], corners[3]),
                        minus(corners[2], corners[3]),
                    ) == 0;
                    if flat || points.iter().any(|&e| inside_ball(corners, e) > 0) {
                        continue;
                    }
                    for edge in [(i, j), (i, k), (i, l), (j, k), (j, l), (k, l)] {
                        edges.insert(edge);
                    }
                }
            }
        }
    }
    edges
}

/// The pairs whose smallest ball holds no other point, not even on its border: every Delaunay graph has them.
fn strict_gabriel(points: &[Whole]) -> Edges {
    let n = points.len();
    let mut edges = Edges::new();
    for i in 0..n {
        for j in i + 1..n {
            // In the ball the two ends are seen at a right angle or more.
            let is_in = |&e: &Whole| {
                let (p, q) = (minus(points[i], e), minus(points[j], e));
                p[0] * q[0] + p[1] * q[1] + p[2] * q[2] <= 0 && e != points[i] && e != points[j]
            };
            if points[i] != points[j] && !points.iter().any(is_in) {
                edges.insert((i, j));
            }
        }
    }
    edges
}

fn distinct(n: usize, mut draw: impl FnMut() -> Whole) -> Vec<Whole> {
    let mut points: Vec<Whole> = Vec::new();
    for _ in 0..20 * n {
        let p = draw();
        if points.len() < n && !points.contains(&p) {
            points.push(p);
        }
    }
    points
}

#[test]
fn the_judge_knows_inside_from_outside() {
    let corner = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]];
    for corners in [corner, [corner[1], corner[0], corner[2], corner[3]]] {
        assert!(inside_ball(corners, [1, 1, 1]) > 0);
        assert!(inside_ball(corners, [9, 1, 1]) < 0);
        assert_eq!(inside_ball(corners, [4, 4, 4]), 0);
    }
}

#[test]
fn random_points_have_the_edges_of_empty_balls_and_no_others() {
    let mut rng = Rng::new(1);
    for n in [4, 5, 6, 8, 11, 14] {
        for _ in 0..20 {
            let points = distinct(n, || [(); 3].map(|()| rng.grid(0, 100_000) as i128));
            let graph = graph_of(places(&points));
            assert_eq!(edges_of(&graph), empty_ball_edges(&points), "{points:?}");
        }
    }
}

#[test]
fn on_small_grids_every_edge_has_an_empty_ball_and_gabriel_edges_are_there() {
    let mut rng = Rng::new(2);
    for size in [1, 2, 3] {
        for _ in 0..120 {
            let n = 4 + rng.below(10) as usize;
            let points = distinct(n, || [(); 3].map(|()| rng.grid(0, size) as i128));
            let found = edges_of(&graph_of(places(&points)));
            let allowed = empty_ball_edges(&points);
            // All in a plane: no ball is determined; the flat test looks at those.
            if !allowed.is_empty() {
                assert!(found.is_subset(&allowed), "{points:?}");
            }
            assert!(strict_gabriel(&points).is_subset(&found), "{points:?}");
        }
    }
}

#[test]
fn flat_clouds_have_triangles_with_empty_circles() {
    let mut rng = Rng::new(3);
    for round in 0..60 {
        let size = [2, 3, 1000][round % 3];
        let points = distinct(9, || {
            let (x, y) = (rng.grid(0, size) as i128, rng.grid(0, size) as i128);
            // A plane that no axis is along.
            [x + y, x - y, 3 * x + 2 * y]
        });
        let found = edges_of(&graph_of(places(&points)));
        // With a corner off the plane every empty circle has its empty ball.
        let mut lifted = points.clone();
        lifted.push([5, 7, 100_000]);
        let apex = points.len();
        let allowed = empty_ball_edges(&lifted);
        let allowed: Edges = allowed.into_iter().filter(|e| e.1 != apex).collect();
        if allowed.is_empty() {
            continue;
        }
        if size == 1000 {
            assert_eq!(found, allowed, "{points:?}");
        }
        assert!(found.is_subset(&allowed), "{points:?}");
        assert!(strict_gabriel(&points).is_subset(&found), "{points:?}");
    }
}

#[test]
fn points_on_a_line_have_the_next_ones() {
    for direction in [DVec3::X, DVec3::new(1.0, -2.0, 3.0)] {
        let points: Vec<DVec3> = [4, 0, 2, 1, 3].map(|i| direction * f64::from(i)).to_vec();
        let edges = edges_of(&graph_of(points));
        assert_eq!(edges, Edges::from([(0, 4), (1, 3), (2, 3), (2, 4)]));
    }
    assert_eq!(graph_of(vec![]).edge_count(), (0, 0));
    assert_eq!(graph_of(vec![DVec3::ONE]).edge_count(), (0, 0));
    assert_eq!(graph_of(vec![DVec3::ONE, DVec3::X]).edge_count(), (1, 0));
}

#[test]
fn points_in_one_place_share_their_neighbours() {
    let points = vec![
        DVec3::ZERO,
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::ZERO,
        -DVec3::ZERO,
    ];
    let graph = graph_of(points);
    assert_eq!(edges_of(&graph).len(), 15);
    let crowd = PointCloud::new(vec![DVec3::ONE; 5000], None).unwrap();
    let options = GraphOptions {
        influence: Influence::Delaunay,
        ..GraphOptions::default()
    };
    assert!(matches!(
        ProximityGraph::new(&crowd, &options),
        Err(CloudError::Coincident { .. })
    ));
}

#[test]
fn the_nearest_neighbour_is_always_one() {
    let mut rng = Rng::new(4);
    let clouds: [Vec<DVec3>; 3] = [
        (0..3000).map(|_| rng.cube()).collect(),
        (0..1500)
            .map(|_| rng.direction() * rng.range(0.99, 1.01))
            .collect(),
        (0..1000)
            .map(|_| DVec3::new(rng.unit(), rng.unit(), 0.0))
            .collect(),
    ];
    for points in clouds {
        let graph = graph_of(points.clone());
        assert!(graph.components() < points.len() / 10);
        let mut near = Vec::new();
        for id in graph.ids() {
            graph.tree().k_nearest(points[id.index()], 2, &mut near);
            let nearest = near.iter().find(|n| n.point != id).unwrap().point;
            let both = graph.neighbours(id).iter().chain(graph.far_neighbours(id));
            assert!(both.into_iter().any(|&q| q == nearest));
        }
    }
}

#[test]
fn a_surface_can_be_built_on_it() {
    let mut rng = Rng::new(5);
    let points: Vec<DVec3> = (0..3000)
        .map(|_| rng.direction() * rng.range(0.999, 1.001))
        .collect();
    let graph = graph_of(points);
    let mut spacings: Vec<f64> = graph.ids().map(|id| graph.spacing(id)).collect();
    spacings.sort_by(f64::total_cmp);
    let side = (2.0 * std::f64::consts::TAU / 3000.0).sqrt();
    let usual = spacings[1500] / side;
    assert!((0.5..0.7).contains(&usual), "{usual}");
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    let mut scratch = EvaluationScratch::default();
    for _ in 0..300 {
        let x = rng.direction() * rng.range(0.95, 1.05);
        let value = surface.evaluate(x, &mut scratch).value().unwrap();
        assert!(
            (value.abs() - (x.length() - 1.0).abs()).abs() < 0.02,
            "{x}: {value}"
        );
    }
}

#[test]
fn an_edit_that_cannot_be_done_changes_nothing() {
    let mut rng = Rng::new(6);
    let mut graph = graph_of((0..50).map(|_| rng.cube()).collect());
    let before = format!("{graph:?}");
    assert!(graph.insert(DVec3::NAN).is_err());
    assert!(graph.remove(PointId::new(50)).is_err());
    assert!(graph.relocate(PointId::new(51), DVec3::ZERO).is_err());
    assert_eq!(before, format!("{graph:?}"));
    assert_eq!(graph.insert(DVec3::ZERO).unwrap().touched().count(), 51);
}
