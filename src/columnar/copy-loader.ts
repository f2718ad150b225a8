import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { ConnectionWatch } from '../platform/database/connection-watch';
import { DatabaseUrl } from '../platform/database/session-settings';
import type { DatabaseSnapshot } from '../platform/database/query-pool';
import { SnapshotConnection } from '../platform/database/snapshot-connection';
import { ColumnarCopy } from './columnar-copy';
import type { ColumnarProcess, ColumnarSession } from './columnar-database';
import { type Behind, follow } from './copy-follower';
import { LinesTooLongError, withLinesFile } from './copy-lines-file';
import { type CopyHead, readHead, readRange } from './copy-source.repository';
import type { CopyColumn, CopyTable } from './copy-table';
import {
  createTable,
  dropTable,
  readDatabaseBytes,
  replaceRows,
  storeChanges,
  tableName,
} from './copy-table.repository';

/**
 * Number of ids of the first part of a load, and maximum of later parts. Each part has its own snapshot. Of more
 * than half a row group, DuckDB takes 80 MB more memory than it counts.
 */
const FIRST_IDS = 5_000;
const MAX_IDS = 60_000;
/** Target size of the lines of a part in bytes, and their maximum. */
const PART_BYTES = 16 * 1024 * 1024;
const MAX_PART_BYTES = 8 * PART_BYTES;
/** Divisor of the number of ids or rows after a part was too long. */
const SHORTER = 8;
/** Size of lines after which they are stored in the file, so that they need no memory. */
const STORED_BYTES = 64 * 1024 * 1024;
/** Maximum number of rows of a part that `catchUp` writes. Requests wait for one part at most. */
const MAX_CATCH_UP_ROWS = 5_000;
/** Maximum number of parts of one `catchUp`. */
const MAX_PARTS = 1_000;
/** A part has at most so many times the ids of the one before it. */
const MAX_GROWTH = 4;
/** Time for which PostgreSQL may print a part. */
const PART_TIMEOUT_MS = 60_000;

/** What a copy has. */
export interface KeptCopy {
  readonly columns: readonly CopyColumn[];
  /** Number of rows below which there is no copy. */
  readonly minRows: number;
  /** Returns the process that gets the copy. Called once it is known that there is something to load. */
  readonly open: () => Promise<ColumnarProcess>;
}

/** Loads copies, and writes to them what they lack, on connections of its own. */
@Injectable()
export class CopyLoader {
  private tables = 0;

  constructor(
    private readonly databaseUrl: DatabaseUrl,
    private readonly watch: ConnectionWatch,
  ) {}

  /**
   * Loads a copy of a datagrid.
   * @param kept What the copy has, and the process that gets it.
   * @param goesOn Called before each part, with the size of the lines so far.
   * @returns `null` if there is no such datagrid, if it is small, if its columns have changed, or if `goesOn`
   *   has ended the load.
   * @throws Error
   */
  async load(
    accountId: string,
    { datagridId, version }: DatagridSchema,
    kept: KeptCopy,
    goesOn: (bytes: number) => Promise<boolean>,
  ): Promise<ColumnarCopy | null> {
    const datagrid = { accountId, datagridId };
    const head = await this.inSnapshot((snapshot) => readHead(snapshot, datagrid));
    if (head?.schemaVersion !== version || head.rowCount < kept.minRows) return null;
    const process = await kept.open();
    const session = process.connect();
    this.tables += 1;
    const table: CopyTable = {
      name: tableName(this.tables),
      columns: new Map(kept.columns.map((column) => [column.id, column])),
    };
    try {
      const before = await readDatabaseBytes(session);
      await createTable(session, table);
      const loaded = await this.loadParts(
        { ...datagrid, version, process, session, goesOn },
        table,
        head,
      );
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
  }

  /**
   * Writes the changes that a copy lacks, in parts. Requests can use the copy between two parts.
   * @throws CopyFailedError, or an error of PostgreSQL.
   */
  async catchUp(copy: ColumnarCopy): Promise<'current' | Behind> {
    let maxRows = MAX_CATCH_UP_ROWS;
    for (let part = 0; part < MAX_PARTS; part += 1) {
      try {
        const end = await copy.exclusively(() => this.followOnce(copy, maxRows));
        if (end !== 'tooMany') return end;
      } catch (error) {
        if (!(error instanceof LinesTooLongError) || maxRows === 1) throw error;
        maxRows = Math.ceil(maxRows / SHORTER);
      }
    }
    return 'tooMany';
  }

  /** Writes changes of all copies to the file, and gives room of dropped ones back. Never throws. */
  async storeChanges(process: ColumnarProcess): Promise<void> {
    const session = process.connect();
    await storeChanges(session);
    session.close();
  }

  private async followOnce(copy: ColumnarCopy, maxRows: number): Promise<'current' | Behind> {
    const session = copy.process.connect();
    try {
      const options = { texts: [], maxRows, maxBytes: MAX_PART_BYTES, writesPart: true };
      const followed = await this.inSnapshot((snapshot) =>
        follow(copy, snapshot, session, options),
      );
      return typeof followed === 'string' ? followed : 'current';
    } finally {
      session.close();
    }
  }

  /** Loads the rows that existed at `head`. `catchUp` then writes later changes from the change log. */
  private async loadParts(
    { goesOn, ...load }: Load,
    empty: CopyTable,
    { lastRowId }: CopyHead,
  ): Promise<LoadedParts | null> {
    let [table, bytes, storedBytes, ids, afterId] = [empty, 0, 0, FIRST_IDS, 0];
    while (afterId < lastRowId) {
      if (!(await goesOn(bytes))) return null;
      const toId = Math.min(afterId + ids, lastRowId);
      const part = await this.loadPart(load, table, afterId, toId);
      if (!part) return null;
      if (part === 'tooLong') {
        ids = Math.ceil(ids / SHORTER);
        continue;
      }
      [table, bytes, afterId] = [part.table, bytes + part.bytes, toId];
      if (bytes - storedBytes > STORED_BYTES) {
        await storeChanges(load.session);
        storedBytes = bytes;
      }
      const next = Math.round(ids * Math.min(PART_BYTES / Math.max(part.bytes, 1), MAX_GROWTH));
      ids = Math.min(Math.max(next, 1), MAX_IDS);
    }
    return { table, bytes };
  }

  /** @returns `null` if the columns have changed, or the datagrid is gone. */
  private async loadPart(
    { accountId, datagridId, version, process, session }: Omit<Load, 'goesOn'>,
    table: CopyTable,
    afterId: number,
    toId: number,
  ): Promise<LoadedParts | 'tooLong' | null> {
    let loaded = table;
    try {
      return await this.inSnapshot(async (snapshot) => {
        const head = await readHead(snapshot, { accountId, datagridId });
        if (head?.schemaVersion !== version) return null;
        const lines = readRange(snapshot, datagridId, afterId, toId, table);
        const bytes = await withLinesFile(process, lines, MAX_PART_BYTES, async (file) => {
          loaded = await replaceRows(session, table, file, true);
        });
        return { table: loaded, bytes };
      });
    } catch (error) {
      if (error instanceof LinesTooLongError && toId - afterId > 1) return 'tooLong';
      throw error;
    }
  }

  /** Runs work in a snapshot, on a connection of its own, which can end in the middle of a statement. */
  private async inSnapshot<T>(work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T> {
    const { url } = this.databaseUrl;
    const connection = await SnapshotConnection.open(url, PART_TIMEOUT_MS, this.watch);
    try {
      await connection.begin('SELECT', []);
      return await work({
        query: (text, values) => connection.query(text, values),
        copy: (statement) => connection.copyAndEnd(statement, ''),
      });
    } finally {
      connection.close();
    }
  }
}

/** A load in progress. */
interface Load {
  readonly accountId: string;
  readonly datagridId: string;
  readonly version: number;
  readonly process: ColumnarProcess;
  readonly session: ColumnarSession;
  readonly goesOn: (bytes: number) => Promise<boolean>;
}

interface LoadedParts {
  readonly table: CopyTable;
  /** Size of the lines. */
  readonly bytes: number;
}
