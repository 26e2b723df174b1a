//! Packets of the device bridge and their byte layout.

use impinge::glam::DQuat;
use impinge::{DVec3, Pose};
use thiserror::Error;

use crate::Wrench;
use crate::crc32::crc32;
use crate::device::DeviceState;

/// The protocol version of this crate.
pub const BRIDGE_VERSION: u8 = 1;
/// Size of a hello packet in bytes.
pub const HELLO_BYTES: usize = 36;
/// Size of a state packet in bytes.
pub const STATE_BYTES: usize = 148;
/// Size of a wrench packet in bytes.
pub const WRENCH_BYTES: usize = 88;
/// Size of the largest packet in bytes.
pub const MAX_PACKET_BYTES: usize = STATE_BYTES;
/// Flag of a wrench after which no other follows.
pub const STOP_FLAG: u32 = 1;

const MAGIC: [u8; 4] = *b"IHP1";
const HELLO: u8 = 0;
const STATE: u8 = 1;
const WRENCH: u8 = 2;

/// The header of every packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Number of the device.
    pub device: u16,
    /// Grows by one with every packet of a sender, and begins again at 0 after the largest.
    pub sequence: u32,
    /// The newest sequence number received from the other side.
    pub acknowledged: u32,
    /// Time on the sender's clock.
    pub time_ns: u64,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Packet {
    /// The peer requests a connection.
    Hello {
        /// The header.
        header: Header,
        /// A number that both sides know.
        token: u64,
    },
    /// Where the tool is. The state's time is the header's.
    State {
        /// The header.
        header: Header,
        /// The state of the device.
        state: DeviceState,
        /// Status bits, defined by the driver.
        status: u32,
    },
    /// The wrench to render.
    Wrench {
        /// The header.
        header: Header,
        /// Force and torque.
        wrench: Wrench,
        /// Force of the gripper, in newtons.
        gripper: f64,
        /// See [`STOP_FLAG`].
        flags: u32,
    },
}

/// Why bytes are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PacketError {
    /// Wrong beginning, size, version, kind or checksum.
    #[error("the bytes are no packet of this protocol, or were damaged")]
    Corrupt,
    /// A number is NaN or infinite, or the quaternion is zero.
    #[error("the packet has a number that is not finite or a quaternion without direction")]
    NotFinite,
}

impl Packet {
    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        match self {
            Self::Hello { header, .. }
            | Self::State { header, .. }
            | Self::Wrench { header, .. } => header,
        }
    }

    /// Writes the packet and returns the part of the buffer that it fills.
    ///
    /// ```
    /// use impinge_dynamics::device::bridge::{HELLO_BYTES, Header, MAX_PACKET_BYTES, Packet};
    /// let hello = Packet::Hello { header: Header::default(), token: 7 };
    /// let mut buffer = [0; MAX_PACKET_BYTES];
    /// let bytes = hello.encode(&mut buffer);
    /// assert_eq!((bytes.len(), &bytes[..4]), (HELLO_BYTES, &b"IHP1"[..]));
    /// assert_eq!(Packet::decode(bytes), Ok(hello));
    /// assert_eq!(hello.header().sequence, 0);
    /// ```
    pub fn encode<'b>(&self, buffer: &'b mut [u8; MAX_PACKET_BYTES]) -> &'b [u8] {
        let mut writer = Writer { buffer, at: 0 };
        let kind = match self {
            Self::Hello { .. } => HELLO,
            Self::State { .. } => STATE,
            Self::Wrench { .. } => WRENCH,
        };
        let header = self.header();
        writer.put(&MAGIC);
        writer.put(&[BRIDGE_VERSION, kind]);
        writer.put(&header.device.to_le_bytes());
        writer.put(&header.sequence.to_le_bytes());
        writer.put(&header.acknowledged.to_le_bytes());
        writer.put(&header.time_ns.to_le_bytes());
        match self {
            Self::Hello { token, .. } => writer.put(&token.to_le_bytes()),
            Self::State { state, status, .. } => {
                let rotation = DQuat::from_mat3(state.pose.rotation());
                writer.numbers(&state.pose.translation().to_array());
                writer.numbers(&rotation.to_array());
                writer.numbers(&state.linear_velocity.to_array());
                writer.numbers(&state.angular_velocity.to_array());
                writer.numbers(&[state.gripper]);
                writer.put(&state.buttons.to_le_bytes());
                writer.put(&status.to_le_bytes());
            }
            Self::Wrench {
                wrench,
                gripper,
                flags,
                ..
            } => {
                writer.numbers(&wrench.force.to_array());
                writer.numbers(&wrench.torque.to_array());
                writer.numbers(&[*gripper]);
                writer.put(&flags.to_le_bytes());
            }
        }
        writer.finish()
    }

    /// The packet of these bytes.
    ///
    /// # Errors
    /// [`PacketError`] when they are not one.
    pub fn decode(bytes: &[u8]) -> Result<Self, PacketError> {
        let corrupt = PacketError::Corrupt;
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or(corrupt)?;
        let mut reader = Reader { bytes: body, at: 0 };
        if reader.take::<4>()? != MAGIC {
            return Err(corrupt);
        }
        let [version, kind] = reader.take()?;
        let size = match kind {
            HELLO => HELLO_BYTES,
            STATE => STATE_BYTES,
            WRENCH => WRENCH_BYTES,
            _ => return Err(corrupt),
        };
        let is_whole = version == BRIDGE_VERSION && bytes.len() == size;
        if !is_whole || crc32(body) != u32::from_le_bytes(*checksum) {
            return Err(corrupt);
        }
        let header = Header {
            device: u16::from_le_bytes(reader.take()?),
            sequence: u32::from_le_bytes(reader.take()?),
            acknowledged: u32::from_le_bytes(reader.take()?),
            time_ns: u64::from_le_bytes(reader.take()?),
        };
        match kind {
            HELLO => Ok(Self::Hello {
                header,
                token: u64::from_le_bytes(reader.take()?),
            }),
            STATE => {
                let position = reader.vector()?;
                let [x, y, z] = reader.vector()?.to_array();
                let rotation = DQuat::from_xyzw(x, y, z, reader.number()?);
                let pose = Pose::from_quaternion(rotation, position);
                let state = DeviceState {
                    time_ns: header.time_ns,
                    pose: pose.map_err(|_| PacketError::NotFinite)?,
                    linear_velocity: reader.vector()?,
                    angular_velocity: reader.vector()?,
                    gripper: reader.number()?,
                    buttons: u32::from_le_bytes(reader.take()?),
                };
                Ok(Self::State {
                    header,
                    state,
                    status: u32::from_le_bytes(reader.take()?),
                })
            }
            _ => Ok(Self::Wrench {
                header,
                wrench: Wrench {
                    force: reader.vector()?,
                    torque: reader.vector()?,
                },
                gripper: reader.number()?,
                flags: u32::from_le_bytes(reader.take()?),
            }),
        }
    }
}

struct Writer<'b> {
    buffer: &'b mut [u8; MAX_PACKET_BYTES],
    at: usize,
}

impl<'b> Writer<'b> {
    fn put(&mut self, bytes: &[u8]) {
        let end = self.at + bytes.len();
        if let Some(place) = self.buffer.get_mut(self.at..end) {
            place.copy_from_slice(bytes);
            self.at = end;
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        for number in numbers {
            self.put(&number.to_le_bytes());
        }
    }

    fn finish(mut self) -> &'b [u8] {
        let checksum = crc32(self.buffer.get(..self.at).unwrap_or_default());
        self.put(&checksum.to_le_bytes());
        self.buffer.get(..self.at).unwrap_or_default()
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], PacketError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let chunk = rest.first_chunk().ok_or(PacketError::Corrupt)?;
        self.at += N;
        Ok(*chunk)
    }

    fn number(&mut self) -> Result<f64, PacketError> {
        let number = f64::from_le_bytes(self.take()?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(PacketError::NotFinite)
        }
    }

    fn vector(&mut self) -> Result<DVec3, PacketError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }
}
