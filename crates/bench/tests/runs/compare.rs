//! `cmp` on rows of `run performance`: one engine that became slower, records that are gone or damaged.
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::folder::{Folder, OPEN, said, word};

const OURS: [&str; 4] = ["impinge", "obb", "balls-1000", "exact-volume"];

/// Records as `run performance` writes them, each time off by up to two percent; `slower` says by how much more, by engine and pair.
fn records(folder: &Folder, name: &str, seed: u64, slower: impl Fn(&str, usize) -> f64) -> PathBuf {
    let mut rng = impinge::math::Rng::new(seed);
    let mut csv = "preset,pair,kind,level,question,engine,ours,configurations,mean_ns\n".to_owned();
    for pair in 0..8 {
        for level in 0..7 {
            for engine in OURS.into_iter().chain(["fcl", "coal"]) {
                let is_ours = u8::from(OURS.contains(&engine));
                for question in ["intersects", "distance"] {
                    let ns = 1000.0 * f64::from(1 + level) * rng.range(0.98, 1.02);
                    let ns = ns * slower(engine, pair);
                    csv.push_str(&format!(
                        "quick,pair-{pair},distance,0.0{level},{question},{engine},{is_ours},17,{ns}\n"
                    ));
                }
            }
        }
    }
    folder.file(&format!("{name}/performance.csv"), &csv);
    folder.0.join(name)
}

/// The exit code, the engines of ours that have a verdict, each once, and all that was said.
fn compared(folder: &Folder, old: &Path, new: &Path, verdict: &str) -> (i32, Vec<String>) {
    let output = folder.run(&["cmp", word(old), word(new), "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut engines: Vec<String> = found["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["is_ours"] == true && c["verdict"] == verdict)
        .map(|c| c["engine"].as_str().unwrap().to_owned())
        .collect();
    engines.sort();
    engines.dedup();
    (output.status.code().unwrap(), engines)
}

#[test]
fn any_one_engine_that_is_slower_is_found_whatever_the_others_do() {
    let folder = Folder::new("cmp-engines");
    let old = records(&folder, "old", 1, |_, _| 1.0);
    let same = records(&folder, "same", 2, |_, _| 1.0);
    assert_eq!(compared(&folder, &old, &same, "slower"), (0, vec![]));
    for (k, engine) in OURS.into_iter().enumerate() {
        for factor in [10.0, 1.15] {
            let slow = |name: &str, _: usize| if name == engine { factor } else { 1.0 };
            let new = records(&folder, "new", 10 + k as u64, slow);
            let found = compared(&folder, &old, &new, "slower");
            assert_eq!(found, (1, vec![engine.to_owned()]), "{factor}");
        }
    }
    // On one pair of models alone there are too few figures to be sure, and too large a change to call it the same.
    let slow = |name: &str, pair: usize| {
        if name == "obb" && pair == 3 {
            10.0
        } else {
            1.0
        }
    };
    let new = records(&folder, "new", 30, slow);
    let found = compared(&folder, &old, &new, "suspect");
    assert_eq!(found, (OPEN, vec!["obb".to_owned()]));
    let output = folder.run(&["cmp", word(&old), word(&new)]);
    let told = said(&output);
    assert!(
        told.contains("MUCH SLOWER") && told.contains("pair-3"),
        "{told}"
    );
    assert!(told.contains("have too few figures to be judged"), "{told}");
}

#[test]
fn records_that_are_gone_or_damaged_are_named_and_nothing_is_met() {
    let folder = Folder::new("cmp-gone");
    let old = records(&folder, "old", 1, |_, _| 1.0);
    let new = records(&folder, "new", 2, |_, _| 1.0);
    let sheet = "bar: as fast as before: 3 of 3: met\n";
    for name in ["old", "new"] {
        folder.file(&format!("{name}/planes.txt"), sheet);
    }
    let told = |old: &Path, new: &Path| {
        let output = folder.run(&["cmp", word(old), word(new)]);
        (output.status.code(), said(&output))
    };
    assert_eq!(told(&old, &new).0, Some(0), "{}", told(&old, &new).1);
    let empty = folder.0.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    for (before, now) in [(&old, &empty), (&empty, &old), (&empty, &empty)] {
        let (code, told) = told(before, now);
        assert_eq!(code, Some(OPEN), "{told}");
    }
    let (_, all) = told(&old, &empty);
    for part in ["performance", "planes"] {
        let line = format!("part only in the older, OPEN: {part}");
        assert!(all.contains(&line), "{all}");
    }
    // One of several.
    std::fs::remove_file(new.join("planes.txt")).unwrap();
    let (code, one) = told(&old, &new);
    assert_eq!(code, Some(OPEN));
    assert!(one.contains("OPEN: planes") && !one.contains("OPEN: performance"));
    // A bar less in a part that is there.
    folder.file("new/planes.txt", "nothing to say\n");
    let (code, bar) = told(&old, &new);
    assert_eq!(code, Some(OPEN), "{bar}");
    assert!(bar.contains("as fast as before"), "{bar}");
    folder.file("new/planes.txt", sheet);
    assert_eq!(told(&old, &new).0, Some(0));
    // A damaged sheet, and a table that was cut.
    let damaged = folder.file("new/average.sheet.json", "{");
    let (code, sheet) = told(&old, &new);
    assert_eq!(code, Some(OPEN));
    assert!(sheet.contains("DAMAGED") && sheet.contains("average.sheet.json"));
    std::fs::remove_file(damaged).unwrap();
    let table = new.join("performance.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, &text[..text.len() - 30]).unwrap();
    let (code, cut) = told(&old, &new);
    assert_eq!(code, Some(OPEN), "{cut}");
    assert!(cut.contains("performance.csv"), "{cut}");
    // An engine less.
    let without: String = text
        .split_inclusive('\n')
        .filter(|line| !line.contains(",obb,"))
        .collect();
    std::fs::write(&table, without).unwrap();
    let (code, gone) = told(&old, &new);
    assert_eq!(code, Some(OPEN));
    assert!(gone.contains("times only in the older") && gone.contains(", obb"));
}
