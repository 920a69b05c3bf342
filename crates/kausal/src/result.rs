//! Results: columns over time.
//!
//! A run records the selected variables at output points and twice at events, before and after. Variables that
//! are always equal share a column, with a sign; parameters and constants are stored once.

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

/// A few signals worth a look when nobody says which: those that change most of all, relative to their size,
/// with short names before long ones.
pub fn interesting(trajectory: &Trajectory, count: usize) -> Vec<String> {
    let mut changing: Vec<&Signal> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    for signal in &trajectory.signals {
        let Values::Column(column, _) = signal.values else { continue };
        let values = &trajectory.columns[column];
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        if high - low > 1e-9 * high.abs().max(low.abs()) && !seen.contains(&column) {
            seen.push(column);
            changing.push(signal);
        }
    }
    changing.sort_by_key(|s| (s.name.starts_with("der("), s.name.matches('.').count()));
    changing.iter().take(count).map(|s| s.name.clone()).collect()
}

/// Records a run.
pub struct Recorder {
    trajectory: Trajectory,
    sources: Vec<VarId>,
    constants: Vec<(usize, VarId)>,
    filled: bool,
}

impl Recorder {
    /// Records the variables that pass the test, of those a user knows (no temporaries).
    pub fn new(program: &Program, wanted: &dyn Fn(&str) -> bool) -> Recorder {
        let mut trajectory = Trajectory::default();
        let (mut sources, mut constants) = (Vec::new(), Vec::new());
        let mut column_of: Vec<Option<usize>> = vec![None; program.variables.len()];
        for (i, var) in program.variables.iter().enumerate() {
            if matches!(var.kind, Kind::Helper) || !wanted(&var.name) {
                continue;
            }
            let (target, negated) = match var.kind {
                Kind::Alias(alias) => (alias.target, alias.negated),
                _ => (VarId(i as u32), false),
            };
            let target_kind = program.variables[target.index()].kind;
            let values = if target_kind == Kind::Parameter {
                constants.push((trajectory.signals.len(), VarId(i as u32)));
                Values::Constant(0.0)
            } else {
                let column = *column_of[target.index()].get_or_insert_with(|| {
                    sources.push(target);
                    trajectory.columns.push(Vec::new());
                    sources.len() - 1
                });
                Values::Column(column, negated)
            };
            trajectory.signals.push(Signal {
                name: var.name.clone(),
                unit: var.unit.clone(),
                description: var.description.clone(),
                values,
            });
        }
        Recorder { trajectory, sources, constants, filled: false }
    }

    /// Adds a row.
    pub fn record(&mut self, machine: &Machine) {
        if !self.filled {
            for &(signal, v) in &self.constants {
                self.trajectory.signals[signal].values = Values::Constant(machine.value(v));
            }
            self.filled = true;
        }
        self.trajectory.time.push(machine.time);
        for (column, v) in self.trajectory.columns.iter_mut().zip(&self.sources) {
            column.push(machine.values[v.index()]);
        }
    }

    /// What was recorded.
    pub fn finish(self) -> Trajectory {
        self.trajectory
    }
}
