//! Where the equations of a model come from and where they went: each is counted exactly once.
//!
//! The equations are those that `kausal check` counts: the equations of the flat model, one for each variable that `when`
//! clauses assign, one for each input that is given from outside. What the translation adds (derivatives of equations,
//! differences that are watched for events) is counted beside them.

use std::collections::{HashMap, HashSet};

use kausal_model::FlatModel;
use kausal_model::check::{assigned_in, count, is_auxiliary};
use kausal_model::flat::{Equation, OriginKind};
use kausal_symbolic::Node;
use kausal_translate::Program;
use kausal_translate::program::{EquationRef, Form, Step, Trivial};
use serde::Serialize;

use super::systems::systems;

/// What became of an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It stands for an input, which is given from outside.
    Given,
    /// It says that two variables are equal or opposite: one stands for both.
    Same,
    /// It gives a variable a number.
    Number,
    /// It gives a derivative a name.
    Derivative,
    /// Solved alone, once, from parameters.
    Once,
    /// In a loop that is solved once, from parameters.
    OnceLoop,
    /// Solved alone in each evaluation.
    Alone,
    /// In a loop that is solved in each evaluation.
    Loop,
    /// Solved alone, only at output points.
    Late,
    /// In a loop that is evaluated only at output points.
    LateLoop,
    /// Solved at events.
    Event,
    /// In a loop of conditions and discrete variables at events.
    EventLoop,
    /// Solved at ticks of clocks.
    Tick,
    /// It says what a clock is.
    Clock,
    /// In no step at all.
    Nowhere,
}

impl Fate {
    /// The words for so many equations (in so many loops) that went there.
    pub fn words(self, equations: usize, loops: usize) -> String {
        let one = equations == 1;
        let be = if one { "is" } else { "are" };
        let in_loops = |when: &str| match loops {
            1 => format!("{be} in 1 loop{when}"),
            n => format!("{be} in {n} loops{when}"),
        };
        match self {
            Fate::Given if one => "stands for an input, which is given from outside".into(),
            Fate::Given => "stand for inputs, which are given from outside".into(),
            Fate::Same if one => "alias equation (eliminated)".into(),
            Fate::Same => "alias equations (eliminated)".into(),
            Fate::Number if one => "says that a variable is a certain number, and is gone".into(),
            Fate::Number => "say that a variable is a certain number, and are gone".into(),
            Fate::Derivative if one => "gives a derivative a name, and is gone".into(),
            Fate::Derivative => "give a derivative a name, and are gone".into(),
            Fate::Once => format!("{be} solved once, from parameters"),
            Fate::OnceLoop => in_loops(", solved once, from parameters"),
            Fate::Alone if one => "is solved by itself in each evaluation".into(),
            Fate::Alone => "are solved one by one in each evaluation".into(),
            Fate::Loop => in_loops(", solved together in each evaluation"),
            Fate::Late => "evaluated only at output points".into(),
            Fate::LateLoop => in_loops(", solved together only at output points"),
            Fate::Event => format!("{be} solved at events"),
            Fate::EventLoop => format!("{be} solved together with conditions at events"),
            Fate::Tick => format!("{be} solved at ticks of clocks"),
            Fate::Clock if one => "says when a clock ticks, and is gone".into(),
            Fate::Clock => "say when clocks tick, and are gone".into(),
            Fate::Nowhere => format!("{be} not needed"),
        }
    }

    /// The same in a few words.
    pub fn short(self) -> &'static str {
        match self {
            Fate::Given => "inputs",
            Fate::Same => "equalities, gone",
            Fate::Number => "numbers, gone",
            Fate::Derivative => "names of derivatives, gone",
            Fate::Once => "solved once",
            Fate::OnceLoop => "in loops solved once",
            Fate::Alone => "solved one by one",
            Fate::Loop => "in loops",
            Fate::Late => "for results only",
            Fate::LateLoop => "in loops for results only",
            Fate::Event => "at events",
            Fate::EventLoop => "in loops at events",
            Fate::Tick => "at ticks",
            Fate::Clock => "clocks, gone",
            Fate::Nowhere => "not needed",
        }
    }
}

/// How many equations went one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Went {
    /// Where.
    pub fate: Fate,
    /// How many equations.
    pub equations: usize,
    /// In how many loops.
    pub loops: usize,
}

/// How many equations come from one kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// `written as equations`, …
    pub what: &'static str,
    /// How many.
    pub equations: usize,
}

/// The account of all equations.
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    /// All equations, as `kausal check` counts them.
    pub equations: usize,
    /// All unknowns.
    pub unknowns: usize,
    /// Where they come from, with how many.
    pub from: Vec<Source>,
    /// Where they went; the sum is [`Account::equations`].
    pub went: Vec<Went>,
    /// Derivatives of equations that are solved beside them.
    pub derivatives: usize,
    /// Other equations the translation added: differences of conditions, delays and the like.
    pub helpers: usize,
}

/// Makes the account.
pub fn account(flat: &FlatModel, program: &Program) -> Account {
    let counts = count(flat);
    let seen = seen(program);
    let places: HashMap<u32, Fate> = seen
        .iter()
        .rev()
        .filter_map(|(e, fate)| Some((program.equations[e.0 as usize].model?, *fate)))
        .collect();
    let trivial: HashMap<u32, Fate> = program
        .report
        .trivial
        .iter()
        .map(|(place, what)| {
            let fate = match what {
                Trivial::Same => Fate::Same,
                Trivial::Number => Fate::Number,
                Trivial::Derivative => Fate::Derivative,
            };
            (*place, fate)
        })
        .collect();
    let mut tally: HashMap<Fate, usize> = HashMap::new();
    let mut kinds: HashMap<&'static str, usize> = HashMap::new();
    for (equation, i) in flat.equations.iter().zip(0u32..) {
        if defines_auxiliary(flat, equation) {
            continue;
        }
        *kinds.entry(kind_of(equation.origin.kind)).or_default() += 1;
        let unseen = if defines_clock(flat, equation) { Fate::Clock } else { Fate::Nowhere };
        let fate = trivial.get(&i).or_else(|| places.get(&i)).copied().unwrap_or(unseen);
        *tally.entry(fate).or_default() += 1;
    }
    let mut assigned = Default::default();
    for branch in flat.whens.iter().flat_map(|when| &when.branches) {
        assigned_in(&branch.actions, &mut assigned);
    }
    let clocked: usize = flat.clocked.iter().map(|when| when.equations.len()).sum();
    let of_whens = assigned.len() + clocked;
    let counted: usize = tally.values().sum::<usize>() + of_whens;
    let given = counts.equations.saturating_sub(counted);
    for (fate, more) in [(Fate::Event, assigned.len()), (Fate::Tick, clocked), (Fate::Given, given)] {
        if more > 0 {
            *tally.entry(fate).or_default() += more;
        }
    }
    kinds.extend([("of when clauses", of_whens), ("inputs", given)].into_iter().filter(|(_, n)| *n > 0));
    let loops = |fate: Fate| match fate {
        Fate::OnceLoop => systems(&[&program.parameters]).len(),
        Fate::Loop => systems(&[&program.dynamics]).len(),
        Fate::LateLoop => systems(&[&program.outputs]).len(),
        _ => 0,
    };
    let mut went: Vec<Went> =
        tally.into_iter().map(|(fate, equations)| Went { fate, equations, loops: loops(fate) }).collect();
    went.sort_by_key(|went| went.fate);
    let added: Vec<u32> = seen
        .iter()
        .filter(|(e, fate)| *fate < Fate::Event && program.equations[e.0 as usize].model.is_none())
        .map(|(e, _)| program.equations[e.0 as usize].differentiated)
        .collect();
    let derivatives = added.iter().filter(|times| **times > 0).count();
    Account {
        equations: counts.equations,
        unknowns: counts.unknowns,
        from: KINDS.iter().filter_map(|what| Some(Source { what, equations: *kinds.get(what)? })).collect(),
        went,
        derivatives,
        helpers: added.len() - derivatives,
    }
}

const KINDS: [&str; 8] = [
    "written as equations",
    "in declarations",
    "of algorithms",
    "from connections",
    "sums of flows",
    "flows of open connectors",
    "of when clauses",
    "inputs",
];

fn kind_of(kind: OriginKind) -> &'static str {
    match kind {
        OriginKind::Equation => KINDS[0],
        OriginKind::Binding => KINDS[1],
        OriginKind::Algorithm => KINDS[2],
        OriginKind::Connect => KINDS[3],
        OriginKind::FlowSum => KINDS[4],
        OriginKind::Unconnected => KINDS[5],
    }
}

/// Is this the equation of a variable that flattening made for the condition of a `when` statement?
fn defines_auxiliary(flat: &FlatModel, equation: &Equation) -> bool {
    match flat.pool.node(equation.lhs) {
        Node::Var(v) => is_auxiliary(&flat.variables[v.index()].name),
        _ => false,
    }
}

/// Does the equation speak of a clock?
fn defines_clock(flat: &FlatModel, equation: &Equation) -> bool {
    let is_clock = |side| match flat.pool.node(side) {
        Node::Var(v) => flat.variables[v.index()].ty == kausal_model::flat::Type::Clock,
        _ => false,
    };
    is_clock(equation.lhs) || is_clock(equation.rhs)
}

/// The equations of the steps, each once, at the first place it is solved at.
fn seen(program: &Program) -> Vec<(EquationRef, Fate)> {
    let clocked = program.clocks.iter().flat_map(|base| &base.pieces);
    let clocked = clocked.map(|piece| (&piece.steps, Fate::Tick, Fate::Tick));
    let sections = [
        (&program.parameters, Fate::Once, Fate::OnceLoop),
        (&program.dynamics, Fate::Alone, Fate::Loop),
        (&program.outputs, Fate::Late, Fate::LateLoop),
        (&program.discrete, Fate::Event, Fate::EventLoop),
    ];
    let mut known: HashSet<EquationRef> = HashSet::new();
    let mut seen = Vec::new();
    for (section, alone, together) in sections.into_iter().chain(clocked) {
        let mut stack: Vec<&Step> = section.iter().rev().collect();
        let mut note = |e: EquationRef, fate: Fate| {
            if known.insert(e) {
                seen.push((e, fate));
            }
        };
        while let Some(step) = stack.pop() {
            match step {
                Step::Assign(a) => {
                    if let Some(e) = a.equation {
                        note(e, alone);
                    }
                }
                Step::System(system) => match &system.form {
                    // Where only a part of a loop of conditions depends on itself, the rest is solved alone.
                    Form::Mixed { continuous, .. } if together != Fate::EventLoop => {
                        stack.extend(continuous.iter().rev());
                    }
                    _ => system.equations.iter().for_each(|e| note(*e, together)),
                },
                Step::When(when) => stack.extend(when.branches.iter().flat_map(|b| &b.steps)),
                Step::If(_, yes, no) => stack.extend(yes.iter().chain(no)),
                _ => {}
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Session, balance};

    fn checked(session: &mut Session, model: &str) -> Account {
        let flat =
            session.flatten(model).unwrap_or_else(|| panic!("{model}: {:?}", session.take_diagnostics()));
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let account = account(&flat, &program);
        let balance = balance(&flat);
        assert_eq!((account.equations, account.unknowns), (balance.equations, balance.unknowns), "{model}");
        let went: usize = account.went.iter().map(|w| w.equations).sum();
        let from: usize = account.from.iter().map(|source| source.equations).sum();
        assert_eq!((went, from), (account.equations, account.equations), "{model}: {account:?}");
        assert!(account.went.iter().all(|w| w.fate != Fate::Nowhere), "{model}: {account:?}");
        for w in &account.went {
            let in_loops = matches!(w.fate, Fate::OnceLoop | Fate::Loop | Fate::LateLoop);
            assert_eq!(in_loops, w.loops > 0, "{model}: {account:?}");
        }
        account
    }

    /// Nothing is lost and nothing counted twice.
    #[test]
    fn the_equations_of_all_examples_are_accounted_for() {
        let examples = crate::examples::examples();
        assert!(examples.len() > 40);
        for (name, _) in examples {
            checked(&mut Session::new(), &name);
        }
        for (name, _) in crate::examples::tutorial() {
            let copy = crate::examples::copy(&name).expect("a step of the tutorial");
            let mut session = Session::new();
            let model = session.add_text(&copy.file, &copy.text).pop().expect("a class");
            checked(&mut session, &model);
        }
    }

    /// Counted by hand: one of each kind, with an input, an algorithm and a `when` clause.
    #[test]
    fn each_kind_is_told_apart() {
        let mut session = Session::new();
        session.add_text(
            "M.mo",
            "model M
  input Real u;
  parameter Real p = 2;
  Real x(start = 1, fixed = true), same, number, v, once, alone, a, b, late;
  discrete Real held(start = 0);
  Boolean low;
equation
  der(x) = v;
  der(v) = -alone*x;
  same = v;
  number = 3;
  once = 2*p;
  alone = x + u;
  a + sin(b) = x;
  a*b + b = alone*held;
  late = a + same;
  low = x < 0.5;
  when low then
    held = x;
  end when;
end M;",
        );
        let account = checked(&mut session, "M");
        let of = |fate: Fate| account.went.iter().find(|w| w.fate == fate).map_or(0, |w| w.equations);
        assert_eq!(account.equations, 12);
        assert_eq!((of(Fate::Given), of(Fate::Number), of(Fate::Once)), (1, 1, 1), "{account:?}");
        // same = v, and low, which is the condition itself.
        assert_eq!((of(Fate::Same), of(Fate::Derivative)), (2, 1), "{account:?}");
        // der(v) = … and alone = …; the loop and what follows from it are results only.
        assert_eq!((of(Fate::Alone), of(Fate::LateLoop), of(Fate::Late)), (2, 2, 1), "{account:?}");
        assert_eq!(of(Fate::Event), 1, "{account:?}");
        // The condition is watched.
        assert_eq!((account.derivatives, account.helpers), (0, 1), "{account:?}");
    }
}
