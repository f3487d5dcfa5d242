//! Prints the contents of an archive: the model's type and counts, its actions, annotations and
//! variables.
//!
//! ```text
//! cargo run --release -p umb --example counts -- model.umb
//! ```

use std::error::Error;
use std::process::exit;

use umb::{Entity, ReadOptions, Umb};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: counts MODEL")?;
    let bytes = std::fs::read(path)?;
    let archive = decompress::inflate(&bytes, &Default::default())?;
    let umb = Umb::read(&archive, &ReadOptions::default())?;

    println!(
        "{} of {} states, {} choices, {} branches",
        umb.model_type(),
        umb.num_states(),
        umb.num_choices(),
        umb.num_branches()
    );
    println!("initial states: {}", umb.initial_states().count());
    if let Some(names) = umb.choice_actions()?.and_then(|all| all.names().cloned()) {
        let names: Vec<_> = names.iter().collect();
        println!("actions: {}", names.join(" "));
    }
    for (group, annotations) in &umb.index().annotations {
        for (id, info) in annotations {
            let name = info.alias.as_deref().unwrap_or(id);
            for &of in &info.applies_to {
                let values = umb.annotation(group, name, of)?;
                let count = values.map_or(0, |values| values.len());
                println!("{group} {name:?}: {}, for {count} {of}", info.value_type);
            }
        }
    }
    if let Some(valuations) = umb.valuations(Entity::States)? {
        let names: Vec<_> = valuations
            .variables(0)
            .map(|variable| &*variable.name)
            .collect();
        println!("variables: {}", names.join(" "));
    }
    Ok(())
}
