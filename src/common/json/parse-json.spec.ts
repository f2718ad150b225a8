import { expectAlike, outcome, parse } from '../../../test/support/json-readers';
import { MAX_MEMBERS } from './parse-json';

describe('parseJson', () => {
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
