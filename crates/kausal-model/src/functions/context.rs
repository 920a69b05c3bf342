//! What is known while a function is lowered.

use kausal_symbolic::function::{Dim, Function, Local, LocalId, Term, TermId};
use kausal_symbolic::{ExprId, Op, VarId};
use kausal_syntax::ast::Purity;
use kausal_syntax::{Diagnostic, Location, Symbol, ast};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Classes, Reported};
use crate::flat::{ActionKind, Origin};
use crate::flattener::Flattener;
use crate::functions::context;
use crate::functions::table::TVal;
use crate::ids::{InstId, KlassId};
use crate::library::FileId;
use crate::tree::Scope;
use crate::value::{Ty, scalar_of};

/// The variables of a model that an algorithm section uses.
#[derive(Debug)]
pub struct Outer {
    /// Where the section is.
    pub scope: Scope,
    /// What each variable became.
    pub(crate) leaves: FxHashMap<InstId, TVal>,
    /// Expressions passed in, by what they are.
    pub(crate) passed: FxHashMap<Vec<ExprId>, TVal>,
    /// The shape and the values of each input that was passed in.
    pub(crate) values: FxHashMap<LocalId, (Vec<usize>, Vec<ExprId>)>,
    /// The values of all inputs, in order.
    pub(crate) args: Vec<ExprId>,
    /// Assigned variables, in order of their outputs.
    pub(crate) outputs: Vec<Vec<VarId>>,
    /// Arrays of components that something is assigned in, and what each became.
    pub(crate) arrays: FxHashMap<InstId, Option<TVal>>,
    /// Variables assigned anywhere.
    pub(crate) assigned: FxHashSet<InstId>,
    /// Those that may be read before.
    pub(crate) kept: FxHashSet<InstId>,
    /// In an initial algorithm.
    pub(crate) initial: bool,
    /// In so many `when` statements.
    pub(crate) whens: u32,
    /// Statements here are reached at the start, if at all: they are in no `when`, or in one with the condition initial().
    pub(crate) at_start: bool,
    /// In so many `noEvent`s.
    pub(crate) silent: u32,
    /// What `terminate` and `reinit` do.
    pub(crate) effects: Vec<Effect>,
}

impl Outer {
    /// Can impure functions be called here?
    pub(crate) fn may_be_impure(&self) -> bool {
        self.initial || self.whens > 0
    }

    /// Relations cause no events from here on, or again.
    pub(crate) fn silence(&mut self, begin: bool) {
        self.silent = if begin { self.silent + 1 } else { self.silent.saturating_sub(1) };
    }
}

/// Something a statement does to the run: it is done when the flag, an output of the function, becomes true.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) flag: InstId,
    /// It may be reached at the start, where a flag that is true has not become so.
    pub(crate) at_start: bool,
    pub(crate) kind: ActionKind,
    pub(crate) origin: Origin,
}

pub(crate) const HELP: &str =
    "call it in `when`, in an initial equation or for a parameter, or wrap the call in pure(…)";

/// Notes a call in an equation; whether it may be there is known when it is known where it ends up.
pub(crate) fn note_impure(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId, k: KlassId) {
    let exempt = fl.functions.in_pure || fl.functions.placed || fl.in_when;
    if exempt || !is_impure(fl, k) {
        return;
    }
    if let Some(call) = fl.functions.last_call {
        let span = fl.cx.lib.ast_ref(scope.file).span(expr);
        let place = fl.cx.lib.location(scope.file, span);
        fl.functions.impure_calls.entry(call).or_insert((k, place));
    }
}

pub(crate) fn impure_here(cx: &mut Classes, k: KlassId, place: Location) -> Reported {
    let message = format!("{} is impure: it cannot be called here", cx.name(k));
    let defined = cx.def_location(cx.key(k).def);
    let diagnostic = Diagnostic::error("K0392", message)
        .at(place, "called here")
        .at(defined, "declared `impure` here")
        .help(HELP);
    cx.report(diagnostic)
}

/// A function being lowered.
pub struct Lower {
    /// What there is of it.
    pub function: Function,
    /// The values of names: local variables, loop variables, arguments.
    pub env: FxHashMap<Symbol, TVal>,
    /// The class whose names are used.
    pub klass: KlassId,
    /// The file it is in.
    pub file: FileId,
    /// Arrays whose sizes `end` stands for: term and dimension.
    pub ends: Vec<(TermId, usize)>,
    /// Constants already embedded.
    pub constants: FxHashMap<InstId, TVal>,
    /// `pre` of variables, in algorithm sections of models.
    pub pre: FxHashMap<LocalId, LocalId>,
    /// Names that stand for variables of a model; `None` in functions.
    pub outer: Option<Outer>,
    /// In so many loops.
    pub loops: u32,
}

impl Lower {
    /// Nothing lowered yet.
    pub fn new(name: String, klass: KlassId, file: FileId) -> Self {
        Lower {
            function: Function::named(&name),
            env: FxHashMap::default(),
            klass,
            file,
            ends: Vec::new(),
            constants: FxHashMap::default(),
            pre: FxHashMap::default(),
            outer: None,
            loops: 0,
        }
    }

    /// Adds a local variable.
    pub fn local(&mut self, name: String, ty: Ty, dims: Vec<Dim>) -> LocalId {
        self.function.locals.push(Local { name, scalar: scalar_of(ty), dims, initial: None });
        LocalId(self.function.locals.len() as u32 - 1)
    }

    /// Adds a term; an operator on constants is computed at once.
    pub fn term(&mut self, term: Term) -> TermId {
        if let Term::Op(op, args) = &term
            && !op.is_context_dependent()
            && let Some(value) = self.constant(*op, args)
        {
            return self.function.add(Term::Const(value));
        }
        self.function.add(term)
    }

    pub(crate) fn constant(&self, op: Op, args: &[TermId]) -> Option<f64> {
        let mut numbers = Vec::with_capacity(args.len());
        for arg in args {
            match &self.function.terms[arg.0 as usize] {
                Term::Const(x) => numbers.push(*x),
                Term::Text(a) if args.len() == 2 => {
                    let Term::Text(b) = &self.function.terms[args[1].0 as usize] else { return None };
                    let holds = match op {
                        Op::Equal => a == b,
                        Op::NotEqual => a != b,
                        _ => return None,
                    };
                    return Some(f64::from(u8::from(holds)));
                }
                _ => return None,
            }
        }
        (!numbers.is_empty()).then(|| op.eval(&numbers))
    }
}

/// Is `base` the class `k` or one of its bases?
pub fn has_base(cx: &mut Classes, k: KlassId, base: KlassId) -> bool {
    if k == base {
        return true;
    }
    let Ok(members) = cx.members(k) else { return false };
    members.bases.iter().any(|&b| has_base(cx, b, base))
}

/// The classes a function consists of, bases first.
pub(crate) fn function_chain(cx: &mut Classes, k: KlassId, out: &mut Vec<KlassId>) {
    let Ok(members) = cx.members(k) else { return };
    for &base in &members.bases {
        function_chain(cx, base, out);
    }
    if !out.contains(&k) {
        out.push(k);
    }
}

/// Is a function declared `impure`, by itself or by what it extends?
pub(crate) fn is_impure(fl: &mut Flattener<'_>, k: KlassId) -> bool {
    if let Some(&known) = fl.functions.impure.get(&k) {
        return known;
    }
    let mut chain = Vec::new();
    context::function_chain(fl.cx, k, &mut chain);
    let purity = |this: &Flattener<'_>, k| this.cx.lib.class(this.cx.key(k).def).purity;
    let known = chain.iter().any(|&k| purity(fl, k) == Purity::Impure);
    fl.functions.impure.insert(k, known);
    known
}
