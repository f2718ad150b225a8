/**
 * Copies a datagrid into a file: reads the feed of changes until it is up to date, and ends. It is written
 * from docs/api/changes.md alone, and uses nothing of the project, not even its client.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

type Values = Record<string, unknown>;
interface Column {
  readonly id: number;
  readonly key: string;
}
interface Row {
  readonly id: number;
  values: Values;
  readonly revision: number;
  isOld?: boolean;
}
type Item =
  | { op: 'set'; row: Row }
  | { op: 'delete'; id: number }
  | { op: 'schema'; columns: Column[] }
  | { op: 'cursor'; cursor: string; upToDate: boolean };
interface Page {
  readonly data: Item[];
  readonly meta: { readonly nextCursor: string; readonly upToDate: boolean };
}

const [url = '', key = '', file = '', form = '', limit = ''] = process.argv.slice(2);

interface Copy {
  readonly cursor: string | null;
  readonly columns: Column[];
  readonly rows: Row[];
}

const stored: Copy = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Copy)
  : { cursor: null, columns: [], rows: [] };
let { cursor, columns } = stored;
const rows = new Map(stored.rows.map((row) => [row.id, row]));

/** Writes items and their cursor in one step. */
function commit(items: readonly Item[], next: string, upToDate: boolean): void {
  for (const item of items) apply(item);
  if (upToDate) {
    for (const { id, isOld = false } of rows.values()) if (isOld) rows.delete(id);
  }
  cursor = next;
  save();
}

function save(): void {
  writeFileSync(
    `${file}.next`,
    JSON.stringify({ cursor, columns, rows: [...rows.values()] } satisfies Copy),
  );
  renameSync(`${file}.next`, file);
}

function apply(item: Item): void {
  if (item.op === 'set') rows.set(item.row.id, item.row);
  else if (item.op === 'delete') rows.delete(item.id);
  else if (item.op === 'schema') applyColumns(item.columns);
}

/** Moves the values of columns with other keys than before, and deletes those of removed columns. */
function applyColumns(current: Column[]): void {
  const keyOf = new Map(current.map((column) => [column.id, column.key]));
  for (const row of rows.values()) {
    const moved: Values = {};
    for (const { id, key: before } of columns) {
      const now = keyOf.get(id);
      if (now !== undefined && Object.hasOwn(row.values, before)) moved[now] = row.values[before];
    }
    row.values = moved;
  }
  columns = current;
}

/** Connections that may fail in a row, so that a copier ends when its service has ended. */
const MAX_FAILURES = 50;

async function get(accept: string): Promise<Response> {
  const query = new URLSearchParams({ limit });
  if (cursor !== null) query.set('cursor', cursor);
  for (let failures = 0; ;) {
    try {
      const headers = { authorization: `Bearer ${key}`, accept };
      const response = await fetch(`${url}?${query.toString()}`, { headers });
      if (response.ok || response.status === 410) return response;
      if (response.status < 500 && response.status !== 429) {
        throw new Error(`${response.status} ${await response.text()}`);
      }
    } catch (error) {
      failures += 1;
      if (!(error instanceof TypeError) || failures > MAX_FAILURES) throw error;
    }
  }
}

/** Reads a page, and returns whether it is the last one. */
async function readPage(): Promise<boolean> {
  const response = await get('application/json');
  if (response.status === 410) return startOver();
  let page: Page;
  try {
    page = (await response.json()) as Page;
  } catch {
    return false; // The connection broke.
  }
  commit(page.data, page.meta.nextCursor, page.meta.upToDate);
  return page.meta.upToDate;
}

async function readLines(): Promise<boolean> {
  const response = await get('application/x-ndjson');
  if (response.status === 410) return startOver();
  let isComplete = false;
  let items: Item[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const item = JSON.parse(line) as Item;
        if (item.op !== 'cursor') {
          items.push(item);
          continue;
        }
        commit(items, item.cursor, item.upToDate);
        isComplete = item.upToDate;
        items = [];
      }
    }
  } catch {
    return isComplete; // The connection broke.
  }
  return isComplete;
}

function startOver(): false {
  for (const row of rows.values()) row.isOld = true;
  cursor = null;
  save();
  return false;
}

while (!(await (form === 'lines' ? readLines() : readPage())));
