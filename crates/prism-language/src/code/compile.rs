//! Compiles checked expressions to bytecode. Pending work is kept on an explicit stack.

use super::merge::Tail;
use super::{Code, Failure, Instruction, Pc};
use crate::arith::{Bits, Comparison, to_int};
use crate::ast::Span;
use crate::error::{Checked, ErrorKind, Fault};
use crate::ir::{Expr, Id, Op, Slot};

/// The values that a variable may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Domain {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Domain {
    /// Returns whether the domain contains a value.
    pub(crate) fn has(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns the values that both domains have.
    pub(crate) fn intersected(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// Returns the least interval that contains both domains. A domain without values has a least
    /// value above the greatest.
    pub(crate) fn united(self, other: Self) -> Self {
        match (self.low > self.high, other.low > other.high) {
            (true, _) => other,
            (_, true) => self,
            _ => Self {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
            },
        }
    }

    /// Returns the values, if there are at most `most`.
    pub(crate) fn values(self, most: u64) -> Option<impl ExactSizeIterator<Item = i64> + use<>> {
        let last = self.high.abs_diff(self.low);
        (last < most).then(|| (0..last as usize + 1).map(move |i| self.low + i as i64))
    }
}

/// The largest number of values of a variable such that numbers that depend on it alone are looked
/// up in a table.
const MAX_TABLE: u64 = 256;

/// The largest number of instructions and table entries of all expressions.
const MAX_CODE: usize = 1 << 26;

/// The largest number of operations, multiplied by the number of values, that may be tried for sets
/// and tables without success. If an operation fails, its operands are tried again, and their
/// operands, so without a limit a deep expression would take quadratic time.
const MAX_TRIALS: u64 = 1 << 28;

/// The number of trials that take about as long as compiling an operation.
const TRIAL_OF_COMPILING: u64 = 16;

/// Compiles expressions, and appends them to the code.
pub(crate) struct Compiler<'d> {
    pub(crate) code: Code,
    /// The number of trials that may still be made without success.
    trials: u64,
    domains: &'d [Domain],
    /// A state for trying values of one variable.
    state: Vec<i64>,
    stack: Vec<Bits>,
}

/// The number of a jump target.
type JumpLabel = usize;

/// A task that is still to be done for an expression.
#[derive(Clone, Copy)]
enum Task {
    /// Computes the value of a node.
    Value(Id),
    /// Jumps if the node is `on`.
    Jump {
        node: Id,
        on: bool,
        label: JumpLabel,
    },
    Emit(Instruction, Id),
    /// Appends a test that jumps to a label.
    Test(Instruction, JumpLabel),
    Goto(JumpLabel),
    /// Jumps with a value on the stack. The code that follows does not have this value on the
    /// stack.
    Leave(JumpLabel),
    Place(JumpLabel),
}

/// The code of an expression that is being compiled.
pub(super) struct Draft<'e> {
    expr: &'e Expr,
    /// The tasks, the next one last.
    tasks: Vec<Task>,
    /// The positions of jump labels that have been placed.
    jump_labels: Vec<Option<Pc>>,
    /// The jumps, each with the label of its target.
    jumps: Vec<(usize, JumpLabel)>,
    /// The position of the label that was placed last, or of the beginning of the code.
    fence: Pc,
    /// The number of values on the stack.
    depth: usize,
    /// Whether expressions that depend on one variable become sets or tables.
    tabulate: bool,
}

impl<'d> Compiler<'d> {
    pub(crate) fn new(domains: &'d [Domain]) -> Self {
        Self {
            code: Code::default(),
            trials: MAX_TRIALS,
            domains,
            state: domains.iter().map(|domain| domain.low).collect(),
            stack: Vec::new(),
        }
    }

    /// Appends code that computes the value of a node. Returns the position of the code.
    pub(crate) fn value(&mut self, expr: &Expr, node: Id) -> Checked<Pc> {
        self.append(expr, true, |draft| {
            draft.tasks.push(Task::Emit(Instruction::Return, node));
            draft.tasks.push(Task::Value(node));
        })
    }

    /// Appends code that tests whether all nodes hold, in order. Returns the position of the code.
    pub(crate) fn condition(&mut self, expr: &Expr, nodes: &[Id]) -> Checked<Pc> {
        self.append(expr, true, |draft| draft.conjunction(nodes))
    }

    /// Appends the code of the tasks that `begin` adds. Returns its position. With `tabulate`, what
    /// depends on a single variable may become a set of values or a table.
    pub(super) fn append(
        &mut self,
        expr: &Expr,
        tabulate: bool,
        begin: impl FnOnce(&mut Draft<'_>),
    ) -> Checked<Pc> {
        let start = self.here();
        let mut draft = Draft {
            expr,
            tasks: Vec::new(),
            jump_labels: Vec::new(),
            jumps: Vec::new(),
            fence: start,
            depth: 0,
            tabulate,
        };
        begin(&mut draft);
        while let Some(task) = draft.tasks.pop() {
            self.task(task, &mut draft)?;
            if self.code.instructions.len() > MAX_CODE || self.code.tables.len() > MAX_CODE {
                let kind = ErrorKind::TooMany {
                    what: "operations in all expressions",
                    limit: MAX_CODE as u64,
                };
                return Err(Fault::new(expr.node(expr.root()).span, kind));
            }
        }
        for &(at, label) in &draft.jumps {
            let target = draft.jump_labels[label].unwrap_or(start);
            if let Some(to) = self.code.instructions[at].target_mut() {
                *to = target;
            }
        }
        Ok(start)
    }

    fn here(&self) -> Pc {
        // `MAX_CODE` ensures that it is below 2^32.
        self.code.instructions.len() as Pc
    }

    /// Appends an instruction.
    fn emit(&mut self, instruction: Instruction, draft: &mut Draft<'_>, span: Span) {
        let (popped, pushed) = instruction.stack_effect();
        draft.depth = draft.depth + pushed - popped;
        self.code.depth = self.code.depth.max(draft.depth);
        if matches!(instruction, Instruction::Unary(_) | Instruction::Binary(_)) {
            let here = self.here();
            self.code.origins.push((here, span));
        }
        self.code.instructions.push(instruction);
    }

    /// Appends a jump or a test whose target is a label, or merges it with earlier tests.
    fn jump(&mut self, instruction: Instruction, label: JumpLabel, draft: &mut Draft<'_>) {
        if self.tail(draft).take(instruction, label) {
            return;
        }
        draft.jumps.push((self.code.instructions.len(), label));
        self.emit(instruction, draft, Span::default());
    }

    /// Does a task, which may add others.
    fn task(&mut self, task: Task, draft: &mut Draft<'_>) -> Checked<()> {
        match task {
            Task::Value(node) => self.compute(node, draft)?,
            Task::Jump { node, on, label } => self.test(node, on, label, draft)?,
            Task::Emit(instruction, node) => {
                let span = draft.expr.node(node).span;
                self.emit(instruction, draft, span);
            }
            Task::Test(instruction, label) => self.jump(instruction, label, draft),
            Task::Goto(label) => self.jump(Instruction::Jump(0), label, draft),
            Task::Leave(label) => {
                self.jump(Instruction::Jump(0), label, draft);
                draft.depth -= 1;
            }
            Task::Place(label) => {
                self.tail(draft).take_into_last(label);
                draft.fence = self.here();
                draft.jump_labels[label] = Some(draft.fence);
            }
        }
        Ok(())
    }

    fn tail<'t>(&'t mut self, draft: &'t mut Draft<'_>) -> Tail<'t> {
        Tail {
            instructions: &mut self.code.instructions,
            jumps: &mut draft.jumps,
            fence: draft.fence as usize,
        }
    }

    /// Compiles the computation of a node's value, which it leaves on the stack.
    fn compute(&mut self, node: Id, draft: &mut Draft<'_>) -> Checked<()> {
        let expr = draft.expr;
        let op = expr.node(node).op;
        if !matches!(op, Op::Constant(_) | Op::Variable(_))
            && let Some(look_up) = self.table(node, draft)?
        {
            self.emit(look_up, draft, Span::default());
            return Ok(());
        }
        match op {
            Op::Constant(bits) => self.emit(Instruction::Push(bits), draft, Span::default()),
            Op::Variable(slot) => self.emit(Instruction::Load(slot), draft, Span::default()),
            Op::Unary(op, operand) => {
                draft.tasks.push(Task::Emit(Instruction::Unary(op), node));
                draft.tasks.push(Task::Value(operand));
            }
            Op::Binary(op, left, right) => {
                draft.tasks.push(Task::Emit(Instruction::Binary(op), node));
                draft.tasks.push(Task::Value(right));
                draft.tasks.push(Task::Value(left));
            }
            Op::If(condition, yes, no) => draft.either(condition, yes, no),
            Op::Not(_) | Op::And(..) | Op::Or(..) | Op::CompareInt(..) | Op::CompareDouble(..) => {
                draft.truth_value(node);
            }
        }
        Ok(())
    }

    /// Compiles a jump to `label` if `node` is `on`.
    fn test(&mut self, node: Id, on: bool, label: JumpLabel, draft: &mut Draft<'_>) -> Checked<()> {
        let expr = draft.expr;
        let op = expr.node(node).op;
        if let Op::Constant(bits) = op {
            if (bits != 0) == on {
                self.jump(Instruction::Jump(0), label, draft);
            }
            return Ok(());
        }
        if let Some(test) = self.fused(node, on, draft)? {
            self.jump(test, label, draft);
            return Ok(());
        }
        let jump = |node, on, label| Task::Jump { node, on, label };
        match op {
            Op::Not(operand) => draft.tasks.push(jump(operand, !on, label)),
            Op::And(left, right) | Op::Or(left, right) => {
                // The value of the left operand that determines the result.
                let decides = matches!(op, Op::Or(..));
                if decides == on {
                    draft.tasks.push(jump(right, on, label));
                    draft.tasks.push(jump(left, on, label));
                } else {
                    let end = draft.jump_label();
                    draft.tasks.push(Task::Place(end));
                    draft.tasks.push(jump(right, on, label));
                    draft.tasks.push(jump(left, decides, end));
                }
            }
            Op::If(condition, yes, no) => {
                let (otherwise, end) = (draft.jump_label(), draft.jump_label());
                draft.tasks.push(Task::Place(end));
                draft.tasks.push(jump(no, on, label));
                draft.tasks.push(Task::Place(otherwise));
                draft.tasks.push(Task::Goto(end));
                draft.tasks.push(jump(yes, on, label));
                draft.tasks.push(jump(condition, false, otherwise));
            }
            Op::CompareInt(op, left, right) => {
                let test = Instruction::CompareInts { op, on, to: 0 };
                draft.compare(test, label, left, right);
            }
            Op::CompareDouble(op, left, right) => {
                let test = Instruction::CompareDoubles { op, on, to: 0 };
                draft.compare(test, label, left, right);
            }
            Op::Constant(_) | Op::Variable(_) | Op::Unary(..) | Op::Binary(..) => {
                let test = Instruction::Test { on, to: 0 };
                draft.tasks.push(Task::Test(test, label));
                draft.tasks.push(Task::Value(node));
            }
        }
        Ok(())
    }

    /// Returns a single instruction for the test, if there is one.
    fn fused(&mut self, node: Id, on: bool, draft: &Draft<'_>) -> Checked<Option<Instruction>> {
        let expr = draft.expr;
        if let Some((slot, set)) = self.set(node, draft)? {
            // The domain has at most 64 values, but its least value may be any integer.
            if let Ok(low) = i32::try_from(self.domains[usize::from(slot)].low) {
                let to = 0;
                return Ok(Some(Instruction::InSet {
                    slot,
                    on,
                    to,
                    low,
                    set,
                }));
            }
        }
        let Op::CompareInt(op, left, right) = expr.node(node).op else {
            return Ok(None);
        };
        let by = |op: Comparison| if on { op } else { op.negated() };
        let constant = |slot, op, bits| Instruction::CompareConstant {
            slot,
            op: by(op),
            to: 0,
            constant: to_int(bits),
        };
        Ok(match (expr.node(left).op, expr.node(right).op) {
            (Op::Variable(slot), Op::Constant(bits)) => Some(constant(slot, op, bits)),
            (Op::Constant(bits), Op::Variable(slot)) => Some(constant(slot, op.swapped(), bits)),
            (Op::Variable(left), Op::Variable(right)) => Some(Instruction::CompareVariables {
                left,
                right,
                op: by(op),
                to: 0,
            }),
            _ => None,
        })
    }

    /// Returns the values of the only variable of a condition for which it holds, as bits that
    /// begin with the lowest value.
    fn set(&mut self, node: Id, draft: &Draft<'_>) -> Checked<Option<(Slot, u64)>> {
        let Some(slot) = draft.expr.only_slot(node).filter(|_| draft.tabulate) else {
            return Ok(None);
        };
        let Some(results) = self.results(draft.expr, node, slot, 64)? else {
            return Ok(None);
        };
        let bits = results.iter().enumerate();
        let set = bits.fold(0, |set, (i, &bits)| set | u64::from(bits != 0) << i);
        Ok(Some((slot, set)))
    }

    /// Returns a table of the values of a number that depends on one variable.
    fn table(&mut self, node: Id, draft: &Draft<'_>) -> Checked<Option<Instruction>> {
        let Some(slot) = draft.expr.only_slot(node).filter(|_| draft.tabulate) else {
            return Ok(None);
        };
        let Some(results) = self.results(draft.expr, node, slot, MAX_TABLE)? else {
            return Ok(None);
        };
        let first = self.code.tables.len() as u32;
        self.code.tables.extend(results);
        Ok(Some(Instruction::LookUp {
            slot,
            low: self.domains[usize::from(slot)].low,
            first,
        }))
    }

    /// Returns the values of a node for all values of its only variable, from the lowest on. `None`
    /// if there are more than `most` values, if the node has no value for one of them, or if too
    /// many trials had no success.
    pub(crate) fn results(
        &mut self,
        expr: &Expr,
        node: Id,
        slot: Slot,
        most: u64,
    ) -> Checked<Option<Vec<Bits>>> {
        let Some(values) = self.domains[usize::from(slot)].values(most) else {
            return Ok(None);
        };
        if self.trials == 0 {
            return Ok(None);
        }
        let code = std::mem::take(&mut self.code);
        let start = self.append(expr, false, |draft| {
            draft.tasks.push(Task::Emit(Instruction::Return, node));
            draft.tasks.push(Task::Value(node));
        });
        let trial = std::mem::replace(&mut self.code, code);
        let start = start?;
        if self.stack.len() < trial.depth {
            self.stack.resize(trial.depth, 0);
        }
        let mut result = |value: i64| -> Result<Bits, Failure> {
            self.state[usize::from(slot)] = value;
            trial.run(start, &self.state, &mut self.stack)
        };
        let (size, count) = (trial.instructions.len() as u64, values.len() as u64);
        let results: Option<Vec<Bits>> = values.map(&mut result).collect::<Result<_, _>>().ok();
        if results.is_none() {
            let tried = size * (count + TRIAL_OF_COMPILING);
            self.trials = self.trials.saturating_sub(tried);
        }
        Ok(results)
    }

    /// Returns the value of a node that depends on no variable. It is an error only if the
    /// computation fails.
    pub(crate) fn evaluate(&mut self, expr: &Expr, node: Id) -> Checked<Bits> {
        if let Some(bits) = expr.constant(node) {
            return Ok(bits);
        }
        let code = std::mem::take(&mut self.code);
        let start = self.value(expr, node);
        let trial = std::mem::replace(&mut self.code, code);
        trial
            .run(start?, &self.state, &mut trial.stack())
            .map_err(|failure| {
                Fault::new(trial.origin(failure), ErrorKind::Arithmetic(failure.error))
            })
    }
}

impl Draft<'_> {
    /// Compares the values of two nodes with this instruction, which jumps to `label`.
    fn compare(&mut self, test: Instruction, label: JumpLabel, left: Id, right: Id) {
        self.tasks.push(Task::Test(test, label));
        self.tasks.push(Task::Value(right));
        self.tasks.push(Task::Value(left));
    }

    fn jump_label(&mut self) -> JumpLabel {
        self.jump_labels.push(None);
        self.jump_labels.len() - 1
    }

    /// Adds the tasks that answer whether all nodes hold, in order.
    pub(super) fn conjunction(&mut self, nodes: &[Id]) {
        let no = self.jump_label();
        self.tasks.push(Task::Emit(Instruction::Answer(false), 0));
        self.tasks.push(Task::Place(no));
        self.tasks.push(Task::Emit(Instruction::Answer(true), 0));
        for &node in nodes.iter().rev() {
            let label = no;
            self.tasks.push(Task::Jump {
                node,
                on: false,
                label,
            });
        }
    }

    /// Pushes the truth value of a condition.
    fn truth_value(&mut self, node: Id) {
        let (no, end) = (self.jump_label(), self.jump_label());
        self.tasks.push(Task::Place(end));
        self.tasks.push(Task::Emit(Instruction::Push(0), node));
        self.tasks.push(Task::Place(no));
        self.tasks.push(Task::Leave(end));
        self.tasks.push(Task::Emit(Instruction::Push(1), node));
        self.tasks.push(Task::Jump {
            node,
            on: false,
            label: no,
        });
    }

    fn either(&mut self, condition: Id, yes: Id, no: Id) {
        let (otherwise, end) = (self.jump_label(), self.jump_label());
        self.tasks.push(Task::Place(end));
        self.tasks.push(Task::Value(no));
        self.tasks.push(Task::Place(otherwise));
        self.tasks.push(Task::Leave(end));
        self.tasks.push(Task::Value(yes));
        self.tasks.push(Task::Jump {
            node: condition,
            on: false,
            label: otherwise,
        });
    }
}
