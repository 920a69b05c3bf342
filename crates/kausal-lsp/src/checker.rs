//! What is wrong with a buffer beyond its syntax: names that do not exist, and what flattening says about its models.
//!
//! It runs on a thread of its own with a [`World`] of its own. The next keystroke interrupts it; a check that takes longer
//! than [`DEADLINE`] says what it has found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use kausal_model::library::FileId;
use kausal_syntax::ast::{ClassBody, ClassId, ClassKind};
use kausal_syntax::{Ast, Diagnostic, Severity, Span};
use serde_json::{Value, json};

use crate::fixes::{self, Fix};
use crate::lines::{Encoding, Lines, uri_of};
use crate::references::Kind;
use crate::world::{Places, Resolved, World};

/// The longest a check of one buffer takes: after that, people have gone on anyway.
const DEADLINE: Duration = Duration::from_secs(5);
/// Behind an interruption this long for what comes with it; an edit that broke the syntax brings nothing.
const BREATH: Duration = Duration::from_millis(100);
/// How far checks stand behind everything else, in the measure of the operating system (-20 to 19).
#[cfg(target_os = "linux")]
const BEHIND: i32 = 10;

/// A diagnostic within the file it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its place.
    pub span: Span,
    /// How bad it is.
    pub severity: Severity,
    /// Its code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What is said about the place.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
    /// Other places: address, range and words, as the protocol has them.
    pub related: Vec<Value>,
    /// What mends it and takes more than its words to find.
    pub fixes: Vec<Fix>,
}

/// What to check.
pub enum Work {
    /// A buffer has this text now.
    Text(Text),
    /// Files came or went.
    Reset,
}

/// The text of a buffer.
pub struct Text {
    /// Its path.
    pub path: String,
    /// Counts edits.
    pub version: i64,
    /// The text.
    pub text: Arc<str>,
    /// Where it was edited.
    pub edited_at: u32,
}

/// What a check found.
pub struct Checked {
    /// The path of the buffer.
    pub path: String,
    /// The version that was checked.
    pub version: i64,
    /// What is wrong.
    pub told: Vec<Told>,
}

/// The loop of the thread.
pub fn run(
    places: Places,
    encoding: Encoding,
    work: &Receiver<Work>,
    send: &dyn Fn(Checked) -> bool,
    interrupt: &Arc<AtomicBool>,
) {
    // People and the answers to what they type come first.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(BEHIND);
    let mut world = World::new(places.clone());
    // The newest text of each buffer that was not checked yet; the one that changed last is at the end.
    let mut waiting: Vec<Text> = Vec::new();
    // Whether a check was interrupted: what did it is on its way here.
    let mut is_interrupted = false;
    loop {
        let first = match (waiting.is_empty(), is_interrupted) {
            (true, _) => match work.recv() {
                Ok(item) => Some(item),
                Err(_) => return,
            },
            (false, true) => work.recv_timeout(BREATH).ok(),
            (false, false) => None,
        };
        interrupt.store(false, Ordering::Relaxed);
        let mut new: Vec<String> = Vec::new();
        for item in first.into_iter().chain(work.try_iter()) {
            match item {
                Work::Reset => world.reset(),
                Work::Text(text) => {
                    waiting.retain(|known| known.path != text.path);
                    new.push(text.path.clone());
                    waiting.push(text);
                }
            }
        }
        // All of them count for each other, before any is checked.
        let take = std::panic::AssertUnwindSafe(|| {
            for text in waiting.iter().filter(|t| new.contains(&t.path)) {
                world.change(&text.path, &text.text);
            }
        });
        if std::panic::catch_unwind(take).is_err() {
            world = World::new(places.clone());
        }
        let Some(text) = waiting.last() else { continue };
        let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check_file(&mut world, &text.path, text.edited_at, encoding, interrupt)
        }));
        let told = match attempt {
            Ok(told) => told,
            Err(_) => {
                world = World::new(places.clone());
                Some(Vec::new())
            }
        };
        is_interrupted = told.is_none();
        // What was interrupted is checked again, if nothing newer takes its place.
        if let Some(told) = told
            && let Some(Text { path, version, .. }) = waiting.pop()
            && !send(Checked { path, version, told })
        {
            return;
        }
    }
}

/// Checks a file; `None` where it was interrupted.
pub fn check_file(
    world: &mut World,
    path: &str,
    edited_at: u32,
    encoding: Encoding,
    interrupt: &Arc<AtomicBool>,
) -> Option<Vec<Told>> {
    let started = Instant::now();
    let Some(file) = world.file(path) else { return Some(Vec::new()) };
    let mut diagnostics = missing_names(world, file, interrupt)?;
    let ast = world.ast(file);
    for class in models(&ast, edited_at) {
        if interrupt.load(Ordering::Relaxed) {
            return None;
        }
        if started.elapsed() > DEADLINE {
            break;
        }
        let Some(klass) = world.klass(file, class) else { continue };
        let name = world.classes().name(klass);
        world.classes().interrupt = Some(interrupt.clone());
        let guard = Alarm::set(interrupt.clone(), DEADLINE.saturating_sub(started.elapsed()));
        let (_, said) = world.model().flatten(&name);
        let late = guard.rang();
        world.classes().interrupt = None;
        if late {
            interrupt.store(false, Ordering::Relaxed);
            break;
        }
        if interrupt.load(Ordering::Relaxed) {
            return None;
        }
        diagnostics.extend(said);
    }
    diagnostics.extend(units(world, file, &ast, interrupt)?);
    let told = tell(world, file, diagnostics, encoding);
    world.forget_messages();
    Some(told)
}

/// Units of all classes of a file: also of those that are no models.
fn units(world: &mut World, file: FileId, ast: &Ast, interrupt: &AtomicBool) -> Option<Vec<Diagnostic>> {
    let mut found = Vec::new();
    for (id, class) in ast.classes.iter() {
        if interrupt.load(Ordering::Relaxed) {
            return None;
        }
        let has_values = matches!(class.body, ClassBody::Long(_)) && class.kind != ClassKind::Package;
        if let Some(klass) = world.klass(file, id).filter(|_| has_values) {
            found.extend(kausal_model::units::check(world.classes(), klass));
        }
    }
    Some(found)
}

/// The unit warnings of a file, as an editor shows them.
pub fn check_units(world: &mut World, path: &str) -> Vec<Diagnostic> {
    let Some(file) = world.file(path) else { return Vec::new() };
    let ast = world.ast(file);
    let found = units(world, file, &ast, &AtomicBool::new(false)).unwrap_or_default();
    let is_here = |d: &Diagnostic| d.labels.first().is_some_and(|l| l.location.source == ast.source);
    let mut out: Vec<Diagnostic> = Vec::new();
    for d in found.into_iter().filter(is_here) {
        if !out.contains(&d) {
            out.push(d);
        }
    }
    out.sort_by_key(|d| d.labels[0].location.span.start);
    world.forget_messages();
    out
}

/// What is wrong with the names of a file alone, without flattening: for tests.
pub fn check_names(world: &mut World, path: &str, interrupt: &Arc<AtomicBool>) -> Vec<Told> {
    let Some(file) = world.file(path) else { return Vec::new() };
    let diagnostics = missing_names(world, file, interrupt).unwrap_or_default();
    tell(world, file, diagnostics, Encoding::Utf8)
}

/// Raises the flag after a while, unless it is dropped before.
struct Alarm {
    rang: Arc<AtomicBool>,
    stop: Option<Sender<()>>,
}

impl Alarm {
    fn set(flag: Arc<AtomicBool>, after: Duration) -> Alarm {
        let (stop, stopped) = crossbeam_channel::bounded::<()>(0);
        let rang = Arc::new(AtomicBool::new(false));
        let told = rang.clone();
        std::thread::spawn(move || {
            if stopped.recv_timeout(after) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
                told.store(true, Ordering::Relaxed);
                flag.store(true, Ordering::Relaxed);
            }
        });
        Alarm { rang, stop: Some(stop) }
    }

    fn rang(mut self) -> bool {
        self.stop.take();
        self.rang.load(Ordering::Relaxed)
    }
}

/// The models of a file that can be flattened for themselves: the one that was edited first, then the others in order.
fn models(ast: &Ast, edited_at: u32) -> Vec<ClassId> {
    let can = |class: &kausal_syntax::ast::ClassDef| {
        matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
            && matches!(class.body, ClassBody::Long(_))
            && !class.partial
    };
    let mut out: Vec<ClassId> = Vec::new();
    for (id, class) in ast.classes.iter() {
        // What is within a partial class, a function or a redeclaration means something only where that is used.
        let mut around = class.parent;
        let mut is_free = can(class);
        while let Some(parent) = around {
            is_free &= matches!(ast.classes[parent].kind, ClassKind::Package) && !ast.classes[parent].partial;
            around = ast.classes[parent].parent;
        }
        if is_free {
            out.push(id);
        }
    }
    let is_edited = |id: &ClassId| {
        let span = ast.classes[*id].span;
        span.start <= edited_at && edited_at <= span.end
    };
    out.sort_by_key(|id| !is_edited(id));
    out
}

/// Names that do not exist, wherever they stand: also in classes that are no models.
fn missing_names(world: &mut World, file: FileId, interrupt: &AtomicBool) -> Option<Vec<Diagnostic>> {
    let names = world.names(file);
    for (i, name) in names.iter().enumerate() {
        if i % 64 == 0 && interrupt.load(Ordering::Relaxed) {
            return None;
        }
        if name.in_annotation || !matches!(name.kind, Kind::Type | Kind::Value | Kind::Function) {
            continue;
        }
        // What is declared in a replaceable class may come with what replaces it.
        let upto = name.parts.len() - 1;
        if let Resolved::Missing(part, within) = world.resolve(file, name, upto) {
            if part > 0 && name.kind != Kind::Type {
                continue;
            }
            let scope = name.scope.and_then(|scope| world.klass(file, scope));
            let written = name.parts[part];
            let ident = kausal_syntax::ast::Ident { symbol: written.name, span: written.span };
            world.classes().not_found(scope, file, &ident, within);
        }
    }
    Some(world.classes().take_diagnostics())
}

/// Diagnostics about a file, each once; what flattening says about other files is told there.
fn tell(world: &mut World, file: FileId, diagnostics: Vec<Diagnostic>, encoding: Encoding) -> Vec<Told> {
    let source = world.ast(file).source;
    let mut out: Vec<Told> = Vec::new();
    for d in diagnostics {
        let Some(at) = d.labels.iter().position(|l| l.location.source == source) else { continue };
        if at > 0 && d.severity != Severity::Error {
            continue;
        }
        let fixes = fixes::within(world, file, &d);
        let sources = world.model().sources();
        let related = d.labels.iter().enumerate().filter(|&(i, _)| i != at).filter_map(|(_, l)| {
            let other = sources.get(l.location.source);
            if other.name == "built-in" || other.name.starts_with("built-in:") {
                return None;
            }
            let range = Lines::new(&other.text).range(&other.text, l.location.span, encoding);
            let words = if l.message.is_empty() { "see here" } else { &l.message };
            Some(json!({"location": {"uri": uri_of(&other.name), "range": range}, "message": words}))
        });
        let label = &d.labels[at];
        let told = Told {
            span: label.location.span,
            severity: d.severity,
            code: d.code,
            message: d.message,
            label: label.message.clone(),
            help: d.help,
            related: related.collect(),
            fixes,
        };
        let is_like = |t: &Told| t.span == told.span && t.code == told.code;
        if !out.iter().any(is_like) {
            out.push(told);
        }
    }
    out.sort_by_key(|t| (t.span.start, t.span.end, t.code));
    out
}
