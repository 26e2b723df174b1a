//! A bridge for a driver with the calls of libnifalcon: reads positions, puts out forces, talks to the servo loop by UDP.
//!
//! `Falcon` stands for the driver: the same calls, with a simulated motor behind them. A real driver is linked in its place. Untested on hardware.
//!
//! ```sh
//! impinge haptics plane --device udp:4500
//! cargo run --example falcon_bridge -- 4500
//! ```

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use impinge::{DVec3, Pose};
use impinge_dynamics::device::bridge::{BridgePeer, STOP_FLAG};
use impinge_dynamics::device::{DeviceState, WindowVelocity};

/// What both sides say in the hello.
const TOKEN: u64 = 0x1357;
/// Most newtons that are handed to the motors.
const MAX_FORCE: f64 = 8.9;

/// The calls of libnifalcon's `FalconDevice` that a bridge needs.
trait FalconCalls {
    /// `open(0)`.
    fn open(&mut self) -> bool;
    /// `runIOLoop()`: one exchange with the firmware; false when it failed.
    fn run_io_loop(&mut self) -> bool;
    /// `getPosition()`, in metres from the middle of the workspace.
    fn position(&self) -> [f64; 3];
    /// `setForce(...)`, in newtons.
    fn set_force(&mut self, force: [f64; 3]);
    /// `getGrip(...)`: the four buttons as bits.
    fn buttons(&self) -> u32;
    /// `close()`.
    fn close(&mut self);
}

/// A stub with the same calls: a ball on a weak spring that swings up and down.
struct FalconStub {
    started: Instant,
    position: [f64; 3],
    force: [f64; 3],
}

impl FalconCalls for FalconStub {
    fn open(&mut self) -> bool {
        self.started = Instant::now();
        true
    }

    fn run_io_loop(&mut self) -> bool {
        let t = self.started.elapsed().as_secs_f64();
        let height = if t < 3.0 {
            0.03
        } else {
            0.0135 + 0.0165 * (2.0 * (t - 3.0)).cos()
        };
        // The hand gives way by a millimetre a newton.
        let way = self.force.map(|f| f * 1e-3);
        self.position = [way[0], way[1], height + way[2]];
        true
    }

    fn position(&self) -> [f64; 3] {
        self.position
    }

    fn set_force(&mut self, force: [f64; 3]) {
        self.force = force;
    }

    fn buttons(&self) -> u32 {
        0
    }

    fn close(&mut self) {
        self.force = [0.0; 3];
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().map_or(Ok(4500), |port| port.parse())?;
    let seconds: f64 = arguments
        .next()
        .map_or(Ok(10.0), |seconds| seconds.parse())?;
    let mut falcon = FalconStub {
        started: Instant::now(),
        position: [0.0; 3],
        force: [0.0; 3],
    };
    if !falcon.open() {
        return Err("the device does not open".into());
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut bridge = BridgePeer::connect(address, TOKEN)?;
    let mut velocity = WindowVelocity::default();
    let started = Instant::now();
    while started.elapsed().as_secs_f64() < seconds {
        // A driver that fails puts out no force; the servo loop's watchdog sees the silence.
        if !falcon.run_io_loop() {
            break;
        }
        let position = DVec3::from_array(falcon.position());
        let time_ns = u64::try_from(started.elapsed().as_nanos())?;
        let state = DeviceState {
            linear_velocity: velocity.update(time_ns, position),
            buttons: falcon.buttons(),
            ..DeviceState::at_rest(time_ns, Pose::from_translation(position)?)
        };
        // Nobody listens yet, or any more: go on without force.
        let sent = bridge.send(&state);
        match bridge.receive() {
            Ok(Some((wrench, flags))) => {
                let force = wrench.force.clamp_length_max(MAX_FORCE);
                falcon.set_force(force.to_array());
                if flags & STOP_FLAG != 0 {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => falcon.set_force([0.0; 3]),
        }
        if sent.is_err() {
            falcon.set_force([0.0; 3]);
        }
        std::thread::sleep(Duration::from_micros(900));
    }
    falcon.close();
    Ok(())
}
