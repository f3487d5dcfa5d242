//! The handshake of two processes, before timely takes over their connection.
//!
//! When it starts, timely sends a number, and trusts any process that connects. Here, both sides
//! first prove that they know the token, without sending it, and then compare the facts that have
//! to be the same.
//!
//! ```text
//! connecting side         listening side
//! MAGIC, nonce       ─►
//!                    ◄─   MAGIC, nonce
//! proof, facts       ─►
//!                    ◄─   proof, facts
//! ```
//!
//! A proof is an HMAC-SHA-256, with the token as its key, of both nonces, the facts, and the side
//! that sends it. A process that cannot give this proof is rejected, and learns nothing about the
//! facts.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::io::{self, Read, Write};

/// The first bytes of either side, with the version of this protocol at their end.
const MAGIC: [u8; 8] = *b"maxend\0\x01";

/// The largest number of bytes of facts that are read from a process that has not proved anything
/// yet.
const MAX_FACTS: usize = 1 << 16;

const NONCE: usize = 32;
const PROOF: usize = 32;

/// The reason why a handshake failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The other side does not belong to the cluster.
    Stranger(&'static str),
    /// The connection failed.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The side that sends.
#[derive(Clone, Copy)]
enum Side {
    Connects,
    Listens,
}

/// Makes a handshake with a process that listens. Returns its facts.
pub(super) fn to_listener(
    stream: &mut (impl Read + Write),
    token: &[u8],
    facts: &str,
) -> Result<String, Failure> {
    let own_nonce = nonce()?;
    send_nonce(stream, &own_nonce)?;
    let session = Session {
        token,
        own_side: Side::Connects,
        own_nonce,
        others_nonce: read_nonce(stream)?,
    };
    session.send_proof(stream, facts)?;
    session.read_proof(stream, Side::Listens)
}

/// Makes a handshake with a process that connects. Returns its facts.
pub(super) fn to_caller(
    stream: &mut (impl Read + Write),
    token: &[u8],
    facts: &str,
) -> Result<String, Failure> {
    let others_nonce = read_nonce(stream)?;
    let own_nonce = nonce()?;
    send_nonce(stream, &own_nonce)?;
    let session = Session {
        token,
        own_side: Side::Listens,
        own_nonce,
        others_nonce,
    };
    let others_facts = session.read_proof(stream, Side::Connects)?;
    session.send_proof(stream, facts)?;
    Ok(others_facts)
}

fn nonce() -> Result<[u8; NONCE], Failure> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(io::Error::other)?;
    Ok(nonce)
}

fn send_nonce(stream: &mut impl Write, nonce: &[u8; NONCE]) -> Result<(), Failure> {
    stream.write_all(&[&MAGIC[..], nonce].concat())?;
    Ok(stream.flush()?)
}

fn read_nonce(stream: &mut impl Read) -> Result<[u8; NONCE], Failure> {
    let mut magic = [0; MAGIC.len()];
    stream.read_exact(&mut magic)?;
    let (name, version) = magic.split_at(MAGIC.len() - 1);
    if name != &MAGIC[..MAGIC.len() - 1] {
        return Err(Failure::Stranger("it does not speak as maxend does"));
    }
    if version != [MAGIC[MAGIC.len() - 1]] {
        return Err(Failure::Stranger(
            "it speaks as another version of maxend does",
        ));
    }
    let mut nonce = [0; NONCE];
    stream.read_exact(&mut nonce)?;
    Ok(nonce)
}

/// What both sides know after they have sent their nonces, from the view of this side.
struct Session<'a> {
    token: &'a [u8],
    own_side: Side,
    own_nonce: [u8; NONCE],
    others_nonce: [u8; NONCE],
}

impl Session<'_> {
    /// Sends the proof of this side, and its facts.
    fn send_proof(&self, stream: &mut impl Write, facts: &str) -> Result<(), Failure> {
        let nonces = [self.own_nonce, self.others_nonce];
        let proof = self
            .code(self.own_side, nonces, facts.as_bytes())
            .finalize();
        let length = (facts.len() as u32).to_le_bytes();
        stream.write_all(&[&proof.into_bytes()[..], &length, facts.as_bytes()].concat())?;
        Ok(stream.flush()?)
    }

    /// Reads the proof of the other side, which is `side`, and returns its facts.
    fn read_proof(&self, stream: &mut impl Read, side: Side) -> Result<String, Failure> {
        let mut proof = [0; PROOF];
        stream.read_exact(&mut proof)?;
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_FACTS {
            return Err(Failure::Stranger("it says more than a handshake"));
        }
        let mut facts = vec![0; length];
        stream.read_exact(&mut facts)?;
        let nonces = [self.others_nonce, self.own_nonce];
        let code = self.code(side, nonces, &facts);
        if code.verify_slice(&proof).is_err() {
            return Err(Failure::Stranger("it does not have the token"));
        }
        String::from_utf8(facts).map_err(|_| Failure::Stranger("it says what is no text"))
    }

    /// Returns the code with which a side proves itself. The nonce of this side comes first.
    fn code(&self, side: Side, nonces: [[u8; NONCE]; 2], facts: &[u8]) -> Hmac<Sha256> {
        let mut code =
            Hmac::<Sha256>::new_from_slice(self.token).expect("keys may have any length");
        code.update(match side {
            Side::Connects => b"connects",
            Side::Listens => b"listens ",
        });
        nonces.iter().for_each(|nonce| code.update(nonce));
        code.update(facts);
        code
    }
}
