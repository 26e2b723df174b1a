//! From a scene to a PNG file.

use std::io::{self, Write};
use std::path::Path;

use impinge::DVec3;
use rayon::prelude::*;

use super::Colour;
use super::camera::Camera;
use super::ground::Ground;
use super::light::Lights;
use super::normals::corner_normals;
use super::overlay::Overlay;
use super::raster::{NOTHING, Soup, visible_faces};
use super::scene::{Scene, UnitFrame};
use super::shade::Shader;
use crate::atomic_file;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;
/// Where the viewer stands unless the scene says otherwise.
pub(crate) const TOWARDS_VIEWER: DVec3 = DVec3::new(0.62, -1.0, 0.52);
/// Side of the squares of pixels drawn together, so that they share the parts of the depth maps they
/// look at.
const TILE: usize = 16;
/// Radius of the picture's rounded corners, as a share of its height.
const CORNER_RADIUS: f64 = 0.03;

/// A picture with an alpha channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Image {
    /// Writes the picture as a PNG file.
    pub(crate) fn save(&self, path: &Path) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes)?;
        atomic_file::write(path, &bytes)
    }

    /// Writes the bytes of a PNG file.
    pub(crate) fn encode(&self, sink: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(sink, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        writer.finish()?;
        Ok(())
    }
}

/// The picture of a scene, on a light card with rounded, transparent corners.
pub(crate) fn draw(scene: &Scene<'_>, width: usize, height: usize) -> Image {
    let frame = UnitFrame::of(scene);
    let soup = gather(scene, &frame);
    let viewer = scene.towards_viewer.unwrap_or(TOWARDS_VIEWER);
    let (fine_width, fine_height) = (width * SAMPLES, height * SAMPLES);
    let used = soup
        .faces
        .iter()
        .flatten()
        .map(|&v| soup.positions[v as usize]);
    let lowest = used.clone().map(|p| p.z).reduce(f64::min);
    let camera = Camera::framing(used, viewer, fine_width, fine_height);
    let visible = visible_faces(&soup, &camera, fine_width, fine_height);
    let normals = corner_normals(&soup);
    let towards_key = key_direction(viewer);
    let lights = Lights::new(&soup, towards_key, SAMPLES * SAMPLES);
    let ground = lowest.map(|level| Ground::new(level, &lights, towards_key.z));
    let overlay = Overlay::new(&scene.strokes, &frame, &camera, &visible);
    let shader = Shader {
        scene,
        soup: &soup,
        normals: &normals,
        lights: &lights,
        camera: &camera,
        towards_key,
        ground: ground.as_ref(),
        height: fine_height as f64,
    };

    let pixel = |column: usize, row: usize| {
        let mut sum = DVec3::ZERO;
        for subset in 0..SAMPLES * SAMPLES {
            let fine_row = row * SAMPLES + subset / SAMPLES;
            let fine_column = column * SAMPLES + subset % SAMPLES;
            let (x, y) = (fine_column as f64 + 0.5, fine_row as f64 + 0.5);
            let sample = fine_row * fine_width + fine_column;
            let below = match visible.face[sample] {
                NOTHING => shader.background(x, y),
                face => shader.face(face as usize, x, y, subset),
            };
            // Clamped before averaging, or a gleam would eat the edge beside it.
            let colour = overlay.apply(sample, below).0;
            sum += colour.clamp(DVec3::ZERO, DVec3::ONE);
        }
        let [r, g, b] = Colour(sum / (SAMPLES * SAMPLES) as f64).display();
        [r, g, b, card_alpha(column, row, width, height)]
    };
    let mut rgba = vec![0_u8; 4 * width * height];
    rgba.par_chunks_mut(4 * width * TILE)
        .enumerate()
        .for_each(|(band, bytes)| {
            let rows = bytes.len() / (4 * width);
            for left in (0..width).step_by(TILE) {
                for row in 0..rows {
                    for column in left..(left + TILE).min(width) {
                        let at = 4 * (row * width + column);
                        bytes[at..at + 4].copy_from_slice(&pixel(column, band * TILE + row));
                    }
                }
            }
        });
    Image {
        width,
        height,
        rgba,
    }
}

/// The key light: over the viewer's left shoulder.
fn key_direction(towards_viewer: DVec3) -> DVec3 {
    let forward = -towards_viewer.normalize_or(DVec3::NEG_Y);
    let right = forward.cross(DVec3::Z).normalize_or(DVec3::X);
    (right * -0.75 - forward * 0.45 + DVec3::Z * 1.15).normalize_or(DVec3::Z)
}

fn gather(scene: &Scene<'_>, frame: &UnitFrame) -> Soup {
    let mut soup = Soup::default();
    for body in &scene.bodies {
        let offset = soup.positions.len() as u32;
        soup.starts.push(soup.faces.len());
        soup.positions
            .extend(body.mesh.positions().iter().map(|&p| frame.apply(p)));
        soup.faces
            .extend(body.mesh.faces().iter().map(|f| f.map(|v| v + offset)));
    }
    soup.starts.push(soup.faces.len());
    soup
}

fn card_alpha(column: usize, row: usize, width: usize, height: usize) -> u8 {
    let radius = CORNER_RADIUS * height as f64;
    let inward = |position: usize, end: usize| {
        let centre = position as f64 + 0.5;
        (radius - centre.min(end as f64 - centre)).max(0.0)
    };
    let (x, y) = (inward(column, width), inward(row, height));
    let coverage = (radius - (x * x + y * y).sqrt() + 0.5).clamp(0.0, 1.0);
    (coverage * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Body, Colour, Stroke};
    use impinge::TriMesh;

    fn tetrahedron(scale: f64) -> TriMesh {
        TriMesh::from_points(
            [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(|p| p.map(|x| x * scale)),
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        )
        .unwrap()
    }

    #[test]
    fn the_same_scene_gives_the_same_bytes_and_size_does_not_matter() {
        let picture = |scale: f64| {
            let mesh = tetrahedron(scale);
            let scene = Scene {
                bodies: vec![Body::new(&mesh, Colour::hex(0x4477aa))],
                strokes: vec![Stroke {
                    ends: [DVec3::ZERO, DVec3::splat(scale)],
                    colour: Colour::hex(0xff0000),
                    radius: 0.01,
                    behind: Stroke::FAINT,
                }],
                ..Scene::default()
            };
            draw(&scene, 90, 60)
        };
        let one = picture(1.0);
        assert_eq!(one, picture(1.0));
        // Powers of two scale exactly.
        assert_eq!(one, picture(2.0_f64.powi(100)));
        let mut bytes = Vec::new();
        one.encode(&mut bytes).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
    }

    #[test]
    fn an_empty_scene_and_a_single_point_are_drawn() {
        let nothing = TriMesh::default();
        let point = TriMesh::from_points([[5.0, 5.0, 5.0]], [[0, 0, 0]]).unwrap();
        let scene = Scene {
            bodies: vec![
                Body::new(&nothing, Colour::hex(0)),
                Body::new(&point, Colour::hex(0)),
            ],
            ..Scene::default()
        };
        assert_eq!(draw(&scene, 16, 8).rgba.len(), 16 * 8 * 4);
        assert_eq!(draw(&Scene::default(), 16, 8).rgba.len(), 16 * 8 * 4);
    }
}
