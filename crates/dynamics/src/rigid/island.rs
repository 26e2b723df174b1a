//! Sleeping: islands of bodies in contact that have all been at rest for a while.

use super::body::Body;
use super::config::Sleep;
use super::solver::SolverContact;
use impinge::DVec3;

/// Puts islands to sleep, and wakes those that something awake touches.
pub(super) fn update(
    bodies: &mut [Option<Body>],
    contacts: &[SolverContact],
    sleep: Sleep,
    dt: f64,
) {
    for body in bodies.iter_mut().flatten() {
        let speed = body
            .velocity()
            .length()
            .max(body.angular_velocity().length());
        if body.asleep {
            continue;
        }
        body.still = if speed < sleep.speed {
            body.still + dt
        } else {
            0.0
        };
    }
    let mut parents: Vec<u32> = (0..bodies.len() as u32).collect();
    for contact in contacts {
        let [i, j] = contact.bodies;
        let both = has_mass(bodies, i) && has_mass(bodies, j);
        // A sleeper also belongs to what is just leaving it: its support may be taken away.
        if both && (contact.peak > 0.0 || sleeps(bodies, i) || sleeps(bodies, j)) {
            let (p, q) = (root(&mut parents, i), root(&mut parents, j));
            // The lower number is the root, whatever the order of contacts.
            if let Some(parent) = parents.get_mut(p.max(q) as usize) {
                *parent = p.min(q);
            }
        }
    }
    // An island is only as still as its liveliest body; a moving support keeps it awake.
    let mut stillness = vec![f64::INFINITY; bodies.len()];
    for index in 0..bodies.len() as u32 {
        let Some(Some(body)) = bodies.get(index as usize) else {
            continue;
        };
        if body.mass.is_some() {
            let still = if body.asleep { sleep.delay } else { body.still };
            lower(&mut stillness, root(&mut parents, index), still);
        }
    }
    for contact in contacts.iter().filter(|c| c.peak > 0.0) {
        for (one, other) in [(0, 1), (1, 0)] {
            let [index, support] = [contact.bodies[one], contact.bodies[other]];
            let moves = matches!(bodies.get(support as usize), Some(Some(body))
                if body.mass.is_none() && (body.momentum != DVec3::ZERO || body.spin != DVec3::ZERO));
            if moves && has_mass(bodies, index) {
                lower(&mut stillness, root(&mut parents, index), 0.0);
            }
        }
    }
    for index in 0..bodies.len() as u32 {
        let still = stillness
            .get(root(&mut parents, index) as usize)
            .copied()
            .unwrap_or(0.0);
        let Some(Some(body)) = bodies.get_mut(index as usize) else {
            continue;
        };
        if body.mass.is_none() {
            continue;
        }
        if still >= sleep.delay && still.is_finite() {
            body.asleep = true;
            body.momentum = DVec3::ZERO;
            body.spin = DVec3::ZERO;
        } else if body.asleep {
            body.wake();
        }
    }
}

fn has_mass(bodies: &[Option<Body>], index: u32) -> bool {
    matches!(bodies.get(index as usize), Some(Some(body)) if body.mass.is_some())
}

fn sleeps(bodies: &[Option<Body>], index: u32) -> bool {
    matches!(bodies.get(index as usize), Some(Some(body)) if body.asleep)
}

fn lower(values: &mut [f64], index: u32, to: f64) {
    if let Some(value) = values.get_mut(index as usize) {
        *value = value.min(to);
    }
}

fn root(parents: &mut [u32], mut index: u32) -> u32 {
    // Path halving.
    while let Some(&parent) = parents.get(index as usize)
        && parent != index
    {
        let above = parents.get(parent as usize).copied().unwrap_or(parent);
        if let Some(own) = parents.get_mut(index as usize) {
            *own = above;
        }
        index = above;
    }
    index
}
