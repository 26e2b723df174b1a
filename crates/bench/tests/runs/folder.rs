//! A folder of a test's own, and records to put into it.
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run ends with that missed no bar and left one open.
pub(crate) const OPEN: i32 = 3;

/// The first line of `rigid.csv`.
pub(crate) const HEADER: &str = "pair,class,faces_a,faces_b,level,pose,intersects,gap,question,engine,version,answer,verdict,excused_pairs,hot_ns,spread_ns,cold_ns,build_ns,first_ns,set";

/// A folder that goes when the test does.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("impinge-bench-test-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).unwrap();
        }
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The program with this folder as its target, so that there are no models or peers but those put here.
    pub(crate) fn bench(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_impinge-bench"));
        command.env("CARGO_TARGET_DIR", &self.0).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.bench(arguments).output().unwrap()
    }

    /// Measures the pair of blobs with these engines.
    #[cfg(unix)]
    pub(crate) fn run_blob(&self, engines: &str, more: &[&str]) -> Output {
        let part = [
            "run",
            "performance",
            "--pairs",
            "blob",
            "--engines",
            engines,
        ];
        self.run(&[&part[..], more].concat())
    }

    /// A runner in the place of FCL's that does as told when it is asked.
    #[cfg(unix)]
    pub(crate) fn add_peer(&self, on_ask: &str) {
        let script = script("f64", "built 1 1 0", on_ask);
        permit(&self.file("peers/fcl", &script));
    }

    /// A stranger's runner, as `--engines` takes it. What it does when it is asked may use `$times`: a time for each repeat.
    #[cfg(unix)]
    pub(crate) fn runner(&self, name: &str, precision: &str, built: &str, on_ask: &str) -> String {
        let runner = self.file(&format!("{name}.sh"), &script(precision, built, on_ask));
        permit(&runner);
        format!("{name}={}", runner.display())
    }
}

#[cfg(unix)]
fn script(precision: &str, built: &str, on_ask: &str) -> String {
    format!(
        "#!/bin/sh\n\
         poses=0\n\
         while read -r word rest; do\n\
         case \"$word\" in\n\
         hello) echo 'engine fcl 0.0 {precision}' ;;\n\
         build) echo '{built}' ;;\n\
         pose) echo \"pose $poses\"; poses=$((poses+1)) ;;\n\
         ask) n=${{rest##* }}; times=''\n\
         while [ \"$n\" -gt 0 ]; do times=\"$times 10\"; n=$((n-1)); done\n\
         {on_ask} ;;\n\
         *) echo unsupported ;;\n\
         esac\n\
         done\n"
    )
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a script a program.
#[cfg(unix)]
pub(crate) fn permit(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// All that a program said.
pub(crate) fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}

/// Every bar was met, and there was one.
pub(crate) fn assert_met(output: &Output) {
    let said = said(output);
    assert!(output.status.success(), "{said}");
    let mut bars = said
        .lines()
        .filter(|line| line.starts_with("bar:"))
        .peekable();
    assert!(bars.peek().is_some(), "{said}");
    assert!(bars.all(|line| line.trim_end().ends_with("met")), "{said}");
}

/// A path as an argument.
pub(crate) fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
