//! Generated scenes of any size, for benchmarks and tests.
//!
//! Metres, y up, g = 9.81 m/s², steps of 1/60 s (the funnel: 1 ms). Random numbers are the same in
//! every run.

mod arch;
mod common;
mod funnel;
mod mass_ratio;
mod mechanisms;
mod net;
mod pile;
mod pyramid;
mod rng;
mod rubble;
mod tower;
mod towers;
mod wall;

pub use common::Generated;

/// A kind of scene.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// The meaning of its size.
    pub counts: &'static str,
    /// Its default size.
    pub usual: usize,
    make: fn(usize) -> Generated,
}

impl Generator {
    /// The scene of a size (at least 1).
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
        name: "walls",
        about: "walls of a hundred bricks, each hit by a heavy ball",
        counts: "walls",
        usual: 8,
        make: rubble::walls,
    },
    Generator {
        name: "dominoes",
        about: "dominoes in a ring, of which the first is pushed",
        counts: "dominoes",
        usual: 400,
        make: rubble::dominoes,
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
        name: "thrown",
        about: "a field of stacks of five boxes, all thrown sideways at once",
        counts: "stacks along each side",
        usual: 18,
        make: rubble::thrown,
    },
    Generator {
        name: "crush",
        about: "a slab of steel falls on small boxes",
        counts: "boxes",
        usual: 400,
        make: rubble::crush,
    },
    Generator {
        name: "heap",
        about: "cubes and balls of 0.1 to 1.2 m dropped into a pit",
        counts: "bodies",
        usual: 1500,
        make: pile::heap,
    },
    Generator {
        name: "capsules",
        about: "capsules of 1.2 m dropped into a pit",
        counts: "capsules",
        usual: 1500,
        make: pile::capsules,
    },
    Generator {
        name: "planks",
        about: "planks of 2 m dropped into a pit",
        counts: "planks",
        usual: 900,
        make: pile::planks,
    },
    Generator {
        name: "rocks",
        about: "hulls of 24 corners dropped into a pit",
        counts: "hulls",
        usual: 900,
        make: pile::rocks,
    },
    Generator {
        name: "hulls",
        about: "hulls of 6 to 14 corners dropped into a pit",
        counts: "hulls",
        usual: 1600,
        make: pile::hulls,
    },
    Generator {
        name: "net",
        about: "a hanging net of balls, pinned to their neighbours",
        counts: "balls along each side",
        usual: 100,
        make: net::net,
    },
    Generator {
        name: "chains",
        about: "chains of ten links that fall from level",
        counts: "chains along each side",
        usual: 16,
        make: mechanisms::chains,
    },
    Generator {
        name: "ragdolls",
        about: "ragdolls of eleven capsules dropped into a pit",
        counts: "ragdolls",
        usual: 125,
        make: mechanisms::ragdolls,
    },
];

/// The scene of a name, with a size or its default one; `None` for an unknown name.
pub fn make(name: &str, size: Option<usize>) -> Option<Generated> {
    let generator = ALL.iter().find(|generator| generator.name == name)?;
    Some(generator.make(size.unwrap_or(generator.usual)))
}
