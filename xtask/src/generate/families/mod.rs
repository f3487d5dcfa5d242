//! The families of generated models. Each family is one structure in every size.
//!
//! A model is a function of the state; its branches are not stored. The same family, size and seed
//! give the same model on every machine. This module does not know how models are written, read or
//! decomposed, so programs outside this crate can build the same models in memory.

mod model;
mod random;
mod seed;
mod shapes;
pub(crate) mod splitmix;
mod traps;

#[allow(unused_imports)] // Not all who share this file name branches.
pub(crate) use model::{Branch, Model};

use seed::Seed;

macro_rules! families {
    ($($variant:ident $name:literal $most:literal $help:literal;)*) => {
        /// The families of models.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Family {
            $(#[doc = $help] $variant,)*
        }

        impl Family {
            /// All families.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name of the family, and a description of its models.
            pub(crate) fn described(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$variant => ($name, $help),)*
                }
            }

            /// Returns the largest size of a model. The numbers of its states, choices and branches
            /// fit 32 bits, and no choice has more than a hundred million branches.
            pub(super) fn largest_size(self) -> u32 {
                match self {
                    $(Self::$variant => $most,)*
                }
            }
        }
    };
}

families! {
    Giant "giant" 1_000_000_000
        "A random model in which every state reaches every other: one huge component";
    Dag "dag" 1_000_000_000
        "A random model without cycles, SIZE states deep at worst; the last state stays";
    Beads "beads" 40_000_000
        "SIZE random components of 1 to 64 states on a string, each with a way on to the next";
    Drift "drift" 1_000_000_000
        "One component of SIZE states, all of which drift to a last one: no MEC but that";
    Chain "chain" 1_000_000_000
        "s -> s + 1; the last state stays";
    Cycle "cycle" 1_000_000_000
        "One cycle through all states";
    Ladder "ladder" 1_000_000_000
        "SIZE rungs: each round of the MEC decomposition finds that one more state has to go";
    Stairs "stairs" 100_000_000
        "SIZE steps: the search for MECs on the CPU looks at the whole model for each of them";
    TwoCycles "two-cycles" 1_000_000_000
        "SIZE cycles of two states, each with a way on to the next";
    Fan "fan" 1_000_000_000
        "One state with SIZE choices, of which every second comes back";
    Lottery "lottery" 100_000_000
        "One state with one choice among SIZE states, which return, and a tenth more states that stay";
    Permutation "permutation" 1_000_000_000
        "One random permutation of SIZE states: a few cycles in no order";
    ShuffledCycle "shuffled-cycle" 1_000_000_000
        "One cycle through SIZE states that are numbered at random";
    BitReversed "bit-reversed" 30
        "A chain of 2^SIZE states whose numbers' bits are reversed";
    Mesh "mesh" 1_000
        "SIZE^3 cells of a mesh, each face of which a sweep crosses one way, here and there the wrong one";
    Scattered "scattered" 40_000_000
        "SIZE components of 2 to 60 states, linked forward, and numbered at random";
    Comb "comb" 1_000_000_000
        "SIZE states in cycles of 16 along a path, which leads there and back, but every third step only there";
    CycleTree "cycle-tree" 100_000_000
        "SIZE cycles of 8 states, the nodes of a binary tree";
    Ribbon "ribbon" 300_000_000
        "A random acyclic model, 4 states wide and SIZE deep";
    PowerLaw "power-law" 26
        "2^SIZE states, 16 times as many edges, most to and from few states (R-MAT)";
    Holes "holes" 30_000
        "A grid of SIZE^2 states, two-way, in which three of ten are missing";
    GiantChains "giant-chains" 1_000_000_000
        "SIZE states, half of them one random component, with chains of 100 that lead there and away";
    Giants "giants" 1_000_000_000
        "SIZE states in 8 random components, one after another, as in the product with an automaton";
    Lotteries "lotteries" 60_000_000
        "SIZE states, each of which may stay, or choose among 32 states ahead at once";
    Ladders "ladders" 10_000_000
        "SIZE ladders of 64 rungs side by side, numbered at random";
}

impl Family {
    /// Returns the family with this name.
    #[allow(dead_code)] // Not all who share this file ask by name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|family| family.described().0 == name)
    }

    /// Returns the size of the model that has about this many states.
    #[allow(dead_code)] // Not all who share this file choose sizes.
    pub(crate) fn size_for(self, states: u32) -> u32 {
        let root = |power: f64| f64::from(states).powf(1.0 / power) as u32;
        let size = match self {
            Self::TwoCycles => states / 2,
            Self::Ribbon => states / 4,
            Self::CycleTree => states / 8,
            Self::Stairs => states / 10,
            Self::Beads | Self::Scattered => states / 32,
            Self::Ladders => states / 64,
            Self::BitReversed | Self::PowerLaw => states.max(2).ilog2(),
            Self::Mesh => root(3.0),
            Self::Holes => root(2.0),
            _ => states,
        };
        size.clamp(1, self.largest_size())
    }

    /// Returns the model of this family and size. Its random parts depend on the seed.
    ///
    /// # Errors
    /// Says why, if there is no model of that size.
    pub(crate) fn model(self, size: u32, seed: u32) -> Result<Box<dyn Model>, String> {
        let most = self.largest_size();
        if size == 0 || size > most {
            return Err(format!("the size must lie between 1 and {most}"));
        }
        let seed = Seed(seed);
        Ok(match self {
            Self::Giant => Box::new(random::Giant { size, seed }),
            Self::Dag => Box::new(random::Dag { size, seed }),
            Self::Beads => Box::new(random::Beads::new(size, seed)),
            Self::Drift => Box::new(shapes::Drift { size }),
            Self::Chain => Box::new(shapes::Chain { size }),
            Self::Cycle => Box::new(shapes::Cycle { size }),
            Self::Ladder => Box::new(shapes::Ladder { size }),
            Self::Stairs => Box::new(shapes::Stairs { size }),
            Self::TwoCycles => Box::new(shapes::TwoCycles { size }),
            Self::Fan => Box::new(shapes::Fan { size }),
            Self::Lottery => Box::new(shapes::Lottery { size }),
            Self::Permutation => Box::new(traps::Permutation::new(size, seed)),
            Self::ShuffledCycle => Box::new(traps::Shuffled::new(shapes::Cycle { size }, seed)),
            Self::BitReversed => Box::new(traps::BitReversed { bits: size }),
            Self::Mesh => Box::new(traps::Mesh { side: size, seed }),
            Self::Scattered => {
                let linked = traps::Linked::new(size, seed);
                Box::new(traps::Shuffled::new(linked, seed))
            }
            Self::Comb => Box::new(traps::Comb { size }),
            Self::CycleTree => Box::new(traps::CycleTree { nodes: size }),
            Self::Ribbon => Box::new(traps::Ribbon { depth: size, seed }),
            Self::PowerLaw => Box::new(random::PowerLaw { bits: size, seed }),
            Self::Holes => Box::new(traps::Holes { side: size, seed }),
            Self::GiantChains => Box::new(random::GiantChains { size, seed }),
            Self::Giants => Box::new(random::Giants { size, seed }),
            Self::Lotteries => Box::new(random::Lotteries { size, seed }),
            Self::Ladders => {
                let ladders = traps::Ladders { count: size };
                Box::new(traps::Shuffled::new(ladders, seed))
            }
        })
    }
}
