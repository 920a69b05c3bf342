//! The workspace of the emission: the equations, what was computed so far, temporaries, and what is wished of blocks. What
//! becomes of a block is decided elsewhere (`emit`, `linear`, `nonlinear`, `sweeps`).

use std::rc::Rc;

use kausal_model::flat::{self};
use kausal_symbolic::interval::Interval;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::calls::CallSlots;
use crate::blocks::computed::Computed;
use crate::blocks::declared::Hints;
use crate::equations::parameters;
use crate::equations::solve::{self};
use crate::equations::sort::{Block, Sorting};
use crate::equations::work::{Role, Work};
use crate::prepare::wishes::Wishes;
use crate::program::{Assign, EquationRef, Form, Nonlinear, Step, System};

/// Options of the translation that the emission needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub tearing: crate::options::Tearing,
    pub relaxing: crate::options::Relaxing,
    pub inline: crate::options::Inline,
    pub loops: crate::options::Loops,
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
    /// Steps of blocks that were emitted, by equations and unknowns.
    pub cache: FxHashMap<(Vec<usize>, Vec<VarId>), Vec<Step>>,
    /// Steps of equations that are solved alone, by equation, for the unknown they were first solved for.
    pub singles: Vec<Option<(VarId, Vec<Step>)>>,
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

    /// The relation whose value the variable is.
    pub fn relation_of(&mut self, v: VarId) -> Option<u32> {
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
                crate::equations::sort::occurrences(self.work, e, &mut visitor, &mut list);
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
