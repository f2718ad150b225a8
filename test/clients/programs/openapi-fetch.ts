import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript';
import { API_KEY, codesOf, FILE, ORIGIN, print, ROWS } from './scenario';

const client = createClient<paths>({
  baseUrl: ORIGIN,
  headers: { Authorization: `Bearer ${API_KEY}` },
});

const API = '/api/v1/public';

/** Returns the body of a success. */
function bodyOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function main(): Promise<void> {
  const workspace = bodyOf(
    await client.POST(`${API}/workspaces`, { body: { name: 'openapi-fetch' } }),
  );
  const workspaceId = workspace.data.id;
  const datagrid = bodyOf(
    await client.POST(`${API}/workspaces/{workspaceId}/datagrids`, {
      params: { path: { workspaceId } },
      body: {
        name: 'Airports',
        columns: [
          { key: 'iata', type: 'text', required: true, unique: true },
          { key: 'name', type: 'text' },
          { key: 'size', type: 'select', options: { choices: ['small', 'large'] } },
          { key: 'tags', type: 'multiSelect', options: { choices: ['eu'] }, defaultValue: ['eu'] },
        ],
      },
    }),
  ).data;
  const path = { datagridId: datagrid.id };

  const created = bodyOf(
    await client.POST(`${API}/datagrids/{datagridId}/rows`, {
      params: { path },
      body: { rows: ROWS },
    }),
  ).data;
  if (!Array.isArray(created)) throw new Error('A list of rows was created.');

  const firstPage = bodyOf(
    await client.GET(`${API}/datagrids/{datagridId}/rows`, {
      params: { path, query: { page: 1, limit: 2 } },
    }),
  );
  const cursorPages: number[][] = [];
  for (let cursor: string | null | undefined = ''; cursor != null;) {
    const { data, meta }: typeof firstPage = bodyOf(
      await client.GET(`${API}/datagrids/{datagridId}/rows`, {
        params: { path, query: { cursor, limit: 2 } },
      }),
    );
    cursorPages.push(data.map(({ id }) => id));
    cursor = meta.nextCursor;
  }

  const found = bodyOf(
    await client.POST(`${API}/datagrids/{datagridId}/rows/query`, {
      params: { path },
      body: { filter: { size: 'small' }, sort: '-iata' },
    }),
  ).data;
  const upserted = bodyOf(
    await client.PUT(`${API}/datagrids/{datagridId}/rows`, {
      params: { path },
      body: {
        matchOn: ['iata'],
        rows: [
          { values: { iata: 'ZRH', name: 'Zürich' } },
          { values: { iata: 'SIR', name: 'Sion' } },
        ],
      },
    }),
  ).data;
  const batch = bodyOf(
    await client.POST(`${API}/datagrids/{datagridId}/rows/batch`, {
      params: { path },
      body: {
        mode: 'atomic',
        operations: [
          { op: 'create', values: { iata: 'ACH' } },
          { op: 'update', id: 1, values: { name: 'Zurich' } },
          { op: 'delete', id: 2 },
        ],
      },
    }),
  ).data;
  const alone = bodyOf(
    await client.POST(`${API}/datagrids/{datagridId}/rows`, {
      params: { path, header: { Prefer: 'return=minimal' } },
      body: { values: { iata: 'EML' } },
    }),
  ).data;

  const imported = bodyOf(
    await client.POST(`${API}/datagrids/{datagridId}/rows/import`, {
      params: { path },
      headers: { 'Content-Type': 'text/csv' },
      body: FILE,
      bodySerializer: (file) => file,
    }),
  ).data;
  const exported = bodyOf(
    await client.GET(`${API}/datagrids/{datagridId}/rows/export`, {
      params: { path, query: { sort: 'iata', fields: 'iata' } },
      parseAs: 'text',
    }),
  );

  const missing = await client.GET(`${API}/datagrids/{datagridId}/rows/{rowId}`, {
    params: { path: { ...path, rowId: 999 } },
  });
  const duplicate = await client.POST(`${API}/datagrids/{datagridId}/rows`, {
    params: { path },
    body: { values: { iata: 'ZRH' } },
  });
  if (!missing.error || !duplicate.error) throw new Error('Both requests must fail.');

  await client.DELETE(`${API}/datagrids/{datagridId}`, { params: { path } });
  const restored = bodyOf(
    await client.POST(`${API}/trash/{itemId}/restore`, {
      params: { path: { itemId: datagrid.id } },
    }),
  ).data;
  await client.DELETE(`${API}/workspaces/{workspaceId}`, {
    params: { path: { workspaceId }, query: { cascade: true } },
  });
  const restoredWorkspace = bodyOf(
    await client.POST(`${API}/trash/{itemId}/restore`, {
      params: { path: { itemId: workspaceId } },
    }),
  ).data;

  print({
    columns: datagrid.columns.map(({ key }) => key),
    defaultValue: datagrid.columns[3]?.defaultValue,
    created: created.map(({ values }) => values?.['name']),
    createdAlone: Array.isArray(alone) ? undefined : alone.id,
    page: {
      ids: firstPage.data.map(({ id }) => id),
      total: firstPage.meta.total,
      totalPages: firstPage.meta.totalPages,
    },
    cursorPages,
    found: found.map(({ values }) => values['name']),
    upserted: upserted.results.map(({ status }) => status),
    batch: batch.results.map(({ status }) => status),
    imported: imported.created,
    exported: codesOf(exported),
    missing: { status: missing.response.status, code: missing.error.error.code },
    duplicate: {
      status: duplicate.response.status,
      code: duplicate.error.error.code,
      fields: duplicate.error.error.details?.map(({ field }) => field) ?? [],
    },
    restoredColumns: restored.columns?.length,
    restoredWorkspace: restoredWorkspace.name,
  });
}

await main();
