//! Debug drawing: the physics of a world as lines, for whatever draws the game.
//!
//! A [`Renderer`] needs one method, [`line`](Renderer::line). [`draw`] gives it what [`Show`] asks
//! for, with the colours and sizes of a [`Style`]: shapes, sensors, contacts, forces, joints with
//! their limits and loads, islands, the solver of each, sleeping bodies, centres of mass, axes,
//! velocities and the boxes of the broad phase. [`draw_ray`] draws a ray that the game asked.
//!
//! Everything is drawn as it is after the last step. The order is that of slots, so that equal
//! worlds give equal pictures. Nothing is allocated, and a world that is not drawn pays nothing.
//!
//! ```
//! use dolmen::debug::{self, Colour, Renderer, Show, Style};
//! use dolmen::prelude::*;
//!
//! #[derive(Default)]
//! struct Lines(Vec<[Vec3; 2]>);
//!
//! impl Renderer for Lines {
//!     fn line(&mut self, a: Vec3, b: Vec3, _colour: Colour) {
//!         self.0.push([a, b]);
//!     }
//! }
//!
//! let (mut world, mut physics) = (hecs::World::new(), Physics::default());
//! world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)));
//! physics.step(&mut world, 1.0 / 60.0)?;
//! let mut lines = Lines::default();
//! debug::draw(&physics, &mut lines, Show { shapes: true, ..Show::NONE }, &Style::default());
//! assert_eq!(lines.0.len(), 12, "the edges of a box");
//! # Ok::<(), dolmen::StepError>(())
//! ```

mod bodies;
mod contacts;
mod joints;
mod pen;
mod renderer;
mod revolution;
mod rounded;
mod shapes;
mod show;
mod style;

pub use renderer::{Colour, Renderer};
pub use show::Show;
pub use style::Style;

use crate::math::Real;
use crate::physics::Physics;
use crate::query::{Hit, Ray};
use pen::Pen;

/// Draws what is shown of a world after its last step.
pub fn draw(physics: &Physics, to: &mut dyn Renderer, show: Show, style: &Style) {
    if show == Show::NONE {
        return;
    }
    let mut pen = Pen::new(to, style);
    bodies::draw(&mut pen, physics, show);
    joints::draw(&mut pen, physics.state(), show);
    contacts::draw(&mut pen, physics, show);
}

/// Draws a ray up to its hit, with the point and the normal there. Without a hit it is drawn to its
/// end, or for [`Style::extent`].
pub fn draw_ray(to: &mut dyn Renderer, ray: &Ray, hit: Option<&Hit>, style: &Style) {
    let mut pen = Pen::new(to, style);
    let colour = if hit.is_some() { style.ray_hit } else { style.ray };
    pen.set_colour(colour);
    let length: Real = hit.map_or(ray.length().min(style.extent), |hit| hit.distance);
    pen.line(ray.at(0.0), ray.at(length));
    if let Some(hit) = hit {
        pen.point(hit.point);
        pen.arrow(hit.point, hit.normal * style.normal);
    }
}
