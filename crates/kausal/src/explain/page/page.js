"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  const n = data.equations.length;
  const canvas = byId("matrix"), hint = byId("hint");
  const blockOf = new Int32Array(n);
  data.blocks.forEach((b, k) => blockOf.fill(k, b.start, b.start + b.size));

  // From places on the screen to sorted places, and back.
  const same = Array.from({ length: n }, (_, i) => i);
  const inverse = order => { const at = []; order.forEach((v, i) => { at[v] = i; }); return at; };
  const orders = {
    after: { rows: same, columns: same, rowAt: same, columnAt: same },
    before: {
      rows: data.rows_before, columns: data.columns_before,
      rowAt: inverse(data.rows_before), columnAt: inverse(data.columns_before),
    },
  };
  let order = "after";
  // What is shown: the place at the upper left and pixels per place.
  const view = { x: 0, y: 0, scale: 1 };

  const colorOf = kind => getComputedStyle(document.documentElement).getPropertyValue(
    kind === "explicit" ? "--explicit" : kind.includes("condition") ? "--mixed"
      : kind.startsWith("nonlinear") ? "--nonlinear" : "--linear").trim();

  function fit() {
    const size = Math.min(canvas.clientWidth, canvas.clientHeight) - 20;
    view.scale = size / Math.max(1, n);
    view.x = -(canvas.clientWidth / view.scale - n) / 2;
    view.y = -(canvas.clientHeight / view.scale - n) / 2;
    redraw();
  }

  let asked = false;
  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const s = view.scale, px = c => (c - view.x) * s, py = r => (r - view.y) * s;
    const style = getComputedStyle(document.documentElement);
    g.strokeStyle = style.getPropertyValue("--line");
    g.strokeRect(px(0) - 0.5, py(0) - 0.5, n * s + 1, n * s + 1);
    const colors = data.blocks.map(b => colorOf(b.kind));
    if (order === "after") {
      data.blocks.forEach((b, k) => {
        if (b.size < 2) return;
        g.globalAlpha = 0.15;
        g.fillStyle = colors[k];
        g.fillRect(px(b.start), py(b.start), b.size * s, b.size * s);
        g.globalAlpha = 1;
        g.strokeStyle = colors[k];
        g.strokeRect(px(b.start), py(b.start), b.size * s, b.size * s);
        if (b.torn && b.torn < b.size) {
          const inner = b.start + b.size - b.torn;
          g.strokeRect(px(inner), py(inner), b.torn * s, b.torn * s);
        }
      });
    }
    const { rowAt, columnAt } = orders[order];
    const cell = Math.max(1, s * 0.8), shift = (s - cell) / 2;
    for (let row = 0; row < n; row++) {
      const y = py(rowAt[row]);
      if (y < -s || y > h) continue;
      g.fillStyle = colors[blockOf[row]];
      for (const column of data.entries[row]) {
        const x = px(columnAt[column]);
        if (x >= -s && x <= w) g.fillRect(x + shift, y + shift, cell, cell);
      }
    }
  }

  function point(e) {
    const r = canvas.getBoundingClientRect(), o = orders[order];
    const x = e.clientX - r.left, y = e.clientY - r.top;
    const row = Math.floor(y / view.scale + view.y), column = Math.floor(x / view.scale + view.x);
    const inside = row >= 0 && row < n && column >= 0 && column < n;
    return { x, y, row: inside ? o.rows[row] : -1, column: inside ? o.columns[column] : -1 };
  }

  function tell(p) {
    hint.hidden = p.row < 0;
    if (p.row < 0) return;
    const b = data.blocks[blockOf[p.row]];
    const there = data.entries[p.row].includes(p.column) ? "" : " (not in this equation)";
    const lines = [
      data.equations[p.row] + "  " + data.places[p.row],
      data.unknowns[p.column] + there,
      b.size > 1 ? "in a loop of " + b.size + " (" + b.kind + ")" : "",
    ];
    hint.replaceChildren(...lines.filter(Boolean).map(text => {
      const div = document.createElement("div");
      div.textContent = text;
      return div;
    }));
    const left = p.x < canvas.clientWidth / 2;
    hint.style.left = left ? p.x + 14 + "px" : "";
    hint.style.right = left ? "" : canvas.clientWidth - p.x + 14 + "px";
    hint.style.top = Math.min(p.y + 14, canvas.clientHeight - 90) + "px";
  }

  let drag = null;
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    drag = { x: e.clientX, y: e.clientY, vx: view.x, vy: view.y };
  });
  canvas.addEventListener("pointermove", e => {
    if (drag) {
      view.x = drag.vx - (e.clientX - drag.x) / view.scale;
      view.y = drag.vy - (e.clientY - drag.y) / view.scale;
      redraw();
    }
    tell(point(e));
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { hint.hidden = true; });
  canvas.addEventListener("dblclick", fit);
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    const next = Math.min(60, Math.max(0.05, view.scale * Math.exp(-Math.sign(e.deltaY) * 0.25)));
    view.x += x / view.scale - x / next;
    view.y += y / view.scale - y / next;
    view.scale = next;
    redraw();
  }, { passive: false });
  byId("all").onclick = fit;
  for (const radio of document.querySelectorAll("input[name=order]"))
    radio.onchange = () => { order = radio.value; redraw(); };

  const loops = data.blocks.filter(b => b.size > 1 || b.torn > 0);
  const entries = data.entries.reduce((sum, row) => sum + row.length, 0);
  byId("counts").textContent = n + " equations, " + entries + " entries, " + loops.length + " loops";

  function element(tag, text) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  if (!loops.length) byId("loops").append(element("p", "None: every equation is solved for one unknown."));
  const MOST = 200;
  loops.forEach((b, k) => {
    const details = element("details");
    const torn = b.torn && b.torn < b.size ? ", " + b.torn + " left" : "";
    details.append(element("summary", "Loop " + (k + 1) + ": " + b.size + " equations, " + b.kind + torn + "; " + b.how));
    // Filled when it is opened: large models have many.
    details.addEventListener("toggle", () => {
      if (!details.open || details.childElementCount > 1) return;
      const names = Array.from({ length: b.torn }, (_, i) => data.unknowns[b.start + b.size - b.torn + i]);
      if (names.length) details.append(element("p", "Left to a solver: " + names.join(", ")));
      const list = element("ol");
      for (let i = b.start; i < Math.min(b.start + b.size, b.start + MOST); i++) {
        const item = element("li");
        item.append(element("code", data.equations[i]), element("span", " " + data.places[i]));
        item.lastChild.className = "soft";
        list.append(item);
      }
      details.append(list);
      if (b.size > MOST) details.append(element("p", "… and " + (b.size - MOST) + " more"));
      const show = element("button", "Show in the matrix");
      show.onclick = () => {
        order = "after";
        document.querySelector("input[value=after]").checked = true;
        view.scale = Math.min(40, (Math.min(canvas.clientWidth, canvas.clientHeight) - 40) / b.size);
        view.x = b.start + b.size / 2 - canvas.clientWidth / view.scale / 2;
        view.y = b.start + b.size / 2 - canvas.clientHeight / view.scale / 2;
        redraw();
        canvas.scrollIntoView({ block: "center" });
      };
      details.append(show);
    });
    byId("loops").append(details);
  });

  const most = Math.max(1, ...data.components.map(c => c[1]));
  for (const [name, count] of data.components.slice(0, 40)) {
    const row = element("tr"), bar = element("span"), cell = element("td");
    bar.className = "bar";
    bar.style.width = 240 * count / most + "px";
    cell.append(bar);
    row.append(element("td", name || "(the model itself)"), element("td", String(count)), cell);
    byId("components").append(row);
  }

  new ResizeObserver(redraw).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  fit();
})();
