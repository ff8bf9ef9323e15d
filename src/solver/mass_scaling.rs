//! Mass scaling: light bodies take part with more mass under loads that their contacts cannot bear.
//!
//! A contact spring is as stiff as the lighter of its bodies allows: it sinks in proportion to load
//! over mass, and a sweep passes a load on to a light body only in parts as small as the ratio of
//! the masses. Explicit finite elements meet the same bound in their smallest elements, and raise
//! the mass of those (Olovsson, Simonsson, Unosson, "Selective mass scaling for explicit finite
//! element analyses", Int. J. Numer. Meth. Engng 63, 2005).
//!
//! A contact bears its load in a substep of h (s) if the change of its normal velocity by it,
//! `F h / m`, is at most the push-out speed: then a spring of `CONTACT_SPRING.phase` sinks by
//! less than h times that speed. Else the contact raises [`Manifold::mass_scaling`] by a level in
//! each step, until its bodies are equally heavy; it lowers it by a level while it could bear twice
//! the load. Faster changes follow the load of the step before out of phase, and heavy bodies on
//! light ones rock or bob. Bodies that are equally heavy, or jammed against the ground, load their
//! contact by overlap, and more mass would only jam them harder. The first levels scale nothing:
//! peaks of landings are no loads.
//!
//! The weight of a body stays: its acceleration is scaled with its inverse mass. Momentum is that
//! of the scaled masses, which differ from the true ones only between contacts that squeeze a body:
//! a free body would be pushed away, and its contacts unloaded, in the first of these steps.

use super::body::SolverBody;
use super::contact::ContactRef;
use super::layout::Edge;
use crate::contact::Manifold;
use crate::math::Real;
use crate::prefetch;
use crate::tolerances::{MASS_SCALING_DELAY, MASS_SCALING_LEVEL};

/// The scales of the inverse masses of a step.
#[derive(Clone, Default)]
pub(super) struct MassScaling {
    /// By body: true mass over that in the solver, at most 1.
    scales: Vec<Real>,
    /// The bodies below 1.
    scaled: Vec<u32>,
}

impl MassScaling {
    /// True mass of a body over its mass in this step.
    #[inline(always)]
    pub fn of(&self, body: u32) -> Real {
        self.scales[body as usize]
    }

    /// Finds the scales of a step from the levels of its contacts.
    pub fn update(&mut self, bodies: &[SolverBody], contacts: &[ContactRef], pool: &[Manifold]) {
        for body in self.scaled.drain(..) {
            if let Some(scale) = self.scales.get_mut(body as usize) {
                *scale = 1.0;
            }
        }
        self.scales.resize(bodies.len(), 1.0);
        for (k, contact) in contacts.iter().enumerate() {
            if let Some(ahead) = contacts.get(k + prefetch::DISTANCE) {
                prefetch::prefetch_at(&pool[ahead.manifold as usize].mass_scaling);
            }
            let level = pool[contact.manifold as usize].mass_scaling;
            if level <= MASS_SCALING_DELAY {
                continue;
            }
            let inverse_masses = contact.bodies().map(|b| bodies[b as usize].inverse_mass);
            let lightest = inverse_masses[0].max(inverse_masses[1]);
            let least = libm::pow(f64::from(1.0 + MASS_SCALING_LEVEL), f64::from(level - MASS_SCALING_DELAY)) as Real;
            for (b, inverse_mass) in contact.bodies().into_iter().zip(inverse_masses) {
                let scale = &mut self.scales[b as usize];
                let wanted = lightest / (least * inverse_mass);
                if inverse_mass > 0.0 && wanted < *scale {
                    *scale = wanted;
                    self.scaled.push(b);
                }
            }
        }
    }
}

/// The level of a contact for the next step, from the change of its normal velocity by its load of
/// a substep, the push-out speed (m/s), and the inverse masses of its bodies in this step (1/kg).
pub(super) fn next_level(
    level: u16,
    change: Real,
    push_out_speed: Real,
    inverse_masses: impl FnOnce() -> [Real; 2],
) -> u16 {
    if change > push_out_speed {
        let [a, b] = inverse_masses();
        let has_heavier = a.min(b) > 0.0 && a.max(b) > (1.0 + MASS_SCALING_LEVEL) * a.min(b);
        level.saturating_add(u16::from(has_heavier))
    } else if change > 0.5 * push_out_speed {
        level
    } else {
        level.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    fn scales(masses: [Real; 3], levels: [u16; 2]) -> [Real; 4] {
        let levels = levels.map(|level| level + MASS_SCALING_DELAY);
        let mut bodies = vec![SolverBody::FIXED];
        bodies.extend(masses.map(|mass| SolverBody { inverse_mass: 1.0 / mass, ..SolverBody::FIXED }));
        let refs = [(0, 1), (1, 2)].map(|(k, a)| ContactRef { a, b: a + 1, manifold: k, ..ContactRef::default() });
        let pool = levels.map(|mass_scaling| Manifold { normal: Vec3::Y, mass_scaling, ..Manifold::default() });
        let mut scaling = MassScaling::default();
        // Those of the step before leave nothing.
        scaling.update(&bodies, &refs, &[Manifold { mass_scaling: 500, ..pool[0] }, pool[1]]);
        scaling.update(&bodies, &refs, &pool);
        [0, 1, 2, 3].map(|body| scaling.of(body))
    }

    #[test]
    fn the_lighter_body_of_a_contact_is_scaled_and_the_heavier_one_from_its_own_mass_on() {
        let near = |found: [Real; 4], expected: [Real; 4]| {
            assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-4 * e), "{found:?} {expected:?}");
        };
        near(scales([1.0, 8.0, 1.0], [0, 0]), [1.0; 4]);
        let doubled = (2.0_f64.ln() / f64::from(1.0 + MASS_SCALING_LEVEL).ln()) as u16;
        let least = libm::pow(f64::from(1.0 + MASS_SCALING_LEVEL), f64::from(doubled)) as Real;
        near(scales([1.0, 8.0, 1.0], [doubled, 0]), [1.0, 1.0 / least, 1.0, 1.0]);
        near(scales([1.0, 8.0, 1.0], [4 * doubled, 0]), [1.0, least.powi(-4), 8.0 * least.powi(-4), 1.0]);
        // The greater of two levels counts.
        near(scales([8.0, 1.0, 8.0], [doubled, 2 * doubled]), [1.0, 1.0, least.powi(-2), 1.0]);
    }

    #[test]
    fn levels_follow_the_load_by_one_a_step() {
        let next = |level: u16, change: Real, masses: [Real; 2]| next_level(level, change, 3.0, || masses);
        let levels = [3.1, 2.9, 1.6, 1.4].map(|change| next(7, change, [1.0, 0.5]));
        assert_eq!((levels, next(0, 0.0, [1.0, 0.5])), ([8, 7, 7, 6], 0));
        assert_eq!([next(u16::MAX, 3.1, [0.5, 1.0]), next(3, Real::NAN, [0.5, 1.0])], [u16::MAX, 2]);
        // Of equal masses, and of one on the ground.
        assert_eq!([next(7, 3.1, [1.0; 2]), next(7, 3.1, [1.0, 0.0]), next(7, 1.4, [1.0; 2])], [7, 7, 6]);
    }
}
