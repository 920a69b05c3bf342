//! Which states are stiff: those on a fast cycle of influences.
//!
//! A state changes quickly because of itself or because of others that it influences in turn. The rate of a cycle of
//! influences is the geometric mean of the entries of the Jacobian along it, whatever the units of the states are. To see
//! rates in single entries the Jacobian is balanced first, by a diagonal similarity transformation that makes rows and columns
//! equal in size (Parlett and Reinsch, *Balancing a matrix for calculation of eigenvalues and eigenvectors*, Numerische
//! Mathematik 13, 1969): the two entries of an oscillator, 1 and -c/m, both become its frequency. States are stiff that lie on
//! a cycle of balanced entries which are all above a limit.

/// Rounds of balancing.
const ROUNDS: usize = 20;
/// A scaling that makes the sum of a row and its column smaller by less than this is left out.
const WORTH: f64 = 0.95;

/// The states that lie on a cycle of influences faster than `limit`, a rate. `jacobian` is column-major and of order `n`.
///
/// ```
/// // A slow integrator of a fast oscillator: (x, v, slow).
/// let jacobian = [0.0, -1e8, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -0.1];
/// assert_eq!(kausal_solver::stiff::stiff_states(3, &jacobian, 1e3), [true, true, false]);
/// ```
pub fn stiff_states(n: usize, jacobian: &[f64], limit: f64) -> Vec<bool> {
    let balanced = balanced(n, jacobian);
    let strong = |i: usize, j: usize| balanced[i + n * j].abs() >= limit;
    (0..n).map(|i| strong(i, i) || reaches_itself(n, i, &strong)).collect()
}

fn balanced(n: usize, jacobian: &[f64]) -> Vec<f64> {
    let mut a: Vec<f64> = jacobian.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for k in 0..n {
            let others = || (0..n).filter(|&i| i != k);
            let row: f64 = others().map(|j| a[k + n * j].abs()).sum();
            let column: f64 = others().map(|i| a[i + n * k].abs()).sum();
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let factor = (row / column).sqrt();
            if column * factor + row / factor < WORTH * (row + column) {
                changed = true;
                for i in others() {
                    a[i + n * k] *= factor;
                    a[k + n * i] /= factor;
                }
            }
        }
        if !changed {
            break;
        }
    }
    a
}

fn reaches_itself(n: usize, start: usize, strong: &impl Fn(usize, usize) -> bool) -> bool {
    let mut seen = vec![false; n];
    let mut stack = vec![start];
    while let Some(j) = stack.pop() {
        for i in (0..n).filter(|&i| i != j && strong(i, j)) {
            if i == start {
                return true;
            }
            if !std::mem::replace(&mut seen[i], true) {
                stack.push(i);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::stiff_states;

    /// Column-major from rows.
    fn columns<const N: usize>(rows: [[f64; N]; N]) -> Vec<f64> {
        (0..N * N).map(|k| rows[k % N][k / N]).collect()
    }

    #[test]
    fn a_fast_filter_and_what_it_drives() {
        let jacobian = columns([[-1e4, 0.0], [1e4, -1.0]]);
        assert_eq!(stiff_states(2, &jacobian, 100.0), [true, false]);
    }

    /// The units of states change nothing: rows are multiplied and columns divided by the same factors.
    #[test]
    fn units_do_not_matter() {
        let rows = [[0.0, 1.0, 0.0], [-4e6, -3.0, 2.0], [1.0, 0.0, -2.0]];
        let expected = [true, true, false];
        for units in [[1.0, 1.0, 1.0], [1e-6, 1e3, 1.0], [1e5, 1.0, 1e-8]] {
            let mut scaled = rows;
            for (i, row) in scaled.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry *= units[i] / units[j];
                }
            }
            assert_eq!(stiff_states(3, &columns(scaled), 500.0), expected, "{units:?}");
        }
    }

    #[test]
    fn a_large_entry_on_no_cycle_is_not_stiff() {
        let jacobian = columns([[-1.0, 1e9], [0.0, -1.0]]);
        assert_eq!(stiff_states(2, &jacobian, 100.0), [false, false]);
    }
}
