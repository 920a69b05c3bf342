//! Strings among the values of a model in C.
//!
//! They are numbers: those of the program's own texts, and beyond them of texts that came up in the run, each once. So equal texts
//! have equal numbers, as for every reader of a program. Texts of the run stay in the struct of the model; there is room for a
//! limited number of them.

use kausal_symbolic::TextId;
use kausal_translate::Program;

use super::section::Sections;
use super::text::{mentions, string};

/// A standard C compiler need not take longer literals.
const LONGEST_LITERAL: usize = 4_000;

/// Fields and prototypes for texts.
pub(crate) fn add(sections: &mut Sections<'_>) {
    sections.fields.push("int texts;           /* how many texts came up in the run */".to_owned());
    sections.fields.push("size_t text_bytes;".to_owned());
    sections.fields.push("const char *text[KAUSAL_TEXTS];".to_owned());
    sections.fields.push("char text_memory[KAUSAL_TEXT_BYTES];".to_owned());
    sections.prototypes.push("const char *model_text(const model *m, double number)".to_owned());
}

/// Limits that stand before the struct.
pub(crate) const LIMITS: &str = "\
#ifndef KAUSAL_TEXTS
#define KAUSAL_TEXTS 1024 /* texts that come up in the run */
#endif
#ifndef KAUSAL_TEXT_BYTES
#define KAUSAL_TEXT_BYTES 65536 /* and their bytes */
#endif
";

/// The table of texts and what finds them, if code uses them.
pub(crate) fn write(program: &Program, code: &str) -> Option<String> {
    let uses = |name: &str| code.lines().any(|line| mentions(line, name));
    let finds = uses("model_text_number");
    if !finds && !uses("model_text") {
        return None;
    }
    let count = program.pool.text_count();
    let mut out = String::new();
    let mut list = Vec::with_capacity(count);
    for k in 0..count {
        let text = program.pool.text_of(TextId(k as u32));
        if text.len() <= LONGEST_LITERAL {
            list.push(string(text));
            continue;
        }
        let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
        let lines: Vec<String> = bytes.chunks(24).map(|chunk| chunk.join(", ")).collect();
        out.push_str(&format!(
            "static const unsigned char text_{k}[] = {{\n    {}, 0\n}};\n",
            lines.join(",\n    ")
        ));
        list.push(format!("(const char *)text_{k}"));
    }
    out.push_str(&format!("enum {{ model_texts = {count} }};\n"));
    out.push_str("static const char *const texts[] = {\n");
    list.iter().for_each(|text| out.push_str(&format!("    {text},\n")));
    out.push_str("    \"\"\n};\n\n");
    out.push_str(FIND);
    if finds {
        out.push_str(NUMBER);
    }
    Some(out)
}

const FIND: &str = "\
/* The string that a number among the values means. */
const char *model_text(const model *m, double number)
{
    if (number >= 0.0 && number < model_texts) return texts[(int)number];
    if (number >= model_texts && number < model_texts + m->texts) return m->text[(int)number - model_texts];
    return \"\";
}

";

const NUMBER: &str = "\
/* The number of a string. */
static double model_text_number(model *m, const char *text)
{
    for (int k = 0; k < model_texts; k++) {
        if (strcmp(texts[k], text) == 0) return k;
    }
    for (int k = 0; k < m->texts; k++) {
        if (strcmp(m->text[k], text) == 0) return model_texts + k;
    }
    const size_t length = strlen(text) + 1;
    if (m->texts == KAUSAL_TEXTS || length > KAUSAL_TEXT_BYTES - m->text_bytes) {
        kausal_fail(&m->arena, \"no room for more strings (KAUSAL_TEXTS is %d)\", (int)KAUSAL_TEXTS);
        return 0.0;
    }
    char *const place = m->text_memory + m->text_bytes;
    memcpy(place, text, length);
    m->text_bytes += length;
    m->text[m->texts] = place;
    return model_texts + m->texts++;
}

";
