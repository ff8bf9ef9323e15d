//! Memory: what allocates nothing once its buffers have grown, and how much a body may hold.
//! The counts are per thread, so these tests may run at the same time.

#[path = "../support/allocations.rs"]
mod allocations;
#[path = "../../examples/debug_drawing/gallery.rs"]
mod gallery;
#[path = "../support/islands.rs"]
mod islands;
#[path = "../support/mod.rs"]
mod support;

mod debug_drawing;
mod direct_solver;
mod kernels;
mod substepping;
mod whole_step;
