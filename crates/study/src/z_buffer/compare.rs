//! Two solids, drawn and compared.

use std::sync::Arc;

use glam::DVec3;

use super::all_layers::{self, LayeredFragments};
use super::answer::ZBufferAnswer;
use super::closed::is_closed;
use super::config::{Layers, ZBufferConfig};
use super::depth_intervals::{PixelIntervals, PixelSums};
use super::fragment::draw;
use super::single_layer::{self, RenderPass};
use super::two_layers;
use super::viewport::{ViewFrame, Viewport};
use impinge::bound::Aabb;
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{Bounded, Outcome, Verdict};

/// Two solids, ready to be compared at any pose.
///
/// ```
/// use impinge_study::z_buffer::{ZBuffer, ZBufferConfig};
/// use impinge::generate::cuboid;
/// use impinge::{DVec3, Pose};
/// use std::sync::Arc;
/// let cube = Arc::new(cuboid(DVec3::splat(2.0), [1, 1, 1])?);
/// let mut pair = ZBuffer::new(cube.clone(), cube, &ZBufferConfig::default());
/// let overlapping = pair.at(&Pose::from_translation([0.5, 0.5, 1.5])?);
/// assert!(overlapping.overlap.certain && overlapping.overlap.answer);
/// assert!((overlapping.depth.value - 0.5).abs() < 1e-6);
/// assert!(overlapping.volume.lower <= 1.125 && 1.125 <= overlapping.volume.upper);
/// let apart = pair.at(&Pose::from_translation([0.5, 0.5, 2.5])?);
/// assert!(apart.overlap.certain && !apart.overlap.answer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "depth buffer")]
#[doc(alias = "image space")]
pub struct ZBuffer {
    meshes: [Arc<TriMesh>; 2],
    are_closed: [bool; 2],
    config: ZBufferConfig,
    seen: [Vec<DVec3>; 2],
    layered: [LayeredFragments; 2],
    two: [Vec<two_layers::DepthPixel>; 2],
    one: Vec<single_layer::StencilPixel>,
    columns: [PixelIntervals; 2],
    hits: Vec<(f64, i8)>,
}

impl ZBuffer {
    /// The pair of solids that these meshes bound.
    ///
    /// ```
    /// use impinge_study::z_buffer::{ZBuffer, ZBufferConfig};
    /// use impinge::{DVec3, generate::cuboid};
    /// use std::sync::Arc;
    /// let cube = Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let pair = ZBuffer::new(cube.clone(), cube, &ZBufferConfig::default());
    /// assert_eq!(pair.are_closed(), [true; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(a: Arc<TriMesh>, b: Arc<TriMesh>, config: &ZBufferConfig) -> Self {
        Self {
            are_closed: [is_closed(&a), is_closed(&b)],
            meshes: [a, b],
            config: *config,
            seen: Default::default(),
            layered: Default::default(),
            two: Default::default(),
            one: Vec::new(),
            columns: Default::default(),
            hits: Vec::new(),
        }
    }

    /// Whether the meshes bound solids: otherwise an overlap is never certain.
    ///
    /// ```
    /// use impinge_study::z_buffer::{ZBuffer, ZBufferConfig};
    /// use impinge::{DVec3, generate::cuboid};
    /// use std::sync::Arc;
    /// let cube = Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let pair = ZBuffer::new(cube, Arc::default(), &ZBufferConfig::default());
    /// assert!(pair.are_closed()[0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn are_closed(&self) -> [bool; 2] {
        self.are_closed
    }

    /// Compares the depth images at this pose.
    ///
    /// ```
    /// use impinge_study::z_buffer::{ZBuffer, ZBufferConfig};
    /// use impinge::{DVec3, Pose, generate::cuboid};
    /// use std::sync::Arc;
    /// let cube = Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?);
    /// let mut pair = ZBuffer::new(cube.clone(), cube, &ZBufferConfig::default());
    /// assert!(pair.at(&Pose::from_translation([0.5, 0.0, 0.0])?).overlap.answer);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(&mut self, a_from_b: &Pose) -> ZBufferAnswer {
        let frame = ViewFrame::along(self.config.direction);
        let poses = [&Pose::IDENTITY, a_from_b];
        let mut bounds = [Aabb::EMPTY; 2];
        for i in 0..2 {
            let (mesh, seen) = (&self.meshes[i], &mut self.seen[i]);
            seen.clear();
            let positions = mesh.positions().iter();
            seen.extend(positions.map(|&p| frame.see(poses[i].transform_point(p))));
            let corners = mesh.faces().iter().flatten();
            bounds[i] = Aabb::enclosing(corners.map(|&v| seen[v as usize]));
        }
        let Some(window) = Viewport::new(&bounds[0], &bounds[1], &self.config) else {
            return apart();
        };
        match self.config.layers {
            Layers::One => self.one_layer(&window),
            Layers::Two => self.two_layers(&window, &frame),
            Layers::Every => self.every_layer(&window, &frame),
        }
    }

    fn every_layer(&mut self, window: &Viewport, frame: &ViewFrame) -> ZBufferAnswer {
        let mut fragments = 0;
        for i in 0..2 {
            let layered = &mut self.layered[i];
            layered.clear();
            for triangle in triangles(&self.meshes[i], &self.seen[i]) {
                draw(&triangle, window, |fragment| {
                    fragments += 1;
                    layered.push(fragment);
                });
            }
            layered.sort(window.pixels());
        }
        let mut tally = PixelSums::default();
        let [a, b] = &mut self.columns;
        for pixel in 0..window.pixels() {
            let [of_a, of_b] = [&self.layered[0], &self.layered[1]].map(|l| l.pixel(pixel));
            if all_layers::column(of_a, self.are_closed[0], &mut self.hits, a)
                && all_layers::column(of_b, self.are_closed[1], &mut self.hits, b)
            {
                tally.add(pixel as u32, a, b);
            }
        }
        tally.answer(window, frame, fragments)
    }

    fn two_layers(&mut self, window: &Viewport, frame: &ViewFrame) -> ZBufferAnswer {
        let mut fragments = 0;
        for i in 0..2 {
            let cells = &mut self.two[i];
            cells.clear();
            cells.resize(window.pixels(), two_layers::DepthPixel::EMPTY);
            for triangle in triangles(&self.meshes[i], &self.seen[i]) {
                draw(&triangle, window, |fragment| {
                    fragments += 1;
                    cells[fragment.pixel as usize].add(&fragment);
                });
            }
        }
        let mut tally = PixelSums::default();
        let [a, b] = &mut self.columns;
        for (pixel, (of_a, of_b)) in self.two[0].iter().zip(&self.two[1]).enumerate() {
            if of_a.column(self.are_closed[0], a) && of_b.column(self.are_closed[1], b) {
                tally.add(pixel as u32, a, b);
            }
        }
        tally.answer(window, frame, fragments)
    }

    fn one_layer(&mut self, window: &Viewport) -> ZBufferAnswer {
        let cells = &mut self.one;
        cells.clear();
        cells.resize(window.pixels(), single_layer::StencilPixel::EMPTY);
        let mut fragments = 0;
        let mut common_pixels = 0;
        for pass in RenderPass::ALL {
            if pass == RenderPass::FrontOfA {
                common_pixels = cells.iter().filter(|cell| cell.is_drawn()).count() as u64;
            }
            let i = usize::from(!pass.is_of_a());
            for triangle in triangles(&self.meshes[i], &self.seen[i]) {
                draw(&triangle, window, |fragment| {
                    fragments += 1;
                    cells[fragment.pixel as usize].add(pass, &fragment);
                });
            }
        }
        let hits = cells.iter().filter(|cell| cell.is_hit()).count() as u64;
        let confidence = 1.0 - 0.5 / (1.0 + hits as f64);
        ZBufferAnswer {
            overlap: Verdict::likely(hits > 0, confidence),
            volume: unknown(),
            span: unknown(),
            depth: unknown(),
            witness: None,
            pixel: window.pixel,
            common_pixels,
            hits,
            fragments,
        }
    }
}

/// The faces as seen.
fn triangles<'m>(mesh: &'m TriMesh, seen: &'m [DVec3]) -> impl Iterator<Item = [DVec3; 3]> + 'm {
    let faces = mesh.faces().iter();
    faces.map(|face| face.map(|v| seen[v as usize]))
}

/// Of solids whose boxes are apart.
fn apart() -> ZBufferAnswer {
    let none = Bounded {
        value: 0.0,
        lower: 0.0,
        upper: 0.0,
        outcome: Outcome::Complete,
    };
    ZBufferAnswer {
        overlap: Verdict::proven(false),
        volume: none,
        span: none,
        depth: none,
        witness: None,
        pixel: 0.0,
        common_pixels: 0,
        hits: 0,
        fragments: 0,
    }
}

/// Of a single layer: anything.
fn unknown() -> Bounded<f64> {
    Bounded {
        value: 0.0,
        lower: 0.0,
        upper: f64::INFINITY,
        outcome: Outcome::Complete,
    }
}
