//! The event queue, ordered by moment, then by approach speed (fastest first), then by the
//! contact's key.
//!
//! An indexed binary heap: each contact has at most one event, and a new event replaces the old one
//! in place. An impact changes the events of all contacts around it, so obsolete entries would soon
//! outnumber the valid ones.

/// A contact that closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// The bits of the moment and the inverted bits of the speed: non-negative floats sort as their
    /// bits do.
    order: u128,
    key: u64,
    pub contact: u32,
}

impl Event {
    /// The moment (s).
    pub fn moment(self) -> f64 {
        f64::from_bits((self.order >> 64) as u64)
    }

    /// The approach speed (m/s).
    pub fn speed(self) -> f64 {
        f64::from_bits(!(self.order as u64))
    }
}

/// The next event of each contact that has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: Vec<Event>,
    /// Position of each contact's event in the heap, or [`NOWHERE`].
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Queue {
    pub fn clear(&mut self) {
        self.heap.clear();
        self.place.clear();
    }

    /// Sets the number of contacts.
    pub fn resize(&mut self, contacts: usize) {
        self.place.resize(contacts, NOWHERE);
    }

    /// Sets the event of a contact, replacing an earlier one.
    #[inline]
    pub fn put(&mut self, contact: u32, moment: f64, speed: f64, key: u64) {
        debug_assert!(moment >= 0.0 && speed > 0.0, "{moment} {speed}");
        let order = u128::from(moment.to_bits()) << 64 | u128::from(!speed.to_bits());
        let event = Event { order, key, contact };
        let place = self.place[contact as usize];
        if place == NOWHERE {
            self.heap.push(event);
            self.rise(self.heap.len() - 1, event);
        } else {
            self.settle(place as usize, event);
        }
    }

    /// Removes the event of a contact, if it has one.
    #[inline]
    pub fn withdraw(&mut self, contact: u32) {
        let place = self.place[contact as usize];
        if place != NOWHERE {
            self.remove(place as usize);
        }
    }

    /// Removes and returns the next event.
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_if(|_| true)
    }

    /// Removes and returns the next event if it meets a condition.
    pub fn pop_if(&mut self, wanted: impl Fn(Event) -> bool) -> Option<Event> {
        let next = self.heap.first().copied().filter(|&event| wanted(event))?;
        self.remove(0);
        Some(next)
    }

    fn remove(&mut self, place: usize) {
        let last = self.heap.pop().expect("a place in the heap");
        let removed = self.heap.get(place).map_or(last.contact, |event| event.contact);
        self.place[removed as usize] = NOWHERE;
        if place < self.heap.len() {
            self.settle(place, last);
        }
    }

    /// Moves an event from a given position to its place in the heap order.
    fn settle(&mut self, place: usize, event: Event) {
        if place > 0 && event < self.heap[(place - 1) / 2] {
            self.rise(place, event);
        } else {
            self.sink(place, event);
        }
    }

    fn rise(&mut self, mut place: usize, event: Event) {
        while place > 0 {
            let above = (place - 1) / 2;
            if event >= self.heap[above] {
                break;
            }
            self.write(place, self.heap[above]);
            place = above;
        }
        self.write(place, event);
    }

    fn sink(&mut self, mut place: usize, event: Event) {
        loop {
            let mut below = 2 * place + 1;
            if below >= self.heap.len() {
                break;
            }
            if below + 1 < self.heap.len() && self.heap[below + 1] < self.heap[below] {
                below += 1;
            }
            if event <= self.heap[below] {
                break;
            }
            self.write(place, self.heap[below]);
            place = below;
        }
        self.write(place, event);
    }

    #[inline]
    fn write(&mut self, place: usize, event: Event) {
        self.heap[place] = event;
        self.place[event.contact as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_earliest_then_the_fastest_then_the_least_key_comes_first_and_what_was_taken_back_never() {
        let mut queue = Queue::default();
        queue.resize(6);
        for (contact, moment, speed, key) in [
            (0, 0.5, 9.0, 0),
            (1, 0.0, 1.0, 7),
            (2, 0.0, 1.0, 3),
            (3, 0.0, 1e-3, 1),
            (4, 0.0, 2.0, 9),
            (5, 0.1, 1.0, 2),
        ] {
            queue.put(contact, moment, speed, key);
        }
        queue.withdraw(5);
        queue.put(0, 0.25, 4.0, 0);
        assert_eq!(queue.pop_if(|e| e.speed() > 3.0), None);
        let order: Vec<(u32, f64, f64)> =
            std::iter::from_fn(|| queue.pop()).map(|e| (e.contact, e.moment(), e.speed())).collect();
        assert_eq!(order, [(4, 0.0, 2.0), (2, 0.0, 1.0), (1, 0.0, 1.0), (3, 0.0, 1e-3), (0, 0.25, 4.0)]);
    }

    proptest! {
        #[test]
        fn what_waits_comes_out_in_order_whatever_was_put_replaced_and_taken_back(
            moves in prop::collection::vec((0..20u32, prop::option::of((0..8u32, 1..4u32))), 0..120),
        ) {
            let mut queue = Queue::default();
            queue.resize(20);
            let mut waiting = [None; 20];
            for (contact, event) in moves {
                match event {
                    Some((moment, speed)) => queue.put(contact, moment.into(), speed.into(), contact.into()),
                    None => queue.withdraw(contact),
                }
                waiting[contact as usize] = event;
            }
            let mut expected: Vec<_> = (0..20u32)
                .filter_map(|c| waiting[c as usize].map(|(moment, speed)| (moment, std::cmp::Reverse(speed), c)))
                .collect();
            expected.sort();
            let found: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|e| e.contact).collect();
            prop_assert_eq!(found, expected.into_iter().map(|e| e.2).collect::<Vec<_>>());
        }
    }
}
