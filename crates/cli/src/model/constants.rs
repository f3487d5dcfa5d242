//! The constants to which the command line gives values, as reports take them.

use prism_language::Value;
use report::{Constant, ConstantValue};

/// Returns these constants for a report.
pub(crate) fn as_report(constants: &[(String, Value)]) -> Vec<Constant<'_>> {
    let constants = constants.iter().map(|(name, value)| Constant {
        name,
        value: match *value {
            Value::Bool(value) => ConstantValue::Bool(value),
            Value::Int(value) => ConstantValue::Int(value),
            Value::Double(value) => ConstantValue::Real(value),
        },
    });
    constants.collect()
}
