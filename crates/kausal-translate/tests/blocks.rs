//! How blocks of simultaneous equations are solved: hints, prices, error growth, commands.

use kausal_model::{Files, Workspace};
use kausal_syntax::Diagnostic;
use kausal_translate::program::{Form, LinearMethod, SolveKind, Step, System, Way};
use kausal_translate::{Commands, Options, Program, Relaxing, Tearing, translate};

struct Nothing;

impl Files for Nothing {
    fn list(&self, _: &str) -> Option<Vec<String>> {
        None
    }
    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// Translates the model `M` of a text.
fn translated(text: &str, options: &Options) -> (Program, Vec<Diagnostic>) {
    let mut workspace = Workspace::new(Box::new(Nothing));
    workspace.add_source("M.mo", text);
    let (flat, diagnostics) = workspace.flatten("M");
    let flat = flat.unwrap_or_else(|| panic!("not flat: {diagnostics:?}"));
    let translation = translate(&flat, options);
    let program = translation.program.unwrap_or_else(|| panic!("no program: {:?}", translation.diagnostics));
    (program, translation.diagnostics)
}

fn program(text: &str) -> Program {
    translated(text, &Options::default()).0
}

fn declared() -> Options {
    Options { tearing: Tearing::Declared, relaxing: Relaxing::Off, ..Options::default() }
}

/// The systems of all sections that run again and again.
fn systems(program: &Program) -> Vec<&System> {
    let steps = program.parameters.iter().chain(&program.dynamics).chain(&program.outputs);
    steps.filter_map(|s| if let Step::System(system) = s { Some(&**system) } else { None }).collect()
}

fn only(program: &Program) -> &System {
    let all = systems(program);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
}

fn names(program: &Program, variables: &[kausal_symbolic::VarId]) -> Vec<String> {
    variables.iter().map(|v| program.variables[v.index()].name.clone()).collect()
}

fn way(system: &System) -> Way {
    system.alternatives.iter().find(|a| a.chosen).expect("one is chosen").way
}

/// The ladder circuit of Elmqvist and Otter as equations.
const LADDER: &str = "model M
  parameter Real R1 = 1, R2 = 2, R3 = 3, R4 = 4, R5 = 5, R6 = 6;
  Real i1, i2, i3, i4, i5, v2, v4, v6;
equation
  R1*i1 = sin(time) - v2;
  R2*i2 = v2;
  R3*i3 = v2 - v4;
  R4*i4 = v4;
  R5*i5 = v4 - v6;
  R6*i5 = v6;
  i1 = i2 + i3;
  i3 = i4 + i5;
end M;";

/// Begun at the far end with an assumed current: slopes 4 MULT + 5 ADD (they depend on resistances only), one division, and back
/// 6 MULT + 4 ADD; counted by hand.
#[test]
fn ladder_is_torn_where_it_costs_least() {
    let program = program(LADDER);
    let system = only(&program);
    assert_eq!(names(&program, &system.tearing_variables), ["i5"]);
    let taken = system.alternatives.iter().find(|a| a.chosen).expect("one is chosen");
    assert_eq!(taken.left, 0);
    assert!(taken.mul + taken.add + taken.once <= 20, "{taken:?}");
}

#[test]
fn prices_of_all_ways_are_recorded() {
    let program = program(LADDER);
    let system = only(&program);
    let ways: Vec<Way> = system.alternatives.iter().map(|a| a.way).collect();
    assert_eq!(ways, [Way::Torn, Way::Eliminated, Way::Sparse]);
    let chosen: Vec<&_> = system.alternatives.iter().filter(|a| a.chosen).collect();
    assert_eq!(chosen.len(), 1);
    assert!(system.alternatives.iter().all(|a| a.price >= chosen[0].price));
}

#[test]
fn declared_tearing_is_followed() {
    let text = LADDER.replace("R6*i5 = v6", "R6*i5 = v6 + residue(i1)");
    let (program, diagnostics) = translated(&text, &declared());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let system = only(&program);
    assert_eq!(way(system), Way::TornAsDeclared);
    assert_eq!(names(&program, &system.tearing_variables), ["i1"]);
    assert_eq!(system.residuals.len(), 1);
}

/// In automatic mode the cheaper of both.
#[test]
fn declared_tearing_is_overruled_where_it_costs_more() {
    let text = LADDER.replace("R6*i5 = v6", "R6*i5 = v6 + residue(i1)");
    let program = program(&text);
    let system = only(&program);
    assert_eq!(names(&program, &system.tearing_variables), ["i5"]);
    assert!(system.alternatives.iter().any(|a| a.way == Way::TornAsDeclared));
}

/// What the declaration leaves together is torn as well, and the warning says what to add.
#[test]
fn declared_tearing_that_does_not_suffice() {
    let text = LADDER.replace("R3*i3 = v2 - v4", "R3*i3 = v2 - v4 + residue(v2)");
    let text = text.replace("i3 = i4 + i5", "i3 = i4 + i5 + residue(v4)");
    let (program, diagnostics) = translated(&text, &declared());
    assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["K0430"]);
    let torn = names(&program, &only(&program).tearing_variables);
    assert_eq!(torn.len(), 3);
    assert!(torn.contains(&"v2".to_owned()) && torn.contains(&"v4".to_owned()), "{torn:?}");
    // Nothing is said where tearing is found anyway.
    assert!(translated(&text, &Options::default()).1.is_empty());
}

/// `u = residue(i)` where u is zero leaves as a trivial equation; the current is torn nevertheless (tearing paper, MeshCut).
#[test]
fn a_hint_survives_its_trivial_equation() {
    let text =
        LADDER.replace("v4, v6;", "v4, v6, u;").replace("R2*i2 = v2;", "R2*i2 = v2 + u; u = residue(i3);");
    let (program, _) = translated(&text, &declared());
    let system = only(&program);
    assert!(names(&program, &system.tearing_variables).contains(&"i3".to_owned()));
}

/// A hint follows the variable that stands for an alias.
#[test]
fn a_hint_on_an_alias() {
    let text =
        LADDER.replace("v4, v6;", "v4, v6, w;").replace("R6*i5 = v6;", "w = -v2; R6*i5 = v6 + residue(w);");
    let (program, _) = translated(&text, &declared());
    let torn = names(&program, &only(&program).tearing_variables);
    assert!(torn == ["v2"] || torn == ["w"], "{torn:?}");
}

/// Relaxing paper, equations (3) and (12).
fn drive_train(gear: &str) -> String {
    format!(
        "model M
  parameter Real J1 = 2, J2 = 3, i = 4;
  input Real tin;
  Real w2(start = 0, fixed = true), a1, a2, t1, t2;
equation
  J1*relax(a1) = tin - t1;
  J2*a2 = t2;
  {gear}
  i*t1 = t2;
  der(w2) = a2;
end M;"
    )
}

#[test]
fn drive_train_relaxed() {
    let text = drive_train("a1 = i*relax(a2);");
    let options = Options { relaxing: Relaxing::Declared, tearing: Tearing::Off, ..Options::default() };
    let (program, diagnostics) = translated(&text, &options);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let system = only(&program);
    assert_eq!(way(system), Way::Relaxed);
    let Form::Linear { method: LinearMethod::Relaxed, steps, .. } = &system.form else {
        panic!("{system:?}")
    };
    assert!(steps.iter().all(|s| matches!(s, Step::Assign(_))));
    let taken = &system.alternatives[0];
    // The paper's 8 assignments: 7 MULT + 3 ADD.
    assert!(taken.mul + taken.add + taken.once <= 10, "{taken:?}");
}

/// With the gear turned round the paper's method fails: the acceleration of the first shaft is relaxed in all its equations.
/// Such a variable is left for the end, with the equation that is left over.
#[test]
fn drive_train_turned_round() {
    let text = drive_train("a2 = i*relax(a1);").replace("i*t1 = t2", "t1 = i*t2");
    for relaxing in [Relaxing::Declared, Relaxing::Auto] {
        let (program, diagnostics) = translated(&text, &Options { relaxing, ..Options::default() });
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let taken = only(&program).alternatives.iter().find(|a| a.chosen).expect("one is chosen");
        assert!(taken.mul + taken.add + taken.once <= 10, "{relaxing:?} {taken:?}");
    }
}

/// Relaxing paper, section 4: x2 relaxed in the second row as well leaves x2 and x3 to the third.
#[test]
fn relaxing_that_makes_the_form_singular() {
    let text = "model M
  Real x1, x2, x3;
equation
  2*x1 + relax(x2) + relax(x3) = time;
  x1 + 3*relax(x2) + relax(x3) = 1;
  x1 + x2 + 4*x3 = 2;
end M;";
    let (program, diagnostics) =
        translated(text, &Options { relaxing: Relaxing::Declared, ..Options::default() });
    assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["K0440"]);
    assert!(diagnostics[0].help.as_ref().is_some_and(|h| h.contains("relax(x2)")), "{diagnostics:?}");
    assert_ne!(way(only(&program)), Way::Relaxed);
}

fn chain(n: usize, coefficient: &str) -> String {
    format!(
        "model M
  Real x[{n}];
equation
  x[1] = 1;
  for i in 2:{n} - 1 loop
    x[i + 1] = {coefficient}*x[i] - x[i - 1];
  end for;
  x[{n}] = 0;
end M;"
    )
}

/// (3 + sqrt(5))/2 to the power 38 is above 1e15: torn at one end, no digit is left.
#[test]
fn a_chain_that_amplifies_errors_is_not_torn() {
    let program = program(&chain(40, "3"));
    let system = only(&program);
    let torn = system.alternatives.iter().find(|a| a.way == Way::Torn).expect("considered");
    assert!(!torn.chosen && torn.price.is_infinite(), "{torn:?}");
    assert!(torn.note.contains("loses digits"), "{torn:?}");
}

/// When nothing else is allowed it is solved sparse and whole.
#[test]
fn a_chain_that_amplifies_errors_is_sparse_without_relaxing() {
    let options = Options { relaxing: Relaxing::Off, ..Options::default() };
    for coefficient in ["3", "(3 + sin(time))"] {
        let (program, _) = translated(&chain(40, coefficient), &options);
        let system = only(&program);
        assert_eq!(way(system), Way::Sparse);
        let Form::Linear { steps, .. } = &system.form else { panic!("{system:?}") };
        let sparse = |s: &Step| matches!(s, Step::Solve(solve) if solve.kind == SolveKind::Sparse);
        assert!(steps.iter().any(sparse));
    }
}

/// `M(q) a = h` with products of a symmetric matrix written out is found to be symmetric.
#[test]
fn symmetry_is_found() {
    let text = "model M
  parameter Integer n = 5;
  Real x[n], y[n], c;
equation
  c = sin(time);
  for i in 1:n loop
    y[i] = sum((if i == j then 10 else c^(i + j))*x[j] for j in 1:n);
    sum((if i == j then 7 else c*(i + j))*y[j] for j in 1:n) + x[i]*time = i;
  end for;
end M;";
    let options = Options { relaxing: Relaxing::Off, ..Options::default() };
    let (program, _) = translated(text, &options);
    let system = systems(&program).into_iter().max_by_key(|s| s.unknowns.len()).expect("a system");
    let Form::Linear { symmetric, .. } = &system.form else { panic!("{system:?}") };
    // The product of two symmetric matrices is not symmetric.
    assert!(!symmetric);
    let text = text.replace("c*(i + j)", "c*0");
    let (program, _) = translated(&text, &options);
    let system = systems(&program).into_iter().max_by_key(|s| s.unknowns.len()).expect("a system");
    let Form::Linear { symmetric, steps, .. } = &system.form else { panic!("{system:?}") };
    assert!(symmetric);
    assert!(steps.iter().any(|s| matches!(s, Step::Solve(solve) if solve.kind == SolveKind::Symmetric)));
}

/// What decides between formulas need not be decided both ways at the numbers that symmetry is looked for at.
#[test]
fn symmetry_holds_in_all_branches() {
    let text = "model M
  parameter Integer n = 5;
  Real x[n], y[n], s(start = 1, fixed = true);
  Integer m(start = 1, fixed = true);
equation
  der(s) = x[1];
  when s > 3 then m = 3; end when;
  for i in 1:n loop
    y[i] = sum((if i == j then 20 + s else if i + 1 == j then upper else cos(i*j*s))*x[j] for j in 1:n);
    7*y[i] + x[i]*time = i;
  end for;
end M;";
    let options = Options { relaxing: Relaxing::Off, ..Options::default() };
    let symmetric = |upper: &str| {
        let (program, _) = translated(&text.replace("upper", upper), &options);
        let system = systems(&program).into_iter().max_by_key(|s| s.unknowns.len()).expect("a system");
        matches!(system.form, Form::Linear { symmetric: true, .. })
    };
    assert!(symmetric("cos(j*i*s)"));
    assert!(symmetric("(if m == 3 then cos(i*j*s) else cos(j*i*s))"));
    assert!(!symmetric("(if m == 3 then sin(i*j*s) else cos(j*i*s))"));
    assert!(!symmetric("(if noEvent(s > 1e5) then sin(i*j*s) else cos(j*i*s))"));
    assert!(!symmetric("(if time > 1e9 then sin(i*j*s) else cos(j*i*s))"));
    assert!(!symmetric("(cos(j*i*s) + max(s, 1e7) - 1e7)"));
}

/// A discrete variable starts with a value that makes the matrix of an inlined step diagonal; it has others later.
#[test]
fn values_at_the_start_make_nothing_symmetric() {
    let text = "model M
  Real i(start = 0, fixed = true), u = sin(40*time);
  Boolean on(start = false, fixed = true);
equation
  when time >= 0.03 then on = true; end when;
  der(i) = if on then u - 15*i else 0;
end M;";
    let options = Options { inline: kausal_translate::Inline::Radau, ..Options::default() };
    let (program, _) = translated(text, &options);
    let steps = &program.discretized.as_ref().expect("an inlined step").steps;
    let systems = steps.iter().filter_map(|s| if let Step::System(system) = s { Some(system) } else { None });
    let forms: Vec<&Form> = systems.map(|system| &system.form).collect();
    assert!(!forms.is_empty());
    assert!(forms.iter().all(|form| matches!(form, Form::Linear { symmetric: false, .. })), "{forms:?}");
}

fn with_commands(text: &str) -> Options {
    let (commands, diagnostics) = Commands::parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    Options { commands, ..declared() }
}

#[test]
fn commands_add_and_take_away() {
    let options = with_commands("- variable tear v2 [ ]\n- variable tear v4 [ ]\n");
    let (program, _) = translated(LADDER, &options);
    assert_eq!(names(&program, &only(&program).tearing_variables), ["v2", "v4"]);
    // v2 taken away again: the rest is completed without it.
    let options = with_commands("variable tear v2 []\nvariable notear v2\nvariable tear i1 []");
    let (program, _) = translated(LADDER, &options);
    assert!(!names(&program, &only(&program).tearing_variables).contains(&"v2".to_owned()));
}

#[test]
fn commands_choose_residues() {
    let options = with_commands("variable tear i1 [ ]\nvariable tear [ v6 ]");
    let (program, _) = translated(LADDER, &options);
    let system = only(&program);
    assert_eq!(names(&program, &system.tearing_variables), ["i1"]);
    assert_eq!(system.residuals.len(), 1);
}

#[test]
fn set_tear_off() {
    let (program, _) = translated(LADDER, &with_commands("set tear off"));
    assert_eq!(way(only(&program)), Way::Sparse);
}

#[test]
fn unknown_names_are_errors() {
    let mut workspace = Workspace::new(Box::new(Nothing));
    workspace.add_source("M.mo", LADDER);
    let (flat, _) = workspace.flatten("M");
    let flat = flat.expect("flat");
    let translation = translate(&flat, &with_commands("variable tear v3 []"));
    assert!(translation.program.is_none());
    assert_eq!(translation.diagnostics[0].code, "K0451");
    // Variable and residue are the same name here, and it is said once.
    let twice = translate(&flat, &with_commands("variable tear v3"));
    assert_eq!(twice.diagnostics.iter().filter(|d| d.code == "K0451").count(), 1);
}

/// What is said of a command that cannot be followed is about the command: the model has no `stateSelect`.
#[test]
fn a_command_about_the_only_state_is_named() {
    let text = "model M
  Real x(start = 1);
equation
  der(x) = -x;
end M;";
    let mut workspace = Workspace::new(Box::new(Nothing));
    workspace.add_source("M.mo", text);
    let (flat, _) = workspace.flatten("M");
    let translation = translate(&flat.expect("flat"), &with_commands("variable unknown x"));
    let said = translation.diagnostics.iter().find(|d| d.code == "K0413").expect("a warning");
    assert!(said.message.contains("variable unknown x"), "{said:?}");
}

/// `variable unknown x`: x is not a state.
#[test]
fn commands_choose_states() {
    let text = "model M
  Real x(start = 1), y(start = 1);
equation
  der(x) + der(y) = -x;
  y = 2*x;
end M;";
    let states = |options: &Options| {
        let (program, _) = translated(text, options);
        names(&program, &program.states.iter().map(|s| s.variable).collect::<Vec<_>>())
    };
    let free = states(&Options::default());
    let command = format!("variable unknown {}", free[0]);
    let other = states(&with_commands(&command));
    assert_eq!(other.len(), 1);
    assert_ne!(free, other);
}

/// The nonlinear system among the steps, and the linear ones inside it.
fn inside(program: &Program) -> (&System, Vec<&System>) {
    let system = only(program);
    let Form::Nonlinear(nonlinear) = &system.form else { panic!("{system:?}") };
    assert!(nonlinear.jacobian.is_some());
    let inner = nonlinear.steps.iter();
    let inner = inner.filter_map(|s| if let Step::System(system) = s { Some(&**system) } else { None });
    (system, inner.collect())
}

/// Four unknowns in two pairs that are linear once z is known, which enters nonlinearly everywhere. Torn plainly three would be
/// iterated on: z and one of each pair.
const PAIRS: &str = "model M
  Real a, b, c, d, z(start = 1);
equation
  (2 + z^2)*a + b = 1;
  a + (3 + sin(z))*b = time;
  (2 + z^2)*c + d = b;
  c + (3 + cos(z))*d = 1;
  z + z^3 = 1 + 0.1*(a + b + c + d);
end M;";

#[test]
fn linear_systems_inside_are_not_iterated_on() {
    let program = program(PAIRS);
    let (system, inner) = inside(&program);
    assert_eq!(names(&program, &system.tearing_variables), ["z"]);
    assert_eq!(inner.iter().map(|s| s.unknowns.len()).collect::<Vec<_>>(), [2, 2]);
}

/// Of a product one factor must be known, then the rest is linear in the other: two of five unknowns.
#[test]
fn one_factor_of_each_product_is_iterated_on() {
    let text = "model M
  Real a, b, c, p(start = 1), q(start = 1);
equation
  p*a + (1 + p^2)*b + c = 1;
  a - p*b + q*c = time;
  b + q*a - c = 2;
  p + p^3 = 2 + 0.1*a*q;
  q + q^3 = 2 - 0.1*b*p;
end M;";
    let program = program(text);
    let (system, inner) = inside(&program);
    let mut iterated = names(&program, &system.tearing_variables);
    iterated.sort();
    assert_eq!(iterated, ["p", "q"]);
    assert_eq!(inner.iter().map(|s| s.unknowns.len()).collect::<Vec<_>>(), [3]);
}

/// Either unknown of a loop may be iterated on: the one with a start value is.
#[test]
fn what_has_a_start_value_is_iterated_on() {
    for (x, y, expected) in [("(start = 2)", "", "x"), ("", "(start = 2)", "y")] {
        let text = format!("model M Real x{x}, y{y}; equation x = cos(y) + time; y = 0.5*sin(x); end M;");
        let program = program(&text);
        assert_eq!(names(&program, &only(&program).tearing_variables), [expected]);
    }
}

/// A long sequence whose errors grow, nonlinear everywhere: plain tearing at one variable would lose all digits.
#[test]
fn long_nonlinear_sequences_are_cut() {
    let text = "model M
  Real x[40](each start = 0.1);
equation
  x[1] = 1;
  for i in 2:39 loop
    x[i + 1] = 3*x[i] + 0.01*sin(x[i]) - x[i - 1];
  end for;
  x[40] + 0.1*x[39]^3 = time;
end M;";
    let program = program(text);
    let system = only(&program);
    assert!(system.tearing_variables.len() > 1, "{:?}", system.tearing_variables);
    assert!(system.tearing_variables.len() < 30, "{:?}", system.tearing_variables);
}
