//! The collocation polynomial of Radau IIA: a cubic through the beginning of a step and its three stages.

use super::tableaux::RADAU_IIA;

/// Newton's divided differences at 1, c₂, c₁, 0 of component `i`, which begins at `x0`; the stages are one after the other.
pub(super) fn differences(x0: f64, stages: &[f64], i: usize) -> [f64; 3] {
    let n = stages.len() / 3;
    let [c1, c2, _] = RADAU_IIA.c;
    let (z1, z2, z3) = (stages[i] - x0, stages[n + i] - x0, stages[2 * n + i] - x0);
    let d1 = (z2 - z3) / (c2 - 1.0);
    let between = (z1 - z2) / (c1 - c2);
    let d2 = (between - d1) / (c1 - 1.0);
    let first = (between - z1 / c1) / c2;
    [d1, d2, d2 - first]
}

/// The polynomial that ends at `end`, at `s` steps behind that end.
pub(super) fn value(end: f64, [d1, d2, d3]: [f64; 3], s: f64) -> f64 {
    let (c1, c2) = (RADAU_IIA.c[0] - 1.0, RADAU_IIA.c[1] - 1.0);
    end + s * (d1 + (s - c2) * (d2 + (s - c1) * d3))
}
