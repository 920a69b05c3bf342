//! Results survive: whatever ends a run, its files can be read up to the last complete row, and Ctrl-C ends every command.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use kausal::store;
use support::{command, kausal, text};

mod support;

const FORMATS: [&str; 3] = ["r.csv", "r.mat", "r.parquet"];
/// The program is gone by then: in one of some attempts at least, and on a machine that has nothing else to do.
const SOON: Duration = Duration::from_secs(1);
const ATTEMPTS: usize = 4;

/// How many programs share a core at present, where the system tells (`proc_loadavg(5)`). What ends a program takes some hundredths of a
/// second of a core, most of them the system's, which takes back the memory; among many others that is many times as long.
fn sharing() -> f64 {
    let Ok(load) = std::fs::read_to_string("/proc/loadavg") else { return 1.0 };
    let words: Vec<&str> = load.split(' ').collect();
    let lately = words.first().and_then(|word| word.parse().ok()).unwrap_or(1.0_f64);
    let now = words.get(3).and_then(|word| word.split('/').next()?.parse().ok()).unwrap_or(1.0_f64);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    (lately.max(now) / cores).max(1.0)
}

/// `x = sin(time)`, and something that goes wrong on demand.
const MODEL: &str = "model M
  parameter Real fails = 1e300;
  parameter Real hangs = 1e300;
  parameter Integer fills = 0;
  function wait input Real t; input Real from; output Real y; algorithm
    y := t; while t > from loop y := y + 1; end while; end wait;
  function take input Integer n; input Real t; output Real y; protected Real a[n]; algorithm
    a := fill(t, n); y := sum(a); end take;
  Real x(start = 0, fixed = true);
  Real y(start = 1, fixed = true);
  Real minus = -x;
  Real z = wait(time, hangs);
  Real w = if time > 5 then take(fills, time) + take(fills + 1, time) else 0;
equation
  der(x) = y;
  der(y) = -x;
  assert(time < fails, \"it fails on demand\");
end M;";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("M.mo"), MODEL).unwrap();
    folder
}

fn start(at: &Path, more: &[&str]) -> Child {
    let mut arguments = vec!["simulate", "M.mo", "--max-step", "0.05", "--output-interval", "0"];
    FORMATS.iter().for_each(|file| arguments.extend(["-o", *file]));
    arguments.extend(more);
    command(at, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Ends a program with Ctrl-C a while after its start: what it says. It is gone soon. None: there was nothing left to end.
fn interrupted(after: Duration, start: impl Fn() -> Child) -> Option<Output> {
    let mut slow = Vec::new();
    for _ in 0..ATTEMPTS {
        let mut child = start();
        std::thread::sleep(after);
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        // Where it is served by somebody, it goes on to be.
        let input = child.stdin.take();
        let begin = Instant::now();
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        drop(input);
        let took = begin.elapsed();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let sharing = sharing();
        if took < SOON.mul_f64(sharing) {
            return Some(output);
        }
        slow.push((took, sharing, output));
    }
    panic!("{slow:?}")
}

/// The rows of a file are those of the model, and there is nothing of the next one.
fn check(path: &Path, complete: bool) -> usize {
    let (result, note) =
        store::read_noting(path).unwrap_or_else(|d| panic!("{}: {}", path.display(), d.message));
    assert!(!complete || note.is_none(), "{note:?}");
    let (x, minus) = (result.get("x").unwrap(), result.get("minus").unwrap());
    assert!(result.time.windows(2).all(|t| t[0] <= t[1]));
    for (i, t) in result.time.iter().enumerate() {
        assert!(
            (x[i] - t.sin()).abs() < 1e-3 * (1.0 + t) && minus[i] == -x[i],
            "{}: row {i}",
            path.display()
        );
    }
    result.time.len()
}

/// A generator of numbers that needs no more than this.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

#[test]
fn killed_at_any_moment() {
    let folder = folder();
    let at = folder.path();
    let mut state = 1;
    let mut rows = 0;
    for _ in 0..50 {
        let mut child = start(at, &["--stop", "1e9"]);
        std::thread::sleep(Duration::from_micros(20_000 + random(&mut state) % 300_000));
        signal(&child, "-KILL");
        child.wait().unwrap();
        for file in FORMATS {
            let path = at.join(file);
            // Nothing was written yet: no file, or none of its rows.
            if std::fs::metadata(&path).map_or(0, |data| data.len()) == 0 {
                continue;
            }
            rows += check(&path, false);
            store::recover(&path).unwrap();
            check(&path, true);
            std::fs::remove_file(&path).unwrap();
        }
    }
    assert!(rows > 10_000, "{rows}");
}

#[test]
fn ended_in_order() {
    let folder = folder();
    let at = folder.path();
    let cases: [(&[&str], &str); 5] = [
        (&["--stop", "1e9", "--timeout", "1"], "K0521"),
        (&["--stop", "1e9", "--set", "fails=100"], "it fails on demand"),
        (&["--stop", "1e9", "--set", "hangs=100", "--timeout", "1"], "K0521"),
        (&["--stop", "1e9", "--set", "fills=15000000", "--memory", "90"], "K0525"),
        (&["--stop", "100"], "M: 0 to 100"),
    ];
    for (more, says) in cases {
        let output = start(at, more).wait_with_output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains(says), "{more:?}: {said}");
        assert_eq!(output.status.code(), Some(i32::from(!says.starts_with('M'))), "{more:?}: {said}");
        for file in FORMATS {
            let rows = check(&at.join(file), true);
            assert!(rows > 90, "{more:?}: {file} has {rows} rows");
        }
    }
}

#[test]
fn ctrl_c_in_the_run() {
    let folder = folder();
    let at = folder.path();
    for more in [&["--stop", "1e9"][..], &["--stop", "1e9", "--set", "hangs=100"]] {
        let output = interrupted(Duration::from_secs(1), || start(at, more)).expect("it runs without end");
        assert!(text(&output.stderr).contains("K0522"), "{output:?}");
        for file in FORMATS {
            assert!(check(&at.join(file), true) > 90, "{more:?}: {file}");
        }
    }
}

#[test]
fn ctrl_c_in_every_command() {
    let folder = folder();
    let at = folder.path();
    // Large enough that every phase of it takes seconds.
    let large = "model L parameter Integer n = 20000; Real x[n](each start = 1); equation
        for i in 1:n loop der(x[i]) = -i*x[i] + x[mod(i, n) + 1]*sin(x[mod(7*i, n) + 1]); end for; end L;";
    std::fs::write(at.join("L.mo"), large).unwrap();
    let stuck = "model S function f input Integer n; output Integer m; algorithm m := n; while m > 0 loop m := m + 1 - 1;
        end while; end f; parameter Integer n = f(1); Real x[n] = fill(time, n); end S;";
    std::fs::write(at.join("S.mo"), stuck).unwrap();
    let mut many = String::from("model Many\n");
    (0..300_000).for_each(|k| many.push_str(&format!("  Real x{k}( start= {k} ) = {k}*time + sin(x{k});\n")));
    std::fs::write(at.join("Many.mo"), many + "end Many;\n").unwrap();
    let mut rows = String::from("\"time\"");
    (0..2000).for_each(|k| rows.push_str(&format!(",\"x{k}\"")));
    rows.push('\n');
    (0..4000).for_each(|t| rows.push_str(&format!("{t}{}\n", format!(",{}", t * 7 % 13).repeat(2000))));
    std::fs::write(at.join("large.csv"), &rows).unwrap();
    let waits: &[&[&str]] = &[
        &["check", "S.mo"],
        &["flatten", "S.mo"],
        &["translate", "S.mo"],
        &["explain", "S.mo"],
        &["simulate", "S.mo"],
        &["linearize", "S.mo"],
        &["sweep", "S.mo", "--vary", "x=1:2:3"],
        &["sweep", "M.mo", "--vary", "fails=1e300,2e300", "--stop", "1e9", "-o", "sweep.csv"],
        &["linearize", "M.mo", "--at", "1e9"],
        &["export", "S.mo", "-o", "s.fmu"],
        &["export", "L.mo", "-o", "l.fmu"],
        &["parse", "Many.mo"],
        &["format", "--check", "Many.mo"],
        &["lint", "Many.mo"],
        &["fix", "Many.mo"],
        &["doc", "Many.mo"],
        &["draw", "Many.mo"],
        &["flatten", "L.mo"],
        &["explain", "L.mo"],
        &["lsp"],
        &["translate", "L.mo"],
        &["simulate", "L.mo"],
        &["compare", "large.csv", "large.csv"],
        &["plot", "large.csv", "--plot-file", "p.html"],
    ];
    for arguments in waits {
        let start = || {
            let mut command = command(at, arguments);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        // Where there is nothing to interrupt, the machine is fast.
        interrupted(Duration::from_millis(150), start);
    }
}

#[test]
fn a_full_disk() {
    let folder = folder();
    let at = folder.path();
    let disk = at.join("disk");
    std::fs::create_dir(&disk).unwrap();
    std::fs::copy(at.join("M.mo"), disk.join("M.mo")).unwrap();
    let size = "size=400k";
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", size, "none"]).arg(&disk).output();
    let mounted = mount.is_ok_and(|output| output.status.success());
    std::fs::write(disk.join("M.mo"), MODEL).unwrap();
    for file in FORMATS {
        let run = format!(
            "{} simulate M.mo --stop 1e9 --timeout 60 --max-step 0.05 --output-interval 0 -o {file}",
            env!("CARGO_BIN_EXE_kausal")
        );
        // Where nothing may be mounted, files of more than 400 KB may not be written.
        let limit = if mounted { "" } else { "trap '' XFSZ; ulimit -f 800; " };
        let output =
            Command::new("sh").current_dir(&disk).args(["-c", &format!("{limit}{run}")]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = text(&output.stderr);
        assert!(said.contains("error[K0907]: cannot write") && !said.contains("wrote"), "{said}");
        assert!(check(&disk.join(file), false) >= 90, "{file}");
        std::fs::remove_file(disk.join(file)).unwrap();
    }
    if mounted {
        assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    }
}

#[test]
fn what_is_left_behind_is_recovered() {
    let folder = folder();
    let at = folder.path();
    kausal(at, &["simulate", "M.mo", "--stop", "10", "-o", "r.csv", "-o", "r.mat", "-o", "r.parquet"]);
    for file in FORMATS {
        let bytes = std::fs::read(at.join(file)).unwrap();
        // The end of the last row, or of what stands behind it.
        std::fs::write(at.join(file), &bytes[..bytes.len() - 3]).unwrap();
        let plot = kausal(at, &["plot", file, "x"]);
        assert!(plot.status.success(), "{plot:?}");
        assert!(text(&plot.stderr).contains("warning[K0919]"), "{plot:?}");
        let recovered = kausal(at, &["recover", file]);
        assert!(recovered.status.success(), "{recovered:?}");
        assert!(text(&recovered.stdout).contains("is complete now: up to time"), "{recovered:?}");
        let again = kausal(at, &["recover", file, "--json"]);
        assert!(text(&again.stdout).contains("\"complete\":true"), "{again:?}");
        let compared = kausal(at, &["compare", file, "r.csv"]);
        assert!(compared.status.success() && compared.stderr.is_empty(), "{compared:?}");
    }
    std::fs::write(at.join("empty.mat"), "").unwrap();
    assert_eq!(kausal(at, &["recover", "empty.mat"]).status.code(), Some(1));
}

/// The limit of the system: a request that it does not grant ends with a diagnostic, and with the results up to there.
#[test]
fn the_system_gives_no_more_memory() {
    let folder = folder();
    let at = folder.path();
    // Each of the arrays has 127 MB: the first does not fit beside the program, or the second.
    let run = format!(
        "ulimit -v 300000 && exec {} simulate M.mo --max-step 0.05 --output-interval 0 --stop 1e9 --timeout 30 --set fills=15900000 -o r.csv -o r.parquet",
        env!("CARGO_BIN_EXE_kausal")
    );
    let output = Command::new("sh").current_dir(at).args(["-c", &run]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("error[K0525]: the system gives no more memory"), "{said}");
    assert!(!said.contains("memory allocation of"), "{said}");
    for file in ["r.csv", "r.parquet"] {
        assert!(check(&at.join(file), true) > 90, "{file}");
    }
}
