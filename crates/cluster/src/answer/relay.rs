//! Sends the bytes of all workers to worker 0, in the order of the workers, batch by batch.

use crate::error::{Error, agree};
use crate::net::Net;
use std::io::{self, Write};

/// The largest number of bytes that are sent at once.
const BATCH: u64 = 1 << 21;

/// Writes the bytes of all workers to the `out` of worker 0. The `out` of other workers is not
/// used. `own` writes the bytes of this worker; `lens` has their number for each worker.
///
/// # Errors
/// [`Error::Write`] on a worker that cannot write, or writes another number of bytes than
/// announced; [`Error::Elsewhere`] on the others in this case.
pub fn relay(
    lens: &[u64],
    own: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
    net: &mut Net<'_>,
) -> Result<(), Error> {
    in_batches(BATCH, lens, own, out, net)
}

/// Does the same as [`relay`], with this many bytes at once. Each worker has at least one batch, in
/// which it can report that it has failed.
fn in_batches(
    most: u64,
    lens: &[u64],
    own: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
    net: &mut Net<'_>,
) -> Result<(), Error> {
    let mut own = Some(own);
    for (worker, &len) in lens.iter().enumerate() {
        if let Some(own) = own.take_if(|_| worker == net.me()) {
            Pipe::new(len, most, out, net).carry(own)?;
            continue;
        }
        let mut left = len;
        loop {
            let count = left.min(most);
            step(Ok(&[]), count, out, net)?;
            left -= count;
            if left == 0 {
                break;
            }
        }
    }
    Ok(())
}

/// Sends a batch of this many bytes, if this worker has it, and lets worker 0 write it.
fn step(
    bytes: Result<&[u8], Error>,
    count: u64,
    out: &mut dyn Write,
    net: &mut Net<'_>,
) -> Result<(), Error> {
    const WORD: usize = size_of::<u64>();
    let mut outbox = net.outbox::<u64>();
    for piece in bytes.as_ref().map_or(&[][..], |bytes| bytes).chunks(WORD) {
        let mut word = [0; WORD];
        word[..piece.len()].copy_from_slice(piece);
        outbox.push(net, 0, u64::from_le_bytes(word));
    }
    let words = net.exchange(outbox).into_iter();
    let mut written = bytes.map(drop);
    let mut batch: Vec<u8> = words.flat_map(|(_, word)| word.to_le_bytes()).collect();
    // A worker that has failed sends nothing.
    if batch.len() as u64 >= count && written.is_ok() {
        batch.truncate(count as usize);
        let failure = |error: io::Error| Error::Write(error.to_string());
        written = out.write_all(&batch).map_err(failure);
    }
    agree(net, written)
}

/// The output of the worker whose bytes are being sent.
struct Pipe<'p, 'w> {
    out: &'p mut dyn Write,
    net: &'p mut Net<'w>,
    /// The number of bytes that are still to be sent, including those in the batch.
    left: u64,
    most: u64,
    batch: Vec<u8>,
    /// The error because of which all workers have given up.
    lost: Option<Error>,
}

impl<'p, 'w> Pipe<'p, 'w> {
    fn new(len: u64, most: u64, out: &'p mut dyn Write, net: &'p mut Net<'w>) -> Self {
        Self {
            out,
            net,
            left: len,
            most,
            batch: Vec::new(),
            lost: None,
        }
    }

    /// Lets `own` write all bytes.
    fn carry(mut self, own: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        let written = own(&mut self);
        if let Some(lost) = self.lost {
            return Err(lost);
        }
        let last = match written {
            Err(error) => Err(Error::Write(error.to_string())),
            Ok(()) if self.batch.len() as u64 == self.left => Ok(&self.batch[..]),
            Ok(()) => Err(Error::Write(WRONG_SIZE.to_owned())),
        };
        step(last, self.left.min(self.most), self.out, self.net)
    }
}

const WRONG_SIZE: &str = "a worker has fewer or more bytes than it said";

impl Write for Pipe<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.batch.len() + bytes.len()) as u64 > self.left {
            return Err(io::Error::other(WRONG_SIZE));
        }
        let room = self.most as usize - self.batch.len();
        let taken = bytes.len().min(room);
        self.batch.extend_from_slice(&bytes[..taken]);
        // The last batch is kept until everything is written, because writing may still fail.
        if taken == room && self.left > self.most {
            let sent = step(Ok(&self.batch), self.most, self.out, self.net);
            self.left -= self.most;
            self.batch.clear();
            if let Err(error) = sent {
                let reason = error.to_string();
                self.lost = Some(error);
                return Err(io::Error::other(reason));
            }
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::in_batches;
    use crate::{Error, on_threads};
    use proptest::prelude::*;
    use std::io::{self, Write};

    /// Returns the result of each worker, with batches of 5 bytes. The worker `fails` writes a byte
    /// less and an error, worker 0 takes at most `room` bytes.
    fn relayed(
        all: Vec<Vec<Vec<u8>>>,
        fails: Option<usize>,
        room: usize,
    ) -> Vec<Result<Vec<u8>, Error>> {
        let lens: Vec<u64> = all.iter().map(|own| own.concat().len() as u64).collect();
        let found = on_threads(all.len(), move |net| {
            let me = net.me();
            let own = |out: &mut dyn Write| {
                for piece in &all[me] {
                    out.write_all(piece)?;
                }
                match fails == Some(me) {
                    true => Err(io::Error::other("it broke")),
                    false => Ok(()),
                }
            };
            let mut taken = vec![0; room];
            let mut out = &mut taken[..];
            in_batches(5, &lens, own, &mut out, net)?;
            let left = out.len();
            taken.truncate(room - left);
            Ok(taken)
        });
        found.expect("the workers start")
    }

    fn pieces() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        let own = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..5);
        prop::collection::vec(own, 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn worker_0_gets_all_bytes_in_order(all in pieces()) {
            let expected = all.concat().concat();
            for (me, found) in relayed(all, None, 200).into_iter().enumerate() {
                let expected = if me == 0 { &expected[..] } else { &[] };
                prop_assert_eq!(found.expect("nothing fails"), expected);
            }
        }

        #[test]
        fn all_workers_stop_if_one_fails(all in pieces(), fails: prop::sample::Index) {
            let fails = fails.index(all.len());
            for (me, found) in relayed(all, Some(fails), 200).into_iter().enumerate() {
                match found.expect_err("one has failed") {
                    Error::Write(reason) if me == fails => prop_assert_eq!(reason, "it broke"),
                    Error::Elsewhere { worker } if me != fails => prop_assert_eq!(worker, fails),
                    other => prop_assert!(false, "{}", other),
                }
            }
        }

        #[test]
        fn all_workers_stop_if_there_is_no_room(all in pieces()) {
            let len = all.concat().concat().len();
            prop_assume!(len > 0);
            for (me, found) in relayed(all, None, len - 1).into_iter().enumerate() {
                match found.expect_err("a byte too many") {
                    Error::Write(reason) if me == 0 => prop_assert!(reason.contains("write whole")),
                    Error::Elsewhere { worker } if me != 0 => prop_assert_eq!(worker, 0),
                    other => prop_assert!(false, "{}", other),
                }
            }
        }
    }

    #[test]
    fn a_worker_sends_as_many_bytes_as_it_announced() {
        for said in [0, 2, 4, 20] {
            let found = on_threads(2, move |net| {
                let lens = [3, said];
                let own = |out: &mut dyn Write| out.write_all(b"abc");
                in_batches(5, &lens, own, &mut io::sink(), net)
            });
            let found = found.expect("the workers start");
            assert!(
                matches!(found[0], Err(Error::Elsewhere { worker: 1 })),
                "{found:?}"
            );
            assert!(matches!(found[1], Err(Error::Write(_))), "{found:?}");
        }
    }
}
