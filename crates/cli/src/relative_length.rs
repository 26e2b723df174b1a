//! Lengths on the command line: `0.5`, or `1%` of a mesh's diagonal.

use std::str::FromStr;

use anyhow::bail;
use impinge::TriMesh;

/// A positive length, or a share of the diagonal of a mesh's bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RelativeLength {
    /// In units of the mesh.
    Length(f64),
    /// Of the diagonal.
    Share(f64),
}

impl RelativeLength {
    /// The length for a mesh.
    pub(crate) fn of(self, mesh: &TriMesh) -> f64 {
        match self {
            Self::Length(length) => length,
            Self::Share(share) => {
                let bounds = mesh.bounds();
                if bounds.is_empty() {
                    return 0.0;
                }
                share * (bounds.max - bounds.min).length()
            }
        }
    }
}

impl FromStr for RelativeLength {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, per_cent) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (text, false),
        };
        match number.parse::<f64>() {
            Ok(value) if value > 0.0 && value.is_finite() => Ok(if per_cent {
                Self::Share(value / 100.0)
            } else {
                Self::Length(value)
            }),
            _ => bail!("'{text}' is no positive length; write 0.5, or 1% of the diagonal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_shares_are_told_apart() {
        assert_eq!(
            "0.5".parse::<RelativeLength>().unwrap(),
            RelativeLength::Length(0.5)
        );
        assert_eq!(
            "2 %".parse::<RelativeLength>().unwrap(),
            RelativeLength::Share(0.02)
        );
        for bad in ["", "%", "-1", "0", "nan", "inf%", "1mm"] {
            assert!(bad.parse::<RelativeLength>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_is_one_of_the_diagonal() {
        let mesh = TriMesh::from_points([[0.0; 3], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [[0, 1, 2]])
            .unwrap();
        assert_eq!(RelativeLength::Share(0.5).of(&mesh), 2.5);
        assert_eq!(RelativeLength::Length(0.5).of(&mesh), 0.5);
    }
}
