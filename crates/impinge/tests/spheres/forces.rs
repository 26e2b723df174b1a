//! Forces of overlapping balls: closed forms, symmetry, continuity.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::f64::consts::PI;
use std::sync::Arc;

use impinge::bvh::wide::WideTree;
use impinge::geom::lens;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::spheres::{
    BallOverlap, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid,
    SolidBall,
};
use impinge::{DMat3, DVec3, Pose, TriMesh, generate};
use impinge_testkit::forces::{largest_change, watched};

use crate::packed::{self, one_ball, pose};

/// The tree alone.
fn packed(mesh: TriMesh, count: usize) -> InnerSphereTree {
    packed::packed(mesh, count).tree
}

/// The same with gaps measured.
fn counted(mesh: TriMesh, count: usize, resolution: u32) -> InnerSphereTree {
    packed::packed(mesh, count).with_gaps(resolution)
}

fn ask(a: &InnerSphereTree, b: &InnerSphereTree, pose: &Pose) -> BallOverlap {
    a.overlap(
        b,
        pose,
        Limits::default(),
        &mut InnerSphereTreeCache::default(),
    )
}

#[test]
fn two_balls_push_each_other_along_their_centres() {
    let (a, b) = (one_ball(1.0), one_ball(0.6));
    let mut rng = Rng::new(3);
    for k in 1..15 {
        let d = 0.4 + 0.08 * f64::from(k);
        let direction = rng.direction();
        let found = ask(&a, &b, &Pose::from_translation(direction * d).unwrap());
        // The published formula of the volume, and the disc in which the spheres meet.
        let (r, s) = (1.0, 0.6);
        let volume = PI
            * (r + s - d)
            * (r + s - d)
            * (d * d + 2.0 * d * s - 3.0 * s * s + 2.0 * d * r + 6.0 * r * s - 3.0 * r * r)
            / (12.0 * d);
        let x = (d * d + r * r - s * s) / (2.0 * d);
        let disc = PI * (r * r - x * x);
        if d >= 1.6 {
            assert_eq!(found.pairs, 0);
            continue;
        }
        assert!((found.expected - volume).abs() < 1e-12, "{d}");
        assert!(
            (found.gradient.translation + direction * disc).length() < 1e-12,
            "{d}"
        );
        assert!(found.gradient.rotation.length() < 1e-12);
        assert!(
            (found.cones.push.force - direction * volume).length() < 1e-12,
            "{d}"
        );
        assert!(found.cones.push.torque.length() < 1e-12);
        assert!(found.centroid.cross(direction).length() < 1e-12);
    }
}

#[test]
fn a_ball_pressed_into_a_wide_box_is_pushed_out_along_the_face() {
    let slab = generate::cuboid(DVec3::new(2.5, 2.5, 1.0), [1; 3]).unwrap();
    let wide = counted(slab.clone(), 3000, 24);
    let slab = packed(slab, 3000);
    // One ball fills it.
    let ball = packed(generate::icosphere(0.5, 12).unwrap(), 1);
    let round = counted(generate::icosphere(0.5, 12).unwrap(), 1, 16);
    for depth in [0.05, 0.1, 0.2, 0.3] {
        let at = DVec3::new(0.1, -0.07, 0.5 + 0.5 - depth);
        let found = ask(&slab, &ball, &Pose::from_translation(at).unwrap());
        let cap = PI / 3.0 * depth * depth * (3.0 * 0.5 - depth);
        assert!(found.lower <= cap, "{depth}");
        assert!(found.lower > 0.3 * cap, "{depth} {} {cap}", found.lower);
        for force in [
            -found.gradient.translation,
            found.cones.push.force,
            found.cones.published_on_b.force,
            -found.cones.published_on_a.force,
        ] {
            let tilt = force.angle_between(DVec3::Z);
            assert!(tilt < 0.2, "{depth}: {force} is {tilt} off");
        }
        // With gaps counted: the value within its bracket, which holds the cap of the polyhedron, and the force near the disc that the face cuts out.
        let counted = ask(&wide, &round, &Pose::from_translation(at).unwrap());
        let inner = PI / 3.0 * depth * depth * (3.0 * 0.5 - depth);
        let disc = PI * (2.0 * 0.5 * depth - depth * depth);
        assert!(
            counted.lower <= inner && 0.95 * inner <= counted.upper,
            "{depth}"
        );
        assert!(counted.lower <= counted.value && counted.value <= counted.upper);
        let force = -counted.value_gradient.translation;
        assert!(
            (force.z / disc - 1.0).abs() < 0.25,
            "{depth}: {force} {disc}"
        );
        assert!(
            force.truncate().length() < 0.2 * force.z,
            "{depth}: {force}"
        );
        // About the axis through the ball there is next to no torque.
        let about = found.cones.push.about(at);
        assert!(about.torque.z.abs() < 0.05 * found.cones.push.force.length() * 0.5);
    }
}

/// The shared volume of a slab on another has two derivatives there: none when it is lifted, the area of their faces when it is pressed down. Enlarged balls stick out of
/// both faces and tell something between the two; bare balls do not.
#[test]
fn counted_gaps_push_faces_that_only_touch_by_a_part_of_their_area() {
    let slab = |side: f64| generate::cuboid(DVec3::new(side, side, 0.5), [1; 3]).unwrap();
    let mut before = f64::INFINITY;
    for count in [500, 2000] {
        let (low, high) = (counted(slab(2.4), count, 24), counted(slab(2.0), count, 24));
        let beyond = |tree: &InnerSphereTree, up: f64| {
            let balls = tree.balls().iter().zip(tree.secondary());
            balls.fold(0.0_f64, |most, (ball, r)| {
                most.max(up * ball.center.z + r - 0.25)
            })
        };
        let sticks_out = beyond(&low, 1.0) + beyond(&high, -1.0);
        assert!(0.0 < sticks_out && sticks_out < before, "{sticks_out}");
        before = sticks_out;
        let lifted = |by: f64| {
            let at = DVec3::new(0.05, -0.03, 0.5 + by);
            ask(&low, &high, &Pose::from_translation(at).unwrap())
        };
        let across = |by: f64| -lifted(by).value_gradient.translation.z / 4.0;
        let touching = lifted(0.0);
        assert_eq!((touching.lower, touching.pairs), (0.0, 0));
        assert_eq!(touching.gradient.translation, DVec3::ZERO);
        let (none, pressed) = (across(0.0), across(-sticks_out));
        assert!((0.01..0.6).contains(&none), "{none}");
        assert!(across(sticks_out).abs() < 1e-12);
        assert!((none + 0.2..1.5).contains(&pressed), "{none}, {pressed}");
    }
}

#[test]
fn action_is_reaction_and_sides_may_be_swapped() {
    let a = packed(generate::blob(8).unwrap(), 300);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 300);
    let mut rng = Rng::new(17);
    for case in 0..60 {
        let a_from_b = pose(&mut rng, 0.03 * f64::from(case));
        let found = ask(&a, &b, &a_from_b);
        let swapped = ask(&b, &a, &a_from_b.inverse());
        assert_eq!(found.pairs, swapped.pairs);
        let scale = found.lower.max(1e-9);
        // The force on b, seen from both sides, in the frame of a.
        let back = a_from_b.transform_vector(swapped.cones.push.force);
        assert!(
            (found.cones.push.force + back).length() <= 1e-9 * scale,
            "case {case}"
        );
        let published = a_from_b.transform_vector(swapped.cones.published_on_a.force);
        assert!((found.cones.published_on_b.force - published).length() <= 1e-9 * scale);
        // Torques about the same point, the origin of b.
        let origin = a_from_b.translation();
        let here = found.cones.push.about(origin).torque;
        let there = a_from_b.transform_vector(swapped.cones.push.torque);
        assert!((here + there).length() <= 1e-9 * scale, "case {case}");
        assert_eq!(found.cones.push.reversed().force, -found.cones.push.force);
    }
}

#[test]
fn a_mirrored_scene_has_mirrored_forces() {
    let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let balls = |tree: &InnerSphereTree| -> Vec<SolidBall> {
        let own = tree.balls().iter();
        own.map(|b| SolidBall {
            center: mirror(b.center),
            ..*b
        })
        .collect()
    };
    let mesh = |mesh: &TriMesh| {
        let positions = mesh.positions().iter().map(|&p| mirror(p)).collect();
        let faces = mesh.faces().iter().map(|&[a, b, c]| [a, c, b]).collect();
        TriMesh::new(positions, faces).unwrap()
    };
    let (first, second) = (
        generate::blob(8).unwrap(),
        generate::torus(1.0, 0.3, 24, 12).unwrap(),
    );
    let (a, b) = (packed(first.clone(), 300), packed(second.clone(), 300));
    let reflect = |tree: &InnerSphereTree, solid: &TriMesh| {
        let index = WideTree::new(Arc::new(mesh(solid)));
        let solid = MeshSolid::new(&index).unwrap();
        InnerSphereTree::new(&balls(tree), &InnerSphereTreeOptions::default())
            .unwrap()
            .with_surface(&solid)
    };
    let (mirrored_a, mirrored_b) = (reflect(&a, &first), reflect(&b, &second));
    let flip = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    let mut rng = Rng::new(23);
    for case in 0..40 {
        let a_from_b = pose(&mut rng, 0.04 * f64::from(case));
        let turned = flip * *a_from_b.rotation() * flip;
        let mirrored = Pose::new(turned, mirror(a_from_b.translation())).unwrap();
        let found = ask(&a, &b, &a_from_b);
        let other = ask(&mirrored_a, &mirrored_b, &mirrored);
        assert_eq!(found.pairs, other.pairs);
        let scale = 1e-9 * found.lower.max(1e-6);
        assert!((found.lower - other.lower).abs() <= scale);
        for (force, reflected) in [
            (found.gradient.translation, other.gradient.translation),
            (found.cones.push.force, other.cones.push.force),
            (
                found.cones.published_on_a.force,
                other.cones.published_on_a.force,
            ),
        ] {
            assert!(
                (mirror(force) - reflected).length() <= 1e3 * scale,
                "case {case}"
            );
        }
        // A torque is an axial vector: it keeps what the mirror turns round.
        let torque = -mirror(found.cones.push.torque);
        assert!(
            (torque - other.cones.push.torque).length() <= 1e3 * scale,
            "case {case}"
        );
    }
}

#[test]
fn the_gradient_is_that_of_the_lens_sum() {
    let a = packed(generate::blob(8).unwrap(), 300);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 300);
    let mut rng = Rng::new(29);
    for _ in 0..20 {
        let a_from_b = pose(&mut rng, 1.0);
        let found = ask(&a, &b, &a_from_b);
        let h = 1e-5;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let at = |t: f64| Pose::from_translation(axis * t).unwrap() * a_from_b;
            let slope = (ask(&a, &b, &at(h)).expected - ask(&a, &b, &at(-h)).expected) / (2.0 * h);
            assert!(
                (slope - found.gradient.translation.dot(axis)).abs() < 1e-5,
                "{slope}"
            );
            let turned = |t: f64| Pose::from_axis_angle(axis, t, DVec3::ZERO).unwrap() * a_from_b;
            let slope =
                (ask(&a, &b, &turned(h)).expected - ask(&a, &b, &turned(-h)).expected) / (2.0 * h);
            assert!(
                (slope - found.gradient.rotation.dot(axis)).abs() < 1e-5,
                "{slope}"
            );
        }
    }
}

/// The path of the tests below, and how far and by which angle it goes.
fn along(t: f64) -> Pose {
    Pose::from_axis_angle([0.2, 1.0, 0.4], ANGLE * t, [1.6 - 0.4 * t, 0.1 * t, 0.0]).unwrap()
}

const ANGLE: f64 = 0.3;
const WAY: f64 = 0.42;

/// The largest change of each force between neighbouring places of a path with so many steps.
fn jumps(a: &InnerSphereTree, b: &InnerSphereTree, steps: u32) -> [f64; 6] {
    let mut before: Option<[DVec3; 6]> = None;
    let mut most = [0.0_f64; 6];
    for step in 0..=steps {
        let now = watched(&ask(a, b, &along(f64::from(step) / f64::from(steps))));
        if let Some(before) = before {
            for ((most, now), before) in most.iter_mut().zip(now).zip(before) {
                *most = most.max((now - before).length());
            }
        }
        before = Some(now);
    }
    most
}

#[test]
fn forces_and_torques_have_no_jumps_along_a_path() {
    let a = counted(generate::blob(8).unwrap(), 1500, 20);
    let b = counted(generate::torus(1.0, 0.3, 24, 12).unwrap(), 1500, 20);
    // A continuous force changes half as much in half a step, at last; a jump stays as it is.
    let (coarse, fine) = (jumps(&a, &b, 200), jumps(&a, &b, 1600));
    for (k, (fine, coarse)) in fine.into_iter().zip(coarse).enumerate() {
        assert!(coarse > 0.0 && fine < 0.3 * coarse, "{k}: {fine} {coarse}");
    }
}

#[test]
fn no_force_or_torque_changes_by_more_than_the_lipschitz_estimate() {
    let a = counted(generate::blob(8).unwrap(), 800, 20);
    let b = counted(generate::torus(1.0, 0.3, 24, 12).unwrap(), 800, 20);
    const STEP: f64 = 1.0 / 1600.0;
    let mut closest = [0.0_f64; 6];
    for k in 0..60 {
        let t = f64::from(k) / 60.0;
        let (from, to) = (along(t), along(t + STEP));
        let before = watched(&ask(&a, &b, &from));
        let after = watched(&ask(&a, &b, &to));
        let most = largest_change(&a, &b, &from, WAY * STEP, ANGLE * STEP);
        for q in 0..6 {
            let change = (after[q] - before[q]).length();
            // Slopes are those of one place, and a step goes on from there.
            assert!(
                change <= 1.1 * most[q] + 1e-15,
                "{q} at {t}: {change} {}",
                most[q]
            );
            closest[q] = closest[q].max(change / most[q].max(1e-300));
        }
    }
    // An estimate that nothing comes near would hold for jumps as well.
    for (q, part) in closest.into_iter().enumerate() {
        assert!(part > 1e-3, "{q}: {part}");
    }
}

/// A force, and its torque about the origin.
type Wrench = [DVec3; 2];

/// What `overlap` sums, pair by pair, as the module pages say.
struct Plain {
    volume: f64,
    value: f64,
    moment: DVec3,
    gradient: Wrench,
    value_gradient: Wrench,
    push: Wrench,
    on_a: Wrench,
    on_b: Wrench,
    pairs: usize,
}

fn all_pairs(a: &InnerSphereTree, b: &InnerSphereTree, pose: &Pose) -> Plain {
    let zero = [DVec3::ZERO; 2];
    let mut sum = Plain {
        volume: 0.0,
        value: 0.0,
        moment: DVec3::ZERO,
        gradient: zero,
        value_gradient: zero,
        push: zero,
        on_a: zero,
        on_b: zero,
        pairs: 0,
    };
    let add = |sum: &mut Wrench, at: DVec3, force: DVec3| {
        sum[0] += force;
        sum[1] += at.cross(force);
    };
    let axis = |tree: &InnerSphereTree, i: usize| {
        let cone = tree.surfaces().get(i)?.cone;
        (cone.half_angle < 0.5 * PI && cone.axis != DVec3::ZERO).then_some(cone.axis)
    };
    let second = |tree: &InnerSphereTree, i: usize| {
        let own = tree.balls()[i].radius;
        tree.secondary().get(i).copied().unwrap_or(own)
    };
    for (i, x) in a.balls().iter().enumerate() {
        for (j, y) in b.balls().iter().enumerate() {
            let center = pose.transform_point(y.center);
            let larger = lens(x.center, second(a, i), center, second(b, j));
            sum.value += larger.volume;
            add(&mut sum.value_gradient, larger.centroid, larger.gradient);
            let own = lens(x.center, x.radius, center, y.radius);
            if own.volume <= 0.0 {
                continue;
            }
            sum.pairs += 1;
            sum.volume += own.volume;
            sum.moment += own.centroid * own.volume;
            add(&mut sum.gradient, own.centroid, own.gradient);
            let between = center - x.center;
            let line = between / between.length().max(0.25 * x.radius.min(y.radius));
            let out_of_a = axis(a, i).unwrap_or(line);
            let out_of_b = axis(b, j).map_or(-line, |axis| pose.transform_vector(axis));
            let apart = out_of_a - out_of_b;
            let push = apart / apart.length().max(0.5);
            add(&mut sum.push, own.centroid, push * own.volume);
            add(&mut sum.on_a, own.centroid, out_of_b * own.volume);
            add(&mut sum.on_b, own.centroid, out_of_a * own.volume);
        }
    }
    sum
}

#[test]
fn sums_are_those_of_all_pairs_with_and_without_surfaces_and_second_radii() {
    let scaled = |tree: &InnerSphereTree, by: f64, to: DVec3| {
        let scaled = tree.balls().iter().map(|ball| SolidBall {
            center: ball.center * by + to,
            radius: ball.radius * by,
        });
        let balls: Vec<SolidBall> = scaled.collect();
        InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap()
    };
    let a = packed(generate::blob(8).unwrap(), 300);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 300);
    let bare_a = scaled(&a, 1.0, DVec3::ZERO);
    let bare_b = scaled(&b, 1.0, DVec3::ZERO);
    let larger = |tree: &InnerSphereTree| {
        // Given in the order of the balls at first; larger for some, smaller for others.
        let mut radii = vec![0.0; tree.balls().len()];
        for (&i, ball) in tree.order().iter().zip(tree.balls()) {
            radii[i as usize] = ball.radius * (0.95 + 0.01 * f64::from(i % 20));
        }
        tree.clone().with_secondary(&radii).unwrap()
    };
    let far = DVec3::new(30.0, -20.0, 10.0);
    let scenes = [
        (bare_a.clone(), bare_b.clone(), 1.0, DVec3::ZERO),
        (a.clone(), b.clone(), 1.0, DVec3::ZERO),
        (a.clone(), larger(&bare_b), 1.0, DVec3::ZERO),
        (larger(&a), larger(&b), 1.0, DVec3::ZERO),
        (larger(&bare_a), larger(&bare_b), 1.0, DVec3::ZERO),
        // Of very different sizes, and away from the origin.
        (
            scaled(&bare_a, 1e-3, DVec3::ZERO),
            bare_b.clone(),
            0.3,
            DVec3::ZERO,
        ),
        (
            bare_a.clone(),
            scaled(&bare_b, 1e-4, DVec3::ZERO),
            0.3,
            DVec3::ZERO,
        ),
        (scaled(&bare_a, 1.0, far), bare_b.clone(), 1.0, far),
    ];
    let mut rng = Rng::new(41);
    let mut pairs = 0;
    for (scene, (a, b, range, to)) in scenes.iter().enumerate() {
        for case in 0..12 {
            let here = pose(&mut rng, range * 0.1 * f64::from(case));
            let pose = Pose::from_translation(*to).unwrap() * here;
            let (found, plain) = (ask(a, b, &pose), all_pairs(a, b, &pose));
            let name = format!("scene {scene} case {case}");
            assert_eq!(found.pairs, plain.pairs, "{name}");
            pairs += plain.pairs;
            let size = a.root().unwrap().radius.min(b.root().unwrap().radius);
            let least = 1e-6 * size * size * size;
            let reach = 1.0 + to.length();
            let close = |x: f64, y: f64, unit: f64| (x - y).abs() <= 1e-12 * unit.max(least);
            assert!(close(found.expected, plain.volume, plain.volume), "{name}");
            if !a.secondary().is_empty() || !b.secondary().is_empty() {
                let value = plain.value.max(found.lower).min(found.upper);
                assert!(close(found.value, value, plain.value), "{name}");
            }
            let near = |x: DVec3, y: DVec3, unit: f64| (x - y).length() <= 1e-11 * unit * reach;
            let volume = plain.volume.max(least);
            let moment = found.centroid * found.expected;
            assert!(near(moment, plain.moment, volume), "{name}");
            let slope = (volume / size).max(plain.gradient[0].length()) * 1e2;
            let gradient = [found.gradient.translation, found.gradient.rotation];
            let value_gradient = [
                found.value_gradient.translation,
                found.value_gradient.rotation,
            ];
            let cones = &found.cones;
            for k in 0..2 {
                let part = |w: &impinge::spheres::Wrench| [w.force, w.torque][k];
                assert!(near(gradient[k], plain.gradient[k], slope), "{name}");
                if !a.secondary().is_empty() || !b.secondary().is_empty() {
                    let plain = plain.value_gradient[k];
                    assert!(near(value_gradient[k], plain, slope), "{name}");
                }
                assert!(near(part(&cones.push), plain.push[k], volume), "{name}");
                let (on_a, on_b) = (part(&cones.published_on_a), part(&cones.published_on_b));
                assert!(near(on_a, plain.on_a[k], volume), "{name}");
                assert!(near(on_b, plain.on_b[k], volume), "{name}");
            }
        }
    }
    assert!(pairs > 5000, "{pairs}");
}
