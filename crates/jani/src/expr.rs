//! Expressions of JANI: PRISM's operators, and those that only JANI has, in postfix order.

use crate::error::{Checked, ErrorKind, Fault, unsupported};
use crate::json::{Kind as JsonKind, Value, shown};
use prism_language::ast::{BinaryOp, Function, NodeKind, Span, UnaryOp};
use prism_language::parse_double;

/// An expression in postfix order: each operator comes after its operands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expr {
    pub(crate) nodes: Vec<Node>,
}

/// An operand or operator.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The place of the node and its operands in the text.
    pub(crate) span: Span,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// An operand or operator that is also in PRISM's language.
    Prism(NodeKind),
    /// `abs`
    Abs,
    /// `sgn`
    Sign,
    /// `trc`
    Truncate,
    /// A function of the model, with this many arguments.
    Call(String, u32),
}

impl Kind {
    /// Returns whether the operand at `place` must be a real number. This is so in a division, and
    /// in sums, products and the bases of powers if these must be real numbers themselves.
    fn makes_real(&self, place: usize, is_real: bool) -> bool {
        match self {
            Self::Prism(NodeKind::Binary(BinaryOp::Divide)) => true,
            Self::Prism(NodeKind::Binary(BinaryOp::Plus | BinaryOp::Minus | BinaryOp::Times)) => {
                is_real
            }
            Self::Prism(NodeKind::Call(Function::Pow, 2)) => is_real && place == 0,
            _ => false,
        }
    }
}

impl From<NodeKind> for Kind {
    fn from(kind: NodeKind) -> Self {
        Self::Prism(kind)
    }
}

const WANTED: &str = "an expression";

/// A task that is left to do.
enum Task<'j> {
    /// Reads a value. The flag says whether it must be a real number.
    Read(Value<'j>, bool),
    Add(Kind, Span),
}

impl Expr {
    /// Reads an expression.
    pub(crate) fn read(value: Value<'_>) -> Checked<Self> {
        let mut nodes = Vec::new();
        let mut tasks = vec![Task::Read(value, false)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Add(kind, span) => nodes.push(Node { kind, span }),
                Task::Read(value, is_real) => {
                    let (kind, operands) = operation(value)?;
                    let span = value.span();
                    let is_power = kind == NodeKind::Call(Function::Pow, 2).into();
                    tasks.push(Task::Add(kind.clone(), span));
                    for (place, operand) in operands.into_iter().enumerate().rev() {
                        if is_real && is_power && place == 0 {
                            // A power is a real number if its base is one. Then no integer
                            // overflows.
                            tasks.push(Task::Add(NodeKind::Binary(BinaryOp::Times).into(), span));
                            tasks.push(Task::Add(NodeKind::Double(1.0).into(), span));
                        }
                        tasks.push(Task::Read(operand, kind.makes_real(place, is_real)));
                    }
                }
            }
        }
        Ok(Self { nodes })
    }

    /// Reads `{"exp": ...}`.
    pub(crate) fn read_member(value: Value<'_>, what: &'static str) -> Checked<Self> {
        let object = value.object(what, &["exp"])?;
        Self::read(object.need("exp")?)
    }

    /// Returns the place of the expression in the text.
    pub(crate) fn span(&self) -> Span {
        self.nodes.last().map_or(Span::default(), |node| node.span)
    }

    /// Returns whether the expression is this literal.
    pub(crate) fn is_bool(&self, value: bool) -> bool {
        matches!(&self.nodes[..], [node] if node.kind == Kind::Prism(NodeKind::Bool(value)))
    }

    /// Returns the name, if the expression is one.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match &self.nodes[..] {
            [
                Node {
                    kind: Kind::Prism(NodeKind::Name(name)),
                    ..
                },
            ] => Some(name),
            _ => None,
        }
    }

    /// Returns the names of the functions that the expression calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            Kind::Call(name, _) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// Returns the outermost operator of an expression, and its operands.
fn operation(value: Value<'_>) -> Checked<(Kind, Vec<Value<'_>>)> {
    let leaf = |kind: NodeKind| Ok((Kind::Prism(kind), Vec::new()));
    match value.kind() {
        JsonKind::Bool(constant) => leaf(NodeKind::Bool(constant)),
        JsonKind::Number => leaf(number(value)?),
        JsonKind::String => leaf(NodeKind::Name(value.ident("a name")?.value)),
        JsonKind::Object => operator(value),
        JsonKind::Null | JsonKind::Array => Err(value.unexpected(WANTED)),
    }
}

fn number(value: Value<'_>) -> Checked<NodeKind> {
    let text = value.as_number().unwrap_or_default();
    let is_real = text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let number = match is_real {
        true => parse_double(text).map(NodeKind::Double),
        false => text.parse().ok().map(NodeKind::Int),
    };
    number.ok_or_else(|| Fault::new(value.span(), ErrorKind::NumberTooLarge))
}

fn operator(value: Value<'_>) -> Checked<(Kind, Vec<Value<'_>>)> {
    if value.member("constant").is_some() {
        return constant(value);
    }
    if value.member("distribution").is_some() {
        return Err(unsupported(value.span(), "samples of distributions"));
    }
    let Some(op) = value.member("op") else {
        return Err(value.unexpected(WANTED));
    };
    let Some(name) = op.as_str() else {
        return Err(op.unexpected("the name of an operator"));
    };
    if let Some(kind) = of_two(&name) {
        let object = value.object("an operation of two operands", &["op", "left", "right"])?;
        return Ok((kind, vec![object.need("left")?, object.need("right")?]));
    }
    if let Some(kind) = of_one(&name) {
        let object = value.object("an operation of one operand", &["op", "exp"])?;
        return Ok((kind, vec![object.need("exp")?]));
    }
    match &*name {
        "ite" => {
            let object = value.object("`ite`", &["op", "if", "then", "else"])?;
            let operands = ["if", "then", "else"].map(|name| object.need(name));
            let operands: Checked<Vec<_>> = operands.into_iter().collect();
            Ok((NodeKind::IfThenElse.into(), operands?))
        }
        "call" => {
            let object = value.object("a call", &["op", "function", "args"])?;
            let function = object.need("function")?.ident("the name of a function")?;
            let arguments = object.list("args", "a list of arguments")?;
            let count = arguments.len() as u32;
            Ok((Kind::Call(function.value, count), arguments))
        }
        _ => Err(unknown(op, &name)),
    }
}

fn unknown(op: Value<'_>, name: &str) -> Box<Fault> {
    let what = match name {
        "aa" | "ac" | "av" | "array_access" | "count" => "arrays",
        "der" => "derivatives",
        "nondet" => "nondeterministic selections",
        "da" | "empty" | "oa" => "datatypes and options",
        "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "asin" | "acos" | "atan" | "acot"
        | "asec" | "acsc" | "sinh" | "cosh" | "tanh" | "coth" | "sech" | "csch" | "asinh"
        | "acosh" | "atanh" | "acoth" | "asech" | "acsch" => "trigonometric functions",
        _ => {
            let known = TWO.iter().map(|(name, _)| *name).chain(["ite", "call"]);
            let known = known.chain(["¬", "floor", "ceil", "abs", "sgn", "trc"]);
            let kind = ErrorKind::UnknownName {
                what: "operator",
                name: shown(name),
            };
            return Fault::new(op.span(), kind).suggest(name, known);
        }
    };
    unsupported(op.span(), what)
}

/// `{"constant": "e"}`
fn constant(value: Value<'_>) -> Checked<(Kind, Vec<Value<'_>>)> {
    let object = value.object("a mathematical constant", &["constant"])?;
    let constant = object.need("constant")?;
    let number = match constant.as_str().as_deref() {
        Some("e") => std::f64::consts::E,
        Some("π") => std::f64::consts::PI,
        _ => return Err(constant.unexpected("`e` or `π`")),
    };
    Ok((NodeKind::Double(number).into(), Vec::new()))
}

/// The binary operators.
const TWO: [(&str, NodeKind); 20] = [
    ("∨", NodeKind::Binary(BinaryOp::Or)),
    ("∧", NodeKind::Binary(BinaryOp::And)),
    ("=", NodeKind::Binary(BinaryOp::Equal)),
    ("≠", NodeKind::Binary(BinaryOp::NotEqual)),
    ("<", NodeKind::Binary(BinaryOp::Less)),
    ("≤", NodeKind::Binary(BinaryOp::LessEqual)),
    (">", NodeKind::Binary(BinaryOp::Greater)),
    ("≥", NodeKind::Binary(BinaryOp::GreaterEqual)),
    ("+", NodeKind::Binary(BinaryOp::Plus)),
    ("-", NodeKind::Binary(BinaryOp::Minus)),
    ("*", NodeKind::Binary(BinaryOp::Times)),
    ("/", NodeKind::Binary(BinaryOp::Divide)),
    ("%", NodeKind::Call(Function::Mod, 2)),
    ("pow", NodeKind::Call(Function::Pow, 2)),
    ("log", NodeKind::Call(Function::Log, 2)),
    ("min", NodeKind::Call(Function::Min, 2)),
    ("max", NodeKind::Call(Function::Max, 2)),
    ("⇒", NodeKind::Binary(BinaryOp::Implies)),
    ("⇔", NodeKind::Binary(BinaryOp::Iff)),
    ("mod", NodeKind::Call(Function::Mod, 2)),
];

fn of_two(name: &str) -> Option<Kind> {
    let known = TWO.iter().find(|(known, _)| *known == name);
    known.map(|(_, kind)| kind.clone().into())
}

fn of_one(name: &str) -> Option<Kind> {
    Some(match name {
        "¬" => NodeKind::Unary(UnaryOp::Not).into(),
        "floor" => NodeKind::Call(Function::Floor, 1).into(),
        "ceil" => NodeKind::Call(Function::Ceil, 1).into(),
        "abs" => Kind::Abs,
        "sgn" => Kind::Sign,
        "trc" => Kind::Truncate,
        _ => return None,
    })
}
