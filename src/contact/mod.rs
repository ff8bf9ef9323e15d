//! Contacts: manifolds, the kernels that find them, and the contact graph that keeps them from step to step.



