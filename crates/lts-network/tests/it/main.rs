//! Networks from outside: against a product made by the meaning of the operators, and by example.

mod examples;
mod networks;
mod oracle;
mod random;
mod steps;
