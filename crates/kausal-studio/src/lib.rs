//! # kausal-studio: models in the browser
//!
//! A server on this machine and the page it serves: see a model, change it, run it, watch it move.
//!
//! ```text
//! server      who may ask; calls, events and the files of the page
//! calls       the name of a call → who answers it (the contract is studio/src/api.ts)
//! studio      what all share: desk, runs, language server, events, permissions
//! desk        texts that are edited, with their history, and classes as they are drawn
//! pictures    diagrams as the page has them, and what of them an edit changed
//! dialogs     parameters
//! disk        what other programs write below the opened folders
//! runs        models that are translated and run; results
//! why         explanations, linearisation, sweeps
//! language    the language server: diagnostics, completion, definitions
//! catalogue   all classes by name: search and usage
//! ```
//!
//! **The text is the model**: pictures and dialogs are made of it, edits change it (`kausal-edit`). **Nothing is translated where
//! somebody edits.** Files are written below the opened folders only, and only when they are saved.

mod calls;
mod catalogue;
mod desk;
mod dialogs;
mod disk;
mod failure;
mod language;
mod pictures;
mod places;
mod runs;
mod server;
mod studio;
mod units;
mod why;

use std::path::PathBuf;

pub use server::{Listening, is_available};

/// What is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folders whose files can be changed.
    pub folders: Vec<PathBuf>,
    /// Folders with libraries besides those of `MODELICAPATH`.
    pub libraries: Vec<PathBuf>,
    /// The port; any that is free with 0.
    pub port: u16,
    /// The page is read from this folder instead of the one that was built in.
    pub page: Option<PathBuf>,
}

/// Opens a studio that listens; [`Listening::serve`] serves it.
pub fn open(options: Options) -> std::io::Result<Listening> {
    let studio = studio::Studio::new(&options.folders, &options.libraries);
    Listening::new(studio, options.port, options.page)
}
