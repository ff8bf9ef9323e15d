use super::{JointAxis, JointFreedom, JointSpring, Motor, Orientation, Position, SwingTwist};
use crate::error::StepError;
use crate::math::{Mat3, Pose, Quat, Real, Vec3};
use hecs::{Entity, World};

/// A joint frame: the attachment of a joint to a body, in the body's axes (or in world axes, if the
/// body is the world).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointFrame {
    /// The anchor, from the body's origin (m).
    pub anchor: Vec3,
    /// Rotation from the joint's axes to the body's. The axis of a revolute or prismatic joint is
    /// x.
    pub orientation: Quat,
}

impl Default for JointFrame {
    fn default() -> Self {
        Self { anchor: Vec3::ZERO, orientation: Quat::IDENTITY }
    }
}

impl JointFrame {
    /// The rotation from x to a direction and from y to another, which is made perpendicular to it.
    /// For parallel ones it is the zero quaternion, which the step rejects.
    pub(crate) fn rotation_to(x: Vec3, y: Vec3) -> Quat {
        let (x, z) = (x.normalize_or_zero(), x.cross(y).normalize_or_zero());
        if z == Vec3::ZERO {
            return Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        }
        Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z))
    }
}

/// The kind of a joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// The anchors coincide: three rotations are free.
    Spherical {
        /// Friction torque about each axis (N m).
        friction: Real,
    },
    /// The anchors and the x axes coincide: the rotation about x is free.
    Revolute(JointAxis),
    /// The second anchor slides along the first x axis, without rotation.
    Prismatic(JointAxis),
    /// The distance of the anchors stays between two bounds (m): a rod if they are equal, a rope if
    /// `least` is 0.
    Distance {
        /// Least distance, at least 0.
        least: Real,
        /// Greatest distance, at least `least`; may be infinite.
        greatest: Real,
    },
    /// A spring between the anchors.
    Spring {
        /// Rest length (m).
        length: Real,
        /// Stiffness and damping.
        spring: JointSpring,
    },
    /// Six separate axes: translation of the second anchor along x, y, z of the first joint frame,
    /// and rotation about them.
    Generic(Box<[JointFreedom; 6]>),
    /// The anchors coincide, the second x axis swings in an elliptic cone about the first, and the
    /// twist about it has limits: a shoulder or a hip.
    SwingTwist(Box<SwingTwist>),
    /// The teeth of two gears mesh. Each gear turns about the x axis of its joint frame, with its
    /// anchor in its centre; the axes are parallel, and other joints hold them.
    Gear {
        /// Turns of the first gear per turn of the second, in opposite senses: the second one's pitch
        /// radius over the first one's. Negative for a ring gear with teeth on its inside; neither 0
        /// nor -1.
        ratio: Real,
    },
    /// A rack (the second body) moves along its x axis by the arc that a pinion (the first) turns
    /// about its own; the two axes are perpendicular, and other joints hold them.
    RackAndPinion {
        /// Pitch radius (m), not 0. A negative one has the rack on the other side of the pinion: it
        /// moves against its x axis for a positive turn.
        radius: Real,
    },
    /// A rope that is wound on a drum (the first body), which turns about the x axis of its joint
    /// frame with its anchor in its centre, and that ends at the second anchor: a winch. A turn about
    /// x winds it up. A drum with two ropes is a pulley with inertia, by the ratio of their radii.
    Winch {
        /// The drum's radius (m), not 0. With a negative one the rope leaves it on the other side,
        /// and a turn about x lets it out.
        radius: Real,
        /// Length of the free rope (m) as the drum stands when the joint is new, at least 0; the
        /// rope is slack while the load is nearer.
        length: Real,
    },
    /// A rope between the anchors that runs over two fixed points of the world, without friction: the
    /// distance of the first anchor from its point, plus `ratio` times that of the second from its own,
    /// stays between two bounds. A part whose anchor is at its point pulls nowhere.
    Pulley {
        /// The points over which the rope runs, for the first and the second anchor (m, in the world).
        points: [Vec3; 2],
        /// Ratio of the block and tackle, above 0: the rope pulls the second body with `ratio` times the
        /// force on the first.
        ratio: Real,
        /// Least length (m), at least 0; the rope can push if it is not 0.
        least: Real,
        /// Greatest length (m), at least `least` and above 0; the rope is slack below it. May be
        /// infinite.
        greatest: Real,
    },
}

/// A joint between two bodies, on an entity of its own.
///
/// ```
/// use dolmen::prelude::*;
/// let mut world = hecs::World::new();
/// let bob = world.spawn(Body::dynamic(Collider::ball(0.1)).at(1.0, 0.0, 0.0));
/// // The bob hangs from the world's origin on a rod of 1 m.
/// let rod = world.spawn((Joint::spherical(None, bob).anchors(Vec3::ZERO, Vec3::NEG_X), JointState::default()));
/// let mut physics = Physics::new(Settings::default());
/// for _ in 0..60 {
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// let distance = world.get::<&Position>(bob).unwrap().0.length();
/// assert!((distance - 1.0).abs() < 1e-4);
/// assert!(world.get::<&JointState>(rod).unwrap().force.length() > 0.0);
/// # Ok::<(), dolmen::StepError>(())
/// ```
///
/// [`JointState`](super::JointState) holds the joint's position, angle and force. When a body is
/// despawned, the step despawns its joints and reports an
/// [`Event::JointLost`](crate::Event::JointLost) for each. The two bodies of a joint do not collide
/// with each other unless `collide` is set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// The two bodies; `None` is the world. At least one is a body, and they are different.
    pub bodies: [Option<Entity>; 2],
    /// The joint frame of each body.
    pub frames: [JointFrame; 2],
    /// The kind.
    pub kind: JointKind,
    /// True if the two bodies still collide with each other. Default false.
    pub collide: bool,
    /// The force (N) at which it breaks. Default infinite.
    pub max_force: Real,
    /// The torque (N m) at which it breaks. Default infinite.
    pub max_torque: Real,
    /// What a builder was asked for that this kind does not have; an error of the step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) misplaced: Option<&'static str>,
}

impl Joint {
    /// A joint of a kind, at the origins of both bodies.
    pub fn new(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, kind: JointKind) -> Self {
        Self {
            bodies: [a.into(), b.into()],
            frames: [JointFrame::default(); 2],
            kind,
            collide: false,
            max_force: Real::INFINITY,
            max_torque: Real::INFINITY,
            misplaced: None,
        }
    }

    /// No relative motion.
    pub fn fixed(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(a, b, JointKind::Fixed)
    }

    /// The anchors coincide: a ball and socket.
    pub fn spherical(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(a, b, JointKind::Spherical { friction: 0.0 })
    }

    /// A hinge about x of the joint frames: see [`Joint::axes`].
    pub fn revolute(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(a, b, JointKind::Revolute(JointAxis::default()))
    }

    /// A slider along x of the joint frames: see [`Joint::axes`].
    pub fn prismatic(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(a, b, JointKind::Prismatic(JointAxis::default()))
    }

    /// The distance of the anchors stays between two bounds (m): a rod if they are equal, a rope if
    /// `least` is 0.
    pub fn distance(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, least: Real, greatest: Real) -> Self {
        Self::new(a, b, JointKind::Distance { least, greatest })
    }

    /// A spring with a rest length (m).
    pub fn spring(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        length: Real,
        spring: JointSpring,
    ) -> Self {
        Self::new(a, b, JointKind::Spring { length, spring })
    }

    /// Six separate axes: translation along x, y, z of the first joint frame, and rotation about
    /// them.
    pub fn generic(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, axes: [JointFreedom; 6]) -> Self {
        Self::new(a, b, JointKind::Generic(Box::new(axes)))
    }

    /// A ball and socket whose swing stays in an elliptic cone, and whose twist has limits.
    pub fn swing_twist(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, limits: SwingTwist) -> Self {
        Self::new(a, b, JointKind::SwingTwist(Box::new(limits)))
    }

    /// Meshed gears that turn about x of their joint frames in opposite senses, the first `ratio`
    /// times per turn of the second; see [`JointKind::Gear`].
    pub fn gear(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, ratio: Real) -> Self {
        Self::new(a, b, JointKind::Gear { ratio })
    }

    /// A pinion of a pitch radius (m) that turns about x of its joint frame, and a rack that it moves
    /// along x of the rack's frame; see [`JointKind::RackAndPinion`].
    pub fn rack_and_pinion(pinion: impl Into<Option<Entity>>, rack: impl Into<Option<Entity>>, radius: Real) -> Self {
        Self::new(pinion, rack, JointKind::RackAndPinion { radius })
    }

    /// A rope of a length (m) from a drum of a radius (m), which turns about x of its joint frame and
    /// winds it up, to a load; see [`JointKind::Winch`].
    pub fn winch(drum: impl Into<Option<Entity>>, load: impl Into<Option<Entity>>, radius: Real, length: Real) -> Self {
        Self::new(drum, load, JointKind::Winch { radius, length })
    }

    /// A rope of a length (m) from the first anchor over two points of the world to the second; the part
    /// on the second body counts `ratio` times. See [`JointKind::Pulley`].
    ///
    /// The force of its [`JointState`](super::JointState), and so the one at which it breaks, is that on
    /// the second body. A ratio that is not finite and above 0, a length that is not above 0, and points
    /// out of range are errors of the step.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let mut world = hecs::World::new();
    /// let mut bob = |x: Real, mass: Real| world.spawn(Body::dynamic(Collider::ball(0.1)).at(x, 0.0, 0.0).mass(mass));
    /// let (light, heavy) = (bob(-1.0, 1.0), bob(1.0, 3.0));
    /// // Both hang 2 m below their points: an Atwood machine.
    /// let points = [Vec3::new(-1.0, 2.0, 0.0), Vec3::new(1.0, 2.0, 0.0)];
    /// world.spawn((Joint::pulley(light, heavy, points, 1.0, 4.0), JointState::default()));
    /// let mut physics = Physics::new(Settings::default());
    /// for _ in 0..30 {
    ///     physics.step(&mut world, 1.0 / 60.0)?;
    /// }
    /// // They accelerate by g (3 - 1) / (3 + 1).
    /// let rise = world.get::<&LinearVelocity>(light).unwrap().0.y;
    /// assert!((rise - 0.5 * 9.81 / 2.0).abs() < 1e-2, "{rise}");
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn pulley(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        points: [Vec3; 2],
        ratio: Real,
        length: Real,
    ) -> Self {
        Self::new(a, b, JointKind::Pulley { points, ratio, least: 0.0, greatest: length })
    }

    /// A soft weld: springs hold the relative position (N/m, N s/m) and orientation (N m/rad,
    /// N m s/rad) of the joint frames. A generic joint with six motors.
    pub fn soft_weld(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        linear: JointSpring,
        angular: JointSpring,
    ) -> Self {
        let axis = |k: usize| motorised(if k < 3 { linear } else { angular }, Real::INFINITY);
        Self::generic(a, b, std::array::from_fn(axis))
    }

    /// A spring that drags the second anchor to the first along each axis of the first frame, with at
    /// most a force along each (N), and leaves all rotations free: a body at the end of a mouse
    /// pointer. Move the first frame's anchor, or a kinematic first body.
    pub fn drag(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        spring: JointSpring,
        max_force: Real,
    ) -> Self {
        let axis = |k: usize| if k < 3 { motorised(spring, max_force) } else { JointFreedom::FREE };
        Self::generic(a, b, std::array::from_fn(axis))
    }

    /// A wheel on a chassis: the second anchor moves along x of the first frame (the suspension), the
    /// wheel turns about x (the steering, if any) and spins about y (the drive). A generic joint;
    /// place it with [`Joint::placed_in`], x upwards and y along the axle.
    ///
    /// [`Joint::axis_mut`] has the suspension as axis 0, the steering as 3, the drive as 4.
    pub fn wheel(
        chassis: impl Into<Option<Entity>>,
        wheel: impl Into<Option<Entity>>,
        suspension: JointAxis,
        steering: Option<JointAxis>,
        drive: JointAxis,
    ) -> Self {
        let mut axes = [JointFreedom::Locked; 6];
        axes[0] = JointFreedom::Free(suspension);
        axes[3] = steering.map_or(JointFreedom::Locked, JointFreedom::Free);
        axes[4] = JointFreedom::Free(drive);
        Self::generic(chassis, wheel, axes)
    }

    /// Sets the anchors, each in the axes of its body, from its origin (m).
    pub fn anchors(mut self, a: Vec3, b: Vec3) -> Self {
        self.frames[0].anchor = a;
        self.frames[1].anchor = b;
        self
    }

    /// Sets the joint's x axis, in the axes of each body. The frames are the shortest rotations
    /// from x to these axes; the angle is zero where the frames coincide.
    pub fn axes(mut self, a: Vec3, b: Vec3) -> Self {
        self.frames[0].orientation = rotation_from_x_to(a);
        self.frames[1].orientation = rotation_from_x_to(b);
        self
    }

    /// Sets both joint frames.
    pub fn frames(mut self, a: JointFrame, b: JointFrame) -> Self {
        self.frames = [a, b];
        self
    }

    /// Places the joint at a point of the world (m) with its x axis along a direction. The angle is
    /// zero at the current poses of the bodies.
    ///
    /// # Errors
    /// [`StepError::Component`] for an entity that does not exist.
    pub fn placed(mut self, world: &World, anchor: Vec3, axis: Vec3) -> Result<Self, StepError> {
        self.place(world, anchor, rotation_from_x_to(axis))?;
        Ok(self)
    }

    /// Places the joint at a point of the world (m) with its x and y axes along two directions; y is
    /// made perpendicular to x. All coordinates are zero at the current poses of the bodies.
    ///
    /// # Errors
    /// [`StepError::Component`] for an entity that does not exist.
    pub fn placed_in(mut self, world: &World, anchor: Vec3, x: Vec3, y: Vec3) -> Result<Self, StepError> {
        self.place(world, anchor, JointFrame::rotation_to(x, y))?;
        Ok(self)
    }

    /// Sets the joint frames to a pose in the world.
    fn place(&mut self, world: &World, anchor: Vec3, there: Quat) -> Result<(), StepError> {
        for (frame, body) in self.frames.iter_mut().zip(self.bodies) {
            let pose = match body {
                Some(body) => pose_of(world, body)?,
                None => Pose::from_parts(Vec3::ZERO, Quat::IDENTITY),
            };
            frame.anchor = pose.rotation.inverse() * (anchor - pose.translation);
            frame.orientation = pose.rotation.inverse() * there;
        }
        Ok(())
    }

    /// Sets limits on the axis of a revolute (rad) or prismatic joint (m), or on the twist of a
    /// swing-twist joint (rad). On another kind they are an error of the step; a generic joint has
    /// them in its [`JointFreedom`]s.
    pub fn limits(mut self, least: Real, greatest: Real) -> Self {
        match self.main_axis_mut() {
            Some(axis) => axis.limits = Some([least, greatest]),
            None => self.misplaced = Some("limits"),
        }
        self
    }

    /// Sets a motor on the axis of a revolute or prismatic joint, or on the twist of a swing-twist
    /// joint. On another kind it is an error of the step; a generic joint has motors in its
    /// [`JointFreedom`]s.
    pub fn motor(mut self, motor: Motor) -> Self {
        match self.main_axis_mut() {
            Some(axis) => axis.motor = Some(motor),
            None => self.misplaced = Some("a motor"),
        }
        self
    }

    /// Sets dry friction on the axis of a revolute (N m) or prismatic joint (N), or about all axes
    /// of a spherical or swing-twist one (N m). On another kind it is an error of the step.
    pub fn friction(mut self, value: Real) -> Self {
        if let JointKind::Spherical { friction } = &mut self.kind {
            *friction = value;
        } else if let JointKind::SwingTwist(joint) = &mut self.kind {
            (joint.twist.friction, joint.swing_friction) = (value, value);
        } else if let Some(axis) = self.main_axis_mut() {
            axis.friction = value;
        } else {
            self.misplaced = Some("friction");
        }
        self
    }

    /// Sets whether the two bodies collide with each other.
    pub fn collide(mut self, collide: bool) -> Self {
        self.collide = collide;
        self
    }

    /// Sets the force (N) and torque (N m) at which the joint breaks.
    pub fn breaks_at(mut self, force: Real, torque: Real) -> Self {
        self.max_force = force;
        self.max_torque = torque;
        self
    }

    /// True if it has a motor or a spring, which give energy.
    pub(crate) fn has_drive(&self) -> bool {
        match &self.kind {
            JointKind::Spring { .. } => true,
            JointKind::Revolute(axis) | JointKind::Prismatic(axis) => axis.motor.is_some(),
            JointKind::Generic(axes) => {
                axes.iter().any(|axis| matches!(axis, JointFreedom::Free(axis) if axis.motor.is_some()))
            }
            JointKind::SwingTwist(joint) => {
                joint.twist.motor.is_some() || joint.swing_motors.iter().any(Option::is_some)
            }
            JointKind::Fixed
            | JointKind::Spherical { .. }
            | JointKind::Distance { .. }
            | JointKind::Gear { .. }
            | JointKind::RackAndPinion { .. }
            | JointKind::Winch { .. }
            | JointKind::Pulley { .. } => false,
        }
    }

    /// The free axis with a number, to change its motor or limits in a game: 0 to 2 are the
    /// translations along x, y, z of the first joint frame, 3 to 5 the rotations about them. `None`
    /// if the kind has no such axis, or it is locked.
    pub fn axis_mut(&mut self, axis: usize) -> Option<&mut JointAxis> {
        match (&mut self.kind, axis) {
            (JointKind::Revolute(free), 3) | (JointKind::Prismatic(free), 0) => Some(free),
            (JointKind::SwingTwist(joint), 3) => Some(&mut joint.twist),
            (JointKind::Generic(axes), _) => match axes.get_mut(axis) {
                Some(JointFreedom::Free(free)) => Some(free),
                _ => None,
            },
            _ => None,
        }
    }

    /// The axis that [`Joint::limits`] and [`Joint::motor`] set.
    fn main_axis_mut(&mut self) -> Option<&mut JointAxis> {
        match self.kind {
            JointKind::Revolute(_) | JointKind::SwingTwist(_) => self.axis_mut(3),
            JointKind::Prismatic(_) => self.axis_mut(0),
            _ => None,
        }
    }
}

/// A free axis with a spring to zero, of at most a force (N) or torque (N m).
fn motorised(spring: JointSpring, max_force: Real) -> JointFreedom {
    JointFreedom::Free(JointAxis { motor: Some(Motor::position(0.0, spring, max_force)), ..JointAxis::default() })
}

/// The shortest rotation from x to a direction. For a direction without length it is the zero
/// quaternion, which the step rejects.
fn rotation_from_x_to(direction: Vec3) -> Quat {
    let largest = direction.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        Quat::from_rotation_arc(Vec3::X, (direction / largest).normalize())
    } else {
        Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)
    }
}

fn pose_of(world: &World, body: Entity) -> Result<Pose, StepError> {
    let missing =
        |_| StepError::Component { entity: body, component: "Joint", problem: "there is no such body".into() };
    let at = world.entity(body).map_err(missing)?;
    let position = at.get::<&Position>().map_or(Vec3::ZERO, |p| p.0);
    let orientation = at.get::<&Orientation>().map_or(Quat::IDENTITY, |q| q.0.normalize());
    Ok(Pose::from_parts(position, orientation))
}
