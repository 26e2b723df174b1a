use std::error::Error;

use impinge::DVec3;
use impinge::geom::Ray;

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mesh = model("torus-knot", 3000)?;
    let mut hits = Vec::new();
    let mut near = Numbers::default();
    for i in 0..64_u32 {
        let (column, row) = (f64::from(i % 8), f64::from(i / 8));
        let origin = DVec3::new(column * 0.875 - 3.0, row * 0.875 - 3.0, 6.0);
        let direction = DVec3::new(0.0625 * f64::from(i % 3), 0.03125 * f64::from(i % 5), -1.0);
        hits.push(mesh.cast_ray(&Ray::new(origin, direction)?));
        let p = DVec3::new(
            column * 0.75 - 2.75,
            row * 0.75 - 2.75,
            0.25 * f64::from(i % 4),
        );
        let found = mesh.closest_point(p)?.value.ok_or("an empty mesh")?;
        near.add(found.distance)
            .point(found.point)
            .add(found.face.raw().into());
        near.truth(mesh.contains(p)?);
    }
    let mut numbers = Numbers::default();
    for hit in &hits {
        numbers.add(hit.as_ref().map_or(f64::INFINITY, |hit| hit.t));
    }
    for hit in &hits {
        numbers.add(hit.as_ref().map_or(-1.0, |hit| hit.face.raw().into()));
    }
    for hit in &hits {
        numbers.point(hit.as_ref().map_or(DVec3::NAN, |hit| hit.point));
    }
    for hit in &hits {
        numbers.point(hit.as_ref().map_or(DVec3::NAN, |hit| hit.normal));
    }
    numbers.0.extend(near.0);
    Ok(numbers)
}
