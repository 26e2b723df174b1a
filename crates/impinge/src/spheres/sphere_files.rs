//! Sphere lists as files: JSON for programs and motion planners, URDF for robots, YAML for cuRobo.
//!
//! JSON: `{"format": "impinge-spheres", "version": 1, "spheres": [{"center": [x, y, z], "radius": r}, …]}`; the list by
//! itself is what planners read. URDF: one link with one `collision` element per ball. Numbers are written so that reading
//! gives the same bits back.

use std::fmt::Write as _;
use std::io::{self, Write};

use glam::DVec3;
use thiserror::Error;

use super::solid_ball::SolidBall;

/// What stands in front of the name of a JSON list.
const FORMAT: &str = "impinge-spheres";
const VERSION: u64 = 1;

/// Why text is no list of balls.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// It is not JSON, or not of this form.
    #[error("not a list of balls: {what}")]
    Malformed {
        /// What is wrong, and where.
        what: String,
    },
    /// A later version wrote it.
    #[error("version {found} of the format, and only {VERSION} is known")]
    OtherVersion {
        /// The version it names.
        found: u64,
    },
    /// A ball that cannot be.
    #[error(
        "ball {ball} has a centre that is not finite, or a radius that is no positive number: {radius}"
    )]
    BadBall {
        /// Counted from 0.
        ball: usize,
        /// Its radius.
        radius: f64,
    },
    /// URDF with an origin that is not three numbers.
    #[error("ball {ball} has an origin with three numbers expected, found '{text}'")]
    BadOrigin {
        /// Counted from 0.
        ball: usize,
        /// What stands there.
        text: String,
    },
}

/// Writes balls as JSON.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, sphere_files}};
/// let mut text = Vec::new();
/// sphere_files::write_json(&[SolidBall { center: DVec3::X, radius: 0.5 }], &mut text)?;
/// assert!(String::from_utf8_lossy(&text).contains(r#"{"center": [1.0, 0.0, 0.0], "radius": 0.5}"#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_json(balls: &[SolidBall], mut out: impl Write) -> io::Result<()> {
    let mut text = format!("{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"spheres\": [");
    for (i, ball) in balls.iter().enumerate() {
        let [x, y, z] = ball.center.to_array();
        let comma = if i == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{comma}\n  {{\"center\": [{x:?}, {y:?}, {z:?}], \"radius\": {:?}}}",
            ball.radius
        );
    }
    text.push_str("\n]}\n");
    out.write_all(text.as_bytes())
}

/// Writes balls as the collision geometry of one URDF link.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, sphere_files}};
/// let balls = [SolidBall { center: DVec3::X, radius: 0.5 }];
/// let mut text = Vec::new();
/// sphere_files::write_urdf("arm & hand", &balls, &mut text)?;
/// let text = String::from_utf8_lossy(&text);
/// assert!(text.contains(r#"<sphere radius="0.5"/>"#) && text.contains("arm &amp; hand"));
/// assert_eq!(sphere_files::read_urdf(&text)?, balls);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_urdf(name: &str, balls: &[SolidBall], mut out: impl Write) -> io::Result<()> {
    let name = escaped(name);
    let mut text =
        format!("<?xml version=\"1.0\"?>\n<robot name=\"{name}\">\n  <link name=\"{name}\">\n");
    collisions(balls, &mut text);
    text.push_str("  </link>\n</robot>\n");
    out.write_all(text.as_bytes())
}

/// Writes balls as JSON, each with a weight; missing weights are 0.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, sphere_files}};
/// let balls = [SolidBall { center: DVec3::X, radius: 0.5 }];
/// let mut text = Vec::new();
/// sphere_files::write_weighted_json(&balls, &[0.25], &mut text)?;
/// let text = String::from_utf8(text)?;
/// assert!(text.contains(r#""radius": 0.5, "weight": 0.25}"#));
/// assert_eq!(sphere_files::read_json(&text)?, balls);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_weighted_json(
    balls: &[SolidBall],
    weights: &[f64],
    mut out: impl Write,
) -> io::Result<()> {
    let mut text = format!("{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"spheres\": [");
    let weights = weights.iter().copied().chain(std::iter::repeat(0.0));
    for (i, (ball, weight)) in balls.iter().zip(weights).enumerate() {
        let [x, y, z] = ball.center.to_array();
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n  {{\"center\": [{x:?}, {y:?}, {z:?}], \"radius\": {:?}, \"weight\": {weight:?}}}",
            ball.radius
        );
    }
    text.push_str("\n]}\n");
    out.write_all(text.as_bytes())
}

/// Writes the balls of several links as the `collision_spheres` of a robot, in the YAML that cuRobo reads.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, sphere_files}};
/// let balls = [SolidBall { center: DVec3::X, radius: 0.5 }];
/// let mut text = Vec::new();
/// sphere_files::write_curobo(&[("arm", &balls)], &mut text)?;
/// let lines = "collision_spheres:\n  \"arm\":\n    - center: [1.0, 0.0, 0.0]\n      radius: 0.5\n";
/// assert_eq!(String::from_utf8_lossy(&text), lines);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_curobo(links: &[(&str, &[SolidBall])], mut out: impl Write) -> io::Result<()> {
    let mut text = String::from("collision_spheres:\n");
    for (name, balls) in links {
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        let end = if balls.is_empty() { " []" } else { "" };
        let _ = writeln!(text, "  \"{name}\":{end}");
        for ball in *balls {
            let [x, y, z] = ball.center.to_array();
            let _ = writeln!(
                text,
                "    - center: [{x:?}, {y:?}, {z:?}]\n      radius: {:?}",
                ball.radius
            );
        }
    }
    out.write_all(text.as_bytes())
}

/// Writes the spheres of several links as the collision geometry of one URDF robot: the links are
/// attached to a base by fixed joints.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use impinge::{DVec3, spheres::{SolidBall, sphere_files}};
/// let balls = [SolidBall { center: DVec3::X, radius: 0.5 }];
/// let mut text = Vec::new();
/// sphere_files::write_urdf_links("pair", &[("arm", &balls), ("hand", &balls)], &mut text)?;
/// let text = String::from_utf8(text)?;
/// assert!(text.contains(r#"<child link="hand"/>"#));
/// assert_eq!(sphere_files::read_urdf(&text)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_urdf_links(
    name: &str,
    links: &[(&str, &[SolidBall])],
    mut out: impl Write,
) -> io::Result<()> {
    let name = escaped(name);
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<robot name=\"{name}\">\n  <link name=\"{name} base\"/>\n"
    );
    for (link, balls) in links {
        let link = escaped(link);
        let _ = writeln!(text, "  <link name=\"{link}\">");
        collisions(balls, &mut text);
        let _ = write!(
            text,
            "  </link>\n  <joint name=\"{link} joint\" type=\"fixed\">\n    \
             <parent link=\"{name} base\"/>\n    <child link=\"{link}\"/>\n  </joint>\n"
        );
    }
    text.push_str("</robot>\n");
    out.write_all(text.as_bytes())
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// One `collision` element per ball.
fn collisions(balls: &[SolidBall], text: &mut String) {
    for ball in balls {
        let [x, y, z] = ball.center.to_array();
        let _ = write!(
            text,
            "    <collision>\n      <origin xyz=\"{x:?} {y:?} {z:?}\" rpy=\"0 0 0\"/>\n      \
             <geometry>\n        <sphere radius=\"{:?}\"/>\n      </geometry>\n    </collision>\n",
            ball.radius
        );
    }
}

/// The balls of a JSON list, with or without the frame around it.
///
/// # Errors
/// [`ExchangeError`] naming the ball that is wrong.
///
/// ```
/// use impinge::spheres::sphere_files;
/// let balls = sphere_files::read_json(r#"[{"center": [0, 1, 2], "radius": 0.5}]"#)?;
/// assert_eq!(balls[0].radius, 0.5);
/// # Ok::<(), sphere_files::ExchangeError>(())
/// ```
pub fn read_json(text: &str) -> Result<Vec<SolidBall>, ExchangeError> {
    let mut balls: Vec<SolidBall> = Vec::new();
    let mut tokens = JsonTokens { rest: text };
    let (mut depth, mut lists) = (0_usize, 0);
    let (mut center, mut radius) = (None, None);
    let mut key = "";
    while let Some(token) = tokens.next()? {
        match token {
            JsonToken::Mark('{') => depth += 1,
            JsonToken::Mark('[') if key == "center" => {
                let ball = balls.len();
                center = Some(tokens.point().ok_or_else(|| {
                    malformed(format!("the centre of ball {ball} is not three numbers"))
                })?);
                key = "";
            }
            JsonToken::Mark('[') => {
                depth += 1;
                lists += 1;
            }
            JsonToken::Mark(']') => depth = depth.saturating_sub(1),
            JsonToken::Mark('}') => {
                depth = depth.saturating_sub(1);
                match (center.take(), radius.take()) {
                    (Some(center), Some(radius)) => {
                        balls.push(checked(balls.len(), center, radius)?);
                    }
                    (None, None) => {}
                    _ => {
                        let ball = balls.len();
                        return Err(malformed(format!("ball {ball} lacks its centre or radius")));
                    }
                }
            }
            JsonToken::Mark(_) => {}
            JsonToken::Text(text) if tokens.rest.trim_start().starts_with(':') => key = text,
            JsonToken::Text(_) => key = "",
            JsonToken::Number(number) => {
                match key {
                    "radius" => radius = Some(number),
                    "version" if number != VERSION as f64 => {
                        return Err(ExchangeError::OtherVersion {
                            found: number as u64,
                        });
                    }
                    // Weights are for planners; they do not change a ball.
                    "version" | "weight" => {}
                    _ if lists > 0 => {
                        return Err(malformed(format!("a number {number} by itself")));
                    }
                    _ => {}
                }
                key = "";
            }
        }
    }
    if depth != 0 || lists == 0 {
        return Err(malformed("there is no list, or it does not end".into()));
    }
    Ok(balls)
}

fn malformed(what: String) -> ExchangeError {
    ExchangeError::Malformed { what }
}

/// The words of JSON, as far as lists of balls need them.
struct JsonTokens<'t> {
    rest: &'t str,
}

enum JsonToken<'t> {
    Mark(char),
    Text(&'t str),
    Number(f64),
}

impl<'t> JsonTokens<'t> {
    fn next(&mut self) -> Result<Option<JsonToken<'t>>, ExchangeError> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        if matches!(first, '{' | '}' | '[' | ']' | ',' | ':') {
            self.rest = &self.rest[1..];
            return Ok(Some(JsonToken::Mark(first)));
        }
        if first == '"' {
            // Names in these files hold no quotes; where one is escaped, the text ends early and what follows is refused.
            let end = self.rest[1..]
                .find('"')
                .ok_or_else(|| malformed("a text does not end".into()))?;
            let text = &self.rest[1..=end];
            self.rest = &self.rest[end + 2..];
            return Ok(Some(JsonToken::Text(text)));
        }
        let end = self
            .rest
            .find(|c: char| {
                matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"') || c.is_whitespace()
            })
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.parse() {
            Ok(number) => Ok(Some(JsonToken::Number(number))),
            Err(_) => Err(malformed(format!("'{word}' is no number"))),
        }
    }

    /// Three numbers and the end of their list.
    fn point(&mut self) -> Option<DVec3> {
        let end = self.rest.find(']')?;
        let mut numbers = self.rest[..end]
            .split(',')
            .map(|word| word.trim().parse().ok());
        let (x, y, z) = (numbers.next()??, numbers.next()??, numbers.next()??);
        if numbers.next().is_some() {
            return None;
        }
        self.rest = &self.rest[end + 1..];
        Some(DVec3::new(x, y, z))
    }
}

/// The balls among the collision geometry of URDF text; other shapes are left out, and frames are not composed.
///
/// # Errors
/// [`ExchangeError`] naming the ball that is wrong.
///
/// ```
/// use impinge::spheres::sphere_files;
/// let text = r#"<collision><geometry><sphere radius="2"/></geometry></collision>"#;
/// assert_eq!(sphere_files::read_urdf(text)?[0].radius, 2.0);
/// # Ok::<(), sphere_files::ExchangeError>(())
/// ```
pub fn read_urdf(text: &str) -> Result<Vec<SolidBall>, ExchangeError> {
    let mut balls = Vec::new();
    for part in text.split("<collision").skip(1) {
        let part = part.split("</collision").next().unwrap_or(part);
        let Some(sphere) = part.split("<sphere").nth(1) else {
            continue;
        };
        let ball = balls.len();
        let radius = attribute(sphere, "radius").unwrap_or("");
        let radius: f64 = radius
            .trim()
            .parse()
            .map_err(|_| ExchangeError::Malformed {
                what: format!("ball {ball} has the radius '{radius}'"),
            })?;
        let center = match part
            .split("<origin")
            .nth(1)
            .and_then(|tag| attribute(tag, "xyz"))
        {
            None => DVec3::ZERO,
            Some(text) => {
                let mut words = text.split_whitespace().map(|word| word.parse::<f64>().ok());
                let mut number = || words.next().flatten();
                match (number(), number(), number(), words.next()) {
                    (Some(x), Some(y), Some(z), None) => DVec3::new(x, y, z),
                    _ => {
                        return Err(ExchangeError::BadOrigin {
                            ball,
                            text: text.into(),
                        });
                    }
                }
            }
        };
        balls.push(checked(ball, center, radius)?);
    }
    Ok(balls)
}

/// The value of an attribute of the tag that the text continues.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let tag = tag.split('>').next()?;
    let at = tag.find(&format!("{name}="))? + name.len() + 1;
    let quote = tag[at..]
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))?;
    tag[at + 1..].split(quote).next()
}

fn checked(ball: usize, center: DVec3, radius: f64) -> Result<SolidBall, ExchangeError> {
    if crate::math::is_valid_point(center) && radius > 0.0 && radius.is_finite() {
        Ok(SolidBall { center, radius })
    } else {
        Err(ExchangeError::BadBall { ball, radius })
    }
}
