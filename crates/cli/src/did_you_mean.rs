//! Spelling suggestions.

/// The known name with the fewest edits from `typed`, if it is close enough to be a slip.
pub(crate) fn did_you_mean<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = 2.max(typed.chars().count() / 3);
    known
        .into_iter()
        .map(|name| {
            let part = !typed.is_empty() && name.contains(&typed);
            (if part { 1 } else { edits(&typed, name) }, name)
        })
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions and replacements that turn one word into the other.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, c) in one.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &d) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(c != d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_nonsense_is_not() {
        let known = ["torus-knot", "sphere", "gear"];
        assert_eq!(did_you_mean("torusknot", known), Some("torus-knot"));
        assert_eq!(did_you_mean("knot", known), Some("torus-knot"));
        assert_eq!(did_you_mean("Spere", known), Some("sphere"));
        assert_eq!(did_you_mean("battleship", known), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
