//! The code shown in the readme of the repository is the code the tests compile.

use anyhow::{Context, bail};

use crate::shell::root;

/// Fails unless `README.md` shows the same Rust code as `crates/impinge/README.md`, which is a documentation test.
pub(crate) fn code_agrees() -> anyhow::Result<()> {
    let shown = code_of("README.md")?;
    let tested = code_of("crates/impinge/README.md")?;
    if tested.is_empty() {
        bail!("crates/impinge/README.md shows no code");
    }
    if shown != tested {
        bail!("README.md and crates/impinge/README.md show different code");
    }
    let lines: usize = tested.iter().map(|block| block.lines().count()).sum();
    println!("{lines} lines of code agree");
    Ok(())
}

/// The Rust blocks of a Markdown file, in order.
fn code_of(path: &str) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(root().join(path))
        .with_context(|| format!("cannot read {path}"))?;
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            None if line.trim_end() == "```rust" => open = Some(String::new()),
            None => {}
            Some(_) if line.trim_end() == "```" => blocks.extend(open.take()),
            Some(block) => {
                block.push_str(line.trim_end());
                block.push('\n');
            }
        }
    }
    Ok(blocks)
}
