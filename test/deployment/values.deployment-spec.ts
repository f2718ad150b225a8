import {
  COLUMN_TYPE_NAMES,
  isComputed,
  isLink,
  isReadOnly,
} from '../../src/datagrids/column-type/column-type';
import { BAD_VALUES, GOOD_VALUES } from '../e2e/rows/value-cases';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid } from '../support/fixture';
import { apiOf, newWorkspace } from './support/deployment';

const api = apiOf('own');
/** Links need a datagrid, and the service sets the values of read-only columns. */
const TYPES = COLUMN_TYPE_NAMES.filter(
  (type) => !isLink(type) && !isComputed(type) && !isReadOnly(type),
);
let workspace: string;
let rows: string;

beforeAll(async () => {
  workspace = await newWorkspace();
  const columns = TYPES.map((type) => ({
    key: type,
    type,
    options: /select/i.test(type) ? { choices: ['red', 'green'] } : {},
  }));
  rows = `${await newDatagrid(api, columns, workspace)}/rows`;
});

describe('values', () => {
  it.each(TYPES)('of type %s are stored and returned', async (type) => {
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

  it('of read-only columns are set by the service, and are rejected in requests', async () => {
    const columns = [
      { key: 'number', type: 'autonumber', options: { start: 100 } },
      { key: 'creator', type: 'createdBy' },
      { key: 'editor', type: 'updatedBy' },
    ];
    const path = `${await newDatagrid(api, columns, workspace)}/rows`;
    const { values } = dataOf(await api.post(path, { values: {} }), 201);
    expect(values).toEqual({ number: 100, creator: values.editor, editor: expect.any(String) });
    const response = await api.post(path, { values: { number: 7 } });
    expectFailure(response, 'invalid_request', ['values.number read_only']);
  });

  it('of links are stored and returned, and name only rows that exist', async () => {
    const linked = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspace);
    dataOf(await api.post(`${linked}/rows`, { rows: [{ values: {} }, { values: {} }] }), 201);
    const options = { datagridId: linked.replace('/datagrids/', '') };
    const columns = [
      { key: 'one', type: 'link', options },
      { key: 'many', type: 'multiLink', options },
    ];
    const linking = `${await newDatagrid(api, columns, workspace)}/rows`;
    const values = { one: 2, many: [2, 1] };
    expect(dataOf(await api.post(linking, { values }), 201).values).toEqual(values);
    const response = await api.post(linking, { values: { one: 3 } });
    expectFailure(response, 'invalid_request', ['values.one unknown_row']);
    const deletion = await api.delete(`${linked}/rows/1`);
    expectFailure(deletion, 'conflict', ['rows.1 conflicting_rows']);
  });
});
