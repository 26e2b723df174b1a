//! What a frame would take on cards that are not here, by their data sheets.
//!
//! **Idea.** `t = max(DRAM / B, L2 / B₂, operations / R) + 8 µs · kernels + bytes / PCIe`, with about `250 n + T/4 + 116 K` bytes of memory, `16 T` bytes that
//! the second-level cache delivers, and `40 T + 800 K` operations for `n` faces, `T` pairs along the axis and `K` candidates.
//! **Limits.** Modelled, not measured. Data sheets say nothing about the second-level cache: it is taken for three times as fast as the memory.

/// A card and its data sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Card {
    pub(super) name: &'static str,
    /// Memory, in 10⁹ bytes a second.
    pub(super) memory: f64,
    /// Single precision, in 10⁹ operations a second.
    pub(super) operations: f64,
    /// The bus in one direction, in 10⁹ bytes a second.
    pub(super) bus: f64,
}

const fn card(name: &'static str, memory: f64, operations: f64, bus: f64) -> Card {
    Card {
        name,
        memory,
        operations,
        bus,
    }
}

/// The card of the thesis first.
pub(super) const CARDS: [Card; 8] = [
    card("GeForce GTX 480", 177.4, 1345.0, 8.0),
    card("GeForce GTX 780", 288.4, 3977.0, 15.75),
    card("GeForce RTX 2080 Ti", 616.0, 13_450.0, 15.75),
    card("GeForce RTX 3090", 936.2, 35_580.0, 31.5),
    card("GeForce RTX 4090", 1008.0, 82_580.0, 31.5),
    card("Radeon RX 6800 XT", 512.0, 20_740.0, 31.5),
    card("Arc A770 16 GB", 560.0, 17_203.0, 31.5),
    card("Apple M1 Max", 400.0, 10_400.0, 400.0),
];

/// Second-level cache beside memory.
const CACHE: f64 = 3.0;
/// Seconds for each kernel.
const LAUNCH: f64 = 8e-6;

/// What a frame had to do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameWork {
    pub(super) faces: f64,
    pub(super) axis_pairs: f64,
    pub(super) candidates: f64,
    pub(super) kernels: f64,
    pub(super) bytes_up: f64,
    pub(super) bytes_down: f64,
}

impl FrameWork {
    /// Milliseconds on a card.
    pub(super) fn modelled(&self, card: &Card) -> f64 {
        let memory = 250.0 * self.faces + self.axis_pairs / 4.0 + 116.0 * self.candidates;
        let cache = 16.0 * self.axis_pairs;
        let operations = 40.0 * self.axis_pairs + 800.0 * self.candidates;
        let giga = 1e9;
        let busy = (memory / (card.memory * giga))
            .max(cache / (CACHE * card.memory * giga))
            .max(operations / (card.operations * giga));
        let bus = (self.bytes_up + self.bytes_down) / (card.bus * giga);
        1e3 * (busy + LAUNCH * self.kernels + bus)
    }

    /// The same on several such cards: the sweep is shared, sorting and launches are not.
    pub(super) fn modelled_on(&self, card: &Card, share: f64) -> f64 {
        let shared = Self {
            axis_pairs: self.axis_pairs * share,
            candidates: self.candidates * share,
            bytes_down: self.bytes_down * share,
            ..*self
        };
        shared.modelled(card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_of_the_thesis_is_modelled_below_ten_milliseconds_on_its_card() {
        let cloth = FrameWork {
            faces: 92_760.0,
            axis_pairs: 48.6e6,
            candidates: 609_000.0,
            kernels: 34.0,
            bytes_up: 12.0 * 46_800.0,
            bytes_down: 8.0 * 12_000.0,
        };
        let ms = cloth.modelled(&CARDS[0]);
        assert!((2.0..10.0).contains(&ms), "{ms}");
        // Half of the pairs takes less, and not below what is not shared.
        let half = cloth.modelled_on(&CARDS[0], 0.5);
        assert!(half < ms && half > 0.3 * ms, "{half} of {ms}");
    }

    #[test]
    fn a_faster_card_is_modelled_faster() {
        let work = FrameWork {
            faces: 1e5,
            axis_pairs: 1e8,
            candidates: 1e6,
            ..FrameWork::default()
        };
        let slow = work.modelled(&CARDS[0]);
        assert!(CARDS.iter().skip(1).all(|card| work.modelled(card) < slow));
    }
}
