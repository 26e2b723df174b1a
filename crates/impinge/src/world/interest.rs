//! The interest matrix: which pairs someone wants to know about.

use std::collections::BTreeMap;
use std::fmt;

use super::body::{Body, Class};
use super::wish::{Wish, WishError};
use crate::broad::{ObjectId, Pair};

/// Fills pairs for which nothing was set.
type General = dyn Fn((ObjectId, &Body), (ObjectId, &Body)) -> Wish + Send + Sync;

/// What is wished of each pair, by pair, by classes, or by a general rule: the first of these that was set counts.
///
/// A pair set to [`Wish::NOTHING`] is ignored: nobody hears of it, not even who listens to all pairs. A pair that was not
/// set is the listeners' own matter.
///
/// ```
/// use impinge::{broad::{ObjectId, Pair}, world::{Class, Interest, Wish}};
/// let (robot, wall) = (Class(0), Class(1));
/// let mut interest = Interest::default();
/// interest.set_classes(robot, wall, Wish::CONTACT);
/// let pair = Pair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
/// assert_eq!(interest.entry(pair, wall, robot), Some(Wish::CONTACT));
/// interest.set_pair(pair, Wish::NOTHING);
/// assert_eq!(interest.entry(pair, wall, robot), Some(Wish::NOTHING));
/// assert_eq!(interest.entry(pair, robot, robot), Some(Wish::NOTHING));
/// ```
#[derive(Default)]
pub struct Interest {
    /// Rows of a triangle: the entry of classes `i ≤ j` is at `j (j + 1) / 2 + i`.
    classes: Vec<Option<Wish>>,
    pairs: BTreeMap<Pair, Wish>,
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

impl Interest {
    /// Says what is wished of all pairs of these two classes.
    pub fn set_classes(&mut self, x: Class, y: Class, wish: Wish) {
        let place = place(x, y);
        if self.classes.len() <= place {
            self.classes.resize(place + 1, None);
        }
        self.classes[place] = Some(wish);
        self.version += 1;
    }

    /// Forgets what was set for these two classes.
    ///
    /// ```
    /// use impinge::{broad::{ObjectId, Pair}, world::{Class, Interest, Wish}};
    /// let mut interest = Interest::default();
    /// interest.set_classes(Class(0), Class(0), Wish::NOTHING);
    /// interest.clear_classes(Class(0), Class(0));
    /// let pair = Pair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
    /// assert_eq!(interest.entry(pair, Class(0), Class(0)), None);
    /// ```
    pub fn clear_classes(&mut self, x: Class, y: Class) {
        if let Some(entry) = self.classes.get_mut(place(x, y)) {
            *entry = None;
            self.version += 1;
        }
    }

    /// Says what is wished of one pair, whatever its classes.
    pub fn set_pair(&mut self, pair: Pair, wish: Wish) {
        self.pairs.insert(Pair::new(pair.a, pair.b), wish);
        self.version += 1;
    }

    /// Forgets what was set for one pair.
    ///
    /// ```
    /// use impinge::{broad::{ObjectId, Pair}, world::{Class, Interest, Wish}};
    /// let mut interest = Interest::default();
    /// let pair = Pair::new(ObjectId::new(3, 0), ObjectId::new(1, 0));
    /// interest.set_pair(pair, Wish::HELLO);
    /// interest.clear_pair(pair);
    /// assert_eq!(interest.entry(pair, Class(0), Class(0)), None);
    /// ```
    pub fn clear_pair(&mut self, pair: Pair) {
        self.pairs.remove(&Pair::new(pair.a, pair.b));
        self.version += 1;
    }

    /// Gives a rule for pairs for which nothing is set, neither by pair nor by classes. It is asked once
    /// for each pair that comes near, and again when this matrix changes. A rule that wishes for nearness needs a reach: see
    /// [`set_general_within`](Self::set_general_within).
    ///
    /// ```
    /// use impinge::{convex::Ball, broad::{ObjectId, Pair}, pair::Shape, world::{Body, Interest, Wish}};
    /// let mut interest = Interest::default();
    /// interest.set_general(|(_, x), (_, y)| if x.tag == y.tag { Wish::NOTHING } else { Wish::TOUCHING });
    /// let body = Body::new(Shape::from(Ball::new(1.0)?));
    /// let (x, y) = (ObjectId::new(0, 0), ObjectId::new(1, 0));
    /// assert_eq!(interest.wish((x, &body), (y, &body)), Some(Wish::NOTHING));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_general(
        &mut self,
        rule: impl Fn((ObjectId, &Body), (ObjectId, &Body)) -> Wish + Send + Sync + 'static,
    ) {
        self.general = Some(Box::new(rule));
        self.version += 1;
    }

    /// Gives a rule that may wish to hear of pairs up to this distance from each other, of each pair its own. Boxes in the broad phase are widened
    /// accordingly, so that no such pair is missed; a wish for a larger distance is cut to this one.
    ///
    /// # Errors
    /// When the distance is negative, infinite or not a number; the matrix stays as it was.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Wish, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// for x in [0.0, 3.0, 7.0] {
    ///     world.insert(Body::new(ball.clone()).at(Pose::from_translation([x, 0.0, 0.0])?).with_tag(x as u64))?;
    /// }
    /// let (near, far) = (Wish::closer_than(0.5)?, Wish::closer_than(2.5)?);
    /// world.interest_mut().set_general_within(2.5, move |(_, x), (_, y)| if x.tag + y.tag > 9 { far } else { near })?;
    /// // The first two are 1 apart, more than the rule wants to hear of; the last two are 2 apart.
    /// let told: Vec<u32> = world.step().named("closer").map(|event| event.pair.a.slot()).collect();
    /// assert_eq!(told, [1]);
    /// assert!(world.interest_mut().set_general_within(f64::NAN, |_, _| Wish::NOTHING).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_general_within(
        &mut self,
        distance: f64,
        rule: impl Fn((ObjectId, &Body), (ObjectId, &Body)) -> Wish + Send + Sync + 'static,
    ) -> Result<(), WishError> {
        self.set_reach(Wish::closer_than(distance)?);
        self.set_general(rule);
        Ok(())
    }

    /// Says the largest distance that the general rule wishes to hear of: pairs are looked for that far, and its wishes are cut to it.
    ///
    /// ```
    /// use impinge::world::{Interest, Wish};
    /// let mut interest = Interest::default();
    /// interest.set_reach(Wish::closer_than(0.5)?);
    /// # Ok::<(), impinge::world::WishError>(())
    /// ```
    pub fn set_reach(&mut self, wish: Wish) {
        self.general_reach = wish.distance().unwrap_or(0.0);
        self.version += 1;
    }

    /// What was set for the pair, or else for its classes.
    #[must_use]
    pub fn entry(&self, pair: Pair, class_a: Class, class_b: Class) -> Option<Wish> {
        let pair = Pair::new(pair.a, pair.b);
        let of_pair = self.pairs.get(&pair).copied();
        of_pair.or_else(|| self.classes.get(place(class_a, class_b)).copied().flatten())
    }

    /// What is wished of a pair: set for it, for its classes, or given by the general rule.
    #[must_use]
    pub fn wish(&self, x: (ObjectId, &Body), y: (ObjectId, &Body)) -> Option<Wish> {
        let set = self.entry(Pair::new(x.0, y.0), x.1.class, y.1.class);
        // What was not looked for far enough must not be told by luck.
        let general = || Some(self.general.as_ref()?(x, y).cut_to(self.general_reach));
        set.or_else(general)
    }

    /// Forgets what was set for pairs of an object that is gone.
    pub(super) fn forget(&mut self, id: ObjectId) {
        self.pairs.retain(|pair, _| pair.a != id && pair.b != id);
    }

    /// The largest distance that was set, within which nearness is to be told.
    pub(super) fn reach(&self) -> f64 {
        let set = self.classes.iter().flatten().chain(self.pairs.values());
        set.filter_map(Wish::distance)
            .fold(self.general_reach, f64::max)
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interest")
            .field("classes", &self.classes.iter().flatten().count())
            .field("pairs", &self.pairs.len())
            .field("general", &self.general.is_some())
            .finish_non_exhaustive()
    }
}
