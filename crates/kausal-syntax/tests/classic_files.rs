//! Several files that belong together, and what connect statements become.

mod classic_support;

use std::sync::Arc;

use classic_support::{parse, show};
use kausal_syntax::ast::{ClassBody, EquationKind};
use kausal_syntax::{Ast, Parse, SourceId, Sources, classic, print};

const LIBRARY: &str = "\
model class OnePort
  cut p (Vp / i)  n (Vn / -i)
  main path P <p - n>
  local u, x(3)
end
";

const PARTS: &str = "\
model class (OnePort) Resistor
  parameter R = 1
  R*i = u + x(2)
end
";

const CIRCUIT: &str = "\
model Circuit
  submodel (Resistor) A B
  connect Common - A - \\B - Common
  B.x(3) = 1
end
";

fn parse_all(texts: &[&str]) -> (Sources, Vec<Parse>) {
    let mut sources = Sources::default();
    let files: Vec<_> = texts
        .iter()
        .map(|text| {
            let id = sources.add("test.dym", *text);
            (id, sources.get(id).text.clone())
        })
        .collect();
    (sources, classic::parse_many(&files))
}

fn root_names(ast: &Ast) -> Vec<&'static str> {
    ast.roots.iter().map(|c| ast.classes[*c].name.symbol.as_str()).collect()
}

#[test]
fn order_of_files_does_not_matter() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let texts = order.map(|i| [LIBRARY, PARTS, CIRCUIT][i]);
        let (sources, parses) = parse_all(&texts);
        for parse in &parses {
            assert!(parse.diagnostics.is_empty(), "{}", show(&sources, &parse.diagnostics));
        }
        let of = |i: usize| &parses[order.iter().position(|o| *o == i).unwrap()].ast;
        assert!(print::modelica(of(1)).contains("R*i = u + x[2];"), "an inherited array");
        let circuit = print::modelica(of(2));
        assert!(circuit.contains("B.x[3] = 1;"));
        assert!(circuit.contains("connect(A.n, B.n);") && circuit.contains("connect(Common.A, B.p);"));
    }
}

#[test]
fn generated_classes_are_there_once() {
    let (_, parses) = parse_all(&[CIRCUIT, PARTS, LIBRARY]);
    let names: Vec<_> = parses.iter().map(|p| root_names(&p.ast)).collect();
    assert_eq!(names, [vec!["Cut_1_1", "Common", "Circuit"], vec!["Resistor"], vec!["OnePort"]]);
}

#[test]
fn classes_known_before() {
    let mut known = classic::Interfaces::default();
    let library = classic::parse_with(&mut known, &[(SourceId(0), Arc::from([LIBRARY, PARTS].concat()))]);
    assert_eq!(root_names(&library[0].ast), ["Cut_1_1", "OnePort", "Resistor"]);
    let mut fork = known.clone();
    for known in [&mut known, &mut fork] {
        let user = classic::parse_with(known, &[(SourceId(1), Arc::from(CIRCUIT))]);
        assert!(user[0].diagnostics.is_empty());
        assert_eq!(root_names(&user[0].ast), ["Common", "Circuit"]);
    }
    assert!(classic::parse(SourceId(0), Arc::from(CIRCUIT)).has_errors(), "alone it is not complete");
}

#[test]
fn a_class_of_the_same_file_comes_first() {
    let own = "model class Resistor\n  cut a (V / i) b (W / -i)\n  main path P <a - b>\nend\n";
    let text = [own, CIRCUIT].concat().replace("  B.x(3) = 1\n", "");
    let (_, parses) = parse_all(&[LIBRARY, PARTS, &text]);
    assert!(parses[2].diagnostics.is_empty());
    assert!(print::modelica(&parses[2].ast).contains("connect(A.b, B.b);"));
    let mut known = classic::Interfaces::default();
    classic::parse_with(&mut known, &[(SourceId(0), Arc::from([LIBRARY, PARTS].concat()))]);
    let user = classic::parse_with(&mut known, &[(SourceId(1), text.into())]);
    assert!(print::modelica(&user[0].ast).contains("connect(A.b, B.b);"));
}

#[test]
fn common_can_be_defined() {
    let text = "\
model class Common
  main cut ground (V / i)
  V = 1
end
model M
  submodel (Common) G
  connect Common - G
end
";
    let (sources, parse) = parse(text);
    assert!(parse.diagnostics.is_empty(), "{}", show(&sources, &parse.diagnostics));
    assert_eq!(root_names(&parse.ast), ["Cut_1_1", "Common", "M"]);
    let printed = print::modelica(&parse.ast);
    // The implicit instance hides the class, so both are declared with its global name.
    assert!(printed.contains("  .Common G;\n  .Common Common;\n"), "{printed}");
    assert!(printed.contains("connect(Common.ground, G.ground);"));
}

/// The connect equations of a model with components A, B, C, D (from cut p to n), a ground G, nodes M, N and
/// the own cuts P, Q.
fn connects(statements: &str) -> Vec<String> {
    let text = format!(
        "{LIBRARY}model class Ground\n  main cut g (V / i)\n  V = 0\nend\n\
         model T\n  submodel (OnePort) A B C D\n  submodel (Ground) G\n  node M N\n\
         cut P (VP / iP) Q (VQ / -iQ)\n  path R <P - Q>\n{statements}\nend\n"
    );
    let (sources, parse) = parse(&text);
    assert!(parse.diagnostics.is_empty(), "{}", show(&sources, &parse.diagnostics));
    let ast = &parse.ast;
    let class = &ast.classes[*ast.roots.last().unwrap()];
    let ClassBody::Long(body) = &class.body else { panic!("a long class") };
    let name = |r: &kausal_syntax::ast::ComponentRef| {
        let parts = ast.lists.parts.get(r.parts).iter();
        parts.map(|p| p.name.symbol.as_str()).collect::<Vec<_>>().join(".")
    };
    body.equations
        .iter()
        .flat_map(|section| &section.equations)
        .filter_map(|equation| match &equation.kind {
            EquationKind::Connect(a, b) => Some(format!("{} {}", name(a), name(b))),
            _ => None,
        })
        .collect()
}

#[test]
fn series() {
    assert_eq!(connects("connect A - B - C"), ["A.n B.p", "B.n C.p"]);
    assert_eq!(connects("connect A - (B - C)"), ["A.n B.p", "B.n C.p"]);
    assert_eq!(connects("connect G - A - G"), ["G.g A.p", "G.g A.n"]);
}

#[test]
fn parallel() {
    assert_eq!(connects("connect A // B"), ["A.p B.p", "A.n B.n"]);
    assert_eq!(connects("connect A - (B // C) - D"), ["A.n B.p", "A.n C.p", "B.n C.n", "B.n D.p"]);
    assert_eq!(connects("connect (A - B) // C"), ["A.n B.p", "A.p C.p", "B.n C.n"]);
}

#[test]
fn reversed() {
    assert_eq!(connects("connect A - \\B"), ["A.n B.n"]);
    assert_eq!(connects("connect \\(A - B) - C"), ["A.n B.p", "A.p C.p"]);
    assert_eq!(connects("connect A // \\B"), ["A.n B.p", "A.p B.n"]);
    assert_eq!(connects("connect \\\\A - B"), ["A.n B.p"]);
}

#[test]
fn nodes() {
    assert_eq!(connects("connect A - N - B"), ["A.n B.p"]);
    assert_eq!(connects("connect A - N\nconnect N - B\nconnect N - C"), ["A.n B.p", "A.n C.p"]);
    // Two nodes become one through a third statement, before any cut is there.
    assert_eq!(connects("connect M - N\nconnect A - M\nconnect N - B"), ["A.n B.p"]);
    assert!(connects("connect A - N").is_empty());
    assert!(connects("connect M - N - M").is_empty());
}

#[test]
fn at() {
    assert_eq!(connects("connect A.n at B.n"), ["A.n B.n"]);
    assert_eq!(connects("connect A.n at B.n at G"), ["A.n B.n", "A.n G.g"]);
    assert_eq!(connects("connect A.n at N; connect N at B.p"), ["A.n B.p"]);
    assert_eq!(connects("connect A.P - B.P"), ["A.n B.p"]);
}

#[test]
fn own_cuts() {
    assert_eq!(connects("connect P - A - Q"), ["P A.p", "A.n Q"]);
    assert_eq!(connects("connect R // A"), ["P A.p", "Q A.n"]);
    assert_eq!(connects("connect A // B\nconnect A // B\nconnect A.p at B.p"), ["A.p B.p", "A.n B.n"]);
}

/// However the statements are ordered and split, the same cuts meet.
#[test]
fn what_meets_does_not_depend_on_the_way_it_is_said() {
    let meeting = |statements: &str| {
        let mut sets: Vec<Vec<String>> = Vec::new();
        for pair in connects(statements) {
            let (a, b) = pair.split_once(' ').unwrap();
            match sets.iter_mut().find(|set| set[0] == a) {
                Some(set) => set.push(b.to_owned()),
                None => sets.push(vec![a.to_owned(), b.to_owned()]),
            }
        }
        sets.iter_mut().for_each(|set| set.sort());
        sets.sort();
        sets
    };
    let once = meeting("connect G - A - (B // (C - D)) - G");
    assert_eq!(once, meeting("connect C.n at D.p\nconnect D - G - A - B - G\nconnect A - C"));
    assert_eq!(once, meeting("connect A - M - B - N; connect M - C - D - N; connect N - G - A"));
    assert_eq!(once, meeting("connect G - \\(\\(B // (C - D)) - \\A) - G"));
}
