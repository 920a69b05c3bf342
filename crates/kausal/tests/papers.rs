//! The papers: figures do not become worse than `docs/papers.md` says, and each model of `examples/papers` gives the
//! trajectory of an independent computation, with the hints as declared and without any.

#[path = "../examples/papers/figures.rs"]
#[allow(dead_code)]
mod figures;
#[path = "support/independent.rs"]
mod independent;

use std::path::Path;
use std::sync::Arc;

use figures::{FAMILIES, FIGURES, GRID, Measured};
use independent::{Samples, add, cross, dot, runge_kutta, solve};
use kausal::simulate;
use kausal::{Backend, Loops, Relaxing, Settings, Tearing};

/// The standard acceleration of gravity, as in `library/classic`.
const GRAVITY: f64 = 9.80665;

/// Operations and unknowns left to solvers, as a cell of the table says.
fn recorded(cell: &str) -> Option<(u64, usize)> {
    let (mul, rest) = cell.trim().split_once(" MULT + ")?;
    let (add, rest) = rest.split_once(" ADD")?;
    let left = rest.split("→ ").skip(1).map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().unwrap_or(0)
    });
    Some((mul.parse::<u64>().ok()? + add.parse::<u64>().ok()?, left.sum()))
}

fn table() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md");
    std::fs::read_to_string(path).expect("docs/papers.md")
}

/// The cells of the row that begins with these two.
fn cells<'a>(table: &'a str, first: &str, second: &str) -> Vec<&'a str> {
    let row = table.lines().find(|l| l.starts_with(&format!("| {first} | {second} |")));
    row.unwrap_or_else(|| panic!("no row {first} {second}")).split(" | ").collect()
}

/// More left to solvers is worse, and so are more operations with as much left.
fn not_worse(name: &str, ours: &Result<Measured, String>, cell: &str) {
    let ours = ours.as_ref().unwrap_or_else(|why| panic!("{name}: {why}"));
    let (sum, left) = recorded(cell).unwrap_or_else(|| panic!("{name}: no figures in {cell}"));
    let worse = ours.left() > left || (ours.left() == left && ours.sum() > sum);
    assert!(!worse, "{name}: recorded {cell}, now {}", ours.text());
}

#[test]
fn figures_do_not_become_worse() {
    let table = table();
    for figure in FIGURES {
        let cells = cells(&table, figure.id, figure.system);
        let (declared, automatic) = (figures::declared(figure), figures::automatic(figure));
        not_worse(figure.system, &declared, cells[3]);
        not_worse(figure.system, &automatic, cells[4]);
        // What was reached stays reached, MULT and ADD apart.
        let goals = cells[5].trim_end_matches(" |").split(", ");
        let ours = [(declared, figure.goals.0), (automatic, figure.goals.1)];
        for (verdict, (measured, goal)) in goals.zip(ours) {
            let reached = measured.as_ref().is_ok_and(|m| m.reaches(goal));
            assert!(reached || verdict != "reached", "{}: {goal:?}, {measured:?}", figure.system);
        }
    }
    let joints = FAMILIES.iter().flat_map(|family| [2, 4, 8].map(|f| (family, f)));
    for (family, value) in joints.chain([(&GRID, 10), (&GRID, 20)]) {
        let cells = cells(&table, family.system, &value.to_string());
        not_worse(family.system, &figures::member(family, value, true), cells[2]);
        not_worse(family.system, &figures::member(family, value, false), cells[3].trim_end_matches(" |"));
    }
}

#[test]
fn the_table_is_read_as_it_is_written() {
    assert_eq!(recorded("17 MULT + 16 ADD; 11 → 0 (1 torn), 88 → 7"), Some((33, 7)));
    assert_eq!(recorded("does not translate"), None);
}

/// Runs a model in both ways; the check sees each run.
fn both(file: &str, more: &str, stop: f64, check: impl Fn(&Samples)) {
    let ways = [((Tearing::Declared, Relaxing::Declared), true), ((Tearing::Auto, Relaxing::Auto), false)];
    for (how, hints) in ways {
        let (mut session, program) =
            figures::translate(file, more, how, hints).unwrap_or_else(|why| panic!("{file}: {why}"));
        let model = session.compile(program, Backend::Interpreter).expect("code");
        let settings =
            Settings { start: 0.0, stop, interval: stop / 20.0, tolerance: 1e-9, ..Settings::default() };
        let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
        assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{file}: {:?}", run.diagnostics);
        check(&Samples { file: file.to_owned(), run });
    }
}

/// The resistance of the ladder from its far end.
#[test]
fn ladders() {
    let parallel = |a: f64, b: f64| a * b / (a + b);
    let resistance = 100.0 + parallel(200.0, 300.0 + parallel(400.0, 500.0 + 600.0));
    for file in ["Ladder.dym", "LadderMeshCut.dym", "LadderNodeCut.dym", "LadderTearCut.dym"] {
        both(file, "", 1.0, |s| {
            s.follows("R1.i", 1e-12, |_| 10.0 / resistance);
            s.follows("R6.u", 1e-12, |_| {
                let u2 = 10.0 - 100.0 * 10.0 / resistance;
                let u4 = u2 * parallel(400.0, 1100.0) / (300.0 + parallel(400.0, 1100.0));
                u4 * 600.0 / 1100.0
            });
        });
    }
}

/// Equation (5): `(J2 + i^2*J1)*der(w2) = i*tin`.
#[test]
fn drive_trains() {
    for file in ["DriveTrain.dym", "DriveTrainTurned.dym", "DriveTrainTorn.dym"] {
        both(file, "", 2.0, |s| {
            s.follows("shaft2.w", 1e-8, |t| 5.0 * 2.0 / (3.0 + 25.0 * 0.1) * t);
            s.follows("shaft1.w", 1e-8, |t| 5.0 * 5.0 * 2.0 / (3.0 + 25.0 * 0.1) * t);
        });
    }
}

/// The conductances between the nodes, solved for the current of the capacitor with its voltage given: a line, so that
/// the voltage is an exponential function.
#[test]
fn nodal_analysis() {
    let current = |u: f64| {
        // Unknown: v1, v2, v3, v4 and the current from v2 through the capacitor.
        let (g1, g3, ga, gb, gc, gd, ge) = (0.01, 0.005, 0.02, 1.0 / 80.0, 0.025, 1.0 / 300.0, 1.0 / 150.0);
        let a = [
            [ga + g1 + gd, -gd, 0.0, -g1, 0.0],
            [-gd, gb + gd + ge, -ge, 0.0, 1.0],
            [0.0, -ge, gc + ge + g3, -g3, 0.0],
            [-g1, 0.0, -g3, g1 + g3, -1.0],
            [0.0, 1.0, 0.0, -1.0, 0.0],
        ];
        solve(a, [10.0 * ga, 0.0, 0.0, 0.0, u])[4]
    };
    let slope = current(1.0) - current(0.0);
    let end = -current(0.0) / slope;
    both("NodalAnalysis.dym", "", 5e-3, |s| {
        s.follows("C2.u", 1e-6, |t| end * (1.0 - (slope * t / 1e-5).exp()));
    });
}

/// `x*y*(1 + time)` solves the discretized equation of Laplace exactly.
#[test]
fn grids() {
    both("Grid.mo", "model Small extends Grid(n = 20); end Small;", 1.0, |s| {
        for (i, j) in [(2, 2), (11, 7), (21, 21)] {
            let product = (i - 1) as f64 * (j - 1) as f64 / (21.0 * 21.0);
            s.follows(&format!("v[{i},{j}]"), 1e-9, |t| product * (1.0 + t));
        }
    });
}

/// The same by successive substitution: with the relaxed variables, and with branches torn by both kinds. The first kind tears
/// only where loops close, here every second node, and so converges as fast as the second.
#[test]
fn grids_by_substitution() {
    let sweeps = |loops: Loops, hints: bool| {
        let mut session = kausal::Session::new();
        session.add_file(&figures::folder().join("Grid.mo"));
        session.add_text("More.mo", "model Small extends Grid(n = 10); end Small;");
        let mut flat = session.flatten("Small").expect("flat");
        if !hints {
            flat.hints.clear();
        }
        let options = kausal::Options { loops, ..Default::default() };
        let program = session.translate(&flat, &options).expect("a program");
        let model = session.compile(program, Backend::Interpreter).expect("code");
        let settings = Settings { start: 0.0, stop: 1.0, interval: 0.5, ..Settings::default() };
        let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
        assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
        let count = run.statistics.newton_iterations;
        let samples = Samples { file: format!("{loops:?}"), run };
        for (i, j) in [(2, 2), (6, 7), (11, 11)] {
            let product = (i - 1) as f64 * (j - 1) as f64 / (11.0 * 11.0);
            samples.follows(&format!("v[{i},{j}]"), 1e-8, |t| product * (1.0 + t));
        }
        count
    };
    let relaxed = sweeps(Loops::GaussSeidel, true);
    let (first, second) = (sweeps(Loops::Jacobi, false), sweeps(Loops::GaussSeidel, false));
    assert!(relaxed > 0 && second > 0 && first >= second, "{relaxed}, {first}, {second}");
}

/// Energy of a body of the classic library, its velocities resolved in its own frame.
fn body_energy(s: &Samples, body: &str, i: usize) -> f64 {
    let parameter = |name: &str| s.at(&format!("{body}.{name}"), i);
    let (v, w, r) = ["v", "w", "r"].map(|n| s.vector(&format!("{body}.{n}"), i)).into();
    let rows = [["J11", "J21", "J31"], ["J21", "J22", "J32"], ["J31", "J32", "J33"]];
    let momentum = rows.map(|row| dot(row.map(parameter), w));
    parameter("m") * (0.5 * dot(v, v) + GRAVITY * r[2]) + 0.5 * dot(w, momentum)
}

#[test]
fn robot() {
    both("Robot.dym", "", 0.5, |s| {
        let bodies = ["B1", "B2", "B3", "B4", "B5", "B6"];
        s.constant("energy", 500.0, |i| bodies.iter().map(|b| body_energy(s, b, i)).sum());
    });
}

/// Energy, and the place of the slider from the angle of the crank: its pin is 0.8 m from that of the slider.
#[test]
fn four_bar() {
    both("FourBar.dym", "", 1.0, |s| {
        let bodies = ["mCrank", "slider", "mCoupler"];
        s.constant("energy", 10.0, |i| bodies.iter().map(|b| body_energy(s, b, i)).sum());
        for i in 0..s.len() {
            let q = s.at("j1.q", i);
            let across = (0.2 * q.cos() - 0.1).powi(2) + (0.2 * q.sin()).powi(2);
            let place = (0.64 - across).sqrt();
            let found = s.at("j4.q", i);
            assert!((found.abs() - place).abs() < 1e-6, "{q}: {found}, not {place}");
        }
    });
}

/// By hand: `(J + m*l^2)*qdd = -m*g*l*sin(q) - mu*d*tanh(qd/0.05)*m*(g*cos(q) + l*qd^2)`.
#[test]
fn friction_in_a_joint() {
    let [q, qd] = runge_kutta([0.6, 0.0], 2.0, |_, [q, qd]: [f64; 2]| {
        let normal = 2.0 * (GRAVITY * q.cos() + qd * qd);
        let torque = -2.0 * GRAVITY * q.sin() - 0.3 * 0.1 * (qd / 0.05).tanh() * normal;
        [qd, torque / (0.1 + 2.0)]
    });
    both("JointFriction.dym", "", 2.0, |s| {
        let last = s.len() - 1;
        let found = [s.at("J.q", last), s.at("J.qd", last)];
        assert!((found[0] - q).abs() < 1e-6 && (found[1] - qd).abs() < 1e-6, "{found:?}, not {q} {qd}");
    });
}

/// Energy of the links of `Chain` or `Tree`. Velocities are not in the model: each link turns about its joint, which moves with
/// the link it hangs on.
fn links_energy(s: &Samples, f: usize, parent: &dyn Fn(usize) -> usize, i: usize) -> f64 {
    let mut velocity: Vec<[f64; 3]> = vec![[0.0; 3]; f + 1];
    let mut energy = 0.0;
    for k in 1..=f {
        let (omega, r) = ["omega", "r"].map(|n| s.vector(&format!("link[{k}].a.m.{n}"), i)).into();
        let before = parent(k);
        if before > 0 {
            let from = s.vector(&format!("link[{before}].a.m.r"), i);
            let turning = s.vector(&format!("link[{before}].a.m.omega"), i);
            let arm = [r[0] - from[0], r[1] - from[1], r[2] - from[2]];
            velocity[k] = add(velocity[before], cross(turning, arm));
        }
        let axes =
            [1, 2, 3].map(|column| [1, 2, 3].map(|row| s.at(&format!("link[{k}].a.m.S[{row},{column}]"), i)));
        let centre = [0.15, 0.02, -0.1 + 0.01 * (k as f64).sin()];
        let arm = [0, 1, 2].map(|x| axes[0][x] * centre[0] + axes[1][x] * centre[1] + axes[2][x] * centre[2]);
        let v = add(velocity[k], cross(omega, arm));
        let own = axes.map(|axis| dot(axis, omega));
        let inertia = [[0.02, 0.002, -0.001], [0.002, 0.03, 0.003], [-0.001, 0.003, 0.025]];
        energy +=
            0.5 * dot(v, v) + 0.5 * dot(own, inertia.map(|row| dot(row, own))) + GRAVITY * (r[2] + arm[2]);
    }
    energy
}

#[test]
fn chains_and_trees() {
    let chain = |k: usize| k - 1;
    let tree = |k: usize| k / 2;
    let spine = |k: usize| if k.is_multiple_of(2) { k - 1 } else { k.max(2) - 2 };
    let star = |k: usize| if k > 4 { k - 3 } else { k.min(2) - 1 };
    let families: [(&str, usize, &dyn Fn(usize) -> usize); 4] =
        [("Chain", 6, &chain), ("Tree", 7, &tree), ("Spine", 6, &spine), ("Star", 7, &star)];
    for (name, f, parent) in families {
        let more = format!("model Member extends {name}(f = {f}); end Member;");
        both(&format!("{name}.mo"), &more, 0.5, |s| {
            s.constant("energy", 20.0, |i| links_energy(s, f, parent, i));
        });
    }
}

/// Energy of the links of `TwistedChain` from the motion of their frames, which are resolved in themselves.
fn twisted_energy(s: &Samples, f: usize, i: usize) -> f64 {
    let mut energy = 0.0;
    for k in 1..=f {
        let [r, velocity, omega] = ["r", "vel", "omega"].map(|n| s.vector(&format!("link[{k}].a.m.{n}"), i));
        let centre = [0.15, 0.02, -0.1 + 0.01 * (k as f64).sin()];
        let v = add(velocity, cross(omega, centre));
        let upwards = [1, 2, 3].map(|row| s.at(&format!("link[{k}].a.m.S[{row},3]"), i));
        let inertia = [[0.02, 0.002, -0.001], [0.002, 0.03, 0.003], [-0.001, 0.003, 0.025]];
        let turning = 0.5 * dot(omega, inertia.map(|row| dot(row, omega)));
        energy += 0.5 * dot(v, v) + turning + GRAVITY * (r[2] + dot(upwards, centre));
    }
    energy
}

#[test]
fn twisted_chain() {
    both("TwistedChain.mo", "model Member extends TwistedChain(f = 6); end Member;", 0.5, |s| {
        s.constant("energy", 20.0, |i| twisted_energy(s, 6, i));
    });
}

/// What each added joint costs does not depend on how many there are; of the trees, what each group of alike joints costs.
#[test]
fn chains_and_trees_grow_linearly() {
    let chain: &[usize] = &[4, 5, 6, 7, 8, 9];
    let cases: [(&str, &[usize]); 4] =
        [("Chain", chain), ("Spine", &[4, 6, 8, 10]), ("Tree", &[8, 12, 16]), ("Star", &[7, 8, 9, 10])];
    for (name, sizes) in cases {
        let family = FAMILIES.iter().find(|f| f.name == name).expect("a family");
        for hints in [true, false] {
            let sum =
                |&f: &usize| figures::member(family, f, hints).unwrap_or_else(|why| panic!("{why}")).sum();
            let sums: Vec<u64> = sizes.iter().map(sum).collect();
            let added: Vec<u64> = sums.windows(2).map(|w| w[1] - w[0]).collect();
            let joints = (sizes[1] - sizes[0]) as f64;
            let few = added[0] as f64 <= joints * figures::PER_JOINT;
            assert!(few && added.iter().all(|&n| n == added[0]), "{name}, hints {hints}: {added:?}");
        }
    }
}

/// The papers' own hints fit together, and cuts of the classic notation may carry what they like.
#[test]
fn models_of_the_papers_give_no_warnings() {
    for figure in FIGURES.iter().filter(|f| f.paper != "fails") {
        let (mut session, _) = figures::translate(figure.file, "", figure.declared, true)
            .unwrap_or_else(|why| panic!("{}: {why}", figure.file));
        let said: Vec<String> = session.take_diagnostics().into_iter().map(|d| d.message).collect();
        assert!(said.is_empty(), "{}: {said:?}", figure.file);
    }
}

/// A chain like `Chain.mo` of a kind of joints, of which some are turned round.
fn turned_chain(f: usize, joint: &str, is_turned: impl Fn(usize) -> bool) -> String {
    let mut text = format!("{JOINT}model M import Kausal.MultiBody.WorldFrame.*; World world;\n");
    for i in 1..=f {
        text.push_str(&format!(
            "{joint} j{i}(n = {{sin({i}), cos({i}), 0.5}}, q(start = 0.1*{i}, fixed = true), qd(start = 0, fixed = true));
             Link l{i}(r = {{0.3, 0.05*cos({i}), -0.2}}, r_CM = {{0.15, 0.02, -0.1 + 0.01*sin({i})}}, m = 1,
               I_11 = 0.02, I_22 = 0.03, I_33 = 0.025, I_21 = 0.002, I_31 = -0.001, I_32 = 0.003);\n"
        ));
    }
    text.push_str("equation\n");
    for i in 1..=f {
        let (inner, outer) = if is_turned(i) { ("b", "a") } else { ("a", "b") };
        let before = if i == 1 { "world.b".to_owned() } else { format!("l{}.b", i - 1) };
        text.push_str(&format!("connect({before}, j{i}.{inner}); connect(j{i}.{outer}, l{i}.a);\n"));
    }
    text + "end M;\n"
}

/// A revolute joint written from `a` to `b` only, without hints.
const JOINT: &str = "model Plain extends Kausal.MultiBody.WorldFrame.TwoFrames;
  import Kausal.MultiBody.WorldFrame.*;
  parameter Real n[3]; final parameter Real e[3] = n/sqrt(n*n) annotation(Evaluate = true);
  Real q(stateSelect = StateSelect.prefer), qd(stateSelect = StateSelect.prefer), qdd;
  Real R[3, 3] = [e]*transpose([e]) + (identity(3) - [e]*transpose([e]))*cos(q) + skew(e)*sin(q);
  Real axis[3] = a.m.S*e;
equation
  Connections.branch(a.m, b.m);
  der(q) = qd; der(qd) = qdd;
  b.m.r = a.m.r; b.m.S = a.m.S*R; b.m.omega = a.m.omega + axis*qd;
  b.m.acc = a.m.acc; b.m.alpha = a.m.alpha + axis*qdd + cross(a.m.omega, axis*qd);
  a.f + b.f = zeros(3); a.t + b.t = zeros(3); 0 = axis*b.t;
end Plain;
";

/// What derivatives take, and what is left to solvers.
fn derivatives_of(text: &str, hints: bool) -> (u64, usize) {
    let how = match hints {
        true => (Tearing::Declared, Relaxing::Declared),
        false => (Tearing::Auto, Relaxing::Auto),
    };
    let (_, program) = figures::translate("", text, how, hints).unwrap_or_else(|why| panic!("{why}"));
    let count = kausal::count::papers_count(&program).derivatives;
    (count.mul + count.add, figures::measure(&program).left())
}

/// The joints of the library cost the same whichever of their frames is the outer one.
#[test]
fn turned_joints_cost_no_more() {
    let straight: Vec<u64> =
        [6, 8].map(|f| derivatives_of(&turned_chain(f, "Revolute", |_| false), true).0).to_vec();
    let first = |i: usize| i == 1;
    let every_other = |i: usize| i % 2 == 1;
    let all = |_: usize| true;
    let patterns: [&dyn Fn(usize) -> bool; 3] = [&first, &every_other, &all];
    for (k, pattern) in patterns.iter().enumerate() {
        for hints in [true, false] {
            let turned = [6, 8].map(|f| derivatives_of(&turned_chain(f, "Revolute", pattern), hints));
            assert_eq!(turned.map(|t| t.0).to_vec(), straight, "pattern {k}, hints {hints}");
            assert!(turned.iter().all(|t| t.1 == 0));
        }
    }
}

/// Orientations that follow from small systems of equations are orientations at sampled points, too: a joint that is written in one
/// direction only does not make the recursive order look unsafe.
#[test]
fn one_joint_against_its_direction_stays_recursive() {
    let counts = [12, 14, 16].map(|f| derivatives_of(&turned_chain(f, "Plain", |i| i == 1), false));
    assert!(counts.iter().all(|c| c.1 == 0), "{counts:?}");
    let added = [counts[1].0 - counts[0].0, counts[2].0 - counts[1].0];
    assert!(added[0] == added[1] && added[0] as f64 <= 2.0 * figures::PER_JOINT, "{counts:?}");
}

/// Without hints nothing costs more than with them, counted as it is written.
#[test]
fn small_trees_need_no_hints() {
    for name in ["Chain", "Spine", "Tree", "Star"] {
        let family = FAMILIES.iter().find(|f| f.name == name).expect("a family");
        for f in [2, 3, 4, 5, 6] {
            let [declared, automatic] = [true, false]
                .map(|hints| figures::member(family, f, hints).unwrap_or_else(|why| panic!("{why}")).sum());
            assert!(automatic <= declared, "{name}, f = {f}: {automatic} and {declared}");
        }
    }
}

/// Capacitances in parallel add up.
#[test]
fn bond_graph_of_two_capacitances() {
    both("BondTwoCapacitors.dym", "", 1.0, |s| {
        s.follows("C1.e", 1e-7, |t| 1.0 - (-t / 0.3).exp());
        s.follows("C2.e", 1e-7, |t| 1.0 - (-t / 0.3).exp());
    });
}

/// The flow of R1 by hand, and the rate at which the effort of C1 grows.
#[test]
fn bond_graph_of_a_ring() {
    both("BondRing.dym", "", 2.0, |s| {
        for i in 0..s.len() {
            let (e1, e2, t) = (s.at("C1.e", i), s.at("C2.e", i), s.time(i));
            assert!((e1 + e2 - 1.0).abs() < 1e-9, "{e1} + {e2} at {t}");
            // Over the ring: e1 - R1*f1 = e3 = e2 + R2*f2 with f2 = f1 + F.
            let f1 = (e1 - e2 - 2.0 * 0.1) / 3.0;
            assert!((s.at("R1.f", i) - f1).abs() < 1e-9, "{f1} at {t}");
        }
        // C1*e1' = f0 - f1 and C2*e2' = f0 + f1 + F with e2' = -e1': 3*e1' = -2*f1 - F, f1 = (2*e1 - 1.2)/3.
        s.follows("C1.e", 1e-7, |t| 0.525 * (1.0 - (-4.0 * t / 9.0).exp()));
    });
}

/// Capacitances in series and parallel, from the far end.
#[test]
fn bond_graph_of_a_network() {
    let series = |a: f64, b: f64| a * b / (a + b);
    let whole = 1.0 + series(2.0, 3.0 + series(4.0, 5.0));
    both("BondNetwork.dym", "", 10.0, |s| {
        let e1 = |t: f64| 1.0 - (-t / whole).exp();
        s.follows("C1.e", 1e-7, e1);
        let e3 = 2.0 / (2.0 + 3.0 + series(4.0, 5.0));
        s.follows("C3.e", 1e-7, |t| e3 * e1(t));
        s.follows("C5.e", 1e-7, |t| e3 * 4.0 / 9.0 * e1(t));
    });
}

/// All masses as seen from the bearing.
#[test]
fn bond_graph_of_a_lever() {
    let inertia = 0.5 + 1.0 * 0.09 + 2.0 * 0.25 + 4.0 * 0.64;
    both("BondLever.dym", "", 2.0, |s| s.follows("J.f", 1e-8, |t| 3.0 / inertia * t));
}

/// Kinetic energy of a planar body.
fn planar(s: &Samples, body: &str, m: f64, inertia: f64, i: usize) -> f64 {
    let [x, y, w] = ["Ix", "Iy", "Iw"].map(|n| s.at(&format!("{body}.{n}.f"), i));
    0.5 * m * (x * x + y * y) + 0.5 * inertia * w * w
}

/// The pendulum's equation of motion, and energy.
#[test]
fn bond_graphs_of_pendulums() {
    let [phi, w] = runge_kutta([0.3, 0.0], 2.0, |_, [phi, w]: [f64; 2]| {
        [w, -2.0 * GRAVITY * 0.5 * phi.cos() / (0.3 + 2.0 * 0.25)]
    });
    both("BondPendulum.dym", "", 2.0, |s| {
        let last = s.len() - 1;
        assert!((s.at("P.phi", last) - phi).abs() < 1e-6 && (s.at("P.Iw.f", last) - w).abs() < 1e-6);
    });
    both("BondDoublePendulum.dym", "", 2.0, |s| {
        s.constant("energy", 30.0, |i| {
            let (a, b) = (s.at("P1.phi", i).sin(), s.at("P2.phi", i).sin());
            let potential = GRAVITY * (2.0 * 0.5 * a + 1.0 * (a + 0.4 * b));
            planar(s, "P1", 2.0, 0.3, i) + planar(s, "P2", 1.0, 0.2, i) + potential
        });
    });
}

/// Energy, and the loop stays closed.
#[test]
fn bond_graph_of_a_slider_crank() {
    both("BondSliderCrank.dym", "", 1.0, |s| {
        s.constant("across the guide", 1.0, |i| {
            0.1 * s.at("crank.phi", i).sin() + 0.3 * s.at("rod.phi", i).sin()
        });
        s.constant("energy", 2.0, |i| {
            let (a, b) = (s.at("crank.phi", i).sin(), s.at("rod.phi", i).sin());
            let potential = GRAVITY * (0.5 * 0.05 * a + 0.4 * (0.1 * a + 0.15 * b));
            let (v, w) = (s.at("slider.f", i), s.at("flywheel.f", i));
            let rest = 0.5 * 0.6 * v * v + 0.5 * 0.01 * w * w;
            planar(s, "crank", 0.5, 0.001, i) + planar(s, "rod", 0.4, 0.003, i) + rest + potential
        });
    });
}

/// The three small models of the paper on inline integration.
#[test]
fn small_models_of_inline_integration() {
    both("TwoFilters.mo", "", 1.0, |s| {
        s.follows("x2", 1e-7, |t| 1.0 - (0.1 * (-t / 0.1).exp() - 0.02 * (-t / 0.02).exp()) / 0.08);
    });
    both("SecondOrder.mo", "", 10.0, |s| s.constant("energy", 5.0, |i| s.at("E", i)));
    let end = runge_kutta([0.5, 0.0, 0.0], 5.0, |t, [x, x1, x2]: [f64; 3]| {
        let y = x + 0.1 * x * x * x;
        [-x - x * x * x - 0.5 * x1 + t.sin(), x2, -5.6 * x2 - 16.0 * x1 + 16.0 * y]
    });
    both("Feedback.mo", "", 5.0, |s| {
        let last = s.len() - 1;
        for (name, exact) in ["x", "x1", "x2"].into_iter().zip(end) {
            let found = s.at(name, last);
            assert!((found - exact).abs() < 1e-6, "{name}: {found}, not {exact}");
        }
    });
}
