import { gunzipSync, gzipSync } from 'node:zlib';
import type { TargetTable } from '../destination';
import { type FieldColumn, readColumns } from './iceberg-columns';
import type { SnapshotId, TableMetadata } from './iceberg-metadata';

/** Branch of the last commit of a sync. It has the files of a load in progress. */
export const SYNC_BRANCH = 'datagrid_sync';

const TABLE = 'datagrid.table';
const TOKEN = 'datagrid.token';
const STATE = 'datagrid.state';
const COLUMNS = 'datagrid.columns';
const LOAD_COLUMNS = 'datagrid.load-columns';
const SNAPSHOT = 'datagrid.snapshot';

/** A longer text is compressed, because each version of a table has all properties. */
const MAX_PLAIN_LENGTH = 2_000;
const GZIP_MARK = 'gzip:';
/** More than any state has. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** What a sync stores in the properties of a table, in the commit of its files. */
export interface SyncProperties {
  readonly token: number;
  readonly state: string | null;
  /** Columns of what readers see; `null` if no load was ever finished. */
  readonly columns: readonly FieldColumn[] | null;
  /** Columns of the load in progress; `null` if there is none. */
  readonly loadColumns: readonly FieldColumn[] | null;
  /** Snapshot that readers see, if nobody else has written to the table. */
  readonly snapshotId: SnapshotId | null;
}

/** Properties of a new table. */
export function initialProperties({ id }: TargetTable): Record<string, string> {
  return {
    [TABLE]: id,
    'format-version': '2',
    'write.format.default': 'parquet',
    'write.metadata.delete-after-commit.enabled': 'true',
    'write.metadata.previous-versions-max': '50',
  };
}

/** Returns whether a sync has created a table. */
export function isOwn({ properties }: TableMetadata, { id }: TargetTable): boolean {
  return properties[TABLE] === id;
}

/** Returns the properties to set, and the names of those to remove. */
export function printProperties(stored: SyncProperties): {
  readonly set: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
} {
  const { token, state, columns, loadColumns, snapshotId } = stored;
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  const texts = Object.entries({
    [TOKEN]: String(token),
    [STATE]: state,
    [COLUMNS]: json(columns),
    [LOAD_COLUMNS]: json(loadColumns),
    [SNAPSHOT]: snapshotId,
  });
  const set = texts.flatMap(([name, text]): [string, string][] =>
    text === null ? [] : [[name, pack(text)]],
  );
  const removed = texts.filter(([, text]) => text === null).map(([name]) => name);
  return { set: Object.fromEntries(set), removed };
}

/**
 * Reads the properties of a table. The owner can write anything there. What is not valid is missing.
 * @returns `null` if no worker has claimed the table.
 */
export function readProperties({ properties }: TableMetadata): SyncProperties | null {
  const text = (name: string): string | null => unpack(properties[name]);
  const token = properties[TOKEN];
  if (token === undefined) return null;
  return {
    // A token that is not valid stops this sync, as one that is too high does.
    token: /^\d{1,15}$/.test(token) ? Number(token) : Number.MAX_SAFE_INTEGER,
    state: text(STATE),
    columns: readColumns(parse(text(COLUMNS))),
    loadColumns: readColumns(parse(text(LOAD_COLUMNS))),
    snapshotId: text(SNAPSHOT),
  };
}

function pack(text: string): string {
  if (text.length <= MAX_PLAIN_LENGTH && !text.startsWith(GZIP_MARK)) return text;
  return GZIP_MARK + gzipSync(text).toString('base64');
}

function unpack(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!text.startsWith(GZIP_MARK)) return text;
  try {
    const bytes = Buffer.from(text.slice(GZIP_MARK.length), 'base64');
    return gunzipSync(bytes, { maxOutputLength: MAX_TEXT_BYTES }).toString('utf8');
  } catch {
    return null;
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}
