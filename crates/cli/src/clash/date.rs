//! The date, for files that must have one.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now in the form `2026-11-16T05:00:00Z`; the time in the variable `SOURCE_DATE_EPOCH` instead, where that is set.
pub(super) fn now() -> String {
    let told = std::env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|seconds| seconds.parse().ok());
    let seconds = told.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |elapsed| elapsed.as_secs())
    });
    text(seconds)
}

/// Seconds since 1970 as a date; years have their leap days since March of the year 0.
fn text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let since_march_0 = days + 719_468;
    let (era, day) = (since_march_0 / 146_097, since_march_0 % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(text(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
