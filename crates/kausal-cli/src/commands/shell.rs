//! `kausal completions` and `kausal man`: help for the shell, made from the arguments themselves.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
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
    if arguments.markdown {
        output::print(&markdown());
        return true;
    }
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

/// The reference of all commands as a page of the guide. Writing to a string cannot fail.
fn markdown() -> String {
    let mut root = Arguments::command();
    root.build();
    let mut out = String::from(
        "<!-- Generated: kausal man --markdown > docs/src/commands.md -->\n\n# Command reference\n\n\
         This page is made from the program's own help; `kausal COMMAND --help` prints the same in the terminal.\n\
         Exit codes: 0 done, 1 the model or the result is wrong, 2 wrong usage.\n\n\
         These options go with every command:\n\n",
    );
    let is_own = |root: &Command, arg: &Arg| {
        let everywhere = arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
        root.get_name() == "kausal" || !everywhere
    };
    options(&mut out, &root, &is_own);
    for command in root.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        let _ = writeln!(out, "\n## kausal {}\n", command.get_name());
        if let Some(about) = command.get_about() {
            let _ = writeln!(out, "{}.\n", plain(about));
        }
        let usage = plain(&command.clone().render_usage());
        let _ = writeln!(out, "```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
        options(&mut out, command, &is_own);
        if let Some(after) = command.get_after_help() {
            let _ = writeln!(out, "\n```text\n{}\n```", plain(after));
        }
    }
    out
}

/// One line for each argument and option of a command.
fn options(out: &mut String, command: &Command, wanted: &dyn Fn(&Command, &Arg) -> bool) {
    for arg in command.get_arguments().filter(|a| !a.is_hide_set() && wanted(command, a)) {
        let values: Vec<String> =
            arg.get_value_names().unwrap_or_default().iter().map(|name| format!("<{name}>")).collect();
        let takes_value = arg.get_action().takes_values();
        let mut names = Vec::new();
        names.extend(arg.get_short().map(|c| format!("-{c}")));
        names.extend(arg.get_long().map(|name| format!("--{name}")));
        let mut name = names.join(", ");
        if takes_value {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&values.join(" "));
        }
        let help = arg.get_help().map(plain).unwrap_or_default();
        let mut notes = Vec::new();
        let choices: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|v| takes_value && !v.is_hide_set())
            .map(|v| format!("`{}`", v.get_name()))
            .collect();
        if !choices.is_empty() {
            notes.push(format!("one of {}", choices.join(", ")));
        }
        let defaults: Vec<String> =
            arg.get_default_values().iter().map(|v| format!("`{}`", v.to_string_lossy())).collect();
        if takes_value && !defaults.is_empty() {
            notes.push(format!("default {}", defaults.join(", ")));
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        let _ = writeln!(out, "- `{name}`: {}{notes}", help.replace('<', "&lt;"));
    }
}

fn plain(text: &StyledStr) -> String {
    text.to_string().trim().to_owned()
}
