//! One step: from what moved to what is told.

use super::body::Enclosure;
use super::contacts::{Entry, Examination};
use super::event::{Event, Frame, What};
use super::listener::{Callback, Command, Listener, Reply};
use super::oriented::widened;
use super::wish::Wish;
use super::world::World;
use crate::broad::{ObjectId, Pair};

impl World {
    /// Looks at everything that moved, tells what is true of all pairs that someone is interested in, and calls the
    /// listeners.
    ///
    /// A pair is tested if it is near, someone wants to know, and one of the two moved, came, or is asked something
    /// else than before. What listeners change takes effect at the next step.
    pub fn step(&mut self) -> &Frame {
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
        let is_rewished = self.update_reach();
        self.update_bounds();
        self.update_pairs();
        self.update_wishes(is_rewished);
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

    /// Finds how far apart pairs can be that someone wants to hear of; whether any wish may have changed.
    fn update_reach(&mut self) -> bool {
        let versions = (self.interest.version(), self.listeners_version);
        if versions == self.resolved {
            return false;
        }
        self.resolved = versions;
        let listeners = self.listeners.iter().flatten();
        let distances = listeners.filter_map(|listener| listener.wish.distance());
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
    fn enclosed_pairs(&mut self) -> Option<Vec<Pair>> {
        if self.enclosed.is_empty() && !self.had_enclosed {
            return None;
        }
        self.had_enclosed = !self.enclosed.is_empty();
        let mut pairs = Vec::new();
        for (&child, &parent) in &self.enclosed {
            pairs.push(Pair::new(child, parent));
            let mode = self.objects.get(child).and_then(|object| object.enclosed);
            if !matches!(mode, Some((_, Enclosure::InheritPairs))) {
                continue;
            }
            for near in self.broad.pairs() {
                if near.a == parent {
                    pairs.push(Pair::new(child, near.b));
                } else if near.b == parent {
                    pairs.push(Pair::new(child, near.a));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    /// Asks who is interested in new pairs, or in all of them.
    fn update_wishes(&mut self, is_rewished: bool) {
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
            if entry.sources == 0 || !(is_rewished || entry.is_stale) {
                continue;
            }
            let Pair { a, b } = entry.pair;
            let (Some(object_a), Some(object_b)) = (objects.get(a), objects.get(b)) else {
                continue;
            };
            let (body_a, body_b) = (&object_a.body, &object_b.body);
            entry.listeners.clear();
            let mut wish = Wish::NOTHING;
            let set = interest.wish((a, body_a), (b, body_b));
            let is_ignored = set.is_some_and(|set| set.is_nothing());
            let is_fixed = body_a.is_static && body_b.is_static;
            if !is_ignored && !is_fixed {
                wish = set.unwrap_or(Wish::NOTHING);
                for (number, listener) in listeners.iter().enumerate() {
                    if let Some(listener) = listener
                        && listener.filter.matches((a, body_a), (b, body_b))
                    {
                        wish = wish | listener.wish;
                        entry.listeners.push(number as u32);
                    }
                }
            }
            if config.boxes_only {
                wish = wish.of_boxes();
            }
            if let Some(recorder) = recorder {
                recorder.wished(entry.pair, wish);
            }
            entry.set_wish(wish);
        }
    }

    /// The narrow phase.
    fn examine(&mut self) {
        let accuracy = self.accuracy();
        if let Some(control) = &mut self.control {
            control.start_tests();
        }
        let with = Examination {
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
            stats.interesting += u64::from(!entry.wish.is_nothing());
            stats.tested += u64::from(entry.was_tested);
            stats.touching += u64::from(entry.touches);
            stats.unsupported += u64::from(entry.is_unsupported);
            stats.work += entry.work;
            wanted += u64::from(entry.wish.needs_shapes() && entry.is_new);
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

    /// Calls the listeners, then does what they asked for.
    fn respond(&mut self) {
        if self.deliveries.is_empty() {
            return;
        }
        let mut listeners = std::mem::take(&mut self.listeners);
        let mut commands = self.call_parallel(&listeners);
        let mut reply = Reply {
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
                && let Callback::Serial(callback) = &mut listener.callback
            {
                callback(event, &mut reply);
            }
        }
        commands.append(&mut reply.commands);
        self.listeners = listeners;
        for command in commands {
            // What another listener removed is gone: that is no error.
            let _ = match command {
                Command::SetPose(id, pose) => self.set_pose(id, pose),
                Command::Remove(id) => self.remove(id),
                Command::SetStatic(id, is_static) => self.set_static(id, is_static),
            };
        }
    }

    /// Calls the listeners that may run at once; gives their commands in the order of events.
    fn call_parallel(&self, listeners: &[Option<Listener>]) -> Vec<Command> {
        let is_parallel = |listener: &Listener| matches!(listener.callback, Callback::Parallel(_));
        if !listeners.iter().flatten().any(is_parallel) {
            return Vec::new();
        }
        let called = |&(event, number): &(u32, u32)| {
            let listener = listeners.get(number as usize)?.as_ref()?;
            let Callback::Parallel(callback) = &listener.callback else {
                return None;
            };
            Some((self.frame.events.get(event as usize)?, &**callback))
        };
        let calls: Vec<_> = self.deliveries.iter().filter_map(called).collect();
        let (frame, objects, config) = (&self.frame, &self.objects, &self.config);
        let commands = for_each(
            &calls,
            |(event, callback)| {
                let mut reply = Reply {
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

fn tell_pair(entry: &mut Entry, frame: &mut Frame, news_only: bool) {
    let &mut Entry {
        pair,
        wish,
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
    let mut tell = |kind: Wish, is_so: bool, what: What| {
        if is_so && wish.includes(kind) {
            events.push(Event {
                pair,
                is_new,
                accuracy,
                what,
            });
        }
    };
    tell(Wish::HELLO, meets && !told_meets, What::Hello);
    tell(
        Wish::BEGAN,
        touches && !told_touches,
        What::Began { witness },
    );
    tell(
        Wish::TOUCHING,
        touches && is_level_told,
        What::Touching { witness },
    );
    if is_level_told && !entry.points.is_empty() {
        let first = frame.contact_points.len() as u32;
        frame.contact_points.extend_from_slice(&entry.points);
        let points = first..frame.contact_points.len() as u32;
        tell(Wish::CONTACTS, true, What::Contacts(points));
    }
    if let Some(separation) = entry.separation {
        tell(Wish::NOTHING, is_level_told, What::Closer(separation));
    }
    tell(Wish::ENDED, !touches && told_touches, What::Ended);
    tell(Wish::GOODBYE, !meets && told_meets, What::Goodbye);
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
