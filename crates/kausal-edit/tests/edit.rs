//! Edits of files with comments and odd layout: exactly what is meant changes, and the tree of the new text says what was asked.

use kausal_edit::{Axis, Edit, LayerName, Outcome, Source, apply, edit, invert, outline};
use proptest::prelude::*;

const ODD: &str = "within A.B; // top
/* before */ model Odd \"what it is\"
  extends  Base ( k = 3 /* three */ );   // base
    Lib.Resistor   R1( R =100 , // ohm
       T=20) annotation (Placement(transformation(extent={{-40,10},{ -20 , 30}})));
\tLib.Capacitor C1, C2(C=1e-6) \"two of them\" annotation(Placement(transformation(extent={{-10,-10},{10,10}},
        rotation=90, origin={50,20}))); Lib.Ground G;

protected
  parameter Real  p = R1.R  ;
equation

  connect( R1.p ,C1.n) annotation (Line(
      points={{-20,20},{0,20},{0,0},{50,0},{50,10}},  // corner
      color={0,0,255}));
  connect(R1.n, G.p); /* no line */
  p = C1.C;
  annotation(Icon(graphics={Text(textString=\"R1\")})); // end
end Odd;
";

const CLASS: &str = "A.B.Odd";

fn done(edits: &[Edit]) -> Outcome {
    let outcome = edit(ODD, CLASS, edits).unwrap_or_else(|e| panic!("{edits:?}: {e}"));
    assert_eq!(apply(ODD, &outcome.changes), outcome.text);
    assert_eq!(apply(&outcome.text, &invert(ODD, &outcome.changes)), ODD);
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), outcome.text.as_str().into());
    assert!(!parse.has_errors(), "{:?}\n{}", parse.diagnostics, outcome.text);
    outcome
}

/// The edit does the same as replacing these texts, each of which is there once.
fn check(edits: &[Edit], replacements: &[(&str, &str)]) {
    let mut expected = ODD.to_owned();
    for (old, new) in replacements {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replacen(old, new, 1);
    }
    assert_eq!(done(edits).text, expected);
}

fn set(component: &str, path: &str, value: Option<&str>) -> Edit {
    Edit::Set {
        component: component.into(),
        path: path.into(),
        value: value.map(str::to_owned),
        is_final: false,
        base: None,
    }
}

fn shift(component: &str, by: [f64; 2]) -> Edit {
    Edit::Move { component: component.into(), by }
}

#[test]
fn values_stand_where_they_stood() {
    check(&[set("R1", "R", Some("2*p"))], &[("R =100", "R =2*p")]);
    check(&[set("", "p", Some("7"))], &[("p = R1.R", "p = 7")]);
    check(&[set("", "k", Some("4"))], &[("k = 3", "k = 4")]);
    check(&[set("C1", "C", Some("1"))], &[("Capacitor C1,", "Capacitor C1(C=1),")]);
    check(&[set("C2", "v.start", Some("5"))], &[("(C=1e-6)", "(C=1e-6, v.start=5)")]);
    check(&[set("R1", "u.start", Some("5"))], &[("T=20)", "T=20, u.start=5)")]);
    check(&[set("", "p.min", Some("0"))], &[("Real  p =", "Real  p(min=0) =")]);
    check(&[set("G", "x.y", Some("1")), set("G", "z", Some("2"))], &[("Ground G;", "Ground G(x.y=1, z=2);")]);
}

#[test]
fn values_go_with_what_is_empty_then() {
    check(&[set("C2", "C", None)], &[("C2(C=1e-6)", "C2")]);
    check(&[set("R1", "T", None)], &[("R =100 , // ohm\n       T=20", "R =100")]);
    check(&[set("R1", "R", None)], &[(" R =100 , // ohm\n       T=20", " T=20")]);
    check(&[set("R1", "nothing", None)], &[]);
    check(&[set("", "k", None)], &[("Base ( k = 3 /* three */ )", "Base ")]);
    check(&[set("", "p", None)], &[("p = R1.R  ;", "p  ;")]);
}

#[test]
fn what_is_no_expression_is_refused() {
    for value in ["", "1;", "1) x(", "1 \"text\"", "1, b=2", "1 annotation(x=1)", "1 if true", "// no", "end"]
    {
        assert!(edit(ODD, CLASS, &[set("R1", "R", Some(value))]).is_err(), "{value}");
    }
    for value in
        ["1", "a.b[3]", "{1,2}", "if p > 1 then 2 else 3", "f(x=1)", "-1e3", "\"text\"", "(1)", "x /* c */"]
    {
        assert!(edit(ODD, CLASS, &[set("R1", "R", Some(value))]).is_ok(), "{value}");
    }
}

/// A comment to the end of its line does not take along what is written behind it.
#[test]
fn comments_end_with_their_line() {
    let add = |modifiers: &str| Edit::Add {
        type_name: "Lib.Resistor".into(),
        name: Some("R2".into()),
        stem: None,
        center: Some([0.0, 0.0]),
        size: None,
        rotation: None,
        modifiers: Some(modifiers.into()),
        prefix: None,
    };
    let text = done(&[add("R=20 // ohms")]).text;
    assert!(text.contains("R2(R=20 // ohms\n) annotation("), "{text}");
    assert!(done(&[add("R=20 /* ohms */")]).text.contains("R2(R=20 /* ohms */) annotation("));
    let text = done(&[set("R1", "T", Some("20 // kelvin"))]).text;
    assert!(text.contains("T=20 // kelvin\n) annotation"), "{text}");
    done(&[set("C1", "C", Some("1 // farad"))]);
    done(&[Edit::Duplicate { component: "R1".into(), by: [5.0, 5.0], name: Some("R3".into()) }]);
}

#[test]
fn components_move_by_their_digits_and_lines_follow() {
    check(
        &[shift("R1", [10.0, 0.0])],
        &[("{{-40,10},{ -20 , 30}}", "{{-30,10},{ -10 , 30}}"), ("{{-20,20},{0,20}", "{{-10,20},{0,20}")],
    );
    // An origin is moved, the extent stays; the last corner of the line keeps its piece vertical.
    check(&[shift("C2", [0.0, 5.0])], &[("origin={50,20}", "origin={50,25}")]);
    // Both ends: the whole line.
    let text = done(&[shift("R1", [10.0, 10.0])]).text;
    assert!(text.contains("points={{-10,30},{0,30},{0,0},{50,0},{50,10}}"), "{text}");
}

#[test]
fn components_turn_around_their_middle() {
    let turned = done(&[Edit::Rotate { component: "R1".into(), by: 90.0 }]).text;
    assert!(turned.contains("{{-10,-10},{ 10 , 10}}, rotation=90, origin={-30,20}"), "{turned}");
    check(&[Edit::Rotate { component: "C2".into(), by: 90.0 }], &[("rotation=90", "rotation=180")]);
    let back = Edit::Rotate { component: "C2".into(), by: -90.0 };
    check(&[back], &[("rotation=90", "rotation=0")]);
    // A quarter turned: left and right of the picture are top and bottom of the component.
    let flip = Edit::Flip { component: "C2".into(), axis: Axis::X };
    check(&[flip], &[("extent={{-10,-10},{10,10}}", "extent={{-10,10},{10,-10}}")]);
    let flip = Edit::Flip { component: "R1".into(), axis: Axis::X };
    let text = done(&[flip]).text;
    assert!(text.contains("{{-20,10},{ -40 , 30}}") && text.contains("points={{-40,20},{0,20}"), "{text}");
}

#[test]
fn components_come_and_go() {
    let add = Edit::Add {
        type_name: "Lib.Resistor".into(),
        name: None,
        stem: None,
        center: Some([0.0, 50.0]),
        size: None,
        rotation: None,
        modifiers: None,
        prefix: None,
    };
    let line = "Lib.Ground G;\n\tLib.Resistor resistor annotation(Placement(transformation(extent={{-10,40},{10,60}})));";
    let second = line.replace("resistor annotation", "resistor1 annotation");
    let two = format!("{line}{}", &second["Lib.Ground G;".len()..]);
    // `G` does not begin its line: two blanks more than the class.
    let outcome = done(&[add.clone(), add]);
    assert_eq!(outcome.names, ["resistor", "resistor1"]);
    assert_eq!(outcome.text, ODD.replace("Lib.Ground G;", &two.replace("\n\t", "\n  ")));
    let gone = |name: &str| Edit::Delete { component: name.into() };
    // The comment behind it stays where it is.
    check(&[gone("G")], &[("; Lib.Ground G;", ";"), ("connect(R1.n, G.p);", "")]);
    let text = done(&[gone("C1")]).text;
    assert!(
        text.contains("\tLib.Capacitor C2(C=1e-6) \"two of them\"") && !text.contains("connect( R1.p"),
        "{text}"
    );
    let text = done(&[gone("C1"), gone("C2"), gone("R1"), gone("G")]).text;
    assert!(!text.contains("connect") && text.contains("// end") && text.contains("/* no line */"), "{text}");
}

#[test]
fn names_change_wherever_the_class_uses_them() {
    let rename = Edit::Rename { component: "R1".into(), name: "load".into() };
    check(
        &[rename],
        &[
            ("Resistor   R1(", "Resistor   load("),
            ("R1.R", "load.R"),
            ("connect( R1.p", "connect( load.p"),
            ("connect(R1.n", "connect(load.n"),
        ],
    );
    for name in ["C1", "model", "1x", "a b", "", "Odd"] {
        let rename = Edit::Rename { component: "R1".into(), name: name.into() };
        assert!(edit(ODD, CLASS, &[rename]).is_err(), "{name}");
    }
    let copy = Edit::Duplicate { component: "C2".into(), by: [10.0, 0.0], name: None };
    let outcome = done(&[copy]);
    assert_eq!(outcome.names, ["C3"]);
    let line = "  Lib.Capacitor C3(C=1e-6) \"two of them\" annotation(Placement(transformation(extent={{-10,-10},{10,10}},\n        rotation=90, origin={60,20})));";
    assert_eq!(outcome.text, ODD.replace("Lib.Ground G;", &format!("Lib.Ground G;\n{line}")));
}

#[test]
fn connections_come_go_and_bend() {
    let connect = Edit::Connect {
        a: "C2.p".into(),
        b: "G.p".into(),
        points: Some(vec![[0.0, 0.0], [0.5, 10.0]]),
        color: Some([0, 0, 255]),
    };
    check(
        &[connect],
        &[(
            "  p = C1.C;\n",
            "  p = C1.C;\n  connect(C2.p, G.p) annotation(Line(points={{0,0},{0.5,10}}, color={0,0,255}));\n",
        )],
    );
    let gone = Edit::Disconnect { connection: "R1.n G.p".into() };
    check(&[gone], &[("connect(R1.n, G.p);", "")]);
    let bent = Edit::Reroute {
        connection: "R1.p C1.n".into(),
        points: vec![[-20.0, 20.0], [5.0, 20.0], [5.0, 0.0], [50.0, 0.0], [50.0, 10.0]],
    };
    check(&[bent], &[("{0,20},{0,0}", "{5,20},{5,0}")]);
    let line = Edit::Reroute { connection: "R1.n G.p".into(), points: vec![[1.0, 2.0], [3.0, 2.0]] };
    check(&[line], &[("connect(R1.n, G.p);", "connect(R1.n, G.p) annotation(Line(points={{1,2},{3,2}}));")]);
    for end in ["", "a b", "x);end Odd;", "1"] {
        let wrong = Edit::Connect { a: end.into(), b: "G.p".into(), points: None, color: None };
        assert!(edit(ODD, CLASS, &[wrong]).is_err(), "{end}");
    }
}

#[test]
fn what_is_said_about_things() {
    let say =
        |component: &str, text: &str| Edit::Description { component: component.into(), text: text.into() };
    check(&[say("", "a \"b\"")], &[("\"what it is\"", "\"a \\\"b\\\"\"")]);
    check(&[say("G", "earth")], &[("Ground G;", "Ground G \"earth\";")]);
    check(&[say("C2", "")], &[(" \"two of them\"", "")]);
    let stop = Edit::Experiment { start_time: None, stop_time: Some(10.0), tolerance: None, interval: None };
    check(&[stop], &[("\"R1\")})); // end", "\"R1\")}), experiment(StopTime=10)); // end")]);
    let dims = Edit::Dimensions { component: "G".into(), dimensions: "[3]".into() };
    check(&[dims], &[("Ground G;", "Ground G[3];")]);
    let parameter = Edit::Parameter {
        name: "R".into(),
        type_name: "Real".into(),
        value: Some("1".into()),
        unit: Some("Ohm".into()),
        display_unit: None,
        description: Some("resistance".into()),
        min: Some("0".into()),
        max: None,
        group: Some("Main".into()),
        tab: None,
    };
    let text = "   // base\n  parameter Real R(unit=\"Ohm\", min=0)=1 \"resistance\" annotation(Dialog(group=\"Main\"));\n";
    check(&[parameter], &[("   // base\n", text)]);
    let medium = Edit::Redeclare {
        component: "C1".into(),
        name: "Medium".into(),
        type_name: Some("Lib.Air".into()),
        kind: Some("package".into()),
        base: None,
    };
    check(&[medium], &[("Capacitor C1,", "Capacitor C1(redeclare package Medium=Lib.Air),")]);
}

#[test]
fn an_empty_model_is_filled() {
    let add = |name: &str| Edit::Add {
        type_name: "Lib.R".into(),
        name: Some(name.into()),
        stem: None,
        center: None,
        size: None,
        rotation: None,
        modifiers: Some("R=1".into()),
        prefix: None,
    };
    let connect = |a: &str, b: &str| Edit::Connect { a: a.into(), b: b.into(), points: None, color: None };
    let edits = [add("a"), add("b"), connect("a.p", "b.n"), connect("a.n", "b.p")];
    let text = edit("model M\nend M;\n", "M", &edits).unwrap().text;
    let filled = "model M\n  Lib.R a(R=1);\n  Lib.R b(R=1);\nequation\n  connect(a.p, b.n);\n  connect(a.n, b.p);\nend M;\n";
    assert_eq!(text, filled);
    for one in
        ["model M end M;", "model M \"x\" end M;", "package P model M end M; end P;", "model M\r\nend M;"]
    {
        let class = if one.starts_with("package") { "P.M" } else { "M" };
        let text = edit(one, class, &edits).unwrap().text;
        let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
        assert!(!parse.has_errors(), "{text}");
        let outline = outline(&Source::new(&text), class).unwrap();
        assert_eq!((outline.components.len(), outline.connections.len()), (2, 2), "{text}");
        assert_eq!(text.contains('\r'), one.contains('\r'));
    }
}

#[test]
fn what_parts_do_not_say_stays_the_same() {
    let rest = |text: &str| outline(&Source::new(text), "M").unwrap().rest;
    let empty = rest("model M\nend M;\n");
    assert_eq!(rest("model M\n  Real x;\nend M;\n"), empty);
    assert_eq!(rest("model M\n  R a, b;\nequation\n  connect(a.p, b.n);\nend M;\n"), empty);
    assert_ne!(rest("model M\n  extends A;\nend M;\n"), empty);
    assert_ne!(rest("model M \"x\"\nend M;\n"), empty);
}

#[test]
fn icons_have_places_of_their_own() {
    let place = Edit::Place {
        component: "R1".into(),
        center: Some([0.0, 0.0]),
        extent: None,
        rotation: None,
        flip_x: None,
        flip_y: None,
        layer: LayerName::Icon,
    };
    check(
        &[place],
        &[("{ -20 , 30}})));", "{ -20 , 30}}), iconTransformation(extent={{-10,-10},{10,10}})));")],
    );
}

#[test]
fn a_list_of_edits_is_all_or_nothing() {
    let wrong = [shift("R1", [1.0, 1.0]), shift("nobody", [1.0, 1.0])];
    assert!(edit(ODD, CLASS, &wrong).is_err());
    assert!(edit(ODD, "A.B.Other", &[]).is_ok_and(|o| o.changes.is_empty()));
    assert!(edit(ODD, "Odd", &[shift("R1", [1.0, 1.0])]).is_err());
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let name = prop::sample::select(vec!["R1", "C1", "C2", "G"]);
    let step = || (-4i32..5).prop_map(|k| f64::from(k) * 5.0);
    prop_oneof![
        (name.clone(), step(), step()).prop_map(|(c, x, y)| shift(c, [x, y])),
        (name.clone(), prop::sample::select(vec![90.0, -90.0, 180.0]))
            .prop_map(|(c, by)| Edit::Rotate { component: c.into(), by }),
        (name.clone(), any::<bool>())
            .prop_map(|(c, x)| Edit::Flip { component: c.into(), axis: if x { Axis::X } else { Axis::Y } }),
        (name.clone(), prop::sample::select(vec!["R", "T", "C", "v.start"]), prop::option::of(0..9u8))
            .prop_map(|(c, path, v)| set(c, path, v.map(|v| v.to_string()).as_deref())),
        name.clone().prop_map(|c| Edit::Delete { component: c.into() }),
        (name.clone(), step()).prop_map(|(c, x)| Edit::Duplicate {
            component: c.into(),
            by: [x, 0.0],
            name: None
        }),
        (name.clone(), name).prop_map(|(a, b)| Edit::Connect {
            a: format!("{a}.p"),
            b: format!("{b}.n"),
            points: Some(vec![[0.0, 0.0], [10.0, 0.0]]),
            color: None,
        }),
        Just(Edit::Disconnect { connection: "R1.n G.p".into() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done: comments stay, the text parses, changes can be taken back, and what nobody named looks as before.
    #[test]
    fn random_edits_touch_only_what_they_mean(edits in prop::collection::vec(any_edit(), 1..8)) {
        let mut text = ODD.to_owned();
        for one in &edits {
            let Ok(outcome) = edit(&text, CLASS, std::slice::from_ref(one)) else { continue };
            prop_assert_eq!(&apply(&text, &outcome.changes), &outcome.text);
            prop_assert_eq!(&apply(&outcome.text, &invert(&text, &outcome.changes)), &text);
            let before = outline(&Source::new(&text), CLASS).unwrap();
            let after = outline(&Source::new(&outcome.text), CLASS).unwrap();
            let named: Vec<&str> = match one {
                Edit::Move { component, .. } | Edit::Rotate { component, .. } | Edit::Flip { component, .. }
                | Edit::Set { component, .. } | Edit::Delete { component } => vec![component],
                _ => vec![],
            };
            for part in before.components.iter().filter(|p| !named.contains(&p.name.as_str())) {
                let same = after.components.iter().find(|p| p.name == part.name);
                prop_assert!(same.is_some_and(|p| p.placed == part.placed), "{} in\n{}", part.name, outcome.text);
                // Of a declaration of several, the others look the same.
                prop_assert!(same.is_some_and(|p| p.looks == part.looks), "{} in\n{}", part.name, outcome.text);
            }
            let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), outcome.text.as_str().into());
            prop_assert!(!parse.has_errors(), "{}", outcome.text);
            text = outcome.text;
        }
        for comment in ["// top", "/* before */", "// base", "// end", "/* no line */"] {
            prop_assert!(text.contains(comment), "{} in\n{}", comment, text);
        }
    }

    /// A list of edits does what the same edits do one after the other.
    #[test]
    fn a_list_is_its_edits_one_by_one(edits in prop::collection::vec(any_edit(), 2..6)) {
        let mut text = ODD.to_owned();
        let mut all = true;
        for one in &edits {
            match edit(&text, CLASS, std::slice::from_ref(one)) {
                Ok(outcome) => text = outcome.text,
                Err(_) => all = false,
            }
        }
        if let (true, Ok(outcome)) = (all, edit(ODD, CLASS, &edits)) {
            let shape = |text: &str| {
                let o = outline(&Source::new(text), CLASS).unwrap();
                let parts: Vec<_> = o.components.iter().map(|p| (p.name.clone(), p.placed)).collect();
                let lines: Vec<_> = o.connections.iter().map(|c| c.id.clone()).collect();
                (parts, lines)
            };
            prop_assert_eq!(shape(&outcome.text), shape(&text), "{}\n---\n{}", outcome.text, text);
        }
    }
}

#[test]
fn two_thousand_components_are_moved_at_once() {
    let mut text = "model Large\n".to_owned();
    for i in 0..2000 {
        let (x, y) = (i % 50 * 30, i / 50 * 30);
        text.push_str(&format!(
            "  Lib.R r{i}(R={i}) annotation(Placement(transformation(extent={{{{{x},{y}}},{{{},{}}}}})));\n",
            x + 20,
            y + 20
        ));
    }
    text.push_str("equation\n");
    for i in 0..3000 {
        let (a, b) = (i % 2000, (i * 7 + 1) % 2000);
        text.push_str(&format!(
            "  connect(r{a}.p, r{b}.n) annotation(Line(points={{{{0,0}},{{{i},0}},{{{i},9}}}}));\n"
        ));
    }
    text.push_str("end Large;\n");
    let all: Vec<Edit> = (0..2000).map(|i| shift(&format!("r{i}"), [10.0, 0.0])).collect();
    let start = std::time::Instant::now();
    let moved = edit(&text, "Large", &all).unwrap();
    println!("{} changes in {:?}", moved.changes.len(), start.elapsed());
    let one = std::time::Instant::now();
    edit(&moved.text, "Large", &[shift("r77", [0.0, 10.0])]).unwrap();
    println!("one in {:?}", one.elapsed());
    let gone: Vec<Edit> = (0..2000).map(|i| Edit::Delete { component: format!("r{i}") }).collect();
    let two = std::time::Instant::now();
    assert_eq!(edit(&text, "Large", &gone).unwrap().text, "model Large\nequation\nend Large;\n");
    println!("all deleted in {:?}", two.elapsed());
    // What an edit takes is 20 to 30 ms on two cores of a laptop; a hundred times that is a square somewhere.
    assert!(start.elapsed().as_secs() < 5);
}
