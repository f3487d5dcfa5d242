//! What is looked up at once in a state: some groups of one module, under a key.
//!
//! What the commands of a module do depends on the variables that their guards, weights and updates read:
//! those of the module and a few others. The bits of these variables in a packed state are a key of at
//! most 64 bits, under which `moves` keeps what was once computed. Groups of one module come into one
//! bundle as long as its key does not get much wider than that of its widest group.

use crate::code::Code;
use crate::commands::{Branch, Command, Computation, Computed, Weight};
use crate::groups::Group;
use crate::program::Rule;
use crate::variables::Variable;

/// How many bits a bundle's key may have more than that of its widest group.
const WIDER: u32 = 4;

/// Keys up to this width are narrow enough whatever the groups.
const NARROW: u32 = 12;

/// Groups whose moves are remembered together.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    /// Indices of the groups.
    pub(crate) groups: Vec<u32>,
    /// Where the key is; `None` if it is wider than 64 bits.
    pub(crate) key: Option<Key>,
    /// The rules in which one of the groups takes part, with its place in `groups`.
    pub(crate) rules: Vec<(u32, u32)>,
}

/// A group in a bundle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Party {
    pub(crate) bundle: u32,
    /// The place in the bundle's groups.
    pub(crate) at: u32,
}

/// Some bits of a packed state, side by side in 64 bits.
#[derive(Debug, Clone)]
pub(crate) struct Key(Vec<Piece>);

#[derive(Debug, Clone, Copy)]
struct Piece {
    word: u32,
    mask: u64,
    /// How far the bits are rotated to where no other piece is.
    rotate: u32,
}

impl Key {
    /// The bits that `masks` selects of each word, if there is room for them.
    fn new(masks: &[u64]) -> Option<Self> {
        let mut taken = 0;
        let mut pieces = Vec::new();
        for (word, &mask) in masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let rotate = (0..u64::BITS).find(|&by| mask.rotate_left(by) & taken == 0)?;
            taken |= mask.rotate_left(rotate);
            let word = word as u32;
            pieces.push(Piece { word, mask, rotate });
        }
        Some(Self(pieces))
    }

    #[inline(always)]
    pub(crate) fn of(&self, state: &[u64]) -> u64 {
        let bits = |piece: &Piece| {
            let bits = state[piece.word as usize] & piece.mask;
            bits.rotate_left(piece.rotate)
        };
        match &self.0[..] {
            [piece] => bits(piece),
            pieces => pieces.iter().map(bits).fold(0, |key, bits| key | bits),
        }
    }
}

/// The parts of a program that say what its groups read.
pub(crate) struct Parts<'p> {
    pub(crate) variables: &'p [Variable],
    pub(crate) words: usize,
    pub(crate) code: &'p Code,
    pub(crate) commands: &'p [Command],
    pub(crate) branches: &'p [Branch],
    pub(crate) computed: &'p [Computed],
    pub(crate) groups: &'p [Group],
    pub(crate) rules: &'p [Rule],
}

/// Bundles the groups, and says for each rule which of them take part, in order.
pub(crate) fn bundles(parts: &Parts<'_>) -> (Vec<Bundle>, Vec<Vec<Party>>) {
    let mut groups: Vec<(u32, Vec<u64>)> = (0..parts.groups.len() as u32)
        .map(|group| (group, parts.reads(group)))
        .collect();
    groups.sort_by_key(|(_, masks)| std::cmp::Reverse(bits(masks)));
    let mut drafts: Vec<Draft> = Vec::new();
    for (group, masks) in groups {
        let module = parts.module(group);
        let mut drafts_of_module = drafts.iter_mut().filter(|draft| draft.module == module);
        match drafts_of_module.find(|draft| draft.has_room_for(&masks)) {
            Some(draft) => {
                draft.masks = union(&draft.masks, &masks);
                draft.groups.push(group);
            }
            None => drafts.push(Draft {
                module,
                widest: bits(&masks),
                masks,
                groups: vec![group],
            }),
        }
    }
    let mut bundles: Vec<Bundle> = drafts
        .into_iter()
        .map(|draft| Bundle {
            groups: draft.groups,
            key: Key::new(&draft.masks),
            rules: Vec::new(),
        })
        .collect();
    let parties = parties(parts, &mut bundles);
    (bundles, parties)
}

/// A bundle that may grow.
struct Draft {
    module: usize,
    /// How many bits the first group reads, which reads most.
    widest: u32,
    /// The bits that all groups read.
    masks: Vec<u64>,
    groups: Vec<u32>,
}

impl Draft {
    /// Whether the key stays narrow if a group is added that reads these bits.
    fn has_room_for(&self, masks: &[u64]) -> bool {
        bits(&union(&self.masks, masks)) <= (self.widest + WIDER).max(NARROW)
    }
}

/// A bit for each rule, set.
pub(crate) fn all_rules(rules: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; rules.div_ceil(64)];
    if let Some(last) = words.last_mut().filter(|_| !rules.is_multiple_of(64)) {
        *last = (1 << (rules % 64)) - 1;
    }
    words
}

/// The parties of each rule; tells the bundles of them.
fn parties(parts: &Parts<'_>, bundles: &mut [Bundle]) -> Vec<Vec<Party>> {
    let mut places = vec![Party { bundle: 0, at: 0 }; parts.groups.len()];
    for (bundle, index) in bundles.iter().zip(0..) {
        for (&group, at) in bundle.groups.iter().zip(0..) {
            places[group as usize] = Party { bundle: index, at };
        }
    }
    let mut all = Vec::with_capacity(parts.rules.len());
    for (rule, index) in parts.rules.iter().zip(0..) {
        let groups = match rule {
            Rule::Alone(group) => std::slice::from_ref(group),
            Rule::Together(_, groups) => groups,
        };
        let parties: Vec<Party> = groups.iter().map(|&g| places[g as usize]).collect();
        for party in &parties {
            bundles[party.bundle as usize].rules.push((index, party.at));
        }
        all.push(parties);
    }
    all
}

fn bits(masks: &[u64]) -> u32 {
    masks.iter().map(|mask| mask.count_ones()).sum()
}

fn union(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a | b).collect()
}

impl Parts<'_> {
    /// The module that the commands of a group are in.
    fn module(&self, group: u32) -> usize {
        let first = self.groups[group as usize].commands.first();
        first.map_or(0, |&command| self.commands[command as usize].module)
    }

    /// The bits of a packed state on which it depends what a group does.
    fn reads(&self, group: u32) -> Vec<u64> {
        let mut masks = vec![0; self.words];
        let mut read = |slot: u16| {
            let field = self.variables[usize::from(slot)].field;
            masks[field.word as usize] |= field.mask << field.shift;
        };
        let group = &self.groups[group as usize];
        if let Some((slot, _)) = group.index {
            read(slot);
        }
        for &command in &group.commands {
            let command = &self.commands[command as usize];
            if let Some(guard) = command.guard {
                self.code.reads(guard, &mut read);
            }
            let branches = command.branches.start as usize..command.branches.end as usize;
            for branch in &self.branches[branches] {
                if let Weight::Code(code) = branch.weight {
                    self.code.reads(code, &mut read);
                }
                let computed = branch.computed.start as usize..branch.computed.end as usize;
                for computed in &self.computed[computed] {
                    match computed.value {
                        Computation::Sum(slot, _) => read(slot),
                        Computation::Code(code) => self.code.reads(code, &mut read),
                    }
                }
            }
        }
        masks
    }
}
