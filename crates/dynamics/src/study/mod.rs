//! User studies of haptic devices: statistics, protocol, logs, questionnaires, simulated operators and
//! the game that they play.
//!
//! **Question.** Does one device let people work better than another?
//! **Idea.** Two players compete for six bodies on a table; each plays once per condition, because the
//! seats are swapped ([`Protocol`]). Logs give [path length and accumulated rotation](HandLog), answers
//! are [five-point items](Questionnaire), and [paired t, ANOVA and chi-square](statistics) judge them.
//! **Source.** Weller 2012, chapter 7: two-player bimanual game, 47 participants.
//! **Limits.** [Simulated operators](Operator) test the instrument. They say nothing about people.

mod distribution;
mod game;
mod log;
mod operator;
mod protocol;
mod questionnaire;
mod seats;
pub mod statistics;

pub use distribution::{chi_square_tail, f_tail, t_two_sided};
pub use game::{BODIES, Game, GameConfig, GameError, GameResult, HANDS, PLAYERS, Well};
pub use log::{HandLog, HandSample, LogError};
pub use operator::{Condition, Operator, OperatorSkill};
pub use protocol::{Protocol, ProtocolError, Session, SessionPlan, StudyTable, run_study};
pub use questionnaire::{ITEMS, Questionnaire, QuestionnaireError};
pub use seats::tune_wells;
