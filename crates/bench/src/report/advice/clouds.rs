//! What to take for points: clouds, the surfaces behind them, depth cameras.

use super::RecordAnswer;
use super::look_up::{bar, ms, range, reached, row, rows, three, us, with};
use crate::report::collect_records::Collection;

pub(super) fn points(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let told = |words: &[&str]| {
        let row = row(collection, "cloud-pairs", words)?;
        row.number("distance, ms")
    };
    let title = row(collection, "cloud-pairs", &["a cloud of", "mesh"])?;
    let mesh = told(&["a cloud of", " mesh apart "])?;
    let cloud = told(&["a cloud of", " cloud apart "])?;
    let nearest = bar(collection, "cloud-pairs", &["a nearest point takes"]);
    Some(RecordAnswer {
        take: "`cloud::CloudShape`".to_owned(),
        because: with(
            format!(
                "{} from a mesh and {} from another cloud, apart ({})",
                ms(mesh),
                ms(cloud),
                title.table.title
            ),
            nearest.map(|(_, claim)| reached(claim)),
        ),
        part: title.part,
    })
}

pub(super) fn surfaces(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let all = rows(collection, "clouds", &["tumbling pairs"]);
    let first = all.first()?;
    let of = |column: &str| {
        let values: Vec<f64> = all.iter().filter_map(|row| row.number(column)).collect();
        range(&values)
    };
    let (cloud, wrong) = (of("mean in µs")?, of("wrong in %")?);
    let mesh = of("exact mesh in µs").map(|(_, most)| {
        format!(
            "with the mesh itself at most {}, never wrong: ask that where there is one",
            us(most)
        )
    });
    Some(RecordAnswer {
        take: "`ProbabilisticQuery` with two `CloudShape`s `with_surface`".to_owned(),
        because: with(
            format!(
                "{} to {} on the mean of {} models, at most {} % wrong",
                us(cloud.0),
                us(cloud.1),
                all.len(),
                three(wrong.1)
            ),
            mesh,
        ),
        part: first.part,
    })
}

pub(super) fn camera(collection: &Collection) -> Option<RecordAnswer<'_>> {
    let (part, frame) = bar(collection, "scan", &["index and eight parts"])?;
    let sustained = bar(collection, "scan", &["frames a second sustained"]);
    Some(RecordAnswer {
        take: "`scan::ScanFrame`, the parts packed with balls".to_owned(),
        because: with(reached(frame), sustained.map(|(_, claim)| reached(claim))),
        part,
    })
}
