//! A steady step of the substepping solver allocates nothing.

use crate::allocations;
use crate::support::scenes;

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
        // Nor does a rebuild of the layout, once buffers have grown.
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
