//! Shapes of every kind, with point distances written down independently of the library.

use std::sync::Arc;

use impinge::cloud::{CloudShape, PointCloud};
use impinge::convex::{
    Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron, Segment, Triangle,
};
use impinge::math::Rng;
use impinge::pair::{Compound, HeightField, MeshShape, Particles, Shape};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};
use impinge_testkit::oracle::{
    hull_distance, point_to_cone, point_to_cylinder, point_to_ellipsoid,
};

/// A convex shape and the distance of a point from it, 0 inside.
pub(crate) struct Solid {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) distance: Box<dyn Fn(DVec3) -> f64>,
}

fn solid(
    name: &'static str,
    shape: impl Into<Shape>,
    distance: impl Fn(DVec3) -> f64 + 'static,
) -> Solid {
    Solid {
        name,
        shape: shape.into(),
        distance: Box::new(distance),
    }
}

/// One of each bounded convex kind.
pub(crate) fn solids() -> Vec<Solid> {
    let half = DVec3::new(0.5, 0.75, 1.0);
    let radii = DVec3::new(0.5, 1.0, 0.75);
    let (from, to) = (DVec3::new(0.0, -0.5, 0.0), DVec3::new(0.25, 0.75, 0.5));
    let corners = [
        DVec3::ZERO,
        DVec3::new(1.5, 0.25, 0.0),
        DVec3::new(0.0, 1.0, 0.5),
    ];
    let tips = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        -DVec3::X,
        -DVec3::Y,
        -DVec3::Z,
    ];
    vec![
        solid("ball", Ball::new(0.75).unwrap(), |p| {
            (p.length() - 0.75).max(0.0)
        }),
        solid("box", Cuboid::new(half).unwrap(), move |p| {
            (p.abs() - half).max(DVec3::ZERO).length()
        }),
        solid("capsule", Capsule::new(from, to, 0.25).unwrap(), move |p| {
            (hull_distance(&[p], &[from, to]) - 0.25).max(0.0)
        }),
        solid("cylinder", Cylinder::new(1.0, 0.5).unwrap(), |p| {
            point_to_cylinder(p, 1.0, 0.5)
        }),
        solid("cone", Cone::new(0.75, 0.75).unwrap(), |p| {
            point_to_cone(p, 0.75, 0.75)
        }),
        solid("ellipsoid", Ellipsoid::new(radii).unwrap(), move |p| {
            point_to_ellipsoid(p, radii)
        }),
        solid("segment", Segment::new(from, to).unwrap(), move |p| {
            hull_distance(&[p], &[from, to])
        }),
        solid("triangle", Triangle::new(corners).unwrap(), move |p| {
            hull_distance(&[p], &corners)
        }),
        solid("polyhedron", Polyhedron::new(&tips).unwrap(), move |p| {
            let q = p.abs();
            if q.x + q.y + q.z <= 1.0 {
                0.0
            } else {
                hull_distance(&[p], &tips)
            }
        }),
    ]
}

pub(crate) fn shape_of(mesh: TriMesh) -> Shape {
    Shape::from(MeshShape::new(Arc::new(mesh)))
}

/// An L-shaped prism of height 1 around the origin: closed, not convex.
pub(crate) fn angle() -> TriMesh {
    let outline = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let at = |z: f64| outline.map(|[x, y]| DVec3::new(x - 1.0, y - 1.0, z));
    let points: Vec<DVec3> = at(-0.5).into_iter().chain(at(0.5)).collect();
    let cap = [[3, 4, 5], [3, 5, 0], [3, 0, 1], [3, 1, 2]];
    let mut faces: Vec<[u32; 3]> = cap.map(|[a, b, c]| [a, c, b]).to_vec();
    faces.extend(cap.map(|f| f.map(|v| v + 6)));
    for i in 0..6_u32 {
        let j = (i + 1) % 6;
        faces.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    TriMesh::new(points, faces).unwrap()
}

pub(crate) fn hills() -> HeightField {
    let heights = (0..20)
        .map(|k| f64::from((k * 7 + k / 5) % 4) * 0.25)
        .collect();
    HeightField::new(5, 4, [0.75, 0.5], heights).unwrap()
}

pub(crate) fn dust() -> Particles {
    let mut rng = Rng::new(3);
    let points = (0..40).map(|_| point(&mut rng, 1.5)).collect();
    Particles::new(points, 0.125).unwrap()
}

pub(crate) fn scan() -> CloudShape {
    let mut rng = Rng::new(5);
    let points = (0..30).map(|_| rng.direction() * 1.25);
    CloudShape::new(PointCloud::from_points(points).unwrap().into())
}

pub(crate) fn pair_of_solids() -> Compound {
    let aside = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.5, [1.25, 0.0, 0.25]).unwrap();
    Compound::new([
        (
            Pose::IDENTITY,
            Shape::from(Cuboid::new([0.5, 0.5, 0.25]).unwrap()),
        ),
        (aside, Shape::from(Cylinder::new(0.75, 0.25).unwrap())),
    ])
    .unwrap()
}

/// One of each kind of the library.
pub(crate) fn all() -> Vec<(&'static str, Shape)> {
    let mut all: Vec<(&'static str, Shape)> =
        solids().into_iter().map(|s| (s.name, s.shape)).collect();
    let ground = HalfSpace::new([0.0, 0.25, 1.0], [0.0, 0.0, -0.25]).unwrap();
    all.push(("half-space", ground.into()));
    all.push(("height field", hills().into()));
    all.push(("particles", dust().into()));
    all.push(("mesh", shape_of(angle())));
    all.push((
        "convex mesh",
        shape_of(generate::icosphere(1.0, 2).unwrap()),
    ));
    all.push(("compound", pair_of_solids().into()));
    all.push(("cloud", scan().into()));
    all
}

pub(crate) fn point(rng: &mut Rng, size: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| rng.range(-size, size)))
}

pub(crate) fn random_pose(rng: &mut Rng, size: f64) -> Pose {
    let axis = point(rng, 1.0);
    let turn = rng.range(0.0, 6.0);
    Pose::from_axis_angle(axis, turn, point(rng, size)).unwrap_or(Pose::IDENTITY)
}

/// A turn by quarters and a move on a grid, both exact.
pub(crate) fn quarter_pose(rng: &mut Rng) -> Pose {
    let z = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
    let x = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y);
    let mut turn = DMat3::IDENTITY;
    for _ in 0..rng.below(4) {
        turn = z * turn;
    }
    for _ in 0..rng.below(4) {
        turn = x * turn;
    }
    let at = DVec3::from_array([0; 3].map(|_| rng.grid(-8, 8) / 4.0));
    Pose::new(turn, at).unwrap()
}

/// The smallest value of a convex function over a triangle.
fn minimum(corners: &[DVec3; 3], f: &dyn Fn(DVec3) -> f64) -> f64 {
    let [a, b, c] = *corners;
    let along = |low: f64, high: f64, g: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (low, high);
        for _ in 0..48 {
            let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if g(p) <= g(q) { high = q } else { low = p }
        }
        g(0.5 * (low + high))
    };
    along(0.0, 1.0, &|u| {
        along(0.0, 1.0 - u, &|v| f(a + (b - a) * u + (c - a) * v))
    })
}

/// The smallest value of a convex, 1-Lipschitz function over faces.
pub(crate) fn minimum_over(faces: &[[DVec3; 3]], f: &dyn Fn(DVec3) -> f64) -> f64 {
    let mut order: Vec<(f64, &[DVec3; 3])> = faces
        .iter()
        .map(|t| {
            let middle = (t[0] + t[1] + t[2]) / 3.0;
            let reach = t.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
            (f(middle) - reach, t)
        })
        .collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut best = f64::INFINITY;
    for (least, t) in order {
        if least >= best || best <= 0.0 {
            break;
        }
        best = best.min(minimum(t, f));
    }
    best
}

pub(crate) fn faces_of(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    mesh.triangles().collect()
}
