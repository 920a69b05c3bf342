//! The state of a computation as bytes, to go on from another day.
//!
//! What owns state writes it part by part and reads it in the same order. Whoever does so takes its structures apart field by field,
//! without `..`: a field that somebody adds does not compile until it is stored. Lengths in what is read never decide how much
//! memory is taken; whether parts fit together is looked at by those who know what they belong to ([`Reader::check`]).

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes state.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    failed: Option<postcard::Error>,
}

impl Writer {
    /// Adds a part.
    pub fn put<T: Serialize + ?Sized>(&mut self, part: &T) {
        if let Err(error) = postcard::to_io(part, &mut self.bytes) {
            self.failed.get_or_insert(error);
        }
    }

    /// All of it.
    pub fn finish(self) -> Result<Vec<u8>, Unfit> {
        match self.failed {
            None => Ok(self.bytes),
            Some(error) => Err(Unfit(error.to_string())),
        }
    }
}

/// Reads state.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

/// Why bytes are no state of this computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl<'a> Reader<'a> {
    /// From the beginning.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The next part.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, Unfit> {
        let (part, rest) = postcard::take_from_bytes(self.rest).map_err(|error| Unfit(error.to_string()))?;
        self.rest = rest;
        Ok(part)
    }

    /// The next part is a list as long as this one, and takes its place.
    pub fn refill<T: DeserializeOwned>(&mut self, list: &mut Vec<T>, what: &str) -> Result<(), Unfit> {
        let read: Vec<T> = self.take()?;
        self.check(read.len() == list.len(), what)?;
        *list = read;
        Ok(())
    }

    /// What was read must fit.
    pub fn check(&self, fits: bool, what: &str) -> Result<(), Unfit> {
        if fits { Ok(()) } else { Err(Unfit(format!("{what} do not fit"))) }
    }

    /// That was all.
    pub fn finish(self) -> Result<(), Unfit> {
        if self.rest.is_empty() { Ok(()) } else { Err(Unfit("there is more than expected".to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_bit_for_bit() {
        let mut writer = Writer::default();
        let list = vec![-0.0, f64::NAN, f64::INFINITY, 1e-320];
        writer.put(&list);
        writer.put(&Some("text"));
        let bytes = writer.finish().expect("bytes");
        let mut reader = Reader::new(&bytes);
        let mut again = vec![0.0; 4];
        reader.refill(&mut again, "numbers").expect("as long");
        assert!(list.iter().zip(&again).all(|(a, b): (&f64, &f64)| a.to_bits() == b.to_bits()));
        assert_eq!(reader.take::<Option<String>>(), Ok(Some("text".to_owned())));
        assert_eq!(reader.finish(), Ok(()));
    }

    /// A length of 2^60 in few bytes: no memory is taken for it.
    #[test]
    fn a_length_takes_no_memory() {
        let mut writer = Writer::default();
        writer.put(&(1u64 << 60));
        let bytes = writer.finish().expect("bytes");
        assert!(Reader::new(&bytes).take::<Vec<f64>>().is_err());
        let mut short = vec![0.0; 3];
        assert!(Reader::new(&[1, 0, 0, 0, 0, 0, 0, 0, 0]).refill(&mut short, "numbers").is_err());
    }
}
