//! Clocks in the C text (specification chapter 16): when they tick, and one function for what is computed at the ticks of each.
//!
//! ```text
//! model_clock_B_K      what is computed when clock K of base clock B ticks; in parts where other clocks come between
//! model_tick_B         tick n of base clock B: intervals, previous values, and the functions of the clocks that tick
//! model_next_tick_B    the first tick of one of its clocks after tick n
//! model_mark_ticks     which base clocks are due at m->time
//! model_ticks          makes the ticks that are due
//! model_risen          ticks of event clocks whose condition has become true
//! ```
//!
//! Ticks are counted as in a run, so they come at the same instants, to the last digit: tick `n` of a periodic base clock is at
//! `start + n*unit/resolution`. Numbers of ticks are doubles, exact up to 2^53.
//!
//! Everything that must be undone where an event fails is in one array, `clock`: for each base clock the next tick, the unit, the
//! last tick that is a multiple of the unit and its instant, whether the condition holds, and the tick that is due (below zero: none); for
//! each clock whether it has ticked, and when.

use kausal_translate::Program;
use kausal_translate::program::{BaseClock, ClockTrigger, SubClock};

use super::section::{Phase, Sections};
use super::text::{comment, literal, string};
use crate::chunk::Error;

/// Places of a base clock.
const NEXT: usize = 0;
const UNIT: usize = 1;
const WHOLE: usize = 2;
const WHOLE_AT: usize = 3;
const HOLDS: usize = 4;
const DUE: usize = 5;
const A_BASE: usize = 6;
/// Places of a clock: has it ticked, and when.
const A_CLOCK: usize = 2;

/// How many numbers the clocks need.
pub(super) fn numbers(program: &Program) -> usize {
    program.clocks.iter().map(|base| A_BASE + A_CLOCK * base.clocks.len()).sum()
}

/// Where the numbers of each base clock begin.
fn places(program: &Program) -> Vec<usize> {
    let lengths = program.clocks.iter().map(|base| A_BASE + A_CLOCK * base.clocks.len());
    lengths
        .scan(0, |at, length| {
            *at += length;
            Some(*at - length)
        })
        .collect()
}

/// Writes all of it; nothing where there are no clocks.
pub(crate) fn write(sections: &mut Sections<'_>, program: &Program) -> Result<(), Error> {
    if program.clocks.is_empty() {
        return Ok(());
    }
    let n = numbers(program);
    sections.fields.push(format!("double clock[{n}], clock_before[{n}]; /* how far the clocks have come */"));
    sections.fields.push("double clock_start; /* ticks are counted from here */".to_owned());
    let units = program.clocks.iter().filter_map(|base| match base.trigger {
        ClockTrigger::Periodic(unit) => Some(unit),
        ClockTrigger::Event { start_interval, .. } => start_interval,
        ClockTrigger::Varying { .. } => None,
    });
    sections.expressions("model_clock_units", units)?;
    let places = places(program);
    for (b, base) in program.clocks.iter().enumerate() {
        computations(sections, b, base)?;
        if !matches!(base.trigger, ClockTrigger::Event { .. }) {
            sections.functions.push(next_tick(b, base));
        }
        sections.functions.push(tick(b, base, places[b]));
    }
    sections.functions.push(start(program, &places));
    sections.functions.push(mark(program, &places));
    sections.functions.push(ticks(program, &places));
    sections.functions.push(risen(program, &places));
    Ok(())
}

/// What is computed at ticks, and before the first one.
fn computations(sections: &mut Sections<'_>, b: usize, base: &BaseClock) -> Result<(), Error> {
    let titled = |sections: &mut Sections<'_>, name: &str, steps: &[_], phase, title: String| {
        sections.hidden_section(name, steps, phase)?;
        if let Some(function) = sections.functions.last_mut() {
            function.insert_str(0, &format!("/* {title} */\n"));
        }
        Ok::<(), Error>(())
    };
    for (k, clock) in base.clocks.iter().enumerate().filter(|(_, clock)| !clock.initial.is_empty()) {
        let title = format!("Before the first tick of {}.", comment(&clock.name));
        titled(sections, &start_name(b, k), &clock.initial, Phase::Initial, title)?;
    }
    for (j, piece) in base.pieces.iter().enumerate() {
        let Some(clock) = base.clocks.get(piece.clock as usize) else { continue };
        let title = format!("At ticks of {}.", comment(&clock.name));
        titled(sections, &piece_name(b, base, j), &piece.steps, Phase::Event, title)?;
    }
    Ok(())
}

fn start_name(b: usize, k: usize) -> String {
    format!("model_clock_{}_{}_start", b + 1, k + 1)
}

/// One function a clock; where the computations of other clocks come between, it has parts.
fn piece_name(b: usize, base: &BaseClock, j: usize) -> String {
    let clock = base.pieces[j].clock;
    let of_it = |piece: &&kausal_translate::program::Piece| piece.clock == clock;
    let name = format!("model_clock_{}_{}", b + 1, clock + 1);
    match base.pieces.iter().filter(of_it).count() {
        1 => name,
        _ => format!("{name}_{}", base.pieces[..=j].iter().filter(of_it).count()),
    }
}

fn is_active(clock: &SubClock) -> String {
    format!("n >= {0}.0 && fmod(n - {0}.0, {1}.0) == 0.0", clock.shift, clock.factor)
}

fn next_tick(b: usize, base: &BaseClock) -> String {
    let mut out = format!(
        "/* The first tick of the base clock {} after tick n. */\nstatic double model_next_tick_{}(double n)\n{{\n    \
         double next = 9007199254740992.0;\n",
        comment(&base.name),
        b + 1
    );
    for clock in &base.clocks {
        let SubClock { shift, factor, .. } = clock;
        out.push_str(&format!(
            "    next = fmin(next, n < {shift}.0 ? {shift}.0 : {shift}.0 + (floor((n - {shift}.0)/{factor}.0) + 1.0)*{factor}.0);\n"
        ));
    }
    out.push_str("    return next;\n}\n");
    out
}

/// Tick `n` of a base clock.
fn tick(b: usize, base: &BaseClock, at: usize) -> String {
    let mut body: Vec<String> = Vec::new();
    let resolution = literal(base.resolution as f64);
    for (k, clock) in base.clocks.iter().enumerate() {
        let own = at + A_BASE + A_CLOCK * k;
        body.push(format!("if ({}) {{", is_active(clock)));
        if !clock.initial.is_empty() {
            body.push(format!("    if (clock[{own}] == 0.0 && {}(m)) return 1;", start_name(b, k)));
        }
        let usual = match base.trigger {
            ClockTrigger::Event { .. } => format!("clock[{}]", at + UNIT),
            _ => format!("{}*clock[{}]/{resolution}", literal(clock.factor as f64), at + UNIT),
        };
        let interval = match base.trigger {
            ClockTrigger::Periodic(_) => usual,
            _ => format!("clock[{own}] == 0.0 ? {usual} : m->time - clock[{}]", own + 1),
        };
        if clock.interval.is_some() || clock.step.is_some() {
            body.push(format!("    const double interval = {interval};"));
        }
        if let Some(slot) = clock.interval {
            body.push(format!("    v[{}] = interval;", slot.0));
        }
        if let Some(slot) = clock.first_tick {
            body.push(format!("    v[{}] = clock[{own}] == 0.0;", slot.0));
        }
        if let Some(slot) = clock.step {
            body.push(format!("    v[{}] = clock[{own}] == 0.0 ? 0.0 : interval;", slot.0));
        }
        body.push(format!("    clock[{own}] = 1.0;"));
        body.push(format!("    clock[{}] = m->time;", own + 1));
        for previous in &clock.previous {
            body.push(format!("    v[{}] = v[{}];", previous.slot.0, previous.variable.0));
        }
        body.push("}".to_owned());
    }
    if let ClockTrigger::Varying { variable, resolution: None } = base.trigger {
        body.push(format!("const double before = v[{}];", variable.0));
    }
    for (j, piece) in base.pieces.iter().enumerate() {
        let Some(clock) = base.clocks.get(piece.clock as usize) else { continue };
        body.push(format!("if ({} && {}(m)) return 1;", is_active(clock), piece_name(b, base, j)));
    }
    if let ClockTrigger::Varying { variable, resolution: divided } = base.trigger {
        body.push(format!("if (fmod(n, {resolution}) == 0.0) {{"));
        body.push(match divided {
            Some(divided) => format!("    clock[{}] = v[{}]/{};", at + UNIT, variable.0, literal(divided)),
            None => format!("    clock[{}] = before;", at + UNIT),
        });
        body.extend(positive(base, at).into_iter().map(|line| format!("    {line}")));
        body.push(format!("    clock[{}] = n;", at + WHOLE));
        body.push(format!("    clock[{}] = m->time;", at + WHOLE_AT));
        body.push("}".to_owned());
    }
    body.push("return 0;".to_owned());
    let mut out = format!(
        "/* Tick n of the base clock {}. */\nstatic int model_tick_{}(model *m, double n)\n{{\n    \
         double *const v = m->v, *const clock = m->clock;\n    (void)v;\n    (void)n;\n",
        comment(&base.name),
        b + 1
    );
    body.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    out.push_str("}\n");
    out
}

/// Fails where the unit of a base clock is no time.
fn positive(base: &BaseClock, at: usize) -> [String; 1] {
    let name = base.clocks.first().map_or(base.name.as_str(), |clock| clock.name.as_str());
    let said = string(&format!("the interval of the clock {name} is not above 0"));
    let unit = format!("clock[{}]", at + UNIT);
    [format!("if (!({unit} > 0.0 && isfinite({unit}))) {{ m->message = {said}; return 1; }}")]
}

/// Ticks are counted from the current instant on.
fn start(program: &Program, places: &[usize]) -> String {
    let mut out =
        String::from("static int model_start_clocks(model *m)\n{\n    double *const clock = m->clock;\n");
    let mut units = 0;
    let mut body = vec![
        "m->clock_start = m->time;".to_owned(),
        format!("for (int i = 0; i < {}; i++) clock[i] = 0.0;", numbers(program)),
    ];
    for (b, (base, &at)) in program.clocks.iter().zip(places).enumerate() {
        match base.trigger {
            ClockTrigger::Periodic(_) => {
                body.push(format!("clock[{}] = unit[{units}];", at + UNIT));
                body.extend(positive(base, at));
                units += 1;
            }
            ClockTrigger::Varying { variable, resolution } => body.push(format!(
                "clock[{}] = m->v[{}]/{};",
                at + UNIT,
                variable.0,
                literal(resolution.unwrap_or(1.0))
            )),
            ClockTrigger::Event { start_interval: Some(_), .. } => {
                body.push(format!("clock[{}] = unit[{units}];", at + UNIT));
                units += 1;
            }
            ClockTrigger::Event { .. } => {}
        }
        if !matches!(base.trigger, ClockTrigger::Event { .. }) {
            body.push(format!("clock[{}] = model_next_tick_{}(-1.0);", at + NEXT, b + 1));
        }
        body.push(format!("clock[{}] = m->time;", at + WHOLE_AT));
        body.push(format!("clock[{}] = -1.0;", at + DUE));
    }
    if units > 0 {
        out.push_str(&format!("    double unit[{units}];\n    model_clock_units(m, unit);\n"));
    }
    body.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    out.push_str("    return 0;\n}\n");
    out
}

/// When the next tick is; none of event clocks.
fn instant(base: &BaseClock, at: usize) -> Option<String> {
    let resolution = literal(base.resolution as f64);
    match base.trigger {
        ClockTrigger::Periodic(_) => {
            Some(format!("m->clock_start + clock[{}]*clock[{}]/{resolution}", at + NEXT, at + UNIT))
        }
        ClockTrigger::Varying { .. } => Some(format!(
            "clock[{}] + (clock[{}] - clock[{}])*clock[{}]/{resolution}",
            at + WHOLE_AT,
            at + NEXT,
            at + WHOLE,
            at + UNIT
        )),
        ClockTrigger::Event { .. } => None,
    }
}

/// The base clocks that are due, with `made` they are marked; are there some?
fn mark(program: &Program, places: &[usize]) -> String {
    let mut out = String::from(
        "/* Is a clock due? Those that are, are marked. */\nstatic int model_mark_ticks(model *m)\n{\n    \
         double *const clock = m->clock;\n    int due = 0;\n    (void)clock;\n",
    );
    for (b, (base, &at)) in program.clocks.iter().zip(places).enumerate() {
        let Some(instant) = instant(base, at) else { continue };
        out.push_str(&format!(
            "    {{\n        const double instant = {instant};\n        \
             if (instant <= m->time || kausal_same_instant(instant, m->time)) {{\n            \
             clock[{1}] = clock[{0}];\n            clock[{0}] = model_next_tick_{2}(clock[{0}]);\n            \
             due = 1;\n        }}\n    }}\n",
            at + NEXT,
            at + DUE,
            b + 1
        ));
    }
    out.push_str("    return due;\n}\n");
    out
}

/// Lines that ask whether an instant of a clock has come.
pub(super) fn is_due(program: &Program) -> Vec<String> {
    let places = places(program);
    let bases = program.clocks.iter().zip(places);
    let instants: Vec<String> = bases.filter_map(|(base, at)| instant(base, at)).collect();
    let mut out = Vec::new();
    if !instants.is_empty() {
        out.push("const double *const clock = m->clock;".to_owned());
    }
    for instant in instants {
        out.push("{".to_owned());
        out.push(format!("    const double tick = {instant};"));
        out.push("    if (tick <= m->time || kausal_same_instant(tick, m->time)) return 1;".to_owned());
        out.push("}".to_owned());
    }
    out
}

fn ticks(program: &Program, places: &[usize]) -> String {
    let mut out = String::from(
        "/* Makes the ticks that are due. What they sample is what continuous time was before the event. */\n\
         static int model_ticks(model *m)\n{\n    double *const v = m->v, *const clock = m->clock;\n    (void)v;\n",
    );
    // What only ticks need is computed with what only results need.
    if program.clocks.iter().any(|base| !base.sampled.is_empty()) {
        out.push_str("    if (model_compute_outputs(m)) return 1;\n");
    }
    for sampled in program.clocks.iter().flat_map(|base| &base.sampled) {
        out.push_str(&format!("    v[{}] = v[{}];\n", sampled.slot.0, sampled.source.0));
    }
    for (b, &at) in places.iter().enumerate() {
        out.push_str(&format!(
            "    if (clock[{0}] >= 0.0) {{\n        const double n = clock[{0}];\n        clock[{0}] = -1.0;\n        \
             if (model_tick_{1}(m, n)) return 1;\n    }}\n",
            at + DUE,
            b + 1
        ));
    }
    out.push_str("    return 0;\n}\n");
    out
}

fn risen(program: &Program, places: &[usize]) -> String {
    let mut out = String::from(
        "/* Makes ticks of event clocks whose condition has become true: sets changed. */\n\
         static int model_risen(model *m, int *changed)\n{\n    double *const clock = m->clock;\n    (void)clock;\n    (void)changed;\n",
    );
    for (b, (base, &at)) in program.clocks.iter().zip(places).enumerate() {
        let ClockTrigger::Event { condition, .. } = base.trigger else { continue };
        out.push_str(&format!(
            "    {{\n        const double now = m->v[{0}] != 0.0, before = clock[{1}];\n        clock[{1}] = now;\n        \
             if (now != 0.0 && before == 0.0) {{\n            const double n = clock[{2}];\n            clock[{2}] = n + 1.0;\n            \
             if (model_tick_{3}(m, n)) return 1;\n            *changed = 1;\n        }}\n    }}\n",
            condition.0,
            at + HOLDS,
            at + NEXT,
            b + 1
        ));
    }
    out.push_str("    return 0;\n}\n");
    out
}
