//! Every algorithm against brute force, on thousands of small random graphs.
//!
//! The generator is deterministic: a failing case is found again by its seed, which every assertion prints.

// Brute force reads like its definition: indices as in a formula.
#![allow(clippy::needless_range_loop)]

mod brute;
mod elimination;
mod index_reduction;
mod iteration;
mod random;
mod sets;
mod sorting;
mod tearing;
