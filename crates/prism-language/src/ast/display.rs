//! Prints syntax as text that is parsed to equal syntax.

use std::fmt;

use super::expr::IF_PRECEDENCE;
use super::{
    Assignment, Command, Constant, Expr, Formula, Ident, Label, Model, Module, ModuleBody,
    NodeKind, Observable, Player, PlayerItem, Reward, Rewards, System, SystemNode, Type, Update,
    Variable, VariableRange,
};

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(model_type) = &self.model_type {
            writeln!(f, "{}\n", model_type.value)?;
        }
        lines(f, &self.constants)?;
        lines(f, &self.formulas)?;
        for global in &self.globals {
            writeln!(f, "global {global}")?;
        }
        for module in &self.modules {
            writeln!(f, "\n{module}")?;
        }
        for player in &self.players {
            writeln!(f, "\n{player}")?;
        }
        for system in &self.systems {
            writeln!(f, "\n{system}")?;
        }
        if let Some(init) = &self.init {
            writeln!(f, "\ninit {init} endinit")?;
        }
        lines(f, &self.labels)?;
        if !self.observed.is_empty() {
            f.write_str("observables ")?;
            list(f, &self.observed, name)?;
            writeln!(f, " endobservables")?;
        }
        lines(f, &self.observables)?;
        lines(f, &self.rewards)
    }
}

fn lines<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    items.iter().try_for_each(|item| writeln!(f, "{item}"))
}

/// Writes items with commas between them.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    Ok(())
}

fn name(f: &mut fmt::Formatter<'_>, ident: &Ident) -> fmt::Result {
    f.write_str(&ident.value)
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "const {} {}", self.of, self.name.value)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "formula {} = {};", self.name.value, self.value)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "label \"{}\" = {};", self.name.value, self.value)
    }
}

impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "observable \"{}\" = {};", self.name.value, self.value)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {} ", self.name.value)?;
        list(f, &self.items, |f, item| match item {
            PlayerItem::Module(module) => name(f, module),
            PlayerItem::Action(action) => write!(f, "[{}]", action.value),
        })?;
        f.write_str(" endplayer")
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : ", self.name.value)?;
        match &self.range {
            VariableRange::Int { low, high } => write!(f, "[{low}..{high}]")?,
            VariableRange::Unbounded => write!(f, "{}", Type::Int)?,
            VariableRange::Clock => f.write_str("clock")?,
            VariableRange::Bool => write!(f, "{}", Type::Bool)?,
        }
        if let Some(init) = &self.init {
            write!(f, " init {init}")?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module {}", self.name.value)?;
        match &self.body {
            ModuleBody::Written {
                variables,
                invariant,
                commands,
            } => {
                f.write_str("\n")?;
                for variable in variables {
                    writeln!(f, "  {variable}")?;
                }
                if let Some(invariant) = invariant {
                    writeln!(f, "  invariant {invariant} endinvariant")?;
                }
                for command in commands {
                    writeln!(f, "  {command}")?;
                }
            }
            ModuleBody::Renamed { base, names } => {
                write!(f, " = {} [", base.value)?;
                list(f, names, |f, (old, new)| {
                    write!(f, "{}={}", old.value, new.value)
                })?;
                f.write_str("] ")?;
            }
        }
        f.write_str("endmodule")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = self.action.as_ref().map_or("", |action| &action.value);
        match self.is_markovian {
            true => f.write_str("<>")?,
            false => write!(f, "[{action}]")?,
        }
        write!(f, " {} -> ", self.guard)?;
        for (index, update) in self.updates.iter().enumerate() {
            let plus = if index > 0 { " + " } else { "" };
            write!(f, "{plus}{update}")?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.weight, &self.upper) {
            (Some(lower), Some(upper)) => write!(f, "[{lower},{upper}] : ")?,
            (Some(weight), None) => write!(f, "{weight} : ")?,
            (None, _) => {}
        }
        if self.assignments.is_empty() {
            return f.write_str("true");
        }
        for (index, Assignment { variable, value }) in self.assignments.iter().enumerate() {
            let and = if index > 0 { " & " } else { "" };
            write!(f, "{and}({}'={value})", variable.value)?;
        }
        Ok(())
    }
}

impl fmt::Display for Rewards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rewards")?;
        if let Some(name) = &self.name {
            write!(f, " \"{}\"", name.value)?;
        }
        f.write_str("\n")?;
        for Reward {
            action,
            guard,
            value,
        } in &self.items
        {
            f.write_str("  ")?;
            if let Some(action) = action {
                let action = action.as_ref().map_or("", |action| &action.value);
                write!(f, "[{action}] ")?;
            }
            writeln!(f, "{guard} : {value};")?;
        }
        f.write_str("endrewards")
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("system ")?;
        if let Some(name) = &self.name {
            write!(f, "\"{}\" ", name.value)?;
        }
        // The texts of the complete operands so far.
        let mut texts: Vec<String> = Vec::new();
        for node in &self.nodes {
            let mut operand = || texts.pop().unwrap_or_default();
            let text = match &node.value {
                SystemNode::Module(name) => name.clone(),
                SystemNode::Reference(name) => format!("\"{name}\""),
                SystemNode::Hide(actions) => format!("{} / {{{}}}", operand(), Names(actions)),
                SystemNode::Rename(pairs) => format!("{} {{{}}}", operand(), Pairs(pairs)),
                parallel => {
                    let right = operand();
                    let operator = match parallel {
                        SystemNode::Interleaved => "|||".to_owned(),
                        SystemNode::Restricted(actions) => format!("|[{}]|", Names(actions)),
                        _ => "||".to_owned(),
                    };
                    format!("({} {operator} {right})", operand())
                }
            };
            texts.push(text);
        }
        f.write_str(texts.last().map_or("", String::as_str))?;
        f.write_str(" endsystem")
    }
}

struct Names<'n>(&'n [Ident]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, name)
    }
}

struct Pairs<'n>(&'n [(Ident, Ident)]);

impl fmt::Display for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, |f, (old, new)| {
            write!(f, "{}<-{}", old.value, new.value)
        })
    }
}

/// The least precedence: an operand needs no parentheses.
const ANY: u8 = 0;

/// A part of an expression that is still to be printed.
enum Piece {
    Text(&'static str),
    /// The node at this index with its operands, in parentheses if its precedence is less than
    /// this.
    Operand(usize, u8),
}

impl fmt::Display for Expr {
    /// Pieces are on an explicit stack, so that deep nesting does not overflow the call stack, and
    /// printing takes linear time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(root) = self.nodes().len().checked_sub(1) else {
            return Ok(());
        };
        let mut pieces = vec![Piece::Operand(root, ANY)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Operand(index, least) => {
                    let kind = &self.nodes()[index].kind;
                    let is_loose = precedence(kind).is_some_and(|own| own < least);
                    if is_loose {
                        f.write_str("(")?;
                        pieces.push(Piece::Text(")"));
                    }
                    begin(f, kind)?;
                    let operands = self.operands(index).zip((0..kind.arity()).rev());
                    push_operands(&mut pieces, kind, operands);
                }
            }
        }
        Ok(())
    }
}

/// Returns the precedence of a node; `None` if it never needs parentheses.
fn precedence(kind: &NodeKind) -> Option<u8> {
    match kind {
        NodeKind::Unary(op) => Some(op.precedence()),
        NodeKind::Binary(op) => Some(op.precedence()),
        NodeKind::IfThenElse => Some(IF_PRECEDENCE),
        _ => None,
    }
}

/// Prints the text before the first operand of a node.
fn begin(f: &mut fmt::Formatter<'_>, kind: &NodeKind) -> fmt::Result {
    match kind {
        NodeKind::Int(value) => write!(f, "{value}"),
        NodeKind::Double(value) => write!(f, "{value:?}"),
        NodeKind::Bool(value) => write!(f, "{value}"),
        NodeKind::Name(name) => f.write_str(name),
        NodeKind::Unary(op) => f.write_str(op.symbol()),
        NodeKind::Call(function, _) => write!(f, "{}(", function.name()),
        NodeKind::Binary(_) | NodeKind::IfThenElse => Ok(()),
    }
}

/// Adds the operands of a node, which are given with their indices from the last to the first, and
/// the text between and after them.
fn push_operands(
    pieces: &mut Vec<Piece>,
    kind: &NodeKind,
    operands: impl Iterator<Item = (usize, u32)>,
) {
    if let NodeKind::Call(..) = kind {
        pieces.push(Piece::Text(")"));
    }
    for (operand, number) in operands {
        let is_first = number == 0;
        pieces.push(Piece::Operand(operand, least(kind, number)));
        match kind {
            NodeKind::Binary(op) if !is_first => {
                pieces.extend([" ", op.symbol(), " "].map(Piece::Text));
            }
            NodeKind::IfThenElse if number == 1 => pieces.push(Piece::Text(" ? ")),
            NodeKind::IfThenElse if number == 2 => pieces.push(Piece::Text(" : ")),
            NodeKind::Call(..) if !is_first => pieces.push(Piece::Text(", ")),
            _ => {}
        }
    }
}

/// Returns the least precedence with which an operand of a node, given by its index, needs no
/// parentheses.
fn least(kind: &NodeKind, number: u32) -> u8 {
    match kind {
        NodeKind::Unary(op) => op.precedence(),
        NodeKind::Binary(op) => {
            let may_be_alike = op.groups_right() == (number == 1);
            op.precedence() + u8::from(!may_be_alike)
        }
        NodeKind::IfThenElse => IF_PRECEDENCE + u8::from(number < 2),
        _ => ANY,
    }
}
