//! The classes that exist without being declared (specification sections 4.9 and 8.3.7).

use crate::library::DefId;

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
    /// An enumeration, named by its definition.
    Enumeration(DefId),
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
