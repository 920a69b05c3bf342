//! Expandable connectors (specification section 9.1.3).

use kausal_syntax::Location;
use kausal_syntax::ast::{self, ClassKind};

use crate::class::Res;
use crate::equation::Context;
use crate::flattener::Flattener;
use crate::instance::InstId;

/// A member of an expandable connector that nobody declared.
#[derive(Clone, Debug)]
pub struct Undeclared {}

impl Flattener<'_> {
    /// Takes note of a connection to a member that does not exist yet; true if it is one.
    pub(super) fn collect_undeclared(
        &mut self,
        _cx: Context<'_>,
        _a: &ast::ComponentRef,
        _b: &ast::ComponentRef,
        _location: Location,
    ) -> Res<bool> {
        Ok(false)
    }

    /// Is it an expandable connector?
    pub fn is_expandable(&self, id: InstId) -> bool {
        self.inst(id).info.as_ref().is_some_and(|i| i.kind == ClassKind::ExpandableConnector)
    }
}
