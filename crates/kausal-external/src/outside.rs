//! What changes more than files: directories, the environment, other programs (`Modelica.Utilities.Files` and `System`).
//!
//! These run only where a model may do what a program may ([`Permissions::everything`](crate::Permissions::everything));
//! elsewhere they are known, so that the message says "not allowed" and not "unknown". The working directory is changed for the time of the
//! run; variables of the environment are set for what the run reads and starts, not for the process, whose other threads
//! may read them in the same moment.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::frame::{Frame, Outcome, failed};
use crate::{Native, StandardExternals};

/// What a run has changed.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    environment: BTreeMap<String, String>,
    /// The working directory before the first change.
    home: Option<PathBuf>,
    /// How many names of temporary files were given.
    temporary: u64,
}

impl Outside {
    /// Is everything as it was before the run?
    pub(crate) fn is_unchanged(&self) -> bool {
        self.environment.is_empty() && self.home.is_none() && self.temporary == 0
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            // Gone meanwhile: there is no place to go back to.
            let _ = std::env::set_current_dir(home);
        }
    }
}

pub(crate) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "ModelicaInternal_chdir" => change_directory,
        "ModelicaInternal_setenv" => |e, f| {
            let (name, content) = (f.text(0)?.to_owned(), f.text(1)?.to_owned());
            if name.is_empty() || name.contains(['=', '\0']) || content.contains('\0') {
                return failed(format!("\"{name}\" cannot be a variable of the environment"));
            }
            e.state().outside.environment.insert(name, content);
            Ok(())
        },
        "ModelicaInternal_temporaryFileName" => |e, f| f.give_text(&temporary(e)),
        "ModelicaInternal_exit" | "exit" => {
            |_, _| failed("it would end the program; terminate() ends the run".to_owned())
        }
        "system" => system,
        _ => return None,
    })
}

/// What the run has set a variable of the environment to.
pub(crate) fn set_before(externals: &StandardExternals, name: &str) -> Option<String> {
    externals.state().outside.environment.get(name).cloned()
}

/// Something with a name in the file system, the first argument.
fn done(f: &Frame<'_>, what: &str, act: impl Fn(&Path) -> io::Result<()>) -> Outcome<()> {
    let name = f.text(0)?;
    act(Path::new(name)).or_else(|error| failed(format!("{name} {what}: {error}")))
}

fn change_directory(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let before = std::env::current_dir().ok();
    done(f, "cannot become the working directory", |name| std::env::set_current_dir(name))?;
    let mut state = externals.state();
    if state.outside.home.is_none() {
        state.outside.home = before;
    }
    Ok(())
}

/// A name that no file in the folder for temporary files has.
fn temporary(externals: &StandardExternals) -> String {
    let mut state = externals.state();
    loop {
        state.outside.temporary += 1;
        let name = format!("kausal-{}-{}", std::process::id(), state.outside.temporary);
        let path = std::env::temp_dir().join(name);
        if !path.exists() {
            return path.to_string_lossy().into_owned();
        }
    }
}

/// `result = (string)`: a command for the shell; its exit code.
fn system(externals: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let environment = externals.state().outside.environment.clone();
    let status = Command::new(shell).arg(option).arg(f.text(0)?).envs(environment).status();
    match status {
        // Ended by a signal: there is no code.
        Ok(status) => f.give_number(status.code().map_or(-1.0, f64::from)),
        Err(error) => failed(format!("{shell} cannot be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test::{call, input, output, perform, trusting};
    use kausal_symbolic::function::Value;

    #[test]
    fn directories_and_the_environment_change_where_that_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (a, b) = (path("a"), path("b"));
        let none = StandardExternals::new(Options::default());
        let refused = perform(&none, "ModelicaInternal_mkdir", &[input(a.as_str())]).unwrap_err();
        assert!(format!("{refused:?}").contains("not allowed"), "{refused:?}");
        let refused = perform(&none, "ModelicaInternal_chdir", &[input(".")]).unwrap_err();
        assert!(format!("{refused:?}").contains("--allow-external"), "{refused:?}");
        let externals = trusting();
        let act = |name: &str, args: &[&str]| {
            perform(&externals, name, &args.iter().map(|arg| input(*arg)).collect::<Vec<_>>())
        };
        act("ModelicaInternal_mkdir", &[&a]).unwrap();
        assert!(act("ModelicaInternal_mkdir", &[&a]).is_err());
        act("ModelicaInternal_rename", &[&a, &b]).unwrap();
        assert!(!Path::new(&a).exists() && Path::new(&b).is_dir());
        act("ModelicaInternal_rmdir", &[&b]).unwrap();
        assert!(!Path::new(&b).exists());
        let set = [input("KAUSAL_TEST"), input("a b"), input(0.0)];
        perform(&externals, "ModelicaInternal_setenv", &set).unwrap();
        let got = [input("KAUSAL_TEST"), input(0.0), output(""), output(0.0)];
        let got = perform(&externals, "ModelicaInternal_getenv", &got).unwrap();
        assert_eq!(got, [Value::text("a b"), Value::Scalar(1.0)]);
        let name = call(&externals, "ModelicaInternal_temporaryFileName", &[]).unwrap();
        let next = call(&externals, "ModelicaInternal_temporaryFileName", &[]).unwrap();
        assert_ne!(name, next);
        let command = "test \"$KAUSAL_TEST\" = \"a b\" || exit 1; exit 3";
        if cfg!(unix) {
            assert_eq!(call(&externals, "system", &[input(command)]).unwrap(), [Value::Scalar(3.0)]);
        }
        // The working directory is one for all tests of this process: into the one it is.
        let here = std::env::current_dir().unwrap();
        act("ModelicaInternal_chdir", &[here.to_str().unwrap()]).unwrap();
        assert!(act("ModelicaInternal_chdir", &[&a]).is_err());
    }
}
