import { client } from './generated/hey-api/client.gen';
import * as api from './generated/hey-api/sdk.gen';
import { API_KEY, codesOf, FILE, ORIGIN, print, ROWS } from './scenario';

client.setConfig({ baseUrl: ORIGIN, auth: API_KEY });

async function main(): Promise<void> {
  const throwOnError = true;
  const workspace = await api.createWorkspace({ body: { name: 'hey-api' }, throwOnError });
  const created = await api.createDatagrid({
    path: { workspaceId: workspace.data.data.id },
    body: {
      name: 'Airports',
      columns: [
        { key: 'iata', type: 'text', required: true, unique: true },
        { key: 'name', type: 'text' },
        { key: 'size', type: 'select', options: { choices: ['small', 'large'] } },
        { key: 'tags', type: 'multiSelect', options: { choices: ['eu'] }, defaultValue: ['eu'] },
      ],
    },
    throwOnError,
  });
  const datagrid = created.data.data;
  const path = { datagridId: datagrid.id };

  const rows = await api.createRow({ path, body: { rows: ROWS }, throwOnError });
  const list = rows.data.data;
  if (!Array.isArray(list)) throw new Error('A list of rows was created.');

  const firstPage = await api.listRows({ path, query: { page: 1, limit: 2 }, throwOnError });
  const cursorPages: number[][] = [];
  for (let cursor: string | null | undefined = ''; cursor != null;) {
    const page: typeof firstPage = await api.listRows({
      path,
      query: { cursor, limit: 2 },
      throwOnError,
    });
    cursorPages.push(page.data.data.map(({ id }) => id));
    cursor = page.data.meta.nextCursor;
  }

  const found = await api.queryRows({
    path,
    body: { filter: { size: 'small' }, sort: '-iata' },
    throwOnError,
  });
  const upserted = await api.upsertRows({
    path,
    body: {
      matchOn: ['iata'],
      rows: [
        { values: { iata: 'ZRH', name: 'Zürich' } },
        { values: { iata: 'SIR', name: 'Sion' } },
      ],
    },
    throwOnError,
  });
  const batch = await api.batchRows({
    path,
    body: {
      mode: 'atomic',
      operations: [
        { op: 'create', values: { iata: 'ACH' } },
        { op: 'update', id: 1, values: { name: 'Zurich' } },
        { op: 'delete', id: 2 },
      ],
    },
    throwOnError,
  });
  const alone = await api.createRow({
    path,
    headers: { Prefer: 'return=minimal' },
    body: { values: { iata: 'EML' } },
    throwOnError,
  });

  const imported = await api.importRows({ path, body: new Blob([FILE]), throwOnError });
  const exported = await api.exportRows({
    path,
    query: { sort: 'iata', fields: 'iata' },
    throwOnError,
  });

  const missing = await api.getRow({ path: { ...path, rowId: 999 } });
  const duplicate = await api.createRow({ path, body: { values: { iata: 'ZRH' } } });
  if (!missing.error || !duplicate.error) throw new Error('Both requests must fail.');

  await api.deleteDatagrid({ path, throwOnError });
  const restored = await api.restoreTrashItem({ path: { itemId: datagrid.id }, throwOnError });

  const workspaceId = workspace.data.data.id;
  await api.deleteWorkspace({ path: { workspaceId }, query: { cascade: true }, throwOnError });
  const restoredWorkspace = await api.restoreTrashItem({
    path: { itemId: workspaceId },
    throwOnError,
  });

  print({
    columns: datagrid.columns.map(({ key }) => key),
    defaultValue: datagrid.columns[3]?.defaultValue,
    created: list.map(({ values }) => values?.['name']),
    createdAlone: Array.isArray(alone.data.data) ? undefined : alone.data.data.id,
    page: {
      ids: firstPage.data.data.map(({ id }) => id),
      total: firstPage.data.meta.total,
      totalPages: firstPage.data.meta.totalPages,
    },
    cursorPages,
    found: found.data.data.map(({ values }) => values['name']),
    upserted: upserted.data.data.results.map(({ status }) => status),
    batch: batch.data.data.results.map(({ status }) => status),
    imported: imported.data.data.created,
    exported: codesOf(await exported.data.text()),
    missing: { status: missing.response?.status ?? 0, code: missing.error.error.code },
    duplicate: {
      status: duplicate.response?.status ?? 0,
      code: duplicate.error.error.code,
      fields: duplicate.error.error.details?.map(({ field }) => field) ?? [],
    },
    restoredColumns: restored.data.data.columns?.length,
    restoredWorkspace: restoredWorkspace.data.data.name,
  });
}

await main();
