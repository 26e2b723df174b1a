use std::error::Error;

use impinge::bvh::wide::{SingleTreeCache, WindingIndex};
use impinge::convex::Ball;
use impinge::pair::{PairConfig, Shape};
use impinge::query::Limits;
use impinge::wrap::{WrapOptions, wrap};
use impinge::{DVec3, Mesh, Pair, Pose, TriMesh};

use crate::{Numbers, model};

/// The same draw as the page's.
fn holed(mesh: &TriMesh, part: f64) -> Result<TriMesh, Box<dyn Error>> {
    let mut x = 7_u32;
    let mut drawn = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(x) / 4_294_967_296.0
    };
    let mut faces = mesh.faces().to_vec();
    faces.retain(|_| drawn() >= part);
    Ok(TriMesh::new(mesh.positions().to_vec(), faces)?)
}

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let dirty: Mesh = holed(model("blob", 800)?.tri_mesh(), 0.25)?.into();
    let mut numbers = Numbers::default();
    numbers
        .truth(dirty.is_closed())
        .count(dirty.tri_mesh().face_count());
    let index = WindingIndex::new(dirty.index());
    let mut cache = SingleTreeCache::default();
    for i in 0..64 {
        let place = [i % 4, i / 4 % 4, i / 16].map(|k| 0.75 * f64::from(k) - 1.125);
        let found = index.winding_number(DVec3::from(place), 1e-9, Limits::default(), &mut cache);
        numbers.add(found?.value);
    }
    let options = WrapOptions {
        gap: 0.25,
        ..WrapOptions::new(0.125)
    };
    let wrapped: Mesh = wrap(dirty.index(), &options)?.mesh.into();
    numbers.truth(wrapped.is_closed());
    for vertex in wrapped.tri_mesh().faces().as_flattened() {
        numbers.add((*vertex).into());
    }
    for &position in wrapped.tri_mesh().positions() {
        numbers.point(position);
    }
    let ball = Shape::from(Ball::new(0.125)?);
    for solid in [false, true] {
        let config = PairConfig {
            solid,
            ..PairConfig::default()
        };
        let mut pair = Pair::with_config(Shape::from(&wrapped), &ball, &config)?;
        for x in [0.125, 4.0] {
            numbers.truth(pair.intersects(&Pose::from_translation([x, 0.0, 0.0])?));
        }
    }
    Ok(numbers)
}
