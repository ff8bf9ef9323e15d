//! The exceptions of a pair of colliders: no response by their layers, or no meeting at all.

use crate::bodies::Bodies;
use crate::colliders::Colliders;

/// True if two colliders report their contacts and exert no forces: one is a sensor, or they do not
/// meet by their [`SolverLayers`](crate::SolverLayers).
pub(crate) fn is_sensor_pair(bodies: &Bodies, colliders: &Colliders, pair: [usize; 2]) -> bool {
    pair.iter().any(|&slot| colliders.sensor[slot]) || {
        let layers = |slot: usize| bodies.inputs[slot].solver_layers.unwrap_or_default().0;
        colliders.any_exceptions && !layers(pair[0]).meets(layers(pair[1]))
    }
}

/// True if one of two colliders ignores the other, or its body, by
/// [`IgnoreContactsWith`](crate::IgnoreContactsWith).
pub(crate) fn ignore_each_other(bodies: &Bodies, colliders: &Colliders, pair: [usize; 2]) -> bool {
    if !colliders.any_exceptions {
        return false;
    }
    let names = pair.map(|slot| [slot, colliders.body[slot] as usize]);
    let ignores = |one: [usize; 2], other: [usize; 2]| {
        // A list on the body holds for its own collider, which shares the body's slot.
        let list = bodies.inputs[one[0]].ignored.as_ref();
        list.is_some_and(|list| other.iter().any(|&slot| list.contains(bodies.entity[slot])))
    };
    ignores(names[0], names[1]) || ignores(names[1], names[0])
}
