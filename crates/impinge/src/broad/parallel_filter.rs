//! Filters a long list in parallel; the result is in the same order as with one thread.

use rayon::prelude::*;

use super::linear_bvh8::JoinScratch;
use super::parallel_resize::grow;

/// Numbers per piece. Pieces are many and small, here and elsewhere: the second thread may wake late or be slowed by others, and the first
/// then takes more of them.
pub(super) const PIECE: usize = 2048;

/// Lets `keep` write what it keeps of each piece of the list; returns how many pieces there are.
pub(super) fn parallel_filter(
    list: &[u64],
    pieces: &mut Vec<JoinScratch>,
    keep: impl Fn(&[u64], &mut Vec<u64>) + Sync + Send,
) -> usize {
    let count = list.len().div_ceil(PIECE);
    if pieces.len() < count {
        pieces.resize_with(count, JoinScratch::default);
    }
    pieces[..count]
        .par_iter_mut()
        .zip(list.par_chunks(PIECE))
        .with_max_len(1)
        .for_each(|(piece, some)| {
            piece.keys.clear();
            keep(some, &mut piece.keys);
        });
    count
}

/// Appends what the pieces hold, one behind the other.
pub(super) fn append(pieces: &[JoinScratch], to: &mut Vec<u64>) {
    let start = to.len();
    grow(to, start + length(pieces), 0, true);
    lay_out(pieces, &mut to[start..]);
}

fn length(pieces: &[JoinScratch]) -> usize {
    pieces.iter().map(|piece| piece.keys.len()).sum()
}

/// Halves the list until few are left: the depth is bounded by the logarithm of its length.
fn lay_out(pieces: &[JoinScratch], mut to: &mut [u64]) {
    if to.len() > 4 * PIECE && pieces.len() > 1 {
        let (low, high) = pieces.split_at(pieces.len() / 2);
        let (to_low, to_high) = to.split_at_mut(length(low));
        rayon::join(|| lay_out(low, to_low), || lay_out(high, to_high));
        return;
    }
    for piece in pieces {
        let (own, rest) = to.split_at_mut(piece.keys.len());
        own.copy_from_slice(&piece.keys);
        to = rest;
    }
}
