//! The camera: around a point, or flying.

use dolmen::glam::camera::rh::proj::opengl::perspective;
use dolmen::glam::{Mat4, Quat, Vec3, Vec4};

/// Vertical field of view (rad).
const FIELD: f32 = 0.9;
/// Nearest and farthest that is seen (m).
const NEAR: f32 = 0.05;
const FAR: f32 = 2000.0;
/// Steepest look up or down (rad).
const STEEPEST: f32 = 1.55;
/// Least radius that fills the picture (m).
const MINUTE: f32 = 1.0;

/// How the camera moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Around the focus.
    Orbit,
    /// From where it is.
    Fly,
}

/// Where it is and looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub mode: Mode,
    /// The point in the middle of the picture (m).
    pub focus: Vec3,
    /// From there to the eye (m).
    pub distance: f32,
    /// Directions of the look: about y, and up (rad).
    pub yaw: f32,
    pub pitch: f32,
}

impl Camera {
    /// Sees a ball (m) whole.
    pub fn framing(centre: Vec3, radius: f32) -> Self {
        Self { mode: Mode::Orbit, focus: centre, distance: distance(radius), yaw: 0.5, pitch: -0.35 }
    }

    /// Moves a part of the way to where it sees a ball (m) whole.
    pub fn approach(&mut self, centre: Vec3, radius: f32, part: f32) {
        self.focus = self.focus.lerp(centre, part);
        self.distance += (distance(radius) - self.distance) * part;
    }

    /// The direction of the look.
    pub fn forward(&self) -> Vec3 {
        self.rotation() * Vec3::NEG_Z
    }

    /// The place of the eye (m).
    pub fn eye(&self) -> Vec3 {
        self.focus - self.forward() * self.distance
    }

    fn rotation(&self) -> Quat {
        Quat::from_rotation_y(self.yaw) * Quat::from_rotation_x(self.pitch)
    }

    /// Turns by two angles (rad). In orbit the focus stays, in flight the eye.
    pub fn turn(&mut self, yaw: f32, pitch: f32) {
        let eye = self.eye();
        self.yaw = (self.yaw + yaw) % std::f32::consts::TAU;
        self.pitch = (self.pitch + pitch).clamp(-STEEPEST, STEEPEST);
        if self.mode == Mode::Fly {
            self.focus = eye + self.forward() * self.distance;
        }
    }

    /// Moves along its own axes: right, up, back, in parts of the distance to the focus.
    pub fn shift(&mut self, by: Vec3) {
        self.focus += self.rotation() * by * self.distance;
    }

    /// Multiplies the distance from the focus; in flight, moves ahead instead.
    pub fn zoom(&mut self, factor: f32) {
        match self.mode {
            Mode::Orbit => self.distance = (self.distance * factor).clamp(2.0 * NEAR, 0.5 * FAR),
            Mode::Fly => self.shift(Vec3::Z * (factor - 1.0)),
        }
    }

    /// Changes between orbit and flight.
    pub fn toggle(&mut self) {
        self.mode = if self.mode == Mode::Orbit { Mode::Fly } else { Mode::Orbit };
    }

    /// The matrix from the world to the picture of an aspect (width by height).
    pub fn matrix(&self, aspect: f32) -> Mat4 {
        let view = Mat4::from_rotation_translation(self.rotation(), self.eye()).inverse();
        perspective(FIELD, aspect, NEAR, FAR) * view
    }

    /// The direction of the look through a place in the picture, from -1 to 1 to the right and up.
    pub fn direction(&self, place: [f32; 2], aspect: f32) -> Vec3 {
        let half = (0.5 * FIELD).tan();
        (self.rotation() * Vec3::new(place[0] * half * aspect, place[1] * half, -1.0)).normalize()
    }

    /// The place in the picture of a point (m); `None` behind the eye.
    pub fn place(&self, point: Vec3, aspect: f32) -> Option<[f32; 2]> {
        let seen: Vec4 = self.matrix(aspect) * point.extend(1.0);
        (seen.w > 0.0).then(|| [seen.x / seen.w, seen.y / seen.w])
    }
}

/// The distance from which a ball of a radius (m) fills the picture.
fn distance(radius: f32) -> f32 {
    radius.max(MINUTE) / (0.5 * FIELD).sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cameras() -> [Camera; 3] {
        let camera = Camera::framing(Vec3::new(1.0, 2.0, 0.5), 5.0);
        let (mut turned, mut near) = (camera, camera);
        turned.turn(2.0, 1.0);
        near.zoom(0.2);
        [camera, turned, near]
    }

    #[test]
    fn a_point_is_seen_where_its_direction_goes() {
        for camera in cameras() {
            for place in [[0.0, 0.0], [0.9, -0.3], [-0.4, 0.8]] {
                let point = camera.eye() + 7.0 * camera.direction(place, 1.6);
                let seen = camera.place(point, 1.6).unwrap();
                assert!((seen[0] - place[0]).abs() < 1e-3 && (seen[1] - place[1]).abs() < 1e-3, "{seen:?} {place:?}");
            }
            assert_eq!(camera.place(camera.eye() - camera.forward(), 1.6), None);
        }
    }

    #[test]
    fn a_framed_ball_fills_the_picture() {
        let (centre, radius) = (Vec3::new(-30.0, 20.0, 4.0), 25.0);
        let mut near = Camera::framing(Vec3::ONE, 2.0);
        (0..50).for_each(|_| near.approach(centre, radius, 0.3));
        for camera in [Camera::framing(centre, radius), near] {
            let right = camera.forward().cross(Vec3::Y).normalize();
            let up = right.cross(camera.forward());
            let height = |part: f32| camera.place(centre + up * radius * part, 1.0).unwrap()[1];
            assert!(height(0.85) < 1.0 && height(1.2) > 1.0, "{} {}", height(0.85), height(1.2));
        }
    }

    #[test]
    fn orbit_keeps_the_focus_and_flight_the_eye() {
        let mut camera = cameras()[0];
        let (focus, distance) = (camera.focus, camera.distance);
        camera.turn(0.7, -9.0);
        assert_eq!((camera.focus, camera.distance), (focus, distance));
        assert!(camera.pitch >= -STEEPEST);
        camera.toggle();
        let eye = camera.eye();
        camera.turn(-1.0, 0.4);
        assert!((camera.eye() - eye).length() < 1e-4 * distance);
        let forward = camera.forward();
        camera.zoom(0.5);
        assert!((camera.eye() - eye - 0.5 * distance * forward).length() < 1e-3 * distance);
    }
}
