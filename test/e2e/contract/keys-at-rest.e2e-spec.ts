import { createApiKeyToken } from '../../../src/auth/api-key/api-key-token';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({ settings: { LOG_LEVEL: 'trace' } });
});

afterAll(() => app.close());

/** Returns every row of every table as text. */
async function dump(): Promise<string> {
  const { rows } = await app.sql.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const tables = await Promise.all(
    rows.map(({ name }) =>
      app.sql.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`),
    ),
  );
  return tables.flatMap((table) => table.rows.map(({ text }) => text)).join('\n');
}

it('keeps API keys in clear text out of the database and all logs', async () => {
  const { owner, viewer } = await newTeam(app);
  const { key, api } = owner;
  const unknown = createApiKeyToken();
  const datagrid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
  await api.post(`${datagrid}/rows`, { values: { n: 1 } });
  await api.get('/me');
  await api.get(`/workspaces?key=${key}`);
  await api.get(`/${key}?x=${key}`);
  await api.post('/workspaces', `{"name":"${key}"`);
  await api.get('/me', { 'x-request-id': key.slice(0, 3) });
  await viewer.api.post('/workspaces', { name: 'Denied' });
  await app.api(unknown).get('/me');
  await app.sql.query('ALTER TABLE workspaces RENAME TO elsewhere');
  expectFailure(await api.get('/workspaces'), 'internal');
  await app.sql.query('ALTER TABLE elsewhere RENAME TO workspaces');

  const text = [await dump(), ...app.logs].join('\n');
  expect(text).toContain(owner.email);
  expect(text).toContain(owner.keyId);
  for (const token of [key, viewer.key, unknown]) {
    const secret = token.slice(8, -4);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(token).toString('hex'));
    expect(text).not.toContain(Buffer.from(token).toString('base64'));
  }
});

it('returns 401 for a wrong checksum without looking up the key', async () => {
  const { key } = (await newTeam(app)).viewer;
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  // Without the table, every lookup of a key fails with 500.
  await app.sql.query('ALTER TABLE api_keys RENAME TO elsewhere');
  expectFailure(await app.api(wrong).get('/me'), 'unauthenticated');
  expectFailure(await app.api(`${key}0`).get('/me'), 'unauthenticated');
  expectFailure(await app.api(createApiKeyToken()).get('/me'), 'internal');
  await app.sql.query('ALTER TABLE elsewhere RENAME TO api_keys');
  expect((await app.api(key).get('/me')).status).toBe(200);
});
