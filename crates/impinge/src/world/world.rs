//! Objects, and who is interested in which of them.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use super::accuracy::{Accuracy, AccuracyControl};
use super::asking::PairHandle;
use super::body::{Body, Enclosure, Object};
use super::contacts::PairTable;
use super::event::{Event, Frame};
use super::filter::PairFilter;
use super::interest::Interest;
use super::listener::{Callback, Listener, ListenerId, Reply};
use super::scene_graph::SceneGraph;
use super::slots::{IdPool, Slots};
use super::trace::Recorder;
use super::wish::Wish;
use crate::bound::Aabb;
use crate::broad::{BroadError, BroadPhase, ObjectId, Pair, Tree, exchange};
use crate::math::Pose;
use crate::pair::PairConfig;

/// How a world works.
#[derive(Clone, Debug, Default)]
pub struct WorldConfig {
    /// How pairs are asked: whether meshes are solid, which engine answers, which kinds of the user's own there are.
    pub pair: PairConfig,
    /// Whether only boxes are looked at: hello and goodbye, nothing else.
    pub boxes_only: bool,
    /// Whether `Touching`, `Contacts` and `Closer` are told only at steps before which one of the two moved. Otherwise they are
    /// told at every step while they hold; what did not change is not computed again in either case.
    pub news_only: bool,
    /// Whether a step stays on the thread that calls it. Answers are the same either way.
    pub serial: bool,
}

/// Why a world refuses.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// There is no such object.
    #[error("{id} is not here")]
    Unknown {
        /// The id asked for.
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
/// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Class, Wish, World}};
/// let mut world = World::default();
/// world.interest_mut().set_classes(Class(0), Class(0), Wish::TOUCHING);
/// let ball = Shape::from(Ball::new(1.0)?);
/// let a = world.insert(Body::new(ball.clone()))?;
/// let b = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// assert!(world.bounds(b).is_none(), "no step yet");
/// assert_eq!(world.step().events.len(), 1);
/// assert!(world.bounds(b).is_some_and(|bounds| bounds.min.x <= 0.5 && bounds.max.x >= 2.5));
/// // Nothing is told of two static objects.
/// world.set_static(a, true)?;
/// world.set_static(b, true)?;
/// world.step();
/// assert!(world.frame().events.is_empty());
/// world.set_tag(b, 7)?;
/// let tags: Vec<u64> = world.bodies().map(|(_, body)| body.tag).collect();
/// assert_eq!(tags, [0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    pub(super) config: WorldConfig,
    pub(super) broad: Box<dyn BroadPhase>,
    pub(super) objects: Slots<Object>,
    pub(super) interest: Interest,
    pub(super) listeners: Vec<Option<Listener>>,
    /// Changes whenever a listener comes or goes, or what filters see of an object does.
    pub(super) listeners_version: u64,
    /// The versions that the table's wishes were made from.
    pub(super) resolved: (u64, u64),
    pub(super) table: PairTable,
    /// Objects that moved since the last step, each once.
    pub(super) moved: Vec<ObjectId>,
    pub(super) enclosed: BTreeMap<ObjectId, ObjectId>,
    /// Whether enclosures existed at the last step.
    pub(super) had_enclosed: bool,
    /// How far the boxes of the broad phase are wider than those of objects.
    pub(super) reach: f64,
    pub(super) frame: Frame,
    /// Which listeners are to be called for the events of the frame: places of events and numbers of listeners.
    pub(super) deliveries: Vec<(u32, u32)>,
    pub(super) accuracy: Accuracy,
    pub(super) control: Option<AccuracyControl>,
    pub(super) recorder: Option<Box<Recorder>>,
    pub(super) keeps_poses: bool,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Tree::default(), WorldConfig::default())
    }
}

impl World {
    /// An empty world with this broad phase.
    ///
    /// ```
    /// use impinge::{broad::Exhaustive, world::{World, WorldConfig}};
    /// let world = World::new(Exhaustive::default(), WorldConfig::default());
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new(broad: impl BroadPhase + 'static, config: WorldConfig) -> Self {
        Self {
            config,
            broad: Box::new(broad),
            objects: Slots::default(),
            interest: Interest::default(),
            listeners: Vec::new(),
            listeners_version: 0,
            resolved: (0, 0),
            table: PairTable::default(),
            moved: Vec::new(),
            enclosed: BTreeMap::new(),
            had_enclosed: false,
            reach: 0.0,
            frame: Frame::default(),
            deliveries: Vec::new(),
            accuracy: Accuracy::Exact,
            control: None,
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

    /// Takes an object in; it is looked at from the next step on.
    ///
    /// # Errors
    /// When there are too many objects.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let id = world.insert(Body::new(Shape::from(Ball::new(1.0)?)))?;
    /// assert_eq!(world.len(), 1);
    /// world.remove(id)?;
    /// assert!(world.remove(id).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert(&mut self, body: Body) -> Result<ObjectId, WorldError> {
        let count = self.objects.len();
        let id = self.objects.insert(Object::new(body));
        let id = id.ok_or(WorldError::TooMany { count })?;
        self.entered(id);
        Ok(id)
    }

    /// Takes an object in under an id that another pool gave; nothing happens when its slot is taken.
    pub(super) fn insert_as(&mut self, id: ObjectId, body: Body) -> bool {
        let is_in = self.objects.insert_as(id, Object::new(body));
        if is_in {
            self.entered(id);
        }
        is_in
    }

    fn entered(&mut self, id: ObjectId) {
        self.touch(id);
        if let (Some(recorder), Some(object)) = (&mut self.recorder, self.objects.get(id)) {
            recorder.inserted(id, &object.body);
        }
    }

    /// Lets an object go. Its pairs end at the next step.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn remove(&mut self, id: ObjectId) -> Result<(), WorldError> {
        let children: Vec<ObjectId> = self.children_of(id);
        for child in children {
            self.release(child)?;
        }
        let object = self.objects.remove(id).ok_or(WorldError::Unknown { id })?;
        if object.is_in_broad {
            self.broad.remove(id)?;
        }
        self.enclosed.remove(&id);
        self.interest.forget(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.removed(id);
        }
        Ok(())
    }

    /// Puts an object somewhere else.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn set_pose(&mut self, id: ObjectId, world_from_body: Pose) -> Result<(), WorldError> {
        self.object_mut(id)?.body.world_from_body = world_from_body;
        self.touch(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.moved(id, &world_from_body);
        }
        Ok(())
    }

    /// Makes an object static or moving. Nothing is told of two static objects, not even that their boxes meet.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn set_static(&mut self, id: ObjectId, is_static: bool) -> Result<(), WorldError> {
        self.object_mut(id)?.body.is_static = is_static;
        self.listeners_version += 1;
        if let Some(recorder) = &mut self.recorder {
            recorder.made_static(id, is_static);
        }
        Ok(())
    }

    /// Gives an object another tag.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn set_tag(&mut self, id: ObjectId, tag: u64) -> Result<(), WorldError> {
        self.object_mut(id)?.body.tag = tag;
        self.listeners_version += 1;
        Ok(())
    }

    /// An object; none when there is no such.
    #[must_use]
    pub fn body(&self, id: ObjectId) -> Option<&Body> {
        self.objects.get(id).map(|object| &object.body)
    }

    /// All objects, by id.
    pub fn bodies(&self) -> impl Iterator<Item = (ObjectId, &Body)> {
        self.objects.iter().map(|(id, object)| (id, &object.body))
    }

    /// The box of an object at the last step, with room for rounding: none before its first step, or when its shape has no
    /// points.
    #[must_use]
    pub fn bounds(&self, id: ObjectId) -> Option<Aabb> {
        self.objects.get(id)?.bounds
    }

    fn object_mut(&mut self, id: ObjectId) -> Result<&mut Object, WorldError> {
        self.objects.get_mut(id).ok_or(WorldError::Unknown { id })
    }

    /// Puts an object into the buffer of moved ones, once.
    fn touch(&mut self, id: ObjectId) {
        let next = self.frame.number + 1;
        if let Some(object) = self.objects.get_mut(id)
            && object.moved != next
        {
            object.moved = next;
            self.moved.push(id);
        }
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

    /// Takes an object out of the broad phase and ties it to another that encloses it: the two are always near. For
    /// objects whose own box is costly or of no use, such as particles in a tank.
    ///
    /// # Errors
    /// When there is no such object, or one of them is enclosed or encloses already.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, Enclosure, World}};
    /// let mut world = World::default();
    /// let tank = world.insert(Body::new(Shape::from(Ball::new(2.0)?)))?;
    /// let drop = world.insert(Body::new(Shape::from(Ball::new(0.5)?)))?;
    /// world.enclose(drop, tank, Enclosure::ParentOnly)?;
    /// assert!(world.enclose(tank, drop, Enclosure::ParentOnly).is_err());
    /// // The two are near, though the broad phase knows only the tank.
    /// assert_eq!(world.step().stats.near, 1);
    /// assert_eq!(world.broad_phase().bodies().len(), 1);
    /// world.release(drop)?;
    /// world.step();
    /// assert_eq!(world.broad_phase().bodies().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enclose(
        &mut self,
        child: ObjectId,
        parent: ObjectId,
        mode: Enclosure,
    ) -> Result<(), WorldError> {
        let is_enclosed = self.object_mut(parent)?.enclosed.is_some();
        if child == parent || is_enclosed || !self.children_of(child).is_empty() {
            return Err(WorldError::Nested { child, parent });
        }
        let object = self.object_mut(child)?;
        object.enclosed = Some((parent, mode));
        if std::mem::take(&mut object.is_in_broad) {
            self.broad.remove(child)?;
        }
        self.enclosed.insert(child, parent);
        self.touch(child);
        if let Some(recorder) = &mut self.recorder {
            recorder.enclosed(child, Some((parent, mode)));
        }
        Ok(())
    }

    /// Lets an enclosed object into the broad phase again.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn release(&mut self, child: ObjectId) -> Result<(), WorldError> {
        if self.object_mut(child)?.enclosed.take().is_some() {
            self.enclosed.remove(&child);
            self.touch(child);
            if let Some(recorder) = &mut self.recorder {
                recorder.enclosed(child, None);
            }
        }
        Ok(())
    }

    fn children_of(&self, parent: ObjectId) -> Vec<ObjectId> {
        let enclosed = self.enclosed.iter();
        let own = enclosed.filter(|(_, encloser)| **encloser == parent);
        own.map(|(&child, _)| child).collect()
    }

    /// What is wished of pairs.
    pub fn interest_mut(&mut self) -> &mut Interest {
        &mut self.interest
    }

    /// Calls the function with every event of these kinds, of pairs that match, after each step: in order of the
    /// events, and for one event in order of registration. Of pairs that are near already, hello and began are told now, unless
    /// they were told to someone else.
    pub fn listen(
        &mut self,
        filter: PairFilter,
        wish: Wish,
        callback: impl FnMut(&Event, &mut Reply<'_>) + Send + 'static,
    ) -> ListenerId {
        self.add(filter, wish, Callback::Serial(Box::new(callback)))
    }

    /// The same for a function that may be called for several events at once, from several threads. Such functions are called
    /// before the others; what they ask for is done in the order of events all the same.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicU32, Ordering::Relaxed}};
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, PairFilter, Wish, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// for _ in 0..3 { world.insert(Body::new(ball.clone()))?; }
    /// let count = Arc::new(AtomicU32::new(0));
    /// let heard = Arc::clone(&count);
    /// let listener = world.listen_parallel(PairFilter::any(), Wish::TOUCHING, move |_, _| { heard.fetch_add(1, Relaxed); });
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
        wish: Wish,
        callback: impl Fn(&Event, &mut Reply<'_>) + Send + Sync + 'static,
    ) -> ListenerId {
        self.add(filter, wish, Callback::Parallel(Box::new(callback)))
    }

    fn add(&mut self, filter: PairFilter, wish: Wish, callback: Callback) -> ListenerId {
        let id = ListenerId(self.listeners.len() as u32);
        self.listeners.push(Some(Listener {
            filter,
            wish,
            callback,
        }));
        self.listeners_version += 1;
        id
    }

    /// Takes a listener away; whether it was there.
    pub fn unlisten(&mut self, id: ListenerId) -> bool {
        let listener = self.listeners.get_mut(id.0 as usize);
        let was_there = listener.is_some_and(|listener| listener.take().is_some());
        self.listeners_version += u64::from(was_there);
        was_there
    }

    /// Replaces the broad phase by an empty one, which takes over all objects: no event is lost and none is told twice.
    ///
    /// # Errors
    /// When the new one has objects already; the old one stays then.
    ///
    /// ```
    /// use impinge::{broad::SweepPrune, world::World};
    /// let mut world = World::default();
    /// world.set_broad_phase(Box::new(SweepPrune::default()))?;
    /// assert_eq!(world.broad_phase().name(), "sweep and prune");
    /// # Ok::<(), impinge::world::WorldError>(())
    /// ```
    pub fn set_broad_phase(&mut self, mut new: Box<dyn BroadPhase>) -> Result<(), WorldError> {
        exchange(&*self.broad, &mut *new)?;
        self.broad = new;
        Ok(())
    }

    /// The broad phase.
    #[must_use]
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        &*self.broad
    }

    /// Answers all following steps this way, if no controller decides.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape};
    /// use impinge::world::{Accuracy, AccuracyControl, Body, Budget, Class, Recovery, Wish, World};
    /// let mut world = World::default();
    /// world.interest_mut().set_classes(Class(0), Class(0), Wish::TOUCHING);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// world.insert(Body::new(ball.clone()))?;
    /// world.insert(Body::new(ball).at(Pose::from_translation([1.5, 1.5, 0.0])?))?;
    /// assert_eq!(world.step().events.len(), 0);
    /// // Their boxes meet, so they may touch.
    /// world.set_accuracy(Accuracy::Boxes);
    /// assert_eq!(world.step().events.len(), 1);
    /// // Any work is too much for this controller, which begins exact.
    /// world.set_accuracy_control(Some(AccuracyControl::new(Budget::Work(0), Recovery::default())));
    /// assert_eq!(world.step().accuracy, Accuracy::Exact);
    /// assert_eq!(world.accuracy(), Accuracy::OrientedBoxes);
    /// world.set_accuracy_control(None);
    /// assert_eq!(world.accuracy(), Accuracy::Boxes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_accuracy(&mut self, accuracy: Accuracy) {
        self.accuracy = accuracy;
    }

    /// Lets a controller choose how exactly each step is answered; none goes back to the fixed way.
    pub fn set_accuracy_control(&mut self, control: Option<AccuracyControl>) {
        self.control = control;
    }

    /// How the next step will be answered.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        let chosen = self.control.as_ref().map(AccuracyControl::accuracy);
        chosen.unwrap_or(self.accuracy)
    }

    /// What the last step found.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// A near pair, to be asked again with other placements; none when its boxes did not meet at the last step.
    ///
    /// ```
    /// use impinge::{Pose, broad::Pair, convex::Ball, pair::Shape, world::{Body, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let a = world.insert(Body::new(ball.clone()))?;
    /// let b = world.insert(Body::new(ball.clone()))?;
    /// let far = world.insert(Body::new(ball).at(Pose::from_translation([9.0, 0.0, 0.0])?))?;
    /// world.step();
    /// assert!(world.pair(Pair::new(a, b)).is_some());
    /// assert!(world.pair(Pair::new(a, far)).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pair(&mut self, pair: Pair) -> Option<PairHandle<'_>> {
        let entry = self.table.get_mut(pair)?;
        PairHandle::new(pair, entry.questions(), &self.objects, &self.config.pair)
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
