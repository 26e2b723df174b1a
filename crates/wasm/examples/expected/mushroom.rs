use std::error::Error;

use impinge::deform::step::{ContactFeatures, StepOptions, StepQuery};
use impinge::deform::{Scene, SceneRequest, scene_engines};
use impinge::{DVec3, TriMesh};
use impinge_dynamics::soft::{ClothDesc, SoftBody, SoftConfig};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let raw = model("mushroom", 500)?;
    let raw = raw.tri_mesh();
    let width = raw.bounds().max.x - raw.bounds().min.x;
    let scaled = raw.positions().iter();
    let scaled = scaled.map(|p| DVec3::new(p.x / width, p.y / width, p.z / width));
    let mushroom = TriMesh::new(scaled.collect(), raw.faces().to_vec())?;
    let cloth = ClothDesc {
        cells: [10, 10],
        size: [1.75, 1.75],
        height: mushroom.bounds().max.z + 0.0625,
        ..ClothDesc::default()
    };
    let config = SoftConfig {
        thickness: 0.01,
        substeps: 2,
        ..SoftConfig::default()
    };
    let mut body = SoftBody::cloth(&cloth, config)?;
    body.add_obstacle(&mushroom)?;
    let rest = TriMesh::new(body.positions().to_vec(), body.faces().to_vec())?;
    let mut scene = Scene::new(&[rest, mushroom.clone()])?;
    let kind = scene_engines()
        .iter()
        .find(|kind| kind.name == "active-sweep");
    let mut engine = (kind.ok_or("there is no such engine")?.make)();
    let mut query = StepQuery::default();
    let mut numbers = Numbers::default();
    for _ in 0..6 {
        for _ in 0..3 {
            body.step(1.0 / 30.0)?;
        }
        let mut next: Vec<DVec3> = body.positions().to_vec();
        for place in &mut next {
            place.z -= 0.125;
        }
        next.extend(mushroom.positions());
        let hits = query.step(&scene, &next, &StepOptions::default())?;
        for impact in &hits.impacts {
            numbers.add(impact.when.lower);
        }
        for impact in &hits.impacts {
            let vertices = match impact.features {
                ContactFeatures::VertexFace { vertex, face } => {
                    let [a, b, c] = scene.faces()[face.index()];
                    [vertex.raw(), a, b, c]
                }
                ContactFeatures::EdgeEdge { a, b } => {
                    [a[0].raw(), a[1].raw(), b[0].raw(), b[1].raw()]
                }
            };
            for vertex in vertices {
                numbers.add(vertex.into());
            }
        }
        scene.advance(&next)?;
        let met = engine.pairs(&scene, &SceneRequest::default());
        for pair in &met.pairs {
            numbers.add(pair.a.raw().into()).add(pair.b.raw().into());
        }
        numbers.add(met.counters.exact_tests as f64);
    }
    Ok(numbers)
}
