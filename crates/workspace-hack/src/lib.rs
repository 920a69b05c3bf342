//! Nothing to call: the dependencies of this package choose the features of third-party crates once for the whole workspace.
//!
//! Every room at the bottom depends on it, so that whatever selection of packages a command names, what is below them is
//! compiled with the same features, once.
