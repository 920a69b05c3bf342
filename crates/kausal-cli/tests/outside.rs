//! What other programs make of our files: DyMat of the MAT files, pyarrow of the Parquet files. What Chromium makes of the
//! pages is in `browser.rs`.
//!
//! Each test is skipped, with a note, where the other program is not there. `PYTHON` may name the Python to use.

use std::path::Path;
use std::process::{Command, Output};

use support::{ball, done};

mod support;

/// Runs a script, or gives `None` when Python or a module is not there.
fn python(folder: &Path, modules: &[&str], script: &str) -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let run = |script: &str| -> Option<Output> {
        Command::new(&python).current_dir(folder).args(["-c", script]).output().ok()
    };
    let imports: String = modules.iter().map(|m| format!("import {m}\n")).collect();
    if run(&imports).is_none_or(|o| !o.status.success()) {
        eprintln!("skipped: there is no Python with {}", modules.join(" and "));
        return None;
    }
    let output = run(&format!("{imports}{script}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn dymat_reads_mat_files() {
    let folder = ball();
    done(folder.path(), &["simulate", "Ball.mo", "-o", "a.mat", "-o", "a.csv"]);
    let script = "
d = DyMat.DyMatFile('a.mat')
print(sorted(d.names()))
print(d.description('h'))
print(d.data('e')[0], d.data('depth')[0], d.data('v')[-1] == -d.data('v')[-1] * -1)
t = d.abscissa(2)[0]
print(t[0], t[-1], len(t) == len(d.data('h')), len(d.data('h')))
print(max(abs(d.data('h') + d.data('depth'))))
";
    let Some(said) = python(folder.path(), &["DyMat"], script) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "['depth', 'der(h)', 'der(v)', 'e', 'h', 'v']");
    assert_eq!(lines[1], "Height [m]");
    assert_eq!(lines[2], "0.5 -1.0 True");
    let rows = std::fs::read_to_string(folder.path().join("a.csv")).unwrap().lines().count() - 1;
    assert_eq!(lines[3], format!("0.0 0.8 True {rows}"));
    assert_eq!(lines[4], "0.0");
}

#[test]
fn pyarrow_reads_parquet_files() {
    let folder = ball();
    done(folder.path(), &["simulate", "Ball.mo", "-o", "a.parquet", "-o", "a.csv"]);
    let script = "
t = pyarrow.parquet.read_table('a.parquet')
print(t.schema.names)
import csv
rows = [[float(x) for x in r] for r in list(csv.reader(open('a.csv')))[1:]]
print(all([c[i] for c in map(lambda c: c.to_pylist(), t.columns)] == rows[i] for i in (0, 1, len(rows) - 1)))
print(t.num_rows == len(rows), t.column('h').null_count)
print(b'Height' in t.schema.metadata[b'kausal'])
";
    let Some(said) = python(folder.path(), &["pyarrow.parquet"], script) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "['time', 'e', 'h', 'v', 'depth', 'der(h)', 'der(v)']");
    assert_eq!(lines[1..], ["True", "True 0", "True"]);
}
