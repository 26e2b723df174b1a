//! Whether the files cover the theses, and whether commands and errata that they name exist.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;

use super::published_figure::{PublishedFigure, RecordPlace, Source, sources};

/// Fails unless `line` is a command of this program, with options and values that it knows.
fn check_command(line: &str) -> anyhow::Result<()> {
    let mut words = line.split_whitespace();
    anyhow::ensure!(words.next() == Some("impinge-bench"), "of another program");
    let mut root = crate::Args::command();
    root.build();
    let (mut command, mut option) = (&root, None::<&clap::Arg>);
    for word in words {
        if let Some(name) = word.strip_prefix("--") {
            option = command
                .get_arguments()
                .find(|arg| arg.get_long() == Some(name));
            anyhow::ensure!(option.is_some(), "no option {word}");
        } else if let Some(arg) = option.take() {
            let values = arg.get_possible_values();
            let is_one = |value: &clap::builder::PossibleValue| value.matches(word, false);
            anyhow::ensure!(values.is_empty() || values.iter().any(is_one), "no {word}");
        } else {
            let found = command.find_subcommand(word);
            command = found.ok_or_else(|| anyhow::anyhow!("no command {word}"))?;
        }
    }
    Ok(())
}

/// Everything in backticks that begins as a command of this program.
fn commands_in(words: &str) -> impl Iterator<Item = &str> {
    let quoted = words.split('`').skip(1).step_by(2);
    quoted.filter(|line| line.starts_with("impinge-bench"))
}

/// The words said at a place.
fn said(place: &RecordPlace, words: &mut Vec<String>) {
    match place {
        RecordPlace::Said(text) => words.push(text.clone()),
        RecordPlace::All(places) => places.iter().for_each(|place| said(place, words)),
        RecordPlace::Under(text, place) => {
            words.push(text.clone());
            said(place, words);
        }
        RecordPlace::Rate(_, _, place) => said(place, words),
        RecordPlace::Bar(..)
        | RecordPlace::Verdict(..)
        | RecordPlace::Row(..)
        | RecordPlace::Line(..) => {}
    }
}

fn each_figure(check: impl Fn(&Source, &PublishedFigure) -> anyhow::Result<()>) {
    for source in sources().unwrap() {
        for figure in &source.figures {
            if let Err(error) = check(&source, figure) {
                panic!("{} {}: {error:#}", source.source, figure.id);
            }
        }
    }
}

#[test]
fn every_command_behind_a_figure_exists() {
    for line in [
        "impinge-bench run volume --only trees",
        "impinge-bench separating-planes",
        "impinge-bench run bodies",
        "impinge-bench run haptics --parts sphere-spring",
    ] {
        check_command(line).unwrap();
    }
    for line in [
        "impinge-bench run volumes",
        "impinge-bench run haptics --parts leaves",
        "impinge-bench run volume --solely trees",
        "impinge query",
    ] {
        assert!(check_command(line).is_err(), "{line}");
    }
    each_figure(|_, figure| {
        figure
            .commands()
            .iter()
            .try_for_each(|c| check_command(c))?;
        let mut words = vec![figure.otherwise.clone()];
        figure.ours.iter().for_each(|place| said(place, &mut words));
        let mut named = words.iter().flat_map(|text| commands_in(text));
        named.try_for_each(check_command)
    });
}

#[test]
fn a_figure_has_a_command_or_a_reason() {
    each_figure(|_, figure| {
        let has_command = !figure.ours.is_empty() && !figure.commands().is_empty();
        let has_reason = figure.ours.is_empty() && !figure.otherwise.is_empty();
        anyhow::ensure!(has_command != has_reason, "both or neither");
        Ok(())
    });
}

#[test]
fn every_erratum_is_a_row_under_the_heading_of_its_thesis() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/errata.md")).unwrap();
    each_figure(|source, figure| {
        let heading = format!("\n## {}\n", source.errata);
        let (_, rest) = page
            .split_once(&heading)
            .ok_or_else(|| anyhow::anyhow!("no heading {}", source.errata))?;
        let section = rest.split("\n## ").next().unwrap_or_default();
        if let Some(row) = figure.erratum {
            let is_there = section.contains(&format!("\n| {row} | "));
            anyhow::ensure!(is_there, "no row {row} under {}", source.errata);
        }
        Ok(())
    });
}

#[test]
fn tables_and_figures_of_each_thesis_are_listed_without_gaps_and_all_with_values_are_covered() {
    let sources = sources().unwrap();
    let tables: Vec<usize> = sources.iter().map(|source| source.tables.len()).collect();
    // Klein, Zachmann, Weller, Mainzer, and a thesis without tables.
    assert_eq!(tables, [3, 17, 2, 7, 0]);
    for source in &sources {
        let mut chapters: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for name in source.plots.iter().chain(&source.drawings) {
            let number = name.strip_prefix("Figure ").unwrap();
            let (chapter, number) = number.split_once('.').unwrap();
            let is_new = chapters
                .entry(chapter)
                .or_default()
                .insert(number.parse().unwrap());
            assert!(is_new, "{} {name}", source.source);
        }
        for (chapter, numbers) in chapters {
            let last = numbers.last().copied().unwrap_or_default();
            assert_eq!(numbers.len(), last as usize, "{} {chapter}", source.source);
        }
        let covered = |name: &String| source.figures.iter().any(|f| f.at.contains(name));
        for name in source.tables.iter().chain(&source.plots) {
            assert!(covered(name), "{} {name}", source.source);
        }
    }
}
