//! What a wrap promises, checked face by face.
//!
//! Closed, manifold and outward by the topology of the mesh; no self-intersection and no contact
//! with the input by exact tests of all pairs of faces; containment by exact point location; the
//! distance by branch and bound over each face, so that the figure bounds every point and not only
//! samples.

use std::sync::Arc;

use impinge::bvh::Solid;
use impinge::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use impinge::mesh::classify;
use impinge::mesh::point_in_mesh::Location;
use impinge::query::{Count, Limits};
use impinge::{DVec3, Pose, TriMesh};

/// How often a face is quartered to bound its distance.
const MAX_DEPTH: u32 = 12;

/// What was found about a wrap that keeps its promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrapFacts {
    /// Points of the input that were located inside.
    pub located: usize,
    /// The largest distance from the input that a point of the wrap was seen to have.
    pub farthest_seen: f64,
}

/// The facts about a wrap, or the first promise that it breaks; `offset` is not checked when gaps
/// were closed.
///
/// # Errors
/// A sentence that names the promise.
///
/// ```
/// use impinge::generate::icosphere;
/// use std::sync::Arc;
/// let [small, large] = [1.0, 1.1].map(|radius| Arc::new(icosphere(radius, 8).unwrap()));
/// assert!(impinge_testkit::wraps::check(&small, &large, Some(0.2)).is_ok());
/// assert!(impinge_testkit::wraps::check(&small, &large, Some(0.05)).is_err());
/// assert!(impinge_testkit::wraps::check(&large, &small, Some(0.2)).is_err());
/// ```
pub fn check(
    input: &Arc<TriMesh>,
    wrap: &Arc<TriMesh>,
    offset: Option<f64>,
) -> Result<WrapFacts, String> {
    let class = classify(wrap);
    if !class.closed || !class.is_manifold() {
        return Err(format!("not a closed manifold: {class:?}"));
    }
    if !class.oriented || !class.outward {
        return Err(format!("not facing outward: {class:?}"));
    }
    let around = WideTree::new(Arc::clone(wrap));
    let mut cache = WideCache::default();
    let mut crossings = Count::default();
    let _ = around.self_intersections(
        &Default::default(),
        Limits::default(),
        &mut cache,
        &mut crossings,
    );
    if crossings.0 > 0 {
        return Err(format!("{} self-intersections", crossings.0));
    }
    let inside = WideTree::new(Arc::clone(input));
    if around.intersects(&inside, &Pose::IDENTITY, &mut cache) {
        return Err("the wrap touches the input".to_owned());
    }
    let solid = Solid::closed(&around).map_err(|error| error.to_string())?;
    let samples = samples(input);
    let places = solid
        .locate_all(&samples)
        .map_err(|error| error.to_string())?;
    if let Some(i) = places.iter().position(|place| *place != Location::Inside) {
        return Err(format!("{} of the input is {:?}", samples[i], places[i]));
    }
    let farthest_seen = match offset {
        Some(offset) => farthest(wrap, &inside, offset)?,
        None => 0.0,
    };
    Ok(WrapFacts {
        located: samples.len(),
        farthest_seen,
    })
}

/// The corners, the middles of edges and the centre of each face.
fn samples(mesh: &TriMesh) -> Vec<DVec3> {
    let mut points = Vec::with_capacity(7 * mesh.face_count());
    for [a, b, c] in mesh.triangles() {
        points.extend([a, b, c]);
        points.extend([a.midpoint(b), b.midpoint(c), c.midpoint(a)]);
        points.push((a + b + c) / 3.0);
    }
    points
}

/// The largest distance seen, or the point that is too far or cannot be bounded.
fn farthest(wrap: &TriMesh, input: &WideTree, offset: f64) -> Result<f64, String> {
    let mut cache = SingleTreeCache::default();
    let mut seen = 0.0_f64;
    let mut stack = Vec::new();
    for triangle in wrap.triangles() {
        stack.push((triangle, 0));
        while let Some((triangle, depth)) = stack.pop() {
            let [a, b, c] = triangle;
            let centre = (a + b + c) / 3.0;
            let found = input
                .closest_face(centre, Limits::default(), &mut cache)
                .map_err(|error| error.to_string())?;
            seen = seen.max(found.upper);
            if found.lower > offset {
                return Err(format!("{centre} is {} away, not {offset}", found.lower));
            }
            // The distance changes by no more than the way.
            let radius = triangle.iter().map(|p| p.distance(centre));
            if found.upper + radius.fold(0.0, f64::max) * (1.0 + 1e-12) <= offset {
                continue;
            }
            if depth == MAX_DEPTH {
                return Err(format!("the distance of {centre} is not below {offset}"));
            }
            let [ab, bc, ca] = [a.midpoint(b), b.midpoint(c), c.midpoint(a)];
            for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
                stack.push((part, depth + 1));
            }
        }
    }
    Ok(seen)
}
