import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importNdjson, rejections } from './sending';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared({
    MAX_ROW_BYTES: '1000',
    MAX_BATCH_BYTES: '4000',
    IMPORT_BATCH_ROWS: '50',
  });
  owner = await app.newAccount();
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

it('measures a row as a single create does', async () => {
  const grid = await newDatagrid(owner.api, [{ key: 'j', type: 'json' }]);
  const values = [
    [1e308, 1e308, 1e308],
    [1e308, 1e308, 1e308, 1],
    ['ä'.repeat(495)],
    ['ä'.repeat(497)],
  ];
  const statuses: number[] = [];
  for (const j of values) {
    statuses.push((await owner.api.post(`${grid}/rows`, { values: { j } })).status);
  }
  const lines = values.map((j) => JSON.stringify({ j })).join('\n');
  const data = dataOf(await importNdjson(owner.api, grid, lines, '?onError=skip'), 201);
  const rejected = statuses.flatMap((status, index) =>
    status === 413 ? [`${String(index + 1)} line too_large`] : [],
  );
  expect(rejected).toHaveLength(1);
  expect(rejections(data)).toEqual(rejected);
});

it('splits an upsert whose rows are too large for one batch', async () => {
  const columns = [
    { key: 'sku', type: 'text', unique: true },
    { key: 'note', type: 'text' },
  ];
  const grid = await newDatagrid(owner.api, columns);
  const note = 'x'.repeat(800);
  const lines = Array.from({ length: 40 }, (_, n) => `{"sku":"${String(n)}","note":"${note}"}`);
  dataOf(await importNdjson(owner.api, grid, lines.join('\n')), 201);
  const changed = lines.map((line) => line.replace('x', 'y')).join('\n');
  const data = dataOf(
    await importNdjson(owner.api, grid, changed, '?mode=upsert&matchOn=sku'),
    201,
  );
  expect(data).toMatchObject({ updated: 40, created: 0, unchanged: 0 });
});
