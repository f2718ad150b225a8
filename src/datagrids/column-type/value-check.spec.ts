import fc from 'fast-check';
import { allowsUnique, COLUMN_TYPES } from './column-type';
import { valueCheckFor } from './value-check';

const CHOICES = ['red', 'green', 'blue'];

const candidate = fc.oneof(
  fc.jsonValue().filter((value) => value !== null),
  fc.double(),
  fc.integer(),
  fc.constant(-0),
  fc.constantFrom('12.50', '-0', '2024-02-29', 'https://example.com/ä?b#c', 'ada@example.com'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.subarray(CHOICES),
  fc.constantFrom(...CHOICES),
  fc.webUrl(),
  fc.emailAddress(),
);

describe('valueCheckFor', () => {
  it.each(COLUMN_TYPES)('%s: a normal form survives JSON, and is accepted unchanged', (type) => {
    const check = valueCheckFor(type, { choices: CHOICES });
    let accepted = 0;
    fc.assert(
      fc.property(candidate, (value) => {
        const checked = check(value);
        if (!checked.ok) return;
        accepted++;
        // readJson rejects text earlier that a double or PostgreSQL cannot represent.
        const stored: unknown = JSON.parse(JSON.stringify(checked.value));
        expect(check(stored)).toStrictEqual({ ok: true, value: stored });
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  it.each(COLUMN_TYPES)('%s: says in ASCII what is wrong', (type) => {
    const check = valueCheckFor(type, { choices: CHOICES });
    for (const value of ['é', -1.5, [], ['red', 'red'], {}, Infinity, 1e300, '9999-99-99']) {
      const checked = check(value);
      if (!checked.ok) expect(checked.message).toMatch(/^must [\x20-\x7e]+$/);
    }
  });

  it('allows every type but json and multiSelect to be unique', () => {
    expect(COLUMN_TYPES.filter((type) => !allowsUnique(type))).toEqual(['multiSelect', 'json']);
  });
});
