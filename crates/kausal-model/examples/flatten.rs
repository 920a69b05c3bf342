//! `cargo run --example flatten -- FOLDER MODEL [FILE…]`: flattens a model and says how large it is; with the
//! environment variable `SHOW` set it prints the flat model.

mod common;

use common::workspace;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, model, files @ ..] = args.as_slice() else {
        eprintln!("usage: flatten FOLDER MODEL [FILE…]");
        std::process::exit(2);
    };
    let begin = std::time::Instant::now();
    let mut workspace = workspace(folder);
    for file in files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        for d in workspace.add_source(file, &text).1 {
            eprintln!("{} {}", d.code, d.message);
        }
    }
    let (flat, diagnostics) = workspace.flatten(model);
    for d in &diagnostics {
        let places: Vec<String> = d
            .labels
            .iter()
            .map(|l| {
                let (line, column) =
                    workspace.sources().line_column(l.location.source, l.location.span.start);
                format!("{}:{line}:{column} {}", workspace.sources().get(l.location.source).name, l.message)
            })
            .collect();
        eprintln!(
            "{:?} {} {} [{}] {}",
            d.severity,
            d.code,
            d.message,
            places.join("; "),
            d.help.as_deref().unwrap_or("")
        );
    }
    if let Some(flat) = flat {
        println!(
            "{}: {} variables, {} equations, {} initial, {} when, {} actions, {} expressions, {:.3} s",
            flat.name,
            flat.variables.len(),
            flat.equations.len(),
            flat.initial_equations.len(),
            flat.whens.len(),
            flat.actions.len(),
            flat.pool.len(),
            begin.elapsed().as_secs_f64()
        );
        if std::env::var_os("SHOW").is_some() {
            print!("{}", kausal_model::print_flat(&flat));
        }
    }
}
