//! Clashes as one page to look at: settings, everything in one picture, a table to sort and filter, a picture of each chosen clash. Nothing comes
//! from elsewhere.

use std::fmt::Write;

use super::base64;
use super::bcf::{description, escaped};
use super::record::ClashRecord;
use super::report::Report;
use super::snapshot::{OVERVIEW, SIZE};
use super::table;
use crate::number;

/// Marks beyond which the picture of everything has no more of them.
const MOST_MARKS: usize = 2000;
/// Ranks that are written into their marks.
const NUMBERED: usize = 99;

const STYLE: &str = "
:root{color-scheme:light dark;--page:#f6f5f2;--card:#fff;--ink:#1d2530;--faint:#5b6470;--line:#dddbd4;--pick:#fff3c4;--duplicate:#7a2f9e;--crossing:#c42a1c;--contained:#c25a00;--touching:#8a6500;--clearance:#2a63b8;--a:#2f6fd0;--b:#f0992e;--s:#d01640}
@media (prefers-color-scheme:dark){:root{--page:#14171c;--card:#1d2229;--ink:#e6e8eb;--faint:#98a1ad;--line:#2f363f;--pick:#4a4020;--duplicate:#c58be6;--crossing:#ff7a6b;--contained:#ffab5e;--touching:#e8c255;--clearance:#82b1ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.6rem;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:32px 0 8px}
p.sub{margin:0 0 16px;color:var(--faint)}
dl.settings{display:flex;flex-wrap:wrap;gap:4px 28px;margin:0 0 16px;font-size:.9rem}
dl.settings div{display:flex;gap:8px}
dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:8px 0;padding:0;list-style:none;font-size:.9rem}
.key{display:inline-block;width:1.5em;height:.8em;margin-right:.5em;vertical-align:-.05em;border:2px solid var(--k);background:color-mix(in srgb,var(--k) 35%,transparent)}
.key.dashed{border-style:dashed}.key.full{background:var(--k)}
.key.dot{width:.8em;border-radius:50%;background:var(--k)}
svg.all{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:10px;background:#f4f5f7}
svg.all a circle{fill:var(--k);stroke:#fff;stroke-width:1.5;opacity:.9}
svg.all a text{fill:#fff;font:bold 10px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central;pointer-events:none}
svg.all a:focus circle,svg.all a:hover circle{stroke:#000;stroke-width:3}
.bar{display:flex;flex-wrap:wrap;gap:8px;margin:12px 0;align-items:center}
.bar button,.bar input,.bar select{font:inherit;border:1px solid var(--line);background:var(--card);color:var(--ink);border-radius:999px;padding:4px 14px}
.bar button{cursor:pointer}.bar button[aria-pressed=false]{opacity:.4}.bar input{flex:1 1 200px;min-width:0}
.wrap{overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:var(--card)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th{position:sticky;top:0;background:var(--card);text-align:left;border-bottom:1px solid var(--line);padding:0;white-space:nowrap}
th button{all:unset;cursor:pointer;padding:8px 12px;font-weight:600}
th button:focus-visible,tr:focus-visible,a:focus-visible{outline:2px solid var(--clearance);outline-offset:-2px}
th[aria-sort=ascending] button:after{content:' ↑'}th[aria-sort=descending] button:after{content:' ↓'}
td{padding:5px 12px;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td.n{text-align:right;white-space:nowrap}th.n{text-align:right}
tbody tr.at td{background:var(--pick)}
.kind{color:var(--k);font-weight:600;white-space:nowrap}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(340px,1fr));gap:14px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-top:4px solid var(--k);border-radius:10px;overflow:hidden;scroll-margin-top:12px}
figure.at{outline:3px solid var(--clearance)}
figure img{display:block;width:100%;height:auto;cursor:zoom-in}
figcaption{padding:8px 14px 12px;font-size:.9rem;overflow-wrap:anywhere}
figcaption p{margin:2px 0}
code{font-size:.8rem;color:var(--faint)}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 5px;background:var(--card);font-size:.85em}
dialog{border:0;padding:0;background:var(--card);color:var(--ink);max-width:96vw;max-height:96vh;border-radius:10px}
dialog img{display:block;max-width:96vw;max-height:84vh;width:1100px}dialog p{margin:8px 14px}
dialog::backdrop{background:rgba(0,0,0,.7)}
@media print{.bar,.hint{display:none}figure{break-inside:avoid}th{position:static}}
";

const SCRIPT: &str = "
const $=s=>[...document.querySelectorAll(s)],body=document.querySelector('#clashes tbody'),rows=body?[...body.rows]:[],off=new Set(),find=document.querySelector('.bar input'),group=document.querySelector('.bar select'),big=document.querySelector('dialog'),shown=document.querySelector('#shown');
let at=-1;const visible=()=>[...(body?body.rows:[])].filter(r=>!r.hidden);
const card=r=>r&&document.getElementById('p'+r.dataset.rank),mark=r=>r&&document.getElementById('m'+r.dataset.rank);
const show=()=>{const t=find?find.value.toLowerCase():'',g=group?group.value:'';for(const r of rows){r.hidden=off.has(r.dataset.kind)||(r.dataset.status&&off.has(r.dataset.status))||(g&&r.dataset.group!==g)||!r.dataset.names.includes(t);for(const x of[card(r),mark(r)])if(x)x.style.display=r.hidden?'none':''}if(shown)shown.textContent=visible().length};
const pick=(i,move)=>{const v=visible();if(!v.length)return;at=Math.max(0,Math.min(i,v.length-1));$('.at').forEach(x=>x.classList.remove('at'));const r=v[at];r.classList.add('at');const c=card(r);if(c)c.classList.add('at');if(move)r.scrollIntoView({block:'nearest'})};
const open=f=>{if(!f)return;const i=f.querySelector('img');big.querySelector('img').src=i.src;big.querySelector('img').alt=i.alt;big.querySelector('p').innerHTML=f.querySelector('figcaption').innerHTML;if(!big.open)big.showModal()};
for(const b of $('.bar button'))b.onclick=()=>{const k=b.dataset.key,on=off.has(k);on?off.delete(k):off.add(k);b.setAttribute('aria-pressed',on);show()};
if(find)find.oninput=show;if(group)group.onchange=show;
$('th button').forEach((b,i)=>b.onclick=()=>{const th=b.parentElement,up=th.getAttribute('aria-sort')!=='ascending';$('th').forEach(x=>x.removeAttribute('aria-sort'));th.setAttribute('aria-sort',up?'ascending':'descending');const key=r=>r.cells[i].dataset.v??r.cells[i].textContent;rows.sort((x,y)=>{const p=key(x),q=key(y),n=th.classList.contains('n'),d=n?(p===''?Infinity:+p)-(q===''?Infinity:+q):p.localeCompare(q);return(Number.isNaN(d)?0:d)*(up?1:-1)||x.dataset.rank-y.dataset.rank});rows.forEach(r=>body.append(r))});
rows.forEach(r=>{r.onclick=e=>{if(e.target.tagName!=='A')pick(visible().indexOf(r))}});
$('figure img').forEach(i=>i.onclick=()=>open(i.closest('figure')));
$('svg.all a').forEach(a=>a.onclick=e=>{e.preventDefault();const r=rows.find(r=>r.dataset.rank===a.dataset.rank);pick(visible().indexOf(r),true);open(card(r))});
big.onclick=()=>big.close();
document.onkeydown=e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;const typing=/INPUT|SELECT/.test(document.activeElement.tagName);if(e.key==='/'&&!typing&&find){e.preventDefault();find.focus();return}if(e.key==='Escape'&&typing){document.activeElement.blur();return}if(typing)return;const step={ArrowDown:1,j:1,ArrowUp:-1,k:-1}[e.key];if(step){e.preventDefault();pick(at<0?0:at+step,true);if(big.open){const c=card(visible()[at]);c?open(c):big.close()}}else if(e.key==='Home'){pick(0,true)}else if(e.key==='End'){pick(1e9,true)}else if(e.key==='Enter'&&at>=0&&!/BUTTON|^A$|^a$/.test(document.activeElement.tagName)){open(card(visible()[at]))}};
";

/// What the page shows besides the clashes.
pub(super) struct PageParts<'p> {
    pub(super) title: &'p str,
    /// Names and values.
    pub(super) settings: &'p [(&'static str, String)],
    /// Everything, and where each clash is in it.
    pub(super) overview: &'p (Vec<u8>, Vec<[f64; 2]>),
    /// Places of clashes in the list, with their pictures.
    pub(super) pictures: &'p [(usize, Vec<u8>)],
    /// What is worth knowing, a sentence each.
    pub(super) remarks: &'p [String],
}

/// The page.
pub(super) fn page(report: &Report, parts: &PageParts<'_>) -> String {
    let mut html = String::new();
    let lines = table::summary(report);
    let lines = lines.iter().chain(parts.remarks).map(|line| escaped(line));
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{0}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n<p class=\"sub\">{1}</p>\n<dl class=\"settings\">\n",
        escaped(parts.title),
        lines.collect::<Vec<_>>().join("<br>\n")
    );
    for (name, value) in parts.settings {
        let _ = writeln!(
            html,
            "<div><dt>{name}</dt><dd>{}</dd></div>",
            escaped(value)
        );
    }
    html += "</dl>\n";
    if !report.records.is_empty() {
        overview(&mut html, report, parts.overview);
        bar(&mut html, report);
        rows(&mut html, report, parts.pictures);
        pictures(&mut html, report, parts.pictures);
    }
    if let Some(before) = &report.before {
        for (what, list) in [
            ("Resolved", &before.resolved),
            (
                "Not checked, because a part could not be read",
                &before.unchecked,
            ),
        ] {
            if !list.is_empty() {
                let _ = write!(html, "<section><h2>{what}</h2>\n<ul>\n");
                for record in list {
                    let _ = writeln!(
                        html,
                        "<li>{}: {} and {}</li>",
                        escaped(&record.kind),
                        escaped(&record.a.name),
                        escaped(&record.b.name)
                    );
                }
                html += "</ul></section>\n";
            }
        }
    }
    let skipped = &report.gathered.skipped;
    if !skipped.is_empty() {
        html += "<section><h2>Skipped</h2>\n<ul>\n";
        for part in skipped {
            let _ = writeln!(
                html,
                "<li>{}: {}</li>",
                escaped(&part.name),
                escaped(&part.error)
            );
        }
        html += "</ul></section>\n";
    }
    let _ = write!(
        html,
        "</main>\n<dialog><img alt=\"\"><p></p></dialog>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    html
}

/// The picture of everything with a mark for each clash, the worst on top.
fn overview(html: &mut String, report: &Report, (png, places): &(Vec<u8>, Vec<[f64; 2]>)) {
    let [width, height] = OVERVIEW;
    let _ = writeln!(
        html,
        "<h2>Where</h2>\n<svg class=\"all\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"all parts, with a mark at each clash\">\n<image width=\"{width}\" height=\"{height}\" href=\"data:image/png;base64,{}\"/>",
        base64::encode(png)
    );
    let marked = report.records.iter().zip(places).enumerate();
    for (index, (record, [x, y])) in marked.take(MOST_MARKS).collect::<Vec<_>>().iter().rev() {
        let rank = index + 1;
        let kind = escaped(&record.kind);
        let radius = if rank <= NUMBERED { 8 } else { 4 };
        let _ = write!(
            html,
            "<a id=\"m{rank}\" href=\"#r{rank}\" data-rank=\"{rank}\" style=\"--k:var(--{kind})\"><title>{rank}. {kind}: {} and {}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>",
            escaped(&record.a.name),
            escaped(&record.b.name)
        );
        if rank <= NUMBERED {
            let _ = write!(html, "<text x=\"{x:.1}\" y=\"{y:.1}\">{rank}</text>");
        }
        *html += "</a>\n";
    }
    *html += "</svg>\n<ul class=\"legend\">\n";
    for (kind, count) in report.counts() {
        let _ = writeln!(
            html,
            "<li style=\"--k:var(--{kind})\"><span class=\"key dot\"></span>{} {kind}: {}</li>",
            number::count(count),
            kind_meaning(kind.name())
        );
    }
    *html += "</ul>\n";
}

/// A kind in words.
fn kind_meaning(kind: &str) -> &'static str {
    match kind {
        "duplicate" => "the same surface twice",
        "crossing" => "the parts overlap",
        "contained" => "one part lies inside the other",
        "touching" => "surfaces meet without overlap",
        _ => "closer than the clearance",
    }
}

fn bar(html: &mut String, report: &Report) {
    *html += "<h2>Clashes</h2>\n<div class=\"bar\">\n";
    for (kind, count) in report.counts() {
        let _ = writeln!(
            html,
            "<button aria-pressed=\"true\" data-key=\"{kind}\" style=\"--k:var(--{kind})\"><span class=\"key dot\"></span>{count} {kind}</button>"
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
    if !report.groups.is_empty() {
        *html += "<select aria-label=\"group\"><option value=\"\">all groups</option>\n";
        for (rank, group) in (1..).zip(&report.groups) {
            let _ = writeln!(
                html,
                "<option value=\"{rank}\">{} ({})</option>",
                escaped(&group.name),
                group.members.len()
            );
        }
        *html += "</select>\n";
    }
    let _ = writeln!(
        html,
        "<input type=\"search\" placeholder=\"find a part\" aria-label=\"find a part\">\n<span><span id=\"shown\">{0}</span> of {0}</span>\n</div>\n<p class=\"sub hint\"><kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> picture, <kbd>Esc</kbd> close, <kbd>/</kbd> find; a click on a heading sorts.</p>",
        report.records.len()
    );
}

fn rows(html: &mut String, report: &Report, pictures: &[(usize, Vec<u8>)]) {
    *html += "<div class=\"wrap\"><table id=\"clashes\">\n<thead><tr>";
    let has_status = report.before.is_some();
    let has_groups = !report.groups.is_empty();
    let columns = [
        ("#", true, true),
        ("kind", false, true),
        ("depth", true, true),
        ("gap", true, true),
        ("a", false, true),
        ("b", false, true),
        ("status", false, has_status),
        ("group", true, has_groups),
        ("picture", false, true),
    ];
    for (name, is_number, _) in columns.iter().filter(|(_, _, is_shown)| *is_shown) {
        let class = if *is_number { " class=\"n\"" } else { "" };
        let _ = write!(html, "<th{class}><button>{name}</button></th>");
    }
    *html += "</tr></thead>\n<tbody>\n";
    let mut pictured = pictures.iter().map(|(index, _)| *index).peekable();
    for (index, record) in report.records.iter().enumerate() {
        let rank = index + 1;
        let kind = escaped(&record.kind);
        let status = record.status.as_deref().unwrap_or_default();
        let names = format!("{} {}", record.a.name, record.b.name).to_lowercase();
        let group = record.group.map(|g| g.to_string()).unwrap_or_default();
        let _ = write!(
            html,
            "<tr id=\"r{rank}\" data-rank=\"{rank}\" data-kind=\"{kind}\" data-status=\"{}\" data-group=\"{group}\" data-names=\"{}\" style=\"--k:var(--{kind})\" title=\"{}\"><td class=\"n\" data-v=\"{rank}\">{rank}</td><td class=\"kind\">{kind}</td>",
            escaped(status),
            escaped(&names),
            escaped(&description(record))
        );
        let depth = record.depth.filter(|_| table::has_depth(record));
        let values = [
            (depth.map(|d| d.middle()), table::depth(record)),
            (
                (record.distance > 0.0).then_some(record.distance),
                table::gap(record),
            ),
        ];
        for (value, text) in values {
            let value = value.map(|v| v.to_string()).unwrap_or_default();
            let _ = write!(html, "<td class=\"n\" data-v=\"{value}\">{text}</td>");
        }
        let _ = write!(
            html,
            "<td>{}</td><td>{}</td>",
            escaped(&record.a.name),
            escaped(&record.b.name)
        );
        if has_status {
            let changed = if record.changed == Some(true) {
                ", changed"
            } else {
                ""
            };
            let _ = write!(html, "<td>{}{changed}</td>", escaped(status));
        }
        if has_groups {
            let _ = write!(html, "<td class=\"n\" data-v=\"{group}\">{group}</td>");
        }
        let link = match pictured.next_if_eq(&index) {
            Some(_) => format!("<a href=\"#p{rank}\">show</a>"),
            None => String::new(),
        };
        let _ = writeln!(html, "<td>{link}</td></tr>");
    }
    *html += "</tbody>\n</table></div>\n";
}

fn pictures(html: &mut String, report: &Report, pictures: &[(usize, Vec<u8>)]) {
    if pictures.is_empty() {
        return;
    }
    *html += "<h2>Pictures</h2>\n<ul class=\"legend\">\n<li style=\"--k:var(--a)\"><span class=\"key\"></span>part a, whole outline</li>\n<li style=\"--k:var(--b)\"><span class=\"key dashed\"></span>part b, dashed outline</li>\n<li style=\"--k:var(--s)\"><span class=\"key full\"></span>what they share</li>\n<li style=\"--k:#17804a\"><span class=\"key dot\"></span>deepest or nearest points</li>\n</ul>\n<div class=\"cards\">\n";
    for (index, png) in pictures {
        let (rank, record) = (index + 1, &report.records[*index]);
        card(html, rank, record, png);
    }
    *html += "</div>\n";
}

fn card(html: &mut String, rank: usize, record: &ClashRecord, png: &[u8]) {
    let kind = escaped(&record.kind);
    let (a, b) = (escaped(&record.a.name), escaped(&record.b.name));
    let [width, height] = SIZE;
    let _ = write!(
        html,
        "<figure id=\"p{rank}\" style=\"--k:var(--{kind})\"><img loading=\"lazy\" width=\"{width}\" height=\"{height}\" alt=\"{a} and {b}\" src=\"data:image/png;base64,{}\">\n<figcaption><p><b>{rank}.</b> <span class=\"kind\">{kind}</span></p>\n<p><span class=\"key\" style=\"--k:var(--a)\"></span>{a}</p>\n<p><span class=\"key dashed\" style=\"--k:var(--b)\"></span>{b}</p>\n<p>{}</p>\n<p><code>{}</code></p></figcaption></figure>\n",
        base64::encode(png),
        escaped(&description(record)),
        escaped(&record.id)
    );
}
