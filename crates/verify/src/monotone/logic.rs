//! Conditions, and whether the conditions around an operation are compatible with the shape.

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

    /// Evaluates `a < b` or `a <= b`.
    pub(super) fn less(&mut self, a: Scalar, b: Scalar, or_equal: bool) -> Scalar {
        if let (Some(a), Some(b)) = (self.number(a.term), self.number(b.term)) {
            return Scalar::truth(self, if or_equal { a <= b } else { a < b });
        }
        let sign = a.sign.flip().join(b.sign);
        let node = match or_equal {
            true => Node::LessEqual(a.term, b.term),
            false => Node::Less(a.term, b.term),
        };
        Scalar::of(self.term(node, sign), sign)
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

    /// Returns whether an operation changes nothing if a condition holds (or if it does not hold).
    ///
    /// The value of a load of the word may be from any earlier time, because words change in one
    /// direction only.
    fn is_vain_if(&self, condition: TermId, holds: bool, op: &Lowering<'_>) -> bool {
        let reads = |term| self.reads(term, op.word);
        match *self.node(condition) {
            Node::Not(inner) => self.is_vain_if(inner, !holds, op),
            Node::And(a, b) if holds => {
                self.is_vain_if(a, true, op) || self.is_vain_if(b, true, op)
            }
            Node::Or(a, b) if !holds => {
                self.is_vain_if(a, false, op) || self.is_vain_if(b, false, op)
            }
            Node::And(a, b) | Node::Or(a, b) => {
                self.is_vain_if(a, holds, op) && self.is_vain_if(b, holds, op)
            }
            Node::Less(a, b) | Node::LessEqual(a, b) => {
                let (low, high) = if holds { (a, b) } else { (b, a) };
                match op.kind {
                    Kind::Min => reads(low) && high == op.value,
                    Kind::Max => reads(high) && low == op.value,
                    Kind::And | Kind::Or => false,
                }
            }
            Node::Equal(a, zero) if !holds && self.number(zero) == Some(0) => match op.kind {
                Kind::Max => reads(a) && self.number(op.value) == Some(1),
                Kind::Or => self.is_masked(a, op),
                _ => false,
            },
            Node::Equal(a, mask) if holds && op.kind == Kind::Or && mask == op.value => {
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

    /// Returns whether `(word & mask) == 0` does not hold because of bits that no operation
    /// changes, or because of the bit that the operation sets, in which case it changes nothing.
    fn is_fixed_or_vain(&self, condition: TermId, holds: bool, op: &Lowering<'_>) -> bool {
        match *self.node(condition) {
            Node::Not(inner) => self.is_fixed_or_vain(inner, !holds, op),
            Node::Equal(masked, zero)
                if !holds && op.kind == Kind::Or && self.number(zero) == Some(0) =>
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

    /// Returns whether an operation that is skipped if a condition holds (or if it does not hold)
    /// keeps the shape: progress can only end the skipping, or the operation would change nothing.
    fn may_leave_out(&self, condition: TermId, holds: bool, op: &Lowering<'_>) -> bool {
        let sign = match holds {
            true => self.sign(condition),
            false => self.sign(condition).flip(),
        };
        if matches!(sign, Sign::Fixed | Sign::Down) || self.is_vain_if(condition, holds, op) {
            return true;
        }
        match *self.node(condition) {
            Node::Not(inner) => self.may_leave_out(inner, !holds, op),
            Node::Or(a, b) if holds => {
                self.may_leave_out(a, true, op) && self.may_leave_out(b, true, op)
            }
            Node::And(a, b) if !holds => {
                self.may_leave_out(a, false, op) && self.may_leave_out(b, false, op)
            }
            Node::And(a, b) | Node::Or(a, b) => match (self.sign(a), self.sign(b)) {
                (Sign::Fixed, _) => self.may_leave_out(b, holds, op),
                (_, Sign::Fixed) => self.may_leave_out(a, holds, op),
                _ => false,
            },
            _ => self.is_fixed_or_vain(condition, holds, op),
        }
    }

    /// Returns whether an operation under this condition keeps the shape.
    pub(super) fn allows(&self, guard: TermId, op: &Lowering<'_>) -> bool {
        self.may_leave_out(guard, false, op)
    }

    /// Returns whether an operation is skipped, because a condition does not hold, only if it would
    /// change nothing.
    pub(super) fn is_vain_unless(&self, guard: TermId, op: &Lowering<'_>) -> bool {
        self.is_vain_if(guard, false, op)
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
            [one] => self.may_leave_out(one, true, op),
            _ => {
                open.iter().all(|&one| self.sign(one) == Sign::Down)
                    || open.iter().any(|&one| self.is_vain_if(one, true, op))
            }
        }
    }

    /// Returns whether a condition holds whenever an operation has changed its word. `result` is
    /// the term that the operation returned.
    fn is_told(&self, condition: TermId, holds: bool, op: &Lowering<'_>, result: TermId) -> bool {
        match *self.node(condition) {
            Node::Truth(truth) => truth == holds,
            Node::Not(inner) => self.is_told(inner, !holds, op, result),
            Node::And(a, b) if holds => {
                self.is_told(a, true, op, result) && self.is_told(b, true, op, result)
            }
            Node::Or(a, b) if !holds => {
                self.is_told(a, false, op, result) && self.is_told(b, false, op, result)
            }
            Node::And(a, b) | Node::Or(a, b) => {
                self.is_told(a, holds, op, result) || self.is_told(b, holds, op, result)
            }
            Node::Less(a, b) | Node::LessEqual(a, b) => {
                let (low, high) = if holds { (a, b) } else { (b, a) };
                match op.kind {
                    Kind::Min => low == op.value && high == result,
                    Kind::Max => low == result && high == op.value,
                    _ => false,
                }
            }
            Node::Equal(masked, zero) if holds && op.kind == Kind::Or => {
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
            self.is_told(guard.term, true, op, lowering.result)
                || self.is_vain_if(guard.term, false, ask)
        };
        let is_behind = |skip: &Skip| lowering.skips.contains(skip);
        guards.into_iter().all(comes) && asking.skips.iter().all(is_behind)
    }
}
