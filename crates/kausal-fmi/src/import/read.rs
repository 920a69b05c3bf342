//! Reads `modelDescription.xml` of FMI 2.0 (section 2.2) and 3.0 (section 2.4). What the schemas demand and what is used here is
//! checked; all that is wrong is said at once.

use std::collections::HashMap;

use kausal::Diagnostic;
use roxmltree::{Document, Node};

use super::interface::{
    Causality, Element, Experiment, Interface, Kind, Output, Start, Type, Variability, Variable,
};
use crate::export::Version;

/// Errors that are said; a description with more of them is not one.
const MAX_ERRORS: usize = 20;
/// Elements of all arrays together.
const MAX_ELEMENTS: usize = 10_000_000;

/// What a description says.
///
/// # Errors
/// All that is wrong with it.
pub fn interface(text: &str) -> Result<Interface, Vec<Diagnostic>> {
    let document = Document::parse(text).map_err(|error| {
        let d = Diagnostic::error("K0723", format!("modelDescription.xml is not well-formed XML: {error}"));
        vec![d.help("the tool that made the FMU is at fault; ask for another export")]
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "fmiModelDescription" {
        let message = format!(
            "the root of modelDescription.xml is {}, not fmiModelDescription",
            root.tag_name().name()
        );
        return Err(vec![Diagnostic::error("K0724", message)]);
    }
    let version = version(root).map_err(|d| vec![d])?;
    let mut reader = Reader { version, errors: Vec::new(), document: &document };
    let interface = reader.interface(root);
    match reader.errors.is_empty() {
        true => Ok(interface),
        false => Err(reader.errors),
    }
}

fn version(root: Node) -> Result<Version, Diagnostic> {
    let said = root.attribute("fmiVersion").unwrap_or_default();
    match said {
        "2.0" => Ok(Version::Two),
        // Versions 3.x only add to 3.0, which is written so that older tools can read newer FMUs.
        _ if said == "3.0" || said.starts_with("3.") => Ok(Version::Three),
        "" => Err(Diagnostic::error("K0724", "fmiModelDescription has no fmiVersion")),
        _ => {
            let message = format!("the FMU is one of FMI {said}, which is not supported");
            Err(Diagnostic::error("K0725", message).help("export it again as FMI 2.0 or 3.0"))
        }
    }
}

struct Reader<'a> {
    version: Version,
    errors: Vec<Diagnostic>,
    document: &'a Document<'a>,
}

/// A type definition: what variables take from it where they do not say it themselves.
#[derive(Clone, Debug, Default)]
struct Declared {
    unit: String,
    display_unit: String,
    min: Option<f64>,
    max: Option<f64>,
    nominal: Option<f64>,
}

/// The sizes of an array: numbers, or the variables that have them.
#[derive(Clone)]
enum Size {
    Fixed(usize),
    Of(u32),
}

impl Reader<'_> {
    fn wrong(&mut self, node: Node, what: impl Into<String>) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let line = self.document.text_pos_at(node.range().start).row;
        let message = format!("modelDescription.xml, line {line}: {}", what.into());
        self.errors.push(Diagnostic::error("K0724", message));
    }

    /// An attribute that must be there.
    fn needed(&mut self, node: Node, name: &str) -> String {
        match node.attribute(name) {
            Some(value) if !value.is_empty() => value.to_owned(),
            _ => {
                self.wrong(node, format!("{} has no {name}", node.tag_name().name()));
                String::new()
            }
        }
    }

    fn parsed<T: std::str::FromStr>(&mut self, node: Node, name: &str, what: &str) -> Option<T> {
        let text = node.attribute(name)?.trim();
        match text.parse() {
            Ok(value) => Some(value),
            Err(_) => {
                self.wrong(node, format!("{name}=\"{}\" is not {what}", short(text)));
                None
            }
        }
    }

    fn number(&mut self, node: Node, name: &str) -> Option<f64> {
        let text = node.attribute(name)?.trim();
        let value = number(text);
        if value.is_none() {
            self.wrong(node, format!("{name}=\"{}\" is not a number", short(text)));
        }
        value
    }

    fn truth(&mut self, node: Node, name: &str) -> bool {
        match node.attribute(name).map(str::trim) {
            None | Some("false" | "0") => false,
            Some("true" | "1") => true,
            Some(other) => {
                self.wrong(node, format!("{name}=\"{}\" is neither true nor false", short(other)));
                false
            }
        }
    }

    fn interface(&mut self, root: Node) -> Interface {
        let token = match self.version {
            Version::Two => "guid",
            Version::Three => "instantiationToken",
        };
        let kinds =
            ["ModelExchange", "CoSimulation"].map(|name| child(root, name).map(|node| self.kind(node)));
        let [exchange, co_simulation] = kinds;
        let scheduled = child(root, "ScheduledExecution").is_some();
        if exchange.is_none() && co_simulation.is_none() && !scheduled {
            self.wrong(root, "it is neither for Model Exchange nor for Co-Simulation");
        }
        let declared = self.declared(root);
        let mut interface = Interface {
            version: self.version,
            name: self.needed(root, "modelName"),
            description: root.attribute("description").unwrap_or_default().to_owned(),
            token: self.needed(root, token),
            tool: root.attribute("generationTool").unwrap_or_default().to_owned(),
            exchange,
            co_simulation,
            scheduled,
            variables: Vec::new(),
            states: Vec::new(),
            outputs: Vec::new(),
            indicators: 0,
            indicator_variables: Vec::new(),
            experiment: self.experiment(root),
        };
        let Some(variables) = child(root, "ModelVariables") else {
            self.wrong(root, "there are no ModelVariables");
            return interface;
        };
        let mut nodes: Vec<Node> = variables.children().filter(Node::is_element).collect();
        let mut sizes = Vec::with_capacity(nodes.len());
        let mut aliases = Vec::new();
        for &node in &nodes {
            let (variable, size) = self.variable(node, &declared);
            for alias in named(node, "Alias") {
                aliases.push((alias, self.alias(alias, &variable), size.clone()));
            }
            interface.variables.push(variable);
            sizes.push(size);
        }
        // Behind all others: a value reference is that of the variable, and not of its other names.
        for (node, variable, size) in aliases {
            nodes.push(node);
            interface.variables.push(variable);
            sizes.push(size);
        }
        self.resolve_sizes(&nodes, &mut interface.variables, &sizes);
        self.check_names(&nodes, &interface.variables);
        let by_reference = first_of_reference(&interface.variables);
        for (place, &node) in nodes.iter().enumerate() {
            let of = match self.version {
                Version::Two => typed(node).and_then(|inner| self.index(inner, "derivative", nodes.len())),
                Version::Three => self.reference(node, "derivative", &by_reference),
            };
            interface.variables[place].derivative_of = of;
        }
        match child(root, "ModelStructure") {
            Some(structure) => self.structure(root, structure, &mut interface, &by_reference),
            None => self.wrong(root, "there is no ModelStructure"),
        }
        interface
    }

    fn kind(&mut self, node: Node) -> Kind {
        let identifier = self.needed(node, "modelIdentifier");
        let proper = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !identifier.is_empty()
            && (!identifier.chars().all(proper) || identifier.starts_with(|c: char| c.is_ascii_digit()))
        {
            self.wrong(node, format!("modelIdentifier=\"{}\" is not a name in C", short(&identifier)));
        }
        let directional = match self.version {
            Version::Two => "providesDirectionalDerivative",
            Version::Three => "providesDirectionalDerivatives",
        };
        Kind {
            identifier,
            directional: self.truth(node, directional),
            step_not_needed: match self.version {
                Version::Two => self.truth(node, "completedIntegratorStepNotNeeded"),
                Version::Three => !self.truth(node, "needsCompletedIntegratorStep"),
            },
            needs_tool: self.truth(node, "needsExecutionTool"),
            once: self.truth(node, "canBeInstantiatedOnlyOncePerProcess"),
        }
    }

    fn experiment(&mut self, root: Node) -> Experiment {
        let Some(node) = child(root, "DefaultExperiment") else { return Experiment::default() };
        let experiment = Experiment {
            start: self.number(node, "startTime"),
            stop: self.number(node, "stopTime"),
            tolerance: self.number(node, "tolerance"),
            step: self.number(node, "stepSize"),
        };
        if experiment.step.is_some_and(|step| !(step > 0.0 && step.is_finite())) {
            self.wrong(node, "the stepSize is not positive");
        }
        experiment
    }

    fn declared(&mut self, root: Node) -> HashMap<String, Declared> {
        let mut all = HashMap::new();
        let Some(definitions) = child(root, "TypeDefinitions") else { return all };
        for node in definitions.children().filter(Node::is_element) {
            let inner = match self.version {
                Version::Two => node.children().find(Node::is_element).unwrap_or(node),
                Version::Three => node,
            };
            let name = self.needed(node, "name");
            let declared = self.attributes(inner, &Declared::default());
            all.insert(name, declared);
        }
        all
    }

    fn attributes(&mut self, node: Node, inherited: &Declared) -> Declared {
        let text =
            |name: &str, other: &String| node.attribute(name).map_or_else(|| other.clone(), str::to_owned);
        Declared {
            unit: text("unit", &inherited.unit),
            display_unit: text("displayUnit", &inherited.display_unit),
            min: self.number(node, "min").or(inherited.min),
            max: self.number(node, "max").or(inherited.max),
            nominal: self.number(node, "nominal").or(inherited.nominal),
        }
    }

    fn variable(&mut self, node: Node, declared: &HashMap<String, Declared>) -> (Variable, Vec<Size>) {
        let name = self.needed(node, "name");
        let inner = match self.version {
            Version::Two => typed(node),
            Version::Three => Some(node),
        };
        let Some(inner) = inner else {
            self.wrong(node, format!("the variable {} has no type", short(&name)));
            return (empty(name), Vec::new());
        };
        let ty = ty(self.version, inner.tag_name().name());
        if ty.is_none() {
            self.wrong(inner, format!("{} is no type of variables", short(inner.tag_name().name())));
        }
        let ty = ty.unwrap_or(Type::Float64);
        let inherited = match inner.attribute("declaredType") {
            None => Declared::default(),
            Some(named) => declared.get(named).cloned().unwrap_or_else(|| {
                self.wrong(inner, format!("there is no type {}", short(named)));
                Declared::default()
            }),
        };
        let attributes = self.attributes(inner, &inherited);
        let causality = self.causality(node);
        let usual = match (causality, ty.is_real()) {
            (Causality::Parameter | Causality::CalculatedParameter | Causality::StructuralParameter, _) => {
                Variability::Fixed
            }
            (_, true) => Variability::Continuous,
            (_, false) => Variability::Discrete,
        };
        let variability = self.variability(node, usual);
        if node.attribute("valueReference").is_none() {
            self.wrong(node, format!("the variable {} has no valueReference", short(&name)));
        }
        let start = self.start(inner, ty);
        let settable =
            matches!(causality, Causality::Input | Causality::Parameter | Causality::StructuralParameter);
        // Tables of initial values: FMI 2.0.4 section 2.2.7, FMI 3.0 section 2.4.7.5.
        let exact = match node.attribute("initial") {
            Some("exact") => true,
            Some("approx" | "calculated") => false,
            None => settable || variability <= Variability::Constant,
            Some(other) => {
                self.wrong(
                    node,
                    format!("initial=\"{}\" is neither exact, approx nor calculated", short(other)),
                );
                false
            }
        };
        if start.is_none() && settable && !matches!(ty, Type::Clock | Type::Binary) {
            self.wrong(node, format!("the variable {} needs a start value", short(&name)));
        }
        let mut sizes = Vec::new();
        for size in node.children().filter(|inner| inner.tag_name().name() == "Dimension") {
            match (
                self.parsed(size, "start", "a size"),
                self.parsed(size, "valueReference", "a value reference"),
            ) {
                (Some(fixed), _) => sizes.push(Size::Fixed(fixed)),
                (None, Some(reference)) => sizes.push(Size::Of(reference)),
                (None, None) => self.wrong(size, "a Dimension has neither start nor valueReference"),
            }
        }
        let variable = Variable {
            name,
            reference: self.parsed(node, "valueReference", "a value reference").unwrap_or_default(),
            ty,
            causality,
            variability,
            exact,
            start,
            sizes: Vec::new(),
            unit: attributes.unit,
            display_unit: attributes.display_unit,
            min: attributes.min,
            max: attributes.max,
            nominal: attributes.nominal,
            description: node.attribute("description").unwrap_or_default().to_owned(),
            derivative_of: None,
        };
        (variable, sizes)
    }

    /// Another name of a variable (FMI 3.0, section 2.4.7.5.2).
    fn alias(&mut self, node: Node, of: &Variable) -> Variable {
        let text = |name: &str, other: &str| node.attribute(name).unwrap_or(other).to_owned();
        Variable {
            name: self.needed(node, "name"),
            causality: Causality::Local,
            exact: false,
            start: None,
            description: text("description", &of.description),
            display_unit: text("displayUnit", &of.display_unit),
            derivative_of: None,
            ..of.clone()
        }
    }

    fn causality(&mut self, node: Node) -> Causality {
        match node.attribute("causality") {
            None | Some("local") => Causality::Local,
            Some("parameter") => Causality::Parameter,
            Some("calculatedParameter") => Causality::CalculatedParameter,
            Some("structuralParameter") => Causality::StructuralParameter,
            Some("input") => Causality::Input,
            Some("output") => Causality::Output,
            Some("independent") => Causality::Independent,
            Some("dependent") if self.version == Version::Three => Causality::Local,
            Some(other) => {
                self.wrong(node, format!("causality=\"{}\" is none of the standard", short(other)));
                Causality::Local
            }
        }
    }

    fn variability(&mut self, node: Node, usual: Variability) -> Variability {
        match node.attribute("variability") {
            None => usual,
            Some("constant") => Variability::Constant,
            Some("fixed") => Variability::Fixed,
            Some("tunable") => Variability::Tunable,
            Some("discrete") => Variability::Discrete,
            Some("continuous") => Variability::Continuous,
            Some(other) => {
                self.wrong(node, format!("variability=\"{}\" is none of the standard", short(other)));
                usual
            }
        }
    }

    fn start(&mut self, node: Node, ty: Type) -> Option<Start> {
        match ty {
            Type::Binary | Type::Clock => None,
            Type::String if self.version == Version::Three => {
                let starts = node.children().filter(|inner| inner.tag_name().name() == "Start");
                let texts: Vec<String> =
                    starts.map(|start| start.attribute("value").unwrap_or_default().to_owned()).collect();
                (!texts.is_empty()).then_some(Start::Texts(texts))
            }
            Type::String => node.attribute("start").map(|text| Start::Texts(vec![text.to_owned()])),
            _ => {
                let text = node.attribute("start")?;
                let list: Option<Vec<f64>> =
                    text.split_ascii_whitespace().map(|word| value(word, ty)).collect();
                if list.is_none() {
                    self.wrong(node, format!("start=\"{}\" is no value of type {ty:?}", short(text)));
                }
                Some(Start::Numbers(list?))
            }
        }
    }

    fn resolve_sizes(&mut self, nodes: &[Node], variables: &mut [Variable], sizes: &[Vec<Size>]) {
        let mut known = HashMap::new();
        for variable in variables.iter().filter(|variable| !variable.ty.is_real()) {
            if let Some(value) = variable.number(0).filter(|value| *value >= 0.0) {
                known.entry(variable.reference).or_insert(value as usize);
            }
        }
        let mut all = 0_usize;
        for ((variable, sizes), node) in variables.iter_mut().zip(sizes).zip(nodes) {
            for size in sizes {
                match size {
                    Size::Fixed(size) => variable.sizes.push(*size),
                    Size::Of(reference) => match known.get(reference) {
                        Some(size) => variable.sizes.push(*size),
                        None => self.wrong(*node, format!("no size has the value reference {reference}")),
                    },
                }
            }
            let elements =
                variable.sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
            all = all.saturating_add(elements.unwrap_or(usize::MAX));
            if all > MAX_ELEMENTS {
                self.wrong(*node, format!("arrays have more than {MAX_ELEMENTS} elements together"));
                variable.sizes = vec![0];
                all = 0;
            }
            let there = match &variable.start {
                Some(Start::Numbers(list)) => list.len(),
                Some(Start::Texts(list)) => list.len(),
                None => continue,
            };
            let len = elements.unwrap_or_default();
            if there != len && there != 1 {
                self.wrong(
                    *node,
                    format!(
                        "the variable {} has {len} elements and {there} start values",
                        short(&variable.name)
                    ),
                );
            }
        }
    }

    fn check_names(&mut self, nodes: &[Node], variables: &[Variable]) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (place, variable) in variables.iter().enumerate() {
            if seen.insert(&variable.name, place).is_some() && !variable.name.is_empty() {
                self.wrong(nodes[place], format!("the name {} is there twice", short(&variable.name)));
            }
        }
    }

    /// An index that counts from 1.
    fn index(&mut self, node: Node, name: &str, len: usize) -> Option<usize> {
        let index: usize = self.parsed(node, name, "an index")?;
        if index == 0 || index > len {
            self.wrong(node, format!("{name}=\"{index}\" is the index of no variable: there are {len}"));
            return None;
        }
        Some(index - 1)
    }

    fn reference(&mut self, node: Node, name: &str, by_reference: &HashMap<u32, usize>) -> Option<usize> {
        let reference: u32 = self.parsed(node, name, "a value reference")?;
        let place = by_reference.get(&reference).copied();
        if place.is_none() {
            self.wrong(node, format!("{name}=\"{reference}\" is the value reference of no variable"));
        }
        place
    }

    /// The variable that an unknown of the structure is.
    fn unknown(&mut self, node: Node, count: usize, by_reference: &HashMap<u32, usize>) -> Option<usize> {
        let name = match self.version {
            Version::Two => "index",
            Version::Three => "valueReference",
        };
        if node.attribute(name).is_none() {
            self.wrong(node, format!("{} has no {name}", node.tag_name().name()));
            return None;
        }
        match self.version {
            Version::Two => self.index(node, name, count),
            Version::Three => self.reference(node, name, by_reference),
        }
    }

    fn dependencies(
        &mut self,
        node: Node,
        count: usize,
        by_reference: &HashMap<u32, usize>,
    ) -> Option<Vec<usize>> {
        let text = node.attribute("dependencies")?;
        let mut places = Vec::new();
        for word in text.split_ascii_whitespace() {
            let place = word.parse::<u32>().ok().and_then(|number| match self.version {
                Version::Two => (number as usize).checked_sub(1).filter(|place| *place < count),
                Version::Three => by_reference.get(&number).copied(),
            });
            match place {
                Some(place) => places.push(place),
                None => self.wrong(node, format!("the dependency {} is no variable", short(word))),
            }
        }
        Some(places)
    }

    fn structure(
        &mut self,
        root: Node,
        structure: Node,
        interface: &mut Interface,
        by_reference: &HashMap<u32, usize>,
    ) {
        let count = interface.variables.len();
        let (outputs, derivatives): (Vec<Node>, Vec<Node>) = match self.version {
            Version::Two => (inside(structure, "Outputs"), inside(structure, "Derivatives")),
            Version::Three => (named(structure, "Output"), named(structure, "ContinuousStateDerivative")),
        };
        for node in outputs {
            let Some(variable) = self.unknown(node, count, by_reference) else { continue };
            let dependencies = self.dependencies(node, count, by_reference);
            interface.outputs.push(Output { variable, dependencies });
        }
        for node in derivatives {
            let Some(variable) = self.unknown(node, count, by_reference) else { continue };
            let Some(state) = interface.variables[variable].derivative_of else {
                let name = short(&interface.variables[variable].name);
                self.wrong(node, format!("{name} is listed as a derivative, but does not say of what"));
                continue;
            };
            let len = interface.variables[state].len();
            if interface.variables[variable].len() != len {
                self.wrong(node, "a state and its derivative have different sizes");
                continue;
            }
            let pair = |k: usize| -> (Element, Element) { ((state, k), (variable, k)) };
            interface.states.extend((0..len).map(pair));
        }
        interface.indicators = match self.version {
            Version::Two => self.parsed(root, "numberOfEventIndicators", "a number").unwrap_or_default(),
            Version::Three => {
                let places: Vec<Option<usize>> = named(structure, "EventIndicator")
                    .into_iter()
                    .map(|node| self.unknown(node, count, by_reference))
                    .collect();
                interface.indicator_variables = places.into_iter().flatten().collect();
                interface.indicator_variables.iter().map(|place| interface.variables[*place].len()).sum()
            }
        };
        if interface.indicators > MAX_ELEMENTS {
            self.wrong(root, format!("there cannot be {} event indicators", interface.indicators));
            interface.indicators = 0;
        }
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

fn named<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.children().filter(|child| child.is_element() && child.tag_name().name() == name).collect()
}

/// The elements of a list.
fn inside<'a, 'i>(node: Node<'a, 'i>, list: &str) -> Vec<Node<'a, 'i>> {
    child(node, list).map(|list| named(list, "Unknown")).unwrap_or_default()
}

/// The element of a variable of FMI 2.0 that says its type.
fn typed<'a, 'i>(node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() != "Annotations")
}

fn ty(version: Version, name: &str) -> Option<Type> {
    Some(match (version, name) {
        (Version::Two, "Real") | (Version::Three, "Float64") => Type::Float64,
        (Version::Two, "Integer") | (Version::Three, "Int32") => Type::Int32,
        (_, "Boolean") => Type::Boolean,
        (_, "String") => Type::String,
        (_, "Enumeration") => Type::Enumeration,
        (Version::Three, "Float32") => Type::Float32,
        (Version::Three, "Int8") => Type::Int8,
        (Version::Three, "UInt8") => Type::UInt8,
        (Version::Three, "Int16") => Type::Int16,
        (Version::Three, "UInt16") => Type::UInt16,
        (Version::Three, "UInt32") => Type::UInt32,
        (Version::Three, "Int64") => Type::Int64,
        (Version::Three, "UInt64") => Type::UInt64,
        (Version::Three, "Binary") => Type::Binary,
        (Version::Three, "Clock") => Type::Clock,
        _ => return None,
    })
}

fn value(word: &str, ty: Type) -> Option<f64> {
    match ty {
        Type::Boolean => match word {
            "true" | "1" => Some(1.0),
            "false" | "0" => Some(0.0),
            _ => None,
        },
        Type::Float64 | Type::Float32 => number(word),
        _ => number(word).filter(|value| value.fract() == 0.0),
    }
}

/// A number of XML Schema: `INF` and `NaN` are spelled so.
fn number(text: &str) -> Option<f64> {
    match text {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ if text.starts_with(|c: char| c.is_ascii_alphabetic()) => None,
        _ => text.parse().ok(),
    }
}

fn first_of_reference(variables: &[Variable]) -> HashMap<u32, usize> {
    let mut all = HashMap::new();
    for (place, variable) in variables.iter().enumerate() {
        all.entry(variable.reference).or_insert(place);
    }
    all
}

/// A variable of which nothing is known.
fn empty(name: String) -> Variable {
    Variable {
        name,
        reference: 0,
        ty: Type::Float64,
        causality: Causality::Local,
        variability: Variability::Continuous,
        exact: false,
        start: None,
        sizes: Vec::new(),
        unit: String::new(),
        display_unit: String::new(),
        min: None,
        max: None,
        nominal: None,
        description: String::new(),
        derivative_of: None,
    }
}

/// What others wrote, short enough to be shown.
fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
