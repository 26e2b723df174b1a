//! Units of length.

use std::fmt;
use std::str::FromStr;

/// A unit of length that a file's coordinates may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// 10⁻⁶ m.
    Micrometre,
    /// 10⁻³ m.
    Millimetre,
    /// 10⁻² m.
    Centimetre,
    /// 1 m.
    Metre,
    /// 0.0254 m.
    Inch,
    /// 0.3048 m.
    Foot,
}

impl Unit {
    /// Every unit, from the smallest.
    pub const ALL: [Self; 6] = [
        Self::Micrometre,
        Self::Millimetre,
        Self::Centimetre,
        Self::Inch,
        Self::Foot,
        Self::Metre,
    ];

    /// How many metres the unit is long.
    ///
    /// ```
    /// use impinge::io::Unit;
    /// assert_eq!(Unit::Inch.metres(), 0.0254);
    /// ```
    #[must_use]
    pub fn metres(self) -> f64 {
        match self {
            Self::Micrometre => 1e-6,
            Self::Millimetre => 1e-3,
            Self::Centimetre => 1e-2,
            Self::Metre => 1.0,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
        }
    }

    /// The short name: `um`, `mm`, `cm`, `m`, `in` or `ft`.
    ///
    /// ```
    /// use impinge::io::Unit;
    /// assert_eq!(Unit::Inch.symbol(), "in");
    /// ```
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micrometre => "um",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Reads a symbol (`mm`) or an English name in either spelling, singular or plural.
///
/// ```
/// use impinge::io::Unit;
/// assert_eq!("millimeters".parse(), Ok(Unit::Millimetre));
/// assert!("furlong".parse::<Unit>().is_err());
/// ```
impl FromStr for Unit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let lower = name.trim().to_ascii_lowercase();
        Ok(match lower.strip_suffix('s').unwrap_or(&lower) {
            "um" | "µm" | "micron" | "micrometre" | "micrometer" => Self::Micrometre,
            "mm" | "millimetre" | "millimeter" => Self::Millimetre,
            "cm" | "centimetre" | "centimeter" => Self::Centimetre,
            "m" | "metre" | "meter" => Self::Metre,
            "in" | "inch" | "inche" => Self::Inch,
            "ft" | "foot" | "feet" => Self::Foot,
            _ => {
                return Err(format!(
                    "unknown unit '{name}': use um, mm, cm, m, in or ft"
                ));
            }
        })
    }
}
