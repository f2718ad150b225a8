import {
  BatchModeEnum,
  BatchOperationOpEnum,
  Configuration,
  CreateColumnTypeEnum,
  CreateRowOperationPreferEnum,
  DatagridsApi,
  ModelErrorFromJSON,
  type ModelError,
  ResponseError,
  RowsApi,
  TrashApi,
  WorkspacesApi,
} from './generated/typescript-fetch';
import { API_KEY, codesOf, FILE, ORIGIN, print, ROWS } from './scenario';

const configuration = new Configuration({ basePath: ORIGIN, accessToken: API_KEY });
const workspaces = new WorkspacesApi(configuration);
const datagrids = new DatagridsApi(configuration);
const rows = new RowsApi(configuration);
const trash = new TrashApi(configuration);

/** Returns the error of a request that must fail. */
async function errorOf(
  request: Promise<unknown>,
): Promise<{ readonly status: number; readonly error: ModelError['error'] }> {
  try {
    await request;
  } catch (failure) {
    if (!(failure instanceof ResponseError)) throw failure;
    const { error } = ModelErrorFromJSON(await failure.response.json());
    return { status: failure.response.status, error };
  }
  throw new Error('The request must fail.');
}

async function main(): Promise<void> {
  const workspace = await workspaces.createWorkspace({
    createWorkspace: { name: 'typescript-fetch' },
  });
  const { data: datagrid } = await datagrids.createDatagrid({
    workspaceId: workspace.data.id,
    createDatagrid: {
      name: 'Airports',
      columns: [
        { key: 'iata', type: CreateColumnTypeEnum.Text, required: true, unique: true },
        { key: 'name', type: CreateColumnTypeEnum.Text },
        {
          key: 'size',
          type: CreateColumnTypeEnum.Select,
          options: { choices: new Set(['small', 'large']) },
        },
        {
          key: 'tags',
          type: CreateColumnTypeEnum.MultiSelect,
          options: { choices: new Set(['eu']) },
          defaultValue: ['eu'],
        },
      ],
    },
  });
  const datagridId = datagrid.id;

  const { data: created } = await rows.createRow({ datagridId, createRowRequest: { rows: ROWS } });
  if (!Array.isArray(created)) throw new Error('A list of rows was created.');

  const firstPage = await rows.listRows({ datagridId, page: 1, limit: 2 });
  const cursorPages: number[][] = [];
  for (let cursor: string | null | undefined = ''; cursor != null;) {
    const page: typeof firstPage = await rows.listRows({ datagridId, cursor, limit: 2 });
    cursorPages.push(page.data.map(({ id }) => id));
    cursor = page.meta.nextCursor;
  }

  const found = await rows.queryRows({
    datagridId,
    rowQuery: { filter: { size: 'small' }, sort: '-iata' },
  });
  const upserted = await rows.upsertRows({
    datagridId,
    upsert: {
      matchOn: ['iata'],
      rows: [
        { values: { iata: 'ZRH', name: 'Zürich' } },
        { values: { iata: 'SIR', name: 'Sion' } },
      ],
    },
  });
  const batch = await rows.batchRows({
    datagridId,
    batch: {
      mode: BatchModeEnum.Atomic,
      operations: [
        { op: BatchOperationOpEnum.Create, values: { iata: 'ACH' } },
        { op: BatchOperationOpEnum.Update, id: 1, values: { name: 'Zurich' } },
        { op: BatchOperationOpEnum.Delete, id: 2 },
      ],
    },
  });
  const { data: alone } = await rows.createRow({
    datagridId,
    prefer: CreateRowOperationPreferEnum.Returnminimal,
    createRowRequest: { values: { iata: 'EML' } },
  });

  const imported = await rows.importRows({ datagridId, body: new Blob([FILE]) });
  const exported = await rows.exportRows({ datagridId, sort: 'iata', fields: 'iata' });

  const missing = await errorOf(rows.getRow({ datagridId, rowId: 999 }));
  const duplicate = await errorOf(
    rows.createRow({ datagridId, createRowRequest: { values: { iata: 'ZRH' } } }),
  );

  await datagrids.deleteDatagrid({ datagridId });
  const restored = await trash.restoreTrashItem({ itemId: datagridId });

  const workspaceId = workspace.data.id;
  await workspaces.deleteWorkspace({ workspaceId, cascade: true });
  const restoredWorkspace = await trash.restoreTrashItem({ itemId: workspaceId });

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
    found: found.data.map(({ values }) => values['name']),
    upserted: upserted.data.results.map(({ status }) => status),
    batch: batch.data.results.map(({ status }) => status),
    imported: imported.data.created,
    exported: codesOf(await exported.text()),
    missing: { status: missing.status, code: missing.error.code },
    duplicate: {
      status: duplicate.status,
      code: duplicate.error.code,
      fields: duplicate.error.details?.map(({ field }) => field) ?? [],
    },
    restoredColumns: restored.data.columns?.length,
    restoredWorkspace: restoredWorkspace.data.name,
  });
}

await main();
