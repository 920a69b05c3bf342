//! A choice of states that falls into local ones.
//!
//! A constraint with candidates that no other constraint contains can be solved for one of these whatever the others are,
//! where its derivatives by them never vanish together: then which one is a choice of its own. Without that constraint and
//! its candidates the next one may be like that, and so on: the constraints of a chain of `n` bodies leave `n` choices
//! of one among two or three coordinates, one body after the other, instead of one choice of `n` among all. In the order
//! of the layers the Jacobian of the dummies is block lower triangular, so the choices are independent, each as good as
//! its own pivot, and the effort is linear in the number of candidates.
//!
//! What does not fall apart so, closed loops above all, stays together.

use rustc_hash::FxHashMap;

use super::constraints::Slope;

/// A constraint with the candidates that are its own.
pub(super) struct Layer {
    pub row: usize,
    pub columns: Vec<usize>,
}

/// How the constraints and candidates of a choice fall apart.
pub(super) struct LocalChoices {
    /// Constraints that stay together, with all candidates that are not of a layer.
    pub rest: Vec<usize>,
    /// Each layer depends on the rest and on those before it.
    pub layers: Vec<Layer>,
    /// How many candidates there are.
    pub width: usize,
}

/// One choice: as many of the columns as there are rows become dummies.
pub(super) struct Local {
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

impl LocalChoices {
    /// Everything stays together.
    pub fn whole(rows: usize, width: usize) -> LocalChoices {
        LocalChoices { rest: (0..rows).collect(), layers: Vec::new(), width }
    }

    /// Takes layers off as long as there are any. What the user wants least as a state must not be out of a
    /// layer's reach: `classes` says how much a candidate is wanted.
    pub fn new(rows: &[Vec<Slope>], classes: &[i32]) -> LocalChoices {
        let mut containing: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
        for (i, row) in rows.iter().enumerate() {
            row.iter().for_each(|slope| containing[slope.column].push(i));
        }
        let mut count: Vec<usize> = containing.iter().map(Vec::len).collect();
        let mut taken = vec![false; rows.len()];
        let mut layers = Vec::new();
        let mut open: Vec<usize> = (0..rows.len()).collect();
        while let Some(row) = open.pop() {
            if taken[row] {
                continue;
            }
            let columns: Vec<usize> =
                rows[row].iter().map(|slope| slope.column).filter(|&j| count[j] == 1).collect();
            let least = |columns: &mut dyn Iterator<Item = usize>| columns.map(|j| classes[j]).min();
            let (own, all) =
                (least(&mut columns.iter().copied()), least(&mut rows[row].iter().map(|slope| slope.column)));
            if columns.is_empty() || own > all || rows[row].iter().any(|slope| slope.slope.is_none()) {
                continue;
            }
            taken[row] = true;
            for slope in &rows[row] {
                count[slope.column] -= 1;
                if count[slope.column] == 1 {
                    open.extend(containing[slope.column].iter().filter(|&&other| !taken[other]));
                }
            }
            layers.push(Layer { row, columns });
        }
        layers.reverse();
        let rest = (0..rows.len()).filter(|&row| !taken[row]).collect();
        LocalChoices { rest, layers, width: classes.len() }
    }

    /// Puts layers back, with all that they depend on, whose own candidates do not determine anything somewhere: at some of the
    /// points their largest derivative is less than this part of the constraint's largest.
    pub fn keep_good(&mut self, rows: &[Vec<Slope>], sampled: &[Vec<Vec<f64>>], part: f64) {
        let good = |layer: &Layer| {
            sampled.iter().all(|sample| {
                let largest = |own: bool| {
                    let sizes = rows[layer.row].iter().zip(&sample[layer.row]);
                    let counted = sizes.filter(|(slope, _)| !own || layer.columns.contains(&slope.column));
                    counted.fold(0.0f64, |largest, (_, value)| largest.max(value.abs()))
                };
                largest(true) >= part * largest(false)
            })
        };
        let mut home: FxHashMap<usize, usize> = FxHashMap::default();
        for (k, layer) in self.layers.iter().enumerate() {
            home.extend(layer.columns.iter().map(|&j| (j, k)));
        }
        let mut back: Vec<bool> = self.layers.iter().map(|layer| !good(layer)).collect();
        // From the last one down: what a layer depends on comes before it.
        for k in (0..self.layers.len()).rev() {
            if back[k] {
                for slope in &rows[self.layers[k].row] {
                    if let Some(&other) = home.get(&slope.column) {
                        back[other] = true;
                    }
                }
            }
        }
        let mut back = back.into_iter();
        let rest = &mut self.rest;
        self.layers.retain(|layer| {
            let goes = back.next().unwrap_or(false);
            if goes {
                rest.push(layer.row);
            }
            !goes
        });
        self.rest.sort_unstable();
    }

    /// The choices: the connected pieces of the rest, then the layers.
    pub fn into_choices(self, rows: &[Vec<Slope>]) -> Vec<Local> {
        let mut free = vec![true; self.width];
        self.layers.iter().flat_map(|layer| &layer.columns).for_each(|&j| free[j] = false);
        let mut containing: Vec<Vec<usize>> = vec![Vec::new(); self.width];
        for &i in &self.rest {
            rows[i].iter().for_each(|slope| containing[slope.column].push(i));
        }
        let (mut seen_row, mut seen_column) = (vec![false; rows.len()], vec![false; self.width]);
        let mut choices = Vec::new();
        for &first in &self.rest {
            if std::mem::replace(&mut seen_row[first], true) {
                continue;
            }
            let mut piece = Local { rows: vec![first], columns: Vec::new() };
            let mut next = 0;
            while let Some(&row) = piece.rows.get(next) {
                next += 1;
                for j in rows[row].iter().map(|slope| slope.column).filter(|&j| free[j]) {
                    if !std::mem::replace(&mut seen_column[j], true) {
                        piece.columns.push(j);
                        for &other in &containing[j] {
                            if !std::mem::replace(&mut seen_row[other], true) {
                                piece.rows.push(other);
                            }
                        }
                    }
                }
            }
            piece.rows.sort_unstable();
            piece.columns.sort_unstable();
            choices.push(piece);
        }
        let layers = self.layers.into_iter();
        choices.extend(layers.map(|layer| Local { rows: vec![layer.row], columns: layer.columns }));
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_symbolic::{Pool, VarId};

    /// Constraints with these candidates.
    fn rows(candidates: &[&[usize]]) -> Vec<Vec<Slope>> {
        let one = Pool::new().one();
        let slope = |&column: &usize| Slope { column, variable: VarId(column as u32), slope: Some(one) };
        candidates.iter().map(|row| row.iter().map(slope).collect()).collect()
    }

    #[test]
    fn a_chain_falls_into_links() {
        let rows = rows(&[&[0, 1], &[0, 1, 2, 3], &[2, 3, 4, 5]]);
        let mut local = LocalChoices::new(&rows, &[0; 6]);
        let order: Vec<usize> = local.layers.iter().map(|layer| layer.row).collect();
        assert_eq!((order, local.rest.len()), (vec![0, 1, 2], 0));
        // Where the second link's own candidates determine nothing it stays with what it hangs on.
        let sample = vec![vec![1.0; 2], vec![1.0, 1.0, 0.0, 0.1], vec![1.0; 4]];
        local.keep_good(&rows, &[sample], 0.25);
        let choices = local.into_choices(&rows);
        let found: Vec<(Vec<usize>, Vec<usize>)> =
            choices.into_iter().map(|choice| (choice.rows, choice.columns)).collect();
        assert_eq!(found, [(vec![0, 1], vec![0, 1, 2, 3]), (vec![2], vec![4, 5])]);
    }

    #[test]
    fn a_closed_loop_stays_together() {
        let rows = rows(&[&[0, 1], &[0, 1, 2, 3], &[2, 3]]);
        let local = LocalChoices::new(&rows, &[0; 4]);
        assert!(local.layers.is_empty());
        assert_eq!(local.into_choices(&rows).len(), 1);
    }

    #[test]
    fn what_is_wanted_least_stays_in_reach() {
        // Candidate 0 is to be a dummy rather than 2 and 3, which the second constraint has for itself.
        let rows = rows(&[&[0, 1], &[0, 1, 2, 3]]);
        let local = LocalChoices::new(&rows, &[-1, 0, 0, 0]);
        assert!(local.layers.is_empty());
    }
}
