//! Patterns for names: `*` stands for any text, `?` for one character.

/// Does the name match the pattern?
///
/// ```
/// assert!(kausal::glob::matches("*.phi", "inertia1.phi"));
/// assert!(!kausal::glob::matches("inertia?", "inertia12"));
/// ```
pub fn matches(glob: &str, name: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    // The usual greedy scan: remember the last star and come back to it.
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((sp, st)) => {
                    star = Some((sp, st + 1));
                    (p, t) = (sp + 1, st + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Does the name match one of the patterns? Without any, it does.
pub fn any(globs: &[String], name: &str) -> bool {
    globs.is_empty() || globs.iter().any(|glob| matches(glob, name))
}

/// Is the name one of these, or does it match one of them? Without any, it does not.
pub fn listed(globs: &[String], name: &str) -> bool {
    globs.iter().any(|glob| glob == name || matches(glob, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        assert!(matches("a.*.v", "a.b.c.v") && matches("*", "") && matches("x?", "x1"));
        assert!(!matches("a.*.v", "a.b.c.w") && !matches("x?", "x") && !matches("", "x"));
        assert!(matches("*a*b", "xaab") && !matches("*a*b", "xaabc"));
    }

    #[test]
    fn no_pattern_takes_all() {
        assert!(any(&[], "x"));
        assert!(!any(&["y".into()], "x"));
        assert!(!listed(&[], "x") && listed(&["x*".into()], "xy"));
    }
}
