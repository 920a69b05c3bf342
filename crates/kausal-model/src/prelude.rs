//! The classes that exist without being declared (specification sections 4.9 and 8.3.7).

use std::hash::{Hash, Hasher};

use kausal_syntax::ast::ClassBody;
use rustc_hash::FxHasher;

use crate::library::{DefId, Library};

/// An enumeration type. Two with the same literals in the same order are the same type (specification section 6.4,
/// type compatibility), wherever they are declared.
#[derive(Clone, Copy, Debug)]
pub struct EnumerationType {
    /// Where it is declared.
    pub def: DefId,
    /// Stands for the names of the literals in order.
    literals: u64,
}

impl EnumerationType {
    /// The enumeration declared here; `enumeration(:)` equals itself only.
    pub fn new(lib: &Library, def: DefId) -> Self {
        let mut hasher = FxHasher::default();
        match &lib.class(def).body {
            ClassBody::Enumeration(Some(literals)) => {
                literals.iter().for_each(|literal| literal.name.symbol.as_str().hash(&mut hasher));
            }
            _ => def.hash(&mut hasher),
        }
        EnumerationType { def, literals: hasher.finish() }
    }
}

impl PartialEq for EnumerationType {
    fn eq(&self, other: &Self) -> bool {
        self.literals == other.literals
    }
}

impl Eq for EnumerationType {}

impl Hash for EnumerationType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.literals.hash(state);
    }
}

/// A built-in type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `Real`
    Real,
    /// `Integer`
    Integer,
    /// `Boolean`
    Boolean,
    /// `String`
    String,
    /// `Clock`
    Clock,
    /// An external object; its class has a constructor.
    ExternalObject,
    /// An enumeration.
    Enumeration(EnumerationType),
}

/// The built-in classes as text.
pub const TEXT: &str = "
type Real end Real;
type Integer end Integer;
type Boolean end Boolean;
type String end String;
type Clock end Clock;
partial class ExternalObject end ExternalObject;
type StateSelect = enumeration(never, avoid, default, prefer, always);
type AssertionLevel = enumeration(warning, error);
model '$Auxiliary' Boolean '$when'; Real '$value'; end '$Auxiliary';
";

/// The built-in type of this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    Some(match name {
        "Real" => Builtin::Real,
        "Integer" => Builtin::Integer,
        "Boolean" => Builtin::Boolean,
        "String" => Builtin::String,
        "Clock" => Builtin::Clock,
        "ExternalObject" => Builtin::ExternalObject,
        _ => return None,
    })
}
