//! The record of one engine on one query at one target: a line of a file, compared with ours.

use std::collections::BTreeMap;

use anyhow::bail;

use crate::configurations::Kind;
use crate::engines::OURS;
use crate::own_runners::EXACT;
use crate::pair_measurement::quantile;

/// The columns of [`Record::line`].
pub(super) const HEADER: &str = "preset,pair,class,faces_a,faces_b,kind,level,question,engine,version,ours,verdict,configurations,wrong,mean_ns,median_ns,p90_ns,p99_ns,max_ns,volume_tests,face_tests,bytes,build_ns,error,silent,cut,common_ns,common_ours_ns,group";

/// The question that both scenarios ask.
const YES_OR_NO: &str = "intersects";

/// One engine on one question at one target of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    pub(super) preset: String,
    pub(super) pair: String,
    pub(super) class: String,
    pub(super) faces: [usize; 2],
    pub(super) kind: String,
    /// The target, as a part of A's diagonal or volume.
    pub(super) level: f64,
    pub(super) question: String,
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) is_ours: bool,
    /// `right`, `approximate`, or why there are no times: `wrong`, `denies` (it never says yes), `died`, `timed-out`, `skipped`.
    pub(super) verdict: String,
    /// How many were measured.
    pub(super) configurations: usize,
    pub(super) wrong: usize,
    pub(super) times: Option<QueryTimes>,
    /// Means of what was tested, where the engine reports it.
    pub(super) volume_tests: Option<f64>,
    pub(super) face_tests: Option<f64>,
    /// Of the indexes, meshes not counted.
    pub(super) bytes: Option<f64>,
    pub(super) build_ns: Option<f64>,
    /// Mean error: of distances and volumes as parts of the unit, of forces in degrees, of yes or no by engines that may err the part that is wrong.
    pub(super) error: Option<f64>,
    /// Places with a force at which the engine returned none; they are not in the mean error.
    pub(super) silent: usize,
    /// Whether the time was up before every configuration of the target was queried.
    pub(super) is_cut: bool,
    /// Mean nanoseconds of this engine and of ours ([`Record::reference`]), over the configurations at which both have a time.
    pub(super) common: Option<[f64; 2]>,
    /// The times with the numbers of their configurations, until the target is done; they are not written.
    pub(super) samples: Vec<(usize, f64)>,
}

/// Sets every engine of a target beside ours: means over the configurations at which both have a time. An engine whose time was up was run on fewer.
pub(super) fn set_beside(records: &mut [Record]) {
    let ours: Vec<Record> = records
        .iter()
        .filter(|r| r.engine == r.reference())
        .cloned()
        .collect();
    for record in records {
        let of = ours.iter().find(|r| r.question == record.question);
        record.common = of.and_then(|of| common(&record.samples, &of.samples));
        record.samples = Vec::new();
    }
}

/// The means of both over what both have.
fn common(own: &[(usize, f64)], ours: &[(usize, f64)]) -> Option<[f64; 2]> {
    let ours: BTreeMap<usize, f64> = ours.iter().copied().collect();
    let both: Vec<[f64; 2]> = own
        .iter()
        .filter_map(|(number, ns)| Some([*ns, *ours.get(number)?]))
        .collect();
    let mean = |k: usize| both.iter().map(|pair| pair[k]).sum::<f64>() / both.len() as f64;
    (!both.is_empty()).then(|| [mean(0), mean(1)])
}

/// Takes the times of yes or no at a distance from engines that never say yes: there, no is right, and whoever says nothing else is the fastest.
///
/// What counts is the second scenario of the same pair, or of all pairs where the pair has none.
pub(super) fn void_deniers(records: &mut [Record]) {
    // Of an engine, at a pair or at all of them: how often a yes was right, and how often it said no.
    let mut said: BTreeMap<(String, Option<String>), [usize; 2]> = BTreeMap::new();
    for r in records.iter() {
        if r.is_of(Kind::Volume) && r.question == YES_OR_NO {
            for pair in [Some(r.pair.clone()), None] {
                let [asked, wrong] = said.entry((r.engine.clone(), pair)).or_default();
                *asked += r.configurations;
                *wrong += r.wrong;
            }
        }
    }
    for r in records.iter_mut() {
        let is_no = r.is_of(Kind::Distance) && r.question == YES_OR_NO && r.times.is_some();
        let of = |pair: Option<String>| {
            let found = said.get(&(r.engine.clone(), pair));
            found.filter(|[asked, _]| *asked > 0)
        };
        let found = of(Some(r.pair.clone())).or_else(|| of(None));
        if is_no && found.is_some_and(|[asked, wrong]| asked == wrong) {
            r.verdict = "denies".to_owned();
            r.times = None;
            r.common = None;
        }
    }
    // Nobody is set beside one that has no time any more.
    let voided: Vec<(String, u64)> = records
        .iter()
        .filter(|r| r.verdict == "denies" && r.engine == OURS)
        .map(|r| (r.pair.clone(), r.level.to_bits()))
        .collect();
    for r in records.iter_mut() {
        let is_no = r.is_of(Kind::Distance) && r.question == YES_OR_NO;
        if is_no && voided.contains(&(r.pair.clone(), r.level.to_bits())) {
            r.common = None;
        }
    }
}

/// Nanoseconds per query over all configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct QueryTimes {
    pub(super) mean: f64,
    pub(super) median: f64,
    /// None of fewer than [`LEAST_P90`]: it would be the largest under another name.
    pub(super) p90: Option<f64>,
    /// None of fewer than [`LEAST_P99`].
    pub(super) p99: Option<f64>,
    pub(super) max: f64,
}

/// Configurations of which there is a 90th percentile.
pub(super) const LEAST_P90: usize = 10;
/// Configurations of which there is a 99th percentile.
pub(super) const LEAST_P99: usize = 100;

impl QueryTimes {
    /// Of times that come with the numbers of their configurations.
    pub(super) fn of(sample: &[(usize, f64)]) -> Option<Self> {
        let sample: Vec<f64> = sample.iter().map(|(_, ns)| *ns).collect();
        let at = |part: f64| quantile(&sample, part);
        Some(Self {
            mean: sample.iter().sum::<f64>() / sample.len() as f64,
            median: at(0.5)?,
            p90: at(0.9).filter(|_| sample.len() >= LEAST_P90),
            p99: at(0.99).filter(|_| sample.len() >= LEAST_P99),
            max: at(1.0)?,
        })
    }
}

impl Record {
    pub(super) fn is_of(&self, kind: Kind) -> bool {
        self.kind == kind.name()
    }

    /// The engine of ours that others are set beside on this question.
    fn reference(&self) -> &'static str {
        match self.question.as_str() {
            "volume" | "force" => EXACT,
            _ => OURS,
        }
    }

    /// With the number of records of its target.
    pub(super) fn line(&self, group: usize) -> String {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let time = |of: fn(&QueryTimes) -> f64| number(self.times.as_ref().map(of));
        let fields = [
            self.preset.clone(),
            self.pair.clone(),
            self.class.clone(),
            self.faces[0].to_string(),
            self.faces[1].to_string(),
            self.kind.clone(),
            self.level.to_string(),
            self.question.clone(),
            self.engine.clone(),
            self.version.replace(',', ";"),
            u8::from(self.is_ours).to_string(),
            self.verdict.clone(),
            self.configurations.to_string(),
            self.wrong.to_string(),
            time(|t| t.mean),
            time(|t| t.median),
            number(self.times.and_then(|t| t.p90)),
            number(self.times.and_then(|t| t.p99)),
            time(|t| t.max),
            number(self.volume_tests),
            number(self.face_tests),
            number(self.bytes),
            number(self.build_ns),
            number(self.error),
            self.silent.to_string(),
            u8::from(self.is_cut).to_string(),
            number(self.common.map(|c| c[0])),
            number(self.common.map(|c| c[1])),
            group.to_string(),
        ];
        fields.join(",")
    }

    /// What [`line`](Self::line) wrote: a record, and how many its target has.
    pub(super) fn parse(line: &str) -> anyhow::Result<(Self, usize)> {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != HEADER.split(',').count() {
            bail!("{} fields in `{line}`", fields.len());
        }
        let text = |k: usize| fields[k].to_owned();
        let count = |k: usize| fields[k].parse::<usize>();
        let number = |k: usize| match fields[k] {
            "" => Ok(None),
            text => text.parse::<f64>().map(Some),
        };
        let configurations = count(12)?;
        // Earlier files have percentiles of whatever there was.
        let percentile = |k: usize, least: usize| {
            number(k).map(|found| found.filter(|_| configurations >= least))
        };
        let (p90, p99) = (percentile(16, LEAST_P90)?, percentile(17, LEAST_P99)?);
        let times = match (number(14)?, number(15)?, number(18)?) {
            (Some(mean), Some(median), Some(max)) => Some(QueryTimes {
                mean,
                median,
                p90,
                p99,
                max,
            }),
            _ => None,
        };
        let record = Self {
            preset: text(0),
            pair: text(1),
            class: text(2),
            faces: [count(3)?, count(4)?],
            kind: text(5),
            level: fields[6].parse()?,
            question: text(7),
            engine: text(8),
            version: text(9),
            is_ours: fields[10] == "1",
            verdict: text(11),
            configurations,
            wrong: count(13)?,
            times,
            volume_tests: number(19)?,
            face_tests: number(20)?,
            bytes: number(21)?,
            build_ns: number(22)?,
            error: number(23)?,
            silent: count(24)?,
            is_cut: fields[25] == "1",
            common: number(26)?.zip(number(27)?).map(|(own, ours)| [own, ours]),
            samples: Vec::new(),
        };
        Ok((record, count(28)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performance::record_writer::{csv, whole_groups};

    #[test]
    fn only_what_both_were_asked_is_compared() {
        let record = |engine: &str, samples: &[(usize, f64)]| Record {
            question: "distance".to_owned(),
            engine: engine.to_owned(),
            samples: samples.to_vec(),
            ..Record::default()
        };
        let mut records = [
            record(OURS, &[(0, 1.0), (1, 3.0), (2, 100.0)]),
            record("slow", &[(0, 10.0), (1, 30.0)]),
            record("void", &[]),
        ];
        set_beside(&mut records);
        assert_eq!(records[1].common, Some([20.0, 2.0]));
        assert_eq!(records[0].common.map(|c| c[0] / c[1]), Some(1.0));
        assert_eq!(records[2].common, None);
        assert!(records.iter().all(|r| r.samples.is_empty()));
        let text = csv(&records);
        assert_eq!(whole_groups(&text), records);
        // Where ours has no time there is no comparison.
        let mut alone = [record(OURS, &[]), record("slow", &[(0, 10.0)])];
        set_beside(&mut alone);
        assert_eq!(alone[1].common, None);
    }

    #[test]
    fn a_sample_has_no_percentile_beyond_its_size() {
        let times = |count: usize| {
            let sample: Vec<(usize, f64)> = (0..count).map(|k| (k, k as f64)).collect();
            QueryTimes::of(&sample).unwrap()
        };
        assert_eq!(times(9).p90, None);
        assert_eq!((times(17).p90, times(17).p99), (Some(14.0), None));
        assert_eq!((times(99).p99, times(99).max), (None, 98.0));
        assert_eq!((times(201).p99, times(201).max), (Some(198.0), 200.0));
        let record = |configurations: usize| Record {
            question: "distance".to_owned(),
            configurations,
            times: Some(times(configurations)),
            ..Record::default()
        };
        for count in [17, 201] {
            let record = record(count);
            assert_eq!(Record::parse(&record.line(1)).unwrap(), (record, 1));
        }
        // A file of an earlier day loses what it could not know.
        let mut old = record(17);
        old.times = old.times.map(|times| QueryTimes {
            p99: Some(times.max),
            ..times
        });
        assert_eq!(Record::parse(&old.line(1)).unwrap(), (record(17), 1));
    }

    #[test]
    fn whoever_never_says_yes_has_no_time_for_no() {
        let record = |kind: Kind, pair: &str, engine: &str, wrong: usize| Record {
            kind: kind.name().to_owned(),
            pair: pair.to_owned(),
            question: YES_OR_NO.to_owned(),
            engine: engine.to_owned(),
            verdict: if wrong == 0 { "right" } else { "wrong" }.to_owned(),
            configurations: 4,
            wrong,
            times: (wrong == 0).then_some(QueryTimes::default()),
            ..Record::default()
        };
        let (apart, meeting) = (Kind::Distance, Kind::Volume);
        let mut records = vec![
            record(apart, "solid", "never", 0),
            record(apart, "open", "never", 0),
            record(apart, "solid", "once", 0),
            record(apart, "open", "once", 0),
            record(apart, "solid", "good", 0),
            record(apart, "solid", "unasked", 0),
            record(meeting, "solid", "never", 4),
            record(meeting, "solid", "once", 3),
            record(meeting, "solid", "good", 0),
        ];
        let distance = Record {
            question: "distance".to_owned(),
            ..record(apart, "solid", "never", 0)
        };
        records.push(distance);
        void_deniers(&mut records);
        let voided: Vec<bool> = records.iter().map(|r| r.verdict == "denies").collect();
        let mut expected = vec![false; records.len()];
        expected[..2].fill(true);
        assert_eq!(voided, expected);
        assert!(records[..2].iter().all(|r| r.times.is_none()));
        assert!(records[2].times.is_some() && records[9].times.is_some());
    }
}
