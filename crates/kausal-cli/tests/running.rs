//! Runs that are long, interrupted, cut off or have nowhere to write: what was computed is kept and said.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{command, kausal, text};

mod support;

/// A folder with an oscillator, a model that fails, one with many events and one that never comes back from a function.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "Oscillator.mo",
        "model Oscillator
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  parameter Real k = 1;
equation
  der(x) = v;
  der(v) = -k*x;
  annotation (experiment(StartTime = 1, StopTime = 3, Interval = 0.25, Tolerance = 1e-8));
end Oscillator;",
    );
    write(
        "Escape.mo",
        "model Escape
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
  annotation (experiment(StopTime = 2));
end Escape;",
    );
    write(
        "Root.mo",
        "model Root
  Real y = sqrt(0.5 - time);
  Real z(start = 0, fixed = true);
equation
  der(z) = y;
end Root;",
    );
    write(
        "Hangs.mo",
        "model Hangs
  function forever
    input Real u;
    output Real y;
  algorithm
    y := u;
    while y < 1e9 loop
      y := y + 0*u;
    end while;
  end forever;
  Real x = forever(time);
end Hangs;",
    );
    folder
}

fn rows(folder: &Path, file: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    text.lines().skip(1).map(|l| l.split(',').map(|f| f.parse().unwrap()).collect()).collect()
}

#[test]
fn the_experiment_annotation_is_the_default() {
    let folder = folder();
    let at = folder.path();
    assert!(kausal(at, &["simulate", "Oscillator.mo", "-o", "a.csv"]).status.success());
    let times: Vec<f64> = rows(at, "a.csv").iter().map(|r| r[0]).collect();
    assert_eq!(times, [1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0]);
    let options = [
        "--number-of-intervals",
        "4",
        "--stop",
        "2",
        "--start",
        "0",
        "--variables",
        "v",
        "--variables",
        "der(*)",
    ];
    let arguments = [&["simulate", "Oscillator.mo", "-o", "b.csv"], &options[..]].concat();
    assert!(kausal(at, &arguments).status.success());
    let times: Vec<f64> = rows(at, "b.csv").iter().map(|r| r[0]).collect();
    assert_eq!(times, [0.0, 0.5, 1.0, 1.5, 2.0]);
    let header = std::fs::read_to_string(at.join("b.csv")).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(header, "\"time\",\"v\",\"der(x)\",\"der(v)\"");
    // Every step is an output point.
    let output =
        kausal(at, &["simulate", "Oscillator.mo", "-o", "c.csv", "--output-interval", "0", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows(at, "c.csv").len() as u64, report["steps"].as_u64().unwrap() + 1);
    for (wrong, message) in [
        (["--output-interval", "-1"], "the output interval cannot be -1"),
        (["--number-of-intervals", "0"], "must be positive"),
        (["--variables", "w"], "there is no variable w"),
        (["--plot", "xx"], "did you mean x?"),
    ] {
        let output = kausal(at, &[&["simulate", "Oscillator.mo"], &wrong[..]].concat());
        assert!(
            !output.status.success() && text(&output.stderr).contains(message),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let folder = folder();
    let at = folder.path();
    for file in ["a.csv", "a.mat", "a.parquet"] {
        let other = format!("b{}", &file[1..]);
        for name in [file, &other] {
            let output = kausal(at, &["simulate", "Oscillator.mo", "--stop", "50", "-o", name]);
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        assert_eq!(std::fs::read(at.join(file)).unwrap(), std::fs::read(at.join(other)).unwrap(), "{file}");
    }
    for file in ["a.svg", "a.png", "a.html"] {
        let other = format!("b{}", &file[1..]);
        for name in [file, &other] {
            assert!(kausal(at, &["plot", "a.mat", "--plot-file", name]).status.success());
        }
        assert_eq!(std::fs::read(at.join(file)).unwrap(), std::fs::read(at.join(other)).unwrap(), "{file}");
    }
}

#[test]
fn failing_runs_keep_what_they_have() {
    let folder = folder();
    let at = folder.path();
    for (model, file, parts) in [
        ("Escape.mo", "a.csv", ["error[K0520]", "at time 1.0", "x^2"]),
        ("Escape.mo", "a.mat", ["error[K0520]", "at time 1.0", "x^2"]),
        ("Escape.mo", "a.parquet", ["error[K0520]", "at time 1.0", "x^2"]),
        ("Root.mo", "r.csv", ["error[K0520]", "time 0.4999", "sqrt(0.5 - time)"]),
    ] {
        let output = kausal(at, &["simulate", model, "-o", file]);
        assert_eq!(output.status.code(), Some(1));
        for part in parts {
            assert!(text(&output.stderr).contains(part), "{part}: {}", text(&output.stderr));
        }
        // What is there can be read, and is most of the run.
        let output = kausal(at, &["compare", file, file]);
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
    }
    assert!(rows(at, "a.csv").last().unwrap()[0] > 0.9);
    assert!(rows(at, "r.csv").last().unwrap()[0] > 0.45);
}

#[test]
fn files_that_cannot_be_written() {
    let folder = folder();
    let at = folder.path();
    let output = kausal(at, &["simulate", "Oscillator.mo", "-o", "no/such/folder.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("error[K0907]: cannot write no/such/folder.csv"), "{output:?}");
    let output = kausal(at, &["simulate", "Oscillator.mo", "--plot-file", "a.gif"]);
    assert!(text(&output.stderr).contains("plots are .svg, .png or .html files"), "{output:?}");
    #[cfg(target_os = "linux")]
    for file in ["full.csv", "full.mat", "full.parquet"] {
        std::os::unix::fs::symlink("/dev/full", at.join(file)).unwrap();
        // More than any buffer holds: the run ends when the disk is full, and what goes elsewhere is kept.
        let arguments = [
            "simulate",
            "Oscillator.mo",
            "--stop",
            "1e6",
            "--output-interval",
            "0.01",
            "-o",
            file,
            "-o",
            "good.csv",
        ];
        let output = kausal(at, &arguments);
        assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
        assert!(text(&output.stderr).contains(&format!("cannot write {file} at time")), "{output:?}");
        assert!(text(&output.stderr).contains("make room"), "{output:?}");
        assert!(rows(at, "good.csv").len() > 100, "{file}");
        let output = kausal(at, &["simulate", "Oscillator.mo", "-o", file]);
        assert!(text(&output.stderr).contains(&format!("cannot write {file}")), "{output:?}");
    }
}

#[test]
fn a_time_limit_ends_a_run() {
    let folder = folder();
    let at = folder.path();
    let arguments = ["simulate", "Oscillator.mo", "--stop", "1e9", "--timeout", "1", "-o", "a.csv", "--json"];
    let output = kausal(at, &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("error[K0521]: the time limit was reached at time"), "{output:?}");
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["completed"], false);
    assert!(rows(at, "a.csv").len() > 10);
    // A function that never ends is ended too, a little later.
    let begin = Instant::now();
    let output = kausal(at, &["simulate", "Hangs.mo", "--timeout", "1"]);
    assert!(!output.status.success() && begin.elapsed() < Duration::from_secs(30), "{output:?}");
    assert!(
        text(&output.stderr).contains("error[K0521]: the time limit was reached at time 0"),
        "{output:?}"
    );
}

/// The sequence of the chain loses its digits as q grows, so the run begins again with the system untorn, and does not end in
/// time: what was recorded is kept.
#[test]
fn a_time_limit_keeps_what_a_second_run_has_recorded() {
    let folder = folder();
    let at = folder.path();
    let chain = "model Lossy
      Real x[30], q(start = 0, fixed = true), s(start = sin(1.5), fixed = true);
      Real e[30] = {cos(0.5*k + time) for k in 1:30};
      Real g = 0.2 + 8*min(q/20, 1)^4;
    equation
      x[1] = e[1];
      x[30] = e[30];
      for k in 2:29 loop
        x[k + 1] + x[k - 1] - g*(x[k] + 0.05*sin(x[k])) = e[k + 1] + e[k - 1] - g*(e[k] + 0.05*sin(e[k]));
      end for;
      der(q) = 20;
      der(s) = x[3];
    end Lossy;";
    std::fs::write(at.join("Lossy.mo"), chain).unwrap();
    let arguments = "simulate Lossy.mo --inline bdf --stop 1e6 --output-interval 0.1 --timeout 4 -o a.csv";
    let output = kausal(at, &arguments.split(' ').collect::<Vec<_>>());
    let said = text(&output.stderr);
    assert!(said.contains("K0523") && said.contains("error[K0521]"), "{output:?}");
    assert!(rows(at, "a.csv").len() > 100, "{} rows: {said}", rows(at, "a.csv").len());
    // Nothing is left of the first run.
    assert!(!at.join("a.csv.before1").exists());
}

/// A chain of this many capacitors takes seconds to translate.
#[cfg(unix)]
const LARGE: &str =
    "model Large parameter Integer n = 100000; Real v[n](each start = 0, each fixed = true), i[n];
  equation i[1] = 1 - v[1]; for k in 2:n loop i[k] = v[k - 1] - v[k]; end for;
  for k in 1:n - 1 loop der(v[k]) = i[k] - i[k + 1]; end for; der(v[n]) = i[n]; end Large;";

/// What has not begun to run has nothing to keep, and says so.
#[cfg(unix)]
#[test]
fn a_translation_can_be_ended() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("Large.mo"), LARGE).unwrap();
    let output = kausal(at, &["simulate", "Large.mo", "--timeout", "0.1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("error[K0521]: the time limit was reached while"), "{output:?}");
    let child = command(at, &["simulate", "Large.mo", "-o", "a.csv"]).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(text(&output.stderr).contains("error[K0522]: interrupted while"), "{output:?}");
    assert!(!at.join("a.csv").exists());
}

/// A function that does not end from 0.5 on, in machine code and in the evaluator.
#[cfg(unix)]
#[test]
fn a_function_can_be_interrupted() {
    let folder = folder();
    let at = folder.path();
    let model = "model F function f input Real n; output Real y; algorithm y := n; while y >= 0.5 loop y := y + 1; end while; end f;
      Real y = f(time), x(start = 1, fixed = true); equation der(x) = -x; end F;";
    std::fs::write(at.join("F.mo"), model).unwrap();
    for more in [&[][..], &["--interpret"]] {
        let arguments = [&["simulate", "F.mo", "-o", "a.csv"][..], more].concat();
        let child = command(at, &arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let begin = Instant::now();
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(5), "{more:?}: {:?}", begin.elapsed());
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(text(&output.stderr).contains("error[K0522]: stopped at time"), "{output:?}");
        let rows = rows(at, "a.csv");
        assert!(rows.last().is_some_and(|r| r[0] > 0.4 && r[0] < 0.5), "{more:?}: {rows:?}");
    }
}

#[test]
fn texts_are_written_as_texts_or_not_at_all() {
    let folder = folder();
    let at = folder.path();
    let model = "model T parameter String s = \"a\"; String t = if time > 0.5 then \"late\" else \"early\"; \
                 type E = enumeration(off, on); parameter E e = E.off; Real x = time; end T;";
    std::fs::write(at.join("T.mo"), model).unwrap();
    let set = ["simulate", "T.mo", "--set", "e=on", "--set", "s=b c", "-o", "t.csv", "-o", "t.mat"];
    let output = kausal(at, &set);
    assert!(output.status.success(), "{output:?}");
    let lines = std::fs::read_to_string(at.join("t.csv")).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "\"time\",\"e\",\"x\",\"s\",\"t\"");
    assert_eq!(lines[1], "0,2,0,\"b c\",\"early\"");
    assert_eq!(lines[lines.len() - 1], "1,2,1,\"b c\",\"late\"");
    for file in ["t.csv", "t.mat"] {
        let result = kausal::store::read(&at.join(file)).unwrap();
        assert_eq!((result.get("t"), result.signals.len()), (None, 2), "{file}");
    }
    let output = kausal(at, &["simulate", "T.mo", "--set", "e=of"]);
    assert!(text(&output.stderr).contains("it must be one of off, on"), "{output:?}");
}

#[test]
fn foreign_code_that_hangs_leaves_the_rows_before_it() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let folder = folder();
    let at = folder.path();
    let model =
        "model C function f input Real x; output Real y; external \"C\" y = hang(x) annotation(Include = \"
         static double hang(double x) { volatile int k = x > 0.5; while (k); return x; }\"); end f;
         Real y = f(time); end C;";
    std::fs::write(at.join("C.mo"), model).unwrap();
    for file in ["a.csv", "a.mat"] {
        let begin = Instant::now();
        let output = kausal(at, &["simulate", "C.mo", "--allow-external", "--timeout", "5", "-o", file]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        assert!(text(&output.stderr).contains("foreign function C.f (hang in C)"), "{output:?}");
        let result = kausal::store::read(&at.join(file)).unwrap();
        assert!(result.time.last().is_some_and(|t| *t > 0.4), "{file}: {:?}", result.time);
    }
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let folder = folder();
    let at = folder.path();
    let mut child =
        command(at, &["simulate", "Oscillator.mo", "--stop", "1e8", "--output-interval", "1", "-o", "a.csv"])
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
    // As soon as something is in the file, the run is under way.
    let begin = Instant::now();
    while std::fs::metadata(at.join("a.csv")).map_or(0, |m| m.len()) == 0 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    let status = child.wait().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("error[K0522]: stopped at time"), "{said}");
    let rows = rows(at, "a.csv");
    // Complete to the last line, and to the last step before the end.
    assert!(rows.len() > 10 && rows.iter().all(|r| r.len() == rows[0].len()));
    let end: f64 =
        said.split("stopped at time ").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    assert!(end - rows.last().unwrap()[0] <= 1.0, "{end}");
}

/// The most memory a run had, in kilobytes, as the system tells while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(at: &Path, arguments: &[&str]) -> u64 {
    let mut child = command(at, arguments).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let line = std::fs::read_to_string(&status).unwrap_or_default();
        let high =
            line.lines().find_map(|l| l.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        peak = peak.max(high.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A million steps, each a row in the file: kept in memory, the three numbers of a row would be 24 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_million_steps_need_no_more_memory_than_a_thousand() {
    let folder = folder();
    let at = folder.path();
    for file in ["a.csv", "a.mat", "a.parquet"] {
        let run = |stop: &str| {
            let options = [
                "--method",
                "rk4",
                "--step",
                "0.01",
                "--output-interval",
                "0",
                "--start",
                "0",
                "--stop",
                stop,
            ];
            let few = ["--variables", "x", "--variables", "v", "-o", file];
            peak_memory(at, &[&["simulate", "Oscillator.mo"], &options[..], &few[..]].concat())
        };
        let (short, long) = (run("300"), run("10000"));
        let output = kausal(at, &["compare", file, file, "--json"]);
        assert!(output.status.success(), "{output:?}");
        assert!(long < short + 6_000, "{file}: {short} kB for 30,000 steps, {long} kB for 1,000,000");
    }
}

#[test]
fn quiet_commands_say_what_is_wrong_and_nothing_else() {
    let folder = folder();
    let quiet: [&[&str]; 4] = [
        &["check", "-q", "Oscillator.mo"],
        &["translate", "-q", "Oscillator.mo"],
        &["parse", "-q", "Oscillator.mo"],
        &["simulate", "-q", "Oscillator.mo", "-o", "out.csv"],
    ];
    for arguments in quiet {
        let output = kausal(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(
            (text(&output.stdout), text(&output.stderr)),
            (String::new(), String::new()),
            "{arguments:?}"
        );
    }
    let wrong = kausal(folder.path(), &["check", "-q", "Kausal.Nothing"]);
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("K0200"));
}

#[test]
fn libraries_that_are_not_there_are_errors() {
    let folder = folder();
    for (library, why) in [("nowhere", "does not exist"), ("Oscillator.mo", "is not a folder")] {
        let output = kausal(folder.path(), &["check", "Oscillator.mo", "--library", library]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(
            said.contains("K0901") && said.contains(&format!("the library folder {library} {why}")),
            "{said}"
        );
    }
}

#[test]
fn pipes_see_neither_colours_nor_progress() {
    let folder = folder();
    let at = folder.path();
    let arguments = ["simulate", "Oscillator.mo", "--stop", "1e9", "--timeout", "1"];
    let plain = kausal(at, &arguments);
    assert!(!plain.stderr.contains(&0x1b) && !plain.stderr.contains(&b'\r'), "{}", text(&plain.stderr));
    let colored = kausal(at, &["simulate", "Escape.mo", "--color", "always"]);
    assert!(colored.stderr.contains(&0x1b));
    let quiet = kausal(at, &["simulate", "Oscillator.mo", "--quiet"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet:?}");
    let verbose = kausal(at, &["simulate", "Oscillator.mo", "-v"]);
    assert!(text(&verbose.stderr).contains("tolerance 0.00000001"), "{}", text(&verbose.stderr));
}

/// On a terminal, as `script` makes one; without that program there is nothing to look at.
#[cfg(target_os = "linux")]
#[test]
fn terminals_see_both() {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: there is no program `script`");
        return;
    }
    let folder = folder();
    let terminal = |arguments: &str, no_color: &str| {
        let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_kausal"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(folder.path()).env("TERM", "xterm-256color");
        command.env("NO_COLOR", no_color).stdin(Stdio::null());
        text(&command.output().unwrap().stdout)
    };
    let long = terminal("simulate Oscillator.mo --stop 1e9 --timeout 1.5", "");
    assert!(long.contains(" steps, ") && long.contains(" left"), "{long:?}");
    let colored = |said: &str| said.contains("\u{1b}[1m") || said.contains("\u{1b}[91m");
    assert!(colored(&terminal("simulate Escape.mo", "")));
    assert!(!colored(&terminal("simulate Escape.mo", "1")));
}

#[test]
fn help_for_shells_and_for_people() {
    let folder = folder();
    let at = folder.path();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = kausal(at, &["completions", shell]);
        assert!(output.status.success() && text(&output.stdout).contains("number-of-intervals"), "{shell}");
    }
    assert!(text(&kausal(at, &["man"]).stdout).starts_with(".ie"), "a manual page");
    assert!(kausal(at, &["man", "pages"]).status.success());
    let page = std::fs::read_to_string(at.join("pages/kausal-simulate.1")).unwrap();
    assert!(page.contains("output\\-interval"), "{page}");
    for (arguments, hint) in [
        (&["simulat", "Oscillator.mo"][..], "'simulate'"),
        (&["simulate", "Kausal.Examples.RCC"], "did you mean Kausal.Examples.RC?"),
        (&["simulate", "Oscillator.mo", "--model", "Oscilator"], "did you mean Oscillator?"),
        (&["simulate", "Oscillator.mo", "--set", "kk=2"], "did you mean k?"),
        (&["simulate", "Oscillator.mo", "--tolerence", "1"], "'--tolerance'"),
        (&["simulate", "Oscillator.mo", "--set", "k=inf"], "it must be a finite number"),
    ] {
        let output = kausal(at, arguments);
        assert!(
            !output.status.success() && text(&output.stderr).contains(hint),
            "{hint}: {}",
            text(&output.stderr)
        );
    }
    let help = text(&kausal(at, &["--help"]).stdout);
    for part in ["First steps:", "kausal explain", "MODELICAPATH"] {
        assert!(help.contains(part), "{part}");
    }
}

#[test]
fn explanations_in_words() {
    let folder = folder();
    let at = folder.path();
    let output = kausal(at, &["explain", "Oscillator.mo"]);
    let said = text(&output.stdout);
    assert!(
        output.status.success() && said.contains("States: 2") && said.contains("fixed: x = 1, v = 0"),
        "{said}"
    );
    assert!(kausal(at, &["explain", "Oscillator.mo", "--html", "o.html"]).status.success());
    assert!(std::fs::read_to_string(at.join("o.html")).unwrap().contains("Oscillator.mo:7"));
    assert!(!kausal(at, &["explain", "Oscillator.mo", "--html", "no/folder.html"]).status.success());
    std::fs::write(at.join("Open.mo"), "model Open Real x, y; equation x + y = time; end Open;").unwrap();
    let output = kausal(at, &["explain", "Open.mo"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("Too few equations"), "{output:?}");
}

#[test]
fn long_lists_of_a_translation_are_cut_unless_asked_for() {
    let folder = folder();
    let chain = "model Chain Real x[50](each start = 0, each fixed = true); equation for i in 1:50 loop der(x[i]) = time; end for; end Chain;";
    std::fs::write(folder.path().join("Chain.mo"), chain).unwrap();
    let states = |more: &[&str]| {
        let output = kausal(folder.path(), &[&["translate", "Chain.mo"], more].concat());
        text(&output.stdout).lines().find(|l| l.starts_with("states: ")).unwrap_or_default().to_owned()
    };
    let short = states(&[]);
    assert!(short.ends_with("x[20] and 30 more (--verbose lists all)"), "{short}");
    let long = states(&["--verbose"]);
    assert!(long.ends_with("x[50]") && !long.contains("more"), "{long}");
}
