//! A flat model that comes from a file: every id names something that exists, so that passes may rely on it.

use kausal_model::FlatModel;
use kausal_model::flat::{Action, ActionKind, Type};
use kausal_symbolic::function::check::check_function;
use kausal_symbolic::{ExprId, Node, VarId};

/// What is wrong with a flat model, if something is.
pub(crate) fn check(model: &FlatModel) -> Result<(), String> {
    let ids = Ids { model };
    ids.pool()?;
    ids.variables()?;
    let clocked = model.clocked.iter().flat_map(|w| &w.equations);
    for e in model.equations.iter().chain(&model.initial_equations).chain(clocked) {
        ids.expr(e.lhs)?;
        ids.expr(e.rhs)?;
    }
    for when in &model.whens {
        for branch in &when.branches {
            branch.conditions.iter().try_for_each(|&c| ids.expr(c))?;
            ids.actions(&branch.actions)?;
        }
    }
    for when in &model.clocked {
        ids.expr(when.clock)?;
        ids.actions(&when.actions)?;
    }
    ids.actions(&model.actions)?;
    ids.actions(&model.initial_actions)?;
    for hint in &model.hints {
        ids.expr(hint.target)?;
        ids.below("equation", hint.equation.0 as usize, model.equations.len())?;
    }
    let functions = model.pool.functions().count();
    for object in &model.external_objects {
        for id in object.constructor.iter().chain(&object.destructor) {
            ids.below("function", id.0 as usize, functions)?;
        }
    }
    Ok(())
}

struct Ids<'a> {
    model: &'a FlatModel,
}

impl Ids<'_> {
    fn below(&self, what: &str, number: usize, count: usize) -> Result<(), String> {
        if number < count { Ok(()) } else { Err(format!("there is no {what} {number} among {count}")) }
    }

    fn expr(&self, id: ExprId) -> Result<(), String> {
        self.below("expression", id.0 as usize, self.model.pool.len())
    }

    fn var(&self, id: VarId) -> Result<(), String> {
        self.below("variable", id.index(), self.model.variables.len())
    }

    fn pool(&self) -> Result<(), String> {
        let pool = &self.model.pool;
        for (id, _) in pool.functions() {
            if let Some(problem) = check_function(pool, id).into_iter().next() {
                return Err(problem);
            }
        }
        for i in 0..pool.len() as u32 {
            if let Node::Var(v) = pool.node(ExprId(i)) {
                self.var(v)?;
            }
        }
        Ok(())
    }

    fn variables(&self) -> Result<(), String> {
        for v in &self.model.variables {
            match v.ty {
                Type::Enumeration(e) => {
                    self.below("enumeration", e as usize, self.model.enumerations.len())?;
                }
                Type::External(e) => {
                    self.below("external object", e as usize, self.model.external_objects.len())?;
                }
                Type::Real | Type::Integer | Type::Boolean | Type::String | Type::Clock => {}
            }
            let own = [v.binding, v.start, v.min, v.max, v.nominal];
            own.into_iter().flatten().try_for_each(|e| self.expr(e))?;
        }
        Ok(())
    }

    fn actions(&self, actions: &[Action]) -> Result<(), String> {
        let mut open: Vec<&Action> = actions.iter().collect();
        while let Some(action) = open.pop() {
            match &action.kind {
                ActionKind::Assign(v, e) | ActionKind::Reinit(v, e) => {
                    self.var(*v)?;
                    self.expr(*e)?;
                }
                ActionKind::Assert { condition, message, .. } => {
                    self.expr(*condition)?;
                    self.expr(*message)?;
                }
                ActionKind::Terminate(e) | ActionKind::Call(e) => self.expr(*e)?,
                ActionKind::If(condition, then, otherwise) => {
                    self.expr(*condition)?;
                    open.extend(then.iter().chain(otherwise));
                }
            }
        }
        Ok(())
    }
}
