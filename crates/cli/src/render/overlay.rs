//! Lines and dots over the surfaces.

use super::Colour;
use super::camera::Camera;
use super::raster::Visible;
use super::scene::{Stroke, UnitFrame};

/// What strokes do to each sample.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// Number of the stroke's colour plus 1 (hidden strokes: negative), 0 for none.
    mark: Vec<i16>,
    /// Colours, each with how much of it shows through a surface.
    colours: Vec<(Colour, f64)>,
}

impl Overlay {
    /// The strokes as the camera sees them; visible ones lie over hidden ones.
    pub(crate) fn new(
        strokes: &[Stroke],
        frame: &UnitFrame,
        camera: &Camera,
        visible: &Visible,
    ) -> Self {
        let mut overlay = Self {
            mark: vec![0; visible.face.len()],
            colours: Vec::new(),
        };
        let height = visible.face.len() / visible.width.max(1);
        for stroke in strokes {
            let number = overlay.colour_number((stroke.colour, stroke.behind));
            let [Some(p), Some(q)] = stroke.ends.map(|end| camera.project(frame.apply(end))) else {
                continue;
            };
            let radius = stroke.radius * height as f64;
            let columns = span(p.x, q.x, radius, visible.width);
            for row in span(p.y, q.y, radius, height) {
                for column in columns.clone() {
                    let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                    let (dx, dy) = (q.x - p.x, q.y - p.y);
                    let length_sq = dx * dx + dy * dy;
                    let t = if length_sq > 0.0 {
                        (((x - p.x) * dx + (y - p.y) * dy) / length_sq).clamp(0.0, 1.0)
                    } else {
                        0.0
                    };
                    let (gap_x, gap_y) = (x - p.x - t * dx, y - p.y - t * dy);
                    if gap_x * gap_x + gap_y * gap_y > radius * radius {
                        continue;
                    }
                    let sample = row * visible.width + column;
                    let nearness = p.nearness + t * (q.nearness - p.nearness);
                    // A stroke lies in a surface: it stands out by its own width.
                    let lift = 2.5 * radius * camera.sample_width(nearness);
                    let depth = 1.0 / nearness - lift;
                    let hidden = f64::from(visible.nearness[sample]) * depth > 1.0;
                    let mark = &mut overlay.mark[sample];
                    if !hidden {
                        *mark = number;
                    } else if *mark <= 0 {
                        *mark = -number;
                    }
                }
            }
        }
        overlay
    }

    /// The colour of a sample after the strokes.
    pub(crate) fn apply(&self, sample: usize, below: Colour) -> Colour {
        let mark = self.mark[sample];
        match self
            .colours
            .get((mark.unsigned_abs() as usize).wrapping_sub(1))
        {
            Some(&(colour, _)) if mark > 0 => colour,
            Some(&(colour, share)) => below.towards(colour, share),
            None => below,
        }
    }

    fn colour_number(&mut self, colour: (Colour, f64)) -> i16 {
        let index = match self.colours.iter().position(|&known| known == colour) {
            Some(index) => index,
            None if self.colours.len() < 1000 => {
                self.colours.push(colour);
                self.colours.len() - 1
            }
            None => 0,
        };
        index as i16 + 1
    }
}

/// The samples whose centres may be within `radius` of the range from `one` to `other`.
fn span(one: f64, other: f64, radius: f64, end: usize) -> std::ops::Range<usize> {
    let low = (one.min(other) - radius - 0.5).max(0.0);
    let high = (one.max(other) + radius + 1.0).min(end as f64);
    if low < high {
        low as usize..high as usize
    } else {
        0..0
    }
}
