//! Rules about statements: where `when` can stand, what cannot be assigned to, outputs that nothing assigns (specification
//! sections 11.2.2, 11.2.7.2 and 12.4.4).

use kausal_syntax::ast::{ClassBody, Statement, StatementKind};
use kausal_syntax::{Ast, Diagnostic, Symbol, ast};

use crate::class::Res;
use crate::expr::place;
use crate::flattener::Flattener;
use crate::functions::context;
use crate::ids::KlassId;
use crate::interface;
use crate::sink::Context;

/// The variable of a loop cannot be assigned to (specification section 11.2.2).
pub(crate) fn check_loop_variables(
    fl: &mut Flattener<'_>,
    file: crate::library::FileId,
    ast: &Ast,
    list: &[Statement],
) -> Res<()> {
    let mut found = Vec::new();
    crate::walk::assigned_iterators(ast, list, &mut |target| found.push(*target));
    let mut result = Ok(());
    for target in found {
        let name = place::ref_text(ast, &target);
        let message = format!("{name} is a loop variable: it cannot be assigned to");
        result = Err(fl.error_at("K0378", message, file, target.span));
    }
    result
}

/// Where `when` statements cannot stand (specification section 11.2.7.2). In `for` loops, which are unrolled, they are
/// taken: each pass has a `when` statement of its own.
pub(crate) fn check_when_places(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    initial: bool,
    list: &[Statement],
) -> Res<()> {
    let mut stack: Vec<(&Statement, Option<&str>)> = Vec::new();
    let place = initial.then_some("an initial algorithm");
    stack.extend(list.iter().rev().map(|s| (s, place)));
    let mut result = Ok(());
    while let Some((statement, place)) = stack.pop() {
        match &statement.kind {
            StatementKind::When { branches } => {
                if let Some(place) = place {
                    let message = format!("`when` cannot stand in {place}");
                    let place = fl.cx.lib.location(cx.scope.file, first_line(cx.ast, statement.span));
                    let diagnostic = Diagnostic::error("K0369", message).at(place, "");
                    result = Err(fl.cx.report(diagnostic));
                }
                for (_, body) in branches {
                    stack.extend(body.iter().rev().map(|s| (s, Some("a `when` statement"))));
                }
            }
            StatementKind::If { branches, otherwise } => {
                let place = place.or(Some("an `if` statement"));
                let bodies = branches.iter().map(|(_, body)| body).chain([otherwise]);
                bodies.for_each(|body| stack.extend(body.iter().rev().map(|s| (s, place))));
            }
            StatementKind::While { body, .. } => {
                let place = place.or(Some("a `while` loop"));
                stack.extend(body.iter().rev().map(|s| (s, place)));
            }
            StatementKind::For { body, .. } => stack.extend(body.iter().rev().map(|s| (s, place))),
            _ => {}
        }
    }
    result
}

/// Every output has a value, or is assigned somewhere (specification section 12.4.4).
pub(crate) fn check_outputs_assigned(fl: &mut Flattener<'_>, k: KlassId) -> Res<()> {
    let mut chain = Vec::new();
    context::function_chain(fl.cx, k, &mut chain);
    let mut assigned: Vec<Symbol> = Vec::new();
    for klass in chain {
        let ast = fl.cx.ast(klass);
        let class = &ast.classes[fl.cx.lib.def(fl.cx.key(klass).def).class];
        let ClassBody::Long(body) = &class.body else { continue };
        let mut note = |target: &ast::ComponentRef| {
            assigned.extend(ast.lists.parts.get(target.parts).first().map(|p| p.name.symbol));
        };
        for section in &body.algorithms {
            crate::walk::statements(&section.statements, &mut |s| match &s.kind {
                StatementKind::Assign(target, _) => note(target),
                StatementKind::AssignTuple { targets, .. } => targets.iter().flatten().for_each(&mut note),
                _ => {}
            });
        }
    }
    let signature = interface::signature(fl, k)?;
    for info in &signature.outputs {
        // An array may have no elements.
        let scalar = info.leaf.is_some() && info.dims.is_empty();
        if info.binding.is_none() && scalar && !assigned.contains(&info.name) {
            let message = format!("the output {} of {} is never assigned", info.name, fl.cx.name(k));
            return Err(fl.cx.report(Diagnostic::error("K0383", message).at(info.location, "declared here")));
        }
    }
    Ok(())
}

/// The beginning of a place, up to the end of its line.
fn first_line(ast: &Ast, span: kausal_syntax::Span) -> kausal_syntax::Span {
    let text = &ast.text[span.start as usize..span.end as usize];
    let end = text.find('\n').map_or(span.end, |n| span.start + n as u32);
    kausal_syntax::Span { start: span.start, end }
}
