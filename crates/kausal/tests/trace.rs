//! `docs/trace.md` is what one small model becomes, from text to curve. `KAUSAL_TRACE=write` writes the page anew.

use std::fmt::Write;
use std::path::Path;

use kausal::Model;
use kausal_translate::{Options, passes};

/// Two components, a loop, a state, an alias and an event.
const TEXT: &str = "model Charger \"A capacitor is charged to nine tenths, then discharged\"
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Source
    Pin p;
    parameter Real V = 10;
    Boolean full(start = false, fixed = true);
  equation
    when p.v > 0.9*V then
      full = true;
    end when;
    p.i = (p.v - (if full then 0 else V))/100;
  end Source;
  model Capacitor
    Pin p;
    parameter Real C = 1e-3;
    Real v(start = 0, fixed = true);
  equation
    v = p.v;
    C*der(v) = p.i;
  end Capacitor;
  Source source;
  Capacitor capacitor;
equation
  connect(source.p, capacitor.p);
  annotation (experiment(StopTime = 1, Interval = 0.1, Tolerance = 1e-8));
end Charger;
";

/// A stage with its data and what it does.
fn stage(page: &mut String, title: &str, words: &str, language: &str, text: &str) {
    let _ = write!(page, "\n## {title}\n\n{words}\n\n```{language}\n{}\n```\n", text.trim_end());
}

fn page() -> String {
    let mut page = "# One model, from text to curve\n\nWritten by `KAUSAL_TRACE=write cargo test --release -p kausal --test trace`, \
        which also checks that it is true.\n"
        .to_owned();
    let model = Model::from_text(TEXT).expect("a correct model");
    let (flat, program) = (model.flat(), model.program().expect("a program"));
    let after = |pass: &str| passes::after(pass, flat, &Options::default()).expect("a pass");
    stage(
        &mut page,
        "Text",
        "What the user writes (`kausal-syntax` makes an `Ast` of it).",
        "modelica",
        TEXT,
    );
    stage(
        &mut page,
        "`FlatModel`",
        "`kausal-model`: components are gone, connections are equations. `kausal flatten` prints this.",
        "modelica",
        &kausal_model::print_flat(flat),
    );
    stage(
        &mut page,
        "After `prepare::lift`",
        "What is no formula is a variable: the relation that causes an event has a memory, `when` an equation of its own.",
        "text",
        &after("lift"),
    );
    stage(&mut page, "After `prepare::alias`", "Trivial equations have left.", "text", &after("alias"));
    stage(&mut page, "After `reduce::index`", "Which variables are states.", "text", &after("index"));
    stage(
        &mut page,
        "`Program`, dynamics",
        "`blocks` and `sections`: what is computed from states and time, in order (`translate --listing` shows all sections).",
        "text",
        &after("dynamics"),
    );
    stage(&mut page, "`Program`, events", "What an event computes anew.", "text", &after("discrete"));
    stage(
        &mut page,
        "Listing",
        "The same program as the papers print it.",
        "text",
        &kausal_codegen::listing::write(program),
    );
    let solution = model.simulate().expect("a run");
    let mut curve = String::from("   time  capacitor.v  source.full\n");
    for (k, time) in solution.time().iter().enumerate() {
        let _ = writeln!(
            curve,
            "{time:7.4}  {:11.6}  {:11}",
            solution["capacitor.v"][k], solution["source.full"][k]
        );
    }
    stage(
        &mut page,
        "Curve",
        "`kausal-runtime` integrates between events; the event at 0.1 ln 10 s is located and has two rows.",
        "text",
        &curve,
    );
    page
}

#[test]
fn the_page_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trace.md");
    let page = page();
    if std::env::var_os("KAUSAL_TRACE").is_some_and(|value| value == "write") {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == page,
        "docs/trace.md is not what the program does now; write it anew with KAUSAL_TRACE=write"
    );
}

/// v = 10 (1 - exp(-t/RC)) up to nine tenths at RC ln 10, and 9 exp(-(t - RC ln 10)/RC) from there, with RC = 0.1 s.
#[test]
fn the_curve_is_right() {
    let solution = Model::from_text(TEXT).expect("a correct model").simulate().expect("a run");
    let turn = 0.1 * 10f64.ln();
    for (t, v) in solution.time().iter().zip(&solution["capacitor.v"]) {
        let right =
            if *t <= turn { 10.0 * (1.0 - (-t / 0.1).exp()) } else { 9.0 * (-(t - turn) / 0.1).exp() };
        // A hundred tolerances of the largest value: steps and the instant of the event each add some.
        assert!((v - right).abs() < 1e-5, "{t}: {v} instead of {right}");
    }
}
