//! Trivial equations leave: `a = b`, `a = -b`, `a = 3`.
//!
//! Before: equations as lifted. After: of each set of variables that are equal up to sign one stays, the
//! others point at it ([`Var::alias`](crate::equations::work::Var)); variables equal to a number have become parameters
//! with that binding; a variable that equals a derivative has taken its place; the equations that said so are gone. Attributes of those who leave are merged into the
//! one that stays; two fixed start values that contradict each other are an error. Not so between discrete variables:
//! there a fixed start value is that of `pre` (Modelica 3.6, 8.6), which may differ, so they stay two and keep their equation;
//! so do those of which an initial equation says what one was before, if the other has a past as well.
//!
//! A relation between numbers is decided: its memory is a number, and what it chose between is chosen. Whether a vessel has a
//! level or a port at some height is such a question, and equations under it may determine other things than those beside it.

use std::cmp::Reverse;

use kausal_model::flat::{HintKind, OriginKind, StateSelect, Type};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::parameters;
use crate::equations::rewrite::rewrite;
use crate::equations::work::{EquationForm, Role, Settled, Work};
use crate::prepare::semi_linear;
use crate::program;

/// Eliminates trivial equations until none is left.
pub(crate) fn eliminate(work: &mut Work) {
    trivial(work);
    if semi_linear::resolve(work) {
        trivial(work);
    }
    name_derivatives(work);
    // `a = a` determines nothing, whatever occurs in it.
    let zero = work.pool.constant(0.0);
    for e in work.equations.iter_mut().filter(|e| e.form == EquationForm::Plain && e.lhs == e.rhs) {
        (e.lhs, e.rhs) = (zero, zero);
    }
    retarget(work);
    work.report.aliases = work.vars.iter().filter(|v| v.alias.is_some()).count();
}

fn trivial(work: &mut Work) {
    // Each round is linear; a constant found in one round may make another equation trivial in the next.
    for _ in 0..12 {
        decide(work);
        let found = find(work);
        if found.is_empty() {
            break;
        }
        apply(work, found);
    }
}

/// Relations whose difference is a number leave: what held their value is said to be that.
fn decide(work: &mut Work) {
    let mut numbers: FxHashMap<VarId, f64> = FxHashMap::default();
    for e in work.equations.iter().filter(|e| e.form == EquationForm::Plain && e.order == 0) {
        if let (Node::Var(v), Node::Const(value)) = (work.pool.node(e.lhs), work.pool.node(e.rhs)) {
            numbers.insert(v, value);
        }
    }
    let mut decided: FxHashMap<VarId, bool> = FxHashMap::default();
    // What a flow carries knows its relations by their places.
    if work.transports.is_empty() {
        work.relations.retain(|r| {
            let number = numbers.get(&r.difference).filter(|n| !r.trace && r.timed.is_none() && !n.is_nan());
            if let Some(&number) = number {
                decided.insert(r.variable, if r.or_equal { number <= 0.0 } else { number < 0.0 });
                work.vars[r.difference.index()].keep = false;
            }
            number.is_none()
        });
    }
    if decided.is_empty() {
        return;
    }
    for e in &mut work.equations {
        let EquationForm::Memory(v) = e.form else { continue };
        if let Some(&holds) = decided.get(&v) {
            e.form = EquationForm::Plain;
            e.rhs = work.pool.constant(f64::from(u8::from(holds)));
        }
    }
}

/// Where the model has a name for a derivative, `der(x) = v`, the variable takes the place of the derivative: `x` and
/// `v` become one chain, and constraints on `x` need not be told that their derivatives are constraints on `v`. A name
/// that is used nowhere else only looks at the derivative, and stays.
fn name_derivatives(work: &mut Work) {
    let uses = uses(work);
    let mut remove = vec![false; work.equations.len()];
    for (i, remove) in remove.iter_mut().enumerate() {
        let e = &work.equations[i];
        if e.form != EquationForm::Plain || e.order > 0 {
            continue;
        }
        let Some(Trivial::Same { a, b, negated: false }) = parse(work, i) else { continue };
        for (d, v) in [(a, b), (b, a)] {
            let (rate, var) = (work.var(d), work.var(v));
            let named = !var.made && !var.keep && var.role == Role::Continuous && rate.role != Role::Input;
            let used = uses[v.index()] > 1 || var.derivative.is_some_and(|rate| uses[rate.index()] > 0);
            let free = var.integral.is_none() && var.alias.is_none() && used;
            let Some(x) = rate.integral.filter(|_| rate.made && named && free) else { continue };
            match rate.alias {
                // It has a name already: one more is an alias.
                Some((name, false)) if name != v => {
                    merge_attributes(work, v, name, false);
                    work.vars[v.index()].alias = Some((name, false));
                }
                None if work.var(x).derivative == Some(d) && !is_below(work, v, x) => {
                    work.vars[d.index()].alias = Some((v, false));
                    work.vars[x.index()].derivative = Some(v);
                    work.vars[v.index()].integral = Some(x);
                }
                _ => continue,
            }
            *remove = true;
            break;
        }
    }
    if remove.contains(&true) {
        substitute(work, &FxHashMap::default());
        let mut i = 0;
        let gone = &mut work.report.trivial;
        work.equations.retain(|e| {
            i += 1;
            if remove[i - 1] {
                gone.extend(e.model.map(|place| (place, program::Trivial::Derivative)));
            }
            !remove[i - 1]
        });
    }
}

/// In how many continuous equations each variable occurs.
fn uses(work: &Work) -> Vec<u32> {
    let mut uses = vec![0; work.vars.len()];
    let mut visitor = Visitor::new();
    let mut list = Vec::new();
    for i in (0..work.equations.len()).filter(|&i| crate::equations::sort::is_continuous(work, i)) {
        list.clear();
        crate::equations::sort::occurrences(work, i, &mut visitor, &mut list);
        list.iter().for_each(|v| uses[v.index()] += 1);
    }
    uses
}

/// Is `v` the variable `x`, or one that `x` is a derivative of?
fn is_below(work: &Work, v: VarId, x: VarId) -> bool {
    let mut below = Some(x);
    while below.is_some_and(|w| w != v) {
        below = below.and_then(|w| work.var(w).integral);
    }
    below.is_some()
}

/// Memories and `when` clauses of variables that left now give their value to those that stay.
fn retarget(work: &mut Work) {
    for i in 0..work.equations.len() {
        let (target, negated) = match work.equations[i].form {
            EquationForm::Plain => continue,
            EquationForm::Memory(v) | EquationForm::When(v, _) => work.resolve(v),
        };
        let lhs = work.pool.var(target);
        let pool = &mut work.pool;
        let mut signed = |e: ExprId| if negated { pool.op(Op::Neg, &[e]) } else { e };
        let e = &mut work.equations[i];
        match &mut e.form {
            EquationForm::Plain => {}
            EquationForm::Memory(v) => {
                *v = target;
                e.rhs = signed(e.rhs);
            }
            EquationForm::When(v, cases) => {
                *v = target;
                for value in cases.iter_mut().filter_map(|case| case.value.as_mut()) {
                    *value = signed(*value);
                }
                e.rhs = lhs;
            }
        }
        e.lhs = lhs;
    }
    for r in 0..work.relations.len() {
        work.relations[r].variable = work.resolve(work.relations[r].variable).0;
    }
    let mut pre = std::mem::take(&mut work.pre);
    pre.retain(|p| work.var(p.slot).alias.is_none() && work.var(p.variable).alias.is_none());
    work.pre = pre;
}

/// What a trivial equation says.
enum Trivial {
    /// `a = b` or `a = -b`
    Same { a: VarId, b: VarId, negated: bool },
    /// `a = number`
    Number { a: VarId, value: f64 },
}

fn find(work: &mut Work) -> Vec<(usize, Trivial)> {
    let mut found = Vec::new();
    let said = said(work);
    for i in 0..work.equations.len() {
        if work.equations[i].form != EquationForm::Plain || work.equations[i].order > 0 {
            continue;
        }
        if let Some(trivial) = classify(work, i).filter(|trivial| !replaces_past(work, &said, trivial)) {
            found.push((i, trivial));
        }
    }
    found
}

fn classify(work: &mut Work, equation: usize) -> Option<Trivial> {
    parse(work, equation).filter(|trivial| allowed(work, trivial))
}

/// Discrete variables of which initial equations say what they were before, `pre(v) = …`.
fn said(work: &Work) -> FxHashSet<VarId> {
    let slots: FxHashMap<VarId, VarId> = work.pre.iter().map(|p| (p.slot, p.variable)).collect();
    let mut said = FxHashSet::default();
    if slots.is_empty() {
        return said;
    }
    for e in &work.initial_equations {
        for side in [e.lhs, e.rhs] {
            said.extend(work.pool.variables_of(side).iter().filter_map(|v| slots.get(v)));
        }
    }
    said
}

/// Variables of `when` clauses that initial equations mention.
fn begun(work: &Work) -> FxHashSet<VarId> {
    let targets: FxHashSet<VarId> = work
        .equations
        .iter()
        .filter_map(|e| match &e.form {
            EquationForm::When(v, _) => Some(*v),
            _ => None,
        })
        .collect();
    let mut begun = FxHashSet::default();
    if targets.is_empty() {
        return begun;
    }
    for e in &work.initial_equations {
        for side in [e.lhs, e.rhs] {
            begun.extend(work.pool.variables_of(side).into_iter().filter(|v| targets.contains(v)));
        }
    }
    begun
}

/// What is a number, a parameter or an input always was that: not a variable that was something else before the start.
fn replaces_past(work: &Work, said: &FxHashSet<VarId>, trivial: &Trivial) -> bool {
    let unknown = |v: VarId| matches!(work.var(v).role, Role::Continuous | Role::Discrete);
    match *trivial {
        Trivial::Number { a, .. } => said.contains(&a),
        Trivial::Same { a, b, .. } => said.contains(&a) && !unknown(b) || said.contains(&b) && !unknown(a),
    }
}

fn parse(work: &Work, equation: usize) -> Option<Trivial> {
    let (lhs, rhs) = (work.equations[equation].lhs, work.equations[equation].rhs);
    let pool = &work.pool;
    let trivial = match (signed(pool, lhs), signed(pool, rhs)) {
        (Some(Leaf::Var(a, s)), Some(Leaf::Var(b, t))) if a != b => Trivial::Same { a, b, negated: s != t },
        (Some(Leaf::Var(a, s)), Some(Leaf::Number(c))) | (Some(Leaf::Number(c)), Some(Leaf::Var(a, s))) => {
            // 0 = ±a as well as a = c.
            Trivial::Number { a, value: if s { -c } else { c } }
        }
        (Some(Leaf::Number(0.0)), None) => two_terms(pool, rhs)?,
        (None, Some(Leaf::Number(0.0))) => two_terms(pool, lhs)?,
        _ => return None,
    };
    Some(trivial)
}

enum Leaf {
    /// A variable, and whether it is negated.
    Var(VarId, bool),
    Number(f64),
}

fn signed(pool: &Pool, e: ExprId) -> Option<Leaf> {
    match pool.node(e) {
        Node::Var(v) => Some(Leaf::Var(v, false)),
        Node::Const(c) => Some(Leaf::Number(c)),
        Node::Op(Op::Neg, args) => match pool.node(args[0]) {
            Node::Var(v) => Some(Leaf::Var(v, true)),
            Node::Const(c) => Some(Leaf::Number(-c)),
            _ => None,
        },
        _ => None,
    }
}

/// `a + b = 0`, `a - b = 0`, `a + 3 = 0`.
fn two_terms(pool: &Pool, e: ExprId) -> Option<Trivial> {
    let Node::Op(Op::Add, &[x, y]) = pool.node(e) else { return None };
    match (signed(pool, x)?, signed(pool, y)?) {
        (Leaf::Var(a, s), Leaf::Var(b, t)) if a != b => Some(Trivial::Same { a, b, negated: s == t }),
        (Leaf::Var(a, s), Leaf::Number(c)) | (Leaf::Number(c), Leaf::Var(a, s)) => {
            Some(Trivial::Number { a, value: if s { c } else { -c } })
        }
        _ => None,
    }
}

fn allowed(work: &Work, trivial: &Trivial) -> bool {
    let unknown = |v: VarId| {
        let var = work.var(v);
        matches!(var.role, Role::Continuous | Role::Discrete) && var.integral.is_none() && !var.keep
    };
    match *trivial {
        Trivial::Number { a, .. } => unknown(a),
        Trivial::Same { a, b, negated } => {
            let real = work.var(a).ty == Type::Real && work.var(b).ty == Type::Real;
            let numbers = |v: VarId| matches!(work.var(v).ty, Type::Real | Type::Integer);
            let same_kind = real || (work.var(a).ty == work.var(b).ty && (!negated || numbers(a)));
            // One of the two must be ours to eliminate, the other may be a parameter or an input.
            let other = |v: VarId| {
                let var = work.var(v);
                // A delayed value has no derivative: what equals it keeps its equation, which may be differentiated.
                let delayed = var.made && var.role == Role::Input;
                var.integral.is_none() && !delayed && matches!(var.role, Role::Parameter | Role::Input)
            };
            same_kind && (unknown(a) && unknown(b) || unknown(a) && other(b) || other(a) && unknown(b))
        }
    }
}

fn apply(work: &mut Work, found: Vec<(usize, Trivial)>) {
    let mut sets = SignedSets::new(work.vars.len());
    let mut remove: Vec<Option<program::Trivial>> = vec![None; work.equations.len()];
    let mut numbers: Vec<(usize, VarId, f64)> = Vec::new();
    let mut pasts = Pasts::new(work);
    for (equation, trivial) in found {
        match trivial {
            Trivial::Number { a, value } => numbers.push((equation, a, value)),
            Trivial::Same { a, b, negated } => {
                let (ra, sa) = sets.find(a);
                let (rb, sb) = sets.find(b);
                if ra == rb {
                    if (sa != sb) == negated {
                        // Said twice: the equation is redundant. It stays, and the balance report names it.
                    } else if work.var(a).ty == Type::Real {
                        // a = b and a = -b: both are zero.
                        numbers.push((equation, ra, 0.0));
                    }
                    continue;
                }
                let fixed_outside = |v: VarId| !matches!(work.var(v).role, Role::Continuous | Role::Discrete);
                if fixed_outside(ra) && fixed_outside(rb) {
                    continue;
                }
                let keep_a = rank(work, ra) >= rank(work, rb);
                let (keep, leave) = if keep_a { (ra, rb) } else { (rb, ra) };
                let opposite = (sa != sb) != negated;
                if !pasts.join(work, leave, keep, opposite) {
                    continue;
                }
                sets.join(leave, keep, opposite);
                remove[equation] = Some(program::Trivial::Same);
            }
        }
    }
    let mut values: FxHashMap<VarId, f64> = FxHashMap::default();
    let mut said: FxHashMap<VarId, Settled> = FxHashMap::default();
    for (equation, a, value) in numbers {
        let (root, negated) = sets.find(a);
        let value = if negated { -value } else { value };
        let ours = matches!(work.var(root).role, Role::Continuous | Role::Discrete);
        if ours && !values.contains_key(&root) {
            values.insert(root, value);
            let origin = &work.equations[equation].origin;
            let unconnected = origin.kind == OriginKind::Unconnected;
            said.insert(root, Settled { place: origin.location, unconnected });
            remove[equation] = Some(program::Trivial::Number);
            // What does not change has no derivative.
            let mut derivative = work.var(root).derivative;
            while let Some(d) = derivative {
                values.insert(d, 0.0);
                derivative = work.var(d).derivative;
            }
        }
    }
    for i in 0..work.vars.len() {
        let id = VarId(i as u32);
        let (root, negated) = sets.find(id);
        let settled = said.get(&root).copied().or_else(|| {
            let parameter = root != id && work.is_parameter(root);
            parameter.then(|| Settled { place: work.var(root).location, unconnected: false })
        });
        if let Some(settled) = settled
            && work.vars[i].fixed == Some(true)
            && work.vars[i].role == Role::Continuous
        {
            work.settled.push((id, settled));
        }
        if root != id {
            merge_attributes(work, id, root, negated);
            work.vars[i].alias = Some((root, negated));
        }
    }
    let mut constants: Vec<(VarId, f64)> = values.iter().map(|(&v, &c)| (v, c)).collect();
    constants.sort_by_key(|&(v, _)| v);
    for &(v, value) in &constants {
        let binding = work.pool.constant(value);
        let var = &mut work.vars[v.index()];
        var.role = Role::Parameter;
        var.binding = Some(binding);
    }
    let standing = with_stand_in(work, &remove);
    work.lone_standing.extend(standing);
    substitute(work, &values);
    let mut i = 0;
    let (lone, gone) = (&mut work.lone_hints, &mut work.report.trivial);
    work.equations.retain_mut(|e| {
        i += 1;
        if let Some(what) = remove[i - 1] {
            lone.append(&mut e.hints);
            gone.extend(e.model.map(|place| (place, what)));
        }
        remove[i - 1].is_none()
    });
}

/// What `residue` names in equations `residue(x) = y` that say that a variable is zero, where another equation gives that
/// variable and is no residue equation yet: it takes the place of the one that leaves.
fn with_stand_in(work: &Work, remove: &[Option<program::Trivial>]) -> Vec<ExprId> {
    let residues = |e: &crate::equations::work::Equation| -> Vec<ExprId> {
        e.hints.iter().filter(|(kind, _)| *kind == HintKind::Residue).map(|&(_, target)| target).collect()
    };
    let variables = |e: &crate::equations::work::Equation| {
        let mut all = work.pool.variables_of(e.lhs);
        all.extend(work.pool.variables_of(e.rhs));
        all
    };
    let mut wanted: FxHashMap<VarId, Vec<ExprId>> = FxHashMap::default();
    for (e, why) in work.equations.iter().zip(remove) {
        if matches!(why, Some(program::Trivial::Number)) {
            let targets = residues(e);
            if !targets.is_empty() {
                variables(e).into_iter().for_each(|v| wanted.entry(v).or_default().extend(&targets));
            }
        }
    }
    let mut out = Vec::new();
    for (e, why) in work.equations.iter().zip(remove) {
        if wanted.is_empty() {
            break;
        }
        if why.is_none() && residues(e).is_empty() {
            out.extend(variables(e).into_iter().filter_map(|v| wanted.remove(&v)).flatten());
        }
    }
    out
}

/// What sets of discrete variables were before the start, at their roots.
struct Pasts {
    /// The fixed start value of each set that has one.
    fixed: FxHashMap<VarId, Option<ExprId>>,
    /// Sets of which an initial equation says it.
    said: FxHashSet<VarId>,
    /// Sets whose `pre` is asked for.
    asked: FxHashSet<VarId>,
    /// Sets with a variable of a `when` clause that initial equations mention: what it is at the start, it was before.
    begun: FxHashSet<VarId>,
}

impl Pasts {
    fn new(work: &Work) -> Self {
        let asked = work.pre.iter().map(|p| p.variable);
        let asked = asked.filter(|&v| !work.var(v).made).collect();
        Pasts { fixed: FxHashMap::default(), said: said(work), asked, begun: begun(work) }
    }

    /// May two sets of discrete variables become one? Not where both have a fixed start value, and different ones, nor
    /// where an initial equation says what one was before and the other has a past of its own.
    fn join(&mut self, work: &mut Work, leave: VarId, keep: VarId, opposite: bool) -> bool {
        if [leave, keep].iter().any(|&v| work.var(v).role != Role::Discrete) {
            return true;
        }
        let at = |work: &Work, v: VarId| {
            let var = work.var(v);
            self.fixed.get(&v).copied().or((var.fixed == Some(true)).then_some(var.start))
        };
        let (gone, kept) = (at(work, leave), at(work, keep));
        let apart = |one: VarId, own: bool, other: VarId, fixed: bool| {
            self.said.contains(&one) && (fixed || self.asked.contains(&other))
                || self.begun.contains(&one) && fixed && !own
        };
        if apart(leave, gone.is_some(), keep, kept.is_some())
            || apart(keep, kept.is_some(), leave, gone.is_some())
        {
            return false;
        }
        if let Some(gone) = gone {
            let gone = gone.map(|e| if opposite { work.pool.op(Op::Neg, &[e]) } else { e });
            match kept {
                Some(kept) if !same_value(work, kept, gone) => return false,
                Some(_) => {}
                None => {
                    self.fixed.insert(keep, gone);
                }
            }
        }
        for set in [&mut self.said, &mut self.asked, &mut self.begun] {
            if set.contains(&leave) {
                set.insert(keep);
            }
        }
        true
    }
}

/// Who stays: what is given from outside, then what the user wants as a state, then what the user sees.
fn rank(work: &Work, v: VarId) -> (bool, bool, bool, StateSelect, bool, bool, bool, Reverse<usize>) {
    let var = work.var(v);
    (
        matches!(var.role, Role::Parameter | Role::Input),
        var.role == Role::Discrete,
        !var.made,
        var.select,
        var.derivative.is_some(),
        var.fixed == Some(true),
        !var.protected,
        Reverse(var.name.matches('.').count()),
    )
}

fn merge_attributes(work: &mut Work, leaving: VarId, staying: VarId, negated: bool) {
    let sign =
        |work: &mut Work, e: Option<ExprId>| e.map(|e| if negated { work.pool.op(Op::Neg, &[e]) } else { e });
    let gone = work.var(leaving).clone();
    let start = sign(work, gone.start);
    if gone.fixed == Some(true) {
        let kept_start = work.var(staying).start;
        if work.var(staying).fixed == Some(true) && !same_value(work, kept_start, start) {
            let kept = work.var(staying);
            let (one, other) = (&gone.name, &kept.name);
            let message = if negated {
                format!("{one} is always -{other}, but their fixed start values are not opposite")
            } else {
                format!("{one} and {other} are always equal, but start at different fixed values")
            };
            let mut d = Diagnostic::error("K0410", message).help("remove `fixed = true` from one of them");
            if let Some(l) = gone.start_location {
                d = d.at(l, format!("{} is fixed here", gone.name));
            }
            if let Some(l) = kept.start_location {
                d = d.at(l, format!("{} is fixed here", kept.name));
            }
            work.diagnostics.push(d);
        } else if work.var(staying).fixed == Some(true) {
            work.decided_by.insert(staying);
        } else {
            let var = &mut work.vars[staying.index()];
            var.fixed = Some(true);
            var.start = start;
            var.start_location = gone.start_location;
        }
    } else if work.var(staying).start.is_none() {
        let var = &mut work.vars[staying.index()];
        var.start = start;
        if start.is_some() {
            var.start_location = gone.start_location;
        }
    }
    let (low, high) = (sign(work, gone.min), sign(work, gone.max));
    let var = &mut work.vars[staying.index()];
    if !negated {
        var.min = var.min.or(low);
        var.max = var.max.or(high);
    }
    var.nominal = var.nominal.or(gone.nominal);
    var.select = var.select.max(gone.select);
}

fn same_value(work: &mut Work, a: Option<ExprId>, b: Option<ExprId>) -> bool {
    let zero = |e: Option<ExprId>| e.map_or(Some(0.0), |e| work.pool.as_constant(e));
    // What cannot be compared as a number is taken as equal if written the same.
    match (zero(a), zero(b)) {
        (Some(x), Some(y)) => x == y,
        _ if a == b => true,
        _ => {
            let reported = work.diagnostics.len();
            let order = parameters::ordered(work);
            work.diagnostics.truncate(reported);
            let known = parameters::values(work, &order);
            let number = |e: Option<ExprId>| e.map_or(Some(0.0), |e| parameters::number(work, e, &known));
            let same = number(a).is_some_and(|a| number(b) == Some(a));
            let read: Vec<VarId> =
                [a, b].into_iter().flatten().flat_map(|e| work.pool.variables_of(e)).collect();
            work.decided_by.extend(read);
            same
        }
    }
}

/// Replaces aliases and numbers everywhere; the derivative of an alias is that of what it stands for.
fn substitute(work: &mut Work, values: &FxHashMap<VarId, f64>) {
    let mut table = Replacements(vec![None; work.vars.len()]);
    for i in 0..work.vars.len() {
        let id = VarId(i as u32);
        if let Some(&value) = values.get(&id) {
            let c = work.pool.constant(value);
            table.insert(id, c);
        } else if let Some((root, negated)) = work.vars[i].alias {
            let e = match values.get(&root) {
                Some(&value) => work.pool.constant(value),
                None => work.pool.var(root),
            };
            let e = if negated { work.pool.op(Op::Neg, &[e]) } else { e };
            table.insert(id, e);
            if let Some(d) = work.vars[i].derivative {
                let continuous = work.var(root).role == Role::Continuous || work.is_given(root);
                let e = if continuous {
                    let rd = work.derivative_of(root);
                    if negated && rd != d {
                        let e = work.pool.var(rd);
                        work.pool.op(Op::Neg, &[e])
                    } else {
                        work.pool.var(rd)
                    }
                } else if work.var(root).role == Role::Input {
                    // The derivative of an input stays an unknown without an equation: the balance says so.
                    work.pool.var(d)
                } else {
                    work.pool.constant(0.0)
                };
                if let Node::Var(rd) = work.pool.node(e)
                    && rd != d
                {
                    work.vars[d.index()].alias = Some((rd, false));
                } else if let Node::Op(Op::Neg, args) = work.pool.node(e)
                    && let Node::Var(rd) = work.pool.node(args[0])
                {
                    work.vars[d.index()].alias = Some((rd, true));
                }
                table.insert(d, e);
            }
        }
    }
    // `pre` of an alias is `pre` of what it stands for.
    for p in work.pre.clone() {
        let (root, negated) = work.resolve(p.variable);
        if root == p.variable || work.var(p.slot).alias.is_some() {
            continue;
        }
        let e = if let Some(&value) = values.get(&root) {
            work.pool.constant(value)
        } else if work.is_parameter(root) {
            work.pool.var(root)
        } else {
            let slot = work.pre_of(root);
            // An earlier round may have sent it the other way.
            work.vars[slot.index()].alias = None;
            work.vars[p.slot.index()].alias = Some((slot, negated));
            work.pool.var(slot)
        };
        let e = if negated { work.pool.op(Op::Neg, &[e]) } else { e };
        table.insert(p.slot, e);
    }
    if table.0.iter().all(Option::is_none) {
        return;
    }
    work.map_expressions(&mut |pool, memo, e| {
        rewrite(pool, e, memo, &mut |pool, id| match pool.node(id) {
            Node::Var(v) => table.0.get(v.index()).copied().flatten().unwrap_or(id),
            _ => id,
        })
    });
}

/// What stands for a variable, by its number.
struct Replacements(Vec<Option<ExprId>>);

impl Replacements {
    fn insert(&mut self, v: VarId, e: ExprId) {
        if self.0.len() <= v.index() {
            self.0.resize(v.index() + 1, None);
        }
        self.0[v.index()] = Some(e);
    }
}

/// Disjoint sets of variables that are equal up to sign.
struct SignedSets {
    parent: Vec<(u32, bool)>,
}

impl SignedSets {
    fn new(n: usize) -> Self {
        SignedSets { parent: (0..n as u32).map(|i| (i, false)).collect() }
    }

    fn find(&mut self, v: VarId) -> (VarId, bool) {
        let (mut root, mut sign) = (v.0, false);
        while self.parent[root as usize].0 != root {
            sign ^= self.parent[root as usize].1;
            root = self.parent[root as usize].0;
        }
        // Path compression: every node on the way points at the root, with its own sign.
        let (mut node, mut remaining) = (v.0, sign);
        while self.parent[node as usize].0 != node {
            let (next, own) = self.parent[node as usize];
            self.parent[node as usize] = (root, remaining);
            remaining ^= own;
            node = next;
        }
        (VarId(root), sign)
    }

    fn join(&mut self, leave: VarId, keep: VarId, negated: bool) {
        self.parent[leave.index()] = (keep.0, negated);
    }
}
