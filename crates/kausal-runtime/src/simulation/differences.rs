//! The Jacobian of the right side by differences, where the derivatives of the program are not finite.

use kausal_solver::linear::{Pattern, column_groups};
use kausal_solver::{ModelError, OdeModel};

use super::RightSide;

impl RightSide {
    /// The Jacobian by differences, where the derivatives of the program are not finite.
    pub(super) fn differences(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        values: &mut [f64],
    ) -> Result<(), ModelError> {
        let Some(pattern) = self.jacobian_pattern() else {
            return Err(ModelError::fatal("the right-hand side has no structure"));
        };
        self.machine.disturbed = true;
        let outcome = self.columns(&pattern, t, x, dx, values);
        self.machine.disturbed = false;
        outcome
    }

    fn columns(
        &mut self,
        pattern: &Pattern,
        t: f64,
        x: &[f64],
        dx: &[f64],
        values: &mut [f64],
    ) -> Result<(), ModelError> {
        let (mut moved, mut dx_moved) = (x.to_vec(), dx.to_vec());
        for group in column_groups(pattern) {
            let h = |side: &Self, j: usize| f64::EPSILON.sqrt() * x[j].abs().max(side.nominal(j));
            group.iter().for_each(|&j| moved[j as usize] += h(self, j as usize));
            if self.rhs(t, &moved, &mut dx_moved).is_err() {
                group.iter().for_each(|&j| moved[j as usize] = x[j as usize] - h(self, j as usize));
                self.rhs(t, &moved, &mut dx_moved)?;
            }
            for j in group.iter().map(|&j| j as usize) {
                let step = moved[j] - x[j];
                for (value, &i) in values[pattern.range(j)].iter_mut().zip(pattern.column(j)) {
                    *value = (dx_moved[i as usize] - dx[i as usize]) / step;
                }
                moved[j] = x[j];
            }
        }
        Ok(())
    }
}
