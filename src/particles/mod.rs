//! Particles: balls that move and do not turn, by the hundred thousand (the impulse collision method, appendix B).
//!
//! A [`Particle`](crate::Particle) is an entity with a radius and a mass; its `Position`, `LinearVelocity` and `Material` are
//! those of bodies. [`Particles`] steps them all, beside a [`Physics`]: it takes gravity, threads and the
//! colliders from there.
//!
//! A step is a leapfrog: half the way, the whole of gravity, the impacts, the projection out of overlaps, half the way. In the
//! middle of it
//! * particles that overlap and approach get the impulse of [`impact::particle`](crate::impact::particle): Newton's restitution,
//!   friction clipped where it would turn sliding round. Impulses are applied one after the other, in several passes, so that
//!   their sum never adds energy either;
//! * particles meet the colliders of rigid bodies as they stand after the last step of the [`Physics`]. A half-space is
//!   one-sided: whatever is behind it is in contact, so that nothing passes, however fast; and nothing is behind one after
//!   a step. Against other colliders fast particles are swept. Dynamic bodies are given the opposite impulses as
//!   [`ExternalImpulse`](crate::ExternalImpulse), for their next step;
//! * overlaps of particles are reduced by the factor `k_p`, weighted by the inverse masses.
//!
//! What the method does not do: particles do not turn, and two fast particles may pass through one another within a step. A deep
//! heap that is stirred faster than a fraction of a radius in a step is pressed together: give it more
//! [`substeps`](ParticleSettings::substeps). The
//! grid's cells are as large as the largest particle, so that one large particle among many small ones makes it slow.
//!
//! Nothing is kept between steps but what contacts carried: a cache, that gives a deep heap its stiffness. Results have the same bits for any number of threads and any order of
//! entities.
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
mod carried;
mod columns;
mod drift;
mod grid;
mod kernels;
mod memory;
mod pairs;
mod remember;
mod settings;
mod snapshot;
mod solve;
mod struck;
mod swarm;
mod walls;

pub use settings::ParticleSettings;
pub use snapshot::ParticleSnapshot;

use crate::error::StepError;
use crate::math::Real;
use crate::parallel;
use crate::physics::Physics;
use crate::query::Filter;
use crate::solver::Path;
use grid::Grid;
use hecs::World;
use memory::Memory;
use solve::Work;
use std::ops::Range;
use struck::StruckBodies;
use swarm::Swarm;
use walls::Walls;

/// Steps the particles of a hecs world. See the [module](self).
#[derive(Default)]
pub struct Particles {
    /// The settings; they may change between steps.
    pub settings: ParticleSettings,
    swarm: Swarm,
    grid: Grid,
    slabs: Vec<Range<usize>>,
    work: Vec<Work>,
    struck: StruckBodies,
    memory: Memory,
    /// The lanes of the wide kernels; they show in no result.
    path: Path,
}

/// What one step of the particles did; of several leapfrog steps, the last one's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParticleReport {
    /// Particles.
    pub particles: usize,
    /// Pairs that touched.
    pub pairs: usize,
    /// Particles on colliders, counted once for each collider.
    pub touches: usize,
    /// The deepest overlap of two particles when they were looked at, as a part of the sum of their radii.
    pub deepest: Real,
}

impl Particles {
    /// A plugin with these settings.
    pub fn new(settings: ParticleSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Steps all particles of the world by `dt` seconds, among the bodies as `physics` left them after its last step.
    ///
    /// # Errors
    /// [`StepError`] for a time step, setting or component that is impossible; nothing was changed then, but that particles
    /// without a position or velocity were given one.
    pub fn step(&mut self, world: &mut World, physics: &Physics, dt: Real) -> Result<ParticleReport, StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::TimeStep { dt: f64::from(dt) });
        }
        self.settings.validate()?;
        physics.settings.validate()?;
        columns::complete(world);
        columns::read(world, &self.memory, &mut self.swarm)?;
        if self.swarm.len() == 0 {
            return Ok(ParticleReport::default());
        }
        let (bodies, colliders) = (&physics.state().bodies, &physics.state().colliders);
        let (query, gravity) = (physics.query(), physics.settings.gravity);
        let filter = Filter::default().layers(self.settings.layers);
        let planes = walls::planes(bodies, colliders, &query, &filter);
        let plane_entities = planes.iter().map(|plane| bodies.entity[plane.slot()]).collect();
        let dt = dt / self.settings.substeps as Real;
        let rest = self.settings.rest_speed.unwrap_or(gravity.length() * dt);
        let walls = Walls { bodies, colliders, query, filter, planes, plane_entities, gravity, dt, rest };
        let threads = physics.threads();
        self.struck.clear();
        let report = physics.crew().run(|| self.leapfrogs(&walls, threads));
        self.memory.leave_all(&self.swarm);
        columns::write(world, &self.swarm, &mut self.memory);
        self.struck.hand_over(bodies, world);
        Ok(report)
    }

    fn leapfrogs(&mut self, walls: &Walls, threads: usize) -> ParticleReport {
        let (dt, gravity) = (walls.dt, walls.gravity);
        for _ in 0..self.settings.substeps {
            drift::first(&mut self.swarm, walls, 0.5 * dt, gravity * dt, threads);
            self.find_contacts(walls, threads);
            self.solve(walls, threads);
            drift::second(&mut self.swarm, walls, 0.5 * dt, threads);
            self.swarm.number();
        }
        let work = &self.work[..self.slabs.len()];
        ParticleReport {
            particles: self.swarm.len(),
            pairs: work.iter().map(|w| w.pairs.len()).sum(),
            touches: work.iter().map(|w| w.touches.fixed.len() + w.touches.dynamic.len()).sum(),
            deepest: work.iter().fold(0.0, |most, w| w.deepest.max(most)),
        }
    }

    fn find_contacts(&mut self, walls: &Walls, threads: usize) {
        let Self { swarm, grid, slabs, work, memory, path, .. } = self;
        grid.build(swarm, threads);
        slabs.clear();
        slabs.extend(grid.slabs.iter().map(|slab| slab.particles.clone()));
        if work.len() < slabs.len() {
            work.resize_with(slabs.len(), Work::default);
        }
        let mut jobs: Vec<_> = grid.slabs.iter().zip(work.iter_mut()).collect();
        parallel::for_each(&mut jobs, threads, |(slab, work)| {
            work.find(grid, slab, swarm, memory, walls.rest, *path);
            walls.find(swarm, memory, slab.particles.clone(), &mut work.touches);
        });
    }

    fn solve(&mut self, walls: &Walls, threads: usize) {
        let path = self.path;
        let Self { swarm, slabs, work, struck, settings, memory, .. } = self;
        let work = &mut work[..slabs.len()];
        let bodies = walls.bodies;
        struck.enlist(bodies, work);
        for colour in 0..2 {
            let mut tasks = solve::tasks(&mut swarm.motions, slabs, work, colour);
            parallel::for_each(&mut tasks, threads, |task| solve::resume(task, path));
        }
        for pass in 0..settings.iterations {
            for colour in 0..2 {
                let mut tasks = solve::tasks(&mut swarm.motions, slabs, work, colour);
                parallel::for_each(&mut tasks, threads, |task| solve::impacts(task, pass, walls.rest, path));
            }
            struck.impacts(bodies, &mut swarm.motions, work, pass, walls.rest);
        }
        // All passes together take out the part that is asked for. One there and one back: more find no more to take out.
        let passes = settings.iterations.min(2);
        let factor = 1.0 - (1.0 - settings.projection).powf(1.0 / passes as Real);
        for pass in 0..passes {
            for colour in 0..2 {
                let mut tasks = solve::tasks(&mut swarm.places, slabs, work, colour);
                let motions = &swarm.motions;
                parallel::for_each(&mut tasks, threads, |task| solve::projections(task, pass, motions, factor, path));
            }
        }
        if walls.rest > 0.0 {
            memory.keep(slabs, work, threads);
        } else {
            memory.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn the_last_bit_is_the_same_for_any_lanes() {
        let heap = |path: Path| {
            let (mut world, mut physics) = (World::new(), Physics::default());
            let mut particles = Particles { path, ..Particles::default() };
            world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            for i in 0..1500 {
                let at = Vec3::new((i % 15) as Real, (i / 150) as Real + 0.6, (i / 15 % 10) as Real);
                // Some bounce, and some are larger than others.
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
        let expected = heap(Path::best());
        for &path in Path::available() {
            assert!(heap(path) == expected, "{}", path.name());
        }
    }
}
