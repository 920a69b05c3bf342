//! Faults of this program: a panic anywhere below becomes one diagnostic that asks for a report.
//!
//! Who calls [`guarded`] gets either the result or the diagnostic `K0990`, and nothing is printed on the way: the panic hook
//! of the process stays what it is for all other threads, unless [`silence`] says that the whole process is ours.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use kausal_syntax::Diagnostic;

thread_local! {
    /// How many guards stand around what runs in this thread.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
    /// What the last panic in it said, and where.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();
/// All threads of the process are ours.
static SILENT: AtomicBool = AtomicBool::new(false);

/// No panic prints anything from now on, in no thread: for programs that guard all they do.
pub fn silence() {
    SILENT.store(true, Ordering::Relaxed);
    hook();
}

/// Does something; a panic in it is a diagnostic.
///
/// ```
/// let sum = kausal::internal::guarded(|| 1 + 1).expect("no fault");
/// assert_eq!(sum, 2);
/// let fault = kausal::internal::guarded(|| -> i32 { [1, 2].iter().skip(2).next().copied().expect("three") });
/// let fault = fault.expect_err("there are two");
/// assert_eq!(fault.code, "K0990");
/// assert!(fault.message.starts_with("internal error: three ("), "{}", fault.message);
/// ```
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
    hook();
    GUARDS.set(GUARDS.get() + 1);
    // What was half done is thrown away by the caller, or is a result that is complete up to a row.
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDS.set(GUARDS.get() - 1);
    outcome.map_err(|payload| {
        let said = LAST.take().unwrap_or_else(|| words(&*payload));
        fault(&said)
    })
}

fn hook() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match GUARDS.get() {
            0 if !SILENT.load(Ordering::Relaxed) => before(info),
            _ => note(info),
        }));
    });
}

/// Keeps what a panic says.
fn note(info: &PanicHookInfo) {
    let said = words(info.payload());
    let said = match info.location() {
        Some(place) => format!("{said} ({}:{})", short(place.file()), place.line()),
        None => said,
    };
    // Who looks for the fault asks for it as for any other program.
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
        eprintln!("{}", Backtrace::force_capture());
    }
    LAST.set(Some(said));
}

fn words(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

/// A source file without the folders of the machine it was compiled on.
fn short(file: &str) -> &str {
    ["crates/", "registry/src/", "library/"]
        .iter()
        .find_map(|folder| file.find(folder).map(|at| &file[at..]))
        .unwrap_or(file)
}

/// The diagnostic for a fault of this program.
fn fault(said: &str) -> Diagnostic {
    Diagnostic::error("K0990", format!("internal error: {said}")).help(format!(
        "this is a fault of Kausal {}, not of the model: please report it with the model and what was done",
        env!("CARGO_PKG_VERSION")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_inside_a_fault_is_found_where_it_is() {
        let outer = guarded(|| {
            let inner = guarded(|| panic!("first"));
            assert!(inner.is_err_and(|d| {
                d.message.starts_with("internal error: first (crates/kausal/src/internal.rs:")
            }));
            panic!("{}", "second")
        });
        let d = outer.expect_err("it failed");
        assert!(d.message.contains("second") && d.is_error(), "{}", d.message);
        assert_eq!(GUARDS.get(), 0);
    }
}
