import { Injectable } from '@nestjs/common';
import { COLUMN_TYPE_NAMES, isComparable } from '../../datagrids/column-type/column-type';
import { isAutomaticSql } from '../../datagrids/column/column-record';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { DatagridReads } from '../query/column-reads';
import { MAX_INDEXED_CHARACTERS } from '../storage/index-entries-sql';
import { DatagridLockRepository } from '../write/counter.repository';

/** Number of queries in the current period after which a column gets an index. */
const MIN_READS = 3;
const PERIOD = `interval '1 day'`;
/** An index is dropped if no query has used it for this time. */
const MAX_UNUSED = `interval '7 days'`;
/** After this time without use, an index makes room for that of another column. */
const MIN_UNUSED_FOR_ROOM = `interval '1 day'`;
/** Time for which the reads of a new period are counted before they are compared with the writes. */
const MIN_COMPARED = `interval '1 hour'`;
/** An entry costs as much to write as this number of rows to scan. */
const ROWS_SCANNED_FOR_A_WRITE = 100;

const MAX_OF_DATAGRID = 3;
/** Maximum number of entries in the automatic indexes of one account. */
const MAX_ENTRIES = 20_000_000;

/** An index is not built if more than this share of the rows has the most frequent value. */
const MAX_VALUE_SHARE = 0.05;
const SAMPLED_ROWS = 300;

const COMPARABLE = COLUMN_TYPE_NAMES.filter(isComparable)
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * Adds reads of columns `$2` of datagrid `$1`, if it has at least `$4` rows. Sorts the columns, so that
 * instances lock them in the same order and cannot deadlock. After DO UPDATE, Citus accepts only
 * immutable functions: the difference of two times is one, a time minus an interval is not.
 */
const STORE_READS: Statement = {
  name: 'column-reads-store',
  text: `
    INSERT INTO column_reads AS s (datagrid_id, column_id, reads, since, written_from, read_at)
    SELECT c.datagrid_id, x.id, x.reads, statement_timestamp(), c.last_row_id + c.revision,
      statement_timestamp()
    FROM datagrid_counters c CROSS JOIN unnest($2::int[], $3::bigint[]) AS x(id, reads)
    WHERE c.datagrid_id = $1 AND c.row_count >= $4
    ORDER BY x.id
    ON CONFLICT (datagrid_id, column_id) DO UPDATE SET
      reads = excluded.reads
        + CASE WHEN excluded.since - s.since < ${PERIOD} THEN s.reads ELSE 0 END,
      written_from = CASE WHEN excluded.since - s.since < ${PERIOD} THEN s.written_from
        ELSE excluded.written_from END,
      since = CASE WHEN excluded.since - s.since < ${PERIOD} THEN s.since ELSE excluded.since END,
      read_at = excluded.read_at`,
};

/** Writes since the start of the period that the reads make up for. */
const PAID_BY_READS = `s.reads * c.row_count / ${String(ROWS_SCANNED_FOR_A_WRITE)}`;
const WRITTEN = 'c.last_row_id + c.revision - s.written_from';

/** Lists the column of each account that most queries would read by an index. */
const WANTED: Statement = {
  name: 'automatic-index-wanted',
  text: `
    SELECT "accountId", "datagridId", "columnId", slot, "lastRowId"
    FROM (
      SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId", k.id AS "columnId", k.slot,
        c.last_row_id AS "lastRowId",
        row_number() OVER (PARTITION BY d.account_id ORDER BY s.reads DESC, s.datagrid_id, s.column_id)
          AS place
      FROM column_reads s
      JOIN datagrid_columns k ON k.datagrid_id = s.datagrid_id AND k.id = s.column_id
      JOIN datagrid_counters c ON c.datagrid_id = s.datagrid_id
      JOIN datagrids d ON d.id = s.datagrid_id
      WHERE s.reads >= ${String(MIN_READS)} AND s.read_at > statement_timestamp() - ${PERIOD}
        AND d.deleted_at IS NULL AND d.automatic_indexes AND k.removed_at IS NULL
        AND k.indexed_to IS NULL AND k.entries_left_at IS NULL AND k.type IN (${COMPARABLE})
        AND c.row_count >= $1 AND ${WRITTEN} <= ${PAID_BY_READS}
    ) wanted
    WHERE place = 1`,
};

/** Lists automatic indexes that are no longer worth their cost, or that are switched off. */
const UNWANTED: Statement = {
  name: 'automatic-index-unwanted',
  text: `
    SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId", k.id AS "columnId"
    FROM datagrid_columns k
    JOIN datagrids d ON d.id = k.datagrid_id
    JOIN datagrid_counters c ON c.datagrid_id = k.datagrid_id
    LEFT JOIN column_reads s ON s.datagrid_id = k.datagrid_id AND s.column_id = k.id
    WHERE k.is_automatic AND k.removed_at IS NULL AND (
      NOT d.automatic_indexes OR $1::boolean OR s.read_at IS NULL
      OR s.read_at < statement_timestamp() - ${MAX_UNUSED}
      OR (s.since < statement_timestamp() - ${MIN_COMPARED} AND ${WRITTEN} > ${PAID_BY_READS})
    )
    LIMIT 100`,
};

const TRY_ACCOUNT: Statement = {
  name: 'automatic-index-try-account',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended('automatic indexes ' || $1::text, 0)) AS "isLocked"`,
};

/** Selects the extent of an account's automatic indexes. */
const USAGE: Statement = {
  name: 'automatic-index-usage',
  text: `
    SELECT count(*) AS count, count(*) FILTER (WHERE k.datagrid_id = $2) AS "ofDatagrid",
      coalesce(sum(c.row_count), 0)::bigint AS entries,
      coalesce(bool_or(k.indexed_to >= 0), false) AS "isBuilding"
    FROM datagrid_columns k
    JOIN datagrids d ON d.id = k.datagrid_id
    JOIN datagrid_counters c ON c.datagrid_id = k.datagrid_id
    WHERE d.account_id = $1 AND ${isAutomaticSql('k.')} AND k.removed_at IS NULL`,
};

/** Selects the automatic index of an account, or of datagrid `$2`, that was used least recently. */
const LEAST_USED: Statement = {
  name: 'automatic-index-least-used',
  text: `
    SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId", k.id AS "columnId"
    FROM datagrid_columns k
    JOIN datagrids d ON d.id = k.datagrid_id
    JOIN column_reads s ON s.datagrid_id = k.datagrid_id AND s.column_id = k.id
    WHERE d.account_id = $1 AND ${isAutomaticSql('k.')} AND k.removed_at IS NULL
      AND ($2::uuid IS NULL OR k.datagrid_id = $2)
      AND s.read_at < statement_timestamp() - ${MIN_UNUSED_FOR_ROOM}
    ORDER BY s.read_at LIMIT 1`,
};

/**
 * Selects the share of the most frequent value in slot `$2` among the rows at the ids `$3`. After a gap
 * of deleted rows, many ids lead to the same row, which counts once. A value of a single row is not frequent.
 */
const VALUE_SHARE: Statement = {
  name: 'automatic-index-value-share',
  text: `
    SELECT coalesce(max(n) FILTER (WHERE value IS NOT NULL AND n > 1) / greatest(sum(n), 1), 0)::float8
      AS share
    FROM (
      SELECT left(r."values" ->> $2, ${String(MAX_INDEXED_CHARACTERS)}) AS value,
        count(DISTINCT r.id) AS n
      FROM unnest($3::bigint[]) AS at(id) CROSS JOIN LATERAL (
        SELECT id, "values" FROM rows WHERE datagrid_id = $1 AND id >= at.id ORDER BY id LIMIT 1
      ) r
      GROUP BY 1
    ) v`,
};

const RESET_READS: Statement = {
  name: 'column-reads-reset',
  text: 'UPDATE column_reads SET reads = 0 WHERE datagrid_id = $1 AND column_id = $2',
};

/** Starts a build. Columns that were read by the same queries begin to count anew. */
const START: Statement = {
  name: 'automatic-index-start',
  text: `
    WITH started AS (
      UPDATE datagrid_columns SET is_automatic = true, indexed_to = 0
      WHERE datagrid_id = $1 AND id = $2 AND removed_at IS NULL AND indexed_to IS NULL
        AND entries_left_at IS NULL AND type IN (${COMPARABLE})
      RETURNING datagrid_id
    ), others AS (
      UPDATE column_reads SET reads = 0
      WHERE datagrid_id = $1 AND column_id <> $2 AND EXISTS (SELECT FROM started)
        AND column_id NOT IN (SELECT id FROM datagrid_columns WHERE datagrid_id = $1 AND is_automatic)
    )
    UPDATE datagrid_counters SET schema_version = schema_version + 1
    WHERE datagrid_id = $1 AND EXISTS (SELECT FROM started)`,
};

/** Drops an index. Its entries become orphans, which the cleanup of columns deletes. */
const DROP: Statement = {
  name: 'automatic-index-drop',
  text: `
    WITH dropped AS (
      UPDATE datagrid_columns SET is_automatic = false,
        indexed_to = CASE WHEN is_indexed OR is_unique THEN indexed_to END,
        entries_left_at = CASE WHEN is_indexed OR is_unique OR indexed_to IS NULL
          THEN entries_left_at ELSE statement_timestamp() END
      WHERE datagrid_id = $1 AND id = $2 AND is_automatic
      RETURNING datagrid_id
    ), reset AS (
      UPDATE column_reads SET reads = 0
      WHERE datagrid_id = $1 AND column_id = $2 AND EXISTS (SELECT FROM dropped)
    )
    UPDATE datagrid_counters SET schema_version = schema_version + 1
    WHERE datagrid_id = $1 AND EXISTS (SELECT FROM dropped)`,
};

export interface AutomaticIndex {
  readonly accountId: string;
  readonly datagridId: string;
  readonly columnId: number;
}

/** A column that many queries would read by an index. */
export interface WantedIndex extends AutomaticIndex {
  readonly slot: string;
  readonly lastRowId: number;
}

interface Usage {
  readonly count: number;
  readonly ofDatagrid: number;
  readonly entries: number;
  readonly isBuilding: boolean;
}

/** Whether an account may have one more index; otherwise, whether it has too many or is building one. */
export type Room = 'free' | 'datagridFull' | 'accountFull' | 'isBuilding';

/** Starts and drops automatic indexes. Every statement but the lists names a datagrid or an account. */
@Injectable()
export class AutomaticIndexRepository {
  constructor(
    private readonly database: Database,
    private readonly lock: DatagridLockRepository,
  ) {}

  async storeReads({ datagridId, columns }: DatagridReads, minRows: number): Promise<void> {
    const values = [datagridId, [...columns.keys()], [...columns.values()], minRows];
    await this.database.run(STORE_READS, values);
  }

  /** Lists at most one column of each account. */
  async listWanted(minRows: number): Promise<WantedIndex[]> {
    return this.database.run<WantedIndex>(WANTED, [minRows]);
  }

  /** @param all Whether to list all automatic indexes. */
  async listUnwanted(all: boolean): Promise<AutomaticIndex[]> {
    return this.database.run<AutomaticIndex>(UNWANTED, [all]);
  }

  /** @param maxIndexes Maximum number of automatic indexes of the account. */
  async getRoom(index: WantedIndex, maxIndexes: number): Promise<Room> {
    const { accountId, datagridId, lastRowId } = index;
    const [usage] = await this.database.run<Usage>(USAGE, [accountId, datagridId]);
    if (!usage) throw new Error('An aggregate gives one row.');
    if (usage.isBuilding) return 'isBuilding';
    if (usage.ofDatagrid >= MAX_OF_DATAGRID) return 'datagridFull';
    const isFull = usage.count >= maxIndexes || usage.entries + lastRowId > MAX_ENTRIES;
    return isFull ? 'accountFull' : 'free';
  }

  /**
   * Finds the index that was used least recently, if that was long ago.
   * @param datagridId Only of this datagrid; `null` for any of the account.
   */
  async findLeastUsed(
    accountId: string,
    datagridId: string | null,
  ): Promise<AutomaticIndex | null> {
    const [found] = await this.database.run<AutomaticIndex>(LEAST_USED, [accountId, datagridId]);
    return found ?? null;
  }

  /** Returns whether no value of the column is frequent, by a random sample of rows. */
  async isSelective({ datagridId, slot, lastRowId }: WantedIndex): Promise<boolean> {
    const ids = Array.from({ length: SAMPLED_ROWS }, () =>
      Math.ceil(Math.random() * Math.max(1, lastRowId)),
    );
    const values = [datagridId, slot, ids];
    const [sample] = await this.database.run<{ share: number }>(VALUE_SHARE, values);
    return (sample?.share ?? 0) <= MAX_VALUE_SHARE;
  }

  /** Lets the reads of a column begin to count anew. */
  async resetReads({ datagridId, columnId }: AutomaticIndex): Promise<void> {
    await this.database.run(RESET_READS, [datagridId, columnId]);
  }

  /**
   * Starts a build, under the datagrid's lock. Instances take turns for one account.
   * @returns `locked` if another instance has its turn, or writes hold the lock for too long.
   */
  async start(index: WantedIndex, maxIndexes: number): Promise<Room | 'locked'> {
    const { accountId, datagridId, columnId } = index;
    return this.lock.under<Room | 'locked'>(datagridId, async () => {
      const [turn] = await this.database.run<{ isLocked: boolean }>(TRY_ACCOUNT, [accountId]);
      if (turn?.isLocked !== true) return 'locked';
      const room = await this.getRoom(index, maxIndexes);
      if (room === 'free') await this.database.run(START, [datagridId, columnId]);
      return room;
    });
  }

  /** Drops an index, under the datagrid's lock. @returns `locked` if writes hold it too long. */
  async drop({ datagridId, columnId }: AutomaticIndex): Promise<'dropped' | 'locked'> {
    return this.lock.under<'dropped'>(datagridId, async () => {
      await this.database.run(DROP, [datagridId, columnId]);
      return 'dropped';
    });
  }
}
