//! Devices behind a UDP socket: a driver in another process sends states and gets wrenches.
//!
//! **Question.** How is a device used whose driver cannot be linked into this program?
//! **Idea.** Small packets of fixed size with a sequence number and a checksum; only the newest state counts, so
//! there are no retransmissions and no waiting.
//! **Promise.** Packets that are old, duplicate, damaged or not finite are dropped and counted. One peer is
//! accepted, by a token; by default the socket is bound to this machine.
//! **Limits.** No encryption. A state's time is that of its arrival, because the peer has another clock.
//!
//! All numbers are little-endian. Header, 24 bytes: `IHP1`, version u8, kind u8, device u16, sequence u32,
//! acknowledged u32, time ns u64. Hello, kind 0, 36 bytes: header, token u64, CRC-32. State, kind 1, 148 bytes: header,
//! position 3, quaternion x y z w, velocity 3, angular velocity 3, gripper as f64, buttons u32, status u32, CRC-32. Wrench, kind 2, 88
//! bytes: header, force 3, torque 3, gripper as f64, flags u32, CRC-32.
//!
//! ```
//! use impinge::{DVec3, Pose};
//! use impinge_dynamics::{Wrench, device::{DeviceSpecification, DeviceState, HapticDevice}};
//! use impinge_dynamics::device::bridge::{BridgeDevice, BridgePeer};
//! let mut device = BridgeDevice::on_loopback(DeviceSpecification::falcon(), 0, 1234)?;
//! let mut driver = BridgePeer::connect(device.address()?, 1234)?;
//! driver.send(&DeviceState::at_rest(5, Pose::from_translation([0.0, 0.01, 0.0])?))?;
//! // The servo loop polls again and again; datagrams on one machine arrive at once, or soon.
//! let state = (0..1000).find_map(|tick| {
//!     std::thread::sleep(std::time::Duration::from_micros(100));
//!     device.read(tick).ok()
//! });
//! assert_eq!(state.map(|s| s.pose.translation()), Some(DVec3::Y * 0.01));
//! device.write(Wrench::from_force(DVec3::X))?;
//! # let _ = driver.receive()?;
//! assert_eq!(device.dropped().total(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod packet;
mod packet_filter;
mod udp;

pub use packet::{
    BRIDGE_VERSION, HELLO_BYTES, Header, MAX_PACKET_BYTES, Packet, PacketError, STATE_BYTES,
    STOP_FLAG, WRENCH_BYTES,
};
pub use packet_filter::{Dropped, Inbox};
pub use udp::{BridgeDevice, BridgeError, BridgePeer};
