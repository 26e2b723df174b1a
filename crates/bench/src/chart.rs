//! `impinge-bench chart`: pictures of records, from the records alone.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::Bar;
use crate::engines::FCL;
use crate::folders::{create, home};
use crate::rigid::{GROUPS, HotCold, Record, latest, others, ratio, read};
use crate::scenario;

/// Draw the chart of a record as SVG, for light and dark pages
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: ChartKind,
}

#[derive(Debug, clap::Subcommand)]
enum ChartKind {
    /// How many times faster than each peer, by question
    Rigid(FileArgs),
    /// Which tree wins on which class of models
    #[command(name = "scenario-1")]
    Scenario(FileArgs),
}

#[derive(Debug, clap::Args)]
struct FileArgs {
    /// A rigid.csv or scenario-1.csv [default: the newest below records/]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Where the picture goes [default: docs/images/rigid.svg or scenario-1.svg]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing, but fail unless the picture is the one of these records
    #[arg(long)]
    check: bool,
}

/// One colour per peer, distinguishable on white and on black, and by people who see few colours.
const COLOURS: [&str; 6] = [
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
];

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let (name, args, source, picture) = match &args.what {
        ChartKind::Rigid(args) => {
            let (source, records) = match &args.records {
                Some(file) => (file.clone(), read(file)?),
                None => latest()?,
            };
            ("rigid.svg", args, source, rigid(&records)?)
        }
        ChartKind::Scenario(args) => {
            let (source, entries) = match &args.records {
                Some(file) => (file.clone(), scenario::read(file)?),
                None => scenario::latest()?,
            };
            ("scenario-1.svg", args, source, scenario::plot(&entries)?)
        }
    };
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| home().join("docs/images").join(name));
    if args.check {
        let there = std::fs::read_to_string(&output)
            .with_context(|| format!("cannot read {}", output.display()))?;
        let is_current = there == picture;
        let state = if is_current { "is" } else { "is NOT" };
        println!(
            "{} {state} the picture of {}",
            output.display(),
            source.display()
        );
        return Ok(if is_current { Bar::Met } else { Bar::Missed });
    }
    if let Some(folder) = output.parent() {
        create(folder)?;
    }
    std::fs::write(&output, picture)
        .with_context(|| format!("cannot write {}", output.display()))?;
    println!("{} shows {}", output.display(), source.display());
    Ok(Bar::Met)
}

/// A group of bars: its title, and for each peer that answers, its number and the ratio.
struct BarGroup {
    title: &'static str,
    peers: Vec<(usize, f64)>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 208.0;
const RIGHT: f64 = 60.0;
const TOP: f64 = 76.0;
const BAR: f64 = 13.0;
const GAP: f64 = 14.0;

fn rigid(records: &[Record]) -> anyhow::Result<String> {
    let peers: Vec<&str> = std::iter::once(FCL)
        .chain(others(records))
        .filter(|peer| {
            GROUPS
                .iter()
                .any(|group| ratio(records, group, peer, HotCold::Hot).is_some())
        })
        .take(COLOURS.len())
        .collect();
    let groups: Vec<BarGroup> = GROUPS
        .iter()
        .map(|group| BarGroup {
            title: group.title,
            peers: peers
                .iter()
                .enumerate()
                .filter_map(|(k, peer)| Some((k, ratio(records, group, peer, HotCold::Hot)?)))
                .collect(),
        })
        .filter(|bars| !bars.peers.is_empty())
        .collect();
    let largest = groups
        .iter()
        .flat_map(|g| &g.peers)
        .fold(10.0_f64, |max, (_, x)| max.max(*x));
    if groups.is_empty() {
        bail!("the records compare us with no peer");
    }
    let decades = largest.log10().ceil();
    let scale = (WIDTH - LEFT - RIGHT) / decades;
    let place = |x: f64| LEFT + scale * x.max(1.0).log10();
    let bars: usize = groups.iter().map(|g| g.peers.len()).sum();
    let bottom = TOP + bars as f64 * BAR + groups.len() as f64 * GAP;
    let height = bottom + 34.0;

    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" role=\"img\" \
         aria-label=\"How many times faster impinge answers than each peer\">\n\
         <style>\n\
         text {{ font: 12px system-ui, sans-serif; fill: #1f2328 }}\n\
         .title {{ font-size: 15px; font-weight: 600 }}\n\
         .faint {{ fill: #656d76 }}\n\
         .line {{ stroke: #656d76; stroke-opacity: .35 }}\n\
         .even {{ stroke: #656d76 }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .faint {{ fill: #9198a1 }} .line, .even {{ stroke: #9198a1 }} }}\n\
         </style>\n\
         <text class=\"title\" x=\"12\" y=\"24\">Two rigid meshes: times faster than each peer (logarithmic)</text>\n"
    );
    let mut x = 12.0;
    for (peer, colour) in peers.iter().zip(COLOURS) {
        let version = records
            .iter()
            .find(|r| r.engine == *peer)
            .map_or("", |r| r.version.as_str());
        let label = format!("{peer} {version}");
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"38\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{colour}\"/><text x=\"{}\" y=\"47\">{label}</text>",
            x + 15.0
        );
        x += 34.0 + 6.6 * label.len() as f64;
    }
    for decade in 0..=decades as i32 {
        let (at, value) = (place(10f64.powi(decade)), 10f64.powi(decade));
        let class = if decade == 0 { "even" } else { "line" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\"/>\
             <text class=\"faint\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}×</text>",
            TOP - 8.0,
            bottom + 18.0
        );
    }
    let mut y = TOP;
    for group in &groups {
        let middle = y + 0.5 * BAR * group.peers.len() as f64 + 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 10.0,
            group.title
        );
        for (peer, ratio) in &group.peers {
            let number = if *ratio < 9.95 {
                format!("{ratio:.1}")
            } else {
                format!("{ratio:.0}")
            };
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\
                 <text class=\"faint\" x=\"{:.1}\" y=\"{:.1}\">{number}×</text>",
                y + 1.0,
                (place(*ratio) - LEFT).max(1.0),
                BAR - 2.0,
                COLOURS[peer % COLOURS.len()],
                place(*ratio) + 5.0,
                y + BAR - 2.5,
            );
            y += BAR;
        }
        y += GAP;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
