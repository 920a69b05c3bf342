//! Where units must agree: both sides of equations and assignments, declarations and their values, connected variables.

use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, ComponentRef, EquationKind, Expr, StatementKind};
use kausal_syntax::{Ast, Diagnostic, Location, Symbol, ast};

use crate::class::ComponentInfo;
use crate::ids::KlassId;
use crate::instance::{MAX_DEPTH, MAX_SELF};
use crate::library::DefId;
use crate::units::expression::Target;
use crate::units::measure::{Clash, Unit};
use crate::units::{Checker, Scope};

/// Attributes in the unit of their variable.
const ATTRIBUTES: [&str; 4] = ["start", "min", "max", "nominal"];

impl Checker<'_> {
    /// Looks at all classes there are to look at.
    pub(super) fn run(&mut self) {
        while let Some((klass, around)) = self.todo.pop_front() {
            let interrupt = self.cx.interrupt.as_ref();
            if interrupt.is_some_and(|i| i.load(std::sync::atomic::Ordering::Relaxed)) {
                return;
            }
            if self.seen.insert(klass) {
                self.class(klass, around);
            }
        }
    }

    fn class(&mut self, klass: KlassId, mut around: Vec<DefId>) {
        let def = self.cx.key(klass).def;
        let same = around.iter().filter(|&&d| d == def).count();
        if around.len() > MAX_DEPTH || same > MAX_SELF {
            return;
        }
        around.push(def);
        for info in self.components(klass) {
            self.declaration(&info);
            if info.leaf.is_none() {
                self.todo.push_back((info.klass, around.clone()));
            }
        }
        self.sections(klass);
    }

    /// The equations and algorithms of a class and its bases.
    fn sections(&mut self, klass: KlassId) {
        let Ok(members) = self.cx.members(klass) else { return };
        for &base in &members.bases {
            if self.seen.insert(base) {
                self.sections(base);
            }
        }
        let file = self.cx.file(klass);
        let ast = self.cx.lib.ast(file);
        let ClassBody::Long(body) = &ast.classes[self.cx.lib.def(self.cx.key(klass).def).class].body else {
            return;
        };
        let scope = Scope { klass, file };
        for section in &body.equations {
            self.equations(scope, &ast, &section.equations);
        }
        for section in &body.algorithms {
            self.statements(scope, &ast, &section.statements);
        }
    }

    /// The value of a declaration, and its attributes, are in its unit.
    fn declaration(&mut self, info: &ComponentInfo) {
        let declared = info.leaf.map_or(Unit::Any, |leaf| self.declared(leaf.mods));
        let mut places = vec![(info.binding, format!("the value of {}", info.name))];
        if let Some(leaf) = info.leaf {
            for name in ATTRIBUTES {
                let place = self.cx.attribute(leaf.mods, Symbol::new(name)).map(|(place, _)| place);
                places.push((place, format!("{name} of {}", info.name)));
            }
        }
        for (place, what) in places {
            let Some(place) = place else { continue };
            let unit = self.placed(&place);
            if let Some(clash) = unit.clash(&declared, false) {
                let words = format!("{what} is in another unit than its declaration says");
                let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                let at = self.cx.lib.location(place.file, span);
                self.report(&words, clash, (at, &unit, ""), (info.location, &declared, "declared "));
            }
        }
    }

    fn equations(&mut self, scope: Scope, ast: &Ast, equations: &[ast::Equation]) {
        for equation in equations {
            match &equation.kind {
                EquationKind::Equal(l, r) => self.equal(scope, ast, *l, *r),
                EquationKind::Connect(a, b) => {
                    let (left, right) = (self.reference(scope, ast, a), self.reference(scope, ast, b));
                    if let (Target::Component(left), Target::Component(right)) = (left, right) {
                        let at = self.cx.lib.location(scope.file, equation.span);
                        self.connected(at, (&ref_text(ast, a), &left), (&ref_text(ast, b), &right), 0);
                    }
                }
                EquationKind::Call(call) => {
                    self.expression(scope, ast, *call);
                }
                EquationKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.expression(scope, ast, *condition);
                        self.equations(scope, ast, body);
                    }
                    self.equations(scope, ast, otherwise);
                }
                EquationKind::For { iterators, body } => {
                    let count = self.locals.len();
                    self.enter(scope, ast, ast.lists.iterators.get(*iterators));
                    self.equations(scope, ast, body);
                    self.locals.truncate(count);
                }
                EquationKind::When { branches } => {
                    for (condition, body) in branches {
                        self.expression(scope, ast, *condition);
                        self.equations(scope, ast, body);
                    }
                }
            }
        }
    }

    fn equal(&mut self, scope: Scope, ast: &Ast, l: ast::ExprId, r: ast::ExprId) {
        if let Expr::Tuple(items) = ast.exprs[l] {
            let Expr::Call { function, args } = ast.exprs[r] else { return };
            let outputs = self.call(scope, ast, &function, ast.lists.args.get(args));
            for (&target, output) in ast.lists.exprs.get(items).iter().zip(outputs) {
                let unit = self.expression(scope, ast, target);
                let places = [target, r].map(|e| self.place(scope, ast, e));
                self.sides((places[0], &unit), (places[1], &output));
            }
            return;
        }
        let (a, b) = (self.expression(scope, ast, l), self.expression(scope, ast, r));
        let places = [l, r].map(|e| self.place(scope, ast, e));
        self.sides((places[0], &a), (places[1], &b));
    }

    fn sides(&mut self, (l, a): (Location, &Unit), (r, b): (Location, &Unit)) {
        if let Some(clash) = a.clash(b, false) {
            self.report("the two sides have different units", clash, (l, a, ""), (r, b, ""));
        }
    }

    fn statements(&mut self, scope: Scope, ast: &Ast, statements: &[ast::Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(target, value) => {
                    let b = self.expression(scope, ast, *value);
                    let r = self.place(scope, ast, *value);
                    self.assigned(scope, ast, target, (r, &b));
                }
                StatementKind::AssignTuple { targets, call } => {
                    let Expr::Call { function, args } = ast.exprs[*call] else { continue };
                    let outputs = self.call(scope, ast, &function, ast.lists.args.get(args));
                    let r = self.place(scope, ast, *call);
                    for (target, output) in targets.iter().zip(outputs) {
                        if let Some(target) = target {
                            self.assigned(scope, ast, target, (r, &output));
                        }
                    }
                }
                StatementKind::Call(call) => {
                    self.expression(scope, ast, *call);
                }
                StatementKind::Break | StatementKind::Return => {}
                StatementKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.expression(scope, ast, *condition);
                        self.statements(scope, ast, body);
                    }
                    self.statements(scope, ast, otherwise);
                }
                StatementKind::For { iterators, body } => {
                    let count = self.locals.len();
                    self.enter(scope, ast, ast.lists.iterators.get(*iterators));
                    self.statements(scope, ast, body);
                    self.locals.truncate(count);
                }
                StatementKind::While { condition, body } => {
                    self.expression(scope, ast, *condition);
                    self.statements(scope, ast, body);
                }
                StatementKind::When { branches } => {
                    for (condition, body) in branches {
                        self.expression(scope, ast, *condition);
                        self.statements(scope, ast, body);
                    }
                }
            }
        }
    }

    fn assigned(&mut self, scope: Scope, ast: &Ast, target: &ComponentRef, value: (Location, &Unit)) {
        if let Target::Component(info) = self.reference(scope, ast, target) {
            let unit = self.unit_of(&info);
            let at = self.cx.lib.location(scope.file, target.span);
            self.sides((at, &unit), value);
        }
    }

    /// Connected variables have the same unit, member by member.
    fn connected(
        &mut self,
        at: Location,
        (a, left): (&str, &Arc<ComponentInfo>),
        (b, right): (&str, &Arc<ComponentInfo>),
        depth: usize,
    ) {
        if let (Some(x), Some(y)) = (left.leaf, right.leaf) {
            let (unit, other) = (self.declared(x.mods), self.declared(y.mods));
            if let Some(clash) = unit.clash(&other, false) {
                let words = format!("{a} and {b} are connected, but have different units");
                let prefix = format!("{a} is ");
                self.report_connection(
                    &words,
                    clash,
                    at,
                    (left.location, &unit, &prefix),
                    (right.location, &other, b),
                );
            }
            return;
        }
        if depth > MAX_SELF || left.leaf.is_some() || right.leaf.is_some() {
            return;
        }
        let (first, second) = (self.components(left.klass), self.components(right.klass));
        for x in &first {
            if let Some(y) = second.iter().find(|y| y.name == x.name) {
                let (a, b) = (format!("{a}.{}", x.name), format!("{b}.{}", y.name));
                self.connected(at, (&a, x), (&b, y), depth + 1);
            }
        }
    }

    fn report_connection(
        &mut self,
        words: &str,
        clash: Clash,
        at: Location,
        (l, a, prefix): (Location, &Unit, &str),
        (r, b, name): (Location, &Unit, &str),
    ) {
        if let Some(d) = self.warning(words, clash, a, b).filter(|_| self.told.insert(at)) {
            let d = d.at(at, "this connection").at(l, format!("{prefix}{}", in_unit(a)));
            self.found.push(d.at(r, format!("{name} is {}", in_unit(b))));
        }
    }

    /// A number or an angle is needed: of exponents and of `sin`.
    pub(super) fn needs_number(
        &mut self,
        scope: Scope,
        ast: &Ast,
        what: &str,
        expr: ast::ExprId,
        unit: &Unit,
    ) {
        let Unit::Of(measure) = unit else { return };
        let at = self.place(scope, ast, expr);
        if measure.is_number() || self.inferring > 0 || !self.told.insert(at) {
            return;
        }
        let message = format!("{what} must be a number without a unit");
        let help = "divide it by a value in the same unit";
        self.found.push(Diagnostic::warning("K0612", message).at(at, in_unit(unit)).help(help));
    }

    /// Says that two units do not go together, once for a place.
    pub(super) fn report(
        &mut self,
        words: &str,
        clash: Clash,
        (l, a, before_a): (Location, &Unit, &str),
        (r, b, before_b): (Location, &Unit, &str),
    ) {
        if let Some(d) = self.warning(words, clash, a, b).filter(|_| self.told.insert(l)) {
            let d = d.at(l, format!("{before_a}{}", in_unit(a)));
            self.found.push(d.at(r, format!("{before_b}{}", in_unit(b))));
        }
    }

    fn warning(&self, words: &str, clash: Clash, a: &Unit, b: &Unit) -> Option<Diagnostic> {
        if self.inferring > 0 {
            return None;
        }
        let (x, y) = (a.measure()?.text(), b.measure()?.text());
        Some(match clash {
            Clash::Dimension => Diagnostic::warning("K0610", format!("{words}: \"{x}\" and \"{y}\"")),
            Clash::Scale(Some(factor)) => {
                let help = format!("1 {x} is {} {y}: convert one of them", plain(factor));
                Diagnostic::warning("K0611", format!("{words}: \"{x}\" and \"{y}\"")).help(help)
            }
            Clash::Scale(None) => {
                let help = "use Modelica.Units.Conversions.from_degC and its kin";
                Diagnostic::warning("K0611", format!("{words}: \"{x}\" and \"{y}\"")).help(help)
            }
        })
    }
}

/// A factor with as many digits as say something.
fn plain(factor: f64) -> String {
    let rounded: f64 = format!("{factor:.9e}").parse().unwrap_or(factor);
    format!("{rounded}")
}

fn in_unit(unit: &Unit) -> String {
    unit.measure().map_or_else(|| "in any unit".to_owned(), |m| format!("in \"{}\"", m.text()))
}

fn ref_text(ast: &Ast, reference: &ComponentRef) -> String {
    let names = ast.lists.parts.get(reference.parts).iter().map(|p| p.name.symbol.as_str());
    names.collect::<Vec<_>>().join(".")
}
