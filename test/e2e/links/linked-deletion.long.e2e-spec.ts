import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { createRows, idOf, valuesOf } from './linked-sheets';

let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  ({ api } = (await newTeam(app)).owner);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

// The limit is 10,000 statements.
describe('a chain of rows that are deleted one after the other', () => {
  it('returns 409 if many datagrids link to each row, and changes nothing', async () => {
    const workspaceId = await newWorkspace(api);
    const chain = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
    const toChain = { type: 'link', options: { datagridId: idOf(chain), onDelete: 'cascade' } };
    dataOf(await api.post(`${chain}/columns`, { key: 'before', ...toChain }), 201);
    for (let count = 0; count < 10; count += 1) {
      await newDatagrid(api, [{ key: 'link', ...toChain }], workspaceId);
    }
    const values = Array.from({ length: 1_000 }, (_, index) =>
      index === 0 ? {} : { before: index },
    );
    await createRows(api, chain, values);
    const response = await api.delete(`${chain}/rows/1`);
    expectFailure(response, 'conflict');
    expect(response.text).toContain('The chains of rows that link to these rows are too long.');
    expect((await api.delete(`${chain}/rows/200`)).status).toBe(204);
    expect((await api.delete(`${chain}/rows/1`)).status).toBe(204);
    expect(await valuesOf(api, chain)).toEqual({});
  });
});
