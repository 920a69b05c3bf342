//! Names for people: conditions that the translation made variables of read like conditions again, and elements of arrays
//! that follow one another become one name.

use std::collections::HashMap;

use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_translate::Program;

/// Characters of a condition.
const WIDTH: usize = 120;

/// How each variable of a program is called.
#[derive(Clone, Debug)]
pub(super) struct Names {
    names: Vec<String>,
    /// The condition whose difference a variable is.
    watched: HashMap<VarId, String>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let mut names: Vec<String> = program.variables.iter().map(|v| v.name.clone()).collect();
        let mut differences: HashMap<VarId, Option<ExprId>> =
            program.relations.iter().map(|r| (r.difference, None)).collect();
        for equation in &program.equations {
            if let Some(v) = program.pool.as_var(equation.lhs)
                && let Some(found @ None) = differences.get_mut(&v)
            {
                *found = Some(equation.rhs);
            }
        }
        let mut watched = HashMap::new();
        for relation in &program.relations {
            let sign = if relation.or_equal { "<=" } else { "<" };
            let Some(Some(difference)) = differences.get(&relation.difference) else { continue };
            let text = condition(&program.pool, *difference, sign, &|v| names[v.index()].clone());
            names[relation.variable.index()] = format!("({text})");
            watched.insert(relation.difference, text);
        }
        Names { names, watched }
    }

    /// What a variable is called.
    pub fn of(&self, v: VarId) -> &str {
        &self.names[v.index()]
    }

    /// The condition that is watched by this variable, if it is the difference of one.
    pub fn watched(&self, v: VarId) -> Option<&str> {
        self.watched.get(&v).map(String::as_str)
    }
}

/// `a < b` for the difference `a - b`.
fn condition(pool: &Pool, difference: ExprId, sign: &str, name: &dyn Fn(VarId) -> String) -> String {
    let terms: Vec<ExprId> = match pool.node(difference) {
        Node::Op(Op::Add, args) => args.to_vec(),
        _ => vec![difference],
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for term in terms {
        match pool.node(term) {
            Node::Op(Op::Neg, args) => right.push(print_limited(pool, args[0], name, WIDTH)),
            Node::Const(c) if c < 0.0 => right.push((-c).to_string()),
            Node::Const(0.0) => {}
            _ => left.push(print_limited(pool, term, name, WIDTH)),
        }
    }
    let sum = |terms: Vec<String>| if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
    format!("{} {sign} {}", sum(left), sum(right))
}

/// Names with runs like `x[1]`, `x[2]`, `x[3]` as one: `x[1..3]`.
pub(super) fn ranges(names: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let run = longest_run(&names[at..]);
        match run {
            Some((length, text)) => {
                out.push(text);
                at += length;
            }
            None => {
                out.push(names[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// The longest run that the names begin with, if it has at least three of them.
fn longest_run(names: &[String]) -> Option<(usize, String)> {
    let first = names.first()?;
    let mut best: Option<(usize, String)> = None;
    for (open, _) in first.match_indices('[') {
        let digits = first[open + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let (before, after) = (&first[..=open], &first[open + 1 + digits..]);
        let Ok(from) = first[open + 1..open + 1 + digits].parse::<usize>() else { continue };
        let follows = |(k, name): (usize, &String)| *name == format!("{before}{}{after}", from + k);
        let length = names.iter().enumerate().take_while(|(k, name)| follows((*k, name))).count();
        if length >= 3 && best.as_ref().is_none_or(|(known, _)| length > *known) {
            best = Some((length, format!("{before}{from}..{}{after}", from + length - 1)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn list(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn elements_that_follow_one_another_become_one_name() {
        assert_eq!(ranges(&list("a x[1] x[2] x[3] x[5] b")), list("a x[1..3] x[5] b"));
        assert_eq!(ranges(&list("c[1].v c[2].v c[3].v c[1].i c[2].i")), list("c[1..3].v c[1].i c[2].i"));
        assert_eq!(ranges(&list("m[1,1] m[1,2] m[1,3]")), list("m[1,1] m[1,2] m[1,3]"));
        assert_eq!(ranges(&[]), Vec::<String>::new());
    }

    #[test]
    fn conditions_read_like_conditions() {
        let mut session = Session::new();
        session.add_text(
            "M.mo",
            "model M Real x(start = 1, fixed = true), y; equation der(x) = -y; y = if x > 0.5 then 1 else x; end M;",
        );
        let flat = session.flatten("M").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let names = Names::new(&program);
        let relation = program.relations[0];
        assert_eq!(names.of(relation.variable), "(0.5 < x)");
        assert_eq!(names.watched(relation.difference), Some("0.5 < x"));
        assert_eq!(names.watched(relation.variable), None);
    }
}
