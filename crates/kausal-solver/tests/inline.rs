//! Models that solve their discretised equations themselves, as in *Inline integration* (Elmqvist, Otter &
//! Cellier 1995).

use std::cell::Cell;

use kausal_solver::integrator::RADAU_IIA;
use kausal_solver::linear::DenseLu;
use kausal_solver::model::{StageModel, StageReport, StageRequest, filter_by_step};
use kausal_solver::newton::{Newton, NewtonOptions, NonlinearSystem};
use kausal_solver::{
    ClassicalStep, Integrator, Method, ModelError, Ode, Options, Reason, StepModel, StepRequest,
};

/// Two filters in series (figure 1): `T₁ x₁' + x₁ = u(t)`, `T₂ x₂' + x₂ = x₁`. No iteration at all.
struct Filters;

const T1: f64 = 1e-4;
const T2: f64 = 1.0;

fn input(t: f64) -> f64 {
    t.sin()
}

impl StepModel for Filters {
    fn n(&self) -> usize {
        2
    }
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let (h, old) = (request.h, request.old);
        dx[0] = (input(request.t) - old[0]) / (T1 + h);
        x[0] = h * dx[0] + old[0];
        dx[1] = (x[0] - old[1]) / (T2 + h);
        x[1] = h * dx[1] + old[1];
        Ok(())
    }
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        dx[0] = (input(t) - x[0]) / T1;
        dx[1] = (x[0] - x[1]) / T2;
        Ok(())
    }
}

fn filters_by_rhs(t: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = (input(t) - x[0]) / T1;
    dx[1] = (x[0] - x[1]) / T2;
}

/// The inlined model takes the same steps as the classical one and arrives at the same values.
#[test]
fn two_filters_in_series_need_no_iteration() {
    for method in [Method::Bdf, Method::Esdirk3, Method::Esdirk4, Method::ImplicitEuler, Method::Trapezoidal]
    {
        let options = Options { fixed_step: Some(0.01), ..Options::tolerance(1e-6, 1e-6) };
        let mut inlined = Integrator::new(method, options.clone(), Filters, 0.0, &[0.0, 1.0]).unwrap();
        inlined.integrate_to(10.0).unwrap();
        let model = ClassicalStep::new(Ode::new(2, filters_by_rhs));
        let mut classical = Integrator::new(method, options, model, 0.0, &[0.0, 1.0]).unwrap();
        classical.integrate_to(10.0).unwrap();
        for i in 0..2 {
            let difference = (inlined.x()[i] - classical.x()[i]).abs();
            assert!(
                difference < 1e-5,
                "{method}: state {i} differs by {difference:e}, {:?}",
                inlined.statistics()
            );
        }
        let (a, b) = (inlined.statistics(), classical.statistics());
        assert!(a.steps <= b.steps + b.steps / 10 + 2, "{method}: {} steps, classical {}", a.steps, b.steps);
        assert_eq!(a.work.newton_iterations, 0);
        assert!(b.work.newton_iterations > 0);
    }
}

/// The nonlinear plant with a second-order filter in the feedback (figure 3): three states, one iteration
/// variable. The plant is `x' = -x³ + u`, `y = x + x²/4`, the filter `x₁'' + 2ωD x₁' + ω² x₁ = ω² y`, and
/// `u = -k x₁ + sin t`.
struct Feedback {
    newton: Newton,
    guess: f64,
    evaluations: Cell<u64>,
}

const W: f64 = 50.0;
const D: f64 = 0.7;
const K: f64 = 2.0;

/// The residual in der(x), with the linear part solved explicitly.
struct FeedbackResidual<'a> {
    t: f64,
    h: f64,
    old: &'a [f64],
    evaluations: &'a Cell<u64>,
}

impl FeedbackResidual<'_> {
    fn evaluate(&self, derx: f64) -> ([f64; 3], [f64; 3], f64) {
        self.evaluations.set(self.evaluations.get() + 1);
        let (h, old) = (self.h, self.old);
        let x = h * derx + old[0];
        let y = x + 0.25 * x * x;
        let derx2 = (W * W * y - ((2.0 * W * D + h * W * W) * old[2] + W * W * old[1]))
            / (1.0 + (2.0 * W * D + h * W * W) * h);
        let x2 = h * derx2 + old[2];
        let x1 = h * x2 + old[1];
        let u = -K * x1 + self.t.sin();
        ([x, x1, x2], [derx, x2, derx2], -x * x * x + u - derx)
    }
}

impl NonlinearSystem for FeedbackResidual<'_> {
    fn n(&self) -> usize {
        1
    }
    fn residual(&mut self, derx: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        r[0] = self.evaluate(derx[0]).2;
        Ok(())
    }
}

impl Feedback {
    fn new() -> Self {
        let evaluations = Cell::new(0);
        let mut system = FeedbackResidual { t: 0.0, h: 0.0, old: &[0.0; 3], evaluations: &evaluations };
        let newton = Newton::new(&mut system, NewtonOptions::default()).unwrap();
        Feedback { newton, guess: 0.0, evaluations }
    }
}

impl StepModel for Feedback {
    fn n(&self) -> usize {
        3
    }
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let mut system =
            FeedbackResidual { t: request.t, h: request.h, old: request.old, evaluations: &self.evaluations };
        let mut derx = [dx[0]];
        self.newton.solve(&mut system, &mut derx)?;
        let (xs, dxs, _) = system.evaluate(derx[0]);
        x.copy_from_slice(&xs);
        dx.copy_from_slice(&dxs);
        self.guess = derx[0];
        Ok(())
    }
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        // h = 0: the discretised equations are the original ones.
        let (weights, old) = ([1.0; 3], [x[0], x[1], x[2]]);
        let request = StepRequest { t, h: 0.0, old: &old, weights: &weights, tolerance: 1.0 };
        let mut same = old;
        self.step(&request, &mut same, dx)
    }
    fn reset(&mut self) {
        self.newton.reset();
    }
}

#[test]
fn feedback_iterates_on_one_variable_instead_of_three() {
    let rhs = |t: f64, x: &[f64], dx: &mut [f64]| {
        let y = x[0] + 0.25 * x[0] * x[0];
        dx[0] = -x[0] * x[0] * x[0] - K * x[1] + t.sin();
        dx[1] = x[2];
        dx[2] = -2.0 * W * D * x[2] - W * W * x[1] + W * W * y;
    };
    let start = [0.5, 0.0, 0.0];
    let reference = {
        let model = ClassicalStep::new(Ode::new(3, rhs));
        let mut integrator =
            Integrator::new(Method::Radau, Options::tolerance(1e-11, 1e-11), model, 0.0, &start).unwrap();
        integrator.integrate_to(5.0).unwrap();
        integrator.x().to_vec()
    };
    for method in [Method::Bdf, Method::Esdirk4] {
        let mut integrator =
            Integrator::new(method, Options::tolerance(1e-7, 1e-7), Feedback::new(), 0.0, &start).unwrap();
        integrator.integrate_to(5.0).unwrap();
        for (i, (x, r)) in integrator.x().iter().zip(&reference).enumerate() {
            assert!((x - r).abs() < 2e-5, "{method}: state {i} is {x} instead of {r}");
        }
        // Explicit methods only ask for the derivative, which is a step with h = 0.
        let mut explicit = Integrator::new(
            Method::DormandPrince,
            Options::tolerance(1e-7, 1e-7),
            Feedback::new(),
            0.0,
            &start,
        )
        .unwrap();
        explicit.integrate_to(5.0).unwrap();
        assert!((explicit.x()[0] - reference[0]).abs() < 1e-5);
    }
}

/// A linear model `x' = A x` that solves the three stages of Radau IIA in one system of order `3 n`, with no
/// transformation.
struct LinearStages {
    a: [[f64; 2]; 2],
    work: Vec<f64>,
}

impl LinearStages {
    fn multiply(&self, x: &[f64], dx: &mut [f64]) {
        for (dx, row) in dx.iter_mut().zip(&self.a) {
            *dx = row[0] * x[0] + row[1] * x[1];
        }
    }
}

impl StepModel for LinearStages {
    fn n(&self) -> usize {
        2
    }
    fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let (h, old) = (request.h, request.old);
        let m = [1.0 - h * self.a[0][0], -h * self.a[1][0], -h * self.a[0][1], 1.0 - h * self.a[1][1]];
        let mut b = [old[0], old[1]];
        kausal_solver::linear::solve2(&m, &mut b)
            .map_err(|_| ModelError::recoverable(Reason::SingularMatrix))?;
        x.copy_from_slice(&b);
        self.multiply(&b, dx);
        Ok(())
    }
    fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.multiply(x, dx);
        Ok(())
    }
    fn stages(&mut self) -> Option<&mut dyn StageModel> {
        Some(self)
    }
}

impl StageModel for LinearStages {
    fn solve_stages(
        &mut self,
        request: &StageRequest,
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Result<StageReport, ModelError> {
        let mut lu = DenseLu::new(6);
        let matrix = lu.matrix_mut();
        for i in 0..3 {
            for j in 0..3 {
                for p in 0..2 {
                    for q in 0..2 {
                        let delta = if i == j && p == q { 1.0 } else { 0.0 };
                        matrix[2 * i + p + 6 * (2 * j + q)] =
                            delta - request.h * RADAU_IIA.a[i][j] * self.a[p][q];
                    }
                }
            }
        }
        lu.factor_in_place().map_err(|_| ModelError::recoverable(Reason::SingularMatrix))?;
        for stage in x.chunks_exact_mut(2) {
            stage.copy_from_slice(request.x0);
        }
        lu.solve(x);
        for (x, dx) in x.chunks_exact(2).zip(dx.chunks_exact_mut(2)) {
            self.multiply(x, dx);
        }
        Ok(StageReport { iterations: 1, contraction: 0.0, keep_step: false })
    }

    fn filter(
        &mut self,
        t: f64,
        gamma: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        error: &mut [f64],
    ) -> Result<(), ModelError> {
        let mut work = std::mem::take(&mut self.work);
        let result = filter_by_step(self, t, gamma, x, dx, weights, error, &mut work);
        self.work = work;
        result
    }
}

#[test]
fn radau_inlined_takes_the_steps_of_radau_classical() {
    // Eigenvalues -1 and -1000.
    let a = [[-1.0, 0.0], [999.0, -1000.0]];
    let exact = [(-1f64).exp(), (-1f64).exp()];
    let options = Options::tolerance(1e-8, 1e-8);
    let mut inlined = Integrator::new(
        Method::Radau,
        options.clone(),
        LinearStages { a, work: vec![0.0; 6] },
        0.0,
        &[1.0, 2.0],
    )
    .unwrap();
    inlined.integrate_to(1.0).unwrap();
    let rhs = move |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = -x[0];
        dx[1] = 999.0 * x[0] - 1000.0 * x[1];
    };
    let mut classical =
        Integrator::new(Method::Radau, options, ClassicalStep::new(Ode::new(2, rhs)), 0.0, &[1.0, 2.0])
            .unwrap();
    classical.integrate_to(1.0).unwrap();
    for x in [inlined.x(), classical.x()] {
        assert!(x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-8), "{x:?}");
    }
    let (a, b) = (inlined.statistics().steps, classical.statistics().steps);
    assert!(a.abs_diff(b) <= 1 + b / 10, "{a} and {b} steps");
}

/// A model that refuses large steps: the integrator tries smaller ones, and the solution does not suffer.
#[test]
fn a_refused_step_is_repeated_smaller() {
    struct Picky {
        refused: u64,
    }
    impl StepModel for Picky {
        fn n(&self) -> usize {
            1
        }
        fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
            if request.h > 0.02 {
                self.refused += 1;
                return Err(ModelError::recoverable(Reason::NoConvergence));
            }
            x[0] = request.old[0] / (1.0 + request.h);
            dx[0] = -x[0];
            Ok(())
        }
        fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
            dx[0] = -x[0];
            Ok(())
        }
    }
    for method in [Method::Bdf, Method::Esdirk3, Method::Esdirk4] {
        let mut integrator =
            Integrator::new(method, Options::tolerance(1e-4, 1e-4), Picky { refused: 0 }, 0.0, &[1.0])
                .unwrap();
        integrator.integrate_to(2.0).unwrap();
        assert!((integrator.x()[0] - (-2f64).exp()).abs() < 1e-4);
        assert!(integrator.model().refused > 0);
        assert_eq!(integrator.statistics().convergence_failures, integrator.model().refused);
    }
}
