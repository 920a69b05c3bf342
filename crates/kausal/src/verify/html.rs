//! The report as one HTML file: nothing is loaded from elsewhere. What deviates is drawn, the reference dotted
//! over the result.

use std::fmt::Write;

use super::text::{deviation, pairs};
use super::{Curve, Report, Row, Verdict, reason};
use crate::compare::{self, Deviation};
use crate::plot::axis::axis;
use crate::plot::svg::escape;
use crate::result::Trajectory;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#222;--soft:#666;--line:#ddd;--bg:#fff;--good:#00734f;--warn:#8f5600;--bad:#b33c00;--ours:#0072b2}\
@media(prefers-color-scheme:dark){:root{--ink:#ddd;--soft:#999;--line:#3a3f4a;--bg:#16181d;--good:#3fcf9f;--warn:#e8a33d;--bad:#ff8a50;--ours:#56b4e9}}\
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--bg);max-width:1100px;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
td:first-child,th:first-child{text-align:left}.agrees{color:var(--good)}.differs{color:var(--warn)}.fails{color:var(--bad)}\
.soft{color:var(--soft)}summary{cursor:pointer;margin:.3em 0}pre{white-space:pre-wrap;border-left:3px solid var(--line);padding-left:1em}\
figure{display:inline-block;margin:.5em 1em .5em 0}figcaption{font-size:13px;color:var(--soft);max-width:340px}\
svg text{fill:var(--soft);font:11px system-ui,sans-serif}.bar{display:inline-block;height:.7em}";

/// The page; `reference` gives the reference of a model again, for pictures.
pub fn write(report: &Report, title: &str, reference: &dyn Fn(&str) -> Option<Trajectory>) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n<h1>{0}</h1>\n",
        escape(title)
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<p><b class=\"agrees\">{} agree</b>, <b class=\"differs\">{} differ</b>, <b class=\"fails\">{} fail</b> of {} models; {:.1} s</p>",
        report.agree, report.differ, report.fail, report.models, report.seconds
    );
    if let (Some(evaluations), Some(steps)) = (report.median_evaluations, report.median_steps) {
        let _ = writeln!(
            out,
            "<p>Median of ours over the other tool's where models agree: evaluations {evaluations:.2}, steps {steps:.2}.</p>"
        );
    }
    packages(&mut out, report);
    deviating(&mut out, report, reference);
    causes(&mut out, report);
    models(&mut out, report);
    out
}

fn packages(out: &mut String, report: &Report) {
    out.push_str("<table><tr><th>package<th>models<th>agree<th>differ<th>fail<th></tr>\n");
    for p in &report.packages {
        let fail: usize = p.fail.iter().sum();
        let width = |n: usize| 160.0 * n as f64 / p.models.max(1) as f64;
        let _ = writeln!(
            out,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{fail}<td><span class=\"bar\" style=\"width:{:.0}px;background:var(--good)\"></span>\
             <span class=\"bar\" style=\"width:{:.0}px;background:var(--warn)\"></span><span class=\"bar\" style=\"width:{:.0}px;background:var(--bad)\"></span></tr>",
            escape(&p.name),
            p.models,
            p.agree,
            p.differ,
            width(p.agree),
            width(p.differ),
            width(fail)
        );
    }
    out.push_str("</table>\n");
}

fn deviating(out: &mut String, report: &Report, reference: &dyn Fn(&str) -> Option<Trajectory>) {
    if report.differ == 0 {
        return;
    }
    out.push_str("<h2>What differs</h2>\n<p class=\"soft\">Line: the result. Dots: the reference. Ring: the worst point.</p>\n");
    for Row { outcome: o, .. } in report.rows.iter().filter(|r| r.outcome.verdict == Verdict::Differs) {
        let _ = writeln!(
            out,
            "<details><summary>{} <span class=\"soft\">{} of {} signals</span></summary>",
            escape(&o.model),
            o.deviations.len(),
            o.signals
        );
        if let Some(reason) = &o.reason {
            let _ = writeln!(out, "<p>{}</p>", escape(&reason::words(reason)));
        }
        let reference = reference(&o.model);
        for curve in &o.curves {
            let Some(d) = o.deviations.iter().find(|d| d.signal == curve.signal) else { continue };
            let dots = reference
                .as_ref()
                .and_then(|r| Some((r.time.clone(), r.get(&d.signal)?)))
                .unwrap_or_default();
            let _ = writeln!(
                out,
                "<figure>{}<figcaption>{}</figcaption></figure>",
                picture(curve, &dots, d),
                escape(&deviation(d))
            );
        }
        let drawn = |d: &&Deviation| !o.curves.iter().any(|c| c.signal == d.signal);
        let others: Vec<String> = o.deviations.iter().filter(drawn).map(|d| escape(&deviation(d))).collect();
        if !others.is_empty() {
            let _ = writeln!(out, "<p class=\"soft\">{}</p>", others.join("<br>"));
        }
        out.push_str("</details>\n");
    }
}

/// A small picture of a signal and its reference.
fn picture(curve: &Curve, dots: &(Vec<f64>, Vec<f64>), worst: &Deviation) -> String {
    const SIZE: (f64, f64) = (340.0, 170.0);
    const EDGE: (f64, f64, f64, f64) = (46.0, 8.0, 6.0, 18.0);
    let x = axis(curve.time.iter().chain(&dots.0).copied(), true);
    let y = axis(curve.values.iter().chain(&dots.1).copied(), false);
    let at = |t: f64, v: f64| {
        (
            EDGE.0 + (t - x.low) / (x.high - x.low) * (SIZE.0 - EDGE.0 - EDGE.1),
            SIZE.1 - EDGE.3 - (v - y.low) / (y.high - y.low) * (SIZE.1 - EDGE.2 - EDGE.3),
        )
    };
    let mut out = format!("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">", SIZE.0, SIZE.1);
    for (value, label) in [y.ticks.first(), y.ticks.last()].into_iter().flatten() {
        let (left, level) = at(x.low, *value);
        let _ = write!(
            out,
            "<path d=\"M{left:.1},{level:.1}H{:.1}\" stroke=\"var(--line)\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            SIZE.0 - EDGE.1,
            left - 4.0,
            level + 4.0
        );
    }
    for (value, label) in [x.ticks.first(), x.ticks.last()].into_iter().flatten() {
        let (px, _) = at(*value, y.low);
        let anchor = if px > SIZE.0 / 2.0 { "end" } else { "start" };
        let _ = write!(
            out,
            "<text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}</text>",
            SIZE.1 - 4.0
        );
    }
    let mut path = String::new();
    for (i, (t, v)) in curve.time.iter().zip(&curve.values).enumerate() {
        let (px, py) = at(*t, *v);
        let _ = write!(path, "{}{px:.1},{py:.1}", if i == 0 { 'M' } else { 'L' });
    }
    let _ = write!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"var(--ours)\" stroke-width=\"1.5\"/>");
    let mut path = String::new();
    for (t, v) in dots.0.iter().zip(&dots.1).filter(|(_, v)| v.is_finite()) {
        let (px, py) = at(*t, *v);
        let _ = write!(path, "M{px:.1},{py:.1}h0");
    }
    let _ = write!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"var(--bad)\" stroke-width=\"2.4\" stroke-linecap=\"round\"/>"
    );
    let (px, py) = at(worst.time, worst.reference);
    let _ = write!(
        out,
        "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"5\" fill=\"none\" stroke=\"var(--bad)\"/></svg>"
    );
    out
}

fn causes(out: &mut String, report: &Report) {
    if report.causes.is_empty() {
        return;
    }
    out.push_str("<h2>What fails, by cause</h2>\n");
    for group in &report.causes {
        let example = group.example.as_ref().map_or(String::new(), |p| {
            let place = p.place.as_ref().map_or(String::new(), |place| format!("\nat {place}"));
            format!("<pre>{}</pre>", escape(&format!("{}{place}", p.message)))
        });
        let _ = writeln!(
            out,
            "<details><summary><b>{}</b> × {}: {}</summary>{example}<p>{}</p></details>",
            group.models.len(),
            group.stage.name(),
            escape(&group.cause),
            group.models.iter().map(|m| escape(m)).collect::<Vec<_>>().join("<br>")
        );
    }
}

fn models(out: &mut String, report: &Report) {
    out.push_str(
        "<h2>All models</h2>\n<p class=\"soft\">Ours / the other tool's, where known.</p>\n\
         <table><tr><th>model<th><th>equations<th>torn<th>steps<th>evaluations<th>seconds</tr>\n",
    );
    for row in &report.rows {
        let o = &row.outcome;
        let (class, verdict) = match o.verdict {
            Verdict::Agrees => ("agrees", "agrees".to_owned()),
            Verdict::Differs => ("differs", "differs".to_owned()),
            Verdict::Fails => ("fails", format!("fails: {}", o.stage.name())),
        };
        let hint = match (&o.error, compare::worst(&o.deviations)) {
            (Some(error), _) => format!("{}: {}", error.code, error.message),
            (None, Some(worst)) => deviation(worst),
            (None, None) => String::new(),
        };
        let [equations, torn, steps, evaluations] = pairs(row);
        let _ = writeln!(
            out,
            "<tr title=\"{}\"><td>{}<td class=\"{class}\">{verdict}<td>{equations}<td>{torn}<td>{steps}<td>{evaluations}<td>{:.2}</tr>",
            escape(&hint),
            escape(&o.model),
            o.seconds.total
        );
    }
    out.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_complete_and_closed() {
        let reference = crate::csv::read("time,a<b>.x\n0,0\n0.5,1\n1,1\n").unwrap();
        let page = write(&super::super::tests::sample(), "A & B", &|_| Some(reference.clone()));
        for part in ["A &amp; B", "L.A.Part", "a&lt;b&gt;.x", "K0402", "<svg", "<circle"] {
            assert!(page.contains(part), "{part} is missing");
        }
        for tag in ["details", "figure", "table", "svg", "summary"] {
            let (open, close) =
                (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
            assert_eq!(open, close, "{tag}");
        }
        assert!(!page.contains("a<b>") && !page.contains("http"));
    }
}
