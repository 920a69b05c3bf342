//! What is kept between calls as data: it goes with a run that is stored, and comes back with it.
//!
//! Tables, the state of the random number generator, files in memory and what was said are data. Objects of foreign code are
//! not, nor is what a run has written or changed outside of memory: a run with these cannot be stored.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::random::Impure;
use crate::tables::{Registry, SavedTables};
use crate::{StandardExternals, State};

/// What functions have kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    tables: SavedTables,
    random: Impure,
    messages: Vec<String>,
    warnings: Vec<String>,
    files: BTreeMap<String, Option<Vec<u8>>>,
    written: u64,
}

/// Why what functions have kept is no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoData {
    /// Foreign code has made objects.
    Objects,
    /// Files were written outside of memory.
    Files,
    /// The environment or the working directory was changed.
    Outside,
}

impl StandardExternals {
    /// What is kept, as data.
    pub fn keep(&self) -> Result<Kept, NoData> {
        let state = self.state();
        let State {
            tables,
            random,
            messages,
            warnings,
            files,
            written_files,
            written,
            objects,
            outside,
            guest,
        } = &*state;
        if !objects.is_empty() || guest.as_ref().is_some_and(|guest| !guest.is_empty()) {
            return Err(NoData::Objects);
        }
        if !written_files.is_empty() {
            return Err(NoData::Files);
        }
        if !outside.is_unchanged() {
            return Err(NoData::Outside);
        }
        Ok(Kept {
            tables: tables.save(),
            random: random.clone(),
            messages: messages.clone(),
            warnings: warnings.clone(),
            files: files.clone(),
            written: *written,
        })
    }

    /// Goes on with what was kept.
    pub fn resume(&self, kept: Kept) {
        let Kept { tables, random, messages, warnings, files, written } = kept;
        let state = &mut *self.state();
        state.tables = Registry::restored(tables);
        (state.random, state.messages, state.warnings) = (random, messages, warnings);
        (state.files, state.written) = (files, written);
    }
}

/// Places by the hash of what is there.
pub(crate) fn by_hash(hashes: impl Iterator<Item = u64>) -> HashMap<u64, Vec<usize>> {
    let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
    hashes.enumerate().for_each(|(place, hash)| known.entry(hash).or_default().push(place));
    known
}

/// Shared data is stored once for each place it is used at.
pub(crate) fn own<T: Clone>(shared: &Arc<T>) -> T {
    (**shared).clone()
}
