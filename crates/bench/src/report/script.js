(() => {
  "use strict";
  const W = 600, H = 380, LEFT = 62, RIGHT = 134, TOP = 42, BOTTOM = 56, LINE = 15.5;
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

  const draw = (view) => {
    const { plot, svg, hidden, zoom } = view;
    const right = W - RIGHT, bottom = H - BOTTOM;
    const shown = plot.series.filter((_, k) => !hidden.has(k));
    const xs = shown.flatMap((s) => s.points.map((p) => p[0]));
    const ys = shown.flatMap((s) => s.points.map((p) => p[1]).concat(s.spread.flat()));
    const x = view.x = scale(xs, view.xlog, LEFT, right, false, zoom && zoom.x);
    const y = view.y = scale(ys, view.ylog, bottom, TOP, true, zoom && zoom.y);
    const out = [`<title>${escape(plot.title)}</title>`];
    const f = (v) => v.toFixed(1);
    const up = y.ticks();
    for (const v of up.fine) { out.push(`<path class="hair" d="M${LEFT} ${f(y.place(v))}H${right}"/>`); }
    for (const v of up.labelled) {
      const at = y.place(v);
      out.push(`<path class="grid" d="M${LEFT} ${f(at)}H${right}"/><text class="tick" x="${LEFT - 8}" y="${f(at + 4)}" text-anchor="end">${escape(mark(v, plot.y))}</text>`);
    }
    out.push(`<path class="axis" d="M${LEFT} ${bottom}H${right}"/>`);
    for (const v of x.ticks().labelled) {
      const at = x.place(v);
      out.push(`<path class="axis" d="M${f(at)} ${bottom}v5"/><text class="tick" x="${f(at)}" y="${bottom + 19}" text-anchor="middle">${escape(mark(v, plot.x))}</text>`);
    }
    out.push(`<text class="name" x="14" y="${TOP - 18}">${escape(clipped(plot.y.label, 70))}</text>`);
    out.push(`<text class="name" x="${(LEFT + right) / 2}" y="${bottom + 43}" text-anchor="middle">${escape(clipped(plot.x.label, 70))}</text>`);
    out.push(`<clipPath id="${view.clip}"><rect x="${LEFT - 4}" y="${TOP - 4}" width="${right - LEFT + 8}" height="${bottom - TOP + 8}"/></clipPath><g clip-path="url(#${view.clip})">`);
    view.dots = [];
    const names = [];
    const order = plot.series.map((_, k) => k).filter((k) => !hidden.has(k)).sort((a, b) => plot.series[a].ours - plot.series[b].ours || a - b);
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
      out.push(`<g class="s${s.colour}${s.ours ? " ours" : ""}${s.published ? " pub" : ""}">`);
      if (s.scatter) {
        for (const d of placed) { if (d.spread) { out.push(`<path class="err" d="M${f(d.at)} ${f(d.spread[0])}V${f(d.spread[1])}"/>`); } }
      } else {
        const band = placed.filter((d) => d.spread);
        if (band.length > 1) {
          out.push(`<path class="band" d="M${band.map((d) => f(d.at) + " " + f(d.spread[1])).join("L")}L${band.slice().reverse().map((d) => f(d.at) + " " + f(d.spread[0])).join("L")}Z"/>`);
        }
        if (placed.length > 1) {
          const dash = s.published ? "2 4" : DASHES[s.dash % DASHES.length];
          out.push(`<path class="ln" d="M${placed.map((d) => f(d.at) + " " + f(d.high)).join("L")}"${dash ? ` stroke-dasharray="${dash}"` : ""}/>`);
        }
      }
      if (s.scatter || placed.length <= 40) {
        for (const d of placed) { out.push(`<circle class="dot" cx="${f(d.at)}" cy="${f(d.high)}" r="${s.scatter ? 3.8 : 2.8}"/>`); }
      }
      out.push("</g>");
      view.dots.push(...placed);
      const seen = placed.filter((d) => d.at <= right + 1 && d.high >= TOP - 1 && d.high <= bottom + 1);
      if (seen.length) { names.push({ end: seen.reduce((a, b) => (b.at >= a.at ? b : a)), k }); }
    }
    out.push("</g>");
    names.sort((a, b) => a.end.high - b.end.high || a.k - b.k);
    const size = Math.min(12.5, 0.95 * Math.min(LINE, (bottom - TOP) / Math.max(1, names.length)));
    const small = size < 12.5 ? ` style="font-size:${f(size)}px"` : "";
    spaced(names.map((n) => n.end.high), TOP, bottom).forEach((at, i) => {
      const { end, k } = names[i], s = plot.series[k], left = right + 16;
      out.push(`<g class="s${s.colour}${s.ours ? " ours" : ""}"><path class="lead" d="M${f(end.at + 5)} ${f(end.high)}L${left - 4} ${f(at)}"/><text class="label" x="${left}" y="${f(at + 0.32 * size)}"${small}>${escape(clipped(s.name, 16))}<title>${escape(s.name)}</title></text></g>`);
    });
    svg.innerHTML = out.join("");
  };

  // What a figure needs to stand alone: the styles of this page, with today's colours.
  const alone = (view) => {
    const copy = view.svg.cloneNode(true);
    copy.querySelectorAll(".cursor").forEach((c) => c.remove());
    const style = getComputedStyle(root);
    const names = ["--ink", "--faint", "--rule", "--paper"].concat([...Array(8).keys()].map((k) => "--c" + k));
    const colours = names.map((n) => n + ":" + style.getPropertyValue(n).trim()).join(";");
    const rules = [];
    for (const sheet of document.styleSheets) {
      for (const rule of sheet.cssRules) { if (rule.selectorText && /^(\.fig|\.s\d)/.test(rule.selectorText)) { rules.push(rule.cssText); } }
    }
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("viewBox", `0 -30 ${W} ${H + 30}`);
    copy.setAttribute("width", W);
    copy.setAttribute("height", H + 30);
    copy.insertAdjacentHTML("afterbegin", `<style>svg{${colours}}${escape(rules.join(""))}</style><rect x="0" y="-30" width="${W}" height="${H + 30}" fill="${escape(style.getPropertyValue("--paper"))}"/><text class="title" x="14" y="-6">${escape(view.plot.title)}</text>`);
    return new XMLSerializer().serializeToString(copy);
  };
  const save = (name, blob) => {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const fileName = (view, end) => (view.plot.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "plot") + end;
  const saveSvg = (view) => save(fileName(view, ".svg"), new Blob([alone(view)], { type: "image/svg+xml" }));
  const savePng = (view) => {
    const image = new Image();
    image.onload = () => {
      const canvas = element("canvas");
      canvas.width = 3 * W;
      canvas.height = 3 * (H + 30);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(fileName(view, ".png"), blob), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(alone(view));
  };
  const saveCsv = (view) => {
    const quote = (t) => (/[",\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t);
    const lines = ["series,x,y,low,high"];
    for (const s of view.plot.series) {
      s.points.forEach((p, i) => lines.push([quote(s.name), p[0], p[1], ...(s.spread[i] || ["", ""])].join(",")));
    }
    save(fileName(view, ".csv"), new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  };

  const tip = element("div", "tip");
  tip.hidden = true;
  document.body.append(tip);

  const enhance = (figure) => {
    const plot = plots[Number(figure.dataset.plot)];
    const svg = figure.querySelector("svg");
    const view = { plot, svg, hidden: new Set(), zoom: null, xlog: plot.x.log, ylog: plot.y.log, clip: "clip-" + figure.dataset.plot };
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
    };
    toggle("log x", "xlog");
    toggle("log y", "ylog");
    button("whole", "undo the zoom; drag in the plot to zoom", () => { view.zoom = null; draw(view); });
    button("svg", "save as SVG", () => saveSvg(view));
    button("png", "save as PNG", () => savePng(view));
    button("csv", "save the numbers", () => saveCsv(view));
    figure.querySelector("figcaption").after(tools);
    const legend = element("div", "legend");
    plot.series.forEach((s, k) => {
      const chip = element("button", "chip s" + s.colour, s.name);
      chip.type = "button";
      chip.setAttribute("aria-pressed", "true");
      chip.title = s.published ? "given by a publication" : "show or hide";
      chip.addEventListener("click", (event) => {
        if (event.altKey || event.shiftKey) {
          const onlyThis = plot.series.every((_, j) => view.hidden.has(j) !== (j === k));
          view.hidden = new Set(onlyThis ? [] : plot.series.map((_, j) => j).filter((j) => j !== k));
        } else if (!view.hidden.delete(k)) {
          view.hidden.add(k);
        }
        [...legend.children].forEach((c, j) => c.setAttribute("aria-pressed", !view.hidden.has(j)));
        draw(view);
      });
      legend.append(chip);
    });
    if (plot.series.length > 1) { figure.append(legend); }

    const inside = (event) => {
      const box = svg.getBoundingClientRect();
      return [(event.clientX - box.left) * W / box.width, (event.clientY - box.top) * H / box.height];
    };
    let start = null;
    const clear = () => { svg.querySelectorAll(".cursor").forEach((c) => c.remove()); tip.hidden = true; };
    const mend = (markup) => {
      svg.querySelectorAll(".cursor").forEach((c) => c.remove());
      svg.insertAdjacentHTML("beforeend", `<g class="cursor">${markup}</g>`);
    };
    svg.addEventListener("pointermove", (event) => {
      const [px, py] = inside(event);
      if (start) {
        tip.hidden = true;
        mend(`<rect class="zoom" x="${Math.min(px, start[0])}" y="${Math.min(py, start[1])}" width="${Math.abs(px - start[0])}" height="${Math.abs(py - start[1])}"/>`);
        return;
      }
      let best = null, least = 40 * 40;
      for (const d of view.dots) {
        const away = (d.at - px) ** 2 + (d.high - py) ** 2;
        if (away < least) { least = away; best = d; }
      }
      if (!best) { clear(); return; }
      const s = plot.series[best.k], p = s.points[best.i], spread = s.spread[best.i];
      mend(`<g class="s${s.colour}"><path class="cross" d="M${best.at} ${TOP}V${H - BOTTOM}"/><circle class="dot" cx="${best.at}" cy="${best.high}" r="5"/></g>`);
      tip.replaceChildren(element("b", "s" + s.colour, s.name), element("span", "", exact(p[1], plot.y)), element("span", "", plot.x.label + ": " + exact(p[0], { unit: PER[plot.x.unit] ? plot.x.unit : "" })));
      if (spread) { tip.append(element("span", "", exact(spread[0], plot.y) + " … " + exact(spread[1], plot.y))); }
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + "px";
      tip.style.top = Math.max(8, event.clientY - box.height - 10) + "px";
    });
    svg.addEventListener("pointerleave", () => { start = null; clear(); });
    svg.addEventListener("pointerdown", (event) => { if (event.button === 0 && event.pointerType === "mouse") { start = inside(event); event.preventDefault(); } });
    svg.addEventListener("pointerup", (event) => {
      if (!start) { return; }
      const [px, py] = inside(event), [sx, sy] = start;
      start = null;
      clear();
      if (Math.abs(px - sx) < 8 || Math.abs(py - sy) < 8) { return; }
      const clamp = (v, a, b) => Math.min(b, Math.max(a, v));
      const across = [px, sx].map((v) => view.x.value(clamp(v, LEFT, W - RIGHT))).sort((a, b) => a - b);
      const up = [py, sy].map((v) => view.y.value(clamp(v, TOP, H - BOTTOM))).sort((a, b) => a - b);
      if (across[0] < across[1] && up[0] < up[1]) { view.zoom = { x: across, y: up }; draw(view); }
    });
    svg.addEventListener("dblclick", () => { view.zoom = null; draw(view); });
    draw(view);
    figure.dataset.drawn = "1";
  };

  document.querySelectorAll("figure[data-plot]").forEach(enhance);

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
