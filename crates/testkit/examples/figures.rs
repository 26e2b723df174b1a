//! Writes the figures of the algorithm pages into a folder: `cargo xtask figures` calls it.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("give the folder to write into")?
        .into();
    std::fs::create_dir_all(&folder)?;
    let figures = impinge_testkit::figures::figures()?;
    for (name, svg) in &figures {
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
    }
    println!("{} figures in {}", figures.len(), folder.display());
    Ok(())
}
