//! What is drawn without a collider: the wheels of the car, and the water.

use crate::game::Game;
use crate::level::BLUE;
use dolmen::control::Vehicle;
use dolmen::control::fields::Water;
use dolmen::prelude::*;
use dolmen_viewer::picture::{self, Picture};
use std::f32::consts::FRAC_PI_2;

/// Half the width of a tyre, and half the thickness of the drawn surface of water (m).
const TYRE: f32 = 0.11;
const SHEET: f32 = 0.01;
const RUBBER: [f32; 3] = [0.15, 0.15, 0.17];

/// Adds the wheels and the water to a picture.
pub fn draw(game: &Game, picture: &mut Picture) {
    let (place, turn) = picture::pose(&game.world, game.cast.car);
    let vehicle = game.world.get::<&Vehicle>(game.cast.car).expect("the car is there");
    for wheel in &vehicle.wheels {
        let hub = place + turn * (wheel.mount - vehicle.up * wheel.state.length);
        let axle = Quat::from_axis_angle(vehicle.up, wheel.state.steering) * Quat::from_rotation_x(FRAC_PI_2);
        let tyre = Collider::cylinder(TYRE, wheel.radius);
        picture::add(picture, &tyre, hub, turn * axle * Quat::from_rotation_y(wheel.state.angle), RUBBER);
    }
    for (water, place) in game.world.query::<(&Water, &Position)>().iter() {
        let sheet = Collider::cuboid(water.extent.x, SHEET, water.extent.z);
        picture::add(picture, &sheet, place.0, Quat::IDENTITY, BLUE);
    }
}
