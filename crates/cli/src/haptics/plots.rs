//! Plots and pictures of a run.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use impinge::DVec3;

use super::FeelArgs;
use super::renderer::placed;
use super::run::Summary;
use super::scene::HapticScene;
use crate::atomic_file;
use crate::picture::{BLUE, GREEN, IVORY, RED, drawn, save};
use crate::render::{Body, Scene, Stroke};

/// One tick that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) seconds: f64,
    pub(super) device: DVec3,
    pub(super) proxy: DVec3,
    pub(super) force: DVec3,
    pub(super) energy: f64,
    pub(super) cost_us: f64,
}

/// Writes what was requested.
pub(super) fn write(
    scene: &HapticScene,
    summary: &Summary,
    samples: &[Sample],
    strongest: Option<Sample>,
    options: &FeelArgs,
) -> anyhow::Result<()> {
    let cannot = |path: &Path| format!("cannot write {}", path.display());
    if let Some(path) = &options.svg {
        let text = svg(samples);
        atomic_file::write(path, text.as_bytes()).with_context(|| cannot(path))?;
    }
    if options.png.is_none() && options.html.is_none() {
        return Ok(());
    }
    let seconds = strongest.map_or(0.0, |sample| sample.seconds);
    let meshes = placed(scene, seconds)?;
    let bodies = meshes.iter().map(|mesh| Body::new(mesh, IVORY)).collect();
    let size = meshes.iter().map(|mesh| mesh.bounds().diagonal().length());
    let size = size.fold(1e-9, f64::max);
    let mut picture = Scene {
        bodies,
        strokes: strokes(samples, strongest, size),
        ..Scene::default()
    };
    picture.towards_viewer = Some(DVec3::new(0.9, -1.2, 0.9));
    if let Some(path) = &options.png {
        save(&picture, path)?;
    }
    if let Some(path) = &options.html {
        let mut png = Vec::new();
        drawn(&picture).encode(&mut png)?;
        let page = html(summary, &svg(samples), &base64(&png))?;
        atomic_file::write(path, page.as_bytes()).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// The path of the proxy, the device where the force is largest, and the force as an arrow.
fn strokes(samples: &[Sample], strongest: Option<Sample>, size: f64) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let mut stroke = |ends: [DVec3; 2], colour, radius: f64| {
        strokes.push(Stroke {
            ends,
            colour,
            radius,
            behind: 0.4,
        });
    };
    let thin = samples.len().div_ceil(400).max(1);
    let path: Vec<DVec3> = samples.iter().step_by(thin).map(|s| s.proxy).collect();
    for pair in path.windows(2) {
        if let [from, to] = *pair {
            stroke([from, to], BLUE, 0.0015);
        }
    }
    if let Some(sample) = strongest {
        stroke([sample.proxy; 2], GREEN, 0.008);
        stroke([sample.device; 2], RED, 0.006);
        let force = sample.force.length();
        if force > 0.0 {
            let tip = sample.proxy + sample.force / force * (0.3 * size);
            stroke([sample.proxy, tip], RED, 0.004);
        }
    }
    strokes
}

const WIDTH: f64 = 900.0;
const PANEL: f64 = 190.0;
const LEFT: f64 = 70.0;

/// One panel: a title and named curves over time.
struct Panel<'c> {
    title: &'c str,
    curves: Vec<(&'c str, &'c str, Vec<f64>)>,
}

/// Force, depth of the device below the proxy, energy and tick times over time.
fn svg(samples: &[Sample]) -> String {
    let of = |f: &dyn Fn(&Sample) -> f64| samples.iter().map(f).collect::<Vec<f64>>();
    let panels = [
        Panel {
            title: "force on the hand, N",
            curves: vec![
                ("x", "#c42a1c", of(&|s| s.force.x)),
                ("y", "#17804a", of(&|s| s.force.y)),
                ("z", "#4674c2", of(&|s| s.force.z)),
            ],
        },
        Panel {
            title: "height of device and proxy, mm",
            curves: vec![
                ("device", "#9aa0a8", of(&|s| s.device.z * 1e3)),
                ("proxy", "#4674c2", of(&|s| s.proxy.z * 1e3)),
            ],
        },
        Panel {
            title: "energy put in by the hand, mJ",
            curves: vec![("energy", "#7a2f6e", of(&|s| s.energy * 1e3))],
        },
        Panel {
            title: "time of a tick, µs",
            curves: vec![("tick", "#c77d0a", of(&|s| s.cost_us))],
        },
    ];
    let height = PANEL * panels.len() as f64 + 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let last = samples.last().map_or(1.0, |s| s.seconds).max(1e-9);
    for (index, panel) in panels.iter().enumerate() {
        let top = PANEL * index as f64 + 25.0;
        panel.draw(&mut svg, top, samples, last);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{last:.2} s</text>\n</svg>",
        WIDTH - 20.0,
        height - 5.0
    );
    svg
}

impl Panel<'_> {
    fn draw(&self, svg: &mut String, top: f64, samples: &[Sample], last: f64) {
        let values = || {
            self.curves
                .iter()
                .flat_map(|(.., values)| values.iter().copied())
        };
        let low = values().fold(0.0, f64::min);
        let high = values().fold(0.0, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        let inner = PANEL - 45.0;
        let x = |t: f64| LEFT + t / last * (WIDTH - LEFT - 20.0);
        let y = |v: f64| top + inner - (v - low) / span * inner;
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"{}\">{}</text>",
            top - 8.0,
            self.title
        );
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {0} H{1}\" stroke=\"#bbb\"/><path d=\"M{LEFT} {top} V{2}\" stroke=\"#bbb\"/>",
            y(0.0),
            WIDTH - 20.0,
            top + inner
        );
        for (value, at) in [(high, top + 10.0), (low, top + inner)] {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{at}\" text-anchor=\"end\">{value:.3}</text>",
                LEFT - 6.0
            );
        }
        for (number, (name, colour, values)) in self.curves.iter().enumerate() {
            let mut points = String::new();
            for (sample, &value) in samples.iter().zip(values) {
                let _ = write!(points, "{:.1},{:.1} ", x(sample.seconds), y(value));
            }
            let _ = writeln!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>\n\
                 <text x=\"{}\" y=\"{}\" fill=\"{colour}\">{name}</text>",
                WIDTH - 220.0 + 60.0 * number as f64,
                top - 8.0
            );
        }
    }
}

fn html(summary: &Summary, svg: &str, png: &str) -> anyhow::Result<String> {
    let figures = serde_json::to_value(summary)?;
    let mut rows = String::new();
    for (name, value) in figures.as_object().into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td></tr>",
            name.replace('_', " "),
            escaped(&value)
        );
    }
    let title = escaped(&format!("{} by {}", summary.scene, summary.law));
    Ok(format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>body{{font-family:sans-serif;max-width:62rem;margin:2rem auto}}img,svg{{width:100%}}td{{padding:.1rem 1rem}}</style>\n\
         <h1>{title}</h1>\n<img alt=\"the scene with proxy, path and force\" src=\"data:image/png;base64,{png}\">\n\
         <p>Blue: path of the proxy. Green: the proxy where the force is largest. Red: the device there, and the force.</p>\n\
         {svg}\n<table>{rows}</table>\n"
    ))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let known = digit <= group.len();
            let index = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if known {
                char::from(DIGITS[index])
            } else {
                '='
            });
        }
    }
    text
}
