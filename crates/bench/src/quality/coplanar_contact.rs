//! What pushes where faces lie on each other: plate and block of scenes III and IV.
//!
//! **Question.** Why do forces with gaps counted point aside there, and forces of the bare balls do not?
//!
//! **Idea.** Three experiments at the same places. The pairs of balls are parted: those of the pins, which are the scene, and those of the plate around them, which only lies on the
//! block. The plate is lifted by parts of what enlarged balls stick out of both faces; pins are longer than the block is deep, so that nothing changes for them. And the force across the faces is divided
//! by the area on which they lie: the exact volume has a derivative of none of it when the plate is lifted, and of all of it when it is pressed down.

use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::glam::DVec2;
use impinge::query::{Limits, PoseGradient};
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, SolidBall,
};
use impinge::volume::{OverlapCache, VolumeIndex};
use impinge::{DVec3, Pose};

use super::force_engines::ForceAnswer;
use super::pages::{axis, cell, text, words};
use super::scene::{ForceModel, PathPlace, QualityScene};
use super::score::Score;
use super::solids::{C, PIN, square_at};
use super::sphere_packings::{filled, index_of};
use super::time_limit;
use crate::result_sheet::{Cell, Plot, ResultSheet, Series, Table};

/// Places of each path.
const PLACES: usize = 128;
/// Balls of each solid.
const QUICK: [u32; 2] = [2_000, 8_000];
const FULL: [u32; 3] = [2_000, 8_000, 32_000];
/// By which parts of what sticks out the plate is lifted, or pressed down.
const LIFTS: [f64; 6] = [-1.0, -0.5, 0.0, 0.25, 0.5, 1.0];
/// How far the plate is pressed down where the area is measured on which it lies.
const PRESSED: f64 = 1e-6;
/// Segments of round pins where that is measured.
const SEGMENTS: u32 = 64;

/// The pins with their plate, or the block with its holes.
struct ContactSolid {
    /// Without and with gaps.
    trees: [InnerSphereTree; 2],
    /// The balls of the pins alone, without and with gaps; those of the plate. The block has all its balls in the latter.
    pins: [InnerSphereTree; 2],
    plate: [InnerSphereTree; 2],
    /// How far enlarged balls of plate or block reach beyond the plane z = 0.
    sticks_out: f64,
}

/// Whether a ball belongs to a pin, and not to the plate around it. A ball beside the outline of a pin has its lowest point beside it too, so that it
/// is no deeper than the plate.
fn is_of_pin(scene: QualityScene, ball: &SolidBall) -> bool {
    let at = DVec2::new(ball.center.x, ball.center.y);
    let is_of_square = (at - square_at()).abs().max_element() <= 0.5 * C;
    is_of_square || (scene == QualityScene::Shift && (at + square_at()).length() <= PIN)
}

/// The balls of a tree that are wanted, with their second radii if it has some.
fn part(
    tree: &InnerSphereTree,
    wanted: impl Fn(&SolidBall) -> bool,
) -> anyhow::Result<InnerSphereTree> {
    let chosen: Vec<usize> = (0..tree.balls().len())
        .filter(|i| wanted(&tree.balls()[*i]))
        .collect();
    let balls: Vec<SolidBall> = chosen.iter().map(|i| tree.balls()[*i]).collect();
    let part = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
    if tree.secondary().is_empty() {
        return Ok(part);
    }
    // Balls were given in the order in which they stand in the whole tree.
    let radii: Vec<f64> = chosen.iter().map(|i| tree.secondary()[*i]).collect();
    Ok(part.with_secondary(&radii)?)
}

impl ContactSolid {
    fn new(scene: QualityScene, is_fixed: bool, count: u32) -> anyhow::Result<Self> {
        let index = index_of(scene, is_fixed)?;
        let solid = MeshSolid::new(&index)?;
        let trees = filled(&solid, f64::from(count))?.trees;
        let is_pin = |ball: &SolidBall| !is_fixed && is_of_pin(scene, ball);
        let pins = [part(&trees[0], is_pin)?, part(&trees[1], is_pin)?];
        let is_plate = |ball: &SolidBall| !is_pin(ball);
        let plate = [part(&trees[0], is_plate)?, part(&trees[1], is_plate)?];
        let outward = if is_fixed { 1.0 } else { -1.0 };
        let balls = plate[1].balls().iter().zip(plate[1].secondary());
        let sticks_out = balls.fold(0.0_f64, |most, (ball, radius)| {
            most.max(outward * ball.center.z + radius)
        });
        Ok(Self {
            trees,
            pins,
            plate,
            sticks_out,
        })
    }
}

/// What one number of balls and one lift gave.
struct ContactRow {
    scene: QualityScene,
    balls: [usize; 2],
    /// Of the block and of the plate together.
    sticks_out: f64,
    /// As a part of that.
    lift: f64,
    /// The force across the faces by the area on which they lie, mean over the path, by the balls of the plate: bare, and with gaps counted.
    across: [f64; 2],
    /// The mean angle to the ideal direction: of the bare balls, with gaps counted, and with gaps counted by the balls of the pins alone.
    gamma: [Option<f64>; 3],
}

fn lifted(stamp: &PathPlace, by: f64) -> anyhow::Result<PathPlace> {
    let pose = Pose::new(
        *stamp.pose.rotation(),
        stamp.pose.translation() + DVec3::Z * by,
    )?;
    let mut lifted = *stamp;
    lifted.pose = pose;
    Ok(lifted)
}

/// The areas on which plate and block lie, place by place.
fn areas(scene: QualityScene, path: &[PathPlace]) -> anyhow::Result<Vec<f64>> {
    let fixed = VolumeIndex::new(Arc::new(scene.fixed(SEGMENTS)?))?;
    let moving = VolumeIndex::new(Arc::new(scene.moving(SEGMENTS)?))?;
    let mut cache = OverlapCache::default();
    path.iter()
        .map(|stamp| {
            let pose = lifted(stamp, -PRESSED)?.pose;
            let shared = fixed.overlap(&moving, &pose, Limits::default(), &mut cache)?;
            Ok(-shared.value.gradient.translation.z)
        })
        .collect()
}

/// The derivatives along a path, place by place.
fn gradients(
    fixed: &InnerSphereTree,
    moving: &InnerSphereTree,
    path: &[PathPlace],
) -> Vec<PoseGradient> {
    let mut cache = InnerSphereTreeCache::default();
    path.iter()
        .map(|stamp| {
            let found = fixed.overlap(moving, &stamp.pose, Limits::default(), &mut cache);
            found.value_gradient
        })
        .collect()
}

fn row(
    scene: QualityScene,
    fixed: &ContactSolid,
    moving: &ContactSolid,
    (path, areas): (&[PathPlace], &[f64]),
    lift: f64,
) -> anyhow::Result<ContactRow> {
    let sticks_out = fixed.sticks_out + moving.sticks_out;
    let path: Vec<PathPlace> = path
        .iter()
        .map(|stamp| lifted(stamp, lift * sticks_out))
        .collect::<anyhow::Result<_>>()?;
    let gamma = |fixed: &InnerSphereTree, moving: &InnerSphereTree| {
        if lift < 0.0 {
            // The plate is in the block, and right to push.
            return None;
        }
        let gradients = gradients(fixed, moving, &path);
        let answers: Vec<ForceAnswer> = path
            .iter()
            .zip(&gradients)
            .map(|(stamp, gradient)| ForceAnswer::against(stamp.about, gradient))
            .collect();
        let score = Score::new(scene, ForceModel::Slope, &path, &answers);
        score.gamma_f.or(score.gamma_t)
    };
    let across = |k: usize| {
        let gradients = gradients(&fixed.plate[k], &moving.plate[k], &path);
        let parts = gradients.iter().zip(areas);
        let parts = parts.map(|(g, area)| -g.translation.z / area);
        // Nothing is printed without a sign.
        parts.fold(0.0, |sum, part| sum + part) / areas.len().max(1) as f64
    };
    Ok(ContactRow {
        scene,
        balls: [moving.trees[0].balls().len(), fixed.trees[0].balls().len()],
        sticks_out,
        lift,
        across: [across(0), across(1)],
        gamma: [
            gamma(&fixed.trees[0], &moving.trees[0]),
            gamma(&fixed.trees[1], &moving.trees[1]),
            gamma(&fixed.trees[1], &moving.pins[1]),
        ],
    })
}

/// Rows, and what was left out.
type ContactRows = (Vec<ContactRow>, Vec<(QualityScene, u32)>);

/// The rows of all numbers of balls that are begun in time; the others.
fn measured(counts: &[u32], places: usize, allowed: Duration) -> anyhow::Result<ContactRows> {
    let start = Instant::now();
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for scene in [QualityScene::Turn, QualityScene::Shift] {
        let path = scene.path(places)?;
        let areas = areas(scene, &path)?;
        let late = time_limit::measure(counts, (start, allowed), |count| {
            let fixed = ContactSolid::new(scene, true, count)?;
            let moving = ContactSolid::new(scene, false, count)?;
            for lift in LIFTS {
                rows.push(row(scene, &fixed, &moving, (&path, &areas), lift)?);
            }
            eprintln!(
                "touch, scene {}: {count} balls, {:.1} s so far",
                scene.name(),
                start.elapsed().as_secs_f64()
            );
            Ok(())
        })?;
        left_out.extend(late.into_iter().map(|count| (scene, count)));
    }
    Ok((rows, left_out))
}

const TITLE: &str = "Faces that lie on each other";

fn table(rows: &[ContactRow]) -> Table {
    let columns = [
        "scene",
        "balls of the moving solid",
        "balls of the fixed solid",
        "enlarged balls stick out of both faces by",
        "lifted by, in parts of that",
        "force across by area, bare balls",
        "force across by area, gaps counted",
        "gamma, bare balls (°)",
        "gamma, gaps counted (°)",
        "gamma, gaps counted, balls of the pins alone (°)",
    ];
    let none = "the plate is in the block, and right to push";
    let rows = rows.iter().map(|row| {
        vec![
            words(row.scene.name()),
            Cell::Number(row.balls[0] as f64),
            Cell::Number(row.balls[1] as f64),
            Cell::Number(row.sticks_out),
            Cell::Number(row.lift),
            Cell::Number(row.across[0]),
            Cell::Number(row.across[1]),
            cell(row.gamma[0], none),
            cell(row.gamma[1], none),
            cell(row.gamma[2], none),
        ]
    });
    Table {
        title: TITLE.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn print(rows: &[ContactRow]) {
    println!("\n{TITLE}");
    println!(
        "  {:<5} {:>7} {:>7} {:>9} {:>6} {:>15} {:>15} {:>10} {:>10} {:>10}",
        "scene",
        "moving",
        "fixed",
        "stick out",
        "lift",
        "across/area",
        "with gaps",
        "gamma",
        "with gaps",
        "pins alone"
    );
    for row in rows {
        println!(
            "  {:<5} {:>7} {:>7} {:>9.4} {:>6.2} {:>15.4} {:>15.4} {:>10} {:>10} {:>10}",
            row.scene.name(),
            row.balls[0],
            row.balls[1],
            row.sticks_out,
            row.lift,
            row.across[0],
            row.across[1],
            text(row.gamma[0], 2),
            text(row.gamma[1], 2),
            text(row.gamma[2], 2)
        );
    }
}

/// The force across over the lift, a curve for each number of balls.
fn plot(rows: &[ContactRow], scene: QualityScene) -> Option<Plot> {
    let mut series: Vec<Series> = Vec::new();
    for row in rows.iter().filter(|row| row.scene == scene) {
        let name = format!("{} and {} balls", row.balls[0], row.balls[1]);
        let point = [row.lift * row.sticks_out, row.across[1]];
        match series.iter_mut().find(|one| one.name == name) {
            Some(one) => one.points.push(point),
            None => series.push(Series {
                name,
                points: vec![point],
                ..Series::default()
            }),
        }
    }
    (!series.is_empty()).then(|| Plot {
        title: format!(
            "Scene {}: the force across faces that lie on each other, gaps counted",
            scene.name()
        ),
        x: axis("how far the plate is lifted off the block", "radii"),
        y: axis("force by the area of the faces", ""),
        series,
    })
}

/// Measures, prints and keeps, for about so long at most: what is begun is ended.
pub(super) fn add(sheet: &mut ResultSheet, is_full: bool, allowed: Duration) -> anyhow::Result<()> {
    let counts: &[u32] = if is_full { &FULL } else { &QUICK };
    let (rows, left_out) = measured(counts, PLACES, allowed)?;
    print(&rows);
    sheet.tables.push(table(&rows));
    let plots = [QualityScene::Turn, QualityScene::Shift].map(|scene| plot(&rows, scene));
    sheet.plots.extend(plots.into_iter().flatten());
    sheet.notes.push(format!(
        "{TITLE}: the shared volume of a plate on a block has two derivatives, none when the plate is lifted and the area of the faces when it is pressed down. Balls enlarged by their share of gaps stick out of both faces, and tell something between the two; bare balls stick out nowhere and tell none. Forces across the faces are divided by that area, angles are those of the slope of the volume. Each path has {PLACES} places."
    ));
    let names: Vec<String> = left_out
        .iter()
        .map(|(scene, count)| format!("{} with {count} balls", scene.name()))
        .collect();
    let head = format!("{TITLE}: for want of time left out");
    time_limit::tell(sheet, &head, &names);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plate_pushes_as_long_as_enlarged_balls_reach_across() {
        let (rows, left_out) = measured(&[500], 4, Duration::MAX).unwrap();
        assert!(left_out.is_empty() && rows.len() == 2 * LIFTS.len());
        for row in &rows {
            let (name, lift) = (row.scene.name(), row.lift);
            let [bare, counted] = row.across;
            // Bare balls reach across nowhere, unless they are pressed together.
            assert!(lift < 0.0 || bare.abs() < 1e-9, "{name}, {lift}: {bare}");
            assert_eq!(row.gamma.iter().all(Option::is_some), lift >= 0.0);
            if lift == 0.0 {
                assert!((0.02..0.6).contains(&counted), "{name}: {counted}");
            }
            if lift == 1.0 {
                assert!(counted.abs() < 1e-12, "{name}: {counted}");
                // Nothing is left but the pins.
                let [_, all, pins] = row.gamma.map(Option::unwrap);
                assert!((all - pins).abs() < 1e-6, "{name}: {all} and {pins}");
            }
        }
        assert_eq!(table(&rows).rows[0].len(), table(&rows).columns.len());
        assert_eq!(plot(&rows, QualityScene::Turn).unwrap().series.len(), 1);
    }

    #[test]
    fn parts_of_a_tree_push_as_much_as_the_whole() {
        let scene = QualityScene::Turn;
        let [fixed, moving] = [true, false].map(|is| ContactSolid::new(scene, is, 500).unwrap());
        let path = scene.path(4).unwrap();
        for k in [0, 1] {
            let of = |moving: &InnerSphereTree| gradients(&fixed.plate[k], moving, &path);
            let whole = gradients(&fixed.trees[k], &moving.trees[k], &path);
            let (pins, plate) = (of(&moving.pins[k]), of(&moving.plate[k]));
            for ((pins, plate), whole) in pins.iter().zip(&plate).zip(&whole) {
                let off = pins.translation + plate.translation - whole.translation;
                assert!(off.length() < 1e-12, "{off}");
                let off = pins.rotation + plate.rotation - whole.rotation;
                assert!(off.length() < 1e-12, "{off}");
            }
        }
    }

    #[test]
    fn the_area_is_that_of_the_plate_without_its_pin() {
        let path = QualityScene::Turn.path(64).unwrap();
        let areas = areas(QualityScene::Turn, &path[..1]).unwrap();
        // Two by one, but for the hole; turned by a quarter of a degree, a little less.
        assert!((areas[0] - (2.0 - C * C)).abs() < 0.02, "{areas:?}");
        let (rows, left_out) = measured(&[500], 4, Duration::ZERO).unwrap();
        assert!(rows.is_empty() && left_out.len() == 2);
    }
}
