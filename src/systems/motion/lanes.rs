//! Bodies of consecutive slots, moved together by the laws for many bodies.

use crate::bodies::Bodies;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::block::{BodyBlock, displace_lanes, fly_lanes};
use crate::motion::rotation::{LANES, LaneRow};
use crate::parallel::DisjointSlice;
use crate::solver::SimdLevel;
use crate::solver::simd::{Simd, SimdKernel};

/// Bit mask of lanes of a block.
pub(super) type Lanes = u32;

/// All lanes of a block.
pub(super) const ALL: Lanes = (1 << LANES) - 1;

/// The body columns that the laws for many bodies read and write.
pub(super) struct Columns<'a> {
    frame: &'a [Quat],
    local_center: &'a [Vec3],
    principal: &'a [Vec3],
    radius: &'a [Real],
    acceleration: &'a [Vec3],
    torque: &'a [Vec3],
    displacement: &'a [Vec3],
    rotation: &'a [Vec3],
    linear_velocity: DisjointSlice<'a, Vec3>,
    angular_velocity: DisjointSlice<'a, Vec3>,
    center: DisjointSlice<'a, Vec3>,
    position: DisjointSlice<'a, Vec3>,
    orientation: DisjointSlice<'a, Quat>,
    center_rest: DisjointSlice<'a, Vec3>,
    velocity_rest: DisjointSlice<'a, Vec3>,
    momentum_rest: DisjointSlice<'a, Vec3>,
    inverse_inertia: DisjointSlice<'a, Mat3>,
    odometer: DisjointSlice<'a, f64>,
    dirty: DisjointSlice<'a, bool>,
}

impl<'a> Columns<'a> {
    pub fn new(bodies: &'a mut Bodies) -> Self {
        Self {
            frame: &bodies.frame,
            local_center: &bodies.local_center,
            principal: &bodies.principal,
            radius: &bodies.radius,
            acceleration: &bodies.acceleration,
            torque: &bodies.torque,
            displacement: &bodies.displacement,
            rotation: &bodies.rotation,
            linear_velocity: DisjointSlice::new(&mut bodies.linear_velocity),
            angular_velocity: DisjointSlice::new(&mut bodies.angular_velocity),
            center: DisjointSlice::new(&mut bodies.center),
            position: DisjointSlice::new(&mut bodies.position),
            orientation: DisjointSlice::new(&mut bodies.orientation),
            center_rest: DisjointSlice::new(&mut bodies.center_compensation),
            velocity_rest: DisjointSlice::new(&mut bodies.velocity_compensation),
            momentum_rest: DisjointSlice::new(&mut bodies.momentum_compensation),
            inverse_inertia: DisjointSlice::new(&mut bodies.inverse_inertia),
            odometer: DisjointSlice::new(&mut bodies.odometer),
            dirty: DisjointSlice::new(&mut bodies.dirty),
        }
    }

    /// The [`LANES`] bodies from slot `first` on.
    ///
    /// # Safety
    /// While the group lives, no other group of any of these bodies may exist.
    pub unsafe fn group(&self, first: usize, dt: Real, path: SimdLevel) -> Group<'_> {
        let range = first..first + LANES;
        macro_rules! of {
            ($column:ident) => {
                // SAFETY: the caller has exclusive access to these bodies.
                unsafe { self.$column.range(range.clone()) }
            };
        }
        Group {
            frame: part(self.frame, first),
            local_center: part(self.local_center, first),
            principal: part(self.principal, first),
            radius: part(self.radius, first),
            acceleration: part(self.acceleration, first),
            torque: part(self.torque, first),
            displacement: part(self.displacement, first),
            rotation: part(self.rotation, first),
            linear_velocity: of!(linear_velocity),
            angular_velocity: of!(angular_velocity),
            center: of!(center),
            position: of!(position),
            orientation: of!(orientation),
            center_rest: of!(center_rest),
            velocity_rest: of!(velocity_rest),
            momentum_rest: of!(momentum_rest),
            inverse_inertia: of!(inverse_inertia),
            odometer: of!(odometer),
            dirty: of!(dirty),
            dt,
            path,
        }
    }
}

/// The part of a column for the bodies from slot `first` on.
#[inline(always)]
fn part<T>(column: &[T], first: usize) -> &[T; LANES] {
    of_all(&column[first..first + LANES])
}

#[inline(always)]
fn of_all<T>(cells: &[T]) -> &[T; LANES] {
    cells.try_into().expect("a cell for each lane")
}

/// Bodies in consecutive slots, and the time step.
pub(super) struct Group<'a> {
    frame: &'a [Quat; LANES],
    local_center: &'a [Vec3; LANES],
    principal: &'a [Vec3; LANES],
    radius: &'a [Real; LANES],
    acceleration: &'a [Vec3; LANES],
    torque: &'a [Vec3; LANES],
    displacement: &'a [Vec3; LANES],
    rotation: &'a [Vec3; LANES],
    linear_velocity: &'a mut [Vec3],
    angular_velocity: &'a mut [Vec3],
    center: &'a mut [Vec3],
    position: &'a mut [Vec3],
    orientation: &'a mut [Quat],
    center_rest: &'a mut [Vec3],
    velocity_rest: &'a mut [Vec3],
    momentum_rest: &'a mut [Vec3],
    inverse_inertia: &'a mut [Mat3],
    odometer: &'a mut [f64],
    dirty: &'a mut [bool],
    dt: Real,
    path: SimdLevel,
}

impl Group<'_> {
    /// Moves these bodies in free flight.
    pub fn fly(&mut self, lanes: Lanes, block: &mut BodyBlock) {
        self.path.run(Move::<true> { group: self, lanes, block });
    }

    /// Moves these bodies by their displacements and rotations; their velocities are those of the
    /// solver.
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
            displace_lanes(block);
        }
        if lanes == ALL { self.store::<FREE, true>(lanes, block) } else { self.store::<FREE, false>(lanes, block) }
    }

    /// Reads the poses. Values in the other lanes must not slow these down.
    #[inline(always)]
    fn load_place(&self, lanes: Lanes, block: &mut BodyBlock) {
        load4(&mut block.rotation_state.orientation, of_all(self.orientation));
        load_frames(&mut block.rotation_state.frame, self.frame);
        load3(&mut block.center[0], of_all(self.center));
        load3(&mut block.center[1], of_all(self.center_rest));
        load_few(&mut block.local_center, self.local_center);
        load3(&mut block.rotation_state.principal, self.principal);
        block.radius = *self.radius;
        if lanes != ALL {
            keep(&mut block.rotation_state.principal, lanes, 1.0);
        }
        for k in 0..3 {
            for lane in 0..LANES {
                block.rotation_state.inverse[k][lane] = 1.0 / block.rotation_state.principal[k][lane];
            }
        }
    }

    #[inline(always)]
    fn load_flight(&self, lanes: Lanes, block: &mut BodyBlock) {
        load3(&mut block.velocity[0], of_all(self.linear_velocity));
        load3(&mut block.velocity[1], of_all(self.velocity_rest));
        load3(&mut block.acceleration, self.acceleration);
        load3(&mut block.rotation_state.velocity, of_all(self.angular_velocity));
        load3(&mut block.rotation_state.residual, of_all(self.momentum_rest));
        load_few(&mut block.rotation_state.torque, self.torque);
        if lanes != ALL {
            keep(&mut block.rotation_state.velocity, lanes, 0.0);
            keep(&mut block.rotation_state.torque, lanes, 0.0);
        }
    }

    #[inline(always)]
    fn load_shift(&self, block: &mut BodyBlock) {
        load3(&mut block.displacement, self.displacement);
        load3(&mut block.rotation, self.rotation);
        // The solver leaves no rounding remainder.
        (block.velocity[1], block.rotation_state.residual) = Default::default();
    }

    #[inline(always)]
    fn store<const FREE: bool, const FULL: bool>(&mut self, lanes: Lanes, block: &BodyBlock) {
        if FREE {
            store3::<FULL>(self.linear_velocity, &block.velocity[0], lanes);
            store3::<FULL>(self.angular_velocity, &block.rotation_state.velocity, lanes);
        }
        store3::<FULL>(self.center, &block.center[0], lanes);
        store3::<FULL>(self.position, &block.position, lanes);
        store4::<FULL>(self.orientation, &block.rotation_state.orientation, lanes);
        store3::<FULL>(self.center_rest, &block.center[1], lanes);
        store3::<FULL>(self.velocity_rest, &block.velocity[1], lanes);
        store3::<FULL>(self.momentum_rest, &block.rotation_state.residual, lanes);
        // By columns, in vectors of four, for the nine scalars of a matrix.
        let [xx, yy, zz, xy, xz, yz] = &block.inverse_inertia;
        let mut columns = [([0.0; 4], [0.0; 4]); LANES];
        for (lane, (head, tail)) in columns.iter_mut().enumerate() {
            *head = [xx[lane], xy[lane], xz[lane], xy[lane]];
            *tail = [yy[lane], yz[lane], xz[lane], yz[lane]];
        }
        each::<FULL, _>(self.inverse_inertia, lanes, |lane, inverse| {
            let entries: &mut [Real; 9] = inverse.as_mut();
            let (head, tail) = &columns[lane];
            entries[..4].copy_from_slice(head);
            entries[4..8].copy_from_slice(tail);
            entries[8] = zz[lane];
        });
        let mut odometer = *of_all(self.odometer);
        for (lane, path) in odometer.iter_mut().enumerate() {
            *path += f64::from(block.path[0][lane]);
            *path += f64::from(block.path[1][lane]);
        }
        each::<FULL, _>(self.odometer, lanes, |lane, path| *path = odometer[lane]);
        each::<FULL, _>(self.dirty, lanes, |_, dirty| *dirty = true);
    }
}

/// The motion of a group at a SIMD level; the compiler vectorises the lanes.
struct Move<'a, 'b, const FREE: bool> {
    group: &'a mut Group<'b>,
    lanes: Lanes,
    block: &'a mut BodyBlock,
}

impl<const FREE: bool> SimdKernel for Move<'_, '_, FREE> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        self.group.run::<FREE>(self.lanes, self.block);
    }
}

/// Calls `write` for the cells of the selected lanes.
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
fn load3(rows: &mut [LaneRow; 3], cells: &[Vec3; LANES]) {
    for (lane, cell) in cells.iter().enumerate() {
        (rows[0][lane], rows[1][lane], rows[2][lane]) = (cell.x, cell.y, cell.z);
    }
}

#[inline(always)]
fn load4(rows: &mut [LaneRow; 4], cells: &[Quat; LANES]) {
    for (lane, cell) in cells.iter().enumerate() {
        let [x, y, z, w] = cell.to_array();
        (rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]) = (x, y, z, w);
    }
}

/// [`load3`] of cells that are mostly zero.
#[inline(always)]
fn load_few(rows: &mut [LaneRow; 3], cells: &[Vec3; LANES]) {
    let any = cells.iter().fold(false, |any, v| any | (v.x != 0.0) | (v.y != 0.0) | (v.z != 0.0));
    if any {
        load3(rows, cells);
    } else {
        *rows = Default::default();
    }
}

/// [`load4`] of frames that are mostly the identity.
#[inline(always)]
fn load_frames(rows: &mut [LaneRow; 4], cells: &[Quat; LANES]) {
    let any = cells.iter().fold(false, |any, q| any | (q.x != 0.0) | (q.y != 0.0) | (q.z != 0.0) | (q.w != 1.0));
    if any {
        load4(rows, cells);
    } else {
        let zero = [0.0; LANES];
        *rows = [zero, zero, zero, [1.0; LANES]];
    }
}

/// Sets the lanes that are not selected to `other`.
#[inline(always)]
fn keep(rows: &mut [LaneRow; 3], lanes: Lanes, other: Real) {
    for row in rows {
        for (lane, x) in row.iter_mut().enumerate() {
            *x = if lanes >> lane & 1 == 1 { *x } else { other };
        }
    }
}

#[inline(always)]
fn store3<const FULL: bool>(cells: &mut [Vec3], rows: &[LaneRow; 3], lanes: Lanes) {
    // First contiguous, then scattered.
    let mut all = [Vec3::ZERO; LANES];
    for (lane, cell) in all.iter_mut().enumerate() {
        *cell = Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
    }
    each::<FULL, _>(cells, lanes, |lane, cell| *cell = all[lane]);
}

#[inline(always)]
fn store4<const FULL: bool>(cells: &mut [Quat], rows: &[LaneRow; 4], lanes: Lanes) {
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

    /// Bodies of all kinds: with equal and unequal moments, with and without principal frames, with
    /// shifted centres of mass, at rest and under torques, slow and fast, in flight and on the
    /// ground.
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

    /// All columns that motion writes for a body.
    fn bits(bodies: &Bodies, slot: usize) -> Vec<u64> {
        let columns = bodies.inverse_inertia[slot].to_cols_array();
        let vectors = [bodies.position[slot], bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
        let vectors = vectors.into_iter().chain([
            bodies.center[slot],
            bodies.center_compensation[slot],
            bodies.velocity_compensation[slot],
            bodies.momentum_compensation[slot],
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
        let moved = |path: SimdLevel, (flies, shifts): (Lanes, Lanes)| {
            let (mut physics, _) = stepped(0..BODIES, 1);
            let bodies = &mut physics.state_mut().bodies;
            for slot in 0..LANES {
                bodies.displacement[slot] = Vec3::new(0.01, -0.002, 0.1 * slot as Real);
                bodies.rotation[slot] =
                    if slot.is_multiple_of(4) { Vec3::ZERO } else { Vec3::new(0.02 * slot as Real, 0.0, 0.1) };
            }
            let columns = Columns::new(bodies);
            // SAFETY: there is no other group.
            let (mut group, mut block) = (unsafe { columns.group(0, 0.02, path) }, BodyBlock::default());
            for (lanes, free) in [(flies, true), (shifts, false)] {
                // One by one, and all at once.
                if path == *SimdLevel::available().last().unwrap() {
                    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
                        if free { group.fly(1 << lane, &mut block) } else { group.shift(1 << lane, &mut block) }
                    }
                } else if free {
                    group.fly(lanes, &mut block);
                } else {
                    group.shift(lanes, &mut block);
                }
            }
            (0..LANES).flat_map(|slot| bits(bodies, slot)).collect::<Vec<_>>()
        };
        for lanes in [(ALL, 0), (0, ALL), (0x5a3c, ALL & !0x5a3c)] {
            let [fastest, .., plain] = SimdLevel::available() else { return };
            let answer = moved(*plain, lanes);
            assert_eq!(moved(*fastest, lanes), answer);
            for path in &SimdLevel::available()[1..] {
                assert_eq!(moved(*path, lanes), answer, "{}", path.name());
            }
        }
    }
}
