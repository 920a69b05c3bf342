//! Interpolation in tables, as `Modelica.Blocks.Tables` and `Modelica.Blocks.Sources.CombiTimeTable` declare it.
//!
//! - [`slopes`]: the slopes of smooth curves (Akima and relatives)
//! - [`curve`]: one abscissa, any number of columns
//! - [`time`]: a curve over time, with events
//! - [`surface`]: two abscissas
//!
//! A table is an external object: its constructor gives a handle, which is a number. Tables never change, so the same
//! arguments give the same handle, and nothing is kept about earlier look-ups.

pub(crate) mod curve;
pub(crate) mod slopes;
pub(crate) mod surface;
pub(crate) mod time;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::frame::{Frame, Matrix, Outcome, failed};
use crate::kept::{by_hash, own};
use crate::{Kind, Native, NumberNative, StandardExternals, matrix_file};

use curve::Curve;
use surface::Surface;
use time::{TimeEvents, TimeTable};

/// How values between the points are found: `Modelica.Blocks.Types.Smoothness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Smoothness {
    /// Straight lines.
    Linear,
    /// Akima's curve.
    Akima,
    /// Steps.
    Constant,
    /// The monotone curve of Fritsch and Butland.
    FritschButland,
    /// Steffen's monotone curve.
    Steffen,
    /// The modified Akima curve.
    ModifiedAkima,
}

/// What holds outside the points: `Modelica.Blocks.Types.Extrapolation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extrapolation {
    /// The first or last value.
    Hold,
    /// A straight line.
    Linear,
    /// The table again.
    Periodic,
    /// Nothing: an error.
    None,
}

/// Value, first and second derivative.
pub(crate) type Jet = [f64; 3];

/// The tables made so far.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tables: Vec<(Arc<Source>, Table)>,
    known: HashMap<u64, Vec<usize>>,
}

#[derive(Clone, Debug)]
enum Table {
    Curve(Arc<Curve>),
    Time(Arc<TimeTable>),
    Surface(Arc<Surface>),
}

/// All arguments of a constructor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Source {
    constructor: String,
    names: Vec<String>,
    numbers: Vec<u64>,
}

/// The tables of a run that is stored, with what they were made from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedTables(Vec<(Source, SavedTable)>);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum SavedTable {
    Curve(Curve),
    Time(TimeTable),
    Surface(Surface),
}

impl Registry {
    pub(crate) fn save(&self) -> SavedTables {
        let Registry { tables, known: _ } = self;
        let all = tables.iter().map(|(source, table)| {
            let table = match table {
                Table::Curve(curve) => SavedTable::Curve(own(curve)),
                Table::Time(table) => SavedTable::Time(own(table)),
                Table::Surface(surface) => SavedTable::Surface(own(surface)),
            };
            (own(source), table)
        });
        SavedTables(all.collect())
    }

    pub(crate) fn restored(saved: SavedTables) -> Registry {
        let all = saved.0.into_iter().map(|(source, table)| {
            let table = match table {
                SavedTable::Curve(curve) => Table::Curve(Arc::new(curve)),
                SavedTable::Time(table) => Table::Time(Arc::new(table)),
                SavedTable::Surface(surface) => Table::Surface(Arc::new(surface)),
            };
            (Arc::new(source), table)
        });
        let tables: Vec<(Arc<Source>, Table)> = all.collect();
        Registry { known: by_hash(tables.iter().map(|(source, _)| source.key())), tables }
    }
}

impl Source {
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.constructor, &self.names, &self.numbers).hash(&mut hasher);
        hasher.finish()
    }
}

/// Look-ups: `(tableID, …)`, all of them numbers.
pub(crate) fn find_number(name: &str) -> Option<NumberNative> {
    LOOK_UPS.iter().find(|look_up| look_up.name == name).copied()
}

const LOOK_UPS: [NumberNative; 14] =
    [
        // (tableID, icol, u, der(u), der2(u))
        look_up("ModelicaStandardTables_CombiTable1D_getValue", 3, |e, x| Ok(curve_at(e, x)?[0])),
        look_up("ModelicaStandardTables_CombiTable1D_getDerValue", 4, |e, x| Ok(curve_at(e, x)?[1] * x[3])),
        look_up("ModelicaStandardTables_CombiTable1D_getDer2Value", 5, |e, x| {
            let jet = curve_at(e, x)?;
            Ok(jet[1] * x[4] + jet[2] * x[3] * x[3])
        }),
        look_up("ModelicaStandardTables_CombiTable1D_minimumAbscissa", 1, |e, x| Ok(curve(e, x)?.range().0)),
        look_up("ModelicaStandardTables_CombiTable1D_maximumAbscissa", 1, |e, x| Ok(curve(e, x)?.range().1)),
        // (tableID, icol, time, nextTimeEvent, pre(nextTimeEvent), der(time), der2(time))
        look_up("ModelicaStandardTables_CombiTimeTable_getValue", 5, |e, x| Ok(time_table_at(e, x)?[0])),
        look_up("ModelicaStandardTables_CombiTimeTable_getDerValue", 6, |e, x| {
            Ok(time_table_at(e, x)?[1] * x[5])
        }),
        look_up("ModelicaStandardTables_CombiTimeTable_getDer2Value", 7, |e, x| {
            let jet = time_table_at(e, x)?;
            Ok(jet[1] * x[6] + jet[2] * x[5] * x[5])
        }),
        look_up("ModelicaStandardTables_CombiTimeTable_minimumTime", 1, |e, x| {
            Ok(time_table(e, x)?.curve.range().0)
        }),
        look_up("ModelicaStandardTables_CombiTimeTable_maximumTime", 1, |e, x| {
            Ok(time_table(e, x)?.curve.range().1)
        }),
        look_up("ModelicaStandardTables_CombiTimeTable_nextTimeEvent", 2, |e, x| {
            Ok(time_table(e, x)?.next_event(x[1]))
        }),
        // (tableID, u1, u2, der(u1), der(u2), der2(u1), der2(u2))
        look_up("ModelicaStandardTables_CombiTable2D_getValue", 3, |e, x| Ok(surface_at(e, x)?.value)),
        look_up("ModelicaStandardTables_CombiTable2D_getDerValue", 5, |e, x| {
            let jet = surface_at(e, x)?;
            Ok(jet.first[0] * x[3] + jet.first[1] * x[4])
        }),
        look_up("ModelicaStandardTables_CombiTable2D_getDer2Value", 7, |e, x| {
            let jet = surface_at(e, x)?;
            let [s11, s12, s22] = jet.second;
            let first = jet.first[0] * x[5] + jet.first[1] * x[6];
            Ok(first + s11 * x[3] * x[3] + 2.0 * s12 * x[3] * x[4] + s22 * x[4] * x[4])
        }),
    ];

const fn look_up(
    name: &'static str,
    arguments: usize,
    call: fn(&StandardExternals, &[f64]) -> Outcome<f64>,
) -> NumberNative {
    NumberNative { kind: Kind::State, name, arguments, call }
}

/// A look-up with the arguments of a frame.
fn framed(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let Some(native) = find_number(f.name()) else { return failed(format!("there is no {}", f.name())) };
    let mut args = [0.0; 8];
    for (i, arg) in args.iter_mut().take(native.arguments).enumerate() {
        *arg = f.number(i)?;
    }
    f.give_number((native.call)(externals, &args[..native.arguments])?)
}

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    if find_number(name).is_some() {
        return Some((Kind::State, framed));
    }
    let (kind, function) = name.strip_prefix("ModelicaStandardTables_")?.split_once('_')?;
    let native: Native = match (kind, function) {
        ("CombiTable1D", "init" | "init2" | "init3") => |externals, f| construct(externals, f, new_curve),
        ("CombiTimeTable", "init" | "init2" | "init3") => {
            |externals, f| construct(externals, f, new_time_table)
        }
        ("CombiTable2D", "init" | "init2" | "init3") => |externals, f| construct(externals, f, new_surface),
        (_, "close") => |_, _| Ok(()),
        ("CombiTable2D", "minimumAbscissa") => |externals, f| {
            let ranges = surface(externals, f.number(0)?)?.ranges();
            f.set_numbers(1, vec![ranges[0].0, ranges[1].0])
        },
        ("CombiTable2D", "maximumAbscissa") => |externals, f| {
            let ranges = surface(externals, f.number(0)?)?.ranges();
            f.set_numbers(1, vec![ranges[0].1, ranges[1].1])
        },
        _ => return None,
    };
    Some((Kind::State, native))
}

/// Makes a table, or finds the one made before with the same arguments. Handles count from 1.
fn construct(
    externals: &StandardExternals,
    f: &mut Frame<'_>,
    make: fn(&StandardExternals, &Frame<'_>) -> Outcome<Table>,
) -> Outcome<()> {
    let mut source = Source { constructor: f.name().to_owned(), names: Vec::new(), numbers: Vec::new() };
    for i in 0..f.len() {
        match f.maybe_text(i) {
            Some(text) => source.names.push(text.to_owned()),
            None => {
                source.numbers.extend(f.shape(i)?.iter().map(|&n| n as u64));
                source.numbers.extend(f.numbers(i)?.iter().map(|x| x.to_bits()));
            }
        }
    }
    let key = source.key();
    let known = {
        let registry = &externals.state().tables;
        let same = |&&k: &&usize| registry.tables.get(k).is_some_and(|(other, _)| **other == source);
        registry.known.get(&key).and_then(|places| places.iter().find(same).copied())
    };
    let place = match known {
        Some(place) => place,
        None => {
            let table = make(externals, f)?;
            let registry = &mut externals.state().tables;
            registry.tables.push((Arc::new(source), table));
            let place = registry.tables.len() - 1;
            registry.known.entry(key).or_default().push(place);
            place
        }
    };
    f.give_number((place + 1) as f64)
}

/// The table a handle names.
fn table(externals: &StandardExternals, handle: f64) -> Outcome<Table> {
    let state = externals.state();
    let whole = handle >= 1.0 && handle.fract() == 0.0;
    match state.tables.tables.get((handle as usize).wrapping_sub(1)) {
        Some((_, table)) if whole => Ok(table.clone()),
        _ => failed(format!("there is no table {handle}")),
    }
}

fn curve(externals: &StandardExternals, args: &[f64]) -> Outcome<Arc<Curve>> {
    match table(externals, args[0])? {
        Table::Curve(curve) => Ok(curve),
        _ => failed("the table has another kind"),
    }
}

fn time_table(externals: &StandardExternals, args: &[f64]) -> Outcome<Arc<TimeTable>> {
    match table(externals, args[0])? {
        Table::Time(table) => Ok(table),
        _ => failed("the table has another kind"),
    }
}

fn surface(externals: &StandardExternals, handle: f64) -> Outcome<Arc<Surface>> {
    match table(externals, handle)? {
        Table::Surface(table) => Ok(table),
        _ => failed("the table has another kind"),
    }
}

fn curve_at(externals: &StandardExternals, args: &[f64]) -> Outcome<Jet> {
    curve(externals, args)?.value(column(args[1])?, args[2])
}

fn time_table_at(externals: &StandardExternals, args: &[f64]) -> Outcome<Jet> {
    time_table(externals, args)?.value(column(args[1])?, args[2], args[3], args[4])
}

fn surface_at(externals: &StandardExternals, args: &[f64]) -> Outcome<surface::SurfaceJet> {
    surface(externals, args[0])?.value(args[1], args[2])
}

fn column(number: f64) -> Outcome<usize> {
    if number >= 0.0 && number.fract() == 0.0 && number < 1e9 {
        Ok(number as usize)
    } else {
        failed(format!("there is no column {number}"))
    }
}

/// `(fileName, tableName, table, rows, columns, columns, count, smoothness, extrapolation, verbose)`
fn new_curve(externals: &StandardExternals, f: &Frame<'_>) -> Outcome<Table> {
    let data = table_data(externals, f)?;
    let columns = columns(f, 5)?;
    let curve = Curve::new(&data, &columns, smoothness(f, 7)?, extrapolation(f, 8)?, false)?;
    Ok(Table::Curve(Arc::new(curve)))
}

/// `(fileName, tableName, table, rows, columns, startTime, columns, count, smoothness, extrapolation, shiftTime, timeEvents, …)`
fn new_time_table(externals: &StandardExternals, f: &Frame<'_>) -> Outcome<Table> {
    let data = table_data(externals, f)?;
    let columns = columns(f, 6)?;
    let curve = Curve::new(&data, &columns, smoothness(f, 8)?, extrapolation(f, 9)?, true)?;
    let events = match f.integer(11)? {
        1 => TimeEvents::Always,
        2 => TimeEvents::AtDiscontinuities,
        3 => TimeEvents::None,
        other => return failed(format!("there are no time events of kind {other}")),
    };
    Ok(Table::Time(Arc::new(TimeTable::new(curve, f.number(5)?, f.number(10)?, events))))
}

/// `(fileName, tableName, table, rows, columns, smoothness, extrapolation, verbose)`
fn new_surface(externals: &StandardExternals, f: &Frame<'_>) -> Outcome<Table> {
    let data = table_data(externals, f)?;
    Ok(Table::Surface(Arc::new(Surface::new(&data, smoothness(f, 5)?, extrapolation(f, 6)?)?)))
}

/// The table itself, from the argument or from a file.
fn table_data(externals: &StandardExternals, f: &Frame<'_>) -> Outcome<Matrix> {
    let given = |name: &str| !matches!(name.trim(), "" | "NoName");
    let (file, name) = (f.text(0)?, f.text(1)?);
    match (given(file), given(name)) {
        (false, false) => f.matrix(2),
        (true, true) => {
            externals.may(Kind::Reads, f.name())?;
            matrix_file::read(externals, file, name)
        }
        (true, false) => failed(format!("no name is given for the table in the file {file}")),
        (false, true) => {
            failed(format!("the table {name} is to come from user code, which is not supported"))
        }
    }
}

fn columns(f: &Frame<'_>, i: usize) -> Outcome<Vec<usize>> {
    Ok(f.numbers(i)?.iter().map(|&c| c as usize).collect())
}

fn smoothness(f: &Frame<'_>, i: usize) -> Outcome<Smoothness> {
    Ok(match f.integer(i)? {
        1 => Smoothness::Linear,
        2 => Smoothness::Akima,
        3 => Smoothness::Constant,
        4 => Smoothness::FritschButland,
        5 => Smoothness::Steffen,
        6 => Smoothness::ModifiedAkima,
        other => return failed(format!("there is no smoothness {other}")),
    })
}

fn extrapolation(f: &Frame<'_>, i: usize) -> Outcome<Extrapolation> {
    Ok(match f.integer(i)? {
        1 => Extrapolation::Hold,
        2 => Extrapolation::Linear,
        3 => Extrapolation::Periodic,
        4 => Extrapolation::None,
        other => return failed(format!("there is no extrapolation {other}")),
    })
}

/// Are two abscissas the same point?
pub(crate) fn nearly_equal(x: f64, y: f64) -> bool {
    const RELATIVE: f64 = 1e-10;
    (x - y).abs() < RELATIVE * x.abs().max(y.abs()).max(RELATIVE)
}

/// The interval `x[i]..x[i+1]` that holds a value, or the nearest one. At least two points.
pub(crate) fn interval(x: &[f64], value: f64) -> usize {
    x.partition_point(|&p| p <= value).saturating_sub(1).min(x.len().saturating_sub(2))
}

/// Moves a value by whole periods into the range, whose end belongs to it.
pub(crate) fn wrap((low, high): (f64, f64), value: f64) -> f64 {
    let period = high - low;
    let moved = if value < low {
        value + ((low - value) / period).ceil() * period
    } else if value > high {
        value - ((value - high) / period).ceil() * period
    } else {
        value
    };
    moved.clamp(low, high)
}

/// The error of a value outside the table.
pub(crate) fn outside<T>(what: &str, value: f64, (low, high): (f64, f64)) -> Outcome<T> {
    failed(format!(
        "{what} = {value} is outside the table, which goes from {low} to {high}, and extrapolation is off"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test::{call, input, output, perform, rows};

    fn number(externals: &StandardExternals, name: &str, args: &[f64]) -> f64 {
        let args: Vec<_> = args.iter().map(|&x| input(x)).collect();
        let name = format!("ModelicaStandardTables_{name}");
        call(externals, &name, &args).unwrap()[0].as_scalar().unwrap()
    }

    fn curve_args(file: &str, name: &str, table: &Matrix) -> Vec<kausal_symbolic::function::ExternalArg> {
        vec![
            input(file),
            input(name),
            input(table),
            input(table.rows as f64),
            input(table.cols as f64),
            input(vec![2.0, 3.0]),
            input(2.0),
            input(1.0),
            input(2.0),
            input(0.0),
        ]
    }

    #[test]
    fn handles_and_derivatives() {
        let externals = StandardExternals::new(Options::default());
        let table = rows(&[[0.0, 0.0, 1.0], [1.0, 2.0, 1.0], [3.0, 8.0, 0.0]]);
        let init = "ModelicaStandardTables_CombiTable1D_init2";
        let args = curve_args("NoName", "NoName", &table);
        let handle = call(&externals, init, &args).unwrap()[0].as_scalar().unwrap();
        assert_eq!(handle, 1.0);
        assert_eq!(call(&externals, init, &args).unwrap()[0].as_scalar().unwrap(), 1.0);
        assert_eq!(number(&externals, "CombiTable1D_getValue", &[1.0, 1.0, 2.0]), 5.0);
        assert_eq!(number(&externals, "CombiTable1D_getValue", &[1.0, 2.0, 2.0]), 0.5);
        assert_eq!(number(&externals, "CombiTable1D_getDerValue", &[1.0, 1.0, 2.0, 10.0]), 30.0);
        assert_eq!(number(&externals, "CombiTable1D_getDer2Value", &[1.0, 1.0, 2.0, 10.0, 2.0]), 6.0);
        assert_eq!(number(&externals, "CombiTable1D_minimumAbscissa", &[1.0]), 0.0);
        assert_eq!(number(&externals, "CombiTable1D_maximumAbscissa", &[1.0]), 3.0);
        let wrong = call(
            &externals,
            "ModelicaStandardTables_CombiTable1D_getValue",
            &[input(2.0), input(1.0), input(0.0)],
        );
        assert!(wrong.is_err());
        let wrong = call(
            &externals,
            "ModelicaStandardTables_CombiTable2D_getValue",
            &[input(1.0), input(1.0), input(0.0)],
        );
        assert!(wrong.is_err());
        let translation = StandardExternals::new(Options::translation(crate::Permissions::everything()));
        assert!(call(&translation, init, &args).is_err());
    }

    #[test]
    fn tables_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.txt");
        std::fs::write(&path, "#1\ndouble tab(2,3)\n0 1 2\n1 3 4\n").unwrap();
        let externals = crate::test::trusting();
        let init = "ModelicaStandardTables_CombiTable1D_init2";
        let empty = Matrix::zeros(0, 2);
        let args = curve_args(path.to_str().unwrap(), "tab", &empty);
        let handle = call(&externals, init, &args).unwrap()[0].as_scalar().unwrap();
        assert_eq!(number(&externals, "CombiTable1D_getValue", &[handle, 2.0, 0.5]), 3.0);
        assert!(call(&externals, init, &curve_args(path.to_str().unwrap(), "other", &empty)).is_err());
        let closed = StandardExternals::new(Options::default());
        assert!(call(&closed, init, &args).is_err());
    }

    #[test]
    fn surfaces_by_name() {
        let externals = StandardExternals::new(Options::default());
        // z = u1*u2 is bilinear: the value, the derivative and the mixed derivative are exact.
        let table = rows(&[[0.0, 1.0, 2.0], [3.0, 3.0, 6.0], [5.0, 5.0, 10.0]]);
        let args = [
            input("NoName"),
            input("NoName"),
            input(&table),
            input(3.0),
            input(3.0),
            input(1.0),
            input(2.0),
            input(0.0),
        ];
        let name = "ModelicaStandardTables_CombiTable2D_init2";
        let handle = call(&externals, name, &args).unwrap()[0].as_scalar().unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(number(&externals, "CombiTable2D_getValue", &[handle, 4.0, 1.5]), 6.0);
        close(number(&externals, "CombiTable2D_getDerValue", &[handle, 4.0, 1.5, 2.0, 1.0]), 7.0);
        close(number(&externals, "CombiTable2D_getDer2Value", &[handle, 4.0, 1.5, 2.0, 1.0, 0.0, 0.0]), 4.0);
        let args = [input(handle), output(vec![0.0, 0.0])];
        let min = perform(&externals, "ModelicaStandardTables_CombiTable2D_minimumAbscissa", &args).unwrap();
        assert_eq!(min[0].scalars(), [3.0, 1.0]);
    }
}
