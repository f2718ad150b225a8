import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ColumnarCopies } from '../../src/columnar/columnar-copies';
import { CopyFollowingService } from '../../src/columnar/copy-following.service';
import { CopyLoadingService } from '../../src/columnar/copy-loading.service';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newSqlQuery, newDatagrid, newWorkspace } from '../support/fixture';
import type { TestApp } from '../support/test-app';

/** More than any other datagrid of the workload has. */
const COPIED_ROWS = 1_000;

export const COLUMNAR_SETTINGS = {
  COLUMNAR_DIR: join(tmpdir(), `datagrid-columnar-${String(process.pid)}`),
  columnarMinRows: COPIED_ROWS,
};

/** Has a copy loaded, changes rows, and reads it. Then runs SQL. */
export async function useColumnarCopy(app: TestApp, api: ApiClient): Promise<void> {
  const workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'a', type: 'text' },
    { key: 'n', type: 'decimal' },
  ];
  const grid = await newDatagrid(api, columns, workspaceId, 'Copied');
  const values = { a: 'É', n: '1.5' };
  const rows = Array.from({ length: COPIED_ROWS }, () => ({ values }));
  dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  const query = { q: 'É', sort: '-n', limit: 2 };
  for (const _ of [1, 2]) dataOf(await api.post(`${grid}/rows/query`, query), 200);
  await app.nest.get(CopyLoadingService, { strict: false }).runOnce();
  const copies = app.nest.get(ColumnarCopies, { strict: false });
  const id = grid.slice('/datagrids/'.length);
  await eventually(() => copies.of(id) !== undefined);
  for (const _ of [1, 2]) {
    dataOf(await api.post(`${grid}/rows`, { values }), 201);
    expect((await api.delete(`${grid}/rows/7`)).status).toBeLessThan(500);
    dataOf(await api.post(`${grid}/rows/query`, query), 200);
    const aggregates = [{ function: 'avg', column: 'n' }];
    dataOf(
      await api.post(`${grid}/rows/aggregate`, { groupBy: [{ column: 'a' }], aggregates }),
      200,
    );
  }
  dataOf(await api.post(`${grid}/rows`, { values }), 201);
  await app.nest.get(CopyFollowingService, { strict: false }).runOnce();
  const path = `/workspaces/${workspaceId}/sql`;
  dataOf(await api.post(path, { sql: 'SELECT a, sum(n) AS n FROM copied GROUP BY a' }), 200);
  const saved = `${path}/queries/${await newSqlQuery(api, workspaceId)}`;
  dataOf(await api.patch(saved, { sql: 'SELECT 2' }), 200);
  dataOf(await api.get(`${path}/queries`), 200);
  expect((await api.delete(saved)).status).toBe(204);
}
