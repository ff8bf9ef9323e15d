use crate::math::Vec3;

/// World axes along which a body does not translate and about which it does not rotate. Default:
/// none.
///
/// ```
/// use dolmen::components::LockedAxes;
/// let flat = LockedAxes::PLANE_XY;
/// assert!(flat.contains(LockedAxes::TRANSLATION_Z) && !flat.contains(LockedAxes::ROTATION_Z));
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `LockedAxes` | 1 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LockedAxes(u8);

impl LockedAxes {
    /// Nothing is locked.
    pub const NONE: Self = Self(0);
    /// No motion along x.
    pub const TRANSLATION_X: Self = Self(1);
    /// No motion along y.
    pub const TRANSLATION_Y: Self = Self(2);
    /// No motion along z.
    pub const TRANSLATION_Z: Self = Self(4);
    /// No rotation about x.
    pub const ROTATION_X: Self = Self(8);
    /// No rotation about y.
    pub const ROTATION_Y: Self = Self(16);
    /// No rotation about z.
    pub const ROTATION_Z: Self = Self(32);
    /// No translation.
    pub const TRANSLATION: Self = Self(7);
    /// No rotation: for characters.
    pub const ROTATION: Self = Self(56);
    /// Motion in the plane of x and y only: no translation along z, no rotation about x or y.
    pub const PLANE_XY: Self = Self(4 | 8 | 16);
    /// Motion in the plane of y and z only.
    pub const PLANE_YZ: Self = Self(1 | 16 | 32);
    /// Motion in the plane of z and x only.
    pub const PLANE_ZX: Self = Self(2 | 32 | 8);
    /// The planes perpendicular to x, y and z.
    pub const PLANES: [Self; 3] = [Self::PLANE_YZ, Self::PLANE_ZX, Self::PLANE_XY];

    /// Both sets of locks.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if all of `other` is locked here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The lock of translation along x, y and z.
    pub const fn translations(self) -> [bool; 3] {
        [self.0 & 1 != 0, self.0 & 2 != 0, self.0 & 4 != 0]
    }

    /// The lock of rotation about x, y and z.
    pub const fn rotations(self) -> [bool; 3] {
        [self.0 & 8 != 0, self.0 & 16 != 0, self.0 & 32 != 0]
    }

    /// 1 along each world axis that translation is free along, 0 along the others.
    pub(crate) fn free_translations(self) -> Vec3 {
        Vec3::from_array(self.translations().map(|locked| if locked { 0.0 } else { 1.0 }))
    }

    /// 1 along each world axis that rotation is free about, 0 along the others.
    pub(crate) fn free_rotations(self) -> Vec3 {
        Vec3::from_array(self.rotations().map(|locked| if locked { 0.0 } else { 1.0 }))
    }
}

impl std::ops::BitOr for LockedAxes {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}
