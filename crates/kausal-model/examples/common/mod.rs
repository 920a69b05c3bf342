//! A workspace that reads a library from disk, for the examples that go over one.

use kausal_model::{Files, Workspace};

struct Disk;

impl Files for Disk {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        Some(entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect())
    }
    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

/// With the libraries of a folder.
pub fn workspace(folder: &str) -> Workspace {
    let mut workspace = Workspace::new(Box::new(Disk));
    workspace.add_folder(folder);
    workspace
}
