//! Depth images as an engine for pairs of faces.
//!
//! **Question.** Which faces of two placed meshes may share a point, at the resolution of pixels?
//! **Idea.** Faces that share a point share a pixel and a depth in it. So both meshes are
//! rasterised, and the pairs of faces with a common depth in a common pixel are reported.
//! **Source.** The drawing is that of the module; as an engine for pairs of faces it is ours.
//! **Cost.** One step for each face and pixel it touches, and one for each pair of faces in a pixel.
//! **Promise.** Every pair that shares a point is reported. A reported pair is nowhere farther apart than the diagonal of a pixel, up to
//! rounding: the part of a face in a pixel is convex, so that at a common depth each face has a point in the pixel's square.
//! **Limits.** Surfaces only: containment is not an intersection.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::config::ZBufferConfig;
use super::fragment::draw;
use super::viewport::{ViewFrame, Viewport};
use impinge::bound::Aabb;
use impinge::bvh::{MeshIndex, Violation};
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FaceId, FacePair, Limits, Outcome, Sink, Work};

/// Faces drawn or pixels compared between two checks of [`Limits::stop`].
const STEPS_PER_LOOK: usize = 256;

/// Pairs found, many of them in several pixels, before repeats are dropped for the first time.
const FIRST_SIFTING: usize = 1 << 16;

/// A mesh whose faces are compared in pixels: it reports every pair of faces that meet, and others that are
/// about a pixel apart.
///
/// ```
/// use impinge_study::z_buffer::{ZBufferConfig, ZBufferFaces};
/// use impinge::bvh::MeshIndex;
/// use impinge::{Pose, generate::icosphere, query::{Count, Limits}};
/// use std::sync::Arc;
/// let ball = Arc::new(icosphere(1.0, 8)?);
/// let pairs = |resolution: u32| -> Result<u64, impinge::PoseError> {
///     let index = ZBufferFaces::build(ball.clone(), &ZBufferConfig { resolution, ..Default::default() });
///     let (pose, mut count) = (Pose::from_translation([1.0, 0.0, 0.0])?, Count::default());
///     let _ = index.intersections(&index, &pose, Limits::default(), &mut Default::default(), &mut count);
///     Ok(count.0)
/// };
/// assert!(pairs(256)? < pairs(16)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "depth buffer")]
#[doc(alias = "image space")]
pub struct ZBufferFaces {
    mesh: Arc<TriMesh>,
    config: ZBufferConfig,
}

/// Scratch memory of [`ZBufferFaces`], and the work done for the last query.
#[derive(Clone, Debug, Default)]
pub struct ZBufferCache {
    seen: [Vec<DVec3>; 2],
    drawn: [Vec<PixelFace>; 2],
    pairs: Vec<FacePair>,
    pixel: f64,
    work: Work,
}

impl ZBufferCache {
    /// The side of a pixel in the last query; 0 when nothing was drawn.
    ///
    /// ```
    /// use impinge_study::z_buffer::ZBufferCache;
    /// assert_eq!(ZBufferCache::default().pixel(), 0.0);
    /// ```
    #[must_use]
    pub fn pixel(&self) -> f64 {
        self.pixel
    }
}

/// A face in a pixel.
#[derive(Clone, Copy, Debug)]
struct PixelFace {
    pixel: u32,
    face: u32,
    low: f64,
    high: f64,
}

impl ZBufferFaces {
    /// Bytes taken, the mesh not counted.
    ///
    /// ```
    /// use impinge::bvh::MeshIndex;
    /// use impinge_study::z_buffer::ZBufferFaces;
    /// let index = ZBufferFaces::build(Default::default(), &Default::default());
    /// assert!(index.bytes() < 100);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<ZBufferConfig>()
    }

    fn draw_both(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: &Limits<'_>,
        cache: &mut ZBufferCache,
    ) -> ControlFlow<Outcome> {
        let frame = ViewFrame::along(self.config.direction);
        let sides = [
            (&self.mesh, &Pose::IDENTITY),
            (&other.mesh, self_from_other),
        ];
        let mut bounds = [Aabb::EMPTY; 2];
        for (k, (mesh, pose)) in sides.into_iter().enumerate() {
            let seen = &mut cache.seen[k];
            seen.clear();
            let positions = mesh.positions().iter();
            seen.extend(positions.map(|&p| frame.see(pose.transform_point(p))));
            let corners = mesh.faces().iter().flatten();
            bounds[k] = Aabb::enclosing(corners.map(|&v| seen[v as usize]));
        }
        let Some(window) = Viewport::new(&bounds[0], &bounds[1], &self.config) else {
            return ControlFlow::Break(Outcome::Complete);
        };
        cache.pixel = window.pixel;
        for (k, (mesh, _)) in sides.into_iter().enumerate() {
            let (seen, drawn) = (&cache.seen[k], &mut cache.drawn[k]);
            for (number, (face, id)) in mesh.faces().iter().zip(0_u32..).enumerate() {
                let is_out = !limits.allows(cache.work.tests())
                    || (number.is_multiple_of(STEPS_PER_LOOK) && limits.is_stopped());
                if is_out {
                    return ControlFlow::Break(Outcome::OutOfBudget);
                }
                let before = drawn.len();
                draw(&face.map(|v| seen[v as usize]), &window, |fragment| {
                    drawn.push(PixelFace {
                        pixel: fragment.pixel,
                        face: id,
                        low: fragment.low,
                        high: fragment.high,
                    });
                });
                cache.work.volume_tests += (drawn.len() - before) as u64;
            }
            drawn.sort_unstable_by(|x, y| {
                let by_depth = || x.low.total_cmp(&y.low).then(x.face.cmp(&y.face));
                x.pixel.cmp(&y.pixel).then_with(by_depth)
            });
        }
        ControlFlow::Continue(())
    }
}

/// Fills in the pairs of faces that have a common depth in a common pixel, ascending.
fn compare(limits: &Limits<'_>, cache: &mut ZBufferCache) -> ControlFlow<Outcome> {
    let [drawn_a, drawn_b] = &cache.drawn;
    let (mut a, mut b) = (drawn_a.as_slice(), drawn_b.as_slice());
    let mut sift_at = FIRST_SIFTING;
    let mut pixels = 0_usize;
    while let (Some(first_a), Some(first_b)) = (a.first(), b.first()) {
        let pixel = first_a.pixel.max(first_b.pixel);
        a = &a[a.partition_point(|d| d.pixel < pixel)..];
        b = &b[b.partition_point(|d| d.pixel < pixel)..];
        let here_a = &a[..a.partition_point(|d| d.pixel == pixel)];
        let here_b = &b[..b.partition_point(|d| d.pixel == pixel)];
        for of_a in here_a {
            for of_b in here_b.iter().take_while(|d| d.low <= of_a.high) {
                cache.work.face_tests += 1;
                if of_b.high >= of_a.low {
                    cache.pairs.push(FacePair {
                        a: FaceId::new(of_a.face),
                        b: FaceId::new(of_b.face),
                    });
                }
            }
            if cache.pairs.len() >= sift_at {
                cache.pairs.sort_unstable();
                cache.pairs.dedup();
                sift_at = sift_at.max(2 * cache.pairs.len());
            }
            if !limits.allows(cache.work.tests()) {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
        }
        (a, b) = (&a[here_a.len()..], &b[here_b.len()..]);
        pixels += 1;
        if pixels.is_multiple_of(STEPS_PER_LOOK) && limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
    }
    cache.pairs.sort_unstable();
    cache.pairs.dedup();
    ControlFlow::Continue(())
}

impl MeshIndex for ZBufferFaces {
    type Config = ZBufferConfig;
    type Cache = ZBufferCache;
    const NAME: &'static str = "z-buffer";

    fn build(mesh: Arc<TriMesh>, config: &ZBufferConfig) -> Self {
        Self {
            mesh,
            config: *config,
        }
    }

    fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// Reports in the order of the faces. Where a limit is met nothing is reported: which pairs come first is known last.
    fn intersections(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut ZBufferCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.work = Work::default();
        cache.pixel = 0.0;
        cache.pairs.clear();
        cache.drawn.iter_mut().for_each(Vec::clear);
        if self.mesh.is_empty() || other.mesh.is_empty() {
            return Outcome::Complete;
        }
        if let ControlFlow::Break(outcome) = self.draw_both(other, self_from_other, &limits, cache)
        {
            return outcome;
        }
        if let ControlFlow::Break(outcome) = compare(&limits, cache) {
            return outcome;
        }
        for &pair in &cache.pairs {
            if sink.accept(pair).is_break() {
                return Outcome::StoppedBySink;
            }
        }
        Outcome::Complete
    }

    fn work(cache: &ZBufferCache) -> Work {
        cache.work
    }

    fn validate(&self) -> Result<(), Violation> {
        Ok(())
    }
}
