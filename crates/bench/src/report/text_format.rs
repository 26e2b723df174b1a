//! Numbers and words as people read them.

/// Text that is safe inside of an element and inside of a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No other control character is allowed in a document.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Lower-case words joined by hyphens, for names of files and places in the page.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_owned()
}

/// A number with so many significant digits and no idle zeros.
pub(crate) fn significant(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let places = (digits - 1 - x.abs().log10().floor() as i32).clamp(0, 18) as usize;
    let text = format!("{x:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A number of a table: thousands apart, four significant digits of fractions.
pub(crate) fn number(x: f64) -> String {
    let size = x.abs();
    if !x.is_finite() {
        "–".to_owned()
    } else if size >= 1e15 || (size < 1e-4 && x != 0.0) {
        format!("{x:.2e}")
    } else if x.fract() == 0.0 || size >= 1e4 {
        thousands(x.round())
    } else {
        significant(x, 4)
    }
}

fn thousands(x: f64) -> String {
    let digits = format!("{:.0}", x.abs());
    let mut text = String::new();
    if x < 0.0 {
        text.push('−');
    }
    for (k, c) in digits.chars().enumerate() {
        // Four digits need no gap.
        if k > 0 && digits.len() > 4 && (digits.len() - k).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(c);
    }
    text
}

/// How many seconds a unit of time has; none for other units.
pub(crate) fn seconds_per(unit: &str) -> Option<f64> {
    match unit.trim() {
        "ns" | "nanoseconds" => Some(1e-9),
        "µs" | "μs" | "us" | "microseconds" => Some(1e-6),
        "ms" | "milliseconds" => Some(1e-3),
        "s" | "seconds" => Some(1.0),
        _ => None,
    }
}

/// A number beside its unit, times in the unit that suits them.
pub(crate) fn quantity(x: f64, unit: &str) -> String {
    match seconds_per(unit) {
        Some(per) => duration(x * per),
        None if unit.is_empty() => short(x),
        None => format!("{} {unit}", short(x)),
    }
}

fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    let (value, unit) = if size == 0.0 {
        return "0".to_owned();
    } else if size < 0.999_5e-6 {
        (seconds * 1e9, "ns")
    } else if size < 0.999_5e-3 {
        (seconds * 1e6, "µs")
    } else if size < 0.999_5 {
        (seconds * 1e3, "ms")
    } else {
        (seconds, "s")
    };
    format!("{} {unit}", significant(value, 3))
}

/// A number for an axis.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if size >= 0.999_5e9 {
        format!("{} G", significant(x / 1e9, 3))
    } else if size >= 0.999_5e6 {
        format!("{} M", significant(x / 1e6, 3))
    } else if size >= 0.999_5e4 {
        format!("{} k", significant(x / 1e3, 3))
    } else if size >= 1e-3 || x == 0.0 {
        significant(x, 4)
    } else {
        format!("{x:.0e}")
    }
}

/// The first so many characters, with an ellipsis where something is missing.
pub(crate) fn clipped(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let mut clipped: String = text.chars().take(length.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}

/// The words of a text in lines of at most so many characters, unless a word is longer.
pub(crate) fn lines(text: &str, length: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= length => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{escape, lines, number, quantity, short, slug};

    #[test]
    fn lines_break_between_words_and_lose_none() {
        assert_eq!(
            lines("How long does it take?", 10),
            ["How long", "does it", "take?"]
        );
        assert_eq!(
            lines("incomprehensible it is", 5),
            ["incomprehensible", "it is"]
        );
        assert!(lines("  ", 5).is_empty());
    }

    #[test]
    fn nothing_escapes_from_a_quoted_attribute_or_an_element() {
        assert_eq!(
            escape("<b a=\"1\" c='2'>&\u{7}"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\u{fffd}"
        );
    }

    #[test]
    fn numbers_are_short_and_times_have_the_unit_that_suits() {
        assert_eq!(number(1_991_808.0), "1\u{202f}991\u{202f}808");
        assert_eq!(number(0.12345), "0.1235");
        assert_eq!(number(-2.0), "−2");
        assert_eq!(short(20_480.0), "20.5 k");
        assert_eq!(quantity(1000.0, "ns"), "1 µs");
        assert_eq!(quantity(0.25, "ms"), "250 µs");
        assert_eq!(quantity(30.0, "%"), "30 %");
        assert_eq!(slug("Time vs. gap (%)"), "time-vs-gap");
    }
}
