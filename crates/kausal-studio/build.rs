//! Builds the page (`studio/`, TypeScript) where Node is there. Without it the crate builds all the same, and
//! [`is_available`](../src/lib.rs) says that it has no page.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources of the page are.
const SOURCES: &str = "../../studio";
/// What is not copied: made by tools, or not part of the page.
const LEFT_OUT: [&str; 4] = ["node_modules", "dist", "tests", "test-results"];

fn main() {
    println!("cargo::rerun-if-env-changed=KAUSAL_WITHOUT_NODE");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let page = out.join("dist");
    let _ = std::fs::remove_dir_all(&page);
    let made =
        std::env::var_os("KAUSAL_WITHOUT_NODE").is_none() && bundle(&out, &page) && pack(&page).is_ok();
    if !made {
        // An empty folder is what the crate takes for none.
        let _ = std::fs::remove_dir_all(&page);
        let _ = std::fs::create_dir_all(&page);
    }
}

/// Installs what the lock file names in a folder of the build and makes the page there.
fn bundle(out: &Path, page: &Path) -> bool {
    let folder = out.join("page");
    if !Path::new(SOURCES).join("package-lock.json").is_file() || copy(Path::new(SOURCES), &folder).is_err() {
        return false;
    }
    let npm = |arguments: &[&str]| {
        let run = Command::new("npm").args(arguments).current_dir(&folder).env("KAUSAL_OUT", page).output();
        run.is_ok_and(|output| output.status.success())
    };
    npm(&["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"])
        && npm(&["run", "build"])
        && page.join("index.html").is_file()
}

/// Packs each file where it lies.
fn pack(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pack(&path)?;
        } else {
            std::fs::write(&path, kausal_pack::pack(&std::fs::read(&path)?))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|n| name == *n) {
            continue;
        }
        let (path, target) = (entry.path(), to.join(&name));
        if entry.file_type()?.is_dir() {
            copy(&path, &target)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
