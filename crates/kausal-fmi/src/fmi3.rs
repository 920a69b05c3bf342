//! `modelDescription.xml` of FMI 3.0 (its specification, section 2.4).

use std::collections::BTreeSet;

use kausal_model::flat::Type;

use crate::arrays::Array;
use crate::description::{DefinedUnit, Description, value};
use crate::structure::Unknown;
use crate::units::BASE;
use crate::variables::{About, Causality, Variability, Variable};
use crate::xml::{Attributes, Xml, number};

/// The whole description.
pub fn write(description: &Description) -> String {
    let mut xml = Xml::new();
    let d = description;
    let root = Attributes::new()
        .with("fmiVersion", "3.0")
        .with("modelName", &d.name)
        .with("instantiationToken", &d.token)
        .text("description", &d.description)
        .with("generationTool", crate::export::TOOL)
        .with("variableNamingConvention", "structured");
    xml.element("fmiModelDescription", root, |xml| {
        interfaces(xml, d);
        if !d.units.is_empty() {
            xml.element("UnitDefinitions", Attributes::new(), |xml| units(xml, d));
        }
        if !d.enumerations.is_empty() {
            xml.element("TypeDefinitions", Attributes::new(), |xml| {
                for kind in d.enumerations.values() {
                    let name = Attributes::new().with("name", &kind.name);
                    xml.element("EnumerationType", name, |xml| items(xml, &kind.literals));
                }
            });
        }
        xml.element("LogCategories", Attributes::new(), |xml| {
            for category in crate::export::CATEGORIES {
                xml.empty("Category", Attributes::new().with("name", category));
            }
        });
        xml.empty("DefaultExperiment", experiment(d));
        xml.element("ModelVariables", Attributes::new(), |xml| {
            let mut place = 0;
            while let Some(v) = d.variables.get(place) {
                let array = array_at(d, place);
                variable(xml, d, place, v, array);
                place += array.map_or(1, |array| array.len);
            }
            d.indicators.iter().for_each(|v| variable(xml, d, usize::MAX, v, None));
        });
        xml.element("ModelStructure", Attributes::new(), |xml| structure(xml, d));
    });
    xml.finish()
}

fn interfaces(xml: &mut Xml, d: &Description) {
    let common = || {
        Attributes::new()
            .with("modelIdentifier", &d.identifier)
            .with("providesDirectionalDerivatives", true)
            .with("providesAdjointDerivatives", true)
            .with("canGetAndSetFMUState", d.saved)
            .with("canSerializeFMUState", d.saved)
    };
    if d.kinds.model_exchange {
        let told = d.remembers.then_some(true);
        xml.empty("ModelExchange", common().maybe("needsCompletedIntegratorStep", told));
    }
    if let Some(stepping) = d.source {
        let plain = Attributes::new()
            .with("modelIdentifier", &d.identifier)
            .with("canGetAndSetFMUState", stepping.states)
            .with("canHandleVariableCommunicationStepSize", true)
            .with("fixedInternalStepSize", number(stepping.step));
        xml.empty("CoSimulation", plain);
    } else if d.kinds.co_simulation {
        let plain = Attributes::new()
            .with("modelIdentifier", &d.identifier)
            .with("canGetAndSetFMUState", d.saved)
            .with("canSerializeFMUState", d.saved)
            .with("canHandleVariableCommunicationStepSize", true)
            .with("canReturnEarlyAfterIntermediateUpdate", true)
            .with("providesIntermediateUpdate", true)
            .with("mightReturnEarlyFromDoStep", true)
            .with("hasEventMode", true);
        xml.empty("CoSimulation", plain);
    }
}

/// Unit definitions, the same in both versions.
pub(crate) fn units(xml: &mut Xml, d: &Description) {
    for (name, DefinedUnit { unit, display }) in &d.units {
        xml.element("Unit", Attributes::new().with("name", name), |xml| {
            if let Some(unit) = unit {
                let mut base = Attributes::new();
                for (name, exponent) in BASE.iter().zip(unit.exponents).filter(|(_, e)| *e != 0) {
                    base = base.with(name, exponent);
                }
                if unit.factor != 1.0 {
                    base = base.with("factor", number(unit.factor));
                }
                if unit.offset != 0.0 {
                    base = base.with("offset", number(unit.offset));
                }
                xml.empty("BaseUnit", base);
            }
            for (name, (factor, offset)) in display {
                let mut shown = Attributes::new().with("name", name);
                if *factor != 1.0 {
                    shown = shown.with("factor", number(*factor));
                }
                if *offset != 0.0 {
                    shown = shown.with("offset", number(*offset));
                }
                xml.empty("DisplayUnit", shown);
            }
        });
    }
}

/// Literals of an enumeration.
pub(crate) fn items(xml: &mut Xml, literals: &[String]) {
    for (i, literal) in literals.iter().enumerate() {
        xml.empty("Item", Attributes::new().with("name", literal).with("value", i + 1));
    }
}

/// What the `experiment` annotation says.
pub(crate) fn experiment(d: &Description) -> Attributes {
    let e = d.experiment;
    Attributes::new()
        .number("startTime", e.start)
        .number("stopTime", e.stop)
        .number("tolerance", e.tolerance)
        .number("stepSize", e.interval.filter(|i| *i > 0.0))
}

/// The array whose first element is at a place.
pub(crate) fn array_at(d: &Description, place: usize) -> Option<&Array> {
    d.arrays.binary_search_by_key(&place, |array| array.first).ok().map(|at| &d.arrays[at])
}

/// The value reference of a variable, or of the array it is in.
fn reference(d: &Description, place: usize) -> u32 {
    let at = d.arrays.partition_point(|array| array.first <= place);
    let array = at.checked_sub(1).map(|at| &d.arrays[at]).filter(|array| place < array.first + array.len);
    d.variables[array.map_or(place, |array| array.first)].reference
}

/// A variable; of an array, its first element.
fn variable(xml: &mut Xml, d: &Description, place: usize, v: &Variable, array: Option<&Array>) {
    let element = match v.ty {
        Type::Integer => "Int32",
        Type::Boolean => "Boolean",
        Type::String => "String",
        Type::Enumeration(_) => "Enumeration",
        _ => "Float64",
    };
    let mut a = Attributes::new()
        .with("name", array.map_or(&v.name, |array| &array.name))
        .with("valueReference", v.reference)
        .text("description", array.map_or(&v.about.description, |array| &array.description))
        .with("causality", v.causality.name())
        .with("variability", v.variability.name());
    if let Some(initial) =
        v.initial.filter(|_| !matches!(v.causality, Causality::Independent | Causality::Input))
    {
        a = a.with("initial", initial.name());
    }
    if let Type::Enumeration(kind) = v.ty {
        a = a.maybe("declaredType", d.enumerations.get(&kind).map(|kind| &kind.name));
    }
    a = attributes(a, v.ty, &v.about, v.variability == Variability::Constant);
    if v.ty == Type::Real && v.variability == Variability::Continuous {
        let state = v.derivative_of.and_then(|k| d.structure.states.get(k));
        a = a.maybe("derivative", state.map(|&place| reference(d, place)));
        if v.reinit {
            a = a.with("reinit", true);
        }
    }
    let elements = array.map_or(std::slice::from_ref(v), |array| &d.variables[place..place + array.len]);
    let starts: Vec<String> =
        elements.iter().filter_map(|v| v.start.as_ref().map(|start| value(start, v.ty))).collect();
    let is_text = v.ty == Type::String;
    if !starts.is_empty() && !is_text {
        a = a.with("start", starts.join(" "));
    }
    if (!is_text || starts.is_empty()) && v.aliases.is_empty() && array.is_none() {
        xml.empty(element, a);
        return;
    }
    xml.element(element, a, |xml| {
        for size in array.iter().flat_map(|array| &array.sizes) {
            xml.empty("Dimension", Attributes::new().with("start", size));
        }
        for (i, (name, about)) in v.aliases.iter().enumerate() {
            let name = array.map_or(name, |array| &array.aliases[i]);
            let mut alias = Attributes::new().with("name", name).text("description", &about.description);
            // A display unit is one of the unit that the variable has.
            if v.ty == Type::Real && about.unit == v.about.unit {
                alias = alias.text("displayUnit", &about.display_unit);
            }
            xml.empty("Alias", alias);
        }
        for start in starts.iter().filter(|_| is_text) {
            xml.empty("Start", Attributes::new().with("value", start));
        }
    });
}

/// What a type lets a variable say.
fn attributes(a: Attributes, ty: Type, about: &About, constant: bool) -> Attributes {
    match ty {
        Type::Real => a
            .text("quantity", &about.quantity)
            .text("unit", &about.unit)
            .text("displayUnit", &about.display_unit)
            .number("min", about.min.filter(|_| !constant))
            .number("max", about.max.filter(|_| !constant))
            .number("nominal", about.nominal),
        Type::Integer => a
            .text("quantity", &about.quantity)
            .maybe("min", about.min.filter(|_| !constant).and_then(whole))
            .maybe("max", about.max.filter(|_| !constant).and_then(whole)),
        _ => a,
    }
}

/// A bound of 32 bits.
pub(crate) fn whole(value: f64) -> Option<i32> {
    (value == value.trunc() && value.abs() <= f64::from(i32::MAX)).then_some(value as i32)
}

fn structure(xml: &mut Xml, d: &Description) {
    // Each array is one unknown: what its elements depend on, together.
    let all = |xml: &mut Xml, name: &'static str, unknowns: &[Unknown]| {
        for together in unknowns.chunk_by(|a, b| reference(d, a.variable) == reference(d, b.variable)) {
            let places: Option<Vec<&Vec<usize>>> = together.iter().map(|u| u.dependencies.as_ref()).collect();
            let dependencies = places.map(|places| {
                let references: BTreeSet<u32> =
                    places.into_iter().flatten().map(|place| reference(d, *place)).collect();
                references.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
            });
            let a = Attributes::new().with("valueReference", reference(d, together[0].variable));
            xml.empty(name, a.maybe("dependencies", dependencies));
        }
    };
    all(xml, "Output", &d.structure.outputs);
    all(xml, "ContinuousStateDerivative", &d.structure.derivatives);
    let initial: Vec<u32> = d.structure.initial.iter().map(|place| reference(d, *place)).collect();
    for together in initial.chunk_by(|a, b| a == b) {
        xml.empty("InitialUnknown", Attributes::new().with("valueReference", together[0]));
    }
    for indicator in &d.indicators {
        xml.empty("EventIndicator", Attributes::new().with("valueReference", indicator.reference));
    }
}
