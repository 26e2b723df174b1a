//! Chooses the viewpoint of a picture.

use impinge::DVec3;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache};

use super::picture_content::PictureContent;
use crate::picture;
use crate::render::{TOWARDS_VIEWER, Up};

/// Points of interest that are looked for.
const MAX_SAMPLES: usize = 48;
/// Turns by 15° that are tried, to either side.
const TURNS: usize = 12;
/// Another place must show this many times more than the usual one.
const WORTH_IT: f64 = 1.2;
/// How far a point of interest stands out of the surfaces it lies on, as a share of the scene's size.
const LIFT: f64 = 2e-3;
/// Sine and cosine of 15°.
const TURN: (f64, f64) = (0.258_819_045_102_520_74, 0.965_925_826_289_068_3);

/// A point that should be seen, and perhaps a direction that should not be looked along.
struct ViewSample {
    point: DVec3,
    across: Option<DVec3>,
}

/// Where the viewer stands once z is up: the usual place, or another from which much more is seen of what the picture is
/// about; none when it is about nothing in particular.
pub(crate) fn best(exhibit: &PictureContent, up: Up) -> Option<DVec3> {
    let samples = samples(exhibit);
    if samples.is_empty() {
        return None;
    }
    let mut cache = SingleTreeCache::default();
    let mut best = TOWARDS_VIEWER;
    let mut most = WORTH_IT * seen(exhibit, &samples, up.back(best), &mut cache);
    let (mut left, mut right) = (TOWARDS_VIEWER, TOWARDS_VIEWER);
    for _ in 0..TURNS {
        left = turned(left, TURN.0);
        right = turned(right, -TURN.0);
        for viewer in [left, right] {
            let sum = seen(exhibit, &samples, up.back(viewer), &mut cache);
            // Strictly more: of equal places the nearest to the usual one is taken.
            if sum > most + 1e-9 {
                (best, most) = (viewer, sum);
            }
        }
    }
    Some(best)
}

fn turned(p: DVec3, sine: f64) -> DVec3 {
    DVec3::new(TURN.1 * p.x - sine * p.y, sine * p.x + TURN.1 * p.y, p.z)
}

fn samples(exhibit: &PictureContent) -> Vec<ViewSample> {
    if let Some((point, normal)) = exhibit.touch {
        let across = Some(normal);
        return vec![ViewSample { point, across }];
    }
    if !exhibit.segments.is_empty() && exhibit.pairs.is_empty() {
        let along = |[p, q]: [DVec3; 2]| {
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| ViewSample {
                point: p + (q - p) * t,
                across: (q - p).try_normalize(),
            })
        };
        return exhibit.segments.iter().copied().flat_map(along).collect();
    }
    let step = exhibit.pairs.len().div_ceil(MAX_SAMPLES).max(1);
    let middles = exhibit.pairs.iter().step_by(step).filter_map(|pair| {
        let (of_a, of_b) = (exhibit.a.face(pair.a)?, exhibit.b.face(pair.b)?);
        picture::curve_piece(&of_a, &of_b).map(|[p, q]| 0.5 * (p + q))
    });
    let sample = |point| ViewSample {
        point,
        across: None,
    };
    middles.map(sample).collect()
}

/// How much of the points is seen from a direction.
fn seen(
    exhibit: &PictureContent,
    samples: &[ViewSample],
    towards: DVec3,
    cache: &mut SingleTreeCache,
) -> f64 {
    let towards = towards.normalize_or_zero();
    let [tree_a, tree_b] = &exhibit.rays;
    let back = exhibit.a_from_b.inverse();
    let lift = towards * (LIFT * exhibit.size());
    let mut sum = 0.0;
    for sample in samples {
        let start = sample.point + lift;
        let rays = [
            RayOrSegment::ray(start, towards),
            RayOrSegment::ray(back.transform_point(start), back.transform_vector(towards)),
        ];
        let is_hidden = [tree_a, tree_b]
            .into_iter()
            .zip(&rays)
            .any(|(tree, ray)| ray.as_ref().is_ok_and(|ray| tree.is_hit(ray, cache)));
        if !is_hidden {
            sum += sample
                .across
                .map_or(1.0, |line| towards.cross(line).length());
        }
    }
    sum
}
