//! `impinge query --ask`: every question against a closed form.

use crate::program::cubes::{IMPACT, ask, ask_of, bracket, folder, number};
use crate::program::{Folder, moved};
use serde_json::Value;

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
    let words = ["--pose", "aside.json", "--ask", "depth"];
    let (code, answer) = ask_of("model:icosphere?faces=1280", &folder, &words);
    assert_eq!(code, 1);
    let depth = number(&answer["depth"]["value"]);
    assert!((0.47..0.5).contains(&depth), "{depth}");
    assert!(number(&answer["depth"]["lower"]) > 0.98 * depth);
}

#[test]
fn impact_of_a_sliding_cube_is_when_it_arrives() {
    let folder = folder();
    let (code, answer) = ask(&folder, &IMPACT);
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
            "--repair",
            "--wrap 1%",
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
