//! Results: columns over time.
//!
//! A run records the selected variables at output points and twice at events, before and after. Variables that
//! are always equal share a column, with a sign; parameters and constants are stored once. Rows go to a [`Sink`] as they
//! come: into memory (a [`Trajectory`] is one) or straight to a file, which keeps the memory of a long run constant.

use std::collections::{HashMap, HashSet};
use std::io;

use kausal_model::flat::Type;
use kausal_runtime::Machine;
use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::program::Kind;

/// What a run recorded.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// Instants; an event has two.
    pub time: Vec<f64>,
    /// One per variable, in the order of the model.
    pub signals: Vec<Signal>,
    /// The columns; signals point at them.
    pub columns: Vec<Vec<f64>>,
}

/// A variable of the result.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// What its declaration says.
    pub description: String,
    /// Where its values are.
    pub values: Values,
}

/// Where the values of a signal are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// A parameter or constant.
    Constant(f64),
    /// A column, perhaps with the other sign.
    Column(usize, bool),
}

impl Trajectory {
    /// The signal of a name.
    pub fn signal(&self, name: &str) -> Option<&Signal> {
        self.signals.iter().find(|s| s.name == name)
    }

    /// The values of a signal over time.
    pub fn values(&self, signal: &Signal) -> Vec<f64> {
        match signal.values {
            Values::Constant(value) => vec![value; self.time.len()],
            Values::Column(column, false) => self.columns[column].clone(),
            Values::Column(column, true) => self.columns[column].iter().map(|v| -v).collect(),
        }
    }

    /// The value of a signal at a row.
    pub fn value(&self, signal: &Signal, row: usize) -> f64 {
        match signal.values {
            Values::Constant(value) => value,
            Values::Column(column, negated) => {
                let value = self.columns[column][row];
                if negated { -value } else { value }
            }
        }
    }

    /// The values of a name over time.
    ///
    /// ```
    /// # use kausal::result::*;
    /// let t = Trajectory {
    ///     time: vec![0.0, 1.0],
    ///     signals: vec![Signal {
    ///         name: "x".into(), unit: "".into(), description: "".into(), values: Values::Column(0, true),
    ///     }],
    ///     columns: vec![vec![1.0, 2.0]],
    /// };
    /// assert_eq!(t.get("x"), Some(vec![-1.0, -2.0]));
    /// ```
    pub fn get(&self, name: &str) -> Option<Vec<f64>> {
        self.signal(name).map(|s| self.values(s))
    }
}

/// A few signals worth a look when nobody says which: of those that change, states first, then others with few
/// dots in their names, derivatives only when there is nothing else. They share an axis, so all have the unit of
/// the first, and none is a flat line beside another. Of several names for the same values one is taken.
pub fn interesting(trajectory: &Trajectory, count: usize) -> Vec<String> {
    interesting_units(trajectory, count, 0)
}

/// As [`interesting`]; where signals of one unit are less than `few`, those of up to two units more follow, for axes of their own.
pub fn interesting_units(trajectory: &Trajectory, count: usize, few: usize) -> Vec<String> {
    let inner =
        |name: &'_ str| name.strip_prefix("der(").and_then(|n| n.strip_suffix(')')).map(str::to_owned);
    let states: HashSet<String> = trajectory.signals.iter().filter_map(|s| inner(&s.name)).collect();
    // What is small beside everything of its unit is what rounding left of a sum that is zero.
    let mut scales: HashMap<&str, f64> = HashMap::new();
    for signal in trajectory.signals.iter().filter(|s| !s.unit.is_empty()) {
        let Values::Column(column, _) = signal.values else { continue };
        let size = trajectory.columns[column].iter().fold(0.0, |size: f64, v| size.max(v.abs()));
        let known = scales.entry(&signal.unit).or_default();
        *known = known.max(size);
    }
    let mut ranked: Vec<_> = trajectory
        .signals
        .iter()
        .enumerate()
        .filter_map(|(i, signal)| {
            let Values::Column(column, negated) = signal.values else { return None };
            let is_state = states.contains(&signal.name);
            let rank =
                (inner(&signal.name).is_some(), !is_state, negated, signal.name.matches('.').count(), i);
            let scale = scales.get(signal.unit.as_str()).copied().unwrap_or(0.0);
            changes(&trajectory.columns[column], scale).then_some((rank, column, signal))
        })
        .collect();
    ranked.sort_by_key(|(rank, ..)| *rank);
    let Some(&((only_derivatives, ..), ..)) = ranked.first() else { return Vec::new() };
    ranked.retain(|((is_derivative, ..), ..)| only_derivatives || !is_derivative);
    let mut units: Vec<&str> = Vec::new();
    for (_, _, signal) in &ranked {
        if !units.contains(&signal.unit.as_str()) {
            units.push(&signal.unit);
        }
    }
    let mut seen = HashSet::new();
    let mut out: Vec<String> = Vec::new();
    for unit in units.into_iter().take(AXES) {
        if !out.is_empty() && out.len() >= few {
            break;
        }
        // Of all that is taken so far: the least range of one, and from the lowest to the highest value.
        let (mut least, mut low, mut high) = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY);
        let mut taken: Vec<usize> = Vec::new();
        for (_, column, signal) in ranked.iter().filter(|(_, _, signal)| signal.unit == unit) {
            if out.len() >= count || !seen.insert(*column) {
                continue;
            }
            let values = &trajectory.columns[*column];
            let (from, to) = range(values);
            let (narrow, whole) = (least.min(to - from), high.max(to) - low.min(from));
            let is_visible = narrow >= FLAT * whole || !least.is_finite();
            if !is_visible
                || taken.iter().any(|&other| is_like(values, &trajectory.columns[other], to - from))
            {
                continue;
            }
            (least, low, high) = (narrow, low.min(from), high.max(to));
            taken.push(*column);
            out.push(signal.name.clone());
        }
    }
    out
}

/// A plot has room for so many axes.
const AXES: usize = 3;

/// Curves that are nowhere further apart than this part of their height are seen as one: a plot has less than a thousand pixels.
const SAME: f64 = 0.001;

/// Are these values, with this range, so near to others that nobody sees two curves?
fn is_like(values: &[f64], others: &[f64], range: f64) -> bool {
    values.iter().zip(others).all(|(a, b)| (a - b).abs() <= SAME * range)
}

/// A curve that takes less than this part of the height of its plot is seen as a flat line.
const FLAT: f64 = 0.02;

/// The least and the greatest of the values.
fn range(values: &[f64]) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), v: &f64| (low.min(*v), high.max(*v));
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

/// Do the values change, by more than rounding beside what they are or `scale`?
fn changes(values: &[f64], scale: f64) -> bool {
    let (low, high) = range(values);
    high - low > 1e-9 * high.abs().max(low.abs()).max(scale)
}

/// Where rows go while a run is under way.
pub trait Sink {
    /// Told once, before the first row: all signals, those that do not change with their values, and how many
    /// columns a row has.
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()>;

    /// Told before the start: the names of signals that are texts. Most formats have no room for them.
    fn name_texts(&mut self, _names: &[String]) {}

    /// Told before each row, where there are such signals: what they are then.
    fn texts(&mut self, _texts: &[String]) {}

    /// An instant, with one number per column.
    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()>;

    /// What was told so far shall be readable, should nothing more come.
    fn keep(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Told once, after the last row.
    fn finish(&mut self) -> io::Result<()>;
}

impl Sink for Trajectory {
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()> {
        *self =
            Trajectory { time: Vec::new(), signals: signals.to_vec(), columns: vec![Vec::new(); columns] };
        Ok(())
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        self.time.push(time);
        for (column, value) in self.columns.iter_mut().zip(columns) {
            column.push(*value);
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Trajectory {
    /// Tells a sink everything, in order.
    pub fn replay(&self, sink: &mut dyn Sink) -> io::Result<()> {
        sink.start(&self.signals, self.columns.len())?;
        let mut row = Vec::with_capacity(self.columns.len());
        for (i, time) in self.time.iter().enumerate() {
            row.clear();
            row.extend(self.columns.iter().map(|c| c[i]));
            sink.row(*time, &row)?;
        }
        sink.finish()
    }

    /// The instants of events: those that are there more than once.
    pub fn events(&self) -> Vec<f64> {
        let mut events: Vec<f64> = self.time.windows(2).filter(|t| t[0] == t[1]).map(|t| t[0]).collect();
        events.dedup();
        events
    }
}

/// Reads the wanted variables off a machine.
pub struct Recorder {
    signals: Vec<Signal>,
    /// One per column.
    sources: Vec<VarId>,
    /// Signals that do not change.
    constants: Vec<(usize, VarId)>,
    /// Signals that are texts, by name.
    texts: Vec<(String, VarId)>,
    row: Vec<f64>,
    words: Vec<String>,
    started: bool,
}

impl Recorder {
    /// Records the variables that pass the test, of those a user knows (no temporaries).
    pub fn new(program: &Program, wanted: &dyn Fn(&str) -> bool) -> Recorder {
        let (mut signals, mut sources, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        let mut texts = Vec::new();
        let mut column_of: Vec<Option<usize>> = vec![None; program.variables.len()];
        for (i, var) in program.variables.iter().enumerate() {
            if matches!(var.kind, Kind::Helper) || is_made(&var.name) || !wanted(&var.name) {
                continue;
            }
            // The numbers that stand for texts and objects mean nothing to anybody else.
            match var.ty {
                Type::String => {
                    texts.push((var.name.clone(), VarId(i as u32)));
                    continue;
                }
                Type::External(_) => continue,
                _ => {}
            }
            let (target, negated) = match var.kind {
                Kind::Alias(alias) => (alias.target, alias.negated),
                _ => (VarId(i as u32), false),
            };
            let target_kind = program.variables[target.index()].kind;
            let values = if target_kind == Kind::Parameter {
                constants.push((signals.len(), VarId(i as u32)));
                // Known when the first row is.
                Values::Constant(f64::NAN)
            } else {
                let column = *column_of[target.index()].get_or_insert_with(|| {
                    sources.push(target);
                    sources.len() - 1
                });
                Values::Column(column, negated)
            };
            // What is always equal has the same unit, whether its declaration says so or not.
            let unit = if var.unit.is_empty() { &program.variables[target.index()].unit } else { &var.unit };
            signals.push(Signal {
                name: var.name.clone(),
                unit: unit.clone(),
                description: var.description.clone(),
                values,
            });
        }
        Recorder { signals, sources, constants, texts, row: Vec::new(), words: Vec::new(), started: false }
    }

    /// Passes a row on.
    pub fn record(&mut self, machine: &Machine, sink: &mut dyn Sink) -> io::Result<()> {
        if !self.started {
            for &(signal, v) in &self.constants {
                self.signals[signal].values = Values::Constant(machine.value(v));
            }
            self.begin(sink)?;
        }
        if !self.texts.is_empty() {
            self.words.clear();
            self.words.extend(self.texts.iter().map(|(_, v)| machine.text_of(*v).unwrap_or_default()));
            sink.texts(&self.words);
        }
        self.row.clear();
        self.row.extend(self.sources.iter().map(|v| machine.values[v.index()]));
        sink.row(machine.time, &self.row)
    }

    /// Nothing more comes.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        if !self.started {
            // A run without initial values has no rows; what there would be is known all the same.
            self.begin(sink)?;
        }
        sink.finish()
    }

    fn begin(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.started = true;
        let names: Vec<String> = self.texts.iter().map(|(name, _)| name.clone()).collect();
        sink.name_texts(&names);
        sink.start(&self.signals, self.sources.len())
    }
}

/// The names of all numbers that can be recorded.
pub(crate) fn recorded(program: &Program) -> impl Iterator<Item = &str> {
    let is_number = |ty: Type| !matches!(ty, Type::String | Type::External(_));
    let variables = program.variables.iter();
    let known =
        variables.filter(move |v| !matches!(v.kind, Kind::Helper) && !is_made(&v.name) && is_number(v.ty));
    known.map(|v| v.name.as_str())
}

/// Was the variable made for a `when` statement and not declared? No identifier begins like that.
fn is_made(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_the_most_interesting() {
        let signal = |name: &str, unit: &str, column, negated| Signal {
            name: name.into(),
            unit: unit.into(),
            description: String::new(),
            values: Values::Column(column, negated),
        };
        let mut trajectory = Trajectory {
            time: vec![0.0, 1.0],
            signals: vec![
                signal("source.i", "A", 0, true),
                signal("resistor.n.v", "V", 1, false),
                signal("ground.v", "V", 3, false),
                signal("capacitor.v", "V", 1, false),
                signal("resistor.v", "V", 2, false),
                signal("u", "V", 2, true),
                signal("der(capacitor.v)", "V/s", 4, false),
            ],
            columns: vec![vec![0.0, 1.0], vec![0.0, 1.0], vec![1.0, 0.0], vec![0.0, 0.0], vec![2.0, 1.0]],
        };
        assert_eq!(interesting(&trajectory, 4), ["capacitor.v", "resistor.v"]);
        assert_eq!(interesting(&trajectory, 1), ["capacitor.v"]);
        // Where there are few of one unit, those of others have room.
        assert_eq!(interesting_units(&trajectory, 4, 2), ["capacitor.v", "resistor.v"]);
        assert_eq!(interesting_units(&trajectory, 4, 3), ["capacitor.v", "resistor.v", "source.i"]);
        // Of two curves that nobody could tell apart one is enough.
        let resistor = std::mem::replace(&mut trajectory.columns[2], vec![1e-6, 1.0 + 1e-6]);
        assert_eq!(interesting(&trajectory, 4), ["capacitor.v"]);
        trajectory.columns[2] = resistor;
        // What rounding leaves of a sum that is zero is no signal.
        trajectory.columns[3] = vec![1e-17, -2e-16];
        assert_eq!(interesting(&trajectory, 4), ["capacitor.v", "resistor.v"]);
        // What is a flat line beside the others is not shown with them.
        trajectory.columns[2] = vec![40.0, -30.0];
        assert_eq!(interesting(&trajectory, 4), ["capacitor.v"]);
        trajectory.signals.drain(..6);
        assert_eq!(interesting(&trajectory, 4), ["der(capacitor.v)"]);
        trajectory.signals.clear();
        assert!(interesting(&trajectory, 4).is_empty());
    }
}
