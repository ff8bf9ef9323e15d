//! Scenes of any size, to measure with.
//!
//! Metres, y up, g = 9.81 m/s², 1/60 s a step (the funnel: 1 ms). Nothing is at random from run to run.

mod arch;
mod common;
mod funnel;
mod mass_ratio;
mod net;
mod pile;
mod pyramid;
mod rng;
mod rubble;
mod tower;
mod towers;
mod wall;

use super::format::Scene;
use crate::components::Position;
use hecs::{Entity, World};

/// A scene, and what to look for at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The scene.
    pub scene: Scene,
    /// The body on top, where everything should stay as it starts; none where bodies fall.
    pub top: Option<usize>,
    /// How far a body's origin may lie from the middle in x and z (m) before it counts as lost; none: anywhere.
    pub bound: Option<f64>,
}

impl Generated {
    /// How far the top has sunk or risen (m, up is positive); none for a scene without a top.
    pub fn top_error(&self, world: &World, entities: &[Entity]) -> Option<f64> {
        let top = self.top?;
        let height = f64::from(world.get::<&Position>(entities[top]).ok()?.0.y);
        Some(height - self.scene.bodies[top].position[1])
    }

    /// How many bodies have left: their origins lie below the floor's face, outside the bound, or nowhere.
    pub fn lost(&self, world: &World, entities: &[Entity]) -> usize {
        let inside = |&entity: &Entity| {
            let Ok(position) = world.get::<&Position>(entity) else { return false };
            let bound = self.bound.unwrap_or(f64::INFINITY);
            let [x, y, z] = position.0.to_array().map(f64::from);
            y >= 0.0 && x.abs() <= bound && z.abs() <= bound
        };
        let dynamic = |i: &usize| self.scene.bodies[*i].kind == super::format::KindSpec::Dynamic;
        (0..entities.len()).filter(dynamic).filter(|&i| !inside(&entities[i])).count()
    }

    /// The number of dynamic bodies.
    pub fn dynamic(&self) -> usize {
        self.scene.bodies.iter().filter(|body| body.kind == super::format::KindSpec::Dynamic).count()
    }
}

/// A kind of scene.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What its size counts.
    pub counts: &'static str,
    /// Its usual size.
    pub usual: usize,
    make: fn(usize) -> Generated,
}

impl Generator {
    /// The scene of a size, at least 1.
    pub fn make(&self, size: usize) -> Generated {
        (self.make)(size.max(1))
    }
}

/// All kinds of scenes.
pub const ALL: &[Generator] = &[
    Generator {
        name: "pyramid",
        about: "a wall of cubes, one fewer in each row",
        counts: "cubes in the lowest row",
        usual: 20,
        make: pyramid::pyramid,
    },
    Generator { name: "tower", about: "cubes, one on the other", counts: "cubes", usual: 20, make: tower::tower },
    Generator {
        name: "wall",
        about: "bricks in running bond",
        counts: "bricks across and rows",
        usual: 20,
        make: wall::wall,
    },
    Generator {
        name: "towers",
        about: "a field of towers of ten cubes",
        counts: "towers along each side",
        usual: 20,
        make: towers::towers,
    },
    Generator { name: "pile", about: "cubes dropped into a pit", counts: "cubes", usual: 1000, make: pile::cubes },
    Generator { name: "balls", about: "balls dropped into a pit", counts: "balls", usual: 4000, make: pile::balls },
    Generator {
        name: "mixed",
        about: "cubes, balls, capsules and hulls dropped into a pit",
        counts: "bodies",
        usual: 2000,
        make: pile::mixed,
    },
    Generator {
        name: "funnel",
        about: "cubes through a funnel, restitution 0.48, friction 0.1 (Bender and Schmitt 2006)",
        counts: "cubes",
        usual: 1000,
        make: funnel::funnel,
    },
    Generator {
        name: "arch",
        about: "a half circle of wedges that hold each other up, friction 0.8",
        counts: "stones, at least 3",
        usual: 21,
        make: arch::arch,
    },
    Generator {
        name: "mass_ratio",
        about: "a cube 1000 times as heavy on a tower",
        counts: "light cubes",
        usual: 10,
        make: mass_ratio::thousand,
    },
    Generator {
        name: "mass_ratio_100",
        about: "a cube 100 times as heavy on a tower",
        counts: "light cubes",
        usual: 10,
        make: mass_ratio::hundred,
    },
    Generator {
        name: "mass_ratio_10",
        about: "a cube 10 times as heavy on a tower",
        counts: "light cubes",
        usual: 10,
        make: mass_ratio::ten,
    },
    Generator {
        name: "breach",
        about: "a wall of bricks that a heavy ball breaks",
        counts: "rows of 30 bricks",
        usual: 12,
        make: rubble::breach,
    },
    Generator {
        name: "shots",
        about: "small heavy balls shot at a wall of 120 cubes",
        counts: "balls",
        usual: 150,
        make: rubble::shots,
    },
    Generator {
        name: "toppled",
        about: "a field of towers of three boxes, every other one pushed over",
        counts: "towers along each side",
        usual: 20,
        make: rubble::toppled,
    },
    Generator {
        name: "sizes",
        about: "cubes of 0.3 to 1.2 m dropped into a pit",
        counts: "cubes",
        usual: 800,
        make: rubble::sizes,
    },
    Generator {
        name: "net",
        about: "a hanging net of balls, pinned to their neighbours",
        counts: "balls along each side",
        usual: 100,
        make: net::net,
    },
];

/// The scene of a name, in a size or its usual one. None if there is no such name.
pub fn make(name: &str, size: Option<usize>) -> Option<Generated> {
    let generator = ALL.iter().find(|generator| generator.name == name)?;
    Some(generator.make(size.unwrap_or(generator.usual)))
}
