import fc from 'fast-check';
import { JsonRejectedError } from './json-error';
import { MAX_MEMBERS, parseJson } from './parse-json';
import { readJson } from './read-json';

const MANY = 1_000_000;

function parse(
  bytes: Buffer,
  maxValues = MANY,
): { value: unknown; values: number; slices: number } {
  const parser = parseJson(bytes, { maxValues, isDue: () => true });
  for (let slices = 1; ; slices += 1) {
    const { done, value } = parser.next();
    if (done === true) return { ...value, slices };
  }
}

/** Returns the outcome of a reader: a value, or the code, field and message of its rejection. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof JsonRejectedError)) throw error;
    const { code, field, message } = error;
    return { code, field, message };
  }
}

/**
 * Expects the same outcome from both readers. If `readJson` reports malformed JSON, any rejection
 * by `parseJson` will do: it reports the first of several errors, and `readJson` may report another
 * one.
 */
function expectAlike(text: string | Buffer): void {
  const bytes = Buffer.from(text);
  const [parsed, read] = [() => parse(bytes).value, () => readJson(bytes)].map(outcome);
  const isMalformed = JSON.stringify(read).startsWith('{"code":"malformed_json"');
  if (isMalformed) expect(parsed).toHaveProperty('code');
  else expect(parsed).toStrictEqual(read);
}

describe('parseJson', () => {
  it('returns the same value as readJson', () => {
    const value = fc.oneof(fc.jsonValue(), fc.jsonValue({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const bytes = Buffer.from(JSON.stringify(json, null, indent));
        expect(outcome(() => parse(bytes).value)).toStrictEqual(outcome(() => readJson(bytes)));
      }),
      { numRuns: 1000 },
    );
  });

  it('rejects what readJson rejects, with the same error', () => {
    const characters = fc.constantFrom(...Array.from('[]{}",:\\0-.eutn1 \n\u0000é'));
    const text = fc
      .json()
      .chain((json) =>
        fc
          .tuple(fc.nat(json.length), characters)
          .map(([at, character]) => json.slice(0, at) + character + json.slice(at + 1)),
      );
    fc.assert(fc.property(text, expectAlike), { numRuns: 3000 });
  });

  it.each([
    '',
    ' ',
    '\uFEFF{"a":[1]} ',
    '{"a":1,}',
    '[1,]',
    '[}',
    '01',
    '-01',
    '+1',
    '1.',
    '.5',
    '1e',
    '1 2',
    'tru',
    'truee',
    '"a\nb"',
    '"\\x"',
    '"\\',
    '"open',
    '[-0, 0, 1.10, -2.5e3, 1e23, 123456789012345]',
    '[1234567890123456789]',
    '[1, 2, {"a": [0.1234567890123456789]}]',
    '{"a":{"b":"\\u0000"}}',
    '{"a":{"\\ud800":1}}',
    '{"a":1,"\\u0061":2}',
    '{"rows":[{},{"values":{"x":1,"y":2,"x":3}}]}',
    '{"__proto__":{"a":1},"toString":2,"1":3,"0":4}',
    `${'['.repeat(64)}${']'.repeat(64)}`,
    `${'['.repeat(65)}${']'.repeat(65)}`,
    JSON.stringify({
      long: 'x'.repeat(200_000),
      umlaut: 'ü'.repeat(70_000),
      escaped: '\n\\"\u2028',
    }),
  ])('reads %.60s as readJson does', (text) => {
    expectAlike(text);
  });

  it('rejects bytes that are not UTF-8', () => {
    expectAlike(Buffer.from([0x22, 0xff, 0x22]));
  });

  it('counts values, yields between them, and stops above the limit', () => {
    const bytes = Buffer.from(`[${'[],'.repeat(998)}1]`);
    expect(parse(bytes, 1_000)).toMatchObject({ values: 1_000, slices: 16 });
    expect(outcome(() => parse(bytes, 999))).toEqual({
      code: 'too_many',
      field: undefined,
      message: 'has more than 999 values; send fewer at a time',
    });
  });

  it('rejects an object with more properties than allowed', () => {
    const members = (count: number): Buffer =>
      Buffer.from(`{${Array.from({ length: count }, (_, i) => `"k${String(i)}":1`).join(',')}}`);
    expect(Object.keys(parse(members(MAX_MEMBERS)).value as object)).toHaveLength(MAX_MEMBERS);
    expect(outcome(() => parse(members(MAX_MEMBERS + 1)))).toMatchObject({
      code: 'too_many',
      message: 'has an object with more than 100,000 properties; send fewer at a time',
    });
  });
});
