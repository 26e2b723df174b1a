//! Formats of plain meshes, and what all formats have in common.

use impinge::io::{
    self, FilePlace, Format, Model, Part, ReadFault, ReadOptions, Unit, WriteError, WriteOptions,
    read_bytes, write_bytes,
};
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};
use impinge_testkit::file_seeds::{file_seeds, gzip, three_mf};

use super::{Folder, read, refusal};

const TEXT: WriteOptions = WriteOptions {
    format: None,
    ascii: true,
};

fn bits(mesh: &TriMesh) -> (Vec<[u64; 3]>, Vec<[u32; 3]>) {
    let positions = mesh.positions().iter();
    (
        positions.map(|p| p.to_array().map(f64::to_bits)).collect(),
        mesh.faces().to_vec(),
    )
}

/// Face by face, for formats that share no vertices.
fn corner_bits(mesh: &TriMesh) -> Vec<[[u64; 3]; 3]> {
    let bits = |corners: [DVec3; 3]| corners.map(|p| p.to_array().map(f64::to_bits));
    mesh.triangles().map(bits).collect()
}

/// A mesh with awkward coordinates: denormals, negative zero, the largest allowed.
fn awkward_mesh(rng: &mut Rng, single: bool) -> TriMesh {
    let special = [
        0.0,
        -0.0,
        1.0,
        0.1,
        -1e-310,
        5e-324,
        1e16,
        123_456_789.123_456_79,
        1e-5,
        9.999e-6,
        impinge::math::MAX_COORDINATE,
    ];
    let count = 3 + rng.below(20) as usize;
    let mut coordinate = || {
        let x = match rng.below(3) {
            0 => special[rng.below(special.len() as u64) as usize],
            1 => rng.range(-1.0, 1.0),
            _ => rng.grid(-5, 5),
        };
        if single {
            f64::from(x.clamp(-3e38, 3e38) as f32)
        } else {
            x
        }
    };
    let positions: Vec<DVec3> = (0..count)
        .map(|_| DVec3::new(coordinate(), coordinate(), coordinate()))
        .collect();
    let mut corner = || rng.below(count as u64) as u32;
    let faces = (0..count).map(|_| [corner(), corner(), corner()]).collect();
    TriMesh::new(positions, faces).unwrap()
}

#[test]
fn every_seed_holds_the_faces_and_parts_it_was_made_with() {
    for seed in file_seeds() {
        let label = format!("{} {}", seed.format, seed.name);
        let model = read(seed.file(), seed.format).unwrap_or_else(|e| panic!("{label}: {e}"));
        assert_eq!(model.face_count(), seed.faces, "{label}");
        assert_eq!(model.parts.len(), seed.parts, "{label}");
        let (mesh, part_of_face) = model.merged();
        assert_eq!(mesh.face_count(), seed.faces, "{label}");
        assert_eq!(part_of_face.len(), seed.faces, "{label}");
        for part in &model.parts {
            if let Some(polygons) = &part.polygons {
                assert_eq!(polygons.len(), part.mesh.face_count(), "{label}");
            }
        }
    }
}

#[test]
fn every_seed_is_recognised_by_its_content() {
    for seed in file_seeds() {
        let bytes = seed.file();
        if seed.name != "gzip" {
            let found = Format::from_content(&bytes, None);
            assert_eq!(found, Some(seed.format), "{}", seed.name);
        }
    }
}

#[test]
fn merging_restores_the_order_of_the_file_even_when_groups_interleave() {
    let text = "v 0 0 0\nv 1 0 0\nv 7 7 7\nv 0 1 0\nv 0 0 1\ng left\nf 1 2 4\ng right\nf 1 2 5\ng left\nf 2 4 5\n";
    let model = read(text, Format::Obj).unwrap();
    let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["left", "right"]);
    assert_eq!(model.parts[0].mesh.vertex_count(), 4);
    assert_eq!(model.parts[1].mesh.vertex_count(), 3);
    assert_eq!(model.parts[0].numbers.as_ref().unwrap().faces, [0, 2]);
    assert_eq!(model.loose_vertices, [(2, DVec3::splat(7.0))]);
    let (mesh, part_of_face) = model.merged();
    assert_eq!(mesh.faces(), [[0, 1, 3], [0, 1, 4], [1, 3, 4]]);
    assert_eq!(mesh.vertex_count(), 5);
    assert_eq!(part_of_face, [0, 1, 0]);
    // Written and read again, nothing has changed.
    let again = write_bytes(&model, Format::Obj, &WriteOptions::default()).unwrap();
    assert_eq!(read(again, Format::Obj).unwrap(), model);
}

#[test]
fn parts_that_no_longer_fit_their_numbers_simply_follow_one_another() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no a\nf 1 2 3\no b\nf 1 2 4\n";
    let mut model = read(text, Format::Obj).unwrap();
    assert_eq!(model.merged().0.vertex_count(), 4);
    let moved = impinge::Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
    model.parts[1].mesh = model.parts[1].mesh.placed(&moved).unwrap();
    let (mesh, part_of_face) = model.merged();
    assert_eq!(mesh.vertex_count(), 6);
    assert_eq!(mesh.faces(), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(part_of_face, [0, 1]);
    model.parts[0].numbers.as_mut().unwrap().faces[0] = u32::MAX;
    assert_eq!(model.merged().0.face_count(), 2);
}

#[test]
fn a_single_part_keeps_all_vertices_in_input_order() {
    let model = read("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n", Format::Obj).unwrap();
    assert_eq!(model.parts[0].mesh.vertex_count(), 4);
    assert_eq!(model.parts[0].mesh.faces(), [[1, 2, 3]]);
    assert!(model.loose_vertices.is_empty());
}

#[test]
fn concave_polygons_keep_their_area_and_know_their_polygon() {
    // An L of area 3 whose fan from the first corner would leave the shape, after a triangle.
    let text =
        "v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 5 5 5\nf 1 2 7\nf 3 4 5 6 1 2\n";
    let model = read(text, Format::Obj).unwrap();
    let part = &model.parts[0];
    assert_eq!(part.polygons.as_deref(), Some(&[0, 1, 1, 1, 1][..]));
    let area: f64 = part
        .mesh
        .face_ids()
        .skip(1)
        .map(|f| {
            let [a, b, c] = part.mesh.face(f).unwrap();
            let n = (b - a).cross(c - a);
            assert!(n.z > 0.0);
            n.z / 2.0
        })
        .sum();
    assert_eq!(area, 3.0);
}

#[test]
fn formats_with_doubles_read_back_bit_for_bit() {
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        let mesh = awkward_mesh(&mut rng, false);
        let model = Model::from(mesh.clone());
        for (format, options) in [
            (Format::Obj, WriteOptions::default()),
            (Format::Off, WriteOptions::default()),
            (Format::Ply, WriteOptions::default()),
            (Format::Ply, TEXT),
        ] {
            let bytes = write_bytes(&model, format, &options).unwrap();
            let again = read(&bytes, format).unwrap();
            assert_eq!(bits(&again.parts[0].mesh), bits(&mesh), "{format}");
        }
        // STL has no shared vertices: compare corner by corner.
        let bytes = write_bytes(&model, Format::Stl, &TEXT).unwrap();
        let again = read(&bytes, Format::Stl).unwrap();
        assert_eq!(corner_bits(&again.parts[0].mesh), corner_bits(&mesh));
    }
}

#[test]
fn formats_with_singles_read_back_exactly_what_singles_can_hold() {
    let mut rng = Rng::new(2);
    for _ in 0..300 {
        let mesh = awkward_mesh(&mut rng, true);
        let model = Model::from(mesh.clone());
        let bytes = write_bytes(&model, Format::Glb, &WriteOptions::default()).unwrap();
        assert_eq!(
            bits(&read(&bytes, Format::Glb).unwrap().parts[0].mesh),
            bits(&mesh)
        );
        let bytes = write_bytes(&model, Format::Stl, &WriteOptions::default()).unwrap();
        let again = read(&bytes, Format::Stl).unwrap();
        assert_eq!(corner_bits(&again.parts[0].mesh), corner_bits(&mesh));
    }
}

#[test]
fn named_parts_survive_obj_glb_and_text_stl() {
    let mut rng = Rng::new(3);
    let parts: Vec<Part> = ["body", "arm \"left\"", "body", "Ärmel"]
        .iter()
        .map(|name| {
            // A part read back holds only the vertices it uses.
            let mesh = awkward_mesh(&mut rng, true);
            let soup: Vec<DVec3> = mesh.triangles().flatten().collect();
            let faces = (0..soup.len() as u32 / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
            Part::new(*name, TriMesh::new(soup, faces.collect()).unwrap())
        })
        .collect();
    let model = Model::from(parts);
    for (format, options) in [
        (Format::Obj, WriteOptions::default()),
        (Format::Glb, WriteOptions::default()),
        (Format::Stl, TEXT),
    ] {
        let bytes = write_bytes(&model, format, &options).unwrap();
        let again = read(&bytes, format).unwrap();
        assert_eq!(again.parts.len(), 4, "{format}");
        for (a, b) in again.parts.iter().zip(&model.parts) {
            assert_eq!(bits(&a.mesh), bits(&b.mesh), "{format}");
        }
        let names: Vec<&str> = again.parts.iter().map(|p| p.name.as_str()).collect();
        let third = if format == Format::Obj {
            "body.2"
        } else {
            "body"
        };
        assert_eq!(names, ["body", "arm \"left\"", third, "Ärmel"], "{format}");
    }
}

#[test]
fn obj_reads_its_odd_corners() {
    // Faces before their vertices, tabs, carriage returns, a weight, lone carriage-return lines.
    let forward = read(
        "f 1 2 3\r\nv\t0 0 0 \r\n v 2 0 0 2\r\nv 0 +1. .0e0\r\n",
        Format::Obj,
    )
    .unwrap();
    assert_eq!(forward.parts[0].mesh.positions()[1], DVec3::X);
    let mac = read("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", Format::Obj).unwrap();
    assert_eq!(mac.face_count(), 1);
    let both = read(
        "o a\ng x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng y\nf 1 3 2\no b\ng\nf 1 2 3\n",
        Format::Obj,
    )
    .unwrap();
    let names: Vec<&str> = both.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a/x", "a/y", "b"]);
    let counted = read("3 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj).unwrap();
    assert_eq!(counted.notes, ["skipped: line 1, '3 1', taken for counts"]);
    let lines = read(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\nl 2 3\n",
        Format::Obj,
    )
    .unwrap();
    assert_eq!(lines.notes, ["skipped: line (×2)"]);
}

#[test]
fn refusals_name_the_place_and_the_reason() {
    let cases: Vec<(&str, Format, &str)> = vec![
        (
            "v 0 0 0\nv 0 nan 0\n",
            Format::Obj,
            "OBJ, line 2: vertex 1 has a coordinate that is not finite: NaN",
        ),
        (
            "v 1e999 0 0\n",
            Format::Obj,
            "OBJ, line 1: vertex 0 has a coordinate that is not finite: inf",
        ),
        (
            "v 1e46 0 0\n",
            Format::Obj,
            "OBJ, line 1: vertex 0 has coordinate 1e46, beyond the largest allowed magnitude",
        ),
        (
            "v 0,5 0 0\n",
            Format::Obj,
            "OBJ, line 1: expected a number, found '0,5' (decimal comma?",
        ),
        (
            "v 0 0\n",
            Format::Obj,
            "OBJ, line 1: the line ends where the z coordinate is expected",
        ),
        (
            "v 0 0 0\nf 1 1 2\n",
            Format::Obj,
            "OBJ, line 2: vertex 2 does not exist: the file has 1",
        ),
        (
            "v 0 0 0\nf 1 1 0\n",
            Format::Obj,
            "OBJ, line 2: vertices are numbered from 1, so 0 names none",
        ),
        (
            "v 0 0 0\nf 1 1 -2\n",
            Format::Obj,
            "OBJ, line 2: vertex -2 does not exist: 1 are defined up to here",
        ),
        (
            "v 0 0 0\nf 1 1\n",
            Format::Obj,
            "OBJ, line 2: a face needs at least 3 corners, this one has 2",
        ),
        (
            "v 0 0 0\nx 1\n",
            Format::Obj,
            "OBJ, line 2: 'x' is not an OBJ statement",
        ),
        (
            "v 0 0 0\nf 1 1 1x\n",
            Format::Obj,
            "OBJ, line 2: expected a corner such as 7, 7/1 or 7//2, found '1x'",
        ),
        (
            "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n",
            Format::Off,
            "OFF, line 2: 3 vertices and 1 faces are declared, but only",
        ),
        (
            "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
            Format::Off,
            "OFF, line 6: vertex 3 does not exist: there are 3, numbered from 0",
        ),
        (
            "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n",
            Format::Off,
            "OFF, line 7: content follows the last of the 1 declared faces",
        ),
        (
            "4OFF\n3 1 0\n",
            Format::Off,
            "OFF, line 1: this variant of OFF ('4OFF') is not read",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
            Format::Ply,
            "PLY, line 3: 4000000000 rows of element 'vertex' are declared, but only",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
            Format::Ply,
            "PLY, line 3: element 'vertex' has no number property 'z'",
        ),
        (
            "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n",
            Format::Ply,
            "PLY, line 3: element 'vertex' has no number property 'x'",
        ),
        (
            "ply\nend_header\n",
            Format::Ply,
            "PLY, line 2: the header has no 'format' line",
        ),
        (
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
            Format::Stl,
            "STL, line 6: expected 'vertex', found 'endloop'; a facet needs three vertices",
        ),
        ("", Format::Stl, "STL: the file is empty"),
        ("v 0 0 0\n", Format::Obj, "OBJ: the file holds no faces"),
        (
            "{}",
            Format::Gltf,
            "glTF: the JSON document: missing field `asset` at line 1 column 2",
        ),
        (
            r#"{"asset":{"version":"1.0"}}"#,
            Format::Gltf,
            "glTF: glTF version 1.0 is not read, only 2.0",
        ),
        (
            r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"]}"#,
            Format::Gltf,
            "glTF: the file requires the extension KHR_draco_mesh_compression, which is not read",
        ),
        (
            r#"{"asset":{"version":"2.0"},"extensionsRequired":["EXT_meshopt_compression"]}"#,
            Format::Gltf,
            "glTF: the file requires the extension EXT_meshopt_compression, which is not read",
        ),
    ];
    for (bytes, format, expected) in cases {
        let text = refusal(bytes, format);
        assert!(text.starts_with(expected), "{text}\n  expected: {expected}");
    }
    let mut stl = vec![b' '; 80];
    stl.extend_from_slice(&1u32.to_le_bytes());
    stl.resize(84 + 50, 0);
    stl[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = read(&stl, Format::Stl).unwrap_err();
    assert_eq!(error.place, FilePlace::Byte(96));
    assert!(matches!(
        error.fault,
        ReadFault::Mesh(impinge::MeshError::NotFinite { vertex: 0, .. })
    ));
    stl.extend_from_slice(b"  \n\0");
    stl.push(1);
    assert!(refusal(&stl, Format::Stl).starts_with("STL, byte 138: 1 bytes follow"));
}

#[test]
fn files_without_faces_are_refused_unless_allowed() {
    let cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    let error = read(cloud, Format::Ply).unwrap_err();
    assert!(matches!(error.fault, ReadFault::NoFaces(_)));
    let allowed = ReadOptions {
        allow_empty: true,
        ..ReadOptions::default()
    };
    let model = read_bytes(cloud.as_bytes(), Format::Ply, &allowed).unwrap();
    assert_eq!(model.parts[0].mesh.vertex_count(), 1);
}

#[test]
fn scale_and_units_multiply_coordinates() {
    let text = "OFF 3 1\n1 2 3\n2 2 3\n1 3 3\n3 0 1 2\n";
    let options = |scale, units| ReadOptions {
        scale,
        units,
        ..ReadOptions::default()
    };
    let first = |o: &ReadOptions| {
        read_bytes(text.as_bytes(), Format::Off, o).unwrap().parts[0]
            .mesh
            .positions()[0]
    };
    assert_eq!(first(&options(2.0, None)), DVec3::new(2.0, 4.0, 6.0));
    assert_eq!(
        first(&options(1.0, Some(Unit::Metre))),
        DVec3::new(1.0, 2.0, 3.0)
    );
    assert_eq!(first(&options(10.0, Some(Unit::Inch))).x, 10.0 * 0.0254);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = read_bytes(text.as_bytes(), Format::Off, &options(bad, None)).unwrap_err();
        assert!(matches!(error.fault, ReadFault::Options(_)));
    }
    let too_far = options(1e60, None);
    assert!(read_bytes(text.as_bytes(), Format::Off, &too_far).is_err());
}

#[test]
fn inflation_stops_at_the_allowance() {
    let big = vec![b' '; 3 << 20];
    let small = ReadOptions {
        max_expanded_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    let error = read_bytes(&gzip(&big), Format::Obj, &small).unwrap_err();
    assert!(matches!(error.fault, ReadFault::TooLarge { .. }), "{error}");
    let error = read_bytes(&three_mf(&big), Format::ThreeMf, &small).unwrap_err();
    assert!(matches!(error.fault, ReadFault::TooLarge { .. }), "{error}");
    assert!(refusal(&gzip(b"v 0 0 0")[..20], Format::Obj).contains("damaged"));
}

#[test]
fn content_wins_over_a_name_that_lies() {
    let folder = Folder::new("names");
    let seeds = file_seeds();
    for seed in &seeds {
        let path = folder.with("lies.off", seed.file());
        let shows = !matches!(seed.format, Format::Obj);
        match io::read(&path, &ReadOptions::default()) {
            Ok(model) => {
                assert_eq!(model.face_count(), seed.faces, "{}", seed.name);
                let noted = model.notes.iter().any(|n| n.contains("the name says OFF"));
                assert_eq!(noted, seed.format != Format::Off, "{}", seed.name);
            }
            Err(e) => assert!(!shows, "{} {}: {e}", seed.format, seed.name),
        }
    }
    let nameless = folder.with("nameless", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert!(io::read(nameless, &ReadOptions::default()).is_ok());
    let odd = folder.with("odd.txt", "hello");
    let error = io::read(odd, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error.fault, ReadFault::UnknownFormat(_)));
    let foreign = folder.with("chair.fbx", "hello");
    let error = io::read(foreign, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("Blender"), "{error}");
}

#[test]
fn files_are_written_by_name_and_gzipped_when_it_says_so() {
    let folder = Folder::new("write");
    let mesh = awkward_mesh(&mut Rng::new(5), false);
    let model = Model::from(mesh.clone());
    for name in ["a.obj", "a.ply", "a.off", "a.PLY.gz", "a.obj.gz"] {
        let path = folder.0.join(name);
        io::write(&path, &model, &WriteOptions::default()).unwrap();
        let again = io::read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(bits(&again.parts[0].mesh), bits(&mesh), "{name}");
        assert_eq!(
            std::fs::read(&path).unwrap().starts_with(&[0x1F, 0x8B]),
            name.ends_with("gz")
        );
    }
    let write = |name: &str| io::write(folder.0.join(name), &model, &WriteOptions::default());
    assert!(matches!(
        write("a.xyz"),
        Err(WriteError::UnknownFormat { .. })
    ));
    assert!(matches!(write("a.3mf"), Err(WriteError::NotWritten { .. })));
    assert!(matches!(write("none/a.obj"), Err(WriteError::Io { .. })));
    let far = TriMesh::from_points([[1e40, 0.0, 0.0], [0.0; 3], [1.0; 3]], [[1, 2, 0]]).unwrap();
    for format in [Format::Stl, Format::Glb] {
        let refused = write_bytes(&far.clone().into(), format, &WriteOptions::default());
        assert!(matches!(
            refused,
            Err(WriteError::OutOfRange { vertex: 0, .. })
        ));
    }
}

#[test]
fn empty_models_are_written_in_every_format_that_is_written() {
    for format in [
        Format::Obj,
        Format::Stl,
        Format::Ply,
        Format::Off,
        Format::Glb,
    ] {
        for ascii in [false, true] {
            let options = WriteOptions {
                ascii,
                ..WriteOptions::default()
            };
            for model in [Model::default(), Model::from(TriMesh::default())] {
                let bytes = write_bytes(&model, format, &options).unwrap();
                let allowed = ReadOptions {
                    allow_empty: true,
                    ..ReadOptions::default()
                };
                let again = read_bytes(&bytes, format, &allowed);
                // Text STL of no part is an empty file, which no reader takes for STL.
                if !(format == Format::Stl && ascii && model.parts.is_empty()) {
                    assert_eq!(again.unwrap().face_count(), 0);
                }
            }
        }
    }
}
