//! The world: objects and the pairs of interest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

use super::accuracy::{AccuracyControl, ContactAccuracy};
use super::body::{BodyBoxes, Class, PlacedObject, WorldObject};
use super::broad_control::BroadPhaseControl;
use super::class_configs::ClassConfigs;
use super::event_mask::EventMask;
use super::events::{Event, WorldFrame};
use super::filter::PairFilter;
use super::interest_matrix::InterestMatrix;
use super::listener::{Listener, ListenerCallback, ListenerFilter, ListenerId, ListenerReply};
use super::narrow_phase::PairHandle;
use super::pair_table::PairTable;
use super::probe::ObjectIndex;
use super::scene_graph::SceneGraph;
use super::shape_obb::ShapeObbs;
use super::slots::{IdPool, Slots};
use super::step_clock::StepClock;
use super::trace::Recorder;
use crate::bound::Aabb;
use crate::broad::{
    BroadError, BroadPhase, DynamicAabbTree, ObjectId, ObjectPair, swap_broad_phase,
};
use crate::pair::PairConfig;

/// How a world works.
#[derive(Clone, Debug, Default)]
pub struct WorldConfig {
    /// How pairs are queried: whether meshes are solid, which engine is used, and user-defined
    /// kinds.
    pub pair: PairConfig,
    /// How pairs of some classes are queried instead: the algorithm may be chosen by class.
    pub classes: ClassConfigs,
    /// Whether only boxes are tested: overlap events, nothing else.
    pub boxes_only: bool,
    /// Whether `Touching`, `Contacts` and `Closer` are reported only at steps before which one of the two moved. Otherwise they are
    /// reported at every step while they hold; what did not change is not computed again in either case.
    pub news_only: bool,
    /// Whether boxes along the objects' own axes count where they are clearly smaller: overlap events then refer to those, fewer pairs are
    /// tested, and a broad phase that can use them, such as a [`Grid`](crate::broad::UniformGrid) with [`OrientedCells`](crate::broad::OrientedCells) or a
    /// [`SlabOctree`](crate::broad::SlabOctree), holds fewer near. Everything else is reported as without.
    pub oriented_boxes: bool,
    /// How the boxes of objects that move are found.
    pub boxes: BodyBoxes,
    /// Whether a step stays on the thread that calls it. Answers are the same either way.
    pub serial: bool,
    /// The distance from which on [`Contacts`](super::EventKind::Contacts) are reported before shapes touch, with negative depths, for a solver
    /// that acts before the next step. Nothing else is reported earlier. What is below 0 or not finite counts as 0.
    ///
    /// ```
    /// use impinge::{Pose, broad::DynamicAabbTree, convex::Ball, pair::Shape};
    /// use impinge::world::{Body, EventMask, World, WorldConfig};
    /// let config = WorldConfig { contact_margin: 0.25, ..WorldConfig::default() };
    /// let mut world = World::new(DynamicAabbTree::default(), config);
    /// world.interest_mut().set_general(|_, _| EventMask::CONTACTS | EventMask::TOUCHING);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// world.insert(Body::new(ball.clone()))?;
    /// let other = world.insert(Body::new(ball).at(Pose::from_translation([2.125, 0.0, 0.0])?))?;
    /// let frame = world.step();
    /// assert_eq!((frame.named("contacts").count(), frame.named("touching").count()), (1, 0));
    /// assert_eq!(frame.contact_points[0].depth, -0.125);
    /// world.set_pose(other, Pose::from_translation([2.5, 0.0, 0.0])?)?;
    /// assert!(world.step().events.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub contact_margin: f64,
}

impl WorldConfig {
    /// How pairs of these two classes are queried.
    pub(super) fn pair_of(&self, x: Class, y: Class) -> &PairConfig {
        if self.classes.is_empty() {
            return &self.pair;
        }
        self.classes.get(x, y).unwrap_or(&self.pair)
    }

    /// The margin that counts.
    pub(super) fn margin(&self) -> f64 {
        if self.contact_margin.is_finite() {
            self.contact_margin.max(0.0)
        } else {
            0.0
        }
    }
}

/// Why a world refuses.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// There is no such object.
    #[error("{id} is not here")]
    Unknown {
        /// The id requested.
        id: ObjectId,
    },
    /// There are no ids left.
    #[error("{count} objects are too many")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// The broad phase refused.
    #[error("the broad phase refuses: {0}")]
    Broad(#[from] BroadError),
    /// A recording has to begin before the first step.
    #[error("step {step} was made already: a recording begins before the first")]
    TooLate {
        /// The last step.
        step: u64,
    },
    /// An object cannot be enclosed in itself, nor in one that is enclosed or encloses already.
    #[error("{child} cannot be enclosed in {parent}: enclosures do not nest")]
    Nested {
        /// What was to be enclosed.
        child: ObjectId,
        /// In what.
        parent: ObjectId,
    },
}

/// Objects that move, and what happens between them.
///
/// See the [module page](super) for an example with listeners; here is one with an interest matrix:
///
/// ```
/// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Class, EventMask, World}};
/// let mut world = World::default();
/// world.interest_mut().set_classes(Class(0), Class(0), EventMask::TOUCHING);
/// let ball = Shape::from(Ball::new(1.0)?);
/// let a = world.insert(Body::new(ball.clone()))?;
/// let b = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// assert!(world.bounds(b).is_none(), "no step yet");
/// assert_eq!(world.step().events.len(), 1);
/// assert!(world.bounds(b).is_some_and(|bounds| bounds.min.x <= 0.5 && bounds.max.x >= 2.5));
/// // Two static objects have no events.
/// world.set_static(a, true)?;
/// world.set_static(b, true)?;
/// world.step();
/// assert!(world.frame().events.is_empty());
/// world.set_tag(b, 7)?;
/// let tags: Vec<u64> = world.bodies().map(|(_, body)| body.tag).collect();
/// assert_eq!(tags, [0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "collision world")]
#[doc(alias = "broad phase")]
#[doc(alias = "narrow phase")]
pub struct World {
    pub(super) config: WorldConfig,
    pub(super) broad: Box<dyn BroadPhase>,
    pub(super) objects: Slots<WorldObject>,
    pub(super) own_boxes: ShapeObbs,
    /// For queries between steps; rebuilt after something moved.
    pub(super) index: OnceLock<ObjectIndex>,
    pub(super) interest: InterestMatrix,
    pub(super) listeners: Vec<Option<Listener>>,
    /// What they hear, as of `resolved`.
    pub(super) filters: Vec<Option<ListenerFilter>>,
    /// Changes whenever a listener comes or goes, or what filters see of an object does.
    pub(super) listeners_version: u64,
    /// The versions that the table's masks were made from.
    pub(super) resolved: (u64, u64),
    pub(super) table: PairTable,
    /// Objects that moved since the last step, each once.
    pub(super) moved: Vec<ObjectId>,
    /// Their new boxes, while a step looks at them.
    pub(super) placed: Vec<Option<PlacedObject>>,
    /// Boxes for the broad phase, while a step collects them.
    pub(super) new_boxes: (Vec<ObjectId>, Vec<Aabb>),
    pub(super) enclosed: BTreeMap<ObjectId, ObjectId>,
    /// Whether enclosures existed at the last step.
    pub(super) had_enclosed: bool,
    /// How far the boxes of the broad phase are wider than those of objects.
    pub(super) reach: f64,
    pub(super) frame: WorldFrame,
    /// Which listeners are to be called for the events of the frame: places of events and numbers of listeners.
    pub(super) deliveries: Vec<(u32, u32)>,
    pub(super) accuracy: ContactAccuracy,
    pub(super) control: Option<AccuracyControl>,
    pub(super) broad_control: Option<BroadPhaseControl>,
    pub(super) step_clock: Option<StepClock>,
    pub(super) recorder: Option<Box<Recorder>>,
    pub(super) keeps_poses: bool,
}

impl Default for World {
    fn default() -> Self {
        Self::new(DynamicAabbTree::default(), WorldConfig::default())
    }
}

impl World {
    /// An empty world with this broad phase.
    ///
    /// ```
    /// use impinge::{broad::BruteForce, world::{World, WorldConfig}};
    /// let world = World::new(BruteForce::default(), WorldConfig::default());
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new(broad: impl BroadPhase + 'static, config: WorldConfig) -> Self {
        Self {
            config,
            broad: Box::new(broad),
            objects: Slots::default(),
            own_boxes: ShapeObbs::default(),
            index: OnceLock::new(),
            interest: InterestMatrix::default(),
            listeners: Vec::new(),
            filters: Vec::new(),
            listeners_version: 0,
            resolved: (0, 0),
            table: PairTable::default(),
            moved: Vec::new(),
            placed: Vec::new(),
            new_boxes: (Vec::new(), Vec::new()),
            enclosed: BTreeMap::new(),
            had_enclosed: false,
            reach: 0.0,
            frame: WorldFrame::default(),
            deliveries: Vec::new(),
            accuracy: ContactAccuracy::Exact,
            control: None,
            broad_control: None,
            step_clock: None,
            recorder: None,
            keeps_poses: false,
        }
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Moves the objects that nodes of a scene graph carry, where the nodes moved.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Ball, pair::Shape, world::{Body, SceneGraph, World}};
    /// let (mut world, mut graph) = (World::default(), SceneGraph::default());
    /// let ball = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// let node = graph.root(Pose::from_translation([1.0, 2.0, 3.0])?)?;
    /// graph.set_object(node, Some(ball))?;
    /// assert_eq!(world.follow(&mut graph), 1);
    /// assert_eq!(world.body(ball).map(|b| b.world_from_body.translation()), Some(DVec3::new(1.0, 2.0, 3.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow(&mut self, graph: &mut SceneGraph) -> usize {
        graph.update();
        let moved = graph.take_moved().into_iter();
        moved
            .filter(|(id, pose)| self.set_pose(*id, *pose).is_ok())
            .count()
    }

    /// The requested events of pairs.
    pub fn interest_mut(&mut self) -> &mut InterestMatrix {
        &mut self.interest
    }

    /// Calls the function after each step with every event of these kinds, for matching pairs: in the order of events, and for one
    /// event in the order of registration. If pairs overlap or touch already, `OverlapBegin` and `ContactBegin` are reported at the
    /// next step, unless such events of the pair were requested before.
    pub fn listen(
        &mut self,
        filter: PairFilter,
        mask: EventMask,
        callback: impl FnMut(&Event, &mut ListenerReply<'_>) + Send + 'static,
    ) -> ListenerId {
        self.hear(filter, mask, ListenerCallback::Serial(Box::new(callback)))
    }

    /// The same for a function that may be called for several events at once, from several threads. Such functions are called
    /// before the others; what they ask for is done in the order of events all the same.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, PairFilter, EventMask, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// for _ in 0..3 { world.insert(Body::new(ball.clone()))?; }
    /// let count = Arc::new(AtomicU32::new(0));
    /// let heard = Arc::clone(&count);
    /// let listener = world.listen_parallel(PairFilter::any(), EventMask::TOUCHING, move |_, _| { heard.fetch_add(1, Relaxed); });
    /// world.step();
    /// assert_eq!(count.load(Relaxed), 3);
    /// assert!(world.unlisten(listener) && !world.unlisten(listener));
    /// world.step();
    /// assert_eq!(count.load(Relaxed), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn listen_parallel(
        &mut self,
        filter: PairFilter,
        mask: EventMask,
        callback: impl Fn(&Event, &mut ListenerReply<'_>) + Send + Sync + 'static,
    ) -> ListenerId {
        self.hear(filter, mask, ListenerCallback::Parallel(Box::new(callback)))
    }

    fn hear(
        &mut self,
        filter: PairFilter,
        mask: EventMask,
        callback: ListenerCallback,
    ) -> ListenerId {
        self.add_listener(Listener {
            filter,
            mask,
            callback,
        })
    }

    pub(super) fn add_listener(&mut self, listener: Listener) -> ListenerId {
        let id = ListenerId(self.listeners.len() as u32);
        self.listeners.push(Some(listener));
        self.listeners_version += 1;
        id
    }

    /// Removes a listener; returns whether it was registered.
    pub fn unlisten(&mut self, id: ListenerId) -> bool {
        let listener = self.listeners.get_mut(id.0 as usize);
        let was_there = listener.is_some_and(|listener| listener.take().is_some());
        self.listeners_version += u64::from(was_there);
        was_there
    }

    /// Replaces the broad phase by an empty one, which takes over all objects: no event is lost and none is reported twice.
    ///
    /// # Errors
    /// When the new one has objects already; the old one stays then.
    ///
    /// ```
    /// use impinge::{broad::SweepAndPrune, world::World};
    /// let mut world = World::default();
    /// world.set_broad_phase(Box::new(SweepAndPrune::default()))?;
    /// assert_eq!(world.broad_phase().name(), "sweep and prune");
    /// # Ok::<(), impinge::world::WorldError>(())
    /// ```
    pub fn set_broad_phase(&mut self, mut new: Box<dyn BroadPhase>) -> Result<(), WorldError> {
        swap_broad_phase(&*self.broad, &mut *new)?;
        self.broad = new;
        if let Some(control) = &mut self.broad_control {
            control.restart();
        }
        Ok(())
    }

    /// The broad phase.
    #[must_use]
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        &*self.broad
    }

    /// Sets the accuracy of all following steps, if no controller decides.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape};
    /// use impinge::world::{ContactAccuracy, AccuracyControl, Body, StepBudget, Class, AccuracyRecovery, EventMask, World};
    /// let mut world = World::default();
    /// world.interest_mut().set_classes(Class(0), Class(0), EventMask::TOUCHING);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// world.insert(Body::new(ball.clone()))?;
    /// world.insert(Body::new(ball).at(Pose::from_translation([1.5, 1.5, 0.0])?))?;
    /// assert_eq!(world.step().events.len(), 0);
    /// // Their boxes meet, so they may touch.
    /// world.set_accuracy(ContactAccuracy::Boxes);
    /// assert_eq!(world.step().events.len(), 1);
    /// // Any work is too much for this controller, which begins exact.
    /// world.set_accuracy_control(Some(AccuracyControl::new(StepBudget::Work(0), AccuracyRecovery::default())));
    /// assert_eq!(world.step().accuracy, ContactAccuracy::Exact);
    /// assert_eq!(world.accuracy(), ContactAccuracy::OrientedBoxes);
    /// world.set_accuracy_control(None);
    /// assert_eq!(world.accuracy(), ContactAccuracy::Boxes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_accuracy(&mut self, accuracy: ContactAccuracy) {
        self.accuracy = accuracy;
    }

    /// Sets a controller that chooses the accuracy of each step; none returns to the fixed
    /// accuracy.
    pub fn set_accuracy_control(&mut self, control: Option<AccuracyControl>) {
        self.control = control;
    }

    /// The accuracy of the next step.
    #[must_use]
    pub fn accuracy(&self) -> ContactAccuracy {
        let chosen = self.control.as_ref().map(AccuracyControl::accuracy);
        chosen.unwrap_or(self.accuracy)
    }

    /// The result of the last step.
    #[must_use]
    pub fn frame(&self) -> &WorldFrame {
        &self.frame
    }

    /// A near pair, to be queried again at other poses; none when its boxes did not meet at the last step.
    ///
    /// ```
    /// use impinge::{Pose, broad::ObjectPair, convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let a = world.insert(Body::new(ball.clone()))?;
    /// let b = world.insert(Body::new(ball.clone()))?;
    /// let far = world.insert(Body::new(ball).at(Pose::from_translation([9.0, 0.0, 0.0])?))?;
    /// world.step();
    /// assert!(world.pair(ObjectPair::new(a, b)).is_some());
    /// assert!(world.pair(ObjectPair::new(a, far)).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pair(&mut self, pair: ObjectPair) -> Option<PairHandle<'_>> {
        let entry = self.table.get_mut(pair)?;
        PairHandle::new(pair, entry.questions(), &self.objects, &self.config)
    }

    pub(super) fn ids(&self) -> &IdPool {
        self.objects.pool()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("broad", &self.broad.name())
            .field("objects", &self.len())
            .field("pairs", &self.table.entries.len())
            .field("listeners", &self.listeners.iter().flatten().count())
            .field("step", &self.frame.number)
            .finish_non_exhaustive()
    }
}
