//! The state of one flattening. Its methods are what stages call back: an expression needs the size of a component, that
//! size is an expression.
//!
//! Expressions are evaluated to arrays of scalar expressions in which a parameter stays a variable. Where a
//! number is needed (a size, a condition of a component) the expression is [folded](Flattener::fold): parameters
//! are replaced by their values and marked as evaluated.

use std::sync::Arc;

use kausal_symbolic::function::{Array, ArrayResult, Domain, Function, FunctionId};
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_syntax::{Span, Symbol, ast};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Classes, Reported, Res};
use crate::connect::links;
use crate::flat::HintKind;
use crate::functions::table;
use crate::ids::{InstId, KlassId};
use crate::library::FileId;
use crate::state_machine::statements;
use crate::tree::Inst;
pub use crate::tree::Scope;
use crate::value::{Ty, Value};

/// A hint met in the equation being evaluated.
#[derive(Clone, Debug)]
pub struct PendingHint {
    /// Which.
    pub kind: HintKind,
    /// On what.
    pub target: Array<ExprId>,
}

/// The state of one flattening.
pub struct Flattener<'w> {
    /// All classes.
    pub cx: &'w mut Classes,
    /// All instances.
    pub insts: Vec<Inst>,
    /// Instances of packages.
    pub statics: FxHashMap<KlassId, InstId>,
    /// Inner components that nobody declared.
    pub(crate) added_inner: FxHashSet<InstId>,
    /// Components without a declaration, by owner.
    pub extra: FxHashMap<InstId, Vec<InstId>>,
    /// All expressions.
    pub pool: Pool,
    /// For every variable the leaf it belongs to and which element it is.
    pub slots: Vec<(InstId, u32)>,
    /// Parameters whose value was used.
    pub evaluated: FxHashSet<VarId>,
    /// Loop variables and the like, innermost last.
    pub locals: Vec<(Symbol, Value)>,
    /// Sizes that `end` stands for, innermost last.
    pub ends: Vec<usize>,
    /// Hints of the equation being evaluated.
    pub hints: Vec<PendingHint>,
    /// Lowered functions.
    pub functions: table::Functions,
    /// Connections, once collected.
    pub connections: links::Connections,
    /// The full name of the model.
    pub model_name: String,
    /// How many variables of overdetermined connectors its surroundings decide.
    pub outside: usize,
    /// Variables assigned in `when` clauses.
    pub assigned_when: FxHashSet<VarId>,
    /// Leaves assigned in `when` statements of algorithms.
    pub when_leaves: FxHashSet<InstId>,
    /// Expressions that choose by a subscript known only while the model runs: it, and from how many elements.
    pub(crate) subscripts: FxHashMap<ExprId, (ExprId, usize)>,
    /// Integer subscripts that are known only while the model runs.
    pub(crate) positions: FxHashSet<ExprId>,
    /// Divisions with remainder of two Integers.
    pub(crate) divisions: FxHashSet<ExprId>,
    /// The equation being evaluated stands in a `when` clause.
    pub(crate) in_when: bool,
    /// What `pre` is applied to outside `when` clauses, and where.
    pub(crate) pre_uses: Vec<(ExprId, kausal_syntax::Location)>,
    /// The reference being evaluated, and the conditional component it leads through.
    pub(crate) used_at: Option<kausal_syntax::Location>,
    pub(crate) conditional: Option<InstId>,
    /// What the dimensions of a component are indexed by, where it is known.
    pub(crate) index_types: FxHashMap<(KlassId, FileId, ast::ComponentId), Arc<[Option<Ty>]>>,
    /// Values are only looked at: nothing is marked as evaluated.
    pub(crate) peeking: bool,
    /// Components are nested too deeply: nothing more is made.
    pub(crate) too_deep: bool,
    /// Members of expandable connectors that exist.
    pub present: FxHashSet<InstId>,
    /// Auxiliary variables, by component.
    pub(crate) auxiliaries: FxHashMap<InstId, u32>,
    /// The sizes known so far of components that are being resolved.
    pub(crate) sizes: FxHashMap<InstId, Vec<Option<usize>>>,
    pub(crate) derives: FxHashMap<(KlassId, crate::library::DefId), bool>,
    pub(crate) sections: FxHashMap<KlassId, Arc<[KlassId]>>,
    pub(crate) bindings: FxHashMap<InstId, Option<Res<Option<Arc<Value>>>>>,
    pub(crate) values: FxHashMap<(FileId, ast::ExprId, InstId), Res<Arc<Value>>>,
    pub(crate) constants: FxHashMap<InstId, Option<Res<Arc<Value>>>>,
    pub(crate) folded: FxHashMap<ExprId, ExprId>,
    pub(crate) folding: FxHashSet<VarId>,
    pub(crate) depth: u32,
    /// So many instances were made before somebody asked how many there would be.
    pub(crate) counted: bool,
    /// There are more components than can be.
    pub(crate) too_many: bool,
    /// What is said about state machines.
    pub(crate) state_machines: statements::Statements,
    /// What was spent on terms.
    pub(crate) budget: crate::budget::Budget,
}

/// The pool as a domain for array routines.
pub struct Sym<'a>(pub &'a mut Pool);

impl Domain for Sym<'_> {
    type Scalar = ExprId;

    fn number(&mut self, value: f64) -> ExprId {
        self.0.constant(value)
    }

    fn value(&self, scalar: ExprId) -> Option<f64> {
        self.0.as_constant(scalar)
    }

    fn op(&mut self, op: Op, args: &[ExprId]) -> ArrayResult<ExprId> {
        Ok(self.0.op(op, args))
    }

    fn function(&self, id: FunctionId) -> Option<&Function> {
        Some(self.0.function(id))
    }
}

impl<'w> Flattener<'w> {
    /// Nothing flattened yet.
    pub fn new(cx: &'w mut Classes) -> Self {
        let budget = crate::budget::Budget::new(cx.interrupt.clone());
        Flattener {
            cx,
            insts: Vec::new(),
            statics: FxHashMap::default(),
            added_inner: FxHashSet::default(),
            extra: FxHashMap::default(),
            pool: Pool::new(),
            slots: Vec::new(),
            evaluated: FxHashSet::default(),
            locals: Vec::new(),
            ends: Vec::new(),
            hints: Vec::new(),
            functions: Default::default(),
            connections: Default::default(),
            model_name: String::new(),
            outside: 0,
            assigned_when: FxHashSet::default(),
            when_leaves: FxHashSet::default(),
            subscripts: FxHashMap::default(),
            positions: FxHashSet::default(),
            divisions: FxHashSet::default(),
            in_when: false,
            pre_uses: Vec::new(),
            used_at: None,
            conditional: None,
            index_types: FxHashMap::default(),
            peeking: false,
            too_deep: false,
            present: FxHashSet::default(),
            auxiliaries: FxHashMap::default(),
            sizes: FxHashMap::default(),
            derives: FxHashMap::default(),
            sections: FxHashMap::default(),
            bindings: FxHashMap::default(),
            values: FxHashMap::default(),
            constants: FxHashMap::default(),
            folded: FxHashMap::default(),
            folding: FxHashSet::default(),
            depth: 0,
            counted: false,
            too_many: false,
            state_machines: Default::default(),
            budget,
        }
    }

    /// The pool as a domain for array routines.
    pub fn sym(&mut self) -> Sym<'_> {
        Sym(&mut self.pool)
    }

    /// Reports an error at an expression.
    pub fn error_at(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        file: FileId,
        span: Span,
    ) -> Reported {
        self.cx.error(code, message.into(), file, span)
    }
}
