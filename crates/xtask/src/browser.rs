//! The report of the newest records in a real browser: it loads, draws every plot and has no error.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};

use crate::peers::install;
use crate::shell::{capture, exists, root, run, target};

/// Said, and said again at the end of a run, where there is no browser.
pub(crate) const SKIPPED: &str = "\n!!! SKIPPED: the report was NOT looked at in a browser. There is none, and chromium could not be installed.\n\
     !!! Nothing is known about whether it draws its plots: install chromium and say `cargo xtask report`.\n";
static WAS_SKIPPED: AtomicBool = AtomicBool::new(false);

/// Whether a report was made and nobody looked at it.
pub(crate) fn was_skipped() -> bool {
    WAS_SKIPPED.load(Ordering::Relaxed)
}

/// Where the picture for the front page is.
const PICTURE: &str = "docs/images/report.png";
/// Names that the browser has in various distributions.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// Quiet, without a profile, and without calling anybody.
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--enable-logging=stderr",
];
/// Seconds that a browser may take.
const PATIENCE: &str = "120";

/// Makes the report with the benchmark program and looks at it. With `update` the picture of it is kept.
///
/// Without a browser, and without the right to install one, the page is looked at as text, and that is said aloud.
pub(crate) fn look(bench: &Path, update: bool) -> anyhow::Result<()> {
    let folder = target().join("report");
    std::fs::create_dir_all(&folder)?;
    let page = folder.join("report.html");
    run(Command::new(bench).args(["report", "-o"]).arg(&page))?;
    let text = std::fs::read_to_string(&page)?;
    let plots = structure(&text)?;
    println!("the page has {plots} plots, each as a picture too");
    let Some(browser) = browser() else {
        WAS_SKIPPED.store(true, Ordering::Relaxed);
        eprintln!("{SKIPPED}");
        return Ok(());
    };
    let seen = open(&browser, &folder, &page, "", &["--dump-dom".to_owned()])?;
    drawn(&seen, plots)?;
    println!("a browser draws {plots} plots and has no error");
    // The same page with a reader who tries everything.
    let tried = folder.join("tried.html");
    let script = format!("<script>{}</script>\n</body>", include_str!("exercise.js"));
    std::fs::write(&tried, text.replace("</body>", &script))?;
    let seen = open(&browser, &folder, &tried, "", &["--dump-dom".to_owned()])?;
    drawn(&seen, plots)?;
    if attribute(&seen, "data-exercised") != Some(plots.to_string().as_str()) {
        bail!("not every plot could be zoomed, switched and saved");
    }
    println!("every plot can be zoomed, switched and saved, every table sorted");
    for theme in ["light", "dark"] {
        let picture = folder.join(format!("report-{theme}.png"));
        let arguments = [
            format!("--screenshot={}", picture.display()),
            "--window-size=1360,1800".to_owned(),
        ];
        open(
            &browser,
            &folder,
            &page,
            &format!("?theme={theme}"),
            &arguments,
        )?;
        let bytes = std::fs::read(&picture).with_context(|| format!("no {}", picture.display()))?;
        if !bytes.starts_with(b"\x89PNG") || bytes.len() < 20_000 {
            bail!("{} shows nothing", picture.display());
        }
        println!("{}", picture.display());
    }
    if update {
        std::fs::copy(folder.join("report-light.png"), root().join(PICTURE))?;
        println!("{PICTURE} is new");
    }
    Ok(())
}

/// How many plots a page has; fails unless each is there as a picture and nothing is fetched.
fn structure(page: &str) -> anyhow::Result<usize> {
    let plots: usize = attribute(page, "data-plots")
        .and_then(|count| count.parse().ok())
        .context("the page does not say how many plots it has")?;
    let figures = page.matches("<figure data-plot=").count();
    // The summary shows some of them once more, small.
    let small = page.matches("<a class=\"headline\"").count();
    let pictures = page.matches("<svg ").count().saturating_sub(small);
    if figures != plots || pictures != plots {
        bail!("{plots} plots, but {figures} figures and {pictures} pictures");
    }
    for word in ["src=\"http", "href=\"http", "@import", "url(http"] {
        if page.contains(word) {
            bail!("the page fetches something: {word}");
        }
    }
    if !page.trim_end().ends_with("</html>") {
        bail!("the page has no end");
    }
    Ok(plots)
}

/// Fails unless the script drew every plot without an error.
fn drawn(dom: &str, plots: usize) -> anyhow::Result<()> {
    if let Some(errors) = attribute(dom, "data-errors") {
        bail!("errors in the page: {errors}");
    }
    match attribute(dom, "data-drawn").and_then(|count| count.parse::<usize>().ok()) {
        Some(count) if count == plots => Ok(()),
        Some(count) => bail!("{count} of {plots} plots were drawn"),
        None => bail!("the script did not run to its end"),
    }
}

/// The value of an attribute of the page's first element.
fn attribute<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once("<html")?;
    let (head, _) = rest.split_once('>')?;
    let (_, rest) = head.split_once(&format!("{name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// A browser, installed if that is possible.
pub(crate) fn browser() -> Option<PathBuf> {
    let find = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .flat_map(|folder| BROWSERS.map(|name| folder.join(name)))
            .find(|program| program.is_file())
    };
    find().or_else(|| {
        for is_updated in [false, true] {
            if is_updated {
                // Lists of packages may be missing or old.
                update();
            }
            match install("chromium") {
                Ok(()) => break,
                Err(error) => println!("{error:#}"),
            }
        }
        find()
    })
}

/// Fetches the lists of packages, if we may; whether that helped is seen afterwards.
fn update() {
    let is_root = capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let mut command = if is_root {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    if exists("apt-get")
        && let Err(error) = run(command.arg("update"))
    {
        println!("{error:#}");
    }
}

/// Opens the page; what the browser prints, unless a script complained.
fn open(
    browser: &Path,
    folder: &Path,
    page: &Path,
    query: &str,
    arguments: &[String],
) -> anyhow::Result<String> {
    let profile = folder.join("profile");
    // Left over from a run that was stopped.
    let _ = std::fs::remove_dir_all(&profile);
    let page = std::path::absolute(page)?;
    let output = Command::new("timeout")
        .arg(PATIENCE)
        .arg(browser)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--virtual-time-budget=20000")
        .args(arguments)
        .arg(format!("file://{}{query}", page.display()))
        .output()
        .context("cannot start the browser")?;
    let _ = std::fs::remove_dir_all(&profile);
    let complaints = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last = complaints.lines().last().unwrap_or("no message");
        bail!("the browser failed ({}): {last}", output.status);
    }
    let said = complaints.lines().find(|line| line.contains("CONSOLE"));
    if let Some(line) = said {
        bail!("the console says: {line}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{attribute, drawn, structure};

    const PAGE: &str = "<html lang=\"en\" data-plots=\"1\"><figure data-plot=\"0\"><svg a></svg></figure></html>\n";

    #[test]
    fn a_page_without_a_picture_or_with_an_address_is_refused() {
        assert_eq!(structure(PAGE).unwrap(), 1);
        assert!(structure(&PAGE.replace("<svg ", "<div ")).is_err());
        assert!(structure(&PAGE.replace("<svg a", "<svg src=\"http://x\"")).is_err());
        assert!(structure("<html>").is_err());
        assert_eq!(attribute(PAGE, "lang"), Some("en"));
    }

    #[test]
    fn a_plot_that_was_not_drawn_and_an_error_are_seen() {
        assert!(drawn("<html data-drawn=\"3\">", 3).is_ok());
        assert!(drawn("<html data-drawn=\"2\">", 3).is_err());
        assert!(drawn("<html>", 0).is_err());
        assert!(drawn("<html data-drawn=\"3\" data-errors=\"x\n\">", 3).is_err());
    }
}
