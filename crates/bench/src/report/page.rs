//! The report as one page that needs nothing else.

use std::fmt::Write as _;

use super::collect_records::{Collection, Machine, Origin, ReportPart};
use super::figure::{Form, axis_label, axis_name, svg};
use super::markdown;
use super::palette::{SCHEME, colours, is_ours, quiet, variables};
use super::row_figure::is_mark;
use super::text_format::{escape, number, slug};
use crate::result_sheet::{Cell, Claim, Plot, Table};

/// What is unfair about the comparison, as it is in the repository.
const BIAS: &str = include_str!("../../BIAS.md");
/// Tables of more rows scroll in a box of their own.
const TALL: usize = 24;
/// Parts whose first plot is shown in the summary, small, if they are there.
const HEADLINES: [&str; 4] = ["rigid", "performance", "quality", "average"];
/// Words of at most so many letters stay in one line.
const SHORT: usize = 26;

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

/// The whole page.
pub(super) fn page(collection: &Collection) -> String {
    let plots: Vec<&Plot> = collection
        .parts
        .iter()
        .flat_map(|part| &part.sheet.plots)
        .collect();
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\" data-plots=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data: blob:\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>impinge: benchmark report</title>\n<style>\n{}</style>\n\
         <script>{}</script>\n</head>\n<body>\n",
        plots.len(),
        styles(),
        include_str!("early.js").trim()
    );
    header(&mut page, collection);
    page.push_str("<div class=\"columns\">\n");
    contents(&mut page, collection);
    page.push_str("<main>\n");
    summary(&mut page, collection);
    let mut first_plot = 0;
    let is_mixed = collection.is_mixed();
    for part in &collection.parts {
        section(&mut page, part, first_plot, is_mixed);
        first_plot += part.sheet.plots.len();
    }
    hardware(&mut page, collection);
    bias(&mut page, collection);
    reproduce(&mut page, collection);
    page.push_str("</main>\n</div>\n");
    let _ = write!(
        page,
        "<script type=\"application/json\" id=\"plots\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        plots_json(&plots),
        include_str!("script.js")
    );
    page
}

/// Colours first, then how everything looks.
fn styles() -> String {
    let [light, dark] = variables();
    let page = include_str!("style.css");
    let mut text = page.replace("/*light*/", &light).replace("/*dark*/", &dark);
    text.push_str(include_str!("figure.css"));
    for k in 0..SCHEME.len() {
        let _ = writeln!(text, ".s{k}{{--c:var(--c{k})}}");
    }
    text
}

/// Day and machine, shortly.
fn facts(machine: &Machine) -> String {
    let mut facts = vec![machine.date.clone(), machine.processor.clone()];
    if machine.cores > 0 {
        facts.push(format!("{} cores", machine.cores));
    }
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}

fn header(page: &mut String, collection: &Collection) {
    let facts = if collection.is_mixed() {
        let all = collection.origins().into_iter();
        let all: Vec<String> = all.map(|origin| facts(&origin.machine)).collect();
        format!("of each part the newest record: {}", all.join("; "))
    } else {
        facts(&collection.machine)
    };
    let _ = writeln!(
        page,
        "<header><div><p class=\"kicker\">impinge</p><h1>Benchmark report</h1><p class=\"facts\">{}</p></div>\
         <button id=\"theme\" type=\"button\" hidden aria-label=\"light or dark\">◐</button></header>",
        escape(&facts)
    );
}

fn contents(page: &mut String, collection: &Collection) {
    page.push_str("<nav aria-label=\"contents\"><ol>\n<li><a href=\"#summary\">Summary</a></li>\n");
    for part in &collection.parts {
        let _ = writeln!(
            page,
            "<li><a href=\"#{}\">{}</a></li>",
            place(part),
            escape(&part.sheet.title)
        );
    }
    page.push_str(
        "<li><a href=\"#hardware\">Hardware and versions</a></li>\n<li><a href=\"#bias\">Bias</a></li>\n\
         <li><a href=\"#reproduce\">Reproduce</a></li>\n</ol></nav>\n",
    );
}

/// Where a part is in the page.
fn place(part: &ReportPart) -> String {
    format!("part-{}", slug(&part.sheet.name))
}

fn summary(page: &mut String, collection: &Collection) {
    let bars = collection.parts.iter().flat_map(|part| &part.sheet.bars);
    let (all, met) = bars.fold((0, 0), |(all, met), bar| {
        (all + 1, met + usize::from(bar.is_met))
    });
    let open: usize = collection.parts.iter().map(|p| p.sheet.open.len()).sum();
    let plots: usize = collection.parts.iter().map(|p| p.sheet.plots.len()).sum();
    let failures: usize = collection
        .parts
        .iter()
        .map(|p| p.sheet.failures.len())
        .sum();
    page.push_str("<section id=\"summary\">\n<h2>Summary</h2>\n<div class=\"tiles\">\n");
    for (value, of, label) in [
        (met, Some(all + open), "bars met"),
        (all - met, None, "bars missed"),
        (open, None, "bars open: not decided"),
        (plots, None, "plots"),
        (
            failures + collection.refused.len(),
            None,
            "things that went wrong",
        ),
    ] {
        let of = of.map_or(String::new(), |of| format!("<small> of {of}</small>"));
        let _ = writeln!(
            page,
            "<div class=\"tile\"><b>{value}{of}</b><span>{label}</span></div>"
        );
    }
    page.push_str("</div>\n");
    headlines(page, collection);
    page.push_str("<div class=\"strips\">\n");
    let has_bars = |p: &&ReportPart| !p.sheet.bars.is_empty() || !p.sheet.open.is_empty();
    for part in collection.parts.iter().filter(has_bars) {
        let met = part.sheet.bars.iter().filter(|bar| bar.is_met).count();
        let _ = write!(
            page,
            "<a class=\"strip\" href=\"#{}\"><span>{}</span><span class=\"cells\">",
            place(part),
            escape(&part.sheet.title)
        );
        for bar in &part.sheet.bars {
            let _ = write!(
                page,
                "<i class=\"{}\" title=\"{}\"></i>",
                if bar.is_met { "met" } else { "missed" },
                escape(&sentence(bar))
            );
        }
        for claim in &part.sheet.open {
            let _ = write!(
                page,
                "<i class=\"open\" title=\"{}: open\"></i>",
                escape(claim)
            );
        }
        let _ = writeln!(
            page,
            "</span><span class=\"count\">{met}/{}</span></a>",
            part.sheet.bars.len() + part.sheet.open.len()
        );
    }
    page.push_str("</div>\n");
    missed(page, collection);
    open_list(page, collection);
    wrong(page, collection);
    page.push_str("</section>\n");
}

/// Small pictures that lead to their plots.
fn headlines(page: &mut String, collection: &Collection) {
    let mut first_plot = 0;
    let mut shown = Vec::new();
    for part in &collection.parts {
        let rank = HEADLINES.iter().position(|name| *name == part.sheet.name);
        if let (Some(rank), Some(plot)) = (rank, part.sheet.plots.first()) {
            shown.push((rank, first_plot, part, plot));
        }
        first_plot += part.sheet.plots.len();
    }
    shown.sort_by_key(|(rank, ..)| *rank);
    if shown.is_empty() {
        return;
    }
    page.push_str("<div class=\"plots headlines\">\n");
    for (_, k, part, plot) in shown {
        let _ = write!(
            page,
            "<a class=\"headline\" href=\"#plot-{k}\"><span>{}</span><b>{}</b>\n{}</a>\n",
            escape(&part.sheet.title),
            escape(&plot.title),
            svg(plot, Form::Inline)
        );
    }
    page.push_str("</div>\n");
}

fn sentence(bar: &Claim) -> String {
    let state = if bar.is_met { "met" } else { "missed" };
    if bar.reached.is_empty() {
        format!("{}: {state}", bar.claim)
    } else {
        format!("{}: {}: {state}", bar.claim, bar.reached)
    }
}

/// Every bar that was not met, in the open.
fn missed(page: &mut String, collection: &Collection) {
    let mut rows = String::new();
    for part in &collection.parts {
        for bar in part.sheet.bars.iter().filter(|bar| !bar.is_met) {
            let _ = writeln!(
                rows,
                "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td></tr>",
                place(part),
                escape(&part.sheet.title),
                escape(&bar.claim),
                escape(&bar.reached)
            );
        }
    }
    if !rows.is_empty() {
        let _ = write!(
            page,
            "<h3>Bars missed</h3>\n<div class=\"scroll\"><table class=\"data keyed\"><thead><tr><th>part</th><th>bar</th><th>reached</th></tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        );
    }
}

/// Every bar that nothing was measured for: it is not met.
fn open_list(page: &mut String, collection: &Collection) {
    let mut rows = String::new();
    for part in &collection.parts {
        for claim in &part.sheet.open {
            let _ = writeln!(
                rows,
                "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td></tr>",
                place(part),
                escape(&part.sheet.title),
                escape(claim)
            );
        }
    }
    if !rows.is_empty() {
        let _ = write!(
            page,
            "<h3>Bars open</h3>\n<p>Nothing was measured that could decide them: they are not met.</p>\n\
             <div class=\"scroll\"><table class=\"data keyed\"><thead><tr><th>part</th><th>bar</th></tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        );
    }
}

/// What could not be read, was not there or broke.
fn wrong(page: &mut String, collection: &Collection) {
    let mut rows = String::new();
    for refused in &collection.refused {
        let _ = writeln!(
            rows,
            "<tr><td>record</td><td><code>{}</code></td><td>{}</td></tr>",
            escape(&refused.file),
            escape(&refused.reason)
        );
    }
    for part in &collection.parts {
        for failure in &part.sheet.failures {
            let _ = writeln!(
                rows,
                "<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>",
                if failure.is_ours {
                    "<strong>ours</strong>"
                } else {
                    "not ours"
                },
                escape(&failure.subject),
                escape(&failure.reason)
            );
        }
    }
    if !rows.is_empty() {
        let _ = write!(
            page,
            "<h3>What went wrong</h3>\n<div class=\"scroll\"><table class=\"data keyed\"><thead><tr><th></th><th>what</th><th>why</th></tr></thead>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        );
    }
}

fn section(page: &mut String, part: &ReportPart, first_plot: usize, is_mixed: bool) {
    let sheet = &part.sheet;
    let _ = write!(
        page,
        "<section id=\"{}\">\n<h2>{}</h2>\n",
        place(part),
        escape(&sheet.title)
    );
    if !sheet.question.is_empty() {
        let _ = writeln!(
            page,
            "<p class=\"question\">{}</p>",
            escape(&sheet.question)
        );
    }
    // Published figures say at each of ours where it is from.
    if is_mixed && sheet.name != "published" {
        let _ = writeln!(
            page,
            "<p class=\"facts\">{}, in records/{}</p>",
            escape(&facts(&part.origin.machine)),
            escape(&part.origin.folder)
        );
    }
    if !sheet.plots.is_empty() {
        page.push_str("<div class=\"plots\">\n");
        for (k, plot) in sheet.plots.iter().enumerate() {
            figure(page, plot, first_plot + k);
        }
        page.push_str("</div>\n");
    }
    for table in &sheet.tables {
        table_html(page, table);
    }
    if !sheet.bars.is_empty() || !sheet.open.is_empty() {
        page.push_str("<h3>Bars</h3>\n<ul class=\"bars\">\n");
        for bar in &sheet.bars {
            let (class, word) = if bar.is_met {
                ("met", "met")
            } else {
                ("missed", "missed")
            };
            let reached = if bar.reached.is_empty() {
                String::new()
            } else {
                format!(" <span>{}</span>", escape(&bar.reached))
            };
            let _ = writeln!(
                page,
                "<li class=\"{class}\"><b>{word}</b><div>{}{reached}</div></li>",
                escape(&bar.claim)
            );
        }
        for claim in &sheet.open {
            let _ = writeln!(
                page,
                "<li class=\"open\"><b>open</b><div>{}</div></li>",
                escape(claim)
            );
        }
        page.push_str("</ul>\n");
    }
    if !sheet.notes.is_empty() {
        page.push_str("<h3>Notes</h3>\n<ul class=\"notes\">\n");
        for note in &sheet.notes {
            let _ = writeln!(page, "<li>{}</li>", markdown::inline(note));
        }
        page.push_str("</ul>\n");
    }
    if let Some(text) = &part.text {
        let _ = writeln!(
            page,
            "<details><summary>What the program printed</summary><pre>{}</pre></details>",
            escape(text.trim_end())
        );
    }
    if !sheet.command.is_empty() {
        let preset = if sheet.preset.is_empty() {
            String::new()
        } else {
            format!(" <span>preset {}</span>", escape(&sheet.preset))
        };
        let _ = writeln!(
            page,
            "<p class=\"command\"><code>{}</code>{preset}</p>",
            escape(&sheet.command)
        );
    }
    page.push_str("</section>\n");
}

fn figure(page: &mut String, plot: &Plot, k: usize) {
    let _ = write!(
        page,
        "<figure data-plot=\"{k}\" id=\"plot-{k}\"><figcaption>{}</figcaption>\n{}</figure>\n",
        escape(&plot.title),
        svg(plot, Form::Inline)
    );
}

fn table_html(page: &mut String, table: &Table) {
    let class = if table.rows.len() > TALL {
        "scroll tall"
    } else {
        "scroll"
    };
    let _ = write!(
        page,
        "<h3>{}</h3>\n<div class=\"{class}\"><table class=\"data sortable\"><thead><tr>",
        escape(&table.title)
    );
    for (k, column) in table.columns.iter().enumerate() {
        let class = if is_numeric(table, k) {
            " class=\"n\""
        } else {
            ""
        };
        let _ = write!(page, "<th{class} scope=\"col\">{}</th>", escape(column));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let _ = match cell {
                Cell::Number(x) => write!(
                    page,
                    "<td class=\"n\" data-v=\"{x}\">{}</td>",
                    escape(&number(*x))
                ),
                // A name is not broken at its hyphen.
                Cell::Text(text) if text.chars().count() <= SHORT => {
                    write!(page, "<td class=\"w\">{}</td>", escape(text))
                }
                Cell::Text(text) => write!(page, "<td>{}</td>", escape(text)),
                Cell::Void { reason } => write!(
                    page,
                    "<td class=\"n void\" title=\"{0}\">–<span class=\"why\">{0}</span></td>",
                    escape(reason)
                ),
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

/// Whether a column holds numbers, so that its head is above them.
fn is_numeric(table: &Table, column: usize) -> bool {
    let numbers = table
        .rows
        .iter()
        .filter(|row| matches!(row.get(column), Some(Cell::Number(_))));
    2 * numbers.count() > table.rows.len()
}

fn hardware(page: &mut String, collection: &Collection) {
    page.push_str("<section id=\"hardware\">\n<h2>Hardware and versions</h2>\n");
    let origins = collection.origins();
    if collection.is_mixed() {
        for Origin { folder, machine } in origins {
            let of_it = collection.parts.iter();
            let parts: Vec<&str> = of_it
                .filter(|part| part.origin.folder == *folder)
                .map(|part| part.sheet.name.as_str())
                .collect();
            let _ = writeln!(page, "<h3>records/{}</h3>", escape(folder));
            machine_table(page, machine, &[("parts".to_owned(), parts.join(", "))]);
        }
        page.push_str(
            "<h3>Engines beside ours</h3>\n<div class=\"scroll\"><table class=\"data\"><tbody>\n",
        );
        rows(page, &collection.versions);
        page.push_str("</tbody></table></div>\n");
    } else {
        machine_table(page, &collection.machine, &collection.versions);
    }
    page.push_str("</section>\n");
}

/// What was measured on, and more rows.
fn machine_table(page: &mut String, machine: &Machine, more: &[(String, String)]) {
    let Machine {
        date,
        processor,
        cores,
        memory,
        system,
        compiler,
        version,
    } = machine;
    let cores = if *cores == 0 {
        String::new()
    } else {
        cores.to_string()
    };
    page.push_str("<div class=\"scroll\"><table class=\"data\"><tbody>\n");
    let known = [
        ("date", date),
        ("processor", processor),
        ("cores", &cores),
        ("memory", memory),
        ("system", system),
        ("compiler", compiler),
        ("impinge", version),
    ];
    rows(
        page,
        &known.map(|(name, value)| {
            let value = if value.is_empty() {
                "not recorded"
            } else {
                value
            };
            (name.to_owned(), value.to_owned())
        }),
    );
    rows(page, more);
    page.push_str("</tbody></table></div>\n");
}

fn rows(page: &mut String, rows: &[(String, String)]) {
    for (name, value) in rows {
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            escape(name),
            escape(value)
        );
    }
}

fn bias(page: &mut String, collection: &Collection) {
    page.push_str("<section id=\"bias\">\n<h2>Bias</h2>\n");
    let noted = collection
        .parts
        .iter()
        .filter(|part| !part.sheet.notes.is_empty());
    page.push_str("<p>Each part above has notes of its own:");
    for part in noted {
        let _ = write!(
            page,
            " <a href=\"#{}\">{}</a>",
            place(part),
            escape(&part.sheet.title)
        );
    }
    page.push_str(".</p>\n");
    page.push_str(&markdown::html(BIAS));
    page.push_str("</section>\n");
}

fn reproduce(page: &mut String, collection: &Collection) {
    page.push_str(
        "<section id=\"reproduce\">\n<h2>Reproduce</h2>\n\
         <p>Everything again, resumable, then this page:</p>\n\
         <pre>cargo xtask models\ncargo xtask peers\ncargo run --release -p impinge-bench -- run all --preset quick</pre>\n\
         <div class=\"scroll\"><table class=\"data\"><thead><tr><th>part</th><th>command</th><th>files</th></tr></thead>\n<tbody>\n",
    );
    for part in &collection.parts {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>",
            escape(&part.sheet.title),
            escape(&part.sheet.command),
            escape(&files(part, collection.is_mixed()))
        );
    }
    page.push_str("</tbody></table></div>\n</section>\n");
}

/// The files of a part, with their folder where there are several.
fn files(part: &ReportPart, is_mixed: bool) -> String {
    let files = part.files.join(", ");
    if is_mixed && !files.is_empty() {
        format!("{}: {files}", part.origin.folder)
    } else {
        files
    }
}

/// What the script draws from.
fn plots_json(plots: &[&Plot]) -> String {
    let all: Vec<serde_json::Value> = plots
        .iter()
        .map(|plot| {
            let colours = colours(plot);
            let series: Vec<serde_json::Value> = plot
                .series
                .iter()
                .zip(colours)
                .zip(quiet(plot))
                .map(|((s, [colour, dash]), quiet)| {
                    serde_json::json!({
                        "name": s.name, "points": s.points, "spread": s.spread, "names": s.names, "scatter": s.is_scatter,
                        "published": s.is_published, "mark": is_mark(s), "colour": colour, "dash": dash,
                        "ours": is_ours(&s.name), "quiet": quiet, "decibels": s.decibels,
                    })
                })
                .collect();
            let axis = |axis: &crate::result_sheet::Axis| {
                serde_json::json!({
                    "label": axis_label(axis), "name": axis_name(axis), "unit": axis.unit, "log": axis.is_logarithmic,
                })
            };
            serde_json::json!({
                "title": plot.title, "x": axis(&plot.x), "y": axis(&plot.y), "rows": plot.rows(), "series": series, "heat": plot.is_heat_map(),
            })
        })
        .collect();
    // Neither the end of the script element nor a comment may appear in it.
    serde_json::Value::Array(all)
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
