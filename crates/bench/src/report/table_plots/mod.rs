//! Pictures of tables that benchmarks printed.
//!
//! **Question.** Which of the printed numbers does a reader grasp sooner from a picture?
//! **Idea.** Two lists say which columns of which tables become lines over a number, or dots in rows under names. They know tables by their columns
//! alone, whatever text these came from.
//! **Promise.** A text that changed its shape has no picture and a note that says so. What is left out of a picture, because it is another answer or
//! too short to be measured, is named.

mod line_list;
mod lines;
mod row_list;
mod rows;

use crate::result_sheet::{Plot, Table};

/// Benchmarks whose pieces are recorded alone: a picture of one piece is looked for in the texts of all.
const WHOLES: [&str; 3] = ["exact-volume", "volume", "deform"];

/// The pictures of a benchmark's tables, and what has to be said about them.
#[derive(Clone, Debug, Default)]
pub(super) struct TablePlots {
    pub(super) plots: Vec<Plot>,
    pub(super) notes: Vec<String>,
}

/// What becomes of one drawing.
enum PlotOutcome {
    Plot(Box<Plot>, Vec<String>),
    /// The columns are there, but too few numbers in them.
    TooLittle,
    /// There is no table with these columns.
    Unknown(Vec<&'static str>),
}

/// Whether a picture of `part` may be drawn from what the benchmark `name` printed.
fn is_for(part: &str, name: &str) -> bool {
    let is_piece = |name: &str, whole: &str| {
        let rest = name.strip_prefix(whole);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let shares = |whole: &str| is_piece(part, whole) && is_piece(name, whole);
    is_piece(name, part) || WHOLES.iter().any(|whole| shares(whole))
}

/// The pictures of a benchmark's tables. A picture of exactly this benchmark that none of its tables fits is missed in a note.
pub(super) fn drawn(name: &str, tables: &[Table]) -> TablePlots {
    let lines = line_list::LINES
        .iter()
        .filter(|drawing| is_for(drawing.part, name))
        .map(|drawing| (drawing.part, drawing.title, lines::plot(drawing, tables)));
    let rows = row_list::ROWS
        .iter()
        .filter(|drawing| is_for(drawing.part, name))
        .map(|drawing| (drawing.part, drawing.title, rows::plot(drawing, tables)));
    let mut drawn = TablePlots::default();
    for (part, title, outcome) in rows.chain(lines) {
        match outcome {
            PlotOutcome::Plot(plot, notes) => {
                drawn.plots.push(*plot);
                drawn.notes.extend(notes);
            }
            PlotOutcome::Unknown(columns) if part == name => drawn.notes.push(format!(
                "There is no picture \"{title}\": what was printed has no table with the columns {}.",
                columns.join("; ")
            )),
            PlotOutcome::TooLittle if part == name => drawn.notes.push(format!(
                "There is no picture \"{title}\": too few numbers were printed."
            )),
            PlotOutcome::TooLittle | PlotOutcome::Unknown(_) => {}
        }
    }
    drawn
}

/// The place of the n-th column of that name.
fn column(table: &Table, name: &str, nth: usize) -> Option<usize> {
    let all = table.columns.iter().enumerate();
    let mut found = all.filter(|(_, c)| *c == name).map(|(k, _)| k);
    found.nth(nth)
}

/// Whether the largest of these numbers is more than so many times the least, so that an axis has to be logarithmic.
fn is_wide(values: impl Iterator<Item = f64>, times: f64) -> bool {
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
        (least.min(x), most.max(x))
    });
    least > 0.0 && most > times * least
}

#[cfg(test)]
mod tests;
