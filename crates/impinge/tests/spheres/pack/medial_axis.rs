//! Medial axes of solids whose axes are known.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{MedialAxis, MeshSolid, SphereGraph, medial_axis};
use impinge::{DVec3, TriMesh, generate};

/// The point of a segment nearest to the origin.
fn nearest_on_edge(a: DVec3, b: DVec3) -> DVec3 {
    let along = b - a;
    a + along * (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0)
}

/// From a point to every face, by brute force: the vectors to the nearest points.
fn reach(mesh: &TriMesh, from: DVec3) -> Vec<DVec3> {
    let nearest = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|corner| mesh.positions()[corner as usize] - from);
        let normal = (b - a).cross(c - a).normalize();
        let foot = normal * normal.dot(a);
        let is_inside = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(p, q)| (*q - *p).cross(foot - *p).dot(normal) >= 0.0);
        if is_inside {
            return foot;
        }
        let on_edges = [(a, b), (b, c), (c, a)].map(|(p, q)| nearest_on_edge(p, q));
        let shorter = |x: DVec3, y: DVec3| if y.length() < x.length() { y } else { x };
        on_edges.into_iter().fold(on_edges[0], shorter)
    };
    mesh.faces().iter().map(nearest).collect()
}

/// What every medial axis must be, whatever the solid.
fn axis_of(mesh: TriMesh, resolution: u32) -> MedialAxis {
    let tree = WideTree::new(Arc::new(mesh));
    let axis = medial_axis(&MeshSolid::new(&tree).unwrap(), resolution).unwrap();
    let clearance = |at: DVec3| {
        let all = reach(tree.mesh(), at);
        all.iter()
            .map(|to| to.length())
            .fold(f64::INFINITY, f64::min)
    };
    for node in axis.nodes() {
        let all = reach(tree.mesh(), node.center);
        let nearest = clearance(node.center);
        assert!(node.radius <= nearest * (1.0 + 1e-12) && node.radius >= 0.999 * nearest);
        // Nothing is gained by moving, so the nearest points lie on both sides of the centre.
        let touched: Vec<DVec3> = all
            .iter()
            .filter(|to| to.length() <= 1.01 * nearest)
            .map(|to| to.normalize())
            .collect();
        let widest = touched
            .iter()
            .flat_map(|a| touched.iter().map(move |b| a.dot(*b)))
            .fold(1.0, f64::min);
        assert!(widest < 0.0, "{node:?} touches on one side: {widest}");
    }
    let all = SphereGraph::new(axis.nodes(), 0.0);
    let mut groups: Vec<usize> = (0..axis.nodes().len()).collect();
    for &[a, b] in axis.edges() {
        assert!(all.neighbours(a as usize).contains(&b));
        let middle = |t: f64| {
            let [a, b] = [a, b].map(|node| axis.nodes()[node as usize].center);
            a.lerp(b, t)
        };
        assert!((1..8).all(|i| clearance(middle(f64::from(i) / 8.0)) > 0.0));
        let (from, to) = (groups[a as usize], groups[b as usize]);
        for group in &mut groups {
            if *group == from {
                *group = to;
            }
        }
    }
    let pieces = all.pieces();
    for a in 0..pieces.len() {
        for b in 0..a {
            assert_eq!(pieces[a] == pieces[b], groups[a] == groups[b]);
        }
    }
    axis
}

fn piece_count(axis: &MedialAxis) -> usize {
    let pieces = SphereGraph::new(axis.nodes(), 0.0).pieces();
    pieces.into_iter().max().map_or(0, |last| last as usize + 1)
}

#[test]
fn a_beam_has_its_middle_line() {
    let axis = axis_of(
        generate::cuboid(DVec3::new(4.0, 1.0, 1.0), [4, 1, 1]).unwrap(),
        32,
    );
    assert!(axis.nodes().len() >= 4);
    for node in axis.nodes() {
        assert!((node.radius - 0.5).abs() < 1e-3, "{node:?}");
        assert!(node.center.y.hypot(node.center.z) < 1e-3 && node.center.x.abs() < 1.501);
    }
    assert_eq!(piece_count(&axis), 1);
    assert_eq!(
        axis.edges().len(),
        axis.nodes().len() - 1,
        "a line has no loop"
    );
}

#[test]
fn a_torus_has_its_core_circle() {
    let axis = axis_of(generate::torus(1.0, 0.3, 24, 12).unwrap(), 32);
    for node in axis.nodes() {
        assert!(
            (node.center.x.hypot(node.center.y) - 1.0).abs() < 0.03,
            "{node:?}"
        );
        assert!(node.center.z.abs() < 0.01);
    }
    assert_eq!(piece_count(&axis), 1);
    assert!(
        axis.edges().len() >= axis.nodes().len(),
        "a circle has a loop"
    );
}

#[test]
fn a_frame_has_a_node_in_each_corner_and_parts_stay_apart() {
    let axis = axis_of(generate::lattice([1, 1, 1], 0.4).unwrap(), 16);
    for corner in 0..8_u32 {
        let at = DVec3::from_array([0, 1, 2].map(|bit| f64::from(corner >> bit & 1)));
        let node = axis
            .nodes()
            .iter()
            .find(|node| node.center.distance(at) < 0.1);
        assert!(
            node.is_some_and(|node| node.radius > 0.2),
            "no node at {at}"
        );
    }
    let apart = axis_of(generate::cube_array([2, 1, 1], 0.5).unwrap(), 16);
    assert_eq!(piece_count(&apart), 2);
}

#[test]
fn the_largest_sphere_of_a_cone_is_inscribed() {
    let axis = axis_of(generate::cone(1.0, 2.0, 48, 1).unwrap(), 16);
    // The sphere that touches base and side.
    let inscribed = 2.0 / (1.0 + 5.0_f64.sqrt());
    assert!((axis.nodes()[0].radius - inscribed).abs() < 0.01);
    assert_eq!(piece_count(&axis), 1);
}
