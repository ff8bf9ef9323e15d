//! Islands that the game puts to sleep: after the islands are known, before anything is solved.

use crate::ids::NONE;
use crate::sleep::Stillness;
use crate::state::State;
use crate::systems::islands;

/// Puts the islands of the requesting bodies to sleep, and finds the islands of the others anew.
pub(crate) fn run(state: &mut State) {
    let State { bodies, islands, sleep, settings, dt, .. } = state;
    let mut requested = std::mem::take(&mut sleep.requested);
    requested.retain(|&slot| settings.sleep && bodies.is_active(slot as usize));
    sleep.stillness.resize(bodies.slots(), Stillness::default());
    let mut any = false;
    for &slot in &requested {
        // An island may have been asked for by several of its bodies.
        if bodies.sleeping_island[slot as usize] != NONE {
            continue;
        }
        let alone = [slot];
        let members = match islands.island_of[slot as usize] {
            NONE => &alone[..],
            island => &islands.bodies[islands.islands[island as usize].body_range()],
        };
        if !members.iter().any(|&slot| bodies.never_sleeps(slot as usize)) {
            sleep.put_to_sleep(bodies, members, *dt);
            any = true;
        }
    }
    requested.clear();
    sleep.requested = requested;
    if any {
        state.update_active_set();
        islands::find(state);
    }
}
