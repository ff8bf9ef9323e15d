//! A gas of lossy balls in a closed box never gains energy.

use crate::gas::Gas;

#[test]
fn a_gas_in_a_box_never_gains_energy_from_one_step_to_the_next() {
    let mut gas = Gas::new(6, 1.0 / 240.0);
    for _ in 0..480 {
        gas.step();
    }
    let figures = gas.figures;
    assert!(figures.impacts > 500, "{figures:?}");
    assert!(figures.end < 0.9 * figures.start, "{figures:?}");
    let rounding = if size_of::<dolmen::math::Real>() == 4 { 1e-6 } else { 1e-12 };
    assert!(figures.worst_rise < rounding * figures.start, "{figures:?}");
}
