//! The figures of the algorithm pages are what the generator draws.

use std::path::Path;

#[test]
fn committed_figures_are_what_is_drawn() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/algorithms/figures");
    let figures = impinge_testkit::figures::figures().unwrap();
    assert!(!figures.is_empty());
    for (name, svg) in figures {
        let path = folder.join(format!("{name}.svg"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == svg,
            "{name}.svg is out of date: `cargo xtask figures` draws it again"
        );
    }
}
