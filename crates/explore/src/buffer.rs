//! Buffers that are filled anew for each batch.

/// Empties a buffer that usually holds this many values. If it held many more, its memory is freed:
/// there are many buffers, and each would otherwise keep the memory for its largest batch.
pub(crate) fn empty<T>(buffer: &mut Vec<T>, usual: usize) {
    buffer.clear();
    if buffer.capacity() > 2 * usual {
        buffer.shrink_to(usual);
    }
}

/// Returns the memory that a vector takes when its length becomes `len`, in bytes; 0 if there is
/// room.
pub(crate) fn growth<T>(vector: &Vec<T>, len: usize) -> usize {
    match len <= vector.capacity() {
        true => 0,
        false => len.max(2 * vector.capacity()) * size_of::<T>(),
    }
}

#[cfg(test)]
mod tests {
    use super::empty;

    #[test]
    fn unusual_capacity_is_given_back() {
        let mut buffer: Vec<u8> = Vec::with_capacity(200);
        buffer.extend([1, 2, 3]);
        empty(&mut buffer, 100);
        assert_eq!((buffer.len(), buffer.capacity()), (0, 200));
        buffer.resize(201, 0);
        empty(&mut buffer, 100);
        assert!(buffer.is_empty() && (100..200).contains(&buffer.capacity()));
    }
}
