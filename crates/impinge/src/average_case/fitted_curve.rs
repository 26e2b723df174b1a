//! The probability of an intersection as a function of what a traversal found.
//!
//! **Idea.** A logistic regression joins the numbers that a traversal found to one score; the best
//! non-decreasing step function of the score (pool adjacent violators) is the probability.
//! **Promise.** Deterministic. No probability is 0 or 1: half an answer of either kind is added to
//! each step.

/// What a traversal found, as numbers of moderate size; the first is 1.
pub(super) type Features = [f64; FEATURES];
pub(super) const FEATURES: usize = 5;

/// Steps of Newton's method.
const STEPS: usize = 25;
/// Weights are drawn towards 0, so that answers that can be told apart perfectly have finite weights.
const RIDGE: f64 = 1.0;

/// A fitted probability.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FittedCurve {
    pub(super) weights: Features,
    /// The first score of each step and its probability, ascending by score.
    pub(super) steps: Vec<[f64; 2]>,
}

impl FittedCurve {
    /// The curve of some answers, each with the truth; a coin where there are none.
    pub(super) fn fit(answers: &[(Features, bool)]) -> Self {
        let weights = regression(answers);
        let mut scored: Vec<(f64, bool)> = answers
            .iter()
            .map(|(features, truth)| (dot(&weights, features), *truth))
            .collect();
        scored.sort_by(|x, y| x.0.total_cmp(&y.0));
        Self {
            weights,
            steps: pooled(&scored),
        }
    }

    /// The probability, and the score from which it follows.
    pub(super) fn at(&self, features: &Features) -> (f64, f64) {
        let score = dot(&self.weights, features);
        let above = self.steps.partition_point(|step| step[0] <= score);
        let step = self.steps.get(above.saturating_sub(1));
        (step.map_or(0.5, |step| step[1]), score)
    }
}

fn dot(weights: &Features, features: &Features) -> f64 {
    let terms = weights.iter().zip(features);
    terms.map(|(weight, feature)| weight * feature).sum()
}

/// Weights of a logistic regression by Newton's method.
fn regression(answers: &[(Features, bool)]) -> Features {
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
        let mut slope = weights.map(|weight| -RIDGE * weight);
        let mut curvature = [[0.0; FEATURES]; FEATURES];
        for (k, row) in curvature.iter_mut().enumerate() {
            row[k] = RIDGE;
        }
        for (features, truth) in answers {
            let p = 1.0 / (1.0 + libm::exp(-dot(&weights, features)));
            let (off, spread) = (f64::from(u8::from(*truth)) - p, p * (1.0 - p));
            for (k, row) in curvature.iter_mut().enumerate() {
                slope[k] += off * features[k];
                for (entry, feature) in row.iter_mut().zip(features) {
                    *entry += spread * features[k] * feature;
                }
            }
        }
        let step = solved(curvature, slope);
        // Far from the optimum a full step may overshoot.
        let longest = step.iter().fold(0.0_f64, |longest, s| longest.max(s.abs()));
        let part = (4.0 / longest.max(4.0)).min(1.0);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += part * step;
        }
        if longest < 1e-9 {
            break;
        }
    }
    if weights.iter().all(|weight| weight.is_finite()) {
        weights
    } else {
        [0.0; FEATURES]
    }
}

/// The solution of equations whose matrix is symmetric and positive definite.
fn solved(mut matrix: [[f64; FEATURES]; FEATURES], mut right: Features) -> Features {
    for k in 0..FEATURES {
        let pivot = matrix[k];
        for row in k + 1..FEATURES {
            let factor = matrix[row][k] / pivot[k];
            for (entry, above) in matrix[row].iter_mut().zip(pivot) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[k];
        }
    }
    for k in (0..FEATURES).rev() {
        let known: f64 = (k + 1..FEATURES).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}

/// The steps of the best non-decreasing function of ascending scores.
fn pooled(scored: &[(f64, bool)]) -> Vec<[f64; 2]> {
    // First score, answers, those that are yes.
    let mut pools: Vec<[f64; 3]> = Vec::new();
    for same in scored.chunk_by(|x, y| x.0 == y.0) {
        let yes = same.iter().filter(|(_, truth)| *truth).count() as f64;
        let mut pool = [same[0].0, same.len() as f64, yes];
        while let Some(&[first, count, of_them]) = pools.last()
            && of_them * pool[1] >= pool[2] * count
        {
            pools.pop();
            pool = [first, count + pool[1], of_them + pool[2]];
        }
        pools.push(pool);
    }
    let smoothed = |[first, count, yes]: [f64; 3]| [first, (yes + 0.5) / (count + 1.0)];
    pools.into_iter().map(smoothed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_means_of_neighbours_in_ascending_order() {
        let truths = [false, true, false, false, true, true, false, true];
        let scored: Vec<(f64, bool)> = (0..8).map(f64::from).zip(truths).collect();
        let steps = pooled(&scored);
        // No; one of three; two of three; yes. Each with half an answer of either kind.
        let expected = [[0.0, 0.25], [1.0, 1.5 / 4.0], [4.0, 2.5 / 4.0], [7.0, 0.75]];
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_regression_finds_the_weights_that_made_the_answers() {
        let mut rng = crate::math::Rng::new(8);
        let truth = [0.5, -1.0, 2.0, 0.0, 0.25];
        let answers: Vec<(Features, bool)> = (0..20_000)
            .map(|_| {
                let features = [1.0; FEATURES].map(|one| one * rng.range(-1.0, 1.0));
                let features = [1.0, features[1], features[2], features[3], features[4]];
                let p = 1.0 / (1.0 + libm::exp(-dot(&truth, &features)));
                (features, rng.unit() < p)
            })
            .collect();
        let curve = FittedCurve::fit(&answers);
        for (weight, truth) in curve.weights.iter().zip(truth) {
            assert!((weight - truth).abs() < 0.15, "{:?}", curve.weights);
        }
        let (p, _) = curve.at(&[1.0, 0.0, 1.0, 0.0, 0.0]);
        let expected = 1.0 / (1.0 + libm::exp(-2.5));
        assert!((p - expected).abs() < 0.05, "{p} {expected}");
        // Nothing is known without answers.
        assert_eq!(FittedCurve::fit(&[]).at(&[1.0; FEATURES]).0, 0.5);
    }
}
