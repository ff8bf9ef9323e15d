//! Lists of contacts or joints by body.

use crate::contact::Contact;
use crate::ids::NONE;
use crate::islands::Islands;

/// Lists the contacts of each body of all islands, in the order of contacts.
pub(super) fn index(
    slots: usize,
    islands: &Islands,
    contacts: &[Contact],
    place: &mut Vec<u32>,
    first: &mut Vec<u32>,
    of_body: &mut Vec<u32>,
) {
    place.resize(slots, NONE);
    place.fill(NONE);
    for (i, &slot) in islands.bodies.iter().enumerate() {
        place[slot as usize] = i as u32;
    }
    let place = &place[..];
    let ends = contacts.iter().enumerate().flat_map(|(number, c)| {
        let ends = [c.a, c.b].map(|slot| place[slot as usize]).into_iter().filter(|&at| at != NONE);
        ends.map(move |at| (at as usize, number as u32))
    });
    list_by_body(islands.bodies.len(), ends, first, of_body);
}

/// Groups numbers by body, in their order: body `i` has the range `first[i]..first[i + 1]` of
/// `of_body`. The input are pairs of a body's index and a number.
pub(super) fn list_by_body(
    bodies: usize,
    pairs: impl Iterator<Item = (usize, u32)> + Clone,
    first: &mut Vec<u32>,
    of_body: &mut Vec<u32>,
) {
    first.clear();
    first.resize(bodies + 2, 0);
    for (at, _) in pairs.clone() {
        first[at + 2] += 1;
    }
    for i in 2..first.len() {
        first[i] += first[i - 1];
    }
    of_body.resize(first[first.len() - 1] as usize, 0);
    for (at, number) in pairs {
        let next = &mut first[at + 1];
        of_body[*next as usize] = number;
        *next += 1;
    }
    first.pop();
}
