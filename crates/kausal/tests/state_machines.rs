//! State machines (specification chapter 17): every rule against values counted by hand, every error by its code and its places.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Diagnostic, Session, Settings};

/// A model `M` whose clock ticks every second: its name in messages, its text, and what variables are at the ticks from 0 on.
struct Case {
    name: &'static str,
    text: &'static str,
    wanted: &'static [(&'static str, &'static [f64])],
}

/// Two states that count up and down.
const UP_DOWN: &str = "inner Integer i(start = 0);
    block Up outer output Integer i; equation i = previous(i) + 2; end Up;
    block Down outer output Integer i; equation i = previous(i) - 1; end Down;
    Up up; Down down;
    equation initialState(up);";

/// States that do nothing, on a clock of one second.
const EMPTY: &str =
    "block State end State; State a, b, c; Boolean go = sample(time > 1.5, Clock(1, 1)); Boolean ina, inb;
    equation ina = activeState(a); inb = activeState(b); initialState(a);";

/// A state that counts.
const COUNT: &str = "block Count Integer n(start = 0); equation n = previous(n) + 1; end Count;
    block Idle end Idle; Count count; Idle idle;
    equation initialState(count);";

const CASES: &[Case] = &[
    Case {
        name: "delayed transitions fire at the next tick",
        text: "UP_DOWN transition(up, down, i >= 5, immediate = false); transition(down, up, i < 4, immediate = false);",
        wanted: &[("i", &[2.0, 4.0, 6.0, 5.0, 4.0, 3.0, 5.0, 4.0, 3.0])],
    },
    Case {
        name: "immediate transitions fire before the state acts",
        text: "UP_DOWN transition(up, down, previous(i) >= 5); transition(down, up, previous(i) < 4);",
        wanted: &[("i", &[2.0, 4.0, 6.0, 5.0, 4.0, 3.0, 5.0, 4.0, 3.0])],
    },
    Case {
        name: "the active state is known in the same tick",
        text: "EMPTY transition(a, b, go);",
        wanted: &[("ina", &[1.0, 1.0, 0.0, 0.0]), ("inb", &[0.0, 0.0, 1.0, 1.0])],
    },
    Case {
        name: "a delayed one a tick later",
        text: "EMPTY transition(a, b, go, immediate = false);",
        wanted: &[("ina", &[1.0, 1.0, 1.0, 0.0]), ("inb", &[0.0, 0.0, 0.0, 1.0])],
    },
    Case {
        name: "the smallest priority comes first",
        text: "EMPTY transition(a, c, go, priority = 2); transition(a, b, go);",
        wanted: &[("inb", &[0.0, 0.0, 1.0, 1.0])],
    },
    Case {
        name: "a delayed transition may come before an immediate one",
        text: "EMPTY transition(a, b, true, immediate = false); transition(a, c, go, priority = 2);",
        wanted: &[("ina", &[1.0, 0.0, 0.0, 0.0]), ("inb", &[0.0, 1.0, 1.0, 1.0])],
    },
    Case {
        name: "ticks in a state, this one counted",
        text: "EMPTY transition(a, b, ticksInState() >= 3, immediate = false); transition(b, a, ticksInState() >= 2, immediate = false);",
        wanted: &[("ina", &[1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])],
    },
    Case {
        name: "an immediate transition sees the tick it fires at",
        text: "EMPTY transition(a, b, ticksInState() >= 3);",
        wanted: &[("ina", &[1.0, 1.0, 0.0, 0.0])],
    },
    Case {
        name: "time in a state",
        text: "EMPTY transition(a, b, timeInState() >= 2, immediate = false); transition(b, a, timeInState() > 0.5, immediate = false);",
        wanted: &[("ina", &[1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])],
    },
    Case {
        name: "a state that is left keeps its values, and starts again where it is reset",
        text: "COUNT transition(count, idle, count.n >= 2, immediate = false); transition(idle, count, true, immediate = false);",
        wanted: &[("count.n", &[1.0, 2.0, 2.0, 1.0, 2.0, 2.0, 1.0])],
    },
    Case {
        name: "without reset it goes on",
        text: "COUNT transition(count, idle, ticksInState() >= 2, immediate = false); \
               transition(idle, count, true, immediate = false, reset = false);",
        wanted: &[("count.n", &[1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0])],
    },
    Case {
        name: "a transition from a state to itself resets it",
        text: "COUNT transition(count, count, count.n >= 3, immediate = false);",
        wanted: &[("count.n", &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0])],
    },
    Case {
        name: "ticks in a state as a value",
        text: "block State Integer n; equation n = ticksInState(); end State; State a, b;
               equation initialState(a); transition(a, b, a.n >= 2, immediate = false);",
        wanted: &[("a.n", &[1.0, 2.0, 2.0, 2.0, 2.0]), ("b.n", &[0.0, 0.0, 1.0, 2.0, 3.0])],
    },
    Case {
        name: "equations of a state that are not solved for anything",
        text: "block State Real x, y; equation x + y = 10; x - y = ticksInState(); end State; State a; block Idle end Idle; Idle b;
               equation initialState(a); transition(a, b, ticksInState() >= 2, immediate = false);",
        wanted: &[("a.x", &[5.5, 6.0, 6.0]), ("a.y", &[4.5, 4.0, 4.0])],
    },
    Case {
        name: "outputs of states that are connected",
        text: "connector Out = output Real; connector In = input Real;
               block State Out y; parameter Real k; equation y = k*ticksInState(); end State;
               block Sink In u; Real v = 2*u; end Sink;
               State a(k = 1), b(k = 10); Sink sink;
               equation connect(a.y, sink.u); connect(b.y, sink.u);
               initialState(a); transition(a, b, ticksInState() >= 2, immediate = false);",
        wanted: &[("sink.v", &[2.0, 4.0, 20.0, 40.0])],
    },
    Case {
        name: "a machine in a state waits while that is left",
        text: "inner Integer n(start = 0);
               block Inner outer output Integer n; parameter Integer by; equation n = previous(n) + by; end Inner;
               block Outer inner outer output Integer n; Inner p(by = 1), q(by = 10);
                 equation initialState(p); transition(p, q, true, immediate = false); transition(q, p, true, immediate = false); end Outer;
               block Idle end Idle; Outer work; Idle idle;
               equation initialState(work); transition(work, idle, ticksInState() >= 3, immediate = false);
               transition(idle, work, true, immediate = false, reset = RESET);",
        // p q p, idle, q p q: without reset it goes on where it was.
        wanted: &[("n", &[1.0, 11.0, 12.0, 12.0, 22.0, 23.0, 33.0, 33.0])],
    },
    Case {
        name: "a machine in a state that is reset begins anew",
        text: "inner Integer n(start = 0);
               block Inner outer output Integer n; parameter Integer by; equation n = previous(n) + by; end Inner;
               block Outer inner outer output Integer n; Inner p(by = 1), q(by = 10);
                 equation initialState(p); transition(p, q, true, immediate = false); transition(q, p, true, immediate = false); end Outer;
               block Idle end Idle; Outer work; Idle idle;
               equation initialState(work); transition(work, idle, ticksInState() >= 3, immediate = false);
               transition(idle, work, true, immediate = false);",
        wanted: &[("n", &[1.0, 11.0, 12.0, 12.0, 13.0, 23.0, 24.0, 24.0])],
    },
    Case {
        name: "a transition that synchronizes waits for the machines in its state",
        text: "block State end State;
               block Two State a1, a2, b1, b2; equation
                 initialState(a1); transition(a1, a2, ticksInState() >= 2, immediate = false);
                 initialState(b1); transition(b1, b2, ticksInState() >= 4, immediate = false); end Two;
               Two two; State done; Boolean ended; equation ended = activeState(done);
               initialState(two); transition(two, done, true, synchronize = true, immediate = false);",
        // b2 is active at the fifth tick, so the transition fires at the sixth.
        wanted: &[("ended", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0])],
    },
    // The example of section 17.3.7: two machines in a state; counted by an interpreter of its own.
    Case {
        name: "hierarchical and parallel",
        text: include_str!("state_machines/hierarchical.mo"),
        wanted: &[(
            "v",
            &[
                2.0, 4.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0, 2.0, 4.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0,
                0.0, 0.0, 5.0, 10.0, 15.0, 20.0, 22.0, 21.0, 20.0, 19.0,
            ],
        )],
    },
];

fn whole(text: &str) -> String {
    let text = text
        .replace("UP_DOWN", UP_DOWN)
        .replace("EMPTY", EMPTY)
        .replace("COUNT", COUNT)
        .replace("RESET", "false");
    format!("model M {text} end M;")
}

/// The program of a model, and what is said about it.
fn translated(text: &str) -> (Session, Option<kausal::Program>, Vec<Diagnostic>) {
    let mut session = Session::new();
    session.add_text("M.mo", &whole(text));
    let flat = session.flatten("M");
    let program = flat.and_then(|flat| session.translate(&flat, &Default::default()));
    let said = session.take_diagnostics();
    (session, program, said)
}

fn words(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{} {}; ", d.code, d.message)).collect()
}

fn run(text: &str, stop: f64) -> Result<Run, String> {
    let (mut session, program, said) = translated(text);
    let program = program.ok_or_else(|| words(&said))?;
    let model = session.compile(program, Backend::Interpreter).ok_or("no code")?;
    let settings = Settings { stop, interval: 0.25, ..Settings::default() };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    match run.diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(words(&run.diagnostics)),
        false => Ok(run),
    }
}

/// What a variable is at an instant: the value of the last row at or before it.
fn at(run: &Run, name: &str, t: f64) -> Option<f64> {
    let row = run.trajectory.time.iter().rposition(|&time| time <= t)?;
    run.trajectory.get(name).map(|values| values[row])
}

#[test]
fn values_at_the_ticks() {
    let mut wrong = Vec::new();
    for case in CASES {
        let ticks = case.wanted.iter().map(|w| w.1.len()).max().unwrap_or(0);
        let run = match run(case.text, ticks as f64 - 0.5) {
            Ok(run) => run,
            Err(said) => {
                wrong.push(format!("{}: {said}", case.name));
                continue;
            }
        };
        for (name, values) in case.wanted {
            for (tick, value) in values.iter().enumerate() {
                let found = at(&run, name, tick as f64 + 0.3);
                if found.is_none_or(|found| (found - value).abs() > 1e-9) {
                    wrong.push(format!("{}: {name} is {found:?} and not {value} at tick {tick}", case.name));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ERRORS: &[(&str, usize, &str)] = &[
    ("K0390", 1, "block S end S; S a, b; equation initialState(a); when sample(0, 1) then transition(a, b, true); end when;"),
    ("K0390", 1, "block S end S; S a, b; Boolean x = transition(a, b, true); equation initialState(a);"),
    ("K0351", 1, "block S end S; S a, b; equation initialState(a); transition(a, b, 1);"),
    ("K0393", 1, "Real x = time; equation initialState(x);"),
    ("K0393", 1, "block S end S; S a, b, c; Boolean x = activeState(c); equation initialState(a); transition(a, b, true);"),
    ("K0393", 1, "block S end S; S a, b; Integer n = ticksInState(); equation initialState(a); transition(a, b, true);"),
    ("K0394", 1, "block S end S; S a, b; equation transition(a, b, true);"),
    ("K0394", 2, "block S end S; S a, b; equation initialState(a); initialState(b); transition(a, b, true);"),
    ("K0395", 2, "block S end S; S a, b, c; equation initialState(a); transition(a, b, true); transition(a, c, true);"),
    ("K0395", 1, "block S end S; S a, b; equation initialState(a); transition(a, b, true, priority = 0);"),
    (
        "K0396",
        2,
        "inner Integer i(start = 0); block S outer output Integer i; equation i = previous(i) + 1; end S; S a, b;
         equation initialState(a); initialState(b);",
    ),
    ("K0396", 1, "Integer i(start = 0); block S Integer n(start = 0); equation n = 1; n = 2; end S; S a; equation initialState(a);"),
    ("K0397", 1, "block S Real x; equation der(x) = 1; end S; S a; equation initialState(a);"),
    ("K0397", 1, "block S Real x; equation when time > 1 then x = 1; end when; end S; S a; equation initialState(a);"),
];

#[test]
fn errors_have_their_codes_and_places() {
    let mut wrong = Vec::new();
    for (code, places, text) in ERRORS {
        let (_, program, said) = translated(text);
        match said.iter().find(|d| d.code == *code) {
            None => wrong.push(format!("{code} is not said about {text}, but {}", words(&said))),
            Some(d) if d.labels.len() < *places => {
                wrong.push(format!("{code} shows {} places: {text}", d.labels.len()));
            }
            Some(_) if program.is_some() => wrong.push(format!("{code} and a program: {text}")),
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
