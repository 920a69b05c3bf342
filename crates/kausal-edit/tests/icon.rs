//! Shapes in the icon of a class: drawn, changed and taken away in the smallest piece of the text.

use kausal_edit::{Edit, Graphic, Source, apply, edit, graphics, invert};

const FILTER: &str = "block Filter \"of first order\"
  parameter Real T = 1;
  annotation (
    Icon(coordinateSystem(preserveAspectRatio=true), graphics={  // seen in diagrams
        Rectangle( extent={{-80,60},{ 80,-60}} , lineColor={0,0,127}),
        Line(points={{-60,-40},{0,30},{60,30}}, color={255,0,0}), /* the answer */
        Text(extent={{-100,100},{100,70}}, textString=\"%name\", origin={0,5})}),
    Documentation(info=\"<p>low pass</p>\"));
end Filter;
";

fn done(text: &str, class: &str, edits: &[Edit]) -> String {
    let outcome = edit(text, class, edits).unwrap_or_else(|e| panic!("{edits:?}: {e}"));
    assert_eq!(apply(text, &outcome.changes), outcome.text);
    assert_eq!(apply(&outcome.text, &invert(text, &outcome.changes)), text);
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), outcome.text.as_str().into());
    assert!(!parse.has_errors(), "{:?}\n{}", parse.diagnostics, outcome.text);
    outcome.text
}

fn draw(shape: &str) -> Edit {
    Edit::Draw { shape: shape.into() }
}

fn restyle(shape: usize, attribute: &str, value: &str) -> Edit {
    Edit::Restyle { shape, attribute: attribute.into(), value: value.into() }
}

fn shapes(text: &str, class: &str) -> Vec<Graphic> {
    graphics(&Source::new(text), class)
}

#[test]
fn shapes_are_read() {
    let all = shapes(FILTER, "Filter");
    let kinds: Vec<&str> = all.iter().map(|g| g.kind.as_str()).collect();
    assert_eq!(kinds, ["Rectangle", "Line", "Text"]);
    assert_eq!(all[0].extent, Some([[-80.0, 60.0], [80.0, -60.0]]));
    assert_eq!((all[0].line, all[0].is_filled), (Some([0, 0, 127]), false));
    assert_eq!(all[1].points.as_ref().map(Vec::len), Some(3));
    assert_eq!(all[1].line, Some([255, 0, 0]));
    assert_eq!((all[2].text.as_deref(), all[2].origin), (Some("%name"), [0.0, 5.0]));
}

#[test]
fn a_shape_is_drawn_above_the_others() {
    let new = "Ellipse(extent={{-10,10},{10,-10}})";
    let last = "origin={0,5})";
    assert_eq!(
        done(FILTER, "Filter", &[draw(new)]),
        FILTER.replacen(last, &format!("{last},\n        {new}"), 1)
    );
    // Two at once, and where nothing was.
    let empty = "model M\n  Real x; // x\nend M;\n";
    let two = done(empty, "M", &[draw(new), draw("Line(points={{0,0},{1,1}})")]);
    let icon = format!("  annotation(Icon(graphics={{{new}, Line(points={{{{0,0}},{{1,1}}}})}}));\n");
    assert_eq!(two, empty.replacen("end M", &format!("{icon}end M"), 1));
    let some =
        "model M\n  annotation(Icon(coordinateSystem(preserveAspectRatio=true)), Diagram());\nend M;\n";
    let drawn = done(some, "M", &[draw(new)]);
    assert_eq!(drawn, some.replacen("=true)", &format!("=true), graphics={{{new}}}"), 1));
}

#[test]
fn corners_and_looks_change_where_they_stand() {
    let moved = Edit::Reshape { shape: 0, points: vec![[-80.0, 60.0], [90.0, -60.0]] };
    assert_eq!(done(FILTER, "Filter", &[moved]), FILTER.replacen("{ 80,-60}", "{ 90,-60}", 1));
    let shorter = Edit::Reshape { shape: 1, points: vec![[-60.0, -40.0], [60.0, 30.0]] };
    assert_eq!(
        done(FILTER, "Filter", &[shorter]),
        FILTER.replacen("{{-60,-40},{0,30},{60,30}}", "{{-60,-40},{60,30}}", 1)
    );
    assert_eq!(
        done(FILTER, "Filter", &[restyle(0, "lineColor", "{0,128,0}")]),
        FILTER.replacen("{0,0,127}", "{0,128,0}", 1)
    );
    assert_eq!(
        done(FILTER, "Filter", &[restyle(2, "textColor", "{0,0,0}")]),
        FILTER.replacen("origin={0,5}", "origin={0,5}, textColor={0,0,0}", 1)
    );
}

#[test]
fn a_shape_is_taken_away_with_its_comma() {
    let erase = |shape| Edit::Erase { shape };
    let first = done(FILTER, "Filter", &[erase(0)]);
    assert_eq!(shapes(&first, "Filter").len(), 2);
    assert!(first.contains("// seen in diagrams\n        Line(") && first.contains("/* the answer */"));
    let all = done(FILTER, "Filter", &[erase(2), erase(1), erase(0)]);
    assert!(shapes(&all, "Filter").is_empty() && all.contains("Documentation(info="), "{all}");
    let only = "model M\n  annotation(Icon(graphics={Line(points={{0,0},{1,1}})}));\nend M;\n";
    assert_eq!(done(only, "M", &[erase(0)]), "model M\n  annotation(Icon);\nend M;\n");
}

#[test]
fn what_is_no_shape_is_refused() {
    for wrong in [draw("Rectangle("), draw(""), Edit::Erase { shape: 3 }, restyle(0, "lineColor", "{0,")] {
        assert!(edit(FILTER, "Filter", std::slice::from_ref(&wrong)).is_err(), "{wrong:?}");
    }
    assert!(edit(FILTER, "Filter", &[Edit::Reshape { shape: 0, points: vec![[0.0, 0.0]] }]).is_err());
    let computed = "model M\n  annotation(Icon(graphics=shapes));\nend M;\n";
    assert!(edit(computed, "M", &[draw("Line(points={{0,0},{1,1}})")]).is_err());
}
