//! Stage 2: bisects the time interval until each part has no contact or one root.

use super::certified_filter::{CertifiedFilter, CertifiedSign, U};
use super::root_bracket::bracket;

/// Parts examined before integers take over.
const PARTS: u32 = 48;
/// The same when the cubic cannot be distinguished from zero: halving will not help.
const FLAT_PARTS: u32 = 8;
/// Halvings; ends of parts are then exact in `f64`.
const DEPTH: u32 = 30;
/// Three means, each with a rounding of at most `u · 6M`: 18 u M for each halving. Used: 20.
const HALVING: f64 = 20.0 * U;

/// What the certified stages found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SubdivisionResult {
    /// No contact, decided by the sign of the cubic.
    NoCubicRoot,
    /// No contact, decided without halving; `true` when a root was examined.
    NoContactInWhole(bool),
    /// No contact, after halving.
    NoContact,
    /// The first contact is in this bracket.
    Contact([f64; 2]),
    /// Not decided.
    Unknown,
}

#[derive(Clone, Copy)]
struct TimeSlice {
    coefficients: [f64; 4],
    interval: [f64; 2],
    depth: u32,
}

impl TimeSlice {
    fn halves(&self) -> [Self; 2] {
        let [b0, b1, b2, b3] = self.coefficients;
        let (b01, b12, b23) = (0.5 * (b0 + b1), 0.5 * (b1 + b2), 0.5 * (b2 + b3));
        let (b012, b123) = (0.5 * (b01 + b12), 0.5 * (b12 + b23));
        let middle = 0.5 * (b012 + b123);
        let [lower, upper] = self.interval;
        let time = 0.5 * (lower + upper);
        let depth = self.depth + 1;
        [
            Self {
                coefficients: [b0, b01, b012, middle],
                interval: [lower, time],
                depth,
            },
            Self {
                coefficients: [middle, b123, b23, b3],
                interval: [time, upper],
                depth,
            },
        ]
    }
}

/// How the coefficients of a cubic, each within `error`, decide about roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootCount {
    None,
    One,
    Unknown,
}

#[inline]
fn roots(b: &[f64; 4], error: f64) -> RootCount {
    let smallest = b[0].min(b[1]).min(b[2]).min(b[3]);
    let largest = b[0].max(b[1]).max(b[2]).max(b[3]);
    if smallest > error || largest < -error {
        return RootCount::None;
    }
    let sign = b[0].signum();
    let is_change = b[0] * sign > error && b[3] * sign < -error;
    // With one of the inner signs certain to continue the outer one next to it, there is one variation.
    if is_change && (b[1] * sign > error || b[2] * sign < -error) {
        RootCount::One
    } else {
        RootCount::Unknown
    }
}

/// Decides by certified arithmetic, or says that it cannot. A bracket is no wider than `width`.
#[inline]
pub(super) fn search<const EDGES: bool>(
    certified: &CertifiedFilter<EDGES>,
    width: f64,
) -> SubdivisionResult {
    let (coefficients, error) = certified.cubic();
    if roots(&coefficients, error) == RootCount::None {
        return SubdivisionResult::NoCubicRoot;
    }
    descend(certified, coefficients, error, width)
}

fn descend<const EDGES: bool>(
    certified: &CertifiedFilter<EDGES>,
    coefficients: [f64; 4],
    error: f64,
    width: f64,
) -> SubdivisionResult {
    let is_flat = coefficients.iter().all(|b| b.abs() <= error);
    let most = if is_flat { FLAT_PARTS } else { PARTS };
    let volume = certified.volume;
    let whole = TimeSlice {
        coefficients,
        interval: [0.0, 1.0],
        depth: 0,
    };
    // One part of each depth waits, and one more while a part is halved.
    let mut stack = [whole; DEPTH as usize + 2];
    let mut waiting = 1;
    let mut looked_at = 0;
    let mut is_root_seen = false;
    while waiting > 0 {
        waiting -= 1;
        let part = stack[waiting];
        looked_at += 1;
        let error = error + f64::from(part.depth) * (HALVING * volume);
        match roots(&part.coefficients, error) {
            RootCount::None => continue,
            RootCount::One => {
                is_root_seen = true;
                let Some([lower, upper]) =
                    bracket(&part.coefficients, part.interval, error, volume)
                else {
                    return SubdivisionResult::Unknown;
                };
                match certified.contact(lower, upper) {
                    CertifiedSign::Apart => continue,
                    CertifiedSign::Meet if upper - lower <= width => {
                        return SubdivisionResult::Contact([lower, upper]);
                    }
                    _ => return SubdivisionResult::Unknown,
                }
            }
            RootCount::Unknown => {}
        }
        let [lower, upper] = part.interval;
        if certified.contact(lower, upper) == CertifiedSign::Apart {
            continue;
        }
        if looked_at >= most || part.depth >= DEPTH {
            return SubdivisionResult::Unknown;
        }
        let [left, right] = part.halves();
        stack[waiting] = right;
        stack[waiting + 1] = left;
        waiting += 2;
    }
    if looked_at == 1 {
        SubdivisionResult::NoContactInWhole(is_root_seen)
    } else {
        SubdivisionResult::NoContact
    }
}
