//! `impinge cloud-info`: what it tells about clouds, good and bad.

use crate::program::Folder;

#[test]
fn a_sheet_is_described_and_its_flatness_noted() {
    let folder = Folder::new();
    let rows: String = (0..400)
        .map(|i| format!("{} {} 0\n", i % 20, i / 20))
        .collect();
    folder.write("sheet.xyz", &rows);
    let ran = folder.run(&["cloud-info", "sheet.xyz", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["points"], 400);
    assert_eq!(record["pieces"], 1);
    let radius = record["sampling_radius"].as_f64().unwrap();
    assert!((radius - 0.5_f64.sqrt()).abs() < 1e-9, "{record}");
    assert_eq!(record["findings"][0]["kind"], "planar");
    let ran = folder.run(&["cloud-info", "sheet.xyz"]);
    assert!(ran.out.contains("all points are in one plane"), "{ran:?}");
}

#[test]
fn points_that_are_not_finite_and_files_that_are_none_are_told() {
    let folder = Folder::new();
    folder.write("holes.xyz", "0 0 0\nnan nan nan\n1 0 0\n0 1 0\n");
    let ran = folder.run(&["cloud-info", "holes.xyz", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.json()["dropped"], 1);
    folder.write("bad.pcd", "hello\n");
    let ran = folder.run(&["cloud-info", "bad.pcd"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("line 1"), "{ran:?}");
}

#[test]
fn surface_and_graph_of_a_cloud_are_drawn() {
    let folder = Folder::new();
    let bowl: String = (0..900)
        .map(|i| {
            (
                f64::from(i % 30) / 15.0 - 1.0,
                f64::from(i / 30) / 15.0 - 1.0,
            )
        })
        .map(|(x, y)| format!("{x} {y} {}\n", 0.5 * (x * x + y * y)))
        .collect();
    folder.write("bowl.xyz", &bowl);
    folder.write("line.xyz", "0 0 0\n1 0 0\n2 0 0\n");
    for (cloud, faces) in [("bowl.xyz", 500), ("line.xyz", 10)] {
        let ran = folder.run(&["cloud-info", cloud, "--png", "c.png", "--glb", "c.glb"]);
        assert!(ran.code < 2 && ran.out.contains("wrote c.png"), "{ran:?}");
        let (width, height, is_varied) = folder.picture("c.png");
        assert!(width > height && is_varied);
        let ran = folder.run(&["info", "c.glb", "--json"]);
        assert!(ran.json()["faces"].as_u64().unwrap() >= faces, "{ran:?}");
    }
    let ran = folder.run(&["cloud-info", "bowl.xyz", "line.xyz", "--png", "c.png"]);
    assert!(
        ran.code == 2 && ran.err.contains("show one cloud"),
        "{ran:?}"
    );
}

#[test]
fn colours_in_the_place_of_normals_are_told_and_not_used() {
    let folder = Folder::new();
    let sheet = |behind: &str| -> String {
        (0..400)
            .map(|i| format!("{} {} 0 {behind}\n", i % 20, i / 20))
            .collect()
    };
    folder.write("coloured.xyz", &sheet("255 128 0"));
    let ran = folder.run(&["cloud-info", "coloured.xyz", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["has_normals"], false);
    let findings = record["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["kind"] == "unread-columns"));
    let ran = folder.run(&["cloud-info", "coloured.xyz"]);
    assert!(ran.out.contains("no unit normals"), "{ran:?}");
    folder.write("turned.xyz", &sheet("0 0 -1"));
    let ran = folder.run(&["cloud-info", "turned.xyz", "--json"]);
    assert_eq!(ran.json()["has_normals"], true);
}
