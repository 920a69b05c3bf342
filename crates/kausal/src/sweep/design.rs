//! Which values the runs of a sweep have.
//!
//! Lists and tables are combined as a grid: each value of one with each of the others, the last one changing fastest. Random
//! parameters have a value of their own in every run. Where a number of runs is asked for, the grid is gone through again and
//! again, or not to its end. The values of a run are a function of its number: whoever goes on with a sweep, or makes a part of
//! it, has the same.

use std::fmt;

use kausal_syntax::Diagnostic;

use super::random::{Cube, Sampling, normal_quantile};
use crate::settings::Setting;

/// What one parameter, or start value, is in the runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// One of these.
    List(Vec<Setting>),
    /// Something random.
    Random(Distribution),
}

/// How random values are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Between two numbers.
    Uniform(f64, f64),
    /// Between two positive numbers, uniform in the logarithm.
    LogUniform(f64, f64),
    /// With this mean and standard deviation.
    Normal(f64, f64),
}

impl Distribution {
    /// The value behind this part of all.
    fn quantile(self, p: f64) -> f64 {
        match self {
            Distribution::Uniform(a, b) => a + (b - a) * p,
            Distribution::LogUniform(a, b) => (a.ln() + (b.ln() - a.ln()) * p).exp().clamp(a, b),
            Distribution::Normal(mean, deviation) => mean + deviation * normal_quantile(p),
        }
    }

    /// What is wrong with its numbers.
    fn fault(self) -> Option<&'static str> {
        let (a, b, fault) = match self {
            Distribution::Uniform(a, b) => {
                (a, b, (a > b).then_some("its first number must not be the larger one"))
            }
            Distribution::LogUniform(a, b) => {
                (a, b, (a > b || a <= 0.0).then_some("its numbers must be positive, the smaller one first"))
            }
            Distribution::Normal(m, s) => (m, s, (s < 0.0).then_some("a standard deviation is not negative")),
        };
        if a.is_finite() && b.is_finite() { fault } else { Some("its numbers must be finite") }
    }
}

impl Values {
    /// So many numbers at even distances, the first and the last one included.
    pub fn linear(from: f64, to: f64, count: usize) -> Values {
        spread(count, |s| from + (to - from) * s, from, to)
    }

    /// So many positive numbers at even distances in the logarithm.
    pub fn logarithmic(from: f64, to: f64, count: usize) -> Values {
        spread(count, |s| (from.ln() + (to.ln() - from.ln()) * s).exp(), from, to)
    }
}

/// The ends are what was written, to the last digit.
fn spread(count: usize, at: impl Fn(f64) -> f64, from: f64, to: f64) -> Values {
    let value = |k: usize| match k {
        0 => from,
        k if k + 1 == count => to,
        k => at(k as f64 / (count - 1) as f64),
    };
    Values::List((0..count).map(value).map(Setting::Number).collect())
}

impl From<Distribution> for Values {
    fn from(distribution: Distribution) -> Values {
        Values::Random(distribution)
    }
}

impl<V: Into<Setting>> From<Vec<V>> for Values {
    fn from(values: Vec<V>) -> Values {
        Values::List(values.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Setting>, const N: usize> From<[V; N]> for Values {
    fn from(values: [V; N]) -> Values {
        Values::List(values.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Setting> + Clone> From<&[V]> for Values {
    fn from(values: &[V]) -> Values {
        Values::List(values.iter().cloned().map(Into::into).collect())
    }
}

/// Reads what the command line takes: `0.1:10:50` (from, to, how many), `0.1:10:50,log`, `1,2,5`, `uniform(0.1,1)`,
/// `loguniform(0.1,10)`, `normal(5,0.2)`.
///
/// # Errors
/// What is wrong, in words.
pub fn parse_values(text: &str) -> Result<Values, String> {
    let text = text.trim();
    if let Some((name, arguments)) = text.strip_suffix(')').and_then(|t| t.split_once('(')) {
        let numbers: Result<Vec<f64>, _> = arguments.split(',').map(|a| a.trim().parse::<f64>()).collect();
        let make = match name.trim() {
            "uniform" => Distribution::Uniform,
            "loguniform" => Distribution::LogUniform,
            "normal" => Distribution::Normal,
            other => return Err(format!("there is no distribution {other}: uniform, loguniform or normal")),
        };
        let Ok([a, b]) = numbers.map_err(|_| ()).and_then(|n| <[f64; 2]>::try_from(n).map_err(|_| ())) else {
            return Err(format!("write it as {}(NUMBER,NUMBER)", name.trim()));
        };
        return Ok(Values::Random(make(a, b)));
    }
    let (range, logarithmic) = match text.strip_suffix(",log") {
        Some(range) => (range, true),
        None => (text, false),
    };
    let parts: Vec<&str> = range.split(':').map(str::trim).collect();
    if let [from, to, count] = parts[..]
        && let (Ok(from), Ok(to)) = (from.parse::<f64>(), to.parse::<f64>())
    {
        let count = count.parse::<usize>().ok().filter(|n| (1..=MOST_VALUES).contains(n));
        let count = count.ok_or_else(|| format!("the number of values lies between 1 and {MOST_VALUES}"))?;
        if !(from.is_finite() && to.is_finite()) || logarithmic && (from <= 0.0 || to <= 0.0) {
            return Err(format!(
                "both ends must be finite{}",
                if logarithmic { " and positive" } else { "" }
            ));
        }
        return Ok(if logarithmic {
            Values::logarithmic(from, to, count)
        } else {
            Values::linear(from, to, count)
        });
    }
    if logarithmic {
        return Err("write it as FROM:TO:COUNT,log".to_owned());
    }
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    if words.iter().any(|word| word.is_empty()) {
        return Err("write it as FROM:TO:COUNT, as A,B,C or as uniform(A,B)".to_owned());
    }
    let numbers: Result<Vec<f64>, _> = words.iter().map(|word| word.parse::<f64>()).collect();
    Ok(match numbers {
        Ok(numbers) => numbers.into(),
        Err(_) => words.into(),
    })
}

/// Reads a table of values: names in the first line, then a line for each row (RFC 4180).
///
/// # Errors
/// What is wrong, in words.
pub fn parse_table(text: &str) -> Result<(Vec<String>, Vec<Vec<Setting>>), String> {
    let mut lines = records(text)?.into_iter();
    let names = lines.next().ok_or("it is empty")?;
    let mut rows = Vec::new();
    for (k, line) in lines.enumerate() {
        if line.len() != names.len() {
            return Err(format!("row {} has {} values for {} names", k + 1, line.len(), names.len()));
        }
        let value = |word: String| match word.parse::<f64>() {
            Ok(number) => Setting::Number(number),
            Err(_) => Setting::Word(word),
        };
        rows.push(line.into_iter().map(value).collect());
    }
    Ok((names, rows))
}

/// The cells of the lines of a text; empty lines are none.
fn records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut all, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.trim_start_matches('\u{feff}').chars().chain(['\n']).peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut cell).trim().to_owned()),
            '\n' if !quoted => {
                if !(line.is_empty() && cell.trim().is_empty()) {
                    line.push(cell.trim().to_owned());
                    all.push(std::mem::take(&mut line));
                }
                cell.clear();
            }
            c => cell.push(c),
        }
    }
    if quoted { Err("a quotation mark is not closed".to_owned()) } else { Ok(all) }
}

const MOST_VALUES: usize = 100_000_000;

/// Parameters that change together, or one alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    /// Their rows.
    Rows(Vec<String>, Vec<Vec<Setting>>),
    /// One that is random.
    Random(String, Distribution),
}

/// The values of all runs.
#[derive(Clone, Debug)]
pub(super) struct Design {
    axes: Vec<Axis>,
    names: Vec<String>,
    pub runs: u64,
    cube: Cube,
    /// How many rows the grid has.
    grid: u64,
}

/// As many as have a place in a Latin hypercube, and more than anybody waits for.
const MOST_RUNS: u64 = 1 << 32;

fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("K0570", message)
}

impl Design {
    pub fn new(
        axes: Vec<Axis>,
        runs: Option<u64>,
        seed: u64,
        sampling: Sampling,
    ) -> Result<Design, Diagnostic> {
        let mut names: Vec<String> = Vec::new();
        for axis in &axes {
            let (of, empty) = match axis {
                Axis::Rows(of, rows) => (&of[..], rows.is_empty()),
                Axis::Random(name, distribution) => {
                    if let Some(fault) = distribution.fault() {
                        return Err(wrong(format!("{name} cannot be {distribution}: {fault}")));
                    }
                    (std::slice::from_ref(name), false)
                }
            };
            if empty {
                return Err(wrong(format!("there is no value for {}", of.join(", "))));
            }
            for name in of {
                if names.contains(name) {
                    return Err(wrong(format!("{name} is varied twice")).help("give all its values at once"));
                }
                names.push(name.clone());
            }
        }
        let random = axes.iter().filter(|axis| matches!(axis, Axis::Random(..))).count();
        let sizes =
            axes.iter().map(|axis| if let Axis::Rows(_, rows) = axis { rows.len() as u64 } else { 1 });
        let grid = sizes.fold(1u64, u64::saturating_mul);
        let runs = match runs {
            None if random > 0 => {
                return Err(wrong("random values need a number of runs").help("say how many with --runs"));
            }
            None => grid,
            Some(runs) => runs,
        };
        if runs == 0 || runs > MOST_RUNS {
            return Err(wrong(format!(
                "a sweep of {runs} runs cannot be made: between 1 and {MOST_RUNS} can"
            )));
        }
        if random > sampling.most_parameters() {
            let most = sampling.most_parameters();
            return Err(wrong(format!(
                "Sobol's sequence is known for up to {most} parameters, not for {random}"
            ))
            .help("take a Latin hypercube"));
        }
        Ok(Design { cube: Cube::new(sampling, seed, runs, random), axes, names, runs, grid })
    }

    /// What is varied, in the order of columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of a run.
    pub fn row(&self, run: u64, row: &mut Vec<Setting>) {
        row.clear();
        let (mut place, mut behind, mut random) = (run % self.grid, self.grid, 0);
        for axis in &self.axes {
            match axis {
                Axis::Rows(_, rows) => {
                    behind /= rows.len() as u64;
                    row.extend(rows[(place / behind) as usize].iter().cloned());
                    place %= behind;
                }
                Axis::Random(_, distribution) => {
                    let value = distribution.quantile(self.cube.point(run, random));
                    row.push(Setting::Number(value));
                    random += 1;
                }
            }
        }
    }

    /// Are all values of each column numbers?
    pub fn numbers(&self) -> Vec<bool> {
        let is_number = |setting: &Setting| matches!(setting, Setting::Number(_));
        self.axes
            .iter()
            .flat_map(|axis| match axis {
                Axis::Rows(names, rows) => {
                    (0..names.len()).map(|k| rows.iter().all(|row| is_number(&row[k]))).collect()
                }
                Axis::Random(..) => vec![true],
            })
            .collect()
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform(a, b) => write!(f, "uniform({a}, {b})"),
            Distribution::LogUniform(a, b) => write!(f, "loguniform({a}, {b})"),
            Distribution::Normal(m, s) => write!(f, "normal({m}, {s})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, values: impl Into<Values>) -> Axis {
        match values.into() {
            Values::List(values) => {
                Axis::Rows(vec![name.into()], values.into_iter().map(|v| vec![v]).collect())
            }
            Values::Random(distribution) => Axis::Random(name.into(), distribution),
        }
    }

    fn row(design: &Design, run: u64) -> Vec<Setting> {
        let mut row = Vec::new();
        design.row(run, &mut row);
        row
    }

    #[test]
    fn the_last_axis_of_a_grid_is_the_fastest() {
        let axes = vec![rows("a", [1.0, 2.0]), rows("b", ["x", "y", "z"])];
        let design = Design::new(axes, None, 0, Sampling::Random).expect("a design");
        assert_eq!((design.runs, design.numbers()), (6, vec![true, false]));
        let word = |w: &str| Setting::Word(w.into());
        assert_eq!(row(&design, 1), [Setting::Number(1.0), word("y")]);
        assert_eq!(row(&design, 3), [Setting::Number(2.0), word("x")]);
    }

    #[test]
    fn random_values_are_beside_the_grid() {
        let axes = vec![rows("a", [1.0, 2.0]), rows("b", Distribution::Uniform(5.0, 6.0))];
        assert!(Design::new(axes.clone(), None, 0, Sampling::Random).is_err());
        let design = Design::new(axes, Some(5), 7, Sampling::LatinHypercube).expect("a design");
        let all: Vec<_> = (0..5).map(|k| row(&design, k)).collect();
        assert_eq!(all.iter().filter(|row| row[0] == Setting::Number(2.0)).count(), 2);
        let mut slices: Vec<usize> = all
            .iter()
            .map(|row| if let Setting::Number(b) = row[1] { ((b - 5.0) * 5.0) as usize } else { 9 })
            .collect();
        slices.sort_unstable();
        assert_eq!(slices, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        let numbers = |text: &str| match parse_values(text) {
            Ok(Values::List(list)) => list,
            other => panic!("{other:?}"),
        };
        let number = Setting::Number;
        assert_eq!(numbers("0:1:3"), [number(0.0), number(0.5), number(1.0)]);
        assert_eq!(numbers("0.1:10:3,log")[0], number(0.1));
        assert!(matches!(numbers("0.1:10:3,log")[1], Setting::Number(x) if (x - 1.0).abs() < 1e-15));
        assert_eq!(numbers("1, 2,5"), [number(1.0), number(2.0), number(5.0)]);
        assert_eq!(numbers("slow,fast"), [Setting::Word("slow".into()), Setting::Word("fast".into())]);
        assert_eq!(parse_values("normal(5, 0.2)"), Ok(Values::Random(Distribution::Normal(5.0, 0.2))));
        let (names, rows) =
            parse_table("a.b,\"c[1,2]\"\n1,fast\r\n\n2,\"say \"\"no\"\"\"\n").expect("a table");
        assert_eq!(names, ["a.b", "c[1,2]"]);
        assert_eq!(rows[1], [number(2.0), Setting::Word("say \"no\"".into())]);
        assert!(
            parse_table("a,b\n1\n").is_err() && parse_table("").is_err() && parse_table("a\n\"1\n").is_err()
        );
        for wrong in ["0:1:0", "-1:1:3,log", "uniform(1)", "gamma(1,2)", "1,,2", "", "a,log"] {
            assert!(parse_values(wrong).is_err(), "{wrong}");
        }
    }
}
