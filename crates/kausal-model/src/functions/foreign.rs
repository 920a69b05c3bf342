//! The `external` declaration of a function (specification section 12.9): kept with its arguments and annotations.

use kausal_symbolic::function::{ExternalBody, Term};
use kausal_syntax::Ast;
use kausal_syntax::ast::{self, Expr};

use super::lower::Lower;
use super::term::TVal;
use crate::class::{Res, annotation_value};
use crate::flattener::Flattener;

impl Flattener<'_> {
    pub(super) fn lower_external(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        class: &ast::ClassDef,
        external: &ast::External,
    ) -> Res<ExternalBody> {
        let language = external.language.map_or("C".to_owned(), |l| ast.string(l).into_owned());
        if !matches!(language.as_str(), "C" | "builtin" | "FORTRAN 77") {
            let message =
                format!("functions in \"{language}\" cannot be called: only \"C\" and \"FORTRAN 77\" can");
            return Err(self.error_at("K0391", message, lo.file, external.span));
        }
        let mut body = ExternalBody {
            language,
            name: class.name.symbol.as_str().to_owned(),
            result: None,
            args: Vec::new(),
            annotations: Vec::new(),
        };
        match &external.call {
            Some(call) => {
                body.name = call.function.symbol.as_str().to_owned();
                if let Some(result) = &call.result {
                    let target = self.lower_target(lo, ast, result)?;
                    if let TVal::Plain { term, .. } = &target.value
                        && let Term::Local(local) = lo.function.terms[term.0 as usize]
                    {
                        body.result = Some(local);
                    }
                }
                for &arg in ast.lists.exprs.get(call.args) {
                    let value = self.lower_expr(lo, arg)?;
                    value.terms(&mut body.args);
                }
            }
            None => {
                for &input in &lo.function.inputs.clone() {
                    let term = lo.term(Term::Local(input));
                    body.args.push(term);
                }
                match lo.function.outputs[..] {
                    [one] if lo.function.locals[one.0 as usize].dims.is_empty() => body.result = Some(one),
                    _ => {
                        for output in lo.function.outputs.clone() {
                            let term = lo.term(Term::Local(output));
                            body.args.push(term);
                        }
                    }
                }
            }
        }
        if body.language == "builtin"
            && kausal_symbolic::function::externals::builtin_op(&body.name).is_none()
            && !crate::expr::builtin::is_builtin(&body.name)
        {
            let message = format!("there is no built-in function {}", body.name);
            return Err(self.error_at("K0391", message, lo.file, external.span));
        }
        for annotation in [external.annotation, class.description.annotation] {
            for name in ["Include", "Library", "IncludeDirectory", "LibraryDirectory"] {
                let Some(value) = annotation_value(ast, annotation, name) else { continue };
                for text in string_list(ast, value) {
                    body.annotations.push((name.to_owned(), text));
                }
            }
        }
        Ok(body)
    }
}

fn string_list(ast: &Ast, expr: ast::ExprId) -> Vec<String> {
    match ast.exprs[expr] {
        Expr::String(s) => vec![ast.string(s).into_owned()],
        Expr::Array(items) => ast.lists.exprs.get(items).iter().flat_map(|&e| string_list(ast, e)).collect(),
        _ => Vec::new(),
    }
}
