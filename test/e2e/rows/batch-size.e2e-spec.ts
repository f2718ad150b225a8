import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'note', type: 'text' },
];

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_BATCH_BYTES: '5000' });
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('a batch or an upsert', () => {
  it('returns 400 and changes nothing if the stored rows are too large together', async () => {
    const path = `${await newDatagrid(team.owner.api, COLUMNS)}/rows`;
    const rows = ['a', 'b', 'c'].map((sku) => ({ values: { sku, note: sku.repeat(2_000) } }));
    await team.owner.api.post(path, { rows });
    const { api } = team.editor;
    const operations = [1, 2, 3].map((id) => ({ op: 'update', id, values: { note: 'short' } }));
    for (const mode of ['atomic', 'partial']) {
      const response = await api.post(`${path}/batch`, { mode, operations });
      expectFailure(response, 'invalid_request', ['operations too_large']);
    }
    const short = rows.map(({ values }) => ({ values: { ...values, note: 'short' } }));
    const upsert = { matchOn: ['sku'], rows: short };
    expectFailure(await api.put(path, upsert), 'invalid_request', ['rows too_large']);
    expect(dataOf(await api.get(`${path}/1`), 200)).toMatchObject({ revision: 1, ...rows[0] });

    const fewer = await api.put(path, { ...upsert, rows: short.slice(1) });
    expect(dataOf(fewer, 200).results).toMatchObject([
      { status: 'updated' },
      { status: 'updated' },
    ]);
    const all = await api.post(`${path}/batch`, { mode: 'atomic', operations });
    expect(dataOf(all, 200).results).toHaveLength(3);
  });
});
