use std::error::Error;

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::broad::{BroadPhase, BruteForce, ObjectId};

use crate::Numbers;

const COUNT: usize = 1500;
const SIDE: f64 = 20.0;
/// All methods give the same pairs, so one is asked and told as often as the page has methods.
const METHODS: usize = 9;

/// As the page has it: the same numbers everywhere.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0) / 4_294_967_296.0
    }

    fn fill(&mut self, of: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..3 * COUNT).map(|_| of(self.next())).collect()
    }
}

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mut random = Random(7);
    let mut at = random.fill(|x| (x - 0.5) * SIDE);
    let half = random.fill(|x| 0.06 + 0.12 * x);
    let mut speed = random.fill(|x| (x - 0.5) * 4.0);
    let ids: Vec<ObjectId> = (0..COUNT as u32)
        .map(|slot| ObjectId::new(slot, 0))
        .collect();
    let mut broad = BruteForce::default();
    let mut numbers = Numbers::default();
    for frame in 0..3 {
        let centers = at.as_chunks::<3>().0.iter().map(|&row| DVec3::from(row));
        let halves = half.as_chunks::<3>().0.iter().map(|&row| DVec3::from(row));
        let boxes: Vec<Aabb> = centers
            .zip(halves)
            .map(|(center, half)| Aabb {
                min: center - half,
                max: center + half,
            })
            .collect();
        if frame == 0 {
            broad.insert_boxes(&ids, &boxes)?;
        } else {
            broad.update_boxes(&ids, &boxes)?;
        }
        let pairs = broad.pairs();
        let slots: Vec<u32> = pairs
            .iter()
            .flat_map(|pair| [pair.a.slot(), pair.b.slot()])
            .collect();
        let sum = slots.iter().zip(0_u64..).fold(0_u64, |sum, (&slot, i)| {
            (sum * 31 + u64::from(slot) + i) % 4_294_967_296
        });
        for _ in 0..METHODS {
            numbers.count(slots.len()).add(sum as f64);
        }
        for (x, v) in at.iter_mut().zip(&mut speed) {
            *x += *v * 0.125;
            if x.abs() > SIDE / 2.0 {
                *v = -x.signum() * v.abs();
            }
        }
    }
    Ok(numbers)
}
