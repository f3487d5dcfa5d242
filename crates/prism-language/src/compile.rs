//! Compiles syntax to a program. Parts are checked and compiled in the order in which they depend
//! on each other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::ast::{Formula, Model, ModuleBody, Span, Type, TypeKeyword};
use crate::bundles::{Parts, all_rules, bundles};
use crate::code::Compiler;
use crate::commands::{Bound, Command, Commands, Context};
use crate::composition::{ActionId, Actions, ModuleId, Vector, vectors};
use crate::constants::{self, Value};
use crate::digital_clocks::digital_clocks;
use crate::error::{Checked, ErrorKind, Fault};
use crate::expand::expand_used;
use crate::formulas::Formulas;
use crate::groups::{Group, group};
use crate::initial::{self, Initial};
use crate::ir::{Meaning, Scope, Wanted, typed};
use crate::observables::{Observable, observables};
use crate::players::{Players, players};
use crate::program::{Label, Program};
use crate::rewards::{RewardStructure, rewards};
use crate::rule::Rule;
use crate::variables::{Variables, variables};
use crate::widths::Widths;
use model_type::ModelType;

/// Compiles a model. `given` has the names and values of constants that the model leaves open, and
/// `widths` the numbers of bits of its unbounded variables.
pub(crate) fn compile(
    written: &Model,
    given: &[(&str, &str)],
    widths: &Widths,
) -> Checked<Program> {
    let model = digital_clocks(expand_used(written)?, given, widths)?;
    let mut scope = constants::evaluate(&model, given)?;
    let variables = variables(&model, &mut scope, widths)?;
    let domains = variables.domains();
    let mut compiler = Compiler::new(&domains);
    let actions = Actions::of(&model);
    check_formulas(&model.formulas, &scope)?;
    let model_type = model_type(&model, written)?;

    let context = context(model_type, &model, &scope, &variables, &actions);
    let mut commands = commands(written, &context, &mut compiler)?;
    let vectors = vectors(&model, &actions)?;
    let (groups, rules) = compose(&vectors, &mut commands, &mut compiler, &domains)?;
    let (bundles, parties) = bundles(&Parts {
        variables: &variables.all,
        words: variables.words,
        code: &compiler.code,
        commands: &commands.all,
        branches: &commands.branches,
        computed: &commands.computed,
        groups: &groups,
        rules: &rules,
    });
    let properties = state_properties(&context, &variables, &mut compiler)?;
    // This comes last, so that errors in the parts of a model are reported first.
    check_modules(written)?;

    Ok(Program {
        model_type,
        bound: Bound::Upper,
        constants: known(&model, &scope),
        modules: model.modules.iter().map(|m| m.name.value.clone()).collect(),
        actions: actions.names.iter().map(|name| shown(name)).collect(),
        labels: properties.labels,
        observables: properties.observables,
        players: properties.players,
        rewards: properties.rewards,
        words: variables.words,
        initial: properties.initial,
        code: std::mem::take(&mut compiler.code),
        commands: commands.all,
        branches: commands.branches,
        fixed: commands.fixed,
        computed: commands.computed,
        groups,
        all_rules: all_rules(rules.len()),
        first_markovian: first_markovian(&rules),
        rules,
        bundles,
        parties,
        text: Arc::clone(&written.text),
        init: model.init.as_ref().map(crate::ast::Expr::span),
        variables: variables.all,
    })
}

/// Returns the data from which commands and properties are compiled.
fn context<'c>(
    model_type: ModelType,
    model: &'c Model,
    scope: &'c Scope<'c>,
    variables: &'c Variables,
    actions: &'c Actions<'c>,
) -> Context<'c> {
    Context {
        model_type,
        model,
        scope,
        variables: &variables.all,
        actions,
    }
}

/// Returns the name of an action, without the part that distinguishes it from others of the same
/// name.
fn shown(action: &str) -> String {
    let (name, _) = action.split_once('\0').unwrap_or((action, ""));
    name.to_owned()
}

/// Returns the number of rules that are not Markovian, which come first.
fn first_markovian(rules: &[Rule]) -> usize {
    let is_markovian = |rule: &Rule| matches!(rule, Rule::Markovian(_));
    rules.iter().position(is_markovian).unwrap_or(rules.len())
}

fn known(model: &Model, scope: &Scope<'_>) -> Vec<(String, Value)> {
    let names = model.constants.iter().map(|constant| &constant.name.value);
    let value = |name: &String| match scope.names.get(name.as_str()) {
        Some(&Meaning::Constant(bits, of)) => Some((name.clone(), Value::new(bits, of))),
        _ => None,
    };
    names.filter_map(value).collect()
}

/// Checks formulas, also those that are not used.
fn check_formulas(written: &[Formula], scope: &Scope<'_>) -> Checked<()> {
    let mut formulas = Formulas::new(written)?;
    let check = |formulas: &mut Formulas<'_>, formula: &Formula| -> Checked<()> {
        let mut value = formula.value.clone();
        formulas.expand(&mut value)?;
        typed(&value, scope, "a formula", Wanted::Any).map(drop)
    };
    let outermost = formulas.outermost().to_vec();
    let mut checked = outermost
        .iter()
        .map(|formula| check(&mut formulas, formula));
    let Some(fault) = checked.find_map(Result::err) else {
        return Ok(());
    };
    // The first wrong formula of the text may be one that others use.
    let mut formulas = Formulas::new(written)?;
    let mut checked = written.iter().map(|formula| check(&mut formulas, formula));
    match checked.find_map(Result::err) {
        Some(first) if !matches!(first.kind, ErrorKind::TooMany { .. }) => Err(first),
        _ => Err(fault),
    }
}

/// Returns the type that the model declares, or the default. As in PRISM, intervals make a DTMC or
/// MDP an interval model.
fn model_type(model: &Model, written: &Model) -> Checked<ModelType> {
    let keyword = written.model_type.as_ref().map(|keyword| keyword.value);
    let model_type = match keyword.unwrap_or(TypeKeyword::Mdp) {
        TypeKeyword::Mdp | TypeKeyword::Pta => ModelType::Mdp,
        TypeKeyword::Dtmc => ModelType::Dtmc,
        TypeKeyword::Ctmc => ModelType::Ctmc,
        TypeKeyword::Pomdp | TypeKeyword::Popta => ModelType::Pomdp,
        TypeKeyword::Smg => ModelType::Smg,
        TypeKeyword::Ma => ModelType::Ma,
    };
    let commands = model.modules.iter().flat_map(|m| m.body.commands());
    let mut updates = commands.flat_map(|command| &command.updates);
    let Some(upper) = updates.find_map(|update| update.upper.as_ref()) else {
        return Ok(model_type);
    };
    match (model_type, keyword) {
        (ModelType::Mdp, Some(TypeKeyword::Mdp) | None) => Ok(ModelType::Imdp),
        (ModelType::Dtmc, _) => Ok(ModelType::Idtmc),
        _ => {
            let model_type = keyword.unwrap_or(TypeKeyword::Mdp);
            let kind = ErrorKind::UnexpectedInterval { model_type };
            Err(Fault::new(upper.span(), kind))
        }
    }
}

/// Refuses a model without modules.
fn check_modules(written: &Model) -> Checked<()> {
    if written.modules.is_empty() {
        let end = Span::new(written.text.len(), written.text.len());
        return Err(Fault::new(end, ErrorKind::NoModule).expecting("`module`"));
    }
    Ok(())
}

/// Returns the commands of all modules.
fn commands(
    written: &Model,
    context: &Context<'_>,
    compiler: &mut Compiler<'_>,
) -> Checked<Commands> {
    let mut commands = Commands::new();
    for (module, body) in written.modules.iter().enumerate() {
        commands
            .module(module, context, compiler)
            .map_err(|fault| in_renaming(fault, &body.body, &body.name.value))?;
    }
    Ok(commands)
}

/// Adds to an error in a renamed module the module from which its text comes.
fn in_renaming(fault: Box<Fault>, body: &ModuleBody, name: &str) -> Box<Fault> {
    match body {
        ModuleBody::Written { .. } => fault,
        ModuleBody::Renamed { base, .. } => fault.note_at(
            base.span,
            format!("in module `{name}`, a renaming of `{}`", base.value),
        ),
    }
}

/// Returns the commands of each module by their actions, and the Markovian commands of each module.
fn members(commands: &[Command]) -> (Members, BTreeMap<ModuleId, Vec<u32>>) {
    let (mut members, mut markovian) = (Members::new(), BTreeMap::new());
    for (command, index) in commands.iter().zip(0..) {
        let same: &mut Vec<u32> = match command.is_markovian {
            true => markovian.entry(command.module).or_default(),
            false => members.entry((command.module, command.source)).or_default(),
        };
        same.push(index);
    }
    (members, markovian)
}

type Members = HashMap<(ModuleId, Option<ActionId>), Vec<u32>>;

/// Returns the groups of alternative commands, and the rules: first one for each module's commands
/// that do not synchronise, and then the vectors of several modules.
fn compose(
    vectors: &[Vector],
    commands: &mut Commands,
    compiler: &mut Compiler<'_>,
    domains: &[crate::code::Domain],
) -> Checked<(Vec<Group>, Vec<Rule>)> {
    let (members, markovian) = members(&commands.all);
    let mut groups = Vec::new();
    let mut rules = Vec::new();
    let mut add =
        |groups: &mut Vec<Group>, commands: &mut Commands, members: &[u32]| -> Checked<u32> {
            let Commands { all, guards, .. } = commands;
            groups.push(group(members, all, guards, domains, compiler)?);
            Ok(groups.len() as u32 - 1)
        };

    let (alone, together): (Vec<&Vector>, Vec<&Vector>) =
        vectors.iter().partition(|vector| vector.parties.len() == 1);
    let mut by_module: HashMap<ModuleId, Vec<u32>> = HashMap::new();
    let mut grouped = HashSet::new();
    for vector in alone {
        let party = vector.parties[0];
        // All commands of a module may be Markovian.
        let of_party = members.get(&party).map_or(&[][..], Vec::as_slice);
        for member in commands.ungrouped(of_party, grouped.insert(party)) {
            commands.all[member as usize].action = vector.action;
            by_module.entry(party.0).or_default().push(member);
        }
    }
    let mut by_module: Vec<_> = by_module.into_iter().collect();
    by_module.sort_unstable_by_key(|&(module, _)| module);
    for (_, mut alone) in by_module {
        alone.sort_unstable();
        rules.push(Rule::Alone(add(&mut groups, commands, &alone)?));
    }

    let mut made: HashMap<(ModuleId, Option<ActionId>), u32> = HashMap::new();
    let can_move = |vector: &&&Vector| vector.parties.iter().all(|p| members.contains_key(p));
    for vector in together.iter().filter(can_move) {
        let mut parties = Vec::with_capacity(vector.parties.len());
        for party in &vector.parties {
            let group = match made.get(party) {
                Some(&group) => group,
                None => {
                    let own = commands.ungrouped(&members[party], grouped.insert(*party));
                    add(&mut groups, commands, &own)?
                }
            };
            made.insert(*party, group);
            parties.push(group);
        }
        rules.push(Rule::Together(vector.action, parties));
    }
    // This comes last, so that the other rules are known when it is decided whether time may pass.
    for members in markovian.values() {
        rules.push(Rule::Markovian(add(&mut groups, commands, members)?));
    }
    Ok((groups, rules))
}

/// The properties of states that a model defines, apart from transitions.
struct StateProperties {
    initial: Initial,
    labels: Vec<Label>,
    observables: Vec<Observable>,
    players: Players,
    rewards: Vec<RewardStructure>,
}

/// Checks and compiles the properties of states.
fn state_properties(
    context: &Context<'_>,
    variables: &Variables,
    compiler: &mut Compiler<'_>,
) -> Checked<StateProperties> {
    let (model, scope) = (context.model, context.scope);
    Ok(StateProperties {
        labels: labels(model, scope, compiler)?,
        initial: initial(model, scope, variables, compiler)?,
        observables: observables(model, scope, context.model_type, compiler)?,
        players: players(model, context.actions, context.model_type)?,
        rewards: rewards(model, scope, context.actions, compiler)?,
    })
}

/// Checks and compiles the labels.
fn labels(model: &Model, scope: &Scope<'_>, compiler: &mut Compiler<'_>) -> Checked<Vec<Label>> {
    let mut labels = Vec::with_capacity(model.labels.len());
    for label in &model.labels {
        let expr = typed(&label.value, scope, "a label", Wanted::Of(Type::Bool))?;
        labels.push(Label {
            name: label.name.value.clone(),
            code: compiler.condition(&expr, &[expr.root()])?,
        });
    }
    Ok(labels)
}

/// Returns the initial states: those that satisfy `init ... endinit`, or the one of the initial
/// values.
fn initial(
    model: &Model,
    scope: &Scope<'_>,
    variables: &Variables,
    compiler: &mut Compiler<'_>,
) -> Checked<Initial> {
    if let Some(init) = &model.init {
        return initial::satisfying(init, scope, &variables.all, compiler);
    }
    let mut state = vec![0; variables.words];
    for (variable, &value) in variables.all.iter().zip(&variables.initial) {
        variable.set(&mut state, value);
    }
    Ok(Initial::One(state))
}
