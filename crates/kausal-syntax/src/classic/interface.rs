//! Classic notation: what classes show of themselves.
//!
//! To expand `connect A - (B // C)` one has to know the main paths of the classes of `A`, `B` and `C`, and to
//! read `x(3)` whether `x` is an array; those classes, and what they inherit, may stand in other files. An
//! [`Interface`] is that knowledge about one class, [`Classes`] about all of them.
//!
//! A name of a class means the class of that name in the same file, else the one in the files read with it,
//! else one known before, else the built-in [`COMMON`].

use rustc_hash::FxHashMap;

use super::diagnose::{code, error};
use super::syntax::{Class, CutVariable, Dim, File, Item, NodeKind, Variety};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::symbol::Symbol;

/// The built-in class with `V = 0`.
pub(super) const COMMON: &str = "Common";

/// Generated connectors are called like this and a description of their shape.
pub(super) const CUT_PREFIX: &str = "Cut_";

/// A class and its ancestors are at most this many.
const MAX_LINEAGE: usize = 100;

/// Names a class in [`Classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClassIndex(u32);

/// Names the classes of one file in [`Classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope(usize);

/// What a class shows.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    /// Its name.
    pub(super) name: Symbol,
    /// Where it is defined; the built-in class is nowhere.
    pub(super) place: Option<Location>,
    scope: Scope,
    bases: Vec<Symbol>,
    members: FxHashMap<Symbol, Member>,
    main_cut: Option<Symbol>,
    main_path: Option<Symbol>,
    /// A declaration of it could not be read.
    broken: bool,
}

/// Something with a name in a class.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// What it is.
    pub(super) what: What,
    /// Where its name stands.
    pub(super) span: Span,
}

/// What a name in a class can be.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A variable.
    Variable {
        /// How it was declared.
        variety: Variety,
        /// Its dimensions.
        dims: Vec<Dim>,
        /// The value of a constant that is a whole number.
        value: Option<i64>,
        /// Declared by a cut only: an inherited variable of this name is meant, if there is one.
        implied: bool,
    },
    /// A cut.
    Cut {
        /// Its across variables.
        across: Vec<CutVariable>,
        /// Its through variables.
        through: Vec<CutVariable>,
    },
    /// A path between two cuts.
    Path {
        /// Where it begins.
        begin: Symbol,
        /// Where it ends.
        end: Symbol,
    },
    /// An instance of a class.
    Submodel(Symbol),
    /// A bare connection point.
    Node,
}

impl What {
    /// In words, with the article.
    pub(super) fn in_words(&self) -> &'static str {
        match self {
            What::Variable { variety, .. } => variety.in_words(),
            What::Cut { .. } => "a cut",
            What::Path { .. } => "a path",
            What::Submodel(_) => "a submodel",
            What::Node => "a node",
        }
    }
}

/// The dimensions of a variable; empty for a scalar.
pub(super) type Shape = Vec<u32>;

/// What a cut carries: two cuts can be connected when these are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// Of the across variables, in order.
    pub(super) across: Vec<Shape>,
    /// Of the through variables, in order.
    pub(super) through: Vec<Shape>,
}

impl Signature {
    /// The name of the connector class for it: `Cut_2_1` has two across variables and one through variable,
    /// `Cut_m3x3v3_v3v3` a 3×3 matrix and a vector across and two vectors through; `s` counts scalars beside
    /// arrays.
    pub(super) fn class_name(&self) -> Symbol {
        Symbol::new(&format!("{CUT_PREFIX}{}_{}", side_name(&self.across), side_name(&self.through)))
    }

    /// For messages.
    pub(super) fn in_words(&self) -> String {
        format!("{} across and {} through", side_in_words(&self.across), side_in_words(&self.through))
    }
}

fn side_name(side: &[Shape]) -> String {
    if side.iter().all(Vec::is_empty) {
        return side.len().to_string();
    }
    let mut name = String::new();
    let mut scalars = 0;
    let flush = |name: &mut String, scalars: &mut usize| {
        if *scalars > 0 {
            name.push_str(&format!("s{scalars}"));
            *scalars = 0;
        }
    };
    for shape in side {
        if shape.is_empty() {
            scalars += 1;
            continue;
        }
        flush(&mut name, &mut scalars);
        let sizes: Vec<String> = shape.iter().map(u32::to_string).collect();
        name.push(if shape.len() == 1 { 'v' } else { 'm' });
        name.push_str(&sizes.join("x"));
    }
    flush(&mut name, &mut scalars);
    name
}

fn side_in_words(side: &[Shape]) -> String {
    if side.iter().all(Vec::is_empty) {
        return side.len().to_string();
    }
    let one = |shape: &Shape| match shape.as_slice() {
        [] => "scalar".to_owned(),
        sizes => format!("({})", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
    };
    side.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// All classes known so far.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    items: Vec<Interface>,
    /// By the same index; made anew when classes are added.
    lineages: Vec<Lineage>,
    scopes: Vec<FxHashMap<Symbol, ClassIndex>>,
    everywhere: FxHashMap<Symbol, ClassIndex>,
}

impl Default for Classes {
    fn default() -> Self {
        let nowhere = Span::default();
        let (a, v, i) = (Symbol::new("A"), Symbol::new("V"), Symbol::new("i"));
        let variable = || Member {
            what: What::Variable { variety: Variety::Local, dims: Vec::new(), value: None, implied: false },
            span: nowhere,
        };
        let of_cut = |symbol| CutVariable {
            negative: false,
            path: vec![Ident { symbol, span: nowhere }],
            dims: Vec::new(),
            span: nowhere,
        };
        let cut = What::Cut { across: vec![of_cut(v)], through: vec![of_cut(i)] };
        let common = Interface {
            name: Symbol::new(COMMON),
            place: None,
            scope: Scope(0),
            bases: Vec::new(),
            members: FxHashMap::from_iter([
                (v, variable()),
                (i, variable()),
                (a, Member { what: cut, span: nowhere }),
            ]),
            main_cut: Some(a),
            main_path: None,
            broken: false,
        };
        let mut classes = Classes {
            items: vec![common],
            lineages: Vec::new(),
            scopes: vec![FxHashMap::default()],
            everywhere: FxHashMap::from_iter([(Symbol::new(COMMON), ClassIndex(0))]),
        };
        classes.find_lineages();
        classes
    }
}

// Registering.
impl Classes {
    /// Adds the classes of files that are read together. Says for each file its scope and, for each of its
    /// classes, where it is; a second class of the same name in a file is nowhere.
    pub(super) fn add(
        &mut self,
        files: &[(SourceId, &File)],
        diagnostics: &mut [Vec<Diagnostic>],
    ) -> Vec<(Scope, Vec<Option<ClassIndex>>)> {
        let mut added = Vec::new();
        let mut first_of_name: FxHashMap<Symbol, ClassIndex> = FxHashMap::default();
        for ((source, file), diagnostics) in files.iter().zip(diagnostics) {
            let scope = Scope(self.scopes.len());
            self.scopes.push(FxHashMap::default());
            let indices: Vec<_> = file
                .classes
                .iter()
                .map(|class| self.add_class(*source, scope, file, class, diagnostics))
                .collect();
            for index in indices.iter().flatten() {
                first_of_name.entry(self.get(*index).name).or_insert(*index);
            }
            added.push((scope, indices));
        }
        self.everywhere.extend(first_of_name);
        self.find_lineages();
        added
    }

    fn find_lineages(&mut self) {
        let all = 0..self.items.len() as u32;
        self.lineages = all.map(|i| self.find_lineage(ClassIndex(i))).collect();
    }

    fn find_lineage(&self, class: ClassIndex) -> Lineage {
        let mut lineage = Lineage::default();
        let mut waiting = vec![class];
        while let Some(next) = waiting.pop() {
            if lineage.classes.contains(&next) {
                lineage.circular |= next == class;
                continue;
            }
            if lineage.classes.len() == MAX_LINEAGE {
                lineage.too_long = true;
                break;
            }
            lineage.classes.push(next);
            let interface = self.get(next);
            lineage.incomplete |= interface.broken;
            for base in interface.bases.iter().rev() {
                match self.resolve(interface.scope, *base) {
                    Some(base) => waiting.push(base),
                    None => lineage.incomplete = true,
                }
            }
        }
        lineage
    }

    fn add_class(
        &mut self,
        source: SourceId,
        scope: Scope,
        file: &File,
        class: &Class,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<ClassIndex> {
        let name = class.name.symbol;
        let place = Location { source, span: class.name.span };
        if name.as_str().starts_with(CUT_PREFIX) {
            diagnostics.push(
                error(code::RESERVED, format!("`{name}` cannot be the name of a class"))
                    .at(place, "")
                    .help("names that begin with `Cut_` belong to the connectors made from cuts"),
            );
        }
        if let Some(&first) = self.scopes[scope.0].get(&name) {
            let mut diagnostic =
                error(code::DUPLICATE_CLASS, format!("there are two classes `{name}`")).at(place, "");
            if let Some(first) = self.get(first).place {
                diagnostic = diagnostic.at(first, "the first one");
            }
            diagnostics.push(diagnostic.help("rename one of them"));
            return None;
        }
        let index = ClassIndex(self.items.len() as u32);
        self.scopes[scope.0].insert(name, index);
        self.items.push(interface(source, scope, file, class, diagnostics));
        Some(index)
    }
}

/// The interface of a class; names that are declared twice are reported.
fn interface(
    source: SourceId,
    scope: Scope,
    file: &File,
    class: &Class,
    diagnostics: &mut Vec<Diagnostic>,
) -> Interface {
    let mut made = Interface {
        name: class.name.symbol,
        place: Some(Location { source, span: class.name.span }),
        scope,
        bases: class.bases.iter().map(|b| b.symbol).collect(),
        members: FxHashMap::default(),
        main_cut: None,
        main_path: None,
        broken: class.broken,
    };
    let mut second_main = |name: Ident, first: Option<Symbol>, what: &str| {
        if let Some(first) = first {
            let place = Location { source, span: name.span };
            let message = format!("`{first}` is the main {what} of this class already");
            diagnostics.push(error(code::SECOND_MAIN, message).at(place, "").help("leave one `main` out"));
        }
        Some(first.unwrap_or(name.symbol))
    };
    let mut declared: Vec<(Ident, What)> = Vec::new();
    for item in &class.items {
        match item {
            Item::Variables(variety, list) => declared.extend(list.iter().map(|v| {
                let value = match v.value.map(|e| &file.nodes[e.end - 1].kind) {
                    Some(NodeKind::Integer(n)) => Some(*n),
                    _ => None,
                };
                let what = What::Variable { variety: *variety, dims: v.dims.clone(), value, implied: false };
                (v.name, what)
            })),
            Item::Cuts(cuts) => {
                for cut in cuts {
                    if cut.main {
                        made.main_cut = second_main(cut.name, made.main_cut, "cut");
                    }
                    let what = What::Cut { across: cut.across.clone(), through: cut.through.clone() };
                    declared.push((cut.name, what));
                }
            }
            Item::Paths(paths) => {
                for path in paths {
                    if path.main {
                        made.main_path = second_main(path.name, made.main_path, "path");
                    }
                    let what = What::Path { begin: path.begin.symbol, end: path.end.symbol };
                    declared.push((path.name, what));
                }
            }
            Item::Nodes(names) => declared.extend(names.iter().map(|n| (*n, What::Node))),
            Item::Submodels(list) => {
                declared.extend(list.iter().map(|s| (s.name, What::Submodel(s.class.symbol))));
            }
            Item::Connect(_) | Item::Equation(..) => {}
        }
    }
    for (name, what) in declared {
        if let Some(first) = made.members.get(&name.symbol) {
            let message = format!("`{}` is declared twice", name.symbol);
            let at = |span| Location { source, span };
            diagnostics.push(
                error(code::DUPLICATE, message)
                    .at(at(name.span), format!("as {}", what.in_words()))
                    .at(at(first.span), format!("as {}", first.what.in_words()))
                    .help("a name means one thing in a class; rename one of them"),
            );
            continue;
        }
        made.members.insert(name.symbol, Member { what, span: name.span });
    }
    for variable in class.cuts().flat_map(|cut| cut.across.iter().chain(&cut.through)) {
        if let [name] = variable.path.as_slice() {
            let what = || What::Variable {
                variety: Variety::Local,
                dims: variable.dims.clone(),
                value: None,
                implied: true,
            };
            made.members.entry(name.symbol).or_insert_with(|| Member { what: what(), span: name.span });
        }
    }
    made
}

/// A class and all it inherits: itself first, then the bases in the order they are written, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Lineage {
    /// In order.
    pub(super) classes: Vec<ClassIndex>,
    /// It inherits itself.
    pub(super) circular: bool,
    /// It has more ancestors than allowed; the rest is missing.
    pub(super) too_long: bool,
    /// Something may be missing, because a base is not known or a declaration could not be read. Both have
    /// been reported: that a name is not there is then no news.
    pub(super) incomplete: bool,
}

// Asking.
impl Classes {
    /// The interface of a class.
    pub(super) fn get(&self, index: ClassIndex) -> &Interface {
        &self.items[index.0 as usize]
    }

    /// The class a name means in a file.
    pub(super) fn resolve(&self, scope: Scope, name: Symbol) -> Option<ClassIndex> {
        self.scopes[scope.0].get(&name).or_else(|| self.everywhere.get(&name)).copied()
    }

    /// The names of all classes that can be meant in a file, sorted.
    pub(super) fn names(&self, scope: Scope) -> Vec<&'static str> {
        let own = self.scopes[scope.0].keys();
        let mut names: Vec<&str> = own.chain(self.everywhere.keys()).map(|s| s.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Is it the built-in `Common`?
    pub(super) fn is_built_in(&self, index: ClassIndex) -> bool {
        self.get(index).place.is_none()
    }

    /// A class and all it inherits.
    pub(super) fn lineage(&self, class: ClassIndex) -> &Lineage {
        &self.lineages[class.0 as usize]
    }

    /// What a name means in a class with this lineage, and the class that declares it.
    pub(super) fn find(&self, lineage: &[ClassIndex], name: Symbol) -> Option<(ClassIndex, &Member)> {
        let mut implied_by = None;
        for &class in lineage {
            match self.get(class).members.get(&name) {
                Some(member) if matches!(member.what, What::Variable { implied: true, .. }) => {
                    implied_by = Some((class, member));
                }
                Some(member) => return Some((class, member)),
                None => {}
            }
        }
        implied_by
    }

    /// All names in a class with this lineage, sorted.
    pub(super) fn members(&self, lineage: &[ClassIndex]) -> Vec<(&'static str, &Member)> {
        let mut all: Vec<(&str, &Member)> = lineage
            .iter()
            .flat_map(|c| self.get(*c).members.iter().map(|(name, member)| (name.as_str(), member)))
            .collect();
        all.sort_by_key(|(name, _)| *name);
        all
    }

    /// What a name with dots means, seen from a class: the last class on the way, and what it has there.
    pub(super) fn walk(&self, class: ClassIndex, path: &[Ident]) -> Option<(ClassIndex, &Member)> {
        let (last, way) = path.split_last()?;
        let mut class = class;
        for step in way {
            let (owner, member) = self.find(&self.lineage(class).classes, step.symbol)?;
            let What::Submodel(name) = member.what else { return None };
            class = self.resolve(self.get(owner).scope, name)?;
        }
        self.find(&self.lineage(class).classes, last.symbol)
    }

    /// The class of a submodel.
    pub(super) fn class_of(&self, owner: ClassIndex, class: Symbol) -> Option<ClassIndex> {
        self.resolve(self.get(owner).scope, class)
    }

    /// The main path of a class: its two cuts.
    pub(super) fn main_path(&self, lineage: &[ClassIndex]) -> Option<(Symbol, Symbol)> {
        let name = lineage.iter().find_map(|c| self.get(*c).main_path)?;
        match self.find(lineage, name)?.1.what {
            What::Path { begin, end } => Some((begin, end)),
            _ => None,
        }
    }

    /// The main cut of a class.
    pub(super) fn main_cut(&self, lineage: &[ClassIndex]) -> Option<Symbol> {
        lineage.iter().find_map(|c| self.get(*c).main_cut)
    }

    /// The size a dimension stands for in `class`.
    pub(super) fn size(&self, class: ClassIndex, dim: Dim) -> Option<u32> {
        match dim {
            Dim::Number(n) => Some(n),
            Dim::Error => None,
            Dim::Constant(name) => match self.find(&self.lineage(class).classes, name.symbol)?.1.what {
                What::Variable { variety: Variety::Constant, value: Some(n), .. } if n > 0 => {
                    u32::try_from(n).ok()
                }
                _ => None,
            },
        }
    }

    /// The shape dimensions stand for in `class`; what is wrong with them has been, or will be, reported for
    /// that class.
    pub(super) fn shape(&self, class: ClassIndex, dims: &[Dim]) -> Shape {
        dims.iter().map(|d| self.size(class, *d).unwrap_or(1)).collect()
    }

    /// The shape and variety of a variable, if the name is one.
    pub(super) fn variable(&self, class: ClassIndex, path: &[Ident]) -> Option<(Variety, Shape)> {
        let (owner, member) = self.walk(class, path)?;
        match &member.what {
            What::Variable { variety, dims, .. } => Some((*variety, self.shape(owner, dims))),
            _ => None,
        }
    }

    /// What a cut that `owner` declares carries.
    pub(super) fn signature(
        &self,
        owner: ClassIndex,
        across: &[CutVariable],
        through: &[CutVariable],
    ) -> Signature {
        let shapes = |side: &[CutVariable]| {
            side.iter()
                .map(|v| match self.variable(owner, &v.path) {
                    Some((_, shape)) => shape,
                    None => self.shape(owner, &v.dims),
                })
                .collect()
        };
        Signature { across: shapes(across), through: shapes(through) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connector_names_tell_shapes_apart() {
        let name = |across: &[&[u32]], through: &[&[u32]]| {
            let shapes = |side: &[&[u32]]| side.iter().map(|s| s.to_vec()).collect();
            Signature { across: shapes(across), through: shapes(through) }.class_name().as_str()
        };
        assert_eq!(name(&[&[], &[]], &[&[]]), "Cut_2_1");
        assert_eq!(name(&[&[]], &[]), "Cut_1_0");
        assert_eq!(name(&[&[3, 3], &[3]], &[&[3], &[3]]), "Cut_m3x3v3_v3v3");
        assert_eq!(name(&[&[3], &[], &[]], &[&[], &[2]]), "Cut_v3s2_s1v2");
        assert_eq!(name(&[&[32]], &[]), "Cut_v32_0");
    }
}
