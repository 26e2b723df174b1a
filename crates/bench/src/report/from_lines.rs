//! Lines that a benchmark prints again and again in one shape, as tables.

use super::from_csv::MOST_ROWS;
use crate::sheet::{Cell, Table};

/// One shape of a line.
struct Shape {
    /// The benchmark, or the whole of which it is a piece.
    part: &'static str,
    title: &'static str,
    /// What stands at the gaps; one that begins with `#` is a number, or the line is of another shape.
    columns: &'static [&'static str],
    /// The words of a line, with `{}` for each gap. What comes after the last word does not matter.
    words: &'static str,
    /// The shape of the line above that names what these are about: its first gap comes before the columns.
    above: &'static str,
}

const SHAPES: &[Shape] = &[
    Shape {
        part: "exact-volume",
        title: "The exact shared volume beside Manifold",
        columns: &[
            "case",
            "#faces",
            "#crossings",
            "#ours, ms",
            "#Manifold, ms",
            "#times as fast",
            "#asked",
        ],
        words: "{} {} faces {} crossings ours {} ms manifold {} ms {}x (bar {}x)",
        above: "",
    },
    Shape {
        part: "exact-volume",
        title: "Volume and force along a path",
        columns: &[
            "clock",
            "#median, ms",
            "#99.9th percentile, ms",
            "#largest, ms",
        ],
        words: "{} median {}, 99.9th percentile {}, largest {} ms",
        above: "",
    },
    Shape {
        part: "volume",
        title: "Volume and force within a budget of tests",
        columns: &[
            "value",
            "clock",
            "#median, ms",
            "#99.9th percentile, ms",
            "#largest, ms",
        ],
        words: "{}: {}: median {}, 99.9th percentile {}, largest {} ms",
        above: "",
    },
    Shape {
        part: "volume",
        title: "What a budget costs in truth",
        columns: &[
            "value",
            "#questions cut off by their budget",
            "#of",
            "#off on average, %",
            "#off at the 99th percentile, %",
        ],
        words: "{}: {} of {} questions met their budget; the value is off by {} % on average, {} % at",
        above: "",
    },
    Shape {
        part: "volume",
        title: "Default tree, by how far the solids are pushed in",
        columns: &[
            "#pushed in, %",
            "what",
            "#µs",
            "#tests",
            "#ns for a test",
            "#pairs of balls",
        ],
        words: "pushed in by {} %, default tree, {}: {} µs; {} tests of {} ns, {} pairs of balls overlap",
        above: "",
    },
    Shape {
        part: "volume",
        title: "Mean error of the shared volume",
        columns: &["#lens sum", "#gaps counted"],
        words: "mean error: lens sum {}, gaps counted {}",
        above: "",
    },
    Shape {
        part: "volume",
        title: "Error of the distance by balls",
        columns: &["#mean", "#median", "#95th percentile", "#largest"],
        words: "error of balls: mean {}, median {}, 95th percentile {}, largest {};",
        above: "",
    },
    Shape {
        part: "kinetic",
        title: "Events beside updates, for each frame",
        columns: &[
            "scene",
            "#in-between frames",
            "#events",
            "#updates",
            "#updates of a refit",
            "#events, µs",
            "#refit, µs",
            "#vector refit, µs",
            "#interpolation, µs",
            "#chosen, µs",
        ],
        words: "{} in-between: {} events {} updates ({} by refit) | kinetic {} µs, refit {}, vector refit {}, interpolation {} | auto {} (",
        above: "{}: {} faces, {} keys",
    },
    Shape {
        part: "kinetic",
        title: "Kinetic structures, for each frame",
        columns: &["scene", "structure", "#events", "#updates", "#µs"],
        words: "kinetic {} {} events {} updates {} µs for each frame",
        above: "{}: {} faces, {} keys",
    },
    Shape {
        part: "deform",
        title: "Ours, for each frame",
        columns: &["scene", "engine", "#one thread, ms", "#all threads, ms"],
        words: "{} {} ms on one thread, {} ms with threads",
        above: "{}: {} frames, {} pairs",
    },
    Shape {
        part: "deform",
        title: "Other libraries, for each frame",
        columns: &["scene", "engine", "#ms", "#times ours", "pairs found"],
        words: "{} {} ms, {} times ours; found {}",
        above: "{}: {} frames, {} pairs",
    },
    Shape {
        part: "bodies",
        title: "A cage of bodies",
        columns: &["engine", "#ms a frame", "#pairs a frame"],
        words: "{} {} ms a frame {} pairs a frame",
        above: "",
    },
    Shape {
        part: "average",
        title: "Errors and times",
        columns: &[
            "model",
            "#faces",
            "engine",
            "#error %",
            "#false yes %",
            "#false no %",
            "#error 1 to 2 %",
            "#µs",
            "#times k-DOP",
            "#times default",
        ],
        words: "{} {} {} error {} % ({} yes, {} no), {} % at 1 to 2, {} µs, {}x k-DOP, {}x default",
        above: "",
    },
    Shape {
        part: "configurations-check",
        title: "Configurations, checked by an engine that did not make them",
        columns: &[
            "pair",
            "kind",
            "#configurations",
            "#asked about",
            "#wrong",
            "#unanswered",
            "#largest error, tolerances",
            "#s",
        ],
        words: "{} {} {} configurations, {} asked about, {} wrong, {} unanswered, largest error {} tolerances, {} s",
        above: "",
    },
    Shape {
        part: "planes",
        title: "Frames answered \"meeting\" although apart",
        columns: &[
            "first plane",
            "#10 updates, published %",
            "#ours %",
            "#100 updates, published %",
            "#ours %",
            "#1000 updates, published %",
            "#ours %",
        ],
        words: "{} {} % | {} % {} % | {} % {} % | {} %",
        above: "",
    },
    Shape {
        part: "cloud-brackets",
        title: "Collision balls missed, by the number of candidates",
        columns: &["model", "#candidates", "#missed, %", "#balls"],
        words: "{} {} candidates: {} % of {} balls",
        above: "",
    },
    Shape {
        part: "cloud-brackets",
        title: "First crossing beside random sampling, mean of a query",
        columns: &[
            "model",
            "#ours, µs",
            "#sampling, µs",
            "#evaluations",
            "#lookups",
            "#evaluations of sampling",
            "crossings missed by sampling",
        ],
        words: "{}: {} µs beside {}, {} evaluations and {} lookups beside {}; sampling missed {}",
        above: "",
    },
    Shape {
        part: "cloud-brackets",
        title: "A ball of which four points move",
        columns: &["#points", "#move, ms", "#search, ms"],
        words: "{} points: {} ms to move, {} ms to search",
        above: "",
    },
    Shape {
        part: "cloud-pairs",
        title: "The nearest of all points",
        columns: &["engine", "#build, ms", "#question, ns"],
        words: "{}: build {} ms, a question {} ns",
        above: "",
    },
    Shape {
        part: "convex-speed",
        title: "Convex pairs, nanoseconds a question; with * another answer",
        columns: &[
            "question",
            "shapes",
            "#impinge, ns",
            "libccd GJK, ns",
            "#times ours",
            "libccd MPR, ns",
            "#times ours",
            "coal, ns",
            "#times ours",
            "parry, ns",
            "#times ours",
            "parry-f64, ns",
            "#times ours",
        ],
        words: "{} impinge {} gjk {} ({}x) mpr {} ({}x) coal {} ({}x) parry {} ({}x) parry-f64 {} ({}x)",
        above: "{}: nanoseconds a question",
    },
    Shape {
        part: "convex-speed",
        title: "Convex pairs, nanoseconds a question; with * another answer",
        columns: &[
            "question",
            "shapes",
            "#impinge, ns",
            "coal, ns",
            "#times ours",
            "parry, ns",
            "#times ours",
            "parry-f64, ns",
            "#times ours",
        ],
        words: "{} impinge {} coal {} ({}x) parry {} ({}x) parry-f64 {} ({}x)",
        above: "{}: nanoseconds a question",
    },
];

/// What stands in the gaps between words, where those of numbers hold numbers.
fn fit(line: &str, words: &[&str], is_number: &[bool]) -> Option<Vec<String>> {
    let [first, rest @ ..] = words else {
        return None;
    };
    let line = line.strip_prefix(first)?;
    let (Some(next), Some(must)) = (rest.first(), is_number.first()) else {
        return Some(Vec::new());
    };
    let is_fitting = |gap: &str| {
        let gap = gap.trim();
        !gap.is_empty() && (!must || gap.parse::<f64>().is_ok_and(f64::is_finite))
    };
    // The last gap without words after it goes to the end.
    if next.is_empty() && rest.len() == 1 {
        return is_fitting(line).then(|| vec![line.trim().to_owned()]);
    }
    line.match_indices(next)
        .filter(|(at, _)| is_fitting(&line[..*at]))
        .find_map(|(at, _)| {
            let mut gaps = fit(&line[at..], rest, &is_number[1..])?;
            gaps.insert(0, line[..at].trim().to_owned());
            Some(gaps)
        })
}

/// A line with one space where there are several, and none after a bracket.
fn plain(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").replace("( ", "(")
}

/// The tables of all shapes that a benchmark prints, in the order of its list.
pub(super) fn shaped(name: &str, text: &str) -> Vec<Table> {
    let of_part = |shape: &&Shape| {
        let rest = name.strip_prefix(shape.part);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let tables = SHAPES
        .iter()
        .filter(of_part)
        .map(|shape| table(shape, text));
    let mut tables: Vec<Table> = tables.filter(|table| !table.rows.is_empty()).collect();
    if name == "cloud-surface" {
        tables.extend(curves(text));
    }
    tables
}

fn table(shape: &Shape, text: &str) -> Table {
    let words: Vec<&str> = shape.words.split("{}").collect();
    let above: Vec<&str> = shape.above.split("{}").collect();
    let own = usize::from(!shape.above.is_empty());
    let is_number: Vec<bool> = shape
        .columns
        .iter()
        .skip(own)
        .map(|column| column.starts_with('#'))
        .collect();
    let mut rows = Vec::new();
    let mut about = String::new();
    for line in text.lines().filter(|line| !line.contains("bar: ")) {
        let line = plain(line);
        if own > 0
            && let Some(gaps) = fit(&line, &above, &vec![false; above.len() - 1])
        {
            about = gaps.into_iter().next().unwrap_or_default();
        } else if let Some(gaps) = fit(&line, &words, &is_number)
            && rows.len() < MOST_ROWS
        {
            let cells = gaps.into_iter().zip(&is_number);
            let cells = cells.map(|(gap, is_number)| match gap.parse() {
                Ok(number) if *is_number => Cell::Number(number),
                _ => Cell::Text(gap),
            });
            let about = (own > 0).then(|| Cell::Text(about.clone()));
            rows.push(about.into_iter().chain(cells).collect());
        }
    }
    let columns = shape.columns.iter().map(|c| c.trim_start_matches('#'));
    Table {
        title: shape.title.to_owned(),
        columns: columns.map(str::to_owned).collect(),
        rows,
    }
}

/// The error of a surface over its bandwidth: each curve stands above the row of its model and noise.
fn curves(text: &str) -> Option<Table> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut points: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        let line = plain(line);
        if let Some(gaps) = fit(&line, &["h/s ", ": ", " defined ", ""], &[true; 3]) {
            points.push(gaps);
        } else if let Some(gaps) = fit(&line, &["", " ", " ", ""], &[false, true, false])
            && !points.is_empty()
            && !gaps[0].contains([':', '/'])
        {
            for point in points.drain(..) {
                let numbers = point.iter().map(|gap| super::from_csv::cell(gap));
                let names = [Cell::Text(gaps[0].clone()), super::from_csv::cell(&gaps[1])];
                if rows.len() < MOST_ROWS {
                    rows.push(names.into_iter().chain(numbers).collect());
                }
            }
        }
    }
    (!rows.is_empty()).then(|| Table {
        title: "Error of the surface by a fixed bandwidth, geodesic kernel".to_owned(),
        columns: [
            "model",
            "noise, spacings",
            "bandwidth, spacings",
            "error, thousandths of the spacing",
            "part on which it is defined",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::{SHAPES, fit, shaped};
    use crate::sheet::Cell;

    #[test]
    fn every_shape_has_as_many_columns_as_gaps() {
        for shape in SHAPES {
            let gaps = shape.words.matches("{}").count();
            let own = usize::from(!shape.above.is_empty());
            assert_eq!(shape.columns.len(), gaps + own, "{}", shape.words);
        }
    }

    #[test]
    fn gaps_reach_as_far_as_their_numbers_are_numbers() {
        let words = ["", " ", " faces in ", " ms"];
        let is_number = [false, true, true];
        let gaps = fit(
            "20 k deep 20480 faces in 0.5 ms and more",
            &words,
            &is_number,
        );
        assert_eq!(
            gaps,
            Some(["20 k deep", "20480", "0.5"].map(str::to_owned).to_vec())
        );
        assert_eq!(
            fit("20 k deep 20480 faces in x ms", &words, &is_number),
            None
        );
        assert_eq!(fit("", &words, &is_number), None);
    }

    #[test]
    fn lines_of_one_shape_become_a_table_under_what_they_are_about() {
        let text = "cloth/free: 48 frames, 0 pairs\n  auto    10.24 ms on one thread, 6.10 ms with threads\n\
                    \x20 parry-refit     48.15 ms, 4.7 times ours; found 0\n\
                    bar: cloth/free: 4.7 times as fast as parry-refit, asked 3: met\n\
                    funnel: 48 frames, 9 pairs\n  libigl  9 ms, 2.0 times ours; found 9\n";
        let tables = shaped("deform-peers", text);
        let word = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(tables.len(), 2);
        assert_eq!(
            tables[0].rows,
            [[
                word("cloth/free"),
                word("auto"),
                Cell::Number(10.24),
                Cell::Number(6.1)
            ]]
        );
        assert_eq!(tables[1].rows.len(), 2);
        assert_eq!(tables[1].rows[1][0], word("funnel"));
        assert_eq!(shaped("deformed", text), []);
        assert_eq!(shaped("kinetic", text), []);
    }

    #[test]
    fn a_curve_belongs_to_the_model_below_it() {
        let text = "  h/s 0.70: 5.76 defined 0.364\n  h/s 0.81: 7.78 defined 0.571\n  noise/s 0.000 curvature 1.003\n\
                    two densities      0  4.40    12.65\n  h/s 0.70: 84.84 defined 0.344\nball   0.1  6.95\n";
        let tables = shaped("cloud-surface", text);
        assert_eq!(tables[0].rows.len(), 3, "{tables:?}");
        assert_eq!(tables[0].rows[1][0], Cell::Text("two densities".to_owned()));
        assert_eq!(tables[0].rows[1][3], Cell::Number(7.78));
        assert_eq!(tables[0].rows[2][1], Cell::Number(0.1));
    }
}
