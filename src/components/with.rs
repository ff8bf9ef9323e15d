use super::Body;
use hecs::{Component, DynamicBundle, TypeInfo};
use std::any::TypeId;
use std::mem::ManuallyDrop;

/// A [`Body`] with further components of the game: see [`Body::with`].
#[derive(Clone, Debug)]
pub struct With<B, C> {
    bundle: B,
    component: C,
}

impl Body {
    /// With a component of the game's own.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// struct Name(&'static str);
    /// struct Health(u32);
    /// let mut world = hecs::World::new();
    /// let ball = Body::dynamic(Collider::ball(0.5)).at(0.0, 2.0, 0.0);
    /// let hero = world.spawn(ball.with(Name("hero")).with(Health(9)));
    /// assert_eq!(world.get::<&Name>(hero).unwrap().0, "hero");
    /// assert_eq!(world.get::<&Health>(hero).unwrap().0, 9);
    /// Physics::default().step(&mut world, 1.0 / 60.0)?;
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    ///
    /// In a tuple, hecs would take the body itself for a component; the next step refuses that.
    pub fn with<C: Component>(self, component: C) -> With<Self, C> {
        With { bundle: self, component }
    }
}

impl<B: DynamicBundle, C: Component> With<B, C> {
    /// With another component. One of a type that is there already replaces nothing: hecs panics
    /// when the entity is spawned.
    pub fn with<D: Component>(self, component: D) -> With<Self, D> {
        With { bundle: self, component }
    }
}

// SAFETY: `with_ids` and `type_info` list the components of the bundle within, which fulfils the
// contract, and one more, sorted as hecs requires; `put` calls `f` once for each, with a pointer to
// a live value of that type, which it does not drop.
unsafe impl<B: DynamicBundle, C: Component> DynamicBundle for With<B, C> {
    fn has<T: Component>(&self) -> bool {
        TypeId::of::<T>() == TypeId::of::<C>() || self.bundle.has::<T>()
    }

    fn with_ids<T>(&self, f: impl FnOnce(&[TypeId]) -> T) -> T {
        let ids: Vec<TypeId> = self.type_info().iter().map(TypeInfo::id).collect();
        f(&ids)
    }

    fn type_info(&self) -> Vec<TypeInfo> {
        let mut infos = self.bundle.type_info();
        infos.push(TypeInfo::of::<C>());
        infos.sort_unstable();
        infos
    }

    unsafe fn put(self, mut f: impl FnMut(*mut u8, TypeInfo)) {
        // SAFETY: the caller's contract is the same for the bundle within.
        unsafe { self.bundle.put(&mut f) };
        let mut component = ManuallyDrop::new(self.component);
        f((&raw mut *component).cast::<u8>(), TypeInfo::of::<C>());
    }
}
