//! Units of calls: what built-in operators make of their arguments' units, and what functions declare.

use std::sync::Arc;

use kausal_syntax::Ast;
use kausal_syntax::ast::{Arg, Causality, ClassKind, ComponentRef};

use crate::class;
use crate::class::ComponentInfo;
use crate::ids::KlassId;
use crate::units::expression::{Target, seconds};
use crate::units::measure::Unit;
use crate::units::{Checker, Scope};

impl Checker<'_> {
    /// The units of the outputs of a call; as many as are known.
    pub(super) fn call(
        &mut self,
        scope: Scope,
        ast: &Ast,
        function: &ComponentRef,
        args: &[Arg],
    ) -> Vec<Unit> {
        let units: Vec<Unit> = args.iter().map(|a| self.expression(scope, ast, a.value)).collect();
        let parts = ast.lists.parts.get(function.parts);
        if let [only] = parts
            && !function.global
        {
            let name = only.name.symbol;
            let is_own = match self.cx.find(scope.klass, name) {
                Some(class::Found::Class(k)) => !self.cx.is_predefined(k),
                Some(class::Found::Component { .. }) => true,
                None => false,
            };
            if !is_own {
                return vec![self.built_in(scope, ast, name.as_str(), args, &units)];
            }
        }
        let Target::Class(k) = self.reference(scope, ast, function) else { return Vec::new() };
        let name = parts.last().map_or("", |p| p.name.symbol.as_str());
        match self.cx.deep_kind(k) {
            ClassKind::Function | ClassKind::OperatorFunction => {
                self.todo.push_back((k, Vec::new()));
                let components = self.components(k);
                let with =
                    |causality| move |i: &&Arc<ComponentInfo>| i.causality == causality && !i.protected;
                let inputs: Vec<_> = components.iter().filter(with(Causality::Input)).cloned().collect();
                self.arguments(scope, ast, name, &inputs, args, &units);
                let outputs: Vec<_> = components.iter().filter(with(Causality::Output)).cloned().collect();
                outputs.iter().map(|info| self.unit_of(info)).collect()
            }
            ClassKind::Record => {
                let fields: Vec<_> = self.components(k).into_iter().filter(|i| !i.protected).collect();
                self.arguments(scope, ast, name, &fields, args, &units);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The components of a class, in order.
    pub(super) fn components(&mut self, k: KlassId) -> Vec<Arc<ComponentInfo>> {
        let Ok(members) = self.cx.members(k) else { return Vec::new() };
        let list = members.components.iter().map(|&i| members.items[i as usize]);
        list.filter_map(|member| self.cx.component(&member).ok()).collect()
    }

    fn arguments(
        &mut self,
        scope: Scope,
        ast: &Ast,
        function: &str,
        inputs: &[Arc<ComponentInfo>],
        args: &[Arg],
        units: &[Unit],
    ) {
        for (i, (arg, unit)) in args.iter().zip(units).enumerate() {
            let input = match arg.name {
                Some(name) => inputs.iter().find(|info| info.name == name.symbol),
                None => inputs.get(i),
            };
            let Some(info) = input else { continue };
            let Some(leaf) = info.leaf else { continue };
            let needed = self.declared(leaf.mods);
            if let Some(clash) = unit.clash(&needed, false) {
                let words =
                    format!("the argument {} of {function} is in another unit than it should be", info.name);
                let place = self.place(scope, ast, arg.value);
                self.report(&words, clash, (place, unit, ""), (info.location, &needed, "declared "));
            }
        }
    }

    fn built_in(&mut self, scope: Scope, ast: &Ast, name: &str, args: &[Arg], units: &[Unit]) -> Unit {
        let unit = |i: usize| units.get(i).cloned().unwrap_or(Unit::Any);
        let pair = |i: usize| args.get(i).map(|a| (a.value, unit(i)));
        match name {
            "der" => unit(0).times(&seconds(), true),
            "interval" => seconds(),
            "abs" | "pre" | "previous" | "noEvent" | "hold" | "sample" | "delay" | "inStream"
            | "actualStream" | "sum" | "transpose" | "vector" | "matrix" | "scalar" | "diagonal"
            | "symmetric" | "skew" | "subSample" | "superSample" | "shiftSample" | "backSample"
            | "noClock" | "fill" | "relax" => unit(0),
            // It says what is solved for: in the formula it is zero.
            "residue" => Unit::Any,
            "smooth" => unit(1),
            "semiLinear" | "cross" | "outerProduct" => unit(0).times(&unit(1), false),
            "min" | "max" | "homotopy" | "mod" | "rem" | "linspace" | "atan2" => {
                let (Some(a), Some(b)) = (pair(0), pair(1)) else { return unit(0) };
                let words = format!("the arguments of {name} have different units");
                let unit = self.joined(scope, ast, &words, a, b);
                if name == "atan2" { Unit::one() } else { unit }
            }
            "reinit" => {
                let (Some(a), Some(b)) = (pair(0), pair(1)) else { return Unit::Any };
                self.joined(scope, ast, "a variable is set to a value in another unit", a, b);
                Unit::Any
            }
            "sqrt" => unit(0).power(Some(0.5)),
            "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "exp" | "log"
            | "log10" => {
                if let Some((expr, unit)) = pair(0) {
                    self.needs_number(scope, ast, &format!("the argument of {name}"), expr, &unit);
                }
                if unit(0) == Unit::Number { Unit::Number } else { Unit::one() }
            }
            "sign" => Unit::one(),
            "integer" | "Integer" | "floor" | "ceil" | "div" | "size" | "ndims" | "zeros" | "ones"
            | "identity" | "cardinality" => Unit::Number,
            "array" => units.iter().cloned().reduce(|a, b| a.common(&b)).unwrap_or(Unit::Any),
            "cat" => units.iter().skip(1).cloned().reduce(|a, b| a.common(&b)).unwrap_or(Unit::Any),
            _ => Unit::Any,
        }
    }
}
