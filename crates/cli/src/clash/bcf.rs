//! Clashes as a BCF 2.1 file, which CAD and BIM programs open as a list of issues with viewpoints.
//!
//! A topic's GUID is made of the clash's id, so that the same clash is the same topic in a later run.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::clash::clash_id;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::date;
use super::record::ClashRecord;
use super::report::{Group, Report};
use super::table;
use crate::number;
use crate::render::{TOWARDS_VIEWER, Up};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// Vertical opening of the camera, in degrees.
const FIELD_OF_VIEW: f64 = 60.0;
/// Who made it.
const AUTHOR: &str = "impinge";
/// Clashes of a group that are listed one by one.
const MOST_TOLD: usize = 50;

/// The bytes of the file: a topic per clash, or per group where there are groups; with the pictures that there are.
pub(super) fn bcf(
    report: &Report,
    pictures: &[(usize, Vec<u8>)],
    up: Up,
) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Pictures are compressed already, and the rest is small.
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    let mut add = |path: &str, bytes: &[u8]| -> anyhow::Result<()> {
        zip.start_file(path, options)?;
        zip.write_all(bytes)?;
        Ok(())
    };
    let version = "<Version VersionId=\"2.1\"><DetailedVersion>2.1</DetailedVersion></Version>\n";
    add("bcf.version", format!("{DECLARATION}{version}").as_bytes())?;
    let date = date::now();
    for (index, topic) in topics(report).iter().enumerate() {
        let guid = guid(&topic.id, 0);
        // The picture of the gravest that has one.
        let picture = topic
            .members
            .iter()
            .find_map(|member| pictures.iter().find(|(of, _)| of == member));
        let markup = markup(topic, &date, Some(index), picture.is_some());
        add(&format!("{guid}/markup.bcf"), markup.as_bytes())?;
        let clash = &report.clashes[topic.members[0]];
        let boxes = report
            .parts_of(clash)
            .map(|part| part.mesh.bounds().transformed(&part.world_from_part));
        let view = viewpoint(topic, report, &boxes, up);
        add(&format!("{guid}/viewpoint.bcfv"), view.as_bytes())?;
        if let Some((_, png)) = picture {
            add(&format!("{guid}/snapshot.png"), png)?;
        }
    }
    if report.groups.is_empty() {
        for record in report.before.iter().flat_map(|before| &before.resolved) {
            let topic = Topic::of_clash(record, 0);
            let markup = markup(&topic, &date, None, false);
            let path = format!("{}/markup.bcf", guid(&record.id, 0));
            add(&path, markup.as_bytes())?;
        }
    }
    Ok(zip.finish()?.into_inner())
}

/// One issue: a clash, or a group of them.
struct Topic {
    /// 32 hexadecimal digits.
    id: String,
    title: String,
    labels: Vec<String>,
    description: String,
    /// Places in the list of clashes, the worst first.
    members: Vec<usize>,
}

impl Topic {
    fn of_clash(record: &ClashRecord, index: usize) -> Self {
        let labels = [Some(record.kind.clone()), record.status.clone()];
        Self {
            id: record.id.clone(),
            title: format!("{}: {} – {}", record.kind, record.a.name, record.b.name),
            labels: labels.into_iter().flatten().collect(),
            description: description(record),
            members: vec![index],
        }
    }

    /// Known again in another run by the part that all share; a group by place by its worst clash.
    fn of_group(report: &Report, group: &Group) -> Self {
        let records: Vec<&ClashRecord> =
            group.members.iter().map(|&i| &report.records[i]).collect();
        let mut labels: Vec<String> = records.iter().map(|r| r.kind.clone()).collect();
        labels.sort();
        labels.dedup();
        let mut lines: Vec<String> = (records.iter().take(MOST_TOLD))
            .map(|r| format!("{} – {}: {}", r.a.name, r.b.name, description(r)))
            .collect();
        if records.len() > MOST_TOLD {
            lines.push(format!("And {} more.", records.len() - MOST_TOLD));
        }
        let is_part = [&records[0].a.name, &records[0].b.name].contains(&&group.name);
        let id = if is_part {
            clash_id(&group.name, "")
        } else {
            records[0].id.clone()
        };
        let count = number::count_of(records.len(), "clash", "clashes");
        Self {
            id,
            title: format!("{}: {count}", group.name),
            labels,
            description: lines.join("\n"),
            members: group.members.clone(),
        }
    }
}

fn topics(report: &Report) -> Vec<Topic> {
    if report.groups.is_empty() {
        let records = report.records.iter().enumerate();
        return records.map(|(i, r)| Topic::of_clash(r, i)).collect();
    }
    (report.groups.iter())
        .map(|group| Topic::of_group(report, group))
        .collect()
}

fn markup(topic: &Topic, date: &str, index: Option<usize>, has_picture: bool) -> String {
    let status = if index.is_some() { "Open" } else { "Closed" };
    let mut text = format!(
        "{DECLARATION}<Markup>\n<Topic Guid=\"{}\" TopicType=\"Clash\" TopicStatus=\"{status}\">\n<Title>{}</Title>\n",
        guid(&topic.id, 0),
        escaped(&topic.title)
    );
    if let Some(index) = index {
        text += &format!("<Index>{index}</Index>\n");
    }
    for label in &topic.labels {
        text += &format!("<Labels>{label}</Labels>\n");
    }
    text += &format!(
        "<CreationDate>{date}</CreationDate>\n<CreationAuthor>{AUTHOR}</CreationAuthor>\n<Description>{}</Description>\n</Topic>\n",
        escaped(&topic.description)
    );
    if index.is_some() {
        text += &format!(
            "<Viewpoints Guid=\"{}\">\n<Viewpoint>viewpoint.bcfv</Viewpoint>\n",
            guid(&topic.id, 1)
        );
        if has_picture {
            text += "<Snapshot>snapshot.png</Snapshot>\n";
        }
        text += "</Viewpoints>\n";
    }
    text + "</Markup>\n"
}

/// The clash in a sentence.
pub(super) fn description(record: &ClashRecord) -> String {
    let at = number::point(table::middle(record).into());
    match record.kind.as_str() {
        "duplicate" => format!("Both parts have the same surface in the same place, near {at}."),
        "crossing" => match record.depth {
            Some(depth) => format!(
                "The parts overlap; the deepest point is {} deep, near {at}.",
                table::measured(depth)
            ),
            None => format!(
                "The surfaces cross near {at}. Neither is closed, so that no depth is known."
            ),
        },
        "contained" => {
            let (inner, outer) = match record.inner.as_deref() {
                Some("a") => (&record.a.name, &record.b.name),
                _ => (&record.b.name, &record.a.name),
            };
            let what = match record.inner.as_deref() {
                Some("pieces") => format!("A piece of {inner} or of {outer} lies inside the other"),
                _ => format!("{inner} lies inside {outer}"),
            };
            match record.depth {
                Some(depth) => {
                    let way = table::measured(depth);
                    format!("{what}, near {at}; it must be moved by {way} to be out.")
                }
                None => format!("{what}, near {at}."),
            }
        }
        "touching" if record.within_precision => {
            format!("The parts touch near {at}, within the precision of the file.")
        }
        "touching" => format!("The parts touch near {at}."),
        _ => format!(
            "The parts are {} apart near {at}.",
            number::measure(record.distance)
        ),
    }
}

fn viewpoint(topic: &Topic, report: &Report, boxes: &[Aabb; 2], up: Up) -> String {
    let points = report.clashes[topic.members[0]].points;
    let sizes = boxes.each_ref().map(|b| b.diagonal().length());
    let focus = points[0] * 0.5 + points[1] * 0.5;
    // The smaller part is seen whole.
    let radius = sizes[0].min(sizes[1]).max((points[1] - points[0]).length());
    let towards = up.back(TOWARDS_VIEWER).normalize_or(DVec3::Z);
    let distance = 1.2 * radius / (FIELD_OF_VIEW.to_radians() * 0.5).tan();
    let upward = up.back(DVec3::Z);
    let upward = (upward - towards * towards.dot(upward)).normalize_or(DVec3::Z);
    let vector = |name: &str, v: DVec3| {
        format!(
            "<{name}><X>{}</X><Y>{}</Y><Z>{}</Z></{name}>\n",
            v.x, v.y, v.z
        )
    };
    let component = |name: &str| {
        format!(
            "<Component><OriginatingSystem>{AUTHOR}</OriginatingSystem><AuthoringToolId>{}</AuthoringToolId></Component>\n",
            escaped(name)
        )
    };
    let records = topic.members.iter().map(|&i| &report.records[i]);
    let names: BTreeSet<&str> = records
        .flat_map(|r| [r.a.name.as_str(), r.b.name.as_str()])
        .collect();
    let lines = topic.members.iter().take(MOST_TOLD).map(|&i| {
        let [p, q] = report.clashes[i].points;
        [
            "<Line>\n",
            &vector("StartPoint", p),
            &vector("EndPoint", q),
            "</Line>\n",
        ]
        .concat()
    });
    [
        DECLARATION.to_owned(),
        format!("<VisualizationInfo Guid=\"{}\">\n", guid(&topic.id, 1)),
        "<Components>\n<Selection>\n".to_owned(),
        names.into_iter().map(component).collect(),
        "</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n</Components>\n".to_owned(),
        "<PerspectiveCamera>\n".to_owned(),
        vector("CameraViewPoint", focus + towards * distance),
        vector("CameraDirection", -towards),
        vector("CameraUpVector", upward),
        format!("<FieldOfView>{FIELD_OF_VIEW}</FieldOfView>\n</PerspectiveCamera>\n"),
        "<Lines>\n".to_owned(),
        lines.collect(),
        "</Lines>\n</VisualizationInfo>\n".to_owned(),
    ]
    .concat()
}

/// A GUID made of 32 hexadecimal digits: version 8, which is for makes of one's own.
fn guid(id: &str, salt: u128) -> String {
    let number = u128::from_str_radix(id, 16).unwrap_or(0) ^ (salt << 100);
    let marked = number & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    let digits = format!("{marked:032x}");
    [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]
        .map(|(from, to)| &digits[from..to])
        .join("-")
}

/// Text as XML and HTML want it; what XML cannot hold is replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' => safe.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_have_the_form_of_guids() {
        let guid = guid("ffffffffffffffffffffffffffffffff", 0);
        assert_eq!(guid, "ffffffff-ffff-8fff-bfff-ffffffffffff");
    }

    #[test]
    fn names_cannot_break_out_of_their_element() {
        assert_eq!(escaped("</a>&\"\0"), "&lt;/a&gt;&amp;&quot;\u{fffd}");
    }
}
