//! Which derivatives depend on which states.
//!
//! One pass over the steps of the dynamics carries, for every variable, the set of states it depends on: an
//! assignment unites the sets of what it reads, all unknowns of a system depend on everything the system reads. Sets
//! are kept once each, so a chain of a million variables with three states each costs a million small numbers.
//!
//! The result is a superset of the entries that are not zero. Relations and discrete variables are constant between
//! events and depend on nothing.

use kausal_solver::linear::Pattern;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_translate::Program;
use kausal_translate::program::{Form, Step};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::compiled_model::CompiledModel;
use crate::machine::{Machine, Mode};
use crate::tangent::Tangent;

/// Where the Jacobian of the right-hand side comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum JacobianMode {
    /// Derivatives of the program, sparse where its structure is.
    #[default]
    Auto,
    /// The same.
    Symbolic,
    /// Differences, several columns at a time where the structure allows.
    Numeric,
    /// Differences column by column, and a dense matrix.
    NumericDense,
    /// The same, anew for each matrix instead of kept over many steps: as LSODAR and DASSLRT do it.
    NumericDenseAnew,
}

/// More numbers than this in all sets, and the structure counts as dense.
const MOST_ENTRIES: usize = 30_000_000;

/// What the dynamics depend on.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// Per variable its set.
    of: Vec<u32>,
    sets: Vec<Box<[u32]>>,
}

impl Dependencies {
    /// Of the dynamics of a program on its states; `None` if the sets grow too large.
    pub fn new(program: &Program) -> Option<Dependencies> {
        let states: Vec<VarId> = program.states.iter().map(|state| state.variable).collect();
        Dependencies::on(program, &states, false, &[&program.dynamics])
    }

    /// Of sections of a program, executed one after the other, on some variables that they read: the sets are places among
    /// these. Behind them is the place of time, where that is asked for, too.
    pub fn on(program: &Program, known: &[VarId], time: bool, sections: &[&[Step]]) -> Option<Dependencies> {
        let mut walk = Walk {
            program,
            of: vec![EMPTY; program.variables.len()],
            sets: vec![Box::default()],
            unions: FxHashMap::default(),
            entries: 0,
            visitor: Visitor::new(),
            list: Vec::new(),
            time: None,
        };
        for (i, v) in known.iter().enumerate() {
            walk.sets.push(Box::new([i as u32]));
            walk.of[v.index()] = walk.sets.len() as u32 - 1;
        }
        let mut nodes = (0..program.pool.len() as u32).map(ExprId).filter(|_| time);
        walk.time = nodes.find(|&id| matches!(program.pool.node(id), Node::Op(Op::Time, _))).map(|id| {
            walk.sets.push(Box::new([known.len() as u32]));
            (id, walk.sets.len() as u32 - 1)
        });
        sections.iter().try_for_each(|steps| walk.steps(steps, EMPTY))?;
        Some(Dependencies { of: walk.of, sets: walk.sets })
    }

    /// The states (or other known variables) a variable depends on, ascending.
    pub fn states(&self, v: VarId) -> &[u32] {
        &self.sets[self.of[v.index()] as usize]
    }

    /// The pattern of the derivatives by the states.
    pub fn pattern(&self, program: &Program) -> Option<Pattern> {
        let n = program.states.len();
        let rows = program.states.iter().enumerate();
        let entries =
            rows.flat_map(|(i, state)| self.states(state.derivative).iter().map(move |&j| (i, j as usize)));
        (n > 0).then(|| Pattern::new(n, entries))
    }
}

/// The Jacobian of the right-hand side at the values of a machine, by derivatives of the program, with its pattern;
/// `None` if the dynamics cannot be evaluated or differentiated there.
pub fn jacobian(machine: &mut Machine) -> Option<(Pattern, Vec<f64>)> {
    let model = machine.model().clone();
    let mut derivatives = Derivatives::new(&model, JacobianMode::Symbolic);
    let pattern = derivatives.pattern.clone()?;
    machine.run(&model.dynamics, Mode::Continuous).ok()?;
    let mut values = vec![0.0; pattern.entries()];
    derivatives.evaluate(machine, &mut values).then_some((pattern, values))
}

/// The Jacobian of one run's right-hand side: its structure, and its values by derivatives of the program.
#[derive(Debug)]
pub(crate) struct Derivatives {
    pub pattern: Option<Pattern>,
    /// Somebody has asked for the values.
    asked: bool,
    tangent: Option<Tangent>,
    symbolic: bool,
}

impl Derivatives {
    pub fn new(model: &CompiledModel, mode: JacobianMode) -> Derivatives {
        let known = match mode {
            JacobianMode::NumericDense | JacobianMode::NumericDenseAnew => None,
            // Found once for all runs of a model.
            _ => model
                .dependencies
                .get_or_init(|| {
                    let dependencies = Dependencies::new(&model.program)?;
                    Some((dependencies.pattern(&model.program)?, dependencies))
                })
                .as_ref(),
        };
        let pattern = known.map(|(pattern, _)| pattern.clone());
        let symbolic = matches!(mode, JacobianMode::Auto | JacobianMode::Symbolic) && pattern.is_some();
        Derivatives { pattern, asked: false, tangent: None, symbolic }
    }

    /// Are there values, too?
    pub fn has_values(&self) -> bool {
        self.symbolic
    }

    /// The values on the pattern, at the point where the dynamics were evaluated last; were they found?
    pub fn evaluate(&mut self, machine: &mut Machine, values: &mut [f64]) -> bool {
        let model = machine.model();
        if let Some(Some((pattern, dependencies))) = model.dependencies.get()
            && !self.asked
        {
            self.asked = true;
            // Compiled once for all runs of a model.
            let made = || Tangent::new(model, dependencies, pattern.clone()).ok();
            self.tangent = model.tangent.get_or_init(made).as_ref().map(Tangent::again);
        }
        let Some(tangent) = &mut self.tangent else { return false };
        tangent.evaluate(machine, values).is_ok() && values.iter().all(|v| v.is_finite())
    }
}

const EMPTY: u32 = 0;

struct Walk<'p> {
    program: &'p Program,
    of: Vec<u32>,
    sets: Vec<Box<[u32]>>,
    unions: FxHashMap<(u32, u32), u32>,
    entries: usize,
    visitor: Visitor,
    list: Vec<VarId>,
    /// The expression `time`, and the set of it alone.
    time: Option<(ExprId, u32)>,
}

impl Walk<'_> {
    /// `extra` is what every assignment depends on besides: the condition around it.
    fn steps(&mut self, steps: &[Step], extra: u32) -> Option<()> {
        steps.iter().try_for_each(|step| self.step(step, extra))
    }

    fn step(&mut self, step: &Step, extra: u32) -> Option<()> {
        match step {
            Step::Assign(assign) => {
                let set = self.expression(assign.value)?;
                self.of[assign.variable.index()] = self.union(set, extra)?;
            }
            Step::Call(call) => {
                let mut set = extra;
                for &arg in &call.args {
                    let of_arg = self.expression(arg)?;
                    set = self.union(set, of_arg)?;
                }
                call.outputs.iter().flatten().for_each(|v| self.of[v.index()] = set);
            }
            Step::Solve(solve) => {
                let read = solve.entries.iter().map(|(_, _, v)| v).chain(&solve.rhs);
                let set = read.copied().try_fold(extra, |set, v| self.union(set, self.of[v.index()]))?;
                solve.unknowns.iter().for_each(|v| self.of[v.index()] = set);
            }
            Step::System(system) => match &system.form {
                Form::Linear { steps, guard, .. } => {
                    self.steps(steps, extra)?;
                    if let Some(guard) = guard {
                        self.steps(&guard.fallback, extra)?;
                    }
                }
                Form::Nonlinear(nonlinear) => {
                    nonlinear.unknowns.iter().for_each(|v| self.of[v.index()] = EMPTY);
                    self.steps(&nonlinear.steps, extra)?;
                    let mut residuals = nonlinear.residuals.iter().copied();
                    let set = residuals.try_fold(extra, |set, v| self.union(set, self.of[v.index()]))?;
                    nonlinear.unknowns.iter().for_each(|v| self.of[v.index()] = set);
                    self.steps(&nonlinear.steps, extra)?;
                }
                Form::Mixed { continuous, .. } => self.steps(continuous, extra)?,
            },
            Step::If(condition, then, otherwise) => {
                let set = self.expression(*condition)?;
                let extra = self.union(set, extra)?;
                // Either branch may have been the last to assign.
                let before = self.assigned(then.iter().chain(otherwise));
                self.steps(then, extra)?;
                self.steps(otherwise, extra)?;
                for (v, old) in before {
                    self.of[v.index()] = self.union(self.of[v.index()], old)?;
                }
            }
            Step::When(_) | Step::Reinit(..) | Step::Assert(_) | Step::Relation(_) | Step::Terminate(_) => {}
        }
        Some(())
    }

    /// The variables that steps assign, with what they depend on now.
    fn assigned<'s>(&self, steps: impl Iterator<Item = &'s Step>) -> Vec<(VarId, u32)> {
        let mut list = Vec::new();
        for step in steps {
            match step {
                Step::Assign(assign) => list.push((assign.variable, self.of[assign.variable.index()])),
                Step::Call(call) => {
                    list.extend(call.outputs.iter().flatten().map(|v| (*v, self.of[v.index()])));
                }
                _ => {}
            }
        }
        list
    }

    fn expression(&mut self, e: ExprId) -> Option<u32> {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        self.visitor.begin(&self.program.pool);
        self.visitor.variables(&self.program.pool, e, &mut list);
        let begin = match self.time {
            Some((time, set)) if self.visitor.is_visited(time) => set,
            _ => EMPTY,
        };
        let set = list.iter().try_fold(begin, |set, v| self.union(set, self.of[v.index()]));
        self.list = list;
        set
    }

    fn union(&mut self, a: u32, b: u32) -> Option<u32> {
        if a == b || b == EMPTY {
            return Some(a);
        }
        if a == EMPTY {
            return Some(b);
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return Some(known);
        }
        let union = unite(&self.sets[a as usize], &self.sets[b as usize]);
        let id = if union.len() == self.sets[a as usize].len() {
            a
        } else if union.len() == self.sets[b as usize].len() {
            b
        } else {
            self.entries += union.len();
            if self.entries > MOST_ENTRIES {
                return None;
            }
            self.sets.push(union.into());
            self.sets.len() as u32 - 1
        };
        self.unions.insert(key, id);
        Some(id)
    }
}

/// The union of two ascending lists.
fn unite(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut union = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        union.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    union.extend_from_slice(&a[i..]);
    union.extend_from_slice(&b[j..]);
    union
}
