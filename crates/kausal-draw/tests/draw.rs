//! Small classes and what they must look like by the rules of the Modelica specification, chapter 18.

use kausal_draw::scene::{Anchor, Group, Item, Shape, Text};
use kausal_draw::{Layer, Request, Scene, svg};
use kausal_model::view::{Instant, View};
use kausal_model::{NoFiles, Workspace};

fn scene_at(text: &str, class: &str, layer: Layer, at: Option<Instant<'_>>) -> Scene {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (_, diagnostics) = workspace.add_source("Test.mo", text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut view = View::new(workspace.classes(), class).expect("the class exists");
    kausal_draw::draw(&mut view, &Request { layer, at, files: &|_, _| None })
}

fn scene(text: &str, class: &str, layer: Layer) -> Scene {
    scene_at(text, class, layer, None)
}

/// All items, those in groups included.
fn flat(items: &[Item]) -> Vec<&Item> {
    items.iter().flat_map(inside).collect()
}

fn inside(item: &Item) -> Vec<&Item> {
    match item {
        Item::Group(g) => flat(&g.items),
        other => vec![other],
    }
}

fn shape(item: &Item) -> Option<&Shape> {
    match item {
        Item::Shape(s) => Some(s),
        _ => None,
    }
}

fn text(item: &Item) -> Option<&Text> {
    match item {
        Item::Text(t) => Some(t),
        _ => None,
    }
}

fn group(item: &Item) -> Option<&Group> {
    match item {
        Item::Group(g) => Some(g),
        _ => None,
    }
}

fn shapes(scene: &Scene) -> Vec<&Shape> {
    flat(&scene.items).into_iter().filter_map(shape).collect()
}

fn texts(scene: &Scene) -> Vec<&Text> {
    flat(&scene.items).into_iter().filter_map(text).collect()
}

fn words(scene: &Scene) -> Vec<String> {
    texts(scene).iter().map(|t| t.lines.join("|")).collect()
}

fn groups(scene: &Scene) -> Vec<&Group> {
    scene.items.iter().filter_map(group).collect()
}

/// The first corner of each shape.
fn corners(scene: &Scene) -> Vec<[f64; 2]> {
    let corner = |s: &&Shape| {
        let p = s.outline[0].points().next().expect("an outline begins somewhere");
        p.map(|x| (x * 1e6).round() / 1e6 + 0.0)
    };
    shapes(scene).iter().map(corner).collect()
}

const LINES: &str = "
package P
  model M annotation(Icon(graphics = {Line(points = {{100, 50}, {0, 0}})})); end M;
  connector C
    annotation(Icon(graphics = {Line(points = {{100, 0}, {0, 0}})}),
      Diagram(graphics = {Line(points = {{0, 100}, {0, 0}})}));
  end C;";

#[test]
fn components_are_scaled_then_turned_then_moved() {
    // Section 18.6.2: (100, 50) goes to (10, 5), turns to (-5, 10), moves to (15, 40); the second is flipped: (-10, 5).
    let text = format!(
        "{LINES}
  model D
    M a annotation(Placement(transformation(extent = {{{{-10, -10}}, {{10, 10}}}}, rotation = 90, origin = {{20, 30}})));
    M b annotation(Placement(transformation(extent = {{{{10, -10}}, {{-10, 10}}}})));
    M unplaced;
    M hidden annotation(Placement(visible = false, transformation(extent = {{{{-10, -10}}, {{10, 10}}}})));
  end D; end P;"
    );
    let scene = scene(&text, "P.D", Layer::Diagram);
    assert_eq!(corners(&scene), [[15.0, 40.0], [-10.0, 5.0]]);
    assert_eq!(groups(&scene).iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn connectors_show_their_icon_in_icons_and_their_diagram_in_diagrams() {
    let text = format!(
        "{LINES}
  model D
    C c annotation(Placement(transformation(extent = {{{{-10, -10}}, {{10, 10}}}}),
      iconTransformation(extent = {{{{80, -20}}, {{120, 20}}}})));
    M m annotation(Placement(transformation(extent = {{{{-10, -10}}, {{10, 10}}}})));
  protected
    C p annotation(Placement(transformation(extent = {{{{-10, -10}}, {{10, 10}}}})));
  end D; end P;"
    );
    assert_eq!(corners(&scene(&text, "P.D", Layer::Icon)), [[120.0, 0.0]]);
    assert_eq!(corners(&scene(&text, "P.D", Layer::Diagram)), [[0.0, 10.0], [10.0, 5.0], [0.0, 10.0]]);
}

#[test]
fn bases_come_first_and_may_be_mapped_or_hidden() {
    // The example of section 18.6.3, with a point of each class.
    let text = "package P
  model C annotation(Icon(graphics = {Line(points = {{3, 0}, {0, 0}})}), Diagram(graphics = {Line(points = {{3, 0}, {0, 0}})})); end C;
  model B extends C annotation(DiagramMap(primitivesVisible = false));
    annotation(Icon(graphics = {Line(points = {{2, 0}, {0, 0}})}), Diagram(graphics = {Line(points = {{100, 0}, {0, 0}})})); end B;
  model A extends B annotation(IconMap(extent = {{-100, -100}, {100, 100}}, primitivesVisible = false),
      DiagramMap(extent = {{-50, -50}, {0, 0}}, primitivesVisible = true));
    annotation(Icon(graphics = {Line(points = {{1, 0}, {0, 0}})}), Diagram(graphics = {Line(points = {{1, 0}, {0, 0}})})); end A;
  model S = B annotation(IconMap(extent = {{0, 0}, {10, 10}}));
end P;";
    assert_eq!(corners(&scene(text, "P.B", Layer::Icon)), [[3.0, 0.0], [2.0, 0.0]]);
    assert_eq!(corners(&scene(text, "P.A", Layer::Icon)), [[1.0, 0.0]]);
    assert_eq!(corners(&scene(text, "P.A", Layer::Diagram)), [[0.0, -25.0], [1.0, 0.0]]);
    assert_eq!(corners(&scene(text, "P.S", Layer::Icon)), [[5.15, 5.0], [5.1, 5.0]]);
}

#[test]
fn coordinate_systems_are_inherited_from_bases_that_are_not_mapped() {
    let text = "package P
  model B annotation(Icon(coordinateSystem(extent = {{-10, -20}, {10, 20}}))); end B;
  model A extends B; end A;
  model M extends B annotation(IconMap(extent = {{0, 0}, {5, 5}})); end M;
end P;";
    assert_eq!(scene(text, "P.A", Layer::Icon).extent, [[-10.0, -20.0], [10.0, 20.0]]);
    assert_eq!(scene(text, "P.A", Layer::Diagram).extent, [[-100.0, -100.0], [100.0, 100.0]]);
    assert_eq!(scene(text, "P.M", Layer::Icon).extent, [[-100.0, -100.0], [100.0, 100.0]]);
}

const MACROS: &str = r#"package P
  type E = enumeration(One, Two);
  record R parameter Real k(unit = "Ohm") = 5; end R;
  model M
    parameter Real t(unit = "s", displayUnit = "ms") = 0.1;
    parameter Real w = 2; parameter Real h = 3; parameter Real wxh = 7;
    parameter E e = E.Two;
    parameter Real free;
    parameter Real v[2](each unit = "m") = {1, 2};
    parameter R r;
    Real x;
    annotation(Icon(graphics = {Text(extent = {{-100, -20}, {100, 20}},
      textString = "%name %class %t %{w}x%{h} %wxh %e 50%% %free %v %{r.k} %nothing")}));
  end M;
  model D
    parameter Real a = 3; Real y;
    M one(t = 0.25, free = 2*a, e = E.One) annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    M two(free = y) annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  end D;
end P;"#;

#[test]
fn macros_stand_for_names_and_values() {
    let scene = scene(MACROS, "P.D", Layer::Diagram);
    assert_eq!(
        words(&scene),
        [
            "one M 250 ms 2x3 7 One 50% 6 {1, 2} m 5 Ω %nothing",
            "two M 100 ms 2x3 7 Two 50% y {1, 2} m 5 Ω %nothing"
        ]
    );
    assert_eq!(scene.notes, ["%nothing in a text of M is no parameter"]);
}

#[test]
fn texts_fit_and_are_never_mirrored_or_upside_down() {
    let text = r#"package P
  model M annotation(Icon(graphics = {Text(extent = {{-100, -10}, {0, 10}}, textString = "WWWW", horizontalAlignment = TextAlignment.Left)})); end M;
  model D
    M flipped annotation(Placement(transformation(extent = {{100, -100}, {-100, 100}})));
    M turned annotation(Placement(transformation(extent = {{-100, -100}, {100, 100}}, rotation = 90)));
    M over annotation(Placement(transformation(extent = {{-100, -100}, {100, 100}}, rotation = 180)));
  end D; end P;"#;
    let scene = scene(text, "P.D", Layer::Diagram);
    let texts = texts(&scene);
    assert_eq!(texts.iter().map(|t| t.angle.round()).collect::<Vec<_>>(), [0.0, 90.0, 0.0]);
    assert_eq!(texts.iter().map(|t| t.anchor).collect::<Vec<_>>(), [Anchor::End, Anchor::Start, Anchor::End]);
    // High enough for one line of 20 mm: 20 / 1.2; four W are wider than 100 mm at 26.5 mm only.
    assert!(texts.iter().all(|t| (t.size - 20.0 / 1.2).abs() < 1e-9), "{texts:?}");
    assert_eq!(texts[0].at, [100.0, 0.0]);
}

#[test]
fn what_does_not_exist_is_grey_in_its_class_and_absent_in_icons() {
    let text = r#"package P
  connector C annotation(Icon(graphics = {Line(points = {{1, 0}, {0, 0}})})); end C;
  model M
    parameter Boolean use = false;
    C c if use annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    annotation(Icon(graphics = {Line(points = {{2, 0}, {0, 0}}), Line(visible = use, points = {{3, 0}, {0, 0}})}));
  end M;
  model D
    M off annotation(Placement(transformation(extent = {{-100, -100}, {100, 100}})));
    M on(use = true) annotation(Placement(transformation(extent = {{-100, -100}, {100, 100}})));
  equation
    connect(off.c, on.c) annotation(Line(points = {{0, 0}, {5, 0}}), Text(string = "%first", index = -1, extent = {{-6, 3}, {-6, 7}}));
  end D;
end P;"#;
    let alone = scene(text, "P.M", Layer::Icon);
    assert!(groups(&alone)[0].disabled);
    let both = scene(text, "P.D", Layer::Diagram);
    assert_eq!(corners(&both), [[2.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.1, 0.0], [0.0, 0.0]]);
    let label = texts(&both)[0];
    // Section 18.6.4: it ends at (-6, 3) + (5, 0) and has 4 units of height.
    assert_eq!((label.lines[0].as_str(), label.anchor, label.at), ("c", Anchor::End, [-1.0, 5.0]));
}

#[test]
fn dynamic_values_come_from_a_result() {
    let text = r#"package P
  model Tank
    parameter Real height = 10; Real level; Boolean overflow;
    annotation(Icon(graphics = {Line(points = DynamicSelect({{1, 0}, {0, 0}}, {{level/height, 0}, {0, 0}}),
      color = DynamicSelect({0, 0, 255}, if overflow then {255, 0, 0} else {0, 0, 255})),
      Text(extent = {{-9, -9}, {9, 9}}, textString = DynamicSelect("none", String(level)))}));
  end Tank;
  model D Tank tank annotation(Placement(transformation(extent = {{-100, -100}, {100, 100}}))); end D;
end P;"#;
    let still = scene(text, "P.D", Layer::Diagram);
    assert_eq!((corners(&still)[0], words(&still)[0].as_str()), ([1.0, 0.0], "none"));
    let values = |name: &str| match name {
        "tank.level" => Some(4.0),
        "tank.overflow" => Some(1.0),
        _ => None,
    };
    let moving = scene_at(text, "P.D", Layer::Diagram, Some(&values));
    assert_eq!(corners(&moving)[0], [0.4, 0.0]);
    assert_eq!(shapes(&moving)[0].stroke.map(|s| s.color), Some([255, 0, 0]));
}

#[test]
fn a_class_cannot_write_into_the_page() {
    let text = r#"model M annotation(Icon(graphics = {Text(extent = {{-9, -9}, {9, 9}},
      textString = "</text><script>x()</script>", fontName = "a\" onload=\"x()")})); end M;"#;
    let out = svg::write(&scene(text, "M", Layer::Icon));
    assert!(!out.contains("<script") && !out.contains("\" onload=\""), "{out}");
}

#[test]
fn broken_annotations_leave_out_what_makes_no_sense() {
    let text = r#"package P
  model M
    M m annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    annotation(Icon(coordinateSystem(extent = {{0, 0}, {0, 0}}), graphics = {Line(points = {{1, 0}}), Line(points = 3),
      Rectangle(extent = {{0, 0}}), Text(extent = {{0, 0}, {1, 1}}), Ellipse(extent = {{0, 0}, {1, 1}}, endAngle = 1e300),
      Blob(extent = {{0, 0}, {1, 1}}), Bitmap(extent = {{0, 0}, {1, 1}}, fileName = "modelica://P/none.png"),
      Line(points = {{1/0, 0}, {0, 0}}), Polygon(points = fill(0, 0, 2)), Line(points = {{1, 1}, {1, 1}}, arrow = {Arrow.Filled, Arrow.Open})}));
  end M;
end P;"#;
    for layer in [Layer::Icon, Layer::Diagram] {
        let scene = scene(text, "P.M", layer);
        assert!(!svg::write(&scene).contains("NaN"));
        assert!(scene.notes.iter().any(|n| n.contains("none.png")), "{:?}", scene.notes);
    }
}

#[test]
fn primitives_as_svg() {
    let text = r#"model All annotation(Icon(coordinateSystem(extent = {{-20, -20}, {20, 20}}), graphics = {
      Line(points = {{-20, 0}, {0, 20}, {20, 0}}, smooth = Smooth.Bezier, arrow = {Arrow.Half, Arrow.Filled}, color = {255, 0, 0}),
      Line(points = {{-20, 0}, {20, 0}}, pattern = LinePattern.DashDot, thickness = 1),
      Polygon(points = {{0, 0}, {5, 0}, {0, 5}}, fillColor = {0, 255, 0}, fillPattern = FillPattern.CrossDiag),
      Rectangle(extent = {{-9, -9}, {9, 9}}, radius = 3, fillColor = {255, 255, 255}, fillPattern = FillPattern.VerticalCylinder, rotation = 45),
      Rectangle(extent = {{-4, -4}, {4, 4}}, borderPattern = BorderPattern.Engraved, pattern = LinePattern.None, fillColor = {9, 9, 9}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-5, -5}, {5, 5}}, startAngle = 0, endAngle = 90, origin = {10, 10}),
      Ellipse(extent = {{-5, -5}, {5, 5}}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Sphere),
      Text(extent = {{-20, -20}, {20, -10}}, textString = "a & b\nc", textStyle = {TextStyle.Bold, TextStyle.UnderLine}, fontSize = 9)}));
      end All;"#;
    insta::assert_snapshot!(svg::write(&scene(text, "All", Layer::Icon)));
}

fn view<T>(text: &str, class: &str, f: impl FnOnce(&mut View<'_>) -> T) -> T {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (_, diagnostics) = workspace.add_source("Test.mo", text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    f(&mut View::new(workspace.classes(), class).expect("the class exists"))
}

#[test]
fn an_element_of_several_bases_has_one_line_in_a_dialog() {
    let text = r#"package P
  partial model A replaceable model M = P.N; parameter Real a = 1 "of A"; end A;
  partial model B extends A; parameter Real b = 2; end B;
  partial model C extends A; replaceable model M = P.N "of C"; parameter Real c = 3; end C;
  model N end N;
  model D extends B; extends C; end D;
  model Top D d; end Top;
end P;"#;
    let dialog = view(text, "P.Top", |v| kausal_draw::dialog::dialog(v, "d")).expect("there is one");
    let paths: Vec<&str> = dialog.entries.iter().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["M", "a", "b", "c"]);
    assert_eq!(
        (dialog.entries[0].description.as_str(), dialog.entries[1].description.as_str()),
        ("of C", "of A")
    );
}

#[test]
fn lines_of_a_dialog_are_in_the_order_of_the_text() {
    let text = "package P
  partial model A parameter Real a = 1; end A;
  partial model B parameter Real b = 2; end B;
  model D parameter Real first = 0; extends A; parameter Real middle = 1; extends B; parameter Real last = 2; end D;
  model Top D d; end Top;
end P;";
    let dialog = view(text, "P.Top", |v| kausal_draw::dialog::dialog(v, "d")).expect("there is one");
    let paths: Vec<&str> = dialog.entries.iter().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["first", "a", "middle", "b", "last"]);
}

#[test]
fn figures_are_read_from_documentation() {
    let text = r#"model M
  Real x, y[2];
  model Base annotation(Documentation(figures = {Figure(title = "inherited", plots = {Plot(curves = {Curve(y = x)})})})); end Base;
  extends Base;
  annotation(Documentation(info = "<html></html>", figures = {
    Figure(title = "second", plots = {Plot(curves = {Curve(y = der(x))})}),
    Figure(title = "first", group = "g", preferred = true, caption = "words", plots = {
      Plot(title = "p", x = Axis(label = "to the right"), y = Axis(unit = "degC"),
        curves = {Curve(x = x, y = y[ 1 ], legend = "l"), Curve(y = time)}), 7}), Nonsense(), 3}));
end M;"#;
    let figures = view(text, "M", kausal_draw::figures::figures);
    let titles: Vec<&str> = figures.iter().map(|f| f.title.as_str()).collect();
    assert_eq!(titles, ["first", "second", "inherited"]);
    let first = &figures[0];
    assert_eq!((first.group.as_str(), first.caption.as_str(), first.plots.len()), ("g", "words", 1));
    let plot = &first.plots[0];
    assert_eq!(
        (plot.title.as_str(), plot.x.label.as_str(), plot.y.unit.as_str()),
        ("p", "to the right", "degC")
    );
    let curves: Vec<(&str, &str, &str)> =
        plot.curves.iter().map(|c| (c.x.as_str(), c.y.as_str(), c.legend.as_str())).collect();
    assert_eq!(curves, [("x", "y[1]", "l"), ("time", "time", "")]);
    assert_eq!(figures[1].plots[0].curves[0].y, "der(x)");
}
