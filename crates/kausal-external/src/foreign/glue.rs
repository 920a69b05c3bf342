//! The C text of wrappers around foreign functions (specification sections 12.9.1 and 12.9.2).
//!
//! All wrappers look alike from outside: `int kausal_call_3(kausal_slot *s)` with one slot per argument and a last one for
//! the result, each a vector of numbers, strings or pointers. Inside, the slots become what the foreign function expects:
//! `double`, `int`, `size_t`, `const char *`, arrays of these, structs. The wrapper gives 0; 1 after `ModelicaError`,
//! which leaves the foreign function by `longjmp` to the wrapper; 2 if the function crashed or wanted to end the program.
//!
//! Texts of `Include` come first and each only once. What has no `Include` gets a prototype, under a name of its own that
//! stands for the same symbol: other prototypes of it, in headers of others, do not matter.

use std::fmt::Write;

use kausal_symbolic::function::{ExternalBody, ForeignRecord, ForeignType, Scalar};

/// A foreign function to be wrapped.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// The full name of the Modelica function.
    pub function: String,
    /// Its declaration.
    pub body: ExternalBody,
    /// Which arguments it may change.
    pub written: Vec<bool>,
}

/// How the slots of a wrapper are called in C.
const SLOT: &str = "\
typedef struct kausal_slot {
    double *numbers;
    const char **texts;
    void **pointers;
    __SIZE_TYPE__ count;
} kausal_slot;

#define KAUSAL_TEXT(x) #x
#define KAUSAL_PREFIX(x) KAUSAL_TEXT(x)
#define KAUSAL_SYMBOL(name) KAUSAL_PREFIX(__USER_LABEL_PREFIX__) name

extern void kausal_enter(jmp_buf *target, const char *function);
extern void *kausal_memory(__SIZE_TYPE__ count, __SIZE_TYPE__ size);
extern void kausal_overrun(void);

/* What stands behind an array. */
#define KAUSAL_GUARD 0x2b5a7c31

static int *kausal_integers(const kausal_slot *slot)
{
    int *list = kausal_memory(slot->count + 1, sizeof *list);
    list[slot->count] = KAUSAL_GUARD;
    for (__SIZE_TYPE__ i = 0; i < slot->count; i++)
        list[i] = (int)slot->numbers[i];
    return list;
}

static void kausal_back(kausal_slot *slot, const int *list, int truth)
{
    if (list[slot->count] != KAUSAL_GUARD)
        kausal_overrun();
    for (__SIZE_TYPE__ i = 0; i < slot->count; i++)
        slot->numbers[i] = truth ? list[i] != 0 : list[i];
}

/* A text is read to its end while faults still lead back to the wrapper. */
static const char *kausal_text(const char *text)
{
    const volatile char *at = text;
    while (at != 0 && *at != 0)
        at++;
    return text;
}

static void kausal_texts(const kausal_slot *slot)
{
    for (__SIZE_TYPE__ i = 0; i < slot->count; i++)
        kausal_text(slot->texts[i]);
}
";

/// What a wrapper is called.
pub(crate) fn wrapper(place: usize) -> String {
    format!("kausal_call_{place}")
}

/// The text of all wrappers; fails with what cannot be passed.
pub(crate) fn write(list: &[Declared]) -> Result<String, String> {
    let mut text = String::new();
    let mut included: Vec<&str> = Vec::new();
    for declared in list {
        for (_, include) in declared.body.annotations.iter().filter(|(name, _)| name == "Include") {
            if !included.contains(&include.as_str()) {
                included.push(include);
                let _ = writeln!(text, "#line 1 \"Include of {}\"\n{include}", quoted(&declared.function));
            }
        }
    }
    let _ = writeln!(text, "#line 1 \"wrappers\"\n#include <setjmp.h>\n\n{SLOT}");
    for (place, declared) in list.iter().enumerate() {
        text.push_str(&wrap(declared, place)?);
    }
    Ok(text)
}

fn wrap(declared: &Declared, place: usize) -> Result<String, String> {
    let body = &declared.body;
    if !is_identifier(&body.name) {
        return Err(format!("{} is not the name of a C function", body.name));
    }
    let includes = body.annotations.iter().any(|(name, _)| name == "Include");
    let (mut before, mut after) = (String::new(), String::new());
    let (mut passed, mut types): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut structs = String::new();
    let mut result_type = "void".to_owned();
    let mut take = "";
    let mut at = 0;
    while let Some(ty) = body.view.args.get(at) {
        let Some(record) = body.view.records.iter().find(|r| r.first == at && !r.fields.is_empty()) else {
            let written = declared.written.get(at).copied().unwrap_or(false);
            let plain = plain(at, ty, written);
            before.push_str(&plain.before);
            after.push_str(&plain.after);
            passed.push(plain.passed);
            types.push(plain.ty);
            at += 1;
            continue;
        };
        let fields = body.view.args.get(at..at + record.fields.len()).unwrap_or_default();
        if record.rank > 0 || fields.iter().any(|field| field.rank > 0) {
            return Err("arrays of records, and records with arrays, cannot be passed to C".to_owned());
        }
        let tag = format!("struct kausal_record_{place}_{at}");
        structs.push_str(&format!("{tag} {{\n{}}};\n", layout(record, fields)));
        for (i, (path, field)) in record.fields.iter().zip(fields).enumerate() {
            let member = format!("a{at}.{}", member(path));
            let slot = at + i;
            if !record.result {
                let _ = writeln!(before, "        {member} = {};", from_slot(slot, field.scalar));
            }
            if record.result || declared.written.get(slot).copied().unwrap_or(false) {
                after.push_str(&to_slot(slot, field.scalar, &member));
            }
        }
        before.insert_str(0, &format!("        {tag} a{at};\n"));
        if record.result {
            result_type = tag;
            take = "record";
        } else {
            passed.push(format!("(void *)&a{at}"));
            types.push("void *".to_owned());
        }
        at += record.fields.len();
    }
    let name = if includes { body.name.clone() } else { format!("kausal_foreign_{place}") };
    let call = format!("{name}({})", passed.join(", "));
    let call = match (body.view.result, take) {
        (Some(scalar), _) => {
            result_type = c_type(scalar).to_owned();
            after.push_str(&to_slot(body.view.args.len(), scalar, "result"));
            format!("{result_type} result = {call};")
        }
        // A header has a name of its own for the same struct.
        (None, "record") => {
            let at = body.view.records.iter().find(|r| r.result).map_or(0, |r| r.first);
            format!(
                "__typeof__({call}) result = {call};\n        __builtin_memcpy(&a{at}, &result, sizeof a{at});"
            )
        }
        (None, _) => format!("{call};"),
    };
    let prototype = (!includes).then(|| {
        let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        format!("extern {result_type} {name}({types}) __asm__(KAUSAL_SYMBOL(\"{}\"));", body.name)
    });
    let (name, prototype) = (wrapper(place), prototype.unwrap_or_default());
    let mut text = String::new();
    let comment = declared.function.replace("*/", "* /");
    let function = quoted(&declared.function);
    let _ = write!(
        text,
        "
/* {comment} */
{structs}{prototype}
int {name}(kausal_slot *s)
{{
    jmp_buf target;
    (void)s;
    switch (setjmp(target)) {{
    case 0:
        break;
    case 1:
        kausal_enter(0, 0);
        return 1;
    default:
        kausal_enter(0, 0);
        return 2;
    }}
    kausal_enter(&target, \"{function}\");
    {{
{before}        {call}
{after}    }}
    kausal_enter(0, 0);
    return 0;
}}
"
    );
    Ok(text)
}

struct Plain {
    before: String,
    after: String,
    passed: String,
    ty: String,
}

/// An argument that is no record.
fn plain(at: usize, ty: &ForeignType, written: bool) -> Plain {
    let c = if ty.size { "size_t" } else { c_type(ty.scalar) }.replace("size_t", "__SIZE_TYPE__");
    let array = ty.rank > 0;
    let integer = matches!(ty.scalar, Scalar::Integer | Scalar::Boolean | Scalar::Enumeration);
    let constant = if written || ty.scalar == Scalar::String { "" } else { "const " };
    let pointer = format!("{constant}{c} *");
    let (before, passed) = match (array, ty.scalar) {
        (true, Scalar::Real) => (String::new(), format!("s[{at}].numbers")),
        (true, Scalar::String) => (String::new(), format!("s[{at}].texts")),
        (true, Scalar::External) => (String::new(), format!("s[{at}].pointers")),
        (true, _) => (format!("        int *a{at} = kausal_integers(&s[{at}]);\n"), format!("a{at}")),
        (false, _) => {
            let value = if ty.size { format!("({c})s[{at}].numbers[0]") } else { from_slot(at, ty.scalar) };
            let passed = if written { format!("&a{at}") } else { format!("a{at}") };
            (format!("        {c} a{at} = {value};\n"), passed)
        }
    };
    let after = match (written, array) {
        (true, true) if integer => {
            format!("        kausal_back(&s[{at}], a{at}, {});\n", i32::from(ty.scalar == Scalar::Boolean))
        }
        (true, true) if ty.scalar == Scalar::String => format!("        kausal_texts(&s[{at}]);\n"),
        (true, false) => to_slot(at, ty.scalar, &format!("a{at}")),
        _ => String::new(),
    };
    let ty = if array || written { pointer } else { c.clone() };
    Plain { before, after, passed, ty }
}

fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "double",
        Scalar::Integer | Scalar::Boolean | Scalar::Enumeration => "int",
        Scalar::String => "const char *",
        Scalar::External => "void *",
    }
}

fn from_slot(slot: usize, scalar: Scalar) -> String {
    match scalar {
        Scalar::Real => format!("s[{slot}].numbers[0]"),
        Scalar::Integer | Scalar::Boolean | Scalar::Enumeration => format!("(int)s[{slot}].numbers[0]"),
        Scalar::String => format!("s[{slot}].texts[0]"),
        Scalar::External => format!("s[{slot}].pointers[0]"),
    }
}

fn to_slot(slot: usize, scalar: Scalar, value: &str) -> String {
    match scalar {
        Scalar::Boolean => format!("        s[{slot}].numbers[0] = {value} != 0;\n"),
        Scalar::String => format!("        s[{slot}].texts[0] = kausal_text({value});\n"),
        Scalar::External => format!("        s[{slot}].pointers[0] = {value};\n"),
        _ => format!("        s[{slot}].numbers[0] = {value};\n"),
    }
}

/// The fields of a struct: records in the record are structs in the struct.
fn layout(record: &ForeignRecord, types: &[ForeignType]) -> String {
    let mut text = String::new();
    let mut open: Vec<String> = Vec::new();
    for (path, ty) in record.fields.iter().zip(types) {
        let mut parts: Vec<String> = path.split('.').map(part).collect();
        let last = parts.pop().unwrap_or_default();
        let shared = open.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        while open.len() > shared {
            let name = open.pop().unwrap_or_default();
            let _ = writeln!(text, "}} {name};");
        }
        for name in &parts[shared..] {
            text.push_str("struct {\n");
            open.push(name.clone());
        }
        let _ = writeln!(text, "    {} {last};", c_type(ty.scalar));
    }
    while let Some(name) = open.pop() {
        let _ = writeln!(text, "}} {name};");
    }
    text
}

/// The name of a field in our struct: any name of Modelica, no word of C.
fn part(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("f_{plain}")
}

fn member(path: &str) -> String {
    path.split('.').map(part).collect::<Vec<String>>().join(".")
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// For a string of C: no quotes, no line breaks.
fn quoted(text: &str) -> String {
    text.chars().map(|c| if c == '"' || c == '\\' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_symbolic::function::ForeignView;

    fn body(view: ForeignView, annotations: &[(&str, &str)]) -> ExternalBody {
        ExternalBody {
            language: "C".to_owned(),
            name: "f".to_owned(),
            result: None,
            args: Vec::new(),
            annotations: annotations.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            view,
        }
    }

    fn text_of(
        view: ForeignView,
        written: Vec<bool>,
        annotations: &[(&str, &str)],
    ) -> Result<String, String> {
        write(&[Declared { function: "P.f".to_owned(), body: body(view, annotations), written }])
    }

    const REAL: ForeignType = ForeignType { scalar: Scalar::Real, rank: 0, size: false };

    #[test]
    fn prototypes_follow_the_specification() {
        let int = ForeignType { scalar: Scalar::Integer, ..REAL };
        let vector = ForeignType { rank: 1, ..REAL };
        let size = ForeignType { size: true, ..int };
        let string = ForeignType { scalar: Scalar::String, ..REAL };
        let view = ForeignView {
            args: vec![REAL, int, vector, size, string, REAL, string],
            result: Some(Scalar::Boolean),
            ..ForeignView::default()
        };
        let written = vec![false, false, false, false, false, true, true];
        let text = text_of(view.clone(), written.clone(), &[]).unwrap();
        let prototype = "extern int kausal_foreign_0(double, int, const double *, __SIZE_TYPE__, const char *, double *, \
                         const char * *) __asm__(KAUSAL_SYMBOL(\"f\"));";
        assert!(text.contains(prototype), "{text}");
        let text = text_of(view, written, &[("Include", "#include \"f.h\"")]).unwrap();
        assert!(!text.contains("kausal_foreign_0"), "{text}");
        assert!(text.starts_with("#line 1 \"Include of P.f\"\n#include \"f.h\"\n"), "{text}");
    }

    #[test]
    fn records_are_structs_in_structs() {
        let int = ForeignType { scalar: Scalar::Integer, ..REAL };
        let fields = ["x", "a1.b", "a2.b", "z"].map(str::to_owned).to_vec();
        let record = ForeignRecord { first: 0, fields, rank: 0, result: false };
        let view = ForeignView {
            args: vec![REAL, int, int, REAL],
            records: vec![record.clone()],
            ..ForeignView::default()
        };
        let text = text_of(view.clone(), vec![false; 4], &[]).unwrap();
        let expected = "{\n    double f_x;\nstruct {\n    int f_b;\n} f_a1;\nstruct {\n    int f_b;\n} f_a2;\n    double f_z;\n};";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("a0.f_a2.f_b = (int)s[2].numbers[0];"), "{text}");
        let arrays = ForeignView { records: vec![ForeignRecord { rank: 1, ..record }], ..view };
        assert!(text_of(arrays, vec![false; 4], &[]).is_err());
    }
}
