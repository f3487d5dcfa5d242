//! What `leaders` says of a state while cycles are found as by Barnat, Bauch, Brim and Češka
//! (2011). A state that is the least of a cycle has its own number.

/// The state may be on a cycle.
const REMAINS = 0xfffffffeu;

/// It is not: all states that led to it were eliminated.
const ELIMINATED = 0xfffffffdu;
