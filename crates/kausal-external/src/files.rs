//! Files, directories and the environment, as `Modelica.Utilities.Files`, `Streams` and `System` declare them.
//!
//! What reads and writes does so where the [`Permissions`](crate::Permissions) allow it; what does more is in `outside`.

use std::path::{Path, PathBuf};

use kausal_symbolic::function::{Array, Text, Value};

use crate::frame::{Frame, Outcome, failed};
use crate::permissions::data_name;
use crate::{Kind, Native, StandardExternals, matrix_file, outside, read_regular, writing};

/// No file larger than this is read.
pub(crate) const LARGEST_FILE: u64 = 1 << 30;

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    let reads: Native = match name {
        "ModelicaInternal_stat" => |e, f| f.give_number(file_type(e, f.text(0)?)?),
        "ModelicaInternal_countLines" => |e, f| f.give_number(lines(e, f.text(0)?)?.len() as f64),
        "ModelicaInternal_readLine" => read_line,
        "ModelicaInternal_readFile" => |e, f| {
            let lines = lines(e, f.text(0)?)?;
            set_texts(f, 1, lines)
        },
        "ModelicaInternal_fullPathName" => |e, f| {
            let name = f.text(0)?;
            if let Some(own) = writing::own(e, name) {
                return f.give_text(&own.to_string_lossy());
            }
            match std::path::absolute(name) {
                Ok(path) => f.give_text(&path.to_string_lossy()),
                Err(error) => failed(format!("no full path of {name}: {error}")),
            }
        },
        "ModelicaInternal_getNumberOfFiles" => |e, f| f.give_number(directory(e, f.text(0)?)?.len() as f64),
        "ModelicaInternal_readDirectory" => |e, f| {
            let names = directory(e, f.text(0)?)?;
            set_texts(f, 2, names)
        },
        "ModelicaInternal_getcwd" => |_, f| match std::env::current_dir() {
            Ok(path) => f.give_text(&path.to_string_lossy()),
            Err(error) => failed(format!("no working directory: {error}")),
        },
        "ModelicaInternal_getenv" => |e, f| {
            let name = f.text(0)?;
            let set = outside::set_before(e, name);
            if set.is_none() && !e.options.permissions.is_everything() {
                return failed(format!(
                    "reading the variable {name} of the environment is not allowed; \
                     --allow-external allows what a program may do"
                ));
            }
            let content = set.or_else(|| std::env::var(name).ok());
            f.set_number(3, f64::from(u8::from(content.is_some())));
            f.set(2, Value::text(content.as_deref().unwrap_or("")));
            Ok(())
        },
        "ModelicaIO_readMatrixSizes" => |e, f| {
            let matrix = matrix_file::read(e, f.text(0)?, f.text(1)?)?;
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
    Some(match name {
        "ModelicaInternal_print" => (Kind::Writes, print),
        "ModelicaInternal_removeFile" => (Kind::Writes, |e, f| writing::remove(e, f.text(0)?)),
        "ModelicaInternal_copyFile" => (Kind::Writes, copy_file),
        "ModelicaIO_writeRealMatrix" => (Kind::Writes, write_real_matrix),
        "ModelicaInternal_mkdir" => (Kind::Writes, |e, f| writing::make_folder(e, f.text(0)?)),
        "ModelicaInternal_rmdir" => (Kind::Writes, |e, f| writing::remove_folder(e, f.text(0)?)),
        "ModelicaInternal_rename" => (Kind::Writes, |e, f| writing::rename(e, f.text(0)?, f.text(1)?)),
        "ModelicaInternal_getTime" => (Kind::Clock, get_time),
        "ModelicaInternal_getpid" => (Kind::Clock, |_, f| f.give_number(f64::from(std::process::id()))),
        _ => (Kind::Changes, outside::find(name)?),
    })
}

/// `Modelica.Utilities.Types.FileType`: none, regular file, directory, something else.
fn file_type(externals: &StandardExternals, name: &str) -> Outcome<f64> {
    match writing::kept(externals, name) {
        Some(None) => return Ok(1.0),
        Some(Some(_)) => return Ok(2.0),
        None => {}
    }
    let path = match place(externals, name) {
        Some(path) => path,
        // By such a name the model writes a file of its own: what else has that name is not its business, but may be
        // what the user means.
        None if data_name(Path::new(name), true).is_ok() => {
            if Path::new(name).exists() {
                externals.state().warn(format!(
                    "the file {name} exists and may not be read by the model, which is told that there is none; \
                     --allow-read DIR allows it below a folder"
                ));
            }
            return Ok(1.0);
        }
        None => return unreadable("looking for", name),
    };
    Ok(match std::fs::metadata(path) {
        Err(_) => 1.0,
        Ok(data) if data.is_file() => 2.0,
        Ok(data) if data.is_dir() => 3.0,
        Ok(_) => 4.0,
    })
}

/// Where a file is that may be read: one that the run has written, or one that is allowed.
fn place(externals: &StandardExternals, name: &str) -> Option<PathBuf> {
    writing::own(externals, name).or_else(|| externals.options.permissions.readable(Path::new(name)))
}

fn unreadable<T>(what: &str, name: &str) -> Outcome<T> {
    failed(format!(
        "{what} the file {name} is not allowed: it is neither in the folder of the model nor in that of a library it \
         uses; --allow-read DIR allows it below a folder"
    ))
}

/// Is there a file by this name?
pub(crate) fn is_file(externals: &StandardExternals, name: &str) -> Outcome<bool> {
    Ok(file_type(externals, name)? == 2.0)
}

/// A whole file.
pub(crate) fn bytes(externals: &StandardExternals, name: &str) -> Outcome<Vec<u8>> {
    match writing::kept(externals, name) {
        Some(Some(content)) => return Ok(content),
        Some(None) => return failed(format!("the file {name} cannot be read: it was removed")),
        None => {}
    }
    let Some(path) = place(externals, name) else { return unreadable("reading", name) };
    read_regular(&path, LARGEST_FILE)
        .or_else(|error| failed(format!("the file {name} cannot be read: {error}")))
}

fn lines(externals: &StandardExternals, name: &str) -> Outcome<Vec<String>> {
    let bytes = bytes(externals, name)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::to_owned).collect())
}

/// `string = (fileName, lineNumber, endOfFile)`
fn read_line(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let number = f.integer(1)?;
    let lines = lines(externals, f.text(0)?)?;
    let line = usize::try_from(number).ok().and_then(|n| lines.get(n.checked_sub(1)?));
    f.set_number(2, f64::from(u8::from(line.is_none())));
    f.give_text(line.map_or("", String::as_str))
}

/// The names in a directory, sorted.
fn directory(externals: &StandardExternals, name: &str) -> Outcome<Vec<String>> {
    let own = writing::own(externals, name);
    let Some(path) = own.or_else(|| externals.options.permissions.listable(Path::new(name))) else {
        return failed(format!(
            "listing the directory {name} is not allowed; --allow-read DIR allows it below a folder"
        ));
    };
    let read = || -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&path)? {
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
fn read_real_matrix(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (file, name) = (f.text(0)?, f.text(1)?);
    let matrix = matrix_file::read(externals, file, name)?;
    if f.shape(2)? != [matrix.rows, matrix.cols] {
        let (rows, cols) = (matrix.rows, matrix.cols);
        return failed(format!(
            "the matrix {name} in {file} has size {rows} x {cols}, another one is asked for"
        ));
    }
    f.set_numbers(2, matrix.data)
}

/// `success = (fileName, matrixName, matrix, rows, columns, append, version)`
fn write_real_matrix(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (file, name, format) = (f.text(0)?, f.text(1)?, f.text(6)?);
    matrix_file::write(externals, file, name, &f.matrix(2)?, f.boolean(5)?, format)?;
    f.give_number(1.0)
}

/// `(fromName, toName)`
fn copy_file(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (from, to) = (f.text(0)?, f.text(1)?);
    if is_file(externals, to)? {
        return failed(format!("{from} is not copied: the file {to} exists"));
    }
    let content = bytes(externals, from)?;
    writing::replace(externals, to, content)
}

/// `(string, fileName)`: a line at the end of the file, or a message if there is no file name.
fn print(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let file = f.text(1)?;
    if !file.is_empty() {
        return writing::append(externals, file, format!("{}\n", f.text(0)?).as_bytes());
    }
    externals.state().tell(f.text(0)?.to_owned());
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
    use crate::test::{call, input, output, perform, rows, trusting};
    use crate::{Options, Permissions, RunFiles};
    use kausal_symbolic::function::ExternalError;

    #[test]
    fn reading_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one\r\ntwo\nlast").unwrap();
        let name = path.to_str().unwrap();
        let externals = trusting();
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
        assert_eq!((stat(name), stat("no/such"), stat(folder.path().to_str().unwrap())), (2.0, 1.0, 3.0));
        let empty = Value::texts(Array::vector(vec![Text::from(""); 2]));
        let all = perform(&externals, "ModelicaInternal_readFile", &[input(name), output(empty), input(2.0)])
            .unwrap();
        assert_eq!(all, [Value::texts(Array::vector(vec![Text::from("one"), Text::from("two")]))]);
    }

    #[test]
    fn some_functions_are_refused() {
        let externals = StandardExternals::new(Options::default());
        let refused = [
            "ModelicaInternal_chdir",
            "ModelicaInternal_mkdir",
            "ModelicaInternal_rmdir",
            "ModelicaInternal_getNumberOfFiles",
            "system",
            "exit",
        ];
        for name in refused {
            let error = perform(&externals, name, &[input("/")]).unwrap_err();
            assert!(matches!(&error, ExternalError::Failed(m) if m.contains("not allowed")), "{error:?}");
        }
        assert!(call(&externals, "ModelicaInternal_stat", &[input("/")]).is_err());
        assert!(call(&externals, "ModelicaInternal_countLines", &[input("/etc/hostname")]).is_err());
        let environment = [input("HOME"), input(0.0), output(""), output(0.0)];
        assert!(perform(&externals, "ModelicaInternal_getenv", &environment).is_err());
        assert!(perform(&trusting(), "ModelicaInternal_getenv", &environment).is_ok());
        perform(&externals, "ModelicaInternal_print", &[input("a"), input("")]).unwrap();
        assert_eq!(externals.take_messages(), ["a"]);
        let translation = StandardExternals::new(Options::translation(Permissions::default()));
        let early = perform(&translation, "ModelicaInternal_print", &[input("a"), input("b.txt")]);
        assert_eq!(early, Err(ExternalError::Unavailable));
    }

    #[test]
    fn the_clock_and_the_process() {
        let externals = StandardExternals::new(Options::default());
        let pid = call(&externals, "ModelicaInternal_getpid", &[]).unwrap();
        assert_eq!(pid, [Value::Scalar(f64::from(std::process::id()))]);
        let parts = vec![output(0.0); 7];
        let now = perform(&externals, "ModelicaInternal_getTime", &parts).unwrap();
        let now: Vec<f64> = now.iter().map(|part| part.as_scalar().unwrap()).collect();
        // Milliseconds, seconds, minutes, hours, day, month, year; this was written in 2026.
        let bounds =
            [(0.0, 999.0), (0.0, 60.0), (0.0, 59.0), (0.0, 23.0), (1.0, 31.0), (1.0, 12.0), (2026.0, 9999.0)];
        assert!(now.iter().zip(bounds).all(|(part, (low, high))| (low..=high).contains(part)), "{now:?}");
        // What is asked while translating would be the same in every run.
        let translation = StandardExternals::new(Options::translation(Permissions::default()));
        let early = call(&translation, "ModelicaInternal_getpid", &[]);
        assert_eq!(early, Err(ExternalError::Unavailable));
    }

    #[test]
    fn lines_and_matrices_are_written_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let fresh = RunFiles { folder: Some(folder.path().join("fresh")), outputs: Vec::new() };
        let mut readable = Permissions::default();
        readable.give(folder.path());
        let mut below = Permissions::default();
        below.allow_write(folder.path());
        for permissions in [readable, below.for_run(&fresh), Permissions::everything().for_run(&fresh)] {
            let on_disk = permissions.run.folder.is_some();
            let externals = StandardExternals::new(Options { permissions, ..Options::default() });
            let name =
                |file: &str| folder.path().canonicalize().unwrap().join(file).to_str().unwrap().to_owned();
            let text = name("a.txt");
            for line in ["one", "two"] {
                perform(&externals, "ModelicaInternal_print", &[input(line), input(text.as_str())]).unwrap();
            }
            let count = call(&externals, "ModelicaInternal_countLines", &[input(text.as_str())]).unwrap();
            assert_eq!(count, [Value::Scalar(2.0)]);
            let copy = name("copy.txt");
            let names = [input(text.as_str()), input(copy.as_str())];
            perform(&externals, "ModelicaInternal_copyFile", &names).unwrap();
            assert!(perform(&externals, "ModelicaInternal_copyFile", &names).is_err());
            for file in [&text, &copy] {
                perform(&externals, "ModelicaInternal_removeFile", &[input(file.as_str())]).unwrap();
                let stat = call(&externals, "ModelicaInternal_stat", &[input(file.as_str())]).unwrap();
                assert_eq!(stat, [Value::Scalar(1.0)]);
            }
            for format in ["4", "6", "7"] {
                let file = name(&format!("{format}.mat"));
                let m = rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
                for (matrix, append) in [("a", 0.0), ("long name", 1.0), ("a", 1.0)] {
                    let args = [
                        input(file.as_str()),
                        input(matrix),
                        input(&m),
                        input(3.0),
                        input(2.0),
                        input(append),
                    ];
                    let args = [args.as_slice(), &[input(format)]].concat();
                    let success = call(&externals, "ModelicaIO_writeRealMatrix", &args).unwrap();
                    assert_eq!(success, [Value::Scalar(1.0)]);
                }
                for matrix in ["a", "long name"] {
                    assert_eq!(
                        matrix_file::read(&externals, &file, matrix).unwrap(),
                        m,
                        "{format} {on_disk}"
                    );
                }
                assert_eq!(file_on_disk(&file), on_disk);
                let _ = std::fs::remove_file(&file);
            }
        }
    }

    fn file_on_disk(name: &str) -> bool {
        Path::new(name).exists()
    }

    #[test]
    fn dates() {
        // 2000-02-29 is 30 years with 7 leap days, 31 + 28 days later: 30*365 + 7 + 59.
        assert_eq!(date(30 * 365 + 7 + 59), (2000, 2, 29));
        assert_eq!(date(0), (1970, 1, 1));
    }
}
