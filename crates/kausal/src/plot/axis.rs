//! Axis ranges and round tick marks.

/// A range with ticks at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Low end.
    pub low: f64,
    /// High end.
    pub high: f64,
    /// Tick marks with their labels.
    pub ticks: Vec<(f64, String)>,
}

/// An axis for these values; with `tight` the range is exactly theirs, otherwise it ends on ticks.
pub fn axis(values: impl Iterator<Item = f64>, tight: bool) -> Axis {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for v in values.filter(|v| v.is_finite()) {
        low = low.min(v);
        high = high.max(v);
    }
    if low > high {
        (low, high) = (0.0, 1.0);
    }
    if high - low <= 1e-12 * high.abs().max(low.abs()) {
        let pad = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
        (low, high) = (low - pad, high + pad);
    }
    let step = round_step((high - low) / 5.0);
    if !tight {
        // What oversteps a tick by rounding errors needs no room of its own.
        low = (low / step + 1e-6).floor() * step;
        high = (high / step - 1e-6).ceil() * step;
    }
    let mut ticks = Vec::new();
    let mut k = (low / step - 1e-9).ceil();
    while k * step <= high + 1e-9 * step {
        ticks.push((k * step, label(k * step, step)));
        k += 1.0;
    }
    Axis { low, high, ticks }
}

/// 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let factor = match raw / power {
        f if f <= 1.0 => 1.0,
        f if f <= 2.0 => 2.0,
        f if f <= 5.0 => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// As many digits as the step needs.
fn label(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        return format!("{value:.digits$e}");
    }
    let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let a = axis([0.0, 9.7].into_iter(), false);
        assert_eq!((a.low, a.high), (0.0, 10.0));
        let labels: Vec<&str> = a.ticks.iter().map(|(_, l)| l.as_str()).collect();
        assert_eq!(labels, ["0", "2", "4", "6", "8", "10"]);
        let a = axis([0.0, 0.3].into_iter(), true);
        assert_eq!(a.ticks.last().unwrap().1, "0.3");
    }

    #[test]
    fn rounding_errors_need_no_room() {
        let a = axis([-1e-15, 1.0 + 1e-9].into_iter(), false);
        assert_eq!((a.low, a.high), (0.0, 1.0));
    }

    #[test]
    fn flat_and_empty_values_have_a_range() {
        assert!(axis([5.0, 5.0].into_iter(), false).low < 5.0);
        let a = axis([f64::NAN].into_iter(), false);
        assert_eq!((a.low, a.high), (0.0, 1.0));
    }
}
