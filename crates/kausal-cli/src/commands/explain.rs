//! `kausal explain`.

use kausal::explain::{self, Extent};
use kausal::store::unwritable;

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
    if let Some(path) = &arguments.html {
        let page = explain::html::write(&flat, &program, session.sources());
        return match std::fs::write(path, page) {
            Ok(()) => true,
            Err(error) => !output::show(&[unwritable(path, None, &error)], session.sources()),
        };
    }
    let extent = Extent { equations: arguments.equations };
    output::print(&explain::text(&flat, &program, session.sources(), extent));
    true
}
