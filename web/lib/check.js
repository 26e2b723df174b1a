// The self-check: answers of this build against answers of the native library, byte for byte.

/** All numbers of an answer, in order; booleans count as 0 and 1, nothing as NaN. */
export function numbersOf(value) {
  const out = [];
  const walk = (v) => {
    if (v === undefined || v === null) out.push(NaN);
    else if (typeof v === 'number') out.push(v);
    else if (typeof v === 'boolean') out.push(v ? 1 : 0);
    else if (Array.isArray(v) || ArrayBuffer.isView(v)) for (const x of v) walk(x);
    else throw new Error(`a check answers with numbers, not with ${typeof v}`);
  };
  walk(value);
  return out;
}

const parse = (text) => (typeof text === 'number' ? text : { inf: Infinity, '-inf': -Infinity, NaN }[text]);

/** Compares; Object.is tells 0 from −0, and NaN equals itself. */
export function compare(got, expected) {
  const want = expected.map(parse);
  if (got.length !== want.length) {
    return { ok: false, count: got.length, why: `${got.length} numbers instead of ${want.length}` };
  }
  const wrong = got.findIndex((x, i) => !Object.is(x, want[i]));
  if (wrong < 0) return { ok: true, count: got.length };
  return { ok: false, count: got.length, why: `number ${wrong} is ${got[wrong]} instead of ${want[wrong]}` };
}

/** Runs the check of a page in both builds. */
export async function selfCheck(name, check, load) {
  const answer = await fetch(new URL(`../expected/${name}.json`, import.meta.url));
  if (!answer.ok) return { ok: false, count: 0, why: `there is no native answer for ${name}` };
  const expected = await answer.json();
  let result;
  for (const build of ['plain', 'simd']) {
    result = compare(numbersOf(await check(await load(build))), expected);
    if (!result.ok) return { ...result, why: `${build}: ${result.why}` };
  }
  return result;
}
