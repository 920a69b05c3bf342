//! Foreign functions that can be run while flattening: those of the standard library that keep nothing between calls and
//! change nothing, the names of resources, and foreign code where the user has allowed it.

use std::sync::Arc;

use kausal_external::foreign::Foreign;
use kausal_external::{Kind, Options, Permissions, StandardExternals, kind};
use kausal_symbolic::function::{ExternalCall, ExternalError, Externals, Value};

/// The functions.
pub struct Table<'a> {
    /// Where a `modelica://` resource is.
    pub resources: &'a dyn Fn(&str) -> Option<String>,
    /// Foreign code, where the user has allowed it.
    pub foreign: Option<Arc<Foreign>>,
    /// What may be read.
    pub permissions: &'a dyn Fn() -> Permissions,
}

impl Externals for Table<'_> {
    fn call(&self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, ExternalError> {
        let first = call.args.first().and_then(|arg| arg.value.as_text().ok()?.known());
        match (call.body.name.as_str(), first) {
            ("OpenModelica_uriToFilename" | "ModelicaServices_loadResource", Some(uri)) => self.resource(uri),
            // What the library itself calls for a resource, which is meant for files only.
            ("ModelicaInternal_fullPathName", Some(uri)) if uri.starts_with("modelica://") => {
                self.resource(uri)
            }
            _ => {
                // They take a look at the disk, and most functions do not ask.
                let reads = kind(&call.body.name) == Some(Kind::Reads);
                let permissions = if reads { (self.permissions)() } else { Permissions::default() };
                let options = Options::translation(permissions);
                StandardExternals::new(options).with_foreign(self.foreign.clone()).call(call)
            }
        }
    }
}

impl Table<'_> {
    fn resource(&self, uri: &str) -> Result<Vec<Value<f64>>, ExternalError> {
        match (self.resources)(uri) {
            Some(path) => Ok(vec![Value::text(path.as_str())]),
            None => Err(ExternalError::Failed(format!("there is no resource {uri}"))),
        }
    }
}
