//! A pair of models with the queries that a search needs.

use anyhow::Context;
use impinge::bvh::MeshIndex as _;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::query::Limits;
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DMat3, DVec3, Pose};

use super::file::Configuration;
use super::pairs::Meshes;
use super::sampling::Kind;

/// How far a configuration may be from its target, as a part of A's diagonal or volume: the published 0.001 %.
pub(crate) const TOLERANCE: f64 = 1e-5;

/// Both models, ready for questions.
#[derive(Debug)]
pub(crate) struct ModelPairScene {
    pub(crate) meshes: Meshes,
    a: WideTree,
    /// Only where it differs from `a`.
    b: Option<WideTree>,
    volumes: Option<(VolumeIndex, Option<VolumeIndex>)>,
    center_a: DVec3,
    center_b: DVec3,
    /// Of A's bounding box, the unit of distances.
    pub(crate) diagonal: f64,
    /// B apart from A by this much from centre to centre cannot touch it.
    pub(super) reach: f64,
}

impl ModelPairScene {
    /// # Errors
    /// With `kind` [`Kind::Volume`], meshes that are no solids.
    pub(crate) fn new(meshes: Meshes, kind: Kind) -> anyhow::Result<Self> {
        let is_same = std::sync::Arc::ptr_eq(&meshes.a, &meshes.b);
        let [bounds_a, bounds_b] = [meshes.a.bounds(), meshes.b.bounds()];
        let diagonal = bounds_a.diagonal().length();
        let volumes = if kind == Kind::Volume {
            let index = |mesh| VolumeIndex::new(mesh).context("no solid");
            let a = index(meshes.a.clone())?;
            let b = (!is_same).then(|| index(meshes.b.clone())).transpose()?;
            Some((a, b))
        } else {
            None
        };
        Ok(Self {
            a: WideTree::new(meshes.a.clone()),
            b: (!is_same).then(|| WideTree::new(meshes.b.clone())),
            volumes,
            center_a: bounds_a.center(),
            center_b: bounds_b.center(),
            diagonal,
            reach: 0.5 * (diagonal + bounds_b.diagonal().length()),
            meshes,
        })
    }

    /// What levels are parts of: A's diagonal, or A's volume.
    pub(crate) fn unit(&self, kind: Kind) -> f64 {
        match (kind, &self.volumes) {
            (Kind::Volume, Some((a, _))) => a.volume(),
            _ => self.diagonal,
        }
    }

    /// Where the corners of the grid method's grid are, from A's centre.
    pub(super) fn grid_corner(&self, farthest: f64) -> DVec3 {
        let half = 0.5 * self.a.mesh().bounds().diagonal();
        half + DVec3::splat(self.reach - 0.5 * self.diagonal + farthest)
    }

    /// B turned, and its centre this far from A's.
    pub(crate) fn pose(&self, turn: &DMat3, offset: DVec3) -> anyhow::Result<Pose> {
        let translation = self.center_a + offset - *turn * self.center_b;
        // Orthonormal to rounding only, which is within what a pose permits.
        Ok(Pose::new(*turn, translation)?)
    }

    /// Where a stored configuration places B.
    pub(crate) fn placed(
        &self,
        turn: &DMat3,
        configuration: &Configuration,
    ) -> anyhow::Result<Pose> {
        self.pose(turn, configuration.offset())
    }

    fn trees(&self) -> [&WideTree; 2] {
        [&self.a, self.b.as_ref().unwrap_or(&self.a)]
    }

    pub(crate) fn solids(&self) -> Option<[&VolumeIndex; 2]> {
        let (a, b) = self.volumes.as_ref()?;
        Some([a, b.as_ref().unwrap_or(a)])
    }
}

/// A place of B's centre, such as a file can hold: every coordinate is a number in single precision.
pub(super) fn stored(offset: DVec3) -> DVec3 {
    DVec3::from_array(offset.to_array().map(|x| f64::from(x as f32)))
}

/// The distance at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct DistanceAt {
    pub(super) offset: DVec3,
    pub(super) distance: f64,
    /// How the distance changes when B moves: a unit vector, zero where they intersect.
    pub(super) gradient: DVec3,
}

/// The shared volume at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct VolumeAt {
    pub(super) offset: DVec3,
    pub(super) volume: f64,
    pub(super) gradient: DVec3,
}

/// Asks about one orientation of B. What earlier answers left behind only speeds up later ones of the same orientation, so
/// that each block of a file is the same whichever thread makes it.
#[derive(Debug)]
pub(super) struct OrientationQuery<'a> {
    pub(super) scene: &'a ModelPairScene,
    turn: DMat3,
    cache: WideCache,
    overlap: OverlapCache,
    /// Asked so far: distances, volumes.
    pub(super) queries: [u64; 2],
}

impl<'a> OrientationQuery<'a> {
    pub(super) fn new(scene: &'a ModelPairScene, turn: DMat3) -> Self {
        Self {
            scene,
            turn,
            cache: WideCache::default(),
            overlap: OverlapCache::default(),
            queries: [0; 2],
        }
    }

    /// The distance with B's centre at the place nearest to `offset` that a file can hold.
    pub(super) fn gap(&mut self, offset: DVec3) -> anyhow::Result<DistanceAt> {
        self.queries[0] += 1;
        let offset = stored(offset);
        let pose = self.scene.pose(&self.turn, offset)?;
        let [a, b] = self.scene.trees();
        let found = a.distance(b, &pose, Limits::default(), &mut self.cache);
        let separation = found.value.context("an empty mesh has no distance")?;
        Ok(DistanceAt {
            offset,
            distance: separation.distance,
            gradient: (separation.point_b - separation.point_a).normalize_or_zero(),
        })
    }

    /// The same for the shared volume.
    pub(super) fn shared(&mut self, offset: DVec3) -> anyhow::Result<VolumeAt> {
        self.queries[1] += 1;
        let offset = stored(offset);
        let pose = self.scene.pose(&self.turn, offset)?;
        let [a, b] = self.scene.solids().context("no solids")?;
        let found = a.overlap(b, &pose, Limits::default(), &mut self.overlap)?;
        Ok(VolumeAt {
            offset,
            volume: found.value.volume,
            gradient: found.value.gradient.translation,
        })
    }
}
