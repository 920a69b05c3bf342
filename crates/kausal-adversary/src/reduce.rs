//! Makes what was found smaller: choices are replaced by simpler ones, one after the other, as long as the finding stays of
//! the same kind (delta debugging, Zeller and Hildebrandt 2002, on the choices instead of the text).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::choices::{Kind, Record};

/// The smallest record for which `still` holds that was found within the limits.
pub fn reduce(
    record: Record,
    limit: Duration,
    still: &mut dyn FnMut(&BTreeMap<String, f64>) -> Option<Record>,
) -> Record {
    let began = Instant::now();
    let mut best = record;
    loop {
        let mut better = false;
        let names: Vec<String> = best.keys().cloned().collect();
        for name in names {
            let Some(choice) = best.get(&name).copied() else { continue };
            for simpler in simpler(choice.kind, choice.value) {
                if began.elapsed() > limit {
                    return best;
                }
                let mut values: BTreeMap<String, f64> =
                    best.iter().map(|(n, c)| (n.clone(), c.value)).collect();
                values.insert(name.clone(), simpler);
                if let Some(record) = still(&values) {
                    best = record;
                    better = true;
                    break;
                }
            }
        }
        if !better {
            return best;
        }
    }
}

/// Simpler values, the simplest first.
fn simpler(kind: Kind, value: f64) -> Vec<f64> {
    match kind {
        Kind::Pick { first, .. } => {
            let first = first as f64;
            let mut values = vec![first, ((first + value) / 2.0).floor(), value - 1.0];
            values.retain(|v| *v < value && *v >= first);
            values.dedup();
            values
        }
        Kind::Number { low, high } => {
            let mut values: Vec<f64> = (0..3).map(|digits| rounded(value, digits)).collect();
            values.retain(|v| *v >= low && *v <= high);
            // Once it is round, it is as simple as it gets: otherwise there would be no end.
            if let Some(k) = values.iter().position(|v| *v == value) {
                values.truncate(k);
            }
            values.dedup();
            values
        }
    }
}

/// With so many digits behind the first.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.digits$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Choices;
    use crate::random::Random;

    #[test]
    fn what_matters_is_kept_and_the_rest_becomes_simple() {
        let make = |choices: &mut Choices| {
            let n = choices.count("n", 1, 9);
            (0..n).map(|k| choices.number(&format!("x{k}"), 0.0, 10.0)).collect::<Vec<f64>>()
        };
        let mut choices = Choices::new(Random::new(3));
        // A finding: more than three numbers, the first above 2.
        let finds = |x: &[f64]| x.len() > 3 && x[0] > 2.0;
        let mut seed = 3;
        while !finds(&make(&mut choices)) {
            seed += 1;
            choices = Choices::new(Random::new(seed));
        }
        let small = reduce(choices.into_record(), Duration::from_secs(5), &mut |values| {
            let mut choices = Choices::given(values.clone());
            finds(&make(&mut choices)).then(|| choices.into_record())
        });
        assert_eq!(small["n"].value, 4.0);
        assert_eq!(small.len(), 5, "{small:?}");
        let x0 = small["x0"].value;
        assert!(x0 > 2.0 && x0 == rounded(x0, 1), "{x0}");
    }
}
