//! The classic Dymola notation (`.dym`), as the papers print it, into the same [`Ast`](crate::Ast) as Modelica.
//!
//! ```
//! use kausal_syntax::{Sources, classic};
//!
//! let mut sources = Sources::default();
//! let id = sources.add("Decay.dym", "model Decay\n  local x = 1\n  der(x) = -x\nend\n");
//! let parse = classic::parse(id, sources.get(id).text.clone());
//! assert!(!parse.has_errors());
//! assert_eq!(parse.ast.roots.len(), 1);
//! ```
//!
//! # Steps
//!
//! text → tokens (`lexer`) → the tree as written (`syntax`, read by `parser`, `statement` and `expression`) →
//! what the classes show of themselves (`interface`) → [`Ast`](crate::Ast) (`lower`, `connect`, `emit`).
//! The detour over interfaces is there because the meaning of a line depends on classes that may stand further
//! down or in another file: `A - B` on the main paths of the classes of `A` and `B`, `x(3)` on whether `x` is an
//! array. [`parse`] reads a file that is complete in itself, [`parse_many`] several that use each other's
//! classes, [`parse_with`] files that use classes read before.
//!
//! # Grammar
//!
//! ```text
//! file        = { class } .
//! class       = "model" [ "class" ] [ "(" NAME { "," NAME } ")" ] NAME eol { statement } "end" [ NAME ] eol .
//! statement   = [ declaration | equation | connect ] eol .
//! declaration = ( "parameter" | "constant" | "local" ) variable { [ "," ] variable }
//!             | [ "main" ] "cut" cut { [ "," ] cut }
//!             | [ "main" ] "path" path { [ "," ] path }
//!             | "node" NAME { [ "," ] NAME }
//!             | "inherit" NAME { [ "," ] NAME }
//!             | "submodel" "(" NAME ")" instance { [ "," ] instance }
//!             | "submodel" instance { [ "," ] instance } .
//! variable    = NAME [ dims ] [ "=" expression ] .
//! dims        = "(" dim { "," dim } ")" .
//! dim         = NUMBER | NAME .
//! cut         = NAME "(" [ cut-list ] [ "/" [ cut-list ] ] ")" .
//! cut-list    = cut-variable { [ "," ] cut-variable } .
//! cut-variable = [ "-" | "+" ] dotted [ dims ] .
//! path        = NAME "<" NAME "-" NAME ">" .
//! instance    = NAME [ "(" [ value { [ "," ] value } ] ")" ] .
//! value       = dotted "=" expression .
//! connect     = "connect" series { "at" series } .
//! series      = parallel { "-" parallel } .
//! parallel    = joint { "//" joint } .
//! joint       = { "\" } ( dotted | "(" series ")" ) .
//! equation    = expression "=" expression .
//! expression  = "if" expression "then" expression
//!               { "elseif" expression "then" expression } "else" expression
//!             | disjunction .
//! disjunction = conjunction { "or" conjunction } .
//! conjunction = negation { "and" negation } .
//! negation    = [ "not" ] relation .
//! relation    = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "<>" ) sum ] .
//! sum         = [ "+" | "-" ] product { ( "+" | "-" ) product } .
//! product     = power { ( "*" | "/" ) power } .
//! power       = primary [ ( "^" | "**" ) power ] .
//! primary     = NUMBER | "true" | "false" | dotted [ "(" [ expression { "," expression } ] ")" ]
//!             | "(" expression ")" | "[" row { ";" row } "]" .
//! row         = expression { "," expression } .
//! dotted      = NAME { "." NAME } .
//! eol         = line break | ";" | end of file .
//! ```
//!
//! - `{ … }` is a comment; comments do not nest and may go over several lines.
//! - A line break counts, unless it stands in parentheses or brackets, right behind an operator or a comma, or
//!   before `then`, `else` and `elseif`.
//! - Names are case-sensitive: letters, digits and `_`, not beginning with a digit. Reserved are the words in
//!   quotes above, except `at`, `true` and `false`.
//! - A sign may also stand behind an operator: `a*-b`, `2^-1`.
//!
//! # What becomes of it
//!
//! | classic | Modelica |
//! | --- | --- |
//! | `model class N`, `model N` | `model N` |
//! | `model class (S) N`, `inherit S` | `extends S` |
//! | `parameter R = 1`, `constant c = 0` | `parameter Real R = 1`, `constant Real c = 0` |
//! | `constant d(3) = 0` | `constant Real d[3] = fill(0, 3)` |
//! | `local x`, and any variable that only a cut names | `Real x` |
//! | `local x = 1` | `Real x(start = 1, fixed = true)` |
//! | one of these for an inherited variable | a modifier of `extends` |
//! | `cut p (V / i)` | `Cut_1_1 p`, `p.a1 = V`, `p.t1 = i` |
//! | `cut n (V / -i)` | `Cut_1_1 n`, `n.a1 = V`, `n.t1 = -i` |
//! | `submodel (C) a (R = 2, u = 1), b` | `C a(R = 2, u(start = 1, fixed = true))`, `C b` (`R` a parameter, `u` a variable) |
//! | `submodel C` | `.C C` |
//! | `connect …` | `connect(a.p, b.n)`, one for each cut but the first of those that meet |
//! | `node`, `path` | nothing; they only say what is connected |
//! | `Time` | `time` |
//! | `x(3)`, `A(1,2)` of an array | `x[3]`, `A[1, 2]` |
//! | `[a, b, c]` or `[a; b; c]`, `[a, b; c, d]` | `{a, b, c}`, `[a, b; c, d]` |
//! | `a**b` | `a^b` |
//! | a name that is a word of Modelica: `flow` | quoted: `'flow'` |
//!
//! **Connectors.** Cuts are connected by position, so a connector class is made for each shape of a cut, at the
//! top of the file and before its classes: `Cut_2_1` has the across variables `a1`, `a2` and the through
//! variable `t1`; with arrays the name says so, see `Signature::class_name` in `interface.rs`. Classes may not be
//! called `Cut_…`. The variables of the model stay what users look at: `R1.Vp`, not `R1.p.a1`.
//!
//! **Signs.** What a cut lists is what it brings to the node, with its sign: where cuts meet, their signed
//! through variables sum to zero. With `cut p (Vp / i)  n (Vn / -i)` a positive `i` goes in at `p` and comes out
//! at `n`; `p.t1 = i` and `n.t1 = -i` are positive into the component, as flow variables are in Modelica. A cut
//! of a class that is connected inside it passes on: `connect A at R1.p` makes `A`'s variables equal to those
//! of `R1.p`, through variables included.
//!
//! **Common.** A class with `main cut A (V / i)` and `V = 0` is built in, unless one of this name is defined.
//! A connection may use `Common` without declaring it.
//!
//! **Connections** are explained in `connect`.
//!
//! Unknown variables and functions are left to the next room, which knows what names mean; unknown classes,
//! cuts and parameters of submodels are reported here, because without them nothing can be expanded.

mod connect;
mod diagnose;
mod emit;
mod expression;
mod interface;
mod lexer;
mod lower;
mod parser;
mod statement;
mod syntax;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::symbol::Symbol;
use crate::{Parse, SourceId};
use interface::Classes;

/// What is known of classes that were read before: their cuts, paths, variables and bases, and which classes
/// were generated for them. See [`parse_with`].
#[derive(Clone, Debug, Default)]
pub struct Interfaces {
    classes: Classes,
    generated: FxHashSet<Symbol>,
}

/// Parses a file that needs no other one. Its tree is complete: it has the connectors it uses and, where it is
/// used, `Common`.
pub fn parse(source: SourceId, text: Arc<str>) -> Parse {
    let mut parses = parse_many(&[(source, text)]);
    // One file in, one out.
    parses.remove(0)
}

/// Parses files that may use each other's classes, in whatever order. The trees belong together: a generated
/// class is only in the first one that needs it.
pub fn parse_many(files: &[(SourceId, Arc<str>)]) -> Vec<Parse> {
    parse_with(&mut Interfaces::default(), files)
}

/// Parses files that may use each other's classes and those in `known`, and adds their classes to `known`. A
/// class of the same name in the same file comes first, then one of these files, then one known before. The
/// trees belong together with all that were parsed with the same `known`.
///
/// ```
/// use kausal_syntax::{SourceId, classic};
///
/// let mut known = classic::Interfaces::default();
/// let library = "model class Source\n  main cut A (V / i)\n  V = 5\nend\n";
/// let model = "model Circuit\n  submodel (Source) S\n  connect S - Common\nend\n";
/// classic::parse_with(&mut known, &[(SourceId(0), library.into())]);
/// let parses = classic::parse_with(&mut known, &[(SourceId(1), model.into())]);
/// assert!(!parses[0].has_errors());
/// ```
pub fn parse_with(known: &mut Interfaces, files: &[(SourceId, Arc<str>)]) -> Vec<Parse> {
    let mut trees = Vec::with_capacity(files.len());
    let mut diagnostics = Vec::with_capacity(files.len());
    for (source, text) in files {
        let (tree, found) = parser::parse_file(*source, text, lexer::lex(*source, text));
        trees.push(tree);
        diagnostics.push(found);
    }
    let described: Vec<_> = files.iter().zip(&trees).map(|((source, _), tree)| (*source, tree)).collect();
    let places = known.classes.add(&described, &mut diagnostics);
    let mut parses = Vec::with_capacity(files.len());
    for (i, ((source, text), mut found)) in files.iter().zip(diagnostics).enumerate() {
        let (scope, indices) = &places[i];
        let text = (*source, text.clone());
        let ast =
            lower::lower(text, &trees[i], *scope, indices, &known.classes, &mut known.generated, &mut found);
        parses.push(Parse { ast, diagnostics: diagnose::in_order(*source, found) });
    }
    parses
}
