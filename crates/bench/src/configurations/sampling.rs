//! Which directions and orientations are sampled, and how many configurations that makes.

use impinge::{DMat3, DVec3};

/// Where the grid of orientations begins, in degrees: at no symmetry of the models. Faces that are exactly parallel are all equally near, and
/// copies of a flat model in the same orientation would measure how engines cope with that and nothing else.
const BEGIN: [usize; 3] = [17, 29, 41];

/// Everything about a set that is known before any query is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(super) method: Method,
    /// Degrees between the orientations of B, for each of three angles.
    pub(super) orientation_step: usize,
    /// Every so many-th configuration is taken; 1 for all.
    pub(super) stride: usize,
}

/// How translations are sampled, for each orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Lines to A's centre, so many degrees between them: one configuration per line.
    Sphere { direction_step: usize },
    /// The cells of a grid around A, so many along each axis: as many configurations as there are cells that
    /// the wanted distance passes through.
    Grid { cells: usize },
}

/// Which figure is held fixed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The distance, as a part of the diagonal of A's bounding box.
    Distance,
    /// The shared volume, as a part of A's volume.
    Volume,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Distance, Self::Volume];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Volume => "volume",
        }
    }

    /// The targets: 0 to 30 % in steps of 1 % for distances, 0 to 10 % for volumes.
    pub(crate) fn levels(self) -> Vec<f64> {
        let last = match self {
            Self::Distance => 30,
            Self::Volume => 10,
        };
        (0..=last)
            .map(|percent| f64::from(percent) / 100.0)
            .collect()
    }
}

/// A named sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    /// Lines at 45°, orientations at 45°: 8 320 per target
    Everyday,
    /// As published: lines at 15°, orientations at 15° for distances (1 991 808 per target) and 30° for volumes (268 128)
    Sphere,
    /// The grid method with 16 cells along each axis, orientations at 45°
    Grid,
}

impl Preset {
    pub(crate) const ALL: [Self; 3] = [Self::Everyday, Self::Sphere, Self::Grid];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Everyday => "everyday",
            Self::Sphere => "sphere",
            Self::Grid => "grid",
        }
    }

    pub(crate) fn sampling(self, kind: Kind) -> Sampling {
        let (method, orientation_step) = match (self, kind) {
            (Self::Everyday, _) => (Method::Sphere { direction_step: 45 }, 45),
            (Self::Sphere, Kind::Distance) => (Method::Sphere { direction_step: 15 }, 15),
            (Self::Sphere, Kind::Volume) => (Method::Sphere { direction_step: 15 }, 30),
            (Self::Grid, _) => (Method::Grid { cells: 16 }, 45),
        };
        Sampling {
            method,
            orientation_step,
            stride: 1,
        }
    }
}

impl Sampling {
    /// Lines of the sphere method, or cells of the grid method.
    pub(crate) fn places(&self) -> usize {
        match self.method {
            Method::Sphere { direction_step } => {
                let longitudes = 360 / direction_step;
                // Both poles once, every other latitude once per longitude.
                longitudes * (180 / direction_step - 1) + 2
            }
            Method::Grid { cells } => cells * cells * cells,
        }
    }

    /// Orientations of B. The angles are those of Euler, so that some orientations are there more than once: as published.
    pub(crate) fn orientations(&self) -> usize {
        let around = 360 / self.orientation_step;
        around * around * (180 / self.orientation_step + 1)
    }

    /// Configurations per target by the sphere method, places that are tried by the grid method.
    pub(crate) fn per_level(&self) -> u64 {
        let all = self.places() as u64 * self.orientations() as u64;
        all.div_ceil(self.stride.max(1) as u64)
    }

    /// The places that are taken with an orientation.
    pub(super) fn taken(&self, orientation: usize) -> impl Iterator<Item = usize> + use<> {
        let (places, stride) = (self.places(), self.stride.max(1));
        let before = orientation * places;
        (0..places).filter(move |place| (before + place).is_multiple_of(stride))
    }

    /// The same with every so many-th configuration only.
    pub(crate) fn thinned(self, stride: usize) -> Self {
        Self { stride, ..self }
    }

    /// The orientation with this number: turned about Z, then Y, then Z, from where the grid begins.
    pub(crate) fn orientation(&self, number: usize) -> DMat3 {
        let step = self.orientation_step;
        let around = 360 / step;
        let (first, rest) = (number % around, number / around);
        let (second, tilt) = (rest % around, rest / around);
        euler([first * step, tilt * step, second * step]) * euler(BEGIN)
    }

    /// The direction with this number, from A's centre outwards.
    pub(super) fn direction(direction_step: usize, number: usize) -> DVec3 {
        let longitudes = 360 / direction_step;
        let latitudes = 180 / direction_step - 1;
        match number {
            0 => DVec3::Z,
            _ if number > longitudes * latitudes => DVec3::NEG_Z,
            _ => {
                let (longitude, latitude) = ((number - 1) % longitudes, (number - 1) / longitudes);
                let (sin, cos) = sin_cos((latitude + 1) * direction_step);
                let (y, x) = sin_cos(longitude * direction_step);
                DVec3::new(sin * x, sin * y, cos)
            }
        }
    }
}

/// Sine and cosine of whole degrees; exact where they are whole.
fn sin_cos(degrees: usize) -> (f64, f64) {
    match degrees % 360 {
        0 => (0.0, 1.0),
        90 => (1.0, 0.0),
        180 => (0.0, -1.0),
        270 => (-1.0, 0.0),
        other => (other as f64).to_radians().sin_cos(),
    }
}

fn euler([first, tilt, second]: [usize; 3]) -> DMat3 {
    about_z(second) * about_y(tilt) * about_z(first)
}

fn about_z(degrees: usize) -> DMat3 {
    let (sin, cos) = sin_cos(degrees);
    DMat3::from_cols(
        DVec3::new(cos, sin, 0.0),
        DVec3::new(-sin, cos, 0.0),
        DVec3::Z,
    )
}

fn about_y(degrees: usize) -> DMat3 {
    let (sin, cos) = sin_cos(degrees);
    DMat3::from_cols(
        DVec3::new(cos, 0.0, -sin),
        DVec3::Y,
        DVec3::new(sin, 0.0, cos),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_come_out() {
        let count = |preset: Preset, kind| preset.sampling(kind).per_level();
        assert_eq!(count(Preset::Sphere, Kind::Distance), 1_991_808);
        assert_eq!(count(Preset::Sphere, Kind::Volume), 268_128);
        assert_eq!(count(Preset::Everyday, Kind::Distance), 26 * 320);
        assert_eq!(Preset::Sphere.sampling(Kind::Distance).places(), 266);
        assert_eq!(Kind::Distance.levels().len(), 31);
        assert_eq!(Kind::Volume.levels().len(), 11);
    }

    #[test]
    fn directions_differ_and_orientations_are_rotations() {
        let directions: Vec<DVec3> = (0..266).map(|k| Sampling::direction(15, k)).collect();
        for (k, d) in directions.iter().enumerate() {
            assert!((d.length() - 1.0).abs() < 1e-15);
            assert!(
                directions[..k]
                    .iter()
                    .all(|other| d.distance(*other) > 0.03)
            );
        }
        let sampling = Preset::Everyday.sampling(Kind::Distance);
        for k in 0..sampling.orientations() {
            let turn = sampling.orientation(k);
            let residual = turn.transpose() * turn - DMat3::IDENTITY;
            assert!(residual.abs_diff_eq(DMat3::ZERO, 1e-14) && turn.determinant() > 0.0);
        }
    }

    #[test]
    fn a_stride_takes_as_many_as_it_says() {
        let sampling = Sampling {
            stride: 257,
            ..Preset::Everyday.sampling(Kind::Distance)
        };
        let taken = |k| sampling.taken(k).count() as u64;
        let all: u64 = (0..sampling.orientations()).map(taken).sum();
        assert_eq!(all, sampling.per_level());
    }
}
