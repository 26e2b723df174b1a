// One runner for both precisions: included after `use parry3d as parry` or `use parry3d_f64 as parry`,
// because the two crates share no trait.

use parry::bounding_volume::BoundingVolume;
use parry::math::{Pose, Real, Rotation, Vector};
use parry::partitioning::TraversalAction;
use parry::query::{self, ClosestPoints, NonlinearRigidMotion};
use parry::shape::TriMesh;
use serve::{Engine, Mesh, Motion, Pairs, Placement};

struct Parry {
    a: Mesh,
    b: Mesh,
    built_a: Option<TriMesh>,
    built_b: Option<TriMesh>,
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

fn build(mesh: &Mesh) -> Option<TriMesh> {
    let points = mesh.positions.iter().map(|p| vector(*p)).collect();
    TriMesh::new(points, mesh.faces.clone()).ok()
}

fn pose(place: &Placement) -> Pose {
    let [x, y, z] = place.rows;
    let column = |k: usize| vector([x[k], y[k], z[k]]);
    let turn = parry::math::Matrix::from_cols(column(0), column(1), column(2));
    Pose::from_parts(column(3), Rotation::from_mat3(&turn))
}

impl Parry {
    fn trees(&self) -> Option<(&TriMesh, &TriMesh)> {
        Some((self.built_a.as_ref()?, self.built_b.as_ref()?))
    }

    fn each_pair(&self, place: &Placement, mut accept: impl FnMut(u32, u32)) -> Option<()> {
        let (a, b) = self.trees()?;
        let there = pose(place);
        let meet = |x: &parry::partitioning::BvhNode, y: &parry::partitioning::BvhNode| {
            x.aabb().intersects(&y.aabb().transform_by(&there))
        };
        for (i, j) in a.bvh().leaf_pairs(b.bvh(), meet) {
            let found =
                query::intersection_test(&Pose::IDENTITY, &a.triangle(i), &there, &b.triangle(j));
            if found.ok()?.intersecting {
                accept(i, j);
            }
        }
        Some(())
    }
}

impl Engine for Parry {
    fn hello(&self) -> String {
        format!("{NAME} 0.31.1 {PRECISION}")
    }
    fn build_a(&mut self) {
        self.built_a = build(&self.a);
    }
    fn build_b(&mut self) {
        self.built_b = build(&self.b);
    }
    fn bytes(&self) -> usize {
        self.built_a.as_ref().map_or(0, |mesh| mesh.bvh().heap_memory_size())
    }
    fn quality(&self) -> Option<f64> {
        let mut cost = 0.0;
        let tree = self.built_a.as_ref()?.bvh();
        tree.traverse(|node| {
            // Two children are tested in an inner node, the one face in a leaf.
            let tests = if node.is_leaf() { 1.0 } else { 2.0 };
            cost += tests * f64::from(node.aabb().half_area_or_perimeter() as f32);
            TraversalAction::Continue
        });
        let root = f64::from(tree.root_aabb().half_area_or_perimeter() as f32);
        // The root itself is not visited.
        Some(cost / root + 2.0)
    }
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let (a, b) = self.trees()?;
        let there = pose(place);
        match question {
            "intersects" => {
                let found = query::intersection_test(&Pose::IDENTITY, a, &there, b).ok()?;
                Some(f64::from(u8::from(found.intersecting)))
            }
            "pairs" => {
                let mut count = 0.0;
                self.each_pair(place, |_, _| count += 1.0)?;
                Some(count)
            }
            // `warm` is the plain distance: nothing is carried from one call to the next.
            "distance" | "warm" => {
                let found = query::distance(&Pose::IDENTITY, a, &there, b).ok()?;
                Some(found.distance.into())
            }
            "tolerance" => {
                let found =
                    query::closest_points(&Pose::IDENTITY, a, &there, b, parameter as Real).ok()?;
                let close = !matches!(found, ClosestPoints::Disjoint);
                Some(f64::from(u8::from(close)))
            }
            _ => None,
        }
    }
    fn impact(&mut self, place: &Placement, motion: &Motion) -> Option<f64> {
        let (a, b) = self.trees()?;
        let start = pose(place);
        let still = NonlinearRigidMotion::constant_position(Pose::IDENTITY);
        let moving = NonlinearRigidMotion::new(
            start,
            start.inverse_transform_point(vector(motion.center)),
            vector(motion.velocity),
            vector(motion.turn),
        );
        let hit = query::cast_shapes_nonlinear(&still, a, &moving, b, 0.0, 1.0, true).ok()?;
        Some(hit.map_or(f64::INFINITY, |hit| hit.time_of_impact.into()))
    }
    fn pairs(&mut self, place: &Placement) -> Option<Pairs> {
        let mut pairs = Vec::new();
        self.each_pair(place, |i, j| pairs.push((i, j)))?;
        Some(pairs)
    }
}

fn main() -> std::process::ExitCode {
    serve::run(|a, b| Parry { a, b, built_a: None, built_b: None })
}
