//! Work on models of growing size: pairs of boxes that overlap, counted and predicted.

use impinge::average_case::{AverageConfig, AverageTree, ShrinkFactors};
use impinge::bound::{Aabb, BoundingVolume};
use impinge::bvh::tree::NodeMeasure;
use impinge::generate::pipes;
use impinge::{DVec3, Pose, TriMesh};

use super::Preset;
use super::running_time_model::{verdict, visits_over};
use super::thesis_models::{Model, car, door_lock};
use super::tumble::rounds;
use crate::result_sheet::{Cell, ResultSheet, Series, Table};

/// Pairs of one placement after which a walk is cut.
const MOST_PAIRS: u64 = 40_000_000;

/// One model at several resolutions.
struct ModelSizes {
    name: &'static str,
    sizes: Vec<ModelVisits>,
}

/// What was seen of a model at one resolution.
struct ModelVisits {
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

impl ModelSizes {
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
        let product = |size: &ModelVisits| size.factors.element_product();
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
pub(super) fn models(preset: Preset, sheet: &mut ResultSheet) -> anyhow::Result<()> {
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
                .is_some_and(|size: &ModelVisits| size.faces == mesh.faces().len() as f64)
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
        all.push(ModelSizes { name, sizes });
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
fn visited(model: &Model, steps: u32) -> anyhow::Result<ModelVisits> {
    let config = AverageConfig {
        resolution: 0.0,
        ..AverageConfig::default()
    };
    let nodes = AverageTree::<Aabb>::new(&model.mesh, &config).measures();
    let factors = ShrinkFactors::of(&nodes);
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
    Ok(ModelVisits {
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
struct VisitCount {
    /// Pairs of nodes that overlap, the roots not counted, as [`visits`](impinge::average_case::TraversalCost::visits) returns.
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
    fn walk(&self, pose: &Pose, most: u64) -> VisitCount {
        let relative = Aabb::relative(pose);
        let overlap = |a: usize, b: usize| {
            BoundingVolume::overlaps(&self.boxes[a], &self.boxes[b], &relative)
        };
        let mut walk = VisitCount::default();
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

    use super::super::running_time_model::{hierarchy, visits};
    use super::{ModelSizes, ModelVisits, Tree};

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
        let size = |faces: f64, predicted: f64, cut: usize| ModelVisits {
            faces,
            factors: DVec3::splat(predicted.powf(0.1)),
            measured: faces,
            one_sided: 0.0,
            predicted,
            cut,
        };
        let growing = ModelSizes {
            name: "box",
            sizes: vec![size(10.0, 5.0, 0), size(100.0, 50.0, 3)],
        };
        assert_eq!(growing.measured(), [[10.0, 10.0]]);
        assert!(!growing.remark().contains("falls"));
        let falling = ModelSizes {
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
}
