//! Coloured GLB files: valid, readable, and nothing lost.
#![cfg(feature = "formats")]

use impinge::generate::icosphere;
use impinge::io::{
    Drawing, DrawingLines, DrawingSurface, Format, ReadOptions, drawing_bytes, read_bytes,
};
use impinge::{DVec3, TriMesh};
use serde_json::Value;

fn document(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap_or_default()
}

fn surface(name: &str, mesh: TriMesh, opacity: f32) -> DrawingSurface {
    DrawingSurface {
        name: name.to_owned(),
        mesh,
        colour: [0.5, 0.25, 0.125, opacity],
    }
}

#[test]
fn surfaces_come_back_part_by_part_and_lines_are_noted() {
    let ball = icosphere(1.0, 3).unwrap();
    let drawing = Drawing {
        surfaces: vec![
            surface("solid", ball.clone(), 1.0),
            surface("nothing", TriMesh::default(), 1.0),
            surface("ghost", ball.clone(), 0.5),
        ],
        lines: vec![DrawingLines {
            name: "edges".to_owned(),
            segments: vec![[DVec3::ZERO, DVec3::ONE], [DVec3::X, DVec3::Y]],
            colour: [1.0, 0.0, 0.0, 1.0],
        }],
    };
    let bytes = drawing_bytes(&drawing).unwrap();
    assert_eq!(bytes, drawing_bytes(&drawing).unwrap());
    let back = read_bytes(&bytes, Format::Glb, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = back.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["solid", "ghost"]);
    assert!(
        back.parts
            .iter()
            .all(|part| part.mesh.faces() == ball.faces())
    );
    assert!(
        back.notes.iter().any(|note| note.contains("lines")),
        "{:?}",
        back.notes
    );

    let document = document(&bytes);
    let materials = document["materials"].as_array().unwrap();
    assert_eq!(materials.len(), 3);
    assert!(materials[0].get("alphaMode").is_none());
    assert_eq!(materials[1]["alphaMode"], "BLEND");
    assert_eq!(
        materials[0]["pbrMetallicRoughness"]["baseColorFactor"][2],
        0.125
    );
    assert_eq!(document["extensionsUsed"][0], "KHR_materials_unlit");
    assert_eq!(document["meshes"][2]["primitives"][0]["mode"], 1);
    // Every accessor fills its view, and every view begins where a number may.
    for accessor in document["accessors"].as_array().unwrap() {
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let size = if accessor["type"] == "VEC3" { 12 } else { 4 };
        assert_eq!(
            view["byteLength"].as_u64().unwrap(),
            size * accessor["count"].as_u64().unwrap()
        );
        assert_eq!(view["byteOffset"].as_u64().unwrap() % 4, 0);
    }
}

#[test]
fn an_empty_drawing_is_a_valid_file_and_huge_coordinates_are_refused() {
    let bytes = drawing_bytes(&Drawing::default()).unwrap();
    let options = ReadOptions {
        allow_empty: true,
        ..ReadOptions::default()
    };
    assert_eq!(
        read_bytes(&bytes, Format::Glb, &options)
            .unwrap()
            .face_count(),
        0
    );
    let far = Drawing {
        lines: vec![DrawingLines {
            segments: vec![[DVec3::ZERO, DVec3::splat(1e40)]],
            ..DrawingLines::default()
        }],
        ..Drawing::default()
    };
    assert!(
        drawing_bytes(&far)
            .unwrap_err()
            .to_string()
            .contains("1e40")
    );
}
