//! Numbers that more than one place of this crate compares with: what is the same instant, the same value, the same point of a
//! grid, and how many digits a solution must have. Each says its unit, where it comes from, and who asks. What a single algorithm
//! needs stays beside it.

/// How near instants are one, as a part of their size. Instants are sums and products of a few numbers, each rounded to
/// [`f64::EPSILON`], and clocks of a day count in tenths of a microsecond: some thousand roundings, and far less than any step.
/// `kausal_same_instant` of generated C has the same.
const INSTANT: f64 = 1e-12;

/// How far a value moves before it is another one, as a part of its size, where values are found by repetition: some thousand
/// roundings, and a millionth of the usual tolerance.
const REPEATED: f64 = 1e-12;

/// How near a point of a grid an instant lies on it, as a part of the distance of two points; and how near their bounds times of
/// delays are, as a part of these. Users write intervals with some digits (`0.1`, `1/3`), and up to a million of them add up:
/// 1e6 roundings are 1e-10.
pub(crate) const GRID: f64 = 1e-9;

/// Iteration variables are moved by this part of their size to see what rounding does to what follows from them: some hundred
/// roundings, as Newton's method leaves them. Asked by `machine/cancellation.rs`; the largest of the distances at which
/// `machine/determined.rs` measures residuals that are rounding.
pub(crate) const ITERATION_ROUNDING: f64 = 1e-13;

/// By more than so many times such a movement no unknown may move: then seven of its digits are left, one more than the usual
/// tolerance of 1e-6 asks for. Asked by `machine/cancellation.rs`.
pub(crate) const MOST_AMPLIFICATION: f64 = 1e6;

/// What the difference of a relation has lost to rounding at least, as a part of the largest it has been: its sides are solutions
/// of systems that are solved to some 1e-10. Asked by `machine/mixed.rs`, and what is nearer than that is no nearer.
pub(crate) const RELATION_ROUNDING: f64 = 1e-10;

/// Are two instants the same but for rounding?
pub(crate) fn is_same_instant(a: f64, b: f64) -> bool {
    // Written so that infinity is the same as nothing else.
    (a - b).abs() / INSTANT <= a.abs().max(b.abs()).min(f64::MAX)
}

/// Is a value that is found by repetition another one than before?
pub(crate) fn has_moved(new: f64, old: f64) -> bool {
    (new - old).abs() > REPEATED * new.abs().max(old.abs())
}

/// Are two numbers of users, or of importing tools, the same? They compare nine digits (FMPy does).
pub(crate) fn is_same_point(a: f64, b: f64) -> bool {
    (a - b).abs() <= GRID * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_moves_is_the_same() {
        let sum = (0..1000).fold(0.0, |t, _| t + 0.1);
        assert!(sum != 100.0 && is_same_instant(sum, 100.0));
        assert!(!is_same_instant(1.0, 1.0 + 1e-9) && !is_same_instant(f64::INFINITY, 1.0));
        assert!(
            is_same_instant(0.0, 0.0) && is_same_point(1.0, 1.0 + 1e-10) && !is_same_point(1.0, 1.0 + 1e-8)
        );
        assert!(!has_moved(0.0, 0.0) && !has_moved(1.0, 1.0 + 1e-15) && has_moved(1.0, 1.0 + 1e-11));
        // Of what may be amplified so much the digits of the usual tolerance are left.
        const { assert!(ITERATION_ROUNDING * MOST_AMPLIFICATION < 1e-6) };
    }
}
