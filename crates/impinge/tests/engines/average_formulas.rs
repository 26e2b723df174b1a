//! The formulas behind probabilistic trees: filled bins against enumeration, common volumes against sampling, visits against counting.

use std::f64::consts::TAU;

use impinge::average_case::*;
use impinge::bound::Aabb;
use impinge::bvh::tree::NodeMeasure;
use impinge::math::Rng;
use impinge::{DMat3, DVec3, Pose};

/// How many of the ways to place two colours fill at least `x` bins twice.
fn enumerated(u: u32, v: u32, w: u32, x: u32) -> f64 {
    let sets = |count: u32| (0_u32..1 << u).filter(move |s| s.count_ones() == count);
    let (mut all, mut enough) = (0_u64, 0_u64);
    let red = (1 << w) - 1;
    // One colour may stand anywhere: all places are alike.
    for blue in sets(v) {
        all += 1;
        enough += u64::from((blue & red as u32).count_ones() >= x);
    }
    enough as f64 / all as f64
}

#[test]
fn filled_bins_are_as_likely_as_enumeration_says() {
    for u in 1..=9 {
        for v in 0..=u {
            for w in 0..=u {
                for x in 0..=4 {
                    let (p, truth) = (filled_bins(u, v, w, x), enumerated(u, v, w, x));
                    assert!((p - truth).abs() < 1e-12, "{u} {v} {w} {x}: {p} {truth}");
                    assert!((p - filled_bins(u, w, v, x)).abs() < 1e-14);
                }
            }
        }
    }
    for (u, v, w, x, p) in [
        (8, 3, 2, 1, 1.0 - 20.0 / 56.0),
        (100, 10, 10, 1, 0.669_524),
        (100, 10, 10, 2, 0.261_528),
    ] {
        assert!((filled_bins(u, v, w, x) - p).abs() < 1e-6);
    }
    // The same with so many bins that the first term is no number.
    let (few, many) = (
        filled_bins(600, 300, 300, 151),
        filled_bins(601, 300, 300, 151),
    );
    assert!((few - many).abs() < 0.1 && many > 0.3);
}

/// The probabilities of 0, 1, 2, … filled bins, by drawing the blue balls' bins one after the other: sums and products alone.
fn drawn_one_by_one(u: u32, v: u32, w: u32) -> Vec<f64> {
    let mut chances = vec![0.0; v as usize + 2];
    chances[0] = 1.0;
    for drawn in 0..v {
        let left = f64::from(u - drawn);
        for filled in (0..=drawn).rev() {
            let both = f64::from(w.saturating_sub(filled)) / left;
            let now = chances[filled as usize];
            chances[filled as usize + 1] += now * both;
            chances[filled as usize] = now * (1.0 - both).max(0.0);
        }
    }
    chances
}

#[test]
fn many_bins_are_filled_as_drawing_them_one_by_one_says() {
    let cases = [
        // The last that begins at the first term, and the first that does not.
        (600, 40, 50),
        (601, 40, 50),
        (601, 300, 300),
        (602, 600, 1),
        (700, 650, 300),
        (1000, 10, 10),
        (1000, 500, 500),
        (1024, 1, 900),
        (2000, 1200, 1300),
        (3333, 5, 3000),
        (5000, 64, 64),
        (5000, 1500, 2500),
        (5000, 2500, 4999),
        (5000, 0, 4000),
    ];
    for (u, v, w) in cases {
        let chances = drawn_one_by_one(u, v, w);
        // What is rare is summed from the far end: nothing is lost.
        let mut tails = chances.clone();
        for i in (0..tails.len() - 1).rev() {
            tails[i] += tails[i + 1];
        }
        let tail = |x: u32| tails.get(x as usize).copied().unwrap_or(0.0);
        let mean = (f64::from(v) * f64::from(w) / f64::from(u)) as u32;
        let mut asked = vec![1, 2, 3, 10, 64, v.min(w), v.min(w) + 1];
        asked.extend((0..40).map(|k| (mean + k * 3).saturating_sub(60).max(1)));
        for x in asked {
            for found in [filled_bins(u, v, w, x), filled_bins(u, w, v, x)] {
                assert!(
                    (found - tail(x)).abs() < 1e-10,
                    "{u} {v} {w} {x}: {found} {}",
                    tail(x)
                );
                // Small ones are right as parts of themselves.
                assert!(
                    (found - tail(x)).abs() <= 1e-8 * tail(x) + 1e-290,
                    "{u} {v} {w} {x}"
                );
            }
        }
        for certainty in [0.0, 0.01, 0.3, 0.9, 1.0] {
            let fails: f64 = (0_i32..)
                .zip(&chances)
                .map(|(t, p)| p * (1.0_f64 - certainty).powi(t))
                .sum();
            let all = expected_probability(u, v, w, certainty);
            assert!(
                (all - (1.0 - fails)).abs() < 1e-9,
                "{u} {v} {w} {certainty}: {all}"
            );
            let best = (1_i32..=10)
                .map(|x| tail(x as u32) * (1.0 - (1.0_f64 - certainty).powi(x)))
                .fold(0.0, f64::max);
            let capped = capped_probability(u, v, w, certainty, 10);
            // Tails are kept in single precision, and as 1 from 0.9·10⁻⁵ below it.
            assert!(
                (capped - best).abs() < 1e-5,
                "{u} {v} {w} {certainty}: {capped} {best}"
            );
            assert!(capped <= all + 1e-5);
            let tables = BinTables::new(4, 10);
            assert_eq!(tables.estimate(u, v, w, certainty), capped);
        }
    }
    // At least one of 10 in 990 empty ones of 1000, as a product.
    let none: f64 = (0..10)
        .map(|i| f64::from(990 - i) / f64::from(1000 - i))
        .product();
    assert!((expected_probability(1000, 10, 10, 1.0) - (1.0 - none)).abs() < 1e-12);
    // No number is too large.
    let most = u32::MAX;
    assert_eq!(filled_bins(most, most, most, most), 1.0);
    assert!((filled_bins(most, 1, most / 2, 1) - 0.5).abs() < 1e-8);
    let half = filled_bins(most, most / 2, most / 2, most / 4);
    assert!((half - 0.5).abs() < 1e-3, "{half}");
}

#[test]
fn more_balls_make_filled_bins_likelier_and_more_bins_make_them_rarer() {
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        let u = 2 + rng.below(500) as u32;
        let [v, w] = [(); 2].map(|()| rng.below(u64::from(u)) as u32);
        let x = 1 + rng.below(10) as u32;
        let p = filled_bins(u, v, w, x);
        assert!((0.0..=1.0).contains(&p));
        assert!(filled_bins(u, v + 1, w, x) >= p - 1e-11);
        assert!(filled_bins(u + 1, v, w, x) <= p + 1e-11);
        assert!(filled_bins(u, v, w, x + 1) <= p + 1e-11);
        if v + w > u {
            assert_eq!(filled_bins(u, v, w, 1), 1.0);
        }
    }
}

#[test]
fn estimates_have_the_known_values_and_keep_their_order() {
    for (s, a, b, lb, p) in [
        (300, 50, 50, 0.5, 0.922_60),
        (300, 50, 50, 0.1, 0.414_05),
        (512, 64, 64, 0.5, 0.913_20),
        (100, 50, 50, 0.25, 0.943_69),
    ] {
        assert!((capped_probability(s, a, b, lb, 10) - p).abs() < 2e-5);
    }
    assert!((capped_probability(100, 50, 50, 0.25, 30) - 0.993_11).abs() < 2e-5);
    let mut rng = Rng::new(2);
    for _ in 0..2000 {
        let u = 1 + rng.below(512) as u32;
        let [v, w] = [(); 2].map(|()| rng.below(u64::from(u) + 1) as u32);
        let lb = rng.unit();
        let all = expected_probability(u, v, w, lb);
        assert!(capped_probability(u, v, w, lb, 10) <= all + 1e-5);
        let mean = f64::from(v) * f64::from(w) / f64::from(u);
        assert!(least_probability(mean, lb) <= all + 1e-10);
    }
}

#[test]
fn the_expectation_is_what_drawing_at_random_gives() {
    let mut rng = Rng::new(3);
    for (u, v, w, lb) in [
        (40_u32, 9_u32, 12_u32, 0.3),
        (8, 3, 2, 0.8),
        (100, 30, 20, 0.1),
    ] {
        const DRAWS: u32 = 40_000;
        let mut hits = 0;
        for _ in 0..DRAWS {
            let mut places: Vec<u32> = (0..u).collect();
            for i in 0..v {
                let j = i + rng.below(u64::from(u - i)) as u32;
                places.swap(i as usize, j as usize);
            }
            let filled = places[..v as usize].iter().filter(|&&place| place < w);
            hits += u32::from(filled.fold(false, |hit, _| (rng.unit() < lb) | hit));
        }
        let drawn = f64::from(hits) / f64::from(DRAWS);
        assert!((drawn - expected_probability(u, v, w, lb)).abs() < 0.012);
    }
}

#[test]
fn tables_hold_what_is_computed() {
    let tables = BinTables::new(48, 10);
    for u in 1..=48 {
        for v in 0..=u {
            for w in 0..=u {
                for x in 1..=10 {
                    let computed = filled_bins(u, v, w, x);
                    let kept = if computed >= 1.0 - 0.9e-5 {
                        1.0
                    } else {
                        f64::from(computed as f32)
                    };
                    assert_eq!(tables.at(u, v, w, x), kept, "{u} {v} {w} {x}");
                }
                for lb in [0.05, 0.4, 1.0] {
                    let computed = capped_probability(u, v, w, lb, 10);
                    assert_eq!(tables.estimate(u, v, w, lb), computed);
                }
            }
        }
    }
}

#[test]
fn tables_of_512_bins_hold_what_is_computed() {
    let tables = BinTables::new(512, 6);
    let kept = |p: f64| {
        if p >= 1.0 - 0.9e-5 {
            1.0
        } else {
            f64::from(p as f32)
        }
    };
    let mut rng = Rng::new(6);
    let below = |rng: &mut Rng, end: u32| rng.below(u64::from(end)) as u32;
    let mut open = 0;
    for case in 0..6000 {
        // All rows of the last bins, and beyond the tables too.
        let u = match case % 3 {
            0 => 512 - below(&mut rng, 3),
            1 => 1 + below(&mut rng, 512),
            _ => 513 + below(&mut rng, 200),
        };
        // Few balls of one colour, where rows are long.
        let v = below(&mut rng, if case % 2 == 0 { 12 } else { u + 1 }).min(u);
        let w = below(&mut rng, u + 1);
        for x in 1..=8 {
            let computed = kept(filled_bins(u, v, w, x));
            assert_eq!(tables.at(u, v, w, x), computed, "{u} {v} {w} {x}");
            open += u32::from(computed > 0.0 && computed < 1.0);
        }
        let lb = rng.unit();
        let computed = capped_probability(u, v, w, lb, 6);
        assert_eq!(tables.estimate(u, v, w, lb), computed, "{u} {v} {w} {lb}");
    }
    assert!(open > 10_000, "{open}");
}

#[test]
fn boxes_share_what_sampling_says_and_slabs_are_never_less() {
    let mut rng = Rng::new(4);
    for case in 0..60 {
        let side = |rng: &mut Rng| {
            DVec3::new(
                rng.range(0.2, 1.0),
                rng.range(0.2, 1.0),
                rng.range(0.2, 1.0),
            )
        };
        let (half_a, half_b) = (side(&mut rng), side(&mut rng));
        let center = rng.cube() * 0.9;
        let angle = if case % 3 == 0 {
            0.0
        } else {
            rng.range(0.0, TAU)
        };
        let axis = rng.direction();
        let turn = *Pose::from_axis_angle(axis, angle, [0.0; 3])
            .unwrap()
            .rotation();
        let pair = BoxPair {
            half_a,
            half_b,
            center,
            turn,
        };
        let mut inside = 0;
        const DRAWS: u32 = 20_000;
        for _ in 0..DRAWS {
            let p = rng.cube() * half_a;
            let q = turn.transpose() * (p - center);
            inside += u32::from(q.abs().cmple(half_b).all());
        }
        let volume = 8.0 * half_a.element_product();
        let drawn = volume * f64::from(inside) / f64::from(DRAWS);
        let exact = pair.exact();
        assert!((drawn - exact).abs() <= 0.02 * volume, "{drawn} {exact}");
        assert!(pair.slabs() >= exact * (1.0 - 1e-9));
        if angle == 0.0 {
            assert!((pair.slabs() - exact).abs() <= 1e-9 * volume);
        }
    }
    // Sides in common are counted once.
    let same = BoxPair {
        half_a: DVec3::ONE,
        half_b: DVec3::ONE,
        center: DVec3::new(1.0, 0.0, 0.0),
        turn: DMat3::IDENTITY,
    };
    assert!((same.exact() - 4.0).abs() < 1e-12);
}

#[test]
fn the_published_volume_ends_at_the_diagonal_and_is_no_bound() {
    let unit = BoxPair {
        half_a: DVec3::new(1.0, 0.5, 0.5),
        half_b: DVec3::new(1.0, 0.5, 0.5),
        center: DVec3::ZERO,
        turn: DMat3::IDENTITY,
    };
    assert_eq!(unit.thesis(), 2.0);
    let away = |center: DVec3| BoxPair { center, ..unit };
    let mut last = f64::INFINITY;
    for i in 0..40 {
        let volume = away(DVec3::X * 0.1 * f64::from(i)).thesis();
        assert!(volume <= last);
        last = volume;
    }
    assert_eq!(last, 0.0);
    let mut worst = 0.0_f64;
    for i in 0..8000_u32 {
        let place = DVec3::new(
            f64::from(i % 20),
            f64::from(i / 20 % 20),
            f64::from(i / 400),
        );
        let pair = away(place * DVec3::new(0.1, 0.05, 0.05));
        if pair.exact() > 0.02 {
            worst = worst.max(pair.exact() / pair.thesis().max(1e-9));
        }
    }
    assert!(worst > 1.5, "{worst}");
}

#[test]
fn pairs_by_level_and_visits_have_the_known_values() {
    let growth = |overlap: f64, factor: f64| TraversalCost {
        factors: DVec3::splat(factor),
        overlap,
        is_two_sided: false,
    };
    for (overlap, factor, pairs) in [
        (0.4, 0.5, [1, 3, 10, 28, 91, 351, 1378, 5356]),
        (0.4, 0.63, [3, 5, 12, 27, 77, 238, 806, 2893]),
        (0.4, 0.8, [3, 10, 21, 50, 118, 292, 752, 2022]),
        (0.15, 0.5, [1, 1, 3, 6, 15, 55, 210, 780]),
        (0.15, 0.9, [3, 5, 7, 10, 21, 40, 63, 96]),
    ] {
        assert_eq!(
            growth(overlap, factor).pairs(8),
            pairs.map(f64::from),
            "{overlap} {factor}"
        );
    }
    for (overlap, factor, levels, visits) in [
        (0.4, 0.5, 2, 0.44),
        (0.4, 0.5, 4, 0.70),
        (0.4, 0.5, 14, 1.52),
        (0.4, 0.63, 4, 3.40),
        (0.4, 0.63, 8, 8.12),
        (0.4, 0.63, 12, 30.98),
        (0.4, 0.8, 4, 19.91),
        (0.4, 0.8, 8, 142.63),
        (0.4, 0.8, 12, 1655.15),
        (0.15, 0.5, 14, 0.50),
        (0.15, 0.9, 12, 223.01),
    ] {
        let found = growth(overlap, factor).visits(levels);
        assert!(
            (found - visits).abs() <= 0.0051,
            "{overlap} {factor} {levels}: {found}"
        );
    }
    // Deep enough, everything overlaps along x.
    assert_eq!(growth(2.0, 0.7).pairs(5), [4.0, 16.0, 64.0, 256.0, 1024.0]);
}

#[test]
fn beyond_the_last_level_growth_is_that_of_the_end() {
    let growth = |factor: f64| TraversalCost {
        factors: DVec3::splat(factor),
        overlap: 0.4,
        is_two_sided: true,
    };
    let most = TraversalCost::MAX_LEVELS;
    let slow = growth(0.7);
    assert_eq!(slow.pairs(most + 20).len(), most as usize);
    assert_eq!(slow.visits(most + 20), slow.visits(most));
    assert_eq!(slow.slope(30, most + 20), slow.slope(30, most));
    assert_eq!(slow.slope(most, most + 20), slow.exponent());
    assert_eq!(slow.slope(most + 20, most), 0.0);
    assert_eq!(slow.slope(12, 12), 0.0);
    // Log2 of 4·0.7³ in the end, and not yet where boxes hardly shrink.
    for (factor, from, to, slope) in [
        (0.7, 10, 16, 0.448),
        (0.7, 8, 12, 0.440),
        (0.8, 10, 16, 0.960),
        (0.9, 10, 16, 1.075),
    ] {
        let found = growth(factor).slope(from, to);
        assert!((found - slope).abs() < 0.001, "{factor}: {found}");
    }
    assert!((slow.slope(30, most) - slow.exponent()).abs() < 0.01);
}

#[test]
fn of_one_node_no_factor_is_known() {
    let node = NodeMeasure {
        bounds: Aabb {
            min: DVec3::ZERO,
            max: DVec3::ONE,
        },
        area: 6.0,
        volume: 1.0,
        parent: None,
        faces: Some(1),
    };
    let alone = ShrinkFactors::of(&[node]);
    assert_eq!((alone.mean, alone.levels.len()), (DVec3::ONE, 0));
}

#[test]
fn the_two_sided_sum_is_the_mean_over_all_places() {
    let (factor, overlap, levels) = (DVec3::new(0.8, 0.7, 0.75), 0.6, 6);
    let mut rng = Rng::new(5);
    let mut sum = 0.0;
    // One place in each square of a fine grid: few places make most of the visits.
    const SQUARES: u32 = 250;
    const PLACES: u32 = SQUARES * SQUARES;
    for i in 0..PLACES {
        let mut within = |k: u32| (f64::from(k) + rng.unit()) / f64::from(SQUARES) * 2.0 - 1.0;
        let start = DVec3::new(1.0 - overlap, within(i % SQUARES), within(i / SQUARES));
        let mut open = vec![(start, DVec3::ONE, 0)];
        while let Some((apart, size, level)) = open.pop() {
            sum += if level > 0 { 1.0 } else { 0.0 };
            if level == levels {
                continue;
            }
            let (shift, child) = (size * (1.0 - factor), size * factor);
            for apart in [apart - shift, apart, apart, apart + shift] {
                if apart.abs().cmplt(child).all() {
                    open.push((apart, child, level + 1));
                }
            }
        }
    }
    let growth = TraversalCost {
        factors: factor,
        overlap,
        is_two_sided: true,
    };
    let (mean, expected) = (sum / f64::from(PLACES), growth.visits(levels));
    assert!(
        (mean - expected).abs() < 0.05 * expected,
        "{mean} {expected}"
    );
}
