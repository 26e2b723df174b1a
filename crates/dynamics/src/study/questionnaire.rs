//! Five-point items and their CSV.

use std::fmt::Write;

use thiserror::Error;

use super::operator::Condition;

/// The items, each answered from 1 (not at all) to 5 (very much).
pub const ITEMS: [&str; 6] = [
    "concentration",
    "training_time",
    "playing_time",
    "naturalness",
    "intuitiveness",
    "force_quality",
];

/// What one participant answered after playing under one condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Questionnaire {
    /// The participant.
    pub participant: u32,
    /// The condition that the answers are about.
    pub condition: Condition,
    answers: [u8; ITEMS.len()],
}

/// Why answers were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuestionnaireError {
    /// An answer is not one of five.
    #[error("the answer to {item} is {answer}, allowed are 1 to 5")]
    NotFivePoint {
        /// The item.
        item: &'static str,
        /// The answer.
        answer: u8,
    },
    /// A line of CSV cannot be read.
    #[error("line {line} is not a participant, a condition and {} answers from 1 to 5", ITEMS.len())]
    BadLine {
        /// Its number, from 1.
        line: usize,
    },
}

impl Questionnaire {
    /// The answers, in the order of [`ITEMS`].
    ///
    /// # Errors
    /// [`QuestionnaireError::NotFivePoint`] for an answer that is not 1 to 5.
    ///
    /// ```
    /// use impinge_dynamics::study::{Condition, Questionnaire};
    /// let answers = Questionnaire::new(7, Condition::SixDof, [4, 3, 3, 4, 5, 4])?;
    /// let csv = Questionnaire::to_csv(&[answers]);
    /// assert_eq!(csv.lines().nth(1), Some("7,6dof,4,3,3,4,5,4"));
    /// assert_eq!(Questionnaire::from_csv(&csv)?, [answers]);
    /// assert!(Questionnaire::new(7, Condition::SixDof, [4, 3, 6, 4, 5, 4]).is_err());
    /// # Ok::<(), impinge_dynamics::study::QuestionnaireError>(())
    /// ```
    pub fn new(
        participant: u32,
        condition: Condition,
        answers: [u8; ITEMS.len()],
    ) -> Result<Self, QuestionnaireError> {
        for (item, answer) in ITEMS.into_iter().zip(answers) {
            if !(1..=5).contains(&answer) {
                return Err(QuestionnaireError::NotFivePoint { item, answer });
            }
        }
        Ok(Self {
            participant,
            condition,
            answers,
        })
    }

    /// The answers, in the order of [`ITEMS`].
    #[must_use]
    pub fn answers(&self) -> &[u8; ITEMS.len()] {
        &self.answers
    }

    /// All answers as CSV, a line per participant and condition.
    #[must_use]
    pub fn to_csv(all: &[Self]) -> String {
        let mut text = head();
        for one in all {
            let _ = write!(text, "\n{},{}", one.participant, one.condition.name());
            for answer in one.answers {
                let _ = write!(text, ",{answer}");
            }
        }
        text.push('\n');
        text
    }

    /// The answers that [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    /// [`QuestionnaireError::BadLine`].
    pub fn from_csv(text: &str) -> Result<Vec<Self>, QuestionnaireError> {
        let mut all = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let bad = QuestionnaireError::BadLine { line: index + 1 };
            if index == 0 {
                if line != head() {
                    return Err(bad);
                }
                continue;
            }
            let mut fields = line.split(',');
            let participant = fields.next().and_then(|field| field.parse().ok());
            let condition = fields.next().and_then(Condition::from_name);
            let answers: Option<Vec<u8>> = fields.map(|field| field.parse().ok()).collect();
            let answers = answers.and_then(|list| <[u8; ITEMS.len()]>::try_from(list).ok());
            let (Some(participant), Some(condition), Some(answers)) =
                (participant, condition, answers)
            else {
                return Err(bad);
            };
            all.push(Self::new(participant, condition, answers).map_err(|_| bad)?);
        }
        Ok(all)
    }
}

fn head() -> String {
    format!("participant,condition,{}", ITEMS.join(","))
}
