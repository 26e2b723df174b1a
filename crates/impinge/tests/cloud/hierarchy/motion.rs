//! Trees that follow moving points, and saved ones.

use std::sync::Arc;

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge_testkit::generate::clouds::random_sphere;

use super::{moved, random_turn, tree, tree_of};

fn bytes_of(tree: &CloudTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.save(&mut bytes).unwrap();
    bytes
}

fn at_places(tree: &CloudTree, places: &[DVec3]) -> Arc<CloudSurface> {
    let mut surface = (**tree.surface()).clone();
    surface.relocate_all(places, None).unwrap();
    Arc::new(surface)
}

#[test]
fn a_refitted_tree_is_the_one_built_anew_where_points_divide_alike() {
    let points = random_sphere(3000, 31);
    let mut refitted = (*tree(&points)).clone();
    // Scaled by this all medians stay.
    let large: Vec<DVec3> = points.iter().map(|p| *p * 1.375).collect();
    let refit = refitted.refit(at_places(&refitted, &large)).unwrap();
    assert!(refit.nodes == refitted.nodes() && !refit.is_rebuilt);
    assert_eq!(bytes_of(&refitted), bytes_of(&tree(&large)));
    // There and back again.
    let refit = refitted.refit(at_places(&refitted, &points)).unwrap();
    assert!(!refit.is_rebuilt);
    assert_eq!(bytes_of(&refitted), bytes_of(&tree(&points)));
}

#[test]
fn a_dent_touches_few_nodes_and_answers_are_those_of_a_new_tree() {
    let points = random_sphere(4000, 32);
    let mut dented = points.clone();
    for p in dented.iter_mut().filter(|p| p.x > 0.95) {
        p.x = 1.9 - p.x;
    }
    let first = tree(&points);
    let mut refitted = (*first).clone();
    let refit = refitted.refit(at_places(&first, &dented)).unwrap();
    assert!(
        !refit.is_rebuilt && refit.nodes < refitted.nodes() / 5,
        "{refit:?}"
    );
    refitted.validate().unwrap();
    let fresh = tree(&dented);
    let options = CloudCollisionOptions::default();
    let refitted = Arc::new(refitted);
    let mut ours = CloudCollision::new(refitted.clone(), first.clone(), options);
    let mut theirs = CloudCollision::new(fresh, first, options);
    let mut rng = Rng::new(33);
    let mut differing = 0;
    for _ in 0..200 {
        let pose = moved(rng.direction() * rng.range(1.5, 2.2)) * random_turn(&mut rng);
        let (own, new) = (
            ours.at(&pose, Limits::default()),
            theirs.at(&pose, Limits::default()),
        );
        differing += u32::from(own.verdict.answer != new.verdict.answer);
    }
    // Poses at which the surfaces just touch depend on the random places of the leaf tests.
    assert!(differing <= 2, "{differing} of 200");
    // Points that trade places leave no division worth keeping.
    let mut shuffled = points.clone();
    shuffled.reverse();
    let mut torn = (*refitted).clone();
    let refit = torn.refit(at_places(&refitted, &shuffled)).unwrap();
    assert!(refit.is_rebuilt);
    assert_eq!(bytes_of(&torn), bytes_of(&tree(&shuffled)));
    // Another number of points is another cloud.
    let mut other = (*tree(&points[1..])).clone();
    assert!(other.refit(refitted.surface().clone()).is_err());
}

#[test]
fn saved_trees_come_back_and_damaged_ones_do_not() {
    let options = CloudTreeOptions {
        samples: SampleSize::Growth(12.0),
        cover: CoverDraw::Stratified { around: 5 },
        ..CloudTreeOptions::default()
    };
    let points = random_sphere(1200, 34);
    for options in [CloudTreeOptions::default(), options] {
        let saved = tree_of(&points, &options);
        let bytes = bytes_of(&saved);
        let loaded = CloudTree::load(saved.surface().clone(), &bytes).unwrap();
        assert_eq!(bytes_of(&loaded), bytes);
        assert_eq!(loaded.options(), saved.options());
        assert_eq!(loaded.sampling_radius(), saved.sampling_radius());
        for number in 0..saved.nodes() {
            let (own, old) = (loaded.node(number).unwrap(), saved.node(number).unwrap());
            assert!(own.border().eq(old.border()) && own.border_width() == old.border_width());
        }
        let query = CloudCollisionOptions::default();
        let loaded = Arc::new(loaded);
        let mut one = CloudCollision::new(saved.clone(), saved.clone(), query);
        let mut two = CloudCollision::new(loaded.clone(), loaded, query);
        let mut rng = Rng::new(35);
        for _ in 0..40 {
            let pose = moved(rng.direction() * rng.range(1.0, 2.2)) * random_turn(&mut rng);
            assert_eq!(
                one.at(&pose, Limits::default()),
                two.at(&pose, Limits::default())
            );
        }
        // No byte can change, none can be missing, and no other cloud is accepted.
        for at in (0..bytes.len()).step_by(37) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(
                CloudTree::load(saved.surface().clone(), &damaged).is_err(),
                "{at}"
            );
        }
        for end in [0, 7, 40, bytes.len() - 1] {
            assert!(CloudTree::load(saved.surface().clone(), &bytes[..end]).is_err());
        }
        let other = tree(&random_sphere(1200, 36)).surface().clone();
        assert!(CloudTree::load(other, &bytes).is_err());
    }
}
