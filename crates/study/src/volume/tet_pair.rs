//! Tetrahedra as a method of the library's penetration queries.

use impinge::Pose;
use impinge::penetration::VolumePair;
use impinge::query::{Bounded, Limits};

use super::tet_mesh::TetMesh;

/// The name of the method in records.
pub const TETRAHEDRA: &str = "tetrahedra";

/// Two solids in tetrahedra, for [`PenetrationQuery::external`](impinge::penetration::PenetrationQuery::external).
///
/// ```
/// use impinge::penetration::{PenetrationMethod, PenetrationQuery};
/// use impinge::{DVec3, Pose, query::Limits};
/// use impinge_study::volume::{TETRAHEDRA, TetMesh, TetPair};
/// let cube = TetMesh::blocks(DVec3::ZERO, DVec3::ONE, [1; 3]);
/// let mut query = PenetrationQuery::external(Box::new(TetPair { a: cube.clone(), b: cube }));
/// assert_eq!(query.method(), PenetrationMethod::External(TETRAHEDRA));
/// let shared = query.ask(&Pose::from_translation([0.25, 0.0, 0.0])?, Limits::default())?;
/// assert!(shared.lower <= 0.75 && 0.75 <= shared.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "tetrahedral mesh")]
pub struct TetPair {
    /// The first solid.
    pub a: TetMesh,
    /// The second.
    pub b: TetMesh,
}

impl VolumePair for TetPair {
    fn method(&self) -> &'static str {
        TETRAHEDRA
    }

    fn shared_volume(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> Bounded<f64> {
        self.a.shared_volume(&self.b, a_from_b, limits)
    }
}
