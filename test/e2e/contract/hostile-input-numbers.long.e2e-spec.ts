import fc from 'fast-check';
import type { ApiResponse, ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

type NumberType = 'number' | 'integer' | 'json';
const TYPES: readonly NumberType[] = ['number', 'integer', 'json'];

let app: TestApp;
let api: ApiClient;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  ({ api } = await app.newAccount());
  const columns = [...TYPES, 'decimal'].map((type) => ({ key: type, type }));
  rows = `${await newDatagrid(api, columns)}/rows`;
});

afterAll(() => app.close());

/**
 * Returns the canonical form of a number: its digits without leading and trailing zeros, and the
 * power of ten of the last digit.
 */
function valueOf(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  if (whole === '') throw new Error(`No number: ${token}`);
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return `${sign}${kept}e${String(power)}`;
}

/** Returns true if a double represents the number exactly, so that the column must accept it. */
function isHeld(token: string, type: NumberType): boolean {
  const double = Number(token);
  if (!Number.isFinite(double) || valueOf(String(double)) !== valueOf(token)) return false;
  return type !== 'integer' || Number.isSafeInteger(double);
}

/** Returns the unparsed text of the single value in a response. */
function valueText({ text }: ApiResponse): string {
  return /"values":\s*\{"\w+":\s*([^}]*)\}/.exec(text)?.[1] ?? `no value in ${text}`;
}

/**
 * Sends a number to a column. It must be returned as sent, or rejected with the name of the column.
 */
async function expectKeptOrRejected(token: string, type: NumberType): Promise<void> {
  const response = await api.post(rows, `{"values":{"${type}":${token}}}`);
  if (!isHeld(token, type)) {
    expect([token, type, response.status]).toEqual([token, type, 400]);
    const { details } = response.body.error as { details: { field: string; code: string }[] };
    expect(details.map(({ field }) => field)).toEqual([`values.${type}`]);
    expect(['inexact_number', 'wrong_type', 'out_of_range']).toContain(details[0]?.code);
    return;
  }
  expect([token, type, response.status]).toEqual([token, type, 201]);
  expect(valueOf(valueText(response))).toBe(valueOf(token));
  const id = String(response.body.data.id);
  expect(valueOf(valueText(await api.get(`${rows}/${id}`)))).toBe(valueOf(token));
}

const EDGES = [
  '0',
  '-0',
  '-0.0',
  '0e99999999999',
  '0.1',
  '1.10',
  '1.0',
  '100e-2',
  '-1.5E+3',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740991',
  '-9007199254740993',
  '9007199254740991.0',
  '9007199254740991.5',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
  '1e21',
  '1e23',
  '123456789012345678',
  '1234567890123456789012345678901234567890',
  '0.30000000000000004',
  '0.1234567890123456789',
  '0.1000000000000000055511151231257827',
  '5e-324',
  '4e-324',
  '2.2250738585072014e-308',
  '1e-400',
  '1.7976931348623157e308',
  '1.7976931348623159e308',
  '1e309',
  '1e400',
  '-1e400',
  '1e99999999999',
  '1e-99999999999',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
  `1.${'0'.repeat(400)}`,
];

const digits = (max: number): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(9), { minLength: 1, maxLength: max })
    .map((list) => list.join('').replace(/^0+(?=\d)/, ''));

/** Any JSON number, with lengths and exponents beyond those of doubles. */
const token = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(24),
    fc.option(digits(24), { nil: undefined }),
    fc.option(fc.integer({ min: -345, max: 330 }), { nil: undefined }),
    fc.constantFrom('e', 'E', 'e+'),
  )
  .map(([sign, whole, fraction, exponent, letter]) => {
    const e = exponent !== undefined && exponent < 0 ? letter.slice(0, 1) : letter;
    const point = fraction === undefined ? '' : `.${fraction}`;
    return `${sign}${whole}${point}${exponent === undefined ? '' : `${e}${String(exponent)}`}`;
  });

/** Numbers as programs print them: doubles, and integers around the largest exact one. */
const printed = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n }).map(String),
);

describe('a number', () => {
  it.each(EDGES)('is returned as it was sent or rejected with 400: %s', async (edge) => {
    for (const type of TYPES) await expectKeptOrRejected(edge, type);
  });

  it.each([
    ['as JSON allows them', token],
    ['as programs print them', printed],
  ])('is returned as sent or rejected with 400, for random numbers %s', async (_, numbers) => {
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 8, maxLength: 8 }), async (list) => {
        await Promise.all(
          list.map((one, index) => expectKeptOrRejected(one, TYPES[index % 3] ?? 'json')),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('is returned as it was sent or rejected at any place in a json value', async () => {
    const places = (one: string): string[] => [`[1,[${one}]]`, `{"a":{"b":[0.5,${one}]}}`];
    for (const json of places('9007199254740993').concat(places('1e400'))) {
      const response = await api.post(rows, `{"values":{"json":${json}}}`);
      const field = json.startsWith('[') ? 'values.json.1.0' : 'values.json.a.b.1';
      expectFailure(response, 'invalid_request', [`${field} inexact_number`]);
    }
    for (const json of places('1e21').concat(places('5e-324'))) {
      const response = await api.post(rows, `{"values":{"json":${json}}}`);
      expect(response.body.data.values.json).toEqual(JSON.parse(json));
      const read = await api.get(`${rows}/${String(response.body.data.id)}`);
      expect(read.body.data.values.json).toEqual(JSON.parse(json));
    }
  });

  it('is returned as it was sent or rejected by PATCH, PUT and POST of several rows', async () => {
    const { id } = (await api.post(rows, { values: {} })).body.data as { id: number };
    const row = `${rows}/${String(id)}`;
    const bad = '{"values":{"number":9007199254740993}}';
    const good = '{"values":{"number":1e21}}';
    for (const method of ['PATCH', 'PUT']) {
      const response = await api.send(method, row, bad);
      expectFailure(response, 'invalid_request', ['values.number inexact_number']);
      expect(valueOf(valueText(await api.send(method, row, good)))).toBe(valueOf('1e21'));
    }
    const many = await api.post(rows, `{"rows":[${good},${bad}]}`);
    expectFailure(many, 'invalid_request', ['rows.1.values.number inexact_number']);
    const list = await api.post(rows, `{"rows":[${good}]}`);
    expect(valueOf(valueText(list))).toBe(valueOf('1e21'));
  });

  it.each(['NaN', 'Infinity', '-Infinity', '+1', '01', '.5', '5.', '0x10', '1_000', '1e', '--1'])(
    'is rejected with 400 if it is not JSON: %s',
    async (text) => {
      const response = await api.post(rows, `{"values":{"number":${text}}}`);
      expectFailure(response, 'invalid_request', ['body malformed_json']);
    },
  );

  it('is rejected with 400 if it is sent as a string', async () => {
    for (const type of ['number', 'integer']) {
      const response = await api.post(rows, { values: { [type]: '1' } });
      expectFailure(response, 'invalid_request', [`values.${type} wrong_type`]);
    }
  });

  it('of type decimal is returned character for character', async () => {
    const decimal = fc
      .tuple(fc.constantFrom('', '-'), digits(20), fc.option(fc.stringMatching(/^\d{1,18}$/)))
      .map(([sign, whole, fraction]) => `${sign}${whole}${fraction ? `.${fraction}` : ''}`);
    await fc.assert(
      fc.asyncProperty(fc.array(decimal, { minLength: 8, maxLength: 8 }), async (list) => {
        const sent = list.map((value) => ({ values: { decimal: value } }));
        const response = await api.post(rows, { rows: sent });
        expect(response.status).toBe(201);
        const got = response.body.data as { id: number; values: object }[];
        expect(got.map(({ values }) => ({ values }))).toEqual(sent);
        const last = await api.get(`${rows}/${String(got[7]?.id)}`);
        expect(last.body.data.values).toEqual(sent[7]?.values);
      }),
      { numRuns: 20 },
    );
  });

  it.each<[string, unknown]>([
    ['wrong_type', 1.5],
    ['wrong_type', 7],
    ['invalid_format', '1e5'],
    ['invalid_format', '+1'],
    ['invalid_format', '01'],
    ['invalid_format', '.5'],
    ['invalid_format', '1.'],
    ['invalid_format', ' 1'],
    ['invalid_format', '1\n'],
    ['invalid_format', ''],
    ['invalid_format', '١'],
    ['invalid_format', '1,5'],
    ['invalid_format', 'NaN'],
    ['excess_precision', `0.${'1'.repeat(19)}`],
    ['out_of_range', '9'.repeat(39)],
    ['out_of_range', `${'9'.repeat(21)}.${'9'.repeat(18)}`],
  ])('of type decimal is rejected with %s: %j', async (code, decimal) => {
    const response = await api.post(rows, { values: { decimal } });
    expectFailure(response, 'invalid_request', [`values.decimal ${code}`]);
  });
});
