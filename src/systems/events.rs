//! Stage 10, **events**: what began and ended, in order of pairs and slots.

use crate::bodies::NONE;
use crate::contact::Status;
use crate::event::Event;
use crate::state::State;
use crate::systems::rest;

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, contacts, events, awake, .. } = state;
    for &number in &awake.pairs {
        let (pair, status) = (contacts.pairs[number as usize], &mut contacts.status[number as usize]);
        let touches = status.has(Status::TOUCHING);
        if pair.a == NONE || touches == status.has(Status::TOUCHED) {
            continue;
        }
        status.set(Status::TOUCHED, touches);
        let entities = [pair.a, pair.b].map(|slot| bodies.entity[slot as usize]);
        events.push(match (status.has(Status::SENSOR), touches) {
            (false, true) => Event::ContactBegan { entities },
            (false, false) => Event::ContactEnded { entities },
            (true, true) => Event::SensorEntered { entities },
            (true, false) => Event::SensorLeft { entities },
        });
    }
    rest::events(state);
}
