use crate::math::Real;

/// Rule for combining the coefficients of two touching surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum CombineRule {
    /// (a + b) / 2
    Average,
    /// sqrt(a b): the default for friction
    #[default]
    GeometricMean,
    /// The smaller of the two
    Minimum,
    /// a b
    Multiply,
    /// The larger of the two: the default for restitution
    Maximum,
}

impl CombineRule {
    /// The combined coefficient.
    pub fn combine(self, a: Real, b: Real) -> Real {
        match self {
            Self::Average => 0.5 * (a + b),
            // Without rounding for equal surfaces.
            Self::GeometricMean if a == b => a,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Minimum => a.min(b),
            Self::Multiply => a * b,
            Self::Maximum => a.max(b),
        }
    }
}

/// The [`CombineRule`]s of a surface. If two surfaces differ, the rule that comes later in the list
/// `Average`, `GeometricMean`, `Minimum`, `Multiply`, `Maximum` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CombineRules {
    /// For both coefficients of friction.
    pub friction: CombineRule,
    /// For the coefficient of restitution.
    pub restitution: CombineRule,
}

impl Default for CombineRules {
    fn default() -> Self {
        Self { friction: CombineRule::GeometricMean, restitution: CombineRule::Maximum }
    }
}

/// The law of a single impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactLaw {
    /// Stronge's energetic restitution with Coulomb friction, integrated over the impact (Baber
    /// 2011).
    #[default]
    Frictional,
    /// Newton's restitution with friction clamped to the Coulomb cone, and reduced where it would
    /// add energy.
    Newton,
}

/// The surface of a collider.
///
/// The default is static and dynamic friction 0.5, and no restitution. With the default rules, the
/// friction of a pair is the geometric mean and its restitution the maximum of the two surfaces'.
///
/// ```
/// use dolmen::components::Material;
/// let ice = Material::new(0.02, 0.0);
/// let rubber = Material { static_friction: 1.2, ..Material::new(1.0, 0.8) };
/// assert!((ice.with(&rubber).dynamic_friction - 0.1414).abs() < 1e-4);
/// assert_eq!(ice.with(&rubber).restitution, 0.8);
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `Material` in `f32` / `f64` | 20 / 40 | 4 / 8 |
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Coefficient of static friction (sticking), at least `dynamic_friction`. Default 0.5.
    pub static_friction: Real,
    /// Coefficient of dynamic friction (sliding), at least 0. Default 0.5.
    pub dynamic_friction: Real,
    /// Coefficient of restitution (Stronge's energetic one), 0 to 1. Default 0.
    pub restitution: Real,
    /// Rolling resistance: the lever arm of the resisting torque (m), at least 0. Default 0:
    /// rolling on level ground, and rocking between two points, do not stop. A body on three points or
    /// more does not roll, and is held by them.
    pub rolling_friction: Real,
    /// The rules for combining the coefficients with those of another surface.
    pub rules: CombineRules,
    /// The impact law, or `None` for that of the settings. If two surfaces differ, a law wins over
    /// `None`, and `Newton` over `Frictional`. Default `None`.
    pub impact_law: Option<ImpactLaw>,
}

impl PartialEq for Material {
    /// Without a branch for each field: a step compares the materials of all bodies.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.static_friction == other.static_friction)
            & (self.dynamic_friction == other.dynamic_friction)
            & (self.restitution == other.restitution)
            & (self.rolling_friction == other.rolling_friction)
            & (self.rules.friction == other.rules.friction)
            & (self.rules.restitution == other.rules.restitution)
            & (self.impact_law == other.impact_law)
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::new(0.5, 0.0)
    }
}

impl Material {
    /// A surface with equal static and dynamic friction.
    pub const fn new(friction: Real, restitution: Real) -> Self {
        Self {
            static_friction: friction,
            dynamic_friction: friction,
            restitution,
            rolling_friction: 0.0,
            rules: CombineRules { friction: CombineRule::GeometricMean, restitution: CombineRule::Maximum },
            impact_law: None,
        }
    }

    /// Describes the first invalid field, if any.
    pub(crate) fn problem(&self) -> Option<String> {
        let Self { static_friction, dynamic_friction, rolling_friction, restitution, .. } = *self;
        let named = [
            ("dynamic_friction", dynamic_friction),
            ("static_friction", static_friction),
            ("rolling_friction", rolling_friction),
        ];
        if let Some((name, value)) = named.into_iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
            return Some(format!("{name} must be at least 0 and finite, got {value}"));
        }
        if static_friction < dynamic_friction {
            return Some(format!(
                "static_friction must be at least dynamic_friction, got {static_friction} and {dynamic_friction}"
            ));
        }
        let possible = (0.0..=1.0).contains(&restitution);
        (!possible).then(|| format!("restitution must be from 0 to 1, got {restitution}"))
    }

    /// The combined material of a pair of surfaces. Symmetric.
    pub fn with(&self, other: &Material) -> Material {
        let friction = self.rules.friction.max(other.rules.friction);
        let restitution = self.rules.restitution.max(other.rules.restitution);
        Material {
            static_friction: friction.combine(self.static_friction, other.static_friction),
            dynamic_friction: friction.combine(self.dynamic_friction, other.dynamic_friction),
            restitution: restitution.combine(self.restitution, other.restitution),
            rolling_friction: self.rolling_friction.max(other.rolling_friction),
            rules: CombineRules { friction, restitution },
            impact_law: self.impact_law.max(other.impact_law),
        }
    }
}
