(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  function element(tag, text, className) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  }
  const n = data.equations.length;
  const loops = data.blocks.filter(b => b.is_loop);
  loops.forEach((b, k) => { b.number = k + 1; });
  const begun = text => text.charAt(0).toUpperCase() + text.slice(1);
  function showInMatrix(b) {
    document.querySelector("input[value=torn]").checked = true;
    matrix.show(b);
  }

  // The two pictures.
  const matrix = incidence(data, byId("matrix"), byId("hint"));
  const graph = blockGraph(data, byId("graph"), byId("graph-hint"), showInMatrix);
  for (const key of document.querySelectorAll(".keys .key"))
    key.parentElement.hidden = !data.blocks.some(b => key.classList.contains(b.class));
  if (!graph.readable()) {
    byId("order").hidden = true;
    document.querySelector('a[href="#order"]')?.remove();
  }
  byId("all").onclick = matrix.fit;
  byId("graph-all").onclick = graph.fit;
  for (const radio of document.querySelectorAll("input[name=order]")) radio.onchange = () => matrix.reorder(radio.value);
  const entries = data.entries.reduce((sum, row) => sum + row.length, 0);
  byId("counts").textContent = many(n, "equation") + ", " + (entries === 1 ? "1 entry, " : entries + " entries, ") + many(loops.length, "loop");
  byId("graph-counts").textContent = many(data.blocks.length, "block") + ", " + (graph.edges === 1 ? "1 dependency, " : graph.edges + " dependencies, ") + graph.levels + " one after another";

  // Names of files and components may break after their dots.
  function breakable(tag, text, className) {
    const e = element(tag, undefined, className);
    text.split(/(?<=,|\.(?!mo:|dym:))/).forEach((part, k) => e.append(...(k ? [element("wbr")] : []), part));
    return e;
  }

  // An equation or an assignment as mathematics, with where it is written.
  const MOST = 200;
  function line(text) {
    const item = element("li");
    item.append(formulas.show(text));
    return item;
  }
  // Equations of a loop: what each is solved for (if that is known), the equation, where it is written.
  function listed(from, to, named) {
    const table = element("table", undefined, "equations");
    for (let i = from; i < to; i++) {
      const row = element("tr"), math = element("td");
      math.append(formulas.show(data.equations[i]));
      if (named) row.append(breakable("td", data.unknowns[i], "name"));
      row.append(math, breakable("td", data.places[i], "soft place"));
      table.append(row);
    }
    return table;
  }

  function fill(details, b) {
    const inner = b.size - b.torn, torn = b.torn && b.torn < b.size;
    const names = data.unknowns.slice(b.start + inner, b.start + b.size);
    details.append(element("p", "Costs " + b.costs + "."));
    if (torn) details.append(element("p", "1. Given " + names.join(", ") + ","));
    if (torn) details.append(element("p", "2. these follow one from another:"));
    const until = torn ? inner : b.size;
    details.append(listed(b.start, b.start + Math.min(until, MOST), torn));
    if (until > MOST) details.append(element("p", "… and " + (until - MOST) + " more"));
    if (torn) {
      details.append(element("p", "3. and these must hold, which determines " + names.join(", ") + ":"));
      details.append(listed(b.start + inner, b.start + Math.min(b.size, inner + MOST), false));
    }
    if (b.ways.length) {
      details.append(element("p", "Ways to solve it, with the prices that were compared (operations, and more for calling a solver):"));
      const ways = element("ul");
      for (const way of b.ways) ways.append(element("li", way));
      details.append(ways);
    }
    if (b.lines.length) {
      const more = element("details"), computed = element("ol");
      more.append(element("summary", "What is computed, line by line"));
      for (const text of b.lines) computed.append(line(text));
      more.append(computed);
      details.append(more);
    }
    const show = element("button", "Show in the matrix");
    show.onclick = () => showInMatrix(b);
    details.append(show);
  }

  if (!loops.length) byId("loops").append(element("p", "None: every equation is solved for one unknown.", "soft"));
  for (const b of loops) {
    const details = element("details");
    details.id = "loop-" + b.number;
    const torn = b.torn && b.torn < b.size ? ", torn to " + b.torn : "";
    const summary = element("summary");
    summary.append(element("span", "", "key " + b.class), " " + begun(b.title) + (b.when === "late" ? WHEN.late : "") + ": " + many(b.size, "equation") + ", " + b.kind + torn + "; " + b.how.replace(/^torn, /, ""));
    details.append(summary);
    // Filled when it is opened: large models have many.
    details.fill = () => { if (details.childElementCount === 1) fill(details, b); };
    details.addEventListener("toggle", () => { if (details.open) details.fill(); });
    byId("loops").append(details);
  }

  // Bars.
  function bars(table, rows) {
    const most = Math.max(1, ...rows.map(r => r[1]));
    for (const [name, count, className, click] of rows) {
      const row = element("tr"), bar = element("span", "", "bar " + (className || "linear")), cell = element("td");
      bar.style.width = Math.max(1, 180 * count / most) + "px";
      cell.append(bar);
      const first = element("td");
      if (click) { const link = element("button", name, "link"); link.onclick = click; first.append(link); } else first.textContent = name;
      row.append(first, element("td", String(count)), cell);
      table.append(row);
    }
  }
  const total = b => b.total;
  const MOST_BARS = 16;
  // The largest, and the rest as one.
  function largest(rows) {
    const rest = rows.slice(MOST_BARS);
    const sum = rest.reduce((all, row) => all + row[1], 0);
    return rest.length > 1 && sum ? [...rows.slice(0, MOST_BARS), [rest.length + " others together", sum, "gone"]] : rows;
  }
  const heavy = data.blocks.filter(b => total(b) > 0 && b.when !== "once").sort((a, b) => total(b) - total(a) || a.start - b.start);
  const shared = data.shared ? [["shared by several", data.shared, "gone"]] : [];
  bars(byId("by-block"), [...largest(heavy.map(b => [
    b.is_loop ? b.title + " (" + many(b.size, "equation") + ")" : data.unknowns[b.start], total(b), b.class, () => showInMatrix(b),
  ])), ...shared]);
  bars(byId("by-component"), [...largest(data.components.map(([name, count]) => [name || "(the model itself)", count])), ...shared]);
  const sum = heavy.reduce((all, b) => all + total(b), data.shared);
  byId("cost-sum").textContent = many(sum, "operation") + " in each evaluation with all results.";

  // The solved equations, a page at a time.
  let shown = 100;
  function equations() {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (let i = 0; i < n; i++) {
      const text = (data.unknowns[i] + " " + data.equations[i] + " " + data.places[i] + " " + (data.notes[i] || "")).toLowerCase();
      if (words.every(w => text.includes(w))) found.push(i);
    }
    const rows = [];
    let last = null;
    const blockAt = i => data.blocks.find(b => i >= b.start && i < b.start + b.size);
    for (const i of found.slice(0, shown)) {
      const row = element("tr"), b = last && i < last.start + last.size && i >= last.start ? last : blockAt(i);
      if (b !== last && b.is_loop) {
        const title = element("tr"), cell = element("td"), link = element("a", begun(b.title) + ": " + many(b.size, "equation") + ", " + b.how);
        link.href = "#loop-" + b.number;
        link.onclick = () => { byId("loop-" + b.number).open = true; };
        cell.colSpan = 3;
        cell.append(link);
        title.append(cell);
        rows.push(title);
      }
      last = b;
      const math = element("td");
      math.append(formulas.show(b.is_loop ? data.equations[i] : data.unknowns[i] + " := " + data.solved[i]));
      const key = element("td");
      key.append(element("span", "", "key " + b.class));
      const note = [data.notes[i], { once: "solved once", late: "for results only" }[b.when]].filter(Boolean).join("; ");
      if (note) math.append(" ", element("span", note, "soft note"));
      row.append(key, math, breakable("td", data.places[i], "soft place"));
      rows.push(row);
    }
    byId("equations").replaceChildren(...rows);
    byId("found").textContent = found.length > shown ? "the first " + shown + " of " + found.length : many(found.length, "equation");
    byId("more").hidden = found.length <= shown;
  }
  byId("find").oninput = () => { shown = 100; equations(); };
  byId("more").onclick = () => { shown += 200; equations(); };
  equations();

  const redraw = () => { matrix.redraw(); graph.redraw(); };
  const sizes = new ResizeObserver(redraw);
  sizes.observe(byId("matrix"));
  sizes.observe(byId("graph"));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  const root = document.documentElement;
  byId("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    redraw();
  };
  let before, opened = [], shownBefore = shown;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    // On paper nobody can open anything, nor ask for more; but nobody reads a thousand pages either.
    let rows = 0;
    const room = loops.filter(b => (rows += Math.min(b.size, MOST)) <= 600);
    opened = room.flatMap(b => {
      const details = byId("loop-" + b.number);
      details.fill();
      return b.lines.length <= 40 ? [details, ...details.querySelectorAll("details")] : [details];
    });
    const others = [...document.querySelectorAll("#the-loops details:not([id])")].filter(d => d.textContent.length < 6000);
    opened = [...new Set([...opened, ...others.filter(d => !d.parentElement.closest("details"))])].filter(d => !d.open);
    for (const details of opened) details.open = true;
    shownBefore = shown;
    shown = Math.max(shown, 300);
    equations();
    root.dataset.theme = "light";
    for (const paper of document.querySelectorAll(".paper canvas")) matrix.print(paper, paper.dataset.order);
    graph.redraw.now();
  });
  window.addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before; else delete root.dataset.theme;
    for (const details of opened) details.open = false;
    shown = shownBefore;
    equations();
    redraw();
  });
  matrix.fit();
  graph.fit();
  matrix.redraw.now();
  graph.redraw.now();
  // Milliseconds until everything was there to be seen.
  root.dataset.ready = String(Math.round(performance.now()));
})();
