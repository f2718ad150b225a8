import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { importNdjson, numbered, SlowImport } from './sending';

const N = [{ key: 'n', type: 'integer', unique: true }];

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '10' });
  team = await newTeam(app);
});

afterAll(() => app.close());

const named = (key: string): Record<string, string> => ({ 'idempotency-key': key });

describe('an import with an Idempotency-Key', () => {
  it('runs once and replays its report', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const send = (): ReturnType<typeof importNdjson> =>
      importNdjson(api, grid, numbered(1, 25), '', named('once'));
    const first = await send();
    const again = await send();
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect((await api.get(grid)).body.data.rowCount).toBe(25);
  });

  it('replays its failure and does not run again', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const first = await importNdjson(api, grid, '[]', '', named('fails'));
    const again = await importNdjson(api, grid, '{"n":1}', '', named('fails'));
    expectFailure(first, 'invalid_request', ['lines.1 wrong_type']);
    expectFailure(again, 'invalid_request', ['lines.1 wrong_type']);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect((await api.get(grid)).body.data.rowCount).toBe(0);
  });

  it('returns 202 with the running import', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const sent = SlowImport.start(app, team.owner, grid, '', named('running'));
    sent.write(numbered(1, 3));
    await eventually(async () => (await api.get(`${grid}/imports`)).body.meta.total === 1);
    const second = await importNdjson(api, grid, numbered(1, 3), '', named('running'));
    const { id } = dataOf(second, 202);
    sent.end();
    expect((await sent.response).body.data.id).toBe(id);
    expect((await api.get(grid)).body.data.rowCount).toBe(3);
  });

  it('starts once for concurrent requests', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => importNdjson(api, grid, numbered(1, 5), '', named('many'))),
    );
    const ids = responses.map(({ body }) => body.data.id as string);
    expect(new Set(ids).size).toBe(1);
    expect((await api.get(`${grid}/imports`)).body.meta.total).toBe(1);
    await eventually(async () => (await api.get(grid)).body.data.rowCount === 5);
  });

  it('returns 409 for a key of another request and 400 for an invalid key', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, N);
    dataOf(await importNdjson(api, grid, '{}', '', named('other')), 201);
    const other = await importNdjson(api, grid, '{}', '?onError=skip', named('other'));
    expectFailure(other, 'idempotency_key_reused');
    const bad = await importNdjson(api, grid, '{}', '', named('x'.repeat(256)));
    expectFailure(bad, 'invalid_request', ['Idempotency-Key invalid_format']);
    // The keys of different users are independent.
    dataOf(await importNdjson(team.admin.api, grid, '{}', '?onError=skip', named('other')), 201);
  });
});
