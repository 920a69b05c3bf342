//! Nothing is allocated in the loop: steps, interpolation, restarts, event search, Newton and
//! refactorisation.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use kausal_solver::events::EventFinder;
use kausal_solver::linear::{Pattern, SparseLu};
use kausal_solver::newton::{Newton, NewtonOptions, NonlinearSystem};
use kausal_solver::{ClassicalStep, Integrator, Method, ModelError, Options};

#[path = "common/ivp.rs"]
mod ivp;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches a thread-local without
// a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[test]
fn steps_allocate_nothing() {
    // Dense with Jacobian, dense with differences, sparse.
    let mut differences = ivp::hires();
    differences.jacobian = None;
    for problem in [ivp::hires(), differences, ivp::brusselator()] {
        for (method, _) in Method::ALL {
            let stiff_enough = !matches!(method, Method::ExplicitEuler | Method::RungeKutta4);
            let h = if stiff_enough { 1e-3 } else { 1e-7 };
            let max_step = problem.t_end / 1000.0;
            let options = Options { fixed_step: Some(h), max_step, ..Options::tolerance(1e-5, 1e-5) };
            let mut integrator =
                Integrator::new(method, options, ClassicalStep::new(&problem), 0.0, &problem.x0).unwrap();
            let mut x = problem.x0.clone();
            let mut finder = EventFinder::new(2);
            finder.start(&[1.0, 1.0]);
            // The first steps of the first start may allocate: stages, sparse factors.
            for _ in 0..60 {
                integrator.step(problem.t_end).unwrap();
            }
            let count = allocations(|| {
                for _ in 0..30 {
                    let report = integrator.step(problem.t_end).unwrap();
                    finder
                        .search(report.t_old, report.t, |t, g| {
                            integrator.interpolate(t, &mut x);
                            g.copy_from_slice(&[x[0] - 0.5, x[1] - 0.5]);
                            Ok(())
                        })
                        .unwrap();
                }
                x.copy_from_slice(integrator.x());
                let t = integrator.t();
                integrator.restart(t, &x);
                for _ in 0..30 {
                    integrator.step(problem.t_end).unwrap();
                }
            });
            assert_eq!(count, 0, "{} with {method}", problem.name);
        }
    }
}

#[test]
fn newton_allocates_nothing() {
    struct Cubic(f64);
    impl NonlinearSystem for Cubic {
        fn n(&self) -> usize {
            2
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            r[0] = x[0].powi(3) + x[1] - self.0;
            r[1] = x[0] - x[1] * x[1] * x[1];
            Ok(())
        }
    }
    let mut system = Cubic(1.0);
    let mut newton = Newton::new(&mut system, NewtonOptions::default()).unwrap();
    let mut x = [1.0, 1.0];
    let count = allocations(|| {
        for k in 0..100 {
            system.0 = 1.0 + 0.1 * f64::from(k);
            newton.solve(&mut system, &mut x).unwrap();
        }
        // A failure too.
        assert!(newton.solve(&mut Cubic(f64::NAN), &mut x).is_err());
    });
    assert_eq!(count, 0);
}

#[test]
fn refactoring_allocates_nothing() {
    let n = 200;
    let band = (0..n).flat_map(|j: usize| (j.saturating_sub(2)..(j + 3).min(n)).map(move |i| (i, j)));
    let pattern = Pattern::new(n, band);
    let mut values: Vec<f64> = pattern.iter().map(|(i, j)| if i == j { 6.0 } else { -1.0 }).collect();
    let mut lu = SparseLu::new(&pattern).unwrap();
    lu.factor(&values).unwrap();
    let mut b = vec![1.0; n];
    let count = allocations(|| {
        for k in 0..20 {
            values[10] += 0.01 * f64::from(k);
            lu.refactor(&values).unwrap();
            lu.solve(&mut b);
        }
    });
    assert_eq!(count, 0);
    assert_eq!(lu.repivots(), 0);
}
