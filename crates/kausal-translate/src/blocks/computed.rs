//! What is assigned before a block, on numbers: formulas evaluated at sample points where their operands have values that
//! depend on nothing but their number.

use std::collections::BTreeSet;

use kausal_structure::elimination::POINTS;
use kausal_symbolic::evaluate::{Values, evaluate_all};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Op, VarId};
use rustc_hash::FxHashMap;

use crate::equations::parameters;
use crate::equations::work::{Role, Work};

/// Variables that are assigned before the block, and their values at the points: coefficients that belong together, like those of
/// a rotation or of an inertia tensor, then fit together there as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Computed {
    formulas: Vec<(VarId, ExprId)>,
    /// Places among these, by variable; `NONE` where there is none.
    index: Vec<u32>,
    /// By point, the last one with perturbed parameters.
    pub values: FxHashMap<VarId, [f64; POINTS + 1]>,
}

impl Computed {
    /// The variable is computed by a formula, after what was added before.
    pub fn add(&mut self, variable: VarId, value: ExprId) {
        if self.index.len() <= variable.index() {
            self.index.resize(variable.index() + 1, Computed::NONE);
        }
        let place = &mut self.index[variable.index()];
        if *place == Computed::NONE {
            *place = self.formulas.len() as u32;
            self.formulas.push((variable, value));
        }
    }

    /// Forgets variables from this number on: they are gone.
    pub fn forget_from(&mut self, count: usize) {
        if self.index.len() > count {
            self.index.truncate(count);
            self.values.retain(|v, _| v.index() < count);
        }
    }

    const NONE: u32 = u32::MAX;

    fn place(&self, v: VarId) -> Option<usize> {
        self.index.get(v.index()).filter(|&&k| k != Computed::NONE).map(|&k| k as usize)
    }

    /// Computes what these expressions need.
    pub fn evaluate(&mut self, work: &Work, parameters: &FxHashMap<VarId, f64>, exprs: &[ExprId]) {
        self.evaluate_branched(work, parameters, exprs, None);
    }

    /// The same with branches taken at random; whether there were any.
    pub fn evaluate_branched(
        &mut self,
        work: &Work,
        parameters: &FxHashMap<VarId, f64>,
        exprs: &[ExprId],
        branches: Option<Branches>,
    ) -> bool {
        let mut wanted: BTreeSet<usize> = BTreeSet::new();
        let mut stack: Vec<ExprId> = exprs.to_vec();
        let mut visitor = Visitor::new();
        while !stack.is_empty() {
            let all: Vec<ExprId> = visitor.reachable(&work.pool, &stack).to_vec();
            stack.clear();
            for v in all.into_iter().filter_map(|e| work.pool.as_var(e)) {
                if let Some(k) = self.place(v).filter(|_| !self.values.contains_key(&v))
                    && wanted.insert(k)
                {
                    stack.push(self.formulas[k].1);
                }
            }
        }
        let mut met = false;
        for k in wanted {
            let (variable, value) = self.formulas[k];
            let numbers = std::array::from_fn(|point| {
                let perturbed = point == POINTS;
                let at = Point::new(work, parameters, self, point as u64);
                let mut values = Point { perturbed, branches, ..at };
                let number = evaluate_all(&work.pool, &[value], &mut values)[0];
                met |= values.met;
                number
            });
            self.values.insert(variable, numbers);
        }
        met
    }
}

/// Values of everything at one of the points.
pub(crate) struct Point<'a> {
    pub work: &'a Work,
    pub parameters: &'a FxHashMap<VarId, f64>,
    pub computed: &'a Computed,
    pub point: u64,
    /// Do parameters have other values than they will have?
    pub perturbed: bool,
    /// How branches are taken, where not as the numbers say.
    pub branches: Option<Branches>,
    /// Was there a branch?
    pub met: bool,
}

/// Branches are taken at random, and then all the other way.
#[derive(Clone, Copy)]
pub(crate) struct Branches {
    pub round: u64,
    pub opposite: bool,
}

impl<'a> Point<'a> {
    pub fn new(
        work: &'a Work,
        parameters: &'a FxHashMap<VarId, f64>,
        computed: &'a Computed,
        point: u64,
    ) -> Point<'a> {
        Point { work, parameters, computed, point, perturbed: false, branches: None, met: false }
    }

    /// One of two for something of this number.
    fn either(&mut self, branches: Branches, number: u64) -> bool {
        self.met = true;
        let u = uniform(number, self.point + 1_000_000 * (branches.round + 1));
        (u < 0.5) != branches.opposite
    }
}

impl Values for Point<'_> {
    fn branch(&mut self, expr: ExprId, op: Op, args: &[f64]) -> f64 {
        let Some(branches) = self.branches else { return op.eval(args) };
        let first = self.either(branches, u64::from(expr.0) + 1);
        match op {
            Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => f64::from(first),
            Op::Min | Op::Max => args[usize::from(first)],
            Op::Abs => args[0] * if first { 1.0 } else { -1.0 },
            Op::Sign => {
                if first {
                    1.0
                } else {
                    -1.0
                }
            }
            _ => op.eval(args) + f64::from(first),
        }
    }

    fn variable(&mut self, v: VarId) -> f64 {
        if let Some(branches) = self.branches
            && self.work.var(v).ty == kausal_model::flat::Type::Boolean
            && !self.computed.values.contains_key(&v)
        {
            return f64::from(self.either(branches, (1 << 40) + u64::from(v.0)));
        }
        let u = uniform(u64::from(v.0) + 1, self.point);
        if let Some(&value) = self.parameters.get(&v) {
            let real = self.work.var(v).ty == kausal_model::flat::Type::Real;
            return if self.perturbed && real { value * (0.8 + 0.4 * u) } else { value };
        }
        let computed = self.computed.values.get(&v).map(|values| values[self.point as usize]);
        if let Some(value) = computed.filter(|x| x.is_finite()) {
            return value;
        }
        let var = self.work.var(v);
        if var.ty != kausal_model::flat::Type::Real {
            return if u < 0.5 { 0.0 } else { 1.0 };
        }
        let number = |e: Option<ExprId>| e.and_then(|e| parameters::number(self.work, e, self.parameters));
        let nominal = number(var.nominal).map_or(1.0, f64::abs);
        let (low, high) = (number(var.min), number(var.max));
        match (low, high) {
            (Some(low), Some(high)) if low.is_finite() && high.is_finite() && high > low => {
                // Ranges as wide as those of floating point say nothing about usual values.
                let (low, high) = (low.max(-10.0 * nominal), high.min(10.0 * nominal));
                if low < high { low + (high - low) * u } else { low }
            }
            (Some(low), _) if low.is_finite() && var.role != Role::Parameter => {
                low.max(0.0) + nominal * (0.1 + u)
            }
            _ => {
                let sign = if uniform(u64::from(v.0) + 1, self.point + 1000) < 0.5 { -1.0 } else { 1.0 };
                sign * nominal * (0.1 + 3.0 * u)
            }
        }
    }

    fn time(&mut self) -> f64 {
        // From the beginning of a run to far into it.
        const SPREAD: [f64; POINTS + 1] = [1.0, 1.0, 3.0, 10.0, 30.0, 1.0];
        SPREAD[self.point as usize] * (0.3 + uniform(0, self.point))
    }
}

/// A number between 0 and 1 that looks random (G. Steele and others, *Fast splittable pseudorandom number
/// generators*, 2014: the finaliser of SplitMix64).
pub(crate) fn uniform(a: u64, b: u64) -> f64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b.wrapping_mul(0xd1b5_4a32_d192_ed03));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    (x >> 11) as f64 / (1u64 << 53) as f64
}
