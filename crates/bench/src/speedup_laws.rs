//! What more threads give: the laws of Amdahl and Gustafson, each fitted to the job that it is about.
//!
//! Amdahl: the work stays, S = 1 / (s + (1 − s)/n) with the serial part s of the work of one thread. Gustafson: the time stays and the work grows,
//! S = n − s·(n − 1) with the serial part s of the time on n threads.

/// What a line of times is called whose job is as many times as large as there are threads.
pub(crate) const GROWING: &str = "a job that grows with the threads";

/// The serial part of a job of fixed size, by least squares over `1/speed-up = s + (1 − s)/threads`; between 0 and 1.
pub(crate) fn amdahl(times: &[(f64, f64)]) -> Option<f64> {
    let (_, alone) = times.iter().find(|(threads, _)| *threads == 1.0)?;
    let (mut above, mut below) = (0.0, 0.0);
    for (threads, time) in times {
        let free = 1.0 - 1.0 / threads;
        above += free * (time / alone - 1.0 / threads);
        below += free * free;
    }
    (below > 0.0).then(|| (above / below).clamp(0.0, 1.0))
}

/// The serial part of jobs that grow with the threads, over `speed-up = threads − s·(threads − 1)`; times are of jobs `threads` times as large.
pub(crate) fn gustafson(times: &[(f64, f64)]) -> Option<f64> {
    let (_, alone) = times.iter().find(|(threads, _)| *threads == 1.0)?;
    let (mut above, mut below) = (0.0, 0.0);
    for (threads, time) in times {
        let speed_up = threads * alone / time;
        above += (threads - 1.0) * (threads - speed_up);
        below += (threads - 1.0) * (threads - 1.0);
    }
    (below > 0.0).then(|| (above / below).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::{amdahl, gustafson};

    #[test]
    fn both_fits_find_the_serial_part_that_times_were_made_with() {
        let threads = [1.0, 2.0, 4.0, 8.0];
        let fixed = threads.map(|n| (n, 3.0 * (0.2 + 0.8 / n)));
        assert!((amdahl(&fixed).unwrap() - 0.2).abs() < 1e-12);
        // A job n times as large on n threads: n over the speed-up of n − s·(n − 1).
        let grown = threads.map(|n| (n, 3.0 * n / (n - 0.2 * (n - 1.0))));
        assert!((gustafson(&grown).unwrap() - 0.2).abs() < 1e-12);
        assert_eq!((amdahl(&fixed[..1]), gustafson(&grown[1..])), (None, None));
    }
}
