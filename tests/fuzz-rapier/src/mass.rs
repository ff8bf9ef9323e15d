//! Masses that are given instead of following from densities.

use dolmen::components::{CenterOfMass, Inertia, Mass};
use hecs::EntityRef;
use rapier3d::math::{Pose, Real};
use rapier3d::prelude::{MassProperties, SharedShape};

/// A collider: its pose in the body, its shape and its density (kg/m³).
pub type Piece = (Pose, SharedShape, Real);

/// The mass properties of a body with a given mass, inertia or centre of mass; `None` if all follow
/// from its colliders.
pub fn given(body: EntityRef, pieces: &[Piece]) -> Option<MassProperties> {
    let [mass, inertia, center] = [body.has::<Mass>(), body.has::<Inertia>(), body.has::<CenterOfMass>()];
    if !(mass || inertia || center) {
        return None;
    }
    let of = |(at, shape, density): &Piece| shape.mass_properties(*density).transform_by(at);
    let mut whole = pieces.iter().map(of).fold(MassProperties::default(), |sum, piece| sum + piece);
    if let Some(mass) = body.get::<&Mass>() {
        // What has no volume has no inertia to scale.
        whole.set_mass(mass.0, whole.inv_mass > 0.0);
    }
    if let Some(inertia) = body.get::<&Inertia>() {
        let (at, mass) = (whole.local_com, whole.mass());
        whole = MassProperties::with_principal_inertia_frame(at, mass, inertia.principal, inertia.frame);
    }
    if let Some(center) = body.get::<&CenterOfMass>() {
        whole.local_com = center.0;
    }
    Some(whole)
}
