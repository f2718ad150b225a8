import { randomUUID } from 'node:crypto';
import { API, type ApiClient } from '../../support/api-client';
import { dataOf, newDatagrid } from '../../support/fixture';

const ROWS_PER_CALL = 1_000;

/** A request of the victim, as an integration sends it. */
export interface Call {
  /** Kind of the request, such as `page`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Fills a datagrid and prepares the calls: pages, filtered pages, single rows, and writes. */
export async function newVictimCalls(api: ApiClient, rowCount: number): Promise<readonly Call[]> {
  const columns = [
    { key: 'n', type: 'integer', indexed: true },
    { key: 'name', type: 'text' },
  ];
  // Unlike a name of `fixture.ts`, it is unique in all test files that share the account.
  const workspace = await api.post('/workspaces', { name: randomUUID() });
  const grid = await newDatagrid(api, columns, dataOf(workspace, 201).id);
  for (let n = 0; n < rowCount; n += ROWS_PER_CALL) {
    const rows = Array.from({ length: Math.min(ROWS_PER_CALL, rowCount) }, (_, m) => {
      return { values: { n: n + m, name: `Row ${String(n + m)}` } };
    });
    dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  }
  const filter = encodeURIComponent(JSON.stringify({ n: { $lt: 40 } }));
  const path = `${API}${grid}/rows`;
  return [
    { name: 'page', method: 'GET', path: `${path}?limit=20` },
    { name: 'create', method: 'POST', path, body: { values: { n: 7, name: 'New' } } },
    { name: 'row', method: 'GET', path: `${path}/17` },
    { name: 'filtered page', method: 'GET', path: `${path}?filter=${filter}&limit=20` },
    { name: 'update', method: 'PATCH', path: `${path}/18`, body: { values: { name: 'Set' } } },
    { name: 'me', method: 'GET', path: `${API}/me` },
  ];
}
