//! Two hashes of a vector, word by word, for the hash tables of explorations.

/// Returns a permutation that makes each bit depend on all.
fn scatter(word: u32) -> u32 {
    var x = word;
    x = (x ^ (x >> 16u)) * 0x7feb352du;
    x = (x ^ (x >> 15u)) * 0x846ca68bu;
    return x ^ (x >> 16u);
}

/// The first hash of a vector, word by word from 0 on. Vectors of one word all have different ones.
fn mix_one(hash: u32, word: u32) -> u32 {
    return scatter(hash ^ word) * 0x85ebca6bu;
}

/// Returns the second hash.
fn mix_two(hash: u32, word: u32) -> u32 {
    return ((hash ^ word) * 0xcc9e2d51u) ^ (hash >> 15u);
}
