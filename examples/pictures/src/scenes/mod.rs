//! The pictures.

pub mod arch;
pub mod bridge;
pub mod cards;
pub mod column;
pub mod cradle;
pub mod diamonds;
pub mod drum;
pub mod funnel;
pub mod load;
mod peers;
pub mod pile;

use crate::camera::{Camera, Mode};
use crate::cast::{NARROW, Shot};
use crate::catalogue::Detail;
use dolmen::prelude::*;

/// A picture of the surroundings of `focus` (m), as much of them as is seen from a distance (m) with
/// the camera's own view, in a direction (rad: about y, and up).
fn shot(detail: Detail, size: [usize; 2], focus: Vec3, distance: Real, [yaw, pitch]: [Real; 2]) -> Shot {
    Shot {
        camera: Camera { mode: Mode::Orbit, focus, distance: distance / NARROW, yaw, pitch },
        size: size.map(|pixels| (pixels / detail.pixels).max(40)),
        tile: 1.0,
        light: Vec3::new(-0.55, 1.0, 0.75),
        shade: 0.12 * distance,
        edges: detail.pixels == 1,
    }
}
