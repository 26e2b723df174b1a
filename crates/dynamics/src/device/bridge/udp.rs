//! Both ends of a device bridge over UDP.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use thiserror::Error;

use super::packet::{Header, MAX_PACKET_BYTES, Packet, STOP_FLAG};
use super::packet_filter::{Dropped, Inbox};
use crate::Wrench;
use crate::device::{
    DeviceError, DeviceSpecification, DeviceState, HapticDevice, HeldWrench, Saturation,
};

/// Packets taken in one read, so that a flood cannot hold up a tick.
const MAX_PACKETS: usize = 64;

/// Why a bridge could not be set up or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// The socket could not be made or used.
    #[error("the bridge's socket failed: {0}")]
    Socket(#[from] io::Error),
}

/// A device whose driver is another process.
#[derive(Debug)]
pub struct BridgeDevice {
    specification: DeviceSpecification,
    socket: UdpSocket,
    token: u64,
    peer: Option<SocketAddr>,
    inbox: Inbox,
    newest: Option<DeviceState>,
    sequence: u32,
    now_ns: u64,
    held: HeldWrench,
}

impl BridgeDevice {
    /// A device that listens on this machine only, at a port; 0 lets the system choose one.
    ///
    /// # Errors
    /// [`BridgeError`] when the port is taken.
    pub fn on_loopback(
        specification: DeviceSpecification,
        port: u16,
        token: u64,
    ) -> Result<Self, BridgeError> {
        Self::on(specification, (Ipv4Addr::LOCALHOST, port).into(), token)
    }

    /// A device that listens at an address, which may be reachable from elsewhere: packets are neither encrypted nor
    /// signed.
    ///
    /// # Errors
    /// [`BridgeError`] when the address cannot be bound.
    ///
    /// ```
    /// use impinge_dynamics::device::{DeviceSpecification, bridge::BridgeDevice};
    /// let device = BridgeDevice::on(DeviceSpecification::falcon(), "127.0.0.1:0".parse()?, 5)?;
    /// assert!(device.peer().is_none() && device.last_wrench().force.length() == 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(
        specification: DeviceSpecification,
        address: SocketAddr,
        token: u64,
    ) -> Result<Self, BridgeError> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            specification,
            socket,
            token,
            peer: None,
            inbox: Inbox::default(),
            newest: None,
            sequence: 0,
            now_ns: 0,
            held: HeldWrench::default(),
        })
    }

    /// Where the device listens.
    ///
    /// # Errors
    /// [`BridgeError`] when the socket does not know.
    pub fn address(&self) -> Result<SocketAddr, BridgeError> {
        Ok(self.socket.local_addr()?)
    }

    /// The accepted peer.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// Rejected packets.
    #[must_use]
    pub fn dropped(&self) -> Dropped {
        self.inbox.dropped()
    }

    /// The last wrench written, as it was sent.
    #[must_use]
    pub fn last_wrench(&self) -> Wrench {
        self.held.wrench
    }

    fn take(&mut self, bytes: &[u8], sender: SocketAddr, now_ns: u64) {
        let Some(packet) = self.inbox.decode(bytes) else {
            return;
        };
        let is_peer = match (&packet, self.peer) {
            (Packet::Hello { token, .. }, None) => *token == self.token,
            (_, peer) => peer == Some(sender),
        };
        if !is_peer {
            self.inbox.dropped.stranger += 1;
            return;
        }
        self.peer = Some(sender);
        if self.inbox.is_newer(&packet)
            && let Packet::State { state, .. } = packet
        {
            self.newest = Some(DeviceState {
                time_ns: now_ns,
                ..state
            });
        }
    }

    fn send(&mut self, wrench: Wrench, flags: u32) -> Result<(), DeviceError> {
        let peer = self.peer.ok_or(DeviceError::Disconnected)?;
        let packet = Packet::Wrench {
            header: Header {
                device: 0,
                sequence: self.sequence,
                acknowledged: self.inbox.newest().unwrap_or(0),
                time_ns: self.now_ns,
            },
            wrench,
            gripper: 0.0,
            flags,
        };
        self.sequence = self.sequence.wrapping_add(1);
        let mut buffer = [0; MAX_PACKET_BYTES];
        match self.socket.send_to(packet.encode(&mut buffer), peer) {
            Ok(_) => Ok(()),
            // A full buffer loses one wrench; the next follows in a millisecond.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(_) => Err(DeviceError::Disconnected),
        }
    }
}

impl HapticDevice for BridgeDevice {
    fn specification(&self) -> &DeviceSpecification {
        &self.specification
    }

    fn read(&mut self, now_ns: u64) -> Result<DeviceState, DeviceError> {
        self.now_ns = now_ns;
        // One byte more than any packet, so that a longer one is not taken for a whole one.
        let mut buffer = [0; MAX_PACKET_BYTES + 1];
        for _ in 0..MAX_PACKETS {
            let Ok((size, sender)) = self.socket.recv_from(&mut buffer) else {
                break;
            };
            self.take(buffer.get(..size).unwrap_or_default(), sender, now_ns);
        }
        self.newest.ok_or(DeviceError::Disconnected)
    }

    fn write(&mut self, wrench: Wrench) -> Result<Saturation, DeviceError> {
        let saturation = self.held.write(&self.specification, wrench)?;
        self.send(self.held.wrench, 0)?;
        Ok(saturation)
    }

    fn stop(&mut self) {
        self.held.stop();
        // Whether or not it arrives, the driver must fade the force when wrenches stay away.
        let _ = self.send(Wrench::ZERO, STOP_FLAG);
    }
}

/// The driver's end of a bridge.
///
/// See the module's page for an example.
#[derive(Debug)]
pub struct BridgePeer {
    socket: UdpSocket,
    inbox: Inbox,
    sequence: u32,
}

impl BridgePeer {
    /// Requests a connection to a device.
    ///
    /// # Errors
    /// [`BridgeError`] when the socket cannot be made or the hello not be sent.
    pub fn connect(device: SocketAddr, token: u64) -> Result<Self, BridgeError> {
        let any: SocketAddr = if device.ip().is_loopback() {
            (device.ip(), 0).into()
        } else {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        };
        let socket = UdpSocket::bind(any)?;
        socket.connect(device)?;
        socket.set_nonblocking(true)?;
        let mut peer = Self {
            socket,
            inbox: Inbox::default(),
            sequence: 0,
        };
        let header = peer.header(0);
        peer.put(&Packet::Hello { header, token })?;
        Ok(peer)
    }

    fn header(&mut self, time_ns: u64) -> Header {
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        Header {
            device: 0,
            sequence,
            acknowledged: self.inbox.newest().unwrap_or(0),
            time_ns,
        }
    }

    fn put(&mut self, packet: &Packet) -> Result<(), BridgeError> {
        let mut buffer = [0; MAX_PACKET_BYTES];
        self.socket.send(packet.encode(&mut buffer))?;
        Ok(())
    }

    /// Sends a state.
    ///
    /// # Errors
    /// [`BridgeError`] when the socket failed.
    pub fn send(&mut self, state: &DeviceState) -> Result<(), BridgeError> {
        let packet = Packet::State {
            header: self.header(state.time_ns),
            state: *state,
            status: 0,
        };
        self.put(&packet)
    }

    /// The newest wrench since the last call and its flags; none when nothing new has arrived.
    ///
    /// # Errors
    /// [`BridgeError`] when the socket failed.
    pub fn receive(&mut self) -> Result<Option<(Wrench, u32)>, BridgeError> {
        let mut newest = None;
        let mut buffer = [0; MAX_PACKET_BYTES + 1];
        for _ in 0..MAX_PACKETS {
            let size = match self.socket.recv(&mut buffer) {
                Ok(size) => size,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            };
            let bytes = buffer.get(..size).unwrap_or_default();
            if let Some(Packet::Wrench { wrench, flags, .. }) = self.inbox.accept(bytes) {
                newest = Some((wrench, flags));
            }
        }
        Ok(newest)
    }
}
