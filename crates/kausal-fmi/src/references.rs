//! Value references: which number names which variable, the same in the model description and in the library inside FMUs.
//!
//! | reference | names |
//! | --- | --- |
//! | 0 | time |
//! | 1 + v | the variable `v` of the program |
//! | 1 + n + k | the derivative of state `k`, where another state has the same one |
//! | 1 + n + states + i | event indicator `i` |
//! | 1 + n + states + indicators + s | how Co-Simulation integrates: setting `s` |

use kausal_runtime::simulation::exchange::watched;
use kausal_symbolic::VarId;
use kausal_translate::Program;

/// What a value reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The independent variable.
    Time,
    /// A variable of the program.
    Variable(VarId),
    /// The derivative of a state, by the place of the state.
    Derivative(usize),
    /// An event indicator.
    Indicator(usize),
    /// How Co-Simulation integrates.
    Setting(Setting),
}

/// How Co-Simulation integrates: parameters that are the FMU's and not the model's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The name of the method.
    Method,
    /// The step of methods with steps of one size; zero for others.
    Step,
}

impl Setting {
    /// All of them, in the order of their references.
    pub const ALL: [Setting; 2] = [Setting::Method, Setting::Step];
}

impl Reference {
    /// The number of it.
    pub fn number(self, program: &Program) -> u32 {
        let variables = program.variables.len() as u32;
        match self {
            Reference::Time => 0,
            Reference::Variable(v) => 1 + v.0,
            Reference::Derivative(k) => 1 + variables + k as u32,
            Reference::Indicator(i) => 1 + variables + (program.states.len() + i) as u32,
            Reference::Setting(setting) => {
                let place = Setting::ALL.iter().position(|other| *other == setting).unwrap_or_default();
                Reference::Indicator(watched(program).len() + place).number(program)
            }
        }
    }

    /// What a number names, if anything.
    pub fn of(program: &Program, number: u32) -> Option<Reference> {
        let Some(index) = number.checked_sub(1) else { return Some(Reference::Time) };
        let (index, variables, states) = (index as usize, program.variables.len(), program.states.len());
        let indicators = watched(program).len();
        match index {
            _ if index < variables => Some(Reference::Variable(VarId(index as u32))),
            _ if index < variables + states => Some(Reference::Derivative(index - variables)),
            _ if index < variables + states + indicators => {
                Some(Reference::Indicator(index - variables - states))
            }
            _ => Setting::ALL.get(index - variables - states - indicators).copied().map(Reference::Setting),
        }
    }
}

/// What names a model and its runtime library together: a digest of the stored model (FNV-1a, 128 bits), in the form of a UUID.
pub fn token(stored: &[u8]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let digest = stored.iter().fold(BASIS, |digest, byte| (digest ^ u128::from(*byte)).wrapping_mul(PRIME));
    let hex = format!("{digest:032x}");
    format!("{{{}-{}-{}-{}-{}}}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the authors' draft (draft-eastlake-fnv): the empty text and "a".
    #[test]
    fn digests_are_those_of_fnv() {
        assert_eq!(token(b""), "{6c62272e-07bb-0142-62b8-21756295c58d}");
        assert_eq!(token(b"a"), "{d228cb69-6f1a-8caf-7891-2b704e4a8964}");
    }
}
