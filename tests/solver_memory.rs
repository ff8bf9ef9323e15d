//! A steady step of the contact solver allocates nothing.

#[path = "support/allocations.rs"]
mod allocations;
mod support;

use support::scenes;

#[test]
fn a_steady_step_allocates_nothing() {
    for mut world in [scenes::pyramid(40), scenes::city()] {
        world.parameters.threads = 1;
        world.run(3);
        world.collide();
        world.fill();
        let before = allocations::asked();
        world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        assert_eq!(allocations::asked() - before, 0);
        // Nor does laying out anew, once buffers have grown.
        for _ in 0..2 {
            world.solver.forget();
            world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        }
        world.solver.forget();
        let before = allocations::asked();
        world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        assert_eq!(allocations::asked() - before, 0);
    }
}
