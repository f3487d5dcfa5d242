//! [`Naming`]: what messages call the settings of an analysis. They are options on the command
//! line, and in other programs arguments of functions.

/// The names of settings in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Options of the command line, such as `--max-iterations`.
    Options,
    /// Arguments of functions, such as `max_iterations`.
    Arguments,
}

impl Naming {
    /// Returns what users call this setting, whose words underscores separate.
    pub(crate) fn of(self, setting: &str) -> String {
        match self {
            Self::Options => format!("--{}", setting.replace('_', "-")),
            Self::Arguments => setting.to_owned(),
        }
    }

    /// Returns how users give a setting this value.
    pub(crate) fn with(self, setting: &str, value: &str) -> String {
        match self {
            Self::Options => format!("{} {value}", self.of(setting)),
            Self::Arguments => format!("{setting}={value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Naming::{Arguments, Options};

    #[test]
    fn settings_are_options_or_arguments() {
        let names = [Options, Arguments].map(|naming| naming.of("max_iterations"));
        assert_eq!(names, ["--max-iterations", "max_iterations"]);
        let given = [Options, Arguments].map(|naming| naming.with("rewards", "1"));
        assert_eq!(given, ["--rewards 1", "rewards=\"1\""]);
    }
}
