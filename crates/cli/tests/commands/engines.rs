//! `impinge query --engine`: all engines tell the same, and what each can be told besides.

use crate::program::cubes::{ask, folder};
use serde_json::Value;

const OVERLAPPING_BALLS: [&str; 5] = [
    "query",
    "model:icosphere?faces=500",
    "model:icosphere?faces=500",
    "--pose",
    "overlap.json",
];

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
fn more_pixels_leave_fewer_pairs_that_do_not_meet() {
    let folder = folder();
    let pairs = |engine: &[&str]| {
        let words = ["--ask", "pairs", "--json", "--engine"];
        let ran = folder.run(&[&OVERLAPPING_BALLS[..], &words, engine].concat());
        assert!(ran.code < 2, "{ran:?}");
        let answer = ran.json();
        assert_eq!(answer["exact"], engine == ["wide"]);
        answer["face_pairs"].as_u64().unwrap()
    };
    let exact = pairs(&["wide"]);
    let coarse = pairs(&["z-buffer", "--pixels", "16"]);
    let usual = pairs(&["z-buffer"]);
    let fine = pairs(&["z-buffer", "--pixels", "1024"]);
    assert!(exact <= fine && fine < usual && usual < coarse);
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--pixels", "9"]);
    assert!(ran.code == 2 && ran.err.contains("z-buffer"), "{ran:?}");
}

#[test]
fn the_edge_polygon_engine_gets_polygons_as_they_were_read() {
    let folder = folder();
    // A frame: a square with a square hole, its outline joined to the hole by a bridge, and a plug.
    folder.write(
        "frame.obj",
        "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 0\nv 3 1 0\nv 3 3 0\nv 1 3 0\nf 1 2 3 4 1 5 8 7 6 5\n",
    );
    folder.write(
        "plug.obj",
        "v 1.5 1.5 0\nv 2.5 1.5 0\nv 2.5 2.5 0\nv 1.5 2.5 0\nf 1 2 3 4\n",
    );
    folder.write("aside.json", &crate::program::moved(1.0, 0.25, 0.0));
    for (a, b, pose) in [
        ("frame.obj", "plug.obj", None),
        ("frame.obj", "plug.obj", Some("aside.json")),
        ("cube.obj", "cube.obj", Some("overlap.json")),
    ] {
        let mut seen: Option<(Value, String)> = None;
        for engine in ["wide", "edge-polygon"] {
            let mut words = vec!["query", a, b, "--engine", engine, "--explain", "--json"];
            words.extend(["--pairs", "pairs.csv"]);
            words.extend(pose.into_iter().flat_map(|file| ["--pose", file]));
            let ran = folder.run(&words);
            assert!(ran.code < 2, "{ran:?}");
            let answer = ran.json();
            if engine == "edge-polygon" {
                let reason = answer["explain"]["reason"].as_str().unwrap();
                assert!(reason.contains("polygons as they were read"), "{reason}");
            }
            // The triangles that meet are the same, whatever found them.
            let facts = (answer["face_pairs"].clone(), folder.read("pairs.csv"));
            assert_eq!(*seen.get_or_insert(facts.clone()), facts, "{engine}");
        }
    }
}

#[test]
fn the_tree_that_is_shown_is_the_engines_own() {
    let folder = folder();
    let show = |engine: &str| {
        let words = ["--show", "tree", "--glb", "tree.glb", "--engine", engine];
        let ran = folder.run(&[&OVERLAPPING_BALLS[..], &words].concat());
        if ran.code == 2 {
            return Err(ran.err);
        }
        Ok(std::fs::read(folder.path().join("tree.glb")).unwrap())
    };
    let wide = show("wide").unwrap();
    for engine in ["aabb", "obb", "cut-tree", "box-tree", "restricted-tree"] {
        let own = show(engine).unwrap();
        assert!(own != wide, "{engine} shows the default tree");
    }
    for engine in ["ball", "z-buffer", "face-sweep", "edge-polygon"] {
        let error = show(engine).unwrap_err();
        assert!(
            error.contains(engine) && error.contains("--engine wide"),
            "{error}"
        );
    }
}

#[test]
fn the_engine_that_may_be_wrong_says_how_sure_it_is() {
    let folder = folder();
    folder.write("near.json", &crate::program::moved(1.0, 0.2, 0.1));
    folder.write("far.json", &crate::program::moved(90.0, 0.0, 0.0));
    let ball = "model:icosphere?faces=5000";
    let ask = |pose: &str, words: &[&str]| {
        let query = ["query", ball, ball, "--engine", "average", "--pose", pose];
        folder.run(&[&query[..], words].concat())
    };
    let ran = ask("near.json", &["--json"]);
    let answer = ran.json();
    assert_eq!((ran.code, &answer["intersects"]), (1, &Value::Bool(true)));
    assert_eq!(answer["certain"], false);
    let confidence = answer["confidence"].as_f64().unwrap();
    assert!(confidence > 0.9 && confidence < 1.0, "{answer}");
    assert_eq!(
        (&answer["engine"], &answer["exact"]),
        (&"average".into(), &false.into())
    );
    assert_eq!(
        (answer["p_min"].as_f64(), answer["k_min"].as_u64()),
        (Some(0.99), Some(10))
    );
    assert!(answer["work"]["volume_tests"].as_u64().unwrap() > 0);
    let fewer = ask("near.json", &["--json", "--k-min", "1"]).json();
    assert!(fewer["work"]["volume_tests"].as_u64() < answer["work"]["volume_tests"].as_u64());
    // The order changes the work and not what is asked; regions are shown where they are wanted.
    assert_eq!(
        (&answer["order"], answer.get("regions")),
        (&"probable".into(), None)
    );
    let mut works = Vec::new();
    for order in [
        "probable",
        "largest-volume",
        "depth-first",
        "breadth-first",
        "shrinking",
    ] {
        let ran = ask("near.json", &["--json", "--order", order, "--regions", "3"]);
        let answer = ran.json();
        assert_eq!((ran.code, &answer["order"]), (1, &order.into()));
        works.push(answer["work"]["volume_tests"].as_u64().unwrap());
        let regions = answer["regions"].as_array().unwrap();
        assert!((1..=3).contains(&regions.len()), "{answer}");
        for region in regions {
            assert!(region["probability"].as_f64().unwrap() >= 0.99 - 1e-6);
            for mesh in ["a", "b"] {
                let [min, max] = ["min", "max"].map(|end| region[mesh][end][0].as_f64().unwrap());
                // Boxes of a ball of radius 1, each in the frame of its mesh.
                assert!(-1.1 < min && min < max && max < 1.1, "{region}");
            }
        }
    }
    works.sort_unstable();
    works.dedup();
    assert!(works.len() >= 3, "the order is no idle word: {works:?}");
    let ran = ask("near.json", &["--regions", "2"]);
    assert!(
        ran.out
            .contains("2 regions in which surfaces probably meet"),
        "{ran:?}"
    );
    assert_eq!(ran.out.matches("; probability ").count(), 2, "{ran:?}");
    let ran = ask("far.json", &["--json", "--regions", "2"]);
    assert_eq!(ran.json()["regions"].as_array().map(Vec::len), Some(0));
    // Only a no is ever certain.
    let ran = ask("far.json", &["--json", "--ask", "intersects"]);
    let answer = ran.json();
    assert_eq!((ran.code, &answer["intersects"]), (0, &Value::Bool(false)));
    assert_eq!(
        (&answer["certain"], &answer["confidence"]),
        (&true.into(), &1.0.into())
    );
    // Out of time it says what it knows: nothing, in this case.
    let ran = ask("near.json", &["--json", "--limit-tests", "0"]);
    assert_eq!(
        (ran.code, &ran.json()["complete"]),
        (2, &Value::Bool(false))
    );
    assert_eq!(ran.json()["confidence"], 0.5);
    let ran = ask("near.json", &["--budget", "1000", "--explain"]);
    assert!(ran.code == 1 && ran.out.contains("probably yes"), "{ran:?}");
    // What it cannot answer is refused, and so are its options with other engines.
    for words in [
        &["--ask", "distance"][..],
        &["--pairs", "pairs.csv"],
        &["--solid"],
        &["--p-min", "2"],
        &["--k-min", "0"],
        &["--budget", "-1"],
        &["--order", "sideways"],
        &["--regions", "200000"],
    ] {
        let ran = ask("near.json", words);
        assert!(ran.code == 2 && !ran.err.is_empty(), "{words:?}: {ran:?}");
    }
    for (option, value) in [
        ("--k-min", "5"),
        ("--order", "shrinking"),
        ("--regions", "1"),
    ] {
        let ran = folder.run(&["query", ball, ball, option, value]);
        assert!(
            ran.code == 2 && ran.err.contains("--engine average"),
            "{ran:?}"
        );
    }
    let poses = format!(
        "[{},{}]",
        crate::program::moved(1.0, 0.2, 0.1),
        crate::program::moved(90.0, 0.0, 0.0)
    );
    folder.write("poses.json", &poses);
    let ran = folder.run(&[
        "query",
        ball,
        ball,
        "--engine",
        "average",
        "--poses",
        "poses.json",
    ]);
    assert!(ran.code == 1 && ran.out.contains("1 of 2 poses"), "{ran:?}");
}
