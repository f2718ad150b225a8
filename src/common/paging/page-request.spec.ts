import fc from 'fast-check';
import { parsePageRequest } from './page-request';

function codes(query: Record<string, unknown>): string[] {
  const parsed = parsePageRequest(query);
  return parsed.ok ? [] : parsed.errors.map(({ field, code }) => `${field} ${code}`);
}

describe('parsePageRequest', () => {
  it('defaults to the first 20', () => {
    expect(parsePageRequest({})).toEqual({ ok: true, value: { page: 1, limit: 20 } });
  });

  it('reads every page and limit there may be', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 45035996273704 }),
        fc.integer({ min: 1, max: 200 }),
        (page, limit) => {
          const query = { page: String(page), limit: String(limit) };
          expect(parsePageRequest(query)).toEqual({ ok: true, value: { page, limit } });
          expect(Number.isSafeInteger(page * limit)).toBe(true);
        },
      ),
    );
  });

  it('looks at nothing else', () => {
    expect(codes({ page: '1', Limit: 'x', cascade: ['1', '2'] })).toEqual([]);
  });

  it('names both parameters where both are wrong', () => {
    expect(codes({ page: '0', limit: 'x' })).toEqual(['page out_of_range', 'limit invalid_format']);
  });

  it('says what would be accepted', () => {
    expect(parsePageRequest({ limit: '201' })).toEqual({
      ok: false,
      errors: [
        { field: 'limit', code: 'out_of_range', message: 'must be an integer from 1 to 200' },
      ],
    });
  });
});

describe('an invalid page or limit', () => {
  describe.each(['page', 'limit'])('as %s', (name) => {
    it.each([
      ['0', 'out_of_range'],
      ['-1', 'out_of_range'],
      ['9223372036854775808', 'out_of_range'],
      ['9'.repeat(5_000), 'out_of_range'],
      ['1.5', 'invalid_format'],
      ['1.0', 'invalid_format'],
      ['1e21', 'invalid_format'],
      ['1e2', 'invalid_format'],
      ['0x10', 'invalid_format'],
      ['01', 'invalid_format'],
      ['+1', 'invalid_format'],
      [' 1', 'invalid_format'],
      ['1 ', 'invalid_format'],
      ['1\n', 'invalid_format'],
      ['', 'invalid_format'],
      ['ten', 'invalid_format'],
      ['NaN', 'invalid_format'],
      ['١', 'invalid_format'],
      [{ $gt: '1' }, 'invalid_format'],
      [['1', '2'], 'duplicate_parameter'],
      [['1', '1'], 'duplicate_parameter'],
    ])('is rejected: %j', (value, code) => {
      expect(codes({ [name]: value })).toEqual([`${name} ${code}`]);
    });
  });

  it('is rejected from one above the maximum', () => {
    expect(codes({ limit: '200', page: '45035996273704' })).toEqual([]);
    expect(codes({ limit: '201' })).toEqual(['limit out_of_range']);
    expect(codes({ page: '45035996273705' })).toEqual(['page out_of_range']);
  });
});
