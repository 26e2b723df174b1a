//! The report, the comparison of records and the suite, as commands.
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::folder::{Folder, HEADER, said, word};

/// Records of ours and of a peer, ours slower by a factor; each time off by up to two percent.
fn records(folder: &Folder, name: &str, slower: f64, seed: u64) -> PathBuf {
    let mut rng = impinge::math::Rng::new(seed);
    let mut csv = format!("{HEADER}\n");
    for pose in 0..90 {
        for (engine, factor) in [("impinge", slower), ("fcl", 9.0)] {
            let ns = 1000.0 * factor * (1.0 + 0.1 * f64::from(pose)) * rng.range(0.98, 1.02);
            csv.push_str(&format!(
                "gear-gear,cad,10,10,0.1,{pose},0,0.1,intersects,{engine},1.0,0,right,0,{ns},10,{ns},,,judging\n"
            ));
        }
    }
    folder.file(&format!("{name}/rigid.csv"), &csv);
    folder.0.join(name)
}

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_report_of_records_shows_them_and_names_what_is_broken() {
    let folder = Folder::new("report");
    let records = records(&folder, "run", 1.0, 1);
    std::fs::write(records.join("average.sheet.json"), "{").unwrap();
    let page = folder.0.join("page.html");
    let report = |more: &[&str]| {
        let mut arguments = vec!["report", "--records", word(&records)];
        arguments.extend(more);
        bench(&arguments)
    };
    let output = report(&["-o", word(&page)]);
    assert!(output.status.success());
    let first = std::fs::read_to_string(&page).unwrap();
    assert!(first.contains("average.sheet.json") && first.contains("Do they intersect?"));
    assert!(report(&["-o", word(&page)]).status.success());
    assert_eq!(first, std::fs::read_to_string(&page).unwrap());
    // The other forms.
    let [svg, csv, json] = ["svg", "csv", "all.json"].map(|name| folder.0.join(name));
    let output = report(&[
        "--svg",
        word(&svg),
        "--csv",
        word(&csv),
        "--json",
        word(&json),
    ]);
    assert!(output.status.success());
    let drawn: Vec<_> = std::fs::read_dir(&svg).unwrap().collect();
    assert!(!drawn.is_empty());
    for file in drawn {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(text.starts_with("<svg") || text.starts_with("<?xml"));
    }
    let bars = std::fs::read_to_string(csv.join("bars.csv")).unwrap();
    assert!(bars.starts_with("part,claim,reached,met\nrigid,"));
    let all: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(all[0]["name"], "rigid");
    assert!(
        !bench(&["report", "--records", "/no/such/folder"])
            .status
            .success()
    );
}

#[test]
fn a_tenth_slower_fails_the_comparison_and_noise_does_not() {
    let folder = Folder::new("cmp");
    let old = records(&folder, "old", 1.0, 1);
    let same = records(&folder, "same", 1.0, 2);
    let slow = records(&folder, "slow", 1.1, 3);
    let compare = |new: &Path| bench(&["cmp", word(&old), word(new), "--json"]);
    let output = compare(&same);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let output = compare(&slow);
    assert!(!output.status.success());
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = found["changes"].as_array().unwrap();
    let ours = changes.iter().find(|c| c["engine"] == "impinge").unwrap();
    assert_eq!(ours["verdict"], "slower");
    assert!(ours["low"].as_f64().unwrap() > 1.05 && ours["high"].as_f64().unwrap() < 1.15);
    // The other way round it is faster, which is no failure; words say the same.
    let output = bench(&["cmp", word(&slow), word(&old)]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("faster"));
}

#[test]
fn the_suite_runs_a_part_keeps_it_and_reports() {
    let folder = Folder::new("suite");
    let records = folder.0.join("records");
    let all = |more: &[&str]| {
        let mut arguments = vec![
            "run",
            "all",
            "--only",
            "planes",
            "--records",
            word(&records),
        ];
        arguments.extend(more);
        bench(&arguments)
    };
    let output = all(&[]);
    assert!(output.status.success(), "{}", said(&output));
    let page = std::fs::read_to_string(records.join("report.html")).unwrap();
    assert!(page.contains("The run itself") && page.contains("Published figures beside ours"));
    assert!(records.join("planes.txt").is_file() && records.join("machine.json").is_file());
    let output = all(&["--resume"]);
    assert!(said(&output).contains("kept"));
    assert!(!all(&["--resume", "--preset", "full"]).status.success());
    assert!(!bench(&["run", "all", "--only", "nothing"]).status.success());
}

#[test]
fn the_suite_goes_on_past_damaged_records_and_missing_peers_and_says_so() {
    let folder = Folder::new("damaged");
    let records = folder.0.join("records");
    folder.file("records/average.sheet.json", "{");
    folder.file("records/rigid.csv", "pair,class\nno,record\n");
    folder.file("records/suite.state.json", "[");
    std::fs::write(records.join("volume.txt"), [0xFF, 0xFE, 0x00]).unwrap();
    let output = folder.run(&[
        "run",
        "all",
        "--only",
        "planes",
        "--resume",
        "--records",
        word(&records),
    ]);
    // None of it is a failure of ours.
    assert!(output.status.success(), "{}", said(&output));
    let page = std::fs::read_to_string(records.join("report.html")).unwrap();
    for word in ["average.sheet.json", "rigid.csv", "suite.state.json", "fcl"] {
        assert!(page.contains(word), "{word} is not named in the report");
        assert!(word == "fcl" || said(&output).contains(word), "{word}");
    }
    assert!(records.join("planes.txt").is_file());
}

#[test]
fn plots_become_png_where_there_is_a_browser_and_a_word_where_there_is_none() {
    let folder = Folder::new("png");
    folder.file(
        "records/model.sheet.json",
        r#"{"version":1,"name":"model","title":"Model","question":"","command":"","preset":"","notes":[],"tables":[],"bars":[],"failures":[],
            "plots":[{"title":"Growth","x":{"label":"n","unit":"","is_logarithmic":true},"y":{"label":"visits","unit":"","is_logarithmic":true},
            "series":[{"name":"measured","points":[[1,1],[10,12]],"spread":[],"is_scatter":false,"is_published":false}]}]}"#,
    );
    let (records, into) = (folder.0.join("records"), folder.0.join("png"));
    let arguments = ["report", "--records", word(&records), "--png", word(&into)];
    let without = folder.bench(&arguments).env("PATH", "").output().unwrap();
    assert!(!without.status.success() && said(&without).contains("chromium"));
    let has_browser = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|at| at.join("chromium").is_file());
    if has_browser {
        let output = folder.run(&arguments);
        assert!(output.status.success(), "{}", said(&output));
        let picture = std::fs::read(into.join("model-01-growth.png")).unwrap();
        assert!(picture.starts_with(b"\x89PNG") && picture.len() > 5_000);
        assert_eq!(std::fs::read_dir(&into).unwrap().count(), 1);
    }
}

/// The suite on one pair of models with two engines, one of them a peer that does as told, in so many minutes.
#[cfg(unix)]
fn suite_with_peer(folder: &Folder, resume: bool, minutes: &str) -> (bool, String, String) {
    let records = folder.0.join("records");
    let mut arguments = vec!["run", "all", "--only", "performance", "--records"];
    arguments.push(word(&records));
    if resume {
        arguments.push("--resume");
    }
    arguments.extend(["--", "--pairs", "blob", "--engines", "impinge,fcl"]);
    arguments.extend(["--most", "1", "--minutes", minutes]);
    let output = folder.run(&arguments);
    let page = std::fs::read_to_string(records.join("report.html")).unwrap();
    (output.status.success(), said(&output), page)
}

#[cfg(unix)]
#[test]
fn a_peer_that_crashes_inside_the_suite_costs_its_own_rows_and_is_named() {
    let folder = Folder::new("suite-peer");
    folder.add_peer("exit 3");
    // What an earlier run left must not pass for measured.
    folder.file("records/performance.sheet.json", "{");
    folder.file("records/performance-old.csv", "engine,time\nghost,1\n");
    let (is_met, told, page) = suite_with_peer(&folder, false, "60");
    assert!(is_met, "{told}");
    let sheet = std::fs::read_to_string(folder.0.join("records/performance.sheet.json")).unwrap();
    let sheet: serde_json::Value = serde_json::from_str(&sheet).unwrap();
    let failures = sheet["failures"].as_array().unwrap();
    let fcl = failures.iter().find(|f| f["subject"] == "fcl").unwrap();
    assert!(fcl["reason"].as_str().unwrap().contains("died"), "{fcl}");
    assert!(
        failures.iter().all(|f| f["is_ours"] == false),
        "{failures:?}"
    );
    assert!(page.contains("died") && page.contains("impinge") && !page.contains("ghost"));
    // Nothing was left out, so that nothing is left to do.
    let (_, told, _) = suite_with_peer(&folder, true, "60");
    assert!(told.contains("kept"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_part_whose_time_was_up_is_gone_on_with() {
    let folder = Folder::new("suite-time");
    let (is_met, told, page) = suite_with_peer(&folder, false, "0");
    assert!(is_met && told.contains("UNFINISHED"), "{told}");
    assert!(
        page.contains("no target is left out or cut short"),
        "{told}"
    );
    assert!(folder.0.join("records/performance.partial.csv").is_file());
    // Its sheet is shown and says what was left out: the rows kept for --resume are nothing that went wrong.
    assert!(!page.contains("performance.partial.csv"), "{told}");
    let (is_met, told, _) = suite_with_peer(&folder, true, "60");
    assert!(
        is_met && !told.contains("UNFINISHED") && !told.contains("kept"),
        "{told}"
    );
    assert!(!folder.0.join("records/performance.partial.csv").is_file());
    let (_, told, _) = suite_with_peer(&folder, true, "60");
    assert!(told.contains("kept"), "{told}");
}

#[test]
fn the_guide_is_that_of_the_newest_records() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("records").is_dir() {
        return;
    }
    let output = bench(&["report", "--guide", "--check"]);
    assert!(
        output.status.success(),
        "`impinge-bench report --guide` mends it: {}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn elsewhere_the_guide_is_written_where_one_is() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/which-engine.md");
    let before = std::fs::read(&page).unwrap();
    let folder = Folder::new("guide");
    let records = records(&folder, "run", 1.0, 1);
    let output = folder
        .bench(&["report", "--guide", "--records", word(&records)])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let written = std::fs::read_to_string(folder.0.join("which-engine.md")).unwrap();
    assert!(written.starts_with("# Which engine when"), "{written}");
    assert_eq!(std::fs::read(&page).unwrap(), before);
}

#[test]
fn every_published_figure_is_printed() {
    let folder = Folder::new("published");
    let records = records(&folder, "run", 1.0, 1);
    let output = bench(&["published", "--records", word(&records)]);
    assert!(output.status.success());
    let said = said(&output);
    for figure in [
        "H1 ",
        "H36",
        "3.13",
        "not measured here",
        "Weller",
        "Mainzer",
    ] {
        assert!(said.contains(figure), "{figure}");
    }
}

#[test]
fn without_a_folder_every_part_of_the_newest_records_is_shown_with_its_day_and_machine() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../records");
    if !records.is_dir() {
        return;
    }
    let folder = Folder::new("newest");
    let page = folder.0.join("page.html");
    let output = bench(&["report", "-o", word(&page)]);
    assert!(output.status.success(), "{}", said(&output));
    let page = std::fs::read_to_string(&page).unwrap();
    let published = bench(&["published"]);
    assert!(published.status.success());
    let published = said(&published);
    // A figure of ours about two rigid meshes and one about many boxes, wherever they are from.
    assert!(page.contains("Do they intersect?") && page.contains("Broad phases"));
    assert!(page.contains("Published figures beside ours"));
    let (mut days, mut is_said) = (0, false);
    for entry in std::fs::read_dir(&records).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Outdated in every part, a folder is not shown.
        if page.contains(&format!("in records/{name}</p>")) {
            assert!(published.contains(&format!("records/{name} (")), "{name}");
            is_said |= published.contains(&format!(", {}]", &name[..10]));
            days += 1;
        }
    }
    // A single folder says it once for all.
    assert!(
        is_said && days > 1 || !page.contains("in records/"),
        "{days}"
    );
}

#[test]
fn a_report_of_nothing_is_refused_by_name() {
    let folder = Folder::new("report-of-nothing");
    let empty = folder.0.join("empty");
    std::fs::create_dir(&empty).unwrap();
    let page = folder.0.join("page.html");
    let output = bench(&["report", "--records", word(&empty), "-o", word(&page)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("no record to show"),
        "{}",
        said(&output)
    );
    assert!(!page.exists());
}

#[test]
fn a_reader_that_goes_away_ends_the_program_without_a_backtrace() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .arg("published")
        .stdout(writer)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(141));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
