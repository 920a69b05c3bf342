//! From wrappers to a shared object: files in a folder of their own, and the system's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::glue::{self, Declared};

const HEADER: &str = include_str!("ModelicaUtilities.h");
const UTILITIES: &str = include_str!("utilities.c");

/// Lines of the compiler's message that are shown.
const SHOWN: usize = 12;

/// What a file with code may be called in a folder with libraries.
const LIBRARY_FILES: [(&str, &str); 3] = [("lib", "so"), ("lib", "a"), ("lib", "dylib")];

/// Where the shared object finds the libraries that it loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Libraries {
    /// Where they are found now.
    WhereTheyAre,
    /// Beside itself.
    Beside,
}

/// Compiles wrappers and what they need; gives the shared object in the folder.
pub(crate) fn build(list: &[Declared], folder: &Path, at: Libraries) -> Result<PathBuf, String> {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text)
            .map_err(|error| format!("cannot write {}: {error}", folder.join(name).display()))
    };
    write("wrappers.c", &glue::write(list)?)?;
    write("ModelicaUtilities.h", HEADER)?;
    write("utilities.c", UTILITIES)?;
    let object = folder.join("wrappers.so");
    let (compiler, mut command) = compiler();
    command.args(["-O2", "-fPIC", "-shared"]);
    // What would be called with wrong types gives numbers that look right.
    let wrong = ["implicit-function-declaration", "incompatible-pointer-types", "int-conversion"];
    command.args(wrong.map(|what| format!("-Werror={what}")));
    // exit() and _exit() have versions of their own in utilities.c; that file ends the process with this one.
    command.arg("-D_Exit=kausal_Exit");
    if cfg!(target_os = "linux") {
        command.arg("-Wl,-z,defs");
    }
    command.arg("-I").arg(folder);
    let mut folders: Vec<&str> = Vec::new();
    for declared in list {
        let view = &declared.body.view;
        for at in view.include_folders.iter().chain(&view.source_folders) {
            if !folders.contains(&at.as_str()) && Path::new(at).is_dir() {
                folders.push(at);
                command.arg("-I").arg(at);
            }
        }
    }
    command.arg("-o").arg(&object).arg(folder.join("wrappers.c")).arg(folder.join("utilities.c"));
    libraries(list, at, &mut command);
    command.arg("-lm");
    let output = command.output().map_err(|error| {
        format!("the C compiler {compiler} cannot be started: {error}; install one, or name it in the environment variable CC")
    })?;
    if !output.status.success() {
        return Err(explain(&compiler, &String::from_utf8_lossy(&output.stderr), folder));
    }
    Ok(object)
}

/// The compiler: `$CC`, which may have options, or `cc`.
fn compiler() -> (String, Command) {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or("cc").to_owned();
    let mut command = Command::new(&program);
    command.args(words).env("LC_ALL", "C");
    (program, command)
}

/// The libraries of all functions, each once: from their folders, from sources, or of the system.
fn libraries(list: &[Declared], at: Libraries, command: &mut Command) {
    let mut done: Vec<(&str, &[String])> = Vec::new();
    for declared in list {
        let view = &declared.body.view;
        for (_, name) in declared.body.annotations.iter().filter(|(n, _)| n == "Library") {
            let key = (name.as_str(), &view.library_folders[..]);
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            if let Some(file) = library_file(name, &view.library_folders) {
                linked(&file, at, command);
            } else {
                let sources = source_files(name, &view.source_folders);
                match sources.is_empty() {
                    true => _ = command.arg(format!("-l{name}")),
                    false => _ = command.args(sources),
                }
            }
        }
    }
}

/// Adds a library: by its path, and found again there; or by its name, and found beside the shared object.
fn linked(file: &Path, at: Libraries, command: &mut Command) {
    let folder = file.parent().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    match (at, folder, file.file_name()) {
        (Libraries::Beside, Some(folder), Some(name)) if is_shared(file) => {
            let beside = if cfg!(target_os = "macos") { "@loader_path" } else { "$ORIGIN" };
            command.arg(format!("-Wl,-rpath,{beside}"));
            // Without a name of its own a library is looked for by what the linker was told.
            match cfg!(target_os = "linux") {
                true => {
                    command.arg("-L").arg(folder).arg(format!("-l:{}", name.to_string_lossy()));
                }
                false => _ = command.arg(file),
            }
        }
        (Libraries::WhereTheyAre, Some(folder), _) => {
            command.arg(format!("-Wl,-rpath,{}", folder.display())).arg(file);
        }
        _ => _ = command.arg(file),
    }
}

fn is_shared(file: &Path) -> bool {
    file.extension().is_none_or(|end| end != "a" && end != "lib" && end != "o")
}

/// The files of libraries that are loaded with the wrappers, not linked into them.
pub(crate) fn shared_libraries(list: &[Declared]) -> Vec<PathBuf> {
    let files = list.iter().flat_map(|declared| {
        let folders = &declared.body.view.library_folders;
        let named = declared.body.annotations.iter().filter(|(n, _)| n == "Library");
        named.filter_map(|(_, name)| library_file(name, folders)).filter(|file| is_shared(file))
    });
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files.dedup();
    files
}

/// A library in one of the folders, or in that of the platform below it.
fn library_file(name: &str, folders: &[String]) -> Option<PathBuf> {
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "32" };
    let platform = match std::env::consts::OS {
        "linux" => format!("linux{bits}"),
        "macos" => format!("darwin{bits}"),
        other => format!("{other}{bits}"),
    };
    let places = folders.iter().map(Path::new).flat_map(|folder| [folder.join(&platform), folder.to_owned()]);
    places
        .flat_map(|place| {
            let named = LIBRARY_FILES.iter().map(|(before, end)| format!("{before}{name}.{end}"));
            named.chain([name.to_owned()]).map(move |file| place.join(file)).collect::<Vec<PathBuf>>()
        })
        .find(|file| file.is_file())
}

/// The sources of a library that was not compiled: `name.c`, or all files of C in the folder `name`.
fn source_files(name: &str, folders: &[String]) -> Vec<PathBuf> {
    for folder in folders {
        let one = Path::new(folder).join(format!("{name}.c"));
        if one.is_file() {
            return vec![one];
        }
        let Ok(entries) = std::fs::read_dir(Path::new(folder).join(name)) else { continue };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "c"));
        files.sort();
        if !files.is_empty() {
            return files;
        }
    }
    Vec::new()
}

/// What a compiler said, without the names of our own files.
fn explain(compiler: &str, said: &str, folder: &Path) -> String {
    let said = said.replace(&format!("{}/", folder.display()), "");
    for line in said.lines() {
        for (before, after) in [("cannot find -l", ':'), ("library not found for -l", '\n')] {
            if let Some((_, name)) = line.split_once(before) {
                let name = name.split(after).next().unwrap_or(name).trim();
                return format!(
                    "there is no library {name}: neither in the folders of the declaration nor in the system"
                );
            }
        }
        if let Some((_, name)) = line.split_once("undefined reference to ") {
            let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            return format!(
                "there is no function {name} in the code and libraries of the declaration: is Include or Library missing?"
            );
        }
    }
    let lines: Vec<&str> = said.lines().collect();
    let first = lines.iter().position(|line| line.contains("error")).unwrap_or(0);
    let shown = &lines[first..lines.len().min(first + SHOWN)];
    format!("{compiler} cannot compile it:\n{}", shown.join("\n"))
}

/// Is there a compiler? For tests, which say that they skip without one.
pub fn has_compiler() -> bool {
    compiler().1.arg("--version").output().is_ok_and(|output| output.status.success())
}
