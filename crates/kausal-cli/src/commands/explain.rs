//! `kausal explain`.

use kausal::explain::{self, Extent};

use super::model;
use crate::arguments::Explain;
use crate::output;

pub fn run(arguments: &Explain) -> bool {
    let mut session = model::session(&arguments.model);
    let mut codes = Vec::new();
    let found = model::program_and_codes(&mut session, &arguments.model, &arguments.translation, &mut codes);
    let Some((flat, program)) = found else {
        codes.dedup();
        for advice in codes.iter().filter_map(|code| explain::advice(code)) {
            output::print(&format!("{advice}\n"));
        }
        return false;
    };
    let extent = Extent { equations: arguments.equations };
    output::print(&explain::text(&flat, &program, session.sources(), extent));
    true
}
