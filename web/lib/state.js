// The state of a page, in the part of its address behind '#': a link to what is seen.

const write = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function read(text, like) {
  if (typeof like === 'string') return text;
  try {
    const value = JSON.parse(text);
    return typeof value === typeof like ? value : like;
  } catch {
    return like;
  }
}

/** An object with the given values, or those of the address. `changed` runs when the address is changed by hand. */
export function permalink(defaults, changed) {
  const state = {};
  const load = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [key, value] of Object.entries(defaults)) {
      state[key] = given.has(key) ? read(given.get(key), value) : structuredClone(value);
    }
  };
  load();
  let saved = location.hash.slice(1);
  let timer;
  addEventListener('hashchange', () => {
    if (location.hash.slice(1) === saved) return;
    load();
    changed();
  });
  const save = () => {
    const given = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) {
      if (write(value) !== write(defaults[key])) given.set(key, write(value));
    }
    saved = given.toString();
    history.replaceState(null, '', saved ? `#${saved}` : location.pathname);
  };
  // Browsers refuse more than a few changes of the address in a second.
  return { state, save: () => { clearTimeout(timer); timer = setTimeout(save, 300); } };
}
