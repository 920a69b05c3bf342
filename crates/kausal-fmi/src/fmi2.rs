//! `modelDescription.xml` of FMI 2.0 (its specification, section 2.2).
//!
//! Aliases are variables of their own with the same value reference; the model structure names variables by their places in the
//! list, from 1.

use kausal_model::flat::Type;

use crate::description::{Description, value};
use crate::export::Version;
use crate::fmi3::{experiment, items, units, whole};
use crate::source;
use crate::structure::Unknown;
use crate::variables::{About, Causality, Initial, Variability, Variable};
use crate::xml::{Attributes, Xml};

/// The whole description.
pub fn write(description: &Description) -> String {
    let d = description;
    let mut xml = Xml::new();
    let root = Attributes::new()
        .with("fmiVersion", "2.0")
        .with("modelName", &d.name)
        .with("guid", &d.token)
        .text("description", &d.description)
        .with("generationTool", crate::export::TOOL)
        .with("variableNamingConvention", "structured")
        .with("numberOfEventIndicators", d.events);
    // Places of variables: each one is followed by its aliases.
    let mut places = Vec::with_capacity(d.variables.len());
    let mut next = 1;
    for v in &d.variables {
        places.push(next);
        next += 1 + v.aliases.len();
    }
    xml.element("fmiModelDescription", root, |xml| {
        if d.kinds.model_exchange {
            let a = Attributes::new()
                .with("modelIdentifier", &d.identifier)
                .with("canGetAndSetFMUstate", d.saved)
                .with("canSerializeFMUstate", d.saved)
                .with("providesDirectionalDerivative", true);
            xml.empty("ModelExchange", a);
        }
        if let Some(stepping) = d.source {
            let a = Attributes::new()
                .with("modelIdentifier", &d.identifier)
                .with("canHandleVariableCommunicationStepSize", true)
                .with("canGetAndSetFMUstate", stepping.states);
            let file = Attributes::new().with("name", source::compiled(Version::Two));
            xml.element("CoSimulation", a, |xml| {
                xml.element("SourceFiles", Attributes::new(), |xml| xml.empty("File", file));
            });
        } else if d.kinds.co_simulation {
            let a = Attributes::new()
                .with("modelIdentifier", &d.identifier)
                .with("canHandleVariableCommunicationStepSize", true)
                .with("canInterpolateInputs", true)
                .with("canGetAndSetFMUstate", d.saved)
                .with("canSerializeFMUstate", d.saved);
            xml.empty("CoSimulation", a);
        }
        if !d.units.is_empty() {
            xml.element("UnitDefinitions", Attributes::new(), |xml| units(xml, d));
        }
        if !d.enumerations.is_empty() {
            xml.element("TypeDefinitions", Attributes::new(), |xml| {
                for kind in d.enumerations.values() {
                    xml.element("SimpleType", Attributes::new().with("name", &kind.name), |xml| {
                        xml.element("Enumeration", Attributes::new(), |xml| items(xml, &kind.literals));
                    });
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
            d.variables.iter().for_each(|v| variable(xml, d, v, &places));
        });
        xml.element("ModelStructure", Attributes::new(), |xml| structure(xml, d, &places));
    });
    xml.finish()
}

fn variable(xml: &mut Xml, d: &Description, v: &Variable, places: &[usize]) {
    let mut a = Attributes::new()
        .with("name", &v.name)
        .with("valueReference", v.reference)
        .text("description", &v.about.description)
        .with("causality", v.causality.name())
        .with("variability", v.variability.name());
    if let Some(initial) =
        v.initial.filter(|_| !matches!(v.causality, Causality::Independent | Causality::Input))
    {
        a = a.with("initial", initial.name());
    }
    let typed = |about: &About, start: bool| {
        let a = attributes(d, v, about);
        match v.start.as_ref().filter(|_| start) {
            Some(start) => a.with("start", value(start, v.ty)),
            None => a,
        }
    };
    xml.element("ScalarVariable", a, |xml| {
        let mut a = typed(&v.about, true);
        if v.ty == Type::Real && v.variability == Variability::Continuous {
            let state = v.derivative_of.and_then(|k| d.structure.states.get(k));
            a = a.maybe("derivative", state.map(|&place| places[place]));
            if v.reinit {
                a = a.with("reinit", true);
            }
        }
        xml.empty(element(v.ty), a);
    });
    for (name, about) in &v.aliases {
        let constant = v.variability == Variability::Constant;
        let initial = if constant { Initial::Exact } else { Initial::Calculated };
        let a = Attributes::new()
            .with("name", name)
            .with("valueReference", v.reference)
            .text("description", &about.description)
            .with("causality", Causality::Local.name())
            .with("variability", v.variability.name())
            .with("initial", initial.name());
        xml.element("ScalarVariable", a, |xml| xml.empty(element(v.ty), typed(about, constant)));
    }
}

fn element(ty: Type) -> &'static str {
    match ty {
        Type::Integer => "Integer",
        Type::Boolean => "Boolean",
        Type::String => "String",
        Type::Enumeration(_) => "Enumeration",
        _ => "Real",
    }
}

/// What a type lets a variable say.
fn attributes(d: &Description, v: &Variable, about: &About) -> Attributes {
    let a = Attributes::new();
    let bounded = v.variability != Variability::Constant;
    let (min, max) = (about.min.filter(|_| bounded), about.max.filter(|_| bounded));
    match v.ty {
        Type::Real => a
            .text("quantity", &about.quantity)
            .text("unit", &about.unit)
            .text("displayUnit", &about.display_unit)
            .number("min", min)
            .number("max", max)
            .number("nominal", about.nominal),
        Type::Integer => a
            .text("quantity", &about.quantity)
            .maybe("min", min.and_then(whole))
            .maybe("max", max.and_then(whole)),
        Type::Enumeration(kind) => a.maybe("declaredType", d.enumerations.get(&kind).map(|kind| &kind.name)),
        _ => a,
    }
}

fn structure(xml: &mut Xml, d: &Description, places: &[usize]) {
    let unknown = |xml: &mut Xml, unknown: &Unknown| {
        let dependencies = unknown.dependencies.as_ref().map(|known| {
            let known: Vec<String> = known.iter().map(|&place| places[place].to_string()).collect();
            known.join(" ")
        });
        let a = Attributes::new().with("index", places[unknown.variable]);
        xml.empty("Unknown", a.maybe("dependencies", dependencies));
    };
    let all = |xml: &mut Xml, name: &'static str, list: &[Unknown]| {
        if !list.is_empty() {
            xml.element(name, Attributes::new(), |xml| list.iter().for_each(|u| unknown(xml, u)));
        }
    };
    all(xml, "Outputs", &d.structure.outputs);
    all(xml, "Derivatives", &d.structure.derivatives);
    if !d.structure.initial.is_empty() {
        xml.element("InitialUnknowns", Attributes::new(), |xml| {
            for &place in &d.structure.initial {
                xml.empty("Unknown", Attributes::new().with("index", places[place]));
            }
        });
    }
}
