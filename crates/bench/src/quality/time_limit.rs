//! Parts that take about so long at most: what is begun is ended, what is not begun is named.

use std::time::{Duration, Instant};

use crate::result_sheet::ResultSheet;

/// Measures every case that is begun within the allowed time from the start, and gives back the others.
pub(super) fn measure<T: Copy>(
    cases: &[T],
    (start, allowed): (Instant, Duration),
    mut measure_one: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<T>> {
    let mut left_out = Vec::new();
    for &case in cases {
        if start.elapsed() >= allowed {
            left_out.push(case);
        } else {
            measure_one(case)?;
        }
    }
    Ok(left_out)
}

/// Prints and keeps what was left out, after a head that says so; nothing where nothing was.
pub(super) fn tell(sheet: &mut ResultSheet, head: &str, left_out: &[String]) {
    if left_out.is_empty() {
        return;
    }
    let note = format!("{head}: {}.", left_out.join(", "));
    println!("{note}");
    sheet.notes.push(note);
}
