//! The number of bits of a state for each unbounded variable. The range of its values is not known
//! beforehand. So the number is small at first, and the model is compiled again if it is too small.

use std::collections::BTreeMap;

use crate::code::Domain;
use crate::error::ErrorKind;

/// The number of bits that unbounded variables have at first.
const FEWEST: u32 = 8;

/// The number of bits that states have for each unbounded variable of a model, by name.
///
/// [`Model::compile_with`](crate::Model::compile_with) packs states accordingly. If a program finds
/// a larger value, it returns the error [`ErrorKind::ValueTooWide`]. Then [`widen`](Self::widen)
/// adds bits, and the model is compiled again. Each time, the variable gets at least twice as many
/// bits, up to 64.
///
/// ```
/// use prism_language::{Widths, parse};
///
/// let model = parse(b"mdp module m x : int init 1000; [] x>0 -> (x'=x-1); endmodule")?;
/// let mut widths = Widths::default();
/// let program = model.compile_with(&[], &mut widths)?;
/// assert_eq!(program.variables()[0].bits(), 16);
/// # Ok::<(), prism_language::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Widths(BTreeMap<String, u32>);

impl Widths {
    /// Adds bits for the value that does not fit, according to the error. If the error is of
    /// another kind, nothing changes. Returns whether bits were added.
    pub fn widen(&mut self, error: &ErrorKind) -> bool {
        let ErrorKind::ValueTooWide {
            variable, value, ..
        } = error
        else {
            return false;
        };
        let needed = (FEWEST.ilog2()..=u64::BITS.ilog2()).map(|power| 1 << power);
        let bits = needed.into_iter().find(|&bits| domain(bits).has(*value));
        self.0.insert(variable.clone(), bits.unwrap_or(u64::BITS));
        true
    }

    /// Returns the number of bits of a variable.
    pub(crate) fn bits(&self, variable: &str) -> u32 {
        self.0.get(variable).copied().unwrap_or(FEWEST)
    }

    /// Returns the values that fit into the bits of a variable.
    pub(crate) fn domain(&self, variable: &str) -> Domain {
        domain(self.bits(variable))
    }
}

/// Returns the integers of this many bits, half of which are negative.
fn domain(bits: u32) -> Domain {
    let low = i64::MIN >> (u64::BITS - bits);
    Domain { low, high: !low }
}
