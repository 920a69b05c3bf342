//! Results as Parquet: a column of doubles per signal, in groups of rows that are written as they fill up.
//!
//! The format is the one of the Apache Parquet specification, of which a result needs little: required doubles,
//! plain and uncompressed, and a dictionary of one entry where nothing changes. The footer ([`thrift`]) says where
//! everything is; under the key `kausal` it has units and descriptions as JSON. What is written here is read back;
//! files of other tools that compress or nest are refused with a message.
//!
//! A footer without groups stands at the beginning, too, where other readers do not look: should the program be killed,
//! groups of rows are found by it, one after another ([`read_incomplete`]).

pub mod thrift;

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::result::{Signal, Sink, Trajectory, Values};
use crate::store::Repair;
use thrift::{Struct, Value};

pub(crate) const MAGIC: &[u8; 4] = b"PAR1";
/// Begins the footer at the beginning; its length follows.
pub(crate) const AHEAD: &[u8; 4] = b"KAUS";
/// Rows that are held back may be lost when the program is killed: this part of all at most.
pub(crate) const SHARE_HELD_BACK: u64 = 50;
/// Numbers held back before they are written, and the rows of a group at most.
const GROUP_VALUES: usize = 1 << 20;
const GROUP_ROWS: usize = 1 << 17;
/// The same of the first group: where a disk is full, it is there.
const FIRST_GROUP_VALUES: usize = 1 << 12;
/// And the rows that a group has at least, of however many columns.
const FEWEST_ROWS: usize = 100;
/// `Type`, `Encoding`, `PageType` of the specification.
pub(crate) const DOUBLE: i64 = 5;
pub(crate) const PLAIN: i64 = 0;
pub(crate) const RLE: i64 = 3;
const RLE_DICTIONARY: i64 = 8;
pub(crate) const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;

/// What the footer says about a signal beyond its name.
#[derive(Debug, Default, Serialize, Deserialize)]
struct About {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    unit: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
}

/// Writes all signals.
pub fn write(trajectory: &Trajectory, out: &mut dyn Write) -> io::Result<()> {
    trajectory.replay(&mut Writer::new(out))
}

/// Writes rows as they come.
pub struct Writer<W> {
    out: W,
    /// Bytes written so far.
    position: u64,
    signals: Vec<Signal>,
    time: Vec<f64>,
    columns: Vec<Vec<f64>>,
    group_rows: usize,
    groups: Vec<Struct>,
    rows: u64,
}

impl<W: Write> Writer<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Writer<W> {
        Writer {
            out,
            position: 0,
            signals: Vec::new(),
            time: Vec::new(),
            columns: Vec::new(),
            group_rows: GROUP_ROWS,
            groups: Vec::new(),
            rows: 0,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes what is held back as a group of rows.
    fn flush_group(&mut self) -> io::Result<()> {
        if self.time.is_empty() {
            return Ok(());
        }
        let rows = self.time.len();
        let begin = self.position;
        let time = std::mem::take(&mut self.time);
        let columns = std::mem::take(&mut self.columns);
        let signals = std::mem::take(&mut self.signals);
        let mut chunks = vec![self.plain("time", time.iter().copied(), rows)?];
        for signal in &signals {
            chunks.push(match signal.values {
                Values::Constant(value) => self.constant(&signal.name, value, rows)?,
                Values::Column(column, false) => {
                    self.plain(&signal.name, columns[column].iter().copied(), rows)?
                }
                // Zero has no sign, as in the other formats.
                Values::Column(column, true) => {
                    self.plain(&signal.name, columns[column].iter().map(|v| 0.0 - v), rows)?
                }
            });
        }
        let chunks = chunks.into_iter().map(Value::Struct).collect();
        self.groups.push(group(chunks, self.position - begin, rows as u64));
        self.rows += rows as u64;
        // As many as there are: the last group may be lost, half of all rows at most, and there are few groups.
        let largest = (GROUP_VALUES / (columns.len() + 1)).clamp(FEWEST_ROWS, GROUP_ROWS);
        self.group_rows = usize::try_from(self.rows).unwrap_or(largest).clamp(self.group_rows, largest);
        (self.time, self.columns, self.signals) = (time, columns, signals);
        self.time.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn plain(&mut self, name: &str, values: impl Iterator<Item = f64>, rows: usize) -> io::Result<Struct> {
        let begin = self.position;
        let mut body = Vec::with_capacity(8 * rows);
        values.for_each(|v| body.extend(v.to_le_bytes()));
        self.page(&data_page(rows, PLAIN), &body)?;
        Ok(chunk(name, begin..self.position, begin, None, &[PLAIN, RLE], rows))
    }

    /// A dictionary with one entry, and a run that takes it in every row.
    fn constant(&mut self, name: &str, value: f64, rows: usize) -> io::Result<Struct> {
        let dictionary = self.position;
        let kind = Struct::new().field(1, Value::I32(1)).field(2, Value::I32(PLAIN));
        let head = Struct::new().field(1, Value::I32(DICTIONARY_PAGE)).field(7, Value::Struct(kind));
        self.page(&head, &value.to_le_bytes())?;
        let data = self.position;
        let mut body = vec![1];
        thrift::varint(&mut body, (rows as u64) << 1);
        body.push(0);
        self.page(&data_page(rows, RLE_DICTIONARY), &body)?;
        let encodings = [PLAIN, RLE, RLE_DICTIONARY];
        Ok(chunk(name, dictionary..self.position, data, Some(dictionary), &encodings, rows))
    }

    /// A page: its head, completed by the sizes, and its bytes.
    fn page(&mut self, head: &Struct, body: &[u8]) -> io::Result<()> {
        let size = i64::try_from(body.len()).unwrap_or(i64::MAX);
        let head = head.clone().field(2, Value::I32(size)).field(3, Value::I32(size));
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        self.put(&bytes)?;
        self.put(body)
    }

    fn footer_bytes(&self) -> io::Result<Vec<u8>> {
        let mut footer = Vec::new();
        self.footer().write(&mut footer);
        match u32::try_from(footer.len()) {
            Ok(_) => Ok(footer),
            Err(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "too many columns for this format")),
        }
    }

    /// What stands behind the last group.
    fn end_bytes(&self) -> io::Result<Vec<u8>> {
        let mut end = self.footer_bytes()?;
        end.extend((end.len() as u32).to_le_bytes());
        end.extend(MAGIC);
        Ok(end)
    }

    fn footer(&self) -> Struct {
        let root = Struct::new()
            .field(4, Value::Binary(b"result".to_vec()))
            .field(5, Value::I32(self.signals.len() as i64 + 1));
        let leaf = |name: &str| {
            Struct::new()
                .field(1, Value::I32(DOUBLE))
                .field(3, Value::I32(0))
                .field(4, Value::Binary(name.as_bytes().to_vec()))
        };
        let schema = [root, leaf("time")].into_iter().chain(self.signals.iter().map(|s| leaf(&s.name)));
        let about: Vec<About> = self
            .signals
            .iter()
            .filter(|s| !(s.unit.is_empty() && s.description.is_empty()))
            .map(|s| About { name: s.name.clone(), unit: s.unit.clone(), description: s.description.clone() })
            .collect();
        let about = serde_json::to_vec(&about).unwrap_or_default();
        let pair = Struct::new().field(1, Value::Binary(b"kausal".to_vec())).field(2, Value::Binary(about));
        Struct::new()
            .field(1, Value::I32(1))
            .field(2, Value::List(schema.map(Value::Struct).collect()))
            .field(3, Value::I64(self.rows as i64))
            .field(4, Value::List(self.groups.iter().cloned().map(Value::Struct).collect()))
            .field(5, Value::List(vec![Value::Struct(pair)]))
            .field(6, Value::Binary(concat!("kausal version ", env!("CARGO_PKG_VERSION")).into()))
    }
}

pub(crate) fn data_page(rows: usize, encoding: i64) -> Struct {
    let kind = Struct::new()
        .field(1, Value::I32(rows as i64))
        .field(2, Value::I32(encoding))
        .field(3, Value::I32(RLE))
        .field(4, Value::I32(RLE));
    Struct::new().field(1, Value::I32(DATA_PAGE)).field(5, Value::Struct(kind))
}

impl<W: Write> Sink for Writer<W> {
    fn start(&mut self, signals: &[Signal], columns: usize) -> io::Result<()> {
        self.signals = signals.to_vec();
        self.columns = vec![Vec::new(); columns];
        self.group_rows = (FIRST_GROUP_VALUES / (columns + 1)).clamp(FEWEST_ROWS, GROUP_ROWS);
        let ahead = self.footer_bytes()?;
        self.put(MAGIC)?;
        self.put(AHEAD)?;
        self.put(&(ahead.len() as u32).to_le_bytes())?;
        self.put(&ahead)
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        self.time.push(time);
        self.columns.iter_mut().zip(columns).for_each(|(column, value)| column.push(*value));
        if self.time.len() >= self.group_rows { self.flush_group() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush_group()?;
        let end = self.end_bytes()?;
        self.put(&end)?;
        self.out.flush()
    }

    /// A group of its own is worth it only where it has some part of all rows: groups must not become too many.
    fn keep(&mut self) -> io::Result<()> {
        if self.time.len() as u64 * SHARE_HELD_BACK >= self.rows {
            self.flush_group()?;
        }
        self.out.flush()
    }
}

/// Reads a file that was never completed, group by group. Says what completes it.
pub(crate) fn read_incomplete(bytes: &[u8]) -> Result<(Trajectory, Repair), String> {
    let early = || "it ends before its first row".to_owned();
    let inner = bytes.strip_prefix(MAGIC).and_then(|b| b.strip_prefix(AHEAD)).ok_or_else(early)?;
    let (length, inner) = inner.split_first_chunk::<4>().ok_or_else(early)?;
    let length = u32::from_le_bytes(*length) as usize;
    let mut ahead = inner.get(..length).ok_or_else(early)?;
    let footer = Struct::read(&mut ahead).ok_or("its first footer is damaged")?;
    let signals = signals(&footer)?;
    let mut writer = Writer::new(io::sink());
    writer.signals = signals;
    writer.position = (12 + length) as u64;
    while let Some((group, rows, end)) = group_at(bytes, &writer) {
        writer.groups.push(group);
        writer.rows += rows;
        writer.position = end;
    }
    let length = writer.position;
    let end = writer.end_bytes().map_err(|e| e.to_string())?;
    let whole = [&bytes[..length as usize], &end].concat();
    Ok((read(&whole)?, Repair { length, patches: vec![(length, end)] }))
}

/// The group of rows that begins where the writer stands, if it is complete: what the footer says about it, its rows and its
/// end.
fn group_at(bytes: &[u8], writer: &Writer<io::Sink>) -> Option<(Struct, u64, u64)> {
    let begin = usize::try_from(writer.position).ok()?;
    let mut rest = bytes.get(begin..)?;
    let mut chunks = Vec::new();
    let mut rows = None;
    let names = std::iter::once("time").chain(writer.signals.iter().map(|s| s.name.as_str()));
    for name in names {
        let at = (bytes.len() - rest.len()) as u64;
        let (mut head, mut data, mut dictionary) = (page_at(&mut rest)?, at, None);
        if head.integer(1) == Some(DICTIONARY_PAGE) {
            dictionary = Some(at);
            data = (bytes.len() - rest.len()) as u64;
            head = page_at(&mut rest)?;
        }
        let count = head.structure(5).filter(|_| head.integer(1) == Some(DATA_PAGE))?.integer(1)?;
        let count = usize::try_from(count).ok().filter(|n| *n > 0)?;
        if *rows.get_or_insert(count) != count {
            return None;
        }
        let encodings: &[i64] =
            if dictionary.is_some() { &[PLAIN, RLE, RLE_DICTIONARY] } else { &[PLAIN, RLE] };
        let end = (bytes.len() - rest.len()) as u64;
        chunks.push(Value::Struct(chunk(name, at..end, data, dictionary, encodings, count)));
    }
    let rows = rows? as u64;
    let end = (bytes.len() - rest.len()) as u64;
    Some((group(chunks, end - writer.position, rows), rows, end))
}

/// The head of a page that is complete; `rest` is moved behind the page.
pub(crate) fn page_at(rest: &mut &[u8]) -> Option<Struct> {
    let head = Struct::read(rest)?;
    let size = usize::try_from(head.integer(3)?).ok()?;
    *rest = rest.get(size..)?;
    Some(head)
}

pub(crate) fn group(chunks: Vec<Value>, bytes: u64, rows: u64) -> Struct {
    Struct::new()
        .field(1, Value::List(chunks))
        .field(2, Value::I64(bytes as i64))
        .field(3, Value::I64(rows as i64))
}

/// What the footer says about a column of a group.
fn chunk(
    name: &str,
    place: Range<u64>,
    data: u64,
    dictionary: Option<u64>,
    encodings: &[i64],
    rows: usize,
) -> Struct {
    chunk_of(DOUBLE, name, place, data, dictionary, encodings, rows)
}

/// The same of values of another type.
pub(crate) fn chunk_of(
    kind: i64,
    name: &str,
    place: Range<u64>,
    data: u64,
    dictionary: Option<u64>,
    encodings: &[i64],
    rows: usize,
) -> Struct {
    let size = (place.end - place.start) as i64;
    let mut meta = Struct::new()
        .field(1, Value::I32(kind))
        .field(2, Value::List(encodings.iter().map(|e| Value::I32(*e)).collect()))
        .field(3, Value::List(vec![Value::Binary(name.as_bytes().to_vec())]))
        .field(4, Value::I32(0))
        .field(5, Value::I64(rows as i64))
        .field(6, Value::I64(size))
        .field(7, Value::I64(size))
        .field(9, Value::I64(data as i64));
    if let Some(dictionary) = dictionary {
        meta = meta.field(11, Value::I64(dictionary as i64));
    }
    Struct::new().field(2, Value::I64(place.start as i64)).field(3, Value::Struct(meta))
}

/// Reads what [`Writer`] writes.
pub fn read(bytes: &[u8]) -> Result<Trajectory, String> {
    let not_one = || "this is not a Parquet file".to_owned();
    let inner = bytes.strip_prefix(MAGIC).and_then(|b| b.strip_suffix(MAGIC)).ok_or_else(not_one)?;
    let (rest, length) = inner.split_last_chunk::<4>().ok_or_else(not_one)?;
    let length = u32::from_le_bytes(*length) as usize;
    let footer = rest.len().checked_sub(length).ok_or_else(not_one)?;
    let footer = Struct::read(&mut &rest[footer..]).ok_or("its footer is damaged")?;
    let mut signals = signals(&footer)?;
    let mut columns = vec![Column::default(); signals.len() + 1];
    // What is plain stands in the file once: a column that points at the numbers of another one is none of ours.
    let mut plain = bytes.len() / 8;
    for group in footer.list(4).iter().filter_map(Value::as_struct) {
        let chunks = group.list(1);
        if chunks.len() != columns.len() {
            return Err("a group of rows has other columns than the file".into());
        }
        for (chunk, column) in chunks.iter().filter_map(Value::as_struct).zip(&mut columns) {
            let meta = chunk.structure(3).ok_or("a column does not say where it is")?;
            if meta.integer(4) != Some(0) {
                return Err("it is compressed; write it without compression".into());
            }
            read_chunk(bytes, meta, column, &mut plain)?;
        }
    }
    let time = columns.remove(0);
    if time.constant.is_some() || columns.iter().any(|c| c.rows != time.rows) {
        return Err("its columns have different lengths".into());
    }
    let mut changing = Vec::new();
    for (signal, column) in signals.iter_mut().zip(columns) {
        signal.values = match column.constant {
            Some(value) => Values::Constant(value),
            None => {
                changing.push(column.values);
                Values::Column(changing.len() - 1, false)
            }
        };
    }
    Ok(Trajectory { time: time.values, signals, columns: changing })
}

/// A column while it is read: its numbers, or the one it has in all rows.
#[derive(Clone, Default)]
struct Column {
    rows: usize,
    constant: Option<f64>,
    values: Vec<f64>,
}

/// The signals that a footer names; the first column is the time.
fn signals(footer: &Struct) -> Result<Vec<Signal>, String> {
    let mut names = Vec::new();
    for leaf in footer.list(2).iter().skip(1).filter_map(Value::as_struct) {
        if leaf.integer(1) != Some(DOUBLE) || leaf.integer(3) != Some(0) {
            return Err("only columns of doubles without gaps are read".into());
        }
        names.push(leaf.text(4).ok_or("a column has no name")?);
    }
    if names.first().map(String::as_str) != Some("time") {
        return Err("the first column must be time".into());
    }
    let mut about: HashMap<String, About> = about(footer).into_iter().map(|a| (a.name.clone(), a)).collect();
    let signals = names.into_iter().skip(1).enumerate().map(|(i, name)| {
        let About { unit, description, .. } = about.remove(&name).unwrap_or_default();
        Signal { unit, description, name, values: Values::Column(i, false) }
    });
    Ok(signals.collect())
}

fn about(footer: &Struct) -> Vec<About> {
    let pairs = footer.list(5);
    let mut pairs = pairs.iter().filter_map(Value::as_struct);
    let found = pairs.find(|p| p.text(1).as_deref() == Some("kausal")).and_then(|p| p.text(2));
    found.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// The pages of a column in a group; `plain` is how many plain numbers there may still be.
fn read_chunk(bytes: &[u8], meta: &Struct, column: &mut Column, plain: &mut usize) -> Result<(), String> {
    let damaged = || "a page is damaged".to_owned();
    let wanted = meta.integer(5).and_then(|n| usize::try_from(n).ok()).ok_or_else(damaged)?;
    let begin =
        meta.integer(11).or(meta.integer(9)).and_then(|n| usize::try_from(n).ok()).ok_or_else(damaged)?;
    let mut rest = bytes.get(begin..).ok_or_else(damaged)?;
    let end = column.rows.checked_add(wanted).ok_or_else(damaged)?;
    let mut dictionary: Vec<f64> = Vec::new();
    while column.rows < end {
        let head = Struct::read(&mut rest).ok_or_else(damaged)?;
        let size = head.integer(3).and_then(|n| usize::try_from(n).ok()).ok_or_else(damaged)?;
        let (body, after) = rest.split_at_checked(size).ok_or_else(damaged)?;
        rest = after;
        let doubles = |body: &[u8]| {
            body.chunks_exact(8)
                .filter_map(|c| c.try_into().ok().map(f64::from_le_bytes))
                .collect::<Vec<f64>>()
        };
        if head.integer(1) == Some(DICTIONARY_PAGE) {
            dictionary = doubles(body.get(..8).ok_or_else(damaged)?);
            continue;
        }
        let kind = head.structure(5).ok_or("its pages are of a kind that is not read")?;
        let count = kind.integer(1).and_then(|n| usize::try_from(n).ok()).ok_or_else(damaged)?;
        if count == 0 || count > end - column.rows {
            return Err(damaged());
        }
        let same = |value: f64| column.constant.is_none_or(|known| known.to_bits() == value.to_bits());
        match (kind.integer(2), &dictionary[..]) {
            (Some(PLAIN), _) if column.constant.is_none() && body.len() as u64 == 8 * count as u64 => {
                *plain = plain.checked_sub(count).ok_or_else(damaged)?;
                column.values.extend(doubles(body));
            }
            (Some(RLE_DICTIONARY), [value]) if column.values.is_empty() && same(*value) => {
                column.constant = Some(*value);
            }
            _ => return Err("its numbers are encoded in a way that is not read".into()),
        }
        column.rows += count;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize) -> Trajectory {
        let signal = |name: &str, unit: &str, description: &str, values| Signal {
            name: name.into(),
            unit: unit.into(),
            description: description.into(),
            values,
        };
        Trajectory {
            time: (0..rows).map(|i| i as f64).collect(),
            signals: vec![
                signal("x", "m", "größer \"als\" 0", Values::Column(0, false)),
                signal("minus", "m", "", Values::Column(0, true)),
                signal("a[1,2].b c", "", "", Values::Column(1, false)),
                signal("p", "", "a parameter", Values::Constant(-2.5)),
            ],
            columns: vec![
                (0..rows).map(|i| 1.0 / (i as f64 + 3.0)).collect(),
                (0..rows).map(|i| (i % 2) as f64).collect(),
            ],
        }
    }

    fn written(trajectory: &Trajectory) -> Vec<u8> {
        let mut out = Vec::new();
        write(trajectory, &mut out).unwrap();
        out
    }

    /// With no row, with few, and with more than a group has.
    #[test]
    fn what_is_written_reads_back() {
        for rows in [0, 1, 5, GROUP_ROWS + 7] {
            let before = sample(rows);
            let after = read(&written(&before)).unwrap();
            assert_eq!(after.time, before.time);
            for signal in &before.signals {
                let found = after.signal(&signal.name).unwrap();
                assert_eq!((&found.unit, &found.description), (&signal.unit, &signal.description));
                assert_eq!(after.values(found), before.values(signal), "{}", signal.name);
            }
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = written(&sample(3));
        assert_eq!(read(b"time,x\n").unwrap_err(), "this is not a Parquet file");
        for cut in [4, bytes.len() / 2, bytes.len() - 1] {
            assert!(read(&bytes[..cut]).is_err());
        }
        // Whatever byte is wrong, reading ends, and with an error or with as many rows.
        for i in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[i] ^= 0x55;
            if let Ok(t) = read(&broken) {
                assert!(t.columns.iter().all(|c| c.len() == t.time.len()));
            }
        }
    }
}
