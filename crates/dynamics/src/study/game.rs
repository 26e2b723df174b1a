//! The game: two players, two hands each, six bodies and a well for each player.
//!
//! A body whose centre is over a well is pocketed for the well's owner and comes back elsewhere on the
//! table. Hands are rigid blades, coupled to their devices by a spring and damper of limited force,
//! which is what the device renders.

use impinge::convex::{Ball, Capsule, Cuboid, HalfSpace, ShapeError};
use impinge::math::Rng;
use impinge::pair::{Compound, CompoundError, Shape};
use impinge::{DVec3, Pose, PoseError};
use thiserror::Error;

use super::log::{HandLog, HandSample, LogError};
use super::operator::{Condition, Operator, OperatorSkill};
use crate::rigid::{BodyDesc, BodyId, MassProperties, RigidError, RigidWorld, WorldConfig};

/// How many players there are.
pub const PLAYERS: usize = 2;

/// How many hands a player has: the dominant, then the other.
pub const HANDS: usize = 2;

/// How many bodies lie on the table.
pub const BODIES: usize = 6;

/// Mass of a hand, in kg.
const HAND_MASS: f64 = 0.15;

/// Stiffness of the coupling between device and hand, in N/m and N·m/rad.
const COUPLING: [f64; 2] = [400.0, 1.0];

/// Height of the hands above the table, in m.
const HAND_HEIGHT: f64 = 0.035;

/// A hole in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Well {
    /// Its middle.
    pub center: DVec3,
    /// Its radius, in m.
    pub radius: f64,
}

/// Settings of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameConfig {
    /// Half the size of the table along x and y, in m.
    pub table: [f64; 2],
    /// Radius of the wells, in m. Larger wells make the game easier for both.
    pub well_radius: f64,
    /// What the radius of each player's well is multiplied by: a seat with the weaker device gets the larger well, as with a lower rim. See
    /// [`tune_wells`](super::tune_wells).
    pub well_scale: [f64; PLAYERS],
    /// Length of the training at most, in s. It ends when both players have pocketed a body.
    pub training: f64,
    /// Length of the play, in s.
    pub play: f64,
    /// Length of a step, in s.
    pub step: f64,
    /// Steps between lines of the log.
    pub log_every: u32,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self {
            table: [0.4, 0.3],
            well_radius: 0.07,
            well_scale: [1.0; PLAYERS],
            training: 180.0,
            play: 180.0,
            step: 1.0 / 120.0,
            log_every: 4,
        }
    }
}

/// Why a game was refused or stopped.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what} is {value}, which is out of range")]
    OutOfRange {
        /// What the number means.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// The bodies could not be made or moved.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// A shape was refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A compound was refused.
    #[error(transparent)]
    Compound(#[from] CompoundError),
    /// A pose was refused.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// A log was refused.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// How often each player pocketed each body during play.
    pub pocketed: [[u32; BODIES]; PLAYERS],
    /// When each player pocketed the first body in training, in s; the whole training if none.
    pub first: [f64; PLAYERS],
    /// How long the training lasted, in s.
    pub training: f64,
    /// Logs of the hands of each player during play.
    pub logs: [[HandLog; HANDS]; PLAYERS],
}

impl GameResult {
    /// How many bodies a player pocketed; 0 for a player that is not there.
    ///
    /// ```
    /// use impinge_dynamics::study::GameResult;
    /// let result = GameResult {
    ///     pocketed: [[1, 0, 0, 0, 0, 2], [0; 6]],
    ///     first: [0.0; 2],
    ///     training: 0.0,
    ///     logs: Default::default(),
    /// };
    /// assert_eq!((result.score(0), result.winner()), (3, Some(0)));
    /// ```
    #[must_use]
    pub fn score(&self, player: usize) -> u32 {
        self.pocketed.get(player).map_or(0, |row| row.iter().sum())
    }

    /// Who won; none for a tie.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        match self.score(0).cmp(&self.score(1)) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// A running game.
#[derive(Debug)]
pub struct Game {
    config: GameConfig,
    world: RigidWorld,
    bodies: [BodyId; BODIES],
    hands: [[BodyId; HANDS]; PLAYERS],
    operators: [[Operator; HANDS]; PLAYERS],
    wells: [Well; PLAYERS],
    rng: Rng,
    /// What each hand renders.
    wrenches: [[(DVec3, DVec3); HANDS]; PLAYERS],
}

impl Game {
    /// A game between two operators at their devices.
    ///
    /// # Errors
    /// [`GameError`] for settings out of range.
    ///
    /// ```
    /// use impinge_dynamics::study::{Condition, Game, GameConfig, OperatorSkill};
    /// let config = GameConfig { training: 1.0, play: 1.0, ..GameConfig::default() };
    /// let players = [Condition::ThreeDof, Condition::SixDof].map(|c| (c, OperatorSkill::default()));
    /// let result = Game::new(config, players, 1)?.play()?;
    /// assert!(result.training <= 1.0 && result.logs[1][0].samples().len() > 10);
    /// # Ok::<(), impinge_dynamics::study::GameError>(())
    /// ```
    pub fn new(
        config: GameConfig,
        players: [(Condition, OperatorSkill); PLAYERS],
        seed: u64,
    ) -> Result<Self, GameError> {
        check(&config)?;
        let mut world = RigidWorld::new(WorldConfig {
            substeps: 2,
            ..WorldConfig::default()
        })?;
        let [x, y] = config.table;
        world.add(BodyDesc {
            friction: 0.3,
            ..BodyDesc::fixed(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?, Pose::IDENTITY)
        })?;
        // Fences; hands pass them, bodies do not.
        let fences = [
            ([-1.0, 0.0, 0.0], [x, 0.0, 0.0]),
            ([1.0, 0.0, 0.0], [-x, 0.0, 0.0]),
            ([0.0, -1.0, 0.0], [0.0, y, 0.0]),
            ([0.0, 1.0, 0.0], [0.0, -y, 0.0]),
        ];
        for (normal, point) in fences {
            let fence = BodyDesc::fixed(HalfSpace::new(normal, point)?, Pose::IDENTITY);
            world.add(BodyDesc { group: 1, ..fence })?;
        }
        let mut rng = Rng::new(seed);
        let well = |side: f64, scale: f64| Well {
            center: DVec3::new(side * (x - config.well_radius), 0.0, 0.0),
            radius: config.well_radius * scale,
        };
        let [left, right] = config.well_scale;
        let wells = [well(-1.0, left), well(1.0, right)];
        let mut added = Vec::with_capacity(BODIES);
        for shape in animals()? {
            let pose = somewhere(&mut rng, &config, &wells)?;
            let animal = BodyDesc::solid(shape, 300.0, pose)?;
            added.push(world.add(BodyDesc {
                friction: 0.3,
                ..animal
            })?);
        }
        let mut next = 0;
        let bodies = std::array::from_fn(|_| {
            let id = added.get(next).copied();
            next += 1;
            id
        });
        let mut hands = [[None; HANDS]; PLAYERS];
        let mut operators = [[None, None], [None, None]];
        let blade = Shape::from(Cuboid::new([0.008, 0.04, 0.025])?);
        let sides = [-1.0, 1.0];
        let rows = hands.iter_mut().zip(operators.iter_mut()).zip(players);
        for (((hands, operators), (condition, skill)), side) in rows.zip(sides) {
            for (hand, operator) in hands.iter_mut().zip(operators.iter_mut()) {
                let start = DVec3::new(side * 0.2, rng.range(-0.1, 0.1), HAND_HEIGHT);
                let mass = MassProperties::of(&blade, 1.0)?.with_mass(HAND_MASS)?;
                *hand = Some(world.add(BodyDesc {
                    mass: Some(mass),
                    friction: 0.6,
                    group: 1,
                    ..BodyDesc::fixed(blade.clone(), Pose::from_translation(start)?)
                })?);
                *operator = Some(Operator::new(condition, skill, rng.next_u64(), start));
            }
        }
        // Every slot was filled above; the error cannot occur.
        let missing = GameError::OutOfRange {
            what: "number of bodies",
            value: added.len() as f64,
        };
        let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f)] = bodies else {
            return Err(missing);
        };
        let [[Some(p), Some(q)], [Some(r), Some(s)]] = hands else {
            return Err(missing);
        };
        let [[Some(t), Some(u)], [Some(v), Some(w)]] = operators else {
            return Err(missing);
        };
        Ok(Self {
            config,
            world,
            bodies: [a, b, c, d, e, f],
            hands: [[p, q], [r, s]],
            operators: [[t, u], [v, w]],
            wells,
            rng,
            wrenches: Default::default(),
        })
    }

    /// The wells, in the order of the players.
    #[must_use]
    pub fn wells(&self) -> &[Well; PLAYERS] {
        &self.wells
    }

    /// Where the bodies are.
    ///
    /// ```
    /// use impinge_dynamics::study::{Condition, Game, GameConfig, OperatorSkill};
    /// let players = [(Condition::SixDof, OperatorSkill::default()); 2];
    /// let game = Game::new(GameConfig::default(), players, 3)?;
    /// assert_eq!((game.positions().len(), game.wells().len()), (6, 2));
    /// # Ok::<(), impinge_dynamics::study::GameError>(())
    /// ```
    #[must_use]
    pub fn positions(&self) -> [DVec3; BODIES] {
        self.bodies
            .map(|id| self.world.body(id).map_or(DVec3::ZERO, |b| b.center()))
    }

    /// Trains, then plays.
    ///
    /// # Errors
    /// [`GameError`] when a body left the range of coordinates.
    pub fn play(mut self) -> Result<GameResult, GameError> {
        let mut first = [None; PLAYERS];
        let mut training = 0.0;
        let most = (self.config.training / self.config.step).ceil() as u64;
        for step in 1..=most {
            let won = self.step()?;
            training = (step as f64 * self.config.step).min(self.config.training);
            for (player, _) in won {
                if let Some(first) = first.get_mut(player) {
                    first.get_or_insert(training);
                }
            }
            if !first.contains(&None) {
                break;
            }
        }
        let mut result = GameResult {
            pocketed: [[0; BODIES]; PLAYERS],
            first: first.map(|time| time.unwrap_or(training)),
            training,
            logs: Default::default(),
        };
        let steps = (self.config.play / self.config.step).ceil() as u64;
        for step in 0..steps {
            for (player, body) in self.step()? {
                let row = result.pocketed.get_mut(player);
                if let Some(count) = row.and_then(|row| row.get_mut(body)) {
                    *count += 1;
                }
            }
            if step % u64::from(self.config.log_every) == 0 {
                let time = step as f64 * self.config.step;
                self.write_logs(time, &mut result.logs)?;
            }
        }
        Ok(result)
    }

    fn write_logs(
        &self,
        time: f64,
        logs: &mut [[HandLog; HANDS]; PLAYERS],
    ) -> Result<(), GameError> {
        let hands = self.hands.iter().flatten();
        let wrenches = self.wrenches.iter().flatten();
        for ((log, id), (force, torque)) in logs.iter_mut().flatten().zip(hands).zip(wrenches) {
            if let Some(body) = self.world.body(*id) {
                log.push(HandSample {
                    time,
                    pose: *body.pose(),
                    force: *force,
                    torque: *torque,
                })?;
            }
        }
        Ok(())
    }

    /// Advances one step. Returns which player pocketed which bodies.
    fn step(&mut self) -> Result<Vec<(usize, usize)>, GameError> {
        let (time, dt) = (self.world.time(), self.config.step);
        let places = self.positions();
        for player in 0..PLAYERS {
            let Some(well) = self.wells.get(player).copied() else {
                continue;
            };
            // Each hand takes another body, the nearest to the own well first.
            let mut order: Vec<DVec3> = places.to_vec();
            order.sort_by(|p, q| {
                let [p, q] = [p, q].map(|x| x.distance_squared(well.center));
                p.total_cmp(&q)
            });
            for hand in 0..HANDS {
                let target = order.get(hand).copied();
                self.move_hand(player, hand, target, well.center, time)?;
            }
        }
        self.world.step(dt)?;
        self.pocket()
    }

    /// Couples a hand to its device.
    fn move_hand(
        &mut self,
        player: usize,
        hand: usize,
        target: Option<DVec3>,
        well: DVec3,
        time: f64,
    ) -> Result<(), GameError> {
        let operator = self.operators.get_mut(player).and_then(|o| o.get_mut(hand));
        let id = self.hands.get(player).and_then(|h| h.get(hand)).copied();
        let (Some(operator), Some(id)) = (operator, id) else {
            return Ok(());
        };
        let Some(body) = self.world.body(id) else {
            return Ok(());
        };
        let held = operator.act(time, self.config.step, target, well);
        let condition = operator.condition();
        let [stiffness, turning] = COUPLING;
        let inertia = body.mass().map_or(0.0, |m| m.inertia.z_axis.z);
        let damping = 2.0 * (stiffness * HAND_MASS).sqrt();
        let drag = 2.0 * (turning * inertia).sqrt();
        let away = held.translation() - body.center();
        let force =
            (away * stiffness - body.velocity() * damping).clamp_length_max(condition.max_force());
        // The small turn from the hand to the device.
        let (own, wanted) = (body.pose().rotation(), held.rotation());
        let turn = (own.x_axis.cross(wanted.x_axis)
            + own.y_axis.cross(wanted.y_axis)
            + own.z_axis.cross(wanted.z_axis))
            * 0.5;
        let torque = (turn * turning - body.angular_velocity() * drag)
            .clamp_length_max(condition.max_torque());
        // The arm carries the hand's weight.
        let weight = DVec3::Z * (9.81 * HAND_MASS);
        self.world.apply(id, force + weight, torque)?;
        let felt = self.wrenches.get_mut(player).and_then(|w| w.get_mut(hand));
        if let Some(felt) = felt {
            let rendered = match condition {
                Condition::ThreeDof => DVec3::ZERO,
                Condition::SixDof => -torque,
            };
            *felt = (-force, rendered);
        }
        Ok(())
    }

    /// Takes bodies out of the wells and puts them back on the table.
    fn pocket(&mut self) -> Result<Vec<(usize, usize)>, GameError> {
        let mut won = Vec::new();
        for (number, place) in self.positions().into_iter().enumerate() {
            let flat = DVec3::new(place.x, place.y, 0.0);
            let over = |well: &Well| flat.distance(well.center) < well.radius;
            let outside = place.z < -0.05 || flat.abs().max_element() > 2.0;
            let player = self.wells.iter().position(over);
            if player.is_none() && !outside {
                continue;
            }
            won.extend(player.map(|player| (player, number)));
            let pose = somewhere(&mut self.rng, &self.config, &self.wells)?;
            if let Some(id) = self.bodies.get(number).copied() {
                self.world.set_pose(id, pose)?;
                self.world.set_velocities(id, DVec3::ZERO, DVec3::ZERO)?;
            }
        }
        Ok(won)
    }
}

/// A place in the middle of the table, away from the wells.
fn somewhere(rng: &mut Rng, config: &GameConfig, wells: &[Well]) -> Result<Pose, GameError> {
    let [x, y] = config.table;
    let mut place = DVec3::ZERO;
    // Wells cover a small part of the middle, so a few draws suffice.
    for _ in 0..64 {
        place = DVec3::new(rng.range(-0.5, 0.5) * x, rng.range(-0.7, 0.7) * y, 0.045);
        let clear = |well: &Well| {
            let flat = DVec3::new(place.x, place.y, 0.0);
            flat.distance(well.center) > well.radius + 0.03
        };
        if wells.iter().all(clear) {
            break;
        }
    }
    let yaw = rng.range(-3.0, 3.0);
    Ok(Pose::from_axis_angle(DVec3::Z, yaw, place)?)
}

/// Six animals: trunks with more and more limbs. The first has none.
fn animals() -> Result<[Shape; BODIES], GameError> {
    let trunk = Shape::from(Cuboid::new([0.025, 0.016, 0.016])?);
    let animal = |limbs: usize, head: bool| -> Result<Shape, GameError> {
        let mut parts = vec![(Pose::IDENTITY, trunk.clone())];
        let corners = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)];
        for (along, across) in corners.into_iter().take(limbs) {
            let from = DVec3::new(0.02 * along, 0.012 * across, -0.012);
            let to = DVec3::new(0.026 * along, 0.018 * across, -0.03);
            parts.push((Pose::IDENTITY, Shape::from(Capsule::new(from, to, 0.006)?)));
        }
        if head {
            let at = Pose::from_translation([0.034, 0.0, 0.01])?;
            parts.push((at, Shape::from(Ball::new(0.012)?)));
        }
        Ok(Shape::from(Compound::new(parts)?))
    };
    Ok([
        trunk.clone(),
        animal(0, true)?,
        animal(2, false)?,
        animal(2, true)?,
        animal(4, false)?,
        animal(4, true)?,
    ])
}

fn check(config: &GameConfig) -> Result<(), GameError> {
    let range = |what, value: f64, least: f64, most: f64| {
        if value >= least && value <= most {
            Ok(())
        } else {
            Err(GameError::OutOfRange { what, value })
        }
    };
    let [x, y] = config.table;
    range("half length of the table", x, 0.2, 2.0)?;
    range("half width of the table", y, 0.1, 2.0)?;
    range("radius of a well", config.well_radius, 0.01, 0.4 * x)?;
    for scale in config.well_scale {
        range("scale of a well", scale, 0.25, 4.0)?;
    }
    range("length of the training", config.training, 0.0, 3600.0)?;
    range("length of the play", config.play, 0.0, 3600.0)?;
    range("step", config.step, 1e-4, 0.02)?;
    range("steps between lines", config.log_every.into(), 1.0, 1e6)
}
