//! The UDP bridge: bytes, loss, strangers.

use std::net::UdpSocket;
use std::time::Duration;

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::device::bridge::{
    BridgeDevice, BridgePeer, Dropped, HELLO_BYTES, Header, Inbox, MAX_PACKET_BYTES, Packet,
    PacketError, STATE_BYTES, STOP_FLAG, WRENCH_BYTES,
};
use impinge_dynamics::device::{DeviceError, DeviceSpecification, DeviceState, HapticDevice};
use impinge_dynamics::stability::{FaultCause, Watchdog};
use impinge_dynamics::{MILLISECOND_NS, Wrench};

fn state_packet(sequence: u32, time_ns: u64) -> Packet {
    let pose = Pose::from_translation([f64::from(sequence), 0.0, 0.0]).unwrap();
    let header = Header {
        device: 3,
        sequence,
        acknowledged: 7,
        time_ns,
    };
    Packet::State {
        header,
        state: DeviceState::at_rest(time_ns, pose),
        status: 9,
    }
}

fn bytes_of(packet: &Packet) -> Vec<u8> {
    packet.encode(&mut [0; MAX_PACKET_BYTES]).to_vec()
}

#[test]
fn packets_have_their_sizes_and_come_back() {
    let mut rng = Rng::new(1);
    for sequence in 0..200 {
        let header = Header {
            device: 65_000,
            sequence,
            acknowledged: u32::MAX,
            time_ns: rng.next_u64(),
        };
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), rng.cube());
        let state = DeviceState {
            time_ns: header.time_ns,
            pose: pose.unwrap(),
            linear_velocity: rng.cube(),
            angular_velocity: rng.cube(),
            buttons: 0xabcd_0001,
            gripper: rng.range(0.0, 1.0),
        };
        let sent = Packet::State {
            header,
            state,
            status: 5,
        };
        let bytes = bytes_of(&sent);
        assert_eq!(bytes.len(), STATE_BYTES);
        let back = match Packet::decode(&bytes) {
            Ok(Packet::State { state, .. }) => Some(state),
            _ => None,
        };
        let back = back.unwrap();
        // The rotation goes through a quaternion; everything else is the same bits.
        let apart = *back.pose.rotation() - *state.pose.rotation();
        assert!(apart.abs_diff_eq(impinge::DMat3::ZERO, 1e-15 * 8.0));
        assert_eq!(back.pose.translation(), state.pose.translation());
        assert_eq!(
            DeviceState {
                pose: state.pose,
                ..back
            },
            state
        );

        let sent = Packet::Wrench {
            header,
            wrench: Wrench {
                force: rng.cube(),
                torque: rng.cube(),
            },
            gripper: 0.25,
            flags: STOP_FLAG,
        };
        let bytes = bytes_of(&sent);
        assert_eq!(
            (bytes.len(), Packet::decode(&bytes)),
            (WRENCH_BYTES, Ok(sent))
        );
        let sent = Packet::Hello { header, token: 99 };
        let bytes = bytes_of(&sent);
        assert_eq!(
            (bytes.len(), Packet::decode(&bytes)),
            (HELLO_BYTES, Ok(sent))
        );
    }
}

#[test]
fn damaged_packets_and_noise_are_refused() {
    let packet = state_packet(5, 6);
    let bytes = bytes_of(&packet);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert_eq!(Packet::decode(&changed), Err(PacketError::Corrupt));
        }
        assert!(Packet::decode(&bytes[..at]).is_err());
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Packet::decode(&longer), Err(PacketError::Corrupt));
    let mut rng = Rng::new(2);
    for _ in 0..50_000 {
        let length = rng.below(160) as usize;
        let mut noise: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        for (byte, good) in noise.iter_mut().zip(&bytes).take(rng.below(30) as usize) {
            *byte = *good;
        }
        assert!(Packet::decode(&noise).is_err());
    }
    // Whole and with a valid checksum, but with numbers that are none.
    let mut inbox = Inbox::default();
    for broken in [f64::NAN, f64::INFINITY] {
        let wrench = Packet::Wrench {
            header: Header::default(),
            wrench: Wrench::from_force(DVec3::X * broken),
            gripper: 0.0,
            flags: 0,
        };
        assert_eq!(inbox.accept(&bytes_of(&wrench)), None);
    }
    assert_eq!(inbox.dropped().not_finite, 2);
    assert_eq!(inbox.newest(), None);
}

#[test]
fn sequence_numbers_may_wrap() {
    let mut inbox = Inbox::default();
    for sequence in [u32::MAX - 1, u32::MAX, 0, 1] {
        assert!(
            inbox
                .accept(&bytes_of(&state_packet(sequence, 0)))
                .is_some()
        );
    }
    assert!(
        inbox
            .accept(&bytes_of(&state_packet(u32::MAX, 0)))
            .is_none()
    );
    assert_eq!(inbox.dropped().old, 1);
}

/// Sends a state each millisecond over a bad line; what the receiver saw, and whether the watchdog barked.
fn bad_line(gap: std::ops::Range<u32>, seed: u64) -> (Dropped, Vec<u32>, Option<FaultCause>) {
    let mut rng = Rng::new(seed);
    let ticks = 5000_u32;
    // (arrival, sequence)
    let mut line: Vec<(u32, u32)> = Vec::new();
    for sequence in 0..ticks {
        let arrival = sequence + rng.below(3) as u32;
        if rng.below(100) == 0 || gap.contains(&sequence) {
            continue;
        }
        line.push((arrival, sequence));
        if rng.below(50) == 0 {
            line.push((arrival + 1, sequence));
        }
    }
    let mut inbox = Inbox::default();
    let mut watchdog = Watchdog::default();
    let (mut taken, mut newest_ns) = (Vec::new(), 0);
    for tick in 0..ticks {
        let now_ns = u64::from(tick) * MILLISECOND_NS;
        for &(_, sequence) in line.iter().filter(|(arrival, _)| *arrival == tick) {
            if inbox
                .accept(&bytes_of(&state_packet(sequence, 0)))
                .is_some()
            {
                taken.push(sequence);
                newest_ns = now_ns;
            }
        }
        watchdog.guard(now_ns, now_ns, newest_ns, Wrench::ZERO);
    }
    let fault = watchdog.fault().map(|fault| fault.cause);
    (inbox.dropped(), taken, fault)
}

#[test]
fn loss_and_reordering_are_borne_and_a_gap_is_noticed() {
    for seed in 0..5 {
        let (dropped, taken, fault) = bad_line(0..0, seed);
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(dropped.old > 100 && dropped.duplicate > 10 && dropped.corrupt == 0);
        assert_eq!(fault, None);
        let (_, taken, fault) = bad_line(2000..2020, seed);
        assert!(
            taken
                .iter()
                .all(|sequence| !(2000..2020).contains(sequence))
        );
        assert!(matches!(fault, Some(FaultCause::NoPose { .. })));
    }
}

/// Asks until something comes, for at most two seconds.
fn eventually<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let mut asked = (0..2000).map(|_| {
        std::thread::sleep(Duration::from_millis(1));
        ask()
    });
    asked.find_map(|answer| answer).unwrap()
}

#[test]
fn a_state_goes_one_way_and_a_wrench_the_other() {
    let falcon = DeviceSpecification::falcon();
    let mut device = BridgeDevice::on_loopback(falcon, 0, 42).unwrap();
    let address = device.address().unwrap();
    assert!(address.ip().is_loopback());
    assert_eq!(device.read(0), Err(DeviceError::Disconnected));
    assert_eq!(device.write(Wrench::ZERO), Err(DeviceError::Disconnected));

    // Someone without the token, and someone who does not say hello.
    let mut wrong = BridgePeer::connect(address, 41).unwrap();
    wrong
        .send(&DeviceState::at_rest(0, Pose::IDENTITY))
        .unwrap();
    let rude = UdpSocket::bind("127.0.0.1:0").unwrap();
    rude.send_to(b"hello?", address).unwrap();
    eventually(|| {
        let _ = device.read(0);
        (device.dropped().total() == 3).then_some(())
    });
    assert_eq!(
        (device.dropped().stranger, device.dropped().corrupt),
        (2, 1)
    );
    assert_eq!(device.peer(), None);

    let mut driver = BridgePeer::connect(address, 42).unwrap();
    let sent = DeviceState::at_rest(77, Pose::from_translation([1.0, 2.0, 3.0]).unwrap());
    driver.send(&sent).unwrap();
    let state = eventually(|| device.read(5 * MILLISECOND_NS).ok());
    // Its time is that of its arrival.
    let expected = DeviceState {
        time_ns: 5 * MILLISECOND_NS,
        ..sent
    };
    assert_eq!(state, expected);
    // A second peer is a stranger, token or not.
    let mut late = BridgePeer::connect(address, 42).unwrap();
    late.send(&DeviceState::at_rest(1, Pose::IDENTITY)).unwrap();
    eventually(|| {
        let _ = device.read(6 * MILLISECOND_NS);
        (device.dropped().stranger == 4).then_some(())
    });
    assert_eq!(device.read(6 * MILLISECOND_NS), Ok(expected));

    let saturation = device.write(Wrench::from_force(DVec3::X * 50.0)).unwrap();
    assert!(saturation.force);
    let (wrench, flags) = eventually(|| driver.receive().unwrap());
    assert_eq!((wrench.force, flags), (DVec3::X * 10.0, 0));
    device.stop();
    let (wrench, flags) = eventually(|| driver.receive().unwrap());
    assert_eq!((wrench, flags), (Wrench::ZERO, STOP_FLAG));
    assert_eq!(device.write(Wrench::ZERO), Err(DeviceError::Stopped));
}
