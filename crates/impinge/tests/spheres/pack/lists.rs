//! Lists of balls in files.

use impinge::generate;
use impinge::spheres::sphere_files;

use super::{count, packed};

#[test]
fn lists_come_back_bit_by_bit() {
    let packing = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), &count(50));
    let mut json = Vec::new();
    sphere_files::write_json(&packing.balls, &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert_eq!(sphere_files::read_json(&json).unwrap(), packing.balls);
    let mut urdf = Vec::new();
    sphere_files::write_urdf("torus", &packing.balls, &mut urdf).unwrap();
    let urdf = String::from_utf8(urdf).unwrap();
    assert_eq!(sphere_files::read_urdf(&urdf).unwrap(), packing.balls);
    for bad in [
        "",
        "{}",
        "[1]",
        r#"[{"center": [1, 2], "radius": 1}]"#,
        r#"[{"center": [1, 2, 3], "radius": -1}]"#,
    ] {
        assert!(sphere_files::read_json(bad).is_err(), "{bad}");
    }
    assert!(sphere_files::read_json(r#"{"version": 9, "spheres": []}"#).is_err());
    assert!(sphere_files::read_urdf("<collision><sphere radius='x'/>").is_err());
    for origin in ["1 2", "1 x 2 3", "1 2 3 x", "1 2 3 4", "x", "1 2 1e400"] {
        let text = format!(
            "<collision><sphere radius='1'/></collision><collision><origin xyz='{origin}'/><sphere radius='1'/>"
        );
        let refused = sphere_files::read_urdf(&text).unwrap_err();
        assert!(refused.to_string().starts_with("ball 1 "), "{refused}");
    }
}
