import fc from 'fast-check';
import { COLUMN_TYPE_NAMES, isComparable, isComputed, valueCheckFor } from './column-type';

describe('valueCheckFor, for integer', () => {
  const check = valueCheckFor('integer', {});

  it.each([[0], [-7], [1e15], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER]])(
    'accepts %d',
    (value) => {
      expect(check(value)).toEqual({ ok: true, value });
    },
  );

  it.each([
    [1.5, 'wrong_type'],
    ['1', 'wrong_type'],
    [true, 'wrong_type'],
    [NaN, 'wrong_type'],
    [2 ** 53, 'out_of_range'],
    [-(2 ** 53), 'out_of_range'],
    [1e300, 'out_of_range'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({
      ok: false,
      code,
      message: 'must be an integer between -9007199254740991 and 9007199254740991',
    });
  });
});

describe('valueCheckFor, for number', () => {
  const check = valueCheckFor('number', {});

  it('accepts every finite double, and converts -0 to 0', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(check(value)).toStrictEqual({ ok: true, value: value === 0 ? 0 : value });
      }),
    );
  });

  it.each([[Infinity], [NaN], ['1.5'], [[1]]])('rejects %p', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('valueCheckFor, for decimal', () => {
  const check = valueCheckFor('decimal', {});

  it.each([
    ['0'],
    ['-0'],
    ['-0.00'],
    ['12.50'],
    ['1'.repeat(38)],
    [`-${'9'.repeat(20)}.${'0'.repeat(18)}`],
    [`0.${'1'.repeat(18)}`],
  ])('returns %s unchanged', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it('returns any decimal of 38 digits unchanged', () => {
    const text = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 20n) + 1n, max: 10n ** 20n - 1n }),
        fc.stringMatching(/^\d{1,18}$/),
      )
      .map(([whole, fraction]) => `${whole.toString()}.${fraction}`);
    fc.assert(
      fc.property(text, (value) => {
        expect(check(value)).toEqual({ ok: true, value });
      }),
    );
  });

  it.each([
    [12.5, 'wrong_type'],
    ['', 'invalid_format'],
    ['007', 'invalid_format'],
    ['-00', 'invalid_format'],
    ['+1', 'invalid_format'],
    ['1e5', 'invalid_format'],
    ['.5', 'invalid_format'],
    ['5.', 'invalid_format'],
    ['1,5', 'invalid_format'],
    [' 1', 'invalid_format'],
    ['1\n', 'invalid_format'],
    ['١', 'invalid_format'],
    [`0.${'1'.repeat(19)}`, 'excess_precision'],
    ['1'.repeat(39), 'out_of_range'],
    [`${'1'.repeat(21)}.${'1'.repeat(18)}`, 'out_of_range'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});

describe('valueCheckFor, for text', () => {
  const check = valueCheckFor('text', {});

  it.each([[''], ['  a  '], ['x'.repeat(100_000)]])('returns a string unchanged', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([[1], [true], [[]], [{}]])('rejects %j', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('valueCheckFor, for boolean', () => {
  const check = valueCheckFor('boolean', {});

  it('accepts true and false', () => {
    expect(check(true)).toEqual({ ok: true, value: true });
    expect(check(false)).toEqual({ ok: true, value: false });
  });

  it.each([['true'], [1], [0], ['']])('rejects %j', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('valueCheckFor, for json', () => {
  const check = valueCheckFor('json', {});

  it.each([[{ a: [null, 1] }], [[]], ['text'], [1.5], [false]])('accepts %j', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([[Infinity], [Symbol('x')], [(): void => undefined]])(
    'rejects values that are not JSON',
    (value) => {
      expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
    },
  );
});

describe('valueCheckFor, for select', () => {
  const check = valueCheckFor('select', { choices: ['red', 'blue'] });

  it('accepts a choice', () => {
    expect(check('blue')).toEqual({ ok: true, value: 'blue' });
  });

  it.each([
    ['Blue', 'not_a_choice'],
    ['', 'not_a_choice'],
    ['__proto__', 'not_a_choice'],
    [['red'], 'wrong_type'],
    [1, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});

describe('valueCheckFor, for multiSelect', () => {
  const check = valueCheckFor('multiSelect', { choices: ['red', 'green', 'blue'] });

  it.each([[[]], [['blue']], [['green', 'red']]])('accepts %j and keeps the order', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([
    [['red', 'red'], 'duplicate_choice'],
    [['red', 'pink'], 'not_a_choice'],
    [['red', 1], 'wrong_type'],
    [['red', null], 'wrong_type'],
    ['red', 'wrong_type'],
    [{ 0: 'red' }, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});

const CHOICES = ['red', 'green', 'blue'];

const candidate = fc.oneof(
  fc.jsonValue().filter((value) => value !== null),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(-0),
  fc.constantFrom('12.50', '-0', '2024-02-29', 'https://example.com/ä?b#c', 'ada@example.com'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.subarray(CHOICES),
  fc.constantFrom(...CHOICES),
  fc.webUrl(),
  fc.emailAddress(),
);

const STORED_TYPES = COLUMN_TYPE_NAMES.filter((type) => !isComputed(type));

describe('valueCheckFor', () => {
  it.each(STORED_TYPES)(
    'accepts its own normalized values of %s unchanged after a JSON round trip',
    (type) => {
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
    },
  );

  it.each(STORED_TYPES)('reports errors of %s in ASCII', (type) => {
    const check = valueCheckFor(type, { choices: CHOICES });
    for (const value of ['é', -1.5, [], ['red', 'red'], {}, Infinity, 1e300, '9999-99-99']) {
      const checked = check(value);
      if (!checked.ok) expect(checked.message).toMatch(/^must [\x20-\x7e]+$/);
    }
  });

  it.each(COLUMN_TYPE_NAMES.filter(isComputed))('rejects every value of %s', (type) => {
    const rejected = { ok: false, code: 'read_only', message: 'is computed; leave it out' };
    for (const value of [1, 'a', true, [], {}]) {
      expect(valueCheckFor(type, {})(value)).toEqual(rejected);
    }
  });

  it('compares values of every type except multiSelect, json, multiLink and computed types', () => {
    expect(COLUMN_TYPE_NAMES.filter((type) => !isComparable(type))).toEqual([
      'multiSelect',
      'json',
      'multiLink',
      'lookup',
      'count',
    ]);
  });
});
