//! Velocity from positions.
//!
//! **Question.** How fast does the tool move, when only rounded positions are measured?
//! **Idea.** The window: the difference of the newest and the oldest position of the last 20 ms. The
//! adaptive window (FOAW): the longest window whose chord passes every sample in it within the
//! noise of the sensor, so that it is long at rest and short when the hand changes direction.
//! **Source.** Janabi-Sharifi, Hayward, Chen 2000, *Discrete-time adaptive windowing for velocity
//! estimation*, IEEE Trans. Control Systems Technology 8(6); end-fit form, in three dimensions.
//! **Cost.** The window O(1); the adaptive window O(n²) for n ≤ 32 samples, no allocation.
//! **Promise.** On a straight path at constant speed, sampled with an error of at most the noise, the
//! adaptive window's error is at most twice the noise divided by the window's duration.
//! **Limits.** At most 128 (32) samples are kept; at more than 6.4 kHz the window becomes shorter.

use impinge::DVec3;

use crate::{MILLISECOND_NS, QuantityError, quantity, seconds_between};

/// Duration of the fixed window.
pub const VELOCITY_WINDOW_NS: u64 = 20 * MILLISECOND_NS;

/// The newest samples, at most `N`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Samples<const N: usize> {
    ring: [(u64, DVec3); N],
    newest: usize,
    count: usize,
}

impl<const N: usize> Samples<N> {
    const EMPTY: Self = Self {
        ring: [(0, DVec3::ZERO); N],
        newest: 0,
        count: 0,
    };

    /// Adds a sample; one that is not later than the newest replaces it.
    fn push(&mut self, time_ns: u64, position: DVec3) {
        if self.count > 0 {
            let newest = self.ring[self.newest];
            if time_ns > newest.0 {
                self.newest = (self.newest + 1) % N;
                self.count = (self.count + 1).min(N);
            }
        } else {
            self.count = 1;
        }
        self.ring[self.newest] = (time_ns, position);
    }

    /// The sample this many before the newest.
    fn back(&self, steps: usize) -> Option<(u64, DVec3)> {
        (steps < self.count).then(|| self.ring[(self.newest + N - steps) % N])
    }
}

/// Velocity by a window of 20 ms.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::device::WindowVelocity;
/// let mut velocity = WindowVelocity::default();
/// for ms in 0..40 {
///     velocity.update(ms * 1_000_000, DVec3::X * (ms as f64 * 1e-3));
/// }
/// assert!((velocity.get() - DVec3::X).length() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowVelocity {
    samples: Samples<128>,
    velocity: DVec3,
}

impl Default for WindowVelocity {
    fn default() -> Self {
        Self {
            samples: Samples::EMPTY,
            velocity: DVec3::ZERO,
        }
    }
}

impl WindowVelocity {
    /// Takes a position and gives the velocity; 0 until there are two samples.
    pub fn update(&mut self, time_ns: u64, position: DVec3) -> DVec3 {
        self.samples.push(time_ns, position);
        self.velocity = DVec3::ZERO;
        for steps in 1..128 {
            let Some((then_ns, then)) = self.samples.back(steps) else {
                break;
            };
            // A sample beyond the window counts only if there is no other: the hand has rested, or
            // the device is slow.
            if steps > 1 && then_ns + VELOCITY_WINDOW_NS < time_ns {
                break;
            }
            let duration = seconds_between(then_ns, time_ns);
            if duration > 0.0 {
                self.velocity = (position - then) / duration;
            }
        }
        self.velocity
    }

    /// The velocity at the newest sample.
    #[must_use]
    pub fn get(&self) -> DVec3 {
        self.velocity
    }
}

/// Velocity by a first-order adaptive window (FOAW).
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::device::AdaptiveVelocity;
/// let mut velocity = AdaptiveVelocity::new(1e-5)?;
/// for ms in 0..40_u64 {
///     // A sensor that counts in steps of 0.01 mm.
///     let measured = (ms as f64 * 0.1234 / 0.01).round() * 1e-5;
///     velocity.update(ms * 1_000_000, DVec3::X * measured);
/// }
/// assert!((velocity.get().x - 0.1234).abs() < 2e-5 / 0.031 && velocity.window() == 31);
/// # Ok::<(), impinge_dynamics::QuantityError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveVelocity {
    samples: Samples<32>,
    noise: f64,
    velocity: DVec3,
    window: usize,
}

impl AdaptiveVelocity {
    /// An estimator for positions that are off by at most `noise` metres.
    ///
    /// # Errors
    /// [`QuantityError`] when the noise is not positive and finite.
    pub fn new(noise: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            samples: Samples::EMPTY,
            noise: quantity::positive("position noise", noise)?,
            velocity: DVec3::ZERO,
            window: 0,
        })
    }

    /// Takes a position and gives the velocity; 0 until there are two samples.
    pub fn update(&mut self, time_ns: u64, position: DVec3) -> DVec3 {
        self.samples.push(time_ns, position);
        (self.velocity, self.window) = (DVec3::ZERO, 0);
        for steps in 1..32 {
            let Some((then_ns, then)) = self.samples.back(steps) else {
                break;
            };
            let duration = seconds_between(then_ns, time_ns);
            if duration <= 0.0 {
                break;
            }
            let slope = (position - then) / duration;
            let fits = (1..steps).all(|between| {
                self.samples.back(between).is_none_or(|(at_ns, at)| {
                    let chord = then + slope * seconds_between(then_ns, at_ns);
                    (at - chord).length() <= self.noise
                })
            });
            if !fits {
                break;
            }
            (self.velocity, self.window) = (slope, steps);
        }
        self.velocity
    }

    /// The velocity at the newest sample.
    #[must_use]
    pub fn get(&self) -> DVec3 {
        self.velocity
    }

    /// How many sampling intervals the velocity was taken over.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }
}
