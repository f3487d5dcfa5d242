//! Finds the known name that is most similar to an unknown one.

/// Returns the name that is most similar to `name`, if one is similar enough.
#[must_use]
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// Longer names are ignored, because computing the distance takes time proportional to the
    /// product of the lengths.
    const LONGEST: usize = 64;
    // A name of one or two letters is similar to any other.
    let farthest = name.len() / 3;
    names
        .into_iter()
        .filter(|near| near.len().max(name.len()) <= LONGEST)
        .map(|near| (distance(name.as_bytes(), near.as_bytes()), near))
        .filter(|&(distance, _)| distance <= farthest)
        .min()
        .map(|(_, near)| near)
}

/// Levenshtein's distance: the number of bytes that must be inserted, removed or replaced.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"flaw", b"lawn"), 2);
    }

    #[test]
    fn only_near_names_are_suggested() {
        assert_eq!(nearest("countr", ["left", "counter"]), Some("counter"));
        assert_eq!(nearest("pc3", ["pc1", "x"]), Some("pc1"));
        assert_eq!(nearest("abc", ["xyz"]), None);
    }
}
