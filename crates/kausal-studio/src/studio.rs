//! What all calls share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use kausal::files::{BUILT_IN, Buffers};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::catalogue::Catalogue;
use crate::desk::Desk;
use crate::disk;
use crate::failure::Failure;
use crate::language::Language;
use crate::runs::Runs;

/// Events that somebody who listens slowly may be behind.
const EVENTS: usize = 4096;
/// How often somebody looks whether other programs changed files.
const LOOK: Duration = Duration::from_secs(1);

/// All there is.
pub struct Studio {
    /// Texts and pictures.
    pub desk: Mutex<Desk>,
    /// Runs.
    pub runs: Runs,
    /// What the language server knows.
    pub language: Language,
    /// All classes by name.
    pub catalogue: Arc<RwLock<Catalogue>>,
    /// What the page hears, line by line.
    pub events: broadcast::Sender<Arc<str>>,
    /// What the page wants to find again after it is loaded anew.
    pub state: Mutex<Value>,
    permissions: Mutex<Permissions>,
    /// What was below the opened folders when somebody looked last.
    disk: Mutex<Option<disk::Stamps>>,
    /// Where texts come from.
    pub places: Places,
}

/// Where texts come from.
#[derive(Clone, Debug)]
pub struct Places {
    /// Folders that are opened.
    pub opened: Arc<RwLock<Vec<PathBuf>>>,
    /// Folders of libraries.
    pub libraries: Vec<PathBuf>,
    /// Texts that are edited.
    pub buffers: Buffers,
}

#[derive(Default)]
struct Permissions {
    asked: HashMap<String, String>,
    allowed: Vec<String>,
    next: AtomicU64,
}

/// New models live below it until they are saved.
pub const MEMORY: &str = "memory:";

impl Places {
    /// The folders that packages are searched in: opened ones, those of libraries.
    pub fn search(&self) -> Vec<String> {
        let mut out = vec![MEMORY.to_owned()];
        for root in self.opened.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // A folder that is a package is found in the folder it is in.
            let is_package = root.join("package.mo").is_file();
            let folder = if is_package { root.parent().unwrap_or(root) } else { root };
            out.push(folder.to_string_lossy().into_owned());
        }
        out.extend(self.libraries.iter().map(|f| f.to_string_lossy().into_owned()));
        if let Some(paths) = std::env::var_os("MODELICAPATH") {
            out.extend(std::env::split_paths(&paths).map(|f| f.to_string_lossy().into_owned()));
        }
        out
    }

    /// A session with these texts.
    pub fn session(&self) -> kausal::Session {
        let files = kausal::files::WithBuffers(self.buffers.clone());
        let mut session = kausal::Session::reading(Box::new(files));
        for folder in self.search() {
            session.add_folder(&folder);
        }
        session
    }

    /// May a file be changed: is it below an opened folder, with all links followed, or in memory?
    pub fn is_editable(&self, file: &str) -> bool {
        if file.starts_with(BUILT_IN) || file.split('/').any(|part| part == "..") {
            return false;
        }
        if let Some(rest) = file.strip_prefix(MEMORY) {
            return rest.matches('/').count() == 1;
        }
        let path = Path::new(file);
        let real = path.canonicalize().or_else(|_| {
            // A new file: its folder has to be there.
            let folder = path.parent().unwrap_or(Path::new("")).canonicalize()?;
            Ok::<_, std::io::Error>(folder.join(path.file_name().unwrap_or_default()))
        });
        let Ok(real) = real else { return false };
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        file.ends_with(".mo") && opened.iter().any(|folder| real.starts_with(folder))
    }
}

impl Studio {
    /// A studio with these folders.
    pub fn new(folders: &[PathBuf], libraries: &[PathBuf]) -> Arc<Studio> {
        let opened: Vec<PathBuf> = folders.iter().filter_map(|f| f.canonicalize().ok()).collect();
        let places = Places {
            opened: Arc::new(RwLock::new(opened)),
            libraries: libraries.to_vec(),
            buffers: Buffers::default(),
        };
        let (events, _) = broadcast::channel(EVENTS);
        let studio = Studio {
            desk: Mutex::new(Desk::new(places.clone())),
            runs: Runs::new(events.clone()),
            language: Language::new(places.clone(), events.clone()),
            catalogue: Arc::default(),
            events,
            state: Mutex::new(Value::Null),
            permissions: Mutex::default(),
            disk: Mutex::default(),
            places,
        };
        studio.catalogue();
        let studio = Arc::new(studio);
        let watched = Arc::downgrade(&studio);
        std::thread::spawn(move || {
            while let Some(studio) = watched.upgrade() {
                let begun = Instant::now();
                studio.look_at_disk();
                drop(studio);
                // Of large folders a small part of the time is spent on looking.
                std::thread::sleep(LOOK.max(20 * begun.elapsed()));
            }
        });
        studio
    }

    /// What other programs changed below the opened folders is read again.
    fn look_at_disk(&self) {
        let folders = self.places.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        let now = disk::stamps(&folders);
        let before = {
            let mut known = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
            known.replace(now.clone())
        };
        let Some(before) = before else { return };
        let changed = disk::differences(&before, &now);
        if changed.is_empty() {
            return;
        }
        let read = {
            let mut desk = self.desk();
            let read = desk.read_again(&changed);
            desk.forget();
            read
        };
        self.catalogue();
        self.language.changed_on_disk(&changed);
        for (file, version) in read {
            self.tell(&json!({"event": "file", "file": file, "version": version}));
        }
        self.tell(&json!({"event": "classes", "class": ""}));
    }

    /// What is on the disk now is our own doing.
    pub fn disk_is_known(&self) {
        *self.disk.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Reads the names of all classes, beside everything else.
    pub fn catalogue(&self) {
        let (catalogue, folders) = (self.catalogue.clone(), self.places.search());
        std::thread::spawn(move || {
            let read = Catalogue::read(&folders);
            *catalogue.write().unwrap_or_else(PoisonError::into_inner) = read;
        });
    }

    /// The desk. One call at a time has it.
    pub fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a fault: classes are read anew.
    pub fn recover(&self) {
        self.desk().forget();
    }

    /// Tells the page.
    pub fn tell(&self, event: &Value) {
        let _ = self.events.send(event.to_string().into());
    }

    /// Opens a folder.
    pub fn open_folder(&self, folder: &str) -> Result<(), Failure> {
        let real = Path::new(folder).canonicalize();
        let real = real.ok().filter(|f| f.is_dir()).ok_or_else(|| Failure::missing("such folder"))?;
        {
            let mut opened = self.places.opened.write().unwrap_or_else(PoisonError::into_inner);
            if !opened.contains(&real) {
                opened.push(real);
            }
        }
        self.desk().forget();
        self.catalogue();
        self.tell(&json!({"event": "classes", "class": ""}));
        Ok(())
    }

    /// Asks the person at the page whether code that is not ours may run.
    pub fn ask_foreign(&self, class: &str, details: &[String]) -> Value {
        let mut permissions = self.permissions.lock().unwrap_or_else(PoisonError::into_inner);
        let id = format!("p{}", permissions.next.fetch_add(1, Ordering::Relaxed));
        permissions.asked.insert(id.clone(), class.to_owned());
        json!({
            "id": id,
            "kind": "foreign",
            "question": format!("{class} calls code in C, which is compiled and runs with all your rights. Allow it for this model?"),
            "class": class,
            "details": details,
        })
    }

    /// The answer.
    pub fn answered(&self, id: &str, allow: bool) -> Result<(), Failure> {
        let mut permissions = self.permissions.lock().unwrap_or_else(PoisonError::into_inner);
        let class = permissions.asked.remove(id).ok_or_else(|| Failure::bad("nothing was asked so"))?;
        if allow {
            permissions.allowed.push(class);
        }
        Ok(())
    }

    /// May code that is not ours run for this model?
    pub fn may_run_foreign(&self, class: &str) -> bool {
        let permissions = self.permissions.lock().unwrap_or_else(PoisonError::into_inner);
        permissions.allowed.iter().any(|c| c == class)
    }
}
