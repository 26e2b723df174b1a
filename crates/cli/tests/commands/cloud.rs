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
