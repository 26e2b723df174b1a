//! Files: odd options, odd bytes, models put together by hand.

use std::sync::Arc;

use impinge::io::{
    FileNumbers, Format, Model, Part, ReadOptions, Unit, WriteOptions, read, read_bytes,
    write_bytes,
};
use impinge::math::{MAX_COORDINATE, Rng};
use impinge::{DVec3, TriMesh};
use impinge_testkit::file_seeds::file_seeds;

use crate::odd::{INDICES, ODD, odd_mesh};

#[test]
fn files_are_read_or_refused_with_odd_options() {
    for seed in file_seeds() {
        for scale in ODD {
            for max_expanded_bytes in [0, 1, 1 << 16] {
                let options = ReadOptions {
                    scale,
                    units: Some(Unit::Inch),
                    allow_empty: true,
                    max_expanded_bytes,
                };
                if let Ok(model) = read_bytes(&seed.file(), seed.format, &options) {
                    assert!(scale.is_finite() && scale > 0.0);
                    let (mesh, _) = model.merged();
                    assert!(
                        mesh.positions()
                            .iter()
                            .all(|p| p.abs().max_element() <= MAX_COORDINATE)
                    );
                }
            }
        }
    }
}

#[test]
fn bytes_of_any_kind_are_refused_by_every_format() {
    let mut rng = Rng::new(1);
    for format in Format::ALL {
        for n in [0, 1, 4, 80, 84, 200] {
            let noise: Vec<u8> = (0..n).map(|_| rng.next_u64() as u8).collect();
            for bytes in [noise, vec![0; n], vec![0xFF; n], vec![b' '; n]] {
                let _ = Format::from_content(&bytes, Some(format));
                let read = read_bytes(&bytes, format, &ReadOptions::default());
                assert!(read.is_err(), "{format} made a model of {bytes:?}");
            }
        }
    }
    assert!(read("no/such/file.stl", &ReadOptions::default()).is_err());
    assert!(read("", &ReadOptions::default()).is_err());
    assert!(Format::from_path("").is_none());
}

#[test]
fn numbers_around_two_to_the_32nd_are_refused_in_files() {
    let read = |text: &str, format| read_bytes(text.as_bytes(), format, &ReadOptions::default());
    for index in [
        "4294967295",
        "4294967296",
        "4294967298",
        "18446744073709551616",
        "-4294967297",
    ] {
        let obj = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {index}\n");
        assert!(read(&obj, Format::Obj).is_err(), "{index}");
        let off = format!("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 {index}\n");
        assert!(read(&off, Format::Off).is_err(), "{index}");
        let count = format!("OFF\n{index} 1 0\n0 0 0\n");
        assert!(read(&count, Format::Off).is_err(), "{index}");
        let header = "format ascii 1.0\nproperty float x\nproperty float y\nproperty float z\n";
        let ply = format!(
            "ply\n{}element vertex {index}\nend_header\n0 0 0\n",
            &header[..17]
        );
        assert!(read(&ply, Format::Ply).is_err(), "{index}");
    }
    for number in ["nan", "inf", "-inf", "1e308", "1e46", "1e999"] {
        let obj = format!("v 0 0 0\nv 1 {number} 0\nv 0 1 0\nf 1 2 3\n");
        assert!(read(&obj, Format::Obj).is_err(), "{number}");
        let off = format!("OFF\n3 1 0\n0 0 0\n1 {number} 0\n0 1 0\n3 0 1 2\n");
        assert!(read(&off, Format::Off).is_err(), "{number}");
    }
}

#[test]
fn models_put_together_by_hand_are_merged_and_written_or_refused() {
    let mut rng = Rng::new(2);
    for _ in 0..1000 {
        let mut part = |name: &str| {
            let mesh = odd_mesh(&mut rng, 5);
            let mut some = |n: usize| -> Vec<u32> {
                // Too few, too many, doubled and enormous numbers.
                (0..rng.below(n as u64 + 2))
                    .map(|_| INDICES[rng.below(INDICES.len() as u64) as usize])
                    .collect()
            };
            Part {
                name: name.into(),
                polygons: Some(some(mesh.face_count())),
                numbers: Some(FileNumbers {
                    faces: some(mesh.face_count()),
                    vertices: some(mesh.vertex_count()),
                }),
                mesh: Arc::unwrap_or_clone(mesh),
            }
        };
        let model = Model {
            parts: vec![part("a"), part("line\nbreak \u{0}"), part("")],
            loose_vertices: vec![(u32::MAX, DVec3::ONE), (0, DVec3::NAN)],
            ..Model::default()
        };
        let (mesh, part_of_face) = model.merged();
        assert_eq!(
            (mesh.face_count(), part_of_face.len()),
            (model.face_count(), mesh.face_count())
        );
        for format in Format::ALL {
            for ascii in [false, true] {
                let options = WriteOptions {
                    format: Some(Format::Ply),
                    ascii,
                };
                let _ = write_bytes(&model, format, &options);
            }
        }
    }
    let empty = Model::from(TriMesh::default());
    for format in Format::ALL {
        let _ = write_bytes(&empty, format, &WriteOptions::default());
    }
}
