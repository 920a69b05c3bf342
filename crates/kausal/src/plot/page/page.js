"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const time = new Float64Array(bytes(data.time));
  const columns = data.columns.map(c => ({ ...c, values: null }));
  const count = time.length;
  const first = count ? time[0] : 0;
  const last = count > 1 && time[count - 1] > first ? time[count - 1] : first + 1;

  // The view: the same stretch of time in all panels.
  const view = { from: first, to: last, cursor: null, select: null, events: true };
  // A panel: a unit and signals with their colours; when these are used up, dashed.
  const panels = [];
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  let color = 0, pointed = null;

  const MARGIN = { left: 84, right: 16, top: 6, bottom: 8, axis: 34 };

  function value(signal, i) {
    const c = columns[signal.column];
    if (!c.data) return signal.sign * c.low;
    if (!c.values) c.values = new Float32Array(bytes(c.data));
    return signal.sign * (c.low + c.range * c.values[i]);
  }

  // How far off a value may be, where an audit says so.
  const off = (signal, i) => signal.band === undefined ? 0 : value({ column: signal.band, sign: 1 }, i);

  function largestOff(signal) {
    let most = 0;
    for (let i = 0; i < count; i++) most = Math.max(most, off(signal, i));
    return most;
  }

  // The last place with an instant not after t.
  function place(t) {
    let a = 0, b = count;
    while (a < b) {
      const m = (a + b) >> 1;
      if (time[m] <= t) a = m + 1; else b = m;
    }
    return Math.max(0, a - 1);
  }

  // Units people read, by the unit they stand for: name, factor, offset.
  const UNITS = {
    K: [["degC", "°C", 1, -273.15]], rad: [["deg", "°", 180 / Math.PI, 0]], "rad/s": [["rpm", "rpm", 30 / Math.PI, 0], ["deg/s", "°/s", 180 / Math.PI, 0]],
    m: [["mm", "mm", 1e3, 0], ["km", "km", 1e-3, 0]], "m/s": [["km/h", "km/h", 3.6, 0]], s: [["ms", "ms", 1e3, 0], ["min", "min", 1 / 60, 0], ["h", "h", 1 / 3600, 0]],
    Pa: [["bar", "bar", 1e-5, 0], ["kPa", "kPa", 1e-3, 0]], W: [["kW", "kW", 1e-3, 0]], J: [["kJ", "kJ", 1e-3, 0], ["kWh", "kWh", 1 / 3.6e6, 0]],
    V: [["mV", "mV", 1e3, 0], ["kV", "kV", 1e-3, 0]], A: [["mA", "mA", 1e3, 0]], N: [["kN", "kN", 1e-3, 0]], "kg/s": [["kg/h", "kg/h", 3600, 0]], m3: [["l", "l", 1e3, 0]],
  };
  // What stays what it is; and what a panel shows its numbers in.
  const SAME = ["", "", 1, 0];
  const display = new Map();
  const inUnit = (unit, v) => { const u = display.get(unit) || SAME; return v * u[2] + u[3]; };
  // `N.m/s2` is written N·m/s².
  const written = unit => unit.replace(/\./g, "·").replace(/-?\d+/g, digits => digits.replace(/./g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]));
  const unitName = unit => (display.get(unit) || ["", written(unit)])[1];

  function valueAt(signal, t) {
    if (!count) return NaN;
    const i = place(t), j = Math.min(i + 1, count - 1);
    const u = value(signal, i), v = value(signal, j);
    const step = time[j] - time[i];
    return step > 0 ? u + (v - u) * Math.min(1, Math.max(0, (t - time[i]) / step)) : u;
  }

  function ticks(low, high, most) {
    const raw = (high - low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(raw));
    const steps = [0.5, 1, 2, 5, 10].map(f => f * power);
    const at = steps.findIndex(s => s >= raw * 0.999999);
    // One number alone says nothing about the scale.
    for (const step of [steps[at], steps[Math.max(0, at - 1)]]) {
      const list = [];
      for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(k * step);
      if (list.length > 1 || step === steps[Math.max(0, at - 1)]) return { list, step };
    }
  }

  function label(v, step) {
    if (Math.abs(v) < 1e-9 * step) return "0";
    const size = Math.abs(v);
    const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step))));
    if (size >= 1e6 || size < 1e-4 || digits > 6) {
      const more = Math.max(0, Math.min(12, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step))));
      return v.toExponential(more);
    }
    return v.toFixed(digits);
  }

  const short = v => Number.isFinite(v) ? String(Number(v.toPrecision(6))) : "–";

  function range(panel) {
    let low = Infinity, high = -Infinity;
    const a = place(view.from), b = Math.min(count - 1, place(view.to) + 1);
    for (const s of panel.signals) {
      for (let i = a; i <= b; i++) {
        const v = value(s.signal, i), e = off(s.signal, i);
        const [below, above] = [inUnit(panel.unit, v - e), inUnit(panel.unit, v + e)];
        if (below < low) low = below;
        if (above > high) high = above;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
      const pad = low === 0 ? 1 : 0.5 * Math.abs(low);
      [low, high] = [low - pad, high + pad];
    }
    const pad = 0.04 * (high - low);
    return [low - pad, high + pad];
  }

  // Colours that are too dark on a dark page.
  const BRIGHT = { "#0072b2": "#4aa3df", "#8a6d3b": "#c79f5f" };
  function ink(color) {
    return document.documentElement.dataset.theme === "dark" && BRIGHT[color] || color;
  }

  function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function draw(panel, isLast) {
    const canvas = panel.canvas, scale = printing ? 3 : window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const g = canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    const box = {
      left: MARGIN.left, right: width - MARGIN.right,
      top: MARGIN.top, bottom: height - (isLast ? MARGIN.axis : MARGIN.bottom),
    };
    const [low, high] = range(panel);
    const x = t => box.left + (t - view.from) / (view.to - view.from) * (box.right - box.left);
    const level = v => box.bottom - (v - low) / (high - low) * (box.bottom - box.top);
    const y = v => level(inUnit(panel.unit, v));
    g.font = "12px system-ui, sans-serif";
    g.lineWidth = 1;
    g.strokeStyle = css("--grid");
    g.fillStyle = css("--ink");
    const across = ticks(view.from, view.to, Math.max(2, (box.right - box.left) / 110));
    const up = ticks(low, high, Math.max(2, (box.bottom - box.top) / 45));
    g.beginPath();
    for (const t of across.list) { g.moveTo(x(t), box.top); g.lineTo(x(t), box.bottom); }
    for (const v of up.list) { g.moveTo(box.left, level(v)); g.lineTo(box.right, level(v)); }
    g.stroke();
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const v of up.list) g.fillText(label(v, up.step), box.left - 6, level(v));
    if (panel.unit) {
      g.save();
      g.translate(14, (box.top + box.bottom) / 2);
      g.rotate(-Math.PI / 2);
      g.textAlign = "center";
      g.fillText("[" + unitName(panel.unit) + "]", 0, 0);
      g.restore();
    }
    if (isLast) {
      g.textAlign = "center";
      g.textBaseline = "top";
      for (const t of across.list) {
        // The last number stays on the page.
        const text = label(t, across.step), half = g.measureText(text).width / 2;
        g.fillText(text, Math.min(x(t), width - half - 1), box.bottom + 4);
      }
      g.fillText(data.x_label, (box.left + box.right) / 2, box.bottom + 19);
    }
    g.save();
    g.beginPath();
    g.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    g.clip();
    if (view.events) marks(g, x, box);
    for (const s of panel.signals) band(g, s, x, y);
    for (const s of panel.signals) if (s !== pointed) curve(g, s, x, y, box);
    if (panel.signals.includes(pointed)) curve(g, pointed, x, y, box);
    if (view.cursor !== null) {
      g.strokeStyle = css("--soft");
      g.beginPath();
      g.moveTo(x(view.cursor), box.top);
      g.lineTo(x(view.cursor), box.bottom);
      g.stroke();
    }
    if (view.select) {
      g.fillStyle = css("--mark");
      g.fillRect(x(view.select[0]), box.top, x(view.select[1]) - x(view.select[0]), box.bottom - box.top);
    }
    g.restore();
    g.strokeStyle = css("--line");
    g.strokeRect(box.left + 0.5, box.top + 0.5, box.right - box.left - 1, box.bottom - box.top - 1);
    panel.box = box;
  }

  // Events in view: lines, or where those would hide the curves a strip along the upper edge, darker where there are more.
  function marks(g, x, box) {
    const places = data.events.filter(t => t >= view.from && t <= view.to).map(x);
    const counts = new Map();
    for (const px of places) counts.set(Math.floor(px), (counts.get(Math.floor(px)) || 0) + 1);
    if (counts.size > (box.right - box.left) / 12) {
      g.fillStyle = css("--soft");
      const most = Math.max(...counts.values());
      for (const [px, count] of counts) {
        g.globalAlpha = 0.35 + 0.65 * count / most;
        g.fillRect(px, box.top + 1, 1, 8);
      }
      g.globalAlpha = 1;
      return;
    }
    g.strokeStyle = css("--event");
    g.setLineDash([2, 3]);
    g.beginPath();
    for (const px of places) { g.moveTo(px, box.top); g.lineTo(px, box.bottom); }
    g.stroke();
    g.setLineDash([]);
  }

  // Where the true values are by the audit: along the upper edge and back along the lower one.
  function band(g, s, x, y) {
    if (s.signal.band === undefined) return;
    const a = place(view.from), b = Math.min(count - 1, place(view.to) + 1);
    g.fillStyle = ink(s.color);
    g.globalAlpha = 0.22;
    g.beginPath();
    for (let i = a; i <= b; i++) g.lineTo(x(time[i]), y(value(s.signal, i) + off(s.signal, i)));
    for (let i = b; i >= a; i--) g.lineTo(x(time[i]), y(value(s.signal, i) - off(s.signal, i)));
    g.fill();
    g.globalAlpha = 1;
  }

  function curve(g, s, x, y, box) {
    const a = place(view.from), b = Math.min(count - 1, place(view.to) + 1);
    g.strokeStyle = ink(s.color);
    g.lineWidth = s === pointed ? 3.4 : 1.7;
    g.globalAlpha = pointed && s !== pointed ? 0.35 : 1;
    g.setLineDash(s.dash);
    g.lineJoin = "round";
    g.beginPath();
    let pen = false;
    const point = (px, py) => { if (pen) g.lineTo(px, py); else g.moveTo(px, py); pen = true; };
    if (b - a <= 4 * (box.right - box.left)) {
      for (let i = a; i <= b; i++) {
        const v = value(s.signal, i);
        if (Number.isFinite(v)) point(x(time[i]), y(v)); else pen = false;
      }
    } else {
      // More points than pixels: first, lowest, highest and last of each column of pixels.
      for (let i = a; i <= b;) {
        const px = Math.floor(x(time[i]));
        let low = Infinity, high = -Infinity, entry = NaN, exit = NaN;
        for (; i <= b && Math.floor(x(time[i])) === px; i++) {
          const v = value(s.signal, i);
          if (!Number.isFinite(v)) continue;
          if (!Number.isFinite(entry)) entry = v;
          exit = v;
          if (v < low) low = v;
          if (v > high) high = v;
        }
        if (low <= high) for (const v of [entry, low, high, exit]) point(px, y(v)); else pen = false;
      }
    }
    g.stroke();
    g.lineWidth = 1;
    g.globalAlpha = 1;
    g.setLineDash([]);
  }

  // A piece of the line, dashed as it is.
  function piece(s) {
    const hue = ink(s.color);
    if (!s.dash.length) return hue;
    let at = 0;
    const stops = s.dash.map((length, k) => {
      const from = at;
      at += length;
      return (k % 2 ? "transparent " : hue + " ") + from + "px " + at + "px";
    });
    return "repeating-linear-gradient(90deg," + stops.join(",") + ")";
  }

  let asked = false, printing = false;
  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; drawAll(); });
  }

  function drawAll() {
    panels.forEach((p, i) => draw(p, i === panels.length - 1));
    for (const p of panels)
      for (const s of p.signals) {
        s.swatch.style.background = piece(s);
        s.readout.textContent = view.cursor === null ? "" : short(inUnit(p.unit, valueAt(s.signal, view.cursor)));
      }
    byId("readout").textContent = view.cursor === null ? "" : "t = " + short(view.cursor);
  }

  function shown(i) {
    return panels.some(p => p.signals.some(s => s.index === i));
  }

  function show(i) {
    const signal = data.signals[i];
    let panel = panels.find(p => p.unit === signal.unit);
    if (!panel) panel = addPanel(signal.unit);
    // Colours alone do not tell curves apart: neighbours in a panel have other dashes, too.
    const dash = DASHES[(panel.signals.length + Math.floor(color / data.colors.length)) % DASHES.length];
    panel.signals.push({ index: i, signal, color: data.colors[color % data.colors.length], dash });
    color++;
    legend(panel);
  }

  function hide(i) {
    pointed = null;
    for (const p of [...panels]) {
      p.signals = p.signals.filter(s => s.index !== i);
      if (p.signals.length) { legend(p); continue; }
      p.section.remove();
      panels.splice(panels.indexOf(p), 1);
    }
  }

  function toggle(i) {
    if (shown(i)) hide(i); else show(i);
    empty();
    list();
    redraw();
  }

  function empty() {
    const note = byId("panels").querySelector(".empty");
    if (panels.length) { if (note) note.remove(); return; }
    if (note) return;
    const p = document.createElement("p");
    p.className = "empty";
    p.textContent = "Choose variables on the left.";
    byId("panels").append(p);
  }

  function addPanel(unit) {
    const section = document.createElement("section");
    section.className = "panel";
    const names = document.createElement("div");
    names.className = "legend";
    const canvas = document.createElement("canvas");
    const area = document.createElement("div");
    area.className = "area";
    area.append(canvas);
    section.append(names, area);
    byId("panels").append(section);
    const panel = { unit, signals: [], section, names, canvas, box: null };
    panels.push(panel);
    listen(panel);
    sizes.observe(canvas);
    return panel;
  }

  // Which unit the numbers of a panel are in.
  function unitChoice(panel) {
    if (!UNITS[panel.unit]) return [];
    const box = document.createElement("select");
    box.className = "units";
    box.setAttribute("aria-label", "Unit of the plot");
    for (const [code, name] of [[panel.unit, written(panel.unit)], ...UNITS[panel.unit]]) box.add(new Option(name, code));
    box.value = (display.get(panel.unit) || [panel.unit])[0];
    box.onchange = () => {
      const u = UNITS[panel.unit].find(u => u[0] === box.value);
      if (u) display.set(panel.unit, u); else display.delete(panel.unit);
      legend(panel);
      list();
      redraw();
    };
    return [box];
  }

  function legend(panel) {
    panel.names.replaceChildren(...unitChoice(panel), ...panel.signals.map(s => {
      const item = document.createElement("span");
      const swatch = document.createElement("i");
      s.swatch = swatch;
      const name = document.createElement("span");
      const error = s.signal.band === undefined ? "" : " ± " + largestOff(s.signal).toExponential(1);
      name.textContent = s.signal.name + error + (s.signal.unit ? " [" + unitName(s.signal.unit) + "]" : "");
      name.title = s.signal.about;
      s.readout = document.createElement("b");
      const away = document.createElement("button");
      away.textContent = "×";
      away.title = "Take away";
      away.onclick = () => toggle(s.index);
      item.append(swatch, name, s.readout, away);
      item.onmouseenter = () => { pointed = s; redraw(); };
      item.onmouseleave = () => { pointed = null; redraw(); };
      return item;
    }));
  }

  // Zooms to a stretch of time, within what there is.
  function zoom(from, to) {
    const smallest = (last - first) * 1e-9;
    if (to - from < smallest) return;
    const width = Math.min(to - from, last - first);
    view.from = Math.min(Math.max(from, first), last - width);
    view.to = view.from + width;
    redraw();
  }

  function around(t, factor) {
    zoom(t - (t - view.from) * factor, t + (view.to - t) * factor);
  }

  function listen(panel) {
    const canvas = panel.canvas;
    const instant = e => {
      const b = panel.box, r = canvas.getBoundingClientRect();
      if (!b) return view.from;
      const u = (e.clientX - r.left - b.left) / (b.right - b.left);
      return view.from + Math.min(1, Math.max(0, u)) * (view.to - view.from);
    };
    let drag = null;
    canvas.addEventListener("pointerdown", e => {
      if (e.button) return;
      canvas.setPointerCapture(e.pointerId);
      drag = { x: e.clientX, t: instant(e), from: view.from, to: view.to, move: e.shiftKey };
    });
    canvas.addEventListener("pointermove", e => {
      view.cursor = instant(e);
      if (drag && drag.move) {
        const b = panel.box;
        const shift = (e.clientX - drag.x) / (b.right - b.left) * (drag.to - drag.from);
        zoom(drag.from - shift, drag.to - shift);
      } else if (drag) {
        view.select = [Math.min(drag.t, view.cursor), Math.max(drag.t, view.cursor)];
      }
      redraw();
    });
    const end = e => {
      const done = drag;
      drag = null;
      const select = view.select;
      view.select = null;
      if (done && !done.move && select && Math.abs(e.clientX - done.x) > 4) zoom(select[0], select[1]);
      redraw();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", () => { drag = null; view.select = null; redraw(); });
    canvas.addEventListener("pointerleave", () => { view.cursor = null; redraw(); });
    canvas.addEventListener("dblclick", () => zoom(first, last));
    canvas.addEventListener("wheel", e => {
      e.preventDefault();
      around(instant(e), Math.exp(Math.sign(e.deltaY) * 0.2));
    }, { passive: false });
  }

  // The variables as a tree of their names: signals, or parameters with their values. Only rows in view are in the page.
  const ROW = 24;
  const isParameter = s => !columns[s.column].data;
  const open = new Set();
  let kind = "signals", rows = [], focus = "";

  function matcher() {
    const text = byId("search").value.trim().toLowerCase();
    if (/[*?]/.test(text)) {
      const glob = new RegExp("^" + text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".") + "$");
      return s => glob.test(s.name.toLowerCase());
    }
    const words = text.split(/\s+/).filter(Boolean);
    return s => { const all = (s.name + " " + s.about + " " + s.unit).toLowerCase(); return words.every(w => all.includes(w)); };
  }

  // The parts of a name; dots in brackets do not count. A derivative stands beside what it is of.
  function parts(name) {
    const inner = /^der\((.*)\)$/.exec(name);
    const out = (inner ? inner[1] : name).match(/(?:'[^']*'|\[[^\]]*\]|[^.'[])+/g) || [name];
    if (inner) out[out.length - 1] = "der(" + out[out.length - 1] + ")";
    return out;
  }

  function tree() {
    const matches = matcher(), root = { inner: new Map(), index: -1 };
    data.signals.forEach((s, i) => {
      if (isParameter(s) !== (kind === "parameters") || !matches(s)) return;
      let at = root;
      for (const part of parts(s.name)) {
        let next = at.inner.get(part);
        if (!next) at.inner.set(part, next = { inner: new Map(), index: -1 });
        at = next;
      }
      at.index = i;
    });
    return root;
  }

  function list() {
    const all = byId("search").value.trim() !== "";
    rows = [];
    const add = (node, path, depth) => {
      for (const [name, inner] of node.inner) {
        const full = path ? path + "." + name : name, deep = inner.inner.size > 0;
        const isOpen = deep && (all || open.has(full));
        rows.push({ name, path: full, depth, index: inner.index, deep, isOpen });
        if (isOpen) add(inner, full, depth + 1);
      }
    };
    add(tree(), "", 0);
    draw_rows();
  }

  function draw_rows() {
    const host = byId("list"), top = Math.max(0, Math.floor(host.scrollTop / ROW) - 5);
    const seen = rows.slice(top, top + Math.ceil((host.clientHeight || 600) / ROW) + 10);
    const space = h => { const e = document.createElement("div"); e.style.height = h + "px"; return e; };
    const items = seen.map(r => {
      const row = document.createElement("div"), s = data.signals[r.index];
      row.className = "row" + (r.path === focus ? " on" : "");
      row.style.paddingLeft = 4 + 14 * r.depth + "px";
      row.setAttribute("role", "treeitem");
      row.setAttribute("aria-level", r.depth + 1);
      if (r.deep) row.setAttribute("aria-expanded", r.isOpen);
      const twist = document.createElement("span");
      twist.className = "twist";
      twist.textContent = r.deep ? (r.isOpen ? "▾" : "▸") : "";
      const name = document.createElement("span");
      name.className = "name";
      name.textContent = r.name;
      row.append(twist);
      if (s) {
        row.title = s.name + (s.about ? "\n" + s.about : "");
        if (kind === "signals") {
          const box = document.createElement("input");
          box.type = "checkbox";
          box.tabIndex = -1;
          box.checked = shown(r.index);
          box.setAttribute("aria-label", s.name);
          box.onclick = e => e.stopPropagation();
          box.onchange = () => toggle(r.index);
          row.append(box);
        }
        row.append(name);
        if (kind === "parameters") {
          const number = document.createElement("span");
          number.className = "number";
          number.textContent = short(inUnit(s.unit, value(s, 0)));
          row.append(number);
        }
        const unit = document.createElement("span");
        unit.className = "unit";
        unit.textContent = s.unit ? "[" + unitName(s.unit) + "]" : "";
        row.append(unit);
      } else row.append(name);
      row.onclick = () => { focus = r.path; act(r); };
      return row;
    });
    if (data.omitted) {
      const note = document.createElement("div");
      note.className = "more";
      note.textContent = data.omitted + " are not in this page: choose fewer with --variables";
      items.push(note);
    }
    host.replaceChildren(space(top * ROW), ...items, space(Math.max(0, rows.length - top - seen.length) * ROW));
  }

  // Opens or closes a branch, or shows a signal.
  function act(row) {
    if (row.deep) {
      if (open.has(row.path)) open.delete(row.path); else open.add(row.path);
      list();
    } else if (row.index >= 0 && kind === "signals") toggle(row.index);
    else draw_rows();
  }

  byId("list").addEventListener("scroll", draw_rows);
  byId("list").addEventListener("keydown", e => {
    const at = rows.findIndex(r => r.path === focus), row = rows[at];
    const go = i => {
      const next = rows[Math.min(Math.max(i, 0), rows.length - 1)];
      if (!next) return;
      focus = next.path;
      const host = byId("list"), y = rows.indexOf(next) * ROW;
      if (y < host.scrollTop) host.scrollTop = y;
      else if (y + ROW > host.scrollTop + host.clientHeight) host.scrollTop = y + ROW - host.clientHeight;
      draw_rows();
    };
    const keys = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(rows.length - 1),
      ArrowRight: () => { if (row && row.deep && !row.isOpen) act(row); else go(at + 1); },
      ArrowLeft: () => { if (row && row.isOpen) act(row); else if (row) go(rows.findLastIndex((r, i) => i < at && r.depth < row.depth)); },
      Enter: () => row && act(row), " ": () => row && act(row),
    };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  for (const name of ["signals", "parameters"]) {
    byId("kind-" + name).onclick = () => {
      kind = name;
      for (const other of ["signals", "parameters"]) byId("kind-" + other).setAttribute("aria-selected", other === name);
      byId("list").scrollTop = 0;
      list();
    };
  }
  byId("side").onclick = () => {
    const hidden = byId("nav").classList.toggle("hidden");
    byId("side").setAttribute("aria-expanded", !hidden);
    redraw();
  };
  // A narrow window begins with the curves; there the variables lie over them.
  if (window.matchMedia("(max-width: 700px)").matches) byId("side").click();

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  function theme() {
    document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
    redraw();
  }
  dark.addEventListener("change", theme);
  byId("theme").onclick = () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    theme();
  };
  // Paper has its own width: the panels are drawn for it before it is asked for.
  const paper = on => { printing = on; document.body.classList.toggle("printing", on); };
  window.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    view.cursor = null;
    paper(true);
    drawAll();
  });
  window.addEventListener("afterprint", () => { paper(false); theme(); });

  byId("reset").onclick = () => zoom(first, last);
  byId("event-count").textContent = data.events.length === 1 ? "1 event" : data.events.length + " events";
  byId("events").disabled = !data.events.length;
  byId("events").onchange = e => { view.events = e.target.checked; redraw(); };
  byId("search").oninput = list;
  byId("panels").addEventListener("keydown", e => {
    const middle = (view.from + view.to) / 2, step = (view.to - view.from) / 4;
    const keys = {
      "+": () => around(middle, 0.5), "=": () => around(middle, 0.5), "-": () => around(middle, 2),
      "0": () => zoom(first, last),
      ArrowLeft: () => zoom(view.from - step, view.to - step),
      ArrowRight: () => zoom(view.from + step, view.to + step),
    };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });

  const sizes = new ResizeObserver(redraw);
  data.panels.flat().forEach(show);
  // What is shown is found in the tree; a small result is open as a whole.
  for (const i of data.signals.length <= 60 ? data.signals.keys() : data.panels.flat()) {
    const path = parts(data.signals[i].name);
    for (let k = 1; k < path.length; k++) open.add(path.slice(0, k).join("."));
  }
  empty();
  list();
  theme();
})();
