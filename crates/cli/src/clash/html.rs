//! Clashes as one page to look at: ranked, with a picture each, without anything from elsewhere.

use std::fmt::Write;

use super::base64;
use super::bcf::{description, escaped};
use super::record::ClashRecord;
use super::report::Report;
use super::table;

const STYLE: &str = "
:root{color-scheme:light dark;--page:#f6f5f2;--card:#fff;--ink:#1d2530;--faint:#6b7480;--line:#e2e0da;--duplicate:#7a2f9e;--crossing:#c42a1c;--contained:#d96a10;--touching:#b8860b;--clearance:#2a63b8}
@media (prefers-color-scheme:dark){:root{--page:#14171c;--card:#1d2229;--ink:#e6e8eb;--faint:#98a1ad;--line:#2f363f;--duplicate:#c58be6;--crossing:#ff7a6b;--contained:#ffab5e;--touching:#e8c255;--clearance:#82b1ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:1.7rem;margin:0 0 4px;letter-spacing:-.01em}
p.sub{margin:0 0 20px;color:var(--faint)}
.bar{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 20px;align-items:center}
.bar button{font:inherit;border:1px solid var(--line);background:var(--card);color:var(--ink);border-radius:999px;padding:5px 14px;cursor:pointer}
.bar button[aria-pressed=false]{opacity:.4}
.bar input{font:inherit;flex:1 1 200px;min-width:0;border:1px solid var(--line);background:var(--card);color:var(--ink);border-radius:999px;padding:5px 14px}
.dot{display:inline-block;width:.65em;height:.65em;border-radius:50%;margin-right:.5em;background:var(--k)}
ol{list-style:none;margin:0;padding:0;display:grid;gap:14px}
li{display:grid;grid-template-columns:minmax(180px,300px) 1fr;background:var(--card);border:1px solid var(--line);border-left:5px solid var(--k);border-radius:10px;overflow:hidden}
li.plain{grid-template-columns:1fr}
li img{display:block;width:100%;height:100%;object-fit:cover;background:#eef0f2;cursor:zoom-in}
li div.text{padding:12px 18px;min-width:0}
h2{font-size:1.02rem;margin:0 0 2px;overflow-wrap:anywhere}
h2 small{color:var(--faint);font-weight:400}
.tag{display:inline-block;font-size:.82rem;font-weight:600;color:var(--k)}
.tag.status{color:var(--faint);border:1px solid var(--line);border-radius:999px;padding:0 9px;margin-left:8px;font-weight:400}
dl{display:grid;grid-template-columns:max-content 1fr;gap:1px 14px;margin:8px 0 0;font-variant-numeric:tabular-nums;font-size:.9rem}
dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
code{font-size:.82rem;color:var(--faint)}
section{margin-top:36px}section h2{font-size:1.15rem;margin-bottom:8px}
ul{margin:0;padding-left:1.2em}
dialog{border:0;padding:0;background:none;max-width:96vw;max-height:96vh}
dialog img{max-width:96vw;max-height:92vh;width:1100px;border-radius:10px}
dialog::backdrop{background:rgba(0,0,0,.7)}
@media (max-width:640px){li{grid-template-columns:1fr}}
@media print{.bar{display:none}li{break-inside:avoid}}
";

const SCRIPT: &str = "
const items=[...document.querySelectorAll('ol li')],off=new Set(),find=document.querySelector('.bar input'),big=document.querySelector('dialog');
const show=()=>{const t=find?find.value.toLowerCase():'';for(const i of items)i.hidden=off.has(i.dataset.kind)||(i.dataset.status&&off.has(i.dataset.status))||!i.dataset.names.includes(t)};
for(const b of document.querySelectorAll('.bar button'))b.onclick=()=>{const k=b.dataset.key,on=off.has(k);on?off.delete(k):off.add(k);b.setAttribute('aria-pressed',on);show()};
if(find)find.oninput=show;
for(const i of document.querySelectorAll('li img'))i.onclick=()=>{big.firstElementChild.src=i.src;big.showModal()};
big.onclick=()=>big.close();
";

/// The page.
pub(super) fn page(report: &Report, pictures: &[Vec<u8>], title: &str) -> String {
    let mut html = String::new();
    let summary = table::summary(report);
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{0}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n<p class=\"sub\">{1}</p>\n",
        escaped(title),
        summary
            .iter()
            .map(|line| escaped(line))
            .collect::<Vec<_>>()
            .join("<br>\n")
    );
    if !report.records.is_empty() {
        bar(&mut html, report);
    }
    html += "<ol>\n";
    for (index, record) in report.records.iter().enumerate() {
        let picture = pictures.get(index).map(Vec::as_slice);
        item(&mut html, Some(index + 1), record, picture);
    }
    html += "</ol>\n";
    if let Some(before) = &report.before {
        for (what, list) in [
            ("Resolved", &before.resolved),
            (
                "Not checked, because a part could not be read",
                &before.unchecked,
            ),
        ] {
            if !list.is_empty() {
                let _ = write!(html, "<section><h2>{what}</h2>\n<ol>\n");
                for record in list {
                    item(&mut html, None, record, None);
                }
                html += "</ol></section>\n";
            }
        }
    }
    let skipped = &report.gathered.skipped;
    if !skipped.is_empty() {
        html += "<section><h2>Skipped</h2>\n<ul>\n";
        for part in skipped {
            let _ = writeln!(
                html,
                "<li class=\"plain\">{}: {}</li>",
                escaped(&part.name),
                escaped(&part.error)
            );
        }
        html += "</ul></section>\n";
    }
    let _ = write!(
        html,
        "</main>\n<dialog><img alt=\"the clash, larger\"></dialog>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    html
}

/// Buttons that hide kinds and statuses, and a search field.
fn bar(html: &mut String, report: &Report) {
    *html += "<div class=\"bar\">\n";
    for (kind, count) in report.counts() {
        let _ = writeln!(
            html,
            "<button aria-pressed=\"true\" data-key=\"{kind}\" style=\"--k:var(--{kind})\"><span class=\"dot\"></span>{count} {kind}</button>"
        );
    }
    if report.before.is_some() {
        for status in ["new", "persisting"] {
            let count = report.with_status(status);
            let _ = writeln!(
                html,
                "<button aria-pressed=\"true\" data-key=\"{status}\">{count} {status}</button>"
            );
        }
    }
    *html +=
        "<input type=\"search\" placeholder=\"find a part\" aria-label=\"find a part\">\n</div>\n";
}

fn item(html: &mut String, rank: Option<usize>, record: &ClashRecord, picture: Option<&[u8]>) {
    let kind = escaped(&record.kind);
    let status = record.status.as_deref().unwrap_or_default();
    let names = format!("{} {}", record.a.name, record.b.name).to_lowercase();
    let _ = writeln!(
        html,
        "<li data-kind=\"{kind}\" data-status=\"{}\" data-names=\"{}\" style=\"--k:var(--{kind})\"{}>",
        escaped(status),
        escaped(&names),
        if picture.is_none() {
            " class=\"plain\""
        } else {
            ""
        }
    );
    if let Some(png) = picture {
        let _ = writeln!(
            html,
            "<img loading=\"lazy\" width=\"640\" height=\"400\" alt=\"{} and {}\" src=\"data:image/png;base64,{}\">",
            escaped(&record.a.name),
            escaped(&record.b.name),
            base64::encode(png)
        );
    }
    *html += "<div class=\"text\">\n<h2>";
    if let Some(rank) = rank {
        let _ = write!(html, "<small>{rank}.</small> ");
    }
    let _ = write!(
        html,
        "{} <small>and</small> {}</h2>\n<span class=\"tag\">{kind}</span>",
        escaped(&record.a.name),
        escaped(&record.b.name)
    );
    if !status.is_empty() {
        let changed = if record.changed == Some(true) {
            ", changed"
        } else {
            ""
        };
        let _ = write!(
            html,
            "<span class=\"tag status\">{}{changed}</span>",
            escaped(status)
        );
    }
    let _ = write!(
        html,
        "\n<dl><dt>what</dt><dd>{}</dd>",
        escaped(&description(record))
    );
    for (what, value) in [("depth", table::depth(record)), ("gap", table::gap(record))] {
        if value != "–" {
            let _ = write!(html, "<dt>{what}</dt><dd>{value}</dd>");
        }
    }
    let _ = write!(
        html,
        "<dt>id</dt><dd><code>{}</code></dd></dl>\n</div>\n</li>\n",
        escaped(&record.id)
    );
}
