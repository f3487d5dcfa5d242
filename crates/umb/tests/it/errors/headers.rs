//! Damaged headers of the tar archive.

/// Sets the checksum of the header at the beginning.
pub(super) fn seal(bytes: &mut [u8]) {
    bytes[148..156].fill(b' ');
    let sum: u32 = bytes[..512].iter().map(|&byte| u32::from(byte)).sum();
    bytes[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

/// Archives with damaged headers. The second header is that of the second entry.
pub(super) fn damaged(sound: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let index = usize::from_str_radix(&String::from_utf8_lossy(&sound[124..135]), 8);
    let second = 512 + index.expect("the size of the index").next_multiple_of(512);
    let changed = |at: usize, new: &[u8]| {
        let mut bytes = sound.to_vec();
        bytes[second + at..second + at + new.len()].copy_from_slice(new);
        bytes
    };
    let sealed = |at: usize, new: &[u8]| {
        let mut bytes = changed(at, new);
        seal(&mut bytes[second..]);
        bytes
    };
    let mut first = sound.to_vec();
    first[150] ^= 1;
    let mut long_twice = sealed(156, b"L");
    long_twice.splice(second..second, long_twice[second..second + 1024].to_vec());
    let mut long_last = sealed(156, b"L");
    long_last.truncate(second + 1024);
    let long_cut = long_last.clone();
    long_last.extend([0; 1024]);
    vec![
        ("a wrong checksum", first),
        ("a wrong checksum behind the index", changed(100, b"1")),
        ("a wrong name", changed(0, b"\x01")),
        ("a checksum that is no number", changed(148, b"zzzzzz")),
        ("a size that is no number", sealed(124, b"zzzz")),
        (
            "a size that is too large",
            sealed(124, b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        ),
        ("a sparse file", sealed(156, b"S")),
        ("a long path, twice", long_twice),
        ("a long path without an entry", long_last),
        ("cut behind a long path", long_cut),
        (
            "cut within the second header",
            sound[..second + 300].to_vec(),
        ),
    ]
}
