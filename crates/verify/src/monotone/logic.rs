//! Conditions, and whether the conditions around an operation are compatible with the shape.

use super::assertion::{Assertion, Meaning};
use super::event::{Event, Kind, Skip};
use super::value::{Node, Scalar, Sign, TermId, Terms, Word};

impl Terms {
    pub(super) fn not(&mut self, a: Scalar) -> Scalar {
        let sign = a.sign.flip();
        let term = match *self.node(a.term) {
            Node::Truth(truth) => self.term(Node::Truth(!truth), Sign::Fixed),
            Node::Not(inner) => inner,
            _ => self.term(Node::Not(a.term), sign),
        };
        Scalar::of(term, sign)
    }

    pub(super) fn and(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match (self.truth_of(a), self.truth_of(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) => a,
            (_, Some(false)) => b,
            _ => {
                let sign = a.sign.join(b.sign);
                Scalar::of(self.term(Node::And(a.term, b.term), sign), sign)
            }
        }
    }

    pub(super) fn or(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match (self.truth_of(a), self.truth_of(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => a,
            (_, Some(true)) => b,
            _ => {
                let sign = a.sign.join(b.sign);
                Scalar::of(self.term(Node::Or(a.term, b.term), sign), sign)
            }
        }
    }

    pub(super) fn truth_of(&self, a: Scalar) -> Option<bool> {
        match *self.node(a.term) {
            Node::Truth(truth) => Some(truth),
            _ => None,
        }
    }

    /// Evaluates `a < b`.
    pub(super) fn less(&mut self, a: Scalar, b: Scalar) -> Scalar {
        self.compare(a, b, u32::lt, Node::Less)
    }

    /// Evaluates `a <= b`.
    pub(super) fn less_equal(&mut self, a: Scalar, b: Scalar) -> Scalar {
        self.compare(a, b, u32::le, Node::LessEqual)
    }

    /// Evaluates a comparison that goes up if `a` goes down or `b` goes up.
    fn compare(
        &mut self,
        a: Scalar,
        b: Scalar,
        of_numbers: fn(&u32, &u32) -> bool,
        node: fn(TermId, TermId) -> Node,
    ) -> Scalar {
        if let (Some(a), Some(b)) = (self.number(a.term), self.number(b.term)) {
            return Scalar::truth(self, of_numbers(&a, &b));
        }
        let sign = a.sign.flip().join(b.sign);
        Scalar::of(self.term(node(a.term, b.term), sign), sign)
    }

    pub(super) fn equal(&mut self, a: Scalar, b: Scalar) -> Scalar {
        if let (Some(a), Some(b)) = (self.number(a.term), self.number(b.term)) {
            return Scalar::truth(self, a == b);
        }
        if let (Some(a), Some(b)) = (self.truth_of(a), self.truth_of(b)) {
            return Scalar::truth(self, a == b);
        }
        let (a, b) = if a.is_fixed() { (b, a) } else { (a, b) };
        let sign = self.equality(a, b);
        Scalar::of(self.term(Node::Equal(a.term, b.term), sign), sign)
    }

    /// Returns the sign of `a == b`.
    fn equality(&self, a: Scalar, b: Scalar) -> Sign {
        if a.is_fixed() {
            return Sign::Fixed;
        }
        if !b.is_fixed() || a.sign == Sign::Any {
            return Sign::Any;
        }
        let is_masked =
            matches!(*self.node(a.term), Node::BitAnd(x, y) if x == b.term || y == b.term);
        match (a.sign, self.number(b.term)) {
            (sign, Some(u32::MAX)) => sign,
            (sign, Some(0)) => sign.flip(),
            // All bits that may be set must be set, or all bits of a mask.
            (Sign::Up, _) if a.by_bits && (is_masked || a.varies & !b.ones == 0) => Sign::Up,
            (Sign::Up, _) if a.by_bits && a.varies & b.maybe == 0 => Sign::Down,
            (Sign::Down, _) if a.by_bits && a.varies & b.maybe == 0 => Sign::Up,
            _ => Sign::Any,
        }
    }
}

/// An operation that lowers a word.
pub(super) struct Lowering<'e> {
    pub(super) kind: Kind,
    pub(super) word: &'e Word,
    pub(super) value: TermId,
    /// The bits that operations may change in this buffer.
    pub(super) changeable: u32,
}

impl Terms {
    fn reads(&self, term: TermId, word: &Word) -> bool {
        self.loads.get(&term) == Some(word)
    }

    /// Returns whether an operation changes nothing if an assertion is true.
    ///
    /// The value of a load of the word may be from any earlier time, because words change in one
    /// direction only.
    fn is_vain_if(&self, assertion: Assertion, op: &Lowering<'_>) -> bool {
        let reads = |term| self.reads(term, op.word);
        match self.meaning(assertion) {
            Meaning::Is(other) => self.is_vain_if(other, op),
            Meaning::Both(a, b) => self.is_vain_if(a, op) || self.is_vain_if(b, op),
            Meaning::Either(a, b) => self.is_vain_if(a, op) && self.is_vain_if(b, op),
            Meaning::Ordered(low, high) => match op.kind {
                Kind::Min => reads(low) && high == op.value,
                Kind::Max => reads(high) && low == op.value,
                Kind::And | Kind::Or => false,
            },
            Meaning::Differ(a, zero) if self.number(zero) == Some(0) => match op.kind {
                Kind::Max => reads(a) && self.number(op.value) == Some(1),
                Kind::Or => self.is_masked(a, op),
                _ => false,
            },
            Meaning::Equal(a, mask) if op.kind == Kind::Or && mask == op.value => {
                self.is_masked(a, op)
            }
            _ => false,
        }
    }

    /// Returns whether a term is the word of the operation, masked by the bit that the operation
    /// sets.
    fn is_masked(&self, term: TermId, op: &Lowering<'_>) -> bool {
        let Node::BitAnd(a, b) = *self.node(term) else {
            return false;
        };
        let is_so = |load, mask| self.reads(load, op.word) && mask == op.value;
        (is_so(a, b) || is_so(b, a)) && self.is_single_bit(op.value)
    }

    /// Returns whether an assertion says that `(word & mask) != 0`, because of bits that no
    /// operation changes, or because of the bit that the operation sets, in which case it changes
    /// nothing.
    fn is_fixed_or_vain(&self, assertion: Assertion, op: &Lowering<'_>) -> bool {
        match self.meaning(assertion) {
            Meaning::Is(other) => self.is_fixed_or_vain(other, op),
            Meaning::Differ(masked, zero)
                if op.kind == Kind::Or && self.number(zero) == Some(0) =>
            {
                let Node::BitAnd(a, b) = *self.node(masked) else {
                    return false;
                };
                let is_so = |load, mask| {
                    let mask = self.number(mask).map(|mask| mask & op.changeable);
                    self.reads(load, op.word) && mask.is_some() && mask == self.number(op.value)
                };
                (is_so(a, b) || is_so(b, a)) && self.is_single_bit(op.value)
            }
            _ => false,
        }
    }

    /// Returns whether an operation that is skipped if an assertion is true keeps the shape:
    /// progress can only end the skipping, or the operation would change nothing.
    fn may_leave_out(&self, assertion: Assertion, op: &Lowering<'_>) -> bool {
        let sign = match assertion.holds {
            true => self.sign(assertion.condition),
            false => self.sign(assertion.condition).flip(),
        };
        if matches!(sign, Sign::Fixed | Sign::Down) || self.is_vain_if(assertion, op) {
            return true;
        }
        match self.meaning(assertion) {
            Meaning::Is(other) => self.may_leave_out(other, op),
            Meaning::Either(a, b) => self.may_leave_out(a, op) && self.may_leave_out(b, op),
            Meaning::Both(a, b) => match (self.sign(a.condition), self.sign(b.condition)) {
                (Sign::Fixed, _) => self.may_leave_out(b, op),
                (_, Sign::Fixed) => self.may_leave_out(a, op),
                _ => false,
            },
            _ => self.is_fixed_or_vain(assertion, op),
        }
    }

    /// Returns whether an operation under this condition keeps the shape.
    pub(super) fn allows(&self, guard: TermId, op: &Lowering<'_>) -> bool {
        self.may_leave_out(Assertion::fails(guard), op)
    }

    /// Returns whether an operation is skipped, because a condition does not hold, only if it would
    /// change nothing.
    pub(super) fn is_vain_unless(&self, guard: TermId, op: &Lowering<'_>) -> bool {
        self.is_vain_if(Assertion::fails(guard), op)
    }

    /// Returns whether an operation after a `return`, `break` or `continue` keeps the shape.
    /// `around` are the conditions around the operation.
    pub(super) fn allows_behind(&self, skip: &Skip, around: &[Scalar], op: &Lowering<'_>) -> bool {
        let is_same = |done: &(Word, TermId)| done.0 == *op.word && done.1 == op.value;
        if skip.done.iter().any(is_same) {
            return true;
        }
        let open = skip.conditions.iter().filter(|one| {
            let is_given = around.iter().any(|given| given.term == one.term);
            !is_given && self.sign(one.term) != Sign::Fixed
        });
        let open: Vec<TermId> = open.map(|one| one.term).collect();
        match open[..] {
            [] => true,
            [one] => self.may_leave_out(Assertion::holds(one), op),
            _ => {
                open.iter().all(|&one| self.sign(one) == Sign::Down)
                    || open
                        .iter()
                        .any(|&one| self.is_vain_if(Assertion::holds(one), op))
            }
        }
    }

    /// Returns whether an assertion is true whenever an operation has changed its word. `result` is
    /// the term that the operation returned.
    fn is_told(&self, assertion: Assertion, op: &Lowering<'_>, result: TermId) -> bool {
        match self.meaning(assertion) {
            Meaning::Constant(truth) => truth,
            Meaning::Is(other) => self.is_told(other, op, result),
            Meaning::Both(a, b) => self.is_told(a, op, result) && self.is_told(b, op, result),
            Meaning::Either(a, b) => self.is_told(a, op, result) || self.is_told(b, op, result),
            Meaning::Ordered(low, high) => match op.kind {
                Kind::Min => low == op.value && high == result,
                Kind::Max => low == result && high == op.value,
                _ => false,
            },
            Meaning::Equal(masked, zero) if op.kind == Kind::Or => {
                let both = [(result, op.value), (op.value, result)];
                let is_masked = both
                    .iter()
                    .any(|&(a, b)| *self.node(masked) == Node::BitAnd(a, b));
                self.number(zero) == Some(0) && is_masked && self.is_single_bit(op.value)
            }
            _ => false,
        }
    }

    /// Returns whether an event that requests another iteration occurs whenever an operation before
    /// it has changed its word.
    pub(super) fn follows(
        &self,
        asks: (&Event, &Lowering<'_>),
        lowers: (&Event, &Lowering<'_>),
    ) -> bool {
        let ((asking, ask), (lowering, op)) = (asks, lowers);
        let is_new = |guard: &&Scalar| !lowering.guards.iter().any(|old| old.term == guard.term);
        let guards = asking.guards.iter().filter(is_new);
        let comes = |guard: &Scalar| {
            self.is_told(Assertion::holds(guard.term), op, lowering.result)
                || self.is_vain_if(Assertion::fails(guard.term), ask)
        };
        let is_behind = |skip: &Skip| lowering.skips.contains(skip);
        guards.into_iter().all(comes) && asking.skips.iter().all(is_behind)
    }
}
