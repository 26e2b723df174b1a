//! Engines of ours that know solids: by their boundary, exactly, or by what fills them, inner balls, or voxels and points. These are approximate, and say so
//! beforehand.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::bvh::wide::WideTree;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, NeuralGasOptions,
    PackOptions, SphereSplit, pack,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::voxmap::{Pointshell, Voxmap, VoxmapOptions, VoxmapQuery};

use super::{EXACT, hello, pose, yes};
use crate::serve::{Engine, Placement};

/// Distances up to this part of A's diagonal are found by voxels.
const FARTHEST: f64 = 0.32;
/// Layers that a voxel can count.
const MOST_LAYERS: f64 = 126.0;

/// What a solid is filled with, and how finely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// So many inner balls: `balls-1000`.
    Balls(usize),
    /// So many voxels along A and points along B: `voxmap-50`.
    Voxels(u32),
}

impl Fill {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (kind, number) = name.rsplit_once('-')?;
        let is_written_so = |n: u64| n > 0 && n.to_string() == number;
        let number = number.parse::<u64>().ok().filter(|n| is_written_so(*n))?;
        match kind {
            "balls" => usize::try_from(number).ok().map(Self::Balls),
            "voxmap" => u32::try_from(number).ok().map(Self::Voxels),
            _ => None,
        }
    }
}

/// A tree of so many inner balls.
///
/// # Errors
/// Meshes that bound no solid, and solids in which nothing fits.
pub(crate) fn ball_tree(mesh: &Arc<TriMesh>, count: usize) -> anyhow::Result<InnerSphereTree> {
    let index = WideTree::new(mesh.clone());
    let solid = MeshSolid::new(&index)?;
    let options = PackOptions {
        count: Some(count),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options)?.balls;
    let options = InnerSphereTreeOptions {
        split: SphereSplit::NeuralGas(NeuralGasOptions::default()),
        width: 8,
    };
    Ok(InnerSphereTree::new(&balls, &options)?.with_surface(&solid))
}

/// The exact integral over the boundaries. A mesh that bounds no solid is reported on standard error, and no question is answered.
pub(super) struct ExactVolumeEngine {
    meshes: [Arc<TriMesh>; 2],
    built: [Option<VolumeIndex>; 2],
    /// Memory alone: nothing of one answer is kept for the next.
    cache: OverlapCache,
}

impl ExactVolumeEngine {
    pub(super) fn new(meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            meshes,
            built: [None, None],
            cache: OverlapCache::default(),
        }
    }

    fn build(&mut self, side: usize) {
        self.built[side] = VolumeIndex::new(self.meshes[side].clone())
            .inspect_err(|error| eprintln!("{EXACT}: {error}"))
            .ok();
    }

    /// Volume and force of one call.
    fn overlap(&mut self, place: &Placement) -> Option<(f64, [f64; 3])> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let found = a.overlap(b, &pose(place)?, Limits::default(), &mut self.cache);
        let found = found.ok()?.value;
        let force = -found.gradient.translation;
        Some((found.volume, force.to_array()))
    }
}

impl Engine for ExactVolumeEngine {
    fn hello(&self) -> String {
        hello(EXACT, "f64")
    }
    fn build_a(&mut self) {
        self.build(0);
    }
    fn build_b(&mut self) {
        self.build(1);
    }
    fn bytes(&self) -> usize {
        self.built[0].as_ref().map_or(0, VolumeIndex::bytes)
    }
    fn ask(&mut self, question: &str, _: f64, place: &Placement) -> Option<f64> {
        let (volume, _) = (question == "volume")
            .then(|| self.overlap(place))
            .flatten()?;
        Some(volume)
    }
    fn force(&mut self, place: &Placement) -> Option<[f64; 3]> {
        self.overlap(place).map(|(_, force)| force)
    }
}

/// Both solids in balls. A mesh that bounds no solid is reported on standard error, and no question is answered.
pub(super) struct InnerSphereEngine {
    name: String,
    count: usize,
    meshes: [Arc<TriMesh>; 2],
    built: [Option<Arc<InnerSphereTree>>; 2],
    cache: InnerSphereTreeCache,
}

impl InnerSphereEngine {
    pub(super) fn new(name: &str, count: usize, meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            name: name.to_owned(),
            count,
            meshes,
            built: [None, None],
            cache: InnerSphereTreeCache::default(),
        }
    }

    fn build(&mut self, side: usize) {
        self.built[side] = match ball_tree(&self.meshes[side], self.count) {
            Ok(tree) => Some(Arc::new(tree)),
            Err(error) => {
                eprintln!("{}: {error:#}", self.name);
                None
            }
        };
    }
}

impl Engine for InnerSphereEngine {
    fn hello(&self) -> String {
        hello(&self.name, "approximate")
    }
    fn build_a(&mut self) {
        self.build(0);
    }
    fn build_b(&mut self) {
        let [a, b] = &self.meshes;
        if a.positions() == b.positions() && a.faces() == b.faces() {
            self.built[1] = self.built[0].clone();
        } else {
            self.build(1);
        }
    }
    fn bytes(&self) -> usize {
        self.built[0].as_ref().map_or(0, |tree| tree.bytes())
    }
    fn forget(&mut self, question: &str) {
        if question != "warm" {
            self.cache = InnerSphereTreeCache::default();
        }
    }
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let (pose, cache) = (pose(place)?, &mut self.cache);
        if question == "volume" {
            return Some(a.overlap(b, &pose, Limits::default(), cache).value);
        }
        let found = a.distance(b, &pose, Limits::default(), cache)?;
        match question {
            "intersects" => Some(yes(found.upper <= 0.0)),
            "distance" | "warm" => Some(found.upper),
            "tolerance" => Some(yes(found.upper <= parameter)),
            _ => None,
        }
    }
    fn force(&mut self, place: &Placement) -> Option<[f64; 3]> {
        let [Some(a), Some(b)] = &self.built else {
            return None;
        };
        let found = a.overlap(b, &pose(place)?, Limits::default(), &mut self.cache);
        Some((-found.gradient.translation).to_array())
    }
}

/// A in voxels and B as points.
pub(super) struct VoxmapEngine {
    name: String,
    resolution: u32,
    meshes: [Arc<TriMesh>; 2],
    map: Option<Voxmap>,
    shell: Option<Pointshell>,
}

impl VoxmapEngine {
    pub(super) fn new(name: &str, resolution: u32, meshes: [Arc<TriMesh>; 2]) -> Self {
        Self {
            name: name.to_owned(),
            resolution,
            meshes,
            map: None,
            shell: None,
        }
    }
}

impl Engine for VoxmapEngine {
    fn hello(&self) -> String {
        hello(&self.name, "approximate")
    }
    fn build_a(&mut self) {
        let size = self.meshes[0].bounds().diagonal();
        let side = size.max_element() / f64::from(self.resolution);
        let layers = (FARTHEST * size.length() / side).ceil();
        let options = VoxmapOptions {
            resolution: self.resolution,
            proximity: layers.clamp(1.0, MOST_LAYERS) as u8,
            ..VoxmapOptions::default()
        };
        let map = Voxmap::with_options(&self.meshes[0], &options);
        self.map = map
            .inspect_err(|error| eprintln!("{}: {error}", self.name))
            .ok();
    }
    fn build_b(&mut self) {
        let shell = Pointshell::new(&self.meshes[1], self.resolution);
        self.shell = shell
            .inspect_err(|error| eprintln!("{}: {error}", self.name))
            .ok();
    }
    fn bytes(&self) -> usize {
        self.map.as_ref().map_or(0, Voxmap::bytes)
    }
    fn ask(&mut self, question: &str, parameter: f64, place: &Placement) -> Option<f64> {
        let query = VoxmapQuery::new(self.map.as_ref()?, self.shell.as_ref()?);
        let within = |distance: f64| Limits {
            max_distance: Some(distance),
            ..Limits::default()
        };
        let pose = pose(place)?;
        match question {
            "intersects" => Some(yes(query.at(&pose, within(0.0)).penetrating > 0)),
            "distance" | "warm" => Some(query.at(&pose, Limits::default()).distance.value),
            "tolerance" => {
                let found = query.at(&pose, within(parameter)).distance;
                Some(yes(found.value <= parameter))
            }
            _ => None,
        }
    }
    fn force(&mut self, place: &Placement) -> Option<[f64; 3]> {
        let query = VoxmapQuery::new(self.map.as_ref()?, self.shell.as_ref()?);
        // Only points that press are looked for.
        let limits = Limits {
            max_distance: Some(0.0),
            ..Limits::default()
        };
        Some((-query.at(&pose(place)?, limits).force_on_a).to_array())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn apart(x: f64) -> Placement {
        Placement {
            rows: [
                [1.0, 0.0, 0.0, x],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0],
            ],
        }
    }

    #[test]
    fn names_say_how_finely() {
        assert_eq!(Fill::from_name("balls-1000"), Some(Fill::Balls(1000)));
        assert_eq!(Fill::from_name("voxmap-50"), Some(Fill::Voxels(50)));
        for name in [
            "balls",
            "balls-",
            "balls-0",
            "balls-+5",
            "18-dop",
            "voxmap-05",
        ] {
            assert_eq!(Fill::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn inner_balls_are_farther_apart_than_solids_and_voxels_nearly_as_far() {
        let ball = Arc::new(generate::icosphere(1.0, 8).unwrap());
        let both = || [ball.clone(), ball.clone()];
        let mut balls = InnerSphereEngine::new("balls-300", 300, both());
        let mut voxels = VoxmapEngine::new("voxmap-60", 60, both());
        for engine in [&mut balls as &mut dyn Engine, &mut voxels] {
            engine.build_a();
            engine.build_b();
            assert!(engine.bytes() > 0 && engine.hello().ends_with("approximate"));
        }
        for x in [2.05, 2.3, 2.9] {
            let (gap, place) = (x - 2.0, apart(x));
            let upper = balls.ask("distance", 0.0, &place).unwrap();
            // An icosphere is a little smaller than its ball.
            assert!((gap..gap + 0.3).contains(&upper), "{gap}: {upper}");
            assert_eq!(balls.ask("intersects", 0.0, &place), Some(0.0));
            assert_eq!(balls.ask("tolerance", upper, &place), Some(1.0));
            let told = voxels.ask("distance", 0.0, &place).unwrap();
            // Voxels have a side of a thirtieth.
            assert!((told - gap).abs() < 0.1, "{gap}: {told}");
        }
        assert_eq!(balls.ask("intersects", 0.0, &apart(1.5)), Some(1.0));
        assert_eq!(voxels.ask("intersects", 0.0, &apart(1.5)), Some(1.0));
        assert_eq!(voxels.ask("intersects", 0.0, &apart(2.3)), Some(0.0));
        assert_eq!(balls.ask("pairs", 0.0, &apart(1.5)), None);
        // The shared volume of two unit balls at 1.5 is a lens; B is pushed along x, away from A.
        let lens = std::f64::consts::PI * (4.0 + 1.5) * 0.5 * 0.5 / 12.0;
        let mut exact = ExactVolumeEngine::new(both());
        exact.build_a();
        exact.build_b();
        let volume = exact.ask("volume", 0.0, &apart(1.5)).unwrap();
        assert!((volume - lens).abs() < 0.1 * lens, "{volume} {lens}");
        let inner = balls.ask("volume", 0.0, &apart(1.5)).unwrap();
        assert!(inner > 0.0 && inner < volume, "{inner} {volume}");
        assert_eq!(exact.ask("volume", 0.0, &apart(2.3)), Some(0.0));
        assert_eq!(exact.ask("intersects", 0.0, &apart(2.3)), None);
        for engine in [&mut balls as &mut dyn Engine, &mut voxels, &mut exact] {
            let [x, y, z] = engine.force(&apart(1.5)).unwrap();
            assert!(x > 0.0 && y.hypot(z) < 0.1 * x, "{x} {y} {z}");
            assert_eq!(engine.force(&apart(2.3)), Some([0.0; 3]));
        }
    }

    #[test]
    fn a_mesh_that_bounds_no_solid_gets_no_answer() {
        let face = impinge::TriMesh::from_points(
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            [[0, 1, 2]],
        );
        let face = Arc::new(face.unwrap());
        let mut balls = InnerSphereEngine::new("balls-10", 10, [face.clone(), face]);
        balls.build_a();
        balls.build_b();
        assert_eq!(balls.ask("distance", 0.0, &apart(3.0)), None);
        let mut exact = ExactVolumeEngine::new(balls.meshes.clone());
        exact.build_a();
        exact.build_b();
        assert_eq!(exact.ask("volume", 0.0, &apart(3.0)), None);
        assert_eq!(exact.force(&apart(3.0)), None);
    }
}
