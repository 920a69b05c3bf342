//! `kausal lsp`.

use std::sync::Arc;

use kausal::files::{BUILT_IN, DiskAndBuiltIn};
use kausal::{Diagnostic, Sources};

use crate::arguments::Lsp;
use crate::output;

pub fn run(arguments: &Lsp) -> bool {
    let mut folders = vec![BUILT_IN.to_owned()];
    folders.extend(arguments.libraries.iter().map(|f| f.to_string_lossy().into_owned()));
    if let Some(paths) = std::env::var_os("MODELICAPATH") {
        folders.extend(std::env::split_paths(&paths).map(|f| f.to_string_lossy().into_owned()));
    }
    match kausal_lsp::serve_stdio(Arc::new(|| Box::new(DiskAndBuiltIn)), folders) {
        Ok(()) => true,
        Err(message) => {
            let diagnostic = Diagnostic::error("K0901", format!("the editor cannot be served: {message}"));
            output::show(&[diagnostic], &Sources::default());
            false
        }
    }
}
