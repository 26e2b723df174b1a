//! An example of a plug-in: a superellipsoid, given by support points, and a torus, given by signed distance.

use impinge_plugin::{ConvexKind, DistanceKind, Kind, KindTable, PluginTable};

/// All points with `|x/a|^p + |y/b|^p + |z/c|^p ≤ 1`: an octahedron for `p` near 1, an ellipsoid for 2, nearly a box for large `p`.
#[derive(Debug)]
pub struct Superellipsoid {
    half: [f64; 3],
    power: f64,
}

impl Kind for Superellipsoid {
    const NAME: &'static str = "superellipsoid";

    /// Half axes `a`, `b`, `c` and the power.
    fn create(parameters: &[f64]) -> Option<Self> {
        let &[a, b, c, power] = parameters else {
            return None;
        };
        let half = [a, b, c];
        // Outside of this range the powers below over- or underflow.
        let is_valid =
            half.iter().all(|h| (1e-6..=1e6).contains(h)) && (1.1..=20.0).contains(&power);
        is_valid.then_some(Self { half, power })
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        [self.half.map(|h| -h), self.half]
    }
}

impl ConvexKind for Superellipsoid {
    /// Hölder's inequality is an equality at this point.
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let stretched = [0, 1, 2].map(|k| self.half[k] * direction[k]);
        let largest = stretched.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest <= 0.0 {
            return [self.half[0], 0.0, 0.0];
        }
        let unit = stretched.map(|x| x / largest);
        let dual = self.power / (self.power - 1.0);
        let sum: f64 = unit.iter().map(|x| libm::pow(x.abs(), dual)).sum();
        let norm = libm::pow(sum, 1.0 / self.power);
        [0, 1, 2].map(|k| {
            let size = libm::pow(unit[k].abs(), dual - 1.0) / norm;
            self.half[k] * size.min(1.0).copysign(unit[k])
        })
    }
}

/// All points within `tube` of a circle of radius `ring` around z.
#[derive(Debug)]
pub struct Torus {
    ring: f64,
    tube: f64,
}

impl Kind for Torus {
    const NAME: &'static str = "torus";

    /// The radius of the ring and that of the tube.
    fn create(parameters: &[f64]) -> Option<Self> {
        match *parameters {
            [ring, tube] if ring > 0.0 && tube > 0.0 && tube < ring => Some(Self { ring, tube }),
            _ => None,
        }
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        let reach = self.ring + self.tube;
        [[-reach, -reach, -self.tube], [reach, reach, self.tube]]
    }
}

impl DistanceKind for Torus {
    fn signed_distance(&self, [x, y, z]: [f64; 3]) -> f64 {
        libm::hypot(libm::hypot(x, y) - self.ring, z) - self.tube
    }
}

static KINDS: [KindTable; 2] = [
    KindTable::convex::<Superellipsoid>(),
    KindTable::field::<Torus>(),
];
static TABLE: PluginTable = PluginTable::new(&KINDS);

/// What the loader asks for.
#[expect(unsafe_code, reason = "a plug-in exports its entry by name")]
#[unsafe(no_mangle)]
pub extern "C" fn impinge_plugin() -> *const PluginTable {
    &raw const TABLE
}
