//! Reads arbitrary bytes as a model, as an expression of a model, and as commands of a model.
//! Checks that the parser does not panic, and that errors have one line.

#![no_main]

use libfuzzer_sys::fuzz_target;

const BEFORE: &[u8] = b"mdp const int N = 3; module m x: [0..N]; y: bool; [a] ";
const AFTER: &[u8] = b" -> 0.5: (x'=x+1) + 0.5: (y'=!y); endmodule";
const COMMANDS: &[u8] = b"y -> (x'=0); ";
const END: &[u8] = b" endmodule label \"l\" = x=N; rewards y: 1; endrewards";

fuzz_target!(|input: &[u8]| {
    let expression = [BEFORE, input, AFTER].concat();
    let commands = [BEFORE, COMMANDS, input, END].concat();
    for text in [input, &expression, &commands] {
        match prism_language::parse(text) {
            Err(error) => assert!(!error.to_string().contains('\n')),
            Ok(model) => {
                if let Err(error) = model.compile(&[]) {
                    assert!(!error.to_string().contains('\n'));
                }
            }
        }
    }
});
