//! Ten bodies in a cage: the scene of the published pre-checks.

use std::ops::Range;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate::{cage, model};
use impinge::math::Rng;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::edge_polygon::{
    EdgePolygon, EdgePolygonCache, EdgePolygonConfig, EdgePolygonCounts, PreChecks,
};

/// Meshes and the pairs of them to be tested, all frames in a row.
pub(super) struct CageScene {
    pub(super) meshes: Vec<Arc<TriMesh>>,
    pub(super) tests: Vec<(usize, usize, Pose)>,
}

impl CageScene {
    /// Whether the pairs meet, and the work, with first witnesses.
    pub(super) fn ask(&self, indexes: &[EdgePolygon], cache: &mut EdgePolygonCache) -> CagePair {
        self.ask_few(0..self.tests.len(), indexes, cache)
    }

    /// The same for some of the tests.
    pub(super) fn ask_few(
        &self,
        tests: Range<usize>,
        indexes: &[EdgePolygon],
        cache: &mut EdgePolygonCache,
    ) -> CagePair {
        let mut asked = CagePair::default();
        for (a, b, pose) in &self.tests[tests] {
            let mut first = First::default();
            let _ =
                indexes[*a].intersections(&indexes[*b], pose, Limits::default(), cache, &mut first);
            asked.hits += usize::from(first.0.is_some());
            asked.counts += cache.counts();
        }
        asked
    }

    pub(super) fn indexes(&self, config: &EdgePolygonConfig) -> Vec<EdgePolygon> {
        let meshes = self.meshes.iter();
        meshes
            .map(|mesh| EdgePolygon::build(mesh.clone(), config))
            .collect()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CagePair {
    pub(super) hits: usize,
    pub(super) counts: EdgePolygonCounts,
}

/// Ten objects of 120 to 1456 faces that bounce in a cage of six walls; all pairs are tested in each frame.
pub(super) fn in_a_cage(frames: usize) -> anyhow::Result<CageScene> {
    let kinds = [
        ("ball", 120),
        ("torus", 200),
        ("cone", 150),
        ("cylinder", 300),
        ("hyperboloid", 400),
        ("tetra-flake", 484),
        ("cube-array", 300),
        ("torus", 700),
        ("ball", 900),
        ("tetra-flake", 1456),
    ];
    let mut meshes = Vec::new();
    for (name, faces) in kinds {
        let kind = model(name).ok_or_else(|| anyhow::anyhow!("no model {name}"))?;
        let (points, faces) = kind.make(Some(faces), 1)?.into_parts();
        let bounds = impinge::bound::Aabb::enclosing(points.iter().copied());
        // All of one size, around the origin.
        let scale = 1.0 / bounds.diagonal().max_element();
        let points = points.into_iter().map(|p| (p - bounds.center()) * scale);
        meshes.push(Arc::new(TriMesh::new(points.collect(), faces)?));
    }
    let movers = meshes.len();
    let edge = 3.0;
    meshes.extend(
        cage(edge, 0.5, 1)?
            .into_iter()
            .map(|wall| Arc::new(wall.mesh)),
    );
    let trees: Vec<WideTree> = meshes
        .iter()
        .map(|mesh| WideTree::build(mesh.clone(), &Default::default()))
        .collect();
    let mut rng = Rng::new(1994);
    let mut at: Vec<DVec3> = (0..movers)
        .map(|i| {
            let cell = DVec3::new((i % 3) as f64, (i / 3 % 2) as f64, (i / 6) as f64);
            (cell - DVec3::new(1.0, 0.5, 0.5)) * 0.98
        })
        .collect();
    let mut speed: Vec<DVec3> = (0..movers).map(|_| 0.05 * rng.direction()).collect();
    let axes: Vec<DVec3> = (0..movers).map(|_| rng.direction()).collect();
    let mut angle = vec![0.0; movers];
    let mut spin: Vec<f64> = (0..movers).map(|_| rng.range(-0.1, 0.1)).collect();
    let mut tests = Vec::new();
    let mut cache = WideCache::default();
    for _ in 0..frames {
        let mut poses = vec![Pose::IDENTITY; meshes.len()];
        for i in 0..movers {
            at[i] += speed[i];
            angle[i] += spin[i];
            poses[i] = Pose::from_axis_angle(axes[i], angle[i], at[i])?;
        }
        let mut struck = vec![false; movers];
        for a in 0..movers {
            for b in a + 1..meshes.len() {
                let pose = poses[a].inverse() * poses[b];
                tests.push((a, b, pose));
                let mut first = First::default();
                let limits = Limits::default();
                let _ = trees[a].intersections(&trees[b], &pose, limits, &mut cache, &mut first);
                if first.0.is_some() {
                    struck[a] = true;
                    if let Some(struck) = struck.get_mut(b) {
                        *struck = true;
                    }
                }
            }
        }
        for i in 0..movers {
            if struck[i] {
                (speed[i], spin[i]) = (-speed[i], -spin[i]);
            }
            // Who has slipped through a wall comes back.
            for k in 0..3 {
                if at[i][k].abs() > 0.5 * edge {
                    speed[i][k] = -speed[i][k].abs() * at[i][k].signum();
                }
            }
        }
    }
    Ok(CageScene { meshes, tests })
}

pub(super) fn exact(pre_checks: PreChecks) -> EdgePolygonConfig {
    EdgePolygonConfig {
        pre_checks,
        ..EdgePolygonConfig::default()
    }
}
