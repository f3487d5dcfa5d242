//! [`WriteOptions`].

use crate::dialect::Dialect;
use model_type::ModelType;

/// The options of writing a transitions file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The dialect of the file.
    pub dialect: Dialect,
    /// In PRISM's dialect, whether to begin with `# Transitions (TYPE)`, as PRISM does since 2026.
    /// Default: true.
    pub heading: bool,
    /// In Storm's dialect, whether states without a choice get a self-loop, because the format
    /// cannot express them in another way. If not, they are an error. Default: true.
    pub fix_deadlocks: bool,
}

impl WriteOptions {
    /// Returns the default options of a dialect.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            heading: true,
            fix_deadlocks: true,
        }
    }

    /// Returns whether the lines of such a model have actions. Storm refuses actions in a Markov
    /// chain.
    #[must_use]
    pub fn has_actions(&self, model_type: ModelType) -> bool {
        self.dialect == Dialect::Prism || model_type.is_nondeterministic()
    }
}
