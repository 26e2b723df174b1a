//! One step of a world: broad phase, narrow phase, events.

use std::sync::atomic::AtomicBool;

use super::body::Enclosure;
use super::events::WorldFrame;
use super::listener::{Listener, ListenerCallback, ListenerCommand, ListenerReply};
use super::pair_pass::{PairPass, join};
use super::pair_table::{PairTable, PairTest};
use super::shape_obb::widened;
use super::threads::{begin_sharing, while_threads_wake};
use super::world::World;
use crate::broad::{ObjectId, ObjectPair};

impl World {
    /// Tests everything that moved, reports the requested events, and calls the listeners.
    ///
    /// A pair is tested if it is near, an event is requested, and one of the two moved, was added,
    /// or its requested events changed. Changes by listeners take effect at the next step.
    pub fn step(&mut self) -> &WorldFrame {
        if let Some(control) = &mut self.control {
            control.start();
        }
        if let Some(clock) = &mut self.step_clock {
            clock.start();
        }
        // What moves at one step mostly moves at the next. See `PairEntry::expected_cost`.
        let expected = self.frame.stats.work + self.table.entries.len() as u64;
        let choice = &mut self.table.thread_choice;
        let threads = choice.threads(expected, self.config.serial);
        while_threads_wake(threads, |is_ready| self.advance(threads, is_ready));
        self.respond();
        self.ended(|times| &mut times.listeners);
        if let Some(control) = &mut self.control {
            control.finish();
        }
        &self.frame
    }

    fn advance(&mut self, threads: usize, is_ready: &AtomicBool) {
        self.frame.clear();
        self.frame.number += 1;
        let masks_changed = self.update_reach();
        if let Some(control) = &mut self.broad_control {
            control.start();
        }
        self.update_bounds();
        self.ended(|times| &mut times.bounds);
        self.update_pairs();
        self.ended(|times| &mut times.broad_phase);
        if let Some(control) = &mut self.broad_control {
            control.found();
        }
        begin_sharing(is_ready);
        self.examine(masks_changed, threads);
        let (pairs, bodies) = (self.frame.stats.near, self.objects.len() as u64);
        let control = self.broad_control.as_mut();
        if control.is_some_and(|control| control.tested(pairs, bodies)) {
            self.switch_broad_phase();
        }
        self.table.sweep();
        if self.keeps_poses {
            let poses = self.objects.iter();
            let poses = poses.map(|(id, object)| (id, object.body.world_from_body));
            self.frame.poses.extend(poses);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.stepped(&self.frame);
        }
        self.ended(|times| &mut times.narrow_phase);
    }

    /// Finds how far apart pairs can be that someone wants to hear of; whether any mask may have changed.
    fn update_reach(&mut self) -> bool {
        let versions = (self.interest.version(), self.listeners_version);
        if versions == self.resolved {
            return false;
        }
        self.resolved = versions;
        let filters = self.listeners.iter();
        let filters = filters.map(|listener| listener.as_ref().map(Listener::filter));
        self.filters.clear();
        self.filters.extend(filters);
        let listeners = self.listeners.iter().flatten();
        let distances = listeners.filter_map(|listener| listener.mask.distance());
        let reach = distances.fold(self.interest.reach(), f64::max);
        let reach = reach.max(self.config.margin());
        // Half for each of the two, and a little for rounding.
        let reach = reach * (0.5 + 4.0 * f64::EPSILON);
        if reach != self.reach {
            self.reach = reach;
            for (id, object) in self.objects.iter() {
                if let Some(bounds) = object.bounds.filter(|_| object.is_in_broad) {
                    // Known and valid, so it cannot be refused.
                    let wide = widened(&bounds, object.outline.as_ref(), reach);
                    let updated = self.broad.update(id, &wide);
                    debug_assert!(updated.is_ok(), "{updated:?}");
                }
            }
        }
        true
    }

    /// Gives everything that moved its new box.
    fn update_bounds(&mut self) {
        let mut moved = std::mem::take(&mut self.moved);
        moved.sort_unstable();
        let (objects, is_oriented) = (&self.objects, self.config.oriented_boxes);
        let boxes = self.config.boxes;
        let placed = |id: &ObjectId| {
            let object = objects.get(*id);
            object.map(|object| object.placed(is_oriented, boxes))
        };
        let mut places = std::mem::take(&mut self.placed);
        each_into(&moved, placed, self.config.serial, &mut places);
        let (ids, new_boxes) = &mut self.new_boxes;
        for (&id, placed) in moved.iter().zip(places.drain(..)) {
            let (Some(object), Some(placed)) = (self.objects.get_mut(id), placed) else {
                continue;
            };
            self.frame.stats.moved += 1;
            object.body_from_world = placed.body_from_world;
            object.bounds = placed.bounds;
            object.outline = placed.outline;
            object.tight = placed.tight;
            let own = placed.outline.as_ref();
            let wanted = placed.bounds.filter(|_| object.enclosed.is_none());
            let wide = wanted.map(|bounds| widened(&bounds, own, self.reach));
            let outcome = match (object.is_in_broad, wide) {
                // Plain boxes go in together.
                (true, Some(wide)) if !is_oriented => {
                    ids.push(id);
                    new_boxes.push(wide.aabb);
                    Ok(())
                }
                (true, Some(wide)) => self.broad.update(id, &wide),
                (false, Some(wide)) => self.broad.insert(id, &wide),
                (true, None) => self.broad.remove(id),
                (false, None) => Ok(()),
            };
            debug_assert!(outcome.is_ok(), "{outcome:?}");
            object.is_in_broad = wanted.is_some();
        }
        let outcome = self.broad.update_boxes(ids, new_boxes);
        debug_assert!(outcome.is_ok(), "{outcome:?}");
        ids.clear();
        new_boxes.clear();
        moved.clear();
        (self.moved, self.placed) = (moved, places);
    }

    fn update_pairs(&mut self) {
        let enclosed = self.enclosed_pairs();
        let changes = self.broad.changes();
        self.table.update(changes, enclosed.as_deref());
    }

    /// The pairs that are near because one of the two is enclosed, sorted; none when there is nothing to say about them.
    fn enclosed_pairs(&mut self) -> Option<Vec<ObjectPair>> {
        if self.enclosed.is_empty() && !self.had_enclosed {
            return None;
        }
        self.had_enclosed = !self.enclosed.is_empty();
        let mut pairs = Vec::new();
        for (&child, &parent) in &self.enclosed {
            pairs.push(ObjectPair::new(child, parent));
            let mode = self.objects.get(child).and_then(|object| object.enclosed);
            if !matches!(mode, Some((_, Enclosure::InheritPairs))) {
                continue;
            }
            for near in self.broad.pairs() {
                if near.a == parent {
                    pairs.push(ObjectPair::new(child, near.b));
                } else if near.b == parent {
                    pairs.push(ObjectPair::new(child, near.a));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    /// The narrow phase and its events.
    fn examine(&mut self, masks_changed: bool, threads: usize) {
        let accuracy = self.accuracy();
        if let Some(control) = &mut self.control {
            control.start_tests();
        }
        let pass = PairPass {
            test: PairTest {
                objects: &self.objects,
                config: &self.config,
                accuracy,
                step: self.frame.number,
            },
            interest: &self.interest,
            filters: &self.filters,
            masks_changed,
        };
        let PairTable {
            entries,
            reports,
            thread_choice,
            ..
        } = &mut self.table;
        let count = pass.run(entries, reports, threads, thread_choice);
        let reports = reports.get_mut(..count).unwrap_or_default();
        let wanted = join(reports, &mut self.frame, &mut self.deliveries);
        self.frame.accuracy = accuracy;
        let work = self.frame.stats.work;
        if let Some(control) = &mut self.control {
            control.finish_tests(wanted, work);
        }
        if let Some(recorder) = &mut self.recorder {
            for entry in self.table.entries.iter().filter(|entry| entry.was_resolved) {
                recorder.requested(entry.pair, entry.mask);
            }
        }
    }

    /// Calls the listeners, then does what they requested.
    fn respond(&mut self) {
        if self.deliveries.is_empty() {
            return;
        }
        let mut listeners = std::mem::take(&mut self.listeners);
        let mut commands = self.call_parallel(&listeners);
        let mut reply = ListenerReply {
            frame: &self.frame,
            objects: &self.objects,
            config: &self.config,
            table: Some(&mut self.table),
            commands: Vec::new(),
        };
        for &(event, number) in &self.deliveries {
            let event = self.frame.events.get(event as usize);
            let listener = listeners.get_mut(number as usize);
            if let (Some(event), Some(Some(listener))) = (event, listener)
                && let ListenerCallback::Serial(callback) = &mut listener.callback
            {
                callback(event, &mut reply);
            }
        }
        commands.append(&mut reply.commands);
        self.listeners = listeners;
        for command in commands {
            // What another listener removed is gone: that is no error.
            let _ = match command {
                ListenerCommand::SetPose(id, pose) => self.set_pose(id, pose),
                ListenerCommand::Remove(id) => self.remove(id),
                ListenerCommand::SetStatic(id, is_static) => self.set_static(id, is_static),
            };
        }
    }

    /// Calls the listeners that may run at once; gives their commands in the order of events.
    fn call_parallel(&self, listeners: &[Option<Listener>]) -> Vec<ListenerCommand> {
        let is_parallel =
            |listener: &Listener| matches!(listener.callback, ListenerCallback::Parallel(_));
        if !listeners.iter().flatten().any(is_parallel) {
            return Vec::new();
        }
        let called = |&(event, number): &(u32, u32)| {
            let listener = listeners.get(number as usize)?.as_ref()?;
            let ListenerCallback::Parallel(callback) = &listener.callback else {
                return None;
            };
            Some((self.frame.events.get(event as usize)?, &**callback))
        };
        let calls: Vec<_> = self.deliveries.iter().filter_map(called).collect();
        let (frame, objects, config) = (&self.frame, &self.objects, &self.config);
        let commands = for_each(
            &calls,
            |(event, callback)| {
                let mut reply = ListenerReply {
                    frame,
                    objects,
                    config,
                    table: None,
                    commands: Vec::new(),
                };
                callback(event, &mut reply);
                reply.commands
            },
            self.config.serial,
        );
        commands.into_iter().flatten().collect()
    }
}

/// Makes `values` those of each, in their order.
fn each_into<S: Sync, T: Send>(
    items: &[S],
    value: impl Fn(&S) -> T + Sync + Send,
    is_serial: bool,
    values: &mut Vec<T>,
) {
    #[cfg(feature = "parallel")]
    if !is_serial && items.len() >= MANY {
        use rayon::prelude::*;
        items.par_iter().map(value).collect_into_vec(values);
        return;
    }
    let _ = is_serial;
    values.clear();
    values.extend(items.iter().map(value));
}

/// A value for each, in their order.
fn for_each<S: Sync, T: Send>(
    items: &[S],
    value: impl Fn(&S) -> T + Sync,
    is_serial: bool,
) -> Vec<T> {
    #[cfg(feature = "parallel")]
    if !is_serial && items.len() >= MANY {
        use rayon::prelude::*;
        return items.par_iter().map(&value).collect();
    }
    let _ = is_serial;
    items.iter().map(value).collect()
}

/// From this many on, threads share them.
#[cfg(feature = "parallel")]
const MANY: usize = 256;
