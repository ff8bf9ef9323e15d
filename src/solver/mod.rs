//! The scalable contact solver: many manifolds at once, in wide lanes, over substeps.
