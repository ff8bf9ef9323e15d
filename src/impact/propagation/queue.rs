//! The queue of events: by moment, then by approach, fastest first, then by the contact's key.
//!
//! A binary heap that knows where the event of each contact is, so that a new one takes the old one's place: an impact
//! changes the events of all contacts around it, and a heap of what was superseded would outgrow what waits.

/// A contact closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// The moment and, turned round, the speed, as bits: not negative, they sort as their numbers do.
    order: u128,
    key: u64,
    pub contact: u32,
}

impl Event {
    /// When (s).
    pub fn moment(self) -> f64 {
        f64::from_bits((self.order >> 64) as u64)
    }

    /// How fast (m/s).
    pub fn speed(self) -> f64 {
        f64::from_bits(!(self.order as u64))
    }
}

/// The next event of each contact that has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: Vec<Event>,
    /// Where in the heap the event of each contact is, or [`NOWHERE`].
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Queue {
    pub fn clear(&mut self) {
        self.heap.clear();
        self.place.clear();
    }

    /// Makes room for so many contacts.
    pub fn resize(&mut self, contacts: usize) {
        self.place.resize(contacts, NOWHERE);
    }

    /// The event of a contact, instead of the one it had.
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

    /// Takes the event of a contact back, if it has one.
    #[inline]
    pub fn withdraw(&mut self, contact: u32) {
        let place = self.place[contact as usize];
        if place != NOWHERE {
            self.remove(place as usize);
        }
    }

    /// The next event, taken out.
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_if(|_| true)
    }

    /// The next event, taken out if it is as wanted.
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

    /// Puts an event where another one was.
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
