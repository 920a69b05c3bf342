//! `kausal completions` and `kausal man`: help for the shell, made from the arguments themselves.

use clap::CommandFactory;
use clap_mangen::Man;

use super::results::fail;
use crate::arguments::{Arguments, Completions, ManPages};
use crate::output;

pub fn completions(arguments: &Completions) -> bool {
    let mut out = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "kausal", &mut out);
    output::print(&String::from_utf8_lossy(&out));
    true
}

pub fn man(arguments: &ManPages) -> bool {
    if let Some(folder) = &arguments.folder {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
        return match written {
            Ok(()) => true,
            Err(error) => fail("K0907", &format!("cannot write to {}: {error}", folder.display())),
        };
    }
    let mut out = Vec::new();
    match Man::new(Arguments::command()).render(&mut out) {
        Ok(()) => output::print(&String::from_utf8_lossy(&out)),
        Err(error) => return fail("K0907", &error.to_string()),
    }
    true
}
