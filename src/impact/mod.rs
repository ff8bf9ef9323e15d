//! Laws of impact: pure functions from the state before a collision to the state after it.
//!
//! | law | what it solves |
//! |---|---|
//! | [`frictional`] | one contact: Stronge's law with Coulomb friction, integrated (Baber 2011) |
//! | [`planar`] | the same in the plane, in closed form (Baber 2011, section 5) |
//! | [`newton`] | one contact: Newton's law with Coulomb clamping, never adding energy |
//! | [`simultaneous`] | several contacts at once, without friction (Baber 2006, section 3.4) |
//! | [`propagation`] | several contacts in the order of their moments (Baber 2006, section 3.4) |
//! | [`linkage`] | impulse response of jointed bodies (Bender and Schmitt 2006, section 4) |
//! | [`particle`] | balls without rotation: restitution and friction, in the engine's scalar |
//! | [`rays`] | the directions of sliding that an impact keeps (Baber 2011, section 3.7) |
//!
//! [`collision_matrix`] makes the matrix they all start from. Everything here but [`particle`] is
//! `f64`, whatever the engine's scalar: with friction and long arms the collision matrix is too
//! badly conditioned for `f32`.
//!
//! Conventions, those of Baber 2011: the contact's frame has its normal along +z, pointing from
//! body B to body A; `u = u_A - u_B` is the velocity of A's contact point relative to B's, `u.z <
//! 0` while they approach; the impulse `p` acts on A and `-p` on B; and `u = u_0 + K p` with the
//! collision matrix `K`.

pub mod collision_matrix;
pub mod frictional;
pub mod linkage;
pub mod newton;
pub mod particle;
pub mod planar;
pub mod propagation;
pub mod rays;
pub mod simultaneous;
