use std::error::Error;

use impinge::Pose;
use impinge::query::Limits;
use impinge::spheres::{
    InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid, PackOptions, pack,
};

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let mesh = model("blob", 1000)?;
    let solid = MeshSolid::new(mesh.index())?;
    let options = PackOptions {
        count: Some(60),
        ..PackOptions::default()
    };
    let balls = pack(&solid, &options)?.balls;
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())?;
    let tree = tree.with_surface(&solid);
    let mut numbers = Numbers::default();
    for ball in &balls {
        numbers.point(ball.center);
    }
    for ball in &balls {
        numbers.add(ball.radius);
    }
    numbers.add(tree.root().ok_or("an empty tree")?.radius);
    let at = Pose::from_translation([0.5, 0.25, 0.125])?;
    let cache = &mut InnerSphereTreeCache::default();
    let all = tree.overlap(&tree, &at, Limits::default(), cache);
    numbers.add(all.value).add(all.lower).add(all.upper);
    let limits = Limits {
        max_tests: Some(200),
        ..Limits::default()
    };
    let few = tree.overlap(&tree, &at, limits, cache);
    numbers.add(few.lower).add(few.upper);
    Ok(numbers)
}
