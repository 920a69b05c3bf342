//! Listings in the form of the papers, and the count of operations.

mod common;

use common::program::{Builder, set, solved};
use kausal_codegen::{count, listing};
use kausal_symbolic::count::Operations;
use kausal_symbolic::{ExprId, Op};
use kausal_translate::Program;
use kausal_translate::program::{
    Form, Jacobian, Kind, LinearMethod, Nonlinear, Solve, SolveKind, Step, System,
};

/// Two capacitances in parallel behind a resistance, torn by hand as the bond graph paper tears: with the current
/// f2 as tearing variable the voltages' derivatives must be equal.
fn capacitances() -> Program {
    let mut b = Builder::new("Papers.Cnet");
    let [e, r, c1, c2] = [("E", 10.0), ("R.R", 2.0), ("C1.C", 3.0), ("C2.C", 4.0)]
        .map(|(name, value)| b.variable(name, Kind::Parameter, value));
    let e1 = b.variable("C1.e", Kind::State, 0.0);
    let [re, f, f1, f2, d1, d2] = ["R.e", "R.f", "C1.f", "C2.f", "C1.dere", "C2.dere"]
        .map(|name| b.variable(name, Kind::Algebraic, 0.0));
    let [q1, q2, q3] = ["Q101", "Q102", "Q103"].map(|name| b.helper(name));
    let x = [e, r, c1, c2, e1, re, f, f1, f2, d1, d2, q1, q2, q3].map(|v| b.var(v));
    let [xe, xr, xc1, xc2, xe1, xre, xf, xf1, xf2, xd1, xd2, xq1, xq2, xq3] = x;
    let p = &mut b.program.pool;
    let mut op = |op: Op, args: &[ExprId]| p.op(op, args);
    let minus_e1 = op(Op::Neg, &[xe1]);
    let voltage = op(Op::Add, &[xe, minus_e1]);
    let current = op(Op::Div, &[xre, xr]);
    let flows = op(Op::Add, &[xf1, xf2]);
    let product1 = op(Op::Mul, &[xc1, xd1]);
    let product2 = op(Op::Mul, &[xc2, xd2]);
    let one = p.one();
    let mut op = |op: Op, args: &[ExprId]| p.op(op, args);
    let (inverse1, inverse2) = (op(Op::Div, &[one, xc1]), op(Op::Div, &[one, xc2]));
    let sum = op(Op::Add, &[xq1, xq2]);
    let part = op(Op::Mul, &[xq1, xf]);
    let tearing = op(Op::Div, &[part, xq3]);
    let minus_f2 = op(Op::Neg, &[xf2]);
    let rest = op(Op::Add, &[xf, minus_f2]);
    let (derivative1, derivative2) = (op(Op::Div, &[xf1, xc1]), op(Op::Div, &[xf2, xc2]));
    let equations = [
        b.equation("one1", xre, voltage),
        b.equation("R", xf, current),
        b.equation("", flows, xf),
        b.equation("C1", product1, xf1),
        b.equation("C2", product2, xf2),
        b.equation("zero1", xd1, xd2),
    ];
    let [at_one, at_r, at_sum, at_c1, at_c2, at_zero] = equations;
    b.program.parameters = vec![set(q1, inverse1), set(q2, inverse2), set(q3, sum)];
    b.program.dynamics = vec![
        solved(re, voltage, at_one),
        solved(f, current, at_r),
        Step::System(Box::new(System {
            equations: vec![at_sum, at_c1, at_c2, at_zero],
            unknowns: vec![f1, d1, d2, f2],
            tearing_variables: vec![f2],
            residuals: vec![at_zero],
            mixed: false,
            form: Form::Linear {
                method: LinearMethod::Torn,
                symmetric: true,
                steps: vec![
                    set(f2, tearing),
                    solved(f1, rest, at_sum),
                    solved(d1, derivative1, at_c1),
                    solved(d2, derivative2, at_c2),
                ],
                guard: None,
            },
            alternatives: Vec::new(),
        })),
    ];
    b.program
}

#[test]
fn torn_system() {
    insta::assert_snapshot!(listing::write(&capacitances()), @r#"
    ! SORTED AND SOLVED EQUATIONS
    !
    ! PARAMETERS
    !
             Q101 = 1/C1.C
             Q102 = 1/C2.C
             Q103 = Q101 + Q102
    !
    ! DYNAMICS
    !
    one1.    [R.e] = E - C1.e
    R.       [R.f] = R.e/R.R
    ! SYSTEM OF 4 SIMULTANEOUS EQUATIONS
    ! UNKNOWN VARIABLES
    !   C1.f
    !   C1.dere
    !   C2.dere
    !   C2.f
    !
    ! EQUATIONS
    ! Cnet.    [C1.f] + C2.f = R.f
    ! C1.      C1.C*[C1.dere] = C1.f
    ! C2.      C2.C*[C2.dere] = C2.f
    ! zero1.   C1.dere = C2.dere
    !
    ! INCIDENCE MATRIX
    !
    ! X  X
    ! XX
    !   XX
    !  XX
    !
    ! TEARING VARIABLES AND RESIDUES
    !   C2.f    zero1.   C1.dere = C2.dere
    !
    ! SOLVED SYSTEM OF EQUATIONS
             C2.f = R.f*Q101/Q103
    ! NON-TORN VARIABLES
    Cnet.    [C1.f] = R.f - C2.f
    C1.      [C1.dere] = C1.f/C1.C
    C2.      [C2.dere] = C2.f/C2.C
    ! END OF SYSTEM OF SIMULTANEOUS EQUATIONS
    ! END OF SORTED AND SOLVED EQUATIONS
    "#);
}

/// Counted by hand in the listing above: `+ - * /` one each.
#[test]
fn operations_of_sections() {
    let sections = count::operations(&capacitances());
    assert_eq!(sections.parameters, Operations { add: 1, mul: 2, call: 0 });
    assert_eq!(sections.dynamics, Operations { add: 2, mul: 5, call: 0 });
}

#[test]
fn nonlinear_and_numerical() {
    let mut b = Builder::new("Model");
    let [x, y, r, j, a, q] = ["x", "y", "residue_x", "J", "a", "b"].map(|name| b.helper(name));
    let [ex, ey, ea] = [x, y, a].map(|v| b.var(v));
    let p = &mut b.program.pool;
    let (sine, square) = (p.apply(Op::Sin, ex), p.mul(ey, ey));
    let residual = p.sub(sine, square);
    let cosine = p.apply(Op::Cos, ex);
    let twice = p.times(2.0, ea);
    let equation = b.equation("plant", sine, square);
    let jacobian =
        Jacobian { steps: vec![set(j, cosine)], entries: vec![(0, 0, j)], sensitivities: Vec::new() };
    let numerical = Solve {
        entries: vec![(0, 0, a), (1, 0, q), (1, 1, a)],
        rhs: vec![q, a],
        unknowns: vec![x, y],
        kind: SolveKind::Symmetric,
        constant: true,
    };
    b.program.dynamics = vec![
        set(a, twice),
        Step::System(Box::new(System {
            equations: vec![equation],
            unknowns: vec![x],
            tearing_variables: vec![x],
            residuals: vec![equation],
            mixed: false,
            form: Form::Nonlinear(Nonlinear {
                unknowns: vec![x],
                steps: vec![set(r, residual)],
                residuals: vec![r],
                jacobian: Some(jacobian),
                ..Nonlinear::default()
            }),
            alternatives: Vec::new(),
        })),
        Step::Solve(numerical),
        Step::If(ex, vec![Step::Reinit(y, sine)], vec![Step::Terminate(ex)]),
    ];
    insta::assert_snapshot!(listing::write(&b.program), @r#"
    ! SORTED AND SOLVED EQUATIONS
    !
    ! DYNAMICS
    !
             a = 2*a
    ! SYSTEM OF 1 SIMULTANEOUS NONLINEAR EQUATIONS
    ! UNKNOWN VARIABLES
    !   x
    !
    ! EQUATIONS
    ! plant.   sin([x]) = y^2
    !
    ! INCIDENCE MATRIX
    !
    ! X
    !
    ! NONLINEAR TEARING VARIABLES AND RESIDUES
    !   x    plant.   sin(x) = y^2
    !
    ! TORN NONLINEAR EQUATIONS
             residue_x = sin(x) - y^2
    ! END OF TORN NONLINEAR EQUATIONS
    ! TO BECOME ZERO: residue_x
    ! JACOBIAN
             J = cos(x)
             J[1, 1] = J
    ! END OF SYSTEM OF SIMULTANEOUS EQUATIONS
    ! SOLVE 2 LINEAR EQUATIONS NUMERICALLY (SYMMETRIC, FACTORISED ONCE)
    !   a*[x] + b*[y] = b
    !   b*[x] + a*[y] = a
    ! IF x
             reinit(y, sin(x))
    ! ELSE
             terminate(x)
    ! END OF IF
    ! END OF SORTED AND SOLVED EQUATIONS
    "#);
}
