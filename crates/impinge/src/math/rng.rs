//! A small seeded generator whose numbers are the same on every machine.

use glam::DVec3;

/// A deterministic stream of random numbers (SplitMix64), equal on every platform for equal seeds.
///
/// ```
/// use impinge::math::Rng;
/// let (mut a, mut b) = (Rng::new(7), Rng::new(7));
/// assert_eq!(a.next_u64(), b.next_u64());
/// assert!((0.0..1.0).contains(&a.unit()));
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream that belongs to `seed`.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert_ne!(Rng::new(1).next_u64(), Rng::new(2).next_u64());
    /// ```
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert_eq!(Rng::new(0).next_u64(), 0xE220_A839_7B1D_CDAF);
    /// ```
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `[0, 1)` with 53 random bits.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert!(Rng::new(3).unit() < 1.0);
    /// ```
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in `[lo, hi)`; `lo` when the range is empty.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert!((2.0..3.0).contains(&Rng::new(3).range(2.0, 3.0)));
    /// assert_eq!(Rng::new(3).range(2.0, 2.0), 2.0);
    /// ```
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        let unit = self.unit();
        let drawn = lo + (hi - lo) * unit;
        if drawn.is_finite() {
            return drawn;
        }
        // The range is wider than the largest number, or has no finite ends.
        let limit = |x: f64| {
            if x.is_nan() {
                0.0
            } else {
                x.clamp(f64::MIN, f64::MAX)
            }
        };
        limit(lo) * (1.0 - unit) + limit(hi) * unit
    }

    /// An index in `0..n`; 0 when `n` is 0.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert!(Rng::new(3).below(5) < 5);
    /// assert_eq!(Rng::new(3).below(0), 0);
    /// ```
    pub fn below(&mut self, n: u64) -> u64 {
        // The high half of a 128-bit product: unbiased enough (2^-64) and free of division.
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// An integer in `lo..=hi` as a float, for small grids where contact is common.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert_eq!(Rng::new(3).grid(-2, 2).fract(), 0.0);
    /// ```
    pub fn grid(&mut self, lo: i64, hi: i64) -> f64 {
        let span = hi.abs_diff(lo).saturating_add(1);
        lo.saturating_add_unsigned(self.below(span)) as f64
    }

    /// A point in the cube `[-1, 1)³`.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert!(Rng::new(3).cube().abs().max_element() <= 1.0);
    /// ```
    pub fn cube(&mut self) -> DVec3 {
        let x = self.range(-1.0, 1.0);
        let y = self.range(-1.0, 1.0);
        let z = self.range(-1.0, 1.0);
        DVec3::new(x, y, z)
    }

    /// A unit vector, uniform on the sphere.
    ///
    /// ```
    /// use impinge::math::Rng;
    /// assert!((Rng::new(3).direction().length() - 1.0).abs() < 1e-15);
    /// ```
    pub fn direction(&mut self) -> DVec3 {
        // Rejection keeps this free of transcendental functions; 52 % of draws are accepted,
        // so the cap is never met in practice and only bounds the loop.
        for _ in 0..256 {
            let p = self.cube();
            let length_sq = p.x * p.x + p.y * p.y + p.z * p.z;
            if length_sq > 1e-4 && length_sq <= 1.0 {
                return p / length_sq.sqrt();
            }
        }
        DVec3::X
    }
}
