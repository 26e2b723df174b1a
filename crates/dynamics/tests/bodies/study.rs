//! Statistics against published and independent figures; protocol, logs and game end to end.

use std::f64::consts::PI;

use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_dynamics::study::statistics::{
    StatisticsError, Summary, anova, anova_from_summaries, chi_square, chi_square_uniform, paired_t,
};
use impinge_dynamics::study::{
    Condition, Game, GameConfig, GameError, HandLog, HandSample, OperatorSkill, Protocol,
    ProtocolError, Questionnaire, QuestionnaireError, chi_square_tail, f_tail, run_study,
    t_two_sided, tune_wells,
};

#[test]
fn the_published_anova_follows_from_its_means_and_deviations() {
    let group = |n, mean, sd| Summary { n, mean, sd };
    // Pocketed objects of 39 inexperienced and 8 experienced players; printed are 6.538 and 9.814.
    let three = [group(39, 4.95, 3.692), group(8, 9.00, 5.757)];
    let six = [group(39, 5.08, 3.608), group(8, 10.13, 6.334)];
    let (three, six) = (
        anova_from_summaries(&three).unwrap(),
        anova_from_summaries(&six).unwrap(),
    );
    assert!((three.f - 6.533).abs() < 5e-4, "{}", three.f);
    assert!((six.f - 9.823).abs() < 5e-4, "{}", six.f);
    // 47 participants in two groups: F(1, 45), not F(1, 46) as printed.
    assert_eq!((three.between, three.within), (1, 45));
    // Printed p = .014 and .003.
    assert_eq!(
        ((three.p * 1000.0).round(), (six.p * 1000.0).round()),
        (14.0, 3.0)
    );
}

#[test]
fn the_published_p_values_follow_from_their_t() {
    assert!((t_two_sided(2.625, 46.0) - 0.0117).abs() < 5e-5);
    assert!((t_two_sided(-2.625, 46.0) - 0.0117).abs() < 5e-5);
    assert!((t_two_sided(2.954, 46.0) - 0.0049).abs() < 5e-5);
    for t in [6.425, 4.741, 4.761, 12.034, 5.991, 7.495, 14.883] {
        assert!(t_two_sided(t, 46.0) < 0.001);
    }
    assert_eq!((t_two_sided(3.368, 46.0) * 1000.0).round(), 2.0);
}

/// Simpson's rule.
fn integral(from: f64, to: f64, n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / n as f64;
    let weight = |i: usize| match i {
        0 => 1.0,
        i if i == n => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=n).map(|i| weight(i) * f(from + h * i as f64)).sum();
    sum * h / 3.0
}

/// The gamma function of half of a whole number, by its recurrence.
fn gamma_of_half(twice: u32) -> f64 {
    match twice {
        1 => PI.sqrt(),
        2 => 1.0,
        n => (f64::from(n) / 2.0 - 1.0) * gamma_of_half(n - 2),
    }
}

#[test]
fn tails_match_the_integrals_of_their_densities() {
    for n in [1, 2, 3, 5, 10, 46, 47] {
        let v = f64::from(n);
        let scale = gamma_of_half(n + 1) / ((v * PI).sqrt() * gamma_of_half(n));
        for t in [0.1, 0.7, 1.9, 3.3] {
            let body = integral(0.0, t, 2000, |x| (1.0 + x * x / v).powf(-(v + 1.0) / 2.0));
            let expected = 1.0 - 2.0 * scale * body;
            assert!((t_two_sided(t, v) - expected).abs() < 1e-10, "t {t} {v}");
        }
        let scale = 1.0 / (2.0_f64.powf(v / 2.0) * gamma_of_half(n));
        for x in [0.5, 2.0, 11.0, 60.0] {
            // Substituted x = u², which takes the pole of one degree of freedom away.
            let body = integral(0.0, f64::sqrt(x), 4000, |u| {
                2.0 * u.powf(v - 1.0) * (-u * u / 2.0).exp()
            });
            let expected = 1.0 - scale * body;
            assert!(
                (chi_square_tail(x, v) - expected).abs() < 1e-10,
                "χ² {x} {v}"
            );
        }
    }
    // F with equal degrees of freedom is as often above 1 as below; its reciprocal mirrors it.
    for n in [1.0, 4.0, 45.0] {
        assert!((f_tail(1.0, n, n) - 0.5).abs() < 1e-12);
        assert!((f_tail(2.5, n, 7.0) + f_tail(0.4, 7.0, n) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn known_quantiles_are_met() {
    // Critical values as printed in any table.
    assert!((t_two_sided(2.2281, 10.0) - 0.05).abs() < 1e-5);
    assert!((f_tail(4.9646, 1.0, 10.0) - 0.05).abs() < 1e-5);
    assert!((f_tail(3.3258, 5.0, 10.0) - 0.05).abs() < 1e-5);
    assert!((chi_square_tail(11.0705, 5.0) - 0.05).abs() < 1e-6);
    assert!((chi_square_tail(15.0863, 5.0) - 0.01).abs() < 1e-6);
    assert!(t_two_sided(f64::NAN, 3.0).is_nan() && t_two_sided(1.0, 0.0).is_nan());
    assert_eq!(
        (t_two_sided(f64::INFINITY, 3.0), t_two_sided(0.0, 3.0)),
        (0.0, 1.0)
    );
    assert_eq!(
        (f_tail(-1.0, 2.0, 2.0), chi_square_tail(0.0, 4.0)),
        (1.0, 1.0)
    );
}

#[test]
fn p_values_of_equal_samples_are_uniform() {
    // Under the null hypothesis one test in twenty is significant at 5 %.
    let mut rng = Rng::new(8);
    let normal = |rng: &mut Rng| (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
    let runs = 4000;
    let mut significant = [0; 2];
    for _ in 0..runs {
        let a: Vec<f64> = (0..12).map(|_| normal(&mut rng)).collect();
        let b: Vec<f64> = (0..12).map(|_| normal(&mut rng)).collect();
        significant[0] += usize::from(paired_t(&a, &b).unwrap().p < 0.05);
        significant[1] += usize::from(anova(&[&a, &b]).unwrap().p < 0.05);
    }
    for count in significant {
        let share = count as f64 / f64::from(runs);
        assert!((share - 0.05).abs() < 0.012, "{share}");
    }
}

#[test]
fn a_paired_t_test_by_hand() {
    // Differences 1, 2, 3, 4: mean 2.5, deviation √(5/3), t = 2.5·2/√(5/3).
    let found = paired_t(&[2.0, 4.0, 6.0, 8.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!((found.t - 5.0 / (5.0_f64 / 3.0).sqrt()).abs() < 1e-13);
    assert_eq!(found.freedom, 3);
    let swapped = paired_t(&[1.0, 2.0, 3.0, 4.0], &[2.0, 4.0, 6.0, 8.0]).unwrap();
    assert_eq!((swapped.t, swapped.p), (-found.t, found.p));
    let counts = chi_square(&[16, 18, 16, 14, 12, 12], &[88.0 / 6.0; 6]).unwrap();
    assert!((counts.chi_square - 2.0).abs() < 1e-12);
    assert_eq!(
        counts,
        chi_square_uniform(&[16, 18, 16, 14, 12, 12]).unwrap()
    );
}

#[test]
fn samples_that_cannot_be_tested_are_refused() {
    assert_eq!(
        paired_t(&[1.0], &[1.0, 2.0]),
        Err(StatisticsError::Unpaired { left: 1, right: 2 })
    );
    assert!(matches!(
        paired_t(&[1.0], &[2.0]),
        Err(StatisticsError::TooFew { needed: 2, .. })
    ));
    assert_eq!(
        paired_t(&[1.0, 2.0], &[2.0, 3.0]),
        Err(StatisticsError::NoVariance)
    );
    assert!(matches!(
        anova(&[&[1.0, f64::NAN], &[1.0, 2.0]]),
        Err(StatisticsError::OutOfRange { sample: 0, .. })
    ));
    assert!(anova(&[&[1.0, 2.0]]).is_err());
    assert!(chi_square_uniform(&[0, 0]).is_err() && chi_square_uniform(&[4]).is_err());
}

#[test]
fn path_length_and_rotation_match_a_helix() {
    let mut log = HandLog::default();
    let (turns, n, radius, climb) = (3.0, 3000, 0.2, 0.1);
    for i in 0..=n {
        let s = f64::from(i) / f64::from(n);
        let angle = 2.0 * PI * turns * s;
        let at = DVec3::new(radius * angle.cos(), radius * angle.sin(), climb * s);
        let pose = Pose::from_axis_angle(DVec3::Z, angle, at).unwrap();
        let sample = HandSample {
            time: s,
            pose,
            force: DVec3::X * s,
            torque: DVec3::ZERO,
        };
        log.push(sample).unwrap();
    }
    let around = 2.0 * PI * turns;
    assert!((log.path_length() - (radius * around).hypot(climb)).abs() < 1e-4);
    assert!((log.accumulated_rotation() - around).abs() < 1e-9);
    assert!((log.euler_change() - around).abs() < 1e-9);
    assert_eq!(log.largest_force(), 1.0);
    assert_eq!(HandLog::from_csv(&log.to_csv()).unwrap(), log);
    assert!(HandLog::from_csv("nonsense\n1,2").is_err());
    let again = log.samples()[0];
    assert!(log.push(again).is_err());
}

#[test]
fn everybody_plays_once_under_each_condition_and_seats_are_swapped() {
    let plan = Protocol::new(48, 5).unwrap();
    for who in 0..48 {
        for condition in Condition::ALL {
            let games = plan.sessions().iter().filter(|s| {
                let seats = s.participants.into_iter().zip(s.conditions);
                seats.into_iter().any(|seat| seat == (who, condition))
            });
            assert_eq!(games.count(), 1);
        }
        let seats: Vec<usize> = plan
            .sessions()
            .iter()
            .filter_map(|s| s.participants.iter().position(|&p| p == who))
            .collect();
        assert!(seats == [0, 1] || seats == [1, 0]);
    }
    // As many begin with one condition as with the other.
    let begins = |who: u32| {
        plan.sessions().iter().find_map(|s| {
            let seat = s.participants.iter().position(|&p| p == who)?;
            Some(s.conditions[seat])
        })
    };
    let three = (0..48).filter(|&who| begins(who) == Some(Condition::ThreeDof));
    assert_eq!(three.count(), 24);
    assert_eq!(
        Protocol::new(47, 5),
        Err(ProtocolError::Odd { participants: 47 })
    );
    assert!(Protocol::new(0, 5).is_err());
}

#[test]
fn five_point_items_come_back_from_csv() {
    let all: Vec<Questionnaire> = (0..10)
        .map(|i| {
            let condition = Condition::ALL[i as usize % 2];
            Questionnaire::new(i / 2, condition, [1 + i as u8 % 5; 6]).unwrap()
        })
        .collect();
    let csv = Questionnaire::to_csv(&all);
    assert_eq!(Questionnaire::from_csv(&csv).unwrap(), all);
    let broken = csv.replace("3dof", "4dof");
    assert_eq!(
        Questionnaire::from_csv(&broken),
        Err(QuestionnaireError::BadLine { line: 2 })
    );
    assert!(Questionnaire::from_csv(&csv.replace(",5", ",9")).is_err());
}

fn short() -> GameConfig {
    GameConfig {
        training: 20.0,
        play: 20.0,
        ..GameConfig::default()
    }
}

#[test]
fn simulated_players_pocket_bodies_within_the_limits_of_their_devices() {
    let players = [Condition::ThreeDof, Condition::SixDof].map(|c| (c, OperatorSkill::default()));
    let result = Game::new(short(), players, 11).unwrap().play().unwrap();
    assert!(
        result.score(0) + result.score(1) >= 2,
        "{:?}",
        result.pocketed
    );
    assert!(result.training <= 20.0);
    assert!(result.first.iter().all(|&time| time <= result.training));
    for (logs, (condition, _)) in result.logs.iter().zip(players) {
        for log in logs {
            assert_eq!(log.samples().len(), 600);
            assert!(log.largest_force() <= condition.max_force() + 1e-9);
            assert!(log.path_length() > 0.2);
            let torque = log.samples().iter().any(|s| s.torque != DVec3::ZERO);
            assert_eq!(torque, condition == Condition::SixDof);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_study() {
    let config = GameConfig {
        training: 3.0,
        play: 3.0,
        ..GameConfig::default()
    };
    let plan = Protocol::new(4, 9).unwrap();
    let table = run_study(&plan, config, 9).unwrap();
    assert_eq!(table, run_study(&plan, config, 9).unwrap());
    assert_ne!(table, run_study(&plan, config, 10).unwrap());
    assert_eq!(table.sessions.len(), 8);
    assert_eq!(table.to_csv().lines().count(), 9);
    assert!(table.compare(|s| s.path[0]).is_ok());
    for session in &table.sessions {
        assert!(session.path[0] > 0.0 && session.force > 0.0);
    }
}

#[test]
fn a_game_that_makes_no_sense_is_refused() {
    let players = [(Condition::SixDof, OperatorSkill::default()); 2];
    for wrong in [
        GameConfig {
            step: 0.0,
            ..short()
        },
        GameConfig {
            play: f64::NAN,
            ..short()
        },
        GameConfig {
            log_every: 0,
            ..short()
        },
    ] {
        assert!(matches!(
            Game::new(wrong, players, 1),
            Err(GameError::OutOfRange { .. })
        ));
    }
}

#[test]
fn wells_are_tuned_until_unequal_seats_score_alike() {
    let config = GameConfig {
        training: 0.1,
        play: 15.0,
        ..GameConfig::default()
    };
    // The second seat is slow and shaky.
    let weak = OperatorSkill {
        speed: 0.12,
        tremor: 0.012,
        ..OperatorSkill::default()
    };
    let players = [
        (Condition::SixDof, OperatorSkill::default()),
        (Condition::ThreeDof, weak),
    ];
    let scale = tune_wells(config, players, 4, 4, 11).unwrap();
    assert!(scale[1] > scale[0], "{scale:?}");
    let lead = |well_scale: [f64; 2]| {
        let mut lead = 0.0;
        for seed in 11..15 {
            let config = GameConfig {
                well_scale,
                ..config
            };
            let result = Game::new(config, players, seed).unwrap().play().unwrap();
            lead += f64::from(result.score(0)) - f64::from(result.score(1));
        }
        lead
    };
    let (fair, plain) = (lead(scale), lead([1.0; 2]));
    assert!(fair.abs() < plain.abs(), "{fair} beside {plain}");
}
