//! FMUs of others: read, written as Modelica blocks, run.
//!
//! ```text
//! model.fmu ── archive ─→ files ── read ─→ Interface ── block ─→ Modelica text, a component like any other
//!                                               └─ host ─→ functions of that block, called in the run
//! ```
//!
//! - [`archive`]: the zip archive, none of which is believed
//! - [`read`]: its `modelDescription.xml`, in both versions of the standard, as an [`Interface`](interface::Interface)
//! - [`interface`]: what there is to know about an FMU
//! - [`block`]: the Modelica block
//! - [`host`]: runs the functions that the block calls, as the rest of the program knows them
//! - [`instance`]: one instance: its mode, what was set last, how an event is passed
//! - `foreign`: the functions of the library, the only unsafe lines here
//!
//! **A component is a function of time, states and inputs** between its events, and an event is a call that changes what that
//! function is. So the block has an Integer, the epoch, that counts events: derivatives, outputs and event indicators are external
//! functions of epoch, time, states and inputs. The translator sorts, differentiates and shares them like any other function, the
//! integrator has the states, relations on the indicators are located like any other relation.

pub mod archive;
pub mod block;
mod foreign;
pub mod host;
pub mod instance;
pub mod interface;
pub mod read;

use std::path::{Path, PathBuf};

use kausal::Diagnostic;
use tempfile::TempDir;

use crate::export::Version;
use crate::library::Platform;
use archive::Archive;
use interface::{Interface, Role};

/// The description of the model, in the archive.
const DESCRIPTION: &str = "modelDescription.xml";

/// An FMU that was read. None of its code has run.
#[derive(Debug)]
pub struct Fmu {
    /// Its file.
    pub path: PathBuf,
    /// What it says about itself.
    pub interface: Interface,
    /// The files of the archive.
    files: Vec<String>,
}

impl Fmu {
    /// Reads an FMU.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn open(path: &Path) -> Result<Fmu, Vec<Diagnostic>> {
        let mut archive = Archive::open(path).map_err(|d| vec![d])?;
        let text = archive.text(DESCRIPTION).map_err(|d| vec![d])?;
        let interface = read::interface(&text)
            .map_err(|list| list.into_iter().map(|d| named(d, path)).collect::<Vec<_>>())?;
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Fmu { path, interface, files: archive.names().to_vec() })
    }

    /// How it can be used: as is asked for, or the first that it offers.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn role(&self, asked: Option<Role>) -> Result<Role, Diagnostic> {
        let offered = &self.interface;
        let offers = |role: Role| offered.kind(role).is_some();
        let role = match asked {
            Some(role) => offers(role).then_some(role),
            None => [Role::ModelExchange, Role::CoSimulation].into_iter().find(|role| offers(*role)),
        };
        role.ok_or_else(|| {
            let mut there: Vec<&str> = [Role::ModelExchange, Role::CoSimulation]
                .into_iter()
                .filter(|role| offers(*role))
                .map(Role::words)
                .collect();
            if offered.scheduled {
                there.push("Scheduled Execution");
            }
            let there = if there.is_empty() { "nothing".to_owned() } else { there.join(" and ") };
            let wanted = asked.map_or("Model Exchange or Co-Simulation", Role::words);
            let message = format!("{} is for {there}, not for {wanted}", self.path.display());
            let other = offered.exchange.is_some() || offered.co_simulation.is_some();
            Diagnostic::error("K0726", message).help(match other {
                true => "take what it is for, or export it again for both",
                false => "Scheduled Execution needs a scheduler for clocks, which Kausal does not have",
            })
        })
    }

    /// The library for this platform, in the archive.
    ///
    /// # Errors
    /// Where there is none: those that there are.
    pub fn binary(&self, role: Role) -> Result<String, Diagnostic> {
        let identifier = self.interface.kind(role).map_or("", |kind| kind.identifier.as_str());
        let here = Platform::here();
        let folder = here.and_then(|platform| match self.interface.version {
            Version::Two => platform.two,
            Version::Three => Some(platform.three),
        });
        let name = here
            .zip(folder)
            .map(|(platform, folder)| format!("binaries/{folder}/{identifier}{}", platform.ending));
        if let Some(name) = name.as_ref().filter(|name| self.files.contains(name)) {
            return Ok(name.clone());
        }
        let mut there: Vec<&str> = self
            .files
            .iter()
            .filter_map(|file| file.strip_prefix("binaries/")?.split_once('/'))
            .filter(|(_, rest)| !rest.is_empty())
            .map(|(folder, _)| folder)
            .collect();
        there.sort_unstable();
        there.dedup();
        let wanted = name.unwrap_or_else(|| format!("a library for {}", std::env::consts::OS));
        let message = format!("{} has no {wanted}", self.path.display());
        let help = match (there.is_empty(), self.files.iter().any(|file| file.starts_with("sources/"))) {
            (false, _) => format!("it has libraries for {}", there.join(", ")),
            (true, true) => "it has sources only: compile them to a library for this platform".to_owned(),
            (true, false) => "it has no library at all".to_owned(),
        };
        Err(Diagnostic::error("K0727", message).help(help))
    }

    /// Unpacks it into a folder that is removed with what is given back.
    ///
    /// # Errors
    /// Where that is impossible.
    pub fn unpack(&self) -> Result<TempDir, Diagnostic> {
        let broken = |error: std::io::Error| {
            let message = format!("{} cannot be unpacked: {error}", self.path.display());
            Diagnostic::error("K0720", message)
        };
        let folder = tempfile::Builder::new().prefix("kausal-fmu-").tempdir().map_err(broken)?;
        Archive::open(&self.path)?.unpack(folder.path())?;
        // The standard promises the folder to the FMU.
        std::fs::create_dir_all(folder.path().join("resources")).map_err(broken)?;
        Ok(folder)
    }
}

/// Says which FMU it is about.
fn named(mut d: Diagnostic, path: &Path) -> Diagnostic {
    d.message = format!("{}: {}", path.display(), d.message);
    d
}
