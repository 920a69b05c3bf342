//! The compact protocol of Thrift, as far as the footers and page heads of Parquet use it: structures of numbered
//! fields, integers, texts and lists.
//!
//! A structure is kept as its fields, not as a type for each kind of structure: the few that are needed are put
//! together and taken apart by number, as the specification lists them. Fields are written in ascending order.

/// A structure: fields by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct(Vec<(i16, Value)>);

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// 8, 16 or 32 bits; also enumerations.
    I32(i64),
    /// 64 bits.
    I64(i64),
    /// A floating-point number.
    Double(f64),
    /// Bytes or a text.
    Binary(Vec<u8>),
    /// A list of values of one kind.
    List(Vec<Value>),
    /// A structure.
    Struct(Struct),
}

/// Structures and lists inside each other at most.
const DEPTH: usize = 16;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

impl Struct {
    /// Without fields.
    pub fn new() -> Struct {
        Struct::default()
    }

    /// With one field more.
    pub fn field(mut self, id: i16, value: Value) -> Struct {
        let at = self.0.partition_point(|(other, _)| *other < id);
        self.0.insert(at, (id, value));
        self
    }

    fn get(&self, id: i16) -> Option<&Value> {
        self.0.iter().find(|(other, _)| *other == id).map(|(_, v)| v)
    }

    /// A field that is an integer.
    pub fn integer(&self, id: i16) -> Option<i64> {
        match self.get(id)? {
            Value::I32(v) | Value::I64(v) => Some(*v),
            _ => None,
        }
    }

    /// A field that is a text.
    pub fn text(&self, id: i16) -> Option<String> {
        match self.get(id)? {
            Value::Binary(bytes) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        }
    }

    /// A field that is a structure.
    pub fn structure(&self, id: i16) -> Option<&Struct> {
        self.get(id).and_then(Value::as_struct)
    }

    /// A field that is a list; one that is missing is empty.
    pub fn list(&self, id: i16) -> &[Value] {
        match self.get(id) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }

    /// Adds its bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut last = 0;
        for (id, value) in &self.0 {
            let (delta, kind) = (id - last, value.kind());
            if (1..=15).contains(&delta) {
                out.push((delta as u8) << 4 | kind);
            } else {
                out.push(kind);
                varint(out, zigzag(i64::from(*id)));
            }
            last = *id;
            if !matches!(value, Value::Bool(_)) {
                value.write(out);
            }
        }
        out.push(0);
    }

    /// Reads a structure from the beginning of `bytes`, which is moved behind it.
    pub fn read(bytes: &mut &[u8]) -> Option<Struct> {
        read_struct(bytes, DEPTH)
    }
}

impl Value {
    /// If it is a structure.
    pub fn as_struct(&self) -> Option<&Struct> {
        match self {
            Value::Struct(s) => Some(s),
            _ => None,
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Value::Bool(true) => TRUE,
            Value::Bool(false) => FALSE,
            Value::I32(_) => I32,
            Value::I64(_) => I64,
            Value::Double(_) => DOUBLE,
            Value::Binary(_) => BINARY,
            Value::List(_) => LIST,
            Value::Struct(_) => STRUCT,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
            Value::I32(v) | Value::I64(v) => varint(out, zigzag(*v)),
            Value::Double(v) => out.extend(v.to_le_bytes()),
            Value::Binary(bytes) => {
                varint(out, bytes.len() as u64);
                out.extend(bytes);
            }
            Value::List(values) => {
                let kind = values.first().map_or(STRUCT, Value::kind);
                if values.len() < 15 {
                    out.push((values.len() as u8) << 4 | kind);
                } else {
                    out.push(0xf0 | kind);
                    varint(out, values.len() as u64);
                }
                values.iter().for_each(|v| v.write(out));
            }
            Value::Struct(s) => s.write(out),
        }
    }
}

/// A number in groups of seven bits, the lowest first.
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Small magnitudes become small numbers.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn read_struct(bytes: &mut &[u8], depth: usize) -> Option<Struct> {
    let depth = depth.checked_sub(1)?;
    let mut fields = Vec::new();
    let mut last = 0i16;
    loop {
        let head = byte(bytes)?;
        if head == 0 {
            return Some(Struct(fields));
        }
        last = match head >> 4 {
            0 => i16::try_from(read_zigzag(bytes)?).ok()?,
            delta => last.checked_add(i16::from(delta))?,
        };
        let value = match head & 15 {
            TRUE => Value::Bool(true),
            FALSE => Value::Bool(false),
            kind => read_value(bytes, kind, depth)?,
        };
        fields.push((last, value));
    }
}

fn read_value(bytes: &mut &[u8], kind: u8, depth: usize) -> Option<Value> {
    Some(match kind {
        TRUE | FALSE => Value::Bool(byte(bytes)? == TRUE),
        I8 => Value::I32(i64::from(byte(bytes)? as i8)),
        I16 | I32 => Value::I32(read_zigzag(bytes)?),
        I64 => Value::I64(read_zigzag(bytes)?),
        DOUBLE => {
            let (value, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            Value::Double(f64::from_le_bytes(*value))
        }
        BINARY => {
            let length = usize::try_from(read_varint(bytes)?).ok()?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Value::Binary(text.to_vec())
        }
        LIST | SET => {
            let depth = depth.checked_sub(1)?;
            let head = byte(bytes)?;
            let count = match head >> 4 {
                15 => read_varint(bytes)?,
                few => u64::from(few),
            };
            // Each entry takes a byte at least.
            if count > bytes.len() as u64 {
                return None;
            }
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(read_value(bytes, head & 15, depth)?);
            }
            Value::List(values)
        }
        STRUCT => Value::Struct(read_struct(bytes, depth)?),
        _ => return None,
    })
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let next = byte(bytes)?;
        value |= u64::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn read_zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let raw = read_varint(bytes)?;
    Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the protocol's specification: 300 is `AC 02`, and -1 becomes 1.
    #[test]
    fn numbers_have_the_specified_bytes() {
        let mut out = Vec::new();
        varint(&mut out, 300);
        assert_eq!(out, [0xac, 0x02]);
        assert_eq!((zigzag(0), zigzag(-1), zigzag(1), zigzag(-2)), (0, 1, 2, 3));
    }

    #[test]
    fn structures_read_back() {
        let inner = Struct::new().field(1, Value::Binary(b"text".to_vec())).field(40, Value::I64(i64::MIN));
        let many = (0..20).map(Value::I32).collect();
        let before = Struct::new()
            .field(3, Value::List(many))
            .field(1, Value::I32(-7))
            .field(7, Value::Bool(false))
            .field(9, Value::Double(0.5))
            .field(8, Value::Struct(inner));
        let mut bytes = Vec::new();
        before.write(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(Struct::read(&mut rest), Some(before));
        assert!(rest.is_empty());
        assert_eq!(Struct::read(&mut &bytes[..bytes.len() - 1]), None);
    }
}
