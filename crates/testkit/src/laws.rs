//! What must not change an answer, as checks that return the first counterexample.
//!
//! All are equalities: they hold to the bit for placements and changes that are exact, that is
//! for axis rotations and integer coordinates of moderate size.

use std::fmt::Debug;

use impinge::math::Rng;
use impinge::query::{FaceId, FacePair};
use impinge::{Pose, TriMesh};

use crate::generate::grid::shuffled;
use crate::oracle::Triangle;

/// A question about two triangles.
pub type TriangleTest<'a, T> = &'a dyn Fn(&Triangle, &Triangle) -> T;

/// A question about two placed meshes: `pairs(a, b, a_from_b)`, sorted.
pub type MeshTest<'a> = &'a dyn Fn(&TriMesh, &TriMesh, &Pose) -> Vec<FacePair>;

/// Two answers that a law says are equal are not; the sentence names them.
pub type Broken = String;

/// The answer to a triangle question survives swapping, reordering corners, the same exact
/// placement of both, and scaling by powers of two where that is exact.
///
/// # Errors
/// The first law broken. `pose` must place both triangles without rounding.
pub fn triangle_laws<T: PartialEq + Debug>(
    test: TriangleTest<'_, T>,
    a: &Triangle,
    b: &Triangle,
    pose: &Pose,
    rng: &mut Rng,
) -> Result<(), Broken> {
    let expected = test(a, b);
    let same = |law: &str, found: T| {
        if found == expected {
            Ok(())
        } else {
            Err(format!(
                "{law}: {expected:?} became {found:?} for {a:?} {b:?}"
            ))
        }
    };
    same("swap", test(b, a))?;
    same("reorder", test(&shuffled(rng, a), &shuffled(rng, b)))?;
    let place = |t: &Triangle| t.map(|p| pose.transform_point(p));
    same("same pose on both", test(&place(a), &place(b)))?;
    for power in [-40, 40] {
        let factor = 2f64.powi(power);
        let scale = |t: &Triangle| t.map(|p| p * factor);
        // Numbers near the smallest one lose bits when they shrink.
        if [a, b].iter().all(|t| scale(t).map(|p| p / factor) == **t) {
            same("scale", test(&scale(a), &scale(b)))?;
        }
    }
    Ok(())
}

/// The pairs with the roles of a and b exchanged, in order.
fn exchanged(pairs: &[FacePair]) -> Vec<FacePair> {
    let mut pairs: Vec<FacePair> = pairs.iter().map(|p| FacePair { a: p.b, b: p.a }).collect();
    pairs.sort_unstable();
    pairs
}

fn same_pairs(law: &str, expected: &[FacePair], found: &[FacePair]) -> Result<(), Broken> {
    if expected == found {
        return Ok(());
    }
    let odd = expected
        .iter()
        .find(|p| !found.contains(p))
        .or_else(|| found.iter().find(|p| !expected.contains(p)));
    Err(format!(
        "{law}: {} pairs became {}, first difference {odd:?}",
        expected.len(),
        found.len()
    ))
}

/// Exchanging the meshes exchanges the pairs. `a_from_b` must be exact.
///
/// # Errors
/// The difference.
pub fn swap(test: MeshTest<'_>, a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Result<(), Broken> {
    let there = test(a, b, a_from_b);
    let back = test(b, a, &a_from_b.inverse());
    same_pairs("swap", &there, &exchanged(&back))
}

/// Placing both meshes by the same exact pose changes nothing.
///
/// # Errors
/// The difference, or that a placed mesh leaves the allowed range.
pub fn same_pose_on_both(
    test: MeshTest<'_>,
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    world_from_a: &Pose,
) -> Result<(), Broken> {
    let placed = a.placed(world_from_a).map_err(|e| e.to_string())?;
    same_pairs(
        "same pose on both",
        &test(a, b, a_from_b),
        &test(&placed, b, &(*world_from_a * *a_from_b)),
    )
}

/// Scaling everything by 2^power changes nothing.
///
/// # Errors
/// The difference, or that a scaled mesh leaves the allowed range.
pub fn scale(
    test: MeshTest<'_>,
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    power: i32,
) -> Result<(), Broken> {
    let factor = 2f64.powi(power);
    let larger = |m: &TriMesh| {
        TriMesh::new(
            m.positions().iter().map(|&p| p * factor).collect(),
            m.faces().to_vec(),
        )
        .map_err(|e| e.to_string())
    };
    let pose = Pose::new(*a_from_b.rotation(), a_from_b.translation() * factor)
        .map_err(|e| e.to_string())?;
    same_pairs(
        "scale",
        &test(a, b, a_from_b),
        &test(&larger(a)?, &larger(b)?, &pose),
    )
}

/// Reordering the faces, the corners of each and the vertices reorders the pairs, no more.
///
/// # Errors
/// The difference.
pub fn permute(
    test: MeshTest<'_>,
    a: &TriMesh,
    b: &TriMesh,
    a_from_b: &Pose,
    rng: &mut Rng,
) -> Result<(), Broken> {
    let (mixed_a, old_a) = permuted(a, rng)?;
    let (mixed_b, old_b) = permuted(b, rng)?;
    let mut found: Vec<FacePair> = test(&mixed_a, &mixed_b, a_from_b)
        .iter()
        .map(|p| FacePair {
            a: old_a[p.a.index()],
            b: old_b[p.b.index()],
        })
        .collect();
    found.sort_unstable();
    same_pairs("permute", &test(a, b, a_from_b), &found)
}

/// The mesh in another order, and the old id of each new face.
fn permuted(mesh: &TriMesh, rng: &mut Rng) -> Result<(TriMesh, Vec<FaceId>), Broken> {
    let old_vertices = permutation(mesh.vertex_count(), rng);
    let mut new_vertex = vec![0_u32; mesh.vertex_count()];
    for (new, &old) in old_vertices.iter().enumerate() {
        new_vertex[old] = new as u32;
    }
    let old_faces = permutation(mesh.face_count(), rng);
    let faces = old_faces
        .iter()
        .map(|&f| {
            let mut corners = mesh.faces()[f].map(|v| new_vertex[v as usize]);
            corners.rotate_left(rng.below(3) as usize);
            corners
        })
        .collect();
    let positions = old_vertices.iter().map(|&v| mesh.positions()[v]).collect();
    let mixed = TriMesh::new(positions, faces).map_err(|e| e.to_string())?;
    let old = old_faces.iter().map(|&f| FaceId::new(f as u32)).collect();
    Ok((mixed, old))
}

fn permutation(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    order
}

/// Splitting every face of `a` at the middle of its first edge changes only the face numbers:
/// a face meets what its halves meet. Middles must be exact, as on a grid of even integers.
///
/// # Errors
/// The difference.
pub fn split(test: MeshTest<'_>, a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Result<(), Broken> {
    let mut positions = a.positions().to_vec();
    let mut faces = Vec::with_capacity(2 * a.face_count());
    for &[p, q, r] in a.faces() {
        let middle = positions.len() as u32;
        positions.push((positions[p as usize] + positions[q as usize]) * 0.5);
        faces.push([p, middle, r]);
        faces.push([middle, q, r]);
    }
    let halves = TriMesh::new(positions, faces).map_err(|e| e.to_string())?;
    let mut found: Vec<FacePair> = test(&halves, b, a_from_b)
        .iter()
        .map(|p| FacePair {
            a: FaceId::new(p.a.raw() / 2),
            b: p.b,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    same_pairs("split", &test(a, b, a_from_b), &found)
}
