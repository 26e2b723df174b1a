//! The colour of a sample.

use impinge::DVec3;

use super::camera::Camera;
use super::colour::Colour;
use super::ground::Ground;
use super::light::Lights;
use super::raster::Soup;
use super::scene::Scene;

const KEY_STRENGTH: f64 = 0.92;
const KEY_TINT: Colour = Colour::hex(0xfff6ea);
const SKY_STRENGTH: f64 = 0.50;
const SKY_TINT: Colour = Colour::hex(0xeef4ff);
/// Light that the ground throws back onto what faces it.
const BOUNCE_STRENGTH: f64 = 0.16;
const GLOSS: f64 = 0.16;
const CARD_TOP: Colour = Colour::hex(0xfaf9f7);
const CARD_BOTTOM: Colour = Colour::hex(0xe9e7e4);
/// How dark the darkest shadow on the ground is.
const GROUND_SHADOW: f64 = 0.62;
const SHADOW_TINT: Colour = Colour::hex(0x8890a4);

/// Half the width of the outline of painted faces, in samples.
const OUTLINE_SAMPLES: f64 = 1.3;
/// What the outline leaves of a face's colour.
const OUTLINE_SHADE: f64 = 0.78;

/// Everything that the colour of a sample depends on.
#[derive(Debug)]
pub(crate) struct Shader<'a> {
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) soup: &'a Soup,
    pub(crate) normals: &'a [[DVec3; 3]],
    pub(crate) lights: &'a Lights,
    pub(crate) camera: &'a Camera,
    pub(crate) towards_key: DVec3,
    /// The ground; none when there is nothing to stand on it.
    pub(crate) ground: Option<&'a Ground>,
    /// Samples per column.
    pub(crate) height: f64,
}

impl Shader<'_> {
    /// The colour where the view through a sample meets a face.
    pub(crate) fn face(&self, face: usize, x: f64, y: f64, subset: usize) -> Colour {
        let ray = self.camera.ray(x, y);
        let [a, b, c] = self.soup.corners(face);
        let (edge_b, edge_c) = (b - a, c - a);
        let flat = edge_b.cross(edge_c);
        let area_sq = flat.length_squared();
        let from_a = self.camera.eye() - a;
        let t = -from_a.dot(flat) / ray.dot(flat);
        let p = if t.is_finite() {
            self.camera.eye() + ray * t
        } else {
            (a + b + c) / 3.0
        };
        let weight_b = (p - a).cross(edge_c).dot(flat) / area_sq;
        let weight_c = edge_b.cross(p - a).dot(flat) / area_sq;
        let [normal_a, normal_b, normal_c] = self.normals[face];
        let smooth =
            normal_a * (1.0 - weight_b - weight_c) + normal_b * weight_b + normal_c * weight_c;
        let to_eye = -ray.normalize_or_zero();
        let face_normal = flat.normalize_or(to_eye);
        let mut normal = smooth.normalize_or(face_normal);
        let (body, own_face) = self.soup.body_of(face);
        let body = &self.scene.bodies[body];
        let mut albedo = body.colour_of(own_face).0;
        if body.is_painted(own_face) {
            let weights = [1.0 - weight_b - weight_c, weight_b, weight_c];
            let sample = self.camera.sample_width(1.0 / t);
            if on_outline([a, b, c], weights, OUTLINE_SAMPLES * sample) {
                albedo *= OUTLINE_SHADE;
            }
        }
        let inside_out = face_normal.dot(to_eye) < 0.0;
        if inside_out {
            normal = -normal;
            // The back of a surface looks like the raw side of cloth.
            albedo = albedo * 0.55 + DVec3::splat(albedo.element_sum() * 0.06);
        }
        let received = self.lights.at(p, normal, subset);
        let bounce = (0.5 - 0.5 * normal.z) * BOUNCE_STRENGTH;
        let light = KEY_TINT.0 * (received.key * KEY_STRENGTH)
            + SKY_TINT.0 * (received.sky * SKY_STRENGTH)
            + CARD_BOTTOM.0 * bounce;
        let halfway = (to_eye + self.towards_key).normalize_or_zero();
        let mut gleam = normal.dot(halfway).max(0.0);
        for _ in 0..5 {
            gleam *= gleam;
        }
        let grazing = 1.0 - normal.dot(to_eye).clamp(0.0, 1.0);
        let rim = grazing * grazing * grazing * grazing * 0.10 * received.sky;
        Colour(albedo * light + DVec3::splat(GLOSS * gleam * received.key_visible + rim))
    }

    /// The colour where the view through a sample meets no face: the card behind the models, darker
    /// where they keep light from the ground.
    pub(crate) fn background(&self, x: f64, y: f64) -> Colour {
        let card = CARD_TOP.towards(CARD_BOTTOM, (y / self.height).clamp(0.0, 1.0));
        let Some(ground) = self.ground else {
            return card;
        };
        let eye = self.camera.eye();
        let ray = self.camera.ray(x, y);
        let t = (ground.level() - eye.z) / ray.z;
        if !(t > 0.0 && t.is_finite()) {
            return card;
        }
        let shade = ground.darkness(eye + ray * t) * GROUND_SHADOW;
        card.towards(Colour(card.0 * SHADOW_TINT.0), shade)
    }
}

/// Whether a point with these barycentric weights is within `width` of an edge, in a face large
/// enough for that to be seen as an outline.
fn on_outline([a, b, c]: [DVec3; 3], weights: [f64; 3], width: f64) -> bool {
    let doubled_area = (b - a).cross(c - a).length();
    let edges = [c - b, a - c, b - a].map(DVec3::length);
    let lowest = doubled_area / edges[0].max(edges[1]).max(edges[2]);
    lowest > 8.0 * width
        && weights
            .iter()
            .zip(edges)
            .any(|(weight, edge)| weight * doubled_area < width * edge)
}
