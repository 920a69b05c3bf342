//! What a word was probably meant to be: the nearest of those that could stand in its place.

/// The candidate that `name` was probably meant to be.
pub(crate) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.chars().count() {
        0 | 1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter_map(|c| {
            if c.eq_ignore_ascii_case(name) {
                return Some((0, c));
            }
            let distance = edit_distance(name, c, allowed)?;
            Some((distance, c))
        })
        .min()
        .map(|(_, c)| c)
}

/// How many letters to add, drop, change or swap; `None` when more than `limit`.
fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    const LONGEST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > limit || a.len().max(b.len()) >= LONGEST {
        return None;
    }
    let mut before = [0; LONGEST];
    let mut above: [usize; LONGEST] = std::array::from_fn(|j| j);
    for i in 1..=a.len() {
        let mut row = [i; LONGEST];
        let mut least = i;
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
            least = least.min(row[j]);
        }
        if least > limit {
            return None;
        }
        (before, above) = (above, row);
    }
    let distance = above[b.len()];
    (distance <= limit).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen() {
        assert_eq!(closest("paramter", ["parameter", "path"]), Some("parameter"));
        assert_eq!(closest("Resitsor", ["Resistor", "Capacitor"]), Some("Resistor"));
        assert_eq!(closest("resistor", ["Resistor"]), Some("Resistor"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("Motor", ["Resistor"]), None);
    }
}
