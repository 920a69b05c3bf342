//! `kausal studio`.

use std::io::Write;
use std::path::PathBuf;

use kausal::{Diagnostic, Sources};

use crate::arguments::Studio;
use crate::output;

pub fn run(arguments: &Studio) -> bool {
    let refuse = |diagnostic: Diagnostic| {
        output::show(&[diagnostic], &Sources::default());
        false
    };
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    if !folder.is_dir() {
        let message = format!("the folder {} does not exist", folder.display());
        return refuse(
            Diagnostic::error("K0901", message).help("name a folder with models, or none for this one"),
        );
    }
    if arguments.page.is_none() && !kausal_studio::is_available() {
        let message = "this program was built without Node.js, which the page of the studio comes from";
        return refuse(
            Diagnostic::error("K0932", message)
                .help("install Node.js 20 or later and build the program again"),
        );
    }
    let options = kausal_studio::Options {
        folders: vec![folder],
        libraries: arguments.libraries.clone(),
        port: arguments.port,
        page: arguments.page.clone(),
    };
    let failed = |what: &str, error: std::io::Error| {
        let diagnostic = Diagnostic::error("K0933", format!("the studio {what}: {error}"));
        refuse(diagnostic.help("choose another port with --port, or 0 for one that is free"))
    };
    let listening = match kausal_studio::open(options) {
        Ok(listening) => listening,
        Err(error) => return failed(&format!("cannot listen on port {}", arguments.port), error),
    };
    let address = listening.address();
    println!("{address}");
    let _ = std::io::stdout().flush();
    if !arguments.no_browser {
        output::browse(address.as_ref());
    }
    match listening.serve() {
        Ok(()) => true,
        Err(error) => failed("ended", error),
    }
}
