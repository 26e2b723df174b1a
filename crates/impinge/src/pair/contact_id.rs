//! Contact ids that persist from frame to frame.

use super::composite::Composite;
use crate::convex::Feature;
use crate::query::HalfEdgeId;

/// The feature of a shape, given that of its part.
pub(super) fn named(parts: &Composite, part: u32, feature: Feature) -> Feature {
    match parts {
        Composite::One(_) => feature,
        Composite::Balls(_) | Composite::Cloud(_) => Feature::Vertex(part),
        Composite::Mesh(mesh) => match feature {
            Feature::Face(_) => Feature::Face(part),
            Feature::Edge(side) => {
                let own = HalfEdgeId::new(3 * part + side.min(2));
                let twin = mesh.half_edges().twin(own).unwrap_or(own);
                Feature::Edge(own.raw().min(twin.raw()))
            }
            Feature::Vertex(corner) => {
                let faces = mesh.mesh().faces();
                let corners = faces.get(part as usize).copied().unwrap_or([0; 3]);
                Feature::Vertex(corners[corner.min(2) as usize])
            }
        },
        Composite::Field(field) => {
            let corners = field.corners(part).unwrap_or([0; 3]);
            match feature {
                Feature::Face(_) => Feature::Face(part),
                Feature::Edge(side) => {
                    let side = side.min(2) as usize;
                    Feature::Edge(field.edge(corners[side], corners[(side + 1) % 3]))
                }
                Feature::Vertex(corner) => Feature::Vertex(corners[corner.min(2) as usize]),
            }
        }
    }
}

/// A number for two features: equal for equal ones, and hardly ever equal for others.
pub(super) fn contact_id(features: [Feature; 2]) -> u64 {
    features.into_iter().fold(0, |id, feature| {
        let (kind, number) = match feature {
            Feature::Vertex(v) => (1, v),
            Feature::Edge(e) => (2, e),
            Feature::Face(f) => (3, f),
        };
        mixed(mixed(id, kind), number)
    })
}

/// The number with another mixed in. Finalizer of SplitMix64: Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195.
pub(super) fn mixed(id: u64, number: u32) -> u64 {
    let mut z = (id ^ u64::from(number)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
