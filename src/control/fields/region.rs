use crate::math::{Real, Vec3};

/// The places where a field acts, in the axes of its entity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Region {
    /// Everywhere.
    #[default]
    Everywhere,
    /// In a ball about the entity's origin.
    Ball {
        /// Radius (m).
        radius: Real,
    },
    /// In a box about the entity's origin.
    Cuboid {
        /// Half extents (m).
        half: Vec3,
    },
}

impl Region {
    /// True if a point, in the axes of the entity, is inside.
    pub fn contains(&self, point: Vec3) -> bool {
        match *self {
            Self::Everywhere => true,
            Self::Ball { radius } => point.length_squared() <= radius * radius,
            Self::Cuboid { half } => point.abs().cmple(half).all(),
        }
    }

    /// Describes an impossible size.
    pub(super) fn problem(&self) -> Option<String> {
        match *self {
            Self::Ball { radius } if radius.is_nan() || radius <= 0.0 => {
                Some(format!("the region's radius must be positive, got {radius}"))
            }
            Self::Cuboid { half } if !half.cmpgt(Vec3::ZERO).all() => {
                Some(format!("the region's half extents must be positive, got {half}"))
            }
            _ => None,
        }
    }

    /// Its size, for an order.
    pub(super) fn extent(&self) -> Vec3 {
        match *self {
            Self::Everywhere => Vec3::splat(Real::INFINITY),
            Self::Ball { radius } => Vec3::splat(radius),
            Self::Cuboid { half } => half,
        }
    }
}
