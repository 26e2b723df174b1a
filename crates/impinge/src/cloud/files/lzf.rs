//! The LZF compression of PCD files: literal runs, and copies of at most 264 bytes from at most 8192 bytes back.

/// The longest literal run.
const MAX_RUN: usize = 32;
/// The farthest a copy reaches back.
const MAX_BACK: usize = 8192;
/// The longest copy.
const MAX_COPY: usize = 264;
const HASH_BITS: u32 = 14;

/// At most this many bytes come from one, so a declared size beyond it is wrong.
pub(super) const MAX_RATIO: usize = 88;

/// The expanded bytes; none when the input is damaged or does not give exactly `size` of them.
pub(super) fn expand(input: &[u8], size: usize) -> Option<Vec<u8>> {
    if size > input.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    let mut out = Vec::with_capacity(size);
    let mut at = 0;
    while let Some(&control) = input.get(at) {
        at += 1;
        let control = usize::from(control);
        if control < MAX_RUN {
            let run = input.get(at..at + control + 1)?;
            out.extend_from_slice(run);
            at += control + 1;
        } else {
            let mut length = control >> 5;
            if length == 7 {
                length += usize::from(*input.get(at)?);
                at += 1;
            }
            let back = (control & 0x1f) << 8 | usize::from(*input.get(at)?);
            at += 1;
            let from = out.len().checked_sub(back + 1)?;
            // A copy may overlap what it writes.
            for i in from..from + length + 2 {
                out.push(out[i]);
            }
        }
        if out.len() > size {
            return None;
        }
    }
    (out.len() == size).then_some(out)
}

/// The compressed bytes; never more than a thirty-second longer.
pub(super) fn compress(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len() / 2 + 16);
    let mut seen = vec![usize::MAX; 1 << HASH_BITS];
    let (mut at, mut pending) = (0, 0);
    while at + 3 <= input.len() {
        let three =
            u32::from(input[at]) << 16 | u32::from(input[at + 1]) << 8 | u32::from(input[at + 2]);
        let slot = (three.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize;
        let before = std::mem::replace(&mut seen[slot], at);
        if before >= at || at - before > MAX_BACK || input[before..before + 3] != input[at..at + 3]
        {
            at += 1;
            continue;
        }
        let most = MAX_COPY.min(input.len() - at);
        let length = (3..most)
            .find(|&i| input[before + i] != input[at + i])
            .unwrap_or(most);
        flush(&mut out, &input[pending..at]);
        let back = at - before - 1;
        let code = length - 2;
        if code < 7 {
            out.push((code << 5 | back >> 8) as u8);
        } else {
            out.push((7 << 5 | back >> 8) as u8);
            out.push((code - 7) as u8);
        }
        out.push(back as u8);
        at += length;
        pending = at;
    }
    flush(&mut out, &input[pending..]);
    out
}

/// Appends literal runs.
fn flush(out: &mut Vec<u8>, literals: &[u8]) {
    for run in literals.chunks(MAX_RUN) {
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_expands_to_itself() {
        let mut rng = crate::math::Rng::new(5);
        for size in [0, 1, 2, 3, 4, 31, 32, 33, 300, 20_000] {
            for symbols in [1, 2, 7, 256] {
                let plain: Vec<u8> = (0..size).map(|_| rng.below(symbols) as u8).collect();
                assert_eq!(expand(&compress(&plain), size), Some(plain));
            }
        }
    }
}
