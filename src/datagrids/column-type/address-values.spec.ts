import { isEmail } from 'class-validator';
import fc from 'fast-check';
import { valueCheckFor } from './column-type';

describe('valueCheckFor, for email', () => {
  const check = valueCheckFor('email', {});

  it('accepts on the fast path what the library accepts', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'Z', '9', '-', '_', '+', '.'),
      minLength: 1,
    });
    const long = fc.constantFrom('a'.repeat(31), 'b'.repeat(30), 'c'.repeat(63), 'd'.repeat(64));
    const piece = fc.oneof(part, long);
    fc.assert(
      fc.property(
        piece,
        piece,
        fc.constantFrom('com', 'c', 'c0m', 'CO', 'x'.repeat(11)),
        (a, b, c) => {
          const value = `${a}@${b}.${c}`;
          expect([value, check(value).ok]).toEqual([value, isEmail(value)]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([['ada@example.com'], ['Ada.L+x@sub.example.co.uk'], ['jörg@example.de']])(
    'returns %s unchanged',
    (value) => {
      expect(check(value)).toEqual({ ok: true, value });
    },
  );

  it.each([
    ['', 'invalid_format'],
    ['ada', 'invalid_format'],
    ['ada@', 'invalid_format'],
    ['@example.com', 'invalid_format'],
    ['ada@example.com,bob@example.com', 'invalid_format'],
    ['Ada <ada@example.com>', 'invalid_format'],
    [' ada@example.com', 'invalid_format'],
    ['ada@example.com\n', 'invalid_format'],
    ['"a b"@example.com', 'invalid_format'],
    ['"a\u0001b"@example.com', 'invalid_format'],
    [`ada@${'a'.repeat(320)}.com`, 'out_of_range'],
    [1, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });

  it('accepts no address that the library rejects', () => {
    // Uses few characters, so that near-addresses are frequent.
    const near = fc.string({
      unit: fc.constantFrom('a', '1', '.', '-', '_', '+', '@'),
      maxLength: 9,
    });
    fc.assert(
      fc.property(near, fc.constantFrom('@a.bc', '@a-b.example', '.co', ''), (start, end) => {
        expect(check(start + end).ok).toBe(isEmail(start + end));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('valueCheckFor, for url', () => {
  const check = valueCheckFor('url', {});

  it.each([
    ['https://example.com'],
    ['HTTP://Example.com:8080/a%20b?c=d#e'],
    ['https://user:secret@example.com/'],
    ['https://[::1]/'],
    ['https://müller.example/ä'],
    [`https://example.com/${'a'.repeat(8_172)}`],
  ])('returns %s unchanged', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'invalid_format'],
    ['example.com', 'invalid_format'],
    ['//example.com', 'invalid_format'],
    ['ftp://example.com', 'invalid_format'],
    ['javascript:alert(1)', 'invalid_format'],
    ['http:example.com', 'invalid_format'],
    ['http:///example.com', 'invalid_format'],
    ['https://', 'invalid_format'],
    ['https://?a', 'invalid_format'],
    ['https://user@', 'invalid_format'],
    ['https://exa mple.com', 'invalid_format'],
    ['https://example.com/a b', 'invalid_format'],
    ['https://example.com/\n', 'invalid_format'],
    [' https://example.com', 'invalid_format'],
    ['https://example.com:99999', 'invalid_format'],
    [`https://example.com/${'a'.repeat(8_173)}`, 'out_of_range'],
    [{}, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});
