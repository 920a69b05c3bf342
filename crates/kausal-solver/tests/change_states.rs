//! Other states of the same solution: a method that remembers its past goes on with theirs as if nothing had happened.

use kausal_solver::{ClassicalStep, Integrator, Method, ModelError, OdeModel, Options, Statistics};

/// An oscillator, in two ways: position and velocity, or their sum and difference.
struct Oscillator {
    turned: bool,
}

impl Oscillator {
    /// From position and velocity to the sum and difference, and, but for a factor of two, back.
    fn turn(x: &[f64]) -> Vec<f64> {
        vec![x[0] + x[1], x[0] - x[1]]
    }
}

impl OdeModel for Oscillator {
    fn n(&self) -> usize {
        2
    }

    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let now = if self.turned { [0.5 * (x[0] + x[1]), 0.5 * (x[0] - x[1])] } else { [x[0], x[1]] };
        let rate = [now[1], -now[0]];
        dx.copy_from_slice(&if self.turned { Oscillator::turn(&rate) } else { rate.to_vec() });
        Ok(())
    }
}

/// From (1, 0) to `t = 20`, with a change of states every `every` steps; the error of the position at the end.
fn run(method: Method, every: usize) -> (f64, Statistics) {
    let options = Options::tolerance(1e-7, 1e-7);
    let model = ClassicalStep::new(Oscillator { turned: false });
    let mut integrator = Integrator::new(method, options, model, 0.0, &[1.0, 0.0]).expect("a method");
    let mut steps = 0;
    while integrator.t() < 20.0 {
        integrator.step(20.0).expect("a step");
        steps += 1;
        if steps % every == 0 {
            let turned = integrator.model().model().turned;
            let other = |x: &[f64]| {
                let x = Oscillator::turn(x);
                if turned { vec![0.5 * x[0], 0.5 * x[1]] } else { x }
            };
            let at = |t: f64| {
                let mut x = vec![0.0; 2];
                integrator.interpolate(t, &mut x);
                other(&x)
            };
            let past: Vec<Vec<f64>> = integrator.remembered().into_iter().map(at).collect();
            let (t, x) = (integrator.t(), other(integrator.x()));
            integrator.model_mut().model_mut().turned = !turned;
            integrator.change_states(t, &x, &past);
        }
    }
    let x = integrator.x();
    let position = if integrator.model().model().turned { 0.5 * (x[0] + x[1]) } else { x[0] };
    ((position - 20.0f64.cos()).abs(), integrator.statistics())
}

/// Neither the error nor the number of steps is much larger than without changes; a new start every ten steps would cost
/// BDF its order each time.
#[test]
fn changes_cost_neither_exactness_nor_steps() {
    for method in [Method::Bdf, Method::DormandPrince, Method::Auto] {
        let (plain_error, plain) = run(method, usize::MAX);
        let (error, changed) = run(method, 10);
        assert!(error < 4.0 * plain_error + 1e-6, "{method}: {error} instead of {plain_error}");
        assert!(2 * changed.steps < 3 * plain.steps, "{method}: {} and {} steps", changed.steps, plain.steps);
    }
}

/// Methods that remember nothing, and those that are not told the past, begin anew: that is slower, but right.
#[test]
fn without_a_past_it_is_a_new_start() {
    let (error, _) = run(Method::Radau, 10);
    assert!(error < 1e-4, "{error}");
}
