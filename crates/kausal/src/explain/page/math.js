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
  const TOKEN = /\s*(?:([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)|((?:[A-Za-z_$][\w$]*|'(?:[^'\\]|\\.)*')(?:\[[^\]]*\])?(?:\.(?:[A-Za-z_$][\w$]*|'(?:[^'\\]|\\.)*')(?:\[[^\]]*\])?)*)|("(?:[^"\\]|\\.)*")|(:=|<=|>=|==|<>|[-+*\/^()=<>,{}]))/y;

  function element(tag, ...children) {
    const e = document.createElementNS(NS, tag);
    e.append(...children);
    return e;
  }
  const row = (...children) => element("mrow", ...children);
  const operator = text => element("mo", text);

  // resistor.R, axis[1].q, phi: the part before the last dot small and upright, subscripts below.
  function variable(name) {
    const subscript = /^(.*)\[([^\]]*)\]$/.exec(name);
    const plain = subscript ? subscript[1] : name;
    const dot = plain.lastIndexOf(".");
    const last = plain.slice(dot + 1);
    const symbol = element("mi", GREEK[last] || last);
    const named = dot < 0 ? symbol : row(element("mtext", plain.slice(0, dot + 1)), symbol);
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
        return row(left, operator(sign), expression());
      }
      return left;
    }
    function expression() {
      if (++depth > 200) throw new Error("too deep");
      const e = is("if") ? conditional() : binary(0);
      depth--;
      return e;
    }
    function conditional() {
      const table = element("mtable");
      const line = (value, condition) => table.append(element("mtr", element("mtd", value), element("mtd", condition)));
      while (is("if") || is("elseif")) {
        at++;
        const condition = expression();
        take("then");
        line(expression(), row(element("mtext", "if\u00a0"), condition));
      }
      take("else");
      line(expression(), element("mtext", "otherwise"));
      table.setAttribute("columnalign", "left");
      return row(operator("{"), table);
    }
    function binary(level) {
      if (level === LEVELS.length) return unary();
      let left = binary(level + 1);
      while (at < list.length && LEVELS[level].includes(list[at].text)) {
        const sign = list[at++].text;
        const right = binary(level + 1);
        left = sign === "/" ? element("mfrac", bare(left), bare(right)) : row(left, operator(SHOWN[sign] || sign), right);
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
      const base = primary();
      if (!is("^")) return base;
      at++;
      return element("msup", base, bare(is("-") ? unary() : primary()));
    }
    function primary() {
      const token = list[at++];
      if (!token) throw new Error("the formula ends");
      if (token.kind === "number") return element("mn", token.text);
      if (token.kind === "string") return element("mtext", token.text);
      if (token.text === "(") {
        const inner = expression();
        take(")");
        const e = row(operator("("), inner, operator(")"));
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
      return row(element("mi", name), operator("("), ...parts, operator(")"));
    }
    // Parentheses around a numerator or an exponent say nothing.
    function bare(e) { return e.inner || e; }

    const made = whole();
    if (at < list.length) throw new Error("something is left");
    return made;
  }

  // A formula to look at; long ones as text, which breaks into lines.
  const LONG = 170;
  function show(text) {
    // Conditions stand one below the other.
    const most = /\bif\b/.test(text) ? 2 * LONG : LONG;
    if (text.length <= most && !text.includes("…")) {
      try {
        const math = element("math", parse(text));
        math.setAttribute("title", text);
        return math;
      } catch { /* it stays text */ }
    }
    const code = document.createElement("code");
    code.textContent = text;
    return code;
  }
  return { show, parse };
})();
