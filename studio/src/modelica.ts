// Colours of Modelica text, by CodeMirror's stream parser; folding of classes and annotations by brackets and keywords.

import { foldService, HighlightStyle, indentService, indentUnit, LanguageSupport, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { tags } from "@lezer/highlight";

const words = (text: string): Set<string> => new Set(text.split(" "));
const KINDS = words("class model block connector record package function operator type expandable");
const KEYWORDS = words("algorithm and annotation assert break connect constrainedby constant der discrete each else elseif elsewhen encapsulated end enumeration equation extends external final flow for if import impure in initial inner input loop not or outer output parameter partial protected public pure redeclare replaceable return stream then when while within");
const TYPES = words("Real Integer Boolean String Clock StateSelect");
const FUNCTIONS = words("abs acos asin atan atan2 cat ceil change cos cosh cross delay diagonal div edge exp fill floor homotopy identity integer linspace log log10 max min mod ndims noEvent ones outerProduct pre product reinit rem sample scalar semiLinear sign sin sinh size skew smooth spatialDistribution sqrt sum symmetric tan tanh terminal terminate transpose vector zeros time inStream actualStream hold previous superSample subSample shiftSample backSample");

interface State { comment: boolean; string: boolean; kind: boolean }

const language = StreamLanguage.define<State>({
  name: "modelica",
  startState: () => ({ comment: false, string: false, kind: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.comment = false;
      } else stream.skipToEnd();
      return "comment";
    }
    if (state.string) {
      while (!stream.eol()) {
        const c = stream.next();
        if (c === "\\") stream.next();
        else if (c === '"') {
          state.string = false;
          break;
        }
      }
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "lineComment";
    }
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match('"')) {
      state.string = true;
      return "string";
    }
    if (stream.match(/^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^'([^'\\]|\\.)*'/)) return "variableName";
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) {
      const w = word[0];
      if (state.kind && !KEYWORDS.has(w) && !KINDS.has(w)) {
        state.kind = false;
        return "className";
      }
      if (KINDS.has(w)) {
        state.kind = true;
        return "definitionKeyword";
      }
      if (w === "annotation") return "meta";
      if (w === "end") {
        state.kind = !stream.match(/^\s*(if|for|when|while)\b/, false);
        return "keyword";
      }
      if (KEYWORDS.has(w)) {
        state.kind = false;
        return "keyword";
      }
      if (w === "true" || w === "false") return "bool";
      if (TYPES.has(w)) return "typeName";
      if (FUNCTIONS.has(w) && (w === "time" || stream.match(/^\s*\(/, false))) return "standard";
      if (stream.match(/^\s*\(/, false) && /^[A-Z]/.test(w) === false) return "propertyName";
      return "variableName";
    }
    state.kind = false;
    if (stream.match(/^(:=|<=|>=|==|<>|[+\-*/^<>=]|\.[+\-*/^])/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  tokenTable: { lineComment: tags.lineComment, className: tags.className, definitionKeyword: tags.definitionKeyword, standard: tags.standard(tags.name), meta: tags.meta },
});

const style = HighlightStyle.define([
  { tag: tags.comment, color: "light-dark(#5b6b5b, #8fa08f)", fontStyle: "italic" },
  { tag: tags.lineComment, color: "light-dark(#5b6b5b, #8fa08f)", fontStyle: "italic" },
  { tag: tags.string, color: "light-dark(#0b6b4f, #7fd1b0)" },
  { tag: tags.number, color: "light-dark(#0550ae, #79b8ff)" },
  { tag: tags.bool, color: "light-dark(#0550ae, #79b8ff)" },
  { tag: tags.keyword, color: "light-dark(#a3166b, #ff9ad5)" },
  { tag: tags.definitionKeyword, color: "light-dark(#a3166b, #ff9ad5)", fontWeight: "600" },
  { tag: tags.className, color: "light-dark(#6b3fa0, #c7a6ff)", fontWeight: "600" },
  { tag: tags.typeName, color: "light-dark(#6b3fa0, #c7a6ff)" },
  { tag: tags.standard(tags.name), color: "light-dark(#8a4b00, #f0b26b)" },
  { tag: tags.meta, color: "light-dark(#6a7280, #8b95a5)" },
  { tag: tags.operator, color: "light-dark(#57606a, #aab3bf)" },
]);

/** What stands in the parentheses of the annotation that begins in a line. */
function annotationIn(state: EditorState, start: number, end: number): { from: number; to: number } | null {
  const note = /\bannotation\s*\(/.exec(state.doc.sliceString(start, end));
  if (!note) return null;
  const open = start + note.index + note[0].length;
  // Most are short; documentation is not.
  for (const reach of [1_000, 400_000]) {
    const text = state.doc.sliceString(open, Math.min(open + reach, state.doc.length));
    let depth = 0;
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (quoted) {
        if (c === "\\") i++;
        else if (c === '"') quoted = false;
      } else if (c === '"') quoted = true;
      else if (c === "(") depth++;
      else if (c === ")" && depth-- === 0) return { from: open, to: open + i };
    }
  }
  return null;
}

/** All annotations of a text, the first of each line. */
export function annotations(state: EditorState): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let n = 1; n <= state.doc.lines; n++) {
    const line = state.doc.line(n);
    if (found.length && found[found.length - 1]!.to > line.from) continue;
    const note = annotationIn(state, line.from, line.to);
    if (note && note.to > note.from) found.push(note);
  }
  return found;
}

/** `annotation(…)` folds from its parenthesis, a class from its head to `end Name;`. */
const folds = foldService.of((state, start, end) => {
  const line = state.doc.lineAt(start);
  const note = annotationIn(state, line.from, line.to);
  if (note) return note.to > end || note.to - note.from > 24 ? note : null;
  const head = /^\s*(?:(?:encapsulated|partial|final|replaceable|inner|outer|expandable|pure|impure|operator)\s+)*(?:class|model|block|connector|record|package|function|type)\s+(\w+)/.exec(line.text);
  if (!head) return null;
  const closing = new RegExp(`^\\s*end\\s+${head[1]}\\s*;`);
  for (let n = line.number + 1; n <= Math.min(state.doc.lines, line.number + 5000); n++) {
    const l = state.doc.line(n);
    if (closing.test(l.text)) return { from: end, to: l.from - 1 };
  }
  return null;
});

const indents = indentService.of((context, at) => {
  const line = context.lineAt(at, -1);
  let before = line.from - 1;
  while (before > 0) {
    const l = context.lineAt(before, -1);
    if (l.text.trim()) {
      const own = /^\s*/.exec(l.text)![0].length;
      const opens = /^\s*(?:(?:encapsulated|partial)\s+)?(?:model|class|block|record|connector|package|function)\s+\w+[^;]*$|\b(?:then|loop|else)\s*$|^\s*(?:equation|algorithm|public|protected|initial equation|initial algorithm)\s*$/.test(l.text);
      const closes = /^\s*(?:end\b|else\b|elseif\b|elsewhen\b|equation\b|algorithm\b|public\b|protected\b)/.test(line.text);
      return Math.max(own + (opens ? context.unit : 0) - (closes ? context.unit : 0), 0);
    }
    before = l.from - 1;
  }
  return 0;
});

export const modelica = (): LanguageSupport => new LanguageSupport(language, [syntaxHighlighting(style), folds, indents, indentUnit.of("  ")]);
