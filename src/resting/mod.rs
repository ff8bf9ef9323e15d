//! Laws of rest: the contact problem of an island and its exact solvers. Pure functions, always in `f64`.
