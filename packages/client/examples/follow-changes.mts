/** Keeps a copy of a datagrid in a file, with the cursor of the last change that it contains. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient, movedValues, type Row } from '@datagrid/client';

interface Copy {
  readonly cursor: string | null;
  /** Columns of the values. Keys can change, but IDs stay. */
  readonly columns: readonly { readonly id: number; readonly key: string }[];
  readonly rows: Row[];
  /** Rows that were not returned since the copy started over. */
  readonly stale: number[];
}

const { BASE_URL = '', API_KEY = '', GRID = '', FILE = '' } = process.env;
const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });
const stored: Copy = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Copy)
  : { cursor: null, columns: [], rows: [], stale: [] };
const rows = new Map(stored.rows.map((row) => [row.id, row]));
const stale = new Set(stored.stale);
let { columns } = stored;

for await (const page of client.rows(GRID).changes({ cursor: stored.cursor })) {
  if (page.isRestart) for (const id of rows.keys()) stale.add(id);
  for (const change of page.changes) {
    if (change.op === 'schema') {
      for (const [id, row] of rows) {
        rows.set(id, { ...row, values: movedValues(row.values, columns, change.columns) });
      }
      columns = change.columns.map(({ id, key }) => ({ id, key }));
    }
    if (change.op === 'set') rows.set(change.row.id, change.row);
    if (change.op === 'set') stale.delete(change.row.id);
    if (change.op === 'delete') rows.delete(change.id);
  }
  if (page.isUpToDate) {
    for (const id of stale) rows.delete(id);
    stale.clear();
  }
  // The rows and the cursor are replaced together.
  const copy: Copy = {
    ...{ cursor: page.cursor, columns, rows: [...rows.values()], stale: [...stale] },
  };
  writeFileSync(`${FILE}.part`, JSON.stringify(copy));
  renameSync(`${FILE}.part`, FILE);
  console.log(`${page.isRestart ? 'restart' : 'changes'} ${String(page.changes.length)}`);
}
