//! The account of energy of a step, as lines of text.

use dolmen::energy::EnergyBalance;

/// What there was and is, the works, the losses, and what came from nowhere (J).
pub fn lines(balance: &EnergyBalance) -> [String; 4] {
    let EnergyBalance { before, after, gravity, forces, joints, kinematic, push_out, .. } = balance;
    let EnergyBalance { impacts, damping, friction, gained, removed, .. } = balance;
    [
        format!("kinetic energy {before:.4} J, then {after:.4} J"),
        format!(
            "work: gravity {gravity:.4}, forces {forces:.4}, joints {joints:.4}, moving bodies {kinematic:.4}, \
             push-out {push_out:.4} J"
        ),
        format!("losses: impacts {impacts:.4}, damping {damping:.4}, friction and the rest {friction:.4} J"),
        format!("from nowhere {gained:.2e} J, of it taken out again {removed:.2e} J"),
    ]
}
