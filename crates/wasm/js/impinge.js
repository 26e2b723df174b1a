// Loads the build that this engine runs fastest.

// A module of one function that uses a 128-bit vector: valid only where there are such instructions.
const VECTOR_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

export const hasSimd = () => WebAssembly.validate(VECTOR_MODULE);

const loaded = {};

/** The module `plain` or `simd`, loaded once; without a name the better of those that run. */
export function load(build = hasSimd() ? 'simd' : 'plain') {
  loaded[build] ??= (async () => {
    const module = await import(`./${build}/impinge_wasm.js`);
    const file = new URL(`./${build}/impinge_wasm_bg.wasm`, import.meta.url);
    if (file.protocol === 'file:') {
      // Node does not fetch files.
      const { readFile } = await import('node:fs/promises');
      module.initSync({ module: await readFile(file) });
    } else {
      await module.default({ module_or_path: file });
    }
    return module;
  })();
  return loaded[build];
}
