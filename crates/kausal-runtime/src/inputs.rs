//! What a run is given from outside: signals for the inputs of its model.
//!
//! A signal of points is linear between them, or keeps its value up to the next one where the input is held (it is not Real, or
//! declared `discrete`). Two points at one instant are a jump. Before the first point it has the value of that point, behind the last
//! point the value of that one. Where it has a kink or a jump the run has a time event, so that no step goes over it; up to the
//! event the piece before it holds, so that a step sees one smooth function. A signal that is a function is smooth but for the
//! instants it names.
//!
//! Derivatives of inputs that the program reads (index reduction makes them) are the slopes of the pieces. Second ones do not exist
//! for points: they are refused.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kausal_solver::persist::Unfit;
use kausal_symbolic::VarId;
use kausal_translate::Program;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::tolerances::is_same_instant;

/// A function of time.
pub type TimeFunction = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// A signal over time.
#[derive(Clone)]
pub struct Signal {
    shape: Shape,
}

#[derive(Clone)]
enum Shape {
    Pieces(Arc<[Piece]>),
    /// The value and its derivatives, and where they are not smooth.
    Function(Arc<[TimeFunction]>, Arc<[f64]>),
}

/// `value + slope*(t - from)` up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    from: f64,
    value: f64,
    slope: f64,
    end: f64,
}

/// Why points are no signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SignalError {
    /// There are none, or not as many values as instants.
    Empty,
    /// An instant or a value is not a finite number; by its place.
    NotFinite(usize),
    /// This instant is before the one in front of it.
    Backwards(usize),
}

impl Signal {
    /// Through points, in the order of time.
    pub fn points(times: &[f64], values: &[f64], held: bool) -> Result<Signal, SignalError> {
        if times.is_empty() || times.len() != values.len() {
            return Err(SignalError::Empty);
        }
        if let Some(i) = (0..times.len()).find(|&i| !times[i].is_finite() || !values[i].is_finite()) {
            return Err(SignalError::NotFinite(i));
        }
        if let Some(i) = times.windows(2).position(|t| t[1] < t[0]) {
            return Err(SignalError::Backwards(i + 1));
        }
        let mut pieces = vec![Piece { from: times[0], value: values[0], slope: 0.0, end: times[0] }];
        for i in 0..times.len() - 1 {
            let (from, end) = (times[i], times[i + 1]);
            if end > from {
                let slope = if held { 0.0 } else { (values[i + 1] - values[i]) / (end - from) };
                join(&mut pieces, Piece { from, value: values[i], slope, end });
            }
        }
        let last = times.len() - 1;
        join(&mut pieces, Piece { from: times[last], value: values[last], slope: 0.0, end: f64::INFINITY });
        Ok(Signal { shape: Shape::Pieces(pieces.into()) })
    }

    /// A line through a point, without an end.
    pub fn line(from: f64, value: f64, slope: f64) -> Signal {
        Signal { shape: Shape::Pieces(Arc::from([Piece { from, value, slope, end: f64::INFINITY }])) }
    }

    /// A function of time.
    pub fn function(value: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Signal {
        Signal { shape: Shape::Function(Arc::from([Arc::new(value) as TimeFunction]), Arc::from([])) }
    }

    /// The same with its next derivative.
    pub fn with_derivative(self, derivative: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Signal {
        match self.shape {
            Shape::Function(functions, breaks) => {
                let next = std::iter::once(Arc::new(derivative) as TimeFunction);
                Signal { shape: Shape::Function(functions.iter().cloned().chain(next).collect(), breaks) }
            }
            pieces => Signal { shape: pieces },
        }
    }

    /// The same with the instants at which it has kinks or jumps; at a jump its value is the one behind it.
    pub fn with_breaks(self, mut breaks: Vec<f64>) -> Signal {
        breaks.sort_by(f64::total_cmp);
        match self.shape {
            Shape::Function(functions, _) => Signal { shape: Shape::Function(functions, breaks.into()) },
            pieces => Signal { shape: pieces },
        }
    }

    /// Can it be that of this input?
    pub(crate) fn suits(&self, program: &Program, variable: VarId) -> Result<(), InputError> {
        let input = program.inputs.iter().find(|input| input.variable == variable);
        let input = input.ok_or(InputError::NotAnInput)?;
        if input.derivatives.len() > self.derivatives() {
            return Err(InputError::NoDerivative(self.derivatives() + 1));
        }
        if input.held && self.is_function() {
            return Err(InputError::Held);
        }
        Ok(())
    }

    /// How many derivatives it has.
    fn derivatives(&self) -> usize {
        match &self.shape {
            Shape::Pieces(_) => 1,
            Shape::Function(functions, _) => functions.len() - 1,
        }
    }

    fn is_function(&self) -> bool {
        matches!(self.shape, Shape::Function(..))
    }

    fn value(&self, piece: usize, t: f64, order: usize) -> f64 {
        match &self.shape {
            Shape::Function(functions, _) => functions[order](t),
            Shape::Pieces(pieces) => match order {
                0 => pieces[piece].value + pieces[piece].slope * (t - pieces[piece].from),
                _ => pieces[piece].slope,
            },
        }
    }

    /// Where a piece ends.
    fn end(&self, piece: usize) -> f64 {
        match &self.shape {
            Shape::Function(_, breaks) => breaks.get(piece).copied().unwrap_or(f64::INFINITY),
            Shape::Pieces(pieces) => pieces[piece].end,
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Pieces(pieces) => f.debug_tuple("Pieces").field(&pieces.len()).finish(),
            Shape::Function(functions, _) => f.debug_tuple("Function").field(&functions.len()).finish(),
        }
    }
}

/// Adds a piece; one that goes on as the last one does makes that one longer.
fn join(pieces: &mut Vec<Piece>, next: Piece) {
    /// Slopes of neighbouring pieces differ by rounding where points lie on one line.
    const SAME_SLOPE: f64 = 1e-12;
    let Some(last) = pieces.last_mut() else { return };
    let arrived = last.value + last.slope * (last.end - last.from);
    let size = last.value.abs().max(next.value.abs()).max(arrived.abs());
    let meets = (arrived - next.value).abs() <= 8.0 * f64::EPSILON * size;
    let straight = (last.slope - next.slope).abs() <= SAME_SLOPE * last.slope.abs().max(next.slope.abs());
    if meets && straight {
        last.end = next.end;
    } else {
        pieces.push(next);
    }
}

/// Why an input does not take a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputError {
    /// The variable is not an input of the model.
    NotAnInput,
    /// The program reads this derivative of it, which the signal does not have.
    NoDerivative(usize),
    /// The input changes at events only, and when that is a function does not say: points do.
    Held,
}

/// What an input is given while the model runs.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A value that it keeps.
    Value(f64),
    /// A signal from here on.
    Signal(Signal),
}

/// Signals for the inputs of a run. Inputs without one keep their start values.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    signals: BTreeMap<VarId, Signal>,
}

impl Inputs {
    /// None.
    pub fn new() -> Inputs {
        Inputs::default()
    }

    /// The same for another program of the same model, in which variables have other places; none where one is not there.
    pub fn moved(&self, to: &Program, place: impl Fn(VarId) -> Option<VarId>) -> Option<Inputs> {
        let mut all = Inputs::new();
        for (v, signal) in &self.signals {
            all.set(to, place(*v)?, signal.clone()).ok()?;
        }
        Some(all)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// Gives an input its signal.
    pub fn set(&mut self, program: &Program, variable: VarId, signal: Signal) -> Result<(), InputError> {
        signal.suits(program, variable)?;
        self.signals.insert(variable, signal);
        Ok(())
    }
}

/// The signals of a run under way.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    variable: VarId,
    derivatives: Vec<VarId>,
    signal: Signal,
    /// The piece that holds now.
    piece: usize,
}

/// The signal of an input as it is stored: its derivatives' slots, the piece that holds now, and all pieces. Functions are no data.
pub(crate) type SavedLine = (VarId, Vec<VarId>, usize, Option<Vec<Piece>>);

/// Gives inputs the signals that a stored run had. Functions are those that this run was given.
pub(crate) fn restore(feed: &mut Option<Box<Feed>>, lines: Option<Vec<SavedLine>>) -> Result<(), Unfit> {
    let given = feed.take().map_or(Vec::new(), |feed| feed.lines);
    let Some(lines) = lines else { return Ok(()) };
    let mut all = Vec::new();
    for (variable, derivatives, piece, pieces) in lines {
        let own = given.iter().find(|line| line.variable == variable);
        let signal = match (pieces, own) {
            (Some(pieces), _) => Signal { shape: Shape::Pieces(pieces.into()) },
            (None, Some(own)) => own.signal.clone(),
            (None, None) => {
                return Err(Unfit("an input was a function, which has to be given again".to_owned()));
            }
        };
        let fits = match &signal.shape {
            Shape::Pieces(pieces) => piece < pieces.len(),
            Shape::Function(_, breaks) => piece <= breaks.len(),
        };
        if !fits {
            return Err(Unfit("the signals of inputs do not fit".to_owned()));
        }
        all.push(Line { variable, derivatives, signal, piece });
    }
    *feed = Some(Box::new(Feed { lines: all }));
    Ok(())
}

impl Feed {
    /// As it is stored.
    pub(crate) fn saved(&self) -> Vec<SavedLine> {
        let Feed { lines } = self;
        let save = |line: &Line| {
            let Line { variable, derivatives, signal, piece } = line;
            let pieces = match &signal.shape {
                Shape::Pieces(pieces) => Some(pieces.to_vec()),
                Shape::Function(..) => None,
            };
            (*variable, derivatives.clone(), *piece, pieces)
        };
        lines.iter().map(save).collect()
    }

    fn place(&self, t: f64, values: &mut [f64]) {
        for line in &self.lines {
            values[line.variable.index()] = line.signal.value(line.piece, t, 0);
            for (k, slot) in line.derivatives.iter().enumerate() {
                values[slot.index()] = line.signal.value(line.piece, t, k + 1);
            }
        }
    }

    /// Goes over to the pieces that begin at `t` or before; are there any?
    fn turn(&mut self, t: f64) -> bool {
        let mut turned = false;
        for line in &mut self.lines {
            while line.signal.end(line.piece) <= t || is_same_instant(line.signal.end(line.piece), t) {
                line.piece += 1;
                turned = true;
            }
        }
        turned
    }

    fn next(&self) -> f64 {
        self.lines.iter().map(|line| line.signal.end(line.piece)).fold(f64::INFINITY, f64::min)
    }
}

impl Machine {
    /// Takes the signals of a run that begins now.
    pub(crate) fn take_inputs(&mut self, inputs: &Inputs) {
        if inputs.is_empty() {
            return;
        }
        let program = &self.model().program;
        let given = program.inputs.iter().filter_map(|input| {
            let signal = inputs.signals.get(&input.variable)?.clone();
            Some(Line { variable: input.variable, derivatives: input.derivatives.clone(), signal, piece: 0 })
        });
        let mut feed = Feed { lines: given.collect() };
        feed.turn(self.time);
        self.feed = Some(Box::new(feed));
    }

    /// Moves the clock, and the inputs with it.
    #[inline]
    pub(crate) fn set_time(&mut self, t: f64) {
        self.time = t;
        if let Some(feed) = &self.feed {
            feed.place(t, &mut self.values);
        }
    }

    /// Inputs at this instant take the values they have from here on; did one have a kink or a jump?
    pub(crate) fn turn_inputs(&mut self, t: f64) -> bool {
        let Some(feed) = &mut self.feed else { return false };
        let turned = feed.turn(t);
        if turned {
            feed.place(t, &mut self.values);
        }
        turned
    }

    /// From now on an input has another signal, or one value.
    pub(crate) fn change_input(&mut self, variable: VarId, given: Given) {
        let now = self.time;
        let model = self.model().clone();
        let Some(input) = model.program.inputs.iter().find(|input| input.variable == variable) else {
            return;
        };
        let feed = self.feed.get_or_insert_with(|| Box::new(Feed { lines: Vec::new() }));
        feed.lines.retain(|line| line.variable != variable);
        match given {
            Given::Value(value) => {
                for (slot, value) in [variable]
                    .iter()
                    .chain(&input.derivatives)
                    .zip([value].into_iter().chain(std::iter::repeat(0.0)))
                {
                    self.values[slot.index()] = value;
                }
            }
            Given::Signal(signal) => {
                let derivatives = input.derivatives.clone();
                feed.lines.push(Line { variable, derivatives, signal, piece: 0 });
                feed.turn(now);
                feed.place(now, &mut self.values);
            }
        }
    }

    /// When an input has its next kink or jump.
    pub(crate) fn next_input_break(&self) -> f64 {
        self.feed.as_ref().map_or(f64::INFINITY, |feed| feed.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(signal: &Signal, t: f64) -> f64 {
        let mut line = Feed {
            lines: vec![Line {
                variable: VarId(0),
                derivatives: vec![VarId(1)],
                signal: signal.clone(),
                piece: 0,
            }],
        };
        line.turn(t);
        let mut values = [0.0; 2];
        line.place(t, &mut values);
        values[0]
    }

    /// A ramp, a jump at two, and what is held outside of the points.
    #[test]
    fn points_are_joined_by_lines() {
        let signal = Signal::points(&[0.0, 1.0, 2.0, 2.0, 3.0], &[0.0, 1.0, 2.0, 5.0, 4.0], false).unwrap();
        for (t, value) in [(-1.0, 0.0), (0.5, 0.5), (1.5, 1.5), (2.0, 5.0), (2.5, 4.5), (9.0, 4.0)] {
            assert_eq!(at(&signal, t), value, "at {t}");
        }
        // The point at one lies on the line: kinks are at 0 and 3, the jump at 2.
        let Shape::Pieces(pieces) = &signal.shape else { panic!("points") };
        assert_eq!(pieces.iter().map(|p| p.end).collect::<Vec<_>>(), [0.0, 2.0, 3.0, f64::INFINITY]);
    }

    #[test]
    fn what_is_held_jumps_at_the_next_point() {
        let signal = Signal::points(&[0.0, 1.0, 2.0], &[1.0, 1.0, 0.0], true).unwrap();
        for (t, value) in [(0.0, 1.0), (1.9, 1.0), (2.0, 0.0), (3.0, 0.0)] {
            assert_eq!(at(&signal, t), value, "at {t}");
        }
    }

    #[test]
    fn what_is_no_signal_is_said() {
        let points = |t: &[f64], v: &[f64]| Signal::points(t, v, false).err();
        assert_eq!(points(&[], &[]), Some(SignalError::Empty));
        assert_eq!(points(&[0.0, 1.0], &[0.0, f64::NAN]), Some(SignalError::NotFinite(1)));
        assert_eq!(points(&[0.0, 1.0, 0.5], &[0.0, 0.0, 0.0]), Some(SignalError::Backwards(2)));
    }
}
