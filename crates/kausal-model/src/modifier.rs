//! Modifiers as references (specification sections 7.2 and 7.3): a modifier is a place in a tree together with
//! the class it is written in, never a copy of a tree.
//!
//! The modifiers of a class are a list with the outermost first; the first one that says something about an
//! element wins. Lists are interned, so that two classes with the same modifiers are the same class.
//!
//! A modifier is written in some class; when an instance of the modified class exists, its expressions are to
//! be evaluated in an instance of the class it is written in, and that is an ancestor: [`ModItem::up`] levels
//! above the modified instance. Thus one list serves all elements of an array of components.

use std::sync::Arc;

use kausal_syntax::Symbol;
use kausal_syntax::ast::{Binding, ClassBody, ClassId, ComponentId, Element, ModArg, ModId};
use rustc_hash::FxHashMap;

use crate::ids::KlassId;
use crate::library::{FileId, Library};

/// How many levels above; [`Up::STATIC`] where there is no instance to speak of (a package).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Up(pub u16);

impl Up {
    /// Not an ancestor: constants of a package.
    pub const STATIC: Up = Up(u16::MAX);

    /// So many levels more.
    pub fn plus(self, other: Up) -> Up {
        if self == Up::STATIC || other == Up::STATIC {
            Up::STATIC
        } else {
            Up(self.0.saturating_add(other.0))
        }
    }
}

/// One modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModItem {
    /// The file it is written in.
    pub file: FileId,
    /// Where in it.
    pub what: ModWhat,
    /// The class it is written in: where its names are looked up.
    pub scope: KlassId,
    /// The instance its names belong to.
    pub up: Up,
    /// `final`
    pub is_final: bool,
    /// `each`
    pub each: bool,
    /// It gives way to what a redeclaration itself says.
    pub low: bool,
    /// How many levels, from the element it modifies upwards, it has to have array dimensions for (specification section
    /// 7.2.5): since the declaration it is written in, or since the last `each`.
    pub levels: u16,
}

/// [`ModItem::levels`] where dimensions are not compared: those of a type definition `type T = Real[3](…)`.
pub const ANY_LEVELS: u16 = u16::MAX;

/// The forms of a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModWhat {
    /// `(arguments) = binding` of the element itself.
    Whole(ModId),
    /// The same without the binding.
    Arguments(ModId),
    /// Argument `arg` of a modification, whose dotted name has parts left from `skip` on.
    Path(ModId, u32, u32),
    /// The component is redeclared.
    Component(ComponentId),
    /// The class is redeclared.
    Class(ClassId),
    /// All elements that this class definition redeclares.
    Elements(ClassId),
    /// The outer class of this name is that inner class.
    Inner(Symbol, KlassId),
}

/// Names an interned list of modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModsId(u32);

impl ModsId {
    /// No modifiers.
    pub const NONE: ModsId = ModsId(0);
}

/// All lists of modifiers.
#[derive(Debug)]
pub struct ModTable {
    lists: Vec<Arc<[ModItem]>>,
    index: FxHashMap<Arc<[ModItem]>, ModsId>,
}

impl Default for ModTable {
    fn default() -> Self {
        let empty: Arc<[ModItem]> = Arc::from([]);
        ModTable { lists: vec![empty.clone()], index: FxHashMap::from_iter([(empty, ModsId::NONE)]) }
    }
}

impl ModTable {
    /// The items of a list.
    pub fn get(&self, id: ModsId) -> Arc<[ModItem]> {
        self.lists[id.0 as usize].clone()
    }

    /// Interns a list.
    pub fn add(&mut self, items: Vec<ModItem>) -> ModsId {
        if items.is_empty() {
            return ModsId::NONE;
        }
        if let Some(&id) = self.index.get(items.as_slice()) {
            return id;
        }
        let id = ModsId(self.lists.len() as u32);
        let items: Arc<[ModItem]> = Arc::from(items);
        self.lists.push(items.clone());
        self.index.insert(items, id);
        id
    }

    /// The same modifiers, seen from `by` levels further down.
    pub fn shift(&mut self, id: ModsId, by: Up) -> ModsId {
        if id == ModsId::NONE || by == Up(0) {
            return id;
        }
        let items = self.get(id).iter().map(|m| ModItem { up: m.up.plus(by), ..*m }).collect();
        self.add(items)
    }

    /// What the list says about the element `name`, seen from `by` levels further down.
    pub fn of_element(&mut self, lib: &Library, id: ModsId, name: Symbol, by: Up) -> ModsId {
        if id == ModsId::NONE {
            return id;
        }
        let list = self.get(id);
        let mut out = Vec::new();
        for item in list.iter() {
            element_items(lib, item, name, by, &mut out);
        }
        self.add(out)
    }

    /// What the list says about the class `name`, which is no part of an array.
    pub fn of_class(&mut self, lib: &Library, id: ModsId, name: Symbol) -> ModsId {
        let id = self.of_element(lib, id, name, Up(0));
        if id == ModsId::NONE {
            return id;
        }
        let items = self.get(id).iter().map(|m| ModItem { levels: 0, ..*m }).collect();
        self.add(items)
    }
}

/// Does a class definition redeclare any of its elements?
pub fn redeclares_elements(lib: &Library, file: FileId, class: ClassId) -> bool {
    let ast = lib.ast_ref(file);
    let ClassBody::Long(body) = &ast.classes[class].body else { return false };
    body.elements.iter().any(|e| match e {
        Element::Class(c) => ast.classes[*c].prefixes.redeclare,
        Element::Component(c) => ast.components[*c].prefixes.redeclare,
        _ => false,
    })
}

fn element_items(lib: &Library, item: &ModItem, name: Symbol, by: Up, out: &mut Vec<ModItem>) {
    let ast = lib.ast_ref(item.file);
    let up = item.up.plus(by);
    match item.what {
        ModWhat::Whole(id) | ModWhat::Arguments(id) => {
            for (i, arg) in ast.modifications[id].args.iter().enumerate() {
                match arg {
                    ModArg::Modify(modify) => {
                        let parts = ast.lists.idents.get(modify.name.parts);
                        if parts.first().is_none_or(|p| p.symbol != name) {
                            continue;
                        }
                        let each = item.each || modify.each;
                        let is_final = item.is_final || modify.is_final;
                        let levels = item.levels.saturating_add(1);
                        let base = ModItem { up, each, is_final, levels, ..*item };
                        if parts.len() > 1 {
                            out.push(ModItem { what: ModWhat::Path(id, i as u32, 1), ..base });
                        } else if let Some(inner) = modify.modification {
                            let levels = if modify.each { 1 } else { levels };
                            out.push(ModItem { what: ModWhat::Whole(inner), levels, ..base });
                        }
                    }
                    ModArg::Class { each, class } => {
                        if ast.classes[*class].name.symbol == name {
                            let base = ModItem {
                                up,
                                each: *each,
                                is_final: ast.classes[*class].prefixes.is_final,
                                ..*item
                            };
                            out.push(ModItem { what: ModWhat::Class(*class), ..base });
                        }
                    }
                    ModArg::Component { each, component } => {
                        let c = &ast.components[*component];
                        if c.name.symbol == name {
                            let levels = if *each { 1 } else { item.levels.saturating_add(1) };
                            let is_final = c.prefixes.is_final;
                            let base = ModItem { up, each: *each, is_final, levels, ..*item };
                            out.push(ModItem { what: ModWhat::Component(*component), ..base });
                        }
                    }
                }
            }
        }
        ModWhat::Path(id, arg, skip) => {
            let ModArg::Modify(modify) = &ast.modifications[id].args[arg as usize] else { return };
            let parts = ast.lists.idents.get(modify.name.parts);
            if parts[skip as usize].symbol != name {
                return;
            }
            let levels = item.levels.saturating_add(1);
            let base = ModItem { up, levels, ..*item };
            if skip as usize + 1 < parts.len() {
                out.push(ModItem { what: ModWhat::Path(id, arg, skip + 1), ..base });
            } else if let Some(inner) = modify.modification {
                // Only the last name of a path is meant by `each` (specification section 7.2.4).
                let levels = if modify.each { 1 } else { levels };
                out.push(ModItem { what: ModWhat::Whole(inner), levels, ..base });
            }
        }
        ModWhat::Component(_) | ModWhat::Class(_) => {}
        ModWhat::Inner(outer, _) => {
            if outer == name {
                out.push(ModItem { up, ..*item });
            }
        }
        ModWhat::Elements(class) => {
            let ClassBody::Long(body) = &ast.classes[class].body else { return };
            for element in &body.elements {
                match element {
                    Element::Class(c)
                        if ast.classes[*c].prefixes.redeclare && ast.classes[*c].name.symbol == name =>
                    {
                        out.push(ModItem { what: ModWhat::Class(*c), up, ..*item });
                    }
                    Element::Component(c)
                        if ast.components[*c].prefixes.redeclare
                            && ast.components[*c].name.symbol == name =>
                    {
                        out.push(ModItem { what: ModWhat::Component(*c), up, ..*item });
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The binding a modifier gives to the element itself.
pub fn binding_of(lib: &Library, item: &ModItem) -> Option<Binding> {
    match item.what {
        ModWhat::Whole(id) => match lib.ast_ref(item.file).modifications[id].binding {
            Binding::None => None,
            binding => Some(binding),
        },
        _ => None,
    }
}
