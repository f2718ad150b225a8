import * as api from './generated/orval';
import { API_KEY, codesOf, FILE, print, ROWS } from './scenario';

const AUTHORIZED = { headers: { Authorization: `Bearer ${API_KEY}` } };

/** Returns the body of a response that must have this status. */
function bodyOf<R extends { status: number; data: unknown }, S extends R['status']>(
  response: R,
  status: S,
): Extract<R, { status: S }>['data'] {
  if (response.status !== status) throw new Error(JSON.stringify(response.data));
  return response.data;
}

async function main(): Promise<void> {
  const workspace = bodyOf(await api.createWorkspace({ name: 'orval' }, AUTHORIZED), 201).data;
  const datagrid = bodyOf(
    await api.createDatagrid(
      workspace.id,
      {
        name: 'Airports',
        columns: [
          { key: 'iata', type: 'text', required: true, unique: true },
          { key: 'name', type: 'text' },
          { key: 'size', type: 'select', options: { choices: ['small', 'large'] } },
          { key: 'tags', type: 'multiSelect', options: { choices: ['eu'] }, defaultValue: ['eu'] },
        ],
      },
      AUTHORIZED,
    ),
    201,
  ).data;
  const { id } = datagrid;

  const created = bodyOf(await api.createRow(id, { rows: ROWS }, AUTHORIZED), 201).data;
  if (!Array.isArray(created)) throw new Error('A list of rows was created.');

  const firstPage = bodyOf(await api.listRows(id, { page: 1, limit: 2 }, AUTHORIZED), 200);
  const cursorPages: number[][] = [];
  for (let cursor: string | null | undefined = ''; cursor != null;) {
    const page: typeof firstPage = bodyOf(
      await api.listRows(id, { cursor, limit: 2 }, AUTHORIZED),
      200,
    );
    cursorPages.push(page.data.map((row) => row.id));
    cursor = page.meta.nextCursor;
  }

  const found = bodyOf(
    await api.queryRows(id, { filter: { size: 'small' }, sort: '-iata' }, AUTHORIZED),
    200,
  ).data;
  const upserted = bodyOf(
    await api.upsertRows(
      id,
      {
        matchOn: ['iata'],
        rows: [
          { values: { iata: 'ZRH', name: 'Zürich' } },
          { values: { iata: 'SIR', name: 'Sion' } },
        ],
      },
      AUTHORIZED,
    ),
    200,
  ).data;
  const batch = bodyOf(
    await api.batchRows(
      id,
      {
        mode: 'atomic',
        operations: [
          { op: 'create', values: { iata: 'ACH' } },
          { op: 'update', id: 1, values: { name: 'Zurich' } },
          { op: 'delete', id: 2 },
        ],
      },
      AUTHORIZED,
    ),
    200,
  ).data;
  const minimal = { headers: { ...AUTHORIZED.headers, Prefer: 'return=minimal' } };
  const alone = bodyOf(await api.createRow(id, { values: { iata: 'EML' } }, minimal), 201).data;

  const imported = bodyOf(
    await api.importRows(id, new Blob([FILE]), undefined, AUTHORIZED),
    201,
  ).data;
  const exported = await api.exportRows(id, { sort: 'iata', fields: 'iata' }, AUTHORIZED);
  if (!('stream' in exported)) throw new Error('The export must succeed.');

  const missing = bodyOf(await api.getRow(id, 999, {}, AUTHORIZED), 404);
  const duplicate = bodyOf(await api.createRow(id, { values: { iata: 'ZRH' } }, AUTHORIZED), 409);

  await api.deleteDatagrid(id, AUTHORIZED);
  const restored = bodyOf(await api.restoreTrashItem(id, AUTHORIZED), 200).data;

  await api.deleteWorkspace(workspace.id, { cascade: true }, AUTHORIZED);
  const restoredWorkspace = bodyOf(await api.restoreTrashItem(workspace.id, AUTHORIZED), 200).data;

  print({
    columns: datagrid.columns.map(({ key }) => key),
    defaultValue: datagrid.columns[3]?.defaultValue,
    created: created.map(({ values }) => values?.['name']),
    createdAlone: Array.isArray(alone) ? undefined : alone.id,
    page: {
      ids: firstPage.data.map((row) => row.id),
      total: firstPage.meta.total,
      totalPages: firstPage.meta.totalPages,
    },
    cursorPages,
    found: found.map(({ values }) => values['name']),
    upserted: upserted.results.map(({ status }) => status),
    batch: batch.results.map(({ status }) => status),
    imported: imported.created,
    exported: codesOf(await exported.stream.text()),
    missing: { status: 404, code: missing.error.code },
    duplicate: {
      status: 409,
      code: duplicate.error.code,
      fields: duplicate.error.details?.map(({ field }) => field) ?? [],
    },
    restoredColumns: restored.columns?.length,
    restoredWorkspace: restoredWorkspace.name,
  });
}

await main();
