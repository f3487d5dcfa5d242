//! Decimal numbers, for the formats that print millions of them.

/// Appends `number` in decimal.
pub(crate) fn push_decimal(text: &mut Vec<u8>, number: u32) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
