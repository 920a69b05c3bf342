//! Places in texts: bytes here, UTF-16 code units in the page, lines and columns in messages.

/// Counts one text in both ways.
pub struct Places {
    /// For each byte the units before it; nothing for a text where both are the same.
    units: Option<Vec<u32>>,
    length: u32,
}

impl Places {
    /// Of this text.
    pub fn new(text: &str) -> Places {
        let length = text.len() as u32;
        if text.is_ascii() {
            return Places { units: None, length };
        }
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for c in text.chars() {
            units.extend(std::iter::repeat_n(count, c.len_utf8()));
            count += c.len_utf16() as u32;
        }
        units.push(count);
        Places { units: Some(units), length }
    }

    /// Units before a byte.
    pub fn unit(&self, byte: u32) -> u32 {
        match &self.units {
            None => byte.min(self.length),
            Some(units) => units[(byte as usize).min(units.len() - 1)],
        }
    }

    /// The byte with so many units before it.
    pub fn byte(&self, unit: u32) -> u32 {
        match &self.units {
            None => unit.min(self.length),
            Some(units) => units.partition_point(|&u| u < unit).min(units.len() - 1) as u32,
        }
    }
}

/// The byte where a line and a column (both from 1, the column in characters) are.
pub fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match text[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let rest = &text[start..];
    rest.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(i, _)| start + i)
}

/// The byte where a line and a UTF-16 column (both from 0) are.
pub fn byte_of_unit(text: &str, line: usize, column: usize) -> usize {
    let start = byte_at(text, line + 1, 1);
    let mut units = 0;
    for (i, c) in text[start..].char_indices() {
        if units >= column || c == '\n' {
            return start + i;
        }
        units += c.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_units_there_and_back() {
        for text in ["abc", "aé€😀b\nc", ""] {
            let places = Places::new(text);
            for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(places.unit(byte as u32) as usize, text[..byte].encode_utf16().count());
                assert_eq!(places.byte(places.unit(byte as u32)) as usize, byte);
            }
        }
        assert_eq!(byte_at("ab\nc\u{e9}d", 2, 3), 6);
        assert_eq!(byte_of_unit("ab\nc\u{1f600}d", 1, 3), 8);
    }
}
