//! Every vector path gives the same bits as every other and as plain comparisons.

use impinge::math::Rng;
use impinge::math::simd::{Boxes8, Level};

type Box32 = ([f32; 3], [f32; 3]);

fn overlap((a_min, a_max): Box32, (b_min, b_max): Box32) -> bool {
    (0..3).all(|k| a_min[k] <= b_max[k] && b_min[k] <= a_max[k])
}

fn random_box(rng: &mut Rng, grid: bool) -> Box32 {
    let mut coordinate = || {
        if grid {
            rng.grid(-2, 2) as f32
        } else {
            match rng.below(20) {
                0 => f32::INFINITY,
                1 => f32::NEG_INFINITY,
                2 => -0.0,
                3 => f32::from_bits(rng.below(100) as u32),
                _ => rng.range(-2.0, 2.0) as f32,
            }
        }
    };
    let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
    for k in 0..3 {
        let (x, y) = (coordinate(), coordinate());
        (min[k], max[k]) = (x.min(y), x.max(y));
    }
    (min, max)
}

#[test]
fn every_level_reports_exactly_the_overlapping_lanes() {
    for level in Level::available() {
        let mut rng = Rng::new(11);
        let (mut seen_none, mut seen_all) = (false, false);
        for round in 0..20_000 {
            let grid = round % 2 == 0;
            let filled = rng.below(9) as usize;
            let boxes: Vec<Box32> = (0..filled).map(|_| random_box(&mut rng, grid)).collect();
            let query = random_box(&mut rng, grid);
            let mut group = Boxes8::EMPTY;
            for (lane, &(min, max)) in boxes.iter().enumerate() {
                group.set(lane, min, max);
                assert_eq!(group.get(lane), Some((min, max)));
            }
            let mut expected = 0_u8;
            for (lane, &b) in boxes.iter().enumerate() {
                expected |= u8::from(overlap(query, b)) << lane;
            }
            let mask = level.overlaps(query.0, query.1, &group);
            assert_eq!(mask, expected, "{level:?} {query:?} {boxes:?}");
            seen_none |= mask == 0;
            seen_all |= mask == 0xFF;
        }
        assert!(seen_none && seen_all);
    }
}

#[test]
fn unset_lanes_overlap_nothing_not_even_the_whole_space() {
    for level in Level::available() {
        let whole = ([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
        assert_eq!(level.overlaps(whole.0, whole.1, &Boxes8::EMPTY), 0);
        let nowhere = [f32::NAN; 3];
        let mut group = Boxes8::EMPTY;
        group.set(3, whole.0, whole.1);
        assert_eq!(level.overlaps(whole.0, whole.1, &group), 0b1000);
        assert_eq!(level.overlaps(nowhere, nowhere, &group), 0);
        assert_eq!((group.get(2), group.get(8)), (None, None));
        group.set(8, whole.0, whole.1);
        assert_eq!(level.overlaps(whole.0, whole.1, &group), 0b1000);
    }
}

#[test]
fn many_groups_give_the_masks_of_each() {
    let mut rng = Rng::new(12);
    let boxes: Vec<Box32> = (0..1003)
        .map(|i| random_box(&mut rng, i % 2 == 0))
        .collect();
    let groups = Boxes8::groups(boxes.iter().copied());
    assert_eq!(groups.len(), 126);
    for level in Level::available() {
        for _ in 0..50 {
            let query = random_box(&mut rng, true);
            let mut masks = vec![0; groups.len()];
            level.overlaps_each(query.0, query.1, &groups, &mut masks);
            for (i, &b) in boxes.iter().enumerate() {
                assert_eq!(masks[i / 8] >> (i % 8) & 1 == 1, overlap(query, b));
            }
            assert_eq!(masks[125] >> 3, 0);
        }
    }
}

#[test]
fn detection_is_stable_and_portable_code_is_always_available() {
    assert_eq!(Level::detect(), Level::detect());
    assert_eq!(Level::available().next(), Some(Level::Portable));
    assert_eq!(Level::available().last(), Some(Level::detect()));
}
