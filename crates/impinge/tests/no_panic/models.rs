//! Generators with every silly parameter.

use impinge::DVec3;
use impinge::TriMesh;
use impinge::generate::{self, GenerateError, MAX_FACES, MODELS, NamedPart, Thread};
use impinge::math::Rng;

use crate::odd::{ODD, odd};

/// Counts that are too small, small, or far too large to be allocated.
const COUNTS: [u32; 9] = [0, 1, 2, 3, 4, 6, 1_000_000_000, u32::MAX - 1, u32::MAX];

fn check(made: Result<TriMesh, GenerateError>) -> bool {
    match made {
        Ok(mesh) => {
            assert!(mesh.face_count() as u64 <= MAX_FACES);
            assert!(mesh.positions().iter().all(|p| p.is_finite()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

fn check_parts(made: Result<Vec<NamedPart>, GenerateError>) -> bool {
    check(made.and_then(|parts| generate::merged(&parts)))
}

#[test]
fn every_model_refuses_absurd_counts_and_makes_small_ones() {
    for model in MODELS {
        for faces in [0, 1, 2, 3, 12, 100] {
            let _ = check(model.make(Some(faces), u64::MAX));
        }
        for faces in [
            usize::MAX,
            usize::MAX - 1,
            1 << 32,
            1 << 40,
            MAX_FACES as usize + 1,
        ] {
            assert!(
                model.make(Some(faces), 0).is_err(),
                "{} {faces}",
                model.name
            );
            assert!(
                model.parts(Some(faces), 0).is_err(),
                "{} {faces}",
                model.name
            );
        }
    }
    assert!(generate::model("no such model").is_none());
    assert!(generate::merged(&[]).is_ok());
}

#[test]
fn every_generator_answers_for_every_length_and_count() {
    let mut rng = Rng::new(1);
    let mut made = 0;
    let mut count = |ok: bool| made += u32::from(ok);
    for _ in 0..400 {
        let x: [f64; 4] = std::array::from_fn(|_| odd(&mut rng));
        let n: [u32; 5] = std::array::from_fn(|_| COUNTS[rng.below(COUNTS.len() as u64) as usize]);
        count(check(generate::ball(x[0], n[0], n[1])));
        count(check(generate::capsule(x[0], x[1], n[0], n[1])));
        count(check(generate::cylinder(x[0], x[1], n[0], n[1])));
        count(check(generate::hyperboloid(x[0], x[1], x[2], n[0], n[1])));
        count(check(generate::cone(x[0], x[1], n[0], n[1])));
        count(check(generate::torus(x[0], x[1], n[0], n[1])));
        count(check(generate::half_torus(x[0], x[1], n[0], n[1])));
        count(check(generate::icosphere(x[0], n[0])));
        count(check(generate::blob(n[0])));
        count(check(generate::cuboid(
            DVec3::new(x[0], x[1], x[2]),
            [n[0], n[1], n[2]],
        )));
        count(check(generate::cube_array([n[0], n[1], n[2]], x[0])));
        count(check(generate::lattice([n[0], n[1], n[2]], x[0])));
        count(check_parts(generate::cage(x[0], x[1], n[0])));
        count(check(generate::chazelle(n[0], x[0])));
        count(check(generate::tetrahedron(x[0])));
        count(check(generate::tetra_flake(x[0], n[0])));
        count(check(generate::menger_sponge(
            x[0],
            if n[0] == 4 { 2 } else { n[0] },
        )));
        count(check(generate::gear(n[0], n[1], x[0], x[1])));
        count(check(generate::soup(n[0], x[0], u64::MAX)));
        count(check(generate::pipes(n[0], n[1], n[2], n[3], 7)));
        count(check(generate::cloth(n[0], n[1])));
        count(check(generate::terrain(n[0], n[1], u64::MAX)));
        count(check(generate::car_shell(n[0], n[1])));
        count(check(generate::netting(n[0], n[1], x[0], u64::MAX)));
        count(check(generate::torus_knot(n[0], n[1], x[0], n[2], n[3])));
        count(check(generate::spring(x[0], x[1], x[2], n[0], n[1], n[2])));
        count(check(generate::net(n[0], n[1], x[0], n[2], n[3])));
        count(check(generate::vase(n[0], n[1], x[0])));
        count(check(generate::mushroom(n[0], n[1])));
        count(check_parts(generate::hand(n[0], n[1])));
        count(check_parts(generate::castle(n[0], n[1])));
        count(check_parts(generate::lock(n[0], n[1])));
        let thread = Thread {
            radius: x[0],
            depth: x[1],
            pitch: x[2],
            clearance: x[3],
            segments: n[0],
            rows: n[1],
        };
        let _ = thread.radius_at(n[2], n[3]);
        count(check(generate::screw(&thread, n[2])));
        count(check(generate::nut(&thread, n[2], n[3])));
    }
    assert!(made > 100, "only {made} models made");
}

#[test]
fn a_generator_with_lengths_refuses_what_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(ODD.iter().any(|x| x.to_bits() == bad.to_bits()));
        assert!(generate::ball(bad, 8, 4).is_err());
        assert!(generate::torus(bad, 0.1, 8, 4).is_err());
        assert!(generate::torus(1.0, bad, 8, 4).is_err());
        assert!(generate::cuboid(DVec3::new(1.0, bad, 1.0), [1, 1, 1]).is_err());
        assert!(generate::tetrahedron(bad).is_err());
        assert!(generate::soup(3, bad, 1).is_err());
        assert!(generate::cube_array([2, 2, 2], bad).is_err());
    }
}
