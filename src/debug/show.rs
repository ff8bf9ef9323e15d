//! What is drawn.

macro_rules! flags {
    ($($(#[$doc:meta])* $flag:ident: $name:literal,)*) => {
        /// What is drawn: one flag each. Each draws by itself, and any may be combined. Default:
        /// shapes, contacts and joints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
        pub struct Show {
            $($(#[$doc])* pub $flag: bool,)*
        }

        impl Show {
            /// Nothing.
            pub const NONE: Self = Self { $($flag: false,)* };
            /// Everything.
            pub const ALL: Self = Self { $($flag: true,)* };
            /// The flags with their names, for keys and menus.
            ///
            /// ```
            /// use dolmen::debug::Show;
            /// let mut show = Show::NONE;
            /// for (_, flag) in Show::FLAGS {
            ///     *flag(&mut show) ^= true;
            /// }
            /// assert_eq!(show, Show::ALL);
            /// ```
            pub const FLAGS: &[(&str, fn(&mut Self) -> &mut bool)] = &[$(($name, |show| &mut show.$flag),)*];
        }
    };
}

flags! {
    /// Colliders with forces, coloured by the kind of the body.
    shapes: "shapes",
    /// Sensors.
    sensors: "sensors",
    /// Bodies of awake islands, coloured by island. A body that touches nothing is in none.
    islands: "islands",
    /// Sleeping bodies.
    sleep: "sleep",
    /// A box about each awake island in the colour of the solver that solved it, with its name:
    /// direct (exact), substeps (scalable) or joints.
    solvers: "solvers",
    /// Axes of bodies at their origins: x red, y green, z blue.
    axes: "axes",
    /// Centres of mass of dynamic bodies.
    centers: "centres of mass",
    /// Velocities of centres of mass, and angular velocities, as arrows.
    velocities: "velocities",
    /// Enlarged boxes of the broad phase. That of a half-space is endless, and not drawn.
    boxes: "boxes",
    /// Joint frames, the axes along and about which joints move, ropes and springs.
    joints: "joints",
    /// Limits of joints, with the present angle or position.
    limits: "limits",
    /// Force and torque that a joint bears, as arrows on the second body, with their size.
    loads: "loads",
    /// Contact points with their normals.
    contacts: "contacts",
    /// Contact forces on the second body of each contact, as arrows, with their size.
    forces: "forces",
}

impl Default for Show {
    fn default() -> Self {
        Self { shapes: true, contacts: true, joints: true, ..Self::NONE }
    }
}
