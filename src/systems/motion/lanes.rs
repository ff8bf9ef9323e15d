//! Bodies whose slots follow each other, moved together by the laws for many.

use crate::bodies::Bodies;
use crate::math::{Quat, Real, Vec3};
use crate::motion::block::{BodyBlock, fly_lanes, shift_lanes};
use crate::motion::rotation::{LANES, Row};
use crate::solver::Path;
use crate::solver::lanes::{Kernel, Lane};

/// Which lanes of a block are meant: a bit for each.
pub(super) type Lanes = u32;

/// All lanes of a block.
pub(super) const ALL: Lanes = (1 << LANES) - 1;

/// Bodies in neighbouring slots, and the time that passes.
pub(super) struct Group<'a> {
    pub bodies: &'a mut Bodies,
    /// The first slot; there are [`LANES`] from it on.
    pub first: usize,
    pub dt: Real,
    pub path: Path,
}

impl Group<'_> {
    /// Moves these bodies as nothing touches them.
    pub fn fly(&mut self, lanes: Lanes, block: &mut BodyBlock) {
        self.path.run(Move::<true> { group: self, lanes, block });
    }

    /// Moves these bodies by their displacements and rotations: their velocities are what contacts left.
    pub fn shift(&mut self, lanes: Lanes, block: &mut BodyBlock) {
        self.path.run(Move::<false> { group: self, lanes, block });
    }

    #[inline(always)]
    fn run<const FREE: bool>(&mut self, lanes: Lanes, block: &mut BodyBlock) {
        self.load_place(lanes, block);
        if FREE {
            self.load_flight(lanes, block);
            fly_lanes(block, self.dt);
        } else {
            self.load_shift(block);
            shift_lanes(block);
        }
        if lanes == ALL { self.store::<FREE, true>(lanes, block) } else { self.store::<FREE, false>(lanes, block) }
    }

    /// The part of a column that belongs to these bodies.
    #[inline(always)]
    fn part<'a, T>(&self, column: &'a [T]) -> &'a [T; LANES] {
        column[self.first..self.first + LANES].try_into().expect("the range is as long")
    }

    /// Reads where the bodies are. What the other lanes hold must not slow these down.
    #[inline(always)]
    fn load_place(&self, lanes: Lanes, block: &mut BodyBlock) {
        let bodies = &*self.bodies;
        load4(&mut block.spin.orientation, self.part(&bodies.orientation));
        load_frames(&mut block.spin.frame, self.part(&bodies.frame));
        load3(&mut block.center[0], self.part(&bodies.center));
        load3(&mut block.center[1], self.part(&bodies.center_rest));
        load_few(&mut block.local_center, self.part(&bodies.local_center));
        load3(&mut block.spin.principal, self.part(&bodies.principal));
        block.radius = *self.part(&bodies.radius);
        if lanes != ALL {
            keep(&mut block.spin.principal, lanes, 1.0);
        }
        for k in 0..3 {
            for lane in 0..LANES {
                block.spin.inverse[k][lane] = 1.0 / block.spin.principal[k][lane];
            }
        }
    }

    #[inline(always)]
    fn load_flight(&self, lanes: Lanes, block: &mut BodyBlock) {
        let bodies = &*self.bodies;
        load3(&mut block.velocity[0], self.part(&bodies.linear_velocity));
        load3(&mut block.velocity[1], self.part(&bodies.velocity_rest));
        load3(&mut block.acceleration, self.part(&bodies.acceleration));
        load3(&mut block.spin.velocity, self.part(&bodies.angular_velocity));
        load3(&mut block.spin.residual, self.part(&bodies.momentum_rest));
        load_few(&mut block.spin.torque, self.part(&bodies.torque));
        if lanes != ALL {
            keep(&mut block.spin.velocity, lanes, 0.0);
            keep(&mut block.spin.torque, lanes, 0.0);
        }
    }

    #[inline(always)]
    fn load_shift(&self, block: &mut BodyBlock) {
        let bodies = &*self.bodies;
        load3(&mut block.displacement, self.part(&bodies.displacement));
        load3(&mut block.rotation, self.part(&bodies.rotation));
        // Contacts leave no rest.
        (block.velocity[1], block.spin.residual) = Default::default();
    }

    #[inline(always)]
    fn store<const FREE: bool, const FULL: bool>(&mut self, lanes: Lanes, block: &BodyBlock) {
        let range = self.first..self.first + LANES;
        let bodies = &mut *self.bodies;
        if FREE {
            store3::<FULL>(&mut bodies.linear_velocity[range.clone()], &block.velocity[0], lanes);
            store3::<FULL>(&mut bodies.angular_velocity[range.clone()], &block.spin.velocity, lanes);
        }
        store3::<FULL>(&mut bodies.center[range.clone()], &block.center[0], lanes);
        store3::<FULL>(&mut bodies.position[range.clone()], &block.position, lanes);
        store4::<FULL>(&mut bodies.orientation[range.clone()], &block.spin.orientation, lanes);
        store3::<FULL>(&mut bodies.center_rest[range.clone()], &block.center[1], lanes);
        store3::<FULL>(&mut bodies.velocity_rest[range.clone()], &block.velocity[1], lanes);
        store3::<FULL>(&mut bodies.momentum_rest[range.clone()], &block.spin.residual, lanes);
        // By columns, in vectors of four: a matrix is nine scalars.
        let [xx, yy, zz, xy, xz, yz] = &block.inverse_inertia;
        let mut columns = [([0.0; 4], [0.0; 4]); LANES];
        for (lane, (head, tail)) in columns.iter_mut().enumerate() {
            *head = [xx[lane], xy[lane], xz[lane], xy[lane]];
            *tail = [yy[lane], yz[lane], xz[lane], yz[lane]];
        }
        each::<FULL, _>(&mut bodies.inverse_inertia[range.clone()], lanes, |lane, inverse| {
            let entries: &mut [Real; 9] = inverse.as_mut();
            let (head, tail) = &columns[lane];
            entries[..4].copy_from_slice(head);
            entries[4..8].copy_from_slice(tail);
            entries[8] = zz[lane];
        });
        let mut odometer = *self.part(&self.bodies.odometer);
        for (lane, path) in odometer.iter_mut().enumerate() {
            *path += f64::from(block.path[0][lane]);
            *path += f64::from(block.path[1][lane]);
        }
        let bodies = &mut *self.bodies;
        each::<FULL, _>(&mut bodies.odometer[range.clone()], lanes, |lane, path| *path = odometer[lane]);
        each::<FULL, _>(&mut bodies.dirty[range], lanes, |_, dirty| *dirty = true);
    }
}

/// A group's motion with the instructions of a path. The compiler makes the lanes of it.
struct Move<'a, 'b, const FREE: bool> {
    group: &'a mut Group<'b>,
    lanes: Lanes,
    block: &'a mut BodyBlock,
}

impl<const FREE: bool> Kernel for Move<'_, '_, FREE> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        self.group.run::<FREE>(self.lanes, self.block);
    }
}

/// Calls `write` for the cells of the lanes that are meant.
#[inline(always)]
fn each<const FULL: bool, T>(cells: &mut [T], lanes: Lanes, mut write: impl FnMut(usize, &mut T)) {
    let cells: &mut [T; LANES] = cells.try_into().expect("a cell for each lane");
    for (lane, cell) in cells.iter_mut().enumerate() {
        if FULL || lanes >> lane & 1 == 1 {
            write(lane, cell);
        }
    }
}

#[inline(always)]
fn load3(rows: &mut [Row; 3], cells: &[Vec3; LANES]) {
    for (lane, cell) in cells.iter().enumerate() {
        (rows[0][lane], rows[1][lane], rows[2][lane]) = (cell.x, cell.y, cell.z);
    }
}

#[inline(always)]
fn load4(rows: &mut [Row; 4], cells: &[Quat; LANES]) {
    for (lane, cell) in cells.iter().enumerate() {
        let [x, y, z, w] = cell.to_array();
        (rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]) = (x, y, z, w);
    }
}

/// [`load3`] of cells that seldom hold anything but zero.
#[inline(always)]
fn load_few(rows: &mut [Row; 3], cells: &[Vec3; LANES]) {
    let any = cells.iter().fold(false, |any, v| any | (v.x != 0.0) | (v.y != 0.0) | (v.z != 0.0));
    if any {
        load3(rows, cells);
    } else {
        *rows = Default::default();
    }
}

/// [`load4`] of frames, most of which are the identity.
#[inline(always)]
fn load_frames(rows: &mut [Row; 4], cells: &[Quat; LANES]) {
    let any = cells.iter().fold(false, |any, q| any | (q.x != 0.0) | (q.y != 0.0) | (q.z != 0.0) | (q.w != 1.0));
    if any {
        load4(rows, cells);
    } else {
        let zero = [0.0; LANES];
        *rows = [zero, zero, zero, [1.0; LANES]];
    }
}

/// Puts `other` into the lanes that are not meant.
#[inline(always)]
fn keep(rows: &mut [Row; 3], lanes: Lanes, other: Real) {
    for row in rows {
        for (lane, x) in row.iter_mut().enumerate() {
            *x = if lanes >> lane & 1 == 1 { *x } else { other };
        }
    }
}

#[inline(always)]
fn store3<const FULL: bool>(cells: &mut [Vec3], rows: &[Row; 3], lanes: Lanes) {
    // In one piece: what may lie anywhere is not written lane by lane.
    let mut all = [Vec3::ZERO; LANES];
    for (lane, cell) in all.iter_mut().enumerate() {
        *cell = Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
    }
    each::<FULL, _>(cells, lanes, |lane, cell| *cell = all[lane]);
}

#[inline(always)]
fn store4<const FULL: bool>(cells: &mut [Quat], rows: &[Row; 4], lanes: Lanes) {
    let mut all = [[0.0; 4]; LANES];
    for (lane, cell) in all.iter_mut().enumerate() {
        *cell = [rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]];
    }
    each::<FULL, _>(cells, lanes, |lane, cell| *cell = Quat::from_array(all[lane]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Body, BodySlot, CenterOfMass, Collider, ExternalTorque};
    use crate::physics::Physics;
    use hecs::{Entity, World};
    use std::ops::Range;

    const BODIES: usize = 2 * LANES + 3;

    /// Bodies of all kinds: round and not, with and without frames, off their centres, still and under torques, slow and fast, in
    /// flight and on the ground.
    fn spawn(world: &mut World, i: usize) -> Entity {
        let x = i as Real;
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 0.8, Vec3::Z * 0.7, Vec3::ONE * 0.6];
        let shape = match i % 3 {
            0 => Collider::cuboid(0.5, 0.5, 0.5),
            1 => Collider::cuboid(0.2, 0.5, 0.9),
            _ => Collider::convex_hull(&corners).unwrap(),
        };
        let height = if i % 4 == 1 { 0.5 } else { 20.0 };
        let speed = Vec3::new(0.1 * x, 0.0, 1.0 - 0.2 * x);
        let spin = if i.is_multiple_of(5) { Vec3::ZERO } else { Vec3::new(0.1 * x, 1.0, -0.5) };
        let body = Body::dynamic(shape).at(4.0 * x, height, 0.0).linear_velocity(speed).angular_velocity(spin);
        let entity = world.spawn(body);
        if i % 7 == 3 {
            world.insert_one(entity, ExternalTorque(Vec3::new(2.0, x, -1.0))).unwrap();
        }
        if i % 6 == 4 {
            world.insert_one(entity, CenterOfMass(Vec3::new(0.1, 0.0, 0.01 * x))).unwrap();
        }
        entity
    }

    /// These bodies above the ground after some steps, and their slots.
    fn stepped(which: Range<usize>, steps: u32) -> (Physics, Vec<usize>) {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let entities: Vec<Entity> = which.map(|i| spawn(&mut world, i)).collect();
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        for _ in 0..steps {
            physics.step(&mut world, 1.0 / 60.0).unwrap();
        }
        let slot = |e: &Entity| world.get::<&BodySlot>(*e).unwrap().get().unwrap() as usize;
        let slots = entities.iter().map(slot).collect();
        (physics, slots)
    }

    /// All that motion writes of a body.
    fn bits(bodies: &Bodies, slot: usize) -> Vec<u64> {
        let columns = bodies.inverse_inertia[slot].to_cols_array();
        let vectors = [bodies.position[slot], bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
        let vectors = vectors.into_iter().chain([
            bodies.center[slot],
            bodies.center_rest[slot],
            bodies.velocity_rest[slot],
            bodies.momentum_rest[slot],
        ]);
        let scalars = vectors.flat_map(|v| v.to_array()).chain(bodies.orientation[slot].to_array()).chain(columns);
        // Adding zero makes all zeros positive.
        scalars.map(|x| f64::from(x + 0.0)).chain([bodies.odometer[slot]]).map(f64::to_bits).collect()
    }

    #[test]
    fn a_body_comes_to_the_same_bits_among_others_and_alone() {
        let (all, slots) = stepped(0..BODIES, 30);
        for (i, &slot) in slots.iter().enumerate() {
            let (one, alone) = stepped(i..i + 1, 30);
            assert_eq!(bits(&all.state().bodies, slot), bits(&one.state().bodies, alone[0]), "body {i}");
        }
    }

    #[test]
    fn every_set_of_instructions_and_every_choice_of_lanes_gives_the_same_bits() {
        let moved = |path: Path, (flies, shifts): (Lanes, Lanes)| {
            let (mut physics, _) = stepped(0..BODIES, 1);
            let bodies = &mut physics.state_mut().bodies;
            for slot in 0..LANES {
                bodies.displacement[slot] = Vec3::new(0.01, -0.002, 0.1 * slot as Real);
                bodies.rotation[slot] =
                    if slot.is_multiple_of(4) { Vec3::ZERO } else { Vec3::new(0.02 * slot as Real, 0.0, 0.1) };
            }
            let (mut group, mut block) = (Group { bodies, first: 0, dt: 0.02, path }, BodyBlock::default());
            for (lanes, free) in [(flies, true), (shifts, false)] {
                // One after the other, and all at once.
                if path == *Path::available().last().unwrap() {
                    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
                        if free { group.fly(1 << lane, &mut block) } else { group.shift(1 << lane, &mut block) }
                    }
                } else if free {
                    group.fly(lanes, &mut block);
                } else {
                    group.shift(lanes, &mut block);
                }
            }
            (0..LANES).flat_map(|slot| bits(group.bodies, slot)).collect::<Vec<_>>()
        };
        for lanes in [(ALL, 0), (0, ALL), (0x5a3c, ALL & !0x5a3c)] {
            let [fastest, .., plain] = Path::available() else { return };
            let answer = moved(*plain, lanes);
            assert_eq!(moved(*fastest, lanes), answer);
            for path in &Path::available()[1..] {
                assert_eq!(moved(*path, lanes), answer, "{}", path.name());
            }
        }
    }
}
