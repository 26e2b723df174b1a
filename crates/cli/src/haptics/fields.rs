//! JSON objects read field by field, so that an error names the line and the field.

use anyhow::anyhow;
use impinge::DVec3;
use serde_json::{Map, Value};

use crate::did_you_mean::did_you_mean;

/// An object of a document, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'d> {
    text: &'d str,
    object: &'d Map<String, Value>,
    /// Such as `bodies[2].`, empty for the whole document.
    path: &'d str,
}

impl<'d> Fields<'d> {
    /// The object at a path.
    pub(super) fn new(text: &'d str, value: &'d Value, path: &'d str) -> anyhow::Result<Self> {
        let object = value.as_object().ok_or_else(|| {
            let name = path.trim_end_matches('.');
            let name = if name.is_empty() { "the scene" } else { name };
            anyhow!(
                "line {}: {name} must be an object",
                line_of(text, path.trim_end_matches('.'))
            )
        })?;
        Ok(Self { text, object, path })
    }

    /// An error about a field.
    pub(super) fn wrong(&self, field: &str, what: impl std::fmt::Display) -> anyhow::Error {
        let path = format!("{}{field}", self.path);
        anyhow!("line {}: {path} {what}", line_of(self.text, &path))
    }

    /// Refuses fields that nobody reads.
    pub(super) fn allow(&self, known: &[&'static str]) -> anyhow::Result<()> {
        for field in self.object.keys() {
            if !known.contains(&field.as_str()) {
                let near = did_you_mean(field, known.iter().copied());
                let near = near.map_or_else(
                    || format!("there are {}", known.join(", ")),
                    |near| format!("did you mean '{near}'?"),
                );
                return Err(self.wrong(field, format_args!("is not known; {near}")));
            }
        }
        Ok(())
    }

    /// A field, if it is there.
    pub(super) fn get(&self, field: &str) -> Option<&'d Value> {
        self.object.get(field)
    }

    /// A number.
    pub(super) fn number(&self, field: &str, default: f64) -> anyhow::Result<f64> {
        let Some(value) = self.get(field) else {
            return Ok(default);
        };
        value
            .as_f64()
            .filter(|x| x.is_finite())
            .ok_or_else(|| self.wrong(field, format_args!("must be a number, not {value}")))
    }

    /// A number above 0.
    pub(super) fn positive(&self, field: &str, default: f64) -> anyhow::Result<f64> {
        let x = self.number(field, default)?;
        if x > 0.0 {
            Ok(x)
        } else {
            Err(self.wrong(field, format_args!("must be positive, found {x}")))
        }
    }

    /// A word.
    pub(super) fn word(&self, field: &str) -> anyhow::Result<Option<&'d str>> {
        let Some(value) = self.get(field) else {
            return Ok(None);
        };
        let word = value.as_str();
        word.map(Some)
            .ok_or_else(|| self.wrong(field, format_args!("must be a word, not {value}")))
    }

    /// Yes or no.
    pub(super) fn flag(&self, field: &str) -> anyhow::Result<bool> {
        let Some(value) = self.get(field) else {
            return Ok(false);
        };
        value
            .as_bool()
            .ok_or_else(|| self.wrong(field, format_args!("must be true or false, not {value}")))
    }

    /// A point or vector.
    pub(super) fn point(&self, field: &str, default: DVec3) -> anyhow::Result<DVec3> {
        let Some(value) = self.get(field) else {
            return Ok(default);
        };
        let numbers = numbers(value);
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
            _ => Err(self.wrong(field, format_args!("must be three numbers, not {value}"))),
        }
    }

    /// Several values.
    pub(super) fn list(&self, field: &str) -> anyhow::Result<&'d [Value]> {
        let Some(value) = self.get(field) else {
            return Ok(&[]);
        };
        let list = value.as_array();
        list.map(Vec::as_slice)
            .ok_or_else(|| self.wrong(field, "must be a list"))
    }

    /// The path of an item of a list.
    pub(super) fn item(&self, field: &str, index: usize) -> String {
        format!("{}{field}[{index}].", self.path)
    }
}

/// The numbers of a list of numbers.
pub(super) fn numbers(value: &Value) -> Option<Vec<f64>> {
    let list = value.as_array()?;
    list.iter()
        .map(|x| x.as_f64().filter(|x| x.is_finite()))
        .collect()
}

/// The line on which a path such as `bodies[1].mesh` begins, or what is around it when it is not there.
fn line_of(text: &str, path: &str) -> usize {
    let mut wanted = path;
    loop {
        let mut finder = Finder {
            rest: text.char_indices().peekable(),
            line: 1,
            wanted,
            found: None,
        };
        finder.value(&mut String::new());
        if let Some(line) = finder.found {
            return line;
        }
        // The whole document is always found.
        let Some(end) = wanted.rfind(['.', '[']) else {
            return 1;
        };
        wanted = wanted.get(..end).unwrap_or("");
    }
}

/// Walks through a document that is known to be JSON.
struct Finder<'t> {
    rest: std::iter::Peekable<std::str::CharIndices<'t>>,
    line: usize,
    wanted: &'t str,
    found: Option<usize>,
}

impl Finder<'_> {
    fn next(&mut self) -> Option<char> {
        let (_, c) = self.rest.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn peek(&mut self) -> Option<char> {
        while self.rest.peek().is_some_and(|(_, c)| c.is_whitespace()) {
            self.next();
        }
        self.rest.peek().map(|&(_, c)| c)
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        self.next();
        while let Some(c) = self.next() {
            match c {
                '"' => break,
                '\\' => word.extend(self.next()),
                _ => word.push(c),
            }
        }
        word
    }

    /// Documents are nested only as deep as the parser before allows.
    fn value(&mut self, path: &mut String) {
        let first = self.peek();
        if path == self.wanted && self.found.is_none() {
            self.found = Some(self.line);
        }
        let length = path.len();
        match first {
            Some('{') => {
                self.next();
                while self.peek() == Some('"') {
                    let word = self.word();
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&word);
                    self.peek();
                    self.next();
                    self.value(path);
                    path.truncate(length);
                    if self.peek() == Some(',') {
                        self.next();
                    }
                    self.peek();
                }
                self.next();
            }
            Some('[') => {
                self.next();
                let mut index = 0;
                while self.peek().is_some_and(|c| c != ']') {
                    path.push_str(&format!("[{index}]"));
                    self.value(path);
                    path.truncate(length);
                    index += 1;
                    if self.peek() == Some(',') {
                        self.next();
                    }
                }
                self.next();
            }
            Some('"') => {
                self.word();
            }
            _ => {
                while self.peek().is_some_and(|c| !matches!(c, ',' | ']' | '}')) {
                    self.next();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_nested_fields_are_found() {
        let text = "{\n \"a\": 1,\n \"b\": [\n  {\"c\": 2},\n  {\"c\":\n    [1, 2]}\n ]\n}";
        assert_eq!(line_of(text, "a"), 2);
        assert_eq!(line_of(text, "b[0].c"), 4);
        assert_eq!(line_of(text, "b[1].c"), 6);
        assert_eq!(line_of(text, "b[1].c[1]"), 6);
        assert_eq!(line_of(text, "nowhere"), 1);
        assert_eq!(line_of(text, "b[1].nothing"), 5);
    }
}
