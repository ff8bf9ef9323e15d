//! Convergence of the rotation integrators: the error of each by step size, as CSV.

use dolmen::math::{Quat, Real, Vec3};
use dolmen::motion::rotation::{PrincipalInertia, RotationLaw, RotationState, rotate};

/// Duration of the flight (s).
const TIME: f64 = 1.0;

/// Prints the orientation error (rad) of a tumbling box after a second for each integrator and a
/// sequence of step sizes, and the order of convergence: 2 for Strang splitting and 4 for
/// Runge-Kutta, until rounding dominates.
pub fn print() {
    let inertia = PrincipalInertia::aligned(Vec3::new(3.0, 1.0, 2.2));
    let start = RotationState::new(Quat::from_rotation_y(0.3), Vec3::new(2.0, 3.0, -4.0));
    let turn = |law: RotationLaw, steps: u32| {
        let h = (TIME / f64::from(steps)) as Real;
        (0..steps).fold(start, |spin, _| rotate(law, spin, &inertia, Vec3::ZERO, h)).orientation
    };
    let exact = turn(RotationLaw::RungeKutta, if size_of::<Real>() == 8 { 1 << 15 } else { 1 << 9 });
    println!("law,dt,error,slope");
    for (name, law) in [("strang", RotationLaw::Strang), ("runge_kutta", RotationLaw::RungeKutta)] {
        let mut before = None;
        for doubling in 4..12 {
            let steps = 1_u32 << doubling;
            let apart = turn(law, steps).inverse() * exact;
            let error = 2.0 * f64::from(Vec3::new(apart.x, apart.y, apart.z).length()).asin();
            let slope = before.map_or(String::new(), |before: f64| format!("{:.2}", (before / error).log2()));
            println!("{name},{:e},{error:e},{slope}", TIME / f64::from(steps));
            before = Some(error);
        }
    }
}
