//! Serial, parallel and concurrent detection.

use impinge::math::Rng;
use impinge_dynamics::sculpt::{Mode, Pot, SculptOptions, Sculptor, ToolKind};

use crate::{random_stroke, sculptor};

fn run(mode: Mode, operator_published: bool) -> Sculptor {
    let options = if operator_published {
        SculptOptions::published(0.01)
    } else {
        SculptOptions::default()
    };
    let options = SculptOptions { mode, ..options };
    let mut sculptor = sculptor(Pot::Torus, 1500, ToolKind::WholeHand, 0.6, options);
    let mut rng = Rng::new(12);
    for _ in 0..5 {
        let _ = random_stroke(&mut rng, 20, 0.5).run(&mut sculptor);
    }
    sculptor
}

#[test]
fn parallel_detection_gives_the_bytes_of_serial_detection() {
    for published in [true, false] {
        let [serial, parallel] = [Mode::Serial, Mode::Parallel].map(|mode| run(mode, published));
        assert_eq!(serial.clay().mesh(), parallel.clay().mesh());
        assert_ne!(serial.clay().mesh(), Pot::Torus.mesh(1500).unwrap());
    }
}

#[test]
fn concurrent_detection_repeats_itself_byte_for_byte() {
    let [one, two] = [(); 2].map(|()| run(Mode::Concurrent, false));
    assert_eq!(one.clay().mesh(), two.clay().mesh());
    assert_ne!(one.clay().mesh(), Pot::Torus.mesh(1500).unwrap());
}

#[test]
fn concurrent_response_comes_one_frame_later() {
    let make = |mode| {
        let options = SculptOptions {
            mode,
            ..SculptOptions::published(0.01)
        };
        sculptor(Pot::Ball, 1000, ToolKind::Fingertip, 1.0, options)
    };
    let (mut serial, mut concurrent) = (make(Mode::Serial), make(Mode::Concurrent));
    let stroke = random_stroke(&mut Rng::new(3), 30, 0.3);
    let mut first = [const { None }; 2];
    for frame in 0..stroke.frames() {
        let (tool, _) = stroke.at(frame);
        for (first, sculptor) in first.iter_mut().zip([&mut serial, &mut concurrent]) {
            let report = sculptor.frame(&tool);
            if report.hit_faces > 0 && first.is_none() {
                *first = Some((frame, report.hit_faces, sculptor.clay().mesh()));
            }
        }
        if first.iter().all(Option::is_some) {
            break;
        }
    }
    let [serial, concurrent] = first.map(Option::unwrap);
    assert_eq!(concurrent.0, serial.0 + 1);
    // The same hits, and the clay of the first response is the same.
    assert_eq!((concurrent.1, concurrent.2), (serial.1, serial.2));
}
