//! Tables that a benchmark printed in aligned columns.

use super::from_csv::{MOST_ROWS, cell};
use crate::result_sheet::{Cell, Table};

/// A piece of a line between wide gaps, with the places of its first character and of the one after its last.
#[derive(Clone, Debug, PartialEq)]
struct LinePiece {
    text: String,
    start: usize,
    end: usize,
}

/// The pieces of a line that at least so many spaces part.
fn pieces(line: &str, gap: usize) -> Vec<LinePiece> {
    let mut found: Vec<LinePiece> = Vec::new();
    for (k, c) in line.chars().enumerate() {
        if c.is_whitespace() {
            continue;
        }
        match found.last_mut() {
            Some(last) if k - last.end < gap => {
                last.text.extend(std::iter::repeat_n(' ', k - last.end));
                last.text.push(c);
                last.end = k + 1;
            }
            _ => found.push(LinePiece {
                text: c.to_string(),
                start: k,
                end: k + 1,
            }),
        }
    }
    found
}

/// A number, alone or before a word that is its unit.
fn measured(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let is_unit = unit.chars().all(|c| c.is_alphabetic() || c == '%');
    let number: f64 = number.parse().ok()?;
    (is_unit && number.is_finite()).then_some((number, unit))
}

fn is_nothing(text: &str) -> bool {
    text == "-" || text == "–"
}

/// A row of numbers under a name: three columns at least, and two that were measured.
fn row(line: &str) -> Option<Vec<LinePiece>> {
    let pieces = pieces(line, 2);
    let measured = pieces
        .iter()
        .skip(1)
        .filter(|piece| measured(&piece.text).is_some() || is_nothing(&piece.text))
        .count();
    (pieces.len() > 2 && measured > 1 && !line.contains("bar: ")).then_some(pieces)
}

/// The words of a line that may be the head of a table: there is no number among them.
fn head(line: &str) -> Option<Vec<LinePiece>> {
    let words = pieces(line, 1);
    let is_word = |word: &LinePiece| measured(&word.text).is_none() && !is_nothing(&word.text);
    (words.len() > 1 && !line.contains("bar: ") && !line.contains('|') && words.iter().all(is_word))
        .then_some(words)
}

/// Columns of a head over rows: numbers end where their heads do, and words end before those of the next column.
fn columns(head: &[LinePiece], rows: &[Vec<LinePiece>]) -> Option<Vec<String>> {
    let count = rows.first()?.len();
    let mut ends = vec![0; count];
    for row in rows {
        for (end, piece) in ends.iter_mut().zip(row) {
            *end = piece.end.max(*end);
        }
    }
    // A head may be longer than all names below it, where both begin.
    let names = rows.iter().filter_map(|row| row.first());
    if let Some(word) = head.first()
        && names.map(|name| name.start).min() == Some(word.start)
    {
        ends[0] = ends[0].max(word.end);
    }
    let mut columns = vec![String::new(); count];
    for word in head {
        let at = ends.iter().position(|end| word.end <= *end);
        let column = &mut columns[at.unwrap_or(count - 1)];
        if !column.is_empty() {
            column.push(' ');
        }
        column.push_str(&word.text);
    }
    // The names of the rows need none.
    let is_named = columns.iter().skip(1).all(|column| !column.is_empty());
    is_named.then_some(columns)
}

/// Cells of which a whole column has one unit become numbers, and the column says the unit.
pub(super) fn with_units(table: &mut Table) {
    for (k, column) in table.columns.iter_mut().enumerate() {
        let mut units: Vec<&str> = Vec::new();
        let mut is_measured = true;
        for row in &table.rows {
            match row.get(k) {
                Some(Cell::Text(text)) => match measured(text) {
                    Some((_, unit)) => units.push(unit),
                    None => is_measured = false,
                },
                Some(Cell::Number(_)) => units.push(""),
                _ => {}
            }
        }
        units.sort_unstable();
        units.dedup();
        let [unit] = units.as_slice() else { continue };
        if !is_measured || unit.is_empty() {
            continue;
        }
        *column = format!("{column}, {unit}");
        for cell in table.rows.iter_mut().filter_map(|row| row.get_mut(k)) {
            if let Cell::Text(text) = cell
                && let Some((number, _)) = measured(text)
            {
                *cell = Cell::Number(number);
            }
        }
    }
}

fn filled(text: &str) -> Cell {
    if is_nothing(text) {
        return Cell::Void {
            reason: "not measured".to_owned(),
        };
    }
    cell(text)
}

/// The tables with a line of heads over aligned rows. A blank line ends a table; what else stands between its rows does not.
pub(super) fn aligned(text: &str) -> Vec<Table> {
    let lines: Vec<&str> = text.lines().collect();
    let mut tables = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((head, first)) = head(lines[at]).zip(lines.get(at + 1).and_then(|l| row(l)))
        else {
            at += 1;
            continue;
        };
        let block = lines[at + 1..].iter().take_while(|l| !l.trim().is_empty());
        let block: Vec<&str> = block.copied().collect();
        let rows: Vec<Vec<LinePiece>> = block
            .iter()
            .filter_map(|line| row(line))
            .filter(|row| row.len() == first.len())
            .take(MOST_ROWS)
            .collect();
        let Some(columns) = columns(&head, &rows) else {
            at += 1;
            continue;
        };
        let above = at.checked_sub(1).map_or("", |above| lines[above].trim());
        let is_title = !above.contains("bar: ") && !above.starts_with("load of this machine");
        let title = if is_title { above } else { "" };
        let cells = |row: Vec<LinePiece>| row.iter().map(|piece| filled(&piece.text)).collect();
        let mut table = Table {
            title: title.trim_matches([':', '=', ' ']).to_owned(),
            columns,
            rows: rows.into_iter().map(cells).collect(),
        };
        // A name before every row is that of the table.
        if let Some(name) = table.columns[0].strip_suffix(':') {
            table.title = name.to_owned();
            table.columns.remove(0);
            for row in &mut table.rows {
                row.remove(0);
            }
        }
        with_units(&mut table);
        tables.push(table);
        at += 1 + block.len();
    }
    merged(tables)
}

/// The tables whose heads are listed after their title, `title: a / b / c` or `title: a, b, c`; a line with a number and a word begins a group of rows.
pub(super) fn listed(text: &str) -> Vec<Table> {
    let lines: Vec<&str> = text.lines().collect();
    let group = |line: &str| -> Option<(f64, String)> {
        let (number, word) = line.trim().split_once(' ')?;
        let is_word = word.chars().all(char::is_alphabetic);
        Some((number.parse().ok().filter(|_| is_word)?, word.to_owned()))
    };
    let numbers = |line: &str, count: usize| -> Option<Vec<Cell>> {
        let pieces = pieces(line, 2);
        let cells: Vec<Cell> = pieces.iter().map(|piece| cell(&piece.text)).collect();
        let is_row = cells.len() == count + 1
            && matches!(cells[0], Cell::Text(_))
            && cells[1..].iter().all(|c| matches!(c, Cell::Number(_)));
        is_row.then_some(cells)
    };
    let mut tables = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((title, heads)) = line.trim().rsplit_once(": ") else {
            continue;
        };
        let heads: Vec<&str> = if heads.contains(" / ") {
            heads.split(" / ").collect()
        } else {
            heads.split(", ").collect()
        };
        if heads.len() < 2 || line.contains("bar: ") {
            continue;
        }
        let mut table = Table {
            title: title.to_owned(),
            columns: vec![String::new()],
            rows: Vec::new(),
        };
        let mut now = None;
        for line in &lines[at + 1..] {
            if let Some((number, word)) = group(line) {
                if table.columns.len() == 1 {
                    table.columns.insert(0, word);
                }
                now = Some(number);
            } else if let Some(mut cells) = numbers(line, heads.len())
                && table.rows.len() < MOST_ROWS
            {
                // What has no number of its group came before the first.
                if (table.columns.len() == 2) != now.is_some() {
                    break;
                }
                cells.splice(0..0, now.map(Cell::Number));
                table.rows.push(cells);
            } else {
                break;
            }
        }
        table.columns.extend(heads.into_iter().map(str::to_owned));
        if !table.rows.is_empty() {
            tables.push(table);
        }
    }
    tables
}

/// Tables with the same columns as one, with their titles as a column, and with the number at the end of the titles as another.
fn merged(tables: Vec<Table>) -> Vec<Table> {
    let mut kinds: Vec<Vec<Table>> = Vec::new();
    for table in tables {
        match kinds.iter_mut().find(|k| k[0].columns == table.columns) {
            Some(kind) => kind.push(table),
            None => kinds.push(vec![table]),
        }
    }
    kinds.into_iter().filter_map(one).collect()
}

fn one(mut kind: Vec<Table>) -> Option<Table> {
    if kind.len() < 2 {
        return kind.pop();
    }
    let numbered = |table: &Table| -> Option<(String, f64)> {
        let (name, number) = table.title.rsplit_once(", ")?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    let first = &kind[0];
    let is_numbered = kind.iter().all(|table| numbered(table).is_some());
    let is_same = kind.iter().all(|table| table.title == first.title);
    let mut whole = Table {
        title: if is_same {
            first.title.clone()
        } else {
            String::new()
        },
        columns: first.columns.clone(),
        rows: Vec::new(),
    };
    if !is_same {
        let added = ["scene", "number"].into_iter();
        let added = added.take(1 + usize::from(is_numbered)).map(str::to_owned);
        whole.columns.splice(0..0, added);
    }
    for table in kind {
        let mut names = Vec::new();
        if !is_same {
            match numbered(&table).filter(|_| is_numbered) {
                Some((name, number)) => names.extend([Cell::Text(name), Cell::Number(number)]),
                None => names.push(Cell::Text(table.title)),
            }
        }
        for row in table.rows {
            if whole.rows.len() < MOST_ROWS {
                whole.rows.push(names.iter().cloned().chain(row).collect());
            }
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::{aligned, listed};
    use crate::result_sheet::Cell;

    fn word(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    #[test]
    fn heads_are_told_apart_by_where_the_numbers_below_them_end() {
        let text = "ways to test, blob\n\
                    way            along axis axis pairs/hit   verdict\n\
                    fast, 2 steps       70286       140571.0   none\n\
                    \x20   why it is so\n\
                    bar: fast, 2 steps is fast: met\n\
                    slow                40120           80.5   one wrong\n\
                    \n\
                    slow, no more       40120           80.5   one wrong\n";
        let tables = aligned(text);
        assert_eq!(tables.len(), 1, "{tables:?}");
        assert_eq!(tables[0].title, "ways to test, blob");
        assert_eq!(
            tables[0].columns,
            ["way", "along axis", "axis pairs/hit", "verdict"]
        );
        assert_eq!(tables[0].rows.len(), 2);
        assert_eq!(
            tables[0].rows[1],
            [
                word("slow"),
                Cell::Number(40120.0),
                Cell::Number(80.5),
                word("one wrong")
            ]
        );
    }

    #[test]
    fn units_go_into_the_head_and_a_name_before_each_row_into_the_title() {
        let text = "\nball:    points       time  edges/n\n\
                    ball:     10000    13.8 ms     7.76\n\
                    ball:     31600    42.1 ms        –\n";
        let tables = aligned(text);
        assert_eq!(tables[0].title, "ball");
        assert_eq!(tables[0].columns, ["points", "time, ms", "edges/n"]);
        assert_eq!(tables[0].rows[0][1], Cell::Number(13.8));
        assert!(matches!(tables[0].rows[1][2], Cell::Void { .. }));
        // One row of another unit, and nothing is a number any more.
        let mixed = text.replace("42.1 ms", "42.1 µs");
        assert_eq!(aligned(&mixed)[0].columns[1], "time");
    }

    #[test]
    fn tables_of_one_kind_become_one() {
        let table = |title: &str, ms: &str| {
            format!("{title}\nengine      build ms   frame ms\nours            1.00       {ms}\n\n")
        };
        let text = table("dense, 100", "0.10") + &table("dense, 1000", "0.90");
        let tables = aligned(&text);
        assert_eq!(tables.len(), 1);
        assert_eq!(
            tables[0].columns,
            ["scene", "number", "engine", "build ms", "frame ms"]
        );
        assert_eq!(
            tables[0].rows[1],
            [
                word("dense"),
                Cell::Number(1000.0),
                word("ours"),
                Cell::Number(1.0),
                Cell::Number(0.9)
            ]
        );
        let text = table("dense", "0.10") + &table("thin", "0.90");
        assert_eq!(aligned(&text)[0].columns[0], "scene");
        let text = table("== truth", "0.10") + &table("== truth", "0.90");
        assert_eq!(aligned(&text)[0].columns[0], "engine");
        assert_eq!(aligned(&text)[0].title, "truth");
    }

    #[test]
    fn prose_is_no_table() {
        for text in [
            "some words\nand  more  words\n",
            "scene 3 of 4\nours   1.0   2.0\n",
            "one\ntwo   1.0   2.0\n",
            "| a | b |\n| x   | 1   | 2   |\n",
            "a head\nbar: ours   1.0   2.0: met\n",
            "",
        ] {
            assert_eq!(aligned(text), [], "{text}");
            assert_eq!(listed(text), [], "{text}");
        }
    }

    #[test]
    fn heads_after_a_title_are_read_with_the_groups_below_them() {
        let text = "a fifth: build ms / frame ms\n100 bodies\n  tree      0.041      0.001\n1000 bodies\n  hash grid  0.250      0.179\n\
                    bar: all finish: met\n\
                    floor, 4000 bodies: ms, exchanges\nthree axes     0.5    12311\n";
        let tables = listed(text);
        assert_eq!(tables.len(), 2, "{tables:?}");
        assert_eq!(tables[0].columns, ["bodies", "", "build ms", "frame ms"]);
        assert_eq!(
            tables[0].rows[1],
            [
                Cell::Number(1000.0),
                word("hash grid"),
                Cell::Number(0.25),
                Cell::Number(0.179)
            ]
        );
        assert_eq!(tables[1].title, "floor, 4000 bodies");
        assert_eq!(tables[1].rows[0][1], Cell::Number(0.5));
    }
}
