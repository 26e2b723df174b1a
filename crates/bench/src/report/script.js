(() => {
  "use strict";
  const W = 600, H = 380, LEFT = 62, TOP = 42, BOTTOM = 56, LINE = 15.5, LETTER = 7.1;
  const ROW = 25, STACKED = 40, ROWS_TOP = 14, ROWS_RIGHT = 28, AXIS = 52, KEY = 20, NEAR = 9, ASIDE = [0, -6.5, 6.5, -3.2, 3.2];
  const DASHES = ["", "7 4", "2 3", "10 3 2 3"];
  const PER = { ns: 1e-9, nanoseconds: 1e-9, "µs": 1e-6, "μs": 1e-6, us: 1e-6, microseconds: 1e-6, ms: 1e-3, milliseconds: 1e-3, s: 1, seconds: 1 };
  const root = document.documentElement;
  const plots = JSON.parse(document.getElementById("plots").textContent);

  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
  const element = (name, classes, text) => {
    const made = document.createElement(name);
    if (classes) { made.className = classes; }
    if (text !== undefined) { made.textContent = text; }
    return made;
  };

  // Numbers, as the program that wrote this page prints them.
  const significant = (x, digits) => {
    if (x === 0) { return "0"; }
    const places = Math.min(18, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(x)))));
    const text = x.toFixed(places);
    return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  };
  const duration = (s) => {
    const size = Math.abs(s);
    if (size === 0) { return "0"; }
    const [value, unit] = size < 0.9995e-6 ? [s * 1e9, "ns"] : size < 0.9995e-3 ? [s * 1e6, "µs"] : size < 0.9995 ? [s * 1e3, "ms"] : [s, "s"];
    return significant(value, 3) + " " + unit;
  };
  const short = (x) => {
    const size = Math.abs(x);
    if (size >= 0.9995e9) { return significant(x / 1e9, 3) + " G"; }
    if (size >= 0.9995e6) { return significant(x / 1e6, 3) + " M"; }
    if (size >= 0.9995e4) { return significant(x / 1e3, 3) + " k"; }
    if (size >= 1e-3 || x === 0) { return significant(x, 4); }
    return x.toExponential(0);
  };
  const mark = (x, axis) => (PER[axis.unit] ? duration(x * PER[axis.unit]) : short(x));
  const exact = (x, axis) => (PER[axis.unit] ? duration(x * PER[axis.unit]) : significant(x, 5) + (axis.unit ? " " + axis.unit : ""));
  const clipped = (text, length) => (Array.from(text).length <= length ? text : Array.from(text).slice(0, length - 1).join("") + "…");

  const linear = (low, high) => {
    const rough = (high - low) / 5;
    const unit = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 2.5, 5, 10].map((f) => f * unit).find((s) => s >= rough * 0.999) || 10 * unit;
    const marks = [];
    for (let k = Math.ceil(low / step); k <= Math.floor(high / step) && marks.length < 21; k += 1) { marks.push(k * step); }
    return marks;
  };

  // An axis: from values to places and back.
  const scale = (values, wantsLog, from, to, atZero, fixed) => {
    const log = wantsLog && values.some((x) => x > 0);
    let low = Infinity, high = -Infinity;
    for (const x of values) {
      if (Number.isFinite(x) && (!log || x > 0)) { low = Math.min(low, x); high = Math.max(high, x); }
    }
    if (low > high) { low = 0; high = 1; }
    if (fixed && (!log || fixed[0] > 0)) {
      [low, high] = fixed;
    } else if (log) {
      const pad = Math.max(1.15, Math.pow(high / low, 0.05));
      low /= pad;
      high *= pad;
    } else {
      if (atZero) { low = Math.min(low, 0); high = Math.max(high, 0); }
      if (low === high) { const size = low === 0 ? 1 : 0.5 * Math.abs(low); low -= size; high += size; }
      const pad = 0.05 * (high - low);
      low = low === 0 && atZero ? 0 : low - pad;
      high = high === 0 && atZero ? 0 : high + pad;
    }
    const place = (x) => {
      if (!Number.isFinite(x) || (log && x <= 0)) { return null; }
      const part = log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
      return from + part * (to - from);
    };
    const value = (at) => {
      const part = (at - from) / (to - from);
      return log ? low * Math.pow(high / low, part) : low + part * (high - low);
    };
    const ticks = () => {
      if (!log) { return { labelled: linear(low, high), fine: [] }; }
      const all = (factors) => {
        const found = [];
        for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
          for (const f of factors) { const x = f * Math.pow(10, e); if (x >= low && x <= high) { found.push(x); } }
        }
        return found;
      };
      const whole = all([1]);
      if (whole.length >= 3) {
        const step = Math.ceil(whole.length / 7);
        return { labelled: whole.filter((_, k) => k % step === 0), fine: step > 1 || whole.length > 5 ? whole : all([2, 3, 4, 5, 6, 7, 8, 9]) };
      }
      const halves = all([1, 2, 5]);
      return { labelled: halves.length >= 3 ? halves : linear(low, high), fine: [] };
    };
    return { place, value, ticks, log };
  };

  const spaced = (wanted, top, bottom) => {
    const step = Math.min(LINE, (bottom - top) / Math.max(1, wanted.length));
    const places = [];
    for (const want of wanted) { places.push(Math.max(want, places.length ? places[places.length - 1] + step : top)); }
    let most = bottom;
    for (let k = places.length - 1; k >= 0; k -= 1) { places[k] = Math.min(places[k], most); most = places[k] - step; }
    return places;
  };

  // Marks that are not on top of each other; the others are fine ones.
  const thinned = ({ labelled, fine }, room) => {
    let kept = labelled;
    while (kept.length > 2 && room / kept.length < 52) { kept = kept.filter((_, k) => k % 2 === 0); }
    return { labelled: kept, fine: kept.length < labelled.length ? labelled : fine };
  };

  // How large a figure is: letters stay about as large as those of the page, and where there is no room, lines have no names at their ends.
  const measure = (view) => {
    const narrow = view.wide < 430;
    view.w = Math.round(Math.min(760, Math.max(360, 1.12 * view.wide)));
    view.h = narrow ? 300 : H;
    view.letters = Math.min(24, Math.floor((0.33 * view.w - 30) / LETTER));
    const longest = Math.max(0, ...view.plot.series.filter((s) => !s.quiet).map((s) => Math.min(view.letters, Array.from(s.name).length)));
    view.margin = narrow ? 18 : 30 + LETTER * longest;
    view.named = !narrow;
  };

  const classes = (s) => `s${s.colour}${s.ours ? " ours" : ""}${s.published ? " pub" : ""}${s.quiet ? " quiet" : ""}`;
  const symbol = (s, x, y) => (s.mark
    ? `<path class="ask" d="M${x.toFixed(1)} ${(y - 9).toFixed(1)}v18"/>`
    : `<circle class="dot" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${s.ours ? 5.4 : 4.4}"/>`);

  // A row for each name, dots for each series; the key is for figures that leave the page.
  const drawRows = (view, key) => {
    const { plot, svg, hidden, zoom, w } = view;
    const rows = plot.rows, right = w - ROWS_RIGHT, f = (v) => v.toFixed(1);
    let left = 24 + LETTER * Math.max(0, ...rows.map((r) => Array.from(r).length));
    const stacked = left > 0.5 * w, step = stacked ? STACKED : ROW;
    if (stacked) { left = 16; }
    const bottom = ROWS_TOP + rows.length * step;
    const middle = (k) => ROWS_TOP + (k + (stacked ? 0.7 : 0.5)) * step;
    const shown = plot.series.map((_, k) => k).filter((k) => !hidden.has(k));
    const y = view.y = scale(shown.flatMap((k) => plot.series[k].points.map((p) => p[1])), view.ylog, left, right, true, zoom && zoom.y);
    view.left = left;
    view.right = right;
    view.top = ROWS_TOP;
    view.bottom = bottom;
    const out = [`<title>${escape(plot.title)}</title>`];
    const marks = thinned(y.ticks(), right - left);
    for (const v of marks.fine) { out.push(`<path class="hair" d="M${f(y.place(v))} ${ROWS_TOP}V${bottom}"/>`); }
    for (const v of marks.labelled) {
      const at = y.place(v);
      // Where a gain becomes a loss.
      const kind = v === 1 && plot.y.label.includes("below 1") ? "axis" : "grid";
      out.push(`<path class="${kind}" d="M${f(at)} ${ROWS_TOP}V${bottom}"/><text class="tick" x="${f(at)}" y="${bottom + 18}" text-anchor="middle">${escape(mark(v, plot.y))}</text>`);
    }
    out.push(`<path class="axis" d="M${f(left)} ${bottom}H${right}"/><text class="name" x="${right}" y="${bottom + 40}" text-anchor="end">${escape(clipped(plot.y.label, Math.floor(w / 6.8)))}</text>`);
    rows.forEach((row, k) => {
      const at = middle(k);
      out.push(`<path class="row" d="M${f(left)} ${f(at)}H${right}"/>`);
      out.push(stacked
        ? `<text class="of" x="${f(left)}" y="${f(at - 13)}">${escape(clipped(row, Math.floor((w - 20) / 6.8)))}<title>${escape(row)}</title></text>`
        : `<text class="of" x="${f(left - 12)}" y="${f(at + 4)}" text-anchor="end">${escape(row)}</text>`);
    });
    out.push(`<clipPath id="${view.clip}"><rect x="${f(left - 6)}" y="0" width="${f(right - left + 12)}" height="${bottom}"/></clipPath><g clip-path="url(#${view.clip})">`);
    view.dots = [];
    const taken = rows.map(() => []);
    // Ours takes the middle of a row, and is drawn last, on top of the others.
    const order = shown.slice().sort((a, b) => plot.series[a].ours - plot.series[b].ours || a - b);
    const drawn = order.slice().reverse().map((k) => {
      const s = plot.series[k];
      const dots = [];
      s.points.forEach((p, i) => {
        const row = rows.indexOf(s.names[i]), at = y.place(p[1]);
        if (row < 0 || at === null) { return; }
        let aside = 0;
        if (!s.mark) {
          aside = ASIDE[taken[row].filter((x) => Math.abs(x - at) < NEAR).length % ASIDE.length];
          taken[row].push(at);
        }
        const high = middle(row) + aside;
        dots.push(symbol(s, at, high));
        if (at >= left - 6 && at <= right + 6) { view.dots.push({ at, high, k, i, row }); }
      });
      return `<g data-k="${k}" class="${classes(s)}">${dots.join("")}</g>`;
    });
    out.push(drawn.reverse().join(""), "</g>");
    let x = 14, line = 0;
    if (key) {
      for (const k of shown) {
        const s = plot.series[k], long = 34 + LETTER * Array.from(s.name).length;
        if (x + long > w && x > 14) { x = 14; line += 1; }
        const up = bottom + AXIS + 14 + KEY * line;
        out.push(`<g class="${classes(s)}">${symbol(s, x + 5, up - 4)}<text class="key" x="${f(x + 15)}" y="${up}">${escape(s.name)}</text></g>`);
        x += long;
      }
    }
    view.h = bottom + AXIS + (key ? KEY * (line + 1) + 6 : 0);
    svg.setAttribute("viewBox", `0 0 ${w} ${view.h}`);
    svg.innerHTML = out.join("");
  };

  const drawLines = (view) => {
    const { plot, svg, hidden, zoom, w, h } = view;
    const right = w - view.margin, bottom = h - BOTTOM;
    Object.assign(view, { left: LEFT, right, top: TOP, bottom });
    const shown = plot.series.filter((_, k) => !hidden.has(k));
    const xs = shown.flatMap((s) => s.points.map((p) => p[0]));
    const ys = shown.flatMap((s) => s.points.map((p) => p[1]).concat(s.spread.flat()));
    const x = view.x = scale(xs, view.xlog, LEFT, right, false, zoom && zoom.x);
    const y = view.y = scale(ys, view.ylog, bottom, TOP, true, zoom && zoom.y);
    const out = [`<title>${escape(plot.title)}</title>`];
    const f = (v) => v.toFixed(1);
    const up = y.ticks();
    for (const v of up.fine) { out.push(`<path class="hair" d="M${LEFT} ${f(y.place(v))}H${f(right)}"/>`); }
    for (const v of up.labelled) {
      const at = y.place(v);
      out.push(`<path class="grid" d="M${LEFT} ${f(at)}H${f(right)}"/><text class="tick" x="${LEFT - 8}" y="${f(at + 4)}" text-anchor="end">${escape(mark(v, plot.y))}</text>`);
    }
    out.push(`<path class="axis" d="M${LEFT} ${bottom}H${f(right)}"/>`);
    for (const v of thinned(x.ticks(), right - LEFT).labelled) {
      const at = x.place(v);
      out.push(`<path class="axis" d="M${f(at)} ${bottom}v5"/><text class="tick" x="${f(at)}" y="${bottom + 19}" text-anchor="middle">${escape(mark(v, plot.x))}</text>`);
    }
    out.push(`<text class="name" x="14" y="${TOP - 18}">${escape(clipped(plot.y.label, Math.floor(w / 7)))}</text>`);
    out.push(`<text class="name" x="${f((LEFT + right) / 2)}" y="${bottom + 43}" text-anchor="middle">${escape(clipped(plot.x.label, Math.floor(w / 7)))}</text>`);
    out.push(`<clipPath id="${view.clip}"><rect x="${LEFT - 4}" y="${TOP - 4}" width="${f(right - LEFT + 8)}" height="${bottom - TOP + 8}"/></clipPath><g clip-path="url(#${view.clip})">`);
    view.dots = [];
    const names = [];
    const rank = (s) => (s.quiet ? 0 : s.ours ? 2 : 1);
    const order = plot.series.map((_, k) => k).filter((k) => !hidden.has(k)).sort((a, b) => rank(plot.series[a]) - rank(plot.series[b]) || a - b);
    for (const k of order) {
      const s = plot.series[k];
      const placed = [];
      s.points.forEach((p, i) => {
        const at = x.place(p[0]), high = y.place(p[1]);
        if (at === null || high === null) { return; }
        let spread = null;
        if (s.spread[i]) {
          const low = y.place(s.spread[i][0]), top = y.place(s.spread[i][1]);
          spread = top === null ? null : [low === null ? high : low, top];
        }
        placed.push({ at, high, spread, k, i });
      });
      if (!placed.length) { continue; }
      out.push(`<g data-k="${k}" class="${classes(s)}">`);
      if (s.scatter) {
        for (const d of placed) { if (d.spread) { out.push(`<path class="err" d="M${f(d.at)} ${f(d.spread[0])}V${f(d.spread[1])}"/>`); } }
      } else {
        const band = s.quiet ? [] : placed.filter((d) => d.spread);
        if (band.length > 1) {
          out.push(`<path class="band" d="M${band.map((d) => f(d.at) + " " + f(d.spread[1])).join("L")}L${band.slice().reverse().map((d) => f(d.at) + " " + f(d.spread[0])).join("L")}Z"/>`);
        }
        if (placed.length > 1) {
          const dash = s.published ? "2 4" : DASHES[s.dash % DASHES.length];
          out.push(`<path class="ln" d="M${placed.map((d) => f(d.at) + " " + f(d.high)).join("L")}"${dash ? ` stroke-dasharray="${dash}"` : ""}/>`);
        }
      }
      if (s.scatter || (placed.length <= 40 && !s.quiet)) {
        for (const d of placed) { out.push(`<circle class="dot" cx="${f(d.at)}" cy="${f(d.high)}" r="${s.scatter ? 3.8 : 2.8}"/>`); }
      }
      out.push("</g>");
      const seen = placed.filter((d) => d.at >= LEFT - 1 && d.at <= right + 1 && d.high >= TOP - 1 && d.high <= bottom + 1);
      view.dots.push(...seen);
      if (seen.length && view.named && !s.quiet) { names.push({ end: seen.reduce((a, b) => (b.at >= a.at ? b : a)), k }); }
    }
    out.push("</g>");
    names.sort((a, b) => a.end.high - b.end.high || a.k - b.k);
    // A line that ends early has its name in the picture.
    const early = ({ end, k }) => !plot.series[k].scatter && end.at + 26 + LETTER * Math.min(view.letters, Array.from(plot.series[k].name).length) < right;
    const groups = [names.filter((n) => !early(n))];
    for (const name of names.filter(early).sort((a, b) => a.end.at - b.end.at)) {
      const last = groups[groups.length - 1];
      if (groups.length > 1 && Math.abs(last[0].end.at - name.end.at) <= 1) { last.push(name); } else { groups.push([name]); }
    }
    groups.forEach((group, g) => {
      const size = Math.min(12.5, 0.95 * Math.min(LINE, (bottom - TOP) / Math.max(1, group.length)));
      const small = size < 12.5 ? ` style="font-size:${f(size)}px"` : "";
      spaced(group.map((n) => n.end.high), TOP, bottom).forEach((at, i) => {
        const { end, k } = group[i], s = plot.series[k], left = g === 0 ? right + 16 : end.at + 16;
        out.push(`<g data-k="${k}" class="s${s.colour}${s.ours ? " ours" : ""}"><path class="lead" d="M${f(end.at + 5)} ${f(end.high)}L${f(left - 4)} ${f(at)}"/><text class="label${g === 0 ? "" : " in"}" x="${f(left)}" y="${f(at + 0.32 * size)}"${small}>${escape(clipped(s.name, view.letters))}<title>${escape(s.name)}</title></text></g>`);
      });
    });
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.innerHTML = out.join("");
  };

  // Cells of colour are drawn already; only their places have to be known.
  const drawHeat = (view) => {
    const { plot, svg } = view;
    view.still = view.still || { box: svg.getAttribute("viewBox"), inner: svg.innerHTML };
    svg.setAttribute("viewBox", view.still.box);
    svg.innerHTML = view.still.inner;
    [view.w, view.h] = view.still.box.split(" ").map(Number).slice(2);
    const [xs, ys] = [0, 1].map((axis) => [...new Set(plot.series.flatMap((s) => s.points.map((p) => p[axis])))].sort((a, b) => a - b));
    const [column, row] = [xs, ys].map((all) => new Map(all.map((v, k) => [v, k + 0.5])));
    view.dots = [];
    svg.querySelectorAll(".heat").forEach((panel, k) => {
      const [x, y, w, h] = panel.dataset.box.split(" ").map(Number), wide = w / xs.length, tall = h / ys.length;
      plot.series[k].points.forEach((p, i) => view.dots.push({ at: x + wide * column.get(p[0]), high: y + h - tall * row.get(p[1]), k, i, wide, tall }));
    });
  };

  const draw = (view, key) => {
    measure(view);
    view.at = null;
    if (view.plot.heat) { drawHeat(view); } else if (view.plot.rows.length) { drawRows(view, key); } else { drawLines(view); }
  };

  // What a figure needs to stand alone: the styles of this page, with today's colours.
  const alone = (view) => {
    const copy = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const drawn = { ...view, svg: copy, wide: W / 1.12 };
    draw(drawn, true);
    copy.setAttribute("class", "fig");
    const style = getComputedStyle(root);
    const names = ["--ink", "--faint", "--rule", "--paper"].concat([...Array(8).keys()].flatMap((k) => ["--c" + k, "--h" + k]));
    const colours = names.map((n) => n + ":" + style.getPropertyValue(n).trim()).join(";");
    const rules = [];
    for (const sheet of document.styleSheets) {
      for (const rule of sheet.cssRules) { if (rule.selectorText && /^(\.fig|\.s\d)/.test(rule.selectorText)) { rules.push(rule.cssText); } }
    }
    const lines = [];
    for (const word of view.plot.title.split(/\s+/)) {
      const last = lines.length - 1;
      if (last >= 0 && lines[last].length + 1 + word.length <= 62) { lines[last] += " " + word; } else { lines.push(word); }
    }
    const above = 8 + 22 * lines.length, height = drawn.h + above;
    copy.setAttribute("viewBox", `0 ${-above} ${drawn.w} ${height}`);
    copy.setAttribute("width", drawn.w);
    copy.setAttribute("height", height);
    const title = lines.map((line, k) => `<text class="title" x="14" y="${24 - above + 22 * k}">${escape(line)}</text>`).join("");
    copy.insertAdjacentHTML("afterbegin", `<style>svg{${colours}}${escape(rules.join(""))}</style><rect x="0" y="${-above}" width="${drawn.w}" height="${height}" fill="${escape(style.getPropertyValue("--paper"))}"/>${title}`);
    return { text: new XMLSerializer().serializeToString(copy), width: drawn.w, height };
  };
  const save = (name, blob) => {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const fileName = (view, end) => (view.plot.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "plot") + end;
  const saveSvg = (view) => save(fileName(view, ".svg"), new Blob([alone(view).text], { type: "image/svg+xml" }));
  const savePng = (view) => {
    const image = new Image(), { text, width, height } = alone(view);
    image.onload = () => {
      const canvas = element("canvas");
      canvas.width = 3 * width;
      canvas.height = 3 * height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(fileName(view, ".png"), blob), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  };
  const saveCsv = (view) => {
    const quote = (t) => (/[",\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t);
    const { plot } = view, named = plot.rows.length > 0;
    const lines = [["series", plot.x.name, plot.y.name + (PER[plot.y.unit] ? ` (${plot.y.unit})` : ""), "low", "high"].concat(plot.heat ? ["dB"] : []).map(quote).join(",")];
    for (const s of plot.series) {
      s.points.forEach((p, i) => lines.push([quote(s.name), named ? quote(s.names[i]) : p[0], p[1], ...(s.spread[i] || ["", ""]), ...s.decibels.slice(i, i + 1)].join(",")));
    }
    save(fileName(view, ".csv"), new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  };

  const tip = element("div", "tip");
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);

  const enhance = (figure, wide) => {
    const plot = plots[Number(figure.dataset.plot)];
    const svg = figure.querySelector("svg"), inRows = plot.rows.length > 0;
    const view = { plot, svg, wide: wide || W / 1.12, hidden: new Set(), zoom: null, xlog: plot.x.log, ylog: plot.y.log, clip: "clip-" + figure.dataset.plot };
    if (inRows) { figure.classList.add("in-rows"); }
    const tools = element("div", "tools");
    const button = (text, title, act) => {
      const made = element("button", "", text);
      made.type = "button";
      made.title = title;
      made.addEventListener("click", () => act(made));
      tools.append(made);
      return made;
    };
    const toggle = (name, key) => {
      const made = button(name, "logarithmic or linear", () => { view[key] = !view[key]; view.zoom = null; made.setAttribute("aria-pressed", view[key]); draw(view); });
      made.setAttribute("aria-pressed", view[key]);
      return made;
    };
    // Names have no logarithm, and cells of colour stay where they are.
    toggle("log x", "xlog").hidden = inRows || plot.heat;
    toggle(inRows ? "log" : "log y", "ylog").hidden = plot.heat;
    button("whole", "undo the zoom; drag in the plot to zoom", () => { view.zoom = null; draw(view); }).hidden = plot.heat;
    button("svg", "save as SVG", () => saveSvg(view));
    button("png", "save as PNG", () => savePng(view));
    button("csv", "save the numbers", () => saveCsv(view));
    figure.querySelector("figcaption").after(tools);

    const legend = element("div", "legend"), chips = [];
    const light = (k) => {
      svg.classList.toggle("dim", k !== null);
      svg.querySelectorAll("[data-k]").forEach((g) => g.classList.toggle("lit", Number(g.dataset.k) === k));
    };
    const press = () => chips.forEach((c, j) => c.setAttribute("aria-pressed", !view.hidden.has(j)));
    plot.series.forEach((s, k) => {
      const chip = element("button", "chip s" + s.colour + (s.published ? " given" : "") + (s.mark ? " mark" : ""), s.name);
      chip.type = "button";
      chip.title = (s.published ? "not measured here; " : "") + "show or hide; with shift, this one alone";
      chip.addEventListener("click", (event) => {
        if (event.altKey || event.shiftKey) {
          const onlyThis = plot.series.every((_, j) => view.hidden.has(j) !== (j === k));
          view.hidden = new Set(onlyThis ? [] : plot.series.map((_, j) => j).filter((j) => j !== k));
        } else if (!view.hidden.delete(k)) {
          view.hidden.add(k);
        }
        press();
        draw(view);
      });
      chip.addEventListener("pointerenter", () => light(k));
      chip.addEventListener("pointerleave", () => light(null));
      chips.push(chip);
    });
    press();
    const quiet = chips.filter((_, k) => plot.series[k].quiet);
    legend.append(...chips.filter((_, k) => !plot.series[k].quiet));
    if (quiet.length) {
      // A crowd waits behind its number.
      const more = element("button", "more", quiet.length + " more");
      more.type = "button";
      more.setAttribute("aria-expanded", "false");
      quiet.forEach((chip) => { chip.hidden = true; });
      more.addEventListener("click", () => {
        const open = more.getAttribute("aria-expanded") !== "true";
        more.setAttribute("aria-expanded", open);
        more.textContent = open ? "fewer" : quiet.length + " more";
        quiet.forEach((chip) => { chip.hidden = !open; });
      });
      legend.append(...quiet, more);
    }
    if (plot.series.length > 1 && !plot.heat) { figure.append(legend); }

    const inside = (event) => {
      const box = svg.getBoundingClientRect();
      return [(event.clientX - box.left) * view.w / box.width, (event.clientY - box.top) * view.h / box.height];
    };
    let start = null;
    const clear = () => { svg.querySelectorAll(".cursor").forEach((c) => c.remove()); tip.hidden = true; };
    const mend = (markup) => {
      svg.querySelectorAll(".cursor").forEach((c) => c.remove());
      svg.insertAdjacentHTML("beforeend", `<g class="cursor">${markup}</g>`);
    };
    // Says what a dot is, beside it.
    const tell = (d) => {
      view.at = d;
      const s = plot.series[d.k], p = s.points[d.i], spread = s.spread[d.i], box = svg.getBoundingClientRect();
      const cross = inRows ? `M${d.at} ${view.top}V${view.bottom}` : `M${d.at} ${TOP}V${view.bottom}`;
      mend(plot.heat ? `<rect class="cell" x="${d.at - d.wide / 2}" y="${d.high - d.tall / 2}" width="${d.wide}" height="${d.tall}"/>` : `<g class="s${s.colour}"><path class="cross" d="${cross}"/><circle class="dot" cx="${d.at}" cy="${d.high}" r="${inRows ? 6.5 : 5}"/></g>`);
      tip.replaceChildren(element("b", "s" + s.colour, s.name), element("span", "", plot.heat ? significant(s.decibels[d.i], 3) + " dB" : exact(p[1], plot.y)));
      if (plot.heat) { tip.append(element("span", "", plot.y.name + ": " + exact(p[1], { unit: "" }))); }
      if (s.names[d.i]) { tip.append(element("span", "", s.names[d.i])); }
      if (!inRows) { tip.append(element("span", "", plot.x.name + ": " + exact(p[0], { unit: PER[plot.x.unit] ? plot.x.unit : "" }))); }
      if (spread) { tip.append(element("span", "", exact(spread[0], plot.y) + " … " + exact(spread[1], plot.y))); }
      tip.hidden = false;
      const own = tip.getBoundingClientRect();
      const x = box.left + d.at * box.width / view.w, y = box.top + d.high * box.height / view.h;
      tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - own.width - 8)) + "px";
      tip.style.top = (y - own.height - 12 < 8 ? y + 14 : y - own.height - 12) + "px";
    };
    svg.addEventListener("pointermove", (event) => {
      const [px, py] = inside(event);
      if (start) {
        tip.hidden = true;
        const [top, high] = inRows ? [view.top, view.bottom - view.top] : [Math.min(py, start[1]), Math.abs(py - start[1])];
        mend(`<rect class="zoom" x="${Math.min(px, start[0])}" y="${top}" width="${Math.abs(px - start[0])}" height="${high}"/>`);
        return;
      }
      let best = null, least = 40 * 40;
      for (const d of view.dots) {
        const away = (d.at - px) ** 2 + (d.high - py) ** 2;
        if (away < least) { least = away; best = d; }
      }
      if (best) { tell(best); } else { clear(); }
    });
    svg.addEventListener("pointerleave", () => { start = null; clear(); });
    svg.addEventListener("pointerdown", (event) => { if (event.button === 0 && event.pointerType === "mouse" && !plot.heat) { start = inside(event); event.preventDefault(); } });
    svg.addEventListener("pointerup", (event) => {
      if (!start) { return; }
      const [px, py] = inside(event), [sx, sy] = start;
      start = null;
      clear();
      if (Math.abs(px - sx) < 8 || (!inRows && Math.abs(py - sy) < 8)) { return; }
      const clamp = (v, a, b) => Math.min(b, Math.max(a, v));
      const between = (axis, places, a, b) => places.map((v) => axis.value(clamp(v, a, b))).sort((p, q) => p - q);
      const across = between(inRows ? view.y : view.x, [px, sx], view.left, view.right);
      const up = inRows ? across : between(view.y, [py, sy], view.top, view.bottom);
      if (across[0] < across[1] && up[0] < up[1]) { view.zoom = { x: across, y: up }; draw(view); }
    });
    svg.addEventListener("dblclick", () => { view.zoom = null; draw(view); });

    // By keys: along a line and from line to line, or along a row and from row to row.
    svg.tabIndex = 0;
    svg.setAttribute("aria-label", plot.title + "; arrow keys read the values");
    const next = (key) => {
      const { dots, at } = view;
      if (!at) { return dots.find((d) => plot.series[d.k].ours) || dots[0]; }
      const ahead = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
      const along = inRows ? key === "ArrowUp" || key === "ArrowDown" : key === "ArrowLeft" || key === "ArrowRight";
      const nearest = (found, away) => found.reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
      if (plot.heat) {
        const [way, other] = along ? ["at", "high"] : ["high", "at"];
        const own = dots.filter((d) => d.k === at.k && d[other] === at[other] && (d[way] - at[way]) * ahead > 0);
        return nearest(own, (d) => Math.abs(d[way] - at[way])) || dots.find((d) => d.k === at.k + ahead) || at;
      }
      if (along) {
        const place = (d) => (inRows ? d.row : d.at);
        const own = dots.filter((d) => d.k === at.k && (place(d) - place(at)) * ahead > 0);
        return nearest(own, (d) => Math.abs(place(d) - place(at))) || at;
      }
      if (inRows) {
        const own = dots.filter((d) => d.row === at.row && d !== at && ((d.at - at.at) * ahead > 0 || (d.at === at.at && (d.k - at.k) * ahead > 0)));
        return nearest(own, (d) => Math.abs(d.at - at.at)) || at;
      }
      const others = dots.filter((d) => d.k !== at.k && ((d.high - at.high) * ahead > 0 || (d.high === at.high && (d.k - at.k) * ahead > 0)));
      return nearest(others, (d) => 4 * Math.abs(d.at - at.at) + Math.abs(d.high - at.high)) || at;
    };
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { clear(); view.at = null; return; }
      if (!event.key.startsWith("Arrow") || !view.dots.length) { return; }
      event.preventDefault();
      tell(next(event.key));
    });
    svg.addEventListener("blur", clear);

    draw(view);
    figure.dataset.drawn = "1";
    if (window.ResizeObserver) {
      new ResizeObserver(([entry]) => {
        const now = entry.contentRect.width;
        if (now > 0 && Math.abs(now - view.wide) > 2) { view.wide = now; draw(view); }
      }).observe(svg);
    }
  };

  // Widths first, all at once: after the first figure is drawn the page would have to be laid out again for each.
  const figures = [...document.querySelectorAll("figure[data-plot]")];
  const widths = figures.map((figure) => figure.querySelector("svg").clientWidth);
  figures.forEach((figure, k) => enhance(figure, widths[k]));

  // The small ones of the summary, with letters as large.
  const small = [...document.querySelectorAll(".headline")].map((link) => {
    const k = link.getAttribute("href").replace("#plot-", ""), svg = link.querySelector("svg");
    const plot = plots[Number(k)];
    return { plot, svg, wide: svg.clientWidth || W / 1.12, hidden: new Set(), zoom: null, xlog: plot.x.log, ylog: plot.y.log, clip: "clip-small-" + k };
  });
  small.forEach((view) => draw(view, true));

  // A click on the head of a column sorts by it, a second one turns it round.
  document.querySelectorAll("table.sortable").forEach((table) => {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, k) => {
      head.tabIndex = 0;
      head.setAttribute("aria-sort", "none");
      const sort = () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        [...table.tHead.rows[0].cells].forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => { const v = row.cells[k].dataset.v; return v === undefined ? null : Number(v); };
        [...body.rows].sort((a, b) => {
          const p = key(a), q = key(b);
          // Numbers before words, whichever way round.
          if ((p === null) !== (q === null)) { return p === null ? 1 : -1; }
          const by = p === null ? a.cells[k].textContent.localeCompare(b.cells[k].textContent) : p - q;
          return down ? -by : by;
        }).forEach((row) => body.append(row));
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); } });
    });
  });

  document.querySelectorAll(".command code").forEach((code) => {
    const button = element("button", "copy", "copy");
    button.type = "button";
    button.addEventListener("click", () => {
      if (!navigator.clipboard) { return; }
      navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1500); }, () => {});
    });
    code.after(button);
  });

  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch (_) { /* no storage for files here */ }
  });

  // The entry of what is being read.
  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) { const link = links.get(entry.target.id); if (link) { link.classList.toggle("here", entry.isIntersecting); } }
  }, { rootMargin: "-20% 0px -70% 0px" });
  document.querySelectorAll("main > section").forEach((section) => watcher.observe(section));

  root.dataset.drawn = String(document.querySelectorAll("figure[data-drawn]").length);
})();
