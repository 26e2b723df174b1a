//! Fair seats for unequal devices.

use super::game::{Game, GameConfig, GameError, PLAYERS};
use super::operator::{Condition, OperatorSkill};

/// The second well is at most this many times as large as the first, or as small.
const MOST_UNEQUAL: f64 = 2.0;

/// Scales of the wells with which two seats have about equal chances: simulated players play `games` games at each of `rounds` ratios of
/// the wells, and bisection finds the ratio at which neither scores more.
///
/// # Errors
/// [`GameError`] for settings out of range.
///
/// ```
/// use impinge_dynamics::study::{Condition, GameConfig, OperatorSkill, tune_wells};
/// let config = GameConfig { training: 0.1, play: 1.0, ..GameConfig::default() };
/// let players = [(Condition::SixDof, OperatorSkill::default()), (Condition::ThreeDof, OperatorSkill::default())];
/// let [left, right] = tune_wells(config, players, 1, 2, 5)?;
/// assert!((left * right - 1.0).abs() < 1e-12);
/// # Ok::<(), impinge_dynamics::study::GameError>(())
/// ```
pub fn tune_wells(
    config: GameConfig,
    players: [(Condition, OperatorSkill); PLAYERS],
    games: u32,
    rounds: u32,
    seed: u64,
) -> Result<[f64; PLAYERS], GameError> {
    let (mut low, mut high) = (1.0 / MOST_UNEQUAL, MOST_UNEQUAL);
    for _ in 0..rounds {
        let ratio = (low * high).sqrt();
        // Larger for the second seat: it should score more.
        if lead(config, players, ratio, games, seed)? > 0 {
            low = ratio;
        } else {
            high = ratio;
        }
    }
    Ok(scales((low * high).sqrt()))
}

/// Wells whose areas multiply to what they were.
fn scales(ratio: f64) -> [f64; PLAYERS] {
    let root = ratio.sqrt();
    [1.0 / root, root]
}

/// By how many bodies the first seat leads over all games.
fn lead(
    config: GameConfig,
    players: [(Condition, OperatorSkill); PLAYERS],
    ratio: f64,
    games: u32,
    seed: u64,
) -> Result<i64, GameError> {
    let config = GameConfig {
        well_scale: scales(ratio),
        ..config
    };
    let mut lead = 0;
    for game in 0..games {
        let result = Game::new(config, players, seed.wrapping_add(u64::from(game)))?.play()?;
        lead += i64::from(result.score(0)) - i64::from(result.score(1));
    }
    Ok(lead)
}
