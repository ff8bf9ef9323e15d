//! The contact solver against closed forms and invariants, in a small world of its own.

mod support;

use dolmen::math::{Quat, Real, Vec3};
use support::{World, scenes};

#[test]
fn probe() {
    for (name, mut w, top, x0) in [("tower20", scenes::tower(20), 20, 0.0), ("pyr20", scenes::pyramid(20), 210, 0.0)] {
        for k in 0..1200 {
            w.step();
            if k % 100 == 99 {
                let b = &w.bodies[top];
                let f = w.solver.islands()[0];
                println!("{name} {k}: top {:?} ke {:e} res {:e} sub {}/{} worst {:e}", b.position, w.kinetic_energy(), w.residual(), f.substeps, f.planned, f.residual);
            }
        }
    }
    let _ = (Quat::IDENTITY, Vec3::ZERO, 0.0 as Real, World::new());
}
