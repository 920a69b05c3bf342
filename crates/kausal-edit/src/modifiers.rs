//! Modifications and annotations: `a(b = 1)` set, taken away and redeclared, in the parentheses they are written in.

use kausal_syntax::Span;
use kausal_syntax::ast::{Binding, Element, ExprId, ModArg, ModId};

use crate::edit::{Draft, Refusal, Stop};
use crate::placement::number;
use crate::source::Source;

/// What holds modifiers: where they are, or where they would begin.
#[derive(Clone, Copy)]
pub(crate) struct Holder {
    /// The modification, if there is one.
    pub modification: Option<ModId>,
    /// Where parentheses would be written.
    pub at: u32,
}

/// What became of taking something away.
#[derive(PartialEq)]
enum Removed {
    Nothing,
    Done,
    /// What held it has nothing left.
    Emptied,
}

/// The argument of a modification that stands for the beginning of a path, and how many parts of the path it takes.
fn argument<'s>(source: &'s Source, id: ModId, path: &[&str]) -> Option<(&'s ModArg, usize)> {
    let ast = &source.ast;
    ast.modifications[id].args.iter().find_map(|arg| {
        let taken = match arg {
            ModArg::Modify(m) => {
                let parts = ast.lists.idents.get(m.name.parts);
                let same = parts.len() <= path.len()
                    && parts.iter().zip(path).all(|(part, name)| part.symbol.as_str() == *name);
                same.then_some(parts.len())?
            }
            ModArg::Component { component, .. } => {
                (ast.components[*component].name.symbol.as_str() == path[0]).then_some(1)?
            }
            ModArg::Class { class, .. } => {
                (ast.classes[*class].name.symbol.as_str() == path[0]).then_some(1)?
            }
        };
        Some((arg, taken))
    })
}

/// The modifiers in an argument.
fn inside(source: &Source, arg: &ModArg) -> Option<Holder> {
    match arg {
        ModArg::Modify(m) => Some(Holder { modification: m.modification, at: m.name.span.end }),
        ModArg::Component { component, .. } => {
            let c = &source.ast.components[*component];
            Some(Holder { modification: c.modification, at: source.behind_name(c) })
        }
        ModArg::Class { class, .. } => match &source.ast.classes[*class].body {
            kausal_syntax::ast::ClassBody::Short(short) => {
                Some(Holder { modification: short.modification, at: short.base.span.end })
            }
            _ => None,
        },
    }
}

/// What the path is bound to, if that is written.
pub(crate) fn find(source: &Source, modification: Option<ModId>, path: &[&str]) -> Option<ExprId> {
    let id = modification?;
    if path.is_empty() {
        return match source.ast.modifications[id].binding {
            Binding::Expr(e) => Some(e),
            _ => None,
        };
    }
    let (arg, taken) = argument(source, id, path)?;
    find(source, inside(source, arg)?.modification, &path[taken..])
}

/// The modification at a path of annotations.
pub(crate) fn path_of(source: &Source, id: ModId, path: &[&str]) -> Option<ModId> {
    let Some((first, rest)) = path.split_first() else { return Some(id) };
    let ast = &source.ast;
    let inner = ast.modifications[id].args.iter().find_map(|arg| match arg {
        ModArg::Modify(m) => {
            let parts = ast.lists.idents.get(m.name.parts);
            (parts.len() == 1 && parts[0].symbol.as_str() == *first).then_some(m.modification)?
        }
        _ => None,
    })?;
    path_of(source, inner, rest)
}

/// Writes a value at a path. `final` is written where the modifier is new.
pub(crate) fn set(
    draft: &mut Draft<'_>,
    holder: Holder,
    path: &[&str],
    value: &str,
    is_final: bool,
) -> Result<(), Stop> {
    let source = draft.source;
    let prefix = if is_final { "final " } else { "" };
    let Some(id) = holder.modification else {
        let text = match path.is_empty() {
            true => format!("={value}"),
            false => format!("({prefix}{}={value})", path.join(".")),
        };
        return Ok(draft.replace(holder.at, holder.at, text)?);
    };
    let modification = &source.ast.modifications[id];
    if path.is_empty() {
        let (span, text) = match modification.binding {
            Binding::Expr(e) => (source.ast.span(e), value.to_owned()),
            Binding::Break => {
                let word = source.before(modification.span.end).and_then(|i| source.lexeme(i));
                (word.map(|l| l.span).unwrap_or_default(), value.to_owned())
            }
            Binding::None => (Span::new(modification.span.end, modification.span.end), format!("={value}")),
        };
        return Ok(draft.replace(span.start, span.end, text)?);
    }
    if let Some((arg, taken)) = argument(source, id, path)
        && let Some(inner) = inside(source, arg)
    {
        return set(draft, inner, &path[taken..], value, is_final);
    }
    insert(draft, id, holder.at, &format!("{prefix}{}={value}", path.join(".")))
}

/// Writes an argument behind the others.
pub(crate) fn insert(draft: &mut Draft<'_>, id: ModId, at: u32, argument: &str) -> Result<(), Stop> {
    let source = draft.source;
    let span = source.ast.modifications[id].span;
    if !source.has_arguments(id) {
        return Ok(draft.replace(at, at, format!("({argument})"))?);
    }
    match source.arguments(span.start).last() {
        Some(last) => Ok(draft.replace(last.end, last.end, format!(", {argument}"))?),
        None => Ok(draft.replace(span.start + 1, span.start + 1, argument)?),
    }
}

/// Takes what is written at a path away, with the parentheses that would be empty then.
pub(crate) fn remove(draft: &mut Draft<'_>, holder: Holder, path: &[&str]) -> Result<bool, Stop> {
    let Some(id) = holder.modification else { return Ok(false) };
    let removed = take(draft, id, path)?;
    if removed == Removed::Emptied {
        let span = draft.source.ast.modifications[id].span;
        let start = if path.is_empty() { holder.at } else { span.start };
        draft.replace(start, span.end, "")?;
    }
    Ok(removed != Removed::Nothing)
}

fn take(draft: &mut Draft<'_>, id: ModId, path: &[&str]) -> Result<Removed, Stop> {
    let source = draft.source;
    let modification = &source.ast.modifications[id];
    let has_arguments = source.has_arguments(id);
    if path.is_empty() {
        if modification.binding == Binding::None {
            return Ok(Removed::Nothing);
        }
        if !has_arguments || modification.args.is_empty() {
            return Ok(Removed::Emptied);
        }
        let close = source.closing(modification.span.start).and_then(|i| source.lexeme(i));
        let from = close.map_or(modification.span.end, |l| l.span.end);
        draft.replace(from, modification.span.end, "")?;
        return Ok(Removed::Done);
    }
    let Some((arg, taken)) = argument(source, id, path) else { return Ok(Removed::Nothing) };
    let place = match arg {
        ModArg::Modify(m) => m.name.span.start,
        ModArg::Component { component, .. } => source.ast.components[*component].name.span.start,
        ModArg::Class { class, .. } => source.ast.classes[*class].name.span.start,
    };
    let whole = taken == path.len() && !matches!(arg, ModArg::Modify(_));
    if !whole {
        let Some(inner) = inside(source, arg).and_then(|h| h.modification) else {
            return Ok(Removed::Nothing);
        };
        let removed = take(draft, inner, &path[taken..])?;
        if removed != Removed::Emptied {
            return Ok(removed);
        }
        let left = source.ast.modifications[inner].binding != Binding::None && taken < path.len();
        if left || !matches!(arg, ModArg::Modify(_)) {
            // Only the parentheses are empty.
            let open = source.ast.modifications[inner].span.start;
            let close = source.closing(open).and_then(|i| source.lexeme(i)).map_or(open, |l| l.span.end);
            draft.replace(open, close, "")?;
            return Ok(Removed::Done);
        }
    }
    let all = source.arguments(modification.span.start);
    let Some(index) = all.iter().position(|s| s.start <= place && place < s.end) else {
        return Ok(Removed::Nothing);
    };
    if all.len() == 1 {
        if modification.binding == Binding::None {
            return Ok(Removed::Emptied);
        }
        let close = source.closing(modification.span.start).and_then(|i| source.lexeme(i));
        draft.replace(modification.span.start, close.map_or(place, |l| l.span.end), "")?;
        return Ok(Removed::Done);
    }
    let gone = match all.get(index + 1) {
        Some(next) => Span::new(all[index].start, next.start),
        None => Span::new(all[index - 1].end, all[index].end),
    };
    draft.replace(gone.start, gone.end, "")?;
    Ok(Removed::Done)
}

/// Where the modifiers of a component are, or those of the bases of the class; the path without what that says.
fn holder_of<'p>(
    draft: &Draft<'_>,
    component: &str,
    path: &'p str,
    base: Option<usize>,
) -> Result<(Holder, Vec<&'p str>), Stop> {
    let source = draft.source;
    let parts: Vec<&str> = path.split('.').collect();
    if !component.is_empty() {
        // A component of a component is modified from here.
        let mut names = component.split('.');
        let own = names.next().unwrap_or_default();
        let id = source.component(draft.class, own)?;
        let c = &source.ast.components[id];
        if names.next().is_some() {
            return Err(Refusal(format!("{component} is inside of another component")).into());
        }
        return Ok((Holder { modification: c.modification, at: source.behind_name(c) }, parts));
    }
    if let Some(id) = source.own(draft.class, parts[0])? {
        let c = &source.ast.components[id];
        let holder = Holder { modification: c.modification, at: source.behind_name(c) };
        return Ok((holder, parts[1..].to_vec()));
    }
    let clauses: Vec<_> = source
        .body(draft.class)?
        .elements
        .iter()
        .filter_map(|e| match e {
            Element::Extends(e) => Some(e),
            _ => None,
        })
        .collect();
    let clause = match (base, &clauses[..]) {
        (Some(k), all) => all.get(k).copied(),
        (None, [only]) => Some(*only),
        _ => None,
    };
    let Some(clause) = clause else {
        return Err(Refusal(format!("nothing here declares or inherits {}", parts[0])).into());
    };
    Ok((Holder { modification: clause.modification, at: clause.base.span.end }, parts))
}

/// Sets or takes away a modifier of a component or of the class.
pub(crate) fn set_in(
    draft: &mut Draft<'_>,
    component: &str,
    path: &str,
    value: Option<&str>,
    is_final: bool,
    base: Option<usize>,
) -> Result<(), Stop> {
    let (holder, parts) = holder_of(draft, component, path, base)?;
    match value {
        Some(value) => {
            check_expression(value)?;
            set(draft, holder, &parts, &closed(value), is_final)
        }
        None => remove(draft, holder, &parts).map(drop),
    }
}

/// Is this one expression, and nothing more?
pub(crate) fn check_expression(value: &str) -> Result<(), Refusal> {
    let wrong = || Refusal(format!("`{}` is no expression", value.trim()));
    if value.trim().is_empty() {
        return Err(wrong());
    }
    let text = format!("model M Real x={value}\n; end M;");
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
    let one = parse.ast.components.len() == 1 && parse.ast.classes.len() == 1;
    let bound = parse.ast.components.iter().next().and_then(|(_, c)| c.modification).is_some_and(|m| {
        matches!(parse.ast.modifications[m].binding, Binding::Expr(e)
            if parse.ast.span(e).end as usize >= "model M Real x=".len() + value.trim_end().len() - trailing(value))
    });
    let described = parse.ast.components.iter().any(|(_, c)| {
        !c.description.strings.is_empty() || c.description.annotation.is_some() || c.condition.is_some()
    });
    if parse.has_errors() || !one || !bound || described { Err(wrong()) } else { Ok(()) }
}

/// A piece of text as something can stand behind it: a comment to the end of the line keeps its line.
pub(crate) fn closed(text: &str) -> String {
    let text = text.trim();
    let last = kausal_syntax::modelica::lexemes(text).last().map(|l| l.kind);
    match last {
        Some(kausal_syntax::modelica::LexemeKind::LineComment) => format!("{text}\n"),
        _ => text.to_owned(),
    }
}

/// The length of the comments and brackets an expression may end with besides itself.
fn trailing(value: &str) -> usize {
    let all = kausal_syntax::modelica::lexemes(value);
    let last = all.iter().rev().find(|l| {
        !matches!(
            l.kind,
            kausal_syntax::modelica::LexemeKind::LineComment
                | kausal_syntax::modelica::LexemeKind::BlockComment
        ) && &value[l.span.start as usize..l.span.end as usize] != ")"
    });
    value.trim_end().len().saturating_sub(last.map_or(0, |l| l.span.end as usize))
}

/// Redeclares an element, or takes the redeclaration away.
pub(crate) fn redeclare(
    draft: &mut Draft<'_>,
    component: &str,
    name: &str,
    type_name: Option<&str>,
    kind: Option<&str>,
    base: Option<usize>,
) -> Result<(), Stop> {
    let (holder, parts) = holder_of(draft, component, name, base)?;
    let source = draft.source;
    let Some(type_name) = type_name else { return remove(draft, holder, &parts).map(drop) };
    let found = holder.modification.and_then(|id| argument(source, id, &parts));
    match found {
        Some((ModArg::Class { class, .. }, _)) => {
            if let kausal_syntax::ast::ClassBody::Short(short) = &source.ast.classes[*class].body {
                let span = short.base.span;
                return Ok(draft.replace(span.start, span.end, type_name)?);
            }
            return Err(Refusal(format!("{name} is not redeclared by a short class definition")).into());
        }
        Some((ModArg::Component { component, .. }, _)) => {
            let span = source.ast.components[*component].type_name.span;
            return Ok(draft.replace(span.start, span.end, type_name)?);
        }
        _ => {}
    }
    let text = match kind {
        Some(kind) => format!("redeclare {kind} {name}={type_name}"),
        None => format!("redeclare {type_name} {name}"),
    };
    match holder.modification {
        Some(id) => insert(draft, id, holder.at, &text),
        None => Ok(draft.replace(holder.at, holder.at, format!("({text})"))?),
    }
}

/// Sets what is given of the `experiment` annotation of the class.
pub(crate) fn experiment(draft: &mut Draft<'_>, values: &[(&str, &Option<f64>); 4]) -> Result<(), Stop> {
    let given: Vec<(&str, f64)> = values.iter().filter_map(|(name, v)| Some((*name, (**v)?))).collect();
    if given.is_empty() {
        return Ok(());
    }
    let source = draft.source;
    let annotation = source.def(draft.class).description.annotation;
    let inner = annotation.and_then(|id| argument(source, id, &["experiment"]));
    let Some((arg, _)) = inner else {
        let words: Vec<String> = given.iter().map(|(name, v)| format!("{name}={}", number(*v))).collect();
        return in_class_annotation(draft, &format!("experiment({})", words.join(", ")));
    };
    let Some(holder) = inside(source, arg) else { return Ok(()) };
    let mut new = Vec::new();
    for (name, value) in given {
        match find(source, holder.modification, &[name]) {
            Some(e) => {
                let span = source.ast.span(e);
                draft.replace(span.start, span.end, number(value))?;
            }
            None => new.push(format!("{name}={}", number(value))),
        }
    }
    match (new.is_empty(), holder.modification) {
        (true, _) => Ok(()),
        (false, Some(id)) => insert(draft, id, holder.at, &new.join(", ")),
        (false, None) => Ok(draft.replace(holder.at, holder.at, format!("({})", new.join(", ")))?),
    }
}

/// Writes an argument into the annotation of the class.
pub(crate) fn in_class_annotation(draft: &mut Draft<'_>, argument: &str) -> Result<(), Stop> {
    let source = draft.source;
    if let Some(id) = source.def(draft.class).description.annotation {
        return insert(draft, id, source.ast.modifications[id].span.start, argument);
    }
    let end = source.end_keyword(draft.class);
    let end = end.ok_or_else(|| Refusal("the class has no end".to_owned()))?;
    let newline = source.newline();
    let indent = source.indent(source.def(draft.class).span.start);
    let text = match source.begins_line(end.start) {
        true => format!("  annotation({argument});{newline}{}", source.indent(end.start)),
        false => format!("{newline}{indent}  annotation({argument});{newline}{indent}"),
    };
    Ok(draft.append(end.start, text)?)
}

/// What is written at a path of modifiers of a component, or for the class itself where there is none: its text.
pub fn written(source: &Source, class: &str, component: &str, path: &str) -> Option<String> {
    let id = source.class(class)?;
    let parts: Vec<&str> = path.split('.').filter(|p| !p.is_empty()).collect();
    let found = |name: &str, rest: &[&str]| {
        let own = source.own(id, name).ok()??;
        find(source, source.ast.components[own].modification, rest)
    };
    let in_bases = || {
        source.body(id).ok()?.elements.iter().find_map(|e| match e {
            Element::Extends(e) => find(source, e.modification, &parts),
            _ => None,
        })
    };
    let (first, rest) = parts.split_first()?;
    let expr = match component.is_empty() {
        true => found(first, rest).or_else(in_bases)?,
        false => found(component, &parts)?,
    };
    Some(source.slice(source.ast.span(expr)).to_owned())
}

/// What a class or component is redeclared to in the modifiers of a component or of the bases: the name as written.
pub fn redeclared(source: &Source, class: &str, component: &str, name: &str) -> Option<String> {
    let id = source.class(class)?;
    let mut holders: Vec<Option<ModId>> = Vec::new();
    match component.is_empty() {
        true => holders.extend(source.body(id).ok()?.elements.iter().filter_map(|e| match e {
            Element::Extends(e) => Some(e.modification),
            _ => None,
        })),
        false => holders.push(source.ast.components[source.own(id, component).ok()??].modification),
    }
    holders.into_iter().flatten().find_map(|holder| match argument(source, holder, &[name])?.0 {
        ModArg::Class { class, .. } => match &source.ast.classes[*class].body {
            kausal_syntax::ast::ClassBody::Short(short) => Some(source.slice(short.base.span).to_owned()),
            _ => None,
        },
        ModArg::Component { component, .. } => {
            Some(source.slice(source.ast.components[*component].type_name.span).to_owned())
        }
        ModArg::Modify(_) => None,
    })
}
