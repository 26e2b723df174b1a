//! Checks of a stroke: faces must not crumple, and the clay must not intersect itself.

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::deform::{RefitBvhEngine, Scene, SceneEngine, SceneRequest};

use super::clay::{Clay, area_vector};

/// Twice a face's area by the square of its longest edge, at least; 0.87 for an equal-sided one.
const LEAST_SHAPE: f64 = 0.02;
/// Cosine of the angle between the normals of two faces at an edge, at least: less is a fold.
const LEAST_COSINE: f64 = -0.6;
/// Rounds of relaxation after a displacement.
const RELAXATIONS: usize = 1;
/// How far a vertex goes towards the middle of its neighbours in a round.
const RELAXATION: f64 = 0.3;

/// Whether one of the faces is crumpled: thinner than allowed, or folded against a neighbour, and
/// more so than it was with its vertices at `before`.
pub(super) fn is_crumpled(clay: &Clay, faces: &[u32], before: &[DVec3]) -> bool {
    let now = |face: u32| clay.faces()[face as usize].map(|v| clay.positions()[v as usize]);
    let then = |face: u32| clay.faces()[face as usize].map(|v| before[v as usize]);
    faces.iter().any(|&face| {
        let corners = now(face);
        let shape = shape_of(&corners);
        let is_wide = shape >= LEAST_SHAPE;
        // A face without area has no shape that could be better than before.
        let is_better = shape > 0.0 && shape >= shape_of(&then(face));
        if !is_wide && !is_better {
            return true;
        }
        (0..3).any(|k| {
            let Some(other) = clay.neighbour(face, k) else {
                return false;
            };
            let fold = cosine(&corners, &now(other));
            fold < LEAST_COSINE && fold < cosine(&then(face), &then(other))
        })
    })
}

fn shape_of(corners: &[DVec3; 3]) -> f64 {
    let &[a, b, c] = corners;
    let sides = [
        a.distance_squared(b),
        b.distance_squared(c),
        c.distance_squared(a),
    ];
    let longest = sides.into_iter().fold(0.0, f64::max);
    area_vector(corners).length() / longest
}

fn cosine(one: &[DVec3; 3], two: &[DVec3; 3]) -> f64 {
    let [n, m] = [one, two].map(|corners| area_vector(corners).normalize_or_zero());
    n.dot(m)
}

/// Moves vertices towards the middle of their neighbours, along the surface: faces that were pulled
/// or squeezed get their shape back.
pub(super) fn relax(clay: &mut Clay, vertices: &[u32]) {
    for _ in 0..RELAXATIONS {
        let moves: Vec<(u32, DVec3)> = vertices
            .iter()
            .map(|&vertex| {
                let mut sum = DVec3::ZERO;
                let mut count = 0.0;
                for &face in clay.faces_around(vertex) {
                    for v in clay.faces()[face as usize] {
                        if v != vertex {
                            sum += clay.positions()[v as usize];
                            count += 1.0;
                        }
                    }
                }
                let place = clay.positions()[vertex as usize];
                let normal = clay.vertex_normals()[vertex as usize];
                let towards = sum / f64::max(count, 1.0) - place;
                (
                    vertex,
                    place + (towards - normal * towards.dot(normal)) * RELAXATION,
                )
            })
            .collect();
        clay.place(&moves);
    }
}

/// Finds self-intersections near what has changed.
#[derive(Debug, Default)]
pub(super) struct SelfCollision {
    engine: RefitBvhEngine,
    local: Vec<u32>,
}

impl SelfCollision {
    /// Whether one of the faces meets any face of the clay beyond what they share.
    ///
    /// The scene that is searched has the faces whose boxes overlap the box around those that
    /// changed; no other can meet them.
    pub(super) fn any(&mut self, clay: &Clay, changed: &[u32]) -> bool {
        let boxes = clay.face_boxes();
        let zone = changed
            .iter()
            .fold(Aabb::EMPTY, |zone, &face| zone.union(&boxes[face as usize]));
        self.local.clear();
        self.local.resize(clay.positions().len(), u32::MAX);
        let mut positions = Vec::new();
        let mut faces: Vec<[u32; 3]> = Vec::new();
        for (corners, bounds) in clay.faces().iter().zip(boxes) {
            if !bounds.overlaps(&zone) {
                continue;
            }
            faces.push(corners.map(|v| {
                let local = &mut self.local[v as usize];
                if *local == u32::MAX {
                    *local = positions.len() as u32;
                    positions.push(clay.positions()[v as usize]);
                }
                *local
            }));
        }
        let objects = vec![0; faces.len()];
        let request = SceneRequest {
            between: false,
            parallel: false,
            ..SceneRequest::default()
        };
        match Scene::from_parts(positions, faces, objects) {
            Ok(scene) => self.engine.any(&scene, &request),
            // Vertices and faces are those of the clay, which were checked.
            Err(_) => true,
        }
    }
}
