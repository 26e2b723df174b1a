use std::error::Error;

use impinge::DVec3;
use impinge::deform::Scene;
use impinge::generate::moving_scene;
use impinge::kinetic::{Keyframes, Kinetic, Progress, SeparationList};

use crate::Numbers;

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let moving = moving_scene("curtain").ok_or("there is no such scene")?;
    let moving = moving.make(Some(300), 0)?;
    let meshes: Vec<_> = moving
        .parts()
        .iter()
        .map(|part| part.mesh.clone())
        .collect();
    let scene = Scene::new(&meshes)?;
    let of = |object: u32| -> Vec<[u32; 3]> {
        let each = scene.faces().iter().zip(scene.objects_of_faces());
        each.filter(|(_, owner)| **owner == object)
            .map(|(face, _)| *face)
            .collect()
    };
    let times = [0.0, 0.5, 1.0];
    let frames: Vec<Vec<DVec3>> = times.iter().map(|&t| moving.positions(t)).collect();
    let plan = Keyframes::new(&times, &frames)?;
    let mut list = SeparationList::between(&plan, &of(0), &of(1))?;
    let mut numbers = Numbers::default();
    for to in [0.25, 0.5, 0.75, 1.0] {
        while let Progress::Touched(contact) = list.advance(&plan, to)? {
            numbers.add(contact.lower);
        }
        numbers.count(list.len());
        let mut candidates: Vec<_> = list.meeting().collect();
        candidates.sort_unstable();
        for pair in candidates {
            numbers.add(pair.a.raw().into()).add(pair.b.raw().into());
        }
        let work = list.work();
        numbers
            .add(list.counts().events as f64)
            .add(work.overlaps as f64)
            .add(work.fathers_apart as f64)
            .add(work.leaves_apart as f64)
            .add(work.contacts as f64);
    }
    Ok(numbers)
}
