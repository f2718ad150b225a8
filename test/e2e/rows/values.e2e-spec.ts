import {
  COLUMN_TYPE_NAMES,
  isComputed,
  isReadOnly,
  isLink,
} from '../../../src/datagrids/column-type/column-type';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { BAD_VALUES, GOOD_VALUES } from './value-cases';

let app: TestApp;
let team: Team;
let rows: string;

/** Links need a datagrid: see the tests of links. */
const TYPES = COLUMN_TYPE_NAMES.filter(
  (type) => !isLink(type) && !isComputed(type) && !isReadOnly(type),
);

const hasChoices = (type: string): boolean => type === 'select' || type === 'multiSelect';

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  const columns = TYPES.map((type) => ({
    key: type,
    type,
    options: hasChoices(type) ? { choices: ['red', 'green'] } : {},
  }));
  rows = `${await newDatagrid(team.owner.api, columns)}/rows`;
});

afterAll(() => app.close());

describe('a value', () => {
  it.each(GOOD_VALUES)('of type %s is accepted: %s is returned as %s', async (type, sent, back) => {
    const expected = { [type]: JSON.parse(back) as unknown };
    const created = dataOf(await team.editor.api.post(rows, `{"values":{"${type}":${sent}}}`), 201);
    expect(created.values).toEqual(expected);
    const read = await team.viewer.api.get(`${rows}/${created.id}`);
    expect(read.body.data).toEqual(created);
  });

  it.each(BAD_VALUES)('of type %s is rejected: %s returns %s', async (type, sent, code) => {
    const before = (await team.viewer.api.get(rows)).body.meta.total;
    const response = await team.editor.api.post(rows, `{"values":{"${type}":${sent}}}`);
    expectFailure(response, 'invalid_request', [`values.${type} ${code}`]);
    expect((await team.viewer.api.get(rows)).body.meta.total).toBe(before);
  });

  it.each(TYPES)('of type %s is absent from the response if it is null', async (type) => {
    const { values } = dataOf(await team.editor.api.post(rows, { values: { [type]: null } }), 201);
    expect(values).toEqual({});
  });

  it.each(TYPES)('of type %s is tested with valid and invalid values', (type) => {
    expect(GOOD_VALUES.some(([tried]) => tried === type)).toBe(true);
    expect(type === 'json' || BAD_VALUES.some(([tried]) => tried === type)).toBe(true);
  });
});
