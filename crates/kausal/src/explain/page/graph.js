// The graph of the blocks: each stands to the right of those it needs. Names are written from this scale on; a graph that
// has no room for them tells nothing, and is left out.
const READABLE = 0.55;
function blockGraph(data, canvas, hint, chosen) {
  const blocks = data.blocks;
  const blockOf = [];
  blocks.forEach((b, k) => { for (let i = 0; i < b.size; i++) blockOf[b.start + i] = k; });
  // Whom each needs, who needs it.
  const needs = blocks.map(() => []), serves = blocks.map(() => []);
  blocks.forEach((b, k) => {
    const seen = new Set();
    for (let row = b.start; row < b.start + b.size; row++)
      for (const column of data.entries[row]) {
        const other = blockOf[column];
        if (other !== k && !seen.has(other)) { seen.add(other); needs[k].push(other); serves[other].push(k); }
      }
  });
  const level = new Int32Array(blocks.length);
  // Blocks stand in an order in which everything needed comes first.
  blocks.forEach((_, k) => { for (const other of needs[k]) level[k] = Math.max(level[k], level[other] + 1); });
  // What needs nothing stands just before who needs it, so that lines are short.
  for (let k = blocks.length - 1; k >= 0; k--)
    if (!needs[k].length && serves[k].length) level[k] = Math.max(0, Math.min(...serves[k].map(o => level[o])) - 1);
  const columns = [];
  blocks.forEach((_, k) => { (columns[level[k]] = columns[level[k]] || []).push(k); });
  const y = new Float64Array(blocks.length);
  const settle = () => columns.forEach(list => list.forEach((k, i) => { y[k] = (i - (list.length - 1) / 2) * 26; }));
  settle();
  // Each stands near the middle of its neighbours: a few sweeps there and back.
  for (let sweep = 0; sweep < 4; sweep++) {
    const sides = sweep % 2 ? serves : needs;
    const middle = k => sides[k].length ? sides[k].reduce((sum, o) => sum + y[o], 0) / sides[k].length : y[k];
    for (const list of columns) {
      const at = new Map(list.map(k => [k, middle(k)]));
      list.sort((a, b) => at.get(a) - at.get(b) || a - b);
    }
    settle();
  }
  // As wide as the frame, for its height; the frame is as high as the names need, up to a screen.
  const tallest = Math.max(1, ...columns.map(list => list ? list.length : 0)) * 26;
  canvas.parentElement.style.height = Math.round(Math.min(Math.max(tallest * READABLE + 60, 380), 900)) + "px";
  const STEP = Math.max(90, tallest * canvas.clientWidth / Math.max(1, canvas.clientHeight) / Math.max(1, columns.length));
  const x = k => level[k] * STEP;
  const radius = b => b.is_loop ? Math.min(12, 5 + Math.log2(b.size + 1)) : 4;
  const view = { x: 0, y: 0, scale: 1 };
  let marked = -1;

  function draw() {
    if (!canvas.clientWidth) return;
    const { g, w, h } = begin(canvas);
    const s = view.scale, px = k => (x(k) - view.x) * s, py = k => (y[k] - view.y) * s;
    const inside = k => px(k) > -40 && px(k) < w + 40 && py(k) > -40 && py(k) < h + 40;
    const lines = (pairs, style, alpha) => {
      g.strokeStyle = style;
      g.globalAlpha = alpha;
      g.beginPath();
      for (const [a, b] of pairs) {
        const x1 = px(a), y1 = py(a), x2 = px(b), y2 = py(b);
        if ((x1 < 0 && x2 < 0) || (x1 > w && x2 > w) || (y1 < 0 && y2 < 0) || (y1 > h && y2 > h)) continue;
        g.moveTo(x1, y1);
        g.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
      }
      g.stroke();
      g.globalAlpha = 1;
    };
    const all = [];
    needs.forEach((list, k) => { for (const other of list) all.push([other, k]); });
    lines(all, css("--soft"), all.length > 3000 ? 0.12 : 0.35);
    if (marked >= 0) {
      g.lineWidth = 2;
      lines([...needs[marked].map(o => [o, marked]), ...serves[marked].map(o => [marked, o])], css("--ink"), 1);
      g.lineWidth = 1;
    }
    const color = colors();
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "center";
    blocks.forEach((b, k) => {
      if (!inside(k)) return;
      const r = Math.max(1.2, radius(b) * Math.min(1.4, s));
      g.fillStyle = color[b.class];
      g.beginPath();
      g.arc(px(k), py(k), r, 0, 2 * Math.PI);
      g.fill();
      if (k === marked) { g.strokeStyle = css("--ink"); g.stroke(); }
      if (s >= READABLE) {
        g.fillStyle = css("--ink");
        const name = b.is_loop ? b.title + " (" + b.size + ")" : data.unknowns[b.start];
        const most = Math.max(6, Math.min(22, Math.floor(STEP * s / 6.5)));
        g.fillText(name.length > most ? "…" + name.slice(1 - most) : name, px(k), py(k) - r - 3);
      }
    });
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn || 0) + 1);
  }
  const redraw = lazily(draw);

  function fit() {
    if (!canvas.clientWidth) return;
    const w = Math.max(1, columns.length - 1) * STEP, h = tallest;
    view.scale = Math.min(1.4, (canvas.clientWidth - 60) / w, (canvas.clientHeight - 60) / h);
    view.x = w / 2 - canvas.clientWidth / view.scale / 2;
    view.y = -canvas.clientHeight / view.scale / 2;
    redraw();
  }

  function point(p) {
    let best = -1, nearest = 14 * 14;
    if (p) blocks.forEach((b, k) => {
      const dx = (x(k) - view.x) * view.scale - p.x, dy = (y[k] - view.y) * view.scale - p.y, d = dx * dx + dy * dy;
      if (d < nearest) { nearest = d; best = k; }
    });
    if (best !== marked) { marked = best; redraw(); }
    if (best < 0) { tell(hint, canvas, p, null); return; }
    const b = blocks[best];
    const names = data.unknowns.slice(b.start, b.start + Math.min(b.size, 8)).join(", ") + (b.size > 8 ? " and " + (b.size - 8) + " more" : "");
    tell(hint, canvas, p, [
      b.is_loop ? [b.title, many(b.size, "equation") + ", " + b.kind + "; " + b.how] : ["equation", cut(data.equations[b.start], 300)],
      ["", b.is_loop ? "" : data.places[b.start]],
      ["solved", "for " + names + WHEN[b.when]],
      ["", b.is_loop ? "" : data.notes[b.start]],
      ["needs", many(needs[best].length, "block") + "; is needed by " + serves[best].length],
    ]);
  }

  zoomable(canvas, view, { most: 6, least: () => 0.005, home: fit }, redraw, point);
  canvas.addEventListener("dblclick", fit);
  canvas.addEventListener("click", () => { if (marked >= 0 && !canvas.dragged) chosen(blocks[marked]); });
  const room = () => Math.min((canvas.clientWidth - 60) / (Math.max(1, columns.length - 1) * 90), (canvas.clientHeight - 60) / tallest);
  return { fit, redraw, view, readable: () => room() >= READABLE, edges: needs.reduce((sum, list) => sum + list.length, 0), levels: columns.length };
}
