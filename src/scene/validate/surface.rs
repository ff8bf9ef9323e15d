//! Validation of surfaces.

use super::number::{Must, Shown, number};
use crate::scene::error::SceneError;
use crate::scene::format::SurfaceSpec;

pub(super) fn surface(surface: &SurfaceSpec) -> Result<(), SceneError> {
    for (path, friction) in
        [("static_friction", surface.static_friction), ("dynamic_friction", surface.dynamic_friction)]
    {
        friction.map_or(Ok(()), |friction| number(path, friction, Must::NotBeNegative))?;
    }
    if let (Some(sticking), Some(sliding)) = (surface.static_friction, surface.dynamic_friction)
        && sticking < sliding
    {
        let (sticking, sliding) = (Shown(sticking), Shown(sliding));
        let problem = format!("must be at least dynamic_friction, {sliding}, got {sticking}");
        return Err(SceneError::new("static_friction", problem));
    }
    match surface.restitution {
        Some(restitution) if !(0.0..=1.0).contains(&restitution) => {
            Err(SceneError::new("restitution", format!("must be 0 to 1, got {}", Shown(restitution))))
        }
        _ => Ok(()),
    }
}
