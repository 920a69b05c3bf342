use kausal_model::{NoFiles, Workspace, check};
use kausal_syntax::Severity;
fn main() {
    let long = std::env::var("LONG").is_ok();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut ws = Workspace::new(Box::new(NoFiles));
        let (names, mut ds) = ws.add_source(&path, &text);
        let model = if names.iter().any(|n| n == "Lib") { "Lib.M" } else { "M" };
        let (flat, more) = ws.flatten(model);
        ds.extend(more);
        let bad = ds.iter().any(|d| d.is_error());
        let balanced = flat.is_some_and(|f| check::count(&f).balanced());
        let name = std::path::Path::new(&path).file_stem().unwrap().to_string_lossy().into_owned();
        let heads: Vec<String> = ds
            .iter()
            .map(|d| {
                let s = match d.severity {
                    Severity::Error => "E",
                    Severity::Warning => "W",
                    _ => "N",
                };
                let mut t = format!("{s} {} {}", d.code, d.message);
                if long {
                    for l in &d.labels {
                        let src = ws.sources().get(l.location.source);
                        let (line, col) = ws.sources().line_column(l.location.source, l.location.span.start);
                        let _ = src;
                        t.push_str(&format!("\n        {line}:{col} {}", l.message));
                    }
                    if let Some(h) = &d.help {
                        t.push_str(&format!("\n        help: {h}"));
                    }
                }
                t
            })
            .collect();
        println!(
            "{} {name}{}: {}",
            if bad { "ok      " } else { "ACCEPTED" },
            if balanced != bad { "" } else { " (balance?)" },
            heads[..heads.len().min(6)].join(if long { "\n     " } else { " ## " })
        );
    }
}
