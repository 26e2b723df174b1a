//! Schedule: which device sweeps which clusters.
//!
//! **Question.** Clusters differ in size, devices in speed. Which device takes which clusters, so that all finish early?
//! **Idea.** The work of a cluster of `m` faces and `K` pairs along its axis is estimated as `α m log m + β K`, from the last frame.
//! Longest processing time first (LPT): the largest cluster goes to the device that would finish it first, then the next.
//! **Source.** Graham 1969; Mainzer's thesis 5.8 leaves the scheduler open.
//! **Promise.** On `g` equal devices, at most `4/3 − 1/(3g)` of the least possible makespan of that work.

/// Work per face and level of sorting, in that of a pair: a sort moves about 40 bytes a pass, a pair costs about 40 operations.
const ALPHA: f64 = 1.5;
const BETA: f64 = 1.0;

/// The work of a cluster in the last frame.
///
/// ```
/// use impinge_gpu::scene::ClusterWork;
/// assert_eq!(ClusterWork { faces: 1, pairs: 10 }.amount(), 10.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterWork {
    /// Its faces.
    pub faces: u64,
    /// Its pairs along the axis.
    pub pairs: u64,
}

impl ClusterWork {
    /// `α m log₂ m + β K`.
    #[must_use]
    pub fn amount(&self) -> f64 {
        let m = self.faces.max(1) as f64;
        ALPHA * m * libm::log2(m) + BETA * self.pairs as f64
    }
}

/// The clusters of each device, by number; the longest first, to the device that would be done with it first. Speeds that are not positive
/// numbers count as 1.
///
/// ```
/// use impinge_gpu::scene::shared_out;
/// assert_eq!(shared_out(&[3.0, 1.0, 2.0], &[1.0, 1.0]), [vec![0], vec![2, 1]]);
/// ```
#[must_use]
pub fn shared_out(work: &[f64], speeds: &[f64]) -> Vec<Vec<usize>> {
    let mut own = vec![Vec::new(); speeds.len()];
    let mut loads = vec![0.0; speeds.len()];
    let mut order: Vec<usize> = (0..work.len()).collect();
    let amount = |i: usize| work.get(i).copied().unwrap_or(0.0);
    order.sort_by(|&i, &j| amount(j).total_cmp(&amount(i)).then(i.cmp(&j)));
    for cluster in order {
        let done = |device: usize| {
            let load: f64 = loads.get(device).copied().unwrap_or(0.0);
            (load + amount(cluster)) / speed(speeds, device)
        };
        let first = (0..speeds.len()).min_by(|&g, &h| done(g).total_cmp(&done(h)).then(g.cmp(&h)));
        if let Some(device) = first {
            own[device].push(cluster);
            loads[device] += amount(cluster);
        }
    }
    own
}

fn speed(speeds: &[f64], device: usize) -> f64 {
    match speeds.get(device) {
        Some(&speed) if speed > 0.0 && speed.is_finite() => speed,
        _ => 1.0,
    }
}

/// When the last device is done.
///
/// ```
/// use impinge_gpu::scene::makespan;
/// assert_eq!(makespan(&[3.0, 1.0, 2.0], &[1.0, 2.0], &[vec![0], vec![1, 2]]), 3.0);
/// ```
#[must_use]
pub fn makespan(work: &[f64], speeds: &[f64], own: &[Vec<usize>]) -> f64 {
    let time = |(device, clusters): (usize, &Vec<usize>)| {
        let amount: f64 = clusters.iter().filter_map(|&i| work.get(i)).sum();
        amount / speed(speeds, device)
    };
    own.iter().enumerate().map(time).fold(0.0, f64::max)
}
