//! The system's allocator, with a look at large requests.
//!
//! Memory that is taken little by little is seen by the thread that watches ([`super::watch`]). One request may be for more than
//! the limit, or for more than the system gives, and then Rust's own answer would be to abort. So a large request is compared
//! with the limit before it is made, and the thread whose request cannot be granted waits: the watching thread says why, completes
//! the results and ends the program.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use super::watch;

/// Requests of so many bytes are compared with the limit. What smaller ones take between two looks of the watching thread is
/// small beside any limit.
const LARGE: usize = 1 << 20;

/// The allocator of the program.
pub struct Watched;

// SAFETY: all is done by the system's allocator, with what it was called with.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        granted(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        granted(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        granted(size.saturating_sub(layout.size()), || unsafe { System.realloc(place, layout, size) })
    }
}

/// What the system gives for a request of so many bytes more.
fn granted(size: usize, take: impl FnOnce() -> *mut u8) -> *mut u8 {
    if size >= LARGE && watch::exceeds(size) {
        watch::refuse(false);
    }
    let place = take();
    if place.is_null() {
        watch::refuse(true);
    }
    place
}
