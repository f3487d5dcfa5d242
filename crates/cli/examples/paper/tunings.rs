//! Other ways to share out the work: how they are named, and which ones a sweep tries.

use crate::Result;
use decompose::gpu::worklist::Tuning;

/// One number changed at a time.
pub(crate) const SWEEP: [&str; 16] = [
    "",
    "one_component=0",
    "share=4",
    "share=16",
    "hops=16",
    "hops=256",
    "search-hops=16",
    "search-hops=64",
    "narrow=128",
    "narrow=512",
    "spill_limit=64",
    "spill_limit=1024",
    "groups=512",
    "groups=2048",
    "hub=512",
    "inline=0",
];

/// What differs from the default: `share=64,hops=16`.
pub(crate) fn tuning(text: &str) -> Result<Tuning> {
    let mut tuning = Tuning::default();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or(format!("{pair}: no value"))?;
        let field = match key {
            "share" => &mut tuning.share,
            "groups" => &mut tuning.most_groups,
            "hops" => &mut tuning.hops,
            "search-hops" => &mut tuning.search_hops,
            "narrow" => &mut tuning.narrow,
            "spill_limit" => &mut tuning.spill_limit,
            "left" => &mut tuning.left_times,
            "rounds" => &mut tuning.most_slow_rounds,
            "thin" => &mut tuning.most_thin,
            "most_propagations" => &mut tuning.most_propagations,
            "hub" => &mut tuning.hub_degree,
            "one_component" => &mut tuning.one_component_degree,
            "inline" => &mut tuning.inline_degree,
            _ => return Err(format!("{key}: not a way to share out work").into()),
        };
        *field = value.parse()?;
    }
    Ok(tuning)
}
