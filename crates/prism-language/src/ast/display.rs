//! Prints syntax as text that parses back to equal syntax.

use std::fmt;

use super::expr::IF_PRECEDENCE;
use super::{
    Assignment, Command, Constant, Expr, Formula, Ident, Label, Model, Module, ModuleBody,
    NodeKind, Reward, Rewards, System, SystemNode, Type, Update, Variable, VariableRange,
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
        if let Some(system) = &self.system {
            writeln!(f, "\nsystem {system} endsystem")?;
        }
        if let Some(init) = &self.init {
            writeln!(f, "\ninit {init} endinit")?;
        }
        lines(f, &self.labels)?;
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

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : ", self.name.value)?;
        match &self.range {
            VariableRange::Int { low, high } => write!(f, "[{low}..{high}]")?,
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
                commands,
            } => {
                f.write_str("\n")?;
                for variable in variables {
                    writeln!(f, "  {variable}")?;
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
        write!(f, "[{action}] {} -> ", self.guard)?;
        for (index, update) in self.updates.iter().enumerate() {
            let plus = if index > 0 { " + " } else { "" };
            write!(f, "{plus}{update}")?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(weight) = &self.weight {
            write!(f, "{weight} : ")?;
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
        // Texts of the complete operands so far.
        let mut texts: Vec<String> = Vec::new();
        for node in &self.nodes {
            let mut operand = || texts.pop().unwrap_or_default();
            let text = match &node.value {
                SystemNode::Module(name) => name.clone(),
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
        f.write_str(texts.last().map_or("", String::as_str))
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

/// Binds tighter than any operator.
const ATOM: u8 = u8::MAX;

/// The text of a complete operand, and how tightly it holds together.
struct Text {
    text: String,
    precedence: u8,
}

impl Text {
    /// The text, in parentheses if it binds less tightly than `least`.
    fn at_least(self, least: u8) -> String {
        match self.precedence < least {
            true => format!("({})", self.text),
            false => self.text,
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts: Vec<Text> = Vec::new();
        for node in self.nodes() {
            let arity = node.kind.arity() as usize;
            let operands = texts.split_off(texts.len() - arity);
            texts.push(joined(&node.kind, operands));
        }
        texts.iter().try_for_each(|whole| f.write_str(&whole.text))
    }
}

fn joined(kind: &NodeKind, operands: Vec<Text>) -> Text {
    let atom = |text| Text {
        text,
        precedence: ATOM,
    };
    let mut operands = operands.into_iter();
    let mut operand = |least| {
        operands
            .next()
            .map_or_else(String::new, |o| o.at_least(least))
    };
    match kind {
        NodeKind::Int(value) => atom(value.to_string()),
        NodeKind::Double(value) => atom(format!("{value:?}")),
        NodeKind::Bool(value) => atom(value.to_string()),
        NodeKind::Name(name) => atom(name.clone()),
        NodeKind::Unary(op) => Text {
            text: format!("{}{}", op.symbol(), operand(op.precedence())),
            precedence: op.precedence(),
        },
        NodeKind::Binary(op) => {
            let mut text = operand(op.precedence());
            text = text + " " + op.symbol() + " ";
            text.push_str(&operand(op.precedence() + 1));
            Text {
                text,
                precedence: op.precedence(),
            }
        }
        NodeKind::IfThenElse => {
            let mut text = operand(IF_PRECEDENCE + 1);
            text = text + " ? " + &operand(IF_PRECEDENCE + 1) + " : ";
            text.push_str(&operand(IF_PRECEDENCE));
            Text {
                text,
                precedence: IF_PRECEDENCE,
            }
        }
        NodeKind::Call(function, count) => {
            let mut text = format!("{}(", function.name());
            for index in 0..*count {
                text.push_str(if index > 0 { ", " } else { "" });
                text.push_str(&operand(0));
            }
            atom(text + ")")
        }
    }
}
