//! Particles: balls without rotation, for hundreds of thousands of them.
//!
//! A [`Particle`](crate::Particle) is an entity with a radius and a mass, and the components
//! `Position`, `LinearVelocity` and `Material`. [`Particles`] steps all of them, and takes gravity,
//! threads and colliders from a [`Physics`].
//!
//! A step is a leapfrog: half of the displacement, all of gravity, contact impulses, overlap
//! correction, the other half of the displacement. In the middle of the step:
//! * Overlapping, approaching particles get the impulse of
//!   [`impact::particle`](crate::impact::particle): Newton's restitution, with friction clamped so
//!   that it does not reverse sliding. Impulses are applied one after another, in several passes,
//!   and never add energy.
//! * Particles collide with rigid bodies at their poses after the last step of the [`Physics`]. A
//!   half-space is one-sided: every particle behind it is in contact and is moved to its surface.
//!   Fast particles are swept against other colliders. Dynamic bodies get the opposite impulses as
//!   [`ExternalImpulse`](crate::ExternalImpulse) for their next step.
//! * Overlaps of particles are reduced by the factor `k_p`, weighted by inverse mass.
//!
//! Limits: particles do not rotate, and two fast particles may pass through each other within a
//! step. A deep pile in motion is compressed if particles move by more than a fraction of a radius
//! per step: use more [`substeps`](ParticleSettings::substeps). Grid cells are as large as the
//! largest particle, so that one large particle among many small ones is slow.
//!
//! Only a cache of contact impulses is kept between steps, for warm starting. Results do not depend
//! on the number of threads or the order of entities.
//!
//! ```
//! use dolmen::particles::{ParticleSettings, Particles};
//! use dolmen::prelude::*;
//! let mut world = hecs::World::new();
//! let mut physics = Physics::new(Settings::default());
//! let mut particles = Particles::new(ParticleSettings::default());
//! world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let grain = world.spawn((Particle::of_density(0.05, 2600.0), Position::new(0.0, 1.0, 0.0), LinearVelocity::default()));
//! for _ in 0..120 {
//!     physics.step(&mut world, 1.0 / 60.0)?;
//!     particles.step(&mut world, &physics, 1.0 / 60.0)?;
//! }
//! assert!((world.get::<&Position>(grain).unwrap().0.y - 0.05).abs() < 1e-5);
//! # Ok::<(), dolmen::StepError>(())
//! ```

mod block;
mod body_impulses;
mod cache_write;
mod columns;
mod contact_cache;
mod contact_impulse;
mod drift;
mod grid;
mod kernels;
mod pairs;
mod particle_set;
mod settings;
mod snapshot;
mod solve;
mod walls;

pub use settings::ParticleSettings;
pub use snapshot::ParticleSnapshot;

use crate::error::{StepError, check_time_step};
use crate::math::{Real, real};
use crate::parallel;
use crate::physics::Physics;
use crate::query::Filter;
use crate::solver::SimdLevel;
use body_impulses::BodyImpulses;
use contact_cache::ContactCache;
use grid::Grid;
use hecs::World;
use particle_set::ParticleSet;
use solve::SlabWork;
use std::ops::Range;
use walls::Walls;

/// Steps the particles of a hecs world. See the [module](self).
#[derive(Default)]
pub struct Particles {
    /// The settings. They may be changed between steps.
    pub settings: ParticleSettings,
    particle_set: ParticleSet,
    grid: Grid,
    slabs: Vec<Range<usize>>,
    work: Vec<SlabWork>,
    body_impulses: BodyImpulses,
    cache: ContactCache,
    /// SIMD level of the step; it does not change results.
    simd_level: SimdLevel,
}

/// Counts of a step; with several leapfrog steps, those of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParticleReport {
    /// Number of particles.
    pub particles: usize,
    /// Pairs of particles in contact.
    pub pairs: usize,
    /// Contacts between particles and colliders.
    pub wall_contacts: usize,
    /// The deepest overlap of two particles in the middle of the step, as a part of the sum of
    /// their radii.
    pub deepest: Real,
}

impl Particles {
    /// A particle system with these settings.
    pub fn new(settings: ParticleSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Steps all particles of the world by `dt` (s), with the bodies at their poses after the last
    /// step of `physics`.
    ///
    /// # Errors
    /// [`StepError`] for an invalid time step, setting or component. Nothing is changed then,
    /// except that particles without a position or velocity get one.
    pub fn step(&mut self, world: &mut World, physics: &Physics, dt: Real) -> Result<ParticleReport, StepError> {
        check_time_step(dt)?;
        self.settings.validate()?;
        physics.settings.validate()?;
        columns::complete(world);
        columns::read(world, &self.cache, &mut self.particle_set)?;
        if self.particle_set.len() == 0 {
            return Ok(ParticleReport::default());
        }
        let (bodies, colliders) = (&physics.state().bodies, &physics.state().colliders);
        let (query, gravity) = (physics.query(), physics.settings.gravity);
        let filter = Filter::default().layers(self.settings.layers);
        let planes = walls::planes(bodies, colliders, &query, &filter);
        let plane_entities = planes.iter().map(|plane| bodies.entity[plane.slot()]).collect();
        let dt = dt / self.settings.substeps as Real;
        let rest_speed = self.settings.rest_speed.unwrap_or(gravity.length() * dt);
        let walls = Walls { bodies, colliders, query, filter, planes, plane_entities, gravity, dt, rest_speed };
        let threads = physics.threads();
        self.simd_level = physics.state().simd;
        self.body_impulses.clear();
        let report = physics.crew().run(|| self.leapfrogs(&walls, threads));
        self.cache.begin_positions(&self.particle_set);
        columns::write(world, &self.particle_set, &mut self.cache);
        self.body_impulses.write_impulses(bodies, world);
        Ok(report)
    }

    fn leapfrogs(&mut self, walls: &Walls, threads: usize) -> ParticleReport {
        let (dt, gravity) = (walls.dt, walls.gravity);
        for _ in 0..self.settings.substeps {
            drift::first_half(&mut self.particle_set, walls, 0.5 * dt, gravity * dt, threads);
            self.find_contacts(walls, threads);
            self.solve(walls, threads);
            drift::second_half(&mut self.particle_set, walls, 0.5 * dt, threads);
            self.particle_set.number();
        }
        let work = &self.work[..self.slabs.len()];
        ParticleReport {
            particles: self.particle_set.len(),
            pairs: work.iter().map(|w| w.pairs.len()).sum(),
            wall_contacts: work.iter().map(|w| w.wall_contacts.fixed.len() + w.wall_contacts.dynamic.len()).sum(),
            deepest: work.iter().fold(0.0, |most, w| w.deepest.max(most)),
        }
    }

    fn find_contacts(&mut self, walls: &Walls, threads: usize) {
        let Self { particle_set, grid, slabs, work, cache, simd_level, .. } = self;
        grid.build(particle_set, threads);
        slabs.clear();
        slabs.extend(grid.slabs.iter().map(|slab| slab.particles.clone()));
        if work.len() < slabs.len() {
            work.resize_with(slabs.len(), SlabWork::default);
        }
        let mut jobs: Vec<_> = grid.slabs.iter().zip(work.iter_mut()).collect();
        parallel::for_each(&mut jobs, threads, |(slab, work)| {
            work.find(grid, slab, particle_set, cache, walls.rest_speed, *simd_level);
            walls.find(particle_set, cache, slab.particles.clone(), &mut work.wall_contacts);
        });
    }

    fn solve(&mut self, walls: &Walls, threads: usize) {
        let simd_level = self.simd_level;
        let Self { particle_set, slabs, work, body_impulses, settings, cache, .. } = self;
        let work = &mut work[..slabs.len()];
        let bodies = walls.bodies;
        body_impulses.add_bodies(bodies, work);
        for colour in 0..2 {
            let mut tasks = solve::tasks(&mut particle_set.motions, slabs, work, colour);
            parallel::for_each(&mut tasks, threads, |task| solve::warm_start(task, simd_level));
        }
        for pass in 0..settings.iterations {
            for colour in 0..2 {
                let mut tasks = solve::tasks(&mut particle_set.motions, slabs, work, colour);
                parallel::for_each(&mut tasks, threads, |task| {
                    solve::impacts(task, pass, walls.rest_speed, simd_level)
                });
            }
            body_impulses.impacts(bodies, &mut particle_set.motions, work, pass, walls.rest_speed);
        }
        // All passes together correct the part `projection`: one pass forwards and one backwards.
        // Further passes bring no gain.
        let passes = settings.iterations.min(2);
        let factor = 1.0 - real::pow(1.0 - settings.projection, 1.0 / passes as Real);
        for pass in 0..passes {
            for colour in 0..2 {
                let mut tasks = solve::tasks(&mut particle_set.places, slabs, work, colour);
                let motions = &particle_set.motions;
                parallel::for_each(&mut tasks, threads, |task| {
                    solve::projections(task, pass, motions, factor, simd_level)
                });
            }
        }
        if walls.rest_speed > 0.0 {
            cache.store_contacts(slabs, work, threads);
        } else {
            cache.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn all_simd_levels_give_the_same_bits() {
        let pile = |simd_level: SimdLevel| {
            let (mut world, mut physics) = (World::new(), Physics::default());
            let mut particles = Particles::default();
            physics.set_simd(simd_level);
            world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            for i in 0..1500 {
                let at = Vec3::new((i % 15) as Real, (i / 150) as Real + 0.6, (i / 15 % 10) as Real);
                // With different restitutions and radii.
                let surface = Material::new(0.2 * (i % 4) as Real, if i % 7 == 0 { 0.6 } else { 0.0 });
                let radius = 0.045 + 0.005 * (i % 3) as Real;
                world.spawn((
                    Particle::of_density(radius, 2000.0),
                    Position(at * 0.1),
                    LinearVelocity::default(),
                    surface,
                ));
            }
            for _ in 0..40 {
                physics.step(&mut world, 1.0 / 60.0).unwrap();
                let report = particles.step(&mut world, &physics, 1.0 / 60.0).unwrap();
                assert_eq!(report.particles, 1500);
            }
            let mut query = world.query::<(&Position, &LinearVelocity)>().with::<&Particle>();
            let bits = |v: Vec3| v.to_array().map(|x| f64::from(x).to_bits());
            query.iter().flat_map(|(x, v)| [bits(x.0), bits(v.0)]).collect::<Vec<_>>()
        };
        let expected = pile(SimdLevel::best());
        for &simd_level in SimdLevel::available() {
            assert!(pile(simd_level) == expected, "{}", simd_level.name());
        }
    }
}
