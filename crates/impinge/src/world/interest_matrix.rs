//! Interest matrix: which events are requested of which pairs.

use std::collections::BTreeMap;
use std::fmt;

use super::body::{Body, Class};
use super::event_mask::{EventMask, EventMaskError};
use crate::broad::{ObjectId, ObjectPair};

/// Fills pairs for which nothing was set.
type General = dyn Fn((ObjectId, &Body), (ObjectId, &Body)) -> EventMask + Send + Sync;

/// The requested events of each pair, by pair, by classes, or by a general rule: the first of these
/// that was set counts.
///
/// A pair set to [`EventMask::NOTHING`] is ignored: it has no events, not even for listeners to all
/// pairs. For a pair that was not set, listeners decide.
///
/// ```
/// use impinge::{broad::{ObjectId, ObjectPair}, world::{Class, InterestMatrix, EventMask}};
/// let (robot, wall) = (Class(0), Class(1));
/// let mut interest = InterestMatrix::default();
/// interest.set_classes(robot, wall, EventMask::CONTACT);
/// let pair = ObjectPair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
/// assert_eq!(interest.entry(pair, wall, robot), Some(EventMask::CONTACT));
/// interest.set_pair(pair, EventMask::NOTHING);
/// assert_eq!(interest.entry(pair, wall, robot), Some(EventMask::NOTHING));
/// assert_eq!(interest.entry(pair, robot, robot), Some(EventMask::NOTHING));
/// ```
#[derive(Default)]
pub struct InterestMatrix {
    /// Rows of a triangle: the entry of classes `i ≤ j` is at `j (j + 1) / 2 + i`.
    classes: Vec<Option<EventMask>>,
    pairs: BTreeMap<ObjectPair, EventMask>,
    general: Option<Box<General>>,
    /// The largest distance that the general rule may give.
    general_reach: f64,
    /// Changes whenever anything does.
    version: u64,
}

fn place(x: Class, y: Class) -> usize {
    let (low, high) = (usize::from(x.0.min(y.0)), usize::from(x.0.max(y.0)));
    high * (high + 1) / 2 + low
}

impl InterestMatrix {
    /// Sets the requested events of all pairs of these two classes.
    pub fn set_classes(&mut self, x: Class, y: Class, mask: EventMask) {
        let place = place(x, y);
        if self.classes.len() <= place {
            self.classes.resize(place + 1, None);
        }
        self.classes[place] = Some(mask);
        self.version += 1;
    }

    /// Removes what was set for these two classes.
    ///
    /// ```
    /// use impinge::{broad::{ObjectId, ObjectPair}, world::{Class, InterestMatrix, EventMask}};
    /// let mut interest = InterestMatrix::default();
    /// interest.set_classes(Class(0), Class(0), EventMask::NOTHING);
    /// interest.clear_classes(Class(0), Class(0));
    /// let pair = ObjectPair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
    /// assert_eq!(interest.entry(pair, Class(0), Class(0)), None);
    /// ```
    pub fn clear_classes(&mut self, x: Class, y: Class) {
        if let Some(entry) = self.classes.get_mut(place(x, y)) {
            *entry = None;
            self.version += 1;
        }
    }

    /// Sets the requested events of one pair, whatever its classes.
    pub fn set_pair(&mut self, pair: ObjectPair, mask: EventMask) {
        self.pairs.insert(ObjectPair::new(pair.a, pair.b), mask);
        self.version += 1;
    }

    /// Removes what was set for one pair.
    ///
    /// ```
    /// use impinge::{broad::{ObjectId, ObjectPair}, world::{Class, InterestMatrix, EventMask}};
    /// let mut interest = InterestMatrix::default();
    /// let pair = ObjectPair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
    /// interest.set_pair(pair, EventMask::OVERLAP_BEGIN);
    /// interest.clear_pair(pair);
    /// assert_eq!(interest.entry(pair, Class(0), Class(0)), None);
    /// ```
    pub fn clear_pair(&mut self, pair: ObjectPair) {
        self.pairs.remove(&ObjectPair::new(pair.a, pair.b));
        self.version += 1;
    }

    /// Gives a rule for pairs for which nothing is set, neither by pair nor by classes. It is called once
    /// for each pair that comes near, and again when this matrix changes. A rule that masks for nearness needs a reach: see
    /// [`set_general_within`](Self::set_general_within).
    ///
    /// ```
    /// use impinge::{convex::Ball, broad::{ObjectId, ObjectPair}, pair::Shape, world::{Body, InterestMatrix, EventMask}};
    /// let mut interest = InterestMatrix::default();
    /// interest.set_general(|(_, x), (_, y)| if x.tag == y.tag { EventMask::NOTHING } else { EventMask::TOUCHING });
    /// let body = Body::new(Shape::from(Ball::new(1.0)?));
    /// let (x, y) = (ObjectId::new(0, 0), ObjectId::new(1, 0));
    /// assert_eq!(interest.mask((x, &body), (y, &body)), Some(EventMask::NOTHING));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_general(
        &mut self,
        rule: impl Fn((ObjectId, &Body), (ObjectId, &Body)) -> EventMask + Send + Sync + 'static,
    ) {
        self.general = Some(Box::new(rule));
        self.version += 1;
    }

    /// Gives a rule that may mask to hear of pairs up to this distance from each other, of each pair its own. Boxes in the broad phase are widened
    /// accordingly, so that no such pair is missed; a mask for a larger distance is cut to this one.
    ///
    /// # Errors
    /// When the distance is negative, infinite or not a number; the matrix stays as it was.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, EventMask, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// for x in [0.0, 3.0, 7.0] {
    ///     world.insert(Body::new(ball.clone()).at(Pose::from_translation([x, 0.0, 0.0])?).with_tag(x as u64))?;
    /// }
    /// let (near, far) = (EventMask::closer_than(0.5)?, EventMask::closer_than(2.5)?);
    /// world.interest_mut().set_general_within(2.5, move |(_, x), (_, y)| if x.tag + y.tag > 9 { far } else { near })?;
    /// // The first two are 1 apart, more than the rule wants to hear of; the last two are 2 apart.
    /// let closer: Vec<u32> = world.step().named("closer").map(|event| event.pair.a.slot()).collect();
    /// assert_eq!(closer, [1]);
    /// assert!(world.interest_mut().set_general_within(f64::NAN, |_, _| EventMask::NOTHING).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_general_within(
        &mut self,
        distance: f64,
        rule: impl Fn((ObjectId, &Body), (ObjectId, &Body)) -> EventMask + Send + Sync + 'static,
    ) -> Result<(), EventMaskError> {
        self.set_reach(EventMask::closer_than(distance)?);
        self.set_general(rule);
        Ok(())
    }

    /// Sets the largest distance that the general rule requests: pairs are searched that far, and
    /// its masks are clamped to it.
    ///
    /// ```
    /// use impinge::world::{InterestMatrix, EventMask};
    /// let mut interest = InterestMatrix::default();
    /// interest.set_reach(EventMask::closer_than(0.5)?);
    /// # Ok::<(), impinge::world::EventMaskError>(())
    /// ```
    pub fn set_reach(&mut self, mask: EventMask) {
        self.general_reach = mask.distance().unwrap_or(0.0);
        self.version += 1;
    }

    /// What was set for the pair, or else for its classes.
    #[must_use]
    pub fn entry(&self, pair: ObjectPair, class_a: Class, class_b: Class) -> Option<EventMask> {
        let pair = ObjectPair::new(pair.a, pair.b);
        let of_pair = self.pairs.get(&pair).copied();
        of_pair.or_else(|| self.classes.get(place(class_a, class_b)).copied().flatten())
    }

    /// What is requested of a pair: set for it, for its classes, or given by the general rule.
    #[must_use]
    pub fn mask(&self, x: (ObjectId, &Body), y: (ObjectId, &Body)) -> Option<EventMask> {
        let set = self.entry(ObjectPair::new(x.0, y.0), x.1.class, y.1.class);
        // What was not looked for far enough must not be told by luck.
        let general = || Some(self.general.as_ref()?(x, y).cut_to(self.general_reach));
        set.or_else(general)
    }

    /// Forgets what was set for pairs of an object that is gone.
    pub(super) fn forget(&mut self, id: ObjectId) {
        self.pairs.retain(|pair, _| pair.a != id && pair.b != id);
    }

    /// The largest distance that was set, within which nearness is reported.
    pub(super) fn reach(&self) -> f64 {
        let set = self.classes.iter().flatten().chain(self.pairs.values());
        set.filter_map(EventMask::distance)
            .fold(self.general_reach, f64::max)
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }
}

impl fmt::Debug for InterestMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interest")
            .field("classes", &self.classes.iter().flatten().count())
            .field("pairs", &self.pairs.len())
            .field("general", &self.general.is_some())
            .finish_non_exhaustive()
    }
}
