//! Hashes that identify a part or a clash across runs.

use std::collections::BTreeMap;

use crate::math::Pose;
use crate::mesh::TriMesh;

/// FNV-1a of 128 bits: what is hashed is not chosen by anyone who wants two to be equal.
#[derive(Clone, Copy, Debug)]
struct Fnv128(u128);

impl Fnv128 {
    const START: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_mul(Self::PRIME);
        // Multiplication moves nothing down.
        self.0 ^= self.0 >> 67;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.word(u64::from(byte));
        }
        self.word(1 << 32 | bytes.len() as u64);
    }
}

/// A number for the content of a placed mesh: equal for equal coordinates, faces and poses on every machine.
///
/// ```
/// use impinge::{Pose, clash::content_hash, generate::tetrahedron};
/// let (small, large) = (tetrahedron(1.0)?, tetrahedron(2.0)?);
/// assert_eq!(content_hash(&small, &Pose::IDENTITY), content_hash(&small.clone(), &Pose::IDENTITY));
/// assert_ne!(content_hash(&small, &Pose::IDENTITY), content_hash(&large, &Pose::IDENTITY));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[must_use]
pub fn content_hash(mesh: &TriMesh, world_from_part: &Pose) -> u128 {
    let mut hash = Fnv128::START;
    // Zero has two signs but is one number.
    let number = |x: f64| (x + 0.0).to_bits();
    for x in world_from_part.to_row_major() {
        hash.word(number(x));
    }
    hash.word(mesh.vertex_count() as u64);
    for p in mesh.positions() {
        for x in p.to_array() {
            hash.word(number(x));
        }
    }
    for &[a, b, c] in mesh.faces() {
        hash.word(u64::from(a) << 32 | u64::from(b));
        hash.word(u64::from(c));
    }
    hash.0
}

/// The id of a clash of two parts with these names, in either order: 32 hexadecimal digits.
///
/// ```
/// use impinge::clash::clash_id;
/// assert_eq!(clash_id("bolt", "lid"), clash_id("lid", "bolt"));
/// assert_ne!(clash_id("bolt", "lid"), clash_id("bol", "tlid"));
/// ```
#[must_use]
pub fn clash_id(x: &str, y: &str) -> String {
    let mut hash = Fnv128::START;
    for name in [x.min(y), x.max(y)] {
        hash.bytes(name.as_bytes());
    }
    format!("{:032x}", hash.0)
}

/// The names with numbers added where several are equal: the second `bolt` is `bolt#2`.
///
/// ```
/// let names = impinge::clash::unique_names(["bolt", "lid", "bolt", "bolt#2"]);
/// assert_eq!(names, ["bolt", "lid", "bolt#3", "bolt#2"]);
/// ```
#[must_use]
pub fn unique_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    // Names that stand in the file keep to it; numbers go around them.
    let mut next: BTreeMap<String, u64> = names.iter().map(|&n| (n.to_owned(), 0)).collect();
    let mut unique = Vec::with_capacity(names.len());
    for name in names {
        let count = next.get(name).copied().unwrap_or(0);
        if count == 0 {
            next.insert(name.to_owned(), 2);
            unique.push(name.to_owned());
            continue;
        }
        let mut number = count;
        let mut numbered = format!("{name}#{number}");
        // There are fewer names than numbers.
        while next.contains_key(&numbered) {
            number += 1;
            numbered = format!("{name}#{number}");
        }
        next.insert(name.to_owned(), number + 1);
        next.insert(numbered.clone(), 2);
        unique.push(numbered);
    }
    unique
}
