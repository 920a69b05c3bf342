//! Work against precision: every method on the problems of the tests, at several tolerances.
//!
//! `cargo run --release -p kausal-solver --example work_precision [problem] [method]`

use std::time::Instant;

use kausal_solver::{ClassicalStep, Integrator, Method, Options};

#[path = "../tests/common/ivp.rs"]
mod ivp;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let problem_name = arguments.next().unwrap_or_else(|| "all".into());
    let method_name = arguments.next().unwrap_or_else(|| "all".into());
    println!(
        "{:<12} {:<12} {:>6} {:>9} {:>8} {:>6} {:>9} {:>7} {:>7} {:>6} {:>6} {:>9}",
        "problem", "method", "tol", "error", "steps", "rej", "rhs", "jac", "lu", "nfail", "switch", "ms"
    );
    for problem in ivp::all().iter().filter(|p| problem_name == "all" || p.name == problem_name) {
        for (method, name) in Method::ALL {
            if method.is_fixed_step() || (method_name != "all" && name != method_name) {
                continue;
            }
            let explicit = matches!(method, Method::DormandPrince | Method::Tsitouras);
            let stiff = !matches!(problem.name, "pleiades" | "arenstorf");
            if explicit && stiff {
                continue;
            }
            for exponent in [4, 6, 8, 10] {
                let tolerance = 10f64.powi(-exponent);
                let mut options = Options::tolerance(tolerance, tolerance);
                options.max_steps = Some(2_000_000);
                let start = Instant::now();
                let model = ClassicalStep::new(problem);
                let mut integrator = Integrator::new(method, options, model, 0.0, &problem.x0).unwrap();
                let outcome = integrator.integrate_to(problem.t_end);
                let elapsed = start.elapsed().as_secs_f64() * 1e3;
                let s = integrator.statistics();
                let error = problem.relative_error(integrator.x(), 1e-6);
                println!(
                    "{:<12} {:<12} {:>6.0e} {:>9.1e} {:>8} {:>6} {:>9} {:>7} {:>7} {:>6} {:>6} {:>9.2} {}",
                    problem.name,
                    name,
                    tolerance,
                    error,
                    s.steps,
                    s.rejected,
                    s.work.rhs_evaluations,
                    s.work.jacobians,
                    s.work.factorisations,
                    s.convergence_failures,
                    s.switches,
                    elapsed,
                    outcome.err().map_or(String::new(), |e| e.to_string()),
                );
            }
        }
    }
}
