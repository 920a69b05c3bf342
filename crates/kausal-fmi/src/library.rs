//! The ready-made library that goes into FMUs: where it is.
//!
//! 1. what `KAUSAL_FMU_RUNTIME` names: a file, or a folder with one folder for each platform (`x86_64-linux/libkausal_fmu.so`, …), all
//!    of which go into the FMU;
//! 2. beside the program, as `cargo build` leaves it;
//! 3. in `../lib/kausal` as seen from the program, as it is installed.

use std::path::{Path, PathBuf};

use kausal::Diagnostic;

/// The variable that names it.
pub const VARIABLE: &str = "KAUSAL_FMU_RUNTIME";

/// A library for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The platform.
    pub platform: Platform,
    /// Its file.
    pub path: PathBuf,
}

/// A platform, by the names of both standards (FMI 3.0, section 2.5.1.4.1; FMI 2.0.4, section 2.3), and the endings of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// By FMI 3.0.
    pub three: &'static str,
    /// By FMI 2.0, where it has a name for it.
    pub two: Option<&'static str>,
    /// How the names of libraries end.
    pub ending: &'static str,
    /// How they begin where Rust makes them.
    pub beginning: &'static str,
}

/// All platforms that Kausal runs on.
pub const PLATFORMS: [Platform; 6] = [
    Platform { three: "x86_64-linux", two: Some("linux64"), ending: ".so", beginning: "lib" },
    Platform { three: "aarch64-linux", two: Some("aarch64-linux"), ending: ".so", beginning: "lib" },
    Platform { three: "x86_64-windows", two: Some("win64"), ending: ".dll", beginning: "" },
    Platform { three: "aarch64-windows", two: Some("aarch64-windows"), ending: ".dll", beginning: "" },
    Platform { three: "x86_64-darwin", two: Some("darwin64"), ending: ".dylib", beginning: "lib" },
    Platform { three: "aarch64-darwin", two: Some("aarch64-darwin"), ending: ".dylib", beginning: "lib" },
];

impl Platform {
    /// The one this program was made for.
    pub fn here() -> Option<Platform> {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        let name = format!("{}-{os}", std::env::consts::ARCH);
        PLATFORMS.into_iter().find(|platform| platform.three == name)
    }

    fn file(&self) -> String {
        format!("{}kausal_fmu{}", self.beginning, self.ending)
    }
}

/// The libraries that there are.
///
/// # Errors
/// Where there is none: the places that were looked at.
pub fn find() -> Result<Vec<Library>, Diagnostic> {
    let here = Platform::here();
    let mut looked = Vec::new();
    if let Some(named) = std::env::var_os(VARIABLE) {
        return of_variable(Path::new(&named), here);
    }
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let Some(platform) = here else {
        let what = format!("there is no library for FMUs on {}", std::env::consts::OS);
        return Err(
            Diagnostic::error("K0710", what).help(format!("name one for another platform with {VARIABLE}"))
        );
    };
    for folder in [folder.to_owned(), folder.join("deps"), folder.join("../lib/kausal")] {
        let path = folder.join(platform.file());
        if path.is_file() {
            return Ok(vec![Library { platform, path }]);
        }
        looked.push(path.display().to_string());
    }
    let message = format!("the library for FMUs was not found; looked for {}", looked.join(", "));
    Err(Diagnostic::error("K0710", message).help(format!(
        "`cargo build --release -p kausal-fmu` makes it; put it beside the program, or name it with {VARIABLE}"
    )))
}

fn of_variable(named: &Path, here: Option<Platform>) -> Result<Vec<Library>, Diagnostic> {
    if let (true, Some(platform)) = (named.is_file(), here) {
        return Ok(vec![Library { platform, path: named.to_owned() }]);
    }
    let of =
        |platform: Platform| Library { platform, path: named.join(platform.three).join(platform.file()) };
    let found: Vec<Library> =
        PLATFORMS.into_iter().map(of).filter(|library| library.path.is_file()).collect();
    match found.is_empty() {
        false => Ok(found),
        true => {
            let message = format!("{VARIABLE} names {}, which is no library and has none", named.display());
            let help = "a file, or a folder with files like x86_64-linux/libkausal_fmu.so";
            Err(Diagnostic::error("K0710", message).help(help))
        }
    }
}
