//! How a time shrinks with the number of threads, and what two laws make of it.
//!
//! Each law is fitted to its own job, see [`crate::speedup_laws`]. Where no job was measured that grows with the threads, what Gustafson's law says
//! follows from Amdahl's share, and the table says so.

use crate::engines::OURS;
use crate::report::{Collection, ReportPart, seconds_per};
use crate::result_sheet::{Axis, Cell, Plot, Series, Table};
use crate::speedup_laws::{GROWING, amdahl, gustafson};

/// Times by number of threads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ThreadTimes {
    pub(super) name: String,
    pub(super) times: Vec<(usize, f64)>,
    /// Of jobs as many times as large as there are threads; empty where none was measured.
    pub(super) grown: Vec<(usize, f64)>,
}

impl ThreadTimes {
    /// One thread's time over the time of so many.
    pub(super) fn speedup(&self, threads: usize) -> Option<f64> {
        let time = |n: usize| self.times.iter().find(|(m, _)| *m == n).map(|(_, t)| *t);
        Some(time(1)? / time(threads)?)
    }
}

/// The shares that fit best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LawFit {
    pub(super) parallel_share: f64,
    /// Of the time on several threads, which Gustafson's law keeps.
    pub(super) serial_share_of_time: f64,
    /// Whether the latter was fitted to a job that grows.
    pub(super) is_grown: bool,
}

impl LawFit {
    /// Without times of more than one thread nothing is parallel.
    pub(super) fn new(measured: &ThreadTimes) -> Self {
        let floats = |times: &[(usize, f64)]| -> Vec<(f64, f64)> {
            times.iter().map(|(n, time)| (*n as f64, *time)).collect()
        };
        let serial = amdahl(&floats(&measured.times)).unwrap_or(1.0);
        let most = measured.times.iter().map(|(n, _)| *n).max().unwrap_or(1);
        let fit = Self::of(1.0 - serial, most);
        match gustafson(&floats(&measured.grown)) {
            Some(serial_share_of_time) => Self {
                serial_share_of_time,
                is_grown: true,
                ..fit
            },
            None => fit,
        }
    }

    /// What a parallel share means when so many threads were measured.
    fn of(parallel_share: f64, threads: usize) -> Self {
        let serial = 1.0 - parallel_share;
        Self {
            parallel_share,
            serial_share_of_time: serial / (serial + parallel_share / threads.max(1) as f64),
            is_grown: false,
        }
    }

    pub(super) fn amdahl(&self, n: f64) -> f64 {
        1.0 / (self.parallel_share / n + 1.0 - self.parallel_share)
    }

    pub(super) fn gustafson(&self, n: f64) -> f64 {
        n + (1.0 - n) * self.serial_share_of_time
    }

    /// The speed-up that no number of threads exceeds, by Amdahl.
    pub(super) fn limit(&self) -> f64 {
        1.0 / (1.0 - self.parallel_share)
    }
}

/// The largest mesh whose index was built on one thread and on all.
fn built(part: &ReportPart) -> Option<ThreadTimes> {
    let cores = part.origin.machine.cores;
    let builds = part
        .sheet
        .tables
        .iter()
        .find(|t| t.title.contains("index"))?;
    let of = |engine: &str| {
        let rows = builds.rows.iter().filter_map(|row| match row.as_slice() {
            [Cell::Text(name), _, Cell::Number(faces), Cell::Number(ms)]
                if name == engine && *ms > 0.0 =>
            {
                Some((*faces, *ms))
            }
            _ => None,
        });
        rows.max_by(|p, q| p.0.total_cmp(&q.0))
    };
    let (faces, one) = of(&format!("{OURS} (one thread)"))?;
    let (same, all) = of(OURS)?;
    (cores > 1 && same == faces).then(|| ThreadTimes {
        name: format!("building a tree over {faces} faces"),
        times: vec![(1, one), (cores, all)],
        grown: Vec::new(),
    })
}

/// Everything that was measured on one thread and on several: rows of builds, and plots over threads.
pub(super) fn measured(collection: &Collection) -> Vec<ThreadTimes> {
    let mut found = Vec::new();
    if let Some(part) = collection.part("rigid") {
        found.extend(built(part));
    }
    for part in &collection.parts {
        if part.sheet.name == "published" {
            continue;
        }
        for plot in &part.sheet.plots {
            if !plot.x.label.to_lowercase().contains("thread") {
                continue;
            }
            let Some(seconds) = seconds_per(&plot.y.unit) else {
                continue;
            };
            let of = |series: &Series| -> Vec<(usize, f64)> {
                let points = series.points.iter();
                points
                    .filter(|[n, time]| *n >= 1.0 && n.fract() == 0.0 && *time > 0.0)
                    .map(|[n, time]| (*n as usize, time * seconds))
                    .collect()
            };
            let ours = || plot.series.iter().filter(|s| !s.is_published);
            let grown = ours().find(|s| s.name == GROWING).map(of);
            for series in ours().filter(|s| s.name != GROWING) {
                let times = of(series);
                if times.len() > 1 && times.iter().any(|(n, _)| *n == 1) {
                    found.push(ThreadTimes {
                        name: format!("{}, {}", plot.title, series.name),
                        times,
                        grown: grown.clone().unwrap_or_default(),
                    });
                }
            }
        }
    }
    found
}

/// The numbers of processors for which predictions are printed.
const PROCESSORS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What was measured beside what both laws say.
pub(super) fn speedups(measured: &ThreadTimes, fit: &LawFit) -> Table {
    let number = |x: Option<f64>| {
        x.map_or(
            Cell::Void {
                reason: "not measured".to_owned(),
            },
            Cell::Number,
        )
    };
    let rows = PROCESSORS.iter().map(|n| {
        let speedup = measured.speedup(*n);
        vec![
            Cell::Number(*n as f64),
            number(speedup),
            number(speedup.map(|s| s / *n as f64)),
            Cell::Number(fit.amdahl(*n as f64)),
            Cell::Number(fit.gustafson(*n as f64)),
        ]
    });
    Table {
        title: format!(
            "{}: parallel share {:.3}, at most {} by Amdahl",
            measured.name,
            fit.parallel_share,
            if fit.limit().is_finite() {
                format!("{:.1} times", fit.limit())
            } else {
                "without limit".to_owned()
            }
        ),
        columns: [
            "threads",
            "speed-up",
            "efficiency",
            "Amdahl",
            if fit.is_grown {
                "Gustafson, growing job"
            } else {
                "Gustafson, by Amdahl's share"
            },
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: rows.collect(),
    }
}

/// The same as lines over the number of threads.
pub(super) fn picture(measured: &ThreadTimes, fit: &LawFit) -> Plot {
    let line = |name: &str, of: &dyn Fn(f64) -> f64| Series {
        name: name.to_owned(),
        points: PROCESSORS
            .iter()
            .map(|n| [*n as f64, of(*n as f64)])
            .collect(),
        ..Series::default()
    };
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (n, _) in &measured.times {
        points.extend(measured.speedup(*n).map(|s| [*n as f64, s]));
    }
    Plot {
        title: format!("Speed-up by threads: {}", measured.name),
        x: Axis {
            label: "threads".to_owned(),
            unit: String::new(),
            is_logarithmic: true,
        },
        y: Axis {
            label: "speed-up over one thread".to_owned(),
            unit: "times".to_owned(),
            is_logarithmic: true,
        },
        series: vec![
            Series {
                name: "ours, measured".to_owned(),
                points,
                is_scatter: true,
                ..Series::default()
            },
            line("Amdahl", &|n| fit.amdahl(n)),
            line("Gustafson", &|n| fit.gustafson(n)),
            line("linear", &|n| n),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::{LawFit, ThreadTimes, built};
    use crate::report::ReportPart;
    use crate::result_sheet::{Cell, ResultSheet, Table};

    #[test]
    fn the_tree_that_was_built_is_named_by_its_size() {
        let row = |engine: &str, faces: f64, ms: f64| {
            let [engine, mesh] = [engine, "knot"].map(|text| Cell::Text(text.to_owned()));
            vec![engine, mesh, Cell::Number(faces), Cell::Number(ms)]
        };
        let mut part = ReportPart {
            sheet: ResultSheet::new("rigid", "", "", ""),
            ..ReportPart::default()
        };
        part.sheet.tables.push(Table {
            title: "Building an index".to_owned(),
            columns: ["engine", "mesh", "faces", "time, ms"]
                .map(str::to_owned)
                .to_vec(),
            rows: vec![
                row("impinge", 99_970.0, 6.0),
                row("impinge (one thread)", 99_970.0, 9.0),
                row("fcl", 99_970.0, 100.0),
            ],
        });
        // Nothing is known of the number of threads.
        assert_eq!(built(&part), None);
        part.origin.machine.cores = 2;
        let measured = built(&part).unwrap();
        assert_eq!(measured.name, "building a tree over 99970 faces");
        assert_eq!(measured.speedup(2), Some(1.5));
    }

    #[test]
    fn the_share_comes_back_that_the_times_were_made_of() {
        for share in [0.0, 0.5, 0.9, 1.0] {
            let truth = LawFit::of(share, 8);
            let measured = ThreadTimes {
                name: String::new(),
                times: [1, 2, 4, 8]
                    .map(|n| (n, 7.0 / truth.amdahl(n as f64)))
                    .to_vec(),
                grown: Vec::new(),
            };
            let fit = LawFit::new(&measured);
            assert!((fit.parallel_share - share).abs() < 1e-12);
            // Both laws agree on what was measured, and beyond it Gustafson promises more.
            assert!((fit.amdahl(8.0) - fit.gustafson(8.0)).abs() < 1e-9);
            assert!(fit.gustafson(64.0) >= fit.amdahl(64.0) - 1e-9);
        }
        let half = LawFit::of(0.5, 2);
        assert_eq!(half.limit(), 2.0);
        assert_eq!(half.amdahl(2.0), 4.0 / 3.0);
        // On two threads two thirds of the time are serial: 4 − 3 · 2/3 on four.
        assert!((half.gustafson(4.0) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_job_that_grows_has_a_serial_share_of_its_own() {
        let measured = ThreadTimes {
            name: String::new(),
            times: vec![(1, 1.0), (2, 0.6)],
            grown: vec![(1, 1.0), (2, 1.25)],
        };
        let fit = LawFit::new(&measured);
        // By Amdahl a fifth of the work; the growing job gains 1.6 of 2.
        assert!((fit.parallel_share - 0.8).abs() < 1e-12);
        assert!(fit.is_grown && (fit.serial_share_of_time - 0.4).abs() < 1e-12);
    }

    #[test]
    fn a_slowdown_has_no_parallel_share() {
        let measured = ThreadTimes {
            name: String::new(),
            times: vec![(1, 1.0), (2, 4.0)],
            grown: Vec::new(),
        };
        assert_eq!(LawFit::new(&measured).parallel_share, 0.0);
    }
}
