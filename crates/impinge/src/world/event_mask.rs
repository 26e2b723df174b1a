//! Event mask: which events of a pair are reported.

use std::ops::BitOr;

use thiserror::Error;

/// The requested events of a pair: kinds of events, joined with `|`.
///
/// ```
/// use impinge::world::EventMask;
/// let mask = EventMask::OVERLAP_BEGIN | EventMask::closer_than(0.5)? | EventMask::closer_than(0.2)?;
/// assert!(mask.includes(EventMask::OVERLAP_BEGIN) && !mask.includes(EventMask::TOUCHING));
/// assert_eq!(mask.distance(), Some(0.5));
/// # Ok::<(), impinge::world::EventMaskError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventMask {
    kinds: u8,
    /// Meaningful when the kind is there.
    distance: f64,
}

/// Why a distance cannot be requested.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("a distance must be a number from 0 on, not {distance}")]
pub struct EventMaskError {
    /// The refused distance.
    pub distance: f64,
}

const CLOSER: u8 = 64;
const VOLUME: u8 = 128;

impl EventMask {
    /// Nothing at all.
    pub const NOTHING: Self = Self::of(0);
    /// The boxes meet now and did not at the step before.
    pub const OVERLAP_BEGIN: Self = Self::of(1);
    /// The boxes met at the step before and do not now.
    pub const OVERLAP_END: Self = Self::of(2);
    /// The shapes touch now and did not before.
    pub const CONTACT_BEGIN: Self = Self::of(4);
    /// The shapes touched before and do not now.
    pub const CONTACT_END: Self = Self::of(8);
    /// The shapes touch: reported at every step.
    pub const TOUCHING: Self = Self::of(16);
    /// Where the shapes touch: reported at every step.
    pub const CONTACTS: Self = Self::of(32);
    /// How much volume the solids share, with the force that separates them: reported at every step. By which method,
    /// says [`PairConfig::volume_method`](crate::pair::PairConfig::volume_method).
    pub const VOLUME: Self = Self::of(VOLUME);
    /// Both events of boxes.
    pub const OVERLAP: Self = Self::of(1 | 2);
    /// Both events of exact contact.
    pub const CONTACT: Self = Self::of(4 | 8);

    /// The mask of this name, as bindings spell it: `overlap-begin`, `overlap-end`, `overlap`,
    /// `contact-begin`, `contact-end`, `contact`, `touching`, `contacts` or `volume`.
    ///
    /// ```
    /// use impinge::world::EventMask;
    /// assert_eq!(EventMask::from_name("touching"), Some(EventMask::TOUCHING));
    /// assert!(EventMask::from_name("near").is_none());
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "overlap-begin" => Self::OVERLAP_BEGIN,
            "overlap-end" => Self::OVERLAP_END,
            "overlap" => Self::OVERLAP,
            "contact-begin" => Self::CONTACT_BEGIN,
            "contact-end" => Self::CONTACT_END,
            "contact" => Self::CONTACT,
            "touching" => Self::TOUCHING,
            "contacts" => Self::CONTACTS,
            "volume" => Self::VOLUME,
            _ => return None,
        })
    }

    const fn of(kinds: u8) -> Self {
        Self {
            kinds,
            distance: 0.0,
        }
    }

    /// The shapes are at most this far apart: reported at every step, with two nearest points.
    ///
    /// # Errors
    /// When the distance is negative, infinite or not a number.
    ///
    /// ```
    /// use impinge::world::EventMask;
    /// assert!(EventMask::closer_than(f64::NAN).is_err() && EventMask::closer_than(0.0).is_ok());
    /// ```
    pub fn closer_than(distance: f64) -> Result<Self, EventMaskError> {
        if !(distance >= 0.0 && distance.is_finite()) {
            return Err(EventMaskError { distance });
        }
        Ok(Self {
            kinds: CLOSER,
            distance,
        })
    }

    /// Whether nothing is requested.
    ///
    /// ```
    /// use impinge::world::EventMask;
    /// assert!(EventMask::NOTHING.is_nothing() && !EventMask::CONTACT_BEGIN.is_nothing());
    /// ```
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.kinds == 0
    }

    /// Whether all of the other's kinds are requested, at its distance or a larger one.
    ///
    /// ```
    /// use impinge::world::EventMask;
    /// assert!(EventMask::OVERLAP.includes(EventMask::OVERLAP_END) && !EventMask::OVERLAP_END.includes(EventMask::OVERLAP));
    /// ```
    #[must_use]
    pub fn includes(&self, other: Self) -> bool {
        self.kinds & other.kinds == other.kinds && self.distance >= other.distance
    }

    /// The distance within which nearness is reported, if it is.
    ///
    /// ```
    /// use impinge::world::EventMask;
    /// assert_eq!(EventMask::CONTACTS.distance(), None);
    /// ```
    #[must_use]
    pub fn distance(&self) -> Option<f64> {
        (self.kinds & CLOSER != 0).then_some(self.distance)
    }

    /// The same with no larger distance than this one.
    pub(super) fn cut_to(self, distance: f64) -> Self {
        Self {
            distance: self.distance.min(distance),
            ..self
        }
    }

    /// Whether it is about boxes that begin or cease to meet.
    pub(super) fn tells_boxes(&self) -> bool {
        self.kinds & 3 != 0
    }

    /// Whether it is about contact that begins or ends.
    pub(super) fn tells_contact(&self) -> bool {
        self.kinds & 12 != 0
    }

    /// Whether exact contact must be decided for it.
    pub(super) fn needs_contact(&self) -> bool {
        self.kinds & (4 | 8 | 16 | 32) != 0
    }

    /// Whether the shapes must be examined for it, and not their boxes alone.
    pub(super) fn needs_shapes(&self) -> bool {
        self.needs_contact() || self.kinds & VOLUME != 0 || self.distance().is_some()
    }

    /// The same without what only the shapes can tell.
    pub(super) fn of_boxes(&self) -> Self {
        Self::of(self.kinds & 3)
    }

    /// The kinds as bits, for records.
    pub(super) fn bits(&self) -> u8 {
        self.kinds
    }

    /// The mask of these bits, for records.
    pub(super) fn from_bits(bits: u8, distance: f64) -> Option<Self> {
        let kinds = Self::of(bits & !CLOSER);
        if bits & CLOSER == 0 {
            return Some(kinds);
        }
        Self::closer_than(distance).ok().map(|near| near | kinds)
    }
}

impl BitOr for EventMask {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            kinds: self.kinds | other.kinds,
            distance: self.distance.max(other.distance),
        }
    }
}
