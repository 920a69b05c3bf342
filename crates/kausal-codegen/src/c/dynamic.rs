//! C functions with strings, and with arrays whose sizes come up in the run.
//!
//! What fits has known sizes and becomes a [`Routine`](crate::routine::Routine), which is faster. What is left is written
//! here from its terms and statements as the evaluator of `kausal-symbolic` runs them, operation by operation in the
//! same order:
//!
//! ```text
//! static void dynamic_0_f(kausal_arena *a, double x, const char *s, kausal_array v, double *y_1, kausal_array *z_2)
//! ```
//!
//! Numbers are `double`, strings `const char *`, arrays of both `kausal_array` (`arrays.c`). Memory is an arena in the
//! struct of the model (`arena.c`), empty before each call from outside. A statement gives back what it took unless a
//! variable had to grow: variables have memory of their own, so loops run in constant memory. What goes wrong is noted in the arena,
//! and looked at after each operation that may fail.

mod foreign;
mod statements;
mod terms;

use std::rc::Rc;

use kausal_symbolic::function::evaluator::output_type;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::routine::Routine as Prepared;
use kausal_symbolic::function::{Body, Dim, LocalId, Scalar};
use kausal_symbolic::{FunctionId, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::function::identifier;
use super::text::{Text, comment, string};

/// Why a function cannot be written.
pub(crate) type Fit<T> = Result<T, String>;

/// The most dimensions, as in `arrays.c`.
const MAX_RANK: usize = 8;
/// Terms nested deeper than this are refused; the evaluator refuses them earlier.
const MAX_DEPTH: u32 = 300;

/// Functions that are written, each with those it calls.
#[derive(Default)]
pub(crate) struct Dynamic {
    list: Vec<Written>,
    /// By function and number of arguments: others take their defaults.
    index: FxHashMap<(FunctionId, usize), usize>,
    refused: FxHashMap<(FunctionId, usize), String>,
    entries: Vec<(FunctionId, String)>,
    /// Texts of `Include`, each once.
    includes: Vec<String>,
    /// How many external objects there are.
    objects: usize,
    /// Foreign functions by name, with their prototypes.
    foreign: Vec<(String, String)>,
}

struct Written {
    head: String,
    text: String,
}

impl Dynamic {
    /// Is nothing written?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What must stand at the top of the file, the types of values apart.
    pub fn includes(&self) -> String {
        let mut text: String = self.includes.iter().map(|include| format!("{include}\n")).collect();
        for (_, prototype) in &self.foreign {
            text.push_str(&format!("{prototype}\n"));
        }
        text
    }

    /// The text of all functions.
    pub fn text(&self) -> String {
        let mut text: String = self.list.iter().map(|written| format!("{};\n", written.head)).collect();
        text.push('\n');
        self.list.iter().for_each(|written| text.push_str(&written.text));
        self.entries.iter().for_each(|(_, entry)| text.push_str(entry));
        text
    }

    /// The name of `const char *name(model *m, const double *in, double *out)`, which calls a function with all its
    /// scalar arguments; strings are numbers of the model's texts.
    pub fn entry(&mut self, pool: &Pool, id: FunctionId) -> Fit<String> {
        let function = pool.function(id);
        let layouts = (Layout::of_inputs(function), Layout::of_outputs(function));
        let (Some(inputs), Some(outputs)) = layouts else {
            return Err(format!("{}: the size of an input or output is not known", function.name));
        };
        let callee = self.get(pool, id, function.inputs.len())?;
        let name = format!("enter_{}", self.name(pool, id, callee));
        if self.entries.iter().any(|(known, _)| *known == id) {
            return Ok(name);
        }
        let mut lines = vec!["kausal_arena *const a = &m->arena;".to_owned()];
        lines.push("kausal_open(a);".to_owned());
        lines.push(format!("a->function = {};", string(&function.name)));
        let mut passed = vec!["a".to_owned()];
        for (k, entry) in inputs.entries.iter().enumerate() {
            let text = entry.scalar == Scalar::String;
            if entry.shape.is_empty() {
                let number = format!("in[{}]", entry.offset);
                passed.push(if text { format!("model_text(m, {number})") } else { number });
                continue;
            }
            lines.push(format!("const int size{k}[] = {{{}}};", sizes(&entry.shape)));
            lines.push(format!("const kausal_array x{k} = kausal_new(a, {}, size{k});", entry.shape.len()));
            lines.push("if (a->failed) return a->failed;".to_owned());
            let element = match text {
                true => format!("x{k}.data[i].text = model_text(m, in[{} + i]);", entry.offset),
                false => format!("x{k}.data[i].number = in[{} + i];", entry.offset),
            };
            lines.push(format!("for (int i = 0; i < {}; i++) {element}", entry.len));
            passed.push(format!("x{k}"));
        }
        let mut after = Vec::new();
        for (k, entry) in outputs.entries.iter().enumerate() {
            let kind = Kind { text: entry.scalar == Scalar::String, rank: entry.shape.len() };
            lines.push(kind.declared(&format!("y{k}")));
            passed.push(format!("&y{k}"));
            let number =
                |value: String| if kind.text { format!("model_text_number(m, {value})") } else { value };
            let field = kind.field();
            if kind.rank == 0 {
                after.push(format!("out[{}] = {};", entry.offset, number(format!("y{k}"))));
                continue;
            }
            after.push(format!(
                "if (kausal_count(y{k}) != {}) return \"an output has another size than declared\";",
                entry.len
            ));
            let value = number(format!("y{k}.data[i].{field}"));
            after.push(format!(
                "for (int i = 0; i < {}; i++) out[{} + i] = {value};",
                entry.len, entry.offset
            ));
        }
        lines.push(format!("{}({});", self.name(pool, id, callee), passed.join(", ")));
        lines.push("if (a->warned) m->warning = a->warned;".to_owned());
        lines.push("if (a->failed) return a->failed;".to_owned());
        lines.extend(after);
        if inputs.len == 0 {
            lines.push("(void)in;".to_owned());
        }
        if outputs.len == 0 {
            lines.push("(void)out;".to_owned());
        }
        // A string there is no room for.
        lines.push("return a->failed;".to_owned());
        let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        let head = format!("static const char *{name}(model *m, const double *in, double *out)");
        self.entries.push((id, format!("{head}\n{{\n{body}}}\n\n")));
        Ok(name)
    }

    fn name(&self, pool: &Pool, id: FunctionId, at: usize) -> String {
        format!("dynamic_{at}_{}", identifier(&pool.function(id).name))
    }

    /// The place of a function that is called with so many arguments. If it cannot be written, nothing is left of the
    /// attempt.
    fn get(&mut self, pool: &Pool, id: FunctionId, given: usize) -> Fit<usize> {
        let key = (id, given);
        if let Some(&at) = self.index.get(&key) {
            return Ok(at);
        }
        if let Some(why) = self.refused.get(&key) {
            return Err(why.clone());
        }
        let at = self.list.len();
        self.index.insert(key, at);
        self.list.push(Written { head: String::new(), text: String::new() });
        match Writer::function(self, pool, id, given, at) {
            Ok(written) => {
                self.list[at] = written;
                Ok(at)
            }
            Err(why) => {
                self.list.truncate(at);
                self.index.retain(|_, index| *index < at);
                self.refused.insert(key, why.clone());
                Err(why)
            }
        }
    }
}

fn sizes(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// What a value is in C.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    text: bool,
    rank: usize,
}

impl Kind {
    /// The C type of a value.
    fn c_type(self) -> &'static str {
        match (self.rank, self.text) {
            (0, false) => "double ",
            (0, true) => "const char *",
            _ => "kausal_array ",
        }
    }

    /// A variable that will get a value.
    fn declared(self, name: &str) -> String {
        let value = match (self.rank, self.text) {
            (0, false) => "0.0".to_owned(),
            (0, true) => "\"\"".to_owned(),
            _ => "{0}".to_owned(),
        };
        format!("{}{name} = {value};", self.c_type())
    }

    /// How elements of an array are called.
    fn field(self) -> &'static str {
        if self.text { "text" } else { "number" }
    }
}

/// A value that has been computed, as it is written.
#[derive(Clone, Debug)]
enum Value {
    Number(Text),
    String(String),
    /// A variable, and what its elements are.
    Array(String, Kind),
}

impl Value {
    fn kind(&self) -> Kind {
        match self {
            Value::Number(_) => Kind { text: false, rank: 0 },
            Value::String(_) => Kind { text: true, rank: 0 },
            Value::Array(_, kind) => *kind,
        }
    }

    /// As an argument or the right side of an assignment.
    fn written(&self) -> String {
        match self {
            Value::Number(text) => text.double().text,
            Value::String(text) | Value::Array(text, _) => text.clone(),
        }
    }
}

/// A function that is being written.
struct Writer<'d> {
    dynamic: &'d mut Dynamic,
    pool: &'d Pool,
    prepared: Rc<Prepared>,
    /// How local variables are read.
    homes: Vec<String>,
    /// Inputs that are not assigned to: they have no memory of their own.
    plain: FxHashSet<LocalId>,
    lines: Vec<String>,
    temporaries: usize,
    /// Was memory taken since this was last looked at?
    took: bool,
    depth: u32,
}

impl<'d> Writer<'d> {
    fn function(
        dynamic: &'d mut Dynamic,
        pool: &'d Pool,
        id: FunctionId,
        given: usize,
        at: usize,
    ) -> Fit<Written> {
        let function = pool.function(id);
        let prepared =
            Prepared::new(function, &|called, number| output_type(pool.get_function(called)?, number));
        let prepared = Rc::new(prepared.map_err(|error| format!("{}: {error}", function.name))?);
        let name = dynamic.name(pool, id, at);
        let homes = prepared.function().locals.iter().enumerate();
        let homes = homes.map(|(k, local)| format!("{}_{k}", word(&local.name))).collect();
        let mut writer = Writer {
            dynamic,
            pool,
            prepared,
            homes,
            plain: FxHashSet::default(),
            lines: Vec::new(),
            temporaries: 0,
            took: false,
            depth: 0,
        };
        writer.whole(&name, given)
    }

    fn whole(&mut self, name: &str, given: usize) -> Fit<Written> {
        let prepared = self.prepared.clone();
        let function = prepared.function();
        let changed = changed_locals(&function.body);
        let mut parameters = vec!["kausal_arena *a".to_owned()];
        let given: Vec<LocalId> = function.inputs.iter().copied().take(given).collect();
        let mut silent = Vec::new();
        for &input in &given {
            let kind = self.kind_of(input)?;
            let own = changed.contains(&input);
            let parameter = if own { format!("in_{}", self.home(input)) } else { self.home(input) };
            parameters.push(format!("{}{parameter}", kind.c_type()));
            silent.push(parameter);
            if !own {
                self.plain.insert(input);
            }
        }
        for (k, &output) in function.outputs.iter().enumerate() {
            let kind = self.kind_of(output)?;
            parameters.push(format!("{}*out_{k}", kind.c_type()));
        }
        for (k, local) in function.locals.iter().enumerate() {
            let id = LocalId(k as u32);
            if self.plain.contains(&id) {
                continue;
            }
            let kind = self.kind_of(id)?;
            let home = self.home(id);
            let enumeration = local.scalar == Scalar::Enumeration;
            self.push(match (kind.rank, kind.text) {
                (0, false) => format!("double {home} = {};", if enumeration { "1.0" } else { "0.0" }),
                (0, true) => format!("kausal_string {home} = {{\"\", 0, 0}};"),
                (rank, _) => format!("kausal_array {home} = {{ .rank = {rank} }};"),
            });
            silent.push(home);
            if kind.text && kind.rank == 0 {
                self.homes[k] = format!("{}.text", self.homes[k]);
            }
        }
        silent.iter().for_each(|name| self.push(format!("(void){name};")));
        for &input in given.iter().filter(|input| changed.contains(input)) {
            let kind = self.kind_of(input)?;
            let from = format!("in_{}", self.variable(input));
            let value = match (kind.rank, kind.text) {
                (0, false) => Value::Number(Text::primary(from)),
                (0, true) => Value::String(from),
                _ => Value::Array(from, kind),
            };
            self.store(input, &value, true)?;
        }
        self.set_up(&given)?;
        self.check_inputs(&given)?;
        match &function.body {
            Body::Algorithm(statements) => self.block(statements)?,
            Body::External(external) => self.external(external)?,
        }
        self.deliver();
        let head = format!("static void {name}({})", parameters.join(", "));
        let mut text = format!("/* {} */\n{head}\n{{\n", comment(&function.name));
        text.push_str(&format!("    static const char here[] = {};\n", string(&function.name)));
        text.push_str("    if (kausal_enter(a, here)) return;\n");
        let mut indent = 1;
        for line in &self.lines {
            indent -= usize::from(line.starts_with('}'));
            text.push_str(&"    ".repeat(indent));
            text.push_str(line);
            text.push('\n');
            indent += usize::from(line.ends_with('{'));
        }
        text.push_str("}\n\n");
        Ok(Written { head, text })
    }

    /// Gives sizes and initial values to local variables, in the order of their needs.
    fn set_up(&mut self, given: &[LocalId]) -> Fit<()> {
        let prepared = self.prepared.clone();
        for &id in prepared.setup() {
            if given.contains(&id) {
                continue;
            }
            let local = prepared.function().local(id);
            match local.initial {
                Some(initial) => self.statement_with(
                    |this| {
                        let value = this.value(initial)?;
                        this.exact_for(id, initial, value)
                    },
                    |this, value| {
                        this.declared_sizes(id, &value)?;
                        this.store(id, &value, true)
                    },
                )?,
                // Those that nothing has given a size are empty.
                None if local.dims.is_empty() || local.dims.contains(&Dim::Unknown) => {}
                None => self.declared_array(id)?,
            }
        }
        Ok(())
    }

    /// A variable with its declared sizes, and nothing in it.
    fn declared_array(&mut self, id: LocalId) -> Fit<()> {
        let prepared = self.prepared.clone();
        let local = prepared.function().local(id);
        let variable = self.variable(id);
        let mut computed = false;
        for (k, dim) in local.dims.iter().enumerate() {
            let size = match dim {
                Dim::Known(size) => size.to_string(),
                Dim::Unknown => "0".to_owned(),
                Dim::Computed(term) => {
                    computed = true;
                    let size = self.number(*term)?.double().text;
                    format!("kausal_size(a, \"the size of a variable\", {size})")
                }
            };
            self.push(format!("{variable}.size[{k}] = {size};"));
        }
        if computed {
            self.check();
        }
        self.push(format!("{variable} = kausal_new(a, {}, {variable}.size);", local.dims.len()));
        self.check();
        self.push(match local.scalar {
            Scalar::String => format!("kausal_clear_texts({variable});"),
            Scalar::Enumeration => format!("kausal_clear({variable}, 1.0);"),
            _ => format!("kausal_clear({variable}, 0.0);"),
        });
        Ok(())
    }

    /// The sizes of inputs must be the declared ones.
    fn check_inputs(&mut self, given: &[LocalId]) -> Fit<()> {
        for &input in given {
            let kind = self.kind_of(input)?;
            if kind.rank > 0 {
                let value = Value::Array(self.home(input), kind);
                self.declared_sizes(input, &value)?;
            }
        }
        Ok(())
    }

    fn declared_sizes(&mut self, id: LocalId, value: &Value) -> Fit<()> {
        let prepared = self.prepared.clone();
        let local = prepared.function().local(id);
        let Value::Array(name, _) = value else { return Ok(()) };
        let mut any = false;
        for (k, dim) in local.dims.iter().enumerate() {
            let declared = match dim {
                Dim::Known(size) => format!("{size}.0"),
                Dim::Unknown => continue,
                Dim::Computed(term) => self.number(*term)?.double().text,
            };
            let what = string(&local.name);
            self.push(format!("kausal_declared(a, {what}, {}, {declared}, {name}.size[{k}]);", k + 1));
            any = true;
        }
        if any {
            self.check();
        }
        Ok(())
    }

    /// Hands the outputs over.
    fn deliver(&mut self) {
        let prepared = self.prepared.clone();
        for (k, &output) in prepared.function().outputs.iter().enumerate() {
            let home = self.home(output);
            self.push(format!("*out_{k} = {home};"));
        }
        self.push("a->depth--;");
    }

    fn kind_of(&self, id: LocalId) -> Fit<Kind> {
        let local = self.prepared.function().local(id);
        self.kind(local.scalar, Some(local.dims.len()))
    }

    fn kind(&self, scalar: Scalar, rank: Option<usize>) -> Fit<Kind> {
        match rank {
            Some(rank) if rank <= MAX_RANK => Ok(Kind { text: scalar == Scalar::String, rank }),
            Some(_) => self.unfit(format!("more than {MAX_RANK} dimensions")),
            None => self.unfit("a number of dimensions that is not known"),
        }
    }

    fn unfit<T>(&self, why: impl AsRef<str>) -> Fit<T> {
        Err(format!("{}: {}", self.prepared.function().name, why.as_ref()))
    }

    /// How a local variable is read.
    fn home(&self, id: LocalId) -> String {
        self.homes[id.0 as usize].clone()
    }

    /// The C variable of a local one.
    fn variable(&self, id: LocalId) -> String {
        self.homes[id.0 as usize].trim_end_matches(".text").to_owned()
    }

    fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Leaves the function if something went wrong.
    fn check(&mut self) {
        self.push("if (a->failed) return;");
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// The lines that something writes, apart from the others.
    fn apart<T>(&mut self, inner: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<(T, Vec<String>)> {
        let outer = std::mem::take(&mut self.lines);
        let result = inner(self)?;
        Ok((result, std::mem::replace(&mut self.lines, outer)))
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Fit<T>) -> Fit<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.unfit("deep nesting");
        }
        let result = inner(self)?;
        self.depth -= 1;
        Ok(result)
    }
}

/// An identifier that is no word of C once a number stands behind it.
fn word(name: &str) -> String {
    let word = identifier(name);
    if word.starts_with(|c: char| c.is_ascii_alphabetic()) { word } else { format!("q{word}") }
}

/// Local variables that statements assign to.
fn changed_locals(body: &Body) -> FxHashSet<LocalId> {
    use kausal_symbolic::function::Stmt;
    let mut changed = FxHashSet::default();
    let Body::Algorithm(statements) = body else { return changed };
    let mut stack: Vec<&[Stmt]> = vec![statements];
    while let Some(block) = stack.pop() {
        for statement in block {
            match statement {
                Stmt::Assign(target, _) => _ = changed.insert(target.local),
                Stmt::AssignCall(targets, _) => changed.extend(targets.iter().flatten().map(|t| t.local)),
                _ => {}
            }
            stack.extend(statement.blocks());
        }
    }
    changed
}
