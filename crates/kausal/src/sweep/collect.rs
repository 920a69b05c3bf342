//! Puts the rows of a sweep into their order, keeps them, and writes them in groups.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kausal_syntax::Diagnostic;

use super::design::Design;
use super::file::{Cells, Column, Table};
use super::quantities::Kept;
use super::runs::{Row, Runs};
use crate::settings::Setting;

/// Where rows go.
pub(super) struct Collector {
    pub runs: Runs,
    design: Design,
    numbers: Vec<bool>,
    /// The run that comes next.
    next: u64,
    /// Runs that wait for it, by the first of each group.
    waiting: BTreeMap<u64, Vec<Row>>,
    waiting_bytes: usize,
    row_bytes: usize,
    keep: bool,
    pub failed: u64,
    /// Why nothing more can be made.
    pub broken: Option<Diagnostic>,
    pub output: Option<Output>,
    settings: Vec<Setting>,
}

/// The tables that are written.
pub(super) struct Output {
    pub rows: Option<Table>,
    pub traces: Option<Table>,
    pub batch: Vec<Column>,
    pub trace_batch: Vec<Column>,
    pub held: usize,
    pub written: Instant,
}

/// Rows are written so often, or when there are so many numbers.
const PAUSE: Duration = Duration::from_millis(500);
const MOST_HELD: usize = 1 << 20;
/// Bytes of rows that may wait for an earlier run.
const MOST_WAITING: usize = 64 << 20;

impl Collector {
    pub fn new(design: &Design, kept: &Kept, first: u64, keep: bool, output: Option<Output>) -> Collector {
        let runs = Runs {
            first,
            names: design.names().to_vec(),
            quantities: kept.quantities.iter().map(|q| q.name()).collect(),
            traced: kept.traced.iter().map(|&v| kept.variables[v].clone()).collect(),
            grid: kept.grid.clone(),
            ..Runs::default()
        };
        Collector {
            runs,
            numbers: design.numbers(),
            design: design.clone(),
            next: first,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            row_bytes: size_of::<Row>() + 8 * (kept.quantities.len() + kept.trace()),
            keep,
            failed: 0,
            broken: None,
            output,
            settings: Vec::new(),
        }
    }

    /// Runs that are over without a gap.
    pub fn done(&self) -> u64 {
        self.next
    }

    /// Do too many rows wait?
    pub fn is_full(&self) -> bool {
        self.waiting_bytes > MOST_WAITING
    }

    /// Takes runs that are over, from `begin` on.
    pub fn take(&mut self, begin: u64, rows: Vec<Row>) -> Result<(), Diagnostic> {
        self.waiting_bytes += rows.len() * self.row_bytes;
        self.waiting.insert(begin, rows);
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() == self.next
        {
            let rows = entry.remove();
            self.waiting_bytes -= rows.len() * self.row_bytes;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                self.add(row);
                self.next += 1;
            }
        }
        self.write(false)
    }

    fn add(&mut self, row: Row) {
        let mut settings = std::mem::take(&mut self.settings);
        self.design.row(self.next, &mut settings);
        self.failed += u64::from(!row.status.is_good());
        if let Some(output) = &mut self.output {
            output.add(self.next, &settings, &self.numbers, &row, &self.runs.grid);
        }
        if self.keep {
            let runs = &mut self.runs;
            runs.settings.extend(settings.iter().cloned());
            runs.numbers.extend(&row.numbers);
            runs.traces.extend(&row.trace);
            runs.ends.push(row.end);
            if let Some(reason) = row.reason {
                runs.reasons.insert(runs.status.len(), reason);
            }
            runs.status.push(row.status);
        }
        self.settings = settings;
    }

    /// Writes what is held back, if it is time to, or in any case.
    pub fn write(&mut self, at_once: bool) -> Result<(), Diagnostic> {
        match &mut self.output {
            Some(output) => output.write(at_once),
            None => Ok(()),
        }
    }

    /// The tables are complete.
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        self.write(true)?;
        let Some(output) = &mut self.output else { return Ok(()) };
        for table in [&mut output.rows, &mut output.traces].into_iter().flatten() {
            table.finish()?;
        }
        Ok(())
    }
}

/// The columns of the table of runs.
pub(super) fn columns(design: &Design, kept: &Kept) -> Vec<Column> {
    let number = |name: String| Column { name, cells: Cells::Numbers(Vec::new()) };
    let text = |name: &str| Column { name: name.to_owned(), cells: Cells::Texts(Vec::new()) };
    let run = Column { name: "run".to_owned(), cells: Cells::Integers(Vec::new()) };
    let parameters = design.names().iter().zip(design.numbers());
    let parameters =
        parameters.map(|(name, is_number)| if is_number { number(name.clone()) } else { text(name) });
    let quantities = kept.quantities.iter().map(|q| number(q.name()));
    let mut columns = vec![run];
    columns.extend(parameters);
    columns.extend(quantities);
    columns.extend([number("end".to_owned()), text("status"), text("reason")]);
    columns
}

/// The columns of the table of trajectories.
pub(super) fn trace_columns(kept: &Kept) -> Vec<Column> {
    let names = kept.traced.iter().map(|&v| kept.variables[v].clone());
    let numbers = std::iter::once("time".to_owned()).chain(names);
    let run = Column { name: "run".to_owned(), cells: Cells::Integers(Vec::new()) };
    let numbers = numbers.map(|name| Column { name, cells: Cells::Numbers(Vec::new()) });
    std::iter::once(run).chain(numbers).collect()
}

impl Output {
    fn add(&mut self, run: u64, settings: &[Setting], numbers: &[bool], row: &Row, grid: &[f64]) {
        if self.rows.is_some() {
            let values =
                settings.iter().zip(numbers).map(|(setting, is_number)| match (setting, is_number) {
                    (Setting::Number(value), true) => Cell::Number(*value),
                    (Setting::Number(value), false) => Cell::Text(value.to_string()),
                    (Setting::Word(word), _) => Cell::Text(word.clone()),
                });
            let end = [
                Cell::Number(row.end),
                Cell::Text(row.status.name().to_owned()),
                Cell::Text(row.reason.clone().unwrap_or_default()),
            ];
            let quantities = row.numbers.iter().map(|value| Cell::Number(*value));
            let cells = std::iter::once(Cell::Integer(run as i64)).chain(values).chain(quantities).chain(end);
            self.batch.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
            self.held += self.batch.len();
        }
        if self.traces.is_some() {
            let variables = self.trace_batch.len() - 2;
            for (k, time) in grid.iter().enumerate() {
                let values = &row.trace[k * variables..][..variables];
                let cells = [Cell::Integer(run as i64), Cell::Number(*time)];
                let cells = cells.into_iter().chain(values.iter().map(|value| Cell::Number(*value)));
                self.trace_batch.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
            }
            self.held += grid.len() * self.trace_batch.len();
        }
    }

    fn write(&mut self, at_once: bool) -> Result<(), Diagnostic> {
        let rows = |batch: &[Column]| match batch.first().map(|c| &c.cells) {
            Some(Cells::Integers(cells)) => cells.len(),
            _ => 0,
        };
        let held = rows(&self.batch).max(rows(&self.trace_batch));
        let table = self.rows.as_ref().or(self.traces.as_ref());
        let due = self.held >= MOST_HELD
            || self.written.elapsed() > PAUSE && table.is_some_and(|table| table.takes(held));
        if held == 0 || !(at_once || due) {
            return Ok(());
        }
        // Trajectories first: a run counts when its row is there.
        for (table, batch) in [(&mut self.traces, &mut self.trace_batch), (&mut self.rows, &mut self.batch)] {
            if let Some(table) = table {
                table.write(batch)?;
            }
            batch.iter_mut().for_each(|column| column.cells.clear());
        }
        self.held = 0;
        self.written = Instant::now();
        Ok(())
    }
}

enum Cell {
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Column {
    fn push(&mut self, cell: Cell) {
        match (&mut self.cells, cell) {
            (Cells::Integers(cells), Cell::Integer(value)) => cells.push(value),
            (Cells::Numbers(cells), Cell::Number(value)) => cells.push(value),
            (Cells::Texts(cells), Cell::Text(text)) => cells.push(text),
            // Columns are made of the same design as rows.
            (Cells::Integers(cells), _) => cells.push(0),
            (Cells::Numbers(cells), _) => cells.push(f64::NAN),
            (Cells::Texts(cells), _) => cells.push(String::new()),
        }
    }
}
