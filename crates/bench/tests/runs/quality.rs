//! A small run of the benchmark of forces meets its bars, and leaves a sheet behind; so do its parts, and runners of strangers.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::process::Command;

use serde_json::Value;

#[cfg(unix)]
use crate::configurations::stranger;
use crate::folder::{Folder, assert_met, said};

#[test]
fn exact_forces_are_near_the_formulas() {
    let folder = std::env::temp_dir().join(format!("impinge-quality-{}", std::process::id()));
    let ran = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(["run", "quality", "--only", "exact", "--places", "64"])
        // Whatever else the machine does: this is about forces, of solids that are built at once.
        .args(["--tau", "1000", "--patience", "0.01", "--records"])
        .arg(&folder)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{out}\n{err}");
    let bars: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("bar:"))
        .collect();
    assert_eq!(bars.len(), 5, "{out}");
    assert!(bars.iter().all(|line| line.ends_with(": met")), "{out}");
    let sheet = std::fs::read_to_string(folder.join("quality.sheet.json")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let sheet: serde_json::Value = serde_json::from_str(&sheet).unwrap();
    assert!(sheet["plots"].as_array().unwrap().len() >= 10);
    let tables = sheet["tables"].as_array().unwrap();
    assert!(tables.len() >= 7);
    // Nothing takes a second here: no engine is said to be on a line of equal time, and each says what its finest pair took.
    let table = tables
        .iter()
        .find(|t| t["title"] == "Equivalent resolutions");
    let table = table.unwrap();
    let column = |name: &str| {
        let columns = table["columns"].as_array().unwrap();
        columns.iter().position(|c| c == name).unwrap()
    };
    // Both closed scenes have a diagram of time and frequency: the ideal, and the engine beside it.
    let plots = sheet["plots"].as_array().unwrap().iter();
    let diagrams: Vec<&Value> = plots
        .filter(|plot| plot["series"][0]["decibels"].is_array())
        .collect();
    assert_eq!(diagrams.len(), 2);
    for diagram in diagrams {
        assert_eq!(diagram["series"].as_array().map(Vec::len), Some(2));
        for series in diagram["series"].as_array().unwrap() {
            let count = |field: &str| series[field].as_array().unwrap().len();
            assert_eq!((count("points"), count("decibels")), (64, 64));
        }
    }
    // Of 128 calls there is a largest, but no 99.9th percentile.
    let single = tables.iter().find(|t| {
        let title = t["title"].as_str().unwrap();
        title.starts_with("Times of single calls")
    });
    let single = single.unwrap();
    assert_eq!(single["rows"].as_array().map(Vec::len), Some(5));
    for row in single["rows"].as_array().unwrap() {
        let columns = single["columns"].as_array().unwrap();
        let at = |name: &str| &row[columns.iter().position(|c| c == name).unwrap()];
        let number = |name: &str| at(name).as_f64().unwrap();
        assert_eq!(number("calls"), 128.0);
        assert!(at("99.9th percentile, ms")["reason"].is_string());
        assert!(0.0 < number("median, ms") && number("median, ms") <= number("largest, ms"));
        assert!(number("mean of the faster of two, ms") <= number("largest, ms"));
    }
    // The bars of the best engine say so; a torque has its noise where one is expected.
    let says = bars
        .iter()
        .filter(|bar| bar.contains("(the longest of 128 calls "));
    assert_eq!(says.count(), 5, "{out}");
    for table in tables
        .iter()
        .filter(|t| t["title"].as_str().unwrap().starts_with("Scene "))
    {
        let is_turned = table["title"].as_str().unwrap().starts_with("Scene III");
        let columns = table["columns"].as_array().unwrap();
        let nu = columns.iter().position(|c| c == "nu_T, z").unwrap();
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(row[nu].is_number(), is_turned, "{row}");
        }
    }
    let (taken, finest) = (column("what was taken"), column("ms of the finest"));
    for row in table["rows"].as_array().unwrap() {
        let words = row[taken].to_string();
        assert!(words.contains("the best of nine: "), "{row}");
        let ms = row[finest].as_f64().unwrap();
        assert!(ms > 0.0 && words.contains(&format!("{ms:.3} ms")), "{row}");
    }
}

/// The sheet that a run left in a folder.
fn sheet(folder: &Folder, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.0.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn texts<'s>(sheet: &'s Value, list: &str) -> Vec<&'s str> {
    let all = sheet[list].as_array().unwrap().iter();
    all.map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn parts_about_balls_have_a_sheet_of_their_own_and_say_what_they_left_out() {
    let folder = Folder::new("quality-parts");
    let records = folder.0.display().to_string();
    let arguments = ["run", "quality", "--parts", "touch,converge"];
    let output = folder.run(&[&arguments[..], &["--minutes", "0", "--records", &records]].concat());
    // These parts hold no bar, and what holds none has not met any.
    assert!(!output.status.success(), "{}", said(&output));
    assert!(!folder.0.join("quality.sheet.json").exists());
    let sheet = sheet(&folder, "quality-converge-touch.sheet.json");
    assert_eq!(
        sheet["command"],
        "impinge-bench run quality --preset quick --parts converge,touch"
    );
    // No time, no row: each part names all that it did not measure.
    let notes = texts(&sheet, "notes");
    let left_out: Vec<&&str> = notes.iter().filter(|n| n.contains("left out: ")).collect();
    assert_eq!(left_out.len(), 2, "{notes:?}");
    assert!(left_out[0].contains("Ib with 8000 and 8000 balls"));
    assert!(left_out[1].contains("III with 2000 balls"));
    for table in sheet["tables"].as_array().unwrap() {
        assert_eq!(table["rows"].as_array().map(Vec::len), Some(0));
    }
    // Runners are asked in scenes, and nowhere else.
    let refused = folder.run(&[&arguments[..], &["--engines", "exact-volume"]].concat());
    assert!(!refused.status.success() && said(&refused).contains("part scenes"));
}

#[cfg(unix)]
#[test]
fn runners_of_strangers_stand_beside_ours_and_broken_ones_are_void() {
    let folder = Folder::new("quality-strangers");
    let records = folder.0.display().to_string();
    let engines = [
        stranger(&folder, "right", "exact-volume", "'never ') ;;"),
        stranger(
            &folder,
            "crashing",
            "exact-volume",
            "'ask force'*) exit 1 ;;",
        ),
        stranger(
            &folder,
            "dreaming",
            "exact-volume",
            "'ask volume'*) echo 'answer nan 9 9' ;;",
        ),
        stranger(
            &folder,
            "aside",
            "wide",
            "'ask force'*) echo 'answer 0 0 7 9 9' ;;",
        ),
        // Knows of neither.
        stranger(&folder, "mute", "wide", "'never ') ;;"),
    ];
    let engines = engines.join(",");
    let output = folder.run(&[
        "run",
        "quality",
        "--only",
        "exact",
        "--places",
        "64",
        "--tau",
        "1000",
        "--patience",
        "0.01",
        "--records",
        &records,
        "--engines",
        &engines,
    ]);
    // What strangers cannot do is no failure of ours.
    assert_met(&output);
    let sheet = sheet(&folder, "quality.sheet.json");
    let rows = |scene: &str, force: &str| -> Vec<Value> {
        let start = format!("Scene {scene}: ");
        let tables = sheet["tables"].as_array().unwrap();
        let is_it = |t: &&Value| t["title"].as_str().unwrap().starts_with(&start);
        let table = tables.iter().find(is_it).unwrap();
        let columns = table["columns"].as_array().unwrap();
        let rows = table["rows"].as_array().unwrap().iter();
        rows.filter(|row| row[0] == force)
            .map(|row| {
                let named = columns.iter().zip(row.as_array().unwrap());
                let named = named.map(|(c, v)| (c.as_str().unwrap().to_owned(), v.clone()));
                Value::Object(named.collect())
            })
            .collect()
    };
    let one = |scene: &str, force: &str| -> Value {
        let mut rows = rows(scene, force);
        assert_eq!(rows.len(), 1, "{force} in {scene}: {}", said(&output));
        rows.remove(0)
    };
    let number = |row: &Value, column: &str| row[column].as_f64().unwrap();
    for scene in ["Ia", "Ib", "II", "IV"] {
        let right = one(scene, "right, volume along force");
        let ours = &rows(scene, "exact volume, along its slope")[0];
        assert_eq!(right["model"], "volume");
        assert!(number(&right, "ms") > 0.0);
        // The same engine, at another resolution.
        for column in ["sigma_F", "gamma_F (°)"] {
            let off = number(&right, column) - number(ours, column);
            assert!(
                off.abs() < 0.05 * (1.0 + number(ours, column)),
                "{scene}: {right} {ours}"
            );
        }
        assert_eq!(right["nu, x"].is_number(), matches!(scene, "II" | "IV"));
        // Forces as they came, by each model, and volumes by their sizes alone.
        assert_eq!(rows(scene, "right, force").len(), 3);
        assert!(one(scene, "right, volume")["gamma_F (°)"].is_object());
        // One void row for what went wrong, and what was told besides stands.
        let crashed = one(scene, "crashing, force");
        let reason = crashed["sigma_F"]["reason"].as_str().unwrap();
        assert!(
            reason.contains("ended") && reason.contains("place 0 of 64"),
            "{reason}"
        );
        assert!(crashed["ms"].is_object());
        assert!(number(&one(scene, "crashing, volume"), "sigma_F") < 0.1);
        let dreamt = one(scene, "dreaming, volume");
        assert!(
            dreamt["ms"]["reason"]
                .as_str()
                .unwrap()
                .contains("made no sense")
        );
        assert_eq!(rows(scene, "dreaming, force").len(), 3);
        assert!(rows(scene, "dreaming, volume along force").is_empty());
        // A force across all that is expected is a quarter turn off.
        let gamma = number(&rows(scene, "aside, force")[0], "gamma_F (°)");
        assert!((gamma - 90.0).abs() < 1e-6, "{gamma}");
    }
    // The protocol has no torque: volumes are all that is judged there.
    assert!(rows("III", "right, force").is_empty());
    assert!(number(&one("III", "right, volume"), "sigma_T") < 0.01);
    assert!(!said(&output).contains("mute, "));
    let failures = sheet["failures"].as_array().unwrap();
    assert!(failures.iter().all(|failure| failure["is_ours"] == false));
    let is_told = |subject: &str| failures.iter().any(|failure| failure["subject"] == subject);
    assert!(is_told("crashing, force in scene II") && is_told("dreaming, volume in scene IV"));
}
