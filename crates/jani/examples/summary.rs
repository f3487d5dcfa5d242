//! Prints the parts of a model: `cargo run -p jani --example summary -- model.jani N=7 K=2`

use std::error::Error;
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("expected: model.jani [N=7 ...]")?;
    let given: Vec<String> = arguments.collect();
    let constants: Option<Vec<_>> = given.iter().map(|given| given.split_once('=')).collect();
    let constants = constants.ok_or("expected NAME=VALUE")?;
    let text = std::fs::read(&path)?;
    let program = jani::parse(&text)?.compile(&constants)?;
    println!("{}, {} bits a state", program.model_type(), program.bits());
    for variable in program.variables() {
        let (name, low, high) = (variable.name(), variable.low(), variable.high());
        println!("variable {name}: {low} to {high}");
    }
    for action in program.actions() {
        println!("action {action}");
    }
    for label in program.labels() {
        println!("label {}", label.name());
    }
    program.initial_states(|state| {
        println!("initial {}", program.show(state));
        ControlFlow::Continue(())
    })?;
    Ok(())
}
