//! The translations a sweep needs: one, and others for what a compiled model does not take.
//!
//! A value that the compiled model takes costs nothing. A structural parameter is translated once for each value it has in the
//! sweep. Where only the sign of a parameter was used (it is divided by, or a root depends on it), one translation serves all
//! values of that sign: it is made with the value of the model, or one, with the other sign. So what a run computes follows from
//! its values alone, in whatever order and by whichever thread runs are made.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kausal_model::FlatModel;
use kausal_runtime::tunable::{Refused, admits};
use kausal_runtime::{CompiledModel, Overrides};
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use kausal_translate::program::Kind;

use super::quantities::Source;
use crate::model::Model;
use crate::settings::{Setting, plain_value};
use crate::tune;

/// One translation.
pub(crate) struct Variant {
    pub compiled: Arc<CompiledModel>,
    pub flat: Arc<FlatModel>,
    /// Per parameter of the sweep its variable.
    places: Vec<Option<VarId>>,
    /// Per variable that is followed.
    pub sources: Vec<Source>,
}

/// All of a sweep.
pub(crate) struct Variants<'a> {
    model: &'a Model,
    names: &'a [String],
    followed: &'a [String],
    pub base: Arc<Variant>,
    others: Mutex<Others>,
}

type Made = Arc<OnceLock<Result<Arc<Variant>, String>>>;

#[derive(Default)]
struct Others {
    made: HashMap<String, (Made, u64)>,
    /// Counts requests, for the age of translations.
    clock: u64,
}

/// Translations that are kept at a time: a parameter that is random and structural has one for each run.
const MOST_KEPT: usize = 64;

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Treatment {
    /// The compiled model takes it.
    Free,
    /// The translation has been made for its sign.
    Sign(f64),
    /// The translation has been made for it.
    Exact,
}

impl<'a> Variants<'a> {
    pub fn new(
        model: &'a Model,
        names: &'a [String],
        followed: &'a [String],
    ) -> Result<Variants<'a>, crate::Error> {
        let base = Arc::new(Variant::new(model, names, followed)?);
        Ok(Variants { model, names, followed, base, others: Mutex::default() })
    }

    /// The translation for a run, and what is changed in it.
    pub fn prepare(&self, row: &[Setting]) -> Result<(Arc<Variant>, Overrides), String> {
        // Nearly always that is all.
        let mut treatments = vec![Treatment::Free; row.len()];
        let mut variant = self.base.clone();
        loop {
            match variant.overrides(self.names, row, &treatments)? {
                Ok(overrides) => return Ok((variant, overrides)),
                Err(refused) => {
                    self.treat(&variant, refused, row, &mut treatments)?;
                    variant = self.variant(row, &treatments)?;
                }
            }
        }
    }

    /// Says what is done about a refusal.
    fn treat(
        &self,
        variant: &Variant,
        (axis, refused): (Option<usize>, Refused),
        row: &[Setting],
        treatments: &mut [Treatment],
    ) -> Result<(), String> {
        if let Refused::Sign(v) = refused
            && let Some(axis) = variant.places.iter().position(|place| *place == Some(v))
            && treatments[axis] == Treatment::Free
            && let Setting::Number(value) = row[axis]
        {
            let usual = self.base.compiled.program.variables[v.index()].value.abs();
            let size = if usual > 0.0 && usual.is_finite() { usual } else { 1.0 };
            treatments[axis] = Treatment::Sign(if value == 0.0 { 0.0 } else { size.copysign(value) });
            return Ok(());
        }
        let signed = match refused {
            Refused::Sign(v) => variant.places.iter().position(|place| *place == Some(v)),
            _ => None,
        };
        match axis.or(signed) {
            Some(axis) if treatments[axis] != Treatment::Exact => treatments[axis] = Treatment::Exact,
            // What depends on several of them is translated for all of them.
            _ if treatments.iter().any(|t| *t != Treatment::Exact) => treatments.fill(Treatment::Exact),
            _ => return Err(tune::refusal(&variant.compiled.program, "", refused).diagnostic().message),
        }
        Ok(())
    }

    /// The translation with these values, made now if it is not there.
    fn variant(&self, row: &[Setting], treatments: &[Treatment]) -> Result<Arc<Variant>, String> {
        let mut settings: Vec<(String, Setting)> = Vec::new();
        for ((name, value), treatment) in self.names.iter().zip(row).zip(treatments) {
            match treatment {
                Treatment::Free => {}
                Treatment::Sign(value) => settings.push((name.clone(), Setting::Number(*value))),
                Treatment::Exact => settings.push((name.clone(), value.clone())),
            }
        }
        let key = format!("{settings:?}");
        let made = {
            let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
            others.clock += 1;
            let now = others.clock;
            let entry = others.made.entry(key).or_default();
            entry.1 = now;
            let made = entry.0.clone();
            if others.made.len() > MOST_KEPT
                && let Some(oldest) =
                    others.made.iter().min_by_key(|(_, (_, age))| *age).map(|(k, _)| k.clone())
            {
                others.made.remove(&oldest);
            }
            made
        };
        made.get_or_init(|| {
            let model = self.model.with_all(&settings).map_err(|e| first_error(e.diagnostics()))?;
            let variant = Variant::new(&model, self.names, self.followed);
            variant.map(Arc::new).map_err(|e| first_error(e.diagnostics()))
        })
        .clone()
    }
}

/// What is wrong, in one line.
pub(crate) fn first_error(diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.first());
    first.map_or_else(String::new, line)
}

/// A diagnostic in one line.
pub(crate) fn line(d: &Diagnostic) -> String {
    format!("{}: {}", d.code, d.message)
}

impl Variant {
    fn new(model: &Model, names: &[String], followed: &[String]) -> Result<Variant, crate::Error> {
        let compiled = model.compiled()?;
        let program = &compiled.program;
        let places = names.iter().map(|name| tune::find(program, name)).collect();
        let source = |name: &String| match tune::find(program, name) {
            Some(v) => Source::Slot(v),
            None => Source::Missing,
        };
        let sources = followed.iter().map(source).collect();
        Ok(Variant { flat: model.flat_shared(), places, sources, compiled })
    }

    /// What a run changes; a refusal has the parameter it is about, if it is about one.
    fn overrides(
        &self,
        names: &[String],
        row: &[Setting],
        treatments: &[Treatment],
    ) -> Result<Result<Overrides, (Option<usize>, Refused)>, String> {
        let program = &self.compiled.program;
        let mut all = Overrides::new();
        for (axis, (value, place)) in row.iter().zip(&self.places).enumerate() {
            if treatments[axis] == Treatment::Exact {
                continue;
            }
            let Some(v) = *place else { return Ok(Err((Some(axis), Refused::Start(VarId(0))))) };
            let ty = program.variables[v.index()].ty;
            let value =
                plain_value(&names[axis], value.clone(), ty, &program.enumerations).map_err(|d| line(&d))?;
            if let Err(refused) = all.set(program, v, value) {
                return Ok(Err((Some(axis), refused)));
            }
        }
        Ok(admits(&self.compiled, &all).map(|()| all).map_err(|refused| (None, refused)))
    }

    /// Is something of this name computed, or set?
    pub fn has(&self, name: &str) -> bool {
        self.compiled.program.variables.iter().any(|v| v.kind != Kind::Helper && v.name == name)
    }
}
