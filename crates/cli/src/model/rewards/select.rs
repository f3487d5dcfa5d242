//! Chooses one of a model's reward structures.

use super::Rewards;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::model::Model;
use crate::naming::Naming;

/// Returns the reward structure with this name, or the only one if no name is given. If no
/// structure has the name and it is a number, returns the structure with this index, counted from
/// 1. `naming` and `setting` say what messages call the choice.
///
/// # Errors
/// If there is no such structure, or several and no name; with the names that there are.
pub(crate) fn select<'m>(
    model: &'m Model,
    name: Option<&str>,
    file: &str,
    naming: Naming,
    setting: &str,
) -> Result<&'m Rewards, Error> {
    let all = &model.rewards;
    let listed = || {
        let names: Vec<String> = all.iter().map(Rewards::shown).collect();
        format!("it has {}", names.join(", "))
    };
    let Some(name) = name else {
        return match all.as_slice() {
            [only] => Ok(only),
            [] => Err(without_rewards(model.file.format, file)),
            _ => {
                let option = naming.of(setting);
                let message = format!("{file} has several reward structures: {option} chooses one");
                let diagnostic = Diagnostic::new(message).note(listed());
                Err(match all.iter().any(|rewards| rewards.name.is_none()) {
                    true => {
                        let first = naming.with(setting, "1");
                        diagnostic.note(format!("`{first}` chooses the first of them"))
                    }
                    false => diagnostic,
                }
                .into())
            }
        };
    };
    let named = all
        .iter()
        .find(|rewards| rewards.name.as_deref() == Some(name));
    let place = name
        .parse::<usize>()
        .ok()
        .and_then(|place| place.checked_sub(1));
    let found = named.or_else(|| all.get(place?));
    found.ok_or_else(|| match all.as_slice() {
        [] => without_rewards(model.file.format, file),
        _ => {
            let message = format!("{file} has no reward structure `{name}`");
            Diagnostic::new(message).note(listed()).into()
        }
    })
}

fn without_rewards(format: &str, file: &str) -> Error {
    let diagnostic = Diagnostic::new(format!("{file} has no rewards"));
    match format {
        "PRISM explicit" => diagnostic
            .note("rewards are read from files beside it: X.srew and X.trew beside X.tra")
            .into(),
        "PRISM language" => diagnostic
            .note("`rewards \"name\" ... endrewards` defines some")
            .into(),
        "Aldebaran" => diagnostic
            .note("labels are rewards if all of them are decimals or fractions")
            .into(),
        _ => diagnostic.into(),
    }
}
