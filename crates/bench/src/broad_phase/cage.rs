//! A thousand tumbling bodies of five thousand triangles each, all moving, every near pair decided exactly, beside rapier.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use impinge::bound::Aabb;
use impinge::broad::{DynamicAabbTree, DynamicAabbTreeConfig, ObjectId};
use impinge::bvh::engines::MeshEngine;
use impinge::generate::model;
use impinge::math::Rng;
use impinge::pair::{MeshShape, Shape};
use impinge::query::{First, Limits};
use impinge::world::{Body, EventMask, World, WorldConfig};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::oracle;

use super::TargetVerdict;
use super::runner::BoxRunner;
use crate::Bar;
use crate::line_process::program;
use crate::sample_statistics::median;

/// The bar of ours beside rapier's pipeline, on one thread.
const FASTER: f64 = 3.0;
/// Solids with hollows, none convex, about the same size.
const KINDS: [&str; 4] = ["blob", "torus-knot", "gear", "mushroom"];
const FACES: usize = 5000;
/// Bodies of the cage whose frame rate is judged.
const BODIES: usize = 1000;
/// Pairs of a frame that meet, and as many that do not, that integers judge as well.
const IN_INTEGERS: usize = 12;
/// Edge of the room, in diameters of a body and cube roots of the count.
const SPACING: f64 = 1.1;

struct CageWorld {
    meshes: Vec<Arc<TriMesh>>,
    /// Where the bodies are, frame by frame.
    poses: Vec<Vec<Pose>>,
}

impl CageWorld {
    fn new(bodies: usize, frames: usize) -> anyhow::Result<Self> {
        let mut meshes = Vec::new();
        for name in KINDS {
            let kind = model(name).with_context(|| format!("no model {name}"))?;
            let (points, faces) = kind.make(Some(FACES), 1)?.into_parts();
            let bounds = Aabb::enclosing(points.iter().copied());
            let scale = 1.0 / bounds.diagonal().max_element();
            // Single precision, so that engines of either see the same.
            let point = |p: DVec3| ((p - bounds.center()) * scale).map(|x| f64::from(x as f32));
            let points = points.into_iter().map(point).collect();
            meshes.push(Arc::new(TriMesh::new(points, faces)?));
        }
        let mut rng = Rng::new(1994);
        let edge = SPACING * (bodies as f64).cbrt();
        let mut at: Vec<DVec3> = (0..bodies).map(|_| rng.cube() * 0.5 * edge).collect();
        let mut speed: Vec<DVec3> = (0..bodies).map(|_| rng.direction() * 0.02).collect();
        let axes: Vec<DVec3> = (0..bodies).map(|_| rng.direction()).collect();
        let angles: Vec<f64> = (0..bodies).map(|_| rng.range(0.0, 6.0)).collect();
        let mut poses = Vec::new();
        for frame in 0..frames {
            let mut placed = Vec::new();
            for i in 0..bodies {
                at[i] += speed[i];
                for k in 0..3 {
                    if at[i][k].abs() > 0.5 * edge {
                        speed[i][k] = -speed[i][k].abs() * at[i][k].signum();
                    }
                }
                let angle = angles[i] + 0.05 * frame as f64;
                placed.push(Pose::from_axis_angle(axes[i], angle, at[i])?);
            }
            poses.push(placed);
        }
        Ok(Self { meshes, poses })
    }

    fn mesh(&self, body: usize) -> &Arc<TriMesh> {
        &self.meshes[body % self.meshes.len()]
    }

    /// Writes the scene for a runner: see `engines/PROTOCOL-BOXES.md`.
    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let file = std::fs::File::create(path).with_context(|| format!("cannot write {path:?}"))?;
        let mut out = std::io::BufWriter::new(file);
        let bodies = self.poses.first().map_or(0, Vec::len);
        for count in [self.meshes.len(), bodies, self.poses.len()] {
            out.write_all(&(count as u64).to_le_bytes())?;
        }
        for mesh in &self.meshes {
            for count in [mesh.positions().len(), mesh.faces().len()] {
                out.write_all(&(count as u64).to_le_bytes())?;
            }
            for x in mesh.positions().iter().flat_map(|p| p.to_array()) {
                out.write_all(&(x as f32).to_le_bytes())?;
            }
            for v in mesh.faces().as_flattened() {
                out.write_all(&v.to_le_bytes())?;
            }
        }
        for pose in self.poses.iter().flatten() {
            for x in &pose.to_row_major()[..12] {
                out.write_all(&x.to_le_bytes())?;
            }
        }
        out.flush().context("cannot finish the scene")
    }

    /// The pairs that meet, by brute force over faces, behind nothing but boxes; then those whose boxes meet and which do not.
    fn brute_force(&self, frame: usize) -> [BTreeSet<(usize, usize)>; 2] {
        let poses = &self.poses[frame];
        let mut boxes = Vec::new();
        for (i, pose) in poses.iter().enumerate() {
            let points = self.mesh(i).positions().iter();
            boxes.push(Aabb::enclosing(points.map(|&p| *pose * p)).inflated(1e-9));
        }
        let mut found = [BTreeSet::new(), BTreeSet::new()];
        for i in 0..poses.len() {
            for j in i + 1..poses.len() {
                if !boxes[i].overlaps(&boxes[j]) {
                    continue;
                }
                let mut pair =
                    MeshEngine::FaceSweep.prepare(self.mesh(i).clone(), self.mesh(j).clone());
                let mut first = First::default();
                let pose = poses[i].inverse() * poses[j];
                let _ = pair.intersections(&pose, Limits::default(), &mut first);
                found[usize::from(first.0.is_none())].insert((i, j));
            }
        }
        found
    }

    /// Whether two bodies meet, every pair of their faces whose boxes meet decided in integers, with no code of the library.
    fn meet_in_integers(&self, frame: usize, (i, j): (usize, usize)) -> bool {
        let poses = &self.poses[frame];
        let a_from_b = poses[i].inverse() * poses[j];
        let placed = |face: [DVec3; 3]| face.map(|p| a_from_b.transform_point(p));
        let boxed = |face: [DVec3; 3]| {
            let [p, q, r] = face;
            (p.min(q).min(r), p.max(q).max(r), face)
        };
        let faces_b: Vec<_> = self.mesh(j).triangles().map(placed).map(boxed).collect();
        let mut faces_a = self.mesh(i).triangles().map(boxed);
        faces_a.any(|(low, high, p)| {
            let near = |(min, max, _): &&(DVec3, DVec3, [DVec3; 3])| {
                low.cmple(*max).all() && min.cmple(high).all()
            };
            let mut near = faces_b.iter().filter(near);
            near.any(|(_, _, q)| oracle::intersects(&p, q))
        })
    }

    /// How many of some pairs that meet and of some that hardly do not are judged, and how many of them otherwise in integers.
    fn judged_in_integers(
        &self,
        frame: usize,
        truth: &[BTreeSet<(usize, usize)>; 2],
    ) -> (usize, usize) {
        let (mut judged, mut wrong) = (0, 0);
        for (pairs, meet) in truth.iter().zip([true, false]) {
            // Spread over all of them.
            let stride = (pairs.len() / IN_INTEGERS).max(1);
            for &pair in pairs.iter().step_by(stride).take(IN_INTEGERS) {
                judged += 1;
                wrong += usize::from(self.meet_in_integers(frame, pair) != meet);
            }
        }
        (judged, wrong)
    }
}

/// Our world with all bodies in it, and the ids of the bodies.
fn world(cage: &CageWorld, serial: bool) -> anyhow::Result<(World, Vec<ObjectId>)> {
    let config = WorldConfig {
        serial,
        ..WorldConfig::default()
    };
    let broad = DynamicAabbTree::new(DynamicAabbTreeConfig { parallel: !serial });
    let mut world = World::new(broad, config);
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    let meshes = cage.meshes.iter();
    let shapes: Vec<Shape> = meshes
        .map(|mesh| Shape::from(MeshShape::new(mesh.clone())))
        .collect();
    let mut ids = Vec::new();
    for (i, pose) in cage.poses[0].iter().enumerate() {
        let body = Body::new(shapes[i % shapes.len()].clone()).at(*pose);
        ids.push(world.insert(body)?);
    }
    Ok((world, ids))
}

/// Moves everything and steps; milliseconds.
fn step(world: &mut World, ids: &[ObjectId], poses: &[Pose]) -> anyhow::Result<f64> {
    let start = Instant::now();
    for (id, pose) in ids.iter().zip(poses) {
        world.set_pose(*id, *pose)?;
    }
    world.step();
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn touching(world: &World, ids: &[ObjectId]) -> BTreeSet<(usize, usize)> {
    let number = |id: ObjectId| ids.iter().position(|own| *own == id).unwrap_or(usize::MAX);
    let events = world.frame().named("touching");
    events
        .map(|event| (number(event.pair.a), number(event.pair.b)))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect()
}

pub(super) fn run(quick: bool, folder: &Path) -> anyhow::Result<Vec<TargetVerdict>> {
    let (bodies, frames, checked) = if quick { (150, 6, 2) } else { (BODIES, 20, 3) };
    let cage = CageWorld::new(bodies, frames)?;
    let path = folder.join(format!("impinge-cage-{}.bin", std::process::id()));
    cage.write(&path)?;
    let mut theirs = match program("rapier") {
        Some(program) => Some(BoxRunner::start(&program, "cage", &path, 1)?),
        None => {
            println!("absent: rapier");
            None
        }
    };
    let (mut serial, ids) = world(&cage, true)?;
    let (mut threaded, _) = world(&cage, false)?;
    serial.step();
    threaded.step();
    if let Some(runner) = &mut theirs {
        runner.build()?;
    }
    let mut times = [const { Vec::new() }; 3];
    let (mut near, mut found, mut other) = (0, 0, 0);
    let (mut is_right, mut judged) = (true, 0);
    for frame in 1..frames {
        times[0].push(step(&mut serial, &ids, &cage.poses[frame])?);
        times[1].push(step(&mut threaded, &ids, &cage.poses[frame])?);
        near += serial.frame().stats.near;
        let pairs = touching(&serial, &ids);
        found += pairs.len() as u64;
        ensure!(
            pairs == touching(&threaded, &ids),
            "threads change the answer of frame {frame}"
        );
        if frame <= checked {
            let truth = cage.brute_force(frame);
            is_right &= pairs == truth[0];
            let (more, wrong) = cage.judged_in_integers(frame, &truth);
            judged += more;
            is_right &= wrong == 0;
        }
        if let Some(runner) = &mut theirs {
            let (ms, pairs) = runner.frame(frame)?;
            times[2].push(ms);
            other += pairs;
        }
    }
    drop(theirs);
    std::fs::remove_file(&path).with_context(|| format!("cannot remove {path:?}"))?;
    let steps = frames - 1;
    let faces: usize = cage.meshes.iter().map(|mesh| mesh.face_count()).sum();
    println!(
        "\ncage of {bodies} bodies of {} faces on average, {steps} frames, {} near pairs a frame",
        faces / cage.meshes.len(),
        near / steps as u64
    );
    let [ours, two, rapier] = times.each_mut().map(median);
    for (name, ms, pairs) in [
        ("impinge", ours, found),
        ("impinge, threads", two, found),
        ("rapier", rapier, other),
    ] {
        if !ms.is_nan() {
            let pairs = pairs as f64 / steps as f64;
            println!("{name:<22} {ms:>10.2} ms a frame {pairs:>10.1} pairs a frame");
        }
    }
    // A smaller cage can miss a bar but not meet it.
    let sized = |bar: Bar| {
        if bodies < BODIES {
            bar.and(Bar::Open)
        } else {
            bar
        }
    };
    let right = Bar::of(is_right && checked > 0 && judged > 0);
    let mut verdicts = vec![(
        sized(right),
        format!(
            "cage of {bodies}: pairs equal to brute force behind boxes in {checked} frames, {judged} of them judged in integers too, asked {BODIES} bodies"
        ),
    )];
    if rapier.is_nan() {
        println!("cage: rapier is absent; `cargo xtask peers rapier` builds it");
    }
    let faster = rapier / ours;
    let reached = if faster.is_nan() {
        "–".to_owned()
    } else {
        format!("{faster:.1}")
    };
    let full = (bodies >= BODIES).then_some(faster);
    verdicts.push((
        Bar::at_least(full, FASTER),
        format!(
            "cage of {bodies}: {reached}x the frame rate of rapier's pipeline, asked {FASTER}x with {BODIES} bodies"
        ),
    ));
    Ok(verdicts)
}
