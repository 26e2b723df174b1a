//! What can be packed: meshes without an inside, hollows, sheets, and solids that are no meshes.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::wide::WideTree;
use impinge::spheres::{
    Interior, MeshSolid, PackError, PackOptions, SolidError, pack, pack_interior,
};
use impinge::{DVec3, TriMesh, generate};

use super::{count, cube, judge, packed};

#[test]
fn meshes_without_an_inside_are_refused_by_name() {
    let refused = |mesh: TriMesh| {
        let tree = WideTree::new(Arc::new(mesh));
        MeshSolid::new(&tree).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(TriMesh::default()), SolidError::Empty);
    let (positions, faces) = cube().into_parts();
    let open = TriMesh::new(positions.clone(), faces[1..].to_vec()).unwrap();
    assert!(matches!(refused(open), SolidError::NotClosed { .. }));
    let mut turned_face = faces.clone();
    turned_face[0].swap(0, 1);
    let torn = TriMesh::new(positions.clone(), turned_face).unwrap();
    assert!(matches!(refused(torn), SolidError::NotClosed { .. }));
    let inside_out = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inverted = TriMesh::new(positions, inside_out).unwrap();
    assert!(matches!(refused(inverted), SolidError::Inverted { .. }));
    let flat = TriMesh::from_points(
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0, 1, 2], [0, 2, 1]],
    );
    assert_eq!(refused(flat.unwrap()), SolidError::NoVolume);
}

fn two_shells(inner_faces_out: bool, inner: f64) -> TriMesh {
    let (mut positions, mut faces) = cube().into_parts();
    let (small, small_faces) = generate::cuboid(DVec3::splat(inner), [1; 3])
        .unwrap()
        .into_parts();
    let first = positions.len() as u32;
    positions.extend(small);
    faces.extend(small_faces.iter().map(|&[a, b, c]| {
        let [a, b, c] = [a + first, b + first, c + first];
        if inner_faces_out {
            [a, b, c]
        } else {
            [a, c, b]
        }
    }));
    TriMesh::new(positions, faces).unwrap()
}

#[test]
fn a_hollow_stays_empty_and_a_solid_in_a_solid_is_refused() {
    let hollow = two_shells(false, 0.5);
    let packing = packed(hollow.clone(), &count(60));
    judge(&hollow, &packing);
    assert!(
        packing
            .balls
            .iter()
            .all(|b| b.center.abs().max_element() > 0.25)
    );
    let tree = WideTree::new(Arc::new(two_shells(true, 0.5)));
    assert!(matches!(
        MeshSolid::new(&tree),
        Err(SolidError::Nested { winding: 2, .. })
    ));
}

#[test]
fn a_shell_as_thin_as_paper_is_packed_or_refused_but_never_wrong() {
    let sheet = generate::cuboid(DVec3::new(1.0, 1.0, 1e-2), [1; 3]).unwrap();
    let packing = packed(sheet.clone(), &count(40));
    assert!((packing.balls[0].radius - 5e-3).abs() < 1e-6);
    judge(&sheet, &packing);
    let foil = generate::cuboid(DVec3::new(1.0, 1.0, 1e-7), [1; 3]).unwrap();
    let tree = WideTree::new(Arc::new(foil));
    let solid = MeshSolid::new(&tree).unwrap();
    let options = PackOptions {
        min_radius: Some(2e-2),
        count: None,
        ..PackOptions::default()
    };
    assert!(matches!(
        pack(&solid, &options),
        Err(PackError::NoInterior { .. })
    ));
}

/// A ball with another cut out of it: known by formulas alone.
struct Bowl;

impl Interior for Bowl {
    fn bounds(&self) -> Aabb {
        Aabb {
            min: DVec3::NEG_ONE,
            max: DVec3::ONE,
        }
    }

    fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * (1.0 - 0.125)
    }

    fn closest_point(&self, p: DVec3) -> DVec3 {
        let direction = p.try_normalize().unwrap_or(DVec3::X);
        if p.length() > 0.75 {
            direction
        } else {
            direction * 0.5
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        (0.5..1.0).contains(&p.length())
    }
}

#[test]
fn any_solid_that_knows_its_surface_can_be_packed() {
    let packing = pack_interior(&Bowl, &count(40)).unwrap();
    assert!(packing.check(&Bowl).is_feasible());
    assert!((packing.balls[0].radius - 0.25).abs() < 1e-4);
    assert!((packing.balls[5].radius - 0.25).abs() < 1e-2);
}
