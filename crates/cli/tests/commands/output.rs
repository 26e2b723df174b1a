//! `impinge query`: how answers are told: text, records, pictures, lines for many poses.

use crate::program::cubes::{IMPACT, ask, folder, number};
use crate::program::moved;
use serde_json::Value;

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
        ("impact", &IMPACT),
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
