//! The tool that presses the clay: parts of a hand, or any meshes.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::wide::WideTree;
use impinge::generate::hand;
use impinge::{DVec3, TriMesh};

use super::SculptError;
use crate::quantity;

/// Segments and bands of each part of the hand: 192 faces.
const PART_SHAPE: (u32, u32) = (12, 4);

/// The parts of a hand that a tool has.
///
/// ```
/// use impinge_dynamics::sculpt::ToolKind;
/// assert_eq!(ToolKind::named("forefinger"), Some(ToolKind::Forefinger));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// The tip of the forefinger.
    Fingertip,
    /// The tips of all five fingers.
    FiveFingertips,
    /// Three parts.
    Forefinger,
    /// Sixteen parts.
    WholeHand,
}

impl ToolKind {
    /// All of them, from one part to sixteen.
    pub const ALL: [Self; 4] = [
        Self::Fingertip,
        Self::FiveFingertips,
        Self::Forefinger,
        Self::WholeHand,
    ];

    /// Its name, in kebab case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fingertip => "fingertip",
            Self::FiveFingertips => "five-fingertips",
            Self::Forefinger => "forefinger",
            Self::WholeHand => "whole-hand",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn has(self, part: &str) -> bool {
        match self {
            Self::Fingertip => part == "forefinger-3",
            Self::FiveFingertips => part.ends_with("-3"),
            Self::Forefinger => part.starts_with("forefinger"),
            Self::WholeHand => true,
        }
    }
}

/// One rigid part of a tool.
#[derive(Clone, Debug)]
pub struct ToolPart {
    name: String,
    tree: Arc<WideTree>,
    mesh: Arc<TriMesh>,
    bounds: Aabb,
    radius: f64,
}

impl ToolPart {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its mesh, in the tool's frame.
    #[must_use]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Half the diagonal of its box: the vicinity of an operator is a multiple of it.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    pub(super) fn tree(&self) -> &WideTree {
        &self.tree
    }

    pub(super) fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// A rigid tool of one or more parts.
///
/// Hands point along −z with the foremost tip at the origin, so that a pose says where the tip is.
///
/// ```
/// use impinge_dynamics::sculpt::{Tool, ToolKind};
/// let hand = Tool::new(ToolKind::WholeHand, 0.5)?;
/// assert_eq!(hand.parts().len(), 16);
/// assert_eq!(Tool::new(ToolKind::Forefinger, 0.5)?.parts().len(), 3);
/// assert!(Tool::new(ToolKind::Fingertip, 0.0).is_err());
/// # Ok::<(), impinge_dynamics::sculpt::SculptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tool {
    parts: Vec<ToolPart>,
}

impl Tool {
    /// Parts of a hand; a hand of size 1 is about two units long.
    ///
    /// # Errors
    /// [`SculptError`] when the size is not positive.
    pub fn new(kind: ToolKind, size: f64) -> Result<Self, SculptError> {
        quantity::positive("size of a tool", size)?;
        let parts = hand(PART_SHAPE.0, PART_SHAPE.1)?;
        let parts: Vec<_> = parts.into_iter().filter(|p| kind.has(&p.name)).collect();
        // The hand of the generator points along y; its foremost point becomes the origin.
        let points = parts.iter().flat_map(|p| p.mesh.positions());
        let foremost = points.fold(
            DVec3::NEG_INFINITY,
            |far, &p| if p.y > far.y { p } else { far },
        );
        let tip = parts
            .iter()
            .find(|p| p.mesh.positions().contains(&foremost))
            .map_or(foremost, |p| p.mesh.bounds().center());
        let place = |p: DVec3| DVec3::new(p.x - tip.x, p.z - tip.z, foremost.y - p.y) * size;
        let mut meshes = Vec::with_capacity(parts.len());
        for part in parts {
            let positions = part.mesh.positions().iter().map(|&p| place(p)).collect();
            let mesh = TriMesh::new(positions, part.mesh.faces().to_vec())?;
            meshes.push((part.name, mesh));
        }
        Self::from_parts(meshes)
    }

    /// A tool of any meshes, with their names.
    ///
    /// # Errors
    /// [`SculptError::NoTool`] when there is none, or one has no faces.
    ///
    /// ```
    /// use impinge::generate::icosphere;
    /// use impinge_dynamics::sculpt::Tool;
    /// let ball = Tool::from_parts([("ball".to_owned(), icosphere(0.1, 3)?)])?;
    /// assert!(ball.parts()[0].radius() > 0.1);
    /// assert!(Tool::from_parts([]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_parts(
        parts: impl IntoIterator<Item = (String, TriMesh)>,
    ) -> Result<Self, SculptError> {
        let parts: Vec<ToolPart> = parts
            .into_iter()
            .map(|(name, mesh)| {
                let mesh = Arc::new(mesh);
                let bounds = mesh.bounds();
                ToolPart {
                    name,
                    tree: Arc::new(WideTree::new(Arc::clone(&mesh))),
                    radius: bounds.diagonal().length() / 2.0,
                    bounds,
                    mesh,
                }
            })
            .collect();
        if parts.is_empty() || parts.iter().any(|part| part.mesh.is_empty()) {
            return Err(SculptError::NoTool);
        }
        Ok(Self { parts })
    }

    /// Its parts.
    #[must_use]
    pub fn parts(&self) -> &[ToolPart] {
        &self.parts
    }

    /// The radius of its smallest part: a path in steps of at most this length leaves no gaps.
    #[must_use]
    pub fn least_radius(&self) -> f64 {
        self.parts
            .iter()
            .fold(f64::INFINITY, |least, part| least.min(part.radius))
    }
}
