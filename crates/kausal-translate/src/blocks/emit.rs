//! From sorted blocks to steps: each block becomes an assignment, a system, or a `when` clause.
//!
//! The same block stands in several sections (dynamics, events, initial problem); what it became is kept and
//! shared, temporaries included.

use kausal_model::flat::{self, Action, ActionKind};
use kausal_structure::Solvability;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_syntax::Diagnostic;

use crate::blocks::emitter::Emitter;
use crate::blocks::{growth, linear, nonlinear, sweeps};
use crate::equations::solve::{self, Solution};
use crate::equations::sort::Block;
use crate::equations::work::{EquationForm, Role, Work};
use crate::prepare::lift;
use crate::program::{Assert, Call, EquationRef, Form, Step, System, When, WhenBranch};

impl Emitter<'_> {
    /// The steps that solve a block.
    pub fn block(&mut self, block: &Block) -> Vec<Step> {
        if let (&[equation], &[unknown]) = (&block.equations[..], &block.unknowns[..]) {
            return self.cached_single(equation, unknown);
        }
        let key = (block.equations.clone(), block.unknowns.clone());
        if let Some(steps) = self.cache.get(&key) {
            return steps.clone();
        }
        let steps = self.simultaneous(block);
        self.cache.insert(key, steps.clone());
        steps
    }

    fn cached_single(&mut self, equation: usize, unknown: VarId) -> Vec<Step> {
        match self.singles.get(equation) {
            Some(Some((known, steps))) if *known == unknown => return steps.clone(),
            Some(_) => {}
            None => self.singles.resize(equation + 1, None),
        }
        let steps = self.single(equation, unknown);
        self.singles[equation].get_or_insert_with(|| (unknown, steps.clone()));
        steps
    }

    fn single(&mut self, equation: usize, unknown: VarId) -> Vec<Step> {
        let mut steps = Vec::new();
        match self.work.equations[equation].form.clone() {
            EquationForm::Plain => match solve::solve(self.work, equation, unknown) {
                Solution::Explicit(value)
                    if !self.is_assignment(equation, unknown, value)
                        && (self.is_switched(equation, unknown)
                            || self.says_nothing(equation, unknown, value)) =>
                {
                    let block = Block { equations: vec![equation], unknowns: vec![unknown] };
                    return self.simultaneous(&block);
                }
                Solution::Explicit(value) => {
                    self.computed.add(unknown, value);
                    self.assign(unknown, value, Some(EquationRef(equation as u32)), &mut steps);
                }
                Solution::None => {
                    if self.work.var(unknown).ty != flat::Type::Real {
                        self.report(unsolvable(self.work, equation, unknown));
                    }
                    let block = Block { equations: vec![equation], unknowns: vec![unknown] };
                    steps.push(nonlinear::emit(self, &block));
                }
            },
            EquationForm::Memory(v) if self.relation_of(v).is_some() => {
                steps.extend(self.relation_of(v).map(Step::Relation));
            }
            EquationForm::Memory(v) => {
                let value = self.work.equations[equation].rhs;
                self.assign(v, value, Some(EquationRef(equation as u32)), &mut steps);
            }
            EquationForm::When(v, cases) => {
                let branches = cases
                    .into_iter()
                    .map(|case| {
                        let mut steps = Vec::new();
                        if let Some(value) = case.value {
                            self.assign(v, value, Some(EquationRef(equation as u32)), &mut steps);
                        }
                        let conditions = self.work.triggers(&case.conditions);
                        WhenBranch { conditions, initial: case.initial, steps }
                    })
                    .collect();
                let origin = self.work.equations[equation].origin.clone();
                steps.push(Step::When(Box::new(When { branches, acts: false, origin })));
            }
        }
        steps
    }

    /// Does it say what the unknown is already? Its coefficient is one then, however long the formula is.
    fn is_assignment(&self, equation: usize, unknown: VarId, value: ExprId) -> bool {
        let e = &self.work.equations[equation];
        value == e.rhs && self.work.pool.as_var(e.lhs) == Some(unknown)
    }

    /// May discrete variables switch the coefficient of the unknown off? Then the equation says nothing about it, and
    /// division will not do: like a system without full rank it leaves the unknown where it is.
    fn is_switched(&mut self, equation: usize, unknown: VarId) -> bool {
        let Some((coefficients, _)) = solve::linear(self.work, equation, &|v| v == unknown) else {
            return false;
        };
        let work = &*self.work;
        let discrete = |v: VarId| work.var(v).role == Role::Discrete;
        coefficients.iter().any(|&(_, c)| {
            work.pool.contains_any(c, discrete)
                && solve::coefficient_solvability(work, c) == Solvability::LinearUnsafe
        })
    }

    /// Does the equation multiply the unknown by something that is zero wherever one looks, like a moment of inertia that a
    /// model leaves out, and demand that this be zero? Its formula is zero, whatever is divided by; but nothing determines
    /// the unknown. Solved as a system, the run finds that out and says it.
    fn says_nothing(&mut self, equation: usize, unknown: VarId, value: ExprId) -> bool {
        if !self.work.pool.is_zero(value) {
            return false;
        }
        let Some((coefficients, _)) = solve::linear(self.work, equation, &|v| v == unknown) else {
            return false;
        };
        let [(_, coefficient)] = coefficients[..] else { return false };
        solve::coefficient_solvability(self.work, coefficient) == Solvability::LinearUnsafe
            && growth::is_zero(self, coefficient)
    }

    /// The steps that solve several equations together.
    pub fn simultaneous(&mut self, block: &Block) -> Vec<Step> {
        let discrete: Vec<usize> = (0..block.unknowns.len())
            .filter(|&i| self.work.var(block.unknowns[i]).role == Role::Discrete)
            .collect();
        if !discrete.is_empty() {
            return self.mixed(block, &discrete);
        }
        if self.settings.loops != crate::options::Loops::Newton
            && let Some(step) = sweeps::emit(self, block, &mut |emitter, part| emitter.simultaneous(part))
        {
            return vec![step];
        }
        match linear::emit(self, block) {
            Some(step) => {
                self.know_solution(&step);
                vec![step]
            }
            None => vec![nonlinear::emit(self, block)],
        }
    }

    /// What a linear system that is solved by formulas computes is known at sampled points, like what is assigned.
    fn know_solution(&mut self, step: &Step) {
        let Step::System(system) = step else { return };
        let Form::Linear { steps, .. } = &system.form else { return };
        if steps.iter().all(|step| matches!(step, Step::Assign(_))) {
            for step in steps {
                if let Step::Assign(assign) = step {
                    self.computed.add(assign.variable, assign.value);
                }
            }
        }
    }

    /// Discrete unknowns in a loop: the continuous part is solved with them given, then they are computed anew.
    fn mixed(&mut self, block: &Block, discrete: &[usize]) -> Vec<Step> {
        let of = |keep: &dyn Fn(usize) -> bool| Block {
            equations: (0..block.equations.len()).filter(|&i| keep(i)).map(|i| block.equations[i]).collect(),
            unknowns: (0..block.unknowns.len()).filter(|&i| keep(i)).map(|i| block.unknowns[i]).collect(),
        };
        let inner = of(&|i| !discrete.contains(&i));
        let outer = of(&|i| discrete.contains(&i));
        let mut continuous = Vec::new();
        for block in self.sorted(&inner) {
            continuous.extend(self.block(&block));
        }
        // Relations follow from the continuous part alone; the rest is computed in an order that uses what is new.
        let mut relations = Vec::new();
        let mut rest = Block { equations: Vec::new(), unknowns: Vec::new() };
        for (&equation, &unknown) in outer.equations.iter().zip(&outer.unknowns) {
            match self.relation_of(unknown) {
                Some(relation) => relations.push(relation),
                None => {
                    rest.equations.push(equation);
                    rest.unknowns.push(unknown);
                }
            }
        }
        let mut steps = Vec::new();
        for block in self.sorted(&rest) {
            for (&equation, &unknown) in block.equations.iter().zip(&block.unknowns) {
                steps.extend(self.single(equation, unknown));
            }
        }
        vec![Step::System(Box::new(System {
            equations: block.equations.iter().map(|&e| EquationRef(e as u32)).collect(),
            unknowns: block.unknowns.clone(),
            tearing_variables: Vec::new(),
            residuals: Vec::new(),
            mixed: true,
            form: Form::Mixed { continuous, relations, discrete: steps, unknowns: rest.unknowns },
            alternatives: Vec::new(),
        }))]
    }

    /// Asserts, terminations and calls as steps.
    pub fn actions(&mut self, actions: &[Action]) -> Vec<Step> {
        let mut out = Vec::new();
        for action in actions {
            match &action.kind {
                ActionKind::Assign(v, e) => self.assign(*v, *e, None, &mut out),
                ActionKind::Reinit(v, e) => {
                    let (v, negated) = self.work.resolve(*v);
                    let e = if negated { self.work.pool.op(Op::Neg, &[*e]) } else { *e };
                    let e = self.without_calls(e, &mut out);
                    out.push(Step::Reinit(v, e));
                }
                ActionKind::Assert { condition, message, warning } => {
                    let (holds, condition) = self.watched(*condition);
                    let condition = self.without_calls(condition, &mut out);
                    let (message, warning) = (*message, *warning);
                    out.push(Step::Assert(Assert {
                        condition,
                        holds,
                        message,
                        warning,
                        origin: action.origin.clone(),
                    }));
                }
                ActionKind::Terminate(message) => out.push(Step::Terminate(*message)),
                ActionKind::Call(e) => {
                    if let Node::Call(function, args) = self.work.pool.node(*e) {
                        let args = args.to_vec();
                        let args = args.into_iter().map(|a| self.without_calls(a, &mut out)).collect();
                        out.push(Step::Call(Call { function, args, outputs: Vec::new(), impure: true }));
                    }
                }
                ActionKind::If(c, a, b) => {
                    let c = self.without_calls(*c, &mut out);
                    let (a, b) = (self.actions(a), self.actions(b));
                    out.push(Step::If(c, a, b));
                }
            }
        }
        out
    }

    /// The variable that tells whether an assertion holds, if there is one, and the condition itself.
    fn watched(&mut self, condition: ExprId) -> (Option<VarId>, ExprId) {
        let Node::Op(Op::Or, args) = self.work.pool.node(condition) else { return (None, condition) };
        let args = args.to_vec();
        let watches = |&arg: &ExprId| match self.work.pool.node(arg) {
            Node::Var(v) => {
                let var = self.work.var(v);
                (var.made && var.name.starts_with(lift::ASSERTION)).then_some(v)
            }
            _ => None,
        };
        let Some(holds) = args.iter().find_map(watches) else { return (None, condition) };
        let rest: Vec<ExprId> = args.iter().copied().filter(|arg| watches(arg).is_none()).collect();
        let condition = match rest[..] {
            [] => condition,
            [one] => one,
            _ => self.work.pool.op(Op::Or, &rest),
        };
        (Some(holds), condition)
    }
}

/// Equal variables that are named in a loop.
const SHOWN_AROUND: usize = 6;

/// What has no values in between cannot be found by iteration.
fn unsolvable(work: &Work, equation: usize, unknown: VarId) -> Diagnostic {
    let var = work.var(unknown);
    let kind = match var.ty {
        flat::Type::Boolean => "Boolean",
        flat::Type::Integer => "Integer",
        flat::Type::String => "String",
        _ => "discrete",
    };
    let name = work.shown(unknown);
    let info = &work.equations[equation];
    let mut around = vec![name.to_owned()];
    let equal = work.vars.iter().filter(|v| !v.made && v.alias.is_some_and(|(target, _)| target == unknown));
    around.extend(equal.map(|v| v.name.clone()).take(SHOWN_AROUND));
    around.push(name.to_owned());
    let sides = [info.lhs, info.rhs];
    let itself = sides.iter().any(|&side| work.pool.as_var(side) == Some(unknown))
        && sides.iter().all(|&side| work.pool.contains_any(side, |v| v == unknown));
    let (message, words, help) = if itself {
        (
            format!("the {kind} variable {name} depends on itself, in a loop: {}", around.join(" → ")),
            "in this loop",
            format!(
                "such a loop has no order to be computed in: let one of its equations use the value of before, `pre({name})`"
            ),
        )
    } else {
        (
            format!("no equation can be solved for the {kind} variable {name}"),
            "this is the only equation for it",
            "give it a value, as in `b = x > 0`; what it was before is `pre(...)`".to_owned(),
        )
    };
    let mut d = Diagnostic::error("K0403", message).help(help);
    if let Some(place) = info.origin.location {
        d = d.at(place, words);
    }
    d
}
