//! Results in MATLAB's format, level 4, in the layout Dymola made common and OpenModelica and many scripts read.
//!
//! Six matrices: `Aclass` says what this is, `name` and `description` hold one text per signal, `dataInfo` says
//! where each signal is, `data_1` holds what does not change (its columns are start and end of the run) and
//! `data_2` everything else over time. Row 0 of both is the time. A signal that is always equal to another one,
//! or to its negative, points at the same row, with a negative number for the negative. In the orientation
//! `binTrans`, which is the one written, an instant is a column; `binNormal` is read as well.

use std::io::{self, Seek, SeekFrom, Write};

use crate::result::{Signal, Sink, Trajectory, Values};
use crate::store::Repair;

/// The kinds of matrices written: doubles, 32-bit integers, bytes that are text.
const DOUBLE: i32 = 0;
const INTEGER: i32 = 20;
const TEXT: i32 = 51;

/// `dataInfo`: held after the end, or not defined outside.
const HOLD: i32 = 0;
const UNDEFINED: i32 = -1;

/// Writes all signals.
pub fn write(trajectory: &Trajectory, out: impl Write + Seek) -> io::Result<()> {
    trajectory.replay(&mut Writer::new(out))
}

/// Writes rows as they come. How many there are and when they begin and end stands before them in the file: it is
/// filled in at the end.
pub struct Writer<W> {
    out: W,
    /// Where the instants of start and end belong, and the number of rows.
    holes: [u64; 3],
    span: Option<(f64, f64)>,
    rows: usize,
}

impl<W: Write + Seek> Writer<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Writer<W> {
        Writer { out, holes: [0; 3], span: None, rows: 0 }
    }
}

impl<W: Write + Seek> Sink for Writer<W> {
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()> {
        let mut begin: Vec<u8> = Vec::new();
        let out = &mut begin;
        let text = ["Atrajectory", "1.1", "", "binTrans"];
        let width = text.iter().map(|t| t.len()).max().unwrap_or(0);
        head(out, "Aclass", TEXT, text.len(), width)?;
        for column in 0..width {
            let row = |t: &&str| t.as_bytes().get(column).copied().unwrap_or(b' ');
            out.write_all(&text.iter().map(row).collect::<Vec<u8>>())?;
        }
        let names: Vec<&str> =
            std::iter::once("time").chain(signals.iter().map(|s| s.name.as_str())).collect();
        texts(out, "name", &names)?;
        let descriptions: Vec<String> =
            std::iter::once("[s]".to_owned()).chain(signals.iter().map(described)).collect();
        texts(out, "description", &descriptions)?;

        head(out, "dataInfo", INTEGER, 4, names.len())?;
        integers(out, &[0, 1, 0, UNDEFINED])?;
        let mut constants = Vec::new();
        for signal in signals {
            match signal.values {
                Values::Constant(value) => {
                    constants.push(value);
                    integers(out, &[1, place(constants.len())?, 0, HOLD])?;
                }
                Values::Column(column, negated) => {
                    let at = place(column + 1)?;
                    integers(out, &[2, if negated { -at } else { at }, 0, UNDEFINED])?;
                }
            }
        }

        head(out, "data_1", DOUBLE, constants.len() + 1, 2)?;
        for hole in 0..2 {
            self.holes[hole] = out.len() as u64;
            doubles(out, &[0.0])?;
            doubles(out, &constants)?;
        }
        // The number of columns is the third number of the head.
        self.holes[2] = out.len() as u64 + 8;
        head(out, "data_2", DOUBLE, columns + 1, 0)?;
        self.out.write_all(&begin)
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        self.span = Some((self.span.map_or(time, |s| s.0), time));
        self.rows += 1;
        doubles(&mut self.out, &[time])?;
        doubles(&mut self.out, columns)
    }

    fn keep(&mut self) -> io::Result<()> {
        self.finish()
    }

    fn finish(&mut self) -> io::Result<()> {
        let rows = i32::try_from(self.rows).map_err(|_| too_large())?;
        let (first, last) = self.span.unwrap_or((0.0, 0.0));
        let out = &mut self.out;
        for (hole, bytes) in
            self.holes.iter().zip([&first.to_le_bytes()[..], &last.to_le_bytes(), &rows.to_le_bytes()])
        {
            out.seek(SeekFrom::Start(*hole))?;
            out.write_all(bytes)?;
        }
        out.seek(SeekFrom::End(0))?;
        out.flush()
    }
}

/// The number of a row in `dataInfo`: row 0 is the time, and counting starts with 1.
fn place(row: usize) -> io::Result<i32> {
    i32::try_from(row + 1).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "more rows or columns than this format can count")
}

fn head(out: &mut dyn Write, name: &str, kind: i32, rows: usize, columns: usize) -> io::Result<()> {
    let size = |n: usize| i32::try_from(n).map_err(|_| too_large());
    integers(out, &[kind, size(rows)?, size(columns)?, 0, size(name.len() + 1)?])?;
    out.write_all(name.as_bytes())?;
    out.write_all(&[0])
}

fn integers(out: &mut dyn Write, values: &[i32]) -> io::Result<()> {
    values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}

fn doubles(out: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}

/// One text per column, filled up with blanks, which MATLAB and Octave take away by themselves.
fn texts(out: &mut dyn Write, name: &str, texts: &[impl AsRef<str>]) -> io::Result<()> {
    let width = texts.iter().map(|t| t.as_ref().len()).max().unwrap_or(0).max(1);
    head(out, name, TEXT, width, texts.len())?;
    for text in texts {
        let bytes = text.as_ref().as_bytes();
        out.write_all(bytes)?;
        out.write_all(&vec![b' '; width - bytes.len()])?;
    }
    Ok(())
}

fn described(signal: &Signal) -> String {
    match (signal.description.as_str(), signal.unit.as_str()) {
        (description, "") => description.to_owned(),
        ("", unit) => format!("[{unit}]"),
        (description, unit) => format!("{description} [{unit}]"),
    }
}

/// A matrix as it was read: column after column.
struct Matrix {
    /// Where its head begins, and where it ends.
    at: usize,
    end: usize,
    name: String,
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[column * self.rows + row]
    }

    fn transposed(&self) -> Matrix {
        let mut values = Vec::with_capacity(self.values.len());
        for row in 0..self.rows {
            values.extend((0..self.columns).map(|column| self.at(row, column)));
        }
        let (at, end) = (self.at, self.end);
        Matrix { at, end, name: self.name.clone(), rows: self.columns, columns: self.rows, values }
    }

    /// The columns as texts.
    fn texts(&self) -> Vec<String> {
        let text = |column: usize| {
            let bytes: Vec<u8> = (0..self.rows).map(|row| self.at(row, column) as u8).collect();
            String::from_utf8_lossy(&bytes).trim_end_matches(['\0', ' ']).to_owned()
        };
        (0..self.columns).map(text).collect()
    }
}

/// Reads a result.
pub fn read(bytes: &[u8]) -> Result<Trajectory, String> {
    result(matrices(bytes, false)?)
}

/// Reads a file that was never completed: `data_2` is its last matrix, and as long as the file is. Says what completes it.
pub(crate) fn read_incomplete(bytes: &[u8]) -> Result<(Trajectory, Repair), String> {
    let matrices = matrices(bytes, true)?;
    let place = |name: &str| matrices.iter().find(|m| m.name == name).map(|m| (m.at, m.rows));
    let (Some((constants, rows)), Some((over_time, _))) = (place("data_1"), place("data_2")) else {
        return Err("it ends before its first row".into());
    };
    let Some(last) = matrices.last().filter(|m| m.name == "data_2") else {
        return Err("it does not end with data_2".into());
    };
    let columns = i32::try_from(last.columns).map_err(|e| e.to_string())?;
    let length = last.end as u64;
    let trajectory = result(matrices)?;
    let (first, end) = match &trajectory.time[..] {
        [first, .., end] => (*first, *end),
        [only] => (*only, *only),
        [] => (0.0, 0.0),
    };
    // Instants of start and end are the first row of data_1, behind its head and its name.
    let data = constants + 20 + "data_1".len() + 1;
    let patches = vec![
        (data as u64, first.to_le_bytes().to_vec()),
        ((data + 8 * rows) as u64, end.to_le_bytes().to_vec()),
        (over_time as u64 + 8, columns.to_le_bytes().to_vec()),
    ];
    Ok((trajectory, Repair { length, patches }))
}

fn result(mut matrices: Vec<Matrix>) -> Result<Trajectory, String> {
    let take = |matrices: &mut Vec<Matrix>, name: &str| {
        let at = matrices.iter().position(|m| m.name == name);
        at.map(|at| matrices.swap_remove(at)).ok_or_else(|| format!("there is no matrix {name}"))
    };
    let class = take(&mut matrices, "Aclass")?.transposed().texts();
    let normal = match class.get(3).map(String::as_str) {
        Some("binTrans") => false,
        Some("binNormal") => true,
        _ => return Err("the matrix Aclass does not say binTrans or binNormal".into()),
    };
    let mut oriented = |name: &str| {
        let matrix = take(&mut matrices, name)?;
        Ok::<_, String>(if normal { matrix.transposed() } else { matrix })
    };
    let names = oriented("name")?.texts();
    let descriptions = oriented("description")?.texts();
    let info = oriented("dataInfo")?;
    let constants = oriented("data_1")?;
    let over_time = oriented("data_2")?;
    if info.rows < 2 || info.columns < names.len() {
        return Err(format!("dataInfo has {} columns for {} names", info.columns, names.len()));
    }
    if over_time.rows == 0 {
        return Err("data_2 is empty".into());
    }
    let row = |r: usize| (0..over_time.columns).map(|c| over_time.at(r, c)).collect::<Vec<f64>>();
    let mut trajectory =
        Trajectory { time: row(0), signals: Vec::new(), columns: (1..over_time.rows).map(row).collect() };
    for (i, name) in names.into_iter().enumerate() {
        let (table, index) = (info.at(0, i), info.at(1, i));
        let (at, negated) = (index.abs() as usize, index < 0.0);
        let matrix = if table == 1.0 { &constants } else { &over_time };
        if at == 0 || at > matrix.rows {
            return Err(format!("{name} points at row {index}, which does not exist"));
        }
        let values = match (table as i64, at) {
            (0, _) | (_, 1) => continue,
            (1, _) if constants.columns == 0 => return Err("data_1 is empty".into()),
            (1, _) => {
                Values::Constant(if negated { -constants.at(at - 1, 0) } else { constants.at(at - 1, 0) })
            }
            (2, _) => Values::Column(at - 2, negated),
            _ => return Err(format!("{name} is in table {table}, which does not exist")),
        };
        let (description, unit) = split_unit(descriptions.get(i).map_or("", String::as_str));
        trajectory.signals.push(Signal { name, unit, description, values });
    }
    Ok(trajectory)
}

/// `text [unit|display unit]` apart.
fn split_unit(text: &str) -> (String, String) {
    let inside = text.strip_suffix(']').and_then(|t| t.rsplit_once('['));
    match inside {
        Some((description, unit)) if !unit.starts_with(':') => {
            let unit = unit.split('|').next().unwrap_or(unit);
            (description.trim_end().to_owned(), unit.to_owned())
        }
        _ => (text.to_owned(), String::new()),
    }
}

/// All matrices of a file of level 4, in either byte order. In a file that is not complete, the columns of `data_2` are
/// those that are there, in the one way in which such files are written here.
fn matrices(bytes: &[u8], incomplete: bool) -> Result<Vec<Matrix>, String> {
    let short = || "the file ends in the middle of a matrix".to_owned();
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let first = number::<4>(rest, 0).map(i32::from_le_bytes).ok_or_else(short)?;
        // The kind is a number of up to four digits; its thousands say the byte order, 1 for the big end first.
        let big = !(0..1000).contains(&first);
        let field = |i: usize| {
            let raw = number::<4>(rest, 4 * i)?;
            Some(if big { i32::from_be_bytes(raw) } else { i32::from_le_bytes(raw) })
        };
        let mut head = [0usize; 5];
        for (i, value) in head.iter_mut().enumerate() {
            let read = field(i).ok_or_else(short)?;
            *value = usize::try_from(read).map_err(|_| "this is not a MATLAB file of level 4".to_owned())?;
        }
        let [kind, rows, mut columns, imaginary, length] = head;
        if kind % 1000 >= 100 || kind >= 2000 || imaginary > 1 || length == 0 || length > 1000 {
            return Err("this is not a MATLAB file of level 4".into());
        }
        let width = match kind / 10 % 10 {
            0 => 8,
            1 | 2 => 4,
            3 | 4 => 2,
            5 => 1,
            other => return Err(format!("numbers of kind {other} are unknown")),
        };
        let name = rest.get(20..20 + length).ok_or_else(short)?;
        let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
        if incomplete && name == "data_2" {
            if kind != DOUBLE as usize || imaginary != 0 || big || rows == 0 {
                return Err("data_2 is of another kind".into());
            }
            columns = (rest.len() - 20 - length) / (8 * rows);
        }
        // A matrix without columns may claim any number of rows: nothing is made of more than the file has bytes.
        if rows.max(columns) > bytes.len() {
            return Err(format!(
                "{name} would have {rows} rows and {columns} columns in a file of {} bytes",
                bytes.len()
            ));
        }
        let count = rows.checked_mul(columns).ok_or_else(short)?;
        let size = count.checked_mul(width * (1 + imaginary)).ok_or_else(short)?;
        let end = size.checked_add(20 + length).ok_or_else(short)?;
        let data = rest.get(20 + length..end).ok_or_else(short)?;
        let values =
            data.chunks_exact(width).take(count).map(|raw| element(raw, kind / 10 % 10, big)).collect();
        let at = bytes.len() - rest.len();
        let is_last = incomplete && name == "data_2";
        out.push(Matrix { at, end: at + end, name, rows, columns, values });
        rest = if is_last { &[] } else { &rest[end..] };
    }
    Ok(out)
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// One number of the given kind; `raw` has its width.
fn element(raw: &[u8], kind: usize, big: bool) -> f64 {
    let mut bytes = [0u8; 8];
    let n = raw.len().min(8);
    bytes[..n].copy_from_slice(&raw[..n]);
    if big {
        bytes[..n].reverse();
    }
    let [a, b, c, d, ..] = bytes;
    match kind {
        0 => f64::from_le_bytes(bytes),
        1 => f64::from(f32::from_le_bytes([a, b, c, d])),
        2 => f64::from(i32::from_le_bytes([a, b, c, d])),
        3 => f64::from(i16::from_le_bytes([a, b])),
        4 => f64::from(u16::from_le_bytes([a, b])),
        _ => f64::from(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Trajectory {
        let signal = |name: &str, unit: &str, description: &str, values| Signal {
            name: name.into(),
            unit: unit.into(),
            description: description.into(),
            values,
        };
        Trajectory {
            time: vec![0.0, 0.5, 0.5, 1.0],
            signals: vec![
                signal("x", "m", "position, größer als 0", Values::Column(0, false)),
                signal("minus", "m", "", Values::Column(0, true)),
                signal("a[1,2].longer name", "", "", Values::Column(1, false)),
                signal("p", "", "a parameter [as declared", Values::Constant(-2.5)),
                signal("q", "kg/s", "", Values::Constant(1e-300)),
            ],
            columns: vec![vec![1.0, 2.0, -2.0, 1.0 / 3.0], vec![0.0, 0.0, 1.0, 1.0]],
        }
    }

    fn written(trajectory: &Trajectory) -> Vec<u8> {
        let mut out = io::Cursor::new(Vec::new());
        write(trajectory, &mut out).unwrap();
        out.into_inner()
    }

    fn same(a: &Trajectory, b: &Trajectory) {
        assert_eq!((&a.time, &a.columns), (&b.time, &b.columns));
        for (a, b) in a.signals.iter().zip(&b.signals) {
            assert_eq!((&a.name, &a.unit, &a.description), (&b.name, &b.unit, &b.description));
            assert_eq!(a.values, b.values);
        }
        assert_eq!(a.signals.len(), b.signals.len());
    }

    #[test]
    fn what_is_written_reads_back() {
        let trajectory = sample();
        same(&read(&written(&trajectory)).unwrap(), &trajectory);
        let empty = Trajectory::default();
        same(&read(&written(&empty)).unwrap(), &empty);
    }

    /// The layout byte by byte where other readers look: names and kinds of the matrices in this order.
    #[test]
    fn the_matrices_have_their_names_kinds_and_sizes() {
        let bytes = written(&sample());
        let heads: Vec<(String, usize, usize)> =
            matrices(&bytes, false).unwrap().into_iter().map(|m| (m.name, m.rows, m.columns)).collect();
        let expected = [("Aclass", 4, 11), ("name", 18, 6), ("description", 28, 6), ("dataInfo", 4, 6)];
        for (found, (name, rows, columns)) in heads.iter().zip(expected) {
            assert_eq!(found, &(name.to_owned(), rows, columns));
        }
        assert_eq!(heads[4], ("data_1".to_owned(), 3, 2));
        assert_eq!(heads[5], ("data_2".to_owned(), 3, 4));
        let info = matrices(&bytes, false).unwrap().swap_remove(3);
        assert_eq!(info.values[..12], [0.0, 1.0, 0.0, -1.0, 2.0, 2.0, 0.0, -1.0, 2.0, -2.0, 0.0, -1.0]);
    }

    /// The same file the other way round, in floats with the big end first, as some tools write it.
    #[test]
    fn the_other_orientation_and_byte_order() {
        let mut sample = sample();
        sample.columns[0][3] = 0.25;
        sample.signals[4].values = Values::Constant(3.0);
        let mut bytes = Vec::new();
        for m in matrices(&written(&sample), false).unwrap() {
            let m = match m.name.as_str() {
                "Aclass" => class("binNormal"),
                _ => m.transposed(),
            };
            let text = matches!(m.name.as_str(), "Aclass" | "name" | "description");
            let kind = if text { 1051 } else { 1010 };
            for v in [kind, m.rows as i32, m.columns as i32, 0, m.name.len() as i32 + 1] {
                bytes.extend(v.to_be_bytes());
            }
            bytes.extend(m.name.as_bytes());
            bytes.push(0);
            for v in &m.values {
                if text { bytes.push(*v as u8) } else { bytes.extend((*v as f32).to_be_bytes()) }
            }
        }
        same(&read(&bytes).unwrap(), &sample);
    }

    fn class(orientation: &str) -> Matrix {
        let rows: Vec<Vec<u8>> =
            ["Atrajectory", "1.1", "", orientation].iter().map(|t| format!("{t:11}").into_bytes()).collect();
        let values =
            (0..11).flat_map(|c| rows.iter().map(move |r| f64::from(r[c])).collect::<Vec<_>>()).collect();
        Matrix { name: "Aclass".into(), rows: 4, columns: 11, values, at: 0, end: 0 }
    }

    #[test]
    fn broken_files_are_refused() {
        let bytes = written(&sample());
        for cut in [1, 19, 30, bytes.len() - 1] {
            assert!(read(&bytes[..cut]).is_err());
        }
        assert_eq!(
            read(b"\x89PNG\r\n\x1a\n and some more text").unwrap_err(),
            "this is not a MATLAB file of level 4"
        );
        assert_eq!(read(b"").unwrap_err(), "there is no matrix Aclass");
    }

    /// Two billion rows without a column take no byte of the file, and none of memory.
    #[test]
    fn nothing_is_made_of_rows_without_columns() {
        let trajectory = Trajectory { time: Vec::new(), columns: vec![Vec::new(); 2], ..sample() };
        let mut bytes = written(&trajectory);
        let head = matrices(&bytes, false).unwrap().swap_remove(5).at;
        let (rows, columns) = (head + 4..head + 8, head + 8..head + 12);
        assert_eq!(bytes[columns], [0; 4]);
        bytes[rows].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(read(&bytes).unwrap_err().starts_with("data_2 would have 2147483647 rows and 0 columns"));
    }
}
