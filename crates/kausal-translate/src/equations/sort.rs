//! Matching and block lower triangular form: which equation determines which variable, and in which order.

use kausal_model::flat::Type;
use kausal_structure::{
    Eqn, Id, Incidence, IncidenceBuilder, Matching, Occurrence, Solvability, Var as Column, blt,
    dulmage_mendelsohn, maximum_matching_preferring,
};
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::FxHashSet;

use crate::equations::work::{EquationForm, Role, Work};

/// Equations and unknowns that belong together, in the order they are solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Indices into the equations of the work.
    pub equations: Vec<usize>,
    /// What they determine; `unknowns[i]` is matched with `equations[i]`.
    pub unknowns: Vec<VarId>,
}

/// Some equations have no unknown left, or some unknowns no equation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Singular {
    /// Equations of the overdetermined part and the unknowns in it.
    pub too_many: Vec<(Vec<usize>, Vec<VarId>)>,
    /// Unknowns of the underdetermined part and the equations in it.
    pub too_few: Vec<(Vec<VarId>, Vec<usize>)>,
}

/// The incidence of some equations with some unknowns.
pub(crate) struct Sorting {
    pub rows: Vec<usize>,
    pub columns: Vec<VarId>,
    pub incidence: Incidence,
    /// For each row the only column it may be matched with, if there is just one.
    only: Vec<Option<Column>>,
    /// Rows between Booleans, integers and the like: they determine such variables and no others.
    discrete_rows: Vec<bool>,
    discrete_columns: Vec<bool>,
    /// Rows that may determine a discrete Real variable as well as a continuous one.
    either: Vec<bool>,
    real_columns: Vec<bool>,
}

impl Sorting {
    /// Incidence of `rows` with the variables that have a place in `columns`.
    pub fn new(work: &mut Work, rows: Vec<usize>, columns: Vec<VarId>) -> Sorting {
        let mut visitor = Visitor::new();
        Sorting::with(work, rows, columns, &mut |work, equation, out| {
            occurrences(work, equation, &mut visitor, out);
        })
    }

    /// As [`Sorting::new`], counting only variables whose derivative occurs when the equation is differentiated: what
    /// a function is given as `noDerivative` argument is left out.
    pub fn for_differentiation(work: &mut Work, rows: Vec<usize>, columns: Vec<VarId>) -> Sorting {
        Sorting::with(work, rows, columns, &mut |work, equation, out| differentiated(work, equation, out))
    }

    fn with(
        work: &mut Work,
        rows: Vec<usize>,
        columns: Vec<VarId>,
        occurrences: &mut dyn FnMut(&Work, usize, &mut Vec<VarId>),
    ) -> Sorting {
        let place = work.take_places(&columns);
        let mut builder = IncidenceBuilder::new(rows.len(), columns.len());
        let only = rows
            .iter()
            .map(|&e| match work.equations[e].form {
                EquationForm::Plain => None,
                EquationForm::Memory(v) | EquationForm::When(v, _) => place[v.index()].map(Column),
            })
            .collect();
        let discrete_rows = rows.iter().map(|&e| is_discrete(work, e)).collect();
        let discrete_columns = columns
            .iter()
            .map(|&v| work.var(v).ty != Type::Real || matches!(work.var(v).role, Role::Discrete | Role::Run))
            .collect();
        let real_columns = columns.iter().map(|&v| work.var(v).ty == Type::Real).collect();
        let either = vec![false; rows.len()];
        let mut variables = Vec::new();
        for (r, &equation) in rows.iter().enumerate() {
            variables.clear();
            occurrences(work, equation, &mut variables);
            variables.retain(|v| place[v.index()].is_some());
            let solvable = solvability(work, equation, &variables);
            for (&v, s) in variables.iter().zip(solvable) {
                if let Some(column) = place[v.index()] {
                    builder.add(Eqn(r as u32), Column(column), s);
                }
            }
        }
        work.give_places(place, &columns);
        let incidence = builder.build();
        Sorting { rows, columns, incidence, only, discrete_rows, discrete_columns, either, real_columns }
    }

    /// Lets a row between Real variables determine a discrete one of them as well as a continuous one: at the start both
    /// are unknown.
    pub fn free(&mut self, row: Eqn) {
        self.either[row.index()] = true;
    }

    /// Matches and sorts.
    pub fn blocks(&self) -> Result<Vec<Block>, Singular> {
        // A pass per class: explicit solutions first, then what needs a division that is not proven, then Newton.
        let matching = self.matching(&|o| o.solvability as u8);
        if !matching.is_perfect() {
            return Err(self.diagnose(&matching));
        }
        Ok(blt(&self.incidence, &matching)
            .blocks()
            .map(|block| Block {
                equations: block.eqns.iter().map(|e| self.rows[e.index()]).collect(),
                unknowns: block.vars.iter().map(|v| self.columns[v.index()]).collect(),
            })
            .collect())
    }

    /// A maximum matching that prefers lower classes of edges; a row that may be solved for one variable only is
    /// matched with no other.
    pub fn matching(&self, class: &dyn Fn(Occurrence) -> u8) -> Matching {
        let allowed = self.incidence.filtered(|o| match self.only[o.eqn.index()] {
            Some(only) => o.var == only,
            None if self.either[o.eqn.index()] => self.real_columns[o.var.index()],
            None => self.discrete_rows[o.eqn.index()] == self.discrete_columns[o.var.index()],
        });
        maximum_matching_preferring(&allowed, class)
    }

    fn diagnose(&self, matching: &Matching) -> Singular {
        let dm = dulmage_mendelsohn(&self.incidence, matching);
        let rows = |eqns: &[Eqn]| eqns.iter().map(|e| self.rows[e.index()]).collect::<Vec<_>>();
        let columns = |vars: &[Column]| vars.iter().map(|v| self.columns[v.index()]).collect::<Vec<_>>();
        Singular {
            too_many: dm.over.pieces.iter().map(|p| (rows(&p.eqns), columns(&p.vars))).collect(),
            too_few: dm.under.pieces.iter().map(|p| (columns(&p.vars), rows(&p.eqns))).collect(),
        }
    }
}

/// Does the equation determine a discrete variable? It does when it is one between Booleans, integers,
/// enumerations or strings, and when one side is a discrete Real variable: what varies continuously cannot be
/// assigned to it, so the other side is its value. Where the other side does vary, as in `x + T*der(x) = sampled`, something in it
/// is determined.
pub(crate) fn is_discrete(work: &Work, equation: usize) -> bool {
    let e = &work.equations[equation];
    let is = |test: &dyn Fn(VarId) -> bool| {
        [e.lhs, e.rhs].iter().any(|&side| matches!(work.pool.node(side), Node::Var(v) if test(v)))
    };
    // A whole number that the initial problem finds may also be used like a Real one.
    let continuous = |v: VarId| work.var(v).role == Role::Continuous;
    let arithmetic = [e.lhs, e.rhs].iter().any(|&side| match work.pool.node(side) {
        Node::Var(v) => continuous(v),
        Node::Op(Op::Add | Op::Mul | Op::Div | Op::Neg, _) => work.pool.contains_any(side, continuous),
        _ => false,
    });
    let determined = |v: VarId| match work.var(v).role {
        Role::Parameter => false,
        Role::FreeParameter => !arithmetic,
        _ => true,
    };
    // A Real variable may be given a whole number; the other way round is no equation of the language.
    let real = |v: VarId| continuous(v) && work.var(v).ty == Type::Real;
    let either_varies = || varies(work, e.lhs) || varies(work, e.rhs);
    if is(&|v| work.var(v).ty != Type::Real && determined(v)) {
        return !is(&real) && !either_varies();
    }
    let logical = |side: ExprId| match work.pool.node(side) {
        Node::Op(op, _) => op.is_relation() || matches!(op, Op::Not | Op::And | Op::Or),
        _ => false,
    };
    logical(e.lhs)
        || logical(e.rhs)
        || is(&|v| matches!(work.var(v).role, Role::Discrete | Role::Run))
            && !is(&|v| work.var(v).role == Role::Continuous)
            && !either_varies()
}

/// Does what is computed from continuous variables, other than by functions of the model and by jumps, change between events?
fn varies(work: &Work, side: ExprId) -> bool {
    let mut open = vec![side];
    while let Some(id) = open.pop() {
        match work.pool.node(id) {
            Node::Var(v) if work.var(v).ty == Type::Real && work.var(v).role == Role::Continuous => {
                return true;
            }
            Node::Op(Op::Sign | Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv, _) => {}
            Node::Op(op, _) if !op.is_relation() => open.extend(work.pool.children(id)),
            _ => {}
        }
    }
    false
}

/// Is it an equation between Real values, among them discrete and continuous variables?
pub(crate) fn is_between_reals(work: &Work, equation: usize) -> bool {
    let e = &work.equations[equation];
    let real = |side: ExprId| match work.pool.node(side) {
        Node::Var(v) => work.var(v).ty == Type::Real,
        Node::Op(op, _) => !op.is_relation() && !matches!(op, Op::Not | Op::And | Op::Or),
        Node::Const(_) | Node::Output(..) => true,
        Node::Text(_) | Node::Call(..) => false,
    };
    let has =
        |test: &dyn Fn(VarId) -> bool| [e.lhs, e.rhs].iter().any(|&side| work.pool.contains_any(side, test));
    let role = |v: VarId| work.var(v).role;
    matches!(e.form, EquationForm::Plain)
        && real(e.lhs)
        && real(e.rhs)
        && has(&|v| work.var(v).ty == Type::Real && matches!(role(v), Role::Discrete | Role::Run))
        && has(&|v| role(v) == Role::Continuous)
}

/// The variables an equation contains, each once.
pub(crate) fn occurrences(work: &Work, equation: usize, visitor: &mut Visitor, out: &mut Vec<VarId>) {
    let e = &work.equations[equation];
    visitor.begin(&work.pool);
    visitor.variables(&work.pool, e.lhs, out);
    visitor.variables(&work.pool, e.rhs, out);
    if let EquationForm::When(_, cases) = &e.form {
        for case in cases {
            if let Some(value) = case.value {
                visitor.variables(&work.pool, value, out);
            }
            for &c in &case.conditions {
                let c = work.resolve(c).0;
                if !out.contains(&c) {
                    out.push(c);
                }
            }
        }
    }
}

/// The variables whose derivatives occur when the equation is differentiated, each once.
fn differentiated(work: &Work, equation: usize, out: &mut Vec<VarId>) {
    let e = &work.equations[equation];
    let mut seen = FxHashSet::default();
    let mut stack = vec![e.rhs, e.lhs];
    while let Some(id) = stack.pop() {
        if !work.pool.has_variables(id) || !seen.insert(id) {
            continue;
        }
        match work.pool.node(id) {
            Node::Var(v) => out.push(v),
            Node::Call(function, args) => {
                let function = work.pool.function(function);
                let layout = Layout::of_inputs(function);
                let none = |k: usize| {
                    let local = layout.as_ref().and_then(|l| l.find(k)).map(|(entry, _)| entry.local);
                    let notes = &function.notes.derivatives;
                    local
                        .is_some_and(|l| !notes.is_empty() && notes.iter().all(|note| note.none.contains(&l)))
                };
                stack.extend(args.iter().enumerate().rev().filter(|&(k, _)| !none(k)).map(|(_, &arg)| arg));
            }
            _ => stack.extend(work.pool.children(id).iter().rev()),
        }
    }
}

/// For each of `variables`: may the equation be solved for it?
pub(crate) fn solvability(work: &mut Work, equation: usize, variables: &[VarId]) -> Vec<Solvability> {
    let target = match &work.equations[equation].form {
        EquationForm::Plain => None,
        EquationForm::Memory(v) | EquationForm::When(v, _) => Some(*v),
    };
    if let Some(target) = target {
        let given = |v: &VarId| if *v == target { Solvability::LinearConstant } else { Solvability::Never };
        return variables.iter().map(given).collect();
    }
    crate::equations::solvability::plain_solvability(work, equation, variables)
}

/// Is it an equation for continuous unknowns?
pub(crate) fn is_continuous(work: &Work, equation: usize) -> bool {
    let e = &work.equations[equation];
    if e.form != EquationForm::Plain {
        return false;
    }
    if is_discrete(work, equation) {
        return false;
    }
    let unknown = |v: VarId| work.var(v).role == Role::Continuous;
    work.pool.contains_any(e.lhs, unknown) || work.pool.contains_any(e.rhs, unknown)
}

/// What is unknown once states are known.
pub(crate) fn unknowns(work: &Work, states: &FxHashSet<VarId>) -> Vec<VarId> {
    let mut occurring: FxHashSet<VarId> = FxHashSet::default();
    let mut visitor = Visitor::new();
    let mut list = Vec::new();
    for i in 0..work.equations.len() {
        list.clear();
        occurrences(work, i, &mut visitor, &mut list);
        occurring.extend(list.iter().copied());
    }
    (0..work.vars.len() as u32)
        .map(VarId)
        .filter(|v| {
            let var = work.var(*v);
            let unknown = matches!(var.role, Role::Continuous | Role::Discrete) && var.alias.is_none();
            // A derivative nobody uses any more is no unknown; a variable of the model always is.
            unknown && !states.contains(v) && (!var.made || var.integral.is_none() || occurring.contains(v))
        })
        .collect()
}
