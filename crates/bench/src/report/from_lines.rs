//! Lines that a benchmark prints again and again in one shape, as tables.

use super::from_csv::MOST_ROWS;
use super::line_patterns::{ASKED, LINE_PATTERNS, LinePattern};
use crate::result_sheet::{Cell, Table};

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
    let mut tables = tables(LINE_PATTERNS, name, text);
    if name == "cloud-surface" {
        tables.extend(curves(text));
    }
    tables
}

/// What the bars of a benchmark ask, as tables for its pictures.
pub(super) fn asked(name: &str, text: &str) -> Vec<Table> {
    tables(ASKED, name, text)
}

fn tables(shapes: &[LinePattern], name: &str, text: &str) -> Vec<Table> {
    let of_part = |shape: &&LinePattern| {
        let rest = name.strip_prefix(shape.part);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let tables = shapes.iter().filter(of_part);
    let tables = tables.map(|shape| table(shape, text));
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn table(shape: &LinePattern, text: &str) -> Table {
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
    let is_asked = shape.words.starts_with("bar: ");
    for line in text
        .lines()
        .filter(|line| line.contains("bar: ") == is_asked)
    {
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
    use super::{ASKED, LINE_PATTERNS, asked, fit, shaped};
    use crate::result_sheet::Cell;

    #[test]
    fn every_shape_has_as_many_columns_as_gaps() {
        for shape in LINE_PATTERNS.iter().chain(ASKED) {
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
    fn what_bars_ask_is_read_from_bars_alone() {
        let text = "bar: rod-twist all vf 62 ns ≤ 100 ns: met\nrod-twist ee 62 ns ≤ 500 ns: met\nbar: rod-twist: 7 hits of 7: met\n";
        let tables = asked("ccd", text);
        assert_eq!(tables.len(), 1);
        let word = Cell::Text("rod-twist all vf".to_owned());
        assert_eq!(
            tables[0].rows,
            [[word, Cell::Number(62.0), Cell::Number(100.0)]]
        );
        assert_eq!(shaped("ccd", text), []);
        assert_eq!(asked("scan", text), []);
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
