//! Locked axes in scene files.

use crate::components::LockedAxes;
use serde::{Deserialize, Serialize};

/// Locked axes: a name, or a list of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "must be one of none, translation, rotation, plane_xy, plane_xz, plane_yz, translation_x, \
                 translation_y, translation_z, rotation_x, rotation_y, rotation_z, or a list of them"
)]
pub enum LockedSpec {
    /// One name.
    One(Lock),
    /// Several names.
    All(Vec<Lock>),
}

impl Default for LockedSpec {
    fn default() -> Self {
        Self::One(Lock::None)
    }
}

impl From<&LockedSpec> for LockedAxes {
    fn from(locked: &LockedSpec) -> Self {
        let locks = match locked {
            LockedSpec::One(lock) => std::slice::from_ref(lock),
            LockedSpec::All(locks) => locks,
        };
        locks.iter().fold(Self::NONE, |axes, &lock| axes | lock.into())
    }
}

/// A name of locked axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// Nothing.
    None,
    /// No translation at all.
    Translation,
    /// No rotation at all.
    Rotation,
    /// Motion in the plane of x and y only.
    PlaneXy,
    /// Motion in the plane of x and z only.
    PlaneXz,
    /// Motion in the plane of y and z only.
    PlaneYz,
    /// No translation along x.
    TranslationX,
    /// No translation along y.
    TranslationY,
    /// No translation along z.
    TranslationZ,
    /// No rotation about x.
    RotationX,
    /// No rotation about y.
    RotationY,
    /// No rotation about z.
    RotationZ,
}

impl From<Lock> for LockedAxes {
    fn from(lock: Lock) -> Self {
        match lock {
            Lock::None => Self::NONE,
            Lock::Translation => Self::TRANSLATION,
            Lock::Rotation => Self::ROTATION,
            Lock::PlaneXy => Self::PLANE_XY,
            Lock::PlaneXz => Self::TRANSLATION_Y | Self::ROTATION_X | Self::ROTATION_Z,
            Lock::PlaneYz => Self::TRANSLATION_X | Self::ROTATION_Y | Self::ROTATION_Z,
            Lock::TranslationX => Self::TRANSLATION_X,
            Lock::TranslationY => Self::TRANSLATION_Y,
            Lock::TranslationZ => Self::TRANSLATION_Z,
            Lock::RotationX => Self::ROTATION_X,
            Lock::RotationY => Self::ROTATION_Y,
            Lock::RotationZ => Self::ROTATION_Z,
        }
    }
}
