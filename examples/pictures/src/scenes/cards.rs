//! A house of cards, pushed a little less and a little more than it can bear.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::letters;
use crate::model::{Model, PALETTE};
use crate::overlay::Overlay;
use crate::support_structures::{Built, card_house};
use dolmen::prelude::*;
use dolmen::statics::Load;

/// Friction of the cards.
const FRICTION: f64 = 0.5;
/// Parts of the limit load.
const PARTS: [Real; 2] = [0.95, 1.05];
/// How long the houses bear it (s).
const SECONDS: f64 = 0.9;
const FORCE: [f32; 4] = [0.80, 0.05, 0.20, 1.0];
/// Length of the arrow of the push (m), and from one house to the next (m).
const ARROW: Real = 0.45;
const APART: Real = 2.7;

/// The direction and the card of the push: the flat card, sideways.
fn push(built: &Built) -> Load {
    Load::new(built.bodies[4], Vec3::X)
}

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let mut model = Model::on_ground();
    let mut arrows = Vec::new();
    let mut limit = 0.0;
    for (k, part) in PARTS.into_iter().enumerate() {
        let mut built = card_house(FRICTION).awake();
        built.run(0.5);
        let load = push(&built);
        limit = built.physics.statics(&built.world, load.entity)?.breaking_load(&[load])?.factor as Real;
        built.world.insert_one(load.entity, ExternalForce(load.force * limit * part))?;
        built.run(SECONDS / detail.bodies as f64);
        let offset = Vec3::X * APART * (k as Real - 0.5);
        let colour = |card: usize| PALETTE[[0, 3, 0, 3, 1, 2, 4][card % 7]];
        model.bodies(&built.world, &built.bodies, offset, colour);
        let edge = built.world.get::<&Position>(load.entity)?.0 + offset - Vec3::X * 0.7;
        arrows.push((edge, format!("{:.0} % of {:.2} N", part * 100.0, limit), offset));
    }
    let mut shot = shot(detail, [760, 420], Vec3::Y * 0.80, 3.1, [0.10, -0.15]);
    (shot.tile, shot.shade) = (0.5, 0.4);
    let mut image = cast(&model, &shot)?;
    for (edge, text, offset) in arrows {
        let mut over = Overlay::new(&mut image, shot.camera, 2.0);
        over.arrow(edge - Vec3::X * ARROW, edge, FORCE);
        let foot = over.place(offset + Vec3::new(0.0, -0.12, 0.5)).ok_or("a house behind the eye")?;
        if detail.pixels == 1 {
            letters::write(&mut image, &text, foot);
        }
    }
    debug_assert!(limit > 0.0);
    Ok(Work::Still(image))
}
