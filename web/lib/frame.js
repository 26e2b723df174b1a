// The frame of every page: `const f = await frame({ ... })`. web/README.md shows how to use it.

import * as THREE from 'three';
import { load } from 'impinge';
import { selfCheck } from './check.js';
import { clear } from './draw.js';
import { panel } from './panel.js';
import { permalink } from './state.js';
import { view } from './view.js';

const middle = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const inMs = (ms) => (ms >= 1000 ? `${(ms / 1000).toPrecision(3)} s`
  : ms < 0.1 ? `${(ms * 1000).toFixed(0)} µs` : `${ms.toPrecision(3)} ms`);

/**
 * Opens a page.
 * @param options `name` as in pages.json; `state`: defaults of what a link keeps; `eye`, `target`: the camera;
 *   `structure(on)`: shows or hides the data structure; `code(state)`: what a user would write;
 *   `check(impinge)`: the answer of the self-check; `update()`: runs when the state came from outside.
 */
export async function frame(options) {
  const pages = await (await fetch(new URL('../pages.json', import.meta.url))).json();
  const page = pages.find((known) => known.name === options.name);
  document.title = `${page.title} · impinge`;
  const stored = localStorage.getItem('theme');
  if (stored) document.documentElement.dataset.theme = stored;

  const { state, save } = permalink(options.state ?? {}, () => options.update?.());
  const values = {};
  const samples = new Map();
  let scene;
  const ui = panel(page, {
    theme: () => {
      const root = document.documentElement;
      const isDark = getComputedStyle(root).getPropertyValue('--scene').trim() === '#161d25';
      root.dataset.theme = isDark ? 'light' : 'dark';
      localStorage.setItem('theme', root.dataset.theme);
      scene.paint();
    },
    structure: options.structure && ((on) => { options.structure(on); scene.invalidate(); }),
    code: () => options.code(state),
  });
  scene = view(ui.view, options);
  addEventListener('keydown', (event) => {
    if (event.target.matches?.('input, select') || event.ctrlKey || event.metaKey) return;
    if (event.key === 's') ui.structureButton?.click();
    if (event.key === 'c') document.querySelector('nav button[title*="key C"]').click();
  });
  const impinge = await load();

  const f = {
    THREE, impinge, state, save, ...scene, ui,
    /** A group that is emptied by `clear`. */
    group: () => { const g = new THREE.Group(); scene.scene.add(g); return g; },
    clear,
    /** Shows a counter; tests read it with `window.probe()`. */
    count: (name, value) => { values[name] = value; ui.count(name, value); },
    answer: (text) => { values.answer = text; ui.answer(text); },
    /** Runs a query and shows the median and the 99th percentile of its times. */
    time: (name, run) => {
      const begin = performance.now();
      const result = run();
      const list = samples.get(name) ?? [];
      list.push(performance.now() - begin);
      if (list.length > 120) list.shift();
      samples.set(name, list);
      const sorted = list.toSorted((a, b) => a - b);
      ui.time(name, list.length < 5 ? inMs(middle(sorted, 0.5)) : `${inMs(middle(sorted, 0.5))}, 99 % ${inMs(middle(sorted, 0.99))}`);
      return result;
    },
    /** A control that changes `state[key]`, then calls `change`. */
    control: (kind, key, settings, change) => {
      const changed = (x) => {
        state[key] = x;
        save();
        change?.(x);
        scene.invalidate();
      };
      return ui[kind]({ label: key, ...settings, value: state[key], change: changed });
    },
    /** Lets the user drop a file: `take(bytes, name)`. */
    acceptFile: (take) => {
      const over = (on) => (event) => { event.preventDefault(); ui.view.classList.toggle('drop', on); };
      ui.view.addEventListener('dragover', over(true));
      ui.view.addEventListener('dragleave', over(false));
      ui.view.addEventListener('drop', async (event) => {
        over(false)(event);
        const file = event.dataTransfer.files[0];
        if (!file) return;
        try {
          ui.error('');
          take(new Uint8Array(await file.arrayBuffer()), file.name);
          scene.invalidate();
        } catch (why) {
          ui.error(why.message);
        }
      });
    },
    /** Lets the user drop a mesh file: `take(mesh, name)`, centred and scaled to a size. */
    acceptMesh: (take, size = 2) => f.acceptFile((bytes, name) => take(fitted(impinge, impinge.Mesh.fromBytes(bytes, name), size), name)),
    /** Tells that the page is complete: after the next picture `window.ready` is true. */
    done: async () => {
      scene.invalidate();
      await scene.drawn;
      window.readyAfter = performance.now();
      window.ready = true;
    },
  };
  window.probe = () => structuredClone(values);
  window.times = () => Object.fromEntries([...samples].map(([name, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return [name, { median: middle(sorted, 0.5), p99: middle(sorted, 0.99), count: list.length }];
  }));
  window.selfCheck = () => selfCheck(page.name, options.check, load);
  return f;
}

/** A mesh, moved to the origin and scaled so that its longest side is `size`. */
export function fitted(impinge, mesh, size) {
  const [x, y, z, X, Y, Z] = mesh.bounds;
  const factor = size / (Math.max(X - x, Y - y, Z - z) || 1);
  const centre = [(x + X) / 2, (y + Y) / 2, (z + Z) / 2];
  const vertices = mesh.vertices.map((v, i) => (v - centre[i % 3]) * factor);
  return new impinge.Mesh(vertices, mesh.faces);
}
