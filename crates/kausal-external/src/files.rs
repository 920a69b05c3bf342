//! Files, directories and the environment, as `Modelica.Utilities.Files`, `Streams` and `System` declare them.
//!
//! What reads is done; what writes is known, so that the message says "not allowed" and not "unknown".

use std::path::Path;

use kausal_symbolic::function::{Array, Text, Value};

use crate::frame::{Frame, Outcome, failed};
use crate::{Kind, Native, StandardExternals, matrix_file};

/// No file larger than this is read.
pub(crate) const LARGEST_FILE: u64 = 1 << 30;

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    let reads: Native = match name {
        "ModelicaInternal_stat" => |_, f| f.give_number(file_type(f.text(0)?)),
        "ModelicaInternal_countLines" => |_, f| f.give_number(lines(f.text(0)?)?.len() as f64),
        "ModelicaInternal_readLine" => read_line,
        "ModelicaInternal_readFile" => |_, f| {
            let lines = lines(f.text(0)?)?;
            set_texts(f, 1, lines)
        },
        "ModelicaInternal_fullPathName" => |_, f| {
            let name = f.text(0)?;
            match std::path::absolute(name) {
                Ok(path) => f.give_text(&path.to_string_lossy()),
                Err(error) => failed(format!("no full path of {name}: {error}")),
            }
        },
        "ModelicaInternal_getNumberOfFiles" => |_, f| f.give_number(directory(f.text(0)?)?.len() as f64),
        "ModelicaInternal_readDirectory" => |_, f| {
            let names = directory(f.text(0)?)?;
            set_texts(f, 2, names)
        },
        "ModelicaInternal_getcwd" => |_, f| match std::env::current_dir() {
            Ok(path) => f.give_text(&path.to_string_lossy()),
            Err(error) => failed(format!("no working directory: {error}")),
        },
        "ModelicaInternal_getenv" => |_, f| {
            let content = std::env::var(f.text(0)?).ok();
            f.set_number(3, f64::from(u8::from(content.is_some())));
            f.set(2, Value::text(content.as_deref().unwrap_or("")));
            Ok(())
        },
        "ModelicaIO_readMatrixSizes" => |_, f| {
            let matrix = matrix_file::read(f.text(0)?, f.text(1)?)?;
            f.set(2, Value::vector(vec![matrix.rows as f64, matrix.cols as f64]));
            Ok(())
        },
        "ModelicaIO_readRealMatrix" => read_real_matrix,
        "ModelicaStreams_closeFile" => |_, _| Ok(()),
        _ => return other(name),
    };
    Some((Kind::Reads, reads))
}

fn other(name: &str) -> Option<(Kind, Native)> {
    let writes: Native = |_, f| failed(format!("{} is not allowed", f.name()));
    Some(match name {
        "ModelicaInternal_print" => (Kind::State, print),
        "ModelicaInternal_getTime" => (Kind::Clock, get_time),
        "ModelicaInternal_getpid" => (Kind::Clock, |_, f| f.give_number(f64::from(std::process::id()))),
        "ModelicaInternal_mkdir"
        | "ModelicaInternal_rmdir"
        | "ModelicaInternal_rename"
        | "ModelicaInternal_removeFile"
        | "ModelicaInternal_copyFile"
        | "ModelicaInternal_chdir"
        | "ModelicaInternal_setenv"
        | "ModelicaInternal_temporaryFileName"
        | "ModelicaInternal_exit"
        | "ModelicaIO_writeRealMatrix"
        | "system"
        | "exit" => (Kind::Writes, writes),
        _ => return None,
    })
}

/// `Modelica.Utilities.Types.FileType`: none, regular file, directory, something else.
fn file_type(name: &str) -> f64 {
    match std::fs::metadata(name) {
        Err(_) => 1.0,
        Ok(data) if data.is_file() => 2.0,
        Ok(data) if data.is_dir() => 3.0,
        Ok(_) => 4.0,
    }
}

/// A whole file.
pub(crate) fn bytes(name: &str) -> Outcome<Vec<u8>> {
    let read = || -> std::io::Result<Vec<u8>> {
        if std::fs::metadata(name)?.len() > LARGEST_FILE {
            return Err(std::io::Error::other("it is too large"));
        }
        std::fs::read(Path::new(name))
    };
    read().or_else(|error| failed(format!("the file {name} cannot be read: {error}")))
}

fn lines(name: &str) -> Outcome<Vec<String>> {
    let bytes = bytes(name)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::to_owned).collect())
}

/// `string = (fileName, lineNumber, endOfFile)`
fn read_line(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let number = f.integer(1)?;
    let lines = lines(f.text(0)?)?;
    let line = usize::try_from(number).ok().and_then(|n| lines.get(n.checked_sub(1)?));
    f.set_number(2, f64::from(u8::from(line.is_none())));
    f.give_text(line.map_or("", String::as_str))
}

/// The names in a directory, sorted.
fn directory(name: &str) -> Outcome<Vec<String>> {
    let read = || -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(name)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    };
    read().or_else(|error| failed(format!("the directory {name} cannot be read: {error}")))
}

fn set_texts(f: &mut Frame<'_>, i: usize, mut texts: Vec<String>) -> Outcome<()> {
    let count = f.shape(i)?.first().copied().unwrap_or(0);
    texts.resize(count, String::new());
    f.set(i, Value::texts(Array::vector(texts.iter().map(|t| Text::from(t.as_str())).collect())));
    Ok(())
}

/// `(fileName, matrixName, matrix, rows, columns, verbose)`
fn read_real_matrix(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (file, name) = (f.text(0)?, f.text(1)?);
    let matrix = matrix_file::read(file, name)?;
    if f.shape(2)? != [matrix.rows, matrix.cols] {
        let (rows, cols) = (matrix.rows, matrix.cols);
        return failed(format!(
            "the matrix {name} in {file} has size {rows} x {cols}, another one is asked for"
        ));
    }
    f.set_numbers(2, matrix.data)
}

/// `(string, fileName)`: a message if there is no file name.
fn print(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let file = f.text(1)?;
    if !file.is_empty() {
        return failed(format!("writing to the file {file} is not allowed"));
    }
    externals.state().messages.push(f.text(0)?.to_owned());
    Ok(())
}

/// `(ms, sec, min, hour, day, mon, year)` in universal time.
fn get_time(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let (seconds, days) = (now.as_secs() % 86400, now.as_secs() / 86400);
    let (year, month, day) = date(days);
    let parts =
        [u64::from(now.subsec_millis()), seconds % 60, seconds / 60 % 60, seconds / 3600, day, month, year];
    for (i, part) in parts.into_iter().enumerate() {
        f.set_number(i, part as f64);
    }
    Ok(())
}

/// Year, month and day from the days since 1970-01-01.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |y: u64| (y.is_multiple_of(4) && !y.is_multiple_of(100)) || y.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test::{call, input, output, perform};
    use kausal_symbolic::function::ExternalError;

    #[test]
    fn reading_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one\r\ntwo\nlast").unwrap();
        let name = path.to_str().unwrap();
        let externals = StandardExternals::new(Options::default());
        let count = call(&externals, "ModelicaInternal_countLines", &[input(name)]).unwrap();
        assert_eq!(count, [Value::Scalar(3.0)]);
        let line = |n: f64| {
            call(&externals, "ModelicaInternal_readLine", &[input(name), input(n), output(0.0)]).unwrap()
        };
        assert_eq!(line(1.0), [Value::text("one"), Value::Scalar(0.0)]);
        assert_eq!(line(3.0), [Value::text("last"), Value::Scalar(0.0)]);
        assert_eq!(line(4.0), [Value::text(""), Value::Scalar(1.0)]);
        let stat =
            |n: &str| call(&externals, "ModelicaInternal_stat", &[input(n)]).unwrap()[0].as_scalar().unwrap();
        assert_eq!((stat(name), stat("/no/such"), stat(folder.path().to_str().unwrap())), (2.0, 1.0, 3.0));
        let empty = Value::texts(Array::vector(vec![Text::from(""); 2]));
        let all = perform(&externals, "ModelicaInternal_readFile", &[input(name), output(empty), input(2.0)])
            .unwrap();
        assert_eq!(all, [Value::texts(Array::vector(vec![Text::from("one"), Text::from("two")]))]);
    }

    #[test]
    fn nothing_is_written() {
        let externals = StandardExternals::new(Options::default());
        for name in ["ModelicaInternal_removeFile", "ModelicaInternal_mkdir", "system", "exit"] {
            let error = perform(&externals, name, &[input("x")]).unwrap_err();
            assert!(matches!(&error, ExternalError::Failed(m) if m.contains("not allowed")), "{error:?}");
        }
        let none = StandardExternals::new(Options { read: false, ..Options::default() });
        assert!(call(&none, "ModelicaInternal_stat", &[input("/")]).is_err());
        assert!(perform(&externals, "ModelicaInternal_print", &[input("a"), input("file")]).is_err());
        perform(&externals, "ModelicaInternal_print", &[input("a"), input("")]).unwrap();
        assert_eq!(externals.take_messages(), ["a"]);
    }

    #[test]
    fn dates() {
        // 2000-02-29 is 30 years with 7 leap days, 31 + 28 days later: 30*365 + 7 + 59.
        assert_eq!(date(30 * 365 + 7 + 59), (2000, 2, 29));
        assert_eq!(date(0), (1970, 1, 1));
    }
}
