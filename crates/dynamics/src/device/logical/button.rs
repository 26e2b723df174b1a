//! Virtual buttons.

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::bvh::{MeshIndex, Solid};
use impinge::ccd::{ImpactCache, ImpactOptions, impact};
use impinge::math::Motion;
use impinge::query::Limits;
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::{QuantityError, quantity};

/// Why a virtual button was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ButtonError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// A mesh is open, so that inside and outside are undefined.
    #[error("the mesh of the {which} is not closed")]
    NotClosed {
        /// `button` or `finger`.
        which: &'static str,
    },
    /// The axis has no direction.
    #[error("the axis of a button must not be zero")]
    NoAxis,
}

/// The result of an update of a virtual button.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ButtonUpdate {
    /// Whether it is pressed now.
    pub pressed: bool,
    /// Whether it was pressed down in this update.
    pub down: bool,
    /// Whether it was released in this update. A fast tap does both.
    pub up: bool,
    /// How far the finger has gone in since it touched, in metres.
    pub depth: f64,
}

/// A button that is an object of the scene, and the finger that may press it.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::wide::WideTree, generate};
/// use impinge_dynamics::device::logical::VirtualButton;
/// use std::sync::Arc;
/// let plate = Arc::new(WideTree::new(Arc::new(generate::icosphere(0.01, 4)?)));
/// let finger = Arc::new(WideTree::new(Arc::new(generate::icosphere(0.005, 4)?)));
/// let mut button = VirtualButton::new(plate, finger, [0.0, 0.0, 1.0], 0.002, 0.001)?;
/// let at = |z: f64| Pose::from_translation([0.0, 0.0, z]);
/// assert!(!button.update(&at(0.02)?).pressed);
/// assert!(!button.update(&at(0.0145)?).pressed);
/// assert!(button.update(&at(0.012)?).down);
/// // A finger that rests keeps it pressed.
/// assert!(button.update(&at(0.012)?).pressed && button.is_pressed());
/// assert!(button.update(&at(0.02)?).up);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct VirtualButton {
    button: Arc<WideTree>,
    finger: Arc<WideTree>,
    axis: DVec3,
    press_depth: f64,
    release_gap: f64,
    cache: WideCache,
    impact_cache: ImpactCache,
    before: Option<Pose>,
    /// Where along the axis the finger's origin was when it touched; none while it does not.
    touched_at: Option<f64>,
    pressed: bool,
}

impl VirtualButton {
    /// A button of closed meshes. `axis` points out of the button, in its frame. The finger presses once it has gone in by
    /// `press_depth` metres since it touched, and lets go once it is farther away than `release_gap`, or back to half of the
    /// depth.
    ///
    /// # Errors
    /// [`ButtonError`] when a mesh is not closed, the axis is zero or a number negative.
    pub fn new(
        button: Arc<WideTree>,
        finger: Arc<WideTree>,
        axis: impl Into<DVec3>,
        press_depth: f64,
        release_gap: f64,
    ) -> Result<Self, ButtonError> {
        for (which, tree) in [("button", &button), ("finger", &finger)] {
            if tree.mesh().is_empty() || Solid::closed(tree).is_err() {
                return Err(ButtonError::NotClosed { which });
            }
        }
        let axis = axis.into();
        Ok(Self {
            button,
            finger,
            axis: axis.try_normalize().ok_or(ButtonError::NoAxis)?,
            press_depth: quantity::not_negative("press depth", press_depth)?,
            release_gap: quantity::not_negative("release gap", release_gap)?,
            cache: WideCache::default(),
            impact_cache: ImpactCache::default(),
            before: None,
            touched_at: None,
            pressed: false,
        })
    }

    /// Whether it is pressed.
    #[must_use]
    pub fn is_pressed(&self) -> bool {
        self.pressed
    }

    /// Moves the finger to its newest pose, in the button's frame. Between two poses it moves straight, turning the
    /// shortest way.
    pub fn update(&mut self, button_from_finger: &Pose) -> ButtonUpdate {
        let before = self.before.replace(*button_from_finger);
        let height = |pose: &Pose| self.axis.dot(pose.translation());
        let now = height(button_from_finger);
        if self.touched_at.is_none() {
            let motion = before.map(|before| Motion::between(&before, button_from_finger));
            let touched = motion.and_then(|motion| {
                let contact = impact(
                    &self.button,
                    &self.finger,
                    &Motion::still(&Pose::IDENTITY),
                    &motion,
                    &ImpactOptions::default(),
                    Limits::default(),
                    &mut self.impact_cache,
                );
                // What cannot be told from contact counts: no tap is missed.
                (contact.lower < 1.0).then(|| height(&motion.at(contact.lower)))
            });
            self.touched_at = touched;
        }
        let touches = self.touches(button_from_finger);
        if self.touched_at.is_none() && touches {
            // The first pose of all is in contact already.
            self.touched_at = Some(now);
        }
        let Some(touched_at) = self.touched_at else {
            return ButtonUpdate::default();
        };
        let depth = (touched_at - now).max(0.0);
        let was_pressed = self.pressed;
        let reached = depth >= self.press_depth;
        let down = !was_pressed && reached;
        let stays = touches && (reached || (was_pressed && depth >= self.press_depth / 2.0));
        self.pressed = (was_pressed || down) && stays;
        if !touches {
            self.touched_at = None;
        }
        ButtonUpdate {
            pressed: self.pressed,
            down,
            up: (was_pressed || down) && !self.pressed,
            depth,
        }
    }

    /// Whether finger and button share a point, or have and are not farther apart than the gap.
    fn touches(&mut self, button_from_finger: &Pose) -> bool {
        let gap = if self.touched_at.is_some() {
            self.release_gap
        } else {
            0.0
        };
        let (button, finger) = (&self.button, &self.finger);
        if button.is_within(finger, button_from_finger, gap, &mut self.cache) {
            return true;
        }
        // One inside the other: their surfaces are apart.
        match (Solid::closed(button), Solid::closed(finger)) {
            (Ok(button), Ok(finger)) => {
                button.intersects(&finger, button_from_finger, &mut self.cache)
            }
            _ => false,
        }
    }
}
