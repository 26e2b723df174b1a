//! Contact response: haptic rendering, rigid and soft bodies, on top of the queries of [`impinge`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`device`] | the device trait, simulated devices, profiles, velocity, UDP bridge, logical devices |
//! | [`penalty`] | the point penalty method: the baseline, with its three failures |
//! | [`proxy`] | the god-object: a point proxy that never passes through a mesh |
//! | [`law`] | contact laws of a tool: exact volume, sphere trees, voxels, depth |
//! | [`coupling`] | a tool of six degrees of freedom on a spring, quasi-static and dynamic |
//! | [`guard`] | a rigid tool that never passes a surface |
//! | [`workspace`] | several users and hands among bodies, forces by pair lists |
//! | [`friction`] | stiction, Coulomb and viscous friction of the proxy |
//! | [`shading`] | interpolated normals, so that a mesh feels smooth |
//! | [`effect`] | viscosity, magnet, vibration, stick-slip, texture |
//! | [`stability`] | passivity observer and controllers, limiters, watchdog, Colgate condition |
//! | [`rate`] | the servo loop and its statistics, with an injected clock |
//! | [`session`] | renderer, controller, limits and watchdog in one tick |
//! | [`record`] | recordings that replay byte for byte |
//! | [`rigid`] | rigid bodies: free flight, contact by sequential impulses, friction, sleeping |
//! | [`adapter`] | one trait for physics engines; a grip of two fingers |
//! | [`soft`] | cloth, nets and soft solids (XPBD) that never cross what they touch |
//! | [`sphere_spring`] | soft bodies of spheres and springs that exchange volume; a hand |
//! | [`study`] | user studies: statistics, protocol, questionnaires, simulated operators, a game |
//!
//! All quantities are in SI units: metres, seconds, newtons. Times are whole nanoseconds of a clock
//! that the caller owns; this crate reads no clock by itself. Code on the servo path does not
//! allocate, lock or free; invalid input is refused by the constructors.

pub mod adapter;
pub mod coupling;
mod crc32;
pub mod device;
pub mod effect;
pub mod friction;
pub mod guard;
pub mod law;
pub mod penalty;
pub mod proxy;
mod quantity;
pub mod rate;
pub mod record;
pub mod rigid;
pub mod session;
pub mod shading;
pub mod soft;
pub mod sphere_spring;
pub mod stability;
pub mod study;
pub mod workspace;
mod wrench;

pub use quantity::QuantityError;
pub use wrench::Wrench;

/// The Rust code in the guide's pages about haptics, compiled and run as documentation tests.
#[cfg(doctest)]
mod guide {
    macro_rules! pages {
        ($($name:ident $file:literal),* $(,)?) => {
            $(
                #[doc = include_str!(concat!("../../../docs/guide/", $file))]
                struct $name;
            )*
        };
    }

    pages! {
        FirstMesh "feel-your-first-mesh.md",
        Law "which-contact-law.md",
        Stable "is-it-stable.md",
        Hands "two-users-four-hands.md",
    }
}

/// Nanoseconds of a second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// Nanoseconds of a millisecond.
pub const MILLISECOND_NS: u64 = 1_000_000;

/// Seconds from `start_ns` to `end_ns`, 0 when the end is earlier.
///
/// ```
/// assert_eq!(impinge_dynamics::seconds_between(500_000_000, 2_000_000_000), 1.5);
/// ```
#[must_use]
pub fn seconds_between(start_ns: u64, end_ns: u64) -> f64 {
    end_ns.saturating_sub(start_ns) as f64 / SECOND_NS as f64
}
