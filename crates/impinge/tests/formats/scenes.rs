//! Scene formats: glTF and 3MF place their meshes, and refuse graphs and sizes that cannot be.

use impinge::DVec3;
use impinge::io::{self, Format, ReadFault, ReadOptions, Unit, read_bytes};
use impinge_testkit::file_seeds::{base64, file_seeds, glb, three_mf, zip};

use super::{Folder, read, refusal};

const TRIANGLE: &str = r#""buffers":[{"byteLength":36,"uri":"URI"}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]"#;

fn triangle_bytes() -> Vec<u8> {
    [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect()
}

fn gltf(nodes: &str) -> String {
    let uri = format!("data:;base64,{}", base64(&triangle_bytes()));
    let triangle = TRIANGLE.replace("URI", &uri);
    format!(r#"{{"asset":{{"version":"2.0"}},{nodes}{triangle}}}"#)
}

#[test]
fn gltf_nodes_place_their_meshes_and_mirrors_keep_the_outside_outside() {
    let nodes = r#""nodes":[{"children":[1],"translation":[10,0,0]},{"name":"flipped","mesh":0,"scale":[-2,1,1]}],"#;
    let model = read(gltf(nodes), Format::Gltf).unwrap();
    let mesh = &model.parts[0].mesh;
    assert_eq!(model.parts[0].name, "flipped");
    assert_eq!(mesh.positions()[1], DVec3::new(8.0, 0.0, 0.0));
    assert_eq!(mesh.faces(), [[0, 2, 1]]);
    assert_eq!(model.unit, Some(Unit::Metre));
    let turned = r#""nodes":[{"mesh":0,"rotation":[0,0,1,1]}],"#;
    let model = read(gltf(turned), Format::Gltf).unwrap();
    assert_eq!(model.parts[0].mesh.positions()[1], DVec3::Y);
    assert_eq!(model.parts[0].mesh.faces(), [[0, 1, 2]]);
    // Without nodes, meshes are read where they are, and that is said.
    let model = read(gltf(""), Format::Gltf).unwrap();
    assert_eq!(model.notes.len(), 1);
}

#[test]
fn gltf_graphs_that_are_no_trees_are_refused() {
    for (nodes, expected) in [
        (
            r#""scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"children":[1]},{"children":[0]}],"#,
            "node 0 is reached twice",
        ),
        (
            r#""nodes":[{"mesh":0,"children":[9]}],"#,
            "node 9 does not exist",
        ),
        (
            r#""scene":3,"scenes":[{}],"nodes":[{"mesh":0}],"#,
            "scene 3 does not exist",
        ),
        (
            r#""nodes":[{"mesh":4294967295}],"#,
            "mesh 4294967295 does not exist",
        ),
        (
            r#""nodes":[{"scale":[1e300,1,1],"children":[1]},{"mesh":0,"scale":[1e300,1,1]}],"#,
            "node 1 is not a finite affine map",
        ),
        (
            r#""nodes":[{"mesh":0,"rotation":[0,0,0,0]}],"#,
            "node 0 is not a finite affine map",
        ),
        (
            r#""nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}],"#,
            "EXT_mesh_gpu_instancing",
        ),
    ] {
        let text = refusal(gltf(nodes), Format::Gltf);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn deep_gltf_chains_are_read_without_recursion() {
    let count = 100_000;
    let mut nodes = String::from(r#""nodes":["#);
    for i in 1..count {
        nodes.push_str(&format!(r#"{{"children":[{i}]}},"#));
    }
    nodes.push_str(r#"{"mesh":0}],"#);
    assert_eq!(read(gltf(&nodes), Format::Gltf).unwrap().face_count(), 1);
}

#[test]
fn gltf_accessors_that_leave_their_buffers_are_refused() {
    let good = gltf("");
    let changes: [(&str, &[(&str, &str)]); 8] = [
        (
            r#""count":3"#,
            &[
                (r#""count":4"#, "do not fit into buffer view 0"),
                (r#""count":18446744073709551615"#, "expands to more than"),
            ],
        ),
        (
            r#""byteLength":36}]"#,
            &[
                (
                    r#""byteLength":36,"byteStride":4}]"#,
                    "do not fit into buffer view 0",
                ),
                (
                    r#""byteLength":36,"byteOffset":18446744073709551615}]"#,
                    "reaches from byte",
                ),
            ],
        ),
        (
            r#""type":"VEC3""#,
            &[(r#""type":"VEC4""#, "its type is not VEC3")],
        ),
        ("5126", &[("5127", "component type 5127 does not exist")]),
        (
            r#""POSITION":0}"#,
            &[
                (r#""POSITION":0},"indices":0"#, "must be dense, SCALAR"),
                (r#""POSITION":0},"mode":9"#, "primitive mode 9"),
                (r#""NORMAL":0}"#, "no POSITION"),
            ],
        ),
        (r#"{"bufferView":0,"#, &[("{", "has no buffer view")]),
        (";base64,", &[(";base64,*", "not base64")]),
        ("data:;base64,", &[("", "is in a separate file")]),
    ];
    for (from, variants) in changes {
        assert!(good.contains(from), "{from}");
        for (to, expected) in variants {
            let text = refusal(good.replacen(from, to, 1), Format::Gltf);
            assert!(text.contains(expected), "{to}: {text}");
        }
    }
    let draco = good.replacen(r#"{"bufferView":0,"#, "{", 1).replace(
        r#""POSITION":0}"#,
        r#""POSITION":0},"extensions":{"KHR_draco_mesh_compression":{"bufferView":0}}"#,
    );
    assert!(refusal(draco, Format::Gltf).contains("KHR_draco_mesh_compression"));
    let meshopt = good.replace("data:;base64,", "none.bin?").replace(
        r#""byteLength":36}]"#,
        r#""byteLength":36,"extensions":{"EXT_meshopt_compression":{}}}]"#,
    );
    assert!(refusal(meshopt, Format::Gltf).contains("EXT_meshopt_compression"));
}

#[test]
fn repeating_a_mesh_beyond_the_allowance_is_refused() {
    // 20 000 nodes repeat a mesh of 20 000 primitives: four hundred million triangles.
    let primitive = r#"{"attributes":{"POSITION":0}}"#;
    let many = gltf(&format!(
        r#""nodes":[{}],"#,
        vec![r#"{"mesh":0}"#; 20_000].join(",")
    ))
    .replace(primitive, &vec![primitive; 20_000].join(","));
    let error = read_bytes(
        many.as_bytes(),
        Format::Gltf,
        &ReadOptions {
            max_expanded_bytes: 1 << 20,
            ..ReadOptions::default()
        },
    )
    .unwrap_err();
    assert!(matches!(
        error.fault,
        ReadFault::TooLarge {
            limit: 1_048_576,
            ..
        }
    ));
}

#[test]
fn buffers_are_found_beside_the_document_and_nowhere_else() {
    let folder = Folder::new("buffers");
    folder.with("a b.bin", triangle_bytes());
    let document = |uri: &str| {
        let triangle = TRIANGLE.replace("URI", uri);
        format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],{triangle}}}"#)
    };
    let options = ReadOptions::default();
    let good = folder.with("good.gltf", document("a%20b.bin"));
    assert_eq!(io::read(&good, &options).unwrap().face_count(), 1);
    for bad in [
        "../a.bin",
        "/etc/hostname",
        "file:///etc/hostname",
        "%2e%2e/x",
        "sub/../../x",
    ] {
        let path = folder.with("bad.gltf", document(bad));
        let error = io::read(&path, &options).unwrap_err();
        assert!(
            matches!(error.fault, ReadFault::Unsupported(_)),
            "{bad}: {error}"
        );
    }
    let path = folder.with("missing.gltf", document("missing.bin"));
    let error = io::read(&path, &options).unwrap_err();
    assert!(matches!(error.fault, ReadFault::Io(_)));
    assert!(error.to_string().contains("missing.bin"), "{error}");
}

#[test]
fn points_and_lines_are_skipped_with_a_note_or_refused_when_nothing_remains() {
    let lines = gltf("").replace(r#""POSITION":0}"#, r#""POSITION":0},"mode":1"#);
    let text = refusal(&lines, Format::Gltf);
    assert!(
        text.contains("holds no faces") && text.contains("lines"),
        "{text}"
    );
}

#[test]
fn build_items_place_objects_and_mirrors_keep_the_outside_outside() {
    let seed = file_seeds()
        .into_iter()
        .find(|s| s.format == Format::ThreeMf)
        .unwrap();
    let model = read(seed.file(), Format::ThreeMf).unwrap();
    let names: Vec<&str> = model.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["wedge \"A\"", "wedge \"A\"", "far", "wedge \"A\""]);
    assert_eq!(model.unit, Some(Unit::Inch));
    let [placed, mirrored, far, plain] = [0, 1, 2, 3].map(|i| &model.parts[i].mesh);
    assert_eq!(plain.positions()[1], DVec3::X);
    assert_eq!(placed.positions()[1], DVec3::new(11.0, 20.0, 30.0));
    assert_eq!(placed.faces(), plain.faces());
    assert_eq!(mirrored.positions()[1], DVec3::new(14.0, 20.0, 30.0));
    assert_eq!(mirrored.faces()[0], [0, 1, 2]);
    assert_eq!(far.positions()[0], DVec3::new(10.0, 20.0, 35.0));
}

#[test]
fn components_that_contain_themselves_or_double_forever_are_refused() {
    let object = |id: usize, inside: &str| format!(r#"<object id="{id}">{inside}</object>"#);
    let model = |objects: &str, build: &str| {
        three_mf(
            format!("<model><resources>{objects}</resources><build>{build}</build></model>")
                .as_bytes(),
        )
    };
    let circle = object(1, r#"<components><component objectid="1"/></components>"#);
    let text = refusal(model(&circle, r#"<item objectid="1"/>"#), Format::ThreeMf);
    assert!(text.contains("object 1 contains itself"), "{text}");
    let mut doubling = object(0, "");
    for id in 1..60 {
        let twice = format!(r#"<component objectid="{}"/>"#, id - 1).repeat(2);
        doubling += &object(id, &format!("<components>{twice}</components>"));
    }
    let text = refusal(
        model(&doubling, r#"<item objectid="59"/>"#),
        Format::ThreeMf,
    );
    assert!(text.contains("more than 1048576 objects"), "{text}");
    let text = refusal(model("", r#"<item objectid="5"/>"#), Format::ThreeMf);
    assert!(text.contains("object 5 does not exist"), "{text}");
    let cut = three_mf(b"<model>\n<resources>");
    let text = refusal(cut, Format::ThreeMf);
    assert!(
        text.starts_with("3MF, line 2: in '3D/3dmodel.model': "),
        "{text}"
    );
}

#[test]
fn extensions_of_3mf_that_change_the_shape_are_refused_by_name() {
    let model = three_mf(br#"<model requiredextensions="b" xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"/>"#);
    let text = refusal(model, Format::ThreeMf);
    assert!(text.contains("beamlattice"), "{text}");
}

#[test]
fn archives_of_other_things_say_what_they_hold() {
    let text = refusal(zip(&[("horse.ply", b"ply")]), Format::ThreeMf);
    assert!(
        text.contains("horse.ply") && text.contains("unpack"),
        "{text}"
    );
}

#[test]
fn glb_containers_with_wrong_lengths_are_refused() {
    let good = glb(gltf("").as_bytes(), b"");
    assert!(read(&good, Format::Glb).is_ok());
    for (at, value) in [(4, 1u8), (8, 255), (11, 255), (12, 255), (15, 127), (16, 0)] {
        let mut bad = good.clone();
        bad[at] = value;
        assert!(read(&bad, Format::Glb).is_err(), "byte {at}");
    }
    for length in 0..good.len() {
        assert!(read(&good[..length], Format::Glb).is_err());
    }
}
