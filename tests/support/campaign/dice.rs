//! Random numbers of a world.

use dolmen::math::{Quat, Real, Vec3};

/// A generator with the distributions that worlds need.
pub struct Dice(fastrand::Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.0.f64() < share
    }

    /// A number of a range, evenly.
    pub fn within(&mut self, [least, most]: [f64; 2]) -> f64 {
        least + (most - least) * self.0.f64()
    }

    /// A number of a range, evenly over its decades; zero counts as a millionth of the most.
    pub fn decades(&mut self, [least, most]: [f64; 2]) -> f64 {
        let least = if least > 0.0 { least } else { most * 1e-6 };
        self.within([least.ln(), most.ln()]).exp()
    }

    pub fn count(&mut self, [least, most]: [usize; 2]) -> usize {
        self.0.usize(least..=most)
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.0.usize(0..list.len())].clone()
    }

    /// A number from -reach to reach.
    pub fn about(&mut self, reach: Real) -> Real {
        self.within([-1.0, 1.0]) as Real * reach
    }

    pub fn in_cube(&mut self, reach: Real) -> Vec3 {
        Vec3::new(self.about(reach), self.about(reach), self.about(reach))
    }

    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube(1.0);
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&mut self) -> Quat {
        match self.count([0, 5]) {
            0 => Quat::IDENTITY,
            1 => Quat::from_rotation_y(self.about(3.2)),
            _ => Quat::from_axis_angle(self.direction(), self.about(3.2)),
        }
    }
}
