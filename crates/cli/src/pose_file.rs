//! Placements from files.

use std::path::Path;

use anyhow::{Context, bail};
use impinge::{DMat3, DVec3, Pose, PoseError};
use serde::Deserialize;

/// The two ways to write 16 numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Numbers {
    Flat(Vec<f64>),
    Rows(Vec<Vec<f64>>),
}

/// A placement and what had to be done to get it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadPose {
    /// The placement.
    pub(crate) a_from_b: Pose,
    /// Whether the matrix was replaced by the nearest rotation.
    pub(crate) repaired: bool,
}

/// The placement in a JSON file: 16 numbers, row by row, flat or as four rows.
pub(crate) fn read(path: &Path, repair: bool) -> anyhow::Result<ReadPose> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the pose file {}", path.display()))?;
    parse(&text, repair).with_context(|| format!("pose file {}", path.display()))
}

/// The placements in a JSON file: an array of what [`read`] takes.
pub(crate) fn read_many(path: &Path, repair: bool) -> anyhow::Result<Vec<ReadPose>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the file of poses {}", path.display()))?;
    parse_many(&text, repair).with_context(|| format!("file of poses {}", path.display()))
}

fn parse_many(text: &str, repair: bool) -> anyhow::Result<Vec<ReadPose>> {
    const LIST: &str =
        "expected a JSON array of placements, each of 16 numbers or four rows of four";
    let poses: Vec<Numbers> = match serde_json::from_str(text) {
        Ok(poses) => poses,
        Err(_) if sixteen(text).is_ok() => bail!("{LIST}; this is a single one: use --pose"),
        Err(error) if error.is_data() => bail!(LIST),
        Err(error) => bail!("{LIST}; {error}"),
    };
    if poses.len() == 4 && sixteen(text).is_ok() {
        bail!("{LIST}; this is a single one: use --pose");
    }
    let one = |(number, numbers): (usize, Numbers)| {
        flat(numbers)
            .and_then(|rows| pose(&rows, repair))
            .with_context(|| format!("pose {number} (counted from 0)"))
    };
    poses.into_iter().enumerate().map(one).collect()
}

fn parse(text: &str, repair: bool) -> anyhow::Result<ReadPose> {
    pose(&sixteen(text)?, repair)
}

fn pose(rows: &[f64; 16], repair: bool) -> anyhow::Result<ReadPose> {
    match Pose::from_row_major(rows) {
        Ok(a_from_b) => Ok(ReadPose {
            a_from_b,
            repaired: false,
        }),
        Err(PoseError::NotOrthonormal { .. }) if repair => {
            let [xx, xy, xz, tx, yx, yy, yz, ty, zx, zy, zz, tz, ..] = *rows;
            let matrix = DMat3::from_cols(
                DVec3::new(xx, yx, zx),
                DVec3::new(xy, yy, zy),
                DVec3::new(xz, yz, zz),
            );
            Ok(ReadPose {
                a_from_b: Pose::nearest(matrix, [tx, ty, tz])?,
                repaired: true,
            })
        }
        Err(PoseError::NotOrthonormal { deviation }) => bail!(
            "the upper left 3×3 matrix is not a rotation: it deviates by {deviation:e} (largest \
             entry of |RᵀR − I|); give --repair-pose to use the nearest rotation instead"
        ),
        Err(other) => Err(other.into()),
    }
}

const WANTED: &str =
    "expected a JSON array of 16 numbers, row by row, or of four rows of four numbers";

fn sixteen(text: &str) -> anyhow::Result<[f64; 16]> {
    let numbers: Numbers = match serde_json::from_str(text) {
        Ok(numbers) => numbers,
        Err(error) if error.is_data() => bail!(WANTED),
        Err(error) => bail!("{WANTED}; {error}"),
    };
    flat(numbers)
}

fn flat(numbers: Numbers) -> anyhow::Result<[f64; 16]> {
    let flat = match numbers {
        Numbers::Flat(flat) => flat,
        Numbers::Rows(rows) => {
            if let Some((row, found)) = rows.iter().enumerate().find(|(_, r)| r.len() != 4) {
                bail!("{WANTED}; row {} has {}", row + 1, found.len());
            }
            rows.concat()
        }
    };
    flat.as_slice()
        .try_into()
        .map_err(|_| anyhow::anyhow!("{WANTED}; found {} numbers", flat.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = "[1,0,0,5, 0,1,0,6, 0,0,1,7, 0,0,0,1]";

    #[test]
    fn flat_and_nested_arrays_mean_the_same() {
        let flat = parse(FLAT, false).unwrap();
        let rows = parse("[[1,0,0,5],[0,1,0,6],[0,0,1,7],[0,0,0,1]]", false).unwrap();
        assert_eq!(flat.a_from_b, rows.a_from_b);
        assert_eq!(flat.a_from_b.translation(), DVec3::new(5.0, 6.0, 7.0));
    }

    #[test]
    fn lists_hold_either_form_and_name_the_bad_one() {
        let text = format!("[{FLAT}, [[1,0,0,5],[0,1,0,6],[0,0,1,7],[0,0,0,1]]]");
        let poses = parse_many(&text, false).unwrap();
        assert_eq!(poses.len(), 2);
        assert_eq!(poses[0].a_from_b, poses[1].a_from_b);
        let message = |text: &str| format!("{:#}", parse_many(text, false).unwrap_err());
        assert!(message(&format!("[{FLAT}, [1, 2]]")).contains("pose 1"));
        assert!(message(FLAT).contains("use --pose"));
        assert!(message("[[1,0,0,5],[0,1,0,6],[0,0,1,7],[0,0,0,1]]").contains("use --pose"));
        assert!(message("{}").contains("array of placements"));
        assert!(parse_many("[]", false).unwrap().is_empty());
    }

    #[test]
    fn errors_say_what_was_expected_or_how_to_repair() {
        let message = |text, repair| format!("{:#}", parse(text, repair).unwrap_err());
        assert!(message("[1,2,3]", false).contains("found 3 numbers"));
        assert!(message("[[1,2],[3]]", false).contains("row 1 has 2"));
        assert!(message("{}", false).contains("16 numbers"));
        assert!(message("[1,", false).contains("16 numbers"));
        let stretched = FLAT.replacen('1', "1.5", 1);
        assert!(message(&stretched, false).contains("--repair-pose"));
        assert!(message(&stretched, false).contains("1.25e0"));
        assert!(parse(&stretched, true).unwrap().repaired);
        assert!(message(&FLAT.replacen('1', "-1", 1), true).contains("mirrors"));
    }
}
