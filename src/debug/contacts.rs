//! Contact points, normals and forces.

use super::pen::Pen;
use super::show::Show;
use crate::physics::Physics;

/// Draws all contacts, those of sleeping bodies included, in the order of pairs.
pub(super) fn draw(pen: &mut Pen, physics: &Physics, show: Show) {
    if !(show.contacts || show.forces) {
        return;
    }
    for contact in physics.contacts() {
        if show.contacts {
            pen.set_colour(if contact.separation > 0.0 { pen.style.near } else { pen.style.contact });
            pen.point(contact.point);
            pen.line(contact.point, contact.point + contact.normal * pen.style.normal);
        }
        let force = contact.force.length();
        if show.forces && force > 0.0 {
            pen.set_colour(pen.style.force);
            let along = contact.force * pen.style.force_scale;
            pen.arrow(contact.point, along);
            pen.text(contact.point + along, format_args!("{force:.1} N"));
        }
    }
}
