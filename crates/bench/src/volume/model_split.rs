//! Which models tune the methods of volume, and which judge them.

use std::sync::Arc;

use anyhow::Context as _;

use impinge::bvh::wide::WideTree;
use impinge::generate;

use super::model;

/// Constants of predicted costs were chosen with these; they enter no bar.
pub(super) const TUNING: [&str; 3] = ["blob", "torus", "mushroom"];
/// Bars are judged with these, and with those that are fetched.
const JUDGING: [&str; 3] = ["torus-knot", "gear", "brain"];
const FETCHED: [&str; 2] = ["armadillo", "bunny"];
/// Of generated models that are random.
const SEED: u64 = 1;

/// The models that judge.
pub(super) fn judging() -> impl Iterator<Item = &'static str> {
    JUDGING.into_iter().chain(FETCHED)
}

/// A model of either set: generated with about so many faces, or fetched as it is; none where it was not fetched.
pub(super) fn load(name: &'static str, faces: usize) -> anyhow::Result<Option<WideTree>> {
    if FETCHED.contains(&name) {
        return model(name);
    }
    let kind = generate::model(name).with_context(|| format!("there is no model {name}"))?;
    Ok(Some(WideTree::new(Arc::new(kind.make(Some(faces), SEED)?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_model_tunes_and_judges() {
        assert!(judging().all(|name| !TUNING.contains(&name)));
        assert!(JUDGING.len() >= 3);
    }
}
