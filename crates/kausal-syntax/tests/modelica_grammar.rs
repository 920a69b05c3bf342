//! Every production of the grammar (specification appendix A) and the tree it gives.

mod modelica_support;

use kausal_syntax::{print, source::line_column};
use modelica_support::{parse, show};

/// The trees of valid texts, one behind the other, as a snapshot. Each is also printed and read again.
fn check(name: &str, texts: &[&str]) {
    let mut out = String::new();
    for text in texts {
        let first = parse(text);
        assert!(first.diagnostics.is_empty(), "{text}\n{}", show(text, &first.diagnostics));
        let printed = print::modelica(&first.ast);
        let second = parse(&printed);
        assert!(second.diagnostics.is_empty(), "{printed}\n{}", show(&printed, &second.diagnostics));
        assert!(print::same_tree(&first.ast, &second.ast), "{text}\n{printed}");
        out += &format!("{text}\n----\n{}\n", print::dump(&first.ast));
    }
    insta::assert_snapshot!(name, out);
}

/// As [`check`], for declarations.
fn check_elements(name: &str, elements: &[&str]) {
    let texts: Vec<String> = elements.iter().map(|e| format!("model M {e} end M;")).collect();
    check(name, &texts.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Expressions with their trees and their printed form.
fn check_expressions(name: &str, expressions: &[&str]) {
    let mut out = String::new();
    for expression in expressions {
        let text = format!("model M equation x = {expression}; end M;");
        let first = parse(&text);
        assert!(!first.has_errors(), "{}", show(&text, &first.diagnostics));
        let printed = print::modelica(&first.ast);
        let second = parse(&printed);
        assert!(print::same_tree(&first.ast, &second.ast), "{text}\n{printed}");
        let dump = print::dump(&first.ast);
        let tree = dump.lines().nth(2).unwrap_or("").trim().trim_start_matches("x = ");
        let again =
            printed.lines().nth(2).unwrap_or("").trim().trim_start_matches("x = ").trim_end_matches(';');
        out += &format!("{expression}\n  {tree}\n  {again}\n");
    }
    insta::assert_snapshot!(name, out);
}

#[test]
fn stored_definitions() {
    check(
        "stored_definitions",
        &[
            "model M end M;",
            "within; model M end M;",
            "within A; model M end M;",
            "within A.B.C;\nfinal model M end M;\npackage P end P;\ntype T = Real;",
            "\u{feff}model M end M;",
            "model\r\nM\rend\tM\u{a0};",
            "// a\n/* b * / c */model/**/M//end\nend M;",
        ],
    );
}

#[test]
fn class_kinds() {
    check(
        "class_kinds",
        &[
            "class A end A;",
            "model A end A;",
            "record A end A;",
            "operator record A end A;",
            "block A end A;",
            "connector A end A;",
            "expandable connector A end A;",
            "type A extends Real; end A;",
            "package A end A;",
            "function A end A;",
            "operator function A end A;",
            "operator A end A;",
            "pure function A end A;",
            "impure function A end A;",
            "impure operator function A end A;",
            "encapsulated partial model A end A;",
            "encapsulated operator '+' end '+';",
        ],
    );
}

#[test]
fn class_specifiers() {
    check(
        "class_specifiers",
        &[
            "model A \"one\" + \"two\" annotation (Icon()); end A;",
            "model A extends B; end A;",
            "model extends A end A;",
            "package P redeclare model extends A (x = 1, redeclare model C = D) \"more\" Real y; end A; end P;",
            "type A = Real;",
            "type A = Real[3];",
            "type A = .Modelica.Units.SI.Length[2, n] (min = 0, final unit = \"m\") \"text\" annotation (A = 1);",
            "connector A = input Real;",
            "connector A = output B.C(x = 1);",
            "type E = enumeration(a, b \"second\", c annotation (D = 1)) \"letters\";",
            "type E = enumeration();",
            "type E = enumeration(:);",
            "function f_x = der(f, x);",
            "function f_xy = der(A.f, x, y) \"both\" annotation (Inline = true);",
        ],
    );
}

#[test]
fn sections() {
    check(
        "sections",
        &[
            "model M Real a; public Real b; protected Real c; public Real d; equation a = 1; initial equation b = 1; \
             algorithm c := 1; initial algorithm d := 1; equation d = 2; protected Real e; end M;",
            "model M equation annotation (A = 1); end M;",
            "model M annotation (A = 1); Real x; annotation (B = 2); end M;",
            "function f external; end f;",
            "function f external \"C\"; annotation (A = 1); end f;",
            "function f external f(); end f;",
            "function f external \"C\" y = f(x, 2*n, \"text\", size(a, 1)) annotation (Library = \"m\"); end f;",
            "function f external \"FORTRAN 77\" a.b[1] = f(x); annotation (Inline = false); end f;",
        ],
    );
}

#[test]
fn elements() {
    check_elements(
        "elements",
        &[
            "import A; import A.B.C;",
            "import D = A.B.C \"text\" annotation (A = 1);",
            "import A.*; import A.B.*; import A.B . *;",
            "import A.{B}; import A.B.{C, D, E};",
            "extends A;",
            "extends .A.B(x = 1, redeclare model C = D) annotation (E = 1);",
            "extends A();",
            "extends A(break x, y = 1, break connect(a.b, c[1].d));",
            "redeclare final inner outer replaceable Real x;",
            "replaceable Real x constrainedby Number;",
            "replaceable Real x(a = 1) = 2 \"one\" constrainedby Number(b = 2) \"two\" annotation (A = 1);",
            "replaceable model A = B constrainedby C(x = 1) \"text\";",
            "replaceable package P end P constrainedby Q;",
            "inner replaceable model A Real x; end A;",
            "redeclare model extends A end A;",
            "protected import A; extends B; model C end C; Real d;",
        ],
    );
}

#[test]
fn components() {
    check_elements(
        "components",
        &[
            "Real x; Integer y, z; A.B.C d;",
            "flow Real x; stream Real y; discrete Real z; parameter Real u; constant Real v; input Real w; output Real a;",
            "flow discrete input Real x; stream parameter output Real y;",
            "Real[3] x; Real x[3]; Real[2] x[3, :], y[n + 1]; Real x[Boolean]; Real x[E];",
            "Real x = 1; Real y := 2; Real z(start = 1); Real u(start = 1, fixed = true) = 2; Real v = break;",
            "Real x if b; Real y = 1 if b and not c \"text\" annotation (A = 1);",
            "Real x \"a\" + \"b\" + \"c\";",
            ".A x; 'quoted type'.'a.b' 'c \\'d\\' e';",
        ],
    );
}

#[test]
fn modifications() {
    check_elements(
        "modifications",
        &[
            "A a(b = 1, c(d = 2), e(f = 3) = 4, g.h.i = 5, j);",
            "A a(each b = 1, final c = 2, each final d(e = 3));",
            "A a(b = 1 \"text\" + \"more\", c \"only text\");",
            "A a(b = break, c(d = break));",
            "A a(redeclare B b, redeclare each final B c(d = 1) = 2 \"text\");",
            "A a(redeclare parameter input B b[3]);",
            "A a(redeclare replaceable B b constrainedby C(d = 1));",
            "A a(replaceable B b, each final replaceable B c);",
            "A a(redeclare model B = C, redeclare final package D = E(x = 1));",
            "A a(redeclare replaceable model B = C constrainedby D, replaceable type F = Real[3]);",
            "A a(redeclare type E = enumeration(a, b), redeclare function f = der(g, x));",
            "A a(redeclare encapsulated partial operator record B = C);",
            "A a(b() = 1, c());",
            "annotation (A(B(C = {1, 2})), __Vendor_d = true, E);",
        ],
    );
}

#[test]
fn equations() {
    check_elements(
        "equations",
        &[
            "equation a = b; a + b = c - d \"text\" annotation (A = 1); (a, , b) = f(x); (a, b) = (c, d);",
            "equation f(x); .A.f(); assert(a > b, \"text\"); reinit(x, 1);",
            "equation connect(a, b.c[1].d); connect(.a, b[end]) annotation (Line(points = {{0, 0}}));",
            "equation if a then b = 1; end if;",
            "equation if a then b = 1; c = 2; elseif d then elseif e then b = 2; else b = 3; end if \"text\";",
            "equation if a then else if b then c = 1; end if; end if;",
            "equation for i in 1:3 loop a[i] = i; end for;",
            "equation for i, j in 1:n, k in {1, 2} loop for l loop a = b; end for; end for annotation (A = 1);",
            "equation when a then b = 1; elsewhen {c, initial()} then b = 2; end when;",
            "equation (if a then b else c) = d; a:b = c; der(x) = 1; -x = y; not a = b; {a, b} = c; [a; b] = c;",
            "equation a < b = c; 1 = x; \"a\" = s; initial() = a; pure(f(x)) = y;",
        ],
    );
}

#[test]
fn statements() {
    check_elements(
        "statements",
        &[
            "algorithm a := b; .a.b[1].c := d \"text\" annotation (A = 1); a := if b then c else d;",
            "algorithm (a) := f(x); (a, b) := f(x); (, a, , b[1].c, ) := f(x) \"text\";",
            "algorithm f(x); .A.f(a = 1); assert(a > b, \"text\");",
            "algorithm break; return; return \"text\";",
            "algorithm if a then b := 1; elseif c then b := 2; break; else return; end if;",
            "algorithm for i in 1:3, j loop a[i] := j; end for;",
            "algorithm while a > 0 loop a := a - 1; while b loop end while; end while;",
            "algorithm when a then b := 1; elsewhen c then b := 2; end when;",
        ],
    );
}

#[test]
fn precedence() {
    check_expressions(
        "precedence",
        &[
            "a + b*c^d",
            "(a + b)*c",
            "a - b - c",
            "a - (b - c)",
            "a/b/c*d",
            "a/(b/c)",
            "-a + b",
            "-a*b",
            "-a^2",
            "(-a)^2",
            "(-a)*b",
            "a + (-b)",
            "-(a + b)",
            "-(-a)",
            "+a",
            "(a^b)^c",
            "a^(b^c)",
            "a .+ b .- c .* d ./ e .^ f",
            ".- a .+ b",
            "2 .* x + 2. * x",
            "a < b",
            "(a < b) == (c >= d)",
            "not a == b",
            "(not a) == b",
            "not a and not b or c",
            "a and (b or c)",
            "a or b and c",
            "not (a and b)",
            "a:b",
            "a:b:c",
            "(a:b):c",
            "a + 1:b or c",
            "1 + (2:3)",
            "if a then b else c",
            "if a then b elseif c then d elseif e then f else g",
            "if a then if b then c else d else if e then f else g",
            "1 + (if a then b else c)",
            "(if a then b else c) + 1",
            "(if a then b else c):d",
            "if a then 1:2 else 3:4",
            "(((a)))",
        ],
    );
}

#[test]
fn primaries() {
    check_expressions(
        "primaries",
        &[
            "1",
            "0012",
            "9223372036854775807",
            "1.5",
            "1.",
            ".5",
            "1e5",
            "1.e-5",
            ".5E+3",
            "1e400",
            "\"\"",
            "\"a\\nb\\\"c\\\\\"",
            "\"line\nbreak \u{fc}\u{20ac}\"",
            "true",
            "false",
            "a",
            ".a.b.c",
            "a[1].b[i, :, 1:end].c[end - 1, {1, 2}]",
            "a[f(end)].b",
            "a[b[end], end]",
            "'a b'.'\\''",
            "f()",
            "f(a, b)",
            "f(a = 1, b = 2)",
            "f(a, b = 1)",
            ".A.f(1)",
            "a.b[1].f(x)",
            "f(g(h(x)))",
            "der(x)",
            "der(x, 2)",
            "initial()",
            "pure(f(x))",
            "f(function g())",
            "f(function .A.g(a = 1, b = function h()), function k(c = 2), d = function l())",
            "sum(i for i in 1:3)",
            "sum(i*j for i in 1:3, j)",
            "{1}",
            "{1, a, {2, 3}}",
            "{i for i in 1:3}",
            "{{i + j for i in 1:3} for j in 1:n}",
            "{if a then b else c, 1:2}",
            "[1]",
            "[1, 2; 3, 4]",
            "[a; b; [c, d]]",
            "(a, b)",
            "(a, , b)",
            "(, a)",
            "(a, )",
            "()",
        ],
    );
}

#[test]
fn ranges_of_the_tree() {
    let text =
        "model M\n  Real x(start = 1) = (2 + y)*z \"text\";\nequation\n  der(x) = -x \"law\";\nend M;\n";
    let ast = parse(text).ast;
    let at = |span: kausal_syntax::Span| &text[span.start as usize..span.end as usize];
    let class = &ast.classes[ast.roots[0]];
    assert_eq!(at(class.span), text.trim_end().trim_end_matches(';'));
    assert_eq!(at(class.name.span), "M");
    let (_, component) = ast.components.iter().next().unwrap();
    assert_eq!(at(component.span), "Real x(start = 1) = (2 + y)*z");
    let modification = &ast.modifications[component.modification.unwrap()];
    assert_eq!(at(modification.span), "(start = 1) = (2 + y)*z");
    let mut texts: Vec<&str> = ast.expr_spans.iter().map(|&s| at(s)).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["(2 + y)", "(2 + y)*z", "-x", "1", "2", "der(x)", "x", "x", "y", "z"]);
    let kausal_syntax::ast::ClassBody::Long(body) = &class.body else { panic!("a long class") };
    assert_eq!(at(body.equations[0].equations[0].span), "der(x) = -x");
    assert_eq!(line_column(text, body.equations[0].equations[0].span.start), (4, 3));
}

#[test]
fn parents() {
    let ast = parse(
        "package P model A = B(redeclare model C = D); model E extends F(redeclare model G = H); \
         I i(redeclare model J = K); end E; end P;",
    )
    .ast;
    let parent = |name: &str| {
        let (_, class) = ast.classes.iter().find(|(_, c)| c.name.symbol.as_str() == name).unwrap();
        class.parent.map(|p| ast.classes[p].name.symbol.as_str())
    };
    assert_eq!(parent("P"), None);
    // The modifiers of a short class stand in the class around it.
    assert_eq!([parent("A"), parent("C"), parent("E")], [Some("P"); 3]);
    assert_eq!([parent("G"), parent("J")], [Some("E"); 2]);
}
