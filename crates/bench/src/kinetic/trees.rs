//! Keeping trees of boxes right: by events, and by refitting.

use std::hint::black_box;
use std::time::Instant;

use impinge::DVec3;
use impinge::kinetic::{
    AutoMaintainedTree, IntervalTree, Keyframes, Kinetic, KineticAabbTree, KineticBoxTree,
    KineticDopTree, RefitTree,
};

use super::Animation;
use super::vector_refit::VectorRefit;
use crate::sample_statistics::median;

/// What one animation costs for each frame.
pub(super) struct TreeResult {
    pub(super) events: f64,
    updates: f64,
    refit_values: f64,
    /// Microseconds.
    kinetic_us: f64,
    refit_us: f64,
    vector_us: f64,
    interpolate_us: f64,
    lookup_us: f64,
    /// With the way of upkeep chosen.
    auto_us: f64,
    auto_way: String,
    /// What the chosen way costs by counts, in what the better of events and refits costs.
    pub(super) auto_counted: f64,
    build_ms: f64,
}

impl TreeResult {
    /// What a refit takes beside events.
    pub(super) fn refit_by_kinetic(&self) -> f64 {
        self.refit_us / self.kinetic_us
    }

    /// The same of the faster of the two refits.
    pub(super) fn best_refit_by_kinetic(&self) -> f64 {
        self.best_refit_us() / self.kinetic_us
    }

    /// What the chosen way takes beside the best one.
    pub(super) fn auto_by_best(&self) -> f64 {
        self.auto_us / self.best_us()
    }

    /// What the best of all ways takes, with the places interpolated as cheaply as is known where a way needs them.
    fn best_us(&self) -> f64 {
        let places_us = self.interpolate_us.min(self.lookup_us);
        self.kinetic_us.min(self.best_refit_us() + places_us)
    }

    /// What the faster of the two refits takes, the places being there.
    fn best_refit_us(&self) -> f64 {
        self.refit_us.min(self.vector_us)
    }

    pub(super) fn fewer_values(&self) -> f64 {
        self.refit_values / self.updates.max(1e-9)
    }

    pub(super) fn print(&self, animation: &Animation, between: usize, json: bool) {
        if json {
            println!(
                "{}",
                serde_json::json!({
                    "scene": animation.name, "faces": animation.faces.len(), "between": between,
                    "events": self.events, "updates": self.updates, "refit_values": self.refit_values,
                    "kinetic_us": self.kinetic_us, "refit_us": self.refit_us, "vector_refit_us": self.vector_us,
                    "interpolate_us": self.interpolate_us, "lookup_us": self.lookup_us, "auto_us": self.auto_us, "auto_way": self.auto_way, "auto_counted": self.auto_counted,
                    "build_ms": self.build_ms,
                })
            );
            return;
        }
        let [events, updates, values, kinetic, refit, vector] = self.work();
        println!(
            "  {between:>3} in-between: {events:>8.1} events {updates:>8.1} updates ({values:>8.0} by refit) | kinetic {kinetic:>8.2} µs, refit {refit:>8.1}, vector refit {vector:>8.1}, interpolation {:>7.1} | auto {:>8.1} ({}) | build {:.0} ms",
            self.interpolate_us, self.auto_us, self.auto_way, self.build_ms
        );
    }

    /// Events, updates, values of a refit; microseconds of events, of a refit and of a vector refit.
    fn work(&self) -> [f64; 6] {
        [
            self.events,
            self.updates,
            self.refit_values,
            self.kinetic_us,
            self.refit_us,
            self.vector_us,
        ]
    }

    /// One line of a sweep of sizes.
    pub(super) fn print_by_size(&self, animation: &Animation, between: usize, json: bool) {
        if json {
            self.print(animation, between, json);
            return;
        }
        let [events, updates, values, kinetic, refit, vector] = self.work();
        println!(
            "  {} faces, {between} frames a key: {events:.1} events and {updates:.1} updates a frame ({values:.0} by refit), {kinetic:.1} µs by events, {refit:.1} µs by refit, {vector:.1} µs by vector refit, build {:.0} ms",
            animation.faces.len(),
            self.build_ms
        );
    }
}

pub(super) fn flight(animation: &Animation) -> anyhow::Result<Keyframes> {
    let times: Vec<f64> = (0..animation.frames.len()).map(|k| k as f64).collect();
    Ok(Keyframes::new(&times, &animation.frames)?)
}

/// The places at a frame, from two neighbouring keys in plain arrays: as cheap as it can be.
pub(super) fn interpolate(frames: &[Vec<DVec3>], time: f64, places: &mut Vec<DVec3>) {
    let key = (time as usize).min(frames.len() - 2);
    let part = time - key as f64;
    places.clear();
    let pairs = frames[key].iter().zip(&frames[key + 1]);
    places.extend(pairs.map(|(&p, &q)| p + (q - p) * part));
}

pub(super) fn measure(
    animation: &Animation,
    between: usize,
    rounds: usize,
) -> anyhow::Result<TreeResult> {
    let flight = flight(animation)?;
    let start = Instant::now();
    let fresh = KineticAabbTree::new(&flight, &animation.faces)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut refit = RefitTree::new(&flight, &animation.faces)?;
    let mut vector = VectorRefit::new(&refit, &animation.faces, flight.vertex_count());
    let count = (animation.frames.len() - 1) * between;
    let time = |frame: usize| frame as f64 / between as f64;
    let (mut places, mut looked_up) = (Vec::new(), Vec::new());
    let mut times: [Vec<f64>; 6] = Default::default();
    let fresh_auto = AutoMaintainedTree::new(&flight, &animation.faces)?;
    let mut auto_way = String::new();
    let mut cost = fresh_auto.cost();
    let mut counts = fresh.counts();
    let refit_before = refit.counts().updates;
    interpolate(&animation.frames, 0.0, &mut places);
    refit.refit(&places)?;
    let refit_values = (refit.counts().updates - refit_before) as f64;
    // A refit costs the same at every frame: a hundred of them are enough.
    let sampled = count.min(100);
    for _ in 0..rounds.max(1) {
        let mut tree = fresh.clone();
        let start = Instant::now();
        for frame in 1..=count {
            tree.advance(&flight, time(frame))?;
        }
        times[0].push(start.elapsed().as_secs_f64() / count as f64);
        counts = tree.counts();
        let mut auto = fresh_auto.clone();
        let start = Instant::now();
        for frame in 1..=count {
            auto.advance(&flight, time(frame))?;
        }
        times[4].push(start.elapsed().as_secs_f64() / count as f64);
        auto_way = auto.reason().to_string();
        cost = auto.cost();
        let mut spent = [0.0; 3];
        let mut lookup = 0.0;
        for k in 1..=sampled {
            let at = time(count * k / sampled);
            let start = Instant::now();
            interpolate(&animation.frames, at, &mut places);
            spent[0] += start.elapsed().as_secs_f64();
            let start = Instant::now();
            flight.positions(at, &mut looked_up);
            lookup += start.elapsed().as_secs_f64();
            let start = Instant::now();
            refit.refit(black_box(&places))?;
            spent[1] += start.elapsed().as_secs_f64();
            let start = Instant::now();
            vector.refit(black_box(&places));
            black_box(vector.root());
            spent[2] += start.elapsed().as_secs_f64();
        }
        times[5].push(lookup / sampled as f64);
        for (list, spent) in times[1..4].iter_mut().zip(spent) {
            list.push(spent / sampled as f64);
        }
    }
    let [kinetic, interpolation, refit, vector, auto, lookup] =
        times.map(|mut t| 1e6 * median(&mut t));
    Ok(TreeResult {
        events: counts.events as f64 / count as f64,
        updates: counts.updates as f64 / count as f64,
        refit_values,
        kinetic_us: kinetic,
        refit_us: refit,
        vector_us: vector,
        interpolate_us: interpolation,
        lookup_us: lookup,
        auto_us: auto,
        auto_way,
        auto_counted: {
            let events = (counts.events - fresh.counts().events) as f64;
            let better = cost.by_refit.min(events * cost.event);
            // Where nothing happens, an event more or less is none.
            cost.spent.max(cost.event) / better.max(cost.event)
        },
        build_ms,
    })
}

/// The other kinetic trees, once each.
pub(super) fn others(animation: &Animation, between: usize, json: bool) -> anyhow::Result<()> {
    let flight = flight(animation)?;
    let faces = &animation.faces;
    // The median edge, as a measure for the radius of inflated vertices.
    let mut edges: Vec<f64> = faces
        .iter()
        .map(|f| {
            let [a, b] = [f[0], f[1]].map(|v| animation.frames[0][v as usize]);
            a.distance(b)
        })
        .collect();
    let radius = 0.5 * median(&mut edges);
    let count = (animation.frames.len() - 1) * between;
    let mut trees: Vec<Box<dyn Kinetic>> = vec![
        Box::new(KineticAabbTree::new(&flight, faces)?),
        Box::new(KineticBoxTree::new(&flight, faces)?),
        Box::new(KineticDopTree::new(&flight, faces)?),
        Box::new(IntervalTree::new(&flight, faces, radius)?),
    ];
    for tree in &mut trees {
        let start = Instant::now();
        for frame in 1..=count {
            tree.advance(&flight, frame as f64 / between as f64)?;
        }
        let us = 1e6 * start.elapsed().as_secs_f64() / count as f64;
        let counts = tree.counts();
        let [events, updates] = [counts.events, counts.updates].map(|n| n as f64 / count as f64);
        if json {
            println!(
                "{}",
                serde_json::json!({
                    "scene": animation.name, "tree": tree.name(), "between": between,
                    "events": events, "updates": updates, "us": us,
                })
            );
        } else {
            println!(
                "  {:<22} {events:>9.1} events {updates:>9.1} updates {us:>10.2} µs for each frame",
                tree.name()
            );
        }
    }
    Ok(())
}
