//! The files a model writes: where they go, and what is said about them.

use std::path::{Path, PathBuf};

use kausal::RunFiles;

use crate::arguments::Simulate;

/// Where the files of a run go: to a folder beside its first result, or else in the working directory, which is made
/// when the first file comes. What the run itself writes is not the model's.
pub fn files(arguments: &Simulate, model: &str) -> RunFiles {
    let beside = arguments.output.first().and_then(|path| path.parent()).unwrap_or(Path::new(""));
    let own = [&arguments.output, &arguments.plot_file].into_iter().flatten();
    RunFiles {
        folder: Some(beside.join(format!("{}-files", plain(model)))),
        outputs: own
            .chain(&arguments.report)
            .chain(&arguments.animate)
            .chain(&arguments.save_state)
            .cloned()
            .collect(),
    }
}

/// A name that every file system takes.
fn plain(model: &str) -> String {
    const LONGEST: usize = 200;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = model.chars().map(|c| if fits(c) { c } else { '_' }).take(LONGEST).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

/// What the model has written, line by line.
pub fn text(files: &[PathBuf]) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let shown = |path: &PathBuf| path.strip_prefix(&here).unwrap_or(path).display().to_string();
    files.iter().map(|path| format!("written by the model: {}\n", shown(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders() {
        assert_eq!(plain("A.B_1"), "A.B_1");
        assert_eq!(plain("A.'../x y'"), "A._.._x_y_");
        assert_eq!(plain(".a"), "_.a");
        assert!(plain(&"a".repeat(999)).len() <= 200);
    }
}
