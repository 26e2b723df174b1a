//! Where light comes from and what it reaches.

use impinge::DVec3;
use rayon::prelude::*;

use super::raster::{Soup, fill_triangle};

/// Faces up to which every light is used.
pub(crate) const FULL_SKY_FACES: usize = 300_000;
/// Samples along each side of a light's depth map.
const MAP_SIDE: usize = 512;
/// Radius around the origin that depth maps cover; the unit frame's scene has radius 1.
const MAP_RADIUS: f64 = 1.01;
/// Sine of the lowest elevation of sky light: light along the ground would draw endless shadows.
const LOWEST_SKY: f64 = 0.12;
/// Radius of the key light's disc on the unit sphere: its shadows are soft by this much.
const KEY_RADIUS: f64 = 0.16;

/// One direction of light with the surface nearest to it.
#[derive(Debug)]
struct DepthMap {
    towards_light: DVec3,
    across: DVec3,
    along: DVec3,
    height: Vec<f32>,
}

impl DepthMap {
    fn new(towards_light: DVec3, soup: &Soup) -> Self {
        let (across, along) = towards_light.any_orthonormal_pair();
        let mut height = vec![f32::NEG_INFINITY; MAP_SIDE * MAP_SIDE];
        let seen: Vec<DVec3> = soup
            .positions
            .iter()
            .map(|p| {
                DVec3::new(
                    to_map(p.dot(across)),
                    to_map(p.dot(along)),
                    p.dot(towards_light),
                )
            })
            .collect();
        for corners in &soup.faces {
            fill_triangle(
                corners.map(|v| seen[v as usize]),
                MAP_SIDE,
                MAP_SIDE,
                |sample, z| {
                    let slot = &mut height[texel(sample % MAP_SIDE, sample / MAP_SIDE)];
                    *slot = slot.max(z as f32);
                },
            );
        }
        Self {
            towards_light,
            across,
            along,
            height,
        }
    }

    /// Whether light arrives at a point, or at least one texel from it towards the light.
    #[inline]
    fn reaches(&self, p: DVec3) -> bool {
        let x = to_map(p.dot(self.across));
        let y = to_map(p.dot(self.along));
        let side = MAP_SIDE as f64;
        if !(x >= 0.0 && x < side && y >= 0.0 && y < side) {
            return true;
        }
        f64::from(self.height[texel(x as usize, y as usize)]) <= p.dot(self.towards_light) + TEXEL
    }
}

fn to_map(coordinate: f64) -> f64 {
    const SCALE: f64 = MAP_SIDE as f64 * 0.5 / MAP_RADIUS;
    coordinate * SCALE + MAP_SIDE as f64 * 0.5
}

/// Where a depth map keeps a sample: blocks of 4 × 4 share a cache line.
fn texel(x: usize, y: usize) -> usize {
    (y / 4 * (MAP_SIDE / 4) + x / 4) * 16 + y % 4 * 4 + x % 4
}

/// The width of a depth map's sample in the unit frame.
const TEXEL: f64 = 2.0 * MAP_RADIUS / MAP_SIDE as f64;

/// The light that arrives at a point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// From the key light, 1 when it shines squarely and unhindered.
    pub(crate) key: f64,
    /// From the sky, 1 when all of it is seen.
    pub(crate) sky: f64,
    /// Share of the key light that is not hidden.
    pub(crate) key_visible: f64,
}

/// A key light and a sky, cut into subsets of which each already looks like the whole.
#[derive(Debug)]
pub(crate) struct Lights {
    key: Vec<DepthMap>,
    sky: Vec<DepthMap>,
    subsets: usize,
}

impl Lights {
    /// The lights for a scene, for pictures with `subsets` samples per pixel.
    pub(crate) fn new(soup: &Soup, towards_key: DVec3, subsets: usize) -> Self {
        let (key_each, sky_each) = if soup.faces.len() <= FULL_SKY_FACES {
            (3, 6)
        } else {
            (1, 2)
        };
        let build = |directions: Vec<DVec3>| {
            directions
                .into_par_iter()
                .map(|direction| DepthMap::new(direction, soup))
                .collect()
        };
        Self {
            key: build(key_directions(towards_key, key_each * subsets)),
            sky: build(sky_directions(sky_each * subsets)),
            subsets,
        }
    }

    /// What a horizontal surface receives from the sky when nothing stands on it.
    pub(crate) fn open_sky(&self) -> f64 {
        1.0 + LOWEST_SKY
    }

    /// How many subsets there are.
    pub(crate) fn subsets(&self) -> usize {
        self.subsets
    }

    /// What a surface point with this unit normal receives from one subset of the lights.
    pub(crate) fn at(&self, p: DVec3, normal: DVec3, subset: usize) -> Received {
        // Off the surface by two depth samples, so that a surface does not shade itself.
        let lifted = p + normal * (2.0 * TEXEL);
        let mut received = Received::default();
        let mine = |maps: &'_ [DepthMap]| maps.len() / self.subsets;
        for map in self.key.iter().skip(subset).step_by(self.subsets) {
            let cosine = normal.dot(map.towards_light);
            if cosine > 0.0 && map.reaches(lifted) {
                received.key_visible += 1.0;
                received.key += cosine;
            }
        }
        for map in self.sky.iter().skip(subset).step_by(self.subsets) {
            let cosine = normal.dot(map.towards_light);
            if cosine > 0.0 && map.reaches(lifted) {
                received.sky += 2.0 * cosine;
            }
        }
        let key_count = mine(&self.key).max(1) as f64;
        received.key /= key_count;
        received.key_visible /= key_count;
        received.sky /= mine(&self.sky).max(1) as f64;
        received
    }
}

/// Successive turns by the golden angle, whose multiples never line up.
fn golden_turns() -> impl Iterator<Item = (f64, f64)> {
    const COSINE: f64 = -0.737_368_878_078_319_8;
    const SINE: f64 = 0.675_490_294_261_523_6;
    std::iter::successors(Some((1.0, 0.0)), |&(c, s): &(f64, f64)| {
        Some((c * COSINE - s * SINE, s * COSINE + c * SINE))
    })
}

fn sky_directions(count: usize) -> Vec<DVec3> {
    golden_turns()
        .take(count)
        .enumerate()
        .map(|(i, (c, s))| {
            let z = LOWEST_SKY + (1.0 - LOWEST_SKY) * (i as f64 + 0.5) / count as f64;
            let flat = (1.0 - z * z).max(0.0).sqrt();
            DVec3::new(flat * c, flat * s, z)
        })
        .collect()
}

fn key_directions(towards_key: DVec3, count: usize) -> Vec<DVec3> {
    let (across, along) = towards_key.any_orthonormal_pair();
    golden_turns()
        .take(count)
        .enumerate()
        .map(|(i, (c, s))| {
            let r = KEY_RADIUS * ((i as f64 + 0.5) / count as f64).sqrt();
            (towards_key + across * (r * c) + along * (r * s)).normalize_or(DVec3::Z)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roof_keeps_the_sky_away() {
        let s = 0.5;
        let soup = Soup {
            positions: vec![
                DVec3::new(-s, -s, 0.0),
                DVec3::new(s, -s, 0.0),
                DVec3::new(s, s, 0.0),
                DVec3::new(-s, s, 0.0),
            ],
            faces: vec![[0, 1, 2], [2, 3, 0]],
            starts: vec![0, 2],
        };
        let lights = Lights::new(&soup, DVec3::Z, 4);
        let above = lights.at(DVec3::Z * 0.05, DVec3::Z, 0);
        let below = lights.at(DVec3::Z * -0.05, DVec3::Z, 0);
        assert!(above.sky > 0.9 && above.key > 0.9);
        assert!(below.sky < 0.1 && below.key < 0.1);
    }
}
