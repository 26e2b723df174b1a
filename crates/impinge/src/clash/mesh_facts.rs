//! Properties of each distinct mesh.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;

use super::Part;
use super::convex_part::ConvexPart;
use crate::bvh::{SolidFacts, mesh_samples};
use crate::mesh::{TriMesh, area};

/// A mesh and the facts about it that are kept when its tree is dropped.
#[derive(Debug)]
pub(super) struct MeshFacts {
    pub(super) mesh: Arc<TriMesh>,
    pub(super) facts: Option<SolidInfo>,
}

/// What costs a pass over the mesh.
#[derive(Debug)]
pub(super) struct SolidInfo {
    pub(super) area: f64,
    /// The longest way through its box.
    pub(super) size: f64,
    /// What is known of the solid; none when the mesh is not closed.
    pub(super) solid: Option<Arc<SolidFacts>>,
    /// The planes of a convex part with few faces.
    pub(super) convex: Option<ConvexPart>,
    /// A vertex of each connected piece, when the mesh is not closed.
    open_samples: Vec<DVec3>,
}

impl SolidInfo {
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let solid = SolidFacts::of(mesh);
        Self {
            area: area(mesh),
            size: mesh.bounds().diagonal().length(),
            open_samples: match solid {
                Some(_) => Vec::new(),
                None => mesh_samples(mesh),
            },
            convex: (solid.as_ref()).and_then(|facts| ConvexPart::of(mesh, facts)),
            solid,
        }
    }

    /// A vertex of each connected piece.
    pub(super) fn samples(&self) -> &[DVec3] {
        match &self.solid {
            Some(solid) => &solid.samples,
            None => &self.open_samples,
        }
    }
}

/// The different meshes in the order in which they first appear, and which one each part has.
pub(super) fn shapes_of(parts: &[Part]) -> (Vec<MeshFacts>, Vec<u32>) {
    let mut numbers = BTreeMap::new();
    let mut shapes = Vec::new();
    let of_part = parts
        .iter()
        .map(|part| {
            // An address tells meshes apart; it decides no order.
            *numbers.entry(Arc::as_ptr(&part.mesh)).or_insert_with(|| {
                shapes.push(MeshFacts {
                    mesh: Arc::clone(&part.mesh),
                    facts: None,
                });
                shapes.len() as u32 - 1
            })
        })
        .collect();
    (shapes, of_part)
}
