//! Arrays of fixed length, with an error message that contains the length.

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// `N` values, in JSON an array of exactly that length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<T, const N: usize>(pub [T; N]);

/// A vector: x, y, z.
pub type Vector = Row<f64, 3>;

/// A quaternion: x, y, z, w.
pub type Quaternion = Row<f64, 4>;

/// A pair.
pub type Pair<T> = Row<T, 2>;

/// No rotation.
pub(super) fn identity() -> Quaternion {
    Row([0.0, 0.0, 0.0, 1.0])
}

impl<T, const N: usize> Deref for Row<T, N> {
    type Target = [T; N];
    fn deref(&self) -> &[T; N] {
        &self.0
    }
}

impl<T: Copy + Default, const N: usize> Default for Row<T, N> {
    fn default() -> Self {
        Self([T::default(); N])
    }
}

impl<T, const N: usize> From<[T; N]> for Row<T, N> {
    fn from(values: [T; N]) -> Self {
        Self(values)
    }
}

impl From<glam::DVec3> for Vector {
    fn from(v: glam::DVec3) -> Self {
        Self(v.to_array())
    }
}

impl From<glam::DQuat> for Quaternion {
    fn from(q: glam::DQuat) -> Self {
        Self(q.to_array())
    }
}

impl Vector {
    /// As a glam vector.
    pub fn vec(self) -> glam::DVec3 {
        glam::DVec3::from_array(self.0)
    }

    /// Its direction, of length 1, without overflow or underflow. It is not zero.
    pub(in crate::scene) fn direction(self) -> glam::DVec3 {
        let v = self.vec();
        (v / v.abs().max_element()).normalize()
    }
}

impl Quaternion {
    /// As a glam quaternion, not normalised.
    pub fn quat(self) -> glam::DQuat {
        glam::DQuat::from_array(self.0)
    }
}

impl<T: Serialize, const N: usize> Serialize for Row<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'de, T: Deserialize<'de> + Copy + Default, const N: usize> Deserialize<'de> for Row<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RowVisitor(PhantomData))
    }
}

struct RowVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Copy + Default, const N: usize> Visitor<'de> for RowVisitor<T, N> {
    type Value = Row<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "an array of {N}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut row = Row::default();
        for (i, value) in row.0.iter_mut().enumerate() {
            *value = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
        }
        let mut length = N;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        if length == N { Ok(row) } else { Err(A::Error::invalid_length(length, &self)) }
    }
}
