//! Predicted and measured visits: artificial hierarchies with known factors, and models.

use impinge::average::{AverageConfig, AverageTree, Diminishing, Growth};
use impinge::bound::{Aabb, BoundingVolume};
use impinge::bvh::tree::NodeMeasure;
use impinge::generate::pipes;
use impinge::math::Rng;
use impinge::{DVec3, Pose, TriMesh};

use super::Preset;
use super::models::{Model, car, door_lock};
use super::tumble::rounds;
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

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
fn verdict(published: f64, measured: f64) -> &'static str {
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

pub(super) fn run(preset: Preset, sheet: &mut Sheet) -> anyhow::Result<()> {
    fixtures(sheet);
    counts_are_visits(sheet);
    artificial(preset, sheet);
    factors_are_found(sheet);
    if preset.is_timed() {
        models(preset, sheet)?;
    }
    Ok(())
}

/// Numbers that the formulas give without any measurement.
fn fixtures(sheet: &mut Sheet) {
    let growth = |overlap: f64, factor: f64| Growth {
        factors: DVec3::splat(factor),
        overlap,
        is_two_sided: false,
    };
    let is_right = growth(0.4, 0.5).pairs(8) == [1.0, 3.0, 10.0, 28.0, 91.0, 351.0, 1378.0, 5356.0]
        && growth(0.4, 0.8).pairs(8) == [3.0, 10.0, 21.0, 50.0, 118.0, 292.0, 752.0, 2022.0]
        && (growth(0.4, 0.63).visits(12) - 30.98).abs() < 0.01
        && (growth(0.15, 0.9).visits(12) - 223.01).abs() < 0.01;
    sheet.claim(
        "the published recurrence has its known values",
        if is_right { "all" } else { "not all" },
        is_right,
    );
}

/// Every node of a complete binary tree of boxes: two children in opposite corners, each the factor times as large.
fn hierarchy(factor: f64, depth: u32) -> Vec<Aabb> {
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
fn visits(boxes: &[Aabb], shift: DVec3, depth: u32) -> Vec<u64> {
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
/// number tells a box along all axes.
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
fn counts_are_visits(sheet: &mut Sheet) {
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
    sheet.claim(
        "pairs that overlap are counted as a search visits them",
        &format!("{differ} of {places} places differ"),
        differ == 0,
    );
}

/// Artificial hierarchies: overlaps from 0.1 to 0.9 along x, anywhere along y and z.
fn artificial(preset: Preset, sheet: &mut Sheet) {
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
            let growth = Growth {
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
        let in_the_end = Growth {
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
fn visits_over(title: &str, size: &str, series: Vec<Series>) -> Plot {
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
fn factors_are_found(sheet: &mut Sheet) {
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
    let found = Diminishing::of(&nodes).mean;
    let is_found = (found - DVec3::splat(0.7)).abs().max_element() < 1e-9;
    sheet.claim(
        "the factors of an artificial hierarchy are found",
        &format!("{:.6}", found.x),
        is_found,
    );
}

/// Pairs of one placement after which a walk is cut.
const MOST_PAIRS: u64 = 40_000_000;

/// One model at several resolutions.
struct Sizes {
    name: &'static str,
    sizes: Vec<Size>,
}

/// What was seen of a model at one resolution.
struct Size {
    faces: f64,
    factors: DVec3,
    /// The mean number of pairs that overlap, below the roots.
    measured: f64,
    /// The part of them in which one tree had already ended.
    one_sided: f64,
    predicted: f64,
    /// Placements whose walk was cut: the mean is then too small.
    cut: usize,
}

impl Sizes {
    /// Faces and visits where nothing was cut.
    fn measured(&self) -> Vec<[f64; 2]> {
        let whole = self.sizes.iter().filter(|size| size.cut == 0);
        whole.map(|size| [size.faces, size.measured]).collect()
    }

    fn predicted(&self) -> Vec<[f64; 2]> {
        let sizes = self.sizes.iter();
        sizes.map(|size| [size.faces, size.predicted]).collect()
    }

    /// The factors of the finest.
    fn factors(&self) -> DVec3 {
        self.sizes.last().map_or(DVec3::ZERO, |size| size.factors)
    }

    /// How far predictions are off, and where they go down while the model grows: from where to where, and the factors there.
    fn remark(&self) -> String {
        let ratios = self.sizes.iter().map(|size| size.measured / size.predicted);
        let (least, most) = ratios.fold((f64::INFINITY, 0.0_f64), |(least, most), ratio| {
            (least.min(ratio), most.max(ratio))
        });
        let name = self.name;
        let mut text = format!(
            "{name}: {least:.3} to {most:.3} times as many pairs overlap as constant factors predict."
        );
        let product = |size: &Size| size.factors.element_product();
        let falls = self
            .sizes
            .windows(2)
            .find(|pair| pair[1].predicted < pair[0].predicted);
        if let Some([more, fewer]) = falls {
            text += &format!(
                " The prediction falls from {:.0} at {} faces to {:.0} at {}, where {:.0} and {:.0} were counted: the product of the factors falls from {:.3} to {:.3}, and a prediction takes its power of the depth.",
                more.predicted,
                more.faces,
                fewer.predicted,
                fewer.faces,
                more.measured,
                fewer.measured,
                product(more),
                product(fewer)
            );
        }
        text
    }
}

/// Models at distance 0.4: all pairs of boxes that overlap, down to single faces.
fn models(preset: Preset, sheet: &mut Sheet) -> anyhow::Result<()> {
    let details: &[f64] = preset.pick(
        &[0.25],
        &[0.15, 0.25, 0.4, 0.63, 1.0],
        &[0.1, 0.15, 0.25, 0.4, 0.63, 1.0, 1.6],
    );
    let steps = preset.pick(6, 24, 400);
    let knot = |detail: f64| {
        impinge::generate::torus_knot(
            2,
            5,
            0.3,
            (400.0 * detail) as u32,
            (24.0 * detail).max(3.0) as u32,
        )
    };
    type Make<'m> = &'m dyn Fn(f64) -> anyhow::Result<TriMesh>;
    // The same pipes with more sides.
    let sides = |detail: f64| (16.0 * detail).round().max(3.0) as u32;
    let kinds: [(&'static str, Make<'_>); 4] = [
        ("car", &car),
        ("lock", &|detail| door_lock(0.6 * detail)),
        ("pipes", &|detail| Ok(pipes(22, 16, 149, sides(detail), 1)?)),
        ("knot", &|detail| Ok(knot(detail)?)),
    ];
    let mut all = Vec::new();
    for (name, make) in kinds {
        let mut sizes = Vec::new();
        for &detail in details {
            let mesh = make(detail)?;
            // Sides are whole: two details may be the same model.
            if sizes
                .last()
                .is_some_and(|size: &Size| size.faces == mesh.faces().len() as f64)
            {
                continue;
            }
            let model = Model::new(name, &mesh, None)?;
            let size = visited(&model, steps)?;
            let factors = size.factors;
            println!(
                "  {name:6} {:8} faces: {:9.1} pairs overlap ({:.0} % one-sided), factors {:.2} {:.2} {:.2}, predicted {:.1}",
                size.faces,
                size.measured,
                100.0 * size.one_sided,
                factors.x,
                factors.y,
                factors.z,
                size.predicted
            );
            if size.cut > 0 {
                let note = format!(
                    "{name} of {} faces: {} walks were cut after {MOST_PAIRS} pairs; its mean is a floor and no part of the fit.",
                    size.faces, size.cut
                );
                println!("    {note}");
                sheet.notes.push(note);
            }
            sizes.push(size);
        }
        all.push(Sizes { name, sizes });
    }
    let mut counts = Table {
        title: "Pairs of boxes that overlap below the roots, both trees opened together: models at distance 0.4".to_owned(),
        columns: [
            "model",
            "faces",
            "αx",
            "αy",
            "αz",
            "measured",
            "of them one-sided %",
            "predicted",
            "measured / predicted",
            "walks cut",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    for sizes in &all {
        for size in &sizes.sizes {
            let numbers = [
                size.faces,
                size.factors.x,
                size.factors.y,
                size.factors.z,
                size.measured,
                100.0 * size.one_sided,
                size.predicted,
                size.measured / size.predicted,
                size.cut as f64,
            ];
            let mut row = vec![Cell::Text(sizes.name.to_owned())];
            row.extend(numbers.map(Cell::Number));
            counts.rows.push(row);
        }
        let remark = sizes.remark();
        println!("  {remark}");
        sheet.notes.push(remark);
    }
    sheet.tables.push(counts);
    let mut table = Table {
        title: "Models at distance 0.4: which law fits visits best".to_owned(),
        columns: [
            "model",
            "αx",
            "αy",
            "αz",
            "power",
            "rms of power law %",
            "rms of logarithm %",
            "published",
            "verdict",
            "power by the table of factors",
            "verdict on the table",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    let mut series = Vec::new();
    let mut is_logarithmic = Vec::new();
    for sizes in &all {
        let (measured, factors) = (sizes.measured(), sizes.factors());
        let (power, by_power, by_logarithm) = fits(&measured);
        let law = if by_logarithm <= by_power {
            "logarithmic"
        } else {
            "a power"
        };
        // What the table says of trees that shrink like this one, if they did so evenly.
        let told = (4.0 * factors.element_product()).log2().max(0.0);
        is_logarithmic.push((sizes.name, by_logarithm <= by_power, power, told));
        println!(
            "  {}: {law} fits better (power {power:.2} off by {by_power:.1} %, logarithm by {by_logarithm:.1} %)",
            sizes.name
        );
        table.rows.push(vec![
            Cell::Text(sizes.name.to_owned()),
            Cell::Number(factors.x),
            Cell::Number(factors.y),
            Cell::Number(factors.z),
            Cell::Number(power),
            Cell::Number(by_power),
            Cell::Number(by_logarithm),
            Cell::Text("logarithmic".to_owned()),
            Cell::Text(said(by_logarithm <= by_power).to_owned()),
            Cell::Number(told),
            Cell::Text(verdict(told, power).to_owned()),
        ]);
        for (name, points, is_scatter) in [
            ("measured", measured, true),
            ("predicted", sizes.predicted(), false),
        ] {
            series.push(Series {
                name: format!("{} {name}", sizes.name),
                points,
                is_scatter,
                ..Series::default()
            });
        }
    }
    for (name, is, power, told) in is_logarithmic {
        let note = format!(
            "Published: visits grow logarithmically on CAD models. {name}: {}, the fitted power is {power:.2}. By the table of factors it would be {told:.2}: {}.",
            said(is),
            verdict(told, power)
        );
        println!("  {note}");
        sheet.notes.push(note);
    }
    sheet.tables.push(table);
    let title = "Visits of models at distance 0.4";
    sheet.plots.push(visits_over(title, "faces", series));
    Ok(())
}

fn said(is_confirmed: bool) -> &'static str {
    if is_confirmed { "confirmed" } else { "refuted" }
}

/// The pairs of boxes of a model's tree that overlap, the factors of the tree, and what the model says.
fn visited(model: &Model, steps: u32) -> anyhow::Result<Size> {
    let config = AverageConfig {
        resolution: 0.0,
        ..AverageConfig::default()
    };
    let nodes = AverageTree::<Aabb>::new(&model.mesh, &config).measures();
    let factors = Diminishing::of(&nodes);
    let tree = Tree::new(&nodes);
    let rounds = rounds(model, steps, 1.7)?;
    let poses = rounds.first().map_or(&[][..], |round| &round.poses);
    let (mut pairs, mut one_sided, mut cut) = (0, 0, 0);
    for pose in poses {
        let walk = tree.walk(pose, MOST_PAIRS);
        pairs += walk.pairs;
        one_sided += walk.one_sided;
        cut += usize::from(walk.is_cut);
    }
    // Roots of extent 2 whose centres are 0.4 apart overlap by 0.8 of it.
    let levels = (model.mesh.face_count() as f64).log2().round() as u32;
    Ok(Size {
        faces: model.mesh.face_count() as f64,
        factors: factors.mean,
        measured: pairs as f64 / poses.len().max(1) as f64,
        one_sided: one_sided as f64 / (pairs as f64).max(1.0),
        predicted: factors.growth(&factors, 0.8).visits(levels),
        cut,
    })
}

/// Boxes with their children, which are side by side.
struct Tree {
    boxes: Vec<Aabb>,
    children: Vec<std::ops::Range<usize>>,
}

/// What a walk down two trees met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Walk {
    /// Pairs of nodes that overlap, the roots not counted: what [`Growth::visits`] tells.
    pairs: u64,
    /// Those of them in which one node is a leaf whose other side went on alone: complete trees have none.
    one_sided: u64,
    is_cut: bool,
}

impl Tree {
    fn new(nodes: &[NodeMeasure]) -> Self {
        let mut children = vec![0..0; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            if let Some(range) = node.parent.and_then(|parent| children.get_mut(parent)) {
                *range = if range.end == 0 {
                    i..i + 1
                } else {
                    range.start..i + 1
                };
            }
        }
        Self {
            boxes: nodes.iter().map(|node| node.bounds).collect(),
            children,
        }
    }

    /// All pairs that overlap with a placed copy, both sides opened together as the model has it, up to so many.
    fn walk(&self, pose: &Pose, most: u64) -> Walk {
        let relative = Aabb::relative(pose);
        let overlap = |a: usize, b: usize| {
            BoundingVolume::overlaps(&self.boxes[a], &self.boxes[b], &relative)
        };
        let mut walk = Walk::default();
        let mut open = Vec::new();
        if !self.boxes.is_empty() && overlap(0, 0) {
            open.push((0, 0));
        }
        while let Some((a, b)) = open.pop() {
            let below = |at: usize| {
                let children = self.children[at].clone();
                if children.is_empty() {
                    (at..at + 1, true)
                } else {
                    (children, false)
                }
            };
            let ((of_a, ends_a), (of_b, ends_b)) = (below(a), below(b));
            if ends_a && ends_b {
                continue;
            }
            for a in of_a {
                for b in of_b.clone() {
                    if !overlap(a, b) {
                        continue;
                    }
                    if walk.pairs == most {
                        walk.is_cut = true;
                        return walk;
                    }
                    walk.pairs += 1;
                    walk.one_sided += u64::from(ends_a || ends_b);
                    open.push((a, b));
                }
            }
        }
        walk
    }
}

/// The power of the best power law, and the relative deviations of it and of the best `a + b·log n`, in percent.
fn fits(points: &[[f64; 2]]) -> (f64, f64, f64) {
    let line = |points: &[(f64, f64)]| {
        let count = points.len() as f64;
        let (sx, sy) = points
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        let (mx, my) = (sx / count, sy / count);
        let (xx, xy) = points.iter().fold((0.0, 0.0), |s, p| {
            (s.0 + (p.0 - mx) * (p.0 - mx), s.1 + (p.0 - mx) * (p.1 - my))
        });
        let slope = if xx > 0.0 { xy / xx } else { 0.0 };
        (my - slope * mx, slope)
    };
    let rms = |predicted: &dyn Fn(f64) -> f64| {
        let sum: f64 = points
            .iter()
            .map(|[n, visits]| (predicted(*n) / visits - 1.0).powi(2))
            .sum();
        100.0 * (sum / points.len().max(1) as f64).sqrt()
    };
    let in_logs: Vec<(f64, f64)> = points.iter().map(|[n, v]| (n.ln(), v.ln())).collect();
    let half_log: Vec<(f64, f64)> = points.iter().map(|[n, v]| (n.ln(), *v)).collect();
    let (a, power) = line(&in_logs);
    let (c, d) = line(&half_log);
    (
        power,
        rms(&|n: f64| (a + power * n.ln()).exp()),
        rms(&|n: f64| c + d * n.ln()),
    )
}

#[cfg(test)]
mod tests {
    use impinge::bound::Aabb;
    use impinge::bvh::tree::NodeMeasure;
    use impinge::{DVec3, Pose};

    use super::{
        BAR, CLASSES, FACTORS, Law, Size, Sizes, Tree, hierarchy, verdict, verdict_of_class, visits,
    };

    /// An artificial hierarchy as a tree.
    fn tree(factor: f64, depth: u32) -> (Vec<Aabb>, Tree) {
        let boxes = hierarchy(factor, depth);
        let node = |(i, bounds): (usize, &Aabb)| NodeMeasure {
            area: bounds.surface_area(),
            volume: bounds.volume(),
            bounds: *bounds,
            parent: (i > 0).then(|| (i - 1) / 2),
            faces: None,
        };
        let nodes: Vec<NodeMeasure> = boxes.iter().enumerate().map(node).collect();
        (boxes, Tree::new(&nodes))
    }

    #[test]
    fn a_walk_counts_what_the_prediction_is_about() {
        let depth = 6;
        for factor in [0.6, 0.8, 0.9] {
            let (boxes, tree) = tree(factor, depth);
            for (x, y, z) in [(0.31, 0.22, -0.11), (0.6, 0.55, 0.63), (0.02, 0.01, 0.03)] {
                let shift = DVec3::new(x, y, z);
                let pose = Pose::from_translation(shift).unwrap();
                let walk = tree.walk(&pose, u64::MAX);
                let counted: u64 = visits(&boxes, shift, depth).iter().sum();
                assert!(counted > 0 && !walk.is_cut);
                assert_eq!((walk.pairs, walk.one_sided), (counted, 0));
                let cut = tree.walk(&pose, counted - 1);
                assert!(cut.is_cut && cut.pairs == counted - 1);
            }
        }
        let (_, tree) = tree(0.8, 3);
        let apart = Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
        assert_eq!(tree.walk(&apart, 10).pairs, 0);
    }

    #[test]
    fn a_tree_that_ends_earlier_goes_on_one_sided() {
        let whole = Aabb {
            min: DVec3::ZERO,
            max: DVec3::ONE,
        };
        let node = |parent: Option<usize>| NodeMeasure {
            area: 6.0,
            volume: 1.0,
            bounds: whole,
            parent,
            faces: None,
        };
        // A leaf beside a node with two leaves, all of them the same box: 2·2 pairs, of which one is of leaves, two go on one-sided with 2
        // pairs each, and one opens on both sides.
        let tree = Tree::new(&[
            node(None),
            node(Some(0)),
            node(Some(0)),
            node(Some(2)),
            node(Some(2)),
        ]);
        let walk = tree.walk(&Pose::IDENTITY, u64::MAX);
        assert_eq!((walk.pairs, walk.one_sided), (12, 4));
    }

    #[test]
    fn a_cut_count_is_no_part_of_a_fit_and_a_falling_prediction_is_said() {
        let size = |faces: f64, predicted: f64, cut: usize| Size {
            faces,
            factors: DVec3::splat(predicted.powf(0.1)),
            measured: faces,
            one_sided: 0.0,
            predicted,
            cut,
        };
        let growing = Sizes {
            name: "box",
            sizes: vec![size(10.0, 5.0, 0), size(100.0, 50.0, 3)],
        };
        assert_eq!(growing.measured(), [[10.0, 10.0]]);
        assert!(!growing.remark().contains("falls"));
        let falling = Sizes {
            name: "box",
            sizes: vec![size(10.0, 50.0, 0), size(100.0, 5.0, 0)],
        };
        let remark = falling.remark();
        assert!(
            remark.contains("from 50 at 10 faces to 5 at 100"),
            "{remark}"
        );
        assert!(remark.contains("0.200 to 20.000 times"), "{remark}");
    }

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
