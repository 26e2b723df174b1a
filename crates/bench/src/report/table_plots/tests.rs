//! A small text of each benchmark that is drawn, in the words that it prints.

use super::{drawn, line_list::LINES, row_list::ROWS};
use crate::report::figure::{Form, svg};
use crate::report::from_text::of_text;
use crate::result_sheet::{Plot, ResultSheet};

const SAMPLES: &[[&str; 2]] = &[
    [
        "deform-peers",
        "cloth/free: 48 frames, 0 pairs\n  auto                  10.24 ms on one thread, 6.10 ms with threads\n\
         \x20 ipctk                116.32 ms, 11.4 times ours; found 0\n  libigl               188.36 ms, 18.4 times ours; found 0\n\
         bar: cloth/free: 6.10 ms a frame with threads, the thesis had 20.24 ms on a GTX 480: met\n\n\
         cloth/crossing: 48 frames, 354508 pairs\n  auto                  14.72 ms on one thread, 8.81 ms with threads\n\
         \x20 ipctk                109.10 ms, 7.4 times ours; found 48 (stops at the first: not compared)\n\
         \x20 libigl               198.85 ms, 13.5 times ours; found 354508\n",
    ],
    [
        "deform-claims",
        "tablecloth/free (9 of 9 frames, 0 pairs)\n  clusters on one thread, 14.09 ms a frame: points 2.65, clusters 1.42, assignment 0.25, sort 2.93, decision 6.81, answer 0.02; the hashed grid 12.89 ms\n\
         tablecloth/crossing (9 of 9 frames, 231889 pairs)\n  clusters on one thread, 35.75 ms a frame: points 1.37, clusters 1.83, assignment 0.27, sort 2.63, decision 29.26, answer 0.39; the hashed grid 54.91 ms\n\
         funnel/free (9 of 9 frames, 0 pairs)\n  clusters on one thread, 5.75 ms a frame: points 1.37, clusters 1.83, assignment 0.27, sort 2.63, decision 29.26, answer 0.39; the hashed grid 4.91 ms\n",
    ],
    [
        "ccd",
        "set                     queries   hits   FN   FP        mean   axis / cubic, %\n\
         NYU vertex-face            3335    248    0    0     464.7 ns   66.8 / 15.2\n\
         bar: NYU vertex-face 465 ns ≤ 1000 ns: met\n\
         rod-twist ee               4370   4179    0    0     355.6 ns   0.0 / 0.6\n\
         bar: rod-twist ee 356 ns ≤ 500 ns: met\n\
         ipctk, NYU vertex-face: 3335 of 3335 queries answered, 446 hits, 0 FN, 198 FP, 4712895 ns net of an empty call of 1833 ns\n",
    ],
    [
        "scan",
        "one camera, at least 304002 points: index 3.60 ms, eight parts 0.46 ms, together 4.22 ms (median), 8.03 ms (95 %); hashed grid 5.01 ms; brute force 13019 ms\n\
         bar: index of 300 000 points in at most 5 ms, 3.60 ms: met\n\
         bar: index and eight parts in at most 10 ms (published 40 ms), 4.22 ms: met\n\
         nearest neighbours in 304174 points: build 4.30 ms, question 2961 ns; kiddo build 24.87 ms, question 7438 ns\n\
         four cameras for 60 s: 1216648 points thinned to 983694 to 999959, distances bracketed to 19.07 mm; merged, thinned and indexed in 16.4 ms, 17.2 ms a frame (median), 78.7 ms (longest), 3 of 1800 late (0.2 %), 30.00 frames a second\n\
         bar: 30 frames a second sustained for 60 s with at most a million points, 30.00 for 60 s: met\n",
    ],
    [
        "world",
        "race: median time of a question, in µs; better is the faster of exact and planes that answers\n\
         \x20                                      exact    planes      race   ratio   asked\n\
         blobs apart                             0.08      0.90      0.04    0.46     1.3\n\
         blobs in contact                        1.13         –      1.08    0.96     1.3\n",
    ],
    [
        "convex-speed",
        "intersects: nanoseconds a question\n\
         hulls of 8   impinge 162 gjk 352 (2.17x) mpr 231* (1.43x) coal 888 (5.49x) parry 406* (2.51x) parry-f64 415 (2.56x)\n\
         boxes        impinge 80 gjk 427 (5.32x) mpr 253 (3.16x) coal 608 (7.58x) parry 234 (2.91x) parry-f64 283 (3.53x)\n\
         distance: nanoseconds a question\n\
         hulls of 8   impinge 252 coal 754 (2.99x) parry 480 (1.90x) parry-f64 457 (1.81x)\n\
         capsules     impinge 113 coal 71 (0.63x) parry 563* (4.98x) parry-f64 1181 (10.46x)\n",
    ],
    [
        "clash-truth",
        "model:lock: 19 parts, 4160 faces, clearance 0.01: no clash in 0 ms; brute force 0.0 s\n\
         engine: 67 parts, 121496 faces, clearance 0.1: 80 crossing, 21 clearance in 2776 ms; brute force 27.6 s\n\
         gears: 6 parts, 6902 faces, clearance 0.0009: no clash in 5 ms; brute force 0.1 s\n\
         bolt: 2 parts, 5246 faces, clearance 0.0001: no clash in 4 ms; brute force 0.5 s\n",
    ],
    [
        "cloud-pairs",
        "a cloud of 100000 points on a ball\n  against    placed     distance   intersects   one by one    times\n\
         \x20    mesh     apart    1.2022 ms    0.0001 ms     624.0 ms      519\n\
         bar: mesh apart: distance within 10 ms: met\n\
         \x20   cloud  crossing    0.4062 ms    0.9038 ms     384.0 ms      945\n\
         \x20cylinder     apart    2.1250 ms    0.0007 ms            –        –\n",
    ],
    [
        "cloud-brackets",
        "            ball    25 candidates:  21.453 % of 4666 balls\n            ball    50 candidates:   8.101 % of 4666 balls\n\
         \x20           ball:    56.9 µs beside  1564.4,   7.7 evaluations and   9.3 lookups beside  284.0; sampling missed 22 of 400\n\
         \x20          torus:    70.9 µs beside  1008.9,   8.0 evaluations and  12.2 lookups beside  202.5; sampling missed 3 of 368\n\
         \x20      ellipsoid:    53.7 µs beside  1537.6,   9.6 evaluations and  19.6 lookups beside  306.4; sampling missed 8 of 322\n\
         \x20    10000 points: 9.001 ms to move, 4.439 ms to search\n     31600 points: 9.927 ms to move, 5.006 ms to search\n",
    ],
    [
        "configurations-generate",
        "pair           kind           configs   off line  unreached    queries per conf.        s     bytes\n\
         blob           distance        257920          0          0     357383      1.39     19.4   1450302\n\
         blob, volume: block 224 of 320, 64064 configurations, 2.2 blocks/s, 44 s left\n\
         blob           volume           91520          0          0     250741      2.74    149.1    632346\n\
         gear           distance        257920          0          0     402960      1.56     37.9   1363136\n\
         gear           volume           91520          0          0     269369      2.94    410.2    648607\n\
         screw          distance        257920          4          0     398851      1.55      7.0   1474762\n",
    ],
    [
        "volume-critical",
        "lens sum: processor time of the thread: median 0.082, 99.9th percentile 0.581, largest 0.689 ms\n\
         lens sum: wall time: median 0.083, 99.9th percentile 0.598, largest 5.136 ms\n\
         lens sum: wall time of a loop about as long, without memory: median 0.080, 99.9th percentile 0.159, largest 4.824 ms\n\
         bar: lens sum: 99.9th percentile of volume and force within 1 ms of the thread's processor time, 60000 steps: met\n",
    ],
    [
        "exact-volume-path",
        "  processor time of the thread                 median 0.131, 99.9th percentile 0.283, largest 0.685 ms\n\
         \x20 wall time                                    median 0.132, 99.9th percentile 0.304, largest 4.937 ms\n\
         \x20 wall time of a loop of fixed length          median 0.127, 99.9th percentile 0.300, largest 7.154 ms\n\
         bar: 99.9 % of the 60000 steps within 0.4 ms of the thread's processor time (0.283 ms): met\n",
    ],
    [
        "volume-distance",
        "## Distance of 500000 balls\n| | mean ms | median | 99th percentile |\n|---|---|---|---|\n| balls | 0.0156 | 0.0068 | 0.0583 |\n| fcl | 1.2687 | 1.3227 | 2.8982 |\n",
    ],
    [
        "volume-trees",
        "## Trees over 100000 balls\n| model | tree | build s | distance | lens sum | tests |\n|---|---|---|---|---|---|\n\
         | bunny | largest 8 | 0.04 | 24.9 | 46.8 | 67722 |\n| bunny | neural gas 8 | 0.24 | 14.0 | 27.3 | 51226 |\n\
         \x20 neural gas: sequential 0.28 s\n\
         | knot-1 | largest 8 | 0.05 | 33.8 | 58.7 | 53488 |\n| knot-1 | neural gas 8 | 0.21 | 19.6 | 41.4 | 37935 |\n| knot-1 | median 8 | 0.05 | 48.2 | 82.7 | 74682 |\n\
         pushed in by 1 %, default tree, the same with cones: 14 µs; 10364 tests of 1.35 ns, 183 pairs of balls overlap\n\
         pushed in by 10 %, default tree, the same with cones: 243 µs; 157204 tests of 1.55 ns, 5624 pairs of balls overlap\n",
    ],
    [
        "planes",
        "first plane                   10 updates         100 updates        1000 updates\n\
         across x              24.00 % |  9.70 %    3.00 % |  2.26 %    0.50 % |  0.33 %\n",
    ],
    [
        "ablation-1994",
        "idea                   scene                          published  by work  by time  by time        counted as work\n\
         edge against body      cage, one frame                        -   208.18   131.74  -              edge–face decisions\n\
         \x20   published only as \"many seconds\" without it\n\
         edge against face box  cage, 4200 pairs                    11.3   114.89     4.22  differs: less  edge–face decisions\n",
    ],
    [
        "kinetic",
        "tablecloth: 16030 faces, 31 keys\n\
         \x20   1 in-between:   2503.5 events   4307.1 updates (  192354 by refit) | kinetic   758.53 µs, refit     79.9, vector refit     87.2, interpolation    25.4 | auto     61.3 (up to 1 keys ahead)\n\
         \x20   3 in-between:    834.5 events   1435.7 updates (  192354 by refit) | kinetic   255.96 µs, refit     71.4, vector refit     82.8, interpolation    14.5 | auto     67.2 (up to 1 keys ahead)\n\
         \x20 for each frame: 4803.8 events, 4837.0 boxes compared (3910418 by swept boxes), 83472 pairs of faces tested (1433706), 42197 µs (505251): 12.0 times faster (published: 20 to 50)\n\
         avatar: 113536 faces, 31 keys\n\
         \x20   1 in-between:   2503.5 events   4307.1 updates (  192354 by refit) | kinetic   758.53 µs, refit     79.9, vector refit     87.2, interpolation    25.4 | auto     61.3 (up to 1 keys ahead)\n\
         \x20   3 in-between:    834.5 events   1435.7 updates (  192354 by refit) | kinetic   255.96 µs, refit     71.4, vector refit     82.8, interpolation    14.5 | auto     67.2 (up to 1 keys ahead)\n\
         \x20 for each frame: 803.8 events, 837.0 boxes compared (91418 by swept boxes), 8347 pairs of faces tested (14706), 4219 µs (50525): 12.0 times faster (published: 50)\n\
         swirl/free, recorded: 32000 faces, 60 keys\n\
         \x20 for each frame: 2725.5 events, 1248.3 boxes compared (621095 by swept boxes), 18712 pairs of faces tested (196268), 11171 µs (74961): 6.7 times faster (published: 2)\n",
    ],
    [
        "bodies",
        "a fifth overlapping, 100\nengine      build ms   frame ms\nimpinge         1.00       0.00\nfcl             1.00       0.01\n\n\
         dense, 100\nengine      build ms   frame ms\nimpinge         1.00       0.10\nfcl             1.00       0.01\n\n\
         a fifth overlapping, 1000\nengine      build ms   frame ms\nimpinge         2.00       0.10\nfcl             1.00       0.20\n\n\
         dense, 1000\nengine      build ms   frame ms\nimpinge         2.00       0.30\nfcl             1.00       0.70\n\n\
         a fifth overlapping, 200000\nengine      build ms   frame ms\nimpinge         9.00       0.90\nfcl             8.00       7.00\n\n\
         a fifth overlapping: build ms / frame ms / bytes per body\n100 bodies\n  tree                    0.041      0.001      224\n\
         1000 bodies\n  tree                    0.188      0.010      179\n",
    ],
    [
        "volume-growth",
        "## Time, armadillo\n| balls | wall s | processor s | half of it |\n|---|---|---|---|\n| 1000 | 0.74 | 1.32 | 0.66 |\nbar: 10000 balls in 1.5 s of wall time: missed\n| 10000 | 1.59 | 2.92 | 1.46 |\n",
    ],
    [
        "volume-accuracy",
        "## Shared volume\n| model | overlap | lens sum, mean error | with gaps, mean error | worst | upper, mean |\n|---|---|---|---|---|---|\n\
         | bunny | 1 % | 23.6 % | 0.4 % | 0.9 % | 1.28 |\n| bunny | 10 % | 15.5 % | 0.0 % | 0.1 % | 1.08 |\n",
    ],
    [
        "volume-forces",
        "## Largest change\n| steps | gradient of the lens sum | its torque | gradient of the value, gaps counted | its torque | cones | their torque |\n|---|---|---|---|---|---|---|\n\
         | 400 | 3.33e-4 | 2.29e-4 | 4.38e-4 | 4.31e-4 | 1.55e-5 | 6.83e-6 |\n| 800 | 1.69e-4 | 1.16e-4 | 2.25e-4 | 2.23e-4 | 7.74e-6 | 3.41e-6 |\n| in estimates | 0.124 | 0.053 | 0.093 | 0.044 | 0.120 | 0.061 |\n",
    ],
    [
        "exact-volume",
        "20 k deep                   20480 faces    699 crossings  ours     0.500 ms  manifold     11.67 ms     23.3x (bar 10x)  volume off by 1.6e-18\n\
         80 k deep                   81920 faces   1391 crossings  ours     1.419 ms  manifold     42.47 ms     29.9x (bar 15x)  volume off by 4.9e-18\n\
         coplanar fans                1596 faces   4788 crossings  ours    28.110 ms  manifold     78.15 ms      2.8x (bar 1x)  volume off by 1.2e-17\n",
    ],
    [
        "cloud-surface",
        "  h/s 0.70: 5.76 defined 0.364\n  h/s 0.81: 7.78 defined 0.571\ntwo densities      0  4.40    12.65\n",
    ],
    [
        "cloud-graphs",
        "ball:    points       time    processor  ns/point   edges/n\nball:     10000    13.8 ms      22.8 ms      2275      7.76\nball:     31600    42.1 ms      73.3 ms      2321      7.76\n\n\
         volume:    points       time    processor  ns/point   edges/n\nvolume:     10000    25.0 ms      43.0 ms      4300     14.54\nvolume:     31600    77.0 ms     140.0 ms      4430     14.76\n\n\
         edits: insert, remove, move in turn\n   points        graph     with paths    sources\n    10000     181.3 µs      1999.0 µs        308\n    31600     211.7 µs      2071.1 µs        309\n",
    ],
    [
        "half-edges",
        "     edges          time  ns/edge      warm  shuffled\n      9918      0.399 ms     40.2      16.7      50.3\n     31518      1.225 ms     38.9      17.0      56.4\n\n\
         \x20    edges   list search     counting     gain\n      1200      1.152 ms     0.022 ms    51.4×\n      9918     59.978 ms     0.146 ms   411.7×\n",
    ],
];

fn sheet(name: &str) -> ResultSheet {
    let [_, text] = SAMPLES.iter().find(|[known, _]| *known == name).unwrap();
    of_text(name, text)
}

fn plot<'a>(sheet: &'a ResultSheet, words: &str) -> &'a Plot {
    let found = sheet.plots.iter().find(|p| p.title.contains(words));
    found.unwrap_or_else(|| panic!("no {words} in {:?} {:?}", sheet.tables, sheet.notes))
}

/// The numbers of a series by the names of its rows.
fn row(plot: &Plot, series: &str) -> Vec<(String, f64)> {
    let found = plot.series.iter().find(|s| s.name == series).unwrap();
    let points = found.points.iter().map(|p| p[1]);
    found.names.iter().cloned().zip(points).collect()
}

#[test]
fn every_drawing_is_drawn_from_what_its_benchmark_prints() {
    let titles = LINES.iter().map(|d| (d.part, d.title));
    for (part, title) in titles.chain(ROWS.iter().map(|d| (d.part, d.title))) {
        let sheet = sheet(part);
        let plot = plot(&sheet, title);
        assert!(title.contains('?'), "{title} asks nothing");
        let picture = svg(plot, Form::Alone);
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        for series in &plot.series {
            assert!(picture.contains(&crate::report::text_format::escape(&series.name)));
            assert!(series.names.is_empty() || series.names.len() == series.points.len());
        }
        for name in plot.rows() {
            assert!(picture.contains(&crate::report::text_format::escape(name)));
        }
    }
}

#[test]
fn a_text_of_another_shape_has_a_note_and_no_picture() {
    for [name, text] in SAMPLES {
        let count = of_text(name, text).plots.len();
        // Where numbers were, there are none.
        let without = text.replace(|c: char| c.is_ascii_digit(), "x");
        let sheet = of_text(name, &without);
        assert_eq!(sheet.plots, [], "{name}");
        assert_eq!(sheet.notes.len(), count, "{name}: {:?}", sheet.notes);
        assert!(sheet.notes.iter().all(|n| n.contains("no picture")));
        // Cut off anywhere, it is at worst without pictures.
        for (k, _) in text.char_indices().step_by(13) {
            for plot in of_text(name, &text[..k]).plots {
                assert!(!svg(&plot, Form::Inline).contains("NaN"));
            }
        }
    }
    // A column of another name: the table is there, the picture is not.
    let [name, text] = SAMPLES.iter().find(|s| s[0] == "volume-growth").unwrap();
    let sheet = of_text(name, &text.replace("wall s", "wall seconds"));
    assert_eq!((sheet.plots.len(), sheet.tables.len()), (0, 1));
    assert!(
        sheet.notes[0].contains("balls; wall s"),
        "{:?}",
        sheet.notes
    );
    // Of another piece of the same benchmark nothing is missed.
    assert_eq!(of_text("volume-truths", "nothing\n").notes, [""; 0]);
}

#[test]
fn scenes_have_a_row_and_engines_a_colour() {
    let sheet = sheet("deform-peers");
    let plot = plot(&sheet, "frame of a deforming scene");
    assert_eq!(plot.rows(), ["cloth/free", "cloth/crossing"]);
    let of = |k: usize, x: f64| (plot.rows()[k].to_owned(), x);
    assert_eq!(row(plot, "impinge"), [of(0, 10.24), of(1, 14.72)]);
    // Who stopped at the first pair is not compared, and that is said.
    assert_eq!(row(plot, "ipctk"), [of(0, 116.32)]);
    assert_eq!(row(plot, "libigl"), [of(0, 188.36), of(1, 198.85)]);
    assert_eq!(row(plot, "thesis, GTX 480"), [of(0, 20.24)]);
    assert!(
        sheet.notes[0].contains("another answer or none: ipctk, cloth/crossing."),
        "{:?}",
        sheet.notes
    );
}

#[test]
fn another_answer_has_no_time_and_a_zero_is_too_short() {
    let convex = sheet("convex-speed");
    let [meet, apart] = ["intersect?", "apart"].map(|words| plot(&convex, words));
    assert_eq!(row(meet, "parry"), [("boxes".to_owned(), 234.0)]);
    assert_eq!(row(apart, "coal").len(), 2);
    assert!(!apart.series.iter().any(|s| s.name.contains("libccd")));
    assert!(convex.notes[0].contains("libccd MPR, hulls of 8; parry, hulls of 8"));
    let clash = sheet("clash-truth");
    let clash_plot = plot(&clash, "clashes of an assembly");
    // The fastest first; seconds are milliseconds.
    assert_eq!(clash_plot.rows(), ["gears", "bolt", "engine"]);
    assert_eq!(row(clash_plot, "brute force")[1].1, 500.0);
    assert!(clash_plot.y.is_logarithmic);
    assert!(clash.notes[0].contains("too short to be told: ours, model:lock"));
}

#[test]
fn what_is_asked_is_a_mark_in_its_row() {
    let scan = sheet("scan");
    let frame = plot(&scan, "stages of a frame");
    let asked = row(frame, "asked at most");
    assert_eq!(asked[0], ("one camera: index".to_owned(), 5.0));
    assert!((asked[2].1 - 1000.0 / 30.0).abs() < 1e-9);
    let picture = svg(frame, Form::Inline);
    // Three in rows, one in the key.
    assert_eq!(picture.matches("class=\"ask\"").count(), 4);
    let planes = sheet("planes");
    let planes = plot(&planes, "give up in vain");
    let ours: Vec<f64> = row(planes, "ours").iter().map(|r| r.1).collect();
    assert_eq!(ours, [9.7, 2.26, 0.33]);
}

#[test]
fn lines_end_where_one_of_them_is_too_short_to_be_told() {
    let bodies = sheet("bodies");
    let frame = plot(&bodies, "a fifth of them overlapping?");
    assert_eq!(frame.x.label, "boxes");
    assert!(frame.x.is_logarithmic && !frame.y.is_logarithmic);
    // Where one is too short to be told, none is the fastest.
    let of = |name: &str| frame.series.iter().find(|s| s.name == name).unwrap();
    assert_eq!(of("impinge").points, [[1000.0, 0.1], [200_000.0, 0.9]]);
    assert_eq!(of("fcl").points, [[1000.0, 0.2], [200_000.0, 7.0]]);
    assert!(drawn("rigid", &bodies.tables).plots.is_empty());
    assert!(drawn("bodies", &bodies.tables[..0]).plots.is_empty());
    // An error of nothing is a number.
    let accuracy = sheet("volume-accuracy");
    let error = plot(&accuracy, "shared volume off");
    assert_eq!(error.series[1].name, "bunny, with gaps");
    assert_eq!(error.series[1].points, [[1.0, 0.4], [10.0, 0.0]]);
    // A dot keeps its name.
    let exact = sheet("exact-volume");
    let dots = &plot(&exact, "size of the meshes").series[0];
    assert_eq!(dots.names, ["coplanar fans", "20 k deep", "80 k deep"]);
    assert!(plot(&exact, "size of the meshes").rows().is_empty());
}
