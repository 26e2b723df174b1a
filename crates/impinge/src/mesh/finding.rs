//! Findings: defects of a mesh, where they are, and how severe.

use std::fmt;

use super::TriMesh;
use crate::query::{FaceId, FacePair, VertexId};

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum FindingKind {
    /// The mesh has no face.
    Empty,
    /// An edge has more than two faces.
    NonManifoldEdge,
    /// Faces around a vertex that meet in that point only.
    NonManifoldVertex,
    /// Two neighbouring faces run along their edge in the same direction.
    InconsistentOrientation,
    /// A one-sided surface: no choice of directions makes all neighbours agree.
    NotOrientable,
    /// A closed piece whose faces look inwards.
    InsideOut,
    /// A border of the surface.
    Hole,
    /// Faces with the same three vertices.
    DuplicateFaces,
    /// Two faces that intersect beyond the vertices and edges they share.
    SelfIntersection,
    /// A face that names a vertex twice.
    RepeatedIndex,
    /// A face whose three vertices lie on one line.
    ZeroArea,
    /// A closed piece whose volume cannot be distinguished from zero.
    NoVolume,
    /// Vertices in the same place.
    DuplicateVertices,
    /// The mesh is tiny compared with its distance from the origin.
    FarFromOrigin,
    /// A very thin face.
    Sliver,
    /// A vertex that no face uses.
    UnreferencedVertex,
    /// The faces are not all connected by edges.
    SeveralComponents,
    /// A closed piece inside another.
    NestedShell,
    /// There were too many pieces to find out which lies inside which.
    NestingUnchecked,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Answers hold, but may cost time or digits.
    Warning,
    /// The mesh does not bound a solid: queries about its inside have no answer.
    Error,
}

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum FindingPlace {
    /// Everywhere.
    Mesh,
    /// One face.
    Face(FaceId),
    /// Several faces, ascending.
    Faces(Vec<FaceId>),
    /// One vertex.
    Vertex(VertexId),
    /// Several vertices, ascending.
    Vertices(Vec<VertexId>),
    /// The edge between two vertices, the smaller first.
    Edge {
        /// Its vertices.
        ends: [VertexId; 2],
        /// The faces on it, ascending.
        faces: Vec<FaceId>,
    },
    /// A chain of edges along a border, by its vertices.
    Border {
        /// In walking order; the first is not repeated.
        vertices: Vec<VertexId>,
        /// Whether the chain returns to its start.
        is_closed: bool,
    },
    /// A piece of surface.
    Piece {
        /// Its smallest face.
        first: FaceId,
        /// How many faces it has.
        faces: usize,
    },
}

/// A defect of a mesh. Its `Display` is a sentence.
///
/// ```
/// use impinge::{TriMesh, mesh::{FindingKind, findings}};
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let found = findings(&triangle);
/// assert_eq!(found[0].kind, FindingKind::Hole);
/// assert_eq!(found[0].to_string(), "error: the surface ends at a border of 3 edges (vertices 0, 1, 2)");
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// Where.
    pub place: FindingPlace,
    /// How severe it is.
    pub severity: Severity,
}

/// The findings about a mesh: a list, shortened on request, and exact counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The findings in the order of their kinds, at most as many of each as requested.
    pub listed: Vec<Finding>,
    counts: Vec<(FindingKind, usize)>,
}

/// Finds pairs of faces of one mesh that intersect beyond what they share.
pub type SelfIntersections<'a> = &'a dyn Fn(&TriMesh) -> Vec<FacePair>;

/// How findings are searched and listed.
#[derive(Clone, Copy)]
pub struct FindingOptions<'a> {
    /// At most this many findings of each kind are listed; all are counted.
    pub listed_per_kind: usize,
    /// A face whose height is below this share of its longest edge is a sliver.
    pub sliver_ratio: f64,
    /// A mesh whose extent is below this share of its largest coordinate is far from the origin.
    pub far_ratio: f64,
    /// Maximum number of comparisons for finding which component lies inside which.
    pub nesting_budget: u64,
    /// Finds self-intersections, if wanted; the search is a function because it needs a mesh index
    /// of a higher layer.
    pub self_intersections: Option<SelfIntersections<'a>>,
}

impl Default for FindingOptions<'_> {
    fn default() -> Self {
        Self {
            listed_per_kind: 100,
            sliver_ratio: 1e-3,
            far_ratio: 1e-6,
            nesting_budget: super::shells::NESTING_BUDGET,
            self_intersections: None,
        }
    }
}

impl fmt::Debug for FindingOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindingOptions")
            .field("listed_per_kind", &self.listed_per_kind)
            .field("sliver_ratio", &self.sliver_ratio)
            .field("far_ratio", &self.far_ratio)
            .field("nesting_budget", &self.nesting_budget)
            .field("self_intersections", &self.self_intersections.is_some())
            .finish()
    }
}

impl FindingKind {
    /// Every kind, in the order in which findings are listed.
    pub const ALL: [Self; 19] = [
        Self::Empty,
        Self::NonManifoldEdge,
        Self::NonManifoldVertex,
        Self::InconsistentOrientation,
        Self::NotOrientable,
        Self::InsideOut,
        Self::Hole,
        Self::DuplicateFaces,
        Self::SelfIntersection,
        Self::RepeatedIndex,
        Self::ZeroArea,
        Self::NoVolume,
        Self::DuplicateVertices,
        Self::FarFromOrigin,
        Self::Sliver,
        Self::UnreferencedVertex,
        Self::SeveralComponents,
        Self::NestedShell,
        Self::NestingUnchecked,
    ];

    /// The kind in words, for tables and files.
    ///
    /// ```
    /// use impinge::mesh::FindingKind;
    /// assert_eq!(FindingKind::SelfIntersection.name(), "self-intersection");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NonManifoldEdge => "non-manifold-edge",
            Self::NonManifoldVertex => "non-manifold-vertex",
            Self::InconsistentOrientation => "inconsistent-orientation",
            Self::NotOrientable => "not-orientable",
            Self::InsideOut => "inside-out",
            Self::Hole => "hole",
            Self::DuplicateFaces => "duplicate-faces",
            Self::SelfIntersection => "self-intersection",
            Self::RepeatedIndex => "repeated-index",
            Self::ZeroArea => "zero-area",
            Self::NoVolume => "no-volume",
            Self::DuplicateVertices => "duplicate-vertices",
            Self::FarFromOrigin => "far-from-origin",
            Self::Sliver => "sliver",
            Self::UnreferencedVertex => "unreferenced-vertex",
            Self::SeveralComponents => "several-components",
            Self::NestedShell => "nested-shell",
            Self::NestingUnchecked => "nesting-unchecked",
        }
    }

    /// How much findings of this kind matter.
    ///
    /// ```
    /// use impinge::mesh::{FindingKind, Severity};
    /// assert_eq!(FindingKind::SelfIntersection.severity(), Severity::Error);
    /// ```
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::NonManifoldEdge
            | Self::NonManifoldVertex
            | Self::InconsistentOrientation
            | Self::NotOrientable
            | Self::InsideOut
            | Self::Hole
            | Self::DuplicateFaces
            | Self::SelfIntersection => Severity::Error,
            Self::Empty
            | Self::RepeatedIndex
            | Self::ZeroArea
            | Self::NoVolume
            | Self::DuplicateVertices
            | Self::FarFromOrigin
            | Self::Sliver => Severity::Warning,
            Self::UnreferencedVertex
            | Self::SeveralComponents
            | Self::NestedShell
            | Self::NestingUnchecked => Severity::Note,
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "the mesh has no face",
            Self::NonManifoldEdge => "more than two faces share an edge",
            Self::NonManifoldVertex => "parts of the surface meet in one vertex only",
            Self::InconsistentOrientation => {
                "two neighbouring faces run along their edge in the same direction"
            }
            Self::NotOrientable => "a piece of the surface has only one side",
            Self::InsideOut => "a closed piece has its inside out",
            Self::Hole => "the surface ends at a border",
            Self::DuplicateFaces => "faces have the same three vertices",
            Self::SelfIntersection => "two faces of the mesh intersect",
            Self::RepeatedIndex => "a face names a vertex twice",
            Self::ZeroArea => "a face has its vertices on one line",
            Self::NoVolume => "a closed piece encloses no volume that could be told from zero",
            Self::DuplicateVertices => "vertices lie in the same place",
            Self::FarFromOrigin => {
                "the mesh is so far from the origin that its coordinates have few digits left"
            }
            Self::Sliver => "a face is very thin",
            Self::UnreferencedVertex => "no face uses a vertex",
            Self::SeveralComponents => "the mesh has several components",
            Self::NestedShell => "a closed piece lies inside another",
            Self::NestingUnchecked => "too many pieces to find out which lies inside which",
        }
    }
}

impl Finding {
    /// The finding of a kind at a place.
    ///
    /// ```
    /// use impinge::mesh::{Finding, FindingKind, FindingPlace};
    /// let finding = Finding::new(FindingKind::SelfIntersection, FindingPlace::Mesh);
    /// assert_eq!(finding.severity, FindingKind::SelfIntersection.severity());
    /// ```
    #[must_use]
    pub fn new(kind: FindingKind, place: FindingPlace) -> Self {
        Self {
            kind,
            place,
            severity: kind.severity(),
        }
    }
}

impl Findings {
    /// How many findings of a kind there are, listed or not.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::{FindingOptions, findings_with}};
    /// let triangle = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let found = findings_with(&triangle, &FindingOptions::default());
    /// assert_eq!(found.count(impinge::mesh::FindingKind::SelfIntersection), 0);
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn count(&self, kind: FindingKind) -> usize {
        self.counts
            .iter()
            .find(|(known, _)| *known == kind)
            .map_or(0, |(_, count)| *count)
    }

    /// The kinds found and how many of each, in listing order.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::{FindingOptions, findings_with}};
    /// let triangle = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let found = findings_with(&triangle, &FindingOptions::default());
    /// assert!(!found.counts().is_empty());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn counts(&self) -> &[(FindingKind, usize)] {
        &self.counts
    }

    /// The highest severity found.
    ///
    /// ```
    /// use impinge::{TriMesh, mesh::{FindingOptions, findings_with}};
    /// let triangle = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let found = findings_with(&triangle, &FindingOptions::default());
    /// assert!(found.worst().is_some());
    /// # Ok::<(), impinge::MeshError>(())
    /// ```
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.counts.iter().map(|(kind, _)| kind.severity()).max()
    }

    /// Counts a finding, and lists it if there are not enough of its kind yet. Kinds come one after the other.
    pub(super) fn add(
        &mut self,
        limit: usize,
        kind: FindingKind,
        place: impl FnOnce() -> FindingPlace,
    ) {
        let count = match self.counts.last_mut() {
            Some((last, count)) if *last == kind => count,
            _ => {
                self.counts.push((kind, 0));
                match self.counts.last_mut() {
                    Some((_, count)) => count,
                    None => return,
                }
            }
        };
        if *count < limit {
            self.listed.push(Finding::new(kind, place()));
        }
        *count += 1;
    }

    /// Puts the kinds into listing order, whatever order they were searched in.
    pub(super) fn sort(&mut self) {
        self.counts.sort_by_key(|(kind, _)| *kind);
        self.listed.sort_by_key(|finding| finding.kind);
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for FindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh => write!(f, "whole mesh"),
            Self::Face(face) => write!(f, "{face}"),
            Self::Faces(faces) => write!(f, "faces {}", ShownList(faces.iter().map(|id| id.raw()))),
            Self::Vertex(vertex) => write!(f, "{vertex}"),
            Self::Vertices(vertices) => {
                write!(
                    f,
                    "vertices {}",
                    ShownList(vertices.iter().map(|id| id.raw()))
                )
            }
            Self::Edge {
                ends: [a, b],
                faces,
            } => write!(
                f,
                "edge {}-{}, faces {}",
                a.raw(),
                b.raw(),
                ShownList(faces.iter().map(|id| id.raw()))
            ),
            Self::Border { vertices, .. } => {
                write!(
                    f,
                    "vertices {}",
                    ShownList(vertices.iter().map(|id| id.raw()))
                )
            }
            Self::Piece { first, faces: 1 } => write!(f, "{first}"),
            Self::Piece { first, faces } => write!(f, "{faces} faces from {first} on"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.kind.sentence())?;
        match &self.place {
            FindingPlace::Mesh => Ok(()),
            FindingPlace::Border {
                vertices,
                is_closed,
            } => {
                let edges = if *is_closed {
                    vertices.len()
                } else {
                    vertices.len().saturating_sub(1)
                };
                write!(f, " of {edges} edges ({})", self.place)
            }
            place => write!(f, " ({place})"),
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut listed = self.listed.iter().peekable();
        for &(kind, count) in &self.counts {
            let mut shown = 0;
            while let Some(finding) = listed.next_if(|finding| finding.kind == kind) {
                writeln!(f, "{finding}")?;
                shown += 1;
            }
            if shown < count {
                let (severity, more) = (kind.severity(), count - shown);
                writeln!(f, "{severity}: {more} more of kind {kind}")?;
            }
        }
        Ok(())
    }
}

/// Prints the first few numbers, separated by commas, and then how many there are.
struct ShownList<I>(I);

impl<I: ExactSizeIterator<Item = u32> + Clone> fmt::Display for ShownList<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        for (i, number) in self.0.clone().take(SHOWN).enumerate() {
            write!(f, "{}{number}", if i > 0 { ", " } else { "" })?;
        }
        if self.0.len() > SHOWN {
            write!(f, ", … {} in all", self.0.len())?;
        }
        Ok(())
    }
}
