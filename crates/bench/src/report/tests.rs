//! The page of small records, made up for the purpose.

use std::path::PathBuf;

use super::figure::{Form, svg};
use super::{gather, gather_newest, guide, page};
use crate::result_sheet::{Axis, Cell, Claim, Failure, Plot, ResultSheet, Series, Table};

/// A folder that goes when the test does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("impinge-report-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A sheet with one of everything, and words that would break a careless page.
pub(crate) fn sample() -> ResultSheet {
    let mut sheet = ResultSheet::new(
        "average",
        "Average <case> & more",
        "Is it \"fast\"?",
        "impinge-bench run average-case </script>",
    );
    let line = |name: &str, factor: f64| Series {
        name: name.to_owned(),
        points: (1..=5)
            .map(|k| [f64::from(k), factor * f64::from(k)])
            .collect(),
        spread: (1..=5)
            .map(|k| [0.8 * factor * f64::from(k), 1.3 * factor * f64::from(k)])
            .collect(),
        ..Series::default()
    };
    sheet.plots.push(Plot {
        title: "Time </script><script>alert(1)</script>".to_owned(),
        x: Axis {
            label: "distance".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "time".to_owned(),
            unit: "µs".to_owned(),
            is_logarithmic: true,
        },
        series: vec![
            line("impinge", 1.0),
            line("fcl", 9.0),
            Series {
                is_published: true,
                is_scatter: true,
                ..line("<published>", 100.0)
            },
        ],
    });
    sheet.tables.push(Table {
        title: "Errors".to_owned(),
        columns: vec!["model".to_owned(), "error, %".to_owned()],
        rows: vec![
            vec![Cell::Text("<car>".to_owned()), Cell::Number(1.89)],
            vec![
                Cell::Text("lock".to_owned()),
                Cell::Void {
                    reason: "a \"wrong\" answer".to_owned(),
                },
            ],
        ],
    });
    sheet.bars.push(Claim {
        claim: "below 2 %".to_owned(),
        reached: "1.89 %".to_owned(),
        is_met: true,
    });
    sheet.bars.push(Claim {
        claim: "six times faster".to_owned(),
        reached: "5×".to_owned(),
        is_met: false,
    });
    sheet.failures.push(Failure {
        subject: "coal".to_owned(),
        reason: "is not <installed>".to_owned(),
        is_ours: false,
    });
    sheet
}

#[test]
fn equal_records_give_equal_bytes_and_nothing_escapes() {
    let folder = Folder::new("bytes");
    sample().write(&folder.0).unwrap();
    std::fs::write(
        folder.0.join("planes.txt"),
        "<table>\nbar: kept planes cheaper: met\nbar: beside <nobody>: open\n",
    )
    .unwrap();
    let make = || page::page(&gather(&folder.0).unwrap());
    let html = make();
    assert_eq!(html, make());
    assert!(!html.contains("alert(1)</script>") && !html.contains("<script>alert"));
    assert!(!html.contains("<car>") && !html.contains("<table>\nbar"));
    assert!(html.contains("&lt;car&gt;") && html.contains("Average &lt;case&gt; &amp; more"));
    // The early script, the numbers, the script.
    assert_eq!(html.matches("<script").count(), 3);
    assert_eq!(html.matches("</script>").count(), 3);
    // Nothing is fetched: the only address is the name of SVG's language.
    assert_eq!(
        html.matches("http").count(),
        html.matches("http://www.w3.org/2000/svg").count() + 1
    );
    for words in [
        "six times faster",
        "is not &lt;installed&gt;",
        "kept planes cheaper",
        "<h3>Bars open</h3>",
        "beside &lt;nobody&gt;",
        "<b>1</b><span>bars open",
        "<b>2<small> of 4</small></b><span>bars met",
        "below 2 %",
    ] {
        assert!(html.contains(words), "{words} is missing");
    }
}

#[test]
fn every_plot_is_a_picture_without_scripts() {
    let folder = Folder::new("pictures");
    sample().write(&folder.0).unwrap();
    let collection = gather(&folder.0).unwrap();
    let html = page::page(&collection);
    assert!(html.contains("data-plots=\"1\""));
    // Once where it belongs, and once small in the summary, which leads there.
    assert_eq!(html.matches("<svg ").count(), 2);
    for address in ["href=\"#plot-0\"", "id=\"plot-0\""] {
        assert_eq!(html.matches(address).count(), 1, "{address}");
    }
    for tag in [
        "svg", "g", "text", "table", "section", "figure", "main", "tr", "td", "ul", "a",
    ] {
        let open =
            html.matches(&format!("<{tag} ")).count() + html.matches(&format!("<{tag}>")).count();
        // The script has templates with whole elements only.
        assert_eq!(open, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    let alone = svg(&sample().plots[0], Form::Alone);
    assert!(alone.starts_with("<svg xmlns") && alone.contains("prefers-color-scheme"));
    assert!(alone.contains("&lt;published&gt;") && !alone.contains("NaN"));
}

#[test]
fn a_corrupted_record_is_named_and_the_others_are_shown() {
    let folder = Folder::new("corrupted");
    sample().write(&folder.0).unwrap();
    std::fs::write(folder.0.join("model.sheet.json"), "{\"version\": 1, \"na").unwrap();
    std::fs::write(folder.0.join("rigid.csv"), "no,header\n").unwrap();
    std::fs::write(folder.0.join("old.sheet.json"), {
        let mut old = sample();
        old.version = 99;
        serde_json::to_string(&old).unwrap()
    })
    .unwrap();
    std::fs::write(
        folder.0.join("other.sheet.json"),
        serde_json::to_string(&sample()).unwrap(),
    )
    .unwrap();
    std::fs::write(folder.0.join("latin.txt"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::write(folder.0.join("rows.csv"), "a,b\n1,2\n3\n").unwrap();
    let collection = gather(&folder.0).unwrap();
    let refused: Vec<&str> = collection.refused.iter().map(|r| r.file.as_str()).collect();
    assert_eq!(
        refused,
        [
            "latin.txt",
            "model.sheet.json",
            "old.sheet.json",
            "other.sheet.json",
            "rigid.csv",
            "rows.csv"
        ]
    );
    let html = page::page(&collection);
    for file in refused {
        assert!(html.contains(&format!("<code>{file}</code>")), "{file}");
    }
    assert!(html.contains("1.89"));
    assert!(gather(&folder.0.join("nowhere")).is_err());
}

#[test]
fn cells_of_colour_are_a_picture_like_others_and_older_sheets_have_none() {
    let folder = Folder::new("heat");
    let mut sheet = ResultSheet::new("model", "Forces", "", "");
    let series = |name: &str, decibels: Vec<f64>| Series {
        name: name.to_owned(),
        points: vec![[0.5, 4.0], [1.5, 4.0], [0.5, 12.0], [1.5, 12.0]],
        decibels,
        is_scatter: true,
        ..Series::default()
    };
    sheet.plots.push(Plot {
        title: "Energy".to_owned(),
        series: vec![
            series("ideal", vec![0.0, -20.0, -30.5, f64::NEG_INFINITY]),
            series("</script>", vec![-1.0; 4]),
        ],
        ..Plot::default()
    });
    let file = sheet.write(&folder.0).unwrap();
    let collection = gather(&folder.0).unwrap();
    // What has no strength is no cell.
    let read = &collection.parts[0].sheet.plots[0];
    assert_eq!(read.series[0].decibels, [0.0, -20.0, -30.5]);
    assert_eq!(read.series[0].points.len(), 3);
    assert!(read.is_heat_map());
    let html = page::page(&collection);
    assert!(html.contains("data-plots=\"1\"") && html.matches("<svg ").count() == 1);
    assert_eq!(html.matches("class=\"heat\"").count(), 2);
    assert!(html.contains("\"heat\":true") && html.contains("--h7:"));
    let into = folder.0.join("csv");
    super::csv::write(&collection, &into).unwrap();
    let csv = std::fs::read_to_string(into.join("model-01-energy.csv")).unwrap();
    assert!(
        csv.starts_with("series,,,low,high,published,dB\nideal,0.5,4,,,0,0\nideal,1.5,4,,,0,-20\n")
    );
    // As many strengths as points, or the sheet is not to be trusted.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("[0.0,-20.0,-30.5]", "[0.0,-20.0]")).unwrap();
    let refused = gather(&folder.0).unwrap().refused;
    assert!(
        refused[0].reason.contains("3 points and 2 strengths"),
        "{refused:?}"
    );
    // A sheet without cells says nothing of them, so that programs of an earlier day read it.
    sample().write(&folder.0).unwrap();
    let older = std::fs::read_to_string(folder.0.join("average.sheet.json")).unwrap();
    assert!(!older.contains("decibels"));
    let older = ResultSheet::read(&folder.0.join("average.sheet.json")).unwrap();
    assert!(!older.plots[0].is_heat_map());
}

#[test]
fn a_sheet_of_nothing_and_a_plot_of_nothing_are_shown() {
    let folder = Folder::new("nothing");
    let mut sheet = ResultSheet::new("model", "Nothing", "", "");
    sheet.plots.push(Plot::default());
    sheet.plots.push(Plot {
        y: Axis {
            is_logarithmic: true,
            ..Axis::default()
        },
        series: vec![Series {
            points: vec![[0.0, -1.0], [1.0, f64::NAN]],
            spread: vec![[-2.0, 0.0], [0.0, f64::INFINITY]],
            ..Series::default()
        }],
        ..Plot::default()
    });
    sheet.write(&folder.0).unwrap();
    let collection = gather(&folder.0).unwrap();
    assert_eq!(collection.refused, []);
    assert_eq!(
        collection.parts[0].sheet.plots[1].series[0].points,
        [[0.0, -1.0]]
    );
    let html = page::page(&collection);
    assert!(!html.contains("NaN") && html.contains("data-plots=\"2\""));
}

#[test]
fn the_guide_names_who_is_lowest_and_where() {
    let folder = Folder::new("guide");
    let mut sheet = sample();
    sheet.plots[0].title = "car: time".to_owned();
    sheet.plots[0].series[1].points = (1..=5).map(|k| [f64::from(k), 2.5]).collect();
    sheet.plots[0].series[1].spread.clear();
    let mut guess = sheet.plots[0].series[1].clone();
    guess.name = "average k 5".to_owned();
    guess.points = (1..=5).map(|k| [f64::from(k), 0.5]).collect();
    sheet.plots[0].series.push(guess);
    sheet.tables[0] = Table {
        title: "Errors and times".to_owned(),
        columns: ["model", "engine", "error %", "times default"]
            .map(str::to_owned)
            .to_vec(),
        rows: vec![
            vec![
                Cell::Text("lock".to_owned()),
                Cell::Text("average k 5".to_owned()),
                Cell::Number(9.0),
                Cell::Number(0.9),
            ],
            vec![
                Cell::Text("car".to_owned()),
                Cell::Text("average k 5".to_owned()),
                Cell::Number(1.25),
                Cell::Number(1.5),
            ],
        ],
    };
    // The same times, but of models.
    let mut models = sheet.plots[0].clone();
    models.title = "Models".to_owned();
    for (series, name) in models
        .series
        .iter_mut()
        .zip(["car", "ball", "knot", "lock"])
    {
        series.name = name.to_owned();
    }
    sheet.plots.push(models);
    sheet.write(&folder.0).unwrap();
    let text = guide::guide(&gather(&folder.0).unwrap());
    // Exact engines win; one that may be wrong stands beside, with its error on that model.
    assert!(
        text.contains(
            "- car: time: `impinge` from 1 to 2, `fcl` from 3 to 5 (distance); `average k 5` is up to 5 times as fast, error % 1.25\n"
        ),
        "{text}"
    );
    assert!(!text.contains("Models"));
    assert!(
        text.contains(
            "it beats the exact default in 1 of 2 rows of models and settings: car, average k 5: 1.5 times as fast, 1.25 % wrong"
        ),
        "{text}"
    );
    assert!(
        text.contains("- six times faster: 5× (missed)\n- 1 of 2 bars met\n"),
        "{text}"
    );
    // What is not there names its command, and has no figure.
    assert!(text.contains(
        "| many moving boxes | all overlapping pairs | – | not in these records: `impinge-bench run broad-phase` measures it | – |"
    ));
}

#[test]
fn an_exact_default_that_always_wins_is_what_to_take() {
    let folder = Folder::new("guide-exact");
    let mut sheet = ResultSheet::new("average", "Probably", "", "");
    sheet.preset = "quick".to_owned();
    sheet.tables.push(Table {
        title: "Errors and times".to_owned(),
        columns: ["model", "engine", "error %", "times default"]
            .map(str::to_owned)
            .to_vec(),
        rows: vec![vec![
            Cell::Text("car".to_owned()),
            Cell::Text("average k 5".to_owned()),
            Cell::Number(1.25),
            Cell::Number(0.99),
        ]],
    });
    sheet.write(&folder.0).unwrap();
    let text = guide::guide(&gather(&folder.0).unwrap());
    assert!(
        text.contains(
            "| `WideTree`: exact, and faster | the exact default is faster in all 1 rows of models and settings | an unknown day or machine, preset quick |"
        ),
        "{text}"
    );
    // What is known of models that no default was chosen on stands beside.
    let printed = "fitted models   car      1000 answers,  900 uncertain: stated 0.947, right 0.500\n\
                   held-out models vase    29800 answers,  25518 uncertain: stated 0.978, right 0.825\n\
                   held-out models net     35576 answers,  34826 uncertain: stated 0.953, right 0.993\n";
    std::fs::write(folder.0.join("run-average.txt"), printed).unwrap();
    let text = guide::guide(&gather(&folder.0).unwrap());
    let others = "; defaults were chosen on these models: of 2 others 1 have more than 2.1 % wrong, up to 15 % |";
    assert!(text.contains(others), "{text}");
}

#[test]
fn the_guide_decides_by_what_was_printed() {
    let folder = Folder::new("guide-printed");
    for (file, text) in [
        (
            "machine.json",
            r#"{"date":"2026-03-04","processor":"Fast Box","cores":2}"#,
        ),
        (
            "run-bodies.txt",
            "a fifth overlapping: build ms / frame ms / bytes per body\n1000 bodies\n  tree     0.2     0.010      179\n  grid     0.9     0.163     1156\n\
             100000 bodies\n  tree    13.5     1.100      218\n  grid    43.8     0.900      214\n\
             bar: a fifth overlapping, 100000: frame 4.13x parry, the fastest other, asked 2x: met\n",
        ),
        (
            "exact-volume.txt",
            "80 k shallow       81920 faces    208 crossings  ours     0.116 ms  manifold     14.28 ms    123.0x (bar 25x)  volume off by 1.7e-20\n",
        ),
        (
            "kinetic.txt",
            "tablecloth: 16030 faces, 31 keys\n\
             \x20   1 in-between:   2503.5 events   4307.1 updates (  192354 by refit) | kinetic   758.53 µs, refit     79.9, vector refit     87.2, interpolation    25.4 | auto     61.3 (up to\n\
             \x20 100 in-between:   25.5 events   43.1 updates (  192354 by refit) | kinetic   10.0 µs, refit     79.9, vector refit     87.2, interpolation    25.4 | auto     11.0 (up to\n",
        ),
        (
            "deform-peers.txt",
            "cloth-on-ball/free: 48 frames, 0 pairs\n  auto   10.24 ms on one thread, 6.10 ms with threads\n  libigl  188.36 ms, 18.4 times ours; found 0\n\
             \x20 parry-refit   48.15 ms, 4.7 times ours; found 0\n",
        ),
        (
            "volume-distance.txt",
            "## Distance of 500000 balls in the dragon of 871306 faces, coherent paths\n| | mean ms | median | 99th percentile |\n|---|---|---|---|\n\
             | balls | 0.0140 | 0.0069 | 0.0760 |\n| exact, our tree of the mesh | 0.0311 | 0.0176 | 0.1996 |\n\
             error of balls: mean 3.33e-3, median 1.87e-3, 95th percentile 1.00e-2, largest 3.73e-2; refined: mean 6.35e-5\n",
        ),
        (
            "scan.txt",
            "bar: index and eight parts in at most 10 ms (published 40 ms), 4.22 ms: met\n",
        ),
    ] {
        std::fs::write(folder.0.join(file), text).unwrap();
    }
    let text = guide::guide(&gather(&folder.0).unwrap());
    for words in [
        "| `broad::DynamicAabbTree`, the default of `World` at 1000, grid of `broad` at 100000 | a frame of 1000 boxes: tree 10 µs, then grid 163 µs; \
         100000 boxes: grid 900 µs, then tree 1.1 ms; a fifth overlapping, 100000: frame 4.13x parry, the fastest other | Fast Box, 2026-03-04 |",
        "| `volume::VolumeIndex::overlap` | 80 k shallow: 116 µs, 123 times as fast as Manifold | Fast Box, 2026-03-04 |",
        "| `spheres::InnerSphereTree`; `WideTree` where it must be exact | 500000 spheres in the dragon of 871306 faces, coherent paths: 14 µs on the mean, \
         off by 0.333 %; exactly 31.1 µs |",
        "| `kinetic::AutoMaintainedTree` | events beat refitting from 100 frames between two keys on and lost up to 1; what it chose took at most 1.1 times the better of both |",
        "| `deform::Auto` | a frame of cloth-on-ball/free 6.1 ms, on one thread 4.7 times as fast as parry-refit |",
        "index and eight parts in at most 10 ms (published 40 ms), 4.22 ms",
    ] {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
}

#[test]
fn the_guide_speaks_of_forces_and_of_what_was_only_printed() {
    let folder = Folder::new("guide-words");
    let mut sheet = ResultSheet::new("quality", "Forces", "Whose forces are best?", "");
    sheet.tables.push(Table {
        title: "Published figures beside ours".to_owned(),
        columns: ["figure", "published: a", "published: b", "balls", "exact"]
            .map(str::to_owned)
            .to_vec(),
        rows: vec![
            vec![
                Cell::Text("sigma_F".to_owned()),
                Cell::Number(0.043),
                Cell::Number(0.176),
                Cell::Number(0.1),
                Cell::Number(0.01),
            ],
            vec![
                Cell::Text("nu".to_owned()),
                Cell::Number(0.62),
                Cell::Number(1.12),
                Cell::Number(1.05),
                Cell::Number(0.5),
            ],
        ],
    });
    sheet.claim(
        "our best engine (exact volume): sigma_F below 0.043 in scene Ia within 0.9 ms",
        "0.0015 at 0.800 ms",
        true,
    );
    sheet.claim(
        "our best engine (exact volume): |nu - 1| below 0.12 in scene II within 0.9 ms",
        "0.0 at 0.8 ms",
        true,
    );
    sheet.write(&folder.0).unwrap();
    for (file, text) in [
        (
            "run-clouds.txt",
            "bar: blob: at most 0.1 ms: 0.04 ms: met\nbar: blob: 0 of 9 answers wrong: met\nbar: blob: 0 of 8 places lost: missed\n",
        ),
        (
            "deform-cloth.txt",
            "$ impinge-bench run deform --only cloth\nbar: cloth: 3.6 times as fast as parry: met\n",
        ),
        (
            "volume-trees.txt",
            "bar: volume at 2 % within 60 µs missed\n",
        ),
        ("bodies.txt", "bar: beside rapier: open\n"),
        (
            "planes.txt",
            "bar: no error more than 10 times the published one: met\nbar: kept planes cheaper: met\n",
        ),
        ("half-edges.txt", "bar: slope 1.02 ≤ 1.1: met\n"),
    ] {
        std::fs::write(folder.0.join(file), text).unwrap();
    }
    let text = guide::guide(&gather(&folder.0).unwrap());
    for words in [
        "- sigma_F: `exact` with 0.01 (published: a 0.043, published: b 0.176)",
        "- nu: `balls` with 1.05",
        "| `volume::VolumeIndex::overlap` (exact volume) | sigma_F in scene Ia 0.0015 at 0.800 ms, \\|nu - 1\\| in scene II 0.0 at 0.8 ms |",
        "- blob: at most 0.1 ms: 0.04 ms (met)\n- 2 of 3 bars met\n",
        "- cloth: 3.6 times as fast as parry (met)",
        "## Inner sphere trees: build and query times",
        "- volume at 2 % within 60 µs (missed)",
        "- 0 of 0 bars met, 1 more open: this run does not decide it",
        "- 1 of 1 bars met, 1 not counted\n- no error more than 10 times the published one: met then, replaced since: ",
        "- 1 of 1 bars met\n",
    ] {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
    // Bars about truth are counted, not listed.
    assert!(!text.contains("answers wrong") && !text.contains("slope 1.02"));
    // Single calls of the same scenes, each scene once, count more than those of another path.
    let path = "  processor time of the thread                 median 0.131, 99.9th percentile 0.283, largest 0.685 ms\n";
    std::fs::write(folder.0.join("exact-volume-path.txt"), path).unwrap();
    let text = guide::guide(&gather(&folder.0).unwrap());
    assert!(
        text.contains("in scene II 0.0 at 0.8 ms; 99.9 % of the steps of a path within 283 µs |"),
        "{text}"
    );
    sheet.bars[0].reached =
        "0.0015 at 0.800 ms (99.9 % of 2048 askings within 0.951 ms)".to_owned();
    sheet.bars[1].reached = "0.0 at 0.8 ms (the longest of 128 calls 0.9 ms)".to_owned();
    sheet.bars.push(sheet.bars[1].clone());
    sheet.write(&folder.0).unwrap();
    let text = guide::guide(&gather(&folder.0).unwrap());
    let row = "sigma_F in scene Ia 0.0015 at 0.800 ms, \\|nu - 1\\| in scene II 0.0 at 0.8 ms, \\|nu - 1\\| in scene II 0.0 at 0.8 ms; 99.9 % of 2048 calls within 0.951 ms in scene Ia, the longest of 128 calls 0.9 ms in scene II |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn an_older_piece_of_which_newer_ones_judge_everything_is_dropped() {
    let folder = Folder::new("pieces");
    let [old, new] = ["2026-01-02-slow-box", "2026-03-04-fast-box"].map(|name| folder.0.join(name));
    for (at, name, text) in [
        (
            &old,
            "deform-cloth-on-ball.txt",
            "bar: cloth: 3.6 times as fast, asked 3: met\n",
        ),
        (
            &old,
            "deform-funnel.txt",
            "bar: cloth: 3.6 times as fast, asked 3: met\nbar: funnel: missed\n",
        ),
        (&old, "deform-words.txt", "no bar at all\n"),
        (
            &old,
            "exact-volume-path.txt",
            "bar: cloth: 3.6 times as fast, asked 3: met\n",
        ),
        (
            &new,
            "deform-peers.txt",
            "bar: cloth: 4.7 times as fast, asked 3: missed\n",
        ),
    ] {
        std::fs::create_dir_all(at).unwrap();
        std::fs::write(at.join(name), text).unwrap();
    }
    let collection = gather_newest(&folder.0).unwrap();
    let names: Vec<&str> = collection
        .parts
        .iter()
        .map(|part| part.sheet.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "deform-funnel",
            "deform-peers",
            "deform-words",
            "exact-volume-path"
        ]
    );
}

#[test]
fn each_part_comes_from_the_newest_folder_that_holds_it_and_says_so() {
    let folder = Folder::new("newest");
    let [old, new] = ["2026-01-02-slow-box", "2026-03-04-fast-box"].map(|name| folder.0.join(name));
    let file = |at: &PathBuf, name: &str, text: &str| {
        std::fs::create_dir_all(at).unwrap();
        std::fs::write(at.join(name), text).unwrap();
    };
    file(
        &old,
        "machine.json",
        r#"{"date":"2026-01-02","processor":"Slow Box 1","cores":3}"#,
    );
    file(&old, "run-clouds.txt", "bar: clouds of old 2x: met\n");
    file(&old, "bodies.txt", "bar: bodies of old 3x: met\n");
    file(&old, "volume-trees.txt", "bar: trees of old: met\n");
    file(&old, "planes.txt", "bar: planes of old: met\n");
    file(&old, "broken.sheet.json", "{");
    // Of one folder alone: it says nothing of the others.
    let published = ResultSheet::new("published", "Stale", "", "");
    published.write(&old).unwrap();
    file(&new, "run-clouds.txt", "bar: clouds of new 2x: met\n");
    file(&new, "volume.txt", "bar: volume of new: missed\n");
    file(&new, "planes-again.txt", "bar: planes again: met\n");
    let collection = gather_newest(&folder.0).unwrap();
    let from: Vec<(&str, &str)> = collection
        .parts
        .iter()
        .map(|part| (part.sheet.name.as_str(), part.origin.folder.as_str()))
        .collect();
    assert_eq!(
        from,
        [
            ("volume", "2026-03-04-fast-box"),
            ("clouds", "2026-03-04-fast-box"),
            ("bodies", "2026-01-02-slow-box"),
            ("planes", "2026-01-02-slow-box"),
            ("planes-again", "2026-03-04-fast-box"),
        ]
    );
    assert_eq!(
        collection.refused[0].file,
        "2026-01-02-slow-box/broken.sheet.json"
    );
    // A folder that says nothing of its machine is named after it.
    let words: Vec<String> = collection.origins().iter().map(|o| o.words()).collect();
    assert_eq!(words, ["fast-box, 2026-03-04", "Slow Box 1, 2026-01-02"]);
    let html = page::page(&collection);
    let text = guide::guide(&collection);
    for shown in [&html, &text] {
        for words in [
            "clouds of new 2x",
            "bodies of old 3x",
            "Slow Box 1",
            "fast-box",
        ] {
            assert!(shown.contains(words), "{words} is missing in {shown}");
        }
        assert!(!shown.contains("clouds of old") && !shown.contains("trees of old"));
    }
    assert!(text.contains("## Broad phases\n\nMeasured on Slow Box 1, 2026-01-02.\n"));
    assert!(html.contains(
        "<p class=\"facts\">2026-01-02 · Slow Box 1 · 3 cores, in records/2026-01-02-slow-box</p>"
    ));
    // One folder alone says it once, at the top.
    let alone = page::page(&gather(&old).unwrap());
    assert!(alone.contains("Slow Box 1") && !alone.contains(", in records/"));
    assert!(gather_newest(&old).is_err());
}
