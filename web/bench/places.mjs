// Where `cargo xtask gallery` leaves what is measured.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');

/** The folder that is served; the package is in it. */
export const gallery = join(target, 'gallery');
/** The folder with `node_modules`, and what requires from it. */
export const packages = join(target, 'gallery-packages');
export const required = createRequire(join(packages, 'package.json'));

/** The browser: that of the variable `BROWSER`, or the first that is installed. */
export function browserPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const found = names.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name))).find(existsSync);
  const path = process.env.BROWSER ?? found;
  if (!path) throw new Error('there is no chromium; BROWSER names another');
  return path;
}
