//! The variants of the papers' engine, and a set of them that covers all pairs of choices.

use decompose::ComponentSearch;
use decompose::gpu::{Candidates, FbtOptions, Pivot};

/// A variant of the search, without the limits of the device.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) search: ComponentSearch,
    pub(crate) options: FbtOptions,
    /// Whether the edges are cut into shards, of the least size that is possible but at least a
    /// fifth.
    pub(crate) shards: bool,
}

/// The number of values of each option: interval, transpose, shards, search, cache, hybrid, pivot,
/// candidates. The first three determine the layout. The last has no effect on a search for SCCs.
const OPTIONS: [usize; 8] = [3, 2, 2, 2, 2, 2, 2, 2];

type Choice = [usize; OPTIONS.len()];

impl Variant {
    /// Returns the layout. Variants with the same layout can share a loaded graph.
    pub(crate) fn layout(&self) -> (u32, bool, bool) {
        let FbtOptions {
            segment_interval,
            transpose,
            ..
        } = self.options;
        (segment_interval, transpose, self.shards)
    }
}

fn variant(choice: &Choice) -> Variant {
    let [
        interval,
        transpose,
        shards,
        search,
        cache,
        hybrid,
        pivot,
        candidates,
    ] = *choice;
    Variant {
        search: [ComponentSearch::Fbt, ComponentSearch::Bfbt][search],
        options: FbtOptions {
            segment_interval: [0, 1, 7][interval],
            // Some rows of small models are long, too.
            long_row: [3, 1024, 8][interval],
            cache_hops: [0, 3][cache],
            hybrid: hybrid == 0,
            transpose: transpose == 0,
            pivot: [Pivot::Plain, Pivot::Aggregated][pivot],
            candidates: [Candidates::All, Candidates::Join][candidates],
            ..FbtOptions::default()
        },
        shards: shards == 1,
    }
}

/// Returns all combinations of values of the first `options` options; the others have their first
/// value. Neighbouring variants differ least in the first options.
fn product(options: usize) -> Vec<Choice> {
    let count = OPTIONS[..options].iter().product();
    let choice = |mut number: usize| {
        let mut choice = [0; OPTIONS.len()];
        for option in (0..options).rev() {
            choice[option] = number % OPTIONS[option];
            number /= OPTIONS[option];
        }
        choice
    };
    (0..count).map(choice).collect()
}

/// The kind of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sccs,
    Mecs,
}

impl Kind {
    /// Returns the number of options that have an effect: all, or all but the last.
    fn num_options(self) -> usize {
        match self {
            Self::Sccs => OPTIONS.len() - 1,
            Self::Mecs => OPTIONS.len(),
        }
    }
}

/// Returns all variants, with those of one layout next to each other.
pub(crate) fn all(kind: Kind) -> Vec<Variant> {
    product(kind.num_options()).iter().map(variant).collect()
}

/// Returns few variants in which any two values of any two options occur together. Each is chosen
/// greedily: it covers the most pairs that are not covered yet.
pub(crate) fn pairwise(kind: Kind) -> Vec<Variant> {
    let pairs = |choice: &Choice| -> Vec<(usize, usize, usize, usize)> {
        let options = || 0..kind.num_options();
        let above = |i: usize| {
            options()
                .filter(move |&j| j > i)
                .map(move |j| (i, choice[i], j, choice[j]))
        };
        options().flat_map(above).collect()
    };
    let product = product(kind.num_options());
    let mut open: std::collections::BTreeSet<_> = product.iter().flat_map(pairs).collect();
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let gain = |choice: &&Choice| {
            pairs(choice)
                .iter()
                .filter(|pair| open.contains(pair))
                .count()
        };
        let best = product.iter().max_by_key(gain).expect("there are variants");
        pairs(best).iter().for_each(|pair| {
            open.remove(pair);
        });
        chosen.push(variant(best));
    }
    chosen.sort_by_key(Variant::layout);
    chosen
}

#[test]
fn the_covering_sets_are_small() {
    for (kind, size) in [(Kind::Sccs, 192), (Kind::Mecs, 384)] {
        assert_eq!(all(kind).len(), size);
        let few = pairwise(kind).len();
        assert!((6..=12).contains(&few), "{few}");
    }
}
