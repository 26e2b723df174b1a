//! Generated cases, judged by rational root isolation.

use std::sync::atomic::{AtomicUsize, Ordering};

use impinge::ccd::linear::{FirstContact, LinearTests};
use impinge::math::Rng;
use impinge_testkit::generate::linear_motion::{MotionKind, moving};
use impinge_testkit::oracle::{edge_edge_contact, vertex_face_contact};

use super::WIDTH;
use super::measure_set::{ask, points};

/// Generated cases between two words on how far the judging is: it takes a millisecond for each.
const TELL_EVERY: usize = 50_000;
/// Generated cases with a seed of their own, so that threads can take them in any order.
const CHUNK: usize = 1000;
/// Generated cases that the bar is about.
pub(super) const FULL_TRUTH: usize = 1_000_000;

/// What judging generated cases gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JudgedCases {
    pub(super) wrong: usize,
    pub(super) hits: usize,
}

/// Whether what was found is the truth: the same verdict, and a narrow bracket that holds the exact time.
fn is_right(found: Option<FirstContact>, holds: Option<impl Fn(f64, f64) -> bool>) -> bool {
    match (found, holds) {
        (None, None) => true,
        (Some(found), Some(holds)) => {
            found.upper - found.lower <= WIDTH && holds(found.lower, found.upper)
        }
        _ => false,
    }
}

/// Judges one chunk of generated cases by rational root isolation.
fn judge_chunk(chunk: usize, cases: usize) -> anyhow::Result<JudgedCases> {
    // The stream of each chunk begins far from the others'.
    let mut rng = Rng::new(Rng::new(2025 + chunk as u64).next_u64());
    let mut tests = LinearTests::default();
    let mut judged = JudgedCases::default();
    for case in CHUNK * chunk..cases.min(CHUNK * (chunk + 1)) {
        let is_edges = case % 2 == 1;
        let kind = MotionKind::ALL[case / 2 % MotionKind::ALL.len()];
        let case = moving(kind, is_edges, &mut rng);
        let truth = if is_edges {
            edge_edge_contact(&case)
        } else {
            vertex_face_contact(&case)
        };
        judged.hits += usize::from(truth.is_some());
        let found = ask(&mut tests, points(&case)?, is_edges);
        let holds = truth.map(|truth| move |lower, upper| truth.is_within(lower, upper));
        judged.wrong += usize::from(!is_right(found, holds));
    }
    Ok(judged)
}

/// Judges generated cases on so many threads; the cases and what comes out are the same for any number of them.
pub(super) fn judge(cases: usize, threads: usize) -> anyhow::Result<JudgedCases> {
    let chunks = cases.div_ceil(CHUNK);
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<JudgedCases> {
        let mut sum = JudgedCases::default();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return Ok(sum);
            }
            let one = judge_chunk(chunk, cases)?;
            sum.wrong += one.wrong;
            sum.hits += one.hits;
            let done = CHUNK * chunk;
            if done > 0 && done.is_multiple_of(TELL_EVERY) {
                eprintln!("about {done} of {cases} generated cases judged");
            }
        }
    };
    let mut all = JudgedCases::default();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let running: Vec<_> = (0..threads.clamp(1, chunks.max(1)))
            .map(|_| scope.spawn(work))
            .collect();
        for thread in running {
            let one = match thread.join() {
                Ok(judged) => judged?,
                Err(_) => anyhow::bail!("judging panicked"),
            };
            all.wrong += one.wrong;
            all.hits += one.hits;
        }
        Ok(())
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_cases_are_the_same_for_any_number_of_threads() {
        let one = judge(2500, 1).unwrap();
        assert_eq!(one.wrong, 0);
        assert!(one.hits > 100 && one.hits < 2400);
        assert_eq!(judge(2500, 3).unwrap(), one);
    }

    #[test]
    fn a_wide_bracket_is_wrong_though_it_holds_the_time() {
        let crossing = |lower: f64, upper: f64| Some(FirstContact { lower, upper });
        let holds = Some(|lower: f64, upper: f64| lower <= 0.5 && 0.5 <= upper);
        assert!(is_right(crossing(0.5, 0.5 + 0.5 * WIDTH), holds));
        assert!(!is_right(crossing(0.0, 1.0), holds));
        assert!(!is_right(crossing(0.6, 0.6), holds));
        assert!(!is_right(None, holds));
        assert!(is_right(None, None::<fn(f64, f64) -> bool>));
    }
}
