//! Where every test runs: as twins, and on all devices there are.

use std::io::Write;

use impinge_gpu::{Backend, Devices, GpuError};

/// All devices; says so where there is none, past the test harness, which hides what is printed.
pub(crate) fn devices() -> Vec<Backend> {
    match Devices::all() {
        Ok(mut devices) => (0..devices.infos().len())
            .map(|i| Backend::on(devices.open(i).unwrap()))
            .collect(),
        Err(GpuError::NoAdapter) => {
            let _ = writeln!(std::io::stderr(), "no Vulkan driver: twins only");
            Vec::new()
        }
        Err(error) => panic!("{error}"),
    }
}

/// The twin, then all devices.
pub(crate) fn backends() -> Vec<Backend> {
    let mut all = vec![Backend::twin()];
    all.extend(devices());
    all
}

/// Numbers from a seed: SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// In [-1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(self.word()) / f64::from(1_u32 << 31) - 1.0
    }
}

#[test]
fn an_adapter_that_does_not_exist_is_a_named_error() {
    match Devices::all() {
        Ok(mut devices) => {
            let beyond = devices.infos().len();
            assert_eq!(devices.open(beyond).unwrap_err(), GpuError::NoAdapter);
        }
        Err(error) => assert_eq!(error, GpuError::NoAdapter),
    }
}

#[test]
fn wrong_bindings_and_ranges_are_refused() {
    for mut backend in backends() {
        let buffer = backend.alloc(4).unwrap();
        let kernel = &impinge_gpu::primitives::GATHER;
        let dispatch = impinge_gpu::Dispatch::new(1, &[4]);
        let twice = backend.run(kernel, &dispatch, &[buffer, buffer, buffer]);
        assert!(matches!(
            twice,
            Err(GpuError::Binding {
                kernel: "gather",
                ..
            })
        ));
        let few = backend.run(kernel, &dispatch, &[buffer]);
        assert!(matches!(few, Err(GpuError::Binding { .. })));
        assert!(matches!(
            backend.read(buffer, 2..5),
            Err(GpuError::OutOfRange { .. })
        ));
        assert!(matches!(
            backend.write(buffer, &[0; 5]),
            Err(GpuError::OutOfRange { .. })
        ));
        let limit = backend.max_words();
        let huge = backend.alloc(limit as usize + 1);
        assert!(matches!(huge, Err(GpuError::TooLarge { .. })));
        assert_eq!(backend.read(buffer, 0..4).unwrap(), [0; 4]);
        backend.free(buffer);
    }
}

#[test]
fn a_lost_device_is_a_named_error() {
    for mut backend in devices() {
        let buffer = backend.upload(&[1, 2, 3]).unwrap();
        backend.lose();
        assert!(matches!(
            backend.read(buffer, 0..3),
            Err(GpuError::DeviceLost(_))
        ));
        assert!(matches!(backend.alloc(3), Err(GpuError::DeviceLost(_))));
    }
}
