//! The rewards of an archive.

use crate::error::Error;
use crate::model::rewards::{Amounts, Rewards};
use cycle_mean::Ratio;
use mdp_graph::{MdpGraph, StateId};
use umb::{Entity, Fractions, Numbers, Umb, Values};

/// The group of rewards.
pub(super) const REWARDS: &str = "rewards";

/// Returns all reward structures, for the graph that was made of the archive.
pub(super) fn read(umb: &Umb<'_>, graph: &MdpGraph, file: &str) -> Result<Vec<Rewards>, Error> {
    let all = umb.annotations(REWARDS);
    let names = all.map(|(id, info)| info.alias.as_deref().unwrap_or(id));
    names.map(|name| one(umb, graph, name, file)).collect()
}

fn one(umb: &Umb<'_>, graph: &MdpGraph, name: &str, file: &str) -> Result<Rewards, Error> {
    let wrong = |what: String| Error::of_file(file, format!("the rewards `{name}`: {what}"));
    let amounts = |of| -> Result<Option<Amounts>, Error> {
        let values = umb
            .annotation(REWARDS, name, of)
            .map_err(|error| wrong(error.message()))?;
        let Some(values) = values else {
            return Ok(None);
        };
        let amounts =
            from_values(&values).ok_or_else(|| wrong("their values are no numbers".to_owned()))?;
        match amounts.values.iter().position(|value| !value.is_finite()) {
            Some(i) => Err(wrong(format!(
                "that of {} {i} is infinite or no number",
                element(of)
            ))),
            None => Ok(Some(amounts)),
        }
    };
    let choices = amounts(Entity::Choices)?.map(|choices| with_loops(umb, graph, &choices));
    let branches = amounts(Entity::Branches)?.map(|branches| {
        let reason = "branches earn some, and some of one choice lead to the same state";
        of_kept(umb, graph, &branches).ok_or_else(|| wrong(reason.to_owned()))
    });
    let branches = branches.transpose()?;
    Ok(Rewards {
        name: Some(name.to_owned()).filter(|name| !name.is_empty()),
        states: amounts(Entity::States)?,
        choices,
        branches,
    })
}

/// Returns the name of an element that has rewards, for messages.
fn element(of: Entity) -> &'static str {
    match of {
        Entity::States => "state",
        Entity::Choices => "choice",
        _ => "branch",
    }
}

/// Returns the amounts, or `None` if they are not numbers.
fn from_values(values: &Values<'_>) -> Option<Amounts> {
    Some(match values {
        Values::Numbers(Numbers::Doubles(doubles)) => doubles.to_vec().into(),
        Values::Numbers(Numbers::Fractions(fractions)) => {
            let mut amounts = Amounts::zeros(fractions.len());
            for i in 0..fractions.len() {
                amounts.set(i, fraction(fractions, i)?);
            }
            amounts
        }
        Values::Ints(ints) => whole(ints.iter().map(|&int| int.into())),
        Values::Uints(uints) => whole(uints.iter().map(|&uint| uint.into())),
        _ => return None,
    })
}

fn whole(numbers: impl ExactSizeIterator<Item = i128>) -> Amounts {
    let mut amounts = Amounts::zeros(numbers.len());
    for (i, number) in numbers.enumerate() {
        amounts.set(i, Ratio::new(number, 1));
    }
    amounts
}

/// Returns a fraction, or `None` if its numbers do not fit 64 bits.
fn fraction(fractions: &Fractions<'_>, i: usize) -> Option<Ratio> {
    let (over, under) = (fractions.numerator(i), fractions.denominator(i));
    let negative = over.last().is_some_and(|&byte| byte >= 0x80);
    let fits = |bytes: &[u8], fill: u8| bytes[8..].iter().all(|&byte| byte == fill);
    let word = |bytes: &[u8]| bytes[..8].try_into().ok().map(u64::from_le_bytes);
    let numerator = word(over)?.cast_signed();
    let is_whole = fits(over, if negative { 0xFF } else { 0 }) && fits(under, 0);
    let denominator = word(under).filter(|&denominator| denominator > 0)?;
    let same_sign = (numerator < 0) == negative;
    (is_whole && same_sign).then(|| Ratio::new(numerator.into(), denominator))
}

/// Returns the amounts of choices, with 0 for the self-loops that deadlocks were given.
fn with_loops(umb: &Umb<'_>, graph: &MdpGraph, choices: &Amounts) -> Amounts {
    if choices.values.len() == graph.num_choices() {
        return choices.clone();
    }
    let mut all = Amounts::zeros(graph.num_choices());
    for state in graph.states() {
        let own = umb.choices_of(u64::from(state.0));
        for (choice, place) in own.zip(graph.choice_range(state)) {
            // The fraction is already known.
            if let Ok(amount) = choices.exact(choice.number() as usize) {
                all.set(place, amount);
            }
        }
    }
    all
}

/// Returns the amounts of the branches that the graph has: without those that were dropped, and
/// with 0 for the self-loops that deadlocks were given. Returns `None` if branches to the same
/// state were merged.
fn of_kept(umb: &Umb<'_>, graph: &MdpGraph, branches: &Amounts) -> Option<Amounts> {
    let is_zero = |branch| umb.probabilities().is_some_and(|all| all.is_zero(branch));
    let mut kept = Amounts::zeros(graph.num_branches());
    for state in graph.states() {
        let own = umb.choices_of(u64::from(state.0));
        for (own, choice) in own.zip(graph.choices(state)) {
            let targets = graph.targets(choice);
            let start = graph.branch_offsets()[choice.index()] as usize;
            let mut next = 0;
            for (branch, &target) in own.branches().zip(own.targets()) {
                let is_it = |kept: &StateId| u64::from(kept.0) == target;
                if is_zero(branch) {
                    continue;
                }
                if !targets.get(next).is_some_and(is_it) {
                    // Nature cannot take this branch, unless another one leads to the same state.
                    if targets.iter().any(is_it) {
                        return None;
                    }
                    continue;
                }
                // The fraction is already known.
                if let Ok(amount) = branches.exact(branch) {
                    kept.set(start + next, amount);
                }
                next += 1;
            }
        }
    }
    Some(kept)
}
