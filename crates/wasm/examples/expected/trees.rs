use std::error::Error;

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mesh = model("torus-knot", 1500)?;
    let tree = mesh.index();
    let mut numbers = Numbers::default();
    numbers.count(tree.depth());
    for depth in 0..3 {
        for corner in tree.boxes_at(depth).into_iter().flatten() {
            numbers.point(corner);
        }
    }
    numbers.count(tree.boxes_at(9).len() * 24);
    Ok(numbers)
}
