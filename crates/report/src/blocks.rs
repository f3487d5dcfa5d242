//! Text of many items, which all threads make in blocks, and one writes in order.

use rayon::prelude::*;
use std::io::{self, Write};
use std::ops::Range;

/// The number of blocks for each thread that are made before they are written.
const BLOCKS_EACH: usize = 2;

/// Writes the text of `items`, of which each block has `len`. `push` appends the text of some of
/// them. It is called by all threads of the current rayon pool.
///
/// # Errors
/// Errors of `out`, and any error of `push`.
pub(crate) fn write(
    out: &mut dyn Write,
    items: Range<usize>,
    len: usize,
    push: impl Fn(&mut Vec<u8>, Range<usize>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let most = BLOCKS_EACH * rayon::current_num_threads();
    let mut texts = vec![Vec::new(); most.min(items.len().div_ceil(len))];
    for start in items.clone().step_by(len * texts.len().max(1)) {
        let starts = (start..items.end).into_par_iter().step_by(len);
        let blocks = texts.par_iter_mut().zip(starts);
        blocks.try_for_each(|(text, start)| {
            text.clear();
            push(text, start..items.end.min(start + len))
        })?;
        for text in texts.iter().take((items.end - start).div_ceil(len)) {
            out.write_all(text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_written_in_order() -> io::Result<()> {
        let batch = 10 * BLOCKS_EACH * rayon::current_num_threads();
        for start in [0, 7] {
            for len in [0, 1, 10, 11, 2 * batch, 2 * batch + 11] {
                let mut text = Vec::new();
                write(&mut text, start..start + len, 10, |text, items| {
                    assert!(items.len() <= 10);
                    items.into_iter().try_for_each(|i| writeln!(text, "{i}"))
                })?;
                let expected: String = (start..start + len).map(|i| format!("{i}\n")).collect();
                assert!(text == expected.as_bytes(), "{len} items from {start}");
            }
        }
        Ok(())
    }

    #[test]
    fn an_error_ends_the_text() {
        let fails = |_: &mut Vec<u8>, items: Range<usize>| match items.contains(&55) {
            true => Err(io::Error::other("no text")),
            false => Ok(()),
        };
        let failed = write(&mut Vec::new(), 0..100, 10, fails);
        assert_eq!(
            failed.map_err(|error| error.to_string()),
            Err("no text".to_owned())
        );
    }
}
