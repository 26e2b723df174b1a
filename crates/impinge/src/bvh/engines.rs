//! Every mesh-mesh engine by name, behind one object-safe trait.
//!
//! Tests, benchmarks and the command line go through this list, so that an engine that is added here is tested, measured and
//! offered everywhere. Another crate adds engines as [`ExternalEngine`]: those kept for comparison are in `impinge-study`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[cfg(feature = "engines")]
use super::tree::Bvh;
use super::wide::{LeafBox, WideTree};
use super::{DistanceIndex, FaceSweep, MeshIndex};
use crate::bound::Aabb;
#[cfg(feature = "engines")]
use crate::bound::{Ball, BoundingVolume, Kdop, Lss, Obb, ObbRss, Rss};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{Bounded, FacePair, Limits, Outcome, Separation, Sink, Work};

/// Two indexed meshes, ready for queries at any relative pose.
pub trait PreparedPair: Send {
    /// Reports every pair of faces that share a point, as [`MeshIndex::intersections`] does.
    fn intersections(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome;

    /// The smallest distance, as [`DistanceIndex::distance`] returns it; `None` if the engine does not support this
    /// query.
    fn distance(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Option<Bounded<Option<Separation>>>;

    /// Two points at most `distance` apart, as [`DistanceIndex::within`] returns them; `None` if the engine does not
    /// support this query.
    fn within(
        &mut self,
        a_from_b: &Pose,
        distance: f64,
        limits: Limits<'_>,
    ) -> Option<Bounded<Option<Separation>>>;

    /// The boxes of all leaves, each tree in its mesh's frame; `None` if the engine's leaves are not boxes.
    fn leaf_boxes(&self) -> Option<[Vec<LeafBox>; 2]>;

    /// Clears all cached state, so that the next query runs cold.
    fn forget(&mut self);

    /// The work of the last query.
    fn work(&self) -> Work;

    /// Memory of both indexes in bytes, without the meshes.
    fn bytes(&self) -> usize;
}

/// An engine from another crate. It can be used wherever a [`MeshEngine`] can; engines are identified by name.
///
/// ```
/// use impinge::bvh::engines::{ExternalEngine, MeshEngine, Prepared};
/// use impinge::bvh::wide::WideTree;
/// static MINE: ExternalEngine = ExternalEngine {
///     name: "mine",
///     is_exact: true,
///     answers_distance: true,
///     prepare: |a, b| Box::new(Prepared::<WideTree>::new(a, b, WideTree::bytes).with_distance()),
/// };
/// let engine = MeshEngine::External(&MINE);
/// assert_eq!(engine.name(), "mine");
/// assert!(engine.answers_distance() && engine != MeshEngine::WideTree);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ExternalEngine {
    /// The name: lower case, with hyphens, and no other engine's.
    pub name: &'static str,
    /// Whether its pairs are exactly those of the exact triangle test.
    pub is_exact: bool,
    /// Whether it computes distances.
    pub answers_distance: bool,
    /// Both meshes indexed by this engine with its default options.
    pub prepare: fn(Arc<TriMesh>, Arc<TriMesh>) -> Box<dyn PreparedPair>,
}

impl PartialEq for ExternalEngine {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ExternalEngine {}

impl Hash for ExternalEngine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Defines [`MeshEngine`] and what differs from tree to tree, a line each: so that all trees can be left out at once.
macro_rules! mesh_engines {
    ($($(#[$about:meta])* $tree:ident: Bvh<$volume:ty> = $prepare:expr;)*) => {
        /// A way to answer queries about two meshes.
        ///
        /// ```
        /// use impinge::bvh::engines::MeshEngine;
        /// use impinge::query::{Count, Limits};
        /// use impinge::{Pose, TriMesh};
        /// use std::sync::Arc;
        /// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
        /// let face = Arc::new(face);
        /// for engine in MeshEngine::ALL {
        ///     assert_eq!(MeshEngine::from_name(engine.name()), Some(engine));
        ///     let mut pair = engine.prepare(face.clone(), face.clone());
        ///     let mut count = Count::default();
        ///     let _ = pair.intersections(&Pose::IDENTITY, Limits::default(), &mut count);
        ///     assert_eq!(count.0, 1);
        /// }
        /// # Ok::<(), impinge::MeshError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum MeshEngine {
            /// All face pairs behind a sweep over their boxes.
            FaceSweep,
            /// The default: eight-wide boxes in single precision.
            WideTree,
            $($(#[$about])* $tree,)*
            /// One that another crate brings.
            External(&'static ExternalEngine),
        }

        impl MeshEngine {
            /// Every engine of the library.
            pub const ALL: [Self; 2 + TREES.len()] = [Self::FaceSweep, Self::WideTree, $(Self::$tree),*];

            /// The engine's name: lower case, with hyphens.
            ///
            /// ```
            /// use impinge::bvh::engines::MeshEngine;
            /// assert_eq!(MeshEngine::WideTree.name(), "wide");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Self::FaceSweep => FaceSweep::NAME,
                    Self::WideTree => WideTree::NAME,
                    $(Self::$tree => Bvh::<$volume>::NAME,)*
                    Self::External(engine) => engine.name,
                }
            }

            /// Both meshes indexed by this engine with its default options; one index serves both when they
            /// are the same.
            ///
            /// ```
            /// use impinge::bvh::engines::MeshEngine;
            /// use impinge::generate::icosphere;
            /// use impinge::query::{First, Limits};
            /// use impinge::Pose;
            /// use std::sync::Arc;
            /// let ball = Arc::new(icosphere(1.0, 4)?);
            /// let mut pair = MeshEngine::WideTree.prepare(ball.clone(), ball);
            /// let mut first = First::default();
            /// let _ = pair.intersections(&Pose::from_translation([1.5, 0.0, 0.0])?, Limits::default(), &mut first);
            /// assert!(first.0.is_some() && pair.work().face_tests > 0);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[must_use]
            pub fn prepare(self, a: Arc<TriMesh>, b: Arc<TriMesh>) -> Box<dyn PreparedPair> {
                match self {
                    Self::FaceSweep => {
                        let bytes = |index: &FaceSweep| index.mesh().face_count() * size_of::<Aabb>();
                        Box::new(Prepared::<FaceSweep>::new(a, b, bytes))
                    }
                    Self::WideTree => {
                        let pair = Prepared::<WideTree>::new(a, b, WideTree::bytes);
                        Box::new(pair.with_leaf_boxes(WideTree::leaf_boxes).with_distance())
                    }
                    $(Self::$tree => $prepare(a, b),)*
                    Self::External(engine) => (engine.prepare)(a, b),
                }
            }
        }

        /// The trees of the library by name.
        const TREES: &[&str] = &[$(Bvh::<$volume>::NAME),*];
    };
}

#[cfg(not(feature = "engines"))]
mesh_engines! {}

#[cfg(feature = "engines")]
mesh_engines! {
    /// A tree of boxes along the axes.
    Aabb: Bvh<Aabb> = |a, b| boxes::<Aabb>(a, b, |t| t.leaf_boxes(Aabb::corners));
    /// A tree of oriented boxes.
    Obb: Bvh<Obb> = |a, b| boxes::<Obb>(a, b, |t| t.leaf_boxes(Obb::corners));
    /// A tree of 6-DOPs: boxes along the axes by another route.
    Kdop6: Bvh<Kdop<6>> = |a, b| boxes::<Kdop<6>>(a, b, |t| t.leaf_boxes(|v| v.bounds().corners()));
    /// A tree of 8-DOPs.
    Kdop8: Bvh<Kdop<8>> = tree::<Kdop<8>>;
    /// A tree of 14-DOPs.
    Kdop14: Bvh<Kdop<14>> = tree::<Kdop<14>>;
    /// A tree of 16-DOPs.
    Kdop16: Bvh<Kdop<16>> = tree::<Kdop<16>>;
    /// A tree of 18-DOPs.
    Kdop18: Bvh<Kdop<18>> = tree::<Kdop<18>>;
    /// A tree of 24-DOPs.
    Kdop24: Bvh<Kdop<24>> = tree::<Kdop<24>>;
    /// A tree of 26-DOPs.
    Kdop26: Bvh<Kdop<26>> = tree::<Kdop<26>>;
    /// A tree of balls.
    Ball: Bvh<Ball> = tree::<Ball>;
    /// A tree of segments swept by balls.
    Lss: Bvh<Lss> = tree::<Lss>;
    /// A tree of rectangles swept by balls.
    Rss: Bvh<Rss> = tree::<Rss>;
    /// A tree of oriented boxes for overlap and swept rectangles for distance.
    ObbRss: Bvh<ObbRss> = |a, b| boxes::<ObbRss>(a, b, |t| t.leaf_boxes(|v| v.obb.corners()));
}

impl MeshEngine {
    /// The engine of the library with this name.
    ///
    /// ```
    /// use impinge::bvh::engines::MeshEngine;
    /// assert_eq!(MeshEngine::from_name("wide"), Some(MeshEngine::WideTree));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Whether its pairs are exactly those of the exact triangle test; the others say how theirs relate to them.
    ///
    /// ```
    /// use impinge::bvh::engines::MeshEngine;
    /// assert!(MeshEngine::WideTree.is_exact());
    /// ```
    #[must_use]
    pub const fn is_exact(self) -> bool {
        match self {
            Self::External(engine) => engine.is_exact,
            _ => true,
        }
    }

    /// Whether it computes distances.
    ///
    /// ```
    /// use impinge::bvh::engines::MeshEngine;
    /// assert!(MeshEngine::WideTree.answers_distance());
    /// ```
    #[must_use]
    pub const fn answers_distance(self) -> bool {
        match self {
            Self::FaceSweep => false,
            Self::External(engine) => engine.answers_distance,
            _ => true,
        }
    }
}

impl fmt::Display for MeshEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "engines")]
fn tree<V: BoundingVolume>(a: Arc<TriMesh>, b: Arc<TriMesh>) -> Box<dyn PreparedPair> {
    Box::new(Prepared::<Bvh<V>>::new(a, b, Bvh::bytes).with_distance())
}

/// The same for volumes that are boxes.
#[cfg(feature = "engines")]
fn boxes<V: BoundingVolume>(
    a: Arc<TriMesh>,
    b: Arc<TriMesh>,
    leaf_boxes: fn(&Bvh<V>) -> Vec<LeafBox>,
) -> Box<dyn PreparedPair> {
    let pair = Prepared::<Bvh<V>>::new(a, b, Bvh::bytes);
    Box::new(pair.with_leaf_boxes(leaf_boxes).with_distance())
}

/// How an engine computes the distance.
type DistanceFn<I> =
    fn(&I, &I, &Pose, Limits<'_>, &mut <I as MeshIndex>::Cache) -> Bounded<Option<Separation>>;

/// How an engine decides whether a distance is met.
type WithinFn<I> =
    fn(&I, &I, &Pose, f64, Limits<'_>, &mut <I as MeshIndex>::Cache) -> Bounded<Option<Separation>>;

/// Two meshes in indexes of one kind, with the cache of their queries.
pub struct Prepared<I: MeshIndex> {
    a: Arc<I>,
    b: Arc<I>,
    cache: I::Cache,
    bytes: fn(&I) -> usize,
    leaf_boxes: Option<fn(&I) -> Vec<LeafBox>>,
    distance: Option<DistanceFn<I>>,
    within: Option<WithinFn<I>>,
}

impl<I: MeshIndex> Prepared<I> {
    /// Both meshes indexed with the default configuration; `bytes` returns the size of an index.
    ///
    /// ```
    /// use impinge::bvh::engines::{Prepared, PreparedPair};
    /// use impinge::bvh::wide::WideTree;
    /// let pair = Prepared::<WideTree>::new(Default::default(), Default::default(), WideTree::bytes);
    /// assert_eq!(pair.work().tests(), 0);
    /// ```
    #[must_use]
    pub fn new(a: Arc<TriMesh>, b: Arc<TriMesh>, bytes: fn(&I) -> usize) -> Self {
        Self::with_config(a, b, &I::Config::default(), bytes)
    }

    /// Both meshes indexed with this configuration; one index serves both when they are the same.
    ///
    /// ```
    /// use impinge::bvh::engines::{Prepared, PreparedPair};
    /// use impinge::bvh::wide::{WideConfig, WideTree};
    /// let [a, b] = Default::default();
    /// let pair = Prepared::<WideTree>::with_config(a, b, &WideConfig::fast(), WideTree::bytes);
    /// assert!(pair.leaf_boxes().is_none());
    /// ```
    #[must_use]
    pub fn with_config(
        a: Arc<TriMesh>,
        b: Arc<TriMesh>,
        config: &I::Config,
        bytes: fn(&I) -> usize,
    ) -> Self {
        let is_same = Arc::ptr_eq(&a, &b);
        let a = Arc::new(I::build(a, config));
        Self {
            b: if is_same {
                a.clone()
            } else {
                Arc::new(I::build(b, config))
            },
            a,
            cache: I::Cache::default(),
            bytes,
            leaf_boxes: None,
            distance: None,
            within: None,
        }
    }

    /// The same, showing its leaves too.
    ///
    /// ```
    /// use impinge::bvh::engines::{Prepared, PreparedPair};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::icosphere;
    /// use std::sync::Arc;
    /// let ball = Arc::new(icosphere(1.0, 4)?);
    /// let pair = Prepared::<WideTree>::new(ball.clone(), ball, WideTree::bytes);
    /// assert!(pair.leaf_boxes().is_none());
    /// assert!(pair.with_leaf_boxes(WideTree::leaf_boxes).leaf_boxes().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_leaf_boxes(self, leaf_boxes: fn(&I) -> Vec<LeafBox>) -> Self {
        Self {
            leaf_boxes: Some(leaf_boxes),
            ..self
        }
    }

    /// The same, with distance queries.
    ///
    /// ```
    /// use impinge::bvh::engines::{Prepared, PreparedPair};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::{Pose, generate::icosphere, query::Limits};
    /// use std::sync::Arc;
    /// let ball = Arc::new(icosphere(1.0, 4)?);
    /// let mut pair = Prepared::<WideTree>::new(ball.clone(), ball, WideTree::bytes).with_distance();
    /// let apart = Pose::from_translation([3.0, 0.0, 0.0])?;
    /// assert!(pair.distance(&apart, Limits::default()).is_some_and(|d| d.lower > 0.9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_distance(self) -> Self
    where
        I: DistanceIndex,
    {
        Self {
            distance: Some(I::distance),
            within: Some(I::within),
            ..self
        }
    }
}

impl<I: MeshIndex> fmt::Debug for Prepared<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("engine", &I::NAME)
            .field("faces_a", &self.a.mesh().face_count())
            .field("faces_b", &self.b.mesh().face_count())
            .finish_non_exhaustive()
    }
}

impl<I: MeshIndex> PreparedPair for Prepared<I> {
    fn intersections(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        self.a
            .intersections(&self.b, a_from_b, limits, &mut self.cache, sink)
    }

    fn distance(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Option<Bounded<Option<Separation>>> {
        let distance = self.distance?;
        Some(distance(
            &self.a,
            &self.b,
            a_from_b,
            limits,
            &mut self.cache,
        ))
    }

    fn within(
        &mut self,
        a_from_b: &Pose,
        distance: f64,
        limits: Limits<'_>,
    ) -> Option<Bounded<Option<Separation>>> {
        let within = self.within?;
        let cache = &mut self.cache;
        Some(within(&self.a, &self.b, a_from_b, distance, limits, cache))
    }

    fn leaf_boxes(&self) -> Option<[Vec<LeafBox>; 2]> {
        let leaf_boxes = self.leaf_boxes?;
        Some([leaf_boxes(&self.a), leaf_boxes(&self.b)])
    }

    fn forget(&mut self) {
        self.cache = I::Cache::default();
    }

    fn work(&self) -> Work {
        I::work(&self.cache)
    }

    fn bytes(&self) -> usize {
        let second = if Arc::ptr_eq(&self.a, &self.b) {
            0
        } else {
            (self.bytes)(&self.b)
        };
        (self.bytes)(&self.a) + second
    }
}
