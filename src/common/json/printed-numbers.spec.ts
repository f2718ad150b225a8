import { SEED, seededRandom, withSeed } from '../../../test/support/seeded-random';
import {
  linesWithJavaScriptNumbers,
  printingNumbers,
  withJavaScriptNumbers,
} from './printed-numbers';

/** Returns a number in the notation of PostgreSQL's `numeric`. */
function plain(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(JSON.stringify(number)) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

describe('withJavaScriptNumbers', () => {
  it.each([
    ['10000000000000000000000', '1e+22'],
    ['-1000000000000000000000', '-1e+21'],
    ['100000000000000000000', '100000000000000000000'],
    ['0.0000001', '1e-7'],
    ['-0.00000012345', '-1.2345e-7'],
    ['0.000001', '0.000001'],
    ['10.0000001', '10.0000001'],
    ['[12345678901234568000000, 0.00000001]', '[1.2345678901234568e+22, 1e-8]'],
    ['{"a": 10000000000000000000000, "b": [1,0.0000005]}', '{"a": 1e+22, "b": [1,5e-7]}'],
    ['{"10000000000000000000000":1}', '{"10000000000000000000000":1}'],
    ['["10000000000000000000000", 1]', '["10000000000000000000000", 1]'],
    [
      String.raw`["a\": 10000000000000000000000, b"]`,
      String.raw`["a\": 10000000000000000000000, b"]`,
    ],
    [String.raw`["a\\", 10000000000000000000000]`, String.raw`["a\\", 1e+22]`],
    ['["x, 0.0000001, y", 0.0000001]', '["x, 0.0000001, y", 1e-7]'],
    [`[${'0'.repeat(5_000)}]`, `[${'0'.repeat(5_000)}]`],
    ['', ''],
  ])('prints %s as %s', (json, expected) => {
    expect(withJavaScriptNumbers(json)).toBe(expected);
  });

  it('prints the limits of a double', () => {
    for (const number of [Number.MAX_VALUE, Number.MIN_VALUE, -Number.MAX_VALUE, 2 ** 70]) {
      expect(withJavaScriptNumbers(`{"n": ${plain(number)}}`)).toBe(`{"n": ${String(number)}}`);
    }
  });

  it('looks for the strings before a number in slices, also if they are long', () => {
    const text = JSON.stringify('\\'.repeat(300_000));
    const json = `[${text},${text},${text},0.0000001]`;
    const slicesOf = (of: string): number => [...printingNumbers(of, () => true)].length;
    expect(withJavaScriptNumbers(json)).toBe(json.replace('0.0000001', '1e-7'));
    // Without the number, the text is only searched for numbers.
    expect(slicesOf(json)).toBeGreaterThan(slicesOf(json.replace('0.0000001', '0.1234567')) + 1);
  });

  it('prints any text like JSON.stringify, at any place, in slices too', async () => {
    await withSeed(async () => {
      const below = seededRandom(SEED);
      const value = (): unknown => {
        const number = Number(`${String(below(2 ** 31))}e${String(below(80) - 40)}`);
        const kinds = [number, -number, below(1_000_000), plain(number), `", ${plain(number)}, \\`];
        return kinds[below(kinds.length)];
      };
      for (let round = 0; round < 300; round += 1) {
        const values = Array.from({ length: below(20) }, value);
        const padding = 'é'.repeat(below(40));
        const printed = JSON.stringify([padding, ...values]);
        const asPostgres = `[${[padding, ...values]
          .map((each) => (typeof each === 'number' ? plain(each) : JSON.stringify(each)))
          .join(',')}]`;
        expect(withJavaScriptNumbers(asPostgres)).toBe(printed);
      }
      // Numbers across the ends of slices.
      const numbers = Array.from({ length: 40_000 }, () => Number(`${String(below(99))}e21`));
      const work = printingNumbers(`[${numbers.map(plain).join(',')}]`, () => true);
      let [step, slices] = [work.next(), 0];
      for (; step.done !== true; step = work.next()) slices += 1;
      expect(slices).toBeGreaterThan(2);
      expect(step.value).toBe(JSON.stringify(numbers));
      return Promise.resolve();
    });
  });
});

describe('linesWithJavaScriptNumbers', () => {
  it.each([1, 3, 7, 64, 1_000])('prints lines that arrive in parts of %d bytes', async (size) => {
    const bytes = Buffer.from('{"é": 10000000000000000000000}\n{"b": "€, 0.0000001, "}\n{"c": 1}');
    const source = async function* (): AsyncGenerator<Buffer, number> {
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      return Promise.resolve(3);
    };
    const lines = linesWithJavaScriptNumbers(source());
    const printed: Buffer[] = [];
    let next = await lines.next();
    for (; next.done !== true; next = await lines.next()) printed.push(next.value);
    expect(next.value).toBe(3);
    expect(Buffer.concat(printed).toString()).toBe(
      '{"é": 1e+22}\n{"b": "€, 0.0000001, "}\n{"c": 1}',
    );
  });

  it('ends its source if its reader leaves', async () => {
    let isEnded = false;
    const source = async function* (): AsyncGenerator<Buffer, void> {
      try {
        for (;;) yield await Promise.resolve(Buffer.from('{}\n'));
      } finally {
        isEnded = true;
      }
    };
    for await (const line of linesWithJavaScriptNumbers(source())) {
      expect(line.toString()).toBe('{}\n');
      break;
    }
    expect(isEnded).toBe(true);
  });
});
