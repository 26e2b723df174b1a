//! The files and the clock that both runners use.

use std::time::Instant;

/// A 64-bit count and so many times `N` doubles, little-endian.
pub fn read<const N: usize>(path: &str) -> Vec<[f64; N]> {
    let bytes = std::fs::read(path).expect("the file can be read");
    let (count, rest) = bytes.split_first_chunk().expect("a count");
    let count = u64::from_le_bytes(*count) as usize;
    let (numbers, _) = rest.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let (rows, _) = numbers.as_chunks::<N>();
    assert_eq!(rows.len(), count, "{path} ends early");
    rows.to_vec()
}

/// Nanoseconds this thread computed for, undisturbed by other work on the machine; where the system does not tell, nanoseconds that
/// passed.
pub fn own_nanoseconds(work: impl FnOnce()) -> f64 {
    let (clock, before) = (Instant::now(), thread_nanoseconds());
    work();
    match (before, thread_nanoseconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_nanos() as f64,
    }
}

fn thread_nanoseconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// The line of an answer.
pub fn tell(name: &str, sum: f64, times: &[&[f64]]) {
    print!("{name} {sum:?}");
    for time in times.iter().copied().flatten() {
        print!(" {time}");
    }
    println!();
}
