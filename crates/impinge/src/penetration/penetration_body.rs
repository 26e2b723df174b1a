//! A solid with the data that each penetration method needs.

use std::fmt;
use std::sync::Arc;

use super::solid_voxels::SolidVoxels;
use crate::mesh::TriMesh;
use crate::spheres::InnerSphereTree;
use crate::volume::{VolumeError, VolumeIndex};

/// A method for the overlap volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PenetrationMethod {
    /// By an integral over the boundary of what is shared.
    Exact,
    /// By the lenses of inner balls.
    Spheres,
    /// By the lenses of inner balls, and then by the boundary integral where that is predicted to take no longer than a
    /// millisecond or than the lenses with their gaps, and no longer than the limits allow. Answers name the one that
    /// gave them. Shallow contacts, where gaps make the value of spheres too small, are answered by the integral.
    ByCost,
    /// By voxels: the volume by looking up the voxels of one solid in the other's, the force by a Voxmap-PointShell.
    Voxmap,
    /// By a method that another crate brings, with its name in records.
    External(&'static str),
}

impl PenetrationMethod {
    /// The name in records.
    ///
    /// ```
    /// use impinge::penetration::PenetrationMethod;
    /// assert_eq!(PenetrationMethod::Exact.name(), "boundary-integral");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "boundary-integral",
            Self::Spheres => "inner-spheres",
            Self::ByCost => "by-cost",
            Self::Voxmap => "voxmap",
            Self::External(name) => name,
        }
    }
}

impl fmt::Display for PenetrationMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A solid, prepared for one or more methods. Cloning is cheap: what is large is shared.
///
/// ```
/// use impinge::penetration::{PenetrationMethod, PenetrationBody};
/// use std::sync::Arc;
/// let body = PenetrationBody::exact(Arc::new(impinge::generate::tetrahedron(1.0)?))?;
/// assert!(body.has(PenetrationMethod::Exact) && !body.has(PenetrationMethod::Spheres));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PenetrationBody {
    pub(super) index: Option<Arc<VolumeIndex>>,
    pub(super) spheres: Option<Arc<InnerSphereTree>>,
    pub(super) voxels: Option<Arc<SolidVoxels>>,
}

impl PenetrationBody {
    /// A closed mesh, prepared for the exact method.
    ///
    /// # Errors
    /// [`VolumeError`] when the mesh is open or inside out.
    ///
    /// ```
    /// use impinge::{generate, penetration::{PenetrationMethod, PenetrationBody}};
    /// use std::sync::Arc;
    /// assert!(PenetrationBody::exact(Arc::new(generate::tetrahedron(1.0)?))?.has(PenetrationMethod::Exact));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exact(mesh: Arc<TriMesh>) -> Result<Self, VolumeError> {
        Ok(Self::default().with_index(VolumeIndex::new(mesh)?))
    }

    /// The body with an index for the exact method.
    ///
    /// ```
    /// use impinge::{generate, penetration::{PenetrationMethod, PenetrationBody}, volume::VolumeIndex};
    /// use std::sync::Arc;
    /// let index = VolumeIndex::new(Arc::new(generate::tetrahedron(1.0)?))?;
    /// assert!(PenetrationBody::default().with_index(index).has(PenetrationMethod::Exact));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_index(self, index: impl Into<Arc<VolumeIndex>>) -> Self {
        Self {
            index: Some(index.into()),
            ..self
        }
    }

    /// The body with a tree of inner balls.
    ///
    /// ```
    /// use impinge::{penetration::{PenetrationMethod, PenetrationBody}, spheres::{InnerSphereTree, InnerSphereTreeOptions}};
    /// let tree = InnerSphereTree::new(&[], &InnerSphereTreeOptions::default())?;
    /// let body = PenetrationBody::default().with_spheres(tree);
    /// assert!(body.has(PenetrationMethod::Spheres) && body.spheres().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_spheres(self, spheres: impl Into<Arc<InnerSphereTree>>) -> Self {
        Self {
            spheres: Some(spheres.into()),
            ..self
        }
    }

    /// The body with its voxels.
    ///
    /// ```
    /// use impinge::{generate, penetration::{PenetrationBody, PenetrationMethod, SolidVoxels}};
    /// let voxels = SolidVoxels::new(&generate::icosphere(1.0, 4)?, 20)?;
    /// assert!(PenetrationBody::default().with_voxels(voxels).has(PenetrationMethod::Voxmap));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_voxels(self, voxels: impl Into<Arc<SolidVoxels>>) -> Self {
        Self {
            voxels: Some(voxels.into()),
            ..self
        }
    }

    /// The tree of inner spheres, if it has one.
    #[must_use]
    pub fn spheres(&self) -> Option<&Arc<InnerSphereTree>> {
        self.spheres.as_ref()
    }

    /// Whether the body is prepared for the method.
    ///
    /// ```
    /// use impinge::penetration::{PenetrationMethod, PenetrationBody};
    /// assert!(!PenetrationBody::default().has(PenetrationMethod::Spheres));
    /// ```
    #[must_use]
    pub fn has(&self, method: PenetrationMethod) -> bool {
        match method {
            PenetrationMethod::Exact => self.index.is_some(),
            PenetrationMethod::Spheres => self.spheres.is_some(),
            PenetrationMethod::ByCost => self.index.is_some() && self.spheres.is_some(),
            PenetrationMethod::Voxmap => self.voxels.is_some(),
            PenetrationMethod::External(_) => false,
        }
    }
}
