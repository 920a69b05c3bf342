//! Runs: models that are translated and run beside everything else, their results, and runs that follow a slider.
//!
//! A model that was translated is kept as long as no text changes: a run with other values begins at once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kausal::result::{Signal, Sink, Values};
use kausal::{Backend, Cancel, Model, Options, Setting, Trajectory, VariableKind, VariableType};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::failure::{Answer, Failure};
use crate::language::Located;
use crate::studio::Studio;
use crate::units;

/// How often the page hears of a run that is under way.
const OFTEN: Duration = Duration::from_millis(50);
/// With less curves of one unit there is room for those of others: one alone says little of a model.
const FEW: usize = 2;
/// Points of a curve, if nobody says how many.
const POINTS: usize = 2000;

/// All runs.
pub struct Runs {
    list: Mutex<BTreeMap<u64, Arc<Run>>>,
    next: AtomicU64,
    models: Mutex<HashMap<String, (u64, bool, Model)>>,
    events: broadcast::Sender<Arc<str>>,
}

/// A run.
pub struct Run {
    number: u64,
    class: String,
    info: Mutex<Info>,
    rows: Arc<Mutex<Trajectory>>,
    cancel: Mutex<Cancel>,
    model: Mutex<Option<Model>>,
    /// The newest slide.
    slide: Mutex<Cancel>,
    /// One slide at a time runs.
    sliding: Mutex<()>,
}

#[derive(Clone)]
struct Info {
    label: String,
    state: &'static str,
    start: f64,
    stop: f64,
    time: f64,
    settings: Value,
    translate: Option<f64>,
    run: Option<f64>,
    statistics: Value,
    diagnostics: Vec<Value>,
    permission: Value,
    set: BTreeMap<String, Value>,
}

/// Rows as they come.
struct Growing(Arc<Mutex<Trajectory>>);

impl Sink for Growing {
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()> {
        locked(&self.0).start(signals, columns)
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        locked(&self.0).row(time, columns)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runs {
    /// None yet.
    pub fn new(events: broadcast::Sender<Arc<str>>) -> Runs {
        Runs { list: Mutex::default(), next: AtomicU64::new(1), models: Mutex::default(), events }
    }

    /// A run.
    pub fn get(&self, number: u64) -> Result<Arc<Run>, Failure> {
        locked(&self.list).get(&number).cloned().ok_or_else(|| Failure::missing("such run"))
    }

    /// All runs.
    pub fn all(&self) -> Vec<Value> {
        locked(&self.list).values().map(|run| run.shown()).collect()
    }

    /// A run is not wanted any more.
    pub fn forget(&self, number: u64) {
        if let Some(run) = locked(&self.list).remove(&number) {
            locked(&run.cancel).cancel();
        }
    }

    fn tell(&self, run: &Run) {
        let event = json!({"event": "run", "run": run.shown()});
        let _ = self.events.send(event.to_string().into());
    }
}

impl Studio {
    /// A translated model; a new one where a text has changed.
    pub fn model(&self, class: &str) -> Result<Model, kausal::Error> {
        let epoch = self.desk().epoch;
        let foreign = self.may_run_foreign(class);
        if let Some((known, allowed, model)) = locked(&self.runs.models).get(class)
            && *known == epoch
            && *allowed == foreign
        {
            return Ok(model.clone());
        }
        let mut session = self.places.session();
        if foreign {
            session.allow_external();
        }
        let model = Model::of_class(session, class, Options::default(), Backend::Auto)?;
        locked(&self.runs.models).insert(class.to_owned(), (epoch, foreign, model.clone()));
        Ok(model)
    }

    /// Diagnostics of a failed run or translation for the page.
    pub fn located(&self, error: &kausal::Error) -> Vec<Value> {
        located(self, error.located())
    }

    /// Starts a run.
    pub fn start(self: &Arc<Self>, class: &str, settings: &Value) -> Answer {
        self.desk().class(class)?;
        let number = self.runs.next.fetch_add(1, Ordering::Relaxed);
        let set = settings["set"].as_object().cloned().unwrap_or_default();
        let words: Vec<String> = set.iter().map(|(name, v)| format!("{name} = {}", word(v))).collect();
        let info = Info {
            label: words.join(", "),
            state: "translating",
            start: settings["start"].as_f64().unwrap_or(0.0),
            stop: settings["stop"].as_f64().unwrap_or(1.0),
            time: 0.0,
            settings: settings.clone(),
            translate: None,
            run: None,
            statistics: Value::Null,
            diagnostics: Vec::new(),
            permission: Value::Null,
            set: set.into_iter().collect(),
        };
        let run = Arc::new(Run {
            number,
            class: class.to_owned(),
            info: Mutex::new(info),
            rows: Arc::default(),
            cancel: Mutex::default(),
            model: Mutex::default(),
            slide: Mutex::default(),
            sliding: Mutex::default(),
        });
        locked(&self.runs.list).insert(number, run.clone());
        let studio = self.clone();
        let shown = run.shown();
        let work = move || {
            if let Err(fault) = kausal::internal::guarded(|| studio.perform(&run)) {
                let mut info = locked(&run.info);
                info.state = "failed";
                info.diagnostics.push(json!({
                    "severity": "error", "code": fault.code, "message": fault.message, "label": "", "related": [],
                }));
                drop(info);
                studio.runs.tell(&run);
            }
        };
        /// Trees of models may be deep.
        const STACK: usize = 64 << 20;
        let started = std::thread::Builder::new().name("run".to_owned()).stack_size(STACK).spawn(work);
        started.map_err(|e| Failure::bad(format!("no thread for the run: {e}")))?;
        Ok(shown)
    }

    fn perform(&self, run: &Run) {
        let begun = Instant::now();
        let fail = |error: &kausal::Error| {
            let diagnostics = self.located(error);
            let mut info = locked(&run.info);
            if error.code() == "K0540" {
                let words: Vec<String> = error.diagnostics().iter().map(|d| d.message.clone()).collect();
                info.permission = self.ask_foreign(&run.class, &words);
            }
            let cancelled = error.kind() == kausal::ErrorKind::Cancelled;
            info.state = if cancelled { "cancelled" } else { "failed" };
            info.diagnostics = diagnostics;
        };
        let set = locked(&run.info).set.clone();
        let model = self.model(&run.class).and_then(|model| with(&model, &set));
        let model = match model {
            Ok(model) => model,
            Err(error) => {
                fail(&error);
                return self.runs.tell(run);
            }
        };
        {
            let settings = locked(&run.info).settings.clone();
            let experiment = model.experiment();
            let mut info = locked(&run.info);
            info.translate = Some(begun.elapsed().as_secs_f64());
            info.state = "running";
            info.start = settings["start"].as_f64().or(experiment.start).unwrap_or(0.0);
            info.stop = settings["stop"].as_f64().or(experiment.stop).unwrap_or(info.start + 1.0);
        }
        *locked(&run.model) = Some(model.clone());
        self.runs.tell(run);
        let mut told = Instant::now();
        let progress = |time: f64| {
            if told.elapsed() > OFTEN {
                told = Instant::now();
                locked(&run.info).time = time;
                self.runs.tell(run);
            }
            true
        };
        let cancel = locked(&run.cancel).clone();
        let settings = locked(&run.info).settings.clone();
        let simulation = match configured(&model, &settings) {
            Ok(simulation) => {
                simulation.keep(false).cancel(&cancel).observe(Growing(run.rows.clone())).progress(progress)
            }
            Err(failure) => {
                let mut info = locked(&run.info);
                info.state = "failed";
                info.diagnostics.push(json!({
                    "severity": "error", "code": "K0915", "label": "", "related": [],
                    "message": failure.body["message"],
                }));
                drop(info);
                return self.runs.tell(run);
            }
        };
        let started = Instant::now();
        let done = simulation.run();
        let seconds = started.elapsed().as_secs_f64();
        match done {
            Ok(solution) => {
                let mut told = located(self, &model.located(&model.diagnostics()));
                for d in located(self, &model.located(solution.diagnostics())) {
                    if !told.contains(&d) {
                        told.push(d);
                    }
                }
                let mut info = locked(&run.info);
                info.state = "done";
                info.time = solution.end();
                info.diagnostics = told;
                info.statistics = statistics(solution.statistics());
            }
            Err(error) => fail(&error),
        }
        locked(&run.info).run = Some(seconds);
        self.runs.tell(run);
    }

    /// Runs again with other values.
    pub fn slide(
        &self,
        number: u64,
        set: &Map<String, Value>,
        names: &[String],
        points: Option<usize>,
    ) -> Answer {
        let begun = Instant::now();
        let run = self.runs.get(number)?;
        let cancel = Cancel::new();
        let older = std::mem::replace(&mut *locked(&run.slide), cancel.clone());
        older.cancel();
        let _alone = locked(&run.sliding);
        let cancelled = |run: &Run| {
            json!({
                "columns": columns(run.number, &locked(&run.rows), &[], 0, POINTS, None),
                "info": run.shown(), "translated": false, "cancelled": true,
                "milliseconds": begun.elapsed().as_secs_f64() * 1e3,
            })
        };
        if cancel.is_cancelled() {
            return Ok(cancelled(&run));
        }
        let failed = |error: &kausal::Error| {
            let mut body = json!({"code": error.code(), "message": error.diagnostics().iter().find(|d| d.is_error()).map_or("the run failed", |d| d.message.as_str())});
            body["diagnostics"] = json!(self.located(error));
            Failure { status: axum::http::StatusCode::UNPROCESSABLE_ENTITY, body }
        };
        let model =
            locked(&run.model).clone().ok_or_else(|| Failure::bad("the model is not translated yet"))?;
        let all: BTreeMap<String, Value> = set.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        let before = model.compiled().map_err(|e| failed(&e))?;
        let model = with(&model, &all).map_err(|e| failed(&e))?;
        let after = model.compiled().map_err(|e| failed(&e))?;
        let translated = !Arc::ptr_eq(&before, &after);
        let settings = locked(&run.info).settings.clone();
        let rows: Arc<Mutex<Trajectory>> = Arc::default();
        let simulation =
            configured(&model, &settings)?.keep(false).cancel(&cancel).observe(Growing(rows.clone()));
        let started = Instant::now();
        let done = simulation.run();
        let seconds = started.elapsed().as_secs_f64();
        match done {
            Ok(solution) => {
                let mut info = locked(&run.info);
                info.set.extend(all);
                info.settings["set"] = json!(info.set);
                info.label =
                    info.set.iter().map(|(n, v)| format!("{n} = {}", word(v))).collect::<Vec<_>>().join(", ");
                info.run = Some(seconds);
                info.state = "done";
                info.statistics = statistics(solution.statistics());
            }
            Err(error) if error.kind() == kausal::ErrorKind::Cancelled => return Ok(cancelled(&run)),
            Err(error) => return Err(failed(&error)),
        }
        *locked(&run.model) = Some(model);
        *locked(&run.rows) = std::mem::take(&mut *locked(&rows));
        let columns = columns(number, &locked(&run.rows), names, 0, points.unwrap_or(POINTS), None);
        Ok(json!({
            "columns": columns,
            "info": run.shown(),
            "translated": translated,
            "cancelled": false,
            "milliseconds": begun.elapsed().as_secs_f64() * 1e3,
        }))
    }
}

/// The model with other values.
pub fn with(model: &Model, set: &BTreeMap<String, Value>) -> Result<Model, kausal::Error> {
    let mut model = model.clone();
    for (name, value) in set {
        let setting: Setting = match value {
            Value::Number(n) => n.as_f64().unwrap_or(f64::NAN).into(),
            Value::Bool(b) => (*b).into(),
            other => other.as_str().unwrap_or_default().into(),
        };
        model = model.with(name, setting)?;
    }
    Ok(model)
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A run of a model with the settings of the page.
pub fn configured(model: &Model, settings: &Value) -> Result<kausal::Simulation<'static>, Failure> {
    let mut run = model.simulation();
    let number = |name: &str| settings[name].as_f64();
    if let Some(x) = number("start") {
        run = run.start(x);
    }
    if let Some(x) = number("stop") {
        run = run.stop(x);
    }
    if let Some(x) = number("tolerance") {
        run = run.tolerance(x);
    }
    if let Some(x) = number("interval") {
        run = run.interval(x);
    }
    if let Some(n) = settings["intervals"].as_u64() {
        run = run.intervals(u32::try_from(n).unwrap_or(u32::MAX));
    }
    if let Some(x) = number("step") {
        run = run.step(x);
    }
    if let Some(x) = number("maxStep") {
        run = run.max_step(x);
    }
    if let Some(name) = settings["method"].as_str() {
        run = run.method(name.parse().map_err(|_| Failure::bad(format!("there is no method {name}")))?);
    }
    Ok(run)
}

fn statistics(s: &kausal::Statistics) -> Value {
    json!({
        "steps": s.steps,
        "rejected": s.rejected,
        "rhsEvaluations": s.rhs_evaluations,
        "jacobians": s.jacobians,
        "events": s.state_events + s.time_events,
    })
}

/// Diagnostics with their places in texts, components and lines.
pub fn located(studio: &Studio, list: &[kausal::render::JsonDiagnostic]) -> Vec<Value> {
    let files = kausal::files::WithBuffers(studio.places.buffers.clone());
    let mut texts: HashMap<String, Option<String>> = HashMap::new();
    for d in list {
        if let Some(label) = d.labels.first() {
            texts.entry(label.file.clone()).or_insert_with(|| kausal::files::read(&files, &label.file));
        }
    }
    let found: HashMap<&str, Located> = texts
        .iter()
        .filter_map(|(file, text)| Some((file.as_str(), Located::new(file, text.as_deref()?))))
        .collect();
    list.iter()
        .map(|d| {
            let mut out = json!({
                "severity": d.severity, "code": d.code, "message": d.message, "label": "", "related": [],
            });
            if let Some(help) = &d.help {
                out["help"] = json!(help);
            }
            if let Some(label) = d.labels.first() {
                out["label"] = json!(label.message);
                if let Some(at) = found.get(label.file.as_str()) {
                    let (from, to) =
                        (at.unit(label.line, label.column), at.unit(label.end_line, label.end_column));
                    at.place(&mut out, from, to);
                }
            }
            out
        })
        .collect()
}

impl Run {
    /// For the page.
    pub fn shown(&self) -> Value {
        let info = locked(&self.info).clone();
        let mut out = json!({
            "run": self.number,
            "class": self.class,
            "label": info.label,
            "state": info.state,
            "start": info.start,
            "stop": info.stop,
            "time": info.time,
            "rows": locked(&self.rows).time.len(),
            "settings": info.settings,
            "seconds": {"translate": info.translate, "run": info.run},
            "diagnostics": info.diagnostics,
        });
        if !info.statistics.is_null() {
            out["statistics"] = info.statistics;
        }
        if !info.permission.is_null() {
            out["permission"] = info.permission;
        }
        out
    }

    /// Ends it.
    pub fn cancel(&self) {
        locked(&self.cancel).cancel();
    }

    /// Gives it a name.
    pub fn rename(&self, label: &str) {
        locked(&self.info).label = label.to_owned();
    }

    /// The class that runs.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// What it has so far.
    pub fn result<T>(&self, f: impl FnOnce(&Trajectory) -> T) -> T {
        f(&locked(&self.rows))
    }

    /// The curves of names.
    pub fn columns(
        &self,
        names: &[String],
        from: usize,
        points: Option<usize>,
        range: Option<(f64, f64)>,
    ) -> Value {
        columns(self.number, &locked(&self.rows), names, from, points.unwrap_or(POINTS), range)
    }

    /// All variables.
    pub fn variables(&self) -> Answer {
        let model =
            locked(&self.model).clone().ok_or_else(|| Failure::bad("the model is not translated yet"))?;
        let result = locked(&self.rows);
        let signals: HashMap<&str, &Signal> = result.signals.iter().map(|s| (s.name.as_str(), s)).collect();
        let mut varying: HashMap<usize, bool> = HashMap::new();
        let mut changes = |column: usize| {
            *varying.entry(column).or_insert_with(|| {
                let values = &result.columns[column];
                values.first().is_some_and(|first| values.iter().any(|v| v != first))
            })
        };
        let mut out = Vec::new();
        for v in model.variables() {
            let signal = signals.get(v.name.as_str());
            let (varies, last) = match signal.map(|s| s.values) {
                Some(Values::Constant(value)) => (false, Some(value)),
                Some(Values::Column(column, negated)) => {
                    let last = result.columns[column].last().map(|x| if negated { -x } else { *x });
                    (changes(column), last)
                }
                None => (false, None),
            };
            let kind = match v.kind {
                VariableKind::Constant => "constant",
                VariableKind::Parameter => "parameter",
                VariableKind::Input => "input",
                VariableKind::State => "state",
                VariableKind::Discrete => "discrete",
                _ => "algebraic",
            };
            let (ty, literals) = match &v.ty {
                VariableType::Real => ("real", Vec::new()),
                VariableType::Integer => ("integer", Vec::new()),
                VariableType::Boolean => ("boolean", Vec::new()),
                VariableType::String => ("string", Vec::new()),
                VariableType::Enumeration(literals) => ("enumeration", literals.clone()),
                _ => ("other", Vec::new()),
            };
            let unit =
                if v.unit.is_empty() { signal.map_or("", |s| s.unit.as_str()) } else { v.unit.as_str() };
            let value = match (&v.value, last) {
                (Some(kausal::Value::Text(text)), _) => json!(text),
                (_, Some(last)) if last.is_finite() => json!(last),
                (Some(kausal::Value::Number(x)), None) if x.is_finite() => json!(x),
                _ => Value::Null,
            };
            out.push(json!({
                "name": v.name,
                "description": v.description,
                "unit": unit,
                "displayUnit": v.display_unit,
                "units": units::choices(unit, &v.display_unit),
                "kind": kind,
                "type": ty,
                "literals": literals,
                "varies": varies,
                "value": value,
                "start": v.value.as_ref().and_then(kausal::Value::number).filter(|x| x.is_finite()),
                "tunable": v.kind == VariableKind::Parameter && !v.structural,
                "tunableStart": v.kind == VariableKind::State,
                "min": v.min.filter(|x| x.is_finite() && x.abs() < 1e59),
                "max": v.max.filter(|x| x.is_finite() && x.abs() < 1e59),
                "protected": v.protected,
            }));
        }
        Ok(json!({"variables": out}))
    }

    /// Pictures worth a look: the figures of the model that show something of this result, then what varies.
    pub fn plots(&self, figures: &[kausal::draw::Figure]) -> Value {
        let display = self.display_units();
        let result = locked(&self.rows);
        let known = |name: &str| name == "time" || result.signal(name).is_some();
        let words = |text: &str| with_values(text, &result, &display);
        let mut proposals = Vec::new();
        for figure in figures {
            let plots: Vec<Value> = figure
                .plots
                .iter()
                .filter_map(|plot| {
                    let curves: Vec<_> = plot.curves.iter().filter(|c| known(&c.x) && known(&c.y)).collect();
                    // Curves of a plot share what is to the right: that of the first.
                    let x = &curves.first()?.x;
                    let y = curves.iter().filter(|c| c.x == *x);
                    let y: Vec<Value> =
                        y.map(|c| json!({"name": c.y, "legend": words(&c.legend), "axis": 0})).collect();
                    Some(json!({
                        "title": words(&plot.title), "x": x, "y": y,
                        "xLabel": words(&plot.x.label), "yLabel": words(&plot.y.label),
                        "xUnit": plot.x.unit, "yUnit": plot.y.unit,
                        "xRange": [plot.x.min, plot.x.max], "yRange": [plot.y.min, plot.y.max],
                    }))
                })
                .collect();
            if !plots.is_empty() {
                let (title, caption) = (words(&figure.title), words(&figure.caption));
                proposals.push(json!({
                    "title": title, "source": "figures", "caption": caption, "preferred": figure.preferred, "plots": plots,
                }));
            }
        }
        let names = kausal::result::interesting_units(&result, 6, FEW);
        let y: Vec<Value> = names.iter().map(|n| json!({"name": n, "legend": "", "axis": 0})).collect();
        if !y.is_empty() {
            let plot = json!({"title": "", "x": "time", "y": y, "xLabel": "", "yLabel": "", "xUnit": "", "yUnit": "", "xRange": [null, null], "yRange": [null, null]});
            proposals.push(json!({
                "title": "What varies", "source": "interesting", "caption": "", "preferred": false, "plots": [plot],
            }));
        }
        json!({"proposals": proposals})
    }

    /// The display units of variables, where they are not their units.
    pub fn display_units(&self) -> HashMap<String, String> {
        let Some(model) = locked(&self.model).clone() else { return HashMap::new() };
        let chosen = model.variables().into_iter().filter(|v| !v.display_unit.is_empty());
        chosen.map(|v| (v.name.clone(), v.display_unit.clone())).collect()
    }

    /// The variables that stay what they are between events.
    pub fn steps(&self) -> HashSet<String> {
        let Some(model) = locked(&self.model).clone() else { return HashSet::new() };
        let variables = model.variables().into_iter();
        let steps = variables.filter(|v| v.kind == VariableKind::Discrete || v.ty != VariableType::Real);
        steps.map(|v| v.name.clone()).collect()
    }

    /// Amplitudes over frequencies, from equally spaced instants.
    pub fn fft(&self, name: &str, range: Option<(f64, f64)>) -> Answer {
        let result = locked(&self.rows);
        let signal = result.signal(name).ok_or_else(|| Failure::missing(&format!("variable {name}")))?;
        let (first, last) = (result.time.first().copied(), result.time.last().copied());
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(json!({"frequency": [], "amplitude": []}));
        };
        let (from, to) = range.map_or((first, last), |(a, b)| (a.max(first), b.min(last)));
        if to.partial_cmp(&from) != Some(std::cmp::Ordering::Greater) {
            return Err(Failure::bad("the range is empty"));
        }
        let rows = result.time.partition_point(|t| *t <= to) - result.time.partition_point(|t| *t < from);
        let n = rows.next_power_of_two().clamp(64, 1 << 15);
        let values: Vec<f64> = (0..n)
            .map(|i| {
                let t = from + (to - from) * i as f64 / n as f64;
                let row = result.time.partition_point(|&x| x <= t).saturating_sub(1);
                let here = result.value(signal, row);
                match result.time.get(row + 1) {
                    Some(&next) if next > result.time[row] => {
                        let part = (t - result.time[row]) / (next - result.time[row]);
                        here + part * (result.value(signal, row + 1) - here)
                    }
                    _ => here,
                }
            })
            .collect();
        let (frequency, amplitude) = crate::why::spectrum(&values, to - from);
        Ok(json!({"frequency": frequency, "amplitude": amplitude}))
    }
}

/// A text of a figure with what `%{name}` stands for: the last value of a variable, with its unit (specification section 18.3.3).
fn with_values(text: &str, result: &Trajectory, display: &HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let name = rest.strip_prefix('{').and_then(|r| Some(&r[..r.find('}')?]));
        let value = name.and_then(|name| {
            let signal = result.signal(name)?;
            let last = result.time.len().checked_sub(1)?;
            let unit = display.get(name).map_or("", String::as_str);
            Some(kausal::draw::units::quantity(result.value(signal, last), &signal.unit, unit))
        });
        match (name, value) {
            (Some(name), Some(value)) => {
                out.push_str(&value);
                rest = &rest[name.len() + 2..];
            }
            _ => out.push('%'),
        }
    }
    out + rest
}

fn columns(
    number: u64,
    result: &Trajectory,
    names: &[String],
    from: usize,
    points: usize,
    range: Option<(f64, f64)>,
) -> Value {
    let rows = result.time.len();
    let (mut first, mut last) = (from.min(rows), rows);
    if let Some((a, b)) = range {
        // One row on each side, so that lines go on to the rim.
        first = first.max(result.time.partition_point(|t| *t < a).saturating_sub(1));
        last = (result.time.partition_point(|t| *t <= b) + 1).min(rows);
    }
    let last = last.max(first);
    let signals: Vec<(&String, Option<&Signal>)> = names.iter().map(|n| (n, result.signal(n))).collect();
    let thinned = last - first > points.max(2);
    let chosen: Vec<usize> = match thinned {
        false => (first..last).collect(),
        true => thin(result, &signals, first, last, points.max(2)),
    };
    let number_of = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let mut out = Map::new();
    for (name, signal) in signals {
        let values: Vec<Value> = match (signal, name.as_str()) {
            (Some(signal), _) => chosen.iter().map(|&row| number_of(result.value(signal, row))).collect(),
            (None, "time") => chosen.iter().map(|&row| number_of(result.time[row])).collect(),
            (None, _) => continue,
        };
        out.insert(name.clone(), Value::Array(values));
    }
    let time: Vec<f64> = chosen.iter().map(|&row| result.time[row]).collect();
    json!({"run": number, "rows": rows, "time": time, "columns": out, "thinned": thinned})
}

/// Rows that show every peak: of each piece first, last, and where a signal is least and greatest.
fn thin(
    result: &Trajectory,
    signals: &[(&String, Option<&Signal>)],
    first: usize,
    last: usize,
    points: usize,
) -> Vec<usize> {
    // A smooth curve has its extremes at the ends of a piece: two points of each. What swings within pieces takes more points,
    // and where there are more than twice as many as asked for, pieces are made longer.
    let out = pieces_of(result, signals, first, last, (points / 2).max(1));
    match out.len() > 2 * points {
        true => pieces_of(result, signals, first, last, (points * points / out.len()).max(1)),
        false => out,
    }
}

fn pieces_of(
    result: &Trajectory,
    signals: &[(&String, Option<&Signal>)],
    first: usize,
    last: usize,
    pieces: usize,
) -> Vec<usize> {
    let known: Vec<&Signal> = signals.iter().filter_map(|(_, s)| *s).collect();
    let mut out = Vec::with_capacity(2 * pieces + 8);
    for piece in 0..pieces {
        let a = first + (last - first) * piece / pieces;
        let b = first + (last - first) * (piece + 1) / pieces;
        if a >= b {
            continue;
        }
        let mut rows = vec![a, b - 1];
        for signal in known.iter().take(16) {
            let by = |x: &usize, y: &usize| result.value(signal, *x).total_cmp(&result.value(signal, *y));
            rows.extend((a..b).min_by(by));
            rows.extend((a..b).max_by(by));
        }
        rows.sort_unstable();
        rows.dedup();
        out.extend(rows);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow wave, a quick one, and rows of which far more are there than are asked for.
    fn waves() -> Trajectory {
        let mut out = Trajectory::default();
        let signal = |name: &str, column: usize, unit: &str| Signal {
            name: name.to_owned(),
            unit: unit.to_owned(),
            description: String::new(),
            values: Values::Column(column, false),
        };
        out.start(&[signal("slow", 0, "m"), signal("quick", 1, "")], 2).expect("memory");
        for i in 0..200_000 {
            let t = f64::from(i) * 1e-4;
            out.row(t, &[(3.0 * t).sin(), (3000.0 * t).sin()]).expect("memory");
        }
        out
    }

    #[test]
    fn thinned_curves_stay_curves() {
        let result = waves();
        let signals = |names: &[String]| -> Vec<usize> {
            let list: Vec<(&String, Option<&Signal>)> = names.iter().map(|n| (n, result.signal(n))).collect();
            thin(&result, &list, 0, result.time.len(), 2000)
        };
        let slow = signals(&["slow".to_owned()]);
        assert!((1500..=4000).contains(&slow.len()), "{}", slow.len());
        // Ten waves and two thousand points: straight lines between them are nowhere far from the curve.
        let widest = slow.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        assert!(widest <= 250, "a piece of {widest} rows");
        let both = signals(&["slow".to_owned(), "quick".to_owned()]);
        assert!(both.len() <= 4000, "{}", both.len());
        let quick = result.signal("quick").expect("it is there");
        let highest = both.iter().map(|&row| result.value(quick, row)).fold(0.0, f64::max);
        assert!(highest > 0.999, "a peak is lost: {highest}");
    }

    #[test]
    fn figures_say_values() {
        let result = waves();
        let display = HashMap::from([("slow".to_owned(), "mm".to_owned())]);
        let words = |text: &str| with_values(text, &result, &display);
        let last = 1e3 * (3.0 * 19.9999f64).sin();
        let said = words("x = %{slow}, 100 %%, %{nothing}, %");
        assert!(said.starts_with(&format!("x = {:.2}", last)[..8]), "{said}");
        assert!(said.ends_with("mm, 100 %, %{nothing}, %"), "{said}");
    }
}
