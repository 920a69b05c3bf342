//! The run-time parts of generated C: small files, pasted in where they are used.

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
    Kernel { names: &["kausal_ldlt_factor", "kausal_ldlt_solve"], text: include_str!("ldlt.c") },
    Kernel { names: &["kausal_band_factor", "kausal_band_solve"], text: include_str!("band.c") },
    Kernel { names: &["kausal_pivots_hold"], text: include_str!("pivots.c") },
    Kernel { names: &["kausal_residuals_hold"], text: include_str!("residuals.c") },
    Kernel { names: &["kausal_newton"], text: include_str!("newton.c") },
];

/// The text of all kernels that code uses, directly or by another kernel.
pub(crate) fn used(code: &str) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for kernel in KERNELS.iter().rev() {
        let mentioned = |text: &str| kernel.names.iter().any(|name| text.contains(name));
        if mentioned(code) || texts.iter().any(|text| mentioned(text)) {
            texts.push(kernel.text);
        }
    }
    texts.iter().rev().map(|text| format!("{text}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::used;

    #[test]
    fn only_what_is_used() {
        assert_eq!(used("x = 1.0;"), "");
        assert!(used("kausal_sign(x)").contains("static inline double kausal_sign"));
        let newton = used("kausal_newton(&s, m, v, work, pivot)");
        let (lu, at) = (newton.find("static int kausal_lu_factor"), newton.find("static int kausal_newton("));
        assert!(lu.is_some() && lu < at);
        assert!(!newton.contains("kausal_band"));
    }
}
