import { gzipSync } from 'node:zlib';
import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
/** Path of a datagrid of another account. */
let datagrid: string;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  ({ api } = await app.newAccount());
  datagrid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

describe('a request', () => {
  it.each<[string, string | Buffer, Record<string, string>]>([
    ['malformed', '{"name":', {}],
    ['too deep', '['.repeat(5_000), {}],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), {}],
    ['larger than 10 MB', Buffer.alloc(11 * 1024 * 1024, ' '), {}],
    [
      'a compression bomb',
      gzipSync(Buffer.alloc(20 * 1024 * 1024)),
      { 'content-encoding': 'gzip' },
    ],
    ['of an unknown encoding', 'x', { 'content-encoding': 'zip' }],
    ['of another type', '<a/>', { 'content-type': 'application/xml' }],
  ])('returns 401 without a key whatever its body is: %s', async (_, body, headers) => {
    for (const path of ['/workspaces', `/datagrids/${NO_ID}/rows`]) {
      expectFailure(await app.api().post(path, body, headers), 'unauthenticated');
    }
  });

  it('returns 401 without a key if its body is announced and never sent', async () => {
    const request = rawRequest([
      'POST /api/v1/public/workspaces HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Length: 1000000000',
    ]);
    expectFailure(await sendRaw(app.port, request), 'unauthenticated');
  });

  it('returns 401 without a key if its parameters and ids are invalid', async () => {
    expectFailure(await app.api().get('/workspaces?page=0&x=1'), 'unauthenticated');
    expectFailure(await app.api().patch('/workspaces/%00?x', '{'), 'unauthenticated');
  });

  it('returns 403 before its body is read if the role does not allow it', async () => {
    expectFailure(await team.viewer.api.post('/workspaces', '{"name":'), 'forbidden');
  });
});

describe('a property that only the service sets', () => {
  const fields = ['id', 'accountId', 'account_id', 'role', 'createdAt', 'updatedAt', 'nameKey'];

  it.each(fields)('is rejected in the body of a workspace: %s', async (field) => {
    const { owner } = team;
    const response = await owner.api.post('/workspaces', { name: 'Mine', [field]: NO_ID });
    expectFailure(response, 'invalid_request', [`${field} unknown_property`]);
    expect((await owner.api.get('/workspaces')).body.meta.total).toBe(0);
  });

  it.each([...fields, 'workspaceId', 'rowCount', 'revision'])(
    'is rejected in the body of a datagrid: %s',
    async (field) => {
      const before = (await api.get(datagrid)).text;
      const change = await api.patch(datagrid, { description: 'X', [field]: 1 });
      expectFailure(change, 'invalid_request', [`${field} unknown_property`]);
      expect((await api.get(datagrid)).text).toBe(before);
    },
  );

  it.each([...fields, 'revision'])('is rejected in the body of a row: %s', async (field) => {
    const rows = `${datagrid}/rows`;
    const response = await api.post(rows, { values: {}, [field]: 7 });
    expectFailure(response, 'invalid_request', [`${field} unknown_property`]);
    const inValues = await api.post(rows, { values: { [field]: 7 } });
    expectFailure(inValues, 'invalid_request', [`values.${field} unknown_column`]);
    expect((await api.get(rows)).body.meta.total).toBe(0);
  });
});
