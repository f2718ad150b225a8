import { COLUMN_TYPE_NAMES } from '../../src/datagrids/column-type/column-type';
import { BAD_VALUES, GOOD_VALUES } from '../e2e/rows/value-cases';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid } from '../support/fixture';
import { apiOf, newWorkspace } from './support/deployment';

const api = apiOf('own');
let rows: string;

beforeAll(async () => {
  const columns = COLUMN_TYPE_NAMES.map((type) => ({
    key: type,
    type,
    options: /select/i.test(type) ? { choices: ['red', 'green'] } : {},
  }));
  rows = `${await newDatagrid(api, columns, await newWorkspace())}/rows`;
});

describe('values', () => {
  it.each(COLUMN_TYPE_NAMES)('of type %s are stored and returned', async (type) => {
    const cases = GOOD_VALUES.filter(([tried]) => tried === type);
    const sent = cases.map(([, text]) => `{"values":{"${type}":${text}}}`);
    const made = dataOf(await api.post(rows, `{"rows":[${sent.join(',')}]}`), 201);
    const expected = cases.map(([, , back]) => ({
      values: { [type]: JSON.parse(back) as unknown },
    }));
    expect(made).toMatchObject(expected);
    const read = await api.get(`${rows}/${String(made[0].id)}`);
    expect(dataOf(read, 200)).toEqual(made[0]);
  });

  it.each(BAD_VALUES)('of type %s: %s is rejected as %s', async (type, sent, code) => {
    const response = await api.post(rows, `{"values":{"${type}":${sent}}}`);
    expectFailure(response, 'invalid_request', [`values.${type} ${code}`]);
  });

  it('with too many digits, NUL, unpaired surrogates or duplicate keys are rejected', async () => {
    for (const text of ['{"json":9007199254740993}', '{"text":"\\u0000"}', '{"json":"\\ud800"}']) {
      expect((await api.post(rows, `{"values":${text}}`)).status).toBe(400);
    }
    expect((await api.post(rows, '{"values":{"text":"a","text":"b"}}')).status).toBe(400);
  });
});
