//! Matrices in files: the text format of `Modelica.Blocks.Tables` and MAT files; the latter are written, too.
//!
//! A text file begins with `#1`; then for every matrix `double name(rows, columns)` and its elements row by row,
//! separated by blanks, tabulators, commas or semicolons. A `#` begins a comment.

use crate::files;
use crate::frame::{Matrix, Outcome, failed};
use crate::matfile::{self, Format};
use crate::{StandardExternals, writing};

/// Reads a matrix.
pub(crate) fn read(externals: &StandardExternals, file: &str, name: &str) -> Outcome<Matrix> {
    let bytes = files::bytes(externals, file)?;
    // Some editors put a mark of the order of bytes before texts.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let found = if text.starts_with(b"#1") {
        find_in_text(&String::from_utf8_lossy(text), name)
    } else {
        matfile::find(&bytes, name)
    };
    match found {
        Ok(Some(matrix)) => Ok(matrix),
        Ok(None) => failed(format!("there is no matrix {name} in the file {file}")),
        Err(why) => failed(format!("the matrix {name} in the file {file} cannot be read: {why}")),
    }
}

/// Writes a matrix; with `append` what else the file holds stays, and so does its format.
pub(crate) fn write(
    externals: &StandardExternals,
    file: &str,
    name: &str,
    matrix: &Matrix,
    append: bool,
    format: &str,
) -> Outcome<()> {
    let Some(format) = Format::named(format) else {
        return failed(format!("\"{format}\" is no format of MAT files; there are \"4\", \"6\" and \"7\""));
    };
    let before =
        if append && files::is_file(externals, file)? { files::bytes(externals, file)? } else { Vec::new() };
    match matfile::with(&before, name, matrix, format) {
        Ok(bytes) => writing::replace(externals, file, bytes),
        Err(why) => failed(format!("the matrix {name} cannot be added to the file {file}: {why}")),
    }
}

fn find_in_text(text: &str, name: &str) -> Result<Option<Matrix>, String> {
    let mut lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    while let Some(line) = lines.next() {
        let Some((found, rows, cols, rest)) = header(line) else { continue };
        if found != name {
            continue;
        }
        let count = rows.checked_mul(cols).filter(|&n| n <= text.len()).ok_or("its size is too large")?;
        let mut data = Vec::with_capacity(count);
        for line in std::iter::once(rest).chain(lines) {
            for word in line.split([' ', '\t', ',', ';', '\r']).filter(|w| !w.is_empty()) {
                if data.len() == count {
                    return Ok(Some(Matrix { rows, cols, data }));
                }
                let value = word.parse().map_err(|_| format!("\"{word}\" is not a number"))?;
                data.push(value);
            }
        }
        if data.len() < count {
            return Err(format!("it has {} elements instead of {count}", data.len()));
        }
        return Ok(Some(Matrix { rows, cols, data }));
    }
    Ok(None)
}

/// `double name(rows, columns) rest`
fn header(line: &str) -> Option<(&str, usize, usize, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix("double").or_else(|| line.strip_prefix("float"))?;
    let (name, line) = line.split_once('(')?;
    let (sizes, rest) = line.split_once(')')?;
    let (rows, cols) = sizes.split_once(',')?;
    Some((name.trim(), rows.trim().parse().ok()?, cols.trim().parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_files() {
        let text = "#1\n# two tables\ndouble a(2,2) # first\n 0, 1; 2\t3e0\nfloat b (1, 3)\n1 2\n-3 # end\n";
        let a = find_in_text(text, "a").unwrap().unwrap();
        assert_eq!((a.rows, a.cols, a.data), (2, 2, vec![0.0, 1.0, 2.0, 3.0]));
        let b = find_in_text(text, "b").unwrap().unwrap();
        assert_eq!((b.rows, b.cols, b.data), (1, 3, vec![1.0, 2.0, -3.0]));
        assert_eq!(find_in_text(text, "c"), Ok(None));
        assert!(find_in_text("#1\ndouble a(2,2)\n1 2 3", "a").is_err());
        assert!(find_in_text("#1\ndouble a(2,2)\n1 2 x 3", "a").is_err());
    }

    #[test]
    fn a_mark_before_the_text_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, "\u{feff}#1\ndouble a(1,2)\n1 2\n").unwrap();
        let externals = crate::test::trusting();
        assert_eq!(read(&externals, file.to_str().unwrap(), "a").unwrap().data, [1.0, 2.0]);
    }

    #[test]
    fn missing_files_have_a_message() {
        let externals = crate::test::trusting();
        assert!(read(&externals, "no/such/file", "a").is_err());
    }
}
