//! A packed model, and poses of a second copy.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, NeuralGasOptions,
    PackOptions, SphereSplit, pack,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose};

/// A model with everything that the questions need.
pub(super) struct PackedModel {
    pub(super) index: WideTree,
    pub(super) exact: VolumeIndex,
    pub(super) spheres: InnerSphereTree,
}

impl PackedModel {
    pub(super) fn new(index: WideTree, count: usize, resolution: u32) -> anyhow::Result<Self> {
        let solid = MeshSolid::new(&index)?;
        let options = PackOptions {
            count: Some(count),
            ..PackOptions::default()
        };
        let balls = pack(&solid, &options)?.balls;
        let tree = InnerSphereTreeOptions {
            split: SphereSplit::NeuralGas(NeuralGasOptions::default()),
            width: 8,
        };
        let mut spheres = InnerSphereTree::new(&balls, &tree)?.with_surface(&solid);
        if resolution > 0 {
            spheres = spheres.with_gaps(&solid, resolution);
        }
        let exact = VolumeIndex::new(Arc::clone(index.mesh()))?;
        Ok(Self {
            index,
            exact,
            spheres,
        })
    }

    pub(super) fn diagonal(&self) -> f64 {
        self.index.mesh().bounds().diagonal().length()
    }

    /// The volume that the model shares with its placed copy.
    pub(super) fn shared(&self, pose: &Pose, cache: &mut OverlapCache) -> anyhow::Result<f64> {
        let found = self
            .exact
            .overlap(&self.exact, pose, Limits::default(), cache)?;
        Ok(found.value.volume)
    }
}

/// A line along which a turned copy comes nearer.
pub(super) struct ApproachLine {
    turn: Pose,
    direction: DVec3,
    /// Where balls first touch.
    pub(super) touch: f64,
}

impl ApproachLine {
    pub(super) fn new(model: &PackedModel, rng: &mut Rng) -> anyhow::Result<Self> {
        let turn = Pose::from_axis_angle(rng.direction(), rng.range(0.0, 3.0), DVec3::ZERO)?;
        let mut line = Self {
            turn,
            direction: rng.direction(),
            touch: 1.5 * model.diagonal(),
        };
        let mut cache = InnerSphereTreeCache::default();
        for _ in 0..60 {
            let pose = line.at(line.touch)?;
            let tree = &model.spheres;
            let gap = tree
                .distance(tree, &pose, Limits::default(), &mut cache)
                .map_or(0.0, |found| found.upper);
            line.touch -= gap;
            if gap < 1e-7 * model.diagonal() {
                break;
            }
        }
        Ok(line)
    }

    /// The place at a distance along the line.
    pub(super) fn at(&self, distance: f64) -> anyhow::Result<Pose> {
        Ok(Pose::from_translation(self.direction * distance)? * self.turn)
    }

    /// The place where the copies share so much, by halving between touching and lying on each other.
    pub(super) fn sharing(
        &self,
        model: &PackedModel,
        wanted: f64,
        cache: &mut OverlapCache,
    ) -> anyhow::Result<Pose> {
        let (mut deep, mut shallow) = (0.0, self.touch);
        for _ in 0..40 {
            let middle = 0.5 * (deep + shallow);
            if model.shared(&self.at(middle)?, cache)? > wanted {
                deep = middle;
            } else {
                shallow = middle;
            }
        }
        self.at(shallow)
    }
}
