//! Texts with small errors.

/// Changes single bytes of a text, and removes and repeats stretches. An edit consists of a place,
/// the kind of change, and the length of a stretch or the index of the new byte in `bytes`.
///
/// # Panics
/// Panics if there are no `bytes`.
#[must_use]
pub fn mutate(text: &[u8], bytes: &[u8], edits: &[(usize, u8, usize)]) -> Vec<u8> {
    let mut mutant = text.to_vec();
    for &(place, choice, length) in edits {
        if mutant.is_empty() {
            break;
        }
        let at = place % mutant.len();
        let end = (at + length).min(mutant.len());
        match choice % 3 {
            0 => mutant[at] = bytes[length % bytes.len()],
            1 => drop(mutant.drain(at..end)),
            _ => {
                let stretch = mutant[at..end].to_vec();
                mutant.splice(at..at, stretch);
            }
        }
    }
    mutant
}
