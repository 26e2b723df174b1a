//! `convex-rs ENGINE SCENE`: convex pairs, and convex shapes against meshes, asked of parry, `parry` in single or `parry-f64` in double precision.
//! The protocol is described in `../PROTOCOL-CONVEX.md`.

use std::io::{BufRead, Write};
use std::time::Instant;

/// A shape as the scene has it.
enum Given {
    Hull(Vec<[f64; 3]>),
    Cuboid([f64; 3]),
    Capsule(f64, f64),
    Ball(f64),
    Mesh(Vec<[f64; 3]>, Vec<[u32; 3]>),
}

/// A question: its pair and the rows of the placement.
type Question = (usize, [f64; 12]);

struct Scene {
    shapes: Vec<Given>,
    pairs: Vec<[usize; 2]>,
    questions: Vec<Question>,
}

/// Reads little-endian numbers.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn eight(&mut self) -> [u8; 8] {
        let (head, rest) = self.0.split_at(8);
        self.0 = rest;
        head.try_into().unwrap()
    }
    fn count(&mut self) -> usize {
        u64::from_le_bytes(self.eight()) as usize
    }
    fn corners(&mut self) -> [u32; 3] {
        let (head, rest) = self.0.split_at(12);
        self.0 = rest;
        let corner = |k: usize| u32::from_le_bytes(head[4 * k..4 * k + 4].try_into().unwrap());
        [corner(0), corner(1), corner(2)]
    }
    fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.eight())
    }
    fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }
}

fn read(path: &str) -> Scene {
    let bytes = std::fs::read(path).unwrap();
    let mut bytes = Bytes(&bytes);
    let shape = |bytes: &mut Bytes<'_>| {
        let (kind, vertices, faces) = (bytes.count(), bytes.count(), bytes.count());
        let points: Vec<[f64; 3]> = (0..vertices).map(|_| bytes.numbers()).collect();
        // It makes its own hull; only a mesh needs them.
        let faces: Vec<[u32; 3]> = (0..faces).map(|_| bytes.corners()).collect();
        match kind {
            1 => Given::Cuboid(bytes.numbers()),
            2 => {
                let [half, radius] = bytes.numbers();
                Given::Capsule(half, radius)
            }
            3 => Given::Ball(bytes.number()),
            4 => Given::Mesh(points, faces),
            _ => Given::Hull(points),
        }
    };
    let count = bytes.count();
    let shapes = (0..count).map(|_| shape(&mut bytes)).collect();
    let count = bytes.count();
    let pairs = (0..count).map(|_| [bytes.count(), bytes.count()]).collect();
    let count = bytes.count();
    let questions = (0..count)
        .map(|_| (bytes.count(), bytes.numbers()))
        .collect();
    Scene {
        shapes,
        pairs,
        questions,
    }
}

/// One engine for both precisions, because the two crates share no trait.
macro_rules! engine {
    ($name:ident, $parry:ident) => {
        mod $name {
            use $parry::math::{Matrix, Pose, Real, Rotation, Vector};
            use $parry::query;
            use $parry::shape::SharedShape;

            use super::{Given, Scene};

            pub struct Engine {
                shapes: Vec<SharedShape>,
                pairs: Vec<[usize; 2]>,
                questions: Vec<(usize, Pose)>,
            }

            fn vector(v: [f64; 3]) -> Vector {
                Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
            }

            impl Engine {
                pub fn new(scene: &Scene) -> Self {
                    let shape = |given: &Given| match given {
                        Given::Hull(points) => {
                            let points: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
                            SharedShape::convex_hull(&points).unwrap()
                        }
                        Given::Cuboid([x, y, z]) => {
                            SharedShape::cuboid(*x as Real, *y as Real, *z as Real)
                        }
                        Given::Capsule(half, radius) => {
                            SharedShape::capsule_z(*half as Real, *radius as Real)
                        }
                        Given::Ball(radius) => SharedShape::ball(*radius as Real),
                        Given::Mesh(points, faces) => {
                            let points = points.iter().map(|p| vector(*p)).collect();
                            SharedShape::trimesh(points, faces.clone()).unwrap()
                        }
                    };
                    let pose = |m: &[f64; 12]| {
                        let column = |k: usize| vector([m[k], m[4 + k], m[8 + k]]);
                        let turn = Matrix::from_cols(column(0), column(1), column(2));
                        Pose::from_parts(column(3), Rotation::from_mat3(&turn))
                    };
                    Self {
                        shapes: scene.shapes.iter().map(shape).collect(),
                        pairs: scene.pairs.clone(),
                        questions: scene.questions.iter().map(|(p, m)| (*p, pose(m))).collect(),
                    }
                }
            }

            impl super::Ask for Engine {
                fn intersects(&self) -> f64 {
                    let mut count = 0.0;
                    for (pair, pose) in &self.questions {
                        let [a, b] = self.pairs[*pair].map(|i| &*self.shapes[i]);
                        let found = query::intersection_test(&Pose::IDENTITY, a, pose, b);
                        count += f64::from(u8::from(found.unwrap().intersecting));
                    }
                    count
                }
                fn distance(&self) -> f64 {
                    let mut sum = 0.0;
                    for (pair, pose) in &self.questions {
                        let [a, b] = self.pairs[*pair].map(|i| &*self.shapes[i]);
                        let found = query::distance(&Pose::IDENTITY, a, pose, b);
                        sum += f64::from(found.unwrap().distance);
                    }
                    sum
                }
            }
        }
    };
}

engine!(single, parry3d);
engine!(double, parry3d_f64);

trait Ask {
    fn intersects(&self) -> f64;
    fn distance(&self) -> f64;
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (Some(name), Some(path)) = (args.get(1), args.get(2)) else {
        eprintln!("convex-rs ENGINE SCENE");
        std::process::exit(2);
    };
    let scene = read(path);
    let engine: Box<dyn Ask> = match name.as_str() {
        "parry" => Box::new(single::Engine::new(&scene)),
        "parry-f64" => Box::new(double::Engine::new(&scene)),
        _ => {
            eprintln!("no engine {name}");
            std::process::exit(2);
        }
    };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let start = Instant::now();
        let answer = match line.as_str() {
            "hello" => {
                writeln!(out, "engine {name}").unwrap();
                None
            }
            "ask intersects" => Some(engine.intersects()),
            "ask distance" => Some(engine.distance()),
            "quit" => break,
            _ => {
                writeln!(out, "unsupported").unwrap();
                None
            }
        };
        if let Some(value) = answer {
            writeln!(out, "answer {} {value:?}", start.elapsed().as_nanos()).unwrap();
        }
        out.flush().unwrap();
    }
}
