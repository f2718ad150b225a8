import type { ApiResponse } from '../support/api-client';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid, NO_ID } from '../support/fixture';
import { emailOf } from './support/callers';
import { apiOf, hasKey, newWorkspace, runName, withKey, type Caller } from './support/deployment';
import { hasOperator, operator } from './support/operator';

const own = apiOf('own');
let workspace: string;
let grid: string;

beforeAll(async () => {
  workspace = `/workspaces/${await newWorkspace()}`;
  grid = await newDatagrid(own, [{ key: 'a', type: 'text' }], workspace.split('/')[2]);
  dataOf(await own.post(`${grid}/rows`, { values: { a: 'x' } }), 201);
});

/** `describe` if the suite has a key of this caller. Otherwise skips the tests. */
const describeWith = (caller: Caller): jest.Describe => (hasKey(caller) ? describe : describe.skip);

describeWith('viewer')('a viewer', () => {
  it('can read but not write', async () => {
    const api = apiOf('viewer');
    expect(dataOf(await api.get('/me'), 200).role).toBe('viewer');
    expect((await api.get(`${grid}/rows`)).body.data).toMatchObject([{ values: { a: 'x' } }]);
    expectFailure(await api.post(`${grid}/rows`, { values: {} }), 'forbidden');
    expectFailure(await api.delete(`${grid}/rows/1`), 'forbidden');
    expectFailure(await api.post('/workspaces', { name: runName() }), 'forbidden');
    expectFailure(await api.delete(grid), 'forbidden');
  });
});

describeWith('editor')('an editor', () => {
  it('can write rows, but neither columns nor workspaces', async () => {
    const api = apiOf('editor');
    expect(dataOf(await api.get('/me'), 200).role).toBe('editor');
    const { id } = dataOf(await api.post(`${grid}/rows`, { values: { a: 'y' } }), 201);
    expect((await api.delete(`${grid}/rows/${String(id)}`)).status).toBe(204);
    expectFailure(await api.post(`${grid}/columns`, { key: 'b', type: 'text' }), 'forbidden');
    expectFailure(await api.patch(workspace, { description: 'd' }), 'forbidden');
  });
});

describeWith('otherAccount')('another account', () => {
  it('gets the same 404 as for a random id, and changes nothing', async () => {
    const api = apiOf('otherAccount');
    const requestId = { 'x-request-id': 'e2e' };
    const id = (path: string): string => path.split('/')[2] ?? '';
    for (const path of [
      workspace,
      `${workspace}/datagrids`,
      grid,
      `${grid}/rows`,
      `${grid}/rows/1`,
    ]) {
      const response = await api.get(path, requestId);
      const unknown = await api.get(path.replace(id(path), NO_ID), requestId);
      expectFailure(response, 'not_found');
      expect(response.text).toBe(unknown.text);
    }
    expectFailure(await api.post(`${grid}/rows`, { values: { a: 'z' } }), 'not_found');
    expectFailure(await api.delete(`${grid}/rows/1`), 'not_found');
    const { body } = await api.get('/workspaces?limit=200');
    expect(JSON.stringify(body)).not.toContain(id(workspace));
    expect((await own.get(`${grid}/rows`)).body.meta.total).toBe(1);
  });
});

(hasOperator() ? describe : describe.skip)('an operator', () => {
  it('revokes a key, suspends its owner and lowers the role from the next request', async () => {
    const { account } = dataOf(await own.get('/me'), 200) as { account: { id: string } };
    const email = ['--email', emailOf('editor', account.id)];
    const { id, key } = await operator('key', 'create', ...email, '--expires-in', '1h');
    const api = withKey(String(key));
    const write = (): Promise<ApiResponse> => api.post(`${grid}/rows`, { values: { a: 'o' } });
    try {
      const { id: row } = dataOf(await write(), 201);
      expect((await api.delete(`${grid}/rows/${String(row)}`)).status).toBe(204);
      await operator('user', 'role', ...email, '--role', 'viewer');
      expectFailure(await write(), 'forbidden');
      await operator('user', 'role', ...email, '--role', 'editor');
      await operator('user', 'suspend', ...email);
      expectFailure(await api.get('/me'), 'account_suspended');
      await operator('user', 'resume', ...email);
      expect((await api.get('/me')).status).toBe(200);
    } finally {
      await operator('key', 'revoke', '--id', String(id));
    }
    expectFailure(await api.get('/me'), 'unauthenticated');
  });
});
