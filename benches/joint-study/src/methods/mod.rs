//! Methods that move a mechanism by a step.

mod block_descent;
mod dolmen;
mod newton;
mod position_based;
mod rattle;
mod reduced;
mod soft_rows;
mod stable;

use crate::mechanism::Mechanism;
use clap::ValueEnum;

/// A method with what it keeps from step to step.
pub trait Method {
    /// Moves the mechanism by a step of a length (s).
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64);
}

/// Which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// dolmen in `Accuracy::Game`.
    Game,
    /// dolmen in `Accuracy::Exact`.
    Exact,
    /// dolmen in `Accuracy::Game` without its energy guard.
    GameUnguarded,
    /// dolmen in `Accuracy::Exact` without its energy guard.
    ExactUnguarded,
    /// Damped soft rows by sweeps.
    SoftSweeps,
    /// Damped soft rows by a direct factor.
    SoftDirect,
    /// Rigid rows whose error decays, by a direct factor.
    DecayDirect,
    /// Rigid rows by RATTLE.
    Rattle,
    /// The same with inertia that grows with a quarter of the geometric stiffness.
    RattleQuarter,
    /// The same with all of it.
    RattleWhole,
    /// RATTLE with a quarter; substeps that gain energy are done again by `Stable`.
    Passive,
    /// Stiff springs, implicit, with geometric stiffness: one linear solve a substep.
    Stable,
    /// The same without geometric stiffness.
    StableWithout,
    /// Stiff springs, implicit, by Newton's method.
    Newton,
    /// Augmented vertex block descent.
    BlockDescent,
    /// Position-based dynamics with small steps.
    PositionBased,
    /// Reduced coordinates, semi-implicit.
    Reduced,
}

impl Kind {
    /// The method for a mechanism, with so many substeps; none if it cannot move that one.
    pub fn start(self, mechanism: &Mechanism, substeps: usize) -> Option<Box<dyn Method>> {
        let accuracy = match self {
            Self::Exact | Self::ExactUnguarded => ::dolmen::Accuracy::Exact,
            _ => ::dolmen::Accuracy::Game,
        };
        Some(match self {
            Self::Game | Self::Exact => Box::new(dolmen::Dolmen::new(mechanism, accuracy, true)),
            Self::GameUnguarded | Self::ExactUnguarded => Box::new(dolmen::Dolmen::new(mechanism, accuracy, false)),
            Self::SoftSweeps => Box::new(soft_rows::Sweeps::new(mechanism, substeps)),
            Self::SoftDirect => Box::new(soft_rows::Direct::new(mechanism, substeps, true)),
            Self::DecayDirect => Box::new(soft_rows::Direct::new(mechanism, substeps, false)),
            Self::Rattle => Box::new(rattle::Rattle::new(mechanism, substeps, 0.0)),
            Self::RattleQuarter => Box::new(rattle::Rattle::new(mechanism, substeps, 0.25)),
            Self::RattleWhole => Box::new(rattle::Rattle::new(mechanism, substeps, 1.0)),
            Self::Passive => Box::new(rattle::Passive::new(mechanism, substeps)),
            Self::Stable => Box::new(stable::Stable::new(mechanism, substeps, true)),
            Self::StableWithout => Box::new(stable::Stable::new(mechanism, substeps, false)),
            Self::Newton => Box::new(newton::Newton::new(mechanism, substeps)),
            Self::BlockDescent => Box::new(block_descent::BlockDescent::new(mechanism, substeps)),
            Self::PositionBased => Box::new(position_based::PositionBased { substeps }),
            Self::Reduced => Box::new(reduced::Reduced::new(mechanism, substeps)?),
        })
    }

    /// Substeps that the method is known for.
    pub fn substeps(self) -> usize {
        match self {
            Self::SoftSweeps | Self::SoftDirect | Self::DecayDirect => 4,
            Self::Rattle | Self::RattleQuarter | Self::RattleWhole | Self::Passive => 4,
            Self::Stable | Self::StableWithout => 4,
            Self::Newton => 2,
            Self::BlockDescent => 1,
            Self::PositionBased => 20,
            Self::Reduced => 8,
            Self::Game | Self::Exact | Self::GameUnguarded | Self::ExactUnguarded => 1,
        }
    }
}
