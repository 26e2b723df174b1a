//! Clashes as a BCF 2.1 file, which CAD and BIM programs open as a list of issues with viewpoints.
//!
//! A topic's GUID is made of the clash's id, so that the same clash is the same topic in a later run.

use std::io::{Cursor, Write};

use impinge::DVec3;
use impinge::bound::Aabb;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::date;
use super::record::ClashRecord;
use super::report::Report;
use super::table;
use crate::number;
use crate::render::{TOWARDS_VIEWER, Up};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// Vertical opening of the camera, in degrees.
const FIELD_OF_VIEW: f64 = 60.0;
/// Who made it.
const AUTHOR: &str = "impinge";

/// The bytes of the file; a clash's picture is in it when there is one.
pub(super) fn bcf(report: &Report, pictures: &[Vec<u8>], up: Up) -> anyhow::Result<Vec<u8>> {
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
    for (index, (clash, record)) in report.clashes.iter().zip(&report.records).enumerate() {
        let guid = guid(&record.id, 0);
        let picture = pictures.get(index);
        let markup = markup(record, &date, Some(index), picture.is_some());
        add(&format!("{guid}/markup.bcf"), markup.as_bytes())?;
        let boxes = report
            .parts_of(clash)
            .map(|part| part.mesh.bounds().transformed(&part.world_from_part));
        let view = viewpoint(record, &boxes, clash.points, up);
        add(&format!("{guid}/viewpoint.bcfv"), view.as_bytes())?;
        if let Some(png) = picture {
            add(&format!("{guid}/snapshot.png"), png)?;
        }
    }
    for record in report.before.iter().flat_map(|before| &before.resolved) {
        let markup = markup(record, &date, None, false);
        let path = format!("{}/markup.bcf", guid(&record.id, 0));
        add(&path, markup.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

fn markup(record: &ClashRecord, date: &str, index: Option<usize>, has_picture: bool) -> String {
    let status = if index.is_some() { "Open" } else { "Closed" };
    let mut text = format!(
        "{DECLARATION}<Markup>\n<Topic Guid=\"{}\" TopicType=\"Clash\" TopicStatus=\"{status}\">\n<Title>{}</Title>\n",
        guid(&record.id, 0),
        escaped(&format!(
            "{}: {} – {}",
            record.kind, record.a.name, record.b.name
        ))
    );
    if let Some(index) = index {
        text += &format!("<Index>{index}</Index>\n");
    }
    text += &format!("<Labels>{}</Labels>\n", record.kind);
    if let Some(status) = &record.status {
        text += &format!("<Labels>{status}</Labels>\n");
    }
    text += &format!(
        "<CreationDate>{date}</CreationDate>\n<CreationAuthor>{AUTHOR}</CreationAuthor>\n<Description>{}</Description>\n</Topic>\n",
        escaped(&description(record))
    );
    if index.is_some() {
        text += &format!(
            "<Viewpoints Guid=\"{}\">\n<Viewpoint>viewpoint.bcfv</Viewpoint>\n",
            guid(&record.id, 1)
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
            format!("{inner} lies inside {outer}, or a piece of it does, near {at}.")
        }
        "touching" => format!("The parts touch near {at}."),
        _ => format!(
            "The parts are {} apart near {at}.",
            number::measure(record.distance)
        ),
    }
}

fn viewpoint(record: &ClashRecord, boxes: &[Aabb; 2], points: [DVec3; 2], up: Up) -> String {
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
    [
        DECLARATION.to_owned(),
        format!("<VisualizationInfo Guid=\"{}\">\n", guid(&record.id, 1)),
        "<Components>\n<Selection>\n".to_owned(),
        component(&record.a.name),
        component(&record.b.name),
        "</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n</Components>\n".to_owned(),
        "<PerspectiveCamera>\n".to_owned(),
        vector("CameraViewPoint", focus + towards * distance),
        vector("CameraDirection", -towards),
        vector("CameraUpVector", upward),
        format!("<FieldOfView>{FIELD_OF_VIEW}</FieldOfView>\n</PerspectiveCamera>\n"),
        "<Lines>\n<Line>\n".to_owned(),
        vector("StartPoint", points[0]),
        vector("EndPoint", points[1]),
        "</Line>\n</Lines>\n</VisualizationInfo>\n".to_owned(),
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
