//! `external "C" y = f(x)`: what a declaration says of a foreign function (specification section 12.9).
//!
//! Records are flat here, as everywhere in functions: one argument per field. [`ForeignView`] keeps what is needed to put
//! them together again where foreign code runs, and the folders its files are in.

use kausal_symbolic::function::{
    ArrayFn, ExternalBody, ForeignRecord, ForeignType, ForeignView, LocalId, Term,
};
use kausal_syntax::ast::{Expr, Purity};
use kausal_syntax::{Ast, Symbol, ast};

use crate::annotation::annotation_value;
use crate::class::{Classes, Res};
use crate::expr::arguments;
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table::TVal;
use crate::functions::{table, term};
use crate::ids::KlassId;
use crate::value::{Ty, scalar_of};

/// What stands behind `external`.
pub(super) fn lower_external(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    class: &ast::ClassDef,
    external: &ast::External,
) -> Res<ExternalBody> {
    let language = external.language.map_or("C".to_owned(), |l| ast.string(l).into_owned());
    if !matches!(language.as_str(), "C" | "builtin" | "FORTRAN 77") {
        let message =
            format!("functions in \"{language}\" cannot be called: only \"C\" and \"FORTRAN 77\" can");
        return Err(fl.error_at("K0391", message, lo.file, external.span));
    }
    let mut body = ExternalBody {
        language,
        name: class.name.symbol.as_str().to_owned(),
        result: None,
        args: Vec::new(),
        annotations: Vec::new(),
        view: ForeignView { impure: matches!(class.purity, Purity::Impure), ..ForeignView::default() },
    };
    let mut returned = None;
    match &external.call {
        Some(call) => {
            body.name = call.function.symbol.as_str().to_owned();
            if let Some(result) = &call.result {
                let target = fl.lower_target(lo, ast, result)?;
                returned = Some(target.value);
            }
            for &arg in ast.lists.exprs.get(call.args) {
                let value = term::lower_expr(fl, lo, arg)?;
                foreign_argument(&mut body, &value, is_size(ast, arg), false);
            }
        }
        None => {
            for value in whole_variables(lo, &lo.function.inputs) {
                foreign_argument(&mut body, &value, false, false);
                foreign_sizes(lo, &mut body, &value);
            }
            let mut outputs = whole_variables(lo, &lo.function.outputs);
            if let [one] = &outputs[..]
                && one.rank() == 0
            {
                returned = outputs.pop();
            }
            for value in outputs {
                foreign_argument(&mut body, &value, false, false);
                foreign_sizes(lo, &mut body, &value);
            }
        }
    }
    match &returned {
        Some(table::TVal::Plain { term, ty, .. }) => {
            if let Term::Local(local) = lo.function.terms[term.0 as usize] {
                body.result = Some(local);
                body.view.result = Some(scalar_of(*ty));
            }
        }
        Some(record) => foreign_argument(&mut body, record, false, true),
        None => {}
    }
    if body.language == "builtin"
        && kausal_symbolic::function::externals::builtin_op(&body.name).is_none()
        && !arguments::is_builtin(&body.name)
    {
        let message = format!("there is no built-in function {}", body.name);
        return Err(fl.error_at("K0391", message, lo.file, external.span));
    }
    for annotation in [external.annotation, class.description.annotation] {
        for name in ["Include", "Library", "IncludeDirectory", "LibraryDirectory", "SourceDirectory"] {
            let Some(value) = annotation_value(ast, annotation, name) else { continue };
            for text in string_list(ast, value) {
                body.annotations.push((name.to_owned(), text));
            }
        }
    }
    let folders = |name: &str, default: &str| foreign_folders(fl.cx, lo.klass, &body, name, default);
    let includes = folders("IncludeDirectory", "Include");
    let libraries = folders("LibraryDirectory", "Library");
    let sources = folders("SourceDirectory", "Source");
    body.view.include_folders = includes;
    body.view.library_folders = libraries;
    body.view.source_folders = sources;
    Ok(body)
}

/// The folders an annotation names; without it, the one of the top-level package (specification section 12.9.4).
fn foreign_folders(
    cx: &Classes,
    klass: KlassId,
    body: &ExternalBody,
    name: &str,
    default: &str,
) -> Vec<String> {
    let given: Vec<&str> =
        body.annotations.iter().filter(|(n, _)| n == name).map(|(_, uri)| uri.as_str()).collect();
    let library = cx.lib.full_name(cx.key(klass).def);
    let library = crate::lookup::split_path(&library).first().copied().unwrap_or_default().to_owned();
    let usual = format!("modelica://{library}/Resources/{default}");
    let list = if given.is_empty() { vec![usual.as_str()] } else { given };
    list.into_iter()
        .filter_map(|uri| match uri.strip_prefix("file://") {
            Some(path) => Some(path.to_owned()),
            None if uri.contains("://") => cx.lib.resource(uri),
            None => Some(uri.to_owned()),
        })
        .collect()
}

/// Without a call of its own a foreign function gets the sizes of an array behind it.
fn foreign_sizes(lo: &mut Lower, body: &mut ExternalBody, value: &TVal) {
    let Some(array) = value.any_term() else { return };
    for dim in 1..=value.rank() {
        let dim = lo.term(Term::Const(dim as f64));
        let term = lo.term(Term::Array(ArrayFn::SizeOf, vec![array, dim]));
        foreign_argument(body, &table::TVal::Plain { ty: Ty::Integer, rank: 0, term }, true, false);
    }
}

/// Whole variables of a function, records in one piece, from their flat ones.
fn whole_variables(lo: &Lower, flat: &[LocalId]) -> Vec<TVal> {
    let mut names: Vec<Symbol> = Vec::new();
    for local in flat {
        let name = lo.function.locals[local.0 as usize].name.as_str();
        let symbol = match lo.env.contains_key(&Symbol::new(name)) {
            true => Symbol::new(name),
            false => Symbol::new(name.split('.').next().unwrap_or(name)),
        };
        if !names.contains(&symbol) {
            names.push(symbol);
        }
    }
    names.iter().filter_map(|name| lo.env.get(name).cloned()).collect()
}

/// Adds an argument of a foreign function: one, or all fields of a record.
fn foreign_argument(body: &mut ExternalBody, value: &TVal, size: bool, result: bool) {
    let first = body.args.len();
    let mut fields = Vec::new();
    foreign_parts(body, value, size, String::new(), &mut fields);
    if let table::TVal::Record { rank, .. } = value {
        body.view.records.push(ForeignRecord { first, fields, rank: *rank, result });
    }
}

/// The depth is that of a record in records.
fn foreign_parts(body: &mut ExternalBody, value: &TVal, size: bool, path: String, fields: &mut Vec<String>) {
    match value {
        table::TVal::Plain { ty, rank, term } => {
            body.args.push(*term);
            body.view.args.push(ForeignType { scalar: scalar_of(*ty), rank: *rank, size });
            fields.push(path);
        }
        table::TVal::Record { fields: inner, .. } => {
            for (name, value) in inner {
                let dot = if path.is_empty() { "" } else { "." };
                foreign_parts(body, value, size, format!("{path}{dot}{name}"), fields);
            }
        }
        _ => {}
    }
}

/// `size(x, 1)`
fn is_size(ast: &Ast, expr: ast::ExprId) -> bool {
    let Expr::Call { function, .. } = &ast.exprs[expr] else { return false };
    matches!(ast.lists.parts.get(function.parts), [part] if part.name.symbol.as_str() == "size")
}

fn string_list(ast: &Ast, expr: ast::ExprId) -> Vec<String> {
    match ast.exprs[expr] {
        Expr::String(s) => vec![ast.string(s).into_owned()],
        Expr::Array(items) => ast.lists.exprs.get(items).iter().flat_map(|&e| string_list(ast, e)).collect(),
        _ => Vec::new(),
    }
}
