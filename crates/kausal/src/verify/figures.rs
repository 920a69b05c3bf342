//! Another tool's figures for the same models: a JSON list of objects with a `model` and whatever is known.

use serde::{Deserialize, Serialize};

/// Figures of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// The model.
    pub model: String,
    /// Scalar equations of the flat model.
    pub equations: Option<u64>,
    /// Continuous states.
    pub states: Option<u64>,
    /// Unknowns left to a linear solver, one number per system.
    pub lin_torn: Vec<u64>,
    /// Unknowns left to a nonlinear solver, one number per system.
    pub nl_torn: Vec<u64>,
    /// Steps of the run.
    pub steps: Option<u64>,
    /// Evaluations of the right side.
    pub f_evals: Option<u64>,
    /// Jacobians.
    pub jac_evals: Option<u64>,
    /// Events found by a crossing.
    pub state_events: Option<u64>,
    /// Events known in advance.
    pub time_events: Option<u64>,
}

impl Figures {
    /// Unknowns left to solvers in all systems.
    pub fn torn(&self) -> u64 {
        self.lin_torn.iter().chain(&self.nl_torn).sum()
    }
}

/// Reads the list.
pub fn read(text: &str) -> Result<Vec<Figures>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_missing_fields_do_no_harm() {
        let list =
            read(r#"[{"model": "A", "lin_torn": [2, 3], "nl_torn": [1], "cpu_s": 0.1, "f_evals": 7}]"#)
                .unwrap();
        assert_eq!((list[0].torn(), list[0].f_evals, list[0].steps), (6, Some(7), None));
        assert!(read("{}").is_err());
    }
}
