//! `cargo run --release -p kausal --example papers > docs/papers.md`: the figures of the papers beside ours.
//!
//! `papers N` measures chains and trees of up to N joints (128 unless told); `papers inline` writes the section on inline
//! integration only.

mod figures;
mod inline;

use figures::{FAMILIES, FIGURES, Family, Figure, GRID, Goal, Measured, PER_JOINT};
use kausal::{Relaxing, Tearing};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("inline") {
        print!("{}", inline::section());
        return;
    }
    let limit = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(128);
    print!("{}", page(limit));
}

fn page(limit: usize) -> String {
    let mut out = String::from(HEAD);
    out.push_str(
        "| | system | paper | declared | automatic | goals |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for figure in FIGURES {
        eprintln!("{} {}", figure.id, figure.system);
        out.push_str(&row(figure));
    }
    out.push_str("\nThe commands, from the root of the repository:\n\n```sh\n");
    for figure in FIGURES {
        out.push_str(&format!("kausal translate examples/papers/{} {}\n", figure.file, flags(figure)));
        out.push_str(&format!("kausal translate examples/papers/{} --no-hints\n", figure.file));
    }
    out.push_str("```\n");
    out.push_str(GROWTH);
    out.push_str("| system | f | declared | automatic |\n| --- | --- | --- | --- |\n");
    for family in FAMILIES {
        out.push_str(&growth(family, limit));
    }
    out.push_str(LARGE);
    out.push_str("| system | n | declared | automatic |\n| --- | --- | --- | --- |\n");
    for n in [10, 20, 40] {
        let both = [figures::member(&GRID, n, true), figures::member(&GRID, n, false)];
        out.push_str(&format!("| {} | {n} | {} | {} |\n", GRID.system, cell(&both[0]), cell(&both[1])));
    }
    out.push_str(OTHERS);
    out.push_str(&inline::section());
    out
}

fn row(figure: &Figure) -> String {
    let (declared, automatic) = (figures::declared(figure), figures::automatic(figure));
    let verdict = |m: &Result<Measured, String>, goal| match m {
        _ if goal == Goal::None => "none",
        Ok(m) if m.reaches(goal) => "reached",
        Ok(m) if m.reaches_in_sum(goal) => "in sum",
        _ => "**not reached**",
    };
    let verdict = format!("{}, {}", verdict(&declared, figure.goals.0), verdict(&automatic, figure.goals.1));
    format!(
        "| {} | {} | {} ({}) | {} | {} | {verdict} |\n",
        figure.id,
        figure.system,
        figure.paper,
        figure.place,
        cell(&declared),
        cell(&automatic)
    )
}

fn cell(measured: &Result<Measured, String>) -> String {
    match measured {
        Ok(m) => m.text(),
        Err(why) => format!("does not translate: {why}"),
    }
}

fn flags(figure: &Figure) -> String {
    let tearing = match figure.declared.0 {
        Tearing::Auto => "auto",
        Tearing::Declared => "declared",
        Tearing::Off => "off",
    };
    let relaxing = match figure.declared.1 {
        Relaxing::Auto => "auto",
        Relaxing::Declared => "declared",
        Relaxing::Off => "off",
    };
    format!("--tearing {tearing} --relaxing {relaxing}")
}

/// Rows for f = 2, 4, 8, …, and a line that says how it grows.
fn growth(family: &Family, limit: usize) -> String {
    let mut out = String::new();
    let mut series: [Vec<(usize, Measured)>; 2] = Default::default();
    for f in std::iter::successors(Some(2usize), |f| Some(2 * f)).take_while(|&f| f <= limit) {
        eprintln!("{} f = {f}", family.name);
        let both = [figures::member(family, f, true), figures::member(family, f, false)];
        out.push_str(&format!("| {} | {f} | {} | {} |\n", family.system, cell(&both[0]), cell(&both[1])));
        for (list, m) in series.iter_mut().zip(both) {
            list.extend(m.ok().map(|m| (f, m)));
        }
    }
    let [declared, automatic] = series.map(|list| per_joint(&list));
    out.push_str(&format!("| {} | per joint | {declared} | {automatic} |\n", family.system));
    out
}

fn per_joint(list: &[(usize, Measured)]) -> String {
    if list.iter().any(|(_, m)| m.blocks.iter().any(|b| b.sparse)) {
        return "not all counted: **not reached**".to_owned();
    }
    let slope = |a: &(usize, Measured), b: &(usize, Measured)| {
        (b.1.sum() as f64 - a.1.sum() as f64) / (b.0 - a.0) as f64
    };
    let slopes: Vec<f64> = list.windows(2).skip(1).map(|w| slope(&w[0], &w[1])).collect();
    let linear = |slopes: &[f64]| slopes.windows(2).all(|w| w[0] == w[1]);
    let few = slopes.iter().all(|&s| s <= PER_JOINT);
    let text: Vec<String> = slopes.iter().map(|s| format!("{s}")).collect();
    let verdict = match (linear(&slopes), slopes.split_first().is_some_and(|(_, rest)| linear(rest))) {
        _ if !few => "**not reached**",
        (true, _) => "reached",
        (_, true) => "reached from f = 8 on",
        _ => "**not reached**",
    };
    format!("{} added: {verdict}", text.join(", "))
}

const HEAD: &str = "<!-- Generated: cargo run --release -p kausal --example papers > docs/papers.md -->

# The figures of the papers, and ours

Each model stands in `examples/papers`. *Declared* is measured with the paper's own notation (`residue`, `relax`,
residual sinks), *automatic* with all of it ignored. Operations are counted as the papers count: every binary
`+ - * /` in the sorted and solved equations, those that depend on parameters only included. Not counted are what only
the initial problem needs and the current into `Common`, which has none in the papers. `kausal translate` prints the same
count in its last line, *as the papers count*, and there what is left out, too.
`11 → 1` is a system of 11 equations of which 1 unknown is left to a solver; a system with `→ 0` is solved in closed
form. The last column says whether what is asked of Kausal is reached, declared and automatic; *in sum* means with other
numbers of MULT and ADD than asked for, but no more of both together. The table is written by the program that measures; a test fails when a value becomes worse than here.

The papers count trivial equations as the tools of their time left them: sizes before tearing are not comparable, what
is left and the operations are. The lever, the pendulums and the slider crank are not printed in the paper on bond
graphs; our graphs have its numbers of storage ports.

";

const GROWTH: &str = "
## Chains and trees of joints (R6)

The paper on relaxing says that the operations grow linearly with the number f of joints, and that this is no worse than
hand-made codes. Asked for is that the same number is added with each joint from f = 4 on, at most 700. General axes,
offsets and full inertia tensors; `examples/papers/Chain.mo`, `Spine.mo`, `Tree.mo`, `Star.mo` and `TwistedChain.mo`. Counted is what the derivatives
need: positions and the forces in the joints are computed where results are wanted. The last line of the commands below
says it behind *of which derivatives need*.

All joints that are added to the chain are alike, and so are all pairs that are added to the spine, of which one joint goes on
and the other has nothing behind it. In the tree of two joints at every body those of the outermost level are
ends, at f = 4 one of them at the first body beside a joint that goes on. There an end adds 430 operations, at a body further out
440; where both joints at the body go on, as at the first body from f = 8 on, 9 of these 10 are left.
So the tree has one operation less at f = 4 than the line on which it goes on. In the star three
chains begin at the first body: at f = 4 each is one end, and what three ends have in common is less work; from f = 7 on each added joint takes a chain further.
With few joints the translator finds cheaper ways than the recursive one (f = 2, f = 4 of the star and in the frames of bodies).

The parts of the first four have their vectors resolved in the world, as the paper prints them. `Kausal.Examples.Chain`
is the first chain again, with the usual parts, whose vectors are resolved in the frames of the bodies: articulated inertias are turned
from body to body there, which takes more operations where axes are general. In `TwistedChain.mo` these parts have their axes along
a coordinate, as Denavit and Hartenberg choose frames: the acceleration about an axis and the moment about it then take part in the
system, that of the joint does not, so that what the parts declare says little; the automatic column finds the recursion by itself.

```sh
kausal translate examples/papers/Chain.mo --set f=8 --tearing declared --relaxing declared
kausal translate examples/papers/Chain.mo --set f=8 --no-hints
kausal translate Kausal.Examples.Chain --set f=8 --no-hints
```

";

const LARGE: &str = "
## Very large systems (R5)

The paper on relaxing proposes an iteration on the relaxed variables for more than 10,000 equations. `Grid.mo` is the
equation of Laplace on 200 × 200 nodes. Kausal has a sparse factorisation for it, and the iteration of the paper as well
as the two kinds of branch tearing of the paper on tearing:

```sh
kausal simulate examples/papers/Grid.mo
kausal simulate examples/papers/Grid.mo --loops gauss-seidel
kausal simulate examples/papers/Grid.mo --loops jacobi --no-hints
```

";

const OTHERS: &str = "
## What has no figure

Where the list asks for something the papers give no number for, this is where it is shown.

| | what | where |
| --- | --- | --- |
| T1 | branch tearing of both kinds, node tearing with Newton | `--loops jacobi`, `gauss-seidel`, `newton`; `crates/kausal/tests/papers.rs`, `grids_by_substitution` |
| T2 | torn nonlinear systems with symbolic Jacobians | `crates/kausal/tests/simulation/nonlinear_*.mo`, `crates/kausal/tests/jacobian.rs` |
| T3 | torn linear systems, closed form or numerical | `crates/kausal-translate/tests/blocks.rs` |
| T4 | `residue` alone, on derivatives, where there is no loop | `crates/kausal-translate/tests/blocks.rs`, `crates/kausal/tests/singular/tearing_without_loop.mo` |
| T5 | tearing declared wrongly | `crates/kausal/tests/singular/tearing_*.mo`, each with what is said |
| T7 | symmetric matrices, whatever the signs of their rows | `symmetry_is_found` in `crates/kausal-translate/tests/blocks.rs`; T8 above |
| R1 | elimination in the relaxed order | `drive_train_relaxed` in `crates/kausal-translate/tests/blocks.rs` |
| R2 | relaxing declared wrongly, pivots that become zero | `crates/kausal/tests/singular/relaxing_*.mo`, `crates/kausal/tests/failing/singular_*.mo` |
| R8 | components connected either way round | `crates/kausal/tests/turned.rs`; R3 above |
| B1 | the library of bond graphs | `library/Kausal/BondGraph`, `library/classic/bondgraphs.dym` |
| B3 | torn systems inside torn systems | `crates/kausal-structure/src/tearing/nested.rs` |
| B4 | the slider crank runs | `bond_graph_of_a_slider_crank` in `crates/kausal/tests/papers.rs` |

The trajectory of every model of `examples/papers` is checked in `crates/kausal/tests/papers.rs`, that of every other example
in `crates/kausal/tests/examples.rs`. How fast the chains are, beside the articulated-body algorithm of Pinocchio, is measured by
`bench/pinocchio`.
";
