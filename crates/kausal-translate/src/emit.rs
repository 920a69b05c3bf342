//! From sorted blocks to steps: each block becomes an assignment, a system, or a `when` clause.
//!
//! The same block stands in several sections (dynamics, events, initial problem); what it became is kept and
//! shared, temporaries included.

use std::rc::Rc;

use kausal_model::flat::{self, Action, ActionKind};
use kausal_structure::Solvability;
use kausal_symbolic::interval::Interval;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::CallSlots;
use crate::commands::Wishes;
use crate::declared::Hints;
use crate::growth::Computed;
use crate::program::{Assert, Assign, Call, EquationRef, Form, Nonlinear, Step, System, When, WhenBranch};
use crate::solve::{self, Solution};
use crate::sort::{Block, Sorting};
use crate::work::{EquationForm, Role, Work};
use crate::{growth, linear, nonlinear, parameters, sweeps};

/// Options of the translation that the emission needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub tearing: crate::Tearing,
    pub relaxing: crate::Relaxing,
    pub inline: crate::Inline,
    pub loops: crate::Loops,
}

/// Turns blocks into steps.
pub(crate) struct Emitter<'a> {
    pub work: &'a mut Work,
    pub settings: Settings,
    pub hints: Hints,
    /// The default iteration variables of the inlined step that is being emitted; empty otherwise.
    pub seeds: FxHashSet<VarId>,
    /// The equations of its formula, each with the state it is for.
    pub formulas: FxHashMap<usize, VarId>,
    /// Its step size.
    pub step_size: Option<VarId>,
    /// Iteration variables that are known to be enough for an inlined step.
    pub enough: FxHashSet<VarId>,
    /// Names and patterns of stiff states.
    pub stiff: Option<Vec<String>>,
    /// Names of unknowns whose nonlinear systems are not torn.
    pub untorn: FxHashSet<String>,
    /// Those states.
    pub integrated: FxHashSet<VarId>,
    /// What was assigned so far.
    pub computed: Computed,
    /// What blocks that derivatives depend on compute for others of them, while these blocks are emitted.
    pub wanted: Option<FxHashSet<VarId>>,
    /// The equations each variable occurs in, once somebody has asked.
    occurrences: Option<FxHashMap<VarId, Vec<u32>>>,
    cache: FxHashMap<(Vec<usize>, Vec<VarId>), Vec<Step>>,
    /// Steps of equations that are solved alone, by equation, for the unknown they were first solved for.
    singles: Vec<Option<(VarId, Vec<Step>)>>,
    temporaries: usize,
    relations: FxHashMap<VarId, u32>,
    values: Option<Rc<FxHashMap<VarId, f64>>>,
    call_slots: CallSlots,
}

/// A point to which the emission can be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    vars: usize,
    bounds: usize,
    temporaries: usize,
}

impl<'a> Emitter<'a> {
    pub fn new(work: &'a mut Work, settings: Settings, wishes: &Wishes) -> Self {
        let hints = Hints::new(work, wishes);
        Emitter {
            work,
            settings,
            hints,
            seeds: FxHashSet::default(),
            formulas: FxHashMap::default(),
            integrated: FxHashSet::default(),
            enough: FxHashSet::default(),
            step_size: None,
            stiff: None,
            untorn: FxHashSet::default(),
            computed: Computed::default(),
            wanted: None,
            occurrences: None,
            cache: FxHashMap::default(),
            singles: Vec::new(),
            temporaries: 100,
            relations: FxHashMap::default(),
            values: None,
            call_slots: CallSlots::default(),
        }
    }

    /// The values parameters have, as far as they are known.
    pub fn parameter_values(&mut self) -> Rc<FxHashMap<VarId, f64>> {
        if let Some(values) = &self.values {
            return values.clone();
        }
        // Cycles are reported where parameters are computed.
        let said = self.work.diagnostics.len();
        let order = parameters::ordered(self.work);
        self.work.diagnostics.truncate(said);
        let values = Rc::new(parameters::values(self.work, &order));
        self.values = Some(values.clone());
        values
    }

    /// Where the emission stands.
    pub fn mark(&self) -> Mark {
        Mark { vars: self.work.vars.len(), bounds: self.work.bounds.len(), temporaries: self.temporaries }
    }

    /// Forgets temporaries made since; the steps that use them must be gone.
    pub fn rollback(&mut self, mark: Mark) {
        self.work.vars.truncate(mark.vars);
        self.work.bounds.truncate(mark.bounds);
        self.temporaries = mark.temporaries;
        self.call_slots.forget_from(mark.vars);
        self.computed.forget_from(mark.vars);
    }

    /// Says something, once.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let same = |d: &Diagnostic| d.code == diagnostic.code && d.message == diagnostic.message;
        if !self.work.diagnostics.iter().any(same) {
            self.work.diagnostics.push(diagnostic);
        }
    }

    /// Remembers where the value of a temporary lies.
    pub fn bound(&mut self, held: ExprId, value: ExprId) {
        let Some(v) = self.work.pool.as_var(held) else { return };
        if self.work.pool.has_calls(value) {
            return;
        }
        let interval = solve::interval(self.work, value);
        let bounds = &mut self.work.bounds;
        if bounds.len() <= v.index() {
            bounds.resize(v.index() + 1, Interval::ALL);
        }
        bounds[v.index()] = interval;
    }

    /// May the equation be solved for the variable? In an inlined step a state follows from its derivative and nothing else:
    /// where it comes from a difference of large numbers it is not continuous from step to step.
    pub fn may_determine(&self, equation: usize, v: VarId) -> bool {
        match self.formulas.get(&equation) {
            Some(state) => *state == v,
            None => self.formulas.is_empty() || !self.integrated.contains(&v),
        }
    }

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
                    if self.is_switched(equation, unknown) || self.says_nothing(equation, unknown, value) =>
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
                        let conditions = case.conditions.iter().map(|&c| self.work.resolve(c).0).collect();
                        WhenBranch { conditions, initial: case.initial, steps }
                    })
                    .collect();
                let origin = self.work.equations[equation].origin.clone();
                steps.push(Step::When(Box::new(When { branches, acts: false, origin })));
            }
        }
        steps
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

    /// The relation whose value the variable is.
    fn relation_of(&mut self, v: VarId) -> Option<u32> {
        if self.relations.len() != self.work.relations.len() {
            self.relations = self.work.relations.iter().zip(0..).map(|(r, i)| (r.variable, i)).collect();
        }
        self.relations.get(&v).copied()
    }

    /// The unknowns of a block that derivatives depend on elsewhere; where that is not known, those that are derivatives or that
    /// other equations contain.
    pub fn needed_outside(&mut self, block: &Block) -> FxHashSet<VarId> {
        if let Some(wanted) = &self.wanted {
            return block.unknowns.iter().copied().filter(|v| wanted.contains(v)).collect();
        }
        let own: FxHashSet<usize> = block.equations.iter().copied().collect();
        if self.occurrences.is_none() {
            let mut all: FxHashMap<VarId, Vec<u32>> = FxHashMap::default();
            let (mut visitor, mut list) = (Visitor::new(), Vec::new());
            for e in 0..self.work.equations.len() {
                list.clear();
                crate::sort::occurrences(self.work, e, &mut visitor, &mut list);
                list.iter().for_each(|v| all.entry(*v).or_default().push(e as u32));
            }
            self.occurrences = Some(all);
        }
        let all = self.occurrences.as_ref();
        let elsewhere = |v: &VarId| {
            let places = all.and_then(|all| all.get(v)).map_or(&[][..], Vec::as_slice);
            places.iter().any(|&e| !own.contains(&(e as usize)))
        };
        let is_needed = |v: &VarId| self.work.var(*v).integral.is_some() || elsewhere(v);
        block.unknowns.iter().copied().filter(is_needed).collect()
    }

    /// The steps that solve several equations together.
    pub fn simultaneous(&mut self, block: &Block) -> Vec<Step> {
        let discrete: Vec<usize> = (0..block.unknowns.len())
            .filter(|&i| self.work.var(block.unknowns[i]).role == Role::Discrete)
            .collect();
        if !discrete.is_empty() {
            return self.mixed(block, &discrete);
        }
        if self.settings.loops != crate::Loops::Newton
            && let Some(step) = sweeps::emit(self, block)
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

    /// Sorts a block again, some of its unknowns being known now; what cannot be sorted stays as it is.
    pub fn sorted(&mut self, block: &Block) -> Vec<Block> {
        if block.equations.is_empty() {
            return Vec::new();
        }
        let sorting = Sorting::new(self.work, block.equations.clone(), block.unknowns.clone());
        sorting.blocks().unwrap_or_else(|_| vec![block.clone()])
    }

    /// `variable := value`, function calls first.
    pub fn assign(
        &mut self,
        variable: VarId,
        value: ExprId,
        equation: Option<EquationRef>,
        out: &mut Vec<Step>,
    ) {
        let value = self.without_calls(value, out);
        out.push(Step::Assign(Assign { variable, value, equation }));
    }

    /// The expression with calls replaced by variables; the calls become steps before it.
    pub fn without_calls(&mut self, value: ExprId, out: &mut Vec<Step>) -> ExprId {
        self.call_slots.extract(self.work, &mut self.temporaries, value, out)
    }

    /// A temporary with a value; what is a number or a variable already stays.
    pub fn temporary(&mut self, value: ExprId, out: &mut Vec<Step>) -> ExprId {
        if is_atom(&self.work.pool, value) {
            return value;
        }
        let slot = self.slot();
        self.assign(slot, value, None, out);
        self.work.pool.var(slot)
    }

    /// A variable that holds the value, for kernels that read variables only.
    pub fn held(&mut self, value: ExprId, out: &mut Vec<Step>) -> VarId {
        if let Node::Var(v) = self.work.pool.node(value) {
            return v;
        }
        let slot = self.slot();
        self.assign(slot, value, None, out);
        slot
    }

    /// A new temporary.
    pub fn slot(&mut self) -> VarId {
        self.temporaries += 1;
        self.work.add_helper(format!("Q{}", self.temporaries), flat::Type::Real, Role::Temporary)
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
                (var.made && var.name.starts_with(crate::lift::ASSERTION)).then_some(v)
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

    /// A nonlinear system that nothing is known about but its residuals.
    pub fn newton(&mut self, block: &Block, nonlinear: Nonlinear, residuals: Vec<EquationRef>) -> Step {
        Step::System(Box::new(System {
            equations: block.equations.iter().map(|&e| EquationRef(e as u32)).collect(),
            unknowns: block.unknowns.clone(),
            tearing_variables: nonlinear.unknowns.clone(),
            residuals,
            mixed: false,
            form: Form::Nonlinear(nonlinear),
            alternatives: Vec::new(),
        }))
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

/// A number, a variable, or one with a minus.
pub(crate) fn is_atom(pool: &Pool, e: ExprId) -> bool {
    match pool.node(e) {
        Node::Const(_) | Node::Var(_) | Node::Text(_) => true,
        Node::Op(Op::Neg, args) => {
            matches!(pool.node(args[0]), Node::Const(_) | Node::Var(_))
        }
        _ => false,
    }
}
