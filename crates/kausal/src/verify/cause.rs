//! Failures grouped by cause: two models fail for the same cause when their first errors read alike once
//! numbers and the names of variables are taken out.

use serde::Serialize;

use super::{Outcome, Problem, Row, Stage, Verdict};

/// Models that do not agree for the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The stage reached.
    pub stage: Stage,
    /// The cause in general words.
    pub cause: String,
    /// The first error in full.
    pub example: Option<Problem>,
    /// The models.
    pub models: Vec<String>,
}

/// Groups what fails; the largest group first. Models that only differ are not among them.
pub fn groups(rows: &[Row]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for outcome in rows.iter().map(|r| &r.outcome).filter(|o| o.verdict == Verdict::Fails) {
        let (stage, cause) = (outcome.stage, cause(outcome));
        match groups.iter_mut().find(|g| g.stage == stage && g.cause == cause) {
            Some(group) => group.models.push(outcome.model.clone()),
            None => groups.push(Group {
                stage,
                cause,
                example: outcome.error.clone(),
                models: vec![outcome.model.clone()],
            }),
        }
    }
    groups.sort_by(|a, b| {
        b.models.len().cmp(&a.models.len()).then(a.stage.cmp(&b.stage)).then_with(|| a.cause.cmp(&b.cause))
    });
    groups
}

/// The cause of a failure in general words.
pub fn cause(outcome: &Outcome) -> String {
    match &outcome.error {
        None => "no error was given".into(),
        Some(problem) => {
            let line = problem.message.lines().next().unwrap_or_default();
            // Which equation it was says where, not why.
            let line = line.split("; the equation").next().unwrap_or(line);
            let line = line.split(": the condition is").next().unwrap_or(line);
            format!("{}: {}", problem.code, general(line))
        }
    }
}

/// Puts `#` for numbers and `…` for names of variables: words with a dot or subscript that start with a small letter, or end with
/// a digit. Names of library classes and functions stay: they often are the cause.
fn general(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let length = word_length(rest);
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let word = &rest[..length];
        rest = &rest[length..];
        let stem = word.trim_end_matches(['.', ',', ':']);
        let end = &word[stem.len()..];
        let first = stem.chars().next().unwrap_or(' ');
        if stem.parse::<f64>().is_ok() && !first.is_alphabetic() {
            out.push('#');
        } else if is_variable(stem) {
            // A list of names counts as one.
            if out.ends_with("…, ") {
                out.truncate(out.len() - ", ".len());
            } else {
                out.push('…');
            }
        } else {
            out.push_str(stem);
        }
        out.push_str(end);
    }
    out
}

fn is_variable(word: &str) -> bool {
    let Some(first) = word.chars().next() else { return false };
    let path = word.contains('.') || word.contains('[');
    let numbered = word.ends_with(|c: char| c.is_ascii_digit());
    let derivative = word.starts_with("der(");
    let class = first.is_uppercase() && word.matches('.').count() > 1;
    (first.is_alphabetic() || first == '_') && (path || numbered || derivative) && !class
}

/// How long the word at the start is: a number, a name, a path with subscripts.
fn word_length(text: &str) -> usize {
    let mut depth = 0usize;
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        let inside = match c {
            '[' if i > 0 => {
                depth += 1;
                true
            }
            ']' if depth > 0 => {
                depth -= 1;
                true
            }
            '-' | '+'
                if matches!(before, 'e' | 'E')
                    && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') =>
            {
                true
            }
            '-' => i == 0 && text[1..].starts_with(|c: char| c.is_ascii_digit()),
            _ => depth > 0 || c.is_alphanumeric() || c == '_' || (c == '.' && i > 0),
        };
        if !inside {
            return i;
        }
        before = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_variables_are_taken_out() {
        assert_eq!(
            general("the event at time 0.0153e-3 cannot be solved"),
            "the event at time # cannot be solved"
        );
        assert_eq!(
            general("the iteration for r2.i, opAmp[1, 2].v, T1 does not converge (largest residual -5.7e0)"),
            "the iteration for … does not converge (largest residual #)"
        );
        assert_eq!(
            general(
                "Modelica.Utilities.Strings.hashString: external function ModelicaStrings_hashString is missing"
            ),
            "Modelica.Utilities.Strings.hashString: external function ModelicaStrings_hashString is missing"
        );
        assert_eq!(
            general("write the conditions of `when` as {a, b}"),
            "write the conditions of `when` as {a, b}"
        );
    }

    #[test]
    fn alike_errors_are_one_group() {
        let failing = |model: &str, message: &str| Row {
            outcome: Outcome {
                error: Some(Problem { code: "K0402".into(), message: message.into(), place: None }),
                ..super::super::tests::outcome(model, Verdict::Fails, Stage::Translate)
            },
            other: None,
        };
        let rows = [
            failing("A", "1 unknowns have only 0 equations:\n a.x"),
            failing("B", "something else"),
            failing("C", "12 unknowns have only 10 equations:\n b.y"),
        ];
        let groups = groups(&rows);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].models, ["A", "C"]);
        assert_eq!(groups[0].cause, "K0402: # unknowns have only # equations:");
    }
}
