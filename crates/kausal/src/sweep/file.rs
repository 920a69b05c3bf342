//! Tables of runs as CSV or Parquet, written in groups of rows while a sweep goes on, and continued where it was interrupted.
//!
//! A table has whole numbers, numbers and texts. What is not known is NaN in Parquet and an empty cell in CSV. Beside a table that
//! is not complete lies a small file that says which sweep it belongs to ([`Mark`]): nobody goes on with another one.
//! A Parquet file ends with a footer, which is written when the program ends in good order; rows of a program that was killed are
//! found by the footer in front, group by group, as in result files ([`parquet`]).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kausal_external::{open_regular, read_regular};
use kausal_syntax::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::parquet::{self, thrift};
use crate::store::unwritable;
use thrift::{Struct, Value};

/// A column of some rows.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub name: String,
    pub cells: Cells,
}

/// Its cells.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Cells {
    pub fn clear(&mut self) {
        match self {
            Cells::Integers(cells) => cells.clear(),
            Cells::Numbers(cells) => cells.clear(),
            Cells::Texts(cells) => cells.clear(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Cells::Integers(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }

    /// `Type` of the specification of Parquet.
    fn kind(&self) -> i64 {
        match self {
            Cells::Integers(_) => 2,
            Cells::Numbers(_) => parquet::DOUBLE,
            Cells::Texts(_) => 6,
        }
    }
}

/// The largest mark of a sweep that is read.
const MAX_MARK: u64 = 1 << 26;

/// A table that is being written.
pub(super) struct Table {
    path: PathBuf,
    out: BufWriter<File>,
    format: Format,
    /// Rows so far.
    pub rows: u64,
}

enum Format {
    Csv,
    Parquet { position: u64, groups: Vec<Struct>, schema: Vec<Column> },
}

/// Is this the name of a table?
pub fn check(path: &Path) -> Result<(), Diagnostic> {
    is_parquet(path).map(|_| ())
}

fn is_parquet(path: &Path) -> Result<bool, Diagnostic> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(false),
        Some("parquet") => Ok(true),
        _ => Err(Diagnostic::error(
            "K0907",
            format!("cannot write {}: its name says no format", path.display()),
        )
        .help("tables of runs are .csv or .parquet files")),
    }
}

impl Table {
    /// A new one, in the place of any other.
    pub fn create(path: &Path, columns: &[Column]) -> Result<Table, Diagnostic> {
        let parquet = is_parquet(path)?;
        let broken = |error: io::Error| unwritable(path, None, &error);
        let mut out = BufWriter::with_capacity(1 << 16, File::create(path).map_err(broken)?);
        let head = head(columns, parquet);
        out.write_all(&head).and_then(|()| out.flush()).map_err(broken)?;
        let format = match parquet {
            false => Format::Csv,
            true => {
                Format::Parquet { position: head.len() as u64, groups: Vec::new(), schema: empty(columns) }
            }
        };
        Ok(Table { path: path.to_owned(), out, format, rows: 0 })
    }

    /// How many rows of one that exists can be kept: ascending. None where it has other columns.
    pub fn ends(path: &Path, columns: &[Column]) -> Result<Vec<u64>, Diagnostic> {
        let parquet = is_parquet(path)?;
        let unreadable =
            |error: io::Error| Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display()));
        let head = head(columns, parquet);
        let mut file = open_regular(path).map_err(unreadable)?;
        let mut own = vec![0; head.len()];
        let other = || {
            Diagnostic::error("K0571", format!("{} has other columns than this sweep", path.display()))
                .help("leave --resume away to write it anew")
        };
        file.read_exact(&mut own).map_err(|_| other())?;
        if own != head {
            return Err(other());
        }
        if parquet {
            let groups = groups(&mut file, head.len() as u64, columns).map_err(unreadable)?;
            return Ok(groups.iter().map(|g| g.rows).collect());
        }
        let lines = Lines::count(&mut file).map_err(unreadable)?;
        Ok((0..=lines.complete).collect())
    }

    /// Goes on behind so many rows, one of those that [`Table::ends`] gives.
    pub fn resume(path: &Path, columns: &[Column], rows: u64) -> Result<Table, Diagnostic> {
        let parquet = is_parquet(path)?;
        let head = head(columns, parquet).len() as u64;
        let open = || -> io::Result<Table> {
            let mut file = File::options().read(true).write(true).open(path)?;
            file.seek(SeekFrom::Start(head))?;
            let (end, format) = match parquet {
                true => {
                    let mut groups = groups(&mut file, head, columns)?;
                    groups.retain(|g| g.rows <= rows);
                    let end = groups.last().map_or(head, |g| g.end);
                    let groups = groups.into_iter().filter_map(|g| g.meta).collect();
                    (end, Format::Parquet { position: end, groups, schema: empty(columns) })
                }
                false => (head + Lines::length(&mut file, rows)?, Format::Csv),
            };
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
            Ok(Table { path: path.to_owned(), out: BufWriter::with_capacity(1 << 16, file), format, rows })
        };
        open().map_err(|error| unwritable(path, None, &error))
    }

    /// May rows be written in small groups?
    pub fn takes(&self, rows: usize) -> bool {
        match self.format {
            Format::Csv => true,
            Format::Parquet { .. } => rows as u64 * parquet::SHARE_HELD_BACK >= self.rows,
        }
    }

    /// Writes rows, and makes them safe.
    pub fn write(&mut self, columns: &[Column]) -> Result<(), Diagnostic> {
        let rows = columns.first().map_or(0, |c| c.cells.len());
        if rows == 0 {
            return Ok(());
        }
        let written = match &mut self.format {
            Format::Csv => self.out.write_all(lines(columns, rows).as_bytes()),
            Format::Parquet { position, groups, .. } => {
                write_group(&mut self.out, position, columns, rows).map(|group| groups.push(group))
            }
        };
        self.rows += rows as u64;
        written.and_then(|()| self.out.flush()).map_err(|error| unwritable(&self.path, None, &error))
    }

    /// Makes it readable for everybody; more may be written after this only by [`Table::resume`].
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        if let Format::Parquet { groups, schema, .. } = &self.format {
            let mut end = Vec::new();
            footer(schema, groups, self.rows).write(&mut end);
            end.extend((end.len() as u32).to_le_bytes());
            end.extend(parquet::MAGIC);
            self.out.write_all(&end).map_err(|error| unwritable(&self.path, None, &error))?;
        }
        self.out.flush().map_err(|error| unwritable(&self.path, None, &error))
    }
}

fn empty(columns: &[Column]) -> Vec<Column> {
    let mut columns = columns.to_vec();
    columns.iter_mut().for_each(|c| c.cells.clear());
    columns
}

/// What stands in front of the rows.
fn head(columns: &[Column], parquet: bool) -> Vec<u8> {
    if !parquet {
        let names: Vec<String> = columns.iter().map(|c| quoted(&c.name)).collect();
        return format!("{}\n", names.join(",")).into_bytes();
    }
    let mut ahead = Vec::new();
    footer(columns, &[], 0).write(&mut ahead);
    let mut bytes = Vec::from(*parquet::MAGIC);
    bytes.extend(parquet::AHEAD);
    bytes.extend((ahead.len() as u32).to_le_bytes());
    bytes.extend(ahead);
    bytes
}

/// A cell of CSV (RFC 4180), in one line.
fn quoted(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    match line.contains(['"', ',']) {
        true => format!("\"{}\"", line.replace('"', "\"\"")),
        false => line,
    }
}

fn lines(columns: &[Column], rows: usize) -> String {
    let mut text = String::new();
    let mut buffer = zmij::Buffer::new();
    for row in 0..rows {
        for (k, column) in columns.iter().enumerate() {
            if k > 0 {
                text.push(',');
            }
            match &column.cells {
                // Writing into memory does not fail.
                Cells::Integers(cells) => _ = write!(text, "{}", cells[row]),
                Cells::Numbers(cells) if cells[row].is_nan() => {}
                Cells::Numbers(cells) => text.push_str(buffer.format(cells[row])),
                Cells::Texts(cells) => text.push_str(&quoted(&cells[row])),
            }
        }
        text.push('\n');
    }
    text
}

/// Lines of a file from where it is read.
struct Lines {
    complete: u64,
}

impl Lines {
    fn count(file: &mut File) -> io::Result<Lines> {
        let mut complete = 0;
        each_newline(file, |_| {
            complete += 1;
            true
        })?;
        Ok(Lines { complete })
    }

    /// Bytes of the first lines.
    fn length(file: &mut File, lines: u64) -> io::Result<u64> {
        let (mut seen, mut length) = (0, 0);
        if lines > 0 {
            each_newline(file, |end| {
                seen += 1;
                length = end;
                seen < lines
            })?;
        }
        Ok(length)
    }
}

/// Tells where lines end, as long as somebody wants to know.
fn each_newline(file: &mut File, mut tell: impl FnMut(u64) -> bool) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    let mut at = 0;
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        for (k, _) in buffer[..n].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            if !tell(at + k as u64 + 1) {
                return Ok(());
            }
        }
        at += n as u64;
    }
}

fn write_group(
    out: &mut BufWriter<File>,
    position: &mut u64,
    columns: &[Column],
    rows: usize,
) -> io::Result<Struct> {
    let begin = *position;
    let mut chunks = Vec::with_capacity(columns.len());
    for column in columns {
        let mut body = Vec::with_capacity(8 * rows);
        match &column.cells {
            Cells::Integers(cells) => cells.iter().for_each(|v| body.extend(v.to_le_bytes())),
            Cells::Numbers(cells) => cells.iter().for_each(|v| body.extend(v.to_le_bytes())),
            Cells::Texts(cells) => cells.iter().for_each(|text| {
                body.extend((text.len() as u32).to_le_bytes());
                body.extend(text.as_bytes());
            }),
        }
        let size = body.len() as i64;
        let page = parquet::data_page(rows, parquet::PLAIN);
        let page = page.field(2, Value::I32(size)).field(3, Value::I32(size));
        let mut bytes = Vec::new();
        page.write(&mut bytes);
        out.write_all(&bytes)?;
        out.write_all(&body)?;
        let at = *position;
        *position += (bytes.len() + body.len()) as u64;
        chunks.push(Value::Struct(chunk(column, at, *position, rows)));
    }
    Ok(parquet::group(chunks, *position - begin, rows as u64))
}

fn chunk(column: &Column, begin: u64, end: u64, rows: usize) -> Struct {
    let encodings = [parquet::PLAIN, parquet::RLE];
    parquet::chunk_of(column.cells.kind(), &column.name, begin..end, begin, None, &encodings, rows)
}

fn footer(columns: &[Column], groups: &[Struct], rows: u64) -> Struct {
    let root =
        Struct::new().field(4, Value::Binary(b"sweep".to_vec())).field(5, Value::I32(columns.len() as i64));
    let leaf = |column: &Column| {
        let leaf = Struct::new()
            .field(1, Value::I32(column.cells.kind()))
            .field(3, Value::I32(0))
            .field(4, Value::Binary(column.name.as_bytes().to_vec()));
        match column.cells {
            // `ConvertedType` UTF8.
            Cells::Texts(_) => leaf.field(6, Value::I32(0)),
            _ => leaf,
        }
    };
    let schema = std::iter::once(root).chain(columns.iter().map(leaf));
    Struct::new()
        .field(1, Value::I32(1))
        .field(2, Value::List(schema.map(Value::Struct).collect()))
        .field(3, Value::I64(rows as i64))
        .field(4, Value::List(groups.iter().cloned().map(Value::Struct).collect()))
        .field(6, Value::Binary(concat!("kausal version ", env!("CARGO_PKG_VERSION")).into()))
}

/// A group of rows in a file: all rows up to its end, its end, what the footer says about it.
struct Group {
    rows: u64,
    end: u64,
    meta: Option<Struct>,
}

/// The complete groups of a file; the first one is the head, without rows.
fn groups(file: &mut File, begin: u64, columns: &[Column]) -> io::Result<Vec<Group>> {
    /// Heads of pages are shorter.
    const HEAD: usize = 256;
    let mut all = vec![Group { rows: 0, end: begin, meta: None }];
    let length = file.metadata()?.len();
    'groups: loop {
        let (rows, start) = all.last().map_or((0, begin), |g| (g.rows, g.end));
        let mut at = start;
        let mut chunks = Vec::new();
        let mut count = None;
        for column in columns {
            let mut head = vec![0; HEAD.min(usize::try_from(length.saturating_sub(at)).unwrap_or(HEAD))];
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut head)?;
            let mut rest = &head[..];
            let Some(page) = Struct::read(&mut rest) else { break 'groups };
            let used = (head.len() - rest.len()) as u64;
            let (Some(size), Some(data), true) =
                (page.integer(3), page.structure(5), page.integer(1) == Some(parquet::DATA_PAGE))
            else {
                break 'groups;
            };
            let Some(n) = data.integer(1).and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0) else {
                break 'groups;
            };
            let end = at + used + u64::try_from(size).unwrap_or(u64::MAX / 2);
            if *count.get_or_insert(n) != n || end > length {
                break 'groups;
            }
            chunks.push(Value::Struct(chunk(column, at, end, n)));
            at = end;
        }
        let Some(n) = count else { break };
        let meta = parquet::group(chunks, at - start, n as u64);
        all.push(Group { rows: rows + n as u64, end: at, meta: Some(meta) });
    }
    Ok(all)
}

/// Says which sweep a table that is not complete belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    pub model: String,
    pub runs: u64,
    /// A hash of everything that is asked for.
    pub identity: String,
}

impl Mark {
    fn path(table: &Path) -> PathBuf {
        let mut name = table.as_os_str().to_owned();
        name.push(".sweep");
        PathBuf::from(name)
    }

    pub fn write(&self, table: &Path) -> Result<(), Diagnostic> {
        let path = Mark::path(table);
        let text = serde_json::to_string(self).unwrap_or_default();
        crate::store::write_new(&path, text.as_bytes()).map_err(|error| unwritable(&path, None, &error))
    }

    pub fn read(table: &Path) -> Option<Mark> {
        serde_json::from_slice(&read_regular(&Mark::path(table), MAX_MARK).ok()?).ok()
    }

    /// The table is complete.
    pub fn remove(table: &Path) {
        // Should it stay, it says what is true.
        let _ = fs::remove_file(Mark::path(table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(from: i64, n: i64) -> Vec<Column> {
        let column = |name: &str, cells| Column { name: name.to_owned(), cells };
        vec![
            column("run", Cells::Integers((from..from + n).collect())),
            column("x, y", Cells::Numbers((from..from + n).map(|k| k as f64 / 3.0).collect())),
            column("why", Cells::Texts((from..from + n).map(|k| format!("\"{k}\"\nno")).collect())),
        ]
    }

    /// Written in one go, and in two with something half written between them: the same bytes.
    #[test]
    fn a_table_goes_on_where_it_was_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        for ending in ["csv", "parquet"] {
            let path = folder.path().join(format!("t.{ending}"));
            let schema = batch(0, 0);
            let whole = || {
                let mut table = Table::create(&path, &schema)?;
                table.write(&batch(0, 5))?;
                table.write(&batch(5, 4))?;
                table.finish()
            };
            whole().expect("written");
            let complete = fs::read(&path).expect("bytes");
            for cut in 0..complete.len() {
                fs::write(&path, &complete[..cut]).expect("cut");
                let Ok(ends) = Table::ends(&path, &schema) else { continue };
                let rows = ends.into_iter().filter(|rows| matches!(rows, 0 | 5 | 9)).max().expect("the head");
                let go_on = || {
                    let mut table = Table::resume(&path, &schema, rows)?;
                    if rows < 5 {
                        table.write(&batch(0, 5))?;
                    }
                    if rows < 9 {
                        table.write(&batch(5, 4))?;
                    }
                    table.finish()
                };
                go_on().expect("written");
                assert_eq!(fs::read(&path).expect("bytes"), complete, "{ending} cut at {cut}");
            }
            assert!(Table::ends(&path, &schema[..2]).is_err());
        }
    }
}
