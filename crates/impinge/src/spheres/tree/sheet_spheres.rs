//! Spheres beside an open or thin mesh: the space on each of its two sides.
//!
//! **Idea.** A sheet has no inside to be packed. Packed instead is the space near it, in two components, one on each
//! side; at its border the space is broken, so that the components do not meet. A solid that stands on one side and
//! shares volume with the component on the other side has penetrated the sheet.
//! **Source.** The quasi-volumetric measure that Weller 2012 proposes in section 5.7.1.1.
//! `docs/algorithms/inner-sphere-trees.md`.

use glam::DVec3;
use thiserror::Error;

use super::inner_sphere_tree::{InnerSphereTree, InnerSphereTreeError, InnerSphereTreeOptions};
use super::overlap::BallOverlap;
use super::sheet_space::{SheetSpace, SpaceOfSide};
use super::tree_pair::InnerSphereTreeCache;
use crate::bvh::MeshIndex as _;
use crate::bvh::wide::WideTree;
use crate::math::Pose;
use crate::mesh::{EdgeKind, HalfEdges};
use crate::query::{FaceId, Limits, VertexId};
use crate::spheres::pack::{PackError, PackOptions, map_indexed, pack_interior};

/// A side of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SheetSide {
    /// Where the vertices of faces turn counter-clockwise.
    Front,
    /// The other.
    Back,
}

impl SheetSide {
    /// The other side.
    ///
    /// ```
    /// use impinge::spheres::SheetSide;
    /// assert_eq!(SheetSide::Front.other(), SheetSide::Back);
    /// ```
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Front => Self::Back,
            Self::Back => Self::Front,
        }
    }
}

/// Why there are no spheres beside a sheet.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SheetError {
    /// A thickness that is no length.
    #[error("the thickness must be a positive number, not {value}")]
    BadThickness {
        /// What was given.
        value: f64,
    },
    /// An edge with more than two faces, or whose two faces turn opposite ways: there are no two sides.
    #[error("the faces at the edge from vertex {} to {} do not have two sides: it has more than two, or one is flipped", .a.raw(), .b.raw())]
    NotTwoSided {
        /// One end of the edge.
        a: VertexId,
        /// The other.
        b: VertexId,
    },
    /// A sphere between two layers sees the front of one and the back of the other.
    #[error("near {place} the front of face {} and the back of another are both in sight: choose a thickness below half of the distance of the layers", .face.raw())]
    SidesMeet {
        /// The centre of the sphere.
        place: DVec3,
        /// A face that it sees from the wrong side.
        face: FaceId,
    },
    /// No sphere fits, or the options are bad.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The spheres make no tree.
    #[error(transparent)]
    Tree(#[from] InnerSphereTreeError),
}

/// Two packings beside a sheet: one on its front, one on its back.
///
/// The space of a side are the points up to `thickness` away from the sheet whose nearest point of the sheet is not on
/// its border, and which see that side of it. Every sphere lies in the space of its side.
///
/// ```
/// use impinge::{DVec3, Pose, TriMesh, bvh::wide::WideTree, query::Limits, spheres::*};
/// use std::sync::Arc;
/// let square = TriMesh::from_points(
///     [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]],
///     [[0, 1, 2], [0, 2, 3]],
/// )?;
/// let options = PackOptions { count: Some(60), ..Default::default() };
/// let sheet = SheetSpheres::new(&WideTree::new(Arc::new(square)), 1.0, &options)?;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 0.5 };
/// let solid = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
/// assert_eq!(sheet.thickness(), 1.0);
/// let above = Pose::from_translation([0.0, 0.0, 0.4])?;
/// let found = sheet.overlap(&solid, &above, Limits::default(), &mut InnerSphereTreeCache::default());
/// assert!(found.front.lower > found.back.lower);
/// assert_eq!(found.shallower(), SheetSide::Back);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "open mesh")]
#[doc(alias = "thin sheet")]
pub struct SheetSpheres {
    front: InnerSphereTree,
    back: InnerSphereTree,
    thickness: f64,
}

/// What a solid shares with the space on either side of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetOverlap {
    /// With the space in front. `lower` is the overlap of spheres, and so is `value` unless the solid has second radii:
    /// gaps between the spheres beside the sheet are not counted. `upper` is the volume of the solid without what lies
    /// certainly behind the sheet; infinite if the solid does not know its volume. Derivatives are by the pose of the
    /// solid, as in [`InnerSphereTree::overlap`].
    pub front: BallOverlap,
    /// With the space behind.
    pub back: BallOverlap,
}

impl SheetOverlap {
    /// What the solid shares with the space of a side: for a solid that came from the other side, its penetration.
    ///
    /// ```
    /// use impinge::spheres::{BallOverlap, SheetOverlap, SheetSide};
    /// fn pushed(found: &SheetOverlap, came_from: SheetSide) -> BallOverlap {
    ///     *found.side(came_from.other())
    /// }
    /// ```
    #[must_use]
    pub fn side(&self, side: SheetSide) -> &BallOverlap {
        match side {
            SheetSide::Front => &self.front,
            SheetSide::Back => &self.back,
        }
    }

    /// The side with less of the solid, by `value`; the back where both have the same. For a solid of which it is not
    /// known where it came from, this is the side that it penetrates.
    #[must_use]
    pub fn shallower(&self) -> SheetSide {
        if self.front.value < self.back.value {
            SheetSide::Front
        } else {
            SheetSide::Back
        }
    }
}

impl SheetSpheres {
    /// Packs the space on both sides of the tree's mesh, up to `thickness` away; the options hold for each side. A side
    /// with room for no sphere, as inside a closed plate, has none.
    ///
    /// # Errors
    /// [`SheetError`]: the mesh must have two sides, so that no edge has more than two faces and neighbours turn the same
    /// way; layers that show each other different sides must be farther apart than spheres reach. Vertices in the same
    /// place must be joined first, or every edge is a border.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideTree, generate, spheres::*};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(generate::cloth(8, 8)?));
    /// let options = PackOptions { count: Some(40), ..Default::default() };
    /// assert!(matches!(SheetSpheres::new(&tree, -1.0, &options), Err(SheetError::BadThickness { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(tree: &WideTree, thickness: f64, options: &PackOptions) -> Result<Self, SheetError> {
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(SheetError::BadThickness { value: thickness });
        }
        let edges = HalfEdges::new(tree.mesh());
        for edge in edges.edges() {
            if matches!(edge.kind, EdgeKind::Inconsistent | EdgeKind::NonManifold) {
                let [a, b] = edge.ends;
                return Err(SheetError::NotTwoSided { a, b });
            }
        }
        let space = SheetSpace::new(tree, &edges, thickness);
        Ok(Self {
            front: packed(&space, SheetSide::Front, options)?,
            back: packed(&space, SheetSide::Back, options)?,
            thickness,
        })
    }

    /// The spheres of a side.
    #[must_use]
    pub fn side(&self, side: SheetSide) -> &InnerSphereTree {
        match side {
            SheetSide::Front => &self.front,
            SheetSide::Back => &self.back,
        }
    }

    /// How far from the sheet spheres reach.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// What a solid, placed by the pose, shares with the space of either side.
    ///
    /// A budget holds for each side. [`InnerSphereTreeCache::tests`] counts both.
    pub fn overlap(
        &self,
        solid: &InnerSphereTree,
        sheet_from_solid: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> SheetOverlap {
        let front = self.front.overlap(solid, sheet_from_solid, limits, cache);
        let tests = cache.tests;
        let back = self.back.overlap(solid, sheet_from_solid, limits, cache);
        cache.tests += tests;
        // The spaces are disjoint: what is certainly in one is not in the other.
        let bounded = |own: BallOverlap, other: &BallOverlap| {
            let upper = match solid.solid_volume {
                Some(volume) => (volume - other.lower).max(own.lower),
                None => f64::INFINITY,
            };
            BallOverlap {
                upper,
                value: own.value.min(upper),
                ..own
            }
        };
        SheetOverlap {
            front: bounded(front, &back),
            back: bounded(back, &front),
        }
    }
}

/// The spheres of a side.
fn packed(
    space: &SheetSpace<'_>,
    side: SheetSide,
    options: &PackOptions,
) -> Result<InnerSphereTree, SheetError> {
    let balls = match pack_interior(&SpaceOfSide { space, side }, options) {
        Ok(packing) => packing.balls,
        Err(PackError::NoInterior { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let seen = map_indexed(balls.len(), 64, |probe, i| {
        space.other_side_in_sight(&balls[i], side, probe)
    });
    for (ball, face) in balls.iter().zip(seen) {
        if let Some(face) = face {
            let place = ball.center;
            return Err(SheetError::SidesMeet { place, face });
        }
    }
    Ok(InnerSphereTree::new(
        &balls,
        &InnerSphereTreeOptions::default(),
    )?)
}
