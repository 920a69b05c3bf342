//! The report as Markdown, for the documentation: nothing in it depends on the day or the speed of the machine,
//! except that a model may just miss its time limit.

use super::text::{deviation, pairs};
use super::{Outcome, Package, Report, Row, Verdict, reason};
use crate::compare;

/// The whole page; `command` is what the reader types to make it anew, `library` what was verified.
pub fn write(report: &Report, title: &str, command: &str) -> String {
    let tube = &report.tube;
    let mut out = format!(
        "# {title}\n\n\
         {} of {} models agree with their reference, {} differ, {} fail.\n\n\
         Every reference signal must lie within a tube around the result: {} % of the signal's range plus {:e} of its \
         magnitude, or of the length of the vector in space it is a component of (plus {:e}, for rounding errors around zero) wide in value, {} % of the simulated time wide in time. This page is generated:\n\n\
         ```sh\n{command}\n```\n\n",
        report.agree,
        report.models,
        report.differ,
        report.fail,
        100.0 * tube.range,
        tube.magnitude,
        tube.noise,
        100.0 * tube.time
    );
    if let (Some(evaluations), Some(steps)) = (report.median_evaluations, report.median_steps) {
        out.push_str(&format!(
            "Where models agree and the other tool's figures are known, the median of ours over theirs is \
             {evaluations:.2} for evaluations of the right side and {steps:.2} for steps.\n\n"
        ));
    }
    out.push_str("Where a cell has two numbers, the first is ours and the second the other tool's.\n\n");
    out.push_str("| package | models | agree | differ | fail |\n| --- | ---: | ---: | ---: | ---: |\n");
    for Package { name, models, agree, differ, fail } in &report.packages {
        out.push_str(&format!(
            "| {name} | {models} | {agree} | {differ} | {} |\n",
            fail.iter().sum::<usize>()
        ));
    }
    if report.differ > 0 {
        out.push_str(
            "\n## What differs\n\n\
             Each of these models is run again at a much tighter tolerance: with the same method, with one of another family, and \
             with numbers of the model changed by a billionth of themselves. The last column says what these runs, the result \
             and the reference say together.\n\n\
             | model | signals | the worst | why |\n| --- | ---: | --- | --- |\n",
        );
        for Row { outcome: o, .. } in report.rows.iter().filter(|r| r.outcome.verdict == Verdict::Differs) {
            let worst = compare::worst(&o.deviations).map(deviation).unwrap_or_default();
            out.push_str(&format!(
                "| {} | {} of {} | {} | {} |\n",
                o.model,
                o.deviations.len(),
                o.signals,
                cell(&worst),
                cell(&o.reason.as_ref().map_or("no time left to find out".into(), reason::words))
            ));
        }
    }
    if report.fail > 0 {
        out.push_str("\n## What fails, by cause\n\n");
        for group in &report.causes {
            out.push_str(&format!(
                "- {} ({}), {}:\n",
                cell(&group.cause),
                group.stage.name(),
                group.models.len()
            ));
            out.push_str(&format!("  {}\n", group.models.join(", ")));
        }
    }
    for package in &report.packages {
        out.push_str(&format!(
            "\n## {}\n\n| model | | equations | torn | steps | evaluations | first error |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
            package.name
        ));
        for row in report.rows.iter().filter(|r| super::package(&r.outcome.model) == package.name) {
            let [equations, torn, steps, evaluations] = pairs(row);
            let verdict = match row.outcome.verdict {
                Verdict::Agrees => "agrees".to_owned(),
                Verdict::Differs => "differs".to_owned(),
                Verdict::Fails => format!("fails: {}", row.outcome.stage.name()),
            };
            out.push_str(&format!(
                "| {} | {verdict} | {equations} | {torn} | {steps} | {evaluations} | {} |\n",
                row.outcome.model,
                first_error(&row.outcome)
            ));
        }
    }
    out
}

/// Code and message, short enough for a table.
fn first_error(outcome: &Outcome) -> String {
    const LENGTH: usize = 100;
    let Some(problem) = &outcome.error else { return String::new() };
    let text = format!("{}: {}", problem.code, problem.message);
    let short: String = text.chars().take(LENGTH).collect();
    let more = if short.len() < text.len() { " …" } else { "" };
    format!("{}{more}", cell(short.trim_end()))
}

/// Text that cannot end a table cell or start markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page() {
        insta::assert_snapshot!(write(
            &super::super::tests::sample(),
            "The library L",
            "kausal verify --reference DIR"
        ));
    }
}
