//! All intersecting pairs of faces of a frame, by a plain sweep: the reference for engines.
//!
//! It shares nothing with them but the exact tests of two triangles: boxes in `f64`, one sorted axis, and every pair whose boxes overlap goes to
//! the exact test, without proofs before it.

use impinge::DVec3;
use impinge::deform::{PairKind, Scene, ScenePair};
use impinge::geom::{SharedCorners, adjacent_triangles_intersect, triangles_intersect};
use impinge::query::FaceId;

#[derive(Clone, Copy)]
struct SweepItem {
    min: DVec3,
    max: DVec3,
    face: u32,
}

/// The pairs, sorted, each once.
pub(super) fn all_pairs(scene: &Scene) -> Vec<ScenePair> {
    let (positions, faces) = (scene.positions(), scene.faces());
    let mut items: Vec<SweepItem> = (0..)
        .zip(faces)
        .map(|(face, f)| {
            let [a, b, c] = f.map(|v| positions[v as usize]);
            SweepItem {
                min: a.min(b).min(c),
                max: a.max(b).max(c),
                face,
            }
        })
        .collect();
    let axis = (0..3)
        .min_by_key(|&axis| overlaps(&items, axis))
        .unwrap_or(0);
    items.sort_by(|a, b| a.min[axis].total_cmp(&b.min[axis]));
    let [second, third] = [(axis + 1) % 3, (axis + 2) % 3];
    let objects = scene.objects_of_faces();
    let mut pairs = Vec::new();
    for (i, one) in items.iter().enumerate() {
        for two in &items[i + 1..] {
            if two.min[axis] > one.max[axis] {
                break;
            }
            if two.min[second] > one.max[second]
                || two.max[second] < one.min[second]
                || two.min[third] > one.max[third]
                || two.max[third] < one.min[third]
            {
                continue;
            }
            let [a, b] = [one.face.min(two.face), one.face.max(two.face)];
            if !meet(positions, faces[a as usize], faces[b as usize]) {
                continue;
            }
            let is_own = objects[a as usize] == objects[b as usize];
            pairs.push(ScenePair {
                a: FaceId::new(a),
                b: FaceId::new(b),
                kind: if is_own {
                    PairKind::Within
                } else {
                    PairKind::Between
                },
            });
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs of intervals that overlap along an axis.
fn overlaps(items: &[SweepItem], axis: usize) -> u64 {
    let mut starts: Vec<f64> = items.iter().map(|item| item.min[axis]).collect();
    starts.sort_by(f64::total_cmp);
    // Each finds itself, two that overlap find each other, and of two that do not the later finds the earlier.
    let before: u64 = items
        .iter()
        .map(|item| starts.partition_point(|&x| x <= item.max[axis]) as u64)
        .sum();
    let n = items.len() as u64;
    before - n * (n + 1) / 2
}

fn meet(positions: &[DVec3], face_a: [u32; 3], face_b: [u32; 3]) -> bool {
    let [a, b] = [face_a, face_b].map(|face| face.map(|v| positions[v as usize]));
    let shared = SharedCorners::by_index(face_a, face_b);
    match shared.pairs().len() {
        0 => triangles_intersect(&a, &b),
        1 | 2 => adjacent_triangles_intersect(&a, &b, &shared),
        // The same face twice.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::deform::{BruteForce, SceneEngine, SceneRequest};
    use impinge::math::Rng;

    #[test]
    fn the_sweep_finds_what_comparing_every_pair_finds() {
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            let vertices = 4 + rng.below(60);
            let positions: Vec<DVec3> = (0..vertices)
                .map(|_| {
                    // On a grid, so that touching, flat and equal faces are common.
                    DVec3::new(rng.grid(-3, 3), rng.grid(-3, 3), rng.grid(-1, 1))
                })
                .collect();
            let mut faces = Vec::new();
            while faces.len() < 80 {
                let face = [0; 3].map(|_| rng.below(vertices) as u32);
                if face[0] != face[1] && face[1] != face[2] && face[2] != face[0] {
                    faces.push(face);
                }
            }
            let objects = (0..80).map(|face| face % 3).collect();
            let scene = Scene::from_parts(positions, faces, objects).unwrap();
            let answer = BruteForce::default().pairs(&scene, &SceneRequest::default());
            assert!(!answer.pairs.is_empty());
            assert_eq!(all_pairs(&scene), answer.pairs, "seed {seed}");
        }
    }

    #[test]
    fn overlaps_are_counted_once() {
        let item = |from: f64, to: f64| SweepItem {
            min: DVec3::splat(from),
            max: DVec3::splat(to),
            face: 0,
        };
        let items = [
            item(0.0, 2.0),
            item(1.0, 3.0),
            item(2.0, 2.0),
            item(4.0, 5.0),
            item(1.0, 1.0),
        ];
        // 0 with 1, 2, 4; 1 with 2, 4.
        assert_eq!(overlaps(&items, 0), 5);
    }
}
