//! Data that contains itself is read from files to a bounded depth only: what reads it, copies it and gives its memory back does
//! so by recursion, and a stack has an end.

use std::cell::Cell;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Statements, steps and actions may stand in each other so deep in a file. What people and passes write stays far below.
pub const MAX_DEPTH: u32 = 128;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// One level, as long as it lives.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Reads a part that may contain others of its kind: `#[serde(deserialize_with = "limited")]`.
///
/// # Errors
/// Where parts stand in each other deeper than [`MAX_DEPTH`].
pub fn limited<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    DEPTH.set(DEPTH.get() + 1);
    let _level = Level;
    if DEPTH.get() > MAX_DEPTH {
        return Err(D::Error::custom("parts stand in each other too deep"));
    }
    T::deserialize(deserializer)
}
