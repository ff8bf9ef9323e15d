//! Stage 2, **broad phase**: which boxes overlap.
//!
//! Every collider has an enlarged box in one [`Bvh`]. A box is looked at again only when the body's odometer says that the
//! body may have left it, so the cost follows what moved. Boxes that changed go through the tree in groups of neighbours where
//! there are several threads, and at once where there is one. Pairs live in the contact graph from when two enlarged boxes
//! meet until they part; none is dropped.

mod boxes;
mod pairs;
mod tree;

use crate::colliders::Colliders;
use crate::contact::ContactHooks;
use crate::contact::kernels::PairKernels;
use crate::math::parry::partitioning::Bvh;
use crate::systems::state::State;
use crate::systems::waking;
use boxes::{Renewed, update_boxes};
use hecs::World;
use pairs::{Ended, add_pairs, ask_again, drop_parted, forget, tell_ended};
use tree::BoxTree;

/// The tree, and buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BroadPhase {
    #[cfg_attr(feature = "serialize", serde(skip))]
    tree: BoxTree,
    /// Colliders whose boxes were renewed, and pairs whose boxes have parted, until all is known.
    #[cfg_attr(feature = "serialize", serde(skip))]
    renewed: Vec<Vec<Renewed>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    parted: Vec<Vec<u32>>,
    /// Pairs that ended in this step, until it is known whether they began anew.
    #[cfg_attr(feature = "serialize", serde(skip))]
    ended: Vec<Ended>,
    /// The kernels and filters that the pairs were found with.
    asked: (usize, u32),
}

impl BroadPhase {
    /// The enlarged boxes of all live colliders, as they were before the bodies moved; leaves are slots.
    pub(crate) fn tree(&self) -> &Bvh {
        self.tree.boxes()
    }

    /// Takes over what outlives a step but the tree.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        self.asked = from.asked;
    }

    /// Lets the boxes of the tree be those of `new`, which are `old` now. Its shape is its own: no result depends on it.
    pub(crate) fn restore_tree(&mut self, old: &Colliders, new: &Colliders) {
        self.tree.restore(old, new);
    }
}

/// Runs the stage.
pub fn run(world: &World, state: &mut State, kernels: &PairKernels, hooks: &ContactHooks) {
    waking::wake_changed(state);
    let mut broad = std::mem::take(&mut state.broad_phase);
    forget(state, &mut broad);
    let asked = (kernels.revision(), hooks.revision());
    let anew = std::mem::replace(&mut broad.asked, asked) != asked;
    if anew {
        state.rest.unpark_all(&mut state.bodies);
        ask_again(world, state, &mut broad.ended, kernels, hooks);
    }
    state.awake.update(&state.bodies, &state.colliders.body, &state.contacts);
    update_boxes(state, &mut broad);
    if anew || !broad.tree.is_unchanged() {
        drop_parted(state, &mut broad);
        state.contacts.sweep_composites();
        broad.tree.tend();
        broad.tree.find_candidates(&state.colliders.fat, anew, &state.helpers);
        add_pairs(world, state, &broad, kernels, hooks);
    }
    tell_ended(state, &mut broad.ended);
    broad.tree.clear_changes();
    state.counts.pairs = state.contacts.live;
    state.broad_phase = broad;
}
