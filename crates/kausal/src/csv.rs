//! Results as comma-separated values: a header line with `time` and the names, then one line per instant.
//!
//! Names may stand in quotation marks (a name like `A[1,2]` has to); numbers may be in any usual notation,
//! and `true` and `false` are 1 and 0. Texts are the last columns, in quotation marks; they are not read back.

use std::io::{self, Write};
use std::ops::Range;

use crate::result::{Signal, Sink, Trajectory, Values};

/// Writes all signals; parameters and constants are columns like any other. Names are quoted.
pub fn write(trajectory: &Trajectory, out: &mut dyn Write) -> io::Result<()> {
    trajectory.replay(&mut Writer::new(out))
}

/// Writes rows as they come.
pub struct Writer<W> {
    out: W,
    fields: Vec<Field>,
    /// The numbers of a row as text, one after another, and where each begins.
    numbers: String,
    starts: Vec<usize>,
    line: String,
    /// The names of texts, and the end of a row with what they are.
    text_names: Vec<String>,
    texts: String,
}

/// What follows in a row.
enum Field {
    /// Constants, with the commas before and between them.
    Constant(String),
    /// Columns that follow each other.
    Columns(Range<usize>),
    /// With the other sign.
    Negated(usize),
}

impl<W: Write> Writer<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Writer<W> {
        Writer {
            out,
            fields: Vec::new(),
            numbers: String::new(),
            starts: Vec::new(),
            line: String::new(),
            text_names: Vec::new(),
            texts: String::new(),
        }
    }
}

impl<W: Write> Sink for Writer<W> {
    fn name_texts(&mut self, names: &[String]) {
        self.text_names = names.to_vec();
    }

    fn texts(&mut self, texts: &[String]) {
        self.texts.clear();
        for text in texts {
            // A row is one line.
            let text = text.replace('"', "\"\"").replace(['\n', '\r'], " ");
            self.texts.push_str(&format!(",\"{text}\""));
        }
    }

    fn start(&mut self, signals: &[Signal], _: usize) -> io::Result<()> {
        self.line = String::from("\"time\"");
        for signal in signals {
            self.line.push_str(&format!(",\"{}\"", signal.name.replace('"', "\"\"")));
            match (signal.values, self.fields.last_mut()) {
                (Values::Constant(value), Some(Field::Constant(text))) => {
                    text.push(',');
                    push_number(text, value);
                }
                (Values::Constant(value), _) => {
                    let mut text = String::from(",");
                    push_number(&mut text, value);
                    self.fields.push(Field::Constant(text));
                }
                (Values::Column(column, false), Some(Field::Columns(columns))) if columns.end == column => {
                    columns.end += 1;
                }
                (Values::Column(column, false), _) => self.fields.push(Field::Columns(column..column + 1)),
                (Values::Column(column, true), _) => self.fields.push(Field::Negated(column)),
            }
        }
        for name in &self.text_names {
            self.line.push_str(&format!(",\"{}\"", name.replace('"', "\"\"")));
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn row(&mut self, time: f64, columns: &[f64]) -> io::Result<()> {
        // Each number with the comma before it, as several signals may share it.
        self.numbers.clear();
        self.starts.clear();
        for value in columns {
            self.starts.push(self.numbers.len());
            self.numbers.push(',');
            push_number(&mut self.numbers, *value);
        }
        self.starts.push(self.numbers.len());
        self.line.clear();
        push_number(&mut self.line, time);
        for field in &self.fields {
            match field {
                Field::Constant(text) => self.line.push_str(text),
                Field::Columns(columns) => {
                    self.line.push_str(&self.numbers[self.starts[columns.start]..self.starts[columns.end]]);
                }
                Field::Negated(column) => {
                    let text = &self.numbers[self.starts[*column]..self.starts[column + 1]];
                    match text.strip_prefix(",-") {
                        _ if text == ",0" || text == ",NaN" => self.line.push_str(text),
                        Some(positive) => {
                            self.line.push(',');
                            self.line.push_str(positive);
                        }
                        None => {
                            self.line.push_str(",-");
                            self.line.push_str(&text[1..]);
                        }
                    }
                }
            }
        }
        self.line.push_str(&self.texts);
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn keep(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The shortest text that reads back as the same number; -0 is 0.
fn push_number(line: &mut String, value: f64) {
    if value == 0.0 {
        line.push('0');
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(value);
    line.push_str(text.strip_suffix(".0").unwrap_or(text));
}

/// Reads what [`write`] writes and what other tools write alike; the first column is the time.
pub fn read(text: &str) -> Result<Trajectory, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, header)) = lines.next() else { return Err("there is no header line".into()) };
    let mut names = Vec::new();
    fields(header, |name, _| {
        names.push(name.to_owned());
        Ok(())
    })?;
    if !names[0].eq_ignore_ascii_case("time") {
        return Err(format!("the first column must be time, not {}", names[0]));
    }
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut is_text = vec![false; names.len()];
    for (line, row) in lines {
        let mut i = 0;
        let read = fields(row, |field, quoted| {
            let column = columns.get_mut(i).ok_or_else(|| format!("more than {} values", names.len()))?;
            column.push(match number(field) {
                Err(_) if quoted && i > 0 => {
                    is_text[i] = true;
                    f64::NAN
                }
                value => value?,
            });
            i += 1;
            Ok(())
        });
        let read = read.and_then(|()| match i {
            i if i < names.len() => Err(format!("{i} values for {} columns", names.len())),
            _ => Ok(()),
        });
        read.map_err(|what| format!("line {}: {what}", line + 1))?;
    }
    let mut keep = is_text.iter().map(|text| !text);
    names.retain(|_| keep.next().unwrap_or(true));
    let mut keep = is_text.iter().map(|text| !text);
    columns.retain(|_| keep.next().unwrap_or(true));
    let time = columns.remove(0);
    if let Some(i) = time.windows(2).position(|t| t[1] < t[0]) {
        return Err(format!("time goes back from {} to {}", time[i], time[i + 1]));
    }
    let signals = names.into_iter().skip(1).enumerate().map(|(i, name)| Signal {
        name,
        unit: String::new(),
        description: String::new(),
        values: Values::Column(i, false),
    });
    Ok(Trajectory { time, signals: signals.collect(), columns })
}

/// Is this a text of ours? Each of its rows ends with a line feed.
pub(crate) fn is_own(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\"time\"")
}

fn number(field: &str) -> Result<f64, String> {
    match field.trim() {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        number => number.parse().map_err(|_| format!("{number:?} is not a number")),
    }
}

/// Calls `take` with each field of a line; quotation marks are taken off, and it is told whether there were any.
fn fields(line: &str, mut take: impl FnMut(&str, bool) -> Result<(), String>) -> Result<(), String> {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        if let Some(quoted) = trimmed.strip_prefix('"') {
            let mut text = String::new();
            let mut inside = quoted;
            loop {
                let Some((part, after)) = inside.split_once('"') else {
                    return Err("a quotation mark is not closed".into());
                };
                text.push_str(part);
                // Two quotation marks stand for one.
                match after.strip_prefix('"') {
                    Some(more) => {
                        text.push('"');
                        inside = more;
                    }
                    None => {
                        inside = after.trim_start();
                        break;
                    }
                }
            }
            take(&text, true)?;
            match inside.strip_prefix(',') {
                Some(more) => rest = more,
                None if inside.is_empty() => return Ok(()),
                None => return Err(format!("a comma is missing before {inside:?}")),
            }
        } else if let Some((field, more)) = rest.split_once(',') {
            take(field.trim(), false)?;
            rest = more;
        } else {
            return take(rest.trim(), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        let signal = |name: &str, values| Signal {
            name: name.into(),
            unit: String::new(),
            description: String::new(),
            values,
        };
        let trajectory = Trajectory {
            time: vec![0.0, 0.1],
            signals: vec![signal("a", Values::Column(0, true)), signal("p", Values::Constant(1e-20))],
            columns: vec![vec![0.0, 1.0 / 3.0]],
        };
        let mut out = Vec::new();
        write(&trajectory, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "\"time\",\"a\",\"p\"\n0,0,1e-20\n0.1,-0.3333333333333333,1e-20\n");
    }
    #[test]
    fn what_is_written_reads_back() {
        let signal = |name: &str, values| Signal {
            name: name.into(),
            unit: String::new(),
            description: String::new(),
            values,
        };
        let trajectory = Trajectory {
            time: vec![0.0, 0.5, 0.5, 1.0],
            signals: vec![
                signal("A[1,2]", Values::Column(0, true)),
                signal("'odd \"name'", Values::Column(0, false)),
                signal("p", Values::Constant(-1e300)),
            ],
            columns: vec![vec![0.1, f64::MIN_POSITIVE, 1.0 / 3.0, 12345678.9]],
        };
        let mut out = Vec::new();
        write(&trajectory, &mut out).unwrap();
        let back = read(&String::from_utf8(out).unwrap()).unwrap();
        assert_eq!(back.time, trajectory.time);
        for signal in &trajectory.signals {
            assert_eq!(back.get(&signal.name).unwrap(), trajectory.values(signal));
        }
    }

    #[test]
    fn texts_are_the_last_columns() {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out);
        let x = Signal {
            name: "x".into(),
            unit: String::new(),
            description: String::new(),
            values: Values::Column(0, false),
        };
        writer.name_texts(&["s".to_owned()]);
        writer.start(&[x], 1).unwrap();
        for (time, text) in [(0.0, "say \"a, b\"\nnow"), (1.0, "2")] {
            writer.texts(&[text.to_owned()]);
            writer.row(time, &[3.0]).unwrap();
        }
        writer.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "\"time\",\"x\",\"s\"\n0,3,\"say \"\"a, b\"\" now\"\n1,3,\"2\"\n");
        let back = read(&text).unwrap();
        assert_eq!((back.get("x"), back.get("s")), (Some(vec![3.0, 3.0]), None));
    }

    #[test]
    fn numbers_are_short() {
        let text = |value| {
            let mut line = String::new();
            push_number(&mut line, value);
            line
        };
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(-3.0), "-3");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(2.5e-7), "2.5e-7");
        assert_eq!(text(1e300), "1e+300");
        assert_eq!(text(f64::NAN), "NaN");
        assert_eq!(text(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn plain_names_spaces_and_truth_values() {
        let t = read("time, x[1],b\r\n0, 1e-3,true\r\n1,2 ,false\r\n\r\n").unwrap();
        assert_eq!(t.get("x[1]").unwrap(), [1e-3, 2.0]);
        assert_eq!(t.get("b").unwrap(), [1.0, 0.0]);
    }

    #[test]
    fn faults_are_named() {
        let fault = |text: &str| read(text).unwrap_err();
        assert_eq!(fault(""), "there is no header line");
        assert_eq!(fault("x,y\n0,0\n"), "the first column must be time, not x");
        assert_eq!(fault("time,x\n0,0\n1\n"), "line 3: 1 values for 2 columns");
        assert_eq!(fault("time,x\n0,0,0\n"), "line 2: more than 2 values");
        assert_eq!(fault("time,x\n0,one\n"), "line 2: \"one\" is not a number");
        assert_eq!(fault("time,\"x\n"), "a quotation mark is not closed");
        assert_eq!(fault("time,x\n1,0\n0,0\n"), "time goes back from 1 to 0");
    }
}
