//! The report as text.

use super::{Package, Report, Row, Stage, Verdict, reason};
use crate::compare::{self, Deviation, DeviationKind};

/// The report: by package, what differs, what fails by cause, and figures beside another tool's.
pub fn write(report: &Report) -> String {
    let mut out = packages(report);
    out.push('\n');
    let differing: Vec<&Row> = report.rows.iter().filter(|r| r.outcome.verdict == Verdict::Differs).collect();
    if !differing.is_empty() {
        out.push_str(&format!("Differs ({}):\n", differing.len()));
        for row in differing {
            let o = &row.outcome;
            out.push_str(&format!("  {}: {} of {} signals\n", o.model, o.deviations.len(), o.signals));
            if let Some(worst) = compare::worst(&o.deviations) {
                out.push_str(&format!("    {}\n", deviation(worst)));
            }
            if let Some(reason) = &o.reason {
                out.push_str(&format!("    {}\n", reason::words(reason)));
            }
        }
        out.push('\n');
    }
    if !report.causes.is_empty() {
        out.push_str("Fails, by cause:\n");
    }
    for group in &report.causes {
        out.push_str(&format!("  {} × {}: {}\n", group.models.len(), group.stage.name(), group.cause));
        if let Some(example) = &group.example {
            let lines: Vec<&str> = example.message.lines().collect();
            for line in lines.iter().take(6) {
                out.push_str(&format!("      | {line}\n"));
            }
            if let Some(place) = &example.place {
                out.push_str(&format!("      | at {place}\n"));
            }
        }
        for model in &group.models {
            out.push_str(&format!("    {model}\n"));
        }
    }
    if !report.causes.is_empty() {
        out.push('\n');
    }
    out.push_str(&figures(report));
    out.push_str(&format!(
        "{} of {} agree, {} differ, {} fail, {:.1} s\n",
        report.agree, report.models, report.differ, report.fail, report.seconds
    ));
    out
}

/// A deviation in words.
pub fn deviation(d: &Deviation) -> String {
    let Deviation { signal, reference, .. } = d;
    let time = short(d.time, 6);
    match (d.kind, d.result, d.relative) {
        (DeviationKind::Missing, ..) => format!("{signal} is missing"),
        (DeviationKind::Late, ..) => format!("{signal} begins after time {time}"),
        (DeviationKind::Short, ..) => format!("{signal} ends before time {time}"),
        (DeviationKind::Undefined, ..) => format!("{signal} is not a finite number at time {time}"),
        (DeviationKind::Outside, result, relative) => format!(
            "{signal} leaves the tube at time {}; at {time} it is {} instead of {}, {} % outside",
            short(d.since, 6),
            result.map_or("?".into(), |r| short(r, 6)),
            short(*reference, 6),
            short(100.0 * relative.unwrap_or(0.0), 3)
        ),
    }
}

/// A number with so many digits at most.
pub(super) fn short(value: f64, digits: usize) -> String {
    let rounded = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=5) => {
            let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
            let plain = format!("{value:.decimals$}");
            if plain.contains('.') {
                plain.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                plain
            }
        }
        _ if mantissa.contains('.') => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => rounded,
    }
}

fn packages(report: &Report) -> String {
    // The comparison cannot fail, it can only differ.
    let stages: Vec<Stage> = Stage::ALL[..6].to_vec();
    let mut table = vec![vec!["package".to_owned(), "models".into(), "agree".into(), "differ".into()]];
    table[0].extend(stages.iter().map(|s| s.name().to_owned()));
    let mut total = Package { name: "all".into(), ..Package::default() };
    for package in &report.packages {
        total.models += package.models;
        total.agree += package.agree;
        total.differ += package.differ;
        for (sum, n) in total.fail.iter_mut().zip(package.fail) {
            *sum += n;
        }
    }
    for package in report.packages.iter().chain([&total]) {
        let number = |n: usize| if n == 0 { "·".to_owned() } else { n.to_string() };
        let mut row = vec![
            package.name.clone(),
            package.models.to_string(),
            number(package.agree),
            number(package.differ),
        ];
        row.extend(stages.iter().map(|s| number(package.fail[*s as usize])));
        table.push(row);
    }
    aligned(&table)
}

/// Ours beside another tool's, for the models that agree and take far more.
fn figures(report: &Report) -> String {
    let mut out = String::new();
    let (Some(evaluations), Some(steps)) = (report.median_evaluations, report.median_steps) else {
        return out;
    };
    let mut table = vec![
        ["Most evaluations, ours / other's", "equations", "torn", "steps", "evaluations"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut rows: Vec<(f64, &Row)> = report
        .rows
        .iter()
        .filter(|r| r.outcome.verdict == Verdict::Agrees)
        .filter_map(|r| {
            let (ours, theirs) = (r.outcome.work.as_ref()?.evaluations, r.other.as_ref()?.f_evals?);
            (theirs > 0).then(|| (ours as f64 / theirs as f64, r))
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, row) in rows.iter().take(10) {
        let [equations, torn, steps, evaluations] = pairs(row);
        table.push(vec![row.outcome.model.clone(), equations, torn, steps, evaluations]);
    }
    out.push_str(&aligned(&table));
    out.push_str(&format!(
        "\nmedian over agreeing models: evaluations {evaluations:.2}, steps {steps:.2} of the other's\n\n"
    ));
    out
}

/// Equations, torn unknowns, steps and evaluations as `ours / other's`; what is unknown is left out.
pub fn pairs(row: &Row) -> [String; 4] {
    let (size, work, other) = (row.outcome.size.as_ref(), row.outcome.work.as_ref(), row.other.as_ref());
    let pair = |ours: Option<u64>, theirs: Option<u64>| match (ours, theirs) {
        (Some(ours), Some(theirs)) => format!("{ours} / {theirs}"),
        (Some(ours), None) => ours.to_string(),
        (None, Some(theirs)) => format!("– / {theirs}"),
        (None, None) => String::new(),
    };
    [
        pair(size.map(|s| s.equations as u64), other.and_then(|o| o.equations)),
        pair(size.map(|s| s.torn() as u64), other.map(|o| o.torn())),
        pair(work.map(|w| w.steps), other.and_then(|o| o.steps)),
        pair(work.map(|w| w.evaluations), other.and_then(|o| o.f_evals)),
    ]
}

/// Columns of equal width, the first to the left, the others to the right.
fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width: Vec<usize> = (0..columns)
        .map(|c| {
            table.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in table {
        for (c, cell) in row.iter().enumerate() {
            let width = width[c];
            if c == 0 {
                out.push_str(&format!("{cell:width$}"))
            } else {
                out.push_str(&format!("  {cell:>width$}"))
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shortened =
            [0.0, 0.1 + 0.2, -15.000143367, 100.0, 123456789.0, 5.96e-9, 0.00012345678, 999999.9, f64::NAN]
                .map(|v| short(v, 6));
        assert_eq!(
            shortened,
            ["0", "0.3", "-15.0001", "100", "1.23457e8", "5.96e-9", "0.000123457", "1e6", "NaN"]
        );
    }

    #[test]
    fn the_report_says_it_all() {
        let text = write(&super::super::tests::sample());
        insta::assert_snapshot!(text);
    }
}
