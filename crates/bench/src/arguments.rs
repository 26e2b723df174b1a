//! Arguments that make no sense are refused at the door, by name.

/// A number of things of which there must be one.
///
/// # Errors
/// No number, or none.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A finite number above 0.
///
/// # Errors
/// Anything else.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        Ok(_) => Err("must be a finite number above 0".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{above_zero, at_least_one};

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in ["0", "-1", "1.5", "", "many"] {
            assert!(at_least_one(text).is_err(), "{text}");
        }
        assert_eq!(at_least_one("3"), Ok(3));
        for text in ["0", "-0.5", "nan", "inf", "", "soon"] {
            assert!(above_zero(text).is_err(), "{text}");
        }
        assert_eq!(above_zero("0.9"), Ok(0.9));
    }
}
