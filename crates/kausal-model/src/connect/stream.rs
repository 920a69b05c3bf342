//! Stream connectors (specification chapter 15).

use crate::class::Res;
use crate::expr::builtin::Call;
use crate::flattener::Flattener;
use crate::value::Value;

/// Connectors with stream variables that are connected to one another.
#[derive(Clone, Debug, Default)]
pub struct Streams {}

impl Flattener<'_> {
    /// `inStream(…)` and `actualStream(…)`.
    pub fn builtin_stream(&mut self, c: Call<'_>) -> Res<Value> {
        Err(self.at_expr(c.scope, c.expr, "K0391", "stream connectors are not supported yet"))
    }

    /// `cardinality(c)`
    pub fn builtin_cardinality(&mut self, c: Call<'_>) -> Res<Value> {
        Err(self.at_expr(c.scope, c.expr, "K0391", "cardinality is not supported yet"))
    }
}
