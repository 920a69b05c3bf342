//! Classic notation: from the tree as written to the [`Ast`], which is plain Modelica.
//!
//! The rules are in the head of [`super`]. Before: all classes are in [`Classes`]. After: the tree has one
//! class per class of the file, in order, behind the generated classes it needs; every name in it is either
//! as written, or quoted, or global because a component of the same name would hide the class.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::connect::{self, Expand};
use super::diagnose::{code, did_you_mean, error, plenty};
use super::emit::{self, Declaration};
use super::expression::dotted;
use super::interface::{COMMON, ClassIndex, Classes, Scope, Shape, Signature, What};
use super::syntax::{
    Class, Connection, Cut, CutVariable, Dim, Expr, File, Item, NodeKind, Submodel, Variable, Variety,
};
use crate::ast::{
    self, Ast, ClassId, ClassKind, Element, Equation, ExprId, Extends, FlowPrefix, Ident, ModArg, Name,
    RefPart, Variability,
};
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::symbol::Symbol;

/// The functions whose result is a scalar when their arguments are.
#[rustfmt::skip]
const SCALAR_FUNCTIONS: [&str; 25] = [
    "der", "residue", "relax", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "exp", "log", "log10", "sqrt", "abs", "sign", "min", "max", "mod", "rem", "floor", "ceil",
];

/// Makes the tree of a file. `indices` says which class each class of the file is; `generated` are the
/// generated classes that other files of the same set have already.
pub(super) fn lower(
    (source, text): (SourceId, Arc<str>),
    file: &File,
    scope: Scope,
    indices: &[Option<ClassIndex>],
    classes: &Classes,
    generated: &mut FxHashSet<Symbol>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Ast {
    let mut front = Vec::new();
    let mut ast = Ast::new(source, text);
    let mut roots = Vec::new();
    for (class, index) in file.classes.iter().zip(indices) {
        // A second class of the same name has been reported and is left out.
        let Some(index) = *index else { continue };
        let lineage = classes.lineage(index);
        let mut lowering = Lowering {
            source,
            file,
            scope,
            class: index,
            lineage: &lineage.classes,
            classes,
            incomplete: lineage.incomplete,
            common: None,
            generated,
            front: &mut front,
            ast: &mut ast,
            diagnostics,
            elements: Vec::new(),
            equations: Vec::new(),
        };
        lowering.check_lineage(class, lineage.circular, lineage.too_long);
        roots.push(lowering.run(class, lineage.circular));
    }
    front.append(&mut roots);
    ast.roots = front;
    ast.shrink_to_fit();
    ast
}

/// One class being lowered.
struct Lowering<'a> {
    source: SourceId,
    file: &'a File,
    scope: Scope,
    class: ClassIndex,
    lineage: &'a [ClassIndex],
    classes: &'a Classes,
    /// Something may be missing from the class.
    incomplete: bool,
    /// The class of a `Common` that is used without being declared.
    common: Option<ClassIndex>,
    generated: &'a mut FxHashSet<Symbol>,
    /// The generated classes of this file.
    front: &'a mut Vec<ClassId>,
    ast: &'a mut Ast,
    diagnostics: &'a mut Vec<Diagnostic>,
    elements: Vec<Element>,
    equations: Vec<Equation>,
}

impl Lowering<'_> {
    fn run(mut self, class: &Class, circular: bool) -> ClassId {
        let connections: Vec<&Connection> = class
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Connect(connection) => Some(connection),
                _ => None,
            })
            .collect();
        let implicit = connect::implicit_common(&connections, self.classes, self.lineage);
        if implicit.is_some() {
            self.common = self.classes.resolve(self.scope, Symbol::new(COMMON));
        }
        if !circular {
            self.lower_bases(class);
        }
        self.lower_declarations(class);
        if let (Some(span), Some(common)) = (implicit, self.common) {
            self.add_component(Ident { symbol: Symbol::new(COMMON), span }, common, None, span);
        }
        for item in &class.items {
            if let Item::Equation(left, right) = item {
                let (left, right) = (self.expr(*left).0, self.expr(*right).0);
                let span = self.ast.span(left).to(self.ast.span(right));
                self.equations.push(emit::equal(left, right, span));
            }
        }
        let expand = Expand {
            classes: self.classes,
            lineage: self.lineage,
            incomplete: self.incomplete,
            common: self.common,
            source: self.source,
            diagnostics: self.diagnostics,
        };
        self.equations.extend(expand.run(&connections, self.ast));
        let name = emit::ident(class.name.symbol, class.name.span);
        emit::class(self.ast, name, ClassKind::Model, self.elements, self.equations, class.span)
    }

    fn location(&self, span: Span) -> Location {
        Location { source: self.source, span }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// What this class inherits under a name.
    fn inherited(&self, name: Symbol) -> Option<(ClassIndex, &What)> {
        self.classes.find(&self.lineage[1..], name).map(|(owner, member)| (owner, &member.what))
    }
}

// Inheritance.
impl Lowering<'_> {
    fn check_lineage(&mut self, class: &Class, circular: bool, too_long: bool) {
        let place = self.location(class.name.span);
        if circular {
            let message = format!("`{}` inherits itself", class.name.symbol);
            self.report(
                error(code::CIRCULAR, message).at(place, "").help("take one `inherit` out of the circle"),
            );
        } else if too_long {
            let message = format!("`{}` inherits from too many classes", class.name.symbol);
            self.report(error(code::CIRCULAR, message).at(place, ""));
        }
    }

    /// `extends` clauses. A declaration of an inherited variable gives it a value: it becomes a modifier.
    fn lower_bases(&mut self, class: &Class) {
        let mut modifiers: FxHashMap<usize, Vec<ModArg>> = FxHashMap::default();
        for (variety, variable) in class.variables() {
            let Some(base) = self.base_with(class, variable.name.symbol) else { continue };
            if let Some(argument) = self.inherited_value(variety, variable) {
                modifiers.entry(base).or_default().push(argument);
            }
        }
        for (i, base) in class.bases.iter().enumerate() {
            if self.classes.resolve(self.scope, base.symbol).is_none() {
                self.report_unknown_class(*base);
            }
            let repeated = class.bases[..i].iter().any(|b| b.symbol == base.symbol);
            if repeated {
                let message = format!("`{}` is inherited twice", base.symbol);
                let place = self.location(base.span);
                self.report(error(code::DUPLICATE, message).at(place, "").help("leave one of them out"));
                continue;
            }
            let args = modifiers.remove(&i).unwrap_or_default();
            let modification = emit::modification(self.ast, args, base.span);
            let name = self.type_name(*base);
            self.elements.push(Element::Extends(Extends {
                base: name,
                modification,
                breaks: [].into(),
                annotation: None,
                protected: false,
                span: base.span,
            }));
        }
    }

    /// The base that provides a name.
    fn base_with(&self, class: &Class, name: Symbol) -> Option<usize> {
        self.inherited(name)?;
        class.bases.iter().position(|base| {
            self.classes.resolve(self.scope, base.symbol).is_some_and(|base| {
                let lineage = &self.classes.lineage(base).classes;
                self.classes.find(lineage, name).is_some()
            })
        })
    }

    fn inherited_value(&mut self, variety: Variety, variable: &Variable) -> Option<ModArg> {
        let name = variable.name;
        let (owner, what) = self.inherited(name.symbol)?;
        let What::Variable { variety: before, dims, .. } = what else { return None };
        let (before, shape) = (*before, self.classes.shape(owner, dims));
        let place = self.location(name.span);
        if before != variety {
            let message = format!("`{}` is inherited as {}", name.symbol, before.in_words());
            self.report(
                error(code::DUPLICATE, message)
                    .at(place, format!("declared as {} here", variety.in_words()))
                    .help("declare it in the same way, to give it a value, or choose another name"),
            );
            return None;
        }
        if !variable.dims.is_empty() && self.checked_shape(&variable.dims) != shape {
            let message = format!("`{}` is inherited with other dimensions", name.symbol);
            self.report(error(code::DIMENSION, message).at(place, ""));
            return None;
        }
        let modification = self.value(variety, &shape, variable.value?);
        let name = emit::simple_name(self.ast, false, emit::ident(name.symbol, name.span));
        Some(emit::modify(name, false, Some(modification)))
    }

    fn report_unknown_class(&mut self, name: Ident) {
        let names = if plenty(self.diagnostics) { Vec::new() } else { self.classes.names(self.scope) };
        let help = did_you_mean(
            name.symbol.as_str(),
            names.iter().copied(),
            "define it in this file, or read the file that defines it as well",
        );
        let place = self.location(name.span);
        let message = format!("there is no class `{}`", name.symbol);
        self.report(error(code::UNKNOWN_CLASS, message).at(place, "").help(help));
    }
}

// Declarations.
impl Lowering<'_> {
    fn lower_declarations(&mut self, class: &Class) {
        let mut declared: FxHashSet<Symbol> = class.variables().map(|(_, v)| v.name.symbol).collect();
        for item in &class.items {
            match item {
                Item::Variables(variety, list) => {
                    for variable in list {
                        self.lower_variable(*variety, variable);
                    }
                }
                Item::Cuts(cuts) => {
                    for cut in cuts {
                        self.lower_cut(cut, &mut declared);
                    }
                }
                Item::Paths(paths) => {
                    for path in paths {
                        self.check_path_name(path.name);
                        self.check_path_cut(path.begin);
                        self.check_path_cut(path.end);
                    }
                }
                Item::Nodes(names) => names.iter().for_each(|name| self.check_not_inherited(*name)),
                Item::Submodels(list) => {
                    for submodel in list {
                        self.lower_submodel(submodel);
                    }
                }
                Item::Connect(_) | Item::Equation(..) => {}
            }
        }
    }

    fn check_not_inherited(&mut self, name: Ident) {
        if let Some((_, what)) = self.inherited(name.symbol) {
            self.report_inherited(name, what.in_words());
        }
    }

    fn report_inherited(&mut self, name: Ident, what: &str) {
        let message = format!("`{}` is {what} of an inherited class", name.symbol);
        let place = self.location(name.span);
        self.report(error(code::DUPLICATE, message).at(place, "").help("choose another name"));
    }

    /// A path may take the place of an inherited one.
    fn check_path_name(&mut self, name: Ident) {
        if !matches!(self.inherited(name.symbol), Some((_, What::Path { .. }))) {
            self.check_not_inherited(name);
        }
    }

    fn check_path_cut(&mut self, cut: Ident) {
        let found = self.classes.find(self.lineage, cut.symbol);
        if matches!(found, Some((_, member)) if matches!(member.what, What::Cut { .. })) {
            return;
        }
        if self.incomplete {
            return;
        }
        let members = self.classes.members(self.lineage);
        let cuts = members.iter().filter(|(_, m)| matches!(m.what, What::Cut { .. })).map(|(name, _)| *name);
        let help =
            did_you_mean(cut.symbol.as_str(), cuts, "a path goes from one cut of the class to another");
        let place = self.location(cut.span);
        let message = format!("this class has no cut `{}`", cut.symbol);
        self.report(error(code::UNKNOWN_POINT, message).at(place, "").help(help));
    }

    /// The shape of dimensions written in this class; what cannot be a dimension is reported.
    fn checked_shape(&mut self, dims: &[Dim]) -> Shape {
        for dim in dims {
            if let Dim::Constant(name) = dim
                && self.classes.size(self.class, *dim).is_none()
            {
                let place = self.location(name.span);
                let message = format!("the size of an array must be known, but `{}` is not", name.symbol);
                let help =
                    format!("use a number, or declare `constant {} = 3` with a whole number", name.symbol);
                self.report(error(code::DIMENSION, message).at(place, "").help(help));
            }
        }
        self.classes.shape(self.class, dims)
    }

    fn lower_variable(&mut self, variety: Variety, variable: &Variable) {
        match self.inherited(variable.name.symbol) {
            // Its value became a modifier.
            Some((_, What::Variable { .. })) => return,
            Some((_, what)) => {
                let what = what.in_words();
                return self.report_inherited(variable.name, what);
            }
            None => {}
        }
        let shape = self.checked_shape(&variable.dims);
        let modification = variable.value.map(|value| self.value(variety, &shape, value));
        let variability = match variety {
            Variety::Parameter => Variability::Parameter,
            Variety::Constant => Variability::Constant,
            Variety::Local => Variability::Continuous,
        };
        let name = emit::ident(variable.name.symbol, variable.name.span);
        self.add_real(name, shape, variability, modification, variable.span);
    }

    fn add_real(
        &mut self,
        name: Ident,
        shape: Shape,
        variability: Variability,
        modification: Option<ast::ModId>,
        span: Span,
    ) {
        let type_name = emit::real(self.ast, name.span);
        let made =
            Declaration { name, type_name, shape, modification, variability, flow: FlowPrefix::None, span };
        let component = emit::component(self.ast, made);
        self.elements.push(Element::Component(component));
    }

    /// The value of a parameter or constant, the start value of a variable; a scalar fills an array.
    fn value(&mut self, variety: Variety, shape: &Shape, value: Expr) -> ast::ModId {
        let (mut id, scalar) = self.expr(value);
        let fills = scalar && !shape.is_empty();
        if variety == Variety::Local {
            return emit::start(self.ast, id, fills, !shape.is_empty());
        }
        if fills {
            let span = self.ast.span(id);
            id = emit::fill(self.ast, id, shape, span);
        }
        emit::binding(self.ast, id)
    }

    /// A connector, the variables nobody else declares, and the equations between them.
    fn lower_cut(&mut self, cut: &Cut, declared: &mut FxHashSet<Symbol>) {
        self.check_not_inherited(cut.name);
        for variable in cut.across.iter().chain(&cut.through) {
            self.lower_cut_variable(variable, declared);
        }
        let signature = self.classes.signature(self.class, &cut.across, &cut.through);
        self.generate_connector(&signature, cut.span);
        let name = emit::ident(cut.name.symbol, cut.name.span);
        let type_name = self.type_name(Ident { symbol: signature.class_name(), span: cut.name.span });
        let made = Declaration {
            name,
            type_name,
            shape: Shape::new(),
            modification: None,
            variability: Variability::Continuous,
            flow: FlowPrefix::None,
            span: cut.span,
        };
        let component = emit::component(self.ast, made);
        self.elements.push(Element::Component(component));
        for (letter, side) in [('a', &cut.across), ('t', &cut.through)] {
            for (i, variable) in side.iter().enumerate() {
                let path: Vec<Ident> = variable.path.iter().map(|p| emit::ident(p.symbol, p.span)).collect();
                let member = format!("{letter}{}", i + 1);
                let equation =
                    emit::cut_equation(self.ast, name, &member, &path, variable.negative, variable.span);
                self.equations.push(equation);
            }
        }
    }

    fn lower_cut_variable(&mut self, variable: &CutVariable, declared: &mut FxHashSet<Symbol>) {
        let shape = self.checked_shape(&variable.dims);
        let place = self.location(variable.span);
        if let Some((owner, member)) = self.classes.walk(self.class, &variable.path) {
            let What::Variable { dims, .. } = &member.what else {
                let name = dotted(&variable.path);
                let message = format!("`{name}` is {}, not a variable", member.what.in_words());
                self.report(
                    error(code::DUPLICATE, message).at(place, "").help("a cut is a list of variables"),
                );
                return;
            };
            let found = self.classes.shape(owner, dims);
            if !variable.dims.is_empty() && found != shape {
                let message = format!("`{}` has other dimensions elsewhere", dotted(&variable.path));
                self.report(error(code::DIMENSION, message).at(place, ""));
            }
        }
        let [name] = variable.path.as_slice() else { return };
        let is_new = self.inherited(name.symbol).is_none() && declared.insert(name.symbol);
        if is_new {
            let ident = emit::ident(name.symbol, name.span);
            self.add_real(ident, shape, Variability::Continuous, None, variable.span);
        }
    }

    fn lower_submodel(&mut self, submodel: &Submodel) {
        self.check_not_inherited(submodel.name);
        let Some(class) = self.classes.resolve(self.scope, submodel.class.symbol) else {
            self.report_unknown_class(submodel.class);
            return;
        };
        let mut args = Vec::new();
        let mut given = FxHashSet::default();
        for (path, value) in &submodel.values {
            if !given.insert(dotted(path)) {
                let place = self.location(path[0].span);
                let message = format!("`{}` is given twice", dotted(path));
                self.report(error(code::DUPLICATE, message).at(place, "").help("leave one of them out"));
                continue;
            }
            if let Some(argument) = self.submodel_value(class, path, *value) {
                args.push(argument);
            }
        }
        let modification = emit::modification(self.ast, args, submodel.span);
        self.add_component(submodel.name, class, modification, submodel.span);
    }

    fn submodel_value(&mut self, class: ClassIndex, path: &[Ident], value: Expr) -> Option<ModArg> {
        let Some((variety, shape)) = self.classes.variable(class, path) else {
            self.report_unknown_parameter(class, path);
            return None;
        };
        let modification = self.value(variety, &shape, value);
        let idents: Vec<Ident> = path.iter().map(|p| emit::ident(p.symbol, p.span)).collect();
        let span = path[0].span.to(path[path.len() - 1].span);
        let name = Name { global: false, parts: self.ast.lists.idents.add(idents), span };
        Some(emit::modify(name, false, Some(modification)))
    }

    fn report_unknown_parameter(&mut self, class: ClassIndex, path: &[Ident]) {
        let class_name = self.classes.get(class).name;
        let lineage = self.classes.lineage(class);
        if lineage.incomplete {
            return;
        }
        let members = self.classes.members(&lineage.classes);
        let mut parameters: Vec<&str> = members
            .iter()
            .filter(|(_, m)| matches!(m.what, What::Variable { variety: Variety::Parameter, .. }))
            .map(|(name, _)| *name)
            .collect();
        parameters.dedup();
        let otherwise = match parameters.as_slice() {
            [] => format!("`{class_name}` has no parameters"),
            some => format!("the parameters of `{class_name}` are `{}`", some.join("`, `")),
        };
        let last = path[path.len() - 1].symbol.as_str();
        let help = did_you_mean(last, parameters.iter().copied(), &otherwise);
        let place = self.location(path[0].span.to(path[path.len() - 1].span));
        let message = format!("`{class_name}` has no parameter `{}`", dotted(path));
        let mut diagnostic = error(code::UNKNOWN_PARAMETER, message).at(place, "").help(help);
        if let Some(place) = self.classes.get(class).place {
            diagnostic = diagnostic.at(place, "the class");
        }
        self.report(diagnostic);
    }

    /// An instance of a class.
    fn add_component(
        &mut self,
        name: Ident,
        class: ClassIndex,
        modification: Option<ast::ModId>,
        span: Span,
    ) {
        let class_name = self.classes.get(class).name;
        if self.classes.is_built_in(class) {
            self.generate_common(class, span);
        }
        let type_name = self.type_name(Ident { symbol: class_name, span: name.span });
        let made = Declaration {
            name: emit::ident(name.symbol, name.span),
            type_name,
            shape: Shape::new(),
            modification,
            variability: Variability::Continuous,
            flow: FlowPrefix::None,
            span,
        };
        let component = emit::component(self.ast, made);
        self.elements.push(Element::Component(component));
    }

    /// The name of a class; global where something in this class has the same name.
    fn type_name(&mut self, class: Ident) -> Name {
        let hides = self.classes.find(self.lineage, class.symbol).is_some()
            || (self.common.is_some() && class.symbol.as_str() == COMMON);
        emit::simple_name(self.ast, hides, emit::ident(class.symbol, class.span))
    }
}

// Generated classes.
impl Lowering<'_> {
    fn generate_connector(&mut self, signature: &Signature, span: Span) {
        if self.generated.insert(signature.class_name()) {
            self.front.push(emit::connector(self.ast, signature, span));
        }
    }

    fn generate_common(&mut self, class: ClassIndex, span: Span) {
        if !self.generated.insert(Symbol::new(COMMON)) {
            return;
        }
        let (owner, member) = match self.classes.main_cut(&[class]) {
            Some(cut) => match self.classes.find(&[class], cut) {
                Some(found) => found,
                None => return,
            },
            None => return,
        };
        let What::Cut { across, through } = &member.what else { return };
        let signature = self.classes.signature(owner, across, through);
        self.generate_connector(&signature, span);
        self.front.push(emit::common(self.ast, &signature, span));
    }
}

// Expressions.
impl Lowering<'_> {
    /// The expression, and whether it is certainly a scalar. Children come first, so a loop is enough.
    fn expr(&mut self, expr: Expr) -> (ExprId, bool) {
        let mut done: Vec<(ExprId, bool)> = Vec::with_capacity(expr.end - expr.start);
        let file = self.file;
        for node in &file.nodes[expr.start..expr.end] {
            let of = |i: &usize| done[*i - expr.start];
            let ids = |list: &[usize]| list.iter().map(|i| of(i).0).collect::<Vec<_>>();
            let span = node.span;
            let made = match &node.kind {
                NodeKind::Integer(n) => (self.ast.add_expr(ast::Expr::Integer(*n), span), true),
                NodeKind::Real(x) => (self.ast.add_expr(ast::Expr::Real(*x), span), true),
                NodeKind::Boolean(b) => (self.ast.add_expr(ast::Expr::Boolean(*b), span), true),
                NodeKind::Name(path) => self.name(path, span),
                NodeKind::Apply(path, args) => {
                    let scalar_args = args.iter().all(|i| of(i).1);
                    let args = ids(args);
                    self.apply(path, &args, scalar_args, span)
                }
                NodeKind::Unary(op, a) => {
                    let (a, scalar) = of(a);
                    (self.ast.add_expr(ast::Expr::Unary(*op, a), span), scalar)
                }
                NodeKind::Binary(op, a, b) => {
                    let ((a, a_scalar), (b, b_scalar)) = (of(a), of(b));
                    (self.ast.add_expr(ast::Expr::Binary(*op, a, b), span), a_scalar && b_scalar)
                }
                NodeKind::If(branches, otherwise) => {
                    let scalar = branches.iter().all(|(_, value)| of(value).1) && of(otherwise).1;
                    let branches: Vec<_> = branches.iter().map(|(c, v)| (of(c).0, of(v).0)).collect();
                    let otherwise = of(otherwise).0;
                    let branches = self.ast.lists.branches.add(branches);
                    (self.ast.add_expr(ast::Expr::If { branches, otherwise }, span), scalar)
                }
                NodeKind::Vector(items) => {
                    let items = self.ast.lists.exprs.add(ids(items));
                    (self.ast.add_expr(ast::Expr::Array(items), span), false)
                }
                NodeKind::Matrix(rows) => {
                    let rows: Vec<_> = rows.iter().map(|row| self.ast.lists.exprs.add(ids(row))).collect();
                    let rows = self.ast.lists.rows.add(rows);
                    (self.ast.add_expr(ast::Expr::Matrix(rows), span), false)
                }
            };
            done.push(made);
        }
        match done.last() {
            Some(root) => *root,
            None => (self.ast.add_expr(ast::Expr::Error, Span::default()), false),
        }
    }

    fn name(&mut self, path: &[Ident], span: Span) -> (ExprId, bool) {
        if let [name] = path
            && name.symbol.as_str() == "Time"
            && self.classes.find(self.lineage, name.symbol).is_none()
        {
            let time = Ident { symbol: Symbol::new("time"), span };
            return (emit::reference_expr(self.ast, &[time], span), true);
        }
        let scalar = self.classes.variable(self.class, path).is_some_and(|(_, shape)| shape.is_empty());
        let path: Vec<Ident> = path.iter().map(|p| emit::ident(p.symbol, p.span)).collect();
        (emit::reference_expr(self.ast, &path, span), scalar)
    }

    /// `x(3)`: a subscript when `x` is an array of this class, else a call. A name with dots is a variable.
    fn apply(&mut self, path: &[Ident], args: &[ExprId], scalar_args: bool, span: Span) -> (ExprId, bool) {
        let found = self.classes.walk(self.class, path);
        if let ([function], None) = (path, found) {
            let name = function.symbol.as_str();
            // Only a word that is no function of Modelica would need quotes.
            let quoted = if matches!(name, "der" | "residue" | "relax" | "fill" | "initial" | "pure") {
                *function
            } else {
                emit::ident(function.symbol, function.span)
            };
            let scalar = scalar_args && SCALAR_FUNCTIONS.contains(&name);
            return (emit::call(self.ast, quoted, args, span), scalar);
        }
        let what = found.map(|(_, member)| member.what.in_words());
        let shape = self.classes.variable(self.class, path).map(|(_, shape)| shape);
        if let Some(what) = what {
            self.check_subscripts(path, args.len(), what, shape.as_ref(), span);
        }
        let full = shape.is_some_and(|shape| shape.len() == args.len());
        let subscripts = self.ast.lists.exprs.add(args.iter().copied());
        let last = path.len() - 1;
        let parts: Vec<RefPart> = path
            .iter()
            .enumerate()
            .map(|(i, p)| RefPart {
                name: emit::ident(p.symbol, p.span),
                subscripts: if i == last { subscripts } else { crate::arena::List::EMPTY },
            })
            .collect();
        let parts = self.ast.lists.parts.add(parts);
        let reference = ast::ComponentRef { global: false, parts, span };
        (self.ast.add_expr(ast::Expr::Ref(reference), span), full && scalar_args)
    }

    fn check_subscripts(
        &mut self,
        path: &[Ident],
        count: usize,
        what: &str,
        shape: Option<&Shape>,
        span: Span,
    ) {
        let name = dotted(path);
        let message = match shape {
            None => format!("`{name}` is {what} and has no elements"),
            Some(shape) if shape.is_empty() => format!("`{name}` is {what}, not an array or a function"),
            Some(shape) if count > shape.len() || count == 0 => {
                let plural = if shape.len() == 1 { "" } else { "s" };
                format!("`{name}` has {} dimension{plural}, but here are {count} subscripts", shape.len())
            }
            Some(_) => return,
        };
        let mut diagnostic = error(code::SUBSCRIPT, message).at(self.location(span), "");
        if shape.is_some_and(Vec::is_empty) {
            diagnostic = diagnostic.help(format!("is a `*` missing? An array is declared `local {name}(3)`"));
        }
        self.report(diagnostic);
    }
}
