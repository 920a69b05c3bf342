//! Flat models built by hand go through translation, code and integration, and are compared with closed forms.

use std::sync::Arc;

use kausal_codegen::Backend;
use kausal_model::flat::{
    Action, ActionKind, Causality, Equation, FlatModel, Origin, StateSelect, Type, Variability, Variable,
    When, WhenBranch,
};
use kausal_runtime::{CompiledModel, Machine, Observer, Settings, Statistics, simulate};
use kausal_symbolic::{ExprId, Op, VarId};

/// Builds a flat model.
#[derive(Default)]
struct Build(FlatModel);

impl Build {
    fn variable(&mut self, name: &str, ty: Type, variability: Variability) -> VarId {
        self.0.variables.push(Variable {
            name: name.into(),
            ty,
            variability,
            causality: Causality::None,
            flow: false,
            protected: false,
            binding: None,
            evaluated: false,
            start: None,
            fixed: None,
            min: None,
            max: None,
            nominal: None,
            state_select: StateSelect::Default,
            unbounded: false,
            unit: String::new(),
            display_unit: String::new(),
            quantity: String::new(),
            description: String::new(),
            location: None,
            start_location: None,
        });
        VarId(self.0.variables.len() as u32 - 1)
    }

    fn real(&mut self, name: &str) -> ExprId {
        let v = self.variable(name, Type::Real, Variability::Continuous);
        self.0.pool.var(v)
    }

    fn state(&mut self, name: &str, start: f64) -> ExprId {
        let e = self.real(name);
        let start = self.number(start);
        let v = self.0.variables.last_mut().unwrap();
        (v.start, v.fixed) = (Some(start), Some(true));
        e
    }

    fn parameter(&mut self, name: &str, value: f64) -> ExprId {
        let v = self.variable(name, Type::Real, Variability::Parameter);
        let value = self.number(value);
        self.0.variables[v.index()].binding = Some(value);
        self.0.pool.var(v)
    }

    fn number(&mut self, value: f64) -> ExprId {
        self.0.pool.constant(value)
    }

    fn op(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        self.0.pool.op(op, args)
    }

    fn der(&mut self, x: ExprId) -> ExprId {
        self.op(Op::Der, &[x])
    }

    fn equation(&mut self, lhs: ExprId, rhs: ExprId) {
        self.0.equations.push(Equation { lhs, rhs, origin: Origin::default() });
    }
}

/// Keeps all rows.
struct Rows(Vec<(f64, Vec<f64>)>);

impl Observer for Rows {
    fn record(&mut self, machine: &Machine) {
        let n = machine.values.len() as u32;
        self.0.push((machine.time, (0..n).map(|i| machine.value(VarId(i))).collect()));
    }
}

fn run(model: FlatModel, stop: f64, backend: Backend) -> (Vec<(f64, Vec<f64>)>, Statistics) {
    let translation = kausal_translate::translate(&model, &Default::default());
    assert!(translation.program.is_some(), "{:#?}", translation.diagnostics);
    let compiled = CompiledModel::new(translation.program.unwrap(), backend).unwrap();
    let mut rows = Rows(Vec::new());
    let settings = Settings { stop, interval: stop / 100.0, tolerance: 1e-8, ..Settings::default() };
    let (statistics, result) = simulate(Arc::new(compiled), &settings, &mut rows);
    result.unwrap();
    (rows.0, statistics)
}

/// `R*C*der(v) = U - v`, written as a circuit with currents.
fn rc() -> FlatModel {
    let mut b = Build::default();
    let v = b.state("v", 0.0);
    let i = b.real("i");
    let ur = b.real("ur");
    let (r, c, u) = (b.parameter("R", 2.0), b.parameter("C", 0.5), b.parameter("U", 10.0));
    let drop = b.op(Op::Mul, &[r, i]);
    b.equation(ur, drop);
    let sum = b.op(Op::Add, &[ur, v]);
    b.equation(u, sum);
    let dv = b.der(v);
    let charge = b.op(Op::Mul, &[c, dv]);
    b.equation(charge, i);
    b.0
}

#[test]
fn rc_charges_exponentially() {
    for backend in [Backend::Jit, Backend::Interpreter] {
        let (rows, _) = run(rc(), 3.0, backend);
        assert_eq!(rows.last().unwrap().0, 3.0);
        for (t, values) in &rows {
            // Closed form: v = U (1 - exp(-t / (R C))) with R C = 1.
            let exact = 10.0 * (1.0 - (-t).exp());
            assert!((values[0] - exact).abs() < 1e-6, "at {t}: {} {exact}", values[0]);
            assert!((values[1] - (10.0 - exact) / 2.0).abs() < 1e-6);
        }
    }
}

/// Two capacitors in parallel: index 2, one state after index reduction.
#[test]
fn parallel_capacitors_are_reduced() {
    let mut b = Build::default();
    let v1 = b.state("v1", 4.0);
    let v2 = b.real("v2");
    let (i1, i2, i) = (b.real("i1"), b.real("i2"), b.real("i"));
    let (c1, c2, r) = (b.parameter("C1", 1.0), b.parameter("C2", 3.0), b.parameter("R", 0.5));
    // v1 and v2 are tied by a gain, so that no alias hides the constraint.
    let two = b.number(2.0);
    let double = b.op(Op::Mul, &[two, v2]);
    b.equation(v1, double);
    let (d1, d2) = (b.der(v1), b.der(v2));
    let (q1, q2) = (b.op(Op::Mul, &[c1, d1]), b.op(Op::Mul, &[c2, d2]));
    b.equation(q1, i1);
    b.equation(q2, i2);
    let total = b.op(Op::Add, &[i1, i2, i]);
    let zero = b.number(0.0);
    b.equation(total, zero);
    let drop = b.op(Op::Mul, &[r, i]);
    b.equation(drop, v1);
    let (rows, _) = run(b.0, 2.0, Backend::Jit);
    for (t, values) in &rows {
        // (C1 + C2/2) v1' = -v1/R: time constant 2.5 * 0.5.
        let exact = 4.0 * (-t / 1.25).exp();
        assert!((values[0] - exact).abs() < 1e-6, "at {t}: {} {exact}", values[0]);
        assert!((values[1] - exact / 2.0).abs() < 1e-6);
    }
}

#[test]
fn a_nonlinear_loop_is_solved() {
    // der(x) = -y, y + y^3 = x: at x0 = 2, y = 1.
    let mut b = Build::default();
    let x = b.state("x", 2.0);
    let y = b.real("y");
    let dx = b.der(x);
    let minus = b.op(Op::Neg, &[y]);
    b.equation(dx, minus);
    let three = b.number(3.0);
    let cube = b.op(Op::Pow, &[y, three]);
    let sum = b.op(Op::Add, &[y, cube]);
    b.equation(sum, x);
    let (rows, statistics) = run(b.0, 1.0, Backend::Jit);
    assert!((rows[0].1[1] - 1.0).abs() < 1e-9);
    for (t, values) in &rows {
        // dy/dt (1 + 3 y^2) = -y gives ln y + 3/2 y^2 = 3/2 - t.
        let y = values[1];
        assert!((y.ln() + 1.5 * y * y - (1.5 - t)).abs() < 1e-6);
    }
    assert!(statistics.newton_iterations > 0);
}

#[test]
fn a_ball_bounces() {
    let mut b = Build::default();
    let h = b.state("h", 1.0);
    let v = b.state("v", 0.0);
    let (dh, dv) = (b.der(h), b.der(v));
    b.equation(dh, v);
    let g = b.number(-9.81);
    b.equation(dv, g);
    let zero = b.number(0.0);
    let below = b.op(Op::Less, &[h, zero]);
    let restitution = b.number(-0.8);
    let bounce = b.op(Op::Mul, &[restitution, v]);
    b.0.whens.push(When {
        branches: vec![WhenBranch {
            conditions: vec![below],
            actions: vec![Action { kind: ActionKind::Reinit(VarId(1), bounce), origin: Origin::default() }],
        }],
        origin: Origin::default(),
    });
    let (rows, statistics) = run(b.0, 1.0, Backend::Jit);
    // One crossing on the way down, one on the way up.
    assert_eq!(statistics.state_events, 2);
    // First impact at sqrt(2/g) with speed sqrt(2 g), then a parabola.
    let (t1, g) = ((2.0_f64 / 9.81).sqrt(), 9.81);
    let v1 = 0.8 * (2.0_f64 * g).sqrt();
    for (t, values) in rows.iter().filter(|(t, _)| *t > t1 + 1e-9) {
        let s = t - t1;
        assert!((values[0] - (v1 * s - 0.5 * g * s * s)).abs() < 1e-6, "at {t}");
    }
}

#[test]
fn time_events_are_exact() {
    // der(x) = if time < 0.5 then 1 else -1
    let mut b = Build::default();
    let x = b.state("x", 0.0);
    let dx = b.der(x);
    let time = b.op(Op::Time, &[]);
    let half = b.number(0.5);
    let before = b.op(Op::Less, &[time, half]);
    let (one, minus) = (b.number(1.0), b.number(-1.0));
    let slope = b.op(Op::If, &[before, one, minus]);
    b.equation(dx, slope);
    let (rows, statistics) = run(b.0, 1.0, Backend::Jit);
    assert_eq!((statistics.time_events, statistics.state_events), (1, 0));
    assert!(rows.last().unwrap().1[0].abs() < 1e-12);
    assert_eq!(rows.iter().filter(|(t, _)| *t == 0.5).count(), 2);
}
