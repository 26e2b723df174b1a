// Drives every page of the gallery in a headless browser: `node drive.mjs GALLERY BROWSER [NAME…]`, run where
// `playwright-core` is installed. Fails unless every page says nothing on the console, asks nobody else, agrees with the native library and
// answers to the reader's hand. Times are printed beside the target of three seconds; a test does not fail by the clock.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serve } from '../build/serve.mjs';

const [gallery, browserPath, ...only] = process.argv.slice(2);
const here = createRequire(join(process.cwd(), 'package.json'));
const { chromium } = here('playwright-core');
/** Milliseconds to the first picture on an idle machine: a target that is printed. */
const READY = 3000;
/** A page that takes longer has failed. */
const MOST = 60000;
const FLAGS = [
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
];

const pages = JSON.parse(await readFile(join(gallery, 'pages.json'), 'utf8'));
const { address, end } = await serve(gallery);
const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
await mkdir(join(gallery, 'thumbnails'), { recursive: true });
await mkdir(join(gallery, 'screenshots'), { recursive: true });
const failures = [];
const rows = [];

async function opened(path, viewport) {
  const context = await browser.newContext({ viewport, colorScheme: 'light' });
  const page = await context.newPage();
  const said = [];
  page.on('console', (message) => {
    // What the software renderer says about itself is not the page's.
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text())) said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(error.message));
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(address) || url.startsWith('data:') || url.startsWith('blob:')) return route.continue();
    said.push(`a request to ${url}`);
    return route.abort();
  });
  await page.goto(address + path, { waitUntil: 'commit' });
  return { page, said, context };
}

/** What the reader does, as pages.json says. */
async function interact(page, act) {
  if (act.key) for (let i = 0; i < (act.times ?? 1); i++) await page.keyboard.press(act.key);
  const named = (tag, name) => page.locator(`${tag}[data-name="${name}"]`);
  if (act.slide) {
    await named('input', act.slide).evaluate((input, to) => {
      input.value = to;
      input.dispatchEvent(new Event('input'));
    }, act.to);
  }
  if (act.choose) await named('select', act.choose).selectOption(act.to);
  if (act.press) await named('button', act.press).click();
  if (act.tick) await named('input', act.tick).click();
  const canvas = page.locator('#view canvas');
  const at = async ([x, y]) => {
    const box = await canvas.boundingBox();
    return [box.x + box.width * x, box.y + box.height * y];
  };
  if (act.click) await page.mouse.click(...await at(act.click));
  if (act.hover) await page.mouse.move(...await at(act.hover));
  if (act.drag) {
    const [from, to] = act.drag;
    await page.mouse.move(...await at(from));
    await page.mouse.down();
    await page.mouse.move(...await at(to), { steps: 5 });
    await page.mouse.up();
  }
}

async function drive(entry) {
  const { page, said, context } = await opened(`pages/${entry.name}.html`, { width: 1280, height: 800 });
  await page.waitForFunction(() => window.ready === true, null, { timeout: MOST, polling: 50 });
  const ready = await page.evaluate(() => window.readyAfter);
  const bare = (on) => page.evaluate((is) => document.body.classList.toggle('bare', is), on);
  // Without its frame the scene fills the window, which has the shape of a card.
  await bare(true);
  await page.waitForTimeout(300);
  await page.locator('#view').screenshot({ path: join(gallery, 'thumbnails', `${entry.name}.jpg`), type: 'jpeg', quality: 82 });
  await bare(false);
  const checked = await page.evaluate(() => window.selfCheck());
  if (!checked.ok) said.push(`self-check: ${checked.why}`);
  const { changes } = entry.interaction;
  const before = (await page.evaluate(() => window.probe()))[changes];
  await interact(page, entry.interaction);
  try {
    await page.waitForFunction(([name, old]) => window.probe()[name] !== old, [changes, before], { timeout: 10000, polling: 50 });
  } catch {
    said.push(`the interaction left '${changes}' at ${before}`);
  }
  if (await page.locator('#structure').count()) await page.locator('#structure').click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(gallery, 'screenshots', `${entry.name}.png`) });
  const times = await page.evaluate(() => window.times());
  rows.push({ name: entry.name, ready, numbers: checked.count, times, values: await page.evaluate(() => window.probe()) });
  for (const why of said) failures.push(`${entry.name}: ${why}`);
  await context.close();
}

for (const entry of pages.filter((page) => !only.length || only.includes(page.name))) {
  try {
    await drive(entry);
  } catch (why) {
    failures.push(`${entry.name}: ${why.message}`);
  }
  const row = rows.at(-1)?.name === entry.name ? rows.at(-1) : undefined;
  const bar = row && `${row.ready > READY ? 'MISSED' : 'met'}: ${READY}`;
  console.log(row ? `${entry.name}: ready after ${row.ready.toFixed(0)} ms (${bar}), ${row.numbers} numbers compared with native ones`
    : `${entry.name}: failed`);
}
if (!only.length || only.includes('report')) {
  const { page, said, context } = await opened('report.html', { width: 1280, height: 1000 });
  try {
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: MOST, polling: 50 });
  } catch {
    said.push('its script did not run to its end');
  }
  const { plots, drawn, errors } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  if (errors || plots !== drawn) said.push(`${drawn} of ${plots} plots were drawn: ${errors ?? 'no error'}`);
  await page.screenshot({ path: join(gallery, 'screenshots', 'report.png') });
  console.log(`report: ${drawn} plots`);
  for (const why of said) failures.push(`report: ${why}`);
  await context.close();
}
{
  const { page, said, context } = await opened('index.html', { width: 1280, height: 1000 });
  await page.waitForFunction(() => window.ready === true, null, { timeout: MOST, polling: 50 });
  // Pictures load when they come near the window.
  await page.evaluate(() => Promise.all([...document.images].map((image) => {
    image.loading = 'eager';
    return image.decode().catch(() => {});
  })));
  // The sheet is for people to look at: a browser short of memory may refuse it.
  try {
    await page.screenshot({ path: join(gallery, 'contact-sheet.png'), fullPage: true });
  } catch (why) {
    console.log(`no contact sheet: ${why.message.split('\n')[0]}`);
  }
  for (const why of said) failures.push(`index: ${why}`);
  await context.close();
}
await browser.close();
end();
await writeFile(join(gallery, 'driven.json'), `${JSON.stringify(rows, null, 1)}\n`);
if (failures.length) {
  console.error(failures.join('\n'));
  process.exit(1);
}
console.log(`${pages.length} pages, pictures in ${join(gallery, 'screenshots')}, contact sheet beside`);
