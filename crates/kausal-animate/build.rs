//! Bundles the page's script with three.js and uPlot where Node is there. Without it the crate builds all the same, and
//! [`page`](../src/lib.rs) says that it has no script.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the bundle is made of.
const SOURCES: [&str; 3] = ["package.json", "package-lock.json", "page.js"];

fn main() {
    for name in SOURCES {
        println!("cargo::rerun-if-changed=page/{name}");
    }
    println!("cargo::rerun-if-changed=page/page.html");
    println!("cargo::rerun-if-env-changed=KAUSAL_WITHOUT_NODE");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let script = out.join("page.js");
    let style = out.join("uPlot.min.css");
    let made = std::env::var_os("KAUSAL_WITHOUT_NODE").is_none()
        && bundle(&out, &script, &style)
        && std::fs::read(&script)
            .is_ok_and(|bytes| std::fs::write(&script, kausal_pack::pack(&bytes)).is_ok());
    if !made {
        // An empty script is what the crate takes for none.
        let _ = std::fs::write(&script, "");
        let _ = std::fs::write(&style, "");
    }
}

/// Installs what the lock file names in a folder of the build and bundles it.
fn bundle(out: &Path, script: &Path, style: &Path) -> bool {
    let folder = out.join("page");
    if std::fs::create_dir_all(&folder).is_err() {
        return false;
    }
    for name in SOURCES {
        if std::fs::copy(Path::new("page").join(name), folder.join(name)).is_err() {
            return false;
        }
    }
    let npm = |arguments: &[&str]| {
        let run = Command::new("npm").args(arguments).current_dir(&folder).env("KAUSAL_OUT", script).output();
        run.is_ok_and(|output| output.status.success())
    };
    npm(&["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"])
        && npm(&["run", "build"])
        && std::fs::copy(folder.join("node_modules/uplot/dist/uPlot.min.css"), style).is_ok()
}
