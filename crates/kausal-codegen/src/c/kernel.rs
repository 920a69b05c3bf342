//! The run-time parts of generated C: small files, pasted in where they are used.

use rustc_hash::FxHashSet;

/// A kernel: the names by which it is known to be used, and its text.
struct Kernel {
    names: &'static [&'static str],
    text: &'static str,
}

/// In the order they are pasted: a kernel uses only earlier ones.
const KERNELS: &[Kernel] = &[
    Kernel { names: &["kausal_sign"], text: include_str!("sign.c") },
    Kernel { names: &["kausal_min"], text: include_str!("min.c") },
    Kernel { names: &["kausal_max"], text: include_str!("max.c") },
    Kernel { names: &["kausal_div"], text: include_str!("div.c") },
    Kernel { names: &["kausal_mod"], text: include_str!("mod.c") },
    Kernel { names: &["kausal_rem"], text: include_str!("rem.c") },
    Kernel { names: &["kausal_power"], text: include_str!("power.c") },
    Kernel { names: &["kausal_lu_factor", "kausal_lu_solve"], text: include_str!("lu.c") },
    Kernel { names: &["kausal_deficient"], text: include_str!("deficient.c") },
    Kernel { names: &["kausal_ldlt_factor", "kausal_ldlt_solve"], text: include_str!("ldlt.c") },
    Kernel { names: &["kausal_band_factor", "kausal_band_solve"], text: include_str!("band.c") },
    Kernel { names: &["kausal_pivots_hold"], text: include_str!("pivots.c") },
    Kernel { names: &["kausal_residuals_hold"], text: include_str!("residuals.c") },
    Kernel { names: &["kausal_newton"], text: include_str!("newton.c") },
    Kernel { names: &["kausal_digits_lost"], text: include_str!("digits.c") },
    Kernel { names: &["kausal_relation", "kausal_rounding"], text: include_str!("relation.c") },
    Kernel { names: &["kausal_same_instant"], text: include_str!("instant.c") },
    Kernel { names: &["kausal_timed_relation"], text: include_str!("timed.c") },
    Kernel { names: &["kausal_reselect", "kausal_state_set"], text: include_str!("select.c") },
];

/// Files of many small functions and types for arrays and strings, of which only those are pasted that are used. An earlier
/// one uses none of a later one.
const COLLECTIONS: &[&str] = &[
    include_str!("arena.c"),
    include_str!("arrays.c"),
    include_str!("strings.c"),
    include_str!("foreign.c"),
];

/// The text of all kernels that code uses, directly or by another kernel.
pub(crate) fn used(code: &str) -> String {
    let kernels = KERNELS.iter().map(|kernel| (kernel.names.to_vec(), kernel.text));
    pasted(code, kernels.collect())
}

/// The text of all parts of collections that code uses, directly or by another one.
pub(crate) fn collected(code: &str) -> String {
    let parts = COLLECTIONS.iter().flat_map(|text| pieces(text));
    pasted(code, parts.map(|part| (defined(part), part)).collect())
}

fn pasted(code: &str, kernels: Vec<(Vec<&str>, &str)>) -> String {
    let mut used: FxHashSet<&str> = words(code).collect();
    let mut texts: Vec<&str> = Vec::new();
    for (names, text) in kernels.into_iter().rev() {
        if names.iter().any(|name| used.contains(name)) {
            used.extend(words(text));
            texts.push(text);
        }
    }
    texts.iter().rev().map(|text| format!("{}\n\n", text.trim_end())).collect()
}

/// The names of our own in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.starts_with("kausal_"))
}

/// Definitions, which stand apart from each other by empty lines.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(str::trim).filter(|piece| !piece.is_empty())
}

/// What a piece defines: a function, or types.
fn defined(piece: &str) -> Vec<&str> {
    let heads = piece.lines().filter(|line| line.starts_with("static ") || line.starts_with("typedef "));
    heads.filter_map(|head| words(head.split('(').next()?).last()).collect()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::{COLLECTIONS, collected, defined, pieces, used};

    #[test]
    fn only_what_is_used() {
        assert_eq!(used("x = 1.0;"), "");
        assert!(used("kausal_sign(x)").contains("static inline double kausal_sign"));
        let newton = used("kausal_newton(&s, m, v, work, pivot)");
        let (lu, at) = (newton.find("static int kausal_lu_factor"), newton.find("static int kausal_newton("));
        assert!(lu.is_some() && lu < at);
        assert!(!newton.contains("kausal_band"));
    }

    #[test]
    fn pieces_define_something_of_their_own() {
        let mut seen = FxHashSet::default();
        for piece in COLLECTIONS.iter().flat_map(|text| pieces(text)) {
            let names = defined(piece);
            assert!(!names.is_empty(), "{piece}");
            assert!(names.iter().all(|name| seen.insert(*name)), "twice: {names:?}");
        }
        assert!(
            seen.contains("kausal_array") && seen.contains("kausal_element") && seen.contains("kausal_join")
        );
        let text = collected("x = kausal_sum(t1);");
        assert!(text.contains("static double kausal_sum") && text.contains("} kausal_arena;"));
        assert!(!text.contains("kausal_transpose") && !text.contains("kausal_string;"));
    }
}
