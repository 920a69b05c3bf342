//! The chord method on systems whose iterates are known.

use std::cell::RefCell;

use super::*;
use crate::classical::ClassicalStep;
use crate::model::{OdeModel, StepModel, StepRequest};
use crate::weights::norm;

/// `x = h f(x) + old` with all of `x` iterated on; where it was evaluated.
struct Whole {
    h: f64,
    old: [f64; 2],
    asked: Vec<[f64; 2]>,
}

fn rate(x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1];
    dx[1] = 50.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
}

impl NonlinearSystem for Whole {
    fn n(&self) -> usize {
        2
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        let mut dx = [0.0; 2];
        self.asked.push([x[0], x[1]]);
        rate(x, &mut dx);
        for i in 0..2 {
            r[i] = x[i] - self.h * dx[i] - self.old[i];
        }
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
        let h = self.h;
        j.copy_from_slice(&[1.0, h * (100.0 * x[0] * x[1] + 1.0), -h, 1.0 - h * 50.0 * (1.0 - x[0] * x[0])]);
        Ok(())
    }
}

/// The same right-hand side for the classical interface.
struct Classical<'a> {
    asked: &'a RefCell<Vec<[f64; 2]>>,
}

impl OdeModel for Classical<'_> {
    fn n(&self) -> usize {
        2
    }
    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.asked.borrow_mut().push([x[0], x[1]]);
        rate(x, dx);
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, _: f64, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
        j.copy_from_slice(&[0.0, -100.0 * x[0] * x[1] - 1.0, 1.0, 50.0 * (1.0 - x[0] * x[0])]);
        Ok(())
    }
    fn keeps_jacobian(&self) -> bool {
        false
    }
}

/// `der(x) + w³ + e^der(x) w = x` and `w + w⁵ = sin(x) der(x) + der(x)³`, iterated on `der(x)` and `w`.
struct Implicit {
    h: f64,
    old: f64,
    asked: Vec<[f64; 2]>,
}

impl Implicit {
    fn residuals(d: f64, x: f64, w: f64) -> [f64; 2] {
        [d + w.powi(3) + d.exp() * w - x, w + w.powi(5) - x.sin() * d - d.powi(3)]
    }

    /// By der(x), x and w.
    fn slopes(d: f64, x: f64, w: f64) -> [[f64; 3]; 2] {
        let first = [1.0 + d.exp() * w, -1.0, 3.0 * w * w + d.exp()];
        [first, [-x.sin() - 3.0 * d * d, -x.cos() * d, 1.0 + 5.0 * w.powi(4)]]
    }
}

impl NonlinearSystem for Implicit {
    fn n(&self) -> usize {
        2
    }
    fn residual(&mut self, z: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.asked.push([z[0], z[1]]);
        r.copy_from_slice(&Implicit::residuals(z[0], self.h * z[0] + self.old, z[1]));
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, z: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
        let [a, b] = Implicit::slopes(z[0], self.h * z[0] + self.old, z[1]);
        j.copy_from_slice(&[a[0] + self.h * a[1], b[0] + self.h * b[1], a[2], b[2]]);
        Ok(())
    }
}

impl StepSystem for Implicit {
    fn mark(&mut self) {}
    fn change(&mut self, correction: &[f64]) -> Change {
        Change { states: norm(&[1e9; 2], correction), unforeseen: 0.0 }
    }
}

impl StepSystem for Whole {
    fn mark(&mut self) {}
    fn change(&mut self, correction: &[f64]) -> Change {
        Change { states: norm(&[1e6; 2], correction), unforeseen: 0.0 }
    }
}

/// The paper's special case of a pure ODE: the same iterates as in the classical interface, evaluation by evaluation. The
/// oracle is `ClassicalStep`, told the same derivatives, and to make them anew with each matrix as this iteration does.
#[test]
fn all_of_x_gives_the_iterates_of_the_classical_interface() {
    let asked = RefCell::new(Vec::new());
    let mut classical = ClassicalStep::new(Classical { asked: &asked });
    let mut x = vec![2.0, 0.1];
    let mut z = x.clone();
    let weights = [1e6, 1e6];
    let mut system = Whole { h: 0.0, old: [0.0; 2], asked: Vec::new() };
    let mut chord = Chord::new(&mut system).unwrap();
    let mut iterated_twice = false;
    for step in 0..60 {
        // Steps that stay, drift, and change: matrices that are kept, scaled, and made anew.
        let h = [1e-3, 1.1e-3, 2e-3][step / 10 % 3];
        let old = [x[0], x[1]];
        let mut dx = vec![0.0; 2];
        let request = StepRequest { t: 0.0, h, old: &old, weights: &weights, tolerance: 0.04 };
        asked.borrow_mut().clear();
        classical.step(&request, &mut x, &mut dx).unwrap();
        classical.accepted(0.0, &x, &dx);
        (system.h, system.old) = (h, [z[0], z[1]]);
        system.asked.clear();
        let request = ChordRequest {
            h,
            weights: &weights,
            tolerance: 0.04,
            most_iterations: 3,
            persistence: 0,
            finest: None,
            by_size: false,
        };
        chord.solve(&mut system, &request, &mut z).unwrap();
        chord.accepted();
        // This iteration looks at the residual once more behind the last correction of an attempt; there are at most two.
        let asked = asked.borrow();
        assert!(system.asked.len() <= asked.len() + 2, "step {step}");
        iterated_twice |= asked.len() > 1;
        let mut own = system.asked.iter();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-13 * (1.0 + a.abs());
        for a in asked.iter().chain([&[x[0], x[1]]]) {
            let found = own.any(|b| near(a[0], b[0]) && near(a[1], b[1]));
            assert!(found, "step {step}: {a:?} is not among {:?}", system.asked);
        }
    }
    assert!(iterated_twice, "some steps take more than one correction");
    assert_eq!(chord.work().iterations, classical.work().newton_iterations);
    assert_eq!(chord.work().jacobians, classical.work().jacobians);
}

/// The paper's other special case, an implicit DAE `F(der(x), x, w) = 0`: the iterates on `der(x)` and `w` are those of the
/// classical interface of DAE solvers, which iterates on `x` and `w` with `der(x) = (x - old)/h`. For Newton's method, and
/// the chord method, it makes no difference in which of two variables that are linear in each other it is written. The
/// oracle is that iteration, written down.
#[test]
fn an_implicit_dae_gives_the_iterates_of_the_classical_interface() {
    // The first guess is off by a percent or so; the others are the last solution.
    let weights = [1e9, 1e9];
    let (mut x, mut d, mut w) = (1.0, 0.39, 0.38);
    for step in 0..20 {
        let h = 1e-2 * (1.0 + 0.05 * f64::from(step));
        let old = x;
        let mut system = Implicit { h, old, asked: Vec::new() };
        let mut chord = Chord::new(&mut system).unwrap();
        let mut z = [d, w];
        let request = ChordRequest {
            h,
            weights: &weights,
            tolerance: 0.1,
            most_iterations: 30,
            persistence: 0,
            finest: None,
            by_size: false,
        };
        chord.solve(&mut system, &request, &mut z).unwrap();
        // On x and w, with the matrix of the first guess.
        let (mut u, mut v) = (old + h * d, w);
        let rows = Implicit::slopes((u - old) / h, u, v);
        let [a, b] = rows.map(|[by_d, by_x, by_w]| [by_d / h + by_x, by_w]);
        let determinant = a[0] * b[1] - a[1] * b[0];
        assert!(system.asked.len() > 2, "step {step}: more than one correction");
        for asked in &system.asked {
            let (mapped, scale) = (old + h * asked[0], 1.0 + u.abs() + v.abs());
            let off = (mapped - u).abs().max((asked[1] - v).abs());
            assert!(off < 1e-12 * scale, "step {step}: {asked:?} instead of {u}, {v}");
            let r = Implicit::residuals((u - old) / h, u, v);
            u -= (r[0] * b[1] - r[1] * a[1]) / determinant;
            v -= (a[0] * r[1] - b[0] * r[0]) / determinant;
        }
        (d, w) = (z[0], z[1]);
        x = old + h * d;
    }
}

/// One equation for one state that follows from another variable.
struct One<F> {
    equation: F,
}

impl<F: Fn(f64) -> f64> NonlinearSystem for One<F> {
    fn n(&self) -> usize {
        1
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        r[0] = (self.equation)(x[0]);
        Ok(())
    }
}

impl<F: Fn(f64) -> f64> StepSystem for One<F> {
    fn computes_states(&self) -> bool {
        true
    }
    fn mark(&mut self) {}
    fn change(&mut self, correction: &[f64]) -> Change {
        Change { states: norm(&[1e6], correction), unforeseen: 0.0 }
    }
}

/// Where the equations do not depend on `h`, scaling corrections for its drift does harm. That is seen once.
#[test]
fn the_factor_of_corrections_is_learned() {
    let request = |h: f64| ChordRequest {
        h,
        weights: &[1e6],
        tolerance: 0.1,
        most_iterations: 10,
        persistence: 0,
        finest: None,
        by_size: false,
    };
    let mut chord = Chord::new(&mut One { equation: |z: f64| z }).unwrap();
    let mut evaluations = Vec::new();
    for (step, h) in [1.0, 1.2, 1.2].into_iter().enumerate() {
        let target = 1.0 + step as f64;
        let before = chord.work().residuals;
        let mut z = [target - 1.0];
        chord.solve(&mut One { equation: |z: f64| z - target }, &request(h), &mut z).unwrap();
        assert!((z[0] - target).abs() < 1e-9, "step {step}: {}", z[0]);
        evaluations.push(chord.work().residuals - before);
    }
    assert_eq!(chord.work().jacobians, 1, "one matrix for all");
    assert!(evaluations[2] < evaluations[1], "{evaluations:?}");
}

/// Corrections are small because the slope at the guess is large: that is no solution.
#[test]
fn small_corrections_that_do_not_shrink_are_no_solution() {
    // Steep below 1, and then as flat as the weight expects; the root is at 2.
    let equation = |z: f64| if z < 1.0 { 1e9 * (z - 1.0) - 1.0 } else { z - 2.0 };
    let mut system = One { equation };
    let mut chord = Chord::new(&mut system).unwrap();
    let mut request = ChordRequest {
        h: 1.0,
        weights: &[1e6],
        tolerance: 0.01,
        most_iterations: 12,
        persistence: 0,
        finest: Some(1e-8),
        by_size: false,
    };
    let mut z = [1.0 - 1e-6];
    assert!(chord.solve(&mut system, &request, &mut z).is_err());
    request.persistence = 30;
    chord.solve(&mut system, &request, &mut z).unwrap();
    assert!((z[0] - 2.0).abs() < 1e-12, "{}", z[0]);
}

#[test]
fn a_root_that_is_far_away_needs_persistence() {
    struct Cube;
    impl NonlinearSystem for Cube {
        fn n(&self) -> usize {
            1
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            r[0] = x[0].powi(3) - 8.0;
            Ok(())
        }
    }
    impl StepSystem for Cube {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> Change {
            Change { states: norm(&[1e6], correction), unforeseen: 0.0 }
        }
    }
    let mut chord = Chord::new(&mut Cube).unwrap();
    let mut request = ChordRequest {
        h: 1.0,
        weights: &[1e6],
        tolerance: 0.1,
        most_iterations: 3,
        persistence: 0,
        finest: None,
        by_size: false,
    };
    let mut z = [5.0];
    assert!(chord.solve(&mut Cube, &request, &mut z).is_err());
    assert_eq!(z, [5.0], "the guess is kept");
    request.persistence = 20;
    chord.solve(&mut Cube, &request, &mut z).unwrap();
    assert!((z[0] - 2.0).abs() < 1e-6);
}
