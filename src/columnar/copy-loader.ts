import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { ConnectionWatch } from '../platform/database/connection-watch';
import { DatabaseUrl } from '../platform/database/session-settings';
import { SnapshotConnection } from '../platform/database/snapshot-connection';
import { ColumnarCopy } from './columnar-copy';
import { ColumnarDatabase, type ColumnarProcess, type ColumnarSession } from './columnar-database';
import { type Behind, follow } from './copy-follower';
import { withLinesFile } from './copy-lines-file';
import { type CopyHead, type CopySnapshot, readHead, readRange } from './copy-source.repository';
import { copyColumnOf, type CopyTable } from './copy-table';
import {
  createTable,
  dropTable,
  readDatabaseBytes,
  replaceRows,
  storeChanges,
  tableName,
} from './copy-table.repository';

/** Ids of the first part of a load, and of later ones. Each part is a short snapshot. */
const FIRST_IDS = 5_000;
const MIN_IDS = 100;
const MAX_IDS = 200_000;
/** Size of the lines of a part, for which the number of ids is chosen. */
const PART_BYTES = 16 * 1024 * 1024;
/** Size of lines after which they are stored in the file, so that they need no memory. */
const STORED_BYTES = 64 * 1024 * 1024;
/** Rows that are written at a time to catch up. Requests that need the copy do not wait longer. */
const MAX_CATCH_UP_ROWS = 5_000;
/** Parts that are written to catch up. */
const MAX_PARTS = 1_000;
/** A part has at most so many times the ids of the one before it. */
const MAX_GROWTH = 4;
/** Time for which PostgreSQL may print a part. */
const PART_TIMEOUT_MS = 60_000;

/** Loads copies, and writes to them what they lack, on connections of its own. */
@Injectable()
export class CopyLoader {
  private tables = 0;

  constructor(
    private readonly database: ColumnarDatabase,
    private readonly databaseUrl: DatabaseUrl,
    private readonly watch: ConnectionWatch,
  ) {}

  /**
   * Loads a copy of a datagrid.
   * @param goesOn Called before each part, with the size of the lines so far.
   * @returns `null` if there is no such datagrid, if it is small, if its columns have changed, or if `goesOn`
   *   has ended the load.
   * @throws Error
   */
  async load(
    accountId: string,
    { datagridId, version, columns }: DatagridSchema,
    minRows: number,
    goesOn: (bytes: number) => Promise<boolean>,
  ): Promise<ColumnarCopy | null> {
    return this.withConnection(async (connection) => {
      const datagrid = { accountId, datagridId };
      const head = await readHead(await newSnapshot(connection), datagrid);
      if (head?.schemaVersion !== version || head.rowCount < minRows) return null;
      const process = await this.database.open();
      const session = process.connect();
      this.tables += 1;
      const copied = [...columns.values()].map(copyColumnOf);
      const table: CopyTable = {
        name: tableName(this.tables),
        columns: new Map(copied.map((column) => [column.id, column])),
      };
      try {
        const before = await readDatabaseBytes(session);
        await createTable(session, table);
        const load = { ...datagrid, version, connection, process, session, goesOn };
        const loaded = await loadParts(load, table, head);
        if (!loaded) {
          await dropTable(session, table.name);
          return null;
        }
        await storeChanges(session);
        // Others may have been dropped meanwhile.
        const bytes = Math.max((await readDatabaseBytes(session)) - before, loaded.bytes / 10);
        const { revision, writtenAtMs } = head;
        const state = { table: loaded.table, revision, writtenAtMs };
        return new ColumnarCopy(accountId, datagridId, version, process, bytes, state);
      } catch (error) {
        await dropTable(session, table.name).catch(() => undefined);
        throw error;
      } finally {
        session.close();
      }
    });
  }

  /**
   * Writes changes that a copy lacks. If there are many, others have the copy between two parts.
   * @throws CopyFailedError, or Error of PostgreSQL.
   */
  async catchUp(copy: ColumnarCopy): Promise<'current' | Behind> {
    return this.withConnection(async (connection) => {
      for (let part = 0; part < MAX_PARTS; part += 1) {
        const end = await copy.exclusively(() => followOnce(copy, connection));
        if (end !== 'tooMany') return end;
      }
      return 'tooMany';
    });
  }

  private async withConnection<T>(
    work: (connection: SnapshotConnection) => Promise<T>,
  ): Promise<T> {
    const { url } = this.databaseUrl;
    const connection = await SnapshotConnection.open(url, PART_TIMEOUT_MS, this.watch);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }
}

async function followOnce(
  copy: ColumnarCopy,
  connection: SnapshotConnection,
): Promise<'current' | Behind> {
  const session = copy.process.connect();
  try {
    const options = { texts: [], maxRows: MAX_CATCH_UP_ROWS, writesPart: true };
    const followed = await follow(copy, await newSnapshot(connection), session, options);
    return typeof followed === 'string' ? followed : 'current';
  } finally {
    session.close();
  }
}

/** A load in progress. */
interface Load {
  readonly accountId: string;
  readonly datagridId: string;
  readonly version: number;
  readonly connection: SnapshotConnection;
  readonly process: ColumnarProcess;
  readonly session: ColumnarSession;
  readonly goesOn: (bytes: number) => Promise<boolean>;
}

interface LoadedParts {
  readonly table: CopyTable;
  /** Size of the lines. */
  readonly bytes: number;
}

/** Loads all rows that there were. The change log has those that are written meanwhile. */
async function loadParts(
  { accountId, datagridId, version, connection, process, session, goesOn }: Load,
  empty: CopyTable,
  { lastRowId }: CopyHead,
): Promise<LoadedParts | null> {
  let [table, bytes, storedBytes, ids, afterId] = [empty, 0, 0, FIRST_IDS, 0];
  while (afterId < lastRowId) {
    if (!(await goesOn(bytes))) return null;
    const snapshot = await newSnapshot(connection);
    const head = await readHead(snapshot, { accountId, datagridId });
    if (head?.schemaVersion !== version) return null;
    const toId = Math.min(afterId + ids, lastRowId);
    const lines = readRange(snapshot, datagridId, afterId, toId, table);
    const partBytes = await withLinesFile(process, lines, async (file) => {
      table = await replaceRows(session, table, file, true);
    });
    [afterId, bytes] = [toId, bytes + partBytes];
    if (bytes - storedBytes > STORED_BYTES) {
      await storeChanges(session);
      storedBytes = bytes;
    }
    const next = Math.round(ids * Math.min(PART_BYTES / Math.max(partBytes, 1), MAX_GROWTH));
    ids = Math.min(Math.max(next, MIN_IDS), MAX_IDS);
  }
  return { table, bytes };
}

async function newSnapshot(connection: SnapshotConnection): Promise<CopySnapshot> {
  await connection.begin('SELECT', []);
  return {
    query: (text, values) => connection.query(text, values),
    copy: (statement) => connection.copy(statement, ''),
  };
}
