//! Interned identifiers.
//!
//! A [`Symbol`] is a small integer that stands for a string; equal strings give equal symbols, in every file
//! and thread of the process. The numbers depend on who came first, so **nothing may be sorted by symbol**
//! where the order reaches a user: sort by [`Symbol::as_str`].

use std::cell::RefCell;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{OnceLock, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// An interned string.
///
/// ```
/// use kausal_syntax::Symbol;
/// assert_eq!(Symbol::new("phi"), Symbol::new("phi"));
/// assert_eq!(Symbol::new("phi").as_str(), "phi");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

struct Interner {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

fn interner() -> &'static RwLock<Interner> {
    static INTERNER: OnceLock<RwLock<Interner>> = OnceLock::new();
    INTERNER.get_or_init(|| RwLock::new(Interner { ids: FxHashMap::default(), texts: Vec::new() }))
}

/// How many symbols each thread remembers.
const RECENT: usize = 2048;

thread_local! {
    /// Symbols this thread met before, by a part of their hash: parsers ask for the same few names again and
    /// again, and on many threads at once, where the one table would be a bottleneck.
    static RECENT_SYMBOLS: RefCell<Box<[Option<(&'static str, Symbol)>]>> =
        RefCell::new(vec![None; RECENT].into_boxed_slice());
}

impl Symbol {
    /// The symbol of `text`.
    pub fn new(text: &str) -> Self {
        let mut hasher = FxBuildHasher.build_hasher();
        hasher.write(text.as_bytes());
        let slot = hasher.finish() as usize % RECENT;
        RECENT_SYMBOLS.with_borrow_mut(|recent| match recent[slot] {
            Some((known, symbol)) if known == text => symbol,
            _ => {
                let symbol = Symbol::intern(text);
                recent[slot] = Some((symbol.as_str(), symbol));
                symbol
            }
        })
    }

    /// The symbol of `text`, from the one table of the process.
    fn intern(text: &str) -> Self {
        if let Some(&id) = interner().read().unwrap_or_else(|e| e.into_inner()).ids.get(text) {
            return Symbol(id);
        }
        let mut table = interner().write().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = table.ids.get(text) {
            return Symbol(id);
        }
        // Identifiers live as long as the process: their number is bounded by the distinct names in the
        // sources, and a `'static` text spares every reader the lock.
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let id = table.texts.len() as u32;
        table.texts.push(text);
        table.ids.insert(text, id);
        Symbol(id)
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        interner().read().unwrap_or_else(|e| e.into_inner()).texts[self.0 as usize]
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
