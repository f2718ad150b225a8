import { IcebergCatalog } from './iceberg-catalog';
import { type LoadedTable, readTable } from './iceberg-metadata';
import type { RestCatalog } from './rest-catalog';
import type { TableObjects } from './table-storage';

const LOCATION = 's3://lake/sales/flights';
const TABLE = {
  id: '019aa2f4-0000-7000-8000-000000000001',
  name: 'flights',
  deletions: 'delete',
} as const;

function newTable(properties: Readonly<Record<string, string>>): LoadedTable {
  const metadata = {
    'format-version': 2,
    'table-uuid': '019aa2f4-0000-7000-8000-000000000002',
    location: LOCATION,
    'last-updated-ms': 0,
    'last-column-id': 2,
    schemas: [{ 'schema-id': 0, fields: [] }],
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    properties,
  };
  return readTable({ metadata });
}

describe('a table of an Iceberg catalog', () => {
  it('gets no commit with files that were deleted because the sync was stopped meanwhile', async () => {
    const commits: unknown[] = [];
    const deleted: string[] = [];
    let isStopping = false;
    let stopped: Promise<void> | undefined;
    const rest = {
      createNamespace: () => Promise.resolve(),
      createTable: (_: string, __: unknown, properties: Record<string, string>) =>
        Promise.resolve(newTable(properties)),
      loadTable: () => Promise.resolve(null),
      commitTable: (_: string, __: unknown, updates: unknown) => {
        commits.push(updates);
        return Promise.resolve(newTable({}));
      },
      close: () => Promise.resolve(),
    };
    const storage = {
      upload: () => Promise.resolve(),
      // The commit is being prepared when the sync is stopped.
      put: () => {
        if (isStopping) stopped ??= catalog.close();
        return Promise.resolve();
      },
      delete: (addresses: readonly string[]) => {
        deleted.push(...addresses);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    const catalog: IcebergCatalog = new IcebergCatalog(
      rest as unknown as RestCatalog,
      TABLE,
      () => storage as unknown as TableObjects,
    );
    const base = await catalog.commit(null, { token: 1, state: null, table: null, load: null });
    isStopping = true;
    commits.length = 0;
    const stats = new Map([[1, { values: 1, nulls: 0, bytes: 8, min: '1', max: '1' }]]);
    const path = 'rows.parquet';
    const file = await catalog.upload({ path, rows: 1, bytes: 100, fromId: 1, toId: 1, stats });
    const load = { columns: [], files: [file] };
    await expect(catalog.commit(base, { ...base, load })).rejects.toThrow('The sync was stopped.');
    await stopped;
    expect(deleted).toEqual([file.name]);
    expect(commits).toEqual([]);
  });
});
