//! Study protocol: opponents, seats and conditions of each session; runs a whole study.

use std::fmt::Write;

use impinge::math::Rng;
use thiserror::Error;

use super::game::{Game, GameConfig, GameError, GameResult, PLAYERS};
use super::log::HandLog;
use super::operator::{Condition, OperatorSkill};
use super::questionnaire::{ITEMS, Questionnaire};
use super::statistics::{ChiSquare, PairedT, StatisticsError, chi_square_uniform, paired_t};

/// Why a protocol was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// Players come in pairs.
    #[error("players come in pairs, so {participants} participants cannot all play")]
    Odd {
        /// How many there are.
        participants: u32,
    },
    /// Too few or too many.
    #[error("a study has 2 to {most} participants, found {participants}")]
    OutOfRange {
        /// How many there are.
        participants: u32,
        /// The most.
        most: u32,
    },
}

/// One game of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    /// Who sits at each seat.
    pub participants: [u32; PLAYERS],
    /// Which condition each seat has.
    pub conditions: [Condition; PLAYERS],
    /// The seed of the game.
    pub seed: u64,
}

/// The plan of a study: every participant plays once under each condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    sessions: Vec<SessionPlan>,
    participants: u32,
}

/// The most participants.
const MOST: u32 = 100_000;

impl Protocol {
    /// The plan for a number of participants: pairs play twice, and swap seats in between. Which
    /// condition comes first alternates from pair to pair, so that practice favours neither.
    ///
    /// # Errors
    /// [`ProtocolError`] for a number of participants that is odd or out of range.
    ///
    /// ```
    /// use impinge_dynamics::study::Protocol;
    /// let plan = Protocol::new(4, 1)?;
    /// let [first, second] = [plan.sessions()[0], plan.sessions()[1]];
    /// assert_eq!(first.participants, [0, 1]);
    /// assert_eq!(second.participants, [1, 0]);
    /// assert_eq!(first.conditions, second.conditions);
    /// # Ok::<(), impinge_dynamics::study::ProtocolError>(())
    /// ```
    pub fn new(participants: u32, seed: u64) -> Result<Self, ProtocolError> {
        if !(2..=MOST).contains(&participants) {
            return Err(ProtocolError::OutOfRange {
                participants,
                most: MOST,
            });
        }
        if participants % 2 == 1 {
            return Err(ProtocolError::Odd { participants });
        }
        let mut rng = Rng::new(seed);
        let mut sessions = Vec::with_capacity(participants as usize);
        for pair in 0..participants / 2 {
            let condition = if pair % 2 == 0 {
                Condition::ThreeDof
            } else {
                Condition::SixDof
            };
            let players = [2 * pair, 2 * pair + 1];
            for participants in [players, [players[1], players[0]]] {
                // The devices stay where they are; the players change seats.
                sessions.push(SessionPlan {
                    participants,
                    conditions: [condition, condition.other()],
                    seed: rng.next_u64(),
                });
            }
        }
        Ok(Self {
            sessions,
            participants,
        })
    }

    /// All games, in order.
    #[must_use]
    pub fn sessions(&self) -> &[SessionPlan] {
        &self.sessions
    }

    /// How many take part.
    #[must_use]
    pub fn participants(&self) -> u32 {
        self.participants
    }
}

/// What one participant did under one condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    /// The participant.
    pub participant: u32,
    /// The condition.
    pub condition: Condition,
    /// The seat.
    pub seat: u32,
    /// Whether the game was won; none for a tie.
    pub won: Option<bool>,
    /// Bodies pocketed during play.
    pub pocketed: u32,
    /// Time to the first body, in s.
    pub first: f64,
    /// Path length of the dominant and the other hand, in m.
    pub path: [f64; 2],
    /// Accumulated rotation of the dominant and the other hand, in rad.
    pub rotation: [f64; 2],
    /// The largest force felt, in N.
    pub force: f64,
}

/// The results of a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyTable {
    /// The measures of all participants.
    pub sessions: Vec<Session>,
    /// The answers of all participants.
    pub answers: Vec<Questionnaire>,
    /// How often each body was pocketed under each condition, 3 DOF first.
    pub bodies: [[u64; super::game::BODIES]; 2],
}

impl StudyTable {
    /// Whether a measure differs between the conditions: positive t when 3 DOF has more of it.
    ///
    /// # Errors
    /// As [`paired_t`].
    ///
    /// ```
    /// use impinge_dynamics::study::StudyTable;
    /// assert!(StudyTable::default().compare(|session| session.first).is_err());
    /// ```
    pub fn compare(&self, measure: impl Fn(&Session) -> f64) -> Result<PairedT, StatisticsError> {
        let of = |condition: Condition| {
            let mut rows: Vec<&Session> = self
                .sessions
                .iter()
                .filter(|s| s.condition == condition)
                .collect();
            rows.sort_by_key(|session| session.participant);
            rows.into_iter().map(&measure).collect::<Vec<f64>>()
        };
        paired_t(&of(Condition::ThreeDof), &of(Condition::SixDof))
    }

    /// Whether the answers to an item differ between the conditions.
    ///
    /// # Errors
    /// As [`paired_t`].
    pub fn compare_item(&self, item: usize) -> Result<PairedT, StatisticsError> {
        let of = |condition: Condition| {
            let mut rows: Vec<&Questionnaire> = self
                .answers
                .iter()
                .filter(|q| q.condition == condition)
                .collect();
            rows.sort_by_key(|answers| answers.participant);
            let values = rows.into_iter().filter_map(|q| q.answers().get(item));
            values.map(|&answer| f64::from(answer)).collect::<Vec<_>>()
        };
        paired_t(&of(Condition::ThreeDof), &of(Condition::SixDof))
    }

    /// Whether some bodies were pocketed more often than others under a condition.
    ///
    /// # Errors
    /// As [`chi_square_uniform`].
    pub fn compare_bodies(&self, condition: Condition) -> Result<ChiSquare, StatisticsError> {
        let [three, six] = &self.bodies;
        chi_square_uniform(match condition {
            Condition::ThreeDof => three,
            Condition::SixDof => six,
        })
    }

    /// The measures of all participants, as CSV.
    ///
    /// ```
    /// use impinge_dynamics::study::StudyTable;
    /// assert!(StudyTable::default().to_csv().starts_with("participant,condition,seat,won"));
    /// ```
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from(
            "participant,condition,seat,won,pocketed,first,path_dominant,path_other,\
             rotation_dominant,rotation_other,force\n",
        );
        for s in &self.sessions {
            let won = match s.won {
                Some(true) => "yes",
                Some(false) => "no",
                None => "tie",
            };
            let _ = writeln!(
                text,
                "{},{},{},{won},{},{},{},{},{},{},{}",
                s.participant,
                s.condition.name(),
                s.seat,
                s.pocketed,
                s.first,
                s.path[0],
                s.path[1],
                s.rotation[0],
                s.rotation[1],
                s.force
            );
        }
        text
    }
}

/// Plays a whole study with simulated operators. Skills vary between participants; each keeps theirs
/// under both conditions.
///
/// # Errors
/// [`GameError`] for settings out of range.
///
/// ```
/// use impinge_dynamics::study::{GameConfig, Protocol, run_study};
/// let config = GameConfig { training: 0.5, play: 0.5, ..GameConfig::default() };
/// let table = run_study(&Protocol::new(2, 3)?, config, 3)?;
/// assert_eq!((table.sessions.len(), table.answers.len()), (4, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_study(
    protocol: &Protocol,
    config: GameConfig,
    seed: u64,
) -> Result<StudyTable, GameError> {
    let mut table = StudyTable::default();
    for plan in protocol.sessions() {
        let [a, b] = plan.participants.map(|who| skill_of(who, seed));
        let [c, d] = plan.conditions;
        let result = Game::new(config, [(c, a), (d, b)], plan.seed)?.play()?;
        record(plan, &result, seed, &mut table)?;
    }
    Ok(table)
}

fn skill_of(participant: u32, seed: u64) -> OperatorSkill {
    let mut rng = Rng::new(seed ^ (u64::from(participant) << 32));
    let usual = OperatorSkill::default();
    OperatorSkill {
        speed: usual.speed * rng.range(0.7, 1.3),
        tremor: usual.tremor * rng.range(0.6, 1.6),
        reaction: usual.reaction * rng.range(0.7, 1.4),
    }
}

fn record(
    plan: &SessionPlan,
    result: &GameResult,
    seed: u64,
    table: &mut StudyTable,
) -> Result<(), GameError> {
    let seats = plan.participants.into_iter().zip(plan.conditions);
    for (seat, (participant, condition)) in seats.enumerate() {
        let (Some(logs), Some(counts)) = (result.logs.get(seat), result.pocketed.get(seat)) else {
            continue;
        };
        let row = match condition {
            Condition::ThreeDof => &mut table.bodies[0],
            Condition::SixDof => &mut table.bodies[1],
        };
        for (sum, count) in row.iter_mut().zip(counts) {
            *sum += u64::from(*count);
        }
        let session = Session {
            participant,
            condition,
            seat: seat as u32,
            won: result.winner().map(|winner| winner == seat),
            pocketed: result.score(seat),
            first: result.first.get(seat).copied().unwrap_or(0.0),
            path: [&logs[0], &logs[1]].map(HandLog::path_length),
            rotation: [&logs[0], &logs[1]].map(HandLog::accumulated_rotation),
            force: logs[0].largest_force().max(logs[1].largest_force()),
        };
        table.answers.push(answers_of(&session, result, seed)?);
        table.sessions.push(session);
    }
    Ok(())
}

/// Answers of a simulated operator: higher after success, plus random error.
fn answers_of(
    session: &Session,
    result: &GameResult,
    seed: u64,
) -> Result<Questionnaire, GameError> {
    let condition = session.condition as u64;
    let mut rng = Rng::new(seed ^ (u64::from(session.participant) << 20) ^ (condition << 8));
    let quick = 1.0 - session.first / result.training.max(1e-9);
    let success = f64::from(session.pocketed) / (1.0 + f64::from(session.pocketed));
    let mut answers = [0; ITEMS.len()];
    for answer in &mut answers {
        let opinion = 2.0 + quick + success + rng.range(-1.0, 1.0);
        *answer = opinion.round().clamp(1.0, 5.0) as u8;
    }
    let made = Questionnaire::new(session.participant, session.condition, answers);
    made.map_err(|_| GameError::OutOfRange {
        what: "answer",
        value: f64::NAN,
    })
}
