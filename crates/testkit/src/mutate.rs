//! Seeded damage to the bytes of a file.
//!
//! Each call makes one to four edits of the kinds that break readers: flipped bits, missing and
//! repeated stretches, text cut or joined at line ends, and numbers replaced by values at the edge of
//! what counts, indices and coordinates can hold. The same seed makes the same damage, and the
//! result is never longer than twice the input plus 4 KiB.

use impinge::math::Rng;

/// Words that text readers stumble over.
const WORDS: [&[u8]; 24] = [
    b"nan",
    b"-nan",
    b"inf",
    b"-1",
    b"0",
    b"4294967295",
    b"4294967296",
    b"2147483648",
    b"-2147483649",
    b"99999999999999999999",
    b"18446744073709551615",
    b"1e999",
    b"1e-999",
    b"1e46",
    b"-0.0",
    b"1.5.5",
    b"0x10",
    b"--3",
    b"1/",
    b"//",
    b"\\",
    b"#",
    b"",
    b"\xFF\xFE",
];

/// Values that binary counts, indices and floats stumble over.
const VALUES: [u32; 12] = [
    0,
    1,
    3,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0xFFFF_FFFE,
    0x0100_0000,
    0x7F80_0000, // infinity
    0x7FC0_0000, // NaN
    0x7F7F_FFFF, // the largest f32
    0x0000_FFFF,
];

/// The file with damage that depends on `rng` alone.
///
/// ```
/// use impinge::math::Rng;
/// use impinge_testkit::mutate::damaged;
/// let file = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// assert_eq!(damaged(file, &mut Rng::new(1)), damaged(file, &mut Rng::new(1)));
/// assert_ne!(damaged(file, &mut Rng::new(1)), damaged(file, &mut Rng::new(2)));
/// ```
#[must_use]
pub fn damaged(file: &[u8], rng: &mut Rng) -> Vec<u8> {
    let limit = file.len() * 2 + 4096;
    let mut bytes = file.to_vec();
    // One edit alone gets deepest into a reader.
    let edits = 1 + rng.below(2) * rng.below(4);
    for _ in 0..edits {
        edit(&mut bytes, rng);
        bytes.truncate(limit);
    }
    bytes
}

fn edit(bytes: &mut Vec<u8>, rng: &mut Rng) {
    match rng.below(16) {
        0 => flip_bits(bytes, rng),
        1 => {
            let at = place(bytes, rng);
            bytes.truncate(at);
        }
        2 => remove(bytes, rng),
        3 => repeat(bytes, rng),
        4 => swap(bytes, rng),
        5 => overwrite_byte(bytes, rng),
        6 => overwrite_value(bytes, rng),
        7 | 8 => replace_word(bytes, rng),
        9 => remove_line(bytes, rng),
        10 => repeat_line(bytes, rng),
        11..=14 => replace_number(bytes, rng),
        _ => insert_noise(bytes, rng),
    }
}

/// A place in the file or at its end.
fn place(bytes: &[u8], rng: &mut Rng) -> usize {
    rng.below(bytes.len() as u64 + 1) as usize
}

/// A stretch of the file, mostly short.
fn stretch(bytes: &[u8], rng: &mut Rng) -> std::ops::Range<usize> {
    let start = place(bytes, rng);
    let longest = if rng.below(4) == 0 { bytes.len() } else { 16 };
    let length = rng.below(longest as u64 + 1) as usize;
    start..bytes.len().min(start + length)
}

fn flip_bits(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..=rng.below(3) {
        let at = place(bytes, rng);
        if let Some(b) = bytes.get_mut(at) {
            *b ^= 1 << rng.below(8);
        }
    }
}

fn remove(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let range = stretch(bytes, rng);
    bytes.drain(range);
}

fn repeat(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let piece = bytes[stretch(bytes, rng)].to_vec();
    let at = place(bytes, rng);
    bytes.splice(at..at, piece);
}

/// Exchanges two stretches of equal length.
fn swap(bytes: &mut [u8], rng: &mut Rng) {
    let range = stretch(bytes, rng);
    let to = place(bytes, rng);
    for (i, from) in range.enumerate() {
        if to + i < bytes.len() {
            bytes.swap(from, to + i);
        }
    }
}

fn overwrite_byte(bytes: &mut [u8], rng: &mut Rng) {
    let at = place(bytes, rng);
    let value = rng.next_u64() as u8;
    if let Some(b) = bytes.get_mut(at) {
        *b = value;
    }
}

/// Overwrites four bytes with a value of either byte order, mostly where values are aligned.
fn overwrite_value(bytes: &mut [u8], rng: &mut Rng) {
    let mut at = place(bytes, rng);
    if rng.below(2) == 0 {
        at &= !3;
    }
    let value = VALUES[rng.below(VALUES.len() as u64) as usize];
    let value = match rng.below(2) {
        0 => value.to_le_bytes(),
        _ => value.to_be_bytes(),
    };
    for (i, b) in value.into_iter().enumerate() {
        if let Some(slot) = bytes.get_mut(at + i) {
            *slot = b;
        }
    }
}

/// The bounds of the run of bytes around a place for which `inside` holds.
fn run(bytes: &[u8], at: usize, inside: impl Fn(u8) -> bool) -> std::ops::Range<usize> {
    let start = bytes[..at]
        .iter()
        .rposition(|&b| !inside(b))
        .map_or(0, |i| i + 1);
    let end = bytes[at..]
        .iter()
        .position(|&b| !inside(b))
        .map_or(bytes.len(), |i| at + i);
    start..end
}

fn word(rng: &mut Rng) -> Vec<u8> {
    WORDS[rng.below(WORDS.len() as u64) as usize].to_vec()
}

fn replace_word(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = place(bytes, rng);
    let range = run(bytes, at, |b| b.is_ascii_graphic());
    bytes.splice(range, word(rng));
}

/// Replaces a number by one near it, its negative, a small one or a word; counts are numbers, too.
fn replace_number(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let from = place(bytes, rng);
    let Some(at) = bytes[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let range = run(bytes, from + at, |b| b.is_ascii_digit());
    let text = String::from_utf8_lossy(&bytes[range.clone()]).into_owned();
    let new = match (rng.below(5), text.parse::<u64>()) {
        (0, Ok(n)) => n.wrapping_add(1).to_string().into_bytes(),
        (1, Ok(n)) => n.saturating_sub(1).to_string().into_bytes(),
        (2, Ok(n)) => format!("-{n}").into_bytes(),
        (3, Ok(_)) => rng.below(16).to_string().into_bytes(),
        _ => word(rng),
    };
    bytes.splice(range, new);
}

/// The line around a place, with its end.
fn line(bytes: &[u8], rng: &mut Rng) -> std::ops::Range<usize> {
    let range = run(bytes, place(bytes, rng), |b| b != b'\n');
    range.start..bytes.len().min(range.end + 1)
}

fn remove_line(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let range = line(bytes, rng);
    bytes.drain(range);
}

fn repeat_line(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let range = line(bytes, rng);
    let piece = bytes[range.clone()].to_vec();
    bytes.splice(range.end..range.end, piece);
}

fn insert_noise(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = place(bytes, rng);
    let noise: Vec<u8> = (0..rng.below(24)).map(|_| rng.next_u64() as u8).collect();
    bytes.splice(at..at, noise);
}
