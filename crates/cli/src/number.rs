//! Number formatting for text output.

/// The count with its thousands set apart: `1,234,567`.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The count with its noun: `1 face`, `2 faces`.
pub(crate) fn count_of(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// The number to six significant digits.
pub(crate) fn measure(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{}", x + 0.0);
    }
    let magnitude = x.abs();
    if !(1e-4..1e7).contains(&magnitude) {
        return format!("{x:.5e}");
    }
    // Digits before the point count as significant, too.
    let mut whole = 0;
    let mut power = 1.0;
    while whole < 7 && magnitude >= power {
        whole += 1;
        power *= 10.0;
    }
    let text = format!("{x:.*}", 6_usize.saturating_sub(whole).min(8));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The number to six significant digits, or 0 if it is within the rounding error of `scale`.
pub(crate) fn measure_beside(x: f64, scale: f64) -> String {
    measure(if x.abs() <= 1e-13 * scale.abs() {
        0.0
    } else {
        x
    })
}

/// Three numbers as [`measure`] writes them; a number within rounding error of the largest is written as 0.
pub(crate) fn point(p: impinge::DVec3) -> String {
    let largest = p.abs().max_element();
    let [x, y, z] = p.to_array().map(|x| measure_beside(x, largest));
    format!("({x}, {y}, {z})")
}

/// A span of time: `12 µs`, `1.2 ms`, `3.45 s`.
pub(crate) fn duration(milliseconds: f64) -> String {
    if milliseconds < 0.1 {
        format!("{:.0} µs", milliseconds * 1000.0)
    } else if milliseconds < 1000.0 {
        format!("{milliseconds:.1} ms")
    } else {
        format!("{:.2} s", milliseconds / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count_of(1, "face", "faces"), "1 face");
        assert_eq!(measure(0.0), "0");
        assert_eq!(measure(-0.0), "0");
        assert_eq!(measure(0.5), "0.5");
        assert_eq!(measure(123.456_789), "123.457");
        assert_eq!(measure(-1_234_567.0), "-1234567");
        assert_eq!(measure(1e-9), "1.00000e-9");
        assert_eq!(duration(0.0123), "12 µs");
        assert_eq!(point([0.25, 2.8e-17, -1.0].into()), "(0.25, 0, -1)");
    }
}
