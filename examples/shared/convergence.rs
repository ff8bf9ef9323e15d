//! Convergence of the rotation integrators: the error of each by step size, as CSV.

use dolmen::math::{Quat, Real, Vec3};
use dolmen::motion::rotation::{PrincipalInertia, RotationLaw, RotationState, rotate};

/// Duration of the flight (s).
const TIME: f64 = 1.0;

/// The error of an integrator with a step size.
pub struct Row {
    /// `strang` or `runge_kutta`.
    pub law: &'static str,
    /// The step (s).
    pub dt: f64,
    /// Orientation error after a second (rad).
    pub error: f64,
}

/// The orientation error of a tumbling box after a second for each integrator and a sequence of
/// step sizes, the longest first.
pub fn rows() -> Vec<Row> {
    let inertia = PrincipalInertia::aligned(Vec3::new(3.0, 1.0, 2.2));
    let start = RotationState::new(Quat::from_rotation_y(0.3), Vec3::new(2.0, 3.0, -4.0));
    let turn = |law: RotationLaw, steps: u32| {
        let h = (TIME / f64::from(steps)) as Real;
        (0..steps).fold(start, |spin, _| rotate(law, spin, &inertia, Vec3::ZERO, h)).orientation
    };
    let exact = turn(RotationLaw::RungeKutta, if size_of::<Real>() == 8 { 1 << 15 } else { 1 << 9 });
    let laws = [("strang", RotationLaw::Strang), ("runge_kutta", RotationLaw::RungeKutta)];
    let row = |(law, rule): (&'static str, RotationLaw), doubling: u32| {
        let steps = 1_u32 << doubling;
        let apart = turn(rule, steps).inverse() * exact;
        let error = 2.0 * f64::from(Vec3::new(apart.x, apart.y, apart.z).length()).asin();
        Row { law, dt: TIME / f64::from(steps), error }
    };
    laws.into_iter().flat_map(|law| (4..12).map(move |doubling| (law, doubling))).map(|(law, k)| row(law, k)).collect()
}

/// Prints [`rows`] as CSV with the order of convergence: 2 for Strang splitting and 4 for
/// Runge-Kutta, until rounding dominates.
#[allow(dead_code, reason = "a plot takes the rows")]
pub fn print() {
    println!("law,dt,error,slope");
    let rows = rows();
    for (k, Row { law, dt, error }) in rows.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| &rows[k]).filter(|before| before.law == *law);
        let slope = before.map_or(String::new(), |before| format!("{:.2}", (before.error / error).log2()));
        println!("{law},{dt:e},{error:e},{slope}");
    }
}
