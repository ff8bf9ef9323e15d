//! Stage 2, **broad phase**: pairs of overlapping boxes.
//!
//! Every collider has an enlarged box in one `Bvh`. A box is checked only when its body may have
//! left it, by the odometer, so the cost follows the motion. Changed boxes query the tree in groups
//! of neighbours with several threads; one thread traverses the tree against itself. A pair lives
//! in the contact graph while its enlarged boxes overlap.

mod boxes;
mod pairs;
mod tree;
mod workspace;

use crate::contact::ContactHooks;
use crate::contact::kernels::PairKernels;
use crate::state::State;
use crate::systems::waking;
use boxes::update_boxes;
use hecs::World;
use pairs::{add_pairs, drop_parted, refilter_pairs, remove_changed, report_ended};
pub(crate) use workspace::BroadPhase;

/// Runs the stage.
pub(crate) fn run(
    world: &World,
    state: &mut State,
    broad: &mut BroadPhase,
    kernels: &PairKernels,
    hooks: &ContactHooks,
) {
    waking::wake_changed(state);
    remove_changed(state, broad);
    let revisions = (kernels.revision(), hooks.revision());
    let anew = std::mem::replace(&mut broad.revisions, revisions) != revisions;
    if anew {
        state.sleep.wake_all(&mut state.bodies);
        refilter_pairs(world, state, &mut broad.ended, kernels, hooks);
    }
    state.update_active_set();
    update_boxes(state, broad);
    if anew || !broad.tree.is_unchanged() {
        drop_parted(state, broad);
        state.contacts.drop_removed_composites();
        broad.tree.maintain();
        broad.tree.find_candidates(&state.colliders.fat, anew, &state.helpers);
        add_pairs(world, state, broad, kernels, hooks);
    }
    report_ended(state, &mut broad.ended);
    broad.tree.clear_changes();
    state.counts.pairs = state.contacts.live_pairs;
}
