//! Mass, centre of mass and inertia of shapes and meshes. Pure functions.
