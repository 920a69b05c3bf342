//! Inline integration (I4, I8): what comes of the paper's examples, and the listing of its feedback loop beside the paper's.

use std::path::Path;

use kausal::{Inline, Options, Program, Session, summary};

/// One of the paper's examples, with what the paper says about it.
struct Example {
    file: &'static str,
    system: &'static str,
    paper: &'static str,
}

const EXAMPLES: [Example; 3] = [
    Example { file: "TwoFilters.mo", system: "two filters in series", paper: "no iteration" },
    Example {
        file: "SecondOrder.mo",
        system: "second-order system, `x1' = x2, x2' = f`",
        paper: "n iteration variables of 2n states",
    },
    Example {
        file: "Feedback.mo",
        system: "nonlinear plant with linear feedback",
        paper: "7 simultaneous equations, 1 iteration variable, 3 linear equations explicit",
    },
];

const HEAD: &str = "
## Inline integration (I4, I8)

What an inlined step of BDF (`--inline bdf`) iterates on, without anything declared. The paper needs a declaration to
eliminate linear parts.

";

const FEEDBACK: &str = "
The step of the feedback loop as the paper prints it (left, in its order and in our words: it has the derivative `derx` as
iteration variable and divides by `1 + (2 w D + h w²) h`) and as `kausal translate examples/papers/Feedback.mo --inline bdf
--listing` prints it. The paper computes the divisor in each evaluation; here what depends on `h` only is computed when `h`
changes.

| the paper | Kausal |
| --- | --- |
| system of 7 simultaneous nonlinear equations | the same |
| iteration variable `derx`, residue of `derx = f(x, u, Time)` | iteration variable `x`, residue of `x = old(x) + der(x)*h`: `der(x)` was explicit, so step 2 of the paper's algorithm applies |
| `x` from `derx`, then `y = g(x)` | `y = g(x)` |
| system of 3 linear equations for `derx2`, `x2`, `x1`, torn at `derx2` and solved explicitly | the same, torn at `x2` and solved explicitly |
| `u = -k x1`, then the residue | `u = -x1*k`, `der(x)`, then the residue |

";

/// The section of the page.
pub fn section() -> String {
    let mut out = String::from(HEAD);
    out.push_str("| system | paper | Kausal |\n| --- | --- | --- |\n");
    for example in &EXAMPLES {
        let found = match program(example.file) {
            Some((program, text)) => describe(&program, text),
            None => "does not translate".to_owned(),
        };
        out.push_str(&format!("| {} | {} | {found} |\n", example.system, example.paper));
    }
    out.push_str(FEEDBACK);
    if let Some((program, _)) = program("Feedback.mo") {
        let listing = kausal_codegen::listing::write(&program);
        let from = listing.find("! COMPUTED WHEN h CHANGES").unwrap_or(0);
        out.push_str(&format!("```text\n{}\n```\n", listing[from..].trim_end()));
    }
    out
}

fn program(file: &str) -> Option<(Program, summary::Summary)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers").join(file);
    let text = std::fs::read_to_string(path).ok()?;
    let mut session = Session::new();
    session.add_text(file, &text);
    let flat = session.flatten(file.strip_suffix(".mo")?)?;
    let program = session.translate(&flat, &Options { inline: Inline::Bdf, ..Options::default() })?;
    let summary = summary::of(&program, session.seconds);
    Some((program, summary))
}

fn describe(program: &Program, summary: summary::Summary) -> String {
    let iterated = summary.inline.map_or(0, |inline| inline.iteration_variables.len());
    let systems = |kind: &str| {
        let own = summary.systems.iter().filter(|s| s.section == "discretized" && s.kind == kind);
        let sizes: Vec<String> = own.map(|s| s.size.to_string()).collect();
        if sizes.is_empty() { "none".to_owned() } else { sizes.join(", ") }
    };
    format!(
        "{} states, {iterated} iteration variables; sizes of nonlinear systems: {}, of linear ones: {}",
        program.states.len(),
        systems("nonlinear"),
        systems("linear")
    )
}
