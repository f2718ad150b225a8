import fc from 'fast-check';
import { valueCheckFor } from './column-type';

const realTime = fc.date({
  min: new Date('0001-01-02T00:00:00.000Z'),
  max: new Date('9999-12-30T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('valueCheckFor, for date', () => {
  const check = valueCheckFor('date', {});

  it.each([['0001-01-01'], ['2024-02-29'], ['2000-02-29'], ['9999-12-31']])(
    'accepts %s',
    (value) => {
      expect(check(value)).toEqual({ ok: true, value });
    },
  );

  it('accepts every day of the calendar', () => {
    fc.assert(
      fc.property(realTime, (time) => {
        const value = time.toISOString().slice(0, 10);
        expect(check(value)).toEqual({ ok: true, value });
      }),
    );
  });

  it.each([
    ['0000-01-01', 'out_of_range'],
    ['2023-02-29', 'out_of_range'],
    ['1900-02-29', 'out_of_range'],
    ['2024-04-31', 'out_of_range'],
    ['2024-13-01', 'out_of_range'],
    ['2024-00-10', 'out_of_range'],
    ['2024-01-00', 'out_of_range'],
    ['2024-1-1', 'invalid_format'],
    ['20240101', 'invalid_format'],
    ['2024-01-01T00:00:00Z', 'invalid_format'],
    ['10000-01-01', 'invalid_format'],
    ['2024-01-01\n', 'invalid_format'],
    [20240101, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});

describe('valueCheckFor, for datetime', () => {
  const check = valueCheckFor('datetime', {});

  it('returns every instant of the calendar unchanged', () => {
    fc.assert(
      fc.property(realTime, (time) => {
        const value = time.toISOString();
        expect(check(value)).toEqual({ ok: true, value });
      }),
    );
  });

  it.each([
    ['0000-01-01T00:00:00.000Z'],
    ['2023-02-29T00:00:00.000Z'],
    ['2024-01-01T24:00:00.000Z'],
    ['2024-01-01T00:60:00.000Z'],
    ['2024-01-01T00:00:60.000Z'],
  ])('rejects %s, which has the stored format but is not real', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'out_of_range' });
  });

  it.each([
    ['2024-02-29T13:45:00Z', '2024-02-29T13:45:00.000Z'],
    ['2024-02-29t13:45:00z', '2024-02-29T13:45:00.000Z'],
    ['2024-02-29T13:45:00.5+05:30', '2024-02-29T08:15:00.500Z'],
    ['2024-12-31T23:30:00-01:00', '2025-01-01T00:30:00.000Z'],
    ['2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.000Z'],
    ['2024-01-01T00:00:00.123000000Z', '2024-01-01T00:00:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('converts %s to %s', (value, utc) => {
    expect(check(value)).toEqual({ ok: true, value: utc });
  });

  it('converts every offset to the instant that Date parses', () => {
    const offset = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
    fc.assert(
      fc.property(realTime, offset, (time, minutes) => {
        const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const distance = Math.abs(minutes);
        const zone = [Math.floor(distance / 60), distance % 60].map((part) =>
          String(part).padStart(2, '0'),
        );
        const text = `${local}${minutes < 0 ? '-' : '+'}${zone.join(':')}`;
        expect(new Date(text)).toEqual(time);
        expect(check(text)).toEqual({ ok: true, value: time.toISOString() });
      }),
    );
  });

  it.each([
    ['2023-02-29T00:00:00Z', 'out_of_range'],
    ['2024-01-01T24:00:00Z', 'out_of_range'],
    ['2024-01-01T23:60:00Z', 'out_of_range'],
    ['2016-12-31T23:59:60Z', 'out_of_range'],
    ['2024-01-01T00:00:00+24:00', 'out_of_range'],
    ['2024-01-01T00:00:00+01:60', 'out_of_range'],
    ['0001-01-01T00:00:00+00:01', 'out_of_range'],
    ['9999-12-31T23:59:59-00:01', 'out_of_range'],
    ['2024-01-01T00:00:00.1234Z', 'excess_precision'],
    ['2024-01-01T00:00:00.0000001Z', 'excess_precision'],
    ['2024-01-01T00:00:00', 'invalid_format'],
    ['2024-01-01 00:00:00Z', 'invalid_format'],
    ['2024-01-01T00:00Z', 'invalid_format'],
    ['2024-01-01T00:00:00.Z', 'invalid_format'],
    ['2024-01-01T00:00:00+0100', 'invalid_format'],
    ['2024-01-01', 'invalid_format'],
    [1704067200000, 'wrong_type'],
  ])('rejects %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });

  it('tells a wrong offset from a wrong time of day', () => {
    const message = 'must contain an offset from -23:59 to +23:59';
    expect(check('2024-01-01T00:00:00+24:00')).toMatchObject({ message });
    expect(check('2024-01-01T00:00:00-01:60')).toMatchObject({ message });
  });
});

describe('valueCheckFor, for a datetime in the stored format', () => {
  const check = valueCheckFor('datetime', {});

  it('gives the same result as for any other format', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
    const year = fc.constantFrom('0000', '0001', '1900', '2000', '2023', '2024', '9999');
    fc.assert(
      fc.property(year, two, two, two, two, two, (y, mo, d, h, mi, s) => {
        const short = check(`${y}-${mo}-${d}T${h}:${mi}:${s}.120Z`);
        expect(short).toEqual(check(`${y}-${mo}-${d}T${h}:${mi}:${s}.12Z`));
      }),
      { numRuns: 2_000 },
    );
    expect(check('2024-02-29T23:59:59.999Z')).toEqual({
      ok: true,
      value: '2024-02-29T23:59:59.999Z',
    });
  });
});
