//! Plots as a page for the browser: one file, nothing loaded from elsewhere.
//!
//! All signals of the result are in the page, to be found by searching and added to panels; panels zoom together. The
//! page itself is `page/`; here the numbers are packed for it: instants as doubles, columns as single-precision
//! numbers between the lowest and the highest value, which is finer than any screen however far one zooms in.

use serde::Serialize;

use super::Plot;
use super::svg::{COLORS, escape};
use crate::audit::Audit;
use crate::result::{Trajectory, Values};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
/// Numbers in a page at most; about six bytes each.
const LIMIT: usize = 1_500_000;

#[derive(Serialize)]
struct Data<'a> {
    title: &'a str,
    x_label: &'a str,
    colors: &'a [&'a str],
    time: String,
    events: &'a [f64],
    columns: Vec<Column>,
    signals: Vec<SignalData<'a>>,
    /// Signals shown at first, by panel.
    panels: Vec<Vec<usize>>,
    /// Signals of the result that are not in the page.
    omitted: usize,
}

#[derive(Serialize)]
struct Column {
    low: f64,
    range: f64,
    /// Empty when it does not change.
    data: String,
}

#[derive(Serialize)]
struct SignalData<'a> {
    name: &'a str,
    unit: &'a str,
    about: &'a str,
    column: usize,
    sign: i8,
    /// The column with its estimated errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    band: Option<usize>,
}

/// The page; the curves of the plot are shown at first.
pub fn write(trajectory: &Trajectory, plot: &Plot, audit: Option<&Audit>) -> String {
    let rows = rows(trajectory, plot);
    let mut columns: Vec<Column> = Vec::new();
    let mut place: Vec<Option<usize>> = vec![None; trajectory.columns.len()];
    let mut bands: Vec<Option<usize>> = vec![None; trajectory.columns.len()];
    let mut signals: Vec<SignalData> = Vec::new();
    let mut used = 0;
    let shown = |name: &str| plot.curves.iter().any(|c| c.name == name);
    // What is shown first comes first, so that it is there however large the rest is.
    let (first, rest): (Vec<_>, Vec<_>) = trajectory.signals.iter().partition(|s| shown(&s.name));
    for signal in first.into_iter().chain(rest) {
        let (column, negated, band) = match signal.values {
            Values::Constant(value) => {
                columns.push(Column { low: value, range: 0.0, data: String::new() });
                (columns.len() - 1, false, None)
            }
            Values::Column(c, negated) => {
                let at = match place[c] {
                    Some(at) => at,
                    None if used + rows.len() > LIMIT && !shown(&signal.name) => continue,
                    None => {
                        used += rows.len();
                        columns.push(packed(&trajectory.columns[c], &rows));
                        let at = columns.len() - 1;
                        let band = audit.and_then(|audit| audit.band(&signal.name));
                        if let Some(band) = band.filter(|band| band.len() == trajectory.time.len()) {
                            used += rows.len();
                            columns.push(packed(&band, &rows));
                            bands[c] = Some(at + 1);
                        }
                        at
                    }
                };
                place[c] = Some(at);
                (at, negated, bands[c])
            }
        };
        signals.push(SignalData {
            name: &signal.name,
            unit: &signal.unit,
            about: &signal.description,
            column,
            sign: if negated { -1 } else { 1 },
            band,
        });
    }
    let index = |i: &usize| signals.iter().position(|s| s.name == plot.curves[*i].name);
    let panels = plot.panels().iter().map(|p| p.curves.iter().filter_map(index).collect()).collect();
    let time: Vec<u8> = rows.iter().flat_map(|r| trajectory.time[*r].to_le_bytes()).collect();
    let data = Data {
        title: &plot.title,
        x_label: &plot.x_label,
        colors: &COLORS,
        time: base64(&time),
        events: &plot.events,
        columns,
        omitted: trajectory.signals.len() - signals.len(),
        signals,
        panels,
    };
    // `<` as an escape: no text of the model can end the script.
    let json = serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c");
    PAGE.replace("{{title}}", &escape(&plot.title))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", SCRIPT)
        .replace("{{data}}", &json)
}

/// The rows in the page: all, or of long runs the lowest and highest of what is shown in each stretch.
fn rows(trajectory: &Trajectory, plot: &Plot) -> Vec<usize> {
    let n = trajectory.time.len();
    let curves = plot.curves.len().max(1);
    if n <= LIMIT / curves {
        return (0..n).collect();
    }
    let stretches = (LIMIT / curves / (2 * curves + 2)).max(100);
    let mut keep = Vec::new();
    for k in 0..stretches {
        let range = k * n / stretches..(k + 1) * n / stretches;
        let Some(last) = range.clone().next_back() else { continue };
        keep.extend([range.start, last]);
        for curve in &plot.curves {
            let by = |a: &usize, b: &usize| curve.y[*a].total_cmp(&curve.y[*b]);
            keep.extend(range.clone().min_by(by).into_iter().chain(range.clone().max_by(by)));
        }
    }
    keep.sort_unstable();
    keep.dedup();
    keep
}

fn packed(values: &[f64], rows: &[usize]) -> Column {
    let finite = || rows.iter().map(|r| values[*r]).filter(|v| v.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let range = high - low;
    if rows.iter().all(|r| values[*r] == low) {
        return Column { low, range: 0.0, data: String::new() };
    }
    let (low, range) = if range.is_finite() && range > 0.0 { (low, range) } else { (0.0, 1.0) };
    let bytes: Vec<u8> =
        rows.iter().flat_map(|r| (((values[*r] - low) / range) as f32).to_le_bytes()).collect();
    Column { low, range, data: base64(&bytes) }
}

/// Four letters for three bytes (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0u32, |w, (i, b)| w | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{of, tests::ball};

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_of_the_specification() {
        for (text, code) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), code);
        }
    }

    #[test]
    fn the_page_is_closed_and_complete() {
        let t = ball();
        let page = write(&t, &of(&t, "A <b> & c", &["v".into(), "h".into()]).unwrap(), None);
        assert!(!page.contains("http") && !page.contains("{{"), "nothing from elsewhere, all filled in");
        assert!(page.contains("<title>A &lt;b&gt; &amp; c</title>"));
        assert_eq!(page.matches("</script>").count(), 2);
        for name in ["\"h\"", "\"depth\"", "\"v\"", "\\u003cb>", "\"e\""] {
            assert!(page.contains(name), "{name}");
        }
        let start = page.find("id=\"data\">").unwrap() + 10;
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["events"], serde_json::json!([0.5]));
        // h and v are the first signals and in panels of their own, in the order asked for.
        assert_eq!(data["panels"], serde_json::json!([[1], [0]]));
        assert_eq!(data["signals"][2]["sign"], -1);
        assert_eq!(data["omitted"], 0);
    }

    #[test]
    fn long_runs_are_thinned_but_keep_their_peaks() {
        let n = LIMIT + 10;
        let mut values = vec![0.0; n];
        values[777_777] = 1.0;
        let t = Trajectory {
            time: (0..n).map(|i| i as f64).collect(),
            signals: vec![crate::result::Signal {
                name: "x".into(),
                unit: String::new(),
                description: String::new(),
                values: Values::Column(0, false),
            }],
            columns: vec![values],
        };
        let kept = rows(&t, &of(&t, "", &["x".into()]).unwrap());
        assert!(kept.len() <= LIMIT && kept.contains(&777_777) && kept.is_sorted());
        assert!(kept.starts_with(&[0]) && kept.ends_with(&[n - 1]));
    }
}
