//! Triangles and boxes.

use super::*;

#[test]
fn triangle_box_decision_equals_exact_clipping_on_the_grid() {
    let mut rng = Rng::new(7);
    let mut met = 0;
    for round in 0..200_000_usize {
        let size = [2, 4, 40][round % 3];
        let t = grid_triangle(&mut rng, size);
        let (p, q) = (
            grid_point(&mut rng, size / 2 + 1),
            grid_point(&mut rng, size / 2 + 1),
        );
        let min: oracle::Point = std::array::from_fn(|k| p[k].min(q[k]));
        let max: oracle::Point = std::array::from_fn(|k| p[k].max(q[k]));
        let truth = oracle::triangle_box(t, min, max);
        let found = triangle_meets_box(&t.map(float), float(min), float(max));
        assert_eq!(found, truth, "{t:?} {min:?} {max:?}");
        met += usize::from(truth);
    }
    assert!((20_000..180_000).contains(&met), "{met}");
}

#[test]
fn triangle_box_decision_equals_the_twelve_triangles_of_the_box_at_any_scale() {
    let mut rng = Rng::new(8);
    for round in 0..20_000 {
        let (center, half) = (rng.cube(), rng.cube().abs() * 0.5);
        let (min, max) = (center - half, center + half);
        let corner = |i: usize| {
            DVec3::new(
                if i & 1 == 0 { min.x } else { max.x },
                if i & 2 == 0 { min.y } else { max.y },
                if i & 4 == 0 { min.z } else { max.z },
            )
        };
        let mut t: [DVec3; 3] = std::array::from_fn(|_| rng.cube() * 1.5);
        if round % 2 == 0 {
            // Nearly touching: the plane of the triangle passes within rounding of a corner.
            let touched = corner(rng.below(8) as usize);
            let (u, v) = (rng.direction(), rng.direction());
            t = [
                touched - u - v,
                touched + u - v * 0.1,
                touched + v - u * 0.1,
            ];
        }
        let inside = t.iter().any(|p| p.cmpge(min).all() && p.cmple(max).all());
        let touches = BOX
            .iter()
            .any(|face| triangles_intersect(&t, &face.map(|v| corner(v as usize))));
        assert_eq!(triangle_meets_box(&t, min, max), inside || touches);
    }
    let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(!triangle_meets_box(&t, DVec3::ONE, DVec3::ZERO));
}
