//! `impinge query --ask`: every question against a closed form.

mod program;

use program::{CUBE, Folder, moved};
use serde_json::Value;

/// A cube without its face z = 1.
const OPEN: &str = "\
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 4 3 2 1\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

/// A cube of a quarter of the size in the middle of the unit cube.
fn small_cube() -> String {
    let place = |x: &str| if x == "1" { "0.625" } else { "0.375" };
    let line = |line: &str| match line.strip_prefix("v ") {
        Some(numbers) => {
            let numbers: Vec<&str> = numbers.split(' ').map(place).collect();
            format!("v {}\n", numbers.join(" "))
        }
        None => format!("{line}\n"),
    };
    CUBE.lines().map(line).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("open.obj", OPEN);
    folder.write("small.obj", &small_cube());
    folder.write("start.json", &moved(3.0, 0.0, 0.0));
    folder.write("apart.json", &moved(1.5, 0.0, 0.0));
    folder.write("overlap.json", &moved(0.75, 0.125, 0.0625));
    folder.write("inside.json", &moved(0.25, 0.0, 0.0));
    folder
}

/// Runs a query of the cube with itself and returns the answer in JSON.
fn ask(folder: &Folder, words: &[&str]) -> (i32, Value) {
    let ran = folder.run(&[&["query", "cube.obj", "cube.obj", "--json"], words].concat());
    assert!(ran.code < 2, "{ran:?}");
    (ran.code, ran.json())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Whether the bracket of an answer holds the truth, and how wide it is.
fn bracket(answer: &Value, truth: f64) -> f64 {
    let (lower, upper) = (number(&answer["lower"]), number(&answer["upper"]));
    assert!(lower <= truth && truth <= upper, "{truth} not in {answer}");
    upper - lower
}

#[test]
fn distance_is_exact_and_names_its_witnesses() {
    let folder = folder();
    let (code, answer) = ask(&folder, &["--pose", "apart.json", "--ask", "distance"]);
    assert_eq!(code, 0);
    let distance = &answer["distance"];
    assert_eq!(distance["value"], 0.5);
    assert!(bracket(distance, 0.5) < 1e-12);
    assert_eq!(distance["point_a"][0], 1.0);
    assert_eq!(distance["point_b"][0], 1.5);
    // Two triangles of each side; a point on an edge lies on several faces, and any of them will do.
    let sides = [(2, 0.0), (2, 1.0), (1, 0.0), (1, 1.0), (0, 1.0), (0, 0.0)];
    for (point, face, shift) in [("point_a", "face_a", 0.0), ("point_b", "face_b", 1.5)] {
        let (axis, level) = sides[distance[face].as_u64().unwrap() as usize / 2];
        let shift = if axis == 0 { shift } else { 0.0 };
        assert_eq!(number(&distance[point][axis]) - shift, level, "{distance}");
    }
    assert!(answer.get("intersects").is_none(), "not asked");

    let (code, answer) = ask(&folder, &["--ask", "distance"]);
    assert_eq!((code, &answer["distance"]["value"]), (1, &Value::from(0.0)));

    let words = [
        "--pose",
        "apart.json",
        "--ask",
        "distance",
        "--max-distance",
        "0.25",
    ];
    let (code, answer) = ask(&folder, &words);
    assert_eq!(code, 0);
    assert!(answer["distance"]["value"].is_null());
    assert_eq!(answer["distance"]["lower"], 0.25);

    let words = [
        "--pose",
        "apart.json",
        "--ask",
        "distance",
        "--rel-error",
        "0.5",
    ];
    let found = ask(&folder, &words).1;
    let value = number(&found["distance"]["value"]);
    // Too large by at most half of itself.
    assert!((0.5..=1.0).contains(&value), "{found}");
    bracket(&found["distance"], 0.5);
}

#[test]
fn tolerance_answers_by_exit_code() {
    let folder = folder();
    for (tolerance, expected) in [("0.5", 1), ("0.6", 1), ("0.499", 0)] {
        let words = [
            "--pose",
            "apart.json",
            "--ask",
            "tolerance",
            "--tolerance",
            tolerance,
        ];
        let (code, answer) = ask(&folder, &words);
        assert_eq!(code, expected, "{tolerance}");
        assert_eq!(answer["tolerance"]["within"], expected == 1);
    }
}

#[test]
fn depth_is_the_least_way_out() {
    let folder = folder();
    let (code, answer) = ask(&folder, &["--pose", "overlap.json", "--ask", "depth"]);
    assert_eq!(code, 1);
    let depth = &answer["depth"];
    assert!(bracket(depth, 0.25) < 1e-3, "{depth}");
    assert!((number(&depth["value"]) - 0.25).abs() < 1e-3);
    assert!(
        (number(&depth["direction"][0]) - 1.0).abs() < 1e-6,
        "{depth}"
    );
    // No point of either surface can be deeper than the way out is long.
    assert!(number(&depth["deepest"]["lower"]) <= 0.25);

    let (code, answer) = ask(&folder, &["--pose", "apart.json", "--ask", "depth"]);
    assert_eq!((code, &answer["depth"]["value"]), (0, &Value::from(0.0)));
}

#[test]
fn depth_of_balls_converges_to_that_of_the_polyhedra() {
    let folder = Folder::new();
    folder.write("aside.json", &moved(1.5, 0.0, 0.0));
    let ball = "model:icosphere?faces=1280";
    let ran = folder.run(&[
        "query",
        ball,
        ball,
        "--pose",
        "aside.json",
        "--ask",
        "depth",
        "--json",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let answer = ran.json();
    let depth = number(&answer["depth"]["value"]);
    assert!((0.47..0.5).contains(&depth), "{depth}");
    assert!(number(&answer["depth"]["lower"]) > 0.98 * depth);
}

#[test]
fn impact_of_a_sliding_cube_is_when_it_arrives() {
    let folder = folder();
    let words = [
        "--pose",
        "start.json",
        "--to",
        "inside.json",
        "--ask",
        "impact",
    ];
    let (code, answer) = ask(&folder, &words);
    assert_eq!(code, 1);
    let impact = &answer["impact"];
    assert_eq!(impact["hit"], true);
    // From 3 to 0.25, touching at 1.
    assert!(bracket(impact, 2.0 / 2.75) < 1e-8, "{impact}");
    assert!((number(&impact["normal"][0]) - 1.0).abs() < 1e-9);
    assert!((number(&impact["point"][0]) - 1.0).abs() < 1e-8);
    assert!((number(&impact["a_from_b"][3]) - 1.0).abs() < 1e-8);
    // Two sides of two triangles each: every triangle of one touches both of the other.
    assert_eq!(
        impact["contact_count"],
        impact["contacts"].as_array().unwrap().len()
    );
    assert!(impact["contact_count"].as_u64().unwrap() >= 4);

    let words = [
        "--pose",
        "start.json",
        "--to",
        "apart.json",
        "--ask",
        "impact",
    ];
    let (code, answer) = ask(&folder, &words);
    assert_eq!(code, 0);
    assert_eq!(
        (&answer["impact"]["hit"], &answer["impact"]["lower"]),
        (&Value::from(false), &Value::from(1.0))
    );
    assert!(answer["impact"]["upper"].is_null());
}

#[test]
fn turns_sweep_what_the_shortest_way_does_not() {
    let folder = folder();
    // B stands 0.2 beside A and turns by 1° about an edge of its own: its diagonal would reach A, but not so soon.
    folder.write("beside.json", &moved(-1.2, 0.5, 0.0));
    folder.write(
        "turned.json",
        "[[0.9998476951563913,-0.01745240643728351,0,-1.2],\
          [0.01745240643728351,0.9998476951563913,0,0.5],[0,0,1,0],[0,0,0,1]]",
    );
    let words = [
        "--pose",
        "beside.json",
        "--to",
        "turned.json",
        "--ask",
        "impact",
    ];
    assert_eq!(ask(&folder, &words).0, 0);
    let (code, answer) = ask(&folder, &[&words[..], &["--turns", "2"]].concat());
    assert_eq!(code, 1);
    // In the first of two turns.
    let time = number(&answer["impact"]["value"]);
    assert!(0.0 < time && time < 0.5, "{answer}");
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--turns", "2"]);
    assert_eq!(ran.code, 2, "turns need a motion");
}

#[test]
fn curves_of_crossed_cubes_close() {
    let folder = folder();
    folder.write("corner.json", &moved(0.5, 0.5, 0.5));
    let (code, answer) = ask(&folder, &["--pose", "corner.json", "--ask", "curves"]);
    assert_eq!(code, 1);
    let curves = &answer["curves"];
    assert_eq!(
        (&curves["count"], &curves["closed"]),
        (&Value::from(1), &Value::from(1))
    );
    // A corner of each is in the other: six edges of length one half.
    assert!((number(&curves["length"]) - 3.0).abs() < 1e-12, "{curves}");
    let polyline = &curves["polylines"][0];
    assert_eq!(
        polyline["points"].as_array().unwrap().len(),
        polyline["face_pairs"].as_array().unwrap().len()
    );
}

#[test]
fn containment_counts_for_solids_only() {
    let folder = folder();
    let query = |words: &[&str]| {
        let ran = folder.run(&[&["query", "cube.obj", "small.obj", "--json"], words].concat());
        (ran.code, ran.json())
    };
    let (code, answer) = query(&[]);
    assert_eq!((code, &answer["intersects"]), (0, &Value::from(false)));
    assert_eq!(answer["contained"], "b_in_a");
    let (code, answer) = query(&["--solid"]);
    assert_eq!((code, &answer["intersects"]), (1, &Value::from(true)));
    assert_eq!(answer["solid"]["relation"], "b_inside_a");
    assert_eq!(answer["face_pairs"], 0);
    let (code, answer) = query(&["--solid", "--ask", "distance"]);
    assert_eq!((code, &answer["distance"]["value"]), (1, &Value::from(0.0)));
    folder.write("out.json", &moved(5.0, 0.0, 0.0));
    let words = ["--solid", "--ask", "impact", "--to", "out.json"];
    let (code, answer) = query(&words);
    assert_eq!((code, &answer["impact"]["value"]), (1, &Value::from(0.0)));
    // Surfaces alone touch when the small one arrives at the wall, 0.375 away of 5.
    let (code, answer) = query(&words[1..]);
    assert_eq!(code, 1);
    assert!(bracket(&answer["impact"], 0.375 / 5.0) < 1e-8);
    // And the least way out of the cube is 0.625 long.
    let (_, answer) = query(&["--ask", "depth"]);
    assert!(bracket(&answer["depth"], 0.625) < 1e-2, "{answer}");
}

#[test]
fn open_meshes_are_no_solids_and_the_error_says_what_to_do() {
    let folder = folder();
    let query = |words: &[&str]| folder.run(&[&["query", "open.obj", "small.obj"], words].concat());
    for words in [&["--solid"][..], &["--ask", "depth"]] {
        let ran = query(words);
        assert_eq!(ran.code, 2);
        for hint in [
            "open.obj is open",
            "vertex",
            "1 face",
            "impinge info",
            "--fill-holes",
        ] {
            assert!(ran.err.contains(hint), "{hint} is not in {}", ran.err);
        }
    }
    assert!(query(&["--solid"]).err.contains("--solid=winding"));
    let ran = query(&["--solid=winding", "--ask", "intersects"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("winding number"), "{}", ran.out);
    // Loose triangles are joined first: an STL file can be closed.
    assert!(folder.run(&["convert", "cube.obj", "cube.stl"]).code < 2);
    let ran = folder.run(&[
        "query",
        "cube.stl",
        "small.obj",
        "--solid",
        "--ask",
        "intersects,depth",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn what_does_not_belong_together_is_refused_with_a_hint() {
    let folder = folder();
    let error = |words: &[&str]| {
        let ran = folder.run(&[&["query", "cube.obj", "cube.obj"], words].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.err
    };
    assert!(error(&["--ask", "distanze"]).contains("'distance'"));
    assert!(error(&["--ask", "impact"]).contains("--to"));
    assert!(error(&["--to", "apart.json"]).contains("--ask impact"));
    assert!(error(&["--ask", "tolerance"]).contains("--tolerance D"));
    assert!(error(&["--tolerance", "1"]).contains("--ask tolerance"));
    assert!(error(&["--ask", "tolerance", "--tolerance", "-1"]).contains("-1"));
    assert!(error(&["--ask", "distance", "--rel-error", "nan"]).contains("--rel-error"));
    assert!(error(&["--ask", "depth", "--max-distance", "1"]).contains("--max-distance"));
    assert!(error(&["--ask", "distance", "--pairs", "p.csv"]).contains("add pairs"));
    assert!(error(&["--show", "tree"]).contains("--glb"));
    assert!(error(&["--ask", "distance", "--engine", "face-sweep"]).contains("--engine wide"));
    assert!(error(&["--repair-pose"]).contains("--pose"));
    folder.write("far.json", &moved(1e60, 0.0, 0.0));
    assert!(error(&["--pose", "far.json"]).contains("coordinate"));
}

#[test]
fn the_first_yes_or_no_question_makes_the_exit_code() {
    let folder = folder();
    let words = ["--pose", "apart.json", "--tolerance", "0.6", "--ask"];
    let code = |list| ask(&folder, &[&words[..], &[list]].concat()).0;
    assert_eq!(code("distance,tolerance"), 1);
    assert_eq!(code("intersects,tolerance"), 0);
    assert_eq!(code("tolerance,intersects"), 1);
}

#[test]
fn every_engine_gives_the_same_answers() {
    let folder = folder();
    let mut seen: Option<(Value, Value, Value)> = None;
    for engine in ["auto", "wide", "obb", "rss", "aabb", "ball"] {
        let words = [
            "--pose",
            "apart.json",
            "--ask",
            "intersects,pairs,distance",
            "--engine",
            engine,
            "--explain",
        ];
        let (_, answer) = ask(&folder, &words);
        let facts = (
            answer["intersects"].clone(),
            answer["face_pairs"].clone(),
            answer["distance"]["value"].clone(),
        );
        assert_eq!(*seen.get_or_insert(facts.clone()), facts, "{engine}");
        let explain = &answer["explain"];
        assert!(!explain["reason"].as_str().unwrap().is_empty());
        assert!(explain["index_bytes"].as_u64().unwrap() > 0, "{engine}");
        assert_eq!(explain["questions"].as_array().unwrap().len(), 2);
        assert!(explain["questions"][1]["work"]["volume_tests"].is_u64());
    }
}

#[test]
fn text_answers_each_question_in_its_order() {
    let folder = folder();
    let ran = folder.run(&[
        "query",
        "cube.obj",
        "cube.obj",
        "--pose",
        "overlap.json",
        "--to",
        "apart.json",
        "--ask",
        "depth,intersects,pairs,curves,distance,impact",
        "--explain",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let labels = [
        "depth",
        "intersects",
        "pairs",
        "curves",
        "distance",
        "impact",
        "explained",
        "engine",
        "index",
    ];
    let mut rest = ran.out.as_str();
    for label in labels {
        let at = rest
            .find(label)
            .unwrap_or_else(|| panic!("{label} is not in {}", ran.out));
        rest = &rest[at..];
    }
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 120),
        "{}",
        ran.out
    );
}

#[test]
fn lengths_have_their_unit() {
    let folder = folder();
    folder.write("metre.json", &moved(0.0015, 0.0, 0.0));
    let words = [
        "query",
        "cube.obj",
        "cube.obj",
        "--units",
        "mm",
        "--pose",
        "metre.json",
        "--ask",
        "distance",
    ];
    let ran = folder.run(&words);
    assert!(ran.out.contains(" m\n"), "{}", ran.out);
    let answer = folder.run(&[&words[..], &["--json"]].concat()).json();
    assert_eq!(answer["unit"], "m");
    assert!((number(&answer["distance"]["value"]) - 5e-4).abs() < 1e-15);
}

#[test]
fn many_poses_give_a_line_each_whatever_was_before() {
    let folder = folder();
    let list = [
        moved(3.0, 0.0, 0.0),
        moved(1.5, 0.0, 0.0),
        moved(0.75, 0.0, 0.0),
    ]
    .join(",");
    folder.write("poses.json", &format!("[{list}]"));
    let words = ["query", "cube.obj", "cube.obj", "--poses", "poses.json"];
    let ran = folder.run(&[&words[..], &["--json"]].concat());
    assert_eq!(ran.code, 1);
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    for (k, (line, distance)) in lines.iter().zip([2.0, 0.5]).enumerate() {
        assert_eq!(
            (&line["pose"], &line["intersects"]),
            (&Value::from(k), &Value::from(false))
        );
        assert_eq!(line["distance"]["value"], distance);
    }
    assert_eq!(lines[2]["intersects"], true);
    assert!(lines[2]["face_pairs"].as_u64().unwrap() > 0);
    // The same pose alone gives the same answer.
    let (_, alone) = ask(&folder, &["--pose", "apart.json"]);
    assert_eq!(alone["distance"], lines[1]["distance"]);

    let ran = folder.run(&[&words[..], &["--ask", "intersects,distance,depth"]].concat());
    assert_eq!(ran.out.lines().count(), 5, "{}", ran.out);
    assert!(ran.out.lines().next().unwrap().contains("depth"));
    assert!(ran.out.contains("1 of 3 poses"), "{}", ran.out);
    folder.write("one.json", &moved(0.0, 0.0, 0.0));
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--poses", "one.json"]);
    assert!(ran.code == 2 && ran.err.contains("--pose"), "{ran:?}");
}

#[test]
fn pictures_and_models_show_what_was_found() {
    let folder = folder();
    for (name, words) in [
        ("touch", &["--pose", "overlap.json"][..]),
        ("apart", &["--pose", "apart.json", "--ask", "distance"]),
        ("deep", &["--pose", "overlap.json", "--ask", "depth,curves"]),
        (
            "impact",
            &[
                "--pose",
                "start.json",
                "--to",
                "inside.json",
                "--ask",
                "impact",
            ],
        ),
        ("tree", &["--pose", "overlap.json", "--show", "tree"]),
    ] {
        let glb = format!("{name}.glb");
        let query = ["query", "cube.obj", "cube.obj", "--glb", &glb];
        // Pictures take longest: two kinds of them will do.
        let png: &[&str] = match name {
            "apart" | "tree" => &["--png", "shown.png"],
            _ => &[],
        };
        let ran = folder.run(&[&query[..], words, png].concat());
        assert!(ran.code < 2, "{ran:?}");
        assert!(ran.out.contains(&glb), "{}", ran.out);
        if !png.is_empty() {
            assert_eq!(folder.picture("shown.png"), (1200, 750, true));
        }
        // The model is read by the program itself, part by part.
        let ran = folder.run(&["info", &glb, "--json"]);
        assert!(ran.code < 2, "{ran:?}");
        let parts = ran.json()["parts"].clone();
        let names: Vec<&str> = parts
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|p| p["name"].as_str())
            .collect();
        assert!(names.iter().any(|part| part.starts_with('a')), "{names:?}");
        match name {
            "touch" => assert!(names.contains(&"a touching") && names.contains(&"curves")),
            "apart" | "deep" => assert!(names.contains(&"nearest points"), "{names:?}"),
            "impact" => assert!(names.contains(&"b at the start"), "{names:?}"),
            _ => {}
        }
    }
    // Nothing half-written stays behind.
    let left = std::fs::read_dir(folder.path()).unwrap();
    assert!(
        left.flatten()
            .all(|file| !file.file_name().to_string_lossy().contains("partial"))
    );
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--png", "nowhere/x.png"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("nowhere/x.png"), "{}", ran.err);
}

#[test]
fn a_budget_that_runs_out_leaves_each_answer_open() {
    let folder = folder();
    for (pose, words, path) in [
        ("overlap.json", &["--ask", "intersects"][..], "/intersects"),
        (
            "apart.json",
            &["--ask", "impact", "--to", "inside.json"],
            "/impact/hit",
        ),
    ] {
        let query = ["query", "cube.obj", "cube.obj", "--json", "--pose", pose];
        let ran = folder.run(&[&query[..], &["--limit-tests", "1"], words].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        let answer = ran.json();
        assert!(answer.pointer(path).is_none_or(Value::is_null), "{answer}");
    }
}

#[test]
fn records_have_the_same_keys_whatever_the_answer() {
    let folder = folder();
    let keys = |value: &Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let always = [
        "a",
        "a_from_b",
        "b",
        "engine",
        "exact",
        "milliseconds",
        "pose_repaired",
        "unit",
        "work",
    ];
    let expected = |own: &[&'static str]| {
        let mut keys = [&always[..], own].concat();
        keys.sort_unstable();
        keys
    };
    for pose in ["apart.json", "overlap.json"] {
        let (_, answer) = ask(&folder, &["--pose", pose]);
        let own = [
            "complete",
            "contained",
            "distance",
            "face_pairs",
            "intersects",
        ];
        assert_eq!(keys(&answer), expected(&own), "{pose}");
        let list = "intersects,curves,distance,tolerance,depth,impact";
        let words = [
            "--pose",
            pose,
            "--to",
            "start.json",
            "--tolerance",
            "1",
            "--ask",
            list,
        ];
        let (_, answer) = ask(&folder, &words);
        let own = [
            "contained",
            "curves",
            "depth",
            "distance",
            "impact",
            "intersects",
            "tolerance",
        ];
        assert_eq!(keys(&answer), expected(&own), "{pose}");
        for (question, own) in [
            (
                "distance",
                &["complete", "face_a", "face_b", "point_a", "point_b"][..],
            ),
            (
                "depth",
                &[
                    "complete",
                    "deepest",
                    "direction",
                    "face_a",
                    "face_b",
                    "overlaps",
                    "translation",
                ],
            ),
            (
                "impact",
                &[
                    "a_from_b",
                    "complete",
                    "contact_count",
                    "contacts",
                    "face_a",
                    "face_b",
                    "hit",
                    "normal",
                    "point",
                    "steps",
                ],
            ),
        ] {
            let mut wanted = [own, &["lower", "upper", "value"]].concat();
            wanted.sort_unstable();
            assert_eq!(keys(&answer[question]), wanted, "{question}");
        }
    }
}
