//! The translator commands of the papers: tearing variables and residue equations added and taken away, states chosen.
//!
//! One a line, with or without a leading `-`; `{…}` is a comment.
//!
//! ```text
//! - variable tear v [r]          v is a tearing variable, the equation assigned to r a residue equation (r is v if left out)
//! - variable tear v [ ]          v is a tearing variable
//! - variable tear [ residuev ]   the equation that contains residue(v), or is assigned to it, is a residue equation
//! - variable notear v            v is no tearing variable
//! - variable unknown a.e b.e     these are no states
//! - differentiate                index reduction, which is always done where it is needed
//! - set tear on                  (or off)
//! - output solved equations      prints the listing
//! ```

use kausal_syntax::Diagnostic;
use serde::{Deserialize, Serialize};

/// Translator commands in the order they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    pub(crate) list: Vec<Command>,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Command {
    Tear { variable: Option<String>, residue: Option<String> },
    NoTear(String),
    Unknown(Vec<String>),
    Differentiate,
    SetTear(bool),
    OutputSolvedEquations,
}

impl Commands {
    /// Reads commands; one diagnostic for each line that is none.
    pub fn parse(text: &str) -> (Commands, Vec<Diagnostic>) {
        let mut commands = Commands::default();
        let mut diagnostics = Vec::new();
        for (number, line) in without_comments(text).lines().enumerate() {
            let line = line.trim().trim_start_matches('-').trim();
            if line.is_empty() {
                continue;
            }
            match command(line) {
                Some(command) => commands.list.push(command),
                None => diagnostics.push(
                    Diagnostic::error(
                        "K0450",
                        format!("line {}: \u{201c}{line}\u{201d} is no translator command", number + 1),
                    )
                    .help(
                        "there are: variable tear v [r], variable tear v [], variable tear [residuev], \
                             variable notear v, variable unknown a b, differentiate, set tear on|off, \
                             output solved equations",
                    ),
                ),
            }
        }
        (commands, diagnostics)
    }

    /// Was the listing asked for?
    pub fn wants_listing(&self) -> bool {
        self.list.contains(&Command::OutputSolvedEquations)
    }

    /// The last `set tear`, if there is one.
    pub(crate) fn tearing(&self) -> Option<bool> {
        self.list.iter().rev().find_map(|c| match c {
            Command::SetTear(on) => Some(*on),
            _ => None,
        })
    }
}

fn without_comments(text: &str) -> String {
    let mut depth = 0usize;
    let keep = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                return ' ';
            }
            _ => {}
        }
        if depth > 0 && c != '\n' { ' ' } else { c }
    };
    text.chars().map(keep).collect()
}

fn command(line: &str) -> Option<Command> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["differentiate"] => Some(Command::Differentiate),
        ["set", "tear", on @ ("on" | "off")] => Some(Command::SetTear(*on == "on")),
        ["output", "solved", "equations"] => Some(Command::OutputSolvedEquations),
        ["variable", "notear", v] => Some(Command::NoTear((*v).to_owned())),
        ["variable", "unknown", rest @ ..] if !rest.is_empty() => {
            Some(Command::Unknown(rest.iter().map(|v| v.trim_end_matches(',').to_owned()).collect()))
        }
        ["variable", "tear", ..] => tear(line),
        _ => None,
    }
}

/// `tear v [r]`, `tear v []`, `tear v`, `tear [r]`; the variable may have subscripts.
fn tear(line: &str) -> Option<Command> {
    let rest = line.trim().strip_prefix("variable")?.trim().strip_prefix("tear")?.trim();
    if let Some(inside) = rest.strip_prefix('[') {
        let residue = inside.strip_suffix(']')?.trim();
        let one = !residue.is_empty() && !residue.contains(char::is_whitespace);
        return one.then(|| Command::Tear { variable: None, residue: Some(residue.to_owned()) });
    }
    let Some((variable, residue)) = rest.split_once(char::is_whitespace) else {
        // `v[]` without a space, `x[3]`, or a plain name.
        let (variable, alone) = match rest.strip_suffix("[]") {
            Some(variable) => (variable, true),
            None => (rest, false),
        };
        let residue = (!alone).then(|| variable.to_owned());
        return (!variable.is_empty())
            .then(|| Command::Tear { variable: Some(variable.to_owned()), residue });
    };
    let residue = residue.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let residue = (!residue.is_empty()).then(|| residue.to_owned());
    Some(Command::Tear { variable: Some(variable.to_owned()), residue })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Command {
        let (commands, diagnostics) = Commands::parse(line);
        assert!(diagnostics.is_empty(), "{line}: {diagnostics:?}");
        commands.list.into_iter().next().expect("a command")
    }

    fn tear(variable: Option<&str>, residue: Option<&str>) -> Command {
        Command::Tear { variable: variable.map(str::to_owned), residue: residue.map(str::to_owned) }
    }

    #[test]
    fn tear_in_all_its_forms() {
        assert_eq!(one("- variable tear R1.i [R2.i]"), tear(Some("R1.i"), Some("R2.i")));
        assert_eq!(one("variable tear R1.i"), tear(Some("R1.i"), Some("R1.i")));
        assert_eq!(one("variable tear R1.i [ ]"), tear(Some("R1.i"), None));
        assert_eq!(one("variable tear x[3] []"), tear(Some("x[3]"), None));
        assert_eq!(one("variable tear [ residueR1.i ]"), tear(None, Some("residueR1.i")));
    }

    #[test]
    fn the_others() {
        assert_eq!(one("-differentiate"), Command::Differentiate);
        assert_eq!(one("set tear off"), Command::SetTear(false));
        assert_eq!(one("variable unknown C3.e C5.e"), Command::Unknown(vec!["C3.e".into(), "C5.e".into()]));
        assert_eq!(one("variable notear x"), Command::NoTear("x".into()));
        let (commands, _) = Commands::parse("{ all of it }\noutput solved equations\n");
        assert!(commands.wants_listing());
    }

    #[test]
    fn what_is_no_command_is_reported_with_its_line() {
        let (commands, diagnostics) = Commands::parse("set tear on\nvariable tare x\n");
        assert_eq!(commands.tearing(), Some(true));
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].code, "K0450");
        assert!(diagnostics[0].message.contains("line 2"));
    }
}
