//! `kausal linearize`.

use std::fmt::Write;
use std::time::Duration;

use kausal::linearize::Linearization;
use kausal::{ErrorKind, Request};
use serde::Serialize;

use super::Outcome;
use super::sweep::loaded;
use crate::arguments::Linearize;
use crate::{interrupt, output};

#[derive(Serialize)]
#[allow(non_snake_case)]
struct Report<'a> {
    model: &'a str,
    time: f64,
    states: &'a [String],
    inputs: &'a [String],
    outputs: &'a [String],
    A: Vec<&'a [f64]>,
    B: Vec<&'a [f64]>,
    C: Vec<&'a [f64]>,
    D: Vec<&'a [f64]>,
    x: &'a [f64],
    dx: &'a [f64],
    u: &'a [f64],
    y: &'a [f64],
    poles: Vec<Pole>,
}

#[derive(Serialize)]
struct Pole {
    re: f64,
    im: f64,
}

pub fn run(arguments: &Linearize) -> Outcome {
    let Some(model) = loaded(&arguments.model, &arguments.translation) else { return Outcome::Wrong };
    let request = Request {
        start: arguments.start,
        tolerance: arguments.tolerance,
        method: arguments.method,
        step: arguments.step,
        inline: arguments.translation.inline,
        ..Request::default()
    };
    let mut linearize =
        model.linearize().request(request).steady(arguments.steady).cancel(interrupt::cancel());
    if let Some(at) = arguments.at {
        linearize = linearize.at(at);
    }
    if let Some(names) = &arguments.inputs {
        linearize = linearize.inputs(names.iter().filter(|name| !name.is_empty()));
    }
    if let Some(names) = &arguments.outputs {
        linearize = linearize.outputs(names.iter().filter(|name| !name.is_empty()));
    }
    // What is left of the limit of the command.
    let limit = arguments.bounds.timeout.map(Duration::from_secs_f64);
    linearize = linearize.limit(limit.map(|limit| limit.saturating_sub(interrupt::since())));
    interrupt::run();
    let made = linearize.run();
    interrupt::end();
    match made {
        Ok(linear) if arguments.json => {
            output::print_json(&report(model.name(), &linear));
            Outcome::Done
        }
        Ok(linear) => {
            output::print(&text(model.name(), &linear));
            Outcome::Done
        }
        Err(error) => {
            output::fail(&error);
            if error.kind() == ErrorKind::Request { Outcome::Misused } else { Outcome::Wrong }
        }
    }
}

/// The rows of a matrix.
fn rows(matrix: &[f64], rows: usize) -> Vec<&[f64]> {
    (0..rows).map(|i| &matrix[i * matrix.len() / rows..(i + 1) * matrix.len() / rows]).collect()
}

fn report<'a>(model: &'a str, linear: &'a Linearization) -> Report<'a> {
    let (n, p) = (linear.states.len(), linear.outputs.len());
    Report {
        model,
        time: linear.time,
        states: &linear.states,
        inputs: &linear.inputs,
        outputs: &linear.outputs,
        A: rows(&linear.a, n),
        B: rows(&linear.b, n),
        C: rows(&linear.c, p),
        D: rows(&linear.d, p),
        x: &linear.x,
        dx: &linear.dx,
        u: &linear.u,
        y: &linear.y,
        poles: linear.poles.iter().map(|&(re, im)| Pole { re, im }).collect(),
    }
}

/// Matrices with the names of their rows and columns; only entries that are not zero are said.
fn text(model: &str, linear: &Linearization) -> String {
    let mut text = format!("{model} at time {}\n", kausal::simulate::instant(linear.time));
    let line = |text: &mut String, name: &str, value: f64| _ = writeln!(text, "  {name} = {value}");
    // Writing into memory does not fail.
    for (title, names, values) in [
        ("states", &linear.states, &linear.x),
        ("inputs", &linear.inputs, &linear.u),
        ("outputs", &linear.outputs, &linear.y),
    ] {
        if !names.is_empty() {
            _ = writeln!(text, "{title}");
            names.iter().zip(values).for_each(|(name, value)| line(&mut text, name, *value));
        }
    }
    let parts = [
        ("A", &linear.a, &linear.states, &linear.states, true),
        ("B", &linear.b, &linear.states, &linear.inputs, true),
        ("C", &linear.c, &linear.outputs, &linear.states, false),
        ("D", &linear.d, &linear.outputs, &linear.inputs, false),
    ];
    for (title, matrix, of, by, derivative) in parts {
        if matrix.is_empty() {
            continue;
        }
        _ = writeln!(text, "{title}");
        for (row, name) in rows(matrix, of.len()).iter().zip(of) {
            for (value, by) in row.iter().zip(by).filter(|(value, _)| **value != 0.0) {
                let name = if derivative { format!("der({name})") } else { name.clone() };
                line(&mut text, &format!("{name} by {by}"), *value);
            }
        }
    }
    if !linear.poles.is_empty() {
        _ = writeln!(text, "poles");
        for (re, im) in &linear.poles {
            _ = match im {
                0.0 => writeln!(text, "  {re}"),
                im => writeln!(text, "  {re} {} {} i", if *im < 0.0 { '-' } else { '+' }, im.abs()),
            };
        }
    }
    text
}
