//! Plots as PNG, for papers and slides whose makers take no SVG: a browser without a window draws them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::figure::{Form, svg};
use super::{Collection, file_name};
use crate::folders::create;
use crate::result_sheet::Plot;

/// Names that the browser has in various distributions.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// Quiet, without a profile of the user's, and without calling anybody.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-device-scale-factor=2",
];
/// A browser that takes longer for one picture is stopped.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// Writes each plot as a picture of twice its size into a folder; how many they are.
///
/// # Errors
/// Without a browser.
pub(super) fn write(collection: &Collection, folder: &Path) -> anyhow::Result<usize> {
    let Some(browser) = browser() else {
        bail!(
            "pictures are drawn by a browser, and none is there: `apt-get install chromium`, or --svg"
        );
    };
    create(folder)?;
    let folder = std::path::absolute(folder)?;
    let aside = folder.join(".drawn");
    create(&aside)?;
    let mut count = 0;
    let mut result = Ok(());
    for part in &collection.parts {
        for (k, plot) in part.sheet.plots.iter().enumerate() {
            let file = folder.join(format!("{}.png", file_name(part, k, &plot.title)));
            result = result.and_then(|()| draw(&browser, plot, &aside, &file));
            count += usize::from(result.is_ok());
        }
    }
    // Only our own page and profile are in it.
    let _ = std::fs::remove_dir_all(&aside);
    result.map(|()| count)
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| BROWSERS.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

/// One plot, in light colours.
fn draw(browser: &Path, plot: &Plot, aside: &Path, file: &Path) -> anyhow::Result<()> {
    let picture = svg(plot, Form::Alone);
    let [width, height] = size(&picture).context("a picture without a size")?;
    let page = aside.join("plot.html");
    let text = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light\">\n\
         <style>body{{margin:0;background:#fff}}svg{{display:block;width:{width}px;height:{height}px}}</style>\n{picture}\n"
    );
    std::fs::write(&page, text)?;
    // An older one must not pass for this one.
    if file.is_file() {
        std::fs::remove_file(file)?;
    }
    let mut child = Command::new(browser)
        .args(FLAGS)
        .arg(format!(
            "--user-data-dir={}",
            aside.join("profile").display()
        ))
        .arg(format!("--window-size={width:.0},{height:.0}"))
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", browser.display()))?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            // It fails only when the browser has ended in this moment.
            let _ = child.kill();
            child.wait()?;
            bail!("{} took too long for {}", browser.display(), file.display());
        }
        std::thread::sleep(LOOK);
    }
    let bytes = std::fs::read(file).with_context(|| format!("no {} was drawn", file.display()))?;
    if !bytes.starts_with(b"\x89PNG") {
        bail!("{} is no picture", file.display());
    }
    Ok(())
}

/// Width and height of a picture, as its `viewBox` says.
fn size(picture: &str) -> Option<[f64; 2]> {
    let (_, rest) = picture.split_once("viewBox=\"")?;
    let (numbers, _) = rest.split_once('"')?;
    let numbers: Vec<f64> = numbers
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers.as_slice() {
        [_, _, width, height] if *width > 0.0 && *height > 0.0 => Some([*width, *height]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_picture_has_the_size_of_its_view() {
        assert_eq!(
            size("<svg viewBox=\"0 0 720 400.5\" x>"),
            Some([720.0, 400.5])
        );
        assert_eq!(size("<svg viewBox=\"0 0 0 9\">"), None);
        assert_eq!(size("<svg>"), None);
    }
}
