// What stands around the scene: title, sentence, controls, counters, times, code.

const make = (tag, fields = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};

const rounded = (x) => (typeof x !== 'number' ? x
  : Number.isInteger(x) ? x.toLocaleString('en') : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e6 ? x.toPrecision(4) : x.toExponential(2));

/** Builds the panel and returns what changes it. */
export function panel(page, { theme, structure, code }) {
  document.body.className = 'page';
  const view = make('div', { id: 'view' });
  const aside = make('aside');
  const answer = make('div', { className: 'answer' });
  const controls = make('div', { className: 'controls' });
  controls.style.cssText = 'display:flex;flex-direction:column;gap:8px';
  const counters = make('dl');
  const times = make('dl');
  const error = make('div', { id: 'error', role: 'alert' });
  const drawer = make('pre', { id: 'code', hidden: true });
  const hint = make('div', { id: 'hint', textContent: page.hint ?? '' });
  const legend = make('div', { id: 'legend' });
  view.append(legend, hint, drawer);

  const toggle = (text, title, act) => {
    const button = make('button', { textContent: text, title, type: 'button' });
    button.setAttribute('aria-pressed', 'false');
    button.onclick = () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(on));
      act(on);
    };
    return button;
  };
  const nav = make('nav');
  let structureButton;
  if (structure) {
    structureButton = toggle('Structure', 'Show the data structure (key S)', structure);
    structureButton.id = 'structure';
    nav.append(structureButton);
  }
  nav.append(toggle('Code', 'The code that a user would write (key C)', (on) => {
    drawer.hidden = !on;
    if (on) drawer.textContent = code();
  }));
  const dark = make('button', { textContent: 'Light/dark', title: 'Change the colours', type: 'button', onclick: theme });
  nav.append(dark);
  if (page.algorithm) {
    nav.append(make('a', { href: `../docs/${page.algorithm}`, textContent: 'How it works' }));
  }
  const header = make('header', {},
    make('a', { href: '../index.html', textContent: 'impinge', className: 'home', title: 'All pages' }),
    make('h1', { textContent: page.title }), make('p', { textContent: page.sentence }), nav);
  aside.append(answer, controls, counters, times, error);
  document.body.append(header, view, aside);

  const counted = new Map();
  const timed = new Map();
  const row = (list, rows, name, text) => {
    let value = rows.get(name);
    if (!value) {
      value = make('dd');
      rows.set(name, value);
      list.append(make('dt', { textContent: name }), value);
    }
    value.textContent = text;
  };

  return {
    view, drawer, structureButton,
    answer: (text) => { answer.textContent = text; },
    error: (text) => { error.textContent = text; },
    hint: (text) => { hint.textContent = text; },
    count: (name, value) => row(counters, counted, name, rounded(value)),
    time: (name, text) => row(times, timed, name, text),
    legend: (colour, text) => {
      const patch = make('i');
      patch.style.background = colour;
      legend.append(make('span', {}, patch, text));
    },
    slider: ({ label, min, max, step, value, text, change }) => {
      const output = make('output');
      const input = make('input', { type: 'range', min, max, step: step ?? 'any', value });
      input.setAttribute('aria-label', label);
      input.dataset.name = label;
      const show = () => { output.textContent = text ? text(Number(input.value)) : rounded(Number(input.value)); };
      input.oninput = () => { show(); change(Number(input.value)); };
      show();
      controls.append(make('label', { className: 'control' }, make('span', { textContent: label }), output, input));
      return {
        set: (x) => { input.value = x; show(); },
        range: (low, high) => { input.min = low; input.max = high; show(); },
      };
    },
    choice: ({ label, options, value, change }) => {
      const select = make('select');
      select.setAttribute('aria-label', label);
      select.dataset.name = label;
      for (const option of options) select.append(make('option', { textContent: option, value: option }));
      select.value = value;
      select.onchange = () => change(select.value);
      controls.append(make('label', { className: 'control' }, make('span', { textContent: label }), select));
      return { set: (x) => { select.value = x; } };
    },
    check: ({ label, value, change }) => {
      const input = make('input', { type: 'checkbox', checked: value });
      input.dataset.name = label;
      input.onchange = () => change(input.checked);
      controls.append(make('label', { className: 'check' }, input, label));
      return { set: (on) => { input.checked = on; } };
    },
    button: ({ label, press }) => {
      const button = make('button', { textContent: label, type: 'button', onclick: press });
      button.dataset.name = label;
      controls.append(button);
    },
  };
}
