//! Changes of a text, and changes of the changed text put together into changes of the first one.

/// Bytes `from..to` become `insert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// First byte.
    pub from: u32,
    /// One past the last.
    pub to: u32,
    /// What stands there then.
    pub insert: String,
}

/// The text after changes, which are in order, do not overlap and all count from the text before.
pub fn apply(text: &str, changes: &[Change]) -> String {
    let more: usize = changes.iter().map(|c| c.insert.len()).sum();
    let mut out = String::with_capacity(text.len() + more);
    let mut at = 0;
    for change in changes {
        out.push_str(&text[at..change.from as usize]);
        out.push_str(&change.insert);
        at = change.to as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// What takes changes back: they count from the text after them.
pub fn invert(text: &str, changes: &[Change]) -> Vec<Change> {
    let mut shift = 0i64;
    let mut out = Vec::with_capacity(changes.len());
    for change in changes {
        let from = (i64::from(change.from) + shift) as u32;
        let insert = text[change.from as usize..change.to as usize].to_owned();
        shift += change.insert.len() as i64 - i64::from(change.to - change.from);
        out.push(Change { from, to: from + change.insert.len() as u32, insert });
    }
    out
}

/// Changes made one list after the other, as changes of the first text.
pub fn compose(text: &str, lists: &[Vec<Change>]) -> Vec<Change> {
    let mut pieces = Pieces::new(text.len() as u32);
    lists.iter().for_each(|list| pieces.change(list));
    pieces.changes(text)
}

/// A text made of parts of the first one and of what was inserted.
pub(crate) struct Pieces {
    list: Vec<Piece>,
    length: u32,
}

#[derive(Clone, Debug)]
enum Piece {
    Old { from: u32, to: u32 },
    New(String),
}

impl Piece {
    fn len(&self) -> u32 {
        match self {
            Piece::Old { from, to } => to - from,
            Piece::New(text) => text.len() as u32,
        }
    }

    fn cut(&self, from: u32, to: u32) -> Piece {
        match self {
            Piece::Old { from: start, .. } => Piece::Old { from: start + from, to: start + to },
            Piece::New(text) => Piece::New(text[from as usize..to as usize].to_owned()),
        }
    }
}

impl Pieces {
    /// The first text.
    pub fn new(length: u32) -> Pieces {
        Pieces { list: vec![Piece::Old { from: 0, to: length }], length }
    }

    /// Changes what is there now.
    pub fn change(&mut self, changes: &[Change]) {
        let mut out: Vec<Piece> = Vec::with_capacity(self.list.len() + 2 * changes.len());
        let (mut at, mut index) = (0u32, 0usize);
        let old = std::mem::take(&mut self.list);
        // Where the piece at `index` begins.
        let mut begin = 0u32;
        let keep = |until: u32, out: &mut Vec<Piece>, at: &mut u32, index: &mut usize, begin: &mut u32| {
            while *at < until && *index < old.len() {
                let piece = &old[*index];
                let end = *begin + piece.len();
                let to = end.min(until);
                if to > *at {
                    out.push(piece.cut(*at - *begin, to - *begin));
                    *at = to;
                }
                if end <= until {
                    *begin = end;
                    *index += 1;
                }
            }
        };
        for change in changes {
            keep(change.from, &mut out, &mut at, &mut index, &mut begin);
            if !change.insert.is_empty() {
                out.push(Piece::New(change.insert.clone()));
            }
            at = at.max(change.to);
            while index < old.len() && begin + old[index].len() <= at {
                begin += old[index].len();
                index += 1;
            }
        }
        keep(u32::MAX, &mut out, &mut at, &mut index, &mut begin);
        self.list = out;
    }

    /// All of it as changes of the first text.
    pub fn changes(&self, text: &str) -> Vec<Change> {
        let mut out: Vec<Change> = Vec::new();
        let (mut at, mut insert) = (0, String::new());
        for piece in &self.list {
            match piece {
                Piece::New(text) => insert.push_str(text),
                &Piece::Old { from, to } => {
                    push(&mut out, text, at, from, std::mem::take(&mut insert));
                    at = to;
                }
            }
        }
        push(&mut out, text, at, self.length, insert);
        out
    }
}

fn push(out: &mut Vec<Change>, text: &str, from: u32, to: u32, insert: String) {
    if text[from as usize..to as usize] != insert {
        out.push(Change { from, to, insert });
    }
}
