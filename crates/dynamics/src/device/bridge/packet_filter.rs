//! Packet filter: drops old, duplicate and damaged packets.

use super::packet::{Packet, PacketError};

/// Rejected packets, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Older than one already received.
    pub old: u64,
    /// Received before.
    pub duplicate: u64,
    /// Damaged, or of another protocol.
    pub corrupt: u64,
    /// Packets with a number that is NaN or infinite.
    pub not_finite: u64,
    /// Not from the accepted peer, or with another token.
    pub stranger: u64,
}

impl Dropped {
    /// All of them.
    ///
    /// ```
    /// use impinge_dynamics::device::bridge::Dropped;
    /// assert_eq!(Dropped { old: 1, corrupt: 2, ..Dropped::default() }.total(), 3);
    /// ```
    #[must_use]
    pub fn total(&self) -> u64 {
        self.old + self.duplicate + self.corrupt + self.not_finite + self.stranger
    }
}

/// Lets a packet through if it is newer than all before.
///
/// ```
/// use impinge_dynamics::device::bridge::{Header, Inbox, MAX_PACKET_BYTES, Packet};
/// let mut inbox = Inbox::default();
/// let mut buffer = [0; MAX_PACKET_BYTES];
/// let header = Header { sequence: 9, ..Header::default() };
/// let bytes = Packet::Hello { header, token: 1 }.encode(&mut buffer);
/// assert!(inbox.accept(bytes).is_some());
/// assert!(inbox.accept(bytes).is_none());
/// assert_eq!((inbox.dropped().duplicate, inbox.newest()), (1, Some(9)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inbox {
    newest: Option<u32>,
    pub(super) dropped: Dropped,
}

impl Inbox {
    /// The packet of these bytes, if it is accepted.
    pub fn accept(&mut self, bytes: &[u8]) -> Option<Packet> {
        let packet = self.decode(bytes)?;
        self.is_newer(&packet).then_some(packet)
    }

    /// The packet, whether it is new or not.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Option<Packet> {
        match Packet::decode(bytes) {
            Ok(packet) => Some(packet),
            Err(PacketError::NotFinite) => {
                self.dropped.not_finite += 1;
                None
            }
            Err(_) => {
                self.dropped.corrupt += 1;
                None
            }
        }
    }

    /// Whether the packet is newer than all before; it is the newest from now on then.
    pub(super) fn is_newer(&mut self, packet: &Packet) -> bool {
        let sequence = packet.header().sequence;
        // The difference in a circle of 2³²: half of it is newer, half is older.
        let ahead = self
            .newest
            .map_or(1, |newest| sequence.wrapping_sub(newest) as i32);
        match ahead {
            0 => self.dropped.duplicate += 1,
            ..0 => self.dropped.old += 1,
            _ => self.newest = Some(sequence),
        }
        ahead > 0
    }

    /// The rejected packets so far.
    #[must_use]
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// The newest sequence number; none before the first packet.
    #[must_use]
    pub fn newest(&self) -> Option<u32> {
        self.newest
    }
}
