//! Expressions, as lists of nodes in postfix order: every operator comes after its operands, and
//! the last node represents the whole expression. So all processing of an expression is a loop, and
//! deep nesting cannot overflow the stack.

use super::Span;

/// An expression: its nodes in postfix order, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    nodes: Vec<Node>,
}

/// An operand or operator of an [`Expr`].
#[derive(Debug, Clone)]
pub struct Node {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The place of the node and its operands in the text.
    pub span: Span,
    /// The number of nodes of the operand of which this is the root, including itself.
    size: u32,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The kind of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// `3`
    Int(i64),
    /// `0.5`
    Double(f64),
    /// `true`
    Bool(bool),
    /// `x`
    Name(String),
    /// An operator with one operand.
    Unary(UnaryOp),
    /// An operator with two operands.
    Binary(BinaryOp),
    /// `a ? b : c`, with three operands.
    IfThenElse,
    /// A function such as `min(a, b)`, with this number of operands.
    Call(Function, u32),
}

/// `-` or `!`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `!`
    Not,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `=>`
    Implies,
    /// `<=>`
    Iff,
    /// `|`
    Or,
    /// `&`
    And,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`, whose result is always a real number.
    Divide,
    /// `^`, as [`Function::Pow`].
    Power,
}

/// A function that is built into the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The smallest of one or more arguments.
    Min,
    /// The largest of one or more arguments.
    Max,
    /// Rounds down to an integer.
    Floor,
    /// Rounds up to an integer.
    Ceil,
    /// Rounds to the nearest integer, halves up.
    Round,
    /// `pow(base, exponent)`
    Pow,
    /// `mod(a, b)`, whose result is from 0 to b-1.
    Mod,
    /// `log(x, base)`
    Log,
}

impl UnaryOp {
    /// Returns the symbol of the operator.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Minus => "-",
            Self::Not => "!",
        }
    }

    /// Returns the precedence, as [`BinaryOp::precedence`].
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            Self::Not => 6,
            Self::Minus => 12,
        }
    }
}

impl BinaryOp {
    /// All operators. If one begins with another, it comes before that.
    pub(crate) const ALL: [Self; 15] = [
        Self::Implies,
        Self::Iff,
        Self::Or,
        Self::And,
        Self::Equal,
        Self::NotEqual,
        Self::LessEqual,
        Self::Less,
        Self::GreaterEqual,
        Self::Greater,
        Self::Plus,
        Self::Minus,
        Self::Times,
        Self::Divide,
        Self::Power,
    ];

    /// Returns the symbol of the operator.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        self.quoted().trim_matches('`')
    }

    /// Returns the symbol of the operator, in backticks.
    pub(crate) fn quoted(self) -> &'static str {
        match self {
            Self::Implies => "`=>`",
            Self::Iff => "`<=>`",
            Self::Or => "`|`",
            Self::And => "`&`",
            Self::Equal => "`=`",
            Self::NotEqual => "`!=`",
            Self::Less => "`<`",
            Self::LessEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterEqual => "`>=`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Times => "`*`",
            Self::Divide => "`/`",
            Self::Power => "`^`",
        }
    }

    /// Returns the precedence: operators of higher precedence are applied before those of lower
    /// precedence. `? :` has precedence 1 and groups to the right.
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            Self::Implies => 2,
            Self::Iff => 3,
            Self::Or => 4,
            Self::And => 5,
            Self::Equal | Self::NotEqual => 7,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => 8,
            Self::Plus | Self::Minus => 9,
            Self::Times | Self::Divide => 10,
            Self::Power => 11,
        }
    }

    /// Returns whether `a op b op c` is `a op (b op c)`. The other operators group to the left.
    #[must_use]
    pub fn groups_right(self) -> bool {
        matches!(self, Self::Implies | Self::Power)
    }
}

/// The precedence of `? :`.
pub(crate) const IF_PRECEDENCE: u8 = 1;

impl Function {
    pub(crate) const ALL: [Self; 8] = [
        Self::Min,
        Self::Max,
        Self::Floor,
        Self::Ceil,
        Self::Round,
        Self::Pow,
        Self::Mod,
        Self::Log,
    ];

    /// Returns the name of the function.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Pow => "pow",
            Self::Mod => "mod",
            Self::Log => "log",
        }
    }

    /// Returns the function with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

impl NodeKind {
    /// Returns the number of operands.
    #[must_use]
    pub fn arity(&self) -> u32 {
        match self {
            Self::Int(_) | Self::Double(_) | Self::Bool(_) | Self::Name(_) => 0,
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::IfThenElse => 3,
            Self::Call(_, arguments) => *arguments,
        }
    }
}

impl Expr {
    /// Returns an expression without nodes, which is not valid yet. [`push`](Expr::push) adds
    /// nodes.
    #[must_use]
    pub fn building() -> Self {
        Self { nodes: Vec::new() }
    }

    /// Returns an expression of one node, which must have no operands.
    #[must_use]
    pub fn leaf(kind: NodeKind, span: Span) -> Self {
        let mut leaf = Self::building();
        leaf.push(kind, span);
        leaf
    }

    /// Adds a node whose operands are the last `kind.arity()` complete operands.
    pub fn push(&mut self, kind: NodeKind, span: Span) {
        let mut size = 1;
        for _ in 0..kind.arity() {
            let end = self.nodes.len() + 1 - size as usize;
            size += self.nodes[end - 1].size;
        }
        self.nodes.push(Node { kind, span, size });
    }

    /// Adds the nodes of another expression as one operand.
    pub fn append(&mut self, operand: &Self) {
        self.nodes.extend_from_slice(&operand.nodes);
    }

    /// Returns the index at which the last complete operand begins.
    fn last_start(&self) -> usize {
        let size = self.nodes.last().map_or(0, |node| node.size as usize);
        self.nodes.len() - size
    }

    /// Returns a copy of the last complete operand.
    #[must_use]
    pub fn last_operand(&self) -> Self {
        let nodes = self.nodes[self.last_start()..].to_vec();
        Self { nodes }
    }

    /// Removes the last complete operand, and returns it.
    #[must_use]
    pub fn take_last_operand(&mut self) -> Self {
        let nodes = self.nodes.split_off(self.last_start());
        Self { nodes }
    }

    /// Extends the place of the last operand, for parentheses.
    pub(crate) fn widen(&mut self, span: Span) {
        if let Some(last) = self.nodes.last_mut() {
            last.span = span;
        }
    }

    /// Returns the nodes in postfix order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the operand whose root is the node at `index`, as an expression.
    pub(crate) fn operand(&self, index: usize) -> Self {
        let start = index + 1 - self.nodes[index].size as usize;
        Self {
            nodes: self.nodes[start..=index].to_vec(),
        }
    }

    /// Returns the place of the expression.
    #[must_use]
    pub fn span(&self) -> Span {
        self.nodes.last().map_or(Span::default(), |node| node.span)
    }

    /// Returns the names in the expression, in the order of the text, with their places.
    pub fn names(&self) -> impl Iterator<Item = (&str, Span)> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Name(name) => Some((name.as_str(), node.span)),
            _ => None,
        })
    }

    /// Returns the indices of the operands of the node at `index`, from the last to the first.
    #[must_use]
    pub fn operands(&self, index: usize) -> Operands<'_> {
        Operands {
            nodes: &self.nodes,
            next: index,
            left: self.nodes[index].kind.arity(),
        }
    }
}

/// See [`Expr::operands`].
#[derive(Debug, Clone)]
pub struct Operands<'e> {
    nodes: &'e [Node],
    /// One more than the index of the root of the next operand.
    next: usize,
    left: u32,
}

impl Iterator for Operands<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let root = self.next - 1;
        self.next = root + 1 - self.nodes[root].size as usize;
        Some(root)
    }
}
