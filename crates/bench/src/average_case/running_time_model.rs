//! Predicted and measured visits of artificial hierarchies with known factors, and what was published about them.

use impinge::DVec3;
use impinge::average_case::{ShrinkFactors, TraversalCost};
use impinge::bound::Aabb;
use impinge::bvh::tree::NodeMeasure;
use impinge::math::Rng;

use super::Preset;
use super::visit_counts::models;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

/// How far a predicted power may be from the measured one for large factors.
const BAR: f64 = 0.15;
/// Factors that are looked at, and whether the bar holds for them.
const FACTORS: [(f64, bool); 11] = [
    (0.5, false),
    (0.6, false),
    (0.63, false),
    (0.7, false),
    (0.707, false),
    (0.794, false),
    (0.8, true),
    (0.85, true),
    (0.9, true),
    (0.9086, false),
    (1.0, false),
];
/// How the published table says that visits grow.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// With this power of the leaves; 0 is not at all.
    Power(f64),
    /// With the logarithm of the leaves, which is the depth.
    Logarithm,
}

impl Law {
    /// The power that is measured between two depths if the law holds exactly. A logarithm has one at every size: only in the end it is 0.
    fn between(self, from: u32, depth: u32) -> f64 {
        match self {
            Self::Power(power) => power,
            Self::Logarithm => {
                (f64::from(depth) / f64::from(from)).log2() / f64::from(depth - from)
            }
        }
    }
}

/// The published classes of growth (Klein, table 3.1; Weller, table 6.1): the factor whose cube is the product of the table, the class, its law.
const CLASSES: [(f64, &str, Law); 6] = [
    (0.5, "product below 1/4: O(1)", Law::Power(0.0)),
    (0.63, "product 1/4: O(log n)", Law::Logarithm),
    (0.707, "product √(1/8): O(√n)", Law::Power(0.5)),
    (0.794, "product 1/2: O(n)", Law::Power(1.0)),
    (0.9086, "product 3/4: O(n^1.58)", Law::Power(1.58)),
    (1.0, "product 1: O(n²)", Law::Power(2.0)),
];
/// Factors for which the published formula is known to be off: by how much is reported.
const SMALL: [f64; 2] = [0.6, 0.7];

/// Whether a published power is borne out by a measured one.
pub(super) fn verdict(published: f64, measured: f64) -> &'static str {
    if (published - measured).abs() <= BAR {
        "confirmed"
    } else {
        "refuted"
    }
}

/// The same of a class of the table; who measures so little growth cannot tell a logarithm from nothing at all.
fn verdict_of_class(law: Law, published: f64, measured: f64) -> &'static str {
    let is_nearer_to_none = measured.abs() < (published - measured).abs();
    match verdict(published, measured) {
        "confirmed" if law == Law::Logarithm && is_nearer_to_none => {
            "not refuted, but no growth at all is nearer"
        }
        verdict => verdict,
    }
}

pub(super) fn run(preset: Preset, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    fixtures(sheet)?;
    counts_are_visits(sheet)?;
    artificial(preset, sheet);
    factors_are_found(sheet)?;
    if preset.is_timed() {
        models(preset, sheet)?;
    }
    Ok(())
}

/// Numbers that the formulas give without any measurement.
fn fixtures(sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let growth = |overlap: f64, factor: f64| TraversalCost {
        factors: DVec3::splat(factor),
        overlap,
        is_two_sided: false,
    };
    let is_right = growth(0.4, 0.5).pairs(8) == [1.0, 3.0, 10.0, 28.0, 91.0, 351.0, 1378.0, 5356.0]
        && growth(0.4, 0.8).pairs(8) == [3.0, 10.0, 21.0, 50.0, 118.0, 292.0, 752.0, 2022.0]
        && (growth(0.4, 0.63).visits(12) - 30.98).abs() < 0.01
        && (growth(0.15, 0.9).visits(12) - 223.01).abs() < 0.01;
    anyhow::ensure!(
        is_right,
        "the published recurrence has not its known values"
    );
    checked(sheet, "the published recurrence has all its known values");
    Ok(())
}

/// Notes a condition without which the run would have ended. It is no bar: nothing was measured.
fn checked(sheet: &mut ResultSheet, what: &str) {
    let note = format!("Checked before measuring: {what}.");
    println!("{note}");
    sheet.notes.push(note);
}

/// Every node of a complete binary tree of boxes: two children in opposite corners, each the factor times as large.
pub(super) fn hierarchy(factor: f64, depth: u32) -> Vec<Aabb> {
    let root = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };
    let mut boxes = vec![root];
    for at in 0..(1_usize << depth) - 1 {
        let parent = boxes[at];
        let size = parent.diagonal() * factor;
        boxes.push(Aabb {
            min: parent.min,
            max: parent.min + size,
        });
        boxes.push(Aabb {
            min: parent.max - size,
            max: parent.max,
        });
    }
    boxes
}

/// How many pairs of nodes below the roots overlap when the second tree is shifted, by level from 1 on.
pub(super) fn visits(boxes: &[Aabb], shift: DVec3, depth: u32) -> Vec<u64> {
    let mut counts = vec![0; depth as usize];
    let overlap = |a: usize, b: usize| {
        let moved = Aabb {
            min: boxes[b].min + shift,
            max: boxes[b].max + shift,
        };
        boxes[a].overlaps(&moved)
    };
    let mut open = vec![(0, 0, 0)];
    while let Some((a, b, level)) = open.pop() {
        if level == depth as usize {
            continue;
        }
        for (a, b) in [
            (2 * a + 1, 2 * b + 1),
            (2 * a + 1, 2 * b + 2),
            (2 * a + 2, 2 * b + 1),
            (2 * a + 2, 2 * b + 2),
        ] {
            if overlap(a, b) {
                counts[level] += 1;
                open.push((a, b, level + 1));
            }
        }
    }
    counts
}

/// Where all boxes of a hierarchy begin, in ascending order, by level from 1 on. Children sit on the diagonal of their parents, so that one
/// number is enough for a box along all axes.
fn beginnings(factor: f64, depth: u32) -> Vec<Vec<f64>> {
    let mut levels: Vec<Vec<f64>> = Vec::new();
    let mut side = 1.0;
    for _ in 0..depth {
        let shift = side * (1.0 - factor);
        side *= factor;
        let parents = levels.last().map_or(&[0.0][..], Vec::as_slice);
        let mut boxes: Vec<f64> = parents.iter().flat_map(|p| [*p, p + shift]).collect();
        boxes.sort_by(f64::total_cmp);
        levels.push(boxes);
    }
    levels
}

/// What [`visits`] counts, without a search: boxes lie in their parents, so that all pairs that overlap are visited.
fn counted(beginnings: &[Vec<f64>], factor: f64, shift: DVec3) -> Vec<u64> {
    let mut side = 1.0;
    let of_level = |boxes: &Vec<f64>| {
        side *= factor;
        let (low, high) = (-side - shift.min_element(), side - shift.max_element());
        if low <= high {
            differing(boxes, low, high)
        } else {
            0
        }
    };
    beginnings.iter().map(of_level).collect()
}

/// How many pairs of ascending numbers differ by at least `low` and at most `high`.
fn differing(numbers: &[f64], low: f64, high: f64) -> u64 {
    let (mut from, mut to, mut pairs) = (0, 0, 0);
    for x in numbers {
        while numbers.get(from).is_some_and(|y| y - x < low) {
            from += 1;
        }
        while numbers.get(to).is_some_and(|y| y - x <= high) {
            to += 1;
        }
        pairs += (to - from) as u64;
    }
    pairs
}

/// Counting gives what a search visits, at random places.
fn counts_are_visits(sheet: &mut ResultSheet) -> anyhow::Result<()> {
    const DEPTH: u32 = 8;
    let mut rng = Rng::new(9);
    let (mut places, mut differ) = (0, 0);
    for (factor, _) in FACTORS {
        let boxes = hierarchy(factor, DEPTH);
        let levels = beginnings(factor, DEPTH);
        for k in 0..60 {
            // Half of the places are near the diagonal, where most pairs overlap.
            let spread = if k % 2 == 0 { 1.0 } else { 0.1 };
            let x = rng.range(0.0, 1.0);
            let shift = DVec3::new(
                x,
                x + spread * rng.range(-1.0, 1.0),
                x + spread * rng.range(-1.0, 1.0),
            );
            places += 1;
            differ += usize::from(visits(&boxes, shift, DEPTH) != counted(&levels, factor, shift));
        }
    }
    anyhow::ensure!(
        differ == 0,
        "pairs that overlap are not counted as a search visits them: {differ} of {places} places differ"
    );
    checked(
        sheet,
        &format!(
            "pairs that overlap are counted as a search visits them, at all of {places} places"
        ),
    );
    Ok(())
}

/// Artificial hierarchies: overlaps from 0.1 to 0.9 along x, anywhere along y and z.
fn artificial(preset: Preset, sheet: &mut ResultSheet) {
    let depth: u32 = preset.pick(9, 12, 15);
    let from = depth - 4;
    // Few places make most of the visits: those near the diagonal. Fewer places than these make a power of chance.
    let places = preset.pick(40, 60, 100);
    println!(
        "artificial hierarchies, {} leaves, powers between {} and that many, {} places:",
        1_u64 << depth,
        1_u64 << from,
        9 * places * places
    );
    let mut table = Table {
        title: "Artificial hierarchies".to_owned(),
        columns: [
            "factor",
            "measured visits",
            "predicted visits",
            "measured power",
            "predicted power",
            "power in the end",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    let mut classes = Table {
        title: format!(
            "Published classes of growth, judged by artificial hierarchies of {} leaves",
            1_u64 << depth
        ),
        columns: [
            "factor",
            "published",
            "its power at this size",
            "measured power",
            "verdict",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    let mut series = Vec::new();
    for (factor, has_bar) in FACTORS {
        let levels = beginnings(factor, depth);
        let mut rng = Rng::new(8);
        let mut measured = vec![0.0; depth as usize];
        let mut predicted = vec![0.0; depth as usize];
        // A hair more than round numbers: no boxes touch by rounding alone.
        let overlaps: Vec<f64> = (1..=9).map(|i| 0.1 * f64::from(i) + 1e-6).collect();
        for &overlap in &overlaps {
            let growth = TraversalCost {
                factors: DVec3::splat(factor),
                overlap,
                is_two_sided: true,
            };
            let chance: f64 = factor * factor;
            let mut power = 1.0;
            for (sum, pairs) in predicted.iter_mut().zip(growth.pairs(depth)) {
                power *= chance;
                *sum += pairs * power / overlaps.len() as f64;
            }
            for i in 0..places * places {
                // One place in each cell of a grid: far less scatter than anywhere.
                let within = |k: i32, rng: &mut Rng| {
                    (f64::from(k) + rng.unit()) / f64::from(places) * 2.0 - 1.0
                };
                let (y, z) = (within(i % places, &mut rng), within(i / places, &mut rng));
                let counts = counted(&levels, factor, DVec3::new(1.0 - overlap, y, z));
                for (sum, count) in measured.iter_mut().zip(counts) {
                    *sum += count as f64 / f64::from(places * places) / overlaps.len() as f64;
                }
            }
        }
        let total = |visits: &[f64], levels: u32| visits[..levels as usize].iter().sum::<f64>();
        let power = |visits: &[f64]| {
            (total(visits, depth) / total(visits, from)).log2() / f64::from(depth - from)
        };
        let (found, told) = (power(&measured), power(&predicted));
        let in_the_end = TraversalCost {
            factors: DVec3::splat(factor),
            overlap: 0.5,
            is_two_sided: true,
        }
        .exponent();
        let (all, expected) = (total(&measured, depth), total(&predicted, depth));
        println!(
            "  factor {factor:5}: visits {all:11.1}, predicted {expected:11.1}; power {found:.3}, predicted {told:.3}, in the end {in_the_end:.3}"
        );
        table.rows.push(
            [factor, all, expected, found, told, in_the_end]
                .map(Cell::Number)
                .to_vec(),
        );
        if let Some((_, class, law)) = CLASSES.iter().find(|class| class.0 == factor) {
            let published = law.between(from, depth);
            let verdict = verdict_of_class(*law, published, found);
            println!("    {class}: {verdict}, the power is {found:.3}, by this law {published:.3}");
            classes.rows.push(vec![
                Cell::Number(factor),
                Cell::Text((*class).to_owned()),
                Cell::Number(published),
                Cell::Number(found),
                Cell::Text(verdict.to_owned()),
            ]);
        }
        for (name, visits) in [("measured", &measured), ("predicted", &predicted)] {
            series.push(Series {
                name: format!("{factor} {name}"),
                points: (1..=depth)
                    .map(|l| [f64::from(1_u32 << l), total(visits, l)])
                    .collect(),
                is_scatter: name == "measured",
                ..Series::default()
            });
        }
        if has_bar {
            sheet.claim(
                &format!("factor {factor}: the predicted power is within {BAR} of the measured"),
                &format!("{told:.3} and {found:.3}"),
                (told - found).abs() <= BAR,
            );
            println!(
                "    the formula lg 4α³ says {in_the_end:.3}, {:.3} off at this size",
                in_the_end - found
            );
        } else if SMALL.contains(&factor) {
            let note = format!(
                "Factor {factor}: lg 4α³ gives a power of {in_the_end:.3}, measured {found:.3} at {} leaves; the recurrence with two sides {told:.3}.",
                1_u64 << depth
            );
            println!("    {note}");
            sheet.notes.push(note);
        }
    }
    sheet.tables.push(table);
    sheet.tables.push(classes);
    let title = "Visits of artificial hierarchies";
    sheet.plots.push(visits_over(title, "leaves", series));
}

/// How visits grow, both axes logarithmic.
pub(super) fn visits_over(title: &str, size: &str, series: Vec<Series>) -> Plot {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        is_logarithmic: true,
        ..Axis::default()
    };
    Plot {
        title: title.to_owned(),
        x: axis(size),
        y: axis("pairs visited"),
        series,
    }
}

/// The factors that were put in come out.
fn factors_are_found(sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let boxes = hierarchy(0.7, 8);
    let nodes: Vec<NodeMeasure> = boxes
        .iter()
        .enumerate()
        .map(|(i, bounds)| NodeMeasure {
            area: bounds.surface_area(),
            volume: bounds.volume(),
            bounds: *bounds,
            parent: (i > 0).then(|| (i - 1) / 2),
            faces: None,
        })
        .collect();
    let found = ShrinkFactors::of(&nodes).mean;
    let is_found = (found - DVec3::splat(0.7)).abs().max_element() < 1e-9;
    anyhow::ensure!(
        is_found,
        "the factors of an artificial hierarchy are 0.7, and {:.6} was found",
        found.x
    );
    checked(
        sheet,
        "the factors of an artificial hierarchy are found, 0.7 each",
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BAR, CLASSES, FACTORS, Law, verdict, verdict_of_class};

    #[test]
    fn every_published_class_is_tried_and_belongs_to_its_factor() {
        for (factor, class, law) in CLASSES {
            assert!(FACTORS.iter().any(|(tried, _)| *tried == factor), "{class}");
            let by_formula = (4.0 * factor * factor * factor).log2().max(0.0);
            let in_the_end = match law {
                Law::Power(power) => power,
                Law::Logarithm => 0.0,
            };
            assert!(
                (by_formula - in_the_end).abs() < 0.01,
                "{class}: {by_formula}"
            );
        }
        assert_eq!(verdict(1.0, 1.1), "confirmed");
        assert_eq!(verdict(1.0, 1.2), "refuted");
        let logarithm = |measured| verdict_of_class(Law::Logarithm, 0.112, measured);
        assert_eq!(logarithm(0.1), "confirmed");
        assert!(logarithm(0.009).starts_with("not refuted"));
        assert_eq!(logarithm(0.3), "refuted");
        assert_eq!(verdict_of_class(Law::Power(0.0), 0.0, 0.009), "confirmed");
    }

    #[test]
    fn a_logarithm_confirms_the_logarithmic_class_and_a_root_does_not() {
        // As many visits on each level: their sum is the depth, the logarithm of the leaves.
        let power = |visits: &dyn Fn(u32) -> f64, from: u32, depth: u32| {
            (visits(depth) / visits(from)).log2() / f64::from(depth - from)
        };
        for depth in [9, 12, 15] {
            let from = depth - 4;
            let by_law = Law::Logarithm.between(from, depth);
            let logarithm = power(&|levels| 3.0 * f64::from(levels), from, depth);
            assert!((by_law - logarithm).abs() < 1e-12);
            assert_eq!(verdict(by_law, logarithm), "confirmed");
            let root = power(&|levels| 2_f64.powf(0.5 * f64::from(levels)), from, depth);
            assert_eq!(verdict(by_law, root), "refuted");
        }
        // What a look at 4096 leaves measures is a logarithm, though its power is farther from 0 than the bar.
        let measured = 0.1747;
        assert!(measured > BAR);
        assert_eq!(
            verdict(Law::Logarithm.between(8, 12), measured),
            "confirmed"
        );
        assert_eq!(Law::Power(1.58).between(8, 12), 1.58);
    }
}
