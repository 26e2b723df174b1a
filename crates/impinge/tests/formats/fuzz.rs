//! Damaged files give a model or an error, never anything else, and models that are whole.

use impinge::io::{Format, Model, ReadOptions, WriteOptions, read_bytes, write_bytes};
use impinge::math::Rng;
use impinge_testkit::file_seeds::file_seeds;

const OPTIONS: ReadOptions = ReadOptions {
    scale: 1.0,
    units: None,
    allow_empty: false,
    max_expanded_bytes: 1 << 20,
};

fn check_whole(model: &Model) {
    let (mesh, part_of_face) = model.merged();
    assert_eq!(mesh.face_count(), model.face_count());
    assert_eq!(part_of_face.len(), mesh.face_count());
    for part in &model.parts {
        assert!(!part.mesh.is_empty());
        assert!(
            part.polygons
                .as_ref()
                .is_none_or(|p| p.len() == part.mesh.face_count())
        );
    }
    // What was read can be written and is the same when read again.
    let text = write_bytes(model, Format::Obj, &WriteOptions::default()).unwrap();
    let again = read_bytes(&text, Format::Obj, &OPTIONS).unwrap();
    assert_eq!(again.merged().0, mesh);
}

fn damage(format: Format) {
    const FILES: u64 = 2000;
    let seeds: Vec<_> = file_seeds()
        .into_iter()
        .filter(|s| s.format == format)
        .collect();
    let mut read = 0;
    for number in 0..FILES {
        let mut rng = Rng::new(number);
        let seed = &seeds[number as usize % seeds.len()];
        let file = seed.damaged(&mut rng);
        match read_bytes(&file, format, &OPTIONS) {
            Ok(model) => {
                read += 1;
                check_whole(&model);
                assert_eq!(read_bytes(&file, format, &OPTIONS).unwrap(), model);
            }
            Err(e) => assert!(!e.fault.to_string().is_empty() && e.format == Some(format)),
        }
    }
    // The damage must neither destroy everything nor nothing, or the test tests nothing.
    assert!(
        read > FILES / 100 && read < FILES * 9 / 10,
        "{format}: {read} of {FILES} read"
    );
}

#[test]
fn damaged_obj_files_are_read_whole_or_refused() {
    damage(Format::Obj);
}

#[test]
fn damaged_stl_files_are_read_whole_or_refused() {
    damage(Format::Stl);
}

#[test]
fn damaged_ply_files_are_read_whole_or_refused() {
    damage(Format::Ply);
}

#[test]
fn damaged_off_files_are_read_whole_or_refused() {
    damage(Format::Off);
}

#[test]
fn damaged_3mf_files_are_read_whole_or_refused() {
    damage(Format::ThreeMf);
}

#[test]
fn damaged_gltf_files_are_read_whole_or_refused() {
    damage(Format::Gltf);
}

#[test]
fn damaged_glb_files_are_read_whole_or_refused() {
    damage(Format::Glb);
}

#[test]
fn files_read_as_another_format_are_refused_and_their_content_tells_the_right_one() {
    for seed in file_seeds() {
        let file = seed.file();
        let is_plain = !file.starts_with(&[0x1F, 0x8B]);
        for format in Format::ALL {
            if format == seed.format {
                continue;
            }
            match read_bytes(&file, format, &OPTIONS) {
                Ok(model) => panic!("{} made {model:?} as {format}", seed.format),
                Err(e) => assert!(!e.fault.to_string().is_empty() && e.format == Some(format)),
            }
            // OBJ alone has no signature and is believed to be what its name says.
            if is_plain && seed.format != Format::Obj {
                assert_eq!(Format::from_content(&file, Some(format)), Some(seed.format));
            }
        }
    }
}
