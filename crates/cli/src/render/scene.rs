//! What is to be drawn.

use impinge::bound::Aabb;
use impinge::{DVec3, TriMesh};

use super::Colour;

/// A mesh and its colours.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    /// The mesh, in the coordinates of the scene.
    pub(crate) mesh: &'a TriMesh,
    /// The colour of faces that have none of their own.
    pub(crate) colour: Colour,
    /// One colour per face, or empty.
    pub(crate) face_colours: Vec<Option<Colour>>,
}

impl<'a> Body<'a> {
    /// A body of one colour.
    pub(crate) fn new(mesh: &'a TriMesh, colour: Colour) -> Self {
        Self {
            mesh,
            colour,
            face_colours: Vec::new(),
        }
    }

    /// Gives some faces another colour; faces beyond the mesh are ignored.
    pub(crate) fn paint(&mut self, faces: impl IntoIterator<Item = usize>, colour: Colour) {
        self.face_colours.resize(self.mesh.face_count(), None);
        for face in faces {
            if let Some(slot) = self.face_colours.get_mut(face) {
                *slot = Some(colour);
            }
        }
    }

    /// Whether a face has a colour of its own.
    pub(crate) fn is_painted(&self, face: usize) -> bool {
        self.face_colours.get(face).is_some_and(Option::is_some)
    }

    /// The colour of a face.
    pub(crate) fn colour_of(&self, face: usize) -> Colour {
        self.face_colours
            .get(face)
            .copied()
            .flatten()
            .unwrap_or(self.colour)
    }
}

/// A thick line, or a dot where both ends are the same point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    /// The ends.
    pub(crate) ends: [DVec3; 2],
    /// Its colour.
    pub(crate) colour: Colour,
    /// Half its width, as a share of the picture's height.
    pub(crate) radius: f64,
    /// How much of it shows through a surface that hides it.
    pub(crate) behind: f64,
}

impl Stroke {
    /// What usually shows through.
    pub(crate) const FAINT: f64 = 0.13;
}

/// The axis that points up in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Up {
    /// +x, and +y to the right.
    X,
    /// +y, and +z towards the viewer, as in most scans and scenes.
    Y,
    /// +z, as in most parts and machines.
    #[default]
    Z,
}

impl Up {
    /// The direction once z is up.
    pub(crate) fn turned(self, p: DVec3) -> DVec3 {
        match self {
            Self::X => DVec3::new(p.y, p.z, p.x),
            Self::Y => DVec3::new(p.x, -p.z, p.y),
            Self::Z => p,
        }
    }

    /// The direction that is turned into this one.
    pub(crate) fn back(self, p: DVec3) -> DVec3 {
        match self {
            Self::X => DVec3::new(p.z, p.x, p.y),
            Self::Y => DVec3::new(p.x, p.z, -p.y),
            Self::Z => p,
        }
    }
}

/// Everything in one picture.
#[derive(Debug, Default)]
pub(crate) struct Scene<'a> {
    /// The meshes.
    pub(crate) bodies: Vec<Body<'a>>,
    /// Lines drawn over them, fainter where a surface hides them.
    pub(crate) strokes: Vec<Stroke>,
    /// The axis that points up.
    pub(crate) up: Up,
    /// Where the viewer stands once z is up, seen from the scene; not straight above or below.
    pub(crate) towards_viewer: Option<DVec3>,
}

/// The map from scene coordinates to the unit frame in which pictures are drawn with z up, so that neither
/// huge nor tiny models lose precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitFrame {
    centre: DVec3,
    scale: f64,
    up: Up,
}

impl UnitFrame {
    /// The frame in which the scene's box has its centre at the origin and a diagonal of 2.
    pub(crate) fn of(scene: &Scene<'_>) -> Self {
        let bounds = scene
            .bodies
            .iter()
            .map(|body| body.mesh.bounds())
            .filter(|bounds| !bounds.is_empty())
            .fold(Aabb::EMPTY, |sum, bounds| Aabb {
                min: sum.min.min(bounds.min),
                max: sum.max.max(bounds.max),
            });
        if bounds.is_empty() {
            return Self {
                centre: DVec3::ZERO,
                scale: 1.0,
                up: scene.up,
            };
        }
        // Halves are added, because the sum of two allowed coordinates need not be representable
        // with the precision wanted, and their difference may vanish for a single point.
        let half = bounds.max * 0.5 - bounds.min * 0.5;
        let largest = half.max_element();
        let radius = if largest > 0.0 {
            largest * (half / largest).length()
        } else {
            1.0
        };
        Self {
            centre: bounds.max * 0.5 + bounds.min * 0.5,
            scale: 1.0 / radius,
            up: scene.up,
        }
    }

    /// The point in the unit frame.
    pub(crate) fn apply(&self, p: DVec3) -> DVec3 {
        self.up.turned((p - self.centre) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_up_and_back_changes_nothing() {
        let p = DVec3::new(1.0, 2.0, 3.0);
        for up in [Up::X, Up::Y, Up::Z] {
            assert_eq!(up.back(up.turned(p)), p);
        }
        assert_eq!(Up::Y.turned(DVec3::Y), DVec3::Z);
    }
}
