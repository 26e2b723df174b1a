//! Boxes of the features of two patches.

use impinge::DVec3;

use super::near::Features;
use super::patch::{Patch, Patches};
use super::springs::Particle;

/// Along which ways, and how far around them, boxes reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxFrame<'p> {
    pub(super) particles: &'p [Particle],
    /// The shift of the frame in which the ways are seen: what all have in common changes no distance.
    pub(super) common: DVec3,
    /// Whether boxes hold the whole way of the substep, not its start alone.
    pub(super) is_swept: bool,
    pub(super) margin: f64,
}

/// The two corners of a box.
type Corners = [DVec3; 2];

impl BoxFrame<'_> {
    fn corners<const N: usize>(&self, numbers: [u32; N]) -> Corners {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for i in numbers {
            let own = &self.particles[i as usize];
            (min, max) = (min.min(own.start), max.max(own.start));
            if self.is_swept {
                let end = own.end() - self.common;
                (min, max) = (min.min(end), max.max(end));
            }
        }
        [min - self.margin, max + self.margin]
    }
}

/// A feature and its box.
#[derive(Clone, Copy, Debug)]
struct FeatureBox<const N: usize> {
    corners: Corners,
    particles: [u32; N],
}

impl<const N: usize> FeatureBox<N> {
    #[inline]
    fn overlaps(&self, [min, max]: &Corners) -> bool {
        let gap = (self.corners[0] - *max).max(*min - self.corners[1]);
        gap.x <= 0.0 && gap.y <= 0.0 && gap.z <= 0.0
    }
}

/// The boxes of a patch's features.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureBoxes {
    vertices: Vec<FeatureBox<1>>,
    edges: Vec<FeatureBox<2>>,
    faces: Vec<FeatureBox<3>>,
}

impl FeatureBoxes {
    /// Visits the features of two patches, or of one and itself, whose boxes overlap and that share no particle.
    pub(super) fn each_pair(
        both: &mut [Self; 2],
        patches: &Patches,
        numbers: [usize; 2],
        frame: &BoxFrame<'_>,
        mut visit: impl FnMut(Features),
    ) {
        let [one, two] = both;
        let [a, b] = numbers.map(|i| &patches.patches[i]);
        if numbers[0] == numbers[1] {
            one.fill(patches, a, frame, [DVec3::NEG_INFINITY, DVec3::INFINITY]);
            pairs_of_kinds(&one.vertices, &one.faces, &mut visit);
            for (at, edge) in one.edges.iter().enumerate() {
                pairs_of_edge(edge, &one.edges[at + 1..], &mut visit);
            }
            return;
        }
        let of_b = patches.particles[b.particles.clone()]
            .iter()
            .map(|i| frame.corners([*i]))
            .reduce(union);
        let Some(of_b) = of_b else {
            return;
        };
        let Some(of_a) = one.fill(patches, a, frame, of_b) else {
            return;
        };
        two.fill(patches, b, frame, of_a);
        pairs_of_kinds(&one.vertices, &two.faces, &mut visit);
        pairs_of_kinds(&two.vertices, &one.faces, &mut visit);
        for edge in &one.edges {
            pairs_of_edge(edge, &two.edges, &mut visit);
        }
    }

    /// Takes the features of a patch that overlap a box, and returns the box of these.
    fn fill(
        &mut self,
        patches: &Patches,
        patch: &Patch,
        frame: &BoxFrame<'_>,
        near: Corners,
    ) -> Option<Corners> {
        let vertices = patches.vertices[patch.vertices.clone()].iter();
        let edges = patches.edges[patch.edges.clone()].iter();
        let faces = patches.faces[patch.faces.clone()].iter();
        let of = [
            take(&mut self.vertices, vertices.map(|v| [*v]), frame, &near),
            take(&mut self.edges, edges.copied(), frame, &near),
            take(&mut self.faces, faces.copied(), frame, &near),
        ];
        of.into_iter().flatten().reduce(union)
    }
}

fn union([min, max]: Corners, [low, high]: Corners) -> Corners {
    [min.min(low), max.max(high)]
}

fn take<const N: usize>(
    boxes: &mut Vec<FeatureBox<N>>,
    features: impl Iterator<Item = [u32; N]>,
    frame: &BoxFrame<'_>,
    near: &Corners,
) -> Option<Corners> {
    boxes.clear();
    let all = features.map(|particles| FeatureBox {
        corners: frame.corners(particles),
        particles,
    });
    boxes.extend(all.filter(|own| own.overlaps(near)));
    boxes.iter().map(|own| own.corners).reduce(union)
}

fn pairs_of_kinds(
    vertices: &[FeatureBox<1>],
    faces: &[FeatureBox<3>],
    visit: &mut impl FnMut(Features),
) {
    for vertex in vertices {
        let [v] = vertex.particles;
        for face in faces {
            let [a, b, c] = face.particles;
            if vertex.overlaps(&face.corners) && v != a && v != b && v != c {
                visit(Features {
                    particles: [v, a, b, c],
                    is_edges: false,
                });
            }
        }
    }
}

fn pairs_of_edge(edge: &FeatureBox<2>, others: &[FeatureBox<2>], visit: &mut impl FnMut(Features)) {
    let [a, b] = edge.particles;
    for other in others {
        let [c, d] = other.particles;
        if edge.overlaps(&other.corners) && a != c && a != d && b != c && b != d {
            visit(Features {
                particles: [a, b, c, d],
                is_edges: true,
            });
        }
    }
}
