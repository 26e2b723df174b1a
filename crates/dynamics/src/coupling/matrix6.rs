//! Solves 6×6 linear systems.

/// A matrix of six rows.
pub(super) type Matrix6 = [[f64; 6]; 6];

/// The solution of `matrix · x = right` by elimination with pivots; none when the matrix is singular.
pub(super) fn solve(matrix: &Matrix6, right: &[f64; 6]) -> Option<[f64; 6]> {
    let (mut m, mut x) = (*matrix, *right);
    for k in 0..6 {
        let mut pivot = k;
        for row in k + 1..6 {
            if m[row][k].abs() > m[pivot][k].abs() {
                pivot = row;
            }
        }
        m.swap(k, pivot);
        x.swap(k, pivot);
        let top = m[k];
        if top[k] == 0.0 || !top[k].is_finite() {
            return None;
        }
        for row in k + 1..6 {
            let factor = m[row][k] / top[k];
            for (entry, above) in m[row].iter_mut().zip(top).skip(k) {
                *entry -= factor * above;
            }
            x[row] -= factor * x[k];
        }
    }
    for k in (0..6).rev() {
        let known: f64 = (k + 1..6).map(|j| m[k][j] * x[j]).sum();
        x[k] = (x[k] - known) / m[k][k];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::math::Rng;

    #[test]
    fn what_is_solved_is_solved() {
        let mut rng = Rng::new(6);
        for _ in 0..200 {
            let m: Matrix6 = std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0)));
            let x: [f64; 6] = std::array::from_fn(|_| rng.range(-1.0, 1.0));
            let b: [f64; 6] = std::array::from_fn(|i| (0..6).map(|j| m[i][j] * x[j]).sum());
            let found = solve(&m, &b);
            let is_near = |y: [f64; 6]| y.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(found.is_some_and(is_near));
        }
        assert!(solve(&[[0.0; 6]; 6], &[1.0; 6]).is_none());
    }
}
