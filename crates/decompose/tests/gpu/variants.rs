//! The variants of the GPU engine, and a set of them that covers all pairs of choices.

use decompose::Search;
use decompose::gpu::{GpuOptions, Pivot};

/// One way to search, without the device's particulars.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) search: Search,
    pub(crate) options: GpuOptions,
    /// Cut the edges into shards, as small as they go but at least a fifth.
    pub(crate) shards: bool,
}

/// How many values each knob has: search, interval, cache, hybrid, transpose, pivot, shards.
const KNOBS: [usize; 7] = [2, 3, 2, 2, 2, 2, 2];

type Choice = [usize; KNOBS.len()];

fn variant(choice: &Choice) -> Variant {
    let [search, interval, cache, hybrid, transpose, pivot, shards] = *choice;
    Variant {
        search: [Search::Fbt, Search::Bfbt][search],
        options: GpuOptions {
            segment_interval: [0, 1, 7][interval],
            cache_hops: [0, 3][cache],
            hybrid: hybrid == 0,
            transpose: transpose == 0,
            pivot: [Pivot::Plain, Pivot::Aggregated][pivot],
            ..GpuOptions::default()
        },
        shards: shards == 1,
    }
}

fn product() -> Vec<Choice> {
    let count = KNOBS.iter().product();
    let choice = |mut number: usize| {
        KNOBS.map(|values| {
            let value = number % values;
            number /= values;
            value
        })
    };
    (0..count).map(choice).collect()
}

/// All 192 variants.
pub(crate) fn all() -> Vec<Variant> {
    product().iter().map(variant).collect()
}

/// Few variants, in which any two values of any two knobs occur together: greedily, the variant that
/// covers most pairs that are still open.
pub(crate) fn pairwise() -> Vec<Variant> {
    let pairs = |choice: &Choice| -> Vec<(usize, usize, usize, usize)> {
        let knobs = || 0..KNOBS.len();
        let above = |i: usize| {
            knobs()
                .filter(move |&j| j > i)
                .map(move |j| (i, choice[i], j, choice[j]))
        };
        knobs().flat_map(above).collect()
    };
    let product = product();
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
    chosen
}

#[test]
fn the_covering_set_is_small() {
    assert_eq!(all().len(), 192);
    assert!((6..=12).contains(&pairwise().len()), "{}", pairwise().len());
}
