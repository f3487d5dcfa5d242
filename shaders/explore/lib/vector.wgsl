//! The vector that an invocation looks up.
#import explore/lib/table

/// The number of words of a vector.
override WORDS: u32;

var<private> vector: array<u32, 8>;

/// Returns the sequence of slots of the vector.
fn probe_of_vector() -> Probe {
    var one = 0u;
    var two = 0u;
    for (var word = 0u; word < WORDS; word++) {
        one = mix_one(one, vector[word & 7u]);
        two = mix_two(two, vector[word & 7u]);
    }
    return probe_of(one, two);
}
