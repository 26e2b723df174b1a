//! `nearest-kiddo POINTS PLACES ROUNDS`: kiddo's nearest of many points to many places. Files and answer are those of the runner of
//! nanoflann; building takes all threads and its time is what passed, questions take one and their time is what it computed for.

mod shared;

use std::hint::black_box;
use std::time::Instant;

use kiddo::{ImmutableKdTree, SquaredEuclidean};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [points, places, rounds] = arguments.as_slice() else {
        eprintln!("nearest-kiddo POINTS PLACES ROUNDS");
        std::process::exit(1);
    };
    let (points, places) = (shared::read::<3>(points), shared::read::<3>(places));
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let (mut built, mut asked, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..rounds {
        let clock = Instant::now();
        let tree = ImmutableKdTree::<f64, 3>::new_from_slice_parallel(&points)
            .expect("kiddo takes the points");
        built.push(clock.elapsed().as_nanos() as f64);
        sum = 0.0;
        asked.push(shared::own_nanoseconds(|| {
            for place in &places {
                let at = black_box(*place);
                let found = tree.query(&at).nearest_one::<SquaredEuclidean<f64>>();
                sum += found.execute().distance.sqrt();
            }
        }));
    }
    shared::tell("nearest", sum, &[&built, &asked]);
}
