"use strict";
// Formulas as mathematics: text as Modelica writes it becomes MathML; what cannot be read stays text.
const formulas = (() => {
  const template = document.createElement("template");
  template.innerHTML = "<math></math>";
  const NS = template.content.firstChild.namespaceURI;
  const GREEK = {
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", eps: "ε", epsilon: "ε", eta: "η", theta: "θ", kappa: "κ", lambda: "λ",
    mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω",
  };
  const WORDS = new Set(["if", "then", "else", "elseif", "and", "or", "not"]);
  const TOKEN = /\s*(?:([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)|((?:[A-Za-z_$][\w$]*|'(?:[^'\\]|\\.)*')(?:\[[^\]]*\])?(?:\.(?:[A-Za-z_$][\w$]*|'(?:[^'\\]|\\.)*')(?:\[[^\]]*\])?)*)|("(?:[^"\\]|\\.)*")|(:=|<=|>=|==|<>|[-+*\/^()=<>,{}@]))/y;

  function element(tag, ...children) {
    const e = document.createElementNS(NS, tag);
    e.append(...children);
    return e;
  }
  const row = (...children) => element("mrow", ...children);
  const operator = text => element("mo", text);
  // Between two terms, also where a line begins with it.
  const between = text => { const e = operator(text); e.setAttribute("form", "infix"); return e; };

  // Parentheses are as high as what is between them only where that is high.
  function enclosed(begin, inner, end) {
    const high = inner.some(e => e.localName === "mfrac" || e.localName === "mtable" || e.querySelector("mfrac, mtable"));
    const side = text => {
      const e = operator(text);
      if (!high) e.setAttribute("stretchy", "false");
      return e;
    };
    return [side(begin), ...inner, side(end)];
  }

  // More digits than these say nothing to the eye; all of them are in the title.
  const DIGITS = 6;
  function rounded(text) {
    const digits = text.replace(/[eE].*$/, "").replace(/\D/g, "").replace(/^0+/, "");
    return digits.length > DIGITS + 2 && text.includes(".") ? String(Number(Number(text).toPrecision(DIGITS))) + "…" : text;
  }

  // resistor.R, axis[1].q, phi: the part before the last dot small and upright, subscripts below.
  function variable(name) {
    const subscript = /^(.*)\[([^\]]*)\]$/.exec(name);
    const plain = subscript ? subscript[1] : name;
    const dot = plain.lastIndexOf(".");
    const last = plain.slice(dot + 1);
    const symbol = element("mi", GREEK[last] || last);
    const named = dot < 0 ? symbol : row(element("mtext", plain.slice(0, dot + 1)), symbol);
    named.whole = true;
    return subscript ? element("msub", named, element("mn", subscript[2])) : named;
  }

  function tokens(text) {
    const list = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      if (!text.slice(TOKEN.lastIndex).trim()) break;
      const m = TOKEN.exec(text);
      if (!m) throw new Error("not a formula");
      const kind = m[1] ? "number" : m[2] ? (WORDS.has(m[2]) ? "word" : "name") : m[3] ? "string" : "sign";
      list.push({ kind, text: m[1] || m[2] || m[3] || m[4] });
    }
    return list;
  }

  // A reader with one token of sight; what it makes are elements with the strength of their last operator.
  function parse(text) {
    const list = tokens(text);
    let at = 0, depth = 0;
    const is = sign => at < list.length && list[at].kind !== "string" && list[at].text === sign;
    const take = sign => { if (!is(sign)) throw new Error("expected " + sign); at++; };
    const LEVELS = [["or"], ["and"], ["<", "<=", ">", ">=", "==", "<>"], ["+", "-"], ["*", "/"]];
    const SHOWN = { "*": "⋅", "-": "−", "<=": "≤", ">=": "≥", "==": "=", "<>": "≠", or: "∨", and: "∧" };

    function whole() {
      const left = expression();
      if (is("=") || is(":=")) {
        const sign = list[at++].text;
        return row(left, between(sign), expression());
      }
      return left;
    }
    function expression() {
      if (++depth > 200) throw new Error("too deep");
      const e = is("if") ? conditional() : binary(0);
      depth--;
      return e;
    }
    // As a table of mathematics, for where it is part of something else; `cases` are its parts.
    function conditional() {
      const cases = [];
      while (is("if") || is("elseif")) {
        at++;
        const condition = expression();
        take("then");
        cases.push([expression(), bare(condition)]);
      }
      take("else");
      cases.push([expression(), null]);
      const line = ([value, condition]) => element("mtr", element("mtd", value),
        element("mtd", condition ? row(element("mtext", "if\u00a0"), condition) : element("mtext", "otherwise")));
      const table = element("mtable", ...cases.map(line));
      table.setAttribute("columnalign", "left");
      const e = row(operator("{"), table);
      e.cases = cases;
      return e;
    }
    function binary(level) {
      if (level === LEVELS.length) return unary();
      let left = binary(level + 1);
      while (at < list.length && LEVELS[level].includes(list[at].text)) {
        const sign = list[at++].text;
        const right = binary(level + 1);
        left = sign === "/" ? element("mfrac", bare(left), bare(right)) : row(left, between(SHOWN[sign] || sign), right);
        left.product = sign === "*";
      }
      return left;
    }
    function unary() {
      if (is("-") || is("+")) {
        const sign = list[at++].text;
        return row(operator(SHOWN[sign] || sign), unary());
      }
      if (is("not")) { at++; return row(operator("¬"), unary()); }
      return power();
    }
    function power() {
      let base = primary();
      // x@2: x at the second stage of a step.
      while (is("@")) {
        at++;
        base = element("msup", base, element("mn", "(" + list[at++].text + ")"));
      }
      if (!is("^")) return base;
      at++;
      return element("msup", base, bare(is("-") ? unary() : primary()));
    }
    function primary() {
      const token = list[at++];
      if (!token) throw new Error("the formula ends");
      if (token.kind === "number") return element("mn", rounded(token.text));
      if (token.kind === "string") return element("mtext", token.text);
      if (token.text === "(") {
        const inner = expression();
        take(")");
        if (inner.cases) return inner;
        const e = row(...enclosed("(", [inner], ")"));
        e.inner = inner;
        return e;
      }
      if (token.text === "{") return row(operator("{"), ...members("}"), operator("}"));
      if (token.kind !== "name") throw new Error("unexpected " + token.text);
      return is("(") ? call(token.text) : variable(token.text);
    }
    function members(end) {
      const found = [];
      while (!is(end)) {
        if (found.length) { take(","); found.push(operator(",")); }
        found.push(expression());
      }
      take(end);
      return found;
    }
    function call(name) {
      take("(");
      const parts = members(")");
      const one = parts.length === 1 ? parts[0] : null;
      if (name === "der" && one) return element("mover", one, operator("˙"));
      if (name === "sqrt" && one) return element("msqrt", one);
      if (name === "abs" && one) return row(operator("|"), one, operator("|"));
      if (name === "exp" && one) return element("msup", element("mi", "e"), one);
      const callee = element("mi", name);
      callee.callee = true;
      return row(callee, ...enclosed("(", parts, ")"));
    }
    // Parentheses around a numerator or an exponent say nothing.
    function bare(e) { return e.inner || e; }

    const made = whole();
    if (at < list.length) throw new Error("something is left");
    return made;
  }

  // Browsers do not break mathematics into lines. A formula becomes pieces instead, one element each, between which lines
  // break: the parts of sums, products and lists, as long as they are not inside of a fraction, a root or a power.
  const PIECE = 14, PRODUCT = 64, WIDEST = 112, FRACTION = 56;
  function width(e) {
    const lines = [...e.querySelectorAll("mtr")];
    return lines.length ? Math.max(...lines.map(line => line.textContent.length)) : e.textContent.length;
  }
  function spread(e, out) {
    const name = e.localName;
    if (name === "mfrac" && Math.max(width(e.children[0]), width(e.children[1])) > FRACTION) {
      const [above, below] = e.children;
      out.push(operator("("));
      spread(above, out);
      out.push(operator(")"), between("/"), operator("("));
      spread(below, out);
      out.push(operator(")"));
    } else if (name === "mrow" && !e.whole && !e.cases && (width(e) > (e.product ? PRODUCT : PIECE) || e.querySelector("mtable"))) {
      for (const child of [...e.children]) spread(child, out);
    } else {
      out.push(e);
    }
  }
  // What ends a piece; other signs, and the names of functions, begin one.
  const LAST = new Set([")", "}", ",", "⋅", "/"]);
  function pieces(made) {
    const list = [], groups = [];
    spread(made, list);
    let open = null, waiting = [];
    for (const e of list) {
      const sign = e.localName === "mo" ? e.textContent : null;
      if (sign && LAST.has(sign) && open && !waiting.length) { open.push(e); continue; }
      if (sign || e.callee) { waiting.push(e); continue; }
      if (e.cases) {
        if (waiting.length) groups.push(waiting);
        groups.push(e);
        open = null;
      } else {
        open = [...waiting, e];
        groups.push(open);
      }
      waiting = [];
    }
    if (waiting.length) groups.push(waiting);
    return groups;
  }

  // Puts a formula into an element of the page, piece by piece.
  function render(made, into) {
    pieces(made).forEach((group, k) => {
      if (k) into.append("\u200b");
      if (group.cases) { into.append(cases(group.cases)); return; }
      if (group.some(e => width(e) > WIDEST)) throw new Error("too wide");
      into.append(element("math", ...group));
    });
  }
  // Cases one below the other, each with its condition.
  function cases(list) {
    const box = document.createElement("span");
    box.className = "cases";
    for (const [value, condition] of list) {
      const left = document.createElement("span"), right = document.createElement("span");
      render(value, left);
      right.className = "condition";
      right.textContent = condition ? "if " : "otherwise";
      if (condition) render(condition, right);
      box.append(left, right);
    }
    return box;
  }

  // A formula to look at: mathematics that breaks into lines, or text where that is not possible.
  const LONG = 900, BEGIN = 260;
  function show(text) {
    if (text.length > LONG) return shortened(text);
    const span = document.createElement("span");
    span.className = "formula";
    span.title = text;
    if (!text.includes("…")) {
      try {
        render(parse(text), span);
        return span;
      } catch { span.replaceChildren(); /* it stays text */ }
    }
    const code = document.createElement("code");
    code.textContent = text;
    span.append(code);
    return span;
  }

  // Very long formulas show their beginning, and all of it when asked.
  function shortened(text) {
    const span = document.createElement("span"), code = document.createElement("code"), more = document.createElement("button");
    span.className = "formula long";
    code.textContent = text.slice(0, BEGIN) + " … ";
    more.textContent = "all " + text.length + " characters";
    more.className = "link";
    more.onclick = () => { code.textContent = text; more.remove(); };
    span.append(code, more);
    return span;
  }
  return { show, parse };
})();
