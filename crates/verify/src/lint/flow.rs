//! Control flow for the lint `uniformity`: branches, `switch` and loops.

use naga::{Block, Statement, SwitchCase};

use super::state::{Frame, State, arrive};
use super::uniformity::{Expr, Walker};
use super::values::{Cause, Taint, join, spread};

impl Walker<'_, '_> {
    /// Analyses an `if`. Returns the uniformity of control flow at its end, or `None` if the end is
    /// not reached.
    pub(super) fn branch(
        &mut self,
        condition: Expr,
        branches: &[&Block],
        control: Taint,
    ) -> Option<Taint> {
        let taint = self.taint_at(condition);
        let inner = join(control, taint);
        let begin = self.state.clone();
        let mut end: Option<(State, Taint)> = None;
        for block in branches {
            self.state = begin.clone();
            if let Some(control) = self.block(block, inner) {
                arrive(&mut end, &self.state, control);
            }
        }
        let escapes = branches.iter().any(|block| Escapes::of(block).any());
        let (state, joined) = end?;
        self.state = state;
        Some(if escapes { joined } else { control })
    }

    /// Analyses a `switch`, and returns the same as [`branch`](Self::branch).
    pub(super) fn switch(
        &mut self,
        selector: Expr,
        cases: &[SwitchCase],
        control: Taint,
    ) -> Option<Taint> {
        let taint = self.taint_at(selector);
        let inner = join(control, taint);
        let begin = self.state.clone();
        self.loops.push(Frame::default());
        let mut end: Option<(State, Taint)> = None;
        let mut falls: Option<(State, Taint)> = None;
        for case in cases {
            self.state = begin.clone();
            let mut inner = inner;
            if let Some((state, control)) = falls.take() {
                self.state.join(&state);
                inner = join(inner, control);
            }
            if let Some(control) = self.block(&case.body, inner) {
                let at = if case.fall_through {
                    &mut falls
                } else {
                    &mut end
                };
                arrive(at, &self.state, control);
            }
        }
        let frame = self.loops.pop()?;
        for (state, control) in frame.broken.into_iter().chain(falls) {
            arrive(&mut end, &state, control);
        }
        let all = cases.iter().map(|case| Escapes::of(&case.body));
        let escapes = all.fold(Escapes::default(), Escapes::or);
        let (state, joined) = end?;
        self.state = state;
        Some(match escapes.continues || escapes.returns {
            true => joined,
            false => control,
        })
    }

    /// Analyses a loop until nothing changes any more, and returns the same as
    /// [`branch`](Self::branch).
    pub(super) fn repeat(
        &mut self,
        (body, continuing, break_if): (&Block, &Block, Option<Expr>),
        control: Taint,
    ) -> Option<Taint> {
        let mut head = (self.state.clone(), control);
        let mut after: Option<(State, Taint)> = None;
        loop {
            self.state = head.0.clone();
            self.loops.push(Frame {
                is_loop: true,
                ..Frame::default()
            });
            let end = self.block(body, head.1);
            let continued = self.loops.last_mut()?.continued.take();
            let mut turn = end.map(|control| (self.state.clone(), control));
            if let Some((state, control)) = continued {
                arrive(&mut turn, &state, control);
            }
            let mut is_settled = true;
            if let Some((state, control)) = turn {
                self.state = state;
                if let Some(control) = self.block(continuing, control) {
                    let taint = break_if.and_then(|condition| self.taint_at(condition));
                    let control = join(control, taint);
                    if break_if.is_some() {
                        arrive(&mut after, &self.state, control);
                    }
                    let wider = join(head.1, control);
                    is_settled = !head.0.join(&self.state) && spread(wider) == spread(head.1);
                    head.1 = wider;
                }
            }
            if let Some((state, control)) = self.loops.pop()?.broken {
                arrive(&mut after, &state, control);
            }
            if is_settled {
                break;
            }
        }
        let returns = Escapes::of(body).or(Escapes::of(continuing)).returns;
        let (state, joined) = after?;
        self.state = state;
        Some(match returns {
            true => join(head.1, joined),
            false => control,
        })
    }

    /// Returns the taint of a condition. Its place is where control flow diverges.
    fn taint_at(&self, condition: Expr) -> Taint {
        let span = self.span(condition);
        self.taint(condition).map(|cause| Cause {
            span: match span.is_defined() {
                true => span,
                false => cause.span,
            },
            ..cause
        })
    }
}

/// The control flow that leaves a block elsewhere than at its end.
#[derive(Clone, Copy, Default)]
struct Escapes {
    breaks: bool,
    continues: bool,
    returns: bool,
}

impl Escapes {
    fn any(self) -> bool {
        self.breaks || self.continues || self.returns
    }

    fn or(self, other: Self) -> Self {
        Self {
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            returns: self.returns || other.returns,
        }
    }

    /// Returns the control flow that leaves a block. What ends at a loop or `switch` in the block
    /// does not leave it.
    fn of(block: &Block) -> Self {
        let each = block.iter().map(|statement| match statement {
            Statement::Break => Self {
                breaks: true,
                ..Self::default()
            },
            Statement::Continue => Self {
                continues: true,
                ..Self::default()
            },
            Statement::Return { .. } | Statement::Kill => Self {
                returns: true,
                ..Self::default()
            },
            Statement::Block(block) => Self::of(block),
            Statement::If { accept, reject, .. } => Self::of(accept).or(Self::of(reject)),
            Statement::Switch { cases, .. } => {
                let all = cases.iter().map(|case| Self::of(&case.body));
                Self {
                    breaks: false,
                    ..all.fold(Self::default(), Self::or)
                }
            }
            Statement::Loop {
                body, continuing, ..
            } => Self {
                returns: Self::of(body).or(Self::of(continuing)).returns,
                ..Self::default()
            },
            _ => Self::default(),
        });
        each.fold(Self::default(), Self::or)
    }
}
