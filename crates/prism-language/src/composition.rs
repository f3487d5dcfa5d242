//! The composition of modules. A composition is converted to a list of synchronisation vectors. A
//! vector has the modules that take part in a step, each with one of its actions, and the action of
//! the step.
//!
//! Without `system ... endsystem`, all modules run in parallel, and synchronise on every action
//! that occurs in the commands of more than one of them, whether or not these commands can ever be
//! enabled.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, HashMap};

use crate::ast::{Ident, Model, Span, SyncVector, SystemNode};
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::names;

/// An action of the model, by its index in [`Program::actions`](crate::Program::actions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u32);

/// A module, by its index in [`Program::modules`](crate::Program::modules).
pub(crate) type ModuleId = usize;

/// A step that modules can take together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vector {
    /// The action of the step; `None` if it has none.
    pub(crate) action: Option<ActionId>,
    /// The modules that take part, each with one of its own actions.
    pub(crate) parties: Vec<(ModuleId, Option<ActionId>)>,
}

/// The actions of a model, in the order in which they first occur in commands and then in `system
/// ... endsystem`.
#[derive(Debug, Default)]
pub(crate) struct Actions<'m> {
    pub(crate) names: Vec<&'m str>,
    index: HashMap<&'m str, ActionId>,
}

impl<'m> Actions<'m> {
    /// Returns the actions of a model.
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut actions = Self::default();
        for module in &model.modules {
            let labelled = module.body.commands().iter();
            for action in labelled.filter_map(|command| command.action.as_ref()) {
                actions.insert(&action.value);
            }
        }
        let nodes = model.system().into_iter().flat_map(|system| &system.nodes);
        for node in nodes {
            if let SystemNode::Rename(pairs) = &node.value {
                for (_, new) in pairs {
                    actions.insert(&new.value);
                }
            }
        }
        for vector in model.vectors.iter().flatten() {
            vector
                .action
                .iter()
                .for_each(|action| actions.insert(&action.value));
        }
        actions
    }

    /// Adds an action, unless it is known.
    fn insert(&mut self, name: &'m str) {
        let next = ActionId(self.names.len() as u32);
        if *self.index.entry(name).or_insert(next) == next {
            self.names.push(name);
        }
    }

    /// Returns the action with this name, which occurs in a command.
    pub(crate) fn get(&self, name: &str) -> Option<ActionId> {
        self.index.get(name).copied()
    }

    /// Returns the action with this name, which occurs elsewhere.
    pub(crate) fn find(&self, name: &Ident) -> Checked<ActionId> {
        let unknown = || {
            let known = self.names.iter().copied();
            names::unknown(&name.value, name.span, Naming::Action, known)
        };
        self.get(&name.value).ok_or_else(unknown)
    }

    fn find_all(&self, names: &[Ident]) -> Checked<BTreeSet<ActionId>> {
        names.iter().map(|name| self.find(name)).collect()
    }
}

/// The largest number of vectors. Renaming several actions to one multiplies the number.
const MAX_VECTORS: usize = 1 << 16;

/// A part of the composition.
struct Part {
    alphabet: BTreeSet<ActionId>,
    vectors: Vec<Vector>,
}

/// Returns the vectors of a model whose modules are written out. If the model lists vectors, they
/// are in that order. Otherwise, they are in the order of their actions; those of the same action
/// are in the order of the composition.
pub(crate) fn vectors(model: &Model, actions: &Actions<'_>) -> Checked<Vec<Vector>> {
    if let Some(listed) = &model.vectors {
        let writes = writes(model, actions);
        let in_ids = |vector| in_ids(vector, model, actions, &writes);
        return listed.iter().map(in_ids).collect();
    }
    let mut vectors = match model.system() {
        None => all_in_parallel(model, actions),
        Some(system) => {
            let modules = check_modules(model, &system.nodes)?;
            let mut composer = Composer {
                model,
                modules,
                actions,
                parts: Vec::new(),
                moved: 0,
            };
            for node in &system.nodes {
                let part = composer.composed(&node.value, node.span)?;
                composer.count(&part, node.span)?;
                composer.parts.push(part);
            }
            composer
                .parts
                .pop()
                .map_or_else(Vec::new, |whole| whole.vectors)
        }
    };
    vectors.sort_by_key(|vector| vector.action);
    Ok(vectors)
}

/// The variables that the commands of a module with an action write.
type Writes<'m> = HashMap<(ModuleId, Option<ActionId>), BTreeSet<&'m str>>;

/// Returns the variables that the commands of each module and action write.
fn writes<'m>(model: &'m Model, actions: &Actions<'_>) -> Writes<'m> {
    let mut writes = Writes::new();
    for (index, module) in model.modules.iter().enumerate() {
        for command in module.body.commands() {
            let action = command.action.as_ref();
            let action = action.and_then(|action| actions.get(&action.value));
            let assignments = command
                .updates
                .iter()
                .flat_map(|update| &update.assignments);
            let names = assignments.map(|assignment| assignment.variable.value.as_str());
            writes.entry((index, action)).or_default().extend(names);
        }
    }
    writes
}

/// Converts a vector that the model lists.
fn in_ids(
    listed: &SyncVector,
    model: &Model,
    actions: &Actions<'_>,
    writes: &Writes<'_>,
) -> Checked<Vector> {
    let mut parties = Vec::with_capacity(listed.parties.len());
    let (mut modules, mut written) = (BTreeSet::new(), BTreeSet::new());
    for &(module, ref action) in &listed.parties {
        let action = action.as_ref().map(|action| actions.find(action));
        let party = (module, action.transpose()?);
        if !modules.insert(module) {
            let name = model.modules[module].name.value.clone();
            let kind = ErrorKind::TwiceInVector { name };
            return Err(Fault::new(listed.span.span, kind));
        }
        for &name in writes.get(&party).into_iter().flatten() {
            if !written.insert(name) {
                let name = name.to_owned();
                return Err(Fault::new(listed.span.span, ErrorKind::TwoWriters { name }));
            }
        }
        parties.push(party);
    }
    let action = listed.action.as_ref();
    let action = action.and_then(|action| actions.get(&action.value));
    Ok(Vector { action, parties })
}

/// Returns the vectors without `system ... endsystem`: one for each action, of all modules that
/// have it, and one for each module that has commands without an action.
fn all_in_parallel(model: &Model, actions: &Actions<'_>) -> Vec<Vector> {
    let mut alone = Vec::new();
    let mut together: BTreeMap<ActionId, Vector> = BTreeMap::new();
    for module in 0..model.modules.len() {
        for vector in Part::module(model, module, actions).vectors {
            let Some(action) = vector.action else {
                alone.push(vector);
                continue;
            };
            match together.entry(action) {
                Entry::Vacant(entry) => drop(entry.insert(vector)),
                Entry::Occupied(mut entry) => entry.get_mut().parties.extend(vector.parties),
            }
        }
    }
    alone.extend(together.into_values());
    alone
}

/// Applies the operators of `system ... endsystem`.
struct Composer<'m> {
    model: &'m Model,
    modules: HashMap<&'m str, ModuleId>,
    actions: &'m Actions<'m>,
    /// The complete operands.
    parts: Vec<Part>,
    /// The number of vectors, and of modules in them, that operators have made so far.
    moved: usize,
}

/// The largest number of vectors, and of modules in them, that all operators together may make.
/// Each operator copies those of its operands, so without a limit a long text would take quadratic
/// time.
const MAX_MOVED: usize = 1 << 28;

impl Composer<'_> {
    /// Counts the vectors that an operator has made.
    fn count(&mut self, part: &Part, span: Span) -> Checked<()> {
        let parties = part.vectors.iter().map(|vector| vector.parties.len());
        self.moved += part.vectors.len() + parties.sum::<usize>();
        match self.moved > MAX_MOVED {
            true => Err(too_many(
                "ways of synchronising in all parts",
                MAX_MOVED,
                span,
            )),
            false => Ok(()),
        }
    }

    /// Applies an operator to the last complete parts.
    fn composed(&mut self, node: &SystemNode, span: Span) -> Checked<Part> {
        let (model, actions) = (self.model, self.actions);
        let mut operand = || self.parts.pop().unwrap_or_else(Part::nothing);
        match node {
            SystemNode::Module(name) => {
                let module = self.modules.get(name.as_str());
                Ok(module.map_or_else(Part::nothing, |&module| {
                    Part::module(model, module, actions)
                }))
            }
            // References to systems have been replaced by their contents.
            SystemNode::Reference(_) => Ok(Part::nothing()),
            SystemNode::Full => {
                let right = operand();
                operand().full(right, span)
            }
            SystemNode::Interleaved => {
                let right = operand();
                operand().parallel(right, &BTreeSet::new(), span)
            }
            SystemNode::Restricted(names) => {
                let right = operand();
                operand().parallel(right, &actions.find_all(names)?, span)
            }
            SystemNode::Hide(names) => Ok(operand().hide(&actions.find_all(names)?)),
            SystemNode::Rename(pairs) => {
                let mut renaming = HashMap::new();
                for (old, new) in pairs {
                    if renaming
                        .insert(actions.find(old)?, actions.find(new)?)
                        .is_some()
                    {
                        let name = old.value.clone();
                        return Err(Fault::new(old.span, ErrorKind::RenamedTwice { name }));
                    }
                }
                Ok(operand().rename(&renaming))
            }
        }
    }
}

/// Checks that every module occurs in the composition once. Returns the modules by their names.
fn check_modules<'m>(
    model: &'m Model,
    nodes: &[crate::ast::Spanned<SystemNode>],
) -> Checked<HashMap<&'m str, ModuleId>> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    let known = || {
        model
            .modules
            .iter()
            .map(|module| module.name.value.as_str())
    };
    counts.extend(known().map(|name| (name, 0)));
    for node in nodes {
        if let SystemNode::Module(name) = &node.value {
            match counts.get_mut(name.as_str()) {
                Some(1) => return Err(miscounted(name, 2, node.span)),
                Some(count) => *count += 1,
                None => return Err(names::unknown(name, node.span, Naming::Module, known())),
            }
        }
    }
    match model
        .modules
        .iter()
        .find(|m| counts[m.name.value.as_str()] == 0)
    {
        None => Ok(known().zip(0..).collect()),
        Some(module) => Err(miscounted(&module.name.value, 0, module.name.span)),
    }
}

fn too_many(what: &'static str, limit: usize, span: Span) -> Box<Fault> {
    let limit = limit as u64;
    Fault::new(span, ErrorKind::TooMany { what, limit })
}

/// Returns the error for a module that occurs this many times in `system ... endsystem`.
pub(crate) fn miscounted(name: &str, count: u64, span: Span) -> Box<Fault> {
    let name = name.to_owned();
    Fault::new(span, ErrorKind::SystemModule { name, count })
}

impl Part {
    fn nothing() -> Self {
        Self {
            alphabet: BTreeSet::new(),
            vectors: Vec::new(),
        }
    }

    /// Returns a single module: a vector for each of its actions, and one for its commands without
    /// an action.
    fn module(model: &Model, module: ModuleId, actions: &Actions<'_>) -> Self {
        let mut own = BTreeSet::new();
        for command in model.modules[module].body.commands() {
            let action = command.action.as_ref();
            own.insert(action.and_then(|action| actions.get(&action.value)));
        }
        Self {
            alphabet: own.iter().copied().flatten().collect(),
            vectors: own
                .into_iter()
                .map(|action| Vector {
                    action,
                    parties: vec![(module, action)],
                })
                .collect(),
        }
    }

    fn full(self, other: Self, span: Span) -> Checked<Self> {
        let shared = self
            .alphabet
            .intersection(&other.alphabet)
            .copied()
            .collect();
        self.parallel(other, &shared, span)
    }

    /// Composes both in parallel, synchronised on the actions in `shared`.
    fn parallel(self, other: Self, shared: &BTreeSet<ActionId>, span: Span) -> Checked<Self> {
        let together = |vector: &Vector| vector.action.is_some_and(|a| shared.contains(&a));
        let mut vectors = Vec::new();
        let mut by_action: HashMap<Option<ActionId>, Vec<&Vector>> = HashMap::new();
        for right in other.vectors.iter().filter(|vector| together(vector)) {
            by_action.entry(right.action).or_default().push(right);
        }
        for left in self.vectors.iter().filter(|vector| together(vector)) {
            for right in by_action.get(&left.action).into_iter().flatten() {
                let parties = left.parties.iter().chain(&right.parties);
                vectors.push(Vector {
                    action: left.action,
                    parties: parties.copied().collect(),
                });
                if vectors.len() > MAX_VECTORS {
                    return Err(too_many("ways of synchronising", MAX_VECTORS, span));
                }
            }
        }
        let apart = self.vectors.into_iter().chain(other.vectors);
        vectors.extend(apart.filter(|vector| !together(vector)));
        let mut alphabet = self.alphabet;
        alphabet.extend(other.alphabet);
        Ok(Self { alphabet, vectors })
    }

    fn hide(mut self, hidden: &BTreeSet<ActionId>) -> Self {
        for vector in &mut self.vectors {
            vector.action = vector.action.filter(|action| !hidden.contains(action));
        }
        self.alphabet.retain(|action| !hidden.contains(action));
        self
    }

    fn rename(mut self, renaming: &HashMap<ActionId, ActionId>) -> Self {
        let new = |action: ActionId| renaming.get(&action).copied().unwrap_or(action);
        for vector in &mut self.vectors {
            vector.action = vector.action.map(new);
        }
        self.alphabet = self.alphabet.into_iter().map(new).collect();
        self
    }
}
