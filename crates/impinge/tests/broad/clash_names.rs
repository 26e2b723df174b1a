//! Rules choose pairs by name; another run knows clashes again; files keep what they repeat once.

use std::sync::Arc;

use impinge::clash::{
    ClashRules, ClashStatus, Glob, KnownClash, clash_id, compare, content_hash, unique_names,
};
use impinge::generate::tetrahedron;
use impinge::io::{Format, ReadOptions, read_assembly_bytes, read_bytes};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_testkit::file_seeds::{base64, file_seeds, three_mf};

/// Whether a pattern of `*`, `?` and letters fits, by trying every length of every star.
fn fits(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => (0..=name.len()).any(|n| fits(rest, &name[n..])),
        ['?', rest @ ..] => !name.is_empty() && fits(rest, &name[1..]),
        [c, rest @ ..] => name.first() == Some(c) && fits(rest, &name[1..]),
    }
}

#[test]
fn patterns_fit_as_the_plain_definition_says() {
    let mut rng = Rng::new(3);
    let mut text = |letters: &[char], most: u64| -> Vec<char> {
        (0..rng.below(most))
            .map(|_| letters[rng.below(letters.len() as u64) as usize])
            .collect()
    };
    let mut agreeing = [0; 2];
    for _ in 0..20_000 {
        let (pattern, name) = (text(&['a', 'b', '*', '?'], 7), text(&['a', 'b'], 8));
        let expected = fits(&pattern, &name);
        let glob: Glob = pattern.iter().collect::<String>().parse().unwrap();
        let name: String = name.iter().collect();
        assert_eq!(glob.matches(&name), expected, "{glob} and {name}");
        agreeing[usize::from(expected)] += 1;
    }
    assert!(agreeing.iter().all(|n| *n > 1000), "{agreeing:?}");
}

#[test]
fn sets_and_escapes_are_understood_and_halves_refused() {
    let matches = |pattern: &str, name: &str| pattern.parse::<Glob>().unwrap().matches(name);
    assert!(matches("M[0-9a]", "M7") && matches("M[0-9a]", "Ma") && !matches("M[0-9]", "Mx"));
    assert!(matches("[!0-9]", "x") && !matches("[!0-9]", "3"));
    assert!(matches("[]]", "]") && matches(r"\*\[", "*[") && !matches(r"\*", "x"));
    assert!(matches("Zahnrad ß*", "Zahnrad ß 1"));
    for bad in ["[", "[a", r"x\"] {
        assert!(bad.parse::<Glob>().is_err(), "{bad}");
    }
    // No pattern takes more than pattern times name.
    let stars = "a*".repeat(200) + "b";
    assert!(!matches(&stars, &"a".repeat(5000)));
}

#[test]
fn rules_select_first_and_ignore_last() {
    let text =
        "# screws hold things\nselect screw* *\nignore \"screw 1\" lid # wanted\nignore sticker\n";
    let names = ["screw 1", "screw 2", "lid", "sticker", "box"];
    let filter = ClashRules::parse(text).unwrap().filter(names);
    for (a, b, expected) in [
        (0, 1, true),
        (0, 2, false),
        (2, 0, false),
        (1, 2, true),
        (1, 3, false),
        (2, 4, false),
        (4, 1, true),
    ] {
        assert_eq!(filter.accepts(a, b), expected, "{a} {b}");
    }
    for (text, place) in [
        ("hide x", "line 1"),
        ("\nignore", "line 2"),
        ("ignore a b c", "found 3"),
        ("ignore \"a b", "partner"),
        ("select [", "no ']'"),
    ] {
        let refused = ClashRules::parse(text).unwrap_err().to_string();
        assert!(refused.contains(place), "{refused}");
    }
}

#[test]
fn clashes_are_known_again_by_name_and_by_content() {
    let mesh = tetrahedron(1.0).unwrap();
    let content = |x: f64| content_hash(&mesh, &Pose::from_translation([x, 0.0, 0.0]).unwrap());
    let clash = |a: &str, b: &str, x: f64| KnownClash {
        id: clash_id(a, b),
        content: [content(0.0), content(x)],
    };
    let before = [
        clash("a", "b", 1.0),
        clash("a", "c", 2.0),
        clash("a", "d", 3.0),
        clash("a", "e", 4.0),
    ];
    let mut swapped = clash("c", "a", 2.0);
    swapped.content.reverse();
    let now = [
        clash("b", "a", 1.5),
        swapped,
        clash("a", "renamed", 3.0),
        clash("a", "f", 5.0),
    ];
    let found = compare(&now, &before);
    let persisting = |before, is_changed| ClashStatus::Persisting { before, is_changed };
    assert_eq!(
        found.now,
        [
            persisting(0, true),
            persisting(1, false),
            persisting(2, false),
            ClashStatus::New
        ]
    );
    assert_eq!(found.resolved, [3]);
    assert!(compare(&before, &before).resolved.is_empty());
    assert_eq!(compare(&now, &[]).now, [ClashStatus::New; 4]);
}

#[test]
fn unique_names_are_unique() {
    let mut rng = Rng::new(8);
    for _ in 0..200 {
        let names: Vec<String> = (0..12)
            .map(|_| ["a", "a#2", "a#3", "b", "a#2#2"][rng.below(5) as usize].to_owned())
            .collect();
        let mut unique = unique_names(names.iter().map(String::as_str));
        for (name, new) in names.iter().zip(&unique) {
            assert!(new == name || new.starts_with(&format!("{name}#")));
        }
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }
}

/// A glTF file with a tetrahedron and a mesh whose index is out of range.
fn gltf(nodes: &str) -> String {
    let mut bytes: Vec<u8> = [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    bytes.extend([0u8, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 1, 9, 0]);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],
        "buffers":[{{"byteLength":64,"uri":"data:;base64,{}"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}},{{"buffer":0,"byteOffset":60,"byteLength":3}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}},{{"bufferView":2,"componentType":5121,"count":3,"type":"SCALAR"}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}},{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":2}}]}}]}}"#,
        base64(&bytes)
    )
}

#[test]
fn repeated_meshes_are_shared_and_stand_where_they_are_read() {
    let nodes = [
        r#"{"name":"plain","mesh":0}"#,
        r#"{"name":"moved","mesh":0,"translation":[5,0,0]}"#,
        r#"{"name":"turned","mesh":0,"rotation":[0.5,0.5,0.5,0.5],"translation":[0,7,0]}"#,
        r#"{"name":"scaled","mesh":0,"scale":[3,3,3]}"#,
        r#"{"name":"scaled and turned","mesh":0,"scale":[3,3,3],"rotation":[0.1,0.2,0.3,0.9]}"#,
        r#"{"name":"mirrored","mesh":0,"scale":[-1,1,1],"translation":[0,0,2]}"#,
        r#"{"name":"stretched","mesh":0,"scale":[1,2,3]}"#,
        r#"{"name":"stretched too","mesh":0,"scale":[1,2,3],"translation":[1,1,1]}"#,
    ]
    .join(",");
    let text = gltf(&nodes);
    for scale in [1.0, 0.001] {
        let options = ReadOptions {
            scale,
            ..ReadOptions::default()
        };
        let expanded = read_bytes(text.as_bytes(), Format::Gltf, &options).unwrap();
        let shared = read_assembly_bytes(text.as_bytes(), Format::Gltf, &options).unwrap();
        assert_eq!(shared.parts.len(), expanded.parts.len());
        for (part, whole) in shared.parts.iter().zip(&expanded.parts) {
            assert_eq!(part.name, whole.name);
            let placed = part.mesh.placed(&part.world_from_part).unwrap();
            for (p, q) in placed.positions().iter().zip(whole.mesh.positions()) {
                assert!(
                    (*p - *q).length() <= 1e-14 * (1.0 + q.length()),
                    "{}",
                    part.name
                );
            }
            assert_eq!(placed.faces(), whole.mesh.faces(), "{}", part.name);
        }
        let same = |i: usize, j: usize| Arc::ptr_eq(&shared.parts[i].mesh, &shared.parts[j].mesh);
        assert!(same(0, 1) && same(0, 2) && same(3, 4) && same(6, 7));
        assert!(!same(0, 3) && !same(0, 5) && !same(0, 6));
    }
    // What is there once is read as ever.
    let text = gltf(r#"{"mesh":0,"rotation":[0.1,0.2,0.3,0.9],"translation":[1,2,3]}"#);
    let options = ReadOptions::default();
    let whole = read_bytes(text.as_bytes(), Format::Gltf, &options).unwrap();
    let shared = read_assembly_bytes(text.as_bytes(), Format::Gltf, &options).unwrap();
    assert_eq!(*shared.parts[0].mesh, whole.parts[0].mesh);
    assert_eq!(shared.parts[0].world_from_part, Pose::IDENTITY);
}

#[test]
fn a_damaged_mesh_does_not_spoil_the_others() {
    let text =
        gltf(r#"{"name":"good","mesh":0},{"name":"bad","mesh":1},{"name":"good too","mesh":0}"#);
    let options = ReadOptions::default();
    assert!(read_bytes(text.as_bytes(), Format::Gltf, &options).is_err());
    let read = read_assembly_bytes(text.as_bytes(), Format::Gltf, &options).unwrap();
    assert_eq!(read.parts.len(), 2);
    assert_eq!(read.refused.len(), 1);
    assert_eq!(read.refused[0].name, "bad");
    assert!(read.refused[0].error.to_string().contains("an index is 9"));
}

#[test]
fn components_of_3mf_share_their_meshes() {
    let model = br#"<model unit="millimeter"><resources><object id="1" name="bolt"><mesh><vertices>
        <vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>
        <triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object></resources>
        <build><item objectid="1"/><item objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></build></model>"#;
    let bytes = three_mf(model);
    let read = read_assembly_bytes(&bytes, Format::ThreeMf, &ReadOptions::default()).unwrap();
    assert!(Arc::ptr_eq(&read.parts[0].mesh, &read.parts[1].mesh));
    assert_eq!(read.parts[1].world_from_part.translation(), 5.0 * DVec3::X);
}

#[test]
fn assemblies_of_good_and_damaged_files_are_what_models_are() {
    let mut rng = Rng::new(12);
    let options = ReadOptions {
        max_expanded_bytes: 1 << 22,
        ..ReadOptions::default()
    };
    let mut read = 0;
    for seed in file_seeds() {
        let mut files = vec![seed.file()];
        files.extend((0..60).map(|_| seed.damaged(&mut rng)));
        for file in files {
            let model = read_bytes(&file, seed.format, &options);
            let assembly = read_assembly_bytes(&file, seed.format, &options);
            // Whatever is read as a model is read as an assembly; damage there is no panic.
            if let Ok(model) = model {
                let assembly = assembly.unwrap();
                assert!(assembly.refused.is_empty(), "{}", seed.name);
                assert_eq!(assembly.parts.len(), model.parts.len(), "{}", seed.name);
                for (part, whole) in assembly.parts.iter().zip(&model.parts) {
                    assert_eq!(part.mesh.face_count(), whole.mesh.face_count());
                }
                read += 1;
            }
        }
    }
    assert!(read > 20, "{read}");
}
