//! Foreign functions that can be run while flattening: pure functions of strings and numbers that libraries use to
//! compute structural parameters. Nothing here calls foreign code.

use kausal_symbolic::function::{ExternalCall, ExternalError, Externals, Value};

/// The table.
pub struct Table<'a> {
    /// Where a `modelica://` resource is.
    pub resources: &'a dyn Fn(&str) -> Option<String>,
}

impl Externals for Table<'_> {
    fn call(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError> {
        let text = |i: usize| -> Result<String, ExternalError> {
            let value = &call.args.get(i).ok_or(ExternalError::Unavailable)?.value;
            let text = value.as_text().map_err(|_| ExternalError::Unavailable)?;
            text.known().map(str::to_owned).ok_or(ExternalError::Unavailable)
        };
        let number = |i: usize| -> Result<f64, ExternalError> {
            let value = &call.args.get(i).ok_or(ExternalError::Unavailable)?.value;
            value.as_scalar().map_err(|_| ExternalError::Unavailable)
        };
        let one = |x: f64| Ok(vec![Value::Scalar(x)]);
        match call.body.name.as_str() {
            "ModelicaStrings_length" => one(text(0)?.len() as f64),
            "ModelicaStrings_substring" => {
                let source = text(0)?;
                let first = (number(1)? as usize).max(1) - 1;
                let last = (number(2)? as usize).min(source.len());
                let part = source.get(first..last.max(first)).unwrap_or("").to_owned();
                Ok(vec![Value::text(part.as_str())])
            }
            "ModelicaStrings_compare" => {
                let (mut a, mut b) = (text(0)?, text(1)?);
                if number(2)? == 0.0 {
                    (a, b) = (a.to_lowercase(), b.to_lowercase());
                }
                one(match a.cmp(&b) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 2.0,
                    std::cmp::Ordering::Greater => 3.0,
                })
            }
            "ModelicaStrings_skipWhiteSpace" => {
                let source = text(0)?;
                let bytes = source.as_bytes();
                let mut i = (number(1)? as usize).max(1);
                while bytes.get(i - 1).is_some_and(u8::is_ascii_whitespace) {
                    i += 1;
                }
                one(i as f64)
            }
            "ModelicaStrings_hashString" => {
                // 32 bits of a hash: only equality matters to its users.
                let hash = text(0)?
                    .bytes()
                    .fold(5381u32, |h, b| (h << 5).wrapping_add(h).wrapping_add(u32::from(b)));
                one(f64::from(hash as i32))
            }
            "OpenModelica_uriToFilename" | "ModelicaServices_loadResource" => {
                let uri = text(0)?;
                match (self.resources)(&uri) {
                    Some(path) => Ok(vec![Value::text(path.as_str())]),
                    None => Err(ExternalError::Failed(format!("there is no resource {uri}"))),
                }
            }
            _ => Err(ExternalError::Unavailable),
        }
    }
}
