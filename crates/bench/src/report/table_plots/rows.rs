//! Dots in rows, each row under a name.

use super::{PlotOutcome, column, is_wide};
use crate::result_sheet::{Axis, Cell, Plot, Series, Table};

/// The largest number beside the least, from which on the axis is logarithmic.
const WIDE: f64 = 20.0;
/// Fewer numbers are a sentence, not a picture.
const FEWEST: usize = 5;
/// So many things left out are named in a note; more are counted.
const NAMED: usize = 6;

/// A piece of a name.
pub(super) enum NamePiece {
    Word(&'static str),
    /// What stands in this column.
    Of(&'static str),
}

/// How a number of a table becomes one of the picture.
enum NumberRule {
    Times(f64),
    /// So much divided by it.
    Over(f64),
}

/// Dots from one column of one table.
pub(super) struct Dots {
    row: &'static [NamePiece],
    series: &'static [NamePiece],
    value: &'static str,
    nth: usize,
    how: NumberRule,
    /// Only where this column holds this word.
    only: Option<[&'static str; 2]>,
    /// Not where this column contains these words: another answer has no time.
    except: Option<[&'static str; 2]>,
    /// Asked for or published, not measured.
    is_published: bool,
}

/// All numbers of a column, as they are.
pub(super) const fn dots(
    row: &'static [NamePiece],
    series: &'static [NamePiece],
    value: &'static str,
) -> Dots {
    Dots {
        row,
        series,
        value,
        nth: 0,
        how: NumberRule::Times(1.0),
        only: None,
        except: None,
        is_published: false,
    }
}

impl Dots {
    /// From the n-th column of that name, from zero.
    pub(super) const fn nth(self, nth: usize) -> Self {
        Self { nth, ..self }
    }

    pub(super) const fn times(self, factor: f64) -> Self {
        Self {
            how: NumberRule::Times(factor),
            ..self
        }
    }

    /// So much divided by each number.
    pub(super) const fn under(self, dividend: f64) -> Self {
        Self {
            how: NumberRule::Over(dividend),
            ..self
        }
    }

    pub(super) const fn only(self, column: &'static str, word: &'static str) -> Self {
        Self {
            only: Some([column, word]),
            ..self
        }
    }

    pub(super) const fn except(self, column: &'static str, words: &'static str) -> Self {
        Self {
            except: Some([column, words]),
            ..self
        }
    }

    pub(super) const fn published(self) -> Self {
        Self {
            is_published: true,
            ..self
        }
    }
}

/// A picture of one or several tables. Without the first dots there is none.
pub(super) struct Rows {
    /// The benchmark, or a piece of it.
    pub(super) part: &'static str,
    pub(super) title: &'static str,
    /// What the rows are, in a word.
    pub(super) of: &'static str,
    pub(super) label: &'static str,
    pub(super) unit: &'static str,
    pub(super) dots: &'static [Dots],
    /// Whether the row with the least mean comes first. Otherwise rows come as they were printed.
    pub(super) is_sorted: bool,
}

pub(super) fn plot(drawing: &Rows, tables: &[Table]) -> PlotOutcome {
    let mut found = FoundRows::default();
    for (k, dots) in drawing.dots.iter().enumerate() {
        let wanted = dots.columns();
        let has_all = |table: &&Table| {
            column(table, dots.value, dots.nth).is_some()
                && wanted.iter().all(|c| column(table, c, 0).is_some())
                && table.rows.iter().any(|cells| dots.is_about(table, cells))
        };
        match tables.iter().find(has_all) {
            Some(table) => found.add(dots, table),
            None if k == 0 => return PlotOutcome::Unknown(wanted),
            None => {}
        }
    }
    let FoundRows {
        mut rows,
        mut series,
        another,
        too_short,
    } = found;
    // A row in which nothing was measured says nothing.
    let is_measured = |row: &String| {
        let measured = series.iter().filter(|s| !s.is_published);
        measured.flat_map(|s| &s.names).any(|name| name == row)
    };
    rows.retain(is_measured);
    // The geometric mean, as a logarithm.
    let of_row = |row: &String| {
        let measured = series.iter().filter(|s| !s.is_published);
        let all = measured.flat_map(|s| s.points.iter().zip(&s.names));
        let own = all.filter(|(_, name)| *name == row).map(|(p, _)| p[1].ln());
        let (sum, count) = own.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
        sum / f64::max(count, 1.0)
    };
    if drawing.is_sorted {
        let mut ranked: Vec<(f64, String)> =
            rows.into_iter().map(|row| (of_row(&row), row)).collect();
        ranked.sort_by(|p, q| p.0.total_cmp(&q.0));
        rows = ranked.into_iter().map(|(_, row)| row).collect();
    }
    for series in &mut series {
        let mut dots: Vec<(usize, f64)> = Vec::new();
        for (point, name) in series.points.iter().zip(&series.names) {
            dots.extend(rows.iter().position(|r| r == name).map(|k| (k, point[1])));
        }
        dots.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
        series.points = dots.iter().map(|(k, value)| [*k as f64, *value]).collect();
        series.names = dots.iter().map(|(k, _)| rows[*k].clone()).collect();
    }
    series.retain(|s| !s.points.is_empty());
    let count: usize = series.iter().map(|s| s.points.len()).sum();
    if rows.len() < 2 || count < FEWEST {
        return PlotOutcome::TooLittle;
    }
    let values = series.iter().flat_map(|s| &s.points).map(|p| p[1]);
    let plot = Plot {
        title: drawing.title.to_owned(),
        x: Axis {
            label: drawing.of.to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: drawing.label.to_owned(),
            unit: drawing.unit.to_owned(),
            is_logarithmic: is_wide(values, WIDE),
        },
        series,
    };
    let notes = [
        (another, "another answer or none"),
        (too_short, "too short to be told"),
    ];
    let notes = notes
        .into_iter()
        .filter(|(left_out, _)| !left_out.is_empty())
        .map(|(left_out, why)| note(drawing.title, &left_out, why))
        .collect();
    PlotOutcome::Plot(Box::new(plot), notes)
}

fn note(title: &str, left_out: &[String], why: &str) -> String {
    let named: Vec<&str> = left_out.iter().take(NAMED).map(String::as_str).collect();
    let more = match left_out.len() - named.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "Not drawn in \"{title}\", {why}: {}{more}.",
        named.join("; ")
    )
}

#[derive(Default)]
struct FoundRows {
    /// In order of appearance.
    rows: Vec<String>,
    series: Vec<Series>,
    another: Vec<String>,
    too_short: Vec<String>,
}

impl FoundRows {
    fn add(&mut self, dots: &Dots, table: &Table) {
        let Some(value) = column(table, dots.value, dots.nth) else {
            return;
        };
        for cells in &table.rows {
            if !dots.is_about(table, cells) {
                continue;
            }
            let names = name(dots.row, table, cells).zip(name(dots.series, table, cells));
            let Some((row, series)) = names else {
                continue;
            };
            let number = match &cells[value] {
                _ if dots.is_another(table, cells) => None,
                Cell::Number(x) => Some(*x),
                Cell::Text(text) => text.parse().ok(),
                // Nobody measured it.
                Cell::Void { .. } => continue,
            };
            let number = number.map(|x| match dots.how {
                NumberRule::Times(factor) => factor * x,
                NumberRule::Over(dividend) => dividend / x,
            });
            let Some(number) = number.filter(|x| x.is_finite() && *x >= 0.0) else {
                self.another.push(format!("{series}, {row}"));
                continue;
            };
            if number == 0.0 {
                self.too_short.push(format!("{series}, {row}"));
                continue;
            }
            if !self.rows.contains(&row) {
                self.rows.push(row.clone());
            }
            let k = match self.series.iter().position(|s| s.name == series) {
                Some(k) => k,
                None => {
                    self.series.push(Series {
                        name: series,
                        is_published: dots.is_published,
                        ..Series::default()
                    });
                    self.series.len() - 1
                }
            };
            // Rows are counted once all are known.
            self.series[k].points.push([0.0, number]);
            self.series[k].names.push(row);
        }
    }
}

impl Dots {
    /// Whether a row of a table is one of the requested ones.
    fn is_about(&self, table: &Table, cells: &[Cell]) -> bool {
        self.only.is_none_or(|[name, word]| {
            let cell = column(table, name, 0).map(|k| &cells[k]);
            matches!(cell, Some(Cell::Text(text)) if text == word)
        })
    }

    /// Whether a row of a table holds another answer than ours.
    fn is_another(&self, table: &Table, cells: &[Cell]) -> bool {
        self.except.is_some_and(|[name, words]| {
            let cell = column(table, name, 0).map(|k| &cells[k]);
            matches!(cell, Some(Cell::Text(text)) if text.contains(words))
        })
    }

    /// All columns that it needs.
    fn columns(&self) -> Vec<&'static str> {
        let pieces = self.row.iter().chain(self.series);
        let named = pieces.filter_map(|piece| match piece {
            NamePiece::Of(name) => Some(*name),
            NamePiece::Word(_) => None,
        });
        let conditions = [self.only, self.except].into_iter().flatten();
        let mut all: Vec<&'static str> = named
            .chain(conditions.map(|[name, _]| name))
            .chain([self.value])
            .collect();
        all.dedup();
        all
    }
}

/// A name made of pieces; none where a cell holds no word.
fn name(pieces: &[NamePiece], table: &Table, cells: &[Cell]) -> Option<String> {
    let mut name = String::new();
    for piece in pieces {
        match piece {
            NamePiece::Word(word) => name.push_str(word),
            NamePiece::Of(of) => match &cells[column(table, of, 0)?] {
                Cell::Text(text) => name.push_str(text),
                Cell::Number(x) => name.push_str(&crate::report::text_format::number(*x)),
                Cell::Void { .. } => return None,
            },
        }
    }
    Some(name)
}
