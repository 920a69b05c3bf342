// A canvas one can move and zoom in. `view` is the place at the upper left and pixels per place.
function zoomable(canvas, view, limits, redraw, point) {
  const place = e => {
    const r = canvas.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };
  function zoom(x, y, factor) {
    const next = Math.min(limits.most, Math.max(limits.least(), view.scale * factor));
    view.x += x / view.scale - x / next;
    view.y += y / view.scale - y / next;
    view.scale = next;
    redraw();
  }
  let drag = null;
  canvas.addEventListener("pointerdown", e => {
    if (e.pointerId > 0 && e.isTrusted) canvas.setPointerCapture(e.pointerId);
    drag = { x: e.clientX, y: e.clientY, vx: view.x, vy: view.y };
    canvas.dragged = false;
  });
  canvas.addEventListener("pointermove", e => {
    if (drag) {
      // A click follows the end of a drag too: who listens to it asks whether something moved.
      if (Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 4) canvas.dragged = true;
      view.x = drag.vx - (e.clientX - drag.x) / view.scale;
      view.y = drag.vy - (e.clientY - drag.y) / view.scale;
      redraw();
    }
    point(place(e));
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { drag = null; point(null); });
  // A page is scrolled more often than a picture is zoomed: the wheel zooms once the canvas is clicked, or with Ctrl.
  canvas.addEventListener("wheel", e => {
    if (document.activeElement !== canvas && !e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    const p = place(e);
    zoom(p.x, p.y, Math.exp(-Math.sign(e.deltaY) * 0.25));
  }, { passive: false });
  canvas.addEventListener("keydown", e => {
    const w = canvas.clientWidth / 2, h = canvas.clientHeight / 2, step = 60 / view.scale;
    const keys = {
      "+": () => zoom(w, h, 1.3), "=": () => zoom(w, h, 1.3), "-": () => zoom(w, h, 1 / 1.3),
      ArrowLeft: () => { view.x -= step; }, ArrowRight: () => { view.x += step; },
      ArrowUp: () => { view.y -= step; }, ArrowDown: () => { view.y += step; },
      Home: limits.home, 0: limits.home,
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
    redraw();
  });
  return zoom;
}

// The context of a canvas at the resolution of the screen.
function begin(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { g, w, h };
}

// Draws at most once a frame.
function lazily(draw) {
  let asked = false;
  const redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
  redraw.now = draw;
  return redraw;
}

const colors = () => ({ explicit: css("--explicit"), linear: css("--linear"), nonlinear: css("--nonlinear"), mixed: css("--mixed") });

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const many = (count, what) => count + " " + what + (count === 1 ? "" : "s");
const cut = (text, most) => text.length > most ? text.slice(0, most) + " …" : text;
// When a block is solved.
const WHEN = { once: ", once, from parameters", always: "", late: ", where results are wanted" };

// What is what at a place of a canvas: words and text.
function tell(hint, canvas, p, lines) {
  hint.hidden = !lines;
  if (!lines) return;
  hint.replaceChildren(...lines.filter(line => line[1]).flatMap(line => line.map((text, k) => {
    const div = document.createElement(k ? "dd" : "dt");
    div.textContent = text;
    return div;
  })));
  const left = p.x < canvas.clientWidth / 2;
  hint.style.left = left ? p.x + 14 + "px" : "";
  hint.style.right = left ? "" : canvas.clientWidth - p.x + 14 + "px";
  hint.style.top = Math.max(0, Math.min(p.y + 14, canvas.clientHeight - hint.offsetHeight - 4)) + "px";
}

// The incidence matrix: rows are equations, columns unknowns.
function incidence(data, canvas, hint) {
  const n = data.equations.length;
  const blockOf = new Int32Array(n);
  data.blocks.forEach((b, k) => blockOf.fill(k, b.start, b.start + b.size));
  // From places on the screen to rows and columns, and back.
  const same = Array.from({ length: n }, (_, i) => i);
  const inverse = order => { const at = []; order.forEach((v, i) => { at[v] = i; }); return at; };
  const ordered = ([rows, columns]) => ({ rows, columns, rowAt: inverse(rows), columnAt: inverse(columns) });
  const orders = { torn: ordered([same, same]), sorted: ordered(data.sorted), model: ordered(data.model) };
  let order = orders.torn;
  const view = { x: 0, y: 0, scale: 1 };
  let from = null, moved = 1;

  // Row and column under the pointer.
  let under = null;

  function draw() {
    const { g, w, h } = begin(canvas);
    paint(g, w, h, view, order);
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn || 0) + 1);
  }

  function paint(g, w, h, view, order) {
    const s = view.scale, px = c => (c - view.x) * s, py = r => (r - view.y) * s;
    if (under && moved === 1) {
      g.fillStyle = css("--under");
      g.fillRect(px(0), py(under.row), n * s, Math.max(1, s));
      g.fillRect(px(under.column), py(0), Math.max(1, s), n * s);
    }
    g.strokeStyle = css("--line");
    g.strokeRect(px(0) - 0.5, py(0) - 0.5, n * s + 1, n * s + 1);
    const color = colors();
    if (order !== orders.model && moved === 1) {
      for (const b of data.blocks) {
        if (b.size < 2) continue;
        g.globalAlpha = 0.15;
        g.fillStyle = g.strokeStyle = color[b.class];
        g.fillRect(px(b.start), py(b.start), b.size * s, b.size * s);
        g.globalAlpha = 1;
        g.strokeRect(px(b.start), py(b.start), b.size * s, b.size * s);
        if (order === orders.torn && b.torn && b.torn < b.size) {
          const inner = b.start + b.size - b.torn;
          g.strokeRect(px(inner), py(inner), b.torn * s, b.torn * s);
        }
      }
    }
    const cell = Math.max(1, s * 0.8), shift = (s - cell) / 2;
    const mixed = (a, b) => a + (b - a) * moved;
    for (let row = 0; row < n; row++) {
      const y = py(from ? mixed(from.rowAt[row], order.rowAt[row]) : order.rowAt[row]);
      if (y < -s || y > h) continue;
      g.fillStyle = color[data.blocks[blockOf[row]].class];
      for (const column of data.entries[row]) {
        const x = px(from ? mixed(from.columnAt[column], order.columnAt[column]) : order.columnAt[column]);
        if (x >= -s && x <= w) g.fillRect(x + shift, y + shift, cell, cell);
      }
    }
  }

  // All of the matrix in one order, for paper.
  function print(paper, name) {
    const side = paper.width;
    const g = paper.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, side, side);
    const scale = (side - 4) / Math.max(1, n);
    const before = under;
    under = null;
    paint(g, side, side, { x: -2 / scale, y: -2 / scale, scale }, orders[name]);
    under = before;
  }
  const redraw = lazily(draw);

  function fit() {
    const size = Math.min(canvas.clientWidth, canvas.clientHeight) - 20;
    view.scale = size / Math.max(1, n);
    view.x = -(canvas.clientWidth / view.scale - n) / 2;
    view.y = -(canvas.clientHeight / view.scale - n) / 2;
    redraw();
  }

  function point(p) {
    const row = p ? Math.floor(p.y / view.scale + view.y) : -1, column = p ? Math.floor(p.x / view.scale + view.x) : -1;
    const inside = row >= 0 && row < n && column >= 0 && column < n;
    if (!inside || !under || under.row !== row || under.column !== column) {
      under = inside ? { row, column } : null;
      redraw();
    }
    if (!inside) { tell(hint, canvas, p, null); return; }
    const r = order.rows[row], c = order.columns[column], b = data.blocks[blockOf[r]];
    tell(hint, canvas, p, [
      ["equation", cut(data.equations[r], 300)],
      ["", data.places[r]],
      ["unknown", data.unknowns[c] + (data.entries[r].includes(c) ? "" : " (not in this equation)")],
      ["", data.notes[c]],
      ["solved", (b.is_loop ? "in " + b.title + ", " + many(b.size, "equation") + " (" + b.kind + ")" : "for " + data.unknowns[r]) + WHEN[b.when]],
    ]);
  }

  // Entries wander from one order to the other, where that is not too much to draw and nobody minds.
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  function reorder(name, at_once) {
    const next = orders[name];
    if (next === order) return;
    from = order;
    order = next;
    if (at_once || still.matches || n > 3000) { from = null; redraw(); return; }
    const start = performance.now();
    const step = now => {
      moved = Math.min(1, Math.max(0, (now - start) / 500));
      draw();
      if (moved < 1) requestAnimationFrame(step); else { from = null; moved = 1; redraw(); }
    };
    requestAnimationFrame(step);
  }

  function show(b) {
    reorder("torn", true);
    view.scale = Math.min(40, (Math.min(canvas.clientWidth, canvas.clientHeight) - 40) / b.size);
    view.x = b.start + b.size / 2 - canvas.clientWidth / view.scale / 2;
    view.y = b.start + b.size / 2 - canvas.clientHeight / view.scale / 2;
    redraw();
    canvas.scrollIntoView({ block: "center" });
  }

  const limits = { most: 60, least: () => Math.min(0.05, 100 / Math.max(1, n)), home: fit };
  zoomable(canvas, view, limits, redraw, point);
  canvas.addEventListener("dblclick", fit);
  return { fit, print, redraw, reorder, show, view };
}
