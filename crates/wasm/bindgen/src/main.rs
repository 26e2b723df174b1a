//! Writes the JavaScript and TypeScript around a compiled package: `impinge-wasm-bindgen IN.wasm OUT_FOLDER`.
//!
//! The same as the command `wasm-bindgen --target web`, without the two hundred crates of that command's web server.

use std::path::PathBuf;

use anyhow::bail;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, folder] = arguments.as_slice() else {
        bail!("usage: impinge-wasm-bindgen IN.wasm OUT_FOLDER");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).web(true)?.typescript(true);
    bindgen
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(folder)
}
