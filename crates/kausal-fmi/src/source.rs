//! A model as C text in an FMU for Co-Simulation, for controllers and whoever wants to read or compile it (FMI 3.0, section 2.5.1.4).
//!
//! ```text
//! sources/fmi3.c             the functions of the standard: the one file to compile
//! sources/fmi3Functions.h    types and prototypes, written from the specification
//! sources/model.c            the model, as `kausal translate --c` writes it
//! sources/names.h            names of the model, with the name of the FMU before them
//! sources/variables.h        which value reference is which place among its values
//! sources/instance.c         instances, whatever the version
//! sources/buildDescription.xml    for importing tools; FMI 2.0 lists the file in the description
//! ```
//!
//! The C text integrates in steps of one size, so such an FMU has no Model Exchange. Parameters are fixed in the initialisation, start
//! values are those of the model, and texts are left out.

use std::collections::BTreeSet;
use std::fmt::Write;

use kausal::Diagnostic;
use kausal_translate::Program;

use crate::description::{Description, Kinds};
use crate::export::{Version, What};
use crate::references::token;
use crate::variables::{Causality, Variable};
use crate::xml::{Attributes, Xml, number};
use crate::{export, fmi2, fmi3};

/// How C text runs inside an FMU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepping {
    /// The steps of the integration, at most.
    pub step: f64,
    /// States can be kept: none of the values is an address.
    pub states: bool,
}

const FILES: [(&str, &str); 1] = [("instance.c", include_str!("source/instance.c"))];
const TWO: [(&str, &str); 2] =
    [("fmi2.c", include_str!("source/fmi2.c")), ("fmi2Functions.h", include_str!("source/fmi2Functions.h"))];
const THREE: [(&str, &str); 2] =
    [("fmi3.c", include_str!("source/fmi3.c")), ("fmi3Functions.h", include_str!("source/fmi3Functions.h"))];

/// The file to compile.
pub fn compiled(version: Version) -> &'static str {
    match version {
        Version::Two => TWO[0].0,
        Version::Three => THREE[0].0,
    }
}

/// Why a model cannot be C text alone, if it cannot.
pub fn refused(what: &What) -> Option<Diagnostic> {
    if let Some(d) = crate::export::refused(what) {
        return Some(d);
    }
    let program = &what.model.program;
    let external = what.model.external_functions();
    let because = |why: String, help: &str| {
        let message = format!("{} cannot be exported as C text: {why}", program.name);
        Some(Diagnostic::error("K0713", message).help(help.to_owned()))
    };
    let with_library = "leave out --source: the library that goes into FMUs has it";
    if let Some(&function) = external.first() {
        let name = &program.pool.function(function).name;
        return because(
            format!("it calls the external function {name}, which is not a part of it"),
            with_library,
        );
    }
    if !program.delays.is_empty() || !program.transports.is_empty() {
        let why = "delay and spatialDistribution need the past, which the C text does not keep";
        return because(why.to_owned(), with_library);
    }
    if program.discretized.is_none() && !program.states.is_empty() {
        let why = "it has states, and no method of integration in it";
        return because(
            why.to_owned(),
            "choose one: --inline radau, bdf, trapezoidal, implicit-euler or euler",
        );
    }
    None
}

/// The archive as bytes: `code` is the C text, `step` the size of its steps, at most.
///
/// # Errors
/// Where the model cannot be C text alone.
pub fn archive(what: What, version: Version, code: &str, step: f64) -> Result<Vec<u8>, Diagnostic> {
    if let Some(d) = refused(&what) {
        return Err(d);
    }
    let program = &what.model.program;
    let stepping =
        Stepping { step, states: !["KAUSAL_TEXTS", "kausal_arena"].iter().any(|word| code.contains(word)) };
    let token = token(format!("{code}{step:?}").as_bytes());
    let description = Description::of_source(what.flat, what.model, token, stepping);
    let xml = match version {
        Version::Two => fmi2::write(&description),
        Version::Three => fmi3::write(&description),
    };
    let own = match version {
        Version::Two => TWO,
        Version::Three => THREE,
    };
    let mut files = vec![("modelDescription.xml".to_owned(), xml.into_bytes())];
    let mut source = |name: &str, text: String| files.push((format!("sources/{name}"), text.into_bytes()));
    for (name, text) in own.into_iter().chain(FILES) {
        source(name, text.to_owned());
    }
    source("model.c", code.to_owned());
    source("names.h", names(code, &description.identifier));
    source("variables.h", table(&description, program, stepping));
    if version == Version::Three {
        source("buildDescription.xml", build(&description.identifier));
    }
    files.extend(
        export::shown(&what, &description, version).into_iter().map(|(name, bytes)| (name.to_owned(), bytes)),
    );
    export::packed(&program.name, &files)
}

/// How Co-Simulation is offered.
pub(crate) fn kinds() -> Kinds {
    Kinds { model_exchange: false, co_simulation: true }
}

fn build(identifier: &str) -> String {
    let mut xml = Xml::new();
    xml.element("fmiBuildDescription", Attributes::new().with("fmiVersion", "3.0"), |xml| {
        xml.element("BuildConfiguration", Attributes::new().with("modelIdentifier", identifier), |xml| {
            xml.element("SourceFileSet", Attributes::new().with("language", "C11"), |xml| {
                xml.empty("SourceFile", Attributes::new().with("name", compiled(Version::Three)));
            });
        });
    });
    xml.finish()
}

/// Several FMUs may be in one program: what is visible outside of the C text has a name of its own.
fn names(code: &str, identifier: &str) -> String {
    let visible = |line: &&str| !line.starts_with([' ', '#', '/', '}']) && !line.starts_with("static ");
    let name = |line: &str| {
        let at = line.find("model_")?;
        let rest = &line[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let follows = rest[end..].starts_with(['(', '[']) && !line.starts_with("enum");
        follows.then(|| rest[..end].to_owned())
    };
    let names: BTreeSet<String> = code.lines().filter(visible).filter_map(name).collect();
    let mut out = String::from("/* Names that are visible outside of the C text. */\n");
    for name in names {
        let _ = writeln!(out, "#define {name} {identifier}_{name}");
    }
    out
}

/// What each value reference is.
fn table(description: &Description, program: &Program, stepping: Stepping) -> String {
    let listed = || description.variables.iter().filter(|v| v.reference > 0);
    let count = listed().map(|v| v.reference).max().unwrap_or(1) as usize;
    let mut kinds = vec![0; count];
    let mut places = vec![0; count];
    for variable in listed() {
        let at = variable.reference as usize - 1;
        kinds[at] = kind(variable);
        places[at] = variable.slot.map_or(0, |slot| slot.index().min(program.variables.len()));
    }
    let lines = |list: &[usize]| {
        let words: Vec<String> = list.iter().map(usize::to_string).collect();
        words.chunks(24).map(|words| words.join(", ")).collect::<Vec<_>>().join(",\n    ")
    };
    let quoted: String = description.token.chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    format!(
        "/* Which value reference is which place among the values of the model. */\n\
         #define FMU_TOKEN \"{quoted}\"\n#define FMU_STEP {}\n#define FMU_STATES {}\n\
         enum {{ fmu_is_shown = 1, fmu_is_parameter = 2, fmu_is_input = 4, fmu_is_negative = 8, fmu_is_step = 16 }};\n\
         enum {{ FMU_REFERENCES = {count} }};\n\
         static const unsigned char fmu_kind[FMU_REFERENCES] = {{\n    {}\n}};\n\
         static const int fmu_place[FMU_REFERENCES] = {{\n    {}\n}};\n",
        number(stepping.step),
        u8::from(stepping.states),
        lines(&kinds),
        lines(&places),
    )
}

fn kind(variable: &Variable) -> usize {
    let causality = match variable.causality {
        Causality::Parameter if variable.slot.is_none() => 16,
        Causality::Parameter => 2,
        Causality::Input => 4,
        _ => 0,
    };
    1 + causality + if variable.negated { 8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn visible_names_have_the_name_of_the_fmu_before_them() {
        let code = "typedef struct model {\n    double model_x;\n} model;\nextern const int model_state[model_states];\n\
                    int model_step(model *m, double h);\nstatic int model_try(model *m);\nenum { model_states = 2 };\n";
        let expected = "#define model_state A_model_state\n#define model_step A_model_step\n";
        assert_eq!(names(code, "A").split_once('\n').map(|(_, rest)| rest), Some(expected));
    }
}
