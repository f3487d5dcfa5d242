//! The values of variables, from the comments in which Storm writes them.

use crate::model::annotations::Valuations;
use drn::{Assignment, assignments};
use prism_explicit::{Column, OutOfMemory, States};

/// The values of the variables in the states of a chunk.
#[derive(Default)]
pub(super) struct Columns {
    columns: Vec<Variable>,
    /// The number of states, and the number of those with values.
    states: usize,
    valued: usize,
    /// Whether the states have different variables.
    differ: bool,
}

/// A variable. Storm does not write the names of Boolean variables that are true in every state.
#[derive(Clone, Default)]
struct Variable {
    name: Option<String>,
    /// The values, unless they have different types.
    values: Option<Column>,
}

impl Columns {
    /// Appends the values of a state.
    pub(super) fn push(&mut self, valuation: Option<&str>) -> Result<(), OutOfMemory> {
        self.states += 1;
        let Some(valuation) = valuation else {
            return Ok(());
        };
        self.valued += 1;
        if self.valued == 1 {
            self.columns = assignments(valuation).map(Variable::new).collect();
            return Ok(());
        }
        let mut columns = self.columns.iter_mut();
        for assignment in assignments(valuation) {
            match columns.next() {
                Some(column) => self.differ |= !column.push(assignment)?,
                None => self.differ = true,
            }
        }
        self.differ |= columns.next().is_some();
        Ok(())
    }

    /// Returns the memory that the values take, in bytes, if all numbers take eight.
    pub(super) fn bytes(&self) -> usize {
        let columns = self.columns.iter().flat_map(|column| &column.values);
        columns.map(|values| 8 * values.len()).sum()
    }

    /// Appends the values in a later chunk.
    fn append(&mut self, later: &Self) {
        if self.valued == 0 {
            self.columns.clone_from(&later.columns);
        } else if later.valued > 0 {
            let are_as_many = self.columns.len() == later.columns.len();
            self.differ |= !are_as_many;
            for (column, later) in self.columns.iter_mut().zip(&later.columns) {
                self.differ |= !column.append(later);
            }
        }
        self.differ |= later.differ;
        self.states += later.states;
        self.valued += later.valued;
    }
}

impl Variable {
    fn new((name, value): Assignment<'_>) -> Self {
        let values = match value {
            drn::Value::Bool(value) => Some(Column::Bool(vec![value])),
            drn::Value::Int(value) => {
                let mut column = Column::Int(Vec::new());
                column
                    .push(prism_explicit::Value::Int(value))
                    .then_some(column)
            }
            drn::Value::Other(_) => None,
        };
        Self {
            name: name.map(str::to_owned),
            values,
        }
    }

    /// Appends a value. Returns false if it is the value of another variable.
    fn push(&mut self, (name, value): Assignment<'_>) -> Result<bool, OutOfMemory> {
        let value = match value {
            drn::Value::Bool(value) => Some(prism_explicit::Value::Bool(value)),
            drn::Value::Int(value) => Some(prism_explicit::Value::Int(value)),
            drn::Value::Other(_) => None,
        };
        if let Some((mut values, value)) = self.values.take().zip(value) {
            self.values = values.try_push(value)?.then_some(values);
        }
        Ok(self.name_or_check(name))
    }

    fn append(&mut self, later: &Self) -> bool {
        let kept = self.values.take().zip(later.values.as_ref());
        self.values = kept.and_then(|(mut values, later)| {
            let mut all = (0..later.len()).filter_map(|i| later.get(i));
            all.all(|value| values.push(value)).then_some(values)
        });
        self.name_or_check(later.name.as_deref())
    }

    /// Sets the name, if the variable has none yet. Returns false if it has another name.
    fn name_or_check(&mut self, name: Option<&str>) -> bool {
        match (&self.name, name) {
            (Some(known), Some(name)) => known == name,
            (None, Some(name)) => {
                self.name = Some(name.to_owned());
                true
            }
            (_, None) => true,
        }
    }
}

/// Returns the values of the variables that are integers or Booleans in every state. Leaves out the
/// others, with a warning.
pub(super) fn joined<'c>(
    num_states: u32,
    chunks: impl Iterator<Item = &'c Columns>,
) -> Option<Valuations> {
    let mut all = Columns::default();
    for chunk in chunks {
        all.append(chunk);
    }
    if all.valued == 0 {
        return None;
    }
    if all.differ || all.valued != all.states {
        tracing::warn!("left out: the values of variables: states have different variables");
        return None;
    }
    let mut columns = Vec::with_capacity(all.columns.len());
    for Variable { name, values } in all.columns {
        match (name, values) {
            (Some(name), Some(values)) => columns.push((name, values)),
            (Some(name), None) => tracing::warn!(
                "left out: variable {name}: not all of its values are integers or truth values"
            ),
            (None, _) => tracing::warn!(
                "left out: a variable that is true in every state, and whose name is not in the file"
            ),
        }
    }
    States::new(num_states, columns).map(Valuations::Table)
}
