//! What the tests of the command share: running it in a folder, and a model to run.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

/// The command with its arguments, in a folder, without what the surroundings may set.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kausal"));
    command.current_dir(folder).env_remove("MODELICAPATH").env_remove("NO_COLOR").args(arguments);
    command
}

/// Runs it.
pub fn kausal(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Runs it; it must succeed.
pub fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = kausal(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What was said, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with `Ball.mo`, a ball that bounces once: sqrt(2/9.81) is the instant, half the speed is left.
pub fn ball() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = "model Ball
  parameter Real e = 0.5 \"Restitution\";
  Real h(start = 1, fixed = true, unit = \"m\") \"Height\";
  Real v(start = 0, fixed = true, unit = \"m/s\");
  Real depth = -h;
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation (experiment(StopTime = 0.8));
end Ball;";
    std::fs::write(folder.path().join("Ball.mo"), model).unwrap();
    folder
}
