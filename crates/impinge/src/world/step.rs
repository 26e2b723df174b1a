//! One step of a world: broad phase, narrow phase, events.

use super::body::Enclosure;
use super::event_mask::EventMask;
use super::events::{Event, EventKind, WorldFrame};
use super::listener::{Listener, ListenerCallback, ListenerCommand, ListenerReply};
use super::pair_table::{PairEntry, PairTest};
use super::shape_obb::widened;
use super::world::World;
use crate::broad::{ObjectId, ObjectPair};

impl World {
    /// Looks at everything that moved, tells what is true of all pairs of interest, and calls the
    /// listeners.
    ///
    /// A pair is tested if it is near, someone wants to know, and one of the two moved, came, or is asked something
    /// else than before. What listeners change takes effect at the next step.
    pub fn step(&mut self) -> &WorldFrame {
        if let Some(control) = &mut self.control {
            control.start();
        }
        self.advance();
        self.respond();
        if let Some(control) = &mut self.control {
            control.finish();
        }
        &self.frame
    }

    fn advance(&mut self) {
        self.frame.clear();
        self.frame.number += 1;
        let masks_changed = self.update_reach();
        self.update_bounds();
        self.update_pairs();
        self.update_masks(masks_changed);
        self.examine();
        self.tell();
        self.table.sweep();
        if self.keeps_poses {
            let poses = self.objects.iter();
            let poses = poses.map(|(id, object)| (id, object.body.world_from_body));
            self.frame.poses.extend(poses);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.stepped(&self.frame);
        }
    }

    /// Finds how far apart pairs can be that someone wants to hear of; whether any mask may have changed.
    fn update_reach(&mut self) -> bool {
        let versions = (self.interest.version(), self.listeners_version);
        if versions == self.resolved {
            return false;
        }
        self.resolved = versions;
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
        let placed = |id: &ObjectId| {
            let object = objects.get(*id)?;
            let bounds = object.placed_bounds()?;
            let outline = is_oriented.then(|| object.placed_outline(&bounds));
            Some((bounds, outline.flatten()))
        };
        let mut boxes = std::mem::take(&mut self.placed);
        each_into(&moved, placed, self.config.serial, &mut boxes);
        for (&id, placed) in moved.iter().zip(boxes.drain(..)) {
            let Some(object) = self.objects.get_mut(id) else {
                continue;
            };
            self.frame.stats.moved += 1;
            object.bounds = placed.map(|(bounds, _)| bounds);
            object.outline = placed.and_then(|(_, outline)| outline);
            let wanted = placed.filter(|_| object.enclosed.is_none());
            let wide = wanted.map(|(bounds, own)| widened(&bounds, own.as_ref(), self.reach));
            let outcome = match (object.is_in_broad, wide) {
                (true, Some(wide)) => self.broad.update(id, &wide),
                (false, Some(wide)) => self.broad.insert(id, &wide),
                (true, None) => self.broad.remove(id),
                (false, None) => Ok(()),
            };
            debug_assert!(outcome.is_ok(), "{outcome:?}");
            object.is_in_broad = wanted.is_some();
        }
        moved.clear();
        (self.moved, self.placed) = (moved, boxes);
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

    /// Asks who is interested in new pairs, or in all of them.
    fn update_masks(&mut self, masks_changed: bool) {
        let Self {
            table,
            objects,
            interest,
            listeners,
            config,
            recorder,
            ..
        } = self;
        for entry in &mut table.entries {
            if entry.sources == 0 || !(masks_changed || entry.is_stale) {
                continue;
            }
            let ObjectPair { a, b } = entry.pair;
            let (Some(object_a), Some(object_b)) = (objects.get(a), objects.get(b)) else {
                continue;
            };
            let (body_a, body_b) = (&object_a.body, &object_b.body);
            entry.listeners.clear();
            let mut mask = EventMask::NOTHING;
            let set = interest.mask((a, body_a), (b, body_b));
            let is_ignored = set.is_some_and(|set| set.is_nothing());
            let is_fixed = body_a.is_static && body_b.is_static;
            if !is_ignored && !is_fixed {
                mask = set.unwrap_or(EventMask::NOTHING);
                for (number, listener) in listeners.iter().enumerate() {
                    if let Some(listener) = listener
                        && listener.filter.matches((a, body_a), (b, body_b))
                    {
                        mask = mask | listener.mask;
                        entry.listeners.push(number as u32);
                    }
                }
            }
            if config.boxes_only {
                mask = mask.of_boxes();
            }
            if let Some(recorder) = recorder {
                recorder.requested(entry.pair, mask);
            }
            entry.set_mask(mask);
        }
    }

    /// The narrow phase.
    fn examine(&mut self) {
        let accuracy = self.accuracy();
        if let Some(control) = &mut self.control {
            control.start_tests();
        }
        let with = PairTest {
            objects: &self.objects,
            config: &self.config,
            accuracy,
            step: self.frame.number,
        };
        self.table.examine(&with, !self.config.serial);
        let stats = &mut self.frame.stats;
        let mut wanted = 0;
        for entry in &self.table.entries {
            stats.near += 1;
            stats.interesting += u64::from(!entry.mask.is_nothing());
            stats.tested += u64::from(entry.was_tested);
            stats.touching += u64::from(entry.touches);
            stats.unsupported += u64::from(entry.is_unsupported);
            stats.work += entry.work;
            wanted += u64::from(entry.mask.needs_shapes() && entry.is_new);
        }
        self.frame.accuracy = accuracy;
        let work = stats.work;
        if let Some(control) = &mut self.control {
            control.finish_tests(wanted, work);
        }
    }

    /// Writes the events of all pairs, in order, and notes who is to be called for each.
    fn tell(&mut self) {
        let news_only = self.config.news_only;
        self.deliveries.clear();
        for entry in &mut self.table.entries {
            if entry.sources == 0 {
                entry.leave();
            }
            let first = self.frame.events.len();
            tell_pair(entry, &mut self.frame, news_only);
            for (place, event) in self.frame.events.iter().enumerate().skip(first) {
                let hears = |&&number: &&u32| {
                    let listener = self.listeners.get(number as usize);
                    matches!(listener, Some(Some(listener)) if listener.hears(event))
                };
                let called = entry.listeners.iter().filter(hears);
                self.deliveries
                    .extend(called.map(|&number| (place as u32, number)));
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

fn tell_pair(entry: &mut PairEntry, frame: &mut WorldFrame, news_only: bool) {
    let &mut PairEntry {
        pair,
        mask,
        is_new,
        accuracy,
        witness,
        meets,
        touches,
        told_meets,
        told_touches,
        ..
    } = entry;
    entry.told();
    let is_level_told = is_new || !news_only;
    let events = &mut frame.events;
    let mut tell = |kind: EventMask, is_so: bool, what: EventKind| {
        if is_so && mask.includes(kind) {
            events.push(Event {
                pair,
                is_new,
                accuracy,
                what,
            });
        }
    };
    tell(
        EventMask::OVERLAP_BEGIN,
        meets && !told_meets,
        EventKind::OverlapBegin,
    );
    tell(
        EventMask::CONTACT_BEGIN,
        touches && !told_touches,
        EventKind::ContactBegin { witness },
    );
    tell(
        EventMask::TOUCHING,
        touches && is_level_told,
        EventKind::Touching { witness },
    );
    if is_level_told && !entry.points.is_empty() {
        let first = frame.contact_points.len() as u32;
        frame.contact_points.extend_from_slice(&entry.points);
        let points = first..frame.contact_points.len() as u32;
        tell(EventMask::CONTACTS, true, EventKind::Contacts(points));
    }
    if let Some(separation) = entry.separation {
        tell(
            EventMask::NOTHING,
            is_level_told,
            EventKind::Closer(separation),
        );
    }
    tell(
        EventMask::CONTACT_END,
        !touches && told_touches,
        EventKind::ContactEnd,
    );
    tell(
        EventMask::OVERLAP_END,
        !meets && told_meets,
        EventKind::OverlapEnd,
    );
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
const MANY: usize = 64;
