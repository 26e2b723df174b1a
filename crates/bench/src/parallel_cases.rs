//! Cases in blocks, taken by threads one after the other: which cases there are does not depend on how many threads there are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// What each thread made of the blocks it took; none of a thread that panicked.
pub(crate) fn in_blocks<T: Default + Send>(
    blocks: u64,
    threads: u64,
    work: impl Fn(&mut T, u64) + Sync,
) -> Vec<Option<T>> {
    let next = AtomicU64::new(0);
    let take = || {
        let mut own = T::default();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return own;
            }
            work(&mut own, block);
        }
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(take)).collect();
        all.into_iter().map(|one| one.join().ok()).collect()
    })
}

/// Says at every tenth of the blocks how far it is, after the name of what is done.
pub(crate) fn tell(before: &str, block: u64, blocks: u64) {
    if block > 0 && block.is_multiple_of(blocks.div_ceil(10)) {
        eprintln!("{before}{} %", 100 * block / blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_taken_once_by_any_number_of_threads() {
        for threads in [0, 1, 3] {
            let taken = in_blocks(100, threads, |own: &mut Vec<u64>, block| own.push(block));
            assert_eq!(taken.len() as u64, threads.max(1));
            let mut all: Vec<u64> = taken.into_iter().flatten().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_thread_that_panics_takes_only_its_own_with_it() {
        let taken = in_blocks(1, 2, |own: &mut u64, _| {
            *own += 1;
            assert!(*own > 1, "the only block");
        });
        assert_eq!(taken.iter().filter(|own| own.is_none()).count(), 1);
        assert_eq!(taken.iter().flatten().sum::<u64>(), 0);
    }
}
