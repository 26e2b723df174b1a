//! The support matrix of the guide is what the dispatch says.

use impinge::pair::{QueryKind, ShapeKind, support_matrix, support_table};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guide/supported-pairs.md"
);

#[test]
fn the_table_in_the_guide_is_the_dispatch_itself() {
    let table = support_table();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once("<!-- generated -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->\n").unwrap();
    let wanted = format!("{before}<!-- generated -->\n{table}<!-- end -->\n{after}");
    if std::env::var_os("IMPINGE_BLESS").is_some() {
        std::fs::write(PAGE, &wanted).unwrap();
        return;
    }
    assert_eq!(
        page, wanted,
        "run this test with IMPINGE_BLESS=1 and look at the difference"
    );
}

#[test]
fn every_kind_is_in_the_matrix_and_every_pair_once() {
    let rows = support_matrix();
    // Meshes come twice, open and closed.
    let count = ShapeKind::ALL.len() + 1;
    assert_eq!(rows.len(), count * (count + 1) / 2);
    for kind in ShapeKind::ALL {
        assert!(
            rows.iter().any(|row| row.a.starts_with(kind.name())),
            "{kind}"
        );
    }
    for row in &rows {
        for (question, answer) in QueryKind::ALL.into_iter().zip(&row.answers) {
            if let Err(refused) = answer {
                assert_eq!(refused.question, question);
            }
        }
    }
}
