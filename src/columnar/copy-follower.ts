import type { DatabaseSnapshot } from '../platform/database/query-pool';
import type { ColumnarCopy } from './columnar-copy';
import type { ColumnarSession } from './columnar-database';
import { withLinesFile } from './copy-lines-file';
import { readChangedRows, readHead, readNamed } from './copy-source.repository';
import { replaceRows } from './copy-table.repository';
import type { CopyTable } from './copy-table';

/** Why a copy is not at the revision of a snapshot. */
export type Behind =
  /**
   * It must be loaded anew: its columns are no longer those of the datagrid, somebody has restored the
   * database, the change log does not have what it lacks, or one change alone has more rows than may be
   * written.
   */
  | 'useless'
  /** More rows have changed than may be written now. Some of them may have been written. */
  | 'tooMany'
  /** The account has no such datagrid. */
  | 'gone';

/** Limits of `follow`, and texts to convert to lower case in the same statement. */
export interface FollowOptions {
  /** Texts to fold. */
  readonly texts: readonly string[];
  /** Maximum number of rows to write. */
  readonly maxRows: number;
  /** Maximum size of their lines in bytes. */
  readonly maxBytes: number;
  /** Whether to write a part of the changes if there are too many. */
  readonly writesPart: boolean;
}

/** A copy that is at the revision of the snapshot. */
export interface FollowedCopy {
  readonly folded: readonly string[];
}

/**
 * Brings a copy to the revision of a snapshot. Call it only from exclusive work of the copy.
 *
 * Snapshots of later callers are taken after this one has ended, so the copy is never at a later
 * revision than a snapshot, unless somebody has restored the database.
 * @throws LinesTooLongError, CopyFailedError, or an error of PostgreSQL.
 */
export async function follow(
  copy: ColumnarCopy,
  snapshot: DatabaseSnapshot,
  session: ColumnarSession,
  { texts, maxRows, maxBytes, writesPart }: FollowOptions,
): Promise<FollowedCopy | Behind> {
  const { state, datagridId } = copy;
  const head = await readHead(snapshot, copy, state.revision, texts);
  if (!head) return 'gone';
  const { revision, schemaVersion, folded, copyWrittenAtMs } = head;
  const isSame = revision >= state.revision && copyWrittenAtMs === state.writtenAtMs;
  if (schemaVersion !== copy.schemaVersion || !isSame) return 'useless';
  if (revision === state.revision) return { folded };
  const changed = await readChangedRows(snapshot, datagridId, state.revision, maxRows);
  // One change alone has too many rows.
  if (!changed || (writesPart && changed.to === state.revision)) return 'useless';
  const isAll = changed.to === revision;
  if (!isAll && !writesPart) return 'tooMany';
  const lines = readNamed(snapshot, datagridId, changed.ids, state.table);
  const table =
    changed.ids.length === 0 ? state.table : await write(copy, session, lines, maxBytes);
  copy.state = { table, revision: changed.to, writtenAtMs: changed.writtenAtMs };
  return isAll ? { folded } : 'tooMany';
}

async function write(
  { process, state: { table } }: ColumnarCopy,
  session: ColumnarSession,
  lines: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<CopyTable> {
  let written = table;
  await withLinesFile(process, lines, maxBytes, async (file) => {
    await session.run('BEGIN');
    try {
      written = await replaceRows(session, table, file, false);
      await session.run('COMMIT');
    } catch (error) {
      await session.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
  return written;
}
