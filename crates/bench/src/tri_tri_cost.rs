//! Cost of the exact triangle–triangle test, compared with plain `f64` tests without exactness.
//!
//! The plain tests are Möller's of 1997 in its two published forms, with and without divisions, both
//! with early rejection by either plane. The bar is held against the faster of the two.

use std::hint::black_box;
use std::time::Instant;

use impinge::DVec3;
use impinge::geom::{certified_contact, triangles_intersect};
use impinge::math::Rng;

use crate::Bar;
use crate::sample_statistics::median;

/// The largest allowed ratio of the exact test's cost to the plain test's.
const ALLOWED: f64 = 1.5;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of triangle pairs
    #[arg(long, default_value_t = 200_000)]
    pairs: usize,
    /// Interleaved rounds; the median counts
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Seed of the random triangles
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Pairs timed at a stretch: few enough for the second-level cache, so that arithmetic and not memory is measured.
/// The median of the rounds is taken per block, which keeps interruptions out.
const BLOCK: usize = 2048;

type Triangle = [DVec3; 3];
type Pair = (Triangle, Triangle);

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    anyhow::ensure!(args.pairs > 0 && args.rounds > 0, "needs pairs and rounds");
    println!(
        "{} pairs per workload, median of {} interleaved rounds, ns per pair\n",
        args.pairs, args.rounds
    );
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>9} {:>8} {:>12} {:>10}",
        "workload", "met", "plain", "no div.", "exact", "ratio", "left filter", "differ"
    );
    let ratio = measure("unit triangles, near", args, |rng| {
        let a = unit_triangle(rng, DVec3::ZERO);
        let center = rng.direction() * rng.unit();
        (a, unit_triangle(rng, center))
    });
    measure("unit triangles, in a ball", args, |rng| {
        let a = unit_triangle(rng, DVec3::ZERO);
        let center = rng.direction() * rng.unit().cbrt();
        (a, unit_triangle(rng, center))
    });
    measure("within 1e-12 of one plane", args, |rng| {
        let a = flat_triangle(rng, 1e-12);
        (a, flat_triangle(rng, 1e-12))
    });
    measure("exactly coplanar", args, |rng| {
        let a = flat_triangle(rng, 0.0);
        (a, flat_triangle(rng, 0.0))
    });
    measure("grid of side 8", args, |rng| {
        let mut point = || DVec3::new(rng.grid(0, 7), rng.grid(0, 7), rng.grid(0, 7));
        let mut triangle = || [point(), point(), point()];
        (triangle(), triangle())
    });
    let bar = if ratio <= ALLOWED {
        Bar::Met
    } else {
        Bar::Missed
    };
    println!(
        "\nbar: exact test ≤ {ALLOWED}× the faster plain test on the first workload: {ratio:.2}× {}",
        if bar == Bar::Met { "met" } else { "missed" }
    );
    Ok(bar)
}

/// Prints a row and returns the ratio of the exact test to the faster plain one.
fn measure(name: &str, args: &Args, mut draw: impl FnMut(&mut Rng) -> Pair) -> f64 {
    let mut rng = Rng::new(args.seed);
    let pairs: Vec<Pair> = (0..args.pairs).map(|_| draw(&mut rng)).collect();
    // Every round passes over all blocks, so that no branch predictor learns a block by heart.
    let blocks: Vec<&[Pair]> = pairs.chunks(BLOCK).collect();
    let mut times = [(); 3].map(|()| vec![Vec::<f64>::new(); blocks.len()]);
    for round in 0..args.rounds {
        for (index, block) in blocks.iter().enumerate() {
            // Into the cache first; and no test is always the one that follows another.
            black_box(
                block
                    .iter()
                    .fold(DVec3::ZERO, |sum, (a, b)| sum + a[0] + b[2]),
            );
            for i in 0..3 {
                let test = (i + round) % 3;
                times[test][index].push(match test {
                    0 => time(block, moller_with_divisions),
                    1 => time(block, moller_without_divisions),
                    _ => time(block, triangles_intersect),
                });
            }
        }
    }
    let sums = times.map(|blocks| blocks.into_iter().map(median).sum::<f64>());
    let [plain, no_division, exact] = sums.map(|sum| sum / pairs.len() as f64);
    let share = |holds: &dyn Fn(&Pair) -> bool| {
        100.0 * pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len() as f64
    };
    let ratio = exact / plain.min(no_division);
    println!(
        "{name:<34} {:>7.1} % {plain:>9.2} {no_division:>9.2} {exact:>9.2} {ratio:>8.2} {:>10.4} % {:>8.4} %",
        share(&|(a, b)| triangles_intersect(a, b)),
        share(&|(a, b)| certified_contact(a, b).is_none()),
        share(&|(a, b)| triangles_intersect(a, b) != moller_with_divisions(a, b)),
    );
    ratio
}

/// Nanoseconds for one pass; the test is inlined into a loop of its own, as it would be into a traversal.
#[inline(never)]
fn time(pairs: &[Pair], test: impl Fn(&Triangle, &Triangle) -> bool) -> f64 {
    let start = Instant::now();
    let mut met = 0_usize;
    for (a, b) in black_box(pairs) {
        met += usize::from(test(a, b));
    }
    black_box(met);
    start.elapsed().as_secs_f64() * 1e9
}

/// An equilateral triangle with edges of length one, turned at random about its centroid.
fn unit_triangle(rng: &mut Rng, center: DVec3) -> Triangle {
    let x = rng.direction();
    let y = x.cross(rng.direction()).normalize_or(DVec3::Y);
    let (long, short) = (1.0 / 3_f64.sqrt(), 0.5 / 3_f64.sqrt());
    [
        center + x * long,
        center - x * short + y * 0.5,
        center - x * short - y * 0.5,
    ]
}

/// A triangle within `thickness` of an oblique plane, or in a plane along two axes when that is zero.
fn flat_triangle(rng: &mut Rng, thickness: f64) -> Triangle {
    [(); 3].map(|()| {
        let p = rng.cube();
        if thickness > 0.0 {
            DVec3::new(p.x, p.y, 0.3 * p.x + 0.7 * p.y + thickness * p.z)
        } else {
            DVec3::new(p.x, p.y, 0.25)
        }
    })
}

/// The part that both forms share: `None` when a plane separates, else the line's axis and the distances.
struct PlaneTests {
    /// Distances of a's vertices to b's plane, and of b's to a's.
    distances_a: [f64; 3],
    distances_b: [f64; 3],
    /// Coordinates along the dominant axis of the common line.
    along_a: [f64; 3],
    along_b: [f64; 3],
    normal_a: DVec3,
}

#[inline(always)]
fn plane_tests(a: &Triangle, b: &Triangle) -> Option<PlaneTests> {
    let normal_b = (b[1] - b[0]).cross(b[2] - b[0]);
    let offset_b = normal_b.dot(b[0]);
    let distances_a = a.map(|p| normal_b.dot(p) - offset_b);
    if distances_a[0] * distances_a[1] > 0.0 && distances_a[0] * distances_a[2] > 0.0 {
        return None;
    }
    let normal_a = (a[1] - a[0]).cross(a[2] - a[0]);
    let offset_a = normal_a.dot(a[0]);
    let distances_b = b.map(|p| normal_a.dot(p) - offset_a);
    if distances_b[0] * distances_b[1] > 0.0 && distances_b[0] * distances_b[2] > 0.0 {
        return None;
    }
    let line = normal_a.cross(normal_b).abs();
    let (along_a, along_b) = if line.x >= line.y && line.x >= line.z {
        (a.map(|p| p.x), b.map(|p| p.x))
    } else if line.y >= line.z {
        (a.map(|p| p.y), b.map(|p| p.y))
    } else {
        (a.map(|p| p.z), b.map(|p| p.z))
    };
    Some(PlaneTests {
        distances_a,
        distances_b,
        along_a,
        along_b,
        normal_a,
    })
}

/// The vertex alone on its side and the other two; `None` when all lie in the plane.
#[inline(always)]
fn alone([d0, d1, d2]: [f64; 3]) -> Option<[usize; 3]> {
    if d0 * d1 > 0.0 {
        Some([2, 0, 1])
    } else if d0 * d2 > 0.0 {
        Some([1, 0, 2])
    } else if d1 * d2 > 0.0 || d0 != 0.0 {
        Some([0, 1, 2])
    } else if d1 != 0.0 {
        Some([1, 0, 2])
    } else if d2 != 0.0 {
        Some([2, 0, 1])
    } else {
        None
    }
}

#[inline(always)]
fn moller_with_divisions(a: &Triangle, b: &Triangle) -> bool {
    let Some(tests) = plane_tests(a, b) else {
        return false;
    };
    let interval = |x: [f64; 3], d: [f64; 3]| {
        let [i, j, k] = alone(d)?;
        let first = x[i] + (x[j] - x[i]) * d[i] / (d[i] - d[j]);
        let second = x[i] + (x[k] - x[i]) * d[i] / (d[i] - d[k]);
        Some(if first <= second {
            (first, second)
        } else {
            (second, first)
        })
    };
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (
        interval(tests.along_a, tests.distances_a),
        interval(tests.along_b, tests.distances_b),
    ) else {
        return coplanar_meet(tests.normal_a, a, b);
    };
    a_low <= b_high && b_low <= a_high
}

#[inline(always)]
fn moller_without_divisions(a: &Triangle, b: &Triangle) -> bool {
    let Some(tests) = plane_tests(a, b) else {
        return false;
    };
    // Each interval as `base + [first, second] / (denominators)`, brought to a common denominator.
    let interval = |x: [f64; 3], d: [f64; 3]| {
        let [i, j, k] = alone(d)?;
        Some((
            x[i],
            (x[j] - x[i]) * d[i],
            (x[k] - x[i]) * d[i],
            d[i] - d[j],
            d[i] - d[k],
        ))
    };
    let (Some((a_base, a1, a2, a_den1, a_den2)), Some((b_base, b1, b2, b_den1, b_den2))) = (
        interval(tests.along_a, tests.distances_a),
        interval(tests.along_b, tests.distances_b),
    ) else {
        return coplanar_meet(tests.normal_a, a, b);
    };
    let (a_den, b_den) = (a_den1 * a_den2, b_den1 * b_den2);
    let all = a_den * b_den;
    let a_first = a_base * all + a1 * a_den2 * b_den;
    let a_second = a_base * all + a2 * a_den1 * b_den;
    let b_first = b_base * all + b1 * b_den2 * a_den;
    let b_second = b_base * all + b2 * b_den1 * a_den;
    let sorted = |x: f64, y: f64| if x <= y { (x, y) } else { (y, x) };
    let ((a_low, a_high), (b_low, b_high)) = (sorted(a_first, a_second), sorted(b_first, b_second));
    a_low <= b_high && b_low <= a_high
}

#[cold]
#[inline(never)]
fn coplanar_meet(normal: DVec3, a: &Triangle, b: &Triangle) -> bool {
    let n = normal.abs();
    let flat = |p: DVec3| {
        if n.x >= n.y && n.x >= n.z {
            (p.y, p.z)
        } else if n.y >= n.z {
            (p.z, p.x)
        } else {
            (p.x, p.y)
        }
    };
    let (a, b) = (a.map(flat), b.map(flat));
    type Point = (f64, f64);
    let side = |p: Point, q: Point, r: Point| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    let edges_cross = (0..3).any(|i| {
        let (p, q) = (a[i], a[(i + 1) % 3]);
        (0..3).any(|j| {
            let (r, s) = (b[j], b[(j + 1) % 3]);
            side(p, q, r) * side(p, q, s) <= 0.0 && side(r, s, p) * side(r, s, q) <= 0.0
        })
    });
    let contains = |t: &[Point; 3], p: Point| {
        let s = [
            side(t[0], t[1], p),
            side(t[1], t[2], p),
            side(t[2], t[0], p),
        ];
        s.iter().all(|&x| x >= 0.0) || s.iter().all(|&x| x <= 0.0)
    };
    edges_cross || contains(&a, b[0]) || contains(&b, a[0])
}
