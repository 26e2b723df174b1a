//! A Vulkan driver for the tests of the graphics cards, in software where there is no card.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::shell::{capture, cargo, exists, run, target};
use crate::steps::FEATURES;

/// Where drivers say where they are.
const FOLDERS: [&str; 3] = [
    "/usr/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
];
/// Debian's drivers, the one in software among them.
const PACKAGE: &str = "mesa-vulkan-drivers";
/// What is said where nothing can be done.
const TWINS_ONLY: &str =
    "no Vulkan driver: the tests of impinge-gpu run its twins on the processor only";

/// Installs the driver in software when there is none and the system allows it; says so when it does not.
pub(crate) fn install() -> anyhow::Result<()> {
    if let Some(found) = manifests().first() {
        println!("a Vulkan driver is installed: {}", found.display());
        return Ok(());
    }
    if !cfg!(target_os = "linux") {
        println!(
            "Vulkan drivers of this system are not looked for; Metal and Direct3D 12 need none"
        );
        return Ok(());
    }
    let is_root = capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !exists("apt-get") {
        println!("{TWINS_ONLY}; `apt-get install {PACKAGE}` as root brings one");
        return Ok(());
    }
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments))
    };
    let install = ["install", "--yes", "--no-install-recommends", PACKAGE];
    let done = apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)));
    // Without the network the twins still run.
    if let Err(error) = done {
        println!("{TWINS_ONLY}: {error:#}");
    }
    Ok(())
}

/// The tests of several devices on two adapters: the driver in software twice, if it is there.
pub(crate) fn test_two_adapters() -> anyhow::Result<()> {
    // As in the step `tests`, so that nothing is built again.
    let mut command = quiet(cargo(&format!(
        "test --workspace {FEATURES} --test gpu -- fleet"
    )));
    match second_adapter()? {
        Some([first, second]) => {
            let both = std::env::join_paths([first, second])?;
            command.env("VK_DRIVER_FILES", both);
        }
        None => println!("no Vulkan driver in software: devices are logical ones, or twins"),
    }
    run(&mut command)
}

/// Gives a command a folder for its sockets, without which drivers complain.
pub(crate) fn quiet(mut command: Command) -> Command {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    command
}

/// The manifests of all drivers, sorted.
fn manifests() -> Vec<PathBuf> {
    let files = |folder: &&str| std::fs::read_dir(folder).ok();
    let mut found: Vec<PathBuf> = (FOLDERS.iter().filter_map(files).flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    found.sort();
    found
}

/// The manifest of the driver in software, and one of a copy of it, which is another driver to the loader.
fn second_adapter() -> anyhow::Result<Option<[PathBuf; 2]>> {
    let is_software = |path: &&PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("lvp"))
    };
    let all = manifests();
    let Some(first) = all.iter().find(is_software) else {
        return Ok(None);
    };
    let text = std::fs::read_to_string(first).with_context(|| first.display().to_string())?;
    let Some(library) = library_path(&text) else {
        return Ok(None);
    };
    let Some(from) = library_file(Path::new(&library)) else {
        return Ok(None);
    };
    let folder = target().join("gpu-driver");
    std::fs::create_dir_all(&folder)?;
    let copy = folder.join("libvulkan_second.so");
    std::fs::copy(&from, &copy).with_context(|| from.display().to_string())?;
    let second = folder.join("second_icd.json");
    let text = text.replace(&library, &copy.display().to_string());
    std::fs::write(&second, text)?;
    Ok(Some([first.clone(), second]))
}

/// What a manifest says about where its library is.
fn library_path(manifest: &str) -> Option<String> {
    let (_, rest) = manifest.split_once("\"library_path\"")?;
    let (_, rest) = rest.split_once('"')?;
    let (path, _) = rest.split_once('"')?;
    Some(path.to_owned())
}

/// The library, which a manifest may name without its folder.
fn library_file(library: &Path) -> Option<PathBuf> {
    if library.is_absolute() {
        return library.is_file().then(|| library.to_owned());
    }
    let folders = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
    ];
    let places = folders.iter().map(|folder| Path::new(folder).join(library));
    places.into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::library_path;

    #[test]
    fn a_manifest_says_where_its_library_is() {
        let text =
            "{ \"ICD\": { \"api_version\": \"1.3\", \"library_path\": \"libvulkan_lvp.so\" } }";
        assert_eq!(library_path(text).as_deref(), Some("libvulkan_lvp.so"));
        assert_eq!(library_path("{}"), None);
    }
}
