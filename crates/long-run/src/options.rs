//! The options of a search.

use crate::precision::Precision;
use decompose::{Observer, OpenDevice, Silent};

/// The options of a search.
#[derive(Clone)]
pub struct Options<'a> {
    /// The device. A GPU finds components, and the values from which bounds on gains are computed.
    /// The CPU computes the bounds.
    pub device: OpenDevice,
    /// The maximum distance of the bounds on the values of the wanted states. The bounds on gains
    /// have at most half of this distance. Default: 1e-6.
    pub epsilon: f64,
    /// Whether `epsilon` is relative, so that bounds differ by at most `epsilon` times the absolute
    /// value of the average. Bounds on an average of 0 then have to coincide, up to 1e-100.
    /// Default: false.
    pub is_relative: bool,
    /// The maximum number of iterations for one component, and for the values of states. Default: a
    /// million.
    pub max_iterations: u64,
    /// The observer, which may cancel the search. It receives the number of states of the
    /// components that are solved.
    pub observer: &'a dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            device: OpenDevice::default(),
            epsilon: 1e-6,
            is_relative: false,
            max_iterations: 1_000_000,
            observer: &Silent,
        }
    }
}

impl Options<'_> {
    pub(crate) fn precision(&self) -> Precision {
        match self.is_relative {
            true => Precision::relative(self.epsilon),
            false => Precision::absolute(self.epsilon),
        }
    }
}
