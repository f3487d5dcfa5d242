//! The graph of a Markov decision process: states, choices and branches.
