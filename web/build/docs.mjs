// The pages of docs/ as HTML with a search box: `node docs.mjs DOCS_FOLDER OUT_FOLDER`, run where `marked` is installed.

import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const [docs, out] = process.argv.slice(2);
const here = createRequire(join(process.cwd(), 'package.json'));
const { marked } = await import(pathToFileURL(here.resolve('marked')));

const files = (await readdir(docs, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
const index = [];
for (const file of files) {
  const from = join(file.parentPath, file.name);
  const name = relative(docs, from);
  const to = join(out, name.replace(/\.md$/, '.html'));
  await mkdir(dirname(to), { recursive: true });
  if (!name.endsWith('.md')) {
    await cp(from, to);
    continue;
  }
  const text = await readFile(from, 'utf8');
  const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
  // Links among pages of docs; what is outside of docs is not on this site.
  const body = marked.parse(text).replace(/href="([^":#]+)\.md(#[^"]*)?"/g, 'href="$1.html$2"');
  const up = '../'.repeat(name.split(/[\\/]/).length);
  index.push({ href: name.replace(/\.md$/, '.html'), title, text: text.replace(/[`*|#\[\]()]/g, ' ').toLowerCase() });
  await writeFile(to, `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · impinge</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${up}style.css">
<main class="prose"><p><a href="${up}index.html">impinge</a> · <a href="${up}docs/index.html">documents</a></p>${body}</main></html>\n`);
}
index.sort((a, b) => a.href.localeCompare(b.href));
await writeFile(join(out, 'search.json'), JSON.stringify(index));
await writeFile(join(out, 'index.html'), `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Documents · impinge</title><link rel="icon" href="data:,"><link rel="stylesheet" href="../style.css">
<main class="prose"><p><a href="../index.html">impinge</a></p><h1>Documents</h1>
<input type="search" placeholder="Search" aria-label="Search"><ul></ul></main>
<script type="module">
const pages = await (await fetch('search.json')).json();
const [box, list] = [document.querySelector('input'), document.querySelector('ul')];
const show = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const found = pages.filter((page) => words.every((word) => page.text.includes(word)));
  list.replaceChildren(...found.map((page) => {
    const row = document.createElement('li');
    row.append(Object.assign(document.createElement('a'), { href: page.href, textContent: page.title }), ' ', page.href.split('/')[0]);
    return row;
  }));
};
box.oninput = show;
show();
</script></html>\n`);
console.log(`${index.length} documents`);
