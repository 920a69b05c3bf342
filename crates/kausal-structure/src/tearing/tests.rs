use super::check::{TearingFault, check};
use super::*;
use crate::incidence::IncidenceBuilder;

/// The ladder circuit of Elmqvist and Otter: `Common - U0 - R1 - (R2 // (R3 - (R4 // (R5 - R6)))) - Common`.
/// Variables: i1..i6 = 0..5, voltages across the resistors u1..u6 = 6..11, node potentials v2, v4, v6 = 12..14.
fn ladder() -> Incidence {
    let mut rows: Vec<Vec<u32>> = (0..6).map(|k| vec![k, 6 + k]).collect(); // R i = u
    rows.extend([
        vec![6, 12],      // u1 = U - v2
        vec![7, 12],      // u2 = v2
        vec![8, 12, 13],  // u3 = v2 - v4
        vec![9, 13],      // u4 = v4
        vec![10, 13, 14], // u5 = v4 - v6
        vec![11, 14],     // u6 = v6
        vec![0, 1, 2],    // i1 = i2 + i3
        vec![2, 3, 4],    // i3 = i4 + i5
        vec![4, 5],       // i5 = i6
    ]);
    Incidence::from_rows(15, &rows)
}

#[test]
fn the_ladder_circuit_needs_one_tearing_variable() {
    let g = ladder();
    let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
    let torn = tear(&p, Effort::default());
    assert_eq!(torn.tearing.tearing_variables.len(), 1);
    assert!(torn.optimal);
    assert_eq!(check(&p, &torn.tearing), Ok(()));
}

#[test]
fn a_single_equation_is_solved_if_it_may_be_and_torn_if_not() {
    let mut b = IncidenceBuilder::new(1, 1);
    b.add(Eqn(0), Var(0), Solvability::LinearUnsafe);
    let g = b.build();
    let torn = tear(&TearingProblem::new(&g, SolvabilitySet::LINEAR), Effort::default());
    assert_eq!(torn.tearing.sequence.len(), 1);
    let torn = tear(&TearingProblem::new(&g, SolvabilitySet::SAFE), Effort::default());
    assert_eq!((torn.tearing.tearing_variables, torn.tearing.residuals), (vec![Var(0)], vec![Eqn(0)]));
}

#[test]
fn wishes_are_followed_where_they_cost_nothing() {
    let rows: Vec<Vec<u32>> = (0..6).map(|k| vec![k, (k + 1) % 6]).collect();
    let g = Incidence::from_rows(6, &rows);
    let mut p = TearingProblem::new(&g, SolvabilitySet::SAFE);
    p.weight[Var(4)] = DEFAULT_WEIGHT - 1;
    p.preferred_residual[Eqn(1)] = true;
    let torn = tear(&p, Effort::default());
    assert_eq!(torn.tearing.tearing_variables, [Var(4)]);
    assert_eq!(torn.tearing.residuals, [Eqn(1)]);
    p.weight = IdVec::filled(FORBIDDEN, 6);
    p.weight[Var(2)] = DEFAULT_WEIGHT;
    assert_eq!(tear(&p, Effort::default()).tearing.tearing_variables, [Var(2)]);
}

#[test]
fn the_safest_of_several_equations_is_used() {
    let mut b = IncidenceBuilder::new(2, 2);
    b.add(Eqn(0), Var(0), Solvability::LinearUnsafe)
        .add(Eqn(0), Var(1), Solvability::LinearUnsafe)
        .add(Eqn(1), Var(0), Solvability::LinearConstant)
        .add(Eqn(1), Var(1), Solvability::LinearConstant);
    let g = b.build();
    let torn = tear(&TearingProblem::new(&g, SolvabilitySet::LINEAR), Effort::default());
    assert_eq!(torn.tearing.sequence[0].eqn, Eqn(1));
}

#[test]
fn the_checker_finds_each_kind_of_fault() {
    let g = Incidence::from_rows(3, &[vec![0, 1], vec![1, 2], vec![2, 0]]);
    let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
    let step = |eqn: u32, var: u32| Assignment { eqn: Eqn(eqn), var: Var(var) };
    let good = Tearing {
        tearing_variables: vec![Var(0)],
        residuals: vec![Eqn(2)],
        sequence: vec![step(0, 1), step(1, 2)],
    };
    assert_eq!(check(&p, &good), Ok(()));
    let fault = |change: &dyn Fn(&mut Tearing)| {
        let mut bad = good.clone();
        change(&mut bad);
        check(&p, &bad).unwrap_err()
    };
    assert_eq!(fault(&|t| t.residuals.clear()), TearingFault::CountsDiffer);
    assert_eq!(fault(&|t| t.residuals[0] = Eqn(1)), TearingFault::EquationNotOnce(Eqn(1)));
    assert_eq!(fault(&|t| t.tearing_variables[0] = Var(9)), TearingFault::VariableNotOnce(Var(9)));
    assert_eq!(fault(&|t| t.sequence.swap(0, 1)), TearingFault::TooEarly(Eqn(1), Var(1)));
    assert_eq!(fault(&|t| t.sequence[0] = step(0, 2)), TearingFault::NotSolvable(Eqn(0), Var(2)));
    assert_eq!(fault(&|t| t.sequence.truncate(1)), TearingFault::VariableNotOnce(Var(2)));
    assert_eq!(TearingFault::TooEarly(Eqn(1), Var(1)).to_string(), "e1 needs v1, which is computed later");
}
