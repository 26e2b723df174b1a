//! An arm of seven joints in a room, and the cameras that watch the room.

use std::sync::Arc;

use anyhow::ensure;
use impinge::bvh::wide::WideTree;
use impinge::math::Rng;
use impinge::scan::depth_camera::{DepthCamera, DepthImage, DepthNoise};
use impinge::scan::{Joint, KinematicChain, drop_invalid};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeOptions, MeshSolid, PackOptions, pack};
use impinge::{DVec3, Pose, TriMesh, generate};

/// Where the joints are, from the base on, and what they turn about: about the measures of a robot for light loads.
const JOINTS: [(f64, DVec3); 7] = [
    (0.31, DVec3::Z),
    (0.10, DVec3::Y),
    (0.20, DVec3::Z),
    (0.20, DVec3::NEG_Y),
    (0.20, DVec3::Z),
    (0.19, DVec3::Y),
    (0.08, DVec3::Z),
];
const RADIUS: f64 = 0.07;
/// The pictures are 640 by 480: 307 200 points when everything is seen.
pub(super) const PIXELS: (u32, u32) = (640, 480);
const NOISE: DepthNoise = DepthNoise {
    deviation: 0.0015,
    dropout: 0.01,
    seed: 7,
};

/// The arm and the trees of balls of its eight parts.
pub(super) struct Arm {
    chain: KinematicChain,
    pub(super) balls: Vec<InnerSphereTree>,
}

impl Arm {
    pub(super) fn new(count: usize) -> anyhow::Result<Self> {
        let joint = |&(height, axis)| Joint {
            offset: DVec3::Z * height,
            axis,
        };
        let mut balls = Vec::new();
        for k in 0..=JOINTS.len() {
            let length = JOINTS.get(k).map_or(0.08, |joint| joint.0);
            let mesh = generate::capsule(RADIUS, length, 24, 8)?;
            let mesh = mesh.placed(&Pose::from_translation([0.0, 0.0, 0.5 * length])?)?;
            let index = WideTree::new(Arc::new(mesh));
            let options = PackOptions {
                count: Some(count),
                ..PackOptions::default()
            };
            let packing = pack(&MeshSolid::new(&index)?, &options)?;
            ensure!(
                packing.balls.len() >= count,
                "part {k} was full before {count} balls"
            );
            balls.push(InnerSphereTree::new(
                &packing.balls,
                &InnerSphereTreeOptions::default(),
            )?);
        }
        Ok(Self {
            chain: KinematicChain::new(JOINTS.iter().map(joint).collect())?,
            balls,
        })
    }

    /// The poses at a time in seconds: the joints swing slowly, each in its own time.
    pub(super) fn poses(&self, seconds: f64, poses: &mut Vec<Pose>) -> anyhow::Result<()> {
        let angles: [f64; 7] = std::array::from_fn(|k| {
            let rate = 0.5 + 0.07 * k as f64;
            0.7 * (rate * seconds + 0.8 * k as f64).sin()
        });
        // On a foot, so that it does not touch the floor.
        let base = Pose::from_translation([0.0, 0.0, 0.15])?;
        Ok(self.chain.poses(&base, &angles, poses)?)
    }
}

/// What the cameras see.
pub(super) struct Room {
    room: WideTree,
    walker: WideTree,
    camera: DepthCamera,
}

impl Room {
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut rng = Rng::new(4);
        let mut parts: Vec<TriMesh> = Vec::new();
        let mut add = |mesh: TriMesh, at: [f64; 3]| -> anyhow::Result<()> {
            parts.push(mesh.placed(&Pose::from_translation(at)?)?);
            Ok(())
        };
        let slab = |x, y, z| generate::cuboid(DVec3::new(x, y, z), [8, 8, 8]);
        add(slab(6.0, 6.0, 0.1)?, [0.0, 0.0, -0.06])?;
        add(slab(0.1, 6.0, 3.0)?, [2.5, 0.0, 1.5])?;
        add(slab(6.0, 0.1, 3.0)?, [0.0, 2.5, 1.5])?;
        add(slab(0.1, 6.0, 3.0)?, [-2.5, 0.0, 1.5])?;
        add(slab(6.0, 0.1, 3.0)?, [0.0, -2.5, 1.5])?;
        add(slab(0.8, 1.2, 0.05)?, [1.2, 0.0, 0.7])?;
        for _ in 0..12 {
            let at = [
                rng.range(0.9, 1.5),
                rng.range(-0.5, 0.5),
                rng.range(0.75, 1.0),
            ];
            add(generate::icosphere(rng.range(0.03, 0.1), 12)?, at)?;
        }
        let (mut points, mut faces) = (Vec::new(), Vec::new());
        for part in &parts {
            let first = points.len() as u32;
            points.extend_from_slice(part.positions());
            faces.extend(part.faces().iter().map(|face| face.map(|v| v + first)));
        }
        Ok(Self {
            room: WideTree::new(Arc::new(TriMesh::new(points, faces)?)),
            walker: WideTree::new(Arc::new(generate::capsule(0.2, 1.2, 48, 16)?)),
            camera: DepthCamera::new(PIXELS.0, PIXELS.1, 1.2, 8.0)?,
        })
    }

    /// Where camera `k` of four is: in a corner, looking at the arm from above.
    pub(super) fn world_from_camera(k: usize) -> anyhow::Result<Pose> {
        let corner = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]][k % 4];
        let at = DVec3::new(2.2 * corner[0], 2.2 * corner[1], 2.2);
        let forward = (DVec3::new(0.3, 0.0, 0.6) - at).normalize();
        let right = forward.cross(DVec3::Z).normalize();
        let down = forward.cross(right);
        Ok(Pose::nearest(
            impinge::DMat3::from_cols(right, down, forward),
            at,
        )?)
    }

    /// What camera `k` sees at a time, in its own frame, without what was not measured.
    pub(super) fn points(&self, k: usize, frame: u64, seconds: f64) -> anyhow::Result<Vec<DVec3>> {
        let at = [
            1.3 * (0.4 * seconds).cos(),
            1.3 * (0.4 * seconds).sin(),
            0.8,
        ];
        let scene = [
            (&self.room, Pose::IDENTITY),
            (&self.walker, Pose::from_translation(at)?),
        ];
        let (mut image, mut points) = (DepthImage::default(), Vec::new());
        let pose = Self::world_from_camera(k)?;
        self.camera
            .capture(&pose, &scene, &NOISE, 4 * frame + k as u64, &mut image);
        self.camera.points(&image, &mut points);
        drop_invalid(&mut points);
        Ok(points)
    }
}
