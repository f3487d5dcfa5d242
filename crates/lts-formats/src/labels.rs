//! The meaning of labels: the internal action, and gates.

/// The name of the internal action in Aldebaran files of CADP, and in EXP.
pub const INTERNAL: &str = "i";

/// Returns whether a label denotes the internal action: `i` in CADP, `tau` in mCRL2.
///
/// ```
/// assert!(lts_formats::is_internal("i") && lts_formats::is_internal("tau"));
/// assert!(!lts_formats::is_internal("in"));
/// ```
#[must_use]
pub fn is_internal(label: &str) -> bool {
    label == INTERNAL || label == "tau"
}

/// Returns the gate of a label: the text before the first blank, `!`, `?` or `(`.
///
/// ```
/// assert_eq!(lts_formats::gate("SEND !1 !TRUE"), "SEND");
/// assert_eq!(lts_formats::gate("lock(p1, f2)"), "lock");
/// ```
#[must_use]
pub fn gate(label: &str) -> &str {
    let end = label.find([' ', '\t', '!', '?', '(']);
    &label[..end.unwrap_or(label.len())]
}
