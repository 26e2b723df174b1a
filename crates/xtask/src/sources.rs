//! What the sources define: items, tests and commands, found by their text.
//!
//! A text search catches names that are misspelt or were renamed. Whether an item does what a
//! document says of it is for the tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// The Rust files of all crates, by their path from the root.
#[derive(Debug)]
pub(crate) struct Sources {
    files: BTreeMap<PathBuf, String>,
}

/// Library crates by the first word of a path.
const CRATES: [(&str, &str); 5] = [
    ("impinge", "crates/impinge/src"),
    ("impinge_dynamics", "crates/dynamics/src"),
    ("impinge_gpu", "crates/gpu/src"),
    ("impinge_plugin", "crates/plugin/src"),
    ("impinge_study", "crates/study/src"),
];

/// Programs, and where their commands are.
const PROGRAMS: [(&str, &str); 2] = [
    ("impinge", "crates/cli/src"),
    ("impinge-bench", "crates/bench/src"),
];

/// Stands for the examples of a file, which are tests too.
const EXAMPLE: &str = "doc_example";

impl Sources {
    /// Reads every Rust file below `crates`.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.join("crates")];
        while let Some(folder) = folders.pop() {
            for entry in
                std::fs::read_dir(&folder).with_context(|| format!("cannot list {folder:?}"))?
            {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = std::fs::read_to_string(&path)
                        .with_context(|| format!("cannot read {path:?}"))?;
                    let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
                    files.insert(path, text);
                }
            }
        }
        Ok(Self { files })
    }

    /// The file that defines a public item such as `impinge::spheres::InnerSphereTree::overlap`.
    ///
    /// The modules must be public, the last of them must show the name, and a file below it must
    /// define it. A further name is a function, a constant or a variant of the item.
    pub(crate) fn item(&self, path: &str) -> anyhow::Result<&Path> {
        let mut names = path.split("::");
        let first = names.next().unwrap_or_default();
        let Some((_, source)) = CRATES.iter().find(|(name, _)| *name == first) else {
            bail!("{path} begins with no crate of ours");
        };
        let mut folder = PathBuf::from(source);
        let mut module = folder.join("lib.rs");
        let mut rest: Vec<&str> = names.collect();
        // The last name is never a module: functions may be called as the file that they are in.
        while let [name, others @ ..] = rest.as_slice()
            && !others.is_empty()
        {
            let inside = [
                folder.join(name).join("mod.rs"),
                folder.join(format!("{name}.rs")),
            ];
            let Some(file) = inside
                .into_iter()
                .find(|file| self.files.contains_key(file))
            else {
                break;
            };
            let line = format!("pub mod {name};");
            if !self.text(&module).is_some_and(|text| text.contains(&line)) {
                bail!("{path}: the module {name} is not public");
            }
            (module, folder) = (file, folder.join(name));
            rest.remove(0);
        }
        let (&name, members) = rest
            .split_first()
            .with_context(|| format!("{path} names no item"))?;
        if !self.shows(&module, name) {
            bail!("{path}: {} does not show {name}", module.display());
        }
        let below = |file: &Path| file == module || file.starts_with(&folder);
        let mut here = self.files.iter().filter(|(file, _)| below(file));
        let Some((file, _)) = here.find(|(_, text)| definition(text, name).is_some()) else {
            bail!("{path}: nothing below {} defines {name}", folder.display());
        };
        for member in members {
            let mut here = self.files.iter().filter(|(file, _)| below(file));
            if !here.any(|(_, text)| text.contains(name) && has_member(text, member)) {
                bail!("{path}: {name} has no {member}");
            }
        }
        Ok(file)
    }

    /// The text of a file.
    pub(crate) fn text(&self, file: &Path) -> Option<&str> {
        self.files.get(file).map(String::as_str)
    }

    /// Whether a file says `pub` and then this name before the statement ends.
    fn shows(&self, file: &Path, name: &str) -> bool {
        let Some(text) = self.files.get(file) else {
            return false;
        };
        let mut open = false;
        for line in text.lines() {
            open |= line.starts_with("pub ");
            if open && !line.trim_start().starts_with("//") && words(line).any(|word| word == name)
            {
                return true;
            }
            open &= !(line.contains(';') || line.ends_with('{') && !line.starts_with("pub use"));
        }
        false
    }

    /// Checks a test such as `crates/impinge/tests/bvh/rays.rs::its_name`.
    pub(crate) fn test(&self, path: &str) -> anyhow::Result<()> {
        let (file, name) = path
            .split_once("::")
            .with_context(|| format!("{path} is no FILE::NAME"))?;
        let text = self
            .text(Path::new(file))
            .with_context(|| format!("{path}: the file is not there"))?;
        let is_there = if name == EXAMPLE {
            text.contains("/// ```")
        } else {
            let of = |after: &str| after.split_once("fn ").map(|(_, rest)| rest.to_owned());
            text.split("#[test]")
                .skip(1)
                .filter_map(of)
                .any(|rest| words(&rest).next() == Some(name))
        };
        if !is_there {
            bail!("{path}: there is no such test");
        }
        Ok(())
    }

    /// Checks a command such as `impinge-bench run broad-phase --only published`: the words before the
    /// first flag, and the flags.
    pub(crate) fn command(&self, line: &str) -> anyhow::Result<()> {
        let mut given = line.split_whitespace();
        let program = given.next().unwrap_or_default();
        let Some((_, folder)) = PROGRAMS.iter().find(|(name, _)| *name == program) else {
            bail!("`{line}` begins with no program of ours");
        };
        let texts = || {
            let here = self
                .files
                .iter()
                .filter(|(file, _)| file.starts_with(folder));
            here.map(|(_, text)| text.as_str())
        };
        let mut is_command = true;
        for word in given {
            let is_there = if let Some(flag) = word.strip_prefix("--") {
                is_command = false;
                let field = format!(" {}: ", flag.replace('-', "_"));
                let long = format!("long = \"{flag}\"");
                texts().any(|text| text.contains(&field) || text.contains(&long))
            } else if is_command {
                let variant = format!("\n    {}(", pascal(word));
                let named = format!("name = \"{word}\"");
                texts().any(|text| text.contains(&variant) || text.contains(&named))
            } else {
                texts().any(|text| words(text).any(|other| other.eq_ignore_ascii_case(word)))
            };
            if !is_there {
                bail!("`{line}`: {program} knows no {word}");
            }
        }
        Ok(())
    }
}

/// The line at which a text defines a public item.
pub(crate) fn definition(text: &str, name: &str) -> Option<usize> {
    const KINDS: [&str; 7] = ["fn", "struct", "enum", "trait", "mod", "const", "type"];
    text.lines().position(|line| {
        let mut words = words(line);
        line.starts_with("pub ") && words.next() == Some("pub") && {
            let rest: Vec<&str> = words.take(3).collect();
            rest.windows(2)
                .any(|pair| KINDS.contains(&pair[0]) && pair[1] == name)
        }
    })
}

/// Whether a text has a public function or a variant of this name.
fn has_member(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let inner = line.trim_start();
        let variant = inner.strip_prefix(name);
        let is_variant = variant.is_some_and(|rest| rest.starts_with([',', '(', ' ', '{']));
        let is_constant = inner
            .strip_prefix("pub const ")
            .and_then(|rest| rest.strip_prefix(name));
        let mut words = words(inner).skip_while(|word| ["pub", "const", "unsafe"].contains(word));
        line.starts_with("    ")
            && (is_variant || is_constant.is_some_and(|rest| rest.starts_with(':')))
            || inner.starts_with("pub ") && words.next() == Some("fn") && words.next() == Some(name)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| !part.is_empty())
}

/// `cloud-info` as the variant that it is made from.
fn pascal(word: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    word.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::Sources;

    fn sources() -> Sources {
        let file = |path: &str, text: &str| (path.into(), text.to_owned());
        let files = [
            file("crates/impinge/src/lib.rs", "pub mod broad;\nmod hidden;\n"),
            file("crates/impinge/src/broad/race.rs", "pub fn race() {}\n"),
            file("crates/impinge/src/hidden.rs", "pub struct Lost;\n"),
            file(
                "crates/impinge/src/broad/mod.rs",
                "mod grid;\npub use grid::{\n    Grid, Level,\n};\npub use race::race;\nuse grid::Inner;\n",
            ),
            file(
                "crates/impinge/src/broad/uniform_grid.rs",
                "/// ```\npub struct Grid;\npub struct Inner;\npub enum Level {\n    Fine,\n}\nimpl Grid {\n    pub const fn cells() {}\n}\n\
                 #[test]\nfn it_holds() {}\nfn it_helps() {}\n",
            ),
            file(
                "crates/cli/src/args.rs",
                "enum Command {\n    CloudInfo(A),\n}\nstruct A {\n    pub(crate) up_axis: u8,\n}\n",
            ),
        ];
        Sources {
            files: files.into(),
        }
    }

    #[test]
    fn items_are_found_and_misspelt_or_private_ones_are_not() {
        let sources = sources();
        for good in [
            "broad::Grid",
            "broad::Level::Fine",
            "broad::Grid::cells",
            "broad::race",
            "broad",
        ] {
            sources.item(&format!("impinge::{good}")).unwrap();
        }
        for bad in [
            "broad::Gird",
            "broad::Inner",
            "broad::Level::Fin",
            "broad::Grid::cell",
            "board::Grid",
            "hidden::Lost",
        ] {
            assert!(sources.item(&format!("impinge::{bad}")).is_err(), "{bad}");
        }
        assert!(sources.item("other::broad::Grid").is_err());
    }

    #[test]
    fn only_tests_and_examples_count_as_tests() {
        let sources = sources();
        let grid =
            |name: &str| sources.test(&format!("crates/impinge/src/broad/uniform_grid.rs::{name}"));
        assert!(grid("it_holds").is_ok() && grid("doc_example").is_ok());
        assert!(grid("it_helps").is_err() && grid("it_hold").is_err());
        assert!(
            sources
                .test("crates/impinge/src/grid.rs::it_holds")
                .is_err()
        );
        assert!(
            sources
                .test("crates/impinge/src/lib.rs::doc_example")
                .is_err()
        );
    }

    #[test]
    fn commands_and_flags_are_found_and_others_are_not() {
        let sources = sources();
        assert!(sources.command("impinge cloud-info --up-axis").is_ok());
        assert!(sources.command("impinge cloud --up-axis").is_err());
        assert!(sources.command("impinge cloud-info --up").is_err());
        assert!(sources.command("pinge cloud-info").is_err());
    }
}
