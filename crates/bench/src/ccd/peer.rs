//! Runs the same queries with `ipctk`.

use std::process::Command;

use impinge_testkit::recorded::Query;

use super::Args;
use super::measure_set::Decided;
use super::recorded_sets::RecordedSet;
use crate::Bar;
use crate::engines::{script_runner, target};

/// Times a peer that died is started again, after the query it died at.
const RESTARTS: usize = 20;
/// How many times the peer's mean must be ours, on the NYU set.
pub(super) const PEER_RATIO: f64 = 1000.0;

/// What the peer said about a set.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PeerAnswers {
    pub(super) asked: usize,
    pub(super) answered: usize,
    decided: Decided,
    /// Mean over what was answered, net of an empty call.
    pub(super) nanoseconds: f64,
    empty: f64,
    /// How it ended when it did not end well.
    trouble: Option<String>,
}

impl PeerAnswers {
    pub(super) fn report(&self, args: &Args, set: &str) {
        let Decided {
            hits,
            false_negatives,
            false_positives,
        } = self.decided;
        if args.json {
            println!(
                "{}",
                serde_json::json!({
                    "set": set, "peer": "ipctk", "queries": self.asked, "answered": self.answered, "hits": hits,
                    "false_negatives": false_negatives, "false_positives": false_positives,
                    "nanoseconds": self.nanoseconds, "empty_call_nanoseconds": self.empty, "trouble": self.trouble,
                })
            );
            return;
        }
        println!(
            "ipctk, {set}: {} of {} queries answered, {hits} hits, {false_negatives} FN, {false_positives} FP, {:.0} ns net of an empty call of {:.0} ns{}",
            self.answered,
            self.asked,
            self.nanoseconds,
            self.empty,
            self.trouble
                .as_ref()
                .map_or(String::new(), |t| format!("; {t}"))
        );
    }
}

/// The peer's answers, none when it is not there.
pub(super) fn peer(set: &RecordedSet, stride: usize) -> anyhow::Result<Option<PeerAnswers>> {
    if stride == 0 || script_runner("ipctk").is_none() {
        return Ok(None);
    }
    let folder = target().join("ccd-peer");
    crate::folders::create(&folder)?;
    let input = folder.join("queries.bin");
    let asked: Vec<&Query> = set.queries.iter().step_by(stride).collect();
    let mut bytes = Vec::new();
    for query in &asked {
        let coordinates = query.points.iter().flatten().flat_map(|p| p.to_array());
        for x in coordinates.chain([f64::from(u8::from(query.is_edges))]) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
    }
    std::fs::write(&input, bytes)?;
    let start = |first: usize| {
        let mut command = script_runner("ipctk")?;
        command.arg("queries").arg(&input).arg(first.to_string());
        Some(command)
    };
    ask_peer(&asked, start).map(Some)
}

/// Asks about all queries. A query at which the peer dies is not answered, and it is started again after it.
fn ask_peer(
    asked: &[&Query],
    start: impl Fn(usize) -> Option<Command>,
) -> anyhow::Result<PeerAnswers> {
    let mut peer = PeerAnswers {
        asked: asked.len(),
        ..PeerAnswers::default()
    };
    let (mut next, mut died) = (0, 0);
    while next < asked.len() {
        let Some(mut command) = start(next) else {
            break;
        };
        let out = command.output()?;
        let text = String::from_utf8_lossy(&out.stdout);
        for (query, line) in asked[next..].iter().zip(text.lines()) {
            next += 1;
            let mut fields = line
                .split_whitespace()
                .filter_map(|f| f.parse::<f64>().ok());
            let (Some(hit), Some(time), Some(empty)) =
                (fields.next(), fields.next(), fields.next())
            else {
                peer.trouble = Some(format!("it said `{line}` about query {}", next - 1));
                continue;
            };
            peer.answered += 1;
            peer.decided.count(query.is_hit, hit > 0.0);
            peer.nanoseconds += time - empty;
            peer.empty = empty;
        }
        if next < asked.len() || !out.status.success() {
            let errors = String::from_utf8_lossy(&out.stderr);
            peer.trouble = Some(format!(
                "it ended with {} at query {next}: {}",
                out.status,
                errors.lines().last().unwrap_or("without a word")
            ));
            died += 1;
            if died > RESTARTS || peer.answered == 0 {
                break;
            }
            next += 1;
        }
    }
    peer.nanoseconds /= peer.answered.max(1) as f64;
    Ok(peer)
}

/// The bar beside the peer: open when it left a query unanswered, or was not given all of them.
pub(super) fn peer_bar(ratio: f64, peer: &PeerAnswers, stride: usize) -> Bar {
    match Bar::at_least(ratio, PEER_RATIO) {
        Bar::Met if peer.answered < peer.asked || stride != 1 => Bar::Open,
        _ if peer.answered == 0 => Bar::Open,
        bar => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex that falls through a face.
    fn fall() -> Query {
        use impinge::DVec3;
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let from = DVec3::new(0.25, 0.25, 1.0);
        let to = DVec3::new(0.25, 0.25, -1.0);
        Query {
            points: [
                [from, face[0], face[1], face[2]],
                [to, face[0], face[1], face[2]],
            ],
            is_edges: false,
            is_hit: true,
            time: Some(0.5),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_peer_that_dies_leaves_its_bar_open() {
        let query = fall();
        let asked = [&query; 4];
        let shell = |script: String| {
            let mut command = Command::new("sh");
            command.args(["-c", &script]);
            Some(command)
        };
        let line = "echo 1 3000 1000;";
        let whole = ask_peer(&asked, |first| shell(line.repeat(4 - first))).unwrap();
        assert_eq!(
            (whole.answered, whole.decided.hits, whole.trouble.as_ref()),
            (4, 4, None)
        );
        assert_eq!((whole.nanoseconds, whole.empty), (2000.0, 1000.0));
        assert_eq!(peer_bar(2000.0, &whole, 1), Bar::Met);
        assert_eq!(peer_bar(2000.0, &whole, 2), Bar::Open);
        assert_eq!(peer_bar(10.0, &whole, 1), Bar::Missed);
        // It answers two, dies at the third, and answers the fourth when it is started again.
        let dying = ask_peer(&asked, |first| {
            shell(if first == 0 {
                format!("{}exit 7", line.repeat(2))
            } else {
                line.repeat(4 - first)
            })
        })
        .unwrap();
        assert_eq!((dying.asked, dying.answered), (4, 3));
        assert!(dying.trouble.as_ref().unwrap().contains("query 2"));
        assert_eq!(peer_bar(2000.0, &dying, 1), Bar::Open);
        let mute = ask_peer(&asked, |_| shell("exit 1".to_owned())).unwrap();
        assert_eq!(mute.answered, 0);
        assert_eq!(peer_bar(f64::NAN, &mute, 1), Bar::Open);
    }
}
