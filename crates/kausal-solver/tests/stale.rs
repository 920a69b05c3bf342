//! A matrix that is too large by many orders of magnitude must not make every guess a solution.
//!
//! A diode with an exponential characteristic charges a capacitor that a resistor empties much faster than the source turns. Where
//! it conducts, the matrix of a step is that of a short circuit; behind the peak it blocks, and with that matrix corrections
//! vanish: the capacitor would follow the source below zero, which it cannot.

use kausal_solver::model::OdeModel;
use kausal_solver::{ClassicalStep, Integrator, Method, ModelError, Options, Reason};

/// `i = Is*(exp(v/vt) - 1)`, `A*sin(w*t) = v + u`, `C*der(u) = i - u/R`.
struct Rectifier;

const AMPLITUDE: f64 = 230.0;
const FREQUENCY: f64 = 330.0;

impl OdeModel for Rectifier {
    fn n(&self) -> usize {
        1
    }

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let voltage = AMPLITUDE * (FREQUENCY * t).sin() - x[0];
        let current = 1e-9 * ((voltage / 0.05).exp() - 1.0);
        dx[0] = (current - x[0] / 0.2) / 1.5e-4;
        if dx[0].is_finite() { Ok(()) } else { Err(ModelError::recoverable(Reason::NotFinite)) }
    }
}

/// Ten half waves. With Radau IIA at a tolerance of 1e-10 the voltage is never below -1e-10 (it is emptied towards zero, and the
/// reverse current of 1e-9 makes it `-Is*R`), nor above that of the source.
#[test]
fn a_blocking_diode_lets_the_voltage_fall_to_zero() {
    let half = std::f64::consts::PI / FREQUENCY;
    for method in [Method::Bdf, Method::Radau, Method::Esdirk3, Method::Esdirk4, Method::Auto] {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let options = Options::tolerance(tolerance, tolerance);
            let mut integrator =
                Integrator::new(method, options, ClassicalStep::new(Rectifier), 0.0, &[0.0]).unwrap();
            let allowed = 20.0 * tolerance * AMPLITUDE;
            while integrator.t() < 10.0 * half {
                let step = integrator.step(10.0 * half);
                assert!(step.is_ok(), "{method} at {tolerance:e}: {step:?}");
                let (t, u) = (integrator.t(), integrator.x()[0]);
                let source = AMPLITUDE * (FREQUENCY * t).sin();
                assert!(u > -allowed && u < AMPLITUDE, "{method} at {tolerance:e}: {u} at {t}");
                // An eighth of the period after the source has turned negative nothing is left: 75 time constants.
                let phase = (t / half).fract();
                assert!(
                    source > 0.0 || phase < 0.25 || u.abs() < allowed,
                    "{method} at {tolerance:e}: {u} at {t}"
                );
            }
        }
    }
}
