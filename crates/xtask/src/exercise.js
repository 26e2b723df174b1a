(() => {
  "use strict";
  // Does with every plot and every table what a reader may do. What would be saved is only counted.
  let saved = 0;
  HTMLAnchorElement.prototype.click = function () { saved += 1; };
  const point = (svg, kind, x, y) => {
    const box = svg.getBoundingClientRect();
    const at = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
    svg.dispatchEvent(new PointerEvent(kind, { ...at, button: 0, pointerType: "mouse", bubbles: true }));
  };
  const figures = [...document.querySelectorAll("figure[data-plot]")];
  for (const figure of figures) {
    const svg = figure.querySelector("svg");
    const before = svg.innerHTML;
    const [logX, logY, whole, asSvg, asPng, asCsv] = figure.querySelectorAll(".tools button");
    logX.click(); logY.click();
    point(svg, "pointerdown", 0.3, 0.3);
    point(svg, "pointermove", 0.5, 0.5);
    point(svg, "pointerup", 0.6, 0.7);
    whole.click(); logX.click(); logY.click();
    for (const chip of figure.querySelectorAll(".chip")) { chip.click(); chip.click(); }
    for (let x = 0.1; x < 0.9; x += 0.05) { point(svg, "pointermove", x, 0.5); }
    point(svg, "pointerleave", 0, 0);
    const press = (key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"].forEach(press);
    const told = document.querySelector(".tip");
    if (svg.querySelector(".dot, .ln, .heat") && (told.hidden || !told.textContent)) { throw new Error("plot " + figure.dataset.plot + " tells nothing by keys"); }
    press("Escape");
    if (svg.innerHTML !== before) { throw new Error("plot " + figure.dataset.plot + " is not as it was"); }
    asSvg.click(); asPng.click(); asCsv.click();
  }
  for (const head of document.querySelectorAll(".sortable thead th")) { head.click(); head.click(); }
  document.getElementById("theme").click();
  const end = () => {
    if (saved < 3 * figures.length) { setTimeout(end, 50); return; }
    document.documentElement.dataset.exercised = String(figures.length);
  };
  end();
})();
